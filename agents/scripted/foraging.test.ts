import { describe, expect, test } from 'vitest'
import { createBatch, episodeSeed, Generator, namedSeed, type EnvBatch } from '../../envs/core/index.ts'
import { foraging, type ForagingWorld } from '../../envs/foraging/index.ts'
import { fromPicture, pictureOf } from '../../envs/foraging/picture.ts'
import { fromReference } from '../../envs/foraging/reference.ts'
import { playEpisodes } from '../core/play.ts'
import { type AgentView, type Policy, type PolicyDefinition, type PrivilegedPolicy } from '../core/policy.ts'
import { foragingCaptain } from './foraging-captain.ts'
import { foragingAble, foragingJoint, foragingMiddle, foragingNearest } from './foraging-heuristics.ts'
import { random } from './random.ts'

function mean(definition: PolicyDefinition, options: Record<string, unknown>, episodes = 100): number {
  const batch = createBatch(foraging, options, { lanes: 50, autoreset: 'disabled' })
  const seeds = Array.from({ length: episodes }, (_, e) => episodeSeed('heuristics', 'eval', 0, e))
  const played = playEpisodes({ batch, policy: definition.create(batch.spec), seeds, rng: 1, teamReward: 'sum' })
  return played.episodes.reduce((sum, episode) => sum + episode.return, 0) / episodes
}

/** What a policy chooses on a drawn field. */
function choices(definition: PolicyDefinition, picture: string, more: Record<string, unknown> = {}): string {
  const { options, state } = fromPicture(picture)
  const batch: EnvBatch = createBatch(foraging, { ...options, ...more }, { autoreset: 'disabled' })
  batch.reset()
  batch.load(0, fromReference(state, batch))
  const agents = Int32Array.from(batch.spec.agents, (_, n) => n)
  const view: AgentView = { ...batch, spec: batch.spec, agents }
  const action = new Int32Array(agents.length)
  const policy = definition.create(batch.spec) as Policy
  policy.act(view, policy.memory(1, agents.length), { action }, new Generator(namedSeed('choices', picture)))
  const [space] = batch.spec.agents.map((agent) => agent.action)
  return [...action].map((choice) => (space.kind === 'discrete' ? space.names[choice] : '')).join(' ')
}

describe('the heuristics of the original', () => {
  const field = '. . . . .\n . 3 . . .\n . . . . .\n . . a1 1 .\n . . . . b2'

  test('the nearest food, whatever its level, in the order north, south, east, west', () => {
    // a stands beside the 1; b is 1 up and 1 left of it: north first.
    expect(choices(foragingNearest, field)).toBe('load north')
    expect(choices(foragingNearest, field, { observation: 'grid' })).toBe('load north')
    expect(choices(foragingNearest, field, { sightCells: 2 })).toBe('load north')
    expect(choices(foragingNearest, field, { sightCells: 2, strict: true })).toBe('load north')
  })

  test('only what it can lift alone', () => {
    const heavy = '. . . . .\n . 2 . . .\n . . . . .\n . . a1 3 .\n b2 . . . .'
    // a can lift neither and wanders; b goes for the 2: three rows up, one column right.
    expect(choices(foragingAble, heavy)).toMatch(/ north$/)
    expect(choices(foragingAble, heavy).split(' ')[0]).not.toBe('')
  })

  test('the food nearest to the middle of all in sight', () => {
    // The middle of (0,0) and (4,4) is (2,2): the 2 at (1,2) is nearer to it than the 1 at (1,0)... a stands beside that.
    const spread = 'a1 . . . .\n 1 . 2 . .\n . . . . .\n . . . . .\n . . . . b1'
    expect(choices(foragingMiddle, spread)).toBe('east north') // a cannot go south, into the 1
    expect(choices(foragingJoint, spread)).toBe('east north')
    // Together they lift at most 2: of a 3 the joint heuristic keeps away.
    expect(choices(foragingJoint, spread.replace('2', '3'))).toMatch(/^load /)
  })

  test('those that compare levels refuse worlds that hide them, with a sentence', () => {
    const { spec } = createBatch(foraging, { levelsObserved: false })
    expect(() => foragingAble.create(spec)).toThrow(/levelsObserved is false; expected true/)
    expect(() => foragingJoint.create(spec)).toThrow(/levelsObserved is false; expected true/)
    expect(foragingNearest.create(spec).name).toBe('foraging-nearest')
  })

  test('every one plays every kind of observation, masked or not, and beats random play', () => {
    for (const options of [
      { players: 3 },
      { players: 3, sightCells: 2 },
      { players: 3, sightCells: 2, strict: true, actionMask: true },
      { players: 3, sightCells: 3, observation: 'grid' },
      { players: 3, rows: 6, columns: 9, sightCells: 3, observation: 'grid', actionMask: true },
    ]) {
      const baseline = mean(random, options)
      for (const policy of [foragingNearest, foragingMiddle, foragingAble, foragingJoint]) {
        expect(mean(policy, options), `${policy.name} ${JSON.stringify(options)}`).toBeGreaterThan(1.2 * baseline)
      }
    }
  })
})

describe('the captain', () => {
  test('brings everything home where there is time, so the maximum return of 1 is reached', () => {
    expect(mean(foragingCaptain, {})).toBeCloseTo(1, 6)
    expect(mean(foragingCaptain, { foods: 2, cooperative: true })).toBeCloseTo(1, 6)
    expect(mean(foragingCaptain, { rows: 10, columns: 10, players: 3, strict: true })).toBeCloseTo(1, 6)
  })

  test('lets nobody load before the group is strong enough', () => {
    const { options, state } = fromPicture('. . . . .\n . . 3 a1 .\n . . . . .\n b2 . . . .')
    const batch = createBatch(foraging, { ...options, penalty: 1 }, { autoreset: 'disabled' })
    batch.reset()
    batch.load(0, fromReference(state, batch))
    const captain = foragingCaptain.create(batch.spec) as PrivilegedPolicy
    const memory = captain.memory(1, 2)
    const action = new Int32Array(2)
    while (batch.terminated[0] === 0 && batch.stepCount[0] < 10) {
      captain.act(batch, Int32Array.of(0, 1), memory, { action }, new Generator(namedSeed('captain', 'unused')))
      batch.step(action)
    }
    // b walks three cells to a side of the 3, then both load.
    expect([batch.stepCount[0], batch.metrics(0).failedLoads]).toEqual([4, 0])
    expect(pictureOf(batch.world as ForagingWorld)).not.toContain('3')
  })

  test('leads the players it is given and leaves the others alone', () => {
    const batch = createBatch(foraging, { players: 4 }, { lanes: 3, control: [3, 1] })
    batch.reset()
    const captain = foragingCaptain.create(batch.spec) as PrivilegedPolicy
    const memory = captain.memory(3, 1)
    const action = new Int32Array(3)
    for (let step = 0; step < 60; step++) {
      captain.act(batch, Int32Array.of(1), memory, { action }, new Generator(namedSeed('captain', 'unused')))
      batch.step(Int32Array.of(0, action[0], 0, action[1], 0, action[2]))
    }
  })
})
