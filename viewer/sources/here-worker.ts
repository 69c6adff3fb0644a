/**
 * Simulates in the page itself, bit by bit: for players in a single file, which have no other file to start a worker
 * from, and may lie in a page whose policy forbids workers made of text.
 */
import { answering } from './answering.ts'
import { type Answer, type Request } from './messages.ts'
import { type WorkerLike } from './simulator.ts'

export function startWorker(): WorkerLike {
  let open = true
  const like: WorkerLike = {
    onmessage: null,
    onerror: null,
    postMessage: (message: Request) => {
      // Later, as from a worker.
      setTimeout(() => open && hear(message), 0)
    },
    terminate: () => {
      open = false
    },
  }
  const hear = answering((answer) => {
    setTimeout(() => open && like.onmessage?.({ data: answer } as MessageEvent<Answer>), 0)
  })
  return like
}
