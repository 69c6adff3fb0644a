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

/** Whether two entities are nearer than `reach`, the sum of their radii; a root only where it is close. */
export function touches(position: Float64Array, a: number, b: number, reach: number): boolean {
  const dx = position[a] - position[b]
  const dy = position[a + 1] - position[b + 1]
  const square = dx * dx + dy * dy
  return square < reach * reach * 1.001 && Math.sqrt(square) < reach
}

/** Distance from b to the nearest of the entities from `from` up to `to`, all by where their x lies. */
export function nearest(position: Float64Array, from: number, to: number, b: number): number {
  const x = position[b]
  const y = position[b + 1]
  let least = Infinity
  for (let a = from; a < to; a += 2) {
    const dx = position[a] - x
    const dy = position[a + 1] - y
    least = Math.min(least, dx * dx + dy * dy) // without a branch that depends on the draw
  }
  return Math.sqrt(least) // the root keeps the order, so one is enough
}
