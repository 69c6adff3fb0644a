/** `troupe run`: plays a policy on a scenario. */
import { join } from 'node:path'
import { type Command } from 'commander'
import { TroupeError } from '../envs/core/index.ts'
import { type PlayMode } from '../agents/core/learner.ts'
import { type CommandFile } from './command.ts'
import { play, playJson, playText } from './episodes.ts'
import { backendOption } from './backend-option.ts'
import { resolvePlayer } from './policies.ts'
import { printed } from './print-config.ts'
import { effective, keyValue, oneOf, whole } from './settings.ts'
import { resolveScenario } from './targets.ts'

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument('[scenario]', 'scenario id or a scenario file; may be left out with --env')
    .option('--policy <name, folder or module>', 'who plays: a name, the folder of a run or checkpoint, or ./mine.js')
    .option('--episodes <n>', 'episodes to play', whole('--episodes', 1, 1_000_000), 10)
    .option('--seed <seed>', 'root of the episode seeds', '1')
    .option(
      '--lanes <n>',
      'episodes played side by side; changes nothing but the speed',
      whole('--lanes', 1, 65536),
      16,
    )
    .option('--record [dir]', 'write one replay per episode (default folder: <data>/replays)')
    .addOption(backendOption())
    .option('--env <module>', 'environment of your own: ./mine.js or an installed package')
    .option(
      '--option <name=value>',
      'change an option of the environment, such as horizon=7; repeatable',
      keyValue('--option'),
    )
    .option('--mode <mode>', 'how learned policies choose: greedy or sample', oneOf('--mode', ['greedy', 'sample']))
    .addHelpText(
      'after',
      '\nExamples:\n  troupe run warehouse/tiny-4ag --policy warehouse-greedy --episodes 10 --seed 1\n  troupe run matrix/pd --policy random --episodes 1 --record replays\n  troupe run --env ./mine.js --policy ./careful.js',
    )
    .action((wanted: string | undefined) =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const { policy, episodes, seed, lanes, record, env, option, mode, data, backend } = options.values as {
          policy?: string
          episodes: number
          seed: string
          lanes: number
          backend: string
          record?: string | true
          env?: string
          option?: Record<string, unknown>
          mode?: PlayMode
          data: string
        }
        if (policy === undefined) {
          throw new TroupeError('bad-usage', {
            where: '--policy',
            got: 'missing',
            expected: 'who plays: random, another name of `troupe algorithms`, the folder of a run, or ./mine.js',
          })
        }
        const target = await resolveScenario(wanted, env, option, session)
        const manner = mode ?? target.scenario.evaluation.policy
        const player = await resolvePlayer(policy, target.scenario, target.definitions, manner, session, backend)
        const folder = record === true ? join(data, 'replays') : record
        const report = play(
          {
            target,
            player,
            episodes,
            seed,
            purpose: 'eval',
            lanes,
            ...(folder === undefined ? {} : { record: folder }),
          },
          session,
        )
        session.out.result(playJson(report), () => playText(report))
      }),
    )
}
