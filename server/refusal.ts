/** Errors as the outside may see them: a status, a code and one sentence; never a path, a stack or a host name. */
import { TroupeError, shown, type ErrorCode } from '../envs/core/errors.ts'
import { type ErrorFields } from './protocol/hello.ts'

/** A refusal that is not a TroupeError: about the request itself. */
export class Refusal extends Error {
  readonly status: number
  readonly fields: ErrorFields

  constructor(status: number, code: string, where: string, got: string, expected: string) {
    super(`${where} is ${got}; expected ${expected}`)
    this.name = 'Refusal'
    this.status = status
    this.fields = { code, message: this.message, where, got, expected }
  }
}

const STATUS: Record<ErrorCode, number> = {
  'unknown-name': 404,
  'bad-option': 400,
  'bad-message': 400,
  'bad-usage': 400,
  'bad-action': 400,
  'bad-file': 422,
  'bad-version': 422,
  'not-genuine': 422,
  diverged: 500,
  environment: 503,
}

/** Status and fields for anything thrown. What is not ours becomes 'internal' without its text. */
export function refusalOf(error: unknown): { status: number; fields: ErrorFields } {
  if (error instanceof Refusal) return { status: error.status, fields: error.fields }
  if (error instanceof TroupeError) {
    return { status: STATUS[error.code], fields: error.toJSON() as unknown as ErrorFields }
  }
  const status = (error as { status?: unknown } | null)?.status
  if (typeof status === 'number' && status >= 400 && status < 500) return { status, fields: requestFields(status) }
  return { status: 500, fields: { code: 'internal', message: 'the server failed to answer; its log says more' } }
}

function requestFields(status: number): ErrorFields {
  if (status === 404) return { code: 'not-found', message: 'there is no such file' }
  if (status === 416) return { code: 'range', message: 'the range asked for lies outside the file' }
  if (status === 413) return { code: 'too-large', message: 'the request is too large' }
  return { code: 'bad-message', message: 'the request is malformed' }
}

/** Why a file could not be read, in words. */
export function fileProblem(error: unknown): string {
  if (error instanceof TroupeError || error instanceof Refusal) return error.message
  if (error instanceof SyntaxError) return 'it is not JSON'
  const code = (error as NodeJS.ErrnoException | null)?.code
  switch (code) {
    case 'ENOENT':
      return 'it is not there'
    case 'EACCES':
    case 'EPERM':
      return 'it may not be read (permissions)'
    case 'ENOTDIR':
      return 'it is not a folder'
    case 'EISDIR':
      return 'it is a folder'
    case 'ELOOP':
      return 'it is a link'
    case undefined:
      return 'it could not be read'
    default:
      return `it could not be read (${shown(code).replaceAll('"', '')})`
  }
}

/** The same with the file's name, which our own errors say already. */
export function problemOf(name: string, error: unknown): string {
  return error instanceof TroupeError ? error.message : `${name}: ${fileProblem(error)}`
}
