import { beforeAll, expect, test } from 'vitest'
import { Generator, namedSeed, envSpec } from '../../envs/core/index.ts'
import { greedyChoice, judgeChoices, logProbabilities, penalties, requireChoices, sampleChoice } from './categorical.ts'
import { tf } from './tensors.ts'
import { dials, lights } from './toys.ts'

beforeAll(async () => {
  await tf.setBackend('cpu')
})

const rng = () => new Generator(namedSeed(3, 'draws'))

test('ten thousand draws under random masks never choose an illegal action, sampled or greedy', () => {
  const draws = rng()
  const A = 6
  const probability = new Float32Array(A)
  const mask = new Uint8Array(A)
  for (let k = 0; k < 10_000; k++) {
    const sure = draws.below(A)
    let sum = 0
    for (let a = 0; a < A; a++) {
      mask[a] = a === sure || draws.below(3) === 0 ? 1 : 0
      probability[a] = mask[a] === 0 ? 0 : draws.float() ** 8 // many tiny ones
      sum += probability[a]
    }
    for (let a = 0; a < A && sum > 0; a++) probability[a] /= sum
    if (sum > 0) expect(mask[sampleChoice(probability, 0, A, draws.float())]).toBe(1)
    expect(mask[greedyChoice(probability, mask, 0, A)]).toBe(1)
  }
})

test('greedy finds the legal action though all legal logits are very negative', () => {
  const mask = Uint8Array.of(0, 1, 0, 1)
  const penalty = new Float32Array(4)
  penalties(mask, penalty)
  const logits = tf.tensor2d([[5, -1e12, 9, -2e12]])
  const p = tf.exp(logProbabilities(logits, tf.tensor2d(penalty, [1, 4]), [4])).dataSync() as Float32Array
  expect(greedyChoice(p, mask, 0, 4)).toBe(1)
})

test('a draw of exactly 0 passes over choices of probability 0', () => {
  expect(sampleChoice(Float32Array.of(0, 0, 0.5, 0.5), 0, 4, 0)).toBe(2)
})

test('draws have the frequencies of the probabilities', () => {
  const draws = rng()
  const probability = Float32Array.of(9, 0.5, 0, 0.3, 0.2, 9) // read from 1, four long
  const count = [0, 0, 0, 0]
  const n = 40_000
  for (let k = 0; k < n; k++) count[sampleChoice(probability, 1, 4, draws.float())]++
  expect(count[1]).toBe(0)
  const chi = [0.5, 0, 0.3, 0.2].reduce((sum, p, a) => (p === 0 ? sum : sum + (count[a] - n * p) ** 2 / (n * p)), 0)
  expect(chi).toBeLessThan(13.8) // chi-square, 2 degrees of freedom, p .001
})

test('two dimensions are two distributions: log-probabilities and entropies add', () => {
  const logits = tf.tensor2d([[1, 2, 0.5, -1, 0.7, 0.1]])
  const mask = Uint8Array.of(1, 1, 0, 1, 1, 1)
  const { logProbability, entropy } = judgeChoices(logits, mask, Int32Array.of(1, 0), [4, 2])
  const first = [Math.exp(1), Math.exp(2), Math.exp(-1)]
  const second = [Math.exp(0.7), Math.exp(0.1)]
  const total = (list: number[]) => list.reduce((sum, x) => sum + x, 0)
  const expected = Math.log(first[1] / total(first)) + Math.log(second[0] / total(second))
  expect(logProbability.dataSync()[0]).toBeCloseTo(expected, 5)
  const nats = (list: number[]) => -total(list.map((x) => (x / total(list)) * Math.log(x / total(list))))
  expect(entropy.dataSync()[0]).toBeCloseTo(nats(first) + nats(second), 5)
  // what acting computes is the same distribution
  const penalty = new Float32Array(6)
  penalties(mask, penalty)
  const both = logProbabilities(logits, tf.tensor2d(penalty, [1, 6]), [4, 2]).dataSync()
  expect(both[1] + both[4]).toBeCloseTo(expected, 5)
})

test('real-valued actions are refused before training, by name', () => {
  expect(() => requireChoices(envSpec(dials), 'coma')).toThrow(/coma: actions of toy-dials is box.*discrete/)
  expect(() => requireChoices(envSpec(lights), 'coma')).not.toThrow()
})
