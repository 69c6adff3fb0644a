/** The skirmish as typed arrays: what decides the future, and scratch. */
import { TroupeError } from '../core/errors.ts'
import { take, type Arena } from '../core/arena.ts'
import { type TypedArray } from '../core/types.ts'
import { type Plan } from './options.ts'

/** What a unit is told to do. */
export const STOP = 0
export const MOVE = 1 // to (px, py)
export const ATTACK = 2 // unit `aim`
export const HEAL = 3 // unit `aim`
export const ATTACK_MOVE = 4 // to (px, py), fighting what it meets: scripted units
export const HUNT = 5 // unit `aim`, the closest one when it was chosen: scripted units
export const GUARD = 6 // stands and shoots what comes near: scripted units
export const ORDERS = ['stop', 'move', 'attack', 'heal', 'attack-move', 'hunt', 'guard'] as const

/** Actions. */
export const NO_OP = 0
export const STOP_ACTION = 1
export const NORTH = 2
export const SOUTH = 3
export const EAST = 4
export const WEST = 5
export const FIRST_LOOK = 6

/** Running totals by place in a lane's row of `tally`; damage in points of health and shield. */
export const DEALT = 0
export const TAKEN = 1
export const FOCUS_TOP = 2 // sum over steps of the attackers on the most attacked enemy
export const FOCUS_ALL = 3 // sum over steps of all attackers, in steps with two or more
export const OUTCOME = 4 // 0 going on or cut, 1 won, 2 lost, 3 draw
export const HEALED = 5
export const REWARD_SCALE = 6 // of the first episode, for compatibility; survives resets
export const FIRED = 7 // attacks by allies
export const TALLIES = 8
export const WON = 1
export const LOST = 2
export const DRAW = 3

/**
 * B lanes of one battle. Unit u of lane b is at b * U + u: allies first, enemies after them. Positions are centred on
 * the map (cells, x right, y up). A unit with health 0 is dead and out of the game.
 */
export interface SkirmishState {
  readonly plan: Plan
  readonly lanes: number // B

  // What decides the future; saved and digested.
  readonly type: Uint8Array // [B, U]
  readonly x: Float64Array
  readonly y: Float64Array
  readonly vx: Float64Array // cells per second as last walked (smaclite avoidance); pace in vx for units that accelerate
  readonly vy: Float64Array // sc2: cells moved in the last loop, 1 when it did not walk
  readonly health: Float64Array
  readonly shield: Float64Array
  readonly energy: Float64Array
  readonly credit: Float64Array // health already paid for by energy
  readonly cooldown: Float64Array // loops until the weapon is ready
  readonly quiet: Float64Array // loops since the last damage
  readonly order: Uint8Array
  readonly aim: Int16Array // unit (0..U-1) it attacks, heals or hunts; -1 none
  readonly px: Float64Array // point of the order, centred
  readonly py: Float64Array
  readonly facing: Uint8Array // look direction, times 30 degrees
  readonly lastAction: Int16Array // [B, U] -1 none
  readonly tied: Int16Array // [B, U] EPO: unit + 1 that saw this one first
  readonly granted: Uint8Array // [B, U, U] EPO: observer-major, 1 = may see; empty unless sharedSight < 1
  readonly tally: Float64Array // [B, TALLIES]
  readonly dealt: Float64Array // [B, U] damage by each unit
  readonly taken: Float64Array // [B, U]
  readonly struck: Int16Array // [B, U] unit it fired at or healed in the last step, -1 none; for viewers
  readonly felledBy: Int16Array // [B, U] unit that killed it in the last step (itself when it blew up), -1 none; for viewers

  /** Replaces the fighting of a step: the door for recorded frames in tests. */
  script: ((lane: number) => void) | null
  /** Called after every loop: the door for tests that look between steps. */
  watch: ((lane: number) => void) | null
}

/** What privileged policies may read; nobody but the rules writes it. */
export type SkirmishWorld = SkirmishState

/** @param arena where the columns lie; null = memory of their own */
export function createState(plan: Plan, lanes: number, arena: Arena | null = null): SkirmishState {
  const size = lanes * plan.units
  const numbers = (length = size) => (arena === null ? new Float64Array(length) : take(arena, 'Float64Array', length))
  const bytes = () => (arena === null ? new Uint8Array(size) : take(arena, 'Uint8Array', size))
  const numbersOfUnits = () => (arena === null ? new Int16Array(size) : take(arena, 'Int16Array', size))
  return {
    plan,
    lanes,
    type: bytes(),
    x: numbers(),
    y: numbers(),
    vx: numbers(),
    vy: numbers(),
    health: numbers(),
    shield: numbers(),
    energy: numbers(),
    credit: numbers(),
    cooldown: numbers(),
    quiet: numbers(),
    order: bytes(),
    aim: numbersOfUnits(),
    px: numbers(),
    py: numbers(),
    facing: new Uint8Array(size),
    lastAction: numbersOfUnits(),
    tied: new Int16Array(plan.options.sharedSight < 1 ? size : 0),
    granted: new Uint8Array(plan.options.sharedSight < 1 ? size * plan.units : 0),
    tally: numbers(lanes * TALLIES),
    dealt: numbers(),
    taken: numbers(),
    struck: numbersOfUnits(),
    felledBy: numbersOfUnits(),
    script: null,
    watch: null,
  }
}

/** The arrays that a snapshot holds and a digest covers. */
export function savedArrays(state: SkirmishState): Record<string, TypedArray> {
  const { type, x, y, vx, vy, health, shield, energy, credit, cooldown, quiet, order, aim, px, py } = state
  const { facing, lastAction, tied, granted, tally, dealt, taken, struck, felledBy } = state
  const arrays = { type, x, y, vx, vy, health, shield, energy, credit, cooldown, quiet, order, aim, px, py }
  const rest = { facing, lastAction, tally, dealt, taken, struck, felledBy }
  return { ...arrays, ...rest, ...(granted.length > 0 ? { tied, granted } : {}) }
}

/**
 * Refuses a lane that no sequence of legal steps could produce (a tampered snapshot).
 * @throws TroupeError bad-file naming the first thing that is wrong
 */
export function checkLane(state: SkirmishState, lane: number): void {
  const { plan, type, x, y, health, order, aim, facing, lastAction, struck, felledBy } = state
  const { units, tables, terrain, sides } = plan
  const T = tables.types.length
  const refuse = (what: string, got: string, expected: string): never => {
    throw new TroupeError('bad-file', { where: `skirmish: snapshot: ${what}`, got, expected })
  }
  for (let u = 0; u < units; u++) {
    const i = lane * units + u
    if (type[i] >= T) refuse(`unit ${u}`, `of type ${type[i]}`, `types of 0 to ${T - 1}`)
    const inside = Math.abs(x[i]) <= terrain.width / 2 && Math.abs(y[i]) <= terrain.height / 2
    if (!inside) refuse(`unit ${u}`, `at ${x[i]}, ${y[i]}`, 'a place on the map')
    if (!(health[i] >= 0)) refuse(`unit ${u}`, `with health ${health[i]}`, '0 or more')
    if (order[i] >= ORDERS.length) refuse(`unit ${u}`, `with order ${order[i]}`, `0 to ${ORDERS.length - 1}`)
    for (const [name, value] of [
      ['aim', aim[i]],
      ['struck', struck[i]],
      ['felledBy', felledBy[i]],
    ] as const) {
      if (value < -1 || value >= units) refuse(`unit ${u}: ${name}`, `${value}`, `-1 to ${units - 1}`)
    }
    if (facing[i] > 11) refuse(`unit ${u}: facing`, `${facing[i]}`, '0 to 11')
    const actions = sides[u < sides[0].count ? 0 : 1].actions
    if (lastAction[i] < -1 || lastAction[i] >= actions) {
      refuse(`unit ${u}: last action`, `${lastAction[i]}`, `-1 to ${actions - 1}`)
    }
  }
  for (const name of ['x', 'y', 'shield', 'energy', 'credit', 'cooldown', 'quiet', 'px', 'py', 'vx', 'vy'] as const) {
    const row = state[name].subarray(lane * units, (lane + 1) * units)
    if (!row.every(Number.isFinite)) refuse(name, 'not finite', 'finite numbers')
  }
}
