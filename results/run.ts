/**
 * One run: a scenario is trained on, evaluated on the way, measured at the end and recorded, with replays.
 *
 * Everything is in the run's folder, and a stopped run goes on from there to the same weights as one never stopped:
 *   run.json      what runs here and how far it is; rewritten whole at every evaluation
 *   log.jsonl     one line per update and per evaluation
 *   record.json   the result, at the end, also of a run that was stopped
 *   checkpoints/  last and best, each weights.safetensors and state.json
 *   replays/      a few evaluation episodes of every evaluation, and of the absolute metric
 *   run.lock      the process that trains here, while it does
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { TroupeError, check, shown, unknownName, type EnvBatch, type EnvDefinition } from '../envs/core/index.ts'
import { ENVS } from '../envs/index.ts'
import { weightsHash, type Checkpoint } from '../agents/core/checkpoint.ts'
import { type Evaluation, type Statistics } from '../agents/core/evaluate.ts'
import { decodeDataset, encodeDataset, type Dataset } from '../agents/core/dataset.ts'
import { type Learner, type LearnerDefinition, type Metrics, type SavedPart } from '../agents/core/learner.ts'
import { type Policy } from '../agents/core/policy.ts'
import { LEARNERS } from '../agents/index.ts'
import { scenarioHash, scenarioSpec } from '../scenarios/open.ts'
import { checkScenario, type Scenario } from '../scenarios/schema.ts'
import { useBackend, type BackendChoice } from './backend.ts'
import { claimFolder, readCheckpoint, readDataset, sha256, writeAtomic, writeCheckpoint, writeJson } from './files.ts'
import { measureEpisodes, type Measurement } from './measure.ts'
import { openLearner, type OpenedLearner } from './parallel.ts'
import { EvaluationPoint, hardware, packageVersion, recordText, type ResultRecord } from './record.ts'

/** A long stretch without an evaluation still leaves a checkpoint this often. */
const CHECKPOINT_SECONDS = 60

export interface RunRequest {
  readonly scenario: Scenario
  /** Name in LEARNERS. */
  readonly algorithm: string
  /** Overrides of the learner's defaults. */
  readonly settings?: Readonly<Record<string, unknown>>
  readonly seed: string | number
  /** Environment steps in all, over all lanes; the last update may go beyond by less than one rollout. */
  readonly steps: number
  /** The run's folder; made when missing. */
  readonly out: string
  readonly evaluation?: {
    /** Evaluations spread evenly from before the first update to the end, both included; 1 = at the end only. */
    readonly points?: number
    readonly episodes?: number
    /** Of the absolute metric; 0 leaves it out. Default: the scenario's, at most ten times `episodes`. */
    readonly absoluteEpisodes?: number
    /** Replays written per evaluation; default 1. */
    readonly replays?: number
    /** Of the absolute metric also the episodes with the lowest returns; default 0. */
    readonly worst?: number
  }
  /** Stops after the running update; checkpoint and record are written. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
  /** Goes on from the folder's last checkpoint instead of beginning. */
  readonly resume?: boolean
  /** A foreign environment and what replays and records call it; `path` lets several workers load it. */
  readonly plugin?: {
    readonly definition: EnvDefinition
    readonly name: string
    readonly sha256: string
    readonly path?: string
  }
  /** Default 'auto'. */
  readonly backend?: string
  /** File of recorded episodes, for learners that do not play; a resumed run takes that of its beginning. */
  readonly dataset?: string
  /** Writes the episodes in the learner's memory to this file at the end. */
  readonly exportDataset?: string
  /** Threads that share the shards of the settings, at most one each; changes nothing but the speed. Default: cores. */
  readonly workers?: number
}

export type RunStatus = 'finished' | 'interrupted' | 'diverged'

export type Progress =
  | {
      readonly kind: 'update'
      readonly step: number
      readonly steps: number
      readonly stepsPerSecond: number
      readonly secondsLeft: number
      readonly metrics: Metrics
    }
  | {
      readonly kind: 'evaluation'
      readonly step: number
      /** How the return was measured. */
      readonly protocol: Evaluation['protocol']
      readonly return: Statistics
      readonly metrics: Record<string, number | null>
      /** Path of the first recorded episode; '' when none was. */
      readonly replay: string
    }
  | { readonly kind: 'status'; readonly status: 'running' | RunStatus; readonly step: number; readonly message: string }

export interface RunSummary {
  readonly algorithm: string
  readonly scenario: string
  readonly seed: string
  readonly out: string
  readonly steps: number
  readonly seconds: number
  readonly stepsPerSecond: number
  readonly protocol: Evaluation['protocol']
  readonly evaluations: readonly {
    readonly step: number
    readonly return: Statistics
    readonly metrics: Record<string, number | null>
  }[]
  /** Best checkpoint, fresh episodes. */
  readonly absolute: { readonly step: number; readonly episodes: number; readonly return: Statistics } | null
  readonly weightsHash: string
  /** Path of record.json. */
  readonly record: string
  readonly status: RunStatus
}

/** What the run itself must remember beside its learner; lies in the checkpoint's state under `run`. */
interface Ledger {
  /** Evaluations made, in order. */
  evaluations: EvaluationPoint[]
  best: ResultRecord['best']
  /** The best is only the latest of a learner that is not what was asked for yet. */
  pending?: boolean
  /** Wall seconds of the sittings before. */
  seconds: number
}

/** The recorded episodes of a run. */
interface Recorded {
  readonly path: string
  readonly sha256: string
  readonly dataset: Dataset
}

interface Plan {
  readonly request: RunRequest
  readonly recorded: Recorded | undefined
  readonly definition: LearnerDefinition
  readonly environments: Readonly<Record<string, EnvDefinition>>
  readonly scenario: Scenario
  readonly seed: string
  /** Evaluations happen when training has reached these steps. */
  readonly schedule: readonly number[]
  readonly episodes: number
  readonly absoluteEpisodes: number
  readonly replays: number
  readonly worst: number
  readonly folder: string
  readonly startedAt: string
}

/**
 * Trains, evaluates, records.
 * @throws TroupeError for a request that cannot be; a run that diverges does not throw, its summary says so
 */
export async function trainRun(request: RunRequest): Promise<RunSummary> {
  const plan = planOf(request)
  const backend = await useBackend(request.backend ?? 'auto')
  // A resumed run goes on with the settings it had.
  const resumed = request.resume === true ? readCheckpoint(join(plan.folder, 'checkpoints/last')) : undefined
  const opened = await openLearner({
    scenario: plan.scenario,
    algorithm: plan.definition.name,
    settings: (resumed?.state.settings as Record<string, unknown> | undefined) ?? settingsOf(plan),
    seed: plan.seed,
    environments: plan.environments,
    backend: backend.name,
    ...(request.workers === undefined ? {} : { workers: request.workers }),
    ...(request.plugin?.path === undefined ? {} : { module: request.plugin.path }),
    ...(plan.recorded === undefined ? {} : { dataset: plan.recorded.dataset }),
  })
  try {
    if (request.exportDataset !== undefined) requireEpisodes(opened.learner, plan.definition.name)
    const run = new Run(plan, backend, opened, resumed)
    const release = claimFolder(request.out)
    try {
      return await run.go()
    } catch (error) {
      run.fail(error)
      throw error
    } finally {
      release()
    }
  } finally {
    await opened.close()
  }
}

/** The request's settings, with the length of the run where a schedule of the learner asks for it. */
function settingsOf({ request, definition }: Plan): Record<string, unknown> {
  const given = { ...request.settings }
  const { properties } = definition.settings
  if (!('scheduleSteps' in properties) || given.scheduleSteps != null) return given
  const scheduled = Object.entries(properties).some(
    ([name, { default: value }]) => name.endsWith('Schedule') && (given[name] ?? value) !== 'constant',
  )
  return scheduled ? { ...given, scheduleSteps: request.steps } : given
}

/** Reads the episodes that a run learns from; a resumed run must find those it began with. */
function recordedFor(
  { offline, name }: LearnerDefinition,
  { dataset: asked }: RunRequest,
  earlier: RunFile | undefined,
): Recorded | undefined {
  if (offline !== true) {
    if (asked === undefined) return undefined
    throw new TroupeError('bad-option', {
      where: 'dataset',
      got: `${shown(asked)} for ${name}, which learns from what it plays`,
      expected: `no dataset, or an algorithm that learns from one: ${offlineNames().join(', ')}`,
    })
  }
  const path = asked ?? earlier?.dataset?.path
  if (path === undefined) {
    throw new TroupeError('bad-usage', {
      where: `${name}: dataset`,
      got: 'none',
      expected: 'a file of recorded episodes: --dataset FILE, made by `troupe dataset`',
    })
  }
  const bytes = readDataset(path)
  const recorded = { path: resolve(path), sha256: sha256(bytes), dataset: decodeDataset(bytes, path) }
  const before = earlier?.dataset?.sha256
  if (before === undefined || before === recorded.sha256) return recorded
  throw new TroupeError('bad-file', {
    where: path,
    got: `SHA-256 ${recorded.sha256.slice(0, 12)}…`,
    expected: `${before.slice(0, 12)}…, the episodes that the run began with`,
  })
}

function offlineNames(): string[] {
  return Object.values(LEARNERS).flatMap(({ name, offline }) => (offline === true ? [name] : []))
}

/** @throws TroupeError when the learner keeps no episodes */
function requireEpisodes(learner: Learner, name: string): void {
  if (learner.dataset !== undefined) return
  throw new TroupeError('bad-option', {
    where: 'export of a dataset',
    got: `${name}, which keeps no episodes`,
    expected: 'an algorithm with a memory of episodes such as iql; or record a policy’s with `troupe dataset`',
  })
}

/** Steps at which to evaluate: evenly from 0 to the end. */
export function evaluationSteps(points: number, steps: number): number[] {
  if (points <= 1) return [steps]
  return Array.from({ length: points }, (_, k) => Math.round((steps * k) / (points - 1)))
}

function planOf(request: RunRequest): Plan {
  const { algorithm, steps, out } = request
  if (!Object.hasOwn(LEARNERS, algorithm)) throw unknownName('algorithm', algorithm, Object.keys(LEARNERS))
  if (!Number.isInteger(steps) || steps < 1) {
    throw new TroupeError('bad-option', { where: 'steps', got: shown(steps), expected: 'a whole number of 1 or more' })
  }
  const { plugin } = request
  const environments = plugin === undefined ? ENVS : { ...ENVS, [plugin.definition.id]: plugin.definition }
  const scenario = checkScenario(request.scenario, `scenario ${request.scenario.id}`)
  scenarioSpec(scenario, environments)
  const points = request.evaluation?.points ?? scenario.evaluation.points
  const episodes = request.evaluation?.episodes ?? scenario.evaluation.episodes
  const wanted = request.evaluation?.absoluteEpisodes
  for (const [name, value, least] of [
    ['points', points, 1],
    ['episodes', episodes, 1],
    ['absoluteEpisodes', wanted ?? 0, 0],
    ['replays', request.evaluation?.replays ?? 1, 0],
    ['worst', request.evaluation?.worst ?? 0, 0],
  ] as const) {
    if (Number.isInteger(value) && value >= least) continue
    const expected = `a whole number of ${least} or more`
    throw new TroupeError('bad-option', { where: `evaluation: ${name}`, got: shown(value), expected })
  }
  const earlier = readRunFile(out)
  if (earlier !== undefined && request.resume !== true) {
    throw new TroupeError('bad-usage', {
      where: out,
      got: `the folder of another run (${earlier.algorithm}, seed ${earlier.seed}, step ${earlier.step})`,
      expected: 'a new folder, or to resume that run',
    })
  }
  if (request.resume === true) {
    if (earlier === undefined) {
      throw new TroupeError('bad-file', { where: out, got: 'no run to resume', expected: 'a folder with run.json' })
    }
    const asked = { algorithm, seed: String(request.seed), scenario: scenarioHash(scenario) }
    const there = { algorithm: earlier.algorithm, seed: earlier.seed, scenario: scenarioHash(earlier.scenario) }
    for (const key of Object.keys(asked) as (keyof typeof asked)[]) {
      if (asked[key] === there[key]) continue
      const got = shown(asked[key])
      throw new TroupeError('bad-usage', {
        where: `${out}: ${key}`,
        got,
        expected: `${shown(there[key])}, as it began`,
      })
    }
  }
  return {
    request,
    recorded: recordedFor(LEARNERS[algorithm], request, request.resume === true ? earlier : undefined),
    definition: LEARNERS[algorithm],
    environments,
    scenario,
    seed: String(request.seed),
    schedule: evaluationSteps(points, steps),
    episodes,
    absoluteEpisodes: wanted ?? Math.min(scenario.evaluation.absoluteEpisodes, 10 * episodes),
    replays: request.evaluation?.replays ?? 1,
    worst: request.evaluation?.worst ?? 0,
    folder: out,
    startedAt: earlier?.startedAt ?? new Date().toISOString(),
  }
}

interface RunFile {
  readonly algorithm: string
  readonly seed: string
  readonly step: number
  readonly scenario: Scenario
  readonly settings: Readonly<Record<string, unknown>>
  readonly startedAt: string
  readonly dataset?: { readonly path: string; readonly sha256: string }
}

function readRunFile(folder: string): RunFile | undefined {
  const path = join(folder, 'run.json')
  if (!existsSync(path)) return undefined
  try {
    const run = JSON.parse(readFileSync(path, 'utf8')) as RunFile & { format: unknown }
    if (run.format !== 1) {
      throw new TroupeError('bad-version', { where: path, got: `format ${shown(run.format)}`, expected: 'format 1' })
    }
    return { ...run, scenario: checkScenario(run.scenario, `${path}: scenario`) }
  } catch (error) {
    if (error instanceof TroupeError) throw error
    throw new TroupeError('bad-file', { where: path, got: 'not JSON', expected: 'what a run writes about itself' })
  }
}

class Run {
  private readonly plan: Plan
  private readonly backend: BackendChoice
  private readonly learner: Learner
  private readonly workers: number
  private readonly ledger: Ledger = { evaluations: [], best: null, seconds: 0 }
  private readonly began = performance.now()
  private readonly version = packageVersion()
  private latestReplay: string | undefined
  private savedAt = performance.now()

  constructor(plan: Plan, backend: BackendChoice, opened: OpenedLearner, resumed: Checkpoint | undefined) {
    this.plan = plan
    this.backend = backend
    this.learner = opened.learner
    this.workers = opened.workers
    if (resumed !== undefined) this.restore(resumed)
  }

  private restore(checkpoint: Checkpoint): void {
    const { run, ...state } = checkpoint.state as { run?: Ledger }
    this.learner.load({ weights: checkpoint.weights, state })
    const where = `${this.plan.folder}: checkpoint`
    for (const point of run?.evaluations ?? []) this.ledger.evaluations.push(check(EvaluationPoint, point, where))
    this.ledger.best = run?.best ?? null
    this.ledger.pending = run?.pending ?? false
    this.ledger.seconds = run?.seconds ?? 0
  }

  private get seconds(): number {
    return this.ledger.seconds + (performance.now() - this.began) / 1000
  }

  private path(...parts: string[]): string {
    return join(this.plan.folder, ...parts)
  }

  async go(): Promise<RunSummary> {
    const { plan, learner } = this
    const { request } = plan
    mkdirSync(this.path('replays'), { recursive: true })
    mkdirSync(this.path('checkpoints'), { recursive: true })
    if (request.resume === true) this.trimLog()
    this.writeRun('running')
    const by = this.workers === 1 ? '' : ` by ${this.workers} workers`
    this.tell('running', `${request.resume === true ? 'resumed' : 'started'} on ${this.backend.name}${by}`)
    let status: RunStatus = 'finished'
    let diverged: ResultRecord['diverged']
    let paceStep = learner.steps
    let paceTime = performance.now()
    // Steps and milliseconds of late: updates of learners with a memory take no time or much.
    const late = { steps: 0, ms: 0 }
    try {
      await this.evaluateWhenDue()
      if (!existsSync(this.path('checkpoints/last'))) this.saveLast()
      while (learner.steps < request.steps) {
        if (request.signal?.aborted === true) break
        const metrics = learner.collectAndUpdate()
        const now = performance.now()
        late.steps = 0.9 * late.steps + learner.steps - paceStep
        late.ms = 0.9 * late.ms + now - paceTime
        this.reportUpdate(metrics, (late.steps * 1000) / Math.max(late.ms, 1e-3))
        await turn() // lets a Ctrl-C through
        await this.evaluateWhenDue()
        if (performance.now() - this.savedAt > CHECKPOINT_SECONDS * 1000) this.saveLast()
        paceStep = learner.steps
        paceTime = performance.now()
      }
      if (learner.steps < request.steps) status = 'interrupted'
    } catch (error) {
      if (!(error instanceof TroupeError) || error.code !== 'diverged') throw error
      // The last checkpoint on disk is from before; the learner in memory is not worth keeping.
      status = 'diverged'
      diverged = { step: learner.steps, message: error.message }
      this.log({ kind: 'diverged', step: learner.steps, message: error.message })
    }
    if (status !== 'diverged') this.saveLast()
    if (request.exportDataset !== undefined) writeAtomic(request.exportDataset, encodeDataset(learner.dataset!()))
    const absolute = status === 'finished' ? await this.measureBest() : null
    if (status === 'finished' && absolute === undefined) status = 'interrupted' // while the best was measured
    const record = this.record(status, diverged, absolute ?? null)
    writeAtomic(this.path('record.json'), recordText(record))
    this.writeRun(status)
    this.tell(status, diverged?.message ?? status)
    return {
      algorithm: record.algorithm,
      scenario: record.scenario.id,
      seed: record.seed,
      out: plan.folder,
      steps: record.steps.total,
      seconds: record.seconds,
      stepsPerSecond: record.stepsPerSecond,
      protocol: this.protocol(plan.episodes),
      evaluations: record.evaluations.map(({ step, return: measured, metrics }) => ({
        step,
        return: measured,
        metrics,
      })),
      absolute:
        record.absolute === null
          ? null
          : { step: record.absolute.step, episodes: record.absolute.returns.length, return: record.absolute.return },
      weightsHash: record.weightsHash,
      record: this.path('record.json'),
      status,
    }
  }

  /** An error that no run can go on from, such as a full disk: what was reached stays, and run.json says why it ended. */
  fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    try {
      this.writeRun('failed', message)
      this.log({ kind: 'failed', step: this.learner.steps, message })
    } catch {
      // The disk does not take even that; the error itself tells the user, and the server calls such a run lost.
    }
  }

  // --- evaluation ----------------------------------------------------------------------------------------------------

  private protocol(episodes: number): Evaluation['protocol'] {
    const { scenario } = this.plan
    return {
      policy: scenario.evaluation.policy,
      episodes,
      return: scenario.teamReward === 'mean' ? 'mean over agents' : 'sum over agents',
    }
  }

  /** Evaluates once when one or more planned steps have been reached since the last evaluation. */
  private async evaluateWhenDue(): Promise<void> {
    const { plan, learner, ledger } = this
    const done = ledger.evaluations.at(-1)?.step ?? -1
    if (!plan.schedule.some((step) => step > done && step <= learner.steps)) return
    // Who asked to stop does not wait for an evaluation; a resumed run makes it up before it trains on.
    if (plan.request.signal?.aborted === true && learner.steps < plan.request.steps) return
    const point = ledger.evaluations.length
    const policy = learner.policy(plan.scenario.evaluation.policy)
    const played = await this.play(policy, 'eval', point, plan.episodes, learner.steps, learner)
    if (played === undefined) return
    const { summary, replays } = played
    const entry: EvaluationPoint = {
      step: learner.steps,
      point,
      return: plainStatistics(summary.return),
      returns: summary.returns,
      lengths: summary.lengths,
      metrics: summary.metrics,
      replays,
    }
    ledger.evaluations.push(entry)
    if (ledger.best === null || ledger.pending === true || entry.return.mean > ledger.best.mean) {
      // While a learner is not what was asked for, its latest stands in for the best, and nothing before counts.
      const from = ledger.pending === true ? entry.step : ledger.best?.from
      ledger.best = { step: entry.step, mean: entry.return.mean, ...(from === undefined ? {} : { from }) }
      ledger.pending = learner.settled?.() === false
      writeCheckpoint(this.path('checkpoints/best'), this.checkpoint('to play'))
    }
    this.latestReplay = replays.length === 0 ? this.latestReplay : basename(replays[0].file)
    this.saveLast()
    const replay = replays.length === 0 ? '' : this.path(replays[0].file)
    this.log({
      kind: 'evaluation',
      step: entry.step,
      protocol: summary.protocol,
      return: summary.return,
      metrics: summary.metrics,
      replay: replays[0]?.file ?? '',
    })
    this.writeRun('running')
    plan.request.onProgress?.({
      kind: 'evaluation',
      step: entry.step,
      protocol: summary.protocol,
      return: summary.return,
      metrics: summary.metrics,
      replay,
    })
  }

  /** The best checkpoint on fresh seeds: the maximum over noisy means is biased, this is not. undefined: interrupted. */
  private async measureBest(): Promise<ResultRecord['absolute'] | undefined> {
    const { plan, ledger } = this
    if (plan.absoluteEpisodes === 0 || ledger.best === null) return null
    const { run: _ledger, ...state } = readCheckpoint(this.path('checkpoints/best')).state
    const { weights } = readCheckpoint(this.path('checkpoints/best'))
    const spec = scenarioSpec(plan.scenario, plan.environments)
    const policy = plan.definition.policy(spec, { weights, state }, plan.scenario.evaluation.policy)
    try {
      const played = await this.play(policy, 'absolute', 0, plan.absoluteEpisodes, ledger.best.step)
      if (played === undefined) return undefined
      const { summary, replays } = played
      return {
        step: ledger.best.step,
        return: plainStatistics(summary.return),
        returns: summary.returns,
        lengths: summary.lengths,
        metrics: summary.metrics,
        replays,
      }
    } finally {
      policy.dispose?.()
    }
  }

  /** @returns undefined when interrupted */
  private play(
    policy: Policy,
    purpose: 'eval' | 'absolute',
    point: number,
    episodes: number,
    step: number,
    critic?: Learner,
  ): Promise<Measurement | undefined> {
    const { plan } = this
    const { scenario, request } = plan
    const { plugin } = request
    const hash = purpose === 'eval' ? weightsHash(this.learner.save('to play')) : undefined
    return measureEpisodes({
      scenario,
      environments: plan.environments,
      policy,
      manner: scenario.evaluation.policy,
      purpose,
      point,
      episodes,
      seed: plan.seed,
      folder: plan.folder,
      replays: plan.replays,
      worst: purpose === 'absolute' ? plan.worst : 0,
      header: {
        scenario: scenario as unknown as Record<string, unknown>,
        policies: [{ name: plan.definition.name, ...(hash === undefined ? {} : { hash }) }],
        package: this.version,
        ...(plugin === undefined ? {} : { plugin: { name: plugin.name, sha256: plugin.sha256 } }),
        purpose,
        label: `${plan.definition.name}, seed ${plan.seed}, after ${step} steps, ${scenario.evaluation.policy}`,
      },
      nameOf: (episode) =>
        `${String(step).padStart(10, '0')}-${purpose === 'eval' ? '' : 'absolute-'}${episode}.replay`,
      ...(critic === undefined
        ? {}
        : {
            critic: (lanes: number) => {
              const memory = critic.valueMemory(lanes)
              return (batch: EnvBatch, out: Float32Array) => critic.values(batch, out, memory)
            },
          }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    })
  }

  // --- files ---------------------------------------------------------------------------------------------------------

  private checkpoint(what?: SavedPart): Checkpoint {
    const { weights, state } = this.learner.save(what)
    return { weights, state: { ...state, run: { ...this.ledger, seconds: this.seconds } } }
  }

  private saveLast(): void {
    writeCheckpoint(this.path('checkpoints/last'), this.checkpoint())
    this.savedAt = performance.now()
  }

  private log(entry: Record<string, unknown>): void {
    appendFileSync(this.path('log.jsonl'), `${JSON.stringify(entry)}\n`)
  }

  /** Lines after the checkpoint belong to work that is about to be done again. */
  private trimLog(): void {
    const path = this.path('log.jsonl')
    if (!existsSync(path)) return
    const kept = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => {
        try {
          const { kind, step } = JSON.parse(line) as { kind: string; step: number }
          return step <= this.learner.steps && kind !== 'diverged' && kind !== 'failed'
        } catch {
          return false // a last line cut short
        }
      })
    writeAtomic(path, kept.map((line) => `${line}\n`).join(''))
  }

  private writeRun(status: 'running' | 'failed' | RunStatus, problem?: string): void {
    const { plan, learner, ledger } = this
    const last = ledger.evaluations.at(-1)
    writeJson(this.path('run.json'), {
      format: 1,
      id: basename(plan.folder),
      algorithm: plan.definition.name,
      scenario: plan.scenario,
      seed: plan.seed,
      settings: learner.settings,
      ...(plan.recorded === undefined ? {} : { dataset: { path: plan.recorded.path, sha256: plan.recorded.sha256 } }),
      evaluation: {
        points: plan.schedule.length,
        episodes: plan.episodes,
        absoluteEpisodes: plan.absoluteEpisodes,
        policy: plan.scenario.evaluation.policy,
      },
      startedAt: plan.startedAt,
      status,
      ...(problem === undefined ? {} : { problem }),
      step: learner.steps,
      steps: plan.request.steps,
      pid: process.pid,
      ...(this.latestReplay === undefined ? {} : { latestReplay: this.latestReplay }),
      ...(last === undefined ? {} : { return: last.return }),
    })
  }

  private record(
    status: RunStatus,
    diverged: ResultRecord['diverged'],
    absolute: ResultRecord['absolute'],
  ): ResultRecord & { weightsHash: string } {
    const { plan, learner, ledger } = this
    const { scenario, request, definition } = plan
    const lanes = (learner.settings.lanes as number | undefined) ?? 1
    const kept = status === 'diverged' ? readCheckpoint(this.path('checkpoints/last')) : learner.save('to play')
    const seconds = this.seconds
    return {
      format: 1,
      scenario,
      scenarioHash: scenarioHash(scenario),
      environment: { id: scenario.env, version: scenario.version },
      ...(request.plugin === undefined ? {} : { plugin: { name: request.plugin.name, sha256: request.plugin.sha256 } }),
      algorithm: definition.name,
      paper: definition.paper,
      settings: { ...learner.settings },
      seed: plan.seed,
      status,
      ...(diverged === undefined ? {} : { diverged }),
      protocol: {
        policy: scenario.evaluation.policy,
        return: this.protocol(plan.episodes).return,
        teamReward: scenario.teamReward,
        points: plan.schedule.length,
        episodes: plan.episodes,
        absoluteEpisodes: plan.absoluteEpisodes,
      },
      steps: { requested: request.steps, total: learner.steps, perLane: Math.round(learner.steps / lanes), lanes },
      evaluations: ledger.evaluations,
      best: ledger.best,
      absolute,
      weightsHash: weightsHash(kept),
      seconds,
      stepsPerSecond: learner.steps / Math.max(seconds, 1e-9),
      hardware: hardware(this.backend, this.workers),
      package: this.version,
      evidence: 0,
    }
  }

  // --- progress ------------------------------------------------------------------------------------------------------

  private reportUpdate(metrics: Metrics, pace: number): void {
    const { request } = this.plan
    const step = this.learner.steps
    const secondsLeft = Math.max(0, request.steps - step) / Math.max(pace, 1e-9)
    const entry = { kind: 'update' as const, step, steps: request.steps, stepsPerSecond: pace, secondsLeft, metrics }
    this.log(entry)
    request.onProgress?.(entry)
  }

  private tell(status: 'running' | RunStatus, message: string): void {
    this.plan.request.onProgress?.({ kind: 'status', status, step: this.learner.steps, message })
  }
}

function plainStatistics({ interval, ...rest }: Statistics): ResultRecord['evaluations'][number]['return'] {
  return { ...rest, interval: [interval[0], interval[1]] }
}
