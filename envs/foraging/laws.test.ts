/** What must hold in every field, whatever the actions. */
import { expect, test } from 'vitest'
import { createBatch, Generator, namedSeed, type EnvBatch } from '../core/index.ts'
import { foraging, type ForagingWorld } from './index.ts'
import { fromReference, toReference, type ReferenceState } from './reference.ts'

const WORLDS: Record<string, unknown>[] = [
  { rows: 6, columns: 6, players: 8, penalty: 0.1 },
  { rows: 6, columns: 6, players: 8, strict: true },
  { rows: 5, columns: 9, players: 6, foods: 4, normalisedRewards: false },
  { rows: 6, columns: 6, players: 6, foods: 2, cooperative: true, maxFoodLevel: 2, observation: 'grid', sightCells: 2 },
  { rows: 9, columns: 6, players: 7, foods: 3, strict: true, sightCells: 2 },
]

/** A turn or mirror of a field: where a cell goes, and what becomes of the six actions. */
interface Symmetry {
  readonly name: string
  readonly turned: boolean
  place(row: number, col: number, rows: number, columns: number): [number, number]
  readonly action: readonly number[]
}

const SYMMETRIES: Symmetry[] = [
  { name: 'mirrored', turned: false, place: (r, c, _, w) => [r, w - 1 - c], action: [0, 1, 2, 4, 3, 5] },
  { name: 'upside down', turned: false, place: (r, c, h) => [h - 1 - r, c], action: [0, 2, 1, 3, 4, 5] },
  // A quarter turn clockwise: north becomes east, south west, west north, east south.
  { name: 'turned', turned: true, place: (r, c, h) => [c, h - 1 - r], action: [0, 4, 3, 1, 2, 5] },
]

function moved(state: ReferenceState, { turned, place }: Symmetry): ReferenceState {
  const rows = state.field.length
  const columns = state.field[0].length
  const field = Array.from({ length: turned ? columns : rows }, () =>
    new Array<number>(turned ? rows : columns).fill(0),
  )
  state.field.forEach((line, r) =>
    line.forEach((level, c) => {
      const [row, column] = place(r, c, rows, columns)
      field[row][column] = level
    }),
  )
  const players = state.players.map(({ row, col, level }) => {
    const [r, c] = place(row, col, rows, columns)
    return { row: r, col: c, level }
  })
  return { ...state, field, players }
}

/** Loads often, so that groups form. */
const random = (batch: EnvBatch, rng: Generator) =>
  Int32Array.from(
    { length: batch.lanes * batch.spec.agents.length },
    () => [0, 1, 2, 3, 4, 1, 2, 3, 4, 5, 5][rng.below(11)],
  )

for (const options of WORLDS) {
  for (const symmetry of SYMMETRIES) {
    test(`a field ${symmetry.name} does the same thing ${symmetry.name}: ${JSON.stringify(options)}`, () => {
      const { rows, columns } = options as { rows: number; columns: number }
      const shape = symmetry.turned ? { rows: columns, columns: rows } : {}
      const batch = createBatch(foraging, { ...options, horizon: null }, { autoreset: 'disabled' })
      const other = createBatch(foraging, { ...options, ...shape, horizon: null }, { autoreset: 'disabled' })
      const rng = new Generator(namedSeed('symmetry', symmetry.name))
      other.reset()
      let met = 0
      for (let episode = 0; episode < 8; episode++) {
        batch.reset()
        other.load(0, fromReference(moved(toReference(batch, 0), symmetry), other))
        for (let step = 0; step < 40 && batch.terminated[0] === 0; step++) {
          const action = random(batch, rng)
          batch.step(action)
          other.step(action.map((choice) => symmetry.action[choice]))
          expect(JSON.stringify(toReference(other, 0))).toBe(JSON.stringify(moved(toReference(batch, 0), symmetry)))
          expect([...other.reward, other.terminated[0]].join()).toBe([...batch.reward, batch.terminated[0]].join())
        }
        expect({ ...other.metrics(0), levelShare: 0 }).toEqual({ ...batch.metrics(0), levelShare: 0 })
        met += batch.metrics(0).blockedMoves! * batch.metrics(0).foodTaken!
      }
      expect(met).toBeGreaterThan(50) // the law was tried in traffic, with food taken
    })
  }
}

test('a grid observation turns with the field', () => {
  const options = { rows: 7, columns: 7, players: 4, sightCells: 2, observation: 'grid', strict: true }
  const batch = createBatch(foraging, options, { autoreset: 'disabled' })
  const other = createBatch(foraging, options, { autoreset: 'disabled' })
  const turn = SYMMETRIES[2]
  other.reset()
  for (let episode = 0; episode < 10; episode++) {
    batch.reset()
    other.load(0, fromReference(moved(toReference(batch, 0), turn), other))
    for (let i = 0; i < batch.observation.length; i++) {
      const cell = i % 25
      const [r, c] = turn.place(Math.floor(cell / 5), cell % 5, 5, 5)
      expect(other.observation[i - cell + r * 5 + c]).toBe(batch.observation[i])
    }
  }
})

test('every player number sees the same world: renumbered players do the renumbered thing', () => {
  for (const strict of [false, true]) {
    const options = { rows: 6, columns: 6, players: 8, strict, horizon: null }
    const batch = createBatch(foraging, options, { autoreset: 'disabled' })
    const other = createBatch(foraging, options, { autoreset: 'disabled' })
    const rng = new Generator(namedSeed('renumbered', String(strict)))
    other.reset()
    const back = <T>(items: readonly T[]): T[] => [...items].reverse()
    const flip = (state: ReferenceState) => ({ ...state, players: back(state.players) })
    for (let episode = 0; episode < 20; episode++) {
      batch.reset()
      other.load(0, fromReference(flip(toReference(batch, 0)), other))
      for (let step = 0; step < 30 && batch.terminated[0] === 0; step++) {
        const action = random(batch, rng)
        batch.step(action)
        other.step(Int32Array.from(back([...action])))
        expect(JSON.stringify(toReference(other, 0))).toBe(JSON.stringify(flip(toReference(batch, 0))))
        expect([...other.reward].join()).toBe(back([...batch.reward]).join())
      }
    }
  }
})

test('normalised rewards of a step sum to the share of the level taken, so a whole episode to at most 1', () => {
  for (const options of [
    { rows: 6, columns: 6, players: 8 },
    { rows: 5, columns: 5, players: 4, foods: 2, strict: true },
    { minPlayerLevel: [1, 2, 3], maxPlayerLevel: [2, 5, 9], players: 3, rows: 5, columns: 6, maxFoodLevel: 4 },
  ]) {
    const batch = createBatch(foraging, { ...options, horizon: 2000 }, { lanes: 20, autoreset: 'disabled' })
    const world = batch.world as ForagingWorld
    const rng = new Generator(namedSeed('returns', JSON.stringify(options)))
    const N = batch.spec.agents.length
    batch.reset()
    const before = new Int32Array(20)
    for (let step = 0; step < 2000; step++) {
      for (let lane = 0; lane < 20; lane++) before[lane] = world.tally[lane * 5 + 1]
      batch.step(random(batch, rng))
      for (let lane = 0; lane < 20; lane++) {
        let sum = 0
        for (let i = lane * N; i < (lane + 1) * N; i++) sum += batch.reward[i]
        const share = (world.tally[lane * 5 + 1] - before[lane]) / world.spawned[lane]
        if (!(Math.abs(sum - share) < 1e-6)) throw new Error(`step ${step}: rewards sum to ${sum}, not ${share}`)
      }
    }
    // Given time, random players find everything, and then the return is 1 to within float32.
    let complete = 0
    for (let lane = 0; lane < 20; lane++) {
      const total = batch.returns.subarray(lane * N, (lane + 1) * N).reduce((all, one) => all + one, 0)
      expect(total).toBeLessThan(1 + 1e-6)
      if (batch.terminated[lane] === 0) continue
      expect(total).toBeCloseTo(1, 6)
      expect(batch.finalMetrics(lane).levelShare).toBe(1)
      complete++
    }
    expect(complete).toBeGreaterThan(10)
  }
})

test('strict players never share a cell nor pass through each other, original ones do both', () => {
  for (const strict of [true, false]) {
    const batch = createBatch(foraging, { rows: 5, columns: 5, players: 9, strict, horizon: 40 }, { lanes: 30 })
    const { cell } = batch.world as ForagingWorld
    const rng = new Generator(namedSeed('crowd', String(strict)))
    batch.reset()
    let shared = 0
    let swapped = 0
    for (let step = 0; step < 300; step++) {
      const before = cell.slice()
      batch.step(random(batch, rng))
      for (let lane = 0; lane < 30; lane++) {
        if (batch.stepCount[lane] === 0) continue
        for (let a = lane * 9; a < (lane + 1) * 9; a++) {
          for (let b = a + 1; b < (lane + 1) * 9; b++) {
            if (cell[a] === cell[b]) shared++
            if (cell[a] === before[b] && cell[b] === before[a] && cell[a] !== before[a]) swapped++
          }
        }
      }
    }
    if (strict) expect([shared, swapped]).toEqual([0, 0])
    else expect(Math.min(shared, swapped)).toBeGreaterThan(100)
  }
})

test('a tampered snapshot is refused with a sentence and leaves the lane as it was', () => {
  const batch = createBatch(foraging, { strict: true })
  batch.reset()
  const snapshot = batch.save(0)
  const { plan } = batch.world as ForagingWorld
  const broken = (name: string, row: ArrayBufferView) => {
    const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('base64')
    return () => batch.load(0, { ...snapshot, arrays: { ...snapshot.arrays, [name]: bytes } })
  }
  expect(plan.cells).toBe(64)
  expect(broken('cell', Uint16Array.of(3, 64))).toThrow(/player 1: cell is 64; expected 0 to 63/)
  expect(broken('cell', Uint16Array.of(0, 0))).toThrow(/player 1 is in the cell of another player/)
  expect(broken('level', Uint8Array.of(1, 3))).toThrow(/player 1: level is 3; expected 1 to 2/)
  expect(broken('foodCell', Uint16Array.of(9, 9, 30))).toThrow(/food 1: cell is 9; expected above 9/)
  expect(broken('foodCell', Uint16Array.of(9, 20, 64))).toThrow(/food 2: cell is 64; expected 0 to 63/)
  expect(broken('foodLevel', Uint16Array.of(1, 5, 1))).toThrow(/food 1: level is 5; expected 1 to 4/)
  expect(broken('foodStatus', Uint8Array.of(1, 4, 1))).toThrow(/food 1: status is 4; expected 0 to 3/)
  expect(broken('spawned', Int32Array.of(0))).toThrow(/spawned is 0; expected at least/)
  expect(broken('tried', Uint8Array.of(0, 4))).toThrow(/player 1: tried is 4; expected 0 to 3/)
  expect(broken('outcome', Uint8Array.of(0, 6))).toThrow(/player 1: outcome is 6; expected 0 to 5/)
  expect(batch.save(0)).toEqual(snapshot)
})
