/** Per-episode numbers; README.md has the formulas. */
import { type Port } from '../core/types.ts'
import {
  COLLIDED_SENDS,
  COLLISIONS,
  DROPPED,
  GAPS,
  GAP_SLOTS,
  IDLE_CHANNELS,
  PRIMARY_SENDS,
  QUEUED,
  SENDS,
  SUCCESSES,
  TALLIES,
  WASTED_CHANNELS,
  WINDOWS,
  WINDOW_JAIN,
  earnedBy,
  type SpectrumState,
} from './state.ts'
import { RATE_UNIT } from './tables.ts'

export const METRICS = [
  { name: 'successes', meaning: 'sends that succeeded' },
  { name: 'throughputPerChannel', meaning: 'successes / (K T)' },
  { name: 'throughputPerUser', meaning: 'successes / (N T)' },
  { name: 'minThroughput', meaning: 'least over users of successes of the user / T' },
  {
    name: 'sumRate',
    meaning: 'sum over users of the rate x, per slot; equals K times throughputPerChannel at unit rate',
  },
  { name: 'collisionRate', meaning: 'collided sends / sends' },
  { name: 'channelCollisions', meaning: 'slot-channels with a collision / (K T)' },
  { name: 'idleWaste', meaning: 'idle slot-channels without a sender / idle slot-channels (idle: no primary user)' },
  { name: 'opportunityUse', meaning: 'successes / idle slot-channels' },
  { name: 'jain', meaning: "Jain's index of the users' summed rates: (sum x)^2 / (N sum x^2)" },
  { name: 'jainWindow', meaning: 'mean of the same over sliding windows of 2 ceil(N / K) slots' },
  { name: 'interference', meaning: 'sends on busy channels / busy slot-channels' },
  { name: 'delay', meaning: 'mean slots from one success of a user to its next' },
  { name: 'energy', meaning: 'sends / successes' },
  { name: 'queue', meaning: 'packets waiting at the end of a slot, mean per user' },
  { name: 'dropped', meaning: 'packets that found a full queue' },
] as const

/**
 * Jain's fairness index of non-negative numbers (Jain, Chiu and Hawe 1984): 1 when all are equal, 1 / n when one has all.
 * @returns null when all are zero: nothing was shared, fairly or not
 */
export function jain(x: ArrayLike<number>, from = 0, to = x.length): number | null {
  let sum = 0
  let squares = 0
  for (let i = from; i < to; i++) {
    sum += x[i]
    squares += x[i] * x[i]
  }
  return squares === 0 ? null : (sum * sum) / ((to - from) * squares)
}

/** Jain's index of what the users of a lane earned so far. At unit rate that is their successes: the index has no unit. */
export function fairness({ plan, won, earned }: SpectrumState, lane: number): number | null {
  return jain(plan.unit ? won : earned, lane * plan.users, (lane + 1) * plan.users)
}

/** Writes the metrics of a lane; NaN where undefined. */
export function writeMetrics(state: SpectrumState, port: Port, lane: number, out: Float64Array): void {
  const { plan, tally, won } = state
  const { users: N, channels: K } = plan
  const T = port.step[lane]
  const at = lane * TALLIES
  const of = (which: number) => tally[at + which]
  const successes = of(SUCCESSES)
  const idle = of(IDLE_CHANNELS)
  const busy = K * T - idle
  let least = Infinity
  let rate = 0
  for (let i = lane * N; i < (lane + 1) * N; i++) {
    least = Math.min(least, won[i])
    rate += earnedBy(state, i)
  }
  out[0] = successes
  out[1] = successes / (K * T)
  out[2] = successes / (N * T)
  out[3] = least / T
  out[4] = rate / RATE_UNIT / T
  out[5] = of(COLLIDED_SENDS) / of(SENDS)
  out[6] = of(COLLISIONS) / (K * T)
  out[7] = of(WASTED_CHANNELS) / idle
  out[8] = successes / idle
  out[9] = fairness(state, lane) ?? NaN
  out[10] = of(WINDOW_JAIN) / of(WINDOWS)
  out[11] = of(PRIMARY_SENDS) / busy
  out[12] = of(GAP_SLOTS) / of(GAPS)
  out[13] = successes === 0 ? NaN : of(SENDS) / successes
  out[14] = plan.arrivals === null ? NaN : of(QUEUED) / (N * T)
  out[15] = plan.arrivals === null ? NaN : of(DROPPED)
}
