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

const SETS = [
  { game: 'pd', observation: 'last' },
  { game: 'mp' },
  { game: 'rps', observation: 'last', horizonEnds: 'termination' },
  { game: 'climbing' },
  { game: 'penalty', k: 25, observation: 'last' },
  { game: 'custom', payoffs: unequal },
  { game: 'custom', payoffs: unequal, observation: 'last' },
]

for (const { name, run } of contract(matrix, SETS)) test(name, run)
