/**
 * The values that agents act on, as networks: one for all agents, or one for each group that shares. What a network sees of an
 * agent, how it acts on what it thinks, and tables of values for whole batches of episodes.
 */
import { TroupeError, naturalLogarithm, type EnvSpec, type Generator } from '../../envs/core/index.ts'
import { sampleChoice } from './categorical.ts'
import { type EpisodeBatch, type EpisodeMemory } from './episodes.ts'
import { type PlayMode } from './learner.ts'
import { type Sequences } from './networks.ts'
import { type ActionBatch, type AgentView, type Policy, type PolicyMemory } from './policy.ts'
import { sharedBy, type Sharing } from './sharing.ts'
import { tf } from './tensors.ts'
import { type Learnable, type Weights } from './together.ts'
import { bestLegal, type Exploration } from './values.ts'

export interface UtilitySettings {
  readonly sharing: Sharing
  readonly agentId: boolean
  readonly lastAction: boolean
}

/** What a policy carries from step to step. */
export interface UtilityMemory {
  /** What networks remember, [rows, H] for one group after the other; then the last actions, [B, n, D], 0 none, a + 1. */
  readonly hidden: Float32Array
}

/** Makes a network. @param name prefix of its tensors */
export type MakeNetwork = (name: string, inputs: number, outputs: number) => Learnable

/** Q_i(h_i, ·) of n agents. */
export class Utilities {
  /** Ids of the agents, in the order of their one-hot slots. */
  readonly agents: readonly string[]
  readonly sizes: readonly number[] // [D]
  /** One per group. */
  readonly networks: readonly Learnable[]
  /** Choices made that the mask forbade; stays 0. */
  maskViolations = 0
  private readonly settings: UtilitySettings
  private readonly groups: Int32Array // [n]
  private readonly F: number
  private readonly A: number
  private readonly width: number
  private input = new Float32Array(0)

  constructor(spec: EnvSpec, agents: readonly string[], settings: UtilitySettings, make: MakeNetwork) {
    const { observationSize: F, actionSize: A, actionSizes } = spec
    this.agents = agents
    this.sizes = actionSizes
    this.settings = settings
    this.groups = sharedBy(settings.sharing, spec, agents)
    this.F = F
    this.A = A
    this.width = F + (settings.lastAction ? A : 0) + (settings.agentId ? agents.length : 0)
    const count = Math.max(...this.groups) + 1
    this.networks = Array.from({ length: count }, (_, g) => make(count === 1 ? 'agent' : `agent${g}`, this.width, A))
  }

  /** H */
  private get carried(): number {
    return this.networks[0].memory
  }

  // --- what a network sees ----------------------------------------------------------------------------------------------

  /**
   * One row: own observation (zeros when dead), last action one-hot, id one-hot.
   * @param seen where the observation begins in `observation`; −1 = zeros
   * @param done where the last action begins in `last`; −1 = none
   * @param base number that stands for choice 0; lower ones for no choice
   */
  private write(
    out: Float32Array,
    row: number,
    slot: number,
    observation: Float32Array,
    seen: number,
    last: ArrayLike<number>,
    done: number,
    base: number,
  ): void {
    const { F, A, sizes } = this
    const { lastAction, agentId } = this.settings
    let to = row * this.width
    for (let i = 0; i < F; i++) out[to + i] = seen < 0 ? 0 : observation[seen + i]
    to += F
    if (lastAction) {
      out.fill(0, to, to + A)
      let column = to
      for (let d = 0; d < sizes.length && done >= 0; d++) {
        const choice = last[done + d] - base
        if (choice >= 0) out[column + choice] = 1
        column += sizes[d]
      }
      to += A
    }
    if (agentId) for (let i = 0; i < this.agents.length; i++) out[to + i] = i === slot ? 1 : 0
  }

  /** Agents of each network, as positions in a list of slots. */
  private members(slots: Int32Array): number[][] {
    const found: number[][] = this.networks.map(() => [])
    slots.forEach((slot, k) => found[this.networks.length === 1 ? 0 : this.groups[slot]].push(k))
    return found
  }

  /** The agents of each network, as slots: rows of its tables are [R, members]. */
  membership(): readonly (readonly number[])[] {
    return this.members(allSlots(this.agents.length))
  }

  // --- acting -----------------------------------------------------------------------------------------------------------

  /** Slot of each agent of a view. @throws TroupeError when there is no network for one of them */
  slots(spec: EnvSpec, agents: Int32Array): Int32Array {
    const same = spec.observationSize === this.F && spec.actionSizes.join() === this.sizes.join()
    if (!same || spec.actionKind === 'box') {
      throw new TroupeError('bad-usage', {
        where: `${spec.env}: policy`,
        got: `made for ${this.F} features and actions [${this.sizes.join(', ')}]`,
        expected: `one for ${spec.observationSize} features and actions [${spec.actionSizes.join(', ')}]`,
      })
    }
    const anybody = !this.settings.agentId && this.networks.length === 1
    return agents.map((agent) => {
      const slot = this.agents.indexOf(spec.agents[agent].id)
      if (slot >= 0 || anybody) return slot
      throw new TroupeError('bad-usage', {
        where: `${spec.env}: policy for ${spec.agents[agent].id}`,
        got: `trained for ${this.agents.join(', ')}`,
        expected: 'agents it was trained for, or training with sharing full and agentId off',
      })
    })
  }

  /** Fresh memory for lanes × agents; null when there is nothing to remember. */
  memory(lanes: number, agents: number): UtilityMemory | null {
    const last = this.settings.lastAction ? this.sizes.length : 0
    const perRow = this.carried + last
    return perRow === 0 ? null : { hidden: new Float32Array(lanes * agents * perRow) }
  }

  /**
   * Values of every choice of a view's agents, [B, n, A].
   * @param memory moved on by one step, the last action excepted
   */
  look(view: AgentView, slots: Int32Array, memory: UtilityMemory | null, out: Float32Array): void {
    const { lanes, observation, alive, episodeStart } = view
    const { A, F, carried: H, networks } = this
    const n = slots.length
    const rows = lanes * n
    const D = this.sizes.length
    const hidden = memory?.hidden ?? new Float32Array(rows * (H + D))
    const last = hidden.subarray(rows * H)
    if (this.settings.lastAction) {
      for (let lane = 0; lane < lanes; lane++) {
        if (episodeStart[lane] !== 0) last.fill(0, lane * n * D, (lane + 1) * n * D)
      }
    }
    if (this.input.length < rows * this.width) this.input = new Float32Array(rows * this.width)
    let before = 0 // rows of the groups before
    this.members(slots).forEach((own, g) => {
      const count = lanes * own.length
      if (count === 0) return
      const whole = own.length === n
      const table = whole ? out : new Float32Array(count * A)
      const reset = new Uint8Array(count)
      for (let row = 0; row < count; row++) {
        const lane = Math.floor(row / own.length)
        const at = lane * n + own[row % own.length]
        const seen = alive[at] === 0 ? -1 : at * F
        this.write(this.input, row, slots[own[row % own.length]], observation, seen, last, at * D, 1)
        reset[row] = episodeStart[lane]
      }
      const part = hidden.subarray(before * H, (before + count) * H)
      networks[g].infer(this.input, count, table, H === 0 ? undefined : { hidden: part, reset })
      before += count
      if (whole) return
      for (let row = 0; row < count; row++) {
        const at = (Math.floor(row / own.length) * n + own[row % own.length]) * A
        for (let a = 0; a < A; a++) out[at + a] = table[row * A + a]
      }
    })
  }

  /**
   * Chooses for every agent of a view, lanes outermost; draws one float per dimension and row.
   * @param steps for the exploration
   * @param rng of a lane; undefined takes the best
   */
  choose(
    view: AgentView,
    slots: Int32Array,
    memory: UtilityMemory | null,
    out: ActionBatch,
    explore: Exploration,
    steps: number,
    rng: ((lane: number) => Generator) | undefined,
  ): void {
    const { lanes, mask } = view
    const { A, sizes } = this
    const n = slots.length
    const D = sizes.length
    const rows = lanes * n
    const values = new Float32Array(rows * A)
    const probability = out.probability ?? new Float32Array(rows * A)
    const action = out.action as Int32Array
    this.look(view, slots, memory, values)
    const last = memory?.hidden.subarray(rows * this.carried)
    for (let row = 0; row < rows; row++) {
      const draws = rng?.(Math.floor(row / n))
      let at = row * A
      let log = 0
      for (let d = 0; d < D; d++) {
        const size = sizes[d]
        explore(values, mask, at, size, steps, probability)
        const choice =
          draws === undefined
            ? bestLegal(values, at, mask, at, size)
            : sampleChoice(probability, at, size, draws.float())
        if (mask[at + choice] === 0) this.maskViolations++
        action[row * D + d] = choice
        log += naturalLogarithm(probability[at + choice])
        if (this.settings.lastAction && last !== undefined) last[row * D + d] = choice + 1
        at += size
      }
      if (out.logProbability !== undefined) out.logProbability[row] = log
    }
  }

  /** As a policy; it keeps learning while the learner does. Sampling plays as exploration ends. */
  policy(name: string, mode: PlayMode, explore: Exploration): Policy {
    let known: AgentView | undefined
    let slots = new Int32Array(0)
    const act = (view: AgentView, memory: PolicyMemory, out: ActionBatch, rng: (lane: number) => Generator) => {
      if (view !== known) slots = this.slots(view.spec, view.agents) as typeof slots
      known = view
      const own = (memory ?? null) as UtilityMemory | null
      this.choose(view, slots, own, out, explore, Infinity, mode === 'greedy' ? undefined : rng)
    }
    return {
      name,
      memory: (lanes, agents) => this.memory(lanes, agents),
      act: (view, memory, out, rng) => act(view, memory, out, () => rng),
      actLanes: (view, memory, out, rngs) => act(view, memory, out, (lane) => rngs[lane]),
    }
  }

  // --- tables for learning ----------------------------------------------------------------------------------------------

  /** What every network sees of a batch, [rows of the group, width]; who called disposes. */
  inputs(memory: EpisodeMemory, batch: EpisodeBatch): tf.Tensor2D[] {
    const { F, width, sizes } = this
    const n = this.agents.length
    const D = sizes.length
    const [observation, alive, action] = [memory.column('observation'), memory.column('alive'), memory.column('action')]
    const { places, before, rows } = batch
    return this.members(allSlots(n)).map((own) => {
      const input = new Float32Array(rows * own.length * width)
      for (let r = 0; r < rows; r++) {
        const place = places[r]
        if (place < 0) continue
        for (let k = 0; k < own.length; k++) {
          const slot = own[k]
          const at = place * n + slot
          const seen = alive[at] === 0 ? -1 : at * F
          const done = before[r] < 0 ? -1 : (before[r] * n + slot) * D
          this.write(input, r * own.length + k, slot, observation, seen, action, done, 0)
        }
      }
      return tf.tensor2d(input, [rows * own.length, width])
    })
  }

  /** Tables of values of a batch by these networks and weights, one per group: [rows of the group, A]. */
  tables(
    networks: readonly Learnable[],
    weights: Weights,
    inputs: readonly tf.Tensor2D[],
    batch: EpisodeBatch,
  ): tf.Tensor2D[] {
    const own = this.members(allSlots(this.agents.length))
    return networks.map((net, g) => net.apply(inputs[g], weights[g], this.sequences(net, batch, own[g].length)))
  }

  private sequences(net: Learnable, batch: EpisodeBatch, members: number): Sequences | undefined {
    if (net.memory === 0) return undefined
    const count = batch.stretches * members
    const start = new Uint8Array(batch.length * count).fill(1, 0, count)
    return { steps: batch.length, hidden: new Float32Array(count * net.memory), start }
  }

  /** All groups' tables as one, [R, n, A]. */
  assemble(tables: readonly tf.Tensor2D[], rows: number): Float32Array {
    if (tables.length === 1) return tables[0].dataSync() as Float32Array
    const n = this.agents.length
    const { A } = this
    const out = new Float32Array(rows * n * A)
    this.members(allSlots(n)).forEach((own, g) => {
      const values = tables[g].dataSync()
      for (let row = 0; row < rows * own.length; row++) {
        const to = (Math.floor(row / own.length) * n + own[row % own.length]) * A
        for (let a = 0; a < A; a++) out[to + a] = values[row * A + a]
      }
    })
    return out
  }

  /** Legal choices of a batch, [R, n, A]; nothing where a row fills up. */
  masks(memory: EpisodeMemory, batch: EpisodeBatch): Uint8Array {
    const width = this.agents.length * this.A
    const mask = memory.column('mask')
    const out = new Uint8Array(batch.rows * width)
    for (let r = 0; r < batch.rows; r++) {
      const place = batch.places[r]
      if (place >= 0) out.set(mask.subarray(place * width, (place + 1) * width), r * width)
    }
    return out
  }

  /** Which entries of the tables stand for the actions taken, one list per group: [M, members, D]. */
  taken(memory: EpisodeMemory, batch: EpisodeBatch): Int32Array[] {
    const { A, sizes } = this
    const n = this.agents.length
    const D = sizes.length
    const action = memory.column('action')
    const { now, places, steps } = batch
    return this.members(allSlots(n)).map((own) => {
      const index = new Int32Array(steps * own.length * D)
      let at = 0
      for (let m = 0; m < steps; m++) {
        for (let k = 0; k < own.length; k++) {
          let column = (now[m] * own.length + k) * A
          for (let d = 0; d < D; d++) {
            index[at++] = column + action[(places[now[m]] * n + own[k]) * D + d]
            column += sizes[d]
          }
        }
      }
      return index
    })
  }

  /** Columns of all groups side by side, in the order of the agents. @param parts [M, members] each */
  sideBySide(parts: readonly tf.Tensor2D[]): tf.Tensor2D {
    if (parts.length === 1) return parts[0]
    const order = this.members(allSlots(this.agents.length)).flat()
    const columns = order.map((_, agent) => order.indexOf(agent))
    // The gradient of `tf.split` fails where there is only one part.
    const apart = parts.flatMap((part) => (part.shape[1] === 1 ? [part] : tf.split(part, part.shape[1], 1)))
    return tf.concat(columns.map((column) => apart[column]), 1) as tf.Tensor2D // prettier-ignore
  }
}

function allSlots(n: number): Int32Array {
  return Int32Array.from({ length: n }, (_, k) => k)
}
