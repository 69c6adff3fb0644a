import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { fixtureJson } from '../../testing.ts'
import { Generator, namedSeed } from '../../envs/core/index.ts'
import { ILLEGAL } from './categorical.ts'
import { choiceEntropy, oneHot, squeezed, straightThrough } from './heads.ts'
import { gumbel } from './noise.ts'
import { tf } from './tensors.ts'

const sum = (x: tf.Tensor) => tf.sum(x) as tf.Scalar

beforeAll(async () => {
  await tf.setBackend('cpu')
})

/** torch 1.13 in float64; the script is in the file. */
const { squeezed: BOX, straight: CHOICE } = JSON.parse(
  readFileSync(new URL('agent-vectors.json', import.meta.url), 'utf8'),
) as {
  squeezed: Record<'said' | 'noise' | 'weight' | 'pay' | 'action' | 'log' | 'slope', number[]>
  straight: Record<'logits' | 'gumbels' | 'mask' | 'weight' | 'hard' | 'slope' | 'entropy', number[]> & {
    temperature: number
  }
}

const near = (got: ArrayLike<number>, wanted: readonly number[], digits = 4) => {
  expect(got.length).toBe(wanted.length)
  wanted.forEach((value, i) => expect(got[i], `[${i}]`).toBeCloseTo(value, digits))
}
const penaltyOf = (mask: readonly number[]) => Float32Array.from(mask, (legal) => (legal === 0 ? ILLEGAL : 0))

test('a Gaussian through tanh has the action, the log-probability and the slopes of torch', () => {
  const { said, noise, weight, pay, action, log, slope } = BOX
  const outputs = tf.tensor2d(said, [4, 4])
  const word = squeezed(outputs, Float32Array.from(noise), null)
  near(word.action.dataSync(), action, 5)
  near(word.logProbability.dataSync(), log)
  const loss = (x: tf.Tensor) => {
    const now = squeezed(x as tf.Tensor2D, Float32Array.from(noise), null)
    const worth = sum(tf.mul(now.action, tf.tensor2d(weight, [4, 2])))
    return tf.add(worth, sum(tf.mul(now.logProbability, tf.tensor1d(pay)))) as tf.Scalar
  }
  near(tf.grad(loss)(outputs).dataSync(), slope)
})

test('far out, where 1 − tanh² rounds to 0, the log-probability is still a number', () => {
  const word = squeezed(tf.tensor2d([30, -30, 0, 0], [1, 4]), new Float32Array(2), null)
  // Twice the density of a standard normal at its middle, less 2 (ln 2 − 30 − softplus(−60)) and the same at −30.
  const wanted = 2 * -0.9189385 - 2 * (Math.log(2) - 30) - 2 * (Math.log(2) + 30 - 60)
  expect(word.logProbability.dataSync()[0]).toBeCloseTo(wanted, 3)
})

test('a number that an agent does not have is 0 and adds nothing', () => {
  const outputs = tf.tensor2d([0.3, 0.9, -1, -1], [1, 4])
  const noise = Float32Array.of(0.2, 0.7)
  const part = squeezed(outputs, noise, Float32Array.of(1, 0))
  const alone = squeezed(tf.tensor2d([0.3, -1], [1, 2]), noise.slice(0, 1), null)
  expect([...part.action.dataSync()]).toEqual([...alone.action.dataSync(), 0])
  expect(part.logProbability.dataSync()[0]).toBeCloseTo(alone.logProbability.dataSync()[0], 6)
})

test('choices are exactly one-hot forward, and have the slopes of the soft ones, as in torch; exact entropies too', () => {
  const { logits, gumbels, mask, weight, temperature, hard, slope, entropy } = CHOICE
  const penalty = penaltyOf(mask)
  const said = tf.tensor2d(logits, [3, 5])
  const choose = (x: tf.Tensor) =>
    straightThrough(x as tf.Tensor2D, penalty, Float32Array.from(gumbels), temperature, [3, 2])
  expect([...choose(said).dataSync()]).toEqual(hard)
  const loss = (x: tf.Tensor) => sum(tf.mul(choose(x), tf.tensor2d(weight, [3, 5])))
  const got = tf.grad(loss)(said).dataSync()
  near(got, slope)
  mask.forEach((legal, i) => legal === 0 && expect(got[i]).toBe(0))
  near(choiceEntropy(said, penalty, [3, 2]).dataSync(), entropy, 5)
})

test('one legal choice is taken whatever the noise, with entropy 0 and no slope', () => {
  const penalty = penaltyOf([0, 1, 0])
  const said = tf.tensor2d([5, -9, 5], [1, 3])
  const choose = (x: tf.Tensor) => straightThrough(x as tf.Tensor2D, penalty, Float32Array.of(9, -9, 9), 1, [3])
  expect([...choose(said).dataSync()]).toEqual([0, 1, 0])
  expect(Math.abs(choiceEntropy(said, penalty, [3]).dataSync()[0])).toBe(0)
  const slope = tf.grad((x) => sum(tf.mul(choose(x), tf.tensor2d([1, 2, 3], [1, 3]))))(said)
  expect([...slope.dataSync()].map(Math.abs)).toEqual([0, 0, 0])
})

test('a hundred thousand draws come as often as softmax says, at any temperature', () => {
  const draws = new Generator(namedSeed(1, 'gumbel'))
  const rows = 20_000
  const wanted = [0.665241, 0.244728, 0.090031] // softmax(1, 0, −1)
  for (const temperature of [0.5, 1, 2]) {
    const counts = [0, 0, 0]
    for (let block = 0; block < 5; block++) {
      tf.tidy(() => {
        const said = tf.tile(tf.tensor2d([1, 0, -1], [1, 3]), [rows, 1]) as tf.Tensor2D
        const noise = Float32Array.from({ length: rows * 3 }, () => gumbel(draws.float()))
        const taken = straightThrough(said, new Float32Array(rows * 3), noise, temperature, [3]).dataSync()
        for (let i = 0; i < taken.length; i++) counts[i % 3] += taken[i]
      })
    }
    counts.forEach((count, a) => expect(Math.abs(count / (5 * rows) - wanted[a])).toBeLessThan(0.005))
  }
})

const vectors = fixtureJson('algorithms/vectors.json')?.algorithms

test.runIf(vectors)('the given Gumbel-softmax vector is met: noise, choice and Jacobian', () => {
  const { uniforms, logits, gumbels, hard_index, jacobian_soft_T1 } = vectors.gumbel_softmax as {
    uniforms: number[]
    logits: number[]
    gumbels: number[]
    hard_index: number
    jacobian_soft_T1: number[][]
  }
  const noise = Float32Array.from(uniforms, (u) => gumbel(u - 2 ** -25))
  near(noise, gumbels, 5)
  const said = tf.tensor2d(logits, [1, 3])
  const choose = (x: tf.Tensor) => straightThrough(x as tf.Tensor2D, new Float32Array(3), noise, 1, [3])
  expect([...choose(said).dataSync()].indexOf(1)).toBe(hard_index)
  jacobian_soft_T1.forEach((row, a) => {
    const pick = tf.tensor2d([0, 1, 2].map((b) => (a === b ? 1 : 0)), [1, 3]) // prettier-ignore
    near(
      tf
        .grad((x) => sum(tf.mul(choose(x), pick)))(said)
        .dataSync(),
      row,
      5,
    )
  })
})

test('of equal scores the first legal one is marked, in every dimension by itself', () => {
  expect([...oneHot(Float32Array.of(2, 2, 1, 1, 1), penaltyOf([0, 1, 1, 1, 1]), [3, 2])]).toEqual([0, 1, 0, 1, 0])
})
