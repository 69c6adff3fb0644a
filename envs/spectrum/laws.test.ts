/** What must hold in every spectrum, whatever the options and actions. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBatch, Generator, namedSeed, TroupeError } from '../core/index.ts'
import { spectrum } from './index.ts'
import { JAMMERS, OBSERVATIONS, PRIMARY_USERS, REWARDS } from './options.ts'
import { ACK, SENT } from './state.ts'
import { playRandomly, slot, stateOf, world } from './testing.ts'

const CASES = { seed: 20260301, numRuns: Number(process.env.TROUPE_FUZZ_RUNS ?? 120) }

const chance = fc.constantFrom(0, 0.1, 0.5, 0.9, 1)
const options = fc.record(
  {
    users: fc.integer({ min: 1, max: 9 }),
    channels: fc.integer({ min: 1, max: 6 }),
    clusters: fc.constantFrom(1, 1, 1, 2, 3),
    attemptProb: chance,
    miniSlots: fc.constantFrom(1, 1, 3),
    pu: fc.constantFrom(...PRIMARY_USERS),
    puBusy: chance,
    p01: chance,
    p11: chance,
    puGood: fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 }),
    puSwitch: chance,
    puRule: fc.constantFrom('block', 'underlay'),
    sensing: fc.constantFrom('none', 'all', 'one'),
    sensedChannel: fc.constantFrom('sweep', 'random', 'last'),
    pFalseAlarm: chance,
    pMiss: chance,
    snrRangeDb: fc.constantFrom(null, [0, 20], [-30, 60]),
    fading: fc.constantFrom('none', 'rayleigh'),
    fadingSlots: fc.constantFrom(1, 7),
    rate: fc.constantFrom('unit', 'shannon'),
    interference: fc.constantFrom('collision', 'collision', 'sinr'),
    neighbours: fc.constantFrom(null, null, 'grid'),
    gridColumns: fc.integer({ min: 1, max: 4 }),
    arrivalProb: fc.constantFrom(null, 0.1, 0.7),
    queueCap: fc.integer({ min: 1, max: 4 }),
    queueStart: fc.integer({ min: 0, max: 4 }),
    emptySends: fc.boolean(),
    leaveProb: fc.constantFrom(0, 0, 0.3),
    returnProb: chance,
    jammer: fc.constantFrom(...JAMMERS),
    jammerChannels: fc.integer({ min: 1, max: 3 }),
    jammerDwell: fc.integer({ min: 1, max: 3 }),
    jammerReaction: fc.constantFrom(0, 1),
    reward: fc.constantFrom(...REWARDS),
    fairAlpha: fc.constantFrom(0, 0.5, 1, 3),
    obs: fc.constantFrom(...OBSERVATIONS),
    history: fc.integer({ min: 1, max: 4 }),
    horizon: fc.constantFrom(1, 7, 25, 60),
  },
  { requiredKeys: ['users', 'channels', 'horizon'] },
)

test('any options either play within their bounds or are refused in a sentence', () => {
  let played = 0
  fc.assert(
    fc.property(options, (given) => {
      let batch: ReturnType<typeof world>
      try {
        batch = world(given, 2)
      } catch (error) {
        expect(error).toBeInstanceOf(TroupeError)
        expect((error as Error).message).toMatch(/^spectrum options/)
        return
      }
      played++
      const { users: N, channels: K } = given
      const state = stateOf(batch)
      const alone = !state.plan.sinr && state.plan.near === null
      const F = batch.spec.observationSize
      playRandomly(batch, () => {
        for (let lane = 0; lane < 2; lane++) {
          // what a genie who knew everything could get: one success per channel, one per user
          let [successes, sends] = [0, 0]
          for (let i = lane * N; i < (lane + 1) * N; i++) {
            successes += (state.flags[i] & ACK) !== 0 ? 1 : 0
            sends += (state.flags[i] & SENT) !== 0 ? 1 : 0
          }
          if (successes > sends) throw new Error(`${successes} successes of ${sends} sends`)
          if (alone) {
            let free = 0
            for (let k = 0; k < K; k++) {
              const around = state.plan.air ? state.air[lane * K + k] : 0
              free += (around & 2) === 0 && ((around & 1) === 0 || given.puRule === 'underlay') ? 1 : 0
            }
            if (successes > Math.min(N, free)) throw new Error(`${successes} successes on ${free} free channels`)
          }
        }
        batch.spec.agents.forEach((agent, n) => {
          agent.observation.forEach(({ low, high, name }, f) => {
            const value = batch.observation[n * F + f]
            if (!(value >= Math.fround(low) && value <= Math.fround(high))) throw new Error(`${name} is ${value}`)
          })
        })
        batch.spec.world.state.forEach(({ low, high, name }, at) => {
          const value = batch.state[at]
          if (!(value >= low && value <= high)) throw new Error(`${name} is ${value}`)
        })
      })
      for (let lane = 0; lane < 2; lane++) {
        const row = batch.metrics(lane)
        for (const name of ['jain', 'jainWindow']) {
          const index = row[name]
          if (index === null) continue
          expect(index).toBeGreaterThanOrEqual(1 / N - 1e-9)
          expect(index).toBeLessThanOrEqual(1 + 1e-9)
        }
        for (const name of ['collisionRate', 'channelCollisions', 'idleWaste', 'throughputPerUser']) {
          if (row[name] === null) continue
          expect(row[name]).toBeGreaterThanOrEqual(0)
          expect(row[name]).toBeLessThanOrEqual(1)
        }
        if (alone) expect(row.throughputPerChannel).toBeLessThanOrEqual(1)
      }
    }),
    CASES,
  )
  expect(played).toBeGreaterThan(CASES.numRuns / 4)
})

test('users and channels have no favourites: renumbered actions give renumbered results', () => {
  const users = [3, 0, 4, 1, 2]
  const channels = [2, 0, 1]
  const base = { users: 5, channels: 3, reward: 'propFair' }
  const [a, b] = [world(base), world(base)]
  const rng = new Generator(namedSeed('renumbered', 'actions'))
  for (let t = 0; t < 200; t++) {
    const action = Array.from({ length: 5 }, () => rng.below(4))
    const other = new Array<number>(5)
    action.forEach((choice, n) => (other[users[n]] = choice === 0 ? 0 : channels[choice - 1] + 1))
    const [x, y] = [slot(a, ...action), slot(b, ...other)]
    x.forEach((reward, n) => expect(y[users[n]]).toBe(reward))
  }
  expect(b.metrics(0)).toEqual(a.metrics(0))
})

test.each([
  { users: 5, channels: 3, reward: 'competitive' },
  { users: 10, channels: 5, reward: 'sum', obs: 'dqsa' },
  { users: 2, channels: 4, reward: 'penalised', sendCost: 0.1, history: 3 },
  { users: 6, channels: 4, clusters: 2, reward: 'propFair' },
])('the short way through a slot of a plain world is the long way: %j', (options) => {
  // a primary user that never comes makes no difference but takes the long way
  const short = world({ ...options, horizon: 60 }, 3)
  const long = world({ ...options, pu: 'bernoulli', puBusy: 0, horizon: 60 }, 3)
  expect(stateOf(short).plan.plain).toBe(true)
  expect(stateOf(long).plan.plain).toBe(false)
  const rng = new Generator(namedSeed('ways', 'actions'))
  const action = new Int32Array(3 * options.users)
  const kept = ['last', 'flags', 'tally', 'won', 'earned', 'lastWon', 'ring', 'ringSum', 'ringTotals', 'past'] as const
  while (short.truncated[0] === 0) {
    const { actionSize: A } = short.spec
    for (let i = 0; i < action.length; i++) {
      do action[i] = rng.below(A)
      while (short.mask[i * A + action[i]] === 0)
    }
    short.step(action)
    long.step(action)
    expect(short.reward).toEqual(long.reward)
    expect(short.observation).toEqual(long.observation)
    expect(short.mask).toEqual(long.mask)
    // the long way's state shows the (idle) primary users before the time
    const [wide, narrow] = [long.spec.stateSize, short.spec.stateSize]
    for (let lane = 0; lane < 3; lane++) {
      const rest = [...long.state.subarray(lane * wide, (lane + 1) * wide)]
      rest.splice(narrow - 1, options.channels)
      expect([...short.state.subarray(lane * narrow, (lane + 1) * narrow)]).toEqual(rest)
    }
    for (const name of kept) expect(stateOf(short)[name], name).toEqual(stateOf(long)[name])
  }
})

test('rewards scale with their prices', () => {
  const prices = { successReward: 1, collisionCost: 0.5, puCost: 0.75, sendCost: 0.25 }
  const base = { users: 4, channels: 3, pu: 'bernoulli', reward: 'penalised', horizon: 60 }
  const twice = Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, 2 * price]))
  const [a, b] = [world({ ...base, ...prices }), world({ ...base, ...twice })]
  playRandomly(a)
  playRandomly(b)
  expect(Array.from(b.returns)).toEqual(Array.from(a.returns, (value) => 2 * value))
  expect(a.returns.some((value) => value !== 0)).toBe(true)
})

test('a mean over episodes of what nobody coordinates is never above what a schedule gets', () => {
  const batch = createBatch(spectrum, { users: 6, channels: 3 }, { lanes: 30, autoreset: 'disabled' })
  batch.reset()
  playRandomly(batch)
  for (let lane = 0; lane < 30; lane++) expect(batch.metrics(lane).successes).toBeLessThan(600)
})

test('a tampered snapshot is refused with a sentence and leaves the lane as it was', () => {
  const batch = world({
    users: 3,
    channels: 2,
    pu: 'roundRobin',
    arrivalProb: 0.5,
    fading: 'rayleigh',
    rate: 'shannon',
  })
  slot(batch, 0, 0, 0)
  const snapshot = batch.save(0)
  const bytes = (row: ArrayBufferView) => Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('base64')
  const broken = (name: string, row: ArrayBufferView) => () =>
    batch.load(0, { ...snapshot, arrays: { ...snapshot.arrays, [name]: bytes(row) } })
  expect(broken('last', Uint16Array.of(0, 3, 0))).toThrow(/snapshot: last is 3 at 1; expected 0 to 2/)
  expect(broken('offset', Uint16Array.of(2))).toThrow(/snapshot: offset is 2/)
  expect(broken('queue', Uint16Array.of(1, 1, 9))).toThrow(/snapshot: queue is 9/)
  expect(broken('level', Int16Array.of(-1, 0, 0, 0, 0, 0))).toThrow(/snapshot: level is -1/)
  expect(broken('earned', Float64Array.of(NaN, 0, 0))).toThrow(/snapshot: earned is NaN/)
  expect(batch.save(0)).toEqual(snapshot)
})

test('tables have the moments of what they stand for', async () => {
  const { exp, ln, LINEAR, NORMAL, raise, RAYLEIGH, levelOf, levelBelow, decibelsOf } = await import('./tables.ts')
  for (const x of [1e-9, 0.01, 0.7, 1, 1.4, 2, 1000, 1e12]) expect(ln(x)).toBeCloseTo(Math.log(x), 12)
  for (const x of [-20, -1, 0, 0.3, 5, 27]) expect(exp(x) / Math.exp(x)).toBeCloseTo(1, 12)
  const pair = Float64Array.of(0.37, -2.5)
  raise(pair)
  expect(pair[0]).toBeCloseTo(0.37 ** -2.5, 10)
  const mean = (values: ArrayLike<number>, of: (x: number) => number) =>
    Array.from(values).reduce((sum, x) => sum + of(x), 0) / values.length
  expect(mean(RAYLEIGH, (quarter) => 10 ** (quarter / 40))).toBeCloseTo(1, 2)
  expect(mean(NORMAL, (z) => z)).toBeCloseTo(0, 12)
  expect(mean(NORMAL, (z) => z * z)).toBeCloseTo(1, 2)
  expect(NORMAL[Math.round(0.975 * 4096)]).toBeCloseTo(1.96, 2)
  for (const decibels of [-60, -3, 0, 10.25, 120]) {
    expect(decibelsOf(levelOf(decibels))).toBe(decibels)
    expect(LINEAR[levelOf(decibels)] / 10 ** (decibels / 10)).toBeCloseTo(1, 10)
    expect(levelBelow(LINEAR[levelOf(decibels)])).toBe(levelOf(decibels))
  }
})
