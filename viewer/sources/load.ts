/** Where replays come from: a file on the user's computer, an address of this server, or the server's own list. */
import { type ReplayInfo, type RunInfo } from '../../server/protocol/index.ts'
import { strings } from '../strings.ts'
import { MAX_FILE_BYTES, type EpisodeInfo } from './messages.ts'
import { type Simulator } from './simulator.ts'

/** What a page wants to open. */
export type Source =
  | { readonly kind: 'file'; readonly file: File }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'server'; readonly id: string }
  /** An episode that this page goes on playing. */
  | { readonly kind: 'fork'; readonly name: string; readonly info: EpisodeInfo; readonly simulator: Simulator }

/** Reads a dropped or chosen file. @throws Error with one sentence */
export async function readFile(file: File): Promise<Uint8Array> {
  if (file.size > MAX_FILE_BYTES) throw new Error(tooLargeSentence(file.name, file.size))
  try {
    return new Uint8Array(await file.arrayBuffer())
  } catch {
    throw new Error(strings.files.unreadable(file.name))
  }
}

/**
 * The address of a linked replay, when it lies on this server.
 * @param origin 'http://127.0.0.1:7340'
 * @returns undefined for other origins and for what is no address
 */
export function sameOrigin(link: string, origin: string): string | undefined {
  let url: URL
  try {
    url = new URL(link, origin)
  } catch {
    return undefined
  }
  const web = url.protocol === 'http:' || url.protocol === 'https:'
  return web && url.origin === origin && url.username === '' ? url.href : undefined
}

/** Downloads a replay, stopping as soon as it is larger than a page opens. @throws Error with one sentence */
export async function download(
  address: string,
  name: string,
  onProgress: (part: number) => void,
  fetcher: typeof fetch = fetch,
): Promise<Uint8Array> {
  let response: Response
  try {
    response = await fetcher(address, { redirect: 'error' })
  } catch {
    throw new Error(strings.files.unreachable(name))
  }
  if (response.status === 404) throw new Error(strings.files.notFound(name))
  if (!response.ok || response.body === null) throw new Error(strings.files.httpStatus(name, response.status))
  const announced = Number(response.headers.get('content-length') ?? 0)
  if (announced > MAX_FILE_BYTES) throw new Error(tooLargeSentence(name, announced))
  const parts: Uint8Array[] = []
  let received = 0
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    received += value.length
    if (received > MAX_FILE_BYTES) {
      await reader.cancel()
      throw new Error(tooLargeSentence(name, received))
    }
    parts.push(value)
    if (announced > 0) onProgress(Math.min(1, received / announced))
  }
  const bytes = new Uint8Array(received)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function tooLargeSentence(name: string, bytes: number): string {
  return `${name}: ${strings.files.file} is ${strings.files.megabytes(bytes)}; expected ${strings.files.atMost(MAX_FILE_BYTES)}.`
}

/** Address of a replay's bytes on this server. */
export function replayAddress(id: string): string {
  return `/api/replays/${encodeURIComponent(id)}`
}

/** The server's list of replays, newest first. @throws Error when the server does not answer */
export async function listReplays(limit: number): Promise<{ replays: ReplayInfo[]; total: number }> {
  const response = await fetch(`/api/replays?limit=${limit}`)
  if (!response.ok) throw new Error(strings.home.noServer)
  const body = (await response.json()) as { replays?: ReplayInfo[]; total?: number }
  if (!Array.isArray(body.replays)) throw new Error(strings.home.noServer)
  return { replays: body.replays, total: Number(body.total ?? body.replays.length) }
}

/** The server's list of runs, newest first. @throws Error when the server does not answer */
export async function listRuns(): Promise<RunInfo[]> {
  const response = await fetch('/api/runs')
  if (!response.ok) throw new Error(strings.home.noServer)
  const body = (await response.json()) as { runs?: RunInfo[] }
  if (!Array.isArray(body.runs)) throw new Error(strings.home.noServer)
  return body.runs
}
