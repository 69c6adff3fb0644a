/** One run's folder, as the trainer writes it: run.json, log.jsonl, record.json, replays. */
import { lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Type, type Static } from '#typebox'
import { TroupeError } from '../envs/core/errors.ts'
import { check } from '../envs/core/schema.ts'
import { isAlive, presentFolder } from '../results/files.ts'
import { type RunDetail, type RunInfo } from './protocol/runs.ts'
import { readObject, readPart } from './files.ts'
import { problemOf } from './refusal.ts'
import { type ReplayFile, type ReplayFiles } from './replays.ts'
import { RunLog, readEntry, readReturn, runReplayId } from './run-log.ts'
import { type Limits } from './limits.ts'

/** What a page needs of a checkpoint to play its policy. */
export const POLICY_FILES = ['weights.safetensors', 'state.json']

/** How much of a log's end is read to list a run that nobody follows. */
const TAIL = 65_536

/** What is read of run.json; more may be there. */
const RunJson = Type.Object({
  algorithm: Type.String({ maxLength: 200 }),
  scenario: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 200 }),
    env: Type.String({ minLength: 1, maxLength: 200 }),
  }),
  seed: Type.Union([Type.String({ maxLength: 200 }), Type.Number()]),
  settings: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  startedAt: Type.String({ minLength: 1, maxLength: 100 }),
  status: Type.Union([
    Type.Literal('running'),
    Type.Literal('finished'),
    Type.Literal('interrupted'),
    Type.Literal('diverged'),
    Type.Literal('failed'),
  ]),
  step: Type.Integer({ minimum: 0 }),
  steps: Type.Integer({ minimum: 0 }),
  pid: Type.Optional(Type.Integer()),
})
type RunJson = Static<typeof RunJson> & { return?: unknown; latestReplay?: unknown }

export class RunFolder {
  readonly id: string
  readonly log: RunLog
  /** undefined while run.json cannot be read; `problem` says why. */
  info: RunInfo | undefined
  problem: string | undefined
  /** The folder is not there any more. */
  gone = false
  /** Raised whenever info, log or problem differ. */
  version = 0
  /** Replays by file name. A file that is new or was rewritten gets the next number. */
  readonly replays = new Map<string, { file: ReplayFile; number: number }>()
  /** Number of the newest replay; 0 when there is none. */
  newest = 0
  private readonly folder: string
  private readonly files: ReplayFiles
  private readonly limits: Limits
  private run: { value: RunJson; modifiedMs: number; bytes: number } | undefined
  private tail: { step: number; modifiedMs: number; bytes: number } | undefined
  private text = ''
  private busy: Promise<void> = Promise.resolve()

  /** @param data the data folder; @param id the folder's name, from a listing */
  constructor(data: string, id: string, files: ReplayFiles, limits: Limits) {
    this.id = id
    this.folder = join(data, 'runs', id)
    this.files = files
    this.limits = limits
    this.log = new RunLog(id, limits)
  }

  /** Folders whose changes concern a follower. */
  get folders(): string[] {
    return [this.folder, join(this.folder, 'replays')]
  }

  /** The folder of the best (else last) checkpoint, whose policy a page may play. */
  async policyFolder(): Promise<string | undefined> {
    for (const name of ['best', 'last']) {
      const folder = presentFolder(join(this.folder, 'checkpoints', name))
      if (folder === undefined) continue
      const places = [folder, ...POLICY_FILES.map((file) => join(folder, file))]
      const found = await Promise.all(places.map((place) => lstat(place).catch(() => undefined)))
      // Links could lead out of the data folder.
      if (found[0]?.isDirectory() === true && found.slice(1).every((file) => file?.isFile() === true)) return folder
    }
    return undefined
  }

  /** Reads what the list shows: run.json and the end of the log. */
  async refresh(): Promise<void> {
    return this.alone(() => this.readHead(() => this.readTail()))
  }

  /** Reads everything that was added, replays included. */
  async refreshFully(): Promise<void> {
    return this.alone(() =>
      this.readHead(async () => {
        if (await this.log.refresh(join(this.folder, 'log.jsonl'))) this.version++
        await this.readReplays()
      }),
    )
  }

  /** Everything about the run, from its files, and how far that goes for a follower who wants what comes after. */
  async look(): Promise<
    { detail: RunDetail } & Record<'version' | 'generation' | 'updates' | 'evaluations' | 'newest', number>
  > {
    let record: RunDetail['record'] = null
    const problems: string[] = []
    try {
      record = (await readObject(join(this.folder, 'record.json'), 'record.json', this.limits.recordBytes)).value
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') problems.push(problemOf('record.json', error))
    }
    await this.refreshFully()
    const { info, run, log, version, newest } = this
    if (info === undefined || run === undefined) {
      throw new TroupeError('bad-file', {
        where: `run "${this.id}"`,
        got: `unreadable (${this.problem ?? 'run.json: it is not there'})`,
        expected: 'a run.json as training writes it',
      })
    }
    const bySteps = new Map(log.evaluations.map((evaluation) => [evaluation.step, evaluation]))
    const detail = {
      run: info,
      scenario: run.value.scenario,
      settings: run.value.settings ?? {},
      evaluations: [...bySteps.values()].sort((a, b) => a.step - b.step),
      update: log.update,
      replays: this.newestFirst()
        .slice(0, 1000)
        .map((file) => file.id),
      record,
      problems: [...log.problems, ...problems],
    }
    return {
      detail,
      version,
      newest,
      generation: log.generation,
      updates: log.updates,
      evaluations: log.evaluations.length,
    }
  }

  newestFirst(): ReplayFile[] {
    return [...this.replays.values()].sort((a, b) => b.number - a.number).map(({ file }) => file)
  }

  /** One refresh at a time. */
  private alone(task: () => Promise<void>): Promise<void> {
    const turn = this.busy.then(task)
    this.busy = turn.catch(() => undefined)
    return turn
  }

  /** A damaged run.json hides what it says, not the log and the replays beside it. */
  private async readHead(rest: () => Promise<void>): Promise<void> {
    try {
      await this.readRun()
      this.problem = undefined
    } catch (error) {
      this.gone = (await stat(this.folder).catch(() => undefined)) === undefined
      this.problem = problemOf('run.json', error)
      this.run = undefined
    }
    try {
      await rest()
    } catch (error) {
      this.problem ??= problemOf('log.jsonl', error)
    }
    this.info = this.run === undefined ? undefined : this.summary(this.run)
    const text = JSON.stringify([this.info, this.problem, this.gone])
    if (text !== this.text) this.version++
    this.text = text
  }

  private async readRun(): Promise<void> {
    const path = join(this.folder, 'run.json')
    const found = await stat(path)
    if (this.run?.modifiedMs === found.mtimeMs && this.run.bytes === found.size) return
    const { value, modifiedMs, bytes } = await readObject(path, 'run.json', this.limits.runBytes)
    this.run = { value: check(RunJson, value, 'run.json'), modifiedMs, bytes }
  }

  private summary({ value, modifiedMs }: NonNullable<typeof this.run>): RunInfo {
    const updatedMs = Math.max(modifiedMs, this.log.modifiedMs, this.tail?.modifiedMs ?? 0)
    const evaluation = this.log.evaluations.at(-1)
    // run.json is written after the log; a log that nobody follows any more is older.
    const told = value.return === undefined ? null : readReturn(value.return)
    const step = Math.max(value.step, this.tail?.step ?? 0, this.log.update?.step ?? 0, evaluation?.step ?? 0)
    const { scenario } = value as { scenario: { id: string; env: string; title?: unknown } }
    const lost = value.status === 'running' && Date.now() - updatedMs > this.limits.lostMs && !isAlive(value.pid)
    return {
      id: this.id,
      status: lost ? 'lost' : value.status,
      algorithm: value.algorithm,
      scenario: scenario.id,
      title: typeof scenario.title === 'string' ? scenario.title.slice(0, 200) : scenario.id,
      env: scenario.env,
      seed: value.seed,
      startedAt: value.startedAt,
      updatedAt: new Date(updatedMs).toISOString(),
      step,
      steps: value.steps,
      return: evaluation !== undefined && evaluation.step >= value.step ? evaluation.return : told,
      latestReplay: runReplayId(this.id, value.latestReplay) ?? null,
    }
  }

  private async readTail(): Promise<void> {
    const path = join(this.folder, 'log.jsonl')
    const found = await stat(path).catch(() => undefined)
    if (found === undefined) return
    if (this.tail?.modifiedMs === found.mtimeMs && this.tail.bytes === found.size) return
    const { part, bytes, modifiedMs } = await readPart(path, 'log.jsonl', -TAIL, TAIL)
    const lines = new TextDecoder().decode(part).split('\n')
    for (let i = lines.length - 1; i >= 0; i--) {
      const entry = readEntry(lines[i], this.id)
      if (entry == null) continue
      this.tail = { step: entry.step, bytes, modifiedMs }
      return
    }
    this.tail = { step: 0, bytes, modifiedMs }
  }

  private async readReplays(): Promise<void> {
    const { files } = await this.files.ofRun(this.id)
    const names = new Set(files.map((file) => file.file))
    for (const name of this.replays.keys()) if (!names.has(name)) this.replays.delete(name)
    files.sort((a, b) => (a.file < b.file ? -1 : 1)) // names begin with the padded step
    for (const file of files) {
      const known = this.replays.get(file.file)?.file
      if (known?.bytes === file.bytes && known.modifiedMs === file.modifiedMs) continue
      this.replays.set(file.file, { file, number: ++this.newest })
    }
  }
}
