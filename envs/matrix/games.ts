/**
 * What a game is: normal form for any number of players, or several such games with moves between them (a stochastic
 * game); and what follows from a payoff table: pure equilibria, best welfare.
 */

/**
 * A game for any number of players. One state: a game in normal form. Several: in each the players play a table, and what
 * they choose decides (perhaps with chance) which state comes next.
 *
 * Joint actions ("cells") are numbered row-major, the first player's action counting most. An *outcome* is all that can be
 * paid for: the cell in a game of one state; (state, cell, next state), row-major, in a game of several.
 * Sizes: C cells, K states, O outcomes, M players.
 */
export interface Game {
  readonly id: string
  readonly title: string
  /** Action names per player. */
  readonly actions: readonly (readonly string[])[]
  /** C, number of joint actions. */
  readonly cells: number
  /** [K, C, M] what each player gets, averaged over the next state. */
  readonly payoff: Float64Array
  /** Index of the cooperative action, the same for every player; undefined where no action deserves the name. */
  readonly cooperative: number | undefined
  /** What a game of several states has besides. */
  readonly stages?: Stages
}

/** The states of a stochastic game and the moves between them. */
export interface Stages {
  /** Names of the K states. */
  readonly names: readonly string[]
  /** [K, C, K] chance of each next state. */
  readonly transition: Float64Array
  /** [K, C, K, M] what each player gets on each way. */
  readonly reward: Float64Array
  /** [K] chance of each first state. */
  readonly start: Float64Array
  /** [K] 1 where the round in this state is the last. */
  readonly last: Uint8Array
}

/** Number of joint actions. */
function cellsOf(actions: readonly (readonly string[])[]): number {
  return actions.reduce((product, names) => product * names.length, 1)
}

/** The action of every player in one joint action. */
export function actionsOf(game: Pick<Game, 'actions'>, cell: number): number[] {
  const choices = new Array<number>(game.actions.length)
  let rest = cell
  for (let player = choices.length - 1; player >= 0; player--) {
    const size = game.actions[player].length
    choices[player] = rest % size
    rest = Math.floor(rest / size)
  }
  return choices
}

/** Numbers of actions of each player, [M]. */
export function sizesOf(game: Pick<Game, 'actions'>): number[] {
  return game.actions.map((names) => names.length)
}

/** K, number of states; 1 for a game in normal form. */
export function statesOf(game: Game): number {
  return game.stages?.names.length ?? 1
}

/** O, number of outcomes: cells, or (state, cell, next state). */
export function outcomesOf(game: Game): number {
  return game.stages?.transition.length ?? game.cells
}

/** A game in normal form from a formula: what `player` gets when everybody chooses `choices`. */
export function normalForm(
  id: string,
  title: string,
  actions: readonly (readonly string[])[],
  pays: (player: number, choices: readonly number[]) => number,
  cooperative?: number,
): Game {
  const players = actions.length
  const cells = cellsOf(actions)
  const payoff = new Float64Array(cells * players)
  for (let cell = 0; cell < cells; cell++) {
    const choices = actionsOf({ actions }, cell)
    for (let player = 0; player < players; player++) payoff[cell * players + player] = pays(player, choices) + 0
  }
  return { id, title, actions, cells, payoff, cooperative }
}

/** How a stochastic game is described: one function for where it goes, one for what it pays. */
export interface StagesRule {
  readonly states: readonly string[]
  /** Chance of each state after `choices` in `state`, [K]. */
  readonly moves: (state: number, choices: readonly number[]) => readonly number[]
  /** What `player` gets. */
  readonly pays: (player: number, state: number, choices: readonly number[], next: number) => number
  /** Chance of each first state; left out: the first. */
  readonly start?: readonly number[]
  /** States whose round is the last. */
  readonly last?: readonly number[]
  readonly cooperative?: number
}

/** A game of several states. */
export function stochasticGame(
  id: string,
  title: string,
  actions: readonly (readonly string[])[],
  { states, moves, pays, start, last, cooperative }: StagesRule,
): Game {
  const players = actions.length
  const cells = cellsOf(actions)
  const K = states.length
  const transition = new Float64Array(K * cells * K)
  const reward = new Float64Array(K * cells * K * players)
  const payoff = new Float64Array(K * cells * players)
  for (let state = 0; state < K; state++) {
    for (let cell = 0; cell < cells; cell++) {
      const at = state * cells + cell
      const choices = actionsOf({ actions }, cell)
      const chances = moves(state, choices)
      for (let next = 0; next < K; next++) {
        transition[at * K + next] = chances[next]
        for (let player = 0; player < players; player++) {
          const paid = pays(player, state, choices, next) + 0
          reward[(at * K + next) * players + player] = paid
          if (chances[next] > 0) payoff[at * players + player] += chances[next] * paid
        }
      }
    }
  }
  return {
    id,
    title,
    actions,
    cells,
    payoff,
    cooperative,
    stages: {
      names: states,
      transition,
      reward,
      start: Float64Array.from(start ?? states.map((_, state) => (state === 0 ? 1 : 0))),
      last: Uint8Array.from(states, (_, state) => (last?.includes(state) ? 1 : 0)),
    },
  }
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
  return normalForm(id, title, actions, (player, [i, j]) => (player === 0 ? row : column)[i][j], cooperative)
}

/** True when all players get the same for every outcome: they share a goal. */
export function isCommonPayoff(game: Game): boolean {
  const players = game.actions.length
  const paid = game.stages?.reward ?? game.payoff
  return paid.every((value, i) => value === paid[i - (i % players)])
}

/** Sum of all players' payoffs per cell; of a game in normal form, as the two below. */
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
