/** World with communication: tag with food, forests that hide, and a leader of the chasers who sees all and speaks. */
import { type ParticleState } from '../state.ts'
import { type Block, type Task } from '../task.ts'
import { body, landmarks, several } from './bodies.ts'
import { catchGaps, CHASER, PREY, payBorder, payCatches } from './chase.ts'

const CATCH = 5
const BORDER = 2
const MEAL = 2
const CHASE = 0.1 // per distance of a chaser to the nearest prey
const HUNGER = 0.05 // per distance of prey to the nearest food

const FOOD_RADIUS = 0.03
const PREY_RADIUS = 0.045

export const worldComm: Task = {
  original: 'simple_world_comm_v3',
  title: 'tag with food, forests to hide in and a leader who speaks',
  counts: { adversaries: 4, good: 2, obstacles: 1, food: 2, forests: 2 },
  words: 4,
  goals: [],
  landmarkRange: 0.9,
  metrics: [
    { name: 'catches', over: 'sum', meaning: 'touching pairs of chaser and prey' },
    { name: 'meals', over: 'sum', meaning: 'touching pairs of prey and food' },
    { name: 'outside', over: 'sum', meaning: 'steps of prey that pay for the border' },
  ],
  bodies: ({ adversaries, good }) => [
    ...several(adversaries, (n) =>
      n === 0
        ? body('leadadversary_0', 'adversaries', { ...CHASER, kind: 'leader', speaks: true })
        : body(`adversary_${n - 1}`, 'adversaries', CHASER),
    ),
    ...several(good, (n) => body(`agent_${n}`, 'good', { ...PREY, radius: PREY_RADIUS })),
  ],
  landmarks: ({ obstacles, food, forests }) => [
    ...landmarks(obstacles, { kind: 'obstacle', radius: 0.2, collides: true }),
    ...landmarks(food, { kind: 'food', radius: FOOD_RADIUS }),
    ...landmarks(forests, { kind: 'forest', radius: 0.3 }),
  ],
  observation: ({ counts: { adversaries, good }, landmarks: things }, n): Block[] => {
    const agents = adversaries + good
    const seen = { kind: 'seenVelocities', from: adversaries, to: agents } as const
    const flags = { kind: 'inForest' } as const
    return [
      { kind: 'velocity' },
      { kind: 'position' },
      { kind: 'offsets', from: agents, to: agents + things.length },
      { kind: 'seenOffsets', from: 0, to: agents },
      ...(n < adversaries ? [seen, flags, { kind: 'message', from: 0 } as const] : [flags, seen]),
    ]
  },
  // Pairs of prey and chaser; of prey and food; prey to the nearest food; chasers to the nearest prey.
  gaps: ({ adversaries, good, obstacles, food }) => {
    const agents = adversaries + good
    const first = agents + obstacles
    return [
      ...catchGaps(adversaries, good),
      ...several(good, (n) =>
        several(food, (f) => ({ of: adversaries + n, from: first + f, to: first + f + 1 })),
      ).flat(),
      ...several(good, (n) => ({ of: adversaries + n, from: first, to: first + food })),
      ...several(adversaries, (n) => ({ of: n, from: adversaries, to: agents })),
    ]
  },
  terms: ['catches', 'border', 'meals', 'hunger', 'chase'],
  pay(state, lane, terms, measured) {
    const { plan, agents } = state
    const { adversaries } = plan.counts
    measured[0] = payCatches(state, lane, adversaries, CATCH, terms, 0)
    measured[2] = payBorder(state, lane, adversaries, BORDER, terms, agents)
    measured[1] = payFood(state, lane, terms, 2 * agents)
    payChase(state, lane, terms, 4 * agents)
  },
}

/**
 * Pays prey for food touched, and charges it for the distance to the nearest.
 * @param terms [2, M] from `row` on: meals, hunger
 * @returns touching pairs of prey and food
 */
function payFood(state: ParticleState, lane: number, terms: Float64Array, row: number): number {
  const { plan, agents, gap, gaps } = state
  const { adversaries, good, food } = plan.counts
  let pair = lane * gaps + good * adversaries
  let closest = pair + good * food
  let meals = 0
  for (let n = 0; n < agents; n++) {
    terms[row + n] = terms[row + agents + n] = 0
    if (n < adversaries) continue
    let eaten = 0
    for (const end = pair + food; pair < end; pair++) if (gap[pair] < PREY_RADIUS + FOOD_RADIUS) eaten++
    meals += eaten
    terms[row + n] = MEAL * eaten
    terms[row + agents + n] = -HUNGER * gap[closest++]
  }
  return meals
}

/** Charges chasers for the distance to the nearest prey; [M] from `row` on. */
function payChase(state: ParticleState, lane: number, terms: Float64Array, row: number): void {
  const { plan, agents, gap, gaps } = state
  const { adversaries } = plan.counts
  const first = (lane + 1) * gaps - adversaries
  for (let n = 0; n < agents; n++) terms[row + n] = n < adversaries ? -CHASE * gap[first + n] : 0
}
