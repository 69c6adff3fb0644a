import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as tf from '#tensorflow'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimdBackend } from './backend.ts'
import { clippedPolicyLoss, clippedValueLoss, type PolicyReadings } from './losses.ts'
import { registerSimd } from './register.ts'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
let backend: SimdBackend

beforeAll(() => {
  execFileSync(process.execPath, [here('build.mjs')])
  const bytes = new Uint8Array(readFileSync(here('../../dist/agents/kernels/simd.wasm')))
  backend = registerSimd(bytes, { debug: true, initialBytes: 1 << 20 })
})

afterAll(() => backend.allocator.checkAll())

/** Numbers in [−1, 1) from a Weyl sequence. */
const numbers = (count: number, salt: number, scale = 1): Float32Array =>
  Float32Array.from(
    { length: count },
    (_, i) => scale * (((Math.imul(i + 1, 2654435761) ^ (salt * 40503)) >>> 8) / 8388608 - 1),
  )
const weights = (count: number) => Float32Array.from({ length: count }, (_, i) => +(i % 3 !== 1))

interface Found {
  readonly value: number
  readonly slopes: number[][]
  readonly readings: PolicyReadings
}

/** Loss and slopes on a backend; three times the loss is differentiated, so that dy counts. */
async function on(
  name: string,
  inputs: Float32Array[],
  loss: (x: tf.Tensor1D[], readings: PolicyReadings) => tf.Scalar,
) {
  await tf.setBackend(name)
  const readings = { entropy: 0, divergence: 0, clipped: 0 }
  const before = tf.memory().numTensors
  const found = tf.tidy((): { value: tf.Tensor; grads: tf.Tensor[] } =>
    tf.valueAndGrads((...x: tf.Tensor[]) => tf.mul(3, loss(x as tf.Tensor1D[], readings)) as tf.Scalar)(
      inputs.map((values) => tf.tensor1d(values.slice())),
    ),
  )
  const out: Found = {
    value: found.value.dataSync()[0],
    slopes: found.grads.map((grad) => [...grad.dataSync()]),
    readings,
  }
  tf.dispose([found.value, ...found.grads])
  expect(tf.memory().numTensors).toBe(before)
  return out
}

function same(fast: Found, slow: Found): void {
  expect(fast.value).toBeCloseTo(slow.value, 5)
  fast.slopes.forEach((slopes, k) => slopes.forEach((slope, i) => expect(slope).toBeCloseTo(slow.slopes[k][i], 6)))
  expect(fast.readings.entropy).toBeCloseTo(slow.readings.entropy, 4)
  expect(fast.readings.divergence).toBeCloseTo(slow.readings.divergence, 4)
  expect(fast.readings.clipped).toBe(slow.readings.clipped)
}

for (const count of [1, 5, 64, 257]) {
  test(`the policy loss is its twin's, slopes and readings too: ${count} rows`, async () => {
    const rows = { before: numbers(count, 1), advantage: numbers(count, 2, 3), weight: weights(count) }
    const inputs = [numbers(count, 3), numbers(count, 4)]
    const settings = { clip: 0.2, entropy: 0.03, total: count / 2 }
    const loss = (x: tf.Tensor1D[], readings: PolicyReadings) => clippedPolicyLoss(x[0], x[1], rows, settings, readings)
    const slow = await on('cpu', inputs, loss)
    same(await on('simd', inputs, loss), slow)
    // What weighs nothing moves nothing.
    rows.weight.forEach((weight, i) =>
      expect(weight !== 0 || slow.slopes.every((slopes) => slopes[i] === 0)).toBe(true),
    )
  })

  for (const [clip, delta] of [
    [0.2, 10],
    [0.2, 0.3],
    [null, 0.3],
    [0.2, null],
    [null, null],
  ] as const) {
    test(`the value loss is its twin's: ${count} rows, clip ${clip}, delta ${delta}`, async () => {
      const rows = { before: numbers(count, 1), target: numbers(count, 2, 2), weight: weights(count) }
      const loss = (x: tf.Tensor1D[]) => clippedValueLoss(x[0], rows, { clip, delta, total: count / 2 })
      const inputs = [numbers(count, 3, 1.5)]
      same(await on('simd', inputs, loss), await on('cpu', inputs, loss))
    })
  }
}

test('a choice exactly as likely as before has the slope of plain policy gradient: −A / total', async () => {
  const rows = { before: Float32Array.of(-1), advantage: Float32Array.of(2), weight: Float32Array.of(1) }
  const settings = { clip: 0.2, entropy: 0, total: 4 }
  for (const name of ['cpu', 'simd']) {
    const { slopes, value } = await on(name, [Float32Array.of(-1), Float32Array.of(0.5)], (x, readings) =>
      clippedPolicyLoss(x[0], x[1], rows, settings, readings),
    )
    expect([value, slopes[0][0], slopes[1][0]]).toEqual([-1.5, -1.5, -0])
  }
})

test('NaN shows in losses and slopes', async () => {
  const [one, bad] = [Float32Array.of(1, 1), Float32Array.of(1, NaN)]
  for (const name of ['cpu', 'simd']) {
    const policy = await on(
      name,
      [one, one],
      (x, readings) =>
      clippedPolicyLoss(x[0], x[1], { before: one, advantage: bad, weight: one }, { clip: 0.2, entropy: 0, total: 1 }, readings), // prettier-ignore
    )
    const value = await on(name, [one], (x) =>
      clippedValueLoss(x[0], { before: one, target: bad, weight: one }, { clip: 0.2, delta: 10, total: 1 }),
    )
    expect([policy.value, policy.slopes[0][1], value.value, value.slopes[0][1]]).toEqual([NaN, NaN, NaN, NaN])
    expect(policy.slopes[0][0]).toBeCloseTo(-3, 6) // −A, three times
  }
})

test('rows that do not fit are refused', () => {
  const one = Float32Array.of(1)
  const rows = { before: one, target: one, weight: one }
  expect(() => clippedValueLoss(tf.tensor1d([1, 2]), rows, { clip: null, delta: null, total: 1 })).toThrow(
    /clippedValueLoss: before/,
  )
})
