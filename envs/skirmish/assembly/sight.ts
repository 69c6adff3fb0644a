/** Masks: `legal` of `../sight.ts` without cone, and with attacks masked by range. */
import * as m from './memory'

/** Words of a side in `sidesAt`. */
export const BASE: usize = 0
export const COUNT: usize = 4
export const SHIELDS: usize = 8
export const ACTIONS: usize = 12
export const FIRST_ATTACK: usize = 16
export const OBSERVATION: usize = 20
export const BITS: usize = 24

export function sideAt(side: i32): usize {
  return m.sidesAt + (<usize>(side * (m.SIDE_WORDS + m.kinds)) << 2)
}

/** Writes the masks of every agent of a lane. */
export function legal(lane: i32): void {
  const first = lane * m.units
  const width = m.width
  const cx = <f64>width / 2
  const cy = <f64>m.height / 2
  const ahead = m.ahead
  const A = m.actionSize
  // memory.fill is a call out of the module: the masks of the lane are cleared in one go.
  let at = m.maskAt + <usize>(lane * m.agents * A)
  const end = at + <usize>(m.agents * A)
  for (; at + 16 <= end; at += 16) v128.store(at, i64x2.splat(0))
  for (; at < end; at++) store<u8>(at, 0)
  for (let u = 0; u < m.agents; u++) {
    const i = first + u
    const wide = <usize>i << 3
    const row = m.maskAt + <usize>((lane * m.agents + u) * A)
    const alive = m.aliveAt + <usize>(lane * m.agents + u)
    if (load<f64>(m.healthAt + wide) <= 0) {
      store<u8>(alive, 0)
      store<u8>(row, 1)
      continue
    }
    store<u8>(alive, 1)
    store<u8>(row, 1, 1)
    const px = load<f64>(m.xAt + wide)
    const py = load<f64>(m.yAt + wide)
    const wx = px + cx
    const wy = py + cy
    const column = <i32>wx
    const line = <i32>wy
    const north = <i32>(wy + ahead)
    const south = <i32>(wy - ahead)
    const east = <i32>(wx + ahead)
    const west = <i32>(wx - ahead)
    const walkable = m.walkableAt
    if (north < m.height) store<u8>(row, load<u8>(walkable + <usize>(north * width + column)), 2)
    if (wy - ahead > m.least) store<u8>(row, load<u8>(walkable + <usize>(south * width + column)), 3)
    if (east < width) store<u8>(row, load<u8>(walkable + <usize>(line * width + east)), 4)
    if (wx - ahead > m.least) store<u8>(row, load<u8>(walkable + <usize>(line * width + west)), 5)
    const side = u < m.allies ? 0 : 1
    const own = sideAt(side)
    const kind = m.kindsAt + (<usize>load<u8>(m.typeAt + <usize>i) << m.KINDS)
    const heals = load<f64>(kind, m.HEALING) > 0
    const targets = sideAt(heals ? side : 1 - side)
    const count = load<i32>(targets, COUNT)
    const base = first + load<i32>(targets, BASE)
    const range = load<f64>(kind, m.SHOOT_RANGE)
    const range2 = range * range
    const to = row + <usize>load<i32>(own, FIRST_ATTACK)
    if (heals) {
      for (let t = 0; t < count; t++) {
        const j = base + t
        const mate = m.kindsAt + (<usize>load<u8>(m.typeAt + <usize>j) << m.KINDS)
        if (load<f64>(m.healthAt + (<usize>j << 3)) <= 0 || j == i || load<f64>(mate, m.HEALING) > 0) continue
        const dx = load<f64>(m.xAt + (<usize>j << 3)) - px
        const dy = load<f64>(m.yAt + (<usize>j << 3)) - py
        if (dx * dx + dy * dy <= range2) store<u8>(to + <usize>t, 1)
      }
      continue
    }
    for (let t = 0; t < count; t += 2) {
      const other = <usize>(base + t) << 3
      const dx = f64x2.sub(v128.load(m.xAt + other), f64x2.splat(px))
      const dy = f64x2.sub(v128.load(m.yAt + other), f64x2.splat(py))
      const d2 = f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy))
      const alive = f64x2.gt(v128.load(m.healthAt + other), f64x2.splat(0))
      const bits = i64x2.bitmask(v128.and(f64x2.le(d2, f64x2.splat(range2)), alive))
      if (t + 1 < count) store<u16>(to + <usize>t, <u16>((bits & 1) | ((bits & 2) << 7)))
      else store<u8>(to + <usize>t, <u8>(bits & 1))
    }
  }
}
