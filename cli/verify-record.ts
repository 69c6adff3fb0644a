/**
 * Is a result record what it says? Its shape, its hashes, its statistics from its own returns, every replay it points to
 * (file hash, re-simulation, the record's scenario and episode seed, the return it claims), and the weights where the
 * checkpoint lies beside it. What a policy of ours that does not learn is said to have scored is played again, whole.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TroupeError, episodeSeed, type SeedPurpose } from '../envs/core/index.ts'
import { REPLAY_LIMITS, readReplayHeader } from '../envs/core/replay.ts'
import { weightsHash } from '../agents/core/checkpoint.ts'
import { statistics } from '../agents/core/evaluate.ts'
import { playEpisodes, type PlayedEpisode } from '../agents/core/play.ts'
import { POLICIES } from '../agents/index.ts'
import { readCheckpoint, sha256 } from '../results/files.ts'
import { readRecord, type ResultRecord } from '../results/record.ts'
import { openScenario, scenarioHash, scenarioSpec } from '../scenarios/open.ts'

/** Episodes played side by side; changes nothing but the speed. */
const LANES = 32

export interface RecordResult {
  readonly file: string
  readonly ok: boolean
  readonly kind: 'record'
  readonly step?: number
  readonly what?: string
  readonly expected?: string
  readonly actual?: string
  /** Replays that were re-simulated. */
  readonly replays?: number
  /** Episodes that the policy played again. */
  readonly played?: number
}

interface ReplayJudged {
  readonly ok: boolean
  readonly step?: number
  readonly what?: string
  readonly expected?: string
  readonly actual?: string
  readonly return?: number
}

type Measured = ResultRecord['evaluations'][number] | NonNullable<ResultRecord['absolute']>

/**
 * @param judgeReplay verifies one replay's bytes
 * @throws TroupeError when the record or one of its files cannot be read
 */
export function verifyRecord(
  file: string,
  judgeReplay: (path: string, bytes: Uint8Array) => ReplayJudged,
): RecordResult {
  const record = readRecord(file)
  const folder = dirname(file)
  const differs = (what: string, expected: unknown, actual: unknown, step?: number): RecordResult => ({
    file,
    ok: false,
    kind: 'record',
    ...(step === undefined ? {} : { step }),
    what,
    expected: String(expected),
    actual: String(actual),
  })
  const hash = scenarioHash(record.scenario)
  if (record.scenarioHash !== hash) return differs('scenario hash', record.scenarioHash, hash)
  let replays = 0
  const measured: [name: string, point: Measured, purpose: SeedPurpose, number: number][] = record.evaluations.map(
    (point) => [`evaluation at step ${point.step}`, point, 'eval', point.point],
  )
  if (record.absolute !== null) measured.push(['absolute metric', record.absolute, 'absolute', 0])
  for (const [name, point, purpose, number] of measured) {
    const again = statistics(point.returns)
    for (const key of ['mean', 'std', 'min', 'max'] as const) {
      if (!close(again[key], point.return[key])) return differs(`${name}: ${key}`, point.return[key], again[key])
    }
    for (const replay of point.replays) {
      const path = join(folder, replay.file)
      const bytes = replayBytes(path, replay.file, file)
      const digest = sha256(bytes)
      if (digest !== replay.sha256) return differs(`${name}: SHA-256 of ${replay.file}`, replay.sha256, digest)
      const verdict = judgeReplay(path, bytes)
      if (!verdict.ok) return differs(`${replay.file}: ${verdict.what}`, verdict.expected, verdict.actual, verdict.step)
      // A genuine episode of another task, or on a seed that was picked, proves nothing here.
      const { scenario, seed } = readReplayHeader(bytes, {}, path)
      const task = scenarioHash(scenario as unknown as ResultRecord['scenario'])
      if (task !== hash) return differs(`${replay.file}: scenario hash`, hash, task)
      const due = episodeSeed(record.seed, purpose, number, replay.episode)
      if (seed !== null && seed !== due) return differs(`${replay.file}: episode seed`, due, seed)
      const claimed = point.returns[replay.episode]
      if (verdict.return === undefined || !close(verdict.return, claimed)) {
        return differs(`${name}: return of episode ${replay.episode}`, claimed, verdict.return)
      }
      replays++
    }
  }
  const from = record.best?.from ?? 0
  const best = record.evaluations.reduce<number | null>(
    (high, point) => (point.step < from ? high : Math.max(high ?? -Infinity, point.return.mean)),
    null,
  )
  if (best !== null && record.best !== null && !close(best, record.best.mean))
    return differs('best mean', record.best.mean, best)
  const last = join(folder, 'checkpoints/last')
  if (existsSync(join(last, 'weights.safetensors'))) {
    const weights = weightsHash(readCheckpoint(last))
    if (weights !== record.weightsHash) return differs('weights', record.weightsHash, weights)
  }
  const again = playAgain(record)
  if (again !== undefined && record.absolute !== null) {
    const { returns, lengths } = record.absolute
    if (again.length !== returns.length) return differs('episodes of the absolute metric', returns.length, again.length)
    const odd = again.findIndex((episode, k) => !close(episode.return, returns[k]) || episode.length !== lengths[k])
    if (odd >= 0) {
      const [claimed, played] = [
        { return: returns[odd], length: lengths[odd] },
        { return: again[odd].return, length: again[odd].length },
      ].map((one) => `${one.return} in ${one.length} steps`)
      return differs(`absolute metric: episode ${odd} as ${record.algorithm} plays it`, claimed, played)
    }
  }
  return { file, ok: true, kind: 'record', replays, ...(again === undefined ? {} : { played: again.length }) }
}

/** The absolute episodes of a built-in policy that does not learn; undefined for everything else. */
function playAgain(record: ResultRecord): PlayedEpisode[] | undefined {
  const { policy, plugin, scenario, algorithm, seed, protocol } = record
  const foreign = plugin !== undefined || policy?.sha256 !== undefined || !Object.hasOwn(POLICIES, algorithm)
  if (policy === undefined || foreign) return undefined
  const player = POLICIES[algorithm].create(scenarioSpec(scenario))
  const lanes = player.privileged === true ? 1 : LANES
  const batch = openScenario(scenario, { lanes, autoreset: 'disabled' })
  const episodes: PlayedEpisode[] = []
  // In portions, as they were measured: a privileged policy has one generator for all lanes and all episodes of a call.
  for (let from = 0; from < protocol.absoluteEpisodes; from += lanes) {
    const count = Math.min(lanes, protocol.absoluteEpisodes - from)
    const seeds = Array.from({ length: count }, (_, k) => episodeSeed(seed, 'absolute', 0, from + k))
    episodes.push(
      ...playEpisodes({ batch, policy: player, seeds, rng: seed, teamReward: scenario.teamReward }).episodes,
    )
  }
  return episodes
}

/** The bytes of a replay that a record names: a plain file in the replays of its own run. */
function replayBytes(path: string, name: string, record: string): Uint8Array {
  const bad = (got: string) =>
    new TroupeError('bad-file', { where: `${record}: ${name}`, got, expected: 'the replay of an episode' })
  if (!/^replays\/[^/\\]+\.replay$/.test(name)) throw bad('not a replay of this run')
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw bad('not there')
  if (!found.isFile() || found.size > REPLAY_LIMITS.fileBytes) throw bad('no plain file, or too large')
  return readFileSync(path)
}

/** Sums may have been taken in another order. */
function close(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))
}
