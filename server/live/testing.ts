/** What the tests of live evaluation share: a server with nothing but the socket, and a ledger in memory. */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { pino } from 'pino'
import { WebSocket } from 'ws'
import { shippedScenario } from '../../scenarios/load.ts'
import { scenarioHash } from '../../scenarios/open.ts'
import { type Scenario } from '../../scenarios/schema.ts'
import { commitmentOf } from '../seeds.ts'
import { readLiveServerMessage, type LiveServerMessage } from '../protocol/live.ts'
import { type Description } from '../protocol/rest.ts'
import { LiveDoor } from './door.ts'
import { LIVE_SETTINGS, Live, type LiveSettings } from './index.ts'
import { type LiveAsked, type LiveLedger, type LiveOpening, type LiveResult } from './ledger.ts'
import { type PanelEpisode } from './panels.ts'

export const KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'

export const DESCRIPTION: Description = { name: 'tested', algorithm: 'random', mode: 'scripted', centralised: false }

export class MemoryLedger implements LiveLedger {
  readonly openings: LiveOpening[] = []
  readonly panels = new Map<string, readonly PanelEpisode[]>()
  readonly results = new Map<string, LiveResult>()
  readonly failures = new Map<string, string>()
  readonly scenarios: Scenario[] = []
  /** Refuses who may not begin; tests hand in their own. */
  admits: (asked: LiveAsked) => void = () => undefined

  async open(asked: LiveAsked): Promise<LiveOpening> {
    this.admits(asked)
    const scenario = this.scenarios.find(({ id }) => id === asked.scenario) ?? shippedScenario(asked.scenario)
    const opening = {
      entry: randomBytes(10).toString('hex'),
      scenario,
      scenarioHash: scenarioHash(scenario),
      description: asked.description,
      blind: asked.blind,
      openedAt: 0,
      epoch: { id: 1, key: KEY, commitment: commitmentOf(KEY) },
    }
    this.openings.push(opening)
    return opening
  }

  async begin({ entry }: LiveOpening, panel: readonly PanelEpisode[]): Promise<void> {
    this.panels.set(entry, panel)
  }

  async finish({ entry }: LiveOpening, result: LiveResult): Promise<void> {
    this.results.set(entry, result)
  }

  async fail({ entry }: LiveOpening, reason: string): Promise<void> {
    this.failures.set(entry, reason)
  }
}

export interface Stage {
  readonly url: string
  readonly live: Live
  readonly ledger: MemoryLedger
  close(): Promise<void>
}

/** A shipped scenario with shorter episodes. */
export function short(id: string, horizon: number): Scenario {
  const scenario = shippedScenario(id)
  return { ...scenario, options: { ...scenario.options, horizon } }
}

export async function stage(
  scenarios: readonly Scenario[],
  settings: Partial<LiveSettings> = {},
  ledger = new MemoryLedger(),
): Promise<Stage> {
  ledger.scenarios.push(...scenarios)
  const live = new Live({
    ledger,
    settings: { ...LIVE_SETTINGS, episodes: { shared: 2, fresh: 2 }, ...settings },
    log: pino({ level: 'silent' }),
    version: '0.0.0',
  })
  const http = createServer()
  const door = new LiveDoor(live, 2000)
  http.on('upgrade', (request, socket, head) => door.upgrade(request, socket, head))
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const close = async () => {
    await door.close(500)
    await new Promise<void>((done) => void http.close(() => done()))
  }
  return { url, live, ledger, close }
}

/** A bare connection: keeps what it hears in order. */
export class Caller {
  readonly socket: WebSocket
  readonly texts: LiveServerMessage[] = []
  readonly frames: Buffer[] = []
  closed: number | undefined
  private wake: () => void = () => undefined

  constructor(url: string) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/live`)
    this.socket.on('message', (data, isBinary) => {
      if (isBinary) this.frames.push(data as Buffer)
      else this.texts.push(readLiveServerMessage(String(data)))
      this.wake()
    })
    this.socket.on('close', (code) => {
      this.closed = code
      this.wake()
    })
    this.socket.on('error', () => undefined)
  }

  static async open(url: string): Promise<Caller> {
    const caller = new Caller(url)
    await new Promise((done) => caller.socket.once('open', done))
    return caller
  }

  /** Begins a run and waits for its first question. */
  static async started(url: string, scenario: string, lanes = 1): Promise<Caller> {
    const caller = await Caller.open(url)
    caller.say({ type: 'live.start', protocol: 1, scenario, lanes, description: DESCRIPTION })
    await caller.until(() => caller.frames.length > 0)
    return caller
  }

  say(message: unknown): void {
    this.socket.send(Buffer.isBuffer(message) || typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** The first message of a type. */
  first<K extends LiveServerMessage['type']>(type: K): Extract<LiveServerMessage, { type: K }> | undefined {
    return this.texts.find((text): text is Extract<LiveServerMessage, { type: K }> => text.type === type)
  }

  async until<T>(condition: () => T | undefined | false, ms = 5000): Promise<T> {
    const end = Date.now() + ms
    for (;;) {
      const value = condition()
      if (value !== undefined && value !== false) return value
      if (Date.now() > end) throw new Error(`waited in vain; heard ${JSON.stringify(this.texts).slice(0, 800)}`)
      await new Promise<void>((done) => {
        const timer = setTimeout(done, 20)
        this.wake = () => {
          clearTimeout(timer)
          done()
        }
      })
    }
  }
}
