/**
 * Matrix product C = op(A) · op(B), single precision, any M, N, K.
 *
 * B is packed once per call (or once per sequence, see `packB`) into panels of 8 columns, zero-padded, in blocks of
 * KBLOCK along K. A is packed four rows at a time, side by side, so that the inner loop reads two streams; where C is
 * narrow that would not pay and A is read in place. The register tile is 4 × 8: 8 accumulators, 2 of B and 1 of A fill V8's
 * registers. Heads of networks (a few columns, and gradients through them) would leave most of a tile empty: they go in
 * strips of 16 rows by 1 column, or 1 row by 16 columns.
 * Every sum runs along k in order, so the result does not depend on M, N, the blocks or the tile a row falls into.
 *
 * The order of statements in the two inner loops is measured, not taste: rows from last to first, the loop tested at its
 * end. V8 keeps loads where they are written and multiplies where they are used, and the processor's adders and
 * multipliers share the work evenly only in some orders (AMD Zen 3: 29.5 to 33.6 GFLOP/s, with the same bits). 6 × 8,
 * 5 × 8, 3 × 12 and unrolling by hand were not faster: they spill an accumulator or fall out of step. Nor were blocks of 128
 * along K, columns in blocks, or eight rows of A to a panel.
 */
import { madd } from './vector'

/** Rows of B per block: a panel of 8 columns is 8 kB and four rows of A are 4 kB, together within L1. */
const KBLOCK: i32 = 256
/** From this many columns on A is packed. */
const WIDE: i32 = 25
/** Up to this many columns strips are faster than tiles, and up to this many terms of a sum strips of columns. */
const STRIP: i32 = 6
const SHORT: i32 = 8
/** Rows that a relu's gradient is applied to at once. */
const MASKED: i32 = 32

export const LOAD: i32 = 1 // start from what C holds
export const FINISH: i32 = 2 // add bias and apply relu on the way out
export const RELU: i32 = 4

/**
 * Packs op(B) [K, N] for `gemmPacked`: blocks of KBLOCK rows, in each block panels of 8 columns, in each panel k-major.
 * @param ldb floats from row to row of B as stored: [K, N] plain, [N, K] transposed
 * @param out ceil8(N) · K floats
 */
export function packB(b: usize, k: i32, n: i32, ldb: i32, transposed: i32, out: usize): void {
  for (let k0 = 0; k0 < k; k0 += KBLOCK) out = packBlock(b, k0, min(KBLOCK, k - k0), n, ldb, transposed, out)
}

/** Packs rows k0 … k0 + kc of op(B); returns the end. */
function packBlock(b: usize, k0: i32, kc: i32, n: i32, ldb: i32, transposed: i32, out: usize): usize {
  for (let j = 0; j < n; j += 8) {
    const columns = min(8, n - j)
    if (transposed) packTransposed(b + (<usize>(j * ldb + k0) << 2), kc, columns, ldb, out)
    else packPlain(b + (<usize>(k0 * ldb + j) << 2), kc, columns, ldb, out)
    out += <usize>kc << 5
  }
  return out
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

/** Four rows of four, from their addresses, become four columns of four, `apart` bytes from one to the next. */
// @ts-ignore: decorator
@inline
function transpose4(a0: usize, a1: usize, a2: usize, a3: usize, to: usize, apart: usize): void {
  const r0 = v128.load(a0)
  const r1 = v128.load(a1)
  const r2 = v128.load(a2)
  const r3 = v128.load(a3)
  const lo01 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5)
  const lo23 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5)
  const hi01 = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7)
  const hi23 = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7)
  v128.store(to, v128.shuffle<f32>(lo01, lo23, 0, 1, 4, 5))
  v128.store(to + apart, v128.shuffle<f32>(lo01, lo23, 2, 3, 6, 7))
  v128.store(to + 2 * apart, v128.shuffle<f32>(hi01, hi23, 0, 1, 4, 5))
  v128.store(to + 3 * apart, v128.shuffle<f32>(hi01, hi23, 2, 3, 6, 7))
}

function packTransposed(b: usize, kc: i32, columns: i32, ldb: i32, out: usize): void {
  const stride = <usize>ldb << 2
  let p = 0
  if (columns == 8) {
    for (; p + 4 <= kc; p += 4) {
      const lower = b + 4 * stride
      transpose4(b, b + stride, b + 2 * stride, b + 3 * stride, out, 32)
      transpose4(lower, lower + stride, lower + 2 * stride, lower + 3 * stride, out + 16, 32)
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

/**
 * Packs four rows of op(A), k-major: 16 bytes per k.
 * @param step bytes from k to k: 4 in place, a row of the stored matrix where it is transposed
 */
function packA(a0: usize, a1: usize, a2: usize, a3: usize, step: usize, kc: i32, out: usize): void {
  const end = out + (<usize>kc << 4)
  if (step == 4) {
    const whole = out + (<usize>(kc & ~3) << 4)
    while (out < whole) {
      transpose4(a0, a1, a2, a3, out, 16)
      a0 += 16
      a1 += 16
      a2 += 16
      a3 += 16
      out += 64
    }
  } else if (a1 == a0 + 4 && a2 == a1 + 4 && a3 == a2 + 4) {
    while (out < end) {
      v128.store(out, v128.load(a0))
      a0 += step
      out += 16
    }
  }
  while (out < end) {
    store<f32>(out, load<f32>(a0))
    store<f32>(out, load<f32>(a1), 4)
    store<f32>(out, load<f32>(a2), 8)
    store<f32>(out, load<f32>(a3), 12)
    a0 += step
    a1 += step
    a2 += step
    a3 += step
    out += 16
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
 * One 4 × 8 tile of C over kc ≥ 1 steps, from packed rows of A.
 * With fewer than 4 rows the spare ones repeat a valid row and their results are dropped.
 */
function tilePacked(a: usize, b: usize, kc: i32, c: usize, ldc: usize, rows: i32, columns: i32, flags: i32, bias: usize): void {
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
  do {
    const b0 = v128.load(b)
    const b1 = v128.load(b, 16)
    let s = v128.load_splat<f32>(a, 12)
    x31 = madd(s, b1, x31)
    x30 = madd(s, b0, x30)
    s = v128.load_splat<f32>(a, 8)
    x21 = madd(s, b1, x21)
    x20 = madd(s, b0, x20)
    s = v128.load_splat<f32>(a, 4)
    x11 = madd(s, b1, x11)
    x10 = madd(s, b0, x10)
    s = v128.load_splat<f32>(a)
    x01 = madd(s, b1, x01)
    x00 = madd(s, b0, x00)
    a += 16
    b += 32
  } while (b < end)
  if (flags & FINISH) {
    const lo = bias ? loadSome(bias, columns, 0) : f32x4.splat(0)
    const hi = bias ? loadSome(bias, columns, 1) : f32x4.splat(0)
    x00 = finish(x00, lo, flags); x01 = finish(x01, hi, flags)
    x10 = finish(x10, lo, flags); x11 = finish(x11, hi, flags)
    x20 = finish(x20, lo, flags); x21 = finish(x21, hi, flags)
    x30 = finish(x30, lo, flags); x31 = finish(x31, hi, flags)
  }
  storeTile(c, c1, c2, c3, rows, columns, x00, x01, x10, x11, x20, x21, x30, x31)
}

/** The same with A read in place: row pointers advance by `step` bytes per k. */
function tileInPlace(
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
  do {
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
  } while (b < end)
  if (flags & FINISH) {
    const lo = bias ? loadSome(bias, columns, 0) : f32x4.splat(0)
    const hi = bias ? loadSome(bias, columns, 1) : f32x4.splat(0)
    x00 = finish(x00, lo, flags); x01 = finish(x01, hi, flags)
    x10 = finish(x10, lo, flags); x11 = finish(x11, hi, flags)
    x20 = finish(x20, lo, flags); x21 = finish(x21, hi, flags)
    x30 = finish(x30, lo, flags); x31 = finish(x31, hi, flags)
  }
  storeTile(c, c1, c2, c3, rows, columns, x00, x01, x10, x11, x20, x21, x30, x31)
}

// @ts-ignore: decorator
@inline
function storeTile(
  c: usize, c1: usize, c2: usize, c3: usize, rows: i32, columns: i32,
  x00: v128, x01: v128, x10: v128, x11: v128, x20: v128, x21: v128, x30: v128, x31: v128,
): void {
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

/** A product without terms: C is what it held or 0, plus bias, cut by relu. */
function gemmEmpty(c: usize, ldc: usize, m: i32, n: i32, flags: i32, bias: usize): void {
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      const at = <usize>j << 2
      let x: f32 = flags & LOAD ? load<f32>(c + at) : 0
      if (bias) x += load<f32>(bias + at)
      store<f32>(c + at, flags & RELU ? max<f32>(x, 0) : x)
    }
    c += ldc
  }
}

// @ts-ignore: decorator
@inline
function gather4(c: usize, row: usize): v128 {
  let x = v128.load32_zero(c)
  x = v128.load_lane<f32>(c + row, x, 1)
  x = v128.load_lane<f32>(c + 2 * row, x, 2)
  return v128.load_lane<f32>(c + 3 * row, x, 3)
}

// @ts-ignore: decorator
@inline
function scatter4(c: usize, row: usize, x: v128): void {
  v128.store_lane<f32>(c, x, 0)
  v128.store_lane<f32>(c + row, x, 1)
  v128.store_lane<f32>(c + 2 * row, x, 2)
  v128.store_lane<f32>(c + 3 * row, x, 3)
}

/** 16 rows of op(A), k-major: 64 bytes per k. @param down bytes from row to row of A as stored [M, K] */
function packRows(a: usize, down: usize, kc: i32, out: usize): void {
  for (let q = 0; q < 4; q++) {
    let from = a
    let to = out
    let p = 0
    for (; p + 4 <= kc; p += 4) {
      transpose4(from, from + down, from + 2 * down, from + 3 * down, to, 64)
      from += 16
      to += 256
    }
    for (; p < kc; p++) {
      v128.store(to, gather4(from, down))
      from += 4
      to += 64
    }
    a += 4 * down
    out += 16
  }
}

/**
 * 16 rows of C, its columns one after the other, from op(A) with 16 rows side by side.
 * @param step bytes from k to k of `from`
 * @param b packed panel, 32 bytes per k
 */
function stripsOfRows(
  from: usize, step: usize, b: usize, kc: i32, c: usize, rowBytes: usize, columns: i32, flags: i32, bias: usize,
): void {
  for (let j = 0; j < columns; j++) {
    const at = <usize>j << 2
    const to = c + at
    let x0 = f32x4.splat(0), x1 = f32x4.splat(0), x2 = f32x4.splat(0), x3 = f32x4.splat(0)
    if (flags & LOAD) {
      x0 = gather4(to, rowBytes)
      x1 = gather4(to + 4 * rowBytes, rowBytes)
      x2 = gather4(to + 8 * rowBytes, rowBytes)
      x3 = gather4(to + 12 * rowBytes, rowBytes)
    }
    let x = from
    let y = b + at
    const end = y + (<usize>kc << 5)
    do {
      const w = v128.load_splat<f32>(y)
      x0 = madd(v128.load(x), w, x0)
      x1 = madd(v128.load(x, 16), w, x1)
      x2 = madd(v128.load(x, 32), w, x2)
      x3 = madd(v128.load(x, 48), w, x3)
      x += step
      y += 32
    } while (y < end)
    if (flags & FINISH) {
      const w = bias ? v128.load_splat<f32>(bias + at) : f32x4.splat(0)
      x0 = finish(x0, w, flags)
      x1 = finish(x1, w, flags)
      x2 = finish(x2, w, flags)
      x3 = finish(x3, w, flags)
    }
    scatter4(to, rowBytes, x0)
    scatter4(to + 4 * rowBytes, rowBytes, x1)
    scatter4(to + 8 * rowBytes, rowBytes, x2)
    scatter4(to + 12 * rowBytes, rowBytes, x3)
  }
}

/** C = A · B with few terms per sum, row by row in strips of 16 columns. @param b [K, ceil16(N)], zeros behind column N */
function gemmShort(
  a: usize, down: usize, step: usize, b: usize, c: usize, rowBytes: usize, m: i32, n: i32, k: i32, mask: usize,
): void {
  const across = <usize>((n + 15) & ~15) << 2
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j += 16) {
      const to = c + (<usize>j << 2)
      let x0 = f32x4.splat(0), x1 = f32x4.splat(0), x2 = f32x4.splat(0), x3 = f32x4.splat(0)
      let x = a
      let y = b + (<usize>j << 2)
      const end = y + <usize>k * across
      do {
        const w = v128.load_splat<f32>(x)
        x0 = madd(w, v128.load(y), x0)
        x1 = madd(w, v128.load(y, 16), x1)
        x2 = madd(w, v128.load(y, 32), x2)
        x3 = madd(w, v128.load(y, 48), x3)
        x += step
        y += across
      } while (y < end)
      const left = n - j
      if (left >= 16) {
        v128.store(to, x0)
        v128.store(to, x1, 16)
        v128.store(to, x2, 32)
        v128.store(to, x3, 48)
      } else if (left < 8) storeSome(to, x0, x1, left)
      else {
        v128.store(to, x0)
        v128.store(to, x1, 16)
        storeSome(to + 32, x2, x3, left - 8)
      }
    }
    if (mask != 0) {
      maskRow(c, mask, n)
      mask += rowBytes
    }
    a += down
    c += rowBytes
  }
}

/** op(B) as `gemmShort` wants it. */
function packShort(b: usize, k: i32, n: i32, ldb: i32, transposed: i32, out: usize): void {
  const wide = (n + 15) & ~15
  const next = transposed ? <usize>ldb << 2 : 4
  for (let p = 0; p < k; p++) {
    let from = b + (<usize>(transposed ? p : p * ldb) << 2)
    for (let j = 0; j < n; j++) {
      store<f32>(out + (<usize>j << 2), load<f32>(from))
      from += next
    }
    for (let j = n; j < wide; j++) store<f32>(out + (<usize>j << 2), 0)
    out += <usize>wide << 2
  }
}

/** A row of C becomes 0 where that of `mask` is not above 0: the gradient through a relu that gave `mask`. */
function maskRow(c: usize, mask: usize, n: i32): void {
  let j = 0
  for (; j + 4 <= n; j += 4) {
    v128.store(c, v128.and(v128.load(c), f32x4.gt(v128.load(mask), f32x4.splat(0))))
    c += 16
    mask += 16
  }
  for (; j < n; j++) {
    if (!(load<f32>(mask) > 0)) store<f32>(c, 0)
    c += 4
    mask += 4
  }
}

/** All rows of C over one block of kc ≥ 1 along K; `down` and `step` are bytes from row to row of op(A) and from k to k. */
function multiplyBlock(
  a: usize, down: usize, step: usize, block: usize, kc: i32, c: usize, rowBytes: usize,
  m: i32, n: i32, flags: i32, bias: usize, scratch: usize,
): void {
  for (let i = 0; i < m; i += 4) {
    const rows = min(4, m - i)
    const a1 = rows > 1 ? a + down : a
    const a2 = rows > 2 ? a1 + down : a
    const a3 = rows > 3 ? a2 + down : a
    let panel = block
    if (n < WIDE) {
      for (let j = 0; j < n; j += 8) {
        const at = <usize>j << 2
        tileInPlace(a, a1, a2, a3, step, panel, kc, c + at, rowBytes, rows, min(8, n - j), flags, bias ? bias + at : 0)
        panel += <usize>kc << 5
      }
    } else {
      packA(a, a1, a2, a3, step, kc, scratch)
      for (let j = 0; j < n; j += 8) {
        const at = <usize>j << 2
        tilePacked(scratch, panel, kc, c + at, rowBytes, rows, min(8, n - j), flags, bias ? bias + at : 0)
        panel += <usize>kc << 5
      }
    }
    a += 4 * down
    c += 4 * rowBytes
  }
}

/** The same for up to STRIP columns; the last rows, fewer than 16, go through the tiles. */
function multiplyNarrow(
  a: usize, down: usize, step: usize, block: usize, kc: i32, c: usize, rowBytes: usize,
  m: i32, n: i32, flags: i32, bias: usize, scratch: usize,
): void {
  let i = 0
  for (; i + 16 <= m; i += 16) {
    if (step == 4) {
      packRows(a, down, kc, scratch)
      stripsOfRows(scratch, 64, block, kc, c, rowBytes, n, flags, bias)
    } else stripsOfRows(a, step, block, kc, c, rowBytes, n, flags, bias)
    a += 16 * down
    c += 16 * rowBytes
  }
  multiplyBlock(a, down, step, block, kc, c, rowBytes, m - i, n, flags, bias, scratch)
}

/** The same with the gradient of a relu behind it, some rows at a time, so that they are still in the cache. */
function multiplyMasked(
  a: usize, down: usize, step: usize, block: usize, kc: i32, c: usize, rowBytes: usize,
  m: i32, n: i32, flags: i32, bias: usize, scratch: usize, mask: usize,
): void {
  for (let i = 0; i < m; i += MASKED) {
    const rows = min(MASKED, m - i)
    multiplyBlock(a, down, step, block, kc, c, rowBytes, rows, n, flags, bias, scratch)
    for (let r = 0; r < rows; r++) {
      maskRow(c, mask, n)
      mask += rowBytes
      c += rowBytes
    }
    a += MASKED * down
  }
}

/**
 * C [M, N] = op(A) · B, with B packed by `packB`.
 * @param lda floats from row to row of A as stored: [M, K] plain, [K, M] transposed
 * @param ldc floats from row to row of C
 * @param accumulate 1 adds to what C holds
 * @param bias [N] added to every row, or 0
 * @param relu 1 cuts at zero after the bias
 * @param scratch 16 · KBLOCK floats
 */
export function gemmPacked(
  a: usize, lda: i32, transposed: i32, b: usize, c: usize, ldc: i32,
  m: i32, n: i32, k: i32,
  accumulate: i32, bias: usize, relu: i32, scratch: usize,
): void {
  const last = (bias || relu ? FINISH : 0) | (relu ? RELU : 0)
  const rowBytes = <usize>ldc << 2
  if (k <= 0) gemmEmpty(c, rowBytes, m, n, last | (accumulate ? LOAD : 0), bias)
  const down = transposed ? <usize>4 : <usize>lda << 2
  const step = transposed ? <usize>lda << 2 : <usize>4
  for (let k0 = 0; k0 < k; k0 += KBLOCK) {
    const kc = min(KBLOCK, k - k0)
    const flags = (k0 > 0 || accumulate ? LOAD : 0) | (k0 + kc >= k ? last : 0)
    multiplyBlock(a + <usize>k0 * step, down, step, b, kc, c, rowBytes, m, n, flags, bias, scratch)
    b += <usize>(((n + 7) & ~7) * kc) << 2
  }
}

/**
 * C [M, N] = op(A) · op(B) with both as they are stored. B is packed one block along K at a time, so that a long sum (a
 * weight gradient over a whole batch) works within the cache.
 * @param ldb floats from row to row of B as stored: [K, N] plain, [N, K] transposed
 * @param packedB ceil16(N) · min(K, KBLOCK) floats
 * @param mask [M, N] like C, or 0: C becomes 0 where this is not above 0; the rest as in `gemmPacked`
 */
export function gemm(
  a: usize, lda: i32, transposedA: i32, b: usize, ldb: i32, transposedB: i32, c: usize, ldc: i32,
  m: i32, n: i32, k: i32,
  accumulate: i32, bias: usize, relu: i32, scratch: usize, packedB: usize, mask: usize,
): void {
  const last = (bias || relu ? FINISH : 0) | (relu ? RELU : 0)
  const rowBytes = <usize>ldc << 2
  if (k <= 0) gemmEmpty(c, rowBytes, m, n, last | (accumulate ? LOAD : 0), bias)
  const down = transposedA ? <usize>4 : <usize>lda << 2
  const step = transposedA ? <usize>lda << 2 : <usize>4
  if (k > 0 && k <= SHORT && n >= 16 && last == 0 && !accumulate) {
    packShort(b, k, n, ldb, transposedB, packedB)
    gemmShort(a, down, step, packedB, c, rowBytes, m, n, k, mask)
    return
  }
  for (let k0 = 0; k0 < k; k0 += KBLOCK) {
    const kc = min(KBLOCK, k - k0)
    const flags = (k0 > 0 || accumulate ? LOAD : 0) | (k0 + kc >= k ? last : 0)
    packBlock(b, k0, kc, n, ldb, transposedB, packedB)
    const from = a + <usize>k0 * step
    if (mask != 0 && k0 + kc >= k) multiplyMasked(from, down, step, packedB, kc, c, rowBytes, m, n, flags, bias, scratch, mask)
    else if (n <= STRIP) multiplyNarrow(from, down, step, packedB, kc, c, rowBytes, m, n, flags, bias, scratch)
    else multiplyBlock(from, down, step, packedB, kc, c, rowBytes, m, n, flags, bias, scratch)
  }
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

/** The register tile alone, `count` times over the same operands in L1: the limit that products are measured against. */
export function repeatTile(a: usize, b: usize, kc: i32, c: usize, count: i32): void {
  for (let i = 0; i < count; i++) tilePacked(a, b, kc, c, 32, 4, 8, 0, 0)
}
