import { expect, test } from 'vitest'
import { FORAGING_PATTERN, foragingScenario } from './foraging.ts'
import { listScenarios, loadScenario, shippedScenario } from './load.ts'
import { scenarioHash, scenarioSpec } from './open.ts'

test('the files of the family say what their names spell', () => {
  const files = listScenarios().filter(({ env }) => env === 'foraging')
  expect(files.length).toBeGreaterThan(20)
  for (const scenario of files) {
    expect(scenarioHash(foragingScenario(scenario.id)!), scenario.id).toBe(scenarioHash(scenario))
  }
})

test('every id of the original is a scenario, with or without a file', () => {
  let ids = 0
  for (let size = 5; size < 20; size++) {
    for (let players = 2; players < 10; players++) {
      for (let foods = 1; foods < 10; foods++) {
        for (const coop of ['', '-coop']) {
          for (const sight of ['', '2s-']) {
            const id = `foraging/${sight}${size}x${size}-${players}p-${foods}f${coop}`
            expect(foragingScenario(id)?.id).toBe(id)
            if (ids++ % 401 !== 0) continue // all are cheap to name; a few are opened
            const { options, agents, observationSize } = scenarioSpec(shippedScenario(id))
            expect(options).toMatchObject({ rows: size, columns: size, cooperative: coop !== '', horizon: 50 })
            expect(options.sightCells).toBe(sight === '' ? null : 2)
            expect([agents.length, observationSize]).toEqual([players, 3 * (players + foods)])
          }
        }
      }
    }
  }
  expect(ids).toBe(4320)
})

test('suffixes and prefixes set the options they stand for', () => {
  const scenario = loadScenario('foraging/strict-grid-3s-6x9-4p-2f-coop-pen-raw-masked')
  expect(scenario.options).toEqual({
    rows: 6,
    columns: 9,
    players: 4,
    foods: 2,
    cooperative: true,
    sightCells: 3,
    observation: 'grid',
    penalty: 0.1,
    normalisedRewards: false,
    actionMask: true,
    strict: true,
    horizon: 50,
  })
  expect(loadScenario('foraging/8x8-2p-3f-ind').options.maxFoodLevel).toBe(1)
  expect(FORAGING_PATTERN).toContain('[-masked]')
})

test('a name that misses the pattern is unknown, one that cannot be is refused by the option', () => {
  expect(() => shippedScenario('foraging/8x8-2p-4')).toThrow(/expected one of .*did you mean "foraging\/8x8-2p-3f/)
  expect(() => shippedScenario('foraging/08x8-2p-3f')).toThrow(/did you mean/)
  expect(() => shippedScenario('foraging/8x8-2p-3f/../../x')).toThrow(/expected one of/)
  expect(() => shippedScenario('foraging/3x3-9p-1f')).toThrow(/players is 9; expected at most 8/)
  expect(() => shippedScenario('foraging/999x8-2p-3f')).toThrow(/rows is 999; expected a whole number of 3 to 200/)
})
