/** Messages about replays, the binary chunk, and the assembly that turns a stream back into a replay. */
import { Type, type Static } from '#typebox'
import { TroupeError, shown } from '../../envs/core/errors.ts'
import { checkKeyframe, checkNote } from '../../envs/core/replay-frames.ts'
import { type Keyframe, type Note } from '../../envs/core/replay-format.ts'
import { ClientNumber, Count, MaybeNumber, Name, StreamNumber, WIRE_LIMITS } from './hello.ts'

const closed = { additionalProperties: false } as const

/** `run:<run>:<name>`, `file:<name>` or `shipped:<name>`; names as files are called, without `.replay`. */
export const ReplayId = Type.String({ minLength: 6, maxLength: 400 })

// --- from the client

/** Opens a stream. Answered by `replay.opened`, then chunks, then `replay.done`; or by an error with this stream. */
export const ReplayOpen = Type.Object(
  {
    type: Type.Literal('replay.open'),
    stream: ClientNumber,
    replay: ReplayId,
    /** Step to be shown first; its chunks come first. Default 0. */
    step: Type.Optional(Count),
  },
  closed,
)
export type ReplayOpen = Static<typeof ReplayOpen>

/**
 * Asks for the chunks that `step` needs before all others; chunks already sent are not sent again, and a stream that
 * was sent in full has nothing left to do.
 */
export const ReplaySeek = Type.Object({ type: Type.Literal('replay.seek'), stream: StreamNumber, step: Count }, closed)
export type ReplaySeek = Static<typeof ReplaySeek>

/** Ends a stream early. Answered by `replay.closed`, unless `replay.done` was on its way. */
export const ReplayClose = Type.Object({ type: Type.Literal('replay.close'), stream: StreamNumber }, closed)
export type ReplayClose = Static<typeof ReplayClose>

// --- from the server

const Plain = Type.Record(Type.String(), Type.Unknown())

export const ReplayResultShape = Type.Object({
  steps: Count,
  terminated: Type.Boolean(),
  truncated: Type.Boolean(),
  returns: Type.Array(Type.Number(), { maxItems: 65_536 }),
  return: Type.Number(),
  metrics: Type.Record(Type.String(), MaybeNumber),
  digest: Name,
})

/** The header of a replay file, as `readReplayHeader` gives it. */
export const ReplayHeaderShape = Type.Object({
  format: Type.Literal(1),
  env: Name,
  version: Name,
  scenario: Plain,
  options: Plain,
  control: Type.Array(Count, { maxItems: 65_536 }),
  agents: Type.Array(Name, { maxItems: 65_536 }),
  generator: Name,
  seed: Type.Union([Name, Type.Null()]),
  policies: Type.Array(
    Type.Object({ name: Name, hash: Type.Optional(Name), agents: Type.Optional(Type.Array(Count)) }),
    { maxItems: 65_536 },
  ),
  action: Type.Object({
    kind: Type.Union([Type.Literal('discrete'), Type.Literal('multi-discrete'), Type.Literal('box')]),
    sizes: Type.Array(Count, { maxItems: 65_536 }),
    dims: Type.Integer({ minimum: 1, maximum: 65_536 }),
  }),
  package: Name,
  plugin: Type.Optional(Type.Object({ name: Name, sha256: Name })),
  purpose: Type.Optional(Type.String({ maxLength: 2000 })),
  label: Type.Optional(Type.String({ maxLength: 2000 })),
  result: Type.Optional(ReplayResultShape),
})
export type ReplayHeaderShape = Static<typeof ReplayHeaderShape>

/** First message of a stream: everything about the replay but its steps. */
export const ReplayOpened = Type.Object({
  type: Type.Literal('replay.opened'),
  stream: StreamNumber,
  replay: ReplayId,
  /** The run subscription that opened this stream, when the client did not. */
  subscription: Type.Optional(ClientNumber),
  header: ReplayHeaderShape,
  /** Size of the file, which GET /api/replays/:id answers with. */
  bytes: Count,
  /** T, steps in the replay. */
  steps: Count,
  /** Steps per chunk; the last chunk may be shorter. */
  chunkSteps: Type.Integer({ minimum: 1, maximum: 65_536 }),
  /** ceil(T / chunkSteps), at least 1 */
  chunks: Type.Integer({ minimum: 1, maximum: 16_777_216 }),
  /** Keyframes in the whole replay. */
  keyframes: Count,
  /** Width of the action probabilities of one agent; 0 when they were not recorded. */
  probabilities: Count,
  /** Whether the critic's values were recorded. */
  values: Type.Boolean(),
})
export type ReplayOpened = Static<typeof ReplayOpened>

/** Every chunk of the stream has been sent, and its number is free again. */
export const ReplayDone = Type.Object({ type: Type.Literal('replay.done'), stream: StreamNumber })
export type ReplayDone = Static<typeof ReplayDone>

/** No more chunks of this stream. `newer`: a newer replay of a followed run took its place before it was through. */
export const ReplayClosed = Type.Object({
  type: Type.Literal('replay.closed'),
  stream: StreamNumber,
  reason: Type.Union([Type.Literal('asked'), Type.Literal('newer'), Type.Literal('unsubscribed')]),
})
export type ReplayClosed = Static<typeof ReplayClosed>

// --- over HTTP

/** One row of GET /api/replays. */
export const ReplayInfo = Type.Object({
  id: ReplayId,
  origin: Type.Union([Type.Literal('run'), Type.Literal('file'), Type.Literal('shipped'), Type.Literal('board')]),
  /** Id of the run, for origin 'run'. */
  run: Type.Optional(Name),
  bytes: Count,
  /** ISO time of the last change of the file. */
  modifiedAt: Name,
  env: Name,
  version: Name,
  /** Scenario id, '' when the header names none. */
  scenario: Name,
  agents: Count,
  policies: Type.Array(Name),
  seed: Type.Union([Name, Type.Null()]),
  label: Type.Optional(Type.String({ maxLength: 2000 })),
  purpose: Type.Optional(Type.String({ maxLength: 2000 })),
  plugin: Type.Optional(Name),
  /** null when the recording was never finished. */
  steps: Type.Union([Count, Type.Null()]),
  return: MaybeNumber,
  metrics: Type.Record(Type.String(), MaybeNumber),
})
export type ReplayInfo = Static<typeof ReplayInfo>

/** A file or folder that was left out of a listing, and why, in one sentence without its path. */
export const Skipped = Type.Object({ id: Type.String({ maxLength: 400 }), reason: Type.String({ maxLength: 2000 }) })
export type Skipped = Static<typeof Skipped>

/** GET /api/replays?offset=0&limit=100&run=… , newest first */
export const ReplayList = Type.Object({
  replays: Type.Array(ReplayInfo),
  /** Replay files before paging, unreadable ones included. */
  total: Count,
  offset: Count,
  limit: Count,
  /** Unreadable files of this page. */
  skipped: Type.Array(Skipped),
})
export type ReplayList = Static<typeof ReplayList>

export const REPLAY_CLIENT_MESSAGES = {
  'replay.open': ReplayOpen,
  'replay.seek': ReplaySeek,
  'replay.close': ReplayClose,
}
export const REPLAY_SERVER_MESSAGES = {
  'replay.opened': ReplayOpened,
  'replay.done': ReplayDone,
  'replay.closed': ReplayClosed,
}

// --- the binary chunk

/** Some consecutive steps of one replay. */
export interface ReplayChunk {
  readonly stream: number
  readonly index: number
  /** First step covered: `index * chunkSteps`. Action t leads from state t to state t + 1. */
  readonly first: number
  readonly steps: number
  /** [steps, N * D]; Float32 for box actions */
  readonly actions: Int32Array | Float32Array
  /** [steps] low 16 bits of the running digest after each step */
  readonly digests: Uint16Array
  /** [steps, N * A], empty when not recorded */
  readonly probability: Float32Array
  /** [steps, N], empty when not recorded */
  readonly value: Float32Array
  /** Entries of the SHA-256 chain that end inside the chunk, with their place in the whole chain. */
  readonly chain: readonly { readonly index: number; readonly sha256: string }[]
  /** Keyframes with `first <= step < first + steps`; the last chunk also holds the one at T. */
  readonly keyframes: readonly Keyframe[]
  /** Notes, by the same rule as keyframes. */
  readonly notes: readonly Note[]
}

/** 'TRC1', read as a little-endian word. */
const MAGIC = 0x31435254
const HEAD_BYTES = 40
const ACTION_BYTES = [0, 1, 2, 4, 4] // by action type: -, u8, u16, i32, f32

const pad4 = (bytes: number): number => (bytes + 3) & ~3

function badChunk(where: string, got: string, expected: string): TroupeError {
  return new TroupeError('bad-message', { where: `replay chunk: ${where}`, got, expected })
}

function actionType(actions: Int32Array | Float32Array): number {
  if (actions instanceof Float32Array) return 4
  let type = 1
  for (let i = 0; i < actions.length; i++) {
    const a = actions[i]
    if (a < 0 || a > 0xffff) return 3
    if (a > 0xff) type = 2
  }
  return type
}

/** Packs a chunk; the layout is in README.md. */
export function encodeChunk(chunk: ReplayChunk): Uint8Array<ArrayBuffer> {
  const { steps, actions, digests, probability, value } = chunk
  const type = actionType(actions)
  const tail = new TextEncoder().encode(
    JSON.stringify({ chain: chunk.chain, keyframes: chunk.keyframes, notes: chunk.notes }),
  )
  const actionBytes = pad4(actions.length * ACTION_BYTES[type])
  const digestBytes = pad4(digests.length * 2)
  const bytes = new Uint8Array(
    HEAD_BYTES + actionBytes + digestBytes + 4 * probability.length + 4 * value.length + tail.length,
  )
  const view = new DataView(bytes.buffer)
  const per = (array: ArrayLike<number>) => (steps === 0 ? 0 : array.length / steps)
  const words = [MAGIC, chunk.stream, chunk.index, chunk.first, steps, type, per(actions), per(probability), per(value)]
  words.push(tail.length)
  words.forEach((word, i) => view.setUint32(4 * i, word, true))
  let at = HEAD_BYTES
  for (let i = 0; i < actions.length; i++) {
    if (type === 1) view.setUint8(at + i, actions[i])
    else if (type === 2) view.setUint16(at + 2 * i, actions[i], true)
    else if (type === 3) view.setInt32(at + 4 * i, actions[i], true)
    else view.setFloat32(at + 4 * i, actions[i], true)
  }
  at += actionBytes
  for (let i = 0; i < digests.length; i++) view.setUint16(at + 2 * i, digests[i], true)
  at += digestBytes
  for (let i = 0; i < probability.length; i++) view.setFloat32(at + 4 * i, probability[i], true)
  at += 4 * probability.length
  for (let i = 0; i < value.length; i++) view.setFloat32(at + 4 * i, value[i], true)
  at += 4 * value.length
  bytes.set(tail, at)
  return bytes
}

/**
 * Unpacks and checks a binary message. Sizes are compared with what arrived before anything is allocated.
 * @throws TroupeError bad-message or (in keyframes and notes) bad-file, naming the field
 */
export function decodeChunk(message: ArrayBuffer | Uint8Array): ReplayChunk {
  const bytes = message instanceof Uint8Array ? message : new Uint8Array(message)
  if (bytes.length > WIRE_LIMITS.chunkBytes || bytes.length < HEAD_BYTES) {
    throw badChunk('length', `${bytes.length} bytes`, `${HEAD_BYTES} to ${WIRE_LIMITS.chunkBytes}`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const word = (i: number) => view.getUint32(4 * i, true)
  if (word(0) !== MAGIC) throw badChunk('first word', `0x${word(0).toString(16)}`, '"TRC1"')
  const [stream, index, first, steps, type, perAction, perProbability, perValue, tailBytes] = Array.from(
    { length: 9 },
    (_, i) => word(i + 1),
  )
  if (type < 1 || type > 4) throw badChunk('action type', String(type), '1 u8, 2 u16, 3 i32 or 4 f32')
  const actionBytes = pad4FromProduct(steps * perAction * ACTION_BYTES[type])
  const digestBytes = pad4FromProduct(steps * 2)
  const total = HEAD_BYTES + actionBytes + digestBytes + 4 * steps * (perProbability + perValue) + tailBytes
  if (total !== bytes.length) throw badChunk('length', `${bytes.length} bytes`, `${total}, as its counts say`)

  let at = HEAD_BYTES
  const actions = type === 4 ? new Float32Array(steps * perAction) : new Int32Array(steps * perAction)
  for (let i = 0; i < actions.length; i++) {
    if (type === 1) actions[i] = view.getUint8(at + i)
    else if (type === 2) actions[i] = view.getUint16(at + 2 * i, true)
    else if (type === 3) actions[i] = view.getInt32(at + 4 * i, true)
    else actions[i] = view.getFloat32(at + 4 * i, true)
  }
  at += actionBytes
  const digests = new Uint16Array(steps)
  for (let i = 0; i < steps; i++) digests[i] = view.getUint16(at + 2 * i, true)
  at += digestBytes
  const floats = (count: number) => {
    const out = new Float32Array(count)
    for (let i = 0; i < count; i++) out[i] = view.getFloat32(at + 4 * i, true)
    at += 4 * count
    return out
  }
  const probability = floats(steps * perProbability)
  const value = floats(steps * perValue)
  const tail = readTail(bytes.subarray(at), first, steps)
  return { stream, index, first, steps, actions, digests, probability, value, ...tail }
}

/** As pad4, for products that may pass 2^31. */
function pad4FromProduct(bytes: number): number {
  return Math.ceil(bytes / 4) * 4
}

type Tail = Pick<ReplayChunk, 'chain' | 'keyframes' | 'notes'>

function readTail(bytes: Uint8Array, first: number, steps: number): Tail {
  let tail: Partial<Record<keyof Tail, unknown>> | null
  try {
    tail = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw badChunk('tail', 'not JSON', 'an object with chain, keyframes and notes')
  }
  const { chain, keyframes, notes } = tail ?? {}
  if (!Array.isArray(chain) || !chain.every((entry) => isCount(entry?.index) && /^[0-9a-f]{64}$/.test(entry.sha256))) {
    throw badChunk('chain', shown(chain), 'a list of { index, sha256 }')
  }
  if (!Array.isArray(keyframes)) throw badChunk('keyframes', shown(keyframes), 'a list of { step, snapshot, frame }')
  if (!Array.isArray(notes)) throw badChunk('notes', shown(notes), 'a list of { step, text }')
  const checked = {
    keyframes: keyframes.map((keyframe) => checkKeyframe(keyframe, 'replay chunk: keyframe')),
    notes: notes.map((note) => checkNote(note, 'replay chunk: note')),
  }
  for (const { step } of [...checked.keyframes, ...checked.notes]) {
    if (step < first || step > first + steps) {
      throw badChunk('keyframes and notes: step', shown(step), `${first} to ${first + steps}`)
    }
  }
  return { chain, ...checked }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

// --- putting a stream together

/** Collects the chunks of one stream in any order. Arrays are allocated once and fill up as chunks arrive. */
export class ReplayAssembly {
  readonly opened: ReplayOpened
  /** [T, N * D] */
  readonly actions: Int32Array | Float32Array
  /** [T] */
  readonly digests: Uint16Array
  readonly chain: string[]
  /** Sorted by step. */
  readonly keyframes: Keyframe[] = []
  /** In the order of steps. */
  readonly notes: Note[] = []
  /** [T, N, A] or undefined when not recorded */
  readonly probability: Float32Array | undefined
  /** [T, N] or undefined when not recorded */
  readonly value: Float32Array | undefined
  private readonly have: Uint8Array
  private missing: number

  /** @throws TroupeError bad-message when the sizes do not fit each other or are too large */
  constructor(opened: ReplayOpened) {
    const { header, steps, chunkSteps, chunks, probabilities, values } = opened
    const agents = header.agents.length
    const width = agents * header.action.dims
    if (chunks !== Math.max(1, Math.ceil(steps / chunkSteps))) {
      throw new TroupeError('bad-message', {
        where: 'replay.opened: chunks',
        got: String(chunks),
        expected: `${Math.max(1, Math.ceil(steps / chunkSteps))} for ${steps} steps in chunks of ${chunkSteps}`,
      })
    }
    const numbers = steps * (1 + width + agents * (probabilities + 1))
    if (numbers > WIRE_LIMITS.replayNumbers) {
      throw new TroupeError('bad-message', {
        where: 'replay.opened: size',
        got: `${numbers} numbers`,
        expected: `${WIRE_LIMITS.replayNumbers} or less`,
      })
    }
    this.opened = opened
    this.actions = header.action.kind === 'box' ? new Float32Array(steps * width) : new Int32Array(steps * width)
    this.digests = new Uint16Array(steps)
    this.chain = new Array<string>(Math.ceil(steps / 64)).fill('')
    this.probability = probabilities > 0 ? new Float32Array(steps * agents * probabilities) : undefined
    this.value = values ? new Float32Array(steps * agents) : undefined
    this.have = new Uint8Array(chunks)
    this.missing = chunks
  }

  /** Whether every chunk is here. */
  get complete(): boolean {
    return this.missing === 0
  }

  /**
   * Whether the state after `step` steps can be shown with what is here: some keyframe at or before it (or the start),
   * and every chunk from there on.
   * @param by what a keyframe must hold: a snapshot to re-simulate from, or a frame to draw
   */
  ready(step: number, by: 'snapshot' | 'frame' = 'snapshot'): boolean {
    const { steps, chunkSteps } = this.opened
    const to = Math.min(step, steps)
    if (this.keyframes.some((keyframe) => keyframe.step === to && keyframe[by] !== null)) return true
    if (to === 0) return by === 'snapshot'
    let lowest = Math.floor((to - 1) / chunkSteps)
    if (this.have[lowest] !== 1) return false
    while (lowest > 0 && this.have[lowest - 1] === 1) lowest--
    if (lowest === 0 && by === 'snapshot') return true
    return this.keyframes.some(
      (keyframe) => keyframe.step >= lowest * chunkSteps && keyframe.step <= to && keyframe[by] !== null,
    )
  }

  /**
   * Puts one chunk in its place; a chunk that is already here changes nothing.
   * @throws TroupeError bad-message when it does not belong to this replay
   */
  add(chunk: ReplayChunk): void {
    const { stream, steps, chunkSteps, header, probabilities, values } = this.opened
    const agents = header.agents.length
    const first = chunk.index * chunkSteps
    const count = Math.min(chunkSteps, steps - first)
    const fits =
      chunk.stream === stream &&
      chunk.index < this.have.length &&
      chunk.first === first &&
      chunk.steps === count &&
      chunk.actions.length === count * agents * header.action.dims &&
      chunk.actions.constructor === this.actions.constructor &&
      chunk.probability.length === count * agents * probabilities &&
      chunk.value.length === (values ? count * agents : 0)
    if (!fits) {
      throw badChunk(
        `index ${chunk.index}`,
        `${chunk.steps} steps from ${chunk.first} of stream ${chunk.stream}`,
        `a part of stream ${stream} with ${this.have.length} chunks of ${chunkSteps} steps`,
      )
    }
    if (this.have[chunk.index] === 1) return
    this.have[chunk.index] = 1
    this.missing--
    this.actions.set(chunk.actions, first * agents * header.action.dims)
    this.digests.set(chunk.digests, first)
    this.probability?.set(chunk.probability, first * agents * probabilities)
    this.value?.set(chunk.value, first * agents)
    for (const { index, sha256 } of chunk.chain) if (index < this.chain.length) this.chain[index] = sha256
    this.keyframes.push(...chunk.keyframes)
    this.keyframes.sort((a, b) => a.step - b.step)
    this.notes.push(...chunk.notes)
    this.notes.sort((a, b) => a.step - b.step)
  }
}
