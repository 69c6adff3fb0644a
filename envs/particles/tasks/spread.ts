/** Spread: N agents cover N landmarks and avoid each other. Cooperative. */
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
  // Landmarks to their nearest agent, then pairs of agents.
  gaps: ({ agents }) => [
    ...several(agents, (l) => ({ of: agents + l, from: 0, to: agents })),
    ...several(agents, (n) => several(agents - 1 - n, (m) => ({ of: n, from: n + 1 + m, to: n + 2 + m }))).flat(),
  ],
  terms: ['coverage', 'collisions'],
  pay(state, lane, terms, measured) {
    const { plan, agents, gap, gaps } = state
    const { localRatio } = plan
    let q = lane * gaps
    let coverage = 0
    let occupied = 0
    for (const end = q + agents; q < end; q++) {
      coverage -= gap[q]
      if (gap[q] < OCCUPIED) occupied++
    }
    for (let n = 0; n < agents; n++) {
      terms[n] = coverage * (1 - localRatio)
      terms[agents + n] = 0
    }
    let touching = 0
    for (let n = 0; n < agents; n++) {
      for (let m = n + 1; m < agents; m++) {
        if (gap[q++] >= RADIUS + RADIUS) continue
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
