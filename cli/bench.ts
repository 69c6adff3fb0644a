/** `troupe bench`: every algorithm on every scenario of a suite, with several seeds, by one protocol; resumable. */
import { join, relative } from 'node:path'
import { type Command } from 'commander'
import { TroupeError, nearestName, shown } from '../envs/core/index.ts'
import { LEARNERS, POLICIES } from '../agents/index.ts'
import {
  planBench,
  runBench,
  type BenchProgress,
  type BenchRequest,
  type BenchRun,
  type BenchSummary,
} from '../results/bench.ts'
import { loadPolicyPlugin } from '../results/plugins.ts'
import { standing } from '../results/statistics.ts'
import { listScenarios, listSuites, loadSuite } from '../scenarios/load.ts'
import { type Scenario } from '../scenarios/schema.ts'
import { backendOption } from './backend-option.ts'
import { type CommandFile, type Session } from './command.ts'
import { writableFolder } from './folders.ts'
import { EXIT, bold, duration, readable, table, type Output } from './output.ts'
import { printed } from './print-config.ts'
import { interruptible } from './run-end.ts'
import { effective, keyValue, oneOf, whole } from './settings.ts'
import { isPolicyModule, resolveScenario, type Target } from './targets.ts'

interface BenchOptions {
  readonly algorithms?: string
  readonly seeds: number
  readonly firstSeed: number
  readonly steps: number
  readonly evaluations?: number
  readonly every?: number
  readonly evaluationEpisodes?: number
  readonly absoluteEpisodes?: number
  readonly replays: number
  readonly set?: Record<string, unknown>
  readonly parallel?: number
  readonly keep: 'all' | 'weights' | 'records'
  readonly out?: string
  readonly backend: string
  readonly env?: string
  readonly data: string
}

/** Seconds between plain lines about the running runs, where nobody watches a terminal. */
const PLAIN_EVERY = 30

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument('<suite>', 'a suite such as core, or a scenario id or file')
    .option('--algorithms <a,b>', 'learners and policies of `troupe algorithms`, or ./mine.js; separated by commas')
    .option('--seeds <n>', 'runs of each algorithm on each scenario', whole('--seeds', 1, 10_000), 10)
    .option('--first-seed <n>', 'seeds are this number and those after it', whole('--first-seed', 0, 1e12), 1)
    .option('--steps <n>', 'environment steps of a learner, over all lanes', whole('--steps', 1, 1e12), 1_000_000)
    .option(
      '--evaluations <n>',
      'evaluations spread evenly from start to end (default: the scenario says, 100)',
      whole('--evaluations', 1, 10_000),
    )
    .option('--every <n>', 'instead: an evaluation every so many environment steps', whole('--every', 1, 1e12))
    .option(
      '--evaluation-episodes <n>',
      'episodes of each (default: the scenario says, 32)',
      whole('--evaluation-episodes', 1, 100_000),
    )
    .option(
      '--absolute-episodes <n>',
      'fresh episodes of the best checkpoint (default: the scenario says, 320)',
      whole('--absolute-episodes', 1, 1_000_000),
    )
    .option('--replays <n>', 'replays kept of each run: its worst absolute episodes', whole('--replays', 0, 10_000), 3)
    .option(
      '--set <name=value>',
      'a setting of all learners, or of one: mappo.lr=0.0005; repeatable',
      keyValue('--set'),
    )
    .option('--parallel <n>', 'runs side by side (default: one per core)', whole('--parallel', 1, 1024))
    .option(
      '--keep <what>',
      'all; records: no checkpoints, no logs; or weights: of the checkpoints the best networks, in half precision',
      oneOf('--keep', ['all', 'weights', 'records']),
      'all',
    )
    .option('--out <dir>', 'folder of the bench (default: <data>/bench/<suite>)')
    .addOption(backendOption())
    .option('--env <module>', 'environment of your own: ./mine.js or an installed package')
    .addHelpText(
      'after',
      `
A run is done when its record is there. Stop a bench at any moment, with Ctrl-C or a power cut, and type the same words
again: nothing that is done is done twice, and what was under way goes on from its checkpoint, to the same bits.

Examples:
  troupe bench core --algorithms random,warehouse-greedy
  troupe bench warehouse/nano-2ag --algorithms mappo,random --seeds 5 --steps 200k
  troupe report troupe-data/bench/core`,
    )
    .action((suite: string) =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        return bench(suite, options.values as unknown as BenchOptions, session)
      }),
    )
}

async function bench(wanted: string, options: BenchOptions, session: Session): Promise<number> {
  const { name, scenarios, target } = await whatToPlay(wanted, options.env, session)
  const { algorithms, policies } = await whoPlays(options.algorithms, session)
  if (options.every !== undefined && options.evaluations !== undefined) {
    const got = 'given together'
    throw new TroupeError('bad-usage', { where: '--every and --evaluations', got, expected: 'one of them' })
  }
  const { plugin } = target ?? {}
  const out = options.out ?? join(options.data, 'bench', name.replace(/[^\w.-]+/g, '-'))
  const { evaluations, every, evaluationEpisodes, absoluteEpisodes, parallel } = options
  const interrupt = interruptible(session)
  const progress = await createBenchProgress(session.out)
  const request: BenchRequest = {
    suite: name,
    scenarios,
    algorithms,
    policies,
    seeds: Array.from({ length: options.seeds }, (_, k) => String(options.firstSeed + k)),
    steps: options.steps,
    evaluation: {
      ...(evaluations === undefined ? {} : { points: evaluations }),
      ...(every === undefined ? {} : { every }),
      ...(evaluationEpisodes === undefined ? {} : { episodes: evaluationEpisodes }),
      ...(absoluteEpisodes === undefined ? {} : { absoluteEpisodes }),
      worst: options.replays,
    },
    settings: settingsOf(options.set ?? {}, algorithms),
    out,
    keep: options.keep,
    backend: options.backend,
    ...(parallel === undefined ? {} : { parallel }),
    ...(plugin === undefined ? {} : { environment: { definition: plugin.definition, module: plugin.path } }),
    signal: interrupt.signal,
    onProgress: (event) => progress.show(event),
  }
  try {
    planBench(request) // a slip is told before a folder is made
    writableFolder(out)
    session.out.log(`Bench of ${name}: ${scenarios.length} scenarios, into ${relative('.', out) || '.'}`)
    const summary = await runBench(request)
    progress.done()
    for (const line of summary.leftOut) session.out.warn(`Note: ${line}.`)
    session.out.result(
      summary.runs.map((run) => ({ ...run, record: run.record === '' ? '' : relative('.', run.record) })),
      () => summaryText(summary, request),
    )
    if (summary.status === 'interrupted') return EXIT.interrupted
    return summary.status === 'failed' ? EXIT.failed : EXIT.fine
  } finally {
    progress.done()
    interrupt.release()
  }
}

async function whatToPlay(
  wanted: string,
  env: string | undefined,
  session: Session,
): Promise<{ name: string; scenarios: Scenario[]; target?: Target }> {
  const suites = listSuites().map(({ id }) => id)
  if (suites.includes(wanted)) return { name: wanted, scenarios: loadSuite(wanted).scenarios }
  const file = wanted.toLowerCase().endsWith('.json')
  const scenarios = listScenarios().map(({ id }) => id)
  if (env === undefined && !file && !scenarios.includes(wanted) && !/[\\/]|\.js$/.test(wanted)) {
    const nearest = nearestName(wanted, [...suites, ...scenarios])
    throw new TroupeError('unknown-name', {
      where: 'bench: suite',
      got: shown(wanted),
      expected: `one of the suites ${suites.join(', ')}, or a scenario of \`troupe list\``,
      ...(nearest === undefined ? {} : { nearest: shown(nearest) }),
    })
  }
  const target = await resolveScenario(wanted, env, undefined, session)
  return { name: target.scenario.id, scenarios: [target.scenario], target }
}

async function whoPlays(
  words: string | undefined,
  session: Session,
): Promise<{ algorithms: string[]; policies: NonNullable<BenchRequest['policies']> }> {
  const known = [...Object.keys(LEARNERS), ...Object.keys(POLICIES)]
  if (words === undefined || words.trim() === '') {
    const expected = `who is compared, such as --algorithms ${known[0]},random`
    throw new TroupeError('bad-usage', { where: '--algorithms', got: 'missing', expected })
  }
  const policies: Record<string, NonNullable<BenchRequest['policies']>[string]> = {}
  const algorithms: string[] = []
  for (const word of words
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')) {
    if (!isPolicyModule(word, known)) {
      algorithms.push(word)
      continue
    }
    const plugin = await loadPolicyPlugin(word)
    session.foreign.push(plugin.path)
    const { name } = plugin.definition
    if (known.includes(name) || /[\\/]|^\.|,/.test(name)) {
      const got = `named "${name}"`
      throw new TroupeError('bad-option', {
        where: `--algorithms ${word}`,
        got,
        expected: 'a name of its own, without / and ,',
      })
    }
    policies[name] = { definition: plugin.definition, module: plugin.path }
    algorithms.push(name)
  }
  return { algorithms, policies }
}

/** `lr=…` for every learner that is compared and has the setting, `mappo.lr=…` for one. */
function settingsOf(
  set: Record<string, unknown>,
  algorithms: readonly string[],
): Record<string, Record<string, unknown>> {
  const learners = algorithms.filter((name) => Object.hasOwn(LEARNERS, name))
  const settings: Record<string, Record<string, unknown>> = Object.fromEntries(learners.map((name) => [name, {}]))
  const own = Object.entries(set).filter(([key]) => key.includes('.'))
  for (const [key, value] of Object.entries(set)) {
    if (key.includes('.')) continue
    const takers = learners.filter((name) => Object.hasOwn(LEARNERS[name].settings.properties, key))
    if (takers.length === 0) {
      const names = learners.flatMap((name) => Object.keys(LEARNERS[name].settings.properties))
      const nearest = nearestName(key, names)
      throw new TroupeError('unknown-name', {
        where: '--set',
        got: shown(key),
        expected: learners.length === 0 ? 'nothing: no learner is compared' : `a setting of ${learners.join(' or ')}`,
        ...(nearest === undefined ? {} : { nearest: shown(nearest) }),
      })
    }
    for (const name of takers) settings[name][key] = value
  }
  for (const [key, value] of own) {
    const [name, setting] = [key.slice(0, key.indexOf('.')), key.slice(key.indexOf('.') + 1)]
    if (settings[name] === undefined) {
      const expected = `<algorithm>.<setting> with one of ${learners.join(', ') || 'the learners that are compared'}`
      throw new TroupeError('unknown-name', { where: `--set ${key}`, got: shown(name), expected })
    }
    settings[name][setting] = value
  }
  return settings
}

/** The page for a person: mean over runs of the absolute metric, per scenario and algorithm. */
function summaryText({ runs, status, seconds, out, suite }: BenchSummary, request: BenchRequest): string {
  const done = runs.filter((run) => run.record !== '' && run.status === 'finished')
  const cell = (scenario: string, algorithm: string) => {
    const means = done.filter((run) => run.scenario === scenario && run.algorithm === algorithm).map((run) => run.mean!)
    const all = runs.filter((run) => run.scenario === scenario && run.algorithm === algorithm).length
    if (all === 0) return '·'
    if (means.length === 0) return '–'
    const mean = readable(means.reduce((sum, value) => sum + value, 0) / means.length)
    return means.length === all ? mean : `${mean} (${means.length}/${all})`
  }
  const broken = runs.filter((run) => run.status === 'failed' || run.status === 'diverged')
  const episodes = request.evaluation?.absoluteEpisodes ?? request.scenarios[0].evaluation.absoluteEpisodes
  const { warning } = standing(request.seeds.length, episodes)
  const folder = relative('.', out) || '.'
  return [
    `${bold(suite)}: ${done.length} of ${runs.length} runs done, ${status} after ${duration(seconds)}`,
    '',
    table(
      [
        { title: 'mean return, absolute metric' },
        ...request.algorithms.map((title) => ({ title, align: 'right' as const })),
      ],
      request.scenarios.map(({ id }) => [id, ...request.algorithms.map((algorithm) => cell(id, algorithm))]),
    ),
    '',
    ...(warning === '' ? [] : [`note      ${warning}`]),
    ...broken
      .slice(0, 10)
      .map((run) => `${run.status.padEnd(9)} ${runName(run)}${run.error === undefined ? '' : `: ${run.error}`}`),
    `records   ${folder}`,
    `report    troupe report ${folder}`,
    ...(status === 'interrupted' ? ['continue  the same command again'] : []),
  ].join('\n')
}

const runName = ({ algorithm, scenario, seed }: BenchRun): string => `${algorithm} on ${scenario}, seed ${seed}`

/** One line for the suite and one for every running run on a terminal; plain lines elsewhere. */
async function createBenchProgress(out: Output): Promise<{ show(progress: BenchProgress): void; done(): void }> {
  const live = out.live ? (await import('log-update')).createLogUpdate(process.stderr) : undefined
  let lastPlain = performance.now() / 1000
  let lastDrawn = 0
  const overall = ({ done, total, secondsLeft }: BenchProgress) => {
    const left =
      done === total ? 'done' : secondsLeft === undefined ? 'time left unknown' : `${duration(secondsLeft)} left`
    return `${done} of ${total} runs  ${left}`
  }
  const bar = (part: number) => {
    const full = Math.max(0, Math.min(20, Math.round(part * 20)))
    return '█'.repeat(full) + '░'.repeat(20 - full)
  }
  const line = ({ name, part, note }: BenchProgress['running'][number]) =>
    `${`${Math.floor(part * 100)}%`.padStart(4)} ${name}${note === '' ? '' : `  ${note}`}`
  return {
    show(progress) {
      const { ended, running, done, total } = progress
      const now = performance.now() / 1000
      if (live === undefined) {
        if (ended !== undefined) {
          const result = ended.mean === null ? '' : `  return ${readable(ended.mean)}`
          out.log(`${ended.status.padEnd(11)} ${runName(ended)}${result}  ${overall(progress)}`)
          lastPlain = now
        } else if (now - lastPlain > PLAIN_EVERY) {
          lastPlain = now
          out.log(`${overall(progress)}  ${running.map(line).join(' | ')}`)
        }
        return
      }
      if (ended === undefined && now - lastDrawn < 0.1) return
      lastDrawn = now
      const part = (done + running.reduce((sum, run) => sum + run.part, 0)) / Math.max(1, total)
      const width = Math.max(20, (process.stderr.columns ?? 100) - 1)
      live([`${bar(part)}  ${overall(progress)}`, ...running.map(line)].map((text) => text.slice(0, width)).join('\n'))
    },
    done() {
      live?.done()
    },
  }
}
