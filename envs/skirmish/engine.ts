/** Scratch of the rules, one per batch: nothing here outlives a step. */
import { type Plan } from './options.ts'

export const IDLE = 0
export const WALKING = 1
export const ENGAGED = 2

/** Arrays [U] by unit of the lane being worked on. */
export interface Engine {
  living: number
  readonly live: Int16Array // units alive at the start of the loop
  readonly shuffled: Int16Array
  readonly mode: Uint8Array // idle, walking or engaged in this loop
  readonly fire: Int16Array // whom it shoots when ready, -1 nobody
  readonly mend: Int16Array // whom it heals, -1 nobody
  readonly ready: Uint8Array
  readonly exploded: Uint8Array
  readonly wx: Float64Array // displacement it wants in this loop, cells
  readonly wy: Float64Array
  readonly nx: Float64Array // where it will be
  readonly ny: Float64Array
  readonly blocker: Int16Array // who stands in its way, -1 nobody
  readonly blockedAt: Float64Array // squared distance to it
  readonly ax: Int32Array // pushes, in 2^-20 cells: whole numbers add up the same in any order
  readonly ay: Int32Array
  readonly before: Float64Array // health and shield at the start of the step
  readonly takenBefore: Float64Array // damage taken until the start of the step
  pairs: number
  readonly pairA: Int16Array
  readonly pairB: Int16Array
  readonly pairApart: Float64Array // sum of the radii
  readonly pairWide2: Float64Array // squared: farther apart, no push can bring them too near
  readonly close: Int32Array // pairs that a push may bring too near
  travelled: number // since the pairs were collected, at most
  restless: boolean // somebody overlapped somebody in the last loop
  readonly head: Int16Array // spatial grid: first unit of each bucket, -1 none
  readonly next: Int16Array
  readonly fastest: number // cells per loop of the quickest unit type
  readonly largest: number // radius of the widest unit type
  readonly scripted: Uint8Array // [U] 1 = driven by the orders of the map
  /** Avoidance: half planes as point and direction. */
  readonly lines: Float64Array
  readonly projected: Float64Array
  readonly result: Float64Array // [2]
  readonly goal: Float64Array // [3]
  readonly vx: Float64Array
  readonly vy: Float64Array
}

/** Buckets of the spatial grid are this wide, in cells: wider than any two bodies and their skin. */
export const BUCKET = 4

export function createEngine(plan: Plan, scripted: Uint8Array): Engine {
  const U = plan.units
  const numbers = () => new Float64Array(U)
  const buckets = Math.ceil(plan.terrain.width / BUCKET) * Math.ceil(plan.terrain.height / BUCKET)
  const pairs = (U * (U - 1)) / 2
  return {
    living: 0,
    live: new Int16Array(U),
    shuffled: new Int16Array(U),
    mode: new Uint8Array(U),
    fire: new Int16Array(U),
    mend: new Int16Array(U),
    ready: new Uint8Array(U),
    exploded: new Uint8Array(U),
    wx: numbers(),
    wy: numbers(),
    nx: numbers(),
    ny: numbers(),
    blocker: new Int16Array(U),
    blockedAt: numbers(),
    ax: new Int32Array(U),
    ay: new Int32Array(U),
    before: numbers(),
    takenBefore: numbers(),
    pairs: 0,
    pairA: new Int16Array(pairs),
    pairB: new Int16Array(pairs),
    pairApart: new Float64Array(pairs),
    pairWide2: new Float64Array(pairs),
    close: new Int32Array(pairs),
    travelled: 0,
    restless: true,
    head: new Int16Array(buckets),
    next: new Int16Array(U),
    fastest: fastestOf(plan),
    largest: Math.max(...plan.tables.radius),
    scripted,
    lines: new Float64Array(U * 4),
    projected: new Float64Array(U * 4),
    result: new Float64Array(2),
    goal: new Float64Array(3),
    vx: numbers(),
    vy: numbers(),
  }
}

function fastestOf(plan: Plan): number {
  const { speed, types } = plan.tables
  const present = plan.generated?.types ?? (plan.starts ?? []).flatMap((side) => side.map((start) => start.type))
  return Math.max(0, ...[...present].flatMap((type) => [speed[type], speed[types.length + type]]))
}
