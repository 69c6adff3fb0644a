/**
 * Stochastic games under stationary policies, in tensor form: values, action values, best replies, NashConv.
 * Sizes: K states, C joint actions, M players, A_i actions of player i. A policy of player i is [K, A_i], row-major.
 * Values are discounted sums, V = (I - gamma P)^-1 r, not multiplied by (1 - gamma).
 */
import { TroupeError } from '../../core/index.ts'
import { sizesOf, statesOf, type Game } from '../games.ts'
import { solve } from './linear.ts'

export interface Tensors {
  readonly players: number // M
  readonly sizes: readonly number[] // [M]
  readonly states: number // K
  readonly cells: number // C
  readonly transition: Float64Array // [K, C, K]
  /** [K, C, M] mean payoff over the next state. */
  readonly reward: Float64Array
  /** [C, M] action of each player in each joint action. */
  readonly actions: Int32Array
  /** [K] 0 where the round in the state is the last, else 1. */
  readonly goesOn: Float64Array
}

/** A game of one or several states as tensors. */
export function tensorsOf(game: Game): Tensors {
  const sizes = sizesOf(game)
  const players = sizes.length
  const states = statesOf(game)
  const actions = new Int32Array(game.cells * players)
  for (let cell = 0; cell < game.cells; cell++) {
    let rest = cell
    for (let player = players - 1; player >= 0; player--) {
      actions[cell * players + player] = rest % sizes[player]
      rest = Math.floor(rest / sizes[player])
    }
  }
  return {
    players,
    sizes,
    states,
    cells: game.cells,
    transition: game.stages?.transition ?? new Float64Array(game.cells).fill(1),
    reward: game.payoff,
    actions,
    goesOn: Float64Array.from({ length: states }, (_, state) => (game.stages?.last[state] === 1 ? 0 : 1)),
  }
}

/** Every action with equal chances, in every state. */
export function uniformPolicies({ sizes, states }: Tensors): Float64Array[] {
  return sizes.map((size) => new Float64Array(states * size).fill(1 / size))
}

/** The policies that always play the given actions, [player][state]. */
export function purePolicies({ sizes, states }: Tensors, actions: readonly (readonly number[])[]): Float64Array[] {
  return sizes.map((size, player) => {
    const policy = new Float64Array(states * size)
    for (let state = 0; state < states; state++) policy[state * size + actions[player][state]] = 1
    return policy
  })
}

/** Everything that follows from policies: written anew by `evaluate`. */
export interface Evaluation {
  readonly P: Float64Array // [K, K] chance of each next state
  readonly r: Float64Array // [K, M] mean payoff
  readonly V: Float64Array // [K, M] value
  readonly Q: Float64Array[] // per player [K, A_i] value of each own action
}

export function createEvaluation({ states: K, players, sizes }: Tensors): Evaluation {
  return {
    P: new Float64Array(K * K),
    r: new Float64Array(K * players),
    V: new Float64Array(K * players),
    Q: sizes.map((size) => new Float64Array(K * size)),
  }
}

/**
 * P_ss' = sum_a prod_j pi_j(a_j|s) T[s,a,s'],  r_i(s) = sum_a prod_j pi_j(a_j|s) R_i[s,a],  V_i = (I - gamma P)^-1 r_i,
 * Q_i(s,a_i) = sum_{a_-i} pi_-i (R_i + gamma sum_s' T V_i(s')).
 * @param policies per player [K, A_i]
 * @param gamma discount, 0 up to but not including 1 (1 only where every play ends)
 */
export function evaluate(game: Tensors, policies: readonly Float64Array[], gamma: number, out: Evaluation): void {
  const { players: M, sizes, states: K, cells: C, transition, reward, actions, goesOn } = game
  const { P, r, V, Q } = out
  P.fill(0)
  r.fill(0)
  for (let s = 0; s < K; s++) {
    for (let cell = 0; cell < C; cell++) {
      let chance = 1
      for (let j = 0; j < M; j++) chance *= policies[j][s * sizes[j] + actions[cell * M + j]]
      if (chance === 0) continue
      const at = s * C + cell
      for (let next = 0; next < K; next++) P[s * K + next] += chance * transition[at * K + next]
      for (let i = 0; i < M; i++) r[s * M + i] += chance * reward[at * M + i]
    }
  }
  const a = new Float64Array(K * K)
  for (let s = 0; s < K; s++) {
    for (let next = 0; next < K; next++) a[s * K + next] = (s === next ? 1 : 0) - gamma * goesOn[s] * P[s * K + next]
  }
  V.set(r)
  if (!solve(a, V, K, M)) {
    throw new TroupeError('bad-usage', {
      where: 'evaluate: gamma',
      got: String(gamma),
      expected: 'less than 1, or a game in which every play ends',
    })
  }
  for (let i = 0; i < M; i++) Q[i].fill(0)
  for (let s = 0; s < K; s++) {
    for (let cell = 0; cell < C; cell++) {
      const at = s * C + cell
      for (let i = 0; i < M; i++) {
        let chance = 1
        for (let j = 0; j < M; j++) if (j !== i) chance *= policies[j][s * sizes[j] + actions[cell * M + j]]
        if (chance === 0) continue
        let later = 0
        for (let next = 0; next < K; next++) later += transition[at * K + next] * V[next * M + i]
        Q[i][s * sizes[i] + actions[cell * M + i]] += chance * (reward[at * M + i] + gamma * goesOn[s] * later)
      }
    }
  }
}

export interface StationaryReply {
  /** [K] the best action in each state, lowest of equals. */
  readonly actions: Int32Array
  /** [K] its value. */
  readonly value: Float64Array
}

/** Rounds of value iteration before giving up; reached only where no play ends and gamma is 1. */
const ROUNDS = 1_000_000

/**
 * The best stationary policy of `player` while the others keep theirs: value iteration until the error is below
 * `accuracy`, then the exact value of the greedy policy.
 */
export function bestStationaryReply(
  game: Tensors,
  policies: readonly Float64Array[],
  player: number,
  gamma: number,
  accuracy = 1e-10,
): StationaryReply {
  const { players: M, sizes, states: K, cells: C, transition, reward, actions, goesOn } = game
  const A = sizes[player]
  const move = new Float64Array(K * A * K) // the others' chances averaged out
  const paid = new Float64Array(K * A)
  for (let s = 0; s < K; s++) {
    for (let cell = 0; cell < C; cell++) {
      let chance = 1
      for (let j = 0; j < M; j++) if (j !== player) chance *= policies[j][s * sizes[j] + actions[cell * M + j]]
      const row = s * A + actions[cell * M + player]
      paid[row] += chance * reward[(s * C + cell) * M + player]
      for (let next = 0; next < K; next++) move[row * K + next] += chance * transition[(s * C + cell) * K + next]
    }
  }
  let value = new Float64Array(K)
  const best = new Int32Array(K)
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Float64Array(K)
    let change = 0
    for (let s = 0; s < K; s++) {
      let top = -Infinity
      for (let a = 0; a < A; a++) {
        let sum = paid[s * A + a]
        for (let t = 0; t < K; t++) sum += gamma * goesOn[s] * move[(s * A + a) * K + t] * value[t]
        if (sum > top + 1e-12) {
          top = sum
          best[s] = a
        }
      }
      next[s] = top
      change = Math.max(change, Math.abs(top - value[s]))
    }
    value = next
    if (change <= (gamma < 1 ? (accuracy * (1 - gamma)) / Math.max(gamma, 1e-12) : 0)) break
  }
  const a = new Float64Array(K * K)
  const exact = new Float64Array(K)
  for (let s = 0; s < K; s++) {
    const row = s * A + best[s]
    exact[s] = paid[row]
    for (let t = 0; t < K; t++) a[s * K + t] = (s === t ? 1 : 0) - gamma * goesOn[s] * move[row * K + t]
  }
  return { actions: best, value: solve(a, exact, K, 1) ? exact : value }
}

/**
 * NashConv of stationary policies: sum_i [ V_i of a best reply - V_i ], from the given start chances.
 * @param start [K] chances of the first state; left out: uniform
 */
export function stochasticNashConv(
  game: Tensors,
  policies: readonly Float64Array[],
  gamma: number,
  start: ArrayLike<number> = new Float64Array(game.states).fill(1 / game.states),
): number {
  const now = createEvaluation(game)
  evaluate(game, policies, gamma, now)
  let sum = 0
  for (let player = 0; player < game.players; player++) {
    const { value } = bestStationaryReply(game, policies, player, gamma)
    for (let s = 0; s < game.states; s++) sum += start[s] * (value[s] - now.V[s * game.players + player])
  }
  return sum
}
