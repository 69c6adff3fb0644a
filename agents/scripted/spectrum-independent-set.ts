/** In every slot as many users with packets as possible, no two of them neighbours; of equal sets the one with longer queues. */
import { type EnvBatch, type EnvSpec } from '../../envs/core/index.ts'
import { type SpectrumWorld } from '../../envs/spectrum/index.ts'
import { type PolicyDefinition, type PrivilegedPolicy } from '../core/policy.ts'
import { channelsOf, sendOn } from './spectrum-channels.ts'
import { independentSet, neighbourLists } from './spectrum-genie.ts'

function create(spec: EnvSpec): PrivilegedPolicy {
  const sizes = channelsOf(spec)
  return {
    name: 'spectrum-independent-set',
    privileged: true,
    memory: () => null,
    act(batch: EnvBatch, agents, _memory, out) {
      const world = batch.world as SpectrumWorld
      const { users: N } = world.plan
      const { mask, spec: seen, stepCount } = batch
      const lists = neighbourLists(world)
      const seats = seen.agents.length
      for (let lane = 0; lane < batch.lanes; lane++) {
        const packets = (user: number) => (world.queue.length > 0 ? world.queue[lane * N + user] : 1)
        const ready = lists.map((_, user) => user).filter((user) => packets(user) > 0)
        const set = independentSet(lists, ready, packets)
        for (let n = 0; n < agents.length; n++) {
          const user = seen.seats[agents[n]]
          let action = 1 + (stepCount[lane] % sizes.channels)
          if (user < N) action = set.includes(user) ? sendOn(sizes, 0) : 0
          const legal = mask[(lane * seats + agents[n]) * seen.actionSize + action] === 1
          out.action[lane * agents.length + n] = legal ? action : 0
        }
      }
    },
  }
}

export const spectrumIndependentSet: PolicyDefinition = {
  name: 'spectrum-independent-set',
  kind: 'scripted',
  summary: 'Sees all queues; on channel 0 a largest set of users with packets sends of whom no two are neighbours.',
  envs: ['spectrum'],
  privileged: true,
  create,
}
