/** What a viewer draws of one lane. Positions are cells: (0, 0) is the centre of the top left one, y grows downwards. */
import { type Entity, type Frame, type FrameEvent } from '../core/types.ts'
import { DOWN, LEFT, RIGHT, UP } from './layout.ts'
import { type Plan } from './options.ts'
import {
  BLOCKED,
  BLOCKED_MOVES,
  DELIVERED,
  DELIVERIES,
  DISTANCE,
  IDLE_TIME,
  INACTIVE,
  OUTCOME,
  PICKED_UP,
  PUT_DOWN,
  STANDSTILL_STEPS,
  TALLIES,
  type WarehouseState,
} from './state.ts'

/** Radians clockwise from up, by heading code. */
const RADIANS: Record<number, number> = { [UP]: 0, [RIGHT]: Math.PI / 2, [DOWN]: Math.PI, [LEFT]: (3 * Math.PI) / 2 }

/** Static facts of the floor for the scene: rows as text, goals, and how far robots see. */
export function sceneOf(plan: Plan): Record<string, unknown> {
  const { layout, sensorRange, requests, reward } = plan
  return {
    rows: layout.rows,
    goals: [...layout.goals].map((cell) => ({ x: cell % layout.width, y: Math.floor(cell / layout.width) })),
    sensorRange,
    requests,
    reward,
  }
}

/** Goals, then shelves, then robots, as they cover each other; ids are `goal_k`, `shelf_k` and those of the agents. */
export function frameOf(state: WarehouseState, lane: number, step: number): Frame {
  const { plan, cell, heading, load, outcome, stood, message, shelfCell, place, tally } = state
  const { layout, robots, shelves, messageBits } = plan
  const { width } = layout
  const first = lane * robots
  const spot = (at: number) => ({ x: at % width, y: Math.floor(at / width) })
  const entities: Entity[] = []
  const events: FrameEvent[] = []
  const carrier = new Map<number, string>()
  for (let n = 0; n < robots; n++) if (load[first + n] !== 0) carrier.set(load[first + n] - 1, `agent_${n}`)
  layout.goals.forEach((at, g) => entities.push({ id: `goal_${g}`, kind: 'goal', ...spot(at) }))
  for (let s = 0; s < shelves; s++) {
    const k = lane * shelves + s
    const requested = place[k] !== 0
    const carriedBy = carrier.get(s) ?? null
    entities.push({
      id: `shelf_${s}`,
      kind: 'shelf',
      ...spot(shelfCell[k]),
      state: { number: s, requested, carriedBy },
    })
  }
  let standstill = 0
  for (let n = 0; n < robots; n++) {
    const i = first + n
    const id = `agent_${n}`
    const what = outcome[i] & OUTCOME
    const stuck = stood[i] >= STANDSTILL_STEPS
    if (stuck) standstill++
    const at = spot(cell[i])
    entities.push({
      id,
      kind: 'robot',
      ...at,
      heading: RADIANS[heading[i]],
      team: 'robots',
      state: {
        number: n,
        carrying: load[i] === 0 ? null : `shelf_${load[i] - 1}`,
        carryingRequested: load[i] !== 0 && place[lane * shelves + load[i] - 1] !== 0,
        blocked: what === BLOCKED,
        standstill: stuck,
        sensorRange: plan.sensorRange,
        ...(messageBits > 0 ? { message: message[i].toString(2).padStart(messageBits, '0') } : {}),
      },
    })
    if (what === BLOCKED) events.push({ kind: 'blocked', at, agents: [id] })
    if (what === PICKED_UP) events.push({ kind: 'pickup', at, agents: [id] })
    if (what === PUT_DOWN) events.push({ kind: 'putdown', at, agents: [id] })
    if (outcome[i] & DELIVERED) events.push({ kind: 'delivery', at, agents: [id] })
  }
  const row = lane * TALLIES
  return {
    step,
    entities,
    events,
    counters: {
      deliveries: tally[row + DELIVERIES],
      distance: tally[row + DISTANCE],
      blockedMoves: tally[row + BLOCKED_MOVES],
      idleTime: tally[row + IDLE_TIME],
      standstill,
      stepsSinceDelivery: tally[row + INACTIVE],
    },
  }
}
