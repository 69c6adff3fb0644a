import { describe, expect, it } from 'vitest'
import { createBatch } from './batch.ts'
import { Generator, nextBelow } from './random.ts'
import { lanterns } from './sample.ts'
import { episodeSeed, namedSeed } from './seeds.ts'
import { type EnvBatch, type EnvDefinition } from './types.ts'
import {
  ReplayReader,
  ReplayRecorder,
  Resimulation,
  indexReplay,
  readReplay,
  readReplayHeader,
  verifyReplay,
  writeReplay,
} from './replay.ts'
import { type RecordingOptions } from './replay.ts'

/** Uniform legal actions of all lanes. */
export function randomActions(batch: EnvBatch, rng: Generator): Int32Array | Float32Array {
  const { spec } = batch
  const N = spec.agents.length
  const D = spec.actionDims
  if (spec.actionKind === 'box') {
    return Float32Array.from({ length: batch.lanes * N * D }, (_, i) => {
      const { dimensions } = spec.agents[Math.floor(i / D) % N].action as {
        dimensions: { low: number; high: number }[]
      }
      const { low, high } = dimensions[i % D]
      return low + (high - low) * rng.float()
    })
  }
  const out = new Int32Array(batch.lanes * N * D)
  for (let i = 0; i < batch.lanes * N; i++) {
    let from = i * spec.actionSize
    for (let d = 0; d < D; d++) {
      const legal: number[] = []
      for (let a = 0; a < spec.actionSizes[d]; a++) if (batch.mask[from + a] === 1) legal.push(a)
      out[i * D + d] = legal[nextBelow(rng.state, 0, legal.length)]
      from += spec.actionSizes[d]
    }
  }
  return out
}

const HEADER = {
  scenario: { id: 'lanterns/test', teamReward: 'sum' },
  policies: [{ name: 'random' }],
  package: '0.1.0',
}

function record(
  options: object,
  recording: RecordingOptions & { steps?: number; plugin?: boolean } = {},
  definition: EnvDefinition = lanterns,
) {
  const { steps = 1e9, plugin = false, ...rest } = recording
  const batch = createBatch(definition, options, {
    autoreset: 'disabled',
    seeds: (lane, episode) => episodeSeed('1', 'eval', lane, episode),
  })
  batch.reset()
  const header = plugin ? { ...HEADER, plugin: { name: './lanterns.js', sha256: 'ab'.repeat(32) } } : HEADER
  const recorder = new ReplayRecorder(batch, 0, header, rest)
  const rng = new Generator(namedSeed(3, 'test'))
  while (batch.terminated[0] + batch.truncated[0] === 0 && recorder.steps < steps) {
    const action = randomActions(batch, rng)
    batch.step(action)
    recorder.record(action, 0, {
      probability: new Float32Array(batch.mask.length).fill(0.25),
      value: new Float32Array(batch.spec.agents.length).fill(-0.5),
    })
  }
  return recorder
}

describe('replays', () => {
  for (const actions of ['discrete', 'multi-discrete', 'box']) {
    it(`of ${actions} actions come back from the file as they were and verify`, () => {
      const recorder = record(
        { actions, gustOneIn: 500, cells: 300, horizon: 200 },
        { keyframeEvery: 50, channels: true },
      )
      const replay = recorder.replay('sum')
      expect(replay.steps).toBe(200)
      const bytes = writeReplay(replay)
      const again = readReplay(bytes)
      expect(again).toEqual(JSON.parse(JSON.stringify(replay.header)) && replay)
      expect(writeReplay(again)).toEqual(bytes)
      expect(verifyReplay(again, lanterns)).toEqual({ ok: true, steps: 200, complete: true })
    })
  }

  it('hold 500 steps of 10 agents with 6 random actions each in less than 4 kB', () => {
    const six: EnvDefinition = {
      ...lanterns,
      spec: (o) => {
        const spec = lanterns.spec(o as never)
        const names = ['stay', 'left', 'right', 'a', 'b', 'c']
        return { ...spec, agents: spec.agents.map((agent) => ({ ...agent, action: { kind: 'discrete', names } })) }
      },
      create: (o, port) => {
        const rules = lanterns.create(o as never, port)
        return Object.assign(Object.create(rules), { legal: undefined })
      },
    }
    const recorder = record({ agents: 10, cells: 10_000, gustOneIn: 0, horizon: 500 }, {}, six)
    const bytes = recorder.finish('sum')
    const replay = readReplay(bytes)
    expect(replay.steps).toBe(500)
    expect(new Set(replay.actions).size).toBe(6)
    console.log(`500 steps x 10 agents x 6 random actions: ${bytes.length} bytes`)
    expect(bytes.length).toBeLessThan(4000)
  })

  it('can be read byte by byte, header first', () => {
    const bytes = record({ cells: 300, gustOneIn: 500, horizon: 100 }, { frames: true }).finish('sum')
    const reader = new ReplayReader()
    let header = -1
    bytes.forEach((_, i) => {
      reader.push(bytes.subarray(i, i + 1))
      if (header < 0 && reader.header !== null) header = i + 1
    })
    expect(header).toBe(indexReplay(bytes).headerBytes)
    expect({ ...readReplay(bytes) }).toMatchObject({ steps: 100 })
    expect(reader.end().steps).toBe(100)
    expect(readReplayHeader(bytes.subarray(0, header))).toEqual(reader.header)
  })

  it('go to any step both ways with the state of that step', () => {
    const replay = record({ cells: 300, gustOneIn: 500, horizon: 300 }).replay('sum')
    const straight = createBatch(lanterns, replay.header.options, { autoreset: 'disabled' })
    straight.reset([replay.header.seed])
    const seen = [{ hash: straight.hash(0), reward: [...straight.reward], frame: straight.frame(0) }]
    for (let t = 0; t < 300; t++) {
      straight.step(replay.actions.slice(t * 3, t * 3 + 3))
      seen.push({ hash: straight.hash(0), reward: [...straight.reward], frame: straight.frame(0) })
    }
    const resimulation = new Resimulation(replay, lanterns)
    for (const step of [0, 300, 299, 1, 64, 65, 63, 128, 200, 199, 0, 130, 300]) {
      resimulation.seek(step)
      const { batch } = resimulation
      expect({ hash: batch.hash(0), reward: [...batch.reward], frame: resimulation.frame() }, `step ${step}`).toEqual(
        seen[step],
      )
    }
  })
})
