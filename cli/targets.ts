/** What a command was pointed at: scenarios and policies by name, file, plug-in or checkpoint. */
import { existsSync, statSync } from 'node:fs'
import { TroupeError, type EnvDefinition, type EnvSpec } from '../envs/core/index.ts'
import { ENVS } from '../envs/index.ts'
import { listScenarios, loadScenario } from '../scenarios/load.ts'
import { scenarioSpec } from '../scenarios/open.ts'
import { type Scenario } from '../scenarios/schema.ts'
import { isInstalled, isModulePath, loadEnvPlugin, type EnvPlugin } from '../results/plugins.ts'
import { type Session } from './command.ts'
import { isTroupeError } from './output.ts'

export interface Target {
  readonly scenario: Scenario
  readonly definition: EnvDefinition
  readonly spec: EnvSpec
  /** The built-in environments and the plug-in, where there is one. */
  readonly definitions: Record<string, EnvDefinition>
  readonly plugin?: EnvPlugin
  /** Options given on the command line instead of the scenario's own; its name alone no longer says what is played. */
  readonly changed?: Readonly<Record<string, unknown>>
}

/** Loads an environment plug-in and sets it beside the built-in ones. */
export async function withPlugin(
  specifier: string,
  session: Session,
): Promise<{ plugin: EnvPlugin; definitions: Record<string, EnvDefinition> }> {
  const plugin = await loadEnvPlugin(specifier)
  session.foreign.push(plugin.path)
  if (plugin.definition.id in ENVS) {
    throw new TroupeError('bad-option', {
      where: `plug-in ${specifier}: id`,
      got: `"${plugin.definition.id}", which is built in`,
      expected: 'a name of its own',
    })
  }
  return { plugin, definitions: { ...ENVS, [plugin.definition.id]: plugin.definition } }
}

/** The scenario of a plug-in that comes without one: its default options. */
export function defaultScenario(definition: EnvDefinition): Scenario {
  return {
    id: `${definition.id}/default`,
    title: definition.summary,
    env: definition.id,
    version: definition.version,
    options: {},
    teamReward: 'none',
    evaluation: { points: 100, episodes: 32, absoluteEpisodes: 320, policy: 'greedy' },
  }
}

/**
 * @param wanted scenario id, path of a scenario file, or a plug-in module; may be left out with `env`
 * @param env plug-in given with `--env`
 * @param options changes to the scenario's options, from `--option name=value`
 */
export async function resolveScenario(
  wanted: string | undefined,
  env: string | undefined,
  options: Record<string, unknown> | undefined,
  session: Session,
): Promise<Target> {
  const module = env ?? (wanted !== undefined && isModulePath(wanted) ? wanted : undefined)
  const loaded = module === undefined ? undefined : await withPlugin(module, session)
  const named = wanted !== undefined && wanted !== module ? wanted : undefined
  if (named === undefined && loaded === undefined) {
    throw new TroupeError('bad-usage', {
      where: 'scenario',
      got: 'missing',
      expected: `a scenario such as ${listScenarios()[0]?.id ?? 'warehouse/tiny-2ag'} (see \`troupe list\`), or --env ./mine.js`,
    })
  }
  const definitions = loaded?.definitions ?? ENVS
  const known =
    named === undefined
      ? defaultScenario(loaded!.plugin.definition)
      : hinted(env, () => loadScenario(named, definitions))
  return opened(known, options, definitions, loaded?.plugin)
}

/** A scenario at hand (from a run's folder) as a target. */
export async function targetOf(
  scenario: Scenario,
  env: string | undefined,
  options: Record<string, unknown> | undefined,
  session: Session,
): Promise<Target> {
  const loaded = env === undefined ? undefined : await withPlugin(env, session)
  return hinted(env, () => opened(scenario, options, loaded?.definitions ?? ENVS, loaded?.plugin))
}

function opened(
  known: Scenario,
  options: Record<string, unknown> | undefined,
  definitions: Record<string, EnvDefinition>,
  loaded: EnvPlugin | undefined,
): Target {
  const scenario = options === undefined ? known : { ...known, options: { ...known.options, ...options } }
  const spec = scenarioSpec(scenario, definitions)
  const plugin = loaded?.definition.id === scenario.env ? loaded : undefined
  return {
    scenario,
    definition: definitions[scenario.env],
    spec,
    definitions,
    ...(plugin === undefined ? {} : { plugin }),
    ...(options === undefined ? {} : { changed: options }),
  }
}

/** Runs a look-up; an unknown environment may want `--env`. */
function hinted<T>(env: string | undefined, look: () => T): T {
  try {
    return look()
  } catch (error) {
    if (!isTroupeError(error) || env !== undefined || !error.where.endsWith('environment')) throw error
    const { code, where, got, expected, nearest } = error
    const more = `${expected}, or --env with the module that defines it`
    throw new TroupeError(code, { where, got, expected: more, ...(nearest === undefined ? {} : { nearest }) })
  }
}

/** Whether a word names a folder on disk. */
export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

/** Whether a word should be loaded as a plug-in policy rather than looked up by name. */
export function isPolicyModule(text: string, known: readonly string[]): boolean {
  return !known.includes(text) && (isModulePath(text) || /^\.{0,2}[\\/]/.test(text) || isInstalled(text))
}
