/** Options and settings checked against TypeBox schemas without code generation, so that a strict page policy holds. */
import { type Static, type TSchema, type TObject } from '#typebox'
import { Value, type ValueError } from '#typebox/value'
import { TroupeError, nearestName, shown } from './errors.ts'

/** What a schema asks for, in words. */
function asked(schema: TSchema): string {
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as TSchema[]).map(asked).join(' or ')
  if ('const' in schema) return JSON.stringify(schema.const)
  const { type, minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema as Record<
    string,
    unknown
  >
  const name =
    type === 'integer'
      ? 'a whole number'
      : type === 'number'
        ? 'a number'
        : type === 'null'
          ? 'null'
          : `a${/^[aeiou]/.test(String(type)) ? 'n' : ''} ${String(type ?? 'value')}`
  const range = (low: unknown, high: unknown, unit: string) =>
    low !== undefined && high !== undefined
      ? ` of ${low === high ? low : `${low} to ${high}`}${unit}`
      : low !== undefined
        ? ` of ${low}${unit} or more`
        : high !== undefined
          ? ` of ${high}${unit} or less`
          : ''
  return (
    name +
    range(minimum, maximum, '') +
    range(minLength, maxLength, ' characters') +
    range(minItems, maxItems, ' items') +
    (pattern === undefined ? '' : ` matching ${pattern}`)
  )
}

function property(schema: TSchema, path: string): TSchema | undefined {
  let here: TSchema | undefined = schema
  for (const part of path.split('/').slice(1)) {
    here = (here?.properties?.[part] ?? here?.items) as TSchema | undefined
  }
  return here
}

/** Choices of a union of literals, or undefined. */
function choices(schema: TSchema | undefined): string[] | undefined {
  const any = schema?.anyOf as TSchema[] | undefined
  if (any === undefined || !any.every((option) => typeof option.const === 'string')) return undefined
  return words(schema)
}

/** Those choices of a union that are words. */
function words(schema: TSchema | undefined): string[] {
  const any = (schema?.anyOf ?? []) as TSchema[]
  return any.flatMap((option) => (typeof option.const === 'string' ? [option.const] : []))
}

/** The only choice of a union that is an object (or list) like the value: what is wrong inside it says more. */
function meant(schema: TSchema | undefined, value: unknown): TSchema | undefined {
  if (value === null || typeof value !== 'object') return undefined
  const type = Array.isArray(value) ? 'array' : 'object'
  const alike = ((schema?.anyOf ?? []) as TSchema[]).filter((option) => option.type === type)
  return alike.length === 1 ? alike[0] : undefined
}

function toError(schema: TSchema, error: ValueError, where: string): TroupeError {
  const at = error.path.split('/').slice(1).join('.')
  const place = at === '' ? where : `${where}: ${at}`
  const inside = meant(property(schema, error.path) ?? error.schema, error.value)
  const deeper = inside === undefined ? undefined : firstError(inside, error.value)
  if (inside !== undefined && deeper !== undefined) return toError(inside, deeper, place)
  const parent = property(schema, error.path.slice(0, error.path.lastIndexOf('/')))
  const unknown = error.message.startsWith('Unexpected property')
  if (unknown) {
    const known = Object.keys((parent ?? schema).properties ?? {})
    const name = error.path.slice(error.path.lastIndexOf('/') + 1)
    const nearest = nearestName(name, known)
    return new TroupeError('bad-option', {
      where: place,
      got: 'not known here',
      expected: known.length === 0 ? 'no fields' : `one of ${known.join(', ')}`,
      ...(nearest === undefined ? {} : { nearest: `"${nearest}"` }),
    })
  }
  const wanted = property(schema, error.path) ?? error.schema
  const literals = choices(wanted)
  const nearest = typeof error.value === 'string' ? nearestName(error.value, words(wanted)) : undefined
  return new TroupeError('bad-option', {
    where: place,
    got: error.value === undefined ? 'missing' : shown(error.value),
    expected: literals !== undefined ? `one of ${literals.join(', ')}` : asked(wanted),
    ...(nearest === undefined ? {} : { nearest: `"${nearest}"` }),
  })
}

/** What to tell of all that is wrong; undefined when nothing is. */
function firstError(schema: TSchema, value: unknown): ValueError | undefined {
  let first: ValueError | undefined
  for (const error of Value.Errors(schema, value)) {
    first ??= error
    // An unknown field explains the rest (a misspelt required field is also "missing").
    if (error.message.startsWith('Unexpected property')) return error
  }
  return first
}

/**
 * Checks plain data against a schema. Nothing is coerced.
 * @param where the door, for the message
 * @throws TroupeError bad-option naming the field, what came, what was expected and the nearest name
 */
export function check<S extends TSchema>(schema: S, value: unknown, where: string): Static<S> {
  if (Value.Check(schema, value)) return value as Static<S>
  const first = firstError(schema, value)
  if (first === undefined) throw new TroupeError('bad-option', { where, got: shown(value), expected: asked(schema) })
  throw toError(schema, first, where)
}

/**
 * Fills the defaults of a flat record of options, then checks it.
 * @throws TroupeError bad-option
 */
export function withDefaults<S extends TObject>(schema: S, value: unknown, where: string): Static<S> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new TroupeError('bad-option', { where, got: shown(value), expected: 'an object of options' })
  }
  const filled = new Map<string, unknown>()
  for (const [name, field] of Object.entries(schema.properties)) {
    if ('default' in field) filled.set(name, structuredCopy(field.default))
  }
  for (const [name, given] of Object.entries(value)) if (given !== undefined) filled.set(name, given)
  // fromEntries makes own fields even of names like __proto__, so that they are refused and not swallowed
  return check(schema, Object.fromEntries(filled), where)
}

/** A deep copy of plain JSON data. */
export function structuredCopy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(structuredCopy) as T
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, structuredCopy(part)])) as T
  }
  return value
}

/** Deepest nesting of canonical JSON; ours is below ten. */
const MAX_DEPTH = 100

/**
 * JSON with sorted keys and no spaces: equal data, equal text. Numbers must be finite.
 * @throws TroupeError bad-option for a number that JSON cannot hold, and for nesting without end
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TroupeError('bad-option', { where: 'canonical JSON', got: shown(value), expected: 'finite numbers only' })
  }
  if (depth > MAX_DEPTH) {
    throw new TroupeError('bad-option', {
      where: 'canonical JSON',
      got: 'nested deeper',
      expected: `at most ${MAX_DEPTH} levels`,
    })
  }
  if (Array.isArray(value)) return `[${value.map((part) => canonicalJson(part ?? null, depth + 1)).join(',')}]`
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).filter(([, part]) => part !== undefined)
    entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part, depth + 1)}`).join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}
