/** Slotted ALOHA on several channels: a uniform channel, with probability p (Roberts 1975; the optimum from N p (1 − p)^(N − 1)). */
import { type EnvSpec, type Generator } from '../../envs/core/index.ts'
import { type ActionBatch, type AgentView, type Policy, type PolicyDefinition } from '../core/policy.ts'
import { channelsOf, firstChannel, playLane, sendOn, tick, type Clock } from './spectrum-channels.ts'

/**
 * Each user sends with probability `p`, on a channel drawn uniformly (of its cluster).
 * @param p null = what makes N users on K channels best: min(1, K / N), attempts that fail by themselves made up for
 */
export function slottedAloha(name: string, spec: EnvSpec, p: number | null): Policy {
  const sizes = channelsOf(spec)
  const attempt = p ?? Math.min(1, Math.min(1, sizes.share / sizes.crowd) / Math.max(sizes.attemptProb, 1e-9))
  const lane = (view: AgentView, b: number, clock: Clock, out: ActionBatch, rng: Generator) => {
    playLane(view, b, tick(clock, view, b), sizes, out, (_row, user) => {
      if (attempt < 1 && rng.float() >= attempt) return 0
      return sendOn(sizes, firstChannel(sizes, user) + rng.below(sizes.share))
    })
  }
  return {
    name,
    memory: (lanes) => new Int32Array(lanes),
    act(view, memory, out, rng) {
      for (let b = 0; b < view.lanes; b++) lane(view, b, memory as Clock, out, rng)
    },
    actLanes(view, memory, out, rngs) {
      for (let b = 0; b < view.lanes; b++) lane(view, b, memory as Clock, out, rngs[b])
    },
  }
}

export const spectrumAloha: PolicyDefinition = {
  name: 'spectrum-aloha',
  kind: 'scripted',
  summary: 'Slotted ALOHA at its best attempt probability, min(1, K / N), on a uniform channel.',
  paper: 'Roberts 1975, ALOHA packet system with and without slots and capture',
  envs: ['spectrum'],
  privileged: false,
  create: (spec) => slottedAloha('spectrum-aloha', spec, null),
}

export const spectrumHopping: PolicyDefinition = {
  name: 'spectrum-hopping',
  kind: 'scripted',
  summary: 'Sends in every slot on a uniform channel: with the option attemptProb p that is slotted ALOHA at p.',
  envs: ['spectrum'],
  privileged: false,
  create: (spec) => slottedAloha('spectrum-hopping', spec, 1),
}
