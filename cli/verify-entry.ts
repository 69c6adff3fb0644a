/**
 * Is an entry of a leaderboard what it says? Its episodes are simulated again here, its score and interval are computed
 * anew, its seeds follow from the published key, and its record in the log is bound and signed. From a server, or offline
 * from the two files that its page hands out: `<id>.json` and, beside it, `<id>.replays`.
 */
import { existsSync, readFileSync } from 'node:fs'
import { TroupeError } from '../envs/core/index.ts'
import { ENVS } from '../envs/index.ts'
import { readBundle } from '../server/protocol/bundle.ts'
import { checkEntry, type EntryVerdict } from '../server/protocol/check-entry.ts'
import { type EntryDetail, type EpisodeRow, type EpochList, type LogHead } from '../server/protocol/rest.ts'
import { checkRecords } from '../server/log.ts'
import { type LogRow } from '../server/store/store.ts'

export interface EntryResult extends Omit<EntryVerdict, 'differences'> {
  readonly file: string
  readonly kind: 'entry'
  readonly id: string
  readonly name: string
  readonly episodes: number
  /** Whether its record in the log was found to be bound to the one before and signed with the server's key. */
  readonly logged: boolean
  /** One sentence each; the first ten. */
  readonly differences: readonly string[]
}

/** Episodes asked for at a time. */
const PAGE = 2000

interface Sources {
  readonly detail: EntryDetail
  readonly episodes: readonly EpisodeRow[]
  readonly bundle: Uint8Array | null
  readonly key: string | null
  /** Public key of the server, where it was asked. */
  readonly publicKey: string | null
}

export const isEntryAddress = (text: string): boolean => /^https?:\/\//.test(text)

/** `http://host/entry/<id>` as a person copies it, or the address of the interface. @throws TroupeError */
export async function verifyEntryAt(address: string): Promise<EntryResult> {
  const url = new URL(address)
  const [, id] = /^\/(?:api\/entries|entry)\/([0-9a-z]+)\/?$/.exec(url.pathname) ?? []
  if (id === undefined) {
    const expected = 'the address of an entry, such as http://127.0.0.1:7340/entry/<id>'
    throw new TroupeError('bad-usage', { where: address, got: 'another page', expected })
  }
  const ask = async (path: string): Promise<Response> => {
    let answer: Response
    try {
      answer = await fetch(new URL(path, url))
    } catch (error) {
      const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
      const expected = 'a troupe server, such as `troupe serve` starts'
      throw new TroupeError('environment', { where: url.origin, got: `not reached (${code ?? 'no answer'})`, expected })
    }
    if (answer.ok) return answer
    const said = (await answer.json().catch(() => ({}))) as { error?: { message?: string } }
    const got = said.error?.message ?? `status ${answer.status}`
    throw new TroupeError('bad-file', { where: url.origin, got, expected: 'an entry whose replays may be shown' })
  }
  const json = async <T>(path: string): Promise<T> => (await (await ask(path)).json()) as T
  const of = (offset: number) => json<EntryDetail>(`/api/entries/${id}?offset=${offset}&limit=${PAGE}`)
  const detail = await of(0)
  const episodes: EpisodeRow[] = [...detail.episodes]
  while (episodes.length < detail.episodesTotal) {
    const more = (await of(episodes.length)).episodes
    if (more.length === 0) break
    episodes.push(...more)
  }
  // A bundle holds what may be shown of all panels together; else each replay that is public comes alone.
  const whole = episodes.every(({ replay }) => replay !== null)
  const bundle = whole ? new Uint8Array(await (await ask(`/api/entries/${id}/bundle`)).arrayBuffer()) : null
  const { epoch } = detail
  const key =
    epoch?.revealed === true
      ? ((await json<EpochList>('/api/epochs')).epochs.find((one) => one.id === epoch.id)?.key ?? null)
      : null
  const { publicKey } = await json<LogHead>('/api/log/head')
  const replays = bundle === null ? await Promise.all(episodes.map(async ({ replay }) =>
    replay === null ? null : new Uint8Array(await (await ask(`/api/replays/${encodeURIComponent(replay)}`)).arrayBuffer()))) : inOrder(episodes, bundle) // prettier-ignore
  return verified(address, { detail, episodes, bundle, key, publicKey }, replays)
}

/** An entry's own page as a file, with the bundle beside it. @throws TroupeError when one of them cannot be read */
export function verifyEntryFile(file: string, detail: EntryDetail): EntryResult {
  const beside = file.replace(/\.json$/, '.replays')
  if (!existsSync(beside)) {
    const expected = `${beside}: the replays that the entry's page hands out, beside it`
    throw new TroupeError('bad-file', { where: file, got: 'an entry without its replays', expected })
  }
  const { episodes } = detail
  if (episodes.length < detail.episodesTotal) {
    const got = `${episodes.length} of ${detail.episodesTotal} episodes`
    throw new TroupeError('bad-file', { where: file, got, expected: 'the whole entry, as its page hands it out' })
  }
  const bundle = new Uint8Array(readFileSync(beside))
  return verified(file, { detail, episodes, bundle, key: null, publicKey: null }, inOrder(episodes, bundle))
}

const PANELS = ['replayed', 'shared', 'fresh']

/** The replays of a bundle, which has them in the order played, for episodes in any order. */
function inOrder(episodes: readonly EpisodeRow[], bundle: Uint8Array): (Uint8Array | null)[] {
  const files = readBundle(bundle)
  const replays = new Array<Uint8Array | null>(episodes.length).fill(null)
  episodes
    .map(({ panel, episode }, i) => ({ panel: PANELS.indexOf(panel), episode, i }))
    .sort((a, b) => a.panel - b.panel || a.episode - b.episode)
    .forEach(({ i }, k) => (replays[i] = files[k] ?? null))
  return replays
}

function verified(
  file: string,
  { detail, episodes, key, publicKey }: Sources,
  replays: readonly (Uint8Array | null)[],
): EntryResult {
  const { row, scenarioHash, epoch } = detail
  const verdict = checkEntry(
    {
      ...{ entry: row.id, scenarioHash, episodes, replays, score: row.score },
      epoch: key === null || epoch === null ? null : { key, commitment: epoch.commitment },
    },
    ENVS,
  )
  const differences = verdict.differences.map(({ panel, episode, what, step, expected, actual }) => {
    const place = panel === null ? '' : `${panel} episode ${episode}${step === null ? '' : `, step ${step}`}: `
    return `${place}${what}: the entry says ${expected}, found ${actual}`
  })
  const logged = checkReceipt(detail, publicKey, differences)
  return {
    ...verdict,
    ...{ file, kind: 'entry', id: row.id, name: row.name, episodes: episodes.length, logged },
    ok: verdict.ok && differences.length === 0,
    differences: differences.slice(0, 10),
  }
}

/** The record of the log that accepted it: its hash, its signature, and that it speaks of this entry and this score. */
function checkReceipt(detail: EntryDetail, publicKey: string | null, differences: string[]): boolean {
  const receipt = detail.receipt as LogRow | null
  if (receipt === null) return false
  try {
    checkRecords([receipt], { seq: receipt.seq - 1, hash: receipt.previous }, publicKey ?? undefined)
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    differences.push(error.message)
    return false
  }
  const { entry, mean } = receipt.body as { entry?: unknown; mean?: unknown }
  if (entry !== detail.row.id) differences.push(`log: record ${receipt.seq} speaks of entry ${String(entry)}`)
  if (detail.row.score !== null && mean !== detail.row.score.mean) {
    differences.push(`log: record ${receipt.seq} says mean ${String(mean)}, the entry ${detail.row.score.mean}`)
  }
  return publicKey !== null
}

export function entryLine(result: EntryResult): string {
  const { file, name, ok, checked, secret, steps, mean, scored, seeded, logged, differences } = result
  const head = `${ok ? 'genuine     ' : 'NOT GENUINE '} ${file} (${name}: ${checked} episodes, ${steps} steps re-simulated`
  const found = [
    ...(mean === null ? [] : [`mean ${mean}`]),
    ...(scored ? ['score and interval computed anew'] : []),
    ...(seeded ? ['seeds follow from the published key'] : []),
    ...(logged ? ['its record is signed'] : []),
    ...(secret > 0 ? [`${secret} episodes secret until their epoch ends`] : []),
  ]
  return [`${head}; ${found.join(', ')})`, ...differences.map((one) => `  ${one}`)].join('\n')
}
