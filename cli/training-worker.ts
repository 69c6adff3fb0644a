/** The child's side of training-child.ts. */
import { type TroupeError } from '../envs/core/index.ts'
import { trainRun } from '../results/run.ts'
import { type FromChild, type TrainingJob } from './training-child.ts'

const controller = new AbortController()
const stop = () => controller.abort()

process.on('SIGINT', () => {}) // the parent decides
process.on('SIGTERM', stop)
process.on('disconnect', stop)

function tell(message: FromChild): void {
  // A parent that is gone cannot listen; the run still ends properly.
  if (process.connected) process.send!(message, undefined, undefined, () => {})
}

process.on('message', async (message: { kind: 'job'; job: TrainingJob } | { kind: 'stop' }) => {
  if (message.kind === 'stop') return stop()
  try {
    const summary = await trainRun({
      ...message.job,
      signal: controller.signal,
      onProgress: (progress) => tell({ kind: 'progress', progress }),
    })
    tell({ kind: 'done', summary })
  } catch (error) {
    const { code, message, where, got, expected } = error as TroupeError
    tell({
      kind: 'failed',
      error: { code, message, ...(where === undefined ? {} : { parts: { where, got, expected } }) },
    })
    process.exitCode = 1
  }
  process.removeListener('disconnect', stop)
  if (process.connected) process.disconnect()
})

tell({ kind: 'ready' })
