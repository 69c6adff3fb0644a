/**
 * The recurrent part of a GRU over a whole sequence; gates in torch's order r, z, n.
 * Projections of the inputs and all weight gradients are single large products outside (see ../kernels.ts).
 */
import { gemmPacked } from './gemm'
import { gate4, madd, put, splat, tanh4 } from './vector'

/** Multiplies each row of h [rows, n] by 0 where `reset` [rows] is not 0; reset 0 = no change. out may be h. */
function forget(h: usize, reset: usize, out: usize, rows: i32, n: i32): void {
  const stride = <usize>n << 2
  for (let r = 0; r < rows; r++) {
    if (reset != 0 && load<f32>(reset + (<usize>r << 2)) != 0) memory.fill(out, 0, stride)
    else if (out != h) memory.copy(out, h, stride)
    h += stride
    out += stride
  }
}

/**
 * One step: from x and h projections [rows, 3n] and the kept hidden state to the next; gates [rows, 4n] keep r, z, n,
 * Whn h. Two loops with one transcendental each: a single loop with all three spills registers and takes twice as long.
 */
function step(x: usize, h: usize, kept: usize, out: usize, gates: usize, rows: i32, n: i32): void {
  const section = <usize>n << 2
  for (let r = 0; r < rows; r++) {
    for (let at: usize = 0; at < 2 * section; at += 16) {
      v128.store(gates + at, gate4(f32x4.add(v128.load(x + at), v128.load(h + at))))
    }
    for (let i = 0; i < n; i += 4) {
      const at = <usize>i << 2
      const left = n - i
      const inner = v128.load(h + 2 * section + at)
      const candidate = tanh4(madd(v128.load(gates + at), inner, v128.load(x + 2 * section + at)))
      const update = v128.load(gates + section + at)
      put(gates + 2 * section + at, candidate, left)
      put(gates + 3 * section + at, inner, left)
      put(out + at, madd(update, f32x4.sub(v128.load(kept + at), candidate), candidate), left)
    }
    x += 3 * section
    h += 3 * section
    kept += section
    out += section
    gates += 4 * section
  }
}

/**
 * @param projected [T, B, 3H] inputs times their weights plus bias
 * @param weight [H, 3H] packed; bias [3H]
 * @param reset [T, B] float32, or 0
 * @param out [T, B, H]
 * @param kept [T, B, H] hidden state each step starts from; with keep = 0 only [B, H], overwritten
 * @param gates [T, B, 4H]; with keep = 0 only [B, 4H], overwritten
 * @param scratch [B, 3H]
 */
export function gruForward(
  projected: usize, weight: usize, bias: usize, first: usize, reset: usize, out: usize, kept: usize, gates: usize,
  steps: i32, rows: i32, n: i32, keep: i32, scratch: usize, packing: usize,
): void {
  const block = <usize>(rows * n) << 2
  let previous = first
  for (let t = 0; t < steps; t++) {
    forget(previous, reset, kept, rows, n)
    gemmPacked(kept, n, 0, weight, scratch, 3 * n, rows, 3 * n, n, 0, bias, 0, packing)
    step(projected, scratch, kept, out, gates, rows, n)
    previous = out
    projected += 3 * block
    out += block
    if (reset != 0) reset += <usize>rows << 2
    if (keep) {
      kept += block
      gates += 4 * block
    }
  }
}

/** Gradients of one step; dh [rows, n] comes in as the gradient of the step's output and leaves as dh · z. */
function stepGrad(kept: usize, gates: usize, dh: usize, dx: usize, dg: usize, rows: i32, n: i32): void {
  const section = <usize>n << 2
  const one = splat(1)
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < n; i += 4) {
      const at = <usize>i << 2
      const left = n - i
      const d = v128.load(dh + at)
      const reset = v128.load(gates + at)
      const update = v128.load(gates + section + at)
      const candidate = v128.load(gates + 2 * section + at)
      const inner = v128.load(gates + 3 * section + at)
      const dn = f32x4.mul(f32x4.mul(d, f32x4.sub(one, update)), f32x4.sub(one, f32x4.mul(candidate, candidate)))
      const dr = f32x4.mul(f32x4.mul(dn, inner), f32x4.mul(reset, f32x4.sub(one, reset)))
      const dz = f32x4.mul(
        f32x4.mul(d, f32x4.sub(v128.load(kept + at), candidate)),
        f32x4.mul(update, f32x4.sub(one, update)),
      )
      put(dx + at, dr, left)
      put(dx + section + at, dz, left)
      put(dx + 2 * section + at, dn, left)
      put(dg + at, dr, left)
      put(dg + section + at, dz, left)
      put(dg + 2 * section + at, f32x4.mul(dn, reset), left)
      put(dh + at, f32x4.mul(d, update), left)
    }
    kept += section
    gates += 4 * section
    dh += section
    dx += 3 * section
    dg += 3 * section
  }
}

/**
 * Back-propagation through time, newest step first.
 * @param dOut [T, B, H]
 * @param weight [3H, H] packed transpose of the recurrent weight
 * @param dh [B, H] zeros on entry, gradient of the first hidden state on exit
 * @param dx [T, B, 3H] gradient before the gates on the input side; dg on the recurrent side
 */
export function gruBackward(
  dOut: usize, weight: usize, reset: usize, kept: usize, gates: usize, dh: usize, dx: usize, dg: usize,
  steps: i32, rows: i32, n: i32, packing: usize,
): void {
  const block = <usize>(rows * n) << 2
  for (let t = steps - 1; t >= 0; t--) {
    const at = <usize>t * block
    for (let i: usize = 0; i < block; i += 16) v128.store(dh + i, f32x4.add(v128.load(dh + i), v128.load(dOut + at + i)))
    stepGrad(kept + at, gates + 4 * at, dh, dx + 3 * at, dg + 3 * at, rows, n)
    gemmPacked(dg + 3 * at, 3 * n, 0, weight, dh, n, rows, n, 3 * n, 1, 0, 0, packing)
    if (reset != 0) forget(dh, reset + (<usize>(t * rows) << 2), dh, rows, n)
  }
}
