/** Tag: slow chasers hunt faster prey between round obstacles. Two teams. */
import { type Task } from '../task.ts'
import { body, landmarks, several } from './bodies.ts'
import { catchGaps, CHASER, PREY, payBorder, payCatches } from './chase.ts'

const CATCH = 10

export const tag: Task = {
  original: 'simple_tag_v3',
  title: 'chasers touch faster prey between obstacles',
  counts: { adversaries: 3, good: 1, obstacles: 2 },
  words: 0,
  goals: [],
  landmarkRange: 0.9,
  metrics: [
    { name: 'catches', over: 'sum', meaning: 'touching pairs of chaser and prey' },
    { name: 'outside', over: 'sum', meaning: 'steps of prey that pay for the border' },
  ],
  bodies: ({ adversaries, good }) => [
    ...several(adversaries, (n) => body(`adversary_${n}`, 'adversaries', CHASER)),
    ...several(good, (n) => body(`agent_${n}`, 'good', PREY)),
  ],
  landmarks: ({ obstacles }) => landmarks(obstacles, { kind: 'obstacle', radius: 0.2, collides: true }),
  observation: ({ counts: { adversaries, good, obstacles } }) => {
    const agents = adversaries + good
    return [
      { kind: 'velocity' },
      { kind: 'position' },
      { kind: 'offsets', from: agents, to: agents + obstacles },
      { kind: 'offsets', from: 0, to: agents },
      { kind: 'velocities', from: adversaries, to: agents },
    ]
  },
  gaps: ({ adversaries, good }) => catchGaps(adversaries, good),
  terms: ['catches', 'border'],
  pay(state, lane, terms, measured) {
    const { adversaries } = state.plan.counts
    measured[0] = payCatches(state, lane, adversaries, CATCH, terms, 0)
    measured[1] = payBorder(state, lane, adversaries, 1, terms, state.agents)
  },
}
