/** What a slot pays, by reward mode. x is the rate of the slot: 0, or 1 (unit), or log2(1 + SNR) (shannon). */
import { type Port } from '../core/types.ts'
import { ACK, COLLIDED, earnedBy, gainedBy, JAMMED, PRIMARY, SENT, type SpectrumState } from './state.ts'
import { ln, raise, RATE_UNIT } from './tables.ts'

/** Scratch: numbers handed over in an array are never boxed. */
const base = new Float64Array(2)

/** Writes the rewards [M] of the listed lanes; a jammer's seat gets minus the sum rate. */
export function pay(state: SpectrumState, port: Port, lanes: Int32Array, count: number): void {
  const { plan, slotRate } = state
  const { users: N } = plan
  const { reward, agents: M } = port
  if (plan.options.reward !== 'sum' && plan.options.reward !== 'sumMean') {
    for (let j = 0; j < count; j++) payEach(state, port, lanes[j])
  } else {
    const share = plan.options.reward === 'sum' ? 1 : N
    for (let j = 0; j < count; j++) {
      const common = slotRate[lanes[j]] / RATE_UNIT / share
      for (let i = lanes[j] * M; i < lanes[j] * M + N; i++) reward[i] = common
    }
  }
  if (plan.seat) for (let j = 0; j < count; j++) reward[lanes[j] * M + N] = 0 - slotRate[lanes[j]] / RATE_UNIT
}

function payEach(state: SpectrumState, port: Port, lane: number): void {
  const { plan, flags, average, slotRate } = state
  const { users: N, options, horizon } = plan
  const { reward, agents: M } = port
  const row = lane * N
  const out = lane * M
  switch (options.reward) {
    case 'competitive':
      for (let n = 0; n < N; n++) reward[out + n] = gainedBy(state, row + n) / RATE_UNIT
      return
    case 'sumIfAck':
      for (let n = 0; n < N; n++) reward[out + n] = (flags[row + n] & ACK) !== 0 ? slotRate[lane] / RATE_UNIT : 0
      return
    case 'propFair':
    case 'alphaFair': {
      const alpha = options.reward === 'propFair' ? 1 : options.fairAlpha
      const { fairFloor: floor } = options
      const w = 1 / options.fairWindow
      for (let n = 0; n < N; n++) {
        const i = row + n
        const x = gainedBy(state, i) / RATE_UNIT
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
        reward[out + n] = ends ? ln(options.fairFloor + earnedBy(state, row + n) / RATE_UNIT / horizon) : 0
      }
      return
    }
    case 'penalised': {
      const { successReward, collisionCost, puCost, sendCost } = options
      for (let n = 0; n < N; n++) {
        const flag = flags[row + n]
        let value = (successReward * gainedBy(state, row + n)) / RATE_UNIT
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
  const { plan, flags } = state
  const { users: N, options } = plan
  const M = port.agents
  const paid = port.reward.slice(lane * M, (lane + 1) * M)
  if (options.reward !== 'penalised') return { [options.reward]: paid }
  const { successReward, collisionCost, puCost, sendCost } = options
  const term = (of: (flag: number, n: number) => number) =>
    Float32Array.from({ length: M }, (_, n) => (n < N ? of(flags[lane * N + n], n) : 0))
  const terms = {
    success: term((_, n) => (successReward * gainedBy(state, lane * N + n)) / RATE_UNIT),
    collision: term((flag) => ((flag & (COLLIDED | JAMMED)) !== 0 ? 0 - collisionCost : 0)),
    primary: term((flag) => ((flag & PRIMARY) !== 0 ? 0 - puCost : 0)),
    send: term((flag) => ((flag & SENT) !== 0 ? 0 - sendCost : 0)),
  }
  return plan.seat ? { ...terms, jammed: paid.map((value, n) => (n < N ? 0 : value)) } : terms
}
