/** Every route of the leaderboard, as one table. Handlers parse, call and answer; what they call is in `boards.ts`. */
import { Type, type TSchema } from '#typebox'
import { TroupeError } from '../../envs/core/errors.ts'
import { type Boards } from '../boards.ts'
import { replayIdOf } from '../boards.ts'
import { scenarioRow, type Task } from '../catalog.ts'
import { shownEpoch } from '../epochs.ts'
import { badge, boardCsv, boardLatex, boardMarkdown, boardMarlEval, submissionsCsv } from '../exports.ts'
import { makeKey, revokeKey, rotateKey, shownKey } from '../keys.ts'
import { appendRecord } from '../log.ts'
import { Refusal } from '../refusal.ts'
import { BUNDLE_TYPE } from '../protocol/bundle.ts'
import {
  BOARD_KINDS,
  BoardPage,
  EntryDetail,
  EntryPatch,
  Epoch,
  EpochList,
  Key,
  KeyList,
  KeyMade,
  LEVELS,
  LogHead,
  LogPage,
  Moderation,
  NewKey,
  NewSubmission,
  STATES,
  ScenarioDetail,
  ScenarioList,
  Submission,
  SubmissionList,
  type BoardKind,
  type BoardRow,
  type EpisodeRow,
  type Level,
  type SubmissionState,
} from '../protocol/rest.ts'
import { LiveList } from '../protocol/live.ts'
import { type EntryRow, type EpisodeRecord, type KeyRow } from '../store/store.ts'
import { textOf, type Page } from '../standings.ts'
import { type Asked, type Route, type Said } from './route.ts'

const oneOf = (list: readonly string[]) => Type.Union(list.map((word) => Type.Literal(word)))
const Offset = Type.Integer({ minimum: 0, maximum: 10_000_000, default: 0 })
const Limit = (most: number, usual: number) => Type.Integer({ minimum: 1, maximum: most, default: usual })
const closed = { additionalProperties: false } as const
const page = (extra: Record<string, TSchema> = {}, most = 500, usual = 50) =>
  Type.Object({ offset: Type.Optional(Offset), limit: Type.Optional(Limit(most, usual)), ...extra }, closed)

const BoardQuery = { kind: Type.Optional(oneOf(BOARD_KINDS)), level: Type.Optional(oneOf(LEVELS)) }
const FORMATS = ['csv', 'json', 'markdown', 'latex', 'marl-eval'] as const
const JSON_TYPE = 'application/json; charset=utf-8'
/** Rows of an export at most. */
const EXPORT_ROWS = 100_000
const EPISODES_PAGE = 2_000

const POLICY_WORDS =
  'Mean return over the episodes of one frozen policy; 95 % percentile bootstrap by episode. Ranks are ranges wherever the 95 % interval of the difference of two means includes 0.'
const ALGORITHM_WORDS =
  'IQM over independent training runs of one recipe; 95 % percentile bootstrap by run, within each task. Of one training seed the first entry counts.'
const SUITE_WORDS = ' Scores are normalised by the reference returns of each scenario: 0 random play, 1 the best known.'

/** @param openapi the document, made from this table */
export function boardRoutes(openapi: () => unknown): Route[] {
  return [
    {
      method: 'get',
      path: '/openapi.json',
      summary: 'This interface as an OpenAPI document',
      answer: Type.Record(Type.String(), Type.Unknown()),
      handle: async () => ({ json: openapi() }),
    },
    {
      method: 'get',
      path: '/scenarios',
      summary: 'Scenarios that have boards, and suites of them',
      answer: ScenarioList,
      handle: async ({ boards }) => {
        const counts = await boards.standings.counts()
        const scenarios = boards.catalog.all().map((task) => scenarioRow(task, { ...counts.get(task.hash) }))
        const suites = boards.catalog.suites.map((suite) => ({ ...suite, scenarios: [...suite.scenarios] }))
        return { json: { scenarios, suites } satisfies ScenarioList }
      },
    },
    {
      method: 'get',
      path: '/scenarios/{scenario}',
      summary: 'One scenario in full',
      answer: ScenarioDetail,
      handle: async ({ boards, params }) => {
        const task = boards.catalog.task(params.scenario)
        const counts = await boards.standings.counts()
        const row = scenarioRow(task, { ...counts.get(task.hash) })
        return { json: { row, scenario: { ...task.scenario } } satisfies ScenarioDetail }
      },
    },
    {
      method: 'get',
      path: '/boards/{scenario}',
      summary: 'A page of the board of one scenario',
      query: page(BoardQuery),
      answer: BoardPage,
      handle: async ({ boards, params, query }) => {
        const task = boards.catalog.task(params.scenario)
        const { kind, level, offset, limit, levels } = await boardQuery(boards, task, query)
        const { standings } = boards
        const page =
          kind === 'policy'
            ? await standings.policiesText(task, level, offset, limit)
            : textOf(await standings.algorithms(task, level, offset, limit))
        const words = kind === 'policy' ? POLICY_WORDS : ALGORITHM_WORDS
        const scenario = scenarioRow(task, levels)
        const board = { scenario, suite: null, kind, level, protocol: words, minimumRuns: kind === 'policy' ? 1 : 5 }
        const { rows, ...counts } = page
        const rest = { board, rows: [], ...counts, offset, limit, levels, log: await boards.head() } satisfies BoardPage
        // The rows are text already: a large board has many readers.
        return { text: JSON.stringify(rest).replace('"rows":[]', () => `"rows":${rows}`), type: JSON_TYPE }
      },
    },
    {
      method: 'get',
      path: '/boards/{scenario}/export',
      summary: 'A whole board as a file',
      query: Type.Object({ ...BoardQuery, format: Type.Optional(oneOf(FORMATS)) }, closed),
      answer: { type: 'text/csv', description: 'CSV, JSON, Markdown, LaTeX or marl-eval JSON' },
      handle: async ({ boards, params, query }) => {
        const task = boards.catalog.task(params.scenario)
        const { kind, level } = await boardQuery(boards, task, query)
        const { rows } = await rowsOf(boards, task, kind, level, 0, EXPORT_ROWS)
        return exported(boards, task, String(query.format ?? 'csv'), `${task.scenario.id}-${kind}-${level}`, rows)
      },
    },
    {
      method: 'get',
      path: '/suites/{suite}/board',
      summary: 'A page of the board of a suite',
      query: page(BoardQuery),
      answer: BoardPage,
      handle: async ({ boards, params, query }) => {
        const suite = boards.catalog.suite(params.suite)
        const kind = (query.kind ?? 'algorithm') as BoardKind
        const levels = await suiteLevels(boards, suite.scenarios)
        const level = (query.level as Level | undefined) ?? usualLevel(levels)
        const { offset = 0, limit = 50 } = query as { offset?: number; limit?: number }
        const rows = await boards.standings.suite(suite, kind, level, offset, limit)
        const protocol = (kind === 'policy' ? POLICY_WORDS : ALGORITHM_WORDS) + SUITE_WORDS
        const minimumRuns = kind === 'policy' ? 1 : 5
        const board = { scenario: null, suite: suite.id, kind, level, protocol, minimumRuns }
        return { json: { board, ...rows, offset, limit, levels, log: await boards.head() } satisfies BoardPage }
      },
    },
    ...submissionRoutes(),
    ...entryRoutes(),
    ...logRoutes(),
    ...keyRoutes(),
  ]
}

// --- boards

const usualLevel = (levels: Partial<Record<Level, number>>): Level =>
  (['live', 'replayed', 'claimed'] as const).find((level) => (levels[level] ?? 0) > 0) ?? 'replayed'

async function suiteLevels(boards: Boards, scenarios: readonly string[]): Promise<Record<string, number>> {
  const counts = await boards.standings.counts()
  const levels: Record<string, number> = {}
  for (const id of scenarios) {
    for (const [level, count] of Object.entries(counts.get(boards.catalog.task(id).hash) ?? {})) {
      levels[level] = (levels[level] ?? 0) + count
    }
  }
  return levels
}

async function boardQuery(boards: Boards, task: Task, query: Readonly<Record<string, unknown>>) {
  const levels: Record<string, number> = { ...(await boards.standings.counts()).get(task.hash) }
  const kind = (query.kind ?? 'policy') as BoardKind
  const level = (query.level as Level | undefined) ?? usualLevel(levels)
  const { offset = 0, limit = 50 } = query as { offset?: number; limit?: number }
  return { kind, level, offset, limit, levels }
}

function rowsOf(
  boards: Boards,
  task: Task,
  kind: BoardKind,
  level: Level,
  offset: number,
  limit: number,
): Promise<Page> {
  const { standings } = boards
  return kind === 'policy'
    ? standings.policies(task, level, offset, limit)
    : standings.algorithms(task, level, offset, limit)
}

async function exported(
  boards: Boards,
  task: Task,
  format: string,
  name: string,
  rows: readonly BoardRow[],
): Promise<Said> {
  const board = { scenario: task.scenario.id, hash: task.hash }
  const file = name.replaceAll(/[^a-z0-9-]/g, '_')
  switch (format) {
    case 'csv':
      return { text: boardCsv(board, rows), type: 'text/csv; charset=utf-8', fileName: `${file}.csv` }
    case 'markdown':
      return { text: boardMarkdown(board, rows), type: 'text/markdown; charset=utf-8', fileName: `${file}.md` }
    case 'latex':
      return { text: boardLatex(board, rows), type: 'application/x-tex; charset=utf-8', fileName: `${file}.tex` }
    case 'marl-eval': {
      const runs: { row: BoardRow; episodes: EpisodeRecord[] }[] = []
      for (const row of rows.filter((one) => one.standing === 'ranked')) {
        for (const id of row.runs) runs.push({ row, episodes: await boards.store.episodes(id) })
      }
      const hidden = (await boards.store.epochs()).some((epoch) => epoch.closedAt === null)
      const shownRuns = runs.map(({ row, episodes }) => ({
        row,
        episodes: hidden ? episodes.filter((episode) => episode.panel !== 'shared') : episodes,
      }))
      const { env, id } = task.scenario
      return { json: boardMarlEval(env, id, shownRuns), fileName: `${file}.marl-eval.json` }
    }
    default:
      return { json: { ...board, rows }, fileName: `${file}.json` }
  }
}

// --- submissions

function submissionRoutes(): Route[] {
  const states = oneOf(STATES)
  const listQuery = page({ mine: Type.Optional(Type.Boolean()), state: Type.Optional(states) }, 500, 50)
  const list = async ({ boards, query, key }: Asked, most?: number) => {
    const {
      offset = 0,
      limit = 50,
      mine = false,
      state,
    } = query as {
      offset?: number
      limit?: number
      mine?: boolean
      state?: SubmissionState
    }
    if (mine && key === undefined) {
      throw new Refusal(401, 'unauthorised', 'key', 'missing', 'a key, whose submissions are asked for')
    }
    return boards.submissions.list(key, {
      offset,
      limit: most ?? limit,
      mine,
      ...(state === undefined ? {} : { states: [state] }),
    })
  }
  return [
    {
      method: 'get',
      path: '/submissions',
      summary: 'The queue and what went before, newest first',
      query: listQuery,
      answer: SubmissionList,
      handle: async (asked) => ({ json: await list(asked) }),
    },
    {
      method: 'get',
      path: '/submissions/export',
      summary: 'The own submissions as a file',
      scope: 'read',
      query: Type.Object({ format: Type.Optional(oneOf(['csv', 'json'])) }, closed),
      answer: { type: 'text/csv', description: 'CSV or JSON' },
      handle: async (asked) => {
        const mine = { ...asked, query: { mine: true } }
        const { submissions } = await list(mine, 10_000)
        if (asked.query.format === 'json') return { json: { submissions }, fileName: 'submissions.json' }
        return { text: submissionsCsv(submissions), type: 'text/csv; charset=utf-8', fileName: 'submissions.csv' }
      },
    },
    {
      method: 'post',
      path: '/submissions',
      summary: 'Opens a submission: the answer has the seeds to play',
      scope: 'submit',
      body: NewSubmission,
      answer: Submission,
      status: 201,
      handle: async ({ boards, body, key, address, idempotencyKey }) => {
        const asked = body as NewSubmission
        if (asked.level === 'live') {
          throw new Refusal(409, 'conflict', 'level', 'live', 'a WebSocket to /live, which opens a live evaluation')
        }
        const { entry, made } = await boards.submissions.open(asked, key!, address, idempotencyKey)
        return { status: made ? 201 : 200, json: await boards.submissions.view(entry, key) }
      },
    },
    {
      method: 'get',
      path: '/submissions/{id}',
      summary: 'One submission: state, clock, place in the queue, progress',
      answer: Submission,
      handle: async ({ boards, params, key }) => {
        return { json: await boards.submissions.view(await boards.entry(params.id), key) }
      },
    },
    {
      method: 'put',
      path: '/submissions/{id}/bundle',
      summary: 'Uploads the replays of all episodes, in order, as one bundle; answered once it is on disk',
      scope: 'submit',
      upload: BUNDLE_TYPE,
      answer: Submission,
      status: 202,
      handle: async ({ boards, params, key, request }) => {
        const length = Number(request.headers['content-length'])
        // A refusal half way must still reach the sender: leaving the loop does not cut the connection.
        const body = request.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Uint8Array>
        const entry = await boards.submissions.upload(params.id, key!, length, body)
        return { status: 202, json: await boards.submissions.view(entry, key) }
      },
    },
  ]
}

// --- entries

function entryRoutes(): Route[] {
  return [
    {
      method: 'get',
      path: '/entries/{id}',
      summary: 'One entry: score, episodes worst first, settings, hashes, receipt',
      query: page({}, EPISODES_PAGE, EPISODES_PAGE),
      answer: EntryDetail,
      handle: async ({ boards, params, query, key }) => {
        const entry = await boards.entry(params.id)
        const { offset = 0, limit = EPISODES_PAGE } = query as { offset?: number; limit?: number }
        return { json: await detailOf(boards, entry, key, offset, limit) }
      },
    },
    {
      method: 'patch',
      path: '/entries/{id}',
      summary: 'Shows or hides the names of an own entry, or removes them for good',
      scope: 'submit',
      body: EntryPatch,
      answer: EntryDetail,
      handle: async ({ boards, params, body, key }) => {
        const entry = await boards.submissions.owned(params.id, key!)
        const { blind, forget } = body as EntryPatch
        const patch: Partial<EntryRow> = {
          ...(blind === undefined ? {} : { blind }),
          ...(forget === undefined ? {} : { description: forgotten(entry) }),
        }
        await boards.store.changeEntry(entry.id, patch)
        boards.standings.changed(entry)
        return { json: await detailOf(boards, await boards.entry(entry.id), key, 0, EPISODES_PAGE) }
      },
    },
    {
      method: 'post',
      path: '/entries/{id}/moderation',
      summary: 'Disputes an entry (any submitting key); hides it, shows it again or settles a dispute (admin)',
      scope: 'submit',
      body: Moderation,
      answer: EntryDetail,
      handle: async ({ boards, params, body, key }) => {
        const entry = await boards.entry(params.id)
        await moderate(boards, entry, key!, body as Moderation)
        return { json: await detailOf(boards, await boards.entry(entry.id), key, 0, EPISODES_PAGE) }
      },
    },
    {
      method: 'get',
      path: '/entries/{id}/bundle',
      summary: 'All replays of an entry, as they were verified',
      answer: { type: BUNDLE_TYPE, description: 'server/protocol/bundle.ts' },
      handle: async ({ boards, params }) => {
        const entry = await boards.entry(params.id)
        const shared = entry.level === 'live'
        if (entry.bundle === null || !(await boards.mayShow(entry, shared ? 'shared' : 'replayed'))) {
          const why =
            shared && entry.hidden === null
              ? 'its epoch to be over: the shared panel is secret until then'
              : 'an entry whose replays may be shown'
          throw new Refusal(409, 'conflict', 'bundle', 'not to be had', why)
        }
        const { sha256, bytes } = entry.bundle
        await boards.baselines.provide(entry)
        return {
          type: BUNDLE_TYPE,
          fileName: `${entry.id}.replays`,
          headers: { ETag: `"${sha256}"` },
          file: { ...boards.blobs.place(sha256), from: 0, bytes },
        }
      },
    },
    {
      method: 'get',
      path: '/entries/{id}/badge.svg',
      summary: 'A small picture of score and rank',
      answer: { type: 'image/svg+xml', description: 'SVG without scripts' },
      handle: async ({ boards, params }) => {
        const entry = await boards.entry(params.id)
        return { text: badge(entry.scenario, await boards.standings.row(entry)), type: 'image/svg+xml; charset=utf-8' }
      },
    },
  ]
}

/** What stays of a description whose personal part is removed. */
function forgotten(entry: EntryRow): EntryRow['description'] {
  if (entry.description === null) return null
  const { algorithm, mode, centralised, privileged, policyHash, compute, package: made } = entry.description
  return {
    name: 'removed',
    algorithm,
    mode,
    centralised,
    ...(privileged === undefined ? {} : { privileged }),
    ...(policyHash === undefined ? {} : { policyHash }),
    ...(compute === undefined ? {} : { compute }),
    ...(made === undefined ? {} : { package: made }),
  }
}

async function moderate(boards: Boards, entry: EntryRow, key: KeyRow, { action, reason }: Moderation): Promise<void> {
  const admin = key.scopes.includes('admin')
  if (action !== 'dispute' && !admin)
    throw new Refusal(403, 'forbidden', action, 'asked without scope admin', 'an admin key')
  if (entry.state !== 'published' && entry.state !== 'failed') {
    throw new Refusal(409, 'conflict', 'entry', entry.state, 'one that is on a board')
  }
  const already =
    (action === 'hide' && entry.hidden !== null) ||
    (action === 'show' && entry.hidden === null) ||
    (action === 'settle' && !entry.disputed)
  if (already) throw new Refusal(409, 'conflict', action, 'asked of an entry that is so already', 'another entry')
  const at = boards.now()
  await boards.store.transaction(async (store) => {
    const patch: Partial<EntryRow> =
      action === 'hide' ? { hidden: reason } : action === 'show' ? { hidden: null } : { disputed: action === 'dispute' }
    await store.changeEntry(entry.id, patch)
    if (action === 'dispute' || action === 'settle') {
      await store.addDispute({ entry: entry.id, at, keyId: key.id, text: reason })
    }
    await appendRecord(store, boards.signer, action, { entry: entry.id, reason, by: admin ? 'admin' : key.prefix }, at)
  })
  boards.standings.changed(entry)
}

async function detailOf(
  boards: Boards,
  entry: EntryRow,
  viewer: KeyRow | undefined,
  offset: number,
  limit: number,
): Promise<EntryDetail> {
  if (entry.state !== 'published' && entry.state !== 'failed') {
    throw new TroupeError('unknown-name', {
      where: 'entry',
      got: `"${entry.id}", which is ${entry.state}`,
      expected: 'an entry that is on a board; GET /api/submissions/<id> says how far it is',
    })
  }
  const { store } = boards
  const own = viewer !== undefined && (viewer.id === entry.keyId || viewer.scopes.includes('admin'))
  const hidden = entry.hidden !== null
  const epoch = (await store.epochs()).find(({ id }) => id === entry.epoch)
  const open = { replayed: true, fresh: true, shared: epoch?.closedAt != null }
  const rows = hidden ? [] : await store.episodes(entry.id, { order: 'worst', offset, limit })
  const { description } = entry
  const shown =
    hidden || description === null
      ? null
      : entry.blind && !own
        ? { ...withoutNames(description), name: 'anonymous' }
        : description
  const record = entry.log === null ? undefined : await store.logRow(entry.log)
  const iso = (at: number) => new Date(at).toISOString()
  const disputes = await store.disputes(entry.id)
  const keys = new Map((await store.keys()).map((key) => [key.id, key.prefix]))
  return {
    row: await boards.standings.row(entry),
    scenario: entry.task,
    scenarioHash: entry.scenarioHash,
    description: shown,
    claim: hidden ? null : entry.claim,
    failure: entry.failure,
    environment: { id: String(entry.task.env), version: String(entry.task.version) },
    package: boards.version,
    bundle: hidden ? null : entry.bundle,
    epoch:
      epoch === undefined ? null : { id: epoch.id, commitment: epoch.commitment, revealed: epoch.closedAt !== null },
    episodes: rows.map((row) => episodeRow(entry, row, open[row.panel])),
    episodesTotal: hidden ? 0 : await store.countEpisodes(entry.id),
    ...(entry.latency === null || hidden ? {} : { latency: entry.latency as NonNullable<EntryDetail['latency']> }),
    disputes: disputes.map(({ at, keyId, text }) => ({ at: iso(at), by: keys.get(keyId) ?? 'a key', text })),
    history: entry.history.map(({ state, at }) => ({ state, at: iso(at) })),
    receipt: record ?? null,
  }
}

function withoutNames({ authors: _a, code: _c, paper: _p, notes: _n, ...rest }: NonNullable<EntryRow['description']>) {
  return rest
}

/** @param open whether seed and replay may be shown */
function episodeRow(entry: EntryRow, row: EpisodeRecord, open: boolean): EpisodeRow {
  const { panel, episode, length, terminated, truncated, returns, metrics, chain, note } = row
  return {
    panel,
    episode,
    seed: open ? row.seed : null,
    return: row.return,
    length,
    terminated,
    truncated,
    returns: [...returns],
    metrics: { ...metrics },
    chain,
    replay: open && row.from !== null ? replayIdOf(entry.id, row) : null,
    note,
  }
}

// --- log and epochs

function logRoutes(): Route[] {
  const From = Type.Integer({ minimum: 1, maximum: 1_000_000_000 })
  return [
    {
      method: 'get',
      path: '/log',
      summary: 'Records of the log, from a number on',
      query: Type.Object({ from: Type.Optional(From), limit: Type.Optional(Limit(1000, 100)) }, closed),
      answer: LogPage,
      handle: async ({ boards, query }) => {
        const { from = 1, limit = 100 } = query as { from?: number; limit?: number }
        return {
          json: { records: await boards.store.logRows(from, limit), head: await boards.head() } satisfies LogPage,
        }
      },
    },
    {
      method: 'get',
      path: '/log/head',
      summary: 'The last record of the log: whoever keeps it can tell later changes',
      answer: LogHead,
      handle: async ({ boards }) => ({ json: await boards.head() }),
    },
    {
      method: 'get',
      path: '/live',
      summary: 'Live evaluations that go on, and the rules of new ones; to begin one, open the WebSocket /live',
      answer: LiveList,
      handle: async ({ boards }) => {
        if (boards.live !== undefined) return { json: boards.live.list() }
        throw new Refusal(503, 'environment', 'live evaluation', 'not open yet', 'a server that has started')
      },
    },
    {
      method: 'get',
      path: '/epochs',
      summary: 'Epochs: commitments of those that run, keys of those that are over',
      answer: EpochList,
      handle: async ({ boards }) => {
        await boards.submissions.epochs.current()
        return { json: { epochs: (await boards.store.epochs()).map(shownEpoch) } }
      },
    },
    {
      method: 'post',
      path: '/epochs',
      summary: 'Ends the running epoch, publishes its key, opens the next',
      scope: 'admin',
      body: Type.Object({}, closed),
      answer: Epoch,
      status: 201,
      handle: async ({ boards }) => ({ status: 201, json: shownEpoch(await boards.submissions.epochs.next()) }),
    },
  ]
}

// --- keys

function keyRoutes(): Route[] {
  return [
    {
      method: 'get',
      path: '/keys',
      summary: 'All keys, never the keys themselves',
      scope: 'admin',
      answer: KeyList,
      handle: async ({ boards }) => ({ json: { keys: (await boards.store.keys()).map(shownKey) } }),
    },
    {
      method: 'post',
      path: '/keys',
      summary: 'Makes a key; the answer is the only time it is shown',
      scope: 'admin',
      body: NewKey,
      answer: KeyMade,
      status: 201,
      handle: async ({ boards, body }) => ({
        status: 201,
        json: await makeKey(boards.store, body as NewKey, boards.now()),
      }),
    },
    {
      method: 'post',
      path: '/keys/{id}/rotate',
      summary: 'Another secret for the same key; the old one is void',
      scope: 'admin',
      body: Type.Object({}, closed),
      answer: KeyMade,
      handle: async ({ boards, params }) => ({ json: await rotateKey(boards.store, params.id) }),
    },
    {
      method: 'delete',
      path: '/keys/{id}',
      summary: 'Revokes a key; what it submitted stays',
      scope: 'admin',
      answer: Key,
      handle: async ({ boards, params }) => ({ json: await revokeKey(boards.store, params.id, boards.now()) }),
    },
  ]
}
