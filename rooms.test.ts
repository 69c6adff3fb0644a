/**
 * The walls between the rooms, read from every import of every source file. One table says what a room may import;
 * a change of the table is a change of the design.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import ts from 'typescript'

const root = dirname(fileURLToPath(import.meta.url))

interface Wall {
  /** Rooms whose every source file may be imported. */
  readonly rooms: readonly string[]
  /** Single files or folders (ending in a slash) of other rooms. */
  readonly places?: readonly string[]
  /** Packages; undefined = any that package.json declares. */
  readonly packages?: readonly string[]
  /** Whether Node's own modules may be imported. */
  readonly node: boolean
}

const PURE_PACKAGES = ['#typebox', '@noble/hashes', '@scure/base', 'fflate']

const ROOMS: Record<string, Wall> = {
  envs: { rooms: [], packages: PURE_PACKAGES, node: false },
  scenarios: { rooms: ['envs'], packages: PURE_PACKAGES, node: true },
  agents: {
    rooms: ['envs'],
    packages: [...PURE_PACKAGES, '#tensorflow'],
    node: false,
  },
  results: { rooms: ['envs', 'scenarios', 'agents'], node: true },
  server: { rooms: ['envs', 'scenarios', 'agents', 'results'], node: true },
  viewer: {
    rooms: ['envs', 'agents'],
    places: ['server/protocol/', 'scenarios/open.ts', 'results/statistics.ts'],
    node: false,
  },
  cli: { rooms: ['envs', 'scenarios', 'agents', 'results', 'server'], node: true },
}

/** Files of Node rooms that the browser loads too; they may import each other, envs and agents, and nothing of Node. */
const SHARED = [
  'server/protocol/',
  'scenarios/foraging.ts',
  'scenarios/open.ts',
  'scenarios/schema.ts',
  'results/statistics.ts',
  'results/statistics/',
]

/** Places whose members never import each other. Only the room's `index.ts` sees them all. */
const SIBLINGS: { readonly what: string; readonly member: RegExp }[] = [
  { what: 'environments', member: /^envs\/(?!core\/)([^/]+)\// },
  { what: 'algorithms', member: /^agents\/(?!index\.ts$)([^/]+)\.ts$/ },
  { what: 'scenes', member: /^viewer\/scenes\/(?!index\.|scene\.ts$)([^/.]+)/ },
]

/** Configuration and pages that the build tool runs, not the room. */
const OUTSIDE = [
  /^viewer\/vite(\.standalone)?\.config\.ts$/,
  /^viewer\/e2e\//,
  /^cli\/templates\//,
  /^agents\/kernels\/assembly\//,
  /^envs\/[^/]+\/assembly\//,
]

const isTest = (path: string) => /\.test\.tsx?$/.test(path)
const inside = (path: string, places: readonly string[]) =>
  places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place))

/** Every module a file names: import, export from, import(), import type, and `new URL('./x.ts', import.meta.url)`. */
function importsOf(text: string): string[] {
  const named = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName)
  const urls = [...text.matchAll(/new URL\(\s*['"]([^'"]+\.(?:ts|tsx|js|mjs|wasm))['"]\s*,\s*import\.meta\.url/g)]
  return [...named, ...urls.map(([, path]) => path)]
}

const packageOf = (name: string) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')

const isNode = (name: string) => name.startsWith('node:') || builtinModules.includes(name.split('/')[0])

/** What one import does wrong, or undefined. */
function fault(from: string, name: string): string | undefined {
  const room = from.split('/')[0]
  const wall = ROOMS[room]
  const shared = inside(from, SHARED)
  if (!name.startsWith('.')) {
    if (isNode(name)) {
      if (!wall.node) return `${room} knows no Node`
      return shared ? 'the browser loads this file too, so it knows no Node' : undefined
    }
    const allowed = shared ? PURE_PACKAGES : wall.packages
    if (allowed === undefined || allowed.includes(packageOf(name))) return undefined
    return `${shared ? 'shared files import' : `${room} imports`} only the packages ${allowed.join(', ')}`
  }
  const to = posix.normalize(posix.join(posix.dirname(from), name))
  if (to.startsWith('..')) return 'outside the repository'
  const target = to.split('/')[0]
  if (to.endsWith('.wasm') || /^agents\/kernels\/build\.mjs|\/assembly\//.test(to)) {
    if (room === 'envs' || room === 'agents') return 'compiled kernels are handed in, never loaded here'
  }
  if (target === room) return faultInside(from, to, room, shared)
  if (shared && !['envs', 'agents'].includes(target) && !inside(to, SHARED)) {
    return 'the browser loads this file too'
  }
  if (target in ROOMS) {
    if (wall.rooms.includes(target) || inside(to, wall.places ?? [])) return undefined
    return `${room} may import ${[...wall.rooms, ...(wall.places ?? [])].join(', ') || 'no room'}`
  }
  return to === 'package.json' && wall.node ? undefined : 'not a room'
}

function faultInside(from: string, to: string, room: string, shared: boolean): string | undefined {
  if (shared && !inside(to, SHARED)) return 'the browser loads this file too'
  for (const { what, member } of SIBLINGS) {
    const [own, other] = [member.exec(from)?.[1], member.exec(to)?.[1]]
    if (own !== undefined && other !== undefined && own !== other) return `${what} never import each other`
  }
  if (!['envs', 'agents'].includes(room)) return undefined
  if (from.startsWith(`${room}/core/`)) {
    return inside(to, [`${room}/core/`, `${room}/kernels/`]) ? undefined : 'core knows none of its users'
  }
  const index = `${room}/index.ts`
  return to === index && from !== index ? 'only users of the room import its index' : undefined
}

/** All faults of the given files as `path -> import: why`. */
function faults(files: readonly { readonly path: string; readonly text: string }[]): string[] {
  return files.flatMap(({ path, text }) =>
    importsOf(text).flatMap((name) => {
      const why = fault(path, name)
      return why === undefined ? [] : [`${path} -> ${name}: ${why}`]
    }),
  )
}

function sources(folder: string): { path: string; text: string }[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (OUTSIDE.some((pattern) => pattern.test(entry.isDirectory() ? `${path}/` : path))) return []
    if (entry.isDirectory()) return sources(path)
    if (!/\.(ts|tsx|mts|mjs|js)$/.test(path)) return []
    return [{ path, text: readFileSync(join(root, path), 'utf8') }]
  })
}

const files = Object.keys(ROOMS).flatMap((room) => (existsSync(join(root, room)) ? sources(room) : []))
/** What a build holds: `testing.ts` helps tests only (tsconfig.build.json leaves it out). */
const built = files.filter(({ path }) => !isTest(path) && !/(\.mjs|\/testing\.ts)$/.test(path))

test('every import of every source file keeps to the table', () => {
  expect(built.length).toBeGreaterThan(20)
  expect(faults(built)).toEqual([])
})

test('tests may use Node and test packages, but no other room’s tests and nothing the viewer hides', () => {
  const wrong = files
    .filter(({ path }) => isTest(path))
    .flatMap(({ path, text }) =>
      importsOf(text)
        .filter((name) => name.startsWith('.'))
        .map((name) => ({ path, to: posix.normalize(posix.join(posix.dirname(path), name)) }))
        .filter(({ path, to }) => isTest(to) || (to.startsWith('viewer/') && !path.startsWith('viewer/'))),
    )
  expect(wrong).toEqual([])
})

test('packages imported by what runs in Node are dependencies, not development dependencies', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, object | undefined>
  const known = new Set(
    ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((kind) => Object.keys(manifest[kind] ?? {})),
  )
  const missing = built
    .filter(({ path }) => !path.startsWith('viewer/'))
    .flatMap(({ path, text }) =>
      importsOf(text)
        .filter((name) => !/^[.#]/.test(name) && !isNode(name) && !known.has(packageOf(name)))
        .map((name) => `${path} -> ${name}`),
    )
  // The benchmark's yardstick: loaded only there, inside a try, and left out of the table where it is not installed.
  expect(missing).toEqual(['results/speed/kernels.ts -> @tensorflow/tfjs-backend-wasm'])
})

test('rules and learners draw no chance and read no clock of their own', () => {
  const impure = built
    .filter(({ path }) => /^(envs|agents)\//.test(path))
    .filter(({ text }) => /\bMath\s*\.\s*random\b|\bDate\s*\.\s*now\b|\bnew Date\(\)/.test(withoutComments(text)))
    .map(({ path }) => path)
  expect(impure).toEqual([])
})

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}

describe('the check itself', () => {
  const check = (path: string, text: string) => faults([{ path, text }])

  test.each([
    ['envs/matrix/rules.ts', `import { x } from '../../agents/core/policy.ts'`],
    ['envs/matrix/rules.ts', `import { step } from '../warehouse/rules.ts'`],
    ['envs/matrix/rules.ts', `import { ENVS } from '../index.ts'`],
    ['envs/core/batch.ts', `import { matrix } from '../matrix/index.ts'`],
    ['envs/core/batch.ts', `import { readFileSync } from 'node:fs'`],
    ['envs/core/batch.ts', `import { readFileSync } from 'fs'`],
    ['envs/core/batch.ts', `import { type Stats } from 'node:fs'`],
    ['envs/core/batch.ts', `const fs = await import('node:fs')`],
    ['envs/core/batch.ts', `let x: import('node:fs').Stats`],
    ['envs/core/batch.ts', `export * from '../../results/run.ts'`],
    ['envs/core/batch.ts', `import * as tf from '#tensorflow'`],
    ['agents/mappo.ts', `import { losses } from './ippo.ts'`],
    ['agents/mappo.ts', `import { Scenario } from '../scenarios/schema.ts'`],
    ['agents/core/memory.ts', `import { mappo } from '../mappo.ts'`],
    ['agents/kernels/index.ts', `const url = new URL('./kernels.wasm', import.meta.url)`],
    ['agents/core/tensors.ts', `import bytes from '../kernels/kernels.wasm'`],
    ['scenarios/open.ts', `import { readFileSync } from 'node:fs'`],
    ['scenarios/open.ts', `import { loadScenario } from './load.ts'`],
    ['scenarios/load.ts', `import { trainRun } from '../results/run.ts'`],
    ['results/run.ts', `import { startServer } from '../server/index.ts'`],
    ['server/index.ts', `import { main } from '../cli/main.ts'`],
    ['server/protocol/hello.ts', `import { createHash } from 'node:crypto'`],
    ['server/protocol/hello.ts', `import { shelf } from '../shelf.ts'`],
    ['server/protocol/hello.ts', `import { WebSocket } from 'ws'`],
    ['viewer/main.tsx', `import { startServer } from '../server/index.ts'`],
    ['viewer/main.tsx', `import { loadScenario } from '../scenarios/load.ts'`],
    ['viewer/main.tsx', `import { readFileSync } from 'node:fs'`],
    ['viewer/scenes/matrix.ts', `import { robots } from './warehouse.ts'`],
    ['cli/watch.ts', `import { Player } from '../viewer/player.ts'`],
    ['cli/watch.ts', `const worker = new URL('../viewer/player.ts', import.meta.url)`],
    ['cli/watch.ts', `import { run } from '../scripts/build.mjs'`],
    ['cli/watch.ts', `import { other } from '../../elsewhere/index.ts'`],
  ])('reports %s with %s', (path, text) => {
    expect(check(path, text)).toHaveLength(1)
  })

  test.each([
    ['envs/matrix/rules.ts', `import { type Port } from '../core/index.ts'`],
    ['envs/index.ts', `import { matrix } from './matrix/index.ts'`],
    ['agents/index.ts', `import { mappo } from './mappo.ts'`],
    ['agents/mappo.ts', `import * as tf from '#tensorflow'\nimport { makeBatch } from '../envs/index.ts'`],
    ['agents/core/tensors.ts', `import { register } from '../kernels/index.ts'`],
    ['scenarios/load.ts', `import { readFileSync } from 'node:fs'`],
    ['server/protocol/runs.ts', `import { Type } from '#typebox'\nimport { check } from '../../envs/index.ts'`],
    ['viewer/main.tsx', `import { openScenario } from '../scenarios/open.ts'\nimport { h } from 'preact'`],
    ['viewer/scenes/index.ts', `import { matrix } from './matrix.ts'`],
    ['cli/main.ts', `import { startServer } from '../server/index.ts'\nimport pack from '../package.json'`],
    ['envs/core/batch.ts', `// import { readFileSync } from 'node:fs'\nconst text = "import x from 'node:fs'"`],
  ])('is content with %s with %s', (path, text) => {
    expect(check(path, text)).toEqual([])
  })
})
