/**
 * How sparse a network is meant to be at each moment of training, for magnitude pruning: weights below the schedule's quantile
 * are masked, and may come back where a schedule falls.
 *
 * `linear` and `polynomial` (Zhu and Gupta 2017, cubic, as we recall it) are the usual ones. `harmonic` is **our definition**
 * in the spirit of the harmonic annealing of arXiv 2503.15172, whose formula we could not find: a cosine from the first to the
 * last sparsity, minus cycles that die out, so that weights regrow within each cycle.
 */
export type SparsitySchedule = 'linear' | 'polynomial' | 'harmonic'

/** Depth and number of the harmonic cycles; both ours. */
const DEPTH = 0.3
const CYCLES = 4

/**
 * Part of the weights that are masked.
 * @param progress 0 at the first pruning step, 1 at the last; outside it is clipped
 * @param from sparsity at 0, 0 to 1
 * @param to sparsity at 1, 0 to 1
 */
export function sparsityAt(schedule: SparsitySchedule, progress: number, from: number, to: number): number {
  const t = Math.min(1, Math.max(0, progress))
  if (schedule === 'linear') return from + (to - from) * t
  if (schedule === 'polynomial') return to + (from - to) * (1 - t) ** 3
  const cosine = to + ((from - to) * (1 + Math.cos(Math.PI * t))) / 2
  const cycle = (DEPTH * (1 - t) * (to - from) * (1 - Math.cos(2 * Math.PI * CYCLES * t))) / 2
  return Math.min(1, Math.max(0, cosine - cycle))
}
