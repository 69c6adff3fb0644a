/** The particle worlds as typed arrays. */
import { take, type Arena } from '../core/arena.ts'
import { TroupeError } from '../core/errors.ts'
import { type TypedArray } from '../core/types.ts'
import { type Plan } from './options.ts'

/**
 * B lanes of one world with M agents, L landmarks and E = M + L entities, agents first. Entity e of lane b has its x at
 * (b * E + e) * 2 and its y right after. World units; x grows to the right, y upwards.
 */
export interface ParticleState {
  readonly plan: Plan
  readonly lanes: number // B
  readonly agents: number // M
  readonly entities: number // E
  readonly words: number // W, 0 where nobody speaks
  readonly goals: number // G
  readonly metrics: number // K
  readonly gaps: number // Q, distances that rewards ask for

  readonly position: Float64Array // [B, E, 2]
  readonly velocity: Float64Array // [B, M, 2] per second
  readonly message: Float64Array // [B, M, W] what each said in the last step, in 0 to 1; zeros of the silent
  readonly goal: Uint8Array // [B, G] landmark numbers
  readonly tally: Float64Array // [B, K] sums of the metrics, or the last value

  readonly gap: Float64Array // [B, Q] derived from places after every step, and after a load
}

/** What privileged policies may read; nobody but the rules writes it. */
export type ParticleWorld = ParticleState

/** Numbers in the arena, or anywhere. */
export function numbers(arena: Arena | null, length: number): Float64Array {
  return arena === null ? new Float64Array(length) : take(arena, 'Float64Array', length)
}

/** @param arena memory that the machine shares, null without one */
export function createState(plan: Plan, lanes: number, arena: Arena | null): ParticleState {
  const agents = plan.bodies.length
  const entities = agents + plan.landmarks.length
  const { words, goals, metrics } = plan.task
  return {
    plan,
    lanes,
    agents,
    entities,
    words,
    goals: goals.length,
    metrics: metrics.length,
    gaps: plan.gaps.length,
    position: numbers(arena, lanes * entities * 2),
    velocity: numbers(arena, lanes * agents * 2),
    message: new Float64Array(lanes * agents * words),
    goal: new Uint8Array(lanes * goals.length),
    tally: new Float64Array(lanes * metrics.length),
    gap: numbers(arena, lanes * plan.gaps.length),
  }
}

/** The arrays that a snapshot holds and a digest covers; empty ones are left out. */
export function savedArrays(state: ParticleState): Record<string, TypedArray> {
  const { position, velocity, message, goal, tally } = state
  return Object.fromEntries(
    Object.entries({ position, velocity, message, goal, tally }).filter(([, array]) => array.length > 0),
  )
}

/**
 * Refuses a lane with numbers that the rules cannot carry on from (a tampered snapshot). Places and speeds out of the
 * ordinary pass: recordings of the original start from some.
 * @throws TroupeError bad-file naming the first thing that is wrong
 */
export function checkLane(state: ParticleState, lane: number): void {
  const { plan, agents, entities, words, goals, position, velocity, message, goal } = state
  const name = (e: number) => (e < agents ? plan.bodies[e].id : plan.landmarks[e - agents].id)
  const refuse = (what: string, got: number, expected: string): never => {
    throw new TroupeError('bad-file', { where: `particles: snapshot: ${what}`, got: `${got}`, expected })
  }
  for (let i = 0; i < entities * 2; i++) {
    const value = position[lane * entities * 2 + i]
    if (!Number.isFinite(value)) refuse(`position of ${name(i >> 1)}`, value, 'a finite number')
  }
  for (let i = 0; i < agents * 2; i++) {
    const value = velocity[lane * agents * 2 + i]
    if (!Number.isFinite(value)) refuse(`velocity of ${name(i >> 1)}`, value, 'a finite number')
  }
  for (let i = 0; i < agents * words; i++) {
    const value = message[lane * agents * words + i]
    if (!(value >= 0 && value <= 1)) refuse(`message of ${name(Math.floor(i / words))}`, value, '0 to 1')
  }
  for (let g = 0; g < goals; g++) {
    const landmark = goal[lane * goals + g]
    if (landmark >= plan.landmarks.length) refuse('goal', landmark, `0 to ${plan.landmarks.length - 1}`)
  }
}
