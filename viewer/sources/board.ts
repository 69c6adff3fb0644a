/** What the leaderboard's pages ask the server, and the key they ask with. */
import { signal } from '@preact/signals'
import { BUNDLE_TYPE, readBundle } from '../../server/protocol/bundle.ts'
import {
  type BoardKind,
  type BoardPage,
  type BoardsState,
  type EntryDetail,
  type EpisodeRow,
  type EpochList,
  type Level,
  type NewSubmission,
  type ScenarioList,
  type Submission,
  type SubmissionList,
} from '../../server/protocol/rest.ts'
import { type LiveList } from '../../server/protocol/live.ts'
import { type Tournament, type TournamentList } from '../../server/protocol/tournaments.ts'
import { strings } from '../strings.ts'
import { type CheckAnswer } from './check-worker.ts'
import { type EntryClaim, type EntryVerdict } from '../../server/protocol/check-entry.ts'
import { replayAddress } from './load.ts'

/** An API key typed by the reader; kept for this tab alone. */
const KEY_PLACE = 'troupe-key'
export const apiKey = signal(read())

function read(): string {
  try {
    return sessionStorage.getItem(KEY_PLACE) ?? ''
  } catch {
    return ''
  }
}

export function keepKey(key: string): void {
  apiKey.value = key
  try {
    if (key === '') sessionStorage.removeItem(KEY_PLACE)
    else sessionStorage.setItem(KEY_PLACE, key)
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}

const words = strings.leaderboard

/** The server's own sentence, where it gave one. */
async function refusal(response: Response): Promise<Error> {
  const body = (await response.json().catch(() => null)) as { error?: { message?: unknown } } | null
  const said = body?.error?.message
  return new Error(typeof said === 'string' ? said : words.status(response.status))
}

async function asked(path: string, init: RequestInit = {}): Promise<Response> {
  const key = apiKey.peek()
  const headers = {
    ...(init.headers as Record<string, string>),
    ...(key === '' ? {} : { Authorization: `Bearer ${key}` }),
  }
  let response: Response
  try {
    response = await fetch(path, { ...init, headers })
  } catch {
    throw new Error(strings.leaderboard.noServer)
  }
  if (!response.ok) throw await refusal(response)
  return response
}

const json = async <T>(path: string): Promise<T> => (await (await asked(path)).json()) as T

const search = (query: Record<string, string | number>): string =>
  `?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()}`

export const ROWS = 50

export const boardsState = (): Promise<BoardsState> => json('/api/boards')
export const listScenarios = (): Promise<ScenarioList> => json('/api/scenarios')
export const listEpochs = (): Promise<EpochList> => json('/api/epochs')
export const listSubmissions = (limit: number): Promise<SubmissionList> => json(`/api/submissions${search({ limit })}`)

export interface BoardChoice {
  readonly kind: BoardKind
  readonly level: Level | null
  readonly offset: number
}

/** One page of a board. Without a level the server takes the strongest evidence that has rows. */
export function boardPage(place: 'scenario' | 'suite', of: string, choice: BoardChoice): Promise<BoardPage> {
  const { kind, level, offset } = choice
  const query = search({ kind, ...(level === null ? {} : { level }), offset, limit: ROWS })
  const name = encodeURIComponent(of)
  return json(place === 'scenario' ? `/api/boards/${name}${query}` : `/api/suites/${name}/board${query}`)
}

export const EXPORTS = ['csv', 'json', 'markdown', 'latex', 'marl-eval'] as const

/** The whole board of a scenario as a file. */
export function boardExport(scenario: string, kind: BoardKind, level: Level, format: (typeof EXPORTS)[number]): string {
  return `/api/boards/${encodeURIComponent(scenario)}/export${search({ kind, level, format })}`
}

export const entryDetail = (id: string, offset: number, limit: number): Promise<EntryDetail> =>
  json(`/api/entries/${encodeURIComponent(id)}${search({ offset, limit })}`)

export const bundleAddress = (id: string): string => `/api/entries/${encodeURIComponent(id)}/bundle`

async function changed(path: string, method: string, body: unknown): Promise<void> {
  await asked(path, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
}

export const moderate = (id: string, action: string, reason: string): Promise<void> =>
  changed(`/api/entries/${encodeURIComponent(id)}/moderation`, 'POST', { action, reason })

export const patchEntry = (id: string, patch: { blind?: boolean; forget?: true }): Promise<void> =>
  changed(`/api/entries/${encodeURIComponent(id)}`, 'PATCH', patch)

/** A name for one request. `randomUUID` is for https alone, and this page may come from a plain address. */
const drawn = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Opens a submission of level "replayed" with the key that was typed; the answer has the seeds. */
export async function openSubmission(wanted: {
  scenario: string
  name: string
  algorithm: string
}): Promise<Submission> {
  const { scenario, name, algorithm } = wanted
  const description = { name, algorithm, mode: 'other', centralised: false } as const
  const body: NewSubmission = { scenario, level: 'replayed', description }
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': drawn() }
  return (await (await asked('/api/submissions', { method: 'POST', headers, body: JSON.stringify(body) })).json()) as Submission // prettier-ignore
}

export async function uploadBundle(id: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
  await asked(`/api/submissions/${encodeURIComponent(id)}/bundle`, {
    method: 'PUT',
    headers: { 'Content-Type': BUNDLE_TYPE },
    body,
  })
}

export const listTournaments = (): Promise<TournamentList> => json('/api/tournaments')
export const oneTournament = (id: string): Promise<Tournament> => json(`/api/tournaments/${encodeURIComponent(id)}`)
export const listLive = (): Promise<LiveList> => json('/api/live')

// --- checking an entry in this page

/** Episodes asked for at a time, as many as the server hands out. */
const PAGE = 500
/** Replays fetched side by side where there is no bundle of all. */
const WIDTH = 8

async function allEpisodes(first: EntryDetail): Promise<EpisodeRow[]> {
  const rows: EpisodeRow[] = []
  while (rows.length < first.episodesTotal) {
    const { episodes } = await entryDetail(first.row.id, rows.length, PAGE)
    if (episodes.length === 0) break
    rows.push(...episodes)
  }
  return rows
}

async function replaysOf(id: string, rows: readonly EpisodeRow[]): Promise<(Uint8Array | null)[]> {
  if (rows.every(({ replay }) => replay !== null)) {
    const bytes = new Uint8Array(await (await asked(bundleAddress(id))).arrayBuffer())
    const bundle = readBundle(bytes)
    // A bundle holds the episodes in the order played.
    const played = rows
      .map((row, i) => ({ row, i }))
      .sort((a, b) => order(a.row) - order(b.row) || a.row.episode - b.row.episode)
    const replays = new Array<Uint8Array | null>(rows.length).fill(null)
    played.forEach(({ i }, k) => (replays[i] = bundle[k] ?? null))
    return replays
  }
  const replays = new Array<Uint8Array | null>(rows.length).fill(null)
  let next = 0
  const fetchNext = async () => {
    while (next < rows.length) {
      const i = next++
      const { replay } = rows[i]
      if (replay !== null) replays[i] = new Uint8Array(await (await asked(replayAddress(replay))).arrayBuffer())
    }
  }
  await Promise.all(Array.from({ length: WIDTH }, fetchNext))
  return replays
}

const order = ({ panel }: EpisodeRow): number => ['replayed', 'shared', 'fresh'].indexOf(panel)

/**
 * Fetches all public replays of an entry and simulates them again in a worker.
 * @throws Error with one sentence
 */
export async function checkInPage(
  detail: EntryDetail,
  onProgress: (done: number, of: number) => void,
  signal: AbortSignal,
): Promise<EntryVerdict> {
  const { row, scenarioHash, epoch } = detail
  const episodes = await allEpisodes(detail)
  const replays = await replaysOf(row.id, episodes)
  const published = epoch?.revealed === true ? (await listEpochs()).epochs.find(({ id }) => id === epoch.id) : undefined
  const key = published?.key ?? null
  const claim: EntryClaim = {
    entry: row.id,
    scenarioHash,
    episodes,
    replays,
    score: row.score,
    epoch: key === null || epoch === null ? null : { key, commitment: epoch.commitment },
  }
  return inWorker(claim, onProgress, signal)
}

/** Runs a check in a worker of its own, which ends with it. */
export function inWorker(
  claim: EntryClaim,
  onProgress: (done: number, of: number) => void,
  signal: AbortSignal,
): Promise<EntryVerdict> {
  const worker = new Worker(new URL('./check-worker.ts', import.meta.url), { type: 'module' })
  return new Promise<EntryVerdict>((resolve, reject) => {
    const stopped = () => reject(new Error(strings.files.workerStopped))
    signal.addEventListener('abort', stopped)
    worker.onerror = stopped
    worker.onmessage = ({ data }: MessageEvent<CheckAnswer>) => {
      if (data.kind === 'progress') onProgress(data.done, data.of)
      else if (data.kind === 'verdict') resolve(data.verdict)
      else reject(new Error(data.message))
    }
    worker.postMessage(claim)
  }).finally(() => worker.terminate())
}
