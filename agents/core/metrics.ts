/** Means of named numbers over the parts of an update. */

export class Means {
  private readonly sums = new Map<string, { sum: number; count: number }>()

  /** Adds `count` observations whose sum is `sum`. */
  add(name: string, sum: number, count = 1): void {
    const entry = this.sums.get(name)
    if (entry === undefined) this.sums.set(name, { sum, count })
    else {
      entry.sum += sum
      entry.count += count
    }
  }

  /** All means; a name without observations is 0. */
  all(): Record<string, number> {
    return Object.fromEntries([...this.sums].map(([name, { sum, count }]) => [name, count === 0 ? 0 : sum / count]))
  }
}

/** Arithmetic mean; 0 of nothing. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]
  return values.length === 0 ? 0 : sum / values.length
}
