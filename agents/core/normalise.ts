/** Running statistics of returns, and the normalisation of advantages. */
import { alone, sumNumbers, type ShardGroup } from './shards.ts'

const VARIANCE_FLOOR = 1e-2 // marlbenchmark/on-policy, ValueNorm
const DEBIAS_FLOOR = 1e-5 // same place

/** What a normaliser saves. */
export interface ValueNormState {
  mean: number
  meanSquare: number
  debias: number
}

/**
 * ValueNorm of MAPPO (Yu et al. 2022; marlbenchmark/on-policy de66d7a): exponential averages of mean and mean square with
 * a debiasing term. The critic's outputs live in normalised units: `denormalise` them before advantages are made.
 * Update with raw returns *before* normalising these same returns.
 */
export class ValueNorm {
  readonly state: ValueNormState = { mean: 0, meanSquare: 0, debias: 0 }
  private readonly beta: number

  constructor(beta = 0.99999) {
    this.beta = beta
  }

  /** Takes a batch of raw returns in: `values[index[k]]` for each listed row, or all. */
  update(values: ArrayLike<number>, index?: Int32Array): void {
    const count = index?.length ?? values.length
    let sum = 0
    let squares = 0
    for (let k = 0; k < count; k++) {
      const value = values[index === undefined ? k : index[k]]
      sum += value
      squares += value * value
    }
    this.take(count, sum, squares)
  }

  /** Takes a batch in of which only the number, the sum and the sum of squares are known. */
  take(count: number, sum: number, squares: number): void {
    if (count === 0) return
    const { beta, state } = this
    state.mean = beta * state.mean + (1 - beta) * (sum / count)
    state.meanSquare = beta * state.meanSquare + (1 - beta) * (squares / count)
    state.debias = beta * state.debias + (1 - beta)
  }

  get mean(): number {
    return this.state.mean / Math.max(this.state.debias, DEBIAS_FLOOR)
  }

  get variance(): number {
    const { meanSquare, debias } = this.state
    return Math.max(meanSquare / Math.max(debias, DEBIAS_FLOOR) - this.mean * this.mean, VARIANCE_FLOOR)
  }

  get deviation(): number {
    return Math.sqrt(this.variance)
  }

  normalise(value: number): number {
    return (value - this.mean) / this.deviation
  }

  denormalise(value: number): number {
    return value * this.deviation + this.mean
  }

  /**
   * Takes a batch in like `take` and says how outputs must change so that what they mean stays: new = old · scale + shift
   * (PopArt: van Hasselt et al. 2016, eq. 8 and 9).
   */
  takeAndKeep(count: number, sum: number, squares: number): { readonly scale: number; readonly shift: number } {
    // Before anything was seen outputs are in reward units: what they mean then is 0 ± the floor, which nobody meant.
    const fresh = this.state.debias === 0
    const [mean, deviation] = [this.mean, this.deviation]
    this.take(count, sum, squares)
    if (fresh) return { scale: 1, shift: 0 }
    return { scale: deviation / this.deviation, shift: (mean - this.mean) / this.deviation }
  }

  /** Reward units to normalised units, in place. */
  normaliseAll(values: Float32Array): void {
    const { mean, deviation } = this
    for (let i = 0; i < values.length; i++) values[i] = (values[i] - mean) / deviation
  }

  /** Normalised units to reward units, in place. */
  denormaliseAll(values: Float32Array | Float64Array): void {
    const { mean, deviation } = this
    for (let i = 0; i < values.length; i++) values[i] = values[i] * deviation + mean
  }
}

/** What running moments save: one number per column. */
export interface MomentsState {
  count: number
  mean: number[]
  variance: number[]
}

const COUNT = 1e-4 // at the beginning, with mean 0 and variance 1: EPyMARL's and OpenAI baselines' RunningMeanStd
const LEAST = 1e-8 // added to a variance before its root

/** Running mean and variance of columns over everything seen so far, batches put together as Chan et al. 1979 do. */
export class RunningMoments {
  readonly state: MomentsState
  readonly columns: number

  constructor(columns: number) {
    this.columns = columns
    this.state = {
      count: COUNT,
      mean: new Array<number>(columns).fill(0),
      variance: new Array<number>(columns).fill(1),
    }
  }

  /**
   * Takes a batch in; the same in every worker.
   * @param parts of every own shard, from `sumsOf`
   */
  take(parts: readonly Float64Array[], group: ShardGroup): void {
    const { columns, state } = this
    const all = new Float64Array(3 * columns)
    group.sum(parts, all)
    let most = 0
    for (let k = 0; k < columns; k++) {
      const n = all[k]
      if (n === 0) continue
      most = Math.max(most, n)
      const mean = all[columns + k] / n
      // The unbiased variance of the batch stands for its own, as in EPyMARL, which gives it to a population's formula.
      const variance = n > 1 ? Math.max(0, all[2 * columns + k] - n * mean * mean) / (n - 1) : 0
      const total = state.count + n
      const delta = mean - state.mean[k]
      const squares = state.variance[k] * state.count + variance * n + (delta * delta * state.count * n) / total
      state.mean[k] += (delta * n) / total
      state.variance[k] = squares / total
    }
    state.count += most
  }

  deviation(column: number): number {
    return Math.sqrt(this.state.variance[column] + LEAST)
  }
}

/**
 * [3, columns] How many, their sum and the sum of their squares, column by column.
 * @param values [rows, columns]
 * @param active 1 where a row counts, [rows]; default all
 */
export function sumsOf(values: Float32Array, columns: number, active?: ArrayLike<number>): Float64Array {
  const out = new Float64Array(3 * columns)
  for (let row = 0; row < values.length / columns; row++) {
    if (active !== undefined && active[row] === 0) continue
    for (let k = 0; k < columns; k++) {
      const value = values[row * columns + k]
      out[k]++
      out[columns + k] += value
      out[2 * columns + k] += value * value
    }
  }
  return out
}

const SIGHT = 10 // normalised observations are held within ± this, as in OpenAI baselines

/** Observations in units of their own running deviation, feature by feature, over what living agents see. */
export class ObservationNorm extends RunningMoments {
  /** Rows of features, normalised. @param to may be `from` itself */
  apply(from: Float32Array, to: Float32Array, length = from.length): void {
    const { columns, state } = this
    for (let k = 0; k < columns; k++) {
      const [mean, scale] = [state.mean[k], 1 / this.deviation(k)]
      for (let i = k; i < length; i += columns) {
        const value = (from[i] - mean) * scale
        to[i] = value > SIGHT ? SIGHT : value < -SIGHT ? -SIGHT : value
      }
    }
  }
}

/**
 * (A − mean) / (std + 1e-5) over the active rows of all shards, once for the whole batch (MAPPO); others become zero.
 * @param parts one per own shard; `active` is 1 where the agent lived, [rows]
 */
export function normaliseAdvantages(
  parts: readonly { readonly advantage: Float32Array; readonly active: ArrayLike<number> }[],
  group: ShardGroup = alone(parts.length),
): void {
  const [count, sum] = sumNumbers(
    group,
    parts.map(({ advantage, active }) => {
      let living = 0
      let total = 0
      for (let i = 0; i < advantage.length; i++) {
        if (active[i] === 0) continue
        living++
        total += advantage[i]
      }
      return [living, total]
    }),
  )
  const mean = sum / Math.max(count, 1)
  const [squares] = sumNumbers(
    group,
    parts.map(({ advantage, active }) => {
      let total = 0
      for (let i = 0; i < advantage.length; i++) if (active[i] !== 0) total += (advantage[i] - mean) ** 2
      return [total]
    }),
  )
  const scale = 1 / (Math.sqrt(squares / Math.max(count, 1)) + 1e-5)
  for (const { advantage, active } of parts) {
    for (let i = 0; i < advantage.length; i++) advantage[i] = active[i] === 0 ? 0 : (advantage[i] - mean) * scale
  }
}

/** The same for each agent by itself. @param parts rows [T, B, n] */
export function normaliseAdvantagesPerAgent(
  parts: readonly { readonly advantage: Float32Array; readonly active: ArrayLike<number> }[],
  agents: number,
  group: ShardGroup = alone(parts.length),
): void {
  for (let agent = 0; agent < agents; agent++) {
    const column = (rows: ArrayLike<number>) =>
      Float32Array.from({ length: rows.length / agents }, (_, k) => rows[k * agents + agent])
    const own = parts.map(({ advantage, active }) => ({ advantage: column(advantage), active: column(active) }))
    normaliseAdvantages(own, group)
    parts.forEach(({ advantage }, part) =>
      own[part].advantage.forEach((value, k) => (advantage[k * agents + agent] = value)),
    )
  }
}

/** How well the critic foresaw the returns. */
export interface Foresight {
  /** 1 − Var(target − estimate) / Var(target); 1 is perfect, 0 no better than a constant. 0 when nothing varies. */
  readonly explainedVariance: number
  /** Root mean square of target − estimate. */
  readonly error: number
}

/** Compares estimates with what came of them, over all rows of all shards. @param parts one per own shard */
export function foresight(
  parts: readonly { readonly estimate: ArrayLike<number>; readonly target: ArrayLike<number> }[],
  group: ShardGroup = alone(parts.length),
): Foresight {
  const [n, targets, errors, squares] = sumNumbers(
    group,
    parts.map(({ estimate, target }) => {
      let sum = 0
      let miss = 0
      let square = 0
      for (let i = 0; i < target.length; i++) {
        sum += target[i]
        miss += target[i] - estimate[i]
        square += (target[i] - estimate[i]) ** 2
      }
      return [target.length, sum, miss, square]
    }),
  )
  const [targetSquares, errorSquares] = sumNumbers(
    group,
    parts.map(({ estimate, target }) => {
      let ofTarget = 0
      let ofError = 0
      for (let i = 0; i < target.length; i++) {
        ofTarget += (target[i] - targets / n) ** 2
        ofError += (target[i] - estimate[i] - errors / n) ** 2
      }
      return [ofTarget, ofError]
    }),
  )
  const varies = targetSquares > 1e-12 * n
  return { explainedVariance: varies ? 1 - errorSquares / targetSquares : 0, error: Math.sqrt(squares / n) }
}
