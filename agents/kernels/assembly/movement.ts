/** Moving elements without arithmetic: strided copies (transpose, slice, concat, pad, tile), gather, scatter, one-hot. */

/** Copies exactly `bytes` bytes; short runs inline, because memory.copy is a call out of the module. */
// @ts-ignore: decorator
@inline
function copyRun(to: usize, from: usize, bytes: usize): void {
  if (bytes >= 256) {
    memory.copy(to, from, bytes)
    return
  }
  const end16 = to + (bytes & ~15)
  const end4 = to + (bytes & ~3)
  const end = to + bytes
  for (; to < end16; to += 16, from += 16) v128.store(to, v128.load(from))
  for (; to < end4; to += 4, from += 4) store<u32>(to, load<u32>(from))
  for (; to < end; to++, from++) store<u8>(to, load<u8>(from))
}

/** A [rows, columns] window with x strides 1 along rows: whole 4 × 4 blocks first, edges one by one. */
function turn(x: usize, out: usize, rows: i32, columns: i32, xs: i32, os: i32): void {
  // x[r + c · xs] goes to out[r · os + c]
  const from = <usize>xs << 2
  const to = <usize>os << 2
  let r = 0
  for (; r + 4 <= rows; r += 4) {
    let c = 0
    for (; c + 4 <= columns; c += 4) {
      const at = x + (<usize>r << 2) + <usize>c * from
      const r0 = v128.load(at)
      const r1 = v128.load(at + from)
      const r2 = v128.load(at + 2 * from)
      const r3 = v128.load(at + 3 * from)
      const lo01 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5)
      const lo23 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5)
      const hi01 = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7)
      const hi23 = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7)
      const put = out + <usize>r * to + (<usize>c << 2)
      v128.store(put, v128.shuffle<f32>(lo01, lo23, 0, 1, 4, 5))
      v128.store(put + to, v128.shuffle<f32>(lo01, lo23, 2, 3, 6, 7))
      v128.store(put + 2 * to, v128.shuffle<f32>(hi01, hi23, 0, 1, 4, 5))
      v128.store(put + 3 * to, v128.shuffle<f32>(hi01, hi23, 2, 3, 6, 7))
    }
    for (; c < columns; c++) {
      for (let i = r; i < r + 4; i++) {
        store<u32>(out + <usize>i * to + (<usize>c << 2), load<u32>(x + (<usize>i << 2) + <usize>c * from))
      }
    }
  }
  for (; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      store<u32>(out + <usize>r * to + (<usize>c << 2), load<u32>(x + (<usize>r << 2) + <usize>c * from))
    }
  }
}

/**
 * Copies [d0, d1, d2, d3] elements of `size` bytes (1 or 4). Strides count elements and may be 0 or negative for x.
 */
export function copy(
  x: usize, out: usize, size: i32, d0: i32, d1: i32, d2: i32, d3: i32,
  x0: i32, x1: i32, x2: i32, x3: i32, o0: i32, o1: i32, o2: i32, o3: i32,
): void {
  for (let i = 0; i < d0; i++) {
    for (let j = 0; j < d1; j++) {
      const from = x + <usize>((i * x0 + j * x1) * size)
      const to = out + <usize>((i * o0 + j * o1) * size)
      if (x3 == 1 && o3 == 1) {
        const bytes = <usize>(d3 * size)
        for (let k = 0; k < d2; k++) copyRun(to + <usize>(k * o2 * size), from + <usize>(k * x2 * size), bytes)
      } else if (size == 4 && x2 == 1 && o3 == 1) {
        turn(from, to, d2, d3, x3, o2)
      } else if (size == 4) {
        for (let k = 0; k < d2; k++) {
          let f = from + <usize>(k * x2 * 4)
          let t = to + <usize>(k * o2 * 4)
          for (let l = 0; l < d3; l++) {
            store<u32>(t, load<u32>(f))
            f += <usize>(x3 * 4)
            t += <usize>(o3 * 4)
          }
        }
      } else {
        for (let k = 0; k < d2; k++) {
          for (let l = 0; l < d3; l++) store<u8>(to + <usize>(k * o2 + l * o3), load<u8>(from + <usize>(k * x2 + l * x3)))
        }
      }
    }
  }
}

/**
 * out [outer, n, run] = x [outer, rows, run] at int32 indices [n]; run in bytes, `apart` bytes from row to row of out.
 * @returns −1, or the position of the first index outside 0 … rows − 1 (nothing useful is written then)
 */
export function gather(x: usize, indices: usize, out: usize, outer: i32, rows: i32, n: i32, run: i32, apart: i32): i32 {
  for (let i = 0; i < n; i++) {
    const index = load<i32>(indices + (<usize>i << 2))
    if (index < 0 || index >= rows) return i
  }
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < n; i++) {
      const index = load<i32>(indices + (<usize>i << 2))
      copyRun(out, x + <usize>index * <usize>run, <usize>run)
      out += <usize>apart
    }
    x += <usize>rows * <usize>run
  }
  return -1
}

/** out [segments, width] += x [n, width] by int32 segment; negative or large segments are dropped. out starts at zero. */
export function scatterAdd(x: usize, segments: usize, out: usize, n: i32, width: i32, count: i32): void {
  for (let i = 0; i < n; i++) {
    const segment = load<i32>(segments + (<usize>i << 2))
    if (segment >= 0 && segment < count) {
      const to = out + (<usize>(segment * width) << 2)
      for (let j: usize = 0; j < <usize>width << 2; j += 4) store<f32>(to + j, load<f32>(to + j) + load<f32>(x + j))
    }
    x += <usize>width << 2
  }
}

/** out [n, depth] of four-byte elements: `on` at the index, `off` elsewhere; bits given as int32. */
export function oneHot(indices: usize, out: usize, n: i32, depth: i32, on: i32, off: i32): void {
  for (let i = 0; i < n; i++) {
    const hot = load<i32>(indices + (<usize>i << 2))
    for (let j = 0; j < depth; j++) {
      store<i32>(out, j == hot ? on : off)
      out += 4
    }
  }
}
