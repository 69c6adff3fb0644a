/**
 * Scratch of the rules, one per batch: nothing here outlives a step.
 *
 * The units of the lane being fought are kept as records of RECORD numbers, unit u at u << RECORD_SHIFT, in two arrays:
 * `body` for lengths and points, `mark` for whole numbers. One array means one pointer and one length in the machine's
 * registers; with a dozen arrays of columns the same loops take twice as long. Kernels take the offsets they use into
 * constants of their own module (`const { X, Y } = BODY`): imported bindings are read from memory at every use.
 */
import { take, type Arena } from '../core/arena.ts'
import { type Plan } from './options.ts'
import { SUMS } from './settling.ts'
import { type SkirmishState } from './state.ts'

export const RECORD_SHIFT = 4
const RECORD = 1 << RECORD_SHIFT

/** Places in a record of `body`. */
export const BODY = {
  X: 0, // centred, cells
  Y: 1,
  NX: 2, // where it will be after this loop
  NY: 3,
  WX: 4, // displacement it wants in this loop
  WY: 5,
  GX: 6, // point of its order
  GY: 7,
  PACE: 8, // cells per loop
  REACH: 9, // weapon range and own radius
  RADIUS: 10,
  STRIDE: 11, // cells moved per loop of the last beat, 1 when it did not walk (sc2)
  COOLDOWN: 12,
  HEALTH: 13,
  SHIELD: 14,
  QUIET: 15,
} as const

/** Places in a record of `mark`. */
export const MARK = {
  ORDER: 0,
  AIM: 1, // record of the unit it attacks, heals or hunts; negative = none
  MODE: 2, // IDLE, ENGAGED, WALKING or STUCK
  FIRE: 3, // record of the unit it shoots when ready (healers: heals); negative = none
  TYPE: 4,
  ROW: 5, // of its type in `hit`
  SIDE: 6,
  TRAITS: 7, // bits, below
  BLOCKER: 8, // record of who stands in its way; negative = nobody
  AX: 9, // pushes, in 2^-20 cells: whole numbers add up the same in any order
  AY: 10,
  EXPLODED: 11,
  FELLED_BY: 12, // record of who killed it in this step; negative = nobody
} as const

/** Modes are bits: 1 walks, 2 holds its place against friends, 4 against opponents. */
export const IDLE = 4
export const ENGAGED = 6
export const WALKING = 1
export const STUCK = 7

/** Traits. */
export const SCRIPTED = 1 // driven by the orders of the map
export const HEALS = 2
export const GATHERS_SPEED = 4
export const CROSSES = 8 // flies, or strides over cliffs: needs no way around
export const RECOVERS = 16 // health, shield or energy come back

/** Numbers per pair in `pair`: record of the lower unit, of the higher one, bit of MODE that holds between them. */
export const PAIR = 3

export interface Engine {
  readonly body: Float64Array // [U, RECORD]
  readonly mark: Int32Array // [U, RECORD]
  living: number
  livingAllies: number
  readonly live: Int16Array // records of the units alive at the start of the loop, allies first
  begun: number
  readonly began: Int16Array // records of the units alive at the start of the step
  readonly order: Int16Array // scratch: a list in another order
  readonly shooters: Int16Array
  pairs: number
  readonly pair: Int16Array // [pairs, PAIR]
  readonly pairApart: Float64Array // sum of the radii
  readonly pairWide2: Float64Array // squared: farther apart, no push and no going back can bring them too near
  closes: number
  readonly close: Int32Array // pairs that a push or going back may bring too near
  readonly blockedAt: Float64Array // [U] squared distance to the blocker
  fars: number
  readonly far: Int16Array // records, two per pair: who may come together in this step
  travelled: number // since the near pairs were collected, at most
  farTravelled: number // since the far pairs were; negative = collect again
  died: boolean // somebody in the pairs has
  readonly skin: number // the near pairs hold until somebody has travelled half of it
  readonly farSkin: number // the far pairs hold until somebody has travelled half of it
  readonly anchorX: Float64Array // [U] where each was at the beginning of the beat
  readonly anchorY: Float64Array
  strode: number // loops of the beat in which somebody moved
  restless: boolean // somebody overlapped somebody when bodies last met
  walkers: number // in this loop
  gap: number // from any ally to any enemy, at least
  readonly strip: Int16Array // scratch of sorting by x: one per column of cells
  readonly fastest: number // cells per loop of the quickest unit type
  readonly largest: number // radius of the widest unit type
  readonly farthestNotice: number // no scripted unit notices anybody farther off, cells between centres
  readonly recovers: boolean // some type recovers
  readonly traits: Uint8Array // [T]
  readonly flies: Uint8Array // [T]
  readonly strides: Uint8Array // [T]
  readonly scripted: Uint8Array // [U] 1 = driven by the orders of the map
  readonly apart: Float64Array // [T, T] sum of the radii
  readonly wide2: Float64Array // [T, T]
  readonly near2: Float64Array // [T, T] squared distance within which a pair is near
  readonly far2: Float64Array // [T, T] and is far; 0 = they pass over each other
  readonly before: Float64Array // [U] health and shield at the start of the step
  readonly takenBefore: Float64Array // [U] damage taken until the start of the step
  readonly attackers: Int16Array // [U] on each unit in this step
  readonly sums: Float64Array // what the step came to: see settling.ts
  /** Avoidance: half planes as point and direction, velocities. */
  readonly lines: Float64Array
  readonly projected: Float64Array
  readonly result: Float64Array // [2]
  readonly goal: Float64Array // [3]
  readonly vx: Float64Array
  readonly vy: Float64Array
}

/** Added to the range within which an attack-moving unit notices targets, cells (sc2). */
export const NOTICE = 0.5

/** Pairs farther apart than their radii and this are not looked at until somebody has travelled half of it. */
const SKIN = 1.2

/** The far pairs are good for this many more loops of walking. */
const FAR_LOOPS = 6

/** Bodies meet every this many loops, and at the end of a step (sc2). */
export const BEAT = 2

/** Farthest push of one beat, in cells. */
export const LONGEST_PUSH = 0.2

export function createEngine(plan: Plan, scripted: Uint8Array, arena: Arena | null = null): Engine {
  const U = plan.units
  const { tables } = plan
  const { radius, scan, range } = tables
  const T = tables.types.length
  const numbers = () => new Float64Array(U)
  const pairs = (U * (U - 1)) / 2
  const traits = Uint8Array.from(tables.types, (_, t) => {
    const recovers = tables.healthRegen[t] > 0 || tables.shieldRegen[t] > 0 || tables.energyMax[t] > 0
    return (
      (tables.heals[t] > 0 ? HEALS : 0) |
      (tables.acceleration[t] > 0 ? GATHERS_SPEED : 0) |
      (tables.flies[t] === 1 || tables.strides[t] === 1 ? CROSSES : 0) |
      (recovers ? RECOVERS : 0)
    )
  })
  const byPair = (of: (lower: number, higher: number) => number) =>
    Float64Array.from({ length: T * T }, (_, k) => of(radius[Math.floor(k / T)], radius[k % T]))
  const meets = (k: number) => (tables.layer[Math.floor(k / T)] & tables.layer[k % T]) !== 0
  const present = presentTypes(plan)
  const mark = new Int32Array(U * RECORD)
  for (let u = 0; u < U; u++) mark[u * RECORD + MARK.TYPE] = -1
  const fastest = Math.max(0, ...present.flatMap((t) => [tables.speed[t], tables.speed[T + t]]))
  const skin = Math.max(SKIN, 2 * (LONGEST_PUSH + BEAT * fastest))
  const farSkin = skin + 2 * FAR_LOOPS * fastest
  const largest = Math.max(...present.map((t) => radius[t]))
  return {
    body: new Float64Array(U * RECORD),
    mark,
    living: 0,
    livingAllies: 0,
    live: new Int16Array(U),
    begun: 0,
    began: new Int16Array(U),
    order: new Int16Array(U),
    shooters: new Int16Array(U),
    pairs: 0,
    pair: new Int16Array(pairs * PAIR),
    pairApart: new Float64Array(pairs),
    pairWide2: new Float64Array(pairs),
    closes: 0,
    close: new Int32Array(pairs),
    blockedAt: numbers(),
    fars: 0,
    far: new Int16Array(2 * pairs),
    travelled: 0,
    farTravelled: -1,
    died: false,
    skin,
    farSkin,
    anchorX: numbers(),
    anchorY: numbers(),
    strode: 0,
    restless: true,
    walkers: 0,
    gap: 0,
    strip: new Int16Array(2 * Math.ceil(plan.terrain.width / 2)),
    fastest,
    largest,
    farthestNotice: Math.max(...present.map((t) => Math.max(scan[t], range[t]) + radius[t])) + NOTICE + largest,
    recovers: present.some((t) => (traits[t] & RECOVERS) > 0),
    traits,
    flies: tables.flies,
    strides: tables.strides,
    scripted,
    apart: byPair((lower, higher) => lower + higher),
    wide2: byPair((lower, higher) => squared(lower + higher + 2 * Math.max(LONGEST_PUSH, BEAT * fastest))),
    near2: byPair((lower, higher) => squared(lower + skin + higher)),
    far2: byPair((lower, higher) => squared(lower + farSkin + higher)).map((far, k) => (meets(k) ? far : 0)),
    before: numbers(),
    takenBefore: numbers(),
    attackers: new Int16Array(U),
    sums: arena === null ? new Float64Array(SUMS) : take(arena, 'Float64Array', SUMS),
    lines: new Float64Array(U * 4),
    projected: new Float64Array(U * 4),
    result: new Float64Array(2),
    goal: new Float64Array(3),
    vx: numbers(),
    vy: numbers(),
  }
}

const squared = (value: number) => value * value

/** Types that can take part. */
export function presentTypes(plan: Plan): number[] {
  const drawn = plan.generated?.types ?? (plan.starts ?? []).flatMap((side) => side.map((start) => start.type))
  return [...new Set(drawn)]
}

const { X, Y, GX, GY, PACE, REACH, RADIUS, STRIDE, COOLDOWN, HEALTH, SHIELD, QUIET } = BODY
const { ORDER, AIM, TYPE, ROW, SIDE, TRAITS, EXPLODED, FELLED_BY } = MARK

/** Takes the units of a lane into the records, and lists who is alive. */
export function takeUp(state: SkirmishState, engine: Engine, lane: number): void {
  const { plan, type, x, y, vy, health, shield, cooldown, quiet, order, aim, px, py } = state
  const { units, sides, tables } = plan
  const { body, mark, live, began, traits, scripted } = engine
  const T = tables.types.length
  const first = lane * units
  const allies = sides[0].count
  const sc2 = plan.rules === 'sc2'
  let living = 0
  engine.livingAllies = 0
  for (let u = 0; u < units; u++) {
    const i = first + u
    const b = u << RECORD_SHIFT
    if (mark[b + TYPE] !== type[i]) {
      const t = type[i]
      mark[b + TYPE] = t
      mark[b + ROW] = t * T
      mark[b + SIDE] = u < allies ? 0 : 1
      mark[b + TRAITS] = traits[t] | (scripted[u] === 1 ? SCRIPTED : 0)
      body[b + PACE] = tables.speed[(u < allies ? 0 : T) + t]
      body[b + REACH] = tables.range[t] + tables.radius[t]
      body[b + RADIUS] = tables.radius[t]
    }
    body[b + HEALTH] = health[i]
    if (health[i] <= 0) continue
    began[living] = b
    live[living++] = b
    if (u < allies) engine.livingAllies = living
    body[b + X] = x[i]
    body[b + Y] = y[i]
    body[b + GX] = px[i]
    body[b + GY] = py[i]
    body[b + STRIDE] = sc2 ? vy[i] : 1
    body[b + COOLDOWN] = cooldown[i]
    body[b + SHIELD] = shield[i]
    body[b + QUIET] = quiet[i]
    mark[b + ORDER] = order[i]
    mark[b + AIM] = aim[i] << RECORD_SHIFT
    mark[b + EXPLODED] = 0
    mark[b + FELLED_BY] = -1
  }
  engine.living = living
  engine.begun = living
  engine.farTravelled = -1
  engine.restless = true
  if (sc2) measureGap(engine)
}

/** Distance from any ally to any enemy along one axis, at least: who is farther off than that needs no search. */
function measureGap(engine: Engine): void {
  const { body, live, living, livingAllies } = engine
  let west = Infinity
  let east = -Infinity
  let south = Infinity
  let north = -Infinity
  for (let a = 0; a < livingAllies; a++) {
    const px = body[live[a] + X]
    const py = body[live[a] + Y]
    if (px < west) west = px
    if (px > east) east = px
    if (py < south) south = py
    if (py > north) north = py
  }
  let gap = Infinity
  for (let a = livingAllies; a < living; a++) {
    const px = body[live[a] + X]
    const py = body[live[a] + Y]
    const across = px < west ? west - px : px - east
    const along = py < south ? south - py : py - north
    const apart = across > along ? across : along
    if (apart < gap) gap = apart
  }
  engine.gap = gap
}

/** Writes the records back into the arrays of the state. */
export function putBack(state: SkirmishState, engine: Engine, lane: number): void {
  const { plan, x, y, vy, health, shield, cooldown, quiet, order, aim, felledBy } = state
  const { body, mark, began, begun } = engine
  const first = lane * plan.units
  const sc2 = plan.rules === 'sc2'
  for (let a = 0; a < begun; a++) {
    const b = began[a]
    const i = first + (b >> RECORD_SHIFT)
    x[i] = body[b + X]
    y[i] = body[b + Y]
    if (sc2) vy[i] = body[b + STRIDE]
    health[i] = body[b + HEALTH]
    shield[i] = body[b + SHIELD]
    cooldown[i] = body[b + COOLDOWN]
    quiet[i] = body[b + QUIET]
    order[i] = mark[b + ORDER]
    aim[i] = mark[b + AIM] >> RECORD_SHIFT
    felledBy[i] = mark[b + FELLED_BY] >> RECORD_SHIFT
  }
}

/** Lists who is still alive. */
export function dropTheDead(engine: Engine): void {
  const { body, live, living } = engine
  let left = 0
  let allies = 0
  for (let a = 0; a < living; a++) {
    const b = live[a]
    if (body[b + HEALTH] <= 0) continue
    if (a < engine.livingAllies) allies++
    live[left++] = b
  }
  if (left === living) return
  engine.living = left
  engine.livingAllies = allies
  engine.died = true
  forgetTheDead(engine)
}

/** The dead leave their pairs. */
function forgetTheDead(engine: Engine): void {
  const { body, far, fars } = engine
  let kept = 0
  for (let at = 0; at < fars; at += 2) {
    if (body[far[at] + HEALTH] <= 0 || body[far[at + 1] + HEALTH] <= 0) continue
    far[kept++] = far[at]
    far[kept++] = far[at + 1]
  }
  engine.fars = kept
}
