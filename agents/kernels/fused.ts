/** The fused ops as kernel calls on the `simd` backend; same arguments as their twins in composed.ts. */
import * as tf from '#tensorflow'
import { type SimdBackend } from './backend.ts'
import { fuse } from './fuse.ts'
import { gemm, packedB, packingA, SCRATCH } from './kernels.ts'
import { BINARY, UNARY } from './opcodes.ts'
import { type Activation, type GruInputs } from './shapes.ts'

const sizeOf = (shape: readonly number[]): number => {
  let size = 1
  for (let i = 0; i < shape.length; i++) size *= shape[i]
  return size
}

function zeros(backend: SimdBackend, shape: number[]): tf.TensorInfo {
  const info = backend.empty(shape)
  backend.kernels.fill(backend.at(info), 0, sizeOf(shape))
  return info
}

/** Sum of each column of [rows, columns]: the gradient of a bias. */
function columnSums(backend: SimdBackend, from: number, rows: number, columns: number): tf.Tensor {
  const info = backend.empty([columns])
  if (columns > 0) backend.kernels.sum(from, backend.at(info), 1, rows, columns, 1)
  return backend.tensor(info)
}

/** A product as a new tensor. */
function product(
  backend: SimdBackend,
  shape: number[],
  a: number,
  b: number,
  sizes: { m: number; n: number; k: number },
  how: { transposeA?: boolean; transposeB?: boolean },
): tf.Tensor {
  const info = backend.empty(shape)
  gemm(backend, a, b, backend.at(info), sizes, how)
  return backend.tensor(info)
}

/** A mask as bytes, 0 where there is none. Runs inside the forward function, whose tidy frees a conversion. */
const bytes = (mask: tf.Tensor): tf.Tensor => (mask.dtype === 'bool' ? mask : tf.cast(mask, 'bool'))

export function denseSimd(
  backend: SimdBackend,
  x: tf.Tensor,
  weight: tf.Tensor2D,
  bias: tf.Tensor1D | null,
  activation: Activation,
): tf.Tensor {
  const { kernels } = backend
  const [k, n] = weight.shape
  const m = sizeOf(x.shape.slice(0, -1))
  const inputs = bias === null ? [x, weight] : [x, weight, bias]
  const [y] = fuse(
    inputs,
    (save) => {
      const info = backend.empty([...x.shape.slice(0, -1), n])
      const to = backend.at(info)
      const biasAt = bias === null ? 0 : backend.at(bias)
      gemm(backend, backend.at(x), backend.at(weight), to, { m, n, k }, { bias: biasAt, relu: activation === 'relu' })
      if (activation === 'tanh') kernels.unary(UNARY.Tanh, to, to, m * n, 0)
      const out = backend.tensor(info)
      save(activation === 'none' ? [x, weight] : [x, weight, out])
      return [out]
    },
    ([dy], [savedX, savedWeight, out]) => {
      let before = dy
      if (activation !== 'none') {
        const info = backend.empty(dy.shape)
        const op = activation === 'relu' ? BINARY.ReluGrad : BINARY.TanhGrad
        const size = m * n
        kernels.binary(op, backend.at(dy), backend.at(out), backend.at(info), 1, 1, 1, size, 0, 0, 0, 1, 0, 0, 0, 1)
        before = backend.tensor(info)
      }
      const d = backend.at(before)
      return [
        () => product(backend, x.shape, d, backend.at(savedWeight), { m, n: k, k: n }, { transposeB: true }),
        () => product(backend, [k, n], backend.at(savedX), d, { m: k, n, k: m }, { transposeA: true }),
        () => columnSums(backend, d, m, n),
      ]
    },
  )
  return y
}

export function logSoftmaxSimd(backend: SimdBackend, logits: tf.Tensor): tf.Tensor {
  const { kernels } = backend
  const columns = logits.shape[logits.rank - 1]
  const rows = sizeOf(logits.shape.slice(0, -1))
  const [y] = fuse(
    [logits],
    (save) => {
      const info = backend.empty(logits.shape)
      kernels.logSoftmax(backend.at(logits), backend.at(info), columns === 0 ? 0 : rows, columns)
      const out = backend.tensor(info)
      save([out])
      return [out]
    },
    ([dy], [out]) => [
      () => {
        const info = backend.empty(dy.shape)
        kernels.logSoftmaxGrad(backend.at(out), backend.at(dy), backend.at(info), columns === 0 ? 0 : rows, columns)
        return backend.tensor(info)
      },
    ],
  )
  return y
}

export function layerNormSimd(
  backend: SimdBackend,
  x: tf.Tensor,
  scale: tf.Tensor1D,
  offset: tf.Tensor1D,
  epsilon: number,
): tf.Tensor {
  const { kernels } = backend
  const n = x.shape[x.rank - 1]
  const rows = n === 0 ? 0 : sizeOf(x.shape) / n
  const [y] = fuse(
    [x, scale, offset],
    (save) => {
      const info = backend.empty(x.shape)
      const stats = backend.empty([rows, 2])
      const [a, b, c] = [backend.at(x), backend.at(scale), backend.at(offset)]
      kernels.layerNorm(a, b, c, backend.at(info), backend.at(stats), rows, n, epsilon)
      const out = backend.tensor(info)
      save([x, scale, backend.tensor(stats)])
      return [out]
    },
    ([dy], [savedX, savedScale, stats]) => {
      const dx = backend.empty(x.shape)
      const dScale = zeros(backend, [n])
      const dOffset = zeros(backend, [n])
      kernels.layerNormGrad(
        ...[backend.at(savedX), backend.at(savedScale), backend.at(stats), backend.at(dy)],
        ...[backend.at(dx), backend.at(dScale), backend.at(dOffset), rows, n],
      )
      const gradients = [dx, dScale, dOffset].map((info) => backend.tensor(info))
      return gradients.map((gradient) => () => gradient)
    },
  )
  return y
}

export function gruSequenceSimd(backend: SimdBackend, inputs: GruInputs): tf.Tensor3D {
  const { input, hidden, reset, inputWeight, recurrentWeight, inputBias, recurrentBias } = inputs
  const { kernels } = backend
  const [steps, lanes, features] = input.shape
  const size = recurrentWeight.shape[0]
  const rows = steps * lanes
  const gateWidth = 3 * size
  const [y] = fuse(
    [input, hidden, inputWeight, recurrentWeight, inputBias, recurrentBias],
    (save) => {
      const forget = reset === null ? null : tf.cast(reset, 'float32')
      const projected = backend.empty([rows, gateWidth])
      const sizes = { m: rows, n: gateWidth, k: features }
      const bias = backend.at(inputBias)
      gemm(backend, backend.at(input), backend.at(inputWeight), backend.at(projected), sizes, { bias })
      const info = backend.empty([steps, lanes, size])
      const kept = backend.empty([steps, lanes, size])
      const gates = backend.empty([steps, lanes, 4 * size])
      const packed = packedB(backend, gateWidth, size)
      const work = backend.scratch(SCRATCH.work, lanes * gateWidth * 4)
      kernels.packB(backend.at(recurrentWeight), size, gateWidth, gateWidth, 0, packed)
      kernels.gruForward(
        ...[backend.at(projected), packed, backend.at(recurrentBias), backend.at(hidden)],
        ...[forget === null ? 0 : backend.at(forget), backend.at(info), backend.at(kept), backend.at(gates)],
        ...[steps, lanes, size, 1, work, packingA(backend)],
      )
      backend.disposeIntermediateTensorInfo(projected)
      const out = backend.tensor(info)
      const extras = [backend.tensor(kept), backend.tensor(gates), ...(forget === null ? [] : [forget])]
      save([input, inputWeight, recurrentWeight, ...extras])
      return [out]
    },
    ([dy], [savedInput, savedInputWeight, savedRecurrentWeight, kept, gates, forget]) => {
      const first = backend.tensor(zeros(backend, [lanes, size]))
      const inputSide = backend.tensor(backend.empty([rows, gateWidth]))
      const recurrentSide = backend.tensor(backend.empty([rows, gateWidth]))
      const packed = packedB(backend, size, gateWidth)
      kernels.packB(backend.at(savedRecurrentWeight), gateWidth, size, gateWidth, 1, packed)
      kernels.gruBackward(
        ...[backend.at(dy), packed, forget === undefined ? 0 : backend.at(forget), backend.at(kept), backend.at(gates)],
        ...[backend.at(first), backend.at(inputSide), backend.at(recurrentSide), steps, lanes, size, packingA(backend)],
      )
      const [dx, dg] = [backend.at(inputSide), backend.at(recurrentSide)]
      const wi = { m: features, n: gateWidth, k: rows }
      const wh = { m: size, n: gateWidth, k: rows }
      const x = { m: rows, n: features, k: gateWidth }
      return [
        () => product(backend, input.shape, dx, backend.at(savedInputWeight), x, { transposeB: true }),
        () => first,
        () => product(backend, [features, gateWidth], backend.at(savedInput), dx, wi, { transposeA: true }),
        () => product(backend, [size, gateWidth], backend.at(kept), dg, wh, { transposeA: true }),
        () => columnSums(backend, dx, rows, gateWidth),
        () => columnSums(backend, dg, rows, gateWidth),
      ]
    },
  )
  return y as tf.Tensor3D
}

export function maskedCategoricalSimd(
  backend: SimdBackend,
  logits: tf.Tensor2D,
  mask: tf.Tensor2D | null,
  action: tf.Tensor1D,
): { logProbability: tf.Tensor1D; entropy: tf.Tensor1D } {
  const { kernels } = backend
  const [rows, choices] = logits.shape
  const [logProbability, entropy] = fuse(
    [logits],
    (save) => {
      const allowed = mask === null ? null : bytes(mask)
      const taken = tf.cast(action, 'int32')
      const logs = backend.empty([rows, choices])
      const live = backend.empty([rows], 'bool')
      const outputs = [backend.empty([rows]), backend.empty([rows])]
      const work = backend.scratch(SCRATCH.work, choices * 4)
      kernels.categorical(
        ...[backend.at(logits), allowed === null ? 0 : backend.at(allowed), backend.at(taken), backend.at(logs)],
        ...[backend.at(live), backend.at(outputs[0]), backend.at(outputs[1]), rows, choices, work],
      )
      const [first, second] = outputs.map((info) => backend.tensor(info))
      const kept = [backend.tensor(logs), backend.tensor(live), taken, second]
      save(allowed === null ? kept : [...kept, allowed])
      return [first, second]
    },
    ([dLogProbability, dEntropy], [logs, live, taken, h, allowed]) => [
      () => {
        const info = backend.empty([rows, choices])
        kernels.categoricalGrad(
          ...[backend.at(logs), backend.at(live), backend.at(taken), allowed === undefined ? 0 : backend.at(allowed)],
          ...[backend.at(h), backend.at(dLogProbability), backend.at(dEntropy), backend.at(info), rows, choices],
        )
        return backend.tensor(info)
      },
    ],
  )
  return { logProbability: logProbability as tf.Tensor1D, entropy: entropy as tf.Tensor1D }
}

export function qmixMixSimd(
  backend: SimdBackend,
  q: tf.Tensor2D,
  w1: tf.Tensor2D,
  b1: tf.Tensor2D,
  wFinal: tf.Tensor2D,
  v: tf.Tensor,
): tf.Tensor1D {
  const { kernels } = backend
  const [rows, agents] = q.shape
  const embed = b1.shape[1]
  const [y] = fuse(
    [q, w1, b1, wFinal, v],
    (save) => {
      const info = backend.empty([rows])
      const hidden = backend.empty([rows, embed])
      kernels.qmix(
        ...[backend.at(q), backend.at(w1), backend.at(b1), backend.at(wFinal), backend.at(v)],
        ...[backend.at(hidden), backend.at(info), rows, agents, embed],
      )
      const out = backend.tensor(info)
      save([q, w1, wFinal, backend.tensor(hidden)])
      return [out]
    },
    ([dy], [savedQ, savedW1, savedFinal, hidden]) => {
      const made = [q.shape, w1.shape, b1.shape, wFinal.shape].map((shape) => backend.empty(shape))
      kernels.qmixGrad(
        ...[backend.at(savedQ), backend.at(savedW1), backend.at(savedFinal), backend.at(hidden), backend.at(dy)],
        ...[...made.map((info) => backend.at(info)), rows, agents, embed],
      )
      const gradients = made.map((info) => backend.tensor(info))
      return [...gradients.map((gradient) => () => gradient), () => tf.reshape(dy, v.shape)]
    },
  )
  return y as tf.Tensor1D
}

export function attentionSimd(
  backend: SimdBackend,
  query: tf.Tensor3D,
  key: tf.Tensor3D,
  value: tf.Tensor3D,
  heads: number,
  mask: tf.Tensor | null,
): tf.Tensor3D {
  const { kernels } = backend
  const [batch, queries, width] = query.shape
  const keys = key.shape[1]
  const valueWidth = value.shape[2]
  const sizes = [batch, heads, queries, keys, width, valueWidth]
  const [y] = fuse(
    [query, key, value],
    (save) => {
      const allowed = mask === null ? null : bytes(mask)
      const info = zeros(backend, [batch, queries, valueWidth])
      const weights = backend.empty([batch, heads, queries, keys])
      kernels.attention(
        ...[backend.at(query), backend.at(key), backend.at(value), allowed === null ? 0 : backend.at(allowed)],
        ...[mask !== null && mask.rank === 3 ? queries * keys : 0, backend.at(weights), backend.at(info), ...sizes],
      )
      const out = backend.tensor(info)
      save([query, key, value, backend.tensor(weights)])
      return [out]
    },
    ([dy], [savedQuery, savedKey, savedValue, weights]) => {
      const made = [query.shape, key.shape, value.shape].map((shape) => zeros(backend, shape))
      const work = backend.scratch(SCRATCH.work, keys * 4)
      kernels.attentionGrad(
        ...[backend.at(savedQuery), backend.at(savedKey), backend.at(savedValue), backend.at(weights), backend.at(dy)],
        ...[...made.map((info) => backend.at(info)), ...sizes, work],
      )
      const gradients = made.map((info) => backend.tensor(info))
      return gradients.map((gradient) => () => gradient)
    },
  )
  return y as tf.Tensor3D
}

export function gatherColumnsSimd(
  backend: SimdBackend,
  tables: readonly tf.Tensor2D[],
  rows: readonly Int32Array[],
): tf.Tensor2D {
  const [{ length: count }] = rows
  const across = tables.reduce((sum, { shape }) => sum + shape[1], 0)
  const info = backend.empty([count, across])
  const indices = backend.scratch(SCRATCH.work, count * 4)
  let to = backend.at(info)
  tables.forEach((table, t) => {
    const [most, width] = table.shape
    const from = backend.at(table)
    backend.allocator.i32.set(rows[t], indices / 4)
    backend.kernels.gather(from, indices, to, 1, most, count, width * 4, across * 4)
    to += width * 4
  })
  return backend.tensor(info) as tf.Tensor2D
}
