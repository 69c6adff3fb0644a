/** What tag and world-comm share: chasers and prey, and who touches whom. */
import { border } from '../border.ts'
import { type ParticleState } from '../state.ts'
import { type Body, type Gap } from '../task.ts'
import { several } from './bodies.ts'

export const CHASER = { kind: 'chaser', radius: 0.075, push: 3, limit: 1 } satisfies Partial<Body>
export const PREY = { kind: 'prey', push: 4, limit: 1.3 } satisfies Partial<Body>

/** Every pair of prey and chaser: what `payCatches` reads, before anything else. */
export function catchGaps(chasers: number, prey: number): Gap[] {
  return several(prey, (n) => several(chasers, (m) => ({ of: chasers + n, from: m, to: m + 1 }))).flat()
}

/**
 * Pays for touching: chasers `reward` for every touching pair in the world, prey minus `reward` for every chaser that
 * touches it. Chasers are the agents before number `chasers`.
 * @param terms [M] from `row` on
 * @returns touching pairs
 */
export function payCatches(
  state: ParticleState,
  lane: number,
  chasers: number,
  reward: number,
  terms: Float64Array,
  row: number,
): number {
  const { plan, agents, gap, gaps } = state
  let q = lane * gaps
  let catches = 0
  for (let n = chasers; n < agents; n++) {
    const reach = plan.bodies[0].radius + plan.bodies[n].radius
    let caught = 0
    for (const end = q + chasers; q < end; q++) if (gap[q] < reach) caught++
    terms[row + n] = -reward * caught
    catches += caught
  }
  for (let n = 0; n < chasers; n++) terms[row + n] = reward * catches
  return catches
}

/**
 * Charges prey for leaving the square, both axes; chasers pay nothing.
 * @param terms [M] from `row` on
 * @returns prey that pays
 */
export function payBorder(
  state: ParticleState,
  lane: number,
  chasers: number,
  weight: number,
  terms: Float64Array,
  row: number,
): number {
  const { agents, entities, position } = state
  let outside = 0
  for (let n = 0; n < agents; n++) {
    terms[row + n] = 0
    if (n < chasers) continue
    const at = (lane * entities + n) * 2
    const cost = border(Math.abs(position[at])) + border(Math.abs(position[at + 1]))
    if (cost > 0) outside++
    terms[row + n] = -weight * cost
  }
  return outside
}
