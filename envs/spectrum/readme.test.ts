/** The README says what the code does. `UPDATE_README=1 npx vitest run envs/spectrum/readme.test.ts` rewrites its tables. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { envSpec, featureTable } from '../core/index.ts'
import { spectrum } from './index.ts'
import { METRICS } from './metrics.ts'
import { OBSERVATIONS, OPTIONS, REWARDS } from './options.ts'

const file = new URL('./README.md', import.meta.url)

/** The text between two marks is that; or becomes it. */
function holds(mark: string, text: string): void {
  const page = readFileSync(file, 'utf8')
  const open = `<!-- ${mark} -->\n`
  const from = page.indexOf(open) + open.length
  const to = page.indexOf(`<!-- /${mark} -->`)
  expect(from).toBeGreaterThan(open.length)
  if (process.env.UPDATE_README === '1') writeFileSync(file, `${page.slice(0, from)}${text}\n${page.slice(to)}`)
  else expect(page.slice(from, to)).toBe(`${text}\n`)
}

test('the option table has every option in order with its default and meaning', () => {
  const rows = Object.entries(OPTIONS.properties).map(
    ([name, { default: value, description }]) => `| \`${name}\` | \`${JSON.stringify(value)}\` | ${description} |`,
  )
  holds('options', rows.join('\n'))
})

test('the observation table is that of three users on two channels', () => {
  holds('observation', featureTable(envSpec(spectrum, { obs: 'dqsa' })))
})

test('the metric table has every metric', () => {
  holds('metrics', METRICS.map(({ name, meaning }) => `| \`${name}\` | ${meaning} |`).join('\n'))
})

test('every observation and reward mode has a row, with the width it says', () => {
  const page = readFileSync(file, 'utf8')
  for (const name of [...OBSERVATIONS, ...REWARDS]) expect(page).toContain(`| \`${name}\` |`)
  const width = (options: object) => envSpec(spectrum, { users: 2, channels: 5, ...options }).observationSize
  expect(width({ obs: 'ack' })).toBe(5 + 2)
  expect(width({ obs: 'dqsa' })).toBe(2 * 5 + 2)
  expect(width({ obs: 'dqsaOracle' })).toBe(2 * 5 + 2)
  expect(width({ obs: 'snr' })).toBe(2 * 5 + 3)
  expect(width({ obs: 'sense', sensing: 'all' })).toBe(5 + 2 + 5)
  expect(width({ obs: 'sense', sensing: 'one' })).toBe(5 + 2 + 5 + 1)
  expect(width({ obs: 'window', history: 6 })).toBe(6 * (5 + 2))
  expect(width({ obs: 'queue', arrivalProb: 0.5 })).toBe(1)
})
