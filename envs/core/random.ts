/**
 * The generator of everything that is recorded: xoshiro128** 1.1 (Blackman and Vigna 2018), 32-bit, in `Math.imul`.
 * State is four words in a Uint32Array, so that a world keeps its generators among its state arrays.
 */

/** Written into every snapshot and replay. A changed generator gets a new name. */
export const GENERATOR = 'xoshiro128**'

/** Words of state of one generator. */
export const GENERATOR_WORDS = 4

/** Next 32 random bits as an unsigned integer; advances `state[at .. at+3]`. */
export function nextUint32(state: Uint32Array, at: number): number {
  const s1 = state[at + 1]
  const x = Math.imul(s1, 5)
  const result = Math.imul((x << 7) | (x >>> 25), 9) >>> 0
  const t = s1 << 9
  const s2 = state[at + 2] ^ state[at]
  const s3 = state[at + 3] ^ s1
  state[at + 1] = s1 ^ s2
  state[at] ^= s3
  state[at + 2] = s2 ^ t
  state[at + 3] = (s3 << 11) | (s3 >>> 21)
  return result
}

/**
 * Uniform integer in [0, bound), by rejection, so without bias. A bound of 1 draws nothing.
 * @param bound 1 to 2^32
 */
export function nextBelow(state: Uint32Array, at: number, bound: number): number {
  if (bound <= 1) return 0
  const limit = 4294967296 - (4294967296 % bound)
  let bits = nextUint32(state, at)
  while (bits >= limit) bits = nextUint32(state, at)
  return bits % bound
}

/** Uniform float in [0, 1): 24 random bits over 2^24, exact in float32. */
export function nextFloat(state: Uint32Array, at: number): number {
  return (nextUint32(state, at) >>> 8) * 5.960464477539063e-8
}

/** Mixes 32 bits well (Murmur3 finaliser). */
function mix32(word: number): number {
  word ^= word >>> 16
  word = Math.imul(word, 0x85ebca6b)
  word ^= word >>> 13
  word = Math.imul(word, 0xc2b2ae35)
  return (word ^ (word >>> 16)) >>> 0
}

/**
 * Seeds one stream of a generator from 128 seed bits. Streams of one seed are told apart by number;
 * the mixing is ours (Murmur3 finalisers, Weyl constants), fixed by test vectors.
 * @param seed four words
 * @param stream 0, 1, 2 … one per purpose
 */
export function seedStream(state: Uint32Array, at: number, seed: Uint32Array, stream: number): void {
  let carry = mix32(Math.imul(stream + 1, 0x9e3779b9))
  for (let pass = 0; pass < 2; pass++) {
    for (let word = 0; word < 4; word++) {
      carry = mix32((carry + seed[word] + Math.imul(pass * 4 + word + 1, 0x85ebca77)) | 0)
      state[at + word] = (pass === 0 ? carry : state[at + word] ^ carry) >>> 0
    }
  }
  if ((state[at] | state[at + 1] | state[at + 2] | state[at + 3]) === 0) state[at] = 0x9e3779b9
}

/** A generator as an object, for policies, learners and everything outside the lane arrays. */
export class Generator {
  /** The four state words; saved and restored as they are. */
  readonly state: Uint32Array

  constructor(seed: Uint32Array, stream = 0) {
    this.state = new Uint32Array(GENERATOR_WORDS)
    seedStream(this.state, 0, seed, stream)
  }

  /** 32 random bits. */
  uint32(): number {
    return nextUint32(this.state, 0)
  }

  /** Uniform integer in [0, bound). */
  below(bound: number): number {
    return nextBelow(this.state, 0, bound)
  }

  /** Uniform float in [0, 1) with 24 bits. */
  float(): number {
    return nextFloat(this.state, 0)
  }

  /** Fisher–Yates, in place. */
  shuffle(items: Int32Array | number[]): void {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.below(i + 1)
      const kept = items[i]
      items[i] = items[j]
      items[j] = kept
    }
  }
}
