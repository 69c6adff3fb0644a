/** Small pieces under the replay format: checksums, half floats, capped decompression, careful JSON, growing arrays. */
import { Inflate, deflateSync, inflateSync } from 'fflate'
import { utf8 } from '@scure/base'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { METHOD, badReplay } from './replay-format.ts'

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

/** CRC-32 as in PNG and zip; `crc` continues an earlier part. */
export function crc32(bytes: Uint8Array, crc = 0): number {
  let c = ~crc
  for (let i = 0; i < bytes.length; i++) c = CRC_TABLE[(c ^ bytes[i]) & 255] ^ (c >>> 8)
  return ~c >>> 0
}

const floatIn = new Float32Array(1)
const bitsIn = new Uint32Array(floatIn.buffer)

/** float32 to the bits of IEEE float16, to nearest, ties to even. NaN stays NaN, -0 stays -0, 65520 and more: infinity. */
export function toHalf(value: number): number {
  floatIn[0] = value
  const bits = bitsIn[0]
  const sign = (bits >>> 16) & 0x8000
  const magnitude = bits & 0x7fffffff
  if (magnitude > 0x7f800000) return sign | 0x7e00
  if (magnitude >= 0x477ff000) return sign | 0x7c00
  if (magnitude < 0x33000001) return sign
  // Below 2^-14 the half is subnormal: shift the full significand; else move the exponent.
  const exponent = magnitude >>> 23
  const shift = exponent < 113 ? 126 - exponent : 13
  const whole = exponent < 113 ? (magnitude & 0x7fffff) | 0x800000 : magnitude - (112 << 23)
  const half = whole >>> shift
  const rest = whole & ((1 << shift) - 1)
  const tie = 1 << (shift - 1)
  return sign | (half + (rest > tie || (rest === tie && (half & 1) === 1) ? 1 : 0))
}

/** Bits of float16 to a number; exact. */
export function fromHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1
  const exponent = (half >>> 10) & 31
  const fraction = half & 1023
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN
  if (exponent === 0) return sign * fraction * 2 ** -24
  return sign * (1024 + fraction) * 2 ** (exponent - 25)
}

/** Symbols of one base that fit in 32 bits: 12 actions of six kinds, 2.67 bits each where entropy asks for 2.58. */
function symbolsPerWord(base: number): number {
  let count = 0
  for (let room = 4294967296; room >= base; room /= base) count++
  return count
}

/**
 * Bytes as digits of a number: one byte of base (largest byte + 1), then words of as many digits as fit, lowest first.
 * Deflate is poor at random choices, which early training makes; this is near their entropy.
 */
function packDigits(bytes: Uint8Array): Uint8Array | null {
  let base = 2
  for (const byte of bytes) base = Math.max(base, byte + 1)
  if (base > 128) return null
  const count = symbolsPerWord(base)
  const out = new Uint8Array(1 + 4 * Math.ceil(bytes.length / count))
  const view = new DataView(out.buffer)
  out[0] = base
  for (let from = 0, at = 1; from < bytes.length; from += count, at += 4) {
    let word = 0
    for (let i = Math.min(from + count, bytes.length) - 1; i >= from; i--) word = word * base + bytes[i]
    view.setUint32(at, word, true)
  }
  return out
}

/** @throws TroupeError bad-file */
export function unpackDigits(packed: Uint8Array, length: number, where: string): Uint8Array {
  const base = packed[0] ?? 0
  const count = base >= 2 && base <= 128 ? symbolsPerWord(base) : 1
  if (base < 2 || base > 128 || packed.length !== 1 + 4 * Math.ceil(length / count)) {
    throw badReplay(where, `${packed.length} bytes of digits in base ${base}`, `${length} digits`)
  }
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const out = new Uint8Array(length)
  for (let from = 0, at = 1; from < length; from += count, at += 4) {
    let word = view.getUint32(at, true)
    for (let i = from; i < Math.min(from + count, length); i++) {
      out[i] = word % base
      word = Math.floor(word / base)
    }
    if (word !== 0) throw badReplay(where, 'a number out of range', `digits in base ${base}`)
  }
  return out
}

/** The shortest of: raw deflate, digits (where asked for), the bytes themselves. */
export function squeeze(bytes: Uint8Array, digits = false): { method: number; stored: Uint8Array } {
  let best: { method: number; stored: Uint8Array } = { method: METHOD.stored, stored: bytes }
  if (bytes.length <= 16) return best
  const packed = deflateSync(bytes, { level: 9 })
  if (packed.length < bytes.length) best = { method: METHOD.deflate, stored: packed }
  const number = digits ? packDigits(bytes) : null
  if (number !== null && number.length < best.stored.length) best = { method: METHOD.digits, stored: number }
  return best
}

/** Compressed bytes fed at a time: a bomb overshoots its declared size by this times 1,032 at most before it is stopped. */
const INFLATE_BITE = 1024

/** Up to this many bytes are unpacked at one go into memory of the right size: a bomb of this size costs milliseconds. */
const INFLATE_AT_ONCE = 4096

/**
 * Raw inflate into exactly `length` bytes, which the caller has checked against its limits.
 * @throws TroupeError bad-file when the data is broken, shorter or longer
 */
export function inflateExactly(packed: Uint8Array, length: number, where: string): Uint8Array {
  if (packed.length <= INFLATE_AT_ONCE) return inflateSmall(packed, length, where)
  const out = new Uint8Array(length)
  let filled = 0
  let tooLong = false
  const inflater = new Inflate((part) => {
    if (filled + part.length > length) tooLong = true
    else {
      out.set(part, filled)
      filled += part.length
    }
  })
  try {
    for (let at = 0; at < packed.length && !tooLong; at += INFLATE_BITE) {
      inflater.push(packed.slice(at, at + INFLATE_BITE), at + INFLATE_BITE >= packed.length)
    }
  } catch {
    throw badReplay(where, 'broken compressed data', `deflate of ${length} bytes`)
  }
  if (tooLong || filled !== length) {
    throw badReplay(where, tooLong ? 'more data than it declares' : `${filled} bytes when unpacked`, `${length} bytes`)
  }
  return out
}

function inflateSmall(packed: Uint8Array, length: number, where: string): Uint8Array {
  let out: Uint8Array
  try {
    // One byte more than declared: what does not stop there is too long. Nothing is written beyond the array.
    out = inflateSync(packed, { out: new Uint8Array(length + 1) })
  } catch {
    throw badReplay(where, 'broken compressed data', `deflate of ${length} bytes`)
  }
  if (out.length === length) return out
  throw badReplay(
    where,
    out.length > length ? 'more data than it declares' : `${out.length} bytes when unpacked`,
    `${length} bytes`,
  )
}

/** Up to this many bytes are spread as arguments. */
const ARGUMENTS = 4096

/** Text of plain ASCII, many times as fast as a decoder that is made anew; undefined for everything else. */
function asciiText(bytes: Uint8Array): string | undefined {
  if (bytes.length > ARGUMENTS) return undefined
  for (let i = 0; i < bytes.length; i++) if (bytes[i] > 127) return undefined
  return String.fromCharCode.apply(null, bytes as unknown as number[])
}

/** Nested arrays and objects a JSON section may have; frames need 5, scenarios rarely more than 8. */
const MAX_DEPTH = 48

/** How deep the brackets of a JSON text nest, without parsing it. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (quoted) {
      if (c === 92) i++
      else if (c === 34) quoted = false
    } else if (c === 34) quoted = true
    else if (c === 123 || c === 91) deepest = Math.max(deepest, ++depth)
    else if (c === 125 || c === 93) depth--
  }
  return deepest
}

function refuseProto(value: unknown, where: string): void {
  if (Array.isArray(value)) for (const part of value) refuseProto(part, where)
  else if (value !== null && typeof value === 'object') {
    for (const key of Object.keys(value)) {
      if (key === '__proto__') throw badReplay(where, 'JSON with a field "__proto__"', 'plain data')
      refuseProto((value as Record<string, unknown>)[key], where)
    }
  }
}

/**
 * Reads untrusted JSON: valid UTF-8, bounded nesting, no `__proto__` fields.
 * @throws TroupeError bad-file
 */
export function parseJson(bytes: Uint8Array, where: string): unknown {
  let text: string
  try {
    text = asciiText(bytes) ?? utf8.encode(bytes)
  } catch {
    throw badReplay(where, 'not UTF-8', 'JSON text')
  }
  if (depthOf(text) > MAX_DEPTH) throw badReplay(where, `JSON nested ${depthOf(text)} deep`, `${MAX_DEPTH} at most`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badReplay(where, 'not JSON', 'JSON text')
  }
  refuseProto(value, where)
  return value
}

export function jsonBytes(value: unknown): Uint8Array {
  return utf8ToBytes(JSON.stringify(value))
}

interface Column<T> {
  readonly length: number
  set(from: T, at?: number): void
  subarray(from: number, to: number): T
}

/** A typed array that grows at its end, at most doubling what is there. */
export class Growing<T extends Column<T>> {
  length = 0
  private array: T
  private readonly make: (length: number) => T

  constructor(make: (length: number) => T) {
    this.make = make
    this.array = make(0)
  }

  /** Room for `count` more elements, to be written by the caller. */
  add(count: number): T {
    const to = this.length + count
    if (to > this.array.length) {
      const larger = this.make(Math.max(to, Math.min(this.array.length * 2, this.array.length + (1 << 22))))
      larger.set(this.array.subarray(0, this.length))
      this.array = larger
    }
    const room = this.array.subarray(this.length, to)
    this.length = to
    return room
  }

  /** What is there, without copying. Valid until the next `add`. */
  get part(): T {
    return this.array.subarray(0, this.length)
  }
}
