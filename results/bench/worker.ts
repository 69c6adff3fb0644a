/**
 * A process that does one run of a bench after the other, as it is told to over Node's channel. It stops after the running
 * update, keeping a checkpoint, when it is told to or when the bench is gone.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { TroupeError, type EnvDefinition } from '../../envs/core/index.ts'
import { ENVS } from '../../envs/index.ts'
import { POLICIES } from '../../agents/index.ts'
import { isAlive, readCheckpoint, writePlayable } from '../files.ts'
import { loadEnvPlugin, loadPolicyPlugin, type EnvPlugin } from '../plugins.ts'
import { trainRun, type Progress, type RunRequest } from '../run.ts'
import { inspectJob, recordFile, type BenchJob } from './job.ts'
import { type FromWorker, type Outcome, type ToWorker } from './messages.ts'
import { runPolicy } from './policy-run.ts'

/** How long a run of a bench that was killed may take to finish its update and let go of its folder. */
const PATIENCE_MS = 120_000

const controller = new AbortController()
const { signal } = controller

function tell(message: FromWorker): void {
  // A bench that is gone cannot listen; the run still ends properly.
  if (process.connected) process.send!(message, undefined, undefined, () => {})
}

/** Waits until no other process trains into the folder. */
async function folderFree(folder: string): Promise<void> {
  const path = join(folder, 'run.lock')
  for (const began = performance.now(); performance.now() - began < PATIENCE_MS && !signal.aborted;) {
    const holder = Number.parseInt(existsSync(path) ? readLock(path) : '', 10)
    if (!(holder > 0) || holder === process.pid || !isAlive(holder)) return
    await wait(100)
  }
}

function readLock(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // gone between the two looks
  }
}

async function work(job: BenchJob): Promise<Outcome> {
  await folderFree(job.folder)
  const state = inspectJob(job)
  if (state.kind === 'done') return outcomeOf(job)
  if (signal.aborted) return { status: 'interrupted', record: '', mean: null }
  const plugin = job.envModule === undefined ? undefined : await loadEnvPlugin(job.envModule)
  const environments = plugin === undefined ? ENVS : { ...ENVS, [plugin.definition.id]: plugin.definition }
  if (state.kind === 'new') {
    // What a run left that was killed before its first checkpoint.
    rmSync(job.folder, { recursive: true, force: true })
    mkdirSync(job.folder, { recursive: true })
  }
  const own = plugin?.definition.id === job.scenario.env ? plugin : undefined
  if (job.kind === 'policy') return playPolicy(job, environments, own)
  const summary = await trainRun(trainRequest(job, state.kind === 'started', own))
  if (summary.status === 'interrupted') return { status: 'interrupted', record: summary.record, mean: null }
  return outcomeOf(job)
}

async function playPolicy(
  job: BenchJob,
  environments: Readonly<Record<string, EnvDefinition>>,
  plugin: EnvPlugin | undefined,
): Promise<Outcome> {
  const { absoluteEpisodes: episodes, worst } = job.evaluation
  const foreign = job.policyModule === undefined ? undefined : await loadPolicyPlugin(job.policyModule)
  const record = await runPolicy({
    scenario: job.scenario,
    environments,
    policy: foreign?.definition ?? POLICIES[job.algorithm],
    ...(foreign === undefined ? {} : { sha256: foreign.sha256 }),
    ...(plugin === undefined ? {} : { plugin: { name: plugin.name, sha256: plugin.sha256 } }),
    seed: job.seed,
    out: job.folder,
    episodes,
    worst,
    signal,
    onEpisodes: (played) =>
      tell({ kind: 'progress', part: played / episodes, note: `${played} of ${episodes} episodes` }),
  })
  return record === undefined ? { status: 'interrupted', record: '', mean: null } : outcomeOf(job)
}

function trainRequest(job: BenchJob, resume: boolean, plugin: EnvPlugin | undefined): RunRequest {
  const { points, episodes, absoluteEpisodes, worst } = job.evaluation
  let note = ''
  const onProgress = (event: Progress) => {
    if (event.kind === 'evaluation') note = `return ${event.return.mean.toPrecision(3)}`
    if (event.kind === 'update') tell({ kind: 'progress', part: Math.min(1, event.step / event.steps), note })
  }
  return {
    scenario: job.scenario,
    algorithm: job.algorithm,
    settings: job.settings,
    seed: job.seed,
    steps: job.steps,
    out: job.folder,
    evaluation: { points, episodes, absoluteEpisodes, worst, replays: 0 },
    signal,
    onProgress,
    resume,
    backend: job.backend,
    workers: job.workers,
    ...(plugin === undefined ? {} : { plugin }),
  }
}

/** Of a run whose record is there; what need not be kept goes. */
function outcomeOf(job: BenchJob): Outcome {
  const state = inspectJob(job)
  if (state.kind !== 'done') throw new Error(`${job.folder}: no record after the run`)
  const best = join(job.folder, 'checkpoints/best')
  if (job.keep === 'weights' && existsSync(best)) writePlayable(join(job.folder, 'best'), readCheckpoint(best))
  if (job.keep !== 'all') {
    for (const name of ['checkpoints', 'log.jsonl', 'run.json']) {
      rmSync(join(job.folder, name), { recursive: true, force: true })
    }
  }
  const { status, absolute } = state.record
  return { status, record: recordFile(job), mean: absolute?.return.mean ?? null }
}

process.on('SIGINT', () => {}) // a terminal's Ctrl-C reaches everybody; the bench decides
process.on('SIGTERM', () => controller.abort())
process.on('disconnect', () => {
  controller.abort()
  if (!busy) process.exit()
})

let busy = false
process.on('message', async (message: ToWorker) => {
  if (message.kind === 'stop') return controller.abort()
  busy = true
  try {
    tell({ kind: 'ended', outcome: await work(message.job) })
  } catch (error) {
    const { code, where, got, expected, nearest } = error as TroupeError
    const text = String((error as Error).message ?? error)
    const parts = error instanceof TroupeError ? { code, parts: { where, got, expected, nearest } } : {}
    tell({ kind: 'failed', error: { message: text, ...(parts as object) } })
  }
  busy = false
  if (!process.connected) process.exit()
})

tell({ kind: 'ready' })
