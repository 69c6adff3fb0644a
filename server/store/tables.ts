/** The tables, and the steps that bring an older file to them. A step that was released is never changed; add another. */
import { Migrator, sql, type Kysely, type Migration } from 'kysely'
import { type Level, type LogKind, type Panel, type SubmissionState } from '../protocol/rest.ts'

export interface EntriesTable {
  id: string
  scenario: string
  scenarioHash: string
  task: string
  level: Level
  state: SubmissionState
  since: number
  until: number | null
  createdAt: number
  publishedAt: number | null
  keyId: string
  address: string
  description: string | null
  /** `group` is a word of SQL. */
  runs: string
  trainingSeed: string | null
  settingsHash: string
  claim: string | null
  blind: number
  hidden: string | null
  disputed: number
  epoch: number | null
  episodes: number
  done: number
  failure: string | null
  history: string
  tries: number
  refunded: number
  bundleSha256: string | null
  bundleBytes: number | null
  mean: number | null
  iqm: number | null
  std: number | null
  low: number | null
  high: number | null
  error: number | null
  flags: string
  panels: string | null
  latency: string | null
  log: number | null
  idempotencyKey: string | null
  requestHash: string | null
}

export interface EpisodesTable {
  entry: string
  panel: Panel
  episode: number
  seed: string
  startedAt: number
  endedAt: number | null
  return: number | null
  length: number | null
  terminated: number | null
  truncated: number | null
  returns: string
  metrics: string
  chain: string | null
  from: number | null
  bytes: number | null
  note: string | null
}

export interface Tables {
  entries: EntriesTable
  episodes: EpisodesTable
  keys: {
    id: string
    hash: string
    prefix: string
    label: string
    scopes: string
    createdAt: number
    expiresAt: number | null
    revokedAt: number | null
    lastUsedAt: number | null
  }
  log: { seq: number; at: string; kind: LogKind; body: string; previous: string; hash: string; signature: string }
  epochs: {
    id: number
    openedAt: number
    closesAt: number
    closedAt: number | null
    commitment: string
    key: string
  }
  disputes: { number?: number; entry: string; at: number; keyId: string; text: string }
}

const first: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('keys')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('hash', 'text', (c) => c.notNull().unique())
      .addColumn('prefix', 'text', (c) => c.notNull())
      .addColumn('label', 'text', (c) => c.notNull())
      .addColumn('scopes', 'text', (c) => c.notNull())
      .addColumn('createdAt', 'integer', (c) => c.notNull())
      .addColumn('expiresAt', 'integer')
      .addColumn('revokedAt', 'integer')
      .addColumn('lastUsedAt', 'integer')
      .execute()
    await db.schema
      .createTable('epochs')
      .addColumn('id', 'integer', (c) => c.primaryKey())
      .addColumn('openedAt', 'integer', (c) => c.notNull())
      .addColumn('closesAt', 'integer', (c) => c.notNull())
      .addColumn('closedAt', 'integer')
      .addColumn('commitment', 'text', (c) => c.notNull().unique())
      .addColumn('key', 'text', (c) => c.notNull())
      .execute()
    await db.schema
      .createTable('log')
      .addColumn('seq', 'integer', (c) => c.primaryKey())
      .addColumn('at', 'text', (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('body', 'text', (c) => c.notNull())
      .addColumn('previous', 'text', (c) => c.notNull().unique())
      .addColumn('hash', 'text', (c) => c.notNull().unique())
      .addColumn('signature', 'text', (c) => c.notNull())
      .execute()
    await db.schema
      .createTable('entries')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('scenario', 'text', (c) => c.notNull())
      .addColumn('scenarioHash', 'text', (c) => c.notNull())
      .addColumn('task', 'text', (c) => c.notNull())
      .addColumn('level', 'text', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('since', 'integer', (c) => c.notNull())
      .addColumn('until', 'integer')
      .addColumn('createdAt', 'integer', (c) => c.notNull())
      .addColumn('publishedAt', 'integer')
      .addColumn('keyId', 'text', (c) => c.notNull().references('keys.id'))
      .addColumn('address', 'text', (c) => c.notNull())
      .addColumn('description', 'text')
      .addColumn('runs', 'text', (c) => c.notNull())
      .addColumn('trainingSeed', 'text')
      .addColumn('settingsHash', 'text', (c) => c.notNull())
      .addColumn('claim', 'text')
      .addColumn('blind', 'integer', (c) => c.notNull())
      .addColumn('hidden', 'text')
      .addColumn('disputed', 'integer', (c) => c.notNull())
      .addColumn('epoch', 'integer', (c) => c.references('epochs.id'))
      .addColumn('episodes', 'integer', (c) => c.notNull())
      .addColumn('done', 'integer', (c) => c.notNull())
      .addColumn('failure', 'text')
      .addColumn('history', 'text', (c) => c.notNull())
      .addColumn('tries', 'integer', (c) => c.notNull())
      .addColumn('refunded', 'integer', (c) => c.notNull())
      .addColumn('bundleSha256', 'text')
      .addColumn('bundleBytes', 'integer')
      .addColumn('mean', 'real')
      .addColumn('iqm', 'real')
      .addColumn('std', 'real')
      .addColumn('low', 'real')
      .addColumn('high', 'real')
      .addColumn('error', 'real')
      .addColumn('flags', 'text', (c) => c.notNull())
      .addColumn('panels', 'text')
      .addColumn('latency', 'text')
      .addColumn('log', 'integer', (c) => c.references('log.seq'))
      .addColumn('idempotencyKey', 'text')
      .addColumn('requestHash', 'text')
      .addUniqueConstraint('entries_request', ['keyId', 'idempotencyKey'])
      .execute()
    for (const [name, columns] of [
      ['entries_board', ['scenarioHash', 'level', 'state']],
      ['entries_state', ['state', 'since']],
      ['entries_key', ['keyId', 'createdAt']],
      ['entries_address', ['address', 'createdAt']],
      ['entries_created', ['createdAt']],
      ['entries_bundle', ['bundleSha256']],
    ] as const) {
      await db.schema
        .createIndex(name)
        .on('entries')
        .columns([...columns])
        .execute()
    }
    await db.schema
      .createTable('episodes')
      .addColumn('entry', 'text', (c) => c.notNull().references('entries.id'))
      .addColumn('panel', 'text', (c) => c.notNull())
      .addColumn('episode', 'integer', (c) => c.notNull())
      .addColumn('seed', 'text', (c) => c.notNull())
      .addColumn('startedAt', 'integer', (c) => c.notNull())
      .addColumn('endedAt', 'integer')
      .addColumn('return', 'real')
      .addColumn('length', 'integer')
      .addColumn('terminated', 'integer')
      .addColumn('truncated', 'integer')
      .addColumn('returns', 'text', (c) => c.notNull())
      .addColumn('metrics', 'text', (c) => c.notNull())
      .addColumn('chain', 'text')
      .addColumn('from', 'integer')
      .addColumn('bytes', 'integer')
      .addColumn('note', 'text')
      .addPrimaryKeyConstraint('episodes_key', ['entry', 'panel', 'episode'])
      .execute()
    await db.schema
      .createTable('disputes')
      .addColumn('number', 'integer', (c) => c.primaryKey().autoIncrement())
      .addColumn('entry', 'text', (c) => c.notNull().references('entries.id'))
      .addColumn('at', 'integer', (c) => c.notNull())
      .addColumn('keyId', 'text', (c) => c.notNull())
      .addColumn('text', 'text', (c) => c.notNull())
      .execute()
    // What was logged stays; entries stay, too: the code has no way to delete them, and the file refuses it.
    for (const [table, act] of [
      ['log', 'UPDATE'],
      ['log', 'DELETE'],
      ['entries', 'DELETE'],
    ]) {
      await sql
        .raw(
          `CREATE TRIGGER ${table}_no_${act.toLowerCase()} BEFORE ${act} ON ${table} ` +
            `BEGIN SELECT RAISE(ABORT, '${table}: nothing is changed or deleted'); END`,
        )
        .execute(db)
    }
  },
}

const STEPS: Record<string, Migration> = { '1-first': first }

/** Brings the file to the newest tables. @throws what a step throws; a file of a newer troupe is refused */
export async function migrate(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => STEPS } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}
