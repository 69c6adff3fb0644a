import { expect, test } from 'vitest'
import { trainingSpeed } from './training.ts'

test('training is timed for both critics, and a row says what it counted', async () => {
  const learner = { lanes: 4, shards: 2, rolloutSteps: 4, hidden: 8, epochs: 1, minibatches: 1 }
  const rows = await trainingSpeed({ runs: 2, workers: [1], learner, backend: 'cpu' })
  expect(rows.map(({ name }) => name)).toEqual([
    'warehouse/tiny-4ag: mappo training, per-agent critic, 1 worker',
    'warehouse/tiny-4ag: mappo training, n-headed critic, 1 worker',
  ])
  for (const row of rows) {
    expect(row).toMatchObject({ unit: 'env-steps/s', note: expect.stringMatching(/^4 lanes × 4 steps.*2 shards.*cpu/) })
    expect(row.runs).toHaveLength(2)
    expect(row.median).toBeGreaterThan(0)
    expect(row.byCpuTime).toBeGreaterThan(0)
  }
})
