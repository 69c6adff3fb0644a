import { describe, expect, test } from 'vitest'
import { fixtureJson } from '../../testing.ts'
import { createBatch } from '../core/index.ts'
import { skirmish } from './index.ts'
import {
  fromReference,
  mapOnGround,
  optionsFromReference,
  scriptFrames,
  showFrame,
  toReference,
  writeFrame,
  type ReferenceUnit,
} from './reference.ts'
import { type SkirmishWorld } from './state.ts'

interface GoldenFrame {
  readonly units: readonly ReferenceUnit[]
  readonly agent_order: readonly number[]
  readonly enemy_order: readonly number[]
  readonly avail: readonly (readonly number[])[]
  readonly obs: readonly (readonly number[])[]
  readonly state: readonly number[]
}

interface Case {
  readonly id: string
  readonly map?: string
  readonly race?: string
  readonly options: Record<string, unknown>
  readonly episode_limit: number
  readonly grid?: unknown
  readonly max_reward: number
  readonly frames: readonly GoldenFrame[]
  readonly steps: readonly {
    readonly actions: readonly number[]
    readonly commands: readonly {
      readonly unit: number
      readonly ability: string
      readonly target: number | null
      readonly point: readonly [number, number] | null
    }[]
    readonly reward: number
    readonly terminated: boolean
    readonly info: { readonly battle_won: boolean; readonly dead_allies: number; readonly dead_enemies: number }
  }[]
}

const casesOf = (name: string) => fixtureJson<{ cases: Case[] }>(`skirmish/golden/${name}`)?.cases ?? []

/** The ground of the SMAC recordings: x in 0..2 and a block in the middle are walls; heights follow a formula. */
const ROWS = Array.from({ length: 32 }, (_, r) =>
  Array.from({ length: 32 }, (_, x) => {
    const y = 31 - r
    return x <= 2 || (x >= 14 && x <= 15 && y >= 18 && y <= 21) ? '#' : '.'
  }).join(''),
)
const HEIGHTS = Array.from({ length: 32 }, (_, r) =>
  Array.from({ length: 32 }, (_, x) => ((7 * x + 3 * (31 - r)) % 32) / 31),
)

function optionsOf(one: Case): Record<string, unknown> {
  const frame = one.frames[0]
  return {
    ...(one.map === undefined
      ? { map: `${one.race}_${frame.agent_order.length}_vs_${frame.enemy_order.length}` }
      : { custom: mapOnGround(one.map, ROWS, HEIGHTS) }),
    compatibility: true,
    horizon: one.episode_limit,
    horizonEnds: 'termination',
    ...optionsFromReference(one.options),
  }
}

const near = (got: ArrayLike<number>, wanted: readonly number[], what: string) => {
  expect(got.length, what).toBe(wanted.length)
  for (let i = 0; i < wanted.length; i++) {
    if (Math.abs(got[i] - wanted[i]) > 1e-5)
      throw new Error(`${what}: element ${i} is ${got[i]}, recorded ${wanted[i]}`)
  }
}

function replayCase(one: Case): void {
  const batch = createBatch(skirmish, optionsOf(one), { lanes: 2, autoreset: 'disabled' })
  const world = batch.world as SkirmishWorld
  batch.reset()
  const { sides, units } = world.plan
  const N = sides[0].count
  const [F, A] = [batch.spec.observationSize, batch.spec.actionSize]
  const tagsOf = (frame: GoldenFrame) => [...frame.agent_order, ...frame.enemy_order]
  const compare = (frame: GoldenFrame, what: string) => {
    for (let n = 0; n < N; n++) {
      near(batch.mask.subarray(A * (N + n), A * (N + n + 1)), frame.avail[n], `${what}, mask of ${n}`)
      near(batch.observation.subarray(F * (N + n), F * (N + n + 1)), frame.obs[n], `${what}, observation of ${n}`)
    }
    near(batch.state.subarray(batch.spec.stateSize), frame.state, `${what}, state`)
  }
  const tags = tagsOf(one.frames[0])
  for (const lane of [0, 1]) showFrame(batch, lane, one.frames[0].units, tags)
  compare(one.frames[0], `${one.id} frame 0`)
  one.steps.forEach((step, t) => {
    scriptFrames(batch, (lane) => {
      if (lane === 1) {
        for (const command of step.commands) {
          const u = tags.indexOf(command.unit)
          const i = units + u
          const ability = ['stop', 'move', 'attack', 'heal'][world.order[i]]
          expect(ability, `${one.id} step ${t}: order of ${u}`).toBe(command.ability)
          if (command.target !== null) expect(tags[world.aim[i]]).toBe(command.target)
          if (command.point !== null) near([world.px[i] + 16, world.py[i] + 16], command.point, 'point of a move')
        }
      }
      writeFrame(world, lane, one.frames[t + 1].units, tags)
    })
    batch.step(Int32Array.from([...step.actions, ...step.actions]))
    const what = `${one.id} frame ${t + 1}`
    for (let n = 0; n < N; n++) near([batch.reward[N + n]], [step.reward], `${what}, reward`)
    expect(batch.terminated[1], what).toBe(step.terminated ? 1 : 0)
    const metrics = batch.metrics(1)
    expect(metrics.won, what).toBe(step.info.battle_won ? 1 : 0)
    expect(N - metrics.alliesLeft!, what).toBe(step.info.dead_allies)
    expect(sides[1].count - metrics.enemiesLeft!, what).toBe(step.info.dead_enemies)
    compare(one.frames[t + 1], what)
  })
}

const cases = [...casesOf('smac_fixtures.json'), ...casesOf('smacv2_fixtures.json')]

describe('recorded frames of SMAC and SMACv2', () => {
  if (cases.length === 0) test.skip('are not at hand')
  test.each(cases.map((one) => [one.id, one] as const))(
    'masks, orders, observations, states, rewards and ends are as recorded: %s',
    (_, one) => replayCase(one),
  )
})

test('a lane written as a recording and read back is the same', () => {
  const [one, two] = [0, 1].map(() => createBatch(skirmish, { map: 'MMM' }, { autoreset: 'disabled' }))
  for (const batch of [one, two]) batch.reset()
  one.step(new Int32Array(10).fill(1))
  const before = two.hash(0)
  const snapshot = fromReference(toReference(one, 0), two)
  expect(two.hash(0)).toBe(before)
  two.load(0, snapshot)
  expect(toReference(two, 0)).toEqual(toReference(one, 0))
  expect([...two.observation]).toEqual([...one.observation])
})
