/** Messages about training runs: the list, one run's progress, and its evaluation episodes as they are written. */
import { Type, type Static } from '#typebox'
import { ClientNumber, Count, MaybeNumber, Name, StreamNumber } from './hello.ts'
import { ReplayId, ReplayInfo, Skipped } from './replays.ts'

const closed = { additionalProperties: false } as const

export const RunId = Type.String({ minLength: 1, maxLength: 200 })

// --- what is known about a run

/** Of one evaluation: over its episodes. `interval` is a 95 % interval of the mean. */
export const ReturnSummary = Type.Object({
  mean: MaybeNumber,
  std: Type.Optional(MaybeNumber),
  min: Type.Optional(MaybeNumber),
  max: Type.Optional(MaybeNumber),
  interval: Type.Optional(Type.Tuple([MaybeNumber, MaybeNumber])),
})
export type ReturnSummary = Static<typeof ReturnSummary>

const Metrics = Type.Record(Type.String(), MaybeNumber)

/** One learner update. Steps are environment steps over all lanes. */
export const RunUpdate = Type.Object({
  kind: Type.Literal('update'),
  step: Count,
  steps: Type.Optional(Count),
  stepsPerSecond: Type.Optional(MaybeNumber),
  secondsLeft: Type.Optional(MaybeNumber),
  metrics: Metrics,
})
export type RunUpdate = Static<typeof RunUpdate>

/** One evaluation of the policy. */
export const RunEvaluation = Type.Object({
  kind: Type.Literal('evaluation'),
  step: Count,
  return: ReturnSummary,
  metrics: Metrics,
  /** Id of a recorded episode, where there is one. */
  replay: Type.Optional(ReplayId),
})
export type RunEvaluation = Static<typeof RunEvaluation>

/**
 * `lost` is the server's word: the files say running, but the process is gone and nothing was written for a minute.
 */
export const RunStatus = Type.Union([
  Type.Literal('running'),
  Type.Literal('finished'),
  Type.Literal('interrupted'),
  Type.Literal('diverged'),
  Type.Literal('failed'),
  Type.Literal('lost'),
])
export type RunStatus = Static<typeof RunStatus>

/** One row of GET /api/runs. */
export const RunInfo = Type.Object({
  id: RunId,
  status: RunStatus,
  algorithm: Name,
  /** Scenario id. */
  scenario: Name,
  title: Name,
  env: Name,
  seed: Type.Union([Type.String({ maxLength: 200 }), Type.Number()]),
  /** ISO time. */
  startedAt: Name,
  /** ISO time of the last change of any of its files that the server reads. */
  updatedAt: Name,
  step: Count,
  steps: Count,
  /** Of the last evaluation; null before the first. */
  return: Type.Union([ReturnSummary, Type.Null()]),
  latestReplay: Type.Union([ReplayId, Type.Null()]),
})
export type RunInfo = Static<typeof RunInfo>

/** GET /api/runs, newest first */
export const RunList = Type.Object({ runs: Type.Array(RunInfo), skipped: Type.Array(Skipped) })
export type RunList = Static<typeof RunList>

/** GET /api/runs/:id, and the first message of a subscription */
export const RunDetail = Type.Object({
  run: RunInfo,
  /** The scenario in full. */
  scenario: Type.Record(Type.String(), Type.Unknown()),
  settings: Type.Record(Type.String(), Type.Unknown()),
  /** In order of steps. */
  evaluations: Type.Array(RunEvaluation),
  /** The last update; null before the first. */
  update: Type.Union([RunUpdate, Type.Null()]),
  /** Newest first, at most 1,000. */
  replays: Type.Array(ReplayId),
  /** The result record (results/record.ts) once it is written, else null. */
  record: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  /** What could not be read, e.g. a damaged log line. */
  problems: Type.Array(Type.String({ maxLength: 2000 })),
})
export type RunDetail = Static<typeof RunDetail>

// --- from the client

/** Follows the list of runs. Answered by `runs.listed`, then `runs.changed` as things change. */
export const RunsSubscribe = Type.Object({ type: Type.Literal('runs.subscribe'), subscription: ClientNumber }, closed)
export type RunsSubscribe = Static<typeof RunsSubscribe>

/** Follows one run. Answered by `run.opened`, or by an error with this subscription. */
export const RunSubscribe = Type.Object(
  {
    type: Type.Literal('run.subscribe'),
    subscription: ClientNumber,
    run: RunId,
    /**
     * What to do with each new evaluation replay: nothing; tell its id (default); or tell and stream it at once.
     * With 'stream' the newest replay that exists already is streamed as well.
     */
    replays: Type.Optional(
      Type.Union([Type.Literal('none'), Type.Literal('announce'), Type.Literal('stream')], { default: 'announce' }),
    ),
  },
  closed,
)
export type RunSubscribe = Static<typeof RunSubscribe>

// --- from the server

export const RunsListed = Type.Object({
  type: Type.Literal('runs.listed'),
  subscription: ClientNumber,
  runs: Type.Array(RunInfo),
  skipped: Type.Array(Skipped),
})
export type RunsListed = Static<typeof RunsListed>

/** Runs that are new or look different, and ids of runs that are gone. */
export const RunsChanged = Type.Object({
  type: Type.Literal('runs.changed'),
  subscription: ClientNumber,
  runs: Type.Array(RunInfo),
  removed: Type.Array(RunId),
})
export type RunsChanged = Static<typeof RunsChanged>

export const RunOpened = Type.Object({
  type: Type.Literal('run.opened'),
  subscription: ClientNumber,
  detail: RunDetail,
})
export type RunOpened = Static<typeof RunOpened>

/**
 * What is new. A viewer that reads slowly gets the latest update only (`skipped` counts the updates left out),
 * but every evaluation. After a run was resumed they come again from the first: one of the same step takes the place
 * of the earlier.
 */
export const RunProgress = Type.Object({
  type: Type.Literal('run.progress'),
  subscription: ClientNumber,
  run: RunInfo,
  update: Type.Union([RunUpdate, Type.Null()]),
  evaluations: Type.Array(RunEvaluation),
  skipped: Count,
})
export type RunProgress = Static<typeof RunProgress>

/**
 * A new evaluation episode was recorded. When `stream` is there, `replay.opened` and its chunks follow on that stream.
 * A viewer that reads slowly hears of the newest only (`skipped` counts those left out).
 */
export const RunReplay = Type.Object({
  type: Type.Literal('run.replay'),
  subscription: ClientNumber,
  replay: ReplayInfo,
  stream: Type.Optional(StreamNumber),
  skipped: Count,
})
export type RunReplay = Static<typeof RunReplay>

/** The run's folder is gone; the subscription has ended. */
export const RunGone = Type.Object({ type: Type.Literal('run.gone'), subscription: ClientNumber, run: RunId })
export type RunGone = Static<typeof RunGone>

export const RUN_CLIENT_MESSAGES = { 'runs.subscribe': RunsSubscribe, 'run.subscribe': RunSubscribe }
export const RUN_SERVER_MESSAGES = {
  'runs.listed': RunsListed,
  'runs.changed': RunsChanged,
  'run.opened': RunOpened,
  'run.progress': RunProgress,
  'run.replay': RunReplay,
  'run.gone': RunGone,
}
