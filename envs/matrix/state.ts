/** State of B lanes of one game: what was chosen last, where the game stands, and what was played so far. */
import { type TypedArray } from '../core/index.ts'
import { outcomesOf, statesOf, type Game } from './games.ts'

/** Most outcomes that are counted one by one; games with more keep running sums of their metrics instead. */
export const COUNTED = 512

export interface MatrixState {
  readonly lanes: number // B
  readonly players: number // M
  readonly cells: number // C, joint actions
  readonly states: number // K
  readonly outcomes: number // O
  readonly memory: number // rounds that observations reach back
  /** [B] joint action of the round before, -1 in the first round. */
  readonly last: Int32Array
  /** [B, memory - 1] joint actions of the rounds before that, newest first, -1 where there was none. */
  readonly earlier: Int32Array
  /** [B] state of the game; empty with one state. */
  readonly place: Int32Array
  /** [B] outcome of the round before, -1 in the first round; empty with one state. */
  readonly outcome: Int32Array
  /** [B, O] rounds of this episode in which each outcome came about; empty when there are too many to count. */
  readonly counts: Int32Array
  /** [B, metrics] sums of the metrics over rounds, where outcomes are not counted. */
  readonly sums: Float64Array
}

export function createState(game: Game, lanes: number, memory: number, metrics: number): MatrixState {
  const states = statesOf(game)
  const outcomes = outcomesOf(game)
  const counted = outcomes <= COUNTED
  return {
    lanes,
    players: game.actions.length,
    cells: game.cells,
    states,
    outcomes,
    memory,
    last: new Int32Array(lanes).fill(-1),
    earlier: new Int32Array(lanes * (memory - 1)).fill(-1),
    place: new Int32Array(states > 1 ? lanes : 0),
    outcome: new Int32Array(game.stages === undefined ? 0 : lanes).fill(-1),
    counts: new Int32Array(counted ? lanes * outcomes : 0),
    sums: new Float64Array(counted ? 0 : lanes * metrics),
  }
}

/** The arrays that are in use, as the core saves and digests them. */
export function arraysOf({ last, earlier, place, outcome, counts, sums }: MatrixState): Record<string, TypedArray> {
  const all: Record<string, TypedArray> = { last, counts, earlier, place, outcome, sums }
  return Object.fromEntries(Object.entries(all).filter(([, array]) => array.length > 0))
}
