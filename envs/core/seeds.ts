/** Episode seeds: what makes an episode repeatable without any history. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { TroupeError, shown } from './errors.ts'
import { hashNumbers, hashShortText } from './seed-hash.ts'

/** 128 bits as 32 lower-case hex digits. */
export type EpisodeSeed = string

/** Seeds of different purposes never meet: training never sees an evaluation episode. */
export type SeedPurpose = 'train' | 'eval' | 'absolute'

/**
 * First 128 bits of SHA-256("troupe-seed-1|root|purpose|lane|episode") as 32 hex digits.
 * @param root any text or number; the run's root seed
 * @param lane global lane number, so that sharding does not matter
 * @param episode 0, 1, 2 … within the lane
 */
export function episodeSeed(root: string | number, purpose: SeedPurpose, lane: number, episode: number): EpisodeSeed {
  const text = `troupe-seed-1|${root}|${purpose}|${lane}|${episode}`
  if (!hashShortText(text, hashed)) return bytesToHex(sha256(utf8ToBytes(text)).subarray(0, 16))
  let seed = ''
  for (let word = 0; word < 4; word++) {
    const bits = hashed[word]
    seed += BYTES[bits >>> 24] + BYTES[(bits >>> 16) & 255] + BYTES[(bits >>> 8) & 255] + BYTES[bits & 255]
  }
  return seed
}

/**
 * The words of `episodeSeed('0', 'train', lane, episode)`, without making a text: what an episode of a batch begins with when
 * nobody chose its seed.
 * @param into four words, most significant digits first
 */
export function defaultSeedWords(lane: number, episode: number, into: Uint32Array): void {
  if (!hashNumbers('troupe-seed-1|0|train|', lane, episode, into))
    seedWords(episodeSeed('0', 'train', lane, episode), into)
}

const hashed = new Uint32Array(4)
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Value of a lower-case hex digit by character code; 255 for everything else. */
const DIGIT = Uint8Array.from({ length: 128 }, (_, code) =>
  code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : 255,
)

/** Four generator words for a named use that is not an episode (policy sampling, weight initialisation, shuffles). */
export function namedSeed(root: string | number, name: string): Uint32Array {
  return seedWords(bytesToHex(sha256(utf8ToBytes(`troupe-named-1|${root}|${name}`)).subarray(0, 16)))
}

/** Reads an episode seed into four words, most significant digits first. */
export function seedWords(seed: EpisodeSeed, into: Uint32Array = new Uint32Array(4)): Uint32Array {
  if (!isSeed(seed)) {
    throw new TroupeError('bad-option', {
      where: 'episode seed',
      got: shown(seed),
      expected: '32 lower-case hex digits, as episodeSeed() makes them',
    })
  }
  for (let word = 0; word < 4; word++) {
    let bits = 0
    for (let i = word * 8; i < word * 8 + 8; i++) bits = (bits << 4) | DIGIT[seed.charCodeAt(i)]
    into[word] = bits
  }
  return into
}

/** Whether a value is 32 lower-case hex digits. */
function isSeed(seed: unknown): boolean {
  if (typeof seed !== 'string' || seed.length !== 32) return false
  for (let i = 0; i < 32; i++) {
    const code = seed.charCodeAt(i)
    if (code > 127 || DIGIT[code] === 255) return false
  }
  return true
}
