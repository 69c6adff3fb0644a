import { expect, test } from 'vitest'
import { Allocator } from './allocator.ts'

test('blocks are aligned, apart from each other, and used again for the same size', () => {
  const allocator = new Allocator({ initialBytes: 1 << 20 })
  const sizes = [0, 1, 4, 52, 53, 64, 100, 4000, 4096, 5000, 70_000, 100_001]
  const blocks = sizes.map((bytes) => ({ bytes, pointer: allocator.allocate(bytes) }))
  blocks.forEach(({ bytes, pointer }, i) => {
    expect(pointer % 64).toBe(0)
    // 12 bytes of spill belong to the block
    blocks.slice(i + 1).forEach((other) => expect(other.pointer).toBeGreaterThanOrEqual(pointer + bytes + 12))
  })
  const { reached } = allocator
  for (const { pointer, bytes } of blocks) allocator.release(pointer, bytes)
  expect([allocator.liveBytes, allocator.liveBlocks]).toEqual([0, 0])
  const again = sizes.map((bytes) => allocator.allocate(bytes))
  expect(new Set(again)).toEqual(new Set(blocks.map(({ pointer }) => pointer)))
  expect(allocator.reached).toBe(reached)
})

test('a size class wastes at most an eighth and a cache line', () => {
  const allocator = new Allocator({ initialBytes: 1 << 26 })
  for (let bytes = 1; bytes < 3e6; bytes = Math.ceil(bytes * 1.07)) {
    const before = allocator.liveBytes
    allocator.allocate(bytes)
    const taken = allocator.liveBytes - before
    expect(taken).toBeGreaterThanOrEqual(bytes + 12)
    expect(taken).toBeLessThanOrEqual((bytes + 12) * 1.125 + 64)
  }
})

test('memory grows in use and keeps its contents', () => {
  const allocator = new Allocator({ initialBytes: 65536 })
  const first = allocator.allocate(40_000)
  allocator.f32[first / 4] = 7
  const { capacity } = allocator
  const second = allocator.allocate(40 << 20)
  expect(allocator.capacity).toBeGreaterThan(capacity)
  expect(allocator.f32[first / 4]).toBe(7)
  allocator.u8[second + (40 << 20) - 1] = 1 // reachable
  expect(allocator.f32.length * 4).toBe(allocator.capacity)
})

test('a full memory says how much is in use, how much was wanted and what to do', () => {
  const allocator = new Allocator({ initialBytes: 65536, maximumBytes: 1 << 20 })
  allocator.allocate(900_000)
  expect(() => allocator.allocate(300_000)).toThrow(
    /^simd: tensor memory is full: 0\.9 MB in use in 1 blocks, 0\.3 MB more wanted; expected at most 1\.0 MB \(smaller minibatches/,
  )
  allocator.allocate(50_000) // what fits still fits
})

test('debug mode finds writes before and after a block, and a second release', () => {
  const allocator = new Allocator({ initialBytes: 1 << 20, debug: true })
  const pointer = allocator.allocate(20)
  allocator.u8.fill(1, pointer, pointer + 20 + 12) // the block and its spill
  allocator.checkAll()
  allocator.u8[pointer + 20 + 12] = 1
  expect(() => allocator.checkAll()).toThrow(/block of 20 bytes at \d+ is overrun at byte 32/)
  const other = new Allocator({ initialBytes: 1 << 20, debug: true })
  const block = other.allocate(8)
  other.i32[block / 4 - 1] = 0
  expect(() => other.release(block, 8)).toThrow(/overrun at byte -4/)
  const third = other.allocate(8)
  other.release(third, 8)
  expect(() => other.release(third, 8)).toThrow(/released twice/)
})

test('debug mode poisons fresh and freed blocks with NaN', () => {
  const allocator = new Allocator({ initialBytes: 1 << 20, debug: true })
  const pointer = allocator.allocate(16)
  expect(allocator.f32[pointer / 4]).toBeNaN()
  allocator.f32.fill(1, pointer / 4, pointer / 4 + 4)
  allocator.release(pointer, 16)
  expect(allocator.f32[pointer / 4]).toBeNaN()
})
