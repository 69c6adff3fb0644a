/**
 * Gaussian choices of real-valued actions, each dimension by itself, with a deviation that no input changes (one learned
 * number per dimension, as in marlbenchmark/on-policy and PKU-MARL/HARL). A network speaks in half-ranges: −1 is the lowest
 * allowed value of a dimension, 1 the highest. What is drawn outside is played at the bound and learned from as it was
 * drawn, so that probabilities stay those of a Gaussian.
 */
import { TroupeError, type EnvSpec } from '../../envs/core/index.ts'
import { tf } from './tensors.ts'

/** ln(2 π) / 2 */
export const HALF_LOG_TAU = 0.9189385332046727

/** Bounds of every agent's actions, padded to the widest. */
export interface Boxes {
  readonly dims: number // D
  readonly middle: Float32Array // [N, D]
  readonly half: Float32Array // [N, D] half of the range
  readonly low: Float32Array // [N, D] the least float32 inside
  readonly high: Float32Array // [N, D] the greatest
  /** [N, D] 1 where the agent has that dimension; others are played as 0 and count nowhere. */
  readonly used: Uint8Array
  /** Every agent has every dimension. */
  readonly full: boolean
}

/** @throws TroupeError when a range is not finite, or actions are choices */
export function boxesOf(spec: EnvSpec, who: string): Boxes {
  const { agents, actionDims: D } = spec
  const column = () => new Float32Array(agents.length * D)
  const [middle, half, lowest, highest] = [column(), column(), column(), column()]
  const used = new Uint8Array(agents.length * D)
  agents.forEach(({ id, action }, n) => {
    if (action.kind !== 'box') {
      throw new TroupeError('bad-usage', { where: `${who}: action of ${id}`, got: action.kind, expected: 'box' })
    }
    action.dimensions.forEach(({ name, low, high }, d) => {
      if (!(high - low > 0) || !Number.isFinite(high - low)) {
        throw new TroupeError('bad-option', {
          where: `${who}: action ${name} of ${id}`,
          got: `${low} to ${high}`,
          expected: 'a finite range',
        })
      }
      middle[n * D + d] = (low + high) / 2
      half[n * D + d] = (high - low) / 2
      lowest[n * D + d] = inward(low, 1)
      highest[n * D + d] = inward(high, -1)
      used[n * D + d] = 1
    })
  })
  return { dims: D, middle, half, low: lowest, high: highest, used, full: used.every((one) => one === 1) }
}

/** [n, D] 1 where an agent has a real-valued dimension; null where all have all. @param agents ids */
export function usedDimensions(spec: EnvSpec, agents: readonly string[]): Uint8Array | null {
  const { used, dims: D } = boxesOf(spec, spec.env)
  const out = new Uint8Array(agents.length * D).fill(1)
  agents.forEach((id, slot) => {
    const seat = spec.agents.findIndex((agent) => agent.id === id)
    if (seat >= 0) out.set(used.subarray(seat * D, (seat + 1) * D), slot * D)
  })
  return out.every((one) => one === 1) ? null : out
}

/** The nearest float32 that is not beyond a bound. @param towards 1 inside is above, −1 below */
function inward(bound: number, towards: 1 | -1): number {
  let near = Math.fround(bound)
  for (let step = 2 ** -24 * Math.abs(near); (near - bound) * towards < 0; step *= 2)
    near = Math.fround(near + towards * step)
  return near
}

/**
 * What is played for numbers in half-ranges, cut to the bounds.
 * @param drawn [rows, D]
 * @param agents [n] number of each row's agent, again and again
 * @param out [rows, D] overwritten
 */
export function playNumbers(boxes: Boxes, drawn: Float32Array, agents: Int32Array, out: Float32Array): void {
  const { dims: D, middle, half, low, high, used } = boxes
  for (let i = 0; i < out.length; i++) {
    const at = agents[Math.floor(i / D) % agents.length] * D + (i % D)
    const value = middle[at] + half[at] * drawn[i]
    out[i] = used[at] === 0 ? 0 : value < low[at] ? low[at] : value > high[at] ? high[at] : value
  }
}

/**
 * log N(x; mean, e^s) and entropy in nats, summed over the dimensions that count, in half-ranges.
 * @param mean [rows, D]
 * @param logDeviation [D]
 * @param drawn [rows, D] what was drawn, before it was cut
 * @param used [rows, D] 1 where the dimension counts; null = everywhere
 */
export function judgeNumbers(
  mean: tf.Tensor2D,
  logDeviation: tf.Tensor1D,
  drawn: Float32Array,
  used: Uint8Array | null,
): { logProbability: tf.Tensor1D; entropy: tf.Tensor1D } {
  const [rows, D] = mean.shape
  const off = tf.mul(tf.sub(tf.tensor2d(drawn, [rows, D]), mean), tf.exp(tf.neg(logDeviation)))
  const logs = tf.sub(tf.mul(-0.5, tf.square(off)), tf.add(logDeviation, HALF_LOG_TAU))
  const spread = tf.add(tf.add(logDeviation, HALF_LOG_TAU + 0.5), tf.zeros([rows, D]))
  const counted = (values: tf.Tensor) =>
    tf.sum(used === null ? values : tf.mul(values, tf.tensor2d(Float32Array.from(used), [rows, D])), 1) as tf.Tensor1D
  return { logProbability: counted(logs), entropy: counted(spread) }
}
