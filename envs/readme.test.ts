/** The README is run: its example environment keeps every promise, its first lines print what they say. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { contract } from './core/contract.ts'
import { ENVS, createBatch, type EnvDefinition } from './index.ts'

const here = dirname(fileURLToPath(import.meta.url))
const page = readFileSync(join(here, 'README.md'), 'utf8')
const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code)
const scratch = join(here, '..', '.test-results', `envs-readme-${process.pid}`)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Runs a block of the README as a module; `rooms` tells where its imports lie. */
async function run(name: string, code: string, rooms: Record<string, string>): Promise<Record<string, unknown>> {
  mkdirSync(scratch, { recursive: true })
  let text = code
  for (const [from, to] of Object.entries(rooms)) text = text.replaceAll(`'${from}'`, `'${to}'`)
  const file = join(scratch, name)
  writeFileSync(file, text)
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Record<string, unknown>
}

test('the first lines print what the comments beside them say', async () => {
  const [first] = blocks
  const said = [...first.matchAll(/console\.log\((.*)\) \/\/ (.*)$/gm)].map(([, , comment]) => comment)
  expect(said).toHaveLength(2)
  const code = `export const printed: unknown[] = []\n${first.replaceAll('console.log(', 'printed.push(')}`
  const { printed } = await run('first.ts', code, { 'troupe/envs': '../../envs/index.ts' })
  expect(printed).toEqual([4, { agent_0: 0, agent_1: 5 }])
  expect(said).toEqual(['4', '{ agent_0: 0, agent_1: 5 }'])
})

test('the table of environments names every one', () => {
  for (const id of Object.keys(ENVS)) expect(page).toContain(`| \`${id}\` |`)
})

describe('the example environment', async () => {
  const { race } = (await run('race.ts', blocks[1], { '../core/index.ts': '../../envs/core/index.ts' })) as {
    race: EnvDefinition
  }

  for (const { name, run: check } of contract(race, [{}, { runners: 3, stumble: 0.75 }])) test(name, check)

  test('without stumbling the long stride wins over ten metres in five ticks', () => {
    const batch = createBatch(race, { stumble: 0 }, { autoreset: 'disabled' })
    batch.reset()
    for (let tick = 0; tick < 5; tick++) batch.step(Int32Array.of(0, 1))
    expect(batch.terminated[0]).toBe(1)
    expect(Array.from(batch.finalReturns)).toEqual([0, 1])
    expect(batch.finalMetrics(0)).toEqual({ stumbles: 0, episodeLength: 5 })
  })

  test('who always stumbles never moves', () => {
    const batch = createBatch(race, { stumble: 1, horizon: 7 }, { autoreset: 'disabled' })
    batch.reset()
    for (let tick = 0; tick < 7; tick++) batch.step(Int32Array.of(1, 1))
    expect(batch.truncated[0]).toBe(1)
    expect(batch.frame(0).entities.map(({ x }) => x)).toEqual([0, 0])
  })
})
