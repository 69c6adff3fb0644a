/** From a scenario to a batch of episodes. Pure: also the viewer imports this file. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import {
  ENVS,
  TroupeError,
  canonicalJson,
  createBatch,
  envDefinition,
  envSpec,
  type BatchSettings,
  type DigestibleBatch,
  type EnvDefinition,
  type EnvSpec,
} from '../envs/index.ts'
import { type Scenario, type TeamReward } from './schema.ts'

export { checkScenario, type Scenario, type TeamReward } from './schema.ts'
export { foragingScenario } from './foraging.ts'

type Definitions = Readonly<Record<string, EnvDefinition>>

/**
 * The environment a scenario names, in the version it names.
 * @throws TroupeError unknown-name (with the nearest) or bad-version
 */
export function scenarioDefinition(scenario: Scenario, definitions: Definitions = ENVS): EnvDefinition {
  return located(`scenario ${scenario.id}`, () => {
    const definition = envDefinition(scenario.env, definitions)
    if (definition.version !== scenario.version) {
      throw new TroupeError('bad-version', {
        where: 'version',
        got: `"${scenario.version}" of environment ${definition.id}`,
        expected: `"${definition.version}", the version in this build`,
      })
    }
    return definition
  })
}

/**
 * What the scenario's batch will look like, without allocating it.
 * @throws TroupeError for an unknown environment, version, option or agent
 */
export function scenarioSpec(scenario: Scenario, definitions: Definitions = ENVS): EnvSpec {
  const definition = scenarioDefinition(scenario, definitions)
  return located(`scenario ${scenario.id}`, () => envSpec(definition, scenario.options, scenario.control))
}

/**
 * Opens a scenario as parallel episodes. Call `reset` before the first `step`.
 * @param settings lanes, autoreset, seeds …; `control` here replaces the scenario's
 * @throws TroupeError for an unknown environment, version, option or agent
 */
export function openScenario(
  scenario: Scenario,
  settings: BatchSettings = {},
  definitions: Definitions = ENVS,
): DigestibleBatch {
  const definition = scenarioDefinition(scenario, definitions)
  const control = settings.control ?? scenario.control
  return located(`scenario ${scenario.id}`, () =>
    createBatch(definition, scenario.options, { ...settings, ...(control === undefined ? {} : { control }) }),
  )
}

/**
 * Content hash: SHA-256 hex over the canonical JSON of what decides results, which is env, version, options, control,
 * teamReward and evaluation. The id, title, notes and reference numbers are left out: a renamed or commented copy is
 * the same task. Options count as written, so an environment may gain options without changing old hashes; changed
 * defaults raise the environment's version, which is in the hash.
 */
export function scenarioHash(scenario: Scenario): string {
  const { env, version, options, control = 'all', teamReward, evaluation } = scenario
  return bytesToHex(sha256(utf8ToBytes(canonicalJson({ env, version, options, control, teamReward, evaluation }))))
}

/** The scenario's scalar return: sum over agents for none and sum, mean for mean. */
export function teamReturn(teamReward: TeamReward, returns: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < returns.length; i++) sum += returns[i]
  return teamReward === 'mean' ? sum / returns.length : sum
}

/** Runs a check and puts the door in front of what it complains about. */
export function located<T>(where: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    const { code, got, expected, nearest } = error
    throw new TroupeError(code, {
      where: `${where}: ${error.where}`,
      got,
      expected,
      ...(nearest === undefined ? {} : { nearest }),
    })
  }
}
