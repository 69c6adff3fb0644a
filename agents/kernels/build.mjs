/**
 * Compiles assembly/ to dist/agents/kernels/simd.wasm, and once more with relaxed SIMD to fma.wasm.
 * Two files because a module that holds one relaxed instruction is refused as a whole where the engine lacks them.
 *
 *   node agents/kernels/build.mjs           compile what is older than its sources
 *   node agents/kernels/build.mjs --force   compile both
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(dirname(here))
const sources = join(here, 'assembly')
const out = join(root, 'dist', 'agents', 'kernels')
const force = process.argv.includes('--force')

const OPTIONS = [
  '-O3',
  '--converge',
  '--noAssert',
  '--runtime',
  'stub',
  '--importMemory',
  '--initialMemory',
  '1',
  '--use',
  'abort=',
]
const BUILDS = [
  { file: 'simd.wasm', options: ['--enable', 'simd'] },
  { file: 'fma.wasm', options: ['--enable', 'simd', '--enable', 'relaxed-simd'] },
]

const newest = Math.max(
  statSync(fileURLToPath(import.meta.url)).mtimeMs,
  ...readdirSync(sources)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => statSync(join(sources, name)).mtimeMs),
)

mkdirSync(out, { recursive: true })
for (const { file, options } of BUILDS) {
  const target = join(out, file)
  if (!force && existsSync(target) && statSync(target).mtimeMs > newest) continue
  const { default: asc } = await import('assemblyscript/asc')
  // Written under a name of its own first: several builds may run at once, and a reader must never see half a file.
  const fresh = join(out, `.${file}.${process.pid}`)
  const entry = relative(root, join(sources, 'index.ts')).replaceAll('\\', '/')
  const outFile = relative(root, fresh).replaceAll('\\', '/')
  const { error, stdout, stderr } = await asc.main([
    entry,
    '--baseDir',
    root,
    '--outFile',
    outFile,
    ...OPTIONS,
    ...options,
  ])
  if (error) {
    rmSync(fresh, { force: true })
    process.stderr.write(
      `kernels: ${file} does not compile\n${stdout.toString()}${stderr.toString()}${error.message}\n`,
    )
    process.exit(1)
  }
  renameSync(fresh, target)
}
