/** The page's one connection to the server: replay streams and what is new about runs. Comes back by itself. */
import {
  decodeChunk,
  FIRST_SERVER_STREAM,
  PROTOCOL,
  readServerMessage,
  ReplayAssembly,
  SOCKET_PATH,
  type ClientMessage,
  type ReplayOpened,
  type RunDetail,
  type RunInfo,
  type RunProgress,
  type RunReplay,
  type ServerMessage,
} from '../../server/protocol/index.ts'
import { type Replay } from '../../envs/core/replay.ts'
import { strings } from '../strings.ts'

/** Waits between attempts to connect, in milliseconds; the last one repeats. */
const RETRY_MS = [250, 1000, 3000, 10_000]
/** A server that says nothing for this long is taken for gone. */
const OPEN_TIMEOUT_MS = 8000

export interface RunsListener {
  listed(runs: readonly RunInfo[]): void
}

export interface RunListener {
  opened(detail: RunDetail): void
  progress(progress: RunProgress): void
  replay(replay: RunReplay): void
  gone(): void
}

interface Stream {
  readonly replay: string
  readonly step: number
  assembly: ReplayAssembly | undefined
  received: number
  readonly onProgress: (part: number) => void
  readonly resolve: (replay: { data: Replay; bytes: number }) => void
  readonly reject: (error: Error) => void
  timer: ReturnType<typeof setTimeout> | undefined
}

interface Subscription {
  readonly ask: ClientMessage
  readonly hear: (message: ServerMessage) => void
}

/** A socket as this file uses it, so that tests can hand in another. */
export type SocketLike = Pick<WebSocket, 'send' | 'close' | 'readyState'> & {
  binaryType: string
  onopen: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  onmessage: ((event: { data: unknown }) => void) | null
}

export class Connection {
  readonly #connect: () => SocketLike
  #socket: SocketLike | undefined
  #greeted = false
  #attempt = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #next = 1
  #closed = false
  /** Set when the server speaks another protocol: asking again would not help. */
  #refused = false
  readonly #streams = new Map<number, Stream>()
  readonly #subscriptions = new Map<number, Subscription>()

  constructor(connect: () => SocketLike = toThisServer) {
    this.#connect = connect
  }

  /**
   * Receives one replay.
   * @param step shown first, so that its part comes first
   * @param onProgress part received, 0 to 1
   * @throws Error with one sentence
   */
  openReplay(
    replay: string,
    step: number,
    onProgress: (part: number) => void,
  ): Promise<{ data: Replay; bytes: number }> {
    return new Promise((resolve, reject) => {
      const number = this.#next++
      const stream: Stream = {
        replay,
        step,
        assembly: undefined,
        received: 0,
        onProgress,
        resolve: (value) => {
          this.#end(number)
          resolve(value)
        },
        reject: (error) => {
          this.#end(number)
          reject(error)
        },
        timer: undefined,
      }
      this.#streams.set(number, stream)
      this.#watch(stream)
      this.#send({ type: 'replay.open', stream: number, replay, step })
    })
  }

  /** Follows the list of runs. @returns the way to stop */
  followRuns(listener: RunsListener): () => void {
    let runs: readonly RunInfo[] = []
    return this.#subscribe(
      (subscription) => ({ type: 'runs.subscribe', subscription }),
      (message) => {
        if (message.type === 'runs.listed') runs = message.runs
        else if (message.type === 'runs.changed') {
          const changed = new Map(message.runs.map((run) => [run.id, run]))
          const kept = runs.filter((run) => !changed.has(run.id) && !message.removed.includes(run.id))
          runs = [...changed.values(), ...kept].sort((a, b) => b.startedAt.localeCompare(a.startedAt))
        } else return
        listener.listed(runs)
      },
    )
  }

  /** Follows one run. @returns the way to stop */
  followRun(run: string, listener: RunListener): () => void {
    return this.#subscribe(
      (subscription) => ({ type: 'run.subscribe', subscription, run, replays: 'announce' }),
      (message) => {
        if (message.type === 'run.opened') listener.opened(message.detail)
        else if (message.type === 'run.progress') listener.progress(message)
        else if (message.type === 'run.replay') listener.replay(message)
        else if (message.type === 'run.gone' || message.type === 'error') listener.gone()
      },
    )
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#socket?.close()
  }

  #subscribe(ask: (subscription: number) => ClientMessage, hear: (message: ServerMessage) => void): () => void {
    const number = this.#next++
    const subscription = { ask: ask(number), hear }
    this.#subscriptions.set(number, subscription)
    this.#send(subscription.ask)
    return () => {
      if (!this.#subscriptions.delete(number)) return
      if (this.#greeted) this.#send({ type: 'unsubscribe', subscription: number })
    }
  }

  /** Sends when connected; what is asked before the greeting is asked again after it (see #greet). */
  #send(message: ClientMessage): void {
    if (this.#greeted && this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(message))
    else this.#open()
  }

  #open(): void {
    if (this.#socket !== undefined || this.#closed || this.#timer !== undefined) return
    if (this.#refused) {
      this.#drop()
      return
    }
    let socket: SocketLike
    try {
      socket = this.#connect()
    } catch {
      this.#later()
      return
    }
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => socket.send(JSON.stringify({ type: 'hello', protocol: PROTOCOL, client: 'page' }))
    socket.onmessage = ({ data }) => this.#hear(data)
    socket.onclose = () => {
      this.#socket = undefined
      this.#greeted = false
      this.#drop()
      this.#later()
    }
  }

  #later(): void {
    if (this.#closed || this.#refused || this.#subscriptions.size === 0) return
    const wait = RETRY_MS[Math.min(this.#attempt++, RETRY_MS.length - 1)]
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#open()
    }, wait)
  }

  /** Streams that were under way when the connection went are refused; whoever asked falls back to HTTP. */
  #drop(): void {
    for (const stream of [...this.#streams.values()]) {
      stream.reject(new Error(strings.files.unreachable(stream.replay)))
    }
  }

  #greet(): void {
    this.#greeted = true
    this.#attempt = 0
    for (const { ask } of this.#subscriptions.values()) this.#send(ask)
    for (const [number, { replay, step }] of this.#streams) {
      this.#send({ type: 'replay.open', stream: number, replay, step })
    }
  }

  #hear(data: unknown): void {
    try {
      if (typeof data === 'string') this.#hearText(readServerMessage(data))
      else if (data instanceof ArrayBuffer) this.#hearChunk(data)
    } catch {
      // A message that does not fit the protocol: this connection cannot be trusted any further.
      this.#socket?.close()
    }
  }

  #hearText(message: ServerMessage): void {
    if (message.type === 'hello') {
      if (message.protocol === PROTOCOL) this.#greet()
      return
    }
    if (message.type === 'error') {
      if (message.error.code === 'bad-version') this.#refused = true
      if (message.stream !== undefined) this.#streams.get(message.stream)?.reject(new Error(message.error.message))
      if (message.subscription !== undefined) this.#subscriptions.get(message.subscription)?.hear(message)
      return
    }
    if ('stream' in message && message.stream !== undefined && message.type.startsWith('replay.')) {
      const stream = this.#streams.get(message.stream)
      if (stream === undefined) return
      if (message.type === 'replay.opened') {
        stream.assembly = new ReplayAssembly(message)
        this.#watch(stream)
      } else if (message.type === 'replay.done') this.#finish(stream)
      return
    }
    if ('subscription' in message && message.subscription !== undefined) {
      this.#subscriptions.get(message.subscription)?.hear(message)
    }
  }

  #hearChunk(data: ArrayBuffer): void {
    const chunk = decodeChunk(data)
    const stream = this.#streams.get(chunk.stream)
    if (stream?.assembly === undefined) return
    stream.assembly.add(chunk)
    stream.received++
    stream.onProgress(stream.received / stream.assembly.opened.chunks)
    this.#watch(stream)
  }

  #finish(stream: Stream): void {
    if (stream.assembly?.complete !== true) {
      stream.reject(new Error(strings.files.unreachable(stream.replay)))
      return
    }
    stream.resolve({ data: toReplay(stream.assembly), bytes: stream.assembly.opened.bytes })
  }

  #watch(stream: Stream): void {
    clearTimeout(stream.timer)
    stream.timer = setTimeout(() => stream.reject(new Error(strings.files.unreachable(stream.replay))), OPEN_TIMEOUT_MS)
  }

  #end(number: number): void {
    clearTimeout(this.#streams.get(number)?.timer)
    this.#streams.delete(number)
    if (this.#greeted && number < FIRST_SERVER_STREAM) this.#send({ type: 'replay.close', stream: number })
  }
}

/** The replay that a stream carried, as if it had been read from its file. */
export function toReplay(assembly: ReplayAssembly): Replay {
  const { opened, actions, digests, chain, keyframes, probability, value, notes } = assembly
  return {
    header: opened.header as unknown as Replay['header'],
    steps: opened.steps,
    actions,
    digests,
    chain,
    keyframes: keyframes as Replay['keyframes'],
    ...(probability === undefined ? {} : { probability }),
    ...(value === undefined ? {} : { value }),
    ...(notes.length === 0 ? {} : { notes }),
  }
}

export type { ReplayOpened }

function toThisServer(): SocketLike {
  const { protocol, host } = globalThis.location
  return new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}${SOCKET_PATH}`) as SocketLike
}
