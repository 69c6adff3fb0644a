/**
 * What the leaderboard remembers, behind one interface: plain rows in, plain rows out, every method asynchronous, so that
 * another database can take SQLite's place. Times are milliseconds since 1970. Nothing here decides anything.
 */
import {
  type Compute,
  type Description,
  type Failure,
  type Level,
  type LogKind,
  type Panel,
  type Scope,
  type SubmissionState,
} from '../protocol/rest.ts'

/** Id of the key that owns the baselines that come with troupe. */
export const SHIPPED_KEY = 'shipped'

export interface StoredScore {
  readonly mean: number
  readonly iqm: number
  readonly std: number
  readonly low: number | null
  readonly high: number | null
  /** Standard error of the mean. */
  readonly error: number | null
}

/** One submission and what became of it. */
export interface EntryRow {
  readonly id: string
  readonly scenario: string
  readonly scenarioHash: string
  /** The scenario in full, as it was when the entry was opened. */
  readonly task: Record<string, unknown>
  readonly level: Level
  readonly state: SubmissionState
  readonly since: number
  readonly until: number | null
  readonly createdAt: number
  readonly publishedAt: number | null
  readonly keyId: string
  /** Keyed hash of the address, for quotas. */
  readonly address: string
  /** null once it was forgotten. */
  readonly description: Description | null
  /** Who may form one algorithm row: hash over key, algorithm and recipe. */
  readonly group: string
  readonly trainingSeed: string | null
  readonly settingsHash: string
  readonly claim: { readonly mean: number; readonly episodes?: number } | null
  readonly blind: boolean
  readonly hidden: string | null
  readonly disputed: boolean
  readonly epoch: number | null
  /** Episodes due. */
  readonly episodes: number
  readonly done: number
  readonly failure: Failure | null
  readonly history: readonly { readonly state: SubmissionState; readonly at: number }[]
  /** Times the machine failed it. */
  readonly tries: number
  /** Not counted against quotas: the machine failed, not the submitter. */
  readonly refunded: boolean
  readonly bundle: { readonly sha256: string; readonly bytes: number } | null
  readonly score: StoredScore | null
  readonly flags: readonly string[]
  readonly panels: Readonly<Record<string, { mean: number; episodes: number }>> | null
  readonly latency: Record<string, unknown> | null
  readonly log: number | null
  readonly idempotencyKey: string | null
  readonly requestHash: string | null
}

/** What a row of a board shows of an entry: everything but the heavy columns. */
export type ShownEntry = Pick<
  EntryRow,
  | 'id'
  | 'level'
  | 'state'
  | 'since'
  | 'publishedAt'
  | 'description'
  | 'trainingSeed'
  | 'claim'
  | 'blind'
  | 'hidden'
  | 'disputed'
  | 'episodes'
  | 'failure'
  | 'score'
  | 'flags'
  | 'panels'
  | 'log'
>

/** One episode of an entry. A live one is written when it starts and again when it ends. */
export interface EpisodeRecord {
  readonly panel: Panel
  readonly episode: number
  readonly seed: string
  readonly startedAt: number
  readonly endedAt: number | null
  readonly return: number | null
  readonly length: number | null
  readonly terminated: boolean | null
  readonly truncated: boolean | null
  readonly returns: readonly number[]
  readonly metrics: Readonly<Record<string, number | null>>
  readonly chain: string | null
  /** Where its replay lies in the entry's bundle. */
  readonly from: number | null
  readonly bytes: number | null
  readonly note: string | null
}

/** What ranking needs of an entry on a board. */
export interface BoardMember {
  readonly id: string
  readonly state: SubmissionState
  readonly hidden: boolean
  readonly mean: number | null
  readonly error: number | null
  readonly episodes: number
  readonly group: string
  readonly trainingSeed: string | null
  readonly publishedAt: number
}

export interface KeyRow {
  readonly id: string
  /** SHA-256 of the key; the key itself is nowhere. */
  readonly hash: string
  readonly prefix: string
  readonly label: string
  readonly scopes: readonly Scope[]
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
}

export interface LogRow {
  readonly seq: number
  readonly at: string
  readonly kind: LogKind
  readonly body: Record<string, unknown>
  readonly previous: string
  readonly hash: string
  readonly signature: string
}

export interface EpochRow {
  readonly id: number
  readonly openedAt: number
  readonly closesAt: number
  readonly closedAt: number | null
  readonly commitment: string
  /** 32 bytes as hex digits; leaves the store only once the epoch is closed. */
  readonly key: string
}

export interface DisputeRow {
  readonly entry: string
  readonly at: number
  readonly keyId: string
  readonly text: string
}

export interface EntryFilter {
  readonly states?: readonly SubmissionState[]
  readonly keyId?: string
  readonly scenario?: string
  readonly scenarioHash?: string
  readonly level?: Level
  readonly epoch?: number
  readonly since?: number
  readonly untilBefore?: number
  readonly order?: 'newest' | 'oldest-first-in-state'
  readonly offset?: number
  readonly limit?: number
}

export interface Problem {
  readonly what: string
  readonly entry?: string
}

export interface Store {
  /** All or nothing; the store handed in must be used inside. Transactions of one store run one after the other. */
  transaction<T>(work: (store: Store) => Promise<T>): Promise<T>

  addEntry(row: EntryRow): Promise<void>
  entry(id: string): Promise<EntryRow | undefined>
  /** By the submitter's own words for it. */
  entryOfRequest(keyId: string, idempotencyKey: string): Promise<EntryRow | undefined>
  /** @param state change only while it is in this state @returns whether it was changed */
  changeEntry(id: string, patch: Partial<EntryRow>, state?: SubmissionState): Promise<boolean>
  entries(filter: EntryFilter): Promise<EntryRow[]>
  countEntries(filter: EntryFilter & { readonly refunded?: boolean; readonly address?: string }): Promise<number>
  /** Entries of these ids in their order; unknown ones are left out. */
  entriesById(ids: readonly string[]): Promise<ShownEntry[]>
  /** Everything on a board: published and failed. */
  members(scenarioHash: string, level: Level): Promise<BoardMember[]>
  /** Rows per scenario hash and level that are published and not hidden. */
  boardSizes(): Promise<{ scenarioHash: string; level: Level; count: number }[]>
  /** Hashes of all bundles that entries point to. */
  bundles(): Promise<{ id: string; keyId: string; sha256: string; bytes: number }[]>

  /** Adds or replaces. */
  putEpisodes(entry: string, rows: readonly EpisodeRecord[]): Promise<void>
  /** Worst first (without a return before all others), or in order. */
  episodes(
    entry: string,
    page?: { order?: 'worst' | 'played'; offset?: number; limit?: number },
  ): Promise<EpisodeRecord[]>
  episode(entry: string, panel: Panel, episode: number): Promise<EpisodeRecord | undefined>
  countEpisodes(entry: string): Promise<number>

  addKey(row: KeyRow): Promise<void>
  keys(): Promise<KeyRow[]>
  keyOfHash(hash: string): Promise<KeyRow | undefined>
  changeKey(id: string, patch: Partial<Pick<KeyRow, 'revokedAt' | 'lastUsedAt' | 'hash' | 'prefix'>>): Promise<boolean>

  logHead(): Promise<LogRow | undefined>
  /** Appends; the store refuses changes and deletions of what is there. */
  appendLog(row: LogRow): Promise<void>
  /** @param from first number */
  logRows(from: number, limit: number): Promise<LogRow[]>
  logRow(seq: number): Promise<LogRow | undefined>

  addEpoch(row: Omit<EpochRow, 'id'>): Promise<EpochRow>
  closeEpoch(id: number, at: number): Promise<boolean>
  /** Newest first. */
  epochs(): Promise<EpochRow[]>

  addDispute(row: DisputeRow): Promise<void>
  disputes(entry: string): Promise<DisputeRow[]>

  /** What is wrong with the database itself; empty when all is well. */
  check(): Promise<Problem[]>
  /** Writes a consistent copy while others read and write. */
  backup(path: string): Promise<void>
  close(): Promise<void>
}

export type { Compute, Description, Failure, Level, Panel, Scope }
