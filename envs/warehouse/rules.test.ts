import { describe, expect, test } from 'vitest'
import { createBatch, type EnvBatch } from '../core/index.ts'
import { warehouse } from './index.ts'
import { type Options } from './options.ts'
import { fromPicture, pictureOf } from './picture.ts'
import { fromReference, toReference } from './reference.ts'
import { type WarehouseWorld } from './state.ts'

const [NOOP, FORWARD, LEFT, RIGHT, TOGGLE] = [0, 1, 2, 3, 4]

interface Drawn {
  readonly batch: EnvBatch
  /** Plays one joint action and draws the result. */
  step(...actions: number[]): string
  rewards(): number[]
}

function world(picture: string, more: Partial<Options> = {}, delivered: readonly number[] = []): Drawn {
  const { options, state } = fromPicture(picture)
  const batch = createBatch(warehouse, { ...options, ...more }, { autoreset: 'disabled' })
  batch.reset()
  const agents = state.agents.map((agent, n) => ({ ...agent, delivered: delivered.includes(n) }))
  batch.load(0, fromReference({ ...state, agents }, batch))
  return {
    batch,
    step(...actions) {
      batch.reward.fill(99)
      batch.step(Int32Array.from(actions))
      return pictureOf(batch.world as WarehouseWorld)
    },
    rewards: () => [...batch.reward],
  }
}

/** A picture without superfluous blanks. */
const tidy = (picture: string) =>
  picture
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).join(' '))
    .join('\n')

const same = (drawn: string, expected: string) => expect(tidy(drawn)).toBe(tidy(expected))

describe('driving', () => {
  test('a robot drives one cell the way it faces and stays at a wall', () => {
    const floor = world('.>0 . . \n x . g')
    same(floor.step(FORWARD), '. .>0 . \n x . g')
    same(floor.step(FORWARD), '. . .>0 \n x . g')
    same(floor.step(FORWARD), '. . .>0 \n x . g')
    expect(floor.batch.metrics(0)).toMatchObject({ distance: 2, blockedMoves: 0, idleTime: 1 })
  })

  test('left turns run up, left, down, right, and right turns back', () => {
    const floor = world('.^0 x g')
    for (const arrow of ['<', 'v', '>', '^']) same(floor.step(LEFT), `.${arrow}0 x g`)
    for (const arrow of ['>', 'v', '<', '^']) same(floor.step(RIGHT), `.${arrow}0 x g`)
  })

  test('an empty robot drives under standing shelves', () => {
    same(world('.>0 x g').step(FORWARD), '. x>0 g')
  })

  test('a loaded robot takes its shelf along', () => {
    same(world('.>0* . _ g').step(FORWARD), '. .>0* _ g')
  })

  test('a loaded robot does not drive into a standing shelf', () => {
    same(world('.>0* x _ g').step(FORWARD), '.>0* x _ g')
  })

  test('a loaded robot stays behind an empty one that leaves from under a standing shelf', () => {
    same(world('.>0* x>1 . _ g').step(FORWARD, FORWARD), '.>0* x .>1 _ g')
  })

  test('a loaded robot follows a loaded one in the same step', () => {
    same(world('.>0* .>1* . _ _ g').step(FORWARD, FORWARD), '. .>0* .>1* _ _ g')
  })
})

describe('who moves', () => {
  test('a follower enters the cell that is left in the same step', () => {
    same(world('.>0 .>1 . x g').step(FORWARD, FORWARD), '. .>0 .>1 x g')
  })

  test('a queue behind a robot that stays does not move', () => {
    same(world('.>0 .>1 .>2 . x g').step(FORWARD, FORWARD, NOOP), '.>0 .>1 .>2 . x g')
  })

  test('a queue behind a robot at the wall does not move', () => {
    same(world('x g . .>0 .>1').step(FORWARD, FORWARD), 'x g . .>0 .>1')
  })

  test('two that face each other stay, and so does everybody behind', () => {
    same(world('.>2 .>0 .<1 .<3 x g').step(FORWARD, FORWARD, FORWARD, FORWARD), '.>2 .>0 .<1 .<3 x g')
  })

  test('a ring of four turns', () => {
    const ring = world('.>0 .v1 . \n .^3 .<2 . \n x . g')
    same(ring.step(FORWARD, FORWARD, FORWARD, FORWARD), '.^3 .>0 . \n .<2 .v1 . \n x . g')
  })

  test('a robot that wants into a turning ring waits', () => {
    const ring = world('.>0 .v1 .<4 \n .^3 .<2 . \n x . g')
    same(ring.step(...Array<number>(5).fill(FORWARD)), '.^3 .>0 .<4 \n .<2 .v1 . \n x . g')
  })

  test('the longer queue wins a contested cell', () => {
    const merge = world('.>2 .>1 . .<0 x g')
    same(merge.step(FORWARD, FORWARD, FORWARD), '. .>2 .>1 .<0 x g')
  })

  test('of equally long queues the lowest robot number goes first', () => {
    same(world('.>1 . .<0 x g').step(FORWARD, FORWARD), '.>1 .<0 . x g')
    same(world('.>0 . .<1 x g').step(FORWARD, FORWARD), '. .>0 .<1 x g')
  })

  test('at a contested cell within a queue only one branch follows', () => {
    // 0 leaves; 1 comes from the left with 3 behind it, 2 from below alone.
    const merge = world('.>3 .>1 .>0 . \n . x .^2 g')
    same(merge.step(FORWARD, FORWARD, FORWARD, FORWARD), '. .>3 .>1 .>0 \n . x .^2 g')
  })

  test('a lost contest holds back the whole branch', () => {
    const merge = world('.>3 .>2 . .<0 .<1 .<4 x g')
    same(merge.step(...Array<number>(5).fill(FORWARD)), '.>3 .>2 .<0 .<1 .<4 . x g')
  })
})

describe('shelves', () => {
  test('toggling picks up the shelf above and puts it down on any empty home', () => {
    const floor = world('x<0 _ g . .<1*')
    same(floor.step(TOGGLE, FORWARD), '_<0* _ g .<1* .')
    same(floor.step(RIGHT, NOOP), '_^0* _ g .<1* .')
    same(floor.step(RIGHT, NOOP), '_>0* _ g .<1* .')
    same(floor.step(FORWARD, NOOP), '_ _>0* g .<1* .')
    same(floor.step(TOGGLE, NOOP), '_ x>0 g .<1* .')
  })

  test('in a corridor and on a goal nothing is put down', () => {
    const floor = world('.>0* g _ x')
    same(floor.step(TOGGLE), '.>0* g _ x')
    floor.step(FORWARD)
    same(floor.step(TOGGLE), '. g>0* _ x')
    expect(floor.batch.metrics(0).idleTime).toBe(2)
  })

  test('two shelves never share a home: a loaded robot cannot reach an occupied one', () => {
    const floor = world('.>0* x _ g')
    for (let step = 0; step < 3; step++) {
      same(floor.step(FORWARD), '.>0* x _ g')
      same(floor.step(TOGGLE), '.>0* x _ g')
    }
  })
})

describe('deliveries', () => {
  test('a requested shelf on a goal pays its robot, without being put down, and another is requested', () => {
    const floor = world('x .>0*! g _ x')
    floor.step(FORWARD)
    expect(floor.rewards()).toEqual([1])
    const { requests } = toReference(floor.batch, 0)
    expect(requests).toHaveLength(1)
    expect([0, 2]).toContain(requests[0]) // the carried shelf is number 1
    floor.step(NOOP)
    expect(floor.rewards()).toEqual([0])
  })

  test('a shelf that nobody asked for pays nothing', () => {
    const floor = world('x! .>0* g _')
    floor.step(FORWARD)
    expect(floor.rewards()).toEqual([0])
  })

  test('with the global reward everybody is paid', () => {
    const floor = world('x .>0*! g _ .^1', { reward: 'global' })
    floor.step(FORWARD, NOOP)
    expect(floor.rewards()).toEqual([1, 1])
  })

  test('in two stages the second half comes with the next put-down on any home', () => {
    const floor = world('x _ g<0*! x', { reward: 'two-stage' })
    floor.step(NOOP)
    expect(floor.rewards()).toEqual([0.5])
    expect(floor.batch.rewardTerms!(0).delivery).toEqual(Float32Array.of(0.5))
    floor.step(FORWARD)
    floor.step(TOGGLE)
    expect(floor.rewards()).toEqual([0.5])
    expect(floor.batch.rewardTerms!(0)).toEqual({ delivery: Float32Array.of(0), return: Float32Array.of(0.5) })
    floor.step(TOGGLE)
    floor.step(TOGGLE)
    expect(floor.rewards()).toEqual([0])
  })

  test('a put-down clears the mark in every reward mode', () => {
    const floor = world('_<0* x g', {}, [0])
    floor.step(TOGGLE)
    expect(floor.rewards()).toEqual([0])
    expect(toReference(floor.batch, 0).agents[0].delivered).toBe(false)
  })

  test('a shelf drawn for the first goal pays in the same step when it waits on the second', () => {
    // Two shelves and one request: the only replacement is the one on the other goal.
    const first = world('g<0*! g<1* _ _')
    first.step(NOOP, NOOP)
    expect(first.rewards()).toEqual([1, 1])
    // The other way round it pays one step later.
    const second = world('g<0* g<1*! _ _')
    second.step(NOOP, NOOP)
    expect(second.rewards()).toEqual([0, 1])
    second.step(NOOP, NOOP)
    expect(second.rewards()).toEqual([1, 1])
  })
})

describe('endings', () => {
  test('the horizon truncates at exactly the asked step', () => {
    const batch = createBatch(warehouse, { horizon: 7 }, { autoreset: 'disabled' })
    batch.reset()
    for (let step = 1; step <= 7; step++) {
      batch.step(Int32Array.of(0, 0))
      expect([step, batch.truncated[0], batch.terminated[0]]).toEqual([step, step === 7 ? 1 : 0, 0])
    }
  })

  test('the horizon is a termination where asked', () => {
    const batch = createBatch(warehouse, { horizon: 1, horizonEnds: 'termination' }, { autoreset: 'disabled' })
    batch.reset()
    batch.step(Int32Array.of(0, 0))
    expect([batch.truncated[0], batch.terminated[0]]).toEqual([0, 1])
  })

  test('too long without a delivery terminates, and a delivery starts the count again', () => {
    const floor = world('x .<0*! . g _ x', { inactivityLimit: 3 })
    floor.step(RIGHT)
    floor.step(RIGHT)
    expect(floor.batch.terminated[0]).toBe(0)
    floor.step(FORWARD)
    expect(floor.batch.terminated[0]).toBe(1)

    const quick = world('x . .>0*! g _ x', { inactivityLimit: 2 })
    quick.step(NOOP)
    quick.step(FORWARD)
    expect(quick.batch.terminated[0]).toBe(0)
    quick.step(NOOP)
    quick.step(NOOP)
    expect(quick.batch.terminated[0]).toBe(1)
  })

  test('an inactivity limit of 0 is none', () => {
    const floor = world('x .<0 g', { inactivityLimit: 0 })
    for (let step = 0; step < 100; step++) floor.step(NOOP)
    expect(floor.batch.terminated[0]).toBe(0)
  })
})

describe('counts', () => {
  test('a refused move counts as blocked and idle, and ten steps after it the robot is in a standstill', () => {
    const floor = world('.>0 .<1 x g')
    for (let step = 1; step <= 12; step++) floor.step(step === 1 ? FORWARD : step % 2 === 0 ? LEFT : RIGHT, NOOP)
    // Robot 0 was refused in step 1 and only turned since: in a standstill in steps 10, 11 and 12. Robot 1 never tried.
    expect(floor.batch.metrics(0)).toEqual({
      deliveries: 0,
      distance: 0,
      blockedMoves: 1,
      idleTime: 13,
      standstill: 3 / 12,
      episodeLength: 12,
    })
  })

  test('moving or changing its load ends a standstill', () => {
    const floor = world('x>0 .<1 . x g')
    for (let step = 0; step < 10; step++) floor.step(FORWARD, NOOP)
    expect(floor.batch.frame(0).counters.standstill).toBe(1)
    floor.step(TOGGLE, NOOP)
    expect(floor.batch.frame(0).counters.standstill).toBe(0)
  })
})
