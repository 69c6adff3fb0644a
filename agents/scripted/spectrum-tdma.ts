/** Time division: the schedule that every learner without a coordinator would like to find. */
import { type EnvSpec } from '../../envs/core/index.ts'
import { type ActionBatch, type AgentView, type Policy, type PolicyDefinition } from '../core/policy.ts'
import { channelsOf, firstChannel, playLane, sendOn, tick, type Channels, type Clock } from './spectrum-channels.ts'

/**
 * Channel of a user in slot t, or −1. With more users than channels, K consecutive users have the channels, and the next K in
 * the next slot: a frame of N / gcd(N, K) slots gives every user the same. Else everybody has a channel for good.
 */
function turn(sizes: Channels, user: number, t: number): number {
  const { crowd, share } = sizes
  const own = user % crowd
  const first = firstChannel(sizes, user)
  if (crowd <= share) return first + own
  const place = (((own - t * share) % crowd) + crowd) % crowd
  return place < share ? first + place : -1
}

function create(spec: EnvSpec): Policy {
  const sizes = channelsOf(spec)
  const act = (view: AgentView, memory: unknown, out: ActionBatch) => {
    for (let b = 0; b < view.lanes; b++) {
      const t = tick(memory as Clock, view, b)
      playLane(view, b, t, sizes, out, (_row, user) => {
        const channel = turn(sizes, user, t)
        return channel < 0 ? 0 : sendOn(sizes, channel)
      })
    }
  }
  return { name: 'spectrum-tdma', memory: (lanes) => new Int32Array(lanes), act, actLanes: act }
}

export const spectrumTdma: PolicyDefinition = {
  name: 'spectrum-tdma',
  kind: 'scripted',
  summary: 'Time division by user number: no collisions, every channel used, everybody the same share.',
  envs: ['spectrum'],
  privileged: false,
  create,
}
