import { describe, expect, it } from 'vitest'
import { createBatch, envSpec } from './batch.ts'
import { actionTable, explain, explainState, featureTable, stateTable } from './explain.ts'
import { lanterns } from './sample.ts'
import { type EnvDefinition } from './types.ts'

describe('explaining', () => {
  it('names every number of an observation, of any lane and agent', () => {
    const batch = createBatch(lanterns, { agents: 2, cells: 5 }, { lanes: 3 })
    batch.reset()
    for (let lane = 0; lane < 3; lane++) {
      for (const [n, id] of ['agent_0', 'agent_1'].entries()) {
        const rows = explain(batch, lane, id)
        expect(rows).toEqual(explain(batch, lane, n))
        expect(rows.map((row) => row.name)).toEqual(['cell', 'lampHere', 'lampsLeft', 'alive'])
        expect(rows.map((row) => row.value)).toEqual([
          ...batch.observation.slice((lane * 2 + n) * 4, (lane * 2 + n + 1) * 4),
        ])
      }
      expect(explainState(batch, lane).map((row) => row.value)).toEqual([...batch.state.slice(lane * 3, lane * 3 + 3)])
    }
    expect(() => explain(batch, 0, 'agent_3')).toThrow(/did you mean "agent_/)
    expect(() => explain(batch, 3, 0)).toThrow(/lane is 3; expected a whole number of 0 to 2/)
    expect(() => explain(batch, 0, 2)).toThrow(/agent is 2/)
  })

  it('writes the tables of the READMEs', () => {
    const spec = envSpec(lanterns, { agents: 1, cells: 5 })
    expect(featureTable(spec)).toBe(
      [
        '| # | name | range | meaning |',
        '| --- | --- | --- | --- |',
        '| 0 | cell | 0 to 4 | own cell, 0 = left end |',
        '| 1 | lampHere | 0 to 1 | 1 where the lamp burns |',
        '| 2 | lampsLeft | 0 to 5 | dark lamps |',
        '| 3 | alive | 0 to 1 | 0 after a gust |',
      ].join('\n'),
    )
    expect(stateTable(spec).split('\n').length).toBe(4)
    expect(actionTable(spec)).toBe(
      ['| action | name |', '| --- | --- |', '| 0 | stay |', '| 1 | left |', '| 2 | right |'].join('\n'),
    )
    expect(actionTable(envSpec(lanterns, { actions: 'box' }))).toMatch('| glow | 0 to 2 |')
    expect(actionTable(envSpec(lanterns, { actions: 'multi-discrete' }))).toMatch('| voice | 0 silent, 1 call |')
  })

  it('writes one table per kind of agent that sees differently, and keeps bars out of cells', () => {
    const two: EnvDefinition = {
      ...(lanterns as EnvDefinition),
      spec: (o) => {
        const spec = lanterns.spec(o as never)
        const [first, second] = spec.agents
        const observation = [{ name: 'a|b', low: 0, high: 1 }]
        return { ...spec, agents: [first, { ...second, kind: 'guide', observation }] }
      },
    }
    const text = featureTable(envSpec(two))
    expect(text).toMatch(/^\*\*carrier\*\*\n\n/)
    expect(text).toMatch(/\*\*guide\*\*\n\n/)
    expect(text).toContain('| 0 | a\\|b | 0 to 1 |  |')
  })
})
