/**
 * The store in one SQLite file: better-sqlite3 behind kysely. Write-ahead log, foreign keys, every commit on disk before
 * it is answered. better-sqlite3 is an optional dependency and this is the only file that loads it.
 *
 * For PostgreSQL: the same queries with kysely's PostgresDialect, `tables.ts` with its types, and `check`, `backup` anew.
 */
import type Database from 'better-sqlite3'
import {
  Kysely,
  SqliteDialect,
  sql,
  type ExpressionBuilder,
  type Insertable,
  type Selectable,
  type Updateable,
} from 'kysely'
import { TroupeError } from '../../envs/core/errors.ts'
import { migrate, type EntriesTable, type EpisodesTable, type Tables } from './tables.ts'
import {
  type BoardMember,
  type DisputeRow,
  type EntryFilter,
  type EntryRow,
  type EpisodeRecord,
  type EpochRow,
  type KeyRow,
  type Level,
  type LogRow,
  type Panel,
  type Problem,
  type ShownEntry,
  type Store,
} from './store.ts'

/** The database driver. @throws TroupeError environment when the optional package is not installed or not built */
export async function sqliteDriver(): Promise<typeof Database> {
  try {
    return (await import('better-sqlite3')).default
  } catch {
    throw new TroupeError('environment', {
      where: 'boards: better-sqlite3',
      got: 'not installed, or not built for this Node',
      expected: '`npm install better-sqlite3` beside troupe; replays and runs are shown without it',
    })
  }
}

/**
 * Opens the file, made when it is not there, and brings it to the newest form.
 * @param path the file, or ':memory:'
 * @throws TroupeError environment when the driver is missing or the file cannot be used
 */
export async function openSqlite(path: string): Promise<Store> {
  const Driver = await sqliteDriver()
  let file: Database.Database
  try {
    file = new Driver(path)
    // Constructing better-sqlite3 loads its binary; a missing one shows here.
    file.pragma('journal_mode = WAL')
    file.pragma('synchronous = FULL')
    file.pragma('foreign_keys = ON')
    file.pragma('busy_timeout = 5000')
    file.pragma('cache_size = -65536')
    file.pragma('trusted_schema = OFF')
  } catch (error) {
    throw storeProblem(error)
  }
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: file }) })
  try {
    await migrate(db)
  } catch (error) {
    await db.destroy()
    throw storeProblem(error)
  }
  // A database in memory is seen by its own connection only.
  const reader = path === ':memory:' ? undefined : new Driver(path, { readonly: true })
  return new SqliteStore(db, file, reader === undefined ? undefined : new Readings(reader))
}

/** Columns of a board's row: what is heavy (the scenario in full, the history) stays in the file. */
const SHOWN = [
  ...([
    'id',
    'level',
    'state',
    'since',
    'publishedAt',
    'description',
    'trainingSeed',
    'claim',
    'blind',
    'hidden',
  ] as const),
  ...([
    'disputed',
    'episodes',
    'failure',
    'mean',
    'iqm',
    'std',
    'low',
    'high',
    'error',
    'flags',
    'panels',
    'log',
  ] as const),
] as const
type ShownColumns = Pick<Selectable<EntriesTable>, (typeof SHOWN)[number]>
/** The same as the driver has it: one value per column, in their order. Naming them here is several times as fast. */
type ValuesOf<Names extends readonly (keyof Selectable<EntriesTable>)[]> = {
  readonly [K in keyof Names]: Selectable<EntriesTable>[Names[K]]
}
type ShownValues = ValuesOf<typeof SHOWN>

/**
 * What boards read with every page, as prepared statements on a connection of their own: it sees what is committed, also
 * while a transaction goes on.
 */
class Readings {
  private readonly file: Database.Database
  private readonly rows: Database.Statement<[string], ShownValues>
  private readonly head: Database.Statement<[], Selectable<Tables['log']>>

  constructor(file: Database.Database) {
    this.file = file
    const names = SHOWN.map((name) => `"${name}"`).join(', ')
    const ofIds = `SELECT ${names} FROM entries WHERE id IN (SELECT value FROM json_each(?))`
    this.rows = file.prepare<[string], ShownValues>(ofIds).raw()
    this.head = file.prepare('SELECT * FROM log ORDER BY seq DESC LIMIT 1')
  }

  entriesById(ids: readonly string[]): ShownColumns[] {
    return this.rows.all(json(ids)).map(namedColumns)
  }

  logHead(): Selectable<Tables['log']> | undefined {
    return this.head.get()
  }

  close(): void {
    this.file.close()
  }
}

function namedColumns(values: ShownValues): ShownColumns {
  return {
    id: values[0],
    level: values[1],
    state: values[2],
    since: values[3],
    publishedAt: values[4],
    description: values[5],
    trainingSeed: values[6],
    claim: values[7],
    blind: values[8],
    hidden: values[9],
    disputed: values[10],
    episodes: values[11],
    failure: values[12],
    mean: values[13],
    iqm: values[14],
    std: values[15],
    low: values[16],
    high: values[17],
    error: values[18],
    flags: values[19],
    panels: values[20],
    log: values[21],
  }
}

/** A failure of the database as one sentence. */
export function storeProblem(error: unknown): Error {
  if (error instanceof TroupeError) return error
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const known: [RegExp, string, string][] = [
    [
      /ENOSPC|SQLITE_FULL|SQLITE_IOERR_WRITE|SQLITE_IOERR_FSYNC/,
      'full: the disk has no room',
      'free space on the disk of the data folder',
    ],
    [
      /EROFS|EACCES|EPERM|SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_AUTH/,
      'not writable',
      'a data folder that may be written',
    ],
    [/SQLITE_CORRUPT|SQLITE_NOTADB/, 'damaged', 'the backup made with `troupe backup`, put in its place'],
    [/SQLITE_BUSY|SQLITE_LOCKED/, 'in use by another program', 'one server per data folder'],
    [/SQLITE_IOERR/, 'unreadable', 'a disk that works'],
  ]
  const found = known.find(([pattern]) => pattern.test(code))
  if (found !== undefined)
    return new TroupeError('environment', { where: 'boards: store', got: found[1], expected: found[2] })
  // The commit itself was refused; SQLite has rolled it back before we could.
  if (/no transaction is active/.test(message)) {
    return new TroupeError('environment', {
      where: 'boards: store',
      got: 'full, or refused by the disk',
      expected: 'free space on the disk of the data folder',
    })
  }
  if (/bindings file|NODE_MODULE_VERSION|dlopen/i.test(message)) {
    return new TroupeError('environment', {
      where: 'boards: better-sqlite3',
      got: 'not built for this Node',
      expected: '`npm rebuild better-sqlite3`; replays and runs are shown without it',
    })
  }
  return error instanceof Error ? error : new Error(String(error))
}

const json = (value: unknown): string => JSON.stringify(value)
const bit = (value: boolean): number => (value ? 1 : 0)
const maybeBit = (value: boolean | null): number | null => (value === null ? null : bit(value))
const maybe = (value: number | null): boolean | null => (value === null ? null : value !== 0)

function entryColumns(row: Partial<EntryRow>): Updateable<EntriesTable> {
  const columns: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(row)) {
    switch (name) {
      case 'task':
      case 'description':
      case 'claim':
      case 'failure':
      case 'history':
      case 'flags':
      case 'panels':
      case 'latency':
        columns[name] = value === null ? null : json(value)
        break
      case 'blind':
      case 'disputed':
      case 'refunded':
        columns[name] = bit(value as boolean)
        break
      case 'bundle': {
        const bundle = value as EntryRow['bundle']
        columns.bundleSha256 = bundle?.sha256 ?? null
        columns.bundleBytes = bundle?.bytes ?? null
        break
      }
      case 'score': {
        const score = value as EntryRow['score']
        columns.mean = score?.mean ?? null
        columns.iqm = score?.iqm ?? null
        columns.std = score?.std ?? null
        columns.low = score?.low ?? null
        columns.high = score?.high ?? null
        columns.error = score?.error ?? null
        break
      }
      case 'group':
        columns.runs = value
        break
      default:
        columns[name] = value
    }
  }
  return columns as Updateable<EntriesTable>
}

const parse = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T))

const scoreIn = ({ mean, iqm, std, low, high, error }: ShownColumns): EntryRow['score'] =>
  mean === null ? null : { mean, iqm: iqm ?? mean, std: std ?? 0, low, high, error }

function shownOf(row: ShownColumns): ShownEntry {
  const { id, level, state, since, publishedAt, trainingSeed, hidden, episodes, log } = row
  return {
    id,
    level,
    state,
    since,
    publishedAt,
    trainingSeed,
    hidden,
    episodes,
    log,
    description: parse(row.description),
    claim: parse(row.claim),
    failure: parse(row.failure),
    flags: row.flags === '[]' ? [] : (JSON.parse(row.flags) as string[]),
    panels: parse(row.panels),
    blind: row.blind !== 0,
    disputed: row.disputed !== 0,
    score: scoreIn(row),
  }
}

function entryOf(row: Selectable<EntriesTable>): EntryRow {
  const { bundleSha256, bundleBytes, mean: _m, iqm: _q, std: _s, low: _l, high: _h, error: _e, runs, ...rest } = row
  return {
    ...rest,
    task: JSON.parse(row.task) as Record<string, unknown>,
    description: parse(row.description),
    claim: parse(row.claim),
    failure: parse(row.failure),
    history: JSON.parse(row.history) as EntryRow['history'],
    flags: JSON.parse(row.flags) as string[],
    panels: parse(row.panels),
    latency: parse(row.latency),
    blind: row.blind !== 0,
    disputed: row.disputed !== 0,
    refunded: row.refunded !== 0,
    group: runs,
    bundle: bundleSha256 === null ? null : { sha256: bundleSha256, bytes: bundleBytes ?? 0 },
    score: scoreIn(row),
  }
}

function episodeColumns(entry: string, row: EpisodeRecord): Insertable<EpisodesTable> {
  return {
    entry,
    panel: row.panel,
    episode: row.episode,
    seed: row.seed,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    return: row.return,
    length: row.length,
    terminated: maybeBit(row.terminated),
    truncated: maybeBit(row.truncated),
    returns: json(row.returns),
    metrics: json(row.metrics),
    chain: row.chain,
    from: row.from,
    bytes: row.bytes,
    note: row.note,
  }
}

function episodeOf(row: Selectable<EpisodesTable>): EpisodeRecord {
  const { entry: _, ...rest } = row
  return {
    ...rest,
    terminated: maybe(row.terminated),
    truncated: maybe(row.truncated),
    returns: JSON.parse(row.returns) as number[],
    metrics: JSON.parse(row.metrics) as Record<string, number | null>,
  }
}

/** SQLite takes so many values in one statement; rows go in portions. */
const VALUES = 16_000

class SqliteStore implements Store {
  private readonly db: Kysely<Tables>
  private readonly file: Database.Database
  /** undefined inside a transaction, which sees its own rows, and in memory. */
  private readonly readings: Readings | undefined
  private readonly inside: boolean

  constructor(db: Kysely<Tables>, file: Database.Database, readings: Readings | undefined, inside = false) {
    this.db = db
    this.file = file
    this.readings = readings
    this.inside = inside
  }

  async transaction<T>(work: (store: Store) => Promise<T>): Promise<T> {
    if (this.inside) return work(this)
    let first: unknown
    const inside = async (trx: Kysely<Tables>) => {
      try {
        return await work(new SqliteStore(trx, this.file, undefined, true))
      } catch (error) {
        first = error // a full disk ends the transaction by itself: rolling it back fails, and would hide why
        throw error
      }
    }
    try {
      return await this.db.transaction().execute(inside)
    } catch (error) {
      throw first ?? error
    }
  }

  // --- entries

  async addEntry(row: EntryRow): Promise<void> {
    await this.db
      .insertInto('entries')
      .values(entryColumns(row) as Insertable<EntriesTable>)
      .execute()
  }

  async entry(id: string): Promise<EntryRow | undefined> {
    const row = await this.db.selectFrom('entries').selectAll().where('id', '=', id).executeTakeFirst()
    return row === undefined ? undefined : entryOf(row)
  }

  async entryOfRequest(keyId: string, idempotencyKey: string): Promise<EntryRow | undefined> {
    const row = await this.db
      .selectFrom('entries')
      .selectAll()
      .where('keyId', '=', keyId)
      .where('idempotencyKey', '=', idempotencyKey)
      .executeTakeFirst()
    return row === undefined ? undefined : entryOf(row)
  }

  async changeEntry(id: string, patch: Partial<EntryRow>, state?: EntryRow['state']): Promise<boolean> {
    let query = this.db.updateTable('entries').set(entryColumns(patch)).where('id', '=', id)
    if (state !== undefined) query = query.where('state', '=', state)
    return (await query.executeTakeFirst()).numUpdatedRows > 0n
  }

  async entries(filter: EntryFilter): Promise<EntryRow[]> {
    let query = this.db.selectFrom('entries').selectAll().where(filtered(filter))
    query =
      filter.order === 'oldest-first-in-state'
        ? query.orderBy('since', 'asc').orderBy('createdAt', 'asc').orderBy('id', 'asc')
        : query.orderBy('createdAt', 'desc').orderBy('id', 'asc')
    const rows = await query
      .limit(filter.limit ?? 100)
      .offset(filter.offset ?? 0)
      .execute()
    return rows.map(entryOf)
  }

  async countEntries(filter: EntryFilter & { refunded?: boolean; address?: string }): Promise<number> {
    let query = this.db
      .selectFrom('entries')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(filtered(filter))
    if (filter.refunded !== undefined) query = query.where('refunded', '=', bit(filter.refunded))
    if (filter.address !== undefined) query = query.where('address', '=', filter.address)
    return Number((await query.executeTakeFirstOrThrow()).count)
  }

  async entriesById(ids: readonly string[]): Promise<ShownEntry[]> {
    const found = new Map<string, ShownEntry>()
    for (let at = 0; at < ids.length; at += VALUES) {
      const some = ids.slice(at, at + VALUES)
      const rows =
        this.readings?.entriesById(some) ??
        (await this.db
          .selectFrom('entries')
          .select([...SHOWN])
          .where('id', 'in', some)
          .execute())
      for (const row of rows) found.set(row.id, shownOf(row))
    }
    return ids.map((id) => found.get(id)).filter((row) => row !== undefined)
  }

  async members(scenarioHash: string, level: Level): Promise<BoardMember[]> {
    const rows = await this.db
      .selectFrom('entries')
      .select(['id', 'state', 'hidden', 'mean', 'error', 'episodes', 'runs', 'trainingSeed', 'publishedAt'])
      .where('scenarioHash', '=', scenarioHash)
      .where('level', '=', level)
      .where('state', 'in', ['published', 'failed'])
      .execute()
    return rows.map(({ runs, hidden, publishedAt, ...rest }) => ({
      ...rest,
      hidden: hidden !== null,
      group: runs,
      publishedAt: publishedAt ?? 0,
    }))
  }

  async boardSizes(): Promise<{ scenarioHash: string; level: Level; count: number }[]> {
    return this.db
      .selectFrom('entries')
      .select(['scenarioHash', 'level', ({ fn }) => fn.countAll<number>().as('count')])
      .where('state', '=', 'published')
      .where('hidden', 'is', null)
      .groupBy(['scenarioHash', 'level'])
      .execute()
  }

  async bundles(): ReturnType<Store['bundles']> {
    const rows = await this.db
      .selectFrom('entries')
      .select(['id', 'keyId', 'bundleSha256', 'bundleBytes'])
      .where('bundleSha256', 'is not', null)
      .execute()
    return rows.map(({ bundleSha256, bundleBytes, ...row }) => ({
      ...row,
      sha256: bundleSha256!,
      bytes: bundleBytes ?? 0,
    }))
  }

  // --- episodes

  async putEpisodes(entry: string, rows: readonly EpisodeRecord[]): Promise<void> {
    const portion = Math.floor(VALUES / 16)
    for (let at = 0; at < rows.length; at += portion) {
      await this.db
        .insertInto('episodes')
        .values(rows.slice(at, at + portion).map((row) => episodeColumns(entry, row)))
        .onConflict((conflict) =>
          conflict.columns(['entry', 'panel', 'episode']).doUpdateSet(({ ref }) => ({
            endedAt: ref('excluded.endedAt'),
            return: ref('excluded.return'),
            length: ref('excluded.length'),
            terminated: ref('excluded.terminated'),
            truncated: ref('excluded.truncated'),
            returns: ref('excluded.returns'),
            metrics: ref('excluded.metrics'),
            chain: ref('excluded.chain'),
            from: ref('excluded.from'),
            bytes: ref('excluded.bytes'),
            note: ref('excluded.note'),
          })),
        )
        .execute()
    }
  }

  async episodes(
    entry: string,
    { order = 'played', offset = 0, limit = 100_000 }: Parameters<Store['episodes']>[1] = {},
  ): Promise<EpisodeRecord[]> {
    let query = this.db.selectFrom('episodes').selectAll().where('entry', '=', entry)
    // Without a return first: SQLite sorts null below every number, PostgreSQL has to be told.
    if (order === 'worst') query = query.orderBy('return', 'asc')
    const rows = await query.orderBy('panel', 'asc').orderBy('episode', 'asc').limit(limit).offset(offset).execute()
    return rows.map(episodeOf)
  }

  async episode(entry: string, panel: Panel, episode: number): Promise<EpisodeRecord | undefined> {
    const row = await this.db
      .selectFrom('episodes')
      .selectAll()
      .where('entry', '=', entry)
      .where('panel', '=', panel)
      .where('episode', '=', episode)
      .executeTakeFirst()
    return row === undefined ? undefined : episodeOf(row)
  }

  async countEpisodes(entry: string): Promise<number> {
    const { count } = await this.db
      .selectFrom('episodes')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('entry', '=', entry)
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  // --- keys

  async addKey(row: KeyRow): Promise<void> {
    await this.db
      .insertInto('keys')
      .values({ ...row, scopes: row.scopes.join(' ') })
      .execute()
  }

  async keys(): Promise<KeyRow[]> {
    const rows = await this.db.selectFrom('keys').selectAll().orderBy('createdAt', 'asc').orderBy('id').execute()
    return rows.map(keyOf)
  }

  async keyOfHash(hash: string): Promise<KeyRow | undefined> {
    const row = await this.db.selectFrom('keys').selectAll().where('hash', '=', hash).executeTakeFirst()
    return row === undefined ? undefined : keyOf(row)
  }

  async changeKey(id: string, patch: Parameters<Store['changeKey']>[1]): Promise<boolean> {
    const { numUpdatedRows } = await this.db.updateTable('keys').set(patch).where('id', '=', id).executeTakeFirst()
    return numUpdatedRows > 0n
  }

  // --- the log

  async logHead(): Promise<LogRow | undefined> {
    const row =
      this.readings === undefined
        ? await this.db.selectFrom('log').selectAll().orderBy('seq', 'desc').limit(1).executeTakeFirst()
        : this.readings.logHead()
    return row === undefined ? undefined : logOf(row)
  }

  async appendLog(row: LogRow): Promise<void> {
    await this.db
      .insertInto('log')
      .values({ ...row, body: json(row.body) })
      .execute()
  }

  async logRows(from: number, limit: number): Promise<LogRow[]> {
    const rows = await this.db
      .selectFrom('log')
      .selectAll()
      .where('seq', '>=', from)
      .orderBy('seq', 'asc')
      .limit(limit)
      .execute()
    return rows.map(logOf)
  }

  async logRow(seq: number): Promise<LogRow | undefined> {
    const row = await this.db.selectFrom('log').selectAll().where('seq', '=', seq).executeTakeFirst()
    return row === undefined ? undefined : logOf(row)
  }

  // --- epochs

  async addEpoch(row: Omit<EpochRow, 'id'>): Promise<EpochRow> {
    const newest = await this.db
      .selectFrom('epochs')
      .select(({ fn }) => fn.max('id').as('id'))
      .executeTakeFirst()
    const made = { ...row, id: Number(newest?.id ?? 0) + 1 }
    await this.db.insertInto('epochs').values(made).execute()
    return made
  }

  async closeEpoch(id: number, at: number): Promise<boolean> {
    const { numUpdatedRows } = await this.db
      .updateTable('epochs')
      .set({ closedAt: at })
      .where('id', '=', id)
      .where('closedAt', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  async epochs(): Promise<EpochRow[]> {
    return this.db.selectFrom('epochs').selectAll().orderBy('id', 'desc').execute()
  }

  // --- disputes

  async addDispute(row: DisputeRow): Promise<void> {
    await this.db.insertInto('disputes').values(row).execute()
  }

  async disputes(entry: string): Promise<DisputeRow[]> {
    return this.db
      .selectFrom('disputes')
      .select(['entry', 'at', 'keyId', 'text'])
      .where('entry', '=', entry)
      .orderBy('number', 'asc')
      .execute()
  }

  // --- the file itself

  async check(): Promise<Problem[]> {
    const problems: Problem[] = []
    for (const { quick_check: said } of this.file.pragma('quick_check(20)') as { quick_check: string }[]) {
      if (said !== 'ok') problems.push({ what: `database: ${said.slice(0, 200)}` })
    }
    const lost = this.file.pragma('foreign_key_check') as unknown[]
    if (lost.length > 0) problems.push({ what: `database: ${lost.length} rows point to rows that are not there` })
    return problems
  }

  async backup(path: string): Promise<void> {
    await this.file.backup(path)
  }

  async close(): Promise<void> {
    this.readings?.close()
    // Folds the write-ahead log into the file, so that a copy of the file alone is whole.
    try {
      this.file.pragma('wal_checkpoint(TRUNCATE)')
    } catch {
      // a full or read-only disk: the log stays beside the file and is read at the next start
    }
    await this.db.destroy()
  }
}

function filtered(filter: EntryFilter) {
  return (eb: ExpressionBuilder<Tables, 'entries'>) => {
    const all = []
    if (filter.states !== undefined) all.push(eb('state', 'in', [...filter.states]))
    if (filter.keyId !== undefined) all.push(eb('keyId', '=', filter.keyId))
    if (filter.scenario !== undefined) all.push(eb('scenario', '=', filter.scenario))
    if (filter.scenarioHash !== undefined) all.push(eb('scenarioHash', '=', filter.scenarioHash))
    if (filter.level !== undefined) all.push(eb('level', '=', filter.level))
    if (filter.epoch !== undefined) all.push(eb('epoch', '=', filter.epoch))
    if (filter.since !== undefined) all.push(eb('createdAt', '>=', filter.since))
    if (filter.untilBefore !== undefined) all.push(eb('until', '<=', filter.untilBefore))
    return all.length === 0 ? sql<boolean>`1 = 1` : eb.and(all)
  }
}

function keyOf(row: Selectable<Tables['keys']>): KeyRow {
  return { ...row, scopes: row.scopes.split(' ') as KeyRow['scopes'] }
}

function logOf(row: Selectable<Tables['log']>): LogRow {
  return { ...row, body: JSON.parse(row.body) as Record<string, unknown> }
}
