/** The start of an episode. */
import { GENERATOR_WORDS, nextBelow } from '../core/random.ts'
import { derive, TALLIES, type WarehouseState } from './state.ts'

/** Generator streams, in port order. */
export const STREAMS = ['spawns', 'requests'] as const
export const SPAWNS = 0
export const REQUESTS = 1

/**
 * Robots on distinct cells, uniform over all cells (corridors, goals and shelf homes alike), then their headings, then
 * distinct requested shelves in the order drawn (rware 2.0 `reset`, with two streams instead of one). Shelves at home.
 * @param random [B, streams, 4] generator words
 */
export function start(
  state: WarehouseState,
  lanes: Int32Array,
  count: number,
  random: Uint32Array,
  streams: number,
): void {
  const { plan, cell, heading, load, credited, outcome, stood, message, shelfCell, queue, tally } = state
  const { robotAt, place } = state
  const { robots, shelves, requests } = plan
  const { cells, slots } = plan.layout
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const spawns = (lane * streams + SPAWNS) * GENERATOR_WORDS
    const draws = (lane * streams + REQUESTS) * GENERATOR_WORDS
    const floor = lane * cells
    const firstShelf = lane * shelves
    for (let c = 0; c < cells; c++) robotAt[floor + c] = 0
    for (let n = 0; n < robots; n++) {
      const i = lane * robots + n
      // Drawing again until a cell is free gives every ordered choice of distinct cells the same chance.
      let at = nextBelow(random, spawns, cells)
      while (robotAt[floor + at] !== 0) at = nextBelow(random, spawns, cells)
      robotAt[floor + at] = 1
      cell[i] = at
      load[i] = credited[i] = outcome[i] = stood[i] = 0
    }
    for (let n = 0; n < robots; n++) heading[lane * robots + n] = nextBelow(random, spawns, 4)
    if (message.length > 0) for (let n = 0; n < robots; n++) message[lane * robots + n] = 0
    for (let s = 0; s < shelves; s++) {
      shelfCell[firstShelf + s] = slots[s]
      place[firstShelf + s] = 0
    }
    for (let q = 0; q < requests; q++) {
      let shelf = nextBelow(random, draws, shelves)
      while (place[firstShelf + shelf] !== 0) shelf = nextBelow(random, draws, shelves)
      place[firstShelf + shelf] = q + 1
      queue[lane * requests + q] = shelf
    }
    for (let t = 0; t < TALLIES; t++) tally[lane * TALLIES + t] = 0
    derive(state, lane)
  }
}
