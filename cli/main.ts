#!/usr/bin/env node
/**
 * The `troupe` command. Only the file of the command that was typed is loaded, so that help and lists come at once.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Command } from 'commander'
import { TroupeError, nearestName, unknownName } from '../envs/core/errors.ts'
import { EXIT, EXIT_CODES_TEXT, createOutput, describeFailure, reportFailure, surviveClosedPipes } from './output.ts'
import { type CommandFile } from './command.ts'

/** Every command: what it is for, and how to get it. */
const COMMANDS: Record<string, { summary: string; load: () => Promise<CommandFile> }> = {
  demo: { summary: 'the whole path in two minutes: train, watch, evaluate, record', load: () => import('./demo.ts') },
  list: { summary: 'scenarios and their sizes', load: () => import('./list.ts') },
  algorithms: { summary: 'learners and policies', load: () => import('./algorithms.ts') },
  run: { summary: 'play a policy on a scenario', load: () => import('./run.ts') },
  train: { summary: 'train a learner on a scenario', load: () => import('./train.ts') },
  dataset: { summary: 'record episodes of a policy to learn from', load: () => import('./dataset.ts') },
  resume: { summary: 'continue a training run', load: () => import('./resume.ts') },
  bench: { summary: 'algorithms on a suite, several seeds each; resumable', load: () => import('./bench.ts') },
  evaluate: { summary: 'evaluate a run or a checkpoint by the protocol', load: () => import('./evaluate.ts') },
  report: { summary: 'tables and plots of records', load: () => import('./report.ts') },
  verify: { summary: 're-simulate a replay or check a record', load: () => import('./verify.ts') },
  watch: { summary: 'open the viewer', load: () => import('./watch.ts') },
  render: { summary: 'a picture or a film of a replay', load: () => import('./render.ts') },
  serve: { summary: 'run the server', load: () => import('./serve.ts') },
  submit: { summary: 'put a policy on the board of a server', load: () => import('./submit.ts') },
  prune: { summary: 'remove old replays of a data folder', load: () => import('./prune.ts') },
  backup: { summary: 'copy the leaderboard of a data folder', load: () => import('./backup.ts') },
  new: { summary: 'start an environment or a policy of your own', load: () => import('./new.ts') },
  check: { summary: 'try whether a plug-in keeps the contract', load: () => import('./check.ts') },
  tournament: { summary: 'everybody against everybody in a game for two', load: () => import('./tournament.ts') },
  dynamics: { summary: 'where learning leads in small games', load: () => import('./dynamics.ts') },
  speed: { summary: 'measure steps per second on this machine', load: () => import('./speed.ts') },
  doctor: { summary: 'what works on this machine and what does not', load: () => import('./doctor.ts') },
}

const GLOBAL_WITH_VALUE = new Set(['--data', '--config'])
const GLOBAL = new Set(['--json', '--quiet', '--print-config', ...GLOBAL_WITH_VALUE])

function helpText(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length))
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
  return `Usage: troupe <command> [options]

Multi-agent reinforcement learning whose every number can be checked.

Commands
${lines.join('\n')}

  troupe help <command>     options of one command
  troupe help all           options of every command
  troupe help exit-codes    what the process says when it ends

Options of every command
  --json            one JSON document on stdout and nothing else
  --quiet           no progress and no notes
  --data <dir>      folder of runs and replays (default: troupe-data)
  --config <file>   take options from a JSON file
  --print-config    show every effective setting and where it came from, then stop
  --version         version of troupe

Settings come from, strongest first: --set, flag, environment variable (TROUPE_SEED=3), --config file, preset, default.
`
}

/** The version of this package; the file is beside dist/ or, from source, beside cli/. */
function packageVersion(): string {
  for (const up of ['../../package.json', '../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(fileURLToPath(new URL(up, import.meta.url)), 'utf8'))
      if (name === 'troupe') return version
    } catch {
      // the other place
    }
  }
  return 'unknown'
}

/** The command, and everything else: shared options may be typed before it. */
function splitCommand(argv: readonly string[]): { name: string | undefined; rest: string[] } {
  const before: string[] = []
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]
    if (!word.startsWith('-')) return { name: word, rest: [...before, ...argv.slice(i + 1)] }
    before.push(word)
    if (GLOBAL_WITH_VALUE.has(word) && i + 1 < argv.length) before.push(argv[++i])
  }
  return { name: undefined, rest: before }
}

function usage(where: string, got: string, expected: string, nearest?: string): TroupeError {
  return new TroupeError('bad-usage', { where, got, expected, ...(nearest === undefined ? {} : { nearest }) })
}

/** Commander's complaint as one of ours, with the nearest option. */
function commandError(
  name: string,
  error: { code: string; message: string },
  options: string[],
  use: string,
): TroupeError {
  const quoted = /'([^']+)'/.exec(error.message)?.[1] ?? ''
  const where = name
  switch (error.code) {
    case 'commander.unknownOption': {
      const typed = quoted.split('=')[0]
      const nearest = nearestName(
        typed.replace(/^-+/, ''),
        options.map((option) => option.replace(/^-+/, '')),
      )
      const expected = `one of ${options.join(', ')}`
      return usage(`${where}: option`, `"${typed}"`, expected, nearest === undefined ? undefined : `"--${nearest}"`)
    }
    case 'commander.optionMissingArgument':
      return usage(`${where}: ${quoted}`, 'without its value', quoted.split(' ').slice(1).join(' '))
    case 'commander.missingArgument':
      return usage(`${where}: <${quoted}>`, 'missing', use)
    case 'commander.excessArguments':
      return usage(`${where}: arguments`, 'too many', use)
    default:
      return usage(where, error.message.replace(/^error: /, ''), use)
  }
}

/** `--policy --json`: an option's value was forgotten, and the next option must not be taken for it. */
function refuseSwallowedOptions(name: string, command: Command, rest: readonly string[]): void {
  const known = new Map(command.options.flatMap((option) => [[option.long, option] as const]))
  rest.forEach((word, i) => {
    const option = known.get(word)
    if (option?.required !== true || !known.has(rest[i + 1])) return
    throw usage(`${name}: ${option.flags}`, 'without its value', option.flags.split(' ').slice(1).join(' '))
  })
}

/** A command with all its options; `run` gets the work that its action asks for. */
async function commandOf(name: string, run: Parameters<CommandFile['define']>[1]): Promise<Command> {
  const [{ Command }, { addSharedOptions }, file] = await Promise.all([
    import('commander'),
    import('./settings.ts'),
    COMMANDS[name].load(),
  ])
  const command = new Command(`troupe ${name}`).description(COMMANDS[name].summary)
  command.exitOverride().configureOutput({ writeErr: () => {}, outputError: () => {} })
  command.helpOption('-h, --help', 'show this page').showHelpAfterError(false)
  file.define(command, run)
  addSharedOptions(command)
  return command
}

/** The pages of all commands, as `help <command>` shows them one by one. */
async function everyPage(): Promise<string> {
  const pages: string[] = []
  for (const name of Object.keys(COMMANDS)) {
    const command = await commandOf(name, async () => {})
    let page = ''
    command.configureOutput({ writeOut: (text) => (page += text) }).outputHelp()
    pages.push(page)
  }
  return pages.join('\n')
}

async function main(argv: readonly string[]): Promise<number> {
  const asked = splitCommand(argv)
  let { name, rest } = asked
  const asks = (flag: string, variable: string) => argv.includes(flag) || /^(1|true)$/.test(process.env[variable] ?? '')
  const json = asks('--json', 'TROUPE_JSON')
  const out = createOutput({ json, quiet: asks('--quiet', 'TROUPE_QUIET') })
  const foreign: string[] = []
  try {
    if (name === 'help') {
      const topic = rest.find((word) => !word.startsWith('-'))
      if (topic === 'exit-codes') {
        process.stdout.write(`${EXIT_CODES_TEXT}\n`)
        return EXIT.fine
      }
      if (topic === 'all') {
        process.stdout.write(await everyPage())
        return EXIT.fine
      }
      if (topic !== undefined && !Object.hasOwn(COMMANDS, topic)) {
        throw unknownName('help: topic', topic, [...Object.keys(COMMANDS), 'all', 'exit-codes'])
      }
      name = topic
      rest = ['--help']
    }
    if (name === undefined) {
      if (rest.includes('--version') || rest.includes('-V')) {
        const version = packageVersion()
        out.result({ version }, () => version)
        return EXIT.fine
      }
      const odd = rest.find((word, i) => !GLOBAL.has(word) && !GLOBAL_WITH_VALUE.has(rest[i - 1]))
      if (odd !== undefined && odd !== '--help' && odd !== '-h') {
        throw unknownName('option', odd, [...GLOBAL, '--version', '--help'])
      }
      process.stdout.write(helpText())
      return odd === undefined && rest.length === 0 ? EXIT.input : EXIT.fine
    }
    if (!Object.hasOwn(COMMANDS, name)) throw unknownName('command', name, Object.keys(COMMANDS))
    let exit: number = EXIT.fine
    const command = await commandOf(name, async (work) => {
      exit = (await work({ out, foreign, version: packageVersion() })) ?? EXIT.fine
    })
    refuseSwallowedOptions(name, command, rest)
    try {
      await command.parseAsync(rest, { from: 'user' })
    } catch (error) {
      const { code, message } = error as { code?: unknown; message: string }
      if (code === 'commander.helpDisplayed' || code === 'commander.help') return EXIT.fine
      if (typeof code === 'string' && code.startsWith('commander.')) {
        const options = command.options.map((option) => option.long ?? option.flags)
        throw commandError(name, { code, message }, options, `troupe ${name} ${command.usage()}`)
      }
      throw error
    }
    return exit
  } catch (error) {
    return reportFailure(describeFailure(error, foreign), out)
  }
}

surviveClosedPipes()
process.exitCode = await main(process.argv.slice(2))
