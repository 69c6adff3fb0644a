/** Known values of spectrum access as pure functions. Marks: N = computed here, R = literature recalled. */

export { stationaryIdle } from './air.ts'
export { jain } from './metrics.ts'

/**
 * Slotted ALOHA on K channels: successes per slot and channel when each of N users sends with probability p on a uniform
 * channel: (N p / K)(1 − p / K)^(N − 1) (N).
 */
export function alohaPerChannel(users: number, channels: number, p: number): number {
  const each = p / channels
  let quiet = 1
  for (let n = 1; n < users; n++) quiet *= 1 - each
  return users * each * quiet
}

/** The attempt probability that makes slotted ALOHA best: min(1, K / N) (N). */
export const alohaBestAttempt = (users: number, channels: number): number => Math.min(1, channels / users)

/** Throughput per channel and per user of perfect time division (N). */
export const tdmaPerChannel = (users: number, channels: number): number => Math.min(1, users / channels)
export const tdmaPerUser = (users: number, channels: number): number => Math.min(1, channels / users)

/** One user who sees every channel before it acts: 1 − (1 − pi)^K, with pi the idle probability of independent channels (N). */
export function genieSingleUser(channels: number, idle: number): number {
  let none = 1
  for (let k = 0; k < channels; k++) none *= 1 - idle
  return 1 - none
}

/** A Gilbert–Elliott channel that was bad k slots ago is good now with pi (1 − (p11 − p01)^k) (N). */
export function goodAfterBad(p01: number, p11: number, k: number): number {
  let belief = 0
  for (let i = 0; i < k; i++) belief = belief * p11 + (1 - belief) * p01
  return belief
}

/** Slots looked ahead for the belief to cross the threshold; the rest counts as never. */
const LOOK_AHEAD = 2000

/**
 * Whittle index of a Gilbert–Elliott channel at belief w: the subsidy for passivity that makes trying the channel and leaving
 * it equally good, under reward 1 for an idle channel and discount b (R: Liu and Zhao 2010 prove that the optimal policy of
 * one channel is a threshold on the belief). With the threshold at w the value of any belief x is
 *
 *   V(x) = m (1 − b^L) / (1 − b) + b^L (y + b (y V(p11) + (1 − y) V(p01))),  y = T^L x the first belief above w
 *
 * which is linear in the subsidy m, so that V(p11), V(p01) and the indifference at w are three linear equations.
 * @param belief probability that the channel is idle, 0 to 1
 * @param discount b, 0 to below 1
 */
export function whittleIndex(belief: number, p01: number, p11: number, discount: number): number {
  const b = discount
  const step = (x: number) => x * p11 + (1 - x) * p01
  /** V(x) = subsidy * m + constant + good * V(p11) + bad * V(p01). */
  const value = (from: number) => {
    let x = from
    let power = 1
    for (let wait = 0; wait < LOOK_AHEAD; wait++) {
      if (x > belief)
        return { subsidy: (1 - power) / (1 - b), constant: power * x, good: power * b * x, bad: power * b * (1 - x) }
      const next = step(x)
      if (next === x) break // it has arrived at the stationary belief, below the threshold
      x = next
      power *= b
    }
    return { subsidy: 1 / (1 - b), constant: 0, good: 0, bad: 0 }
  }
  const g = value(p11)
  const d = value(p01)
  // V(p11) and V(p01) as subsidy * m + constant.
  const determinant = (1 - g.good) * (1 - d.bad) - g.bad * d.good
  const solve = (left: number, right: number) => [
    (left * (1 - d.bad) + g.bad * right) / determinant,
    ((1 - g.good) * right + d.good * left) / determinant,
  ]
  const [goodSubsidy, badSubsidy] = solve(g.subsidy, d.subsidy)
  const [goodConstant, badConstant] = solve(g.constant, d.constant)
  const next = value(step(belief))
  // belief + b (belief V11 + (1 − belief) V01) = m + b V(T belief)
  const slope =
    1 +
    b * (next.subsidy + next.good * goodSubsidy + next.bad * badSubsidy) -
    b * (belief * goodSubsidy + (1 - belief) * badSubsidy)
  const rest =
    belief +
    b * (belief * goodConstant + (1 - belief) * badConstant) -
    b * (next.constant + next.good * goodConstant + next.bad * badConstant)
  return rest / slope
}

/**
 * A largest set of users of whom no two are neighbours, by branch and bound; of equal sets the one with the largest total
 * weight, then the first found.
 * @param neighbours per user
 * @param candidates users that may be in it, at most 30
 */
export function largestIndependentSet(
  neighbours: readonly (readonly number[])[],
  candidates: readonly number[],
  weight: (user: number) => number = () => 0,
): number[] {
  let best: number[] = []
  let bestWeight = -Infinity
  const search = (chosen: number[], left: readonly number[], total: number) => {
    if (chosen.length + left.length < best.length) return
    if (left.length === 0) {
      if (chosen.length > best.length || (chosen.length === best.length && total > bestWeight)) {
        best = chosen
        bestWeight = total
      }
      return
    }
    const [user, ...rest] = left
    const free = rest.filter((other) => !neighbours[user].includes(other))
    search([...chosen, user], free, total + weight(user))
    // Leaving out a user without neighbours among the rest never helps.
    if (free.length < rest.length) search(chosen, rest, total)
  }
  search([], candidates, 0)
  return best
}
