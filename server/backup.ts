/** A copy of a leaderboard that can take its place: database, replays, signing key. Made while the server runs. */
import { copyFile, chmod, mkdir, readdir } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { TroupeError } from '../envs/core/errors.ts'
import { writeAtomic } from '../results/files.ts'
import { BOARD_FOLDER, SIGNING_KEY, STORE_FILE, openProblem } from './boards.ts'
import { LOG_START, checkRecords, openSigner } from './log.ts'
import { Blobs } from './store/blobs.ts'
import { openSqlite } from './store/sqlite.ts'
import { SHIPPED_KEY, type Store } from './store/store.ts'

export interface BackupResult {
  readonly folder: string
  readonly entries: number
  readonly files: number
  readonly bytes: number
  readonly log: number
}

const LOG_PORTION = 1000

/**
 * Copies the leaderboard of a data folder to a new folder, and checks the copy: database, log, every file by its hash.
 * To restore, put the copy in place of `<data>/board`.
 * @throws TroupeError environment, bad-usage when the folder is not empty, not-genuine when the copy is not sound
 */
export async function backupBoards(data: string, folder: string): Promise<BackupResult> {
  const source = join(data, BOARD_FOLDER)
  if (!existsSync(join(source, STORE_FILE))) {
    throw new TroupeError('bad-file', {
      where: data,
      got: 'without a leaderboard',
      expected: 'a data folder that `troupe serve` has used',
    })
  }
  if (existsSync(folder) && (await readdir(folder)).length > 0) {
    throw new TroupeError('bad-usage', { where: folder, got: 'not empty', expected: 'a new folder' })
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const original = await openSqlite(join(source, STORE_FILE))
    try {
      // The database first: whatever it points to is on disk before, and is never changed.
      await original.backup(join(folder, STORE_FILE))
    } finally {
      await original.close()
    }
    await copyFile(join(source, SIGNING_KEY), join(folder, SIGNING_KEY))
    await chmod(join(folder, SIGNING_KEY), 0o600)
    const store = await openSqlite(join(folder, STORE_FILE))
    try {
      return await copyAndCheck(store, source, folder)
    } finally {
      await store.close()
    }
  } catch (error) {
    throw openProblem(error)
  }
}

async function copyAndCheck(store: Store, source: string, folder: string): Promise<BackupResult> {
  const from = new Blobs(source)
  const to = new Blobs(folder)
  await to.open()
  const known = new Map((await store.bundles()).map((bundle) => [bundle.sha256, bundle]))
  let bytes = 0
  for (const { id, keyId, sha256, bytes: size } of known.values()) {
    // Replays of shipped entries are made again when they are asked for.
    if (keyId === SHIPPED_KEY && !(await from.has({ sha256, bytes: size }))) continue
    await from.copyTo(to, { sha256, bytes: size })
    if (!(await to.isSound({ sha256, bytes: size }))) {
      throw new TroupeError('not-genuine', {
        where: `entry ${id}: its replays`,
        got: 'other bytes than their hash says',
        expected: sha256,
      })
    }
    bytes += size
  }
  const [problem] = await store.check()
  if (problem !== undefined)
    throw new TroupeError('not-genuine', { where: 'the copy', got: problem.what, expected: 'a sound database' })
  const { publicKey } = openSigner(join(folder, SIGNING_KEY))
  let before: { seq: number; hash: string } = LOG_START
  for (;;) {
    const rows = await store.logRows(before.seq + 1, LOG_PORTION)
    if (rows.length === 0) break
    checkRecords(rows, before, publicKey)
    before = rows[rows.length - 1]
  }
  const result = { entries: await store.countEntries({}), files: known.size, bytes, log: before.seq }
  writeAtomic(join(folder, 'backup.json'), `${JSON.stringify({ format: 1, ...result }, null, 2)}\n`)
  return { folder, ...result }
}
