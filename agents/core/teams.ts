/** How a team shares its reward, and what "return" means for a scenario. */
import { TroupeError, type AgentSpec } from '../../envs/core/index.ts'

/** none: everybody keeps their own; sum, mean: every agent gets the sum or mean over its team. */
export type TeamReward = 'none' | 'sum' | 'mean'

/** Number of each agent's team, in order of first appearance. */
export function teamNumbers(agents: readonly AgentSpec[]): Int32Array {
  const names: string[] = []
  return Int32Array.from(agents, ({ team }) => {
    if (!names.includes(team)) names.push(team)
    return names.indexOf(team)
  })
}

/**
 * Applies a scenario's team reward to rows of per-agent rewards.
 * @param teams [N] from `teamNumbers`
 * @param reward [rows, N]
 * @param out [rows, N] overwritten; may be `reward` itself
 */
export function shareReward(
  mode: TeamReward,
  teams: Int32Array,
  reward: Float32Array,
  out: Float32Array,
  rows: number,
): void {
  const N = teams.length
  if (mode === 'none') {
    for (let i = 0; i < rows * N; i++) out[i] = reward[i]
    return
  }
  const count = N === 0 ? 0 : Math.max(...teams) + 1
  const total = new Float64Array(count)
  const members = new Float64Array(count)
  for (const team of teams) members[team]++
  for (let row = 0; row < rows; row++) {
    total.fill(0)
    for (let n = 0; n < N; n++) total[teams[n]] += reward[row * N + n]
    for (let n = 0; n < N; n++) {
      out[row * N + n] = mode === 'sum' ? total[teams[n]] : total[teams[n]] / members[teams[n]]
    }
  }
}

/** The one number of an episode: the sum over agents for none and sum, the mean for mean. */
export function teamReturn(mode: TeamReward, returns: ArrayLike<number>): number {
  let sum = 0
  for (let n = 0; n < returns.length; n++) sum += returns[n]
  return mode === 'mean' ? sum / Math.max(returns.length, 1) : sum
}

/**
 * For algorithms whose theory has one reward that all learning agents share.
 * @param agents indices of those that learn
 * @param instead what takes individual rewards, for the message
 * @param why one reward, in a clause
 * @throws TroupeError when agents keep rewards of their own, or are of several teams
 */
export function requireOneReward(
  who: string,
  spec: { readonly agents: readonly AgentSpec[] },
  { teamReward, agents }: { readonly teamReward: TeamReward; readonly agents?: readonly number[] },
  instead: string,
  why = 'its agents improve one sum one after the other, so they must want the same',
): void {
  const learning = agents ?? [...spec.agents.keys()]
  if (learning.length < 2) return
  const teams = new Set(learning.map((agent) => spec.agents[agent]?.team))
  const reason = `${why}; ${instead} take individual rewards`
  if (teams.size > 1) {
    throw new TroupeError('bad-option', {
      where: `${who}: agents`,
      got: `of ${teams.size} teams (${[...teams].join(', ')})`,
      expected: `agents of one team: ${reason}`,
    })
  }
  if (teamReward !== 'none') return
  throw new TroupeError('bad-option', {
    where: `${who}: teamReward of the scenario`,
    got: "'none', every agent its own reward",
    expected: `'sum' or 'mean': ${reason}`,
  })
}
