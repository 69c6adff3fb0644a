/** What a route of the leaderboard is: its address, what it takes, what it answers. Checks and OpenAPI come from this. */
import { type IncomingMessage } from 'node:http'
import { type TObject, type TSchema } from '#typebox'
import { type Boards } from '../boards.ts'
import { type Scope } from '../protocol/rest.ts'
import { type KeyRow } from '../store/store.ts'

export interface Asked {
  readonly boards: Boards
  readonly params: Readonly<Record<string, string>>
  /** Checked, with defaults. */
  readonly query: Readonly<Record<string, unknown>>
  /** Checked; undefined where the route takes none. */
  readonly body: unknown
  /** undefined when none was sent; a route with a scope always has one. */
  readonly key: KeyRow | undefined
  readonly address: string
  readonly idempotencyKey: string | null
  /** For uploads, read by the route itself. */
  readonly request: IncomingMessage
}

export interface Said {
  readonly status?: number
  readonly json?: unknown
  /** Instead of JSON. */
  readonly text?: string
  readonly type?: string
  readonly fileName?: string
  /** A file or a part of one. */
  readonly file?: { readonly folder: string; readonly file: string; readonly from?: number; readonly bytes?: number }
  readonly headers?: Readonly<Record<string, string>>
}

export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** As in OpenAPI: /entries/{id} */
  readonly path: string
  readonly summary: string
  /** Needs a key with this scope. */
  readonly scope?: Scope
  readonly query?: TObject
  readonly body?: TSchema
  /** An upload instead of a JSON body: its media type. */
  readonly upload?: string
  /** The answer of status 200, or of the first status named. */
  readonly answer: TSchema | { readonly type: string; readonly description: string }
  readonly status?: number
  readonly handle: (asked: Asked) => Promise<Said>
}
