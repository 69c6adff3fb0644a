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
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    port.terminated[lane] = 0
    choose(state, port, lane)
    listen(state, lane)
    disturb(state, port, lane)
    resolve(state, lane)
    pay(state, port, lane)
    tallyUsers(state, lane, port.step[lane])
    tallyChannels(state, lane, port.step[lane])
    advance(state, port, lane)
  }
}

/** Reads the actions: channel and mini-slot of every user whose attempt draw does not fail. */
function choose(state: SpectrumState, port: Port, lane: number): void {
  const { plan, last, flags, senders, wait, jamChoice } = state
  const { users: N, miniSlots } = plan
  const { action, random, agents: M } = port
  const { attemptProb } = plan.options
  const drawn = plan.stream.attempts >= 0
  const at = drawn ? streamAt(state, port, lane, 'attempts') : 0
  const row = lane * N
  senders.fill(0)
  for (let n = 0; n < N; n++) {
    let channel = action[lane * M + n]
    let flag = 0
    wait[n] = 0
    if (channel > 0) {
      if (miniSlots > 1) {
        wait[n] = (channel - 1) % miniSlots
        channel = (channel - 1 - wait[n]) / miniSlots + 1
      }
      if (attemptProb < 1 && (!drawn || nextFloat(random, at) >= attemptProb)) {
        channel = 0
        flag = HELD
      } else flag = SENT
    }
    last[row + n] = channel
    flags[row + n] = flag
    senders[channel]++
  }
  if (plan.seat) jamChoice[lane] = action[lane * M + N]
}

/**
 * Carrier sensing: who would begin in a later mini-slot than a user it hears on the same channel keeps silent, as does who
 * would wait at all on a channel whose primary user is there. Equal waits collide.
 */
function listen(state: SpectrumState, lane: number): void {
  const { plan, last, wait, first, busy } = state
  const { users: N, channels: K, miniSlots, near } = plan
  if (miniSlots === 1) return
  const row = lane * N
  for (let n = 0; n < N; n++) {
    if (last[row + n] > 0 && wait[n] > 0 && busy[lane * K + last[row + n] - 1] === 1) defer(state, row, n)
  }
  if (near === null) {
    first.fill(miniSlots)
    for (let n = 0; n < N; n++) if (wait[n] < first[last[row + n]]) first[last[row + n]] = wait[n]
    for (let n = 0; n < N; n++) if (last[row + n] > 0 && wait[n] > first[last[row + n]]) defer(state, row, n)
    return
  }
  // Among neighbours a deferred user does not silence the next: mini-slots are gone through in order.
  for (let w = 1; w < miniSlots; w++) {
    for (let n = 0; n < N; n++) {
      if (wait[n] !== w || last[row + n] === 0) continue
      for (let e = near.start[n]; e < near.start[n + 1]; e++) {
        const m = near.of[e]
        if (last[row + m] !== last[row + n] || wait[m] >= w) continue
        defer(state, row, n)
        break
      }
    }
  }
}

/** The user keeps silent after all. @param row the lane's first user */
function defer({ last, flags, senders }: SpectrumState, row: number, n: number): void {
  senders[last[row + n]]--
  senders[0]++
  last[row + n] = 0
  flags[row + n] = DEFERRED
}

/** Jammers that act in the slot itself: the seat, and a reactive one without delay. */
function disturb(state: SpectrumState, port: Port, lane: number): void {
  const { plan, jam, jamChoice } = state
  const { jammer, jammerReaction } = plan.options
  if (jammer === 'none') return
  if (plan.seat) {
    const row = lane * plan.channels
    for (let k = 0; k < plan.channels; k++) jam[row + k] = jamChoice[lane] === k + 1 ? 1 : 0
  } else if (jammer === 'reactive' && jammerReaction === 0) followSenders(state, port, lane)
}

/**
 * Success: alone on the channel among those in conflict, or SINR at the threshold or above; no jammer; a packet to send;
 * and no primary user, unless the rule is underlay.
 */
function resolve(state: SpectrumState, lane: number): void {
  const { plan, last, flags, gained, air, busy, jam, senders, queue, level, sentLevel, rates, wait } = state
  const { users: N, channels: K, near, sinr, options, miniSlots } = plan
  const row = lane * N
  const channels = lane * K
  const jams = jam.length > 0
  const queues = queue.length > 0
  const snrs = level.length > 0
  const block = options.puRule === 'block'
  const shannon = options.rate === 'shannon'
  for (let k = 0; k < K; k++) {
    air[channels + k] = (busy[channels + k] === 1 ? BUSY : 0) | (jams && jam[channels + k] === 1 ? JAM : 0)
  }
  for (let n = 0; n < N; n++) {
    const i = row + n
    gained[i] = 0
    const channel = last[i]
    if (channel === 0) continue
    let flag = SENT
    if (snrs && !sinr) sentLevel[i] = level[i * K + channel - 1]
    if (sinr) {
      if (!reaches(state, lane, n)) flag |= COLLIDED
    } else if (near === null) {
      if (senders[channel] > 1) flag |= COLLIDED
    } else {
      for (let e = near.start[n]; e < near.start[n + 1]; e++) {
        if (last[row + near.of[e]] === channel) flag |= COLLIDED
      }
    }
    const around = air[channels + channel - 1]
    if ((around & BUSY) !== 0) flag |= PRIMARY
    if ((around & JAM) !== 0) flag |= JAMMED
    if (queues && queue[i] === 0) flag = (flag & ~COLLIDED) | EMPTY
    if ((flag & (COLLIDED | JAMMED | EMPTY)) === 0 && !(block && (flag & PRIMARY) !== 0)) {
      flag |= ACK
      if (queues) queue[i]--
      let worth = RATE_UNIT
      if (shannon) worth = RATE[sentLevel[i]]
      if (miniSlots > 1) worth = Math.floor((worth * rates[wait[n]]) / RATE_UNIT + 0.5)
      gained[i] = worth
    }
    flags[i] = flag
  }
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

/** Totals, gaps and short-term fairness of the users. @param t slots before this one */
function tallyUsers(state: SpectrumState, lane: number, t: number): void {
  const { plan, last, flags, gained, tally, won, earned, lastWon, ring, ringSum, ringTotals } = state
  const { pastChannel, pastFlags } = state
  const { users: N, window: W, kept: H } = plan
  const row = lane * N
  const totals = lane * TALLIES
  const slot = (lane * W + (t % W)) * N
  const past = (lane * H + (t % H)) * N
  let sends = 0
  let collided = 0
  let primary = 0
  let sum = ringTotals[2 * lane]
  let squares = ringTotals[2 * lane + 1]
  for (let n = 0; n < N; n++) {
    const i = row + n
    const flag = flags[i]
    pastChannel[past + n] = last[i]
    pastFlags[past + n] = flag
    const now = gained[i]
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
    if ((flag & SENT) === 0) continue
    sends++
    if ((flag & COLLIDED) !== 0) collided++
    if ((flag & PRIMARY) !== 0) primary++
    if ((flag & ACK) === 0) continue
    won[i]++
    earned[i] += now
    tally[totals + SUCCESSES]++
    if (lastWon[i] > 0) {
      tally[totals + GAP_SLOTS] += t + 1 - lastWon[i]
      tally[totals + GAPS]++
    }
    lastWon[i] = t + 1
  }
  ringTotals[2 * lane] = sum
  ringTotals[2 * lane + 1] = squares
  tally[totals + SENDS] += sends
  tally[totals + COLLIDED_SENDS] += collided
  tally[totals + PRIMARY_SENDS] += primary
  if (t + 1 >= W && sum > 0) {
    tally[totals + WINDOW_JAIN] += (sum * sum) / (N * squares)
    tally[totals + WINDOWS]++
  }
}

/** Totals of the channels, and the slot's picture of them. */
function tallyChannels(state: SpectrumState, lane: number, t: number): void {
  const { plan, last, flags, air, senders, tally, pastAir, first } = state
  const { users: N, channels: K, kept: H } = plan
  const totals = lane * TALLIES
  const past = (lane * H + (t % H)) * K
  let idle = 0
  let wasted = 0
  let collisions = 0
  const alone = plan.near === null && !plan.sinr // two senders always collide
  if (!alone) {
    first.fill(0)
    for (let i = lane * N; i < (lane + 1) * N; i++) if ((flags[i] & COLLIDED) !== 0) first[last[i]] = 1
  }
  for (let k = 0; k < K; k++) {
    const around = air[lane * K + k]
    pastAir[past + k] = around
    if ((around & BUSY) === 0) {
      idle++
      if (senders[k + 1] === 0) wasted++
    }
    if (alone ? senders[k + 1] > 1 : first[k + 1] === 1) collisions++
  }
  tally[totals + IDLE_CHANNELS] += idle
  tally[totals + WASTED_CHANNELS] += wasted
  tally[totals + COLLISIONS] += collisions
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
