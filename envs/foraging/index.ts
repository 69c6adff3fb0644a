/** Level-based foraging: players of different levels gather food that may be too heavy for one of them. */
import { type EnvDefinition, type Port, type Rules, type WorldSpec } from '../core/types.ts'
import { frameOf, sceneOf } from './frame.ts'
import {
  createSight,
  observationFeatures,
  observeAll,
  observeGrid,
  observeNear,
  observeState,
  stateFeatures,
  type Sight,
} from './observe.ts'
import { OPTIONS, planOf, type Options, type Plan } from './options.ts'
import { createScratch, legal, step } from './rules.ts'
import { createStart, start, STREAMS } from './start.ts'
import {
  ACTIONS,
  BLOCKED_MOVES,
  checkLane,
  createState,
  derive,
  FAILED,
  FAILED_LOADS,
  JOINT_LOADS,
  LOADED,
  savedArrays,
  TAKEN_ITEMS,
  TAKEN_LEVELS,
  TALLIES,
  type ForagingState,
} from './state.ts'

export { type ForagingWorld } from './state.ts'

/** Per episode, over all players; README.md defines each. */
export const METRICS = ['foodTaken', 'levelShare', 'jointLoads', 'failedLoads', 'blockedMoves'] as const

function specOf(plan: Plan): WorldSpec {
  const observation = observationFeatures(plan)
  const action = { kind: 'discrete', names: ACTIONS } as const
  return {
    agents: Array.from({ length: plan.players }, (_, n) => ({
      id: `agent_${n}`,
      team: 'players',
      kind: 'player',
      observation,
      action,
    })),
    state: stateFeatures(plan),
    metrics: METRICS,
    streams: STREAMS,
    size: { width: plan.columns, height: plan.rows },
    scene: sceneOf(plan),
  }
}

/** Reward of the last step by term, from what became of each player's action. */
function rewardTerms(state: ForagingState, lane: number): Record<string, Float32Array> {
  const { plan, level, outcome, tried, foodLevel, spawned } = state
  const { players, foods, normalised, penalty } = plan
  const food = new Float32Array(players)
  const failed = new Float32Array(players)
  for (let n = 0; n < players; n++) {
    const i = lane * players + n
    if (outcome[i] === FAILED) failed[n] = 0 - penalty
    if (outcome[i] !== LOADED) continue
    let strength = 0
    for (let m = lane * players; m < (lane + 1) * players; m++) if (tried[m] === tried[i]) strength += level[m]
    const weight = foodLevel[lane * foods + tried[i] - 1]
    food[n] = normalised ? (level[i] * weight) / (strength * spawned[lane]) : level[i] * weight
  }
  return { food, penalty: failed }
}

function createRules(options: Options, port: Port): Rules {
  const plan = planOf(options)
  const state = createState(plan, port.lanes)
  const scratch = createScratch(plan)
  const starts = createStart(state)
  let sight: Sight | undefined // verifiers never look
  const { tally, spawned } = state
  const look = plan.grid ? observeGrid : plan.seesAll ? observeAll : observeNear
  return {
    arrays: savedArrays(state),
    world: state,
    reset: (lanes, count) => start(state, starts, lanes, count, port.random, port.streams),
    step: (lanes, count) => step(state, scratch, port, lanes, count),
    ...(plan.masked ? { legal: (lanes: Int32Array, count: number) => legal(state, port, lanes, count) } : {}),
    observe: (lanes, count) => {
      sight ??= createSight(plan)
      look(state, sight, port, lanes, count)
      observeState(state, sight, port, lanes, count)
    },
    restored: (lane) => {
      checkLane(state, lane)
      derive(state, lane)
    },
    metrics: (lane, out) => {
      const row = lane * TALLIES
      out[0] = tally[row + TAKEN_ITEMS]
      out[1] = tally[row + TAKEN_LEVELS] / spawned[lane]
      out[2] = tally[row + JOINT_LOADS]
      out[3] = tally[row + FAILED_LOADS]
      out[4] = tally[row + BLOCKED_MOVES]
    },
    frame: (lane) => frameOf(state, lane, port.step[lane]),
    rewardTerms: (lane) => rewardTerms(state, lane),
  }
}

export const foraging: EnvDefinition<typeof OPTIONS> = {
  id: 'foraging',
  version: '1',
  summary: 'Players of different levels gather food that may be too heavy for one alone (level-based foraging 2.0).',
  options: OPTIONS,
  horizon: 50,
  spec: (options) => specOf(planOf(options)),
  create: createRules,
}
