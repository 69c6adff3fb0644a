import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { expect, test } from 'vitest'
import { ONE_BLOCK, hashNumbers, hashShortText } from './seed-hash.ts'
import { defaultSeedWords, episodeSeed, seedWords } from './seeds.ts'

/** The library's answer as four words. */
function library(text: string): number[] {
  const bytes = sha256(utf8ToBytes(text))
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return [0, 4, 8, 12].map((at) => view.getUint32(at))
}

test('texts of every length up to one block have the hash that the library gives', () => {
  const words = new Uint32Array(4)
  for (let size = 0; size <= ONE_BLOCK; size++) {
    for (let variant = 0; variant < 20; variant++) {
      const codes = Array.from({ length: size }, (_, i) => (i * 37 + variant * 101 + size * 13) % 128)
      const text = String.fromCharCode(...codes)
      expect(hashShortText(text, words)).toBe(true)
      expect([...words]).toEqual(library(text))
    }
  }
})

test('numbers are hashed as their decimal text', () => {
  const words = new Uint32Array(4)
  const numbers = [0, 1, 9, 10, 99, 100, 12_345, 999_999, 1_000_000, 2 ** 31 - 1]
  for (const first of numbers) {
    for (const second of numbers) {
      words.fill(7)
      expect(hashNumbers('prefix|', first, second, words)).toBe(true)
      expect([...words]).toEqual(library(`prefix|${first}|${second}`))
      words.fill(7)
      defaultSeedWords(first, second, words)
      expect([...words]).toEqual([...seedWords(episodeSeed('0', 'train', first, second))])
    }
  }
  expect(hashNumbers('x'.repeat(ONE_BLOCK - 20), 1, 1, words)).toBe(false)
  expect(hashNumbers('ü', 1, 1, words)).toBe(false)
})

test('longer and foreign texts are left to the library', () => {
  const words = Uint32Array.of(1, 2, 3, 4)
  expect(hashShortText('x'.repeat(ONE_BLOCK + 1), words)).toBe(false)
  expect(hashShortText('ü', words)).toBe(false)
  expect([...words]).toEqual([1, 2, 3, 4])
})

test('episode seeds are the documented hash, short or long, whatever the root', () => {
  for (const root of ['0', 7, '', 'a longer root that does not fit into a single block', 'wörter', '日本']) {
    for (const [lane, episode] of [
      [0, 0],
      [3, 1000],
      [1048575, 2147483647],
    ]) {
      const words = library(`troupe-seed-1|${root}|absolute|${lane}|${episode}`)
      const seed = episodeSeed(root, 'absolute', lane, episode)
      expect(seed).toBe(words.map((word) => word.toString(16).padStart(8, '0')).join(''))
      expect([...seedWords(seed)]).toEqual(words)
    }
  }
})

test.each([
  '',
  '0123456789abcdef0123456789abcde',
  '0123456789abcdef0123456789abcdeg',
  '0123456789ABCDEF0123456789abcdef',
])('the seed %j is refused and the words are left alone', (seed) => {
  const words = Uint32Array.of(1, 2, 3, 4)
  expect(() => seedWords(seed, words)).toThrow(/expected 32 lower-case hex digits/)
  expect([...words]).toEqual([1, 2, 3, 4])
})
