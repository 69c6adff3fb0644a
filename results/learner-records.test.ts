/**
 * The page of records says what the records of learners hold.
 * `UPDATE_README=1 npx vitest run results/learner-records.test.ts` rewrites its tables.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readRecord, type ResultRecord } from './record.ts'
import { meanOf } from './statistics.ts'

const folder = join(import.meta.dirname, 'records')

interface Runs {
  readonly scenario: string
  readonly algorithm: string
  readonly records: ResultRecord[]
}

/** Runs of `set`/<environment>/<scenario>/<algorithm>/seed-<n>, best mean first within a scenario. */
function runsOf(set: string): Runs[] {
  const all: Runs[] = []
  for (const env of readdirSync(join(folder, set))) {
    for (const name of readdirSync(join(folder, set, env))) {
      for (const algorithm of readdirSync(join(folder, set, env, name))) {
        const place = join(folder, set, env, name, algorithm)
        const records = readdirSync(place).map((seed) => readRecord(join(place, seed, 'record.json')))
        for (const { status } of records) expect([place, status]).toEqual([place, 'finished'])
        all.push({ scenario: `${env}/${name}`, algorithm, records })
      }
    }
  }
  return all.sort((a, b) => (a.scenario < b.scenario ? -1 : a.scenario > b.scenario ? 1 : scoreOf(b) - scoreOf(a)))
}

const returns = ({ records }: Runs) => records.map(({ absolute }) => absolute!.return.mean)
const scoreOf = (runs: Runs) => meanOf(returns(runs))
const short = (value: number) => String(Number(value.toFixed(2)))

/** Mean over runs, with the worst and the best of them. */
function spread(values: readonly number[]): string {
  return `${short(meanOf(values))} (${short(Math.min(...values))} to ${short(Math.max(...values))})`
}

function won({ records }: Runs): string {
  const shares = records.map(({ absolute }) => absolute!.metrics.won)
  return shares.some((share) => typeof share !== 'number')
    ? ''
    : `${spread((shares as number[]).map((share) => 100 * share))} %`
}

function shows(mark: string, lines: readonly string[]) {
  const file = join(folder, 'README.md')
  const text = readFileSync(file, 'utf8')
  const open = `<!-- ${mark} -->\n`
  const from = text.indexOf(open) + open.length
  const to = text.indexOf(`<!-- /${mark} -->`)
  expect(from).toBeGreaterThanOrEqual(open.length)
  const table = `${lines.join('\n')}\n`
  if (process.env.UPDATE_README === '1') writeFileSync(file, `${text.slice(0, from)}${table}${text.slice(to)}`)
  else expect(text.slice(from, to)).toBe(table)
}

test('what learners reach is what their records say', () => {
  const rows = runsOf('learned').map((runs) => {
    const [first] = runs.records
    const { random, best } = first.scenario.reference ?? {}
    const minutes = runs.records.map(({ seconds }) => seconds / 60).sort((a, b) => a - b)
    const cells = [
      `\`${runs.scenario}\``,
      runs.algorithm,
      runs.records.length,
      first.steps.total.toLocaleString('en-US'),
      short(minutes[minutes.length >> 1]),
      spread(returns(runs)),
      won(runs),
      random === undefined ? '' : short(random),
      best === undefined ? '' : short(best),
    ]
    return `| ${cells.join(' | ')} |`
  })
  shows('learners', [
    '| scenario | learner | seeds | steps | minutes | return | episodes won | random | best scripted |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows,
  ])
})

test('what a skirmish gives to those who do not look is what the records of the open loop say', () => {
  const all = runsOf('learned').filter(({ scenario }) => scenario.startsWith('skirmish/'))
  const rows = all
    .filter(({ algorithm }) => algorithm === 'open-loop')
    .map((floor) => {
      const { random } = floor.records[0].scenario.reference ?? {}
      const best = all.find(({ scenario, algorithm }) => scenario === floor.scenario && algorithm !== 'open-loop')
      const seeing = best === undefined ? '' : `${best.algorithm}: ${won(best)}`
      return `| \`${floor.scenario}\` | ${floor.records.length} | ${won(floor)} | ${spread(returns(floor))} | ${random === undefined ? '' : short(random)} | ${seeing} |` // prettier-ignore
    })
  shows('floors', [
    '| scenario | seeds | episodes won | return | random | won by the best learner here that looks |',
    '|---|---|---|---|---|---|',
    ...rows,
  ])
})

test('what pruning costs is what the records say', () => {
  const dense = runsOf('learned').find((runs) => runs.scenario === 'spectrum/dsa-3u2c' && runs.algorithm === 'iagc')!
  const levels: [string, Runs][] = [['0', dense]]
  for (const set of readdirSync(folder).sort()) {
    if (!set.startsWith('sparsity-')) continue
    const level = set.slice('sparsity-'.length)
    const [runs] = runsOf(set)
    for (const { settings } of runs.records) expect(settings.sparsity).toBe(Number(level))
    levels.push([level, runs])
  }
  expect(levels).toHaveLength(5)
  // The best checkpoint may be one from before the masks were full; the last evaluation never is.
  const last = ({ records }: Runs) => records.map(({ evaluations }) => evaluations.at(-1)!.return.mean)
  const rows = levels.map(([level, runs]) => {
    const share = meanOf(last(runs)) / meanOf(last(dense))
    return `| ${level} | ${runs.records.length} | ${spread(last(runs))} | ${(100 * share).toFixed(1)} % |`
  })
  shows('sparsity', ['| pruned | seeds | return | of the dense ones |', '|---|---|---|---|', ...rows])
})
