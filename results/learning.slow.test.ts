/** Learning to a score, on the kernels that give the same bits everywhere. Needs a build (npm test makes one). */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadScenario } from '../scenarios/load.ts'
import { readRecord } from './record.ts'
import { trainRun } from './run.ts'

const home = mkdtempSync(join(tmpdir(), 'troupe-learning-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const RANDOM = 0.25 // deliveries per episode of uniform play: the scenario's reference, 3,200 episodes

const TIMEOUT_MS = 600_000 // about 20 s each on a free core

// mappo does the same in the demo (cli/training.slow.test.ts).
for (const algorithm of ['ippo']) {
  test(
    `${algorithm} delivers ten times as much as chance in the nano warehouse after 70,000 steps`,
    async () => {
      const scenario = loadScenario('warehouse/nano-2ag')
      const summary = await trainRun({
        scenario,
        algorithm,
        seed: 1,
        steps: 70_000,
        out: join(home, algorithm),
        evaluation: { points: 3, episodes: 32 },
        backend: 'simd',
      })
      expect(summary.status).toBe('finished')
      expect(summary.protocol).toEqual({ policy: 'sample', episodes: 32, return: 'sum over agents' })
      expect(scenario.reference!.random).toBe(RANDOM)
      expect(summary.absolute!.episodes).toBe(320)
      expect(summary.absolute!.return.interval[0]).toBeGreaterThan(10 * RANDOM)
      const { evaluations } = readRecord(summary.record)
      expect(evaluations[0].return.mean).toBeLessThan(1) // before the first update it is chance
      // A return is a number of deliveries: the metric and the reward agree.
      for (const point of evaluations) expect(point.metrics.deliveries).toBeCloseTo(point.return.mean, 9)
    },
    TIMEOUT_MS,
  )
}
