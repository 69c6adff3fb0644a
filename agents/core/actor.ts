/** One network that picks the actions of all agents (parameter sharing), told apart by a one-hot id. */
import { TroupeError, type EnvSpec, type Generator } from '../../envs/core/index.ts'
import { greedyChoice, logProbabilities, penalties, sampleChoice } from './categorical.ts'
import { type PlayMode } from './learner.ts'
import { Mlp, type Activation } from './networks.ts'
import { type ActionBatch, type AgentView, type Policy } from './policy.ts'
import { tf } from './tensors.ts'

export interface ActorSettings {
  readonly hidden: number
  readonly layers: number
  readonly activation: Activation
  readonly agentId: boolean
  readonly outputGain: number
}

export class SharedActor {
  readonly net: Mlp
  /** Ids of the agents it was made for, in the order of their one-hot slots. */
  readonly agents: readonly string[]
  readonly sizes: readonly number[] // [D]
  readonly features: number // F
  readonly inputs: number // F, and n more with ids
  /** Choices made that the mask forbade; stays 0. */
  maskViolations = 0
  private input = new Float32Array(0)
  private penalty = new Float32Array(0)

  constructor(spec: EnvSpec, agents: readonly string[], settings: ActorSettings, rng: Generator) {
    this.agents = agents
    this.sizes = spec.actionSizes
    this.features = spec.observationSize
    this.inputs = spec.observationSize + (settings.agentId ? agents.length : 0)
    this.net = new Mlp(
      {
        name: 'actor',
        inputs: this.inputs,
        outputs: spec.actionSize,
        hidden: settings.hidden,
        layers: settings.layers,
        activation: settings.activation,
        outputGain: settings.outputGain,
      },
      rng,
    )
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
    const withIds = this.inputs > this.features
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

  /** Input rows: the observation, then the id. @param out [rows, inputs], written from row `at` */
  writeInput(observation: Float32Array, row: number, slot: number, out: Float32Array, at: number): void {
    const { features, inputs } = this
    const from = row * features
    const to = at * inputs
    for (let i = 0; i < features; i++) out[to + i] = observation[from + i]
    for (let i = features; i < inputs; i++) out[to + i] = i - features === slot ? 1 : 0
  }

  /**
   * Chooses for every agent of a view, lanes outermost; draws one float per dimension and row.
   * @param rng of a lane; undefined plays greedily
   */
  choose(view: AgentView, slots: Int32Array, out: ActionBatch, rng: ((lane: number) => Generator) | undefined): void {
    const { lanes, observation, mask } = view
    const n = slots.length
    const rows = lanes * n
    const { sizes } = this
    const A = this.net.shape.outputs
    const D = sizes.length
    if (this.input.length < rows * this.inputs) {
      this.input = new Float32Array(rows * this.inputs)
      this.penalty = new Float32Array(rows * A)
    }
    for (let row = 0; row < rows; row++) this.writeInput(observation, row, slots[row % n], this.input, row)
    penalties(mask, this.penalty, 0, rows * A)
    const [logp, probability] = this.net.infer(this.input, rows, (logits) => {
      const logs = logProbabilities(logits, tf.tensor2d(this.penalty.subarray(0, rows * A), [rows, A]), sizes)
      return [logs, tf.exp(logs)]
    })
    for (let row = 0; row < rows; row++) {
      let at = row * A
      let total = 0
      for (let d = 0; d < D; d++) {
        const choice =
          rng === undefined
            ? greedyChoice(probability, mask, at, sizes[d])
            : sampleChoice(probability, at, sizes[d], rng(Math.floor(row / n)))
        if (choice < 0 || mask[at + choice] === 0) this.maskViolations++
        out.action[row * D + d] = choice
        total += logp[at + choice]
        at += sizes[d]
      }
      if (out.logProbability !== undefined) out.logProbability[row] = total
    }
    out.probability?.set(probability.subarray(0, rows * A))
  }

  /** The actor as a policy; it keeps learning while the learner does. */
  policy(name: string, mode: PlayMode): Policy {
    const slotsOf = (view: AgentView) => this.slots(view.spec, view.agents)
    return {
      name,
      memory: () => null,
      act: (view, _memory, out, rng) =>
        this.choose(view, slotsOf(view), out, mode === 'greedy' ? undefined : () => rng),
      actLanes: (view, _memory, out, rngs) =>
        this.choose(view, slotsOf(view), out, mode === 'greedy' ? undefined : (lane) => rngs[lane]),
    }
  }
}
