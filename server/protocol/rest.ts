/**
 * What the leaderboard says over HTTP: every resource as a schema and a type. Requests are closed (an unknown field is
 * refused), answers are open: a later server may say more.
 *
 * Words: an *entry* is one submission and what became of it; it has one id in all its lives. Levels of evidence:
 * 0 claimed (numbers only, never ranked), 1 replayed (actions on seeds that the server chose, played again by the server),
 * 2 live (the server held the seeds and stepped the world), 3 executed (the server ran the policy; not offered yet).
 */
import { Type, type Static, type TSchema } from '#typebox'
import { Count, ErrorBody, MaybeNumber, Name } from './hello.ts'

const closed = { additionalProperties: false } as const
/** One of a list: a union of literals, which TypeBox and ajv both check. */
const words = <const T extends string>(list: readonly T[], description?: string) =>
  Type.Unsafe<T>(
    Type.Union(
      list.map((word) => Type.Literal(word)),
      description === undefined ? {} : { description },
    ),
  )
const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const Text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description === undefined ? {} : { description }) })
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Seed = Type.String({ pattern: '^[0-9a-f]{32}$', description: '128 bits as hex digits.' })
const Time = Type.String({ maxLength: 40, description: 'ISO time, UTC.' })
const ScenarioId = Type.String({ minLength: 1, maxLength: 120 })

/** Id of an entry: 20 letters and digits drawn by the server. */
export const EntryId = Type.String({ pattern: '^[0-9a-z]{20}$' })

// --- levels, states, kinds

export const LEVELS = ['claimed', 'replayed', 'live', 'executed'] as const
export type Level = (typeof LEVELS)[number]
export const LevelName = words(LEVELS, 'Evidence: what the server did to be sure of the score.')

/**
 * open: seeds are given, nothing has come yet · received: all bytes are on disk · checked: the cheap checks passed ·
 * queued: waits for a worker · running: episodes are played again · scored: numbers are computed · published: on the
 * board · failed: what came is not what it should be (the sentence says where) · expired: a clock ran out.
 */
export const STATES = [
  'open',
  'received',
  'checked',
  'queued',
  'running',
  'scored',
  'published',
  'failed',
  'expired',
] as const
export type SubmissionState = (typeof STATES)[number]
export const StateName = words(STATES)

/** Panels of episodes. replayed: of level 1, its own for every entry. shared, fresh: of level 2. */
export const PANELS = ['replayed', 'shared', 'fresh'] as const
export type Panel = (typeof PANELS)[number]
export const PanelName = words(PANELS)

/** policy: one frozen policy. algorithm: independent training runs of one recipe, statistics over runs. */
export const BOARD_KINDS = ['policy', 'algorithm'] as const
export type BoardKind = (typeof BOARD_KINDS)[number]
export const BoardKindName = words(BOARD_KINDS)

export const STANDINGS = ['ranked', 'claimed', 'partial', 'failed', 'hidden'] as const
/** partial: an algorithm with too few runs, or a suite with scenarios missing. Only `ranked` has a rank. */
export const Standing = words(STANDINGS)
export type Standing = (typeof STANDINGS)[number]

// --- what somebody says about a policy

/** Compute is self-declared, and shown as such beside every score. */
export const Compute = Type.Object(
  {
    steps: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Environment steps of training.' }),
    ),
    seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 1e12, description: 'Wall time of training.' })),
    device: Type.Optional(Text(200)),
  },
  closed,
)
export type Compute = Static<typeof Compute>

/** All text is shown as text: nothing in it is ever read as markup. */
export const Description = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 120, description: 'What the row is called.' }),
    authors: Type.Optional(Text(400)),
    algorithm: Type.String({ minLength: 1, maxLength: 120 }),
    recipe: Type.Optional(
      Type.String({
        maxLength: 120,
        description: 'Name of the settings. Entries of one key, algorithm and recipe are runs of one algorithm row.',
      }),
    ),
    trainingSeed: Type.Optional(Text(200, 'Root seed of the training run; tells the runs of a recipe apart.')),
    settings: Type.Optional(Type.Record(Type.String({ maxLength: 120 }), Type.Unknown())),
    mode: words(['greedy', 'sample', 'scripted', 'planner', 'other'], 'How actions were chosen.'),
    centralised: Type.Boolean({ description: 'Whether one mind saw the observations of several agents.' }),
    privileged: Type.Optional(Type.Boolean({ description: 'Whether it saw more than observations.' })),
    policyHash: Type.Optional(Sha256),
    code: Type.Optional(Text(400, 'Where the code is.')),
    paper: Type.Optional(Text(1000)),
    notes: Type.Optional(Text(4000)),
    compute: Type.Optional(Compute),
    package: Type.Optional(Text(100, 'Version of troupe that played.')),
  },
  closed,
)
export type Description = Static<typeof Description>

// --- scenarios

export const ScenarioRow = Type.Object({
  id: Name,
  title: Name,
  env: Name,
  version: Name,
  /** Content hash: entries belong to it, so a changed scenario starts a new board. */
  hash: Sha256,
  agents: Count,
  horizon: nullable(Count),
  teamReward: Name,
  /** Episodes of a replayed entry. */
  episodes: Count,
  reference: Type.Object({ random: MaybeNumber, best: MaybeNumber }),
  suites: Type.Array(Name),
  /** Entries by level, failed and hidden ones not counted. */
  entries: Type.Record(Type.String(), Count),
})
export type ScenarioRow = Static<typeof ScenarioRow>

/** GET /api/scenarios */
export const ScenarioList = Type.Object({
  scenarios: Type.Array(ScenarioRow),
  suites: Type.Array(Type.Object({ id: Name, title: Name, scenarios: Type.Array(Name) })),
})
export type ScenarioList = Static<typeof ScenarioList>

/** GET /api/scenarios/:id */
export const ScenarioDetail = Type.Object({
  row: ScenarioRow,
  scenario: Type.Record(Type.String(), Type.Unknown(), { description: 'The scenario in full.' }),
})
export type ScenarioDetail = Static<typeof ScenarioDetail>

// --- submissions

/** POST /api/submissions. A header `Idempotency-Key` makes asking twice the same as asking once. */
export const NewSubmission = Type.Object(
  {
    scenario: ScenarioId,
    scenarioHash: Type.Optional(Sha256),
    level: words(['claimed', 'replayed', 'live']),
    description: Description,
    claim: Type.Optional(
      Type.Object(
        {
          mean: Type.Number({ description: 'Mean return; a replayed entry must be worth it.' }),
          episodes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
        },
        closed,
      ),
    ),
    blind: Type.Optional(Type.Boolean({ description: 'Hides name, authors and links until the owner shows them.' })),
  },
  closed,
)
export type NewSubmission = Static<typeof NewSubmission>

export const Failure = Type.Object({
  /** bad-file, not-genuine, bad-action, wrong-score, wrong-episode, too-large, timeout, infrastructure, … */
  code: Name,
  /** One sentence. */
  message: Type.String({ maxLength: 2000 }),
  /** Where it differs first, where that can be said. */
  episode: Type.Optional(Count),
  step: Type.Optional(Count),
  expected: Type.Optional(Text(1000)),
  actual: Type.Optional(Text(1000)),
  /** Whose fault: a machine's failure is tried again and never counts against a quota. */
  fault: words(['submission', 'server']),
})
export type Failure = Static<typeof Failure>

export const Submission = Type.Object({
  id: EntryId,
  scenario: Name,
  level: LevelName,
  state: StateName,
  /** When it came into this state, and when the state's clock runs out (null: never). */
  since: Time,
  until: nullable(Time),
  createdAt: Time,
  /** Submissions before it in the queue: 0 is next. null when it does not wait. */
  queuePosition: nullable(Count),
  /** Episodes done of all, while it runs. */
  progress: Type.Object({ done: Count, of: Count }),
  failure: nullable(Failure),
  history: Type.Array(Type.Object({ state: StateName, at: Time })),
  /** For the owner only: what it is called, and the seeds to play, in order. Others get null. */
  name: nullable(Name),
  seeds: nullable(Type.Array(Seed)),
  /** Where to read on: the entry once published or failed, else the submission. */
  links: Type.Object({ self: Name, upload: nullable(Name), entry: nullable(Name) }),
})
export type Submission = Static<typeof Submission>

/** GET /api/submissions: the queue and what went before, newest first. */
export const SubmissionList = Type.Object({
  submissions: Type.Array(Submission),
  total: Count,
  offset: Count,
  limit: Count,
  queue: Type.Object({ waiting: Count, running: Count }),
})
export type SubmissionList = Static<typeof SubmissionList>

// --- boards

export const Score = Type.Object({
  mean: Type.Number(),
  iqm: Type.Number(),
  std: Type.Number({ minimum: 0 }),
  /** 95 % percentile bootstrap by episode (policy) or by run within each task (algorithm, of the IQM). */
  interval: nullable(Type.Tuple([Type.Number(), Type.Number()])),
  /** Standard error that ranks are taken from. */
  error: MaybeNumber,
})
export type Score = Static<typeof Score>

export const RankRange = Type.Object({
  /** Place by the point value; equal values share the better one. */
  rank: Count,
  /** 1 + those that are better beyond doubt. */
  best: Count,
  /** All, less those that are worse beyond doubt. */
  worst: Count,
})
export type RankRange = Static<typeof RankRange>

export const BoardRow = Type.Object({
  /** Of the entry; of an algorithm row, a name of its own. */
  id: Name,
  standing: Standing,
  /** null unless `ranked`. */
  rank: nullable(RankRange),
  level: LevelName,
  name: Name,
  authors: Type.String({ maxLength: 400 }),
  blind: Type.Boolean(),
  algorithm: Name,
  recipe: Name,
  trainingSeed: nullable(Name),
  mode: Name,
  centralised: Type.Boolean(),
  privileged: Type.Boolean(),
  /** null for a failed or hidden row. */
  score: nullable(Score),
  episodes: Count,
  /** Entries behind the row: 1 on a policy board. */
  runs: Type.Array(EntryId),
  /** Of a suite: scenarios with a score, of all. */
  tasks: Type.Optional(Type.Object({ done: Count, of: Count })),
  compute: nullable(Compute),
  disputed: Type.Boolean(),
  /** Words shown beside the row, e.g. 'shared panel above fresh panel'. */
  flags: Type.Array(Name),
  /** Why it failed or is hidden; else null. */
  reason: nullable(Text(2000)),
  /** Means per panel of a live entry. */
  panels: Type.Optional(Type.Record(Type.String(), Type.Object({ mean: Type.Number(), episodes: Count }))),
  publishedAt: Time,
  /** Its number in the log. */
  log: nullable(Count),
})
export type BoardRow = Static<typeof BoardRow>

export const LogHead = Type.Object({
  /** Number of the last record; 0 when there is none. */
  seq: Count,
  hash: Sha256,
  at: nullable(Time),
  /** Ed25519 over "troupe-log-1|" and the hash, base64. */
  signature: nullable(Text(200)),
  /** Raw Ed25519 public key, base64. */
  publicKey: Text(200),
})
export type LogHead = Static<typeof LogHead>

/** GET /api/boards/:scenario and GET /api/suites/:suite/board */
export const BoardPage = Type.Object({
  board: Type.Object({
    scenario: nullable(ScenarioRow),
    suite: nullable(Name),
    kind: BoardKindName,
    level: LevelName,
    /** How the rows were measured and compared, in words. */
    protocol: Text(1000),
    minimumRuns: Count,
  }),
  rows: Type.Array(BoardRow),
  total: Count,
  ranked: Count,
  offset: Count,
  limit: Count,
  /** Rows per level of this board. */
  levels: Type.Record(Type.String(), Count),
  log: LogHead,
})
export type BoardPage = Static<typeof BoardPage>

// --- one entry

export const EpisodeRow = Type.Object({
  panel: PanelName,
  episode: Count,
  /** null while the epoch's key is secret. */
  seed: nullable(Seed),
  /** null: it was started and never finished, or failed. */
  return: MaybeNumber,
  length: nullable(Count),
  terminated: nullable(Type.Boolean()),
  truncated: nullable(Type.Boolean()),
  returns: Type.Array(Type.Number()),
  metrics: Type.Record(Type.String(), MaybeNumber),
  /** Last entry of the replay's SHA-256 chain. */
  chain: nullable(Sha256),
  /** Id for /api/replays/:id and the viewer; null while it may not be shown. */
  replay: nullable(Name),
  note: nullable(Text(500)),
})
export type EpisodeRow = Static<typeof EpisodeRow>

export const Dispute = Type.Object({ at: Time, by: Name, text: Text(2000) })
export type Dispute = Static<typeof Dispute>

/** GET /api/entries/:id */
export const EntryDetail = Type.Object({
  row: BoardRow,
  scenario: Type.Record(Type.String(), Type.Unknown()),
  scenarioHash: Sha256,
  description: nullable(Description),
  claim: nullable(Type.Object({ mean: Type.Number(), episodes: Type.Optional(Count) })),
  failure: nullable(Failure),
  environment: Type.Object({ id: Name, version: Name }),
  /** Version of troupe on the server that checked it. */
  package: Name,
  /** Content hash of all replays; null when there are none. GET /api/entries/:id/bundle has the bytes. */
  bundle: nullable(Type.Object({ sha256: Sha256, bytes: Count })),
  epoch: nullable(Type.Object({ id: Count, commitment: Sha256, revealed: Type.Boolean() })),
  /** Worst first. */
  episodes: Type.Array(EpisodeRow),
  episodesTotal: Count,
  /** Milliseconds per step as the server measured them (live). */
  latency: Type.Optional(
    Type.Object({ edgesMs: Type.Array(Type.Number()), counts: Type.Array(Count), late: Count, limitMs: Type.Number() }),
  ),
  disputes: Type.Array(Dispute),
  history: Type.Array(Type.Object({ state: StateName, at: Time })),
  /** The signed record of the log that accepted it. */
  receipt: nullable(Type.Unknown()),
})
export type EntryDetail = Static<typeof EntryDetail>

/** PATCH /api/entries/:id, by the owner or an admin */
export const EntryPatch = Type.Object(
  {
    blind: Type.Optional(Type.Boolean()),
    /** Removes name, authors, links and notes for good; the anonymous row stays. */
    forget: Type.Optional(Type.Literal(true)),
  },
  { ...closed, minProperties: 1 },
)
export type EntryPatch = Static<typeof EntryPatch>

/** POST /api/entries/:id/moderation. hide, show, settle: admin. dispute: any key that may submit. */
export const Moderation = Type.Object(
  {
    action: words(['hide', 'show', 'dispute', 'settle']),
    reason: Type.String({ minLength: 1, maxLength: 2000 }),
  },
  closed,
)
export type Moderation = Static<typeof Moderation>

// --- the log

export const LOG_KINDS = [
  'accepted',
  'failed',
  'hide',
  'show',
  'dispute',
  'settle',
  'epoch-opened',
  'epoch-revealed',
] as const
export type LogKind = (typeof LOG_KINDS)[number]

/**
 * One record. `hash` is SHA-256 of "troupe-log-1|" + the hash before + "|" + canonical JSON of { at, body, kind, seq };
 * the record before the first has 64 zeros.
 */
export const LogRecord = Type.Object({
  seq: Type.Integer({ minimum: 1 }),
  at: Time,
  kind: words(LOG_KINDS),
  body: Type.Record(Type.String(), Type.Unknown()),
  previous: Sha256,
  hash: Sha256,
  signature: Text(200),
})
export type LogRecord = Static<typeof LogRecord>

/** GET /api/log */
export const LogPage = Type.Object({ records: Type.Array(LogRecord), head: LogHead })
export type LogPage = Static<typeof LogPage>

// --- epochs: commitment before, reveal after

export const Epoch = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  openedAt: Time,
  closesAt: Time,
  closedAt: nullable(Time),
  /** SHA-256 of "troupe-epoch-1|" + the key as hex digits. */
  commitment: Sha256,
  /** 32 bytes as hex digits, once the epoch is closed. */
  key: nullable(Sha256),
})
export type Epoch = Static<typeof Epoch>
/** GET /api/epochs, newest first */
export const EpochList = Type.Object({ epochs: Type.Array(Epoch) })
export type EpochList = Static<typeof EpochList>

// --- keys

export const SCOPES = ['read', 'submit', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** POST /api/keys (admin) */
export const NewKey = Type.Object(
  {
    label: Type.String({ minLength: 1, maxLength: 120 }),
    scopes: Type.Array(words(SCOPES), { minItems: 1, maxItems: 3, uniqueItems: true }),
    /** Days until it stops working; default never. */
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 })),
  },
  closed,
)
export type NewKey = Static<typeof NewKey>

export const Key = Type.Object({
  id: Name,
  label: Name,
  /** The first letters of the key, to tell keys apart. */
  prefix: Name,
  scopes: Type.Array(words(SCOPES)),
  createdAt: Time,
  expiresAt: nullable(Time),
  revokedAt: nullable(Time),
  lastUsedAt: nullable(Time),
})
export type Key = Static<typeof Key>
export const KeyList = Type.Object({ keys: Type.Array(Key) })
export type KeyList = Static<typeof KeyList>
/** The only time the key itself is shown. */
export const KeyMade = Type.Object({ key: Key, secret: Type.String({ maxLength: 200 }) })
export type KeyMade = Static<typeof KeyMade>

/** GET /api/boards */
export const BoardsState = Type.Object({
  /** Whether there is a store behind the boards. */
  on: Type.Boolean(),
  /** Why not, or what is wrong, in one sentence; null when all is well. */
  problem: nullable(Text(1000)),
  log: nullable(LogHead),
  limits: Type.Object({
    uploadBytes: Count,
    episodes: Count,
    stepsPerEpisode: Count,
    openPerKey: Count,
    perDay: Count,
  }),
})
export type BoardsState = Static<typeof BoardsState>

export { ErrorBody }
