/**
 * IQL: every agent learns the value of its own actions from its own reward, as if the others were weather.
 *
 * Tan 1993, "Multi-Agent Reinforcement Learning: Independent vs. Cooperative Agents"; with deep networks, memory of episodes and
 * double-Q as in uoe-agents/epymarl at cbc38c0 (modules/critics none, learners/q_learner.py). Differences from it are listed in
 * agents/README.md.
 *
 *   y_i = r_i + γ (1 − terminated) Q'_i(h'_i, argmax over legal a of Q_i(h'_i, a))
 *   L   = mean over steps and agents of (Q_i(h_i, a_i) − y_i)²
 *
 * Read on: settings, the joining of values (there is none). Targets are in core/values.ts, the order of things in core/qlearning.ts.
 */
import { Type, type Static } from '#typebox'
import { greedyLearner } from './core/definition.ts'
import { type LearnerPreset } from './core/learner.ts'
import { type Mixing } from './core/qlearning.ts'
import { EPSILON_SETTINGS, VALUE_SETTINGS } from './core/values.ts'

export const IQL_SETTINGS = Type.Object({ ...VALUE_SETTINGS, ...EPSILON_SETTINGS }, { additionalProperties: false })

export type IqlSettings = Static<typeof IQL_SETTINGS>

type Preset = LearnerPreset<IqlSettings>

/** As published. EPyMARL uses the same for every environment family. */
export const IQL_PRESETS: Readonly<Record<'epymarl' | 'epymarl-ns', Preset>> = {
  epymarl: {
    summary: 'shared networks, all families: GRU of 128, ε over 200,000 steps, rewards standardised',
    source: 'uoe-agents/epymarl at cbc38c0',
    settings: {
      lanes: 1,
      network: 'gru',
      layers: 1,
      hidden: 128,
      lr: 3e-4,
      epsilonSteps: 200_000,
      rewardScaling: 'standardise',
    },
  },
  'epymarl-ns': {
    summary: 'a network for each agent, all families',
    source: 'uoe-agents/epymarl at cbc38c0',
    settings: { lanes: 1, sharing: 'none', hidden: 64, lr: 5e-4, epsilonSteps: 50_000, rewardScaling: 'standardise' },
  },
}

/** Nobody's values meet anybody else's: [M, n] stays [M, n]. */
export function apart(agents: number): Mixing {
  return { outputs: agents, networks: [], targets: [], mix: (values) => values }
}

export const iql = greedyLearner({
  name: 'iql',
  paper: 'Tan 1993; details of EPyMARL (Papoudakis et al. 2021, arXiv 2006.07869)',
  summary: 'Independent Q-learning: every agent values its own actions by its own reward.',
  settings: IQL_SETTINGS,
  presets: IQL_PRESETS,
  common: false,
  mixing: (_spec, agents) => apart(agents),
})
