/**
 * What a replay file holds (`*.replay`): the types, the checks of its header, and the limits a reader keeps.
 *
 * Bytes: 8 of magic, format version (u16, little-endian like everything else), then sections. A section is a head of
 * 20 bytes (type u8, method u8, steps u16, first step u32, raw length u32, stored length u32, CRC-32 u32 of the head
 * before it and the stored bytes) and its stored bytes. Sections come in this order:
 *
 *   header      JSON, once
 *   then per chunk of steps, in step order:
 *   actions     bytes [N, D, steps], 1 or 2 per action (as the sizes need); box: four planes of float32 bytes
 *   digests     u16 [steps], then 32 bytes of SHA-256 chain for every 64th step in the chunk
 *   probability float16 [steps, N, A] (optional)
 *   value       float32 [steps, N] (optional)
 *   keyframes   JSON array of { step, snapshot, frame } (optional, any number)
 *   notes       JSON array of { step, agent?, text } (optional)
 *   end         the last chain entry where the step count is no multiple of 64, else nothing
 */
import { Type, type Static } from '#typebox'
import { TroupeError, shown } from './errors.ts'
import { check } from './schema.ts'
import { type Frame, type Snapshot } from './types.ts'

/** Raised when the bytes change their meaning; a reader refuses what it does not know. */
export const REPLAY_FORMAT = 1

/** Like PNG's: a high bit, the name, and both line ends, so that a copy mangled as text is noticed at once. */
export const MAGIC = Uint8Array.of(0x89, 0x54, 0x52, 0x50, 0x0d, 0x0a, 0x1a, 0x0a)

/** Bytes before the first section. */
export const PREFIX_BYTES = MAGIC.length + 2

/** Bytes of a section's head. */
export const HEAD_BYTES = 20

/** Steps between two entries of the SHA-256 chain. */
export const CHAIN_EVERY = 64

export const SECTION = {
  header: 1,
  actions: 2,
  digests: 3,
  probability: 4,
  value: 5,
  keyframes: 6,
  notes: 7,
  end: 255,
} as const

/** How a section's bytes are stored: as they are, raw deflate, or digits of one base (`packDigits`; actions only). */
export const METHOD = { stored: 0, deflate: 1, digits: 2 } as const

const Text = (maxLength: number) => Type.String({ maxLength })
const Name = Type.String({ minLength: 1, maxLength: 200 })
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Size = Type.Integer({ minimum: 1, maximum: 65_536 })
const Plain = Type.Record(Type.String(), Type.Unknown())
const Index = Type.Integer({ minimum: 0, maximum: 1_000_000 })

export const ReplayResultSchema = Type.Object(
  {
    steps: Type.Integer({ minimum: 0, maximum: 0xffffffff }),
    terminated: Type.Boolean(),
    truncated: Type.Boolean(),
    returns: Type.Array(Type.Number()),
    return: Type.Number(),
    metrics: Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()])),
    digest: Type.String({ pattern: '^[0-9a-f]{32}$' }),
  },
  { additionalProperties: false },
)

export const ReplayHeaderSchema = Type.Object(
  {
    format: Type.Literal(REPLAY_FORMAT),
    env: Name,
    version: Name,
    scenario: Plain,
    options: Plain,
    control: Type.Array(Index, { minItems: 1 }),
    agents: Type.Array(Name, { minItems: 1 }),
    generator: Name,
    seed: Type.Union([Type.String({ pattern: '^[0-9a-f]{32}$' }), Type.Null()]),
    policies: Type.Array(
      Type.Object(
        { name: Text(200), hash: Type.Optional(Text(128)), agents: Type.Optional(Type.Array(Index)) },
        { additionalProperties: false },
      ),
    ),
    action: Type.Object(
      {
        kind: Type.Union([Type.Literal('discrete'), Type.Literal('multi-discrete'), Type.Literal('box')]),
        sizes: Type.Array(Size, { maxItems: 4096 }),
        dims: Type.Integer({ minimum: 1, maximum: 4096 }),
      },
      { additionalProperties: false },
    ),
    package: Text(100),
    plugin: Type.Optional(Type.Object({ name: Name, sha256: Sha256 }, { additionalProperties: false })),
    purpose: Type.Optional(Text(200)),
    label: Type.Optional(Text(500)),
    result: Type.Optional(ReplayResultSchema),
  },
  { additionalProperties: false },
)

/** How the recorded episode (or the recorded part of it) ended. */
export interface ReplayResult extends Static<typeof ReplayResultSchema> {
  /** Joint actions recorded. */
  steps: number
  /** Neither: the recording stopped before the episode did. */
  terminated: boolean
  truncated: boolean
  /** Sum of rewards of each controlled agent. */
  returns: number[]
  /** The scenario's scalar: the sum over controlled agents for `none` and `sum`, their mean for `mean`. */
  return: number
  metrics: Record<string, number | null>
  /** Final running digest, 32 hex digits. */
  digest: string
}

export interface ReplayHeader extends Static<typeof ReplayHeaderSchema> {
  format: typeof REPLAY_FORMAT
  env: string
  version: string
  /** The scenario in full, so that a page needs nothing else. */
  scenario: Record<string, unknown>
  /** Resolved options of the environment, defaults included. */
  options: Record<string, unknown>
  /** World index of each controlled agent, [N]. */
  control: number[]
  /** Ids of the controlled agents, [N]. */
  agents: string[]
  generator: string
  seed: string | null
  policies: { name: string; hash?: string; agents?: number[] }[]
  /** Sizes [D] for discrete kinds, empty for box. */
  action: { kind: 'discrete' | 'multi-discrete' | 'box'; sizes: number[]; dims: number }
  /** Version of the package that wrote the file; information only. */
  package: string
  /** Set when the environment is not built in: frames are stored for every step. */
  plugin?: { name: string; sha256: string }
  purpose?: string
  label?: string
  result?: ReplayResult
}

/** A picture of one step, and where it may be resumed. */
export interface Keyframe {
  readonly step: number
  readonly snapshot: Snapshot | null
  readonly frame: Frame | null
}

/** Something a policy or a person said about a step. */
export interface Note {
  readonly step: number
  readonly agent?: string
  readonly text: string
}

/** A replay in memory. T steps, N controlled agents, D numbers per action, A choices (sum of sizes). */
export interface Replay {
  readonly header: ReplayHeader
  /** T */
  readonly steps: number
  readonly actions: Int32Array | Float32Array // [T, N, D]
  /** Low 16 bits of the running digest after each step, [T]. */
  readonly digests: Uint16Array
  /** SHA-256 in hex after every 64th step and after the last. */
  readonly chain: readonly string[]
  readonly keyframes: readonly Keyframe[]
  readonly probability?: Float32Array // [T, N, A], kept as float16
  readonly value?: Float32Array // [T, N]
  readonly notes?: readonly Note[]
}

/** What a reader accepts at most; everything is checked against these before memory is taken. */
export interface ReplayLimits {
  readonly fileBytes: number
  /** Header before compression. */
  readonly headerBytes: number
  /** One section before compression. */
  readonly sectionBytes: number
  /** All sections together, as arrays in memory. */
  readonly memoryBytes: number
  readonly steps: number
  /** Controlled agents. */
  readonly agents: number
  readonly sections: number
}

/** Ours: a 500-step episode needs 4 kB; the largest worlds in sight (1,000 agents, 10,000 steps) need 40 MB. */
export const REPLAY_LIMITS: ReplayLimits = {
  fileBytes: 1 << 28,
  headerBytes: 1 << 20,
  sectionBytes: 1 << 23,
  memoryBytes: 1 << 28,
  steps: 10_000_000,
  agents: 16_384,
  sections: 1 << 20,
}

export const badReplay = (where: string, got: string, expected: string): TroupeError =>
  new TroupeError('bad-file', { where, got, expected })

/** Choices per agent over all dimensions: A. */
export function choicesOf(header: ReplayHeader): number {
  return header.action.sizes.reduce((sum, size) => sum + size, 0)
}

/** Bytes one action number takes in the file. */
export function actionBytes(header: ReplayHeader): number {
  if (header.action.kind === 'box') return 4
  return Math.max(...header.action.sizes) <= 256 ? 1 : 2
}

/** Number of chain entries among steps `from` + 1 to `to`. */
export function chainEntries(from: number, to: number): number {
  return Math.floor(to / CHAIN_EVERY) - Math.floor(from / CHAIN_EVERY)
}

/** Memory that a section takes when read: numbers become four bytes; JSON becomes objects of about four times its size. */
export function sectionWeight(type: number, raw: number, header: ReplayHeader): number {
  if (type === SECTION.actions) return (raw * 4) / actionBytes(header)
  return raw * (type === SECTION.keyframes || type === SECTION.notes ? 4 : 2)
}

/**
 * What a header says of the world it was played in, and all else that is alike in replays of one world: everything but
 * seed and result, as one text. Equal texts, equal headers but for those two; unequal ones prove nothing.
 */
export function worldText(header: object): string {
  const { seed: _seed, result: _result, ...rest } = header as Partial<ReplayHeader>
  return JSON.stringify(rest)
}

/** The part of a header that differs from episode to episode. */
const EpisodePart = Type.Object({
  seed: ReplayHeaderSchema.properties.seed,
  result: ReplayHeaderSchema.properties.result,
})
/** The world of the header that passed last: of a thousand replays of one world, the world is checked once. */
let passed = ''

/**
 * Checks a header that came from outside or is about to be written.
 * @throws TroupeError bad-file, or bad-version for another format
 */
export function checkHeader(value: unknown, where: string, limits: ReplayLimits = REPLAY_LIMITS): ReplayHeader {
  const format = (value as { format?: unknown } | null)?.format
  if (typeof format === 'number' && format !== REPLAY_FORMAT) throw unknownFormat(where, format)
  let header: ReplayHeader
  try {
    const world = value !== null && typeof value === 'object' && !Array.isArray(value) ? worldText(value) : ''
    if (world !== '' && world === passed) {
      header = check(EpisodePart, value, `${where}: header`) as ReplayHeader
    } else {
      header = check(ReplayHeaderSchema, value, `${where}: header`) as ReplayHeader
      passed = world
    }
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    throw badReplay(error.where, error.got, error.expected)
  }
  const { action, agents, control } = header
  if (agents.length > limits.agents) {
    throw badReplay(`${where}: header: agents`, `${agents.length} agents`, `${limits.agents} at most`)
  }
  if (agents.length !== control.length) {
    throw badReplay(`${where}: header: agents`, `${agents.length} ids`, `${control.length}, one per controlled agent`)
  }
  if (new Set(agents).size !== agents.length || new Set(control).size !== control.length) {
    throw badReplay(`${where}: header: agents`, 'a list with an agent twice', 'every agent once')
  }
  const sizes = action.kind === 'box' ? 0 : action.dims
  if (action.sizes.length !== sizes || (action.kind === 'discrete' && action.dims !== 1)) {
    const got = `${action.sizes.length} sizes, ${action.dims} dimensions`
    throw badReplay(`${where}: header: action`, got, `${sizes} sizes, one per dimension of ${action.kind} actions`)
  }
  if (header.result !== undefined && header.result.returns.length !== agents.length) {
    throw badReplay(
      `${where}: header: result returns`,
      `${header.result.returns.length} numbers`,
      `${agents.length}, one per controlled agent`,
    )
  }
  return header
}

export function unknownFormat(where: string, format: number): TroupeError {
  return new TroupeError('bad-version', {
    where: `${where}: format`,
    got: shown(format),
    expected: `${REPLAY_FORMAT}, the only one this build reads`,
  })
}
