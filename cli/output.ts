/**
 * Where words go: results to stdout, everything else to stderr. With `--json` stdout gets exactly one JSON document.
 */
import { type TroupeError } from '../envs/core/errors.ts'

/** What the process says when it ends. */
export const EXIT = {
  fine: 0,
  /** Not genuine, contract broken, or training failed. */
  failed: 1,
  /** Bad input: names, options, files, actions. */
  input: 2,
  /** The machine said no: port, disk, missing part; or a defect of ours. */
  environment: 3,
  interrupted: 130,
} as const

export const EXIT_CODES_TEXT = `Exit codes
  0    fine
  1    not genuine (verify), contract broken (check), or training failed (NaN)
  2    bad input: an unknown name, option, file or action
  3    the machine said no: port in use, disk not writable, a part missing; or a defect of ours
  130  interrupted with Ctrl-C; what was done so far is kept`

/** What a command wants to say and how it may say it. */
export interface Output {
  readonly json: boolean
  readonly quiet: boolean
  /** true when the person sees stderr as it comes: a live line is welcome. */
  readonly live: boolean
  /** The result: the document with `--json`, else the text. Call it once. */
  result(document: unknown, text: () => string): void
  /** A line on stderr; silent with `--quiet`. */
  log(line: string): void
  /** A line on stderr that `--quiet` does not silence. */
  warn(line: string): void
  /** true once `result` was called. */
  readonly answered: boolean
}

export function createOutput(settings: { json: boolean; quiet: boolean }): Output {
  let answered = false
  return {
    ...settings,
    live:
      process.stderr.isTTY === true &&
      process.stderr.columns >= 40 && // some pseudo terminals have no size
      !settings.quiet &&
      !settings.json &&
      process.env.TERM !== 'dumb',
    result(document, text) {
      answered = true
      const words = settings.json ? JSON.stringify(document, null, 2) : text()
      process.stdout.write(words.endsWith('\n') ? words : `${words}\n`)
    },
    log(line) {
      if (!settings.quiet) process.stderr.write(`${line}\n`)
    },
    warn(line) {
      process.stderr.write(`${line}\n`)
    },
    get answered() {
      return answered
    },
  }
}

let onClosedPipe: (() => void) | undefined

/** What to do instead of ending at once when the reader of our output goes away: a training run keeps what it has. */
export function whenPipeCloses(act: (() => void) | undefined): void {
  onClosedPipe = act
}

/** A reader that goes away (`troupe list | head -1`) ends us quietly, output that cannot be written with one sentence. */
export function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') {
        if (onClosedPipe === undefined) process.exit(EXIT.fine)
        return onClosedPipe()
      }
      // A full disk under `> file`: said where somebody may still read it.
      const { message } = describeFailure(error)
      if (stream === process.stdout) process.stderr.write(`troupe: output: ${message}\n`)
      process.exit(EXIT.environment)
    })
  }
}

/** Also true for errors of a second copy of troupe (a plug-in may have brought one). */
export function isTroupeError(error: unknown): error is TroupeError {
  return error instanceof Error && error.name === 'TroupeError' && 'code' in error
}

const SYSTEM: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'read-only file system',
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'disk quota used up',
  EADDRINUSE: 'port in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'a folder, not a file',
  EMFILE: 'too many open files',
  ENOENT: 'no such file or folder',
}

export interface Failure {
  readonly exit: number
  readonly code: string
  /** One sentence. */
  readonly message: string
  /** Fields of a TroupeError, for `--json`. */
  readonly details?: Record<string, unknown>
  /** Where a defect happened; shown with TROUPE_DEBUG=1. */
  readonly stack?: string
}

/**
 * Any thrown thing as one sentence and an exit code.
 * @param foreign paths of loaded plug-ins: a crash inside them is their input, not our defect
 */
export function describeFailure(error: unknown, foreign: readonly string[] = []): Failure {
  if (isTroupeError(error)) {
    const exit =
      error.code === 'not-genuine' || error.code === 'diverged'
        ? EXIT.failed
        : error.code === 'environment'
          ? EXIT.environment
          : EXIT.input
    return { exit, code: error.code, message: error.message, details: error.toJSON(), stack: error.stack }
  }
  if (!(error instanceof Error)) return { exit: EXIT.environment, code: 'defect', message: String(error) }
  const { code, path, syscall } = error as NodeJS.ErrnoException
  if (typeof code === 'string' && code in SYSTEM && syscall !== undefined) {
    const message = path === undefined ? `${syscall}: ${SYSTEM[code]}` : `${path}: ${SYSTEM[code]} (${syscall})`
    return { exit: EXIT.environment, code: 'environment', message, stack: error.stack }
  }
  const plugin = foreign.find((file) => error.stack?.includes(file))
  if (plugin !== undefined) {
    const line = error.stack?.split('\n').find((text) => text.includes(plugin))
    const at = /:(\d+):(\d+)\)?$/.exec(line?.trim() ?? '')
    const place = at === null ? plugin : `${plugin}:${at[1]}`
    return {
      exit: EXIT.input,
      code: 'plug-in',
      message: `${place} threw ${error.name}: ${error.message}`,
      stack: error.stack,
    }
  }
  return {
    exit: EXIT.environment,
    code: 'defect',
    message: `${error.name}: ${error.message} (a defect of troupe; TROUPE_DEBUG=1 shows where)`,
    stack: error.stack,
  }
}

/** Says what went wrong in one sentence and returns the exit code. */
export function reportFailure(failure: Failure, out: { json: boolean; answered: boolean }): number {
  const { exit, code, message, details, stack } = failure
  if (out.json && !out.answered) {
    process.stdout.write(`${JSON.stringify({ error: details ?? { code, message } }, null, 2)}\n`)
  }
  process.stderr.write(`troupe: ${message}\n`)
  if (process.env.TROUPE_DEBUG !== undefined && stack !== undefined) process.stderr.write(`${stack}\n`)
  return exit
}

/** Bold where a person looks at stdout in colour; plain everywhere else. */
export function bold(text: string): string {
  const coloured = process.stdout.isTTY === true && process.env.NO_COLOR === undefined && process.env.TERM !== 'dumb'
  return coloured ? `\u001b[1m${text}\u001b[22m` : text
}

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
}

/** Rows in aligned columns, two spaces apart, with a title line. Cells must not contain line breaks. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((column, i) => Math.max(column.title.length, ...rows.map((row) => (row[i] ?? '').length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (columns[i].align === 'right' ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
      .join('  ')
      .trimEnd()
  return [bold(line(columns.map((column) => column.title))), ...rows.map((row) => line(row))].join('\n')
}

/** A number as a person reads it: '0.312', '12.4', '1,204', '2.41 M'. */
export function readable(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–'
  const size = Math.abs(value)
  if (size >= 1e9) return `${(value / 1e9).toFixed(2)} G`
  if (size >= 1e6) return `${(value / 1e6).toFixed(2)} M`
  if (Number.isInteger(value)) return value.toLocaleString('en-US')
  if (size >= 1000) return Math.round(value).toLocaleString('en-US')
  if (size >= 100) return value.toFixed(1)
  if (size >= 10) return value.toFixed(2)
  return value.toFixed(3)
}

/** '8 s', '3 min 20 s', '2 h 05 min'. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–'
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')} min`
}
