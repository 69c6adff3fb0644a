/**
 * Builds dist/: the WebAssembly kernels, slow packages as one file each, every room but the viewer (tsc), the scenario
 * files, and the viewer (vite). Parts that need nothing of each other are built side by side.
 *
 *   node scripts/build.mjs              build everything
 *   node scripts/build.mjs --if-stale   only when a source is newer than the last build
 *   node scripts/build.mjs --only node  kernels and rooms without the viewer
 */
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, chmodSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiler } from './compiler.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const stamp = join(dist, '.built')
const SOURCE_ROOMS = ['envs', 'agents', 'scenarios', 'results', 'server', 'viewer', 'cli', 'scripts']
const SOURCE_FILES = ['index.ts', 'package.json', 'tsconfig.base.json', 'tsconfig.json', 'tsconfig.build.json']

const args = process.argv.slice(2)
const nodeOnly = args.includes('--only') && args[args.indexOf('--only') + 1] === 'node'

/** Newest modification time under a path, in milliseconds; tests and pages of text do not count. */
function newest(path) {
  if (!existsSync(path)) return 0
  const info = statSync(path)
  if (!info.isDirectory()) return /\.(test|e2e)\.tsx?$|\.md$/.test(path) ? 0 : info.mtimeMs
  let time = 0
  for (const name of readdirSync(path)) {
    if (name === 'node_modules' || name === 'records') continue
    time = Math.max(time, newest(join(path, name)))
  }
  return time
}

function isFresh() {
  if (!existsSync(stamp)) return false
  const built = statSync(stamp).mtimeMs
  return [...SOURCE_ROOMS, ...SOURCE_FILES].every((name) => newest(join(root, name)) <= built)
}

function binary(packageName, file) {
  const require = createRequire(join(root, 'package.json'))
  return join(dirname(require.resolve(`${packageName}/package.json`)), file)
}

/** Runs a script to its end; a failure ends the build with what it said. */
function run(label, script, scriptArgs) {
  const started = Date.now()
  const child = spawn(process.execPath, [script, ...scriptArgs], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said += bytes))
  return new Promise((done) => {
    child.on('close', (code) => {
      if (code !== 0) {
        process.stderr.write(`build: ${label} failed\n${said}\n`)
        process.exit(1)
      }
      process.stderr.write(`build: ${label} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`)
      done()
    })
  })
}

/** Copies every JSON file of a room beside its compiled code. */
function copyJson(room) {
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const from = join(folder, entry.name)
      if (entry.isDirectory()) walk(from)
      else if (entry.name.endsWith('.json') && entry.name !== 'tsconfig.json') {
        const to = join(dist, relative(root, from))
        mkdirSync(dirname(to), { recursive: true })
        cpSync(from, to)
      }
    }
  }
  if (existsSync(join(root, room))) walk(join(root, room))
}

if (args.includes('--if-stale') && isFresh()) process.exit(0)

const started = new Date()
rmSync(stamp, { force: true })
mkdirSync(dist, { recursive: true })
async function buildRooms() {
  await run('rooms', compiler(), ['-p', 'tsconfig.build.json'])
  copyJson('scenarios')
  for (const extra of ['cli/templates', 'server/baselines/data']) {
    cpSync(join(root, extra), join(dist, extra), { recursive: true })
  }
  chmodSync(join(dist, 'cli/main.js'), 0o755)
}

async function buildViewer() {
  if (nodeOnly || !existsSync(join(root, 'viewer/vite.config.ts'))) return
  const vite = binary('vite', 'bin/vite.js')
  await run('viewer', vite, ['build', '--config', 'viewer/vite.config.ts', '--logLevel', 'warn'])
  await run('player', vite, ['build', '--config', 'viewer/vite.standalone.config.ts', '--logLevel', 'warn'])
}

await Promise.all([
  run('kernels', join(root, 'agents/kernels/build.mjs'), []),
  run('packages', join(root, 'scripts/vendor.mjs'), []),
])
await Promise.all([buildRooms(), buildViewer()])
if (!nodeOnly) writeFileSync(stamp, `${started.toISOString()}\n`)
