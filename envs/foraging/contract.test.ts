import { describe, test } from 'vitest'
import { contract } from '../core/contract.ts'
import { foraging } from './index.ts'

const SETS: Record<string, unknown>[] = [
  {},
  { sightCells: 2, strict: true, players: 5, foods: 4, actionMask: true },
  { rows: 5, columns: 9, players: 4, sightCells: 2, levelsObserved: false, normalisedRewards: false, penalty: 0.3 },
  { rows: 6, columns: 6, players: 3, sightCells: 1, observation: 'grid', cooperative: true, actionMask: true },
  { minPlayerLevel: [1, 2, 3], maxPlayerLevel: [2, 2, 5], players: 3, minFoodLevel: 2, maxFoodLevel: [2, 6, 8] },
]

describe('the contract of every environment', () => {
  for (const check of contract(foraging, SETS)) test(check.name, () => check.run())
})
