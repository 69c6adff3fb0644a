/** From orders to what each unit does in this loop: whom it shoots or heals, or where it walks. */
import * as engines from './engine.ts'
import { type Engine } from './engine.ts'
import { cellOf } from './ground.ts'
import * as states from './state.ts'
import { type SkirmishState } from './state.ts'
import { wayTo } from './terrain.ts'

const { X, Y, NX, NY, WX, WY, GX, GY, PACE, REACH, RADIUS, STRIDE, HEALTH } = engines.BODY
const { ORDER, AIM, MODE, FIRE, TYPE, ROW, SIDE, TRAITS, BLOCKER, AX, AY } = engines.MARK
const { IDLE, ENGAGED, WALKING, STUCK, SCRIPTED, HEALS, GATHERS_SPEED, CROSSES, RECORD_SHIFT, NOTICE } = engines
const { LONGEST_PUSH } = engines
const { STOP, MOVE, ATTACK, HEAL, HUNT, GUARD } = states

/** A scripted unit looks around every this many loops (sc2). */
const LOOK_EVERY = 4

/** A walker that moved less than this per loop is in the way of others, in cells. */
const SLOW = 0.03

/**
 * Sets mode, target, wanted displacement and (for now) next place of every living unit.
 * @param tick loops since the start of the episode
 * @param loop of the step
 * @param begins whether a beat begins: blockers are looked for anew
 */
export function decide(
  state: SkirmishState,
  engine: Engine,
  lane: number,
  tick: number,
  loop: number,
  begins: boolean,
): void {
  const { plan, vx } = state
  const { hit, acceleration } = plan.tables
  const { body, mark, live, living, goal } = engine
  const first = lane * plan.units
  const sc2 = plan.rules === 'sc2'
  const walled = !plan.terrain.open
  const arrivals = plan.arrival
  // No search can find anybody while the armies are farther apart than any of them notices.
  const apart = engine.gap - 2 * loop * (engine.fastest + LONGEST_PUSH) > engine.farthestNotice + 1e-6
  let walkers = 0
  for (let a = 0; a < living; a++) {
    const b = live[a]
    const px = body[b + X]
    const py = body[b + Y]
    body[b + NX] = px
    body[b + NY] = py
    mark[b + MODE] = IDLE
    mark[b + FIRE] = -1
    if (begins) mark[b + BLOCKER] = -1
    mark[b + AX] = 0
    mark[b + AY] = 0
    const kind = mark[b + ORDER]
    const traits = mark[b + TRAITS]
    if (kind === STOP) {
      if ((traits & GATHERS_SPEED) !== 0) vx[first + (b >> RECORD_SHIFT)] = 0
      continue
    }
    let pace = body[b + PACE]
    let gx = body[b + GX]
    let gy = body[b + GY]
    let target = -1
    if (kind === ATTACK || kind === HEAL) {
      target = mark[b + AIM]
      if (target < 0 || body[target + HEALTH] <= 0) {
        mark[b + ORDER] = STOP
        mark[b + AIM] = -1
        continue
      }
    } else if (kind !== MOVE) {
      if ((traits & HEALS) !== 0) {
        target = chooseHurt(state, engine, lane, b)
        if (target < 0) {
          if (kind === HUNT) {
            const closest = chooseClosest(state, engine, b, false)
            if (closest >= 0) {
              gx = body[closest + X]
              gy = body[closest + Y]
            }
          }
          pace = Math.min(pace, slowestNear(state, engine, b))
        }
      } else if (kind === HUNT) {
        target = mark[b + AIM]
        if (target < 0 || body[target + HEALTH] <= 0) {
          target = target < 0 || loop === 0 ? chooseClosest(state, engine, b, true) : -1
          mark[b + AIM] = target
        }
        if (target < 0) continue
      } else {
        target = sc2 ? keepOrAcquire(state, engine, b, tick, apart) : acquireLite(state, engine, b)
        mark[b + AIM] = target
      }
      if (target < 0 && kind === GUARD) continue
    }
    if (target >= 0) {
      gx = body[target + X]
      gy = body[target + Y]
      const dx = gx - px
      const dy = gy - py
      const reach = body[b + REACH] + body[target + RADIUS]
      if (dx * dx + dy * dy <= reach * reach) {
        mark[b + MODE] = ENGAGED
        if ((traits & GATHERS_SPEED) !== 0) vx[first + (b >> RECORD_SHIFT)] = 0
        if ((traits & HEALS) !== 0 || hit[mark[b + ROW] + mark[target + TYPE]] > 0) mark[b + FIRE] = target
        continue
      }
      if (kind === GUARD) continue
    }
    if (pace === 0) continue
    if ((traits & GATHERS_SPEED) !== 0) {
      // The pace of units that gather speed is kept in vx, which the pushing rule set does not need otherwise.
      const i = first + (b >> RECORD_SHIFT)
      pace = Math.min(pace, vx[i] + acceleration[mark[b + TYPE]])
      vx[i] = pace
    }
    const marching = target < 0 && (traits & SCRIPTED) !== 0
    let direct = true
    if (walled && (traits & CROSSES) === 0 && (target >= 0 || marching) && detour(state, engine, px, py, gx, gy)) {
      direct = false
      gx = goal[0]
      gy = goal[1]
    }
    const dx = gx - px
    const dy = gy - py
    const d = Math.sqrt(dx * dx + dy * dy)
    if (d < 1e-9) continue
    // A scripted unit that has arrived stands still; it does not tremble about its goal.
    if (marching && direct && d < Math.max(pace, arrivals[mark[b + SIDE]])) continue
    const step = sc2 && d < pace ? d : pace
    const wx = (dx / d) * step
    const wy = (dy / d) * step
    body[b + WX] = wx
    body[b + WY] = wy
    body[b + NX] = px + wx
    body[b + NY] = py + wy
    mark[b + MODE] = body[b + STRIDE] < SLOW ? STUCK : WALKING
    walkers++
  }
  engine.walkers = walkers
}

/** Writes the point to walk straight to into `engine.goal` when a wall is in between. @returns whether one is */
function detour(state: SkirmishState, engine: Engine, px: number, py: number, gx: number, gy: number): boolean {
  const { terrain } = state.plan
  const from = cellOf(terrain, px, py)
  const to = cellOf(terrain, gx, gy)
  if (from === to) return false
  const stop = wayTo(terrain, to)[from]
  if (stop === to) return false
  engine.goal[0] = (stop % terrain.width) + 0.5 - terrain.width / 2
  engine.goal[1] = Math.floor(stop / terrain.width) + 0.5 - terrain.height / 2
  return true
}

/** The closest living opponent; with `hittable` only those the weapon can hit; negative = none. */
function chooseClosest(state: SkirmishState, engine: Engine, b: number, hittable: boolean): number {
  const { hit } = state.plan.tables
  const { body, mark, live, livingAllies, living } = engine
  const ally = mark[b + SIDE] === 0
  const from = ally ? livingAllies : 0
  const to = ally ? living : livingAllies
  const row = mark[b + ROW]
  const px = body[b + X]
  const py = body[b + Y]
  let best = -1
  let bestAt = Infinity
  for (let a = from; a < to; a++) {
    const c = live[a]
    const dx = body[c + X] - px
    const dy = body[c + Y] - py
    const d2 = dx * dx + dy * dy
    if (d2 >= bestAt || (hittable && hit[row + mark[c + TYPE]] === 0)) continue
    bestAt = d2
    best = c
  }
  return best
}

/** Target of an attack-moving unit (sc2): kept until it dies or leaves weapon range, else looked for now and then. */
function keepOrAcquire(state: SkirmishState, engine: Engine, b: number, tick: number, apart: boolean): number {
  const { body, mark } = engine
  const kept = mark[b + AIM]
  if (kept >= 0 && body[kept + HEALTH] > 0) {
    const dx = body[kept + X] - body[b + X]
    const dy = body[kept + Y] - body[b + Y]
    const reach = body[b + REACH] + body[kept + RADIUS]
    if (dx * dx + dy * dy <= reach * reach) return kept
  }
  const lost = kept >= 0 && body[kept + HEALTH] <= 0
  const turn = tick + (b >> RECORD_SHIFT) - state.plan.sides[mark[b + SIDE]].base
  if (!lost && turn % LOOK_EVERY !== 0) return kept
  return apart ? -1 : acquire(state, engine, b)
}

/**
 * The closest of those that can hurt unit `b`, else the closest, within the larger of scan and weapon range plus a half,
 * edge to edge (sc2).
 */
function acquire(state: SkirmishState, engine: Engine, b: number): number {
  const { tables } = state.plan
  const { hit, scan, range, radius } = tables
  const { body, mark, live, livingAllies, living } = engine
  const t = mark[b + TYPE]
  const row = mark[b + ROW]
  const px = body[b + X]
  const py = body[b + Y]
  const notice = Math.max(scan[t], range[t]) + NOTICE + radius[t]
  const ally = mark[b + SIDE] === 0
  const from = ally ? livingAllies : 0
  const to = ally ? living : livingAllies
  let best = -1
  let bestAt = Infinity
  let bestThreat = 0
  for (let a = from; a < to; a++) {
    const c = live[a]
    const dx = body[c + X] - px
    const dy = body[c + Y] - py
    const d2 = dx * dx + dy * dy
    const reach = notice + body[c + RADIUS]
    if (d2 > reach * reach || hit[row + mark[c + TYPE]] === 0) continue
    const threat = hit[mark[c + ROW] + t] > 0 ? 1 : 0
    if (threat < bestThreat || (threat === bestThreat && d2 >= bestAt)) continue
    best = c
    bestAt = d2
    bestThreat = threat
  }
  return best
}

/**
 * Target of a scripted unit (smaclite): dropped when dead, or out of weapon range and not attacking this unit. Searched
 * among opponents within the scan range edge to edge (which meets the recorded play) and all that attack it; healers
 * first, then the closest. While the other side has a healer, a target that is none is chosen anew every loop.
 */
function acquireLite(state: SkirmishState, engine: Engine, b: number): number {
  const { tables } = state.plan
  const { hit, scan, radius } = tables
  const { body, mark, live, livingAllies, living } = engine
  const ally = mark[b + SIDE] === 0
  const from = ally ? livingAllies : 0
  const to = ally ? living : livingAllies
  let healers = false
  for (let a = from; a < to && !healers; a++) healers = (mark[live[a] + TRAITS] & HEALS) !== 0
  const px = body[b + X]
  const py = body[b + Y]
  let kept = mark[b + AIM]
  if (kept >= 0) {
    if (body[kept + HEALTH] <= 0) kept = -1
    else {
      const dx = body[kept + X] - px
      const dy = body[kept + Y] - py
      const reach = body[b + REACH] + body[kept + RADIUS]
      if (dx * dx + dy * dy > reach * reach && !(mark[kept + ORDER] === ATTACK && mark[kept + AIM] === b)) kept = -1
    }
  }
  if (kept >= 0 && (!healers || (mark[kept + TRAITS] & HEALS) !== 0)) return kept
  const notice = scan[mark[b + TYPE]] + radius[mark[b + TYPE]]
  const row = mark[b + ROW]
  let best = -1
  let bestAt = Infinity
  let bestHeals = false
  for (let a = from; a < to; a++) {
    const c = live[a]
    if (hit[row + mark[c + TYPE]] === 0) continue
    const dx = body[c + X] - px
    const dy = body[c + Y] - py
    const d2 = dx * dx + dy * dy
    const reach = notice + body[c + RADIUS]
    if (d2 >= reach * reach && !(mark[c + ORDER] === ATTACK && mark[c + AIM] === b)) continue
    const heals = (mark[c + TRAITS] & HEALS) !== 0
    if (bestHeals && !heals) continue
    if (heals === bestHeals && d2 >= bestAt) continue
    best = c
    bestAt = d2
    bestHeals = heals
  }
  return best
}

/** For a scripted healer: the team mate in scan range with the least health that is hurt or fighting; negative = none. */
function chooseHurt(state: SkirmishState, engine: Engine, lane: number, b: number): number {
  const { plan, energy, credit } = state
  const { tables, units } = plan
  const { body, mark, live, livingAllies, living } = engine
  const i = lane * units + (b >> RECORD_SHIFT)
  if (energy[i] + credit[i] < 1) return -1
  const t = mark[b + TYPE]
  const ally = mark[b + SIDE] === 0
  const to = ally ? livingAllies : living
  let best = -1
  let least = Infinity
  for (let a = ally ? 0 : livingAllies; a < to; a++) {
    const c = live[a]
    const o = mark[c + TYPE]
    if (c === b || tables.healable[o] === 0) continue
    if (body[c + HEALTH] >= tables.health[o] && (plan.rules === 'sc2' || mark[c + AIM] < 0)) continue
    const dx = body[c + X] - body[b + X]
    const dy = body[c + Y] - body[b + Y]
    const reach = tables.scan[t] + tables.radius[o]
    if (dx * dx + dy * dy >= reach * reach || body[c + HEALTH] >= least) continue
    best = c
    least = body[c + HEALTH]
  }
  if (best < 0) return -1
  if (best !== mark[b + AIM] && energy[i] < tables.energyToStart[t]) return -1
  mark[b + AIM] = best
  return best
}

/** Pace of the slowest team mate in scan range, so that a healer does not run ahead. */
function slowestNear(state: SkirmishState, engine: Engine, b: number): number {
  const { tables } = state.plan
  const { body, mark, live, livingAllies, living } = engine
  const ally = mark[b + SIDE] === 0
  const to = ally ? livingAllies : living
  let slowest = Infinity
  for (let a = ally ? 0 : livingAllies; a < to; a++) {
    const c = live[a]
    if (c === b || (mark[c + TRAITS] & HEALS) !== 0) continue
    const dx = body[c + X] - body[b + X]
    const dy = body[c + Y] - body[b + Y]
    const reach = tables.scan[mark[b + TYPE]] + tables.radius[mark[c + TYPE]]
    const pace = body[c + PACE]
    if (pace > 0 && dx * dx + dy * dy < reach * reach && pace < slowest) slowest = pace
  }
  return slowest
}
