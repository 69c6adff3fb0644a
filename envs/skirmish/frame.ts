/** What viewers draw of a skirmish. y grows downwards here; orders of scripted enemies are shown too. */
import { type Entity, type Frame, type FrameEvent } from '../core/types.ts'
import { type Plan } from './options.ts'
import { LOOK_X, LOOK_Y } from './sight.ts'
import { ATTACK_MOVE, MOVE, ORDERS, STOP, type SkirmishState } from './state.ts'

const idOf = (plan: Plan, u: number) => (u < plan.sides[0].count ? `agent_${u}` : `enemy_${u - plan.sides[0].count}`)

/** What an order says to people: 'attack enemy_3', 'move', 'stop'. */
function orderOf(state: SkirmishState, first: number, u: number): string {
  const { plan, order, aim } = state
  const kind = order[first + u]
  const target = aim[first + u]
  if (kind === STOP || kind === MOVE) return ORDERS[kind]
  if (target < 0) return ORDERS[kind]
  return `${kind === ATTACK_MOVE ? 'attack' : ORDERS[kind]} ${idOf(plan, target)}`
}

export function frameOf(state: SkirmishState, lane: number, step: number): Frame {
  const { plan, type, x, y, health, shield, energy, cooldown, struck, felledBy, facing } = state
  const { units, sides, terrain, tables, options } = plan
  const first = lane * units
  const entities: Entity[] = []
  const links: { from: string; to: string; kind: string }[] = []
  const events: FrameEvent[] = []
  const left = [0, 0]
  // World units of frames: cell (0, 0) has its centre at (0, 0), y downwards.
  const toX = (value: number) => value + terrain.width / 2 - 0.5
  const toY = (value: number) => terrain.height / 2 - value - 0.5
  for (let u = 0; u < units; u++) {
    const i = first + u
    const t = type[i]
    const alive = health[i] > 0
    const ally = u < sides[0].count
    if (alive) left[ally ? 0 : 1]++
    const shownType = tables.types[t]
    entities.push({
      id: idOf(plan, u),
      kind: shownType.name,
      x: toX(x[i]),
      y: toY(y[i]),
      team: ally ? 'allies' : 'enemies',
      state: {
        alive,
        health: health[i],
        maxHealth: shownType.health,
        shield: shield[i],
        maxShield: shownType.shield,
        energy: energy[i],
        cooldown: Math.max(0, cooldown[i]),
        radius: shownType.radius,
        range: shownType.range,
        sight: plan.sightRange[t],
        shootRange: plan.shootRange[t],
        order: alive ? orderOf(state, first, u) : 'dead',
        lookX: options.cone && ally ? LOOK_X[facing[i]] : 0,
        lookY: options.cone && ally ? -LOOK_Y[facing[i]] : 0,
      },
    })
    if (felledBy[i] >= 0) {
      // Who fell, and who felled it: an enemy is a kill, an ally a death.
      const agents = [...new Set([idOf(plan, u), idOf(plan, felledBy[i])])]
      events.push({ kind: ally ? 'death' : 'kill', at: { x: toX(x[i]), y: toY(y[i]) }, agents })
    }
    if (struck[i] >= 0) {
      const heals = tables.heals[t] > 0
      links.push({ from: idOf(plan, u), to: idOf(plan, struck[i]), kind: heals ? 'heal' : 'attack' })
      const target = first + struck[i]
      if (heals) {
        const agents = [idOf(plan, u), idOf(plan, struck[i])]
        events.push({ kind: 'heal', at: { x: toX(x[target]), y: toY(y[target]) }, agents })
      }
      if (tables.suicide[t] === 1) {
        const at = { x: toX(x[i]), y: toY(y[i]) }
        events.push({ kind: 'explosion', at, agents: [idOf(plan, u)], value: tables.splashRadius[t] })
      } else if (tables.barWidth[t] > 0) {
        const at = { x: toX(x[target]), y: toY(y[target]) }
        events.push({ kind: 'splash', at, agents: [idOf(plan, u)], value: tables.barWidth[t] / 2 })
      }
    }
  }
  const row = (lane * state.tally.length) / state.lanes
  return {
    step,
    entities,
    links,
    events,
    counters: {
      allies: left[0],
      enemies: left[1],
      damageDealt: Math.round(state.tally[row]),
      damageTaken: Math.round(state.tally[row + 1]),
    },
  }
}

/** Static facts for the scene: the ground, rows from top to bottom. */
export function sceneOf(plan: Plan): Record<string, unknown> {
  return { map: plan.map, rules: plan.rules, terrain: [...plan.terrain.rows], units: plan.units }
}
