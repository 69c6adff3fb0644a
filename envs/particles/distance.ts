/** Distances between entities, as rewards use them. `a` and `b` are where their x lies in the array of positions. */

export function distance(position: Float64Array, a: number, b: number): number {
  const dx = position[a] - position[b]
  const dy = position[a + 1] - position[b + 1]
  return Math.sqrt(dx * dx + dy * dy)
}

export function squaredDistance(position: Float64Array, a: number, b: number): number {
  const dx = position[a] - position[b]
  const dy = position[a + 1] - position[b + 1]
  return dx * dx + dy * dy
}

/** Distance from b to the nearest of the entities from `from` up to `to`, all by where their x lies. */
export function nearest(position: Float64Array, from: number, to: number, b: number): number {
  let least = Infinity
  for (let a = from; a < to; a += 2) {
    const square = squaredDistance(position, a, b)
    if (square < least) least = square
  }
  return Math.sqrt(least) // the root keeps the order, so one is enough
}
