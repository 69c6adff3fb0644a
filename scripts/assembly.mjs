/**
 * Compiles the AssemblyScript beside a `build.mjs` into `../machine-code.ts`: WebAssembly as base64 text, which every
 * engine can load without reading a file. Run the `build.mjs` after a change; a test compares the digest of the sources.
 *
 *   node envs/<world>/assembly/build.mjs           write it
 *   node envs/<world>/assembly/build.mjs --check   fail when it is not what the sources compile to
 */
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** @param build address of the `build.mjs` beside the sources */
export async function assemble(build) {
  const here = dirname(fileURLToPath(build))
  const world = basename(dirname(here))
  const compiled = join(here, `.machine.${process.pid}.wasm`)
  const { error, stdout, stderr } = await asc.main([
    relative(root, join(here, 'index.ts')),
    ...['--baseDir', root, '--outFile', relative(root, compiled)],
    ...['-O3', '--converge', '--noAssert', '--runtime', 'stub', '--importMemory', '--initialMemory', '1'],
    ...['--use', 'abort=', '--enable', 'simd'],
  ])
  if (error) {
    process.stderr.write(
      `${world}: assembly does not compile\n${stdout.toString()}${stderr.toString()}${error.message}\n`,
    )
    process.exit(1)
  }
  const bytes = readFileSync(compiled)
  rmSync(compiled)
  const sources = readdirSync(here).filter((name) => name.endsWith('.ts'))
  const digest = createHash('sha256')
  for (const name of sources.sort()) digest.update(`${name}\n${readFileSync(join(here, name), 'utf8')}`)
  const lines = bytes.toString('base64').match(/.{1,100}/g)
  const target = join(dirname(here), 'machine-code.ts')
  const text = `/** Made from assembly/ by assembly/build.mjs; not written by hand. */

/** SHA-256 of the sources. */
export const SOURCES = '${digest.digest('hex')}'

/** WebAssembly, ${bytes.length} bytes, as base64. */
export const CODE =
  ${lines.map((line) => `'${line}'`).join(' +\n  ')}
`
  if (process.argv.includes('--check')) {
    if (readFileSync(target, 'utf8') !== text) {
      process.stderr.write(`${world}: machine-code.ts is not what assembly/ compiles to: run build.mjs beside it\n`)
      process.exit(1)
    }
  } else writeFileSync(target, text)
  process.stdout.write(`machine-code.ts: ${bytes.length} bytes\n`)
}
