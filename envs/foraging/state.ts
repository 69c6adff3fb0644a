/** Level-based foraging as typed arrays: what decides the future (`savedArrays`), and look-ups derived from it. */
import { TroupeError } from '../core/errors.ts'
import { type TypedArray } from '../core/types.ts'
import { type Plan } from './options.ts'

/** Actions by number. */
export const ACTIONS = ['none', 'north', 'south', 'west', 'east', 'load'] as const
export const NONE = 0
export const NORTH = 1
export const SOUTH = 2
export const WEST = 3
export const EAST = 4
export const LOAD = 5

/** What became of a player's action in the last step. */
export const STOOD = 0 // none
export const INVALID = 1 // a move out of the field or into food, or load with no food beside it: counts as none
export const BLOCKED = 2 // a move into a cell that another player claims
export const MOVED = 3
export const LOADED = 4 // took part in taking an item
export const FAILED = 5 // the group was too weak for the item

/** What became of a food slot. */
export const ABSENT = 0 // the field had no room for it
export const PRESENT = 1
export const TAKEN = 2 // in the last step
export const GONE = 3

/** Running totals of an episode, by place in a lane's row of `tally`. */
export const TALLY = ['taken', 'levels', 'joint', 'failed', 'blocked'] as const
export const TAKEN_ITEMS = 0
export const TAKEN_LEVELS = 1
export const JOINT_LOADS = 2
export const FAILED_LOADS = 3
export const BLOCKED_MOVES = 4
export const TALLIES = TALLY.length

/**
 * B lanes of one field. Player n of lane b is at index b * players + n; food slots and cells likewise. Cells are numbered
 * row by row from the top left. Present food slots are in the order of their cells.
 */
export interface ForagingState {
  readonly plan: Plan
  readonly lanes: number // B

  // What decides the future; saved and digested.
  readonly cell: Uint16Array // [B, M] where each player is
  readonly level: Uint8Array // [B, M]
  readonly outcome: Uint8Array // [B, M] what became of the last action
  readonly tried: Uint8Array // [B, M] food slot + 1 that it tried to load in the last step, 0 none
  readonly foodCell: Uint16Array // [B, K]
  readonly foodLevel: Uint16Array // [B, K] kept after the item is taken
  readonly foodStatus: Uint8Array // [B, K] ABSENT, PRESENT, TAKEN or GONE
  readonly spawned: Int32Array // [B] level of all food at the start
  readonly tally: Int32Array // [B, TALLIES] running totals of the episode

  // Derived: rebuilt after a load.
  readonly slotAt: Uint8Array // [B, C] present food slot + 1, 0 none
  readonly left: Int32Array // [B] items present
  readonly foodSeen: Float32Array // [B, 3 K] food slots of the vector observation of the whole field
  readonly foodShare: Float32Array // [B, 3 K + 1] the food part of the global state
}

/** What privileged policies may read; nobody but the rules writes it. */
export type ForagingWorld = ForagingState

export function createState(plan: Plan, lanes: number): ForagingState {
  const { players, foods, cells } = plan
  return {
    plan,
    lanes,
    cell: new Uint16Array(lanes * players),
    level: new Uint8Array(lanes * players),
    outcome: new Uint8Array(lanes * players),
    tried: new Uint8Array(lanes * players),
    foodCell: new Uint16Array(lanes * foods),
    foodLevel: new Uint16Array(lanes * foods),
    foodStatus: new Uint8Array(lanes * foods),
    spawned: new Int32Array(lanes),
    tally: new Int32Array(lanes * TALLIES),
    slotAt: new Uint8Array(lanes * cells),
    left: new Int32Array(lanes),
    foodSeen: new Float32Array(lanes * 3 * foods),
    foodShare: new Float32Array(lanes * (3 * foods + 1)),
  }
}

/** The arrays that a snapshot holds and a digest covers. */
export function savedArrays(state: ForagingState): Record<string, TypedArray> {
  const { cell, level, outcome, tried, foodCell, foodLevel, foodStatus, spawned, tally } = state
  return { cell, level, outcome, tried, foodCell, foodLevel, foodStatus, spawned, tally }
}

/** Rebuilds a lane's look-ups from its saved arrays, which must be consistent. */
export function derive(state: ForagingState, lane: number): void {
  const { plan, foodCell, foodStatus, slotAt, left } = state
  const { cells, foods } = plan
  const field = lane * cells
  for (let c = field; c < field + cells; c++) slotAt[c] = 0
  let present = 0
  for (let f = 0; f < foods; f++) {
    if (foodStatus[lane * foods + f] !== PRESENT) continue
    slotAt[field + foodCell[lane * foods + f]] = f + 1
    present++
  }
  left[lane] = present
  showFood(state, lane)
}

/** Writes down how a lane's food shows: it changes so rarely that observations copy it. */
export function showFood(state: ForagingState, lane: number): void {
  const { plan, foodCell, foodLevel, foodStatus, spawned, foodSeen, foodShare } = state
  const { rows, columns, foods, topFoodLevel } = plan
  let seen = lane * 3 * foods
  const end = seen + 3 * foods
  let share = lane * (3 * foods + 1)
  for (let f = lane * foods; f < (lane + 1) * foods; f++, share += 3) {
    foodShare[share] = foodShare[share + 1] = foodShare[share + 2] = 0
    if (foodStatus[f] !== PRESENT) continue
    const column = foodCell[f] % columns
    const row = (foodCell[f] - column) / columns
    foodSeen[seen] = row
    foodSeen[seen + 1] = column
    foodSeen[seen + 2] = foodLevel[f]
    foodShare[share] = row / (rows - 1)
    foodShare[share + 1] = column / (columns - 1)
    foodShare[share + 2] = foodLevel[f] / topFoodLevel
    seen += 3
  }
  for (; seen < end; seen += 3) {
    foodSeen[seen] = foodSeen[seen + 1] = -1
    foodSeen[seen + 2] = 0
  }
  foodShare[share] = spawned[lane] / (foods * topFoodLevel)
}

/**
 * Refuses a lane that no state of this field could be (a tampered snapshot). Two items beside each other are let pass:
 * no start makes them, but the rules say what follows.
 * @throws TroupeError bad-file naming the first thing that is wrong
 */
export function checkLane(state: ForagingState, lane: number): void {
  const { plan, cell, level, outcome, tried, foodCell, foodLevel, foodStatus, spawned } = state
  const { players, foods, cells, topPlayerLevel, topFoodLevel, strict } = plan
  const refuse = (what: string, got: string, expected: string): never => {
    throw new TroupeError('bad-file', { where: `foraging: snapshot: ${what}`, got, expected })
  }
  const inRange = (what: string, value: number, low: number, high: number) => {
    if (value < low || value > high) refuse(what, `${value}`, `${low} to ${high}`)
  }
  const slotOn = new Map<number, number>()
  let total = 0
  let last = -1
  for (let f = 0; f < foods; f++) {
    const k = lane * foods + f
    inRange(`food ${f}: status`, foodStatus[k], ABSENT, GONE)
    if (foodStatus[k] === ABSENT) continue
    inRange(`food ${f}: cell`, foodCell[k], 0, cells - 1)
    inRange(`food ${f}: level`, foodLevel[k], 1, topFoodLevel)
    total += foodLevel[k]
    if (foodStatus[k] !== PRESENT) continue
    if (foodCell[k] <= last)
      refuse(`food ${f}: cell`, `${foodCell[k]}`, `above ${last}: items are in the order of cells`)
    last = foodCell[k]
    slotOn.set(last, f)
  }
  if (spawned[lane] < total) refuse('spawned', `${spawned[lane]}`, `at least ${total}, the level of the food there`)
  const taken = new Set<number>()
  for (let n = 0; n < players; n++) {
    const i = lane * players + n
    inRange(`player ${n}: cell`, cell[i], 0, cells - 1)
    inRange(`player ${n}: level`, level[i], 1, topPlayerLevel)
    inRange(`player ${n}: outcome`, outcome[i], STOOD, FAILED)
    inRange(`player ${n}: tried`, tried[i], 0, foods)
    if (slotOn.has(cell[i])) refuse(`player ${n}`, `in the cell of food ${slotOn.get(cell[i])}`, 'a cell without food')
    if (strict && taken.has(cell[i])) refuse(`player ${n}`, 'in the cell of another player', 'one player per cell')
    taken.add(cell[i])
  }
}
