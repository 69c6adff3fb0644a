/**
 * Percentile bootstrap over runs (Efron; as Agarwal et al. 2021 use it). Runs are drawn with replacement *within* every
 * task (stratified), so every replicate has every task; with `tasks: true` the tasks are drawn first, which answers
 * another question (other tasks of the kind) and gives a wider interval: say which one is shown.
 *
 * Draws come from the package's own generator under a name, so a report repeats to the digit on every machine.
 */
import { Generator, TroupeError, namedSeed } from '../../envs/core/index.ts'
import { iqmOf, meanOf, medianOf, probabilityOfImprovement, type Scores } from './scores.ts'

export interface BootstrapOptions {
  /** Replicates; default 50,000 for aggregates, 2,000 for profiles, curves and P(X > Y), as rliable has it. */
  readonly replicates?: number
  /** Share of the replicates inside the interval; default 0.95. */
  readonly level?: number
  /** Root of the draws; default 'bootstrap'. */
  readonly seed?: string | number
  /** Draw tasks as well. */
  readonly tasks?: boolean
}

export interface Interval {
  readonly low: number
  readonly high: number
}

export const AGGREGATE_REPLICATES = 50_000
export const PROFILE_REPLICATES = 2_000

const LEVEL = 0.95
const DEFAULT_SEED = 'bootstrap'

/** Value below which a share q of the sorted values lies, interpolated linearly (numpy's default). */
export function percentile(sorted: ArrayLike<number>, q: number): number {
  const at = (sorted.length - 1) * q
  const below = Math.floor(at)
  const low = sorted[below]
  const part = at - below
  if (part === 0 || low === -Infinity) return low // between a failed run and a score lies a failed run
  const high = sorted[below + 1]
  return low === high ? low : low + part * (high - low)
}

/** The percentile interval of replicates, in any order. */
export function intervalOf(replicates: ArrayLike<number>, level = LEVEL): Interval {
  const sorted = Float64Array.from(replicates).sort()
  const tail = (1 - level) / 2
  return { low: percentile(sorted, tail), high: percentile(sorted, 1 - tail) }
}

function generator(options: BootstrapOptions, purpose: string): Generator {
  return new Generator(namedSeed(options.seed ?? DEFAULT_SEED, purpose))
}

function replicatesOf(options: BootstrapOptions, usual: number): number {
  const count = options.replicates ?? usual
  if (Number.isInteger(count) && count >= 1) return count
  throw new TroupeError('bad-option', {
    where: 'bootstrap: replicates',
    got: String(count),
    expected: 'a whole number of 1 or more',
  })
}

/**
 * Draws replicates of a score matrix and hands each to `visit`.
 * @param visit gets [R × M] cells, run by run; the array is used again
 */
export function resample(
  scores: Scores,
  count: number,
  rng: Generator,
  tasks: boolean,
  visit: (cells: Float64Array, replicate: number) => void,
): void {
  const R = scores.length
  const M = scores[0].length
  const source = Float64Array.from(scores.flat())
  const cells = new Float64Array(R * M)
  const column = Int32Array.from({ length: M }, (_, task) => task)
  for (let replicate = 0; replicate < count; replicate++) {
    if (tasks) for (let task = 0; task < M; task++) column[task] = rng.below(M)
    for (let run = 0; run < R; run++) {
      for (let task = 0; task < M; task++) cells[run * M + task] = source[rng.below(R) * M + column[task]]
    }
    visit(cells, replicate)
  }
}

/** What can be asked of a replicate: aggregates over its cells. */
export interface AggregateReplicates {
  readonly iqm: Float64Array
  readonly median: Float64Array
  readonly mean: Float64Array
  readonly optimalityGap: Float64Array
}

/** The four aggregates of every replicate, in the order drawn: two algorithms' replicates may be subtracted. */
export function aggregateReplicates(scores: Scores, options: BootstrapOptions = {}, gamma = 1): AggregateReplicates {
  const count = replicatesOf(options, AGGREGATE_REPLICATES)
  const R = scores.length
  const M = scores[0].length
  const make = () => new Float64Array(count)
  const found = { iqm: make(), median: make(), mean: make(), optimalityGap: make() }
  const perTask = new Float64Array(M)
  resample(scores, count, generator(options, 'aggregates'), options.tasks === true, (cells, replicate) => {
    perTask.fill(0)
    let capped = 0
    for (let i = 0; i < cells.length; i++) {
      perTask[i % M] += cells[i]
      capped += Math.min(cells[i], gamma)
    }
    for (let task = 0; task < M; task++) perTask[task] /= R
    found.mean[replicate] = meanOf(perTask)
    found.median[replicate] = medianOf(perTask)
    found.optimalityGap[replicate] = gamma - capped / cells.length
    found.iqm[replicate] = iqmOf(cells.sort()) // last: it reorders
  })
  return found
}

export interface AggregateIntervals {
  readonly iqm: Interval
  readonly median: Interval
  readonly mean: Interval
  readonly optimalityGap: Interval
}

export function aggregateIntervals(scores: Scores, options: BootstrapOptions = {}, gamma = 1): AggregateIntervals {
  const replicates = aggregateReplicates(scores, options, gamma)
  return {
    iqm: intervalOf(replicates.iqm, options.level),
    median: intervalOf(replicates.median, options.level),
    mean: intervalOf(replicates.mean, options.level),
    optimalityGap: intervalOf(replicates.optimalityGap, options.level),
  }
}

/** The interval of any statistic of a score matrix. */
export function bootstrapInterval(
  scores: Scores,
  statistic: (scores: Scores) => number,
  options: BootstrapOptions = {},
): Interval {
  const count = replicatesOf(options, PROFILE_REPLICATES)
  const M = scores[0].length
  const values = new Float64Array(count)
  resample(scores, count, generator(options, 'statistic'), options.tasks === true, (cells, replicate) => {
    values[replicate] = statistic(scores.map((_, run) => [...cells.subarray(run * M, (run + 1) * M)]))
  })
  return intervalOf(values, options.level)
}

/** Pointwise intervals of a performance profile: each holds for its threshold alone, not for the whole curve. */
export function profileIntervals(
  scores: Scores,
  thresholds: readonly number[],
  options: BootstrapOptions = {},
): Interval[] {
  const count = replicatesOf(options, PROFILE_REPLICATES)
  const shares = thresholds.map(() => new Float64Array(count))
  resample(scores, count, generator(options, 'profile'), options.tasks === true, (cells, replicate) => {
    cells.sort()
    let at = 0 // cells at or below the threshold; thresholds may come in any order
    thresholds.forEach((threshold, k) => {
      if (k > 0 && threshold < thresholds[k - 1]) at = 0
      while (at < cells.length && cells[at] <= threshold) at++
      shares[k][replicate] = (cells.length - at) / cells.length
    })
  })
  return shares.map((values) => intervalOf(values, options.level))
}

/** The interval of P(X > Y); the runs of X and of Y are drawn independently of each other. */
export function improvementInterval(x: Scores, y: Scores, options: BootstrapOptions = {}): Interval {
  const count = replicatesOf(options, PROFILE_REPLICATES)
  const rng = generator(options, 'improvement')
  const values = new Float64Array(count)
  const rows = (scores: Scores, pick: Int32Array): number[][] =>
    scores.map((row, run) => row.map((_, task) => scores[pick[run * row.length + task]][task]))
  const draw = (scores: Scores) =>
    Int32Array.from({ length: scores.length * scores[0].length }, () => rng.below(scores.length))
  for (let replicate = 0; replicate < count; replicate++) {
    const drawnX = rows(x, draw(x))
    const drawnY = rows(y, draw(y))
    values[replicate] = probabilityOfImprovement(drawnX, drawnY)
  }
  return intervalOf(values, options.level)
}

/** The interval of the mean of values, drawn one by one: over runs of one task, or over episodes of one policy. */
export function meanInterval(values: readonly number[], options: BootstrapOptions = {}): Interval {
  const count = replicatesOf(options, PROFILE_REPLICATES)
  const rng = generator(options, 'mean')
  const means = Float64Array.from({ length: count }, () => {
    let sum = 0
    for (let i = 0; i < values.length; i++) sum += values[rng.below(values.length)]
    return sum / values.length
  })
  return intervalOf(means, options.level)
}

/**
 * The interval of the mean difference of two policies on the same episodes: differences are taken first, so what the
 * seeds do to both cancels out.
 * @throws TroupeError when the two did not play the same number of episodes
 */
export function pairedDifferenceInterval(
  x: readonly number[],
  y: readonly number[],
  options: BootstrapOptions = {},
): Interval & { readonly mean: number } {
  if (x.length !== y.length || x.length === 0) {
    const got = `${x.length} and ${y.length} episodes`
    throw new TroupeError('bad-option', { where: 'paired difference', got, expected: 'the same episodes of both' })
  }
  const differences = x.map((value, i) => value - y[i])
  return { mean: meanOf(differences), ...meanInterval(differences, options) }
}
