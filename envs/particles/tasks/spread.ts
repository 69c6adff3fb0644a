/** Spread: N agents cover N landmarks and avoid each other. Cooperative. */
import { nearest, touches } from '../distance.ts'
import { type Task } from '../task.ts'
import { body, landmarks, several } from './bodies.ts'

/** A landmark is occupied when an agent is nearer than this (mpe2's benchmark data). */
const OCCUPIED = 0.1

const RADIUS = 0.15

export const spread: Task = {
  original: 'simple_spread_v3',
  title: 'agents cover all landmarks and avoid each other',
  counts: { agents: 3 },
  localRatio: 0.5,
  words: 0,
  goals: [],
  landmarkRange: 1,
  metrics: [
    { name: 'collisions', over: 'sum', meaning: 'touching pairs of agents' },
    { name: 'distance', over: 'mean', meaning: 'sum over landmarks of the distance of the nearest agent' },
    { name: 'occupied', over: 'last', meaning: 'landmarks with an agent nearer than 0.1' },
  ],
  bodies: ({ agents }) => several(agents, (n) => body(`agent_${n}`, 'agents', { radius: RADIUS })),
  landmarks: ({ agents }) => landmarks(agents),
  observation: ({ counts: { agents } }) => [
    { kind: 'velocity' },
    { kind: 'position' },
    { kind: 'offsets', from: agents, to: 2 * agents },
    { kind: 'offsets', from: 0, to: agents },
    {
      // Silent agents have a channel of two words in the original.
      kind: 'constants',
      names: several(2 * (agents - 1), (i) => `silence_${i}`),
      values: several(2 * (agents - 1), () => 0),
    },
  ],
  terms: ['coverage', 'collisions'],
  pay(state, lane, terms, measured) {
    const { plan, agents, entities, position } = state
    const { localRatio } = plan
    const from = lane * entities * 2
    const end = from + agents * 2
    let coverage = 0
    let occupied = 0
    for (let landmark = end; landmark < from + entities * 2; landmark += 2) {
      const least = nearest(position, from, end, landmark)
      coverage -= least
      if (least < OCCUPIED) occupied++
    }
    for (let n = 0; n < agents; n++) {
      terms[n] = coverage * (1 - localRatio)
      terms[agents + n] = 0
    }
    let touching = 0
    for (let n = 0; n < agents; n++) {
      for (let m = n + 1; m < agents; m++) {
        if (!touches(position, from + 2 * n, from + 2 * m, RADIUS + RADIUS)) continue
        touching++
        terms[agents + n]--
        terms[agents + m]--
      }
    }
    for (let n = agents; n < 2 * agents; n++) terms[n] *= localRatio
    measured[0] = touching
    measured[1] = -coverage
    measured[2] = occupied
  },
}
