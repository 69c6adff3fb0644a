/** Optimiser steps over contiguous floats, in place. Arrays are padded to whole vectors of 4. */
import { lanes, splat } from './vector'

/** Σ x² of n floats, accumulated in float64 two by two. */
export function sumSquares(x: usize, n: i32): f64 {
  let a = f64x2.splat(0)
  let b = f64x2.splat(0)
  for (let i = 0; i < n; i += 4) {
    let v = v128.load(x + (<usize>i << 2))
    if (i + 4 > n) v = v128.and(v, lanes(n - i))
    const lo = f64x2.promote_low_f32x4(v)
    const hi = f64x2.promote_low_f32x4(v128.shuffle<f32>(v, v, 2, 3, 2, 3))
    a = f64x2.add(a, f64x2.mul(lo, lo))
    b = f64x2.add(b, f64x2.mul(hi, hi))
  }
  const c = f64x2.add(a, b)
  return f64x2.extract_lane(c, 0) + f64x2.extract_lane(c, 1)
}

/**
 * p −= rate · m / (√v · root + ε) after m and v have taken in the scaled gradient.
 * @param rate lr / (1 − β₁ᵗ)
 * @param root 1 / √(1 − β₂ᵗ)
 */
export function adam(
  p: usize, g: usize, m: usize, v: usize, n: i32, scale: f32, beta1: f32, beta2: f32, less1: f32, less2: f32,
  rate: f32, root: f32, epsilon: f32,
): void {
  const s = splat(scale)
  const b1 = splat(beta1)
  const b2 = splat(beta2)
  const c1 = splat(less1)
  const c2 = splat(less2)
  const lr = splat(rate)
  const k = splat(root)
  const eps = splat(epsilon)
  for (let i: usize = 0; i < <usize>n << 2; i += 16) {
    const d = f32x4.mul(v128.load(g + i), s)
    const first = f32x4.add(f32x4.mul(v128.load(m + i), b1), f32x4.mul(d, c1))
    const second = f32x4.add(f32x4.mul(v128.load(v + i), b2), f32x4.mul(f32x4.mul(d, d), c2))
    v128.store(m + i, first)
    v128.store(v + i, second)
    const down = f32x4.add(f32x4.mul(f32x4.sqrt(second), k), eps)
    v128.store(p + i, f32x4.sub(v128.load(p + i), f32x4.mul(f32x4.div(first, down), lr)))
  }
}

/** p −= rate · g / (√s + ε) after s has taken in the scaled gradient. */
export function rmsProp(
  p: usize, g: usize, s: usize, n: i32, scale: f32, alpha: f32, less: f32, rate: f32, epsilon: f32,
): void {
  const by = splat(scale)
  const a = splat(alpha)
  const c = splat(less)
  const lr = splat(rate)
  const eps = splat(epsilon)
  for (let i: usize = 0; i < <usize>n << 2; i += 16) {
    const d = f32x4.mul(v128.load(g + i), by)
    const square = f32x4.add(f32x4.mul(v128.load(s + i), a), f32x4.mul(f32x4.mul(d, d), c))
    v128.store(s + i, square)
    v128.store(p + i, f32x4.sub(v128.load(p + i), f32x4.mul(f32x4.div(d, f32x4.add(f32x4.sqrt(square), eps)), lr)))
  }
}

/** target += tau · (online − target); tau 1 copies exactly. */
export function follow(target: usize, online: usize, tau: f32, n: i32): void {
  if (tau == 1) {
    memory.copy(target, online, <usize>n << 2)
    return
  }
  const t = splat(tau)
  for (let i: usize = 0; i < <usize>n << 2; i += 16) {
    const here = v128.load(target + i)
    v128.store(target + i, f32x4.add(here, f32x4.mul(f32x4.sub(v128.load(online + i), here), t)))
  }
}
