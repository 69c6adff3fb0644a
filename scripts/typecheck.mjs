/** Type-checks each room under its own rules: the whole, then envs and agents without Node or DOM, then the viewer. */
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiler } from './compiler.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const tsc = compiler()
let failed = false
for (const project of ['tsconfig.json', 'envs/tsconfig.json', 'agents/tsconfig.json', 'viewer/tsconfig.json']) {
  const result = spawnSync(process.execPath, [tsc, '-p', join(root, project)], { cwd: root, stdio: 'inherit' })
  process.stderr.write(`typecheck: ${project} ${result.status === 0 ? 'ok' : 'failed'}\n`)
  failed ||= result.status !== 0
}
process.exit(failed ? 1 : 0)
