/** The start of an episode. */
import { GENERATOR_WORDS, nextBelow, nextFloat } from '../core/random.ts'
import { type ParticleState } from './state.ts'

/** Generator streams, in port order; tasks without goals draw nothing from the first. */
export const STREAMS = ['goals', 'places'] as const
const GOALS = 0
const PLACES = 1

/**
 * Goals first, uniform over landmarks and independent of each other; then agents uniform on [-1, 1)², standing still
 * and silent; then landmarks uniform on their square. Nothing keeps bodies apart (mpe2 1.1.0 `reset_world`).
 * @param random [B, streams, 4] generator words
 */
export function start(
  state: ParticleState,
  lanes: Int32Array,
  count: number,
  random: Uint32Array,
  streams: number,
): void {
  const { plan, agents, entities, words, goals, metrics, position, velocity, message, goal, tally } = state
  const { landmarkRange } = plan.task
  const landmarks = entities - agents
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const aims = (lane * streams + GOALS) * GENERATOR_WORDS
    const places = (lane * streams + PLACES) * GENERATOR_WORDS
    const first = lane * entities * 2
    for (let g = 0; g < goals; g++) goal[lane * goals + g] = nextBelow(random, aims, landmarks)
    for (let i = 0; i < agents * 2; i++) position[first + i] = 2 * nextFloat(random, places) - 1
    for (let i = agents * 2; i < entities * 2; i++) {
      position[first + i] = landmarkRange * (2 * nextFloat(random, places) - 1)
    }
    for (let i = lane * agents * 2; i < (lane + 1) * agents * 2; i++) velocity[i] = 0
    for (let i = lane * agents * words; i < (lane + 1) * agents * words; i++) message[i] = 0
    for (let m = lane * metrics; m < (lane + 1) * metrics; m++) tally[m] = 0
  }
}
