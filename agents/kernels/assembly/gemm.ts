/**
 * Matrix product C = op(A) · op(B), single precision, any M, N, K.
 *
 * B is packed once per call (or once per sequence, see `packB`) into panels of 8 columns, zero-padded, in blocks of
 * KBLOCK along K; A is read in place, or packed into panels of 4 rows when it is transposed. The register tile is 4 × 8:
 * 8 accumulators, 2 of B and 1 of A fill V8's registers; 6 × 8, 8 × 8 and unrolling by hand were slower (spills).
 * Every sum runs along k in order, so the result does not depend on M, N or the tile a row falls into.
 */
import { madd } from './vector'

/** Rows of B per block: a panel of 8 columns is 8 kB and stays in L1. */
const KBLOCK: i32 = 256
/** Rows of A per block: 32 kB, beside the panel. 16 and 64 rows were 5–10 % slower on long K. */
const MBLOCK: i32 = 32

export const LOAD: i32 = 1 // start from what C holds
export const FINISH: i32 = 2 // add bias and apply relu on the way out
export const RELU: i32 = 4

/**
 * Packs op(B) [K, N] for `gemmPacked`: blocks of KBLOCK rows, in each block panels of 8 columns, in each panel k-major.
 * @param ldb floats from row to row of B as stored: [K, N] plain, [N, K] transposed
 * @param out ceil8(N) · K floats
 */
export function packB(b: usize, k: i32, n: i32, ldb: i32, transposed: i32, out: usize): void {
  for (let k0 = 0; k0 < k; k0 += KBLOCK) {
    const kc = min(KBLOCK, k - k0)
    for (let j = 0; j < n; j += 8) {
      const columns = min(8, n - j)
      if (transposed) packTransposed(b + (<usize>(j * ldb + k0) << 2), kc, columns, ldb, out)
      else packPlain(b + (<usize>(k0 * ldb + j) << 2), kc, columns, ldb, out)
      out += <usize>(kc << 5)
    }
  }
}

function packPlain(b: usize, kc: i32, columns: i32, ldb: i32, out: usize): void {
  const stride = <usize>ldb << 2
  if (columns == 8) {
    for (let p = 0; p < kc; p++) {
      v128.store(out, v128.load(b))
      v128.store(out, v128.load(b, 16), 16)
      b += stride
      out += 32
    }
    return
  }
  for (let p = 0; p < kc; p++) {
    for (let j = 0; j < 8; j++) store<f32>(out + (<usize>j << 2), j < columns ? load<f32>(b + (<usize>j << 2)) : 0)
    b += stride
    out += 32
  }
}

/** Four rows of four become four columns of four. */
// @ts-ignore: decorator
@inline
function transpose4(from: usize, stride: usize, to: usize): void {
  const r0 = v128.load(from)
  const r1 = v128.load(from + stride)
  const r2 = v128.load(from + 2 * stride)
  const r3 = v128.load(from + 3 * stride)
  const lo01 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5)
  const lo23 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5)
  const hi01 = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7)
  const hi23 = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7)
  v128.store(to, v128.shuffle<f32>(lo01, lo23, 0, 1, 4, 5))
  v128.store(to, v128.shuffle<f32>(lo01, lo23, 2, 3, 6, 7), 32)
  v128.store(to, v128.shuffle<f32>(hi01, hi23, 0, 1, 4, 5), 64)
  v128.store(to, v128.shuffle<f32>(hi01, hi23, 2, 3, 6, 7), 96)
}

function packTransposed(b: usize, kc: i32, columns: i32, ldb: i32, out: usize): void {
  const stride = <usize>ldb << 2
  let p = 0
  if (columns == 8) {
    for (; p + 4 <= kc; p += 4) {
      transpose4(b, stride, out)
      transpose4(b + 4 * stride, stride, out + 16)
      b += 16
      out += 128
    }
  }
  for (; p < kc; p++) {
    for (let j = 0; j < 8; j++) store<f32>(out + (<usize>j << 2), j < columns ? load<f32>(b + <usize>j * stride) : 0)
    b += 4
    out += 32
  }
}

/** Packs `rows` ≤ MBLOCK rows of Aᵀ (stored [K, M]) into panels of 4 rows, k-major, zero-padded. */
function packA(a: usize, kc: i32, rows: i32, lda: i32, out: usize): void {
  const stride = <usize>lda << 2
  for (let i = 0; i < rows; i += 4) {
    let from = a + (<usize>i << 2)
    if (rows - i >= 4) {
      for (let p = 0; p < kc; p++) {
        v128.store(out, v128.load(from))
        from += stride
        out += 16
      }
    } else {
      for (let p = 0; p < kc; p++) {
        for (let r = 0; r < 4; r++) store<f32>(out + (<usize>r << 2), i + r < rows ? load<f32>(from + (<usize>r << 2)) : 0)
        from += stride
        out += 16
      }
    }
  }
}

// @ts-ignore: decorator
@inline
function finish(x: v128, bias: v128, flags: i32): v128 {
  const y = f32x4.add(x, bias)
  return flags & RELU ? f32x4.max(y, f32x4.splat(0)) : y
}

/** Writes the first `columns` lanes of a row of 8. */
function storeSome(c: usize, lo: v128, hi: v128, columns: i32): void {
  if (columns >= 4) {
    v128.store(c, lo)
    lo = hi
    c += 16
    columns -= 4
  }
  if (columns > 0) v128.store_lane<f32>(c, lo, 0)
  if (columns > 1) v128.store_lane<f32>(c, lo, 1, 4)
  if (columns > 2) v128.store_lane<f32>(c, lo, 2, 8)
}

/** Reads up to 8 floats; lanes past `columns` hold whatever follows and are never written back. */
// @ts-ignore: decorator
@inline
function loadSome(c: usize, columns: i32, half: i32): v128 {
  if (columns >= 8) return v128.load(c + <usize>(half << 4))
  let x = f32x4.splat(0)
  const left = columns - (half << 2)
  c += <usize>(half << 4)
  if (left > 0) x = v128.load_lane<f32>(c, x, 0)
  if (left > 1) x = v128.load_lane<f32>(c, x, 1, 4)
  if (left > 2) x = v128.load_lane<f32>(c, x, 2, 8)
  if (left > 3) x = v128.load_lane<f32>(c, x, 3, 12)
  return x
}

/**
 * One 4 × 8 tile of C over kc steps. Row pointers of A advance by `step` bytes per k: 4 in place, 16 packed.
 * With fewer than 4 rows the spare pointers repeat a valid row and their results are dropped.
 */
function tile(
  a0: usize, a1: usize, a2: usize, a3: usize, step: usize,
  b: usize, kc: i32,
  c: usize, ldc: usize, rows: i32, columns: i32,
  flags: i32, bias: usize,
): void {
  const c1 = rows > 1 ? c + ldc : c
  const c2 = rows > 2 ? c + 2 * ldc : c
  const c3 = rows > 3 ? c + 3 * ldc : c
  let x00 = f32x4.splat(0), x01 = f32x4.splat(0)
  let x10 = f32x4.splat(0), x11 = f32x4.splat(0)
  let x20 = f32x4.splat(0), x21 = f32x4.splat(0)
  let x30 = f32x4.splat(0), x31 = f32x4.splat(0)
  if (flags & LOAD) {
    x00 = loadSome(c, columns, 0); x01 = loadSome(c, columns, 1)
    x10 = loadSome(c1, columns, 0); x11 = loadSome(c1, columns, 1)
    x20 = loadSome(c2, columns, 0); x21 = loadSome(c2, columns, 1)
    x30 = loadSome(c3, columns, 0); x31 = loadSome(c3, columns, 1)
  }
  const end = b + (<usize>kc << 5)
  while (b < end) {
    const b0 = v128.load(b)
    const b1 = v128.load(b, 16)
    let s = v128.load_splat<f32>(a0)
    x00 = madd(s, b0, x00)
    x01 = madd(s, b1, x01)
    s = v128.load_splat<f32>(a1)
    x10 = madd(s, b0, x10)
    x11 = madd(s, b1, x11)
    s = v128.load_splat<f32>(a2)
    x20 = madd(s, b0, x20)
    x21 = madd(s, b1, x21)
    s = v128.load_splat<f32>(a3)
    x30 = madd(s, b0, x30)
    x31 = madd(s, b1, x31)
    a0 += step
    a1 += step
    a2 += step
    a3 += step
    b += 32
  }
  if (flags & FINISH) {
    const lo = bias ? loadSome(bias, columns, 0) : f32x4.splat(0)
    const hi = bias ? loadSome(bias, columns, 1) : f32x4.splat(0)
    x00 = finish(x00, lo, flags); x01 = finish(x01, hi, flags)
    x10 = finish(x10, lo, flags); x11 = finish(x11, hi, flags)
    x20 = finish(x20, lo, flags); x21 = finish(x21, hi, flags)
    x30 = finish(x30, lo, flags); x31 = finish(x31, hi, flags)
  }
  if (columns == 8) {
    v128.store(c, x00); v128.store(c, x01, 16)
    if (rows > 1) { v128.store(c1, x10); v128.store(c1, x11, 16) }
    if (rows > 2) { v128.store(c2, x20); v128.store(c2, x21, 16) }
    if (rows > 3) { v128.store(c3, x30); v128.store(c3, x31, 16) }
  } else {
    storeSome(c, x00, x01, columns)
    if (rows > 1) storeSome(c1, x10, x11, columns)
    if (rows > 2) storeSome(c2, x20, x21, columns)
    if (rows > 3) storeSome(c3, x30, x31, columns)
  }
}

/**
 * C [M, N] = op(A) · B, with B packed by `packB`.
 * @param lda floats from row to row of A as stored: [M, K] plain, [K, M] transposed
 * @param ldc floats from row to row of C
 * @param accumulate 1 adds to what C holds
 * @param bias [N] added to every row, or 0
 * @param relu 1 cuts at zero after the bias
 * @param scratch MBLOCK · KBLOCK floats, used when A is transposed
 */
export function gemmPacked(
  a: usize, lda: i32, transposed: i32, b: usize, c: usize, ldc: i32,
  m: i32, n: i32, k: i32,
  accumulate: i32, bias: usize, relu: i32, scratch: usize,
): void {
  const wide = (n + 7) & ~7
  const rowBytes = <usize>ldc << 2
  const aBytes = <usize>lda << 2
  let k0 = 0
  do {
    const kc = min(KBLOCK, k - k0)
    let flags = k0 > 0 || accumulate ? LOAD : 0
    if (k0 + kc >= k) {
      if (bias || relu) flags |= FINISH
      if (relu) flags |= RELU
    }
    const block = b + (<usize>(k0 * wide) << 2)
    for (let i0 = 0; i0 < m; i0 += MBLOCK) {
      const mb = min(MBLOCK, m - i0)
      if (transposed) packA(a + (<usize>(k0 * lda + i0) << 2), kc, mb, lda, scratch)
      for (let j = 0; j < n; j += 8) {
        const panel = block + (<usize>(j * kc) << 2)
        const columns = min(8, n - j)
        const biasAt = bias ? bias + (<usize>j << 2) : 0
        for (let i = 0; i < mb; i += 4) {
          const rows = min(4, mb - i)
          const to = c + <usize>(i0 + i) * rowBytes + (<usize>j << 2)
          if (transposed) {
            const from = scratch + (<usize>(i * kc) << 2)
            tile(from, from + 4, from + 8, from + 12, 16, panel, kc, to, rowBytes, rows, columns, flags, biasAt)
          } else {
            const a0 = a + <usize>(i0 + i) * aBytes + (<usize>k0 << 2)
            const a1 = rows > 1 ? a0 + aBytes : a0
            const a2 = rows > 2 ? a1 + aBytes : a0
            const a3 = rows > 3 ? a2 + aBytes : a0
            tile(a0, a1, a2, a3, 4, panel, kc, to, rowBytes, rows, columns, flags, biasAt)
          }
        }
      }
    }
    k0 += KBLOCK
  } while (k0 < k)
}

/**
 * `count` small products C = A · op(B), one after the other, without packing: rows of C are sums of rows of B.
 * A [M, K] per entry, C [M, N] contiguous, B [K, N] plain or [N, K] transposed; a stride of 0 shares one matrix.
 * @param strideA floats from entry to entry
 * @param scratch K · N floats when B is transposed
 */
export function gemmBatch(
  a: usize, strideA: i32, b: usize, strideB: i32, transposed: i32, c: usize, count: i32, m: i32, n: i32, k: i32, scratch: usize,
): void {
  const row = <usize>n << 2
  for (let q = 0; q < count; q++) {
    let from = b
    if (transposed) {
      from = scratch
      for (let p = 0; p < k; p++) {
        for (let j = 0; j < n; j++) store<f32>(scratch + (<usize>(p * n + j) << 2), load<f32>(b + (<usize>(j * k + p) << 2)))
      }
    }
    let x = a
    for (let i = 0; i < m; i++) {
      for (let j: usize = 0; j < row; j += 16) {
        let total = f32x4.splat(0)
        let y = from + j
        for (let p = 0; p < k; p++) {
          total = madd(v128.load_splat<f32>(x + (<usize>p << 2)), v128.load(y), total)
          y += row
        }
        v128.store(c + j, total)
      }
      x += <usize>k << 2
      c += row
    }
    a += <usize>strideA << 2
    b += <usize>strideB << 2
  }
}
