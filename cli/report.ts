/** `troupe report`: tables and plots of records, as HTML, Markdown, LaTeX, CSV and for marl-eval. */
import { join, relative } from 'node:path'
import { type Command } from 'commander'
import { findRecords, titleOf, writeReport } from '../results/report.ts'
import { figure, groupTitle, intervalText, rankCell } from '../results/report/format.ts'
import { type Report } from '../results/report/model.ts'
import { type CommandFile } from './command.ts'
import { writableFolder } from './folders.ts'
import { bold, table } from './output.ts'
import { printed } from './print-config.ts'
import { effective, whole } from './settings.ts'

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument('<records...>', 'record files, or folders with records in them')
    .option('--out <dir>', 'folder of the report (default: <data>/reports/<name of the first folder>)')
    .option('--title <text>', 'title of the page')
    .option('--replicates <n>', 'bootstrap replicates of aggregates', whole('--replicates', 100, 10_000_000), 50_000)
    .option('--bootstrap-seed <seed>', 'root of the bootstrap draws', 'report')
    .addHelpText(
      'after',
      `
Writes report.html (one file, no scripts; replays of the worst episodes inside), report.md, report.tex, runs.csv and
marl-eval.json. Runs that are not over are left out and said so; two protocols under one name are refused. Where a learner
is there with several sparsities, a table says what each of them returns.

Example:
  troupe report troupe-data/bench/core --title "Core, ten seeds"`,
    )
    .action((paths: string[]) =>
      perform((session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const { out, title, replicates, bootstrapSeed, data } = options.values as {
          out?: string
          title?: string
          replicates: number
          bootstrapSeed: string
          data: string
        }
        const records = findRecords(paths)
        const name = titleOf(paths).replace(/^Results:? ?/, '').replace(/[^\w.-]+/g, '-') || 'results' // prettier-ignore
        const folder = writableFolder(out ?? join(data, 'reports', name))
        const { report, files, exportNotes } = writeReport(records, folder, {
          title: title ?? titleOf(paths),
          replicates,
          seed: bootstrapSeed,
        })
        for (const note of report.notes) session.out.log(`Note: ${note}`)
        for (const note of exportNotes) session.out.log(`Note: marl-eval.json: ${note}`)
        const shown = Object.fromEntries(Object.entries(files).map(([kind, path]) => [kind, relative('.', path)]))
        session.out.result(jsonOf(report, shown, records.length, exportNotes), () => text(report, shown))
      }),
    )
}

/** Aggregates and per-task rows; numbers that are not finite (a failed run) are null, as JSON has no others. */
function jsonOf(report: Report, files: Record<string, string>, records: number, exportNotes: readonly string[]) {
  return {
    title: report.title,
    records,
    files,
    notes: report.notes,
    exportNotes,
    aggregates: report.groups.map(({ env, tasks, rows, improvement }) => ({
      environment: env === '' ? 'all' : env,
      tasks,
      rows: rows.map(({ entry, runs, values, intervals, rank, standing }) => ({ algorithm: entry, runs, ...values, intervals, rank, tier: standing.tier })), // prettier-ignore
      improvement,
    })),
    tasks: report.tasks.map(({ id, protocol, rows, sparsity }) => ({ scenario: id, protocol, rows, sparsity })),
  }
}

function text(report: Report, files: Record<string, string>): string {
  const groups = report.groups.map((group) =>
    [
      bold(groupTitle(group)),
      table(
        [
          { title: 'algorithm' },
          { title: 'rank', align: 'right' },
          { title: 'IQM', align: 'right' },
          { title: '95%', align: 'right' },
          { title: 'mean', align: 'right' },
          { title: 'runs', align: 'right' },
        ],
        group.rows.map(({ entry, rank, values, intervals, runs }) => [
          entry,
          rankCell(rank),
          figure(values.iqm),
          intervalText(intervals?.iqm ?? null),
          figure(values.mean),
          String(runs),
        ]),
      ),
    ].join('\n'),
  )
  const paths = Object.entries(files).map(([kind, path]) => `${kind.padEnd(9)} ${path}`)
  return [...groups, paths.join('\n')].join('\n\n')
}
