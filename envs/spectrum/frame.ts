/**
 * What a viewer draws: a waterfall with the newest slot at the right. Rows 0 to K − 1 are channels, row K is empty, rows
 * K + 1 on are users (and the jammer's seat last); column H − 1 is the last slot. Column c, row r has its centre at (c, r).
 */
import { type Entity, type Frame, type FrameEvent } from '../core/types.ts'
import { fairness } from './metrics.ts'
import { PICTURE_SLOTS, type Plan } from './options.ts'
import {
  ACK,
  BUSY,
  COLLIDED,
  COLLIDED_SENDS,
  DEFERRED,
  EMPTY,
  HELD,
  JAM,
  JAMMED,
  PRIMARY,
  PRIMARY_SENDS,
  SENDS,
  SENT,
  SUCCESSES,
  TALLIES,
  earnedBy,
  gainedBy,
  type SpectrumState,
} from './state.ts'
import { decibelsOf, RATE_UNIT } from './tables.ts'

/** Cells of the layers, by bit. `channels`: success, collision, primary user, jammer, other senders. */
export const CELL = { success: 1, collision: 2, primary: 4, jam: 8, sent: 16, before: 32 } as const

/** Results of a user's slot by number, in the layer `users`; the channel + 1 is above them, times 16. */
export const RESULTS = [
  'silent',
  'success',
  'collision',
  'primary',
  'jammed',
  'empty',
  'deferred',
  'held',
  'away',
  'before',
] as const

export function resultOf(flags: number): number {
  if ((flags & ACK) !== 0) return 1
  if ((flags & EMPTY) !== 0) return 5
  if ((flags & COLLIDED) !== 0) return 2
  if ((flags & PRIMARY) !== 0) return 3
  if ((flags & JAMMED) !== 0) return 4
  if ((flags & DEFERRED) !== 0) return 6
  if ((flags & HELD) !== 0) return 7
  return 0
}

/** Facts a scene needs that never change. */
export function sceneOf(plan: Plan) {
  const { users, channels, options, near } = plan
  return {
    users,
    channels,
    slots: PICTURE_SLOTS,
    seat: plan.seat,
    pu: options.pu,
    jammer: options.jammer,
    /** Whether users may choose to send and then do not, or have nothing to send. */
    waits: options.attemptProb < 1 || plan.miniSlots > 1 || options.emptySends,
    /** Whether several users may succeed on one channel in one slot. */
    shared: near !== null || plan.sinr,
    queues: plan.arrivals !== null,
    queueCap: options.queueCap,
    /** The observation shows what no user could know. */
    privileged: options.obs === 'dqsaOracle',
    neighbours:
      near === null
        ? null
        : Array.from({ length: users }, (_, n) => [...near.of.subarray(near.start[n], near.start[n + 1])]),
  }
}

/** The lane as it stands after `t` slots. */
export function frameOf(state: SpectrumState, lane: number, t: number): Frame {
  const { plan, tally } = state
  const { users: N, channels: K } = plan
  const of = (which: number) => tally[lane * TALLIES + which]
  const shared = fairness(state, lane)
  return {
    step: t,
    entities: [...channelEntities(state, lane), ...userEntities(state, lane, t), ...jammerEntity(state, lane)],
    layers: [
      { name: 'channels', width: PICTURE_SLOTS, height: K, cells: channelCells(state, lane, t) },
      { name: 'users', width: PICTURE_SLOTS, height: N, cells: userCells(state, lane, t) },
    ],
    events: t === 0 ? [] : eventsOf(state, lane),
    counters: {
      successes: of(SUCCESSES),
      sends: of(SENDS),
      collidedSends: of(COLLIDED_SENDS),
      primarySends: of(PRIMARY_SENDS),
      ...(t === 0 ? {} : { throughputPerChannel: of(SUCCESSES) / (K * t) }),
      ...(shared === null ? {} : { jain: shared }),
    },
  }
}

/** Ring index of the slot shown in a column, −1 before the first. */
function slotOf(plan: Plan, t: number, column: number): number {
  const slot = t - PICTURE_SLOTS + column
  return slot < 0 ? -1 : slot % plan.kept
}

function channelCells({ plan, pastAir, past }: SpectrumState, lane: number, t: number): number[] {
  const { users: N, channels: K, kept: H } = plan
  const cells = new Array<number>(K * PICTURE_SLOTS).fill(0)
  for (let column = 0; column < PICTURE_SLOTS; column++) {
    const slot = slotOf(plan, t, column)
    for (let k = 0; k < K; k++) {
      const at = k * PICTURE_SLOTS + column
      if (slot < 0) {
        cells[at] = CELL.before
        continue
      }
      const around = plan.air ? pastAir[(lane * H + slot) * K + k] : 0
      cells[at] = ((around & BUSY) !== 0 ? CELL.primary : 0) | ((around & JAM) !== 0 ? CELL.jam : 0)
    }
    if (slot < 0) continue
    for (let n = 0; n < N; n++) {
      const code = past[(lane * H + slot) * N + n]
      const channel = code >> 8
      if (channel === 0) continue
      const flags = code & 255
      cells[(channel - 1) * PICTURE_SLOTS + column] |=
        CELL.sent | ((flags & ACK) !== 0 ? CELL.success : 0) | ((flags & COLLIDED) !== 0 ? CELL.collision : 0)
    }
  }
  return cells
}

function userCells({ plan, past }: SpectrumState, lane: number, t: number): number[] {
  const { users: N, kept: H } = plan
  const cells = new Array<number>(N * PICTURE_SLOTS).fill(RESULTS.indexOf('before'))
  for (let column = 0; column < PICTURE_SLOTS; column++) {
    const slot = slotOf(plan, t, column)
    if (slot < 0) continue
    for (let n = 0; n < N; n++) {
      const code = past[(lane * H + slot) * N + n]
      cells[n * PICTURE_SLOTS + column] = (code >> 8) * 16 + resultOf(code & 255)
    }
  }
  return cells
}

function channelEntities(state: SpectrumState, lane: number): Entity[] {
  const { plan, air, busy, jam, last, flags } = state
  const { users: N, channels: K, options } = plan
  return Array.from({ length: K }, (_, k) => {
    let senders = 0
    let successes = 0
    for (let i = lane * N; i < (lane + 1) * N; i++) {
      if (last[i] !== k + 1) continue
      senders++
      if ((flags[i] & ACK) !== 0) successes++
    }
    return {
      id: `channel_${k}`,
      kind: 'channel',
      x: PICTURE_SLOTS,
      y: k,
      state: {
        number: k,
        senders,
        successes,
        ...(options.pu === 'none'
          ? {}
          : { primary: (air[lane * K + k] & BUSY) !== 0, primaryNext: busy[lane * K + k] === 1 }),
        ...(jam.length === 0 ? {} : { jammed: (air[lane * K + k] & JAM) !== 0 }),
      },
    }
  })
}

function userEntities(state: SpectrumState, lane: number, t: number): Entity[] {
  const { plan, last, flags, won, queue, present, sentLevel } = state
  const { users: N, channels: K } = plan
  return Array.from({ length: N }, (_, n) => {
    const i = lane * N + n
    return {
      id: `agent_${n}`,
      kind: 'user',
      x: PICTURE_SLOTS,
      y: K + 1 + n,
      team: 'users',
      state: {
        number: n,
        channel: last[i] === 0 ? null : last[i] - 1,
        result: RESULTS[resultOf(flags[i])],
        rate: gainedBy(state, i) / RATE_UNIT,
        successes: won[i],
        throughput: t === 0 ? null : won[i] / t,
        meanRate: t === 0 ? null : earnedBy(state, i) / RATE_UNIT / t,
        ...(queue.length === 0 ? {} : { queue: queue[i] }),
        ...(present.length === 0 ? {} : { present: present[i] === 1 }),
        ...(sentLevel.length === 0 ? {} : { snrDb: (flags[i] & SENT) === 0 ? null : decibelsOf(sentLevel[i]) }),
      },
    }
  })
}

function jammerEntity({ plan, jamChoice }: SpectrumState, lane: number): Entity[] {
  if (!plan.seat) return []
  const channel = jamChoice[lane] === 0 ? null : jamChoice[lane] - 1
  return [
    {
      id: 'jammer',
      kind: 'jammer',
      x: PICTURE_SLOTS,
      y: plan.channels + 1 + plan.users,
      team: 'jammer',
      state: { number: plan.users, channel },
    },
  ]
}

/** One event per channel and kind: successes, collisions, sends on a busy channel, jammed sends. */
function eventsOf({ plan, last, flags }: SpectrumState, lane: number): FrameEvent[] {
  const { users: N, channels: K } = plan
  const events: FrameEvent[] = []
  const kinds = [
    ['success', ACK],
    ['collision', COLLIDED],
    ['interference', PRIMARY],
    ['jammed', JAMMED],
  ] as const
  for (let k = 0; k < K; k++) {
    for (const [kind, bit] of kinds) {
      const agents: string[] = []
      for (let n = 0; n < N; n++) {
        const i = lane * N + n
        if (last[i] === k + 1 && (flags[i] & bit) !== 0) agents.push(`agent_${n}`)
      }
      if (agents.length > 0) events.push({ kind, at: { x: PICTURE_SLOTS - 1, y: k }, agents, value: k })
    }
  }
  return events
}
