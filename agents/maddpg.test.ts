/** What MADDPG promises beside what all learners do. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { Generator, envSpec, namedSeed, withDefaults, type EnvDefinition } from '../envs/core/index.ts'
import { Means } from './core/metrics.ts'
import { Network } from './core/networks.ts'
import { Shown, Targets, trained } from './core/offpolicy.ts'
import { Players } from './core/players.ts'
import { tf } from './core/tensors.ts'
import { lit, open, outFor, start, train, viewOf } from './core/testing.ts'
import { dials } from './core/toys.ts'
import { LEARNERS } from './index.ts'
import { MADDPG_SETTINGS, actorStep, criticStep, targetsOf, type Troop } from './maddpg.ts'

beforeAll(async () => {
  await tf.setBackend('cpu')
})

interface Case {
  observation: number[]
  next: number[]
  action: number[]
  reward: number[]
  discount: number[]
  alive: number[]
  actors: number[][]
  critics: number[][]
  targetActors: number[][]
  targetCritics: number[][]
  targets: number[][]
  criticLoss: number[]
  criticSlope: number[][]
  actorLoss: number[]
  actorSlope: number[][]
}
/** torch 1.13 in float64: two agents, three features, two numbers each; in the last row the second is dead. */
const CASE = (JSON.parse(readFileSync(new URL('core/agent-vectors.json', import.meta.url), 'utf8')) as { maddpg: Case })
  .maddpg

const rng = (name: string) => new Generator(namedSeed(1, name))
const near = (got: ArrayLike<number>, wanted: readonly number[]) => {
  expect(got.length).toBe(wanted.length)
  wanted.forEach((value, i) => expect(got[i], `[${i}]`).toBeCloseTo(value, 5))
}

function troopOf(): { troop: Troop; shown: Shown } {
  const spec = { ...envSpec(dials as unknown as EnvDefinition, { agents: 2 }), observationSize: 3 }
  const shape = { hidden: 4, layers: 1, activation: 'tanh', outputGain: 1 } as const
  const settings = withDefaults(MADDPG_SETTINGS, { lr: 0, criticLr: 0, gradientNorm: 1e9 }, 'test')
  const players = new Players(spec, ['agent_0', 'agent_1'], 'numbers', 1, shape, rng)
  const actors = players.nets.map((nets) => nets.map((net) => trained(net, 1e9)))
  const critics = [0, 1].map((k) =>
    trained(new Network({ ...shape, name: `critic${k}`, inputs: 10, outputs: 1 }, rng('critic')), 1e9),
  )
  const networks = [...actors.flat(), ...critics].map(({ net }) => net)
  const targets = new Targets(networks)
  networks.forEach((net, k) => net.write(Float32Array.from([...CASE.actors, ...CASE.critics][k])))
  targets.nets.forEach((net, k) => net.write(Float32Array.from([...CASE.targetActors, ...CASE.targetCritics][k])))
  const none = new Float32Array(0)
  const batch = {
    rows: 5,
    observation: Float32Array.from(CASE.observation),
    next: Float32Array.from(CASE.next),
    state: none,
    nextState: none,
    action: Float32Array.from(CASE.action),
    mask: new Uint8Array(0),
    nextMask: new Uint8Array(0),
    alive: Uint8Array.from(CASE.alive),
    reward: Float32Array.from(CASE.reward),
    discount: Float32Array.from(CASE.discount),
  }
  return { troop: { settings, players, actors, critics, targets }, shown: new Shown(batch, players, 'observations') }
}

test('critic and actor have the losses and slopes of torch, each from its own reward, and nobody else learns', () => {
  const { troop, shown } = troopOf()
  for (const agent of [0, 1]) {
    const other = 1 - agent
    for (const one of [...troop.actors.flat(), ...troop.critics]) one.gradient.fill(0)
    const means = new Means()
    tf.tidy(() => criticStep(troop, shown, agent, 0, rng('noise'), 1, means))
    tf.tidy(() => actorStep(troop, shown, agent, 0, rng('noise'), 1, means))
    const { valueLoss, policyLoss } = means.all()
    expect(valueLoss).toBeCloseTo(CASE.criticLoss[agent], 5)
    expect(policyLoss).toBeCloseTo(CASE.actorLoss[agent], 5)
    near(troop.critics[agent].gradient, CASE.criticSlope[agent])
    near(troop.actors[agent][0].gradient, CASE.actorSlope[agent])
    expect(troop.actors[other][0].gradient.every((slope) => slope === 0)).toBe(true)
    expect(troop.critics[other].gradient.every((slope) => slope === 0)).toBe(true)
  }
})

test('targets come from target networks, and are the reward alone where an episode ended', () => {
  const { shown } = troopOf()
  near(targetsOf(shown, 0, new Float32Array(5)), CASE.reward.filter((_, i) => i % 2 === 0)) // prettier-ignore
  const ended = targetsOf(shown, 1, new Float32Array(5).fill(1000))
  CASE.discount.forEach((discount, k) => {
    expect(ended[k]).toBeCloseTo(CASE.reward[k * 2 + 1] + 1000 * discount, 3)
  })
})

test('target networks move by tau of the way, once per gradient step', () => {
  const { troop } = troopOf()
  const [before, online] = [troop.targets.nets[0].read(), troop.actors[0][0].net.read()]
  troop.targets.follow(0.25)
  troop.targets.nets[0].read().forEach((value, i) => {
    expect(value).toBeCloseTo(before[i] + 0.25 * (online[i] - before[i]), 6)
  })
})

test('an episode is played with one policy of each agent; all policies come up', () => {
  const learner = start(LEARNERS.maddpg, lit({ agents: 2, horizon: 5 }), { policies: 3, lanes: 4, memory: 400, warmup: 1e6 }) // prettier-ignore
  train(learner, 12) // rollouts of five steps, episodes of five
  const { data } = learner.save().weights['store/steps/part']
  const seen = new Set<string>()
  for (let rollout = 0; rollout < 12; rollout++) {
    for (let lane = 0; lane < 4; lane++) {
      for (const agent of [0, 1]) {
        const parts = [0, 1, 2, 3, 4].map((t) => data[((rollout * 5 + t) * 4 + lane) * 2 + agent])
        expect(new Set(parts).size).toBe(1)
        seen.add(`${agent} ${parts[0]}`)
      }
    }
  }
  expect(seen.size).toBe(6)
})

test('a policy of an ensemble plays one part from the start of an episode to its end', () => {
  const learner = start(LEARNERS.maddpg, lit({ agents: 1 }), { policies: 4 })
  const batch = open(lit({ agents: 1 }), 64, 3)
  batch.reset()
  const policy = learner.policy('sample')
  const memory = policy.memory(64, 1) as { hidden: Float32Array }
  policy.act(viewOf(batch), memory, outFor(batch), rng('draws'))
  const drawn = memory.hidden.slice()
  expect(new Set(drawn).size).toBe(4)
  policy.act({ ...viewOf(batch), episodeStart: new Uint8Array(64) }, memory, outFor(batch), rng('more'))
  expect(memory.hidden).toEqual(drawn)
})

test('a critic looks at everybody, an actor at its own observation alone', () => {
  const learner = start(LEARNERS.maddpg, lit(), { outputGain: 1 })
  train(learner, 3)
  const batch = open(lit(), 1)
  batch.reset()
  const look = () => {
    const values = new Float32Array(2)
    learner.values(batch, values)
    const out = outFor(batch)
    learner.policy('sample').act(viewOf(batch), null, out, rng('draws'))
    return { values, mine: out.probability.slice(0, 4), theirs: out.probability.slice(4) }
  }
  const before = look()
  batch.observation[4] += 1 // agent 1's
  const after = look()
  expect(after.mine).toEqual(before.mine)
  expect(after.theirs).not.toEqual(before.theirs)
  for (const agent of [0, 1]) expect(after.values[agent]).not.toBe(before.values[agent])
})
