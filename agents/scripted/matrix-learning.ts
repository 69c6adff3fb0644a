/**
 * Players that learn from what the other did, within an episode and from nothing: regret matching (Hart and Mas-Colell
 * 2000) and fictitious play (Brown 1951). They know the payoff table (from the spec's scene) and see the last choices
 * (observation `last`); games of two players and one state.
 */
import { TroupeError, type EnvSpec, type Generator } from '../../envs/core/index.ts'
import { regretMatching } from '../../envs/matrix/theory/index.ts'
import { type ActionBatch, type AgentView, type Policy, type PolicyDefinition } from '../core/policy.ts'
import { byLane, choiceAt, lastChoices } from './matrix-games.ts'

/** Per lane and played agent: sums over the rounds seen so far, by action. */
interface Memory {
  /** [B, n, A] regrets, or how often the other chose each action. */
  readonly sums: Float64Array
  readonly chances: Float64Array // [A] scratch
}

type Tables = readonly (readonly (readonly number[])[])[]

/** What a player gets, by own and other's action, from its own side of the table. */
function payoffsOf(spec: EnvSpec, name: string): (seat: number, own: number, other: number) => number {
  const scene = spec.world.scene as { payoffs?: Tables; states?: unknown } | undefined
  if (scene?.payoffs === undefined || scene.payoffs.length !== 2 || scene.states !== undefined) {
    throw new TroupeError('bad-option', {
      where: `policy ${name}`,
      got: 'a game without one payoff table for two players',
      expected: 'a game of two players and one state',
    })
  }
  const tables = scene.payoffs
  return (seat, own, other) => (seat === 0 ? tables[0][own][other] : tables[1][other][own])
}

type Choose = (memory: Memory, at: number, seat: number, A: number, rng: Generator) => number

function learner(
  name: string,
  spec: EnvSpec,
  takeIn: (
    memory: Memory,
    at: number,
    own: number,
    other: number,
    A: number,
    pays: (own: number, other: number) => number,
  ) => void,
  choose: (pays: (seat: number, own: number, other: number) => number) => Choose,
): Policy {
  lastChoices(spec, name) // refuses other games by name
  const pays = payoffsOf(spec, name)
  const pick = choose(pays)
  const A = spec.actionSizes[0]
  const sizes = spec.world.agents.map(({ action }) => (action.kind === 'discrete' ? action.names.length : 0))
  const places = spec.agents.map((agent) => {
    const names = agent.observation.map((feature) => feature.name)
    return { own: names.findIndex((n) => n.startsWith('own.')), other: names.findIndex((n) => n.startsWith('other.')) }
  })
  return byLane<Memory>(
    name,
    (lanes, agents) => ({ sums: new Float64Array(lanes * agents * A), chances: new Float64Array(A) }),
    (view: AgentView, lane: number, memory: Memory, out: ActionBatch, rng: Generator) => {
      const n = view.agents.length
      for (let k = 0; k < n; k++) {
        const row = lane * n + k
        const seat = spec.seats[view.agents[k]]
        const at = row * A
        if (view.episodeStart[lane] === 1) memory.sums.fill(0, at, at + A)
        const place = places[view.agents[k]]
        const mine = choiceAt(view, row, place.own, sizes[seat])
        if (mine >= 0) {
          const theirs = choiceAt(view, row, place.other, sizes[1 - seat])
          takeIn(memory, at, mine, theirs, sizes[seat], (a, b) => pays(seat, a, b))
        }
        const action = pick(memory, at, seat, sizes[seat], rng)
        out.action[row] = action
        if (out.probability !== undefined) {
          for (let a = 0; a < A; a++) out.probability[at + a] = a < sizes[seat] ? memory.chances[a] : 0
        }
        if (out.logProbability !== undefined) out.logProbability[row] = Math.log(memory.chances[action])
      }
    },
  )
}

export const matrixRegret: PolicyDefinition = {
  name: 'matrix-regret',
  kind: 'scripted',
  summary: 'Regret matching: plays each action in proportion to how much it would have gained.',
  paper: 'Hart and Mas-Colell 2000',
  envs: ['matrix'],
  privileged: false,
  create: (spec) =>
    learner(
      'matrix-regret',
      spec,
      (memory, at, own, other, A, pays) => {
        const paid = pays(own, other)
        for (let a = 0; a < A; a++) memory.sums[at + a] += pays(a, other) - paid
      },
      () => (memory, at, _seat, A, rng) => {
        const chances = memory.chances.subarray(0, A)
        regretMatching(memory.sums.subarray(at, at + A), chances)
        let x = rng.float()
        let action = 0
        while (action < A - 1 && x >= chances[action]) x -= chances[action++]
        return action
      },
    ),
}

export const matrixFictitious: PolicyDefinition = {
  name: 'matrix-fictitious',
  kind: 'scripted',
  summary: 'Fictitious play: the best reply to how often the other chose each action; the lowest of equals.',
  paper: 'Brown 1951',
  envs: ['matrix'],
  privileged: false,
  create: (spec) =>
    learner(
      'matrix-fictitious',
      spec,
      (memory, at, _own, other) => {
        memory.sums[at + other]++
      },
      (pays) => (memory, at, seat, A) => {
        const width = spec.actionSizes[0]
        let best = 0
        let top = -Infinity
        for (let a = 0; a < A; a++) {
          let sum = 0
          for (let b = 0; b < width; b++) if (memory.sums[at + b] > 0) sum += memory.sums[at + b] * pays(seat, a, b)
          if (sum > top + 1e-9) {
            top = sum
            best = a
          }
        }
        memory.chances.fill(0)
        memory.chances[best] = 1
        return best
      },
    ),
}
