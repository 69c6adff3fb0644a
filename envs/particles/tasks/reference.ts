/** Reference: two agents, each knows which of three landmarks the other has to reach, and both speak. Cooperative. */
import { distance } from '../distance.ts'
import { type Task } from '../task.ts'
import { body, landmarks, several } from './bodies.ts'

const COLOURS = [
  [0.75, 0.25, 0.25],
  [0.25, 0.75, 0.25],
  [0.25, 0.25, 0.75],
]

export const reference: Task = {
  original: 'simple_reference_v3',
  title: 'each of two agents tells the other where to go',
  counts: {},
  localRatio: 0.5,
  words: 10,
  goals: ['goal of agent_1', 'goal of agent_0'],
  landmarkRange: 1,
  metrics: [
    { name: 'distance', over: 'mean', meaning: 'distance of an agent to its goal, mean over both' },
    { name: 'finalDistance', over: 'last', meaning: 'the same at the end' },
  ],
  bodies: () => several(2, (n) => body(`agent_${n}`, 'pair', { collides: false, speaks: true })),
  landmarks: () => landmarks(3),
  observation: (_, n) => [
    { kind: 'velocity' },
    { kind: 'offsets', from: 2, to: 5 },
    { kind: 'goalColour', goal: n, colours: COLOURS },
    { kind: 'message', from: 1 - n },
  ],
  gaps: () => [], // who is measured depends on the goal
  terms: ['shared', 'own'],
  pay({ plan, agents, entities, position, goal }, lane, terms, measured) {
    const { localRatio } = plan
    const from = lane * entities * 2
    // Each is paid for how near the other is to the goal that it knows itself.
    const first = -distance(position, from + 2, from + (agents + goal[lane * 2]) * 2)
    const second = -distance(position, from, from + (agents + goal[lane * 2 + 1]) * 2)
    const shared = (first + second) / 2
    terms[0] = terms[1] = shared * (1 - localRatio)
    terms[2] = first * localRatio
    terms[3] = second * localRatio
    measured[0] = measured[1] = -shared
  },
}
