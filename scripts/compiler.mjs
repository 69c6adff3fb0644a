/**
 * The TypeScript compiler for builds and type checks: the native one (TypeScript 7, several times faster), or the one in
 * JavaScript (TypeScript 6, which the linter needs anyway) on platforms that have no native build.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(join(dirname(dirname(fileURLToPath(import.meta.url))), 'package.json'))

/** Path of the compiler's command, to be run with Node. */
export function compiler() {
  for (const name of ['typescript-native', 'typescript']) {
    let script
    try {
      script = join(dirname(require.resolve(`${name}/package.json`)), 'bin/tsc')
    } catch {
      continue
    }
    if (existsSync(script) && spawnSync(process.execPath, [script, '--version']).status === 0) return script
  }
  throw new Error('TypeScript is not installed: run `npm ci` with the development dependencies')
}
