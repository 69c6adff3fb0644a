import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { start, troupe } from './spawned.ts'

const folder = mkdtempSync(join(tmpdir(), 'troupe-workers-'))
const at = { cwd: folder, timeoutMs: 250_000 }
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const words = (out: string, workers: number) => {
  const settings = ['lanes=8', 'shards=4', 'hidden=16', 'epochs=2', 'rolloutSteps=16']
  const sets = settings.flatMap((setting) => ['--set', setting])
  const evaluations = ['--evaluations', '9', '--evaluation-episodes', '2']
  const run = ['--steps', '8192', '--out', out, '--workers', String(workers)]
  return ['train', 'mappo', 'matrix/stag-hunt-repeated', ...run, ...sets, ...evaluations]
}

test('killed with three workers and resumed with two, a run ends with the weights of one never stopped', async () => {
  const whole = await troupe([...words('whole', 1), '--json'], at)
  expect(whole.code, whole.stderr).toBe(0)
  const killed = start(words('killed', 3), at)
  const step = () => {
    const path = join(folder, 'killed/run.json')
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { step: number }).step : 0
  }
  while (step() === 0) await after(20)
  killed.child.kill('SIGKILL')
  await killed.ended
  expect(step()).toBeLessThan(8192)
  const resumed = await troupe(['resume', 'killed', '--workers', '2', '--json'], at)
  expect(resumed.code, resumed.stderr).toBe(0)
  expect(JSON.parse(resumed.stdout).weightsHash).toBe(JSON.parse(whole.stdout).weightsHash)
})
