/** Neighbours take turns: users are coloured so that no two neighbours share a colour, and the colours send one after the other. */
import { type EnvSpec } from '../../envs/core/index.ts'
import { type ActionBatch, type AgentView, type Policy, type PolicyDefinition } from '../core/policy.ts'
import { channelsOf, playLane, sendOn, tick, type Clock } from './spectrum-channels.ts'

/** Lowest colour that no neighbour has, breadth first: two colours where two are enough (the grid), else a few more. */
export function colours(neighbours: readonly (readonly number[])[]): number[] {
  const colour = new Array<number>(neighbours.length).fill(-1)
  for (let start = 0; start < neighbours.length; start++) {
    if (colour[start] >= 0) continue
    const queue = [start]
    for (let head = 0; head < queue.length; head++) {
      const user = queue[head]
      if (colour[user] >= 0) continue
      const taken = new Set(neighbours[user].map((other) => colour[other]))
      let own = 0
      while (taken.has(own)) own++
      colour[user] = own
      queue.push(...neighbours[user].filter((other) => colour[other] < 0))
    }
  }
  return colour
}

function create(spec: EnvSpec): Policy {
  const sizes = channelsOf(spec)
  const { users: N, channels: K } = sizes
  const given = spec.world.scene!.neighbours as number[][] | null
  const everybody = () =>
    Array.from({ length: N }, (_, n) => Array.from({ length: N }, (__, m) => m).filter((m) => m !== n))
  const colour = colours(given ?? everybody())
  // K colours fit into a slot, one per channel.
  const frame = Math.ceil((Math.max(...colour) + 1) / K)
  const queue = spec.world.agents[0].observation.findIndex(({ name }) => name === 'queue')
  const act = (view: AgentView, memory: unknown, out: ActionBatch) => {
    for (let b = 0; b < view.lanes; b++) {
      const t = tick(memory as Clock, view, b)
      playLane(view, b, t, sizes, out, (row, user) => {
        if (queue >= 0 && view.observation[row * view.spec.observationSize + queue] === 0) return 0
        return t % frame === Math.floor(colour[user] / K) ? sendOn(sizes, colour[user] % K) : 0
      })
    }
  }
  return { name: 'spectrum-two-colour', memory: (lanes) => new Int32Array(lanes), act, actLanes: act }
}

export const spectrumTwoColour: PolicyDefinition = {
  name: 'spectrum-two-colour',
  kind: 'scripted',
  summary: 'Colours the users so that neighbours differ; the colours send in turn.',
  envs: ['spectrum'],
  privileged: false,
  create,
}
