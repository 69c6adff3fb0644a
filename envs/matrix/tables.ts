/** Games written down as tables: the standard set, the uoe-agents set, and the ordinal games of `ordinal.ts`. */
import { type Game, normalForm, twoPlayerGame } from './games.ts'
import { ORDINAL, UPSTREAM_NC19 } from './ordinal.ts'

/** How a named game is written down: a table for two players. */
interface NamedGame {
  readonly title: string
  /** Names of the actions, the same for both players. */
  readonly actions: readonly string[]
  /** What the row player gets, [rowAction][columnAction]. */
  readonly row: readonly (readonly number[])[]
  /** What the column player gets, in the same places; or how it follows from `row`. */
  readonly column: 'symmetric' | 'opposite' | 'common' | readonly (readonly number[])[]
  /** Index of the action that helps the other player at a price, where the game has one. */
  readonly cooperative?: number
}

const ABC = ['a', 'b', 'c'] as const
const AB = ['a', 'b'] as const
const DILEMMA = ['cooperate', 'defect'] as const

/**
 * Tables as in the literature and in uoe-agents/matrix-games at c3a8930 (climbing, penalty, trivial, linear, nonlinear and
 * what begins with uoe-); penalty here with k = 100.
 */
export const GAMES = {
  pd: {
    title: "Prisoner's dilemma",
    actions: DILEMMA,
    row: [
      [3, 0],
      [5, 1],
    ],
    column: 'symmetric',
    cooperative: 0,
  },
  'pd-lola': {
    title: "Prisoner's dilemma with costs, as in LOLA",
    actions: DILEMMA,
    row: [
      [-1, -3],
      [0, -2],
    ],
    column: 'symmetric',
    cooperative: 0,
  },
  'stag-hunt': {
    title: 'Stag hunt',
    actions: ['stag', 'hare'],
    row: [
      [4, 1],
      [3, 2],
    ],
    column: 'symmetric',
    cooperative: 0,
  },
  chicken: {
    title: 'Chicken',
    actions: ['swerve', 'straight'],
    row: [
      [3, 1],
      [4, 0],
    ],
    column: 'symmetric',
    cooperative: 0,
  },
  bos: {
    title: 'Battle of the sexes',
    actions: ['opera', 'football'],
    row: [
      [3, 0],
      [0, 2],
    ],
    column: [
      [2, 0],
      [0, 3],
    ],
  },
  mp: {
    title: 'Matching pennies',
    actions: ['heads', 'tails'],
    row: [
      [1, -1],
      [-1, 1],
    ],
    column: 'opposite',
  },
  rps: {
    title: 'Rock, paper, scissors',
    actions: ['rock', 'paper', 'scissors'],
    row: [
      [0, -1, 1],
      [1, 0, -1],
      [-1, 1, 0],
    ],
    column: 'opposite',
  },
  climbing: {
    title: 'Climbing game',
    actions: ABC,
    row: [
      [11, -30, 0],
      [-30, 7, 0],
      [0, 6, 5],
    ],
    column: 'common',
  },
  penalty: {
    title: 'Penalty game',
    actions: ABC,
    row: [
      [-100, 0, 10],
      [0, 2, 0],
      [10, 0, -100],
    ],
    column: 'common',
  },
  trivial: {
    title: 'Trivial game',
    actions: ABC,
    row: [
      [11, 8, 0],
      [8, 7, 0],
      [0, 0, 0],
    ],
    column: 'common',
  },
  linear: {
    title: 'Linear game: a sum over players',
    actions: ABC,
    row: [
      [1, 4, 2],
      [0, 3, 1],
      [2, 5, 3],
    ],
    column: 'common',
  },
  nonlinear: {
    title: 'Nonlinear game: no sum over players',
    actions: ABC,
    row: [
      [0, 3, 1],
      [0, 0, 0],
      [0, 6, 2],
    ],
    column: 'common',
  },
  'linear-2p': {
    title: 'Linear game, two actions',
    actions: AB,
    row: [
      [1, 5],
      [5, 9],
    ],
    column: 'common',
  },
  'nonlinear-2p': {
    title: 'Nonlinear game, two actions',
    actions: AB,
    row: [
      [0, 0],
      [0, 10],
    ],
    column: 'common',
  },
  'qtran-8-12': {
    title: 'Coordination under a penalty of 12 (QTRAN)',
    actions: ABC,
    row: [
      [8, -12, -12],
      [-12, 0, 0],
      [-12, 0, 0],
    ],
    column: 'common',
  },
  'uoe-pdilemma': {
    title: 'The pdilemma of matrix-games, which is no dilemma',
    actions: DILEMMA,
    row: [
      [-1, -3],
      [-3, -2],
    ],
    column: 'common',
  },
} as const satisfies Record<string, NamedGame>

/** Climbing for three players, common payoff [a][b][c] (uoe-agents/matrix-games). */
export const CLIMBING_3P = [
  [
    [11, -30, 0],
    [-30, 0, 0],
    [0, 0, 0],
  ],
  [
    [-30, 0, 0],
    [0, 7, 0],
    [0, 0, 0],
  ],
  [
    [0, 0, 0],
    [0, 0, 0],
    [0, 6, 5],
  ],
] as const

/** Names of all games that are tables. */
export const TABLE_IDS: readonly string[] = [...Object.keys(GAMES), 'climbing-3p', ...Object.keys(ORDINAL), 'uoe-nc19']

/** A game of `GAMES`. `missCost` replaces the penalty game's 100. */
export function namedGame(id: keyof typeof GAMES, missCost: number): Game {
  const { title, actions, row: written, column: rule, cooperative }: NamedGame = GAMES[id]
  const row =
    id === 'penalty' ? written.map((line) => line.map((value) => (value < 0 ? 0 - missCost : value))) : written
  const column =
    rule === 'common'
      ? row
      : rule === 'symmetric'
        ? row.map((line, i) => line.map((_, j) => row[j][i]))
        : rule === 'opposite'
          ? row.map((line) => line.map((value) => 0 - value)) // 0 - value, not -value: no negative zero in a table
          : rule
  return twoPlayerGame(
    id,
    id === 'penalty' ? `${title}, k = ${missCost}` : title,
    [actions, actions],
    row,
    column,
    cooperative,
  )
}

/** One of the 78 ordinal games, or `uoe-nc19`. */
export function ordinalGame(id: string): Game {
  const payoffs = id === 'uoe-nc19' ? UPSTREAM_NC19 : ORDINAL[id as keyof typeof ORDINAL]
  const kind = id.startsWith('c') ? 'with conflict' : 'without conflict'
  const title =
    id === 'uoe-nc19' ? 'Ordinal game nc19 of matrix-games, with its 0' : `Ordinal game ${kind}, ${id.match(/\d+/)![0]}`
  return normalForm(id, title, [AB, AB], (player, [a, b]) => payoffs[(a * 2 + b) * 2 + player])
}

/** The game that a name of `TABLE_IDS` means. */
export function tableGame(id: string, missCost: number): Game {
  if (id === 'climbing-3p') {
    return normalForm(id, 'Climbing game for three', [ABC, ABC, ABC], (_, [a, b, c]) => CLIMBING_3P[a][b][c])
  }
  return id in GAMES ? namedGame(id as keyof typeof GAMES, missCost) : ordinalGame(id)
}
