/**
 * One slot of spectrum access: who sends, who succeeds, what it pays, what is counted, and the air of the coming slot.
 *
 * The order of a slot (our definition): primary users, fading and sensing of the slot are there before anybody acts;
 * actions; attempt draws; carrier sensing in mini-slots; success or failure; rewards; packets leave and arrive; then
 * everything steps to the next slot, whose sensing is part of the observation that follows.
 */
import { nextFloat } from '../core/random.ts'
import { type Port } from '../core/types.ts'
import {
  drawFading,
  followSenders,
  sense,
  spreadJam,
  stepArrivals,
  stepPresence,
  stepPrimary,
  streamAt,
} from './air.ts'
import { resolvePlain } from './plain.ts'
import { pay } from './rewards.ts'
import {
  ACK,
  BUSY,
  COLLIDED,
  COLLIDED_SENDS,
  COLLISIONS,
  DEFERRED,
  EMPTY,
  GAPS,
  GAP_SLOTS,
  HELD,
  IDLE_CHANNELS,
  JAM,
  JAMMED,
  PRIMARY,
  PRIMARY_SENDS,
  SENDS,
  SENT,
  SUCCESSES,
  TALLIES,
  WASTED_CHANNELS,
  WINDOWS,
  WINDOW_JAIN,
  type SpectrumState,
} from './state.ts'
import { levelBelow, LINEAR, RATE, RATE_UNIT } from './tables.ts'

export function step(state: SpectrumState, port: Port, lanes: Int32Array, count: number): void {
  const { plan } = state
  if (plan.plain) resolvePlain(state, port, lanes, count)
  else {
    choose(state, port, lanes, count)
    if (plan.miniSlots > 1) for (let j = 0; j < count; j++) listen(state, lanes[j])
    if (plan.options.jammer !== 'none') for (let j = 0; j < count; j++) disturb(state, port, lanes[j])
    if (plan.air) mix(state, lanes, count)
    resolve(state, port, lanes, count)
    tallyChannels(state, port, lanes, count)
  }
  pay(state, port, lanes, count)
  for (let j = 0; j < count; j++) port.terminated[lanes[j]] = 0
  if (plan.moves) for (let j = 0; j < count; j++) advance(state, port, lanes[j])
}

/** Reads the actions: channel and mini-slot of every user whose attempt draw does not fail. */
function choose(state: SpectrumState, port: Port, lanes: Int32Array, count: number): void {
  const { plan, last, flags, senders, wait, jamChoice } = state
  const { users: N, channels: K, miniSlots, seat } = plan
  const { random, agents: M } = port
  const action = port.action as Int32Array
  const { attemptProb } = plan.options
  const drawn = plan.stream.attempts >= 0
  for (let j = 0; j < count; j++) {
    const lane = lanes[j]
    const at = drawn ? streamAt(state, port, lane, 'attempts') : 0
    const row = lane * N
    const tally = lane * (K + 1)
    for (let c = tally; c <= tally + K; c++) senders[c] = 0
    for (let n = 0; n < N; n++) {
      let channel = action[lane * M + n]
      let flag = 0
      if (channel > 0) {
        flag = SENT
        if (miniSlots > 1) {
          wait[row + n] = (channel - 1) % miniSlots
          channel = (channel - 1 - wait[row + n]) / miniSlots + 1
        }
        if (attemptProb < 1 && (!drawn || nextFloat(random, at) >= attemptProb)) {
          channel = 0
          flag = HELD
        }
      }
      last[row + n] = channel
      flags[row + n] = flag
      senders[tally + channel]++
    }
    if (seat) jamChoice[lane] = action[lane * M + N]
  }
}

/**
 * Carrier sensing: who would begin in a later mini-slot than a user it hears on the same channel keeps silent, as does who
 * would wait at all on a channel whose primary user is there. Equal waits collide.
 */
function listen(state: SpectrumState, lane: number): void {
  const { plan, last, wait, first, busy } = state
  const { users: N, channels: K, miniSlots, near } = plan
  const row = lane * N
  for (let i = row; i < row + N; i++) {
    if (last[i] > 0 && wait[i] > 0 && busy[lane * K + last[i] - 1] === 1) defer(state, lane, i)
  }
  if (near === null) {
    first.fill(miniSlots)
    for (let i = row; i < row + N; i++) if (last[i] > 0 && wait[i] < first[last[i]]) first[last[i]] = wait[i]
    for (let i = row; i < row + N; i++) if (last[i] > 0 && wait[i] > first[last[i]]) defer(state, lane, i)
    return
  }
  // Among neighbours a deferred user does not silence the next: mini-slots are gone through in order.
  for (let w = 1; w < miniSlots; w++) {
    for (let n = 0; n < N; n++) {
      if (wait[row + n] !== w || last[row + n] === 0) continue
      for (let e = near.start[n]; e < near.start[n + 1]; e++) {
        const m = near.of[e]
        if (last[row + m] !== last[row + n] || wait[row + m] >= w) continue
        defer(state, lane, row + n)
        break
      }
    }
  }
}

/** The user at index i keeps silent after all. */
function defer({ plan, last, flags, senders }: SpectrumState, lane: number, i: number): void {
  const tally = lane * (plan.channels + 1)
  senders[tally + last[i]]--
  senders[tally]++
  last[i] = 0
  flags[i] = DEFERRED
}

/** Jammers that act in the slot itself: the seat, and a reactive one without delay. */
function disturb(state: SpectrumState, port: Port, lane: number): void {
  const { plan, jam, jamChoice } = state
  const { jammer, jammerReaction } = plan.options
  if (plan.seat) {
    const row = lane * plan.channels
    for (let k = 0; k < plan.channels; k++) jam[row + k] = jamChoice[lane] === k + 1 ? 1 : 0
  } else if (jammer === 'reactive' && jammerReaction === 0) followSenders(state, port, lane)
}

/** Keeps what is in the air in this slot beside the users. */
function mix(state: SpectrumState, lanes: Int32Array, count: number): void {
  const { plan, air, busy, jam } = state
  const { channels: K } = plan
  const jams = jam.length > 0
  for (let j = 0; j < count; j++) {
    for (let k = lanes[j] * K; k < (lanes[j] + 1) * K; k++) {
      air[k] = (busy[k] === 1 ? BUSY : 0) | (jams && jam[k] === 1 ? JAM : 0)
    }
  }
}

/**
 * Success: alone on the channel among those in conflict, or SINR at the threshold or above; no jammer; a packet to send;
 * and no primary user, unless the rule is underlay. Counts totals, gaps and short-term fairness on the way.
 */
function resolve(state: SpectrumState, port: Port, lanes: Int32Array, count: number): void {
  const { plan, last, flags, gained, air, senders, queue, level, sentLevel, rates, wait, slotRate } = state
  const { tally, won, earned, lastWon, ring, ringSum, ringTotals, past } = state
  const { users: N, channels: K, near, sinr, unit, options, miniSlots, window: W, kept: H } = plan
  const { step } = port
  const aired = plan.air
  const queues = queue.length > 0
  const snrs = level.length > 0 && !sinr
  const alone = near === null && !sinr
  const blocked = COLLIDED | JAMMED | EMPTY | (options.puRule === 'block' ? PRIMARY : 0)
  const shannon = options.rate === 'shannon'
  for (let j = 0; j < count; j++) {
    const lane = lanes[j]
    const row = lane * N
    const using = lane * (K + 1)
    const t = step[lane]
    const slot = (lane * W + (t % W)) * N
    const kept = (lane * H + (t % H)) * N
    let sum = ringTotals[2 * lane]
    let squares = ringTotals[2 * lane + 1]
    let sends = 0
    let collided = 0
    let primary = 0
    let successes = 0
    let gapSlots = 0
    let gaps = 0
    let rate = 0
    for (let n = 0; n < N; n++) {
      const i = row + n
      const channel = last[i]
      let flag = flags[i]
      let now = 0
      if (channel > 0) {
        if (alone) {
          if (senders[using + channel] > 1) flag |= COLLIDED
          if (snrs) sentLevel[i] = level[i * K + channel - 1]
        } else if (sinr) {
          if (!reaches(state, lane, n)) flag |= COLLIDED
        } else {
          if (meets(state, row, n)) flag |= COLLIDED
          if (snrs) sentLevel[i] = level[i * K + channel - 1]
        }
        if (aired) {
          const around = air[lane * K + channel - 1]
          if ((around & BUSY) !== 0) flag |= PRIMARY
          if ((around & JAM) !== 0) flag |= JAMMED
        }
        if (queues && queue[i] === 0) flag = (flag & ~COLLIDED) | EMPTY
        sends++
        if ((flag & COLLIDED) !== 0) collided++
        if ((flag & PRIMARY) !== 0) primary++
        if ((flag & blocked) === 0) {
          flag |= ACK
          if (queues) queue[i]--
          now = shannon ? RATE[sentLevel[i]] : RATE_UNIT
          if (miniSlots > 1) now = Math.floor((now * rates[wait[i]]) / RATE_UNIT + 0.5)
          successes++
          won[i]++
          if (!unit) earned[i] += now
          rate += now
          if (lastWon[i] > 0) {
            gapSlots += t + 1 - lastWon[i]
            gaps++
          }
          lastWon[i] = t + 1
        }
        flags[i] = flag
      }
      if (!unit) gained[i] = now
      past[kept + n] = (channel << 8) | flag
      const before = ring[slot + n]
      if (now !== before) {
        // Whole numbers below 2^53: what goes in comes out again to the bit.
        const old = ringSum[i]
        const fresh = old + now - before
        ring[slot + n] = now
        ringSum[i] = fresh
        sum += fresh - old
        squares += fresh * fresh - old * old
      }
    }
    slotRate[lane] = rate
    ringTotals[2 * lane] = sum
    ringTotals[2 * lane + 1] = squares
    const totals = lane * TALLIES
    tally[totals + SENDS] += sends
    tally[totals + COLLIDED_SENDS] += collided
    tally[totals + PRIMARY_SENDS] += primary
    tally[totals + SUCCESSES] += successes
    tally[totals + GAP_SLOTS] += gapSlots
    tally[totals + GAPS] += gaps
    if (t + 1 >= W && sum > 0) {
      tally[totals + WINDOW_JAIN] += (sum * sum) / (N * squares)
      tally[totals + WINDOWS]++
    }
  }
}

/** Whether a neighbour of user n sends on the same channel. @param row the lane's first user */
function meets({ plan, last }: SpectrumState, row: number, n: number): boolean {
  const { start, of } = plan.near!
  for (let e = start[n]; e < start[n + 1]; e++) if (last[row + of[e]] === last[row + n]) return true
  return false
}

/**
 * Whether user n's SINR on its channel is at the threshold or above, and keeps it as the highest level below: own level
 * over 1 + the levels of the other senders there (everything relative to noise). Interferers do not fade.
 */
function reaches(state: SpectrumState, lane: number, n: number): boolean {
  const { plan, last, gain, level, sentLevel } = state
  const { users: N, channels: K, threshold } = plan
  const row = lane * N
  const channel = last[row + n]
  let noise = 1
  for (let m = 0; m < N; m++) {
    if (m !== n && last[row + m] === channel) noise += LINEAR[gain[(row + m) * N + n]]
  }
  const signal = LINEAR[level[(row + n) * K + channel - 1]]
  sentLevel[row + n] = levelBelow(signal / noise)
  return signal >= noise * threshold
}

/** Totals of the channels, and the slot's picture of them. */
function tallyChannels(state: SpectrumState, port: Port, lanes: Int32Array, count: number): void {
  const { plan, last, flags, air, senders, tally, pastAir, first } = state
  const { users: N, channels: K, kept: H } = plan
  const alone = plan.near === null && !plan.sinr // two senders always collide
  for (let j = 0; j < count; j++) {
    const lane = lanes[j]
    const using = lane * (K + 1) + 1
    let idle = K
    let wasted = 0
    let collisions = 0
    if (plan.air) {
      const past = (lane * H + (port.step[lane] % H)) * K
      for (let k = 0; k < K; k++) {
        const around = air[lane * K + k]
        pastAir[past + k] = around
        if ((around & BUSY) !== 0) idle--
        else if (senders[using + k] === 0) wasted++
        if (senders[using + k] > 1) collisions++
      }
    } else {
      for (let k = using; k < using + K; k++) {
        if (senders[k] === 0) wasted++
        else if (senders[k] > 1) collisions++
      }
    }
    if (!alone) {
      first.fill(0)
      for (let i = lane * N; i < (lane + 1) * N; i++) if ((flags[i] & COLLIDED) !== 0) first[last[i]] = 1
      collisions = 0
      for (let k = 1; k <= K; k++) collisions += first[k]
    }
    const totals = lane * TALLIES
    tally[totals + IDLE_CHANNELS] += idle
    tally[totals + WASTED_CHANNELS] += wasted
    tally[totals + COLLISIONS] += collisions
  }
}

/** Everything steps to the coming slot. */
function advance(state: SpectrumState, port: Port, lane: number): void {
  const { plan, jamAt } = state
  const { options } = plan
  const t = port.step[lane] + 1
  if (plan.arrivals !== null) stepArrivals(state, port, lane)
  if (options.leaveProb > 0) stepPresence(state, port, lane)
  stepPrimary(state, port, lane)
  if (options.fading !== 'none' && t % options.fadingSlots === 0) drawFading(state, port, lane)
  if (options.jammer === 'sweep') {
    if (t % options.jammerDwell === 0) jamAt[lane] = (jamAt[lane] + 1) % plan.channels
    spreadJam(state, lane)
  } else if (options.jammer === 'reactive' && options.jammerReaction === 1) followSenders(state, port, lane)
  if (options.sensing !== 'none') sense(state, port, lane, t)
}
