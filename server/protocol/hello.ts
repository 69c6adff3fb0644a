/**
 * The first words of a connection, errors, liveness, and what both ends agree on.
 * Pure: runs in Node and under a strict page policy (checks interpret schemas, nothing is generated or evaluated).
 */
import { Type, type Static, type TSchema } from '#typebox'
import { TroupeError, unknownName, shown } from '../../envs/core/errors.ts'
import { check } from '../../envs/core/schema.ts'

/** Raised when a message changes its meaning. Two ends with different numbers do not talk. */
export const PROTOCOL = 1

/** Path of the WebSocket on the server. */
export const SOCKET_PATH = '/ws'

/** Sizes both ends hold each other to, in bytes unless named otherwise. */
export const WIRE_LIMITS = {
  /** Longest text message a client may send. */
  clientMessageBytes: 16_384,
  /** Longest text message a server sends. */
  serverMessageBytes: 4_194_304,
  /** Longest binary message (one replay chunk) a server sends. */
  chunkBytes: 8_388_608,
  /** Numbers (actions, probabilities, values) of one replay that a reader allocates. */
  replayNumbers: 67_108_864,
} as const

/** Stream and subscription numbers: a client picks below 2^31, the server's own streams count from 2^31. */
export const FIRST_SERVER_STREAM = 0x80000000

const closed = { additionalProperties: false } as const

/** Number of a stream or subscription picked by a client. */
export const ClientNumber = Type.Integer({ minimum: 1, maximum: FIRST_SERVER_STREAM - 1 })
/** Number of a stream in a server's message: the client's own, or one the server opened. */
export const StreamNumber = Type.Integer({ minimum: 1, maximum: 0xffffffff })
export const Name = Type.String({ maxLength: 200 })
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
/** A number that may be undefined in the data: JSON has no NaN, so it arrives as null. */
export const MaybeNumber = Type.Union([Type.Number(), Type.Null()])

/** First message of a client. Answered by ServerHello, or by an error `bad-version` and close code 4400. */
export const ClientHello = Type.Object(
  { type: Type.Literal('hello'), protocol: Type.Integer(), client: Type.Optional(Name) },
  closed,
)
export type ClientHello = Static<typeof ClientHello>

/** "Are you there?" for pages, which cannot see the socket's own pings. */
export const Ping = Type.Object({ type: Type.Literal('ping'), id: Count }, closed)
export type Ping = Static<typeof Ping>

/** Ends a subscription to a run or to the list of runs. Streams it opened are closed too. */
export const Unsubscribe = Type.Object({ type: Type.Literal('unsubscribe'), subscription: ClientNumber }, closed)
export type Unsubscribe = Static<typeof Unsubscribe>

export const ServerHello = Type.Object({
  type: Type.Literal('hello'),
  protocol: Type.Integer(),
  /** Version of the troupe package on the server. */
  package: Name,
  limits: Type.Object({
    messageBytes: Count,
    messagesPerSecond: Count,
    streams: Count,
    subscriptions: Count,
  }),
})
export type ServerHello = Static<typeof ServerHello>

export const Pong = Type.Object({ type: Type.Literal('pong'), id: Count })
export type Pong = Static<typeof Pong>

export const Unsubscribed = Type.Object({ type: Type.Literal('unsubscribed'), subscription: ClientNumber })
export type Unsubscribed = Static<typeof Unsubscribed>

/** What went wrong, in fields: the same in a socket's error message and in an HTTP error body. */
export const ErrorFields = Type.Object({
  /** A TroupeError code, or 'not-found', 'method', 'too-large', 'range', 'busy', 'forbidden', 'internal'. */
  code: Name,
  /** One sentence: where, what came, what was expected. */
  message: Type.String({ maxLength: 2000 }),
  where: Type.Optional(Type.String({ maxLength: 500 })),
  got: Type.Optional(Type.String({ maxLength: 1000 })),
  expected: Type.Optional(Type.String({ maxLength: 1000 })),
  nearest: Type.Optional(Type.String({ maxLength: 500 })),
})
export type ErrorFields = Static<typeof ErrorFields>

/** Answer to a message that could not be served. `final` says that the server closes the connection now. */
export const ErrorMessage = Type.Object({
  type: Type.Literal('error'),
  error: ErrorFields,
  /** The stream or subscription of the message at fault, where it had one. */
  stream: Type.Optional(StreamNumber),
  subscription: Type.Optional(ClientNumber),
  final: Type.Boolean(),
})
export type ErrorMessage = Static<typeof ErrorMessage>

/** Body of every HTTP answer with status 400 or more. */
export const ErrorBody = Type.Object({ error: ErrorFields })
export type ErrorBody = Static<typeof ErrorBody>

/** GET /api/health */
export const Health = Type.Object({
  ok: Type.Boolean(),
  package: Name,
  protocol: Type.Integer(),
  uptimeSeconds: Type.Number({ minimum: 0 }),
  viewers: Count,
  /** Whether the built page is there to be served. */
  viewer: Type.Boolean(),
  /** Whether the data folder exists (it may appear later). */
  data: Type.Boolean(),
})
export type Health = Static<typeof Health>

export type MessageTable = Readonly<Record<string, TSchema>>

/**
 * Reads one text message against a table of message types.
 * @param who the door, for the message: 'message from the server'
 * @param maxBytes longest text accepted, counted in UTF-16 units, which is never more than its bytes
 * @throws TroupeError bad-message naming the field, what came and what was expected
 */
export function readMessage(text: string, table: MessageTable, who: string, maxBytes: number): { type: string } {
  if (text.length > maxBytes) {
    throw new TroupeError('bad-message', {
      where: `${who}: length`,
      got: `${text.length} bytes`,
      expected: `${maxBytes} or less`,
    })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new TroupeError('bad-message', {
      where: who,
      got: `not JSON (${shown(text.slice(0, 40))})`,
      expected: 'one JSON object with a type',
    })
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new TroupeError('bad-message', { where: who, got: shown(value), expected: 'one JSON object with a type' })
  }
  const { type } = value as { type?: unknown }
  if (typeof type !== 'string' || !Object.hasOwn(table, type)) {
    const known = Object.keys(table)
    if (typeof type !== 'string') {
      throw new TroupeError('bad-message', {
        where: `${who}: type`,
        got: type === undefined ? 'missing' : shown(type),
        expected: `one of ${known.join(', ')}`,
      })
    }
    throw asBadMessage(unknownName(`${who}: type`, type, known))
  }
  try {
    return check(table[type], value, `${who}: ${type}`) as { type: string }
  } catch (error) {
    throw error instanceof TroupeError ? asBadMessage(error) : error
  }
}

function asBadMessage({ where, got, expected, nearest }: TroupeError): TroupeError {
  return new TroupeError('bad-message', { where, got, expected, ...(nearest === undefined ? {} : { nearest }) })
}
