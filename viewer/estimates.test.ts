import { expect, it } from 'vitest'
import { advantages, entropies } from './estimates.ts'

it('entropy is in nats: 0 for a sure choice, ln 4 for four equal ones', () => {
  const uniform = [0.25, 0.25, 0.25, 0.25]
  const [sure, equal, half] = entropies(Float32Array.of(1, 0, 0, 0, ...uniform, 0.5, 0.5, 0, 0), 1, 4)
  expect(sure).toBe(0)
  expect(equal).toBeCloseTo(Math.log(4), 6)
  expect(half).toBeCloseTo(Math.log(2), 6)
})

it('advantages of an episode that the rules ended, worked out by hand', () => {
  // One agent, gamma 0.5, lambda 0.5; values 1 2 4, rewards 1 0 8.
  // t=2: 8 + 0 - 4 = 4;  t=1: 0 + 0.5*4 - 2 + 0.25*4 = 1;  t=0: 1 + 0.5*2 - 1 + 0.25*1 = 1.25
  const out = advantages(Float32Array.of(1, 2, 4), Float32Array.of(1, 0, 8), 1, true, 0.5, 0.5)
  expect([...out]).toEqual([1.25, 1, 4])
})

it('where the clock ended the episode, the last advantage is not known and nothing is made up for it', () => {
  // t=1: 0 + 0.5*4 - 2 = 0;  t=0: 1 + 0.5*2 - 1 + 0.25*0 = 1
  const out = advantages(Float32Array.of(1, 2, 4), Float32Array.of(1, 0, 8), 1, false, 0.5, 0.5)
  expect([...out]).toEqual([1, 0, NaN])
})

it('agents do not mix: each column is what it would be alone', () => {
  const [va, vb, ra, rb] = [
    [1, 2, 4],
    [3, -1, 2],
    [1, 0, 8],
    [0, 5, -2],
  ]
  const pairs = (a: number[], b: number[]) => Float32Array.from(a.flatMap((x, t) => [x, b[t]]))
  const both = advantages(pairs(va, vb), pairs(ra, rb), 2, true)
  const a = advantages(Float32Array.from(va), Float32Array.from(ra), 1, true)
  const b = advantages(Float32Array.from(vb), Float32Array.from(rb), 1, true)
  expect([...both]).toEqual([a[0], b[0], a[1], b[1], a[2], b[2]])
})
