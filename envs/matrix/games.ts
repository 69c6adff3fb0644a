/** The payoff tables, and what follows from a table: best replies, pure equilibria, best welfare. */

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

/** Tables as in the literature and in uoe-agents/matrix-games (climbing, penalty); penalty here with k = 100. */
export const GAMES = {
  pd: {
    title: "Prisoner's dilemma",
    actions: ['cooperate', 'defect'],
    row: [
      [3, 0],
      [5, 1],
    ],
    column: 'symmetric',
    cooperative: 0,
  },
  'pd-lola': {
    title: "Prisoner's dilemma with costs, as in LOLA",
    actions: ['cooperate', 'defect'],
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
    actions: ['a', 'b', 'c'],
    row: [
      [11, -30, 0],
      [-30, 7, 0],
      [0, 6, 5],
    ],
    column: 'common',
  },
  penalty: {
    title: 'Penalty game',
    actions: ['a', 'b', 'c'],
    row: [
      [-100, 0, 10],
      [0, 2, 0],
      [10, 0, -100],
    ],
    column: 'common',
  },
} as const satisfies Record<string, NamedGame>

/**
 * A game in normal form for any number of players: one row of payoffs per joint action.
 * Joint actions are numbered row-major, the first player's action counting most.
 */
export interface Game {
  readonly id: string
  readonly title: string
  /** Action names per player. */
  readonly actions: readonly (readonly string[])[]
  /** Number of joint actions. */
  readonly cells: number
  /** [cells, players] what each player gets. */
  readonly payoff: Float64Array
  /** Index of the cooperative action, the same for every player; undefined where no action deserves the name. */
  readonly cooperative: number | undefined
}

/** Number of joint actions. */
function cellsOf(actions: readonly (readonly string[])[]): number {
  return actions.reduce((product, names) => product * names.length, 1)
}

/** The action of every player in one joint action. */
export function actionsOf(game: Game, cell: number): number[] {
  const choices = new Array<number>(game.actions.length)
  let rest = cell
  for (let player = choices.length - 1; player >= 0; player--) {
    const size = game.actions[player].length
    choices[player] = rest % size
    rest = Math.floor(rest / size)
  }
  return choices
}

/** A two-player game from the tables of the row and the column player, [rowAction][columnAction] each. */
export function twoPlayerGame(
  id: string,
  title: string,
  actions: readonly [readonly string[], readonly string[]],
  row: readonly (readonly number[])[],
  column: readonly (readonly number[])[],
  cooperative?: number,
): Game {
  const cells = cellsOf(actions)
  const payoff = new Float64Array(cells * 2)
  const columns = actions[1].length
  for (let cell = 0; cell < cells; cell++) {
    payoff[cell * 2] = row[Math.floor(cell / columns)][cell % columns]
    payoff[cell * 2 + 1] = column[Math.floor(cell / columns)][cell % columns]
  }
  return { id, title, actions, cells, payoff, cooperative }
}

/** A game of the table above. `missCost` replaces the penalty game's 100. */
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

/** True when all players get the same in every cell: they share a goal. */
export function isCommonPayoff(game: Game): boolean {
  const players = game.actions.length
  return game.payoff.every((value, i) => value === game.payoff[i - (i % players)])
}

/** Sum of all players' payoffs per cell. */
export function welfare(game: Game): Float64Array {
  const players = game.actions.length
  return Float64Array.from({ length: game.cells }, (_, cell) => {
    let sum = 0
    for (let player = 0; player < players; player++) sum += game.payoff[cell * players + player]
    return sum
  })
}

/** Sums of decimal payoffs differ in the last bits; nothing closer than this counts as better. */
const TOLERANCE = 1e-9

/** Cells with the largest welfare. */
export function bestWelfare(game: Game): number[] {
  const sums = welfare(game)
  const best = sums.reduce((a, b) => Math.max(a, b))
  return indices(game.cells, (cell) => sums[cell] >= best - TOLERANCE)
}

/** Cells in which no player gains by changing only their own action. */
export function pureEquilibria(game: Game): number[] {
  const players = game.actions.length
  return indices(game.cells, (cell) => {
    let stride = game.cells
    for (let player = 0; player < players; player++) {
      const size = game.actions[player].length
      stride /= size
      const own = Math.floor(cell / stride) % size
      for (let other = 0; other < size; other++) {
        const there = cell + (other - own) * stride
        if (game.payoff[there * players + player] > game.payoff[cell * players + player] + TOLERANCE) return false
      }
    }
    return true
  })
}

function indices(count: number, wanted: (index: number) => boolean): number[] {
  return Array.from({ length: count }, (_, index) => index).filter(wanted)
}
