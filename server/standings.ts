/** Boards as they are shown: who stands where, page by page. Everything is computed from the store's rows by rule. */
import { aggregateReplicates, intervalOf, iqm, meanOf, normalise, standing as tierOf } from '../results/statistics.ts'
import { type BoardKind, type BoardRow, type Level, type Score } from './protocol/rest.ts'
import { type BoardLimits } from './board-limits.ts'
import { type Catalog, type CatalogSuite, type Task } from './catalog.ts'
import { Ranking, type Ranked } from './ranking.ts'
import { type BoardMember, type EntryRow, type ShownEntry, type Store } from './store/store.ts'

export interface Page {
  readonly rows: BoardRow[]
  readonly total: number
  readonly ranked: number
}

/** A page as it is sent: its rows are JSON already. */
export interface PageText extends Omit<Page, 'rows'> {
  readonly rows: string
}

/** A row as it is sent, in two parts: its rank may change while it stays the same. */
interface RowText {
  readonly standing: string
  /** JSON of what follows the rank, without its first brace. */
  readonly rest: string
}

/** A row without a rank. */
interface Unranked {
  readonly id: string
  readonly class: number
  readonly value: number
  readonly at: number
}

/** A board in order: the ranked part, then what has no rank. */
interface Standing {
  readonly ranking: Ranking<Ranked>
  readonly unranked: readonly Unranked[]
}

/** An algorithm row or a suite row before it is ranked. */
interface Group extends Ranked {
  readonly score: Score | null
  readonly runs: readonly string[]
  readonly episodes: number
  readonly ranked: boolean
  readonly flags: readonly string[]
  readonly tasks?: { done: number; of: number }
}

/** Replicates of the bootstrap behind an algorithm row. */
const REPLICATES = 2_000
/** Characters of rows kept as they are sent, over all boards: 100,000 rows with room to spare. */
const KEPT = 96_000_000

const iso = (at: number) => new Date(at).toISOString()
const boardKey = (hash: string, level: Level) => `${hash}|${level}`

export class Standings {
  private readonly store: Store
  private readonly catalog: Catalog
  private readonly limits: BoardLimits
  private readonly boards = new Map<string, Standing>()
  private readonly making = new Map<string, Promise<Standing>>()
  /** Counts changes: what was read before the last one is not kept. */
  private turn = 0
  /** Rows as they are sent, by id, but for the rank; what was made first comes first. */
  private readonly texts = new Map<string, RowText>()
  private kept = 0
  private readonly groups = new Map<string, { ranking: Ranking<Group>; unranked: Group[] }>()
  private sizes: Promise<Map<string, Partial<Record<Level, number>>>> | undefined

  constructor(store: Store, catalog: Catalog, limits: BoardLimits) {
    this.store = store
    this.catalog = catalog
    this.limits = limits
  }

  /** An entry looks different: its boards are made anew when they are next asked for. */
  changed({ id, scenarioHash, level }: Pick<EntryRow, 'id' | 'scenarioHash' | 'level'>): void {
    const key = boardKey(scenarioHash, level)
    this.turn++
    this.boards.delete(key)
    this.making.delete(key)
    this.sizes = undefined
    for (const name of this.groups.keys()) {
      if (name.startsWith('suite|') || name.endsWith(key)) this.groups.delete(name)
    }
    this.forget(id)
  }

  private forget(id: string): void {
    this.kept -= this.texts.get(id)?.rest.length ?? 0
    this.texts.delete(id)
  }

  /** An entry came to an end, as it is in the store now: it takes its place in the order that is known. */
  entered(entry: EntryRow): void {
    const key = boardKey(entry.scenarioHash, entry.level)
    const known = this.boards.get(key)
    this.changed(entry)
    if (known === undefined) return
    const { ranked, unranked } = placed(memberOf(entry), entry.level, this.limits)
    if (ranked !== undefined) this.boards.set(key, { ...known, ranking: known.ranking.with(ranked) })
    else if (unranked !== undefined) {
      this.boards.set(key, { ...known, unranked: [...known.unranked, unranked].sort(orderUnranked) })
    }
  }

  /** Published entries by scenario hash and level. */
  async counts(): Promise<Map<string, Partial<Record<Level, number>>>> {
    this.sizes ??= this.store.boardSizes().then((rows) => {
      const all = new Map<string, Partial<Record<Level, number>>>()
      for (const { scenarioHash, level, count } of rows) {
        all.set(scenarioHash, { ...all.get(scenarioHash), [level]: Number(count) })
      }
      return all
    })
    return this.sizes
  }

  /** One frozen policy per row. */
  async policies(task: Task, level: Level, offset: number, limit: number): Promise<Page> {
    return this.cut(await this.standing(task.hash, level), offset, limit)
  }

  /** The same as it is sent. Of rows that were sent before, neither the store nor JSON is asked again. */
  async policiesText(task: Task, level: Level, offset: number, limit: number): Promise<PageText> {
    const standing = await this.standing(task.hash, level)
    const { ranking } = standing
    const ids = idsOf(standing, offset, limit)
    const texts = await this.textsOf(ids)
    const rows: string[] = []
    ids.forEach((id, k) => {
      const text = texts[k]
      if (text === undefined) return
      const place = offset + k
      const ranked = place < ranking.rows.length
      const rank = ranked ? JSON.stringify(ranking.rankAt(place)) : 'null'
      rows.push(`{"id":"${id}","standing":"${ranked ? 'ranked' : text.standing}","rank":${rank},${text.rest}`)
    })
    return { rows: `[${rows.join(',')}]`, total: totalOf(standing), ranked: ranking.rows.length }
  }

  private async textsOf(ids: readonly string[]): Promise<(RowText | undefined)[]> {
    const known = ids.map((id) => this.texts.get(id))
    const missing = ids.filter((_, k) => known[k] === undefined)
    if (missing.length === 0) return known
    const { turn } = this
    const made = new Map<string, RowText>()
    for (const entry of await this.store.entriesById(missing)) {
      const { id, standing, rank: _, ...rest } = rowOf(entry, this.limits)
      made.set(id, { standing, rest: JSON.stringify(rest).slice(1) })
    }
    // What was read before a change must not be kept.
    if (this.turn === turn) {
      for (const [id, text] of made) {
        this.forget(id)
        this.texts.set(id, text)
        this.kept += text.rest.length
      }
      for (const id of this.texts.keys()) {
        if (this.kept <= KEPT) break
        this.forget(id)
      }
    }
    return ids.map((id, k) => known[k] ?? made.get(id))
  }

  private async cut(standing: Standing, offset: number, limit: number): Promise<Page> {
    const { ranking } = standing
    const entries = await this.store.entriesById(idsOf(standing, offset, limit))
    const rows = entries.map((entry, k) => {
      const place = offset + k
      const row = rowOf(entry, this.limits)
      if (place >= ranking.rows.length) return row
      return { ...row, standing: 'ranked' as const, rank: ranking.rankAt(place) }
    })
    return { rows, total: totalOf(standing), ranked: ranking.rows.length }
  }

  /** The row of one entry with its rank. */
  async row(entry: EntryRow): Promise<BoardRow> {
    const row = rowOf(entry, this.limits)
    if (!isRanked(row, this.limits)) return row
    const { ranking } = await this.standing(entry.scenarioHash, entry.level)
    const place = ranking.placeOf(entry.id)
    return place === undefined ? row : { ...row, standing: 'ranked', rank: ranking.rankAt(place) }
  }

  private async standing(hash: string, level: Level): Promise<Standing> {
    const key = boardKey(hash, level)
    const known = this.boards.get(key) ?? this.making.get(key)
    if (known !== undefined) return known
    const { turn } = this
    // However many ask at once, it is made once.
    const making = this.store.members(hash, level).then((members) => {
      const made = order(members, level, this.limits)
      // An entry that came meanwhile may not be in it: this answer is as old as the question, the next is not.
      if (this.turn === turn) this.boards.set(key, made)
      return made
    })
    this.making.set(key, making)
    try {
      return await making
    } finally {
      if (this.making.get(key) === making) this.making.delete(key)
    }
  }

  /** Independent training runs of one recipe per row. */
  async algorithms(task: Task, level: Level, offset: number, limit: number): Promise<Page> {
    const key = `algorithm|${boardKey(task.hash, level)}`
    const make = async () => {
      const members = await this.store.members(task.hash, level)
      return [...grouped(members)].map(([group, runs]) => algorithmGroup(group, [runs], undefined))
    }
    return this.groupPage(key, make, offset, limit)
  }

  /** A recipe (algorithm) or one run of it (policy) over all scenarios of a suite, scores normalised by reference returns. */
  async suite(suite: CatalogSuite, kind: BoardKind, level: Level, offset: number, limit: number): Promise<Page> {
    const make = async () => {
      const tasks = suite.scenarios.map((id) => this.catalog.task(id)).filter(hasReference)
      const perTask: Map<string, BoardMember[]>[] = []
      for (const task of tasks) {
        const members = await this.store.members(task.hash, level)
        const scaled = members.map((member) => ({ ...member, ...normalised(member, task) }))
        perTask.push(kind === 'algorithm' ? grouped(scaled) : byRun(scaled))
      }
      const names = new Set(perTask.flatMap((groups) => [...groups.keys()]))
      return [...names].map((name) => {
        const runs = perTask.map((groups) => groups.get(name) ?? [])
        return kind === 'algorithm' ? algorithmGroup(name, runs, tasks.length) : policyGroup(name, runs, this.limits)
      })
    }
    return this.groupPage(`suite|${suite.id}|${kind}|${level}`, make, offset, limit)
  }

  private async groupPage(key: string, make: () => Promise<Group[]>, offset: number, limit: number): Promise<Page> {
    let board = this.groups.get(key)
    if (board === undefined) {
      const groups = await make()
      board = {
        ranking: new Ranking(groups.filter((group) => group.ranked)),
        unranked: groups.filter((group) => !group.ranked).sort((a, b) => b.value - a.value || (a.id < b.id ? -1 : 1)),
      }
      this.groups.set(key, board)
    }
    const { ranking, unranked } = board
    const all = [...ranking.rows, ...unranked].slice(offset, offset + limit)
    const firsts = new Map((await this.store.entriesById(all.map((group) => group.runs[0]))).map((e) => [e.id, e]))
    const rows = all.map((group, k): BoardRow => {
      const row = rowOf(firsts.get(group.runs[0])!, this.limits)
      const ranked = offset + k < ranking.rows.length
      return {
        ...row,
        id: group.id,
        standing: ranked ? 'ranked' : 'partial',
        rank: ranked ? ranking.rankAt(offset + k) : null,
        name: row.blind ? row.name : `${row.algorithm}${row.recipe === '' ? '' : ` · ${row.recipe}`}`,
        trainingSeed: group.runs.length === 1 ? row.trainingSeed : null,
        score: group.score,
        episodes: group.episodes,
        runs: [...group.runs],
        flags: [...group.flags],
        log: null,
        ...(group.tasks === undefined ? {} : { tasks: group.tasks }),
      }
    })
    return { rows, total: ranking.rows.length + unranked.length, ranked: ranking.rows.length }
  }
}

// --- policy boards

/** The ranked, best first; then what has too few episodes, then what failed, then what is hidden. */
function order(members: readonly BoardMember[], level: Level, limits: BoardLimits): Standing {
  const all: Ranked[] = []
  const rest: Unranked[] = []
  for (const member of members) {
    const { ranked, unranked } = placed(member, level, limits)
    if (ranked !== undefined) all.push(ranked)
    else if (unranked !== undefined) rest.push(unranked)
  }
  return { ranking: new Ranking(all), unranked: rest.sort(orderUnranked) }
}

const orderUnranked = (a: Unranked, b: Unranked): number =>
  a.class - b.class || compare(b.value, a.value) || b.at - a.at || (a.id < b.id ? -1 : 1)

const totalOf = ({ ranking, unranked }: Standing): number => ranking.rows.length + unranked.length

function idsOf(standing: Standing, offset: number, limit: number): string[] {
  const { rows } = standing.ranking
  const ids: string[] = []
  for (let place = offset; place < Math.min(totalOf(standing), offset + limit); place++) {
    ids.push(place < rows.length ? rows[place].id : standing.unranked[place - rows.length].id)
  }
  return ids
}

/** Where an entry belongs. */
function placed(
  { id, state, hidden, mean, error, episodes, publishedAt }: BoardMember,
  level: Level,
  limits: BoardLimits,
): { ranked?: Ranked; unranked?: Unranked } {
  const scored = state === 'published' && !hidden && mean !== null
  if (scored && level !== 'claimed' && error !== null && episodes >= limits.leastEpisodes) {
    return { ranked: { id, value: mean, error } }
  }
  const kind = hidden ? 3 : state === 'failed' ? 2 : 1
  return { unranked: { id, class: kind, value: mean ?? -Infinity, at: publishedAt } }
}

function memberOf({ id, state, hidden, score, episodes, group, trainingSeed, publishedAt }: EntryRow): BoardMember {
  const { mean = null, error = null } = score ?? {}
  return {
    id,
    state,
    hidden: hidden !== null,
    mean,
    error,
    episodes,
    group,
    trainingSeed,
    publishedAt: publishedAt ?? 0,
  }
}

export function textOf({ rows, ...rest }: Page): PageText {
  return { rows: JSON.stringify(rows), ...rest }
}

/** Also of infinities, whose difference is no number. */
const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)

function isRanked(row: BoardRow, limits: BoardLimits): boolean {
  const scored = row.score !== null && row.score.error !== null
  return scored && row.standing === 'partial' && row.level !== 'claimed' && row.episodes >= limits.leastEpisodes
}

/** An entry as a row without a rank; what is hidden or blind stays out of it. */
export function rowOf(entry: ShownEntry, limits: BoardLimits): BoardRow {
  const { description, score, hidden, blind, claim } = entry
  const failed = entry.state === 'failed'
  const shown = hidden === null && !blind && description !== null
  const claimed = entry.level === 'claimed'
  const scoreShown: Score | null =
    hidden !== null || failed
      ? null
      : score !== null
        ? {
            mean: score.mean,
            iqm: score.iqm,
            std: score.std,
            interval: score.low === null || score.high === null ? null : [score.low, score.high],
            error: score.error,
          }
        : claimed && claim !== null
          ? { mean: claim.mean, iqm: claim.mean, std: 0, interval: null, error: null }
          : null
  const few = !claimed && scoreShown !== null && entry.episodes < limits.leastEpisodes
  return {
    id: entry.id,
    standing: hidden !== null ? 'hidden' : failed ? 'failed' : claimed ? 'claimed' : 'partial',
    rank: null,
    level: entry.level,
    name: shown ? description.name : hidden !== null ? 'hidden' : description === null ? 'removed' : 'anonymous',
    authors: shown ? (description.authors ?? '') : '',
    blind,
    algorithm: hidden !== null ? '' : (description?.algorithm ?? ''),
    recipe: hidden !== null ? '' : (description?.recipe ?? ''),
    trainingSeed: entry.trainingSeed,
    mode: description?.mode ?? 'other',
    centralised: description?.centralised ?? false,
    privileged: description?.privileged ?? false,
    score: scoreShown,
    episodes: entry.episodes,
    runs: [entry.id],
    compute: hidden === null ? (description?.compute ?? null) : null,
    disputed: entry.disputed,
    flags: [...entry.flags, ...(few ? [`${entry.episodes} episodes: not ranked below ${limits.leastEpisodes}`] : [])],
    reason: hidden ?? entry.failure?.message ?? null,
    ...(entry.panels === null || hidden !== null ? {} : { panels: { ...entry.panels } }),
    publishedAt: iso(entry.publishedAt ?? entry.since),
    log: entry.log,
  }
}

// --- algorithms and suites

const usable = (member: BoardMember) => member.state === 'published' && !member.hidden && member.mean !== null

/**
 * Runs by recipe. Of one training seed the first entry counts: playing again until it looks better changes nothing.
 * Entries without a training seed are one run together.
 */
function grouped(members: readonly BoardMember[]): Map<string, BoardMember[]> {
  return gather(members, (member) => member.group)
}

function byRun(members: readonly BoardMember[]): Map<string, BoardMember[]> {
  return gather(members, ({ group, trainingSeed }) => `${group}-${trainingSeed ?? ''}`)
}

function gather(members: readonly BoardMember[], name: (member: BoardMember) => string): Map<string, BoardMember[]> {
  const groups = new Map<string, BoardMember[]>()
  const first = [...members].sort((a, b) => a.publishedAt - b.publishedAt || (a.id < b.id ? -1 : 1))
  for (const member of first) {
    if (!usable(member)) continue
    const group = groups.get(name(member)) ?? []
    if (group.some((other) => other.trainingSeed === member.trainingSeed)) continue
    group.push(member)
    groups.set(name(member), group)
  }
  return groups
}

/**
 * IQM over runs and tasks, interval and error from the bootstrap by run within each task.
 * @param tasks of a suite; undefined for one scenario
 */
function algorithmGroup(name: string, runs: readonly (readonly BoardMember[])[], tasks: number | undefined): Group {
  const done = runs.filter((some) => some.length > 0)
  const count = Math.min(...done.map((some) => some.length))
  const members = done.flatMap((some) => some.slice(0, count))
  const scores = Array.from({ length: count }, (_, run) => done.map((some) => some[run].mean!))
  const episodes = Math.min(...members.map((member) => member.episodes))
  const { tier, intervals, warning } = tierOf(count, episodes)
  const value = iqm(scores) + 0
  let error: number | null = null
  let interval: [number, number] | null = null
  if (intervals) {
    const replicates = aggregateReplicates(scores, { seed: name, replicates: REPLICATES }).iqm
    const { low, high } = intervalOf(replicates)
    interval = [low + 0, high + 0]
    error = spread(replicates)
  }
  const whole = tasks === undefined || done.length === tasks
  return {
    id: `algorithm-${name.slice(0, 32)}`,
    value,
    error: error ?? 0,
    score: {
      mean: meanOf(scores.flat()) + 0,
      iqm: value,
      std: spread(scores.map((row) => meanOf(row))),
      interval,
      error,
    },
    runs: members.map((member) => member.id),
    episodes: members.reduce((sum, member) => sum + member.episodes, 0),
    ranked: tier === 'ranked' && whole,
    flags: [
      ...(warning === '' ? [] : [warning]),
      ...(whole ? [] : [`${done.length} of ${tasks} scenarios: not ranked`]),
    ],
    ...(tasks === undefined ? {} : { tasks: { done: done.length, of: tasks } }),
  }
}

/** One run over the scenarios of a suite: the mean of its normalised scores. */
function policyGroup(name: string, runs: readonly (readonly BoardMember[])[], limits: BoardLimits): Group {
  const members = runs.flatMap((some) => some.slice(0, 1))
  const values = members.map((member) => member.mean!)
  const errors = members.map((member) => member.error)
  const enough = errors.every((error) => error !== null) && members.every((m) => m.episodes >= limits.leastEpisodes)
  const error = enough ? Math.sqrt(errors.reduce((sum: number, e) => sum + e! * e!, 0)) / values.length : null
  const value = meanOf(values) + 0
  const whole = members.length === runs.length
  return {
    id: `run-${name.slice(0, 80)}`,
    value,
    error: error ?? 0,
    score: {
      mean: value,
      iqm: iqm([values]) + 0,
      std: spread(values),
      interval: error === null ? null : [value - 1.96 * error, value + 1.96 * error],
      error,
    },
    runs: members.map((member) => member.id),
    episodes: members.reduce((sum, member) => sum + member.episodes, 0),
    ranked: whole && error !== null,
    flags: whole ? [] : [`${members.length} of ${runs.length} scenarios: not ranked`],
    tasks: { done: members.length, of: runs.length },
  }
}

function spread(values: ArrayLike<number>): number {
  const mean = meanOf(values)
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += (values[i] - mean) ** 2
  return values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0
}

function hasReference({ scenario }: Task): boolean {
  const { random, best } = scenario.reference ?? {}
  return random !== undefined && best !== undefined && best !== random
}

function normalised({ mean, error }: BoardMember, { scenario }: Task): { mean: number | null; error: number | null } {
  const reference = scenario.reference as { random: number; best: number }
  return {
    mean: mean === null ? null : normalise(mean, reference),
    error: error === null ? null : Math.abs(error / (reference.best - reference.random)),
  }
}
