import * as tf from '@tensorflow/tfjs'
import { expect, test } from 'vitest'
import { kernelSpeed } from './kernels.ts'

test('every kernel row has a name of its own, a unit and numbers, and nothing stays behind', async () => {
  const tensors = tf.memory().numTensors
  const rows = await kernelSpeed({ runs: 1, seconds: 0.001 })
  const names = rows.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const start of [
    'gemm 256×64×71 nn',
    'PPO update, 256 rows, simd',
    'GRU forward',
    'inference, 256 rows, MLP 64',
  ]) {
    expect(
      names.some((name) => name.startsWith(start)),
      start,
    ).toBe(true)
  }
  for (const { name, unit, median, best, runs, byCpuTime } of rows) {
    expect(unit, name).toBe(name.startsWith('gemm') ? 'GFLOP/s' : 'ms')
    expect(runs).toHaveLength(1)
    for (const number of [median, best, byCpuTime]) expect(number, name).toBeGreaterThan(0)
    if (unit === 'ms') expect(best).toBeLessThanOrEqual(median)
    else expect(best).toBeGreaterThanOrEqual(median)
  }
  expect(tf.getBackend()).toBe('simd')
  expect(tf.memory().numTensors).toBe(tensors)
})
