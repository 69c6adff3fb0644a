/**
 * The hot TensorFlow.js kernels of the `simd` backend, one table from kernel name to function. Each may decline a call
 * (another dtype, more axes than it handles) by returning null; TensorFlow.js's CPU kernel then takes it.
 */
import * as tf from '#tensorflow'
import { type SimdBackend } from './backend.ts'
import { BINARY, BINARY_INT, CAST, COMPARE, COMPARE_INT, LOGIC, UNARY } from './opcodes.ts'
import { broadcastSteps, loops, stepsOf } from './strides.ts'

type Info = tf.TensorInfo
type Inputs = Record<string, Info>
/** Attributes as the kernels of TensorFlow.js name them; checked by its ops before they arrive here. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Attributes = Record<string, any>
type Override = (backend: SimdBackend, inputs: Inputs, attributes: Attributes) => Info | Info[] | null

/** Slots of the backend's scratch regions. */
export const SCRATCH = { packA: 0, packB: 1, work: 2, more: 3 } as const

/** Length of a block along K: KBLOCK of assembly/gemm.ts. */
const K_BLOCK = 256
/** Bytes of 16 packed rows of A. */
const PACK_A_BYTES = 16 * K_BLOCK * 4

const sizeOf = (shape: readonly number[]): number => {
  let size = 1
  for (let i = 0; i < shape.length; i++) size *= shape[i]
  return size
}

const sameShape = (a: readonly number[], b: readonly number[]): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** The same elements under another shape. */
function alias(backend: SimdBackend, x: Info, shape: number[]): Info {
  backend.incRef(x.dataId)
  return { dataId: x.dataId, shape, dtype: x.dtype }
}

// ---- products

/** Scratch for one packed B [K, N]. */
export function packedB(backend: SimdBackend, n: number, k: number): number {
  return backend.scratch(SCRATCH.packB, ((n + 15) & ~15) * k * 4)
}

/** Scratch for the packed rows of A. */
export function packingA(backend: SimdBackend): number {
  return backend.scratch(SCRATCH.packA, PACK_A_BYTES)
}

/**
 * C = op(A) · op(B) by address, B packed on the way; see assembly/gemm.ts.
 * @param how `mask` [M, N]: C becomes 0 where this is not above 0, as the gradient through a relu does
 */
export function gemm(
  backend: SimdBackend,
  a: number,
  b: number,
  c: number,
  sizes: { m: number; n: number; k: number },
  how: {
    transposeA?: boolean
    transposeB?: boolean
    accumulate?: boolean
    bias?: number
    relu?: boolean
    mask?: number
  } = {},
): void {
  const { m, n, k } = sizes
  if (m === 0 || n === 0) return
  const { transposeA = false, transposeB = false, accumulate = false, bias = 0, relu = false, mask = 0 } = how
  const { kernels, product } = backend
  if (product !== undefined && k > 0 && m * n * k >= 4096) {
    if (bias !== 0) kernels.copy(bias, c, 4, 1, 1, m, n, 0, 0, 0, 1, 0, 0, n, 1) // every row starts as the bias
    const adds = accumulate || bias !== 0
    product(backend.allocator.memory.buffer, a, b, c, sizes, transposeA, transposeB, adds)
    if (relu) kernels.unary(UNARY.Relu, c, c, m * n, 0)
    if (mask !== 0) kernels.binary(BINARY.ReluGrad, c, mask, c, 1, 1, 1, m * n, 0, 0, 0, 1, 0, 0, 0, 1)
    return
  }
  const packed = packedB(backend, n, Math.min(k, K_BLOCK))
  const packing = packingA(backend)
  const [lda, ldb] = [transposeA ? m : k, transposeB ? k : n]
  kernels.gemm(a, lda, +transposeA, b, ldb, +transposeB, c, n, m, n, k, +accumulate, bias, +relu, packing, packed, mask)
}

function matMul(backend: SimdBackend, inputs: Inputs, attributes: Attributes, bias?: Info, relu = false): Info | null {
  const { a, b } = inputs
  if (a.dtype !== 'float32' || b.dtype !== 'float32') return null
  const transposeA: boolean = attributes.transposeA ?? false
  const transposeB: boolean = attributes.transposeB ?? false
  const rankA = a.shape.length
  const rankB = b.shape.length
  const m = a.shape[rankA - (transposeA ? 1 : 2)]
  const k = a.shape[rankA - (transposeA ? 2 : 1)]
  const n = b.shape[rankB - (transposeB ? 2 : 1)]
  const batchA = sizeOf(a.shape.slice(0, -2))
  const batchB = sizeOf(b.shape.slice(0, -2))
  const outer = tf.broadcast_util.assertAndGetBroadcastShape(a.shape.slice(0, -2), b.shape.slice(0, -2))
  const batch = sizeOf(outer)
  if ((batchA !== batch && batchA !== 1) || (batchB !== batch && batchB !== 1)) return null
  const result = backend.empty([...outer, m, n])
  if (batch * m * n === 0) return result
  const from = backend.at(a)
  const right = backend.at(b)
  const to = backend.at(result)
  const biasAt = bias === undefined ? 0 : backend.at(bias)
  if (batch === 1 || (batchB === 1 && !transposeA)) {
    // One B for all: the batch is more rows of A.
    gemm(backend, from, right, to, { m: m * batch, n, k }, { transposeA, transposeB, bias: biasAt, relu })
    return result
  }
  if (bias !== undefined || relu) {
    backend.disposeIntermediateTensorInfo(result)
    return null
  }
  const strideA = batchA === 1 ? 0 : m * k
  const strideB = batchB === 1 ? 0 : k * n
  if (!transposeA && (m <= 4 || m * n * k <= 4096)) {
    const work = transposeB ? backend.scratch(SCRATCH.work, k * n * 4) : 0
    backend.kernels.gemmBatch(from, strideA, right, strideB, +transposeB, to, batch, m, n, k, work)
    return result
  }
  for (let i = 0; i < batch; i++) {
    const at = { a: from + i * strideA * 4, b: right + i * strideB * 4, c: to + i * m * n * 4 }
    gemm(backend, at.a, at.b, at.c, { m, n, k }, { transposeA, transposeB })
  }
  return result
}

function fusedMatMul(backend: SimdBackend, inputs: Inputs, attributes: Attributes): Info | null {
  const { activation } = attributes
  const bias = inputs.bias as Info | undefined
  if (inputs.preluActivationWeights != null) return null
  if (activation !== 'linear' && activation !== 'relu') return null
  const { b } = inputs
  const n = b.shape[b.shape.length - (attributes.transposeB ? 2 : 1)]
  if (bias != null && (sizeOf(bias.shape) !== n || bias.dtype !== 'float32')) return null
  return matMul(backend, inputs, attributes, bias ?? undefined, activation === 'relu')
}

// ---- elementwise

function unary(name: keyof typeof UNARY, attribute?: string): Override {
  const op = UNARY[name]
  return (backend, { x }, attributes) => {
    if (x.dtype !== 'float32') return null
    const result = backend.empty(x.shape)
    const alpha = attribute === undefined ? 0 : attributes[attribute]
    backend.kernels.unary(op, backend.at(x), backend.at(result), sizeOf(x.shape), alpha)
    return result
  }
}

/** Calls a strided kernel over two broadcast operands; null where they need more than four loops. */
function pairwise(
  backend: SimdBackend,
  kernel: (...args: number[]) => number,
  op: number,
  a: Info,
  b: Info,
  dtype: 'float32' | 'int32' | 'bool',
): Info | null {
  if (sameShape(a.shape, b.shape)) {
    const result = backend.empty(a.shape, dtype)
    const n = sizeOf(a.shape)
    kernel(op, backend.at(a), backend.at(b), backend.at(result), 1, 1, 1, n, 0, 0, 0, 1, 0, 0, 0, 1)
    return result
  }
  const shape = tf.broadcast_util.assertAndGetBroadcastShape(a.shape, b.shape)
  const plan = loops(shape, [broadcastSteps(a.shape, shape), broadcastSteps(b.shape, shape)])
  if (plan === null) return null
  const result = backend.empty(shape, dtype)
  if (sizeOf(shape) === 0) return result
  const { size, steps } = plan
  kernel(op, backend.at(a), backend.at(b), backend.at(result), ...size, ...steps[0], ...steps[1])
  return result
}

function binary(name: keyof typeof BINARY): Override {
  const op = BINARY[name]
  const opInt = (BINARY_INT as Record<string, number | undefined>)[name]
  return (backend, { a, b }) => {
    if (a.dtype !== b.dtype) return null
    if (a.dtype === 'float32') return pairwise(backend, backend.kernels.binary, op, a, b, 'float32')
    if (a.dtype === 'int32' && opInt !== undefined)
      return pairwise(backend, backend.kernels.binary, opInt, a, b, 'int32')
    return null
  }
}

function compare(name: keyof typeof COMPARE): Override {
  const op = COMPARE[name]
  return (backend, { a, b }) => {
    if (a.dtype !== b.dtype || (a.dtype !== 'float32' && a.dtype !== 'int32')) return null
    return pairwise(backend, backend.kernels.compare, a.dtype === 'int32' ? op + COMPARE_INT : op, a, b, 'bool')
  }
}

function logical(name: 'LogicalAnd' | 'LogicalOr'): Override {
  return (backend, { a, b }) => {
    if (!sameShape(a.shape, b.shape) || a.dtype !== 'bool' || b.dtype !== 'bool') return null
    const result = backend.empty(a.shape, 'bool')
    backend.kernels.logic(LOGIC[name], backend.at(a), backend.at(b), backend.at(result), sizeOf(a.shape))
    return result
  }
}

function logicalNot(backend: SimdBackend, { x }: Inputs): Info | null {
  if (x.dtype !== 'bool') return null
  const result = backend.empty(x.shape, 'bool')
  backend.kernels.logic(LOGIC.LogicalNot, backend.at(x), 0, backend.at(result), sizeOf(x.shape))
  return result
}

function select(backend: SimdBackend, { condition, t, e }: Inputs): Info | null {
  if (condition.dtype !== 'bool' || t.dtype !== e.dtype || (t.dtype !== 'float32' && t.dtype !== 'int32')) return null
  if (!sameShape(condition.shape, t.shape) || !sameShape(t.shape, e.shape)) return null
  const result = backend.empty(t.shape, t.dtype)
  const n = sizeOf(t.shape)
  backend.kernels.select(backend.at(condition), backend.at(t), backend.at(e), backend.at(result), n)
  return result
}

function clip(backend: SimdBackend, { x }: Inputs, attributes: Attributes): Info | null {
  if (x.dtype !== 'float32') return null
  const result = backend.empty(x.shape)
  const { clipValueMin, clipValueMax } = attributes
  backend.kernels.clip(backend.at(x), backend.at(result), sizeOf(x.shape), clipValueMin, clipValueMax)
  return result
}

function cast(backend: SimdBackend, { x }: Inputs, { dtype }: Attributes): Info | null {
  if (x.dtype === dtype) return alias(backend, x, x.shape)
  const kind = CAST[`${x.dtype} ${dtype}`]
  if (kind === undefined) return null
  const result = backend.empty(x.shape, dtype)
  backend.kernels.cast(kind, backend.at(x), backend.at(result), sizeOf(x.shape))
  return result
}

/** Adds all inputs, in order. */
function addN(backend: SimdBackend, inputs: Inputs): Info | null {
  const terms = Object.values(inputs)
  if (terms.some((term) => term.dtype !== 'float32')) return null
  const result = backend.empty(terms[0].shape)
  const n = sizeOf(result.shape)
  const to = backend.at(result)
  if (terms.length === 1) backend.kernels.follow(to, backend.at(terms[0]), 1, n)
  else backend.kernels.addScaled(backend.at(terms[0]), backend.at(terms[1]), 1, to, n)
  for (let i = 2; i < terms.length; i++) backend.kernels.addScaled(to, backend.at(terms[i]), 1, to, n)
  return result
}

// ---- filling and shapes

const bitsOf = new DataView(new ArrayBuffer(4))

/** A number as the int32 whose bits a four-byte element of the dtype has. */
function bits(value: number, dtype: string): number {
  if (dtype === 'int32') return value | 0
  bitsOf.setFloat32(0, value)
  return bitsOf.getInt32(0)
}

function filled(backend: SimdBackend, shape: number[], dtype: 'float32' | 'int32' | 'bool', value: number): Info {
  const result = backend.empty(shape, dtype)
  const size = sizeOf(shape)
  if (dtype === 'bool') {
    const at = backend.at(result)
    backend.allocator.u8.fill(value === 0 ? 0 : 1, at, at + size)
  } else backend.kernels.fill(backend.at(result), bits(value, dtype), size)
  return result
}

const numeric = (dtype: string): dtype is 'float32' | 'int32' | 'bool' =>
  dtype === 'float32' || dtype === 'int32' || dtype === 'bool'

function fill(backend: SimdBackend, _inputs: Inputs, { shape, value, dtype }: Attributes): Info | null {
  const kind = dtype ?? tf.util.inferDtype(value)
  return numeric(kind) && kind !== 'bool' ? filled(backend, shape, kind, value) : null
}

function like(value: number): Override {
  return (backend, { x }) => (numeric(x.dtype) ? filled(backend, x.shape, x.dtype, value) : null)
}

function reshape(backend: SimdBackend, { x }: Inputs, { shape }: Attributes): Info {
  const size = sizeOf(x.shape)
  const wanted = tf.util.inferFromImplicitShape(shape, size)
  const expected = sizeOf(wanted)
  tf.util.assert(
    size === expected,
    () => `The new shape (${wanted}) has ${expected} elements and the old shape (${x.shape}) has ${size} elements.`,
  )
  return alias(backend, x, wanted)
}

function expandDims(backend: SimdBackend, { input }: Inputs, { dim }: Attributes): Info {
  const shape = input.shape.slice()
  shape.splice(dim < 0 ? input.shape.length + dim + 1 : dim, 0, 1)
  return alias(backend, input, shape)
}

// ---- reductions

interface Axes {
  readonly outer: number
  readonly length: number
  readonly inner: number
  readonly shape: number[]
}

/** The reduced axes as one run between outer and inner axes; null where kept axes lie between them. */
function reducedRun(shape: readonly number[], axes: readonly number[], keepDims: boolean): Axes | null {
  let outer = 1
  let length = 1
  let inner = 1
  let phase = 0 // 0 before, 1 inside, 2 after the run
  const kept: number[] = []
  for (let axis = 0; axis < shape.length; axis++) {
    const size = shape[axis]
    const reduced = axes.includes(axis)
    if (!reduced) kept.push(size)
    else if (keepDims) kept.push(1)
    if (size === 1) continue
    if (reduced) {
      if (phase === 2) return null
      phase = 1
      length *= size
    } else if (phase === 0) outer *= size
    else {
      phase = 2
      inner *= size
    }
  }
  return { outer, length, inner, shape: kept }
}

type Reduce = (backend: SimdBackend, from: number, to: number, run: Axes) => void

interface ReduceRule {
  readonly to: 'float32' | 'int32' | 'bool'
  readonly run: Reduce
  /** Whether a reduction over nothing has a value; where not, TensorFlow.js decides. */
  readonly empty: boolean
}

function reduction(attribute: string, dtypes: Record<string, ReduceRule>): Override {
  return (backend, { x }, attributes) => {
    const rule = dtypes[x.dtype]
    if (rule === undefined) return null
    const axes = tf.util.parseAxisParam(attributes[attribute] ?? x.shape.map((_, i) => i), x.shape)
    const keepDims: boolean = attributes.keepDims ?? false
    const run = reducedRun(x.shape, axes, keepDims)
    if (run !== null) {
      if (run.length === 0 && !rule.empty) return null
      const result = backend.empty(run.shape, rule.to)
      if (sizeOf(run.shape) > 0) rule.run(backend, backend.at(x), backend.at(result), run)
      return result
    }
    // Kept axes between reduced ones: bring the reduced ones to the end first.
    const order = x.shape.map((_, i) => i)
    const perm = [...order.filter((i) => !axes.includes(i)), ...order.filter((i) => axes.includes(i))]
    const turned = transpose(backend, { x }, { perm })
    if (turned === null) return null
    const tail = reducedRun(
      turned.shape,
      axes.map((_, i) => turned.shape.length - 1 - i),
      false,
    ) as Axes
    const shape = x.shape.flatMap((size, i) => (!axes.includes(i) ? [size] : keepDims ? [1] : []))
    const result = backend.empty(shape, rule.to)
    if (sizeOf(shape) > 0) rule.run(backend, backend.at(turned), backend.at(result), tail)
    backend.disposeIntermediateTensorInfo(turned)
    return result
  }
}

const sumRule: Reduce = ({ kernels }, from, to, { outer, length, inner }) => {
  kernels.sum(from, to, outer, length, inner, 1)
}
const sumIntRule: Reduce = ({ kernels }, from, to, { outer, length, inner }) => {
  kernels.sumInt(from, to, outer, length, inner)
}
const meanRule: Reduce = ({ kernels }, from, to, { outer, length, inner }) => {
  kernels.sum(from, to, outer, length, inner, length)
}
const maxRule: Reduce = ({ kernels }, from, to, { outer, length, inner }) => {
  kernels.max_(from, to, outer, length, inner)
}
const minRule: Reduce = ({ kernels }, from, to, { outer, length, inner }) => {
  kernels.min_(from, to, outer, length, inner)
}
const anyAllRule =
  (all: number): Reduce =>
  ({ kernels }, from, to, { outer, length, inner }) => {
    kernels.anyAll(all, from, to, outer, length, inner)
  }

function argExtreme(sign: number): Override {
  return (backend, { x }, { axis }) => {
    if (x.dtype !== 'float32') return null
    const axes = tf.util.parseAxisParam(axis, x.shape)
    const run = axes.length === 1 ? reducedRun(x.shape, axes, false) : null
    if (run === null || run.length === 0) return null
    const result = backend.empty(run.shape, 'int32')
    backend.kernels.argExtreme(sign, backend.at(x), backend.at(result), run.outer, run.length, run.inner)
    return result
  }
}

function softmax(backend: SimdBackend, { logits }: Inputs, { dim }: Attributes): Info | null {
  const rank = logits.shape.length
  if (logits.dtype !== 'float32' || (dim !== rank - 1 && dim !== -1)) return null
  const result = backend.empty(logits.shape)
  const columns = logits.shape[rank - 1]
  const rows = columns === 0 ? 0 : sizeOf(logits.shape) / columns
  backend.kernels.softmax(backend.at(logits), backend.at(result), rows, columns)
  return result
}

// ---- movement

const widthOf = (dtype: string): number => (dtype === 'bool' ? 1 : 4)

/** A strided copy; `from` and `to` are byte addresses of the first element each side. */
function copy(
  backend: SimdBackend,
  from: number,
  to: number,
  width: number,
  shape: readonly number[],
  read: readonly number[],
  write: readonly number[],
): boolean {
  const plan = loops(shape, [read, write])
  if (plan === null) return false
  if (sizeOf(shape) > 0) backend.kernels.copy(from, to, width, ...plan.size, ...plan.steps[0], ...plan.steps[1])
  return true
}

/** A tensor of `shape` read from x with the given steps, starting at element `first`. */
function strided(backend: SimdBackend, x: Info, shape: number[], read: readonly number[], first = 0): Info | null {
  if (!numeric(x.dtype)) return null
  const result = backend.empty(shape, x.dtype)
  const width = widthOf(x.dtype)
  if (copy(backend, backend.at(x) + first * width, backend.at(result), width, shape, read, stepsOf(shape)))
    return result
  backend.disposeIntermediateTensorInfo(result)
  return null
}

function transpose(backend: SimdBackend, { x }: Inputs, { perm }: Attributes): Info | null {
  const steps = stepsOf(x.shape)
  const order = perm as number[]
  return strided(
    backend,
    x,
    order.map((axis) => x.shape[axis]),
    order.map((axis) => steps[axis]),
  )
}

function slice(backend: SimdBackend, { x }: Inputs, { begin, size }: Attributes): Info | null {
  const [first, shape] = tf.slice_util.parseSliceParams(x as tf.Tensor, begin, size)
  tf.slice_util.assertParamsValid(x as tf.Tensor, first, shape)
  const steps = stepsOf(x.shape)
  const offset = first.reduce((total, at, axis) => total + at * steps[axis], 0)
  return strided(backend, x, shape, steps, offset)
}

function tile(backend: SimdBackend, { x }: Inputs, { reps }: Attributes): Info | null {
  const steps = stepsOf(x.shape)
  const apart: number[] = [] // every axis as [repetition, element]
  const read: number[] = []
  x.shape.forEach((size, axis) => {
    apart.push(reps[axis], size)
    read.push(0, steps[axis])
  })
  const result = strided(backend, x, apart, read)
  return result === null ? null : { ...result, shape: x.shape.map((size, axis) => size * reps[axis]) }
}

function pad(backend: SimdBackend, { x }: Inputs, { paddings, constantValue }: Attributes): Info | null {
  if (x.dtype !== 'float32' && x.dtype !== 'int32') return null
  const pairs = paddings as [number, number][]
  const shape = x.shape.map((size, axis) => size + pairs[axis][0] + pairs[axis][1])
  const steps = stepsOf(shape)
  const offset = pairs.reduce((total, [before], axis) => total + before * steps[axis], 0)
  const result = filled(backend, shape, x.dtype, constantValue)
  const done = copy(backend, backend.at(x), backend.at(result) + offset * 4, 4, x.shape, stepsOf(x.shape), steps)
  if (done) return result
  backend.disposeIntermediateTensorInfo(result)
  return null
}

/** Joins inputs whose elements come in `outer` runs each; runs[i] elements of input i in every row of the result. */
function join(
  backend: SimdBackend,
  parts: readonly Info[],
  shape: number[],
  outer: number,
  runs: readonly number[],
): Info {
  const { dtype } = parts[0]
  const width = widthOf(dtype)
  const row = runs.reduce((total, run) => total + run, 0)
  const result = backend.empty(shape, dtype)
  let to = backend.at(result)
  for (let i = 0; i < parts.length; i++) {
    const run = runs[i]
    if (run * outer > 0) {
      backend.kernels.copy(backend.at(parts[i]), to, width, 1, 1, outer, run, 0, 0, run, 1, 0, 0, row, 1)
    }
    to += run * width
  }
  return result
}

function concat(backend: SimdBackend, inputs: Inputs, { axis }: Attributes): Info | null {
  const all = Object.values(inputs)
  const along = tf.util.parseAxisParam(axis, all[0].shape)[0]
  const shape = tf.backend_util.computeOutShape(
    all.map((part) => part.shape),
    along,
  )
  if (!numeric(all[0].dtype) || all.some((part) => part.dtype !== all[0].dtype)) return null
  const outer = sizeOf(shape.slice(0, along))
  return join(
    backend,
    all,
    shape,
    outer,
    all.map((part) => sizeOf(part.shape.slice(along))),
  )
}

function pack(backend: SimdBackend, inputs: Inputs, { axis }: Attributes): Info | null {
  const all = Object.values(inputs)
  const first = all[0]
  if (!numeric(first.dtype) || all.some((part) => part.dtype !== first.dtype || !sameShape(part.shape, first.shape))) {
    return null
  }
  const run = sizeOf(first.shape.slice(axis))
  const shape = [...first.shape.slice(0, axis), all.length, ...first.shape.slice(axis)]
  const outer = sizeOf(first.shape.slice(0, axis))
  return join(
    backend,
    all,
    shape,
    outer,
    all.map(() => run),
  )
}

function part(
  backend: SimdBackend,
  x: Info,
  shape: number[],
  outer: number,
  row: number,
  first: number,
  run: number,
): Info {
  const result = backend.empty(shape, x.dtype)
  const width = widthOf(x.dtype)
  if (run * outer > 0) {
    const from = backend.at(x) + first * width
    backend.kernels.copy(from, backend.at(result), width, 1, 1, outer, run, 0, 0, row, 1, 0, 0, run, 1)
  }
  return result
}

function split(backend: SimdBackend, { x }: Inputs, { numOrSizeSplits, axis }: Attributes): Info[] | null {
  if (!numeric(x.dtype)) return null
  const along = tf.util.parseAxisParam(axis, x.shape)[0]
  const sizes = tf.backend_util.prepareSplitSize(x as tf.Tensor, numOrSizeSplits, along)
  const outer = sizeOf(x.shape.slice(0, along))
  const inner = sizeOf(x.shape.slice(along + 1))
  let first = 0
  return sizes.map((size) => {
    const shape = x.shape.slice()
    shape[along] = size
    const piece = part(backend, x, shape, outer, x.shape[along] * inner, first, size * inner)
    first += size * inner
    return piece
  })
}

function unpack(backend: SimdBackend, { value }: Inputs, { axis }: Attributes): Info[] | null {
  if (!numeric(value.dtype)) return null
  const along = axis < 0 ? axis + value.shape.length : axis
  const shape = value.shape.filter((_, i) => i !== along)
  const outer = sizeOf(value.shape.slice(0, along))
  const inner = sizeOf(value.shape.slice(along + 1))
  const count = value.shape[along]
  return Array.from({ length: count }, (_, i) => part(backend, value, shape, outer, count * inner, i * inner, inner))
}

function gather(backend: SimdBackend, { x, indices }: Inputs, { axis, batchDims }: Attributes): Info | null {
  if ((batchDims ?? 0) !== 0 || !numeric(x.dtype) || indices.dtype !== 'int32') return null
  const along = tf.util.parseAxisParam(axis, x.shape)[0]
  const rows = x.shape[along]
  const outer = sizeOf(x.shape.slice(0, along))
  const run = sizeOf(x.shape.slice(along + 1)) * widthOf(x.dtype)
  const count = sizeOf(indices.shape)
  const result = backend.empty([...x.shape.slice(0, along), ...indices.shape, ...x.shape.slice(along + 1)], x.dtype)
  const from = backend.at(indices)
  const bad = backend.kernels.gather(backend.at(x), from, backend.at(result), outer, rows, count, run, run)
  if (bad < 0) return result
  const index = backend.allocator.i32[from / 4 + bad]
  backend.disposeIntermediateTensorInfo(result)
  throw new Error(`GatherV2: the index value ${index} is not in [0, ${rows - 1}]`)
}

function segmentSum(backend: SimdBackend, { x, segmentIds }: Inputs, { numSegments }: Attributes): Info | null {
  if (x.dtype !== 'float32' || segmentIds.dtype !== 'int32' || segmentIds.shape.length !== 1) return null
  const count = segmentIds.shape[0]
  const shape = [numSegments, ...x.shape.slice(1)]
  const result = filled(backend, shape, 'float32', 0)
  const width = sizeOf(x.shape.slice(1))
  backend.kernels.scatterAdd(backend.at(x), backend.at(segmentIds), backend.at(result), count, width, numSegments)
  return result
}

function oneHot(backend: SimdBackend, { indices }: Inputs, attributes: Attributes): Info | null {
  const { depth, onValue, offValue, dtype } = attributes
  if (indices.dtype !== 'int32' || (dtype !== 'float32' && dtype !== 'int32')) return null
  const result = backend.empty([...indices.shape, depth], dtype)
  const n = sizeOf(indices.shape)
  const { kernels } = backend
  kernels.oneHot(backend.at(indices), backend.at(result), n, depth, bits(onValue, dtype), bits(offValue, dtype))
  return result
}

/** Kernel names as TensorFlow.js registers them. */
export const OVERRIDES: Readonly<Record<string, Override>> = {
  Abs: unary('Abs'),
  Neg: unary('Neg'),
  Relu: unary('Relu'),
  Relu6: unary('Relu6'),
  Exp: unary('Exp'),
  Log: unary('Log'),
  Sqrt: unary('Sqrt'),
  Rsqrt: unary('Rsqrt'),
  Square: unary('Square'),
  Tanh: unary('Tanh'),
  Sigmoid: unary('Sigmoid'),
  Elu: unary('Elu'),
  Sign: unary('Sign'),
  Floor: unary('Floor'),
  Ceil: unary('Ceil'),
  Reciprocal: unary('Reciprocal'),
  Step: unary('Step', 'alpha'),
  LeakyRelu: unary('LeakyRelu', 'alpha'),
  ClipByValue: clip,
  Cast: cast,
  Add: binary('Add'),
  Sub: binary('Sub'),
  Multiply: binary('Multiply'),
  RealDiv: binary('RealDiv'),
  Maximum: binary('Maximum'),
  Minimum: binary('Minimum'),
  SquaredDifference: binary('SquaredDifference'),
  EluGrad: (backend, { dy, y }) => {
    if (dy.dtype !== 'float32' || y.dtype !== 'float32') return null
    return pairwise(backend, backend.kernels.binary, BINARY.EluGrad, dy, y, 'float32')
  },
  AddN: addN,
  Equal: compare('Equal'),
  NotEqual: compare('NotEqual'),
  Greater: compare('Greater'),
  GreaterEqual: compare('GreaterEqual'),
  Less: compare('Less'),
  LessEqual: compare('LessEqual'),
  LogicalAnd: logical('LogicalAnd'),
  LogicalOr: logical('LogicalOr'),
  LogicalNot: logicalNot,
  Select: select,
  Fill: fill,
  ZerosLike: like(0),
  OnesLike: like(1),
  Identity: (backend, { x }) => alias(backend, x, x.shape),
  Reshape: reshape,
  ExpandDims: expandDims,
  Sum: reduction('axis', {
    float32: { to: 'float32', run: sumRule, empty: true },
    int32: { to: 'int32', run: sumIntRule, empty: true },
  }),
  Mean: reduction('axis', { float32: { to: 'float32', run: meanRule, empty: true } }),
  Max: reduction('reductionIndices', { float32: { to: 'float32', run: maxRule, empty: false } }),
  Min: reduction('axis', { float32: { to: 'float32', run: minRule, empty: false } }),
  Any: reduction('axis', { bool: { to: 'bool', run: anyAllRule(0), empty: true } }),
  All: reduction('axis', { bool: { to: 'bool', run: anyAllRule(1), empty: true } }),
  ArgMax: argExtreme(1),
  ArgMin: argExtreme(-1),
  Softmax: softmax,
  Transpose: transpose,
  Slice: slice,
  Concat: concat,
  Pack: pack,
  SplitV: split,
  Unpack: unpack,
  PadV2: pad,
  Tile: tile,
  GatherV2: gather,
  UnsortedSegmentSum: segmentSum,
  OneHot: oneHot,
  BatchMatMul: matMul,
  _FusedMatMul: fusedMatMul,
}
