/**
 * One opened replay on a page: the clock, the steps at hand, what is selected and what was found out.
 * Holds no pixels; pages read its signals.
 */
import { signal, type Signal } from '@preact/signals'
import { Player, type PlayerState } from './player.ts'
import { FrameStore } from './sources/frames.ts'
import { type EpisodeInfo, type StepEvent, type StepRecord, type Verdict } from './sources/messages.ts'
import { Simulator } from './sources/simulator.ts'
import { download, readFile, replayAddress, sameOrigin, type Source } from './sources/load.ts'
import { type Connection } from './sources/socket.ts'
import { strings } from './strings.ts'
import { EMPTY, gather, neighbourEvent, notable, type Overview } from './survey.ts'

export type Checking = { readonly kind: 'not yet' } | { readonly kind: 'checking' } | Checked
export type Checked =
  { readonly kind: 'done'; readonly verdict: Verdict } | { readonly kind: 'failed'; readonly message: string }

export interface OpenSettings {
  readonly step?: number
  readonly agent?: string | null
  readonly playing?: boolean
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
      simulator.onSurvey = (part) => {
        if (turn !== this.#turn) return
        this.overview.value = gather(this.overview.value, part, agents, info.steps)
        if (part.stopped !== null) {
          this.stopped.value = part.stopped
          this.player.setLast(this.overview.value.steps)
        }
        this.events.value = notable(this.overview.value.events, Math.max(1, this.overview.value.steps))
      }
      this.overview.value = EMPTY
      this.events.value = []
      this.stopped.value = null
      this.checking.value = { kind: 'not yet' }
      this.record.value = null
      this.source.value = source
      this.info.value = info
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

  jump(direction: 1 | -1): void {
    const step = neighbourEvent(this.events.value, this.clock.value.step, direction)
    if (step !== undefined) this.player.seek(step)
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
