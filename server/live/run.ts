/**
 * One live run: asks its client turn by turn, keeps the time, and plays for it where no legal answer comes. Once it has
 * begun it always ends with all its episodes, whatever the client does.
 */
import { type RawData, type WebSocket } from 'ws'
import { TroupeError } from '../../envs/core/errors.ts'
import { decodeActions, readLiveClientMessage, type LiveServerMessage } from '../protocol/live.ts'
import { refusalOf } from '../refusal.ts'
import { type LiveGame } from './game.ts'

export interface Pace {
  /** From a question leaving to its answer arriving. */
  readonly stepMs: number
  /** A lost connection is waited for this long, each time and in all. */
  readonly graceMs: number
  readonly graceTotalMs: number
  /** Turns without an answer, one after the other, after which nobody is waited for any more. */
  readonly lateInRow: number
  /** Malformed messages and illegal actions before the connection is closed. */
  readonly badMessages: number
  /** A client that leaves this much unread is cut off. */
  readonly unreadBytes: number
}

/** Upper ends of the latency buckets in ms; the last one is open. */
export const LATENCY_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] as const

/** How the answers came. */
export interface LiveTimes {
  readonly turns: number
  readonly lateTurns: number
  /** [11] answers by time: up to 1 ms, 2 ms, … 1 s, more. */
  readonly latency: readonly number[]
  readonly lostConnections: number
  /** What ended the run: its last episode, the client's word, silence, or a lost connection. */
  readonly end: 'played' | 'left' | 'silent' | 'lost'
}

export interface RunEvents {
  /** All episodes have ended. */
  done(times: LiveTimes): void
  /** Something went wrong inside; the run cannot go on. */
  failed(error: unknown): void
}

/** Play without a client is cut into slices this long, so that other runs keep their time. */
const SLICE_MS = 5

export class LiveRun {
  private readonly game: LiveGame
  private readonly pace: Pace
  private readonly events: RunEvents
  private socket: WebSocket | null = null
  private frame: Uint8Array
  private turn = 0
  private askedAt = 0
  private deadline: NodeJS.Timeout | undefined
  private grace: NodeJS.Timeout | undefined
  private graceLeft: number
  private lostAt = 0
  private lateTurns = 0
  private inRow = 0
  private bad = 0
  /** Answers to questions that the server had answered itself are no fault. */
  private forgiven = 0
  private lost = 0
  private end: LiveTimes['end'] = 'played'
  private readonly latency = new Array<number>(LATENCY_MS.length + 1).fill(0)
  private closed = false
  private alone = false

  constructor(game: LiveGame, pace: Pace, events: RunEvents) {
    this.game = game
    this.pace = pace
    this.events = events
    this.graceLeft = pace.graceTotalMs
    this.frame = game.frame(0, false)
  }

  get connected(): boolean {
    return this.socket !== null
  }

  get turns(): number {
    return this.turn
  }

  get late(): number {
    return this.lateTurns
  }

  /** Whether a client may still take part. */
  get open(): boolean {
    return !this.closed && !this.alone
  }

  /** Lets a client in, the first time or again: it is told what it has to know, and asked the waiting question. */
  join(socket: WebSocket, welcome: LiveServerMessage): void {
    const before = this.socket
    this.socket = socket
    this.bad = 0
    if (before !== null) before.close(4409, 'taken over by another connection')
    else if (this.grace !== undefined) this.stopGrace()
    socket.on('message', (data, isBinary) => {
      if (this.socket === socket) this.guarded(() => this.receive(data, isBinary))
    })
    socket.on('close', () => {
      if (this.socket === socket) this.leave()
    })
    socket.send(JSON.stringify(welcome))
    this.ask()
  }

  /** Ends at once without a result. @param why for the client */
  stop(why: string): void {
    this.closed = true
    clearTimeout(this.deadline)
    clearTimeout(this.grace)
    this.socket?.close(1001, why)
    this.socket = null
  }

  /** Says something last and closes. */
  bid(message: LiveServerMessage): void {
    const { socket } = this
    this.socket = null
    if (socket === null) return
    socket.send(JSON.stringify(message), () => undefined)
    socket.close(1000, 'done')
  }

  private guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.stop('an error inside the server')
      this.events.failed(error)
    }
  }

  // --- asking

  private ask(): void {
    const { socket } = this
    if (socket === null || this.closed) return
    if (socket.bufferedAmount > this.pace.unreadBytes) return socket.terminate()
    socket.send(this.frame)
    this.askedAt = performance.now()
    clearTimeout(this.deadline)
    this.deadline = setTimeout(() => this.timeUp(this.turn), this.pace.stepMs)
  }

  /** The time is up; answers that have reached this machine are read before anything is decided. */
  private timeUp(turn: number): void {
    setImmediate(() => {
      if (this.closed || this.alone || this.socket === null || turn !== this.turn) return
      if (++this.inRow >= this.pace.lateInRow) return this.finishAlone('silent')
      this.lateTurns++
      this.forgiven++
      this.guarded(() => {
        this.game.play(null)
        this.goOn(true)
      })
    })
  }

  /** The turn is played: the next question, or the end. */
  private goOn(late: boolean): void {
    this.turn++
    if (this.game.over) return this.finish()
    this.frame = this.game.frame(this.turn, late)
    this.ask()
  }

  // --- answers

  private receive(data: RawData, isBinary: boolean): void {
    if (this.closed || this.alone) return
    try {
      if (isBinary) this.answer(bytesOf(data))
      else this.told(String(data))
    } catch (error) {
      const theirs = error instanceof TroupeError && (error.code === 'bad-message' || error.code === 'bad-action')
      if (!theirs) throw error
      this.refuse(error)
    }
  }

  private answer(bytes: Uint8Array): void {
    const { batch, width } = this.game
    const { turn, lanes, action } = decodeActions(bytes, width, batch.spec.actionKind === 'box')
    if (turn !== this.turn) {
      if (turn < this.turn && this.forgiven > 0) return void this.forgiven--
      throw complaint('turn', String(turn), String(this.turn))
    }
    if (lanes !== this.game.waiting) throw complaint('lanes', String(lanes), String(this.game.waiting))
    const took = performance.now() - this.askedAt
    this.game.play(action) // or refuses; the time goes on then
    this.inRow = 0
    const bucket = LATENCY_MS.findIndex((end) => took <= end)
    this.latency[bucket < 0 ? LATENCY_MS.length : bucket]++
    this.goOn(false)
  }

  private told(text: string): void {
    const message = readLiveClientMessage(text)
    if (message.type === 'live.leave') return this.finishAlone('left')
    throw new TroupeError('bad-message', {
      where: 'message',
      got: message.type,
      expected: 'action frames or live.leave: the run has begun',
    })
  }

  private refuse(error: unknown): void {
    const { socket } = this
    if (socket === null) return
    const final = ++this.bad >= this.pace.badMessages
    const message: LiveServerMessage = { type: 'error', error: refusalOf(error).fields, final }
    socket.send(JSON.stringify(message), () => undefined)
    if (!final) return
    socket.close(1008, 'too many mistakes')
    this.finishAlone('lost')
  }

  // --- lost connections

  private leave(): void {
    this.socket = null
    clearTimeout(this.deadline)
    if (this.closed || this.alone) return
    this.lost++
    this.lostAt = performance.now()
    const wait = Math.min(this.pace.graceMs, this.graceLeft)
    this.grace = setTimeout(() => this.finishAlone('lost'), wait)
  }

  private stopGrace(): void {
    clearTimeout(this.grace)
    this.grace = undefined
    this.graceLeft = Math.max(0, this.graceLeft - (performance.now() - this.lostAt))
  }

  // --- the end

  /** Nobody is asked any more: the rest is played with default actions, and counts. */
  private finishAlone(end: LiveTimes['end']): void {
    if (this.closed || this.alone) return
    this.alone = true
    this.end = end
    clearTimeout(this.deadline)
    clearTimeout(this.grace)
    const slice = () => {
      if (this.closed) return
      this.guarded(() => {
        const until = performance.now() + SLICE_MS
        while (!this.game.over && performance.now() < until) {
          this.game.play(null)
          this.turn++
          this.lateTurns++
        }
        if (this.game.over) this.finish()
        else setImmediate(slice)
      })
    }
    slice()
  }

  private finish(): void {
    this.closed = true
    clearTimeout(this.deadline)
    clearTimeout(this.grace)
    const { turn: turns, lateTurns, latency, lost: lostConnections, end } = this
    this.events.done({ turns, lateTurns, latency, lostConnections, end })
  }
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data
}

const complaint = (what: string, got: string, expected: string): TroupeError =>
  new TroupeError('bad-message', { where: `action frame: ${what}`, got, expected })
