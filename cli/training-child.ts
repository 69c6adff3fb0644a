/**
 * A training run in a process of its own, so that the process that serves the viewer stays quick.
 * Parent and child speak over Node's channel: the job in, progress and the summary out. The child stops, keeping a
 * checkpoint, when it is told to or when the parent is gone.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { TroupeError } from '../envs/core/index.ts'
import { type Progress, type RunSummary } from '../results/run.ts'
import { compiled } from '../results/workers.ts'
import { type Scenario } from '../scenarios/schema.ts'

export interface TrainingJob {
  readonly scenario: Scenario
  readonly algorithm: string
  readonly settings: Record<string, unknown>
  readonly seed: string
  readonly steps: number
  readonly out: string
  readonly evaluation: { readonly points: number; readonly episodes: number; readonly absoluteEpisodes: number }
  /** Threads at most; default: cores. */
  readonly workers?: number
}

export type FromChild =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'done'; readonly summary: RunSummary }
  | { readonly kind: 'failed'; readonly error: { code?: string; message: string; parts?: ErrorParts } }

interface ErrorParts {
  readonly where: string
  readonly got: string
  readonly expected: string
}

export interface ChildRun {
  /** Settles when the run has ended; rejects with what the child threw. */
  readonly summary: Promise<RunSummary>
  /** Asks the run to stop and keep a checkpoint. */
  stop(): void
  /** Ends the child at once. */
  kill(): void
}

/** Starts a run in a child process. */
export function trainInChild(job: TrainingJob, onProgress: (progress: Progress) => void): ChildRun {
  const child = fork(fileURLToPath(compiled('./training-worker.ts', import.meta.url)), [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
  // A terminal's Ctrl-C reaches the child as well; it leaves the decision to us. Should we end, so must it.
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const summary = new Promise<RunSummary>((resolve, reject) => {
    child.on('message', (message: FromChild) => {
      if (message.kind === 'ready') child.send({ kind: 'job', job })
      else if (message.kind === 'progress') onProgress(message.progress)
      else if (message.kind === 'done') resolve(message.summary)
      else reject(revived(message.error))
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      process.off('exit', kill)
      reject(
        new TroupeError('environment', {
          where: 'training process',
          got: `ended with ${signal ?? `code ${code}`} before it was done`,
          expected: 'a finished run (its log and last checkpoint are in the folder of the run)',
        }),
      )
    })
  })
  return {
    summary,
    stop: () => {
      if (child.connected) child.send({ kind: 'stop' })
    },
    kill,
  }
}

function revived({ code, message, parts }: { code?: string; message: string; parts?: ErrorParts }): Error {
  return parts === undefined ? new Error(message) : new TroupeError(code as TroupeError['code'], parts)
}
