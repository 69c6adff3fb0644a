/**
 * Masked choices: discrete, or one choice per dimension (multi-discrete). Rows are [A] wide with the dimensions side by
 * side, exactly as environments lay out their masks.
 */
import { TroupeError, type EnvSpec } from '../../envs/core/index.ts'
import { logSoftmax, maskedCategorical, type Choice } from '../kernels/index.ts'
import { tf } from './tensors.ts'

/**
 * Stands on the logits of illegal choices. Not −infinity: 0 × infinity is NaN in the entropy. After the softmax an
 * illegal choice has probability exactly 0, and its logit gradient exactly 0.
 */
export const ILLEGAL = -1e9

/** @throws TroupeError when the actions are real numbers: before training, not in the middle of it */
export function requireChoices(spec: EnvSpec, who: string): void {
  if (spec.actionKind !== 'box') return
  throw new TroupeError('bad-option', {
    where: `${who}: actions of ${spec.env}`,
    got: `box with ${spec.actionDims} dimensions`,
    expected: 'discrete or multi-discrete actions; open the environment with discrete actions where it offers them',
  })
}

/** 0 where legal, `ILLEGAL` where not: what is added to the logits. */
export function penalties(mask: Uint8Array, out: Float32Array, from = 0, length = out.length): void {
  for (let i = 0; i < length; i++) out[i] = mask[from + i] === 0 ? ILLEGAL : 0
}

/**
 * Log-probabilities of every choice, each dimension normalised by itself.
 * @param logits [rows, A]
 * @param penalty [rows, A] 0 or ILLEGAL
 * @param sizes [D] choices per dimension, summing to A
 */
export function logProbabilities(logits: tf.Tensor2D, penalty: tf.Tensor2D, sizes: readonly number[]): tf.Tensor2D {
  const masked = tf.add(logits, penalty) as tf.Tensor2D
  if (sizes.length === 1) return logSoftmax(masked) as tf.Tensor2D
  return tf.concat(
    tf.split(masked, [...sizes], 1).map((part) => logSoftmax(part)),
    1,
  ) as tf.Tensor2D
}

/**
 * What a policy says about choices that were made, for losses. Over dimensions both are sums.
 * @param logits [rows, A]
 * @param mask [rows, A] 1 where legal; gradients reach only these
 * @param action [rows, D]
 * @returns log-probability of the joint choice and entropy in nats, [rows] each
 */
export function judgeChoices(
  logits: tf.Tensor2D,
  mask: Uint8Array,
  action: Int32Array,
  sizes: readonly number[],
): { logProbability: tf.Tensor1D; entropy: tf.Tensor1D } {
  const [rows, A] = logits.shape
  const D = sizes.length
  if (D === 1) return maskedCategorical(logits, tf.tensor2d(mask, [rows, A], 'bool'), tf.tensor1d(action, 'int32'))
  let from = 0
  const parts = sizes.map((size, d) => {
    const allowed = new Uint8Array(rows * size)
    const taken = new Int32Array(rows)
    for (let row = 0; row < rows; row++) {
      taken[row] = action[row * D + d]
      for (let a = 0; a < size; a++) allowed[row * size + a] = mask[row * A + from + a]
    }
    const part = tf.slice(logits, [0, from], [rows, size])
    from += size
    return maskedCategorical(part, tf.tensor2d(allowed, [rows, size], 'bool'), tf.tensor1d(taken, 'int32'))
  })
  return {
    logProbability: tf.addN(parts.map((part) => part.logProbability)),
    entropy: tf.addN(parts.map((part) => part.entropy)),
  }
}

/**
 * The choice in a dimension that a number from a generator stands for; one of probability 0 is never taken.
 * @param probability float32 probabilities, `size` of them from `from`
 * @param uniform in [0, 1)
 */
export function sampleChoice(probability: Float32Array, from: number, size: number, uniform: number): number {
  let total = 0
  for (let a = 0; a < size; a++) total += probability[from + a]
  const point = uniform * total
  let sum = 0
  for (let a = 0; a < size; a++) {
    sum += probability[from + a] // the same sums as above, so the last of them is the total, which is above the point
    if (point < sum) return a
  }
  throw new TroupeError('diverged', {
    where: 'sampling: probabilities',
    got: String(total),
    expected: 'numbers that sum to 1',
  })
}

/** The likeliest legal choice of a dimension; the lowest of equals. */
export function greedyChoice(probability: Float32Array, mask: Uint8Array, from: number, size: number): number {
  let best = -1
  for (let a = 0; a < size; a++) {
    if (mask[from + a] !== 0 && (best < 0 || probability[from + a] > probability[from + best])) best = a
  }
  return best
}

/**
 * Chooses in every row, as the sampling kernel does it on `simd`.
 * @param logits [rows, A]
 * @param sizes [D] choices per dimension, summing to A
 * @param choice what is allowed, the uniforms to draw with (left out = the likeliest), and where to write
 */
export function chooseRows(logits: tf.Tensor2D, sizes: readonly number[], choice: Choice): void {
  const [rows, A] = logits.shape
  const D = sizes.length
  const mask = choice.mask ?? new Uint8Array(rows * A).fill(1)
  const penalty = new Float32Array(rows * A)
  penalties(mask, penalty)
  const logs = logProbabilities(logits, tf.tensor2d(penalty, [rows, A]), sizes)
  const logProbability = logs.dataSync() as Float32Array
  const probability = tf.exp(logs).dataSync() as Float32Array
  for (let row = 0; row < rows; row++) {
    let at = row * A
    let total = 0
    for (let d = 0; d < D; d++) {
      const taken =
        choice.uniform === undefined
          ? greedyChoice(probability, mask, at, sizes[d])
          : sampleChoice(probability, at, sizes[d], choice.uniform[row * D + d])
      choice.action[row * D + d] = taken
      total += logProbability[at + taken]
      at += sizes[d]
    }
    if (choice.logProbability !== undefined) choice.logProbability[row] = total
  }
  choice.probability?.set(probability)
}
