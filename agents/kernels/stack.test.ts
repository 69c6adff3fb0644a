import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as tf from '#tensorflow'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimdBackend } from './backend.ts'
import { dense } from './ops.ts'
import { registerSimd } from './register.ts'
import { denseStack } from './stack.ts'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
let backend: SimdBackend

beforeAll(async () => {
  execFileSync(process.execPath, [here('build.mjs')])
  const bytes = new Uint8Array(readFileSync(here('../../dist/agents/kernels/simd.wasm')))
  backend = registerSimd(bytes, { debug: true, initialBytes: 1 << 20 })
  await tf.setBackend('simd')
})

afterAll(() => backend.allocator.checkAll())

const numbers = (count: number, salt: number): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => ((Math.imul(i + 1, 2654435761) ^ (salt * 40503)) >>> 8) / 8388608 - 1)

const ACTIVATIONS = ['relu', 'tanh', 'none'] as const

for (const [rows, ...widths] of [
  [1, 3, 5],
  [7, 5, 9, 3],
  [33, 71, 64, 64, 5],
  [0, 3, 4, 2],
]) {
  test(`a stack gives the bits of its layers, gradients too: ${rows} rows, ${widths.join('-')}`, () => {
    const inputs = [
      tf.tensor2d(numbers(rows * widths[0], 1), [rows, widths[0]]),
      ...widths
        .slice(1)
        .flatMap((n, k) => [
          tf.tensor2d(numbers(widths[k] * n, 2 + k), [widths[k], n]),
          tf.tensor1d(numbers(n, 20 + k)),
        ]),
    ]
    const layersOf = (all: tf.Tensor[]) =>
      widths.slice(1).map((_, k) => ({
        weight: all[1 + 2 * k] as tf.Tensor2D,
        bias: all[2 + 2 * k] as tf.Tensor1D,
        activation: k === widths.length - 2 ? ('none' as const) : ACTIVATIONS[k % 3],
      }))
    const stacked = (...all: tf.Tensor[]) => tf.sum(tf.square(denseStack(all[0] as tf.Tensor2D, layersOf(all))))
    const single = (...all: tf.Tensor[]) =>
      tf.sum(
        tf.square(
          layersOf(all).reduce(
            (x, { weight, bias, activation }) => dense(x, weight, bias, activation) as tf.Tensor2D,
            all[0] as tf.Tensor2D,
          ),
        ),
      )
    const found = [stacked, single].map((f) => {
      const before = tf.memory().numTensors
      const { value, grads } = tf.valueAndGrads(f as () => tf.Scalar)(inputs)
      const numbersOf = [value, ...grads].map((tensor) => [...tensor.dataSync()])
      tf.dispose([value, grads])
      expect(tf.memory().numTensors).toBe(before)
      return numbersOf
    })
    expect(found[0]).toEqual(found[1])
    tf.dispose(inputs)
  })
}
