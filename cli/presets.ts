/** Named bundles of settings for `--preset`: weaker than a config file, stronger than defaults. */
import { unknownName } from '../envs/core/errors.ts'
import { presetSettings, type LearnerDefinition } from '../agents/core/learner.ts'

export interface Preset {
  readonly summary: string
  /** Options of the command: steps. */
  readonly options: Readonly<Record<string, unknown>>
  /** Settings of the learner. */
  readonly settings: Readonly<Record<string, unknown>>
}

export const PRESETS: Readonly<Record<string, Preset>> = {
  demo: {
    summary: 'what `troupe demo` trains with: warehouse/nano-2ag in under a minute on two cores',
    options: { steps: 100_000, evaluations: 11 },
    settings: {},
  },
  quick: {
    summary: 'a first look in seconds: few steps, few evaluations; learns little',
    options: { steps: 20_000, evaluations: 4 },
    settings: {},
  },
}

/**
 * A bundle of every learner, or one of the learner's own: published settings.
 * @param env id of the environment, for what the source has for that family alone
 * @throws TroupeError unknown-name
 */
export function presetOf({ name: algorithm, presets = {} }: LearnerDefinition, name: string, env?: string): Preset {
  if (Object.hasOwn(presets, name)) {
    const { summary } = presets[name]
    return { summary, options: {}, settings: presetSettings(presets[name], env) }
  }
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name]
  throw unknownName(`--preset for ${algorithm}`, name, [...Object.keys(PRESETS), ...Object.keys(presets)])
}
