/** What robots sense and what a central critic sees: names, ranges and the kernels that write them. */
import { type Feature, type Port } from '../core/types.ts'
import { type Plan } from './options.ts'
import { GROUND, REQUESTED, ROBOT_SHIFT, SHELF, type WarehouseState } from './state.ts'

/** The robot's own part of an observation. */
export const SELF = ['x', 'y', 'carrying', 'facesUp', 'facesDown', 'facesLeft', 'facesRight', 'onHighway'] as const

/** Per cell of the window, around the message bits; a cell without robot has `up` = 1, as in the original. */
export const CELL_BEFORE_MESSAGE = ['robot', 'up', 'down', 'left', 'right'] as const
export const CELL_AFTER_MESSAGE = ['shelf', 'requested'] as const

/** Of the global state, per robot, per request and per shelf home. */
export const ROBOT_STATE = [
  'x',
  'y',
  'up',
  'down',
  'left',
  'right',
  'carrying',
  'carryingRequested',
  'credited',
] as const
export const REQUEST_STATE = ['x', 'y', 'carried'] as const

const flag = (name: string, meaning: string): Feature => ({ name, low: 0, high: 1, meaning })

/** Where a window cell is, as a person says it: '1 left, 2 up'. */
function offset(dx: number, dy: number): string {
  const across = dx === 0 ? [] : [`${Math.abs(dx)} ${dx < 0 ? 'left' : 'right'}`]
  const along = dy === 0 ? [] : [`${Math.abs(dy)} ${dy < 0 ? 'up' : 'down'}`]
  return [...across, ...along].join(', ')
}

/** 8 own features, then (2 r + 1)² cells of 7 + message bits, row by row from the top left, not rotated. */
export function observationFeatures(plan: Plan): Feature[] {
  const { layout, sensorRange: r, messageBits, normalisedCoordinates } = plan
  const unit = normalisedCoordinates ? 'of the floor' : 'in cells'
  const features: Feature[] = [
    {
      name: SELF[0],
      low: 0,
      high: normalisedCoordinates ? 1 : layout.width - 1,
      meaning: `own column ${unit}, 0 left`,
    },
    { name: SELF[1], low: 0, high: normalisedCoordinates ? 1 : layout.height - 1, meaning: `own row ${unit}, 0 top` },
    flag(SELF[2], 'carries a shelf'),
    ...SELF.slice(3, 7).map((name) => flag(name, 'own heading')),
    flag(SELF[7], 'own cell is a corridor or goal: shelves cannot be put down here'),
  ]
  for (let dy = -r; dy <= r; dy++) {
    for (let dx = -r; dx <= r; dx++) {
      const cell = `cell(${dx},${dy})`
      const where = dx === 0 && dy === 0 ? 'own cell' : `the cell ${offset(dx, dy)} of the robot`
      features.push(flag(`${cell}.robot`, `${where}: a robot is there`))
      for (const name of CELL_BEFORE_MESSAGE.slice(1)) {
        features.push(flag(`${cell}.${name}`, `${where}: its robot faces ${name}; up is also 1 without a robot`))
      }
      for (let b = 0; b < messageBits; b++) {
        features.push(flag(`${cell}.message${b}`, `${where}: bit ${b} that its robot sent in this step`))
      }
      features.push(flag(`${cell}.shelf`, `${where}: a shelf stands or is carried there`))
      features.push(flag(`${cell}.requested`, `${where}: that shelf is requested`))
    }
  }
  return features
}

/** Robots, requests in queue order, then one number per shelf home; all in [0, 1]. */
export function stateFeatures(plan: Plan): Feature[] {
  const { robots, requests, shelves, layout } = plan
  const features: Feature[] = []
  for (let n = 0; n < robots; n++) {
    for (const name of ROBOT_STATE) features.push(flag(`agent_${n}.${name}`, STATE_MEANING[name]))
  }
  for (let q = 0; q < requests; q++) {
    for (const name of REQUEST_STATE) features.push(flag(`request_${q}.${name}`, STATE_MEANING[name]))
  }
  for (let s = 0; s < shelves; s++) {
    const x = layout.slots[s] % layout.width
    const y = Math.floor(layout.slots[s] / layout.width)
    features.push(flag(`slot(${x},${y})`, 'shelf home: 0 empty, 0.5 a shelf stands here, 1 a requested shelf'))
  }
  return features
}

const STATE_MEANING: Record<string, string> = {
  x: 'column over width - 1',
  y: 'row over height - 1',
  up: 'faces up',
  down: 'faces down',
  left: 'faces left',
  right: 'faces right',
  carrying: 'carries a shelf',
  carryingRequested: 'carries a requested shelf',
  credited: 'two-stage: the second half is due at the next put-down',
  carried: 'a robot carries the requested shelf',
}

/** Tables of one batch for the kernels below. */
export interface Sight {
  readonly ownX: Float32Array // [C] as observations show it
  readonly ownY: Float32Array // [C]
  readonly onHighway: Float32Array // [C]
  readonly share: Float32Array // [C, 2] x over width - 1, y over height - 1
  /** [codes, 7] the seven numbers of a window cell (message bits aside) by the bits of `seen`. */
  readonly cellOf: Float32Array
  /** [P] the cell of the floor behind each cell of `seen`; -1 in the margin. */
  readonly floorOf: Int32Array
  /** Observations on an empty floor, of as many lanes as one copy fills. */
  readonly emptyFloor: Float32Array // [T, N, F]
  /** The state with a shelf in every home and all else 0. */
  readonly fullStore: Float32Array // [S]
  /** The state of every lane as last seen. */
  readonly lastState: Float32Array // [B, S]
}

const CELL_WIDTH = CELL_BEFORE_MESSAGE.length + CELL_AFTER_MESSAGE.length
const CODES = 5 << ROBOT_SHIFT

export function createSight(state: WarehouseState, port: Port): Sight {
  const { plan, seenCells, seenOf } = state
  const { layout, normalisedCoordinates } = plan
  const { width, height, cells } = layout
  const column = (cell: number) => cell % width
  const row = (cell: number) => Math.floor(cell / width)
  const table = (value: (cell: number) => number) => Float32Array.from({ length: cells }, (_, cell) => value(cell))
  // A floor one cell wide has no scale; its only coordinate is 0.
  const shareX = table((cell) => column(cell) / Math.max(1, width - 1))
  const shareY = table((cell) => row(cell) / Math.max(1, height - 1))
  const cellOf = new Float32Array(CODES * CELL_WIDTH)
  for (let code = 0; code < CODES; code++) {
    const facing = code >> ROBOT_SHIFT // 0 no robot, else heading + 1
    cellOf[code * CELL_WIDTH] = facing > 0 ? 1 : 0
    cellOf[code * CELL_WIDTH + Math.max(1, facing)] = 1
    cellOf[code * CELL_WIDTH + 5] = code & SHELF ? 1 : 0
    cellOf[code * CELL_WIDTH + 6] = code & REQUESTED ? 1 : 0
  }
  const floorOf = new Int32Array(seenCells).fill(-1)
  seenOf.forEach((spot, cell) => (floorOf[spot] = cell))
  const emptyFloor = new Float32Array(port.seats.length * port.observationSize)
  for (let o = 0; o < emptyFloor.length; o++) {
    const feature = o % port.observationSize
    emptyFloor[o] = feature >= SELF.length && (feature - SELF.length) % (CELL_WIDTH + plan.messageBits) === 1 ? 1 : 0
  }
  return {
    ownX: normalisedCoordinates ? shareX : table(column),
    ownY: normalisedCoordinates ? shareY : table(row),
    onHighway: table((cell) => layout.highway[cell]),
    share: Float32Array.from({ length: 2 * cells }, (_, at) => (at % 2 === 0 ? shareX : shareY)[at >> 1]),
    cellOf,
    floorOf,
    emptyFloor: tiled(emptyFloor, port.lanes),
    fullStore: new Float32Array(port.stateSize).fill(0.5, port.stateSize - plan.shelves),
    lastState: new Float32Array(port.state.length),
  }
}

/** Writes every element of `port.observation` [B, N, F] in the listed lanes. */
export function observe(state: WarehouseState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  const { plan, cell, heading, load, message, robotAt, seen, seenCells, seenWidth, seenOf } = state
  const { robots, sensorRange, messageBits } = plan
  const { cells } = plan.layout
  const { ownX, ownY, onHighway, cellOf, floorOf } = sight
  const { observation, observationSize, seats } = port
  const window = 2 * sensorRange + 1
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const view = lane * seenCells
    for (let s = 0; s < seats.length; s++) {
      const i = lane * robots + seats[s]
      const here = cell[i]
      const facing = heading[i]
      let o = (lane * seats.length + s) * observationSize
      observation[o] = ownX[here]
      observation[o + 1] = ownY[here]
      observation[o + 2] = load[i] !== 0 ? 1 : 0
      observation[o + 3] = facing === 0 ? 1 : 0
      observation[o + 4] = facing === 1 ? 1 : 0
      observation[o + 5] = facing === 2 ? 1 : 0
      observation[o + 6] = facing === 3 ? 1 : 0
      observation[o + 7] = onHighway[here]
      o += SELF.length
      let spot = seenOf[here] - sensorRange * (seenWidth + 1)
      for (let dy = 0; dy < window; dy++) {
        for (let dx = 0; dx < window; dx++) {
          const code = seen[view + spot + dx]
          const from = code * CELL_WIDTH
          observation[o] = cellOf[from]
          observation[o + 1] = cellOf[from + 1]
          observation[o + 2] = cellOf[from + 2]
          observation[o + 3] = cellOf[from + 3]
          observation[o + 4] = cellOf[from + 4]
          o += 5
          if (messageBits > 0) {
            const bits =
              code >> ROBOT_SHIFT === 0 ? 0 : message[lane * robots + robotAt[lane * cells + floorOf[spot + dx]] - 1]
            for (let b = 0; b < messageBits; b++) observation[o++] = (bits >> b) & 1
          }
          observation[o] = cellOf[from + 5]
          observation[o + 1] = cellOf[from + 6]
          o += 2
        }
        spot += seenWidth
      }
    }
  }
}

/**
 * `observe` without message bits, several times as fast: every row starts as an empty floor, in one native copy for many
 * lanes, and only what may differ is written. What stands on the ground is written without asking, since a branch that
 * the processor guesses wrong costs more than two stores; robots other than the own one are rare enough to ask for.
 */
export function observeQuiet(state: WarehouseState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  const { plan, cell, heading, load, seen, seenCells, seenWidth, seenOf } = state
  const { robots, sensorRange } = plan
  const { ownX, ownY, onHighway, emptyFloor } = sight
  const { observation, observationSize, seats } = port
  const agents = seats.length
  const side = 2 * sensorRange + 1
  const skip = seenWidth - side
  const corner = sensorRange * (seenWidth + 1)
  const centre = ((side * side - 1) >> 1) * CELL_WIDTH
  blank(observation, emptyFloor, agents * observationSize, lanes, count, port.lanes)
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const view = lane * seenCells - corner
    for (let s = 0; s < agents; s++) {
      const i = lane * robots + seats[s]
      const here = cell[i]
      const facing = heading[i]
      let o = (lane * agents + s) * observationSize
      observation[o] = ownX[here]
      observation[o + 1] = ownY[here]
      observation[o + 2] = load[i] !== 0 ? 1 : 0
      observation[o + 3 + facing] = 1
      observation[o + 7] = onHighway[here]
      o += SELF.length
      const own = o + centre
      let spot = view + seenOf[here]
      if (side === 3) {
        // The range of every named warehouse, written out: loops this short cost more than what they do.
        const second = spot + seenWidth
        const third = second + seenWidth
        showCell(observation, o, seen[spot])
        showCell(observation, o + CELL_WIDTH, seen[spot + 1])
        showCell(observation, o + 2 * CELL_WIDTH, seen[spot + 2])
        showCell(observation, o + 3 * CELL_WIDTH, seen[second])
        showGround(observation, own, seen[second + 1])
        showCell(observation, o + 5 * CELL_WIDTH, seen[second + 2])
        showCell(observation, o + 6 * CELL_WIDTH, seen[third])
        showCell(observation, o + 7 * CELL_WIDTH, seen[third + 1])
        showCell(observation, o + 8 * CELL_WIDTH, seen[third + 2])
      } else {
        for (let row = 0; row < side; row++) {
          for (const end = spot + side; spot < end; spot++) {
            if (o !== own) showCell(observation, o, seen[spot])
            else showGround(observation, o, seen[spot])
            o += CELL_WIDTH
          }
          spot += skip
        }
      }
      observation[own] = 1
      observation[own + 1] = 0
      observation[own + 1 + facing] = 1
    }
  }
}

/** What stands in a window cell, requested or not. */
function showGround(out: Float32Array, o: number, code: number): void {
  out[o + 5] = code & SHELF
  out[o + 6] = (code & REQUESTED) >> 1
}

/** A window cell drawn over an empty one. */
function showCell(out: Float32Array, o: number, code: number): void {
  showGround(out, o, code)
  if (code > GROUND) {
    out[o] = 1
    out[o + 1] = 0
    out[o + (code >> ROBOT_SHIFT)] = 1
  }
}

/** Lanes that one native copy fills. */
const TILE = 16

/** @returns `row` as often as a copy takes it at once */
function tiled(row: Float32Array, lanes: number): Float32Array {
  const copies = Math.min(TILE, lanes)
  const tile = new Float32Array(copies * row.length)
  for (let k = 0; k < copies; k++) tile.set(row, k * row.length)
  return tile
}

/**
 * Makes the rows of the listed lanes copies of the first row of `tile`.
 * @param rows [all, width]
 * @param tile [min(TILE, all), width], the same row over and over
 */
function blank(
  rows: Float32Array,
  tile: Float32Array,
  width: number,
  lanes: Int32Array,
  count: number,
  all: number,
): void {
  if (count < all) {
    for (let k = 0; k < count; k++) {
      const at = lanes[k] * width
      for (let i = 0; i < width; i++) rows[at + i] = tile[i]
    }
    return
  }
  let at = 0
  for (; at + tile.length <= rows.length; at += tile.length) rows.set(tile, at)
  for (let i = 0; at < rows.length; i++, at++) rows[at] = tile[i]
}

/**
 * Writes every element of `port.state` [B, S] in the listed lanes: corrects the last one of each lane, whose robots may
 * have moved, or draws it anew where `stale` says that more has changed, and copies it out whole.
 */
export function observeState(state: WarehouseState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  const { plan, cell, heading, stale } = state
  const { robots } = plan
  const { share, lastState: out } = sight
  const { stateSize } = port
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    if (stale[lane] !== 0) {
      drawState(state, sight, out, stateSize, lane)
      stale[lane] = 0
      continue
    }
    let o = lane * stateSize
    for (let i = lane * robots; i < (lane + 1) * robots; i++) {
      const here = 2 * cell[i]
      out[o] = share[here]
      out[o + 1] = share[here + 1]
      out[o + 2] = 0
      out[o + 3] = 0
      out[o + 4] = 0
      out[o + 5] = 0
      out[o + 2 + heading[i]] = 1
      o += ROBOT_STATE.length
    }
  }
  if (count === port.lanes) {
    port.state.set(out)
    return
  }
  for (let k = 0; k < count; k++) {
    for (let i = lanes[k] * stateSize; i < (lanes[k] + 1) * stateSize; i++) port.state[i] = out[i]
  }
}

/** Draws one lane of a state [B, S]. */
function drawState(state: WarehouseState, sight: Sight, out: Float32Array, stateSize: number, lane: number): void {
  const { plan, cell, heading, load, credited, shelfCell, queue, standing, place, vacant, vacancies } = state
  const { robots, requests, shelves } = plan
  const { cells, slotOf } = plan.layout
  const { share, fullStore } = sight
  const firstShelf = lane * shelves
  const slots = lane * stateSize + robots * ROBOT_STATE.length + requests * REQUEST_STATE.length
  let o = lane * stateSize
  out.set(fullStore, o)
  for (let i = lane * robots; i < (lane + 1) * robots; i++) {
    const shelf = load[i]
    out[o] = share[2 * cell[i]]
    out[o + 1] = share[2 * cell[i] + 1]
    out[o + 2 + heading[i]] = 1
    if (shelf !== 0) {
      out[o + 6] = 1
      if (place[firstShelf + shelf - 1] !== 0) out[o + 7] = 1
    }
    out[o + 8] = credited[i]
    o += ROBOT_STATE.length
  }
  for (let q = lane * requests; q < (lane + 1) * requests; q++) {
    const shelf = queue[q]
    const at = shelfCell[firstShelf + shelf]
    out[o] = share[2 * at]
    out[o + 1] = share[2 * at + 1]
    if (standing[lane * cells + at] === shelf + 1) out[slots + slotOf[at]] = 1
    else out[o + 2] = 1
    o += REQUEST_STATE.length
  }
  const first = lane * robots
  for (let v = first; v < first + vacancies[lane]; v++) out[slots + vacant[v]] = 0
}
