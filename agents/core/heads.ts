/**
 * Actions that losses can be differentiated through: a one-hot choice with the gradient of a soft one, and a Gaussian squeezed
 * into a box. Noise comes in as numbers (`noise.ts`), so that what is drawn follows from a seed.
 */
import { logProbabilities } from './categorical.ts'
import { HALF_LOG_TAU } from './gaussian.ts'
import { tf } from './tensors.ts'

/**
 * Gumbel-softmax with straight-through (Jang et al. 2017; Maddison et al. 2017): forward exactly the one-hot choice of the largest
 * logit + noise, backward the gradient of softmax((logits + noise) / temperature). Each dimension by itself. The choices are draws
 * from softmax(logits), whatever the temperature.
 * @param logits [rows, A]
 * @param penalty [rows, A] 0, or ILLEGAL on what may not be chosen
 * @param noise [rows, A] standard Gumbel draws; zeros choose the likeliest
 * @param sizes [D] choices per dimension, summing to A
 * @returns [rows, A]
 */
export function straightThrough(
  logits: tf.Tensor2D,
  penalty: Float32Array,
  noise: Float32Array,
  temperature: number,
  sizes: readonly number[],
): tf.Tensor2D {
  const [rows, A] = logits.shape
  const shift = penalty.map((value, i) => value + noise[i])
  const soft = tf.exp(
    logProbabilities(
      tf.div(tf.add(logits, tf.tensor2d(shift, [rows, A])), temperature) as tf.Tensor2D,
      tf.zeros([rows, A]),
      sizes,
    ),
  )
  const choose = tf.customGrad((...inputs) => {
    const [x] = inputs as [tf.Tensor]
    const hard = oneHot(x.dataSync() as Float32Array, penalty, sizes)
    return { value: tf.tensor2d(hard, [rows, A]), gradFunc: (dy: tf.Tensor) => dy }
  })
  return choose(soft) as tf.Tensor2D
}

/** Marks the largest legal number of each dimension; the first of equals. @param score [rows, A] */
export function oneHot(score: Float32Array, penalty: Float32Array, sizes: readonly number[]): Float32Array {
  const out = new Float32Array(score.length)
  for (let at = 0; at < score.length;) {
    for (const size of sizes) {
      let best = -1
      for (let a = at; a < at + size; a++) if (penalty[a] === 0 && (best < 0 || score[a] > score[best])) best = a
      if (best >= 0) out[best] = 1
      at += size
    }
  }
  return out
}

/**
 * Entropy in nats of masked choices, exact, summed over dimensions: −Σ π log π.
 * @param logits [rows, A]
 * @returns [rows]
 */
export function choiceEntropy(logits: tf.Tensor2D, penalty: Float32Array, sizes: readonly number[]): tf.Tensor1D {
  const logs = logProbabilities(logits, tf.tensor2d(penalty, logits.shape), sizes)
  // An illegal choice has probability 0 and a finite logarithm, so the product is 0.
  return tf.neg(tf.sum(tf.mul(tf.exp(logs), logs), 1)) as tf.Tensor1D
}

/** Bounds of the logarithm of a state-dependent deviation; Haarnoja et al.'s code has the same. */
const LOG_LOWEST = -20
const LOG_HIGHEST = 2
const LOG_2 = 0.6931471805599453

/**
 * A Gaussian through tanh (Haarnoja et al. 2018, appendix C), in half-ranges: a = tanh(u), u = mean + e^s · noise,
 * log π(a) = Σ log N(u) − log(1 − a²), the last as 2 (log 2 − u − softplus(−2 u)), which has no 1 − 1 in it.
 * @param outputs [rows, 2 D] means, then logarithms of deviations, which are cut to −20 … 2
 * @param noise [rows, D] standard normal
 * @param used [rows, D] 1 where the dimension counts, others are 0 and add nothing; null = everywhere
 */
export function squeezed(
  outputs: tf.Tensor2D,
  noise: Float32Array,
  used: Float32Array | null,
): { action: tf.Tensor2D; logProbability: tf.Tensor1D } {
  const [rows, width] = outputs.shape
  const D = width / 2
  const z = tf.tensor2d(noise, [rows, D])
  const mean = tf.slice(outputs, [0, 0], [rows, D])
  const logs = tf.clipByValue(tf.slice(outputs, [0, D], [rows, D]), LOG_LOWEST, LOG_HIGHEST)
  const u = tf.add(mean, tf.mul(tf.exp(logs), z))
  const double = tf.mul(-2, u)
  const softplus = tf.add(tf.relu(double), tf.log(tf.add(1, tf.exp(tf.neg(tf.abs(double))))))
  const squeeze = tf.mul(2, tf.sub(tf.sub(LOG_2, u), softplus))
  const density = tf.sub(tf.neg(tf.add(logs, HALF_LOG_TAU)), tf.mul(0.5, tf.square(z)))
  const each = tf.sub(density, squeeze)
  const action = tf.tanh(u)
  if (used === null) return { action: action as tf.Tensor2D, logProbability: tf.sum(each, 1) as tf.Tensor1D }
  const counts = tf.tensor2d(used, [rows, D])
  return {
    action: tf.mul(action, counts) as tf.Tensor2D,
    logProbability: tf.sum(tf.mul(each, counts), 1) as tf.Tensor1D,
  }
}
