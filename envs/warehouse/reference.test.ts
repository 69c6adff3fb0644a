import { describe, expect, test } from 'vitest'
import { recordings } from '../../testing.ts'
import { createBatch, type EnvBatch } from '../core/index.ts'
import { warehouse } from './index.ts'
import {
  fromReference,
  optionsFromName,
  referenceOptions,
  toReference,
  type ReferenceConfig,
  type ReferenceState,
} from './reference.ts'
import { REQUESTS } from './start.ts'
import { type WarehouseWorld } from './state.ts'

interface Transition {
  readonly env: string
  readonly episode: string
  readonly before: ReferenceState
  readonly after: ReferenceState
  readonly actions: readonly (number | readonly number[])[]
  readonly rewards: readonly number[]
  readonly terminated: boolean
  readonly truncated: boolean
  readonly new_requests: readonly number[]
  readonly tie: boolean
  readonly tie_alternatives?: readonly (readonly number[])[]
  readonly movers: readonly number[]
  readonly obs: readonly (readonly number[])[]
}

interface Recorded {
  readonly configs: Record<string, ReferenceConfig & { readonly observation: string }>
  readonly records: readonly Transition[]
}

/** a * inverse = 1 modulo 2^32. */
const INVERSE_5 = 0xcccccccd
const INVERSE_9 = 0x38e38e39

/** The state word s1 for which xoshiro128** returns `bits` next: rotl(s1 * 5, 7) * 9 = bits. */
function wordBefore(bits: number): number {
  const rotated = Math.imul(bits, INVERSE_9)
  return Math.imul((rotated >>> 7) | (rotated << 25), INVERSE_5) >>> 0
}

/**
 * Generator words whose next outputs are `first`, `second`: the shelves that the original drew are injected through
 * the generator's state, so the rules need no hook. (After one step the word s1 is s1 ^ s2 ^ s0.)
 */
function wordsFor(first: number, second: number): Uint32Array {
  const s1 = wordBefore(first)
  return Uint32Array.of(0, s1, wordBefore(second) ^ s1, 1)
}

/** Places of the drawn shelves among the unrequested ones, as the rules count them. */
function drawsOf(record: Transition): number[] {
  const queue = [...record.before.requests]
  return record.new_requests.map((drawn, draw) => {
    let place = 0
    for (let shelf = 0; shelf < drawn; shelf++) if (!queue.includes(shelf)) place++
    // Which shelf left the queue is read from the record: the one where the drawn shelf is afterwards, or its
    // successor, when it was drawn while standing on the next goal and delivered at once.
    const kept = record.new_requests.slice(draw).find((shelf) => record.after.requests.includes(shelf))
    queue[record.after.requests.indexOf(kept!)] = drawn
    return place
  })
}

function load(batch: EnvBatch, record: Transition): void {
  const words = new Uint32Array((batch.spec.world.streams.length + 1) * 4).fill(1)
  const [first = 0, second = 0] = drawsOf(record)
  words.set(wordsFor(first, second), REQUESTS * 4)
  batch.load(0, fromReference(record.before, batch, words))
}

const moversOf = (before: ReferenceState, after: ReferenceState): number[] =>
  before.agents
    .map((_, n) => n)
    .filter((n) => {
      return before.agents[n].x !== after.agents[n].x || before.agents[n].y !== after.agents[n].y
    })

/** Plays the record; robots outside `movers` that wanted to drive are held back by a no-op when movers are given. */
function play(batch: EnvBatch, record: Transition, movers?: readonly number[]): ReferenceState {
  load(batch, record)
  const actions = record.actions.map((action) => (typeof action === 'number' ? [action] : [...action]))
  if (movers !== undefined) {
    actions.forEach((action, n) => {
      if (action[0] === 1 && !movers.includes(n)) action[0] = 0
    })
  }
  batch.step(Int32Array.from(actions.flat()))
  return toReference(batch, 0)
}

function expectRecorded(batch: EnvBatch, record: Transition, after: ReferenceState, observations: boolean): void {
  expect(after).toEqual(record.after)
  expect([...batch.reward]).toEqual(record.rewards)
  expect(batch.terminated[0]).toBe(record.terminated ? 1 : 0)
  expect(batch.truncated[0]).toBe(record.truncated ? 1 : 0)
  if (!observations) return
  const width = batch.spec.observationSize
  record.obs.forEach((row, n) => {
    const own = batch.observation.subarray(n * width, (n + 1) * width)
    expect(own.length).toBe(row.length)
    for (let f = 0; f < width; f++) if (Math.abs(own[f] - row[f]) > 1e-6) expect([n, f, own[f]]).toEqual([n, f, row[f]])
  })
}

describe('recorded transitions of rware 2.0', () => {
  const files = recordings<Recorded>('rware_')
  if (files.length === 0) test.skip('are not at hand')
  for (const { name, read } of files) {
    test(`${name} is reproduced exactly`, () => {
      const recording = read()
      const batches = new Map<string, EnvBatch>()
      let ties = 0
      for (const record of recording.records) {
        const config = recording.configs[record.env]
        let batch = batches.get(record.env)
        if (batch === undefined) {
          batch = createBatch(warehouse, referenceOptions(config), { autoreset: 'disabled' })
          batch.reset()
          batches.set(record.env, batch)
        }
        let after = play(batch, record)
        const movers = moversOf(record.before, after)
        if (record.tie && movers.join() !== record.movers.join()) {
          // Our tie rule must choose one of the recorded alternatives; the rest of the step is compared with the
          // original's own choice of movers.
          expect(record.tie_alternatives!.map((set) => set.join())).toContain(movers.join())
          after = play(batch, record, record.movers)
          ties++
        }
        try {
          expectRecorded(batch, record, after, config.observation === 'flattened')
        } catch (error) {
          throw new Error(`${record.episode}: ${(error as Error).message}`, { cause: error })
        }
      }
      expect(ties).toBeLessThan(recording.records.length / 5)
      expect(recording.records.length).toBeGreaterThan(0)
    })
  }
})

test('the injected words make the generator return the wanted draws', () => {
  const batch = createBatch(warehouse, { robots: 1, layout: 'xxxxxx\n.....g', requests: 1 })
  batch.reset()
  const record = {
    before: {
      agents: [{ x: 4, y: 1, dir: 3, carrying: 2, delivered: false }],
      shelves: [
        [0, 0],
        [1, 0],
        [4, 1],
        [3, 0],
        [4, 0],
        [5, 0],
      ],
      requests: [2],
      step: 0,
      inactive: 0,
    } as ReferenceState,
    after: { requests: [4] } as unknown as ReferenceState,
    new_requests: [4],
  } as unknown as Transition
  load(batch, record)
  batch.step(Int32Array.of(1))
  expect([...(batch.world as WarehouseWorld).queue]).toEqual([4])
})

test('names of the original package open the worlds they name', () => {
  expect(optionsFromName('rware-small-4ag-hard-v2')).toEqual({ size: 'small', robots: 4, difficulty: 'hard' })
  expect(optionsFromName('rware-3s-tiny-6h-5ag-easy-v2')).toEqual({
    size: 'tiny',
    robots: 5,
    difficulty: 'easy',
    sensorRange: 3,
    columnHeight: 6,
  })
  expect(optionsFromName('rware-1x5-8h-2ag-4req-twostage-v2')).toEqual({
    shelfRows: 1,
    shelfColumns: 5,
    columnHeight: 8,
    robots: 2,
    requests: 4,
    reward: 'two-stage',
  })
  expect(() => optionsFromName('rware-huge-2ag-v2')).toThrow(/rware-huge-2ag-v2/)
})
