/** SHA-256 of short texts without objects: an episode's seed costs a tenth of what a general library takes. */

/** Round constants: fractional parts of the cube roots of the first 64 primes (FIPS 180-4, section 4.2.2). */
const K = Int32Array.of(
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2,
)

/** Longest text that fits one block with its padding. */
export const ONE_BLOCK = 55

const schedule = new Int32Array(64)

/**
 * First 128 bits of SHA-256 of a text of at most 55 ASCII characters (FIPS 180-4, section 6.2.2), one block.
 * @param into four words, most significant first
 * @returns false, with nothing written, where the text is longer or not ASCII
 */
export function hashShortText(text: string, into: Uint32Array): boolean {
  const size = text.length
  if (size > ONE_BLOCK) return false
  for (let i = 0; i < 16; i++) schedule[i] = 0
  if (!put(text)) return false
  hashBlock(size, into)
  return true
}

/** Lays a text out from the beginning of a block of zeros; false where it is not ASCII. */
function put(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 127) return false
    schedule[i >> 2] |= code << (24 - ((i & 3) << 3))
  }
  return true
}

/** Lays out the decimal digits of a whole number of 0 or more. @returns where the next byte goes */
function putNumber(value: number, at: number): number {
  let digits = 1
  for (let power = 10; power <= value; power *= 10) digits++
  for (let i = at + digits - 1, rest = value; i >= at; i--) {
    const next = Math.floor(rest / 10)
    schedule[i >> 2] |= (48 + rest - 10 * next) << (24 - ((i & 3) << 3))
    rest = next
  }
  return at + digits
}

/**
 * `hashShortText` of `prefix`, the number `first`, a bar and the number `second`, without making that text.
 * @param first whole, 0 to 2^31 - 1, as is `second`
 * @returns false, with nothing written, where the text might be longer than a block or is not ASCII
 */
export function hashNumbers(prefix: string, first: number, second: number, into: Uint32Array): boolean {
  if (prefix.length + 21 > ONE_BLOCK) return false
  for (let i = 0; i < 16; i++) schedule[i] = 0
  if (!put(prefix)) return false
  const bar = putNumber(first, prefix.length)
  schedule[bar >> 2] |= 124 << (24 - ((bar & 3) << 3))
  hashBlock(putNumber(second, bar + 1), into)
  return true
}

/** Hashes what is laid out in the first 16 words, which is `size` bytes long. */
function hashBlock(size: number, into: Uint32Array): void {
  const w = schedule
  w[size >> 2] |= 0x80 << (24 - ((size & 3) << 3))
  w[15] = size << 3
  for (let t = 16; t < 64; t++) {
    const x = w[t - 15]
    const y = w[t - 2]
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    w[t] = (w[t - 16] + s0 + w[t - 7] + s1) | 0
  }
  let a = 0x6a09e667
  let b = 0xbb67ae85 | 0
  let c = 0x3c6ef372
  let d = 0xa54ff53a | 0
  let e = 0x510e527f
  let f = 0x9b05688c | 0
  let g = 0x1f83d9ab
  let h = 0x5be0cd19
  for (let t = 0; t < 64; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[t] + w[t]) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  into[0] = a + 0x6a09e667
  into[1] = b + 0xbb67ae85
  into[2] = c + 0x3c6ef372
  into[3] = d + 0xa54ff53a
}
