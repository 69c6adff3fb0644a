/** What must hold in every particle world, whatever the actions. */
import { expect, test } from 'vitest'
import { createBatch, Generator, namedSeed, type EnvBatch } from '../core/index.ts'
import { actionArray, randomActions } from '../core/random-actions.ts'
import { particles, TASK_NAMES } from './index.ts'
import { MARGIN, planOf, type Options } from './options.ts'
import { MOVES } from './physics.ts'
import { fromReference, toReference, type ReferenceState } from './reference.ts'
import { type ParticleWorld } from './state.ts'

type Pair = readonly [number, number]

/** Symmetries of the plane that keep the axes, exact in floating point: where a point goes, and where a push goes. */
const SYMMETRIES: Record<string, { point: (at: Pair) => [number, number]; moves: readonly number[] }> = {
  'mirrored left to right': { point: ([x, y]) => [0 - x, y], moves: [0, 2, 1, 3, 4] },
  'mirrored top to bottom': { point: ([x, y]) => [x, 0 - y], moves: [0, 1, 2, 4, 3] },
  // left turns to down, right to up, down to right, up to left
  'turned by a quarter': { point: ([x, y]) => [0 - y, x], moves: [0, 3, 4, 2, 1] },
}

function turned(state: ReferenceState, point: (at: Pair) => [number, number]): ReferenceState {
  return {
    ...state,
    agents: state.agents.map(({ pos, vel, c }) => ({ pos: point(pos), vel: point(vel), c })),
    landmarks: state.landmarks.map(point),
  }
}

/** -0 and 0 are the same place. */
const plain = (state: ReferenceState) => JSON.parse(JSON.stringify(state)) as unknown

function turnedAction(batch: EnvBatch, action: Int32Array | Float32Array, moves: readonly number[]) {
  const { plan } = batch.world as ParticleWorld
  const D = batch.spec.actionDims
  const out = action.slice()
  plan.bodies.forEach(({ movable }, n) => {
    if (!movable) return
    if (plan.continuous) MOVES.forEach((_, move) => (out[n * D + moves[move]] = action[n * D + move]))
    else out[n] = action[n] - (action[n] % 5) + moves[action[n] % 5]
  })
  return out
}

for (const [name, { point, moves }] of Object.entries(SYMMETRIES)) {
  test.each(TASK_NAMES.flatMap((task) => [[task, 'discrete'] as const, [task, 'continuous'] as const]))(
    `a world ${name} does the same thing there: %s, %s`,
    (task, actions) => {
      const options = { task, actions, ...(task === 'spread' ? { agents: 6 } : {}) }
      const batch = createBatch(particles, options, { autoreset: 'disabled' })
      const other = createBatch(particles, options, { autoreset: 'disabled' })
      const rng = new Generator(namedSeed('laws', task))
      const action = actionArray(batch)
      batch.reset()
      other.reset()
      other.load(0, fromReference(turned(toReference(batch, 0), point), other))
      for (let step = 0; step < 25; step++) {
        randomActions(batch, rng, action)
        batch.step(action as never)
        other.step(turnedAction(batch, action, moves) as never)
        expect(plain(toReference(other, 0))).toEqual(plain(turned(toReference(batch, 0), point)))
        // Border costs add up in the other order where axes change places.
        batch.reward.forEach((reward, n) => expect(other.reward[n]).toBeCloseTo(reward, 5))
      }
    },
  )
}

test('episodes are cut at 25 steps, by truncation', () => {
  for (const task of TASK_NAMES) {
    const batch = createBatch(particles, { task }, { autoreset: 'disabled', lanes: 3 })
    const rng = new Generator(namedSeed('cut', task))
    const action = actionArray(batch)
    batch.reset()
    for (let step = 1; step <= 25; step++) {
      randomActions(batch, rng, action)
      batch.step(action as never)
      expect([...batch.truncated, ...batch.terminated]).toEqual(step < 25 ? [0, 0, 0, 0, 0, 0] : [1, 1, 1, 0, 0, 0])
    }
  }
})

/** One agent of spread at rest, pushed to the right in the first step and then left alone. */
function glide(dynamics: 'current' | 'legacy', steps: number): [x: number, vx: number][] {
  const batch = createBatch(particles, { task: 'spread', agents: 1, dynamics }, { autoreset: 'disabled' })
  batch.reset()
  const still = { pos: [0, 0], vel: [0, 0], c: [0, 0] } as const
  batch.load(0, fromReference({ agents: [still], landmarks: [[0, 0]], step: 0 }, batch))
  return Array.from({ length: steps }, (_, step) => {
    batch.step(Int32Array.of(step === 0 ? 2 : 0))
    const [{ pos, vel }] = toReference(batch, 0).agents
    return [Math.round(pos[0] * 1e6) / 1e6, Math.round(vel[0] * 1e6) / 1e6]
  })
}

test('a push of 5 gives 0.5 per second and fades by a quarter; the place follows one step later, or at once in the old order', () => {
  // v: 5 · 0.1 = 0.5, then · 0.75; x: + 0.1 v of the step before, or of this one
  expect(glide('current', 4)).toEqual([
    [0, 0.5],
    [0.05, 0.375],
    [0.0875, 0.28125],
    [0.115625, 0.210938],
  ])
  expect(glide('legacy', 3)).toEqual([
    [0.05, 0.5],
    [0.0875, 0.375],
    [0.115625, 0.28125],
  ])
})

test('bodies in contact push each other apart with opposite forces, and not at all from 40 margins on', () => {
  const meet = (gap: number) => {
    const batch = createBatch(particles, { task: 'push' }, { autoreset: 'disabled' })
    batch.reset()
    const at = (x: number) => ({ pos: [x, 0] as const, vel: [0, 0] as const, c: [0, 0] })
    // Radii of 0.05 each: they touch at 0.1.
    const agents = [at(-0.05 - gap / 2), at(0.05 + gap / 2)]
    batch.load(0, fromReference({ agents, landmarks: [[1, 1], [-1, -1]], step: 0, goal: 0 }, batch)) // prettier-ignore
    batch.step(Int32Array.of(0, 0))
    return toReference(batch, 0).agents.map(({ vel }) => vel[0])
  }
  // Just touching: 100 · 0.001 · ln 2 · 0.1 = 0.0069314718
  const [left, right] = meet(0)
  expect(left).toBeCloseTo(-0.00693147181, 10)
  expect(right).toBe(-left)
  // Overlapping by 0.05: 100 · 0.05 · 0.1 = 0.5 within e^-50
  expect(meet(-0.05)[1]).toBeCloseTo(0.5, 12)
  expect(meet(41 * MARGIN)).toEqual([0, 0])
  expect(meet(39 * MARGIN)[1]).toBeGreaterThan(0)
})

test('two bodies at the very same place part along the horizontal', () => {
  const batch = createBatch(particles, { task: 'push' }, { autoreset: 'disabled' })
  batch.reset()
  const here = { pos: [0.2, 0.3], vel: [0, 0], c: [0, 0] } as const
  batch.load(0, fromReference({ agents: [here, here], landmarks: [[1, 1], [-1, -1]], step: 0, goal: 0 }, batch)) // prettier-ignore
  batch.step(Int32Array.of(0, 0))
  const [first, second] = toReference(batch, 0).agents
  expect([first.vel[0], second.vel[0], first.vel[1], second.vel[1]]).toEqual([1, -1, 0, 0]) // 100 · 0.1 · 0.1
})

test('numbers and shares that a task does not have are refused by name', () => {
  const plan = (options: object) => () => createBatch(particles, options)
  expect(plan({ task: 'push', agents: 3 })).toThrow(/agents is 3 for the task push; expected null: this task has fixed/)
  expect(plan({ task: 'tag', food: 3 })).toThrow(/expected null; this task has adversaries, good, obstacles/)
  expect(plan({ task: 'tag', localRatio: 0.2 })).toThrow(/only spread and reference mix/)
  expect(plan({ task: 'tags' })).toThrow(/did you mean "tag"/)
})

test('a tampered snapshot is refused with a sentence and leaves the lane as it was', () => {
  const batch = createBatch(particles, { task: 'reference' })
  batch.reset()
  const snapshot = batch.save(0)
  const broken = (name: string, row: ArrayBufferView) => () => {
    const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('base64')
    batch.load(0, { ...snapshot, arrays: { ...snapshot.arrays, [name]: bytes } })
  }
  expect(broken('position', new Float64Array(10).fill(NaN))).toThrow(/position of agent_0 is NaN; expected a finite/)
  expect(broken('velocity', Float64Array.of(0, 0, Infinity, 0))).toThrow(/velocity of agent_1 is Infinity/)
  expect(broken('message', new Float64Array(20).fill(2))).toThrow(/message of agent_0 is 2; expected 0 to 1/)
  expect(broken('goal', Uint8Array.of(0, 3))).toThrow(/goal is 3; expected 0 to 2/)
  expect(batch.save(0)).toEqual(snapshot)
})

test.each(TASK_NAMES)('a loaded lane of %s tells the reward terms that it had when it was saved', (task) => {
  for (const lanes of [1, 4]) {
    const [batch, other] = [1, 2].map(() => createBatch(particles, { task }, { lanes, autoreset: 'disabled' }))
    const rng = new Generator(namedSeed('laws', task))
    const action = actionArray(batch)
    batch.reset()
    other.reset()
    for (let step = 0; step < 3; step++) {
      randomActions(batch, rng, action)
      batch.step(action as never)
    }
    other.load(lanes - 1, batch.save(lanes - 1))
    expect(other.rewardTerms!(lanes - 1)).toEqual(batch.rewardTerms!(lanes - 1))
  }
})

test('bounds hold where everybody is pushed the same way and overlaps', () => {
  // The worst case of the bound on speed: all partners of contact on one side, pushing with all they have.
  const options = { task: 'spread', agents: 6, horizon: 25 }
  const batch = createBatch(particles, options, { autoreset: 'disabled' })
  batch.reset()
  const spot = (x: number) => ({ pos: [x, 0] as const, vel: [0, 0] as const, c: [0, 0] })
  const agents = [spot(0.001), ...[0, 0, 0, 0, 0].map((_, n) => spot(-1e-5 * n))]
  batch.load(0, fromReference({ agents, landmarks: agents.map(({ pos }) => pos), step: 0 }, batch))
  const { observation } = batch.spec.agents[0]
  for (let step = 0; step < 25; step++) {
    batch.step(Int32Array.of(2, 1, 1, 1, 1, 1))
    observation.forEach(({ low, high, name }, f) => {
      const value = batch.observation[f]
      if (!(value >= low && value <= high)) throw new Error(`${name} is ${value}, not in ${low} to ${high}`)
    })
  }
  expect(planOf(batch.spec.options as unknown as Options).speeds[0]).toBeGreaterThan(2)
})
