/**
 * Worker processes that share out the runs of a bench. A process that dies (memory, a kill) takes nothing with it: its run
 * is handed to a new one, which goes on from the checkpoint.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { TroupeError, type ErrorParts } from '../../envs/core/index.ts'
import { compiled } from '../workers.ts'
import { type BenchJob } from './job.ts'
import { type FromWorker, type Outcome } from './messages.ts'

/** How often a run is handed out again after the process died with it. */
const SECOND_CHANCES = 2

export interface PoolRequest {
  readonly jobs: readonly BenchJob[]
  /** Processes at most. */
  readonly parallel: number
  readonly signal?: AbortSignal
  readonly onStart: (job: number) => void
  readonly onProgress: (job: number, part: number, note: string) => void
  readonly onEnd: (job: number, result: Outcome | Error) => void
}

/** Settles when every job has ended or, after an abort, when the running ones have stopped. */
export async function runPool(request: PoolRequest): Promise<void> {
  const { jobs, signal } = request
  const file = fileURLToPath(compiled('./worker.ts', import.meta.url))
  const waiting = jobs.map((_, job) => job)
  const chances = jobs.map(() => SECOND_CHANCES)
  const children = new Set<ChildProcess>()
  const killAll = () => children.forEach((child) => child.kill('SIGKILL'))
  const stopAll = () => children.forEach((child) => child.connected && child.send({ kind: 'stop' }))
  process.once('exit', killAll)
  signal?.addEventListener('abort', stopAll)

  /** One process at a time, until no work is left. */
  const seat = async (): Promise<void> => {
    while (waiting.length > 0 && signal?.aborted !== true) await serve()
  }
  /** One process: from its start to its end. */
  const serve = () =>
    new Promise<void>((resolve, reject) => {
      const child = fork(file, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] })
      children.add(child)
      let ready = false
      let current: number | undefined
      let died: string | undefined
      const next = () => {
        current = signal?.aborted === true ? undefined : waiting.shift()
        if (current === undefined) return child.disconnect()
        request.onStart(current)
        child.send({ kind: 'job', job: jobs[current] })
      }
      const end = (result: Outcome | Error) => {
        request.onEnd(current!, result)
        current = undefined
      }
      child.on('message', (message: FromWorker) => {
        if (!children.has(child)) return // words of one that is gone; its run is in other hands
        if (message.kind === 'ready') {
          ready = true
          next()
        } else if (message.kind === 'progress') request.onProgress(current!, message.part, message.note)
        else {
          end(message.kind === 'ended' ? message.outcome : revived(message.error))
          next()
        }
      })
      child.on('error', (error) => {
        if (child.pid === undefined) return reject(lost('worker process', `not started: ${error.message}`))
        died = error.message
      })
      // Not 'close': it never comes once this side has disconnected.
      child.on('exit', (code, killer) => {
        children.delete(child)
        const why = died ?? killer ?? `code ${code}`
        if (!ready && signal?.aborted !== true) return reject(lost('worker process', `ended with ${why} at its start`))
        if (current !== undefined) {
          if (signal?.aborted !== true && chances[current]-- > 0) waiting.unshift(current)
          else end(lost(nameOf(jobs[current]), `without its process, which ended with ${why}`))
        }
        resolve()
      })
    })
  try {
    await Promise.all(Array.from({ length: Math.min(request.parallel, jobs.length) }, seat))
  } finally {
    killAll() // none is left, but after an error of ours
    process.off('exit', killAll)
    signal?.removeEventListener('abort', stopAll)
  }
}

const nameOf = ({ algorithm, scenario, seed }: BenchJob): string => `${algorithm} on ${scenario.id}, seed ${seed}`

function lost(where: string, got: string): TroupeError {
  const expected = 'a finished run (what has a checkpoint goes on from it: start the bench again)'
  return new TroupeError('environment', { where, got, expected })
}

function revived({ code, message, parts }: { code?: TroupeError['code']; message: string; parts?: ErrorParts }): Error {
  return code === undefined || parts === undefined ? new Error(message) : new TroupeError(code, parts)
}
