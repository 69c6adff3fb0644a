/**
 * QMIX: the value of a joint action is a monotone function of what its parts are worth to the agents. Which one, the global state
 * decides, through hypernetworks that only learning sees. As no part may count negatively, everybody's own best makes the best
 * joint action, and playing needs nobody but the agents.
 *
 * Rashid et al. 2018, "QMIX: Monotonic Value Function Factorisation for Deep Multi-Agent Reinforcement Learning" (arXiv 1803.11485,
 * section 4); details as in uoe-agents/epymarl at cbc38c0 (modules/mixers/qmix.py, learners/q_learner.py), which follows
 * oxwhirl/pymarl. Differences are listed in agents/README.md.
 *
 *   W1 = |hyper_1(s)|, b1 = linear(s), w = |hyper_f(s)|, V = linear(relu(linear(s)))
 *   Q_tot = elu(q W1 + b1) · w + V,  q_i = Q_i(h_i, a_i)
 *   y = r + γ (1 − terminated) Q'_tot(s', q'),  q'_i = Q'_i(h'_i, argmax over legal a of Q_i(h'_i, a))
 *   L = mean over steps of (Q_tot − y)²
 *
 * Read on: settings, the mixer. Targets are in core/values.ts, the order of things in core/qlearning.ts.
 */
import { Type, type Static } from '#typebox'
import { type EnvSpec, type Generator } from '../envs/core/index.ts'
import { EPYMARL_JOINED, PYMARL_JOINED } from './core/published.ts'
import { greedyLearner } from './core/definition.ts'
import { type LearnerPreset } from './core/learner.ts'
import { Network, type Init } from './core/networks.ts'
import { type Mixing } from './core/qlearning.ts'
import { whole } from './core/settings.ts'
import { tf } from './core/tensors.ts'
import { type Weights } from './core/together.ts'
import { EPSILON_SETTINGS, VALUE_SETTINGS } from './core/values.ts'
import { qmixMix } from './kernels/index.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings.

export const QMIX_SETTINGS = Type.Object(
  {
    ...VALUE_SETTINGS,
    ...EPSILON_SETTINGS,
    mixerInput: Type.Union([Type.Literal('state'), Type.Literal('observations')], {
      default: 'state',
      description:
        'What the hypernetworks see: the global state; or all observations side by side (of the dead zeros), which is also ' +
        'what happens where the environment has no global state.',
    }),
    embed: whole(32, 1, 1024, 'Hidden units of the mixer; EPyMARL and PyMARL 32.'),
    hyperLayers: whole(2, 1, 2, 'Layers of the hypernetworks of both weights; EPyMARL 2, the paper 1.'),
    hyperHidden: whole(64, 1, 4096, 'Width of their hidden layer, with 2; EPyMARL and PyMARL 64.'),
  },
  { additionalProperties: false },
)

export type QmixSettings = Static<typeof QMIX_SETTINGS>

type Preset = LearnerPreset<QmixSettings>

/** As published. EPyMARL uses the same for every environment family, PyMARL and PyMARL2 are for SMAC. */
export const QMIX_PRESETS: Readonly<Record<'epymarl' | 'pymarl' | 'pymarl2' | 'pymarl2-6h_vs_8z', Preset>> = {
  epymarl: EPYMARL_JOINED,
  pymarl: PYMARL_JOINED,
  pymarl2: {
    summary: 'tuned for SMAC: Adam 1e-3, 128 episodes in a batch, TD(.6), ε over 100,000 steps',
    source: 'hijkzzz/pymarl2 (arXiv 2102.03479)',
    settings: {
      lanes: 8,
      network: 'gru',
      layers: 1,
      lastAction: true,
      lr: 1e-3,
      batchEpisodes: 128,
      lambda: 0.6,
      epsilonSteps: 100_000,
    },
  },
  'pymarl2-6h_vs_8z': {
    summary: 'the same on 6h_vs_8z: TD(.3), ε over 500,000 steps',
    source: 'hijkzzz/pymarl2 (arXiv 2102.03479)',
    settings: {
      lanes: 8,
      network: 'gru',
      layers: 1,
      lastAction: true,
      lr: 1e-3,
      batchEpisodes: 128,
      lambda: 0.3,
      epsilonSteps: 500_000,
    },
  },
}

// ---------------------------------------------------------------------------------------------------------------------
// The mixer.

export interface MixerShape {
  /** Numbers that the hypernetworks see, S. */
  readonly state: number
  readonly agents: number // n
  readonly embed: number // E
  readonly hyperLayers: number
  readonly hyperHidden: number
  readonly init?: Init
}

/** The four hypernetworks: S to n E, to E, to E, and to 1. */
export function hypernetworks(
  { state, agents, embed, hyperLayers, hyperHidden, init = 'orthogonal' }: MixerShape,
  rng: Generator,
): Network[] {
  const make = (part: string, outputs: number, layers: number, hidden: number) =>
    new Network(
      { name: `mixer/${part}`, inputs: state, outputs, hidden, layers, activation: 'relu', outputGain: 1, init },
      rng,
    )
  return [
    make('weight1', agents * embed, hyperLayers - 1, hyperHidden),
    make('bias1', embed, 0, 0),
    make('weightFinal', embed, hyperLayers - 1, hyperHidden),
    make('value', 1, 1, embed),
  ]
}

/**
 * Q_tot. The kernel takes absolute values of both weights, and of no bias.
 * @param values [M, n]
 * @param state [M, S]
 * @returns [M, 1]
 */
export function mixMonotonically(
  networks: readonly Network[],
  weights: Weights,
  values: tf.Tensor2D,
  state: tf.Tensor2D,
): tf.Tensor2D {
  const [weight1, bias1, weightFinal, value] = networks.map((net, k) => net.apply(state, weights[k]))
  return tf.reshape(qmixMix(values, weight1, bias1, weightFinal, value), [values.shape[0], 1])
}

/** The mixing with weights to learn and weights to follow. */
function monotone(spec: EnvSpec, agents: number, settings: QmixSettings, rng: () => Generator): Mixing {
  const { mixerInput: sees } = settings
  const state = sees === 'state' ? spec.stateSize : agents * spec.observationSize
  const [networks, targets] = [rng(), rng()].map((own) => hypernetworks({ ...settings, state, agents }, own))
  return {
    outputs: 1,
    networks,
    targets,
    sees,
    mix: (values, world, weights) => mixMonotonically(networks, weights, values, world),
  }
}

// ---------------------------------------------------------------------------------------------------------------------

export const qmix = greedyLearner({
  name: 'qmix',
  paper: 'Rashid et al. 2018, arXiv 1803.11485',
  summary: 'Monotone value mixing: hypernetworks that see the state join the agents’ values while learning.',
  settings: QMIX_SETTINGS,
  presets: QMIX_PRESETS,
  // Without a global state the mixer gets all observations, and the settings say so.
  effective: (spec, settings) => ({
    ...settings,
    mixerInput: spec.stateSize > 0 ? settings.mixerInput : 'observations',
  }),
  common: true,
  mixing: monotone,
})
