/**
 * A report as one file that needs nothing else: no scripts, no fonts, no pictures from elsewhere, and a policy in the page
 * that forbids them. The one style sheet is allowed by its hash.
 */
import { createHash } from 'node:crypto'
import {
  AGGREGATE_NOTE,
  SPARSITY_HEAD,
  SPARSITY_NOTE,
  durationText,
  figure,
  groupTitle,
  intervalText,
  rankCell,
  sparsityCells,
  stepsText,
} from './format.ts'
import { type Curve, type GroupReport, type Report, type TaskReport } from './model.ts'
import { DASHES, KINDS, escaped, intervalChart, lineChart } from './svg.ts'

const LIGHT = ['#0072b2', '#b35900', '#00785a', '#a8467c', '#3f6f9f', '#8a6d00', '#5c6470', '#1c1f24']
const DARK = ['#56b4e9', '#e69f00', '#2cc79a', '#e39ac6', '#9cc4f0', '#f0e442', '#9aa3af', '#e8e6e1']

const colours = (values: readonly string[]): string => values.map((value, k) => `--k${k}: ${value};`).join(' ')
const kinds = DASHES.map((_, k) => `.k${k} { --k: var(--k${k}) }`).join('\n')

const STYLE = `
:root { --background: #fbfaf7; --surface: #fff; --ink: #1c1f24; --muted: #5c6470; --line: #e2e0da; --accent: #2f5f9f; ${colours(LIGHT)} color-scheme: light dark }
@media (prefers-color-scheme: dark) { :root { --background: #14161a; --surface: #1c1f25; --ink: #e8e6e1; --muted: #9aa3af; --line: #2b2f37; --accent: #7aa7e6; ${colours(DARK)} } }
* { box-sizing: border-box }
body { margin: 0; background: var(--background); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .5rem } h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem } h3 { font-size: 1rem; margin: 1.5rem 0 .25rem }
p, ul { margin: .5rem 0 } ul { padding-left: 1.2rem }
.small, figcaption { color: var(--muted); font-size: .85rem }
a { color: var(--accent) }
.wide { overflow-x: auto; margin: .75rem 0; border: 1px solid var(--line); border-radius: 6px; background: var(--surface) }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { padding: .35rem .6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap }
th:first-child, td:first-child, .words { text-align: left }
tr:last-child td { border-bottom: 0 }
th { font-weight: 600; color: var(--muted); font-size: .8rem } td small { display: block; color: var(--muted) }
figure { margin: 1rem 0; padding: .75rem; border: 1px solid var(--line); border-radius: 6px; background: var(--surface) }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif }
.grid { stroke: var(--line) } .mark { stroke: var(--muted); stroke-dasharray: 1 4 } .tick { fill: var(--muted) } .axis, .name { fill: var(--ink) }
.line { fill: none; stroke: var(--k); stroke-width: 2 } .band { fill: var(--k); opacity: .15 } .dot { fill: var(--k) } .whisker { stroke: var(--k); stroke-width: 4; opacity: .55 }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; padding: 0; margin: 0 0 .5rem; font-size: .85rem }
.legend svg { display: inline-block; width: 34px; height: 10px; margin-right: .4rem; vertical-align: middle }
details { margin: .75rem 0 } summary { cursor: pointer; font-weight: 600 }
.tasks { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: 0 1rem } .tasks figure { margin: .5rem 0 }
code { font: .85em ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .75rem; margin: .5rem 0 } dt { color: var(--muted) } dd { margin: 0; overflow-wrap: anywhere }
@media (max-width: 40rem) { svg { font-size: 17px } .side { display: none } dl { grid-template-columns: 1fr } dd { margin-bottom: .4rem } th, td { padding: .35rem .45rem } }
@media print { .wide { overflow: visible } figure, tr { break-inside: avoid } }
${kinds}
`

/** What a server that hands the file out should send, and what the file says itself. */
export const REPORT_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`

type Cell = string | { readonly html: string }
const html = (cell: Cell): string => (typeof cell === 'string' ? escaped(cell) : cell.html)

function table(head: readonly string[], rows: readonly (readonly Cell[])[], words: readonly number[] = []): string {
  const kind = (k: number) => (words.includes(k) ? ' class="words"' : '')
  const line = (cells: readonly Cell[]) => `<tr>${cells.map((cell, k) => `<td${kind(k)}>${html(cell)}</td>`).join('')}</tr>` // prettier-ignore
  return `<div class="wide" tabindex="0" role="region" aria-label="${escaped(head.filter((title) => title !== '').slice(0, 3).join(', '))}"><table><thead><tr>${head.map((title, k) => `<th scope="col"${kind(k)}>${escaped(title)}</th>`).join('')}</tr></thead><tbody>${rows.map(line).join('')}</tbody></table></div>` // prettier-ignore
}

/** A value with its interval under it. */
function measured(value: number, interval: { readonly low: number; readonly high: number } | null): Cell {
  if (interval === null) return figure(value)
  return { html: `${escaped(figure(value))} <small>${escaped(intervalText(interval))}</small>` }
}

export interface HtmlOptions {
  /** Bytes of a replay to carry inside the page, or undefined to link to its file. */
  readonly embed?: (path: string) => Uint8Array | undefined
}

export function reportHtml(report: Report, options: HtmlOptions = {}): string {
  const kindOf = new Map(report.entries.map(({ name }, k) => [name, k % KINDS]))
  const kind = (name: string) => kindOf.get(name) ?? 0
  const notes = report.notes.map((note) => `<li>${escaped(note)}</li>`).join('')
  const body = [
    `<h1>${escaped(report.title)}</h1>`,
    `<p>${report.entries.length} ${report.entries.length === 1 ? 'algorithm' : 'algorithms'}, ${report.tasks.length} ${report.tasks.length === 1 ? 'task' : 'tasks'}, seeds ${escaped(report.seeds.join(', '))}.</p>`, // prettier-ignore
    notes === '' ? '' : `<h2>Before you compare</h2><ul>${notes}</ul>`,
    ...report.groups.map((group) => groupHtml(group, kind)),
    tasksHtml(report.tasks, kind),
    worstHtml(report, options),
    entriesHtml(report),
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${REPORT_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(report.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body.filter((part) => part !== '').join('\n')}
</main>
</body>
</html>
`
}

type KindOf = (entry: string) => number

function legend(names: readonly string[], kind: KindOf): string {
  const items = names.map((name) => {
    const dash = DASHES[kind(name)]
    return `<li><svg viewBox="0 0 34 10" aria-hidden="true"><path class="line k${kind(name)}"${dash === '' ? '' : ` stroke-dasharray="${dash}"`} d="M0 5L34 5"/></svg>${escaped(name)}</li>` // prettier-ignore
  })
  return `<ul class="legend">${items.join('')}</ul>`
}

const figureHtml = (legendText: string, chart: string, caption: string): string =>
  `<figure>${legendText}${chart}<figcaption>${escaped(caption)}</figcaption></figure>`

function groupHtml(group: GroupReport, kind: KindOf): string {
  const { rows, profiles, curves, thresholds, improvement, partial } = group
  const title = groupTitle(group)
  const parts = [`<h2>${escaped(title)}</h2>`]
  if (partial.length > 0) parts.push(`<p class="small">Not on all of these tasks, so not in these aggregates: ${escaped(partial.join(', '))}.</p>`) // prettier-ignore
  if (rows.length === 0) return parts.join('\n')
  parts.push(
    table(
      ['Algorithm', 'Rank', 'IQM', 'Median', 'Mean', 'Optimality gap', 'Runs'],
      rows.map(({ entry, rank, values, intervals, runs }) => [
        entry,
        rankCell(rank),
        measured(values.iqm, intervals?.iqm ?? null),
        measured(values.median, intervals?.median ?? null),
        measured(values.mean, intervals?.mean ?? null),
        measured(values.optimalityGap, intervals?.optimalityGap ?? null),
        String(runs),
      ]),
    ),
    `<p class="small">${escaped(AGGREGATE_NOTE)}</p>`,
  )
  const forest = rows.map(({ entry, values, intervals }) => ({ name: entry, kind: kind(entry), value: values.iqm, interval: intervals?.iqm ?? null })) // prettier-ignore
  const names = profiles.map(({ entry }) => entry)
  if (rows.length > 1) {
    parts.push(figureHtml('', intervalChart(`IQM, ${title}`, forest, 'IQM of normalised scores', [0, 1]), 'IQM with its 95 % interval.')) // prettier-ignore
  }
  if (curves.length > 0 && curves.some(({ steps }) => steps.length > 1)) {
    const series = curves.map((curve) => ({ ...seriesOf(curve, kind), interval: curve.interval }))
    const chart = lineChart({ title: `Sample efficiency, ${title}`, xLabel: 'environment steps, over all lanes', yLabel: 'IQM', series, xIsSteps: true, marks: [{ y: 0, text: 'random' }] }) // prettier-ignore
    parts.push(figureHtml(legend(curves.map(({ entry }) => entry), kind), chart, 'Sample efficiency: IQM of normalised evaluation returns along training; bands are pointwise 95 % intervals.')) // prettier-ignore
  }
  const chart = lineChart({
    title: `Performance profiles, ${title}`,
    xLabel: 'normalised score τ',
    yLabel: 'share of runs above τ',
    yRange: [0, 1],
    series: profiles.map(({ entry, share, interval }) => ({ name: entry, kind: kind(entry), x: thresholds, y: share, interval, stairs: true })), // prettier-ignore
  })
  parts.push(figureHtml(legend(names, kind), chart, 'Performance profiles: share of runs × tasks with a score strictly above τ; bands are pointwise 95 % intervals.')) // prettier-ignore
  if (improvement.length > 0) {
    parts.push(
      `<details${improvement.length <= 6 ? ' open' : ''}><summary>Probability of improvement</summary>`,
      table(['X > Y', 'P', '95 %', 'Verdict'], improvement.map(({ x, y, p, interval, verdict }) => [`${x} > ${y}`, figure(p), intervalText(interval), verdict]), [3]), // prettier-ignore
      '<p class="small">Chance that a run of X scores above a run of Y, mean over tasks, ties half. “better” only when the whole interval is above 0.5; “meaningful” when it also reaches 0.75.</p></details>', // prettier-ignore
    )
  }
  return parts.join('\n')
}

const seriesOf = ({ entry, steps, value }: Curve, kind: KindOf) => ({
  name: entry,
  kind: kind(entry),
  x: steps,
  y: value,
})

function tasksHtml(tasks: readonly TaskReport[], kind: KindOf): string {
  const parts = tasks.map((task) => {
    const { reference, rows, curves } = task
    const known = reference === null ? '' : ` Reference: ${reference.random === undefined ? '' : `random ${figure(reference.random)}`}${reference.best === undefined ? '' : `, best known ${figure(reference.best)}`}${reference.source === undefined ? '' : ` (${reference.source})`}.` // prettier-ignore
    const lines = table(
      ['Algorithm', 'Rank', 'Return', 'Range of runs', 'Runs'],
      rows.map(({ entry, rank, mean, interval, low, high, runs }) => [entry, rankCell(rank), measured(mean, interval), `${figure(low)} to ${figure(high)}`, String(runs)]), // prettier-ignore
    )
    const flat = rows.filter(({ entry }) => !curves.some((curve) => curve.entry === entry))
    const chart =
      curves.length === 0 || curves.every(({ steps }) => steps.length < 2)
        ? ''
        : figureHtml(
            legend(curves.map(({ entry }) => entry), kind), // prettier-ignore
            lineChart({
              title: `Return along training, ${task.id}`,
              xLabel: 'environment steps, over all lanes',
              yLabel: task.returnIs === 'mean over agents' ? 'return (mean over agents)' : 'return (sum over agents)',
              series: curves.map((curve) => ({ ...seriesOf(curve, kind), interval: curve.interval })),
              marks: flat.filter(({ mean }) => Number.isFinite(mean)).map(({ entry, mean }) => ({ y: mean, text: entry })), // prettier-ignore
              width: 480,
              height: 240,
              xIsSteps: true,
            }),
            'Mean over runs of the evaluation returns; bands are pointwise 95 % intervals.',
          )
    const sparse = task.sparsity.length === 0 ? '' : `${table(SPARSITY_HEAD, task.sparsity.map(sparsityCells), [1])}<p class="small">${escaped(SPARSITY_NOTE)}</p>` // prettier-ignore
    return `<section><h3>${escaped(task.id)}</h3>${lines}${chart}${sparse}<p class="small">${escaped(`Measured: ${task.protocol}.${known} ${task.env} version ${task.version}, scenario ${task.scenarioHash.slice(0, 12)}.`)}</p></section>` // prettier-ignore
  })
  return `<h2>Tasks</h2><div class="tasks">${parts.join('\n')}</div>`
}

function worstHtml({ worst }: Report, { embed }: HtmlOptions): string {
  if (worst.length === 0) return ''
  const rows = worst.map((episode): Cell[] => {
    const bytes = embed?.(episode.replay)
    const name = episode.replay.slice(episode.replay.lastIndexOf('/') + 1)
    const href = bytes === undefined ? encodeURI(episode.replay).replaceAll('#', '%23').replaceAll('?', '%3F') : `data:application/octet-stream;base64,${Buffer.from(bytes).toString('base64')}` // prettier-ignore
    const file = `${episode.entry}-${episode.scenario}-seed${episode.seed}-${name}`.replace(/[^\w.-]+/g, '-')
    return [
      episode.scenario,
      episode.entry,
      episode.seed,
      String(episode.episode),
      figure(episode.return),
      figure(episode.mean),
      { html: `<a href="${escaped(href)}" download="${escaped(file)}">${escaped(name)}</a>` },
    ]
  })
  const lines = table(['Task', 'Algorithm', 'Seed', 'Episode', 'Return', 'Mean of the run', 'Replay'], rows, [1, 6])
  const folded = rows.length <= 24 ? lines : `<details><summary>${rows.length} episodes</summary>${lines}</details>`
  return `<h2>Worst episodes</h2><p>The lowest returns among the episodes of the absolute metric. Watch one with <code>troupe watch &lt;file&gt;</code>, check it with <code>troupe verify &lt;file&gt;</code>.</p>${folded}` // prettier-ignore
}

function entriesHtml(report: Report): string {
  const parts = report.entries.map((entry) => {
    const settings = Object.entries(entry.settings).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    const facts: [string, string][] = [
      ['Policy', `${entry.manner}${entry.privileged ? ', sees the whole world' : ''}`],
      ...(entry.paper === '' ? [] : [['From', entry.paper] as [string, string]]),
      ...(entry.learned
        ? ([
            ['Training', `${stepsText(entry.steps)} environment steps over all lanes, ${stepsText(Math.round(entry.stepsPerSecond))} per second`], // prettier-ignore
            ['Settings', settings.join(', ')],
          ] as [string, string][])
        : []),
      ['Runs', `${entry.runs}${entry.diverged > 0 ? `, of which ${entry.diverged} diverged` : ''}, ${durationText(entry.seconds)} in all`], // prettier-ignore
      ['Computed on', entry.hardware.join('; ')],
      ['Package', `troupe ${entry.packages.join(', ')}`],
      ['Evidence', 'claimed by the one who ran it; replays can be checked by anyone'],
    ]
    const list = facts.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join('')
    return `<details><summary>${escaped(entry.name)}</summary><dl>${list}</dl></details>`
  })
  return `<h2>How it was measured</h2>${parts.join('\n')}<p class="small">Bootstrap: ${report.replicates.toLocaleString('en-US')} replicates for aggregates, from a generator with a fixed seed: the same records give the same report.</p>` // prettier-ignore
}
