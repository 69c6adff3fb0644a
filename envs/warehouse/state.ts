/** The warehouse as typed arrays: what decides the future (`arrays`), and grids derived from it. */
import { TroupeError } from '../core/errors.ts'
import { type TypedArray } from '../core/types.ts'
import { DOWN, LEFT, type Places, places, RIGHT, UP } from './layout.ts'
import { type Plan } from './options.ts'

/** Actions by number. */
export const ACTIONS = ['noop', 'forward', 'left', 'right', 'toggle'] as const
export const FORWARD = 1
export const TURN_LEFT = 2
export const TURN_RIGHT = 3
export const TOGGLE = 4

/** Next heading after a turn, by heading. */
export const LEFT_OF = Uint8Array.of(LEFT, RIGHT, DOWN, UP)
export const RIGHT_OF = Uint8Array.of(RIGHT, LEFT, UP, DOWN)

/** What became of a robot's action in the last step: one of these, plus DELIVERED and RETURNED. */
export const IDLE = 0 // no-op, or a toggle without effect
export const WALL = 1 // forward against the edge of the floor
export const BLOCKED = 2 // forward, refused by a robot or a shelf
export const TURNED = 3
export const MOVED = 4
export const PICKED_UP = 5
export const PUT_DOWN = 6
export const OUTCOME = 7 // mask of the above
export const DELIVERED = 8 // its shelf was delivered
export const RETURNED = 16 // two-stage: the second half was paid

/** Running totals of an episode, by place in a lane's row of `tally`. */
export const TALLY = ['deliveries', 'distance', 'blockedMoves', 'idleTime', 'standstillTime', 'inactive'] as const
export const DELIVERIES = 0
export const DISTANCE = 1
export const BLOCKED_MOVES = 2
export const IDLE_TIME = 3
export const STANDSTILL_TIME = 4
export const INACTIVE = 5
export const TALLIES = TALLY.length

/**
 * A robot is in a standstill once this many steps have passed since its first refused move in the cell where it still is.
 * Ten is our choice: longer than any queue at a goal needs in a warehouse that flows.
 */
export const STANDSTILL_STEPS = 10

/** Bits of a cell as a sensor sees it; the heading of a robot + 1 is above them. */
export const SHELF = 1
export const REQUESTED = 2
export const GROUND = SHELF | REQUESTED
export const ROBOT_SHIFT = 2

/**
 * B lanes of one warehouse. Robot n of lane b is at index b * robots + n; shelves, cells and requests likewise.
 * A number + 1 with 0 for none is used wherever something may be absent.
 */
export interface WarehouseState {
  readonly plan: Plan
  readonly lanes: number // B

  // What decides the future; saved and digested.
  readonly cell: Places // [B, M] where each robot is
  readonly heading: Uint8Array // [B, M] 0 up, 1 down, 2 left, 3 right
  readonly load: Places // [B, M] carried shelf + 1, 0 none
  readonly credited: Uint8Array // [B, M] 1 after a delivery in two-stage mode, until the next put-down
  readonly outcome: Uint8Array // [B, M] what became of the last action
  readonly stood: Uint8Array // [B, M] steps since the first refused move in this cell, at most 255
  readonly message: Uint16Array // [B, M] bits sent in the last step; empty without message bits
  readonly shelfCell: Places // [B, K] where each shelf is; a carried one is with its robot
  readonly queue: Places // [B, Q] requested shelves
  readonly tally: Int32Array // [B, TALLIES] running totals of the episode

  // Derived: rebuilt after a load.
  readonly robotAt: Uint16Array // [B, C] robot + 1
  readonly standing: Places // [B, C] shelf + 1 standing there, carried ones left out
  readonly place: Places // [B, K] place in the queue + 1, 0 not requested
  readonly seen: Uint8Array // [B, P] bits for the sensors, on a floor with a margin of sensorRange empty cells
  readonly vacant: Places // [B, M] shelf homes without a shelf, in no particular order
  readonly vacancies: Uint16Array // [B] how many of them
  /** [B] 1 since a load or a request changed, a requested shelf moved, or all was rebuilt; 0 once the state was seen. */
  readonly stale: Uint8Array

  // Static tables.
  readonly seenCells: number // P
  readonly seenWidth: number // cells per row of `seen`
  readonly seenOf: Int32Array // [C] where a cell is in `seen`
}

/** What privileged policies may read; nobody but the rules writes it. */
export type WarehouseWorld = WarehouseState

export function createState(plan: Plan, lanes: number): WarehouseState {
  const { layout, robots, shelves, requests, sensorRange } = plan
  const seenWidth = layout.width + 2 * sensorRange
  const seenCells = seenWidth * (layout.height + 2 * sensorRange)
  const seenOf = Int32Array.from({ length: layout.cells }, (_, cell) => {
    const y = Math.floor(cell / layout.width)
    return (y + sensorRange) * seenWidth + (cell % layout.width) + sensorRange
  })
  return {
    plan,
    lanes,
    cell: places(lanes * robots, layout.cells),
    heading: new Uint8Array(lanes * robots),
    load: places(lanes * robots, layout.cells),
    credited: new Uint8Array(lanes * robots),
    outcome: new Uint8Array(lanes * robots),
    stood: new Uint8Array(lanes * robots),
    message: new Uint16Array(plan.messageBits > 0 ? lanes * robots : 0),
    shelfCell: places(lanes * shelves, layout.cells),
    queue: places(lanes * requests, layout.cells),
    tally: new Int32Array(lanes * TALLIES),
    robotAt: new Uint16Array(lanes * layout.cells),
    standing: places(lanes * layout.cells, layout.cells),
    place: places(lanes * shelves, layout.cells),
    seen: new Uint8Array(lanes * seenCells),
    vacant: places(lanes * robots, layout.cells),
    vacancies: new Uint16Array(lanes),
    stale: new Uint8Array(lanes).fill(1),
    seenCells,
    seenWidth,
    seenOf,
  }
}

/** The arrays that a snapshot holds and a digest covers. */
export function savedArrays(state: WarehouseState): Record<string, TypedArray> {
  const { cell, heading, load, credited, outcome, stood, message, shelfCell, queue, tally } = state
  const arrays = { cell, heading, load, credited, outcome, stood, shelfCell, queue, tally }
  return state.plan.messageBits > 0 ? { ...arrays, message } : arrays
}

/** Rebuilds a lane's derived grids from its saved arrays, which must be consistent. */
export function derive(state: WarehouseState, lane: number): void {
  const { plan, cell, heading, load, shelfCell, queue } = state
  const { robotAt, standing, place, seen, vacant, vacancies, seenCells, seenOf } = state
  const { layout, robots, shelves, requests } = plan
  const { cells, slots } = layout
  const floor = lane * cells
  const firstShelf = lane * shelves
  const view = lane * seenCells
  for (let c = 0; c < cells; c++) robotAt[floor + c] = standing[floor + c] = 0
  for (let c = 0; c < seenCells; c++) seen[view + c] = 0
  for (let s = 0; s < shelves; s++) place[firstShelf + s] = 0
  for (let q = 0; q < requests; q++) place[firstShelf + queue[lane * requests + q]] = q + 1
  for (let s = 0; s < shelves; s++) {
    const at = shelfCell[firstShelf + s]
    const requested = place[firstShelf + s] !== 0
    standing[floor + at] = s + 1
    seen[view + seenOf[at]] = requested ? SHELF | REQUESTED : SHELF
  }
  for (let n = 0; n < robots; n++) {
    const i = lane * robots + n
    const at = cell[i]
    robotAt[floor + at] = n + 1
    seen[view + seenOf[at]] |= (heading[i] + 1) << ROBOT_SHIFT
    if (load[i] !== 0) standing[floor + at] = 0
  }
  let empty = 0
  for (let s = 0; s < shelves; s++) if (standing[floor + slots[s]] === 0) vacant[lane * robots + empty++] = s
  vacancies[lane] = empty
  state.stale[lane] = 1
}

/**
 * Refuses a lane that no sequence of legal steps could produce (a tampered snapshot).
 * @throws TroupeError bad-file naming the first thing that is wrong
 */
export function checkLane(state: WarehouseState, lane: number): void {
  const { plan, cell, heading, load, shelfCell, queue } = state
  const { layout, robots, shelves, requests } = plan
  const refuse = (what: string, got: string, expected: string): never => {
    throw new TroupeError('bad-file', { where: `warehouse: snapshot: ${what}`, got, expected })
  }
  const shelfOn = new Map<number, number>()
  for (let s = 0; s < shelves; s++) {
    const at = shelfCell[lane * shelves + s]
    if (at >= layout.cells) refuse(`shelf ${s}`, `at cell ${at}`, `a cell of 0 to ${layout.cells - 1}`)
    if (shelfOn.has(at)) refuse(`shelf ${s}`, `where shelf ${shelfOn.get(at)} is`, 'one shelf per cell')
    shelfOn.set(at, s)
  }
  const carried = new Set<number>()
  const taken = new Set<number>()
  for (let n = 0; n < robots; n++) {
    const i = lane * robots + n
    if (cell[i] >= layout.cells) refuse(`robot ${n}`, `at cell ${cell[i]}`, `a cell of 0 to ${layout.cells - 1}`)
    if (heading[i] > 3) refuse(`robot ${n}: heading`, `${heading[i]}`, '0 to 3')
    if (taken.has(cell[i])) refuse(`robot ${n}`, 'in the cell of another robot', 'one robot per cell')
    taken.add(cell[i])
    if (load[i] === 0) continue
    if (shelfOn.get(cell[i]) !== load[i] - 1)
      refuse(`robot ${n}: load`, `shelf ${load[i] - 1}`, 'the shelf in its cell')
    carried.add(load[i] - 1)
  }
  for (const [at, s] of shelfOn) {
    if (layout.highway[at] === 1 && !carried.has(s)) refuse(`shelf ${s}`, 'standing in a corridor', 'a shelf home')
  }
  const requested = new Set(queue.subarray(lane * requests, (lane + 1) * requests))
  if (requested.size !== requests) refuse('queue', 'with a shelf twice', 'distinct shelves')
  for (const s of requested) if (s >= shelves) refuse('queue', `with shelf ${s}`, `shelves of 0 to ${shelves - 1}`)
}
