/** The flow against hand computation, its laws, and small versions of the published figures. */
import { describe, expect, test } from 'vitest'
import { Generator, namedSeed } from '../../envs/core/index.ts'
import { formulaGame } from '../../envs/matrix/start.ts'
import { tableGame } from '../../envs/matrix/tables.ts'
import { tensorsOf, nashConv, type Tensors } from '../../envs/matrix/theory/index.ts'
import {
  basinCounts,
  basinShares,
  batchMap,
  boundary,
  className,
  classify,
  createFlow,
  deviationRate,
  divergence,
  generalFlow,
  learnFromSamples,
  logOddsOf,
  lyapunovExponent,
  pairFlow,
  policiesOf,
  rungeKutta,
  separatrix,
  separation,
  settle,
  stableProfiles,
  trajectory,
} from './index.ts'

const donation = (benefit: number, poorBenefit = 2) => tensorsOf(formulaGame('donation', { benefit, poorBenefit }))
const pennies = tensorsOf(formulaGame('two-state-pennies', {}))
const hennes = tensorsOf(formulaGame('two-state-pd', {}))
const one = (id: string) => tensorsOf(tableGame(id, 100))
const rng = new Generator(namedSeed('dynamics', 'tests'))
const randomPoint = (n: number, spread = 4) => Float64Array.from({ length: n }, () => (rng.float() - 0.5) * 2 * spread)
const logit = (p: number) => Math.log(p / (1 - p))
/** The published start: agent 0 cooperates with .02 and .01 in the two states, agent 1 with .3 and .99. */
const WILD = Float64Array.of(logit(0.02), logit(0.01), logit(0.3), logit(0.99))

function field(game: Tensors, u: Float64Array, settings: object): number[] {
  const flow = generalFlow(game, settings)
  const du = new Float64Array(flow.dimension)
  flow.field(u, du)
  return Array.from(du)
}

describe('the flow', () => {
  test('of pd is the replicator equation: du/dt = payoff of cooperating minus defecting', () => {
    // against q: 3q - (5q + 1 - q) = -q - 1
    const [x, y] = [0.3, 0.8]
    const du = field(one('pd'), Float64Array.of(logit(x), logit(y)), { gamma: 0 })
    expect(du).toEqual([expect.closeTo(-y - 1, 12), expect.closeTo(-x - 1, 12)])
  })

  test('entropy pulls towards uniform play in proportion to the log-odds', () => {
    const u = Float64Array.of(logit(0.3), logit(0.8))
    const plain = field(one('pd'), u, { gamma: 0 })
    const pulled = field(one('pd'), u, { gamma: 0, eta: 0.25 })
    pulled.forEach((value, k) => expect(value).toBeCloseTo(plain[k] - 0.25 * u[k], 12))
  })

  test('vanilla geometry is the gradient of the expected payoff by the logits, plus entropy', () => {
    // one state, no future: d/dtheta of [ payoff + eta H ], numerically, of own theta only
    const game = one('climbing')
    const eta = 0.3
    const value = (theta: number[][], player: number) => {
      const [x, y] = theta.map((row) => {
        const weights = row.map((t) => Math.exp(t))
        const sum = weights.reduce((a, b) => a + b)
        return weights.map((w) => w / sum)
      })
      const table = [[11, -30, 0], [-30, 7, 0], [0, 6, 5]] // prettier-ignore
      let paid = 0
      for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) paid += x[i] * y[j] * table[i][j]
      const entropy = [x, y][player].reduce((sum, p) => sum - p * Math.log(p), 0)
      return paid + eta * entropy
    }
    const theta = [[0.5, -0.2, 0], [-1, 0.3, 0]] // prettier-ignore
    const slope = (player: number, a: number) => {
      const moved = (d: number) => theta.map((row, i) => row.map((t, k) => (i === player && k === a ? t + d : t)))
      return (value(moved(1e-5), player) - value(moved(-1e-5), player)) / 2e-5
    }
    const du = field(game, Float64Array.of(0.5, -0.2, -1, 0.3), { gamma: 0, eta, geometry: 'vanilla' })
    const expected = [0, 1].flatMap((player) => [0, 1].map((a) => slope(player, a) - slope(player, 2)))
    du.forEach((value, k) => expect(value).toBeCloseTo(expected[k], 6))
  })

  test('of two players, actions and states is the same by the fast way', () => {
    for (const game of [donation(10), pennies, hennes, tensorsOf(formulaGame('ecological', {}))]) {
      for (const settings of [{}, { gamma: 0, eta: 0.2 }, { gamma: 0.7, eta: 1, rate: 0.3, prefactor: true }]) {
        const u = randomPoint(4)
        const fast = new Float64Array(4)
        pairFlow(game, settings).field(u, fast)
        field(game, u, settings).forEach((value, k) => expect(fast[k]).toBeCloseTo(value, 10))
      }
    }
  })

  test('swapped players swap the flow; payoffs and entropy times two double it', () => {
    const u = randomPoint(4)
    const [a, b, c, d] = field(donation(10), u, { eta: 0.1 })
    const swapped = field(donation(10), Float64Array.of(u[2], u[3], u[0], u[1]), { eta: 0.1 })
    expect(swapped).toEqual([c, d, a, b].map((value) => expect.closeTo(value, 10)))
    const doubled = tensorsOf(formulaGame('donation', { benefit: 20, poorBenefit: 4, cost: 2 }))
    expect(field(doubled, u, { eta: 0.2 })).toEqual([a, b, c, d].map((value) => expect.closeTo(2 * value, 10)))
  })

  test('the prefactor multiplies values by 1 - gamma', () => {
    const u = randomPoint(4)
    const plain = field(donation(4), u, { gamma: 0.9 })
    field(donation(4), u, { gamma: 0.9, prefactor: true }).forEach((value, k) => {
      expect(value).toBeCloseTo(0.1 * plain[k], 10)
    })
  })

  test('log-odds and policies are each other’s inverse, also for three actions', () => {
    const game = one('climbing')
    const u = randomPoint(4, 2)
    const policies = [new Float64Array(3), new Float64Array(3)]
    policiesOf(game, u, policies)
    expect(policies[0].reduce((a, b) => a + b)).toBeCloseTo(1, 12)
    expect(Array.from(logOddsOf(game, policies))).toEqual(Array.from(u, (value) => expect.closeTo(value, 10)))
  })
})

test('the entropy part has divergence -N K (A - 1) alpha beta eta, wherever one is', () => {
  for (const [game, coordinates] of [
    [donation(10), 4],
    [one('climbing'), 4],
    [one('climbing-3p'), 6],
  ] as const) {
    // prettier-ignore
    for (let draw = 0; draw < 5; draw++) {
      const u = randomPoint(coordinates, 2)
      const part = (rate: number) =>
        divergence(generalFlow(game, { eta: 0.05, rate }), u) - divergence(generalFlow(game, { eta: 0, rate }), u)
      expect(part(1)).toBeCloseTo(-coordinates * 0.05, 5)
      expect(part(2)).toBeCloseTo(-coordinates * 0.1, 5)
    }
  }
})

test('without a future the flow of matching pennies keeps its constant of motion', () => {
  // Hofbauer: sum over players of log-odds potentials log(2 + 2 cosh u) / 2 … both players’ H(u) = log cosh(u/2) add up
  const flow = createFlow(one('mp'), { gamma: 0 })
  const energy = (u: Float64Array) => u.reduce((sum, value) => sum + Math.log(Math.cosh(value / 2)), 0)
  const path = trajectory(rungeKutta(flow, 0.01), Float64Array.of(1.5, 0.4), 5000, 500)
  for (const point of path) expect(energy(point)).toBeCloseTo(energy(path[0]), 6)
})

test('the batch map is one Euler step, and its reverse undoes it to first order', () => {
  const flow = createFlow(donation(4), { gamma: 0.5, rate: 1e-3 })
  const u = randomPoint(4)
  const there = Float64Array.from(u)
  batchMap(flow).step(there)
  expect(Array.from(there)).not.toEqual(Array.from(u))
  batchMap(flow, true).step(there)
  there.forEach((value, k) => expect(Math.abs(value - u[k])).toBeLessThan(1e-4))
  // pi' proportional to pi exp(alpha E), written out for pd: pi(C) = .3 against .8, E(C) - E(D) = -1.8
  const pd = createFlow(one('pd'), { gamma: 0, rate: 0.1 })
  const v = Float64Array.of(logit(0.3), logit(0.8))
  batchMap(pd).step(v)
  const weight = 0.3 * Math.exp(0.1 * -1.8)
  expect(1 / (1 + Math.exp(-v[0]))).toBeCloseTo(weight / (weight + 0.7), 12)
})

describe('the two-state donation game', () => {
  const both = (rich: number, poor: number) => [[rich, poor], [rich, poor]] // prettier-ignore

  test('ALLC, GRIM and ALLD are stable where the conditions say', () => {
    for (const gamma of [0.05, 0.15, 0.3, 0.6, 0.9]) {
      for (const b1 of [2.5, 4, 10]) {
        const game = donation(b1)
        expect(deviationRate(game, both(0, 1), gamma) < 0, `GRIM ${gamma} ${b1}`).toBe(gamma > 1 / b1)
        expect(deviationRate(game, both(0, 0), gamma) < 0, `ALLC ${gamma} ${b1}`).toBe(gamma * (b1 - 2) > 1)
        expect(deviationRate(game, both(1, 1), gamma)).toBeCloseTo(-1, 9) // a lone donation costs c
      }
    }
    expect(stableProfiles(donation(10), 0.9)).toHaveLength(3)
    expect(stableProfiles(donation(4), 0.4)).toEqual([both(0, 1), both(1, 1)])
  })

  test('under entropy ALLD rests at P(C) = 1 / (1 + exp(c / eta))', () => {
    for (const [eta, p] of [
      [0.2, 0.0066928509],
      [0.3, 0.0344451957],
    ]) {
      // prettier-ignore
      const flow = createFlow(donation(4), { gamma: 0, eta }) // a donation always costs c more than keeping
      const u = new Float64Array(4).fill(-3)
      expect(settle(flow, u, 0.05, 500, 1e-10)).toBeLessThan(500)
      for (const value of u) expect(1 / (1 + Math.exp(-value))).toBeCloseTo(p, 9)
    }
  })

  test('basins of a small sample are those of the table, within its error', () => {
    // 400 starts: standard error .025
    const shares = basinShares(donation(10), basinCounts(donation(10), { gamma: 0.9, eta: 0.3 }, { starts: 400 }))
    expect(Math.abs(shares.ALLC - 0.709)).toBeLessThan(0.08)
    expect(basinShares(donation(4), basinCounts(donation(4), { gamma: 0.9, eta: 0.5 }, { starts: 100 }))).toEqual({
      ALLD: 1,
    })
  })

  test('classes have the names of the literature', () => {
    const code = (p: number[][]) => p.flat().reduce((sum, bit, k) => sum + (bit << k), 0) // [agent][state]
    expect(className(donation(4), code([[1, 1], [1, 1]]))).toBe('ALLC') // prettier-ignore
    expect(className(donation(4), code([[1, 0], [1, 0]]))).toBe('GRIM') // prettier-ignore
    expect(className(donation(4), code([[0, 0], [0, 0]]))).toBe('ALLD') // prettier-ignore
    expect(className(donation(4), code([[1, 0], [0, 0]]))).toBe('1000') // prettier-ignore
  })

  test('shards of the starts add up to the whole', () => {
    const settings = { gamma: 0.9, eta: 0.1 }
    const whole = basinCounts(donation(4), settings, { starts: 60 })
    const parts = [0, 20, 40].map((first) => basinCounts(donation(4), settings, { starts: 20, first }))
    for (const [code, count] of whole) expect(parts.reduce((sum, part) => sum + (part.get(code) ?? 0), 0)).toBe(count)
  })
})

describe('matching pennies in two states', () => {
  test('is chaotic without entropy from the stated start, and not with it: exponent -eta', () => {
    expect(lyapunovExponent(createFlow(pennies, { gamma: 0.9 }), WILD, { horizon: 1500 })).toBeGreaterThan(0.01)
    for (const eta of [0.01, 0.05]) {
      const exponent = lyapunovExponent(createFlow(pennies, { gamma: 0.9, eta }), WILD, { horizon: 500 })
      expect(Math.abs(exponent + eta)).toBeLessThan(1e-3)
    }
  })

  test('neighbours part until they have nothing in common, or meet under entropy', () => {
    const apart = separation(createFlow(pennies, { gamma: 0.9 }), WILD, 1e-3, 600)
    expect(apart[0]).toBeCloseTo(-3, 9)
    expect(Math.max(...apart.slice(300))).toBeGreaterThan(0)
    expect(separation(createFlow(pennies, { gamma: 0.9, eta: 0.05 }), WILD, 1e-3, 600).at(-1)).toBeLessThan(-10)
  })

  test('entropy makes it fair: every chance goes to one half', () => {
    const flow = createFlow(pennies, { gamma: 0.9, eta: 0.05 })
    const end = trajectory(rungeKutta(flow, 0.02), WILD, 25_000, 25_000)[1]
    for (const value of end) expect(Math.abs(value)).toBeLessThan(1e-6)
  })
})

describe('surfaces between basins', () => {
  const stag = createFlow(one('stag-hunt'), { gamma: 0 })
  const settings = { dt: 0.05, time: 200 }
  const classOf = (u: Float64Array) => classify(stag, u, settings)

  test('of the stag hunt pass through its mixed equilibrium, and lie on x + y = 1', () => {
    // symmetric payoffs 4 1 3 2: du = q - (1 - q) = 2q - 1, so that the diagonal u = -v leads to the middle
    const [a] = boundary(classOf, Float64Array.of(-2, 1), Float64Array.of(2, 1))!
    expect(a[0]).toBeCloseTo(-1, 6)
    const path = separatrix(stag, classOf, Float64Array.of(-1.5, 1), Float64Array.of(0, 1))
    expect(path.length).toBeGreaterThan(20)
    for (const [x, y] of path) expect(x).toBeCloseTo(-y, 3)
    expect(boundary(classOf, Float64Array.of(1, 1), Float64Array.of(2, 2))).toBe(undefined)
  })

  test('the README example of pyCRLD is bistable: both cooperate or both defect', () => {
    // R 1, T .8, S -.5, P 0; alpha .1, gamma .9
    const game: Tensors = { ...one('pd'), reward: Float64Array.of(1, 1, -0.5, 0.8, 0.8, -0.5, 0, 0) }
    const flow = createFlow(game, { gamma: 0.9, rate: 0.1 })
    const ends = new Set<number>()
    for (const start of [
      [2, 2],
      [-2, -2],
      [0, 0],
      [-1, -1],
      [3, 1],
    ]) {
      // prettier-ignore
      const u = Float64Array.from(start)
      for (let k = 0; k < 2000; k++) batchMap(flow).step(u)
      ends.add((u[0] > 0 ? 1 : 0) + (u[1] > 0 ? 2 : 0))
    }
    expect([...ends].sort()).toEqual([0, 3])
  })
})

test('sampled batch learners follow the flow: within .05 over 200 updates', () => {
  for (const [game, start, eta] of [
    [donation(4), [[0.6, 0.4, 0.5, 0.5], [0.55, 0.45, 0.4, 0.6]], 0], // prettier-ignore
    [pennies, [[0.6, 0.4, 0.3, 0.7], [0.2, 0.8, 0.5, 0.5]], 0.05], // prettier-ignore
  ] as const) {
    const alpha = 0.01
    const learned = learnFromSamples(game, start, { eta, alpha, batch: 2000 })
    const flow = createFlow(game, { gamma: 0.9, eta, rate: alpha })
    const exact = trajectory(rungeKutta(flow, 1), logOddsOf(game, start), 200)
    const policies = [new Float64Array(4), new Float64Array(4)]
    let worst = 0
    let way = 0
    exact.forEach((u, update) => {
      policiesOf(game, u, policies)
      policies.forEach((policy, i) =>
        policy.forEach((p, k) => {
          worst = Math.max(worst, Math.abs(p - learned[update][i][k]))
          way = Math.max(way, Math.abs(p - start[i][k]))
        }),
      )
    })
    expect(worst).toBeLessThan(0.05)
    expect(way).toBeGreaterThan(2 * worst) // they went somewhere
  }
})

describe('independent gradient learners on climbing', () => {
  /** Follows the flow for long; the joint action that both then like best. */
  function end(geometry: 'natural' | 'vanilla', start: Float64Array, time: number): [number, number] {
    const game = one('climbing')
    const stepper = rungeKutta(generalFlow(game, { gamma: 0, geometry }), 0.02)
    const u = Float64Array.from(start)
    for (let k = 0; k < time / 0.02; k++) stepper.step(u)
    const policies = [new Float64Array(3), new Float64Array(3)]
    policiesOf(game, u, policies)
    return policies.map((p) => p.indexOf(Math.max(...p))) as [number, number]
  }

  test('first favour the third action, whose mean against uniform play is highest', () => {
    const [a, b] = field(one('climbing'), new Float64Array(4), { gamma: 0 })
    expect(a).toBeCloseTo(-19 / 3 - 11 / 3, 10) // row means -6.33, -7.67, 3.67
    expect(b).toBeCloseTo(-23 / 3 - 11 / 3, 10)
  })

  test('from near-uniform starts end at 6 and later 7, never at 11', () => {
    const table = [[11, -30, 0], [-30, 7, 0], [0, 6, 5]] // prettier-ignore
    for (let draw = 0; draw < 30; draw++) {
      const start = randomPoint(4, 0.1)
      const [i, j] = end('natural', start, 12)
      expect([6, 7]).toContain(table[i][j])
    }
  })
})

test('rest points under entropy are where nobody would move much: NashConv falls with eta', () => {
  const game = tableGame('bos', 100)
  const conv = [0.5, 0.2, 0.05].map((eta) => {
    const flow = createFlow(tensorsOf(game), { gamma: 0, eta })
    const u = Float64Array.of(1, 1)
    settle(flow, u, 0.02, 1000, 1e-9)
    const policies = [new Float64Array(2), new Float64Array(2)]
    policiesOf(tensorsOf(game), u, policies)
    return nashConv(game, policies)
  })
  expect(conv[0]).toBeGreaterThan(conv[1])
  expect(conv[1]).toBeGreaterThan(conv[2])
  expect(conv[2]).toBeLessThan(1e-6)
})
