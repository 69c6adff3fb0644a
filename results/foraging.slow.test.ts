/** Two players learn to lift together what neither can lift alone. Needs a build (npm test makes one). */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadScenario } from '../scenarios/load.ts'
import { readRecord } from './record.ts'
import { trainRun } from './run.ts'

const home = mkdtempSync(join(tmpdir(), 'troupe-foraging-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const TIMEOUT_MS = 600_000 // about 10 s each on a free core

for (const algorithm of ['mappo', 'ippo']) {
  test(
    `${algorithm} takes the one heavy item in nine of ten episodes after 30,000 steps; chance does in 3 of 100`,
    async () => {
      const scenario = loadScenario('foraging/5x5-2p-1f-coop')
      const summary = await trainRun({
        scenario,
        algorithm,
        seed: 1,
        steps: 30_000,
        out: join(home, algorithm),
        evaluation: { points: 3, episodes: 32 },
        backend: 'simd',
      })
      expect(summary.status).toBe('finished')
      expect(summary.absolute!.episodes).toBe(320)
      expect(summary.absolute!.return.interval[0]).toBeGreaterThan(0.9) // everything is 1
      const { evaluations } = readRecord(summary.record)
      expect(evaluations[0].return.mean).toBeLessThan(0.2) // before the first update it is chance
      // One item and normalised rewards: the return is the number of items, all taken by two.
      for (const {
        metrics,
        return: { mean },
      } of evaluations) {
        expect(metrics.levelShare).toBeCloseTo(mean, 5)
        expect(metrics.jointLoads).toBe(metrics.foodTaken)
      }
    },
    TIMEOUT_MS,
  )
}
