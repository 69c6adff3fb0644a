/** `troupe verify`: re-simulates replays, and checks records with the replays they point to. */
import { readFileSync, statSync } from 'node:fs'
import { type Command } from 'commander'
import { TroupeError, type EnvDefinition } from '../envs/core/index.ts'
import { ENVS } from '../envs/index.ts'
import { REPLAY_LIMITS, checkPlayable, definitionOf, readReplay, verifyReplay } from '../envs/core/replay.ts'
import { type EnvPlugin } from '../results/plugins.ts'
import { isBundle, readBundle } from '../server/protocol/bundle.ts'
import { type EntryDetail } from '../server/protocol/rest.ts'
import { type CommandFile, type Session } from './command.ts'
import { effective } from './settings.ts'
import { printed } from './print-config.ts'
import { EXIT, describeFailure } from './output.ts'
import { withPlugin } from './targets.ts'
import { entryLine, isEntryAddress, verifyEntryAt, verifyEntryFile, type EntryResult } from './verify-entry.ts'

interface Result {
  readonly file: string
  readonly ok: boolean
  readonly kind?: 'replay' | 'record' | 'replays'
  readonly step?: number
  readonly what?: string
  readonly agent?: string
  readonly expected?: string
  readonly actual?: string
  readonly steps?: number
  /** Whether the episode ended within the recording. */
  readonly complete?: boolean
  readonly return?: number
  /** Replays that a record points to and that were re-simulated. */
  readonly replays?: number
  /** Episodes of a record that its policy played again. */
  readonly played?: number
  /** Set when the file could not be judged at all. */
  readonly error?: Record<string, unknown>
}

interface Known {
  readonly definitions: Record<string, EnvDefinition>
  readonly plugin?: EnvPlugin
}

function read(path: string): Uint8Array {
  try {
    const { size } = statSync(path)
    if (size > REPLAY_LIMITS.fileBytes) {
      throw new TroupeError('bad-file', {
        where: path,
        got: `${size} bytes`,
        expected: `at most ${REPLAY_LIMITS.fileBytes}`,
      })
    }
    return readFileSync(path)
  } catch (error) {
    if (error instanceof TroupeError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new TroupeError('bad-file', {
      where: path,
      got: code === 'ENOENT' ? 'not there' : code === 'EISDIR' ? 'a folder' : `unreadable (${code})`,
      expected: 'a replay or a record',
    })
  }
}

/** Verifies one replay. @throws TroupeError when it cannot be judged */
function replayResult(file: string, bytes: Uint8Array, { definitions, plugin }: Known): Result {
  const replay = readReplay(bytes, {}, file)
  const { env, plugin: made } = replay.header
  let definition: EnvDefinition
  if (made === undefined) definition = definitionOf(replay.header, definitions, file)
  else if (plugin?.definition.id === env) {
    definition = plugin.definition
    if (made.sha256 !== plugin.sha256) {
      throw new TroupeError('bad-version', {
        where: `${file}: plug-in ${made.name}`,
        got: `recorded with SHA-256 ${made.sha256.slice(0, 12)}…`,
        expected: `${plugin.sha256.slice(0, 12)}…, that of ${plugin.specifier}`,
      })
    }
    checkPlayable(replay.header, definition, file)
  } else {
    throw new TroupeError('bad-version', {
      where: `${file}: environment`,
      got: `${env} from the plug-in ${made.name} (SHA-256 ${made.sha256.slice(0, 12)}…)`,
      expected: '--env with that module, so that its rules can run',
    })
  }
  const verdict = verifyReplay(replay, definition)
  const total = replay.header.result?.return
  if (verdict.ok) {
    const { steps, complete } = verdict
    return { file, ok: true, kind: 'replay', steps, complete, ...(total === undefined ? {} : { return: total }) }
  }
  const { step, what, expected, actual } = verdict
  return { file, ok: false, kind: 'replay', ...(step === undefined ? {} : { step }), what, expected, actual }
}

async function judge(file: string, known: Known): Promise<Result | EntryResult> {
  if (isEntryAddress(file)) return verifyEntryAt(file)
  const bytes = read(file)
  if (isBundle(bytes)) return bundleResult(file, bytes, known)
  const text = bytes[0] === 0x7b // '{': a record is JSON, a replay never starts so
  if (!text) return replayResult(file, bytes, known)
  const entry = entryIn(bytes)
  if (entry !== undefined) return verifyEntryFile(file, entry)
  const { verifyRecord } = await import('./verify-record.ts')
  return verifyRecord(file, (path, part) => replayResult(path, part, known))
}

/** The replays of an entry or a submission, one after the other; the first that is not genuine speaks for all. */
function bundleResult(file: string, bytes: Uint8Array, known: Known): Result {
  const results = readBundle(bytes).map((replay, k) => replayResult(`${file}: episode ${k}`, replay, known))
  const odd = results.find(({ ok }) => !ok)
  if (odd !== undefined) return odd
  return { file, ok: true, kind: 'replays', replays: results.length }
}

/** An entry of a board as its page hands it out, or undefined for other JSON. */
function entryIn(bytes: Uint8Array): EntryDetail | undefined {
  try {
    const value = JSON.parse(new TextDecoder().decode(bytes)) as Partial<EntryDetail>
    return Array.isArray(value.episodes) && value.row !== undefined && value.scenarioHash !== undefined
      ? (value as EntryDetail)
      : undefined
  } catch {
    return undefined // the record's own check says what is wrong with it
  }
}

function line(result: Result | EntryResult): string {
  if (result.kind === 'entry') return entryLine(result as EntryResult)
  return plainLine(result as Result)
}

function plainLine(result: Result): string {
  const { file, ok, kind, steps, step, what, agent, expected, actual } = result
  if (ok) {
    const total = result.return === undefined ? '' : `, return ${result.return}`
    const part = result.complete === false ? ', the recording stops before the episode does' : ''
    if (kind === 'replays') return `genuine      ${file} (${result.replays} replays re-simulated)`
    if (kind === 'record')
      return `genuine      ${file} (record, ${result.replays} replay${result.replays === 1 ? '' : 's'} re-simulated${result.played === undefined ? '' : `, ${result.played} episodes played again`})`
    return `genuine      ${file}${steps === undefined ? '' : ` (${steps} step${steps === 1 ? '' : 's'}${total}${part})`}`
  }
  if (result.error !== undefined) return `unreadable   ${String(result.error.message)}`
  const place = step === undefined ? '' : ` at step ${step}`
  if (what === 'action' && agent !== undefined) {
    return `NOT GENUINE  ${file}: illegal action of ${agent}${place}: ${actual}; expected ${expected}`
  }
  return `NOT GENUINE  ${file}: ${what ?? kind} differs${place}; recorded ${expected}, re-simulated ${actual}`
}

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument(
      '<files...>',
      'replays (*.replay), records (record.json), bundles, or entries of a board (address or file)',
    )
    .option('--env <module>', 'the plug-in that a replay was made with')
    .addHelpText(
      'after',
      '\nAn entry of a board: `troupe verify http://127.0.0.1:7340/entry/<id>` simulates all its episodes here and computes its\nscore anew; offline, give the <id>.json that its page hands out, with <id>.replays beside it.\n\nExit code 0 genuine, 1 not genuine, 2 unreadable or of an unknown version. With several files, the worst.',
    )
    .action((files: string[]) =>
      perform(async (session: Session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const { env } = options.values as { env?: string }
        const known: Known = env === undefined ? { definitions: ENVS } : await withPlugin(env, session)
        if (files.length === 1) {
          const result = await judge(files[0], known)
          session.out.result(result, () => line(result))
          return result.ok ? EXIT.fine : EXIT.failed
        }
        const results: (Result | EntryResult)[] = []
        let exit: number = EXIT.fine
        for (const file of files) {
          try {
            const result = await judge(file, known)
            results.push(result)
            if (!result.ok) exit = Math.max(exit, EXIT.failed)
          } catch (error) {
            const failure = describeFailure(error, session.foreign)
            exit = Math.max(exit, failure.exit)
            results.push({
              file,
              ok: false,
              error: failure.details ?? { code: failure.code, message: failure.message },
            })
          }
        }
        session.out.result({ ok: exit === EXIT.fine, files: results }, () => results.map(line).join('\n'))
        return exit
      }),
    )
}
