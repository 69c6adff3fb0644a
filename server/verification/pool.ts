/**
 * Worker threads for verification: as many as asked for, each with its memory capped and every job with a time limit. A
 * job that dies or takes too long is the machine's failure (its size was checked before), never the submitter's.
 */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { compiled } from '../../results/workers.ts'
import { TroupeError } from '../../envs/core/errors.ts'
import { type StoredScore } from '../store/store.ts'
import { type JudgeJob, type Judgement } from './judge.ts'
import { type WorkerAnswer, type WorkerTask } from './worker.ts'

export interface PoolSettings {
  /** Threads; default one less than the processor has, at least one. */
  readonly threads?: number
  /** Young and old heap of one worker. */
  readonly memoryBytes: number
  /** Time one job may take. */
  readonly jobMs: number
  /** Another module with the same answers, for tests. */
  readonly file?: string
}

/** Idle threads end after this. */
const IDLE_MS = 10_000

export class VerificationPool {
  private readonly settings: PoolSettings
  private pool: Piscina<WorkerTask, WorkerAnswer> | undefined

  constructor(settings: PoolSettings) {
    this.settings = settings
  }

  get threads(): number {
    return this.settings.threads ?? Math.max(1, availableParallelism() - 1)
  }

  /** @throws TroupeError environment when the worker dies, runs out of memory or of time */
  async judge(job: JudgeJob, file: string, parts: readonly { from: number; bytes: number }[]): Promise<Judgement> {
    return (await this.run({ kind: 'judge', job, file, parts })) as Judgement
  }

  async score(returns: readonly (number | null)[], name: string, least: number): Promise<StoredScore | null> {
    return ((await this.run({ kind: 'score', returns, name, least })) as { score: StoredScore | null }).score
  }

  private async run(task: WorkerTask): Promise<WorkerAnswer> {
    const { jobMs } = this.settings
    const refuse = (got: string) =>
      new TroupeError('environment', { where: 'verification', got, expected: 'a worker that answers' })
    const late = new AbortController()
    let timer: NodeJS.Timeout | undefined
    try {
      // The clock runs once a thread has time for the job: the caller never asks for more than there are threads.
      timer = setTimeout(() => late.abort(), jobMs)
      return await this.opened().run(task, { signal: late.signal })
    } catch (error) {
      if (late.signal.aborted) throw refuse(`not done after ${Math.round(jobMs / 1000)} s`)
      if (error instanceof TroupeError) throw error
      const { code } = error as { code?: string }
      throw refuse(code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out of its memory' : 'ended by an error')
    } finally {
      clearTimeout(timer)
    }
  }

  private opened(): Piscina<WorkerTask, WorkerAnswer> {
    if (this.pool !== undefined) return this.pool
    const { memoryBytes, file } = this.settings
    const megabytes = Math.ceil(memoryBytes / 1_048_576)
    this.pool = new Piscina<WorkerTask, WorkerAnswer>({
      filename: file ?? fileURLToPath(compiled('./worker.ts', import.meta.url)),
      minThreads: 0,
      maxThreads: this.threads,
      idleTimeout: IDLE_MS,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: Math.ceil(megabytes / 4) },
    })
    return this.pool
  }

  async close(): Promise<void> {
    const { pool } = this
    this.pool = undefined
    await pool?.destroy().catch(() => undefined)
  }
}
