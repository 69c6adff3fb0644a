/**
 * Options of commands and where they come from: `--set` > flag > environment variable > config file > preset > default.
 * Every option with a value can be given as TROUPE_NAME and as a field of `--config file.json`.
 */
import { readFileSync } from 'node:fs'
import { type Command, type Option } from 'commander'
import { TroupeError, nearestName, shown } from '../envs/core/errors.ts'

export type Source = 'set' | 'flag' | 'environment' | 'config' | 'preset' | 'default'

const SOURCE_NAMES: Record<Source, string> = {
  set: '--set',
  flag: 'flag',
  environment: 'environment variable',
  config: '--config',
  preset: 'preset',
  default: 'default',
}

export interface Setting {
  readonly value: unknown
  readonly source: Source
}

function refuse(where: string, got: unknown, expected: string): never {
  throw new TroupeError('bad-option', { where, got: shown(got), expected })
}

/** Parser of whole numbers for an option; takes 200000, 2e5, 200k and 0.2M. */
export function whole(flag: string, low = 0, high = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range = high === Number.MAX_SAFE_INTEGER ? `${low} or more` : `${low} to ${high}`
  return (text) => {
    const match = /^(\d+(?:\.\d+)?(?:e\d+)?)([kM]?)$/.exec(String(text).replaceAll('_', ''))
    const value = match === null ? NaN : Number(match[1]) * (match[2] === 'M' ? 1e6 : match[2] === 'k' ? 1e3 : 1)
    if (!Number.isSafeInteger(value) || value < low || value > high) refuse(flag, text, `a whole number of ${range}`)
    return value
  }
}

/** Parser of one of a few words. */
export function oneOf(flag: string, words: readonly string[]): (text: string) => string {
  return (text) => {
    if (words.includes(text)) return text
    const nearest = nearestName(text, words)
    throw new TroupeError('unknown-name', {
      where: flag,
      got: shown(text),
      expected: `one of ${words.join(', ')}`,
      ...(nearest === undefined ? {} : { nearest: `"${nearest}"` }),
    })
  }
}

/** Gathers repeated `key=value`. Values are JSON where they parse as JSON, else text. */
export function keyValue(flag: string): (text: string, before?: Record<string, unknown>) => Record<string, unknown> {
  return (text, before = {}) => {
    if (typeof text === 'object') return { ...before, ...(text as Record<string, unknown>) }
    const at = text.indexOf('=')
    if (at <= 0) refuse(flag, text, 'name=value')
    const words = text.slice(at + 1)
    let value: unknown = words
    try {
      value = JSON.parse(words)
    } catch {
      // text stays text
    }
    return { ...before, [text.slice(0, at).trim()]: value }
  }
}

/** Options that every command has. */
export function addSharedOptions(command: Command): void {
  command
    .option('--json', 'print one JSON document on stdout and nothing else')
    .option('--quiet', 'no progress and no notes on stderr')
    .option('--data <dir>', 'folder of runs and replays', 'troupe-data')
    .option('--config <file>', 'take options from a JSON file')
    .option('--print-config', 'show every effective setting and where it came from, then stop')
}

/** Not settable from a file. main.ts reads TROUPE_JSON and TROUPE_QUIET itself, before anything can go wrong. */
const COMMAND_LINE_ONLY = new Set(['config', 'printConfig', 'help', 'version', 'json', 'quiet'])

function variableOf(name: string): string {
  return `TROUPE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

/** The options of a command after every source was read. */
export interface Effective {
  /** Values of the command's own options by camelCase name. */
  readonly values: Record<string, unknown>
  readonly sources: Record<string, Source>
  /** Fields of the config file that are no option of the command: settings of a learner. */
  readonly fromConfig: Record<string, unknown>
  readonly configFile: string | undefined
}

function readConfig(path: string): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    throw new TroupeError('bad-file', {
      where: `--config ${path}`,
      got: code === 'ENOENT' ? 'not there' : `unreadable (${code})`,
      expected: 'a JSON file of options',
    })
  }
  try {
    const parsed: unknown = JSON.parse(text)
    if (parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed))
      return parsed as Record<string, unknown>
    refuse(`--config ${path}`, parsed, 'a JSON object of options')
  } catch (error) {
    if (error instanceof TroupeError) throw error
    throw new TroupeError('bad-file', {
      where: `--config ${path}`,
      got: `not JSON (${(error as Error).message})`,
      expected: 'a JSON object of options',
    })
  }
}

/** Text or JSON from outside, through the option's own parser. */
function parsed(option: Option, value: unknown, where: string): unknown {
  if (option.isBoolean() || option.negate) {
    if (value === true || value === false) return value
    if (value === '1' || value === 'true') return true
    if (value === '0' || value === 'false' || value === '') return false
    refuse(where, value, 'true or false')
  }
  if (option.parseArg === undefined) {
    if (typeof value === 'object') refuse(where, value, 'text or a number')
    return String(value)
  }
  const isRecord = value !== null && typeof value === 'object' && !Array.isArray(value)
  if (isRecord) return option.parseArg(value as never, undefined as never)
  const values = Array.isArray(value) ? value : [value]
  let result: unknown
  for (const one of values) {
    try {
      result = option.parseArg(String(one), result as never)
    } catch (error) {
      if (error instanceof TroupeError) {
        throw new TroupeError(error.code, { where, got: error.got, expected: error.expected, nearest: error.nearest })
      }
      throw error
    }
  }
  return result
}

/**
 * Reads environment variables and the config file below the flags of the command line.
 * @param takesMore whether other fields of the config file are settings (train) or mistakes
 * @param preset values below the config file
 */
export function effective(command: Command, takesMore = false, preset: Record<string, unknown> = {}): Effective {
  const values: Record<string, unknown> = command.opts()
  const sources: Record<string, Source> = {}
  const configFile = values.config as string | undefined
  const config = configFile === undefined ? {} : readConfig(configFile)
  const known = new Map(command.options.map((option) => [option.attributeName(), option]))
  const fromConfig: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(config)) {
    if (known.has(name) && !COMMAND_LINE_ONLY.has(name)) continue
    if (takesMore) {
      fromConfig[name] = value
      continue
    }
    const names = [...known.keys()].filter((one) => !COMMAND_LINE_ONLY.has(one))
    const nearest = nearestName(name, names)
    throw new TroupeError('unknown-name', {
      where: `--config ${configFile}: field`,
      got: shown(name),
      expected: `one of ${names.join(', ')}`,
      ...(nearest === undefined ? {} : { nearest: `"${nearest}"` }),
    })
  }
  for (const [name, option] of known) {
    const given = command.getOptionValueSource(name)
    if (given === 'cli') sources[name] = 'flag'
    else if (COMMAND_LINE_ONLY.has(name)) continue
    else if (process.env[variableOf(name)] !== undefined) {
      values[name] = parsed(option, process.env[variableOf(name)], variableOf(name))
      sources[name] = 'environment'
    } else if (name in config) {
      values[name] = parsed(option, config[name], `--config ${configFile}: ${name}`)
      sources[name] = 'config'
    } else if (name in preset) {
      values[name] = preset[name]
      sources[name] = 'preset'
    } else sources[name] = 'default'
  }
  return { values, sources, fromConfig, configFile }
}

/**
 * Settings of a learner, layer by layer; unknown names are left for the learner's own schema to refuse.
 * @param names every setting with its default
 * @param layers lowest first
 */
export function layered(
  names: Record<string, unknown>,
  layers: readonly { source: Source; values: Record<string, unknown> }[],
): Record<string, Setting> {
  const result: Record<string, Setting> = {}
  for (const [name, value] of Object.entries(names)) result[name] = { value, source: 'default' }
  for (const { source, values } of layers) {
    for (const [name, value] of Object.entries(values)) result[name] = { value, source }
  }
  return result
}

/** Values of TROUPE_NAME for a learner's settings; JSON where it parses. */
export function settingsFromEnvironment(names: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const name of names) {
    const text = process.env[variableOf(name)]
    if (text === undefined) continue
    found[name] = keyValue(variableOf(name))(`x=${text}`).x
  }
  return found
}

/** The text of `--print-config`. */
export function settingsText(settings: Record<string, Setting>): string[][] {
  return Object.entries(settings).map(([name, { value, source }]) => [
    name,
    value === undefined ? '–' : JSON.stringify(value),
    SOURCE_NAMES[source],
  ])
}

/** The command's own options in the form of `--print-config`. */
export function optionSettings(options: Effective): Record<string, Setting> {
  const result: Record<string, Setting> = {}
  for (const [name, source] of Object.entries(options.sources)) {
    if (COMMAND_LINE_ONLY.has(name) || name === 'set') continue
    result[name] = { value: options.values[name], source }
  }
  return result
}
