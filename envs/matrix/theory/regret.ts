/** Regret of a sequence of plays, and regret matching. */
import { actionsOf, type Game } from '../games.ts'

/** Running sums from which the regrets of one player follow: `sums[played * A + instead]` of u(instead, others) - u(played, others). */
export class RegretLedger {
  readonly actions: number
  readonly sums: Float64Array // [A, A]
  rounds = 0
  private readonly game: Game
  private readonly player: number
  private readonly stride: number

  constructor(game: Game, player: number) {
    this.game = game
    this.player = player
    this.actions = game.actions[player].length
    this.sums = new Float64Array(this.actions * this.actions)
    this.stride = game.actions.slice(player + 1).reduce((product, names) => product * names.length, 1)
  }

  /** Takes in one joint action. */
  add(cell: number): void {
    const { game, player, stride, actions: A } = this
    const M = game.actions.length
    const played = actionsOf(game, cell)[player]
    const paid = game.payoff[cell * M + player]
    for (let instead = 0; instead < A; instead++) {
      this.sums[played * A + instead] += game.payoff[(cell + (instead - played) * stride) * M + player] - paid
    }
    this.rounds++
  }

  /** [A] regret of not having always played each action: sum_t u(a, a_-i,t) - sum_t u_t. */
  perAction(): Float64Array {
    const { actions: A, sums } = this
    return Float64Array.from({ length: A }, (_, instead) => {
      let sum = 0
      for (let played = 0; played < A; played++) sum += sums[played * A + instead]
      return sum
    })
  }

  /** max_a sum_t u(a, a_-i,t) - sum_t u_t; below zero when play beat every constant action. */
  external(): number {
    return this.perAction().reduce((a, b) => Math.max(a, b))
  }

  /** max over maps a → a′ of what playing a′ wherever a was played would have gained; never below zero. */
  swap(): number {
    const { actions: A, sums } = this
    let total = 0
    for (let played = 0; played < A; played++) {
      total += sums.subarray(played * A, (played + 1) * A).reduce((a, b) => Math.max(a, b))
    }
    return total
  }
}

/**
 * Regret matching (Hart and Mas-Colell 2000): chances proportional to positive regrets; uniform where there are none.
 * @param regret [A] regret per action; `out` [A] overwritten
 */
export function regretMatching(regret: ArrayLike<number>, out: Float64Array): void {
  let sum = 0
  for (let a = 0; a < out.length; a++) sum += out[a] = Math.max(0, regret[a])
  for (let a = 0; a < out.length; a++) out[a] = sum > 0 ? out[a] / sum : 1 / out.length
}
