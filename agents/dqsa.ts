/**
 * DQSA, deep Q-learning for spectrum access: users share one recurrent network and nothing else; each hears only whether its own
 * packets got through. An LSTM puts the history together, duelling heads tell how good a moment is from how good a channel is,
 * double-Q keeps values modest, and users explore by a softmax that sharpens while they learn.
 *
 * Naparstek and Cohen 2019, "Deep Multi-User Reinforcement Learning for Distributed Dynamic Spectrum Access" (arXiv 1704.02613).
 * The paper's text beyond its abstract was not at hand: numbers are those of the public reimplementation
 * shkrwnd/Deep-Reinforcement-Learning-for-Dynamic-Spectrum-Access, or ours where agents/README.md says so.
 *
 *   Q = V(h) + A(h, ·) − mean A(h, ·),  h from an LSTM over what the user did and heard
 *   y_i = r_i + γ Q'(h'_i, argmax_a Q(h'_i, a)),  L = mean (Q(h_i, a_i) − y_i)²
 *   P(a) = (1 − α) exp(β Q_a) / Σ_b exp(β Q_b) + α / (K + 1)                                (the paper's equation 12)
 *
 * Read on: settings, the network and exploration. Targets are in core/values.ts, the order of things in core/qlearning.ts, the
 * LSTM in core/lstm.ts.
 */
import { Type, type Static } from '#typebox'
import { withDefaults } from '../envs/core/index.ts'
import { type LearnerDefinition, type LearnerPreset, type LearnerRequest } from './core/learner.ts'
import { DuellingLstm } from './core/lstm.ts'
import { ValueLearner, valuePolicy, type Mixing } from './core/qlearning.ts'
import { real, revised, whole } from './core/settings.ts'
import { LEARNING_SETTINGS, falling, softened } from './core/values.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings.

const { agentId, batchEpisodes, window, updatesPerEpisode, gamma, lr, memoryEpisodes, ...others } = LEARNING_SETTINGS

export const DQSA_SETTINGS = Type.Object(
  {
    ...others,
    hidden: whole(128, 1, 4096, 'Units of the LSTM; the reimplementation 128.'),
    agentId: revised(agentId, false, 'Append a one-hot user id. Off: users of the paper are alike.'),
    memoryEpisodes: revised(memoryEpisodes, 1000, 'Episodes kept; the reimplementation keeps 1000 slots.'),
    batchEpisodes: revised(batchEpisodes, 16, 'Windows in a gradient step; the reimplementation 6.'),
    window: revised(
      window,
      20,
      'Slots in a row that are learned from, the LSTM starting from zero; null = whole episodes. The reimplementation 5.',
    ),
    updatesPerEpisode: revised(
      updatesPerEpisode,
      20,
      'Gradient steps per finished episode of 200 slots; the reimplementation one per slot.',
    ),
    gamma: revised(gamma, 0.9, 'Discount per slot; the reimplementation .9.'),
    lr: revised(lr, 1e-3, 'Step size; the reimplementation 1e-4, with ten times the steps.'),
    alphaStart: real(
      0.02,
      0,
      1,
      'α of equation 12 at first: part of the choices that are drawn evenly; the reimplementation .02.',
    ),
    alphaEnd: real(0.01, 0, 1, 'α in the end; the reimplementation .01.'),
    betaStart: real(
      5,
      0,
      1000,
      'β of equation 12 at first: how sharply the better channel is preferred, per unit of value. Ours.',
    ),
    betaEnd: real(
      60,
      0,
      1000,
      'β in the end, and when the policy is played by sampling. Ours: below some 10 even play of all users keeps itself up ' +
        'where the reward is shared, for then every action is worth the same (agents/README.md).',
    ),
    exploreSteps: whole(
      100_000,
      1,
      2 ** 40,
      'Slots (all lanes) over which α and β move, linearly; the reimplementation ran 100,000.',
    ),
  },
  { additionalProperties: false },
)

export type DqsaSettings = Static<typeof DQSA_SETTINGS>

/** As published. */
export const DQSA_PRESETS: Readonly<Record<string, LearnerPreset<DqsaSettings>>> = {
  shkrwnd: {
    summary: 'the public reimplementation: windows of 5 slots, six of them in a batch, a gradient step per slot',
    source: 'shkrwnd/Deep-Reinforcement-Learning-for-Dynamic-Spectrum-Access',
    settings: {
      lanes: 1,
      hidden: 128,
      memoryEpisodes: 5,
      batchEpisodes: 5,
      window: 5,
      updatesPerEpisode: 200,
      gamma: 0.9,
      lr: 1e-4,
      alphaStart: 0.02,
      alphaEnd: 0.01,
      exploreSteps: 100_000,
    },
    differs:
      'five episodes of 200 slots stand for its memory of 1000 slots, so a batch has five windows, not six; β is ours; a failed ' +
      'attempt is seen as such',
  },
}

// ---------------------------------------------------------------------------------------------------------------------

/** Users are not joined: everybody learns from the reward it is given. */
function apart(users: number): Mixing {
  return { outputs: users, networks: [], targets: [], mix: (values) => values }
}

function playing({ hidden, alphaStart, alphaEnd, betaStart, betaEnd, exploreSteps }: DqsaSettings) {
  return {
    network: (rng: ConstructorParameters<typeof DuellingLstm>[1]) => (name: string, inputs: number, outputs: number) =>
      new DuellingLstm({ name, inputs, outputs, hidden }, rng),
    explore: softened(
      (steps) => falling(alphaStart, alphaEnd, exploreSteps, steps),
      (steps) => falling(betaStart, betaEnd, exploreSteps, steps),
    ),
  }
}

function create(request: LearnerRequest): ValueLearner {
  const settings = withDefaults(DQSA_SETTINGS, request.settings ?? {}, 'dqsa settings')
  const { alphaStart, alphaEnd, exploreSteps } = settings
  return new ValueLearner(request, {
    name: 'dqsa',
    settings,
    ...playing(settings),
    mixing: (_spec, users) => apart(users),
    exploration: (steps) => falling(alphaStart, alphaEnd, exploreSteps, steps),
  })
}

export const dqsa: LearnerDefinition = {
  name: 'dqsa',
  paper: 'Naparstek and Cohen 2019, arXiv 1704.02613',
  summary: 'Spectrum access: a shared LSTM with duelling heads, double-Q, sharpening softmax exploration.',
  settings: DQSA_SETTINGS,
  presets: DQSA_PRESETS,
  create,
  policy: (spec, checkpoint, mode) =>
    valuePolicy('dqsa', spec, checkpoint, mode, (settings) => playing(settings as unknown as DqsaSettings)),
}
