/** What a viewer draws of one lane. Positions are cells: (0, 0) is the centre of the top left one, y grows downwards. */
import { type Entity, type Frame, type FrameEvent } from '../core/types.ts'
import { type Plan } from './options.ts'
import {
  BLOCKED,
  BLOCKED_MOVES,
  FAILED,
  FAILED_LOADS,
  INVALID,
  JOINT_LOADS,
  LOADED,
  PRESENT,
  TAKEN,
  TAKEN_ITEMS,
  TAKEN_LEVELS,
  TALLIES,
  type ForagingState,
} from './state.ts'

/** Static facts of the field for the scene. */
export function sceneOf(plan: Plan): Record<string, unknown> {
  const { rows, columns, sight, seesAll, normalised, penalty, strict } = plan
  return { rows, columns, sightCells: seesAll ? null : sight, normalised, penalty, strict }
}

/**
 * Food, then players; ids are `food_k` and those of the agents. An item that was taken in this step is still there, marked
 * `taken`, and is gone from the next frame.
 */
export function frameOf(state: ForagingState, lane: number, step: number): Frame {
  const { plan, cell, level, outcome, tried, foodCell, foodLevel, foodStatus, tally, spawned, left } = state
  const { columns, players, foods, sight, seesAll } = plan
  const first = lane * players
  const spot = (at: number) => ({ x: at % columns, y: Math.floor(at / columns) })
  const entities: Entity[] = []
  const events: FrameEvent[] = []
  for (let f = 0; f < foods; f++) {
    const k = lane * foods + f
    const there = foodStatus[k] === PRESENT
    if (!there && foodStatus[k] !== TAKEN) continue
    const group = Array.from({ length: players }, (_, n) => n).filter((n) => tried[first + n] === f + 1)
    const load = group.reduce((sum, n) => sum + level[first + n], 0)
    const at = spot(foodCell[k])
    entities.push({ id: `food_${f}`, kind: 'food', ...at, state: { level: foodLevel[k], load, taken: !there } })
    if (group.length === 0) continue
    const agents = group.map((n) => `agent_${n}`)
    events.push({ kind: there ? 'tooHeavy' : 'taken', at, agents, value: foodLevel[k] })
  }
  for (let n = 0; n < players; n++) {
    const i = first + n
    const id = `agent_${n}`
    const at = spot(cell[i])
    const shares = cell.subarray(first, first + players).filter((other) => other === cell[i]).length > 1
    entities.push({
      id,
      kind: 'player',
      ...at,
      team: 'players',
      state: {
        number: n,
        level: level[i],
        loading: outcome[i] === LOADED || outcome[i] === FAILED,
        target: tried[i] === 0 ? null : `food_${tried[i] - 1}`,
        blocked: outcome[i] === BLOCKED,
        invalid: outcome[i] === INVALID,
        sharesCell: shares,
        sightCells: seesAll ? null : sight,
      },
    })
    if (outcome[i] === BLOCKED) events.push({ kind: 'blocked', at, agents: [id] })
  }
  const row = lane * TALLIES
  return {
    step,
    entities,
    events,
    counters: {
      foodLeft: left[lane],
      foodTaken: tally[row + TAKEN_ITEMS],
      levelTaken: tally[row + TAKEN_LEVELS],
      levelSpawned: spawned[lane],
      jointLoads: tally[row + JOINT_LOADS],
      failedLoads: tally[row + FAILED_LOADS],
      blockedMoves: tally[row + BLOCKED_MOVES],
    },
  }
}
