/** How sure a mean of few numbers is: Student's interval. */

/** A 95 % interval of the mean of independent numbers; null with fewer than two of them. */
export function meanInterval95(values: readonly number[]): { mean: number; low: number; high: number } | null {
  const n = values.length
  if (n === 0) return null
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  if (n === 1) return null
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1)
  const half = student975(n - 1) * Math.sqrt(variance / n)
  return { mean, low: mean - half, high: mean + half }
}

/** 97.5 % points of Student's t for 1 to 9 degrees of freedom (tables, e.g. NIST/SEMATECH e-Handbook, 1.3.6.7.2). */
const SMALL = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]

/** The 97.5 % point of Student's t; from 10 degrees on by the expansion of Hill 1970, right to three decimals. */
export function student975(degrees: number): number {
  if (degrees < 10) return SMALL[Math.max(1, Math.floor(degrees)) - 1]
  const z = 1.959964
  const g1 = (z ** 3 + z) / 4
  const g2 = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96
  const g3 = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384
  return z + g1 / degrees + g2 / degrees ** 2 + g3 / degrees ** 3
}
