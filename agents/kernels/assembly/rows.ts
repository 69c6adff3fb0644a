/** Work along the rows of a matrix: softmax, log softmax, layer normalisation, and their gradients. */
import { exp4, lanes, log4, madd, max4, splat, sum4 } from './vector'

/** Largest of n floats. */
// @ts-ignore: decorator
@inline
export function rowMax(x: usize, n: i32): f32 {
  let best = splat(-Infinity)
  for (let i = 0; i < n; i += 4) {
    const here = v128.load(x + (<usize>i << 2))
    best = f32x4.max(best, i + 4 <= n ? here : v128.bitselect(here, splat(-Infinity), lanes(n - i)))
  }
  return max4(best)
}

/** out = e^(x − shift) for n floats, spilling; returns their sum. */
// @ts-ignore: decorator
@inline
export function expRow(x: usize, out: usize, n: i32, shift: f32): f32 {
  const s = splat(shift)
  let total = splat(0)
  for (let i = 0; i < n; i += 4) {
    const e = exp4(f32x4.sub(v128.load(x + (<usize>i << 2)), s))
    v128.store(out + (<usize>i << 2), e)
    total = f32x4.add(total, i + 4 <= n ? e : v128.and(e, lanes(n - i)))
  }
  return sum4(total)
}

/** ln x of one number, by the same polynomial. */
// @ts-ignore: decorator
@inline
export function logOf(x: f32): f32 {
  return f32x4.extract_lane(log4(splat(x)), 0)
}

export function softmax(x: usize, out: usize, rows: i32, n: i32): void {
  const stride = <usize>n << 2
  for (let r = 0; r < rows; r++) {
    const total = splat(expRow(x, out, n, rowMax(x, n)))
    for (let i: usize = 0; i < stride; i += 16) v128.store(out + i, f32x4.div(v128.load(out + i), total))
    x += stride
    out += stride
  }
}

/** out = x − max − ln Σ e^(x − max). */
export function logSoftmax(x: usize, out: usize, rows: i32, n: i32): void {
  const stride = <usize>n << 2
  for (let r = 0; r < rows; r++) {
    const top = rowMax(x, n)
    const less = splat(logOf(expRow(x, out, n, top)))
    const shift = splat(top)
    for (let i: usize = 0; i < stride; i += 16) {
      v128.store(out + i, f32x4.sub(f32x4.sub(v128.load(x + i), shift), less))
    }
    x += stride
    out += stride
  }
}

/** dx = dy − e^y Σ dy, with y the log softmax. */
export function logSoftmaxGrad(y: usize, dy: usize, dx: usize, rows: i32, n: i32): void {
  const stride = <usize>n << 2
  for (let r = 0; r < rows; r++) {
    let total = splat(0)
    for (let i = 0; i < n; i += 4) total = f32x4.add(total, v128.and(v128.load(dy + (<usize>i << 2)), lanes(n - i)))
    const all = splat(sum4(total))
    for (let i: usize = 0; i < stride; i += 16) {
      v128.store(dx + i, f32x4.sub(v128.load(dy + i), f32x4.mul(exp4(v128.load(y + i)), all)))
    }
    y += stride
    dy += stride
    dx += stride
  }
}

/** out = (x − mean) / √(variance + ε) · scale + offset; stats [rows, 2] keep mean and 1 / √(variance + ε). */
export function layerNorm(x: usize, scale: usize, offset: usize, out: usize, stats: usize, rows: i32, n: i32, epsilon: f32): void {
  const stride = <usize>n << 2
  for (let r = 0; r < rows; r++) {
    let total = splat(0)
    for (let i = 0; i < n; i += 4) total = f32x4.add(total, v128.and(v128.load(x + (<usize>i << 2)), lanes(n - i)))
    const mean: f32 = sum4(total) / <f32>n
    const centre = splat(mean)
    let squares = splat(0)
    for (let i = 0; i < n; i += 4) {
      const d = v128.and(f32x4.sub(v128.load(x + (<usize>i << 2)), centre), lanes(n - i))
      squares = madd(d, d, squares)
    }
    const inverse: f32 = <f32>1 / sqrt<f32>(sum4(squares) / <f32>n + epsilon)
    const by = splat(inverse)
    for (let i: usize = 0; i < stride; i += 16) {
      const unit = f32x4.mul(f32x4.sub(v128.load(x + i), centre), by)
      v128.store(out + i, madd(unit, v128.load(scale + i), v128.load(offset + i)))
    }
    store<f32>(stats, mean)
    store<f32>(stats, inverse, 4)
    stats += 8
    x += stride
    out += stride
  }
}

/** dx [rows, n]; dScale and dOffset [n] must start at zero. */
export function layerNormGrad(
  x: usize, scale: usize, stats: usize, dy: usize, dx: usize, dScale: usize, dOffset: usize, rows: i32, n: i32,
): void {
  const stride = <usize>n << 2
  for (let r = 0; r < rows; r++) {
    const centre = v128.load_splat<f32>(stats)
    const by = v128.load_splat<f32>(stats, 4)
    let sumD = splat(0)
    let sumDU = splat(0)
    for (let i = 0; i < n; i += 4) {
      const at = <usize>i << 2
      const keep = lanes(n - i)
      const unit = v128.and(f32x4.mul(f32x4.sub(v128.load(x + at), centre), by), keep)
      const g = v128.and(v128.load(dy + at), keep)
      const d = f32x4.mul(g, v128.load(scale + at))
      const masked = v128.and(d, keep)
      sumD = f32x4.add(sumD, masked)
      sumDU = madd(masked, unit, sumDU)
      v128.store(dScale + at, madd(g, unit, v128.load(dScale + at)))
      v128.store(dOffset + at, f32x4.add(v128.load(dOffset + at), g))
    }
    const meanD = splat(sum4(sumD) / <f32>n)
    const meanDU = splat(sum4(sumDU) / <f32>n)
    for (let i: usize = 0; i < stride; i += 16) {
      const unit = f32x4.mul(f32x4.sub(v128.load(x + i), centre), by)
      const d = f32x4.mul(v128.load(dy + i), v128.load(scale + i))
      v128.store(dx + i, f32x4.mul(by, f32x4.sub(f32x4.sub(d, meanD), f32x4.mul(unit, meanDU))))
    }
    stats += 8
    x += stride
    dy += stride
    dx += stride
  }
}
