/** Push: an adversary keeps a good agent away from the goal among two landmarks. Two teams. */
import { distance } from '../distance.ts'
import { type Task } from '../task.ts'
import { body, landmarks } from './bodies.ts'

const LANDMARK_COLOURS = [
  [0.1, 0.9, 0.1],
  [0.1, 0.1, 0.9],
]

/** Colour of the good agent by goal. */
const OWN_COLOURS = [
  [0.25, 0.75, 0.25],
  [0.25, 0.25, 0.75],
]

const RGB = ['red', 'green', 'blue']

export const push: Task = {
  original: 'simple_push_v3',
  title: 'an adversary pushes a good agent away from its goal',
  counts: {},
  words: 0,
  goals: ['goal'],
  landmarkRange: 1,
  metrics: [
    { name: 'goodDistance', over: 'mean', meaning: 'distance of the good agent to the goal' },
    { name: 'adversaryDistance', over: 'mean', meaning: 'distance of the adversary to the goal' },
  ],
  bodies: () => [body('adversary_0', 'adversary', { kind: 'adversary' }), body('agent_0', 'good', {})],
  landmarks: () => landmarks(2),
  observation: (_, n) =>
    n === 0
      ? [{ kind: 'velocity' }, { kind: 'offsets', from: 2, to: 4 }, { kind: 'offsets', from: 0, to: 2 }]
      : [
          { kind: 'velocity' },
          { kind: 'goalOffset', goal: 0 },
          { kind: 'goalColour', goal: 0, colours: OWN_COLOURS },
          { kind: 'offsets', from: 2, to: 4 },
          {
            kind: 'constants',
            names: LANDMARK_COLOURS.flatMap((_row, l) => RGB.map((name) => `landmark_${l}.${name}`)),
            values: LANDMARK_COLOURS.flat(),
          },
          { kind: 'offsets', from: 0, to: 2 },
        ],
  gaps: () => [], // who is measured depends on the goal
  terms: ['good', 'adversary'],
  pay({ agents, entities, position, goal }, lane, terms, measured) {
    const from = lane * entities * 2
    const aim = from + (agents + goal[lane]) * 2
    const theirs = distance(position, from, aim)
    const ours = distance(position, from + 2, aim)
    terms[0] = ours
    terms[1] = -ours
    terms[2] = -theirs
    terms[3] = 0
    measured[0] = ours
    measured[1] = theirs
  },
}
