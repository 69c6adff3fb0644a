/**
 * The coin game on a torus (Lerer and Peysakhovich 2017), as JaxMARL plays it (coin_game.py at 2c57756): two players, a coin
 * of each colour. Everybody moves at once; any coin pays 1; a coin of the other's colour costs the other 2. Picked coins
 * reappear anywhere, also under a player. Both may stand in one cell, and both may take the same coin at once.
 */
import { GENERATOR_WORDS, nextBelow } from '../../core/index.ts'

/** Moves by action: right, left, down, stay … as (row, column) steps; JaxMARL calls row + 1 up. */
export const ACTIONS = ['right', 'left', 'down', 'up', 'stay'] as const
const ROW_STEP = Int8Array.of(0, 0, 1, -1, 0)
const COLUMN_STEP = Int8Array.of(1, -1, 0, 0, 0)

export interface CoinRewards {
  /** For any coin of the own colour. */
  readonly own: number
  /** For a coin of the other's colour. */
  readonly other: number
  /** What a player gets when the other takes its coin. */
  readonly penalty: number
}

/** State of B lanes; cells are row * side + column. */
export interface CoinState {
  readonly lanes: number // B
  readonly side: number
  readonly player: Int32Array // [B, 2] cell of each player
  readonly coin: Int32Array // [B, 2] cell of the coin of each player's colour
  readonly picked: Int32Array // [B, 2, 2] coins taken in the episode: by player, of colour
  /** [B, 2] colour of the coin each player took in the last step: 0 none, 1 own, 2 other's, 3 both. */
  readonly took: Uint8Array
}

export function createState(lanes: number, side: number): CoinState {
  return {
    lanes,
    side,
    player: new Int32Array(lanes * 2),
    coin: new Int32Array(lanes * 2),
    picked: new Int32Array(lanes * 4),
    took: new Uint8Array(lanes * 2),
  }
}

/** Puts players and coins anywhere, each on its own draw: they may share cells. */
export function start(state: CoinState, random: Uint32Array, streams: number, lanes: Int32Array, count: number): void {
  const { side, player, coin, picked, took } = state
  const cells = side * side
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const at = lane * streams * GENERATOR_WORDS
    for (let n = 0; n < 2; n++) player[lane * 2 + n] = nextBelow(random, at, cells)
    for (let n = 0; n < 2; n++) coin[lane * 2 + n] = nextBelow(random, at, cells)
    for (let i = lane * 4; i < lane * 4 + 4; i++) picked[i] = 0
    took[lane * 2] = 0
    took[lane * 2 + 1] = 0
  }
}

/**
 * One step: both move, coins are taken where they lie, and taken ones reappear (colour 0 draws before colour 1).
 * @param action [B, 2] by ACTIONS
 * @param reward [B, 2] overwritten
 */
export function step(
  state: CoinState,
  rewards: CoinRewards,
  action: Int32Array,
  reward: Float32Array,
  terminated: Uint8Array,
  random: Uint32Array,
  streams: number,
  lanes: Int32Array,
  count: number,
): void {
  const { side, player, coin, picked, took } = state
  const cells = side * side
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const at = lane * streams * GENERATOR_WORDS
    terminated[lane] = 0
    for (let n = 0; n < 2; n++) {
      const i = lane * 2 + n
      const row = (((player[i] / side) | 0) + ROW_STEP[action[i]] + side) % side
      const column = ((player[i] % side) + COLUMN_STEP[action[i]] + side) % side
      player[i] = row * side + column
      reward[i] = 0
      took[i] = 0
    }
    for (let colour = 0; colour < 2; colour++) {
      const lies = coin[lane * 2 + colour]
      let gone = false
      for (let n = 0; n < 2; n++) {
        const i = lane * 2 + n
        if (player[i] !== lies) continue
        gone = true
        picked[lane * 4 + n * 2 + colour]++
        if (n === colour) {
          reward[i] += rewards.own
          took[i] |= 1
        } else {
          reward[i] += rewards.other
          reward[lane * 2 + colour] += rewards.penalty
          took[i] |= 2
        }
      }
      if (gone) coin[lane * 2 + colour] = nextBelow(random, at, cells)
    }
  }
}
