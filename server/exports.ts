/** Boards and submissions as files: CSV that no spreadsheet executes, JSON, Markdown, LaTeX, marl-eval, a badge. */
import { csv } from '../results/report/csv.ts'
import { tex } from '../results/report/latex.ts'
import { rankText } from '../results/statistics.ts'
import { type BoardRow, type Submission } from './protocol/rest.ts'
import { type EpisodeRecord } from './store/store.ts'

/** Columns of a board; new ones go to the end. */
export const BOARD_COLUMNS = [
  'scenario',
  'scenario_hash',
  'rank',
  'rank_best',
  'rank_worst',
  'standing',
  'level',
  'name',
  'authors',
  'algorithm',
  'recipe',
  'training_seed',
  'mode',
  'centralised',
  'privileged',
  'mean',
  'iqm',
  'std',
  'interval_low',
  'interval_high',
  'standard_error',
  'episodes',
  'runs',
  'training_steps',
  'training_seconds',
  'device',
  'disputed',
  'flags',
  'reason',
  'published_at',
  'log',
  'entry',
] as const

export interface BoardOf {
  readonly scenario: string
  readonly hash: string
}

export function boardCsv({ scenario, hash }: BoardOf, rows: readonly BoardRow[]): string {
  const lines = rows.map((row) => [
    scenario,
    hash,
    row.rank?.rank,
    row.rank?.best,
    row.rank?.worst,
    row.standing,
    row.level,
    row.name,
    row.authors,
    row.algorithm,
    row.recipe,
    row.trainingSeed,
    row.mode,
    String(row.centralised),
    String(row.privileged),
    row.score?.mean,
    row.score?.iqm,
    row.score?.std,
    row.score?.interval?.[0],
    row.score?.interval?.[1],
    row.score?.error,
    row.episodes,
    row.runs.join(' '),
    row.compute?.steps,
    row.compute?.seconds,
    row.compute?.device,
    String(row.disputed),
    row.flags.join('; '),
    row.reason,
    row.publishedAt,
    row.log,
    row.id,
  ])
  return csv([[...BOARD_COLUMNS], ...lines])
}

export const SUBMISSION_COLUMNS = [
  'id',
  'scenario',
  'level',
  'name',
  'state',
  'created_at',
  'since',
  'until',
  'queue_position',
  'episodes_done',
  'episodes',
  'failure_code',
  'failure',
  'failure_episode',
  'failure_step',
] as const

export function submissionsCsv(rows: readonly Submission[]): string {
  const lines = rows.map((row) => [
    row.id,
    row.scenario,
    row.level,
    row.name,
    row.state,
    row.createdAt,
    row.since,
    row.until,
    row.queuePosition,
    row.progress.done,
    row.progress.of,
    row.failure?.code,
    row.failure?.message,
    row.failure?.episode,
    row.failure?.step,
  ])
  return csv([[...SUBMISSION_COLUMNS], ...lines])
}

const figure = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(Number(value.toPrecision(5)))

const cellsOf = (row: BoardRow): string[] => [
  row.rank === null ? row.standing : rankText(row.rank),
  row.name,
  row.algorithm,
  row.level,
  figure(row.score?.mean),
  row.score?.interval == null ? '' : `${figure(row.score.interval[0])} to ${figure(row.score.interval[1])}`,
  String(row.episodes),
  row.compute?.steps === undefined ? '' : String(row.compute.steps),
]
const HEAD = ['Rank', 'Name', 'Algorithm', 'Evidence', 'Mean return', '95 % interval', 'Episodes', 'Steps declared']

export function boardMarkdown({ scenario }: BoardOf, rows: readonly BoardRow[]): string {
  // Nothing in a cell may end it, open a tag or begin a link.
  const cell = (text: string) => text.replace(/[\r\n]+/g, ' ').replace(/[\\|<>[\]`*_]/g, (sign) => `\\${sign}`)
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [
    `## ${cell(scenario)}`,
    '',
    line(HEAD),
    `|${HEAD.map(() => '---|').join('')}`,
    ...rows.map((r) => line(cellsOf(r))),
    '',
  ].join('\n')
}

export function boardLatex({ scenario }: BoardOf, rows: readonly BoardRow[]): string {
  const line = (cells: readonly string[]) => `  ${cells.map(tex).join(' & ')} \\\\`
  return [
    `% ${scenario.replace(/[\r\n]+/g, ' ')}; \\usepackage{booktabs}`,
    '\\begin{tabular}{lllllllr}',
    '  \\toprule',
    line(HEAD),
    '  \\midrule',
    ...rows.map((row) => line(cellsOf(row))),
    '  \\bottomrule',
    '\\end{tabular}',
    '',
  ].join('\n')
}

/**
 * marl-eval's structure: environment > task > algorithm > run > step_0, absolute_metrics. A board knows one measurement
 * per run, so the only step is the declared end of training.
 */
export function boardMarlEval(
  env: string,
  task: string,
  runs: readonly { readonly row: BoardRow; readonly episodes: readonly EpisodeRecord[] }[],
): Record<string, unknown> {
  const algorithms: Record<string, Record<string, unknown>> = {}
  for (const { row, episodes } of runs) {
    const name = `${row.algorithm}${row.recipe === '' ? '' : ` ${row.recipe}`}`.replaceAll(',', ' ').toLowerCase()
    const known = (algorithms[name] ??= {})
    const returns = episodes.map((episode) => episode.return)
    known[`run_${Object.keys(known).length}`] = {
      step_0: { step_count: row.compute?.steps ?? 0, return: [row.score!.mean] },
      absolute_metrics: { return: returns },
    }
  }
  // Its loader wants as many runs of every algorithm.
  const least = Math.min(...Object.values(algorithms).map((some) => Object.keys(some).length))
  for (const some of Object.values(algorithms)) {
    for (const run of Object.keys(some).slice(least)) delete some[run]
  }
  return { [env.toLowerCase()]: { [task.slice(task.indexOf('/') + 1).toLowerCase()]: algorithms } }
}

const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, '')

/** A small picture for a README: scenario, mean, rank. No script, no style from outside. */
export function badge(scenario: string, row: BoardRow): string {
  const value =
    row.score === null
      ? row.standing
      : `${figure(row.score.mean)}${row.rank === null ? '' : ` · rank ${rankText(row.rank)}`}`
  const text = `${value} · ${row.level}`
  const left = 12 + 6.6 * scenario.length
  const right = 12 + 6.6 * text.length
  const width = Math.ceil(left + right)
  const colour = row.standing === 'ranked' ? '#1f6f43' : '#5b6470'
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${escaped(`${scenario}: ${text}`)}">` +
    `<rect width="${width}" height="20" rx="3" fill="#2b313a"/><rect x="${left}" width="${right}" height="20" rx="3" fill="${colour}"/>` +
    `<g fill="#fff" font-family="Verdana,sans-serif" font-size="11"><text x="6" y="14">${escaped(scenario)}</text>` +
    `<text x="${left + 6}" y="14">${escaped(text)}</text></g></svg>\n`
  )
}
