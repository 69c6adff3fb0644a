/** Runs after `npm ci`: builds, or says why it cannot and leaves the install intact. */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const require = createRequire(join(root, 'package.json'))
const missing = ['typescript', 'vite', 'assemblyscript'].filter((name) => {
  try {
    require.resolve(`${name}/package.json`)
    return false
  } catch {
    return true
  }
})
if (missing.length > 0) {
  process.stderr.write(
    `troupe: not built, because ${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} not installed ` +
      '(development dependencies were left out). Run `npm ci` with them to build from source.\n',
  )
  process.exit(0)
}
const result = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-stale'], { stdio: 'inherit' })
process.exit(result.status ?? 1)
