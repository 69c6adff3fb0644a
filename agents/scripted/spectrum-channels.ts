/** What the scripted spectrum policies share: sizes, clusters, own ACKs, turns of a slot clock, and what a jammer's seat does. */
import { TroupeError, type EnvSpec } from '../../envs/core/index.ts'
import { type ActionBatch, type AgentView } from '../core/policy.ts'

/** Sizes of a spectrum world as its spec tells them. */
export interface Channels {
  readonly users: number // N
  readonly channels: number // K
  readonly clusters: number
  readonly miniSlots: number
  readonly attemptProb: number
  /** Users and channels of one cluster. */
  readonly crowd: number
  readonly share: number
}

export function channelsOf(spec: EnvSpec): Channels {
  const { users, channels, clusters, miniSlots, attemptProb } = spec.options as Record<string, number>
  return { users, channels, clusters, miniSlots, attemptProb, crowd: users / clusters, share: channels / clusters }
}

/** The action "send on channel k after `wait` mini-slots". */
export const sendOn = ({ miniSlots }: Channels, k: number, wait = 0): number => 1 + k * miniSlots + wait

/** Number of a user's first channel. */
export const firstChannel = ({ crowd, share }: Channels, user: number): number => Math.floor(user / crowd) * share

/** Places in a user's observation. */
export interface OwnResult {
  readonly silent: number
  readonly ack: number
}

/**
 * Where a user reads what became of its last slot.
 * @throws TroupeError bad-option when the observation does not say
 */
export function resultFeatures(spec: EnvSpec, policy: string): OwnResult {
  const names = spec.world.agents[0].observation.map(({ name }) => name)
  const [silent, ack] = [names.indexOf('silent'), names.indexOf('ack')]
  if (silent < 0 || ack < 0) {
    throw new TroupeError('bad-option', {
      where: `policy ${policy}: spectrum option obs`,
      got: JSON.stringify(spec.options.obs),
      expected: 'an observation with the own ACK, such as "ack"',
    })
  }
  return { silent, ack }
}

/** [B] slots of the running episode so far. */
export type Clock = Int32Array

/** Slots of a lane so far; call it once per `act`. */
export function tick(clock: Clock, view: { readonly episodeStart: Uint8Array }, lane: number): number {
  clock[lane] = view.episodeStart[lane] === 1 ? 0 : clock[lane] + 1
  return clock[lane]
}

/**
 * Writes an action per played agent of a lane: `choose` for users, masked choices become silence; a jammer's seat sweeps.
 * @param choose the action of a user, told its row in the view and its number in the world
 */
export function playLane(
  view: AgentView,
  lane: number,
  t: number,
  sizes: Channels,
  out: ActionBatch,
  choose: (row: number, user: number) => number,
): void {
  const { spec, agents, mask } = view
  for (let n = 0; n < agents.length; n++) {
    const row = lane * agents.length + n
    const user = spec.seats[agents[n]]
    const action = user >= sizes.users ? 1 + (t % sizes.channels) : choose(row, user)
    out.action[row] = mask[row * spec.actionSize + action] === 1 ? action : 0
  }
}
