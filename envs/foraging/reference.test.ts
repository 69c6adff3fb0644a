import { describe, expect, test } from 'vitest'
import { recordings } from '../../testing.ts'
import { createBatch, envSpec, type EnvBatch } from '../core/index.ts'
import { foraging } from './index.ts'
import {
  fromReference,
  optionsFromName,
  referenceOptions,
  toReference,
  type ReferenceConfig,
  type ReferenceState,
} from './reference.ts'

interface Transition {
  readonly env: string
  readonly episode: string
  readonly before: ReferenceState
  readonly after: ReferenceState
  readonly valid_actions: readonly (readonly number[])[]
  readonly actions: readonly number[]
  readonly rewards: readonly number[]
  readonly terminated: boolean
  readonly truncated: boolean
  readonly obs: readonly unknown[]
}

interface Recorded {
  readonly configs: Record<string, ReferenceConfig>
  readonly records: readonly Transition[]
}

/** Opens each configuration once. */
function opener(recording: Recorded, more: Record<string, unknown>) {
  const batches = new Map<string, EnvBatch>()
  return (env: string): EnvBatch => {
    let batch = batches.get(env)
    if (batch === undefined) {
      const options = { ...referenceOptions(recording.configs[env]), ...more }
      batch = createBatch(foraging, options, { autoreset: 'disabled' })
      batch.reset()
      batches.set(env, batch)
    }
    return batch
  }
}

function compare(batch: EnvBatch, record: Transition): void {
  expect(toReference(batch, 0)).toEqual(record.after)
  // Recorded in float64; ours is the nearest float32.
  expect([...batch.reward]).toEqual(record.rewards.map(Math.fround))
  expect(batch.terminated[0]).toBe(record.terminated ? 1 : 0)
  expect(batch.truncated[0]).toBe(record.truncated ? 1 : 0)
  const width = batch.spec.observationSize
  record.obs.forEach((seen, n) => {
    const recorded = (seen as number[][][] | number[]).flat(2)
    expect([n, ...batch.observation.subarray(n * width, (n + 1) * width)]).toEqual([n, ...recorded])
  })
}

describe('recorded transitions of lbforaging 2.0', () => {
  const files = recordings<Recorded>('lbf_')
  if (files.length === 0) test.skip('are not at hand')
  for (const { name, read } of files) {
    const recording = read()
    const batchOf = opener(recording, {})
    const maskedOf = opener(recording, { actionMask: true })

    test(`${name} is reproduced exactly`, () => {
      for (const record of recording.records) {
        const batch = batchOf(record.env)
        const snapshot = fromReference(record.before, batch)
        batch.load(0, snapshot)
        expect(toReference(batch, 0)).toEqual(record.before)
        batch.step(Int32Array.from(record.actions))
        try {
          compare(batch, record)
        } catch (error) {
          throw new Error(`${record.episode}: ${(error as Error).message}`, { cause: error })
        }
      }
      expect(recording.records.length).toBeGreaterThan(0)
    })

    test(`${name}: the mask holds the recorded valid actions`, () => {
      for (const record of recording.records) {
        const batch = maskedOf(record.env)
        batch.load(0, fromReference(record.before, batch))
        const valid = record.actions.map((_, n) => [0, 1, 2, 3, 4, 5].filter((a) => batch.mask[n * 6 + a] === 1))
        expect(valid, record.episode).toEqual(record.valid_actions)
      }
    })

    test(`${name}: ids of the original open the recorded configurations`, () => {
      for (const [id, config] of Object.entries(recording.configs)) {
        if (!id.startsWith('Foraging')) continue
        const named = envSpec(foraging, optionsFromName(id))
        const recorded = envSpec(foraging, referenceOptions(config))
        expect(named.world, id).toEqual(recorded.world)
      }
    })
  }
})
