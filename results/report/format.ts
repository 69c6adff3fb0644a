/** Numbers and names as reports write them. */
import { FAILED, rankText, type Interval, type RankRange } from '../statistics.ts'
import { type SparsityRow } from './model.ts'

const MINUS = '−'

/** About three significant digits: '0.523', '−19.8', '1,235', '2.50e7'; 'failed' for a score that is none. */
export function figure(value: number | null): string {
  if (value === FAILED || value === Infinity) return 'failed'
  if (value === null || Number.isNaN(value)) return '–'
  const size = Math.abs(value)
  const text =
    size >= 1e6
      ? size.toExponential(2).replace('e+', 'e')
      : size >= 100
        ? Math.round(size).toLocaleString('en-US')
        : size.toFixed(size < 1 ? 3 : size < 10 ? 2 : 1)
  return value < 0 && /[1-9]/.test(text) ? `${MINUS}${text}` : text
}

export function intervalText(interval: Interval | null): string {
  return interval === null ? '–' : `${figure(interval.low)} to ${figure(interval.high)}`
}

/** '1–2', or '–' where there are too few runs to rank. */
export function rankCell(rank: RankRange | null): string {
  return rank === null ? '–' : rankText(rank)
}

/** '1.5 M', '200 k', '750'. */
export function stepsText(steps: number): string {
  const [value, unit] = steps >= 1e6 ? [steps / 1e6, ' M'] : steps >= 1e4 ? [steps / 1e3, ' k'] : [steps, '']
  return `${Number(value.toPrecision(3)).toLocaleString('en-US')}${unit}`
}

export function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}

/** The heading of a group of tasks. */
export function groupTitle({ env, tasks }: { readonly env: string; readonly tasks: readonly string[] }): string {
  const count = `${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`
  return env === '' ? `All environments, ${count}` : `${env}, ${count}`
}

/** What every aggregate is, once for all renderers. */
export const AGGREGATE_NOTE =
  'Scores are absolute metrics, normalised per task: 0 is random play, 1 the best known return. IQM: mean of the middle ' +
  'half of all runs × tasks. Intervals: 95 %, percentile bootstrap, runs drawn within each task; tasks are not drawn. ' +
  'Rank is a range wherever the 95 % interval of the difference in IQM contains 0.'

export const SPARSITY_HEAD = ['learner', 'schedule', 'masked', 'return', 'runs from', 'to', 'of the dense ones', 'runs']

export const SPARSITY_NOTE =
  'Return against sparsity: the part of the weights that pruning masks in the end, and the mean over runs of the last evaluation.'

/** The cells under `SPARSITY_HEAD`. */
export function sparsityCells({
  algorithm,
  schedule,
  sparsity,
  mean,
  low,
  high,
  ofDense,
  runs,
}: SparsityRow): string[] {
  return [
    algorithm,
    schedule === '' ? '–' : schedule,
    `${Number((100 * sparsity).toFixed(2))} %`,
    figure(mean),
    figure(low),
    figure(high),
    ofDense === null ? '–' : `${(100 * ofDense).toFixed(1)} %`,
    String(runs),
  ]
}
