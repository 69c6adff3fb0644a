/** The promises of every environment, under the options that change the shape of this one. */
import { test } from 'vitest'
import { contract } from '../core/contract.ts'
import { matrix } from './index.ts'

const unequal = [
  [
    [1, 2, 3],
    [4, 5, 6],
  ],
  [
    [0.5, 0, -1],
    [0, 2, 0],
  ],
]

/** One player with two actions, one with three; chance in the moves and in the start. */
const MUD = {
  transitions: [0.25, 0.5].map((p) => [0, 1].map((a) => [0, 1, 2].map((b) => (a + b > 2 ? [0, 1] : [p, 1 - p])))),
  rewards: [1, -1].map((sign) =>
    [0, 1].map((s) => [0, 1].map((a) => [0, 1, 2].map((b) => [sign * (s + a), sign * (b - 1)]))),
  ),
  start: [0.5, 0.5],
}

const SETS = [
  { game: 'pd', observation: 'last' },
  { game: 'mp' },
  { game: 'rps', observation: 'last', horizonEnds: 'termination' },
  { game: 'climbing' },
  { game: 'penalty', k: 25, observation: 'last' },
  { game: 'custom', payoffs: unequal },
  { game: 'custom', payoffs: unequal, observation: 'last' },
  { game: 'climbing-3p', observation: 'last', memory: 2 },
  { game: 'public-goods', parameters: { players: 5 }, observation: 'last' },
  { game: 'travelers-dilemma', parameters: { high: 25 }, observation: 'last', memory: 3 }, // sums instead of counts
  { game: 'c45', observation: 'uoe-last' },
  { game: 'linear', observation: 'uoe-none' },
  { game: 'two-step' },
  { game: 'donation', observation: 'last', memory: 2 },
  { game: 'two-state-pennies', hideState: true },
  { game: 'ecological', parameters: { players: 3 }, observation: 'last' },
  { game: 'coordination', parameters: { players: 3 }, observation: 'uoe-last' }, // sums instead of counts
  { game: 'tensors', tensors: MUD },
]

for (const { name, run } of contract(matrix, SETS)) test(name, run)
