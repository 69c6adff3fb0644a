import { beforeAll, expect, test } from 'vitest'
import { Generator, namedSeed } from '../../envs/core/index.ts'
import { Mlp, orthogonal } from './networks.ts'
import { tf } from './tensors.ts'

beforeAll(async () => {
  await tf.setBackend('cpu')
})

const rng = (name: string) => new Generator(namedSeed(1, name))
const net = (activation: 'relu' | 'tanh' = 'tanh') =>
  new Mlp({ name: 'net', inputs: 5, outputs: 3, hidden: 7, layers: 2, activation, outputGain: 1 }, rng('net'))
const noise = (length: number, name = 'noise') => {
  const draws = rng(name)
  return Float32Array.from({ length }, () => draws.float() * 2 - 1)
}

test('orthogonal matrices have orthonormal columns or rows, times the gain', () => {
  for (const [inputs, outputs] of [
    [9, 4],
    [4, 9],
    [6, 6],
    [1, 3],
  ]) {
    const matrix = new Float32Array(inputs * outputs).fill(NaN)
    orthogonal(matrix, inputs, outputs, 3, rng(`${inputs}`))
    const tall = inputs >= outputs
    const count = tall ? outputs : inputs
    const at = (k: number, i: number) => (tall ? matrix[i * outputs + k] : matrix[k * outputs + i])
    for (let a = 0; a < count; a++) {
      for (let b = 0; b < count; b++) {
        let dot = 0
        for (let i = 0; i < (tall ? inputs : outputs); i++) dot += at(a, i) * at(b, i)
        expect(dot).toBeCloseTo(a === b ? 9 : 0, 5)
      }
    }
  }
})

test('the flat vector is covered by named slices, in order and without gaps', () => {
  const { slices, values } = net()
  expect(slices.map((slice) => slice.name)).toEqual(
    [0, 1, 2].flatMap((layer) => [`net/layer${layer}/weight`, `net/layer${layer}/bias`]),
  )
  let end = 0
  for (const { from, to, shape } of slices) {
    expect(from).toBe(end)
    expect(to - from).toBe(shape.reduce((product, dim) => product * dim, 1))
    end = to
  }
  expect(end).toBe(values.length)
})

test('gradients are those of finite differences', () => {
  for (const activation of ['relu', 'tanh'] as const) {
    const mlp = net(activation)
    const x = noise(4 * 5)
    const loss = () =>
      mlp.differentiate(({ forward }) => tf.sum(tf.square(tf.sub(forward(tf.tensor2d(x, [4, 5])), 0.3)))).loss
    loss()
    const gradient = mlp.gradient.slice()
    for (let i = 0; i < mlp.values.length; i += 3) {
      const kept = mlp.values[i]
      const at = (value: number) => {
        mlp.values[i] = value
        mlp.changed()
        return loss()
      }
      const slope = (at(kept + 1e-2) - at(kept - 1e-2)) / 2e-2
      at(kept)
      expect(gradient[i]).toBeCloseTo(slope, 1)
    }
  }
})

test('a row of outputs depends on that row only, to the bit', () => {
  const mlp = net()
  const rows = 37
  const x = noise(rows * 5)
  const whole = mlp.infer(x, rows)[0].slice()
  for (const count of [1, 2, 3, 4, 5, 8, 16, 31]) {
    for (let from = 0; from + count <= rows; from += 7) {
      const part = mlp.infer(x.slice(from * 5, (from + count) * 5), count)[0]
      expect([...part]).toEqual([...whole.subarray(from * 3, (from + count) * 3)])
    }
  }
})

test('what is read out is what was computed, and no tensor is left behind', () => {
  const mlp = net()
  const x = noise(2 * 5)
  const before = tf.memory().numTensors
  const out = mlp.infer(x, 2)[0].slice()
  const { readings } = mlp.differentiate(({ forward, read }) => {
    const y = forward(tf.tensor2d(x, [2, 5]))
    read('outputs', y)
    return tf.sum(y)
  })
  expect([...readings.outputs]).toEqual([...out])
  mlp.changed()
  expect(tf.memory().numTensors).toBe(before)
})

test('NaN is found by name', () => {
  const mlp = net()
  expect(mlp.notFinite(mlp.values)).toBeUndefined()
  mlp.values[mlp.slices[3].from] = NaN
  expect(mlp.notFinite(mlp.values)).toEqual({ name: 'net/layer1/bias', value: NaN })
})
