/** How a training command is interrupted, and what it says when it ends. */
import { type RunSummary } from '../results/run.ts'
import { type Session } from './command.ts'
import { EXIT, whenPipeCloses } from './output.ts'

export { type RunSummary } from '../results/run.ts'

/** First Ctrl-C asks the run to stop and keep what it has; the second ends the process. */
export function interruptible(session: Session): { signal: AbortSignal; release(): void } {
  const controller = new AbortController()
  let asked = false
  const onSignal = () => {
    if (asked) process.exit(EXIT.interrupted)
    asked = true
    session.out.warn('\nStopping after this update, keeping a checkpoint. Ctrl-C again ends at once.')
    controller.abort()
  }
  whenPipeCloses(() => controller.abort()) // `train … | head -1`: nobody is left to tell
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    release() {
      whenPipeCloses(undefined)
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}

/** Prints the result; the exit code says how the run ended. */
export function finishRun(summary: RunSummary, text: (summary: RunSummary) => string, session: Session): number {
  session.out.result(summary, () => text(summary))
  if (summary.status === 'interrupted') return EXIT.interrupted
  return summary.status === 'diverged' ? EXIT.failed : EXIT.fine
}
