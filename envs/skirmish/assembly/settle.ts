/** What a step came to: `gather` of `../settling.ts`. */
import * as m from './memory'

// @ts-ignore: decorator
@inline
function put(place: i32, value: f64): void {
  store<f64>(m.sumsAt + (<usize>place << 3), value)
}

// @ts-ignore: decorator
@inline
function kindOf(i: i32): usize {
  return m.kindsAt + (<usize>load<u8>(m.typeAt + <usize>i) << m.KINDS)
}

/** 0 somebody, 1 nobody, 2 only healers. */
function gone(first: i32, side: i32): i32 {
  const from = side == 0 ? 0 : m.allies
  const to = side == 0 ? m.allies : m.units
  let healers = 0
  for (let u = from; u < to; u++) {
    if (load<f64>(m.healthAt + (<usize>(first + u) << 3)) <= 0) continue
    if (load<f64>(kindOf(first + u), m.HEALING) == 0) return 0
    healers++
  }
  if (healers > 0 && (m.fighters & (1 << side)) == 0) return 0
  return healers > 0 ? 2 : 1
}

export function settle(lane: i32): void {
  const first = lane * m.units
  const units = m.units
  const allies = m.allies
  let lostAllies: f64 = 0
  let lostEnemies: f64 = 0
  let killedAllies: f64 = 0
  let killedEnemies: f64 = 0
  let woundsAllies: f64 = 0
  let woundsEnemies: f64 = 0
  let dealt: f64 = 0
  let taken: f64 = 0
  let worthAllies = m.killReward * <f64>allies + m.winReward
  let worthEnemies = m.killReward * <f64>(units - allies) + m.winReward
  for (let u = 0; u < units; u++) {
    const wide = <usize>(first + u) << 3
    const kind = kindOf(first + u)
    const full = load<f64>(kind, m.FULL_HEALTH) + load<f64>(kind, m.FULL_SHIELD)
    const suffered = load<f64>(m.takenAt + wide)
    const ally = u < allies
    if (ally) {
      taken += suffered
      worthAllies += full
    } else {
      dealt += suffered
      worthEnemies += full
    }
    const before = load<f64>(<usize>u << 3, m.BEFORE)
    if (before <= 0) continue
    const health = load<f64>(m.healthAt + wide)
    const dead = health <= 0
    const drop = dead ? before : before - health - load<f64>(m.shieldAt + wide)
    const wound = m.signed ? m.negativeScale * (drop + (dead ? m.killReward : 0)) : 0
    if (ally) {
      lostAllies += drop
      woundsAllies += wound
      if (dead) killedAllies += m.killReward
    } else {
      lostEnemies += drop
      woundsEnemies += wound
      if (dead) killedEnemies += m.killReward
    }
  }
  put(0, <f64>gone(first, 0))
  put(1, <f64>gone(first, 1))
  put(2, lostEnemies)
  put(3, killedEnemies)
  put(4, woundsAllies)
  put(5, worthEnemies)
  put(6, lostAllies)
  put(7, killedAllies)
  put(8, woundsEnemies)
  put(9, worthAllies)
  put(10, dealt)
  put(11, taken)
  for (let u = allies; u < units; u++) store<i32>(<usize>u << 3, 0, m.ATTACKERS)
  let attackers = 0
  let top = 0
  for (let u = 0; u < allies; u++) {
    const target = <i32>load<i16>(m.struckAt + (<usize>(first + u) << 1))
    if (target < allies || load<f64>(kindOf(first + u), m.HEALING) > 0) continue
    attackers++
    const at = <usize>target << 3
    const many = load<i32>(at, m.ATTACKERS) + 1
    store<i32>(at, many, m.ATTACKERS)
    if (many > top) top = many
  }
  put(12, <f64>attackers)
  put(13, <f64>top)
}
