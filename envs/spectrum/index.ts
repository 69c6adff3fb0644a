/** Dynamic spectrum access: users share channels without talking to each other. */
import { type ActionSpace, type EnvDefinition, type Port, type Rules, type WorldSpec } from '../core/types.ts'
import { frameOf, sceneOf } from './frame.ts'
import { METRICS, writeMetrics } from './metrics.ts'
import { createSight, jammerFeatures, observe, stateFeatures, userFeatures, type Sight } from './observe.ts'
import { OPTIONS, PICTURE_SLOTS, planOf, type Options, type Plan } from './options.ts'
import { rewardTerms } from './rewards.ts'
import { step } from './rules.ts'
import { start } from './start.ts'
import { checkLane, createState, savedArrays, type SpectrumState } from './state.ts'

export { type SpectrumWorld } from './state.ts'

/** Names of a user's actions: silent, then channel by channel, mini-slot by mini-slot. */
function userActions({ channels, miniSlots }: Plan): string[] {
  const names = ['silent']
  for (let k = 0; k < channels; k++) {
    for (let w = 0; w < miniSlots; w++) names.push(miniSlots === 1 ? `channel ${k}` : `channel ${k} after ${w}`)
  }
  return names
}

function specOf(plan: Plan): WorldSpec {
  const { users, channels, options } = plan
  const observation = userFeatures(plan)
  const action: ActionSpace = { kind: 'discrete', names: userActions(plan) }
  const rivals = options.reward === 'competitive'
  const agents = Array.from({ length: users }, (_, n) => ({
    id: `agent_${n}`,
    team: rivals ? `user ${n}` : 'users',
    kind: 'user',
    observation,
    action,
  }))
  const jammer = {
    id: 'jammer',
    team: 'jammer',
    kind: 'jammer',
    observation: jammerFeatures(plan),
    action: {
      kind: 'discrete',
      names: ['idle', ...Array.from({ length: channels }, (_, k) => `channel ${k}`)],
    } as const,
  }
  return {
    agents: plan.seat ? [...agents, jammer] : agents,
    state: stateFeatures(plan),
    metrics: METRICS.map(({ name }) => name),
    streams: plan.streams,
    size: { width: PICTURE_SLOTS + 1, height: channels + 1 + users + (plan.seat ? 1 : 0) },
    scene: sceneOf(plan),
  }
}

/** Whether anything is ever masked; else the core's masks of ones stay. */
function masks({ options, seat, miniSlots }: Plan): boolean {
  const { clusters, arrivalProb, emptySends, leaveProb } = options
  return clusters > 1 || (arrivalProb !== null && !emptySends) || leaveProb > 0 || (seat && miniSlots > 1)
}

/** Users away, or without a packet, can only be silent; clusters have channels of their own. */
function writeLegal({ plan, present, queue }: SpectrumState, port: Port, lanes: Int32Array, count: number): void {
  const { users: N, channels: K, miniSlots, options, seat } = plan
  const { mask, alive, actionSize: A, agents: M } = port
  const { clusters } = options
  const waits = queue.length > 0 && !options.emptySends
  for (let j = 0; j < count; j++) {
    const lane = lanes[j]
    for (let n = 0; n < N; n++) {
      const row = (lane * M + n) * A
      alive[lane * M + n] = 1
      const i = lane * N + n
      const quiet = (present.length > 0 && present[i] === 0) || (waits && queue[i] === 0)
      const cluster = Math.floor((n * clusters) / N)
      mask.fill(quiet || clusters > 1 ? 0 : 1, row, row + A)
      mask[row] = 1
      if (quiet || clusters === 1) continue
      const each = (K / clusters) * miniSlots
      mask.fill(1, row + 1 + cluster * each, row + 1 + (cluster + 1) * each)
    }
    if (!seat) continue
    const row = (lane * M + N) * A
    alive[lane * M + N] = 1
    mask.fill(0, row, row + A)
    mask.fill(1, row, row + K + 1)
  }
}

function createRules(options: Options, port: Port): Rules {
  const plan = planOf(options)
  const state = createState(plan, port.lanes)
  let sight: Sight | undefined // verifiers never look
  return {
    arrays: savedArrays(state),
    world: state,
    reset: (lanes, count) => start(state, port, lanes, count),
    step: (lanes, count) => step(state, port, lanes, count),
    ...(masks(plan) ? { legal: (lanes: Int32Array, count: number) => writeLegal(state, port, lanes, count) } : {}),
    observe: (lanes, count) => observe(state, (sight ??= createSight(plan, port)), port, lanes, count),
    restored: (lane) => checkLane(state, lane),
    metrics: (lane, out) => writeMetrics(state, port, lane, out),
    frame: (lane) => frameOf(state, lane, port.step[lane]),
    rewardTerms: (lane) => rewardTerms(state, port, lane),
  }
}

export const spectrum: EnvDefinition<typeof OPTIONS> = {
  id: 'spectrum',
  version: '1',
  summary: 'Users share radio channels without talking to each other: collisions, primary users, fairness.',
  options: OPTIONS,
  horizon: 200,
  spec: (options) => specOf(planOf(options)),
  create: createRules,
}
