/** What a person sees while a run trains: one live line on a terminal, plain lines elsewhere. */
import { type Progress } from '../results/run.ts'
import { type Output } from './output.ts'
import { duration, readable } from './output.ts'

/** Seconds between plain update lines where nobody watches a terminal. */
const PLAIN_EVERY = 15

export interface ProgressView {
  show(progress: Progress): void
  /** Leaves the last line standing. */
  done(): void
}

function bar(part: number): string {
  const cells = 20
  const full = Math.max(0, Math.min(cells, Math.round(part * cells)))
  return '█'.repeat(full) + '░'.repeat(cells - full)
}

type Evaluated = Extract<Progress, { kind: 'evaluation' }>

function returnText(last: Evaluated | undefined): string {
  if (last === undefined) return 'return –'
  const { mean, interval } = last.return
  return `return ${readable(mean)} (${readable(interval[0])} to ${readable(interval[1])})`
}

/** @param label put before plain lines, where several things report at once */
export async function createProgress(out: Output, label = ''): Promise<ProgressView> {
  let evaluated: Evaluated | undefined
  let lastPlain = -Infinity
  const live = out.live ? (await import('log-update')).createLogUpdate(process.stderr) : undefined
  return {
    show(progress) {
      if (progress.kind === 'evaluation') {
        evaluated = progress
        if (live === undefined) {
          out.log(
            `${label}step ${readable(progress.step)}  evaluated  ${returnText(progress)}  ${metricsText(progress.metrics)}`,
          )
        }
        return
      }
      if (progress.kind !== 'update') return
      const { step, steps, stepsPerSecond, secondsLeft } = progress
      const counted = `${readable(step)} of ${readable(steps)} steps`
      const pace = `${readable(Math.round(stepsPerSecond))} steps/s`
      const left = step >= steps ? 'done' : `${duration(secondsLeft)} left`
      if (live !== undefined) {
        const part = steps > 0 ? step / steps : 1
        const percent = `${Math.floor(part * 100)}%`.padStart(4)
        const line = `${percent} ${bar(part)}  ${counted}  ${pace}  ${left}  ${returnText(evaluated)}`
        live(line.slice(0, Math.max(20, (process.stderr.columns ?? 100) - 1)))
        return
      }
      const now = performance.now() / 1000
      if (now - lastPlain < PLAIN_EVERY) return
      lastPlain = now
      out.log(`${label}step ${counted}  ${pace}  ${left}`)
    },
    done() {
      live?.done()
    },
  }
}

/** Two or three metrics of an evaluation; the length of an episode says little. */
function metricsText(metrics: Record<string, number | null>): string {
  return Object.entries(metrics)
    .filter(([name, value]) => name !== 'episodeLength' && value !== null)
    .slice(0, 3)
    .map(([name, value]) => `${name} ${readable(value)}`)
    .join('  ')
}
