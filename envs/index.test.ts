import { describe, expect, test } from 'vitest'
import { refusal } from '../testing.ts'
import { ENVS, makeBatch, parallelEnv, type EnvDefinition } from './index.ts'

describe('the table of environments', () => {
  test('has the id of each as its key', () => {
    for (const [id, definition] of Object.entries(ENVS)) expect(definition.id).toBe(id)
    expect(Object.keys(ENVS)).toEqual(expect.arrayContaining(['matrix', 'warehouse']))
  })

  test('opens by id or by definition', () => {
    const mine: EnvDefinition = { ...ENVS.matrix, id: 'mine' }
    expect(makeBatch('matrix', { game: 'rps' }, { lanes: 3 }).lanes).toBe(3)
    expect(makeBatch(mine).spec.env).toBe('mine')
  })

  test('tells the nearest of an unknown id, and is not fooled by what objects inherit', () => {
    expect(refusal(() => makeBatch('warehous')).nearest).toBe('"warehouse"')
    expect(refusal(() => parallelEnv('matirx')).nearest).toBe('"matrix"')
    for (const id of ['toString', '__proto__', 'constructor', '']) {
      expect(refusal(() => makeBatch(id)).code).toBe('unknown-name')
    }
  })
})

test('every environment opens with its defaults, and no space has size zero', () => {
  for (const definition of Object.values(ENVS)) {
    const { spec } = makeBatch(definition)
    expect(spec.observationSize).toBeGreaterThan(0)
    expect(spec.stateSize).toBeGreaterThan(0)
    expect(spec.actionKind === 'box' || spec.actionSize > 0).toBe(true)
  }
})

test('three episodes of a game in the parallel shape end, restart and pay both players', () => {
  const env = parallelEnv('matrix', { game: 'pd', horizon: 4 })
  for (let episode = 0; episode < 3; episode++) {
    env.reset({ seed: episode })
    let rounds = 0
    while (env.agents.length > 0) {
      const { rewards } = env.step({ agent_0: 0, agent_1: 1 })
      expect(rewards).toEqual({ agent_0: 0, agent_1: 5 })
      rounds++
    }
    expect(rounds).toBe(4)
  }
})
