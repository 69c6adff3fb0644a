/**
 * Actors of agents that share nothing: a network for each, or several of which every episode draws one (the sub-policies of
 * MADDPG's ensembles). What a network's outputs mean is the kind of the players.
 */
import { Generator, TroupeError, exponential, namedSeed, type EnvSpec } from '../../envs/core/index.ts'
import { ILLEGAL, sampleChoice } from './categorical.ts'
import { boxesOf, playNumbers, usedDimensions, type Boxes } from './gaussian.ts'
import { type PlayMode } from './learner.ts'
import { Network, type Activation } from './networks.ts'
import { normal } from './noise.ts'
import { type ActionBatch, type AgentView, type Policy, type PolicyMemory } from './policy.ts'

/**
 * choices: A logits. numbers: D outputs through tanh, in half-ranges, with noise from outside. squeezed: D means and D logarithms of
 * deviations of a Gaussian through tanh.
 */
export type PlayerKind = 'choices' | 'numbers' | 'squeezed'

export interface PlayerSettings {
  readonly hidden: number
  readonly layers: number
  readonly activation: Activation
  readonly outputGain: number
}

/** Which of its policies each agent plays in this episode. */
export interface Parts {
  readonly hidden: Float32Array // [B, n]
}

/** e^x and tanh x from + − × ÷, alike in every engine. */
export const power = (x: number): number => (x > 0 ? 1 / exponential(x) : exponential(-x))
export function squeeze(x: number): number {
  const small = exponential(2 * Math.abs(x))
  const size = (1 - small) / (1 + small)
  return x < 0 ? -size : size
}

export class Players {
  readonly kind: PlayerKind
  /** Ids of the learning agents. */
  readonly agents: readonly string[]
  readonly nets: readonly (readonly Network[])[] // [n][K]
  readonly sizes: readonly number[]
  readonly dims: number // D
  readonly features: number // F
  /** [n, D] 1 where an agent has the number; null where all have all, and for choices. */
  readonly used: Uint8Array | null
  maskViolations = 0
  private played: { readonly spec: EnvSpec; readonly boxes: Boxes } | undefined
  private input = new Float32Array(0)
  private said = new Float32Array(0)
  private uniform = new Float32Array(0)

  /**
   * @param count K, policies of each agent
   * @param rng for the weights of each
   */
  constructor(
    spec: EnvSpec,
    agents: readonly string[],
    kind: PlayerKind,
    count: number,
    settings: PlayerSettings,
    rng: (name: string) => Generator,
  ) {
    const { hidden, layers, activation, outputGain } = settings
    this.kind = kind
    this.agents = agents
    this.sizes = spec.actionSizes
    this.dims = spec.actionDims
    this.features = spec.observationSize
    const outputs = { choices: spec.actionSize, numbers: spec.actionDims, squeezed: 2 * spec.actionDims }[kind]
    const shape = { inputs: spec.observationSize, outputs, hidden, layers, activation, outputGain }
    this.nets = agents.map((_, slot) =>
      Array.from({ length: count }, (_, k) => {
        const name = k === 0 ? `actor${slot}` : `actor${slot}-${k}`
        return new Network({ ...shape, name }, rng(name))
      }),
    )
    this.used = kind === 'choices' ? null : usedDimensions(spec, agents)
  }

  /** W, numbers of an action as critics see it: one-hot choices, or numbers in half-ranges. */
  get width(): number {
    return this.kind === 'choices' ? this.sizes.reduce((sum, size) => sum + size, 0) : this.dims
  }

  /** Slot of each agent of a view. @throws TroupeError when it has no network, or the world is another */
  slots(spec: EnvSpec, agents: Int32Array): Int32Array {
    const theirs = [spec.observationSize, spec.actionDims, ...spec.actionSizes, spec.actionKind === 'box' ? 'box' : '']
    const mine = [this.features, this.dims, ...this.sizes, this.kind === 'choices' ? '' : 'box']
    if (theirs.join() !== mine.join()) {
      throw new TroupeError('bad-usage', {
        where: `${spec.env}: policy`,
        got: `made for ${this.features} features and actions [${this.sizes.join(', ') || `${this.dims} real numbers`}]`,
        expected: `one for ${spec.observationSize} features and actions [${spec.actionSizes.join(', ') || `${spec.actionDims} real numbers`}]`,
      })
    }
    return agents.map((agent) => {
      const slot = this.agents.indexOf(spec.agents[agent].id)
      if (slot >= 0) return slot
      throw new TroupeError('bad-usage', {
        where: `${spec.env}: policy for ${spec.agents[agent].id}`,
        got: `trained for ${this.agents.join(', ')}, with networks of their own`,
        expected: 'agents it was trained for',
      })
    })
  }

  /** Fresh memory: which policy each agent plays. */
  memory(lanes: number, agents: number): Parts {
    return { hidden: new Float32Array(lanes * agents) }
  }

  /**
   * Chooses for every agent of a view. Draws per lane: with several policies one number per agent where an episode starts; then,
   * unless `mode` is greedy, one per dimension.
   * @param noise deviation of `numbers`, in half-ranges
   */
  choose(
    view: AgentView,
    slots: Int32Array,
    { hidden: parts }: Parts,
    out: ActionBatch,
    rng: (lane: number) => Generator,
    mode: PlayMode,
    noise: number,
  ): void {
    const { lanes, observation, mask, episodeStart } = view
    const { dims: D, features: F } = this
    const n = slots.length
    const rows = lanes * n
    const A = this.kind === 'choices' ? this.width : 0
    const O = this.nets[0][0].shape.outputs
    if (this.uniform.length < rows * D) {
      this.uniform = new Float32Array(rows * D)
      this.input = new Float32Array(lanes * F)
      this.said = new Float32Array(rows * O)
    }
    const { uniform, input, said } = this
    const drawn = out.drawn ?? new Float32Array(this.kind === 'choices' ? 0 : rows * D)
    const count = this.nets[0].length
    for (let lane = 0; lane < lanes; lane++) {
      const draws = rng(lane)
      for (let k = 0; k < n && count > 1 && episodeStart[lane] === 1; k++) parts[lane * n + k] = draws.below(count)
      for (let i = lane * n * D; i < (lane + 1) * n * D && mode === 'sample'; i++) uniform[i] = draws.float()
    }
    const places = new Int32Array(lanes)
    for (let k = 0; k < n; k++) {
      for (let part = 0; part < count; part++) {
        let found = 0
        for (let lane = 0; lane < lanes; lane++) if (parts[lane * n + k] === part) places[found++] = lane * n + k
        if (found === 0) continue
        for (let row = 0; row < found; row++) {
          for (let f = 0; f < F; f++) input[row * F + f] = observation[places[row] * F + f]
        }
        const net = this.nets[slots[k]][part]
        const own = places.subarray(0, found)
        if (this.kind === 'choices') {
          this.pick(net, own, input, mask, A, mode === 'sample' ? uniform : undefined, out)
          continue
        }
        net.infer(input, found, said)
        for (let row = 0; row < found; row++) {
          for (let d = 0; d < D; d++) {
            const i = own[row] * D + d
            const z = mode === 'sample' ? normal(uniform[i]) : 0
            drawn[i] = this.has(slots[k], d) ? this.number(said, row * O + d, z, noise) : 0
          }
        }
      }
    }
    if (this.kind === 'choices') return
    if (this.played?.spec !== view.spec) this.played = { spec: view.spec, boxes: boxesOf(view.spec, view.spec.env) }
    playNumbers(this.played.boxes, drawn, view.agents, (out.action as Float32Array).subarray(0, rows * D))
  }

  /** Whether the agent of a slot has a real-valued dimension. */
  private has(slot: number, dimension: number): boolean {
    return this.used === null || this.used[slot * this.dims + dimension] === 1
  }

  /**
   * The likeliest actions of all learning agents, as critics see them.
   * @returns [B, n W]
   */
  joint(view: AgentView): Float32Array {
    const { kind, width: W, dims: D, sizes } = this
    const n = this.agents.length
    const rows = view.lanes * n
    const box = kind !== 'choices'
    const out = {
      action: box ? new Float32Array(rows * D) : new Int32Array(rows * D),
      drawn: new Float32Array(box ? rows * D : 0),
    }
    const slots = Int32Array.from({ length: n }, (_, k) => k)
    const rng = new Generator(namedSeed(0, 'which policy'))
    this.choose(view, slots, this.memory(view.lanes, n), out, () => rng, 'greedy', 0)
    if (box) return out.drawn
    const joint = new Float32Array(rows * W)
    for (let row = 0; row < rows; row++) {
      let at = row * W
      for (let d = 0; d < D; d++) {
        joint[at + out.action[row * D + d]] = 1
        at += sizes[d]
      }
    }
    return joint
  }

  /** Uniform legal actions in place of what was chosen, by the learning agents in order. One draw per dimension and row. */
  anything(view: AgentView, out: ActionBatch, rng: Generator): void {
    const { sizes, dims: D } = this
    const rows = view.lanes * view.agents.length
    if (this.kind === 'choices') {
      const A = this.width
      const legal = Float32Array.from(view.mask.subarray(0, rows * A))
      for (let row = 0; row < rows; row++) {
        let at = row * A
        for (let d = 0; d < D; d++) {
          out.action[row * D + d] = sampleChoice(legal, at, sizes[d], rng.float())
          at += sizes[d]
        }
      }
      return
    }
    const drawn = out.drawn!
    for (let i = 0; i < rows * D; i++) {
      const number = 2 * rng.float() - 1
      drawn[i] = this.has(Math.floor(i / D) % view.agents.length, i % D) ? number : 0
    }
    playNumbers(this.played!.boxes, drawn, view.agents, out.action as Float32Array)
  }

  /** A real-valued action in half-ranges, inside −1 to 1. */
  private number(said: Float32Array, at: number, z: number, noise: number): number {
    if (this.kind === 'squeezed') {
      const log = Math.max(-20, Math.min(2, said[at + this.dims]))
      return squeeze(said[at] + (z === 0 ? 0 : z * power(log)))
    }
    return Math.max(-1, Math.min(1, squeeze(said[at]) + z * noise))
  }

  /** Choices of some rows of a view by one network. */
  private pick(
    net: Network,
    rows: Int32Array,
    input: Float32Array,
    mask: Uint8Array,
    A: number,
    uniform: Float32Array | undefined,
    out: ActionBatch,
  ): void {
    const { dims: D, sizes } = this
    const count = rows.length
    const choice = {
      mask: new Uint8Array(count * A),
      action: new Int32Array(count * D),
      logProbability: new Float32Array(count),
      ...(out.probability === undefined ? {} : { probability: new Float32Array(count * A) }),
      ...(uniform === undefined ? {} : { uniform: new Float32Array(count * D) }),
    }
    rows.forEach((row, k) => {
      choice.mask.set(mask.subarray(row * A, (row + 1) * A), k * A)
      choice.uniform?.set(uniform!.subarray(row * D, (row + 1) * D), k * D)
    })
    net.act(input, count, sizes, choice)
    rows.forEach((row, k) => {
      ;(out.action as Int32Array).set(choice.action.subarray(k * D, (k + 1) * D), row * D)
      out.probability?.set(choice.probability!.subarray(k * A, (k + 1) * A), row * A)
      if (out.logProbability !== undefined) out.logProbability[row] = choice.logProbability[k]
      let at = k * A
      for (let d = 0; d < D; d++) {
        if (choice.mask[at + choice.action[k * D + d]] === 0) this.maskViolations++
        at += sizes[d]
      }
    })
  }

  /** The players as a policy; it keeps learning while the learner does. Sampling adds no exploration noise to `numbers`. */
  policy(name: string, mode: PlayMode): Policy {
    let known: AgentView | undefined
    let slots = new Int32Array(0)
    const act = (view: AgentView, memory: PolicyMemory, out: ActionBatch, rng: (lane: number) => Generator) => {
      if (view !== known) slots = this.slots(view.spec, view.agents) as typeof slots
      known = view
      const parts = (memory ?? this.memory(view.lanes, slots.length)) as Parts
      this.choose(view, slots, parts, out, rng, mode, 0)
    }
    return {
      name,
      memory: (lanes, agents) => this.memory(lanes, agents),
      act: (view, memory, out, rng) => act(view, memory, out, () => rng),
      actLanes: (view, memory, out, rngs) => act(view, memory, out, (lane) => rngs[lane]),
    }
  }

  dispose(): void {
    for (const nets of this.nets) for (const net of nets) net.dispose()
  }
}

/** What is added to the logits of one agent's rows. @param mask [rows, n, A] */
export function penaltiesOf(mask: Uint8Array, agent: number, n: number, A: number): Float32Array {
  const out = new Float32Array(mask.length / n)
  for (let k = 0; k < out.length; k++) {
    const row = Math.floor(k / A)
    out[k] = mask[(row * n + agent) * A + (k - row * A)] === 0 ? ILLEGAL : 0
  }
  return out
}
