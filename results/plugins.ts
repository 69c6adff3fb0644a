/**
 * Other people's environments and policies: `./mine.js` or the name of an installed package.
 *
 * The module's default export (or a named export `env` / `policy`) is an `EnvDefinition` or a `PolicyDefinition`, or a
 * function that returns one; a function is called with everything of envs/core. Inside a plug-in `import … from 'troupe'` always means this copy of troupe, whether or not
 * a package of that name is installed beside it.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { register } from 'node:module'
import { basename, dirname, extname, isAbsolute, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as core from '../envs/core/index.ts'
import { TroupeError, shown, type EnvDefinition } from '../envs/core/index.ts'
import { type PolicyDefinition } from '../agents/core/policy.ts'

export interface Plugin {
  /** As it was typed. */
  readonly specifier: string
  /** As replays and records name it: the package's name, or the file's. */
  readonly name: string
  /** The entry file. */
  readonly path: string
  /**
   * SHA-256, 64 hex digits: of the entry file; of the list of all its files when it imports others by relative paths.
   * Installed packages that it imports are not covered: their lock file is.
   */
  readonly sha256: string
}

export interface EnvPlugin extends Plugin {
  readonly definition: EnvDefinition
}

export interface PolicyPlugin extends Plugin {
  readonly definition: PolicyDefinition
}

/** Whether a word means a module file rather than the name of something built in. */
export function isModulePath(text: string): boolean {
  return /\.[cm]?[jt]s$/.test(text) || text.startsWith('file:') || /^\.{1,2}$/.test(text)
}

const FIELDS = 'id, version, summary, options, horizon, spec and create'

/**
 * Loads an environment.
 * @param specifier path of a module, or name of a package installed in `folder` or above
 * @throws TroupeError bad-file when there is no such module or it cannot run, bad-option when its shape is wrong
 */
export async function loadEnvPlugin(specifier: string, folder = process.cwd()): Promise<EnvPlugin> {
  const { plugin, exported } = await load(specifier, 'env', folder)
  const where = `plug-in ${specifier}`
  const definition = asRecord(exported, `${where}: default export`, `an EnvDefinition with ${FIELDS}`)
  if (typeof definition.act === 'function' || ('privileged' in definition && !('spec' in definition))) {
    wrong(`${where}: default export`, 'a policy', `an environment with ${FIELDS}`)
  }
  text(definition, 'id', where, "a short name such as 'corridor'", /^[a-z][a-z0-9-]*$/)
  text(definition, 'version', where, "text such as '1', raised when rules change", /^[\w.-]{1,40}$/)
  text(definition, 'summary', where, 'one line of text', /\S/)
  if (definition.options?.[Symbol.for('TypeBox.Kind')] !== 'Object') {
    wrong(`${where}: options`, shown(definition.options), "a schema made with Type.Object from 'troupe'")
  }
  const { horizon } = definition
  if (horizon !== null && !(Number.isInteger(horizon) && horizon > 0)) {
    wrong(`${where}: horizon`, shown(horizon), 'a whole number of steps, or null for none')
  }
  calls(definition, 'spec', where, 'a function (options) => WorldSpec')
  calls(definition, 'create', where, 'a function (options, port) => Rules')
  return { ...plugin, definition: definition as unknown as EnvDefinition }
}

/** Loads a policy; see `loadEnvPlugin`. */
export async function loadPolicyPlugin(specifier: string, folder = process.cwd()): Promise<PolicyPlugin> {
  const { plugin, exported } = await load(specifier, 'policy', folder)
  const where = `plug-in ${specifier}`
  const asked = 'a PolicyDefinition with name, kind, summary, privileged and create'
  const definition = asRecord(exported, `${where}: default export`, asked)
  if (typeof definition.spec === 'function') wrong(`${where}: default export`, 'an environment', asked)
  text(definition, 'name', where, "a short name such as 'careful'", /^[a-z][a-z0-9-]*$/)
  text(definition, 'summary', where, 'one line of text', /\S/)
  if (definition.kind !== 'scripted' && definition.kind !== 'planner') {
    wrong(`${where}: kind`, shown(definition.kind), "'scripted' or 'planner'")
  }
  if (typeof definition.privileged !== 'boolean') {
    wrong(
      `${where}: privileged`,
      shown(definition.privileged),
      'true when it sees the whole world, false when it sees only what its agents see',
    )
  }
  if (
    definition.envs !== undefined &&
    !(Array.isArray(definition.envs) && definition.envs.every((id) => typeof id === 'string'))
  ) {
    wrong(`${where}: envs`, shown(definition.envs), 'a list of environment ids, or nothing for any')
  }
  calls(definition, 'create', where, 'a function (spec) => Policy')
  return { ...plugin, definition: definition as unknown as PolicyDefinition }
}

type Loose = Record<string | symbol, any> // eslint-disable-line @typescript-eslint/no-explicit-any

function wrong(where: string, got: string, expected: string): never {
  throw new TroupeError('bad-option', { where, got, expected })
}

function asRecord(value: unknown, where: string, expected: string): Loose {
  if (value === null || typeof value !== 'object')
    wrong(where, value === undefined ? 'missing' : shown(value), expected)
  return value as Loose
}

function text(of: Loose, field: string, where: string, expected: string, pattern: RegExp): void {
  const value = of[field]
  if (typeof value !== 'string' || !pattern.test(value)) {
    wrong(`${where}: ${field}`, value === undefined ? 'missing' : shown(value), expected)
  }
}

function calls(of: Loose, field: string, where: string, expected: string): void {
  if (typeof of[field] !== 'function') {
    wrong(`${where}: ${field}`, of[field] === undefined ? 'missing' : shown(of[field]), expected)
  }
}

async function load(
  specifier: string,
  kind: 'env' | 'policy',
  folder: string,
): Promise<{ plugin: Plugin; exported: unknown }> {
  const { path, name } = locate(specifier, folder)
  let sha256: string
  try {
    sha256 = hashOfModule(path)
  } catch (error) {
    throw new TroupeError('bad-file', {
      where: `plug-in ${specifier}`,
      got: `unreadable (${(error as NodeJS.ErrnoException).code})`,
      expected: 'a JavaScript module',
    })
  }
  resolveTroupeFromPlugins()
  let module: Record<string, unknown>
  try {
    module = (await import(pathToFileURL(path).href)) as Record<string, unknown>
  } catch (error) {
    const { code, message, name: kindOfError } = error as NodeJS.ErrnoException
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      throw new TroupeError('bad-file', {
        where: `plug-in ${specifier}`,
        got: `a ${extname(path)} file, which Node ${process.versions.node} cannot run`,
        expected: 'a JavaScript module (compile it first)',
      })
    }
    throw new TroupeError('bad-file', {
      where: `plug-in ${specifier}`,
      got: `not loadable: ${kindOfError}: ${String(message).split('\n')[0]}${lineOf(error, path)}`,
      expected: 'a JavaScript module that loads',
    })
  }
  let exported = module[kind] ?? module.default
  if (exported === undefined) {
    const names = Object.keys(module)
    wrong(
      `plug-in ${specifier}: default export`,
      names.length === 0 ? 'missing' : `missing (it exports ${names.join(', ')})`,
      kind === 'env' ? `an EnvDefinition with ${FIELDS}` : 'a PolicyDefinition',
    )
  }
  if (typeof exported === 'function') exported = await (exported as (troupe: unknown) => unknown)(core)
  return { plugin: { specifier, name, path, sha256 }, exported }
}

/** Names in `import … from './x.js'`, `export … from './x.js'`, `import './x.js'`, `import('./x.js')`, `require('./x.js')`. */
const IMPORTED = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*(['"`])(\.{1,2}\/[^'"`\n]+)\1/g

/**
 * SHA-256 of a module and of everything it imports by relative paths, so that a changed helper changes it, too. A module
 * on its own has the hash of its file; else it is that of one line per file, `path from the entry's folder\0SHA-256`.
 * Comments that look like imports can only add files. A computed path (`import(name)`) is not followed.
 */
export function hashOfModule(entry: string): string {
  const digest = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')
  const found = new Map<string, string>()
  const waiting = [realpathSync(entry)]
  const folder = dirname(waiting[0])
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue
    const bytes = readFileSync(path)
    found.set(path, digest(bytes))
    if (!/\.[cm]?[jt]sx?$/.test(path)) continue
    for (const [, , name] of bytes.toString('utf8').matchAll(IMPORTED)) {
      const target = resolve(dirname(path), name.replace(/[?#].*$/, ''))
      if (existsSync(target) && statSync(target).isFile()) waiting.push(realpathSync(target))
    }
  }
  if (found.size === 1) return [...found.values()][0]
  const lines = [...found].map(([path, sha256]) => `${relative(folder, path).replaceAll('\\', '/')}\0${sha256}\n`)
  return digest(lines.sort().join(''))
}

/** ' (mine.js:3)' of a syntax error, which only Node's own check tells. */
function lineOf(error: unknown, path: string): string {
  if ((error as Error).name !== 'SyntaxError') return ''
  const { stderr } = spawnSync(process.execPath, ['--check', path], { encoding: 'utf8', timeout: 5000 })
  const place = /^(?:file:\/\/)?(\S+):(\d+)$/m.exec(stderr ?? '')
  return place === null ? '' : ` (${basename(place[1])}:${place[2]})`
}

/** The entry file behind a path or a package name. */
function locate(specifier: string, folder: string): { path: string; name: string } {
  const typed = specifier.startsWith('file:') ? fileURLToPath(specifier) : specifier
  const asFile = resolve(folder, typed)
  const pathLike = isModulePath(specifier) || /^\.{0,2}[\\/]/.test(typed) || isAbsolute(typed)
  if (pathLike || (existsSync(asFile) && statSync(asFile).isFile())) {
    if (!existsSync(asFile)) {
      throw new TroupeError('bad-file', {
        where: `plug-in ${specifier}`,
        got: 'not there',
        expected: 'a JavaScript module (start one with `troupe new env <name>` or `troupe new policy <name>`)',
      })
    }
    if (statSync(asFile).isFile()) return { path: asFile, name: basename(asFile) }
    return { path: packageEntry(asFile, specifier), name: basename(asFile) }
  }
  for (let at = resolve(folder); ; at = dirname(at)) {
    const installed = join(at, 'node_modules', specifier)
    if (existsSync(join(installed, 'package.json')))
      return { path: packageEntry(installed, specifier), name: specifier }
    if (dirname(at) === at) break
  }
  throw new TroupeError('bad-file', {
    where: `plug-in ${specifier}`,
    got: 'neither a file nor an installed package',
    expected: './path/to/module.js, or a package in node_modules',
  })
}

/** Whether a package of this name is installed in `folder` or above. */
export function isInstalled(name: string, folder = process.cwd()): boolean {
  if (!/^(@[\w.-]+\/)?[\w.-]+$/.test(name) || name.startsWith('.')) return false
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, 'node_modules', name, 'package.json'))) return true
    if (dirname(at) === at) return false
  }
}

/** A package's main module: `exports["."]`, else `module` or `main`, else index.js. */
function packageEntry(folder: string, specifier: string): string {
  let description: Record<string, unknown> = {}
  try {
    description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  } catch {
    // a folder without a readable package.json is taken by its index.js
  }
  const wanted = [entryOf(description.exports), description.module, description.main, 'index.js', 'index.mjs']
  for (const entry of wanted) {
    if (typeof entry !== 'string') continue
    const path = join(folder, entry)
    if (existsSync(path) && statSync(path).isFile()) return path
  }
  throw new TroupeError('bad-file', {
    where: `plug-in ${specifier}`,
    got: 'a folder without a main module',
    expected: 'a package.json with "main" or "exports", or an index.js',
  })
}

function entryOf(exported: unknown): unknown {
  if (typeof exported === 'string' || exported === null || typeof exported !== 'object') return exported
  const table = exported as Record<string, unknown>
  if ('.' in table) return entryOf(table['.'])
  for (const condition of ['node', 'import', 'default']) if (condition in table) return entryOf(table[condition])
  return undefined
}

let registered = false

/** Makes `troupe`, `troupe/envs` and `troupe/agents` mean this package in every module loaded from now on. */
export function resolveTroupeFromPlugins(): void {
  if (registered) return
  registered = true
  const here = fileURLToPath(import.meta.url)
  const root = here.endsWith('.ts') ? resolve(dirname(here), '..') : resolve(dirname(here), '../..')
  const at = (file: string) => pathToFileURL(join(root, 'dist', file)).href
  const table = { troupe: at('index.js'), 'troupe/envs': at('envs/index.js'), 'troupe/agents': at('agents/index.js') }
  const hook = `const table = ${JSON.stringify(table)}
export async function resolve(specifier, context, next) {
  const url = Object.hasOwn(table, specifier) ? table[specifier] : undefined
  return url === undefined ? next(specifier, context) : { url, format: 'module', shortCircuit: true }
}`
  register(`data:text/javascript,${encodeURIComponent(hook)}`)
}
