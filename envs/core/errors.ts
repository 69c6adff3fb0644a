/** The one error class of troupe, and the nearest-name search behind "did you mean". */

/** What kind of door refused. The command line maps codes to exit codes. */
export type ErrorCode =
  | 'unknown-name' // no environment, scenario, policy, option … of that name
  | 'bad-option' // an option or setting outside its schema
  | 'bad-action' // wrong shape, out of range or masked
  | 'bad-file' // unreadable, truncated, oversized or foreign file
  | 'bad-version' // a format or environment version this build does not know
  | 'bad-message' // a malformed message on a socket or in a request
  | 'bad-usage' // a call in the wrong order or with the wrong arguments
  | 'not-genuine' // verification failed
  | 'diverged' // training produced NaN or infinity
  | 'environment' // port in use, folder not writable, part missing

export interface ErrorParts {
  /** Which door: 'warehouse: action [lane 3, agent 1]', 'run.replay: header'. */
  readonly where: string
  /** What arrived, already readable. */
  readonly got: string
  /** What would do. */
  readonly expected: string
  /** The nearest valid choice, where there is one. */
  readonly nearest?: string
  /** Whose action it was, and which number of it: 'agent_1', 'agent_1, dimension 0'. */
  readonly agent?: string
}

export class TroupeError extends Error {
  readonly code: ErrorCode
  readonly where: string
  readonly got: string
  readonly expected: string
  readonly nearest: string | undefined
  readonly agent: string | undefined

  constructor(code: ErrorCode, parts: ErrorParts) {
    const hint = parts.nearest === undefined ? '' : `; did you mean ${parts.nearest}?`
    super(`${parts.where} is ${parts.got}; expected ${parts.expected}${hint}`)
    this.name = 'TroupeError'
    this.code = code
    this.where = parts.where
    this.got = parts.got
    this.expected = parts.expected
    this.nearest = parts.nearest
    this.agent = parts.agent
  }

  /** A plain object for `--json` output and sockets. */
  toJSON(): Record<string, string> {
    const { code, message, where, got, expected } = this
    return { code, message, where, got, expected, ...(this.nearest === undefined ? {} : { nearest: this.nearest }) }
  }
}

/** Edits (insert, delete, replace, swap of neighbours) between two words; Damerau 1964, restricted form. */
function distance(a: string, b: string): number {
  const rows = a.length + 1
  const columns = b.length + 1
  const cost = new Uint16Array(rows * columns)
  for (let i = 0; i < rows; i++) cost[i * columns] = i
  for (let j = 0; j < columns; j++) cost[j] = j
  for (let i = 1; i < rows; i++) {
    for (let j = 1; j < columns; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min(
        cost[(i - 1) * columns + j] + 1,
        cost[i * columns + j - 1] + 1,
        cost[(i - 1) * columns + j - 1] + same,
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, cost[(i - 2) * columns + j - 2] + 1)
      }
      cost[i * columns + j] = best
    }
  }
  return cost[rows * columns - 1]
}

/**
 * The known name closest to what was typed, or undefined when none is near
 * (more than a third of the letters differ and neither contains the other).
 */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  const word = typed.slice(0, 200).toLowerCase()
  let best: string | undefined
  let bestDistance = Infinity
  let bestEdits = Infinity
  for (const name of known) {
    const lower = name.toLowerCase()
    const edits = distance(word, lower)
    const contained = word.length >= 3 && (lower.includes(word) || word.includes(lower))
    const d = contained ? Math.min(edits, 1) : edits
    if (d < bestDistance || (d === bestDistance && edits < bestEdits)) {
      best = name
      bestDistance = d
      bestEdits = edits
    }
  }
  return bestDistance <= Math.max(1, Math.floor(Math.max(word.length, 3) / 3)) ? best : undefined
}

/** The error for a name that is not in a table. */
export function unknownName(kind: string, typed: string, known: readonly string[]): TroupeError {
  const nearest = nearestName(typed, known)
  const list = known.length <= 24 ? known.join(', ') : `${known.slice(0, 24).join(', ')} … (${known.length} in all)`
  return new TroupeError('unknown-name', {
    where: kind,
    got: `"${typed.slice(0, 120)}"`,
    expected: `one of ${list}`,
    ...(nearest === undefined ? {} : { nearest: `"${nearest}"` }),
  })
}

/** A value as it should appear in a message: short, and told apart by kind. */
export function shown(value: unknown, depth = 0): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 77)}...` : value)
  if (typeof value === 'number' || typeof value === 'boolean' || value == null) {
    return Object.is(value, -0) ? '-0' : String(value)
  }
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}(${(value as { length?: number }).length ?? '?'})`
  if (Array.isArray(value)) {
    // What comes from outside may be nested without end; two levels tell enough.
    if (value.length > 8 || depth > 1) return `an array of ${value.length}`
    return `[${value.map((part) => shown(part, depth + 1)).join(', ')}]`
  }
  if (typeof value === 'object') return `an object with ${Object.keys(value).slice(0, 8).join(', ') || 'no fields'}`
  return `a ${typeof value}`
}
