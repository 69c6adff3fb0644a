/** State of B lanes of one game: what was chosen last, and how often each joint action was played. */

export interface MatrixState {
  readonly lanes: number // B
  readonly players: number // M
  readonly cells: number // C, joint actions
  /** [B] joint action of the round before, -1 in the first round. */
  readonly last: Int32Array
  /** [B, C] rounds of this episode in which each joint action was played; every metric follows from it. */
  readonly counts: Int32Array
}

export function createState(lanes: number, players: number, cells: number): MatrixState {
  return { lanes, players, cells, last: new Int32Array(lanes).fill(-1), counts: new Int32Array(lanes * cells) }
}
