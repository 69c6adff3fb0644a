/** `troupe resume`: continues a run, bit-identical to one that was never interrupted. */
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Command } from 'commander'
import { TroupeError } from '../envs/core/index.ts'
import { trainRun } from '../results/run.ts'
import { checkScenario } from '../scenarios/schema.ts'
import { type CommandFile } from './command.ts'
import { writableFolder } from './folders.ts'
import { backendOption } from './backend-option.ts'
import { printed } from './print-config.ts'
import { createProgress } from './progress.ts'
import { finishRun, interruptible } from './run-end.ts'
import { runText } from './train.ts'
import { effective, whole } from './settings.ts'
import { targetOf } from './targets.ts'

/** What run.json says that a command needs. */
export interface RunFile {
  readonly id: string
  readonly algorithm: string
  readonly scenario: ReturnType<typeof checkScenario>
  readonly seed: string
  readonly settings: Record<string, unknown>
  readonly steps: number
  readonly step: number
  readonly status: string
  readonly evaluation?: { points: number; episodes: number; absoluteEpisodes?: number }
}

/** The folder of a run: as typed, or by name in the data folder. */
export function findRun(wanted: string, data: string): string {
  const choices = [wanted, join(data, 'runs', wanted)]
  const found = choices.find((choice) => existsSync(join(choice, 'run.json')))
  if (found !== undefined) return found
  throw new TroupeError('bad-file', {
    where: wanted,
    got: existsSync(wanted) ? 'a folder without run.json' : 'not there',
    expected: `the folder of a run, or the name of one in ${join(data, 'runs')}`,
  })
}

export function readRun(folder: string): RunFile {
  const path = join(folder, 'run.json')
  try {
    const run = JSON.parse(readFileSync(path, 'utf8')) as RunFile
    return { ...run, scenario: checkScenario(run.scenario, `${path}: scenario`) }
  } catch (error) {
    if (error instanceof TroupeError) throw error
    throw new TroupeError('bad-file', {
      where: path,
      got: `not readable as JSON (${(error as Error).message})`,
      expected: 'the description of a run',
    })
  }
}

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument('<run>', 'folder of a run, or the name of one in <data>/runs')
    .option(
      '--steps <n>',
      'train until this many environment steps in all (default: as planned at first)',
      whole('--steps', 1, 1e12),
    )
    .option('--workers <n>', 'threads at most; may differ from before (default: cores)', whole('--workers', 1, 1024))
    .addOption(backendOption())
    .option('--env <module>', 'the plug-in that the run was started with')
    .action((wanted: string) =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const { steps, env, data, workers } = options.values as {
          steps?: number
          env?: string
          data: string
          workers?: number
        }
        const folder = findRun(wanted, data)
        const run = readRun(folder)
        const { plugin } = await targetOf(run.scenario, env, undefined, session)
        const total = steps ?? run.steps
        // Trained to the end but stopped while its best checkpoint was measured: that is left to do.
        if (run.step >= total && (run.status === 'finished' || run.step > total)) {
          throw new TroupeError('bad-option', {
            where: `${folder}: steps`,
            got: `${run.step} of ${total}, so nothing is left to do`,
            expected: `--steps with more than ${run.step}`,
          })
        }
        writableFolder(folder)
        session.out.log(
          `Resuming ${run.algorithm} on ${run.scenario.id} at step ${run.step} of ${total} in ${relative('.', folder)}`,
        )
        const interrupt = interruptible(session)
        const progress = await createProgress(session.out)
        try {
          const summary = await trainRun({
            scenario: run.scenario,
            algorithm: run.algorithm,
            settings: run.settings,
            seed: run.seed,
            steps: total,
            out: folder,
            resume: true,
            ...(run.evaluation === undefined ? {} : { evaluation: run.evaluation }),
            signal: interrupt.signal,
            backend: options.values.backend as string,
            ...(workers === undefined ? {} : { workers }),
            onProgress: (event) => progress.show(event),
            ...(plugin === undefined ? {} : { plugin }),
          })
          progress.done()
          return finishRun(summary, runText, session)
        } finally {
          progress.done()
          interrupt.release()
        }
      }),
    )
}
