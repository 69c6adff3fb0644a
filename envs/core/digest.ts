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

/** Reads of rows: the same bytes as words where they divide by four, else as bytes. */
export interface RowView {
  readonly name: string
  readonly bytes: Uint8Array
  /** undefined when a row is not a whole number of words */
  readonly words: Uint32Array | undefined
  readonly rowBytes: number
}

/** Views of a lane-major array whose rows are to be digested. */
export function rowView(name: string, array: ArrayBufferView & { length: number }, lanes: number): RowView {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
  const rowBytes = array.byteLength / lanes
  const aligned = rowBytes % 4 === 0 && array.byteOffset % 4 === 0
  const words = aligned ? new Uint32Array(array.buffer, array.byteOffset, array.byteLength / 4) : undefined
  return { name, bytes, words, rowBytes }
}

export class Digest {
  private h1 = 0
  private h2 = 0
  private h3 = 0
  private h4 = 0
  private words = 0

  /** Starts again from four words (default zeros). */
  reset(h1 = 0, h2 = 0, h3 = 0, h4 = 0): void {
    this.h1 = h1
    this.h2 = h2
    this.h3 = h3
    this.h4 = h4
    this.words = 0
  }

  /** Mixes one 32-bit word in; the lane of the mix follows the word's position. */
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

  /** Mixes one lane's row of an array in, little-endian; a short tail is padded with zeros. */
  row(view: RowView, lane: number): void {
    const { rowBytes, words, bytes } = view
    if (words !== undefined) {
      const from = (lane * rowBytes) >> 2
      const to = from + (rowBytes >> 2)
      for (let i = from; i < to; i++) this.word(words[i])
      return
    }
    const from = lane * rowBytes
    let i = 0
    for (; i + 4 <= rowBytes; i += 4) {
      const at = from + i
      this.word(bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24))
    }
    let tail = 0
    for (let shift = 0; i < rowBytes; i++, shift += 8) tail |= bytes[from + i] << shift
    if (rowBytes % 4 !== 0) this.word(tail)
  }

  /** Writes the finished 128 bits as four words; the running state is left as it is. */
  finish(out: Uint32Array, at = 0): void {
    let h1 = this.h1 ^ this.words
    let h2 = this.h2 ^ this.words
    let h3 = this.h3 ^ this.words
    let h4 = this.h4 ^ this.words
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
