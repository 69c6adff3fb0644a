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

/** One array whose rows are digested: the same bytes as words where they divide by four, else as bytes. */
export interface RowView {
  readonly name: string
  readonly bytes: Uint8Array
  /** Whole words of the array; undefined when it does not start on a word. */
  readonly words: Uint32Array | undefined
  readonly rowBytes: number
}

/** Views of a lane-major array whose rows are to be digested. */
export function rowView(name: string, array: ArrayBufferView & { length: number }, lanes: number): RowView {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
  const rowBytes = array.byteLength / lanes
  const words =
    array.byteOffset % 4 === 0 ? new Uint32Array(array.buffer, array.byteOffset, array.byteLength >> 2) : undefined
  return { name, bytes, words, rowBytes }
}

/**
 * Data comes as single words and as rows. A row starts on a block of four words and is padded with zeros to whole
 * blocks, so that it can be mixed four words at a time. On whole blocks, started from one word four times, the result
 * is MurmurHash3_x86_128 of the little-endian bytes with that word as its seed.
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

  /** Mixes one lane's row of an array in, little-endian, padded with zeros to whole blocks of 16 bytes. */
  row(view: RowView, lane: number): void {
    const { rowBytes, words, bytes } = view
    this.align()
    const start = lane * rowBytes
    const inBlocks = rowBytes & ~15
    if (words !== undefined && (start & 3) === 0) this.blocks(words, start >> 2, inBlocks >> 2)
    else {
      for (let at = start; at < start + inBlocks; at += 4) {
        this.word(bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24))
      }
    }
    if (inBlocks === rowBytes) return
    for (let at = start + inBlocks; at < start + rowBytes; at += 4) {
      let word = 0
      for (let byte = Math.min(4, start + rowBytes - at) - 1; byte >= 0; byte--) word = (word << 8) | bytes[at + byte]
      this.word(word)
    }
    this.align()
  }

  /** Mixes `count` words, a multiple of four, from word `from` on; the state stays in locals, which is what makes it fast. */
  private blocks(words: Uint32Array, from: number, count: number): void {
    let { h1, h2, h3, h4 } = this
    const to = from + count
    for (let i = from; i < to; i += 4) {
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
