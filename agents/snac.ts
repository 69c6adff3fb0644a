/**
 * SNAC, the shared-network actor–critic: one actor and one critic for all agents, trained on what all of them have seen. It is
 * what SEAC is compared with: the data are shared there, the networks here.
 *
 * Christianos et al. 2020, "Shared Experience Actor-Critic" (arXiv 2006.07169), which names and compares it. The loss is the
 * mean over the rows of all agents: the mean, not the sum, of the agents' gradients. Agents are not told apart (no ids): with equal
 * observations they have equal policies.
 *
 * Read on: settings. Losses and updating: core/a2c.ts.
 */
import { Type, type Static } from '#typebox'
import { A2C_SETTINGS, A2c, effectiveA2c } from './core/a2c.ts'
import { withOwn } from './core/actor-critic.ts'
import { actorLearner } from './core/definition.ts'
import { ownInputs } from './core/critic-inputs.ts'
import { type LearnerPreset } from './core/learner.ts'
import { SEAC_DIFFERS, SEAC_REFERENCE, SEAC_SOURCE } from './core/published.ts'
import { fixed } from './core/settings.ts'

export const SNAC_SETTINGS = Type.Object(
  {
    ...withOwn(A2C_SETTINGS, { optimiserEpsilon: 1e-3, gradientNorm: 0.5, rolloutSteps: 5 }),
    sharing: fixed('full', 'One network for all, which is the point.'),
    agentId: fixed(false, 'Agents are not told apart.'),
  },
  { additionalProperties: false },
)

export type SnacSettings = Static<typeof SNAC_SETTINGS>

/** As published. */
export const SNAC_PRESETS: Readonly<Record<string, LearnerPreset<SnacSettings>>> = {
  seac: {
    summary: 'as the SEAC paper compares it: 4 lanes of 5 steps',
    source: SEAC_SOURCE,
    settings: SEAC_REFERENCE,
    differs: SEAC_DIFFERS,
  },
}

export const snac = actorLearner({
  name: 'snac',
  paper: 'Christianos et al. 2020, arXiv 2006.07169',
  summary: 'Shared-network A2C: one actor and one critic, not told whom they play, learn from everybody.',
  settings: SNAC_SETTINGS,
  presets: SNAC_PRESETS,
  effective: (_spec, settings, agents) => effectiveA2c('snac', settings, agents),
  open: (request, settings, spec, agents) =>
    new A2c(request, { name: 'snac', settings, criticInputs: ownInputs(spec, agents, settings) }),
})
