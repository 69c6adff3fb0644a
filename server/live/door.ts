/** The socket `/live`: who gets in, and who is still there. */
import { type IncomingMessage } from 'node:http'
import { type Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { LIVE_PAYLOAD_BYTES, type Live } from './index.ts'

/** Every client answers one ping in this time, or its connection counts as lost. */
const HEARTBEAT_MS = 10_000

export class LiveDoor {
  private readonly live: Live
  private readonly server = new WebSocketServer({
    noServer: true,
    maxPayload: LIVE_PAYLOAD_BYTES,
    perMessageDeflate: false,
    clientTracking: false,
  })
  private readonly sockets = new Map<WebSocket, boolean>()
  private readonly heartbeat: NodeJS.Timeout
  private readonly most: number

  /** @param most connections at a time */
  constructor(live: Live, most: number) {
    this.live = live
    this.most = most
    this.heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS)
    this.heartbeat.unref()
  }

  /** Whether another connection would be let in. */
  get room(): boolean {
    return this.sockets.size < this.most
  }

  /** Takes over a connection whose host, origin and path were found right. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.server.handleUpgrade(request, socket, head, (ws) => {
      this.sockets.set(ws, true)
      ws.on('pong', () => this.sockets.set(ws, true))
      ws.on('close', () => this.sockets.delete(ws))
      this.live.connect(ws, request.socket.remoteAddress ?? '')
    })
  }

  /** Breaks off all runs and cuts whoever is left after `ms`. */
  async close(ms: number): Promise<void> {
    clearInterval(this.heartbeat)
    await this.live.close()
    const left = [...this.sockets.keys()].map((ws) => new Promise<void>((done) => ws.once('close', () => done())))
    for (const ws of this.sockets.keys()) ws.close(1001, 'the server stops')
    const cut = setTimeout(() => {
      for (const ws of this.sockets.keys()) ws.terminate()
    }, ms)
    await Promise.all(left)
    clearTimeout(cut)
    this.server.close()
  }

  private beat(): void {
    for (const [ws, answered] of this.sockets) {
      if (!answered) ws.terminate()
      else {
        this.sockets.set(ws, false)
        ws.ping()
      }
    }
  }
}
