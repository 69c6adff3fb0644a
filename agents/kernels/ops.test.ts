import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as tf from '#tensorflow'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixtureJson } from '../../testing.ts'
import { type SimdBackend } from './backend.ts'
import {
  attentionComposed,
  denseComposed,
  gruSequenceComposed,
  layerNormComposed,
  logSoftmaxComposed,
  maskedCategoricalComposed,
  qmixMixComposed,
} from './composed.ts'
import { attention, dense, gruSequence, layerNorm, logSoftmax, maskedCategorical, qmixMix } from './ops.ts'
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

/** Numbers in [−1, 1) from a Weyl sequence. */
function numbers(count: number, salt: number): Float32Array {
  return Float32Array.from(
    { length: count },
    (_, i) => ((Math.imul(i + 1, 2654435761) ^ (salt * 40503)) >>> 8) / 8388608 - 1,
  )
}

interface Case {
  /** Shapes of the inputs to differentiate. */
  inputs: number[][]
  fused: (...x: tf.Tensor[]) => tf.Tensor[]
  composed: (...x: tf.Tensor[]) => tf.Tensor[]
  /** Constants of the case must be made on the backend in use, so cases are functions. */
}

const mask2 = (rows: number, columns: number): tf.Tensor2D => {
  const values = Uint8Array.from({ length: rows * columns }, (_, i) => +((i * 7 + 3) % 5 > 1))
  for (let r = 0; r < rows - 1; r++) values[r * columns + (r % columns)] = 1
  values.fill(0, (rows - 1) * columns) // the last row allows nothing
  return tf.tensor2d(values, [rows, columns], 'bool')
}
const actionsFor = (rows: number, columns: number): tf.Tensor1D =>
  tf.tensor1d(
    Int32Array.from({ length: rows }, (_, r) => r % columns),
    'int32',
  )
const resets = (steps: number, lanes: number): tf.Tensor2D =>
  tf.tensor2d(
    Float32Array.from({ length: steps * lanes }, (_, i) => +((i * 5) % 7 === 3)),
    [steps, lanes],
  )

const CASES: Record<string, Case> = {}
for (const activation of ['none', 'relu', 'tanh'] as const) {
  for (const [m, k, n] of [
    [1, 1, 1],
    [5, 7, 3],
    [4, 8, 16],
    [33, 71, 13],
    [6, 9, 37], // wide enough for packed rows, with a tail of both
    [270, 26, 29], // a weight gradient longer than one block
    [0, 3, 2],
  ]) {
    CASES[`dense ${activation} ${m}×${k}×${n}`] = {
      inputs: [[m, k], [k, n], [n]],
      fused: (x, w, b) => [dense(x, w as tf.Tensor2D, b as tf.Tensor1D, activation)],
      composed: (x, w, b) => [denseComposed(x, w as tf.Tensor2D, b as tf.Tensor1D, activation)],
    }
  }
}
CASES['dense without bias on three axes'] = {
  inputs: [
    [2, 3, 5],
    [5, 7],
  ],
  fused: (x, w) => [dense(x, w as tf.Tensor2D, null, 'tanh')],
  composed: (x, w) => [denseComposed(x, w as tf.Tensor2D, null, 'tanh')],
}
for (const shape of [
  [1, 1],
  [3, 5],
  [2, 3, 8],
  [4, 33],
  [0, 4],
]) {
  CASES[`logSoftmax ${shape}`] = {
    inputs: [shape],
    fused: (x) => [logSoftmax(x)],
    composed: (x) => [logSoftmaxComposed(x)],
  }
  const width = shape[shape.length - 1]
  CASES[`layerNorm ${shape}`] = {
    inputs: [shape, [width], [width]],
    fused: (x, scale, offset) => [layerNorm(x, scale as tf.Tensor1D, offset as tf.Tensor1D)],
    composed: (x, scale, offset) => [layerNormComposed(x, scale as tf.Tensor1D, offset as tf.Tensor1D, 1e-5)],
  }
}
for (const [steps, lanes, features, hidden, forgets] of [
  [1, 1, 1, 1, 0],
  [4, 3, 5, 7, 1],
  [3, 5, 4, 8, 1],
  [6, 2, 3, 13, 0],
]) {
  const inputs = [
    [steps, lanes, features],
    [lanes, hidden],
    [features, 3 * hidden],
    [hidden, 3 * hidden],
    [3 * hidden],
    [3 * hidden],
  ]
  const arguments_ = (x: tf.Tensor[]): Parameters<typeof gruSequence>[0] => ({
    input: x[0] as tf.Tensor3D,
    hidden: x[1] as tf.Tensor2D,
    reset: forgets === 1 ? resets(steps, lanes) : null,
    inputWeight: x[2] as tf.Tensor2D,
    recurrentWeight: x[3] as tf.Tensor2D,
    inputBias: x[4] as tf.Tensor1D,
    recurrentBias: x[5] as tf.Tensor1D,
  })
  CASES[`gruSequence ${steps}×${lanes}×${features}→${hidden}${forgets === 1 ? ' with resets' : ''}`] = {
    inputs,
    fused: (...x) => [gruSequence(arguments_(x))],
    composed: (...x) => [gruSequenceComposed(arguments_(x))],
  }
}
for (const [rows, choices] of [
  [1, 1],
  [7, 5],
  [6, 8],
  [9, 13],
]) {
  for (const masked of [true, false]) {
    const mask = (): tf.Tensor2D | null => (masked ? mask2(rows, choices) : null)
    const both = (run: typeof maskedCategorical, x: tf.Tensor): tf.Tensor[] => {
      const { logProbability, entropy } = run(x as tf.Tensor2D, mask(), actionsFor(rows, choices))
      return [logProbability, entropy]
    }
    CASES[`maskedCategorical ${rows}×${choices}${masked ? '' : ' without mask'}`] = {
      inputs: [[rows, choices]],
      fused: (x) => both(maskedCategorical, x),
      composed: (x) => both(maskedCategoricalComposed, x),
    }
  }
}
for (const [rows, agents, embed] of [
  [1, 1, 1],
  [5, 3, 32],
  [4, 2, 7],
]) {
  type Mix = Parameters<typeof qmixMix>
  CASES[`qmixMix ${rows}×${agents}×${embed}`] = {
    inputs: [
      [rows, agents],
      [rows, agents * embed],
      [rows, embed],
      [rows, embed],
      [rows, 1],
    ],
    fused: (...x) => [qmixMix(...(x as Mix))],
    composed: (...x) => [qmixMixComposed(...(x as Mix))],
  }
}
for (const [batch, queries, keys, width, valueWidth, heads, masked] of [
  [1, 1, 1, 1, 1, 1, 0],
  [2, 3, 4, 8, 8, 2, 0],
  [2, 3, 3, 6, 9, 3, 2],
  [3, 5, 5, 16, 4, 4, 3],
]) {
  const mask = (): tf.Tensor | null => {
    if (masked === 0) return null
    return masked === 2 ? mask2(queries, keys) : tf.reshape(mask2(batch * queries, keys), [batch, queries, keys])
  }
  CASES[`attention ${batch}×${queries}×${keys}, ${heads} heads${masked > 0 ? `, mask of rank ${masked}` : ''}`] = {
    inputs: [
      [batch, queries, width],
      [batch, keys, width],
      [batch, keys, valueWidth],
    ],
    fused: (q, k, v) => [attention(q as tf.Tensor3D, k as tf.Tensor3D, v as tf.Tensor3D, heads, mask())],
    composed: (q, k, v) => [attentionComposed(q as tf.Tensor3D, k as tf.Tensor3D, v as tf.Tensor3D, heads, mask())],
  }
}

interface Outcome {
  outputs: { shape: number[]; values: Float32Array }[]
  gradients: Float32Array[]
}

const sizeOf = (shape: number[]): number => shape.reduce((a, b) => a * b, 1)

/** Values of all outputs, and gradients of their sum weighted by fixed numbers. */
function outcome({ inputs }: Case, run: (...x: tf.Tensor[]) => tf.Tensor[]): Outcome {
  return tf.tidy(() => {
    const tensors = inputs.map((shape, i) => tf.tensor(numbers(sizeOf(shape), i + 1), shape))
    const outputs = run(...tensors).map((t) => ({ shape: t.shape, values: t.dataSync() as Float32Array }))
    const loss = (...x: tf.Tensor[]): tf.Tensor =>
      tf.addN(run(...x).map((y, i) => tf.sum(tf.mul(y, tf.tensor(numbers(y.size, 20 + i), y.shape)))))
    const gradients = tf
      .grads(loss)(tensors)
      .map((t) => t.dataSync() as Float32Array)
    return { outputs, gradients }
  })
}

function expectClose(got: Float32Array, expected: ArrayLike<number>, where: string, scale = 1): void {
  expect(got.length, where).toBe(expected.length)
  const wrong = got.findIndex((x, i) => !(Math.abs(x - expected[i]) <= (2e-6 + 1e-5 * Math.abs(expected[i])) * scale))
  expect(wrong, `${where}, element ${wrong}: ${got[wrong]} for ${expected[wrong]}`).toBe(-1)
}

test.each(Object.keys(CASES))('%s and its gradients on simd are those of its twin on cpu', async (name) => {
  const entry = CASES[name]
  await tf.setBackend('cpu')
  const expected = outcome(entry, entry.composed)
  const dispatched = outcome(entry, entry.fused) // without our kernels the op is its twin
  expect(dispatched).toEqual(expected)
  await tf.setBackend('simd')
  outcome(entry, entry.fused) // scratch regions settle
  const before = { tensors: tf.memory().numTensors, ids: backend.numDataIds(), blocks: backend.memory().liveBlocks }
  const got = outcome(entry, entry.fused)
  const after = { tensors: tf.memory().numTensors, ids: backend.numDataIds(), blocks: backend.memory().liveBlocks }
  expect(after).toEqual(before)
  got.outputs.forEach(({ shape, values }, i) => {
    expect(shape).toEqual(expected.outputs[i].shape)
    expectClose(values, expected.outputs[i].values, `output ${i}`)
  })
  // Rows of one element make layerNorm's gradient a difference of equal numbers, blown up by 1/√ε.
  const scale = name === 'layerNorm 1,1' ? 400 : 4
  got.gradients.forEach((values, i) => expectClose(values, expected.gradients[i], `gradient of input ${i}`, scale))
  backend.allocator.checkAll()
})

test('gradients of the fused ops are slopes of their outputs', () => {
  for (const name of [
    'dense tanh 5×7×3',
    'layerNorm 3,5',
    'logSoftmax 3,5',
    'gruSequence 4×3×5→7 with resets',
    'maskedCategorical 7×5',
    'qmixMix 4×2×7',
    'attention 2×3×3, 3 heads, mask of rank 2',
  ]) {
    const { inputs, fused } = CASES[name]
    const values = inputs.map((shape, i) => numbers(sizeOf(shape), i + 1))
    const loss = (changed: Float32Array[]): number =>
      tf.tidy(() => {
        const outputs = fused(...changed.map((v, i) => tf.tensor(v, inputs[i])))
        let total = 0
        outputs.forEach((y, i) => {
          const weigh = numbers(y.size, 20 + i)
          ;(y.dataSync() as Float32Array).forEach((x, j) => (total += x * weigh[j]))
        })
        return total
      })
    const { gradients } = outcome(CASES[name], fused)
    inputs.forEach((shape, i) => {
      for (let j = 0; j < sizeOf(shape); j += Math.max(1, Math.floor(sizeOf(shape) / 5))) {
        const step = 2 ** -8
        const moved = (by: number): Float32Array[] =>
          values.map((v, k) => (k === i ? v.map((x, l) => (l === j ? x + by : x)) : v))
        const slope = (loss(moved(step)) - loss(moved(-step))) / (2 * step)
        const bound = 2e-3 + 5e-3 * Math.abs(slope)
        expect(Math.abs(gradients[i][j] - slope), `${name}, input ${i} element ${j}`).toBeLessThan(bound)
      }
    })
  }
})

/** Where NaN and infinity are put: one number in the second row, one in the third. */
const spoilt = (shape: number[], salt: number): Float32Array => {
  const values = numbers(sizeOf(shape), salt)
  const width = shape[shape.length - 1]
  values[width + 1] = NaN
  values[2 * width] = Infinity
  return values
}

test.each([
  ['dense none 5×7×3', 0],
  ['dense relu 5×7×3', 0],
  ['dense tanh 5×7×3', 0],
  ['dense relu 6×9×37', 0],
  ['logSoftmax 3,5', 0],
  ['layerNorm 3,5', 0],
  ['maskedCategorical 7×5 without mask', 0],
  ['qmixMix 5×3×32', 0],
  ['gruSequence 3×5×4→8 with resets', 0],
  ['attention 2×3×4, 2 heads', 0],
])('NaN and infinity come out of %s as from its twin, and nowhere else', async (name, at) => {
  const { inputs, fused, composed } = CASES[name]
  const run = (op: (...x: tf.Tensor[]) => tf.Tensor[]): Float32Array[] =>
    tf.tidy(() => {
      const x = inputs.map((shape, i) =>
        tf.tensor(i === at ? spoilt(shape, i + 1) : numbers(sizeOf(shape), i + 1), shape),
      )
      return op(...x).map((y) => y.dataSync() as Float32Array)
    })
  await tf.setBackend('cpu')
  const expected = run(composed)
  await tf.setBackend('simd')
  const got = run(fused)
  let odd = 0
  expected.forEach((values, o) =>
    values.forEach((y, i) => {
      const x = got[o][i]
      if (!Number.isFinite(y)) {
        odd++
        expect(x, `output ${o} element ${i}`).toBe(y)
      } else expect(Math.abs(x - y), `output ${o} element ${i}: ${x} for ${y}`).toBeLessThan(2e-6 + 1e-5 * Math.abs(y))
    }),
  )
  expect(odd).toBeGreaterThan(0)
})

test('a GRU over a sequence with resets is torch.nn.GRUCell, forward and backward', async () => {
  const vectors = JSON.parse(readFileSync(here('gru-vectors.json'), 'utf8'))
  const { steps, lanes, features, hidden } = vectors
  for (const name of ['simd', 'cpu']) {
    await tf.setBackend(name)
    tf.tidy(() => {
      const weigh = tf.tensor(vectors.weigh, [steps, lanes, hidden])
      const reset = tf.tensor2d(vectors.reset, [steps, lanes])
      const run = (...x: tf.Tensor[]): tf.Tensor3D =>
        gruSequence({
          input: x[0] as tf.Tensor3D,
          hidden: x[1] as tf.Tensor2D,
          reset,
          inputWeight: x[2] as tf.Tensor2D,
          recurrentWeight: x[3] as tf.Tensor2D,
          inputBias: x[4] as tf.Tensor1D,
          recurrentBias: x[5] as tf.Tensor1D,
        })
      const inputs = [
        tf.tensor(vectors.input, [steps, lanes, features]),
        tf.tensor(vectors.first, [lanes, hidden]),
        tf.tensor(vectors.inputWeight, [features, 3 * hidden]),
        tf.tensor(vectors.recurrentWeight, [hidden, 3 * hidden]),
        tf.tensor(vectors.inputBias, [3 * hidden]),
        tf.tensor(vectors.recurrentBias, [3 * hidden]),
      ]
      expectClose(run(...inputs).dataSync() as Float32Array, vectors.output, `${name}: output`)
      const gradients = tf.grads((...x: tf.Tensor[]) => tf.sum(tf.mul(run(...x), weigh)))(inputs)
      Object.entries(vectors.gradients as Record<string, number[]>).forEach(([part, expected], i) => {
        expectClose(gradients[i].dataSync() as Float32Array, expected, `${name}: gradient of ${part}`, 4)
      })
    })
  }
  await tf.setBackend('simd')
})

test('an input that needs no gradient costs none', async () => {
  const x = tf.tensor2d(numbers(12, 1), [4, 3])
  const w = tf.variable(tf.tensor2d(numbers(6, 2), [3, 2]))
  const b = tf.variable(tf.tensor1d(numbers(2, 3)))
  const made = await tf.profile(() => {
    const { value, grads } = tf.variableGrads(() => tf.sum(dense(x, w as tf.Tensor2D, b as tf.Tensor1D)) as tf.Scalar)
    expect(Object.keys(grads)).toHaveLength(2)
    tf.dispose([value, grads])
    return value
  })
  expect(made.newTensors).toBeLessThanOrEqual(0)
  tf.dispose([x, w, b])
})

test('outputs used twice and ops in a chain add their gradients', async () => {
  const run = (): number[] =>
    tf.tidy(() => {
      const w = tf.tensor2d(numbers(20, 2), [5, 4])
      const b = tf.tensor1d(numbers(4, 3))
      const gradient = tf.grad((x: tf.Tensor) => {
        const y = dense(x, w, b, 'relu')
        const { logProbability, entropy } = maskedCategorical(y as tf.Tensor2D, mask2(3, 4), actionsFor(3, 4))
        return tf.add(tf.sum(tf.mul(y, y)), tf.sub(tf.sum(logProbability), tf.mul(tf.sum(entropy), 0.1)))
      })
      return Array.from(gradient(tf.tensor2d(numbers(15, 1), [3, 5])).dataSync())
    })
  await tf.setBackend('cpu')
  const expected = run()
  await tf.setBackend('simd')
  expectClose(Float32Array.from(run()), expected, 'gradient')
})

test('a masked choice gets exactly no gradient and exactly no probability mass', async () => {
  for (const name of ['cpu', 'simd']) {
    await tf.setBackend(name)
    tf.tidy(() => {
      const mask = mask2(9, 13)
      const loss = (x: tf.Tensor): tf.Tensor => {
        const { logProbability, entropy } = maskedCategorical(x as tf.Tensor2D, mask, actionsFor(9, 13))
        return tf.add(tf.sum(logProbability), tf.sum(entropy))
      }
      const gradient = tf
        .grad(loss)(tf.tensor2d(numbers(117, 4), [9, 13]))
        .dataSync()
      const allowed = mask.dataSync()
      allowed.forEach((ok, i) => {
        if (ok === 0) expect(gradient[i] === 0, `${name}, element ${i}: ${gradient[i]}`).toBe(true)
      })
      expect(gradient.some((x) => x !== 0)).toBe(true)
    })
  }
  await tf.setBackend('simd')
})

test('masks of any dtype mean the same', () => {
  tf.tidy(() => {
    const logits = tf.tensor2d(numbers(20, 4), [4, 5])
    const asBool = maskedCategorical(logits, mask2(4, 5), actionsFor(4, 5))
    for (const dtype of ['int32', 'float32'] as const) {
      const other = maskedCategorical(logits, tf.cast(mask2(4, 5), dtype), tf.cast(actionsFor(4, 5), dtype))
      expect(other.logProbability.dataSync()).toEqual(asBool.logProbability.dataSync())
      expect(other.entropy.dataSync()).toEqual(asBool.entropy.dataSync())
    }
  })
})

test('wrong shapes are refused with both shapes in the message', () => {
  tf.tidy(() => {
    const x = tf.zeros([4, 3])
    const square = tf.zeros([4, 4]) as tf.Tensor2D
    expect(() => dense(x, square, null)).toThrow('dense: x is of shape [4, 3]; expected [4, 4]')
    expect(() => layerNorm(x, tf.zeros([4]), tf.zeros([3]))).toThrow(/layerNorm: scale is of shape \[4\]/)
    expect(() => maskedCategorical(square, null, tf.zeros([3], 'int32'))).toThrow(/maskedCategorical: action/)
    const q = tf.zeros([1, 2, 6]) as tf.Tensor3D
    expect(() => attention(q, q, q, 4)).toThrow(/attention: heads is 4; expected a divisor/)
  })
})

// ---- fixtures shared with other implementations

const vectors = fixtureJson('algorithms/vectors.json')?.algorithms

test.runIf(vectors)('masked softmax has the published probabilities, entropy and gradients', async () => {
  const { masked_softmax: own } = vectors
  for (const name of ['cpu', 'simd']) {
    await tf.setBackend(name)
    tf.tidy(() => {
      const mask = tf.tensor2d(own.mask, [1, 4], 'bool')
      const action = tf.tensor1d([0], 'int32')
      const logits = tf.tensor2d(own.logits, [1, 4])
      const parts = maskedCategorical(logits, mask, action)
      expect(parts.logProbability.dataSync()[0]).toBeCloseTo(Math.log(own.probabilities[0]), 5)
      expect(parts.entropy.dataSync()[0]).toBeCloseTo(own.entropy, 5)
      const grad = (pick: 'logProbability' | 'entropy'): Float32Array =>
        tf
          .grad((x: tf.Tensor) => tf.sum(maskedCategorical(x as tf.Tensor2D, mask, action)[pick]))(logits)
          .dataSync() as Float32Array
      expectClose(grad('logProbability'), own.grad_log_prob_of_action_0, `${name}: log-probability`)
      expectClose(grad('entropy'), own.grad_entropy, `${name}: entropy`)
      expect(grad('entropy')[1] === 0 && grad('logProbability')[1] === 0).toBe(true) // exactly, where masked
      const single = tf.tensor2d(own.single_legal.mask, [1, 4], 'bool')
      const only = maskedCategorical(logits, single, tf.tensor1d([2], 'int32'))
      expect(only.entropy.dataSync()[0] === 0 && only.logProbability.dataSync()[0] === 0).toBe(true)
      const even = tf.tensor2d(own.equal_logits.mask, [1, 4], 'bool')
      const flat = maskedCategorical(tf.zeros([1, 4]), even, action)
      expect(flat.entropy.dataSync()[0]).toBeCloseTo(own.equal_logits.entropy, 6)
    })
  }
})

test.runIf(vectors)("QMIX's mixer has the published value and slopes", async () => {
  const { qmix_mixer: own } = vectors
  for (const name of ['cpu', 'simd']) {
    await tf.setBackend(name)
    tf.tidy(() => {
      const w1 = tf.tensor2d(own.produced.w1.flat(), [1, 4])
      const b1 = tf.tensor2d(own.produced.b1, [1, 2])
      const wFinal = tf.tensor2d(own.produced.w_final, [1, 2])
      const v = tf.tensor1d([own.produced.v])
      for (const { q, q_tot, dqtot_dq } of own.cases) {
        const values = tf.tensor2d(q, [1, 2])
        const mix = (x: tf.Tensor): tf.Tensor => qmixMix(x as tf.Tensor2D, w1, b1, wFinal, v)
        expect(mix(values).dataSync()[0]).toBeCloseTo(q_tot, 5)
        expectClose(tf.grad(mix)(values).dataSync() as Float32Array, dqtot_dq, `${name}: slope at ${q}`)
        // the sign of a produced weight does not matter
        expect(qmixMix(values, tf.neg(w1), b1, tf.neg(wFinal), v).dataSync()[0]).toBeCloseTo(q_tot, 5)
      }
    })
  }
  await tf.setBackend('simd')
})
