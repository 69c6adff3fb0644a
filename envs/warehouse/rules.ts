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
  WALL,
  type WarehouseState,
} from './state.ts'

/**
 * Plays `port.action` in the listed lanes. Order within a step: all targets from the shelves as they stood before, who
 * moves, movements and turns, pick-ups and put-downs in robot order, deliveries goal by goal, counters.
 * Writes `port.reward` [B, M] and `port.terminated` [B].
 */
export function step(state: WarehouseState, movement: Movement, port: Port, lanes: Int32Array, count: number): void {
  const { plan, cell, heading, load, outcome, message, shelfCell, robotAt, standing, place, seen } = state
  const { seenCells, seenOf } = state
  const { driver, target, claim } = movement
  const { action, reward, actionDims } = port
  const { robots, shelves, messageBits } = plan
  const { cells, neighbour } = plan.layout
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const first = lane * robots
    const floor = lane * cells
    const view = lane * seenCells
    const firstShelf = lane * shelves

    let drivers = 0
    let togglers = 0
    let tangled = false
    for (let n = 0; n < robots; n++) {
      const i = first + n
      reward[i] = 0
      const choice = action[i * actionDims]
      const here = cell[i]
      if (choice === FORWARD) {
        const to = neighbour[here * 4 + heading[i]]
        if (to === here) outcome[i] = WALL
        else {
          outcome[i] = BLOCKED
          // A standing shelf stops a loaded robot even where another robot is parked under it and leaves in this step.
          if (load[i] !== 0 && standing[floor + to] !== 0) continue
          if (robotAt[floor + to] !== 0 || claim[to] !== 0) tangled = true
          claim[to] = 1
          target[n] = to
          driver[drivers++] = n
        }
      } else if (choice === 0) outcome[i] = IDLE
      else if (choice === TOGGLE) {
        outcome[i] = IDLE
        togglers++
      } else {
        const faces = choice === TURN_LEFT ? LEFT_OF[heading[i]] : RIGHT_OF[heading[i]]
        heading[i] = faces
        const spot = view + seenOf[here]
        seen[spot] = (seen[spot] & GROUND) | ((faces + 1) << ROBOT_SHIFT)
        outcome[i] = TURNED
      }
    }

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
        bits |= place[firstShelf + shelf] !== 0 ? SHELF | REQUESTED : SHELF
      }
      seen[spot] = bits
    }
    state.tally[lane * TALLIES + DISTANCE] += moving

    if (togglers > 0) toggle(state, port, lane)
    if (messageBits > 0) {
      for (let i = first; i < first + robots; i++) {
        let bits = 0
        for (let b = 0; b < messageBits; b++) bits |= action[i * actionDims + 1 + b] << b
        message[i] = bits
      }
    }
    deliver(state, port, lane)
    keepCount(state, port, lane)
  }
}

/** Pick-ups and put-downs of one lane, in robot order. A toggle over nothing, or loaded in a corridor, does nothing. */
function toggle(state: WarehouseState, port: Port, lane: number): void {
  const { plan, cell, load, credited, outcome, standing, place, slotValue } = state
  const { action, actionDims, reward } = port
  const { robots, shelves, layout } = plan
  const { highway, slotOf } = layout
  const floor = lane * layout.cells
  const firstShelf = lane * shelves
  for (let i = lane * robots; i < (lane + 1) * robots; i++) {
    if (action[i * actionDims] !== TOGGLE) continue
    const here = cell[i]
    if (load[i] === 0) {
      const shelf = standing[floor + here]
      if (shelf === 0) continue
      load[i] = shelf
      standing[floor + here] = 0
      slotValue[firstShelf + slotOf[here]] = 0
      outcome[i] = PICKED_UP
    } else if (highway[here] === 0) {
      // The slot is empty: a loaded robot never enters a cell with a standing shelf.
      const shelf = load[i]
      standing[floor + here] = shelf
      load[i] = 0
      slotValue[firstShelf + slotOf[here]] = place[firstShelf + shelf - 1] !== 0 ? 1 : 0.5
      outcome[i] = PUT_DOWN
      if (credited[i] === 1 && plan.reward === 'two-stage') {
        reward[i] += 0.5
        outcome[i] |= RETURNED
      }
      credited[i] = 0
    }
  }
}

/**
 * Pays every requested shelf on a goal, goal by goal, and requests another in its place: uniform over the shelves that
 * are not in the queue at that moment. A shelf drawn for the first goal may stand on the second and pay in the same step.
 */
function deliver(state: WarehouseState, port: Port, lane: number): void {
  const { plan, load, credited, outcome, tally, robotAt, place } = state
  const { robots, shelves, layout } = plan
  const { goals } = layout
  const first = lane * robots
  const floor = lane * layout.cells
  const inactive = lane * TALLIES + INACTIVE
  tally[inactive]++
  for (let g = 0; g < goals.length; g++) {
    const robot = robotAt[floor + goals[g]]
    if (robot === 0) continue
    const i = first + robot - 1
    const shelf = load[i] - 1
    if (shelf < 0 || place[lane * shelves + shelf] === 0) continue
    replaceRequest(state, port, lane, shelf)
    outcome[i] |= DELIVERED
    tally[lane * TALLIES + DELIVERIES]++
    tally[inactive] = 0
    if (plan.reward === 'global') for (let m = first; m < first + robots; m++) port.reward[m] += 1
    else if (plan.reward === 'individual') port.reward[i] += 1
    else {
      port.reward[i] += 0.5
      credited[i] = 1
    }
  }
}

/** Takes a delivered shelf out of the queue; the k-th unrequested shelf takes its place, k uniform. */
function replaceRequest(state: WarehouseState, port: Port, lane: number, shelf: number): void {
  const { plan, shelfCell, queue, standing, place, seen, slotValue, seenCells, seenOf } = state
  const { shelves, requests, layout } = plan
  const firstShelf = lane * shelves
  const draws = (lane * port.streams + REQUESTS) * GENERATOR_WORDS
  let left = nextBelow(port.random, draws, shelves - requests)
  let drawn = 0
  while (place[firstShelf + drawn] !== 0 || left-- > 0) drawn++
  const at = place[firstShelf + shelf]
  place[firstShelf + shelf] = 0
  place[firstShelf + drawn] = at
  queue[lane * requests + at - 1] = drawn
  seen[lane * seenCells + seenOf[shelfCell[firstShelf + shelf]]] &= ~REQUESTED
  const spot = shelfCell[firstShelf + drawn]
  seen[lane * seenCells + seenOf[spot]] |= REQUESTED
  if (standing[lane * layout.cells + spot] === drawn + 1) slotValue[firstShelf + layout.slotOf[spot]] = 1
}

/** Totals of the episode, and the only ending that the rules know: too long without a delivery. */
function keepCount(state: WarehouseState, port: Port, lane: number): void {
  const { plan, outcome, stood, tally } = state
  const { robots, inactivityLimit } = plan
  const row = lane * TALLIES
  let blocked = 0
  let idle = 0
  let still = 0
  for (let i = lane * robots; i < (lane + 1) * robots; i++) {
    const what = outcome[i] & 7
    if (what >= MOVED) {
      stood[i] = 0
      continue
    }
    if (what <= BLOCKED) idle++
    if (what === BLOCKED) blocked++
    if (what === BLOCKED || stood[i] > 0) {
      if (stood[i] < 255) stood[i]++
      if (stood[i] >= STANDSTILL_STEPS) still++
    }
  }
  tally[row + BLOCKED_MOVES] += blocked
  tally[row + IDLE_TIME] += idle
  tally[row + STANDSTILL_TIME] += still
  port.terminated[lane] = inactivityLimit > 0 && tally[row + INACTIVE] >= inactivityLimit ? 1 : 0
}
