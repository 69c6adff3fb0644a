/**
 * Live evaluation: begins runs, lets lost clients back in, and hands results to the ledger. Reading order:
 * `../protocol/live.ts` the messages · `game.ts` worlds and recordings · `run.ts` turns and time · `panels.ts` whose
 * seeds · `ledger.ts` what the store has to keep · `client.ts` the other end.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { type RawData, type WebSocket } from 'ws'
import { type Logger } from 'pino'
import { TroupeError, type EnvDefinition } from '../../envs/core/index.ts'
import {
  LIVE_LIMITS,
  LIVE_PROTOCOL,
  liveSpec,
  readLiveClientMessage,
  type LiveResume,
  type LiveList,
  type LiveServerMessage,
  type LiveStart,
  type LiveStarted,
} from '../protocol/live.ts'
import { Refusal, refusalOf } from '../refusal.ts'
import { LiveGame } from './game.ts'
import { type LiveEpisode, type LiveLedger, type LiveOpening, type LiveResult } from './ledger.ts'
import { panelEpisodes, type LivePanel, type PanelEpisode } from './panels.ts'
import { LiveRun, type LiveTimes, type Pace } from './run.ts'

export { type LiveLedger, type LiveOpening, type LiveResult, type LiveEpisode } from './ledger.ts'
export { LATENCY_MS, type LiveTimes } from './run.ts'

export interface LiveSettings extends Pace {
  /** Episodes of each panel. */
  readonly episodes: Readonly<Record<LivePanel, number>>
  /** Runs at a time; the ledger limits those of one key. */
  readonly runs: number
  /** A connection says what it wants within this time. */
  readonly helloMs: number
}

/** README.md of the server shows the same numbers. */
export const LIVE_SETTINGS: LiveSettings = {
  episodes: { shared: 32, fresh: 32 },
  stepMs: 1000,
  graceMs: 15_000,
  graceTotalMs: 60_000,
  lateInRow: 20,
  badMessages: 20,
  unreadBytes: 4_194_304,
  runs: 1000,
  helloMs: 10_000,
}

export interface LiveRoom {
  readonly ledger: LiveLedger
  readonly definitions?: Readonly<Record<string, EnvDefinition>>
  readonly settings: LiveSettings
  readonly log: Logger
  /** Version of the package. */
  readonly version: string
}

interface Going {
  readonly opening: LiveOpening
  readonly token: string
  readonly started: LiveStarted
  readonly game: LiveGame
  readonly run: LiveRun
  readonly panel: readonly PanelEpisode[]
}

export class Live {
  private readonly room: LiveRoom
  private readonly going = new Map<string, Going>()
  /** Runs that are about to begin: the ledger takes its time. */
  private beginning = 0
  private readonly settling = new Set<Promise<void>>()
  private closing = false

  constructor(room: LiveRoom) {
    this.room = room
  }

  /** A connection was accepted; its first message says what it wants. */
  connect(socket: WebSocket, address: string): void {
    const { settings, log } = this.room
    socket.on('error', (error) => log.debug({ reason: error.message }, 'live socket error'))
    let heard = false
    const silence = setTimeout(() => {
      // What has reached this machine is read first: a process that was stopped for a while blames nobody.
      setImmediate(() => {
        if (heard) return
        const expected = `live.start or live.resume within ${settings.helloMs / 1000} seconds`
        turnAway(socket, 4408, complaint('bad-usage', 'connection', 'silent', expected))
      })
    }, settings.helloMs)
    socket.once('close', () => clearTimeout(silence))
    socket.once('message', (data: RawData, isBinary: boolean) => {
      heard = true
      clearTimeout(silence)
      this.first(socket, address, data, isBinary).catch((error: unknown) => {
        if (refusalOf(error).status === 500) log.error({ error }, 'a live run could not begin')
        turnAway(socket, error instanceof Refusal && error.status === 503 ? 1013 : 1008, error)
      })
    })
  }

  /** Runs that go on, oldest first, and the rules. */
  list(): LiveList {
    const { episodes, stepMs, graceMs, graceTotalMs } = this.room.settings
    const runs = [...this.going.values()].map(({ opening, game, run, panel }) => ({
      entry: opening.entry,
      scenario: opening.scenario.id,
      name: opening.blind ? null : opening.description.name,
      openedAt: new Date(opening.openedAt).toISOString(),
      connected: run.connected,
      episodes: panel.length,
      ended: game.ended.length,
      turns: run.turns,
      lateTurns: run.late,
    }))
    return { runs, rules: { ...episodes, stepMs, graceMs, graceTotalMs } }
  }

  /** Breaks off every run, which uses up no quota, and waits until the ledger knows. */
  async close(): Promise<void> {
    this.closing = true
    for (const going of [...this.going.values()]) {
      going.run.stop('the server stops')
      this.fail(going, 'the server stopped')
    }
    await Promise.all(this.settling)
  }

  private async first(socket: WebSocket, address: string, data: RawData, isBinary: boolean): Promise<void> {
    if (isBinary) throw complaint('bad-message', 'first message', 'binary', 'the text live.start or live.resume')
    const message = readLiveClientMessage(String(data))
    if (message.type === 'live.leave') {
      throw complaint('bad-usage', 'first message', message.type, 'live.start or live.resume')
    }
    if (message.protocol !== LIVE_PROTOCOL) {
      throw complaint('bad-version', `${message.type}: protocol`, String(message.protocol), String(LIVE_PROTOCOL))
    }
    if (message.type === 'live.resume') this.resume(socket, message)
    else await this.start(socket, address, message)
  }

  private resume(socket: WebSocket, { entry, token }: LiveResume): void {
    const going = this.going.get(entry)
    const right = going !== undefined && timingSafeEqual(Buffer.from(token), Buffer.from(going.token))
    if (!right || !going.run.open) {
      // One answer for all cases: nobody learns which runs there are from it.
      throw complaint('bad-usage', 'live.resume', 'no run that waits for this token', 'entry and token of live.started')
    }
    going.run.join(socket, { ...going.started, resumed: true })
  }

  private async start(socket: WebSocket, address: string, message: LiveStart): Promise<void> {
    const { settings, ledger } = this.room
    if (this.closing) throw busy('server', 'stopping', 'a running server')
    const now = this.going.size + this.beginning
    if (now >= settings.runs) throw busy('live runs', `${now}`, `fewer than ${settings.runs}`)
    this.beginning++
    try {
      const { key, scenario, description, blind = false } = message
      const opening = await ledger.open({ key, address, scenario, description, blind })
      try {
        const { epoch, scenarioHash, entry } = opening
        const panel = panelEpisodes(epoch.key, scenarioHash, entry, settings.episodes)
        const game = this.gameOf(opening, panel, message.lanes ?? 1)
        // From here on the run counts: it is on record before its client sees anything.
        await ledger.begin(opening, panel)
        if (this.closing) throw busy('server', 'stopping', 'a running server')
        this.begin(socket, { opening, game, panel })
      } catch (error) {
        await ledger.fail(opening, 'the server could not begin it')
        throw error
      }
    } finally {
      this.beginning--
    }
  }

  private gameOf(opening: LiveOpening, panel: readonly PanelEpisode[], lanes: number): LiveGame {
    const { definitions, version } = this.room
    const { entry, scenario, description, blind } = opening
    const { policyHash } = description
    // A replay outlives a blind entry's cover, so that it is told nothing.
    const hash = blind || policyHash === undefined ? {} : { hash: policyHash }
    const policy = { name: blind ? '' : description.name, ...hash }
    return new LiveGame({
      scenario,
      ...(definitions === undefined ? {} : { definitions }),
      seeds: panel.map(({ seed }) => seed),
      lanes,
      header: () => ({ scenario, policies: [policy], package: version, purpose: `live ${entry}` }),
    })
  }

  private begin(socket: WebSocket, parts: Pick<Going, 'opening' | 'game' | 'panel'>): void {
    const { settings } = this.room
    const { opening, game, panel } = parts
    const token = randomBytes(32).toString('hex')
    const started: LiveStarted = {
      type: 'live.started',
      entry: opening.entry,
      token,
      resumed: false,
      scenario: opening.scenario,
      scenarioHash: opening.scenarioHash,
      spec: liveSpec(game.batch.spec),
      episodes: panel.length,
      lanes: game.batch.lanes,
      stepMs: settings.stepMs,
      graceMs: settings.graceMs,
      graceTotalMs: settings.graceTotalMs,
      epoch: { number: opening.epoch.id, commitment: opening.epoch.commitment },
    }
    const run = new LiveRun(game, settings, {
      done: (times) => this.finish(going, times),
      failed: (error) => {
        this.room.log.error({ error, entry: opening.entry }, 'a live run broke off')
        this.fail(going, 'an error inside the server ended it')
      },
    })
    const going: Going = { ...parts, token, started, run }
    this.going.set(opening.entry, going)
    run.join(socket, started)
  }

  private finish(going: Going, times: LiveTimes): void {
    const { opening, game, run, panel: order } = going
    const episodes: LiveEpisode[] = game.ended
      .map((episode) => {
        const { panel, episode: place } = order[episode.episode]
        return { ...episode, panel, episode: place }
      })
      .sort((a, b) => (a.panel === b.panel ? a.episode - b.episode : a.panel === 'shared' ? -1 : 1))
    const result: LiveResult = { episodes, times, stepMs: this.room.settings.stepMs, closedAt: Date.now() }
    this.settle(
      this.room.ledger
        .finish(opening, result)
        .then(() => {
          const { turns, lateTurns } = times
          const mean = meansOf(episodes)
          const { entry } = opening
          const path = `/entry/${entry}`
          run.bid({ type: 'live.done', entry, path, episodes: episodes.length, return: mean, lateTurns, turns })
        })
        .catch((error: unknown) => {
          this.room.log.error({ error, entry: opening.entry }, 'the result of a live run could not be kept')
          run.bid({ type: 'error', error: refusalOf(error).fields, final: true })
        })
        .finally(() => this.forget(going)),
    )
  }

  private fail(going: Going, reason: string): void {
    this.settle(
      this.room.ledger
        .fail(going.opening, reason)
        .catch((error: unknown) => this.room.log.error({ error }, 'a broken live run could not be noted'))
        .finally(() => this.forget(going)),
    )
  }

  private forget({ opening }: Going): void {
    this.going.delete(opening.entry)
  }

  private settle(work: Promise<void>): void {
    this.settling.add(work)
    void work.finally(() => this.settling.delete(work))
  }
}

function meansOf(episodes: readonly LiveEpisode[]): { mean: number; shared: number; fresh: number } {
  const mean = (some: readonly LiveEpisode[]) =>
    some.length === 0 ? 0 : some.reduce((sum, episode) => sum + episode.return, 0) / some.length
  return {
    mean: mean(episodes),
    shared: mean(episodes.filter(({ panel }) => panel === 'shared')),
    fresh: mean(episodes.filter(({ panel }) => panel === 'fresh')),
  }
}

/** Says why and closes. */
function turnAway(socket: WebSocket, code: number, error: unknown): void {
  const { fields } = refusalOf(error)
  const message: LiveServerMessage = { type: 'error', error: fields, final: true }
  socket.send(JSON.stringify(message), () => undefined)
  socket.close(code, fields.code)
  setTimeout(() => socket.terminate(), 2000).unref()
}

const busy = (where: string, got: string, expected: string): Refusal =>
  new Refusal(503, 'busy', where, got, `${expected}; try again later`)

const complaint = (
  code: 'bad-message' | 'bad-usage' | 'bad-version',
  where: string,
  got: string,
  expected: string,
): TroupeError => new TroupeError(code, { where, got, expected })

/** Longest message that a live connection may send before it is closed: one answer of every lane, with room. */
export const LIVE_PAYLOAD_BYTES = Math.max(LIVE_LIMITS.frameBytes, LIVE_LIMITS.clientMessageBytes)
