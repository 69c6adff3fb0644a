import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { envSpec } from '../core/index.ts'
import { METRICS, warehouse } from './index.ts'
import { CELL_AFTER_MESSAGE, CELL_BEFORE_MESSAGE, REQUEST_STATE, ROBOT_STATE, SELF } from './observe.ts'
import { OPTIONS } from './options.ts'
import { ACTIONS } from './state.ts'

const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')

/** The names in backquotes of the first table row that begins so. */
function named(row: string): string[] {
  const line = readme.split('\n').find((text) => text.startsWith(`| ${row}`))
  return [...(line ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)
}

test('the option table has every option in order with its default', () => {
  const rows = [...readme.matchAll(/^\| `(\w+)` \| `(.+?)` \|/gm)].map(([, name, value]) => [
    name,
    JSON.parse(value) as unknown,
  ])
  expect(rows).toEqual(Object.entries(OPTIONS.properties).map(([name, schema]) => [name, schema.default]))
})

test('the tables of observation, state, metrics and actions name what there is', () => {
  expect(named('own')).toEqual([...SELF])
  const cell = [...CELL_BEFORE_MESSAGE, ...CELL_AFTER_MESSAGE]
  expect([...new Set(named('per cell'))]).toEqual(cell)
  expect(named('robot |')).toEqual([...ROBOT_STATE])
  expect(named('request,')).toEqual([...REQUEST_STATE])
  const metrics = readme.slice(readme.indexOf('## Metrics'), readme.indexOf('## Differences'))
  expect([...metrics.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)).toEqual([...METRICS])
  for (const action of ACTIONS) expect(readme).toContain(`\`${action}\``)
})

test('the sizes it states are right', () => {
  expect(envSpec(warehouse).observationSize).toBe(71)
  expect(readme).toContain('71 by default')
  expect(envSpec(warehouse, { robots: 4 }).stateSize).toBe(80)
  expect(readme).toContain('80 numbers on tiny-4ag')
})
