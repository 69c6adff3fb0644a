/**
 * One step of level-based foraging: lbforaging 2.0.0 `ForagingEnv.step` (Christianos, Schäfer, Albrecht 2020), re-written
 * for B lanes, quirks included unless `strict`.
 *
 * Deliberate differences: groups of loaders are formed in the order of player numbers (the original pops a hash set of
 * objects; it only matters where somebody stands between two items, which no start makes); items on the edge can be
 * loaded (the original crashes; no start puts them there); the time limit belongs to the core and truncates by default.
 */
import { type Port } from '../core/types.ts'
import { type Plan } from './options.ts'
import {
  BLOCKED,
  BLOCKED_MOVES,
  FAILED,
  FAILED_LOADS,
  GONE,
  INVALID,
  JOINT_LOADS,
  LOAD,
  LOADED,
  MOVED,
  NONE,
  showFood,
  STOOD,
  TAKEN,
  TAKEN_ITEMS,
  TAKEN_LEVELS,
  TALLIES,
  type ForagingState,
} from './state.ts'

/** Scratch of one batch. Nothing here outlives a step. */
export interface Scratch {
  readonly target: Int32Array // [M] cell each player claims
  readonly claimed: Uint8Array // [C] number of claims; zeros between steps
  readonly loader: Int32Array // [M] indices of players that load, in player order
  readonly body: Uint8Array // [C] player + 1 (strict); zeros between steps
  readonly moves: Uint8Array // [M] (strict)
}

export function createScratch(plan: Plan): Scratch {
  const { players, cells } = plan
  return {
    target: new Int32Array(players),
    claimed: new Uint8Array(cells),
    loader: new Int32Array(players),
    body: new Uint8Array(cells),
    moves: new Uint8Array(players),
  }
}

/**
 * Plays `port.action` in the listed lanes. Order within a step: validity from the state before it, movement, loading
 * (loaders did not move), the end. Writes `port.reward` [B, M] and `port.terminated` [B].
 */
export function step(state: ForagingState, scratch: Scratch, port: Port, lanes: Int32Array, count: number): void {
  const { plan, cell, outcome, tried, foodStatus, slotAt, left, tally } = state
  const { target, claimed, loader } = scratch
  const { action, reward, terminated } = port
  const { players, foods, cells, claims, strict } = plan
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const first = lane * players
    const field = lane * cells
    for (let f = lane * foods; f < (lane + 1) * foods; f++) if (foodStatus[f] === TAKEN) foodStatus[f] = GONE

    // What everybody claims: movers their target, the others their own cell.
    let loaders = 0
    let movers = 0
    for (let n = 0; n < players; n++) {
      const i = first + n
      const choice = action[i]
      const here = cell[i]
      let to = claims[here * 6 + choice]
      reward[i] = 0
      tried[i] = 0
      if (choice === NONE) outcome[i] = STOOD
      else if (choice === LOAD) {
        if (foodBeside(claims, slotAt, field, here) !== 0) loader[loaders++] = i
        else outcome[i] = INVALID
      } else if (to === here) outcome[i] = INVALID
      else if (slotAt[field + to] !== 0) {
        outcome[i] = INVALID
        to = here
      } else {
        outcome[i] = BLOCKED // unless it gets there
        movers++
      }
      target[n] = to
      claimed[to]++
    }

    if (movers > 0) {
      let blocked = movers
      if (strict) blocked -= moveStrictly(state, scratch, lane)
      else {
        // A claim without rival is granted, whatever becomes of whoever is in that cell: so swaps succeed, and two
        // players can come to share a cell.
        for (let n = 0; n < players; n++) {
          const i = first + n
          if (outcome[i] !== BLOCKED || claimed[target[n]] !== 1) continue
          cell[i] = target[n]
          outcome[i] = MOVED
          blocked--
        }
      }
      tally[lane * TALLIES + BLOCKED_MOVES] += blocked
    }
    for (let n = 0; n < players; n++) claimed[target[n]] = 0

    if (loaders > 0) load(state, scratch, port, lane, loaders)
    terminated[lane] = left[lane] === 0 ? 1 : 0
  }
}

/** Slot + 1 of the food beside a cell, searched north, south, west, east; 0 none. */
export function foodBeside(claims: Uint16Array, slotAt: Uint8Array, field: number, here: number): number {
  const at = here * 6
  return (
    slotAt[field + claims[at + 1]] ||
    slotAt[field + claims[at + 2]] ||
    slotAt[field + claims[at + 3]] ||
    slotAt[field + claims[at + 4]]
  )
}

/**
 * Movement with solid bodies: nobody enters a cell that two want, nobody trades places, and nobody enters a cell whose
 * player stays for whatever reason. Queues and rings of four and more move as one. Independent of player numbers.
 * @returns how many move
 */
function moveStrictly(state: ForagingState, scratch: Scratch, lane: number): number {
  const { plan, cell, outcome } = state
  const { target, claimed, body, moves } = scratch
  const { players } = plan
  const first = lane * players
  for (let n = 0; n < players; n++) {
    body[cell[first + n]] = n + 1
    // The claim of whoever stays counts too: a cell that one holds and another wants has two.
    moves[n] = outcome[first + n] === BLOCKED && claimed[target[n]] === 1 ? 1 : 0
  }
  for (let n = 0; n < players; n++) {
    const there = body[target[n]] - 1
    if (there >= 0 && there !== n && target[there] === cell[first + n]) moves[n] = 0
  }
  for (let changed = true; changed;) {
    changed = false
    for (let n = 0; n < players; n++) {
      const there = body[target[n]] - 1
      if (moves[n] === 0 || there < 0 || moves[there] === 1) continue
      moves[n] = 0
      changed = true
    }
  }
  let moving = 0
  for (let n = 0; n < players; n++) body[cell[first + n]] = 0
  for (let n = 0; n < players; n++) {
    if (moves[n] === 0) continue
    cell[first + n] = target[n]
    outcome[first + n] = MOVED
    moving++
  }
  return moving
}

/**
 * Loads item by item. A group is all loaders beside the item that belong to none yet. Together too weak, each pays the
 * penalty; otherwise the item is gone and each gets the share of its level.
 */
function load(state: ForagingState, scratch: Scratch, port: Port, lane: number, loaders: number): void {
  const { plan, cell, level, outcome, tried, foodCell, foodLevel, foodStatus, spawned, slotAt, left, tally } = state
  const { loader } = scratch
  const { reward } = port
  const { foods, cells, claims, normalised, penalty } = plan
  const row = lane * TALLIES
  for (let a = 0; a < loaders; a++) {
    if (tried[loader[a]] !== 0) continue
    const slot = foodBeside(claims, slotAt, lane * cells, cell[loader[a]])
    const item = lane * foods + slot - 1
    const around = foodCell[item] * 6
    let strength = 0
    let size = 0
    for (let b = a; b < loaders; b++) {
      const i = loader[b]
      const here = cell[i]
      const beside =
        here === claims[around + 1] ||
        here === claims[around + 2] ||
        here === claims[around + 3] ||
        here === claims[around + 4]
      if (!beside || tried[i] !== 0) continue
      tried[i] = slot
      strength += level[i]
      size++
    }
    const weight = foodLevel[item]
    const enough = strength >= weight
    for (let b = a; b < loaders; b++) {
      const i = loader[b]
      if (tried[i] !== slot) continue
      outcome[i] = enough ? LOADED : FAILED
      if (!enough)
        reward[i] = 0 - penalty // never -0
      else reward[i] = normalised ? (level[i] * weight) / (strength * spawned[lane]) : level[i] * weight
    }
    if (!enough) {
      tally[row + FAILED_LOADS]++
      continue
    }
    foodStatus[item] = TAKEN
    slotAt[lane * cells + foodCell[item]] = 0
    left[lane]--
    tally[row + TAKEN_ITEMS]++
    tally[row + TAKEN_LEVELS] += weight
    if (size > 1) tally[row + JOINT_LOADS]++
    showFood(state, lane)
  }
}

/** Writes `port.alive` (nobody dies) and `port.mask` [B, M, 6]: moves inside the field and not into food, load beside food, none always. */
export function legal(state: ForagingState, port: Port, lanes: Int32Array, count: number): void {
  const { plan, cell, slotAt } = state
  const { players, cells, claims } = plan
  const { mask, alive } = port
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const field = lane * cells
    for (let i = lane * players; i < (lane + 1) * players; i++) {
      const here = cell[i]
      alive[i] = 1
      mask[i * 6] = 1
      for (let move = 1; move < LOAD; move++) {
        const to = claims[here * 6 + move]
        mask[i * 6 + move] = to !== here && slotAt[field + to] === 0 ? 1 : 0
      }
      mask[i * 6 + LOAD] = foodBeside(claims, slotAt, field, here) !== 0 ? 1 : 0
    }
  }
}
