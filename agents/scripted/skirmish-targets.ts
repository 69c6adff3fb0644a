/**
 * What the scripted skirmish policies share: they see the whole battle (`privileged`) and differ in whom they shoot and
 * when they walk. Walking and healing are those of the recorded reference policies.
 */
import { type EnvBatch, type Generator } from '../../envs/core/index.ts'
import { type SkirmishWorld } from '../../envs/skirmish/index.ts'
import { type ActionBatch, type PrivilegedPolicy } from '../core/policy.ts'

const STOP = 1
const NORTH = 2
const SOUTH = 3
const EAST = 4
const WEST = 5

/** A healer without patients stays this near to the others, in cells. */
const FOLLOW = 1.5

/** One unit about to choose, among the arrays of the world. */
export interface Unit {
  readonly world: SkirmishWorld
  readonly first: number // of the lane
  readonly u: number
  readonly side: number
  /** 1 = legal; index 0 is the no-op. */
  readonly legal: (action: number) => boolean
  readonly firstAttack: number
}

const squared = ({ world, first, u }: Unit, v: number): number => {
  const dx = world.x[first + v] - world.x[first + u]
  const dy = world.y[first + v] - world.y[first + u]
  return dx * dx + dy * dy
}

/** Whether the unit's weapon can hurt opponent `v`. */
export function canHit({ world, first, u }: Unit, v: number): boolean {
  const { tables } = world.plan
  return tables.hit[world.type[first + u] * tables.types.length + world.type[first + v]] > 0
}

/** The legal target action that `better` likes best; ties to the lowest number. -1 when there is none. */
export function chooseAttack(unit: Unit, score: (v: number) => number): number {
  const other = unit.world.plan.sides[1 - unit.side]
  let best = -1
  let least = Infinity
  for (let k = 0; k < other.count; k++) {
    const v = other.base + k
    if (!unit.legal(unit.firstAttack + k) || !canHit(unit, v)) continue
    const value = score(v)
    if (value >= least) continue
    least = value
    best = unit.firstAttack + k
  }
  return best
}

export const nearestFirst = (unit: Unit) => (v: number) => squared(unit, v)

export const weakestFirst =
  ({ world, first }: Unit) =>
  (v: number) =>
    world.health[first + v] + world.shield[first + v]

/** The nearest living unit of a side that passes; -1 when there is none. */
export function nearestOf(unit: Unit, side: number, passes: (v: number) => boolean): number {
  const { base, count } = unit.world.plan.sides[side]
  let best = -1
  let least = Infinity
  for (let v = base; v < base + count; v++) {
    if (v === unit.u || unit.world.health[unit.first + v] <= 0 || !passes(v)) continue
    const d2 = squared(unit, v)
    if (d2 >= least) continue
    least = d2
    best = v
  }
  return best
}

/**
 * One step along the axis with the larger offset (x only if strictly larger), else the other axis if that is legal, else
 * stop. `sign` -1 walks away.
 */
export function walk(unit: Unit, v: number, sign = 1): number {
  const { world, first, u, legal } = unit
  const dx = sign * (world.x[first + v] - world.x[first + u])
  const dy = sign * (world.y[first + v] - world.y[first + u])
  const alongX = dx > 0 ? EAST : WEST
  const alongY = dy > 0 ? NORTH : SOUTH
  const [one, two] = Math.abs(dx) > Math.abs(dy) ? [alongX, alongY] : [alongY, alongX]
  return legal(one) ? one : legal(two) ? two : STOP
}

/** Healers: the patient that `score` likes best among those in reach, else towards somebody hurt, else along. */
export function tend(unit: Unit, score: (v: number) => number): number {
  const { world, first, side, firstAttack, legal } = unit
  const { sides, tables } = world.plan
  const own = sides[side]
  const hurt = (v: number) => {
    const t = world.type[first + v]
    return tables.healable[t] === 1 && world.health[first + v] < tables.health[t]
  }
  let best = -1
  let least = Infinity
  for (let k = 0; k < own.count; k++) {
    if (!legal(firstAttack + k) || !hurt(own.base + k)) continue
    const value = score(own.base + k)
    if (value >= least) continue
    least = value
    best = firstAttack + k
  }
  if (best >= 0) return best
  const patient = nearestOf(unit, side, hurt)
  if (patient >= 0) return walk(unit, patient)
  const mate = nearestOf(unit, side, (v) => tables.heals[world.type[first + v]] === 0)
  return mate >= 0 && squared(unit, mate) > FOLLOW * FOLLOW ? walk(unit, mate) : STOP
}

/** Towards the nearest opponent anywhere. */
export function advance(unit: Unit): number {
  const nearest = nearestOf(unit, 1 - unit.side, () => true)
  return nearest >= 0 ? walk(unit, nearest) : STOP
}

/** A policy from what one unit does. Turns to a target that the cone hides. */
export function squad(name: string, choose: (unit: Unit) => number): PrivilegedPolicy {
  return {
    name,
    privileged: true,
    memory: () => null,
    act(batch: EnvBatch, agents: Int32Array, _memory: unknown, out: ActionBatch, _rng: Generator): void {
      const world = batch.world as SkirmishWorld
      const { plan } = world
      const { spec, mask } = batch
      const N = spec.agents.length
      const A = spec.actionSize
      for (let lane = 0; lane < batch.lanes; lane++) {
        const first = lane * plan.units
        for (let n = 0; n < agents.length; n++) {
          const u = spec.seats[agents[n]]
          const row = (lane * N + agents[n]) * A
          const at = lane * agents.length + n
          if (world.health[first + u] <= 0) {
            out.action[at] = 0
            continue
          }
          const side = u < plan.sides[0].count ? 0 : 1
          const { firstAttack } = plan.sides[side]
          const unit: Unit = { world, first, u, side, firstAttack, legal: (action) => mask[row + action] === 1 }
          out.action[at] = plan.options.cone ? turned(unit, choose) : choose(unit)
        }
      }
    },
  }
}

/** Under the cone: looks at the nearest opponent in range when nobody can be attacked; else as without. */
function turned(unit: Unit, choose: (unit: Unit) => number): number {
  const action = choose(unit)
  const { world, first, u, side } = unit
  if (action >= unit.firstAttack) return action
  const nearest = nearestOf(unit, 1 - side, () => true)
  if (nearest < 0) return action
  const range = world.plan.shootRange[world.type[first + u]]
  if (squared(unit, nearest) > range * range) return action
  const dx = world.x[first + nearest] - world.x[first + u]
  const dy = world.y[first + nearest] - world.y[first + u]
  const look = Math.round(Math.atan2(dy, dx) / (Math.PI / 6))
  return 6 + ((look + 12) % 12)
}
