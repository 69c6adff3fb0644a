/** What the tests of this folder share: batches played by hand, and the known values. */
import { createBatch, episodeSeed, Generator, namedSeed, type DigestibleBatch } from '../core/index.ts'
import { spectrum } from './index.ts'
import { type SpectrumState } from './state.ts'

/** One lane, reset, whose outputs hold rubbish before every step. */
export function world(options: object, lanes = 1): DigestibleBatch {
  const batch = createBatch(spectrum, options, { lanes, autoreset: 'disabled' })
  batch.reset(Array.from({ length: lanes }, (_, lane) => episodeSeed('spectrum', 'eval', lane, 0)))
  return batch
}

/** One slot of one lane; gives the rewards. */
export function slot(batch: DigestibleBatch, ...action: number[]): number[] {
  batch.reward.fill(NaN)
  batch.observation.fill(NaN)
  batch.state.fill(NaN)
  batch.step(Int32Array.from(action))
  return [...batch.reward]
}

export const stateOf = (batch: DigestibleBatch): SpectrumState => batch.world as SpectrumState

/** Uniform legal actions for whole episodes. */
export function playRandomly(batch: DigestibleBatch, watch?: () => void): void {
  const { actionSize: A } = batch.spec
  const N = batch.spec.agents.length
  const rng = new Generator(namedSeed('spectrum', 'random'))
  const action = new Int32Array(batch.lanes * N)
  while (batch.truncated[0] === 0) {
    for (let i = 0; i < action.length; i++) {
      do action[i] = rng.below(A)
      while (batch.mask[i * A + action[i]] === 0)
    }
    batch.step(action)
    watch?.()
  }
}
