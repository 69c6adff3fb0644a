/**
 * Learners share channels better than anything that only rolls dice: three users on two channels with the common reward leave
 * the best slotted ALOHA behind and come near to time division. Needs a build (npm test makes one).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { alohaPerChannel, tdmaPerChannel } from '../envs/spectrum/theory.ts'
import { loadScenario } from '../scenarios/load.ts'
import { trainRun } from './run.ts'

const home = mkdtempSync(join(tmpdir(), 'troupe-spectrum-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Environment steps of a run; the page quotes runs of 60,000. */
const STEPS = Number(process.env.TROUPE_SPECTRUM_STEPS ?? 32_000)

/** Smaller and quicker than the defaults: seconds on a free core. */
const SETTINGS = { lanes: 32, rolloutSteps: 25, hidden: 32, minibatches: 2, lr: 0.003 }

for (const algorithm of ['ippo', 'mappo']) {
  test(`${algorithm} on dsa-3u2c ends well above slotted ALOHA, within a tenth of time division`, async () => {
    const summary = await trainRun({
      scenario: loadScenario('spectrum/dsa-3u2c'),
      algorithm,
      settings: SETTINGS,
      seed: 1,
      steps: STEPS,
      out: join(home, algorithm),
      evaluation: { points: 2, episodes: 16 },
      backend: 'simd',
    })
    expect(summary.status).toBe('finished')
    // the return is the common reward: two channels times 200 slots times throughput per channel
    const reached = summary.absolute!.return.interval[0] / 400
    const aloha = alohaPerChannel(3, 2, 2 / 3)
    console.log(`${algorithm}: ${reached.toFixed(3)} per channel; slotted ALOHA ${aloha.toFixed(3)}, time division 1`)
    expect(reached).toBeGreaterThan(aloha + 0.4)
    expect(reached).toBeGreaterThan(0.9 * tdmaPerChannel(3, 2))
  }, 600_000)
}
