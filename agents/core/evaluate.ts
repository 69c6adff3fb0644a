/** Numbers about played episodes, with the protocol they were made by. */
import { type PlayedEpisode } from './play.ts'
import { type PlayMode } from './learner.ts'
import { type TeamReward } from './teams.ts'

export interface Statistics {
  readonly mean: number
  /** Sample standard deviation (n − 1); 0 for one value. */
  readonly std: number
  readonly min: number
  readonly max: number
  /** 95 % for the mean, normal approximation: mean ± 1.96 std / √n. */
  readonly interval: readonly [number, number]
}

export function statistics(values: readonly number[]): Statistics {
  const n = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const std = n > 1 ? Math.sqrt(squares / (n - 1)) : 0
  const half = (1.96 * std) / Math.sqrt(n)
  return { mean, std, min: Math.min(...values), max: Math.max(...values), interval: [mean - half, mean + half] }
}

/** Named beside every number made with it. */
export interface Protocol {
  /** greedy: the likeliest legal action; sample: drawn. For policies that are not learned, their name. */
  readonly policy: PlayMode | (string & {})
  readonly episodes: number
  /** What "return" is: the sum, or the mean, over the controlled agents of their summed rewards. */
  readonly return: 'sum over agents' | 'mean over agents'
}

export interface Evaluation {
  readonly protocol: Protocol
  readonly return: Statistics
  /** Per episode, in the order of the seeds. */
  readonly returns: number[]
  readonly lengths: number[]
  /** Means over the episodes in which the metric is defined; null where it never is. */
  readonly metrics: Record<string, number | null>
}

export function summarise(
  episodes: readonly PlayedEpisode[],
  policy: Protocol['policy'],
  teamReward: TeamReward,
): Evaluation {
  const returns = episodes.map((episode) => episode.return)
  const metrics: Record<string, number | null> = {}
  for (const name of Object.keys(episodes[0]?.metrics ?? {})) {
    const values = episodes.map((episode) => episode.metrics[name]).filter((value) => value !== null)
    metrics[name] = values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
  }
  return {
    protocol: {
      policy,
      episodes: episodes.length,
      return: teamReward === 'mean' ? 'mean over agents' : 'sum over agents',
    },
    return: statistics(returns),
    returns,
    lengths: episodes.map((episode) => episode.length),
    metrics,
  }
}
