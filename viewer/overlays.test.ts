import { describe, expect, it } from 'vitest'
import { createBatch, ENVS, envSpec } from '../envs/index.ts'
import { findAgents } from './agents.ts'
import { happenings, movesAtAll, pathOf, plansIn, seeing, signOf, visits } from './overlays.ts'
import { Episode } from './sources/episode.ts'
import { type EpisodeInfo } from './sources/messages.ts'
import { decimated } from './strip-data.ts'
import { EMPTY, gather } from './survey.ts'
import { recordEpisode } from './e2e/support.ts'

/** Two agents over three steps: a walks right, b comes into the picture at step 2. */
const walk = {
  ...EMPTY,
  steps: 3,
  placed: 3,
  places: Float32Array.of(0, 0, NaN, NaN, 1, 0, NaN, NaN, 2, 0, 5, 5, 2, 0, 5, 5),
}
const entity = (heading?: number) => ({
  id: 'a',
  kind: 'robot',
  x: 0,
  y: 0,
  ...(heading === undefined ? {} : { heading }),
})
const names = (...list: string[]) => ({ kind: 'discrete' as const, names: list })

describe('paths and heat maps', () => {
  it('a path holds the places that are known, within the stretch asked for', () => {
    expect(pathOf(walk, 2, 0, -5, 2)).toEqual([
      { x: 0, y: 0 },
      { x: 1, y: 0 },
      { x: 2, y: 0 },
    ])
    expect(pathOf(walk, 2, 1, 0, 99)).toHaveLength(2)
    expect(movesAtAll(walk, 2)).toBe(true)
    expect(movesAtAll({ ...walk, placed: 0 }, 2)).toBe(false)
  })

  it('visits count one per agent and step, up to the step', () => {
    const all = visits(walk, 2, -1, 3)
    expect(Object.fromEntries([...all.cells].map(([key, { count }]) => [key, count]))).toEqual({
      '0,0': 1,
      '1,0': 1,
      '2,0': 2,
      '5,5': 2,
    })
    expect(all.most).toBe(2)
    expect([...visits(walk, 2, 0, 1).cells.keys()]).toEqual(['0,0', '1,0'])
  })

  it('events count where they happened, of one agent or of all', () => {
    const at = { x: 1, y: 1 }
    const events = [
      { step: 1, kind: 'blocked', agents: ['a'], at, value: null },
      { step: 2, kind: 'blocked', agents: ['b'], at, value: null },
      { step: 9, kind: 'blocked', agents: ['a'], at, value: null },
    ]
    expect(happenings({ ...walk, events }, null, 5).most).toBe(2)
    expect(happenings({ ...walk, events }, 'a', 5).most).toBe(1)
  })

  it('places come with the survey, step by step as the simulation has them', () => {
    const episode = recordEpisode({
      env: 'warehouse',
      options: { size: 'tiny', robots: 2, horizon: 30 },
      scenario: 'warehouse/tiny-2ag',
    })
    const opened = new Episode('x', episode.bytes, ENVS)
    let overview = EMPTY
    do overview = gather(overview, opened.survey(7), 2, 30)
    while (!overview.done)
    expect(overview.placed).toBe(30)
    const batch = episode.simulate()
    for (let step = 0; step <= 30; step++) {
      if (step > 0) batch.step(episode.actions[step - 1])
      const robots = batch.frame(0).entities.filter(({ kind }) => kind === 'robot')
      expect([...overview.places.subarray(step * 4, step * 4 + 4)]).toEqual(robots.flatMap(({ x, y }) => [x, y]))
      expect([...overview.rewards.subarray(step * 2, step * 2 + 2)]).toEqual(step === 0 ? [0, 0] : [...batch.reward])
    }
  })
})

describe('who sees whom', () => {
  const shown = (env: string, options: Record<string, unknown>, steps: number) => {
    const episode = recordEpisode({ env, options, scenario: `${env}/x` })
    const opened = new Episode('x', episode.bytes, ENVS)
    return { info: opened.info, record: opened.records(steps, 1)[0] }
  }

  it('in the warehouse exactly those whose window has a robot there', () => {
    const { info, record } = shown('warehouse', { size: 'tiny', robots: 12, sensorRange: 2, horizon: 20 }, 7)
    const spec = info.spec!
    let robots = 0
    const own = Math.floor(25 / 2) // the own cell of a window of five by five
    spec.agents.forEach((agent, n) => {
      agent.observation
        .map(({ name }, index) => ({ name, value: record.observation![n * spec.observationSize + index] }))
        .filter(({ name }) => /^cell\(.*\)\.robot$/.test(name))
        .forEach(({ value }, cell) => {
          if (cell !== own) robots += value
        })
    })
    expect(robots).toBeGreaterThan(2)
    expect(seeing(info, record)).toHaveLength(robots)
  })

  it('in the skirmish what each unit observes, so that nobody sees the fallen', () => {
    const { info, record } = shown('skirmish', { map: '3m' }, 0)
    const spec = envSpec(ENVS.skirmish, { map: '3m' })
    const pairs = seeing(info, record)
    // At the start the three stand together and see each other.
    for (const from of info.agents) {
      expect(pairs.filter((pair) => pair.from === from && pair.to.startsWith('agent_'))).toHaveLength(2)
    }
    expect(spec.agents).toHaveLength(3)
    const blind: EpisodeInfo = info
    expect(seeing(blind, { ...record, observation: new Float32Array(record.observation!.length) })).toEqual([])
  })
})

describe('signs of actions', () => {
  it('compass words are arrows, waiting is a dot, other words are words', () => {
    const space = names('no-op', 'north', 'east', 'attack enemy_2', 'load', 'up, say 1')
    const sign = (action: number) => signOf(space, [action], entity())
    expect(sign(0)).toEqual({ kind: 'stay' })
    expect(sign(1)).toEqual({ kind: 'move', dx: 0, dy: -1 })
    expect(sign(2)).toEqual({ kind: 'move', dx: 1, dy: 0 })
    expect(sign(3)).toEqual({ kind: 'at', id: 'enemy_2' })
    expect(sign(4)).toEqual({ kind: 'word', text: 'load' })
    expect(sign(5)).toEqual({ kind: 'move', dx: 0, dy: -1 })
  })

  it('where one can go forward, left and right are turns', () => {
    const space = names('noop', 'forward', 'left', 'right')
    expect(signOf(space, [2], entity(0))).toEqual({ kind: 'turn', by: -1 })
    expect(signOf(space, [3], entity(0))).toEqual({ kind: 'turn', by: 1 })
    const { dx, dy } = signOf(space, [1], entity(Math.PI / 2)) as { dx: number; dy: number }
    expect(dx).toBeCloseTo(1)
    expect(dy).toBeCloseTo(0)
  })

  it('every action of every world has a sign', () => {
    for (const definition of Object.values(ENVS)) {
      const batch = createBatch(definition, {}, { autoreset: 'disabled' })
      batch.reset(['0'.repeat(32)] as never)
      for (const agent of batch.spec.agents) {
        if (agent.action.kind !== 'discrete') continue
        agent.action.names.forEach((name, action) => {
          const sign = signOf(agent.action, [action], entity(0))
          if (sign.kind === 'word') expect(sign.text).toBe(name)
        })
      }
    }
  })
})

it('plans are read from notes line by line, and anything else is text', () => {
  expect(plansIn('agent_3 plan 4,5 4,6\nthinking about 4,5\nb plan -1,2.5')).toEqual([
    {
      agent: 'agent_3',
      points: [
        { x: 4, y: 5 },
        { x: 4, y: 6 },
      ],
    },
    { agent: 'b', points: [{ x: -1, y: 2.5 }] },
  ])
  expect(plansIn('agent_3 plan')).toEqual([])
  expect(plansIn('agent_3 plan <b>,2')).toEqual([])
})

it('a line of many steps keeps its spikes', () => {
  const corners = decimated((t) => (t === 537 ? 9 : t === 538 ? -9 : 0), 0, 999, 10)
  expect(corners.filter(({ value }) => value !== 0)).toEqual([
    { step: 537, value: 9 },
    { step: 538, value: -9 },
  ])
  expect(corners.length).toBeLessThan(110)
})

it('agents are found by number, by name and by part of it', () => {
  const agents = Array.from({ length: 200 }, (_, n) => `agent_${n}`)
  expect(findAgents(agents, '137', 3)).toEqual(['agent_137'])
  expect(findAgents(agents, ' Agent_13 ', 3)).toEqual(['agent_13', 'agent_130', 'agent_131'])
  expect(findAgents(agents, 'robot', 3)).toEqual([])
})
