/** Evaluation seeds: chosen by the server, repeatable by whoever knows the epoch's key, unknown to everybody else. */
import { createHash, createHmac } from 'node:crypto'
import { type EpisodeSeed } from '../envs/core/index.ts'
import { type Panel } from './protocol/rest.ts'

/**
 * seed_i = first 128 bits of HMAC-SHA256(epoch key, "troupe-panel-1|" + scenario hash + "|" + panel + "|" + entry + "|" + i).
 * Panel `shared` is the same for all entries of an epoch: its `entry` is empty. `fresh` and `replayed` are an entry's own.
 * @param key the epoch's key: 32 bytes as hex digits
 * @returns 32 hex digits each
 */
export function panelSeeds(
  key: string,
  scenarioHash: string,
  panel: Panel,
  entry: string,
  episodes: number,
): EpisodeSeed[] {
  const secret = Buffer.from(key, 'hex')
  const owner = panel === 'shared' ? '' : entry
  return Array.from({ length: episodes }, (_, i) =>
    createHmac('sha256', secret)
      .update(`troupe-panel-1|${scenarioHash}|${panel}|${owner}|${i}`)
      .digest('hex')
      .slice(0, 32),
  )
}

/** What is published when an epoch opens; the key is published when it closes. */
export function commitmentOf(key: string): string {
  return createHash('sha256').update(`troupe-epoch-1|${key}`).digest('hex')
}
