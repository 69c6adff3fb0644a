/** The pages of the embedded games say what the code says. `UPDATE_README=1 npx vitest run envs/matrix/embedded` rewrites. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type TSchema } from '#typebox'
import * as coin from './coin/index.ts'
import { ACTIONS as COIN_ACTIONS } from './coin/rules.ts'
import * as storm from './storm/index.ts'
import { INVENTORY, LAYERS as STORM_LAYERS } from './storm/observe.ts'
import { ACTIONS as STORM_ACTIONS } from './storm/rules.ts'

const code = (text: unknown) => `\`${typeof text === 'string' ? text : JSON.stringify(text)}\``
const listed = (names: readonly string[]) => names.map((name, i) => `${i} ${code(name)}`).join(', ')

function options(properties: Record<string, TSchema>): string {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const range = schema.minimum === undefined ? '' : ` ${schema.minimum} to ${schema.maximum}`
    return `| ${code(name)} | ${code(schema.default)} |${range} | ${schema.description} |`
  })
  return ['| option | default | range | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

const MEANINGS: Record<string, string> = {
  ownShare: 'share of taken coins that were of the own colour',
  coins: 'coins taken by both',
  ownCoins0: 'coins of its own colour that agent_0 took',
  ownCoins1: 'the same for agent_1',
  otherCoins0: "coins of the other's colour that agent_0 took",
  otherCoins1: 'the same for agent_1',
  interactions: 'meetings that paid',
  shareA0: 'mean share of type A in the inventory of agent_0 at meetings',
  shareA1: 'the same for agent_1',
}

const metrics = (names: readonly string[]) =>
  ['| metric | meaning |', '| --- | --- |', ...names.map((name) => `| ${code(name)} | ${MEANINGS[name]} |`)].join('\n')

const PAGES: [string, Record<string, string>][] = [
  [
    './coin/README.md',
    {
      options: `\n${options(coin.OPTIONS.properties)}\n`,
      layers: listed(coin.LAYERS),
      actions: listed(COIN_ACTIONS),
      metrics: `\n${metrics(coin.METRICS)}\n`,
    },
  ],
  [
    './storm/README.md',
    {
      options: `\n${options(storm.OPTIONS.properties)}\n`,
      layers: listed(STORM_LAYERS),
      inventory: listed(INVENTORY),
      actions: listed(STORM_ACTIONS),
      metrics: `\n${metrics(storm.METRICS)}\n`,
    },
  ],
]

test.each(PAGES)('%s is current', (path, sections) => {
  const file = new URL(path, import.meta.url)
  for (const [name, text] of Object.entries(sections)) {
    const page = readFileSync(file, 'utf8')
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
    const from = page.indexOf(open) + open.length
    const to = page.indexOf(close)
    expect(from, name).toBeGreaterThan(open.length)
    expect(text).not.toContain('undefined')
    if (process.env.UPDATE_README === '1') writeFileSync(file, `${page.slice(0, from)}${text}${page.slice(to)}`)
    else expect(page.slice(from, to).replace(/\s+/g, ' '), name).toBe(text.replace(/\s+/g, ' '))
  }
})
