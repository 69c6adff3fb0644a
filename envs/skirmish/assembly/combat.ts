/** Weapons, shields, splash, healing and regeneration of one loop: `../combat.ts` under the rule set `sc2`. */
import * as m from './memory'

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
  const health = load<f64>(c, m.HEALTH)
  if (health <= 0) return
  const shield = load<f64>(c, m.SHIELD)
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
      store<u32>(c, <u32>b, m.FELLED_BY)
      m.setFallen(true)
    } else leftHealth = health - left
  }
  store<f64>(c, leftHealth, m.HEALTH)
  store<f64>(c, leftShield, m.SHIELD)
  store<f64>(c, 0, m.QUIET)
  const loss = before - leftHealth - leftShield
  store<f64>(b, load<f64>(b, m.DEALT) + loss, m.DEALT)
  store<f64>(c, load<f64>(c, m.TAKEN) + loss, m.TAKEN)
}

// @ts-ignore: decorator
@inline
function damageOf(b: usize, c: usize): f64 {
  return load<f64>(<usize>load<u32>(b, m.HIT) + (<usize>load<u32>(c, m.TYPE) << 3))
}

/** All hits of one attack of `b` on `c`, splash included. */
function strike(b: usize, c: usize): void {
  const kind = <usize>load<u32>(b, m.KIND)
  if (load<f64>(kind, m.SUICIDE) > 0) {
    store<f64>(b, 0, m.HEALTH)
    store<f64>(b, 0, m.SHIELD)
    store<u32>(b, <u32>b, m.FELLED_BY)
    m.setFallen(true)
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
  const ally = load<i32>(b, m.SIDE) == 0
  const to = ally ? m.living : m.livingAllies
  for (let a = ally ? m.livingAllies : 0; a < to; a++) {
    const k = <usize>load<u32>(m.liveAt + (<usize>a << 2))
    if (k == c || load<f64>(k, m.HEALTH) <= 0) continue
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
  const ally = load<i32>(b, m.SIDE) == 0
  const to = ally ? m.living : m.livingAllies
  for (let a = ally ? m.livingAllies : 0; a < to; a++) {
    const k = <usize>load<u32>(m.liveAt + (<usize>a << 2))
    if (load<f64>(k, m.HEALTH) <= 0) continue
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
    for (let a = 0; a < m.living; a++) {
      const b = <usize>load<u32>(m.liveAt + (<usize>a << 2))
      if (load<f64>(b, m.HEALTH) > 0 || load<i32>(b, m.EXPLODED) == 1) continue
      if (load<f64>(<usize>load<u32>(b, m.KIND), m.EXPLODES) == 0) continue
      explode(b)
      again = true
    }
  }
}

/** Up to one loop's healing of `c` by `b`, paid in whole energy points. */
function heal(b: usize, c: usize): void {
  const kind = <usize>load<u32>(b, m.KIND)
  const health = load<f64>(c, m.HEALTH)
  if (health <= 0) return
  const missing = load<f64>(<usize>load<u32>(c, m.KIND), m.FULL_HEALTH) - health
  if (missing <= 0) return
  let amount = min<f64>(load<f64>(kind, m.HEALING), missing)
  let credit = load<f64>(b, m.CREDIT)
  let energy = load<f64>(b, m.ENERGY)
  while (credit < amount && energy >= 1) {
    energy -= 1
    credit += load<f64>(kind, m.PER_ENERGY)
  }
  if (credit < amount) amount = credit
  store<f64>(b, energy, m.ENERGY)
  store<f64>(b, credit - amount, m.CREDIT)
  store<f64>(c, health + amount, m.HEALTH)
  if (load<i32>(b, m.SIDE) == 0) healedByAllies += amount
}

/** Health, shield and energy of one unit that come back. */
function recover(b: usize): void {
  const kind = <usize>load<u32>(b, m.KIND)
  const healthRegen = load<f64>(kind, m.HEALTH_REGEN)
  if (healthRegen > 0) {
    const full = load<f64>(kind, m.FULL_HEALTH)
    const health = load<f64>(b, m.HEALTH)
    if (health < full) store<f64>(b, min<f64>(full, health + healthRegen), m.HEALTH)
  }
  const shieldRegen = load<f64>(kind, m.SHIELD_REGEN)
  if (shieldRegen > 0) {
    const delay = load<f64>(kind, m.SHIELD_DELAY)
    let quiet = load<f64>(b, m.QUIET)
    if (quiet < delay) {
      quiet += 1
      store<f64>(b, quiet, m.QUIET)
    }
    const full = load<f64>(kind, m.FULL_SHIELD)
    const shield = load<f64>(b, m.SHIELD)
    if (quiet >= delay && shield < full) store<f64>(b, min<f64>(full, shield + shieldRegen), m.SHIELD)
  }
  const most = load<f64>(kind, m.ENERGY_MAX)
  if (most > 0) {
    const energy = load<f64>(b, m.ENERGY)
    if (energy < most) store<f64>(b, min<f64>(most, energy + load<f64>(kind, m.ENERGY_REGEN)), m.ENERGY)
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

/** Everybody recovers, everybody who is ready shoots, then the wounds and then the healing are counted. */
export function fight(): void {
  const living = m.living
  const live = m.liveAt
  const shooters = m.shootersAt
  if (m.recovers) {
    for (let a = 0; a < living; a++) {
      const b = <usize>load<u32>(live + (<usize>a << 2))
      if (load<i32>(b, m.TRAITS) & m.RECOVERS) recover(b)
    }
  }
  let shots = 0
  let mends = 0
  for (let a = 0; a < living; a++) {
    const b = <usize>load<u32>(live + (<usize>a << 2))
    let left = load<f64>(b, m.COOLDOWN)
    if (left > 0) {
      left -= 1
      store<f64>(b, left, m.COOLDOWN)
    }
    const busy = load<u32>(b, m.FIRE) != 0
    if (busy && load<i32>(b, m.TRAITS) & m.HEALS) {
      mends++
      if (left <= 0) store<f64>(b, 0, m.COOLDOWN)
    } else if (left <= 0) {
      if (busy) store<u32>(shooters + (<usize>(shots++) << 2), <u32>b)
      else store<f64>(b, 0, m.COOLDOWN)
    }
  }
  for (let s = 0; s < shots; s++) {
    const b = <usize>load<u32>(shooters + (<usize>s << 2))
    const c = <usize>load<u32>(b, m.FIRE)
    store<u32>(b, <u32>c, m.STRUCK)
    let left = load<f64>(b, m.COOLDOWN) + load<f64>(<usize>load<u32>(b, m.KIND), m.RELOAD)
    if (m.jitter) left += 3 * nextFloat() - 1
    store<f64>(b, left, m.COOLDOWN)
    strike(b, c)
  }
  if (shots > 0 && m.explodes) explodeTheKilled()
  if (mends == 0) return
  for (let a = 0; a < living; a++) {
    const b = <usize>load<u32>(live + (<usize>a << 2))
    const c = <usize>load<u32>(b, m.FIRE)
    if (c == 0 || (load<i32>(b, m.TRAITS) & m.HEALS) == 0 || load<f64>(b, m.HEALTH) <= 0) continue
    store<u32>(b, <u32>c, m.STRUCK)
    heal(b, c)
  }
}
