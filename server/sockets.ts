/** The WebSocket side of the server: who gets in, who is still there, and how all of them are sent home. */
import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http'
import { type Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { SOCKET_PATH } from './protocol/hello.ts'
import { knowsHost, knowsOrigin } from './addresses.ts'
import { Refusal, refusalOf } from './refusal.ts'
import { type LiveDoor } from './live/door.ts'
import { LIVE_PATH } from './protocol/live.ts'
import { Session, type SessionRoom } from './sessions.ts'

export interface SocketSettings extends SessionRoom {
  /** The host the server listens on, and further names it answers to. */
  readonly host: string
  readonly names: readonly string[]
  /** Live evaluation, where it is on. */
  readonly live: LiveDoor | undefined
}

/** Connections beyond the limit that are still told why, before the rest is refused at once. */
const GRACE = 64

export class Sockets {
  private readonly settings: SocketSettings
  private readonly server: WebSocketServer
  private readonly sessions = new Map<WebSocket, Session>()
  private readonly perAddress = new Map<string, number>()
  private readonly answered = new WeakSet<WebSocket>()
  private readonly heartbeat: ReturnType<typeof setInterval>
  private closing = false

  constructor(http: Server, settings: SocketSettings) {
    this.settings = settings
    this.server = new WebSocketServer({
      noServer: true,
      maxPayload: settings.limits.socketPayloadBytes,
      perMessageDeflate: false,
      clientTracking: false,
    })
    http.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head))
    this.heartbeat = setInterval(() => this.beat(), settings.limits.heartbeatMs)
    this.heartbeat.unref()
  }

  get count(): number {
    return this.sessions.size
  }

  /** Tells every viewer that the server stops (1001), and cuts whoever is left after `ms`. */
  async close(ms: number): Promise<void> {
    this.closing = true
    clearInterval(this.heartbeat)
    const left = [...this.sessions.keys()].map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    )
    for (const [socket] of this.sessions) socket.close(1001, 'the server stops')
    const cut = setTimeout(() => {
      for (const socket of this.sessions.keys()) socket.terminate()
    }, ms)
    await Promise.all(left)
    clearTimeout(cut)
    this.server.close()
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    const { host, names, limits, live } = this.settings
    const path = (request.url ?? '').split('?')[0]
    const { headers } = request
    if (this.closing) return refuse(socket, new Refusal(503, 'busy', 'server', 'stopping', 'a running server'))
    if (path !== SOCKET_PATH && (path !== LIVE_PATH || live === undefined)) {
      return refuse(socket, new Refusal(404, 'not-found', 'socket path', 'unknown', SOCKET_PATH))
    }
    if (!knowsHost(host, names, headers.host)) {
      return refuse(socket, new Refusal(403, 'forbidden', 'Host', 'not a name of this server', 'localhost'))
    }
    if (!knowsOrigin(host, headers.host, headers.origin)) {
      return refuse(socket, new Refusal(403, 'forbidden', 'Origin', "another site's page", 'a page of this server'))
    }
    if (path === LIVE_PATH) {
      if (live!.room) return live!.upgrade(request, socket, head)
      return refuse(socket, new Refusal(503, 'busy', 'live runs', 'too many', 'a quieter time'))
    }
    if (this.sessions.size >= limits.viewers + GRACE) {
      return refuse(socket, new Refusal(503, 'busy', 'viewers', 'too many', `${limits.viewers} or fewer`))
    }
    this.server.handleUpgrade(request, socket, head, (ws) => this.welcome(ws, request.socket.remoteAddress ?? ''))
  }

  private welcome(socket: WebSocket, address: string): void {
    const { limits } = this.settings
    const session = new Session(socket, this.settings)
    this.sessions.set(socket, session)
    const here = (this.perAddress.get(address) ?? 0) + 1
    this.perAddress.set(address, here)
    this.answered.add(socket)
    socket.on('pong', () => this.answered.add(socket))
    socket.on('close', () => {
      this.sessions.delete(socket)
      const left = (this.perAddress.get(address) ?? 1) - 1
      if (left === 0) this.perAddress.delete(address)
      else this.perAddress.set(address, left)
    })
    if (this.closing) socket.close(1001, 'the server stops')
    else if (this.sessions.size > limits.viewers) {
      session.dismiss(1013, new Refusal(503, 'busy', 'viewers', 'too many', `${limits.viewers} or fewer`))
    } else if (here > limits.viewersPerAddress) {
      const expected = `${limits.viewersPerAddress} or fewer from one address`
      session.dismiss(1013, new Refusal(503, 'busy', 'connections', `${here}`, expected))
    }
  }

  private beat(): void {
    for (const socket of this.sessions.keys()) {
      if (!this.answered.delete(socket)) socket.terminate()
      else socket.ping()
    }
  }
}

/** An HTTP answer to an upgrade that is not granted. */
function refuse(socket: Duplex, refusal: Refusal): void {
  const { status, fields } = refusalOf(refusal)
  const body = JSON.stringify({ error: fields })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
