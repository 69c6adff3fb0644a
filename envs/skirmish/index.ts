/** StarCraft-style micromanagement: two groups of units fight; each agent commands one unit. */
import { type EnvDefinition, type Port, type Rules, type WorldSpec } from '../core/types.ts'
import { createEngine } from './engine.ts'
import { frameOf, sceneOf } from './frame.ts'
import { createArena, createMachine } from './machine.ts'
import { actionNames, observationFeatures, observe, stateFeatures } from './observe.ts'
import { ALLIES, ENEMIES, limitOf, OPTIONS, planOf, type Options, type Plan } from './options.ts'
import { scriptedUnits, step, TERMS } from './rules.ts'
import { legal, shareSight } from './sight.ts'
import { start, STREAMS } from './start.ts'
import {
  checkLane,
  createState,
  DEALT,
  FOCUS_ALL,
  FOCUS_TOP,
  HEALED,
  OUTCOME,
  savedArrays,
  TAKEN,
  TALLIES,
  WON,
  LOST,
  DRAW,
  type SkirmishState,
} from './state.ts'

export { type SkirmishWorld } from './state.ts'
export { SMACV2 } from './options.ts'
export { MAPS } from './maps.ts'

/** Per episode, from the allies' side; then damage dealt and taken by each ally. README.md defines each. */
const METRICS = [
  'won',
  'lost',
  'draw',
  'damageDealt',
  'damageTaken',
  'healed',
  'alliesLeft',
  'enemiesLeft',
  'focusFire',
] as const

function specOf(plan: Plan): WorldSpec {
  const { sides, terrain } = plan
  const agent = (side: number) => (_: unknown, n: number) => ({
    id: side === ALLIES ? `agent_${n}` : `enemy_${n}`,
    team: side === ALLIES ? 'allies' : 'enemies',
    kind: 'unit',
    observation: observationFeatures(plan, side, n),
    action: { kind: 'discrete' as const, names: actionNames(plan, side) },
  })
  const enemies = plan.agents > sides[0].count ? sides[1].count : 0
  return {
    agents: [
      ...Array.from({ length: sides[0].count }, agent(ALLIES)),
      ...Array.from({ length: enemies }, agent(ENEMIES)),
    ],
    state: stateFeatures(plan),
    metrics: [
      ...METRICS,
      ...Array.from({ length: sides[0].count }, (_, n) => `dealtByAgent${n}`),
      ...Array.from({ length: sides[0].count }, (_, n) => `takenByAgent${n}`),
    ],
    streams: STREAMS,
    size: { width: terrain.width, height: terrain.height },
    scene: sceneOf(plan),
  }
}

function writeMetrics(state: SkirmishState, lane: number, out: Float64Array): void {
  const { plan, tally, health, dealt, taken } = state
  const { sides, units } = plan
  const row = lane * TALLIES
  const first = lane * units
  let allies = 0
  let enemies = 0
  for (let u = 0; u < units; u++) {
    if (health[first + u] <= 0) continue
    if (u < sides[0].count) allies++
    else enemies++
  }
  const outcome = tally[row + OUTCOME]
  out[0] = outcome === WON ? 1 : 0
  out[1] = outcome === LOST ? 1 : 0
  out[2] = outcome === DRAW ? 1 : 0
  out[3] = tally[row + DEALT]
  out[4] = tally[row + TAKEN]
  out[5] = tally[row + HEALED]
  out[6] = allies
  out[7] = enemies
  out[8] = tally[row + FOCUS_ALL] === 0 ? NaN : tally[row + FOCUS_TOP] / tally[row + FOCUS_ALL]
  const count = sides[0].count
  for (let n = 0; n < count; n++) {
    out[METRICS.length + n] = dealt[first + n]
    out[METRICS.length + count + n] = taken[first + n]
  }
}

function createRules(options: Options, port: Port, fast = true): Rules {
  const plan = planOf(options)
  const arena = fast ? createArena(plan, port) : null
  const state = createState(plan, port.lanes, arena)
  const scripted = scriptedUnits(plan, port.seats)
  const engine = createEngine(plan, scripted, arena)
  const machine = arena === null ? null : createMachine(state, engine, port, arena)
  const terms = new Float64Array(port.lanes * 2 * TERMS.length)
  return {
    arrays: savedArrays(state),
    world: state,
    reset: (lanes, count) => {
      start(state, scripted, port.random, port.streams, lanes, count)
      if (state.granted.length === 0) return
      for (let k = 0; k < count; k++) shareSight(state, engine, lanes[k], port.random, port.streams)
    },
    step: (lanes, count) => step(state, engine, machine, terms, port, lanes, count),
    legal: machine?.legal ?? ((lanes, count) => legal(state, port, lanes, count)),
    observe: machine?.observe ?? ((lanes, count) => observe(state, port, lanes, count)),
    restored: (lane) => checkLane(state, lane),
    metrics: (lane, out) => writeMetrics(state, lane, out),
    frame: (lane) => frameOf(state, lane, port.step[lane]),
    rewardTerms: (lane) => {
      const { sides, agents } = plan
      return Object.fromEntries(
        TERMS.map((name, t) => [
          name,
          Float32Array.from({ length: agents }, (_, u) => {
            const side = u < sides[0].count ? ALLIES : ENEMIES
            return terms[(lane * 2 + side) * TERMS.length + t]
          }),
        ]),
      )
    },
    // Agents that nobody controls follow the orders of the map; their action rows only have to be legal.
    control: (lanes, count, agents) => {
      for (let k = 0; k < count; k++) {
        for (let n = 0; n < agents.length; n++) {
          const i = lanes[k] * plan.agents + agents[n]
          port.action[i] = state.health[lanes[k] * plan.units + agents[n]] > 0 ? 1 : 0
        }
      }
    },
  }
}

export const skirmish: EnvDefinition<typeof OPTIONS> = {
  id: 'skirmish',
  version: '2',
  summary: 'Two groups of units fight; each agent commands one of them (SMAC, SMACv2 and SMAClite without the game).',
  options: OPTIONS,
  horizon: 200,
  horizonOf: (options) => limitOf(options),
  spec: (options) => specOf(planOf(options)),
  create: (options, port) => createRules(options, port),
}

/** The same game played by the kernels in this folder alone: what the machine is tested against. */
export const plainSkirmish: EnvDefinition<typeof OPTIONS> = {
  ...skirmish,
  create: (options, port) => createRules(options, port, false),
}
