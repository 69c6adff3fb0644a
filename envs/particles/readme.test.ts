import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { envSpec } from '../core/index.ts'
import { particles } from './index.ts'
import { OPTIONS } from './options.ts'
import { TASKS, TASK_NAMES } from './tasks/index.ts'

const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
const section = (title: string) => readme.split(/^## /m).find((part) => part.startsWith(title))!

test('the option table has every option in order with its default', () => {
  const rows = [...section('Options').matchAll(/^\| `(\w+)` \| `(.+?)` \|/gm)].map(([, name, value]) => [
    name,
    JSON.parse(value) as unknown,
  ])
  expect(rows).toEqual(Object.entries(OPTIONS.properties).map(([name, schema]) => [name, schema.default]))
})

test('the task table has every task with its original and title', () => {
  const rows = [...section('Tasks').matchAll(/^\| `([\w-]+)` \| `(\w+)` \| .*? \| (.*) \|$/gm)]
  expect(rows.map(([, name, original, title]) => [name, original, title])).toEqual(
    TASK_NAMES.map((name) => [name, TASKS[name].original, TASKS[name].title]),
  )
})

test('the widths of observations are right', () => {
  for (const [, task, numbers] of section('Observations').matchAll(/^\| ([\w-]+) \| ([\d, ]+) \|/gm)) {
    const { agents } = envSpec(particles, { task })
    expect([task, [...new Set(numbers.split(', ').map(Number))]]).toEqual([
      task,
      [...new Set(agents.map(({ observation }) => observation.length))],
    ])
  }
  expect(section('Observations').match(/^\| [\w-]+ \| \d/gm)).toHaveLength(TASK_NAMES.length)
})

test('every metric and every reward is in its table', () => {
  for (const task of TASK_NAMES) {
    for (const { name } of TASKS[task].metrics) {
      const row = new RegExp(`^\\| [^|]*\`${name}\`[^|]*\\| ([^|]*) \\|`, 'm').exec(section('Metrics'))
      expect([task, name, row?.[1].trim().split(', ').includes(task)]).toEqual([task, name, true])
    }
    expect(section('Rules'), task).toMatch(new RegExp(`^\\| ${task} +\\|`, 'm'))
  }
})
