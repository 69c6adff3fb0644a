/** One number from episodes, and how sure one may be of it. Pure. */
import { SCORE_EPISODES, iqmOf, meanInterval, meanOf } from '../../results/statistics.ts'
import { type StoredScore } from '../store/store.ts'

/**
 * Mean and IQM over episodes, standard deviation (n - 1), 95 % percentile bootstrap by episode, and the standard error
 * that ranks are taken from. Below `least` episodes there is neither interval nor error: nothing is claimed of so few.
 * @param name seeds the bootstrap, so that it repeats to the digit
 * @returns null when there is no episode, or when any return is missing or not finite: that is a failed entry
 */
export function scoreOf(
  returns: readonly (number | null)[],
  name: string,
  least: number = SCORE_EPISODES,
): StoredScore | null {
  const n = returns.length
  if (n === 0 || !returns.every((value): value is number => typeof value === 'number' && Number.isFinite(value))) {
    return null
  }
  const values = returns as number[]
  const mean = meanOf(values) + 0
  if (!Number.isFinite(mean)) return null
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const std = n > 1 ? Math.sqrt(squares / (n - 1)) : 0
  const iqm = iqmOf(Float64Array.from(values).sort()) + 0
  if (n < least) return { mean, iqm, std, low: null, high: null, error: null }
  const { low, high } = meanInterval(values, { seed: name })
  return { mean, iqm, std, low: low + 0, high: high + 0, error: std / Math.sqrt(n) }
}
