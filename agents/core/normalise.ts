/** Running statistics of returns, and the normalisation of advantages. */

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
    if (count === 0) return
    let sum = 0
    let squares = 0
    for (let k = 0; k < count; k++) {
      const value = values[index === undefined ? k : index[k]]
      sum += value
      squares += value * value
    }
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

  /** Normalised units to reward units, in place. */
  denormaliseAll(values: Float32Array | Float64Array): void {
    const { mean, deviation } = this
    for (let i = 0; i < values.length; i++) values[i] = values[i] * deviation + mean
  }
}

/**
 * (A − mean) / (std + 1e-5) over the active rows only, once for the whole batch (MAPPO); others become zero.
 * @param active 1 where the agent lived, [rows]
 */
export function normaliseAdvantages(advantage: Float32Array, active: ArrayLike<number>): void {
  let count = 0
  let sum = 0
  for (let i = 0; i < advantage.length; i++) {
    if (active[i] === 0) continue
    count++
    sum += advantage[i]
  }
  const mean = sum / Math.max(count, 1)
  let squares = 0
  for (let i = 0; i < advantage.length; i++) if (active[i] !== 0) squares += (advantage[i] - mean) ** 2
  const scale = 1 / (Math.sqrt(squares / Math.max(count, 1)) + 1e-5)
  for (let i = 0; i < advantage.length; i++) advantage[i] = active[i] === 0 ? 0 : (advantage[i] - mean) * scale
}

/** 1 − Var(target − estimate) / Var(target); 1 is perfect, 0 no better than a constant. NaN-free: 0 when nothing varies. */
export function explainedVariance(estimate: ArrayLike<number>, target: ArrayLike<number>): number {
  const n = target.length
  let meanTarget = 0
  let meanError = 0
  for (let i = 0; i < n; i++) {
    meanTarget += target[i] / n
    meanError += (target[i] - estimate[i]) / n
  }
  let targetSquares = 0
  let errorSquares = 0
  for (let i = 0; i < n; i++) {
    targetSquares += (target[i] - meanTarget) ** 2
    errorSquares += (target[i] - estimate[i] - meanError) ** 2
  }
  return targetSquares <= 1e-12 * n ? 0 : 1 - errorSquares / targetSquares
}
