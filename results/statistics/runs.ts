/** How many runs allow which statement. The limits are ours, after Gorsane et al. 2022 and the warnings of rliable. */

export const RUNS = {
  /** Below this a percentile interval is far too narrow: none is given. */
  interval: 3,
  /** Below this an algorithm has no row on a board, and intervals come with a warning. */
  row: 5,
  /** What the protocol of Gorsane et al. 2022 asks for. */
  protocol: 10,
} as const

/** Fewest episodes behind a score; fewer is a smoke test. */
export const SCORE_EPISODES = 32

export interface Standing {
  /** smoke: shown without interval and never ranked; preliminary: interval with a warning, unranked; ranked. */
  readonly tier: 'smoke' | 'preliminary' | 'ranked'
  readonly intervals: boolean
  /** What a reader must know, or ''. */
  readonly warning: string
}

/**
 * @param runs fewest runs of the algorithm on any of the tasks
 * @param episodes fewest episodes behind any of its scores
 */
export function standing(runs: number, episodes: number): Standing {
  if (episodes < SCORE_EPISODES) {
    const warning = `${episodes} episodes per score are a smoke test: no interval below ${SCORE_EPISODES}`
    return { tier: 'smoke', intervals: false, warning }
  }
  if (runs < RUNS.interval) {
    const warning = `${runs} ${runs === 1 ? 'run' : 'runs'}: no interval below ${RUNS.interval}`
    return { tier: 'smoke', intervals: false, warning }
  }
  if (runs < RUNS.row) {
    const warning = `${runs} runs: percentile intervals of so few are too narrow; not ranked below ${RUNS.row}`
    return { tier: 'preliminary', intervals: true, warning }
  }
  const warning = runs < RUNS.protocol ? `${runs} runs; the protocol asks for ${RUNS.protocol}` : ''
  return { tier: 'ranked', intervals: true, warning }
}
