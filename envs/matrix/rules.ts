/** The rules: everybody chooses at once, the table pays, and a game of several states moves on. */
import { GENERATOR_WORDS, nextFloat } from '../core/index.ts'
import { type Game } from './games.ts'
import { type MatrixState } from './state.ts'

/** What the rules read of a game, as typed arrays. */
export interface Tables {
  /** [M] number of actions of each player. */
  readonly sizes: Int32Array
  /** [O, M] what each player gets for each outcome. */
  readonly payoff: Float32Array
  /** [O, metrics] what each outcome adds to the running sums. */
  readonly metrics: Float64Array
  /** [K, C] the next state where it is certain, else -1; empty with one state, as the three below. */
  readonly certain: Int32Array
  /** [K, C, K] running sums of the chances of the next states. */
  readonly chances: Float64Array
  /** The first state where it is certain, else -1. */
  readonly first: number
  /** [K] running sums of the chances of the first states. */
  readonly start: Float64Array
  /** [K] 1 where the round is the last. */
  readonly last: Uint8Array
  /** True when moves or the first state need chance. */
  readonly chance: boolean
}

/** Running sums of each row of `width` chances. */
function runningSums(chances: Float64Array, width: number): Float64Array {
  const sums = Float64Array.from(chances)
  for (let i = 0; i < sums.length; i++) if (i % width > 0) sums[i] += sums[i - 1]
  return sums
}

/** The state that has chance one in each row, -1 in rows without one. */
function certainties(chances: Float64Array, width: number): Int32Array {
  return Int32Array.from({ length: chances.length / width }, (_, row) =>
    chances.subarray(row * width, (row + 1) * width).indexOf(1),
  )
}

/** @param metrics [O, metrics] value of every metric for every outcome */
export function tablesOf(game: Game, metrics: Float64Array): Tables {
  const { stages } = game
  const K = stages?.names.length ?? 1
  const none = new Float64Array(0)
  const certain = stages === undefined ? new Int32Array(0) : certainties(stages.transition, K)
  return {
    sizes: Int32Array.from(game.actions, (names) => names.length),
    payoff: Float32Array.from(stages?.reward ?? game.payoff),
    metrics,
    certain,
    chances: stages === undefined ? none : runningSums(stages.transition, K),
    first: stages?.start.indexOf(1) ?? 0,
    start: stages === undefined ? none : runningSums(stages.start, K),
    last: stages?.last ?? new Uint8Array(0),
    chance: certain.includes(-1) || (stages !== undefined && !stages.start.includes(1)),
  }
}

/**
 * The state drawn from running sums, one 24-bit number per draw. A number beyond the last sum, which decimals may leave a
 * hair below one, is the last state that has a chance.
 */
function drawState(sums: Float64Array, from: number, states: number, random: Uint32Array, at: number): number {
  const x = nextFloat(random, at)
  for (let state = 0; state < states - 1; state++) if (x < sums[from + state]) return state
  let state = states - 1
  while (state > 0 && sums[from + state] === sums[from + state - 1]) state--
  return state
}

/** Starts the listed lanes: nothing chosen yet, nothing counted. */
export function start(
  state: MatrixState,
  tables: Tables,
  random: Uint32Array,
  streams: number,
  lanes: Int32Array,
  count: number,
): void {
  const { last, earlier, place, outcome, counts, sums, outcomes, memory, states } = state
  const counted = counts.length > 0
  const width = sums.length / state.lanes
  const { first, start: chances } = tables
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    last[lane] = -1
    if (counted) for (let i = lane * outcomes; i < (lane + 1) * outcomes; i++) counts[i] = 0
    else for (let i = lane * width; i < (lane + 1) * width; i++) sums[i] = 0
    for (let i = lane * (memory - 1); i < (lane + 1) * (memory - 1); i++) earlier[i] = -1
    if (outcome.length === 0) continue
    outcome[lane] = -1
    if (states === 1) continue
    place[lane] = first < 0 ? drawState(chances, 0, states, random, lane * streams * GENERATOR_WORDS) : first
  }
}

/**
 * One round of a game in normal form in the listed lanes. The rules never end an episode; the horizon does.
 * @param action [B, M] one choice per player; already checked
 * @param reward [B, M] overwritten
 * @param terminated [B] overwritten with 0
 */
export function playRound(
  state: MatrixState,
  tables: Tables,
  action: Int32Array,
  reward: Float32Array,
  terminated: Uint8Array,
  lanes: Int32Array,
  count: number,
): void {
  const { players, cells, last, counts, memory } = state
  const { sizes, payoff } = tables
  const counted = counts.length > 0
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const row = lane * players
    let cell = 0
    for (let player = 0; player < players; player++) cell = cell * sizes[player] + action[row + player]
    if (memory > 1) remember(state, lane)
    last[lane] = cell
    if (counted) counts[lane * cells + cell]++
    else addMetrics(state, tables, lane, cell)
    for (let player = 0; player < players; player++) reward[row + player] = payoff[cell * players + player]
    terminated[lane] = 0
  }
}

/** `playRound` for two players whose outcomes are counted, without memory: the same in straight lines. */
export function playPair(
  state: MatrixState,
  tables: Tables,
  action: Int32Array,
  reward: Float32Array,
  terminated: Uint8Array,
  lanes: Int32Array,
  count: number,
): void {
  const { cells, last, counts } = state
  const { payoff } = tables
  const columns = tables.sizes[1]
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const row = lane * 2
    const cell = action[row] * columns + action[row + 1]
    last[lane] = cell
    counts[lane * cells + cell]++
    reward[row] = payoff[cell * 2]
    reward[row + 1] = payoff[cell * 2 + 1]
    terminated[lane] = 0
  }
}

/**
 * One round of a stochastic game: the state's table is played, then the game moves on, with one draw where the next state
 * is not certain. A round in a state marked as last ends the episode.
 */
export function playStage(
  state: MatrixState,
  tables: Tables,
  action: Int32Array,
  reward: Float32Array,
  terminated: Uint8Array,
  random: Uint32Array,
  streams: number,
  lanes: Int32Array,
  count: number,
): void {
  const { players, cells, states, outcomes, last, place, outcome, counts, memory } = state
  const { sizes, payoff, certain, chances } = tables
  const counted = counts.length > 0
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const row = lane * players
    let cell = 0
    for (let player = 0; player < players; player++) cell = cell * sizes[player] + action[row + player]
    const here = states === 1 ? 0 : place[lane]
    const from = here * cells + cell
    let next = certain[from]
    if (next < 0) next = drawState(chances, from * states, states, random, lane * streams * GENERATOR_WORDS)
    const what = from * states + next
    if (memory > 1) remember(state, lane)
    last[lane] = cell
    outcome[lane] = what
    if (counted) counts[lane * outcomes + what]++
    else addMetrics(state, tables, lane, what)
    for (let player = 0; player < players; player++) reward[row + player] = payoff[what * players + player]
    if (states > 1) place[lane] = next
    terminated[lane] = tables.last[here]
  }
}

/** Moves what was played one round further into the past. */
function remember(state: MatrixState, lane: number): void {
  const { earlier, last } = state
  const width = state.memory - 1
  const row = lane * width
  for (let i = width - 1; i > 0; i--) earlier[row + i] = earlier[row + i - 1]
  earlier[row] = last[lane]
}

function addMetrics(state: MatrixState, tables: Tables, lane: number, outcome: number): void {
  const { sums } = state
  const width = sums.length / state.lanes
  for (let m = 0; m < width; m++) sums[lane * width + m] += tables.metrics[outcome * width + m]
}
