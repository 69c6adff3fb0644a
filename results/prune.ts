/** What of a data folder's replays may go, oldest first. Replays that a record points to stay: they are its evidence. */
import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface PruneRequest {
  /** The data folder. */
  readonly data: string
  /** Replays that are older go, in days. */
  readonly days?: number
  /** The oldest go until no more than so many bytes of replays are left. */
  readonly bytes?: number
  readonly now?: number
}

export interface Prunable {
  readonly file: string
  readonly bytes: number
  readonly modifiedMs: number
}

export interface PruneResult {
  readonly remove: readonly Prunable[]
  /** Replays found, those of records too. */
  readonly replays: number
  readonly bytes: number
  /** Of records: they stay whatever is asked. */
  readonly evidence: number
}

/** Replays below `<data>/replays` and `<data>/runs/<run>/replays`, plain files only. */
export function planPrune({
  data,
  days = Infinity,
  bytes: most = Infinity,
  now = Date.now(),
}: PruneRequest): PruneResult {
  const runs = foldersOf(join(data, 'runs')).map((name) => join(data, 'runs', name))
  const found: (Prunable & { readonly kept: boolean })[] = []
  for (const folder of [data, ...runs]) {
    const record = join(folder, 'record.json')
    const words = existsSync(record) ? readFileSync(record, 'utf8') : ''
    const replays = join(folder, 'replays')
    if (!existsSync(replays)) continue
    for (const entry of readdirSync(replays, { withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.replay')) continue
      const file = join(replays, entry.name)
      const { size, mtimeMs } = statSync(file)
      found.push({
        file,
        bytes: size,
        modifiedMs: mtimeMs,
        kept: words.includes(JSON.stringify(`replays/${entry.name}`)),
      })
    }
  }
  found.sort((a, b) => a.modifiedMs - b.modifiedMs || (a.file < b.file ? -1 : 1))
  const total = found.reduce((sum, { bytes }) => sum + bytes, 0)
  const remove: Prunable[] = []
  let left = total
  for (const { kept, ...replay } of found) {
    if (kept || !(now - replay.modifiedMs > days * 86_400_000 || left > most)) continue
    remove.push(replay)
    left -= replay.bytes
  }
  return { remove, replays: found.length, bytes: total, evidence: found.filter(({ kept }) => kept).length }
}

export function prune(remove: readonly Prunable[]): void {
  for (const { file } of remove) rmSync(file, { force: true })
}

const foldersOf = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
    : []
