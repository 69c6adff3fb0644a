/** What players and central critics see. Everything depends on the last joint action alone, so it is tabulated once. */
import { type Feature, type Port } from '../core/index.ts'
import { actionsOf, type Game } from './games.ts'
import { type MatrixState } from './state.ts'

export type ObservationKind = 'none' | 'last'

/** One constant feature rather than none: libraries and networks choke on zero-size spaces. */
const CONSTANT: Feature = { name: 'constant', low: 0, high: 1, meaning: 'always 1; the player is told nothing' }

/** Players in the order in which `player` sees them: itself first, then the others upwards, cyclically. */
function seenBy(player: number, players: number): number[] {
  return Array.from({ length: players }, (_, k) => (player + k) % players)
}

/** Names of one player's observation features, in order. */
export function observationFeatures(game: Game, kind: ObservationKind, player: number): Feature[] {
  if (kind === 'none') return [CONSTANT]
  const players = game.actions.length
  return seenBy(player, players).flatMap((seen, k) => {
    const who = k === 0 ? 'own' : players === 2 ? 'other' : `other${k}`
    const whom = k === 0 ? 'I' : players === 2 ? 'the other' : `agent_${seen}`
    return game.actions[seen].map((action) => ({
      name: `${who}.${action}`,
      low: 0,
      high: 1,
      meaning: `1 when ${whom} chose ${action} in the round before; 0 in the first round`,
    }))
  })
}

/** Names of the global state features: the last joint action, one-hot, in player order. */
export function stateFeatures(game: Game): Feature[] {
  return game.actions.flatMap((names, player) =>
    names.map((action) => ({
      name: `agent_${player}.${action}`,
      low: 0,
      high: 1,
      meaning: `1 when agent_${player} chose ${action} in the round before; 0 in the first round`,
    })),
  )
}

/** One-hot choices of the listed players after one another; zeros when nothing was played (cell -1). */
function oneHots(game: Game, cell: number, order: readonly number[]): number[] {
  const choices = cell < 0 ? undefined : actionsOf(game, cell)
  return order.flatMap((player) => game.actions[player].map((_, action) => (choices?.[player] === action ? 1 : 0)))
}

/**
 * A writer of observations and states for the listed lanes.
 * The tables have one row per last joint action; row 0 stands for "nothing played yet".
 */
export function createObserver(game: Game, kind: ObservationKind, state: MatrixState, port: Port) {
  const { observation, observationSize: F, state: globalState, stateSize: S, seats } = port
  const N = seats.length
  const players = game.actions.length
  const width = N * F
  const seen = new Float32Array((game.cells + 1) * width) // [C + 1, N, F]
  const known = new Float32Array((game.cells + 1) * S) // [C + 1, S]
  for (let row = 0; row <= game.cells; row++) {
    seats.forEach((player, n) => {
      seen.set(kind === 'none' ? [1] : oneHots(game, row - 1, seenBy(player, players)), row * width + n * F)
    })
    known.set(oneHots(game, row - 1, seenBy(0, players)), row * S)
  }
  const { last } = state
  return (lanes: Int32Array, count: number): void => {
    copyRows(seen, observation, width, last, lanes, count)
    copyRows(known, globalState, S, last, lanes, count)
  }
}

/**
 * Copies table row `last[lane] + 1` to row `lane` of `into` for the listed lanes; both are `width` wide.
 * Two tables in two loops: one loop over both was a third slower.
 */
function copyRows(
  table: Float32Array,
  into: Float32Array,
  width: number,
  last: Int32Array,
  lanes: Int32Array,
  count: number,
): void {
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    let from = (last[lane] + 1) * width
    let to = lane * width
    for (const end = to + width; to < end;) into[to++] = table[from++]
  }
}
