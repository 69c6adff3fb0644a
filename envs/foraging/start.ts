/** The start of an episode. */
import { GENERATOR_WORDS, nextBelow } from '../core/random.ts'
import { ABSENT, PRESENT, showFood, TALLIES, type ForagingState } from './state.ts'

/** Generator streams, in port order. */
export const STREAMS = ['players', 'foods'] as const
export const PLAYERS = 0
export const FOODS = 1

/** Scratch of one batch for starts. */
export interface Start {
  readonly playerOrder: Int32Array // [M] which bounds each player gets
  readonly foodOrder: Int32Array // [K] which bounds each item gets
  readonly taken: Uint8Array // [C] 1 on the edge, plus BODY or NEAR
}

/** Why a cell is not free, beside the edge: a player is there, or food is near. */
const BODY = 2
const NEAR = 4

/** Cells around an item where no other may be, as rows and columns away: the block around it, the tips of a diamond. */
const AROUND = Int8Array.of(
  ...[-2, 0, -1, -1, -1, 0, -1, 1, 0, -2, 0, -1, 0, 0],
  ...[0, 1, 0, 2, 1, -1, 1, 0, 1, 1, 2, 0],
)

export function createStart(state: ForagingState): Start {
  const { players, foods, cells } = state.plan
  return {
    playerOrder: Int32Array.from({ length: players }, (_, n) => n),
    foodOrder: Int32Array.from({ length: foods }, (_, f) => f),
    taken: new Uint8Array(cells),
  }
}

/**
 * Players on distinct cells, uniform over the whole field, with levels uniform between their bounds, inclusive; then
 * items (lbforaging 2.0.0 `reset`, with two streams instead of one). Ours, where the original would play an episode
 * without any food or give up after 1,000 tries: the draw is repeated until at least one item has room, and goes on as
 * long as there is room at all.
 * @param random [B, streams, 4] generator words
 */
export function start(
  state: ForagingState,
  scratch: Start,
  lanes: Int32Array,
  count: number,
  random: Uint32Array,
  streams: number,
): void {
  const { plan, outcome, tried, tally } = state
  const { players } = plan
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    do placePlayers(state, scratch, lane, random, (lane * streams + PLAYERS) * GENERATOR_WORDS)
    while (!placeFoods(state, scratch, lane, random, (lane * streams + FOODS) * GENERATOR_WORDS))
    for (let i = lane * players; i < (lane + 1) * players; i++) outcome[i] = tried[i] = 0
    for (let t = lane * TALLIES; t < (lane + 1) * TALLIES; t++) tally[t] = 0
  }
}

/** Fisher–Yates, in place. */
function shuffle(order: Int32Array, random: Uint32Array, at: number): void {
  for (let i = order.length - 1; i > 0; i--) {
    const j = nextBelow(random, at, i + 1)
    const kept = order[i]
    order[i] = order[j]
    order[j] = kept
  }
}

function placePlayers(state: ForagingState, scratch: Start, lane: number, random: Uint32Array, at: number): void {
  const { plan, cell, level } = state
  const { cells, edge, players, minPlayerLevel, maxPlayerLevel, playerBoundsDiffer } = plan
  const { playerOrder, taken } = scratch
  if (playerBoundsDiffer) {
    for (let n = 0; n < players; n++) playerOrder[n] = n // the order must not depend on other lanes' episodes
    shuffle(playerOrder, random, at)
  }
  taken.set(edge)
  for (let n = 0; n < players; n++) {
    const i = lane * players + n
    // Drawing again until a cell is free gives every ordered choice of distinct cells the same chance.
    let here = nextBelow(random, at, cells)
    while (taken[here] >= BODY) here = nextBelow(random, at, cells)
    taken[here] |= BODY
    cell[i] = here
    const low = minPlayerLevel[playerOrder[n]]
    level[i] = low + nextBelow(random, at, maxPlayerLevel[playerOrder[n]] - low + 1)
  }
}

/** Sum of the three lowest player levels of a lane, of all where there are fewer. */
function automaticMaximum(state: ForagingState, lane: number): number {
  const { level, plan } = state
  let first = 1 << 20
  let second = first
  let third = first
  for (let i = lane * plan.players; i < (lane + 1) * plan.players; i++) {
    const own = level[i]
    if (own < first) {
      third = second
      second = first
      first = own
    } else if (own < second) {
      third = second
      second = own
    } else if (own < third) third = own
  }
  return plan.players === 1 ? first : plan.players === 2 ? first + second : first + second + third
}

/**
 * Items on cells off the edge, none in the eight cells around another nor two cells away in its row or column, none on
 * players. @returns false where not even one has room
 */
function placeFoods(state: ForagingState, scratch: Start, lane: number, random: Uint32Array, at: number): boolean {
  const { plan, cell, foodCell, foodLevel, foodStatus, slotAt, spawned, left } = state
  const { rows, columns, cells, players, foods, minFoodLevel, maxFoodLevel, foodBoundsDiffer, cooperative } = plan
  const { foodOrder, taken } = scratch
  const field = lane * cells
  const slots = lane * foods
  if (foodBoundsDiffer) {
    for (let f = 0; f < foods; f++) foodOrder[f] = f
    shuffle(foodOrder, random, at)
  }
  const most = maxFoodLevel === null ? automaticMaximum(state, lane) : 0
  slotAt.fill(0, field, field + cells)
  let room = (rows - 2) * (columns - 2)
  for (let i = lane * players; i < (lane + 1) * players; i++) if (taken[cell[i]] === BODY) room--
  let placed = 0
  let total = 0
  while (placed < foods && room > 0) {
    const row = 1 + nextBelow(random, at, rows - 2)
    const column = 1 + nextBelow(random, at, columns - 2)
    const here = row * columns + column
    if (taken[here] !== 0) continue
    const high = maxFoodLevel === null ? most : maxFoodLevel[foodOrder[placed]]
    const low = cooperative ? high : minFoodLevel[foodOrder[placed]]
    const heavy = low + nextBelow(random, at, high - low + 1)
    total += heavy
    let k = slots + placed++
    for (; k > slots && foodCell[k - 1] > here; k--) {
      foodCell[k] = foodCell[k - 1]
      foodLevel[k] = foodLevel[k - 1]
    }
    foodCell[k] = here
    foodLevel[k] = heavy
    for (let a = 0; a < AROUND.length; a += 2) {
      const r = row + AROUND[a]
      const c = column + AROUND[a + 1]
      if (r < 0 || c < 0 || r >= rows || c >= columns) continue // a tip beyond the edge
      const spot = r * columns + c
      if (taken[spot] === 0) {
        taken[spot] = NEAR
        room--
      }
    }
  }
  for (let f = 0; f < foods; f++) {
    const k = slots + f
    foodStatus[k] = f < placed ? PRESENT : ABSENT
    if (f < placed) slotAt[field + foodCell[k]] = f + 1
    else foodCell[k] = foodLevel[k] = 0
  }
  spawned[lane] = total
  left[lane] = placed
  showFood(state, lane)
  return placed > 0
}
