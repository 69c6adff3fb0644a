/**
 * Users who know how the primary users behave (not what they do now) and remember what they met on the channels they tried.
 * Each keeps, for every channel, the probability that it is idle in the coming slot; the user of rank r takes the channel of
 * the r-th best score, so that users of one mind do not all take the same.
 */
import { type EnvBatch, type EnvSpec } from '../../envs/core/index.ts'
import { type SpectrumWorld } from '../../envs/spectrum/index.ts'
import { stationaryIdle } from '../../envs/spectrum/theory.ts'
import { type PrivilegedPolicy } from '../core/policy.ts'
import { channelsOf, firstChannel, sendOn } from './spectrum-channels.ts'

const SENT = 1 // bit of flags
const BUSY = 1 // bit of air

interface Memory {
  readonly idle: Float64Array // [B, n, K] probability of idle
  readonly place: Float64Array // [B, n, K] of the round robin's place
}

type Plan = SpectrumWorld['plan']

/** Probabilities before the first slot: stationary, uniform over places. */
function begin(plan: Plan, { idle, place }: Memory, at: number): void {
  const { channels: K, options, puBusy, p01, p11 } = plan
  for (let k = 0; k < K; k++) {
    idle[at + k] =
      options.pu === 'none' ? 1 : options.pu === 'bernoulli' ? 1 - puBusy[k] : stationaryIdle(p01[k], p11[k])
    place[at + k] = 1 / K
  }
  if (options.pu === 'roundRobin') fromPlaces(plan, { idle, place }, at)
}

/** Idle probabilities from those of the places. */
function fromPlaces({ channels: K, good }: Plan, { idle, place }: Memory, at: number): void {
  for (let k = 0; k < K; k++) {
    let sum = 0
    for (let offset = 0; offset < K; offset++) if (good[(k - offset + K) % K] === 1) sum += place[at + offset]
    idle[at + k] = sum
  }
}

/** Takes in what was met on `tried` (−1: nothing), then steps to the coming slot. */
function update(plan: Plan, memory: Memory, at: number, tried: number, met: number): void {
  const { idle, place } = memory
  const { channels: K, options, p01, p11, good } = plan
  if (options.pu === 'gilbertElliott') {
    if (tried >= 0) idle[at + tried] = met
    for (let k = 0; k < K; k++) idle[at + k] = idle[at + k] * p11[k] + (1 - idle[at + k]) * p01[k]
  } else if (options.pu === 'roundRobin') {
    if (tried >= 0) {
      let total = 0
      for (let offset = 0; offset < K; offset++) {
        if (good[(tried - offset + K) % K] !== met) place[at + offset] = 0
        total += place[at + offset]
      }
      for (let offset = 0; offset < K; offset++) place[at + offset] /= total
    }
    const p = options.puSwitch
    let before = place[at + K - 1]
    for (let offset = 0; offset < K; offset++) {
      const here = place[at + offset]
      place[at + offset] = (1 - p) * here + p * before
      before = here
    }
    fromPlaces(plan, memory, at)
  }
}

/**
 * @param score what a channel is worth when it is idle with this probability
 */
export function believers(
  name: string,
  spec: EnvSpec,
  score: (plan: Plan, channel: number, idle: number) => number,
): PrivilegedPolicy {
  const sizes = channelsOf(spec)
  const { users: N, channels: K, share, crowd } = sizes
  const worth = new Float64Array(K)
  return {
    name,
    privileged: true,
    memory: (lanes, agents): Memory => ({
      idle: new Float64Array(lanes * agents * K),
      place: new Float64Array(lanes * agents * K),
    }),
    act(batch: EnvBatch, agents, given, out) {
      const memory = given as Memory
      const { plan, last, flags, air } = batch.world as SpectrumWorld
      const { mask, spec: seen, stepCount } = batch
      const seats = seen.agents.length
      for (let lane = 0; lane < batch.lanes; lane++) {
        for (let n = 0; n < agents.length; n++) {
          const row = lane * agents.length + n
          const user = seen.seats[agents[n]]
          let action = 1 + (stepCount[lane] % K)
          if (user < N) {
            const at = row * K
            const i = lane * N + user
            if (stepCount[lane] === 0) begin(plan, memory, at)
            else {
              const tried = (flags[i] & SENT) !== 0 ? last[i] - 1 : -1
              update(plan, memory, at, tried, tried >= 0 && (air[lane * K + tried] & BUSY) !== 0 ? 0 : 1)
            }
            const first = firstChannel(sizes, user)
            for (let k = first; k < first + share; k++) worth[k] = score(plan, k, memory.idle[at + k])
            const rank = user % crowd
            action = rank < share ? sendOn(sizes, nth(worth, first, share, rank)) : 0
          }
          out.action[row] = mask[(lane * seats + agents[n]) * seen.actionSize + action] === 1 ? action : 0
        }
      }
    },
  }
}

/** Index of the value of this rank (0 = the largest) among `count` from `first` on; ties to the lower number. */
function nth(values: Float64Array, first: number, count: number, rank: number): number {
  for (let k = first; k < first + count; k++) {
    let better = 0
    for (let j = first; j < first + count; j++) {
      if (values[j] > values[k] || (values[j] === values[k] && j < k)) better++
    }
    if (better === rank) return k
  }
  return first
}
