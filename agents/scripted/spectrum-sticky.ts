/**
 * Sticky owner: who succeeds on a channel keeps it for good, whatever happens; the others try channels at random and give one
 * up after repeated failures. With more users than channels this ends in the greedy equilibrium: K owners, J = K / N.
 */
import { type EnvSpec, type Generator } from '../../envs/core/index.ts'
import { type ActionBatch, type AgentView, type Policy, type PolicyDefinition } from '../core/policy.ts'
import { channelsOf, firstChannel, playLane, resultFeatures, sendOn, tick } from './spectrum-channels.ts'

/** Failures after which a channel counts as taken, and the chance that a searching user sends; both ours. */
const PATIENCE = 8
const SEARCH = 0.5

interface Memory {
  readonly clock: Int32Array
  readonly owned: Int32Array // [B, n] channel + 1
  readonly tried: Int32Array // [B, n] channel + 1 of the last try
  readonly failures: Uint8Array // [B, n, K]
}

function create(spec: EnvSpec): Policy {
  const sizes = channelsOf(spec)
  const { channels: K, share } = sizes
  const result = resultFeatures(spec, 'spectrum-sticky')

  const choose = (view: AgentView, { owned, tried, failures }: Memory, row: number, user: number, rng: Generator) => {
    const seen = row * view.spec.observationSize
    if (tried[row] > 0 && owned[row] === 0 && view.observation[seen + result.silent] === 0) {
      if (view.observation[seen + result.ack] === 1) owned[row] = tried[row]
      else failures[row * K + tried[row] - 1]++
    }
    tried[row] = 0
    if (owned[row] > 0) return sendOn(sizes, owned[row] - 1)
    const first = firstChannel(sizes, user)
    let open = 0
    for (let k = first; k < first + share; k++) if (failures[row * K + k] < PATIENCE) open++
    if (open === 0 || rng.float() >= SEARCH) return 0
    let left = rng.below(open)
    let k = first
    while (failures[row * K + k] >= PATIENCE || left-- > 0) k++
    tried[row] = k + 1
    return sendOn(sizes, k)
  }

  const lane = (view: AgentView, b: number, memory: Memory, out: ActionBatch, rng: Generator) => {
    const n = view.agents.length
    const t = tick(memory.clock, view, b)
    if (t === 0) {
      memory.owned.fill(0, b * n, (b + 1) * n)
      memory.tried.fill(0, b * n, (b + 1) * n)
      memory.failures.fill(0, b * n * K, (b + 1) * n * K)
    }
    playLane(view, b, t, sizes, out, (row, user) => choose(view, memory, row, user, rng))
  }
  return {
    name: 'spectrum-sticky',
    memory: (lanes, agents): Memory => ({
      clock: new Int32Array(lanes),
      owned: new Int32Array(lanes * agents),
      tried: new Int32Array(lanes * agents),
      failures: new Uint8Array(lanes * agents * K),
    }),
    act(view, memory, out, rng) {
      for (let b = 0; b < view.lanes; b++) lane(view, b, memory as Memory, out, rng)
    },
    actLanes(view, memory, out, rngs) {
      for (let b = 0; b < view.lanes; b++) lane(view, b, memory as Memory, out, rngs[b])
    },
  }
}

export const spectrumSticky: PolicyDefinition = {
  name: 'spectrum-sticky',
  kind: 'scripted',
  summary: 'Tries channels at random and keeps the first on which it succeeds; others give taken channels up.',
  envs: ['spectrum'],
  privileged: false,
  create,
}
