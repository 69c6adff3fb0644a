import { describe, test } from 'vitest'
import { contract } from '../core/contract.ts'
import { skirmish } from './index.ts'

describe('the contract of every environment', () => {
  const sets = [
    { map: '2s3z', rules: 'smaclite', opponent: 'policy' },
    { map: 'terran_5_vs_6', cone: true, sharedSight: 0.5, actionMask: false },
  ]
  for (const check of contract(skirmish, sets)) test(check.name, () => check.run())
})
