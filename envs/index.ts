/** All environments, and the two doors to them: a batch of episodes, or one lane shaped like PettingZoo's Parallel API. */
import {
  ParallelEnv,
  createBatch,
  unknownName,
  type BatchSettings,
  type DigestibleBatch,
  type EnvDefinition,
  type ParallelSettings,
} from './core/index.ts'
import { foraging } from './foraging/index.ts'
import { coin } from './matrix/coin/index.ts'
import { matrix } from './matrix/index.ts'
import { storm } from './matrix/storm/index.ts'
import { particles } from './particles/index.ts'
import { skirmish } from './skirmish/index.ts'
import { spectrum } from './spectrum/index.ts'
import { warehouse } from './warehouse/index.ts'

export * from './core/index.ts'

/** Every built-in environment by id. Adding one adds a line here. */
export const ENVS: Record<string, EnvDefinition> = {
  coin,
  foraging,
  matrix,
  particles,
  skirmish,
  spectrum,
  storm,
  warehouse,
}

/**
 * The definition of an environment by id; a definition (somebody's plug-in) is handed back as it is.
 * @throws TroupeError unknown-name, with the nearest id
 */
export function envDefinition(
  env: string | EnvDefinition,
  definitions: Readonly<Record<string, EnvDefinition>> = ENVS,
): EnvDefinition {
  if (typeof env !== 'string') return env
  if (!Object.hasOwn(definitions, env)) throw unknownName('environment', env, Object.keys(definitions))
  return definitions[env]
}

/**
 * Opens B parallel episodes of an environment. Call `reset` before the first `step`.
 * @param env id in ENVS, or a definition
 * @param options the environment's own, plus `horizon` and `horizonEnds`; left-out ones take their defaults
 * @throws TroupeError for an unknown environment and for unknown or impossible options, seats and settings
 */
export function makeBatch(
  env: string | EnvDefinition,
  options: unknown = {},
  settings: BatchSettings = {},
): DigestibleBatch {
  return createBatch(envDefinition(env), options, settings)
}

/**
 * One lane in the shape of PettingZoo's Parallel API, for people and small scripts; everything handed out is a copy.
 * @throws TroupeError as makeBatch
 */
export function parallelEnv(
  env: string | EnvDefinition,
  options: Record<string, unknown> = {},
  settings: ParallelSettings = {},
): ParallelEnv {
  return new ParallelEnv(envDefinition(env), options, settings)
}
