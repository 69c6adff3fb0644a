/**
 * Reductions of [outer, length, inner] over the middle axis.
 * Sums run in blocks, block totals are added up (in float64 along contiguous rows), so the error grows with the square
 * root of the length at worst and the order of additions depends on the shape alone.
 */
import { lanes, max4, min4, splat, sum4 } from './vector'

/** Elements per block of a contiguous sum. */
const RUN: i32 = 256
/** Rows per block of a sum down columns. */
const ROWS: i32 = 32

/** Sum of n contiguous floats. */
// @ts-ignore: decorator
@inline
function sumRun(x: usize, n: i32): f64 {
  let total: f64 = 0
  while (n > 0) {
    const run = min(n, RUN)
    let a = splat(0), b = splat(0), c = splat(0), d = splat(0)
    let i = 0
    for (; i + 16 <= run; i += 16) {
      a = f32x4.add(a, v128.load(x))
      b = f32x4.add(b, v128.load(x, 16))
      c = f32x4.add(c, v128.load(x, 32))
      d = f32x4.add(d, v128.load(x, 48))
      x += 64
    }
    for (; i < run; i += 4) {
      a = f32x4.add(a, v128.and(v128.load(x), lanes(run - i)))
      x += 16
    }
    total += <f64>sum4(f32x4.add(f32x4.add(a, b), f32x4.add(c, d)))
    n -= run
  }
  return total
}

/** out [outer, inner] = scale · sum over length. Scale 1 for sums, 1/length for means. */
export function sum(x: usize, out: usize, outer: i32, length: i32, inner: i32, divisor: f32): void {
  if (inner == 1) {
    for (let o = 0; o < outer; o++) {
      store<f32>(out, <f32>(sumRun(x, length) / <f64>divisor))
      x += <usize>length << 2
      out += 4
    }
    return
  }
  const stride = <usize>inner << 2
  const by = splat(divisor)
  for (let o = 0; o < outer; o++) {
    let column = 0
    for (; column + 16 <= inner; column += 16) {
      let from = x + (<usize>column << 2)
      let A = splat(0), B = splat(0), C = splat(0), D = splat(0)
      for (let r = 0; r < length; r += ROWS) {
        let a = splat(0), b = splat(0), c = splat(0), d = splat(0)
        for (let i = min(ROWS, length - r); i > 0; i--) {
          a = f32x4.add(a, v128.load(from))
          b = f32x4.add(b, v128.load(from, 16))
          c = f32x4.add(c, v128.load(from, 32))
          d = f32x4.add(d, v128.load(from, 48))
          from += stride
        }
        A = f32x4.add(A, a); B = f32x4.add(B, b); C = f32x4.add(C, c); D = f32x4.add(D, d)
      }
      v128.store(out, f32x4.div(A, by)); v128.store(out, f32x4.div(B, by), 16)
      v128.store(out, f32x4.div(C, by), 32); v128.store(out, f32x4.div(D, by), 48)
      out += 64
    }
    for (; column < inner; column += 4) {
      let from = x + (<usize>column << 2)
      let A = splat(0)
      for (let r = 0; r < length; r += ROWS) {
        let a = splat(0)
        for (let i = min(ROWS, length - r); i > 0; i--) {
          a = f32x4.add(a, v128.load(from))
          from += stride
        }
        A = f32x4.add(A, a)
      }
      v128.store(out, f32x4.div(A, by))
      out += <usize>min(4, inner - column) << 2
    }
    x += <usize>length * stride
  }
}

// @ts-ignore: decorator
@inline
function pick4(isMax: bool, a: v128, b: v128): v128 {
  return isMax ? f32x4.max(a, b) : f32x4.min(a, b)
}

// @ts-ignore: decorator
@inline
function extreme(isMax: bool, x: usize, out: usize, outer: i32, length: i32, inner: i32): void {
  const start: f32 = isMax ? -Infinity : Infinity
  if (inner == 1) {
    for (let o = 0; o < outer; o++) {
      let best = splat(start)
      for (let i = 0; i < length; i += 4) {
        const here = v128.load(x + (<usize>i << 2))
        best = pick4(isMax, best, i + 4 <= length ? here : v128.bitselect(here, splat(start), lanes(length - i)))
      }
      store<f32>(out, isMax ? max4(best) : min4(best))
      x += <usize>length << 2
      out += 4
    }
    return
  }
  const stride = <usize>inner << 2
  for (let o = 0; o < outer; o++) {
    for (let column = 0; column < inner; column += 4) {
      let from = x + (<usize>column << 2)
      let best = splat(start)
      for (let i = 0; i < length; i++) {
        best = pick4(isMax, best, v128.load(from))
        from += stride
      }
      v128.store(out, best)
      out += <usize>min(4, inner - column) << 2
    }
    x += <usize>length * stride
  }
}

/** Largest over length; NaN wins. */
export function max_(x: usize, out: usize, outer: i32, length: i32, inner: i32): void {
  extreme(true, x, out, outer, length, inner)
}

/** Smallest over length; NaN wins. */
export function min_(x: usize, out: usize, outer: i32, length: i32, inner: i32): void {
  extreme(false, x, out, outer, length, inner)
}

/** Sums of int32, wrapping. */
export function sumInt(x: usize, out: usize, outer: i32, length: i32, inner: i32): void {
  for (let o = 0; o < outer; o++) {
    for (let column = 0; column < inner; column++) {
      let total = 0
      for (let i = 0; i < length; i++) total += load<i32>(x + (<usize>(i * inner + column) << 2))
      store<i32>(out, total)
      out += 4
    }
    x += <usize>(length * inner) << 2
  }
}

/** 0 any, 1 all, over bytes; out bytes 0 or 1. */
export function anyAll(all: i32, x: usize, out: usize, outer: i32, length: i32, inner: i32): void {
  for (let o = 0; o < outer; o++) {
    for (let column = 0; column < inner; column++) {
      let found = false
      for (let i = 0; i < length && !found; i++) found = (load<u8>(x + <usize>(i * inner + column)) != 0) != (all != 0)
      store<u8>(out, found != (all != 0))
      out += 1
    }
    x += <usize>(length * inner)
  }
}

/** int32 index of the first largest (sign 1) or smallest (sign −1) element over length. */
export function argExtreme(sign: f32, x: usize, out: usize, outer: i32, length: i32, inner: i32): void {
  for (let o = 0; o < outer; o++) {
    for (let column = 0; column < inner; column++) {
      let best = load<f32>(x + (<usize>column << 2)) * sign
      let at = 0
      for (let i = 1; i < length; i++) {
        const here = load<f32>(x + (<usize>(i * inner + column) << 2)) * sign
        if (here > best) {
          best = here
          at = i
        }
      }
      store<i32>(out, at)
      out += 4
    }
    x += <usize>(length * inner) << 2
  }
}
