/** The lines of the strips under the timeline: what is known at every step, per team and for the selected agent. */
import { advantages, entropies } from './estimates.ts'
import { type EpisodeInfo } from './sources/messages.ts'
import { teamReturn, teamRewardOf, type Overview } from './survey.ts'

export const STRIPS = ['return', 'reward', 'value', 'advantage', 'entropy'] as const
export type StripId = (typeof STRIPS)[number]

/** Shown until the user chooses. */
export const FIRST_STRIPS: readonly StripId[] = ['return', 'value']

/** Teams drawn with a line of their own at most. */
const MOST_TEAMS = 4

export interface Team {
  readonly name: string
  /** Rows of its agents. */
  readonly rows: readonly number[]
}

/** Controlled agents by team, in the order in which teams first appear. */
export function teamsOf(info: EpisodeInfo): Team[] {
  const teams = new Map<string, number[]>()
  info.agents.forEach((_, n) => {
    const name = info.spec?.agents[n].team ?? ''
    const rows = teams.get(name)
    if (rows === undefined) teams.set(name, [n])
    else rows.push(n)
  })
  if (teams.size > MOST_TEAMS) return [{ name: '', rows: info.agents.map((_, n) => n) }]
  return [...teams].map(([name, rows]) => ({ name, rows }))
}

/** Rewards of every step on the scale that critics estimate: the team's, where the scenario shares them. [T, N] */
export function criticRewards(info: EpisodeInfo, overview: Overview): Float32Array {
  const N = info.agents.length
  const kind = teamRewardOf(info.header.scenario)
  const out = overview.rewards.slice(N)
  if (kind === 'none') return out
  const teams = teamsOf(info)
  for (let t = 0; t < out.length; t += N) {
    for (const { rows } of teams) {
      const shared = teamReturn(
        kind,
        rows.map((n) => overview.rewards[N + t + n]),
      )
      for (const n of rows) out[t + n] = shared
    }
  }
  return out
}

export interface Series {
  /** First and last step with a number. */
  readonly from: number
  readonly to: number
  /** The number of an agent, or of a team, at a step. */
  own(step: number, agent: number): number
  team(step: number, team: Team): number
}

interface Known {
  readonly steps: number
  readonly series: ReadonlyMap<StripId, Series>
}

const CACHE = new WeakMap<EpisodeInfo, Known>()

/** Every strip that this replay has numbers for, as far as it was surveyed. */
export function seriesOf(info: EpisodeInfo, overview: Overview): ReadonlyMap<StripId, Series> {
  const cached = CACHE.get(info)
  if (cached !== undefined && cached.steps === overview.steps) return cached.series
  const series = new Map<StripId, Series>()
  const N = info.agents.length
  const kind = teamRewardOf(info.header.scenario)
  const shared = (values: ArrayLike<number>, from: number, to: number): Series => ({
    from,
    to,
    own: (step, agent) => values[step * N + agent],
    team: (step, { rows }) =>
      teamReturn(
        kind,
        rows.map((n) => values[step * N + n]),
      ),
  })
  const mean = (values: ArrayLike<number>, to: number): Series => ({
    from: 0,
    to,
    own: (step, agent) => values[step * N + agent],
    team: (step, { rows }) => rows.reduce((sum, n) => sum + values[step * N + n], 0) / rows.length,
  })
  const { value, probability } = info
  if (overview.returns.length > 0 && overview.steps > 0) {
    series.set('return', shared(overview.returns, 0, overview.steps))
    series.set('reward', shared(overview.rewards, 1, overview.steps))
  }
  if (value !== null && N > 0) {
    const T = value.length / N
    series.set('value', mean(value, T - 1))
    if (overview.steps >= T && overview.rewards.length > 0) {
      const terminated = info.header.result?.terminated === true
      const estimates = advantages(value, criticRewards(info, overview), N, terminated)
      if (T > 1 || terminated) series.set('advantage', mean(estimates, terminated ? T - 1 : T - 2))
    }
  }
  if (probability !== null && info.spec !== null && info.spec.actionSize > 0) {
    const all = entropies(probability, N, info.spec.actionSize)
    series.set('entropy', mean(all, all.length / N - 1))
  }
  CACHE.set(info, { steps: overview.steps, series })
  return series
}

/**
 * The corners of a line over the steps `from` to `to`, at most two per stretch of `stride` steps: the least and the
 * greatest number, in their order, so that no spike is lost.
 */
export function decimated(
  at: (step: number) => number,
  from: number,
  to: number,
  stride: number,
): { step: number; value: number }[] {
  const corners: { step: number; value: number }[] = []
  for (let start = from; start <= to; start += stride) {
    let [low, high] = [start, start]
    for (let t = start; t <= Math.min(to, start + stride - 1); t++) {
      if (at(t) < at(low)) low = t
      if (at(t) > at(high)) high = t
    }
    for (const step of low === high ? [low] : [Math.min(low, high), Math.max(low, high)]) {
      const value = at(step)
      if (!Number.isNaN(value)) corners.push({ step, value })
    }
  }
  return corners
}
