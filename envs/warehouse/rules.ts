/**
 * One step of the warehouse: rware 2.0.0 `Warehouse.step` (Papoudakis et al. 2021), re-written for B lanes.
 *
 * Deliberate differences: equally long queues at a contested cell are decided for the lowest robot number (the original
 * depends on the iteration order of a Python set); the time limit belongs to the core and is a truncation by default.
 */
import { GENERATOR_WORDS, nextBelow } from '../core/random.ts'
import { type Port } from '../core/types.ts'
import { resolve, type Movement } from './movement.ts'
import { REQUESTS } from './start.ts'
import {
  ACTIONS,
  BLOCKED,
  BLOCKED_MOVES,
  DELIVERED,
  DELIVERIES,
  DISTANCE,
  FORWARD,
  GROUND,
  IDLE,
  IDLE_TIME,
  INACTIVE,
  LEFT_OF,
  MOVED,
  OUTCOME,
  PICKED_UP,
  PUT_DOWN,
  REQUESTED,
  RETURNED,
  RIGHT_OF,
  ROBOT_SHIFT,
  SHELF,
  STANDSTILL_STEPS,
  STANDSTILL_TIME,
  TALLIES,
  TOGGLE,
  TURNED,
  TURN_LEFT,
  TURN_RIGHT,
  WALL,
  type WarehouseState,
} from './state.ts'

/** Heading after an action, [4 headings, 5 actions]. */
const HEADING_AFTER = Uint8Array.from({ length: 4 * ACTIONS.length }, (_, at) => {
  const heading = Math.floor(at / ACTIONS.length)
  const action = at % ACTIONS.length
  return action === TURN_LEFT ? LEFT_OF[heading] : action === TURN_RIGHT ? RIGHT_OF[heading] : heading
})

/** Outcome of an action unless something better becomes of it. */
const OUTCOME_OF = Uint8Array.of(IDLE, BLOCKED, TURNED, TURNED, IDLE)

/** What an outcome adds to the counts of a step: 1 where the robot changed nothing, 65536 where it was refused. */
const COUNTS = Int32Array.from({ length: 8 }, (_, what) =>
  what === BLOCKED ? 65537 : what === IDLE || what === WALL ? 1 : 0,
)

/** `stood` after a step, [8 outcomes, 256]: 0 in a new cell or with a changed load, else counting on from a refusal. */
const STOOD_AFTER = Uint8Array.from({ length: 8 * 256 }, (_, at) => {
  const what = at >> 8
  const stood = at & 255
  if (what >= MOVED) return 0
  return what === BLOCKED || stood > 0 ? Math.min(255, stood + 1) : 0
})

/**
 * Plays `port.action` in the listed lanes. Order within a step: all targets from the shelves as they stood before, who
 * moves, movements and turns, pick-ups and put-downs in robot order, deliveries goal by goal, counters.
 * Writes `port.reward` [B, M] and `port.terminated` [B].
 */
export function step(state: WarehouseState, movement: Movement, port: Port, lanes: Int32Array, count: number): void {
  const { plan, cell, heading, load, outcome, stood, message, shelfCell, tally } = state
  const { robotAt, standing, place, seen, seenCells, seenOf, stale } = state
  const { driver, target, claim } = movement
  const { action, reward, actionDims, terminated } = port
  const { robots, shelves, messageBits, inactivityLimit } = plan
  const { cells, neighbour, goals } = plan.layout
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const first = lane * robots
    const floor = lane * cells
    const view = lane * seenCells
    const firstShelf = lane * shelves

    // Turns, and what everybody wants. `tangled`: somebody wants a cell that is taken or wanted by another.
    let drivers = 0
    let togglers = 0
    let tangled = false
    for (let n = 0; n < robots; n++) {
      const i = first + n
      const choice = action[i * actionDims]
      const here = cell[i]
      const faces = HEADING_AFTER[heading[i] * 5 + choice]
      const spot = view + seenOf[here]
      reward[i] = 0
      heading[i] = faces
      seen[spot] = (seen[spot] & GROUND) | ((faces + 1) << ROBOT_SHIFT)
      outcome[i] = OUTCOME_OF[choice]
      if (choice === FORWARD) {
        const to = neighbour[here * 4 + faces]
        if (to === here) outcome[i] = WALL
        // A standing shelf stops a loaded robot, even where another robot is parked under it and leaves in this step.
        else if (load[i] === 0 || standing[floor + to] === 0) {
          if (robotAt[floor + to] !== 0 || claim[to] !== 0) tangled = true
          claim[to] = 1
          target[n] = to
          driver[drivers++] = n
        }
      }
      togglers += choice >> 2 // TOGGLE is the only action of 4 or more
    }

    // All movers leave before any arrives, so that queues and rings move as one.
    for (let d = 0; d < drivers; d++) claim[target[driver[d]]] = 0
    const moving = tangled ? resolve(movement, drivers, robotAt, floor) : drivers
    for (let d = 0; d < moving; d++) {
      const i = first + driver[d]
      const from = cell[i]
      robotAt[floor + from] = 0
      const spot = view + seenOf[from]
      seen[spot] = load[i] !== 0 ? 0 : seen[spot] & GROUND
    }
    for (let d = 0; d < moving; d++) {
      const n = driver[d]
      const i = first + n
      const to = target[n]
      cell[i] = to
      outcome[i] = MOVED
      robotAt[floor + to] = n + 1
      const spot = view + seenOf[to]
      let bits = seen[spot] | ((heading[i] + 1) << ROBOT_SHIFT)
      const shelf = load[i] - 1
      if (shelf >= 0) {
        shelfCell[firstShelf + shelf] = to
        bits |= SHELF
        if (place[firstShelf + shelf] !== 0) {
          bits |= REQUESTED
          stale[lane] = 1
        }
      }
      seen[spot] = bits
    }

    if (togglers > 0) toggle(state, port, lane)
    if (messageBits > 0) {
      for (let i = first; i < first + robots; i++) {
        let bits = 0
        for (let b = 0; b < messageBits; b++) bits |= action[i * actionDims + 1 + b] << b
        message[i] = bits
      }
    }

    // Deliveries, goal by goal.
    const row = lane * TALLIES
    let inactive = tally[row + INACTIVE] + 1
    for (let g = 0; g < goals.length; g++) {
      const robot = robotAt[floor + goals[g]]
      if (robot === 0) continue
      const shelf = load[first + robot - 1]
      if (shelf === 0 || place[firstShelf + shelf - 1] === 0) continue
      pay(state, port, lane, first + robot - 1)
      replaceRequest(state, port, lane, shelf - 1)
      inactive = 0
    }

    // Counts, and the only ending that the rules know: too long without a delivery.
    let counts = 0
    let still = 0
    for (let i = first; i < first + robots; i++) {
      const what = outcome[i] & OUTCOME
      const stands = STOOD_AFTER[(what << 8) | stood[i]]
      stood[i] = stands
      counts += COUNTS[what]
      still += (stands + 256 - STANDSTILL_STEPS) >> 8 // 1 from STANDSTILL_STEPS on, without a branch
    }
    tally[row + DISTANCE] += moving
    tally[row + BLOCKED_MOVES] += counts >> 16
    tally[row + IDLE_TIME] += counts & 0xffff
    tally[row + STANDSTILL_TIME] += still
    tally[row + INACTIVE] = inactive
    terminated[lane] = inactivityLimit > 0 && inactive >= inactivityLimit ? 1 : 0
  }
}

/** Pick-ups and put-downs of one lane, in robot order. A toggle over nothing, or loaded in a corridor, does nothing. */
function toggle(state: WarehouseState, port: Port, lane: number): void {
  const { plan, cell, load, credited, outcome, standing, vacant, vacancies, stale } = state
  const { action, actionDims, reward } = port
  const { robots, layout } = plan
  const { highway, slotOf } = layout
  const floor = lane * layout.cells
  const first = lane * robots
  for (let i = first; i < first + robots; i++) {
    if (action[i * actionDims] !== TOGGLE) continue
    const here = cell[i]
    if (load[i] === 0) {
      const shelf = standing[floor + here]
      if (shelf === 0) continue
      load[i] = shelf
      standing[floor + here] = 0
      vacant[first + vacancies[lane]++] = slotOf[here]
      stale[lane] = 1
      outcome[i] = PICKED_UP
    } else if (highway[here] === 0) {
      // The slot is empty: a loaded robot never enters a cell with a standing shelf.
      const shelf = load[i]
      standing[floor + here] = shelf
      load[i] = 0
      const last = first + --vacancies[lane]
      let v = first
      while (v < last && vacant[v] !== slotOf[here]) v++
      vacant[v] = vacant[last]
      outcome[i] = PUT_DOWN
      stale[lane] = 1
      if (credited[i] === 1 && plan.reward === 'two-stage') {
        reward[i] += 0.5
        outcome[i] |= RETURNED
      }
      credited[i] = 0
    }
  }
}

/** Rewards robot `i` = lane * M + n, whose requested shelf is on a goal. */
function pay(state: WarehouseState, port: Port, lane: number, i: number): void {
  const { plan, credited, outcome, tally } = state
  const { robots, reward } = plan
  outcome[i] |= DELIVERED
  tally[lane * TALLIES + DELIVERIES]++
  if (reward === 'individual') port.reward[i] += 1
  else if (reward === 'global') for (let m = lane * robots; m < (lane + 1) * robots; m++) port.reward[m] += 1
  else {
    port.reward[i] += 0.5
    credited[i] = 1
  }
}

/**
 * Takes a delivered shelf out of the queue; the k-th shelf that is not in the queue at that moment takes its place,
 * k uniform. It may stand on the next goal and pay in the same step; the delivered one cannot be drawn.
 */
function replaceRequest(state: WarehouseState, port: Port, lane: number, shelf: number): void {
  const { plan, shelfCell, queue, place, seen, seenCells, seenOf } = state
  const { shelves, requests } = plan
  const firstShelf = lane * shelves
  const draws = (lane * port.streams + REQUESTS) * GENERATOR_WORDS
  let left = nextBelow(port.random, draws, shelves - requests)
  let drawn = 0
  while (place[firstShelf + drawn] !== 0 || left-- > 0) drawn++
  const at = place[firstShelf + shelf]
  place[firstShelf + shelf] = 0
  place[firstShelf + drawn] = at
  queue[lane * requests + at - 1] = drawn
  state.stale[lane] = 1
  seen[lane * seenCells + seenOf[shelfCell[firstShelf + shelf]]] &= ~REQUESTED
  seen[lane * seenCells + seenOf[shelfCell[firstShelf + drawn]]] |= REQUESTED
}
