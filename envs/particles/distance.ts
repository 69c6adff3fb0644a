/** Distances between entities, as rewards use them. `a` and `b` are where their x lies in the array of positions. */
import { type ParticleState } from './state.ts'

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

/** Measures the distances that the rewards of the listed lanes ask for. */
export function measure(
  { plan, entities, position, gap, gaps }: ParticleState,
  lanes: Int32Array,
  count: number,
): void {
  for (let k = 0; k < count; k++) {
    const first = lanes[k] * entities * 2
    for (let q = 0; q < gaps; q++) {
      const { of, from, to } = plan.gaps[q]
      gap[lanes[k] * gaps + q] = nearest(position, first + 2 * from, first + 2 * to, first + 2 * of)
    }
  }
}
