import { beforeAll, expect, test } from 'vitest'
import { Generator, createBatch, namedSeed } from '../../envs/core/index.ts'
import { Actors } from './actor.ts'
import { Critic } from './critic.ts'
import { Inputs } from './inputs.ts'
import { chunkSteps, play } from './onpolicy.ts'
import { actorGradient, criticGradient } from './ppo.ts'
import { Collector } from './rollout.ts'
import { Shard } from './shards.ts'
import { tf } from './tensors.ts'
import { lights } from './toys.ts'

beforeAll(async () => {
  await tf.setBackend('cpu')
})

const rng = (name: string) => new Generator(namedSeed(1, name))
const WIDE = { hidden: 8, layers: 1, activation: 'relu', agentId: true, outputGain: 1, deviation: 0.5 } as const
const VALUES = { criticNetwork: 'mlp', valueNorm: false, valueNormBeta: 0 } as const
const SETTINGS = { clip: 0.2, entropy: 0.1, valueOfDead: false, valueClip: 0.2, huberDelta: 10 }

function world(network: 'mlp' | 'gru', grain = { chunk: 1, together: 1 }) {
  const batch = createBatch(lights, { agents: 3, deaths: true, masks: true, horizon: 5 }, { lanes: 4 })
  batch.reset()
  const { spec } = batch
  const ids = spec.agents.map(({ id }) => id)
  const actors = new Actors(spec, ids, new Int32Array(3), { ...WIDE, network }, () => rng('actor'))
  const [actor] = actors.members
  const inputs = new Inputs(spec, 3, { columns: ['state', 'id'], heads: 1, hidesDead: true })
  const critic = new Critic(inputs, 3, { ...WIDE, ...VALUES }, rng('critic'))
  const generators = { sampling: rng('sampling'), shuffling: rng('shuffling') }
  const memories = { actor: { width: actor.net.memory, heads: 1 } }
  const shard = new Shard(new Collector(batch, 'test', 'none'), 8, generators, grain, memories)
  play(shard, actors, Int32Array.of(0, 1, 2))
  shard.advantage.forEach((_, i) => (shard.advantage[i] = rng(`advantage ${i}`).float() - 0.5))
  shard.returns.forEach((_, i) => (shard.returns[i] = rng(`return ${i}`).float()))
  shard.sortUnits()
  return { actor, critic, shard, part: shard.part(shard.order) }
}

/** Losses, gradients and readings over the whole rollout. */
function learned({ actor, critic, shard, part }: ReturnType<typeof world>) {
  const lanes = shard.rollout.steps * shard.rollout.lanes
  const shown = { actor: actor.inputs.upload(shard.rollout, lanes), critic: critic.inputs.upload(shard.rollout, lanes) }
  const gradients = [new Float32Array(actor.net.size), new Float32Array(critic.net.size)]
  const readings = { entropy: 0, divergence: 0, clipped: 0 }
  const living = shard.alive.reduce((sum, alive) => sum + alive, 0)
  const losses = [
    actorGradient(actor, shard, shown, part, living, SETTINGS, gradients[0], readings),
    criticGradient(critic, shard, shown, part, living, SETTINGS, gradients[1]),
  ]
  shown.actor.dispose()
  shown.critic.dispose()
  return { losses, gradients, readings }
}

for (const network of ['mlp', 'gru'] as const) {
  test(`dead agents weigh nothing in losses, gradients and readings, whatever stands in their rows: ${network}`, () => {
    const game = world(network, { chunk: network === 'gru' ? 4 : 1, together: 1 })
    const { rollout, advantage, returns, alive, rows } = game.shard
    const before = learned(game)
    let dead = 0
    for (let row = 0; row < rows; row++) {
      if (alive[row] === 1) continue
      dead++
      advantage[row] = 1e6
      returns[row] = -1e6
      rollout.logProbability[row] = -3
      rollout.action[row] = 2
      rollout.mask.fill(1, row * 4, row * 4 + 4)
    }
    expect(dead).toBeGreaterThan(10)
    expect(learned(game)).toEqual(before)
    const living = alive.findIndex((value) => value === 1)
    advantage[living] += 1
    expect(learned(game).losses[0]).not.toBe(before.losses[0])
  })
}

test('the policy loss is a mean over the living alone: of an unchanged policy the mean advantage, whoever is dead', () => {
  const { actor, shard, part } = world('mlp')
  shard.advantage.fill(3)
  const living = shard.alive.reduce((sum, alive) => sum + alive, 0)
  expect(living).toBeLessThan(shard.rows - 10)
  const shown = { actor: actor.inputs.upload(shard.rollout, 8 * 4) }
  const readings = { entropy: 0, divergence: 0, clipped: 0 }
  const how = { clip: 0.2, entropy: 0 }
  const loss = actorGradient(actor, shard, shown, part, living, how, new Float32Array(actor.net.size), readings)
  expect(loss).toBeCloseTo(-3, 5)
  shown.actor.dispose()
})

test('inputs picked on the backend are those written one by one, the dead hidden where they should be', () => {
  const { shard, part, actor } = world('mlp')
  const { spec } = shard.collector.batch
  const { rollout } = shard
  for (const hidesDead of [true, false]) {
    for (const columns of [
      ['observation', 'id'],
      ['state', 'observation', 'id'],
      ['observations'],
      ['state'],
    ] as const) {
      const inputs = new Inputs(spec, 3, { columns, heads: 1, hidesDead })
      const out = new Float32Array(part.rows.length * inputs.width).fill(NaN)
      part.rows.forEach((row, k) => inputs.write(rollout, row, row % 3, out, k))
      const uploaded = inputs.upload(rollout, rollout.steps * rollout.lanes)
      expect([...uploaded.pick(part.rows).dataSync()]).toEqual([...out])
      uploaded.dispose()
    }
  }
  const joint = new Inputs(spec, 3, { columns: ['state'], heads: 3, hidesDead: false })
  const uploaded = joint.upload(rollout, rollout.steps * rollout.lanes)
  expect([...uploaded.pick(Int32Array.of(3, 4, 5, 0, 1, 2)).dataSync()]).toEqual([
    ...rollout.state.subarray(12, 24),
    ...rollout.state.subarray(0, 12),
  ])
  expect(actor.inputs.width).toBe(7)
})

test('chunks keep their steps in order, agents of a look side by side, and begin where the actor was', () => {
  const { shard } = world('gru', { chunk: 4, together: 3 })
  const { order, rollout, carried } = shard
  expect(order.length).toBe(8) // 2 chunks × 4 lanes
  // Rows are numbered (t · 4 lanes + lane) · 3 agents + agent; the units below are lane 1 from step 4, and lane 0 from 0.
  const part = shard.part(Int32Array.of((4 * 4 + 1) * 3, 0))
  const row = (t: number, lane: number) => [0, 1, 2].map((agent) => (t * 4 + lane) * 3 + agent)
  expect([...part.rows]).toEqual([0, 1, 2, 3].flatMap((step) => [...row(4 + step, 1), ...row(step, 0)]))
  const { hidden, start, steps } = shard.sequences('actor', part)!
  expect(steps).toBe(4)
  const { starts } = carried.actor
  expect([...hidden]).toEqual([...starts.subarray((12 + 3) * 8, (12 + 6) * 8), ...starts.subarray(0, 3 * 8)])
  expect(hidden.subarray(0, 24).some((value) => value !== 0)).toBe(true)
  const first = (t: number, lane: number) => [0, 1, 2].map(() => rollout.start[t * 4 + lane])
  expect([...start]).toEqual([0, 1, 2, 3].flatMap((step) => [...first(4 + step, 1), ...first(step, 0)]))
  expect(shard.sequences('critic', part)).toBeUndefined()
})

test('an episode that begins inside a chunk begins without memory, in learning as in acting', () => {
  const { actor, shard, part } = world('gru', { chunk: 4, together: 1 })
  const { rollout } = shard
  const within = [...rollout.start.subarray(0, 8 * 4)].map((starts, i) => starts === 1 && Math.floor(i / 4) % 4 !== 0)
  expect(within.filter(Boolean).length).toBe(4) // every lane, at step 5
  const input = actor.inputs.upload(rollout, 8 * 4).pick(part.rows)
  let said: Float32Array = new Float32Array(0)
  actor.net.differentiate((trace) => {
    const { logProbability } = actor.judge(trace, rollout, part.rows, input, shard.sequences('actor', part))
    said = logProbability.dataSync().slice() as Float32Array
    return tf.mean(logProbability)
  }, new Float32Array(actor.net.size))
  part.rows.forEach((row, k) => {
    if (shard.alive[row] === 1) expect(said[k]).toBeCloseTo(rollout.logProbability[row], 5)
  })
})

test('the value clip holds old and new estimates in one unit, that of the critic', () => {
  const { shard, part } = world('mlp')
  const inputs = new Inputs(shard.collector.batch.spec, 3, { columns: ['state', 'id'], heads: 1, hidesDead: true })
  const critic = new Critic(inputs, 3, { ...WIDE, ...VALUES, valueNorm: true }, rng('critic'))
  critic.see([2, 20, 208], []) // mean 10, deviation 2
  const { rollout, value, returns, alive } = shard
  const now = new Float32Array(part.rows.length)
  critic.look(rollout, 0, now.length, now)
  for (let row = 0; row < now.length; row++) {
    value[row] = now[row] + (row % 3) - 1 // what it said before: 1 less, the same, 1 more
    returns[row] = 10 + 2 * (now[row] + (row % 2 === 0 ? 0.1 : -3))
  }
  const shown = { critic: inputs.upload(rollout, 8 * 4) }
  const living = alive.reduce((sum, one) => sum + one, 0)
  const loss = criticGradient(critic, shard, shown, part, living, SETTINGS, new Float32Array(critic.net.size))
  let wanted = 0
  for (let row = 0; row < now.length; row++) {
    if (alive[row] === 0) continue
    const target = (returns[row] - 10) / 2
    const held = value[row] + Math.min(0.2, Math.max(-0.2, now[row] - value[row]))
    wanted += Math.max((now[row] - target) ** 2, (held - target) ** 2) / 2
  }
  expect(loss).toBeCloseTo(wanted / living, 3)
  shown.critic.dispose()
})

test('a chunk divides the rollout: by itself the largest up to 16, given it must', () => {
  expect([1, 5, 12, 20, 64, 50, 17].map((steps) => chunkSteps('x', null, steps))).toEqual([1, 5, 12, 10, 16, 10, 1])
  expect(chunkSteps('x', 10, 40)).toBe(10)
  expect(() => chunkSteps('mappo', 10, 64)).toThrow(
    /mappo settings: chunk is 10 for rollouts of 64 steps.*8 for instance/,
  )
})
