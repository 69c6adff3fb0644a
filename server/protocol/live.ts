/**
 * Live evaluation over the socket `/live`: the server holds seeds and worlds, the client holds the policy. Text messages
 * begin and end a run; between them every binary message from the server asks for one joint action per lane, and every
 * binary message from the client answers. README.md, "Live evaluation", is the whole protocol for other languages.
 *
 * Nothing here can ask for a world's state, a seed or another agent's observation: there are no such messages.
 */
import { Type, type Static } from '#typebox'
import { TroupeError, shown } from '../../envs/core/errors.ts'
import { type EnvSpec } from '../../envs/core/types.ts'
import { Count, ErrorFields, Name, readMessage } from './hello.ts'
import { Description, EntryId } from './rest.ts'

/** Raised when a message changes its meaning. */
export const LIVE_PROTOCOL = 1
/** Path of the WebSocket on the server. */
export const LIVE_PATH = '/live'

export const LIVE_LIMITS = {
  /** Longest text message of either side, in UTF-16 units. */
  clientMessageBytes: 16_384,
  serverMessageBytes: 4_194_304,
  /** Longest observation frame; fewer lanes are granted where more would not fit. */
  frameBytes: 1_048_576,
  /** Parallel episodes of one run. */
  lanes: 64,
} as const

/** A run that goes on: no returns, so that nobody learns from them. */
export const LiveStatus = Type.Object({
  entry: EntryId,
  scenario: Name,
  /** null for a blind one. */
  name: Type.Union([Name, Type.Null()]),
  openedAt: Name,
  connected: Type.Boolean(),
  episodes: Count,
  ended: Count,
  turns: Count,
  lateTurns: Count,
})
export type LiveStatus = Static<typeof LiveStatus>

/** GET /api/live: runs that go on, oldest first, and the rules of new ones. */
export const LiveList = Type.Object({
  runs: Type.Array(LiveStatus),
  rules: Type.Object({ shared: Count, fresh: Count, stepMs: Count, graceMs: Count, graceTotalMs: Count }),
})
export type LiveList = Static<typeof LiveList>

const closed = { additionalProperties: false } as const
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Token = Type.String({ pattern: '^[0-9a-f]{64}$' })

/** First message: begins a run. Answered by LiveStarted and the first observation frame, or by an error and the end. */
export const LiveStart = Type.Object(
  {
    type: Type.Literal('live.start'),
    protocol: Type.Integer(),
    /** Id of a scenario that this server evaluates. */
    scenario: Type.String({ minLength: 1, maxLength: 120 }),
    /** Parallel episodes wanted; default 1. The server may grant fewer. */
    lanes: Type.Optional(Type.Integer({ minimum: 1, maximum: LIVE_LIMITS.lanes })),
    /** What the submitter says about the policy and how it was made. */
    description: Description,
    /** Hides name, authors and links until the owner shows them. */
    blind: Type.Optional(Type.Boolean()),
    /** API key with the scope `submit`. */
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  closed,
)
export type LiveStart = Static<typeof LiveStart>

/** First message after a lost connection: takes the run up at the turn where it waits. */
export const LiveResume = Type.Object(
  { type: Type.Literal('live.resume'), protocol: Type.Integer(), entry: EntryId, token: Token },
  closed,
)
export type LiveResume = Static<typeof LiveResume>

/** Gives up. The rest of the run is played with default actions, and the run counts. */
export const LiveLeave = Type.Object({ type: Type.Literal('live.leave') }, closed)
export type LiveLeave = Static<typeof LiveLeave>

/** One agent as its policy may know it. */
export const LiveAgent = Type.Object({
  id: Name,
  team: Name,
  kind: Name,
  /** Names of its features in order; entries of the observation beyond them are zero. */
  observation: Type.Array(Name),
  /** discrete and multi-discrete: names of the choices of every dimension; box: the range of every dimension. */
  choices: Type.Array(Type.Array(Name)),
  ranges: Type.Array(Type.Object({ name: Name, low: Type.Number(), high: Type.Number() })),
})
export type LiveAgent = Static<typeof LiveAgent>

/** Shapes of the frames, and who plays. */
export const LiveSpec = Type.Object({
  env: Name,
  version: Name,
  agents: Type.Array(LiveAgent),
  /** F: numbers per observation. */
  observationSize: Count,
  /** A: mask bytes per agent, the sizes of the dimensions one after the other; 0 for box. */
  actionSize: Count,
  /** D: numbers per action. */
  actionDims: Count,
  actionKind: Type.Union([Type.Literal('discrete'), Type.Literal('multi-discrete'), Type.Literal('box')]),
  actionSizes: Type.Array(Count),
  horizon: Type.Union([Count, Type.Null()]),
})
export type LiveSpec = Static<typeof LiveSpec>

/** The run is open: every episode of it counts from now on. The first observation frame follows at once. */
export const LiveStarted = Type.Object({
  type: Type.Literal('live.started'),
  /** The run's id, on the board too. */
  entry: EntryId,
  /** Secret of this run, for `live.resume`. */
  token: Token,
  /** true after `live.resume`. */
  resumed: Type.Boolean(),
  /** The scenario in full and its content hash. */
  scenario: Type.Record(Type.String(), Type.Unknown()),
  scenarioHash: Sha256,
  spec: LiveSpec,
  /** Episodes of the run, both panels together and mixed. */
  episodes: Count,
  lanes: Count,
  /** Time from a frame leaving the server to its answer arriving. */
  stepMs: Count,
  /** How long a lost connection is waited for, each time and in all. */
  graceMs: Count,
  graceTotalMs: Count,
  epoch: Type.Object({ number: Count, commitment: Sha256 }),
})
export type LiveStarted = Static<typeof LiveStarted>

/** The run is over and on record. Nothing follows. */
export const LiveDone = Type.Object({
  type: Type.Literal('live.done'),
  entry: EntryId,
  /** Page of the run, from the root of the server. */
  path: Name,
  episodes: Count,
  /** Mean return over all episodes, and over each panel. */
  return: Type.Object({ mean: Type.Number(), shared: Type.Number(), fresh: Type.Number() }),
  /** Turns that the server played because no legal answer came in time. */
  lateTurns: Count,
  turns: Count,
})
export type LiveDone = Static<typeof LiveDone>

/** A message that could not be served; `final`: the server closes the connection now. The run goes on in both cases. */
export const LiveError = Type.Object({ type: Type.Literal('error'), error: ErrorFields, final: Type.Boolean() })
export type LiveError = Static<typeof LiveError>

export const LIVE_CLIENT_MESSAGES = { 'live.start': LiveStart, 'live.resume': LiveResume, 'live.leave': LiveLeave }
export const LIVE_SERVER_MESSAGES = { 'live.started': LiveStarted, 'live.done': LiveDone, error: LiveError }
export type LiveClientMessage = LiveStart | LiveResume | LiveLeave
export type LiveServerMessage = LiveStarted | LiveDone | LiveError

/** Reads a client's text message. @throws TroupeError bad-message */
export function readLiveClientMessage(text: string): LiveClientMessage {
  return readMessage(text, LIVE_CLIENT_MESSAGES, 'message', LIVE_LIMITS.clientMessageBytes) as LiveClientMessage
}

/** Reads a server's text message; fields it does not know are left alone. @throws TroupeError bad-message */
export function readLiveServerMessage(text: string): LiveServerMessage {
  const { serverMessageBytes } = LIVE_LIMITS
  return readMessage(text, LIVE_SERVER_MESSAGES, 'message from the server', serverMessageBytes) as LiveServerMessage
}

/** The part of a spec that players see: no global state, no scene. */
export function liveSpec(spec: EnvSpec): LiveSpec {
  return {
    env: spec.env,
    version: spec.version,
    agents: spec.agents.map(({ id, team, kind, observation, action }) => ({
      id,
      team,
      kind,
      observation: observation.map(({ name }) => name),
      choices:
        action.kind === 'discrete'
          ? [[...action.names]]
          : action.kind === 'multi-discrete'
            ? action.dimensions.map(({ values }) => [...values])
            : [],
      ranges: action.kind === 'box' ? action.dimensions.map(({ name, low, high }) => ({ name, low, high })) : [],
    })),
    observationSize: spec.observationSize,
    actionSize: spec.actionSize,
    actionDims: spec.actionDims,
    actionKind: spec.actionKind,
    actionSizes: [...spec.actionSizes],
    horizon: spec.horizon,
  }
}

// --- binary messages; all numbers little-endian

const OBSERVATION_MAGIC = 0x314c5254 // "TRL1"
const ACTION_MAGIC = 0x31415254 // "TRA1"
const OBSERVATION_HEAD = 28
const ACTION_HEAD = 16
/** Flag: the turn before was played by the server, since no legal answer had come in time. */
const LATE = 1

/** n lanes that wait for an action, N agents, F features, A mask bytes. */
export interface ObservationFrame {
  /** Number of this question, 0, 1, 2 … over the whole run. The answer repeats it. */
  readonly turn: number
  /** Whether the turn before was played by the server with default actions. */
  readonly late: boolean
  /** [n] which episode of the run each lane plays. */
  readonly episode: Uint32Array
  /** [n] steps done in it; 0 = its first observation: policies with a memory forget now. */
  readonly step: Uint32Array
  readonly agents: number // N
  readonly observation: Float32Array // [n, N, F]
  readonly mask: Uint8Array // [n, N, A] 1 = legal
  readonly alive: Uint8Array // [n, N]
}

/** Bytes of an observation frame. */
export function observationBytes(lanes: number, agents: number, features: number, actions: number): number {
  const flags = lanes * agents * (actions + 1)
  return OBSERVATION_HEAD + lanes * 8 + lanes * agents * features * 4 + flags + padding(flags)
}

export function encodeObservation(frame: ObservationFrame, features: number, actions: number): Uint8Array {
  const n = frame.episode.length
  const { agents } = frame
  const bytes = new Uint8Array(observationBytes(n, agents, features, actions))
  const view = new DataView(bytes.buffer)
  const head = [OBSERVATION_MAGIC, frame.turn, n, agents, features, actions, frame.late ? LATE : 0]
  head.forEach((word, i) => view.setUint32(i * 4, word, true))
  let at = OBSERVATION_HEAD
  for (let lane = 0; lane < n; lane++, at += 8) {
    view.setUint32(at, frame.episode[lane], true)
    view.setUint32(at + 4, frame.step[lane], true)
  }
  for (let i = 0; i < n * agents * features; i++, at += 4) view.setFloat32(at, frame.observation[i], true)
  bytes.set(frame.mask, at)
  bytes.set(frame.alive, at + frame.mask.length)
  return bytes
}

/** Reads an observation frame. @throws TroupeError bad-message */
export function decodeObservation(bytes: Uint8Array): ObservationFrame & { features: number; actions: number } {
  const where = 'observation frame'
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < OBSERVATION_HEAD || view.getUint32(0, true) !== OBSERVATION_MAGIC) {
    throw malformed(where, headOf(bytes), 'TRL1 and a head of 28 bytes')
  }
  const [turn, n, agents, features, actions, flags] = [4, 8, 12, 16, 20, 24].map((at) => view.getUint32(at, true))
  // In floating point: no overflow, so that a head of huge sizes cannot pass for a small frame.
  const expected = observationBytes(n, agents, features, actions)
  if (bytes.length !== expected) throw malformed(`${where}: length`, `${bytes.length} bytes`, `${expected}`)
  const episode = new Uint32Array(n)
  const step = new Uint32Array(n)
  let at = OBSERVATION_HEAD
  for (let lane = 0; lane < n; lane++, at += 8) {
    episode[lane] = view.getUint32(at, true)
    step[lane] = view.getUint32(at + 4, true)
  }
  const observation = new Float32Array(n * agents * features)
  for (let i = 0; i < observation.length; i++, at += 4) observation[i] = view.getFloat32(at, true)
  const mask = bytes.slice(at, at + n * agents * actions)
  const alive = bytes.slice(at + mask.length, at + mask.length + n * agents)
  const late = (flags & LATE) !== 0
  return { turn, late, episode, step, agents, features, actions, observation, mask, alive }
}

export interface ActionFrame {
  readonly turn: number
  readonly lanes: number // n, as in the question
  /** [n, N, D], lanes in the order of the question. */
  readonly action: Int32Array | Float32Array
}

export function encodeActions({ turn, lanes, action }: ActionFrame): Uint8Array {
  const bytes = new Uint8Array(ACTION_HEAD + action.length * 4)
  const view = new DataView(bytes.buffer)
  const head = [ACTION_MAGIC, turn, lanes, lanes === 0 ? 0 : action.length / lanes]
  head.forEach((word, i) => view.setUint32(i * 4, word, true))
  const box = action instanceof Float32Array
  for (let i = 0, at = ACTION_HEAD; i < action.length; i++, at += 4) {
    if (box) view.setFloat32(at, action[i], true)
    else view.setInt32(at, action[i], true)
  }
  return bytes
}

/**
 * Reads an answer.
 * @param width numbers per lane, N × D
 * @throws TroupeError bad-message; whether the actions are legal is the world's business
 */
export function decodeActions(bytes: Uint8Array, width: number, box: boolean): ActionFrame {
  const where = 'action frame'
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < ACTION_HEAD || view.getUint32(0, true) !== ACTION_MAGIC) {
    throw malformed(where, headOf(bytes), 'TRA1 and a head of 16 bytes')
  }
  const [turn, lanes, numbers] = [4, 8, 12].map((at) => view.getUint32(at, true))
  if (numbers !== width) throw malformed(`${where}: numbers per lane`, String(numbers), String(width))
  const expected = ACTION_HEAD + lanes * width * 4
  if (bytes.length !== expected) throw malformed(`${where}: length`, `${bytes.length} bytes`, `${expected}`)
  const action = box ? new Float32Array(lanes * width) : new Int32Array(lanes * width)
  for (let i = 0, at = ACTION_HEAD; i < action.length; i++, at += 4) {
    action[i] = box ? view.getFloat32(at, true) : view.getInt32(at, true)
  }
  return { turn, lanes, action }
}

const padding = (bytes: number): number => (4 - (bytes % 4)) % 4

const headOf = (bytes: Uint8Array): string =>
  bytes.length < 4 ? `${bytes.length} bytes` : shown(String.fromCharCode(...bytes.subarray(0, 4)))

const malformed = (where: string, got: string, expected: string): TroupeError =>
  new TroupeError('bad-message', { where, got, expected })
