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
import { withDefaults } from '../envs/core/index.ts'
import { type LearnerDefinition, type LearnerPreset, type LearnerRequest } from './core/learner.ts'
import { ValueLearner, utilityNetwork, valuePolicy, type Mixing } from './core/qlearning.ts'
import { requestSpec } from './core/shards.ts'
import { tf } from './core/tensors.ts'
import {
  EPSILON_SETTINGS,
  VALUE_SETTINGS,
  effectiveValues,
  epsilonGreedy,
  falling,
  requireCommonReward,
  type EffectiveValues,
} from './core/values.ts'

export const VDN_SETTINGS = Type.Object({ ...VALUE_SETTINGS, ...EPSILON_SETTINGS }, { additionalProperties: false })

export type VdnSettings = Static<typeof VDN_SETTINGS>

type Preset = LearnerPreset<VdnSettings>

/** As published. EPyMARL uses the same for every environment family, PyMARL and PyMARL2 are for SMAC. */
export const VDN_PRESETS: Readonly<Record<'epymarl' | 'pymarl', Preset>> = {
  epymarl: {
    summary: 'all families: feed-forward, rewards standardised',
    source: 'uoe-agents/epymarl at cbc38c0',
    settings: { lanes: 1, hidden: 64, lr: 5e-4, epsilonSteps: 50_000, rewardScaling: 'standardise' },
  },
  pymarl: {
    summary: 'SMAC: GRU of 64 that sees its last action, RMSProp',
    source: 'oxwhirl/pymarl at c971afd',
    settings: {
      lanes: 1,
      network: 'gru',
      layers: 1,
      lastAction: true,
      optimiser: 'rmsprop',
      lr: 5e-4,
      epsilonSteps: 50_000,
    },
  },
}

/** [M, n] to [M, 1]: equation 1 of the paper. */
export function added(): Mixing {
  return { outputs: 1, networks: [], targets: [], mix: (values) => tf.sum(values, 1, true) }
}

const playing = (settings: EffectiveValues) => ({
  network: utilityNetwork(settings),
  explore: epsilonGreedy(settings as EffectiveValues<VdnSettings>),
})

function create(request: LearnerRequest): ValueLearner {
  const settings = effectiveValues(withDefaults(VDN_SETTINGS, request.settings ?? {}, 'vdn settings'))
  requireCommonReward('vdn', request, requestSpec(request.batch))
  const { epsilonStart, epsilonEnd, epsilonSteps } = settings
  return new ValueLearner(request, {
    name: 'vdn',
    settings,
    ...playing(settings),
    mixing: added,
    exploration: (steps) => falling(epsilonStart, epsilonEnd, epsilonSteps, steps),
  })
}

export const vdn: LearnerDefinition = {
  name: 'vdn',
  paper: 'Sunehag et al. 2017, arXiv 1706.05296',
  summary: 'Value decomposition: the team’s value is the sum of the agents’ own.',
  settings: VDN_SETTINGS,
  presets: VDN_PRESETS,
  create,
  policy: (spec, checkpoint, mode) => valuePolicy('vdn', spec, checkpoint, mode, playing),
}
