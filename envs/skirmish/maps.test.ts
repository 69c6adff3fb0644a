import { describe, expect, test } from 'vitest'
import { createBatch, envSpec } from '../core/index.ts'
import { MAPS, skirmish, SMACV2 } from './index.ts'
import { type SkirmishWorld } from './state.ts'

/** SMAC's own size functions: actions, observation, state, observation with all options, most points, limit. */
const SMAC: readonly (readonly [string, number, number, number, number, number, number])[] = [
  ['3m', 9, 30, 48, 66, 365, 60],
  ['8m', 14, 80, 168, 196, 640, 120],
  ['25m', 31, 250, 950, 1012, 1575, 150],
  ['5m_vs_6m', 12, 55, 98, 121, 530, 70],
  ['8m_vs_9m', 15, 85, 179, 208, 695, 120],
  ['10m_vs_11m', 17, 105, 243, 276, 805, 150],
  ['27m_vs_30m', 36, 285, 1170, 1239, 1850, 180],
  ['MMM', 16, 160, 290, 322, 1015, 150],
  ['MMM2', 18, 176, 322, 356, 1205, 180],
  ['2s3z', 11, 80, 120, 142, 1020, 120],
  ['3s5z', 14, 128, 216, 244, 1510, 150],
  ['3s5z_vs_3s6z', 15, 136, 230, 259, 1670, 170],
  ['3s_vs_3z', 9, 36, 54, 72, 680, 150],
  ['3s_vs_4z', 10, 42, 61, 80, 840, 200],
  ['3s_vs_5z', 11, 48, 68, 88, 1000, 250],
  ['1c3s5z', 15, 162, 270, 300, 1870, 180],
  ['2m_vs_1z', 7, 16, 26, 41, 360, 150],
  ['corridor', 30, 156, 282, 324, 1280, 400],
  ['6h_vs_8z', 14, 78, 140, 166, 1480, 150],
  ['2s_vs_1sc', 7, 17, 27, 42, 510, 300],
  ['so_many_baneling', 38, 202, 397, 448, 1480, 100],
  ['bane_vs_bane', 30, 336, 984, 1044, 1260, 200],
  ['2c_vs_64zg', 70, 332, 342, 420, 3080, 400],
]

/** SMACv2's: actions, observation, state; then with the cone. */
const DRAWN: readonly (readonly [string, number, number, number, number, number, number])[] = [
  ['terran_5_vs_5', 11, 82, 120, 23, 84, 190],
  ['terran_10_vs_10', 16, 162, 290, 28, 164, 430],
  ['terran_10_vs_11', 17, 170, 306, 29, 172, 446],
  ['terran_20_vs_20', 26, 322, 780, 38, 324, 1060],
  ['terran_20_vs_23', 29, 346, 858, 41, 348, 1138],
  ['protoss_5_vs_5', 11, 92, 130, 23, 94, 200],
  ['protoss_10_vs_10', 16, 182, 310, 28, 184, 450],
  ['protoss_10_vs_11', 17, 191, 327, 29, 193, 467],
  ['protoss_20_vs_20', 26, 362, 820, 38, 364, 1100],
  ['protoss_20_vs_23', 29, 389, 901, 41, 391, 1181],
  ['zerg_5_vs_5', 11, 82, 120, 23, 84, 190],
  ['zerg_10_vs_10', 16, 162, 290, 28, 164, 430],
  ['zerg_10_vs_11', 17, 170, 306, 29, 172, 446],
  ['zerg_20_vs_20', 26, 322, 780, 38, 324, 1060],
  ['zerg_20_vs_23', 29, 346, 858, 41, 348, 1138],
]

describe.each(SMAC)('%s', (map, actions, observation, state, everything, most, limit) => {
  test('has the sizes of SMAC', () => {
    const spec = envSpec(skirmish, { map })
    expect([spec.actionSize, spec.observationSize, spec.stateSize]).toEqual([actions, observation, state])
    expect(spec.horizon).toBe(limit)
    const all = { map, lastAction: true, pathingGrid: true, terrainHeight: true, timestep: true }
    expect(envSpec(skirmish, all).observationSize).toBe(everything)
    expect(envSpec(skirmish, { ...all, compatibility: true }).observationSize).toBe(everything + 1)
  })

  test('starts everybody on the ground, apart, and worth what they are', () => {
    for (const rules of ['sc2', 'smaclite']) {
      const batch = createBatch(skirmish, { map, rules }, { lanes: 2 })
      batch.reset()
      const world = batch.world as SkirmishWorld
      const { units, tables, terrain, sides } = world.plan
      let worth = 200
      for (let u = 0; u < units; u++) {
        const t = world.type[u]
        const cell = Math.floor(world.y[u] + 16) * terrain.width + Math.floor(world.x[u] + 16)
        const cells = tables.strides[t] === 1 ? terrain.strideable : terrain.walkable
        if (tables.flies[t] === 0) expect(cells[cell], `${rules}: unit ${u}`).toBe(1)
        if (u >= sides[0].count) worth += 10 + world.health[u] + world.shield[u]
        for (let v = 0; v < u; v++) {
          if ((tables.layer[t] & tables.layer[world.type[v]]) === 0) continue
          const apart = Math.hypot(world.x[u] - world.x[v], world.y[u] - world.y[v])
          expect(apart, `${rules}: ${u} and ${v}`).toBeGreaterThan(
            tables.radius[t] + tables.radius[world.type[v]] - 0.1,
          )
        }
      }
      expect(worth).toBe(most)
    }
  })
})

test.each(DRAWN)('%s has the sizes of SMACv2, with and without the cone', (map, a, o, s, ca, co, cs) => {
  const plain = envSpec(skirmish, { map })
  expect([plain.actionSize, plain.observationSize, plain.stateSize]).toEqual([a, o, s])
  const cone = envSpec(skirmish, { map, cone: true })
  expect([cone.actionSize, cone.observationSize, cone.stateSize]).toEqual([ca, co, cs])
})

test('all 23 maps and 15 battles are there', () => {
  expect(MAPS.map((map) => map.name)).toEqual(SMAC.map(([name]) => name))
  expect(SMACV2).toEqual(DRAWN.map(([name]) => name).sort((a, b) => SMACV2.indexOf(a) - SMACV2.indexOf(b)))
})

test('an unknown map is refused with the nearest name', () => {
  expect(() => envSpec(skirmish, { map: '10m_vs_12m' })).toThrow(/10m_vs_11m/)
})
