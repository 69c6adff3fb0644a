/**
 * Open loop: a learner that sees nothing but how many steps have gone by, and which choices are legal. What it reaches is the
 * floor: the part of a task that needs no looking (Ellis et al. 2022, "SMACv2", arXiv 2212.07489, found such floors high in SMAC).
 *
 * It is PPO on a batch that shows a clock. Agents are told apart by their ids; the critic sees the same clock.
 *
 * Read on: the clock, settings, the learner. Losses and updating: core/ppo.ts.
 */
import { Type, type Static } from '#typebox'
import { TroupeError, withDefaults, type EnvBatch, type EnvSpec, type Feature } from '../envs/core/index.ts'
import { ownInputs } from './core/critic-inputs.ts'
import { type Learner, type LearnerDefinition, type LearnerRequest } from './core/learner.ts'
import { type AgentView, type Policy, type PolicyMemory } from './core/policy.ts'
import { PPO_SETTINGS, Ppo, effectivePpo, ppoPolicy, type EffectivePpo } from './core/ppo.ts'
import { fixed } from './core/settings.ts'
import { requestSpec } from './core/shards.ts'

// ---------------------------------------------------------------------------------------------------------------------
// The clock: the step number in binary, and as a part of the horizon.

const DIGITS = 16
const FEATURES: readonly Feature[] = [
  ...Array.from({ length: DIGITS }, (_, k): Feature => ({ name: `digit ${k} of the step`, low: 0, high: 1 })),
  { name: 'step / horizon', low: 0, high: 1 },
]

/** Writes what everybody sees after so many steps. @param out [F] from `at` */
export function writeClock(step: number, horizon: number | null, out: Float32Array, at: number): void {
  for (let k = 0; k < DIGITS; k++) out[at + k] = Math.floor(step / 2 ** k) % 2
  out[at + DIGITS] = Math.min(1, step / (horizon ?? 2 ** DIGITS))
}

/** A world as one sees it with closed eyes and a clock in the hand. */
export function clockSpec(spec: EnvSpec): EnvSpec {
  return {
    ...spec,
    agents: spec.agents.map((agent) => ({ ...agent, observation: FEATURES })),
    observationSize: FEATURES.length,
    stateSize: 0,
    agentStateSize: 0,
  }
}

/** A batch that shows the clock alone. Everything else goes to the batch itself. */
function blindfolded(batch: EnvBatch): EnvBatch {
  const spec = clockSpec(batch.spec)
  const F = FEATURES.length
  const rows = batch.lanes * spec.agents.length
  const [observation, finalObservation] = [new Float32Array(rows * F), new Float32Array(rows * F)]
  const show = (steps: Int32Array, out: Float32Array) => {
    for (let row = 0; row < rows; row++)
      writeClock(steps[Math.floor(row / spec.agents.length)], spec.horizon, out, row * F)
    return out
  }
  const nothing = new Float32Array(0)
  return new Proxy(batch, {
    get: (target, key) => {
      if (key === 'spec') return spec
      if (key === 'observation') return show(target.stepCount, observation)
      if (key === 'finalObservation') return show(target.finalLength, finalObservation)
      if (key === 'state' || key === 'finalState') return nothing
      if (key === 'agentState' || key === 'finalAgentState') return undefined
      const value = Reflect.get(target, key, target) as unknown
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

/** The step of each lane, and what the policy itself carries. */
interface ClockMemory {
  readonly steps: Int32Array // [B] of the observation to come
  readonly own: PolicyMemory
  /** What an agent sees with closed eyes, [B, n, F]. */
  readonly observation: Float32Array
}

/** Shows a policy the clock instead of the world. */
function byTheClock(policy: Policy, spec: EnvSpec): Policy {
  const closed = clockSpec(spec)
  const look = (view: AgentView, memory: PolicyMemory): { view: AgentView; own: PolicyMemory } => {
    const { steps, own, observation } = memory as ClockMemory
    const n = view.agents.length
    const F = FEATURES.length
    for (let lane = 0; lane < view.lanes; lane++) {
      if (view.episodeStart[lane] === 1) steps[lane] = 0
      for (let k = 0; k < n; k++) writeClock(steps[lane], closed.horizon, observation, (lane * n + k) * F)
      steps[lane]++
    }
    return { view: { ...view, spec: closed, observation }, own }
  }
  const memory = (lanes: number, agents: number): ClockMemory => ({
    steps: new Int32Array(lanes),
    own: policy.memory(lanes, agents),
    observation: new Float32Array(lanes * agents * FEATURES.length),
  })
  return {
    name: policy.name,
    memory,
    act: (seen, carried, out, rng) => {
      const { view, own } = look(seen, carried ?? memory(seen.lanes, seen.agents.length))
      policy.act(view, own, out, rng)
    },
    actLanes: (seen, carried, out, rngs) => {
      const { view, own } = look(seen, carried ?? memory(seen.lanes, seen.agents.length))
      policy.actLanes!(view, own, out, rngs)
    },
    ...(policy.dispose === undefined ? {} : { dispose: () => policy.dispose!() }),
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Settings: PPO's, but for what needs something to see.

export const OPEN_LOOP_SETTINGS = Type.Object(
  {
    ...PPO_SETTINGS,
    network: fixed('mlp', 'There is nothing to remember.'),
    chunk: Type.Null({ default: null, description: 'For recurrent networks only.' }),
    criticNetwork: fixed('mlp', 'There is nothing to remember.'),
    observationNorm: fixed(false, 'The clock is in units of its own.'),
  },
  { additionalProperties: false },
)

export type OpenLoopSettings = Static<typeof OPEN_LOOP_SETTINGS>

function effectiveSettings(spec: EnvSpec, given: unknown, agents = spec.agents.length): EffectivePpo<OpenLoopSettings> {
  return effectivePpo('open-loop', withDefaults(OPEN_LOOP_SETTINGS, given ?? {}, 'open-loop settings'), agents)
}

// ---------------------------------------------------------------------------------------------------------------------

function create(request: LearnerRequest): Learner {
  if (request.others !== undefined && request.others.length > 0) {
    throw new TroupeError('bad-usage', {
      where: 'open-loop: others',
      got: 'policies for other agents, which would see the clock too',
      expected: 'all agents to learn',
    })
  }
  const spec = requestSpec(request.batch)
  const agents = request.agents?.length ?? spec.agents.length
  const settings = effectiveSettings(spec, request.settings, agents)
  const given = Array.isArray(request.batch) ? (request.batch as readonly EnvBatch[]) : [request.batch as EnvBatch]
  const batch = given.map(blindfolded)
  const criticInputs = ownInputs(clockSpec(spec), agents, settings)
  const ppo = new Ppo({ ...request, batch }, { name: 'open-loop', settings, criticInputs })
  return {
    settings: ppo.settings,
    stepsPerUpdate: ppo.stepsPerUpdate,
    get steps() {
      return ppo.steps
    },
    collectAndUpdate: () => ppo.collectAndUpdate(),
    policy: (mode) => byTheClock(ppo.policy(mode), spec),
    values: (seen, out) => ppo.values(blindfolded(seen), out),
    valueMemory: () => null,
    save: (what) => ppo.save(what),
    load: (checkpoint) => ppo.load(checkpoint),
    dispose: () => ppo.dispose(),
  }
}

export const openLoop: LearnerDefinition = {
  name: 'open-loop',
  paper: 'Ellis et al. 2022, arXiv 2212.07489',
  summary: 'PPO that sees the step number alone: the floor, what a task gives to those who do not look.',
  settings: OPEN_LOOP_SETTINGS,
  create,
  shards: (spec, settings, agents) => effectiveSettings(spec, settings, agents).shards,
  policy: (spec, checkpoint, mode) => byTheClock(ppoPolicy('open-loop', clockSpec(spec), checkpoint, mode), spec),
}
