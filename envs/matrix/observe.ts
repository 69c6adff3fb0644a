/**
 * What players and central critics see: the state of the game (where it has several), then what was chosen in the rounds
 * before, newest first. What follows from one joint action is tabulated once, where the table is of a sensible size.
 */
import { type Feature, type Port } from '../core/index.ts'
import { actionsOf, statesOf, type Game } from './games.ts'
import { type OBSERVATIONS } from './options.ts'
import { type MatrixState } from './state.ts'

/** What the options say about observations. */
export interface View {
  readonly kind: (typeof OBSERVATIONS)[number]
  /** Rounds back that `last` shows. */
  readonly memory: number
  readonly hideState: boolean
}

/** One constant feature rather than none: libraries and networks choke on zero-size spaces. */
const CONSTANT: Feature = { name: 'constant', low: 0, high: 1, meaning: 'always 1; the player is told nothing' }

/** Largest table of observations by joint action, in numbers; games with more are written choice by choice. */
const TABULATED = 1 << 18

/** Players in the order in which `player` sees them: itself first, then the others upwards, cyclically. */
function seenBy(player: number, players: number): number[] {
  return Array.from({ length: players }, (_, k) => (player + k) % players)
}

const when = (back: number) => (back === 0 ? 'in the round before' : `${back + 1} rounds before`)
const ending = (back: number) => (back === 0 ? '' : `.${back + 1}`)

/** The features of one round, own choice first. */
function roundFeatures(game: Game, player: number, back: number): Feature[] {
  const players = game.actions.length
  return seenBy(player, players).flatMap((seen, k) => {
    const who = k === 0 ? 'own' : players === 2 ? 'other' : `other${k}`
    const whom = k === 0 ? 'I' : players === 2 ? 'the other' : `agent_${seen}`
    return game.actions[seen].map((action) => ({
      name: `${who}.${action}${ending(back)}`,
      low: 0,
      high: 1,
      meaning: `1 when ${whom} chose ${action} ${when(back)}; 0 in the first round${back === 0 ? '' : 's'}`,
    }))
  })
}

/** One feature per state of the game; none where it has one. */
function placeFeatures(game: Game): Feature[] {
  if (statesOf(game) === 1) return []
  return game.stages!.names.map((name) => ({
    name: `state.${name}`,
    low: 0,
    high: 1,
    meaning: `1 while the game is in state ${name}`,
  }))
}

/** Names of one player's observation features, in order. */
export function observationFeatures(game: Game, view: View, player: number): Feature[] {
  const place = view.hideState ? [] : placeFeatures(game)
  switch (view.kind) {
    case 'none':
      return place.length > 0 ? place : [CONSTANT]
    case 'last':
      return [...place, ...Array.from({ length: view.memory }, (_, back) => roundFeatures(game, player, back)).flat()]
    case 'uoe-none':
      return [
        ...place,
        ...game.actions.map((_, n) => ({
          name: `zero.${n}`,
          low: 0,
          high: 1,
          meaning: 'always 0, as in matrix-games',
        })),
      ]
    case 'uoe-last':
      return [
        ...place,
        ...stateFeaturesOfRound(game, 0).map((feature) => ({
          ...feature,
          low: -1,
          meaning: feature.meaning!.replace('0 in the first round', '-1 in the first round, as in matrix-games'),
        })),
      ]
  }
}

function stateFeaturesOfRound(game: Game, back: number): Feature[] {
  return game.actions.flatMap((names, player) =>
    names.map((action) => ({
      name: `agent_${player}.${action}${ending(back)}`,
      low: 0,
      high: 1,
      meaning: `1 when agent_${player} chose ${action} ${when(back)}; 0 in the first round${back === 0 ? '' : 's'}`,
    })),
  )
}

/** Names of the global state features: the game's state, then what was chosen, one-hot, in player order. */
export function stateFeatures(game: Game, view: View): Feature[] {
  const rounds = Array.from({ length: view.memory }, (_, back) => stateFeaturesOfRound(game, back))
  return [...placeFeatures(game), ...rounds.flat()]
}

/** One-hot choices of the listed players after one another; `nothing` when nothing was played (cell -1). */
function oneHots(game: Game, cell: number, order: readonly number[], nothing: number): number[] {
  const choices = cell < 0 ? undefined : actionsOf(game, cell)
  return order.flatMap((player) =>
    game.actions[player].map((_, action) => (choices === undefined ? nothing : choices[player] === action ? 1 : 0)),
  )
}

/** Writes the one-hot choices of one joint action (-1: none) to `into` from `at`. */
type RoundWriter = (into: Float32Array, at: number, cell: number) => void

/** A writer that copies rows of a table where that is small, else decodes the joint action. */
function roundWriter(game: Game, order: readonly number[], nothing: number): { width: number; write: RoundWriter } {
  const sizes = Int32Array.from(order, (player) => game.actions[player].length)
  const width = sizes.reduce((a, b) => a + b, 0)
  if ((game.cells + 1) * width <= TABULATED) {
    const table = new Float32Array((game.cells + 1) * width) // [C + 1, width], row 0 for "nothing played yet"
    for (let row = 0; row <= game.cells; row++) table.set(oneHots(game, row - 1, order, nothing), row * width)
    return {
      width,
      write(into, at, cell) {
        const from = (cell + 1) * width
        for (let i = 0; i < width; i++) into[at + i] = table[from + i]
      },
    }
  }
  const strides = Int32Array.from(order, (player) =>
    game.actions.slice(player + 1).reduce((product, names) => product * names.length, 1),
  )
  return {
    width,
    write(into, at, cell) {
      for (let i = 0; i < width; i++) into[at + i] = cell < 0 ? nothing : 0
      if (cell < 0) return
      let first = at
      for (let k = 0; k < sizes.length; k++) {
        into[first + (Math.floor(cell / strides[k]) % sizes[k])] = 1
        first += sizes[k]
      }
    },
  }
}

/** A writer of observations and states for the listed lanes. */
export function createObserver(game: Game, view: View, state: MatrixState, port: Port) {
  const plain = statesOf(game) === 1 && view.memory === 1
  const rows = (game.cells + 1) * (port.seats.length * port.observationSize + port.stateSize)
  return plain && rows <= TABULATED ? tabulated(game, view, state, port) : composed(game, view, state, port)
}

/** What one player sees of the last joint action alone, in a game of one state. */
function seenOf(game: Game, { kind }: View, player: number, cell: number): number[] {
  const players = game.actions.length
  if (kind === 'none') return [1]
  if (kind === 'uoe-none') return game.actions.map(() => 0)
  return kind === 'last' ? oneHots(game, cell, seenBy(player, players), 0) : oneHots(game, cell, seenBy(0, players), -1)
}

/**
 * Where everything depends on the last joint action alone.
 * The tables have one row per last joint action; row 0 stands for "nothing played yet".
 */
function tabulated(game: Game, view: View, state: MatrixState, port: Port) {
  const { observation, observationSize: F, state: globalState, stateSize: S, seats } = port
  const players = game.actions.length
  const width = seats.length * F
  const seen = new Float32Array((game.cells + 1) * width) // [C + 1, N, F]
  const known = new Float32Array((game.cells + 1) * S) // [C + 1, S]
  for (let row = 0; row <= game.cells; row++) {
    seats.forEach((player, n) => seen.set(seenOf(game, view, player, row - 1), row * width + n * F))
    known.set(oneHots(game, row - 1, seenBy(0, players), 0), row * S)
  }
  const { last } = state
  const copySeen = rowCopier(seen, observation, width)
  const copyKnown = rowCopier(known, globalState, S)
  return (lanes: Int32Array, count: number): void => {
    copySeen(last, lanes, count)
    copyKnown(last, lanes, count)
  }
}

/**
 * Copies table row `last[lane] + 1` to row `lane` of `into` for the listed lanes; both are `width` wide.
 * Two tables in two loops: one loop over both was a third slower.
 */
type RowCopier = (last: Int32Array, lanes: Int32Array, count: number) => void

/**
 * Numbers go in pairs, as one float64 each, where rows allow it: half the copies. Safe because a table holds only 0, 1 and
 * -1, no pair of which reads as a NaN (whose bits an engine may change).
 */
function rowCopier(table: Float32Array, into: Float32Array, width: number): RowCopier {
  const paired = width % 2 === 0 && into.byteOffset % 8 === 0 && table.byteOffset % 8 === 0
  if (!paired) return (last, lanes, count) => copyRows(table, into, width, last, lanes, count)
  const from = new Float64Array(table.buffer, table.byteOffset, table.length / 2)
  const to = new Float64Array(into.buffer, into.byteOffset, into.length / 2)
  if (width === 2) return (last, lanes, count) => copyOne(from, to, last, lanes, count)
  if (width === 4) return (last, lanes, count) => copyTwo(from, to, last, lanes, count)
  if (width === 8) return (last, lanes, count) => copyFour(from, to, last, lanes, count)
  return (last, lanes, count) => copyRows(from, to, width / 2, last, lanes, count)
}

// The three widths of games of two players with two actions, in straight lines.

function copyOne(table: Float64Array, into: Float64Array, last: Int32Array, lanes: Int32Array, count: number): void {
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    into[lane] = table[last[lane] + 1]
  }
}

function copyTwo(table: Float64Array, into: Float64Array, last: Int32Array, lanes: Int32Array, count: number): void {
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const from = (last[lane] + 1) * 2
    into[lane * 2] = table[from]
    into[lane * 2 + 1] = table[from + 1]
  }
}

function copyFour(table: Float64Array, into: Float64Array, last: Int32Array, lanes: Int32Array, count: number): void {
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const from = (last[lane] + 1) * 4
    const to = lane * 4
    into[to] = table[from]
    into[to + 1] = table[from + 1]
    into[to + 2] = table[from + 2]
    into[to + 3] = table[from + 3]
  }
}

function copyRows<T extends Float32Array | Float64Array>(
  table: T,
  into: T,
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

/** Games of several states, observations that reach back, and large tables: part by part. */
function composed(game: Game, view: View, state: MatrixState, port: Port) {
  const { observation, observationSize: F, state: globalState, stateSize: S, seats } = port
  const { kind, memory } = view
  const { last, earlier, place, states: K } = state
  const players = game.actions.length
  const N = seats.length
  const shown = K > 1 && !view.hideState ? K : 0
  const shares = kind === 'last' ? memory : kind === 'uoe-last' ? 1 : 0
  const writers = Array.from(seats, (player) =>
    kind === 'last' ? roundWriter(game, seenBy(player, players), 0) : roundWriter(game, seenBy(0, players), -1),
  )
  const known = roundWriter(game, seenBy(0, players), 0)
  const filler = kind === 'none' && shown === 0 ? 1 : 0
  const cellAt = (lane: number, back: number) => (back === 0 ? last[lane] : earlier[lane * (memory - 1) + back - 1])
  const writePlace = (into: Float32Array, at: number, lane: number) => {
    for (let s = 0; s < K; s++) into[at + s] = 0
    into[at + place[lane]] = 1
  }
  return (lanes: Int32Array, count: number): void => {
    for (let k = 0; k < count; k++) {
      const lane = lanes[k]
      for (let n = 0; n < N; n++) {
        const row = (lane * N + n) * F
        let at = row
        if (shown > 0) writePlace(observation, at, lane)
        at += shown
        const { width, write } = writers[n]
        for (let back = 0; back < shares; back++) {
          write(observation, at, cellAt(lane, back))
          at += width
        }
        for (; at < row + F; at++) observation[at] = filler
      }
      let at = lane * S
      if (K > 1) {
        writePlace(globalState, at, lane)
        at += K
      }
      for (let back = 0; back < memory; back++) {
        known.write(globalState, at, cellAt(lane, back))
        at += known.width
      }
    }
  }
}
