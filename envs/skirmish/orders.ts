/** From orders to what each unit does in this loop: whom it shoots or heals, or where it walks. */
import { ENGAGED, IDLE, WALKING, type Engine } from './engine.ts'
import { cellOf } from './ground.ts'
import { ATTACK, GUARD, HEAL, HUNT, MOVE, STOP, type SkirmishState } from './state.ts'
import { wayTo } from './terrain.ts'

/** A scripted unit looks around every this many loops (sc2). */
const LOOK_EVERY = 4

/** Added to the range within which an attack-moving unit notices targets (sc2). */
const NOTICE = 0.5

/** Fills `mode`, `fire`, `mend`, `wx` and `wy` for every living unit. @param loop of the step */
export function decide(state: SkirmishState, engine: Engine, lane: number, tick: number, loop: number): number {
  const { plan, x, y, vx, type, health, order, aim, px, py } = state
  const { tables, sides, units, rules } = plan
  const { live, living, mode, fire, mend, wx, wy, scripted } = engine
  const T = tables.types.length
  const first = lane * units
  const allies = sides[0].count
  let walkers = 0
  for (let a = 0; a < living; a++) {
    const u = live[a]
    const i = first + u
    const t = type[i]
    fire[u] = mend[u] = -1
    mode[u] = IDLE
    wx[u] = wy[u] = 0
    let pace = tables.speed[(u < allies ? 0 : T) + t]
    let target = -1
    let healing = false
    let gx = 0
    let gy = 0
    const kind = order[i]
    if (kind === STOP) {
      if (tables.acceleration[t] > 0) vx[i] = 0
      continue
    }
    if (kind === MOVE) {
      gx = px[i]
      gy = py[i]
    } else if (kind === ATTACK || kind === HEAL) {
      target = aim[i]
      if (health[first + target] <= 0) {
        order[i] = STOP
        aim[i] = -1
        continue
      }
      healing = kind === HEAL
    } else if (scripted[u] === 1) {
      gx = px[i]
      gy = py[i]
      if (tables.heals[t] > 0) {
        target = chooseHurt(state, engine, first, u)
        healing = target >= 0
        if (target < 0) {
          if (kind === HUNT) {
            const closest = chooseClosest(state, first, u, false)
            if (closest >= 0) {
              gx = x[first + closest]
              gy = y[first + closest]
            }
          }
          pace = Math.min(pace, slowestNear(state, engine, first, u))
        }
      } else if (kind === HUNT) {
        if (aim[i] < 0 || health[first + aim[i]] <= 0) {
          if (aim[i] < 0 || loop === 0) aim[i] = chooseClosest(state, first, u, true)
          else aim[i] = -1
        }
        target = aim[i]
        if (target < 0) continue
      } else {
        target = rules === 'smaclite' ? acquireLite(state, engine, first, u) : acquire(state, first, u, tick)
        aim[i] = target
      }
      if (target < 0 && kind === GUARD) continue
    }
    if (target >= 0) {
      const j = first + target
      gx = x[j]
      gy = y[j]
      const dx = gx - x[i]
      const dy = gy - y[i]
      const reach = tables.range[t] + tables.radius[t] + tables.radius[type[j]]
      if (dx * dx + dy * dy <= reach * reach) {
        mode[u] = ENGAGED
        if (tables.acceleration[t] > 0) vx[i] = 0
        if (healing) mend[u] = target
        else if (tables.hit[t * T + type[j]] > 0) fire[u] = target
        continue
      }
      if (kind === GUARD) continue
    }
    if (pace === 0) continue
    if (tables.acceleration[t] > 0) {
      // The pace of units that gather speed is kept in vx, which the pushing rule set does not need otherwise.
      pace = Math.min(pace, vx[i] + tables.acceleration[t])
      vx[i] = pace
    }
    let direct = true
    if (target >= 0 || scripted[u] === 1) {
      const { terrain } = plan
      if (!terrain.open && tables.flies[t] === 0 && tables.strides[t] === 0) {
        const from = cellOf(terrain, x[i], y[i])
        const to = cellOf(terrain, gx, gy)
        if (from !== to) {
          const stop = wayTo(terrain, to)[from]
          if (stop !== to) {
            direct = false
            gx = (stop % terrain.width) + 0.5 - terrain.width / 2
            gy = Math.floor(stop / terrain.width) + 0.5 - terrain.height / 2
          }
        }
      }
    }
    const dx = gx - x[i]
    const dy = gy - y[i]
    const d = Math.sqrt(dx * dx + dy * dy)
    if (d < 1e-9) continue
    // A scripted unit that has arrived stands still; it does not tremble about its goal.
    if (target < 0 && direct && scripted[u] === 1 && d < Math.max(pace, plan.arrival[u < allies ? 0 : 1])) continue
    const step = rules === 'sc2' && d < pace ? d : pace
    wx[u] = (dx / d) * step
    wy[u] = (dy / d) * step
    mode[u] = WALKING
    walkers++
  }
  return walkers
}

/** The closest living opponent; with `hittable` only those the weapon can hit, if there are any. */
function chooseClosest(state: SkirmishState, first: number, u: number, hittable: boolean): number {
  const { plan, x, y, type, health } = state
  const { tables, sides } = plan
  const T = tables.types.length
  const i = first + u
  const other = sides[u < sides[0].count ? 1 : 0]
  let best = -1
  let bestAt = Infinity
  for (let k = other.base; k < other.base + other.count; k++) {
    const j = first + k
    if (health[j] <= 0 || (hittable && tables.hit[type[i] * T + type[j]] === 0)) continue
    const dx = x[j] - x[i]
    const dy = y[j] - y[i]
    const d2 = dx * dx + dy * dy
    if (d2 < bestAt) {
      bestAt = d2
      best = k
    }
  }
  return best
}

/**
 * Target of an attack-moving unit (sc2): kept until it dies or leaves weapon range, then the closest of those that can
 * hurt it, else the closest, within the larger of scan and weapon range plus a half, edge to edge.
 */
function acquire(state: SkirmishState, first: number, u: number, tick: number): number {
  const { plan, x, y, type, health, aim } = state
  const { tables, sides } = plan
  const T = tables.types.length
  const i = first + u
  const t = type[i]
  const own = tables.radius[t]
  const side = u < sides[0].count ? 0 : 1
  let kept = aim[i]
  if (kept >= 0 && health[first + kept] <= 0) kept = -1
  else if (kept >= 0) {
    const j = first + kept
    const dx = x[j] - x[i]
    const dy = y[j] - y[i]
    const reach = tables.range[t] + own + tables.radius[type[j]]
    if (dx * dx + dy * dy <= reach * reach) return kept
  }
  const lost = aim[i] >= 0 && kept < 0
  if (!lost && (tick + u - sides[side].base) % LOOK_EVERY !== 0) return kept
  const other = sides[1 - side]
  const notice = Math.max(tables.scan[t], tables.range[t]) + NOTICE + own
  let best = -1
  let bestAt = Infinity
  let bestThreat = 0
  for (let k = other.base; k < other.base + other.count; k++) {
    const j = first + k
    if (health[j] <= 0) continue
    const o = type[j]
    const dx = x[j] - x[i]
    const dy = y[j] - y[i]
    const d2 = dx * dx + dy * dy
    const reach = notice + tables.radius[o]
    if (d2 > reach * reach || tables.hit[t * T + o] === 0) continue
    const threat = tables.hit[o * T + t] > 0 ? 1 : 0
    if (threat < bestThreat || (threat === bestThreat && d2 >= bestAt)) continue
    best = k
    bestAt = d2
    bestThreat = threat
  }
  return best
}

/**
 * Target of a scripted unit (smaclite): dropped when dead, or out of weapon range and not attacking this unit. Searched
 * among opponents within the scan range edge to edge (which meets the recorded play) and all that attack it; healers first, then the closest.
 * While the other side has a healer, a target that is none is chosen anew every loop.
 */
function acquireLite(state: SkirmishState, engine: Engine, first: number, u: number): number {
  const { plan, x, y, type, health, aim, order } = state
  const { tables, sides } = plan
  const { live, living } = engine
  void live
  void living
  const T = tables.types.length
  const i = first + u
  const t = type[i]
  const other = sides[u < sides[0].count ? 1 : 0]
  let healers = false
  for (let k = other.base; k < other.base + other.count && !healers; k++) {
    healers = health[first + k] > 0 && tables.heals[type[first + k]] > 0
  }
  let kept = aim[i]
  if (kept >= 0) {
    const j = first + kept
    if (health[j] <= 0) kept = -1
    else {
      const dx = x[j] - x[i]
      const dy = y[j] - y[i]
      const reach = tables.range[t] + tables.radius[t] + tables.radius[type[j]]
      if (dx * dx + dy * dy > reach * reach && !(order[j] === ATTACK && aim[j] === u)) kept = -1
    }
  }
  if (kept >= 0 && (!healers || tables.heals[type[first + kept]] > 0)) return kept
  let best = -1
  let bestAt = Infinity
  let bestHeals = false
  for (let k = other.base; k < other.base + other.count; k++) {
    const j = first + k
    if (health[j] <= 0 || tables.hit[t * T + type[j]] === 0) continue
    const dx = x[j] - x[i]
    const dy = y[j] - y[i]
    const d2 = dx * dx + dy * dy
    const reach = tables.scan[t] + tables.radius[t] + tables.radius[type[j]]
    if (d2 >= reach * reach && !(order[j] === ATTACK && aim[j] === u)) continue
    const heals = tables.heals[type[j]] > 0
    if (bestHeals && !heals) continue
    if (heals === bestHeals && d2 >= bestAt) continue
    best = k
    bestAt = d2
    bestHeals = heals
  }
  return best
}

/** For a scripted healer: the team mate in scan range with the least health that is hurt or fighting; -1 none. */
function chooseHurt(state: SkirmishState, engine: Engine, first: number, u: number): number {
  const { plan, x, y, type, health, aim, energy } = state
  const { tables, sides } = plan
  const i = first + u
  const side = sides[u < sides[0].count ? 0 : 1]
  if (energy[i] + state.credit[i] < 1) return -1
  let best = -1
  let least = Infinity
  for (let k = side.base; k < side.base + side.count; k++) {
    const j = first + k
    if (k === u || health[j] <= 0 || tables.healable[type[j]] === 0) continue
    if (health[j] >= tables.health[type[j]] && (plan.rules === 'sc2' || aim[j] < 0)) continue
    const dx = x[j] - x[i]
    const dy = y[j] - y[i]
    const reach = tables.scan[type[i]] + tables.radius[type[j]]
    if (dx * dx + dy * dy >= reach * reach || health[j] >= least) continue
    best = k
    least = health[j]
  }
  if (best < 0) return -1
  if (best !== aim[i] && energy[i] < tables.energyToStart[type[i]]) return -1
  aim[i] = best
  void engine
  return best
}

/** Pace of the slowest team mate in scan range, so that a healer does not run ahead. */
function slowestNear(state: SkirmishState, engine: Engine, first: number, u: number): number {
  const { plan, x, y, type } = state
  const { tables, sides } = plan
  const T = tables.types.length
  const i = first + u
  const ally = u < sides[0].count
  let slowest = Infinity
  for (let a = 0; a < engine.living; a++) {
    const k = engine.live[a]
    const j = first + k
    if (k === u || k < sides[0].count !== ally || tables.heals[type[j]] > 0) continue
    const dx = x[j] - x[i]
    const dy = y[j] - y[i]
    const reach = tables.scan[type[i]] + tables.radius[type[j]]
    const pace = tables.speed[(ally ? 0 : T) + type[j]]
    if (pace > 0 && dx * dx + dy * dy < reach * reach && pace < slowest) slowest = pace
  }
  return slowest
}
