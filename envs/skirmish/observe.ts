/** What agents see and what a central critic sees: names, ranges and the kernels that write them. */
import { type Feature, type Port } from '../core/types.ts'
import { ALLIES, ENEMIES, type Plan } from './options.ts'
import { inSight, LOOK_X, LOOK_Y, maySee, reaches as reachesTruly } from './sight.ts'
import { EAST, NORTH, SOUTH, WEST, type SkirmishState } from './state.ts'

const MOVES = ['North', 'South', 'East', 'West'] as const

/** Places of the pathing and height options around the truncated own position [SMAC]. */
const AROUND_X = [0, 0, 4, -4, 2, -2, 2, -2]
const AROUND_Y = [4, -4, 0, 0, 2, -2, -2, 2]

const unit = (name: string, meaning: string): Feature => ({ name, low: 0, high: 1, meaning })
const both = (name: string, meaning: string): Feature => ({ name, low: -1, high: 1, meaning })

/** Names of the type bits of a side, in order. */
function bitNames(plan: Plan, side: number): string[] {
  const names = new Array<string>(plan.typeBits).fill('')
  plan.tables.types.forEach((type, t) => {
    const bit = plan.sides[side].bits[t]
    if (bit >= 0) names[bit] = type.name
  })
  return names
}

/** Names of the actions of an agent of one side. */
export function actionNames(plan: Plan, side: number): string[] {
  const { sides, options } = plan
  const foe = side === ALLIES ? 'enemy' : 'agent'
  const mate = side === ALLIES ? 'agent' : 'enemy'
  const names = ['no-op', 'stop', 'north', 'south', 'east', 'west']
  if (options.cone) for (let d = 0; d < 12; d++) names.push(`look ${d * 30} degrees`)
  const targets = sides[side].actions - sides[side].firstAttack
  const heals = plan.tables.types.some((type, t) => type.heal !== undefined && canHave(plan, side, t))
  for (let k = 0; k < targets; k++) {
    const attack = k < sides[1 - side].count ? `attack ${foe}_${k}` : ''
    const heal = heals && k < sides[side].count ? `heal ${mate}_${k}` : ''
    names.push([attack, heal].filter(Boolean).join(' / '))
  }
  return names
}

function canHave(plan: Plan, side: number, type: number): boolean {
  if (plan.generated !== null) return plan.generated.types.includes(type)
  return plan.starts![side].some((start) => start.type === type)
}

/** Features of an agent of one side, in order. `agent_own` (its index within the side) is left out of the team mates. */
export function observationFeatures(plan: Plan, side: number, own: number): Feature[] {
  const { options, sides } = plan
  const foe = side === ALLIES ? 'enemy' : 'agent'
  const mate = side === ALLIES ? 'agent' : 'enemy'
  const features: Feature[] = MOVES.map((name) => unit(`canMove${name}`, 'the cell one cell that way is walkable'))
  if (options.pathingGrid) {
    for (let p = 0; p < 8; p++) {
      features.push(unit(`walkable(${AROUND_X[p]},${AROUND_Y[p]})`, 'cells right and up; 1 outside the map'))
    }
  }
  if (options.terrainHeight) {
    for (let p = 0; p < 9; p++) {
      const place = p < 8 ? `${AROUND_X[p]},${AROUND_Y[p]}` : '0,0'
      features.push(unit(`height(${place})`, 'height 0 to 1 of the cell; 1 outside the map'))
    }
  }
  const body = (id: string, shields: number, bits: readonly string[], first: Feature) => {
    features.push(first)
    features.push(unit(`${id}.distance`, 'over the own sight range; 0 when unseen'))
    features.push(both(`${id}.dx`, 'to the right, over the own sight range'))
    features.push(both(`${id}.dy`, 'up, over the own sight range'))
    if (options.allHealth) {
      features.push(unit(`${id}.health`, 'of its full health'))
      if (shields === 1) features.push(unit(`${id}.shield`, 'of its full shield'))
    }
    for (const bit of bits) features.push(unit(`${id}.${bit}`, `is a ${bit}`))
  }
  for (let k = 0; k < sides[1 - side].count; k++) {
    const id = `${foe}_${k}`
    const first = unit(`${id}.inReach`, 'target action k is legal: attack, for a healer heal team mate k')
    body(id, sides[1 - side].shields, bitNames(plan, 1 - side), first)
  }
  const actions = actionNames(plan, side)
  for (let n = 0; n < sides[side].count; n++) {
    if (n === own) continue
    const id = `${mate}_${n}`
    body(id, sides[side].shields, bitNames(plan, side), unit(`${id}.visible`, 'alive and in sight'))
    if (options.lastAction) {
      actions.forEach((name, a) => features.push(unit(`${id}.did${a}`, `its last action was ${name}`)))
    }
  }
  if (options.ownHealth) {
    features.push(unit('own.health', 'of the own full health'))
    if (sides[side].shields === 1) features.push(unit('own.shield', 'of the own full shield'))
  }
  if (plan.ownPosition) features.push(unit('own.x', 'over the width'), unit('own.y', 'from below, over the height'))
  if (options.cone) features.push(both('own.lookX', 'to the right'), both('own.lookY', 'up'))
  for (const bit of bitNames(plan, side)) features.push(unit(`own.${bit}`, `is a ${bit}`))
  if (options.timestep) {
    if (options.compatibility) features.push(unit('spare', 'always 0, as in SMAC'))
    features.push(unit('time', 'step over the horizon'))
  }
  return features
}

/** Features of the state, in order; positions and everything else seen from the allies. */
export function stateFeatures(plan: Plan): Feature[] {
  const { options, sides } = plan
  const features: Feature[] = []
  if (options.observationsAsState) {
    const teams = plan.agents > sides[0].count ? 2 : 1
    for (let side = 0; side < teams; side++) {
      for (let n = 0; n < sides[side].count; n++) {
        const id = `${side === ALLIES ? 'agent' : 'enemy'}_${n}`
        for (const feature of observationFeatures(plan, side, n)) {
          features.push({ ...feature, name: `${id}: ${feature.name}` })
        }
      }
    }
    return features
  }
  const half = (name: string, meaning: string): Feature => ({ name, low: -0.5, high: 0.5, meaning })
  const longest = Math.max(
    1,
    ...plan.tables.types.map((_, t) => (plan.tables.cooldown[t] + 3) / plan.tables.normaliser[t]),
  )
  for (let side = 0; side < 2; side++) {
    for (let n = 0; n < sides[side].count; n++) {
      const id = `${side === ALLIES ? 'agent' : 'enemy'}_${n}`
      features.push(unit(`${id}.health`, 'of its full health'))
      if (side === ALLIES) {
        features.push({
          name: `${id}.cooldown`,
          low: 0,
          high: longest,
          meaning: 'loops over its normaliser, or energy / 200',
        })
      }
      features.push(half(`${id}.x`, 'right of the centre, over the width'))
      features.push(half(`${id}.y`, 'above the centre, over the height'))
      if (sides[side].shields === 1) features.push(unit(`${id}.shield`, 'of its full shield'))
      if (options.cone && side === ALLIES) features.push(both(`${id}.lookX`, 'right'), both(`${id}.lookY`, 'up'))
      for (const bit of bitNames(plan, side)) features.push(unit(`${id}.${bit}`, `is a ${bit}`))
    }
  }
  if (options.stateLastAction) {
    const names = actionNames(plan, ALLIES)
    for (let n = 0; n < sides[ALLIES].count; n++) {
      names.forEach((name, a) => features.push(unit(`agent_${n}.did${a}`, `its last action was ${name}`)))
    }
  }
  if (options.stateTimestep) features.push(unit('time', 'step over the horizon'))
  return features
}

/** Writes observations and states of the listed lanes. */
export function observe(state: SkirmishState, port: Port, lanes: Int32Array, count: number): void {
  const { plan } = state
  const { seats, observation, observationSize: F, step } = port
  const N = seats.length
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const time = Math.min(1, step[lane] / plan.limit)
    for (let n = 0; n < N; n++) {
      const row = (lane * N + n) * F
      const end = observeUnit(state, port, lane, seats[n], observation, row, time)
      for (let at = end; at < row + F; at++) observation[at] = 0
    }
    observeState(state, port, lane, time)
  }
}

/** Writes the observation of unit `u` at `to`; zeros when it is dead. @returns the place after it */
function observeUnit(
  state: SkirmishState,
  port: Port,
  lane: number,
  u: number,
  out: Float32Array,
  row: number,
  time: number,
): number {
  const { plan, type, x, y, health, shield, lastAction } = state
  const { units, sides, options, tables, typeBits, agents, sightRange } = plan
  const { health: fullHealth, shield: fullShield } = tables
  const { mask, actionSize: A } = port
  const first = lane * units
  const i = first + u
  const side = u < sides[0].count ? ALLIES : ENEMIES
  const own = sides[side]
  const other = sides[1 - side]
  const end = row + own.observation
  if (health[i] <= 0 || options.blind) {
    for (let at = row; at < end; at++) out[at] = 0
    if (health[i] > 0 && options.timestep) out[end - 1] = time
    return end
  }
  const legal = (lane * agents + u) * A
  let at = row
  out[at++] = mask[legal + NORTH]
  out[at++] = mask[legal + SOUTH]
  out[at++] = mask[legal + EAST]
  out[at++] = mask[legal + WEST]
  if (options.pathingGrid || options.terrainHeight) at = observeGround(plan, x[i], y[i], out, at)
  const px = x[i]
  const py = y[i]
  const sight = sightRange[type[i]]
  const sight2 = sight * sight
  const scale = 1 / sight
  const shares = state.granted.length > 0
  const cone = options.cone
  const allHealth = options.allHealth
  const foeShields = other.shields
  const foeSize = 4 + (allHealth ? 1 + foeShields : 0) + typeBits
  // What the first feature of an enemy says: the mask, or under EPO without mask whether the target is truly in reach.
  const reach = legal + own.firstAttack
  const masked = options.actionMask
  for (let k = 0; k < other.count; k++) {
    const v = other.base + k
    const j = first + v
    const dx = x[j] - px
    const dy = y[j] - py
    const d2 = dx * dx + dy * dy
    const seen =
      health[j] > 0 && (cone ? inSight(state, first, u, v, d2) : d2 < sight2) && (!shares || maySee(state, first, u, v))
    if (!seen) {
      for (const stop = at + foeSize; at < stop; at++) out[at] = 0
      continue
    }
    const t = type[j]
    out[at] = masked ? mask[reach + k] : reachesTruly(state, first, u, k) ? 1 : 0
    out[at + 1] = Math.sqrt(d2) * scale
    out[at + 2] = dx * scale
    out[at + 3] = dy * scale
    at += 4
    if (allHealth) {
      out[at++] = health[j] / fullHealth[t]
      if (foeShields === 1) out[at++] = fullShield[t] > 0 ? shield[j] / fullShield[t] : 0
    }
    for (let b = 0; b < typeBits; b++) out[at + b] = 0
    if (typeBits > 0 && other.bits[t] >= 0) out[at + other.bits[t]] = 1
    at += typeBits
  }
  const ownShields = own.shields
  const actions = own.actions
  const mateSize = 4 + (allHealth ? 1 + ownShields : 0) + typeBits + (options.lastAction ? actions : 0)
  for (let n = 0; n < own.count; n++) {
    const v = own.base + n
    if (v === u) continue
    const j = first + v
    const dx = x[j] - px
    const dy = y[j] - py
    const d2 = dx * dx + dy * dy
    if (health[j] <= 0 || !(cone ? inSight(state, first, u, v, d2) : d2 < sight2)) {
      for (const stop = at + mateSize; at < stop; at++) out[at] = 0
      continue
    }
    const t = type[j]
    out[at] = 1
    out[at + 1] = Math.sqrt(d2) * scale
    out[at + 2] = dx * scale
    out[at + 3] = dy * scale
    at += 4
    if (allHealth) {
      out[at++] = health[j] / fullHealth[t]
      if (ownShields === 1) out[at++] = fullShield[t] > 0 ? shield[j] / fullShield[t] : 0
    }
    for (let b = 0; b < typeBits; b++) out[at + b] = 0
    if (typeBits > 0 && own.bits[t] >= 0) out[at + own.bits[t]] = 1
    at += typeBits
    if (options.lastAction) {
      for (let a = 0; a < actions; a++) out[at + a] = 0
      if (lastAction[j] >= 0) out[at + lastAction[j]] = 1
      at += actions
    }
  }
  const t = type[i]
  if (options.ownHealth) {
    out[at++] = health[i] / tables.health[t]
    if (ownShields === 1) out[at++] = tables.shield[t] > 0 ? shield[i] / tables.shield[t] : 0
  }
  if (plan.ownPosition) {
    out[at++] = px / plan.terrain.width + 0.5
    out[at++] = py / plan.terrain.height + 0.5
  }
  if (cone) {
    out[at++] = LOOK_X[state.facing[i]]
    out[at++] = LOOK_Y[state.facing[i]]
  }
  for (let b = 0; b < typeBits; b++) out[at + b] = 0
  if (typeBits > 0 && own.bits[t] >= 0) out[at + own.bits[t]] = 1
  at += typeBits
  if (options.timestep) {
    if (options.compatibility) out[at++] = 0
    out[at++] = time
  }
  return at
}

function observeGround(plan: Plan, px: number, py: number, out: Float32Array, at: number): number {
  const { options, terrain } = plan
  const { width, height, walkable, heights } = terrain
  const column = Math.trunc(px + width / 2)
  const row = Math.trunc(py + height / 2)
  if (options.pathingGrid) {
    for (let p = 0; p < 8; p++) {
      const cx = column + AROUND_X[p]
      const cy = row + AROUND_Y[p]
      const inside = cx >= 0 && cy >= 0 && cx < width && cy < height
      out[at++] = inside ? walkable[cy * width + cx] : 1
    }
  }
  if (options.terrainHeight) {
    for (let p = 0; p < 9; p++) {
      const cx = column + (p < 8 ? AROUND_X[p] : 0)
      const cy = row + (p < 8 ? AROUND_Y[p] : 0)
      const inside = cx >= 0 && cy >= 0 && cx < width && cy < height
      out[at++] = inside ? heights[cy * width + cx] : 1
    }
  }
  return at
}

/** Energy that a full bar of the state stands for [SMAC]. */
const ENERGY_SCALE = 200

function observeState(state: SkirmishState, port: Port, lane: number, time: number): void {
  const { plan, type, x, y, health, shield, energy, cooldown, lastAction } = state
  const { units, sides, options, tables, typeBits, terrain } = plan
  const { state: out, stateSize } = port
  const first = lane * units
  let at = lane * stateSize
  if (options.observationsAsState) {
    for (let u = 0; u < plan.agents; u++) at = observeUnit(state, port, lane, u, out, at, time)
    return
  }
  const scaleX = 1 / terrain.width
  const scaleY = 1 / terrain.height
  for (let side = 0; side < 2; side++) {
    const { base, count, shields, bits } = sides[side]
    const allied = side === ALLIES
    const looks = options.cone && allied
    const size = 3 + (allied ? 1 : 0) + shields + (looks ? 2 : 0) + typeBits
    for (let u = base; u < base + count; u++) {
      const i = first + u
      if (health[i] <= 0) {
        for (const stop = at + size; at < stop; at++) out[at] = 0
        continue
      }
      const t = type[i]
      out[at++] = health[i] / tables.health[t]
      if (allied) {
        out[at++] = tables.energyMax[t] > 0 ? energy[i] / ENERGY_SCALE : Math.max(0, cooldown[i]) / tables.normaliser[t]
      }
      out[at++] = x[i] * scaleX
      out[at++] = y[i] * scaleY
      if (shields === 1) out[at++] = tables.shield[t] > 0 ? shield[i] / tables.shield[t] : 0
      if (looks) {
        out[at++] = LOOK_X[state.facing[i]]
        out[at++] = LOOK_Y[state.facing[i]]
      }
      for (let b = 0; b < typeBits; b++) out[at + b] = 0
      if (typeBits > 0 && bits[t] >= 0) out[at + bits[t]] = 1
      at += typeBits
    }
  }
  if (options.stateLastAction) {
    const { count, actions } = sides[ALLIES]
    for (let u = 0; u < count; u++) {
      for (let a = 0; a < actions; a++) out[at + a] = 0
      if (lastAction[first + u] >= 0) out[at + lastAction[first + u]] = 1
      at += actions
    }
  }
  if (options.stateTimestep) out[at++] = time
}
