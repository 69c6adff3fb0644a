/**
 * The door to the skirmish in WebAssembly (`assembly/`): the loops of a step under `sc2`, masks, observations and states,
 * equal to the kernels in this folder to the last bit, and faster. Where an engine has no WebAssembly, for what it does
 * not know (`smaclite`, cones, shared sight, grids …) and while somebody looks between the loops, the kernels here play.
 */
import { openArena, startModule, take, type Arena } from '../core/arena.ts'
import { GENERATOR_WORDS } from '../core/random.ts'
import { type Port, type TypedArray } from '../core/types.ts'
import { LONGEST_PUSH, NOTICE, presentTypes, type Engine } from './engine.ts'
import { EDGE } from './ground.ts'
import { CODE } from './machine-code.ts'
import { ALLIES, ENEMIES, type Plan } from './options.ts'
import { COMBAT } from './start.ts'
import { HEALED, TALLIES, type SkirmishState } from './state.ts'
import { wayTo, type Terrain } from './terrain.ts'

interface Exports {
  open(header: number): void
  run(lane: number, tick: number): void
  legal(lane: number): void
  observe(lane: number, time: number): void
}

export interface Machine {
  /** Plays the loops of a step in a lane whose orders are given. */
  run(lane: number): void
  /** Writes masks; null where it does not know how. */
  readonly legal: ((lanes: Int32Array, count: number) => void) | null
  /** Writes observations and states; null where it does not know how. */
  readonly observe: ((lanes: Int32Array, count: number) => void) | null
}

const HEADER = 64
const HEADER_BYTES = 1024
const KIND_BYTES = 256
const COLUMNS_AT = 1152
const COLUMNS = 56
const COLUMN_BYTES = 2112
const MOST_UNITS = COLUMN_BYTES / 8 - 2
const PAIR_BYTES = 4

/** Bytes kept for ways around walls; what does not fit is asked for each time. */
const WAY_BYTES = 2 ** 21

/** Whether the machine knows the loops of this plan. */
const playsIt = (plan: Plan) => plan.rules === 'sc2' && plan.tables.types.length <= 64 && plan.units <= MOST_UNITS

/** Whether it also knows its masks and observations. */
function showsIt({ options, rules }: Plan): boolean {
  const plain = !options.cone && options.actionMask && options.sharedSight >= 1 && !options.blind
  return rules === 'sc2' && plain && !options.pathingGrid && !options.terrainHeight && !options.observationsAsState
}

/**
 * Memory for a batch, or null where there is none: too large, no WebAssembly, other rules.
 * @param port null for the state alone
 */
export function createArena(plan: Plan, port: Port): Arena | null {
  return playsIt(plan) ? openArena(CODE, bytesOf(plan, port), COLUMNS_AT + COLUMNS * COLUMN_BYTES) : null
}

/** Bytes of everything below, rounded up. */
function bytesOf(plan: Plan, port: Port): number {
  const U = plan.units
  const state = port.lanes * (U * 144 + TALLIES * 8)
  const shown = showsIt(plan)
    ? 4 * (port.observation.length + port.state.length) + port.mask.length + port.alive.length
    : 0
  const scratch = roomForPairs(U) + 4 * U * (2 + plan.typeBits)
  const ground = plan.terrain.cells * 7 + 4 * plan.terrain.width + (plan.terrain.open ? 0 : WAY_BYTES)
  const types = plan.tables.types.length
  return state + shown + scratch + ground + types * (KIND_BYTES + 8 * types) + 65536
}

/** Bytes of a list of pairs of units; four are written at a time. */
const roomForPairs = (units: number) => ((units * (units - 1)) / 2 + 4) * PAIR_BYTES

/** Starts the machine over a state whose columns lie in the arena. */
export function createMachine(state: SkirmishState, engine: Engine, port: Port, arena: Arena): Machine {
  const { plan } = state
  const { terrain, tables, sides, options } = plan
  const { units, agents, limit } = plan
  const loops = options.loops
  const copyOf = <T extends Uint8Array>(from: T) => {
    const to = take(arena, 'Uint8Array', from.length)
    to.set(from)
    return to
  }
  const T = tables.types.length
  const kinds = take(arena, 'Float64Array', T * (KIND_BYTES / 8))
  for (let t = 0; t < T; t++) kinds.set(kindOf(plan, engine, t), t * (KIND_BYTES / 8))
  const hit = take(arena, 'Float64Array', T * T)
  hit.set(tables.hit)
  const side = take(arena, 'Int32Array', 2 * (6 + T))
  sides.forEach((own, s) => {
    const words = [own.base, own.count, own.shields, own.actions, own.firstAttack, own.observation, ...own.bits]
    side.set(words, s * (6 + T))
  })
  const seats = take(arena, 'Int32Array', port.seats.length)
  seats.set(port.seats)
  const random = new Uint32Array(take(arena, 'Int32Array', GENERATOR_WORDS).buffer, arena.used - 16, GENERATOR_WORDS)
  const shows = showsIt(plan)
  const mask = take(arena, 'Uint8Array', shows ? port.mask.length : 0)
  const alive = take(arena, 'Uint8Array', shows ? port.alive.length : 0)
  const observation = take(arena, 'Float32Array', shows ? port.observation.length : 0)
  const stateOut = take(arena, 'Float32Array', shows ? port.state.length : 0)
  const ways = take(arena, 'Int32Array', terrain.cells)
  const scratch = {
    walkable: copyOf(terrain.walkable),
    strideable: copyOf(terrain.strideable),
    clear: copyOf(terrain.clear),
    scripted: copyOf(engine.scripted),
    strip: take(arena, 'Int32Array', terrain.width + 1),
    tails: take(arena, 'Float32Array', units * (2 + plan.typeBits)),
    pairs: take(arena, 'Uint8Array', roomForPairs(units)),
  }
  const header = new DataView(arena.memory.buffer, HEADER, HEADER_BYTES)
  let cursor = 0
  const numbers = [
    engine.fastest,
    engine.largest,
    engine.farthestNotice,
    NOTICE,
    LONGEST_PUSH,
    plan.arrival[ALLIES],
    plan.arrival[ENEMIES],
    options.moveAmount / 2,
    options.compatibility ? -1 : -1e-12,
    EDGE,
    options.killReward,
    options.winReward,
    options.negativeScale,
    ...clearRectangle(terrain),
  ]
  for (const value of numbers) header.setFloat64((cursor += 8) - 8, value, true)
  const flag = (value: boolean) => (value ? 1 : 0)
  const words = [
    units,
    sides[ALLIES].count,
    agents,
    port.seats.length,
    loops,
    flag(options.jitter),
    flag(engine.recovers),
    flag(tables.explodes.includes(1)),
    flag(!terrain.open),
    terrain.width,
    terrain.height,
    TALLIES,
    HEALED,
    T,
    plan.typeBits,
    port.actionSize,
    port.observationSize,
    port.stateSize,
    flag(options.allHealth),
    flag(options.ownHealth),
    flag(options.lastAction),
    flag(plan.ownPosition),
    flag(options.timestep),
    flag(options.compatibility),
    flag(options.stateLastAction),
    flag(options.stateTimestep),
    flag(!options.onlyPositive),
    plan.fighters[ALLIES] | (plan.fighters[ENEMIES] << 1),
    flag(everyHits(plan)),
  ]
  const { type, x, y, vx, vy, health, shield, energy, credit, cooldown, quiet, px, py, dealt, taken, tally } = state
  const { order, aim, lastAction, struck, felledBy } = state
  const columns: readonly TypedArray[] = [
    ...[type, x, y, vx, vy, health, shield, energy, credit, cooldown, quiet, px, py, dealt, taken, tally],
    ...[order, aim, lastAction, struck, felledBy, scratch.scripted, kinds, hit],
    ...[scratch.walkable, scratch.strideable, scratch.clear, ways, side, seats, random],
    ...[mask, alive, observation, stateOut, scratch.strip, scratch.pairs, scratch.tails, engine.sums],
  ]
  for (const value of [...words, ...columns.map((column) => column.byteOffset)]) {
    header.setInt32((cursor += 4) - 4, value, true)
  }

  let spare = terrain.open ? 0 : Math.min(terrain.cells, Math.floor(WAY_BYTES / (2 * terrain.cells + 16)))
  /** Ways to `to`, kept in the arena while there is room. */
  const next = (to: number, from: number): number => {
    const way = wayTo(terrain, to)
    if (spare > 0) {
      spare--
      const kept = take(arena, 'Int16Array', terrain.cells)
      kept.set(way)
      ways[to] = kept.byteOffset
    }
    return way[from]
  }
  const exports = startModule(CODE, arena, { machine: { next } }) as Exports
  exports.open(HEADER)

  const copyRow = (from: TypedArray, to: TypedArray, lane: number, width: number) => {
    for (let i = lane * width; i < (lane + 1) * width; i++) to[i] = from[i]
  }
  const M = agents * port.actionSize
  const F = port.seats.length * port.observationSize
  const S = port.stateSize
  return {
    run(lane) {
      const draws = (lane * port.streams + COMBAT) * GENERATOR_WORDS
      for (let w = 0; w < GENERATOR_WORDS; w++) random[w] = port.random[draws + w]
      exports.run(lane, port.step[lane] * loops)
      for (let w = 0; w < GENERATOR_WORDS; w++) port.random[draws + w] = random[w]
    },
    legal: !shows
      ? null
      : (lanes, count) => {
          for (let k = 0; k < count; k++) exports.legal(lanes[k])
          if (count === port.lanes) {
            port.mask.set(mask)
            port.alive.set(alive)
            return
          }
          for (let k = 0; k < count; k++) {
            copyRow(mask, port.mask, lanes[k], M)
            copyRow(alive, port.alive, lanes[k], agents)
          }
        },
    observe: !shows
      ? null
      : (lanes, count) => {
          for (let k = 0; k < count; k++) exports.observe(lanes[k], Math.min(1, port.step[lanes[k]] / limit))
          if (count === port.lanes) {
            port.observation.set(observation)
            port.state.set(stateOut)
            return
          }
          for (let k = 0; k < count; k++) {
            copyRow(observation, port.observation, lanes[k], F)
            copyRow(stateOut, port.state, lanes[k], S)
          }
        },
  }
}

/** Whether every type that takes part can hit every other. */
function everyHits(plan: Plan): boolean {
  const { hit, types } = plan.tables
  const present = presentTypes(plan)
  return present.every((t) => present.every((o) => hit[t * types.length + o] > 0))
}

/** The largest rectangle of ground from which no wall is near: west, east, south and north end, centred. */
function clearRectangle({ width, height, clear }: Terrain): number[] {
  let largest = 0
  let found = [0, 0, 0, 0]
  const column = new Int32Array(width)
  for (let top = 0; top < height; top++) {
    for (let x = 0; x < width; x++) column[x] = clear[top * width + x] === 1 ? column[x] + 1 : 0
    for (let from = 0; from < width; from++) {
      let high = height
      for (let to = from; to < width && column[to] > 0; to++) {
        high = Math.min(high, column[to])
        if ((to + 1 - from) * high <= largest) continue
        largest = (to + 1 - from) * high
        found = [from, to + 1, top + 1 - high, top + 1]
      }
    }
  }
  const [west, east, south, north] = found
  // A little less, so that no rounding of a place leads out of it.
  const less = 1e-6
  return [west - width / 2 + less, east - width / 2 - less, south - height / 2 + less, north - height / 2 - less]
}

/** A type as the machine reads it. */
function kindOf(plan: Plan, engine: Engine, t: number): number[] {
  const { tables, shootRange, sightRange } = plan
  const T = tables.types.length
  return [
    tables.health[t],
    tables.shield[t],
    tables.armor[t],
    tables.acceleration[t],
    tables.range[t],
    tables.scan[t],
    tables.cooldown[t],
    tables.splashRadius[t],
    tables.barWidth[t],
    tables.barDepth[t],
    tables.heals[t],
    tables.perEnergy[t],
    tables.energyToStart[t],
    tables.energyMax[t],
    tables.energyRegen[t],
    tables.shieldRegen[t],
    tables.shieldDelay[t],
    tables.healthRegen[t],
    tables.normaliser[t],
    shootRange[t],
    sightRange[t],
    tables.attacks[t],
    tables.suicide[t],
    tables.explodes[t],
    tables.healable[t],
    tables.layer[t],
    tables.flies[t],
    tables.strides[t],
    engine.traits[t],
    tables.radius[t],
    tables.speed[t],
    tables.speed[T + t],
  ]
}
