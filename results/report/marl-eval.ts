/**
 * Export for marl-eval (instadeepai, as of version 0.1): environment > task > algorithm > run > step_k, absolute_metrics.
 *
 * What its loader wants and does not say: all tasks of an environment have the same algorithms, all algorithms the same
 * runs and the same steps; every step holds every metric, and so does `absolute_metrics`, which comes last; names are
 * lower-cased on reading; algorithm names are joined with commas; the reported interval is the mean difference of step
 * counts *including* the first against zero, so the evaluation before training is left out where there are others.
 */
import { TroupeError, shown } from '../../envs/core/index.ts'
import { type ResultRecord } from '../record.ts'
import { type RecordAt } from './model.ts'

type Metrics = Record<string, number[]>
type Step = { step_count: number } & Record<string, number | number[]>
export type MarlEvalRun = Record<string, Step | Metrics>
export type MarlEval = Record<string, Record<string, Record<string, Record<string, MarlEvalRun>>>>

export interface MarlEvalExport {
  readonly data: MarlEval
  /** What was left out or repeated so that the loader takes it, in words. */
  readonly notes: readonly string[]
}

/**
 * @param named records with the name of their entry
 * @throws TroupeError when names would fall together on reading
 */
export function marlEval(named: readonly (RecordAt & { readonly entry: string })[]): MarlEvalExport {
  const notes: string[] = []
  const usable = named.filter(({ record }) => record.status === 'finished' && record.absolute !== null)
  if (usable.length < named.length)
    notes.push(`${named.length - usable.length} runs without an absolute metric are left out.`)
  const data: MarlEval = {}
  const distinct = <T>(values: readonly T[]) => [...new Set(values)]
  for (const env of distinct(usable.map(({ record }) => record.scenario.env))) {
    const own = usable.filter(({ record }) => record.scenario.env === env)
    const tasks = distinct(own.map(({ record }) => record.scenario.id))
    const algorithms = distinct(own.map(({ entry }) => entry)).sort()
    const of = (task: string, entry: string) => own.filter(({ record, entry: e }) => record.scenario.id === task && e === entry).map(({ record }) => record) // prettier-ignore
    const kept = algorithms.filter((entry) => tasks.every((task) => of(task, entry).length > 0))
    const dropped = algorithms.filter((entry) => !kept.includes(entry))
    if (dropped.length > 0) notes.push(`${env}: ${dropped.join(', ')} left out: not on all ${tasks.length} tasks.`)
    if (kept.length === 0) continue
    const cells = kept.flatMap((entry) => tasks.map((task) => of(task, entry)))
    const seeds = cells.map((records) => records.map(({ seed }) => seed)).reduce((all, some) => all.filter((seed) => some.includes(seed))) // prettier-ignore
    const most = Math.max(...cells.map((records) => records.length))
    if (seeds.length < most) notes.push(`${env}: only the ${seeds.length} of ${most} seeds that every algorithm has on every task.`) // prettier-ignore
    if (seeds.length === 0) continue
    const records = kept.flatMap((entry) => tasks.flatMap((task) => of(task, entry)))
    const metrics = metricsOf(records)
    const points = Math.max(1, ...records.map((record) => usefulPoints(record).length))
    const still = kept.filter((entry) => tasks.some((task) => of(task, entry).some((record) => record.evaluations.length === 0))) // prettier-ignore
    if (still.length > 0 && points > 1) notes.push(`${env}: ${still.join(', ')} did not learn; the score is repeated at every step.`) // prettier-ignore
    const longest = records.find((record) => usefulPoints(record).length === points) ?? records[0]
    const counts = usefulPoints(longest).map(({ step }) => step)
    const lower = refuseTwins(env, tasks, kept)
    data[lower(env)] = Object.fromEntries(
      tasks.map((task) => [
        lower(task.slice(task.indexOf('/') + 1)),
        Object.fromEntries(
          kept.map((entry) => [
            lower(entry.replaceAll(',', ' ')),
            Object.fromEntries(
              seeds.map((seed) => {
                const record = of(task, entry).find((one) => one.seed === seed)!
                return [`seed_${seed}`, runOf(record, metrics, points, counts)]
              }),
            ),
          ]),
        ),
      ]),
    )
  }
  return { data, notes }
}

/** Evaluations after training began, or the only one. */
function usefulPoints({ evaluations }: ResultRecord): ResultRecord['evaluations'] {
  return evaluations.length > 1 ? evaluations.filter(({ step }) => step > 0) : evaluations
}

/** Metrics that every evaluation of every record has: the loader takes no gaps. */
function metricsOf(records: readonly ResultRecord[]): string[] {
  const all = records.flatMap((record) => [record.absolute!.metrics, ...usefulPoints(record).map(({ metrics }) => metrics)]) // prettier-ignore
  return Object.keys(all[0]).filter((name) => all.every((metrics) => typeof metrics[name] === 'number'))
}

/** Metric names as marl-eval spells them: it reads everything in lower case. */
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function runOf(
  record: ResultRecord,
  metrics: readonly string[],
  points: number,
  counts: readonly number[],
): MarlEvalRun {
  const evaluations = usefulPoints(record)
  const absolute = record.absolute!
  const named = (source: Readonly<Record<string, number | null>>): Metrics =>
    Object.fromEntries(metrics.map((name) => [snake(name), [source[name] as number]]))
  const run: MarlEvalRun = {}
  for (let k = 0; k < points; k++) {
    const point = evaluations.length === 0 ? undefined : evaluations[Math.min(k, evaluations.length - 1)]
    run[`step_${k}`] = {
      step_count: evaluations[k]?.step ?? counts[k] ?? 0,
      return: point === undefined ? [absolute.return.mean] : point.returns,
      ...named(point?.metrics ?? absolute.metrics),
    }
  }
  run.absolute_metrics = { return: absolute.returns, ...named(absolute.metrics) }
  return run
}

function refuseTwins(env: string, ...kinds: readonly (readonly string[])[]): (name: string) => string {
  for (const names of kinds) {
    const twin = names.find((name, i) => names.findIndex((other) => other.toLowerCase() === name.toLowerCase()) !== i)
    if (twin === undefined) continue
    throw new TroupeError('bad-option', {
      where: `marl-eval: ${env}: name`,
      got: shown(twin),
      expected: 'names that differ by more than upper and lower case, which marl-eval does not tell apart',
    })
  }
  return (name) => name.toLowerCase()
}
