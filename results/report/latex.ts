/** Tables for papers: booktabs, nothing else needed. */
import { AGGREGATE_NOTE, SPARSITY_HEAD, SPARSITY_NOTE, figure, groupTitle, rankCell, sparsityCells } from './format.ts'
import { type Report } from './model.ts'
import { type Interval } from '../statistics.ts'

const SIGNS: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '{': '\\{',
  '}': '\\}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '−': '$-$',
  '–': '--',
  '×': '$\\times$',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '…': '\\ldots{}',
}

/** Text with everything that TeX would take for a command written out; what is not Latin is left to the engine. */
export function tex(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').replace(/[\\{}~^−–×<>…]|[#$%&_]/g, (sign) => SIGNS[sign] ?? `\\${sign}`)
}

const range = (interval: Interval | null): string =>
  interval === null ? '' : ` {\\scriptsize [${tex(figure(interval.low))}, ${tex(figure(interval.high))}]}`

function tabular(columns: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `    ${cells.join(' & ')} \\\\`
  return [
    `  \\begin{tabular}{${columns}}`,
    '    \\toprule',
    line(head),
    '    \\midrule',
    ...rows.map(line),
    '    \\bottomrule',
    '  \\end{tabular}',
  ].join('\n')
}

const float = (caption: string, body: string): string =>
  `\\begin{table}\n  \\centering\n  \\caption{${caption}}\n${body}\n\\end{table}`

export function reportLatex(report: Report): string {
  const parts = ['% \\usepackage{booktabs}']
  for (const note of report.notes) parts.push(`% ${note.replace(/[\r\n]+/g, ' ')}`)
  for (const group of report.groups) {
    const rows = group.rows.map(({ entry, rank, values, intervals, runs }) => [
      tex(entry),
      tex(rankCell(rank)),
      `${tex(figure(values.iqm))}${range(intervals?.iqm ?? null)}`,
      `${tex(figure(values.median))}${range(intervals?.median ?? null)}`,
      `${tex(figure(values.mean))}${range(intervals?.mean ?? null)}`,
      `${tex(figure(values.optimalityGap))}${range(intervals?.optimalityGap ?? null)}`,
      String(runs),
    ])
    const head = ['', 'Rank', 'IQM', 'Median', 'Mean', 'Optimality gap', 'Runs']
    parts.push(float(`${tex(groupTitle(group))}. ${tex(AGGREGATE_NOTE)}`, tabular('lcccccr', head, rows)))
  }
  const { entries, tasks } = report
  const rows = tasks.map((task) => [
    tex(task.id),
    ...entries.map(({ name }) => {
      const row = task.rows.find(({ entry }) => entry === name)
      return row === undefined ? '--' : `${tex(figure(row.mean))}${range(row.interval)}`
    }),
  ])
  const protocols = [...new Set(tasks.map(({ protocol }) => protocol))]
  const caption = `Return by task with 95\\,\\% bootstrap intervals over runs. Measured: ${tex(protocols.join('; or '))}.`
  parts.push(float(caption, tabular(`l${'r'.repeat(entries.length)}`, ['Task', ...entries.map(({ name }) => tex(name))], rows))) // prettier-ignore
  for (const task of tasks.filter(({ sparsity }) => sparsity.length > 0)) {
    const cells = task.sparsity.map((row) => sparsityCells(row).map(tex))
    parts.push(float(`${tex(task.id)}. ${tex(SPARSITY_NOTE)}`, tabular('llrrrrrr', SPARSITY_HEAD, cells)))
  }
  return `${parts.join('\n')}\n`
}
