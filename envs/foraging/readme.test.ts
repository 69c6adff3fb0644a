import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { envSpec } from '../core/index.ts'
import { foraging, METRICS } from './index.ts'
import { FOOD_STATE, LAYERS, PLAYER_STATE, SLOT } from './observe.ts'
import { OPTIONS } from './options.ts'
import { ACTIONS } from './state.ts'

const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')

/** The text between two headings. */
const section = (from: string, to: string) => readme.slice(readme.indexOf(`## ${from}`), readme.indexOf(`## ${to}`))

/** The names in backquotes of the first table row that begins so. */
function named(text: string, row: string): string[] {
  const line = text.split('\n').find((one) => one.startsWith(`| ${row}`))
  return [...(line ?? '').slice(2 + row.length).matchAll(/`(\w+)`/g)].map(([, name]) => name)
}

test('the option table has every option in order with its default', () => {
  const rows = [...readme.matchAll(/^\| `(\w+)` \| `(.+?)` \|/gm)].map(([, name, value]) => [
    name,
    JSON.parse(value) as unknown,
  ])
  expect(rows).toEqual(Object.entries(OPTIONS.properties).map(([name, schema]) => [name, schema.default]))
})

test('the tables of observation, state, metrics and actions name what there is', () => {
  const observation = section('Observation', 'Global state')
  for (const row of ['`foods` slots', 'the player itself', '`players` - 1 slots']) {
    expect(named(observation, row), row).toEqual([...SLOT])
  }
  expect([...observation.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)).toEqual([...LAYERS])
  const state = section('Global state', 'Metrics')
  expect(named(state, 'player')).toEqual([...PLAYER_STATE])
  expect(named(state, 'item')).toEqual([...FOOD_STATE])
  const metrics = section('Metrics', 'Quirks')
  expect([...metrics.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)).toEqual([...METRICS])
  const actions = section('Actions', 'Rules')
  for (const action of ACTIONS) expect(actions).toContain(`\`${action}\``)
})

test('features carry the names of the tables, their origin and their padding', () => {
  const { agents, world, observationSize, stateSize } = envSpec(foraging, { sightCells: 2 })
  const features = new Map(agents[0].observation.map((feature) => [feature.name, feature]))
  for (const name of SLOT) {
    for (const slot of ['food_0', 'self', 'other_0']) expect(features.has(`${slot}.${name}`)).toBe(true)
  }
  expect(features.get('food_2.row')).toMatchObject({ low: -1, high: 4 })
  expect(features.get('food_2.row')!.meaning).toContain('0 at the top left corner of the seen part of the field')
  expect(features.get('food_2.row')!.meaning).toContain('-1 where no more items are seen')
  expect(features.get('other_0.level')!.meaning).toContain('0 where no more players are seen')
  expect(features.get('self.row')).toMatchObject({ low: 0, high: 2 })
  expect(world.state.at(-1)!.name).toBe('spawned')
  expect([observationSize, stateSize]).toEqual([15, 16])
  expect(readme).toContain('15 by default')
  expect(readme).toContain('16 numbers by default')
})
