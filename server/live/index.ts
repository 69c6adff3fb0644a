/**
 * Live evaluation: begins runs, lets lost clients back in, and hands results to the ledger. Reading order:
 * `../protocol/live.ts` the messages · `game.ts` worlds and recordings · `run.ts` turns and time · `panels.ts` whose
 * seeds · `ledger.ts` what the store has to keep · `client.ts` the other end.
 */
import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { type RawData, type WebSocket } from 'ws'
import { type Logger } from 'pino'
import { TroupeError, type EnvDefinition } from '../../envs/core/index.ts'
import { scenarioHash } from '../../scenarios/open.ts'
import { type Scenario } from '../../scenarios/schema.ts'
import {
  LIVE_LIMITS,
  LIVE_PROTOCOL,
  liveSpec,
  readLiveClientMessage,
  type LiveResume,
  type LiveServerMessage,
  type LiveStart,
  type LiveStarted,
} from '../protocol/live.ts'
import { Refusal, refusalOf } from '../refusal.ts'
import { LiveGame } from './game.ts'
import { type LiveEpisode, type LiveLedger, type LiveOpening, type LiveResult } from './ledger.ts'
import { panelEpisodes, type LivePanel } from './panels.ts'
import { LiveRun, type LiveTimes, type Pace } from './run.ts'

export { type LiveLedger, type LiveOpening, type LiveResult, type LiveEpisode } from './ledger.ts'
export { LATENCY_MS, type LiveTimes } from './run.ts'

export interface LiveSettings extends Pace {
  /** Episodes of each panel. */
  readonly episodes: Readonly<Record<LivePanel, number>>
  /** Runs at a time, in all and of one owner. */
  readonly runs: number
  readonly runsPerOwner: number
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
  runsPerOwner: 2,
  helloMs: 10_000,
}

export interface LiveRoom {
  readonly ledger: LiveLedger
  /** Scenarios that are evaluated here, by id. @throws TroupeError unknown-name */
  readonly scenario: (id: string) => Scenario
  readonly definitions?: Readonly<Record<string, EnvDefinition>>
  readonly settings: LiveSettings
  readonly log: Logger
  /** Version of the package. */
  readonly version: string
}

/** A run that goes on, as everybody may see it: no returns, so that nobody learns from them. */
export interface LiveStatus {
  readonly entry: string
  readonly scenario: string
  /** null for a blind one. */
  readonly name: string | null
  readonly openedAt: string
  readonly connected: boolean
  readonly episodes: number
  readonly ended: number
  readonly turns: number
  readonly lateTurns: number
}

interface Going {
  readonly opening: LiveOpening
  readonly token: string
  readonly started: LiveStarted
  readonly game: LiveGame
  readonly run: LiveRun
  readonly release: () => void
}

export class Live {
  private readonly room: LiveRoom
  private readonly going = new Map<string, Going>()
  /** Runs that are about to begin, by owner: the ledger takes its time. */
  private readonly beginning = new Map<string, number>()
  private readonly settling = new Set<Promise<void>>()
  private closing = false

  constructor(room: LiveRoom) {
    this.room = room
  }

  /** A connection was accepted; its first message says what it wants. */
  connect(socket: WebSocket, address: string): void {
    const { settings, log } = this.room
    socket.on('error', (error) => log.debug({ reason: error.message }, 'live socket error'))
    const silence = setTimeout(() => {
      const expected = `live.start or live.resume within ${settings.helloMs / 1000} seconds`
      turnAway(socket, 4408, complaint('bad-usage', 'connection', 'silent', expected))
    }, settings.helloMs)
    socket.once('close', () => clearTimeout(silence))
    socket.once('message', (data: RawData, isBinary: boolean) => {
      clearTimeout(silence)
      this.first(socket, address, data, isBinary).catch((error: unknown) => {
        if (refusalOf(error).status === 500) log.error({ error }, 'a live run could not begin')
        turnAway(socket, error instanceof Refusal && error.status === 503 ? 1013 : 1008, error)
      })
    })
  }

  /** Runs that go on, oldest first. */
  status(): LiveStatus[] {
    return [...this.going.values()].map(({ opening, game, run }) => ({
      entry: opening.entry,
      scenario: opening.scenario.id,
      name: opening.blind ? null : opening.description.name,
      openedAt: new Date(opening.openedAt).toISOString(),
      connected: run.connected,
      episodes: opening.panel.length,
      ended: game.ended.length,
      turns: run.turns,
      lateTurns: run.late,
    }))
  }

  /** Breaks off every run, which uses up no quota, and waits until the ledger knows. */
  async close(): Promise<void> {
    this.closing = true
    for (const going of [...this.going.values()]) {
      going.run.stop()
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
    const { room } = this
    const { settings, ledger } = room
    if (this.closing) throw busy('server', 'stopping', 'a running server')
    const scenario = room.scenario(message.scenario)
    const task = scenarioHash(scenario)
    if (this.going.size >= settings.runs) throw busy('live runs', `${this.going.size}`, `fewer than ${settings.runs}`)
    const epoch = await ledger.epoch()
    let kept: LiveOpening | undefined
    let owner: string | undefined
    try {
      const asked = { key: message.key, address, scenario, scenarioHash: task, epoch: epoch.id }
      owner = await ledger.admit(asked)
      this.reserve(owner)
      const entry = newEntryId()
      const panel = panelEpisodes(epoch.key, task, entry, settings.episodes)
      const { description, blind = false } = message
      const { policyHash } = description
      const policy = { name: blind ? '' : description.name, ...(policyHash === undefined ? {} : { hash: policyHash }) }
      const game = new LiveGame({
        scenario,
        ...(room.definitions === undefined ? {} : { definitions: room.definitions }),
        seeds: panel.map(({ seed }) => seed),
        lanes: message.lanes ?? 1,
        header: () => ({ scenario, policies: [policy], package: room.version, purpose: `live ${entry}` }),
      })
      const openedAt = Date.now()
      const { stepMs } = settings
      const opening = {
        ...{ entry, scenario, scenarioHash: task, description, blind, owner, address },
        ...{ epoch: epoch.id, openedAt, panel, stepMs },
      }
      // From here on the run counts: it is on record before its client sees anything.
      await ledger.opened(opening)
      kept = opening
      if (this.closing) throw busy('server', 'stopping', 'a running server')
      this.begin(socket, { opening, game, release: () => epoch.release() }, epoch.commitment)
    } catch (error) {
      epoch.release()
      if (kept !== undefined) await ledger.failed(kept, 'the server could not begin it')
      throw error
    } finally {
      if (owner !== undefined) this.unreserve(owner)
    }
  }

  private reserve(owner: string): void {
    const { runsPerOwner } = this.room.settings
    const own = [...this.going.values()].filter(({ opening }) => opening.owner === owner).length
    const soon = this.beginning.get(owner) ?? 0
    this.beginning.set(owner, soon + 1)
    if (own + soon >= runsPerOwner) {
      throw busy('live runs of yours', `${own + soon}`, `fewer than ${runsPerOwner} at a time`)
    }
  }

  private unreserve(owner: string): void {
    const left = (this.beginning.get(owner) ?? 0) - 1
    if (left > 0) this.beginning.set(owner, left)
    else this.beginning.delete(owner)
  }

  private begin(socket: WebSocket, parts: Pick<Going, 'opening' | 'game' | 'release'>, commitment: string): void {
    const { settings } = this.room
    const { opening, game } = parts
    const token = randomBytes(32).toString('hex')
    const started: LiveStarted = {
      type: 'live.started',
      entry: opening.entry,
      token,
      resumed: false,
      scenario: opening.scenario,
      scenarioHash: opening.scenarioHash,
      spec: liveSpec(game.batch.spec),
      episodes: opening.panel.length,
      lanes: game.batch.lanes,
      stepMs: settings.stepMs,
      graceMs: settings.graceMs,
      graceTotalMs: settings.graceTotalMs,
      epoch: { number: opening.epoch, commitment },
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
    const { opening, game, run } = going
    const episodes: LiveEpisode[] = game.ended
      .map((episode) => {
        const { panel, episode: place } = opening.panel[episode.episode]
        return { ...episode, panel, episode: place }
      })
      .sort((a, b) => (a.panel === b.panel ? a.episode - b.episode : a.panel === 'shared' ? -1 : 1))
    const result: LiveResult = { episodes, times, stepMs: opening.stepMs, closedAt: Date.now() }
    this.settle(
      this.room.ledger
        .finished(opening, result)
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
        .failed(going.opening, reason)
        .catch((error: unknown) => this.room.log.error({ error }, 'a broken live run could not be noted'))
        .finally(() => this.forget(going)),
    )
  }

  private forget({ opening, release }: Going): void {
    this.going.delete(opening.entry)
    release()
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

const ID_LETTERS = '0123456789abcdefghijklmnopqrstuvwxyz'

/** 20 letters and digits: about 103 bits, so that ids cannot be guessed. */
const newEntryId = (): string => Array.from({ length: 20 }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('')

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
