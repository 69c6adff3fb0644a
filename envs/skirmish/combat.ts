/** Weapons, shields, splash, healing and regeneration of one loop. */
import { GENERATOR_WORDS, nextBelow, nextFloat } from '../core/random.ts'
import { type Engine } from './engine.ts'
import { COMBAT } from './start.ts'
import { HEALED, ORDERS, STOP, TALLIES, type SkirmishState } from './state.ts'

void ORDERS

/** Damage of a hit that armour takes away almost wholly. */
const LEAST_DAMAGE = 0.5

/** One hit on unit `j` (index into the arrays) by unit `by`: shield first, then armour once, then health. */
function hurt(state: SkirmishState, by: number, j: number, damage: number): void {
  const { health, shield, quiet, dealt, taken, plan } = state
  if (health[j] <= 0) return
  const before = health[j] + shield[j]
  let left = damage
  if (shield[j] > 0) {
    if (left <= shield[j]) {
      shield[j] -= left
      left = 0
    } else {
      left -= shield[j]
      shield[j] = 0
    }
  }
  if (left > 0) {
    left -= plan.tables.armor[state.type[j]]
    if (left < LEAST_DAMAGE) left = LEAST_DAMAGE
    health[j] = left >= health[j] ? 0 : health[j] - left
  }
  quiet[j] = 0
  const loss = before - health[j] - shield[j]
  dealt[by] += loss
  taken[j] += loss
}

/** All hits of one attack of unit `i` on unit `j`, splash included. */
function strike(state: SkirmishState, engine: Engine, first: number, i: number, j: number): void {
  const { type, x, y, plan } = state
  const { tables, units, sides } = plan
  const T = tables.types.length
  const t = type[i]
  if (tables.suicide[t] === 1) {
    state.health[i] = 0
    state.shield[i] = 0
    explode(state, engine, first, i)
    return
  }
  const row = t * T
  const attacks = tables.attacks[t]
  for (let a = 0; a < attacks; a++) hurt(state, i, j, tables.hit[row + type[j]])
  const width = tables.barWidth[t]
  if (width === 0) return
  // A bar across the line of fire, centred on the target, hurts every opponent whose disc it touches.
  const dx = x[j] - x[i]
  const dy = y[j] - y[i]
  const length = Math.sqrt(dx * dx + dy * dy)
  const ux = length > 0 ? dx / length : 1
  const uy = length > 0 ? dy / length : 0
  const side = i - first < sides[0].count ? 1 : 0
  const from = first + sides[side].base
  const to = from + sides[side].count
  const depth = tables.barDepth[t] / 2
  const half = width / 2
  const reach = plan.rules === 'smaclite' ? depth * depth + half * half : Infinity
  void units
  for (let k = from; k < to; k++) {
    if (k === j || state.health[k] <= 0 || tables.hit[row + type[k]] === 0) continue
    const ex = x[k] - x[j]
    const ey = y[k] - y[j]
    // SMAClite only looks at units whose centre is within half the bar's diagonal.
    if (ex * ex + ey * ey > reach) continue
    let along = Math.abs(ex * ux + ey * uy) - depth
    let across = Math.abs(ey * ux - ex * uy) - half
    if (along < 0) along = 0
    if (across < 0) across = 0
    const r = tables.radius[type[k]]
    if (along * along + across * across > r * r) continue
    for (let a = 0; a < attacks; a++) hurt(state, i, k, tables.hit[row + type[k]])
  }
}

/** Full damage to every opponent whose edge is within the splash radius of `i`'s centre. */
function explode(state: SkirmishState, engine: Engine, first: number, i: number): void {
  const { type, x, y, plan } = state
  const { tables, sides } = plan
  const T = tables.types.length
  const t = type[i]
  const side = i - first < sides[0].count ? 1 : 0
  const from = first + sides[side].base
  const to = from + sides[side].count
  const radius = tables.splashRadius[t]
  engine.exploded[i - first] = 1
  for (let k = from; k < to; k++) {
    if (state.health[k] <= 0) continue
    const damage = tables.hit[t * T + type[k]]
    if (damage === 0) continue
    const dx = x[k] - x[i]
    const dy = y[k] - y[i]
    const reach = radius + tables.radius[type[k]]
    if (dx * dx + dy * dy <= reach * reach) hurt(state, i, k, damage)
  }
}

/** Units that explode when killed do so, and so do those that this kills. */
function explodeTheKilled(state: SkirmishState, engine: Engine, first: number): void {
  const { live, exploded } = engine
  const { tables } = state.plan
  let again = true
  while (again) {
    again = false
    for (let a = 0; a < engine.living; a++) {
      const i = first + live[a]
      if (state.health[i] > 0 || exploded[live[a]] === 1 || tables.explodes[state.type[i]] === 0) continue
      explode(state, engine, first, i)
      again = true
    }
  }
}

/** Up to one loop's healing of `j` by `i`, paid in whole energy points. */
function heal(state: SkirmishState, first: number, i: number, j: number, lane: number): void {
  const { health, energy, credit, type, plan } = state
  const { tables } = plan
  const t = type[i]
  void first
  if (health[j] <= 0) return
  const missing = tables.health[type[j]] - health[j]
  if (missing <= 0) return
  let amount = Math.min(tables.heals[t], missing)
  while (credit[i] < amount && energy[i] >= 1) {
    energy[i] -= 1
    credit[i] += tables.perEnergy[t]
  }
  if (credit[i] < amount) amount = credit[i]
  credit[i] -= amount
  health[j] += amount
  if (i - first < plan.sides[0].count) state.tally[lane * TALLIES + HEALED] += amount
}

/** Regeneration and the running down of the weapon of one unit. @returns whether the weapon is ready */
function recover(state: SkirmishState, i: number): boolean {
  const { type, health, shield, energy, quiet, cooldown, plan } = state
  const { tables } = plan
  const t = type[i]
  if (tables.healthRegen[t] > 0 && health[i] < tables.health[t]) {
    health[i] = Math.min(tables.health[t], health[i] + tables.healthRegen[t])
  }
  if (tables.shieldRegen[t] > 0) {
    if (quiet[i] < tables.shieldDelay[t]) quiet[i]++
    if (quiet[i] >= tables.shieldDelay[t] && shield[i] < tables.shield[t]) {
      shield[i] = Math.min(tables.shield[t], shield[i] + tables.shieldRegen[t])
    }
  }
  if (tables.energyMax[t] > 0 && energy[i] < tables.energyMax[t]) {
    energy[i] = Math.min(tables.energyMax[t], energy[i] + tables.energyRegen[t])
  }
  if (cooldown[i] > 0) cooldown[i]--
  return cooldown[i] <= 0
}

/** Starts the cooldown after an attack; what was left over of the loop is carried. */
function reload(state: SkirmishState, i: number, jitter: boolean, random: Uint32Array, draws: number): void {
  const { tables, rules } = state.plan
  const base = tables.cooldown[state.type[i]]
  if (rules === 'smaclite') {
    state.cooldown[i] = Math.ceil(base)
    return
  }
  state.cooldown[i] += base
  if (jitter) state.cooldown[i] += 3 * nextFloat(random, draws) - 1
}

/**
 * The fighting of one loop. `engine.fire` and `engine.mend` hold whom each living unit shoots or heals.
 * Together: everybody recovers, everybody who is ready shoots, then the wounds and then the healing are counted.
 * In random order (smaclite with jitter): unit by unit, the dead do not shoot.
 */
export function fight(state: SkirmishState, engine: Engine, lane: number, random: Uint32Array, streams: number): void {
  const { plan, health, cooldown, struck } = state
  const { fire, mend, live, ready } = engine
  const { jitter } = plan.options
  const first = lane * plan.units
  const draws = (lane * streams + COMBAT) * GENERATOR_WORDS
  const living = engine.living
  if (plan.rules === 'smaclite' && jitter) {
    const { shuffled } = engine
    for (let a = 0; a < living; a++) shuffled[a] = live[a]
    for (let a = living - 1; a > 0; a--) {
      const b = nextBelow(random, draws, a + 1)
      const kept = shuffled[a]
      shuffled[a] = shuffled[b]
      shuffled[b] = kept
    }
    for (let a = 0; a < living; a++) {
      const u = shuffled[a]
      const i = first + u
      if (health[i] <= 0) continue
      const isReady = recover(state, i)
      if (mend[u] >= 0) {
        struck[i] = mend[u]
        heal(state, first, i, first + mend[u], lane)
      } else if (fire[u] >= 0 && isReady && health[first + fire[u]] > 0) {
        struck[i] = fire[u]
        strike(state, engine, first, i, first + fire[u])
        reload(state, i, jitter, random, draws)
      }
    }
    explodeTheKilled(state, engine, first)
    return
  }
  let shots = 0
  let mends = 0
  for (let a = 0; a < living; a++) {
    const u = live[a]
    const isReady = recover(state, first + u)
    ready[u] = isReady && fire[u] >= 0 ? 1 : 0
    shots += ready[u]
    if (mend[u] >= 0) mends++
    if (isReady && ready[u] === 0) cooldown[first + u] = 0
  }
  if (shots > 0) {
    for (let a = 0; a < living; a++) {
      const u = live[a]
      if (ready[u] === 0) continue
      const i = first + u
      struck[i] = fire[u]
      reload(state, i, jitter, random, draws)
      strike(state, engine, first, i, first + fire[u])
    }
    explodeTheKilled(state, engine, first)
  }
  if (mends > 0) {
    for (let a = 0; a < living; a++) {
      const u = live[a]
      if (mend[u] < 0 || health[first + u] <= 0) continue
      struck[first + u] = mend[u]
      heal(state, first, first + u, first + mend[u], lane)
    }
  }
}

/** Whether a healer may take up healing somebody new. */
export function mayHeal(state: SkirmishState, i: number, aim: number): boolean {
  const { plan, energy, type, order } = state
  if (state.aim[i] === aim && order[i] !== STOP) return true
  return energy[i] >= plan.tables.energyToStart[type[i]]
}
