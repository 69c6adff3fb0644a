/**
 * What a report says, as plain data: the renderers only lay it out. Everything follows from the records and the package's
 * own generator, so the same records give the same report.
 */
import { TroupeError, canonicalJson, shown } from '../../envs/core/index.ts'
import { type ResultRecord } from '../record.ts'
import {
  FAILED,
  aggregateReplicates,
  aggregates,
  differenceInterval,
  improvementInterval,
  improvementVerdict,
  intervalOf,
  meanInterval,
  meanOf,
  normalise,
  performanceProfile,
  probabilityOfImprovement,
  profileIntervals,
  rankRanges,
  sampleEfficiency,
  sampleEfficiencyIntervals,
  standing,
  valueAt,
  type Aggregates,
  type AggregateIntervals,
  type Interval,
  type RankRange,
  type Scores,
  type Standing,
} from '../statistics.ts'

/** A record and where it lies, for links. */
export interface RecordAt {
  readonly record: ResultRecord
  /** Folder of the run as the report should name it; replays are relative to it. */
  readonly folder: string
}

export interface ReportOptions {
  readonly title?: string
  /** Replicates of aggregates; default 50,000; a twenty-fifth of it for everything else. */
  readonly replicates?: number
  readonly seed?: string
}

/** One recipe: an algorithm with its settings. */
export interface Entry {
  readonly name: string
  readonly learned: boolean
  /** How it was played when it was measured. */
  readonly manner: string
  readonly privileged: boolean
  readonly settings: Readonly<Record<string, unknown>>
  readonly paper: string
  /** Environment steps of training of each run, as asked for. */
  readonly steps: number
  readonly runs: number
  readonly diverged: number
  readonly seconds: number
  readonly stepsPerSecond: number
  readonly hardware: readonly string[]
  readonly packages: readonly string[]
}

export interface Curve {
  readonly entry: string
  readonly steps: readonly number[]
  readonly value: readonly number[]
  /** null where there are too few runs. */
  readonly interval: readonly Interval[] | null
}

export interface TaskRow {
  readonly entry: string
  readonly runs: number
  readonly diverged: number
  readonly episodes: number
  /** Mean over runs of the absolute metric; FAILED when a run failed. */
  readonly mean: number
  readonly interval: Interval | null
  readonly rank: RankRange | null
  /** Lowest and highest run. */
  readonly low: number
  readonly high: number
  /** Means over runs of the metrics. */
  readonly metrics: Readonly<Record<string, number | null>>
}

export interface TaskReport {
  readonly id: string
  readonly title: string
  readonly env: string
  readonly version: string
  readonly scenarioHash: string
  readonly returnIs: string
  readonly reference: { readonly random?: number; readonly best?: number; readonly source?: string } | null
  /** Whether its scores are in the aggregates. */
  readonly normalised: boolean
  /** Best first. */
  readonly rows: readonly TaskRow[]
  readonly curves: readonly Curve[]
  /** What pruning costs, for learners that are here with several sparsities; by learner, schedule and sparsity. */
  readonly sparsity: readonly SparsityRow[]
  readonly protocol: string
}

/** Runs of a learner that ended with the same part of their weights masked. */
export interface SparsityRow {
  readonly algorithm: string
  /** How masks grew; '' where nothing is masked. */
  readonly schedule: string
  /** Part of the weights that are masked at the end, 0 to 1. */
  readonly sparsity: number
  readonly runs: number
  /** Means over runs of the last evaluation, which is of the final masks whatever the best checkpoint is of. */
  readonly mean: number
  readonly low: number
  readonly high: number
  /** Of the runs in which nothing is masked; null where there are none, or where their return is not above 0. */
  readonly ofDense: number | null
}

export interface AggregateRow {
  readonly entry: string
  readonly runs: number
  readonly values: Aggregates
  readonly intervals: AggregateIntervals | null
  readonly standing: Standing
  /** null where there are too few runs for a row. */
  readonly rank: RankRange | null
}

export interface GroupReport {
  /** The environment; '' where there are several. */
  readonly env: string
  readonly tasks: readonly string[]
  readonly rows: readonly AggregateRow[]
  readonly thresholds: readonly number[]
  readonly profiles: readonly {
    readonly entry: string
    readonly share: number[]
    readonly interval: Interval[] | null
  }[]
  readonly improvement: readonly {
    readonly x: string
    readonly y: string
    readonly p: number
    readonly interval: Interval | null
    readonly verdict: string
  }[]
  readonly curves: readonly Curve[]
  /** Entries that lack some of the tasks. */
  readonly partial: readonly string[]
}

export interface WorstEpisode {
  readonly scenario: string
  readonly entry: string
  readonly seed: string
  readonly episode: number
  readonly return: number
  /** Of the run it is from. */
  readonly mean: number
  readonly replay: string
  readonly sha256: string
}

export interface Report {
  readonly title: string
  readonly entries: readonly Entry[]
  readonly groups: readonly GroupReport[]
  readonly tasks: readonly TaskReport[]
  readonly worst: readonly WorstEpisode[]
  /** What a reader must know before believing a number. */
  readonly notes: readonly string[]
  readonly seeds: readonly string[]
  readonly replicates: number
}

const REPLICATES = 50_000
const PROFILE_STEPS = 51
const WORST_PER_CELL = 3
/** Points of a curve; more would not be seen. */
const CURVE_POINTS = 101

/** Runs of one entry on one task, by seed. */
type Runs = readonly RecordAt[]

/** The score of a run: mean of the absolute metric. */
export function scoreOf({ status, absolute }: ResultRecord): number {
  return status === 'diverged' || absolute === null || absolute.returns.length === 0 ? FAILED : absolute.return.mean
}

/**
 * @throws TroupeError when records cannot stand in one table: another task or protocol under the same name, the same run
 *   twice, a run that is not over
 */
export function buildReport(found: readonly RecordAt[], options: ReportOptions = {}): Report {
  if (found.length === 0) throw new TroupeError('bad-option', { where: 'report', got: 'no records', expected: 'some' })
  const replicates = options.replicates ?? REPLICATES
  const seed = options.seed ?? 'report'
  const notes: string[] = []
  const whole = found.filter(({ record }) => record.status !== 'interrupted')
  if (whole.length < found.length) {
    notes.push(`${found.length - whole.length} of ${found.length} runs are not over and are left out.`)
  }
  if (whole.length === 0) {
    throw new TroupeError('bad-option', {
      where: 'report',
      got: 'only runs that are not over',
      expected: 'finished runs',
    })
  }
  requireComparable(whole)
  const labels = labelsOf(whole)
  const names = [...new Set(whole.map((one) => labels.get(one)!))].sort()
  const scenarios = [...new Map(whole.map((one) => [one.record.scenario.id, one.record])).values()]
  const runsOf = (entry: string, scenario: string): Runs =>
    whole
      .filter((one) => labels.get(one) === entry && one.record.scenario.id === scenario)
      .sort((a, b) => bySeed(a.record.seed, b.record.seed))
  const entries = names.map((name) => entryOf(name, whole.filter((one) => labels.get(one) === name))) // prettier-ignore
  const bootstrap = { replicates: Math.max(1, Math.round(replicates / 25)), seed }
  const tasks = scenarios.map((record) => taskOf(record, names, runsOf, bootstrap))
  const usable = tasks.filter((task) => task.normalised).map(({ id }) => id)
  const without = tasks.filter((task) => !task.normalised).map(({ id }) => id)
  if (without.length > 0) {
    notes.push(
      `Not in the aggregates, since no returns of random and best play are known that differ: ${without.join(', ')}.`,
    )
  }
  const envs = [...new Set(tasks.filter(({ id }) => usable.includes(id)).map(({ env }) => env))]
  const groups = [
    ...(usable.length > 0 ? [{ env: envs.length === 1 ? envs[0] : '', ids: usable }] : []),
    ...(envs.length > 1
      ? envs.map((env) => ({ env, ids: tasks.filter((task) => task.env === env && usable.includes(task.id)).map(({ id }) => id) })) // prettier-ignore
      : []),
  ].map(({ env, ids }, k) => groupOf(env, ids, names, runsOf, { replicates, seed }, k === 0 ? notes : []))
  const learned = entries.filter((entry) => entry.learned)
  const budgets = new Set(learned.map(({ steps }) => steps))
  if (budgets.size > 1) {
    notes.push(`Training budgets differ: ${learned.map(({ name, steps }) => `${name} ${steps} steps`).join(', ')}.`)
  }
  const privileged = entries.filter((entry) => entry.privileged).map(({ name }) => name)
  if (privileged.length > 0) {
    notes.push(
      `${privileged.join(', ')} ${privileged.length === 1 ? 'sees' : 'see'} the whole world, not observations.`,
    )
  }
  const scripted = entries.filter((entry) => !entry.learned).map(({ name }) => name)
  if (scripted.length > 0) {
    notes.push(
      `${scripted.join(', ')} ${scripted.length === 1 ? 'does' : 'do'} not learn: runs differ in episode seeds only, ` +
        'so intervals say how much the episodes vary, not how much training does.',
    )
  }
  for (const { name, diverged } of entries) {
    if (diverged > 0)
      notes.push(`${name}: ${diverged} ${diverged === 1 ? 'run' : 'runs'} diverged and score below all.`)
  }
  return {
    title: options.title ?? 'Results',
    entries,
    groups,
    tasks,
    worst: worstOf(names, tasks, runsOf),
    notes,
    seeds: [...new Set(whole.map(({ record }) => record.seed))].sort(bySeed),
    replicates,
  }
}

function bySeed(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** One table holds one task per name, measured in one way, and every run once. */
function requireComparable(found: readonly RecordAt[]): void {
  const tasks = new Map<string, ResultRecord>()
  const seen = new Set<string>()
  for (const { record, folder } of found) {
    const { id } = record.scenario
    const first = tasks.get(id) ?? record
    tasks.set(id, first)
    const [asked, there] = [record, first].map(({ scenarioHash, environment, protocol, policy }) => ({
      'scenario hash': scenarioHash,
      'environment version': environment.version,
      'meaning of return': protocol.return,
      'episodes of the absolute metric': protocol.absoluteEpisodes,
      ...(policy === undefined && first.policy === undefined ? { 'way of choosing': protocol.policy } : {}),
    }))
    for (const [name, value] of Object.entries(asked)) {
      const other = (there as Record<string, unknown>)[name]
      if (value === other || other === undefined) continue
      throw new TroupeError('bad-option', {
        where: `${folder}: ${id}: ${name}`,
        got: shown(value),
        expected: `${shown(other)}, as in the first record of that name: two protocols make two reports`,
      })
    }
    const key = canonicalJson([id, record.algorithm, settingsKey(record), record.seed])
    if (seen.has(key)) {
      throw new TroupeError('bad-option', {
        where: folder,
        got: `${record.algorithm} on ${id} with seed ${record.seed}, which is there already`,
        expected: 'every run once',
      })
    }
    seen.add(key)
  }
}

/** Shards and the length of a schedule are found by the learner; they make no other recipe. */
function settingsKey({ settings, policy, plugin }: ResultRecord): string {
  const rest = Object.fromEntries(Object.entries(settings).filter(([name]) => !FOUND.includes(name)))
  return canonicalJson({ rest, policy: policy?.sha256 ?? null, plugin: plugin?.sha256 ?? null })
}

/** Settings that a learner finds for itself: they make no other recipe. */
const FOUND = ['shards', 'scheduleSteps']

/** Names of the recipes: the algorithm and, where one task has it with several settings, those settings. */
function labelsOf(found: readonly RecordAt[]): Map<RecordAt, string> {
  const labels = new Map<RecordAt, string>()
  for (const algorithm of new Set(found.map(({ record }) => record.algorithm))) {
    const own = found.filter(({ record }) => record.algorithm === algorithm)
    const tasks = new Set(own.map(({ record }) => record.scenario.id))
    const values = (name: string, task: string) =>
      new Set(
        own
          .filter(({ record }) => record.scenario.id === task)
          .map(({ record }) => canonicalJson(record.settings[name] ?? null)),
      )
    const names = [...new Set(own.flatMap(({ record }) => Object.keys(record.settings)))]
      .filter((name) => !FOUND.includes(name) && [...tasks].some((task) => values(name, task).size > 1))
      .sort()
    for (const one of own) {
      const words = names.map((name) => `${name}=${JSON.stringify(one.record.settings[name] ?? null)}`).join(' ')
      labels.set(one, words === '' ? algorithm : `${algorithm} (${words})`)
    }
  }
  return labels
}

/** Every record with the name of its entry, as the tables of `buildReport` have it. */
export function namedRecords(found: readonly RecordAt[]): (RecordAt & { readonly entry: string })[] {
  const labels = labelsOf(found)
  return found.map((one) => ({ ...one, entry: labels.get(one)! }))
}

function entryOf(name: string, own: Runs): Entry {
  const first = own[0].record
  const distinct = (values: readonly string[]) => [...new Set(values)].sort()
  return {
    name,
    learned: first.policy === undefined,
    manner: first.protocol.policy,
    privileged: first.policy?.privileged === true,
    settings: first.settings,
    paper: first.paper,
    steps: first.steps.requested,
    runs: own.length,
    diverged: own.filter(({ record }) => record.status === 'diverged').length,
    seconds: own.reduce((sum, { record }) => sum + record.seconds, 0),
    stepsPerSecond: meanOf(own.map(({ record }) => record.stepsPerSecond)),
    hardware: distinct(own.map(({ record: { hardware: h } }) => `${h.cpu}, ${h.cores} cores, ${h.platform}, Node ${h.node}, ${h.backend}`)), // prettier-ignore
    packages: distinct(own.map(({ record }) => record.package)),
  }
}

type Bootstrap = { readonly replicates: number; readonly seed: string }

function taskOf(
  { scenario, scenarioHash, protocol, environment }: ResultRecord,
  names: readonly string[],
  runsOf: (entry: string, scenario: string) => Runs,
  bootstrap: Bootstrap,
): TaskReport {
  const present = names.filter((name) => runsOf(name, scenario.id).length > 0)
  const scores = present.map((name) => runsOf(name, scenario.id).map(({ record }) => scoreOf(record)))
  const episodes = (name: string) => Math.min(...runsOf(name, scenario.id).map(({ record }) => record.protocol.absoluteEpisodes)) // prettier-ignore
  const may = present.map((name, i) => standing(scores[i].length, episodes(name)))
  const means = scores.map(meanOf)
  const draws = present.map((name, i) =>
    may[i].intervals
      ? aggregateReplicates(scores[i].map((score) => [score]), { ...bootstrap, seed: `${bootstrap.seed} ${scenario.id} ${name}` }).mean // prettier-ignore
      : null,
  )
  const ranks = rankRanges(means, (i, j) =>
    draws[i] === null || draws[j] === null ? null : differenceInterval(draws[i], draws[j]),
  )
  const rows = present.map((entry, i): TaskRow => {
    const own = runsOf(entry, scenario.id)
    return {
      entry,
      runs: own.length,
      diverged: own.filter(({ record }) => record.status === 'diverged').length,
      episodes: episodes(entry),
      mean: means[i],
      interval: draws[i] === null ? null : intervalOf(draws[i]),
      rank: may[i].tier === 'ranked' ? ranks[i] : null,
      low: Math.min(...scores[i]),
      high: Math.max(...scores[i]),
      metrics: metricsOf(own),
    }
  })
  const { reference } = scenario
  return {
    id: scenario.id,
    title: scenario.title,
    env: scenario.env,
    version: environment.version,
    scenarioHash,
    returnIs: protocol.return,
    reference: reference ?? null,
    normalised: reference?.random !== undefined && reference.best !== undefined && reference.best > reference.random,
    rows: rows.sort((a, b) => b.mean - a.mean || (a.entry < b.entry ? -1 : 1)),
    curves: present.flatMap((entry, i) => curveOf(entry, runsOf(entry, scenario.id), may[i].intervals, bootstrap)),
    sparsity: sparsityOf(present.flatMap((entry) => runsOf(entry, scenario.id))),
    protocol: protocolText(present.map((name) => runsOf(name, scenario.id)[0].record)),
  }
}

/** @returns nothing for learners that have one sparsity only */
function sparsityOf(runs: Runs): SparsityRow[] {
  const pruned = runs.map(({ record }) => record).filter((record) => record.status === 'finished' && record.evaluations.length > 0 && typeof record.settings.sparsity === 'number') // prettier-ignore
  const kinds = new Map<string, ResultRecord[]>()
  for (const record of pruned) {
    const { sparsity, sparsitySchedule } = record.settings
    const key = canonicalJson([record.algorithm, sparsity === 0 ? '' : (sparsitySchedule ?? ''), sparsity])
    kinds.set(key, [...(kinds.get(key) ?? []), record])
  }
  const rows = [...kinds].map(([key, records]) => {
    const [algorithm, schedule, sparsity] = JSON.parse(key) as [string, string, number]
    const returns = records.map(({ evaluations }) => evaluations[evaluations.length - 1].return.mean)
    return {
      algorithm,
      schedule,
      sparsity,
      runs: records.length,
      mean: meanOf(returns),
      low: Math.min(...returns),
      high: Math.max(...returns),
    }
  })
  return rows
    .filter(({ algorithm }) => rows.filter((row) => row.algorithm === algorithm).length > 1)
    .map((row) => {
      const dense = rows.find(({ algorithm, sparsity }) => algorithm === row.algorithm && sparsity === 0)?.mean ?? 0
      return { ...row, ofDense: dense > 0 ? row.mean / dense : null }
    })
    .sort((a, b) => byText(a.algorithm, b.algorithm) || byText(a.schedule, b.schedule) || a.sparsity - b.sparsity)
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** How the numbers of a task were measured, in words that stand beside them. */
function protocolText(records: readonly ResultRecord[]): string {
  const learned = records.find((record) => record.policy === undefined)
  const { absoluteEpisodes, return: returnIs } = (learned ?? records[0]).protocol
  const manners = [...new Set(records.map(({ protocol }) => protocol.policy))].join(', ')
  const along =
    learned === undefined
      ? ''
      : `; along training ${learned.protocol.points} evaluations of ${learned.protocol.episodes} episodes`
  const best = learned === undefined ? '' : ' of the best checkpoint'
  return `mean of ${absoluteEpisodes} fresh episodes${best}; return = ${returnIs}; policy ${manners}${along}`
}

function metricsOf(own: Runs): Record<string, number | null> {
  const first = own.find(({ record }) => record.absolute !== null)?.record.absolute
  return Object.fromEntries(
    Object.keys(first?.metrics ?? {}).map((name) => {
      const values = own
        .map(({ record }) => record.absolute?.metrics[name])
        .filter((value) => typeof value === 'number')
      return [name, values.length === 0 ? null : meanOf(values)]
    }),
  )
}

/** Planned steps at which runs of a budget are compared. */
function grid(records: readonly ResultRecord[]): number[] {
  const steps = Math.max(...records.map((record) => record.steps.requested))
  const points = Math.min(CURVE_POINTS, Math.max(...records.map((record) => record.protocol.points)))
  if (points <= 1) return [steps]
  return Array.from({ length: points }, (_, k) => Math.round((steps * k) / (points - 1)))
}

/** The evaluation means of a run on a grid; a policy that does not learn has its one score everywhere. */
function alongTraining(record: ResultRecord, steps: readonly number[]): number[] {
  if (record.evaluations.length === 0) return steps.map(() => scoreOf(record))
  const at = record.evaluations.map((point) => point.step)
  const means = record.evaluations.map((point) => point.return.mean)
  return steps.map((step) => valueAt(at, means, step))
}

/** Mean over runs of the evaluations of one task; nothing for policies that do not learn. */
function curveOf(entry: string, own: Runs, intervals: boolean, bootstrap: Bootstrap): Curve[] {
  const records = own.map(({ record }) => record).filter((record) => record.evaluations.length > 0)
  if (records.length === 0) return []
  const steps = grid(records)
  const runs = records.map((record) => alongTraining(record, steps))
  const perPoint = steps.map((_, point) => runs.map((run) => run[point]))
  const few = { replicates: Math.min(bootstrap.replicates, 1000), seed: bootstrap.seed }
  return [
    {
      entry,
      steps,
      value: perPoint.map(meanOf),
      interval: intervals ? perPoint.map((values) => meanInterval(values, few)) : null,
    },
  ]
}

function groupOf(
  env: string,
  ids: readonly string[],
  names: readonly string[],
  runsOf: (entry: string, scenario: string) => Runs,
  bootstrap: Bootstrap,
  notes: string[],
): GroupReport {
  const complete = names.filter((name) => ids.every((id) => runsOf(name, id).length > 0))
  const partial = names.filter((name) => !complete.includes(name) && ids.some((id) => runsOf(name, id).length > 0))
  const few = { ...bootstrap, replicates: Math.max(1, Math.round(bootstrap.replicates / 25)) }
  const cells = complete.map((name) => {
    const counts = ids.map((id) => runsOf(name, id).length)
    const R = Math.min(...counts)
    if (Math.max(...counts) > R) {
      notes.push(`${name}: ${Math.max(...counts)} runs on some tasks, ${R} on others; aggregates take the first ${R}.`)
    }
    const runs = ids.map((id) =>
      runsOf(name, id)
        .slice(0, R)
        .map(({ record }) => record),
    ) // [M, R]
    const scale = (record: ResultRecord, score: number) =>
      normalise(score, record.scenario.reference as { random: number; best: number })
    const scores: Scores = Array.from({ length: R }, (_, r) => runs.map((own) => scale(own[r], scoreOf(own[r]))))
    return { name, R, runs, scores, scale }
  })
  const may = cells.map(({ R, runs }) =>
    standing(R, Math.min(...runs.flat().map((record) => record.protocol.absoluteEpisodes))),
  )
  const draws = cells.map(({ name, scores }, i) =>
    may[i].intervals ? aggregateReplicates(scores, { ...bootstrap, seed: `${bootstrap.seed} ${env} ${name}` }) : null,
  )
  const values = cells.map(({ scores }) => aggregates(scores))
  const ranks = rankRanges(
    values.map((value) => value.iqm),
    (i, j) => (draws[i] === null || draws[j] === null ? null : differenceInterval(draws[i].iqm, draws[j].iqm)),
  )
  may.forEach(({ warning }, i) => warning !== '' && notes.push(`${cells[i].name}: ${warning}.`))
  const rows = cells.map(({ name, R }, i): AggregateRow => {
    const drawn = draws[i]
    return {
      entry: name,
      runs: R,
      values: values[i],
      intervals:
        drawn === null
          ? null
          : {
              iqm: intervalOf(drawn.iqm),
              median: intervalOf(drawn.median),
              mean: intervalOf(drawn.mean),
              optimalityGap: intervalOf(drawn.optimalityGap),
            },
      standing: may[i],
      rank: may[i].tier === 'ranked' ? ranks[i] : null,
    }
  })
  const order = rows.map((_, i) => i).sort((a, b) => rows[b].values.iqm - rows[a].values.iqm || a - b)
  const finite = cells.flatMap(({ scores }) => scores.flat()).filter(Number.isFinite)
  const [low, high] = [Math.min(0, Math.max(-1, ...finite.length > 0 ? [Math.min(...finite)] : [0])), Math.max(1, ...finite)] // prettier-ignore
  const thresholds = Array.from({ length: PROFILE_STEPS }, (_, k) => low + ((high - low) * k) / (PROFILE_STEPS - 1))
  const profiles = order.map((i) => ({
    entry: cells[i].name,
    share: performanceProfile(cells[i].scores, thresholds),
    interval: may[i].intervals ? profileIntervals(cells[i].scores, thresholds, few) : null,
  }))
  const improvement = order.flatMap((i, place) =>
    order.slice(place + 1).map((j) => {
      const [x, y] = [cells[i].scores, cells[j].scores]
      const interval = may[i].intervals && may[j].intervals ? improvementInterval(x, y, few) : null
      return {
        x: cells[i].name,
        y: cells[j].name,
        p: probabilityOfImprovement(x, y),
        interval,
        verdict: interval === null ? 'too few runs' : improvementVerdict(interval),
      }
    }),
  )
  const learners = cells.filter(({ runs }) => runs.every((own) => own.every((record) => record.evaluations.length > 0)))
  const curves = learners.map(({ name, R, runs, scale }): Curve => {
    const steps = grid(runs.flat())
    // Tasks may be evaluated on grids of their own; the share of the budget is what they have in common.
    const scores = Array.from({ length: R }, (_, r) =>
      runs.map(
        (own) =>
        alongTraining(own[r], steps.map((step) => (step / steps[steps.length - 1]) * own[r].steps.requested)).map((score) => scale(own[r], score)), // prettier-ignore
      ),
    )
    return {
      entry: name,
      steps,
      value: sampleEfficiency(scores),
      interval: may[cells.findIndex((cell) => cell.name === name)].intervals
        ? sampleEfficiencyIntervals(scores, { ...few, replicates: Math.min(few.replicates, 1000) })
        : null,
    }
  })
  return { env, tasks: ids, rows: order.map((i) => rows[i]), thresholds, profiles, improvement, curves, partial }
}

function worstOf(
  names: readonly string[],
  tasks: readonly TaskReport[],
  runsOf: (entry: string, scenario: string) => Runs,
): WorstEpisode[] {
  return tasks.flatMap(({ id }) =>
    names.flatMap((entry) =>
      runsOf(entry, id)
        .flatMap(({ record, folder }) =>
          (record.absolute?.replays ?? []).map(({ file, sha256, episode }): WorstEpisode => ({
            scenario: id,
            entry,
            seed: record.seed,
            episode,
            return: record.absolute!.returns[episode],
            mean: record.absolute!.return.mean,
            replay: `${folder === '' ? '' : `${folder}/`}${file}`,
            sha256,
          })),
        )
        .sort((a, b) => a.return - b.return || bySeed(a.seed, b.seed) || a.episode - b.episode)
        .slice(0, WORST_PER_CELL),
    ),
  )
}
