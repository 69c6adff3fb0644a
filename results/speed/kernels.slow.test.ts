import * as tf from '#tensorflow'
import { expect, test } from 'vitest'
import { kernelSpeed } from './kernels.ts'

test('every kernel row has a name of its own, a unit and numbers, and nothing stays behind', async () => {
  const tensors = tf.memory().numTensors
  const rows = await kernelSpeed({ runs: 1, seconds: 0.001 })
  const names = rows.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const start of [
    'gemm limit',
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
  const wasm = rows.find(({ name }) => name === 'PPO update, 256 rows, tfjs-wasm')
  const ours = rows.find(({ name }) => name === 'PPO update, 256 rows, simd')
  expect(ours?.ratios?.[0]).toEqual({ of: 'tfjs-wasm', value: (wasm?.best ?? NaN) / (ours?.best ?? NaN) })
  for (const { name, ratios } of rows) {
    if (/limit|tfjs-wasm/.test(name)) expect(ratios, name).toBeUndefined()
    else for (const { of, value } of ratios ?? []) expect(value, `${name}: ${of}`).toBeGreaterThan(0)
    expect(/limit|tfjs-wasm/.test(name) || (ratios ?? []).some(({ of }) => of === 'the tile'), name).toBe(true)
  }
  expect(tf.getBackend()).toBe('simd')
  expect(tf.memory().numTensors).toBe(tensors)
})
