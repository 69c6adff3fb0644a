/**
 * MAPPO: PPO for teams, with a critic that sees the whole world while it learns and actors that do not.
 *
 * Yu et al. 2022, "The Surprising Effectiveness of PPO in Cooperative Multi-Agent Games" (arXiv 2103.01955);
 * reference code marlbenchmark/on-policy at de66d7a. Differences from it are listed in agents/README.md.
 *
 * Read on: settings, what the critic sees. Losses, acting and updating are PPO's: core/ppo.ts.
 */
import { Type, type Static } from '#typebox'
import { actorLearner } from './core/definition.ts'
import { CENTRAL_SETTINGS, centralInputs, effectiveCentral } from './core/critic-inputs.ts'
import { type LearnerPreset } from './core/learner.ts'
import { PPO_SETTINGS, Ppo, effectivePpo } from './core/ppo.ts'
import {
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

export const MAPPO_SETTINGS = Type.Object({ ...PPO_SETTINGS, ...CENTRAL_SETTINGS }, { additionalProperties: false })

export type MappoSettings = Static<typeof MAPPO_SETTINGS>

/** SMAC's critics see the state and the own observation ("AS"), those of particles all observations ("CL"). */
const MAPPO_FAMILIES = {
  skirmish: { criticInput: 'state+observation' },
  particles: { ...MAPPO_PARTICLES, criticInput: 'observations' },
} as const

/** As published. */
export const MAPPO_PRESETS: Readonly<Record<string, LearnerPreset<MappoSettings>>> = {
  mappo: {
    summary:
      'the paper’s: recurrent, normalised values, 15 epochs of one minibatch; particles with 128 lanes, tanh, 10 epochs',
    source: MAPPO_SOURCE,
    settings: MAPPO_REFERENCE,
    families: MAPPO_FAMILIES,
    differs: MAPPO_DIFFERS,
  },
  'mappo-hard': {
    summary: 'the same on hard SMAC maps and SMACv2: 5 epochs',
    source: MAPPO_SOURCE,
    settings: { ...MAPPO_REFERENCE, epochs: 5 },
    families: { skirmish: MAPPO_FAMILIES.skirmish },
    differs: MAPPO_DIFFERS,
  },
  'mappo-5m_vs_6m': {
    summary: 'the same on 5m_vs_6m: 10 epochs, clip .05',
    source: MAPPO_SOURCE,
    settings: { ...MAPPO_REFERENCE, epochs: 10, clip: 0.05 },
    families: { skirmish: MAPPO_FAMILIES.skirmish },
    differs: MAPPO_DIFFERS,
  },
  'mappo-mmm2': {
    summary: 'the same on MMM2: 5 epochs of two minibatches, actors that are not nearly uniform at first',
    source: MAPPO_SOURCE,
    settings: { ...MAPPO_REFERENCE, epochs: 5, minibatches: 2, outputGain: 1 },
    families: { skirmish: MAPPO_FAMILIES.skirmish },
    differs: MAPPO_DIFFERS,
  },
  epymarl: {
    summary: 'shared networks, recurrent actors of 128, returns of 5 steps from a soft target',
    source: EPYMARL_SOURCE,
    settings: {
      ...EPYMARL_ALL,
      ...PPO_EPYMARL,
      lr: 3e-4,
      criticLr: 3e-4,
      entropy: 0.001,
      criticInput: 'observations',
    },
    families: epymarlFamilies(true, { skirmish: { criticInput: 'state' as const } }),
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
      criticInput: 'observations',
    },
    families: epymarlFamilies(false, { skirmish: { criticInput: 'state' as const } }),
    differs: PPO_EPYMARL_DIFFERS,
  },
  jaxmarl: {
    summary: 'recurrent, of 128, rates fall to 0; on skirmish its SMAX runs: 128 lanes, no entropy bonus',
    source: JAXMARL_SOURCE,
    settings: { ...JAXMARL, ...JAXMARL_MEMORY, lr: 2e-3, criticLr: 2e-3, criticInput: 'observations' },
    families: { skirmish: { ...JAXMARL_SMAX, criticInput: 'state' } },
    differs: JAXMARL_DIFFERS,
  },
  mava: MAVA_PRESET,
  benchmarl: BENCHMARL_PRESET,
}

export const mappo = actorLearner({
  name: 'mappo',
  paper: 'Yu et al. 2022, arXiv 2103.01955',
  summary: 'PPO for teams: shared actors that see their own observation, a central critic that sees the state.',
  settings: MAPPO_SETTINGS,
  presets: MAPPO_PRESETS,
  // Without a global state the critic gets all observations, and the settings say so.
  effective: (spec, settings, agents) => effectivePpo('mappo', effectiveCentral('mappo', spec, settings), agents),
  open: (request, settings, spec, agents) =>
    new Ppo(request, { name: 'mappo', settings, criticInputs: centralInputs(spec, agents, settings) }),
})
