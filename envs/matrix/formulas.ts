/** Games by formula: public goods, traveler's dilemma, and the games of several states. Each says its numbers' ranges. */
import { type Game, normalForm, stochasticGame } from './games.ts'

/** A number of a formula. */
export interface Parameter {
  readonly default: number
  readonly minimum: number
  readonly maximum: number
  readonly whole?: boolean
  readonly meaning: string
}

export interface Formula {
  readonly title: string
  readonly source: string
  readonly parameters: Readonly<Record<string, Parameter>>
  /** @param p a value for every parameter, checked */
  make(p: Readonly<Record<string, number>>, id: string): Game
}

const AB = ['a', 'b'] as const
const DILEMMA = ['cooperate', 'defect'] as const
const GIVE = ['contribute', 'keep'] as const

const whole = (byDefault: number, minimum: number, maximum: number, meaning: string): Parameter => ({
  default: byDefault,
  minimum,
  maximum,
  whole: true,
  meaning,
})
const real = (byDefault: number, minimum: number, maximum: number, meaning: string): Parameter => ({
  default: byDefault,
  minimum,
  maximum,
  meaning,
})

const repeat = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)
const countOf = (choices: readonly number[], wanted: number) => choices.filter((choice) => choice === wanted).length

/** Chance of one next state for certain. */
const surely = (states: number, next: number) => Array.from({ length: states }, (_, state) => (state === next ? 1 : 0))

/** Band of the coordination game within which zeros and ones count as balanced, by number of players. */
const BAND: Readonly<Record<number, number>> = { 2: 1, 3: 1, 5: 2, 10: 3 }

/**
 * What everybody gets in a state of the coordination game (arXiv 2306.01920).
 * @param zeros number of bits that are 0 of `players`
 */
export function coordinationReward(players: number, zeros: number): number {
  const ones = players - zeros
  if (Math.abs(zeros - ones) <= BAND[players]) return ones > zeros ? 1 : 0
  return zeros > ones ? 3 : 2
}

const zerosOf = (state: number, players: number) => {
  let zeros = players
  for (let bit = 0; bit < players; bit++) zeros -= (state >> bit) & 1
  return zeros
}

const PUBLIC_GOODS: Formula = {
  title: 'Public goods',
  source: 'textbook',
  parameters: {
    players: whole(4, 2, 10, 'N, number of players'),
    multiplier: real(1.6, 0, 1000, 'r: what a contribution is multiplied by before it is shared'),
    contribution: real(1, 0, 1000, 'what a contributor pays'),
  },
  make({ players, multiplier, contribution }, id) {
    return normalForm(
      id,
      `Public goods, N = ${players}, r = ${multiplier}`,
      repeat(players, GIVE),
      (player, choices) =>
        (multiplier * contribution * countOf(choices, 0)) / players - (choices[player] === 0 ? contribution : 0),
      0,
    )
  },
}

const TRAVELERS: Formula = {
  title: "Traveler's dilemma",
  source: 'Basu 1994',
  parameters: {
    low: whole(2, 0, 1000, 'lowest claim'),
    high: whole(100, 1, 1000, 'highest claim; at most 127 above the lowest'),
    bonus: real(2, 0, 1000, 'what the lower claim gains and the higher loses'),
  },
  make({ low, high, bonus }, id) {
    const claims = Array.from({ length: high - low + 1 }, (_, k) => String(low + k))
    return normalForm(id, `Traveler's dilemma, ${low} to ${high}`, [claims, claims], (player, choices) => {
      const [own, other] = [low + choices[player], low + choices[1 - player]]
      return own === other ? own : own < other ? own + bonus : other - bonus
    })
  },
}

const TWO_STEP: Formula = {
  title: 'Two-step game of the QMIX paper',
  source: 'Rashid et al. 2018',
  parameters: {},
  make(_p, id) {
    return twoStep(id, 'Two-step game (QMIX)', () => 7, [
      [0, 1],
      [1, 8],
    ])
  },
}

const UOE_TWO_STEP: Formula = {
  title: 'Two-step game of matrix-games, as it was meant (there it stops with an error)',
  source: 'uoe-agents/matrix-games c3a8930',
  parameters: {},
  make(_p, id) {
    const linear = [
      [1, 5],
      [5, 9],
    ]
    return twoStep(id, 'Two-step game (matrix-games)', (a, b) => linear[a][b], [
      [0, 0],
      [0, 10],
    ])
  },
}

/** Agent 0's first action picks the second table; only that pays. */
function twoStep(id: string, title: string, first: (a: number, b: number) => number, second: number[][]): Game {
  return stochasticGame(id, title, [AB, AB], {
    states: ['choice', '2A', '2B'],
    last: [1, 2],
    moves: (state, choices) => surely(3, state === 0 ? 1 + choices[0] : state),
    pays: (_player, state, [a, b]) => (state === 0 ? 0 : state === 1 ? first(a, b) : second[a][b]),
  })
}

const DONATION: Formula = {
  title: 'Two-state donation game',
  source: 'Hilbe et al. 2018; DetRL (arXiv 1809.07225)',
  parameters: {
    benefit: real(10, -1000, 1000, 'b1: what a donation brings the other in the rich state'),
    poorBenefit: real(2, -1000, 1000, 'b2: in the poor state'),
    cost: real(1, -1000, 1000, 'c: what it costs'),
  },
  make({ benefit, poorBenefit, cost }, id) {
    return stochasticGame(id, `Two-state donation game, b ${benefit} and ${poorBenefit}`, [DILEMMA, DILEMMA], {
      states: ['rich', 'poor'],
      moves: (_state, [a, b]) => surely(2, a === 0 && b === 0 ? 0 : 1),
      pays: (player, state, choices) =>
        (choices[1 - player] === 0 ? (state === 0 ? benefit : poorBenefit) : 0) - (choices[player] === 0 ? cost : 0),
      cooperative: 0,
    })
  },
}

const PENNIES: Formula = {
  title: 'Two-state matching pennies',
  source: 'Hennes et al. 2010; DetRL (arXiv 1809.07225)',
  parameters: {},
  make(_p, id) {
    return stochasticGame(
      id,
      'Two-state matching pennies',
      [
        ['heads', 'tails'],
        ['heads', 'tails'],
      ],
      {
        states: ['first', 'second'],
        moves: (_state, [a]) => surely(2, a === 0 ? 1 : 0),
        pays: (player, state, [a, b]) => ((a === b) === (state === player) ? 1 : 0),
      },
    )
  },
}

const HENNES: Formula = {
  title: "Two-state prisoner's dilemma",
  source: 'Hennes et al. 2010; DetRL (arXiv 1809.07225)',
  parameters: {
    stay: real(0.1, 0, 1, 'chance to switch states after equal choices'),
    leave: real(0.9, 0, 1, 'chance to switch states after unequal choices'),
  },
  make({ stay, leave }, id) {
    const tables = [
      [3, 0, 10, 2],
      [4, 0, 10, 1],
    ] // R, S, T, P
    return stochasticGame(id, "Two-state prisoner's dilemma", [DILEMMA, DILEMMA], {
      states: ['first', 'second'],
      moves: (state, [a, b]) => {
        const away = a === b ? stay : leave
        return state === 0 ? [1 - away, away] : [away, 1 - away]
      },
      pays: (player, state, choices) => tables[state][choices[player] * 2 + choices[1 - player]],
      cooperative: 0,
    })
  },
}

const ECOLOGICAL: Formula = {
  title: 'Ecological public good',
  source: 'Barfuss et al. 2020; pyCRLD f1a43f0',
  parameters: {
    players: whole(2, 2, 6, 'N, number of players'),
    factor: real(1.2, 0, 1000, 'f: what a contribution is multiplied by before it is shared'),
    cost: real(5, 0, 1000, 'c: what a contributor pays'),
    impact: real(-5, -1000, 0, 'm: what everybody gets while, or on the way to being, degraded'),
    collapse: real(0.2, 0, 1, 'qc: chance of collapse when all defect; a share of it per defector'),
    recovery: real(0.01, 0, 1, 'qr: chance of recovery'),
    degradedChoice: whole(0, 0, 1, '1: while degraded only contributors bring recovery about, a share of qr each'),
  },
  make({ players, factor, cost, impact, collapse, recovery, degradedChoice }, id) {
    return stochasticGame(id, `Ecological public good, N = ${players}`, repeat(players, DILEMMA), {
      states: ['degraded', 'prosperous'],
      start: [0, 1],
      moves: (state, choices) => {
        const givers = countOf(choices, 0)
        const away =
          state === 1
            ? (collapse * (players - givers)) / players
            : degradedChoice === 1
              ? (recovery * givers) / players
              : recovery
        return state === 1 ? [away, 1 - away] : [1 - away, away]
      },
      pays: (player, state, choices, next) =>
        state === 0 || next === 0
          ? impact
          : (factor * cost * countOf(choices, 0)) / players - (choices[player] === 0 ? cost : 0),
      cooperative: 0,
    })
  },
}

const COORDINATION: Formula = {
  title: 'Coordination by noisy bits',
  source: 'arXiv 2306.01920 (github dchen48/BNPG)',
  parameters: {
    players: whole(2, 2, 5, 'N, number of players: 2, 3 or 5'),
    noise: real(0.1, 0, 1, 'eps: chance that a bit is the other one than chosen'),
  },
  make({ players, noise }, id) {
    const states = 1 << players
    return stochasticGame(id, `Coordination by noisy bits, N = ${players}`, repeat(players, ['0', '1']), {
      states: Array.from({ length: states }, (_, state) => state.toString(2).padStart(players, '0')),
      moves: (_state, choices) =>
        Array.from({ length: states }, (_, next) =>
          choices.reduce((chance, bit, n) => {
            return chance * (((next >> (players - 1 - n)) & 1) === bit ? 1 - noise : noise)
          }, 1),
        ),
      pays: (_player, _state, _choices, next) => coordinationReward(players, zerosOf(next, players)),
    })
  },
}

const BYZANTINE: Formula = {
  title: 'Byzantine toy game',
  source: 'github DIG-Beihang/EIR-MAPPO',
  parameters: {},
  make(_p, id) {
    return stochasticGame(id, 'Byzantine toy game', [AB, AB], {
      states: ['match', 'differ'],
      moves: (_state, [a, b]) => surely(2, a === b ? (_state === 0 ? 1 : 0) : _state),
      pays: (_player, state, [a, b]) => ((a === b) === (state === 0) ? 1 : 0),
    })
  },
}

/** Every game that is a formula, by name. */
export const FORMULAS: Readonly<Record<string, Formula>> = {
  'public-goods': PUBLIC_GOODS,
  'travelers-dilemma': TRAVELERS,
  'two-step': TWO_STEP,
  'uoe-two-step': UOE_TWO_STEP,
  donation: DONATION,
  'two-state-pennies': PENNIES,
  'two-state-pd': HENNES,
  ecological: ECOLOGICAL,
  coordination: COORDINATION,
  byzantine: BYZANTINE,
}

/** Combinations of numbers that no range can say; undefined where all is well. */
export function impossible(
  id: string,
  p: Readonly<Record<string, number>>,
): [name: string, expected: string] | undefined {
  if (id === 'travelers-dilemma') {
    if (p.high <= p.low) return ['high', `a claim above the lowest, ${p.low}`]
    if (p.high - p.low > 127) return ['high', `at most 127 above the lowest, ${p.low}`]
  }
  if (id === 'coordination' && BAND[p.players] === undefined) return ['players', '2, 3 or 5']
  return undefined
}
