/**
 * REINFORCE: the policy gradient without a critic. What a critic buys is the distance to this.
 *
 * Williams 1992, "Simple statistical gradient-following algorithms for connectionist reinforcement learning". The advantage of a
 * choice is the discounted sum of rewards that followed it in its episode and in the rollout; what comes after the rollout counts as
 * nothing, there being nobody to ask. So give `rolloutSteps` the length of an episode, or several. With `advantageNorm` (the
 * default) the mean over the rollout is the baseline: no function of what is seen.
 *
 * Read on: settings. Losses and updating: core/a2c.ts.
 */
import { Type, type Static } from '#typebox'
import { withDefaults, type EnvSpec } from '../envs/core/index.ts'
import { A2c } from './core/a2c.ts'
import {
  ACTOR_SETTINGS,
  actorPolicy,
  effectiveSettings as effectiveOf,
  withOwn,
  type ActorOnlySettings,
  type Effective,
} from './core/actor-critic.ts'
import { type LearnerDefinition, type LearnerRequest } from './core/learner.ts'
import { requestSpec } from './core/shards.ts'

export const REINFORCE_SETTINGS = Type.Object(withOwn(ACTOR_SETTINGS, { lr: 1e-3 }), { additionalProperties: false })

export type ReinforceSettings = Static<typeof REINFORCE_SETTINGS>

function effectiveSettings(spec: EnvSpec, given: unknown, agents = spec.agents.length): Effective<ReinforceSettings> {
  return effectiveOf('reinforce', withDefaults(REINFORCE_SETTINGS, given ?? {}, 'reinforce settings'), agents)
}

function create(request: LearnerRequest): A2c<ActorOnlySettings> {
  const spec = requestSpec(request.batch)
  const agents = request.agents?.length ?? spec.agents.length
  return new A2c(request, { name: 'reinforce', settings: effectiveSettings(spec, request.settings, agents) })
}

export const reinforce: LearnerDefinition = {
  name: 'reinforce',
  paper: 'Williams 1992, Machine Learning 8',
  summary: 'The policy gradient without a critic: what a critic buys is the distance to this.',
  settings: REINFORCE_SETTINGS,
  create,
  shards: (spec, settings, agents) => effectiveSettings(spec, settings, agents).shards,
  policy: (spec, checkpoint, mode) => actorPolicy('reinforce', spec, checkpoint, mode),
}
