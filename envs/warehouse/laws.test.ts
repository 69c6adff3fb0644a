/** What must hold in every warehouse, whatever the actions. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createBatch, episodeSeed, Generator, namedSeed, type EnvBatch } from '../core/index.ts'
import { warehouse } from './index.ts'
import { fromReference, toReference, type ReferenceState } from './reference.ts'

const WORLDS: Record<string, unknown>[] = [
  { robots: 4 },
  { robots: 5, messageBits: 2, sensorRange: 2, reward: 'two-stage', difficulty: 'easy' },
  { layout: '.....\n.xx..\n.xx..\n..g..', robots: 3, reward: 'global', inactivityLimit: 30, horizon: 60 },
]

/** Moves forward more often than not, so that robots meet, load and deliver. */
function randomAction(batch: EnvBatch, rng: Generator): Int32Array {
  const { actionDims, actionSizes, agents } = batch.spec
  const action = new Int32Array(batch.lanes * agents.length * actionDims)
  return action.map((_, i) => {
    const size = actionSizes[i % actionDims]
    return size === 5 ? [1, 1, 1, 2, 3, 4, 0][rng.below(7)] : rng.below(size)
  })
}

test.each(WORLDS)('a loaded snapshot has the same future, through JSON and in another lane: %j', (options) => {
  const batch = createBatch(warehouse, options, { autoreset: 'disabled' })
  const other = createBatch(warehouse, options, { lanes: 3, autoreset: 'disabled' })
  const rng = new Generator(namedSeed('futures', 'actions'))
  batch.reset()
  other.reset()
  for (let step = 0; step < 25; step++) batch.step(randomAction(batch, rng))
  const snapshot = JSON.parse(JSON.stringify(batch.save(0))) as ReturnType<EnvBatch['save']>
  other.load(1, snapshot)
  expect(other.frame(1)).toEqual(batch.frame(0))
  expect(other.rewardTerms!(1)).toEqual(batch.rewardTerms!(0))
  const N = batch.spec.agents.length * batch.spec.actionDims
  const F = batch.observation.length
  for (let step = 0; step < 80; step++) {
    expect(other.hash(1)).toBe(batch.hash(0))
    expect(other.observation.subarray(F, 2 * F)).toEqual(batch.observation)
    expect(other.state.subarray(batch.state.length, 2 * batch.state.length)).toEqual(batch.state)
    expect(other.frame(1)).toEqual(batch.frame(0))
    expect(other.metrics(1)).toEqual(batch.metrics(0))
    const action = randomAction(batch, rng)
    const wide = new Int32Array(3 * N)
    wide.set(action, N)
    batch.step(action)
    other.step(wide)
    expect(other.reward.subarray(N / batch.spec.actionDims, (2 * N) / batch.spec.actionDims)).toEqual(batch.reward)
  }
})

test('what is kept up to date from step to step equals what a load rebuilds', () => {
  // Few homes and many robots: several shelves are away at once and come back to other homes.
  const options = { layout: '......\n.xxxx.\n..xx..\n..gg..', robots: 8, requests: 4, horizon: null }
  const batch = createBatch(warehouse, options)
  const twin = createBatch(warehouse, options)
  const rng = new Generator(namedSeed('rebuilt', 'actions'))
  batch.reset()
  twin.reset()
  for (let step = 0; step < 400; step++) {
    const action = randomAction(batch, rng).map((choice) => (choice !== 1 && rng.below(2) === 0 ? 4 : choice))
    batch.step(action)
    twin.load(0, batch.save(0))
    expect(twin.observation).toEqual(batch.observation)
    expect(twin.state).toEqual(batch.state)
    expect(twin.frame(0)).toEqual(batch.frame(0))
  }
})

test.each(WORLDS)('one lane among 64 plays as it would alone: %j', (options) => {
  const many = createBatch(warehouse, options, { lanes: 64, autoreset: 'disabled' })
  const rng = new Generator(namedSeed('lanes', 'actions'))
  const seeds = Array.from({ length: 64 }, (_, lane) => episodeSeed('lanes', 'eval', lane, 0))
  many.reset(seeds)
  const alone = [0, 17, 63].map((lane) => {
    const batch = createBatch(warehouse, options, { autoreset: 'disabled' })
    batch.reset([seeds[lane]])
    return { lane, batch }
  })
  const width = many.spec.agents.length * many.spec.actionDims
  for (let step = 0; step < 60; step++) {
    const action = randomAction(many, rng)
    many.step(action)
    for (const { lane, batch } of alone) {
      batch.step(action.slice(lane * width, (lane + 1) * width))
      expect(many.hash(lane)).toBe(batch.hash(0))
      const F = batch.observation.length
      expect(many.observation.subarray(lane * F, (lane + 1) * F)).toEqual(batch.observation)
      expect(many.state.subarray(lane * batch.state.length, (lane + 1) * batch.state.length)).toEqual(batch.state)
    }
  }
})

test('a mirrored warehouse with mirrored turns does the mirrored thing', () => {
  // No requests: which shelf is drawn next depends on shelf numbers, and those run from left to right.
  const rows = ['.......', '.xx.xx.', '.xx.xx.', 'g......']
  const mirrored = rows.map((row) => [...row].reverse().join(''))
  const options = { robots: 9, requests: 0, horizon: null }
  const batch = createBatch(warehouse, { ...options, layout: rows })
  const mirror = createBatch(warehouse, { ...options, layout: mirrored })
  batch.reset()
  mirror.reset()
  const flip = ({ agents, shelves, ...rest }: ReferenceState): ReferenceState => ({
    ...rest,
    agents: agents.map((agent) => ({ ...agent, x: 6 - agent.x, dir: [0, 1, 3, 2][agent.dir] })),
    shelves: shelves.map(([x, y]) => [6 - x, y] as const),
  })
  mirror.load(0, fromReference(flip(toReference(batch, 0)), mirror))
  const rng = new Generator(namedSeed('mirror', 'actions'))
  for (let step = 0; step < 500; step++) {
    const action = randomAction(batch, rng)
    batch.step(action)
    mirror.step(action.map((choice) => (choice === 2 ? 3 : choice === 3 ? 2 : choice)))
    expect(toReference(mirror, 0)).toEqual(flip(toReference(batch, 0)))
  }
  expect(mirror.metrics(0)).toEqual(batch.metrics(0))
  expect(batch.metrics(0).blockedMoves).toBeGreaterThan(300) // the law was tried in traffic
})

test('a floor of more than 65,536 cells: a shelf is fetched and delivered in its last row', () => {
  const width = 257
  const bare = '.'.repeat(width)
  const layout = [...Array.from({ length: 255 }, () => bare), `${'.'.repeat(width - 3)}xxg`]
  const batch = createBatch(warehouse, { layout, robots: 2, requests: 1 }, { autoreset: 'disabled' })
  batch.reset()
  const state: ReferenceState = {
    agents: [
      { x: width - 2, y: 255, dir: 3, carrying: -1, delivered: false },
      { x: 0, y: 0, dir: 3, carrying: -1, delivered: false },
    ],
    shelves: [
      [width - 3, 255],
      [width - 2, 255],
    ],
    requests: [1],
    step: 0,
    inactive: 0,
  }
  batch.load(0, fromReference(state, batch))
  expect(toReference(batch, 0)).toEqual(state)
  batch.step(Int32Array.of(4, 1))
  batch.step(Int32Array.of(1, 1))
  expect([...batch.reward]).toEqual([1, 0])
  expect(toReference(batch, 0).agents).toMatchObject([
    { x: width - 1, y: 255, carrying: 1 },
    { x: 2, y: 0, carrying: -1 },
  ])
  expect(toReference(batch, 0).requests).toEqual([0])
  const saved = batch.save(0)
  batch.load(0, JSON.parse(JSON.stringify(saved)) as typeof saved)
  expect(batch.save(0)).toEqual(saved)
  expect(batch.observation.subarray(0, 2)).toEqual(Float32Array.of(width - 1, 255))
})

test('steps allocate nothing', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const batch = createBatch(warehouse, { robots: 4, horizon: null }, { lanes: 16 })
  const rng = new Generator(namedSeed('heap', 'actions'))
  const tape = Array.from({ length: 50 }, () => randomAction(batch, rng))
  batch.reset()
  const play = (steps: number) => {
    for (let step = 0; step < steps; step++) batch.step(tape[step % 50])
  }
  play(5000)
  collect()
  const before = process.memoryUsage().heapUsed
  play(20_000)
  // One object of 16 bytes per step would be 320 kB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000)
})

test('a tampered snapshot is refused with a sentence', () => {
  const batch = createBatch(warehouse, { robots: 2 })
  batch.reset()
  const snapshot = batch.save(0)
  const broken = (name: string, row: ArrayBufferView) => {
    const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('base64')
    return () => batch.load(0, { ...snapshot, arrays: { ...snapshot.arrays, [name]: bytes } })
  }
  expect(broken('cell', Uint16Array.of(3, 3))).toThrow(/robot 1 is in the cell of another robot; expected one robot/)
  expect(broken('cell', Uint16Array.of(3, 110))).toThrow(/robot 1 is at cell 110; expected a cell of 0 to 109/)
  expect(broken('heading', Uint8Array.of(0, 4))).toThrow(/robot 1: heading is 4; expected 0 to 3/)
  expect(broken('queue', Uint16Array.of(5, 5))).toThrow(/queue is with a shelf twice/)
  expect(broken('queue', Uint16Array.of(5, 32))).toThrow(/queue is with shelf 32; expected shelves of 0 to 31/)
  expect(broken('shelfCell', new Uint16Array(32))).toThrow(/shelf 0 is|shelf 1 is where shelf 0 is/)
  expect(batch.save(0), 'the lane is as it was').toEqual(snapshot)
  batch.load(0, snapshot)
  expect(batch.save(0)).toEqual(snapshot)
})
