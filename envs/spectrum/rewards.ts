/** What a slot pays, by reward mode. x is the rate of the slot: 0, or 1 (unit), or log2(1 + SNR) (shannon). */
import { type Port } from '../core/types.ts'
import { ACK, COLLIDED, JAMMED, PRIMARY, SENT, type SpectrumState } from './state.ts'
import { ln, raise, RATE_UNIT } from './tables.ts'

/** Scratch: numbers handed over in an array are never boxed. */
const base = new Float64Array(2)

/** Rate of all users in the last slot. */
export function sumRate({ plan, gained }: SpectrumState, lane: number): number {
  let sum = 0
  for (let i = lane * plan.users; i < (lane + 1) * plan.users; i++) sum += gained[i]
  return sum / RATE_UNIT
}

/** Writes the rewards of a lane [M]; a jammer's seat gets minus the sum rate. */
export function pay(state: SpectrumState, port: Port, lane: number): void {
  const { plan, flags, gained, average, earned } = state
  const { users: N, options, horizon } = plan
  const { reward, agents: M } = port
  const row = lane * N
  const out = lane * M
  const sum = sumRate(state, lane)
  if (plan.seat) reward[out + N] = 0 - sum
  switch (options.reward) {
    case 'competitive':
      for (let n = 0; n < N; n++) reward[out + n] = gained[row + n] / RATE_UNIT
      return
    case 'sum':
      for (let n = 0; n < N; n++) reward[out + n] = sum
      return
    case 'sumMean':
      for (let n = 0; n < N; n++) reward[out + n] = sum / N
      return
    case 'sumIfAck':
      for (let n = 0; n < N; n++) reward[out + n] = (flags[row + n] & ACK) !== 0 ? sum : 0
      return
    case 'propFair':
    case 'alphaFair': {
      const alpha = options.reward === 'propFair' ? 1 : options.fairAlpha
      const { fairFloor: floor } = options
      const w = 1 / options.fairWindow
      for (let n = 0; n < N; n++) {
        const i = row + n
        const x = gained[i] / RATE_UNIT
        const past = average[i] > floor ? average[i] : floor
        if (x === 0) reward[out + n] = 0
        else if (alpha === 1) reward[out + n] = x / past
        else {
          base[0] = past
          base[1] = 0 - alpha
          raise(base)
          reward[out + n] = x * base[0]
        }
        average[i] = (1 - w) * average[i] + w * x
      }
      return
    }
    case 'propFairEpisodic': {
      const ends = port.step[lane] + 1 === horizon
      for (let n = 0; n < N; n++) {
        const total = (earned[row + n] + gained[row + n]) / RATE_UNIT // earned is without this slot yet
        reward[out + n] = ends ? ln(options.fairFloor + total / horizon) : 0
      }
      return
    }
    case 'penalised': {
      const { successReward, collisionCost, puCost, sendCost } = options
      for (let n = 0; n < N; n++) {
        const flag = flags[row + n]
        let value = (successReward * gained[row + n]) / RATE_UNIT
        if ((flag & (COLLIDED | JAMMED)) !== 0) value -= collisionCost
        if ((flag & PRIMARY) !== 0) value -= puCost
        if ((flag & SENT) !== 0) value -= sendCost
        reward[out + n] = value
      }
    }
  }
}

/** The last slot's rewards by term, for the inspector; they sum to what was paid. */
export function rewardTerms(state: SpectrumState, port: Port, lane: number): Record<string, Float32Array> {
  const { plan, flags, gained } = state
  const { users: N, options } = plan
  const M = port.agents
  const paid = port.reward.slice(lane * M, (lane + 1) * M)
  if (options.reward !== 'penalised') return { [options.reward]: paid }
  const { successReward, collisionCost, puCost, sendCost } = options
  const term = (of: (flag: number, n: number) => number) =>
    Float32Array.from({ length: M }, (_, n) => (n < N ? of(flags[lane * N + n], n) : 0))
  const terms = {
    success: term((_, n) => (successReward * gained[lane * N + n]) / RATE_UNIT),
    collision: term((flag) => ((flag & (COLLIDED | JAMMED)) !== 0 ? 0 - collisionCost : 0)),
    primary: term((flag) => ((flag & PRIMARY) !== 0 ? 0 - puCost : 0)),
    send: term((flag) => ((flag & SENT) !== 0 ? 0 - sendCost : 0)),
  }
  return plan.seat ? { ...terms, jammed: paid.map((value, n) => (n < N ? 0 : value)) } : terms
}
