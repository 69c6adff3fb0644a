/** `troupe evaluate`: fresh episodes of a run's policy, by the scenario's protocol. */
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Command } from 'commander'
import { TroupeError } from '../envs/core/index.ts'
import { type PlayMode } from '../agents/core/learner.ts'
import { type CommandFile } from './command.ts'
import { play, playJson, playText } from './episodes.ts'
import { backendOption } from './backend-option.ts'
import { resolvePlayer } from './policies.ts'
import { printed } from './print-config.ts'
import { readRun } from './resume.ts'
import { effective, keyValue, oneOf, whole } from './settings.ts'
import { resolveScenario, targetOf } from './targets.ts'

/** The run that a folder belongs to: itself, or the one around a checkpoint. */
function runAround(folder: string): string | undefined {
  let at = folder
  for (let up = 0; up < 3; up++) {
    if (existsSync(join(at, 'run.json'))) return at
    at = dirname(at)
  }
  return undefined
}

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument(
      '<run or checkpoint>',
      'folder of a run (its best checkpoint is taken) or of a checkpoint, or the name of a run',
    )
    .option('--episodes <n>', 'episodes (default: the scenario says)', whole('--episodes', 1, 1_000_000))
    .option('--seed <seed>', 'root of the episode seeds (default: that of the run)')
    .option('--mode <mode>', 'greedy or sample (default: the scenario says)', oneOf('--mode', ['greedy', 'sample']))
    .option('--scenario <id>', 'evaluate on another scenario of the same shape')
    .option(
      '--lanes <n>',
      'episodes played side by side; changes nothing but the speed',
      whole('--lanes', 1, 65536),
      16,
    )
    .option('--record [dir]', 'write one replay per episode (default folder: <data>/replays)')
    .addOption(backendOption())
    .option('--env <module>', 'the plug-in that the run was made with')
    .option('--option <name=value>', 'change an option of the environment; repeatable', keyValue('--option'))
    .addHelpText(
      'after',
      '\nEpisode seeds are of purpose "absolute": no training or evaluation of any run has seen them.',
    )
    .action((wanted: string) =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const { episodes, seed, mode, scenario, lanes, record, env, option, data, backend } = options.values as {
          episodes?: number
          seed?: string
          mode?: PlayMode
          scenario?: string
          lanes: number
          backend: string
          record?: string | true
          env?: string
          option?: Record<string, unknown>
          data: string
        }
        const folder = [wanted, join(data, 'runs', wanted)].find(
          (path) => existsSync(path) && statSync(path).isDirectory(),
        )
        if (folder === undefined) {
          throw new TroupeError('bad-file', {
            where: wanted,
            got: 'not there',
            expected: `the folder of a run or checkpoint, or the name of a run in ${join(data, 'runs')}`,
          })
        }
        const home = runAround(folder)
        if (home === undefined && scenario === undefined && env === undefined) {
          throw new TroupeError('bad-usage', {
            where: folder,
            got: 'a checkpoint outside a run',
            expected: '--scenario with the scenario to play',
          })
        }
        const run = home === undefined ? undefined : readRun(home)
        const target =
          scenario !== undefined || run === undefined
            ? await resolveScenario(scenario, env, option, session)
            : await targetOf(run.scenario, env, option, session)
        const manner = mode ?? target.scenario.evaluation.policy
        const player = await resolvePlayer(folder, target.scenario, target.definitions, manner, session, backend)
        const report = play(
          {
            target,
            player,
            episodes: episodes ?? target.scenario.evaluation.absoluteEpisodes,
            seed: seed ?? run?.seed ?? '1',
            purpose: 'absolute',
            lanes,
            ...(record === undefined ? {} : { record: record === true ? join(data, 'replays') : record }),
          },
          session,
        )
        session.out.result({ ...playJson(report), checkpoint: folder }, () => playText(report))
      }),
    )
}
