/** The README says what the schema says. `UPDATE_README=1 npx vitest run scenarios/readme.test.ts` rewrites its table. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type TSchema } from '#typebox'
import { Scenario, checkScenario } from './schema.ts'
import { scenarioSpec } from './open.ts'

const file = new URL('./README.md', import.meta.url)

function fields(schema: TSchema, prefix = ''): string[] {
  return Object.entries(schema.properties as Record<string, TSchema>).flatMap(([name, field]) => {
    const needed = (schema.required as string[] | undefined)?.includes(name) ? 'yes' : ''
    const row = `| \`${prefix}${name}\` | ${needed} | ${field.description} |`
    return field.properties === undefined ? [row] : [row, ...fields(field, `${prefix}${name}.`)]
  })
}

test('the README lists every field of a scenario', () => {
  const table = ['| field | required | meaning |', '| --- | --- | --- |', ...fields(Scenario)].join('\n')
  expect(table).not.toContain('undefined')
  const page = readFileSync(file, 'utf8')
  const open = '<!-- fields -->\n'
  const from = page.indexOf(open) + open.length
  const to = page.indexOf('<!-- /fields -->')
  expect(from).toBeGreaterThan(open.length)
  if (process.env.UPDATE_README === '1') writeFileSync(file, `${page.slice(0, from)}${table}\n${page.slice(to)}`)
  else expect(page.slice(from, to)).toBe(`${table}\n`)
})

test('the scenario in the README opens', () => {
  const [, text] = /```json\n([\s\S]*?)```/.exec(readFileSync(file, 'utf8'))!
  expect(scenarioSpec(checkScenario(JSON.parse(text), 'README.md')).horizon).toBe(100)
})
