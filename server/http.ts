/** The HTTP side of the server: the built page, and what there is to see, read only. */
import { join } from 'node:path'
import { stat } from 'node:fs/promises'
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from 'express'
import helmet from 'helmet'
import { type Logger } from 'pino'
import { TroupeError, shown } from '../envs/core/errors.ts'
import { PROTOCOL, type ErrorBody, type Health } from './protocol/hello.ts'
import { type ReplayList } from './protocol/replays.ts'
import { type RunDetail, type RunList } from './protocol/runs.ts'
import { type Tournament, type TournamentList } from './protocol/tournaments.ts'
import { knowsHost } from './addresses.ts'
import { type Board } from './board.ts'
import { type BoardsDoor, boardsRouter } from './rest/router.ts'
import { inOrder } from './files.ts'
import { Refusal, fileProblem, refusalOf } from './refusal.ts'
import { type ReplayFiles, tagOf } from './replays.ts'
import { POLICY_FILES } from './run-folder.ts'
import { type Limits } from './limits.ts'
import { Tournaments } from './tournaments.ts'

export interface HttpSettings {
  readonly host: string
  readonly names: readonly string[]
  readonly data: string
  readonly viewerDir: string
  /** Sites that may show /embed in a frame, as CSP sources. */
  readonly embedFrom: readonly string[]
  readonly board: Board
  readonly files: ReplayFiles
  readonly limits: Limits
  readonly log: Logger
  readonly version: string
  readonly boards: BoardsDoor
  /** Proxies in front whose word about the address is taken. */
  readonly proxies: number
  viewers(): number
}

const METHODS = 'GET, HEAD'
/** Addresses of the page; it reads the rest of the address itself. */
const PAGES = [
  '/',
  '/replay/:id',
  '/replays',
  '/runs',
  '/run/:id',
  '/scenarios',
  '/scenario/:id',
  '/scenario/:family/:name',
  '/help',
  '/compare',
  '/boards',
  '/board/:id',
  '/board/:family/:name',
  '/suite/:id',
  '/entry/:id',
  '/tournaments',
  '/tournament/:id',
  '/submit',
  '/embed',
  '/embed/:id',
]
const PAGE_LIMIT = 500

export function httpApp(settings: HttpSettings): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  app.set('strict routing', false)
  app.set('trust proxy', settings.proxies)
  app.use(logged(settings.log), addressed(settings), policy(settings.embedFrom))
  app.use('/api', boardsRouter(settings.boards, sendPart))
  app.use(readOnly(settings.limits))
  app.use('/api', api(settings))
  app.use(...pages(settings))
  app.use(async (request, response) => {
    // A person gets the page, which says that it does not know the address.
    const person = request.headers.accept?.includes('text/html') === true
    if (
      person &&
      !/^\/(api|assets)(\/|$)/.test(request.path) &&
      (await exists(join(settings.viewerDir, 'index.html')))
    ) {
      response.status(404).set('Cache-Control', 'no-cache')
      return sendFile(response, settings.viewerDir, 'index.html')
    }
    throw new Refusal(404, 'not-found', 'address', shown(request.path), '/, /replay/<id>, /run/<id> or /api/…')
  })
  app.use(failed(settings.log))
  return app
}

// --- what every request passes

function logged(log: Logger): RequestHandler {
  return (request, response, next) => {
    const start = performance.now()
    response.on('finish', () => {
      const ms = Math.round(performance.now() - start)
      log.debug({ method: request.method, path: request.path, status: response.statusCode, ms }, 'request')
    })
    next()
  }
}

function addressed({ host, names }: HttpSettings): RequestHandler {
  return (request, _response, next) => {
    if (knowsHost(host, names, request.headers.host)) return next()
    throw new Refusal(403, 'forbidden', 'Host', 'not a name of this server', 'localhost or the address it listens on')
  }
}

/** Only reading is served; a body has no use and is refused before it is read. */
function readOnly({ bodyBytes }: Limits): RequestHandler {
  return (request, response, next) => {
    const length = Number(request.headers['content-length'] ?? 0)
    if (request.headers['transfer-encoding'] !== undefined || !(length <= bodyBytes)) {
      response.set('Connection', 'close')
      throw new Refusal(
        413,
        'too-large',
        'request body',
        'too long',
        `${bodyBytes} bytes or less, with its length said`,
      )
    }
    if (request.method === 'OPTIONS') return void response.set('Allow', METHODS).status(204).end()
    if (request.method === 'GET' || request.method === 'HEAD') return next()
    response.set('Allow', METHODS)
    throw new Refusal(405, 'method', 'method', request.method.slice(0, 20), METHODS.replace(', ', ' or '))
  }
}

/**
 * Scripts of this server only, WebAssembly allowed, no code from text, no blob workers. Styles may be inline: drawn
 * charts set them. /embed may be framed, the rest only by this server's own pages.
 */
function policy(embedFrom: readonly string[]): RequestHandler {
  const withFrames = (frames: readonly string[], crossOrigin: boolean) =>
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'self'"],
          scriptSrc: ["'self'", "'wasm-unsafe-eval'"],
          scriptSrcAttr: ["'none'"],
          workerSrc: ["'self'"],
          styleSrc: ["'self'", "'unsafe-inline'"],
          imgSrc: ["'self'", 'data:', 'blob:'],
          mediaSrc: ["'self'", 'blob:'],
          fontSrc: ["'self'"],
          connectSrc: ["'self'"],
          objectSrc: ["'none'"],
          baseUri: ["'none'"],
          formAction: ["'self'"],
          frameAncestors: [...frames],
          upgradeInsecureRequests: null,
        },
      },
      strictTransportSecurity: false,
      xFrameOptions: crossOrigin ? false : { action: 'sameorigin' },
      crossOriginResourcePolicy: { policy: crossOrigin ? 'cross-origin' : 'same-origin' },
    })
  const own = withFrames(["'self'"], false)
  const embedded = withFrames(embedFrom, true)
  return (request, response, next) => {
    const embed = request.path === '/embed' || request.path.startsWith('/embed/')
    return (embed ? embedded : own)(request, response, next)
  }
}

// --- /api

function api(settings: HttpSettings): RequestHandler {
  const { board, files } = settings
  const router = express.Router()
  const started = performance.now()
  router.use((_request, response, next) => {
    response.set('Cache-Control', 'no-cache')
    next()
  })
  router.get('/health', async (_request, response) => {
    response.json({
      ok: true,
      package: settings.version,
      protocol: PROTOCOL,
      uptimeSeconds: Math.round((performance.now() - started) / 100) / 10,
      viewers: settings.viewers(),
      viewer: await exists(join(settings.viewerDir, 'index.html')),
      data: await exists(settings.data),
    } satisfies Health)
  })
  router.get('/runs', async (_request, response) => {
    response.json((await board.list()) satisfies RunList)
  })
  router.get('/runs/:id', async (request, response) => {
    response.json((await board.detail(request.params.id)) satisfies RunDetail)
  })
  router.get('/runs/:id/policy/:file', async (request, response) => {
    const { id, file } = request.params
    if (!POLICY_FILES.includes(file)) {
      throw new Refusal(404, 'not-found', 'policy file', shown(file), POLICY_FILES.join(' or '))
    }
    const folder = await (await board.find(id)).policyFolder()
    if (folder === undefined) {
      throw new Refusal(404, 'not-found', `run ${shown(id)}`, 'no checkpoint', 'a run that has kept one')
    }
    await sendFile(response, folder, file)
  })
  router.get('/replays', async (request, response) => {
    const { offset, limit, run } = listQuery(request.query)
    const listing = await files.list(run)
    const page = listing.files.slice(offset, offset + limit)
    const rows = await inOrder(page, (file) => files.info(file))
    const list: ReplayList = { replays: [], total: listing.files.length, offset, limit, skipped: [] }
    rows.forEach((row, i) => {
      if ('info' in row) list.replays.push(row.info)
      else list.skipped.push({ id: page[i].id, reason: row.reason })
    })
    if (offset === 0) list.skipped.push(...listing.skipped.slice(0, PAGE_LIMIT))
    response.json(list)
  })
  router.get('/replays/:id', async (request, response) => {
    const file = await files.find(request.params.id)
    const name = file.id.replaceAll(/[^A-Za-z0-9._-]/g, '_')
    response.set('ETag', tagOf(file))
    response.set('Content-Type', 'application/octet-stream')
    response.set('Content-Disposition', `attachment; filename="${name}.replay"`)
    if (file.from === undefined) await sendFile(response, file.folder, file.file)
    else await sendPart(response, file.folder, file.file, { from: file.from, bytes: file.bytes })
  })
  const tournaments = new Tournaments(settings.data, settings.limits)
  router.get('/tournaments', async (_request, response) => {
    response.json((await tournaments.list()) satisfies TournamentList)
  })
  router.get('/tournaments/:id', async (request, response) => {
    response.json((await tournaments.find(request.params.id)) satisfies Tournament)
  })
  router.use((request) => {
    const expected =
      'GET /api/health, /api/runs, /api/runs/<id>, /api/runs/<id>/policy/<file>, /api/replays, /api/replays/<id>, /api/tournaments, /api/tournaments/<id> or one of /api/openapi.json'
    throw new Refusal(404, 'not-found', 'address', shown(request.originalUrl.split('?')[0]), expected)
  })
  return router
}

/** @throws TroupeError bad-option naming the field */
function listQuery(query: Record<string, unknown>): { offset: number; limit: number; run: string | undefined } {
  for (const name of Object.keys(query)) {
    if (name === 'offset' || name === 'limit' || name === 'run') continue
    throw new TroupeError('bad-option', {
      where: `query: ${shown(name)}`,
      got: 'not known here',
      expected: 'offset, limit or run',
    })
  }
  const whole = (name: string, least: number, most: number, usual: number) => {
    const value = query[name]
    if (value === undefined) return usual
    const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : NaN
    if (count >= least && count <= most) return count
    const expected = `a whole number of ${least} to ${most}`
    throw new TroupeError('bad-option', { where: `query: ${name}`, got: shown(value), expected })
  }
  const { run } = query
  if (run !== undefined && typeof run !== 'string') {
    throw new TroupeError('bad-option', { where: 'query: run', got: shown(run), expected: 'one id of a run' })
  }
  return { offset: whole('offset', 0, 1_000_000, 0), limit: whole('limit', 1, PAGE_LIMIT, 100), run }
}

// --- the page

function pages({ viewerDir }: HttpSettings): [RequestHandler, RequestHandler] {
  const router = express.Router()
  for (const path of PAGES) {
    router.get(path, async (_request, response) => {
      if (!(await exists(join(viewerDir, 'index.html')))) {
        throw new TroupeError('environment', {
          where: 'viewer',
          got: 'not built',
          expected: 'the built page beside the server (npm run build)',
        })
      }
      response.set('Cache-Control', 'no-cache')
      await sendFile(response, viewerDir, 'index.html', true)
    })
  }
  const files = express.static(viewerDir, {
    index: false,
    redirect: false,
    dotfiles: 'ignore',
    setHeaders(response, path) {
      // Names below assets/ carry a hash of their content.
      const hashed = path.slice(viewerDir.length).split(/[/\\]/)[1] === 'assets'
      response.setHeader('Cache-Control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  return [router, files]
}

/** Sends a file by its name in a folder, ranges and conditions included. */
function sendFile(
  response: Response,
  root: string,
  name: string,
  etag = false,
  part?: { readonly from: number; readonly bytes: number },
): Promise<void> {
  // Understood by `send`, which express hands its options to.
  const some = part === undefined ? {} : { start: part.from, end: part.from + part.bytes - 1 }
  return new Promise((resolve, reject) => {
    response.sendFile(name, { root, etag, cacheControl: false, dotfiles: 'deny', ...some }, (error?: Error) => {
      if (error === undefined || error === null) resolve()
      else if (response.headersSent)
        resolve(void response.destroy()) // the reader went away, or the file did
      else reject(error)
    })
  })
}

/** Sends a part of a file: one replay of a bundle. */
function sendPart(
  response: Response,
  root: string,
  name: string,
  part: { readonly from: number; readonly bytes: number },
): Promise<void> {
  return sendFile(response, root, name, false, part)
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** Turns anything thrown into JSON that says nothing about the inside. */
function failed(log: Logger): ErrorRequestHandler {
  return (error, _request, response, next) => {
    if (response.headersSent) return next(error)
    const { status, fields } = refusalOf(asSentence(error))
    if (status === 500) log.error({ error }, 'a request failed')
    for (const name of ['ETag', 'Content-Disposition', 'Content-Type', 'Last-Modified']) response.removeHeader(name)
    const range = (error as { headers?: Record<string, string> }).headers?.['Content-Range']
    if (range !== undefined) response.set('Content-Range', range)
    response.set('Cache-Control', 'no-store')
    response.status(status).json({ error: fields } satisfies ErrorBody)
  }
}

function asSentence(error: unknown): unknown {
  const { code, status } = (error ?? {}) as { code?: unknown; status?: unknown }
  if (error instanceof TroupeError || error instanceof Refusal || typeof status === 'number') return error
  if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return error
  return new Refusal(503, 'environment', 'file', `unreadable: ${fileProblem(error)}`, 'a file that can be read')
}
