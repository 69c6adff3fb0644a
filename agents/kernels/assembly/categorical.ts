/** Categorical distributions over the allowed choices of each row. */
import { exp4, lanes, madd, splat, sum4 } from './vector'
import { expRow, logOf, rowMax } from './rows'

/** Logit of a choice that may not be taken; finite, so that 0 · log 0 stays 0. Its probability is exactly 0. */
const FORBIDDEN: f32 = -1e10

/** out = logits with forbidden choices replaced; returns whether anything is allowed. mask bytes, or 0 for all. */
// @ts-ignore: decorator
@inline
function maskRow(logits: usize, mask: usize, out: usize, n: i32): bool {
  let any = mask == 0
  for (let i = 0; i < n; i++) {
    const at = <usize>i << 2
    const allowed = mask == 0 || load<u8>(mask + <usize>i) != 0
    store<f32>(out + at, allowed ? load<f32>(logits + at) : FORBIDDEN)
    any = any || allowed
  }
  return any
}

/**
 * Log-probability of the action and entropy of each row; 0 and 0 where nothing is allowed.
 * @param mask [rows, n] bytes, or 0
 * @param action [rows] int32
 * @param logs [rows, n] gets all log-probabilities, for the gradient
 * @param live [rows] bytes, gets 1 where something is allowed
 */
export function categorical(
  logits: usize, mask: usize, action: usize, logs: usize, live: usize, logProbability: usize, entropy: usize,
  rows: i32, n: i32, scratch: usize,
): void {
  const stride = <usize>n << 2
  for (let r = 0; r < rows; r++) {
    const any = maskRow(logits, mask, scratch, n)
    const top = rowMax(scratch, n)
    const less = logOf(expRow(scratch, logs, n, top))
    const shift = splat(top)
    const down = splat(less)
    let h = splat(0)
    for (let i = 0; i < n; i += 4) {
      const at = <usize>i << 2
      const l = f32x4.sub(f32x4.sub(v128.load(scratch + at), shift), down)
      v128.store(logs + at, l)
      h = madd(v128.and(exp4(l), lanes(n - i)), v128.and(l, lanes(n - i)), h)
    }
    const chosen = load<i32>(action + (<usize>r << 2))
    const inside = chosen >= 0 && chosen < n
    store<f32>(logProbability + (<usize>r << 2), any && inside ? load<f32>(logs + (<usize>chosen << 2)) : 0)
    store<f32>(entropy + (<usize>r << 2), any ? -sum4(h) : 0)
    store<u8>(live + <usize>r, any)
    logits += stride
    logs += stride
    if (mask != 0) mask += <usize>n
  }
}

/** dLogits from the gradients of log-probability and entropy; exactly 0 at forbidden choices. */
export function categoricalGrad(
  logs: usize, live: usize, action: usize, mask: usize, entropy: usize, dLogProbability: usize, dEntropy: usize, dx: usize,
  rows: i32, n: i32,
): void {
  const stride = <usize>n << 2
  for (let r = 0; r < rows; r++) {
    const at = <usize>r << 2
    const alive: f32 = load<u8>(live + <usize>r) != 0 ? 1 : 0
    const g: f32 = load<f32>(dLogProbability + at) * alive
    const e: f32 = load<f32>(dEntropy + at) * alive
    const gs = splat(g)
    const es = splat(e)
    const h = v128.load_splat<f32>(entropy + at)
    for (let i: usize = 0; i < stride; i += 16) {
      const l = v128.load(logs + i)
      // −p (g + e (log p + H))
      v128.store(dx + i, f32x4.neg(f32x4.mul(exp4(l), madd(es, f32x4.add(l, h), gs))))
    }
    const chosen = load<i32>(action + at)
    if (chosen >= 0 && chosen < n) {
      const to = dx + (<usize>chosen << 2)
      store<f32>(to, load<f32>(to) + g)
    }
    if (mask != 0) {
      for (let i = 0; i < n; i++) if (load<u8>(mask + <usize>i) == 0) store<f32>(dx + (<usize>i << 2), 0)
      mask += <usize>n
    }
    logs += stride
    dx += stride
  }
}

/**
 * Draws one allowed choice per row: the first whose cumulative probability exceeds the uniform. One dimension of a
 * multi-discrete action at a time: pointers to logits, mask and probability are at its first column.
 * @param uniform [rows, dimensions] in [0, 1), or 0 for the most probable choice (the first among equals)
 * @param action [rows, dimensions] int32; 0 where nothing is allowed
 * @param logProbability [rows] of the choices taken, summed over dimensions, or 0 to leave it out
 * @param probability [rows, width], exactly 0 at forbidden choices
 * @param width columns from row to row
 * @param scratch 2 (n + 4) floats
 */
export function sample(
  logits: usize, mask: usize, uniform: usize, action: usize, logProbability: usize, probability: usize,
  rows: i32, n: i32, width: i32, dimensions: i32, dimension: i32, scratch: usize,
): void {
  const shares = scratch + (<usize>((n + 3) & ~3) << 2)
  for (let r = 0; r < rows; r++) {
    const at = <usize>(r * dimensions + dimension) << 2
    const any = maskRow(logits, mask, scratch, n)
    const top = rowMax(scratch, n)
    const total = expRow(scratch, shares, n, top)
    let choice = -1
    if (uniform == 0) {
      let best: f32 = -Infinity
      for (let i = 0; i < n; i++) {
        const here = load<f32>(scratch + (<usize>i << 2))
        if ((mask == 0 || load<u8>(mask + <usize>i) != 0) && (here > best || choice < 0)) {
          best = here
          choice = i
        }
      }
    } else {
      const threshold: f32 = load<f32>(uniform + at) * total
      let seen: f32 = 0
      for (let i = 0; i < n; i++) {
        const p = load<f32>(shares + (<usize>i << 2))
        seen += p
        if (p > 0) choice = i
        if (seen > threshold && choice == i) break
      }
    }
    if (choice < 0) choice = 0
    const divisor: f32 = any ? total : Infinity
    for (let i: usize = 0; i < <usize>n << 2; i += 4) store<f32>(probability + i, load<f32>(shares + i) / divisor)
    store<i32>(action + at, any ? choice : 0)
    if (logProbability != 0) {
      const to = logProbability + (<usize>r << 2)
      const value: f32 = load<f32>(scratch + (<usize>choice << 2)) - top - logOf(total)
      store<f32>(to, (dimension == 0 ? <f32>0 : load<f32>(to)) + (any ? value : <f32>0))
    }
    logits += <usize>width << 2
    probability += <usize>width << 2
    if (mask != 0) mask += <usize>width
  }
}
