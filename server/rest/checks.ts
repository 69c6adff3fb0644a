/** Requests are checked by ajv before a route sees them; the sentence about what is wrong is made only for what failed. */
import { Ajv, type ValidateFunction } from 'ajv'
import { type TSchema } from '#typebox'
import { TroupeError } from '../../envs/core/errors.ts'
import { check } from '../../envs/core/schema.ts'

/** Bodies: nothing is coerced, nothing is removed, numbers are finite. */
const bodies = new Ajv({ allErrors: false, strict: true, strictNumbers: true, useDefaults: false })
const queries = new Ajv({ allErrors: false, strict: true, strictNumbers: true, useDefaults: true })

const compiled = new WeakMap<TSchema, ValidateFunction>()

function compile(ajv: Ajv, schema: TSchema): ValidateFunction {
  let made = compiled.get(schema)
  if (made === undefined) {
    made = ajv.compile(plain(schema))
    compiled.set(schema, made)
  }
  return made
}

/** JSON schema only: TypeBox keeps its own marks under symbols, which JSON leaves out. */
export function plain(schema: TSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema)) as Record<string, unknown>
}

/** @throws TroupeError bad-option naming the field, what came, what was expected and the nearest name */
export function checkBody(schema: TSchema, value: unknown): unknown {
  const validate = compile(bodies, schema)
  if (validate(value)) return value
  check(schema, value, 'body')
  throw complaint(validate, 'body')
}

/** @throws TroupeError bad-option */
export function checkQuery(schema: TSchema, value: Record<string, unknown>): Record<string, unknown> {
  const validate = compile(queries, schema)
  const copy = read(schema, value)
  if (validate(copy)) return copy
  throw complaint(validate, 'query')
}

/** Queries are text; plain whole numbers and booleans are read from it, everything else is left for the check to refuse. */
function read(schema: TSchema, value: Record<string, unknown>): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(value)) {
    const { type } = (schema.properties as Record<string, { type?: string }>)[name] ?? {}
    const whole = type === 'integer' && typeof text === 'string' && /^\d{1,12}$/.test(text)
    const truth = type === 'boolean' && (text === 'true' || text === 'false')
    copy[name] = whole ? Number(text) : truth ? text === 'true' : text
  }
  return copy
}

/** ajv's own words, for what the readable check lets pass. */
function complaint({ errors }: ValidateFunction, where: string): TroupeError {
  const [error] = errors ?? []
  const at = error?.instancePath.split('/').slice(1).join('.') ?? ''
  const unknown = (error?.params as { additionalProperty?: string } | undefined)?.additionalProperty
  const name = unknown ?? at
  return new TroupeError('bad-option', {
    where: name === '' ? where : `${where}: ${name.slice(0, 80)}`,
    got: unknown === undefined ? 'not right' : 'not known here',
    expected: unknown === undefined ? `what ${error?.message ?? 'fits'}` : 'a name from /api/openapi.json',
  })
}
