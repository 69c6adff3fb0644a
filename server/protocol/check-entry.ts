/**
 * Is an entry of a board what it says? Every episode is simulated again and compared with the row, the score is computed
 * anew, and where the epoch's key is public the seeds are made anew too. Pure: the worker runs it, tests call it.
 */
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { TroupeError, type EnvDefinition } from '../../envs/core/index.ts'
import { definitionOf, readReplay, verifyReplays, type Replay } from '../../envs/core/replay.ts'
import { iqmOf, meanInterval, meanOf } from '../../results/statistics.ts'
import { checkScenario, scenarioHash } from '../../scenarios/open.ts'

/** An episode as the server lists it. */
export interface ListedEpisode {
  readonly panel: string
  readonly episode: number
  readonly seed: string | null
  readonly return: number | null
  readonly chain: string | null
}

export interface EntryClaim {
  readonly entry: string
  readonly scenarioHash: string
  /** In any order; the score is computed in the order of the panels. */
  readonly episodes: readonly ListedEpisode[]
  /** [episodes] the replay of each; null where it is not public yet. */
  readonly replays: readonly (Uint8Array | null)[]
  readonly score: { readonly mean: number; readonly iqm: number; readonly interval: readonly number[] | null } | null
  /** Of the entry's epoch, where the key is public. */
  readonly epoch: { readonly key: string; readonly commitment: string } | null
}

/** One thing that is not as the entry says. */
export interface Difference {
  readonly panel: string | null
  readonly episode: number | null
  readonly what: string
  readonly step: number | null
  readonly expected: string
  readonly actual: string
}

export interface EntryVerdict {
  readonly ok: boolean
  /** Episodes that were simulated again, and those whose replays are not public yet. */
  readonly checked: number
  readonly secret: number
  readonly steps: number
  /** What the simulated episodes are worth. */
  readonly mean: number | null
  /** Whether mean, interquartile mean and interval were computed anew from all episodes. */
  readonly scored: boolean
  /** Whether the seeds were made anew from the published key. */
  readonly seeded: boolean
  readonly differences: readonly Difference[]
}

/** Episodes simulated between two words on progress. */
const COMPANY = 32
/** Panels in the order played. */
const ORDER = ['replayed', 'shared', 'fresh']

export function checkEntry(
  claim: EntryClaim,
  definitions: Readonly<Record<string, EnvDefinition>>,
  onProgress: (done: number, of: number) => void = () => undefined,
): EntryVerdict {
  const differences: Difference[] = []
  const listed = claim.episodes
    .map((row, i) => ({ row, bytes: claim.replays[i] }))
    .sort((a, b) => ORDER.indexOf(a.row.panel) - ORDER.indexOf(b.row.panel) || a.row.episode - b.row.episode)
  const open = listed.filter((one): one is { row: ListedEpisode; bytes: Uint8Array } => one.bytes !== null)
  const returns: number[] = []
  const seen = new Map<string, ListedEpisode>()
  let steps = 0
  for (let from = 0; from < open.length; from += COMPANY) {
    const company: { row: ListedEpisode; replay: Replay; definition: EnvDefinition }[] = []
    for (const { row, bytes } of open.slice(from, from + COMPANY)) {
      const found = opened(claim, row, bytes, definitions)
      if ('what' in found) differences.push(found)
      else company.push({ row, ...found })
    }
    const definition = company[0]?.definition
    const verdicts =
      definition === undefined
        ? []
        : verifyReplays(
            company.map(({ replay }) => replay),
            definition,
          )
    verdicts.forEach((verdict, i) => {
      const { row, replay } = company[i]
      const { seed, result } = replay.header
      if (!verdict.ok) {
        const { what, step = null, expected, actual } = verdict
        return void differences.push({ ...placeOf(row), what, step, expected, actual })
      }
      steps += verdict.steps
      returns.push(result!.return)
      if (!verdict.complete)
        differences.push(differs(row, 'length', 'a whole episode', `${verdict.steps} steps of one`))
      if (row.return !== result!.return) differences.push(differs(row, 'return', row.return, result!.return))
      if (row.seed !== null && row.seed !== seed) differences.push(differs(row, 'seed', row.seed, seed))
      const chain = replay.chain.at(-1) ?? null
      if (row.chain !== null && row.chain !== chain) differences.push(differs(row, 'chain', row.chain, chain))
      const twin = seed === null ? undefined : seen.get(seed)
      if (twin !== undefined)
        differences.push(differs(row, 'seed', 'one of its own', `that of episode ${twin.episode}`))
      if (seed !== null) seen.set(seed, row)
    })
    onProgress(Math.min(open.length, from + COMPANY), open.length)
  }
  const seeded = claim.epoch !== null && checkSeeds(claim, claim.epoch, differences)
  const whole = returns.length > 0 && returns.length === claim.episodes.length
  const scored = whole && claim.score !== null && checkScore(claim.entry, claim.score, returns, differences)
  return {
    ok: differences.length === 0 && open.length > 0,
    checked: open.length,
    secret: listed.length - open.length,
    steps,
    mean: returns.length === 0 ? null : meanOf(returns),
    scored,
    seeded,
    differences,
  }
}

/** A replay of the entry's task with a definition that plays it, or why it is none. */
function opened(
  claim: EntryClaim,
  row: ListedEpisode,
  bytes: Uint8Array,
  definitions: Readonly<Record<string, EnvDefinition>>,
): { replay: Replay; definition: EnvDefinition } | Difference {
  try {
    const replay = readReplay(bytes)
    const definition = definitionOf(replay.header, definitions)
    const task = scenarioHash(checkScenario(replay.header.scenario, 'replay: scenario'))
    if (task !== claim.scenarioHash) return differs(row, 'scenario', claim.scenarioHash, task)
    if (replay.header.result === undefined) return differs(row, 'result', 'a result', 'none')
    return { replay, definition }
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    return differs(row, error.where, error.expected, error.got)
  }
}

/** Seeds by the rule in server/protocol/README.md, from the key that was published. */
function checkSeeds(
  { entry, scenarioHash: task, episodes }: EntryClaim,
  { key, commitment }: { key: string; commitment: string },
  differences: Difference[],
): boolean {
  const promised = bytesToHex(sha256(utf8ToBytes(`troupe-epoch-1|${key}`)))
  if (promised !== commitment) {
    differences.push({
      panel: null,
      episode: null,
      what: 'epoch key',
      step: null,
      expected: commitment,
      actual: promised,
    })
  }
  for (const row of episodes) {
    const owner = row.panel === 'shared' ? '' : entry
    const text = `troupe-panel-1|${task}|${row.panel}|${owner}|${row.episode}`
    const seed = bytesToHex(hmac(sha256, hexToBytes(key), utf8ToBytes(text)).subarray(0, 16))
    if (row.seed !== null && row.seed !== seed) differences.push(differs(row, 'seed', seed, row.seed))
  }
  return true
}

/** The score of all returns in the order played; the bootstrap's draws follow from the entry's id. */
function checkScore(
  entry: string,
  score: NonNullable<EntryClaim['score']>,
  returns: readonly number[],
  differences: Difference[],
): boolean {
  const compare = (what: string, said: number, found: number) => {
    if (said === found) return
    const [expected, actual] = [String(said), String(found)]
    differences.push({ panel: null, episode: null, what, step: null, expected, actual })
  }
  compare('mean', score.mean, meanOf(returns) + 0)
  compare('interquartile mean', score.iqm, iqmOf(Float64Array.from(returns).sort()) + 0)
  if (score.interval !== null) {
    const { low, high } = meanInterval(returns, { seed: entry })
    compare('lower end of the interval', score.interval[0], low + 0)
    compare('upper end of the interval', score.interval[1], high + 0)
  }
  return true
}

const placeOf = ({ panel, episode }: ListedEpisode) => ({ panel, episode })

function differs(row: ListedEpisode, what: string, expected: unknown, actual: unknown): Difference {
  return { ...placeOf(row), what, step: null, expected: String(expected), actual: String(actual) }
}
