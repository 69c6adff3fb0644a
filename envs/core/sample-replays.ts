/** Recorded episodes of the sample world, for the core's own tests. */
import { createBatch } from './batch.ts'
import { Generator } from './random.ts'
import { actionArray, randomActions } from './random-actions.ts'
import { ReplayRecorder, type RecordingHeader, type RecordingOptions } from './replay.ts'
import { lanterns } from './sample.ts'
import { episodeSeed, namedSeed } from './seeds.ts'
import { type BatchSettings, type EnvDefinition } from './types.ts'

export const SAMPLE_HEADER: RecordingHeader = {
  scenario: { id: 'lanterns/test', env: 'lanterns', version: '1', teamReward: 'sum' },
  policies: [{ name: 'random' }],
  package: '0.1.0',
}

/** A corridor so long that episodes last until the horizon. */
export const LONG = { cells: 300, gustOneIn: 500, horizon: 200 }

/** Plays random actions from episode `1, eval, 0, 0` on and records them. */
export function recordSample(
  options: object = LONG,
  recording: RecordingOptions & {
    steps?: number
    header?: Partial<RecordingHeader>
    control?: BatchSettings['control']
  } = {},
  definition: EnvDefinition = lanterns,
): ReplayRecorder {
  const { steps = Infinity, header = {}, control = 'all', ...rest } = recording
  const batch = createBatch(definition, options, {
    autoreset: 'disabled',
    control,
    seeds: (lane, episode) => episodeSeed('1', 'eval', lane, episode),
  })
  batch.reset()
  const recorder = new ReplayRecorder(batch, 0, { ...SAMPLE_HEADER, ...header }, rest)
  const rng = new Generator(namedSeed(3, 'sample'))
  const action = actionArray(batch)
  const probability = new Float32Array(batch.mask.length)
  const value = new Float32Array(batch.spec.agents.length)
  while (batch.terminated[0] + batch.truncated[0] === 0 && recorder.steps < steps) {
    randomActions(batch, rng, action)
    for (let i = 0; i < probability.length; i++) probability[i] = rng.float()
    for (let i = 0; i < value.length; i++) value[i] = rng.float() - 0.5
    batch.step(action)
    recorder.record(action, 0, { probability, value })
  }
  return recorder
}
