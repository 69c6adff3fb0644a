/** `troupe dataset`: records episodes of a policy as a dataset for offline learners. */
import { type Command } from 'commander'
import { TroupeError, episodeSeed } from '../envs/core/index.ts'
import { encodeDataset, recordEpisodes, type Dataset } from '../agents/core/dataset.ts'
import { statistics, type Statistics } from '../agents/core/evaluate.ts'
import { type PlayMode } from '../agents/core/learner.ts'
import { teamReturn, type TeamReward } from '../agents/core/teams.ts'
import { openScenario } from '../scenarios/open.ts'
import { sha256, writeAtomic } from '../results/files.ts'
import { type CommandFile } from './command.ts'
import { backendOption } from './backend-option.ts'
import { bold, readable } from './output.ts'
import { resolvePlayer } from './policies.ts'
import { printed } from './print-config.ts'
import { effective, keyValue, oneOf, whole } from './settings.ts'
import { resolveScenario } from './targets.ts'

const MOST_LANES = 16

/** As many lanes as give each the same number of episodes. A privileged policy has one generator: alone it is repeatable. */
function lanesFor(episodes: number, privileged: boolean): number {
  let lanes = privileged ? 1 : Math.min(MOST_LANES, episodes)
  while (episodes % lanes !== 0) lanes--
  return lanes
}

/** The scenario's return of every recorded episode. Rewards are recorded as shared, so of a team any agent's will do. */
function returnsOf({ story, episodes }: Dataset, teamReward: TeamReward): Statistics {
  const n = story.agents.length
  const reward = episodes.column('reward')
  const returns = Array.from({ length: episodes.count }, (_, episode) => {
    const own = new Float64Array(n)
    for (let t = 0; t < episodes.lengthOf(episode); t++) {
      const at = episodes.at(episode, t) * n
      for (let k = 0; k < n; k++) own[k] += reward[at + k]
    }
    return teamReward === 'none' ? teamReturn(teamReward, own) : own[0]
  })
  return statistics(returns)
}

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument('[scenario]', 'scenario id or a scenario file; may be left out with --env')
    .option('--policy <name, folder or module>', 'who plays: a name, the folder of a run or checkpoint, or ./mine.js')
    .option('--episodes <n>', 'episodes to record', whole('--episodes', 1, 1_000_000), 100)
    .option('--seed <seed>', 'root of the episode seeds', '1')
    .option('--out <file>', 'the dataset, a safetensors file; agents/README.md describes it')
    .addOption(backendOption())
    .option('--env <module>', 'environment of your own: ./mine.js or an installed package')
    .option('--option <name=value>', 'change an option of the environment; repeatable', keyValue('--option'))
    .option('--mode <mode>', 'how learned policies choose: greedy or sample', oneOf('--mode', ['greedy', 'sample']))
    .addHelpText(
      'after',
      '\nExample:\n  troupe dataset foraging/8x8-2p-2f-coop --policy foraging-captain --episodes 500 --out captain.safetensors\n  troupe train bc foraging/8x8-2p-2f-coop --dataset captain.safetensors --steps 300k',
    )
    .action((wanted: string | undefined) =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const { policy, episodes, seed, out, env, option, mode, backend } = options.values as {
          policy?: string
          episodes: number
          seed: string
          out?: string
          env?: string
          option?: Record<string, unknown>
          mode?: PlayMode
          backend: string
        }
        if (policy === undefined || out === undefined) {
          throw new TroupeError('bad-usage', {
            where: policy === undefined ? '--policy' : '--out',
            got: 'missing',
            expected: policy === undefined ? 'who plays, as in `troupe run`' : 'the file to write',
          })
        }
        const { scenario, definitions } = await resolveScenario(wanted, env, option, session)
        const manner = mode ?? scenario.evaluation.policy
        const player = await resolvePlayer(policy, scenario, definitions, manner, session, backend)
        const lanes = lanesFor(episodes, player.policy.privileged === true)
        const seeds = (lane: number, n: number) => episodeSeed(seed, 'train', lane, n)
        const dataset = recordEpisodes({
          batch: openScenario(scenario, { lanes, seeds }, definitions),
          policy: player.policy,
          episodes,
          teamReward: scenario.teamReward,
          seed,
          source: `${player.name}, ${player.manner}, on ${scenario.id}, seed ${seed}`,
        })
        const bytes = encodeDataset(dataset)
        writeAtomic(out, bytes)
        const result = {
          dataset: out,
          scenario: scenario.id,
          policy: player.name,
          seed,
          episodes,
          steps: dataset.episodes.rows - dataset.episodes.count,
          bytes: bytes.length,
          sha256: sha256(bytes),
          return: returnsOf(dataset, scenario.teamReward),
        }
        session.out.result(result, () =>
          [
            `${bold(player.name)} on ${bold(scenario.id)}: ${readable(episodes)} episodes, ${readable(result.steps)} steps, return ${readable(result.return.mean)} (${readable(result.return.min)} to ${readable(result.return.max)})`,
            `dataset  ${out} (${readable(Math.ceil(bytes.length / 1024))} kB)`,
            `sha256   ${result.sha256}`,
          ].join('\n'),
        )
      }),
    )
}
