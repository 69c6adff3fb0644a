/** Rows of some agents out of rows of all, and back. */

type Row = Float32Array | Float64Array | Uint8Array | Int32Array

/** Copies the rows of some agents: from [B, N, width] to [B, n, width]. */
export function seatRows<Rows extends Row>(
  from: Rows,
  to: Rows,
  lanes: number,
  all: number,
  agents: Int32Array,
  width: number,
  at = 0,
): void {
  const n = agents.length
  if (n === all && agents.every((agent, k) => agent === k)) {
    to.set(from.subarray(0, lanes * all * width), at) // everybody in their own seat
    return
  }
  for (let lane = 0; lane < lanes; lane++) {
    for (let k = 0; k < n; k++) {
      const source = (lane * all + agents[k]) * width
      const target = at + (lane * n + k) * width
      for (let i = 0; i < width; i++) to[target + i] = from[source + i]
    }
  }
}

/** The other way: from [B, n, width] into the rows of these agents in [B, N, width]. */
export function unseatRows<Rows extends Row>(
  from: Rows,
  to: Rows,
  lanes: number,
  all: number,
  agents: Int32Array,
  width: number,
): void {
  const n = agents.length
  for (let lane = 0; lane < lanes; lane++) {
    for (let k = 0; k < n; k++) {
      const source = (lane * n + k) * width
      const target = (lane * all + agents[k]) * width
      for (let i = 0; i < width; i++) to[target + i] = from[source + i]
    }
  }
}
