import { afterAll, expect, test } from 'vitest'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBatch } from '../envs/core/index.ts'
import { hashOfModule, isInstalled, isModulePath, loadEnvPlugin, loadPolicyPlugin } from './plugins.ts'

const folder = mkdtempSync(join(tmpdir(), 'troupe-plugins-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A small environment as a factory, which needs no import. */
const ENV = `export default ({ Type }) => ({
  id: 'coin', version: '1', summary: 'One player names a side.', options: Type.Object({}), horizon: 3,
  spec: () => ({
    agents: [{ id: 'agent_0', team: 'a', kind: 'player', observation: [{ name: 'one', low: 0, high: 1 }],
      action: { kind: 'discrete', names: ['heads', 'tails'] } }],
    state: [], metrics: [], streams: [],
  }),
  create: (options, port) => ({
    arrays: { steps: new Int32Array(port.lanes) }, world: {},
    reset: () => {}, step: () => port.terminated.fill(0), observe: () => port.observation.fill(1),
    metrics: () => {}, frame: () => ({ step: 0, entities: [], events: [], counters: {} }),
  }),
})
`
const POLICY = `export default { name: 'calm', kind: 'scripted', summary: 'First action.', privileged: false,
  create: () => ({ name: 'calm', memory: () => null, act: (view, memory, out) => out.action.fill(0) }) }
`

let count = 0
function file(text: string, name = `plugin${count++}.mjs`): string {
  writeFileSync(join(folder, name), text)
  return `./${name}`
}

test('a module file becomes an environment that plays, named and hashed', async () => {
  const plugin = await loadEnvPlugin(file(ENV, 'coin.mjs'), folder)
  expect(plugin).toMatchObject({ name: 'coin.mjs', sha256: createHash('sha256').update(ENV).digest('hex') })
  const batch = createBatch(plugin.definition)
  batch.reset()
  for (let step = 0; step < 3; step++) batch.step(Int32Array.of(1))
  expect(batch.truncated[0]).toBe(1)
})

test('an installed package is found by its name, through exports, from a folder below', async () => {
  const installed = join(folder, 'node_modules/calm-policy')
  mkdirSync(join(folder, 'deep/er'), { recursive: true })
  mkdirSync(installed, { recursive: true })
  writeFileSync(join(installed, 'package.json'), '{"name":"calm-policy","exports":{".":{"import":"./main.mjs"}}}')
  writeFileSync(join(installed, 'main.mjs'), POLICY)
  const plugin = await loadPolicyPlugin('calm-policy', join(folder, 'deep/er'))
  expect(plugin.name).toBe('calm-policy')
  expect(plugin.definition.name).toBe('calm')
  expect(isInstalled('calm-policy', folder)).toBe(true)
  expect(isInstalled('../calm-policy', folder)).toBe(false)
})

test('named exports let one module hold an environment and a policy', async () => {
  const both = file(
    `${ENV.replace('export default', 'export const env =')}\n${POLICY.replace('export default', 'export const policy =')}`,
  )
  expect((await loadEnvPlugin(both, folder)).definition.id).toBe('coin')
  expect((await loadPolicyPlugin(both, folder)).definition.name).toBe('calm')
})

test.each([
  ['a file that is not there', () => './none.js', /none\.js is not there; expected a JavaScript module/],
  ['a package that is not there', () => 'no-such-package', /neither a file nor an installed package/],
  ['a syntax error', () => file('export default {'), /not loadable: /],
  ['a missing import', () => file("import './gone.js'"), /not loadable: Error: Cannot find/],
  ['no default export', () => file('export const world = 1'), /missing \(it exports world\)/],
  ['a number', () => file('export default 7'), /default export is 7; expected an EnvDefinition/],
  ['a policy', () => file(POLICY), /default export is a policy; expected an environment/],
  ['a version that is a number', () => file(ENV.replace("version: '1'", 'version: 1')), /version is 1; expected text/],
  ['an id with a slash', () => file(ENV.replace("'coin'", "'a/b'")), /id is "a\/b"; expected a short name/],
  [
    'options that are plain JSON',
    () => file(ENV.replace('Type.Object({})', '{ type: "object" }')),
    /expected a schema made with Type.Object/,
  ],
  [
    'a horizon of 0',
    () => file(ENV.replace('horizon: 3', 'horizon: 0')),
    /horizon is 0; expected a whole number of steps/,
  ],
  ['no create', () => file(ENV.replace('create:', 'creat:')), /create is missing; expected a function/],
])('an environment plug-in with %s is refused in one sentence', async (_, make, message) => {
  await expect(loadEnvPlugin(make(), folder)).rejects.toThrow(message)
})

test.each([
  ['an environment', () => file(ENV), /default export is an environment/],
  [
    'an unknown kind',
    () => file(POLICY.replace("'scripted'", "'wild'")),
    /kind is "wild"; expected 'scripted' or 'planner'/,
  ],
  [
    'nothing said about privilege',
    () => file(POLICY.replace('privileged: false,', '')),
    /privileged is undefined; expected true when/,
  ],
  ['no create', () => file(POLICY.replace('create:', 'make:')), /create is missing/],
])('a policy plug-in with %s is refused in one sentence', async (_, make, message) => {
  await expect(loadPolicyPlugin(make(), folder)).rejects.toThrow(message)
})

test('paths are told from names', () => {
  for (const path of ['./mine.js', '../a/b.mjs', '/tmp/x.js', 'mine.js', 'file:///x.js', '.'])
    expect(isModulePath(path)).toBe(true)
  for (const name of ['random', 'warehouse/tiny-2ag', 'my-package', '@me/policy', 'scenario.json'])
    expect(isModulePath(name)).toBe(false)
})

test('the hash of a module covers what it imports by relative paths, and nothing else', () => {
  mkdirSync(join(folder, 'parts/deep'), { recursive: true })
  const entry = join(folder, 'parts/entry.mjs')
  const write = (name: string, text: string) => writeFileSync(join(folder, 'parts', name), text)
  write('entry.mjs', `import { a } from './a.mjs'\nexport { b } from "./deep/b.mjs"\nimport { Type } from 'troupe'\n`)
  write('a.mjs', `import './entry.mjs' // a ring\nexport const a = 1\n`)
  write('deep/b.mjs', `export const b = await import('../c.mjs')\n`)
  write('c.mjs', 'export default 3\n')
  write('other.mjs', 'export default 4\n')
  const hash = hashOfModule(entry)
  expect(hash).toMatch(/^[0-9a-f]{64}$/)
  write('other.mjs', 'export default 5\n')
  expect(hashOfModule(entry)).toBe(hash)
  for (const name of ['a.mjs', 'deep/b.mjs', 'c.mjs']) {
    const path = join(folder, 'parts', name)
    const kept = readFileSync(path, 'utf8')
    writeFileSync(path, `${kept}// changed\n`)
    expect(hashOfModule(entry), name).not.toBe(hash)
    writeFileSync(path, kept)
  }
  expect(hashOfModule(entry)).toBe(hash)
  expect(hashOfModule(join(folder, 'parts/other.mjs'))).toBe(
    createHash('sha256').update('export default 5\n').digest('hex'),
  )
})
