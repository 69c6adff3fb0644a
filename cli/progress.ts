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
type Updated = Extract<Progress, { kind: 'update' }>

/** '4,096 of 6,000 steps  450 steps/s  4 s left'. */
function paceText({ step, steps, stepsPerSecond, secondsLeft }: Updated): string {
  const left = step >= steps ? 'done' : `${duration(secondsLeft)} left`
  return `${readable(step)} of ${readable(steps)} steps  ${readable(Math.round(stepsPerSecond))} steps/s  ${left}`
}

function returnText(last: Evaluated | undefined): string {
  if (last === undefined) return 'return –'
  const { mean, interval } = last.return
  return `return ${readable(mean)} (${readable(interval[0])} to ${readable(interval[1])})`
}

/** @param label put before plain lines, where several things report at once */
export async function createProgress(out: Output, label = ''): Promise<ProgressView> {
  let evaluated: Evaluated | undefined
  let updated: Updated | undefined
  let lastPlain = -Infinity
  const live = out.live ? (await import('log-update')).createLogUpdate(process.stderr) : undefined

  const draw = () => {
    if (live === undefined || updated === undefined) return
    const { step, steps } = updated
    const part = steps > 0 ? Math.min(1, step / steps) : 1
    const percent = `${Math.floor(part * 100)}%`.padStart(4)
    const line = `${percent} ${bar(part)}  ${paceText(updated)}  ${returnText(evaluated)}`
    live(line.slice(0, Math.max(20, (process.stderr.columns ?? 100) - 1)))
  }

  return {
    show(progress) {
      if (progress.kind === 'evaluation') {
        evaluated = progress
        draw()
        if (live === undefined) {
          const metrics = metricsText(progress.metrics)
          out.log(`${label}step ${readable(progress.step)}  evaluated  ${returnText(progress)}  ${metrics}`)
        }
      } else if (progress.kind === 'update') {
        updated = progress
        draw()
        const now = performance.now() / 1000
        if (live !== undefined || now - lastPlain < PLAIN_EVERY) return
        lastPlain = now
        out.log(`${label}step ${paceText(progress)}`)
      }
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
