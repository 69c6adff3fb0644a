import { describe, it } from 'vitest'
import { ENVS } from '../index.ts'
import { contract } from './contract.ts'
import { lanterns } from './sample.ts'

describe('the contract', () => {
  for (const definition of Object.values(ENVS)) for (const { name, run } of contract(definition)) it(name, run)
  const sets = [{}, { actions: 'multi-discrete' }, { actions: 'box' }, { agents: 1, gustOneIn: 0 }, { gustOneIn: 2 }]
  for (const { name, run } of contract(lanterns, sets)) it(name, run)
})
