/** The promises of every environment, under options that reach every rule, observation and reward. */
import { test } from 'vitest'
import { contract } from '../core/contract.ts'
import { spectrum } from './index.ts'

const SETS = [
  {},
  { users: 5, channels: 3, attemptProb: 0.6, obs: 'dqsa', reward: 'competitive', history: 3 },
  { users: 4, channels: 4, pu: 'bernoulli', sensing: 'all', pFalseAlarm: 0.1, pMiss: 0.2, obs: 'sense', reward: 'penalised', sendCost: 0.1 },
  { users: 3, channels: 5, pu: 'gilbertElliott', p01: [0.1, 0.2, 0.3, 0.4, 0.5], sensing: 'one', sensedChannel: 'random', reward: 'sumIfAck', puRule: 'underlay' },
  { users: 1, channels: 6, pu: 'roundRobin', puGood: [0, 3], obs: 'window', history: 6, sensing: 'one', sensedChannel: 'last' },
  { users: 4, channels: 2, snrRangeDb: [0, 20], fading: 'rayleigh', fadingSlots: 3, rate: 'shannon', obs: 'snr', reward: 'propFair' },
  { users: 6, channels: 3, clusters: 3, arrivalProb: 0.5, leaveProb: 0.1, returnProb: 0.3, reward: 'alphaFair', fairAlpha: 2.5 },
  { users: 10, channels: 1, neighbours: 'grid', arrivalProb: 0.6, emptySends: true, obs: 'queue', reward: 'penalised', collisionCost: 10, successReward: 0.1 },
  { users: 6, channels: 2, interference: 'sinr', fading: 'rayleigh', rate: 'shannon', reward: 'propFairEpisodic' },
  { users: 3, channels: 3, jammer: 'seat', miniSlots: 4, obs: 'dqsaOracle', reward: 'penalised' },
  { users: 3, channels: 4, jammer: 'reactive', jammerReaction: 0, jammerChannels: 2, reward: 'sumMean' },
  { users: 3, channels: 4, jammer: 'sweep', jammerDwell: 2, neighbours: [[1], [0, 2], [1]], miniSlots: 3 },
] // prettier-ignore

for (const { name, run } of contract(spectrum, SETS)) test(name, run)
