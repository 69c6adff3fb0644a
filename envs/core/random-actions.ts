/** Uniform legal actions, for contract checks, benchmarks and baselines that need no policy. */
import { type Generator, nextBelow, nextFloat } from './random.ts'
import { type EnvBatch } from './types.ts'

/** An array of the right kind and size for `batch.step`. */
export function actionArray(batch: EnvBatch): Int32Array | Float32Array {
  const length = batch.lanes * batch.spec.agents.length * batch.spec.actionDims
  return batch.spec.actionKind === 'box' ? new Float32Array(length) : new Int32Array(length)
}

/**
 * Writes a uniform legal action for every agent of every lane; allocates nothing. Draws lane by lane, so lanes of
 * different batches do not draw alike.
 * @param out [B, N, D]
 */
export function randomActions(batch: EnvBatch, rng: Generator, out: Int32Array | Float32Array): void {
  const { spec, mask } = batch
  const N = spec.agents.length
  const D = spec.actionDims
  const { state } = rng
  for (let row = 0; row < batch.lanes * N; row++) {
    if (spec.actionKind === 'box') {
      const { action } = spec.agents[row % N]
      if (action.kind !== 'box') continue
      for (let d = 0; d < D; d++) {
        if (d >= action.dimensions.length) out[row * D + d] = 0
        else {
          const { low, high } = action.dimensions[d]
          out[row * D + d] = low + (high - low) * nextFloat(state, 0)
        }
      }
      continue
    }
    let from = row * spec.actionSize
    for (let d = 0; d < D; d++) {
      const size = spec.actionSizes[d]
      let legal = 0
      for (let a = 0; a < size; a++) legal += mask[from + a] === 0 ? 0 : 1
      let left = nextBelow(state, 0, legal)
      let choice = 0
      while (choice < size - 1 && (mask[from + choice] === 0 || left-- > 0)) choice++
      out[row * D + d] = choice
      from += size
    }
  }
}
