/**
 * MAA2C: advantage actor–critics with critics that see the whole world while they learn, and actors that do not.
 *
 * The central-critic A2C of Papoudakis et al. 2021 (arXiv 2006.07869). Differences from EPyMARL at cbc38c0 are listed in
 * agents/README.md.
 *
 * Read on: settings, what the critic sees. Losses and updating: core/a2c.ts.
 */
import { Type, type Static } from '#typebox'
import { A2C_SETTINGS, A2c, effectiveA2c } from './core/a2c.ts'
import { actorLearner } from './core/definition.ts'
import { CENTRAL_SETTINGS, centralInputs, effectiveCentral } from './core/critic-inputs.ts'
import { type LearnerPreset } from './core/learner.ts'
import { EPYMARL_ALL, EPYMARL_EACH, EPYMARL_DIFFERS, EPYMARL_SOURCE, epymarlFamilies } from './core/published.ts'

export const MAA2C_SETTINGS = Type.Object({ ...A2C_SETTINGS, ...CENTRAL_SETTINGS }, { additionalProperties: false })

export type Maa2cSettings = Static<typeof MAA2C_SETTINGS>

/** As published. */
export const MAA2C_PRESETS: Readonly<Record<string, LearnerPreset<Maa2cSettings>>> = {
  epymarl: {
    summary: 'shared networks, recurrent actors of 128, returns of 5 steps from a soft target',
    source: EPYMARL_SOURCE,
    settings: {
      ...EPYMARL_ALL,
      lr: 5e-4,
      criticLr: 5e-4,
      entropy: 0.01,
      criticInput: 'observations',
    },
    families: epymarlFamilies(true, { skirmish: { criticInput: 'state' as const } }),
    differs: EPYMARL_DIFFERS,
  },
  'epymarl-ns': {
    summary: 'a network of 64 for each agent, feed-forward, returns of 5 steps from a hard target',
    source: EPYMARL_SOURCE,
    settings: {
      ...EPYMARL_EACH,
      lr: 3e-4,
      criticLr: 3e-4,
      entropy: 0.01,
      criticInput: 'observations',
    },
    families: epymarlFamilies(false, { skirmish: { criticInput: 'state' as const } }),
    differs: EPYMARL_DIFFERS,
  },
}

export const maa2c = actorLearner({
  name: 'maa2c',
  paper: 'Papoudakis et al. 2021, arXiv 2006.07869',
  summary: 'A2C for teams: actors see their own observation, a central critic sees the state.',
  settings: MAA2C_SETTINGS,
  presets: MAA2C_PRESETS,
  effective: (spec, settings, agents) => effectiveA2c('maa2c', effectiveCentral('maa2c', spec, settings), agents),
  open: (request, settings, spec, agents) =>
    new A2c(request, { name: 'maa2c', settings, criticInputs: centralInputs(spec, agents, settings) }),
})
