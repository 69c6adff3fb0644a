import { expect, test } from 'vitest'
import { callsPerSecond, speedRow } from './measure.ts'

test('median and best are those of the runs: the highest rate, the least time', () => {
  expect(speedRow('a', 'env-steps/s', [3, 1, 2])).toMatchObject({ median: 2, best: 3, runs: [3, 1, 2] })
  expect(speedRow('a', 'ms', [4, 1, 2, 3])).toMatchObject({ median: 2.5, best: 1 })
})

test('work that takes five milliseconds is done about two hundred times a second, or less on a busy machine', () => {
  const wait = () => {
    const until = performance.now() + 5
    while (performance.now() < until);
  }
  const { runs, byCpuTime } = callsPerSecond(wait, { runs: 3, seconds: 0.05 })
  expect(runs).toHaveLength(3)
  for (const rate of runs) {
    expect(rate).toBeLessThanOrEqual(201)
    expect(rate).toBeGreaterThan(5)
  }
  expect(byCpuTime).toBeGreaterThan(100)
})

test('work that takes no time is not slowed down by looking at the clock', () => {
  let calls = 0
  const { runs } = callsPerSecond(() => void calls++, { runs: 1, seconds: 0.05 })
  expect(runs[0]).toBeGreaterThan(1e6)
})
