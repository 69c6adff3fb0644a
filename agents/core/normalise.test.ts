import { expect, test } from 'vitest'
import { ValueNorm, foresight, normaliseAdvantages } from './normalise.ts'

test('the first update gives exactly the batch, whatever the memory', () => {
  for (const beta of [0.5, 0.9, 0.99999]) {
    const norm = new ValueNorm(beta)
    norm.update([1, 3, 8])
    expect(norm.mean).toBeCloseTo(4, 5)
    expect(norm.variance).toBeCloseTo((9 + 1 + 16) / 3, 4)
  }
})

test('returns and returns a hundred times larger look the same when normalised', () => {
  const small = new ValueNorm()
  const large = new ValueNorm()
  const returns = [3, -1, 4, 1, -5, 9, 2, 6]
  for (let k = 0; k < 5; k++) {
    small.update(returns)
    large.update(returns.map((value) => value * 100))
  }
  for (const value of returns) expect(large.normalise(value * 100)).toBeCloseTo(small.normalise(value), 9)
})

test('only the listed rows are taken in', () => {
  const some = new ValueNorm()
  some.update([100, 1, 100, 3], Int32Array.of(1, 3))
  const alone = new ValueNorm()
  alone.update([1, 3])
  expect(some.state).toEqual(alone.state)
  some.update([5], Int32Array.of())
  expect(some.state).toEqual(alone.state)
})

test('before any update values pass through the floor: mean 0, deviation 0.1', () => {
  const norm = new ValueNorm()
  expect([norm.mean, norm.deviation]).toEqual([0, 0.1])
})

test('advantages get mean 0 and deviation 1 over the living only; the dead get 0', () => {
  const advantage = Float32Array.of(4, 1000, -2, 7, -1000, 3)
  const alive = Uint8Array.of(1, 0, 1, 1, 0, 1)
  normaliseAdvantages([{ advantage, active: alive }])
  const living = [0, 2, 3, 5].map((i) => advantage[i])
  const mean = living.reduce((sum, value) => sum + value, 0) / 4
  const variance = living.reduce((sum, value) => sum + value * value, 0) / 4
  expect(mean).toBeCloseTo(0, 6)
  expect(variance).toBeCloseTo(1, 4)
  expect([advantage[1], advantage[4]]).toEqual([0, 0])
})

test('equal advantages and nobody alive stay finite', () => {
  const equal = Float32Array.of(2, 2)
  normaliseAdvantages([{ advantage: equal, active: Uint8Array.of(1, 1) }])
  expect([...equal]).toEqual([0, 0])
  const dead = Float32Array.of(2, 5)
  normaliseAdvantages([{ advantage: dead, active: Uint8Array.of(0, 0) }])
  expect([...dead]).toEqual([0, 0])
})

test('explained variance: 1 for the truth, 0 for a constant, negative for the opposite, 0 when nothing varies', () => {
  const target = [1, 2, 3, 6]
  const explainedVariance = (estimate: number[], truth: number[]) =>
    foresight([{ estimate, target: truth }]).explainedVariance
  expect(explainedVariance(target, target)).toBe(1)
  expect(explainedVariance([5, 5, 5, 5], target)).toBeCloseTo(0, 12)
  expect(
    explainedVariance(
      target.map((x) => -x),
      target,
    ),
  ).toBeCloseTo(-3, 12)
  expect(explainedVariance([1, 2], [4, 4])).toBe(0)
})

test('statistics of rows in three shards are those of the same rows in one', () => {
  const advantage = Float32Array.of(4, 1, -2, 7, -5, 3)
  const alive = Uint8Array.of(1, 0, 1, 1, 1, 1)
  const whole = advantage.slice()
  normaliseAdvantages([{ advantage: whole, active: alive }])
  const parts = [0, 2, 4].map((from) => ({
    advantage: advantage.slice(from, from + 2),
    active: alive.slice(from, from + 2),
  }))
  normaliseAdvantages(parts)
  parts.flatMap((part) => [...part.advantage]).forEach((value, i) => expect(value).toBeCloseTo(whole[i], 6))

  const estimate = [1, 2, 2, 7]
  const target = [2, 2, 3, 5]
  const split = foresight([
    { estimate: estimate.slice(0, 1), target: target.slice(0, 1) },
    { estimate: estimate.slice(1), target: target.slice(1) },
  ])
  expect(split.error).toBeCloseTo(Math.sqrt(6 / 4), 12) // misses 1, 0, 1, −2
  expect(split.explainedVariance).toBeCloseTo(1 - 6 / 6, 12) // their squares about 0, and those of the targets about 3
})
