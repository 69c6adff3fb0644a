/**
 * Losses of many rows as one differentiable op: a number, and its slope in every row, from one pass over the rows. Written
 * in public TensorFlow.js ops the same takes some twenty kernels forth and back, which at the sizes of these networks is a
 * tenth of an update. On `simd` the pass is plain TypeScript on tensor memory (sums, products and comparisons, exact in
 * every engine; the exponential is the kernel's); elsewhere the twin runs.
 */
import * as tf from '#tensorflow'
import { currentSimd, type Cell, type SimdBackend } from './backend.ts'
import { fuse } from './fuse.ts'
import { SCRATCH } from './kernels.ts'
import { UNARY } from './opcodes.ts'
import { checkShape } from './shapes.ts'

/** What PPO's policy loss needs beside the network's word. All [M]. */
export interface PolicyRows {
  /** log π_old(a | o) of the choice when it was made. */
  readonly before: Float32Array
  readonly advantage: Float32Array
  readonly weight: Float32Array
}

export interface PolicyLossSettings {
  /** c of clip(ρ, 1 ± c). */
  readonly clip: number
  /** Weight of the entropy. */
  readonly entropy: number
  /** What sums are divided by. */
  readonly total: number
}

/** Sums over rows of weight not 0, for the log. */
export interface PolicyReadings {
  entropy: number
  /** Σ ρ − 1 − log ρ, Schulman's k3 estimate of KL(old, new), never negative. */
  divergence: number
  /** Rows whose ratio left 1 ± clip. */
  clipped: number
}

/**
 * −Σ w (min(ρ A, clip(ρ, 1 ± c) A) + c_H H) / total with ρ = exp(log π − log π_old): PPO's clipped objective (Schulman et
 * al. 2017, eq. 7) with an entropy bonus, to minimise. The slope in log π is 0 only where the clipped branch is smaller.
 * @param logProbability [M]
 * @param entropy [M]
 * @param readings added to
 */
export function clippedPolicyLoss(
  logProbability: tf.Tensor1D,
  entropy: tf.Tensor1D,
  rows: PolicyRows,
  settings: PolicyLossSettings,
  readings: PolicyReadings,
): tf.Scalar {
  const [count] = logProbability.shape
  checkShape('clippedPolicyLoss: entropy', entropy.shape, [count])
  for (const name of ['before', 'advantage', 'weight'] as const) {
    checkShape(`clippedPolicyLoss: ${name}`, [rows[name].length], [count])
  }
  const simd = currentSimd()
  return simd === null
    ? policyLossComposed(logProbability, entropy, rows, settings, readings)
    : policyLossSimd(simd, logProbability, entropy, rows, settings, readings)
}

function policyLossComposed(
  logProbability: tf.Tensor1D,
  entropy: tf.Tensor1D,
  { before, advantage, weight }: PolicyRows,
  { clip, entropy: bonus, total }: PolicyLossSettings,
  readings: PolicyReadings,
): tf.Scalar {
  const [a, w] = [tf.tensor1d(advantage), tf.tensor1d(weight)]
  const change = tf.sub(logProbability, tf.tensor1d(before))
  const ratio = tf.exp(change)
  const gain = tf.minimum(tf.mul(ratio, a), tf.mul(tf.clipByValue(ratio, 1 - clip, 1 + clip), a))
  const values = [ratio, change, entropy].map((tensor) => tensor.dataSync() as Float32Array)
  for (let i = 0; i < weight.length; i++) read(readings, weight[i], values[0][i], values[1][i], values[2][i], clip)
  return tf.neg(tf.div(tf.sum(tf.mul(tf.add(gain, tf.mul(bonus, entropy)), w)), total))
}

function read(to: PolicyReadings, weight: number, ratio: number, change: number, entropy: number, clip: number): void {
  if (weight === 0) return
  to.entropy += entropy
  to.divergence += ratio - 1 - change
  if (Math.abs(ratio - 1) > clip) to.clipped++
}

function policyLossSimd(
  backend: SimdBackend,
  logProbability: tf.Tensor1D,
  entropy: tf.Tensor1D,
  { before, advantage, weight }: PolicyRows,
  { clip, entropy: bonus, total }: PolicyLossSettings,
  readings: PolicyReadings,
): tf.Scalar {
  const count = weight.length
  const inTotal = 1 / total
  const [loss] = fuse(
    [logProbability, entropy],
    (save) => {
      const [slopes, bonuses, value] = [backend.empty([count]), backend.empty([count]), backend.empty([])]
      const ratioAt = backend.scratch(SCRATCH.work, count * 4)
      const [changeAt, bonusAt, valueAt] = [slopes, bonuses, value].map((info) => backend.at(info))
      const [playedAt, entropyAt] = [backend.at(logProbability), backend.at(entropy)]
      const { buffer } = backend.allocator.memory // everything is allocated by now, so views stay
      const ratio = new Float32Array(buffer, ratioAt, count)
      const change = new Float32Array(buffer, changeAt, count) // becomes the slope, row by row
      const bonusOf = new Float32Array(buffer, bonusAt, count)
      const played = new Float32Array(buffer, playedAt, count)
      const h = new Float32Array(buffer, entropyAt, count)
      for (let i = 0; i < count; i++) change[i] = played[i] - before[i]
      backend.kernels.unary(UNARY.Exp, changeAt, ratioAt, count, 0)
      const [low, high] = [1 - clip, 1 + clip]
      let sum = 0
      for (let i = 0; i < count; i++) {
        const [rho, w] = [ratio[i], weight[i]]
        read(readings, w, rho, change[i], h[i], clip)
        const plain = rho * advantage[i]
        const clipped = (rho < low ? low : rho > high ? high : rho) * advantage[i]
        // NaN takes the plain way, and so is seen in the loss and in its slope.
        const held = clipped < plain
        sum += w * ((held ? clipped : plain) + bonus * h[i])
        change[i] = held ? 0 : -w * plain * inTotal
        bonusOf[i] = -w * bonus * inTotal
      }
      new Float32Array(buffer, valueAt, 1)[0] = -sum * inTotal
      save([backend.tensor(slopes), backend.tensor(bonuses)])
      return [backend.tensor(value)]
    },
    ([dy], [slopes, bonuses]) => [() => tf.mul(slopes, dy), () => tf.mul(bonuses, dy)],
  )
  return loss as tf.Scalar
}

/**
 * −Σ w (A log π + c_H H) / total: the score-function (policy gradient) loss with an entropy bonus, to minimise. A has no gradient.
 * PPO's has the same slope where ρ = 1.
 * @param logProbability [M]
 * @param entropy [M]
 * @param readings added to: entropy
 */
export function scoreLoss(
  logProbability: tf.Tensor1D,
  entropy: tf.Tensor1D,
  { advantage, weight }: Pick<PolicyRows, 'advantage' | 'weight'>,
  { entropy: bonus, total }: Pick<PolicyLossSettings, 'entropy' | 'total'>,
  readings: Pick<PolicyReadings, 'entropy'>,
): tf.Scalar {
  const [count] = logProbability.shape
  checkShape('scoreLoss: entropy', entropy.shape, [count])
  checkShape('scoreLoss: advantage', [advantage.length], [count])
  checkShape('scoreLoss: weight', [weight.length], [count])
  const backend = currentSimd()
  if (backend === null) {
    const [a, w] = [tf.tensor1d(advantage), tf.tensor1d(weight)]
    const uncertain = entropy.dataSync() as Float32Array
    for (let i = 0; i < count; i++) if (weight[i] !== 0) readings.entropy += uncertain[i]
    const gain = tf.mul(logProbability, a)
    return tf.neg(tf.div(tf.sum(tf.mul(tf.add(gain, tf.mul(bonus, entropy)), w)), total))
  }
  const inTotal = 1 / total
  const [loss] = fuse(
    [logProbability, entropy],
    (save) => {
      const [slopes, bonuses, value] = [backend.empty([count]), backend.empty([count]), backend.empty([])]
      const [slope, bonusOf, said, h] = [
        backend.at(slopes),
        backend.at(bonuses),
        backend.at(logProbability),
        backend.at(entropy),
      ].map((at) => new Float32Array(backend.allocator.memory.buffer, at, count))
      let sum = 0
      for (let i = 0; i < count; i++) {
        const w = weight[i]
        if (w !== 0) readings.entropy += h[i]
        sum += w * (said[i] * advantage[i] + bonus * h[i])
        slope[i] = -w * advantage[i] * inTotal
        bonusOf[i] = -w * bonus * inTotal
      }
      ;(backend.view(value.dataId as Cell) as Float32Array)[0] = -sum * inTotal
      save([backend.tensor(slopes), backend.tensor(bonuses)])
      return [backend.tensor(value)]
    },
    ([dy], [slopes, bonuses]) => [() => tf.mul(slopes, dy), () => tf.mul(bonuses, dy)],
  )
  return loss as tf.Scalar
}

/** What a value loss needs beside the critic's word, all [M] in the critic's units. */
export interface ValueRows {
  /** The critic's word when the rollout was made. */
  readonly before: Float32Array
  readonly target: Float32Array
  readonly weight: Float32Array
}

export interface ValueLossSettings {
  /** The critic may move by this much from `before`; null = no clip. */
  readonly clip: number | null
  /** Errors beyond this count linearly (Huber); null = squared error. */
  readonly delta: number | null
  /** What the sum is divided by. */
  readonly total: number
}

/**
 * Σ w max(L(V − R), L(V_old + clip(V − V_old, ± c) − R)) / total, L(e) = e² / 2 up to δ and straight beyond: the larger of
 * the plain error and that of the clipped estimate.
 * @param value [M]
 */
export function clippedValueLoss(value: tf.Tensor1D, rows: ValueRows, settings: ValueLossSettings): tf.Scalar {
  for (const name of ['before', 'target', 'weight'] as const) {
    checkShape(`clippedValueLoss: ${name}`, [rows[name].length], value.shape)
  }
  const simd = currentSimd()
  return simd === null ? valueLossComposed(value, rows, settings) : valueLossSimd(simd, value, rows, settings)
}

function huberComposed(error: tf.Tensor, delta: number | null): tf.Tensor {
  if (delta === null) return tf.mul(0.5, tf.square(error))
  const size = tf.abs(error)
  const inner = tf.minimum(size, delta)
  return tf.add(tf.mul(0.5, tf.square(inner)), tf.mul(delta, tf.sub(size, inner)))
}

function valueLossComposed(
  value: tf.Tensor1D,
  { before, target, weight }: ValueRows,
  { clip, delta, total }: ValueLossSettings,
): tf.Scalar {
  const [old, wanted, w] = [tf.tensor1d(before), tf.tensor1d(target), tf.tensor1d(weight)]
  let error = huberComposed(tf.sub(value, wanted), delta)
  if (clip !== null) {
    const near = tf.add(old, tf.clipByValue(tf.sub(value, old), -clip, clip))
    error = tf.maximum(error, huberComposed(tf.sub(near, wanted), delta))
  }
  return tf.div(tf.sum(tf.mul(error, w)), total)
}

function valueLossSimd(
  backend: SimdBackend,
  value: tf.Tensor1D,
  { before, target, weight }: ValueRows,
  { clip, delta, total }: ValueLossSettings,
): tf.Scalar {
  const count = weight.length
  const [far, near, inTotal] = [delta ?? Infinity, clip ?? Infinity, 1 / total]
  const huber = (e: number): number => {
    const size = Math.abs(e)
    return size <= far ? 0.5 * e * e : 0.5 * far * far + far * (size - far)
  }
  const slope = (e: number): number => (e > far ? far : e < -far ? -far : e)
  const [loss] = fuse(
    [value],
    (save) => {
      const [slopes, result] = [backend.empty([count]), backend.empty([])]
      const from = backend.at(value)
      const to = backend.view(slopes.dataId as Cell) as Float32Array
      const v = new Float32Array(backend.allocator.memory.buffer, from, count)
      let sum = 0
      for (let i = 0; i < count; i++) {
        const plain = v[i] - target[i]
        const moved = v[i] - before[i]
        const close = moved > near ? near : moved < -near ? -near : moved
        const held = before[i] + close - target[i]
        const [free, tied] = [huber(plain), clip === null ? -1 : huber(held)]
        sum += weight[i] * (free < tied ? tied : free)
        // Where the clip holds the estimate back it does not move with V.
        to[i] = weight[i] * inTotal * (free < tied ? (close === moved ? slope(held) : 0) : slope(plain))
      }
      ;(backend.view(result.dataId as Cell) as Float32Array)[0] = sum * inTotal
      save([backend.tensor(slopes)])
      return [backend.tensor(result)]
    },
    ([dy], [slopes]) => [() => tf.mul(slopes, dy)],
  )
  return loss as tf.Scalar
}
