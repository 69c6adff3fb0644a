/**
 * The list of faults and of the tests that notice them is about the code as it is. `node scripts/mutations.mjs` breaks each line and
 * looks whether that is so; `UPDATE_README=1 npx vitest run agents/mutations.test.ts` rewrites the page.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Mutation {
  readonly fault: string
  readonly tests: string
  readonly title: string
  /** What is changed into what, or why the fault cannot be written. */
  readonly file?: string
  readonly from?: string
  readonly to?: string
  readonly why?: string
}

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const all = JSON.parse(text('agents/mutations.json')) as Mutation[]

test('every fault is one place in the sources, or says why there is none, and its test exists', () => {
  for (const { fault, file, from, to, why, tests, title } of all) {
    expect(text(tests), `${fault}: ${title}`).toContain(title)
    if (from === undefined) expect(why, fault).toMatch(/\w/)
    else {
      expect(text(file!).split(from).length - 1, `${fault}: places in ${file}`).toBe(1)
      expect(to, fault).not.toBe(from)
    }
  }
})

test('the page lists them', () => {
  const rows = all.map(({ fault, file, why, tests, title }) => `| ${fault} | ${file ?? why} | ${tests} | ${title} |`)
  const table = ['| fault | where it is made, or why it cannot be | test file | the test that notices |', '| --- | --- | --- | --- |', ...rows].join('\n') // prettier-ignore
  const page = text('agents/mutations.md')
  const open = '<!-- mutations -->\n'
  const from = page.indexOf(open) + open.length
  const to = page.indexOf('<!-- /mutations -->')
  expect(from).toBeGreaterThan(open.length)
  if (process.env.UPDATE_README === '1')
    writeFileSync(new URL('mutations.md', import.meta.url), `${page.slice(0, from)}${table}\n${page.slice(to)}`)
  else expect(page.slice(from, to)).toBe(`${table}\n`)
})
