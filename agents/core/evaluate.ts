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
  /** 95 % for the mean: mean ± t std / √n with Student's t of n − 1 degrees of freedom; the mean itself for one value. */
  readonly interval: readonly [number, number]
}

/** 97.5 % points of Student's t for 1 to 30 degrees of freedom, from tables. */
const T_975 = [
  12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139, 2.200985,
  2.178813, 2.160369, 2.144787, 2.13145, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963, 2.079614, 2.073873, 2.068658,
  2.063899, 2.059539, 2.055529, 2.051831, 2.048407, 2.04523, 2.042272,
]

/** 97.5 % point of Student's t; beyond the table by the Cornish-Fisher expansion, right to 1e-5 there. */
function studentT(freedom: number): number {
  if (freedom <= T_975.length) return T_975[freedom - 1]
  const z = 1.959963985
  const [z3, z5, z7] = [z ** 3, z ** 5, z ** 7]
  const second = (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom ** 2)
  return z + (z3 + z) / (4 * freedom) + second + (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom ** 3)
}

export function statistics(values: readonly number[]): Statistics {
  const n = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const std = n > 1 ? Math.sqrt(squares / (n - 1)) : 0
  const half = n > 1 ? (studentT(n - 1) * std) / Math.sqrt(n) : 0
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
