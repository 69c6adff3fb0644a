/** Who sees whom, and what may be done about it: ranges, the cone, and the sharing of sight of SMACv2's EPO. */
import { GENERATOR_WORDS, nextBelow, nextFloat } from '../core/random.ts'
import { type Port } from '../core/types.ts'
import { type Engine } from './engine.ts'
import { ALLIES, ENEMIES, LOOKS, type Plan } from './options.ts'
import { SIGHT } from './start.ts'
import { EAST, FIRST_LOOK, NORTH, NO_OP, SOUTH, STOP_ACTION, WEST, type SkirmishState } from './state.ts'

const HALF = Math.sqrt(3) / 2
/** Unit vectors of the twelve look directions, 0 = east, 30 degrees apart, anticlockwise. */
export const LOOK_X = Float64Array.of(1, HALF, 0.5, 0, -0.5, -HALF, -1, -HALF, -0.5, 0, 0.5, HALF)
export const LOOK_Y = Float64Array.of(0, 0.5, HALF, 1, HALF, 0.5, 0, -0.5, -HALF, -1, -HALF, -0.5)

/** Cosine and tangent of the half angle of the cone, 15 degrees. */
const COS_HALF = (Math.sqrt(6) + Math.sqrt(2)) / 4
const TAN_HALF = 2 - Math.sqrt(3)

/** Upstream's guard against dividing by zero. */
const TINY = 1e-7

/** Whether (dx, dy) lies in the cone looked along; strict. */
function inCone(plan: Plan, facing: number, dx: number, dy: number): boolean {
  const fx = LOOK_X[facing]
  const fy = LOOK_Y[facing]
  if (!plan.options.compatibility) {
    return fx * dx + fy * dy > COS_HALF * Math.sqrt(dx * dx + dy * dy)
  }
  // SMACv2 compares arctangents, each with a denominator of the sign of dx: units behind, and slivers up and down, pass.
  const ox = dx > 0 ? Math.max(dx, TINY) : Math.min(dx, -TINY)
  const vx = dx > 0 ? Math.max(fx, TINY) : Math.min(fx, -TINY)
  const a = dy / ox
  const b = fy / vx
  const turn = 1 + a * b
  return turn > 0 && Math.abs(a - b) < TAN_HALF * turn
}

/** Whether living unit `u` has living unit `v` in sight, leaving aside what others have seen. d2: squared distance. */
export function inSight(state: SkirmishState, first: number, u: number, v: number, d2: number): boolean {
  const { plan, type, x, y, facing } = state
  const range = plan.sightRange[type[first + u]]
  if (!plan.options.cone) return d2 < range * range
  if (d2 > range * range) return false
  const i = first + u
  return inCone(plan, facing[i], x[first + v] - x[i], y[first + v] - y[i])
}

/** Whether the sharing of sight lets `u` look at opponent `v`. */
export function maySee(state: SkirmishState, first: number, u: number, v: number): boolean {
  if (state.granted.length === 0) return true
  return state.granted[(first + u) * state.plan.units + v] === 1
}

/**
 * Whether the `k`-th target action of living unit `u` reaches somebody: opponents for those with a weapon, for healers
 * team mates that are no healers.
 */
export function reaches(state: SkirmishState, first: number, u: number, k: number): boolean {
  const { plan, type, x, y, health, facing } = state
  const { sides, tables, shootRange } = plan
  const side = u < sides[0].count ? ALLIES : ENEMIES
  const i = first + u
  const heals = tables.heals[type[i]] > 0
  const targets = sides[heals ? side : 1 - side]
  if (k >= targets.count) return false
  const v = targets.base + k
  const j = first + v
  if (health[j] <= 0) return false
  if (heals && (v === u || tables.heals[type[j]] > 0)) return false
  const dx = x[j] - x[i]
  const dy = y[j] - y[i]
  const range = shootRange[type[i]]
  if (dx * dx + dy * dy > range * range) return false
  return !plan.options.cone || inCone(plan, facing[i], dx, dy)
}

/** Writes `mask` and `alive` of every agent of the listed lanes. */
export function legal(state: SkirmishState, port: Port, lanes: Int32Array, count: number): void {
  const { plan, type, x, y, health } = state
  const { units, agents, sides, tables, terrain, options, shootRange } = plan
  const { mask, alive, actionSize: A } = port
  const { width, height, walkable } = terrain
  const ahead = options.moveAmount / 2
  const cx = width / 2
  const cy = height / 2
  const plain = !options.cone && options.actionMask
  // Upstream truncates towards zero, so that up to a cell beyond the lower edges counts as the first cell.
  const least = options.compatibility ? -1 : -1e-12
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const first = lane * units
    for (let u = 0; u < agents; u++) {
      const i = first + u
      const row = (lane * agents + u) * A
      // A native fill costs as much as some thirty numbers.
      for (let a = 0; a < A; a++) mask[row + a] = 0
      if (health[i] <= 0) {
        alive[lane * agents + u] = 0
        mask[row + NO_OP] = 1
        continue
      }
      alive[lane * agents + u] = 1
      mask[row + STOP_ACTION] = 1
      const wx = x[i] + cx
      const wy = y[i] + cy
      const column = Math.trunc(wx)
      const line = Math.trunc(wy)
      const north = Math.trunc(wy + ahead)
      const south = Math.trunc(wy - ahead)
      const east = Math.trunc(wx + ahead)
      const west = Math.trunc(wx - ahead)
      mask[row + NORTH] = north < height ? walkable[north * width + column] : 0
      mask[row + SOUTH] = wy - ahead > least ? walkable[south * width + column] : 0
      mask[row + EAST] = east < width ? walkable[line * width + east] : 0
      mask[row + WEST] = wx - ahead > least ? walkable[line * width + west] : 0
      if (options.cone) for (let d = 0; d < LOOKS; d++) mask[row + FIRST_LOOK + d] = 1
      const side = u < sides[0].count ? ALLIES : ENEMIES
      const to = row + sides[side].firstAttack
      if (plain && tables.heals[type[i]] === 0) {
        const other = sides[1 - side]
        const range2 = shootRange[type[i]] * shootRange[type[i]]
        const px = x[i]
        const py = y[i]
        const base = first + other.base
        for (let t = 0; t < other.count; t++) {
          const j = base + t
          if (health[j] <= 0) continue
          const dx = x[j] - px
          const dy = y[j] - py
          if (dx * dx + dy * dy <= range2) mask[to + t] = 1
        }
        continue
      }
      const targets = sides[side].actions - sides[side].firstAttack
      for (let t = 0; t < targets; t++) {
        if (reaches(state, first, u, t) || (!options.actionMask && exists(state, first, u, t))) mask[to + t] = 1
      }
    }
  }
}

/** Whether the `k`-th target of `u` is alive and of the right kind, however far. */
function exists(state: SkirmishState, first: number, u: number, k: number): boolean {
  const { plan, type, health } = state
  const { sides, tables } = plan
  const side = u < sides[0].count ? ALLIES : ENEMIES
  const heals = tables.heals[type[first + u]] > 0
  const targets = sides[heals ? side : 1 - side]
  if (k >= targets.count) return false
  const v = targets.base + k
  return health[first + v] > 0 && !(heals && (v === u || tables.heals[type[first + v]] > 0))
}

/**
 * EPO: the first of a side to see an opponent (in random order) is tied to it; every team mate may see it with chance
 * `sharedSight`, drawn at that moment. The tie ends when either dies. Called at the start and after every step.
 */
export function shareSight(
  state: SkirmishState,
  engine: Engine,
  lane: number,
  random: Uint32Array,
  streams: number,
): void {
  const { plan, tied, granted, health, x, y } = state
  const { units, sides, options } = plan
  const { order: shuffled } = engine
  const first = lane * units
  const draws = (lane * streams + SIGHT) * GENERATOR_WORDS
  for (let v = 0; v < units; v++) {
    const by = tied[first + v] - 1
    if (by < 0 || (health[first + v] > 0 && health[first + by] > 0)) continue
    tied[first + v] = 0
    for (let u = 0; u < units; u++) granted[(first + u) * units + v] = 0
  }
  for (let side = 0; side < 2; side++) {
    const own = sides[side]
    const other = sides[1 - side]
    for (let n = 0; n < own.count; n++) shuffled[n] = own.base + n
    for (let n = own.count - 1; n > 0; n--) {
      const m = nextBelow(random, draws, n + 1)
      const kept = shuffled[n]
      shuffled[n] = shuffled[m]
      shuffled[m] = kept
    }
    for (let n = 0; n < own.count; n++) {
      const u = shuffled[n]
      if (health[first + u] <= 0) continue
      for (let v = other.base; v < other.base + other.count; v++) {
        if (tied[first + v] !== 0 || health[first + v] <= 0) continue
        const dx = x[first + v] - x[first + u]
        const dy = y[first + v] - y[first + u]
        if (!inSight(state, first, u, v, dx * dx + dy * dy)) continue
        tied[first + v] = u + 1
        for (let mate = own.base; mate < own.base + own.count; mate++) {
          const may = mate === u || nextFloat(random, draws) < options.sharedSight
          granted[(first + mate) * units + v] = may ? 1 : 0
        }
      }
    }
  }
}
