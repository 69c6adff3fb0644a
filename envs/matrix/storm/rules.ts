/**
 * STORM for two (JaxMARL, storm_2p.py at 28f272a): a matrix game embedded in space. Players walk a walled grid, gather coins
 * of two types, and interact by a beam; an interaction pays r_i = x1 M_i x2 with x the shares of the two types in each
 * inventory. Both then freeze with inventories shown, and the grid starts over without ending the episode.
 *
 * Cells are x * 8 + y with y growing downwards, as JaxMARL's (x, y); headings 0 down, 1 right, 2 up, 3 left, so that "left"
 * turns a player to its left on the screen.
 */
import { GENERATOR_WORDS, nextBelow } from '../../core/index.ts'

export const SIDE = 8
export const CELLS = SIDE * SIDE
/** Coins of each type. */
export const COINS = 6
/** Side of the square a player sees. */
export const SIGHT = 5

export const ACTIONS = ['left', 'right', 'forward', 'interact', 'stay'] as const
const LEFT = 0
const RIGHT = 1
const FORWARD = 2
const INTERACT = 3
const STAY = 4

/** Steps by heading: JaxMARL's STEP, (0, 1), (1, 0), (0, -1), (-1, 0). */
export const X_STEP = Int8Array.of(0, 1, 0, -1)
export const Y_STEP = Int8Array.of(1, 0, -1, 0)

/** Contents of cells that are no players. */
export const EMPTY = 0
export const COIN_A = 1
export const COIN_B = 2

/** Where coins lie, (x, y), in JaxMARL's order; even entries are of one type, odd ones of the other. */
const COIN_PLACES = [
  [1, 1], [1, 2], [2, 1], [1, 6], [2, 6], [1, 5],
  [6, 2], [5, 1], [6, 1], [6, 6], [6, 5], [5, 6],
].map(([x, y]) => x * SIDE + y) // prettier-ignore

/** Starts (j, i) of the first player from JaxMARL's list of (i, j); the second stands opposite, (7 - j, 7 - i). */
const START_PLACES = [
  [0, 0], [0, 1], [0, 2], [1, 0], [1, 2], [0, 7], [0, 6], [0, 5], [1, 7],
  [7, 0], [7, 1], [7, 2], [6, 0], [7, 7], [7, 6], [7, 5], [6, 7], [6, 5],
].map(([i, j]) => j * SIDE + i) // prettier-ignore

export interface StormRules {
  /** [2, 2, 2] what each player gets, by the types that count for the first and the second. */
  readonly payoff: Float64Array
  /** Steps that an interaction freezes both. */
  readonly freeze: number
  /** Coins are dealt anew over their places at every episode; else even places are of the first type. */
  readonly shuffled: boolean
  /** Headings are drawn among all four; JaxMARL draws among the first three. */
  readonly allHeadings: boolean
}

/** State of B lanes. */
export interface StormState {
  readonly lanes: number // B
  readonly at: Int32Array // [B, 2] cell
  readonly heading: Uint8Array // [B, 2]
  readonly inventory: Int32Array // [B, 2, 2] coins held: by player, of type
  readonly place: Uint8Array // [B, 64] EMPTY, COIN_A or COIN_B
  readonly home: Uint8Array // [B, 64] where coins lie when the grid starts over
  readonly frozen: Int32Array // [B] steps still frozen, -1 = free
  readonly beam: Uint8Array // [B, 64] 1 where a beam of the last step shows
  readonly met: Int32Array // [B] interactions of the episode
  readonly shares: Float64Array // [B, 2] sum over interactions of each player's share of the first type
  readonly interacted: Uint8Array // [B] 1 when the last step was an interaction
}

export function createState(lanes: number): StormState {
  return {
    lanes,
    at: new Int32Array(lanes * 2),
    heading: new Uint8Array(lanes * 2),
    inventory: new Int32Array(lanes * 4),
    place: new Uint8Array(lanes * CELLS),
    home: new Uint8Array(lanes * CELLS),
    frozen: new Int32Array(lanes).fill(-1),
    beam: new Uint8Array(lanes * CELLS),
    met: new Int32Array(lanes),
    shares: new Float64Array(lanes * 2),
    interacted: new Uint8Array(lanes),
  }
}

const dealt = new Uint8Array(COIN_PLACES.length)

/** A new episode: coins dealt, then players put down. */
export function start(
  state: StormState,
  rules: StormRules,
  random: Uint32Array,
  streams: number,
  lanes: Int32Array,
  count: number,
): void {
  const { home, beam, met, shares, interacted } = state
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const at = lane * streams * GENERATOR_WORDS
    for (let c = 0; c < CELLS; c++) {
      home[lane * CELLS + c] = EMPTY
      beam[lane * CELLS + c] = 0
    }
    // even places are JaxMARL's RED_SPAWN; with fixed coins its draw always makes those the second type
    for (let c = 0; c < COIN_PLACES.length; c++) dealt[c] = c % 2 === 0 ? COIN_B : COIN_A
    if (rules.shuffled) {
      for (let c = COIN_PLACES.length - 1; c > 0; c--) {
        const other = nextBelow(random, at, c + 1)
        const kept = dealt[c]
        dealt[c] = dealt[other]
        dealt[other] = kept
      }
    }
    for (let c = 0; c < COIN_PLACES.length; c++) home[lane * CELLS + COIN_PLACES[c]] = dealt[c]
    met[lane] = 0
    shares[lane * 2] = 0
    shares[lane * 2 + 1] = 0
    interacted[lane] = 0
    putDown(state, rules, lane, random, at, false)
  }
}

/**
 * Coins home, inventories empty, players on opposite starts with headings of their own. Some starts are places of coins:
 * at the start of an episode the coin lies under the player, who takes it unless it walks off; after a thaw it is gone.
 */
function putDown(
  state: StormState,
  rules: StormRules,
  lane: number,
  random: Uint32Array,
  at: number,
  again: boolean,
): void {
  const { place, home, inventory, heading, frozen } = state
  for (let c = lane * CELLS; c < (lane + 1) * CELLS; c++) place[c] = home[c]
  for (let i = lane * 4; i < lane * 4 + 4; i++) inventory[i] = 0
  const first = START_PLACES[nextBelow(random, at, START_PLACES.length)]
  state.at[lane * 2] = first
  state.at[lane * 2 + 1] = CELLS - 1 - first
  for (let n = 0; n < 2; n++) heading[lane * 2 + n] = nextBelow(random, at, rules.allHeadings ? 4 : 3)
  if (again) for (let n = 0; n < 2; n++) place[lane * CELLS + state.at[lane * 2 + n]] = EMPTY
  frozen[lane] = -1
}

/** The cell at (x, y), or where the wall stops one on the way there. */
function clipped(x: number, y: number): number {
  const i = x < 0 ? 0 : x >= SIDE ? SIDE - 1 : x
  const j = y < 0 ? 0 : y >= SIDE ? SIDE - 1 : y
  return i * SIDE + j
}

/** Writes the four cells of a beam: one ahead, two ahead, and the two beside the first. */
export function beamCells(at: number, heading: number, out: Int32Array): void {
  const x = (at / SIDE) | 0
  const y = at % SIDE
  const dx = X_STEP[heading]
  const dy = Y_STEP[heading]
  out[0] = clipped(x + dx, y + dy)
  out[1] = clipped(x + 2 * dx, y + 2 * dy)
  for (let side = 0; side < 2; side++) {
    const turn = (heading + (side === 0 ? 1 : 3)) & 3
    const i = x + dx + X_STEP[turn]
    const j = y + dy + Y_STEP[turn]
    // beside the wall the beam does not bend: it falls back to the cell ahead
    out[2 + side] = i < 0 || i >= SIDE || j < 0 || j >= SIDE ? out[0] : i * SIDE + j
  }
}

const before = new Int32Array(2)
const wanted = new Int32Array(2)
const chosen = new Int32Array(2)
const ray = new Int32Array(4)

/**
 * One step: frozen players stay; turns and moves at once, a cell two want goes to who stood there, else to either with
 * chance one half; coins are picked up; beams; an interaction pays and freezes; a thaw starts the grid over.
 */
export function step(
  state: StormState,
  rules: StormRules,
  action: Int32Array,
  reward: Float32Array,
  terminated: Uint8Array,
  random: Uint32Array,
  streams: number,
  lanes: Int32Array,
  count: number,
): void {
  const { at, heading, inventory, place, frozen, beam, met, shares, interacted } = state
  const { payoff, freeze } = rules
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const stream = lane * streams * GENERATOR_WORDS
    terminated[lane] = 0
    interacted[lane] = 0
    for (let n = 0; n < 2; n++) {
      const i = lane * 2 + n
      reward[i] = 0
      before[n] = at[i]
      chosen[n] = frozen[lane] > 0 ? STAY : action[i]
      wanted[n] = at[i]
      if (chosen[n] === LEFT) heading[i] = (heading[i] + 1) & 3
      else if (chosen[n] === RIGHT) heading[i] = (heading[i] + 3) & 3
      else if (chosen[n] === FORWARD) {
        wanted[n] = clipped(((at[i] / SIDE) | 0) + X_STEP[heading[i]], (at[i] % SIDE) + Y_STEP[heading[i]])
      }
    }
    if (wanted[0] === wanted[1]) {
      const moved0 = wanted[0] !== before[0]
      const moved1 = wanted[1] !== before[1]
      if (moved0 && !moved1) wanted[0] = before[0]
      else if (moved1 && !moved0) wanted[1] = before[1]
      else if (nextBelow(random, stream, 2) === 0) wanted[0] = before[0]
      else wanted[1] = before[1]
    }
    for (let n = 0; n < 2; n++) {
      const i = lane * 2 + n
      at[i] = wanted[n]
      const what = place[lane * CELLS + at[i]]
      if (what !== EMPTY) inventory[i * 2 + what - 1]++
    }
    // both have read before either clears, as two players never share a cell
    for (let n = 0; n < 2; n++) place[lane * CELLS + at[lane * 2 + n]] = EMPTY
    for (let c = lane * CELLS; c < (lane + 1) * CELLS; c++) beam[c] = 0
    let hit = false
    for (let n = 0; n < 2; n++) {
      if (chosen[n] !== INTERACT) continue
      const i = lane * 2 + n
      const other = at[lane * 2 + 1 - n]
      beamCells(at[i], heading[i], ray)
      for (let r = 0; r < 4; r++) {
        if (ray[r] === other) hit = true
        else if (ray[r] !== at[i] && place[lane * CELLS + ray[r]] === EMPTY) beam[lane * CELLS + ray[r]] = 1
      }
    }
    const a = inventory[lane * 4]
    const b = inventory[lane * 4 + 1]
    const c = inventory[lane * 4 + 2]
    const d = inventory[lane * 4 + 3]
    if (hit && a + b > 0 && c + d > 0) {
      const x = a / (a + b)
      const y = c / (c + d)
      for (let n = 0; n < 2; n++) {
        const m = n * 4
        reward[lane * 2 + n] =
          x * (payoff[m] * y + payoff[m + 1] * (1 - y)) + (1 - x) * (payoff[m + 2] * y + payoff[m + 3] * (1 - y))
      }
      interacted[lane] = 1
      met[lane]++
      shares[lane * 2] += x
      shares[lane * 2 + 1] += y
      frozen[lane] = freeze
    } else if (frozen[lane] > 0) {
      frozen[lane]--
      if (frozen[lane] === 0) putDown(state, rules, lane, random, stream, true)
    }
  }
}
