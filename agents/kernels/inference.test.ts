import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as tf from '#tensorflow'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimdBackend } from './backend.ts'
import { type LayerShape, RolloutNetwork } from './inference.ts'
import { dense, gruSequence, maskedCategorical } from './ops.ts'
import { registerSimd } from './register.ts'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
execFileSync(process.execPath, [here('build.mjs')])
const bytes = new Uint8Array(readFileSync(here('../../dist/agents/kernels/simd.wasm')))

let backend: SimdBackend

beforeAll(async () => {
  backend = registerSimd(bytes, { debug: true, initialBytes: 1 << 20 })
  await tf.setBackend('simd')
})

afterAll(() => backend.allocator.checkAll())

const numbers = (count: number, salt: number): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => ((Math.imul(i + 1, 2654435761) ^ (salt * 40503)) >>> 8) / 8388608 - 1)

const LAYERS: LayerShape[] = [
  { kind: 'dense', inputs: 9, outputs: 13, activation: 'relu' },
  { kind: 'gru', inputs: 13, outputs: 11 },
  { kind: 'dense', inputs: 11, outputs: 10, activation: 'tanh' },
  { kind: 'dense', inputs: 10, outputs: 7, activation: 'none' },
]
const rows = 21

/** The same network in ops. */
function inOps(parameters: Float32Array, input: Float32Array, hidden: Float32Array, reset: Uint8Array): tf.Tensor2D {
  let from = 0
  const take = (...shape: number[]): tf.Tensor => {
    const length = shape.reduce((a, b) => a * b, 1)
    from += length
    return tf.tensor(parameters.slice(from - length, from), shape)
  }
  let x = tf.tensor2d(input, [rows, 9]) as tf.Tensor
  for (const layer of LAYERS) {
    const { inputs, outputs } = layer
    if (layer.kind === 'dense') {
      x = dense(x, take(inputs, outputs) as tf.Tensor2D, take(outputs) as tf.Tensor1D, layer.activation)
    } else {
      x = gruSequence({
        input: tf.reshape(x, [1, rows, inputs]),
        hidden: tf.tensor2d(hidden, [rows, outputs]),
        reset: tf.tensor2d(reset, [1, rows]),
        inputWeight: take(inputs, 3 * outputs) as tf.Tensor2D,
        recurrentWeight: take(outputs, 3 * outputs) as tf.Tensor2D,
        inputBias: take(3 * outputs) as tf.Tensor1D,
        recurrentBias: take(3 * outputs) as tf.Tensor1D,
      })
      hidden.set(x.dataSync())
      x = tf.reshape(x, [rows, outputs])
    }
  }
  return x as tf.Tensor2D
}

test('a network by address gives the bits of the same network in ops, hidden state included', () => {
  const net = new RolloutNetwork(backend, LAYERS)
  const parameters = numbers(net.size, 1)
  net.load(parameters)
  const own = numbers(rows * 11, 3)
  const other = own.slice()
  const out = new Float32Array(rows * 7)
  for (let t = 0; t < 3; t++) {
    const input = numbers(rows * 9, 10 + t)
    const reset = Uint8Array.from({ length: rows }, (_, r) => +((r + t) % 5 === 0))
    net.forward(input, rows, out, { hidden: own, reset })
    const expected = tf.tidy(() => inOps(parameters, input, other, reset).dataSync())
    expect(out).toEqual(expected)
    expect(own).toEqual(other)
  }
  net.dispose()
})

test('a row gets the same outputs alone as among others', () => {
  const net = new RolloutNetwork(backend, LAYERS)
  net.load(numbers(net.size, 1))
  const input = numbers(rows * 9, 5)
  const all = new Float32Array(rows * 7)
  net.forward(input, rows, all, { hidden: new Float32Array(rows * 11) })
  const one = new Float32Array(7)
  for (const row of [0, 6, 20]) {
    net.forward(input.subarray(row * 9), 1, one, { hidden: new Float32Array(11) })
    expect(one).toEqual(all.slice(row * 7, row * 7 + 7))
  }
  net.dispose()
})

test('choices fall where the uniform lands, never on a masked one, with the op’s log-probability', () => {
  const net = new RolloutNetwork(backend, [{ kind: 'dense', inputs: 7, outputs: 7, activation: 'none' }])
  const identity = new Float32Array(56)
  for (let i = 0; i < 7; i++) identity[i * 8] = 1
  net.load(identity)
  const many = 500
  const logits = numbers(many * 7, 2).map((x) => 3 * x)
  const mask = Uint8Array.from({ length: many * 7 }, (_, i) => +(i % 3 !== 0))
  mask.fill(0, (many - 1) * 7) // the last row allows nothing
  const uniform = numbers(many, 3).map((x) => (x + 1) / 2)
  const [action, logProbability] = [new Int32Array(many).fill(9), new Float32Array(many).fill(9)]
  const probability = new Float32Array(many * 7).fill(9)
  net.act(logits, many, [7], { mask, uniform, action, logProbability, probability })
  const expected = tf.tidy(() =>
    maskedCategorical(
      tf.tensor2d(logits, [many, 7]),
      tf.tensor2d(mask, [many, 7], 'bool'),
      tf.tensor1d(action, 'int32'),
    ).logProbability.dataSync(),
  )
  expect(logProbability).toEqual(expected)
  for (let r = 0; r < many - 1; r++) {
    const row = Array.from(probability.subarray(r * 7, r * 7 + 7))
    row.forEach((p, i) => expect(p > 0).toBe(mask[r * 7 + i] === 1))
    expect(row.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 5)
    const before = row.slice(0, action[r]).reduce((a, b) => a + b, 0)
    expect(uniform[r]).toBeGreaterThanOrEqual(before - 1e-6)
    expect(uniform[r]).toBeLessThanOrEqual(before + row[action[r]] + 1e-6)
    expect(Math.log(row[action[r]])).toBeCloseTo(logProbability[r], 4)
  }
  expect([action[many - 1], logProbability[many - 1]]).toEqual([0, 0])
  expect(Array.from(probability.subarray((many - 1) * 7))).toEqual([0, 0, 0, 0, 0, 0, 0])
  // greedily: the largest allowed logit
  net.act(logits, many, [7], { mask, action })
  for (let r = 0; r < many - 1; r++) {
    const allowed = [0, 1, 2, 3, 4, 5, 6].filter((i) => mask[r * 7 + i] === 1)
    expect(logits[r * 7 + action[r]]).toBe(Math.max(...allowed.map((i) => logits[r * 7 + i])))
  }
  net.dispose()
})

test('dimensions of a multi-discrete action are drawn one by one and their log-probabilities added', () => {
  const sizes = [3, 4]
  const net = new RolloutNetwork(backend, [{ kind: 'dense', inputs: 7, outputs: 7, activation: 'none' }])
  const identity = new Float32Array(56)
  for (let i = 0; i < 7; i++) identity[i * 8] = 1
  net.load(identity)
  const logits = numbers(5 * 7, 2)
  const uniform = numbers(10, 3).map((x) => (x + 1) / 2)
  const [action, logProbability] = [new Int32Array(10), new Float32Array(5)]
  const probability = new Float32Array(35)
  net.act(logits, 5, sizes, { uniform, action, logProbability, probability })
  for (let r = 0; r < 5; r++) {
    const first = Array.from(probability.subarray(r * 7, r * 7 + 3))
    const second = Array.from(probability.subarray(r * 7 + 3, r * 7 + 7))
    expect(first.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 5)
    expect(second.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 5)
    expect(Math.log(first[action[2 * r]]) + Math.log(second[action[2 * r + 1]])).toBeCloseTo(logProbability[r], 4)
    expect(uniform[2 * r]).toBeLessThan(first.slice(0, action[2 * r] + 1).reduce((a, b) => a + b, 0) + 1e-6)
  }
  net.dispose()
})

test('layers that do not fit are refused', () => {
  expect(() => new RolloutNetwork(backend, [LAYERS[0], LAYERS[2]])).toThrow(/layer 1 is 11 inputs wide; expected 13/)
  const net = new RolloutNetwork(backend, LAYERS)
  expect(() => net.load(new Float32Array(3))).toThrow(/parameters is 3 floats; expected/)
  net.load(numbers(net.size, 1))
  expect(() => net.forward(numbers(9, 1), 1, new Float32Array(7))).toThrow(/recurrence is left out/)
  const blocks = backend.memory().liveBlocks
  net.dispose()
  expect(backend.memory().liveBlocks).toBeLessThan(blocks)
})
