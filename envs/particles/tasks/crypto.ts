/** Crypto: alice tells bob a colour under a key that both know, and eve listens in. Nobody moves. Two teams. */
import { type ParticleState } from '../state.ts'
import { type Task } from '../task.ts'
import { body, landmarks } from './bodies.ts'

/** Colours of the two landmarks, which are the messages there can be and the keys. */
const COLOURS = [
  [1, 0, 0, 0],
  [0, 1, 0, 0],
]

const EVE = 0
const BOB = 1
const ALICE = 2
const GOAL = 0
const KEY = 1

const still = { collides: false, movable: false, speaks: true } as const

export const crypto: Task = {
  original: 'simple_crypto_v3',
  title: 'alice and bob share a key, eve listens in',
  counts: {},
  words: 4,
  goals: ['goal', 'key'],
  landmarkRange: 1,
  metrics: [
    { name: 'bobError', over: 'mean', meaning: "squared distance of bob's answer to the colour, 0 is right" },
    { name: 'eveError', over: 'mean', meaning: "squared distance of eve's answer to the colour, 0 is right" },
  ],
  bodies: () => [
    body('eve_0', 'eve', { kind: 'eve', ...still }),
    body('bob_0', 'alice and bob', { kind: 'bob', ...still }),
    body('alice_0', 'alice and bob', { kind: 'alice', ...still }),
  ],
  landmarks: () => landmarks(2),
  observation: (_, n) => {
    const heard = { kind: 'message', from: ALICE } as const
    const key = { kind: 'goalColour', goal: KEY, colours: COLOURS } as const
    if (n === EVE) return [heard]
    return n === BOB ? [key, heard] : [{ kind: 'goalColour', goal: GOAL, colours: COLOURS }, key]
  },
  gaps: () => [],
  terms: ['eve', 'bob'],
  pay(state, lane, terms, measured) {
    const eve = answerError(state, lane, EVE)
    const bob = answerError(state, lane, BOB)
    terms[EVE] = -eve
    terms[BOB] = terms[ALICE] = eve
    terms[3 + EVE] = 0
    terms[3 + BOB] = terms[3 + ALICE] = -bob
    measured[0] = bob
    measured[1] = eve
  },
}

/** Squared distance of what agent `n` said to the goal's colour; 0 when it said nothing at all. */
function answerError({ words, agents, message, goal }: ParticleState, lane: number, n: number): number {
  const colour = COLOURS[goal[lane * 2 + GOAL]]
  const said = (lane * agents + n) * words
  let square = 0
  let silent = true
  for (let w = 0; w < words; w++) {
    const value = message[said + w]
    if (value !== 0) silent = false
    square += (value - colour[w]) * (value - colour[w])
  }
  return silent ? 0 : square
}
