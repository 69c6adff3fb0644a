/** `troupe check ./mine.js`: tries whether a plug-in keeps the contract, promise by promise. */
import { type Command } from 'commander'
import { TroupeError } from '../envs/core/index.ts'
import { ENVS } from '../envs/index.ts'
import { contract } from '../envs/core/contract.ts'
import { loadEnvPlugin, loadPolicyPlugin, type Plugin } from '../results/plugins.ts'
import { policyContract, type Finding } from '../results/policy-contract.ts'
import { listScenarios } from '../scenarios/load.ts'
import { type CommandFile, type Session } from './command.ts'
import { effective, keyValue } from './settings.ts'
import { printed } from './print-config.ts'
import { EXIT, bold, isTroupeError } from './output.ts'
import { resolveScenario, withPlugin } from './targets.ts'

interface Report {
  readonly plugin: Plugin
  readonly kind: 'environment' | 'policy'
  readonly title: string
  readonly findings: readonly Finding[]
}

/** The scenarios a policy is tried on when none is named: one of each environment it plays. */
function trialScenarios(envs: readonly string[] | undefined): string[] {
  const all = listScenarios()
  const ids = (envs ?? Object.keys(ENVS)).map((env) => all.find((scenario) => scenario.env === env)?.id)
  return ids.filter((id) => id !== undefined)
}

async function checkEnv(
  module: string,
  option: Record<string, unknown> | undefined,
  session: Session,
): Promise<Report> {
  const { plugin } = await withPlugin(module, session)
  const { definition } = plugin
  const optionSets = option === undefined ? [{}] : [{}, option]
  const findings = contract(definition, optionSets).map(({ name, run }): Finding => {
    try {
      run()
      return { name, ok: true }
    } catch (error) {
      return { name, ok: false, detail: placed(error, plugin.path) }
    }
  })
  return { plugin, kind: 'environment', title: `${definition.id} version ${definition.version}`, findings }
}

/** The line of the plug-in in a stack. */
function lineIn(stack: string, path: string): string | undefined {
  const at = stack.indexOf(`${path}:`)
  return at < 0 ? undefined : /^\d+/.exec(stack.slice(at + path.length + 1))?.[0]
}

/** What went wrong, with the line of the plug-in where it crashed. */
function placed(error: unknown, path: string): string {
  const { message, stack } = error as Error
  const line = isTroupeError(error) ? undefined : lineIn(stack ?? '', path)
  return line === undefined ? message : `${message} (line ${line})`
}

async function checkPolicy(
  module: string,
  scenario: string | undefined,
  env: string | undefined,
  session: Session,
): Promise<Report> {
  const plugin = await loadPolicyPlugin(module)
  session.foreign.push(plugin.path)
  const { definition } = plugin
  const findings: Finding[] = []
  if (scenario !== undefined || env !== undefined) {
    const target = await resolveScenario(scenario, env, undefined, session)
    findings.push(...policyContract(definition, target.scenario, target.definitions))
  } else {
    const ids = trialScenarios(definition.envs)
    if (ids.length === 0) {
      throw new TroupeError('bad-usage', {
        where: `troupe check ${module}`,
        got: `a policy for ${definition.envs?.join(', ')}, which is not built in`,
        expected: '--env with the module that defines it',
      })
    }
    for (const id of ids) {
      const target = await resolveScenario(id, undefined, undefined, session)
      findings.push(...policyContract(definition, target.scenario, target.definitions))
    }
  }
  return { plugin, kind: 'policy', title: definition.name, findings }
}

/** An environment or a policy? The environment's complaint says when it is the other. */
async function kindOf(module: string): Promise<'environment' | 'policy'> {
  try {
    await loadEnvPlugin(module)
    return 'environment'
  } catch (error) {
    if (!isTroupeError(error) || error.code !== 'bad-option') throw error
    try {
      await loadPolicyPlugin(module)
      return 'policy'
    } catch (second) {
      // Neither fits: the complaint of the kind it resembles is the helpful one.
      if (error.got === 'a policy') throw second
      throw error
    }
  }
}

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument('<module>', './mine.js, or the name of an installed package')
    .option('--scenario <id>', 'scenario to try a policy on (default: one of each environment it plays)')
    .option('--env <module>', 'environment to try a policy on')
    .option('--option <name=value>', 'try an environment under these options as well; repeatable', keyValue('--option'))
    .addHelpText(
      'after',
      '\nExit code 0 when every promise is kept, 1 when one is broken, 2 when the module cannot be loaded.',
    )
    .action((module: string) =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const { scenario, env, option } = options.values as {
          scenario?: string
          env?: string
          option?: Record<string, unknown>
        }
        const kind = await kindOf(module)
        const report =
          kind === 'environment'
            ? await checkEnv(module, option, session)
            : await checkPolicy(module, scenario, env, session)
        const broken = report.findings.filter((finding) => !finding.ok)
        const { name, sha256, path } = report.plugin
        const ok = broken.length === 0
        session.out.result({ ok, kind, name, path, sha256, findings: report.findings }, () =>
          [
            `${bold(report.title)} (${report.kind}, ${name}, sha256 ${sha256.slice(0, 12)})`,
            ...report.findings.map(({ ok, name, detail }) =>
              ok
                ? `  ok      ${name}`
                : `  BROKEN  ${name}\n          ${(detail ?? '').replaceAll('\n', '\n          ')}`,
            ),
            '',
            ok
              ? `All ${report.findings.length} promises are kept.`
              : `${broken.length} of ${report.findings.length} promises ${broken.length === 1 ? 'is' : 'are'} broken.`,
          ].join('\n'),
        )
        return ok ? EXIT.fine : EXIT.failed
      }),
    )
}
