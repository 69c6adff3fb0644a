/** The robotic warehouse: robots fetch requested shelves, show them at a goal and put them back. */
import { type EnvDefinition, type Port, type Rules, type WorldSpec } from '../core/types.ts'
import { frameOf, sceneOf } from './frame.ts'
import { createMovement } from './movement.ts'
import {
  createSight,
  observationFeatures,
  observe,
  observeQuiet,
  observeState,
  stateFeatures,
  type Sight,
} from './observe.ts'
import { OPTIONS, planOf, type Options, type Plan } from './options.ts'
import { step } from './rules.ts'
import { start, STREAMS } from './start.ts'
import {
  ACTIONS,
  BLOCKED_MOVES,
  checkLane,
  createState,
  DELIVERED,
  DELIVERIES,
  derive,
  DISTANCE,
  IDLE_TIME,
  RETURNED,
  savedArrays,
  STANDSTILL_TIME,
  TALLIES,
  type WarehouseState,
} from './state.ts'

export { type WarehouseWorld } from './state.ts'

/** Per episode, over all robots; README.md defines each. */
export const METRICS = ['deliveries', 'distance', 'blockedMoves', 'idleTime', 'standstill'] as const

function specOf(plan: Plan): WorldSpec {
  const { layout, robots, messageBits } = plan
  const observation = observationFeatures(plan)
  const bits = Array.from({ length: messageBits }, (_, b) => ({ name: `message${b}`, values: ['0', '1'] }))
  const action =
    messageBits === 0
      ? ({ kind: 'discrete', names: ACTIONS } as const)
      : ({ kind: 'multi-discrete', dimensions: [{ name: 'action', values: ACTIONS }, ...bits] } as const)
  return {
    agents: Array.from({ length: robots }, (_, n) => ({
      id: `agent_${n}`,
      team: 'robots',
      kind: 'robot',
      observation,
      action,
    })),
    state: stateFeatures(plan),
    metrics: METRICS,
    streams: STREAMS,
    size: { width: layout.width, height: layout.height },
    scene: sceneOf(plan),
  }
}

/** Reward of the last step by term, from what became of each robot's action. */
function rewardTerms(state: WarehouseState, lane: number): Record<string, Float32Array> {
  const { plan, outcome } = state
  const { robots, reward } = plan
  const row = outcome.subarray(lane * robots, (lane + 1) * robots)
  const delivered = Float32Array.from(row, (what) => (what & DELIVERED ? 1 : 0))
  if (reward === 'individual') return { delivery: delivered }
  if (reward === 'global') return { delivery: delivered.map(() => delivered.reduce((sum, one) => sum + one, 0)) }
  return {
    delivery: delivered.map((one) => one / 2),
    return: Float32Array.from(row, (what) => (what & RETURNED ? 0.5 : 0)),
  }
}

function createRules(options: Options, port: Port): Rules {
  const state = createState(planOf(options), port.lanes)
  const movement = createMovement(state.plan.robots, state.plan.layout.cells)
  let sight: Sight | undefined // verifiers never look
  const { tally } = state
  const sense = state.plan.messageBits === 0 ? observeQuiet : observe
  return {
    arrays: savedArrays(state),
    world: state,
    reset: (lanes, count) => start(state, lanes, count, port.random, port.streams),
    step: (lanes, count) => step(state, movement, port, lanes, count),
    observe: (lanes, count) => {
      sight ??= createSight(state, port)
      sense(state, sight, port, lanes, count)
      observeState(state, sight, port, lanes, count)
    },
    restored: (lane) => {
      checkLane(state, lane)
      derive(state, lane)
    },
    metrics: (lane, out) => {
      const row = lane * TALLIES
      out[0] = tally[row + DELIVERIES]
      out[1] = tally[row + DISTANCE]
      out[2] = tally[row + BLOCKED_MOVES]
      out[3] = tally[row + IDLE_TIME]
      out[4] = port.step[lane] === 0 ? 0 : tally[row + STANDSTILL_TIME] / port.step[lane]
    },
    frame: (lane) => frameOf(state, lane, port.step[lane]),
    rewardTerms: (lane) => rewardTerms(state, lane),
  }
}

export const warehouse: EnvDefinition<typeof OPTIONS> = {
  id: 'warehouse',
  version: '1',
  summary: 'Robots fetch requested shelves, show them at a goal and put them back (RWARE 2.0, flattened observations).',
  options: OPTIONS,
  horizon: 500,
  spec: (options) => specOf(planOf(options)),
  create: createRules,
}
