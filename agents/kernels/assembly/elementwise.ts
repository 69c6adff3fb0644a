/**
 * Elementwise families. An operation is a class without content: `idof` of it is a constant, so that each loop is
 * compiled with its own operation and nothing is decided inside.
 */
import { exp4, log4, madd, sigmoid4, splat, tanh4 } from './vector'

class Abs {}
class Neg {}
class Relu {}
class Exp {}
class Log {}
class Sqrt {}
class Rsqrt {}
class Square {}
class Tanh {}
class Sigmoid {}
class Elu {}
class Sign {}
class Floor {}
class Ceil {}
class Reciprocal {}
class Relu6 {}
class Step {}
class LeakyRelu {}

// @ts-ignore: decorator
@inline
function unary4<OP>(x: v128, alpha: v128): v128 {
  if (idof<OP>() == idof<Abs>()) return f32x4.abs(x)
  else if (idof<OP>() == idof<Neg>()) return f32x4.neg(x)
  else if (idof<OP>() == idof<Relu>()) return f32x4.max(x, splat(0))
  else if (idof<OP>() == idof<Exp>()) return exp4(x)
  else if (idof<OP>() == idof<Log>()) return log4(x)
  else if (idof<OP>() == idof<Sqrt>()) return f32x4.sqrt(x)
  else if (idof<OP>() == idof<Rsqrt>()) return f32x4.div(splat(1), f32x4.sqrt(x))
  else if (idof<OP>() == idof<Square>()) return f32x4.mul(x, x)
  else if (idof<OP>() == idof<Tanh>()) return tanh4(x)
  else if (idof<OP>() == idof<Sigmoid>()) return sigmoid4(x)
  else if (idof<OP>() == idof<Elu>()) return v128.bitselect(x, f32x4.sub(exp4(x), splat(1)), f32x4.ge(x, splat(0)))
  else if (idof<OP>() == idof<Sign>()) {
    const sign = v128.or(v128.and(x, i32x4.splat(0x80000000)), splat(1))
    return v128.and(sign, v128.or(f32x4.lt(x, splat(0)), f32x4.gt(x, splat(0)))) // 0 and NaN give 0
  } else if (idof<OP>() == idof<Floor>()) return f32x4.floor(x)
  else if (idof<OP>() == idof<Ceil>()) return f32x4.ceil(x)
  else if (idof<OP>() == idof<Reciprocal>()) return f32x4.div(splat(1), x)
  else if (idof<OP>() == idof<Relu6>()) return f32x4.min(f32x4.max(x, splat(0)), splat(6))
  else if (idof<OP>() == idof<Step>()) {
    const y = v128.bitselect(splat(1), alpha, f32x4.gt(x, splat(0)))
    return v128.bitselect(x, y, f32x4.ne(x, x))
  } else return v128.bitselect(f32x4.mul(x, alpha), x, f32x4.lt(x, splat(0))) // LeakyRelu
}

// @ts-ignore: decorator
@inline
function unaryLoop<OP>(x: usize, out: usize, n: i32, alpha: f32): void {
  const a = splat(alpha)
  const end = x + (<usize>n << 2)
  for (; x < end; x += 16, out += 16) v128.store(out, unary4<OP>(v128.load(x), a))
}

/** out = op(x) over n floats. The numbers of the operations are UNARY in ../opcodes.ts. */
export function unary(op: i32, x: usize, out: usize, n: i32, alpha: f32): void {
  switch (op) {
    case 0: unaryLoop<Abs>(x, out, n, alpha); break
    case 1: unaryLoop<Neg>(x, out, n, alpha); break
    case 2: unaryLoop<Relu>(x, out, n, alpha); break
    case 3: unaryLoop<Exp>(x, out, n, alpha); break
    case 4: unaryLoop<Log>(x, out, n, alpha); break
    case 5: unaryLoop<Sqrt>(x, out, n, alpha); break
    case 6: unaryLoop<Rsqrt>(x, out, n, alpha); break
    case 7: unaryLoop<Square>(x, out, n, alpha); break
    case 8: unaryLoop<Tanh>(x, out, n, alpha); break
    case 9: unaryLoop<Sigmoid>(x, out, n, alpha); break
    case 10: unaryLoop<Elu>(x, out, n, alpha); break
    case 11: unaryLoop<Sign>(x, out, n, alpha); break
    case 12: unaryLoop<Floor>(x, out, n, alpha); break
    case 13: unaryLoop<Ceil>(x, out, n, alpha); break
    case 14: unaryLoop<Reciprocal>(x, out, n, alpha); break
    case 15: unaryLoop<Relu6>(x, out, n, alpha); break
    case 16: unaryLoop<Step>(x, out, n, alpha); break
    default: unaryLoop<LeakyRelu>(x, out, n, alpha)
  }
}

/** out = x > max ? max : x < min ? min : x; NaN stays. */
export function clip(x: usize, out: usize, n: i32, lowest: f32, highest: f32): void {
  const lo = splat(lowest)
  const hi = splat(highest)
  const end = x + (<usize>n << 2)
  for (; x < end; x += 16, out += 16) v128.store(out, f32x4.pmax(f32x4.pmin(v128.load(x), hi), lo))
}

class Add {}
class Sub {}
class Mul {}
class Div {}
class Max {}
class Min {}
class SquaredDifference {}
class EluGrad {}
class ReluGrad {}
class TanhGrad {}
class SigmoidGrad {}
class AddInt {}
class SubInt {}
class MulInt {}
class MaxInt {}
class MinInt {}

// @ts-ignore: decorator
@inline
function binary4<OP>(a: v128, b: v128): v128 {
  if (idof<OP>() == idof<Add>()) return f32x4.add(a, b)
  else if (idof<OP>() == idof<Sub>()) return f32x4.sub(a, b)
  else if (idof<OP>() == idof<Mul>()) return f32x4.mul(a, b)
  else if (idof<OP>() == idof<Div>()) return f32x4.div(a, b)
  else if (idof<OP>() == idof<Max>()) return f32x4.max(a, b)
  else if (idof<OP>() == idof<Min>()) return f32x4.min(a, b)
  else if (idof<OP>() == idof<SquaredDifference>()) {
    const d = f32x4.sub(a, b)
    return f32x4.mul(d, d)
  }
  // Gradients through an activation: a is dy, b the activation's output.
  else if (idof<OP>() == idof<EluGrad>()) return v128.bitselect(a, f32x4.mul(a, f32x4.add(b, splat(1))), f32x4.ge(b, splat(0)))
  else if (idof<OP>() == idof<ReluGrad>()) return v128.and(a, f32x4.gt(b, splat(0)))
  else if (idof<OP>() == idof<TanhGrad>()) return f32x4.mul(a, f32x4.sub(splat(1), f32x4.mul(b, b)))
  else if (idof<OP>() == idof<SigmoidGrad>()) return f32x4.mul(a, f32x4.mul(b, f32x4.sub(splat(1), b)))
  else if (idof<OP>() == idof<AddInt>()) return i32x4.add(a, b)
  else if (idof<OP>() == idof<SubInt>()) return i32x4.sub(a, b)
  else if (idof<OP>() == idof<MulInt>()) return i32x4.mul(a, b)
  else if (idof<OP>() == idof<MaxInt>()) return i32x4.max_s(a, b)
  else return i32x4.min_s(a, b)
}

/**
 * out [d0, d1, d2, n] row-major; a and b are read with strides in elements, 0 where they are broadcast; along n the
 * stride is 0 or 1 and not 0 for both.
 */
// @ts-ignore: decorator
@inline
function binaryLoop<OP>(
  a: usize, b: usize, out: usize, d0: i32, d1: i32, d2: i32, n: i32,
  a0: i32, a1: i32, a2: i32, a3: i32, b0: i32, b1: i32, b2: i32, b3: i32,
): void {
  const bytes = <usize>n << 2
  for (let i = 0; i < d0; i++) {
    for (let j = 0; j < d1; j++) {
      let x = a + (<usize>(i * a0 + j * a1) << 2)
      let y = b + (<usize>(i * b0 + j * b1) << 2)
      for (let k = 0; k < d2; k++) {
        if (a3 == 0) {
          const left = v128.load_splat<f32>(x)
          for (let p: usize = 0; p < bytes; p += 16) v128.store(out + p, binary4<OP>(left, v128.load(y + p)))
        } else if (b3 == 0) {
          const right = v128.load_splat<f32>(y)
          for (let p: usize = 0; p < bytes; p += 16) v128.store(out + p, binary4<OP>(v128.load(x + p), right))
        } else {
          for (let p: usize = 0; p < bytes; p += 16) v128.store(out + p, binary4<OP>(v128.load(x + p), v128.load(y + p)))
        }
        x += <usize>(a2 << 2)
        y += <usize>(b2 << 2)
        out += bytes
      }
    }
  }
}

/** The numbers of the operations are BINARY in ../opcodes.ts; the last five work on int32. */
export function binary(
  op: i32, a: usize, b: usize, out: usize, d0: i32, d1: i32, d2: i32, n: i32,
  a0: i32, a1: i32, a2: i32, a3: i32, b0: i32, b1: i32, b2: i32, b3: i32,
): void {
  switch (op) {
    case 0: binaryLoop<Add>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 1: binaryLoop<Sub>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 2: binaryLoop<Mul>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 3: binaryLoop<Div>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 4: binaryLoop<Max>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 5: binaryLoop<Min>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 6: binaryLoop<SquaredDifference>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 7: binaryLoop<EluGrad>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 8: binaryLoop<ReluGrad>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 9: binaryLoop<TanhGrad>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 10: binaryLoop<SigmoidGrad>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 11: binaryLoop<AddInt>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 12: binaryLoop<SubInt>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 13: binaryLoop<MulInt>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 14: binaryLoop<MaxInt>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    default: binaryLoop<MinInt>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3)
  }
}

class Equal {}
class NotEqual {}
class Greater {}
class GreaterEqual {}
class Less {}
class LessEqual {}
class EqualInt {}
class NotEqualInt {}
class GreaterInt {}
class GreaterEqualInt {}
class LessInt {}
class LessEqualInt {}

// @ts-ignore: decorator
@inline
function compare4<OP>(a: v128, b: v128): v128 {
  if (idof<OP>() == idof<Equal>()) return f32x4.eq(a, b)
  else if (idof<OP>() == idof<NotEqual>()) return f32x4.ne(a, b)
  else if (idof<OP>() == idof<Greater>()) return f32x4.gt(a, b)
  else if (idof<OP>() == idof<GreaterEqual>()) return f32x4.ge(a, b)
  else if (idof<OP>() == idof<Less>()) return f32x4.lt(a, b)
  else if (idof<OP>() == idof<LessEqual>()) return f32x4.le(a, b)
  else if (idof<OP>() == idof<EqualInt>()) return i32x4.eq(a, b)
  else if (idof<OP>() == idof<NotEqualInt>()) return i32x4.ne(a, b)
  else if (idof<OP>() == idof<GreaterInt>()) return i32x4.gt_s(a, b)
  else if (idof<OP>() == idof<GreaterEqualInt>()) return i32x4.ge_s(a, b)
  else if (idof<OP>() == idof<LessInt>()) return i32x4.lt_s(a, b)
  else return i32x4.le_s(a, b)
}

/** Writes four lane masks as four bytes 0 or 1. */
// @ts-ignore: decorator
@inline
function storeBytes(out: usize, mask: v128): void {
  const words = i16x8.narrow_i32x4_s(mask, mask)
  const bytes = v128.and(i8x16.narrow_i16x8_s(words, words), i8x16.splat(1))
  v128.store_lane<u32>(out, bytes, 0)
}

// @ts-ignore: decorator
@inline
function compareLoop<OP>(
  a: usize, b: usize, out: usize, d0: i32, d1: i32, d2: i32, n: i32,
  a0: i32, a1: i32, a2: i32, a3: i32, b0: i32, b1: i32, b2: i32, b3: i32,
): void {
  for (let i = 0; i < d0; i++) {
    for (let j = 0; j < d1; j++) {
      let x = a + (<usize>(i * a0 + j * a1) << 2)
      let y = b + (<usize>(i * b0 + j * b1) << 2)
      for (let k = 0; k < d2; k++) {
        for (let p = 0; p < n; p += 4) {
          const left = a3 == 0 ? v128.load_splat<f32>(x) : v128.load(x + (<usize>p << 2))
          const right = b3 == 0 ? v128.load_splat<f32>(y) : v128.load(y + (<usize>p << 2))
          storeBytes(out + <usize>p, compare4<OP>(left, right))
        }
        x += <usize>(a2 << 2)
        y += <usize>(b2 << 2)
        out += <usize>n
      }
    }
  }
}

/** As `binary`, but out holds one byte 0 or 1 per element. The numbers are COMPARE in ../opcodes.ts; the last six are int32. */
export function compare(
  op: i32, a: usize, b: usize, out: usize, d0: i32, d1: i32, d2: i32, n: i32,
  a0: i32, a1: i32, a2: i32, a3: i32, b0: i32, b1: i32, b2: i32, b3: i32,
): void {
  switch (op) {
    case 0: compareLoop<Equal>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 1: compareLoop<NotEqual>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 2: compareLoop<Greater>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 3: compareLoop<GreaterEqual>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 4: compareLoop<Less>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 5: compareLoop<LessEqual>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 6: compareLoop<EqualInt>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 7: compareLoop<NotEqualInt>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 8: compareLoop<GreaterInt>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 9: compareLoop<GreaterEqualInt>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    case 10: compareLoop<LessInt>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3); break
    default: compareLoop<LessEqualInt>(a, b, out, d0, d1, d2, n, a0, a1, a2, a3, b0, b1, b2, b3)
  }
}

/** 0 and, 1 or, 2 not (b unused); bytes in, bytes 0 or 1 out. */
export function logic(op: i32, a: usize, b: usize, out: usize, n: i32): void {
  for (let i: usize = 0; i < <usize>n; i++) {
    const x = load<u8>(a + i) != 0
    let y: bool
    if (op == 0) y = x && load<u8>(b + i) != 0
    else if (op == 1) y = x || load<u8>(b + i) != 0
    else y = !x
    store<u8>(out + i, y)
  }
}

/** Four bytes become four lane masks. */
// @ts-ignore: decorator
@inline
function maskOf(bytes: usize): v128 {
  const words = i16x8.extend_low_i8x16_u(v128.load_zero<u32>(bytes))
  return i32x4.ne(i32x4.extend_low_i16x8_u(words), i32x4.splat(0))
}

/** out = condition ? a : b over n four-byte elements; condition bytes. */
export function select(condition: usize, a: usize, b: usize, out: usize, n: i32): void {
  for (let i: usize = 0; i < <usize>n; i += 4) {
    const at = i << 2
    v128.store(out + at, v128.bitselect(v128.load(a + at), v128.load(b + at), maskOf(condition + i)))
  }
}

/** 0 int32→float32, 1 float32→int32 (towards zero, NaN to 0, saturating), 2 bool→float32, 3 bool→int32, 4 float32→bool, 5 int32→bool. */
export function cast(kind: i32, x: usize, out: usize, n: i32): void {
  const count = <usize>n
  if (kind == 0) for (let i: usize = 0; i < count << 2; i += 16) v128.store(out + i, f32x4.convert_i32x4_s(v128.load(x + i)))
  else if (kind == 1) for (let i: usize = 0; i < count << 2; i += 16) v128.store(out + i, i32x4.trunc_sat_f32x4_s(v128.load(x + i)))
  else if (kind == 2) for (let i: usize = 0; i < count; i++) store<f32>(out + (i << 2), <f32>load<u8>(x + i))
  else if (kind == 3) for (let i: usize = 0; i < count; i++) store<i32>(out + (i << 2), load<u8>(x + i))
  else if (kind == 4) for (let i: usize = 0; i < count; i += 4) storeBytes(out + i, f32x4.ne(v128.load(x + (i << 2)), splat(0)))
  else for (let i: usize = 0; i < count; i += 4) storeBytes(out + i, i32x4.ne(v128.load(x + (i << 2)), i32x4.splat(0)))
}

/** n four-byte elements of the same bits. */
export function fill(out: usize, bits: i32, n: i32): void {
  const x = i32x4.splat(bits)
  const end = out + (<usize>n << 2)
  for (; out < end; out += 16) v128.store(out, x)
}

/** out = a + b · scale, n floats, in place allowed. */
export function addScaled(a: usize, b: usize, scale: f32, out: usize, n: i32): void {
  const s = splat(scale)
  for (let i: usize = 0; i < <usize>n << 2; i += 16) v128.store(out + i, madd(v128.load(b + i), s, v128.load(a + i)))
}
