/**
 * The page of records and that of the learners say what the records of learners hold.
 * `UPDATE_README=1 npx vitest run results/learner-records.test.ts` rewrites their tables.
 */
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LEARNERS } from '../agents/index.ts'
import { readRecord, type ResultRecord } from './record.ts'
import { meanOf } from './statistics.ts'

const folder = join(import.meta.dirname, 'records')
const RECORDS = join(folder, 'README.md')
const LEARNERS_PAGE = join(import.meta.dirname, '../agents/README.md')

interface Runs {
  readonly set: string
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
        all.push({ set, scenario: `${env}/${name}`, algorithm, records })
      }
    }
  }
  return inOrder(all)
}

const inOrder = (all: readonly Runs[]) =>
  [...all].sort((a, b) => (a.scenario < b.scenario ? -1 : a.scenario > b.scenario ? 1 : scoreOf(b) - scoreOf(a)))

/** Runs on larger worlds: those that many seeds could be afforded of, and the long one of a single seed. */
const large = () => inOrder(['learned', 'showcase'].flatMap(runsOf))

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

function shows(mark: string, lines: readonly string[], file = RECORDS) {
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
  const rows = large().map((runs) => {
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

test('how far learners are behind warehouse-greedy is what their records say', () => {
  const rows = large()
    .filter(({ scenario }) => scenario.startsWith('warehouse/'))
    .map((runs) => {
      const { random, best, source } = runs.records[0].scenario.reference!
      expect(source).toContain('warehouse-greedy')
      const share = (100 * scoreOf(runs)) / best!
      return `| \`${runs.scenario}\` | ${runs.algorithm} | ${runs.records.length} | ${runs.records[0].steps.total.toLocaleString('en-US')} | ${spread(returns(runs))} | ${short(random!)} | ${short(best!)} | ${short(best! - scoreOf(runs))} (${share.toFixed(1)} % of it) |` // prettier-ignore
    })
  shows('warehouse', [
    '| scenario | learner | seeds | steps | deliveries | random | warehouse-greedy | gap |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
  ])
})

test('what pruning costs is what the records say', () => {
  const dense = runsOf('learned').find((runs) => runs.scenario === 'spectrum/dsa-3u2c' && runs.algorithm === 'iagc')!
  const pruned = readdirSync(folder)
    .filter((set) => set.startsWith('sparsity-'))
    .flatMap((set) => {
      const runs = runsOf(set)
      for (const { records } of runs)
        for (const { settings } of records)
          expect(set).toMatch(new RegExp(`^sparsity-${String(settings.sparsity)}(-|$)`))
      return runs
    })
  expect(new Set(pruned.map(({ records }) => records[0].settings.sparsity))).toEqual(new Set([0.5, 0.8, 0.9, 0.95]))
  // The best checkpoint of older records may be one from before the masks were full; the last evaluation never is.
  const last = ({ records }: Runs) => records.map(({ evaluations }) => evaluations.at(-1)!.return.mean)
  const rows = [dense, ...pruned].map((runs) => {
    const { sparsity, sparsitySchedule } = runs.records[0].settings
    const share = meanOf(last(runs)) / meanOf(last(dense))
    const schedule = sparsity === 0 ? '–' : String(sparsitySchedule)
    return `| ${String(sparsity)} | ${schedule} | ${runs.records.length} | ${spread(last(runs))} | ${(100 * share).toFixed(1)} % |`
  })
  shows('sparsity', ['| pruned | schedule | seeds | return | of the dense ones |', '|---|---|---|---|---|', ...rows])
})

test('records with their networks and replays fit in 15 MB', () => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  expect(files.length).toBeGreaterThan(500)
  expect(bytes).toBeLessThan(15e6)
})

/** What a learner finds for itself. */
const FOUND = ['shards', 'scheduleSteps']

/** Settings that came later, as they were before, where their default is another now. Older records lack them. */
const BEFORE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = Object.fromEntries(
  ['iql', 'vdn', 'qmix'].map((name) => [name, { init: 'orthogonal' }]),
)

/** The words that make these runs again: the settings that are not the defaults of now, and the protocol. */
function commandOf({ set, scenario, algorithm, records }: Runs): string {
  const [first] = records
  const { steps, protocol, absolute } = first
  const seeds = records.map(({ seed }) => Number(seed)).sort((a, b) => a - b)
  expect(seeds, `${set} ${scenario} ${algorithm}: seeds in a row`).toEqual(seeds.map((_, k) => seeds[0] + k))
  const fields = LEARNERS[algorithm].settings.properties as Record<string, { readonly default?: unknown }>
  const changedIn = ({ settings }: ResultRecord) =>
    Object.entries({ ...BEFORE[algorithm], ...settings }).filter(
      ([name, value]) => !FOUND.includes(name) && name in fields && value !== fields[name].default,
    )
  const changed = changedIn(first)
  for (const record of records) expect(changedIn(record)).toEqual(changed)
  const networks = existsSync(join(folder, set, scenario, algorithm, `seed-${seeds[0]}`, 'best'))
  return [
    `npx troupe bench ${scenario} --algorithms ${algorithm} --seeds ${seeds.length}`,
    ...(seeds[0] === 1 ? [] : [`--first-seed ${seeds[0]}`]),
    `--steps ${steps.requested} --evaluations ${protocol.points} --evaluation-episodes ${protocol.episodes}`,
    `--absolute-episodes ${protocol.absoluteEpisodes} --replays ${absolute!.replays.length}`,
    ...changed.map(
      ([name, value]) => `--set ${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
    ),
    `--keep ${networks ? 'weights' : 'records'} --out results/records/${set}`,
  ].join(' ')
}

/** Breaks a command into lines of at most so many signs. */
function wrapped(command: string, width = 138): string[] {
  const lines: string[] = []
  for (const word of command.split(/ (?=--)/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length + 3 <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(lines.length === 0 ? word : `  ${word}`)
  }
  return lines.map((line, k) => (k + 1 < lines.length ? `${line} \\` : line))
}

/** Sets with learners, in the order in which pages list them. */
const SETS = [
  'learned',
  'showcase',
  'values',
  'games',
  ...readdirSync(folder)
    .filter((set) => set.startsWith('sparsity-'))
    .sort(),
]

test('the page of every learner that is on record has its scores, with seeds and the words that make them', () => {
  const all = SETS.flatMap(runsOf)
  const text = readFileSync(LEARNERS_PAGE, 'utf8')
  const places = [...text.matchAll(/<!-- (scores [\w -]+?) -->/g)].map(([, mark]) => mark)
  const told = places.flatMap((mark) => mark.split(' ').slice(1))
  expect([...told].sort()).toEqual([...new Set(all.map(({ algorithm }) => algorithm))].sort())
  for (const mark of places) {
    const own = all.filter(({ algorithm }) => mark.split(' ').slice(1).includes(algorithm))
    const rows = own.map((runs) => {
      const { sparsity, sparsitySchedule } = runs.records[0].settings
      const pruned = runs.set.startsWith('sparsity-') ? `, ${String(sparsitySchedule)}, ${String(sparsity)} masked` : ''
      const seconds = runs.records.map((record) => record.seconds).sort((a, b) => a - b)
      return `| \`${runs.scenario}\` | ${runs.algorithm}${pruned} | ${runs.records.length} | ${runs.records[0].steps.total.toLocaleString('en-US')} | ${Math.round(seconds[seconds.length >> 1])} s | ${spread(returns(runs))} | ${won(runs)} |` // prettier-ignore
    })
    shows(
      mark,
      [
        '',
        '| scenario | learner | seeds | steps | a run took | return | episodes won |',
        '|---|---|---|---|---|---|---|',
        ...rows,
        '',
        '<details><summary>The words that make them</summary>',
        '',
        '```sh',
        ...own.flatMap((runs) => wrapped(commandOf(runs))),
        '```',
        '',
        '</details>',
        '',
      ],
      LEARNERS_PAGE,
    )
  }
})
