/**
 * The slot of a plain world, where users do nothing but collide: `choose`, `resolve` and `tallyChannels` of rules.ts in one
 * pass without a branch that depends on the draw. Tested equal to them.
 */
import { type Port } from '../core/types.ts'
import {
  ACK,
  COLLIDED,
  COLLIDED_SENDS,
  COLLISIONS,
  GAPS,
  GAP_SLOTS,
  IDLE_CHANNELS,
  SENDS,
  SENT,
  SUCCESSES,
  TALLIES,
  WASTED_CHANNELS,
  WINDOWS,
  WINDOW_JAIN,
  type SpectrumState,
} from './state.ts'
import { RATE_UNIT } from './tables.ts'

/**
 * `x >>> SIGN` is 1 where a whole number is below zero, else 0; `0 - x` makes a mask of such a bit. Masks and shifts instead of
 * products and unary minus, which an engine must watch for -0 and overflow.
 */
const SIGN = 31

/** Needs `plan.plain`: everybody in conflict, every attempt goes through, unit rate, nobody else in the air, no queues. */
export function resolvePlain(state: SpectrumState, port: Port, lanes: Int32Array, count: number): void {
  const { plan, last, flags, senders, slotRate } = state
  const { tally, won, lastWon, ring, ringSum, ringTotals, past } = state
  const { users: N, channels: K, window: W, kept: H } = plan
  const { step } = port
  const action = port.action as Int32Array
  for (let j = 0; j < count; j++) {
    const lane = lanes[j]
    const row = lane * N
    const using = lane * (K + 1)
    for (let c = using; c <= using + K; c++) senders[c] = 0
    for (let i = row; i < row + N; i++) senders[using + action[i]]++
    const t = step[lane]
    const next = t + 1
    const slot = (lane * W + (t % W)) * N
    const kept = (lane * H + (t % H)) * N
    let change = 0
    let squares = 0
    let successes = 0
    let gapSlots = 0
    let gaps = 0
    for (let n = 0; n < N; n++) {
      const i = row + n
      const channel = action[i]
      const sent = (0 - channel) >>> SIGN
      const win = sent & ((senders[using + channel] - 2) >>> SIGN)
      const flag = ((0 - sent) & SENT) | ((0 - win) & ACK) | ((0 - (sent ^ win)) & COLLIDED)
      const now = (0 - win) & RATE_UNIT
      last[i] = channel
      flags[i] = flag
      past[kept + n] = (channel << 8) | flag
      const old = ringSum[i]
      const difference = now - ring[slot + n]
      ring[slot + n] = now
      ringSum[i] = old + difference
      change += difference
      squares += difference * (2 * old + difference)
      successes += win
      won[i] += win
      const before = lastWon[i]
      const gap = win & ((0 - before) >>> SIGN)
      const since = next - before
      gapSlots += (0 - gap) & since
      gaps += gap
      lastWon[i] = before + ((0 - win) & since)
    }
    let wasted = 0
    let collisions = 0
    for (let c = using + 1; c <= using + K; c++) {
      wasted += (senders[c] - 1) >>> SIGN
      collisions += (1 - senders[c]) >>> SIGN
    }
    slotRate[lane] = successes * RATE_UNIT
    const sum = (ringTotals[2 * lane] += change)
    const squared = (ringTotals[2 * lane + 1] += squares)
    const totals = lane * TALLIES
    const sends = N - senders[using]
    tally[totals + SENDS] += sends
    tally[totals + COLLIDED_SENDS] += sends - successes
    tally[totals + SUCCESSES] += successes
    tally[totals + GAP_SLOTS] += gapSlots
    tally[totals + GAPS] += gaps
    tally[totals + IDLE_CHANNELS] += K
    tally[totals + WASTED_CHANNELS] += wasted
    tally[totals + COLLISIONS] += collisions
    if (next >= W && sum > 0) {
      tally[totals + WINDOW_JAIN] += (sum * sum) / (N * squared)
      tally[totals + WINDOWS]++
    }
  }
}
