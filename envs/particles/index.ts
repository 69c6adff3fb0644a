/** Particles: discs in a plane push, chase and tell each other things (the multi-agent particle environments, mpe2 1.1.0). */
import { type ActionSpace, type EnvDefinition, type Port, type Rules, type WorldSpec } from '../core/types.ts'
import { act, createWishes, wish } from './control.ts'
import { measure } from './distance.ts'
import { frameOf, FRAME_HALF, FRAME_SCALE, sceneOf } from './frame.ts'
import { createArena, createMachine } from './machine.ts'
import { createSight, observationFeatures, observe, stateFeatures } from './observe.ts'
import { OPTIONS, planOf, type Options, type Plan } from './options.ts'
import { advance, createPhysics, MOVES } from './physics.ts'
import { start, STREAMS } from './start.ts'
import { checkLane, createState, savedArrays, type ParticleState } from './state.ts'
import { type Body } from './task.ts'

export { type ParticleWorld } from './state.ts'
export { TASK_NAMES, type TaskName } from './tasks/index.ts'

/** Names of the discrete actions of a body: pushes, words, or a push with a word; word by word, as in the original. */
export function actionNames({ movable, speaks }: Body, words: number): string[] {
  const said = Array.from({ length: words }, (_, w) => `say ${w}`)
  if (!speaks) return [...MOVES]
  if (!movable) return said
  return said.flatMap((word) => MOVES.map((move) => `${move}, ${word}`))
}

/** Names of the numbers of a continuous action: five pushes of which the first does nothing, then words. */
export function actionNumbers({ movable, speaks }: Body, words: number): string[] {
  const said = Array.from({ length: speaks ? words : 0 }, (_, w) => `say ${w}`)
  return movable ? [...MOVES, ...said] : said
}

function actionSpace({ continuous, task }: Plan, body: Body): ActionSpace {
  if (!continuous) return { kind: 'discrete', names: actionNames(body, task.words) }
  const dimensions = actionNumbers(body, task.words).map((name) => ({ name, low: 0, high: 1 }))
  return { kind: 'box', dimensions }
}

function specOf(plan: Plan): WorldSpec {
  const size = 2 * FRAME_HALF * FRAME_SCALE
  return {
    agents: plan.bodies.map((body, n) => ({
      id: body.id,
      team: body.team,
      kind: body.kind,
      observation: observationFeatures(plan, n),
      action: actionSpace(plan, body),
    })),
    state: stateFeatures(plan),
    metrics: plan.task.metrics.map(({ name }) => name),
    streams: STREAMS,
    size: { width: size, height: size },
    scene: sceneOf(plan),
  }
}

function writeMetrics(state: ParticleState, lane: number, steps: number, out: Float64Array): void {
  state.plan.task.metrics.forEach(({ over }, m) => {
    const value = state.tally[lane * state.metrics + m]
    if (over === 'sum') out[m] = value
    else out[m] = steps === 0 ? NaN : over === 'mean' ? value / steps : value
  })
}

function createRules(options: Options, port: Port, fast: boolean): Rules {
  const plan = planOf(options)
  const arena = fast ? createArena(plan, port) : null
  const state = createState(plan, port.lanes, arena)
  const physics = createPhysics(plan, port.lanes, arena)
  const sight = createSight(plan, port.seats, port.observationSize)
  const machine = arena === null ? null : createMachine(state, physics, sight, port, arena)
  const wishes = createWishes(plan)
  const { task } = plan
  const { terminated, agents } = port
  const terms = new Float64Array(task.terms.length * agents)
  const measured = new Float64Array(task.metrics.length)
  const last = Uint8Array.from(task.metrics, ({ over }) => (over === 'last' ? 1 : 0))
  if (!plan.continuous) maskMissingActions(plan, port)
  return {
    arrays: savedArrays(state),
    world: state,
    reset: (lanes, count) => start(state, lanes, count, port.random, port.streams),
    step: (lanes, count) => {
      advance(state, physics, machine, port.action, port.actionDims, lanes, count)
      for (let k = 0; k < count; k++) {
        const lane = lanes[k]
        terminated[lane] = 0
        task.pay(state, lane, terms, measured)
        addTerms(terms, port.reward, lane, agents)
        addMetrics(state, lane, measured, last)
      }
    },
    observe: (lanes, count) => observe(state, sight, machine, port, lanes, count),
    restored: (lane) => {
      checkLane(state, lane)
      measure(state, Int32Array.of(lane), 1)
    },
    metrics: (lane, out) => writeMetrics(state, lane, port.step[lane], out),
    frame: (lane) => frameOf(state, lane, port.step[lane]),
    control: (lanes, count, undriven) => {
      for (let k = 0; k < count; k++) {
        wish(state, lanes[k], wishes)
        for (let u = 0; u < undriven.length; u++) {
          const n = undriven[u]
          act(plan, wishes, n, port.action, (lanes[k] * agents + n) * port.actionDims, port.actionDims)
        }
      }
    },
    rewardTerms: (lane) => {
      task.pay(state, lane, terms, measured)
      if (port.step[lane] === 0) terms.fill(0) // nothing has been paid yet
      return Object.fromEntries(
        task.terms.map((name, t) => [name, Float32Array.from(terms.subarray(t * agents, (t + 1) * agents))]),
      )
    },
  }
}

/** Rewards of a lane: the sums of their terms, [terms, M]. */
function addTerms(terms: Float64Array, reward: Float32Array, lane: number, agents: number): void {
  for (let n = 0; n < agents; n++) {
    let sum = terms[n]
    for (let t = agents + n; t < terms.length; t += agents) sum += terms[t]
    reward[lane * agents + n] = sum
  }
}

function addMetrics(
  { metrics, tally }: ParticleState,
  lane: number,
  measured: Float64Array,
  last: Uint8Array, // [metrics] 1 where only the last value counts
): void {
  const row = lane * metrics
  for (let m = 0; m < metrics; m++) tally[row + m] = last[m] === 1 ? measured[m] : tally[row + m] + measured[m]
}

/** Agents with fewer actions than the widest can never take the rest: written once, since nothing else is ever masked. */
function maskMissingActions(plan: Plan, port: Port): void {
  const { lanes, agents, actionSize, mask } = port
  const sizes = plan.bodies.map((body) => actionNames(body, plan.task.words).length)
  for (let i = 0; i < lanes * agents; i++) {
    for (let a = 0; a < actionSize; a++) mask[i * actionSize + a] = a < sizes[i % agents] ? 1 : 0
  }
}

export const particles: EnvDefinition<typeof OPTIONS> = {
  id: 'particles',
  version: '1',
  summary: 'Discs in a plane spread, chase, push and tell each other where to go (the particle environments, MPE).',
  options: OPTIONS,
  horizon: 25,
  spec: (options) => specOf(planOf(options)),
  create: (options, port) => createRules(options, port, true),
}

/** The same game without WebAssembly: what the machine is tested against. */
export const plainParticles: EnvDefinition<typeof OPTIONS> = {
  ...particles,
  create: (options, port) => createRules(options, port, false),
}
