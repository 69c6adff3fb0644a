/** Plays shipped runs beside the server, at the lowest priority: whoever trains or submits comes first. */
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { playBaseline, type BaselineJob } from './play.ts'

try {
  // On Linux this is the thread's own priority; elsewhere it would be that of the whole server.
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
} catch {
  // Not allowed: it is slower for others, nothing else.
}

parentPort!.on('message', (job: BaselineJob) => {
  try {
    const bundle = playBaseline(job)
    parentPort!.postMessage({ bundle }, [bundle.buffer as ArrayBuffer])
  } catch (error) {
    parentPort!.postMessage({ error: error instanceof Error ? error.message : String(error) })
  }
})
