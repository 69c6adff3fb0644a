/** What each unit does in a loop: `../orders.ts` under the rule set `sc2`. */
import * as m from './memory'

const LOOK_EVERY: i32 = 4
const SLOW: f64 = 0.03

/** Next cell on the way from one cell to another, for grounds too large to keep all ways here. */
// @ts-ignore: decorator
@external('machine', 'next')
declare function nextCell(to: i32, from: i32): i32

/** Walkers of this loop. */
export let walkers: i32 = 0

/** From any ally to any enemy along one axis, at least. */
let gap: f64 = 0

export function measureGap(): void {
  const live = m.liveAt
  let west: f64 = Infinity
  let east: f64 = -Infinity
  let south: f64 = Infinity
  let north: f64 = -Infinity
  for (let a = 0; a < m.livingAllies; a++) {
    const b = <usize>load<u32>(live + (<usize>a << 2))
    const px = load<f64>(b, m.X)
    const py = load<f64>(b, m.Y)
    west = min<f64>(west, px)
    east = max<f64>(east, px)
    south = min<f64>(south, py)
    north = max<f64>(north, py)
  }
  gap = Infinity
  for (let a = m.livingAllies; a < m.living; a++) {
    const b = <usize>load<u32>(live + (<usize>a << 2))
    const px = load<f64>(b, m.X)
    const py = load<f64>(b, m.Y)
    const across = px < west ? west - px : px - east
    const along = py < south ? south - py : py - north
    gap = min<f64>(gap, max<f64>(across, along))
  }
}

/**
 * Sets mode, target, wanted displacement and (for now) next place of every living unit.
 * @param tick loops since the start of the episode
 * @param loop of the step
 */
export function decide(tick: i32, loop: i32): void {
  const living = m.living
  const live = m.liveAt
  const begins = loop % m.BEAT == 0
  const apart = gap - <f64>(2 * loop) * (m.fastest + m.longestPush) > m.farthestNotice + 1e-6
  let count = 0
  for (let a = 0; a < living; a++) {
    const b = <usize>load<u32>(live + (<usize>a << 2))
    v128.store(b, v128.load(b, m.X), m.NX)
    store<i32>(b, m.IDLE, m.MODE)
    store<u32>(b, 0, m.FIRE)
    if (begins) store<u32>(b, 0, m.BLOCKER)
    store<i64>(b, 0, m.AX)
    const kind = load<i32>(b, m.ORDER)
    const traits = load<i32>(b, m.TRAITS)
    if (kind == m.STOP) {
      if (traits & m.GATHERS_SPEED) store<f64>(b, 0, m.VX)
      continue
    }
    const px = load<f64>(b, m.X)
    const py = load<f64>(b, m.Y)
    let pace = load<f64>(b, m.PACE)
    let gx = load<f64>(b, m.GX)
    let gy = load<f64>(b, m.GY)
    let target: usize = 0
    if (kind == m.ATTACK || kind == m.HEAL) {
      target = <usize>load<u32>(b, m.AIM)
      if (target == 0 || load<f64>(target, m.HEALTH) <= 0) {
        store<i32>(b, m.STOP, m.ORDER)
        store<u32>(b, 0, m.AIM)
        continue
      }
    } else if (kind != m.MOVE) {
      if (traits & m.HEALS) {
        target = chooseHurt(b)
        if (target == 0) {
          if (kind == m.HUNT) {
            const closest = chooseClosest(b, false)
            if (closest != 0) {
              gx = load<f64>(closest, m.X)
              gy = load<f64>(closest, m.Y)
            }
          }
          pace = min<f64>(pace, slowestNear(b))
        }
      } else if (kind == m.HUNT) {
        target = <usize>load<u32>(b, m.AIM)
        if (target == 0 || load<f64>(target, m.HEALTH) <= 0) {
          target = target == 0 || loop == 0 ? chooseClosest(b, true) : 0
          store<u32>(b, <u32>target, m.AIM)
        }
        if (target == 0) continue
      } else {
        target = keepOrAcquire(b, tick, apart)
        store<u32>(b, <u32>target, m.AIM)
      }
      if (target == 0 && kind == m.GUARD) continue
    }
    if (target != 0) {
      gx = load<f64>(target, m.X)
      gy = load<f64>(target, m.Y)
      const dx = gx - px
      const dy = gy - py
      const reach = load<f64>(b, m.REACH) + load<f64>(target, m.RADIUS)
      if (dx * dx + dy * dy <= reach * reach) {
        store<i32>(b, m.ENGAGED, m.MODE)
        if (traits & m.GATHERS_SPEED) store<f64>(b, 0, m.VX)
        if (
          (traits & m.HEALS) != 0 ||
          load<f64>(<usize>load<u32>(b, m.HIT) + (<usize>load<u32>(target, m.TYPE) << 3)) > 0
        ) {
          store<u32>(b, <u32>target, m.FIRE)
        }
        continue
      }
      if (kind == m.GUARD) continue
    }
    if (pace == 0) continue
    if (traits & m.GATHERS_SPEED) {
      pace = min<f64>(pace, load<f64>(b, m.VX) + load<f64>(<usize>load<u32>(b, m.KIND), m.ACCELERATION))
      store<f64>(b, pace, m.VX)
    }
    const marching = target == 0 && (traits & m.SCRIPTED) != 0
    let direct = true
    if (m.walled && (traits & m.CROSSES) == 0 && (target != 0 || marching)) {
      const stop = detour(px, py, gx, gy)
      if (stop >= 0) {
        direct = false
        gx = <f64>(stop % m.width) + 0.5 - <f64>m.width / 2
        gy = <f64>(stop / m.width) + 0.5 - <f64>m.height / 2
      }
    }
    const place = v128.load(b, m.X)
    const way = f64x2.sub(f64x2.replace_lane(f64x2.splat(gx), 1, gy), place)
    const squares = f64x2.mul(way, way)
    const d = sqrt<f64>(f64x2.extract_lane(squares, 0) + f64x2.extract_lane(squares, 1))
    if (d < 1e-9) continue
    if (marching && direct && d < max<f64>(pace, load<i32>(b, m.SIDE) == 0 ? m.arrivalAlly : m.arrivalEnemy)) continue
    const step = d < pace ? d : pace
    const wanted = f64x2.mul(f64x2.div(way, f64x2.splat(d)), f64x2.splat(step))
    v128.store(b, wanted, m.WX)
    v128.store(b, f64x2.add(place, wanted), m.NX)
    store<i32>(b, load<f64>(b, m.STRIDE) < SLOW ? m.STUCK : m.WALKING, m.MODE)
    count++
  }
  walkers = count
}

// @ts-ignore: decorator
@inline
function cellOf(x: f64, y: f64): i32 {
  return <i32>floor<f64>(y + <f64>m.height / 2) * m.width + <i32>floor<f64>(x + <f64>m.width / 2)
}

/** The cell to walk straight to when a wall is in between; negative = none is. */
function detour(px: f64, py: f64, gx: f64, gy: f64): i32 {
  const from = cellOf(px, py)
  const to = cellOf(gx, gy)
  if (from == to) return -1
  const ways = <usize>load<u32>(m.waysAt + (<usize>to << 2))
  const stop = ways == 0 ? nextCell(to, from) : <i32>load<i16>(ways + (<usize>from << 1))
  return stop == to ? -1 : stop
}

/** The closest living opponent; with `hittable` only those the weapon can hit; 0 = none. */
function chooseClosest(b: usize, hittable: bool): usize {
  const live = m.liveAt
  const ally = load<i32>(b, m.SIDE) == 0
  const to = ally ? m.living : m.livingAllies
  const row = <usize>load<u32>(b, m.HIT)
  const px = load<f64>(b, m.X)
  const py = load<f64>(b, m.Y)
  let best: usize = 0
  let bestAt: f64 = Infinity
  for (let a = ally ? m.livingAllies : 0; a < to; a++) {
    const c = <usize>load<u32>(live + (<usize>a << 2))
    const dx = load<f64>(c, m.X) - px
    const dy = load<f64>(c, m.Y) - py
    const d2 = dx * dx + dy * dy
    if (d2 >= bestAt || (hittable && load<f64>(row + (<usize>load<u32>(c, m.TYPE) << 3)) == 0)) continue
    bestAt = d2
    best = c
  }
  return best
}

/** Target of an attack-moving unit: kept until it dies or leaves weapon range, else looked for now and then. */
function keepOrAcquire(b: usize, tick: i32, apart: bool): usize {
  const kept = <usize>load<u32>(b, m.AIM)
  let lost = false
  if (kept != 0) {
    if (load<f64>(kept, m.HEALTH) > 0) {
      const dx = load<f64>(kept, m.X) - load<f64>(b, m.X)
      const dy = load<f64>(kept, m.Y) - load<f64>(b, m.Y)
      const reach = load<f64>(b, m.REACH) + load<f64>(kept, m.RADIUS)
      if (dx * dx + dy * dy <= reach * reach) return kept
    } else lost = true
  }
  const turn = tick + load<i32>(b, m.INDEX) - (load<i32>(b, m.SIDE) == 0 ? 0 : m.allies)
  if (!lost && turn % LOOK_EVERY != 0) return kept
  return apart ? 0 : acquire(b)
}

/** The closest of those that can hurt `b`, else the closest, within notice. */
function acquire(b: usize): usize {
  const live = m.liveAt
  const kind = <usize>load<u32>(b, m.KIND)
  const own = <usize>load<u32>(b, m.TYPE) << 3
  const row = <usize>load<u32>(b, m.HIT)
  const px = load<f64>(b, m.X)
  const py = load<f64>(b, m.Y)
  const notice = max<f64>(load<f64>(kind, m.SCAN), load<f64>(kind, m.RANGE)) + m.notice + load<f64>(b, m.RADIUS)
  const ally = load<i32>(b, m.SIDE) == 0
  const to = ally ? m.living : m.livingAllies
  let best: usize = 0
  let bestAt: f64 = Infinity
  let bestThreat = 0
  for (let a = ally ? m.livingAllies : 0; a < to; a++) {
    const c = <usize>load<u32>(live + (<usize>a << 2))
    const dx = load<f64>(c, m.X) - px
    const dy = load<f64>(c, m.Y) - py
    const d2 = dx * dx + dy * dy
    const reach = notice + load<f64>(c, m.RADIUS)
    if (d2 > reach * reach || load<f64>(row + (<usize>load<u32>(c, m.TYPE) << 3)) == 0) continue
    const threat = load<f64>(<usize>load<u32>(c, m.HIT) + own) > 0 ? 1 : 0
    if (threat < bestThreat || (threat == bestThreat && d2 >= bestAt)) continue
    best = c
    bestAt = d2
    bestThreat = threat
  }
  return best
}

/** For a scripted healer: the team mate in scan range with the least health that is hurt; 0 = none. */
function chooseHurt(b: usize): usize {
  const live = m.liveAt
  const energy = load<f64>(b, m.ENERGY)
  if (energy + load<f64>(b, m.CREDIT) < 1) return 0
  const kind = <usize>load<u32>(b, m.KIND)
  const scan = load<f64>(kind, m.SCAN)
  const ally = load<i32>(b, m.SIDE) == 0
  const to = ally ? m.livingAllies : m.living
  let best: usize = 0
  let least: f64 = Infinity
  for (let a = ally ? 0 : m.livingAllies; a < to; a++) {
    const c = <usize>load<u32>(live + (<usize>a << 2))
    const other = <usize>load<u32>(c, m.KIND)
    if (c == b || load<f64>(other, m.HEALABLE) == 0) continue
    const health = load<f64>(c, m.HEALTH)
    if (health >= load<f64>(other, m.FULL_HEALTH)) continue
    const dx = load<f64>(c, m.X) - load<f64>(b, m.X)
    const dy = load<f64>(c, m.Y) - load<f64>(b, m.Y)
    const reach = scan + load<f64>(c, m.RADIUS)
    if (dx * dx + dy * dy >= reach * reach || health >= least) continue
    best = c
    least = health
  }
  if (best == 0) return 0
  if (best != <usize>load<u32>(b, m.AIM) && energy < load<f64>(kind, m.ENERGY_TO_START)) return 0
  store<u32>(b, <u32>best, m.AIM)
  return best
}

/** Pace of the slowest team mate in scan range, so that a healer does not run ahead. */
function slowestNear(b: usize): f64 {
  const live = m.liveAt
  const scan = load<f64>(<usize>load<u32>(b, m.KIND), m.SCAN)
  const ally = load<i32>(b, m.SIDE) == 0
  const to = ally ? m.livingAllies : m.living
  let slowest: f64 = Infinity
  for (let a = ally ? 0 : m.livingAllies; a < to; a++) {
    const c = <usize>load<u32>(live + (<usize>a << 2))
    if (c == b || load<i32>(c, m.TRAITS) & m.HEALS) continue
    const dx = load<f64>(c, m.X) - load<f64>(b, m.X)
    const dy = load<f64>(c, m.Y) - load<f64>(b, m.Y)
    const reach = scan + load<f64>(c, m.RADIUS)
    const pace = load<f64>(c, m.PACE)
    if (pace > 0 && dx * dx + dy * dy < reach * reach && pace < slowest) slowest = pace
  }
  return slowest
}
