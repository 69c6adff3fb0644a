/** Replay files of a data folder and those shipped with the viewer: ids, listings, headers. */
import { join } from 'node:path'
import { stat } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { readReplayHeader, type ReplayHeader } from '../envs/core/replay.ts'
import { TroupeError, nearestName, shown } from '../envs/core/errors.ts'
import { type ReplayInfo, type Skipped } from './protocol/replays.ts'
import { type Version, entries, inOrder, isPlainName, readPart, readWhole } from './files.ts'
import { fileProblem } from './refusal.ts'
import { type Limits } from './limits.ts'

export const SUFFIX = '.replay'

/** A row of the listing, or why there is none. */
export type Row = { readonly info: ReplayInfo } | { readonly reason: string; readonly error: unknown }

export interface ReplayFile extends Version {
  readonly id: string
  readonly origin: ReplayInfo['origin']
  readonly run?: string
  readonly folder: string
  /** With the suffix. */
  readonly file: string
  /** Where it begins in that file, when the file holds more than this replay. */
  readonly from?: number
}

/** Replays that are kept elsewhere: those of entries on boards. */
export type BoardReplays = (entry: string, name: string) => Promise<ReplayFile | undefined>

interface Listing {
  readonly files: ReplayFile[]
  readonly skipped: Skipped[]
}

/** Strong validator: another size or time is another file. */
export function tagOf({ id, bytes, modifiedMs }: ReplayFile): string {
  return `"${createHash('sha256').update(`${id}|${bytes}|${modifiedMs}`).digest('base64url').slice(0, 22)}"`
}

/** The last part of an id: the file's name without its suffix. */
const replayIdEnd = (file: string): string => file.slice(0, -SUFFIX.length)

export function replayId(origin: ReplayInfo['origin'], file: string, run?: string): string {
  const name = replayIdEnd(file)
  return run === undefined ? `${origin}:${name}` : `run:${run}:${name}`
}

export class ReplayFiles {
  private readonly data: string
  private readonly shipped: readonly string[]
  private readonly limits: Limits
  /** Set once there are boards. */
  boards: BoardReplays | undefined
  /** Headers by place and version; the oldest entry goes first. */
  private readonly headers = new Map<string, Row>()

  /**
   * @param data the data folder; may not exist yet
   * @param shipped folders to look for shipped replays in; the first that has any counts
   */
  constructor(data: string, shipped: readonly string[], limits: Limits) {
    this.data = data
    this.shipped = shipped
    this.limits = limits
  }

  /** Every replay, newest first; or those of one run. */
  async list(run?: string): Promise<Listing> {
    const all: Listing[] = []
    if (run === undefined) {
      const runs = await this.runNames()
      all.push(...(await inOrder(runs, (name) => this.ofRun(name))))
      all.push(await this.inFolder(join(this.data, 'replays'), 'file'), await this.ofShipped())
    } else if ((await this.runNames()).includes(run)) {
      all.push(await this.ofRun(run))
    }
    const files = all.flatMap((listing) => listing.files)
    files.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.id < b.id ? 1 : -1))
    return { files: files.slice(0, this.limits.replays), skipped: all.flatMap((listing) => listing.skipped) }
  }

  /** Replays of one run, in no particular order. The name is a folder's name from a listing. */
  async ofRun(run: string): Promise<Listing> {
    return this.inFolder(join(this.data, 'runs', run, 'replays'), 'run', run)
  }

  /**
   * The file behind an id. The id is looked up among the names that are there, never made into a path.
   * @throws TroupeError unknown-name
   */
  async find(id: string): Promise<ReplayFile> {
    if (id.startsWith('board:')) {
      const [, entry = '', name = ''] = id.split(':')
      const found = await this.boards?.(entry, name)
      if (found !== undefined) return found
    }
    const place = await this.placeOf(id)
    const { files, skipped } = await place((file) => replayIdEnd(file) === id.slice(id.lastIndexOf(':') + 1))
    const found = files.find((file) => file.id === id)
    if (found !== undefined) return found
    const left = skipped.find((one) => one.id === id)
    if (left !== undefined) {
      const got = `left out (${left.reason})`
      throw new TroupeError('bad-file', { where: shown(id), got, expected: 'a plain replay file' })
    }
    const near = (await place()).files.slice(0, 200).map((file) => file.id)
    const nearest = nearestName(id, near)
    throw new TroupeError('unknown-name', {
      where: 'replay',
      got: shown(id),
      expected:
        'an id from the list of replays, such as run:<run>:<name>, file:<name>, shipped:<name> or board:<entry>:<episode>',
      ...(nearest === undefined ? {} : { nearest: shown(nearest) }),
    })
  }

  /** The way to list where a replay of that id would be; lists nothing for an id of another form. */
  private async placeOf(id: string): Promise<(wanted?: (file: string) => boolean) => Promise<Listing>> {
    const [origin, first, ...rest] = id.split(':')
    if (origin === 'file' && rest.length === 0) {
      return (wanted) => this.inFolder(join(this.data, 'replays'), 'file', undefined, wanted)
    }
    if (origin === 'shipped' && rest.length === 0) return () => this.ofShipped()
    if (origin === 'run' && rest.length === 1 && (await this.runNames()).includes(first)) {
      return (wanted) => this.inFolder(join(this.data, 'runs', first, 'replays'), 'run', first, wanted)
    }
    return async () => ({ files: [], skipped: [] })
  }

  /** A row of the listing, or why there is none. Reads the head of the file only, and only when it changed. */
  async info(file: ReplayFile): Promise<Row> {
    const key = `${file.folder}|${file.file}|${file.from ?? 0}|${file.bytes}|${file.modifiedMs}`
    const known = this.headers.get(key)
    if (known !== undefined) return known
    let row: Row
    try {
      const most = Math.min(file.bytes, this.limits.headerBytes)
      const { part } = await readPart(join(file.folder, file.file), file.file, file.from ?? 0, most)
      row = { info: rowOf(file, readReplayHeader(part, {}, file.id)) }
    } catch (error) {
      row = { reason: fileProblem(error), error }
    }
    this.headers.set(key, row)
    if (this.headers.size > this.limits.replays) this.headers.delete(this.headers.keys().next().value!)
    return row
  }

  /** The whole file. @throws TroupeError bad-file when it is too large, the system's error when it is gone */
  async bytes(file: ReplayFile): Promise<Uint8Array> {
    const path = join(file.folder, file.file)
    if (file.from === undefined) return (await readWhole(path, file.id, this.limits.replayBytes)).part
    return (await readPart(path, file.id, file.from, file.bytes)).part
  }

  private async runNames(): Promise<string[]> {
    const folders = await quietly(entries(join(this.data, 'runs')))
    return folders.filter((entry) => entry.isDirectory() && isPlainName(entry.name)).map((entry) => entry.name)
  }

  private async ofShipped(): Promise<Listing> {
    for (const folder of this.shipped) {
      const listing = await this.inFolder(folder, 'shipped')
      if (listing.files.length > 0) return listing
    }
    return { files: [], skipped: [] }
  }

  /** @param wanted of the names that are there, those to look at; default all */
  private async inFolder(
    folder: string,
    origin: ReplayInfo['origin'],
    run?: string,
    wanted: (file: string) => boolean = () => true,
  ): Promise<Listing> {
    const listing: Listing = { files: [], skipped: [] }
    let names
    try {
      names = (await entries(folder)).filter(
        ({ name }) => name.endsWith(SUFFIX) && !name.startsWith('.') && wanted(name),
      )
    } catch (error) {
      listing.skipped.push({ id: run === undefined ? `${origin}:` : `run:${run}:`, reason: fileProblem(error) })
      return listing
    }
    await inOrder(names, async (entry) => {
      const id = replayId(origin, entry.name, run)
      if (!isPlainName(entry.name)) {
        const name = shown(entry.name)
        listing.skipped.push({ id: `${origin}:${name}`.slice(0, 400), reason: 'its name cannot be part of an address' })
      } else if (!entry.isFile()) {
        listing.skipped.push({ id, reason: entry.isSymbolicLink() ? 'it is a link' : 'it is not a plain file' })
      } else {
        const found = await stat(join(folder, entry.name)).catch(() => undefined)
        if (found === undefined) return // gone since
        if (found.size > this.limits.replayBytes) {
          listing.skipped.push({
            id,
            reason: `it has ${found.size} bytes; expected ${this.limits.replayBytes} or less`,
          })
          return
        }
        const at = { folder, file: entry.name, bytes: found.size, modifiedMs: found.mtimeMs }
        listing.files.push({ id, origin, ...(run === undefined ? {} : { run }), ...at })
      }
    })
    return listing
  }
}

/** A listing that may not be read is shown elsewhere (GET /api/runs); here it is empty. */
async function quietly<T>(entries: Promise<T[]>): Promise<T[]> {
  return entries.catch(() => [])
}

function rowOf(file: ReplayFile, header: ReplayHeader): ReplayInfo {
  const { result, label, purpose, plugin } = header
  return {
    id: file.id,
    origin: file.origin,
    ...(file.run === undefined ? {} : { run: file.run }),
    bytes: file.bytes,
    modifiedAt: new Date(file.modifiedMs).toISOString(),
    env: header.env,
    version: header.version,
    scenario: typeof header.scenario.id === 'string' ? header.scenario.id.slice(0, 200) : '',
    agents: header.agents.length,
    policies: header.policies.map((policy) => policy.name),
    seed: header.seed,
    ...(label === undefined ? {} : { label }),
    ...(purpose === undefined ? {} : { purpose }),
    ...(plugin === undefined ? {} : { plugin: plugin.name }),
    steps: result?.steps ?? null,
    return: result?.return ?? null,
    metrics: result?.metrics ?? {},
  }
}
