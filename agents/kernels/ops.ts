/**
 * Differentiable ops that algorithms are written with, whatever the backend. Each has two bodies: one kernel call on
 * `simd`, and a twin composed of public TensorFlow.js ops everywhere else (composed.ts).
 */
import type * as tf from '#tensorflow'
import { TroupeError } from '../../envs/core/index.ts'
import {
  attentionComposed,
  denseComposed,
  gatherColumnsComposed,
  gruSequenceComposed,
  layerNormComposed,
  logSoftmaxComposed,
  maskedCategoricalComposed,
  qmixMixComposed,
} from './composed.ts'
import {
  attentionSimd,
  denseSimd,
  gatherColumnsSimd,
  gruSequenceSimd,
  layerNormSimd,
  logSoftmaxSimd,
  maskedCategoricalSimd,
  qmixMixSimd,
} from './fused.ts'
import { currentSimd, type SimdBackend } from './backend.ts'
import { type Activation, checkShape, type GruInputs } from './shapes.ts'

export { type Activation, type GruInputs } from './shapes.ts'

/** The backend whose kernels take these tensors, or null: then the twin runs. */
function fast(tensors: readonly (tf.Tensor | null)[]): SimdBackend | null {
  for (const tensor of tensors) if (tensor !== null && tensor.dtype !== 'float32') return null
  return currentSimd()
}

/**
 * activation(x · weight + bias) over the last axis.
 * @param x [..., K]
 * @param weight [K, N]
 * @param bias [N], or null for none
 * @returns [..., N]
 */
export function dense(
  x: tf.Tensor,
  weight: tf.Tensor2D,
  bias: tf.Tensor1D | null,
  activation: Activation = 'none',
): tf.Tensor {
  const [k, n] = weight.shape
  if (x.rank < 1 || x.shape[x.rank - 1] !== k) checkShape('dense: x', x.shape, [...x.shape.slice(0, -1), k])
  if (bias !== null) checkShape('dense: bias', bias.shape, [n])
  const simd = fast([x, weight, bias])
  return simd === null ? denseComposed(x, weight, bias, activation) : denseSimd(simd, x, weight, bias, activation)
}

/** log softmax over the last axis; [..., A] to [..., A]. */
export function logSoftmax(logits: tf.Tensor): tf.Tensor {
  const simd = fast([logits])
  return simd === null ? logSoftmaxComposed(logits) : logSoftmaxSimd(simd, logits)
}

/**
 * Layer normalisation over the last axis (Ba et al. 2016): (x − mean) / √(variance + ε) · scale + offset, population
 * variance, ε 1e-5 as torch has it.
 * @param x [..., D]
 * @param scale [D]
 * @param offset [D]
 */
export function layerNorm(x: tf.Tensor, scale: tf.Tensor1D, offset: tf.Tensor1D, epsilon = 1e-5): tf.Tensor {
  const width = x.shape[x.rank - 1]
  checkShape('layerNorm: scale', scale.shape, [width])
  checkShape('layerNorm: offset', offset.shape, [width])
  const simd = fast([x, scale, offset])
  return simd === null ? layerNormComposed(x, scale, offset, epsilon) : layerNormSimd(simd, x, scale, offset, epsilon)
}

/**
 * A GRU layer over T steps of B lanes, back-propagation through time included (Cho et al. 2014, in the form of
 * torch's nn.GRU: the reset gate multiplies the projected hidden state).
 *   r = σ(x Wir + bir + h Whr + bhr), z = σ(x Wiz + biz + h Whz + bhz)
 *   n = tanh(x Win + bin + r (h Whn + bhn)), h' = (1 − z) n + z h
 * @returns [T, B, H] the hidden state after each step
 */
export function gruSequence(inputs: GruInputs): tf.Tensor3D {
  const { input, hidden, reset, inputWeight, recurrentWeight, inputBias, recurrentBias } = inputs
  const [steps, lanes, features] = input.shape
  const size = recurrentWeight.shape[0]
  checkShape('gruSequence: hidden', hidden.shape, [lanes, size])
  if (reset !== null) checkShape('gruSequence: reset', reset.shape, [steps, lanes])
  checkShape('gruSequence: inputWeight', inputWeight.shape, [features, 3 * size])
  checkShape('gruSequence: recurrentWeight', recurrentWeight.shape, [size, 3 * size])
  checkShape('gruSequence: inputBias', inputBias.shape, [3 * size])
  checkShape('gruSequence: recurrentBias', recurrentBias.shape, [3 * size])
  const simd = fast([input, hidden, inputWeight, recurrentWeight, inputBias, recurrentBias])
  return simd === null ? gruSequenceComposed(inputs) : gruSequenceSimd(simd, inputs)
}

/**
 * Log-probability of the action taken and entropy of a categorical over the allowed choices.
 * Gradients reach only allowed logits. A row that allows nothing gives 0 and 0.
 * @param logits [M, A]
 * @param mask [M, A] bool, int32 or float32, non-zero where allowed; null = everything
 * @param action [M] int32, an allowed choice
 * @returns both [M]; natural logarithms
 */
export function maskedCategorical(
  logits: tf.Tensor2D,
  mask: tf.Tensor2D | null,
  action: tf.Tensor1D,
): { logProbability: tf.Tensor1D; entropy: tf.Tensor1D } {
  const [rows] = logits.shape
  if (mask !== null) checkShape('maskedCategorical: mask', mask.shape, logits.shape)
  checkShape('maskedCategorical: action', action.shape, [rows])
  const simd = fast([logits])
  return simd === null
    ? maskedCategoricalComposed(logits, mask, action)
    : maskedCategoricalSimd(simd, logits, mask, action)
}

/**
 * QMIX's monotone mixing (Rashid et al. 2018, section 4): elu(q |w1| + b1) · |wFinal| + v, one row per state.
 * The weights come from hypernetworks; absolute values are taken here, so pass them as produced.
 * @param q [M, N] chosen action values of N agents
 * @param w1 [M, N·E] row-major agent × embed
 * @param b1 [M, E]
 * @param wFinal [M, E]
 * @param v [M] or [M, 1]
 * @returns [M]
 */
export function qmixMix(
  q: tf.Tensor2D,
  w1: tf.Tensor2D,
  b1: tf.Tensor2D,
  wFinal: tf.Tensor2D,
  v: tf.Tensor,
): tf.Tensor1D {
  const [rows, agents] = q.shape
  const embed = b1.shape[1]
  checkShape('qmixMix: w1', w1.shape, [rows, agents * embed])
  checkShape('qmixMix: b1', b1.shape, [rows, embed])
  checkShape('qmixMix: wFinal', wFinal.shape, [rows, embed])
  if (v.size !== rows) checkShape('qmixMix: v', v.shape, [rows])
  const simd = fast([q, w1, b1, wFinal, v])
  return simd === null ? qmixMixComposed(q, w1, b1, wFinal, v) : qmixMixSimd(simd, q, w1, b1, wFinal, v)
}

/**
 * Scaled dot-product attention (Vaswani et al. 2017) with the heads side by side in the last axis; projections are
 * `dense` calls of the caller. Meant for sets of agents: cost grows with queries × keys.
 * @param query [B, Q, D] with D divisible by `heads`
 * @param key [B, K, D]
 * @param value [B, K, V] with V divisible by `heads`
 * @param mask [Q, K] or [B, Q, K], non-zero where query may look at key; a query that may look nowhere gets zeros
 * @returns [B, Q, V]
 */
export function attention(
  query: tf.Tensor3D,
  key: tf.Tensor3D,
  value: tf.Tensor3D,
  heads = 1,
  mask: tf.Tensor | null = null,
): tf.Tensor3D {
  const [batch, queries, width] = query.shape
  const keys = key.shape[1]
  checkShape('attention: key', key.shape, [batch, -1, width])
  checkShape('attention: value', value.shape, [batch, keys, -1])
  if (width % heads !== 0 || value.shape[2] % heads !== 0) {
    throw new TroupeError('bad-usage', {
      where: 'attention: heads',
      got: String(heads),
      expected: `a divisor of the widths ${width} and ${value.shape[2]}`,
    })
  }
  if (mask !== null) {
    checkShape('attention: mask', mask.shape, mask.rank === 2 ? [queries, keys] : [batch, queries, keys])
  }
  const simd = fast([query, key, value])
  return simd === null
    ? attentionComposed(query, key, value, heads, mask)
    : attentionSimd(simd, query, key, value, heads, mask)
}

/**
 * Rows of several tables side by side, each table with its own choice of rows. No gradient: for inputs.
 * @param tables [R, K] each, float32
 * @param rows [M] of each table, 0 to R − 1; the same M for all
 * @returns [M, sum of all K]
 */
export function gatherColumns(tables: readonly tf.Tensor2D[], rows: readonly Int32Array[]): tf.Tensor2D {
  rows.forEach((own, t) => {
    checkShape(`gatherColumns: rows of table ${t}`, [own.length], [rows[0].length])
    const most = tables[t].shape[0]
    const wrong = own.find((row) => row < 0 || row >= most)
    if (wrong === undefined) return
    throw new TroupeError('bad-usage', {
      where: `gatherColumns: table ${t}`,
      got: `row ${wrong}`,
      expected: `0 to ${most - 1}`,
    })
  })
  const simd = fast(tables)
  return simd === null ? gatherColumnsComposed(tables, rows) : gatherColumnsSimd(simd, tables, rows)
}
