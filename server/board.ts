/**
 * What is known about the runs of a data folder, kept fresh while somebody follows: the file watch says "look now",
 * a slow poll looks anyway (network drives, folders that appear later, systems without a watch).
 * Followers are told that something changed and compare version numbers themselves, so nothing queues up here.
 */
import { watch, type FSWatcher } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Logger } from 'pino'
import { unknownName } from '../envs/core/errors.ts'
import { type Skipped } from './protocol/replays.ts'
import { type RunDetail, type RunInfo } from './protocol/runs.ts'
import { entries, inOrder, isPlainName } from './files.ts'
import { fileProblem } from './refusal.ts'
import { type ReplayFiles } from './replays.ts'
import { RunFolder } from './run-folder.ts'
import { type Limits } from './limits.ts'

/** Running runs whose folders are watched for the list; the others wait for the poll. */
const WATCHED_RUNS = 32

type Listener = () => void

export class Board {
  /** Raised with every change of the list. */
  version = 0
  private readonly data: string
  private readonly files: ReplayFiles
  private readonly limits: Limits
  private readonly log: Logger
  private runs = new Map<string, RunFolder>()
  /** Version of the list at which a run changed last. */
  private readonly changed = new Map<string, { at: number; runVersion: number }>()
  private removals: { id: string; at: number }[] = []
  private skippedFolders: Skipped[] = []
  private readonly listListeners = new Set<Listener>()
  private readonly runListeners = new Map<RunFolder, Set<Listener>>()
  /** What the listeners were told of: others may have refreshed in between. */
  private toldList = -1
  private readonly told = new WeakMap<RunFolder, string>()
  private readonly watchers = new Map<string, { watcher: FSWatcher; inode: number }>()
  private listing: Promise<void> | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  /** Whether the timer stands for a look asked for, not for the poll. */
  private soon = false
  private looking = false
  private again = false
  private closed = false

  constructor(data: string, files: ReplayFiles, limits: Limits, log: Logger) {
    this.data = data
    this.log = log
    this.files = files
    this.limits = limits
  }

  /** All runs, newest first, and what could not be read. */
  async list(): Promise<{ runs: RunInfo[]; skipped: Skipped[] }> {
    await this.readList()
    return this.listed()
  }

  /** The list as it was read last. */
  listed(): { runs: RunInfo[]; skipped: Skipped[] } {
    const runs: RunInfo[] = []
    const skipped = [...this.skippedFolders]
    for (const { id, info, problem } of this.runs.values()) {
      if (info !== undefined) runs.push(info)
      else if (problem !== undefined) skipped.push({ id, reason: problem })
    }
    runs.sort((a, b) => (a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : a.id < b.id ? -1 : 1))
    return { runs, skipped }
  }

  /** What differs from the list as it was at `version`. */
  since(version: number): { runs: RunInfo[]; removed: string[] } {
    const runs: RunInfo[] = []
    const removed = this.removals.filter((removal) => removal.at > version).map(({ id }) => id)
    for (const [id, { at }] of this.changed) {
      if (at <= version) continue
      const info = this.runs.get(id)?.info
      if (info !== undefined) runs.push(info)
      else removed.push(id) // it cannot be read any more
    }
    return { runs, removed: removed.filter((id, i) => removed.indexOf(id) === i && !runs.some((run) => run.id === id)) }
  }

  /** @throws TroupeError unknown-name, or bad-file when run.json cannot be read */
  async detail(id: string): Promise<RunDetail> {
    return (await (await this.find(id)).look()).detail
  }

  /** @throws TroupeError unknown-name */
  async find(id: string): Promise<RunFolder> {
    await this.readList()
    // The reading may have begun before the run was there.
    if (!this.runs.has(id)) await this.readList()
    const folder = this.runs.get(id)
    if (folder === undefined) throw unknownName('run', id, [...this.runs.keys()].slice(0, 200))
    return folder
  }

  /** Calls back when the list may differ. @returns the way to stop */
  followList(listener: Listener): () => void {
    this.listListeners.add(listener)
    this.look()
    return () => {
      this.listListeners.delete(listener)
      if (this.idle) this.rest()
    }
  }

  /** Calls back when the run may differ. @returns the way to stop */
  followRun(folder: RunFolder, listener: Listener): () => void {
    const listeners = this.runListeners.get(folder) ?? new Set()
    this.runListeners.set(folder, listeners)
    listeners.add(listener)
    this.look()
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.runListeners.delete(folder)
      if (this.idle) this.rest()
    }
  }

  close(): void {
    this.closed = true
    this.listListeners.clear()
    this.runListeners.clear()
    this.rest()
  }

  private get idle(): boolean {
    return this.listListeners.size === 0 && this.runListeners.size === 0
  }

  /** Nobody follows: no timers, no watches. */
  private rest(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    for (const { watcher } of this.watchers.values()) watcher.close()
    this.watchers.clear()
  }

  /** Looks soon; several calls within the settling time are one look. */
  private look(): void {
    if (this.closed || this.idle) return
    if (this.looking) this.again = true
    else this.wait(this.limits.settleMs)
  }

  private wait(ms: number): void {
    const soon = ms <= this.limits.settleMs
    if (this.timer !== undefined && this.soon && soon) return
    clearTimeout(this.timer)
    this.soon = soon
    this.timer = setTimeout(() => void this.lookNow(), ms)
  }

  private async lookNow(): Promise<void> {
    this.timer = undefined
    this.looking = true
    this.again = false
    const start = performance.now()
    try {
      await this.watchFolders()
      for (const [folder, listeners] of [...this.runListeners]) {
        await folder.refreshFully()
        const state = `${folder.version} ${folder.newest}`
        if (this.told.get(folder) !== state) for (const listener of [...listeners]) listener()
        this.told.set(folder, state)
      }
      if (this.listListeners.size > 0) {
        await this.readList()
        if (this.version !== this.toldList) for (const listener of [...this.listListeners]) listener()
        this.toldList = this.version
      }
    } catch (error) {
      this.log.error({ error }, 'looking through the data folder failed')
    } finally {
      this.looking = false
      if (!this.closed && !this.idle) {
        const spent = performance.now() - start
        this.wait(this.again ? this.limits.settleMs : Math.max(this.limits.pollMs, 20 * spent))
      }
    }
  }

  /** One reading at a time; whoever asks meanwhile gets the same. */
  private readList(): Promise<void> {
    this.listing ??= this.readListNow().finally(() => {
      this.listing = undefined
    })
    return this.listing
  }

  private async readListNow(): Promise<void> {
    const skipped: Skipped[] = []
    const ids: string[] = []
    try {
      for (const entry of await entries(join(this.data, 'runs'))) {
        if (entry.name.startsWith('.')) continue
        if (!isPlainName(entry.name))
          skipped.push({ id: entry.name.slice(0, 200), reason: 'its name cannot be part of an address' })
        else if (entry.isDirectory()) ids.push(entry.name)
        else if (entry.isSymbolicLink()) skipped.push({ id: entry.name, reason: 'it is a link' })
      }
    } catch (error) {
      skipped.push({ id: 'runs', reason: fileProblem(error) })
    }
    ids.sort()
    if (ids.length > this.limits.runs) {
      const left = ids.splice(0, ids.length - this.limits.runs)
      skipped.push({
        id: left[0],
        reason: `it and ${left.length - 1} others are more than the ${this.limits.runs} listed`,
      })
    }
    const known = new Set(ids)
    let differs = JSON.stringify(skipped) !== JSON.stringify(this.skippedFolders)
    this.skippedFolders = skipped
    const next = this.version + 1
    for (const id of [...this.runs.keys()]) {
      if (known.has(id)) continue
      this.runs.delete(id)
      this.changed.delete(id)
      this.removals.push({ id, at: next })
      differs = true
    }
    this.removals = this.removals.slice(-this.limits.runs)
    for (const id of ids)
      if (!this.runs.has(id)) this.runs.set(id, new RunFolder(this.data, id, this.files, this.limits))
    await inOrder([...this.runs.values()], (folder) => folder.refresh())
    for (const folder of this.runs.values()) {
      if (this.changed.get(folder.id)?.runVersion === folder.version) continue
      this.changed.set(folder.id, { at: next, runVersion: folder.version })
      differs = true
    }
    if (differs) this.version = next
  }

  /** Watches the folders that matter now, again where a folder was replaced. Failing is fine: the poll goes on. */
  private async watchFolders(): Promise<void> {
    const wanted = new Set([this.data, join(this.data, 'runs')])
    for (const folder of this.runListeners.keys()) for (const path of folder.folders) wanted.add(path)
    if (this.listListeners.size > 0) {
      const running = [...this.runs.values()].filter(({ info }) => info?.status === 'running')
      for (const folder of running.slice(-WATCHED_RUNS)) wanted.add(folder.folders[0])
    }
    for (const [path, { watcher }] of this.watchers) {
      if (wanted.has(path)) continue
      watcher.close()
      this.watchers.delete(path)
    }
    for (const path of wanted) {
      const inode = await stat(path).then(
        (found) => found.ino,
        () => undefined,
      )
      const known = this.watchers.get(path)
      if (known !== undefined && known.inode === inode) continue
      known?.watcher.close()
      this.watchers.delete(path)
      if (inode === undefined || this.closed || this.idle) continue
      try {
        const watcher = watch(path, { persistent: false }, () => this.look())
        watcher.on('error', () => watcher.close())
        this.watchers.set(path, { watcher, inode })
      } catch {
        // no watch to be had here
      }
    }
  }
}
