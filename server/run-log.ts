/** A run's log.jsonl, read as it grows: each refresh reads only what was added. */
import { type ReturnSummary, type RunEvaluation, type RunUpdate } from './protocol/runs.ts'
import { readPart } from './files.ts'
import { SUFFIX, replayId } from './replays.ts'
import { type Limits } from './limits.ts'

const PART = 1 << 20
const NEWLINE = 10

export class RunLog {
  /** In the order of the file. */
  evaluations: RunEvaluation[] = []
  /** The last one. */
  update: RunUpdate | null = null
  /** Updates read so far. */
  updates = 0
  /** Raised when the file was replaced or cut (a resumed run does so); counts above begin again. */
  generation = 0
  problems: string[] = []
  modifiedMs = 0
  private offset = 0
  private inode = 0
  private rest = new Uint8Array(0)
  private overlong = false
  private damaged = 0
  private readonly run: string
  private readonly limits: Limits

  constructor(run: string, limits: Limits) {
    this.run = run
    this.limits = limits
  }

  /** Reads what was added. @returns whether anything was. A log that is not there yet is empty. */
  async refresh(path: string): Promise<boolean> {
    let changed = false
    for (;;) {
      let read
      try {
        read = await readPart(path, 'log.jsonl', this.offset, PART)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return changed
        throw error
      }
      this.modifiedMs = read.modifiedMs
      const replaced = read.inode !== this.inode && this.offset > 0
      this.inode = read.inode
      if (replaced || read.bytes < this.offset) {
        this.restart()
        changed = true
        continue
      }
      if (this.offset === 0 && read.bytes > this.limits.logBytes) {
        this.offset = read.bytes - this.limits.logBytes
        this.overlong = true // the first line is cut
        this.problems.push(`log.jsonl: only its last ${this.limits.logBytes} of ${read.bytes} bytes were read`)
        continue
      }
      if (read.part.length === 0) return changed
      this.offset += read.part.length
      this.take(read.part)
      changed = true
    }
  }

  private restart(): void {
    this.evaluations = []
    this.update = null
    this.updates = 0
    this.generation++
    this.problems = []
    this.offset = 0
    this.rest = new Uint8Array(0)
    this.overlong = false
    this.damaged = 0
  }

  private take(part: Uint8Array): void {
    let from = 0
    for (let at = part.indexOf(NEWLINE); at >= 0; at = part.indexOf(NEWLINE, from)) {
      this.line(part.subarray(from, at))
      from = at + 1
    }
    const left = part.subarray(from)
    if (this.overlong) return
    if (this.rest.length + left.length > this.limits.logLineBytes) {
      this.overlong = true
      this.rest = new Uint8Array(0)
      return
    }
    const rest = new Uint8Array(this.rest.length + left.length)
    rest.set(this.rest)
    rest.set(left, this.rest.length)
    this.rest = rest
  }

  /** The end of a line; its beginning may wait in `rest`. */
  private line(end: Uint8Array): void {
    if (this.overlong || this.rest.length + end.length > this.limits.logLineBytes) {
      this.overlong = false
      this.rest = new Uint8Array(0)
      this.damage()
      return
    }
    const decoder = new TextDecoder()
    const text = (decoder.decode(this.rest, { stream: true }) + decoder.decode(end)).trim()
    this.rest = new Uint8Array(0)
    if (text === '') return
    const entry = readEntry(text, this.run)
    if (entry === undefined) this.damage()
    else if (entry === null) return
    else if (entry.kind === 'update') {
      this.update = entry
      this.updates++
    } else if (this.evaluations.length < this.limits.evaluations) this.evaluations.push(entry)
  }

  private damage(): void {
    this.damaged++
    const text = (count: number) => `log.jsonl: ${count} ${count === 1 ? 'line' : 'lines'} could not be read`
    const known = this.problems.indexOf(text(this.damaged - 1))
    if (known >= 0) this.problems[known] = text(this.damaged)
    else this.problems.push(text(this.damaged))
  }
}

/** One line; null for kinds that are not shown, undefined when it is damaged. */
export function readEntry(text: string, run: string): RunUpdate | RunEvaluation | null | undefined {
  let value: Record<string, unknown>
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined
  const { kind, step } = value
  if (kind !== 'update' && kind !== 'evaluation') return null
  if (!Number.isSafeInteger(step) || (step as number) < 0) return undefined
  const metrics = readMetrics(value.metrics)
  if (kind === 'update') {
    const entry: RunUpdate = { kind, step: step as number, metrics }
    if (Number.isSafeInteger(value.steps) && (value.steps as number) >= 0) entry.steps = value.steps as number
    if (value.stepsPerSecond !== undefined) entry.stepsPerSecond = number(value.stepsPerSecond)
    if (value.secondsLeft !== undefined) entry.secondsLeft = number(value.secondsLeft)
    return entry
  }
  const entry: RunEvaluation = { kind, step: step as number, return: readReturn(value.return), metrics }
  const replay = runReplayId(run, value.replay)
  if (replay !== undefined) entry.replay = replay
  return entry
}

/** Id of a run's replay from the path or name a trainer wrote down; undefined when it is none. */
export function runReplayId(run: string, path: unknown): string | undefined {
  if (typeof path !== 'string' || path.length > 4096) return undefined
  const name = path.split(/[/\\]/).pop()!
  if (name.length <= SUFFIX.length || name.length > 180 || !name.endsWith(SUFFIX) || name.includes(':'))
    return undefined
  return replayId('run', name, run)
}

/** A summary from the object a trainer writes, or from its mean alone. */
export function readReturn(value: unknown): ReturnSummary {
  if (value === null || typeof value !== 'object') return { mean: number(value) }
  const { mean, std, min, max, interval } = value as Record<string, unknown>
  const summary: ReturnSummary = { mean: number(mean) }
  if (std !== undefined) summary.std = number(std)
  if (min !== undefined) summary.min = number(min)
  if (max !== undefined) summary.max = number(max)
  if (Array.isArray(interval) && interval.length === 2) summary.interval = [number(interval[0]), number(interval[1])]
  return summary
}

function readMetrics(value: unknown): Record<string, number | null> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return {}
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 200)
      .map(([name, metric]) => [name.slice(0, 200), number(metric)]),
  )
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
