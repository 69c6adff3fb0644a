/** Rows of the LEARNERS table, for learners that differ in a few places only: each says those, the rest is here. */
import { type Static, type TObject } from '#typebox'
import { withDefaults, type EnvSpec, type Generator } from '../../envs/core/index.ts'
import { actorPolicy } from './actor-critic.ts'
import { type Learner, type LearnerDefinition, type LearnerRequest } from './learner.ts'
import { ValueLearner, utilityNetwork, valuePolicy, type Mixing } from './qlearning.ts'
import { requestSpec } from './shards.ts'
import {
  effectiveValues,
  epsilonGreedy,
  falling,
  requireCommonReward,
  type EffectiveValues,
  type EpsilonSettings,
  type ValueSettings,
} from './values.ts'

type Described<Schema extends TObject> = Pick<LearnerDefinition, 'name' | 'paper' | 'summary' | 'presets'> & {
  readonly settings: Schema
}

/** What is a learner's own when its actors are networks that learn from rollouts. */
interface ActorLearner<Schema extends TObject, Effective> extends Described<Schema> {
  /**
   * What follows from the world, filled in.
   * @param settings with defaults
   * @param agents how many learn
   * @param given without defaults
   */
  effective(spec: EnvSpec, settings: Static<Schema>, agents: number, given: unknown): Effective
  open(request: LearnerRequest, settings: Effective, spec: EnvSpec, agents: number): Learner
}

export function actorLearner<Schema extends TObject, Effective extends { readonly shards: number }>({
  effective,
  open,
  ...described
}: ActorLearner<Schema, Effective>): LearnerDefinition {
  const { name, settings: schema } = described
  const filled = (spec: EnvSpec, given: unknown = {}, agents: number = spec.agents.length) =>
    effective(spec, withDefaults(schema, given, `${name} settings`), agents, given)
  return {
    ...described,
    create: (request) => {
      const spec = requestSpec(request.batch)
      const agents = request.agents?.length ?? spec.agents.length
      return open(request, filled(spec, request.settings, agents), spec, agents)
    },
    shards: (spec, settings, agents) => filled(spec, settings, agents).shards,
    policy: (spec, checkpoint, mode) => actorPolicy(name, spec, checkpoint, mode),
  }
}

type GreedySettings = ValueSettings & EpsilonSettings

/** What is a learner's own when it values actions, explores by ε and has one network for acting. */
interface GreedyLearner<Schema extends TObject, Settings extends GreedySettings> extends Described<Schema> {
  /** What follows from the world, filled in. @param settings with defaults */
  effective?(spec: EnvSpec, settings: Settings): Settings
  /** The team has one value, so its agents must have one reward. */
  readonly common: boolean
  mixing(spec: EnvSpec, agents: number, settings: Settings, rng: () => Generator): Mixing
}

export function greedyLearner<Schema extends TObject, Settings extends GreedySettings & Static<Schema>>({
  effective = (_spec, settings) => settings,
  common,
  mixing,
  ...described
}: GreedyLearner<Schema, Settings>): LearnerDefinition {
  const { name, settings: schema } = described
  const playing = (settings: EffectiveValues) => ({
    network: utilityNetwork(settings),
    explore: epsilonGreedy(settings as EffectiveValues<Settings>),
  })
  return {
    ...described,
    create: (request) => {
      const spec = requestSpec(request.batch)
      const whole = withDefaults(schema, request.settings ?? {}, `${name} settings`) as Settings
      const settings = effectiveValues(effective(spec, whole))
      if (common) requireCommonReward(name, request, spec)
      const { epsilonStart, epsilonEnd, epsilonSteps } = settings
      return new ValueLearner(request, {
        name,
        settings,
        ...playing(settings),
        mixing: (world, agents, rng) => mixing(world, agents, settings, rng),
        exploration: (steps) => falling(epsilonStart, epsilonEnd, epsilonSteps, steps),
      })
    },
    policy: (spec, checkpoint, mode) => valuePolicy(name, spec, checkpoint, mode, playing),
  }
}
