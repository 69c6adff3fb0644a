import { describe, expect, test } from 'vitest'
import { fixtureJson, refusal } from '../../testing.ts'
import { createBatch, envSpec } from '../core/index.ts'
import { warehouse } from './index.ts'
import { layoutOf, parametricRows, textRows } from './layout.ts'
import { optionsFromName } from './reference.ts'

interface Checks {
  readonly layouts: Record<
    string,
    {
      readonly shelf_rows: number
      readonly shelf_columns: number
      readonly column_height: number
      readonly grid_h: number
      readonly grid_w: number
      readonly shelves: number
      readonly highway_cells: number
      readonly goals_xy: readonly (readonly [number, number])[]
      readonly map: readonly string[]
    }
  >
  readonly action_names: readonly string[]
  readonly flattened_obs_dim: Record<string, number>
  readonly request_queue_size: Record<'easy' | 'default' | 'hard', Record<string, number>>
  readonly ids_that_cannot_reset: readonly string[]
  readonly ids_with_empty_request_queue: readonly string[]
}

const checks = fixtureJson<{ rware: Checks }>('gridworlds/checks.json')?.rware
if (checks !== undefined) {
  describe('recorded layouts and sizes of rware 2.0', () => {
    test.each(Object.keys(checks.layouts))('%s has the recorded floor plan', (size) => {
      const recorded = checks.layouts[size]
      const layout = layoutOf(parametricRows(recorded.shelf_rows, recorded.shelf_columns, recorded.column_height))
      expect([layout.height, layout.width]).toEqual([recorded.grid_h, recorded.grid_w])
      expect(layout.slots.length).toBe(recorded.shelves)
      expect(layout.highway.reduce((sum, one) => sum + one, 0)).toBe(recorded.highway_cells)
      expect([...layout.goals].map((cell) => [cell % layout.width, Math.floor(cell / layout.width)])).toEqual(
        recorded.goals_xy,
      )
      expect(layout.rows.map((row) => row.replaceAll('g', '.'))).toEqual(
        recorded.map.map((row) => row.replaceAll('g', '.')),
      )
      expect(envSpec(warehouse, { size }).world.scene!.rows).toEqual(layout.rows)
    })

    test('observations are as wide as recorded', () => {
      for (const [key, width] of Object.entries(checks.flattened_obs_dim)) {
        const [, sensorRange, messageBits] = /sensor_range=(\d+),msg_bits=(\d+)/.exec(key)!.map(Number)
        expect(envSpec(warehouse, { sensorRange, messageBits }).observationSize).toBe(width)
      }
    })

    test('as many shelves are requested as recorded, for every number of robots and difficulty', () => {
      for (const [name, sizes] of Object.entries(checks.request_queue_size)) {
        const suffix = name === 'default' ? '' : `-${name}`
        for (const [robots, requests] of Object.entries(sizes)) {
          const { scene } = envSpec(warehouse, optionsFromName(`rware-large-${robots}ag${suffix}-v2`)).world
          expect(scene!.requests, `${robots} ${name}`).toBe(requests)
        }
      }
    })

    test('names that cannot reset in the original are refused with a sentence', () => {
      for (const id of checks.ids_that_cannot_reset) {
        expect(refusal(() => envSpec(warehouse, optionsFromName(id))).message).toMatch(
          /^warehouse options: requests is 3[468] \(1[789] robots, difficulty easy\); expected at most 31: /,
        )
      }
    })

    test('names with an empty request queue open and pay nothing', () => {
      for (const id of checks.ids_with_empty_request_queue) {
        const batch = createBatch(warehouse, { ...optionsFromName(id), horizon: 50 }, { lanes: 4 })
        batch.reset()
        for (let step = 0; step < 50; step++) batch.step(new Int32Array(4).fill(step % 5))
        expect([...batch.finalReturns]).toEqual([0, 0, 0, 0])
      }
    })

    test('actions have the recorded names', () => {
      expect(checks.action_names[0]).toBe('noop')
      expect(envSpec(warehouse).agents[0].action).toMatchObject({ names: { length: checks.action_names.length } })
    })
  })
}

test('every size, difficulty and number of robots opens, resets, steps and has no empty space', () => {
  for (const size of ['tiny', 'small', 'medium', 'large'] as const) {
    for (const difficulty of ['easy', 'normal', 'hard'] as const) {
      for (let robots = 1; robots <= 19; robots++) {
        if (size === 'tiny' && difficulty === 'easy' && robots >= 16) continue // more requests than shelves allow
        const batch = createBatch(warehouse, { size, difficulty, robots })
        batch.reset()
        batch.step(new Int32Array(robots).fill(1))
        expect(batch.spec.actionKind).toBe('discrete')
        expect(batch.spec.actionSizes).toEqual([5])
        for (const agent of batch.spec.agents) expect(agent.action).toMatchObject({ kind: 'discrete' })
      }
    }
  }
})

test('message bits make the action a vector of the move and one choice of two per bit', () => {
  const spec = envSpec(warehouse, { messageBits: 2 })
  expect(spec.actionKind).toBe('multi-discrete')
  expect(spec.actionSizes).toEqual([5, 2, 2])
})

test('as many requests as shelves are refused, since a delivered shelf could not be replaced', () => {
  expect(refusal(() => envSpec(warehouse, { robots: 16, difficulty: 'easy' })).message).toMatch(
    /requests is 32 .*; expected at most 31: the floor plan has 32 shelves/,
  )
  expect(envSpec(warehouse, { robots: 16, requests: 31 }).world.scene!.requests).toBe(31)
})

test('a floor plan is read from text in either case, blanks ignored', () => {
  expect(textRows(' . X .\n . x g \n\n')).toEqual(['.x.', '.xg'])
  expect(textRows(['.x', 'g.'])).toEqual(['.x', 'g.'])
})

test('goals of a text plan are ordered row by row', () => {
  const { goals } = layoutOf(textRows('..g\nx..\ng.g'))
  expect([...goals]).toEqual([2, 6, 8])
})

test.each([
  ['.x\n.x', /layout is without a goal; expected at least one 'g'/],
  ['.xg\n.x', /layout row 1 is 2 cells wide; expected 3 cells, as row 0 is/],
  ['.xg\n.#.', /layout row 1, column 1 is "#"; expected 'x' shelf, '.' corridor or 'g' goal/],
  ['..g', /floor plan is 3 x 1 cells without a shelf; expected at least one shelf/],
])('the floor plan %j is refused with a sentence', (layout, message) => {
  expect(refusal(() => envSpec(warehouse, { layout })).message).toMatch(message)
})

test('an even number of shelf columns, too many robots and huge plans are refused', () => {
  expect(refusal(() => envSpec(warehouse, { shelfColumns: 4 })).message).toMatch(
    /shelfColumns is 4; expected an odd number/,
  )
  expect(refusal(() => envSpec(warehouse, { robots: 200, requests: 1 })).message).toMatch(
    /robots is 200; expected at most 110, one per cell/,
  )
  const huge = Array.from({ length: 513 }, () => `${'.'.repeat(510)}xg`)
  expect(refusal(() => envSpec(warehouse, { layout: huge })).message).toMatch(
    /layout is 512 x 513 = 262656 cells; expected at most 262144 cells/,
  )
})

test('a misspelt option names its nearest neighbour', () => {
  expect(refusal(() => envSpec(warehouse, { robot: 3 })).message).toMatch(/did you mean "robots"\?/)
  expect(refusal(() => envSpec(warehouse, { size: 'smal' })).message).toMatch(/did you mean "?small"?\?/)
})
