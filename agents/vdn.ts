/**
 * VDN: the value of a joint action is the sum of what its parts are worth to the agents, so that everybody may pick their own
 * best and the sum is best too. Nothing central is left when playing.
 *
 * Sunehag et al. 2017, "Value-Decomposition Networks For Cooperative Multi-Agent Learning" (arXiv 1706.05296); details as in
 * uoe-agents/epymarl at cbc38c0 (modules/mixers/vdn.py, learners/q_learner.py). Differences are listed in agents/README.md.
 *
 *   Q_tot(h, a) = Σ_i Q_i(h_i, a_i)
 *   y = r + γ (1 − terminated) Σ_i Q'_i(h'_i, argmax over legal a of Q_i(h'_i, a))
 *   L = mean over steps of (Q_tot − y)²
 *
 * Read on: settings, the sum. Targets are in core/values.ts, the order of things in core/qlearning.ts.
 */
import { Type, type Static } from '#typebox'
import { EPYMARL_JOINED, PYMARL_JOINED } from './core/published.ts'
import { greedyLearner } from './core/definition.ts'
import { type LearnerPreset } from './core/learner.ts'
import { type Mixing } from './core/qlearning.ts'
import { tf } from './core/tensors.ts'
import { EPSILON_SETTINGS, VALUE_SETTINGS } from './core/values.ts'

export const VDN_SETTINGS = Type.Object({ ...VALUE_SETTINGS, ...EPSILON_SETTINGS }, { additionalProperties: false })

export type VdnSettings = Static<typeof VDN_SETTINGS>

type Preset = LearnerPreset<VdnSettings>

/** As published. EPyMARL uses the same for every environment family, PyMARL and PyMARL2 are for SMAC. */
export const VDN_PRESETS: Readonly<Record<'epymarl' | 'pymarl', Preset>> = {
  epymarl: EPYMARL_JOINED,
  pymarl: PYMARL_JOINED,
}

/** [M, n] to [M, 1]: equation 1 of the paper. */
export function added(): Mixing {
  return { outputs: 1, networks: [], targets: [], mix: (values) => tf.sum(values, 1, true) }
}

export const vdn = greedyLearner({
  name: 'vdn',
  paper: 'Sunehag et al. 2017, arXiv 1706.05296',
  summary: 'Value decomposition: the team’s value is the sum of the agents’ own.',
  settings: VDN_SETTINGS,
  presets: VDN_PRESETS,
  common: true,
  mixing: added,
})
