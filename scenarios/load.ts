/** Scenarios and suites from disk. The shipped ones lie beside this file, in source and in the built package alike. */
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ENVS, TroupeError, shown, unknownName, type EnvDefinition } from '../envs/index.ts'
import { MAX_TEXT, checkScenario, checkSuite, parseJson, type Scenario, type Suite } from './schema.ts'
import { foragingScenario } from './foraging.ts'
import { located, scenarioSpec } from './open.ts'

const here = dirname(fileURLToPath(import.meta.url))
const SUITES = 'suites'

/** A suite with its scenarios loaded, in the suite's order. */
export interface LoadedSuite extends Omit<Suite, 'scenarios'> {
  readonly scenarios: Scenario[]
}

/** Ids of the shipped scenarios, sorted: one per `<env>/<name>.json`. */
export function scenarioIds(): string[] {
  return readdirSync(here, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== SUITES)
    .flatMap((entry) => jsonNames(join(here, entry.name)).map((name) => `${entry.name}/${name}`))
    .sort()
}

/** All shipped scenarios, sorted by id. Their shape is checked; whether they open is seen by `scenarioSpec`. */
export function listScenarios(): Scenario[] {
  return scenarioIds().map(readShipped)
}

/**
 * One scenario, shipped or from disk, checked down to the environment's options.
 * @param idOrPath id of a shipped scenario; or a path, told by its ending `.json`
 * @param definitions environments to look in; hand in a plug-in's beside ENVS
 * @throws TroupeError unknown-name with the nearest id; bad-file, bad-option or bad-version with file and field
 */
export function loadScenario(idOrPath: string, definitions: Readonly<Record<string, EnvDefinition>> = ENVS): Scenario {
  if (typeof idOrPath === 'string' && idOrPath.toLowerCase().endsWith('.json')) {
    const scenario = checkScenario(parseJson(readText(idOrPath), idOrPath), idOrPath)
    located(idOrPath, () => scenarioSpec(scenario, definitions))
    return scenario
  }
  return shippedScenario(idOrPath, definitions)
}

/** Families whose names spell out their tasks, so that not every one needs a file. */
const SPELLED: readonly ((id: string) => Scenario | null)[] = [foragingScenario]

function spelled(id: string): Scenario | null {
  for (const family of SPELLED) {
    const scenario = typeof id === 'string' ? family(id) : null
    if (scenario !== null) return scenario
  }
  return null
}

/**
 * One shipped scenario by id, never a path: the door for names that come over the network.
 * Only names from the listing are ever joined to a path, so an id cannot lead out of the folder.
 * @throws TroupeError unknown-name with the nearest id
 */
export function shippedScenario(id: string, definitions: Readonly<Record<string, EnvDefinition>> = ENVS): Scenario {
  const ids = scenarioIds()
  const scenario = ids.includes(id) ? readShipped(id) : (spelled(id) ?? readShipped(known('scenario', id, ids)))
  scenarioSpec(scenario, definitions)
  return scenario
}

/** Every shipped suite, sorted by id; scenarios as ids. */
export function listSuites(): Suite[] {
  return jsonNames(join(here, SUITES)).sort().map(readSuite)
}

/**
 * One shipped suite with its scenarios.
 * @throws TroupeError unknown-name with the nearest id
 */
export function loadSuite(name: string): LoadedSuite {
  const suite = readSuite(known('suite', name, jsonNames(join(here, SUITES)).sort()))
  const scenarios = suite.scenarios.map((id) => located(`suite ${suite.id}`, () => loadScenario(id)))
  return { ...suite, scenarios }
}

function jsonNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
}

function known(kind: string, name: string, names: readonly string[]): string {
  if (typeof name !== 'string') throw unknownName(kind, shown(name), names)
  if (!names.includes(name)) {
    // Of a family that is known, its members help; the rest of the list does not.
    const family = names.filter((one) => one.startsWith(name.slice(0, name.indexOf('/') + 1)))
    throw unknownName(kind, name, name.includes('/') && family.length > 0 ? family : names)
  }
  return name
}

function readShipped(id: string): Scenario {
  const file = `${id}.json`
  const scenario = checkScenario(parseJson(readText(join(here, file)), `scenarios/${file}`), `scenarios/${file}`)
  if (scenario.id !== id) throw misnamed(`scenarios/${file}`, scenario.id, id)
  return scenario
}

function readSuite(name: string): Suite {
  const file = `scenarios/${SUITES}/${name}.json`
  const suite = checkSuite(parseJson(readText(join(here, SUITES, `${name}.json`)), file), file)
  if (suite.id !== name) throw misnamed(file, suite.id, name)
  return suite
}

function misnamed(file: string, id: string, expected: string): TroupeError {
  return new TroupeError('bad-option', {
    where: `${file}: id`,
    got: shown(id),
    expected: `"${expected}", as the file is called`,
  })
}

/** A file's text; sizes are checked before it is read. */
function readText(path: string): string {
  try {
    const info = statSync(path)
    if (!info.isFile()) throw new TroupeError('bad-file', { where: path, got: 'not a file', expected: 'a JSON file' })
    if (info.size > MAX_TEXT) {
      throw new TroupeError('bad-file', { where: path, got: `${info.size} bytes`, expected: `at most ${MAX_TEXT}` })
    }
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof TroupeError) throw error
    const { code } = error as NodeJS.ErrnoException
    const got = code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : `unreadable (${code ?? 'unknown reason'})`
    throw new TroupeError('bad-file', { where: path, got, expected: 'a readable JSON file' })
  }
}
