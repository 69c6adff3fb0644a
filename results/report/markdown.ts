/** A report as Markdown (tables of GitHub's kind), for notes and pull requests. */
import {
  AGGREGATE_NOTE,
  SPARSITY_HEAD,
  SPARSITY_NOTE,
  figure,
  groupTitle,
  intervalText,
  rankCell,
  sparsityCells,
  stepsText,
} from './format.ts'
import { type Report } from './model.ts'

/** Text that Markdown and HTML leave alone. */
function plain(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').replace(/[\\`*_[\]<>|#~&]/g, (sign) => `\\${sign}`)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = head.map((_, k) => (k === 0 ? '---' : '---:'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

export function reportMarkdown(report: Report): string {
  const parts = [`# ${plain(report.title)}`]
  if (report.notes.length > 0) parts.push(report.notes.map((note) => `- ${plain(note)}`).join('\n'))
  for (const group of report.groups) {
    parts.push(`## ${plain(groupTitle(group))}`)
    parts.push(
      table(
        ['algorithm', 'rank', 'IQM', '95 %', 'median', 'mean', 'optimality gap', 'runs'],
        group.rows.map(({ entry, rank, values, intervals, runs }) => [
          plain(entry),
          rankCell(rank),
          figure(values.iqm),
          intervalText(intervals?.iqm ?? null),
          figure(values.median),
          figure(values.mean),
          figure(values.optimalityGap),
          String(runs),
        ]),
      ),
    )
    parts.push(plain(AGGREGATE_NOTE))
    if (group.improvement.length > 0) {
      parts.push(
        table(
          ['P(X > Y)', 'value', '95 %', 'verdict'],
          group.improvement.map(({ x, y, p, interval, verdict }) => [
            `${plain(x)} > ${plain(y)}`,
            figure(p),
            intervalText(interval),
            verdict,
          ]),
        ),
      )
    }
  }
  parts.push('## Tasks')
  for (const task of report.tasks) {
    parts.push(`### ${plain(task.id)}`)
    parts.push(
      table(
        ['algorithm', 'rank', `return (${task.returnIs})`, '95 %', 'lowest run', 'highest run', 'runs'],
        task.rows.map(({ entry, rank, mean, interval, low, high, runs }) => [
          plain(entry),
          rankCell(rank),
          figure(mean),
          intervalText(interval),
          figure(low),
          figure(high),
          String(runs),
        ]),
      ),
    )
    parts.push(plain(`Measured: ${task.protocol}.`))
    if (task.sparsity.length > 0) {
      parts.push(plain(SPARSITY_NOTE))
      parts.push(table(SPARSITY_HEAD, task.sparsity.map((row) => sparsityCells(row).map(plain)))) // prettier-ignore
    }
  }
  parts.push('## Who was measured')
  parts.push(
    table(
      ['algorithm', 'policy', 'steps', 'runs', 'settings'],
      report.entries.map((entry) => [
        plain(entry.name),
        `${entry.manner}${entry.privileged ? ', sees the whole world' : ''}`,
        entry.learned ? stepsText(entry.steps) : '–',
        String(entry.runs),
        plain(Object.entries(entry.settings).map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(' ')) || '–', // prettier-ignore
      ]),
    ),
  )
  return `${parts.join('\n\n')}\n`
}
