/** Weapons, shields, splash, healing and regeneration of one loop. */
import { GENERATOR_WORDS, nextBelow, nextFloat } from '../core/random.ts'
import * as engines from './engine.ts'
import { type Engine } from './engine.ts'
import { COMBAT } from './start.ts'
import * as states from './state.ts'
import { type SkirmishState } from './state.ts'

const { X, Y, RADIUS, COOLDOWN, HEALTH, SHIELD, QUIET } = engines.BODY
const { FIRE, TYPE, ROW, SIDE, TRAITS, EXPLODED, FELLED_BY } = engines.MARK
const { HEALS, RECOVERS, RECORD_SHIFT } = engines
const { HEALED, STOP, TALLIES } = states

/** Damage of a hit that armour takes away almost wholly. */
const LEAST_DAMAGE = 0.5

/** One hit on unit `c` by unit `b`: shield first, then armour once, then health. */
function hurt(state: SkirmishState, engine: Engine, first: number, b: number, c: number, damage: number): void {
  const { body, mark } = engine
  const health = body[c + HEALTH]
  if (health <= 0) return
  const shield = body[c + SHIELD]
  const before = health + shield
  let left = damage
  if (shield > 0) {
    if (left <= shield) {
      body[c + SHIELD] = shield - left
      left = 0
    } else {
      left -= shield
      body[c + SHIELD] = 0
    }
  }
  if (left > 0) {
    left -= state.plan.tables.armor[mark[c + TYPE]]
    if (left < LEAST_DAMAGE) left = LEAST_DAMAGE
    body[c + HEALTH] = left >= health ? 0 : health - left
    if (left >= health) mark[c + FELLED_BY] = b
  }
  body[c + QUIET] = 0
  const loss = before - body[c + HEALTH] - body[c + SHIELD]
  state.dealt[first + (b >> RECORD_SHIFT)] += loss
  state.taken[first + (c >> RECORD_SHIFT)] += loss
}

/** All hits of one attack of unit `b` on unit `c`, splash included. */
function strike(state: SkirmishState, engine: Engine, first: number, b: number, c: number): void {
  const { tables } = state.plan
  const { body, mark } = engine
  const t = mark[b + TYPE]
  if (tables.suicide[t] === 1) {
    body[b + HEALTH] = 0
    body[b + SHIELD] = 0
    mark[b + FELLED_BY] = b
    explode(state, engine, first, b)
    return
  }
  const damage = tables.hit[mark[b + ROW] + mark[c + TYPE]]
  const attacks = tables.attacks[t]
  for (let a = 0; a < attacks; a++) hurt(state, engine, first, b, c, damage)
  if (tables.barWidth[t] > 0) sweep(state, engine, first, b, c)
}

/** A bar across the line of fire, centred on the target `c`, hurts every other opponent of `b` whose disc it touches. */
function sweep(state: SkirmishState, engine: Engine, first: number, b: number, c: number): void {
  const { tables, rules } = state.plan
  const { body, mark, live, livingAllies, living } = engine
  const t = mark[b + TYPE]
  const row = mark[b + ROW]
  const attacks = tables.attacks[t]
  const dx = body[c + X] - body[b + X]
  const dy = body[c + Y] - body[b + Y]
  const length = Math.sqrt(dx * dx + dy * dy)
  const ux = length > 0 ? dx / length : 1
  const uy = length > 0 ? dy / length : 0
  const depth = tables.barDepth[t] / 2
  const half = tables.barWidth[t] / 2
  const reach = rules === 'smaclite' ? depth * depth + half * half : Infinity
  const ally = mark[b + SIDE] === 0
  const to = ally ? living : livingAllies
  for (let a = ally ? livingAllies : 0; a < to; a++) {
    const k = live[a]
    if (k === c || body[k + HEALTH] <= 0 || tables.hit[row + mark[k + TYPE]] === 0) continue
    const ex = body[k + X] - body[c + X]
    const ey = body[k + Y] - body[c + Y]
    // SMAClite only looks at units whose centre is within half the bar's diagonal.
    if (ex * ex + ey * ey > reach) continue
    let along = Math.abs(ex * ux + ey * uy) - depth
    let across = Math.abs(ey * ux - ex * uy) - half
    if (along < 0) along = 0
    if (across < 0) across = 0
    const r = body[k + RADIUS]
    if (along * along + across * across > r * r) continue
    for (let n = 0; n < attacks; n++) hurt(state, engine, first, b, k, tables.hit[row + mark[k + TYPE]])
  }
}

/** Full damage to every opponent whose edge is within the splash radius of `b`'s centre. */
function explode(state: SkirmishState, engine: Engine, first: number, b: number): void {
  const { tables } = state.plan
  const { body, mark, live, livingAllies, living } = engine
  const radius = tables.splashRadius[mark[b + TYPE]]
  const row = mark[b + ROW]
  mark[b + EXPLODED] = 1
  const ally = mark[b + SIDE] === 0
  const to = ally ? living : livingAllies
  for (let a = ally ? livingAllies : 0; a < to; a++) {
    const k = live[a]
    if (body[k + HEALTH] <= 0) continue
    const damage = tables.hit[row + mark[k + TYPE]]
    if (damage === 0) continue
    const dx = body[k + X] - body[b + X]
    const dy = body[k + Y] - body[b + Y]
    const reach = radius + body[k + RADIUS]
    if (dx * dx + dy * dy <= reach * reach) hurt(state, engine, first, b, k, damage)
  }
}

/** Units that explode when killed do so, and so do those that this kills. */
function explodeTheKilled(state: SkirmishState, engine: Engine, first: number): void {
  const { body, mark, live, living } = engine
  const { explodes } = state.plan.tables
  let again = true
  while (again) {
    again = false
    for (let a = 0; a < living; a++) {
      const b = live[a]
      if (body[b + HEALTH] > 0 || mark[b + EXPLODED] === 1 || explodes[mark[b + TYPE]] === 0) continue
      explode(state, engine, first, b)
      again = true
    }
  }
}

/** Up to one loop's healing of `c` by `b`, paid in whole energy points. */
function heal(state: SkirmishState, engine: Engine, lane: number, b: number, c: number): void {
  const { energy, credit, plan } = state
  const { tables, units } = plan
  const { body, mark } = engine
  const i = lane * units + (b >> RECORD_SHIFT)
  const t = mark[b + TYPE]
  if (body[c + HEALTH] <= 0) return
  const missing = tables.health[mark[c + TYPE]] - body[c + HEALTH]
  if (missing <= 0) return
  let amount = Math.min(tables.heals[t], missing)
  while (credit[i] < amount && energy[i] >= 1) {
    energy[i] -= 1
    credit[i] += tables.perEnergy[t]
  }
  if (credit[i] < amount) amount = credit[i]
  credit[i] -= amount
  body[c + HEALTH] += amount
  if (mark[b + SIDE] === 0) state.tally[lane * TALLIES + HEALED] += amount
}

/** Health, shield and energy of one unit that come back. */
function recover(state: SkirmishState, engine: Engine, first: number, b: number): void {
  const { tables } = state.plan
  const { body, mark } = engine
  const t = mark[b + TYPE]
  if (tables.healthRegen[t] > 0) {
    const full = tables.health[t]
    const health = body[b + HEALTH]
    if (health < full) body[b + HEALTH] = Math.min(full, health + tables.healthRegen[t])
  }
  if (tables.shieldRegen[t] > 0) {
    const delay = tables.shieldDelay[t]
    let quiet = body[b + QUIET]
    if (quiet < delay) body[b + QUIET] = ++quiet
    const full = tables.shield[t]
    const shield = body[b + SHIELD]
    if (quiet >= delay && shield < full) body[b + SHIELD] = Math.min(full, shield + tables.shieldRegen[t])
  }
  if (tables.energyMax[t] > 0) {
    const { energy } = state
    const i = first + (b >> RECORD_SHIFT)
    if (energy[i] < tables.energyMax[t]) energy[i] = Math.min(tables.energyMax[t], energy[i] + tables.energyRegen[t])
  }
}

/** Starts the cooldown after an attack; what was left over of the loop is carried. */
function reload(
  state: SkirmishState,
  engine: Engine,
  b: number,
  jitter: boolean,
  random: Uint32Array,
  draws: number,
): void {
  const { tables, rules } = state.plan
  const { body, mark } = engine
  const base = tables.cooldown[mark[b + TYPE]]
  if (rules === 'smaclite') {
    body[b + COOLDOWN] = Math.ceil(base)
    return
  }
  body[b + COOLDOWN] += base
  if (jitter) body[b + COOLDOWN] += 3 * nextFloat(random, draws) - 1
}

/**
 * The fighting of one loop; `FIRE` of each record says whom it shoots or heals.
 * Together: everybody recovers, everybody who is ready shoots, then the wounds and then the healing are counted.
 * In random order (smaclite with jitter): unit by unit, the dead do not shoot.
 */
export function fight(state: SkirmishState, engine: Engine, lane: number, random: Uint32Array, streams: number): void {
  const { plan } = state
  const draws = (lane * streams + COMBAT) * GENERATOR_WORDS
  if (plan.rules === 'smaclite' && plan.options.jitter) {
    fightInTurn(state, engine, lane, random, draws)
    return
  }
  const first = lane * plan.units
  const { body, mark, live, living, shooters } = engine
  if (engine.recovers) {
    for (let a = 0; a < living; a++)
      if ((mark[live[a] + TRAITS] & RECOVERS) !== 0) recover(state, engine, first, live[a])
  }
  let shots = 0
  let mends = 0
  for (let a = 0; a < living; a++) {
    const b = live[a]
    let left = body[b + COOLDOWN]
    if (left > 0) body[b + COOLDOWN] = --left
    const busy = mark[b + FIRE] >= 0
    if (busy && (mark[b + TRAITS] & HEALS) !== 0) {
      mends++
      if (left <= 0) body[b + COOLDOWN] = 0
    } else if (left <= 0) {
      if (busy) shooters[shots++] = b
      else body[b + COOLDOWN] = 0
    }
  }
  if (shots > 0) shootTogether(state, engine, first, shots, random, draws)
  if (mends > 0) mend(state, engine, lane)
}

function shootTogether(
  state: SkirmishState,
  engine: Engine,
  first: number,
  shots: number,
  random: Uint32Array,
  draws: number,
): void {
  const { mark, shooters } = engine
  const { struck, plan } = state
  for (let s = 0; s < shots; s++) {
    const b = shooters[s]
    const c = mark[b + FIRE]
    struck[first + (b >> RECORD_SHIFT)] = c >> RECORD_SHIFT
    reload(state, engine, b, plan.options.jitter, random, draws)
    strike(state, engine, first, b, c)
  }
  explodeTheKilled(state, engine, first)
}

function mend(state: SkirmishState, engine: Engine, lane: number): void {
  const { body, mark, live, living } = engine
  const first = lane * state.plan.units
  for (let a = 0; a < living; a++) {
    const b = live[a]
    if (mark[b + FIRE] < 0 || (mark[b + TRAITS] & HEALS) === 0 || body[b + HEALTH] <= 0) continue
    state.struck[first + (b >> RECORD_SHIFT)] = mark[b + FIRE] >> RECORD_SHIFT
    heal(state, engine, lane, b, mark[b + FIRE])
  }
}

function fightInTurn(state: SkirmishState, engine: Engine, lane: number, random: Uint32Array, draws: number): void {
  const { body, mark, live, living, order } = engine
  const first = lane * state.plan.units
  for (let a = 0; a < living; a++) order[a] = live[a]
  for (let a = living - 1; a > 0; a--) {
    const other = nextBelow(random, draws, a + 1)
    const kept = order[a]
    order[a] = order[other]
    order[other] = kept
  }
  for (let a = 0; a < living; a++) {
    const b = order[a]
    if (body[b + HEALTH] <= 0) continue
    const traits = mark[b + TRAITS]
    if ((traits & RECOVERS) !== 0) recover(state, engine, first, b)
    if (body[b + COOLDOWN] > 0) body[b + COOLDOWN]--
    const c = mark[b + FIRE]
    if (c < 0) continue
    if ((traits & HEALS) !== 0) {
      state.struck[first + (b >> RECORD_SHIFT)] = c >> RECORD_SHIFT
      heal(state, engine, lane, b, c)
    } else if (body[b + COOLDOWN] <= 0 && body[c + HEALTH] > 0) {
      state.struck[first + (b >> RECORD_SHIFT)] = c >> RECORD_SHIFT
      strike(state, engine, first, b, c)
      reload(state, engine, b, true, random, draws)
    }
  }
  explodeTheKilled(state, engine, first)
}

/** Whether a healer may take up healing somebody new. Between steps: reads the arrays of the state. */
export function mayHeal(state: SkirmishState, i: number, aim: number): boolean {
  const { plan, energy, type, order } = state
  if (state.aim[i] === aim && order[i] !== STOP) return true
  return energy[i] >= plan.tables.energyToStart[type[i]]
}
