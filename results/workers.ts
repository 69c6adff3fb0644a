/** Worker threads that start together, answer once, and never outlive the call: an error in one ends all. */
import { Worker } from 'node:worker_threads'
import { fileURLToPath } from 'node:url'
import { existsSync } from 'node:fs'
import { TroupeError } from '../envs/core/index.ts'

export interface WorkerRun<Job> {
  /** Compiled module that calls `serveJob`. Node's workers cannot load TypeScript: from source, dist/ is used. */
  readonly file: URL
  /** One worker per job; a job is plain data. */
  readonly jobs: readonly Job[]
  /** How long a worker may take until it is ready, and then until it has answered, in ms. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** The compiled twin of a module named relative to `from`: './worker.ts' beside a source file lies in dist/. */
export function compiled(name: string, from: string): URL {
  const url = new URL(name.replace(/\.ts$/, '.js'), from)
  if (!from.endsWith('.ts')) return url
  const root = new URL('../', import.meta.url) // this file is one room below the root
  const target = new URL(`dist/${url.href.slice(root.href.length)}`, root)
  if (existsSync(fileURLToPath(target))) return target
  throw new TroupeError('environment', {
    where: 'worker',
    got: 'started from source, and dist/ is not built',
    expected: '`npm run build` first',
  })
}

/**
 * Starts one worker per job, lets them go together once all are ready, and gathers one answer each, in job order.
 * @throws whatever the first failing worker threw (as a TroupeError where it was one), or `environment` when one ends
 *   without an answer or takes too long; by then all workers are gone
 */
export async function runWorkers<Job, Answer>(run: WorkerRun<Job>): Promise<Answer[]> {
  const { file, jobs, timeoutMs = 60_000, signal } = run
  const workers: Worker[] = []
  let timer: NodeJS.Timeout | undefined
  let stop = () => {}
  try {
    return await new Promise<Answer[]>((resolve, reject) => {
      const answers = new Array<Answer>(jobs.length)
      let ready = 0
      let done = 0
      const late = (what: string) => () =>
        reject(
          new TroupeError('environment', {
            where: 'workers',
            got: `not ${what} after ${timeoutMs / 1000} s`,
            expected: `${jobs.length} workers that answer`,
          }),
        )
      timer = setTimeout(late('ready'), timeoutMs)
      stop = () => reject(signal?.reason ?? new Error('stopped'))
      signal?.addEventListener('abort', stop, { once: true })
      if (signal?.aborted === true) stop()
      jobs.forEach((job, index) => {
        const worker = new Worker(file, { workerData: job, execArgv: [] })
        workers.push(worker)
        worker.on('error', reject)
        worker.on('exit', (code) => {
          if (answers[index] !== undefined) return
          reject(
            new TroupeError('environment', {
              where: `worker ${index}`,
              got: `ended with code ${code} before it answered`,
              expected: 'an answer',
            }),
          )
        })
        worker.on('message', (message: Message<Answer>) => {
          if (message.kind === 'failed') reject(revived(message.error))
          else if (message.kind === 'ready') {
            if (++ready < jobs.length) return
            clearTimeout(timer)
            timer = setTimeout(late('finished'), timeoutMs)
            for (const each of workers) each.postMessage('go')
          } else {
            answers[index] = message.answer
            if (++done === jobs.length) resolve(answers)
          }
        })
      })
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

export type Message<Answer> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly error: { readonly message: string; readonly code?: string; parts?: Parts } }

interface Parts {
  readonly where: string
  readonly got: string
  readonly expected: string
  readonly nearest?: string
}

function revived(error: { message: string; code?: string; parts?: Parts }): Error {
  return error.parts === undefined
    ? new Error(error.message)
    : new TroupeError(error.code as TroupeError['code'], error.parts)
}

/**
 * The worker's side: prepares, waits until all are ready, works, answers. Import this file in the worker's module and
 * call it once; anything thrown reaches the caller of `runWorkers`.
 */
export async function serveJob<Job, Answer>(
  prepare: (job: Job) => Promise<() => Answer | Promise<Answer>>,
): Promise<void> {
  const { parentPort, workerData } = await import('node:worker_threads')
  const port = parentPort!
  const failed = (error: unknown) => {
    const { message, code, where, got, expected, nearest } = error as TroupeError
    const parts = where === undefined ? undefined : { where, got, expected, nearest }
    port.postMessage({ kind: 'failed', error: { message: String(message ?? error), code, parts } })
  }
  try {
    const work = await prepare(workerData as Job)
    port.once('message', () => {
      Promise.resolve()
        .then(work)
        .then((answer) => port.postMessage({ kind: 'answer', answer }), failed)
    })
    port.postMessage({ kind: 'ready' })
  } catch (error) {
    failed(error)
  }
}
