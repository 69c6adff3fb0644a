import { afterEach, expect, test } from 'vitest'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { LEARNERS } from '../agents/index.ts'
import { presetOf } from './presets.ts'
import { addSharedOptions, effective, keyValue, layered, oneOf, settingsFromEnvironment, whole } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'troupe-settings-'))
afterEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith('TROUPE_')) delete process.env[name]
})

/** A command with one option of each kind, parsed. */
function command(argv: string[]): Command {
  const made = new Command()
    .exitOverride()
    .option('--steps <n>', '', whole('--steps', 1), 100)
    .option('--option <name=value>', '', keyValue('--option'))
    .option('--no-open')
  addSharedOptions(made)
  return made.parse(argv, { from: 'user' })
}

function config(fields: unknown): string {
  const path = join(folder, `${Math.abs(JSON.stringify(fields).length)}.json`)
  writeFileSync(path, JSON.stringify(fields))
  return path
}

test('a flag beats an environment variable beats a config file beats a preset beats the default', () => {
  const file = config({ steps: 3 })
  const at = (argv: string[], preset = {}) => {
    const { values, sources } = effective(command(argv), false, preset)
    return [values.steps, sources.steps]
  }
  expect(at([])).toEqual([100, 'default'])
  expect(at([], { steps: 2 })).toEqual([2, 'preset'])
  expect(at(['--config', file], { steps: 2 })).toEqual([3, 'config'])
  process.env.TROUPE_STEPS = '4'
  expect(at(['--config', file], { steps: 2 })).toEqual([4, 'environment'])
  expect(at(['--config', file, '--steps', '5'], { steps: 2 })).toEqual([5, 'flag'])
})

test('values of a config file and of the environment pass the same checks as flags', () => {
  expect(() => effective(command(['--config', config({ steps: 'many' })]))).toThrow(
    /config.*: steps is "many"; expected a whole number/,
  )
  process.env.TROUPE_STEPS = '-3'
  expect(() => effective(command([]))).toThrow(/TROUPE_STEPS is "-3"; expected a whole number of 1 or more/)
})

test('an unknown field of a config file is refused with the nearest name, unless a learner may take it', () => {
  const file = config({ stesp: 5 })
  expect(() => effective(command(['--config', file]))).toThrow(/"stesp".*did you mean "steps"/)
  expect(effective(command(['--config', file]), true).fromConfig).toEqual({ stesp: 5 })
})

test('a config file that is missing, no JSON or no object is refused', () => {
  expect(() => effective(command(['--config', join(folder, 'none.json')]))).toThrow(/not there/)
  writeFileSync(join(folder, 'broken.json'), '{ "steps": ')
  expect(() => effective(command(['--config', join(folder, 'broken.json')]))).toThrow(/not JSON/)
  expect(() => effective(command(['--config', config([1, 2, 3, 4, 5, 6, 7])]))).toThrow(/expected a JSON object/)
})

test('booleans and records come from a config file and the environment too', () => {
  const { values } = effective(command(['--config', config({ open: false, option: { horizon: 7 } })]))
  expect(values).toMatchObject({ open: false, option: { horizon: 7 } })
  process.env.TROUPE_OPEN = 'perhaps'
  expect(() => effective(command([]))).toThrow(/TROUPE_OPEN is "perhaps"; expected true or false/)
})

test('whole numbers may be written 2e5, 200k, 0.2M and 200_000, and nothing else', () => {
  const parse = whole('--steps', 1)
  for (const text of ['200000', '2e5', '200k', '0.2M', '200_000']) expect(parse(text)).toBe(200_000)
  for (const text of ['', '-1', '1.5', '0', 'NaN', '1e99', '0x10', '10 k'])
    expect(() => parse(text)).toThrow(/--steps is/)
})

test('name=value takes JSON where it is JSON and text where it is not, and is repeatable', () => {
  const parse = keyValue('--set')
  expect(parse('lr=0.5')).toEqual({ lr: 0.5 })
  expect(parse('hidden=[64,64]', { lr: 0.5 })).toEqual({ lr: 0.5, hidden: [64, 64] })
  expect(parse('layout=a=b')).toEqual({ layout: 'a=b' })
  expect(() => parse('lr')).toThrow(/expected name=value/)
  expect(() => parse('=1')).toThrow(/expected name=value/)
})

test('one of a few words is told the nearest', () => {
  expect(() => oneOf('--mode', ['greedy', 'sample'])('gredy')).toThrow(/did you mean "greedy"/)
})

test("a learner's settings come from layers, the last one wins, and each says where it is from", () => {
  const settings = layered({ lr: 1, lanes: 8 }, [
    { source: 'preset', values: { lr: 2 } },
    { source: 'config', values: { lr: 3, other: 1 } },
    { source: 'set', values: { lanes: 4 } },
  ])
  expect(settings).toEqual({
    lr: { value: 3, source: 'config' },
    lanes: { value: 4, source: 'set' },
    other: { value: 1, source: 'config' },
  })
  process.env.TROUPE_CLIP_RANGE = '0.1'
  expect(settingsFromEnvironment(['clipRange', 'lr'])).toEqual({ clipRange: 0.1 })
})

test('removes its files', () => rmSync(folder, { recursive: true }))

test('a preset that there is not is refused with the nearest of that learner’s, and one has what its family needs', () => {
  expect(() => presetOf(LEARNERS.mappo, 'epymrl')).toThrow(/--preset for mappo.*"epymrl".*did you mean "epymarl"/)
  expect(() => presetOf(LEARNERS.qmix, 'harl')).toThrow(/--preset for qmix/)
  expect(presetOf(LEARNERS.ippo, 'epymarl', 'warehouse').settings).toMatchObject({ rolloutSteps: 500, chunk: 500 })
  expect(presetOf(LEARNERS.ippo, 'quick').options).toMatchObject({ steps: 20_000 })
})
