/**
 * A genie who sees primary users, jammers, queues and places of the coming slot and hands out the channels. Where users
 * collide as a whole (no neighbours, no SINR) and a success is worth 1, nothing can do better: min(ready users, free channels).
 * With rates it hands out the best pair first, with neighbours it fills channel after channel with a large independent set,
 * with SINR it adds links as long as all reach the threshold: good, not proven best.
 */
import { type EnvBatch, type EnvSpec } from '../../envs/core/index.ts'
import { type SpectrumWorld } from '../../envs/spectrum/index.ts'
import { LINEAR, RATE } from '../../envs/spectrum/tables.ts'
import { largestIndependentSet } from '../../envs/spectrum/theory.ts'
import { type PolicyDefinition, type PrivilegedPolicy } from '../core/policy.ts'
import { channelsOf, firstChannel, sendOn, type Channels } from './spectrum-channels.ts'

/** Largest crowd for which independent sets are exact. */
const EXACT = 30

/** Who could use the coming slot, those with the fewest successes first. */
function readyUsers({ plan, present, queue, won }: SpectrumWorld, lane: number): number[] {
  const { users: N } = plan
  const users: number[] = []
  for (let n = 0; n < N; n++) {
    const i = lane * N + n
    if ((present.length > 0 && present[i] === 0) || (queue.length > 0 && queue[i] === 0)) continue
    users.push(n)
  }
  return users.sort((a, b) => won[lane * N + a] - won[lane * N + b] || a - b)
}

/** Channels without primary user (unless sends pass beside it) and without a jammer, in the coming slot. */
function freeChannels({ plan, busy, jam }: SpectrumWorld, lane: number): number[] {
  const { channels: K, options } = plan
  // A reactive jammer without delay and a seat decide in the slot itself: what is marked is the slot before.
  const known = options.jammer !== 'seat' && !(options.jammer === 'reactive' && options.jammerReaction === 0)
  return Array.from({ length: K }, (_, k) => k).filter(
    (k) =>
      (busy.length === 0 || busy[lane * K + k] === 0 || options.puRule === 'underlay') &&
      !(known && jam.length > 0 && jam[lane * K + k] === 1),
  )
}

/** Writes each user's channel, −1 for silence. */
function handOut(world: SpectrumWorld, lane: number, sizes: Channels, channel: Int32Array): void {
  const { plan } = world
  channel.fill(-1)
  const ready = readyUsers(world, lane)
  const free = freeChannels(world, lane)
  for (let c = 0; c < sizes.clusters; c++) {
    const users = ready.filter((user) => Math.floor(user / sizes.crowd) === c)
    const first = firstChannel(sizes, c * sizes.crowd)
    const channels = free.filter((k) => k >= first && k < first + sizes.share)
    if (plan.sinr) addLinks(world, lane, users, channels, channel)
    else if (plan.near !== null) fillSets(world, lane, users, channels, channel)
    else if (plan.options.rate === 'shannon') bestPairs(world, lane, users, channels, channel)
    else users.slice(0, channels.length).forEach((user, j) => (channel[user] = channels[j]))
  }
}

function bestPairs(world: SpectrumWorld, lane: number, users: number[], channels: number[], out: Int32Array): void {
  const { plan, level } = world
  const { users: N, channels: K } = plan
  const pairs = users.flatMap((user) =>
    channels.map((k) => ({ user, k, rate: RATE[level[(lane * N + user) * K + k]] })),
  )
  pairs.sort((a, b) => b.rate - a.rate || a.user - b.user || a.k - b.k)
  const taken = new Set<number>()
  for (const { user, k } of pairs) {
    if (out[user] >= 0 || taken.has(k)) continue
    out[user] = k
    taken.add(k)
  }
}

/** Neighbours of every user as lists. */
export function neighbourLists({ plan }: SpectrumWorld): number[][] {
  const { users: N, near } = plan
  return Array.from({ length: N }, (_, n) =>
    near === null
      ? Array.from({ length: N }, (__, m) => m).filter((m) => m !== n)
      : [...near.of.subarray(near.start[n], near.start[n + 1])],
  )
}

/** A large independent set: exact for small crowds, else fewest neighbours first. */
export function independentSet(lists: number[][], users: number[], weight: (user: number) => number): number[] {
  if (users.length <= EXACT) return largestIndependentSet(lists, users, weight)
  const chosen: number[] = []
  const blocked = new Set<number>()
  const among = new Set(users)
  const degree = (user: number) => lists[user].filter((other) => among.has(other)).length
  for (const user of [...users].sort((a, b) => degree(a) - degree(b) || weight(b) - weight(a) || a - b)) {
    if (blocked.has(user)) continue
    chosen.push(user)
    for (const other of lists[user]) blocked.add(other)
  }
  return chosen
}

function fillSets(world: SpectrumWorld, lane: number, users: number[], channels: number[], out: Int32Array): void {
  const { plan, queue } = world
  const lists = neighbourLists(world)
  let left = users
  for (const k of channels) {
    const set = independentSet(lists, left, (user) => (queue.length > 0 ? queue[lane * plan.users + user] : 0))
    for (const user of set) out[user] = k
    left = left.filter((user) => !set.includes(user))
  }
}

function addLinks(world: SpectrumWorld, lane: number, users: number[], channels: number[], out: Int32Array): void {
  const { plan, gain, level } = world
  const { users: N, channels: K, threshold } = plan
  const reaches = (n: number, k: number, others: readonly number[]) => {
    let noise = 1
    for (const m of others) if (m !== n) noise += LINEAR[gain[(lane * N + m) * N + n]]
    return LINEAR[level[(lane * N + n) * K + k]] >= noise * threshold
  }
  const on = new Map<number, number[]>(channels.map((k) => [k, []]))
  for (const user of users) {
    for (const [k, others] of [...on].sort((a, b) => a[1].length - b[1].length)) {
      const together = [...others, user]
      if (!together.every((n) => reaches(n, k, together))) continue
      on.set(k, together)
      out[user] = k
      break
    }
  }
}

function create(spec: EnvSpec): PrivilegedPolicy {
  const sizes = channelsOf(spec)
  const channel = new Int32Array(sizes.users)
  return {
    name: 'spectrum-genie',
    privileged: true,
    memory: () => null,
    act(batch: EnvBatch, agents, _memory, out) {
      const { mask, spec: seen, stepCount } = batch
      const seats = seen.agents.length
      for (let lane = 0; lane < batch.lanes; lane++) {
        handOut(batch.world as SpectrumWorld, lane, sizes, channel)
        for (let n = 0; n < agents.length; n++) {
          const user = seen.seats[agents[n]]
          let action = 1 + (stepCount[lane] % sizes.channels)
          if (user < sizes.users) action = channel[user] < 0 ? 0 : sendOn(sizes, channel[user])
          const legal = mask[(lane * seats + agents[n]) * seen.actionSize + action] === 1
          out.action[lane * agents.length + n] = legal ? action : 0
        }
      }
    },
  }
}

export const spectrumGenie: PolicyDefinition = {
  name: 'spectrum-genie',
  kind: 'scripted',
  summary: 'Sees primary users, jammers and queues of the coming slot and hands out the free channels.',
  envs: ['spectrum'],
  privileged: true,
  create,
}
