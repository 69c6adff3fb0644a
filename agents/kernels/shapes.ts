/** The arguments of the fused ops, and the checks at their door. */
import type * as tf from '#tensorflow'
import { TroupeError } from '../../envs/core/index.ts'

export type Activation = 'none' | 'relu' | 'tanh'

/** One GRU layer over a sequence. Gates lie in torch's order r, z, n along the 3H axis; weights are torch's transposed. */
export interface GruInputs {
  readonly input: tf.Tensor3D // [T, B, I]
  readonly hidden: tf.Tensor2D // [B, H] before the first step
  /** [T, B], non-zero where the lane forgets before step t (the first observation of an episode); null = never. */
  readonly reset: tf.Tensor2D | null
  readonly inputWeight: tf.Tensor2D // [I, 3H]
  readonly recurrentWeight: tf.Tensor2D // [H, 3H]
  readonly inputBias: tf.Tensor1D // [3H]
  readonly recurrentBias: tf.Tensor1D // [3H]
}

/** Throws unless `shape` is what the op needs; `expected` holds numbers, or −1 for any size. */
export function checkShape(where: string, shape: readonly number[], expected: readonly number[]): void {
  const fits = shape.length === expected.length && expected.every((size, i) => size === -1 || size === shape[i])
  if (!fits) {
    const wanted = expected.map((size) => (size === -1 ? 'any' : String(size))).join(', ')
    throw new TroupeError('bad-usage', { where, got: `of shape [${shape.join(', ')}]`, expected: `[${wanted}]` })
  }
}
