import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBatch, envSpec } from '../core/index.ts'
import { skirmish } from './index.ts'
import { OPTIONS } from './options.ts'

const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')

test('the option table has every option in order with its default', () => {
  const rows = [...readme.matchAll(/^\| `(\w+)` \| `(.+?)` \|/gm)].map(([, name, value]) => [
    name,
    JSON.parse(value) as unknown,
  ])
  expect(rows).toEqual(Object.entries(OPTIONS.properties).map(([name, schema]) => [name, schema.default]))
})

test('every metric is named', () => {
  for (const name of envSpec(skirmish, { map: '3m' }).world.metrics) {
    if (!/Agent[1-9]/.test(name)) expect(readme).toContain(`\`${name}\``)
  }
})

test('the map in the README can be played', () => {
  const [, text] = /```json\n([\s\S]*?)```/.exec(readme)!
  const batch = createBatch(skirmish, { custom: JSON.parse(text) as object })
  batch.reset()
  batch.step(Int32Array.of(1, 1))
  expect(batch.spec.horizon).toBe(120)
})
