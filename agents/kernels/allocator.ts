/**
 * Memory of the `simd` backend: blocks of one WebAssembly memory, kept in lists by size class and never split or
 * joined, so that a training loop settles on the blocks it needs and then allocates without searching.
 */
import { TroupeError } from '../../envs/core/index.ts'

const PAGE = 65536
const UNIT = 64 // blocks are multiples of this, and aligned to it
/** Kernels work four floats at a time and may touch this many bytes past the end of an array. */
const SPILL = 12
/** The first bytes stay unused: address 0 means "none". */
const BASE = 1024
const GUARD = 16 // bytes before a block in debug mode
const GUARD_WORD = 0x5afec0de
const POISON_WORD = 0x7fc0dead // a NaN

export interface AllocatorOptions {
  /** Virtual size at the start; physical pages come with use. */
  readonly initialBytes?: number
  readonly maximumBytes?: number
  /** Guard words around every block, poison in fresh and freed ones, no reuse without a check. */
  readonly debug?: boolean
}

/** Number of the size class of `units` units: exact up to 64, then eight per doubling. */
function classOf(units: number): number {
  if (units < 64) return units
  const shift = 28 - Math.clz32(units)
  return 64 + (shift - 3) * 8 + Math.ceil(units / 2 ** shift) - 8
}

/** Units in a block of a class. */
function unitsOf(size: number): number {
  if (size < 64) return size
  const shift = Math.floor((size - 64) / 8) + 3
  return (((size - 64) % 8) + 8) * 2 ** shift
}

export class Allocator {
  readonly memory: WebAssembly.Memory
  readonly debug: boolean
  /** Views of the whole memory; replaced when it grows, so never kept across an allocation. */
  f32: Float32Array
  i32: Int32Array
  u8: Uint8Array
  /** Bytes in blocks that are in use, and how many blocks those are. */
  liveBytes = 0
  liveBlocks = 0
  private readonly free: number[][] = []
  private readonly maximumPages: number
  private top = BASE
  /** Debug mode: bytes asked for, by pointer. */
  private readonly asked = new Map<number, number>()

  constructor(options: AllocatorOptions = {}) {
    const { initialBytes = 256 << 20, maximumBytes = 65535 * PAGE, debug = false } = options
    this.maximumPages = Math.max(1, Math.min(65535, Math.floor(maximumBytes / PAGE)))
    const initial = Math.min(this.maximumPages, Math.max(1, Math.ceil(initialBytes / PAGE)))
    this.memory = new WebAssembly.Memory({ initial, maximum: this.maximumPages })
    this.debug = debug
    const { buffer } = this.memory
    this.f32 = new Float32Array(buffer)
    this.i32 = new Int32Array(buffer)
    this.u8 = new Uint8Array(buffer)
  }

  /** Bytes the memory has now, used or not. */
  get capacity(): number {
    return this.u8.length
  }

  /** Bytes ever handed out: the high-water mark. */
  get reached(): number {
    return this.top
  }

  /**
   * A block for `bytes` bytes plus the spill. Contents are whatever was there.
   * Views taken before this call may be dead after it: the memory may have grown.
   */
  allocate(bytes: number): number {
    const size = classOf(Math.ceil((bytes + SPILL + (this.debug ? 2 * GUARD : 0)) / UNIT))
    const units = unitsOf(size)
    const list = this.free[size]
    const block = list !== undefined && list.length > 0 ? (list.pop() as number) : this.extend(units * UNIT, bytes)
    this.liveBytes += units * UNIT
    this.liveBlocks++
    return this.debug ? this.guard(block, bytes, units * UNIT) : block
  }

  /** Gives a block back. @param bytes as asked for */
  release(pointer: number, bytes: number): void {
    const size = classOf(Math.ceil((bytes + SPILL + (this.debug ? 2 * GUARD : 0)) / UNIT))
    const units = unitsOf(size)
    let block = pointer
    if (this.debug) {
      this.check(pointer)
      this.asked.delete(pointer)
      block = pointer - GUARD
      this.i32.fill(POISON_WORD, block / 4, (block + units * UNIT) / 4)
    }
    this.liveBytes -= units * UNIT
    this.liveBlocks--
    const list = this.free[size]
    if (list === undefined) this.free[size] = [block]
    else list.push(block)
  }

  /** Debug mode: throws if something wrote outside any block in use. */
  checkAll(): void {
    for (const pointer of this.asked.keys()) this.check(pointer)
  }

  private extend(bytes: number, asked: number): number {
    const block = this.top
    const end = block + bytes
    if (end > this.capacity) this.grow(end, asked)
    this.top = end
    return block
  }

  private grow(end: number, asked: number): void {
    const now = this.capacity / PAGE
    const needed = Math.ceil(end / PAGE)
    const wished = Math.min(this.maximumPages, Math.max(needed, Math.ceil(now * 1.25), now + 256))
    for (const pages of [wished, needed]) {
      if (pages > this.maximumPages || pages < needed) continue
      try {
        this.memory.grow(pages - now)
        const { buffer } = this.memory
        this.f32 = new Float32Array(buffer)
        this.i32 = new Int32Array(buffer)
        this.u8 = new Uint8Array(buffer)
        return
      } catch {
        // The engine has no room for the larger step; the exact one may still fit.
      }
    }
    const megabytes = (value: number): string => `${(value / 2 ** 20).toFixed(1)} MB`
    throw new TroupeError('environment', {
      where: 'simd: tensor memory',
      got: `full: ${megabytes(this.liveBytes)} in use in ${this.liveBlocks} blocks, ${megabytes(asked)} more wanted`,
      expected: `at most ${megabytes(this.maximumPages * PAGE)} (smaller minibatches, fewer lanes, shorter sequences)`,
    })
  }

  private guard(block: number, bytes: number, total: number): number {
    const pointer = block + GUARD
    this.i32.fill(GUARD_WORD, block / 4, pointer / 4)
    this.i32.fill(POISON_WORD, pointer / 4, (block + total) / 4)
    this.i32.fill(GUARD_WORD, this.guardStart(pointer, bytes), (block + total) / 4)
    this.asked.set(pointer, bytes)
    return pointer
  }

  /** Word index of the first guard word after a block. */
  private guardStart(pointer: number, bytes: number): number {
    return Math.ceil((pointer + bytes + SPILL) / 4)
  }

  private check(pointer: number): void {
    const bytes = this.asked.get(pointer)
    if (bytes === undefined) {
      const got = `released twice or never allocated`
      throw new TroupeError('bad-usage', { where: `simd: block at ${pointer}`, got, expected: 'a block in use' })
    }
    const size = classOf(Math.ceil((bytes + SPILL + 2 * GUARD) / UNIT))
    const end = (pointer - GUARD + unitsOf(size) * UNIT) / 4
    let bad = -1
    for (let i = (pointer - GUARD) / 4; i < pointer / 4; i++) if (this.i32[i] !== GUARD_WORD) bad = i
    for (let i = this.guardStart(pointer, bytes); i < end; i++) if (this.i32[i] !== GUARD_WORD) bad = i
    if (bad >= 0) {
      throw new TroupeError('bad-usage', {
        where: `simd: block of ${bytes} bytes at ${pointer}`,
        got: `overrun at byte ${bad * 4 - pointer}`,
        expected: 'untouched guard words',
      })
    }
  }
}
