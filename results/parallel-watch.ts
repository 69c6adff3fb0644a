/** Starts the workers of a learner and says when one is gone. It does nothing else, so it always hears. */
import { parentPort, Worker, workerData, type MessagePort } from 'node:worker_threads'
import { type WorkerJob } from './parallel.ts'
import { loseWorker, type LastWords } from './thread-group.ts'

const { jobs, ports } = workerData as { jobs: readonly WorkerJob[]; ports: readonly MessagePort[] }
const report = ports.at(-1)! // to the first worker, who looks when it misses somebody

jobs.forEach((job, k) => {
  const worker = new Worker(new URL('./parallel-worker.js', import.meta.url), {
    workerData: { job, port: ports[k] },
    transferList: [ports[k]],
    execArgv: [],
  })
  let started = false
  let cause = ''
  worker.on('message', (message: { kind: 'ready' } | LastWords) => {
    started ||= message.kind === 'ready'
    parentPort!.postMessage(message)
  })
  worker.on('error', (error) => {
    cause = error.message
  })
  worker.on('exit', (code) => {
    const message = cause === '' ? `ended with code ${code}` : cause
    const words: LastWords = { kind: 'failed', worker: job.worker, message }
    report.postMessage(words)
    if (!started) parentPort!.postMessage(words)
    loseWorker(job.group, job.worker)
  })
})
