import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as tf from '#tensorflow'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimdBackend } from './backend.ts'
import { registerSimd } from './register.ts'

execFileSync(process.execPath, [fileURLToPath(new URL('build.mjs', import.meta.url))])
const bytes = new Uint8Array(readFileSync(new URL('../../dist/agents/kernels/simd.wasm', import.meta.url)))

let backend: SimdBackend

beforeAll(async () => {
  // Guard words and poison through the whole suite; a small memory, so that it also grows on the way.
  backend = registerSimd(bytes, { debug: true, initialBytes: 1 << 20 })
  await tf.setBackend('simd')
})

afterAll(() => backend.allocator.checkAll())

// ---- cases

/** Numbers in [−2, 2) that repeat after 1009; no library's generator, so both backends see the same. */
function numbers(count: number, salt = 1): number[] {
  return Array.from({ length: count }, (_, i) => ((Math.imul(i + salt, 2654435761) >>> 8) % 1009) / 252.25 - 2)
}

type Dtype = 'float32' | 'int32' | 'bool'
const sizeOf = (shape: number[]): number => shape.reduce((a, b) => a * b, 1)

/** A tensor that both backends make alike: what a case is written with. */
function input(shape: number[], dtype: Dtype = 'float32', salt = 1, map: (x: number) => number = (x) => x): tf.Tensor {
  const values = numbers(sizeOf(shape), salt).map(map)
  if (dtype === 'int32') return tf.tensor(Int32Array.from(values.map((x) => Math.round(x * 5))), shape, 'int32')
  if (dtype === 'bool') return tf.tensor(Uint8Array.from(values.map((x) => +(x > 0))), shape, 'bool')
  return tf.tensor(Float32Array.from(values), shape, 'float32')
}

interface Answer {
  shape: number[]
  dtype: string
  values: number[]
}

function answers(run: () => tf.Tensor | tf.Tensor[]): Answer[] {
  const outputs = tf.tidy(run)
  const list = Array.isArray(outputs) ? outputs : [outputs]
  const read = list.map((t) => ({ shape: t.shape, dtype: t.dtype, values: Array.from(t.dataSync()) }))
  list.forEach((t) => t.dispose())
  return read
}

/** |difference| allowed: 0 for movement and exact arithmetic, `loose` for polynomials and reordered sums. */
type Tolerance = (expected: number) => number
const exact: Tolerance = () => 0
const loose: Tolerance = (x) => 1e-6 + 2e-6 * Math.abs(x)
const sums =
  (terms: number): Tolerance =>
  (x) =>
    2e-7 * Math.sqrt(terms) * 4 + 2e-6 * Math.abs(x)

/** Runs a case on cpu and on simd and compares; also that simd gives its memory back. */
async function same(run: () => tf.Tensor | tf.Tensor[], tolerance: Tolerance = exact): Promise<void> {
  await tf.setBackend('cpu')
  const expected = answers(run)
  await tf.setBackend('simd')
  answers(run) // scratch regions settle
  const before = { ...backend.memory(), tensors: tf.memory().numTensors, ids: backend.numDataIds() }
  const got = answers(run)
  const after = { ...backend.memory(), tensors: tf.memory().numTensors, ids: backend.numDataIds() }
  expect(after, 'memory after the case').toEqual({ ...before, capacity: after.capacity })
  expect(got.length).toBe(expected.length)
  got.forEach(({ shape, dtype, values }, i) => {
    expect({ shape, dtype }).toEqual({ shape: expected[i].shape, dtype: expected[i].dtype })
    const wrong = values.findIndex((x, j) => {
      const y = expected[i].values[j]
      if (Number.isNaN(y) || !Number.isFinite(y)) return !Object.is(x, y)
      return !(Math.abs(x - y) <= tolerance(y))
    })
    const where = `output ${i} [${shape}] element ${wrong}: ${values[wrong]} for ${expected[i].values[wrong]}`
    expect(wrong, where).toBe(-1)
  })
  backend.allocator.checkAll()
}

const SHAPES = [[], [1], [3], [4], [5], [8], [1, 1], [3, 5], [4, 8], [2, 3, 7], [0], [0, 3], [2, 0, 3], [1, 33], [257]]
const SPECIAL = [NaN, Infinity, -Infinity, 0, -0, 1, -1, 1e-40, -1e-40, 88.5, 89, -87, -104, 1e30, -1e30, 3.4e38, 0.5]

// ---- elementwise

const UNARY_OPS: Record<string, [(x: tf.Tensor) => tf.Tensor, Tolerance]> = {
  abs: [tf.abs, exact],
  neg: [tf.neg, exact],
  relu: [tf.relu, exact],
  relu6: [tf.relu6, exact],
  exp: [tf.exp, loose],
  log: [(x) => tf.log(x), loose],
  sqrt: [(x) => tf.sqrt(x), exact],
  rsqrt: [(x) => tf.rsqrt(x), loose],
  square: [tf.square, exact],
  tanh: [tf.tanh, loose],
  sigmoid: [tf.sigmoid, loose],
  elu: [tf.elu, loose],
  sign: [tf.sign, exact],
  floor: [tf.floor, exact],
  ceil: [tf.ceil, exact],
  reciprocal: [tf.reciprocal, exact],
  step: [(x) => tf.step(x, 0.3), exact],
  leakyRelu: [(x) => tf.leakyRelu(x, 0.1), loose],
  clip: [(x) => tf.clipByValue(x, -0.5, 0.7), exact],
  zerosLike: [tf.zerosLike, exact],
  onesLike: [tf.onesLike, exact],
  softplus: [tf.softplus, loose],
  selu: [tf.selu, loose],
}

test.each(Object.keys(UNARY_OPS))('%s gives on simd what it gives on cpu', async (name) => {
  const [op, tolerance] = UNARY_OPS[name]
  for (const shape of SHAPES) await same(() => op(input(shape)), tolerance)
  if (name !== 'softplus' && name !== 'selu') await same(() => op(tf.tensor1d(SPECIAL)), tolerance)
})

const BINARY_OPS: Record<string, [(a: tf.Tensor, b: tf.Tensor) => tf.Tensor, Dtype[]]> = {
  add: [tf.add, ['float32', 'int32']],
  sub: [tf.sub, ['float32', 'int32']],
  mul: [tf.mul, ['float32', 'int32']],
  div: [tf.div, ['float32', 'int32']],
  maximum: [tf.maximum, ['float32', 'int32']],
  minimum: [tf.minimum, ['float32', 'int32']],
  squaredDifference: [tf.squaredDifference, ['float32', 'int32']],
  equal: [tf.equal, ['float32', 'int32']],
  notEqual: [tf.notEqual, ['float32', 'int32']],
  greater: [tf.greater, ['float32', 'int32']],
  greaterEqual: [tf.greaterEqual, ['float32', 'int32']],
  less: [tf.less, ['float32', 'int32']],
  lessEqual: [tf.lessEqual, ['float32', 'int32']],
  logicalAnd: [tf.logicalAnd, ['bool']],
  logicalOr: [tf.logicalOr, ['bool']],
  pow: [tf.pow, ['float32']],
  mod: [tf.mod, ['float32']],
}
const PAIRS: [number[], number[]][] = [
  ...SHAPES.map((shape): [number[], number[]] => [shape, shape]),
  [[5], []],
  [[], [5]],
  [[3, 5], [5]], // row
  [[5], [3, 5]],
  [
    [3, 5],
    [3, 1],
  ], // column
  [
    [3, 1],
    [3, 5],
  ],
  [
    [3, 1],
    [1, 5],
  ], // outer
  [[1], [3, 5]],
  [
    [2, 3, 4],
    [3, 1],
  ],
  [
    [2, 1, 4],
    [2, 3, 1],
  ],
  [
    [2, 3, 4, 5],
    [2, 1, 4, 1],
  ],
  [
    [2, 3, 4, 5],
    [1, 3, 1, 5],
  ],
  [
    [2, 1, 2, 1, 2],
    [1, 3, 1, 3, 1],
  ], // more loops than the kernel has
  [[0, 3], [3]],
  [
    [0, 1],
    [1, 3],
  ],
]

test.each(Object.keys(BINARY_OPS))('%s broadcasts on simd as it does on cpu', async (name) => {
  const [op, dtypes] = BINARY_OPS[name]
  for (const dtype of dtypes) {
    for (const [a, b] of PAIRS) {
      const nonZero = (x: number): number => (name === 'div' || name === 'mod' ? Math.abs(x) + 0.5 : x)
      const positive = (x: number): number => (name === 'pow' ? Math.abs(x) + 0.1 : x)
      // cpu squares the difference in float64
      const tolerance = name === 'pow' || name === 'squaredDifference' ? loose : exact
      await same(() => op(input(a, dtype, 1, positive), input(b, dtype, 7, nonZero)), tolerance)
    }
  }
  if (dtypes.includes('float32') && name !== 'mod' && name !== 'pow') {
    const left = SPECIAL.flatMap((x) => SPECIAL.map(() => x))
    const right = SPECIAL.flatMap(() => SPECIAL)
    await same(() => op(tf.tensor1d(left), tf.tensor1d(right)), name === 'squaredDifference' ? loose : exact)
  }
})

test('dtypes convert as on cpu, int32 to float32 included', async () => {
  for (const from of ['float32', 'int32', 'bool'] as const) {
    for (const to of ['float32', 'int32', 'bool'] as const) {
      for (const shape of SHAPES) await same(() => tf.cast(input(shape, from), to))
    }
  }
  await same(() => tf.cast(tf.tensor1d([NaN, 2.9, -2.9, 0, -0, 1e9]), 'int32'))
  await same(() => tf.cast(tf.tensor1d([NaN, 0, -0, 1e-40, Infinity]), 'bool'))
  // The trap: the widened tensor is used by the next kernel, which must see numbers and not integer bits.
  await same(() => tf.mul(tf.cast(input([7], 'int32'), 'float32'), 0.5))
  await same(() => tf.mul(input([7], 'int32'), 0.5))
  await same(() => tf.cast(tf.cast(input([3, 3], 'bool'), 'int32'), 'float32'))
})

test('a CPU kernel that hands back its input under another dtype is converted', () => {
  const x = tf.tensor1d([1, 2, 3], 'int32')
  const cast = tf.getKernel('Cast', 'cpu').kernelFunc
  const info = backend.fallback(cast, { inputs: { x }, backend, attrs: { dtype: 'float32' } }) as tf.TensorInfo
  expect(info.dataId).not.toBe(x.dataId)
  expect(Array.from(backend.readSync(info.dataId) as Float32Array)).toEqual([1, 2, 3])
  expect(Array.from(x.dataSync())).toEqual([1, 2, 3])
  backend.disposeIntermediateTensorInfo(info)
  x.dispose()
})

test('select, logical not and add of many behave as on cpu', async () => {
  for (const shape of SHAPES) {
    await same(() => tf.where(input(shape, 'bool', 3), input(shape), input(shape, 'float32', 9)))
    await same(() => tf.where(input(shape, 'bool', 3), input(shape, 'int32'), input(shape, 'int32', 9)))
    await same(() => tf.logicalNot(input(shape, 'bool')))
    await same(() => tf.addN([input(shape), input(shape, 'float32', 5), input(shape, 'float32', 8)]))
    await same(() => tf.addN([input(shape)]))
  }
  await same(() => tf.where(input([3, 1], 'bool'), input([3, 4]), input([4], 'float32', 2)))
  await same(() => tf.fill([3, 5], 7.5))
  await same(() => tf.fill([5], -3, 'int32'))
  await same(() => [tf.zeros([3, 3], 'bool'), tf.ones([5], 'bool'), tf.zeros([0]), tf.ones([2, 3], 'int32')])
})

// ---- reductions

const REDUCTIONS: Record<string, (x: tf.Tensor, axis: number[] | undefined, keep: boolean) => tf.Tensor> = {
  sum: (x, axis, keep) => tf.sum(x, axis, keep),
  mean: (x, axis, keep) => tf.mean(x, axis, keep),
  max: (x, axis, keep) => tf.max(x, axis, keep),
  min: (x, axis, keep) => tf.min(x, axis, keep),
  any: (x, axis, keep) => tf.any(tf.greater(x, 1.5), axis, keep),
  all: (x, axis, keep) => tf.all(tf.greater(x, -1.5), axis, keep),
}
const REDUCED: [number[], number[][]][] = [
  [[1], [[0]]],
  [[5], [[0]]],
  [[1000], [[0]]],
  [
    [3, 5],
    [[0], [1], [0, 1]],
  ],
  [
    [70, 33],
    [[0], [1], [0, 1]],
  ],
  [
    [2, 3, 4],
    [[0], [1], [2], [0, 1], [1, 2], [0, 2], [0, 1, 2], [-1]],
  ],
  [
    [2, 1, 3, 5],
    [[1], [0, 3], [0, 2], [1, 2], [0, 1, 2, 3]],
  ],
]

test.each(Object.keys(REDUCTIONS))('%s reduces every axis as on cpu', async (name) => {
  const reduce = REDUCTIONS[name]
  for (const [shape, axes] of REDUCED) {
    for (const axis of axes) {
      for (const keep of [false, true]) await same(() => reduce(input(shape), axis, keep), sums(sizeOf(shape)))
    }
    await same(() => reduce(input(shape), undefined, false), sums(sizeOf(shape)))
  }
  if (name === 'max' || name === 'min') {
    for (const axis of [[0], [1]])
      await same(() =>
        reduce(
          tf.tensor2d([
            [1, NaN, 3],
            [4, 5, -Infinity],
          ]),
          axis,
          false,
        ),
      )
  }
})

test('sums over nothing, of integers and of bools behave as on cpu', async () => {
  await same(() => tf.sum(input([0])))
  await same(() => tf.sum(input([0, 3]), 0))
  await same(() => tf.sum(input([3, 0]), 1))
  await same(() => tf.sum(input([3, 5], 'int32'), 0))
  await same(() => tf.sum(input([3, 5], 'bool'), 1))
  await same(() => tf.mean(input([3, 5], 'int32'), 1), loose)
  await same(() => tf.max(input([3, 5], 'int32'), 1))
})

test('the position of extremes is the first one, as on cpu', async () => {
  for (const shape of [[1], [7], [3, 5], [2, 3, 4]]) {
    for (let axis = 0; axis < shape.length; axis++) {
      await same(() => tf.argMax(input(shape, 'float32', 3, Math.round), axis))
      await same(() => tf.argMin(input(shape, 'float32', 3, Math.round), axis))
    }
  }
})

test('softmax and log softmax agree with cpu on long, short and extreme rows', async () => {
  for (const shape of [[1], [5], [3, 5], [2, 3, 8], [4, 33], [3, 1]]) {
    await same(() => tf.softmax(input(shape)), loose)
    await same(() => tf.logSoftmax(input(shape)), loose)
  }
  await same(
    () =>
      tf.softmax(
        tf.tensor2d([
          [1e30, 0, -1e30],
          [-1e10, -1e10, 0],
          [80, 90, 100],
        ]),
      ),
    loose,
  )
  await same(
    () =>
      tf.softmax(
        tf.tensor2d([
          [NaN, 0, 1],
          [1, 2, 3],
        ]),
      ),
    loose,
  )
})

// ---- movement

test('transpose, slice, pad and tile move every dtype as on cpu', async () => {
  for (const dtype of ['float32', 'int32', 'bool'] as const) {
    for (const shape of [
      [3, 5],
      [8, 4],
      [9, 13],
      [1, 7],
      [0, 3],
    ])
      await same(() => tf.transpose(input(shape, dtype)))
    for (const perm of [
      [0, 2, 1],
      [1, 0, 2],
      [2, 1, 0],
      [2, 0, 1],
      [1, 2, 0],
    ]) {
      await same(() => tf.transpose(input([3, 5, 7], dtype), perm))
    }
    await same(() => tf.transpose(input([2, 3, 4, 5], dtype), [0, 2, 1, 3]))
    await same(() => tf.transpose(input([2, 3, 2, 3, 2], dtype), [4, 2, 0, 1, 3]))
    await same(() => tf.slice(input([5, 7], dtype), [1, 2], [3, 4]))
    await same(() => tf.slice(input([5, 7], dtype), [2, 0], [2, 7]))
    await same(() => tf.slice(input([4, 5, 6], dtype), [1, 0, 3], [2, 5, 2]))
    await same(() => tf.slice(input([4], dtype), [4], [0]))
    await same(() => tf.tile(input([3, 2], dtype), [2, 3]))
    await same(() => tf.tile(input([1, 5], dtype), [4, 1]))
    await same(() => tf.tile(input([5], dtype), [0]))
    await same(() => tf.broadcastTo(input([3, 1], dtype), [2, 3, 4]))
    await same(() =>
      tf.pad(
        input([3, 2], dtype),
        [
          [1, 2],
          [0, 3],
        ],
        dtype === 'bool' ? 0 : 2,
      ),
    )
  }
})

test('concat, stack, split and unstack move every dtype as on cpu', async () => {
  for (const dtype of ['float32', 'int32', 'bool'] as const) {
    await same(() => tf.concat([input([3, 2], dtype), input([3, 5], dtype, 4), input([3, 0], dtype)], 1))
    await same(() => tf.concat([input([2, 5], dtype), input([3, 5], dtype, 4)], 0))
    await same(() => tf.concat([input([2, 1, 3], dtype), input([2, 4, 3], dtype, 4)], 1))
    for (const axis of [0, 1, 2]) await same(() => tf.stack([input([3, 5], dtype), input([3, 5], dtype, 2)], axis))
    for (const axis of [0, 1, 2]) await same(() => tf.unstack(input([2, 3, 5], dtype), axis))
    await same(() => tf.split(input([4, 6], dtype), 3, 1))
    await same(() => tf.split(input([4, 6], dtype), [1, 0, 5], 1))
    await same(() => tf.split(input([4, 6], dtype), 2, 0))
  }
})

test('gather, its gradient and one-hot agree with cpu', async () => {
  const index = (): tf.Tensor1D => tf.tensor1d([2, 0, 2, 1], 'int32')
  for (const dtype of ['float32', 'int32', 'bool'] as const) {
    await same(() => tf.gather(input([3, 5], dtype), index()))
    await same(() => tf.gather(input([4, 3], dtype), index(), 1))
    await same(() =>
      tf.gather(
        input([2, 3, 4], dtype),
        tf.tensor2d(
          [
            [0, 2],
            [1, 1],
          ],
          [2, 2],
          'int32',
        ),
        1,
      ),
    )
  }
  await same(() => tf.grad((x: tf.Tensor) => tf.sum(tf.mul(tf.gather(x, index()), input([4, 5]))))(input([3, 5])))
  await same(() => tf.oneHot(tf.tensor1d([0, 3, -1, 9, 2], 'int32'), 5))
  await same(() => tf.oneHot(index(), 3, 2.5, -1, 'float32'))
  await same(() => tf.oneHot(index(), 3, 1, 0, 'bool'))
  expect(() => tf.gather(input([3, 5]), tf.tensor1d([3], 'int32')).dataSync()).toThrow(/is not in \[0, 2\]/)
})

// ---- products

const EDGE = [1, 3, 4, 5, 7, 8, 9, 31, 64, 71]
const LONG = [255, 256, 257, 300, 513]

/** op(A) op(B) (+ C) in float64. */
function product(a: number[], b: number[], m: number, n: number, k: number, ta: boolean, tb: boolean): Float64Array {
  const c = new Float64Array(m * n)
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let total = 0
      for (let p = 0; p < k; p++) total += a[ta ? p * m + i : i * k + p] * b[tb ? j * k + p : p * n + j]
      c[i * n + j] = total
    }
  }
  return c
}

test('matrix products of all sizes and transpositions are within float32 rounding of float64', () => {
  const sizes: [number, number, number][] = []
  // Every size meets every other in each of the three places, without the full cube.
  EDGE.forEach((x, i) => EDGE.forEach((y, j) => sizes.push([x, y, EDGE[(i + 2 * j) % EDGE.length]])))
  LONG.forEach((x, i) =>
    sizes.push([x, EDGE[i], EDGE[i + 3]], [EDGE[i], x, EDGE[i + 2]], [EDGE[i + 1], EDGE[i + 4], x]),
  )
  for (const [m, n, k] of sizes) {
    const a = numbers(m * k, 3).map(Math.fround)
    const b = numbers(k * n, 5).map(Math.fround)
    for (const [ta, tb] of [
      [false, false],
      [true, false],
      [false, true],
      [true, true],
    ]) {
      const expected = product(a, b, m, n, k, ta, tb)
      const got = tf.tidy(() => {
        const left = tf.tensor2d(a, ta ? [k, m] : [m, k])
        const right = tf.tensor2d(b, tb ? [n, k] : [k, n])
        return tf.matMul(left, right, ta, tb).dataSync()
      })
      const bound = 4 * 2 ** -24 * k * 4
      const wrong = expected.findIndex((x, i) => !(Math.abs(x - got[i]) <= bound))
      expect(wrong, `${m}×${n}×${k} ${ta} ${tb}: ${got[wrong]} for ${expected[wrong]}`).toBe(-1)
    }
  }
  backend.allocator.checkAll()
})

test('products of nothing, and of what is not a number, are those of cpu', async () => {
  for (const [m, n, k] of [
    [3, 4, 0],
    [0, 4, 5],
    [3, 0, 5],
    [5, 30, 0],
    [0, 0, 0],
  ]) {
    for (const [ta, tb] of [
      [false, false],
      [true, false],
      [false, true],
      [true, true],
    ]) {
      await same(() => tf.matMul(input(ta ? [k, m] : [m, k]) as tf.Tensor2D, input(tb ? [n, k] : [k, n]), ta, tb))
    }
  }
  // Without terms only the bias is left.
  const bias = (): tf.Tensor => input([30], 'float32', 8)
  for (const activation of ['linear', 'relu'] as const) {
    await same(() => tf.fused.matMul({ a: input([5, 0]), b: input([0, 30]), bias: bias(), activation }))
  }
  // In place, packed, and longer than a block.
  for (const [m, n, k] of [
    [5, 7, 9],
    [6, 33, 9],
    [3, 26, 260],
  ]) {
    const spoilt = (): tf.Tensor2D => {
      const values = numbers(m * k, 3)
      values[k + 1] = NaN
      values[2 * k] = Infinity
      return tf.tensor2d(values, [m, k])
    }
    await same(() => tf.matMul(spoilt(), input([k, n], 'float32', 4)), sums(k))
    await same(() => tf.matMul(tf.transpose(spoilt()), input([k, n], 'float32', 4), true), sums(k))
  }
})

test('batched products agree with cpu, shared matrices and transpositions included', async () => {
  const cases: [number[], number[], boolean, boolean][] = [
    [[3, 1, 4], [3, 4, 7], false, false],
    [[3, 2, 4], [3, 7, 4], false, true],
    [[3, 4, 2], [3, 4, 7], true, false],
    [[2, 3, 5, 4], [2, 3, 4, 6], false, false],
    [[3, 5, 4], [1, 4, 6], false, false],
    [[1, 5, 4], [3, 4, 6], false, false],
    [[4, 33, 20], [4, 20, 17], false, false],
    [[4, 33, 20], [4, 17, 20], false, true],
    [[2, 1, 5, 4], [1, 3, 4, 6], false, false],
    [[2, 3, 0], [2, 0, 3], false, false],
    [[0, 3, 2], [0, 2, 3], false, false],
  ]
  for (const [a, b, ta, tb] of cases) {
    await same(() => tf.matMul(input(a), input(b, 'float32', 4), ta, tb), sums(40))
  }
  const bias = (): tf.Tensor => input([6], 'float32', 8)
  for (const activation of ['linear', 'relu', 'sigmoid', 'elu'] as const) {
    await same(
      () => tf.fused.matMul({ a: input([5, 4]), b: input([4, 6], 'float32', 2), bias: bias(), activation }),
      sums(8),
    )
  }
})

test('a row of a product does not depend on how many rows there are', () => {
  const [m, n, k] = [37, 19, 300]
  tf.tidy(() => {
    const a = input([m, k]) as tf.Tensor2D
    const b = input([k, n], 'float32', 2) as tf.Tensor2D
    const whole = tf.matMul(a, b)
    for (const row of [0, 5, 33, 36]) {
      const alone = tf.matMul(tf.slice(a, [row, 0], [1, k]), b)
      expect(Array.from(alone.dataSync())).toEqual(Array.from(tf.slice(whole, [row, 0], [1, n]).dataSync()))
    }
  })
})

// ---- the backend itself

test('kernels that only TensorFlow.js has run on simd tensors', async () => {
  await same(
    () => tf.conv2d(input([1, 5, 5, 2]) as tf.Tensor4D, input([3, 3, 2, 4]) as tf.Tensor4D, 1, 'same'),
    sums(30),
  )
  await same(() => tf.cumsum(input([3, 5]), 1), loose)
  await same(() => tf.reverse(input([3, 5]), 1))
  await same(() => tf.stridedSlice(input([7, 5]), [1, 0], [7, 5], [2, 2]))
  await same(() => tf.topk(input([3, 5]), 2).values)
  await same(() => tf.prod(input([3, 5]), 1), loose)
  await same(() => tf.real(tf.complex(input([4]), input([4], 'float32', 3))))
  await same(() => tf.atan2(input([5]), input([5], 'float32', 3)), loose)
  // a chain: ours, theirs, ours, with a slice that hands back part of its input
  await same(() => tf.exp(tf.cumsum(tf.mul(input([3, 5]), 0.1), 1)), loose)
  await same(() => tf.add(tf.reverse(tf.slice(input([9]), [2], [5])), 1))
  const text = tf.tensor1d(['a', 'bc'])
  expect(text.dataSync()).toEqual(['a', 'bc'])
  text.dispose()
})

test('tensors move between backends in both directions and back', async () => {
  await tf.setBackend('cpu')
  const made = tf.tensor2d([
    [1, 2],
    [3, 4],
  ])
  const flags = tf.tensor1d([true, false, true], 'bool')
  await tf.setBackend('simd')
  const before = backend.memory().liveBlocks
  const own = tf.add(made, 1)
  expect(Array.from(own.dataSync())).toEqual([2, 3, 4, 5])
  expect(Array.from(tf.logicalNot(flags).dataSync())).toEqual([0, 1, 0])
  await tf.setBackend('cpu')
  const back = tf.add(own, made)
  expect(Array.from(back.dataSync())).toEqual([3, 5, 7, 9])
  await tf.setBackend('simd')
  expect(Array.from(tf.mul(own, back).dataSync())).toEqual([6, 15, 28, 45])
  tf.dispose([made, flags, own, back])
  expect(backend.memory().liveBlocks - before).toBeLessThan(5) // the unnamed results above
})

test('a variable shared by clones is freed with its last user', () => {
  const blocks = backend.memory().liveBlocks
  const x = tf.tensor1d([1, 2, 3])
  const y = x.clone()
  const z = tf.reshape(y, [3, 1])
  x.dispose()
  y.dispose()
  expect(Array.from(z.dataSync())).toEqual([1, 2, 3])
  z.dispose()
  expect(backend.memory().liveBlocks).toBe(blocks)
})

test('memory is flat over many rounds of mixed work', () => {
  const x = tf.variable(input([33, 7]))
  const round = (): void => {
    const { value, grads } = tf.variableGrads(() => tf.mean(tf.square(tf.softmax(tf.tanh(x)))) as tf.Scalar)
    tf.dispose([value, grads])
  }
  round()
  const before = { ...tf.memory(), ...backend.memory(), ids: backend.numDataIds(), top: backend.allocator.reached }
  for (let i = 0; i < 100; i++) round()
  const after = { ...tf.memory(), ...backend.memory(), ids: backend.numDataIds(), top: backend.allocator.reached }
  expect(after).toEqual(before)
  x.dispose()
})
