/** Serves the table of routes: limits, keys, checks, answers. What it does not know goes on to the rest of the server. */
import { createHash } from 'node:crypto'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { ipKeyGenerator, rateLimit } from 'express-rate-limit'
import { BOARD_LIMITS, type BoardLimits } from '../board-limits.ts'
import { type Boards } from '../boards.ts'
import { keyOf, needScope } from '../keys.ts'
import { type BoardsState } from '../protocol/rest.ts'
import { Refusal } from '../refusal.ts'
import { storeProblem } from '../store/sqlite.ts'
import { Turns } from '../turns.ts'
import { checkBody, checkQuery } from './checks.ts'
import { openApi } from './openapi.ts'
import { type Asked, type Route, type Said } from './route.ts'
import { boardRoutes } from './routes.ts'

export interface BoardsDoor {
  /** undefined while they are off. */
  readonly boards: Boards | undefined
  /** Why they are off. */
  readonly problem: string
  readonly version: string
}

/** Sends a file as the rest of the server does: ranges, conditions. */
export type SendFile = (
  response: Response,
  folder: string,
  file: string,
  part: { from: number; bytes: number },
) => Promise<void>

export function boardsRouter(door: BoardsDoor, sendFile: SendFile): RequestHandler {
  const router = express.Router()
  const limits = door.boards?.limits ?? BOARD_LIMITS
  let document: unknown
  const turns = new Turns()
  const routes: Route[] = boardRoutes(() => (document ??= openApi(routes, door.version)))
  const all = limiter(limits.requestsPerMinute)
  const writes = limiter(limits.writesPerMinute)

  router.get('/boards', all, async (_request, response) => {
    response.json(await stateOf(door))
  })
  const paths = new Map<string, Route[]>()
  for (const route of routes) paths.set(route.path, [...(paths.get(route.path) ?? []), route])
  for (const [path, some] of paths) {
    const address = path.replaceAll(/\{(\w+)\}/g, ':$1')
    const allowed = [
      ...some.map(({ method }) => method.toUpperCase()),
      ...(some.some((r) => r.method === 'get') ? ['HEAD'] : []),
    ]
    for (const route of some) {
      const chain: RequestHandler[] = [all]
      if (route.method !== 'get') chain.push(writes)
      router[route.method](address, ...chain, served(route, door, sendFile, limits, turns))
    }
    router.all(address, (request, response) => {
      response.set('Allow', allowed.join(', '))
      if (request.method === 'OPTIONS') return void response.status(204).end()
      throw new Refusal(405, 'method', 'method', request.method.slice(0, 20), allowed.join(' or '))
    })
  }
  return router
}

/** Requests of one address in a minute. What the server itself failed at does not count. */
function limiter(perMinute: number): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (request) => ipKeyGenerator(request.ip ?? ''),
    skipFailedRequests: true,
    requestWasSuccessful: (_request, response) => response.statusCode < 500,
    handler: (_request, _response, next) => {
      next(
        new Refusal(
          429,
          'quota',
          'requests',
          `more than ${perMinute} of this address in a minute`,
          'to come back later',
        ),
      )
    },
    validate: { xForwardedForHeader: false },
  })
}

async function stateOf({ boards, problem }: BoardsDoor): Promise<BoardsState> {
  const limits = boards?.limits ?? BOARD_LIMITS
  const { uploadBytes, episodes, stepsPerEpisode, openPerKey, perDay } = limits
  const shown = { uploadBytes, episodes, stepsPerEpisode, openPerKey, perDay }
  if (boards === undefined) return { on: false, problem, log: null, limits: shown }
  const found = boards.problems.length === 0 ? null : boards.problems.slice(0, 5).join('; ').slice(0, 1000)
  return { on: true, problem: found, log: await boards.head(), limits: shown }
}

function served(route: Route, door: BoardsDoor, sendFile: SendFile, limits: BoardLimits, turns: Turns): RequestHandler {
  const json = express.json({ limit: limits.bodyBytes, strict: true, inflate: false, type: 'application/json' })
  return async (request, response, next) => {
    try {
      await turns.next()
      const said = await answer(route, door, request, response, json, limits)
      await send(request, response, said, sendFile)
    } catch (error) {
      next(storeProblem(error))
    }
  }
}

async function answer(
  route: Route,
  { boards, problem }: BoardsDoor,
  request: Request,
  response: Response,
  json: RequestHandler,
  limits: BoardLimits,
): Promise<Said> {
  if (boards === undefined) {
    // A body that nobody reads would keep the connection busy.
    if (request.headers['content-length'] !== undefined) response.set('Connection', 'close')
    if (route.path !== '/openapi.json')
      throw new Refusal(503, 'environment', 'boards', `off (${problem})`, 'a server with a store')
  }
  refuseOddBody(route, request, response, limits)
  const key = boards === undefined ? undefined : await keyOf(boards.store, request.headers.authorization, boards.now())
  if (route.scope !== undefined) {
    try {
      needScope(key, route.scope)
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) response.set('WWW-Authenticate', 'Bearer')
      throw error
    }
  }
  const query = checkQuery(route.query ?? NOTHING, flat(request.query))
  let body: unknown
  if (route.body !== undefined) {
    await new Promise<void>((resolve, reject) => {
      json(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(badJson(error))))
    })
    body = checkBody(route.body, (request as { body?: unknown }).body)
  }
  const asked: Asked = {
    boards: boards!,
    params: request.params as Record<string, string>,
    query,
    body,
    key,
    address: ipKeyGenerator(request.ip ?? ''),
    idempotencyKey: idempotencyKey(request),
    request,
  }
  if (route.upload !== undefined) return uploading(request, limits, () => route.handle(asked))
  return route.handle(asked)
}

const NOTHING = { type: 'object', properties: {}, additionalProperties: false } as unknown as NonNullable<
  Route['query']
>

function flat(query: Request['query']): Record<string, unknown> {
  const plain: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== 'string') {
      throw new Refusal(400, 'bad-option', `query: ${name.slice(0, 40)}`, 'there twice', 'one value')
    }
    plain[name] = value
  }
  return plain
}

/** Bodies say how long they are, come as they are, and are of the kind that the route takes. */
function refuseOddBody({ body, upload }: Route, request: Request, response: Response, limits: BoardLimits): void {
  const { headers } = request
  const takes = body !== undefined || upload !== undefined
  const refuse = (status: number, code: string, where: string, got: string, expected: string) => {
    response.set('Connection', 'close')
    return new Refusal(status, code, where, got, expected)
  }
  const has = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  const most = upload !== undefined ? limits.uploadBytes : limits.bodyBytes
  if (headers['transfer-encoding'] !== undefined || (takes && headers['content-length'] === undefined)) {
    throw refuse(411, 'bad-message', 'request body', 'of unknown length', 'a Content-Length')
  }
  if (!(Number(headers['content-length'] ?? 0) <= (takes ? most : 0))) {
    throw refuse(413, 'too-large', 'request body', 'too long', takes ? `${most} bytes or less` : 'none')
  }
  if (!takes || (!has && body === undefined)) {
    if (upload !== undefined) throw refuse(400, 'bad-message', 'request body', 'empty', upload)
    return
  }
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
    throw refuse(
      415,
      'bad-message',
      'Content-Encoding',
      headers['content-encoding'].slice(0, 40),
      'none: replays are packed already',
    )
  }
  const type = (headers['content-type'] ?? '').split(';')[0].trim().toLowerCase()
  const wanted = upload ?? 'application/json'
  if (type !== wanted) throw refuse(415, 'bad-message', 'Content-Type', JSON.stringify(type.slice(0, 60)), wanted)
}

function badJson(error: unknown): unknown {
  const { type } = (error ?? {}) as { type?: string }
  if (type === 'entity.too.large') return new Refusal(413, 'too-large', 'request body', 'too long', 'a shorter one')
  if (type === 'entity.parse.failed')
    return new Refusal(400, 'bad-message', 'request body', 'not JSON', 'one JSON object')
  return error
}

function idempotencyKey(request: Request): string | null {
  const value = request.headers['idempotency-key']
  if (value === undefined) return null
  if (typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value)) return value
  throw new Refusal(
    400,
    'bad-message',
    'Idempotency-Key',
    'not of 1 to 200 visible characters',
    'a random text of your own',
  )
}

/** An upload that goes quiet is cut off, so that slow ones do not pile up. */
async function uploading(request: Request, { uploadIdleMs }: BoardLimits, work: () => Promise<Said>): Promise<Said> {
  const { socket } = request
  const cut = () => socket.destroy()
  socket.setTimeout(uploadIdleMs, cut) // bytes that come wind the clock up again
  try {
    return await work()
  } finally {
    socket.setTimeout(0)
    socket.off('timeout', cut)
  }
}

async function send(request: Request, response: Response, said: Said, sendFile: SendFile): Promise<void> {
  const { status = 200, json, text, type, fileName, file, headers = {} } = said
  response.set('Cache-Control', 'no-cache')
  response.set(headers)
  if (fileName !== undefined) response.set('Content-Disposition', `attachment; filename="${fileName}"`)
  if (file !== undefined) {
    response.set('Content-Type', type ?? 'application/octet-stream')
    return sendFile(response, file.folder, file.file, { from: file.from ?? 0, bytes: file.bytes ?? 0 })
  }
  const words = text ?? JSON.stringify(json)
  response.set('Content-Type', type ?? 'application/json; charset=utf-8')
  if (request.method === 'GET' || request.method === 'HEAD') {
    const tag = `"${createHash('sha1').update(words).digest('base64url')}"`
    response.set('ETag', tag)
    if (request.headers['if-none-match'] === tag) return void response.status(304).end()
  }
  response.status(status).send(words)
}
