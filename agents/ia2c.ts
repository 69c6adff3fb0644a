/**
 * IA2C: every agent is an advantage actor–critic by itself. The critic sees what its agent sees and nothing else.
 *
 * Mnih et al. 2016 (arXiv 1602.01783), for each agent; the independent learner of Papoudakis et al. 2021 (arXiv 2006.07869).
 * Differences from EPyMARL at cbc38c0 are listed in agents/README.md.
 *
 * Read on: settings, what the critic sees. Losses and updating: core/a2c.ts.
 */
import { Type, type Static } from '#typebox'
import { A2C_SETTINGS, A2c, effectiveA2c } from './core/a2c.ts'
import { actorLearner } from './core/definition.ts'
import { ownInputs } from './core/critic-inputs.ts'
import { type LearnerPreset } from './core/learner.ts'
import {
  A2C_EQUAL,
  A2C_EQUAL_DIFFERS,
  A2C_EQUAL_SOURCE,
  EPYMARL_ALL,
  EPYMARL_EACH,
  EPYMARL_DIFFERS,
  EPYMARL_SOURCE,
  epymarlFamilies,
} from './core/published.ts'

export const IA2C_SETTINGS = Type.Object(A2C_SETTINGS, { additionalProperties: false })

export type Ia2cSettings = Static<typeof IA2C_SETTINGS>

/** As published. */
export const IA2C_PRESETS: Readonly<Record<string, LearnerPreset<Ia2cSettings>>> = {
  epymarl: {
    summary: 'shared networks, recurrent actors of 128, returns of 5 steps from a soft target',
    source: EPYMARL_SOURCE,
    settings: {
      ...EPYMARL_ALL,
      lr: 5e-4,
      criticLr: 5e-4,
      entropy: 0.001,
    },
    families: epymarlFamilies(true),
    differs: EPYMARL_DIFFERS,
  },
  'epymarl-ns': {
    summary: 'a network of 64 for each agent, feed-forward, returns of 5 steps from a hard target',
    source: EPYMARL_SOURCE,
    settings: {
      ...EPYMARL_EACH,
      lr: 5e-4,
      criticLr: 5e-4,
      entropy: 0.001,
    },
    families: epymarlFamilies(false),
    differs: EPYMARL_DIFFERS,
  },
  a2c: {
    summary: 'the settings under which PPO is A2C: compare with ippo under the same name',
    source: A2C_EQUAL_SOURCE,
    settings: A2C_EQUAL,
    differs: A2C_EQUAL_DIFFERS,
  },
}

export const ia2c = actorLearner({
  name: 'ia2c',
  paper: 'Mnih et al. 2016, arXiv 1602.01783',
  summary: 'Independent A2C: actors and critics see their own observation only.',
  settings: IA2C_SETTINGS,
  presets: IA2C_PRESETS,
  effective: (_spec, settings, agents) => effectiveA2c('ia2c', settings, agents),
  open: (request, settings, spec, agents) =>
    new A2c(request, { name: 'ia2c', settings, criticInputs: ownInputs(spec, agents, settings) }),
})
