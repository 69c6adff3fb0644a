/** Small linear systems, solved in place. */

/** A pivot smaller than this share of the largest entry counts as zero. */
const SINGULAR = 1e-12

/**
 * Solves A X = B by elimination with partial pivoting; both are overwritten, and B then holds X.
 * @param a [n, n] row-major
 * @param b [n, columns]
 * @returns false when A is singular, to working accuracy
 */
export function solve(a: Float64Array, b: Float64Array, n: number, columns: number): boolean {
  let scale = 0
  for (let i = 0; i < n * n; i++) scale = Math.max(scale, Math.abs(a[i]))
  for (let column = 0; column < n; column++) {
    let pivot = column
    for (let row = column + 1; row < n; row++) {
      if (Math.abs(a[row * n + column]) > Math.abs(a[pivot * n + column])) pivot = row
    }
    const head = a[pivot * n + column]
    if (!(Math.abs(head) > SINGULAR * scale)) return false
    if (pivot !== column) {
      for (let j = 0; j < n; j++) [a[pivot * n + j], a[column * n + j]] = [a[column * n + j], a[pivot * n + j]]
      for (let j = 0; j < columns; j++) {
        ;[b[pivot * columns + j], b[column * columns + j]] = [b[column * columns + j], b[pivot * columns + j]]
      }
    }
    for (let row = 0; row < n; row++) {
      if (row === column) continue
      const share = a[row * n + column] / head
      if (share === 0) continue
      for (let j = column; j < n; j++) a[row * n + j] -= share * a[column * n + j]
      for (let j = 0; j < columns; j++) b[row * columns + j] -= share * b[column * columns + j]
    }
  }
  for (let row = 0; row < n; row++) {
    for (let j = 0; j < columns; j++) b[row * columns + j] /= a[row * n + row]
  }
  return true
}
