/**
 * One-shot games in mixed strategies: payoffs, best replies, NashConv, welfare, price of anarchy.
 * A profile has one probability vector per player. Joint actions are numbered row-major, as in `Game`.
 */
import { TroupeError } from '../../core/index.ts'
import { actionsOf, pureEquilibria, sizesOf, welfare, type Game } from '../games.ts'

/** The chances of each action of one player; they add up to one. */
export type Mixed = ArrayLike<number>

/** Every player's actions with equal chances. */
export function uniformProfile(game: Pick<Game, 'actions'>): Float64Array[] {
  return sizesOf(game).map((size) => new Float64Array(size).fill(1 / size))
}

/** The profile in which everybody plays one action. */
export function pureProfile(game: Pick<Game, 'actions'>, choices: readonly number[]): Float64Array[] {
  return sizesOf(game).map((size, player) =>
    Float64Array.from({ length: size }, (_, a) => (a === choices[player] ? 1 : 0)),
  )
}

function checkProfile(game: Game, profile: readonly Mixed[], where: string): void {
  const sizes = sizesOf(game)
  if (game.stages !== undefined) {
    throw new TroupeError('bad-usage', {
      where,
      got: `called with ${game.id}, of several states`,
      expected: 'one state',
    })
  }
  if (profile.length === sizes.length && sizes.every((size, player) => profile[player].length === size)) return
  throw new TroupeError('bad-usage', {
    where: `${where}: profile`,
    got: `[${profile.map((mixed) => mixed.length).join(', ')}] chances`,
    expected: `[${sizes.join(', ')}], one per action of each player`,
  })
}

/**
 * u_i(a, x_-i): what `player` gets with each own action while the others play the profile.
 * @returns [actions of `player`]
 */
export function actionValues(game: Game, profile: readonly Mixed[], player: number): Float64Array {
  checkProfile(game, profile, 'actionValues')
  const players = game.actions.length
  const values = new Float64Array(game.actions[player].length)
  for (let cell = 0; cell < game.cells; cell++) {
    const choices = actionsOf(game, cell)
    let chance = 1
    for (let other = 0; other < players; other++) if (other !== player) chance *= profile[other][choices[other]]
    values[choices[player]] += chance * game.payoff[cell * players + player]
  }
  return values
}

/** u_i(x) for every player. */
export function expectedPayoffs(game: Game, profile: readonly Mixed[]): Float64Array {
  return Float64Array.from(game.actions, (_, player) => {
    const values = actionValues(game, profile, player)
    return values.reduce((sum, value, action) => sum + value * profile[player][action], 0)
  })
}

export interface BestReply {
  /** Best actions, lowest first; ties within `tolerance`. */
  readonly actions: readonly number[]
  readonly value: number
}

/** max_a u_i(a, x_-i), and where it is reached. */
export function bestReply(game: Game, profile: readonly Mixed[], player: number, tolerance = 1e-9): BestReply {
  const values = actionValues(game, profile, player)
  const value = values.reduce((a, b) => Math.max(a, b))
  return { value, actions: Array.from(values.keys()).filter((action) => values[action] >= value - tolerance) }
}

/** NashConv(x) = sum_i [ max_a u_i(a, x_-i) - u_i(x) ] (Lanctot et al. 2017); zero exactly at equilibria. */
export function nashConv(game: Game, profile: readonly Mixed[]): number {
  const paid = expectedPayoffs(game, profile)
  return paid.reduce((sum, value, player) => sum + bestReply(game, profile, player).value - value, 0)
}

/** NashConv / 2: what a best reply wins on average in a zero-sum game of two. */
export function exploitability(game: Game, profile: readonly Mixed[]): number {
  if (game.actions.length !== 2) {
    throw new TroupeError('bad-usage', {
      where: 'exploitability',
      got: `called for ${game.actions.length} players`,
      expected: 'two players; nashConv is for any number',
    })
  }
  return nashConv(game, profile) / 2
}

/** Largest sum of payoffs over joint actions. */
export function bestWelfareOf(game: Game): number {
  return welfare(game).reduce((a, b) => Math.max(a, b))
}

/**
 * Best welfare over the welfare of the worst pure equilibrium; undefined without one, and where that welfare is not
 * positive (the ratio would say nothing).
 */
export function priceOfAnarchy(game: Game): number | undefined {
  const sums = welfare(game)
  const worst = pureEquilibria(game).reduce((low, cell) => Math.min(low, sums[cell]), Infinity)
  return worst > 0 && worst < Infinity ? bestWelfareOf(game) / worst : undefined
}
