/** Which episodes a live run plays: a shared panel, equal for everybody in the epoch, and a fresh one of its own. */
import { createHmac } from 'node:crypto'
import { Generator, seedWords, type EpisodeSeed } from '../../envs/core/index.ts'
import { panelSeeds } from '../seeds.ts'

export type LivePanel = 'shared' | 'fresh'

export interface PanelEpisode {
  readonly panel: LivePanel
  /** Place within the panel. */
  readonly episode: number
  readonly seed: EpisodeSeed
}

/**
 * The episodes of a run in the order they are played. The order is drawn from the secret key, so that a client cannot
 * tell which panel an episode belongs to.
 * @param key of the epoch, hex digits
 * @param scenarioHash content hash of the scenario
 * @param entry id of the run, chosen by the server
 */
export function panelEpisodes(
  key: string,
  scenarioHash: string,
  entry: string,
  sizes: Readonly<Record<LivePanel, number>>,
): PanelEpisode[] {
  const episodes = (['shared', 'fresh'] as const).flatMap((panel) =>
    panelSeeds(key, scenarioHash, panel, entry, sizes[panel]).map((seed, episode) => ({ panel, episode, seed })),
  )
  const order = createHmac('sha256', Buffer.from(key, 'hex')).update(`troupe-order-1|${entry}`).digest('hex')
  const rng = new Generator(seedWords(order.slice(0, 32)))
  for (let i = episodes.length - 1; i > 0; i--) {
    const j = rng.below(i + 1)
    ;[episodes[i], episodes[j]] = [episodes[j], episodes[i]]
  }
  return episodes
}
