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
  const sight = load<f64>(kind, m.SIGHT_RANGE)
  const sight2 = sight * sight
  const scale = 1 / sight
  const allHealth = m.allHealth
  const typeBits = m.typeBits
  const foeShields = load<i32>(other, SHIELDS)
  const foeSize = <usize>(4 + (allHealth ? 1 + foeShields : 0) + typeBits) << 2
  const reach = mask + <usize>load<i32>(own, FIRST_ATTACK)
  const foes = load<i32>(other, COUNT)
  const foeBase = first + load<i32>(other, BASE)
  for (let k = 0; k < foes; k++) {
    const j = <usize>(foeBase + k)
    const dx = load<f64>(m.xAt + (j << 3)) - px
    const dy = load<f64>(m.yAt + (j << 3)) - py
    const d2 = dx * dx + dy * dy
    if (!(load<f64>(m.healthAt + (j << 3)) > 0 && d2 < sight2)) {
      at = clear(at, at + foeSize)
      continue
    }
    const t = <usize>load<u8>(m.typeAt + j)
    store<f32>(at, <f32>load<u8>(reach + <usize>k))
    store<f32>(at, <f32>(sqrt<f64>(d2) * scale), 4)
    store<f32>(at, <f32>(dx * scale), 8)
    store<f32>(at, <f32>(dy * scale), 12)
    at += 16
    if (allHealth) at = writeHealth(at, j, m.kindsAt + (t << m.KINDS), foeShields)
    at = writeBits(at, other, t)
  }
  const shields = load<i32>(own, SHIELDS)
  const actions = load<i32>(own, ACTIONS)
  const mateSize = <usize>(4 + (allHealth ? 1 + shields : 0) + typeBits + (m.lastActions ? actions : 0)) << 2
  const mates = load<i32>(own, COUNT)
  const mateBase = load<i32>(own, BASE)
  for (let n = 0; n < mates; n++) {
    if (mateBase + n == u) continue
    const j = <usize>(first + mateBase + n)
    const dx = load<f64>(m.xAt + (j << 3)) - px
    const dy = load<f64>(m.yAt + (j << 3)) - py
    const d2 = dx * dx + dy * dy
    if (load<f64>(m.healthAt + (j << 3)) <= 0 || !(d2 < sight2)) {
      at = clear(at, at + mateSize)
      continue
    }
    const t = <usize>load<u8>(m.typeAt + j)
    store<f32>(at, 1)
    store<f32>(at, <f32>(sqrt<f64>(d2) * scale), 4)
    store<f32>(at, <f32>(dx * scale), 8)
    store<f32>(at, <f32>(dy * scale), 12)
    at += 16
    if (allHealth) at = writeHealth(at, j, m.kindsAt + (t << m.KINDS), shields)
    at = writeBits(at, own, t)
    if (m.lastActions) at = writeAction(at, <i32>j, actions)
  }
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
