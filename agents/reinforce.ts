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
import { A2c } from './core/a2c.ts'
import { ACTOR_SETTINGS, effectiveSettings as effectiveOf, withOwn } from './core/actor-critic.ts'
import { actorLearner } from './core/definition.ts'

export const REINFORCE_SETTINGS = Type.Object(withOwn(ACTOR_SETTINGS, { lr: 1e-3 }), { additionalProperties: false })

export type ReinforceSettings = Static<typeof REINFORCE_SETTINGS>

export const reinforce = actorLearner({
  name: 'reinforce',
  paper: 'Williams 1992, Machine Learning 8',
  summary: 'The policy gradient without a critic: what a critic buys is the distance to this.',
  settings: REINFORCE_SETTINGS,
  effective: (_spec, settings, agents) => effectiveOf('reinforce', settings, agents),
  open: (request, settings) => new A2c(request, { name: 'reinforce', settings }),
})
