import { expect, test } from 'vitest'
import {
  createBatch,
  envSpec,
  episodeSeed,
  Generator,
  namedSeed,
  type EnvDefinition,
  type Port,
} from '../core/index.ts'
import { warehouse } from './index.ts'
import { createSight, observe, observeQuiet } from './observe.ts'
import { fromPicture } from './picture.ts'
import { fromReference } from './reference.ts'
import { type WarehouseState } from './state.ts'

function drawn(picture: string, more: Record<string, unknown> = {}) {
  const { options, state } = fromPicture(picture)
  const batch = createBatch(warehouse, { ...options, ...more }, { autoreset: 'disabled' })
  batch.reset()
  batch.load(0, fromReference(state, batch))
  return batch
}

/** Observation of one agent as { name: value }, zeros and the `up` of empty cells left out. */
function seen(batch: ReturnType<typeof drawn>, agent: number): Record<string, number> {
  const { observation } = batch.spec.agents[agent]
  const row = batch.observation.subarray(agent * batch.spec.observationSize)
  const out: Record<string, number> = {}
  observation.forEach(({ name }, f) => {
    const empty = name.endsWith('.up') && row[f - 1] === 0
    if (empty) expect(row[f]).toBe(1)
    else if (row[f] !== 0) out[name] = row[f]
  })
  return out
}

/** Where two arrays first differ, -1 nowhere: many times as fast as `toEqual`. */
function firstDifference(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return Math.min(a.length, b.length)
  return a.findIndex((value, i) => !Object.is(value, b[i]))
}

test('a robot senses itself, its neighbours and shelves in an unrotated window', () => {
  const floor = drawn('. x!  . \n . .>0* .v1 \n _ . g')
  expect(seen(floor, 0)).toEqual({
    x: 1,
    y: 1,
    carrying: 1,
    facesRight: 1,
    onHighway: 1,
    'cell(0,-1).shelf': 1,
    'cell(0,-1).requested': 1,
    'cell(0,0).robot': 1,
    'cell(0,0).right': 1,
    'cell(0,0).shelf': 1, // carried shelves are seen as shelves
    'cell(1,0).robot': 1,
    'cell(1,0).down': 1,
  })
  expect(seen(floor, 1)).toMatchObject({ x: 2, y: 1, facesDown: 1, 'cell(-1,-1).requested': 1, 'cell(-1,0).right': 1 })
})

test('normalised coordinates are shares of the floor', () => {
  const floor = drawn('. x . \n . .>0 . \n . . g', { normalisedCoordinates: true })
  expect(seen(floor, 0)).toMatchObject({ x: 0.5, y: 0.5 })
  expect(floor.spec.agents[0].observation[0].high).toBe(1)
})

test('messages sent in this very step are seen by all in range, the sender included', () => {
  const floor = drawn('.>0 .<1 . . .<2 x g', { messageBits: 2 })
  floor.step(Int32Array.of(0, 1, 0, 0, 0, 1, 0, 1, 1))
  expect(seen(floor, 0)).toMatchObject({ 'cell(0,0).message0': 1, 'cell(1,0).message1': 1 })
  expect(Object.keys(seen(floor, 0)).filter((name) => name.includes('message'))).toHaveLength(2)
  expect(seen(floor, 2)).toMatchObject({ 'cell(0,0).message0': 1, 'cell(0,0).message1': 1 })
})

test('the global state names robots, requests and shelf homes', () => {
  const floor = drawn('.  x!  x \n .>0*! _ .v1 \n g . .')
  const { state } = floor.spec.world
  const named = Object.fromEntries(
    state.map(({ name }, s) => [name, floor.state[s]]).filter(([, value]) => value !== 0),
  )
  expect(named).toEqual({
    'agent_0.y': 0.5,
    'agent_0.right': 1,
    'agent_0.carrying': 1,
    'agent_0.carryingRequested': 1,
    'agent_1.x': 1,
    'agent_1.y': 0.5,
    'agent_1.down': 1,
    'request_0.x': 0.5, // at (1, 0), the first of the queue
    'request_1.y': 0.5, // carried by robot 0 at (0, 1)
    'request_1.carried': 1,
    'slot(1,0)': 1,
    'slot(2,0)': 0.5,
    // slot(1,1) is empty
  })
})

test('the global state tells that the second half of a two-stage reward is due', () => {
  const floor = drawn('x .>0*! g _ x', { reward: 'two-stage' })
  const credited = floor.spec.world.state.findIndex(({ name }) => name === 'agent_0.credited')
  expect(floor.state[credited]).toBe(0)
  floor.step(Int32Array.of(1))
  expect(floor.state[credited]).toBe(1)
})

const WORLDS: Record<string, unknown>[] = [
  { robots: 4 },
  { robots: 7, sensorRange: 3, difficulty: 'easy', normalisedCoordinates: true },
  { robots: 5, sensorRange: 2, messageBits: 3, reward: 'two-stage' },
  { layout: '.....\n.xx..\n.xx..\n..g..', robots: 3, reward: 'global', requests: 3 },
  { layout: 'xg.x', robots: 2, requests: 0 },
]

test.each(WORLDS)('every number of observation and state is written and stays in its range: %j', (options) => {
  let port!: Port
  const probed: EnvDefinition = {
    ...(warehouse as EnvDefinition),
    create: (filled, given) => {
      const rules = (warehouse as EnvDefinition).create(filled, (port = given))
      return {
        ...rules,
        observe: (lanes, count) => {
          port.observation.fill(-77)
          port.state.fill(-77)
          rules.observe(lanes, count)
        },
      }
    },
  }
  const batch = createBatch(probed, { ...options, horizon: 10_000 }, { lanes: 3 })
  const { spec } = batch
  const rng = new Generator(namedSeed('ranges', 'actions'))
  const action = new Int32Array(3 * spec.agents.length * spec.actionDims)
  batch.reset()
  for (let step = 0; step < 700; step++) {
    action.forEach((_, i) => (action[i] = rng.below(spec.actionSizes[i % spec.actionDims])))
    batch.step(action)
    batch.observation.forEach((value, i) => {
      const { name, low, high } = spec.agents[0].observation[i % spec.observationSize]
      if (!(value >= low && value <= high)) throw new Error(`step ${step}: ${name} is ${value}`)
    })
    batch.state.forEach((value, i) => {
      const { name, low, high } = spec.world.state[i % spec.stateSize]
      if (!(value >= low && value <= high)) throw new Error(`step ${step}: ${name} is ${value}`)
    })
  }
})

test('the fast sensor kernel equals the readable one, also for some of the lanes and agents', () => {
  for (const options of [{ robots: 5 }, { robots: 9, sensorRange: 2, size: 'small' }]) {
    let port!: Port
    let state!: WarehouseState
    const probed: EnvDefinition = {
      ...(warehouse as EnvDefinition),
      create: (filled, given) => {
        const rules = (warehouse as EnvDefinition).create(filled, (port = given))
        state = rules.world as WarehouseState
        return rules
      },
    }
    const batch = createBatch(probed, options, { lanes: 6, control: [3, 0, 1] })
    const sight = createSight(state, port)
    const rng = new Generator(namedSeed('kernels', 'actions'))
    batch.reset()
    const some = Int32Array.of(4, 1, 5, 99)
    for (let step = 0; step < 300; step++) {
      batch.step(Int32Array.from({ length: 18 }, () => rng.below(5)))
      port.observation.fill(-7)
      observe(state, sight, port, some, 3)
      const expected = port.observation.slice()
      port.observation.fill(-7)
      observeQuiet(state, sight, port, some, 3)
      expect(firstDifference(port.observation, expected)).toBe(-1)
      expect(expected.subarray(0, expected.length / 6).every((value) => value === -7)).toBe(true)
    }
  }
})

test('feature names are unique and as many as numbers', () => {
  for (const options of WORLDS) {
    const spec = envSpec(warehouse, options)
    const names = spec.agents[0].observation.map(({ name }) => name)
    expect(new Set(names).size).toBe(spec.observationSize)
    expect(new Set(spec.world.state.map(({ name }) => name)).size).toBe(spec.stateSize)
  }
})

test('a batch that skips observations steps alike', () => {
  const seeing = createBatch(warehouse, {}, { lanes: 2 })
  const blind = createBatch(warehouse, {}, { lanes: 2, observe: false })
  const seeds = [episodeSeed(1, 'eval', 0, 0), episodeSeed(1, 'eval', 1, 0)]
  const rng = new Generator(namedSeed('blind', 'actions'))
  for (const batch of [seeing, blind]) batch.reset(seeds)
  for (let step = 0; step < 100; step++) {
    const action = Int32Array.from({ length: 4 }, () => rng.below(5))
    for (const batch of [seeing, blind]) batch.step(action)
  }
  expect(blind.hash(1)).toBe(seeing.hash(1))
})

test('what is seen depends on the world alone, not on what was seen before', () => {
  const worlds = [
    { size: 'tiny', robots: 6, requests: 12, horizon: 90 },
    { layout: 'xxx.\nxgx.\nx..x', robots: 3, requests: 2, reward: 'two-stage', sensorRange: 2 },
    { layout: 'xx.\ngxg\nx..', robots: 3, requests: 3, reward: 'global', inactivityLimit: 25 },
    { layout: 'xx.\ngxg\nx..', robots: 3, requests: 3, messageBits: 2, horizon: 40 },
  ]
  for (const [index, options] of worlds.entries()) {
    for (const autoreset of ['same-step', 'next-step'] as const) {
      const batch = createBatch(warehouse, options, { lanes: 3, autoreset })
      const other = createBatch(warehouse, options, { autoreset: 'disabled' })
      batch.reset()
      other.reset()
      const dims = batch.spec.actionDims
      const rng = new Generator(namedSeed(`afresh ${index}`, 'actions'))
      const action = new Int32Array(3 * batch.spec.agents.length * dims)
      for (let step = 0; step < 200; step++) {
        // Loads, deliveries and turns in plenty: two thirds of the choices drive or toggle.
        for (let i = 0; i < action.length; i++) {
          action[i] = i % dims > 0 ? rng.below(2) : [0, 1, 1, 1, 2, 3, 4, 4][rng.below(8)]
        }
        if (step % 41 === 40) batch.load(1, batch.save(2))
        if (step % 53 === 52) batch.reset(undefined, Uint8Array.of(1, 0, 0))
        batch.step(action)
        for (let lane = 0; lane < 3; lane++) {
          other.load(0, batch.save(lane))
          const { observation, state } = batch
          const F = observation.length / 3
          const S = state.length / 3
          const told = `world ${index}, ${autoreset}, step ${step}, lane ${lane}`
          expect(firstDifference(observation.subarray(lane * F, (lane + 1) * F), other.observation), told).toBe(-1)
          expect(firstDifference(state.subarray(lane * S, (lane + 1) * S), other.state), told).toBe(-1)
        }
      }
    }
  }
})
