/**
 * 128-bit digests of typed data: a running mix in the manner of MurmurHash3 x86_128 (Appleby, public domain), fast enough
 * to run at every step. It finds accidents and names the first differing step; against forgery stands the SHA-256 chain.
 */

const C1 = 0x239b961b
const C2 = 0xab0e9789
const C3 = 0x38b34ae5
const C4 = 0xa1e38b93

function rotl(x: number, n: number): number {
  return (x << n) | (x >>> (32 - n))
}

function fmix(h: number): number {
  h ^= h >>> 16
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** One array whose rows are digested: the same memory as bytes and as words. */
export interface RowView {
  readonly name: string
  readonly bytes: Uint8Array
  /** Whole words of the array; empty when it does not start on a word. */
  readonly words: Uint32Array
  readonly rowBytes: number
  /** Words of one row, a short last one counted. */
  readonly rowWords: number
  /** Every row is whole words of `words`. */
  readonly whole: boolean
}

/** Views of a lane-major array whose rows are to be digested. */
export function rowView(name: string, array: ArrayBufferView & { length: number }, lanes: number): RowView {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
  const rowBytes = array.byteLength / lanes
  const whole = array.byteOffset % 4 === 0 ? array.byteLength >> 2 : 0
  const words = whole > 0 ? new Uint32Array(array.buffer, array.byteOffset, whole) : new Uint32Array(0)
  return { name, bytes, words, rowBytes, rowWords: (rowBytes + 3) >> 2, whole: whole > 0 && rowBytes % 4 === 0 }
}

/**
 * Copies one lane's row to `into` from `at` on as little-endian words, the last one padded with zero bytes.
 * @returns the index after it
 */
export function gatherRow(view: RowView, lane: number, into: Uint32Array, at: number): number {
  const { bytes, words, rowBytes } = view
  const start = lane * rowBytes
  const end = start + rowBytes
  let from = start
  if (words.length > 0 && (start & 3) === 0) {
    const to = end >> 2
    for (let i = start >> 2; i < to; i++) into[at++] = words[i]
    from = end & ~3
  }
  for (; from < end; from += 4) {
    let word = bytes[from]
    if (from + 1 < end) word |= bytes[from + 1] << 8
    if (from + 2 < end) word |= bytes[from + 2] << 16
    if (from + 3 < end) word |= bytes[from + 3] << 24
    into[at++] = word
  }
  return at
}

/**
 * Data comes as single words and as whole blocks of four, which are mixed fast. On whole blocks, started from one word
 * four times, the result is MurmurHash3_x86_128 of the little-endian bytes with that word as its seed.
 */
export class Digest {
  private h1 = 0
  private h2 = 0
  private h3 = 0
  private h4 = 0
  private words = 0

  /** Starts again from four words (default zeros). */
  reset(h1 = 0, h2 = 0, h3 = 0, h4 = 0): void {
    this.h1 = h1 | 0
    this.h2 = h2 | 0
    this.h3 = h3 | 0
    this.h4 = h4 | 0
    this.words = 0
  }

  /** Mixes one 32-bit word in; its place in the block of four decides which part of the state it meets. */
  word(value: number): void {
    switch (this.words++ & 3) {
      case 0:
        this.h1 ^= Math.imul(rotl(Math.imul(value, C1), 15), C2)
        this.h1 = (Math.imul((rotl(this.h1, 19) + this.h2) | 0, 5) + 0x561ccd1b) | 0
        break
      case 1:
        this.h2 ^= Math.imul(rotl(Math.imul(value, C2), 16), C3)
        this.h2 = (Math.imul((rotl(this.h2, 17) + this.h3) | 0, 5) + 0x0bcaa747) | 0
        break
      case 2:
        this.h3 ^= Math.imul(rotl(Math.imul(value, C3), 17), C4)
        this.h3 = (Math.imul((rotl(this.h3, 15) + this.h4) | 0, 5) + 0x96cd1c35) | 0
        break
      default:
        this.h4 ^= Math.imul(rotl(Math.imul(value, C4), 18), C1)
        this.h4 = (Math.imul((rotl(this.h4, 13) + this.h1) | 0, 5) + 0x32ac3b17) | 0
    }
  }

  /** Pads the words so far with zeros to whole blocks. */
  align(): void {
    while ((this.words & 3) !== 0) this.word(0)
  }

  /**
   * Mixes the first `count` words in, a multiple of four, after padding what came before to whole blocks. The state
   * stays in locals, which makes it several times faster than word by word.
   */
  blocks(words: Uint32Array, count: number): void {
    this.align()
    let { h1, h2, h3, h4 } = this
    for (let i = 0; i < count; i += 4) {
      let k = Math.imul(words[i], C1)
      h1 ^= Math.imul((k << 15) | (k >>> 17), C2)
      h1 = (Math.imul((((h1 << 19) | (h1 >>> 13)) + h2) | 0, 5) + 0x561ccd1b) | 0
      k = Math.imul(words[i + 1], C2)
      h2 ^= Math.imul((k << 16) | (k >>> 16), C3)
      h2 = (Math.imul((((h2 << 17) | (h2 >>> 15)) + h3) | 0, 5) + 0x0bcaa747) | 0
      k = Math.imul(words[i + 2], C3)
      h3 ^= Math.imul((k << 17) | (k >>> 15), C4)
      h3 = (Math.imul((((h3 << 15) | (h3 >>> 17)) + h4) | 0, 5) + 0x96cd1c35) | 0
      k = Math.imul(words[i + 3], C4)
      h4 ^= Math.imul((k << 18) | (k >>> 14), C1)
      h4 = (Math.imul((((h4 << 13) | (h4 >>> 19)) + h1) | 0, 5) + 0x32ac3b17) | 0
    }
    this.h1 = h1
    this.h2 = h2
    this.h3 = h3
    this.h4 = h4
    this.words += count
  }

  /** Writes the finished 128 bits as four words; the running state is left as it is. */
  finish(out: Uint32Array, at = 0): void {
    const length = this.words * 4
    let h1 = this.h1 ^ length
    let h2 = this.h2 ^ length
    let h3 = this.h3 ^ length
    let h4 = this.h4 ^ length
    h1 = (h1 + h2 + h3 + h4) | 0
    h2 = (h2 + h1) | 0
    h3 = (h3 + h1) | 0
    h4 = (h4 + h1) | 0
    h1 = fmix(h1)
    h2 = fmix(h2)
    h3 = fmix(h3)
    h4 = fmix(h4)
    h1 = (h1 + h2 + h3 + h4) | 0
    out[at] = h1
    out[at + 1] = h2 + h1
    out[at + 2] = h3 + h1
    out[at + 3] = h4 + h1
  }
}

/** Four words as 32 lower-case hex digits. */
export function wordsToHex(words: Uint32Array, at = 0): string {
  let text = ''
  for (let i = 0; i < 4; i++) text += words[at + i].toString(16).padStart(8, '0')
  return text
}
