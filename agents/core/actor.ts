/** One network that picks the actions of all agents (parameter sharing), told apart by a one-hot id. */
import { TroupeError, type EnvSpec, type Generator } from '../../envs/core/index.ts'
import { Inputs } from './inputs.ts'
import { type PlayMode } from './learner.ts'
import { Network, type Activation } from './networks.ts'
import { type ActionBatch, type AgentView, type Policy, type PolicyMemory } from './policy.ts'

export interface ActorSettings {
  readonly hidden: number
  readonly layers: number
  readonly activation: Activation
  readonly agentId: boolean
  readonly outputGain: number
  readonly network: 'mlp' | 'gru'
}

/** What a recurrent network carries from step to step, a row per agent of each lane. */
export interface Memory {
  readonly hidden: Float32Array // [B, n, H]
}

const NOTHING = new Float32Array(0) // actors do not see the state

export class SharedActor {
  readonly net: Network
  /** Ids of the agents it was made for, in the order of their one-hot slots. */
  readonly agents: readonly string[]
  readonly sizes: readonly number[] // [D]
  readonly features: number // F
  /** The own observation, and with ids the id. */
  readonly inputs: Inputs
  /** Choices made that the mask forbade; stays 0. */
  maskViolations = 0
  private input = new Float32Array(0)
  private uniform = new Float32Array(0)
  private reset = new Uint8Array(0)

  constructor(spec: EnvSpec, agents: readonly string[], settings: ActorSettings, rng: Generator) {
    const { hidden, layers, activation, outputGain, agentId, network } = settings
    this.agents = agents
    this.sizes = spec.actionSizes
    this.features = spec.observationSize
    const columns = agentId ? (['observation', 'id'] as const) : (['observation'] as const)
    this.inputs = new Inputs(spec, agents.length, { columns, heads: 1, hidesDead: false })
    const wide = { name: 'actor', inputs: this.inputs.width, outputs: spec.actionSize }
    this.net = new Network({ ...wide, hidden, layers, activation, outputGain, recurrent: network === 'gru' }, rng)
  }

  /** Slot of each agent of a view. @throws TroupeError when the network does not know one of them */
  slots(spec: EnvSpec, agents: Int32Array): Int32Array {
    const same =
      spec.observationSize === this.features &&
      spec.actionSizes.join() === this.sizes.join() &&
      spec.actionKind !== 'box'
    if (!same) {
      throw new TroupeError('bad-usage', {
        where: `${spec.env}: policy`,
        got: `made for ${this.features} features and actions [${this.sizes.join(', ')}]`,
        expected: `one for ${spec.observationSize} features and actions [${spec.actionSizes.join(', ')}]`,
      })
    }
    const withIds = this.inputs.width > this.features
    return agents.map((agent) => {
      const slot = this.agents.indexOf(spec.agents[agent].id)
      if (slot >= 0 || !withIds) return slot
      throw new TroupeError('bad-usage', {
        where: `${spec.env}: policy for ${spec.agents[agent].id}`,
        got: `trained for ${this.agents.join(', ')}`,
        expected: 'agents it was trained for, or training with agentId off',
      })
    })
  }

  /** Fresh memory for lanes × agents; null when there is nothing to remember. */
  memory(lanes: number, agents: number): Memory | null {
    return this.net.memory === 0 ? null : { hidden: new Float32Array(lanes * agents * this.net.memory) }
  }

  /**
   * Chooses for every agent of a view, lanes outermost; draws one float per dimension and row.
   * @param memory from `memory`; where an episode starts it is forgotten first
   * @param rng of a lane; undefined plays greedily
   */
  choose(
    view: AgentView,
    slots: Int32Array,
    memory: Memory | null,
    out: ActionBatch,
    rng: ((lane: number) => Generator) | undefined,
  ): void {
    const { lanes, observation, mask, alive, episodeStart } = view
    const sight = { observation, alive, state: NOTHING }
    const { sizes, net } = this
    const n = slots.length
    const rows = lanes * n
    const A = net.shape.outputs
    const D = sizes.length
    if (this.reset.length < rows) {
      this.input = new Float32Array(rows * this.inputs.width)
      this.uniform = new Float32Array(rows * D)
      this.reset = new Uint8Array(rows)
    }
    const { input, uniform, reset } = this
    for (let row = 0; row < rows; row++) this.inputs.write(sight, row, slots[row % n], input, row)
    for (let lane = 0; lane < lanes && rng !== undefined; lane++) {
      const draws = rng(lane)
      for (let i = lane * n * D; i < (lane + 1) * n * D; i++) uniform[i] = draws.float()
    }
    for (let row = 0; row < rows; row++) reset[row] = episodeStart[Math.floor(row / n)]
    const choice = { ...out, action: out.action as Int32Array, mask, ...(rng === undefined ? {} : { uniform }) }
    net.act(input, rows, sizes, choice, memory === null ? undefined : { hidden: memory.hidden, reset })
    for (let row = 0; row < rows; row++) {
      let at = row * A
      for (let d = 0; d < D; d++) {
        if (mask[at + out.action[row * D + d]] === 0) this.maskViolations++
        at += sizes[d]
      }
    }
  }

  /** The actor as a policy; it keeps learning while the learner does. */
  policy(name: string, mode: PlayMode): Policy {
    let known: AgentView | undefined
    let slots = new Int32Array(0)
    const act = (view: AgentView, memory: PolicyMemory, out: ActionBatch, rng: (lane: number) => Generator) => {
      if (view !== known) slots = this.slots(view.spec, view.agents) as typeof slots
      known = view
      this.choose(view, slots, (memory ?? null) as Memory | null, out, mode === 'greedy' ? undefined : rng)
    }
    return {
      name,
      memory: (lanes, agents) => this.memory(lanes, agents),
      act: (view, memory, out, rng) => act(view, memory, out, () => rng),
      actLanes: (view, memory, out, rngs) => act(view, memory, out, (lane) => rngs[lane]),
    }
  }
}
