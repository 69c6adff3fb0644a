/** The scripted spectrum policies reach the values that are known exactly. */
import { describe, expect, test } from 'vitest'
import { fixtureJson } from '../../testing.ts'
import { createBatch, episodeSeed, Generator, namedSeed, type DigestibleBatch } from '../../envs/core/index.ts'
import { spectrum } from '../../envs/spectrum/index.ts'
import {
  alohaBestAttempt,
  alohaPerChannel,
  genieSingleUser,
  largestIndependentSet,
  tdmaPerChannel,
  tdmaPerUser,
} from '../../envs/spectrum/theory.ts'
import { type PolicyDefinition } from '../core/policy.ts'
import { POLICIES } from '../index.ts'
import { colours } from './spectrum-two-colour.ts'

/** Values of specs computed elsewhere. */
const known = fixtureJson('expected.json')?.spectrum

interface Played {
  /** Mean of each metric over episodes in which it is defined, and standard error. */
  readonly mean: (metric: string) => number
  readonly error: (metric: string) => number
  readonly metrics: readonly Record<string, number | null>[]
}

/** Plays one episode in each of `lanes` lanes. */
function play(
  policy: PolicyDefinition | string,
  options: object,
  lanes: number,
  watch?: (batch: DigestibleBatch) => void,
): Played {
  const batch = createBatch(spectrum, options, { lanes, autoreset: 'disabled' })
  batch.reset(Array.from({ length: lanes }, (_, lane) => episodeSeed('references', 'eval', lane, 0)))
  const { spec } = batch
  const definition = typeof policy === 'string' ? POLICIES[policy] : policy
  const player = definition.create(spec)
  const N = spec.agents.length
  const agents = Int32Array.from({ length: N }, (_, n) => n)
  const memory = player.memory(lanes, N)
  const action = new Int32Array(lanes * N)
  const rng = new Generator(namedSeed('references', definition.name))
  while (batch.truncated[0] === 0) {
    if (player.privileged === true) player.act(batch, agents, memory, { action }, rng)
    else player.act({ ...batch, spec, lanes, agents, ...views(batch) }, memory, { action }, rng)
    batch.step(action)
    watch?.(batch)
  }
  const metrics = Array.from({ length: lanes }, (_, lane) => batch.metrics(lane))
  const values = (metric: string) => metrics.map((row) => row[metric]).filter((value) => value !== null)
  const mean = (metric: string) => values(metric).reduce((a, b) => a + b, 0) / values(metric).length
  const error = (metric: string) => {
    const all = values(metric)
    const m = mean(metric)
    return Math.sqrt(all.reduce((sum, value) => sum + (value - m) ** 2, 0) / (all.length - 1) / all.length)
  }
  return { mean, error, metrics }
}

const views = ({ observation, mask, alive, episodeStart }: DigestibleBatch) => ({
  observation,
  mask,
  alive,
  episodeStart,
})

describe('slotted ALOHA', () => {
  const cases = [
    [1, 1, 1],
    [2, 1, 0.5],
    [5, 1, 0.1],
    [10, 1, 0.1],
    [3, 2, 2 / 3],
    [4, 2, 0.5],
    [5, 3, 0.6],
    [10, 5, 0.5],
    [10, 5, 0.9],
    [6, 2, 0.2],
    [100, 50, 0.5],
    [50, 100, 1],
  ] as const

  test.each(cases)('%i users on %i channels with p = %f reach N p / K (1 - p / K)^(N - 1)', (users, channels, p) => {
    const lanes = users >= 50 ? 12 : 100
    const { mean, error } = play('spectrum-hopping', { users, channels, attemptProb: p }, lanes)
    const wanted = alohaPerChannel(users, channels, p)
    expect(Math.abs(mean('throughputPerChannel') - wanted)).toBeLessThanOrEqual(
      3 * error('throughputPerChannel') + 1e-9,
    )
    expect(error('throughputPerChannel')).toBeLessThan(0.005)
  })

  test.runIf(known)('its optimum is that of every row of the known values, by formula and by play', () => {
    const { finiteN } = known.slottedAloha as { finiteN: Record<string, number> }
    for (const [users, best] of Object.entries(finiteN)) {
      expect(alohaPerChannel(Number(users), 1, 1 / Number(users))).toBeCloseTo(best, 12)
    }
    expect(alohaPerChannel(1e6, 1, 1e-6)).toBeCloseTo(known.slottedAloha.one_over_e, 5)
    // pure ALOHA: a packet is in danger for two slots, so the limit is 1/(2e), half of slotted ALOHA's
    expect(known.slottedAloha.pureAlohaLimit).toBeCloseTo(known.slottedAloha.one_over_e / 2, 12)
    for (const { N, K, p, perChannel } of known.multichannelAlohaPerChannel.values) {
      expect(alohaBestAttempt(N, K)).toBeCloseTo(p, 12)
      expect(alohaPerChannel(N, K, p)).toBeCloseTo(perChannel, 12)
      const { mean, error } = play('spectrum-aloha', { users: N, channels: K, horizon: 100 }, N >= 50 ? 20 : 200)
      expect(Math.abs(mean('throughputPerChannel') - perChannel)).toBeLessThanOrEqual(3 * error('throughputPerChannel'))
    }
  })

  test('makes up for attempts that fail by themselves', () => {
    // 6 users, 3 channels: best p = 1/2; attempts go through with 0.8, so users try with 0.625
    const { mean, error } = play('spectrum-aloha', { users: 6, channels: 3, attemptProb: 0.8 }, 200)
    const wanted = alohaPerChannel(6, 3, 0.5)
    expect(Math.abs(mean('throughputPerChannel') - wanted)).toBeLessThanOrEqual(3 * error('throughputPerChannel'))
  })
})

test.each([
  [3, 2],
  [2, 3],
  [5, 3],
  [10, 5],
  [12, 8],
  [7, 7],
  [100, 50],
  [50, 100],
])('time division: %i users on %i channels, every channel used, equal shares, no collision', (users, channels) => {
  const { metrics } = play('spectrum-tdma', { users, channels, horizon: users * 4 }, 1)
  const [row] = metrics
  expect(row.throughputPerChannel).toBe(tdmaPerChannel(users, channels))
  expect(row.throughputPerUser).toBeCloseTo(tdmaPerUser(users, channels), 12)
  expect(row.minThroughput).toBeCloseTo(tdmaPerUser(users, channels), 12)
  expect(row.jain).toBe(1)
  expect(row.collisionRate).toBe(0)
  expect(row.channelCollisions).toBe(0)
  expect(row.energy).toBe(1)
  if (users >= channels) expect(row.idleWaste).toBe(0)
})

test('time division within clusters uses the channels of the own cluster', () => {
  const { metrics } = play('spectrum-tdma', { users: 12, channels: 8, clusters: 4, horizon: 60 }, 1)
  expect(metrics[0]).toMatchObject({ throughputPerChannel: 1, jain: 1, collisionRate: 0 })
})

test.each([
  [3, 2],
  [5, 3],
  [10, 5],
  [4, 6],
])(
  'sticky owners: of %i users on %i channels as many own a channel as can, and the rest falls silent',
  (users, channels) => {
    const horizon = 600
    const late = new Float64Array(20)
    const winners = Array.from({ length: 20 }, () => new Set<number>())
    play('spectrum-sticky', { users, channels, horizon, reward: 'competitive' }, 20, (batch) => {
      if (batch.stepCount[0] <= 400) return
      for (let i = 0; i < 20 * users; i++) {
        if (batch.reward[i] === 0) continue
        late[Math.floor(i / users)]++
        winners[Math.floor(i / users)].add(i % users)
      }
    })
    // the greedy equilibrium: K owners when N > K, so throughput per channel 1 and J = K / N
    for (const wins of late) expect(wins).toBe(200 * Math.min(users, channels))
    for (const set of winners) expect(set.size).toBe(Math.min(users, channels))
  },
)

describe('carrier sensing', () => {
  test('beats the best slotted ALOHA by far, and back-off without sensing does not', () => {
    const sensing = play('spectrum-csma', { users: 10, channels: 2, miniSlots: 16 }, 40)
    const blind = play('spectrum-csma', { users: 10, channels: 2 }, 40)
    const aloha = alohaPerChannel(10, 2, 0.2)
    expect(sensing.mean('throughputPerChannel')).toBeGreaterThan(2 * aloha)
    expect(blind.mean('throughputPerChannel')).toBeLessThan(1.3 * aloha)
    expect(sensing.mean('collisionRate')).toBeLessThan(0.5)
  })

  test('with w windows of mini-slots two users collide only on equal draws', () => {
    // both draw from 64 mini-slots: a tie has chance 1/64, after which windows grow
    const { mean } = play('spectrum-csma', { users: 2, channels: 1, miniSlots: 64 }, 100)
    expect(mean('throughputPerChannel')).toBeGreaterThan(1 - 1.5 / 64)
  })
})

/**
 * Throughput of one myopic user on two equal channels with p11 >= p01, from its own chain (not from the environment): it
 * stays while it succeeds and changes after a failure. With V the slots of a visit, the channel it comes to was seen bad
 * V + 1 slots ago; so P(idle) = pi (1 - lambda^(V + 1)), the next visit has length 1 if it is busy, else 1 + a geometric.
 */
function myopicTwoChannels(p11: number, p01: number): number {
  const lambda = p11 - p01
  const pi = p01 / (1 - p11 + p01)
  const longest = 3000
  let visit = new Float64Array(longest + 1)
  visit[1] = 1
  for (let round = 0; round < 400; round++) {
    const next = new Float64Array(longest + 1)
    let idle = 0
    for (let v = 1; v <= longest; v++) idle += visit[v] * pi * (1 - lambda ** (v + 1))
    next[1] = 1 - idle
    for (let v = 2; v <= longest; v++) next[v] = idle * p11 ** (v - 2) * (1 - p11)
    visit = next
  }
  let slots = 0
  for (let v = 1; v <= longest; v++) slots += v * visit[v]
  return (slots - 1) / slots
}

describe.runIf(known)('one user on Gilbert-Elliott channels', () => {
  interface Row {
    readonly K: number
    readonly p11: number
    readonly p01: number
    readonly thr: number
  }
  const myopic = known?.myopicGilbertElliott as { exactK2: Row[]; monteCarlo: { tol: number; values: Row[] } }
  const options = ({ K = 2, p11, p01 }: Row) => ({
    users: 1,
    channels: K,
    pu: 'gilbertElliott',
    p11,
    p01,
    reward: 'competitive',
    horizon: 2000,
  })

  test('the myopic policy reaches the exact value on two channels', () => {
    for (const row of myopic.exactK2) {
      expect(myopicTwoChannels(row.p11, row.p01)).toBeCloseTo(row.thr, 5)
      const { mean, error } = play('spectrum-myopic', { ...options(row), horizon: 1000 }, 60)
      // the first slots, before anything was met, cost up to a few slots of a thousand
      expect(Math.abs(mean('throughputPerUser') - row.thr)).toBeLessThan(3 * error('throughputPerUser') + 0.002)
    }
  })

  test('the Whittle index chooses as the myopic policy on equal channels', () => {
    for (const row of [...myopic.exactK2, ...myopic.monteCarlo.values]) {
      const choices = (policy: string) => {
        const all: number[] = []
        play(policy, { ...options(row), horizon: 200 }, 4, ({ world }) =>
          all.push(...(world as { last: Uint16Array }).last),
        )
        return all
      }
      expect(choices('spectrum-whittle')).toEqual(choices('spectrum-myopic'))
    }
  })

  test('on unequal channels the index may prefer the one that is worth looking at again', () => {
    // A sticky channel (0.95, 0.05) and a fast one with a better mean (0.6, 0.6): the myopic user stays with the fast one.
    const unequal = { users: 1, channels: 2, pu: 'gilbertElliott', p11: [0.95, 0.6], p01: [0.05, 0.6], horizon: 500 }
    const whittle = play('spectrum-whittle', { ...unequal, reward: 'competitive' }, 40)
    const greedy = play('spectrum-myopic', { ...unequal, reward: 'competitive' }, 40)
    const lead = whittle.mean('throughputPerUser') - greedy.mean('throughputPerUser')
    expect(lead).toBeGreaterThan(3 * Math.hypot(whittle.error('throughputPerUser'), greedy.error('throughputPerUser')))
  })

  test('a user who stays on one channel gets the stationary idle probability', () => {
    const stay: PolicyDefinition = {
      ...POLICIES['spectrum-tdma'],
      name: 'stay',
    }
    for (const [p11, p01] of [
      [0.8, 0.2],
      [0.95, 0.02],
      [0.2, 0.8],
    ]) {
      const pi = p01 / (1 - p11 + p01)
      const { mean, error } = play(stay, { ...options({ K: 2, p11, p01, thr: pi }), horizon: 500 }, 60)
      expect(Math.abs(mean('throughputPerUser') - pi)).toBeLessThan(3 * error('throughputPerUser') + 0.001)
    }
  })
})

test.each([0.9, 0.2])('who knows a round robin that moves on with %f loses it only at its moves', (p) => {
  const options = { users: 1, channels: 16, pu: 'roundRobin', puSwitch: p, reward: 'competitive', horizon: 600 }
  let late = 0
  play('spectrum-myopic', options, 20, ({ reward, stepCount }) => {
    if (stepCount[0] > 200) for (const value of reward) late += value
  })
  const share = late / (20 * 400)
  // follow-the-prediction succeeds with max(p, 1 - p) once locked, and is lost for a slot or two at a surprise
  expect(share).toBeGreaterThan(Math.max(p, 1 - p) - 0.12)
  expect(share).toBeLessThan(Math.max(p, 1 - p) + 0.01)
})

describe('the genie', () => {
  test('alone it reaches 1 - (1 - pi)^K', () => {
    for (const K of [2, 3, 4, 5]) {
      const wanted = genieSingleUser(K, 0.5)
      if (known) expect(wanted).toBe(known.genieSingleUser['pi0.5'][K])
      for (const pu of [
        { pu: 'bernoulli', puBusy: 0.5 },
        { pu: 'gilbertElliott', p11: 0.5, p01: 0.5 },
      ]) {
        const { mean, error } = play('spectrum-genie', { users: 1, channels: K, ...pu }, 100)
        expect(Math.abs(mean('throughputPerUser') - wanted)).toBeLessThan(3 * error('throughputPerUser'))
        expect(mean('interference')).toBe(0)
      }
    }
  })

  test('with more users it reaches the expected smaller of users and idle channels', () => {
    // 3 users, 4 channels idle with 0.7: sum over i of C(4, i) 0.7^i 0.3^(4 - i) min(3, i)
    const choose = [1, 4, 6, 4, 1]
    const wanted = choose.reduce((sum, c, i) => sum + c * 0.7 ** i * 0.3 ** (4 - i) * Math.min(3, i), 0)
    const { mean, error } = play('spectrum-genie', { users: 3, channels: 4, pu: 'bernoulli' }, 200)
    expect(Math.abs(mean('sumRate') - wanted)).toBeLessThan(3 * error('sumRate'))
    expect(mean('jain')).toBeGreaterThan(0.99)
  })

  test('keeps out of the way of a sweeping jammer, and no policy does better than it', () => {
    const worlds = [
      { users: 4, channels: 4, jammer: 'sweep' },
      { users: 4, channels: 4, pu: 'gilbertElliott', p11: 0.9, p01: 0.3 },
      { users: 6, channels: 3, arrivalProb: 0.3, queueCap: 10, queueStart: 0 },
      { users: 6, channels: 3, leaveProb: 0.1, returnProb: 0.1 },
    ]
    for (const world of worlds) {
      const genie = play('spectrum-genie', world, 6).mean('successes')
      for (const name of ['spectrum-aloha', 'spectrum-tdma', 'spectrum-sticky', 'spectrum-csma', 'spectrum-myopic']) {
        expect(play(name, world, 6).mean('successes'), `${name} ${JSON.stringify(world)}`).toBeLessThanOrEqual(genie)
      }
    }
    expect(play('spectrum-genie', worlds[0], 1).metrics[0].successes).toBe(600)
  })
})

describe('the grid of ten', () => {
  const grid = {
    users: 10,
    channels: 1,
    neighbours: 'grid',
    arrivalProb: 0.6,
    emptySends: true,
    obs: 'queue',
    reward: 'penalised',
    successReward: 0.1,
    collisionCost: 10,
    horizon: 20,
  }

  test.runIf(known)('has the known neighbours, colours, sets and schedules', () => {
    const { neighbours, maxIndependentSet, alternatingSuccesses, greedyMaxCardinality } = known.alohaGrid10
    const scene = createBatch(spectrum, { ...grid, upstreamEdge: true }).spec.world.scene!
    expect(scene.neighbours).toEqual(neighbours)
    const own = createBatch(spectrum, grid).spec.world.scene!.neighbours as number[][]
    expect(own).toEqual(
      (neighbours as number[][]).map((list, n) => list.filter((m) => !(n === 4 && m === 5) && !(n === 5 && m === 4))),
    )
    for (const lists of [neighbours as number[][], own]) {
      expect(largestIndependentSet(lists, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])).toHaveLength(maxIndependentSet)
      expect(Math.max(...colours(lists))).toBe(1)
    }
    for (const upstreamEdge of [false, true]) {
      const alternating = play('spectrum-two-colour', { ...grid, upstreamEdge }, 600)
      expect(Math.abs(alternating.mean('successes') - alternatingSuccesses.mean)).toBeLessThan(alternatingSuccesses.tol)
      const greedy = play('spectrum-independent-set', { ...grid, upstreamEdge }, 100)
      expect(Math.abs(greedy.mean('successes') - greedyMaxCardinality.mean)).toBeLessThan(greedyMaxCardinality.tol)
      expect(greedy.mean('collisionRate')).toBe(0)
    }
  })
})
