import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Generator, nextBelow, nextFloat, nextUint32, seedStream } from './random.ts'
import { episodeSeed, namedSeed, seedWords } from './seeds.ts'

describe('the generator', () => {
  it('is xoshiro128** 1.1', () => {
    // First outputs from the state 1, 2, 3, 4, as the reference C code prints them.
    const expected = [
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
    ]
    const state = Uint32Array.of(1, 2, 3, 4)
    expect(expected.map(() => nextUint32(state, 0))).toEqual(expected)
  })

  it('agrees with the definition in big integers for a thousand draws', () => {
    const M = 0xffffffffn
    const rot = (x: bigint, n: bigint) => ((x << n) | (x >> (32n - n))) & M
    const s = [0xdeadbeefn, 0x12345678n, 0n, 0xffffffffn]
    const state = Uint32Array.from(s, Number)
    for (let i = 0; i < 1000; i++) {
      const result = (rot((s[1] * 5n) & M, 7n) * 9n) & M
      const t = (s[1] << 9n) & M
      s[2] ^= s[0]
      s[3] ^= s[1]
      s[1] ^= s[2]
      s[0] ^= s[3]
      s[2] ^= t
      s[3] = rot(s[3], 11n)
      expect(nextUint32(state, 0)).toBe(Number(result))
    }
  })

  it('draws bounded integers without bias, and nothing for a bound of one', () => {
    const rng = new Generator(namedSeed(1, 'test'))
    const counts = new Array<number>(6).fill(0)
    for (let i = 0; i < 60_000; i++) counts[rng.below(6)]++
    // Chi-square with 5 degrees of freedom: 20.5 is exceeded once in a thousand.
    expect(counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)).toBeLessThan(20.5)
    const before = [...rng.state]
    expect(rng.below(1)).toBe(0)
    expect([...rng.state]).toEqual(before)
    // 3 * 2^30 divides 2^32 badly: a quarter of the draws is rejected, none may come out at or above the bound.
    const wide = 3 * 2 ** 30
    const thirds = [0, 0, 0]
    for (let i = 0; i < 30_000; i++) thirds[Math.floor(nextBelow(rng.state, 0, wide) / 2 ** 30)]++
    for (const third of thirds) expect(Math.abs(third - 10_000)).toBeLessThan(400)
  })

  it('draws floats of 24 bits that float32 holds exactly', () => {
    const state = Uint32Array.of(1, 2, 3, 4)
    const again = state.slice()
    for (let i = 0; i < 1000; i++) {
      const value = nextFloat(state, 0)
      expect(value).toBe((nextUint32(again, 0) >>> 8) / 2 ** 24)
      expect(Math.fround(value)).toBe(value)
    }
  })

  it('keeps streams of one seed apart, and these for ever', () => {
    const seed = seedWords('00112233445566778899aabbccddeeff')
    const streams = [0, 1, 2, 3].map((stream) => {
      const state = new Uint32Array(4)
      seedStream(state, 0, seed, stream)
      return Array.from(state, (word) => word.toString(16)).join(' ')
    })
    expect(new Set(streams).size).toBe(4)
    expect(streams[0]).toMatchInlineSnapshot(`"49c150fc afb40380 eee26e2e 1252465f"`)
    const zero = new Uint32Array(4)
    seedStream(zero, 0, new Uint32Array(4), 0)
    expect(zero.some((word) => word !== 0)).toBe(true)
  })

  it('shuffles to every order alike', () => {
    const rng = new Generator(namedSeed(2, 'test'))
    const orders = new Map<string, number>()
    for (let i = 0; i < 12_000; i++) {
      const items = [0, 1, 2]
      rng.shuffle(items)
      orders.set(items.join(''), (orders.get(items.join('')) ?? 0) + 1)
    }
    expect(orders.size).toBe(6)
    for (const count of orders.values()) expect(Math.abs(count - 2000)).toBeLessThan(200)
  })
})

describe('seeds', () => {
  it('are the first 128 bits of the SHA-256 that the design names', () => {
    const expected = createHash('sha256').update('troupe-seed-1|7|eval|3|12').digest('hex').slice(0, 32)
    expect(episodeSeed(7, 'eval', 3, 12)).toBe(expected)
    expect(episodeSeed('7', 'eval', 3, 12)).toBe(expected)
    const named = createHash('sha256').update('troupe-named-1|7|policy').digest()
    expect([...namedSeed(7, 'policy')]).toEqual([0, 4, 8, 12].map((at) => named.readUInt32BE(at)))
  })

  it('differ by root, purpose, lane and episode', () => {
    const all = new Set<string>()
    for (const root of [0, 1]) {
      for (const purpose of ['train', 'eval', 'absolute'] as const) {
        for (const lane of [0, 1, 11])
          for (const episode of [0, 1, 11]) all.add(episodeSeed(root, purpose, lane, episode))
      }
    }
    expect(all.size).toBe(54)
  })

  it('are refused when they are anything but 32 lower-case hex digits', () => {
    for (const wrong of [
      '',
      '0'.repeat(31),
      '0'.repeat(33),
      'A'.repeat(32),
      `${'0'.repeat(31)}g`,
      7,
      null,
      {},
      `${'0'.repeat(32)}\n`,
    ]) {
      expect(() => seedWords(wrong as string)).toThrow(/32 lower-case hex digits/)
    }
  })
})
