/** `troupe list`: scenarios and what they ask of an agent. */
import { type Command } from 'commander'
import { ENVS } from '../envs/index.ts'
import { unknownName, type EnvSpec } from '../envs/core/index.ts'
import { listScenarios } from '../scenarios/load.ts'
import { scenarioSpec } from '../scenarios/open.ts'
import { type Scenario } from '../scenarios/schema.ts'
import { isInstalled, isModulePath } from '../results/plugins.ts'
import { type CommandFile } from './command.ts'
import { effective } from './settings.ts'
import { printed } from './print-config.ts'
import { bold, table } from './output.ts'
import { defaultScenario, resolveScenario, withPlugin } from './targets.ts'

interface Row {
  readonly id: string
  readonly env: string
  readonly version: string
  readonly title: string
  readonly agents: number
  readonly actions: number
  readonly observationSize: number
  readonly stateSize: number
  readonly horizon: number | null
}

function row(scenario: Scenario, spec: EnvSpec): Row {
  return {
    id: scenario.id,
    env: scenario.env,
    version: scenario.version,
    title: scenario.title,
    agents: spec.agents.length,
    // The padded mask width; a box has none, its number of dimensions is meant.
    actions: spec.actionKind === 'box' ? spec.actionDims : spec.actionSize,
    observationSize: spec.observationSize,
    stateSize: spec.stateSize,
    horizon: spec.horizon,
  }
}

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument('[scenario]', 'show one scenario in full: options, actions, named observation')
    .option('--env <family or module>', 'only scenarios of this environment; a path or package loads a plug-in')
    .addHelpText(
      'after',
      '\nExamples:\n  troupe list --env warehouse\n  troupe list warehouse/tiny-2ag\n  troupe list --env ./mine.js',
    )
    .action((wanted: string | undefined) =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const env = options.values.env as string | undefined
        if (wanted !== undefined) {
          const { scenario, spec } = await resolveScenario(wanted, env, undefined, session)
          session.out.result({ ...row(scenario, spec), scenario, spec: described(spec) }, () => page(scenario, spec))
          return
        }
        const rows = await rowsOf(env)
        session.out.result(rows, () =>
          table(
            [
              { title: 'scenario' },
              { title: 'agents', align: 'right' },
              { title: 'actions', align: 'right' },
              { title: 'observation', align: 'right' },
              { title: 'state', align: 'right' },
              { title: 'horizon', align: 'right' },
              { title: 'what it is' },
            ],
            rows.map((one) => [
              one.id,
              String(one.agents),
              String(one.actions),
              String(one.observationSize),
              String(one.stateSize),
              one.horizon === null ? 'none' : String(one.horizon),
              one.title,
            ]),
          ),
        )

        async function rowsOf(family: string | undefined): Promise<Row[]> {
          if (family !== undefined && !Object.hasOwn(ENVS, family)) {
            if (!isModulePath(family) && !isInstalled(family)) throw unknownName('--env', family, Object.keys(ENVS))
            const { plugin, definitions } = await withPlugin(family, session)
            const scenario = defaultScenario(plugin.definition)
            return [row(scenario, scenarioSpec(scenario, definitions))]
          }
          return listScenarios()
            .filter((scenario) => family === undefined || scenario.env === family)
            .map((scenario) => row(scenario, scenarioSpec(scenario)))
        }
      }),
    )
}

/** The spec without the static drawing facts. */
function described(spec: EnvSpec): Record<string, unknown> {
  const { env, version, options, agents, horizon, horizonEnds, metrics, world } = spec
  return { env, version, options, agents, state: world.state, horizon, horizonEnds, metrics }
}

/** Everything a person wants to know about one scenario. */
function page(scenario: Scenario, spec: EnvSpec): string {
  const agent = spec.agents[0]
  const alike = spec.agents.every((other) => other.observation.length === agent.observation.length)
  const actions =
    agent.action.kind === 'discrete'
      ? agent.action.names.map((name, i) => `${i} ${name}`).join(', ')
      : agent.action.kind === 'multi-discrete'
        ? agent.action.dimensions.map((one) => `${one.name} (${one.values.join(', ')})`).join('; ')
        : agent.action.dimensions.map((one) => `${one.name} ${one.low} to ${one.high}`).join('; ')
  const options = Object.entries(spec.options).map(([name, value]) => {
    const own = Object.hasOwn(scenario.options as object, name)
    const words = JSON.stringify(value)
    return `  ${name} = ${words.length > 100 ? `${words.slice(0, 97)}...` : words}${own ? '' : '  (default)'}`
  })
  const features = table(
    [{ title: '  #', align: 'right' }, { title: 'name' }, { title: 'range' }, { title: 'meaning' }],
    agent.observation.map((feature, i) => [
      `  ${i}`,
      feature.name,
      `${feature.low} to ${feature.high}`,
      feature.meaning ?? '',
    ]),
  )
  return [
    `${bold(scenario.id)}: ${scenario.title}`,
    `${spec.env} version ${spec.version}, ${spec.agents.length} agents (${spec.agents
      .map((one) => one.id)
      .slice(0, 8)
      .join(', ')}), horizon ${spec.horizon ?? 'none'}`,
    `team reward ${scenario.teamReward}; metrics ${spec.metrics.join(', ')}`,
    '',
    bold('Actions'),
    `  ${actions}`,
    '',
    bold('Options'),
    ...options,
    '',
    bold(
      `Observation of ${agent.id}, ${agent.observation.length} numbers${alike ? '' : ' (other agents see fewer or more)'}; state ${spec.stateSize}`,
    ),
    features,
  ].join('\n')
}
