/** The rules: everybody chooses at once, the table pays. */
import { type MatrixState } from './state.ts'

/** Starts the listed lanes: nothing chosen yet, nothing counted. */
export function start(state: MatrixState, lanes: Int32Array, count: number): void {
  const { cells, last, counts } = state
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    last[lane] = -1
    for (let i = lane * cells; i < (lane + 1) * cells; i++) counts[i] = 0
  }
}

/**
 * One round in the listed lanes. The rules never end an episode; the horizon does.
 * @param sizes [M] number of actions of each player
 * @param payoff [C, M] what each player gets for each joint action
 * @param action [B, M] one choice per player; already checked
 * @param reward [B, M] overwritten
 * @param terminated [B] overwritten with 0
 */
export function playRound(
  state: MatrixState,
  sizes: Int32Array,
  payoff: Float32Array,
  action: Int32Array,
  reward: Float32Array,
  terminated: Uint8Array,
  lanes: Int32Array,
  count: number,
): void {
  const { players, cells, last, counts } = state
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const row = lane * players
    let cell = 0
    for (let player = 0; player < players; player++) cell = cell * sizes[player] + action[row + player]
    last[lane] = cell
    counts[lane * cells + cell]++
    for (let player = 0; player < players; player++) reward[row + player] = payoff[cell * players + player]
    terminated[lane] = 0
  }
}
