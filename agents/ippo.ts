/**
 * IPPO: every agent runs PPO by itself. The critic sees what its agent sees and nothing else; actor and critic are shared
 * networks told apart by the agent id, as in the comparison of the MAPPO paper.
 *
 * De Witt et al. 2020, "Is Independent Learning All You Need in the StarCraft Multi-Agent Challenge?" (arXiv 2011.09533);
 * details as in marlbenchmark/on-policy at de66d7a. Differences are listed in agents/README.md.
 *
 * Read on: settings, what the critic sees. Losses, acting and updating are PPO's: core/ppo.ts.
 */
import { Type, type Static } from '#typebox'
import { actorLearner } from './core/definition.ts'
import { ownInputs } from './core/critic-inputs.ts'
import { type LearnerPreset } from './core/learner.ts'
import { PPO_SETTINGS, Ppo, effectivePpo } from './core/ppo.ts'
import {
  A2C_EQUAL,
  A2C_EQUAL_DIFFERS,
  A2C_EQUAL_SOURCE,
  BENCHMARL_PRESET,
  EPYMARL_ALL,
  EPYMARL_EACH,
  EPYMARL_SOURCE,
  JAXMARL,
  JAXMARL_DIFFERS,
  JAXMARL_MEMORY,
  JAXMARL_SMAX,
  JAXMARL_SOURCE,
  MAPPO_DIFFERS,
  MAPPO_PARTICLES,
  MAPPO_REFERENCE,
  MAPPO_SOURCE,
  MAVA_PRESET,
  PPO_EPYMARL,
  PPO_EPYMARL_DIFFERS,
  epymarlFamilies,
} from './core/published.ts'

export const IPPO_SETTINGS = Type.Object(PPO_SETTINGS, { additionalProperties: false })

export type IppoSettings = Static<typeof IPPO_SETTINGS>

/** As published. */
export const IPPO_PRESETS: Readonly<Record<string, LearnerPreset<IppoSettings>>> = {
  epymarl: {
    summary: 'shared networks, recurrent actors of 128, returns of 5 steps from a soft target',
    source: EPYMARL_SOURCE,
    settings: {
      ...EPYMARL_ALL,
      ...PPO_EPYMARL,
      lr: 3e-4,
      criticLr: 3e-4,
      entropy: 0.001,
    },
    families: epymarlFamilies(true),
    differs: PPO_EPYMARL_DIFFERS,
  },
  'epymarl-ns': {
    summary: 'a network of 64 for each agent, feed-forward, returns of 5 steps from a hard target',
    source: EPYMARL_SOURCE,
    settings: {
      ...EPYMARL_EACH,
      ...PPO_EPYMARL,
      lr: 3e-4,
      criticLr: 3e-4,
      entropy: 0.01,
    },
    families: epymarlFamilies(false),
    differs: PPO_EPYMARL_DIFFERS,
  },
  mappo: {
    summary: 'the MAPPO paper’s comparison: recurrent, a network for each agent',
    source: MAPPO_SOURCE,
    settings: { ...MAPPO_REFERENCE, sharing: 'none' },
    families: { particles: MAPPO_PARTICLES },
    differs: MAPPO_DIFFERS,
  },
  jaxmarl: {
    summary: 'feed-forward on particles; on skirmish its SMAX runs: recurrent, clip .05',
    source: JAXMARL_SOURCE,
    settings: { ...JAXMARL, lr: 2.5e-4, criticLr: 2.5e-4 },
    families: { skirmish: { ...JAXMARL_MEMORY, ...JAXMARL_SMAX, lr: 4e-3, criticLr: 4e-3, clip: 0.05 } },
    differs: JAXMARL_DIFFERS,
  },
  mava: MAVA_PRESET,
  benchmarl: BENCHMARL_PRESET,
  a2c: {
    summary: 'the settings under which PPO is A2C: compare with ia2c under the same name',
    source: A2C_EQUAL_SOURCE,
    settings: { ...A2C_EQUAL, epochs: 1, minibatches: 1, valueClip: null },
    differs: A2C_EQUAL_DIFFERS,
  },
}

export const ippo = actorLearner({
  name: 'ippo',
  paper: 'de Witt et al. 2020, arXiv 2011.09533',
  summary: 'Independent PPO: actors and critics see their own observation only; networks are shared.',
  settings: IPPO_SETTINGS,
  presets: IPPO_PRESETS,
  effective: (_spec, settings, agents) => effectivePpo('ippo', settings, agents),
  open: (request, settings, spec, agents) =>
    new Ppo(request, { name: 'ippo', settings, criticInputs: ownInputs(spec, agents, settings) }),
})
