/**
 * What the scripted game players read of what they see: their own action space and, from observation `last`, what was
 * chosen in the round before. Shared by the files beside it that begin with matrix-.
 */
import { TroupeError, type EnvSpec, type Generator } from '../../envs/core/index.ts'
import { type ActionBatch, type AgentView, type Policy } from '../core/policy.ts'

/** Where the last choices stand in an agent's observation. */
export interface Seen {
  /** First feature of the own choice. */
  readonly own: number
  /** First feature of the other player's choice. */
  readonly other: number
  readonly actions: number
}

/**
 * Finds the last choices of a game of two players in observation `last`.
 * @throws TroupeError bad-option when the game or its observation is another
 */
export function lastChoices(spec: EnvSpec, name: string, actions?: number): Seen {
  const features = spec.agents[0].observation.map((feature) => feature.name)
  const size = spec.actionSizes[0]
  const own = features.findIndex((feature) => /^own\./.test(feature))
  const other = features.findIndex((feature) => /^other\./.test(feature))
  const two = spec.world.agents.length === 2
  if (own < 0 || other < 0 || !two || (actions !== undefined && size !== actions)) {
    const what = actions === 2 ? 'two players with two actions each' : 'two players'
    throw new TroupeError('bad-option', {
      where: `policy ${name}`,
      got: `asked to play ${spec.env} with ${spec.world.agents.length} players, ${size} actions and features ${features.slice(0, 3).join(', ')} …`,
      expected: `a game of ${what} with observation last (--option observation=last)`,
    })
  }
  return { own, other, actions: size }
}

/** The action whose feature is 1, or -1 in the first round. */
export function choiceAt(view: AgentView, row: number, from: number, actions: number): number {
  const at = row * view.spec.observationSize + from
  for (let a = 0; a < actions; a++) if (view.observation[at + a] === 1) return a
  return -1
}

/** Writes the choice with chance `cooperate` of action 0, and what the caller wants to know about it. */
export function chooseBetween(out: ActionBatch, row: number, cooperate: number, rng: Generator): void {
  // a certain choice draws nothing, so that deterministic strategies leave the generator alone
  const action = cooperate >= 1 ? 0 : cooperate <= 0 ? 1 : rng.float() < cooperate ? 0 : 1
  out.action[row] = action
  if (out.probability !== undefined) {
    out.probability[row * 2] = cooperate
    out.probability[row * 2 + 1] = 1 - cooperate
  }
  if (out.logProbability !== undefined) out.logProbability[row] = Math.log(action === 0 ? cooperate : 1 - cooperate)
}

/** A policy from what it does in one lane. */
export function byLane<M>(
  name: string,
  memory: (lanes: number, agents: number) => M,
  playLane: (view: AgentView, lane: number, memory: M, out: ActionBatch, rng: Generator) => void,
): Policy {
  return {
    name,
    memory,
    act(view, state, out, rng) {
      for (let lane = 0; lane < view.lanes; lane++) playLane(view, lane, state as M, out, rng)
    },
    actLanes(view, state, out, rngs) {
      for (let lane = 0; lane < view.lanes; lane++) playLane(view, lane, state as M, out, rngs[lane])
    },
  }
}
