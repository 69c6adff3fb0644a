/**
 * Carrier sensing with binary exponential back-off (as in IEEE 802.11 DCF, simplified): a user draws a number of mini-slots
 * from its window, listens that long on a uniform channel and sends if nobody was heard. The window doubles after a
 * collision and shrinks back after a success. With one mini-slot per slot the count is in slots, which is ALOHA with back-off.
 */
import { type EnvSpec, type Generator } from '../../envs/core/index.ts'
import { type ActionBatch, type AgentView, type Policy, type PolicyDefinition } from '../core/policy.ts'
import { channelsOf, firstChannel, playLane, resultFeatures, sendOn, tick } from './spectrum-channels.ts'

/** Doublings of the window at most, as in 802.11. */
const DOUBLINGS = 6

interface Memory {
  readonly clock: Int32Array
  readonly count: Int32Array // [B, n] mini-slots left to wait, −1 = draw anew
  readonly channel: Int32Array // [B, n]
  readonly stage: Uint8Array // [B, n] collisions since the last success
  readonly asked: Uint8Array // [B, n] 1 = chose to send in the last slot
}

function create(spec: EnvSpec): Policy {
  const sizes = channelsOf(spec)
  const { miniSlots: W, share } = sizes
  const window = Math.max(2, W)
  const result = resultFeatures(spec, 'spectrum-csma')

  const choose = (view: AgentView, memory: Memory, row: number, user: number, rng: Generator) => {
    const { count, channel, stage, asked } = memory
    const { observation, spec: seen } = view
    const at = row * seen.observationSize
    if (asked[row] === 1) {
      const silent = observation[at + result.silent] === 1 // heard somebody, or the attempt failed
      if (!silent) stage[row] = observation[at + result.ack] === 1 ? 0 : Math.min(DOUBLINGS, stage[row] + 1)
      count[row] = -1
    }
    asked[row] = 0
    if (count[row] < 0) {
      count[row] = rng.below(window << stage[row])
      channel[row] = firstChannel(sizes, user) + rng.below(share)
    }
    if (count[row] >= W) {
      count[row] -= W
      return 0
    }
    const action = sendOn(sizes, channel[row], count[row])
    if (view.mask[row * seen.actionSize + action] === 1) asked[row] = 1
    return action
  }

  const lane = (view: AgentView, b: number, memory: Memory, out: ActionBatch, rng: Generator) => {
    const n = view.agents.length
    const t = tick(memory.clock, view, b)
    if (t === 0) {
      memory.count.fill(-1, b * n, (b + 1) * n)
      memory.stage.fill(0, b * n, (b + 1) * n)
      memory.asked.fill(0, b * n, (b + 1) * n)
    }
    playLane(view, b, t, sizes, out, (row, user) => choose(view, memory, row, user, rng))
  }
  return {
    name: 'spectrum-csma',
    memory: (lanes, agents): Memory => ({
      clock: new Int32Array(lanes),
      count: new Int32Array(lanes * agents).fill(-1),
      channel: new Int32Array(lanes * agents),
      stage: new Uint8Array(lanes * agents),
      asked: new Uint8Array(lanes * agents),
    }),
    act(view, memory, out, rng) {
      for (let b = 0; b < view.lanes; b++) lane(view, b, memory as Memory, out, rng)
    },
    actLanes(view, memory, out, rngs) {
      for (let b = 0; b < view.lanes; b++) lane(view, b, memory as Memory, out, rngs[b])
    },
  }
}

export const spectrumCsma: PolicyDefinition = {
  name: 'spectrum-csma',
  kind: 'scripted',
  summary: 'Carrier sensing with exponential back-off; without mini-slots ALOHA with exponential back-off.',
  paper: 'after IEEE 802.11 DCF, simplified',
  envs: ['spectrum'],
  privileged: false,
  create,
}
