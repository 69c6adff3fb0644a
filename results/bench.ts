/**
 * A bench: every algorithm on every scenario of a suite, with several seeds, by one protocol; several runs side by side.
 *
 * A run is a folder, `<out>/<scenario>/<algorithm>/seed-<seed>/`, and is done when its record is there. Killed at any moment
 * and started again with the same words, a bench goes on where it was: what is done is not done again, what was under way
 * goes on from its checkpoint, to the same bits.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { TroupeError, shown, unknownName, withDefaults, type EnvDefinition, type EnvSpec } from '../envs/core/index.ts'
import { ENVS } from '../envs/index.ts'
import { LEARNERS, POLICIES } from '../agents/index.ts'
import { type PolicyDefinition } from '../agents/core/policy.ts'
import { scenarioSpec } from '../scenarios/open.ts'
import { type Scenario } from '../scenarios/schema.ts'
import { Estimator, type Task } from './bench/eta.ts'
import { inspectJob, recordFile, type BenchJob } from './bench/job.ts'
import { type Outcome } from './bench/messages.ts'
import { runPool } from './bench/pool.ts'
import { claimFolder, writeJson } from './files.ts'
import { packageVersion } from './record.ts'
import { type RunStatus } from './run.ts'

export interface BenchRequest {
  /** Name of the suite, for the notes in the folder. */
  readonly suite: string
  readonly scenarios: readonly Scenario[]
  /** Names in LEARNERS or POLICIES, or of `policies`. */
  readonly algorithms: readonly string[]
  readonly seeds: readonly string[]
  /** Environment steps of every learner, over all lanes. */
  readonly steps: number
  readonly evaluation?: {
    /** Evaluations spread evenly from before the first update to the end; default: the scenario's, 100 in those shipped. */
    readonly points?: number
    /** Or an evaluation every so many steps, which must divide `steps`. */
    readonly every?: number
    /** Default: the scenario's. */
    readonly episodes?: number
    /** Of the best checkpoint; default: the scenario's. */
    readonly absoluteEpisodes?: number
    /** Replays kept of the absolute episodes with the lowest returns; default 3. */
    readonly worst?: number
  }
  /** Overrides by algorithm. */
  readonly settings?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly out: string
  /** Runs side by side; default one per core. Changes nothing but the speed. */
  readonly parallel?: number
  readonly backend?: string
  /** 'records' removes checkpoints and logs of finished runs, 'weights' all but the best networks; default 'all'. */
  readonly keep?: 'all' | 'weights' | 'records'
  /** Foreign policies by name: definition and the module to load it from. */
  readonly policies?: Readonly<Record<string, { readonly definition: PolicyDefinition; readonly module: string }>>
  /** A foreign environment and the module to load it from. */
  readonly environment?: { readonly definition: EnvDefinition; readonly module: string }
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: BenchProgress) => void
}

export interface BenchRun {
  readonly scenario: string
  readonly algorithm: string
  readonly seed: string
  readonly status: RunStatus | 'failed'
  /** Path of its record; '' when there is none yet. */
  readonly record: string
  /** Mean return of the absolute metric; null when there is none. */
  readonly mean: number | null
  /** Why it failed. */
  readonly error?: string
}

export interface BenchProgress {
  /** Runs that are over, of `total`. */
  readonly done: number
  readonly total: number
  /** Until the whole suite is done; undefined while nothing is known. */
  readonly secondsLeft: number | undefined
  readonly running: readonly {
    readonly name: string
    /** 0 to 1. */
    readonly part: number
    readonly note: string
  }[]
  /** The run that has just ended, where one has. */
  readonly ended?: BenchRun
}

export interface BenchSummary {
  readonly suite: string
  readonly out: string
  readonly status: 'finished' | 'interrupted' | 'failed'
  readonly runs: readonly BenchRun[]
  /** Algorithms that cannot play some of the scenarios, in words. */
  readonly leftOut: readonly string[]
  readonly seconds: number
}

export interface BenchPlan {
  readonly jobs: readonly BenchJob[]
  readonly leftOut: readonly string[]
  readonly tasks: readonly Task[]
  readonly parallel: number
}

const WORST = 3
/** Steps an episode is taken to have for the estimate, in worlds without a horizon. */
const USUAL_HORIZON = 100

/**
 * What will be run, in order: one seed of everything first, so that early tables are whole.
 * @throws TroupeError for an unknown algorithm, a setting out of range, an option that cannot be
 */
export function planBench(request: BenchRequest): BenchPlan {
  const { scenarios, algorithms, seeds, policies = {}, environment } = request
  const environments =
    environment === undefined ? ENVS : { ...ENVS, [environment.definition.id]: environment.definition }
  const known = [...Object.keys(LEARNERS), ...Object.keys(POLICIES), ...Object.keys(policies)]
  for (const algorithm of algorithms) {
    if (!known.includes(algorithm)) throw unknownName('bench: algorithm', algorithm, known)
  }
  refuseTwice('algorithm', algorithms)
  refuseTwice('seed', seeds)
  refuseTwice('scenario', scenarios.map(({ id }) => id)) // prettier-ignore
  for (const [algorithm, settings] of Object.entries(request.settings ?? {})) {
    const learner = LEARNERS[algorithm]
    if (learner !== undefined) withDefaults(learner.settings, settings, `${algorithm} settings`)
  }
  const cores = availableParallelism()
  const parallel = Math.max(1, Math.min(request.parallel ?? cores, 1024))
  const jobs: BenchJob[] = []
  const tasks: Task[] = []
  const missing = new Map<string, string[]>()
  for (const seed of seeds) {
    for (const scenario of scenarios) {
      const spec = scenarioSpec(scenario, environments)
      for (const algorithm of algorithms) {
        const policy = policies[algorithm]?.definition ?? POLICIES[algorithm]
        if (policy?.envs !== undefined && !policy.envs.includes(scenario.env)) {
          if (seed === seeds[0]) missing.set(algorithm, [...(missing.get(algorithm) ?? []), scenario.id])
          continue
        }
        const job = jobOf(request, scenario, algorithm, policy, seed, Math.max(1, Math.floor(cores / parallel)))
        jobs.push(job)
        tasks.push({ key: `${algorithm} ${scenario.id}`, group: algorithm, work: workOf(job, spec) })
      }
    }
  }
  const leftOut = [...missing].map(([algorithm, ids]) => {
    if (ids.length < scenarios.length) {
      return `${algorithm} cannot play ${ids.length} of ${scenarios.length} scenarios (${ids[0]} …)`
    }
    throw new TroupeError('bad-option', {
      where: `bench: algorithm ${algorithm}`,
      got: `unable to play any scenario of ${request.suite}`,
      expected: 'one that plays some of them',
    })
  })
  return { jobs, leftOut, tasks, parallel }
}

function refuseTwice(what: string, names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice === undefined && names.length > 0) return
  throw new TroupeError('bad-option', {
    where: `bench: ${what}`,
    got: twice === undefined ? 'none' : `${shown(twice)} twice`,
    expected: twice === undefined ? 'at least one' : 'each once',
  })
}

function jobOf(
  request: BenchRequest,
  scenario: Scenario,
  algorithm: string,
  policy: PolicyDefinition | undefined,
  seed: string,
  workers: number,
): BenchJob {
  const { evaluation = {}, steps, policies = {}, environment } = request
  const { every } = evaluation
  if (every !== undefined && steps % every !== 0) {
    const nearest = Math.max(1, Math.round(steps / every)) * every
    const expected = `a multiple of the ${every} steps between evaluations, such as ${nearest}`
    throw new TroupeError('bad-option', { where: 'bench: steps', got: String(steps), expected })
  }
  const points = every === undefined ? (evaluation.points ?? scenario.evaluation.points) : steps / every + 1
  const learns = policy === undefined
  return {
    scenario,
    algorithm,
    kind: learns ? 'learner' : 'policy',
    seed,
    folder: join(request.out, scenario.id, algorithm, `seed-${seed}`),
    steps: learns ? steps : 0,
    settings: learns ? (request.settings?.[algorithm] ?? {}) : {},
    evaluation: {
      points: learns ? points : 0,
      episodes: learns ? (evaluation.episodes ?? scenario.evaluation.episodes) : 0,
      absoluteEpisodes: evaluation.absoluteEpisodes ?? scenario.evaluation.absoluteEpisodes,
      worst: evaluation.worst ?? WORST,
    },
    backend: request.backend ?? 'auto',
    workers,
    keep: request.keep ?? 'all',
    ...(policies[algorithm] === undefined ? {} : { policyModule: policies[algorithm].module }),
    ...(environment?.definition.id === scenario.env ? { envModule: environment.module } : {}),
  }
}

function workOf({ steps, evaluation }: BenchJob, spec: EnvSpec): number {
  const { points, episodes, absoluteEpisodes } = evaluation
  return steps + (points * episodes + absoluteEpisodes) * (spec.horizon ?? USUAL_HORIZON)
}

/**
 * Runs what is not done yet.
 * @throws TroupeError for a request that cannot be, or when a folder holds runs that were measured in another way; a run
 *   that fails does not throw, its row says so
 */
export async function runBench(request: BenchRequest): Promise<BenchSummary> {
  const { signal, onProgress, out, suite } = request
  const { jobs, leftOut, tasks, parallel } = planBench(request)
  const began = performance.now()
  const release = claimFolder(out)
  try {
    const states = jobs.map(inspectJob)
    writeJson(join(out, 'bench.json'), notesOf(request))
    const runs = jobs.map((job, i): BenchRun => {
      const state = states[i]
      const done = state.kind === 'done' ? state.record : undefined
      return {
        scenario: job.scenario.id,
        algorithm: job.algorithm,
        seed: job.seed,
        status: done?.status ?? 'interrupted',
        record: done === undefined ? '' : recordFile(job),
        mean: done?.absolute?.return.mean ?? null,
      }
    })
    const open = jobs.map((_, i) => i).filter((i) => states[i].kind !== 'done')
    const estimator = new Estimator(tasks)
    const sittings = new Map<number, { began: number; from: number; part: number; note: string }>()
    let done = 0
    states.forEach((state, i) => {
      if (state.kind !== 'done') return
      done++
      estimator.over(i, state.record.seconds)
    })
    const seconds = (i: number) => (performance.now() - sittings.get(i)!.began) / 1000
    const tell = (ended?: BenchRun) => {
      for (const [i, { part, from }] of sittings) estimator.running(i, part, seconds(i), from)
      onProgress?.({
        done,
        total: jobs.length,
        secondsLeft: estimator.secondsLeft(parallel),
        running: [...sittings].map(([i, { part, note }]) => ({ name: nameOf(jobs[i]), part, note })),
        ...(ended === undefined ? {} : { ended }),
      })
    }
    tell()
    await runPool({
      jobs: open.map((i) => jobs[i]),
      parallel,
      ...(signal === undefined ? {} : { signal }),
      onStart: (k) => {
        const state = states[open[k]]
        const from = state.kind === 'started' ? Math.min(1, state.step / jobs[open[k]].steps) : 0
        sittings.set(open[k], { began: performance.now(), from, part: from, note: '' })
        tell()
      },
      onProgress: (k, part, note) => {
        Object.assign(sittings.get(open[k])!, { part, note })
        tell()
      },
      onEnd: (k, result) => {
        const i = open[k]
        const { from } = sittings.get(i)!
        const over = result instanceof Error || result.status !== 'interrupted'
        if (over) {
          done++
          estimator.over(i, result instanceof Error ? undefined : seconds(i), from)
        }
        sittings.delete(i)
        runs[i] = ended(runs[i], result)
        tell(runs[i])
      },
    })
    const failed = runs.some((run) => run.status === 'failed' || run.status === 'diverged')
    const interrupted = runs.some((run) => run.status === 'interrupted')
    return {
      suite,
      out,
      status: interrupted ? 'interrupted' : failed ? 'failed' : 'finished',
      runs,
      leftOut,
      seconds: (performance.now() - began) / 1000,
    }
  } finally {
    release()
  }
}

function ended(run: BenchRun, result: Outcome | Error): BenchRun {
  return result instanceof Error ? { ...run, status: 'failed', error: result.message } : { ...run, ...result }
}

const nameOf = ({ algorithm, scenario, seed }: BenchJob): string => `${algorithm} · ${scenario.id} · seed ${seed}`

/** For people who find the folder; nothing reads it. */
function notesOf({ suite, scenarios, algorithms, seeds, steps, settings = {} }: BenchRequest): Record<string, unknown> {
  return {
    suite,
    scenarios: scenarios.map(({ id }) => id),
    algorithms,
    seeds,
    steps,
    settings,
    package: packageVersion(),
  }
}
