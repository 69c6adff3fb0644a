/** `troupe speed`: steps per second on this machine. */
import { type Command } from 'commander'
import { isModulePath } from '../results/plugins.ts'
import { measureSpeed, type SpeedReport, type SpeedRow } from '../results/speed/index.ts'
import { type CommandFile } from './command.ts'
import { effective, whole } from './settings.ts'
import { printed } from './print-config.ts'
import { readable, table } from './output.ts'
import { resolveScenario } from './targets.ts'

function workersOf(text: string): number | 'all' {
  return text === 'all' ? 'all' : whole('--workers', 0, 1024)(text)
}

function shownValue(value: number, unit: SpeedRow['unit']): string {
  if (unit === 'ms') return value.toFixed(value < 10 ? 3 : 1)
  return unit === 'GFLOP/s' ? value.toFixed(1) : readable(Math.round(value))
}

function page({ machine, results, heap }: SpeedReport): string {
  const gigabytes = (machine.memoryBytes / 2 ** 30).toFixed(0)
  const notes = [...new Set(results.flatMap(({ note }) => note ?? []))]
  const compared = results.some(({ ratios }) => ratios !== undefined)
  const rows = results.map(({ name, unit, median, best, byCpuTime, runs, note, ratios = [] }) => [
    name,
    shownValue(median, unit),
    shownValue(best, unit),
    byCpuTime === undefined ? '' : shownValue(byCpuTime, unit),
    unit,
    String(runs.length),
    ...(compared ? [ratios.map(({ of, value }) => `${value.toFixed(2)} × ${of}`).join(', ')] : []),
    note === undefined ? '' : `[${notes.indexOf(note) + 1}]`,
  ])
  const lines = [
    `${machine.cpu}, ${machine.cores} cores, ${gigabytes} GB; ${machine.system}; Node ${machine.node}; load ${machine.load}`,
    '',
    table(
      [
        { title: 'what' },
        { title: 'median', align: 'right' },
        { title: 'best', align: 'right' },
        { title: 'by CPU time', align: 'right' },
        { title: 'unit' },
        { title: 'runs', align: 'right' },
        ...(compared ? [{ title: 'best is' }] : []),
        { title: '' },
      ],
      rows,
    ),
  ]
  if (notes.length > 0) lines.push('', ...notes.map((note, i) => `[${i + 1}] ${note}`))
  for (const { name, steps, keptBytes, allocatedPerStep } of heap) {
    const kept = `${Math.max(0, keptBytes / 1024).toFixed(0)} kB`
    lines.push(
      '',
      `${name}: over ${readable(steps)} steps the heap grew by ${kept} (${allocatedPerStep} bytes made per step, episode starts included)`,
    )
  }
  if (machine.load > 0.5 * machine.cores) {
    lines.push(
      '',
      `Other programs were busy (load ${machine.load} on ${machine.cores} cores): the clock counts what they got, 'by CPU time' does not.`,
    )
  }
  return lines.join('\n')
}

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument(
      '[what]',
      'environments, kernels, train, a family such as warehouse, or a scenario (default: the first two)',
    )
    .option('--env <module>', 'measure an environment of your own')
    .option('--lanes <n>', 'parallel episodes of a batch', whole('--lanes', 1, 65536), 64)
    .option('--workers <n>', 'add a row for n worker threads; all = one per core', workersOf)
    .option('--runs <n>', 'timed runs per row', whole('--runs', 1, 100), 5)
    .option(
      '--seconds <s>',
      'length of a run in seconds',
      (text: string) => whole('--seconds (ms)', 10, 60000)(String(Math.round(Number(text) * 1000))) / 1000,
      0.25,
    )
    .addHelpText('after', '\nSteps are environment steps over all lanes; a row says what it counts.')
    .action((what: string | undefined) =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const { env, lanes, workers, runs, seconds } = options.values as {
          env?: string
          lanes: number
          workers?: number | 'all'
          runs: number
          seconds: number
        }
        const module = env ?? (what !== undefined && isModulePath(what) ? what : undefined)
        const target =
          module === undefined
            ? undefined
            : await resolveScenario(what === module ? undefined : what, module, undefined, session)
        const live = session.out.live ? (await import('log-update')).createLogUpdate(process.stderr) : undefined
        live?.('Measuring …')
        const report = await measureSpeed({
          ...(what === undefined ? {} : { what }),
          lanes,
          runs,
          seconds,
          workers: workers ?? 0,
          ...(target === undefined ? {} : { target: { ...target, module } }),
          onRow: (row) => live?.(`${row.name}: ${shownValue(row.median, row.unit)} ${row.unit}`),
        })
        live?.clear()
        session.out.result(report, () => page(report))
      }),
    )
}
