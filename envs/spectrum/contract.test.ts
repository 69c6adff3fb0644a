/** The promises of every environment, under options that reach every rule, observation and reward. */
import { test } from 'vitest'
import { contract } from '../core/contract.ts'
import { spectrum } from './index.ts'

const SETS = [
  {},
  { users: 5, channels: 3, attemptProb: 0.6, obs: 'dqsa', reward: 'competitive', history: 3 },
  { users: 4, channels: 4, pu: 'bernoulli', sensing: 'all', pFalseAlarm: 0.1, pMiss: 0.2, obs: 'sense', reward: 'penalised', sendCost: 0.1 },
  { users: 3, channels: 6, pu: 'roundRobin', puGood: [0, 3], obs: 'window', history: 6, sensing: 'one', sensedChannel: 'last', reward: 'sumIfAck', puRule: 'underlay' },
  { users: 6, channels: 3, clusters: 3, arrivalProb: 0.5, leaveProb: 0.1, returnProb: 0.3, pu: 'gilbertElliott', snrRangeDb: [0, 20], fading: 'rayleigh', fadingSlots: 3, rate: 'shannon', obs: 'snr', reward: 'alphaFair', fairAlpha: 2.5 },
  { users: 6, channels: 2, interference: 'sinr', fading: 'rayleigh', rate: 'shannon', jammer: 'reactive', jammerReaction: 0, reward: 'propFairEpisodic' },
  { users: 3, channels: 3, jammer: 'seat', miniSlots: 4, obs: 'dqsaOracle', sensing: 'one', sensedChannel: 'random', reward: 'penalised' },
  { users: 4, channels: 4, jammer: 'sweep', jammerDwell: 2, neighbours: [[1], [0, 2], [1], []], miniSlots: 3, arrivalProb: 0.6, emptySends: true, reward: 'propFair' },
] // prettier-ignore

for (const { name, run } of contract(spectrum, SETS)) test(name, run)
