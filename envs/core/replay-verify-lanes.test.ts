import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { ENVS } from '../index.ts'
import { createBatch } from './batch.ts'
import { episodeSeed } from './seeds.ts'
import { Generator } from './random.ts'
import { ReplayRecorder, readReplay, verifyReplay, verifyReplays, writeReplay, type Replay } from './replay.ts'
import { namedSeed } from './seeds.ts'

/** Random legal play of one world, one replay per seed, read from its bytes. */
function played(env: string, options: Record<string, unknown>, count: number): Replay[] {
  return Array.from({ length: count }, (_, k) => {
    const batch = createBatch(ENVS[env], options, { lanes: 1, autoreset: 'disabled' })
    batch.reset([episodeSeed('lanes', 'eval', 0, k)])
    const header = { scenario: { id: 'x', env, options }, policies: [{ name: 'random' }], package: '0' }
    const recorder = new ReplayRecorder(batch, 0, header)
    const { spec, mask } = batch
    const A = spec.actionSize
    const rng = new Generator(namedSeed('lanes', `episode ${k}`))
    const action = new Int32Array(spec.agents.length * spec.actionDims)
    while (batch.terminated[0] === 0 && batch.truncated[0] === 0) {
      for (let n = 0; n < action.length; n++) {
        do action[n] = rng.below(A)
        while (mask[n * A + action[n]] === 0)
      }
      batch.step(action)
      recorder.record(action)
    }
    return readReplay(recorder.finish('sum'))
  })
}

const warehouse = played('warehouse', { size: 'tiny', robots: 2, horizon: 70 }, 5)
// Battles end when one side is gone: episodes of different lengths.
const skirmish = played('skirmish', {}, 5)

describe('replays verified side by side', () => {
  test.each([
    ['of one length', 'warehouse', warehouse],
    ['of different lengths', 'skirmish', skirmish],
  ] as const)('%s are genuine with every number of lanes', (_, env, replays) => {
    for (const lanes of [1, 2, 3, 32]) {
      const verdicts = verifyReplays(replays, ENVS[env], lanes)
      expect(verdicts).toEqual(replays.map((replay) => verifyReplay(replay, ENVS[env])))
      expect(verdicts.every((verdict) => verdict.ok)).toBe(true)
    }
  })

  test('that were tampered with get the verdict they get alone, and spoil nobody else', () => {
    const change = fc.record({
      which: fc.nat(4),
      field: fc.constantFrom('action', 'digest', 'chain', 'return', 'digestOfResult', 'seed', 'illegal', 'cut'),
      step: fc.nat(69),
    })
    fc.assert(
      fc.property(change, ({ which, field, step }) => {
        const replays = warehouse.map((replay, k) => (k === which ? tampered(replay, field, step) : replay))
        const verdicts = verifyReplays(replays, ENVS.warehouse, 5)
        expect(verdicts).toEqual(replays.map((replay) => verifyReplay(replay, ENVS.warehouse)))
        expect(verdicts.filter((verdict) => !verdict.ok || !verdict.complete)).toHaveLength(1)
      }),
      { numRuns: 40 },
    )
  })

  test('of several worlds are grouped by world', () => {
    const other = played('warehouse', { size: 'tiny', robots: 2, horizon: 30 }, 2)
    const verdicts = verifyReplays([warehouse[0], other[0], warehouse[1], other[1]], ENVS.warehouse)
    expect(verdicts.map((verdict) => verdict.ok && verdict.steps)).toEqual([70, 30, 70, 30])
  })
})

function tampered(replay: Replay, field: string, step: number): Replay {
  const { header } = replay
  const result = header.result!
  switch (field) {
    case 'action':
    case 'illegal': {
      const actions = replay.actions.slice()
      // rware's actions are always legal, so an illegal one is one that does not exist.
      actions[2 * step] = field === 'illegal' ? 5 : (actions[2 * step] + 1) % 5
      return { ...replay, actions }
    }
    case 'digest': {
      const digests = replay.digests.slice()
      digests[step] ^= 1
      return { ...replay, digests }
    }
    case 'chain':
      return { ...replay, chain: replay.chain.map((entry, k) => (k === step % 2 ? '0'.repeat(64) : entry)) }
    case 'return':
      return { ...replay, header: { ...header, result: { ...result, return: result.return + 1 } } }
    case 'seed':
      return { ...replay, header: { ...header, seed: episodeSeed('lanes', 'eval', 1, step) } }
    case 'cut': {
      // An honest recording of the first steps only: genuine, but not a whole episode.
      const steps = Math.max(1, step)
      const part = readReplay(writeReplay(cutOff(replay, steps)))
      return part
    }
    default:
      return { ...replay, header: { ...header, result: { ...result, digest: 'f'.repeat(32) } } }
  }
}

function cutOff(replay: Replay, steps: number): Replay {
  const { header } = replay
  const batch = createBatch(ENVS[header.env], header.options, { lanes: 1, autoreset: 'disabled' })
  batch.reset([header.seed])
  const { scenario, policies, package: made } = header
  const recorder = new ReplayRecorder(batch, 0, { scenario, policies, package: made })
  for (let t = 0; t < steps; t++) {
    const row = replay.actions.slice(2 * t, 2 * t + 2) as Int32Array
    batch.step(row)
    recorder.record(row)
  }
  return recorder.replay('sum')
}
