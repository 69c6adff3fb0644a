/** Starts the simulation worker. Players in a single file have none: their build takes here-worker.ts instead. */
import { type WorkerLike } from './simulator.ts'

export function startWorker(): WorkerLike {
  return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }) as WorkerLike
}
