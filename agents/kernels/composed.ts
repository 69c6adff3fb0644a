/**
 * The fused ops written with public TensorFlow.js ops: the oracle of the tests and the path on every backend that has
 * no kernel of ours (`cpu`, `tensorflow`). Gradients are TensorFlow.js's own.
 */
import * as tf from '#tensorflow'
import { type Activation, type GruInputs } from './shapes.ts'

/** Logit of a choice that may not be taken. Finite, so that 0 · log 0 stays 0; EPyMARL uses −1e10. */
const FORBIDDEN = -1e10

export function activate(x: tf.Tensor, activation: Activation): tf.Tensor {
  if (activation === 'relu') return tf.relu(x)
  if (activation === 'tanh') return tf.tanh(x)
  return x
}

export function denseComposed(
  x: tf.Tensor,
  weight: tf.Tensor2D,
  bias: tf.Tensor1D | null,
  activation: Activation,
): tf.Tensor {
  const rows = tf.reshape(x, [-1, weight.shape[0]])
  let y: tf.Tensor = tf.matMul(rows, weight)
  if (bias !== null) y = tf.add(y, bias)
  return tf.reshape(activate(y, activation), [...x.shape.slice(0, -1), weight.shape[1]])
}

export function logSoftmaxComposed(logits: tf.Tensor): tf.Tensor {
  return tf.logSoftmax(logits, -1)
}

export function layerNormComposed(x: tf.Tensor, scale: tf.Tensor1D, offset: tf.Tensor1D, epsilon: number): tf.Tensor {
  const centred = tf.sub(x, tf.mean(x, -1, true))
  const variance = tf.mean(tf.square(centred), -1, true)
  return tf.add(tf.mul(tf.div(centred, tf.sqrt(tf.add(variance, epsilon))), scale), offset)
}

/** `tf.unstack` along the first axis; its gradient fails where there is only one entry. */
const apart = (x: tf.Tensor): tf.Tensor[] => (x.shape[0] === 1 ? [tf.squeeze(x, [0])] : tf.unstack(x))

export function gruSequenceComposed(inputs: GruInputs): tf.Tensor3D {
  const { input, reset, inputWeight, recurrentWeight, inputBias, recurrentBias } = inputs
  const [steps, lanes, features] = input.shape
  const hiddenSize = recurrentWeight.shape[0]
  if (steps * lanes === 0) return tf.zeros([steps, lanes, hiddenSize])
  const flat = tf.reshape(input, [steps * lanes, features])
  const projected = tf.reshape(tf.add(tf.matMul(flat, inputWeight), inputBias), [steps, lanes, 3 * hiddenSize])
  const xs = apart(projected)
  const kept = reset === null ? null : apart(tf.expandDims(tf.sub(1, tf.cast(reset, 'float32')), -1))
  let hidden: tf.Tensor = inputs.hidden
  const outputs: tf.Tensor[] = []
  for (let t = 0; t < steps; t++) {
    if (kept !== null) hidden = tf.mul(hidden, kept[t])
    const gates = tf.add(tf.matMul(hidden as tf.Tensor2D, recurrentWeight), recurrentBias)
    const [xr, xz, xn] = tf.split(xs[t], 3, -1)
    const [hr, hz, hn] = tf.split(gates, 3, -1)
    const r = tf.sigmoid(tf.add(xr, hr))
    const z = tf.sigmoid(tf.add(xz, hz))
    const n = tf.tanh(tf.add(xn, tf.mul(r, hn)))
    hidden = tf.add(n, tf.mul(z, tf.sub(hidden, n)))
    outputs.push(hidden)
  }
  return tf.stack(outputs) as tf.Tensor3D
}

export function maskedCategoricalComposed(
  logits: tf.Tensor2D,
  mask: tf.Tensor2D | null,
  action: tf.Tensor1D,
): { logProbability: tf.Tensor1D; entropy: tf.Tensor1D } {
  const allowed = mask === null ? null : mask.dtype === 'bool' ? mask : tf.notEqual(mask, 0)
  const masked = allowed === null ? logits : tf.where(allowed, logits, tf.fill(logits.shape, FORBIDDEN))
  const logProbabilities = tf.logSoftmax(masked, -1)
  // `tf.oneHot` refuses a single choice.
  const choices = tf.range(0, logits.shape[1], 1, 'int32')
  const chosen = tf.cast(tf.equal(tf.expandDims(tf.cast(action, 'int32'), -1), choices), 'float32')
  let logProbability: tf.Tensor = tf.sum(tf.mul(chosen, logProbabilities), -1)
  const surprise = tf.mul(tf.exp(logProbabilities), logProbabilities)
  let entropy: tf.Tensor = tf.neg(tf.sum(surprise, -1))
  if (allowed !== null) {
    // Nothing allowed at all (a dead agent's padded row): no choice, so nothing to say about it.
    const any = tf.cast(tf.any(allowed, -1), 'float32')
    logProbability = tf.mul(logProbability, any)
    entropy = tf.mul(entropy, any)
  }
  return { logProbability: logProbability as tf.Tensor1D, entropy: entropy as tf.Tensor1D }
}

export function qmixMixComposed(
  q: tf.Tensor2D,
  w1: tf.Tensor2D,
  b1: tf.Tensor2D,
  wFinal: tf.Tensor2D,
  v: tf.Tensor,
): tf.Tensor1D {
  const [rows, agents] = q.shape
  const embed = b1.shape[1]
  const first = tf.reshape(tf.abs(w1), [rows, agents, embed])
  const hidden = tf.elu(tf.add(tf.sum(tf.mul(tf.expandDims(q, -1), first), 1), b1))
  return tf.add(tf.sum(tf.mul(hidden, tf.abs(wFinal)), -1), tf.reshape(v, [rows])) as tf.Tensor1D
}

export function attentionComposed(
  query: tf.Tensor3D,
  key: tf.Tensor3D,
  value: tf.Tensor3D,
  heads: number,
  mask: tf.Tensor | null,
): tf.Tensor3D {
  const [batch, queries, width] = query.shape
  const keys = key.shape[1]
  const valueWidth = value.shape[2]
  const split = (x: tf.Tensor3D, rows: number, columns: number): tf.Tensor =>
    tf.transpose(tf.reshape(x, [batch, rows, heads, columns / heads]), [0, 2, 1, 3])
  const q = split(query, queries, width)
  const k = split(key, keys, width)
  const v = split(value, keys, valueWidth)
  const scores = tf.mul(tf.matMul(q, k, false, true), 1 / Math.sqrt(width / heads))
  let weights: tf.Tensor
  if (mask === null) weights = tf.softmax(scores, -1)
  else {
    const allowed = mask.dtype === 'bool' ? mask : tf.notEqual(mask, 0)
    const rank4 = tf.reshape(allowed, mask.rank === 2 ? [1, 1, queries, keys] : [batch, 1, queries, keys])
    const everywhere = tf.tile(rank4, mask.rank === 2 ? [batch, heads, 1, 1] : [1, heads, 1, 1])
    const softened = tf.softmax(tf.where(everywhere, scores, tf.fill(scores.shape, FORBIDDEN)), -1)
    weights = tf.where(everywhere, softened, tf.zerosLike(softened))
  }
  return tf.reshape(tf.transpose(tf.matMul(weights, v), [0, 2, 1, 3]), [batch, queries, valueWidth])
}

export function gatherColumnsComposed(tables: readonly tf.Tensor2D[], rows: readonly Int32Array[]): tf.Tensor2D {
  return tf.tidy(() => {
    const parts = tables.map((table, t) => tf.gather(table, tf.tensor1d(rows[t], 'int32')))
    return parts.length === 1 ? parts[0] : tf.concat(parts, 1)
  })
}
