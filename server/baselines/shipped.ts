/**
 * The baselines that come with troupe: who played what, on which seeds, and for those that learned the actions they chose.
 * `scripts/baselines.mjs` makes the files in `data/` from what `troupe bench` left; a server verifies every one of them.
 *
 * `data/<scenario, / as _>.br`: brotli of the action logs of that scenario, run after run in the order of the list. A run:
 * the length of every episode (u16, little-endian), then its joint actions [steps, N, D], a byte each.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { TroupeError } from '../../envs/core/errors.ts'
import { type Description } from '../protocol/rest.ts'

export interface ShippedRun {
  readonly scenario: string
  readonly scenarioHash: string
  readonly algorithm: string
  readonly seed: string
  readonly mode: Description['mode']
  readonly privileged?: true
  /** Mean return over the episodes, as they were when this list was made. */
  readonly mean: number
  /** Mean of the absolute metric in the run's record, on seeds of its own. */
  readonly recordMean: number
  /** Of policies that learned. */
  readonly policyHash?: string
  readonly paper?: string
  readonly compute?: { readonly steps: number; readonly seconds: number; readonly device: string }
  /** Place among the action logs of the scenario; absent where the policy's own rules play. */
  readonly log?: number
}

export interface ShippedList {
  readonly format: 1
  /** Key of the epoch that their seeds come from; everybody knows it. 32 bytes as hex digits. */
  readonly key: string
  /** By "<scenario> <algorithm>". */
  readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly runs: readonly ShippedRun[]
}

const LETTERS = '0123456789abcdefghijkmnpqrstuvwx'

/** The id of a shipped entry: the same on every server, so that its seeds are, too. */
export function shippedId({
  scenarioHash,
  algorithm,
  seed,
}: Pick<ShippedRun, 'scenarioHash' | 'algorithm' | 'seed'>): string {
  const hash = createHash('sha256').update(`troupe-shipped-1|${scenarioHash}|${algorithm}|${seed}`).digest()
  return Array.from(hash.subarray(0, 20), (byte) => LETTERS[byte & 31]).join('')
}

const place = (name: string): string => fileURLToPath(new URL(`./data/${name}`, import.meta.url))

export const logFile = (scenario: string): string => `${scenario.replaceAll('/', '_')}.br`

/** The list that comes with this package; empty where it was left out. */
export function shippedList(): ShippedList {
  const path = place('baselines.json')
  if (!existsSync(path)) return { format: 1, key: '0'.repeat(64), settings: {}, runs: [] }
  return JSON.parse(readFileSync(path, 'utf8')) as ShippedList
}

/** Joint actions of every episode of one run. */
export interface ActionLog {
  readonly lengths: Uint16Array
  /** [sum of lengths, N, D], a byte each. */
  readonly actions: Uint8Array
}

/**
 * @param width actions in a step: N * D
 * @throws TroupeError bad-file
 */
export function readActionLog(scenario: string, log: number, episodes: number, width: number): ActionLog {
  const bytes = brotliDecompressSync(readFileSync(place(logFile(scenario))))
  const bad = () =>
    new TroupeError('bad-file', {
      where: `baselines: ${logFile(scenario)}`,
      got: 'cut short',
      expected: `${log + 1} action logs or more`,
    })
  let at = 0
  for (let run = 0; ; run++) {
    if (at + 2 * episodes > bytes.length) throw bad()
    const lengths = Uint16Array.from({ length: episodes }, (_, k) => bytes[at + 2 * k] | (bytes[at + 2 * k + 1] << 8))
    at += 2 * episodes
    const size = lengths.reduce((sum, length) => sum + length, 0) * width
    if (at + size > bytes.length) throw bad()
    if (run === log) return { lengths, actions: bytes.subarray(at, at + size) }
    at += size
  }
}

export function packActionLogs(logs: readonly ActionLog[]): Uint8Array {
  const parts = logs.flatMap(({ lengths, actions }) => [
    Uint8Array.from({ length: 2 * lengths.length }, (_, i) => lengths[i >> 1] >>> (8 * (i & 1))),
    actions,
  ])
  return Buffer.concat(parts)
}
