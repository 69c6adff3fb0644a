/**
 * Is a result record what it says? Its shape, its hashes, its statistics from its own returns, every replay it points to
 * (file hash, re-simulation, the return it claims), and the weights where the checkpoint lies beside it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TroupeError } from '../envs/core/index.ts'
import { weightsHash } from '../agents/core/checkpoint.ts'
import { statistics } from '../agents/core/evaluate.ts'
import { readCheckpoint, sha256 } from '../results/files.ts'
import { readRecord, type ResultRecord } from '../results/record.ts'
import { scenarioHash } from '../scenarios/open.ts'

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
  const measured: [string, Measured][] = record.evaluations.map((point) => [`evaluation at step ${point.step}`, point])
  if (record.absolute !== null) measured.push(['absolute metric', record.absolute])
  for (const [name, point] of measured) {
    const again = statistics(point.returns)
    for (const key of ['mean', 'std', 'min', 'max'] as const) {
      if (!close(again[key], point.return[key])) return differs(`${name}: ${key}`, point.return[key], again[key])
    }
    for (const replay of point.replays) {
      const path = join(folder, replay.file)
      if (!existsSync(path)) {
        throw new TroupeError('bad-file', {
          where: `${file}: ${replay.file}`,
          got: 'not there',
          expected: 'the replay of an episode',
        })
      }
      const bytes = readFileSync(path)
      const digest = sha256(bytes)
      if (digest !== replay.sha256) return differs(`${name}: SHA-256 of ${replay.file}`, replay.sha256, digest)
      const verdict = judgeReplay(path, bytes)
      if (!verdict.ok) return differs(`${replay.file}: ${verdict.what}`, verdict.expected, verdict.actual, verdict.step)
      const claimed = point.returns[replay.episode]
      if (verdict.return === undefined || !close(verdict.return, claimed)) {
        return differs(`${name}: return of episode ${replay.episode}`, claimed, verdict.return)
      }
      replays++
    }
  }
  const best = record.evaluations.reduce<number | null>(
    (high, point) => Math.max(high ?? -Infinity, point.return.mean),
    null,
  )
  if (best !== null && record.best !== null && !close(best, record.best.mean))
    return differs('best mean', record.best.mean, best)
  const last = join(folder, 'checkpoints/last')
  if (existsSync(join(last, 'weights.safetensors'))) {
    const weights = weightsHash(readCheckpoint(last))
    if (weights !== record.weightsHash) return differs('weights', record.weightsHash, weights)
  }
  return { file, ok: true, kind: 'record', replays }
}

/** Sums may have been taken in another order. */
function close(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))
}
