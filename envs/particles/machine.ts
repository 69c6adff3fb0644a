/**
 * The door to the particles in WebAssembly (`assembly/`): contacts, movement, distances, and the places and velocities that
 * are seen, equal to `physics.ts`, `distance.ts` and `observe.ts` to the last bit, and faster. Where an engine has no WebAssembly with SIMD, those
 * play the same game.
 */
import { openArena, startModule, take, type Arena } from '../core/arena.ts'
import { type Port, type TypedArray } from '../core/types.ts'
import { CODE } from './machine-code.ts'
import { type Sight } from './observe.ts'
import { type Plan } from './options.ts'
import { press, type Physics } from './physics.ts'
import { type ParticleState } from './state.ts'

interface Exports {
  open(header: number): void
  near(from: number, to: number): number
  move(count: number): void
  measure(count: number): void
  look(count: number): void
}

export interface Machine {
  /** Takes the lanes that the calls below work on. */
  choose(lanes: Int32Array, count: number): void
  /** Adds the contact forces to those of the pushes. */
  collide(): void
  /** Moves the bodies. */
  move(): void
  /** Measures the distances that rewards ask for. */
  measure(): void
  /** Writes observations, as far as they are offsets, places and velocities, and states where these are all there is. */
  look(): void
}

const HEADER = 64
const HEADER_BYTES = 256

/** Lanes whose contacts are listed in one go. */
const STRETCH = 64

const RECORD = 4 // words of a record in any table

/** Bytes of everything below, rounded up. */
function bytesOf(plan: Plan, port: Port): number {
  const M = plan.bodies.length
  const E = M + plan.landmarks.length
  const perLane =
    16 * E + 32 * M + 8 * plan.gaps.length + 4 * port.seats.length * port.observationSize + 4 * port.stateSize + 4
  const records = E * E + M + M * (E + 8) + 4 * E + plan.gaps.length
  return port.lanes * perLane + 8 * STRETCH * E * E + 16 * records + 4096
}

/** With fewer lanes it takes thousands of steps to win back the third of a millisecond that starting the machine costs. */
const LEAST_LANES = 4

/** Memory for a batch, or null where there is none or few lanes. */
export function createArena(plan: Plan, port: Port): Arena | null {
  return port.lanes < LEAST_LANES ? null : openArena(CODE, bytesOf(plan, port), HEADER + HEADER_BYTES)
}

/** Starts the machine over a state and forces that lie in the arena. */
export function createMachine(state: ParticleState, physics: Physics, sight: Sight, port: Port, arena: Arena): Machine {
  const { plan, agents, entities, position, velocity, gap } = state
  const { pairs, first, second, reach, movable, limit, force } = physics
  const width = port.seats.length * port.observationSize
  const table = (rows: readonly (readonly number[])[]) => {
    const words = take(arena, 'Int32Array', rows.length * RECORD)
    rows.forEach((row, r) => words.set(row, r * RECORD))
    return words
  }
  const wide = (words: Int32Array, row: number, value: number) =>
    new DataView(words.buffer, words.byteOffset).setFloat64(row * 16 + 8, value, true)

  const pairTable = table(Array.from({ length: pairs }, (_, p) => [8 * first[p], 8 * second[p]]))
  for (let p = 0; p < pairs; p++) wide(pairTable, p, reach[p])
  const bodyTable = table(Array.from(movable, (moves) => [moves]))
  limit.forEach((value, n) => wide(bodyTable, n, value))
  const rowsOf = (words: Int32Array, length: number) =>
    Array.from({ length: words.length / length }, (_, r) => [...words.subarray(r * length, (r + 1) * length)])
  const offsetTable = table(
    rowsOf(sight.offsets, 4).map(([to, from, end, own]) => [4 * to, 8 * from, 8 * end, 8 * own]),
  )
  const copyTable = table([
    ...rowsOf(sight.velocities, 3).map(([to, from, end]) => [4 * to, 8 * from, 8 * end, 1]),
    ...rowsOf(sight.places, 2).map(([to, from]) => [4 * to, 8 * from, 8 * from + 16, 0]),
  ])
  const stateTable = table(
    !sight.plain
      ? []
      : [
          ...Array.from({ length: agents }, (_, n) => [
            [16 * n, 16 * n, 16 * n + 16, 0],
            [16 * n + 8, 16 * n, 16 * n + 16, 1],
          ]).flat(),
          [16 * agents, 16 * agents, 16 * entities, 0],
        ],
  )
  const gapTable = table(plan.gaps.map(({ of, from, to }) => [16 * of, 16 * from, 16 * to]))
  const list = take(arena, 'Int32Array', port.lanes)
  const hits = take(arena, 'Int32Array', 2 * STRETCH * pairs)
  const observation = take(arena, 'Float32Array', port.observation.length)
  const stateOut = take(arena, 'Float32Array', sight.plain ? port.state.length : 0)

  const header = new Int32Array(arena.memory.buffer, HEADER, HEADER_BYTES / 4)
  header.set([
    ...[entities * 16, agents * 16, plan.legacy ? 1 : 0, width * 4, port.stateSize * 4],
    ...[list, hits, position, velocity, force, observation, stateOut].map(({ byteOffset }) => byteOffset),
    ...[pairTable, bodyTable, offsetTable, copyTable, stateTable, gapTable].flatMap(({ byteOffset, byteLength }) => [
      byteOffset,
      byteOffset + byteLength,
    ]),
    gap.byteOffset,
  ])
  const machine = startModule(CODE, arena) as Exports
  machine.open(HEADER)

  let chosen = 0
  return {
    choose(lanes, count) {
      chosen = count
      for (let k = 0; k < count; k++) list[k] = lanes[k]
    },
    collide() {
      if (pairs === 0) return
      for (let from = 0; from < chosen; from += STRETCH) {
        const found = machine.near(from, Math.min(chosen, from + STRETCH))
        for (let h = 0; h < 2 * found; h += 2) press(state, physics, hits[h], hits[h + 1])
      }
    },
    move: () => machine.move(chosen),
    measure: () => machine.measure(chosen),
    look() {
      machine.look(chosen)
      show(observation, port.observation, list, chosen, width)
      if (sight.plain) show(stateOut, port.state, list, chosen, port.stateSize)
    },
  }
}

/** A native copy costs as much as some thirty numbers. */
const FEW = 32

/** Hands over the rows of the listed lanes. */
function show(from: TypedArray, to: TypedArray, lanes: Int32Array, count: number, width: number): void {
  if (count * width === to.length && to.length > FEW) {
    ;(to as Float32Array).set(from as Float32Array)
    return
  }
  for (let k = 0; k < count; k++) {
    for (let i = lanes[k] * width, end = i + width; i < end; i++) to[i] = from[i]
  }
}
