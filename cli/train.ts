/** `troupe train`: trains a learner on a scenario, with a checkpoint, a record and replays to show for it. */
import { existsSync, readdirSync, rmdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { type Command } from 'commander'
import { TroupeError, unknownName, withDefaults } from '../envs/core/index.ts'
import { LEARNERS } from '../agents/index.ts'
import { isModulePath } from '../results/plugins.ts'
import { trainRun } from '../results/run.ts'
import { type CommandFile, type Session } from './command.ts'
import { writableFolder } from './folders.ts'
import { PRESETS, presetOf } from './presets.ts'
import { backendOption } from './backend-option.ts'
import { printed } from './print-config.ts'
import { createProgress } from './progress.ts'
import { bold, duration, readable, table } from './output.ts'
import {
  effective,
  keyValue,
  layered,
  settingsFromEnvironment,
  whole,
  type Effective,
  type Setting,
} from './settings.ts'
import { resolveScenario, type Target } from './targets.ts'
import { finishRun, interruptible, type RunSummary } from './run-end.ts'

/** Settings of the learner from every source, weakest first: default, preset, config, environment, --lanes, --set. */
function learnerSettings(algorithm: string, options: Effective, env: string | undefined): Record<string, Setting> {
  const { settings: schema } = LEARNERS[algorithm]
  const defaults = Object.fromEntries(Object.entries(schema.properties).map(([name, field]) => [name, field.default]))
  const preset = options.values.preset as string | undefined
  const lanes = options.sources.lanes === 'default' ? {} : { lanes: options.values.lanes }
  const source = options.sources.lanes ?? 'default'
  return layered(defaults, [
    {
      source: 'preset',
      values: preset === undefined ? {} : { ...presetOf(LEARNERS[algorithm], preset, env).settings },
    },
    { source: 'config', values: options.fromConfig },
    { source: 'config', values: source === 'config' ? lanes : {} },
    { source: 'environment', values: settingsFromEnvironment(Object.keys(defaults)) },
    { source: 'flag', values: source === 'flag' ? lanes : {} },
    { source: 'set', values: (options.values.set as Record<string, unknown> | undefined) ?? {} },
  ])
}

/** A folder for the run that is not there yet. */
function runFolder(out: string | undefined, data: string, algorithm: string, scenario: string, seed: string): string {
  if (out !== undefined) {
    if (existsSync(join(out, 'run.json'))) {
      throw new TroupeError('bad-option', {
        where: `--out ${out}`,
        got: 'a run already',
        expected: `another folder, or \`troupe resume ${out}\``,
      })
    }
    return out
  }
  const base = `${algorithm}-${scenario}-seed${seed}`.replace(/[^\w.-]+/g, '-')
  for (let count = 1; ; count++) {
    const folder = join(data, 'runs', count === 1 ? base : `${base}-${count}`)
    if (!existsSync(folder)) return folder
  }
}

/** The page for a person at the end of a run. */
export function runText(summary: RunSummary): string {
  const { algorithm, scenario, seed, out, steps, seconds, stepsPerSecond, evaluations, absolute } = summary
  const { weightsHash, record, status, protocol } = summary
  const folder = relative('.', resolve(out)) || '.'
  const shown = evaluations.length <= 8 ? evaluations : pick(evaluations, 8)
  const rows = shown.map(({ step, return: { mean, std, min, max } }) => [
    readable(step),
    readable(mean),
    readable(std),
    readable(min),
    readable(max),
  ])
  return [
    `${bold(algorithm)} on ${bold(scenario)}, seed ${seed}: ${status} after ${readable(steps)} steps in ${duration(seconds)} (${readable(Math.round(stepsPerSecond))} steps/s)`,
    ...(rows.length === 0
      ? []
      : [
          '',
          table(
            [
              { title: 'step', align: 'right' },
              { title: 'return', align: 'right' },
              { title: 'std', align: 'right' },
              { title: 'min', align: 'right' },
              { title: 'max', align: 'right' },
            ],
            rows,
          ),
        ]),
    ...(absolute === null
      ? []
      : [
          '',
          `best      after ${readable(absolute.step)} steps; ${absolute.episodes} fresh episodes return ${readable(absolute.return.mean)} (${readable(absolute.return.interval[0])} to ${readable(absolute.return.interval[1])})`,
        ]),
    '',
    `protocol  ${protocol.policy} policy, ${protocol.episodes} episodes per evaluation, return = ${protocol.return}`,
    `run       ${folder}`,
    `record    ${relative('.', resolve(record))}`,
    `weights   ${weightsHash}`,
    `watch     troupe watch ${folder}`,
    ...(status === 'interrupted' ? [`continue  troupe resume ${folder}`] : []),
  ].join('\n')
}

/** A few of many, the first and the last among them. */
function pick<T>(items: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, i) => items[Math.round((i * (items.length - 1)) / (count - 1))])
}

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument('<algorithm>', 'a learner of `troupe algorithms`')
    .argument('[scenario]', 'scenario id or a scenario file; may be left out with --env')
    .option('--steps <n>', 'environment steps over all lanes: 200000, 2e5, 200k', whole('--steps', 1, 1e12), 1_000_000)
    .option('--seed <seed>', 'root of everything that is drawn', '1')
    .option('--set <name=value>', 'a setting of the learner, such as lr=0.0005; repeatable', keyValue('--set'))
    .option('--lanes <n>', 'parallel episodes', whole('--lanes', 1, 65536))
    .option('--out <dir>', 'folder of the run (default: <data>/runs/<algorithm>-<scenario>-seed<seed>)')
    .option(
      '--evaluations <n>',
      'evaluations along the way (default: the scenario says)',
      whole('--evaluations', 1, 10000),
    )
    .option('--evaluation-episodes <n>', 'episodes of each', whole('--evaluation-episodes', 1, 100000))
    .option('--preset <name>', `bundle of settings: ${Object.keys(PRESETS).join(', ')}, or one of the learner’s own`)
    .option(
      '--workers <n>',
      'threads at most; weights do not depend on it (default: cores, and never more than the setting shards)',
      whole('--workers', 1, 1024),
    )
    .option('--dataset <file>', 'recorded episodes, for algorithms that learn from them and do not play: bc')
    .option('--export-dataset <file>', 'write the episodes in the memory of the learner to this file at the end')
    .addOption(backendOption())
    .option('--env <module>', 'environment of your own: ./mine.js or an installed package')
    .option('--option <name=value>', 'change an option of the environment; repeatable', keyValue('--option'))
    .addHelpText(
      'after',
      `
Presets
${Object.entries(PRESETS)
  .map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`)
  .join('\n')}
${Object.values(LEARNERS)
  .flatMap(({ name: learner, presets = {} }) =>
    Object.entries(presets).map(
      ([name, { summary, source }]) => `  ${name.padEnd(16)} ${learner}: ${summary} (${source})`,
    ),
  )
  .join('\n')}

Ctrl-C stops after the running update and keeps a checkpoint and a record (exit code 130); a second one ends at once.
Settings of a learner: \`troupe train mappo --print-config\`.

Example:
  troupe train mappo warehouse/nano-2ag --steps 300k --seed 1 --set lr=0.0007`,
    )
    .action((algorithm: string, wanted: string | undefined) =>
      perform(async (session) => {
        if (!Object.hasOwn(LEARNERS, algorithm))
          throw unknownName('troupe train: algorithm', algorithm, Object.keys(LEARNERS))
        const first = effective(command, true)
        const preset = first.values.preset as string | undefined
        const options =
          preset === undefined ? first : effective(command, true, presetOf(LEARNERS[algorithm], preset).options)
        const { env, option } = options.values as { env?: string; option?: Record<string, unknown> }
        const shows = options.values.printConfig === true && wanted === undefined && env === undefined
        const target = shows ? undefined : await resolveScenario(wanted, env, option, session)
        const settings = learnerSettings(algorithm, options, target?.scenario.env)
        if (printed(options, session, settings) || target === undefined) return
        return train(algorithm, wanted, target, options, settings, session)
      }),
    )
}

async function train(
  algorithm: string,
  wanted: string | undefined,
  target: Target,
  options: Effective,
  settings: Record<string, Setting>,
  session: Session,
): Promise<number> {
  const { steps, seed, out, env, evaluations, evaluationEpisodes, data, workers, dataset, exportDataset } =
    options.values as {
      dataset?: string
      exportDataset?: string
      workers?: number
      steps: number
      seed: string
      out?: string
      env?: string
      evaluations?: number
      evaluationEpisodes?: number
      data: string
    }
  const values = Object.fromEntries(Object.entries(settings).map(([name, { value }]) => [name, value]))
  withDefaults(LEARNERS[algorithm].settings, values, `${algorithm} settings`)
  const folder = writableFolder(runFolder(out, data, algorithm, target.scenario.id, seed))
  const module = env ?? (wanted !== undefined && isModulePath(wanted) ? wanted : undefined)
  session.out.log(`Training ${algorithm} on ${target.scenario.id}, seed ${seed}, into ${relative('.', folder)}`)
  session.out.log(`Watch it: troupe watch ${relative('.', folder)}`)
  const interrupt = interruptible(session)
  const progress = await createProgress(session.out)
  try {
    const summary = await trainRun({
      scenario: target.scenario,
      algorithm,
      settings: values,
      seed,
      steps,
      out: folder,
      evaluation: {
        points: evaluations ?? target.scenario.evaluation.points,
        episodes: evaluationEpisodes ?? target.scenario.evaluation.episodes,
      },
      signal: interrupt.signal,
      backend: options.values.backend as string,
      ...(workers === undefined ? {} : { workers }),
      ...(dataset === undefined ? {} : { dataset }),
      ...(exportDataset === undefined ? {} : { exportDataset }),
      onProgress: (event) => progress.show(event),
      ...(target.plugin === undefined || module === undefined ? {} : { plugin: target.plugin }),
    })
    progress.done()
    return finishRun(summary, runText, session)
  } finally {
    progress.done()
    interrupt.release()
    // A run that was refused before it began leaves nothing behind.
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
  }
}
