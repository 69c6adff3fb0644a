import { expect, test } from 'vitest'
import { addUp, alone, defaultShards, requireShards, sumNumbers } from './shards.ts'

test('sums go in the order of shards: in float64 that is visible', () => {
  const parts = [1e16, 1, -1e16, 1].map((value) => Float64Array.of(value))
  const out = new Float64Array(1)
  addUp(parts, out)
  expect(out[0]).toBe(1) // 1e16 + 1 is 1e16; other orders give 0 or 2
  expect([...sumNumbers(alone(4), [[1e16], [1], [-1e16], [1]])]).toEqual([1])
})

test('float32 vectors are added in float64 and rounded once', () => {
  const parts = [1, 2 ** -24, 2 ** -24].map((value) => Float32Array.of(value))
  const out = new Float32Array(1)
  addUp(parts, out)
  expect(out[0]).toBe(1 + 2 ** -23) // step by step in float32 it would stay 1
})

test('by default a shard keeps 256 rows of a minibatch, shards divide the lanes, and there are at most 32', () => {
  expect(defaultShards(16, 511)).toBe(1)
  expect(defaultShards(16, 512)).toBe(2)
  expect(defaultShards(16, 1024)).toBe(4)
  expect(defaultShards(64, 2560)).toBe(8) // 10 would do, but 64 lanes do not divide by it
  expect(defaultShards(7, 1e6)).toBe(7)
  expect(defaultShards(1024, 1e6)).toBe(32)
  expect(defaultShards(1, 1e6)).toBe(1)
  expect(() => requireShards('mappo', 3, 16)).toThrow(/mappo: shards is 3 for 16 lanes; expected a divisor of lanes/)
})
