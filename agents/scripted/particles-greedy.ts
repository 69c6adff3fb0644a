/**
 * Scripted play of the particle worlds, by role: greedy spread, pursuit, evasion, and messages that say the goal. The
 * rules are in `envs/particles/control.ts`, where they also drive agents that nobody controls.
 */
import { type EnvBatch, type EnvSpec } from '../../envs/core/index.ts'
import { act, createWishes, wish, type Wishes } from '../../envs/particles/control.ts'
import { type ParticleWorld } from '../../envs/particles/index.ts'
import { type ActionBatch, type PolicyDefinition, type PrivilegedPolicy } from '../core/policy.ts'

function createPolicy({ actionDims: D, seats }: EnvSpec): PrivilegedPolicy {
  let wishes: Wishes | undefined
  return {
    name: 'particles-greedy',
    privileged: true,
    memory: () => null,
    act(batch: EnvBatch, agents: Int32Array, _memory: unknown, out: ActionBatch) {
      const world = batch.world as ParticleWorld
      wishes ??= createWishes(world.plan)
      for (let lane = 0; lane < batch.lanes; lane++) {
        wish(world, lane, wishes)
        for (let n = 0; n < agents.length; n++) {
          act(world.plan, wishes, seats[agents[n]], out.action, (lane * agents.length + n) * D, D)
        }
      }
    },
  }
}

export const particlesGreedy: PolicyDefinition = {
  name: 'particles-greedy',
  kind: 'scripted',
  summary: 'Covers landmarks, chases, flees and says the goal, with sight of the whole world.',
  envs: ['particles'],
  privileged: true,
  create: createPolicy,
}
