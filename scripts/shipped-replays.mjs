/**
 * Records the replays that ship with the viewer, in viewer/public/replays/. Run it when an environment's version is
 * raised (old replays are then refused by name); a test verifies that the shipped ones verify with the current build.
 *
 *   npm run build && node scripts/shipped-replays.mjs
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const target = join(root, 'viewer/public/replays')

const SHIPPED = [
  { file: 'warehouse-tiny-4ag-greedy', scenario: 'warehouse/tiny-4ag', policy: 'warehouse-greedy' },
  { file: 'matrix-stag-hunt-repeated-random', scenario: 'matrix/stag-hunt-repeated', policy: 'random' },
]

const scratch = mkdtempSync(join(tmpdir(), 'troupe-shipped-'))
mkdirSync(target, { recursive: true })
try {
  for (const { file, scenario, policy } of SHIPPED) {
    const words = ['run', scenario, '--policy', policy, '--episodes', '1', '--seed', '1', '--record', scratch, '--json']
    const run = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), ...words], {
      encoding: 'utf8',
      cwd: scratch,
    })
    if (run.status !== 0) {
      process.stderr.write(`shipped-replays: ${words.join(' ')} failed\n${run.stderr}`)
      process.exit(1)
    }
    const report = JSON.parse(run.stdout)
    copyFileSync(resolve(scratch, report.replays[0]), join(target, `${file}.replay`))
    process.stdout.write(`${file}.replay: return ${report.return.mean}, ${report.steps} steps\n`)
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
