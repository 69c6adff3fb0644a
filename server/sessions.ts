/**
 * One viewer: reads its messages, keeps its streams and subscriptions, and decides what goes out next.
 *
 * Nothing is queued for a viewer but short answers. Chunks and news are made when the socket has room for them, so a
 * slow viewer costs no memory: its streams wait, and of progress it gets the latest.
 */
import { type WebSocket, type RawData } from 'ws'
import { type Logger } from 'pino'
import { TroupeError, shown } from '../envs/core/errors.ts'
import {
  FIRST_SERVER_STREAM,
  PROTOCOL,
  WIRE_LIMITS,
  readClientMessage,
  type ClientMessage,
  type ServerMessage,
} from './protocol/index.ts'
import { type RunDetail, type RunSubscribe } from './protocol/runs.ts'
import { type Board } from './board.ts'
import { Refusal, fileProblem, refusalOf } from './refusal.ts'
import { type ReplayFiles } from './replays.ts'
import { type RunFolder } from './run-folder.ts'
import { type Shelf, type ShelvedReplay } from './shelf.ts'
import { type Limits } from './limits.ts'

export interface SessionRoom {
  readonly board: Board
  readonly files: ReplayFiles
  readonly shelf: Shelf
  readonly limits: Limits
  readonly log: Logger
  /** Version of the package. */
  readonly version: string
}

/** Evaluations in one progress message; more follow in the next. */
const EVALUATIONS = 500
/** A viewer this many episodes behind goes on with the newest. */
const REPLAYS_BEHIND = 8
/** Ended streams whose late seeks and closes are forgiven. */
const REMEMBERED = 256

interface Stream {
  readonly number: number
  /** The run subscription it belongs to, if the server opened it. */
  readonly subscription?: number
  /** undefined while the file is being read. */
  shelved?: ShelvedReplay
  /** [chunks] 1 once sent */
  sent: Uint8Array
  left: number
  /** Chunk to look at next. */
  at: number
  step: number
}

interface ListSubscription {
  readonly kind: 'list'
  version: number
  stop(): void
}

interface RunSubscription {
  readonly kind: 'run'
  readonly number: number
  readonly replays: NonNullable<RunSubscribe['replays']>
  readonly folder: RunFolder
  /** How far this viewer has been told. */
  version: number
  generation: number
  updates: number
  evaluations: number
  replay: number
  loading: boolean
  stop(): void
}

type Subscription = { readonly kind: 'opening' } | ListSubscription | RunSubscription

export class Session {
  private readonly socket: WebSocket
  private readonly room: SessionRoom
  private readonly streams = new Map<number, Stream>()
  private readonly subscriptions = new Map<number, Subscription>()
  /** Answers not handed to the socket yet. */
  private answers: string[] = []
  private unread = 0
  private greeted = false
  private over = false
  private bad = 0
  private tokens: number
  private filledAt = performance.now()
  private nextOwn = FIRST_SERVER_STREAM
  private readonly ended = new Set<number>()
  private readonly helloTimer: ReturnType<typeof setTimeout>

  constructor(socket: WebSocket, room: SessionRoom) {
    this.socket = socket
    this.room = room
    this.tokens = room.limits.messageBurst
    socket.on('message', (data, isBinary) => this.guarded(() => this.receive(data, isBinary)))
    socket.on('close', () => this.end())
    socket.on('error', (error) => room.log.debug({ reason: error.message }, 'socket error'))
    this.helloTimer = setTimeout(() => {
      const error = complaint('bad-usage', 'connection', 'silent', `hello within ${room.limits.helloMs / 1000} seconds`)
      this.dismiss(4408, error)
    }, room.limits.helloMs)
  }

  /** Says why and closes. */
  dismiss(code: number, error: unknown): void {
    if (this.over) return
    this.over = true
    this.end()
    const text = JSON.stringify({ type: 'error', error: refusalOf(error).fields, final: true } satisfies ServerMessage)
    this.socket.send(text, () => undefined)
    this.socket.close(code, refusalOf(error).fields.code)
    setTimeout(() => this.socket.terminate(), 2000).unref()
  }

  /** Frees everything the viewer held. */
  private end(): void {
    this.over = true
    clearTimeout(this.helloTimer)
    for (const subscription of this.subscriptions.values()) if (subscription.kind !== 'opening') subscription.stop()
    this.subscriptions.clear()
    for (const number of [...this.streams.keys()]) this.drop(number)
    this.answers = []
  }

  // --- in

  private receive(data: RawData, isBinary: boolean): void {
    if (this.over) return
    const { limits } = this.room
    const now = performance.now()
    this.tokens = Math.min(limits.messageBurst, this.tokens + ((now - this.filledAt) / 1000) * limits.messagesPerSecond)
    this.filledAt = now
    if (this.tokens < 1) {
      const expected = `${limits.messagesPerSecond} messages per second or fewer`
      return this.dismiss(1008, complaint('bad-message', 'connection', 'flooded', expected))
    }
    this.tokens--
    let message: ClientMessage
    try {
      message = readData(data, isBinary)
    } catch (error) {
      return this.malformed(error, isBinary ? '' : data.toString())
    }
    this.serve(message)
  }

  private malformed(error: unknown, text: string): void {
    if (++this.bad >= this.room.limits.badMessages) return this.dismiss(1008, error)
    this.refuse(error, text.length > WIRE_LIMITS.clientMessageBytes ? {} : numbersIn(text))
  }

  private serve(message: ClientMessage): void {
    if (message.type === 'hello') return this.greet(message.protocol)
    if (!this.greeted) {
      return this.malformed(complaint('bad-usage', 'first message', message.type, 'hello'), JSON.stringify(message))
    }
    switch (message.type) {
      case 'ping':
        return this.answer({ type: 'pong', id: message.id })
      case 'replay.open':
        return void this.openReplay(message.stream, message.replay, message.step ?? 0)
      case 'replay.seek':
        return this.seek(message.stream, message.step)
      case 'replay.close':
        return this.closeStream(message.stream)
      case 'runs.subscribe':
        return void this.followList(message.subscription)
      case 'run.subscribe':
        return void this.followRun(message)
      case 'unsubscribe':
        return this.unsubscribe(message.subscription)
    }
  }

  private greet(protocol: number): void {
    if (protocol !== PROTOCOL) {
      return this.dismiss(4400, complaint('bad-version', 'hello: protocol', String(protocol), String(PROTOCOL)))
    }
    if (this.greeted) return this.refuse(complaint('bad-usage', 'hello', 'sent twice', 'one hello per connection'))
    this.greeted = true
    clearTimeout(this.helloTimer)
    const { limits, version } = this.room
    this.answer({
      type: 'hello',
      protocol: PROTOCOL,
      package: version,
      limits: {
        messageBytes: WIRE_LIMITS.clientMessageBytes,
        messagesPerSecond: limits.messagesPerSecond,
        streams: limits.streams,
        subscriptions: limits.subscriptions,
      },
    })
  }

  // --- replays

  private async openReplay(number: number, id: string, step: number): Promise<void> {
    if (this.streams.has(number)) {
      // Without the number: the stream that has it goes on.
      return this.refuse(complaint('bad-usage', `replay.open: stream ${number}`, 'in use', 'another number'))
    }
    if (this.streams.size >= this.room.limits.streams) {
      const expected = `${this.room.limits.streams} at most; close one`
      return this.refuse(tooMuch('open streams', `${this.streams.size + 1}`, expected), {
        stream: number,
      })
    }
    const stream: Stream = { number, sent: new Uint8Array(0), left: 0, at: 0, step }
    this.streams.set(number, stream)
    try {
      const shelved = await this.room.shelf.open(id)
      if (this.streams.get(number) !== stream) return // closed meanwhile
      this.room.shelf.hold(shelved)
      this.begin(stream, shelved)
    } catch (error) {
      if (this.streams.get(number) !== stream) return
      this.forget(number)
      this.refuse(readable(error, `replay ${shown(id)}`), { stream: number })
    }
  }

  /** The replay is held already; `drop` lets go of it. */
  private begin(stream: Stream, shelved: ShelvedReplay): void {
    stream.shelved = shelved
    stream.sent = new Uint8Array(shelved.chunks)
    stream.left = shelved.chunks
    stream.at = shelved.firstNeeded(stream.step)
    this.answer(shelved.opened(stream.number, stream.subscription))
  }

  private seek(number: number, step: number): void {
    const stream = this.streamOf(number, 'replay.seek')
    if (stream === undefined) return
    stream.step = step
    if (stream.shelved !== undefined) stream.at = stream.shelved.firstNeeded(step)
    this.pump()
  }

  private closeStream(number: number): void {
    if (this.streamOf(number, 'replay.close') === undefined) return
    this.forget(number)
    this.answer({ type: 'replay.closed', stream: number, reason: 'asked' })
  }

  private streamOf(number: number, type: string): Stream | undefined {
    const stream = this.streams.get(number)
    if (stream === undefined && !this.ended.has(number)) {
      this.refuse(complaint('bad-usage', `${type}: stream`, String(number), 'a stream that was opened'), {
        stream: number,
      })
    }
    return stream
  }

  private forget(number: number): void {
    this.drop(number)
    this.ended.add(number)
    if (this.ended.size > REMEMBERED) this.ended.delete(this.ended.values().next().value!)
  }

  private drop(number: number): void {
    const shelved = this.streams.get(number)?.shelved
    if (shelved !== undefined) this.room.shelf.release(shelved)
    this.streams.delete(number)
  }

  // --- runs

  /** Takes a number for a subscription, or says why not. */
  private reserve(number: number): boolean {
    if (this.subscriptions.has(number)) {
      this.refuse(complaint('bad-usage', `subscription ${number}`, 'in use', 'another number'))
      return false
    }
    if (this.subscriptions.size >= this.room.limits.subscriptions) {
      const expected = `${this.room.limits.subscriptions} at most; unsubscribe one`
      this.refuse(tooMuch('subscriptions', `${this.subscriptions.size + 1}`, expected), {
        subscription: number,
      })
      return false
    }
    this.subscriptions.set(number, OPENING)
    return true
  }

  private async followList(number: number): Promise<void> {
    if (!this.reserve(number)) return
    const { board } = this.room
    try {
      await board.list()
    } catch (error) {
      this.subscriptions.delete(number)
      return this.refuse(error, { subscription: number })
    }
    if (this.subscriptions.get(number) !== OPENING) return
    const stop = board.followList(() => this.pump())
    this.subscriptions.set(number, { kind: 'list', version: board.version, stop })
    this.answer({ type: 'runs.listed', subscription: number, ...board.listed() })
  }

  private async followRun({ subscription: number, run, replays = 'announce' }: RunSubscribe): Promise<void> {
    if (!this.reserve(number)) return
    const { board } = this.room
    let folder: RunFolder
    let seen: Awaited<ReturnType<RunFolder['look']>>
    try {
      folder = await board.find(run)
      seen = await folder.look()
    } catch (error) {
      if (this.subscriptions.get(number) === OPENING) this.subscriptions.delete(number)
      return this.refuse(readable(error, `run ${shown(run)}`), { subscription: number })
    }
    if (this.subscriptions.get(number) !== OPENING) return
    const { detail, newest, ...cursor } = seen
    this.subscriptions.set(number, {
      kind: 'run',
      number,
      replays,
      folder,
      ...cursor,
      replay: replays === 'stream' && newest > 0 ? newest - 1 : newest,
      loading: false,
      stop: board.followRun(folder, () => this.pump()),
    })
    this.answer({ type: 'run.opened', subscription: number, detail: fitting(detail) })
  }

  private unsubscribe(number: number): void {
    const subscription = this.subscriptions.get(number)
    if (subscription === undefined) {
      const error = complaint('bad-usage', 'unsubscribe: subscription', String(number), 'one that is open')
      return this.refuse(error, { subscription: number })
    }
    if (subscription.kind !== 'opening') subscription.stop()
    this.subscriptions.delete(number)
    for (const stream of [...this.streams.values()]) {
      if (stream.subscription !== number) continue
      this.forget(stream.number)
      this.answer({ type: 'replay.closed', stream: stream.number, reason: 'unsubscribed' })
    }
    this.answer({ type: 'unsubscribed', subscription: number })
  }

  // --- out

  private answer(message: ServerMessage): void {
    if (this.over) return
    const text = JSON.stringify(message)
    this.answers.push(text)
    this.unread += text.length
    if (this.unread > this.room.limits.unreadBytes) {
      const error = tooMuch('answers', `${this.unread} bytes unread`, 'a viewer that reads')
      this.dismiss(1013, error)
      return
    }
    this.pump()
  }

  private refuse(error: unknown, about: { stream?: number; subscription?: number } = {}): void {
    const { fields } = refusalOf(error)
    if (fields.code === 'internal') this.room.log.error({ error }, 'a message could not be served')
    this.answer({ type: 'error', error: fields, ...about, final: false })
  }

  /** Hands the socket as much as it has room for. Called again whenever some of it has gone out. */
  private pump(): void {
    const { socket } = this
    const { highWaterBytes } = this.room.limits
    this.guarded(() => {
      while (!this.over && socket.readyState === socket.OPEN && socket.bufferedAmount < highWaterBytes) {
        const next = this.next()
        if (next === undefined) return
        socket.send(next, this.sent)
      }
    })
  }

  /** A fault of ours ends this viewer's connection, not the server. */
  private guarded(task: () => void): void {
    try {
      task()
    } catch (error) {
      this.room.log.error({ error }, 'a session failed')
      this.dismiss(1011, error)
    }
  }

  private readonly sent = (error?: Error): void => {
    if (error === undefined || error === null) this.pump()
  }

  private next(): string | Uint8Array | undefined {
    const answer = this.answers.shift()
    if (answer !== undefined) {
      this.unread -= answer.length
      return answer
    }
    for (const [number, subscription] of this.subscriptions) {
      const news =
        subscription.kind === 'list'
          ? this.listNews(number, subscription)
          : subscription.kind === 'run'
            ? this.runNews(subscription)
            : undefined
      if (news !== undefined) return JSON.stringify(news)
    }
    for (const stream of this.streams.values()) {
      if (stream.shelved === undefined) continue
      if (stream.left > 0) {
        // To the end of the line: streams take turns.
        this.streams.delete(stream.number)
        this.streams.set(stream.number, stream)
        return this.nextChunk(stream, stream.shelved)
      }
      this.forget(stream.number)
      return JSON.stringify({ type: 'replay.done', stream: stream.number } satisfies ServerMessage)
    }
    return undefined
  }

  private nextChunk(stream: Stream, shelved: ShelvedReplay): Uint8Array {
    let at = stream.at
    while (stream.sent[at] === 1) at = (at + 1) % shelved.chunks
    stream.sent[at] = 1
    stream.left--
    stream.at = (at + 1) % shelved.chunks
    return shelved.chunk(at, stream.number)
  }

  private listNews(number: number, subscription: ListSubscription): ServerMessage | undefined {
    const { board } = this.room
    if (subscription.version === board.version) return undefined
    const news = board.since(subscription.version)
    subscription.version = board.version
    if (news.runs.length === 0 && news.removed.length === 0) return undefined
    return { type: 'runs.changed', subscription: number, ...news }
  }

  private runNews(subscription: RunSubscription): ServerMessage | undefined {
    const { folder, number } = subscription
    if (folder.gone) {
      subscription.stop()
      this.subscriptions.delete(number)
      return { type: 'run.gone', subscription: number, run: folder.id }
    }
    if (subscription.replays !== 'none') this.announce(subscription)
    const { info, log } = folder
    if (info === undefined || subscription.version === folder.version) return undefined
    if (subscription.generation !== log.generation) {
      subscription.generation = log.generation
      subscription.updates = 0
      subscription.evaluations = 0
    }
    const from = subscription.evaluations
    const evaluations = log.evaluations.slice(from, from + EVALUATIONS)
    const updates = log.updates - subscription.updates
    subscription.evaluations += evaluations.length
    subscription.updates = log.updates
    if (subscription.evaluations === log.evaluations.length) subscription.version = folder.version
    return {
      type: 'run.progress',
      subscription: number,
      run: info,
      update: updates > 0 ? log.update : null,
      evaluations,
      skipped: Math.max(0, updates - 1),
    }
  }

  /** Starts telling of the next new episode, one at a time; far behind, of the newest. */
  private announce(subscription: RunSubscription): void {
    const { folder, loading } = subscription
    if (loading || folder.newest <= subscription.replay) return
    const behind = folder.newest - subscription.replay
    const streams = [...this.streams.values()].filter((stream) => stream.subscription === subscription.number)
    if (streams.length > 0 && behind <= REPLAYS_BEHIND) return // when it is through
    const later = [...folder.replays.values()].filter(({ number }) => number > subscription.replay)
    later.sort((a, b) => a.number - b.number)
    const chosen = behind > REPLAYS_BEHIND ? later.at(-1) : later[0]
    const before = subscription.replay
    subscription.replay = chosen?.number ?? folder.newest
    if (chosen === undefined) return
    for (const stream of streams) {
      this.forget(stream.number)
      this.answer({ type: 'replay.closed', stream: stream.number, reason: 'newer' })
    }
    subscription.loading = true
    void this.tell(subscription, chosen.file.id, chosen.number - before - 1).finally(() => {
      subscription.loading = false
      this.pump()
    })
  }

  private async tell(subscription: RunSubscription, id: string, skipped: number): Promise<void> {
    const { number } = subscription
    try {
      const row = await this.room.files.info(await this.room.files.find(id))
      if ('reason' in row) throw row.error
      const shelved = subscription.replays === 'stream' ? await this.room.shelf.open(id) : undefined
      if (this.subscriptions.get(number) !== subscription) return
      if (shelved === undefined) {
        return this.answer({ type: 'run.replay', subscription: number, replay: row.info, skipped })
      }
      this.room.shelf.hold(shelved)
      const stream = this.nextOwn
      this.nextOwn = stream === 0xffffffff ? FIRST_SERVER_STREAM : stream + 1
      const opened: Stream = { number: stream, subscription: number, sent: new Uint8Array(0), left: 0, at: 0, step: 0 }
      this.streams.set(stream, opened)
      this.answer({ type: 'run.replay', subscription: number, replay: row.info, stream, skipped })
      this.begin(opened, shelved)
    } catch (error) {
      if (this.subscriptions.get(number) !== subscription) return
      this.refuse(readable(error, shown(id)), { subscription: number })
    }
  }
}

const OPENING: Subscription = { kind: 'opening' }

type Complaint = 'bad-usage' | 'bad-message' | 'bad-version'

function complaint(code: Complaint, where: string, got: string, expected: string): TroupeError {
  return new TroupeError(code, { where, got, expected })
}

function tooMuch(where: string, got: string, expected: string): Refusal {
  return new Refusal(503, 'busy', where, got, expected)
}

/** File errors of the system become sentences; everything else stays what it is. */
function readable(error: unknown, where: string): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code
  if (error instanceof TroupeError || typeof code !== 'string') return error
  return new TroupeError('bad-file', {
    where,
    got: 'unreadable',
    expected: `a file that can be read: ${fileProblem(error)}`,
  })
}

/** @throws TroupeError bad-message */
function readData(data: RawData, isBinary: boolean): ClientMessage {
  if (isBinary) {
    throw new TroupeError('bad-message', {
      where: 'message',
      got: 'binary',
      expected: 'text, one JSON object with a type',
    })
  }
  const bytes = data as Buffer
  if (bytes.length > WIRE_LIMITS.clientMessageBytes) {
    throw new TroupeError('bad-message', {
      where: 'message: length',
      got: `${bytes.length} bytes`,
      expected: `${WIRE_LIMITS.clientMessageBytes} or less`,
    })
  }
  return readClientMessage(bytes.toString('utf8'))
}

/** The stream or subscription a malformed message was about, so that its sender can tell. */
function numbersIn(text: string): { stream?: number; subscription?: number } {
  try {
    const { stream, subscription } = JSON.parse(text) as Record<string, unknown>
    const fits = (value: unknown, most: number): value is number =>
      Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most
    return {
      ...(fits(stream, 0xffffffff) ? { stream } : {}),
      ...(fits(subscription, FIRST_SERVER_STREAM - 1) ? { subscription } : {}),
    }
  } catch {
    return {}
  }
}

/** A detail that fits into one message: the record and old evaluations are left out where they do not. */
function fitting(detail: RunDetail): RunDetail {
  const size = (value: unknown) => JSON.stringify(value).length
  const room = WIRE_LIMITS.serverMessageBytes / 4
  let fitted = detail
  if (fitted.record !== null && size(fitted.record) > room) {
    const note = 'record.json: too long for a message; GET /api/runs/<id> has it'
    fitted = { ...fitted, record: null, problems: [...fitted.problems, note] }
  }
  if (size(fitted.evaluations) > room) {
    const note = `log.jsonl: only the last 1000 of ${detail.evaluations.length} evaluations; GET /api/runs/<id> has all`
    fitted = { ...fitted, evaluations: fitted.evaluations.slice(-1000), problems: [...fitted.problems, note] }
  }
  return fitted
}
