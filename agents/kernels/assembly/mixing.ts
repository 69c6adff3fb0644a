/** QMIX's mixing network and small multi-head attention, forward and backward. */
import { exp4, lanes, madd, splat, sum4 } from './vector'

/** out [rows] = elu(q |w1| + b1) · |wFinal| + v; hidden [rows, embed] is kept for the gradient. */
export function qmix(
  q: usize, w1: usize, b1: usize, wFinal: usize, v: usize, hidden: usize, out: usize, rows: i32, agents: i32, embed: i32,
): void {
  const width = <usize>embed << 2
  for (let r = 0; r < rows; r++) {
    let total = splat(0)
    for (let e = 0; e < embed; e += 4) {
      const at = <usize>e << 2
      let x = v128.load(b1 + at)
      for (let a = 0; a < agents; a++) {
        x = madd(v128.load_splat<f32>(q + (<usize>a << 2)), f32x4.abs(v128.load(w1 + <usize>a * width + at)), x)
      }
      const h = v128.bitselect(x, f32x4.sub(exp4(x), splat(1)), f32x4.ge(x, splat(0)))
      v128.store(hidden + at, h)
      const keep = lanes(embed - e)
      total = madd(v128.and(h, keep), v128.and(f32x4.abs(v128.load(wFinal + at)), keep), total)
    }
    store<f32>(out, sum4(total) + load<f32>(v))
    q += <usize>agents << 2
    w1 += <usize>agents * width
    b1 += width
    wFinal += width
    hidden += width
    v += 4
    out += 4
  }
}

/** −1, 0 or 1 as |x| has its slope. */
// @ts-ignore: decorator
@inline
function slope(x: v128): v128 {
  const sign = v128.or(v128.and(x, i32x4.splat(0x80000000)), splat(1))
  return v128.and(sign, f32x4.ne(x, splat(0)))
}

/** Gradients of `qmix` with respect to everything but v, whose gradient is dy itself. */
export function qmixGrad(
  q: usize, w1: usize, wFinal: usize, hidden: usize, dy: usize,
  dq: usize, dw1: usize, db1: usize, dwFinal: usize, rows: i32, agents: i32, embed: i32,
): void {
  const width = <usize>embed << 2
  for (let r = 0; r < rows; r++) {
    const d = v128.load_splat<f32>(dy)
    for (let e: usize = 0; e < width; e += 16) {
      const w = v128.load(wFinal + e)
      const h = v128.load(hidden + e)
      v128.store(dwFinal + e, f32x4.mul(f32x4.mul(d, h), slope(w)))
      const inside = v128.bitselect(splat(1), f32x4.add(h, splat(1)), f32x4.ge(h, splat(0)))
      v128.store(db1 + e, f32x4.mul(f32x4.mul(d, f32x4.abs(w)), inside))
    }
    for (let a = 0; a < agents; a++) {
      const value = v128.load_splat<f32>(q + (<usize>a << 2))
      let total = splat(0)
      for (let e = 0; e < embed; e += 4) {
        const at = <usize>e << 2
        const w = v128.load(w1 + at)
        const g = v128.load(db1 + at)
        v128.store(dw1 + at, f32x4.mul(f32x4.mul(g, value), slope(w)))
        const keep = lanes(embed - e)
        total = madd(v128.and(g, keep), v128.and(f32x4.abs(w), keep), total)
      }
      store<f32>(dq + (<usize>a << 2), sum4(total))
      w1 += width
      dw1 += width
    }
    q += <usize>agents << 2
    dq += <usize>agents << 2
    wFinal += width
    hidden += width
    db1 += width
    dwFinal += width
    dy += 4
  }
}

/** a · b over n floats. */
// @ts-ignore: decorator
@inline
function dot(a: usize, b: usize, n: i32): f32 {
  let total = splat(0)
  let i = 0
  for (; i + 4 <= n; i += 4) total = madd(v128.load(a + (<usize>i << 2)), v128.load(b + (<usize>i << 2)), total)
  if (i < n) {
    const keep = lanes(n - i)
    total = madd(v128.and(v128.load(a + (<usize>i << 2)), keep), v128.and(v128.load(b + (<usize>i << 2)), keep), total)
  }
  return sum4(total)
}

/** to += factor · x over exactly n floats. */
// @ts-ignore: decorator
@inline
function add(to: usize, x: usize, factor: f32, n: i32): void {
  const s = splat(factor)
  let i = 0
  for (; i + 4 <= n; i += 4) {
    const at = <usize>i << 2
    v128.store(to + at, madd(s, v128.load(x + at), v128.load(to + at)))
  }
  for (; i < n; i++) {
    const at = <usize>i << 2
    store<f32>(to + at, load<f32>(to + at) + factor * load<f32>(x + at))
  }
}

/**
 * Scaled dot-product attention, heads side by side in the last axis.
 * @param mask bytes [queries, keys] per batch entry (maskStride 0 shares one), or 0
 * @param weights [batch, heads, queries, keys] gets the attention weights
 * @param out [batch, queries, valueWidth], zeros on entry
 */
export function attention(
  query: usize, key: usize, value: usize, mask: usize, maskStride: i32, weights: usize, out: usize,
  batch: i32, heads: i32, queries: i32, keys: i32, width: i32, valueWidth: i32,
): void {
  const part = width / heads
  const valuePart = valueWidth / heads
  const scale: f32 = <f32>1 / sqrt<f32>(<f32>part)
  for (let b = 0; b < batch; b++) {
    for (let h = 0; h < heads; h++) {
      for (let i = 0; i < queries; i++) {
        const q = query + (<usize>((b * queries + i) * width + h * part) << 2)
        const allowed = mask + <usize>(b * maskStride + i * keys)
        let top: f32 = -Infinity
        for (let j = 0; j < keys; j++) {
          let score: f32 = -Infinity
          if (mask == 0 || load<u8>(allowed + <usize>j) != 0) {
            score = dot(q, key + (<usize>((b * keys + j) * width + h * part) << 2), part) * scale
            top = max<f32>(top, score)
          }
          store<f32>(weights + (<usize>j << 2), score)
        }
        let total: f32 = 0
        if (top > -Infinity || top != top) {
          for (let j = 0; j < keys; j++) {
            const at = weights + (<usize>j << 2)
            const e: f32 = f32x4.extract_lane(exp4(splat(load<f32>(at) - top)), 0)
            store<f32>(at, e)
            total += e
          }
          const to = out + (<usize>((b * queries + i) * valueWidth + h * valuePart) << 2)
          for (let j = 0; j < keys; j++) {
            const at = weights + (<usize>j << 2)
            const w: f32 = load<f32>(at) / total
            store<f32>(at, w)
            if (w != 0) add(to, value + (<usize>((b * keys + j) * valueWidth + h * valuePart) << 2), w, valuePart)
          }
        } else {
          for (let j = 0; j < keys; j++) store<f32>(weights + (<usize>j << 2), 0)
        }
        weights += <usize>keys << 2
      }
    }
  }
}

/** dQuery, dKey and dValue must start at zero; scratch [keys]. */
export function attentionGrad(
  query: usize, key: usize, value: usize, weights: usize, dOut: usize, dQuery: usize, dKey: usize, dValue: usize,
  batch: i32, heads: i32, queries: i32, keys: i32, width: i32, valueWidth: i32, scratch: usize,
): void {
  const part = width / heads
  const valuePart = valueWidth / heads
  const scale: f32 = <f32>1 / sqrt<f32>(<f32>part)
  for (let b = 0; b < batch; b++) {
    for (let h = 0; h < heads; h++) {
      for (let i = 0; i < queries; i++) {
        const d = dOut + (<usize>((b * queries + i) * valueWidth + h * valuePart) << 2)
        const atQuery = <usize>((b * queries + i) * width + h * part) << 2
        let mean: f32 = 0
        for (let j = 0; j < keys; j++) {
          const atValue = <usize>((b * keys + j) * valueWidth + h * valuePart) << 2
          const w = load<f32>(weights + (<usize>j << 2))
          const g = dot(d, value + atValue, valuePart)
          store<f32>(scratch + (<usize>j << 2), g)
          mean += w * g
          if (w != 0) add(dValue + atValue, d, w, valuePart)
        }
        for (let j = 0; j < keys; j++) {
          const w = load<f32>(weights + (<usize>j << 2))
          if (w == 0) continue
          const g: f32 = w * (load<f32>(scratch + (<usize>j << 2)) - mean) * scale
          const atKey = <usize>((b * keys + j) * width + h * part) << 2
          add(dQuery + atQuery, key + atKey, g, part)
          add(dKey + atKey, query + atQuery, g, part)
        }
        weights += <usize>keys << 2
      }
    }
  }
}
