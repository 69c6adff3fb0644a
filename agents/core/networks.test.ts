import { beforeAll, expect, test } from 'vitest'
import { Generator, namedSeed } from '../../envs/core/index.ts'
import { Network, orthogonal, type Trace } from './networks.ts'
import { tf } from './tensors.ts'

beforeAll(async () => {
  await tf.setBackend('cpu')
})

const rng = (name: string) => new Generator(namedSeed(1, name))
const SHAPE = { name: 'net', inputs: 5, outputs: 3, hidden: 7, layers: 2, outputGain: 1 }
const net = (activation: 'relu' | 'tanh' = 'tanh') => new Network({ ...SHAPE, activation }, rng('net'))
const recurrent = () => new Network({ ...SHAPE, layers: 1, activation: 'tanh', recurrent: true }, rng('net'))
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
  const layer = (k: number) => [`net/layer${k}/weight`, `net/layer${k}/bias`]
  const gru = ['inputWeight', 'recurrentWeight', 'inputBias', 'recurrentBias'].map((name) => `net/gru/${name}`)
  const expected = [[0, 1, 2].flatMap(layer), [...layer(0), ...gru, ...layer(1)]]
  ;[net(), recurrent()].forEach((network, k) => {
    expect(network.slices.map((slice) => slice.name)).toEqual(expected[k])
    let end = 0
    for (const { from, to, shape } of network.slices) {
      expect(from).toBe(end)
      expect(to - from).toBe(shape.reduce((product, dim) => product * dim, 1))
      end = to
    }
    expect(end).toBe(network.size)
  })
})

test('gradients are those of finite differences', () => {
  const hidden = noise(2 * 7, 'hidden')
  const sequences = { steps: 2, hidden, start: Uint8Array.of(0, 0, 0, 1) } // 2 sequences, one forgets half-way
  for (const network of [net('relu'), net('tanh'), recurrent()]) {
    const x = noise(4 * 5)
    const gradient = new Float32Array(network.size)
    const square = ({ forward }: Trace) =>
      tf.sum(tf.square(tf.sub(forward(tf.tensor2d(x, [4, 5]), sequences), 0.3))) as tf.Scalar
    const loss = () => network.differentiate(square, gradient).loss
    loss()
    const slopes = gradient.slice()
    const values = network.read()
    for (let i = 0; i < values.length; i += 3) {
      const at = (value: number) => {
        const moved = values.slice()
        moved[i] = value
        network.write(moved)
        return loss()
      }
      const slope = (at(values[i] + 1e-2) - at(values[i] - 1e-2)) / 2e-2
      expect(slopes[i]).toBeCloseTo(slope, 1)
    }
  }
})

test('a row of outputs depends on that row only, to the bit', () => {
  const rows = 37
  const x = noise(rows * 5)
  for (const network of [net(), recurrent()]) {
    const hidden = noise(rows * 7, 'hidden')
    const reset = Uint8Array.from({ length: rows }, (_, row) => (row % 3) & 1)
    const carried = hidden.slice()
    const whole = new Float32Array(rows * 3)
    network.infer(x, rows, whole, { hidden: carried, reset })
    for (const count of [1, 2, 3, 4, 5, 8, 16, 31]) {
      for (let from = 0; from + count <= rows; from += 7) {
        const part = new Float32Array(count * 3)
        const own = { hidden: hidden.slice(from * 7, (from + count) * 7), reset: reset.subarray(from, from + count) }
        network.infer(x.slice(from * 5, (from + count) * 5), count, part, own)
        expect([...part]).toEqual([...whole.subarray(from * 3, (from + count) * 3)])
        if (network.memory > 0) expect([...own.hidden]).toEqual([...carried.subarray(from * 7, (from + count) * 7)])
      }
    }
  }
})

test('acting step by step is what learning sees in a sequence', () => {
  const network = recurrent()
  const [steps, count] = [4, 3]
  const x = noise(steps * count * 5)
  const start = Uint8Array.of(1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0)
  const hidden = noise(count * 7, 'hidden')
  const { readings } = network.differentiate(({ forward, read }) => {
    const outputs = forward(tf.tensor2d(x, [steps * count, 5]), { steps, hidden: hidden.slice(), start })
    read('outputs', outputs)
    return tf.sum(outputs)
  }, new Float32Array(network.size))
  const out = new Float32Array(count * 3)
  for (let t = 0; t < steps; t++) {
    const reset = start.subarray(t * count, (t + 1) * count)
    network.infer(x.subarray(t * count * 5), count, out, { hidden, reset })
    out.forEach((value, i) => expect(value).toBeCloseTo(readings.outputs[t * count * 3 + i], 5))
  }
  expect(() => network.infer(x, 1, out)).toThrow(/net is rows without what it remembers/)
})

test('what is read out is what was computed, and no tensor is left behind', () => {
  const network = net()
  const x = noise(2 * 5)
  const before = tf.memory().numTensors
  const out = new Float32Array(2 * 3)
  network.infer(x, 2, out)
  const { readings } = network.differentiate(({ forward, read }) => {
    const y = forward(tf.tensor2d(x, [2, 5]))
    read('outputs', y)
    return tf.sum(y)
  }, new Float32Array(network.size))
  expect([...readings.outputs]).toEqual([...out])
  expect(tf.memory().numTensors).toBe(before)
})

test('NaN is found by name', () => {
  const network = net()
  const values = network.read()
  expect(network.notFinite(values)).toBeUndefined()
  values[network.slices[3].from] = NaN
  expect(network.notFinite(values)).toEqual({ name: 'net/layer1/bias', value: NaN })
})

test('as a constant a network says the same, and its gradients reach the input alone', () => {
  const network = net('relu')
  const input = noise(4 * 5)
  const wanted = new Float32Array(4 * 3)
  network.infer(input, 4, wanted)
  const others = tf.memory().numTensors
  tf.tidy(() => {
    const x = tf.tensor2d(input, [4, 5])
    expect([...network.forward(x).dataSync()]).toEqual([...wanted])
    const score = (at: tf.Tensor) => tf.sum(tf.square(network.forward(at as tf.Tensor2D))) as tf.Scalar
    const slope = tf.grad(score)(x).dataSync()
    for (const i of [0, 7, 19]) {
      const near = [1e-2, -1e-2].map((move) => {
        const moved = input.slice()
        moved[i] += move
        return score(tf.tensor2d(moved, [4, 5])).dataSync()[0]
      })
      expect(slope[i]).toBeCloseTo((near[0] - near[1]) / 2e-2, 2)
    }
  })
  expect(tf.memory().numTensors).toBe(others)
  // An actor learns from what a critic says, and the critic does not.
  const actor = new Network({ ...SHAPE, name: 'actor', outputs: 5, activation: 'tanh' }, rng('actor'))
  const gradient = new Float32Array(actor.size)
  const before = network.read()
  actor.differentiate(
    ({ forward }) => tf.sum(network.forward(forward(tf.tensor2d(input, [4, 5])))) as tf.Scalar,
    gradient,
  )
  expect(gradient.some((slope) => slope !== 0)).toBe(true)
  expect(network.read()).toEqual(before)
  expect(() => recurrent().forward(tf.tensor2d(input, [4, 5]))).toThrow(/it has a GRU/)
})

test('free numbers begin as told, learn, and do not disturb what is said', () => {
  const plain = net()
  const free = new Network({ ...SHAPE, activation: 'tanh', free: [0.25, -2] }, rng('net'))
  expect(free.slices.at(-1)).toMatchObject({ name: 'net/free', shape: [2], to: free.size })
  expect([...free.freeValues()]).toEqual([0.25, -2])
  const [input, out] = [noise(10), [new Float32Array(6), new Float32Array(6)]]
  plain.infer(input, 2, out[0])
  free.infer(input, 2, out[1])
  expect(out[1]).toEqual(out[0])
  const gradient = new Float32Array(free.size)
  const loss = free.differentiate(
    (trace) => tf.add(tf.sum(trace.forward(tf.tensor2d(input, [2, 5]))), tf.sum(tf.square(trace.free))) as tf.Scalar,
    gradient,
  )
  expect([...gradient.subarray(free.size - 2)]).toEqual([0.5, -4])
  expect(loss.loss).toBeCloseTo(
    out[0].reduce((sum, value) => sum + value, 0.0625 + 4),
    4,
  )
  const weights = free.read()
  weights[free.size - 1] = 7
  free.write(weights)
  expect([...free.freeValues()]).toEqual([0.25, 7])
})
