/** Episode seeds: what makes an episode repeatable without any history. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { TroupeError, shown } from './errors.ts'

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
  return bytesToHex(sha256(utf8ToBytes(`troupe-seed-1|${root}|${purpose}|${lane}|${episode}`)).subarray(0, 16))
}

/** Four generator words for a named use that is not an episode (policy sampling, weight initialisation, shuffles). */
export function namedSeed(root: string | number, name: string): Uint32Array {
  return seedWords(bytesToHex(sha256(utf8ToBytes(`troupe-named-1|${root}|${name}`)).subarray(0, 16)))
}

/** Reads an episode seed into four words, most significant digits first. */
export function seedWords(seed: EpisodeSeed, into: Uint32Array = new Uint32Array(4)): Uint32Array {
  if (typeof seed !== 'string' || !/^[0-9a-f]{32}$/.test(seed)) {
    throw new TroupeError('bad-option', {
      where: 'episode seed',
      got: shown(seed),
      expected: '32 lower-case hex digits, as episodeSeed() makes them',
    })
  }
  for (let word = 0; word < 4; word++) into[word] = parseInt(seed.slice(word * 8, word * 8 + 8), 16)
  return into
}
