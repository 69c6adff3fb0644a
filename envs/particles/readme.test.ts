import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBatch, envSpec, Generator, namedSeed } from '../core/index.ts'
import { actionArray, randomActions } from '../core/random-actions.ts'
import { act, createWishes, wish } from './control.ts'
import { particles, type ParticleWorld } from './index.ts'
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

test('reference scores name every team of every task, and are what the rules and scripted play make of them', () => {
  const LANES = 640
  const rows = [...section('Reference scores').matchAll(/^\| `([\w-]+)` \| ([\w ]+) \| (\S+) \| (\S+) \|/gm)]
  const written = rows.map(([, task, team, random, greedy]) => `${task} ${team} ${random} ${greedy}`)
  const measured = TASK_NAMES.flatMap((task) => {
    const scores = [false, true].map((greedy) => {
      const batch = createBatch(particles, { task }, { lanes: LANES, autoreset: 'disabled', observe: false })
      batch.reset()
      const world = batch.world as ParticleWorld
      const rng = new Generator(namedSeed('scores', task))
      const action = actionArray(batch)
      const wishes = createWishes(world.plan)
      const { agents } = batch.spec
      for (let t = 0; t < 25; t++) {
        if (!greedy) randomActions(batch, rng, action)
        for (let lane = 0; greedy && lane < LANES; lane++) {
          wish(world, lane, wishes)
          agents.forEach((_, n) => act(world.plan, wishes, n, action, lane * agents.length + n, 1))
        }
        batch.step(action)
      }
      const sums = new Map<string, [sum: number, count: number]>()
      batch.returns.forEach((value, i) => {
        const { team } = agents[i % agents.length]
        const [sum, count] = sums.get(team) ?? [0, 0]
        sums.set(team, [sum + value, count + 1])
      })
      return sums
    })
    const mean = ([sum, count]: [number, number]) => (sum / count).toFixed(2)
    return [...scores[0].keys()].map((team) => `${task} ${team} ${scores.map((of) => mean(of.get(team)!)).join(' ')}`)
  })
  expect(written).toEqual(measured)
})
