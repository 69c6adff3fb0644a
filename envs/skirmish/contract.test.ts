import { describe, test } from 'vitest'
import { contract } from '../core/contract.ts'
import { skirmish } from './index.ts'

describe('the contract of every environment', () => {
  for (const check of contract(skirmish)) test(check.name, () => check.run())
})
