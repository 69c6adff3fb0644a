import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as tf from '#tensorflow'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimdBackend } from './backend.ts'
import { type LayerShape } from './inference.ts'
import { gemm } from './kernels.ts'
import { dense, gatherColumns, gruSequence } from './ops.ts'
import { FlatParameters } from './parameters.ts'
import { NetworkPass, type Runs } from './pass.ts'
import { registerSimd } from './register.ts'

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

type Kind = 'relu' | 'tanh' | 'none' | 'gru'

/** Layers from widths and kinds: [3, 'relu', 8, 'none', 2]. */
function layersOf([inputs, ...rest]: (number | Kind)[]): LayerShape[] {
  const layers: LayerShape[] = []
  let width = inputs as number
  for (let i = 0; i < rest.length; i += 2) {
    const [kind, outputs] = [rest[i] as Kind, rest[i + 1] as number]
    layers.push(
      kind === 'gru' ? { kind, inputs: width, outputs } : { kind: 'dense', inputs: width, outputs, activation: kind },
    )
    width = outputs
  }
  return layers
}

const shapesOf = ({ kind, inputs, outputs }: LayerShape): number[][] =>
  kind === 'gru'
    ? [[inputs, 3 * outputs], [outputs, 3 * outputs], [3 * outputs], [3 * outputs]]
    : [[inputs, outputs], [outputs]]

function parametersOf(layers: readonly LayerShape[]): FlatParameters {
  return new FlatParameters(
    layers.flatMap(shapesOf).map((shape, k) => {
      const length = shape.reduce((product, size) => product * size, 1)
      return { name: `part${k}`, shape, values: numbers(length, 7 + k).map((x) => x * 0.5) }
    }),
  )
}

/** The same network in ops that the tape sees one by one. */
function taped(layers: readonly LayerShape[], x: tf.Tensor2D, weights: readonly tf.Tensor[], runs?: Runs): tf.Tensor2D {
  let at = 0
  return layers.reduce((out, layer) => {
    const own = weights.slice(at, at + (layer.kind === 'gru' ? 4 : 2))
    at += own.length
    if (layer.kind === 'dense') return dense(out, own[0] as tf.Tensor2D, own[1] as tf.Tensor1D, layer.activation) as tf.Tensor2D // prettier-ignore
    const { steps, hidden, start } = runs!
    const lanes = out.shape[0] / steps
    const states = gruSequence({
      input: tf.reshape(out, [steps, lanes, layer.inputs]),
      hidden: tf.tensor2d(hidden, [lanes, layer.outputs]),
      reset: tf.tensor2d(start, [steps, lanes], 'bool'),
      inputWeight: own[0] as tf.Tensor2D,
      recurrentWeight: own[1] as tf.Tensor2D,
      inputBias: own[2] as tf.Tensor1D,
      recurrentBias: own[3] as tf.Tensor1D,
    })
    return tf.reshape(states, [steps * lanes, layer.outputs])
  }, x)
}

interface Case {
  readonly layers: LayerShape[]
  readonly rows: number
  readonly runs?: Runs
}

function caseOf(rows: number, shape: (number | Kind)[], steps = 1): Case {
  const layers = layersOf(shape)
  const gru = layers.find(({ kind }) => kind === 'gru')
  if (gru === undefined) return { layers, rows }
  const start = Uint8Array.from({ length: rows }, (_, row) => (row % 5 === 3 ? 1 : 0))
  return { layers, rows, runs: { steps, hidden: numbers((rows / steps) * gru.outputs, 3), start } }
}

const CASES: Record<string, () => Case> = {
  'relu layers and one head': () => caseOf(37, [11, 'relu', 24, 'relu', 16, 'none', 1]),
  'relu layers and five heads': () => caseOf(64, [7, 'relu', 32, 'relu', 32, 'none', 5]),
  'tanh layers and a wide end': () => caseOf(18, [9, 'tanh', 13, 'tanh', 21, 'none', 30]),
  'one layer': () => caseOf(5, [4, 'none', 3]),
  'an activation at the end': () => caseOf(19, [6, 'tanh', 8, 'relu', 7]),
  'more rows than a block': () => caseOf(300, [3, 'relu', 28, 'none', 2]),
  'a GRU between layers': () => caseOf(24, [6, 'relu', 10, 'gru', 9, 'none', 4], 4),
  'a GRU first and last': () => caseOf(15, [5, 'gru', 7], 3),
}

const SCALES = [1, -0.5]

/** Σ (network · c)², once or (with two inputs) summed over both: a loss with a slope in every output. */
function lossOf(outputs: readonly tf.Tensor2D[]): tf.Scalar {
  const each = outputs.map((y, k) => tf.sum(tf.square(tf.mul(y, SCALES[k]))))
  return (each.length === 1 ? each[0] : tf.add(each[0], each[1])) as tf.Scalar
}

function byTape({ layers, rows, runs }: Case, weights: readonly tf.Tensor[], passes: number) {
  const { value, grads } = tf.valueAndGrads((...all: tf.Tensor[]) =>
    lossOf(inputsOf(layers, rows, passes).map((x) => taped(layers, x, all, runs))),
  )([...weights])
  const found = { loss: value.dataSync()[0], gradient: grads.flatMap((grad) => [...grad.dataSync()]) }
  tf.dispose([value, ...grads])
  return found
}

const inputsOf = ([first]: readonly LayerShape[], rows: number, passes: number): tf.Tensor2D[] =>
  Array.from({ length: passes }, (_, k) => tf.tensor2d(numbers(rows * first.inputs, 1 + k), [rows, first.inputs]))

function byPass({ layers, rows, runs }: Case, parameters: FlatParameters, pass: NetworkPass, passes: number) {
  const gradient = new Float32Array(parameters.size)
  const loss = tf.tidy(() => {
    pass.begin()
    const { value } = tf.valueAndGrads((token: tf.Tensor) =>
      lossOf(inputsOf(layers, rows, passes).map((x) => pass.forward(token, x, runs))),
    )([pass.token])
    return value.dataSync()[0]
  })
  pass.take(gradient)
  return { loss, gradient: [...gradient] }
}

for (const [name, make] of Object.entries(CASES)) {
  test(`a network as one op gives the bits of its ops, gradients too: ${name}`, () => {
    const own = make()
    const parameters = parametersOf(own.layers)
    const pass = new NetworkPass(backend, own.layers, parameters)
    for (const passes of [1, 2]) {
      const expected = tf.tidy(() => byTape(own, parameters.variables, passes))
      expect(expected.gradient.some((x) => x !== 0)).toBe(true)
      for (let again = 0; again < 2; again++) expect(byPass(own, parameters, pass, passes)).toEqual(expected)
    }
    pass.dispose()
    parameters.dispose()
  })

  test(`… and, within rounding, what public ops on cpu differentiate to: ${name}`, async () => {
    const own = make()
    const parameters = parametersOf(own.layers)
    const pass = new NetworkPass(backend, own.layers, parameters)
    const got = byPass(own, parameters, pass, 1)
    const values = parameters.variables.map((variable) => ({
      shape: variable.shape,
      data: variable.dataSync().slice(),
    }))
    pass.dispose()
    parameters.dispose()
    await tf.setBackend('cpu')
    try {
      const expected = tf.tidy(() => byTape(own, values.map(({ shape, data }) => tf.tensor(data, shape)), 1)) // prettier-ignore
      expect(got.loss / expected.loss).toBeCloseTo(1, 5)
      const size = Math.max(...expected.gradient.map(Math.abs))
      expected.gradient.forEach((x, i) => expect(Math.abs(got.gradient[i] - x)).toBeLessThan(2e-5 * size))
      // And what the loss itself does a little way along the gradient: it falls by the squared norm of it.
      const squares = expected.gradient.reduce((sum, x) => sum + x * x, 0)
      const far = (0.002 * expected.loss) / squares
      const moved = (sign: number) => {
        let at = 0
        const all = values.map(({ shape, data }) =>
          tf.tensor(
            data.map((x) => x + sign * far * got.gradient[at++]),
            shape,
          ),
        )
        return byTape(own, all, 1).loss
      }
      const slope = tf.tidy(() => (moved(1) - moved(-1)) / (2 * far))
      expect(slope / squares).toBeCloseTo(1, 2)
    } finally {
      await tf.setBackend('simd')
    }
  })
}

test('a network as one op allocates nothing and keeps no tensors after its first pass', () => {
  const own = CASES['a GRU between layers']()
  const parameters = parametersOf(own.layers)
  const pass = new NetworkPass(backend, own.layers, parameters)
  const measured = () => [tf.memory().numTensors, backend.allocator.liveBytes, backend.allocator.reached]
  for (let k = 0; k < 2; k++) byPass(own, parameters, pass, 1)
  const before = measured()
  for (let k = 0; k < 20; k++) byPass(own, parameters, pass, 1)
  expect(measured()).toEqual(before)
  pass.dispose()
  parameters.dispose()
})

test('a GRU without knowing how rows follow one another is refused', () => {
  const { layers, rows } = CASES['a GRU first and last']()
  const parameters = parametersOf(layers)
  const pass = new NetworkPass(backend, layers, parameters)
  expect(() => byPass({ layers, rows }, parameters, pass, 1)).toThrow(/rows alone/)
  pass.dispose()
  parameters.dispose()
})

test('products of few columns, of few terms and behind a relu have the bits of wide ones', () => {
  const at = (values: Float32Array) => {
    const pointer = backend.allocator.allocate(values.byteLength)
    backend.allocator.f32.set(values, pointer / 4)
    return pointer
  }
  const read = (pointer: number, count: number) => [...backend.allocator.f32.subarray(pointer / 4, pointer / 4 + count)]
  for (const m of [3, 16, 37]) {
    for (const n of [1, 2, 5, 6, 7, 16, 30, 43]) {
      for (const k of [1, 5, 8, 9, 40, 300]) {
        for (const transposeA of [false, true]) {
          for (const transposeB of [false, true]) {
            const [left, right, gate] = [numbers(m * k, 1), numbers(k * n, 2), numbers(m * n, 3)]
            // One number of C after the other, as float32 sums along k: what every tile and every strip must give.
            const expected = Array.from({ length: m * n }, (_, c) => {
              const [i, j] = [Math.floor(c / n), c % n]
              let sum = 0
              for (let p = 0; p < k; p++) {
                const [a, b] = [left[transposeA ? p * m + i : i * k + p], right[transposeB ? j * k + p : p * n + j]]
                sum = Math.fround(sum + Math.fround(a * b))
              }
              return sum
            })
            const pointers = [at(left), at(right), at(gate), at(new Float32Array(m * n))]
            const [a, b, mask, c] = pointers
            const says = `${m}×${n}×${k} ${transposeA} ${transposeB}`
            gemm(backend, a, b, c, { m, n, k }, { transposeA, transposeB })
            expect(read(c, m * n), says).toEqual(expected)
            gemm(backend, a, b, c, { m, n, k }, { transposeA, transposeB, mask })
            expect(read(c, m * n), `${says} masked`).toEqual(expected.map((x, i) => (gate[i] > 0 ? x : 0)))
            ;[left, right, gate, gate].forEach(({ byteLength }, i) =>
              backend.allocator.release(pointers[i], byteLength),
            )
          }
        }
      }
    }
  }
})

test('rows of tables side by side are those of gather and concat, on every backend', async () => {
  const made = () =>
    tf.tidy(() => {
      const tables = [
        tf.tensor2d(numbers(12, 1), [4, 3]),
        tf.tensor2d(numbers(35, 2), [7, 5]),
        tf.tensor2d([9], [1, 1]),
      ]
      return [
        ...gatherColumns(tables, [Int32Array.of(3, 0, 3), Int32Array.of(6, 6, 1), Int32Array.of(0, 0, 0)]).dataSync(),
      ]
    })
  const [a, b] = [numbers(12, 1), numbers(35, 2)]
  const row = (i: number, j: number) => [...a.subarray(3 * i, 3 * i + 3), ...b.subarray(5 * j, 5 * j + 5), 9]
  const expected = [...row(3, 6), ...row(0, 6), ...row(3, 1)]
  expect(made()).toEqual(expected)
  await tf.setBackend('cpu')
  expect(made()).toEqual(expected)
  await tf.setBackend('simd')
  const table = tf.tensor2d([1, 2], [2, 1])
  expect(() => gatherColumns([table], [Int32Array.of(2)])).toThrow(/row 2.*0 to 1/s)
  expect(() => gatherColumns([table, table], [Int32Array.of(1), Int32Array.of(1, 0)])).toThrow(/table 1/)
  table.dispose()
})
