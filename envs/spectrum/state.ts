/** Spectrum access as typed arrays: everything that decides the future, shows in metrics or in pictures. */
import { TroupeError } from '../core/errors.ts'
import { type TypedArray } from '../core/types.ts'
import { type Plan } from './options.ts'
import { LEVELS, RATE_UNIT } from './tables.ts'

/** What became of a user's slot: bits of `flags`. */
export const SENT = 1
export const ACK = 2
export const COLLIDED = 4 // another user in conflict sent, or the SINR was too low
export const PRIMARY = 8 // the primary user was there
export const JAMMED = 16
export const EMPTY = 32 // sent without a packet
export const DEFERRED = 64 // heard somebody in an earlier mini-slot and kept silent
export const HELD = 128 // the attempt draw failed

/** What happened on a channel beside the users: bits of `air`. */
export const BUSY = 1
export const JAM = 2

/** Running totals of an episode, by place in a lane's row of `tally`. */
export const TALLY = [
  'sends', // by users
  'collidedSends',
  'primarySends', // on busy channels
  'collisions', // slot-channels on which a send collided
  'idleChannels', // slot-channels without primary user
  'wastedChannels', // of these without a sender
  'successes',
  'gapSlots', // slots between consecutive successes of a user, summed
  'gaps', // how many
  'windowJain', // Jain indices of full windows, summed
  'windows', // how many are defined
  'dropped', // packets that found a full queue
  'queued', // packets waiting at the ends of slots, summed over users
] as const
export const [
  SENDS,
  COLLIDED_SENDS,
  PRIMARY_SENDS,
  COLLISIONS,
  IDLE_CHANNELS,
  WASTED_CHANNELS,
  SUCCESSES,
  GAP_SLOTS,
  GAPS,
  WINDOW_JAIN,
  WINDOWS,
  DROPPED,
  QUEUED,
] = TALLY.map((_, i) => i)
export const TALLIES = TALLY.length

/**
 * B lanes. User n of lane b is at index b * N + n, channel k at b * K + k, the pair at (b * N + n) * K + k. Channels are
 * numbered from 0; where "none" is possible the number + 1 stands, 0 for none. Arrays that the options do not need are
 * empty and neither saved nor digested.
 */
export interface SpectrumState {
  readonly plan: Plan
  readonly lanes: number

  readonly last: Uint16Array // [B, N] channel + 1 really sent on in the last slot, 0 silent
  readonly flags: Uint8Array // [B, N] what became of it
  readonly gained: Uint16Array // [B, N] rate of the last slot in 1/1024; empty at unit rate, see gainedBy
  readonly air: Uint8Array // [B, K] the last slot's primary users and jammers
  readonly busy: Uint8Array // [B, K] 1 where a primary user is in the coming slot
  readonly offset: Uint16Array // [B] place of the round robin's idle set
  readonly level: Int16Array // [B, N, K] SNR level of the coming slot
  readonly sentLevel: Int16Array // [B, N] SNR level of the last send, the SINR where users disturb each other
  readonly mean: Int16Array // [B, N, K] mean SNR level, where it is drawn and fades
  readonly gain: Int16Array // [B, N, N] level over noise at receiver m of transmitter n, at n * N + m
  readonly sensed: Uint8Array // [B, N, K] or [B, N] 1 = read as idle
  readonly sensedAt: Uint16Array // [B, N] the channel that was sensed
  readonly queue: Uint16Array // [B, N] packets
  readonly present: Uint8Array // [B, N]
  readonly jamAt: Uint16Array // [B] first jammed channel of constant and sweep
  readonly jam: Uint8Array // [B, K] 1 where the coming slot is jammed
  readonly jamChoice: Uint16Array // [B] the seat's channel + 1 in the last slot

  readonly average: Float64Array // [B, N] forgetting average of the rate, for fair rewards
  readonly tally: Float64Array // [B, TALLIES]
  readonly won: Int32Array // [B, N] successes
  readonly earned: Float64Array // [B, N] rate in 1/1024, summed; empty at unit rate, see earnedBy
  readonly lastWon: Int32Array // [B, N] slot of the last success + 1, 0 none
  readonly ring: Uint16Array // [B, W, N] rate of the last W slots in 1/1024
  readonly ringSum: Int32Array // [B, N] its sum over the window
  readonly ringTotals: Float64Array // [B, 2] sum over users of ringSum, and of its square
  readonly past: Uint32Array // [B, H, N] `last` of slot t times 256, plus its flags, at t % H
  readonly pastAir: Uint8Array // [B, H, K]

  // Scratch of one step; never saved.
  readonly senders: Int32Array // [B, K + 1] users that send, by channel + 1
  readonly slotRate: Float64Array // [B] rate of all users in 1/1024
  readonly wait: Int32Array // [B, N] mini-slots that each user wants to listen
  readonly first: Int32Array // [K + 1] of one lane: least wait by channel + 1
  readonly rates: Uint16Array // [miniSlots] worth of a unit rate after w mini-slots, in 1/1024
}

/** What privileged policies may read; nobody but the rules writes it. */
export type SpectrumWorld = SpectrumState

export function createState(plan: Plan, lanes: number): SpectrumState {
  const { users: N, channels: K, options, window, kept, usesSnr, sinr } = plan
  const { pu, sensing, jammer, reward } = options
  const pairs = lanes * N * K
  const faded = options.fading !== 'none'
  const drawn = sinr || options.snrRangeDb !== null
  const fair = reward === 'propFair' || reward === 'alphaFair'
  return {
    plan,
    lanes,
    last: new Uint16Array(lanes * N),
    flags: new Uint8Array(lanes * N),
    gained: new Uint16Array(plan.unit ? 0 : lanes * N),
    air: new Uint8Array(plan.air ? lanes * K : 0),
    busy: new Uint8Array(pu === 'none' ? 0 : lanes * K),
    offset: new Uint16Array(pu === 'roundRobin' ? lanes : 0),
    level: new Int16Array(usesSnr ? pairs : 0),
    sentLevel: new Int16Array(usesSnr ? lanes * N : 0),
    mean: new Int16Array(usesSnr && faded && drawn ? pairs : 0),
    gain: new Int16Array(sinr ? lanes * N * N : 0),
    sensed: new Uint8Array(sensing === 'all' ? pairs : sensing === 'one' ? lanes * N : 0),
    sensedAt: new Uint16Array(sensing === 'one' ? lanes * N : 0),
    queue: new Uint16Array(plan.arrivals === null ? 0 : lanes * N),
    present: new Uint8Array(options.leaveProb > 0 ? lanes * N : 0),
    jamAt: new Uint16Array(jammer === 'constant' || jammer === 'sweep' ? lanes : 0),
    jam: new Uint8Array(jammer === 'none' ? 0 : lanes * K),
    jamChoice: new Uint16Array(plan.seat ? lanes : 0),
    average: new Float64Array(fair ? lanes * N : 0),
    tally: new Float64Array(lanes * TALLIES),
    won: new Int32Array(lanes * N),
    earned: new Float64Array(plan.unit ? 0 : lanes * N),
    lastWon: new Int32Array(lanes * N),
    ring: new Uint16Array(lanes * window * N),
    ringSum: new Int32Array(lanes * N),
    ringTotals: new Float64Array(lanes * 2),
    past: new Uint32Array(lanes * kept * N),
    pastAir: new Uint8Array(plan.air ? lanes * kept * K : 0),
    senders: new Int32Array(lanes * (K + 1)),
    slotRate: new Float64Array(lanes),
    wait: new Int32Array(plan.miniSlots > 1 ? lanes * N : 0),
    first: new Int32Array(K + 1),
    rates: Uint16Array.from({ length: plan.miniSlots }, (_, w) => Math.round(1024 * (1 - options.miniSlotShare * w))),
  }
}

/** Rate of the user at index i in the last slot, in 1/1024. */
export function gainedBy({ plan, gained, flags }: SpectrumState, i: number): number {
  return plan.unit ? ((flags[i] & ACK) >> 1) * RATE_UNIT : gained[i]
}

/** Rate of the user at index i so far, in 1/1024. */
export function earnedBy({ plan, earned, won }: SpectrumState, i: number): number {
  return plan.unit ? won[i] * RATE_UNIT : earned[i]
}

const SAVED = [
  'last',
  'flags',
  'gained',
  'air',
  'busy',
  'offset',
  'level',
  'sentLevel',
  'mean',
  'gain',
  'sensed',
  'sensedAt',
  'queue',
  'present',
  'jamAt',
  'jam',
  'jamChoice',
  'average',
  'tally',
  'won',
  'earned',
  'lastWon',
  'ring',
  'ringSum',
  'ringTotals',
  'past',
  'pastAir',
] as const

/** The arrays that a snapshot holds and a digest covers: those that are not empty. */
export function savedArrays(state: SpectrumState): Record<string, TypedArray> {
  return Object.fromEntries(SAVED.map((name) => [name, state[name]] as const).filter(([, array]) => array.length > 0))
}

/**
 * Refuses a lane whose numbers would lead outside the tables (a tampered snapshot).
 * @throws TroupeError bad-file naming the first thing that is wrong
 */
export function checkLane(state: SpectrumState, lane: number): void {
  const { plan, lanes } = state
  const { channels: K, options } = plan
  const below = (name: (typeof SAVED)[number], limit: number) => {
    const array = state[name]
    const width = array.length / lanes
    for (let i = lane * width; i < (lane + 1) * width; i++) {
      if (array[i] >= 0 && array[i] < limit) continue
      throw new TroupeError('bad-file', {
        where: `spectrum: snapshot: ${name}`,
        got: `${array[i]} at ${i - lane * width}`,
        expected: `0 to ${limit - 1}`,
      })
    }
  }
  for (const name of ['last', 'jamChoice'] as const) below(name, K + 1)
  below('past', (K + 1) * 256)
  for (const name of ['offset', 'sensedAt', 'jamAt'] as const) below(name, K)
  for (const name of ['busy', 'sensed', 'present', 'jam'] as const) below(name, 2)
  for (const name of ['air', 'pastAir'] as const) below(name, 4)
  for (const name of ['level', 'sentLevel', 'mean', 'gain'] as const) below(name, LEVELS)
  below('queue', options.queueCap + 1)
  for (const name of ['average', 'tally', 'won', 'earned', 'lastWon', 'ringSum', 'ringTotals'] as const) {
    below(name, 2 ** 53)
  }
}
