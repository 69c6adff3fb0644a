/** Observations and states: `../observe.ts` without cone, grids and shared sight. */
import * as m from './memory'
import { ACTIONS, BASE, BITS, COUNT, FIRST_ATTACK, OBSERVATION, SHIELDS, sideAt } from './sight'

const ENERGY_SCALE: f64 = 200

/** Zeros from `at` to `end`. */
// @ts-ignore: decorator
@inline
function clear(at: usize, end: usize): usize {
  const end16 = end - 15
  for (; <isize>at < <isize>end16; at += 16) v128.store(at, i64x2.splat(0))
  for (; at < end; at += 4) store<f32>(at, 0)
  return end
}

/** Writes observations and state of a lane. */
export function observe(lane: i32, time: f64): void {
  describe(lane)
  for (let n = 0; n < m.seats; n++) {
    const row = m.observationAt + (<usize>((lane * m.seats + n) * m.observationSize) << 2)
    const end = observeUnit(lane, load<i32>(m.seatsAt + (<usize>n << 2)), row, time)
    clear(end, row + (<usize>m.observationSize << 2))
  }
  observeState(lane, time)
}

/** Type bits of a unit, at `at`. @returns the place after them */
// @ts-ignore: decorator
@inline
function writeBits(at: usize, side: usize, type: usize): usize {
  const typeBits = m.typeBits
  if (typeBits == 0) return at
  const end = at + (<usize>typeBits << 2)
  for (let b = at; b < end; b += 4) store<f32>(b, 0)
  const bit = load<i32>(side + (type << 2), BITS)
  if (bit >= 0) store<f32>(at + (<usize>bit << 2), 1)
  return end
}

/** The last action of a unit, one of `actions`. */
// @ts-ignore: decorator
@inline
function writeAction(at: usize, i: i32, actions: i32): usize {
  const end = clear(at, at + (<usize>actions << 2))
  const action = <i32>load<i16>(m.lastActionAt + (<usize>i << 1))
  if (action >= 0) store<f32>(at + (<usize>action << 2), 1)
  return end
}

/** Health and, where the side has them, shields. */
// @ts-ignore: decorator
@inline
function writeHealth(at: usize, i: usize, kind: usize, shields: i32): usize {
  store<f32>(at, <f32>(load<f64>(m.healthAt + (i << 3)) / load<f64>(kind, m.FULL_HEALTH)))
  if (shields == 0) return at + 4
  const full = load<f64>(kind, m.FULL_SHIELD)
  store<f32>(at, full > 0 ? <f32>(load<f64>(m.shieldAt + (i << 3)) / full) : 0, 4)
  return at + 8
}

/**
 * What others see of each unit of a lane whatever the distance, at `tailsAt`: health and shield, then type bits. The same
 * for all who see it, so worked out once.
 */
function describe(lane: i32): void {
  const first = lane * m.units
  for (let side = 0; side < 2; side++) {
    const own = sideAt(side)
    const shields = load<i32>(own, SHIELDS)
    const base = load<i32>(own, BASE)
    for (let u = base; u < base + load<i32>(own, COUNT); u++) {
      const i = <usize>(first + u)
      let at = tailOf(u)
      if (load<f64>(m.healthAt + (i << 3)) <= 0) continue
      const type = <usize>load<u8>(m.typeAt + i)
      if (m.allHealth) at = writeHealth(at, i, m.kindsAt + (type << m.KINDS), shields)
      writeBits(at, own, type)
    }
  }
}

// @ts-ignore: decorator
@inline
function tailOf(u: i32): usize {
  return m.tailsAt + (<usize>(u * (2 + m.typeBits)) << 2)
}

let viewX: f64 = 0
let viewY: f64 = 0
let viewSight: f64 = 0

/** The four numbers of a slot, and the tail behind them: zeros where `seen` has no bits. */
// @ts-ignore: decorator
@inline
function writeSlot(at: usize, head: v128, seen: v128, tail: usize, tailSize: usize): usize {
  v128.store(at, v128.and(head, seen))
  at += 16
  let done: usize = 0
  for (; done + 16 <= tailSize; done += 16) v128.store(at + done, v128.and(v128.load(tail + done), seen))
  const mask = <u32>i32x4.extract_lane(seen, 0)
  for (; done < tailSize; done += 4) store<u32>(at + done, load<u32>(tail + done) & mask)
  return at + tailSize
}

/**
 * Slots of units `from` to `to` of a lane, two at a time.
 * @param reach mask of the actions against them, whose bytes are the first number; 0 = the first number is a 1
 */
function writeSlots(at: usize, first: i32, from: i32, to: i32, reach: usize, tailSize: usize, actions: i32): usize {
  const px = f64x2.splat(viewX)
  const py = f64x2.splat(viewY)
  const sight2 = f64x2.splat(viewSight * viewSight)
  const scale = f64x2.splat(1 / viewSight)
  const zero = f64x2.splat(0)
  for (let u = from; u < to; u += 2) {
    const wide = <usize>(first + u) << 3
    const dx = f64x2.sub(v128.load(m.xAt + wide), px)
    const dy = f64x2.sub(v128.load(m.yAt + wide), py)
    const d2 = f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy))
    const seen = v128.and(f64x2.lt(d2, sight2), f64x2.gt(v128.load(m.healthAt + wide), zero))
    const distance = f32x4.demote_f64x2_zero(f64x2.mul(f64x2.sqrt(d2), scale))
    const right = f32x4.demote_f64x2_zero(f64x2.mul(dx, scale))
    const up = f32x4.demote_f64x2_zero(f64x2.mul(dy, scale))
    let flags = f32x4.splat(1)
    if (reach != 0) {
      const bytes = <i32>load<u16>(reach + <usize>(u - from))
      flags = f32x4.convert_i32x4_s(i32x4(bytes & 255, bytes >> 8, 0, 0))
    }
    const near = v128.shuffle<i32>(flags, distance, 0, 4, 1, 5)
    const way = v128.shuffle<i32>(right, up, 0, 4, 1, 5)
    at = writeSlot(at, v128.shuffle<i64>(near, way, 0, 2), v128.shuffle<i64>(seen, seen, 0, 0), tailOf(u), tailSize)
    if (actions > 0) at = writeSeenAction(at, first + u, actions, i64x2.extract_lane(seen, 0) != 0)
    if (u + 1 == to) break
    const other = v128.shuffle<i64>(near, way, 1, 3)
    at = writeSlot(at, other, v128.shuffle<i64>(seen, seen, 1, 1), tailOf(u + 1), tailSize)
    if (actions > 0) at = writeSeenAction(at, first + u + 1, actions, i64x2.extract_lane(seen, 1) != 0)
  }
  return at
}

// @ts-ignore: decorator
@inline
function writeSeenAction(at: usize, i: i32, actions: i32, seen: bool): usize {
  return seen ? writeAction(at, i, actions) : clear(at, at + (<usize>actions << 2))
}

function observeUnit(lane: i32, u: i32, row: usize, time: f64): usize {
  const first = lane * m.units
  const i = first + u
  const side = u < m.allies ? 0 : 1
  const own = sideAt(side)
  const other = sideAt(1 - side)
  const wide = <usize>i << 3
  if (load<f64>(m.healthAt + wide) <= 0) return clear(row, row + (<usize>load<i32>(own, OBSERVATION) << 2))
  const mask = m.maskAt + <usize>((lane * m.agents + u) * m.actionSize)
  let at = row
  store<f32>(at, <f32>load<u8>(mask, 2))
  store<f32>(at, <f32>load<u8>(mask, 3), 4)
  store<f32>(at, <f32>load<u8>(mask, 4), 8)
  store<f32>(at, <f32>load<u8>(mask, 5), 12)
  at += 16
  const px = load<f64>(m.xAt + wide)
  const py = load<f64>(m.yAt + wide)
  const type = <usize>load<u8>(m.typeAt + <usize>i)
  const kind = m.kindsAt + (type << m.KINDS)
  viewX = px
  viewY = py
  viewSight = load<f64>(kind, m.SIGHT_RANGE)
  const allHealth = m.allHealth
  const typeBits = m.typeBits
  const foes = load<i32>(other, BASE)
  const foeTail = <usize>((allHealth ? 1 + load<i32>(other, SHIELDS) : 0) + typeBits) << 2
  const reach = mask + <usize>load<i32>(own, FIRST_ATTACK)
  at = writeSlots(at, first, foes, foes + load<i32>(other, COUNT), reach, foeTail, 0)
  const shields = load<i32>(own, SHIELDS)
  const mates = load<i32>(own, BASE)
  const mateTail = <usize>((allHealth ? 1 + shields : 0) + typeBits) << 2
  const actions = m.lastActions ? load<i32>(own, ACTIONS) : 0
  at = writeSlots(at, first, mates, u, 0, mateTail, actions)
  at = writeSlots(at, first, u + 1, mates + load<i32>(own, COUNT), 0, mateTail, actions)
  if (m.ownHealth) at = writeHealth(at, <usize>i, kind, shields)
  if (m.ownPosition) {
    store<f32>(at, <f32>(px / <f64>m.width + 0.5))
    store<f32>(at, <f32>(py / <f64>m.height + 0.5), 4)
    at += 8
  }
  at = writeBits(at, own, type)
  if (m.timestep) {
    if (m.compatibility) {
      store<f32>(at, 0)
      at += 4
    }
    store<f32>(at, <f32>time)
    at += 4
  }
  return at
}

function observeState(lane: i32, time: f64): void {
  const first = lane * m.units
  const scaleX = 1 / <f64>m.width
  const scaleY = 1 / <f64>m.height
  let at = m.stateAt + (<usize>(lane * m.stateSize) << 2)
  for (let side = 0; side < 2; side++) {
    const own = sideAt(side)
    const allied = side == 0
    const shields = load<i32>(own, SHIELDS)
    const size = <usize>(3 + (allied ? 1 : 0) + shields + m.typeBits) << 2
    const count = load<i32>(own, COUNT)
    const base = first + load<i32>(own, BASE)
    for (let n = 0; n < count; n++) {
      const i = <usize>(base + n)
      const health = load<f64>(m.healthAt + (i << 3))
      if (health <= 0) {
        at = clear(at, at + size)
        continue
      }
      const t = <usize>load<u8>(m.typeAt + i)
      const kind = m.kindsAt + (t << m.KINDS)
      store<f32>(at, <f32>(health / load<f64>(kind, m.FULL_HEALTH)))
      at += 4
      if (allied) {
        const value =
          load<f64>(kind, m.ENERGY_MAX) > 0
            ? load<f64>(m.energyAt + (i << 3)) / ENERGY_SCALE
            : max<f64>(0, load<f64>(m.cooldownAt + (i << 3))) / load<f64>(kind, m.NORMALISER)
        store<f32>(at, <f32>value)
        at += 4
      }
      store<f32>(at, <f32>(load<f64>(m.xAt + (i << 3)) * scaleX))
      store<f32>(at, <f32>(load<f64>(m.yAt + (i << 3)) * scaleY), 4)
      at += 8
      if (shields) {
        const full = load<f64>(kind, m.FULL_SHIELD)
        store<f32>(at, full > 0 ? <f32>(load<f64>(m.shieldAt + (i << 3)) / full) : 0)
        at += 4
      }
      at = writeBits(at, own, t)
    }
  }
  if (m.stateLastAction) {
    const own = sideAt(0)
    const actions = load<i32>(own, ACTIONS)
    for (let u = 0; u < m.allies; u++) at = writeAction(at, first + u, actions)
  }
  if (m.stateTimestep) store<f32>(at, <f32>time)
}
