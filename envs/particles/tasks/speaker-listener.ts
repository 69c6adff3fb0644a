/** Speaker and listener: one knows the goal and cannot move, the other moves and does not know. Cooperative. */
import { squaredDistance } from '../distance.ts'
import { type Task } from '../task.ts'
import { body, landmarks } from './bodies.ts'

const COLOURS = [
  [0.65, 0.15, 0.15],
  [0.15, 0.65, 0.15],
  [0.15, 0.15, 0.65],
]

export const speakerListener: Task = {
  original: 'simple_speaker_listener_v4',
  title: 'a speaker tells a listener which landmark to go to',
  counts: {},
  words: 3,
  goals: ['goal'],
  landmarkRange: 1,
  metrics: [
    { name: 'distance', over: 'mean', meaning: 'distance of the listener to the goal' },
    { name: 'finalDistance', over: 'last', meaning: 'the same at the end' },
  ],
  bodies: () => [
    body('speaker_0', 'pair', { kind: 'speaker', radius: 0.075, collides: false, movable: false, speaks: true }),
    body('listener_0', 'pair', { kind: 'listener', radius: 0.075, collides: false }),
  ],
  landmarks: () => landmarks(3, { radius: 0.04 }),
  observation: (_, n) =>
    n === 0
      ? [{ kind: 'goalColour', goal: 0, colours: COLOURS }]
      : [{ kind: 'velocity' }, { kind: 'offsets', from: 2, to: 5 }, { kind: 'message', from: 0 }],
  gaps: () => [], // who is measured depends on the goal
  terms: ['distance'],
  pay({ agents, entities, position, goal }, lane, terms, measured) {
    const from = lane * entities * 2
    const square = squaredDistance(position, from + 2, from + (agents + goal[lane]) * 2)
    terms[0] = -square
    terms[1] = -square
    measured[0] = measured[1] = Math.sqrt(square)
  },
}
