/** `troupe demo` (= `npm start`): the whole path in two minutes, with something to watch from the second second. */
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { type Command } from 'commander'
import { loadScenario } from '../scenarios/load.ts'
import { type Scenario } from '../scenarios/schema.ts'
import { type CommandFile, type Session } from './command.ts'
import { type PlayReport } from './episodes.ts'
import { writableFolder } from './folders.ts'
import { PRESETS } from './presets.ts'
import { printed } from './print-config.ts'
import { createProgress } from './progress.ts'
import { EXIT, bold, duration, readable, table, whenPipeCloses } from './output.ts'
import { effective, whole } from './settings.ts'
import { openBrowser, parsePort, serveViewer, untilInterrupted, type Served } from './viewer-server.ts'
import { trainInChild } from './training-child.ts'

const SCENARIO = 'warehouse/nano-2ag'
const ALGORITHM = 'mappo'
/** Shipped baselines that go on the boards at once: one of each policy on the demo's scenario. The rest wait for training. */
const FIRST_BASELINES = 3
/** How much better than random the policy must be in the end. */
const TIMES_RANDOM = 10
/** Episodes of each policy in the table. */
const EPISODES = 100

interface DemoOptions {
  readonly serve: boolean
  readonly open: boolean
  readonly port?: number
  readonly steps: number
  readonly evaluations: number
  readonly workers?: number
  readonly seed: string
  readonly data: string
}

function demoFolder(data: string, seed: string): string {
  for (let count = 1; ; count++) {
    const folder = join(data, 'runs', `demo-seed${seed}${count === 1 ? '' : `-${count}`}`)
    if (!existsSync(folder)) return folder
  }
}

/** Plays one of the three policies on the same fresh episodes; the first is recorded. */
async function compare(
  policy: string,
  scenario: Scenario,
  options: DemoOptions,
  session: Session,
): Promise<PlayReport> {
  const { play, playJson } = await import('./episodes.ts')
  const { resolvePlayer } = await import('./policies.ts')
  const { targetOf } = await import('./targets.ts')
  const target = await targetOf(scenario, undefined, undefined, session)
  const player = await resolvePlayer(policy, scenario, target.definitions, scenario.evaluation.policy, session)
  const record = join(options.data, 'replays')
  const request = {
    target,
    player,
    episodes: EPISODES,
    seed: options.seed,
    purpose: 'absolute' as const,
    lanes: 20,
    record,
    recorded: 1,
  }
  return playJson(play(request, session))
}

function comparison(reports: readonly PlayReport[]): string {
  const random = reports[0].return.mean
  return table(
    [
      { title: 'policy' },
      { title: 'return', align: 'right' },
      { title: '95% interval', align: 'right' },
      { title: 'deliveries', align: 'right' },
      { title: 'times random', align: 'right' },
    ],
    reports.map(({ policy, return: { mean, interval }, metrics }) => [
      policy,
      readable(mean),
      `${readable(interval[0])} to ${readable(interval[1])}`,
      readable(metrics.deliveries),
      random > 0 ? readable(Math.round((mean / random) * 10) / 10) : '–',
    ]),
  )
}

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .option('--no-serve', 'no server and no viewer: train, compare, write, end')
    .option('--no-open', 'print the link, open no browser')
    .option('--port <n>', 'port (default: 7340, or the next free one)', parsePort)
    .option('--seed <seed>', 'root of everything that is drawn', '1')
    .option('--steps <n>', 'environment steps to train', whole('--steps', 1, 1e9), PRESETS.demo.options.steps as number)
    .option(
      '--evaluations <n>',
      'evaluations along the way',
      whole('--evaluations', 1, 1000),
      PRESETS.demo.options.evaluations as number,
    )
    .option(
      '--workers <n>',
      'threads at most; changes nothing but the speed (default: cores)',
      whole('--workers', 1, 1024),
    )
    .addHelpText(
      'after',
      `
Trains ${ALGORITHM} on ${SCENARIO}, shows its evaluation episodes in the viewer as it learns, then compares it with two
scripted policies on the same ${EPISODES} episodes.

Exit codes: 0 when the policy ended ${TIMES_RANDOM} times as good as random or better (with a server: after Ctrl-C, which is
how it is meant to end), 1 when it did not, 130 when training was interrupted.`,
    )
    .action(() =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        return demo(options.values as unknown as DemoOptions, session)
      }),
    )
}

async function demo(options: DemoOptions, session: Session): Promise<number> {
  const { out } = session
  const { data, seed, steps, evaluations } = options
  const say = (line: string) => (out.json ? out.log(line) : void process.stdout.write(`${line}\n`))
  let served: Served | undefined
  if (options.serve) {
    // No admin key here: it would be shown among other lines. `troupe serve` makes it.
    const boards = { adminKey: false }
    served = await serveViewer({ data, boards, ...(options.port === undefined ? {} : { port: options.port }) }, session)
    say(`Viewer: ${bold(served.url)}`)
    if (served.boards.on) void served.boards.open.baselines.start(FIRST_BASELINES)
    else out.log(`No leaderboard: ${served.boards.problem}.`)
    if (options.open && !out.json) void openBrowser(served.url)
  }
  const scenario = loadScenario(SCENARIO)
  const folder = writableFolder(demoFolder(data, seed))
  const shown = relative('.', folder)
  out.log(`Training ${ALGORITHM} on ${SCENARIO} for ${readable(steps)} steps, into ${shown}`)
  if (served !== undefined) out.log('A recorded episode plays in the viewer until the first of this run is there.')

  const started = performance.now()
  const progress = await createProgress(out)
  const run = trainInChild(
    {
      scenario,
      algorithm: ALGORITHM,
      settings: { ...PRESETS.demo.settings },
      seed,
      steps,
      out: folder,
      evaluation: { points: evaluations, episodes: scenario.evaluation.episodes, absoluteEpisodes: EPISODES },
      ...(options.workers === undefined ? {} : { workers: options.workers }),
    },
    (event) => progress.show(event),
  )
  let asked = false
  let trained = false
  const onSignal = () => {
    if (asked || trained) process.exit(EXIT.interrupted) // takes the child along
    asked = true
    out.warn('\nStopping after this update, keeping a checkpoint. Ctrl-C again ends at once.')
    run.stop()
  }
  whenPipeCloses(() => (trained ? process.exit(EXIT.fine) : run.stop()))
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  try {
    const summary = await run.summary
    trained = true
    progress.done()
    if (summary.status === 'interrupted') {
      out.result(
        { url: served?.url ?? null, record: summary.record, replay: null, status: summary.status, run: shown },
        () =>
          [
            `Stopped after ${readable(summary.steps)} steps.`,
            `record    ${relative('.', resolve(summary.record))}`,
            `continue  troupe resume ${shown}`,
          ].join('\n'),
      )
      return EXIT.interrupted
    }
    const reports: PlayReport[] = []
    for (const policy of ['random', 'warehouse-greedy', folder]) {
      reports.push(await compare(policy, scenario, options, session))
    }
    const [random, , learned] = reports
    const times =
      random.return.mean > 0 ? learned.return.mean / random.return.mean : learned.return.mean > 0 ? Infinity : 0
    const reached = times >= TIMES_RANDOM
    const seconds = (performance.now() - started) / 1000
    const replay = learned.replays[0]
    out.result(
      {
        url: served?.url ?? null,
        record: summary.record,
        replay,
        run: shown,
        status: summary.status,
        seconds: Math.round(seconds * 10) / 10,
        timesRandom: Number.isFinite(times) ? times : null,
        policies: reports,
      },
      () =>
        [
          '',
          `${bold(SCENARIO)}, ${EPISODES} fresh episodes each, after ${readable(summary.steps)} steps in ${duration(seconds)}:`,
          '',
          comparison(reports),
          '',
          reached
            ? `The learned policy returns ${readable(Math.round(times * 10) / 10)} times what random play does.`
            : `The learned policy returns only ${readable(Math.round(times * 10) / 10)} times what random play does; ${TIMES_RANDOM} were expected.`,
          '',
          `run       ${shown}`,
          `record    ${relative('.', resolve(summary.record))}`,
          `replays   ${reports.map(({ replays }) => replays[0]).join('\n          ')}`,
          `verify    troupe verify ${replay}`,
          ...(served === undefined ? [`watch     troupe watch ${replay}`] : []),
        ].join('\n'),
    )
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
    // Who asked to stop when training was about to end anyway does not want a server that stays.
    if (served !== undefined && !asked) {
      say(`\nThe viewer stays at ${bold(served.url)}, boards at ${served.url}/boards. Ctrl-C ends.`)
      if (served.boards.on) void served.boards.open.baselines.start()
      await untilInterrupted()
    }
    return reached ? EXIT.fine : EXIT.failed
  } finally {
    whenPipeCloses(undefined)
    progress.done()
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
    await served?.close()
  }
}
