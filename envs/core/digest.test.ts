import { describe, expect, it } from 'vitest'
import { Digest, gatherRow, rowView, wordsToHex } from './digest.ts'

/** MurmurHash3_x86_128 of whole blocks, written from Appleby's description with big integers only. */
function murmur(bytes: Uint8Array, seed: readonly bigint[]): string {
  const M = 0xffffffffn
  const mul = (a: bigint, b: bigint) => (a * b) & M
  const rot = (a: bigint, n: bigint) => ((a << n) | (a >> (32n - n))) & M
  const c = [0x239b961bn, 0xab0e9789n, 0x38b34ae5n, 0xa1e38b93n]
  const turnK = [15n, 16n, 17n, 18n]
  const turnH = [19n, 17n, 15n, 13n]
  const plus = [0x561ccd1bn, 0x0bcaa747n, 0x96cd1c35n, 0x32ac3b17n]
  const h = [...seed]
  for (let at = 0; at < bytes.length; at += 4) {
    const i = (at / 4) % 4
    let k = 0n
    for (let b = 3; b >= 0; b--) k = (k << 8n) | BigInt(bytes[at + b])
    k = mul(rot(mul(k, c[i]), turnK[i]), c[(i + 1) % 4])
    h[i] = (mul((rot(h[i] ^ k, turnH[i]) + h[(i + 1) % 4]) & M, 5n) + plus[i]) & M
  }
  const mix = (x: bigint) => {
    x = mul(x ^ (x >> 16n), 0x85ebca6bn)
    x = mul(x ^ (x >> 13n), 0xc2b2ae35n)
    return x ^ (x >> 16n)
  }
  const spread = (v: bigint[]) => {
    v[0] = (v[0] + v[1] + v[2] + v[3]) & M
    for (let i = 1; i < 4; i++) v[i] = (v[i] + v[0]) & M
    return v
  }
  const last = spread(spread(h.map((x) => x ^ BigInt(bytes.length))).map(mix))
  return last.map((x) => x.toString(16).padStart(8, '0')).join('')
}

const bytesOf = (length: number, salt = 7) =>
  Uint8Array.from({ length }, (_, i) => (i * 73 + salt * 31 + (i >> 3)) & 255)

function digestOf(array: ArrayBufferView & { length: number }, lanes = 1, lane = 0): string {
  const digest = new Digest()
  const out = new Uint32Array(4)
  const view = rowView('x', array, lanes)
  const words = new Uint32Array(Math.ceil(view.rowWords / 4) * 4)
  expect(gatherRow(view, lane, words, 0)).toBe(view.rowWords)
  digest.blocks(words, words.length)
  digest.finish(out)
  return wordsToHex(out)
}

const padded = (bytes: Uint8Array) => {
  const whole = new Uint8Array(Math.ceil(bytes.length / 16) * 16)
  whole.set(bytes)
  return whole
}

describe('digests', () => {
  it('are MurmurHash3 of the little-endian bytes padded to whole blocks', () => {
    for (const length of [0, 1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 64, 100, 256]) {
      const bytes = bytesOf(length)
      expect(digestOf(bytes), `${length} bytes`).toBe(murmur(padded(bytes), [0n, 0n, 0n, 0n]))
    }
  })

  it('of one row do not depend on the lanes around it, aligned or not', () => {
    for (const width of [1, 3, 5, 8, 16, 19, 33]) {
      const rows = bytesOf(width * 5)
      for (let lane = 0; lane < 5; lane++) {
        expect(digestOf(rows, 5, lane)).toBe(digestOf(rows.slice(lane * width, (lane + 1) * width)))
      }
    }
  })

  it('read arrays that start anywhere in their buffer', () => {
    const buffer = new ArrayBuffer(64)
    const inside = new Uint8Array(buffer, 3, 40)
    inside.set(bytesOf(40))
    expect(digestOf(inside)).toBe(digestOf(bytesOf(40)))
  })

  it('start from any four words, and single words are the same as a row of them', () => {
    const digest = new Digest()
    const out = new Uint32Array(4)
    digest.reset(1, 0xffffffff, 3, 0x80000000)
    for (const word of [5, -1, 7, 8]) digest.word(word)
    digest.finish(out)
    const bytes = new Uint8Array(Int32Array.of(5, -1, 7, 8).buffer)
    expect(wordsToHex(out)).toBe(murmur(bytes, [1n, 0xffffffffn, 3n, 0x80000000n]))
  })

  it('tell apart -0 and 0, one bit anywhere, and the order of words', () => {
    expect(digestOf(Float32Array.of(0))).not.toBe(digestOf(Float32Array.of(-0)))
    expect(digestOf(Int32Array.of(1, 2))).not.toBe(digestOf(Int32Array.of(2, 1)))
    const seen = new Set<string>()
    const bytes = bytesOf(37)
    for (let bit = 0; bit < 37 * 8; bit++) {
      const flipped = bytes.slice()
      flipped[bit >> 3] ^= 1 << (bit & 7)
      seen.add(digestOf(flipped))
    }
    expect(seen.size).toBe(37 * 8)
  })

  it('keep these values for ever, as replays hold them', () => {
    expect(digestOf(new Uint8Array(0))).toBe('00000000000000000000000000000000')
    expect(digestOf(Int32Array.of(1, 2, 3, 4, 5))).toMatchInlineSnapshot(`"84a62967cfb5d601e8bcb97ed06955b6"`)
  })
})
