/**
 * One opened replay on a page: the clock, the steps at hand, what is selected and what was found out.
 * Holds no pixels; pages read its signals.
 */
import { signal, type Signal } from '@preact/signals'
import { Player, type PlayerState } from './player.ts'
import { FrameStore } from './sources/frames.ts'
import { type EpisodeInfo, type StepEvent, type StepRecord, type Survey, type Verdict } from './sources/messages.ts'
import { Simulator } from './sources/simulator.ts'
import { download, readFile, replayAddress, sameOrigin, type Source } from './sources/load.ts'
import { type Connection } from './sources/socket.ts'
import { FIRST_STRIPS } from './strip-data.ts'
import { type Sight } from './stage/camera.ts'
import { strings } from './strings.ts'
import { EMPTY, gather, neighbourEvent, notable, type Overview } from './survey.ts'

/** Parts of a survey are shown together when they come closer than this, in ms. */
const SURVEY_EVERY_MS = 150

export type Checking = { readonly kind: 'not yet' } | { readonly kind: 'checking' } | Checked
export type Checked =
  { readonly kind: 'done'; readonly verdict: Verdict } | { readonly kind: 'failed'; readonly message: string }

export interface OpenSettings {
  readonly step?: number
  readonly agent?: string | null
  readonly playing?: boolean
  readonly overlays?: readonly string[]
  readonly sight?: Sight | null
}

export class Session {
  readonly player: Player
  readonly clock: Signal<PlayerState>
  readonly info: Signal<EpisodeInfo | null> = signal(null)
  /** The last step that could be shown; follows the clock as soon as a step is simulated. */
  readonly record: Signal<StepRecord | null> = signal(null)
  readonly agent: Signal<string | null> = signal(null)
  readonly overview: Signal<Overview> = signal(EMPTY)
  readonly events: Signal<readonly StepEvent[]> = signal([])
  /** Ids of the overlays that are drawn over the world, see `overlays.ts`. */
  readonly overlays: Signal<ReadonlySet<string>> = signal(new Set())
  /** Which lines are shown under the timeline, see `strip-data.ts`. */
  readonly strips: Signal<ReadonlySet<string>> = signal(new Set<string>(FIRST_STRIPS))
  /** Where the camera looks; null = the whole world. */
  readonly sight: Signal<Sight | null> = signal(null)
  /** Whether the camera stays on the selected agent. */
  readonly following: Signal<boolean> = signal(false)
  /** Steps the user wants to find again, ascending; kept by the browser. */
  readonly bookmarks: Signal<readonly number[]> = signal([])
  readonly checking: Signal<Checking> = signal({ kind: 'not yet' })
  /** One sentence when nothing could be opened. */
  readonly failure: Signal<string | null> = signal(null)
  /** One sentence when the episode cannot be played to its end. */
  readonly stopped: Signal<string | null> = signal(null)
  /** What is being opened, and how much has come. */
  readonly opening: Signal<{ name: string; part: number } | null> = signal(null)
  readonly source: Signal<Source | null> = signal(null)
  #simulator: Simulator | undefined
  #store: FrameStore | undefined
  #turn = 0
  readonly #connection: Connection | undefined

  constructor(connection?: Connection) {
    this.#connection = connection
    this.player = new Player({ ready: (step) => this.#store?.get(step) !== undefined })
    this.clock = signal(this.player.state)
    this.player.subscribe((state) => {
      this.clock.value = state
      this.#store?.want(state.step, state.speed)
      this.#show()
    })
  }

  /** Opens a replay; whatever was open stays until the new one is there. Never throws: see `failure`. */
  async open(source: Source, settings: OpenSettings = {}): Promise<void> {
    const turn = ++this.#turn
    const name = nameOf(source)
    this.opening.value = { name, part: 0 }
    this.failure.value = null
    const onProgress = (part: number) => {
      if (turn === this.#turn) this.opening.value = { name, part }
    }
    const simulator = source.kind === 'fork' ? source.simulator : new Simulator()
    try {
      const info =
        source.kind === 'fork'
          ? source.info
          : await simulator.open(name, await this.#fetch(source, name, settings.step ?? 0, onProgress))
      const agents = info.agents.length
      const store = new FrameStore(simulator, info.steps, estimateBytes(info))
      if (turn !== this.#turn) {
        simulator.close()
        return
      }
      this.#simulator?.close()
      this.#simulator = simulator
      this.#store = store
      store.onArrive = () => this.#show()
      store.onFail = (message) => {
        if (turn === this.#turn && !simulator.closed) this.failure.value = message
      }
      // The timeline is drawn anew with what is known: some times a second do, and at the end.
      let parts: Survey[] = []
      const takeIn = () => {
        if (turn !== this.#turn || parts.length === 0) return
        this.overview.value = parts.reduce(
          (known, part) => gather(known, part, agents, info.steps),
          this.overview.value,
        )
        const stopped = parts.at(-1)!.stopped
        parts = []
        if (stopped !== null) {
          this.stopped.value = stopped
          this.player.setLast(this.overview.value.steps)
        }
        this.events.value = notable(this.overview.value.events, Math.max(1, this.overview.value.steps))
      }
      simulator.onSurvey = (part) => {
        if (turn !== this.#turn) return
        if (parts.push(part) === 1 && !part.done) setTimeout(takeIn, SURVEY_EVERY_MS)
        if (part.done || part.limited === true) takeIn()
      }
      this.overview.value = EMPTY
      this.events.value = []
      this.stopped.value = null
      this.checking.value = { kind: 'not yet' }
      this.record.value = null
      this.source.value = source
      this.info.value = info
      this.following.value = false
      this.bookmarks.value = readBookmarks(info)
      if (settings.overlays !== undefined) this.overlays.value = new Set(settings.overlays)
      if (settings.sight !== undefined) this.sight.value = settings.sight
      if (settings.agent !== undefined) this.agent.value = settings.agent
      if (this.agent.value !== null && !info.agents.includes(this.agent.value)) this.agent.value = null
      this.opening.value = null
      this.player.open(info.steps, settings.step ?? 0, settings.playing ?? false)
    } catch (error) {
      simulator.close()
      if (turn !== this.#turn) return
      this.opening.value = null
      this.failure.value = error instanceof Error ? error.message : strings.files.unreadable(name)
    }
  }

  /**
   * A fork went on, or was cut and played differently.
   * @param kept last step that is as it was
   */
  regrow(info: EpisodeInfo, overview: Overview, kept: number): void {
    this.#store?.regrow(info.steps, kept)
    this.checking.value = { kind: 'not yet' }
    this.info.value = info
    this.overview.value = overview
    this.events.value = notable(overview.events, Math.max(1, overview.steps))
    this.player.setLast(info.steps)
  }

  /** The record of a step, when it is at hand. */
  at(step: number): StepRecord | undefined {
    return this.#store?.get(step)
  }

  select(agent: string | null): void {
    const known = this.info.value?.agents ?? []
    this.agent.value = agent !== null && known.includes(agent) ? agent : null
  }

  /** The next or previous agent, starting over at the ends. */
  cycle(by: 1 | -1): void {
    const agents = this.info.value?.agents ?? []
    if (agents.length === 0) return
    const at = this.agent.value === null ? (by > 0 ? -1 : 0) : agents.indexOf(this.agent.value)
    this.agent.value = agents[(at + by + agents.length) % agents.length]
  }

  /** To the next or previous step with an event or a bookmark. */
  jump(direction: 1 | -1): void {
    const { step } = this.clock.peek()
    const event = neighbourEvent(this.events.peek(), step, direction)
    const marks = this.bookmarks.peek()
    const mark = direction > 0 ? marks.find((at) => at > step) : marks.findLast((at) => at < step)
    const found = [event, mark].filter((at) => at !== undefined)
    if (found.length > 0) this.player.seek(direction > 0 ? Math.min(...found) : Math.max(...found))
  }

  /** To the next or previous step at which something happened to the selected agent, however common it is. */
  jumpOwn(direction: 1 | -1): void {
    const agent = this.agent.peek()
    if (agent === null) return
    const own = this.overview.peek().events.filter(({ agents }) => agents.includes(agent))
    const step = neighbourEvent(own, this.clock.peek().step, direction)
    if (step !== undefined) this.player.seek(step)
  }

  /** The stretch to loop begins or ends at the step shown; its other end stays, or is the episode's. */
  loopEnd(end: 'from' | 'to'): void {
    const { step, last, range } = this.player.state
    const { from, to } = range ?? { from: 0, to: last }
    this.player.setRange(
      end === 'from' ? { from: step, to: step < to ? to : last } : { from: step > from ? from : 0, to: step },
    )
  }

  toggleOverlay(id: string, on = !this.overlays.peek().has(id)): void {
    const next = new Set(this.overlays.peek())
    if (on) next.add(id)
    else next.delete(id)
    this.overlays.value = next
  }

  toggleStrip(id: string): void {
    const next = new Set(this.strips.peek())
    if (!next.delete(id)) next.add(id)
    this.strips.value = next
  }

  /** Marks a step, or takes the mark away again. */
  toggleBookmark(step = this.clock.peek().step): void {
    const info = this.info.peek()
    if (info === null) return
    const marks = this.bookmarks.peek()
    const next = marks.includes(step) ? marks.filter((at) => at !== step) : [...marks, step].sort((a, b) => a - b)
    this.bookmarks.value = next.slice(0, MAX_BOOKMARKS)
    writeBookmarks(info, this.bookmarks.value)
  }

  async verify(): Promise<void> {
    const simulator = this.#simulator
    if (simulator === undefined || this.checking.value.kind === 'checking') return
    this.checking.value = { kind: 'checking' }
    try {
      const verdict = await simulator.verify()
      if (simulator === this.#simulator) this.checking.value = { kind: 'done', verdict }
    } catch (error) {
      if (simulator !== this.#simulator) return
      this.checking.value = { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
    }
  }

  close(): void {
    this.#turn++
    this.#simulator?.close()
    this.#simulator = undefined
    this.#store = undefined
    this.player.pause()
  }

  #show(): void {
    const record = this.#store?.get(this.player.state.step)
    if (record !== undefined && record !== this.record.value) this.record.value = record
  }

  async #fetch(
    source: Exclude<Source, { kind: 'fork' }>,
    name: string,
    step: number,
    onProgress: (part: number) => void,
  ) {
    if (source.kind === 'file') return readFile(source.file)
    if (source.kind === 'address') {
      const address = sameOrigin(source.address, location.origin)
      if (address === undefined) throw new Error(strings.files.notSameOrigin)
      return download(address, name, onProgress)
    }
    if (this.#connection !== undefined) {
      try {
        return await this.#connection.openReplay(source.id, step, onProgress)
      } catch {
        // No socket (a proxy that does not pass them, a server that stopped): the same file over HTTP,
        // whose answer also says best what is wrong.
      }
    }
    return download(replayAddress(source.id), name, onProgress)
  }
}

/** Bookmarks of one replay at most. */
const MAX_BOOKMARKS = 200

/** The same episode under another name keeps its bookmarks: what it did tells it, else its seed and length. */
function bookmarkKey({ header, steps }: EpisodeInfo): string {
  return `troupe-bookmarks:${header.result?.digest ?? `${header.env}:${header.seed}:${steps}`}`
}

function readBookmarks(info: EpisodeInfo): readonly number[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(bookmarkKey(info)) ?? '[]')
    if (!Array.isArray(stored)) return []
    const steps = stored.filter((at): at is number => Number.isInteger(at) && at >= 0 && at <= info.steps)
    return [...new Set(steps)].sort((a, b) => a - b).slice(0, MAX_BOOKMARKS)
  } catch {
    return [] // no storage, or another program's rubbish in it
  }
}

function writeBookmarks(info: EpisodeInfo, marks: readonly number[]): void {
  try {
    if (marks.length === 0) localStorage.removeItem(bookmarkKey(info))
    else localStorage.setItem(bookmarkKey(info), JSON.stringify(marks))
  } catch {
    // Private windows may refuse to store; the bookmarks then last as long as the page.
  }
}

/** What to call a source: the file's name, or the last part of an id. */
export function nameOf(source: Source): string {
  if (source.kind === 'file') return source.file.name
  if (source.kind === 'server') return source.id
  if (source.kind === 'fork') return source.name
  return source.address.split(/[?#]/)[0].split('/').at(-1) || source.address
}

/** Rough size of one step's record in the page's memory. */
function estimateBytes(info: EpisodeInfo): number {
  const { spec } = info
  if (spec === null) return 4000
  const agents = spec.agents.length
  const cells = (spec.world.size?.width ?? 10) * (spec.world.size?.height ?? 10)
  return agents * (spec.observationSize * 4 + spec.actionSize + 64) + cells * 60 + 500
}
