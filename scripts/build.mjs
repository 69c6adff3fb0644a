/**
 * Builds dist/: the WebAssembly kernels, TensorFlow.js as one file, every room but the viewer (tsc), the scenario files, and the viewer (vite).
 *
 *   node scripts/build.mjs              build everything
 *   node scripts/build.mjs --if-stale   only when a source is newer than the last build
 *   node scripts/build.mjs --only node  kernels and rooms without the viewer
 */
import { spawnSync } from 'node:child_process'
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

function run(label, script, scriptArgs) {
  const started = Date.now()
  const result = spawnSync(process.execPath, [script, ...scriptArgs], { cwd: root, encoding: 'utf8' })
  if (result.status !== 0) {
    process.stderr.write(`build: ${label} failed\n${result.stdout}${result.stderr}\n`)
    process.exit(1)
  }
  process.stderr.write(`build: ${label} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`)
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
if (existsSync(join(root, 'agents/kernels/build.mjs'))) run('kernels', join(root, 'agents/kernels/build.mjs'), [])
run('packages', join(root, 'scripts/vendor.mjs'), [])
run('rooms', compiler(), ['-p', 'tsconfig.build.json'])
copyJson('scenarios')
for (const extra of ['cli/templates', 'viewer/public/replays']) {
  if (existsSync(join(root, extra))) cpSync(join(root, extra), join(dist, extra), { recursive: true })
}
if (existsSync(join(dist, 'cli/main.js'))) chmodSync(join(dist, 'cli/main.js'), 0o755)
if (!nodeOnly && existsSync(join(root, 'viewer/vite.config.ts'))) {
  const vite = binary('vite', 'bin/vite.js')
  run('viewer', vite, ['build', '--config', 'viewer/vite.config.ts', '--logLevel', 'warn'])
  run('player', vite, ['build', '--config', 'viewer/vite.standalone.config.ts', '--logLevel', 'warn'])
}
if (!nodeOnly) writeFileSync(stamp, `${started.toISOString()}\n`)
