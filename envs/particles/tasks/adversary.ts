/** Adversary: N good agents cover a goal among N landmarks; one adversary wants it too and does not know which it is. */
import { distance, nearest } from '../distance.ts'
import { type Task } from '../task.ts'
import { body, landmarks, several } from './bodies.ts'

export const adversary: Task = {
  original: 'simple_adversary_v3',
  title: 'good agents cover the goal and keep an adversary guessing',
  counts: { agents: 2 },
  words: 0,
  goals: ['goal'],
  landmarkRange: 1,
  metrics: [
    { name: 'goodDistance', over: 'mean', meaning: 'distance of the nearest good agent to the goal' },
    { name: 'adversaryDistance', over: 'mean', meaning: 'distance of the adversary to the goal' },
  ],
  bodies: ({ agents }) => [
    body('adversary_0', 'adversary', { kind: 'adversary', radius: 0.15, collides: false }),
    ...several(agents, (n) => body(`agent_${n}`, 'good', { radius: 0.15, collides: false })),
  ],
  landmarks: ({ agents }) => landmarks(agents, { radius: 0.08 }),
  observation: ({ counts: { agents } }, n) => [
    ...(n === 0 ? [] : [{ kind: 'goalOffset', goal: 0 } as const]),
    { kind: 'offsets', from: agents + 1, to: 2 * agents + 1 },
    { kind: 'offsets', from: 0, to: agents + 1 },
  ],
  gaps: () => [], // who is measured depends on the goal
  terms: ['adversary', 'good'],
  pay({ agents, entities, position, goal }, lane, terms, measured) {
    const from = lane * entities * 2
    const aim = from + (agents + goal[lane]) * 2
    const theirs = distance(position, from, aim)
    const ours = nearest(position, from + 2, from + agents * 2, aim)
    for (let n = 0; n < agents; n++) {
      terms[n] = n === 0 ? -theirs : theirs
      terms[agents + n] = n === 0 ? 0 : -ours
    }
    measured[0] = ours
    measured[1] = theirs
  },
}
