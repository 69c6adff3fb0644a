/**
 * What each unit does in a loop: `../orders.ts` under the rule set `sc2`, in two parts. What an order comes to (whom, where
 * to, how near) holds until somebody dies, finds a target or loses it; from that, `act` works out places, modes, weapons
 * and walkers of all units two at a time without a branch.
 */
import * as m from './memory'

const LOOK_EVERY: i32 = 4
const SLOW: f64 = 0.03
/** Whoever is nearer to its goal stays. */
const THERE: f64 = 1e-9
/** Bytes of the columns of orders that `look` writes anew. */
const TAKEN: usize = m.TAKEN_GOAL - m.GOAL

/** Next cell on the way from one cell to another, for grounds too large to keep all ways here. */
// @ts-ignore: decorator
@external('machine', 'next')
declare function nextCell(to: i32, from: i32): i32

/** Ends of the lists of this loop: who walks, who shoots, healers that heal, and walkers that may meet a wall. */
export let walkersEnd: usize = 0
export let shootersEnd: usize = 0
export let mendersEnd: usize = 0
export let nearWallsEnd: usize = 0
let mindsEnd: usize = 0

/** From any ally to any enemy along one axis, at least. */
let gap: f64 = 0

export function measureGap(): void {
  let west: f64 = Infinity
  let east: f64 = -Infinity
  let south: f64 = Infinity
  let north: f64 = -Infinity
  for (let k: usize = 0; k < m.alliesEnd; k += 8) {
    const px = load<f64>(k, m.X)
    const py = load<f64>(k, m.Y)
    if (px < west) west = px
    if (px > east) east = px
    if (py < south) south = py
    if (py > north) north = py
  }
  gap = Infinity
  for (let k = m.alliesEnd; k < m.unitsEnd; k += 8) {
    const px = load<f64>(k, m.X)
    const py = load<f64>(k, m.Y)
    const across = px < west ? west - px : px - east
    const along = py < south ? south - py : py - north
    const apart = across > along ? across : along
    if (apart < gap) gap = apart
  }
}

// @ts-ignore: decorator
@inline
function orderOf(k: usize): i32 {
  return <i32>load<u8>(m.orderAt + (<usize>load<u32>(k, m.AT) >> 3))
}

// @ts-ignore: decorator
@inline
function aimOf(k: usize): i32 {
  return <i32>load<i16>(m.aimAt + (<usize>load<u32>(k, m.AT) >> 2))
}

// @ts-ignore: decorator
@inline
function setAim(k: usize, c: i32): void {
  store<i16>(m.aimAt + (<usize>load<u32>(k, m.AT) >> 2), c < 0 ? -1 : <i16>m.numberOf(<usize>c))
}

/** It stands still. */
export function rest(k: usize): void {
  store<i32>(k, -1, m.TARGET)
  store<u32>(k, <u32>(k + m.X), m.GOAL)
  store<f64>(k, -1, m.REACH2)
  store<f64>(k, Infinity, m.NEAREST)
  store<i64>(k, 0, m.CAN_FIRE)
}

/** The order is given up: its target is dead. */
function giveUp(k: usize): void {
  const at = <usize>load<u32>(k, m.AT)
  store<u8>(m.orderAt + (at >> 3), <u8>m.STOP)
  store<i16>(m.aimAt + (at >> 2), -1)
  rest(k)
}

/** It goes after unit `c`. */
function follow(k: usize, c: usize, stands: bool): void {
  store<i32>(k, <i32>c, m.TARGET)
  store<u32>(k, <u32>(c + m.X), m.GOAL)
  const reach = load<f64>(k, m.REACH) + load<f64>(c, m.RADIUS)
  store<f64>(k, reach * reach, m.REACH2)
  store<f64>(k, stands || load<f64>(k, m.PACE) == 0 ? Infinity : THERE, m.NEAREST)
  store<i64>(k, hitOf(k, c) > 0 && !(load<i32>(k, m.TRAITS) & m.HEALS) ? -1 : 0, m.CAN_FIRE)
}

/** It goes to the point `x` at `goal`. A scripted unit that has arrived stands still. */
function march(k: usize, goal: usize): void {
  store<i32>(k, -1, m.TARGET)
  store<u32>(k, <u32>goal, m.GOAL)
  store<f64>(k, -1, m.REACH2)
  store<i64>(k, 0, m.CAN_FIRE)
  const pace = load<f64>(k, m.PACE)
  let nearest: f64 = THERE
  if (pace == 0) nearest = Infinity
  else if (load<i32>(k, m.TRAITS) & m.SCRIPTED) {
    nearest = max<f64>(THERE, max<f64>(pace, k < m.alliesEnd ? m.arrivalAlly : m.arrivalEnemy))
  }
  store<f64>(k, nearest, m.NEAREST)
}

/** What the order of a unit comes to at the start of a step; lists who has to think in its loops. */
export function takeOrders(): void {
  let minds = m.MINDS
  for (let k: usize = 0; k < m.unitsEnd; k += 8) {
    const order = orderOf(k)
    const aim = aimOf(k)
    const target = aim < 0 ? -1 : load<i32>(<usize>aim << 3, m.PLACE)
    store<i32>(k, 0, m.LOST)
    if (load<i32>(k, m.TRAITS) & (m.HEALS | m.GATHERS_SPEED)) {
      rest(k)
      store<u32>(minds, <u32>k)
      minds += 4
    } else if (order == m.STOP) rest(k)
    else if (order == m.MOVE) march(k, k + m.PX)
    else if (order == m.ATTACK || order == m.HEAL) {
      if (target < 0) giveUp(k)
      else follow(k, <usize>target, false)
    } else {
      store<u32>(minds, <u32>k)
      minds += 4
      if (target >= 0) follow(k, <usize>target, order == m.GUARD)
      else {
        store<i32>(k, aim >= 0 || order == m.HUNT ? 1 : 0, m.LOST)
        if (order == m.GUARD || order == m.HUNT) rest(k)
        else march(k, k + m.PX)
      }
    }
  }
  mindsEnd = minds
}

/** The dead leave; who aimed at one gives up, or looks for another. */
export function forgetTheDead(): void {
  const end = m.unitsEnd
  let minds = m.MINDS
  for (let at = minds; at < mindsEnd; at += 4) {
    const k = load<u32>(at)
    store<u32>(minds, k)
    if (m.healthOf(<usize>k) > 0) minds += 4
  }
  mindsEnd = minds
  for (let k: usize = 0; k < end; k += 8) {
    const target = load<i32>(k, m.TARGET)
    if (target < 0 || m.healthOf(<usize>target) > 0) continue
    if (m.healthOf(k) <= 0 || load<i32>(k, m.TRAITS) & (m.HEALS | m.GATHERS_SPEED)) continue
    const order = orderOf(k)
    if (order == m.ATTACK || order == m.HEAL) giveUp(k)
    else {
      store<i32>(k, -1, m.TARGET)
      store<i32>(k, 1, m.LOST)
    }
  }
}

/**
 * Sets mode, target, wanted displacement and (for now) next place of every unit, and lets cooldowns run.
 * @param tick loops since the start of the episode
 * @param loop of the step
 */
export function decide(tick: i32, loop: i32): void {
  const apart = gap - <f64>(2 * loop) * (m.fastest + m.longestPush) > m.farthestNotice + 1e-6
  mendersEnd = m.MENDERS
  for (let at = m.MINDS; at < mindsEnd; at += 4) {
    const k = <usize>load<u32>(at)
    if (load<i32>(k, m.TRAITS) & (m.HEALS | m.GATHERS_SPEED)) {
      thinkTwice(k, tick, loop, apart)
      continue
    }
    if (load<i32>(k, m.LOST) == 0) {
      if ((tick + load<i32>(k, m.TURN)) % LOOK_EVERY != 0) continue
      if (load<i32>(k, m.TARGET) >= 0 && inReach(k)) continue
    }
    think(k, loop, apart)
  }
  if (m.walled) look()
  act(m.walled ? TAKEN : 0)
}

/** Whether its target is in weapon range. */
// @ts-ignore: decorator
@inline
function inReach(k: usize): bool {
  const goal = <usize>load<u32>(k, m.GOAL)
  const dx = load<f64>(goal) - load<f64>(k, m.X)
  const dy = load<f64>(goal, m.COLUMN) - load<f64>(k, m.Y)
  return dx * dx + dy * dy <= load<f64>(k, m.REACH2)
}

/** A unit that fights what it meets, hunts or guards looks for a target. */
function think(k: usize, loop: i32, apart: bool): void {
  const order = orderOf(k)
  if (order == m.HUNT) {
    if (load<i32>(k, m.LOST) == 0) return
    const c = aimOf(k) < 0 || loop == 0 ? chooseClosest(k, true) : -1
    setAim(k, c)
    if (c < 0) rest(k)
    else {
      store<i32>(k, 0, m.LOST)
      follow(k, <usize>c, false)
    }
    return
  }
  const c = apart ? -1 : acquire(k)
  store<i32>(k, 0, m.LOST)
  setAim(k, c)
  if (c >= 0) follow(k, <usize>c, order == m.GUARD)
  else if (order == m.GUARD) rest(k)
  else march(k, k + m.PX)
}

/** Healers, and those who gather speed: from the order to what it comes to, in every loop. */
function thinkTwice(k: usize, tick: i32, loop: i32, apart: bool): void {
  const order = orderOf(k)
  const traits = load<i32>(k, m.TRAITS)
  const speed = m.vxAt + <usize>load<u32>(k, m.AT)
  const kind = <usize>load<u32>(k, m.KIND)
  let pace = load<f64>(kind + (k < m.alliesEnd ? 0 : 8), m.PACES)
  store<f64>(k, pace, m.PACE)
  if (order == m.STOP) {
    if (traits & m.GATHERS_SPEED) store<f64>(speed, 0)
    rest(k)
    return
  }
  let goal = k + m.PX
  let target = -1
  const aim = aimOf(k)
  const aimed = aim < 0 ? -1 : load<i32>(<usize>aim << 3, m.PLACE)
  const alive = aimed >= 0 && m.healthOf(<usize>aimed) > 0
  if (order == m.ATTACK || order == m.HEAL) {
    if (!alive) {
      giveUp(k)
      return
    }
    target = aimed
  } else if (order != m.MOVE) {
    if (traits & m.HEALS) {
      target = chooseHurt(k)
      if (target < 0) {
        if (order == m.HUNT) {
          const closest = chooseClosest(k, false)
          if (closest >= 0) goal = <usize>closest + m.X
        }
        pace = min<f64>(pace, slowestNear(k))
      }
    } else if (order == m.HUNT) {
      if (alive) target = aimed
      else {
        target = aim < 0 || loop == 0 ? chooseClosest(k, true) : -1
        setAim(k, target)
      }
      if (target < 0) {
        rest(k)
        return
      }
    } else {
      if (alive) target = aimed
      follow(k, alive ? <usize>aimed : k, false)
      if (!alive || !inReach(k)) {
        const lost = aim >= 0 && !alive
        if (lost || (tick + load<i32>(k, m.TURN)) % LOOK_EVERY == 0) {
          target = apart ? -1 : acquire(k)
          setAim(k, target)
        }
      }
    }
    if (target < 0 && order == m.GUARD) {
      rest(k)
      return
    }
  }
  if (target >= 0) {
    follow(k, <usize>target, order == m.GUARD)
    if (inReach(k)) {
      if (traits & m.GATHERS_SPEED) store<f64>(speed, 0)
      if (traits & m.HEALS) {
        store<u32>(mendersEnd, <u32>k)
        mendersEnd += 4
      }
      return
    }
    if (order == m.GUARD) return
  }
  if (pace != 0 && traits & m.GATHERS_SPEED) {
    pace = min<f64>(pace, load<f64>(speed) + load<f64>(kind, m.ACCELERATION))
    store<f64>(speed, pace)
  }
  store<f64>(k, pace, m.PACE)
  if (target >= 0) {
    if (pace == 0) store<f64>(k, Infinity, m.NEAREST)
  } else march(k, goal)
}

// @ts-ignore: decorator
@inline
function cellOf(x: f64, y: f64): i32 {
  return <i32>floor<f64>(y + <f64>m.height / 2) * m.width + <i32>floor<f64>(x + <f64>m.width / 2)
}

/** Who has a wall in between goes to a cell on the way instead. */
function look(): void {
  const halfWidth = <f64>m.width / 2
  const halfHeight = <f64>m.height / 2
  for (let k: usize = 0; k <= m.unitsEnd; k += 8) {
    let goal = <usize>load<u32>(k, m.GOAL)
    let reach2 = load<f64>(k, m.REACH2)
    let nearest = load<f64>(k, m.NEAREST)
    const target = load<i32>(k, m.TARGET)
    const traits = load<i32>(k, m.TRAITS)
    const turns = nearest < Infinity && (traits & m.CROSSES) == 0 && (target >= 0 || (traits & m.SCRIPTED) != 0)
    if (turns && !(target >= 0 && inReach(k))) {
      const from = cellOf(load<f64>(k, m.X), load<f64>(k, m.Y))
      const to = cellOf(load<f64>(goal), load<f64>(goal, m.COLUMN))
      if (from != to) {
        const ways = <usize>load<u32>(m.waysAt + (<usize>to << 2))
        const stop = ways == 0 ? nextCell(to, from) : <i32>load<i16>(ways + (<usize>from << 1))
        if (stop != to) {
          store<f64>(k, <f64>(stop % m.width) + 0.5 - halfWidth, m.STOP_X)
          store<f64>(k, <f64>(stop / m.width) + 0.5 - halfHeight, m.STOP_Y)
          goal = k + m.STOP_X
          reach2 = -1
          nearest = THERE
        }
      }
    }
    store<u32>(k, <u32>goal, m.TAKEN_GOAL)
    store<f64>(k, reach2, m.TAKEN_REACH2)
    store<f64>(k, nearest, m.TAKEN_NEAREST)
  }
}

/** @param taken where the columns of orders lie, from GOAL on */
function act(taken: usize): void {
  let walking = m.WALKERS
  let shooting = m.SHOOTERS
  let walls = m.NEAR_WALLS
  const end = m.unitsEnd
  const zero = f64x2.splat(0)
  const one = f64x2.splat(1)
  const slow = f64x2.splat(SLOW)
  const west = f64x2.splat(m.clearWest)
  const east = f64x2.splat(m.clearEast)
  const south = f64x2.splat(m.clearSouth)
  const north = f64x2.splat(m.clearNorth)
  for (let k: usize = 0; k < end; k += 16) {
    const goal0 = <usize>load<u32>(k + taken, m.GOAL)
    const goal1 = <usize>load<u32>(k + taken, m.GOAL + 8)
    const gx = v128.load64_lane(goal1, v128.load64_splat(goal0), 1)
    const gy = v128.load64_lane(goal1, v128.load64_splat(goal0, m.COLUMN), 1, m.COLUMN)
    const px = v128.load(k, m.X)
    const py = v128.load(k, m.Y)
    const dx = f64x2.sub(gx, px)
    const dy = f64x2.sub(gy, py)
    const d2 = f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy))
    const engaged = f64x2.le(d2, v128.load(k + taken, m.REACH2))
    const d = f64x2.sqrt(d2)
    const moves = v128.andnot(f64x2.ge(d, v128.load(k + taken, m.NEAREST)), engaged)
    const step = f64x2.pmin(v128.load(k, m.PACE), d)
    const wx = f64x2.mul(f64x2.div(dx, d), step)
    const wy = f64x2.mul(f64x2.div(dy, d), step)
    v128.store(k, wx, m.WX)
    v128.store(k, wy, m.WY)
    v128.store(k, v128.bitselect(f64x2.add(px, wx), px, moves), m.NX)
    v128.store(k, v128.bitselect(f64x2.add(py, wy), py, moves), m.NY)
    const stuck = f64x2.lt(v128.load(k, m.STRIDE), slow)
    const pace = v128.bitselect(i64x2.splat(m.STUCK), i64x2.splat(m.WALKING), stuck)
    const still = v128.bitselect(i64x2.splat(m.ENGAGED), i64x2.splat(m.IDLE), engaged)
    v128.store(k, v128.bitselect(pace, still, moves), m.MODE)
    const bits = <usize>i64x2.bitmask(moves)
    store<u32>(walking, <u32>k)
    walking += (bits & 1) << 2
    store<u32>(walking, <u32>k + 8)
    walking += (bits & 2) << 1
    const free = v128.and(
      v128.and(f64x2.gt(px, west), f64x2.lt(px, east)),
      v128.and(f64x2.gt(py, south), f64x2.lt(py, north)),
    )
    const near = <usize>i64x2.bitmask(v128.andnot(moves, free))
    store<u32>(walls, <u32>k)
    walls += (near & 1) << 2
    store<u32>(walls, <u32>k + 8)
    walls += (near & 2) << 1
    const before = v128.load(k, m.COOLDOWN)
    const left = f64x2.sub(before, v128.and(f64x2.gt(before, zero), one))
    const ready = f64x2.le(left, zero)
    const fires = v128.and(ready, v128.and(engaged, v128.load(k, m.CAN_FIRE)))
    v128.store(k, v128.andnot(left, v128.andnot(ready, fires)), m.COOLDOWN)
    const shots = <usize>i64x2.bitmask(fires)
    store<u32>(shooting, <u32>k)
    shooting += (shots & 1) << 2
    store<u32>(shooting, <u32>k + 8)
    shooting += (shots & 2) << 1
  }
  walkersEnd = walking
  shootersEnd = shooting
  nearWallsEnd = walls
}

// @ts-ignore: decorator
@inline
function hitOf(k: usize, c: usize): f64 {
  return load<f64>(<usize>load<u32>(k, m.HIT) + <usize>load<u32>(c, m.TYPE))
}

/** The closest living opponent; with `hittable` only those the weapon can hit; negative = none. */
function chooseClosest(k: usize, hittable: bool): i32 {
  const ally = k < m.alliesEnd
  const to = ally ? m.unitsEnd : m.alliesEnd
  const px = load<f64>(k, m.X)
  const py = load<f64>(k, m.Y)
  let best = -1
  let bestAt: f64 = Infinity
  for (let c = ally ? m.alliesEnd : 0; c < to; c += 8) {
    const dx = load<f64>(c, m.X) - px
    const dy = load<f64>(c, m.Y) - py
    const d2 = dx * dx + dy * dy
    // The dead are nowhere: no comparison with them holds.
    if (!(d2 < bestAt) || (hittable && hitOf(k, c) == 0)) continue
    bestAt = d2
    best = <i32>c
  }
  return best
}

/** The closest of those that can hurt `k`, else the closest, within notice; negative = none. */
function acquire(k: usize): i32 {
  const kind = <usize>load<u32>(k, m.KIND)
  const px = load<f64>(k, m.X)
  const py = load<f64>(k, m.Y)
  const notice = max<f64>(load<f64>(kind, m.SCAN), load<f64>(kind, m.RANGE)) + m.notice + load<f64>(k, m.RADIUS)
  const ally = k < m.alliesEnd
  const from = ally ? m.alliesEnd : 0
  const to = ally ? m.unitsEnd : m.alliesEnd
  if (m.plainHits) return closestWithin(from, to, px, py, notice)
  let best = -1
  let bestAt: f64 = Infinity
  let bestThreat = 0
  for (let c = from; c < to; c += 8) {
    const dx = load<f64>(c, m.X) - px
    const dy = load<f64>(c, m.Y) - py
    const d2 = dx * dx + dy * dy
    const reach = notice + load<f64>(c, m.RADIUS)
    if (!(d2 <= reach * reach) || hitOf(k, c) == 0) continue
    const threat = hitOf(c, k) > 0 ? 1 : 0
    if (threat < bestThreat || (threat == bestThreat && d2 >= bestAt)) continue
    best = <i32>c
    bestAt = d2
    bestThreat = threat
  }
  return best
}

/** The closest of units `from` to `to`, edge within `notice`: of two alike the lower; negative = none. */
function closestWithin(from: usize, to: usize, px: f64, py: f64, notice: f64): i32 {
  const xx = f64x2.splat(px)
  const yy = f64x2.splat(py)
  const range = f64x2.splat(notice)
  let best = f64x2.splat(Infinity)
  let who = i64x2.splat(-1)
  let number = i64x2(<i64>from, <i64>from + 8)
  let c = from
  for (; c + 8 < to; c += 16) {
    const dx = f64x2.sub(v128.load(c, m.X), xx)
    const dy = f64x2.sub(v128.load(c, m.Y), yy)
    const d2 = f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy))
    const reach = f64x2.add(range, v128.load(c, m.RADIUS))
    const better = v128.and(f64x2.le(d2, f64x2.mul(reach, reach)), f64x2.lt(d2, best))
    best = v128.bitselect(d2, best, better)
    who = v128.bitselect(number, who, better)
    number = i64x2.add(number, i64x2.splat(16))
  }
  let closest = <i32>i64x2.extract_lane(who, 0)
  let at = f64x2.extract_lane(best, 0)
  const other = <i32>i64x2.extract_lane(who, 1)
  const otherAt = f64x2.extract_lane(best, 1)
  if (otherAt < at || (otherAt == at && other < closest)) {
    closest = other
    at = otherAt
  }
  if (c < to) {
    const dx = load<f64>(c, m.X) - px
    const dy = load<f64>(c, m.Y) - py
    const d2 = dx * dx + dy * dy
    const reach = notice + load<f64>(c, m.RADIUS)
    if (d2 <= reach * reach && d2 < at) closest = <i32>c
  }
  return closest
}

/** For a scripted healer: the team mate in scan range with the least health that is hurt; negative = none. */
function chooseHurt(k: usize): i32 {
  const at = <usize>load<u32>(k, m.AT)
  const energy = load<f64>(m.energyAt + at)
  if (energy + load<f64>(m.creditAt + at) < 1) return -1
  const kind = <usize>load<u32>(k, m.KIND)
  const scan = load<f64>(kind, m.SCAN)
  const ally = k < m.alliesEnd
  const to = ally ? m.alliesEnd : m.unitsEnd
  let best = -1
  let least: f64 = Infinity
  for (let c: usize = ally ? 0 : m.alliesEnd; c < to; c += 8) {
    const other = <usize>load<u32>(c, m.KIND)
    if (c == k || load<f64>(other, m.HEALABLE) == 0) continue
    const health = m.healthOf(c)
    if (health >= load<f64>(other, m.FULL_HEALTH)) continue
    const dx = load<f64>(c, m.X) - load<f64>(k, m.X)
    const dy = load<f64>(c, m.Y) - load<f64>(k, m.Y)
    const reach = scan + load<f64>(c, m.RADIUS)
    if (!(dx * dx + dy * dy < reach * reach) || health >= least) continue
    best = <i32>c
    least = health
  }
  if (best < 0) return -1
  if (m.numberOf(<usize>best) != aimOf(k) && energy < load<f64>(kind, m.ENERGY_TO_START)) return -1
  setAim(k, best)
  return best
}

/** Pace of the slowest team mate in scan range, so that a healer does not run ahead. */
function slowestNear(k: usize): f64 {
  const scan = load<f64>(<usize>load<u32>(k, m.KIND), m.SCAN)
  const ally = k < m.alliesEnd
  const to = ally ? m.alliesEnd : m.unitsEnd
  let slowest: f64 = Infinity
  for (let c: usize = ally ? 0 : m.alliesEnd; c < to; c += 8) {
    if (c == k || load<i32>(c, m.TRAITS) & m.HEALS) continue
    const dx = load<f64>(c, m.X) - load<f64>(k, m.X)
    const dy = load<f64>(c, m.Y) - load<f64>(k, m.Y)
    const reach = scan + load<f64>(c, m.RADIUS)
    const pace = load<f64>(<usize>load<u32>(c, m.KIND) + (ally ? 0 : 8), m.PACES)
    if (pace > 0 && dx * dx + dy * dy < reach * reach && pace < slowest) slowest = pace
  }
  return slowest
}
