/**
 * The leaderboard of one data folder, opened and closed as a whole: store, files, signing key, queue. Where it cannot be
 * opened (no database driver, a disk that may not be written, another server in the same folder), the rest of the server
 * goes on, and every answer about boards says why.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Logger } from 'pino'
import { TroupeError } from '../envs/index.ts'
import { claimFolder } from '../results/files.ts'
import { type Scenario } from '../scenarios/open.ts'
import { Baselines } from './baselines/index.ts'
import { BOARD_LIMITS, type BoardLimits } from './board-limits.ts'
import { Catalog } from './catalog.ts'
import { ensureAdminKey } from './keys.ts'
import { LOG_START, checkRecords, headOf, openSigner, type Signer } from './log.ts'
import { type LogHead, type Panel } from './protocol/rest.ts'
import { Refusal, fileProblem } from './refusal.ts'
import { type ReplayFile } from './replays.ts'
import { Standings } from './standings.ts'
import { Blobs } from './store/blobs.ts'
import { openSqlite, storeProblem } from './store/sqlite.ts'
import { SHIPPED_KEY, type EntryRow, type EpisodeRecord, type Store } from './store/store.ts'
import { Submissions, noSuchEntry } from './submissions.ts'
import { type Live } from './live/index.ts'
import { VerificationPool } from './verification/pool.ts'

export interface BoardsSettings {
  /** Folder of boards inside a data folder is made when it is not there. */
  readonly data: string
  readonly limits?: Partial<BoardLimits>
  /** Make an admin key at first start; default true. */
  readonly adminKey?: boolean
  /** Void the admin keys that are there and make another. */
  readonly newAdminKey?: boolean
  /** Scenarios that have boards; default the shipped ones. */
  readonly scenarios?: readonly Scenario[]
  /** Threads that verify. */
  readonly workers?: number
  /** Another worker module, for tests. */
  readonly workerFile?: string
  readonly log: Logger
  readonly version: string
  /** Milliseconds since 1970; default the clock. */
  readonly now?: () => number
}

/** What a leaderboard keeps below its data folder. */
export const BOARD_FOLDER = 'board'
export const STORE_FILE = 'board.sqlite'
export const SIGNING_KEY = 'signing.key'
/** There while a server works here; found at the start, the last one did not end well. */
const UNCLEAN = 'unclean'
/** Records of the log checked at a time, so that others are served in between. */
const LOG_PORTION = 500

export class Boards {
  readonly store: Store
  readonly blobs: Blobs
  readonly signer: Signer
  readonly catalog: Catalog
  readonly standings: Standings
  readonly submissions: Submissions
  readonly pool: VerificationPool
  /** What comes with troupe; not on the boards before `start`. */
  readonly baselines: Baselines
  /** Live evaluation; set by the server once it can be reached. */
  live: Live | undefined
  readonly limits: BoardLimits
  readonly version: string
  readonly now: () => number
  /** Secret of the admin key, when this start made one. */
  readonly adminKey: string | undefined
  /** What the start-up check found; empty when all is well. */
  readonly problems: string[] = []
  private readonly folder: string
  readonly log: Logger
  private readonly release: () => void
  private checking: Promise<void> = Promise.resolve()
  private closed = false

  private constructor(
    settings: BoardsSettings,
    parts: {
      folder: string
      store: Store
      blobs: Blobs
      signer: Signer
      adminKey: string | undefined
      release: () => void
    },
  ) {
    this.folder = parts.folder
    this.store = parts.store
    this.blobs = parts.blobs
    this.signer = parts.signer
    this.adminKey = parts.adminKey
    this.release = parts.release
    this.log = settings.log
    this.limits = { ...BOARD_LIMITS, ...settings.limits }
    this.version = settings.version
    this.now = settings.now ?? Date.now
    this.catalog = new Catalog(this.limits, settings.scenarios)
    this.standings = new Standings(this.store, this.catalog, this.limits)
    const { workers, workerFile } = settings
    this.pool = new VerificationPool({
      memoryBytes: this.limits.workerBytes,
      jobMs: this.limits.jobMs,
      ...(workers === undefined ? {} : { threads: workers }),
      ...(workerFile === undefined ? {} : { file: workerFile }),
    })
    const { store, blobs, signer, catalog, limits, log, version, now, pool } = this
    this.submissions = new Submissions({
      ...{ store, blobs, signer, catalog, limits, log, version, now, pool },
      entered: (entry) => this.standings.entered(entry),
    })
    this.baselines = new Baselines(this)
  }

  /**
   * Opens the boards of a data folder.
   * @throws TroupeError environment in one sentence when they cannot be opened
   */
  static async open(settings: BoardsSettings): Promise<Boards> {
    const folder = join(settings.data, BOARD_FOLDER)
    let release = () => {}
    try {
      mkdirSync(folder, { recursive: true })
      release = claim(folder)
      const unclean = existsSync(join(folder, UNCLEAN))
      await writeFile(join(folder, UNCLEAN), `${process.pid}\n`)
      const blobs = new Blobs(folder)
      await blobs.open()
      const store = await openSqlite(join(folder, STORE_FILE))
      try {
        const signer = openSigner(join(folder, SIGNING_KEY))
        const { adminKey = true, newAdminKey = false, now = Date.now } = settings
        const secret = adminKey || newAdminKey ? await ensureAdminKey(store, now(), newAdminKey) : undefined
        const boards = new Boards(settings, { folder, store, blobs, signer, adminKey: secret, release })
        if (unclean) await boards.repair()
        await boards.submissions.epochs.reveal()
        await boards.submissions.start()
        boards.checking = boards.checkLog()
        return boards
      } catch (error) {
        await store.close()
        throw error
      }
    } catch (error) {
      release()
      throw openProblem(error)
    }
  }

  /** After a server that did not end well: the database, the files it points to, and what lies around. */
  private async repair(): Promise<void> {
    const { store, blobs, problems, log } = this
    for (const { what } of await store.check()) problems.push(what)
    const left = await blobs.sweepIncoming()
    const known = await store.bundles()
    for (const { id, keyId, sha256, bytes } of known) {
      if (keyId !== SHIPPED_KEY && !(await blobs.has({ sha256, bytes })))
        problems.push(`entry ${id}: its replays are missing or cut short`)
    }
    const wanted = new Set(known.map(({ sha256 }) => sha256))
    let orphans = 0
    for await (const sha256 of blobs.all()) {
      if (wanted.has(sha256)) continue
      await blobs.remove(sha256)
      orphans++
    }
    log.info({ left, orphans, problems }, 'the boards were checked after an unclean end')
  }

  /** Follows the log from its first record on, a portion at a time. */
  private async checkLog(): Promise<void> {
    try {
      let before: { seq: number; hash: string } = LOG_START
      for (;;) {
        const rows = await this.store.logRows(before.seq + 1, LOG_PORTION)
        if (rows.length === 0 || this.closed) break
        // Links and hashes of all; the signature of the last, which stands for all before it.
        checkRecords(rows, before)
        before = rows[rows.length - 1]
        await new Promise((resolve) => setImmediate(resolve))
      }
      const head = await this.store.logHead()
      if (head !== undefined && !this.closed) {
        checkRecords([head], { seq: head.seq - 1, hash: head.previous }, this.signer.publicKey)
      }
    } catch (error) {
      if (this.closed) return
      this.problems.push(error instanceof TroupeError ? error.message : 'log: it could not be read')
      this.log.error({ error }, 'the log of results is not sound')
    }
  }

  /** What the start-up check found, once it has ended. */
  async soundness(): Promise<readonly string[]> {
    await this.checking
    return this.problems
  }

  async head(): Promise<LogHead> {
    return headOf(await this.store.logHead(), this.signer)
  }

  /** @throws TroupeError unknown-name */
  async entry(id: string): Promise<EntryRow> {
    const entry = await this.store.entry(id)
    if (entry === undefined) throw noSuchEntry(id)
    return entry
  }

  /** Whether the episodes of a panel may be shown: those of the shared panel only once their epoch is revealed. */
  async mayShow(entry: EntryRow, panel: Panel): Promise<boolean> {
    if (entry.hidden !== null || entry.state !== 'published') return false
    if (panel !== 'shared') return true
    return (await this.store.epochs()).some(({ id, closedAt }) => id === entry.epoch && closedAt !== null)
  }

  /** The file behind `board:<entry>:<panel>-<episode>`, for the lists and streams of replays. */
  async replay(entryId: string, name: string): Promise<ReplayFile | undefined> {
    const [, panel, number] = /^(replayed|shared|fresh)-(\d{1,7})$/.exec(name) ?? []
    if (panel === undefined) return undefined
    const entry = await this.store.entry(entryId)
    if (entry === undefined || entry.bundle === null || !(await this.mayShow(entry, panel as Panel))) return undefined
    const episode = await this.store.episode(entryId, panel as Panel, Number(number))
    if (episode === undefined || episode.from === null || episode.bytes === null) return undefined
    await this.baselines.provide(entry)
    return {
      id: replayIdOf(entryId, episode),
      origin: 'board',
      ...this.blobs.place(entry.bundle.sha256),
      from: episode.from,
      bytes: episode.bytes,
      modifiedMs: entry.publishedAt ?? entry.createdAt,
    }
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    const filling = this.baselines.close()
    await this.submissions.close()
    await filling
    await this.checking
    await this.store.close()
    rmSync(join(this.folder, UNCLEAN), { force: true })
    this.release()
  }
}

export function replayIdOf(entry: string, { panel, episode }: Pick<EpisodeRecord, 'panel' | 'episode'>): string {
  return `board:${entry}:${panel}-${episode}`
}

/** One server per folder: two would verify the same submissions. */
function claim(folder: string): () => void {
  try {
    return claimFolder(folder)
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    throw new TroupeError('environment', {
      where: 'boards',
      got: 'in use by another server of the same data folder',
      expected: 'that server, or another --data',
    })
  }
}

/** Why boards are off, in one sentence without a path. */
export function openProblem(error: unknown): Error {
  const known = storeProblem(error)
  if (known instanceof TroupeError || known instanceof Refusal) return known
  const { code } = error as NodeJS.ErrnoException
  const got =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'without room: the disk is full'
      : code === 'EROFS' || code === 'EACCES' || code === 'EPERM'
        ? 'not writable'
        : code === undefined
          ? undefined
          : fileProblem(error)
  if (got === undefined) return known
  return new TroupeError('environment', { where: 'boards: data folder', got, expected: 'a folder that may be written' })
}
