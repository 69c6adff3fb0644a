import { describe, expect, it } from 'vitest'
import { refusal } from '../../testing.ts'
import { ParallelEnv } from './parallel.ts'
import { lanterns } from './sample.ts'
import { episodeSeed } from './seeds.ts'
import { type EnvDefinition } from './types.ts'

/** Three carriers; agent_1 drops out in step 3 (0-based step 2), whatever happens. */
const dying: EnvDefinition = {
  ...(lanterns as EnvDefinition),
  create: (o, port) => {
    const rules = lanterns.create(o as never, port)
    const { out } = rules.arrays
    const step = rules.step.bind(rules)
    rules.step = (lanes, count) => {
      step(lanes, count)
      for (let k = 0; k < count; k++) if (port.step[lanes[k]] === 2) out[lanes[k] * port.agents + 1] = 1
    }
    return rules
  },
}
const CALM = { gustOneIn: 0, cells: 300, horizon: 6 }
const stay = (env: ParallelEnv) => Object.fromEntries(env.agents.map((agent) => [agent, 0]))

const sampled = (env: ParallelEnv, infos: Record<string, { actionMask?: Uint8Array }>) =>
  Object.fromEntries(env.agents.map((id) => [id, env.actionSpace(id).sample(infos[id].actionMask)]))

describe('the Parallel view', () => {
  it('shows an agent in the step it dies, and never again in the episode', () => {
    const env = new ParallelEnv(dying, CALM)
    for (let episode = 0; episode < 2; episode++) {
      const { observations } = env.reset()
      expect(Object.keys(observations)).toEqual(['agent_0', 'agent_1', 'agent_2'])
      env.step(stay(env))
      env.step(stay(env))
      expect(env.agents).toEqual(['agent_0', 'agent_1', 'agent_2'])
      const death = env.step(stay(env))
      for (const part of [death.observations, death.rewards, death.terminations, death.truncations, death.infos]) {
        expect(Object.keys(part)).toEqual(['agent_0', 'agent_1', 'agent_2'])
      }
      expect(death.terminations).toEqual({ agent_0: false, agent_1: true, agent_2: false })
      expect(death.truncations).toEqual({ agent_0: false, agent_1: false, agent_2: false })
      expect(env.agents).toEqual(['agent_0', 'agent_2'])
      const next = env.step(stay(env))
      for (const part of [next.observations, next.rewards, next.terminations, next.truncations, next.infos]) {
        expect(Object.keys(part)).toEqual(['agent_0', 'agent_2'])
      }
      env.step(stay(env))
      const last = env.step(stay(env))
      expect(last.truncations).toEqual({ agent_0: true, agent_2: true })
      expect(last.terminations).toEqual({ agent_0: false, agent_2: false })
      expect(last.infos.agent_0.episode).toMatchObject({ length: 6, metrics: { episodeLength: 6 } })
      expect(env.agents).toEqual([])
    }
  })

  it('runs three episodes in a loop over its agents', () => {
    const env = new ParallelEnv(lanterns, { gustOneIn: 5, horizon: 30 })
    const lengths: number[] = []
    for (let episode = 0; episode < 3; episode++) {
      let { infos } = env.reset(episode === 0 ? { seed: 11 } : {})
      let steps = 0
      while (env.agents.length > 0) {
        ;({ infos } = env.step(sampled(env, infos)))
        steps++
      }
      lengths.push(steps)
    }
    expect(lengths.every((steps) => steps > 0 && steps <= 30)).toBe(true)
  })

  it('begins the same episode for the same seed, whatever was played before, and goes on from there', () => {
    const env = new ParallelEnv(lanterns, { horizon: 5 })
    const hashes = (count: number) => Array.from({ length: count }, () => (env.reset(), env.hash()))
    env.reset({ seed: 3 })
    const first = [env.hash(), ...hashes(3)]
    expect(new Set(first).size).toBe(4)
    env.reset()
    env.step(stay(env))
    env.reset({ seed: 3 })
    expect([env.hash(), ...hashes(3)]).toEqual(first)
    const other = new ParallelEnv(lanterns, { horizon: 5 })
    other.reset({ seed: 3 })
    expect(other.hash()).toBe(first[0])
    other.reset({ seed: 4 })
    expect(other.hash()).not.toBe(first[0])
    const exact = episodeSeed(3, 'train', 0, 0)
    other.reset({ seed: exact })
    expect(other.hash()).toBe(first[0])
    for (const wrong of [-1, 1.5, NaN, 2 ** 53, 'seven']) {
      expect(refusal(() => env.reset({ seed: wrong as number })).message).toMatch(/seed is/)
    }
  })

  it('samples the same actions in two instances with the same seeds, agents apart', () => {
    const play = (seed: number) => {
      const env = new ParallelEnv(lanterns, { horizon: 20, gustOneIn: 0, cells: 300 })
      for (const agent of env.possibleAgents) env.actionSpace(agent).seed(seed)
      let { infos } = env.reset({ seed: 1 })
      const taken: string[] = []
      while (env.agents.length > 0) {
        const actions = sampled(env, infos)
        taken.push(Object.values(actions).join(''))
        ;({ infos } = env.step(actions))
      }
      return { taken, hash: env.hash() }
    }
    expect(play(5)).toEqual(play(5))
    expect(play(5).taken).not.toEqual(play(6).taken)
    expect(new Set(play(5).taken.map((joint) => new Set(joint).size)).has(2)).toBe(true)
  })

  it('hands out the same space at every call and copies of everything else', () => {
    const env = new ParallelEnv(lanterns, CALM)
    expect(env.observationSpace('agent_1')).toBe(env.observationSpace('agent_1'))
    expect(env.actionSpace('agent_1')).toBe(env.actionSpace('agent_1'))
    expect(env.observationSpace('agent_1').features.map((feature) => feature.name)).toEqual([
      'cell',
      'lampHere',
      'lampsLeft',
      'alive',
    ])
    const { observations, infos } = env.reset({ seed: 1 })
    const before = env.hash()
    const state = env.state()
    observations.agent_0.fill(99)
    infos.agent_0.actionMask!.fill(0)
    env.agents.length = 0
    env.state().fill(99)
    expect(env.state()).toEqual(state)
    const { observations: next } = env.step(stay(env))
    expect(observations.agent_0[0]).toBe(99)
    expect(next.agent_0[0]).not.toBe(99)
    expect(before).not.toBe(env.hash())
    expect(env.stateSpace.contains(env.state())).toBe(true)
  })

  it('names agent, action and what is legal when an action is wrong, and changes nothing', () => {
    const env = new ParallelEnv(lanterns, { agents: 2, cells: 2, gustOneIn: 0, horizon: 9 })
    expect(refusal(() => env.step({})).message).toBe('lanterns: step is called before reset; expected reset() first')
    const { observations } = env.reset({ seed: 2 })
    const left = observations.agent_1[0] === 0
    const hash = env.hash()
    const tries: [Record<string, unknown>, string][] = [
      [
        { agent_0: 0, agent_1: 7 },
        `lanterns: step 0: action of agent_1 is 7; expected one of 0 stay, ${left ? '2 right' : '1 left'}`,
      ],
      [
        { agent_0: 0, agent_1: left ? 1 : 2 },
        `lanterns: step 0: action of agent_1 is ${left ? '1 left' : '2 right'}, which is masked; expected one of 0 stay, ${left ? '2 right' : '1 left'}`,
      ],
      [
        { agent_0: 0 },
        `lanterns: step 0: action of agent_1 is missing; expected 0 stay, ${left ? '2 right' : '1 left'}`,
      ],
      [
        { agent_0: 0, agent_1: 0, agent_7: 0 },
        'lanterns: step 0: action of "agent_7" is for an agent that is not here; expected actions of agent_0, agent_1; did you mean agent_0?',
      ],
    ]
    for (const [actions, message] of tries) expect(refusal(() => env.step(actions as never)).message).toBe(message)
    for (const wrong of [0.5, NaN, '0', null, undefined, [0, 0], { 0: 0 }, -1, 1e300]) {
      expect(refusal(() => env.step({ agent_0: 0, agent_1: wrong as number })).code).toBe('bad-action')
    }
    for (const wrong of [null, 7, [0, 0], new Int32Array(2), 'agent_0']) {
      expect(refusal(() => env.step(wrong as never)).message).toMatch(
        /expected an object with an action for each of agent_0, agent_1/,
      )
    }
    expect(env.hash()).toBe(hash)
    expect(refusal(() => env.actionSpace('agent_9')).message).toMatch(/did you mean/)
    expect(refusal(() => env.observationSpace('__proto__')).code).toBe('unknown-name')
  })

  it('says that an agent has left when somebody acts for it', () => {
    const env = new ParallelEnv(dying, CALM)
    env.reset()
    for (let t = 0; t < 3; t++) env.step(stay(env))
    expect(refusal(() => env.step({ ...stay(env), agent_1: 0 })).message).toMatch(
      /action of "agent_1" is for an agent that has left/,
    )
    for (let t = 0; t < 3; t++) env.step(stay(env))
    expect(refusal(() => env.step({})).message).toMatch(/called after the episode ended; expected reset/)
  })

  it('takes lists of numbers for multi-discrete and box, and names the dimension that is off', () => {
    const multi = new ParallelEnv(lanterns, { ...CALM, actions: 'multi-discrete', agents: 1 })
    const { infos } = multi.reset()
    expect(infos.agent_0.actionMask!.length).toBe(5)
    multi.step({ agent_0: [0, 1] })
    multi.step({ agent_0: Int32Array.of(0, 0) })
    expect(refusal(() => multi.step({ agent_0: [0, 2] })).message).toMatch(
      /expected one of move: 0 stay.*; voice: 0 silent, 1 call/,
    )
    const box = new ParallelEnv(lanterns, { ...CALM, actions: 'box', agents: 1 })
    expect(box.reset().infos.agent_0).toEqual({})
    box.step({ agent_0: [0.5, 2] })
    expect(refusal(() => box.step({ agent_0: [0, 3] })).message).toMatch(
      /is 3 in glow; expected one of push: a number of -1 to 1/,
    )
    expect(refusal(() => box.step({ agent_0: [NaN, 0] })).code).toBe('bad-action')
    const space = box.actionSpace('agent_0')
    for (let i = 0; i < 50; i++) expect(space.contains(space.sample())).toBe(true)
  })

  it('takes new options at reset as long as the spaces stay, and keeps them', () => {
    const env = new ParallelEnv(lanterns, CALM)
    env.reset({ options: { horizon: 2 } })
    env.step(stay(env))
    expect(env.step(stay(env)).truncations.agent_0).toBe(true)
    env.reset()
    env.step(stay(env))
    env.step(stay(env))
    expect(env.agents).toEqual([])
    expect(refusal(() => env.reset({ options: { agents: 4 } })).message).toMatch(
      /options that keep them, or a new environment/,
    )
    expect(refusal(() => env.reset({ options: { horizn: 4 } })).message).toMatch(/did you mean "horizon"/)
  })

  it('explains what an agent sees by name', () => {
    const env = new ParallelEnv(lanterns, CALM)
    const { observations } = env.reset()
    const rows = env.explain('agent_2')
    expect(rows.map((row) => row.value)).toEqual([...observations.agent_2])
    expect(rows[2]).toEqual({ index: 2, name: 'lampsLeft', value: 300, low: 0, high: 300, meaning: 'dark lamps' })
  })

  it('plays some of the seats and lets the world drive the rest', () => {
    const env = new ParallelEnv(lanterns, CALM, { control: ['agent_2'] })
    expect(env.possibleAgents).toEqual(['agent_2'])
    env.reset()
    while (env.agents.length > 0) expect(Object.keys(env.step({ agent_2: 0 }).rewards)).toEqual(['agent_2'])
  })
})
