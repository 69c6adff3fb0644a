/** Game theory against published values and hand computation; expected.json is read where it is found. */
import { describe, expect, test } from 'vitest'
import { fixtureJson } from '../../../testing.ts'
import { Generator, namedSeed } from '../../core/index.ts'
import { coordinationReward } from '../formulas.ts'
import { actionsOf, bestWelfare, normalForm, pureEquilibria, twoPlayerGame, welfare, type Game } from '../games.ts'
import { formulaGame } from '../start.ts'
import { tableGame } from '../tables.ts'
import {
  AXELROD,
  RegretLedger,
  STRATEGIES,
  actionValues,
  bestReply,
  bestStationaryReply,
  createEvaluation,
  equality,
  equilibria,
  evaluate,
  expectedPayoffs,
  exploitability,
  extortion,
  generosity,
  grimThreshold,
  longRunPayoffs,
  longRunShares,
  minMaxShare,
  nashConv,
  priceOfAnarchy,
  pureProfile,
  purePolicies,
  regretMatching,
  stochasticNashConv,
  tensorsOf,
  uniformPolicies,
  uniformProfile,
  type MemoryOne,
} from './index.ts'

const game = (id: string, k = 100) => tableGame(id, k)
const rng = new Generator(namedSeed('theory', 'tests'))

/** A random mixed strategy. */
function mixed(size: number): number[] {
  const weights = Array.from({ length: size }, () => rng.float() + 0.01)
  const sum = weights.reduce((a, b) => a + b)
  return weights.map((weight) => weight / sum)
}

/** A game of random whole payoffs for players with the given numbers of actions. */
function randomGame(sizes: readonly number[]): Game {
  const cells = sizes.reduce((a, b) => a * b)
  const payoff = Array.from({ length: cells * sizes.length }, () => rng.below(21) - 10)
  const names = sizes.map((size) => Array.from({ length: size }, (_, a) => String(a)))
  return normalForm('random', '', names, (player, choices) => {
    return payoff[choices.reduce((cell, choice, n) => cell * sizes[n] + choice, 0) * sizes.length + player]
  })
}

describe('best replies and NashConv', () => {
  test('of uniform play are those of the published table', () => {
    const values = { pd: 1.5, 'pd-lola': 1, 'stag-hunt': 0, chicken: 0, bos: 0.5, mp: 0, rps: 0, climbing: 110 / 9 }
    for (const [id, value] of Object.entries(values)) {
      expect(nashConv(game(id), uniformProfile(game(id))), id).toBeCloseTo(value, 12)
    }
    for (const [k, value] of [
      [0, 16 / 9],
      [25, 68 / 9],
      [50, 56 / 3],
      [75, 268 / 9],
      [100, 368 / 9],
    ]) {
      // prettier-ignore
      expect(nashConv(game('penalty', k), uniformProfile(game('penalty')))).toBeCloseTo(value, 12)
    }
  })

  test('are zero exactly at pure equilibria, and positive elsewhere', () => {
    for (const sizes of [
      [2, 2],
      [3, 4],
      [2, 3, 2],
    ]) {
      // prettier-ignore
      for (let draw = 0; draw < 20; draw++) {
        const random = randomGame(sizes)
        const stable = new Set(pureEquilibria(random))
        for (let cell = 0; cell < random.cells; cell++) {
          const conv = nashConv(random, pureProfile(random, actionsOf(random, cell)))
          expect(conv === 0).toBe(stable.has(cell))
          expect(conv).toBeGreaterThanOrEqual(0)
        }
      }
    }
  })

  test('agree with a sum written out by hand for three players', () => {
    // climbing-3p, others uniform: row means over 9 cells of P[0] = (11 - 60) / 9, P[1] = (-30 + 7) / 9, P[2] = 11 / 9
    const values = actionValues(game('climbing-3p'), uniformProfile(game('climbing-3p')), 0)
    expect(Array.from(values)).toEqual([-49 / 9, -23 / 9, 11 / 9].map((value) => expect.closeTo(value, 12)))
    expect(bestReply(game('climbing-3p'), uniformProfile(game('climbing-3p')), 0)).toEqual({
      actions: [2],
      value: expect.closeTo(11 / 9, 12),
    })
  })

  test('exploitability of the constant rock is 1, and of uniform play 0', () => {
    expect(exploitability(game('rps'), [[1, 0, 0], [1 / 3, 1 / 3, 1 / 3]])).toBeCloseTo(0.5, 12) // prettier-ignore
    expect(exploitability(game('rps'), [[1, 0, 0], [1, 0, 0]])).toBe(1) // prettier-ignore
    expect(() => exploitability(game('climbing-3p'), uniformProfile(game('climbing-3p')))).toThrow('two players')
  })

  test('refuse profiles of another shape by name', () => {
    expect(() => nashConv(game('rps'), [[1, 0], [1, 0, 0]])).toThrow('[2, 3] chances; expected [3, 3]') // prettier-ignore
    expect(() => nashConv(formulaGame('donation', {}), [[1, 0], [1, 0]])).toThrow('one state') // prettier-ignore
  })
})

describe('laws', () => {
  /** The game with player 0 renamed to 1 and back. */
  const swapped = (g: Game) => {
    const columns = g.actions[1].length
    const at = (i: number, j: number, player: number) => g.payoff[(i * columns + j) * 2 + player]
    return normalForm('swapped', '', [g.actions[1], g.actions[0]], (player, [i, j]) => at(j, i, 1 - player))
  }

  test('swapped players swap payoffs and equilibria, and keep NashConv', () => {
    for (let draw = 0; draw < 30; draw++) {
      const g = randomGame([2, 3])
      const [x, y] = [mixed(2), mixed(3)]
      const [a, b] = expectedPayoffs(g, [x, y])
      expect(Array.from(expectedPayoffs(swapped(g), [y, x]))).toEqual([expect.closeTo(b, 12), expect.closeTo(a, 12)])
      expect(nashConv(swapped(g), [y, x])).toBeCloseTo(nashConv(g, [x, y]), 12)
      expect(equilibria(swapped(g))).toHaveLength(equilibria(g).length)
    }
  })

  test('relabelled actions move equilibria with them', () => {
    for (let draw = 0; draw < 30; draw++) {
      const g = randomGame([3, 3])
      const order = [2, 0, 1] // new action k is the old order[k]
      const relabelled = normalForm(
        'relabelled',
        '',
        g.actions,
        (player, [i, j]) => g.payoff[(order[i] * 3 + j) * 2 + player],
      )
      const old = pureEquilibria(g).map((cell) => actionsOf(g, cell))
      const now = pureEquilibria(relabelled).map((cell) => actionsOf(relabelled, cell))
      expect(now.map(([i, j]) => [order[i], j]).sort()).toEqual(old.sort())
      const [x, y] = [mixed(3), mixed(3)]
      expect(nashConv(relabelled, [order.map((i) => x[i]), y])).toBeCloseTo(nashConv(g, [x, y]), 12)
    }
  })

  test('payoffs times two plus seven double NashConv and keep equilibria', () => {
    for (let draw = 0; draw < 30; draw++) {
      const g = randomGame([2, 4])
      const scaled = normalForm('scaled', '', g.actions, (player, [i, j]) => 2 * g.payoff[(i * 4 + j) * 2 + player] + 7)
      const profile = [mixed(2), mixed(4)]
      expect(nashConv(scaled, profile)).toBeCloseTo(2 * nashConv(g, profile), 10)
      expect(pureEquilibria(scaled)).toEqual(pureEquilibria(g))
      expect(equilibria(scaled).map(({ row }) => row)).toEqual(
        equilibria(g).map(({ row }) => row.map((p) => expect.closeTo(p, 8))),
      )
    }
  })
})

describe('support enumeration', () => {
  test('finds the published mixed equilibria', () => {
    const of = (id: string) => equilibria(game(id)).filter(({ row }) => row.every((p) => p < 1))
    expect(of('bos')).toEqual([
      { row: [0.6, 0.4], column: [0.4, 0.6], values: [1.2, 1.2] }, // 3 of 5 and 2 of 5, value 6 / 5
    ].map(({ row, column, values }) => ({ row: near(row), column: near(column), values: near(values) }))) // prettier-ignore
    expect(of('stag-hunt')[0].values).toEqual(near([2.5, 2.5]))
    expect(of('chicken')[0].values).toEqual(near([2, 2]))
    expect(of('rps')).toHaveLength(1)
    expect(of('rps')[0].row).toEqual(near([1 / 3, 1 / 3, 1 / 3]))
    expect(of('pd')).toEqual([])
  })

  const near = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 12))

  test('is an odd number of equilibria without NashConv, in random games (almost all are nondegenerate)', () => {
    let odd = 0
    for (let draw = 0; draw < 60; draw++) {
      const payoff = Array.from({ length: 18 }, () => rng.float())
      const g = normalForm('random', '', [['0', '1', '2'], ['0', '1', '2']], (player, [i, j]) => payoff[(i * 3 + j) * 2 + player]) // prettier-ignore
      const all = equilibria(g)
      if (all.length % 2 === 1) odd++
      for (const { row, column } of all) expect(nashConv(g, [row, column])).toBeLessThan(1e-9)
    }
    expect(odd).toBe(60) // Wilson 1971
  })

  test('of pure supports is what the table of pure equilibria says, for all ordinal games', () => {
    for (let n = 1; n <= 57; n++) {
      const g = game(`c${n}`)
      const pure = equilibria(g).filter(({ row }) => row.includes(1))
      expect(pure.map(({ row, column }) => row.indexOf(1) * 2 + column.indexOf(1)).sort()).toEqual(pureEquilibria(g))
      // without a pure one there is a mixed one; with two pure ones a third
      expect(equilibria(g).length % 2).toBe(1)
    }
  })
})

test('the price of anarchy is 3 in pd, 2 in the stag hunt, 11/7 in climbing, 5 in penalty, undefined in mp', () => {
  expect(['pd', 'stag-hunt', 'climbing', 'penalty', 'mp', 'pd-lola'].map((id) => priceOfAnarchy(game(id)))).toEqual([
    3,
    2,
    11 / 7,
    5,
    undefined, // no pure equilibrium
    undefined, // welfare below zero
  ])
})

describe('memory-1 strategies', () => {
  test('earn what the published chains say', () => {
    const paid = (a: keyof typeof STRATEGIES, b: keyof typeof STRATEGIES) =>
      longRunPayoffs(STRATEGIES[a], STRATEGIES[b], AXELROD, 0.001).map((value) => Math.round(value * 1000) / 1000)
    expect(paid('TFT', 'TFT')).toEqual([2.25, 2.25])
    expect(paid('WSLS', 'WSLS')).toEqual([2.995, 2.995])
    expect(paid('GTFT', 'GTFT')).toEqual([2.997, 2.997])
    expect(paid('GRIM', 'GRIM')).toEqual([1.004, 1.004])
    expect(paid('ALLC', 'EXT2')).toEqual([2.246, 3.501])
    expect(paid('WSLS', 'EXT2')).toEqual([1.632, 2.255])
    expect(paid('TFT', 'WSLS')).toEqual([2.25, 2.25])
  })

  test('without errors depend on the first round where the chain does', () => {
    expect(longRunPayoffs(STRATEGIES.TFT, STRATEGIES.TFT)).toEqual([3, 3])
    expect(longRunShares(STRATEGIES.TFT, STRATEGIES.TFT, [0, 1, 0, 0])).toEqual(
      [0, 0.5, 0.5, 0].map((share) => expect.closeTo(share, 9)), // they take turns for ever
    )
    expect(longRunShares(STRATEGIES.GRIM, STRATEGIES.GRIM, [0, 0, 1, 0])).toEqual(
      [0, 0, 0, 1].map((share) => expect.closeTo(share, 9)),
    )
  })

  test('agree with a simulated match', () => {
    const first: MemoryOne = [0.9, 0.2, 0.7, 0.4]
    const second: MemoryOne = [0.6, 0.8, 0.1, 0.3]
    const [exact] = longRunPayoffs(first, second)
    let state = 0
    let sum = 0
    const rounds = 200_000
    const swap = [0, 2, 1, 3]
    for (let round = 0; round < rounds; round++) {
      const a = rng.float() < first[state] ? 0 : 1
      const b = rng.float() < second[swap[state]] ? 0 : 1
      state = a * 2 + b
      sum += AXELROD[state]
    }
    expect(Math.abs(sum / rounds - exact)).toBeLessThan(0.03) // payoffs deviate by 1.8, rounds hang together a little
  })

  test('an extortioner keeps twice the other’s surplus against anybody', () => {
    for (const share of [1, 0.5]) {
      const extort = extortion(AXELROD, 2, share)
      for (let draw = 0; draw < 20; draw++) {
        const other: MemoryOne = [rng.float(), rng.float(), rng.float(), rng.float()]
        const [mine, yours] = longRunPayoffs(extort, other)
        expect(mine - 1).toBeCloseTo(2 * (yours - 1), 9)
      }
    }
    // the published member of the family has half the largest phi, 1/18 of 1/9
    const published = STRATEGIES.EXT2
    const [mine, yours] = longRunPayoffs(published, STRATEGIES.ALLC)
    expect([mine, yours]).toEqual([expect.closeTo(3.5, 12), expect.closeTo(2.25, 12)])
    expect(extortion(AXELROD, 2, 0.5)).toEqual(published.map((p) => expect.closeTo(p, 12)))
  })

  test('GTFT forgives a third; GRIM needs a discount factor of one half', () => {
    expect(generosity(AXELROD)).toBeCloseTo(1 / 3, 12)
    expect(grimThreshold(AXELROD)).toBe(0.5)
    expect(grimThreshold([-1, -3, 0, -2])).toBe(0.5)
  })
})

describe('stochastic games', () => {
  const donation = (benefit: number, poorBenefit = 2) => tensorsOf(formulaGame('donation', { benefit, poorBenefit }))
  const both = (rich: number, poor: number) => [[rich, poor], [rich, poor]] // prettier-ignore
  const [ALLC, GRIM, ALLD] = [both(0, 0), both(0, 1), both(1, 1)]

  test('values of constant play are geometric sums', () => {
    const game = donation(10)
    const out = createEvaluation(game)
    evaluate(game, purePolicies(game, ALLC), 0.9, out)
    expect(out.V[0]).toBeCloseTo(9 / 0.1, 9) // b1 - c for ever
    expect(out.V[2]).toBeCloseTo(1 + (0.9 * 9) / 0.1, 9) // b2 - c once, then rich
    expect(out.Q[0][1]).toBeCloseTo(10 + 0.9 * out.V[2], 9) // defecting once
  })

  test('GRIM is an equilibrium iff gamma > c/b1, ALLC iff gamma (b1 - b2) > c, ALLD always', () => {
    for (const [benefit, gamma] of [
      [10, 0.05],
      [10, 0.15],
      [4, 0.2],
      [4, 0.4],
      [4, 0.55],
      [4, 0.9],
      [10, 0.99],
    ]) {
      // prettier-ignore
      const game = donation(benefit)
      const stable = (profile: number[][]) => stochasticNashConv(game, purePolicies(game, profile), gamma) < 1e-9
      expect(stable(GRIM), `GRIM ${benefit} ${gamma}`).toBe(gamma > 1 / benefit)
      expect(stable(ALLC), `ALLC ${benefit} ${gamma}`).toBe(gamma * (benefit - 2) > 1)
      expect(stable(ALLD)).toBe(true)
    }
  })

  test('the two-step game: a best reply to uniform play waits for 2A, worth 7; together 2B is worth 8', () => {
    const game = tensorsOf(formulaGame('two-step', {}))
    const reply = bestStationaryReply(game, uniformPolicies(game), 0, 1)
    expect(reply.actions[0]).toBe(0)
    expect(reply.value[0]).toBe(7)
    expect(reply.value[2]).toBe(4.5) // (1 + 8) / 2 with b
    const together = purePolicies(game, [[1, 0, 1], [1, 0, 1]]) // prettier-ignore
    expect(stochasticNashConv(game, together, 1, [1, 0, 0])).toBe(0)
  })

  test('uniform play is the equilibrium of the two-state pennies, worth half a round each', () => {
    const game = tensorsOf(formulaGame('two-state-pennies', {}))
    for (const gamma of [0, 0.5, 0.9]) {
      expect(stochasticNashConv(game, uniformPolicies(game), gamma)).toBeCloseTo(0, 9)
      const out = createEvaluation(game)
      evaluate(game, uniformPolicies(game), gamma, out)
      for (const value of out.V) expect(value * (1 - gamma)).toBeCloseTo(0.5, 12)
    }
  })

  test('of one state without a future are the one-shot game', () => {
    for (const id of ['pd', 'bos', 'climbing', 'climbing-3p']) {
      const game1 = game(id)
      const profile = game1.actions.map((names) => mixed(names.length))
      const policies = profile.map((chances) => Float64Array.from(chances))
      expect(stochasticNashConv(tensorsOf(game1), policies, 0)).toBeCloseTo(nashConv(game1, profile), 9)
    }
  })

  test('a best reply is at least as good as any policy tried', () => {
    const game = tensorsOf(formulaGame('ecological', { recovery: 0.1 }))
    const policies = uniformPolicies(game)
    const { value } = bestStationaryReply(game, policies, 0, 0.9)
    const out = createEvaluation(game)
    for (let code = 0; code < 4; code++) {
      const tried = [purePolicies(game, [[code & 1, code >> 1], [0, 0]])[0], policies[1]] // prettier-ignore
      evaluate(game, tried, 0.9, out)
      for (let s = 0; s < 2; s++) expect(value[s]).toBeGreaterThanOrEqual(out.V[s * 2] - 1e-9)
    }
  })
})

describe('regret', () => {
  test('of always cooperating in pd is two a round against a cooperator, one against a defector', () => {
    const ledger = new RegretLedger(game('pd'), 0)
    for (const cell of [0, 0, 1]) ledger.add(cell)
    expect(Array.from(ledger.perAction())).toEqual([0, 2 + 2 + 1])
    expect([ledger.external(), ledger.swap()]).toEqual([5, 5])
  })

  test('swap regret sees what external regret does not', () => {
    // player 1 of rps answers rock with rock and scissors with scissors: exchanging each for the winner gains 1 a time
    const ledger = new RegretLedger(game('rps'), 1)
    for (const cell of [0, 8, 4]) ledger.add(cell)
    expect(ledger.external()).toBe(0)
    expect(ledger.swap()).toBe(3)
  })

  test('regret matching in rps: the average strategy is near uniform and regret vanishes', () => {
    const rps = game('rps')
    const ledgers = [0, 1].map((player) => new RegretLedger(rps, player))
    const chances = new Float64Array(3)
    const played = [new Float64Array(3), new Float64Array(3)]
    const draw = () => {
      let x = rng.float()
      let action = 0
      while (action < 2 && x >= chances[action]) x -= chances[action++]
      return action
    }
    for (let round = 0; round < 10_000; round++) {
      const [a, b] = ledgers.map((ledger) => {
        regretMatching(ledger.perAction(), chances)
        return draw()
      })
      played[0][a]++
      played[1][b]++
      ledgers.forEach((ledger) => ledger.add(a * 3 + b))
    }
    for (const counts of played) for (const count of counts) expect(Math.abs(count / 10_000 - 1 / 3)).toBeLessThan(0.05)
    for (const ledger of ledgers) expect(ledger.external() / 10_000).toBeLessThan(0.05)
  })
})

test('equality is 1 - Gini: all the same 1, everything for one 1/n, undefined for nothing and for debts', () => {
  expect(equality([2, 2, 2])).toBe(1)
  expect(equality([1, 0, 0, 0])).toBeCloseTo(1 / 4, 12)
  expect(equality([1, 3])).toBeCloseTo(1 - (2 * 2) / (2 * 2 * 4), 12)
  expect(equality([0, 0])).toBeNaN()
  expect(equality([-1, 2])).toBeNaN()
  expect(minMaxShare([1, 4])).toBe(1 / 4)
  expect(minMaxShare([0, 0])).toBeNaN()
})

test('public goods: everybody gives, one keeps, one gives alone', () => {
  for (const [N, r, all, keeps, alone] of [
    [4, 1.6, 0.6, 1.2, -0.6],
    [4, 2, 1, 1.5, -0.5],
    [5, 3, 2, 2.4, -0.4],
  ]) {
    // prettier-ignore
    const g = formulaGame('public-goods', { players: N, multiplier: r })
    const last = g.cells - 1
    expect(g.payoff[0]).toBeCloseTo(all, 12)
    expect(g.payoff[1 * N + N - 1]).toBeCloseTo(keeps, 12) // cell 1: only the last keeps
    expect(g.payoff[(last - 1) * N + N - 1]).toBeCloseTo(alone, 12) // only the last gives
    expect(g.payoff[last * N]).toBe(0)
    expect(pureEquilibria(g)).toEqual([last]) // a dilemma: 1 < r < N
  }
})

test('traveler’s dilemma: only the lowest claims are stable, though 100 and 100 would pay 200', () => {
  const g = formulaGame('travelers-dilemma', {})
  expect(pureEquilibria(g)).toEqual([0])
  expect(bestWelfare(g).map((cell) => welfare(g)[cell])).toEqual([200])
  expect(actionsOf(g, bestWelfare(g)[0])).toEqual([98, 98])
})

/** Mean of one step of the coordination game when everybody plays the same bit. */
function coordinationStep(players: number, bit: number, noise: number): number {
  const wrongBit = bit === 0 ? noise : 1 - noise // chance that a bit shows 1
  let sum = 0
  let ways = 1
  for (let ones = 0; ones <= players; ones++) {
    if (ones > 0) ways = (ways * (players - ones + 1)) / ones
    sum += ways * wrongBit ** ones * (1 - wrongBit) ** (players - ones) * coordinationReward(players, players - ones)
  }
  return sum
}

test('coordination by noisy bits pays the published means, and the tensors agree', () => {
  expect(coordinationStep(2, 0, 0.1)).toBeCloseTo(2.45, 12)
  expect(coordinationStep(10, 1, 0.1)).toBeCloseTo(1.9856, 4)
  for (const players of [2, 3, 5]) {
    const g = formulaGame('coordination', { players })
    for (const bit of [0, 1]) {
      const cell = bit === 0 ? 0 : g.cells - 1
      expect(g.payoff[cell * players]).toBeCloseTo(coordinationStep(players, bit, 0.1), 12)
    }
  }
})

test('an equilibrium is one whatever the payoffs are called: a custom copy has the same', () => {
  const bos = game('bos')
  const copy = twoPlayerGame('custom', '', [['a', 'b'], ['a', 'b']], [[3, 0], [0, 2]], [[2, 0], [0, 3]]) // prettier-ignore
  expect(equilibria(copy)).toEqual(equilibria(bos))
})

const expected = fixtureJson('expected.json')

describe.runIf(expected)('expected.json', () => {
  interface Ordinal {
    readonly payoffs: number[]
    readonly pureNE: number[][]
  }
  interface Expected {
    readonly penaltyReturn25: { optimal: number; safe: number }
    readonly uoeOther: Record<string, number[][] | number[][][]>
    readonly ordinal2x2: { games: Record<string, Ordinal> }
    readonly publicGoods: { N: number; r: number; allC: number; loneDefector: number; loneContributor: number }[]
    readonly travelersDilemma: { low: number; high: number; bonus: number; pureNE: number[][]; maxWelfare: number }
    readonly memory1: {
      payoffRSTP: [number, number, number, number]
      error: number
      tol: number
      pairs: Record<string, [number, number]>
      zdExtort2vsALLC_noError: { extorter: number; allc: number }
    }
    readonly grimThreshold: Record<string, number>
    readonly coordinationGameBNPG: { eps: number; oneStep: Record<string, [number, number]> }
    readonly byzantineToy: { steps: number; cooperative: number; oneAdversaryValue: number }
  }
  const load = () => (expected as { matrix: Expected }).matrix

  test('the tables of matrix-games and all ordinal games, with their equilibria', () => {
    const { uoeOther, ordinal2x2 } = load()
    const idOf: Record<string, string> = {
      linear2p: 'linear-2p',
      nonlinear2p: 'nonlinear-2p',
      climbing3p: 'climbing-3p',
    }
    for (const [name, table] of Object.entries(uoeOther)) {
      const g = game(idOf[name] ?? name)
      const players = g.actions.length
      expect(
        Array.from({ length: g.cells }, (_, cell) => g.payoff[cell * players]),
        name,
      ).toEqual(table.flat(2))
    }
    expect(Object.keys(ordinal2x2.games)).toHaveLength(78)
    for (const [name, { payoffs, pureNE }] of Object.entries(ordinal2x2.games)) {
      const g = game(name === 'nc19' ? 'uoe-nc19' : name)
      expect(Array.from(g.payoff), name).toEqual(payoffs)
      expect(
        pureEquilibria(g).map((cell) => actionsOf(g, cell)),
        name,
      ).toEqual(pureNE)
      expect(
        pureEquilibria(game(name)).map((cell) => actionsOf(game(name), cell)),
        name,
      ).toEqual(pureNE)
    }
  })

  test('public goods, traveler’s dilemma, coordination, the Byzantine toy', () => {
    const { publicGoods, travelersDilemma: t, coordinationGameBNPG, byzantineToy } = load()
    for (const { N, r, allC, loneDefector, loneContributor } of publicGoods) {
      const g = formulaGame('public-goods', { players: N, multiplier: r })
      expect(g.payoff[0]).toBeCloseTo(allC, 10)
      expect(g.payoff[1 * N + N - 1]).toBeCloseTo(loneDefector, 10)
      expect(g.payoff[(g.cells - 2) * N + N - 1]).toBeCloseTo(loneContributor, 10)
    }
    const claims = formulaGame('travelers-dilemma', { low: t.low, high: t.high, bonus: t.bonus })
    const names = (cell: number) => actionsOf(claims, cell).map((action, n) => Number(claims.actions[n][action]))
    expect(pureEquilibria(claims).map(names)).toEqual(t.pureNE)
    expect(welfare(claims).reduce((a, b) => Math.max(a, b))).toBe(t.maxWelfare)
    for (const [N, means] of Object.entries(coordinationGameBNPG.oneStep)) {
      means.forEach((mean, bit) => {
        expect(coordinationStep(Number(N), bit, coordinationGameBNPG.eps)).toBeCloseTo(mean, 4)
      })
    }
    // two who know the way collect 1 a round; a uniform player guarantees half of that whatever the other does
    const toy = tensorsOf(formulaGame('byzantine', {}))
    const out = createEvaluation(toy)
    for (let code = 0; code < 4; code++) {
      const policies = [uniformPolicies(toy)[0], purePolicies(toy, [[0, 0], [code & 1, code >> 1]])[1]] // prettier-ignore
      evaluate(toy, policies, 0.9, out)
      for (const value of out.V) {
        expect(value * 0.1 * byzantineToy.steps).toBeCloseTo(byzantineToy.oneAdversaryValue, 9)
      }
    }
    evaluate(toy, purePolicies(toy, [[0, 0], [0, 1]]), 0.9, out) // prettier-ignore
    expect(out.V[0] * 0.1 * byzantineToy.steps).toBeCloseTo(byzantineToy.cooperative, 9)
  })

  test('memory-1 payoffs and GRIM’s threshold', () => {
    const { memory1, grimThreshold: thresholds } = load()
    for (const [pair, values] of Object.entries(memory1.pairs)) {
      const [a, b] = pair.split('-') as (keyof typeof STRATEGIES)[]
      const paid = longRunPayoffs(STRATEGIES[a], STRATEGIES[b], [3, 0, 5, 1], memory1.error)
      values.forEach((value, k) => expect(Math.abs(paid[k] - value), pair).toBeLessThanOrEqual(memory1.tol))
    }
    const [extorter, allc] = longRunPayoffs(STRATEGIES.EXT2, STRATEGIES.ALLC)
    expect(extorter).toBeCloseTo(memory1.zdExtort2vsALLC_noError.extorter, 10)
    expect(allc).toBeCloseTo(memory1.zdExtort2vsALLC_noError.allc, 10)
    expect(grimThreshold(AXELROD)).toBe(thresholds['5-3-1'])
    expect(grimThreshold([-1, -3, 0, -2])).toBe(thresholds.lola)
  })
})
