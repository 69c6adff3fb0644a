import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fixtureJson } from '../../testing.ts'
import { jain } from './metrics.ts'
import { playRandomly, slot, stateOf, world } from './testing.ts'
import { goodAfterBad, stationaryIdle, whittleIndex } from './theory.ts'

const known = fixtureJson('expected.json')?.spectrum

describe('metrics', () => {
  test('of four slots are those counted by hand', () => {
    const batch = world({ users: 3, channels: 2, reward: 'competitive', horizon: 8 })
    slot(batch, 1, 2, 0) // two successes
    slot(batch, 1, 1, 2) // a collision of two, one success
    slot(batch, 0, 0, 0)
    slot(batch, 1, 0, 0) // one success
    expect(batch.metrics(0)).toEqual({
      successes: 4,
      throughputPerChannel: 4 / 8,
      throughputPerUser: 4 / 12,
      minThroughput: 1 / 4,
      sumRate: 1,
      collisionRate: 2 / 6,
      channelCollisions: 1 / 8,
      idleWaste: 3 / 8, // both channels of the third slot, one of the fourth
      opportunityUse: 4 / 8,
      jain: 16 / (3 * (4 + 1 + 1)),
      jainWindow: jainOfWindow([2, 1, 1]), // the window of 2 ceil(3 / 2) = 4 slots has just filled
      interference: null,
      delay: 3, // user 0: slots 1 and 4
      energy: 6 / 4,
      queue: null,
      dropped: null,
      episodeLength: 4,
    })
  })

  test('of nobody are null where nothing was shared or sent', () => {
    const batch = world({ users: 3, channels: 2 })
    slot(batch, 0, 0, 0)
    expect(batch.metrics(0)).toMatchObject({
      successes: 0,
      jain: null,
      jainWindow: null,
      collisionRate: null,
      delay: null,
      energy: null,
      minThroughput: 0,
      idleWaste: 1,
    })
  })

  test('windowed fairness is the mean over all full windows, kept up to date or not', () => {
    const options = { users: 5, channels: 2, rate: 'shannon', snrRangeDb: [0, 20], horizon: 150, reward: 'competitive' }
    const batch = world(options)
    const rates: number[][] = []
    playRandomly(batch, () => rates.push([...stateOf(batch).gained]))
    const windows: number[] = []
    for (let t = 6; t <= rates.length; t++) {
      const sums = [0, 1, 2, 3, 4].map((n) => rates.slice(t - 6, t).reduce((sum, row) => sum + row[n], 0))
      const index = jain(sums)
      if (index !== null) windows.push(index)
    }
    expect(batch.metrics(0).jainWindow).toBeCloseTo(windows.reduce((a, b) => a + b) / windows.length, 12)
    for (const index of windows) {
      expect(index).toBeGreaterThanOrEqual(1 / 5 - 1e-12)
      expect(index).toBeLessThanOrEqual(1 + 1e-12)
    }
  })

  test('collisions and interference of one send count for both', () => {
    const batch = world({ users: 2, channels: 1, pu: 'bernoulli', puBusy: 1 })
    slot(batch, 1, 1)
    expect(batch.metrics(0)).toMatchObject({ collisionRate: 1, channelCollisions: 1, interference: 2 })
  })
})

const jainOfWindow = (x: number[]) => x.reduce((a, b) => a + b) ** 2 / (x.length * x.reduce((a, b) => a + b * b, 0))

describe('theory', () => {
  test.runIf(known)('Jain indices are the known ones, null for nothing', () => {
    for (const { x, J } of known.jain.cases as { x: number[]; J: number | null }[]) {
      const index = jain(x)
      if (J === null) expect(index).toBe(null)
      else expect(index).toBeCloseTo(J, 12)
    }
  })

  test.runIf(known)('Whittle indices are the known ones', () => {
    const { beta, p11, p01, tol, W } = known.whittle as Record<string, number> & { W: Record<string, number> }
    for (const [belief, index] of Object.entries(W)) {
      expect(Math.abs(whittleIndex(Number(belief), p01, p11, beta) - index), belief).toBeLessThanOrEqual(tol)
    }
  })

  test('Whittle indices have their closed form above the stationary belief, and rise with the belief', () => {
    for (const [p11, p01, beta] of [
      [0.8, 0.2, 0.9],
      [0.95, 0.02, 0.99],
      [0.6, 0.5, 0.5],
    ]) {
      const pi = stationaryIdle(p01, p11)
      let before = -1
      for (let belief = 0.01; belief < 1; belief += 0.01) {
        const index = whittleIndex(belief, p01, p11, beta)
        expect(index).toBeGreaterThanOrEqual(before - 1e-9)
        before = index
        if (belief <= p01 || belief >= p11) expect(index).toBeCloseTo(belief, 9)
        else if (belief >= pi) expect(index).toBeCloseTo(belief / (1 - beta * p11 + beta * belief), 9)
      }
    }
  })

  test('Whittle indices agree with value iteration over the beliefs of one channel', () => {
    // subsidy m: passive m + b V(T w), active w + b (w V(p11) + (1 - w) V(p01)); beliefs on a fine grid, interpolated
    const [p11, p01, beta] = [0.8, 0.2, 0.9]
    const grid = 2000
    const advantage = (belief: number, m: number) => {
      let value = new Float64Array(grid + 1)
      const at = (v: Float64Array, w: number) => {
        const i = Math.min(grid - 1, Math.floor(w * grid))
        return v[i] + (w * grid - i) * (v[i + 1] - v[i])
      }
      const parts = (v: Float64Array, w: number) => [
        m + beta * at(v, w * p11 + (1 - w) * p01),
        w + beta * (w * at(v, p11) + (1 - w) * at(v, p01)),
      ]
      for (let round = 0; round < 120; round++) value = value.map((_, i) => Math.max(...parts(value, i / grid)))
      const [passive, active] = parts(value, belief)
      return active - passive
    }
    for (const belief of [0.3, 0.45]) {
      const index = whittleIndex(belief, p01, p11, beta)
      expect(advantage(belief, index - 0.01)).toBeGreaterThan(0)
      expect(advantage(belief, index + 0.01)).toBeLessThan(0)
    }
  })

  test('a channel that was bad recovers as pi (1 - lambda^k)', () => {
    for (const k of [0, 1, 2, 5, 20]) {
      expect(goodAfterBad(0.2, 0.8, k)).toBeCloseTo(0.5 * (1 - 0.6 ** k), 12)
      expect(goodAfterBad(0.02, 0.95, k)).toBeCloseTo((0.02 / 0.07) * (1 - 0.93 ** k), 12)
    }
    expect(stationaryIdle(0, 1)).toBe(1)
  })
})

test.runIf(known)('numbers of the literature are quoted with their source, and never as ours', () => {
  const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8')
  const row = (text: string) => page.split('\n').find((line) => line.includes(text)) ?? ''
  const wang = row('trace experiment')
  for (const value of [known.wang2018Trace.dqn, known.wang2018Trace.whittle]) expect(wang).toContain(String(value))
  expect(wang).toContain('−2.170')
  const fair = row('Fair Share RL')
  expect(fair).toContain(known.fairShareRL.maxJainGainPct.toFixed(1))
  expect(fair).toContain(known.fairShareRL.meanJainGainPct.toFixed(1))
  const deadlines = row('ALOHA with deadlines')
  expect(deadlines).toContain(String(known.rlraDc.tensOfStations))
  expect(deadlines).toContain(String(known.rlraDc.thousands))
  const deep = row('deep Q-learning of Naparstek')
  expect(deep).toContain(String(known.naparstek.headline.policyThroughputApprox))
  expect(deep).toContain(String(known.naparstek.headline.alohaOpt))
  for (const line of [wang, fair, deadlines, deep]) expect(line).toContain('source')
  expect(known.naparstek.obsLength).toBe('2K+2')
  expect(world({ users: 3, channels: 7, obs: 'dqsa' }).spec.observationSize).toBe(16)
})
