import { expect, test } from 'vitest'
import { ENVS } from '../../envs/index.ts'
import { loadScenario } from '../../scenarios/load.ts'
import { openScenario } from '../../scenarios/open.ts'
import { batchSpeed, heapGrowth, parallelSpeed, stepper, verifySpeed } from './environments.ts'

const quick = { runs: 1, seconds: 0.01 }
const tiny = loadScenario('warehouse/tiny-4ag')

test('one call of the stepper is one step in every lane', () => {
  const batch = openScenario(tiny, { lanes: 3 })
  const { step, drawsActions } = stepper(batch)
  const before = batch.stepCount[0]
  for (let i = 0; i < 10; i++) step()
  expect([...batch.stepCount]).toEqual([before + 10, before + 10, before + 10])
  expect(drawsActions).toBe(false) // nothing is ever masked in a warehouse
})

test('rows begin with the scenario and come one per unit', () => {
  const rows = batchSpeed(tiny, ENVS, { ...quick, lanes: 2 })
  expect(rows.map(({ unit }) => unit)).toEqual(['env-steps/s', 'agent-steps/s'])
  expect(rows[1].median / rows[0].median).toBeCloseTo(4, 9) // four robots
  const others = [...parallelSpeed(tiny, ENVS, quick), ...verifySpeed(tiny, ENVS, quick)]
  for (const { name } of [...rows, ...others]) expect(name).toMatch(/^warehouse\/tiny-4ag, /)
  expect(others.map(({ unit }) => unit)).toEqual(['env-steps/s', 'env-steps/s', 'ms'])
})

test('worlds with continuous actions, and with agents that nobody controls, are measured too', () => {
  for (const id of ['particles/world-comm-continuous', 'particles/tag-chase']) {
    const scenario = loadScenario(id)
    const rows = [
      ...batchSpeed(scenario, ENVS, { ...quick, lanes: 2 }),
      ...parallelSpeed(scenario, ENVS, quick),
      ...verifySpeed(scenario, ENVS, quick),
    ]
    for (const { median } of rows) expect(median).toBeGreaterThan(0)
  }
})

test('a warehouse makes next to no garbage: less than a seed and a few numbers per episode of 500 steps', () => {
  const { steps, allocatedPerStep } = heapGrowth(tiny, ENVS, 200_000)
  expect(steps).toBe(200_000)
  expect(allocatedPerStep).toBeLessThan(16)
})
