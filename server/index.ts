/** The server: serves the page, lists runs and replays, streams them, and follows training as it happens. */
import { createServer, type Server } from 'node:http'
import { createServer as createProbe } from 'node:net'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AddressInfo, type Socket } from 'node:net'
import { pino, type Logger } from 'pino'
import { TroupeError } from '../envs/core/errors.ts'
import { Board } from './board.ts'
import { Boards, type BoardsSettings } from './boards.ts'
import { httpApp } from './http.ts'
import { LIMITS, type Limits } from './limits.ts'
import { ReplayFiles } from './replays.ts'
import { Shelf } from './shelf.ts'
import { Sockets } from './sockets.ts'
import { BoardLedger } from './live/board-ledger.ts'
import { LiveDoor } from './live/door.ts'
import { LIVE_SETTINGS, Live, type LiveSettings } from './live/index.ts'

export { LIMITS, type Limits } from './limits.ts'
export { Boards, type BoardsSettings } from './boards.ts'

export const DEFAULT_PORT = 7340
/** Free ports are looked for this far above one that is in use. */
const NEARBY = 20
/** Bytes of a request before its body: address and headers. */
const MAX_HEAD = 16_384
/** From the first byte to the last: of the head, of a whole request, of one that uploads. */
const HEAD_MS = 10_000
const REQUEST_MS = 30_000
const UPLOAD_MS = 120_000

export interface ServerSettings {
  /** Default '127.0.0.1': this machine only. */
  readonly host?: string
  /** Default 7340; 0 takes any free port. */
  readonly port?: number
  /** Data folder; default ./troupe-data. It may appear later. */
  readonly data?: string
  /** The built page; default dist/viewer of this package. */
  readonly viewerDir?: string
  /** Default: warnings and errors to stderr. */
  readonly log?: Logger
  /** Further host names to answer to while listening on loopback (a proxy's name). */
  readonly names?: readonly string[]
  /** Sites that may show /embed in a frame, as CSP sources; default any. */
  readonly embedFrom?: readonly string[]
  /** Other limits than the usual ones. */
  readonly limits?: Partial<Limits>
  /** The leaderboard of the data folder; default off. `true` takes the usual settings. */
  readonly boards?: boolean | Omit<BoardsSettings, 'data' | 'log' | 'version'>
  /** Other numbers of live evaluation than the usual ones; it is on where boards are. */
  readonly live?: Partial<LiveSettings>
  /** Proxies in front whose word about a visitor's address is taken; default 0. */
  readonly proxies?: number
}

export interface RunningServer {
  /** With the port it got, without a slash at the end. */
  readonly url: string
  readonly port: number
  /** The leaderboard, or why there is none. */
  readonly boards: { readonly on: true; readonly open: Boards } | { readonly on: false; readonly problem: string }
  /** Stops accepting, sends viewers home (1001), and ends within two seconds. Calling it again is fine. */
  close(): Promise<void>
}

/**
 * Starts the server.
 * @throws TroupeError environment when the port or the host cannot be had, with the nearest free port
 */
export async function startServer(settings: ServerSettings = {}): Promise<RunningServer> {
  const { host = '127.0.0.1', port = DEFAULT_PORT, names = [], embedFrom = ['*'] } = settings
  const log = settings.log ?? pino({ level: 'warn' }, pino.destination(2))
  const limits: Limits = { ...LIMITS, ...settings.limits }
  const data = resolve(settings.data ?? 'troupe-data')
  const viewerDir = resolve(settings.viewerDir ?? join(root, 'dist/viewer'))
  const version = packageVersion()

  const files = new ReplayFiles(data, shippedFolders(settings.viewerDir), limits)
  const board = new Board(data, files, limits, log)
  const shelf = new Shelf(files, limits)
  const boards = await openBoards(settings, data, log, version)
  if (boards.on) files.boards = (entry, name) => boards.open.replay(entry, name)
  // An upload may take longer than a question.
  const requestTimeout = boards.on ? UPLOAD_MS : REQUEST_MS
  const server = createServer({ maxHeaderSize: MAX_HEAD, requestTimeout, headersTimeout: HEAD_MS })
  const common = { host, names, board, files, limits, log, version }
  const live = boards.on ? await openLive(boards.open, settings.live, log, version) : undefined
  const sockets = new Sockets(server, { ...common, shelf, live })
  const door = boards.on
    ? { boards: boards.open, problem: '', version }
    : { boards: undefined, problem: boards.problem, version }
  server.on(
    'request',
    httpApp({
      ...common,
      ...{ data, viewerDir, embedFrom, boards: door, proxies: settings.proxies ?? 0 },
      viewers: () => sockets.count,
    }),
  )
  server.on('clientError', (error, socket) => malformed(error, socket as Socket))
  server.maxConnections = 2 * limits.viewers

  try {
    await listen(server, host, port)
  } catch (error) {
    board.close()
    await sockets.close(0)
    await live?.close(0)
    if (boards.on) await boards.open.close()
    throw await refusedToListen(error, host, port)
  }
  const address = server.address() as AddressInfo
  const url = `http://${urlHost(host)}:${address.port}`
  log.info({ port: address.port }, 'listening')

  let closing: Promise<void> | undefined
  const close = async () => {
    const stopped = new Promise<void>((done) => server.close(() => done()))
    server.closeIdleConnections()
    board.close()
    const cut = setTimeout(() => server.closeAllConnections(), limits.closeMs)
    await Promise.all([sockets.close(limits.closeMs), live?.close(limits.closeMs)])
    await stopped
    clearTimeout(cut)
    if (boards.on) await boards.open.close()
  }
  return { url, port: address.port, boards, close: () => (closing ??= close()) }
}

/** Boards that cannot be opened are no reason not to show replays. */
async function openBoards(
  { boards: wanted = false }: ServerSettings,
  data: string,
  log: Logger,
  version: string,
): Promise<RunningServer['boards']> {
  if (wanted === false) return { on: false, problem: 'this server was started without them; `troupe serve` has them' }
  try {
    return { on: true, open: await Boards.open({ ...(wanted === true ? {} : wanted), data, log, version }) }
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    log.warn({ problem: error.message }, 'boards are off')
    return { on: false, problem: error.message }
  }
}

/** The door of live evaluation. Runs that an earlier start left are broken off first. */
async function openLive(
  boards: Boards,
  changed: Partial<LiveSettings> | undefined,
  log: Logger,
  version: string,
): Promise<LiveDoor> {
  const settings = { ...LIVE_SETTINGS, ...changed }
  const ledger = new BoardLedger(boards, settings.episodes)
  await ledger.start(log)
  boards.live = new Live({ ledger, settings, log, version })
  return new LiveDoor(boards.live, settings.runs + 64)
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail)
    server.listen({ host, port }, () => {
      server.removeListener('error', fail)
      done()
    })
  })
}

async function refusedToListen(error: unknown, host: string, port: number): Promise<unknown> {
  const code = (error as NodeJS.ErrnoException).code
  const refuse = (where: string, got: string, expected: string, nearest?: string) =>
    new TroupeError('environment', { where, got, expected, ...(nearest === undefined ? {} : { nearest }) })
  if (code === 'EADDRINUSE') {
    const free = await freePort(host, port)
    const nearest = free === undefined ? undefined : `port ${free}`
    return refuse(`server: port ${port}`, 'in use by another program', 'a free port', nearest)
  }
  if (code === 'EACCES') return refuse(`server: port ${port}`, 'reserved by the system', 'a port of 1024 to 65535')
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return refuse('server: host', `"${host}"`, 'an address of this machine, such as 127.0.0.1 or 0.0.0.0')
  }
  if (code === 'ERR_SOCKET_BAD_PORT') return refuse('server: port', String(port), '0 to 65535')
  return error
}

/** The nearest free port above, or undefined when there is none nearby. */
async function freePort(host: string, port: number): Promise<number | undefined> {
  for (let candidate = port + 1; candidate <= Math.min(65_535, port + NEARBY); candidate++) {
    const free = await new Promise<boolean>((done) => {
      const probe = createProbe()
      probe.once('error', () => done(false))
      probe.listen({ host, port: candidate }, () => probe.close(() => done(true)))
    })
    if (free) return candidate
  }
  return undefined
}

/** Bytes that are no HTTP, or too many before the body: one plain answer, no details. */
function malformed(error: Error, socket: Socket): void {
  if (!socket.writable) return void socket.destroy()
  const { code, rawPacket } = error as NodeJS.ErrnoException & { rawPacket?: Buffer }
  const tooLong = code === 'HPE_HEADER_OVERFLOW'
  const inAddress = tooLong && rawPacket !== undefined && !rawPacket.subarray(0, MAX_HEAD).includes('\r\n')
  const status = !tooLong ? '400 Bad Request' : inAddress ? '414 URI Too Long' : '431 Request Header Fields Too Large'
  const message = tooLong
    ? `the request's ${inAddress ? 'address is' : 'headers are'} too long; expected at most ${MAX_HEAD} bytes`
    : 'the request is malformed; expected HTTP/1.1'
  const body = JSON.stringify({ error: { code: tooLong ? 'too-large' : 'bad-message', message } })
  const type = 'Content-Type: application/json; charset=utf-8'
  socket.end(`HTTP/1.1 ${status}\r\n${type}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`)
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

// --- where this package keeps its parts; sources and built files lie at different depths

const here = dirname(fileURLToPath(import.meta.url))
const root = existsSync(join(here, '../package.json')) ? join(here, '..') : join(here, '../..')

/** Replays that come with the page: in the built page, or where they are kept in the sources. */
function shippedFolders(viewerDir: string | undefined): string[] {
  if (viewerDir !== undefined) return [join(resolve(viewerDir), 'replays')]
  return [join(root, 'dist/viewer/replays'), join(root, 'viewer/public/replays')]
}

function packageVersion(): string {
  return String((JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: unknown }).version)
}
