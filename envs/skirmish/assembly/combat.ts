/** Weapons, shields, splash, healing and regeneration of one loop: `../combat.ts` under the rule set `sc2`. */
import * as m from './memory'
import { mendersEnd, shootersEnd } from './orders'

const LEAST_DAMAGE: f64 = 0.5

/** Health healed by the allies in the episode so far. */
let healedByAllies: f64 = 0
export function setHealed(value: f64): void {
  healedByAllies = value
}
export function healedSoFar(): f64 {
  return healedByAllies
}

/** One hit on `c` by `b`: shield first, then armour once, then health. */
function hurt(b: usize, c: usize, damage: f64): void {
  const at = <usize>load<u32>(c, m.AT)
  const health = load<f64>(m.healthAt + at)
  if (health <= 0) return
  const shield = load<f64>(m.shieldAt + at)
  const before = health + shield
  let leftShield = shield
  let leftHealth = health
  let left = damage
  if (shield > 0) {
    if (left <= shield) {
      leftShield = shield - left
      left = 0
    } else {
      left -= shield
      leftShield = 0
    }
  }
  if (left > 0) {
    left -= load<f64>(<usize>load<u32>(c, m.KIND), m.ARMOR)
    if (left < LEAST_DAMAGE) left = LEAST_DAMAGE
    if (left >= health) {
      leftHealth = 0
      fells(b, at)
    } else leftHealth = health - left
  }
  store<f64>(m.healthAt + at, leftHealth)
  store<f64>(m.shieldAt + at, leftShield)
  store<f64>(m.quietAt + at, 0)
  const loss = before - leftHealth - leftShield
  const dealt = m.dealtAt + <usize>load<u32>(b, m.AT)
  store<f64>(dealt, load<f64>(dealt) + loss)
  const taken = m.takenAt + at
  store<f64>(taken, load<f64>(taken) + loss)
}

/** `b` has killed the unit at `at`. */
function fells(b: usize, at: usize): void {
  store<i16>(m.felledByAt + (at >> 2), <i16>m.numberOf(b))
  m.setFallen(true)
}

// @ts-ignore: decorator
@inline
function damageOf(b: usize, c: usize): f64 {
  return load<f64>(<usize>load<u32>(b, m.HIT) + <usize>load<u32>(c, m.TYPE))
}

/** All hits of one attack of `b` on `c`, splash included. */
function strike(b: usize, c: usize): void {
  const kind = <usize>load<u32>(b, m.KIND)
  if (load<f64>(kind, m.SUICIDE) > 0) {
    const at = <usize>load<u32>(b, m.AT)
    store<f64>(m.healthAt + at, 0)
    store<f64>(m.shieldAt + at, 0)
    fells(b, at)
    explode(b)
    return
  }
  const damage = damageOf(b, c)
  const attacks = <i32>load<f64>(kind, m.ATTACKS)
  for (let a = 0; a < attacks; a++) hurt(b, c, damage)
  if (load<f64>(kind, m.BAR_WIDTH) > 0) sweep(b, c)
}

/** A bar across the line of fire, centred on `c`, hurts every other opponent of `b` whose disc it touches. */
function sweep(b: usize, c: usize): void {
  const kind = <usize>load<u32>(b, m.KIND)
  const attacks = <i32>load<f64>(kind, m.ATTACKS)
  const dx = load<f64>(c, m.X) - load<f64>(b, m.X)
  const dy = load<f64>(c, m.Y) - load<f64>(b, m.Y)
  const length = sqrt<f64>(dx * dx + dy * dy)
  const ux = length > 0 ? dx / length : 1
  const uy = length > 0 ? dy / length : 0
  const depth = load<f64>(kind, m.BAR_DEPTH) / 2
  const half = load<f64>(kind, m.BAR_WIDTH) / 2
  const ally = b < m.alliesEnd
  const to = ally ? m.unitsEnd : m.alliesEnd
  for (let k = ally ? m.alliesEnd : 0; k < to; k += 8) {
    if (k == c || m.healthOf(k) <= 0) continue
    const damage = damageOf(b, k)
    if (damage == 0) continue
    const ex = load<f64>(k, m.X) - load<f64>(c, m.X)
    const ey = load<f64>(k, m.Y) - load<f64>(c, m.Y)
    let along = abs<f64>(ex * ux + ey * uy) - depth
    let across = abs<f64>(ey * ux - ex * uy) - half
    if (along < 0) along = 0
    if (across < 0) across = 0
    const r = load<f64>(k, m.RADIUS)
    if (along * along + across * across > r * r) continue
    for (let n = 0; n < attacks; n++) hurt(b, k, damage)
  }
}

/** Full damage to every opponent whose edge is within the splash radius of `b`'s centre. */
function explode(b: usize): void {
  const radius = load<f64>(<usize>load<u32>(b, m.KIND), m.SPLASH)
  store<i32>(b, 1, m.EXPLODED)
  const ally = b < m.alliesEnd
  const to = ally ? m.unitsEnd : m.alliesEnd
  for (let k = ally ? m.alliesEnd : 0; k < to; k += 8) {
    if (m.healthOf(k) <= 0) continue
    const damage = damageOf(b, k)
    if (damage == 0) continue
    const dx = load<f64>(k, m.X) - load<f64>(b, m.X)
    const dy = load<f64>(k, m.Y) - load<f64>(b, m.Y)
    const reach = radius + load<f64>(k, m.RADIUS)
    if (dx * dx + dy * dy <= reach * reach) hurt(b, k, damage)
  }
}

/** Units that explode when killed do so, and so do those that this kills. */
function explodeTheKilled(): void {
  let again = true
  while (again) {
    again = false
    for (let k: usize = 0; k < m.unitsEnd; k += 8) {
      if (m.healthOf(k) > 0 || load<i32>(k, m.EXPLODED) == 1) continue
      if (load<f64>(<usize>load<u32>(k, m.KIND), m.EXPLODES) == 0) continue
      explode(k)
      again = true
    }
  }
}

/** Up to one loop's healing of `c` by `b`, paid in whole energy points. */
function heal(b: usize, c: usize): void {
  const kind = <usize>load<u32>(b, m.KIND)
  const health = m.healthOf(c)
  if (health <= 0) return
  const missing = load<f64>(<usize>load<u32>(c, m.KIND), m.FULL_HEALTH) - health
  if (missing <= 0) return
  let amount = min<f64>(load<f64>(kind, m.HEALING), missing)
  const at = <usize>load<u32>(b, m.AT)
  let credit = load<f64>(m.creditAt + at)
  let energy = load<f64>(m.energyAt + at)
  while (credit < amount && energy >= 1) {
    energy -= 1
    credit += load<f64>(kind, m.PER_ENERGY)
  }
  if (credit < amount) amount = credit
  store<f64>(m.energyAt + at, energy)
  store<f64>(m.creditAt + at, credit - amount)
  store<f64>(m.healthAt + <usize>load<u32>(c, m.AT), health + amount)
  if (b < m.alliesEnd) healedByAllies += amount
}

/** Health, shield and energy of one unit that come back. */
function recover(b: usize): void {
  const kind = <usize>load<u32>(b, m.KIND)
  const at = <usize>load<u32>(b, m.AT)
  const healthRegen = load<f64>(kind, m.HEALTH_REGEN)
  if (healthRegen > 0) {
    const full = load<f64>(kind, m.FULL_HEALTH)
    const health = load<f64>(m.healthAt + at)
    if (health < full) store<f64>(m.healthAt + at, min<f64>(full, health + healthRegen))
  }
  const shieldRegen = load<f64>(kind, m.SHIELD_REGEN)
  if (shieldRegen > 0) {
    const delay = load<f64>(kind, m.SHIELD_DELAY)
    let quiet = load<f64>(m.quietAt + at)
    if (quiet < delay) {
      quiet += 1
      store<f64>(m.quietAt + at, quiet)
    }
    const full = load<f64>(kind, m.FULL_SHIELD)
    const shield = load<f64>(m.shieldAt + at)
    if (quiet >= delay && shield < full) store<f64>(m.shieldAt + at, min<f64>(full, shield + shieldRegen))
  }
  const most = load<f64>(kind, m.ENERGY_MAX)
  if (most > 0) {
    const energy = load<f64>(m.energyAt + at)
    if (energy < most) store<f64>(m.energyAt + at, min<f64>(most, energy + load<f64>(kind, m.ENERGY_REGEN)))
  }
}

/** xoshiro128**, as in `envs/core/random.ts`: uniform in [0, 1), 24 bits. */
function nextFloat(): f64 {
  const at = m.randomAt
  const s0 = load<u32>(at)
  const s1 = load<u32>(at, 4)
  const x = s1 * 5
  const result: u32 = ((x << 7) | (x >>> 25)) * 9
  const s2 = load<u32>(at, 8) ^ s0
  const s3 = load<u32>(at, 12) ^ s1
  store<u32>(at, s1 ^ s2, 4)
  store<u32>(at, s0 ^ s3)
  store<u32>(at, s2 ^ (s1 << 9), 8)
  store<u32>(at, (s3 << 11) | (s3 >>> 21), 12)
  return <f64>(result >>> 8) * 5.960464477539063e-8
}

/**
 * Everybody recovers, everybody who is ready shoots, then the wounds and then the healing are counted. Who is ready and
 * who heals was listed by `decide`.
 */
export function fight(): void {
  if (m.recovers) {
    for (let k: usize = 0; k < m.unitsEnd; k += 8) if (load<i32>(k, m.TRAITS) & m.RECOVERS) recover(k)
  }
  for (let at = m.SHOOTERS; at < shootersEnd; at += 4) {
    const b = <usize>load<u32>(at)
    const c = <usize>load<i32>(b, m.TARGET)
    struck(b, c)
    let left = load<f64>(b, m.COOLDOWN) + load<f64>(<usize>load<u32>(b, m.KIND), m.RELOAD)
    if (m.jitter) left += 3 * nextFloat() - 1
    store<f64>(b, left, m.COOLDOWN)
    strike(b, c)
  }
  if (shootersEnd > m.SHOOTERS && m.explodes) explodeTheKilled()
  for (let at = m.MENDERS; at < mendersEnd; at += 4) {
    const b = <usize>load<u32>(at)
    if (m.healthOf(b) <= 0) continue
    const c = <usize>load<i32>(b, m.TARGET)
    struck(b, c)
    heal(b, c)
  }
}

/** `b` has fired at `c`, or healed it, in this step. */
// @ts-ignore: decorator
@inline
function struck(b: usize, c: usize): void {
  store<i16>(m.struckAt + (<usize>load<u32>(b, m.AT) >> 2), <i16>m.numberOf(c))
}
