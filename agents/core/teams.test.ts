import { expect, test } from 'vitest'
import { type AgentSpec } from '../../envs/core/index.ts'
import { shareReward, teamNumbers, teamReturn } from './teams.ts'

const teams = teamNumbers(['red', 'blue', 'red', 'red'].map((team) => ({ team }) as AgentSpec))

test('rewards are shared inside a team, row by row', () => {
  const reward = Float32Array.of(1, 10, 2, 6, 0, -4, 3, 0)
  const out = new Float32Array(8).fill(NaN)
  shareReward('none', teams, reward, out, 2)
  expect([...out]).toEqual([...reward])
  shareReward('sum', teams, reward, out, 2)
  expect([...out]).toEqual([9, 10, 9, 9, 3, -4, 3, 3])
  shareReward('mean', teams, reward, reward, 2) // in place
  expect([...reward]).toEqual([3, 10, 3, 3, 1, -4, 1, 1])
})

test('the return of an episode is the sum over agents for none and sum, the mean for mean', () => {
  expect(teamReturn('none', [1, 2, 6])).toBe(9)
  expect(teamReturn('sum', [1, 2, 6])).toBe(9)
  expect(teamReturn('mean', [1, 2, 6])).toBe(3)
})
