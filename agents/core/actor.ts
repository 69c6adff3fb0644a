/**
 * Networks that pick actions. `SharedActor`: one for all agents, told apart by a one-hot id. `Actors`: as many as agents do not
 * share, one of them for each group.
 */
import { TroupeError, exponential, naturalLogarithm, type EnvSpec, type Generator } from '../../envs/core/index.ts'
import { judgeChoices } from './categorical.ts'
import { HALF_LOG_TAU, boxesOf, judgeNumbers, playNumbers, usedDimensions, type Boxes } from './gaussian.ts'
import { Inputs } from './inputs.ts'
import { type PlayMode } from './learner.ts'
import { Network, type Activation, type Init, type Sequences, type Trace } from './networks.ts'
import { normal } from './noise.ts'
import { type ObservationNorm } from './normalise.ts'
import { type ActionBatch, type AgentView, type Policy, type PolicyMemory } from './policy.ts'
import { type Rollout } from './rollout.ts'
import { seatRows, unseatRows } from './rows.ts'
import { type tf } from './tensors.ts'

export interface ActorSettings {
  readonly hidden: number
  readonly layers: number
  readonly activation: Activation
  readonly agentId: boolean
  readonly outputGain: number
  readonly network: 'mlp' | 'gru'
  /** Of real-valued actions at first, in half-ranges. */
  readonly deviation: number
  readonly init?: Init
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
  /** Actions are real numbers. */
  readonly box: boolean
  private readonly dims: number // D
  /** [n, D] 1 where a real-valued dimension counts, by slot; null = everywhere. */
  private readonly used: Uint8Array | null
  private played: { readonly spec: EnvSpec; readonly boxes: Boxes } | undefined
  private input = new Float32Array(0)
  private mean = new Float32Array(0)
  private uniform = new Float32Array(0)
  private reset = new Uint8Array(0)

  /** @param prefix of the names of its tensors */
  constructor(spec: EnvSpec, agents: readonly string[], settings: ActorSettings, rng: Generator, prefix = 'actor') {
    const { hidden, layers, activation, outputGain, agentId, network, deviation, init = 'orthogonal' } = settings
    this.agents = agents
    this.box = spec.actionKind === 'box'
    this.sizes = spec.actionSizes
    this.dims = spec.actionDims
    this.features = spec.observationSize
    const columns = agentId ? (['observation', 'id'] as const) : (['observation'] as const)
    this.inputs = new Inputs(spec, agents.length, { columns, heads: 1, hidesDead: false })
    const outputs = this.box ? this.dims : spec.actionSize
    const free = this.box ? new Array<number>(this.dims).fill(naturalLogarithm(deviation)) : []
    const wide = { name: prefix, inputs: this.inputs.width, outputs, free }
    this.net = new Network({ ...wide, hidden, layers, activation, outputGain, init, recurrent: network === 'gru' }, rng)
    this.used = this.box ? usedDimensions(spec, agents) : null
  }

  /** Slot of each agent of a view. @throws TroupeError when the network does not know one of them */
  slots(spec: EnvSpec, agents: Int32Array): Int32Array {
    const same =
      spec.observationSize === this.features &&
      spec.actionSizes.join() === this.sizes.join() &&
      spec.actionDims === this.dims &&
      (spec.actionKind === 'box') === this.box
    if (!same) {
      const actions = (box: boolean, sizes: readonly number[], dims: number) =>
        box ? `${dims} real numbers` : `actions [${sizes.join(', ')}]`
      throw new TroupeError('bad-usage', {
        where: `${spec.env}: policy`,
        got: `made for ${this.features} features and ${actions(this.box, this.sizes, this.dims)}`,
        expected: `one for ${spec.observationSize} features and ${actions(spec.actionKind === 'box', spec.actionSizes, spec.actionDims)}`,
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
    const D = this.dims
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
    const recurrence = memory === null ? undefined : { hidden: memory.hidden, reset }
    if (this.box) {
      if (this.mean.length < rows * D) this.mean = new Float32Array(rows * D)
      net.infer(input, rows, this.mean, recurrence)
      this.draw(view, rows, rng === undefined ? undefined : uniform, out)
      return
    }
    const choice = { ...out, action: out.action as Int32Array, mask, ...(rng === undefined ? {} : { uniform }) }
    net.act(input, rows, sizes, choice, recurrence)
    for (let row = 0; row < rows; row++) {
      let at = row * A
      for (let d = 0; d < D; d++) {
        if (mask[at + out.action[row * D + d]] === 0) this.maskViolations++
        at += sizes[d]
      }
    }
  }

  /** Real-valued actions around the means; with nothing to draw with, the means themselves. */
  private draw({ spec, agents }: AgentView, rows: number, uniform: Float32Array | undefined, out: ActionBatch): void {
    if (this.played?.spec !== spec) this.played = { spec, boxes: boxesOf(spec, spec.env) }
    const { boxes } = this.played
    const { mean, dims: D } = this
    const logs = this.net.freeValues()
    const drawn = out.drawn ?? new Float32Array(rows * D)
    for (let row = 0; row < rows; row++) {
      const seat = agents[row % agents.length] * D
      let total = 0
      for (let d = 0; d < D; d++) {
        const i = row * D + d
        const z = uniform === undefined ? 0 : normal(uniform[i])
        drawn[i] = mean[i] + z * (logs[d] > 0 ? 1 / exponential(logs[d]) : exponential(-logs[d]))
        if (boxes.used[seat + d] === 1) total -= 0.5 * z * z + logs[d] + HALF_LOG_TAU
      }
      if (out.logProbability !== undefined) out.logProbability[row] = total
    }
    playNumbers(boxes, drawn, agents, (out.action as Float32Array).subarray(0, rows * D))
  }

  /**
   * What the network says now of actions that were played, for losses.
   * @param rows of lanes × agents, of a rollout
   * @param input of these rows
   * @param sequences how they follow one another
   */
  judge(
    { forward, free }: Trace,
    { action, mask, drawn, agents: n }: Pick<Rollout, 'action' | 'mask' | 'drawn' | 'agents'>,
    rows: Int32Array,
    input: tf.Tensor2D,
    sequences?: Sequences,
  ): { logProbability: tf.Tensor1D; entropy: tf.Tensor1D } {
    const { sizes, dims: D, used } = this
    const count = rows.length
    const said = forward(input, sequences)
    if (this.box) {
      const taken = new Float32Array(count * D)
      const counts = used === null ? null : new Uint8Array(count * D)
      for (let k = 0; k < count; k++) {
        for (let d = 0; d < D; d++) {
          taken[k * D + d] = drawn[rows[k] * D + d]
          if (counts !== null) counts[k * D + d] = used![(rows[k] % n) * D + d]
        }
      }
      return judgeNumbers(said, free, taken, counts)
    }
    const A = this.net.shape.outputs
    const allowed = new Uint8Array(count * A)
    const taken = new Int32Array(count * D)
    // Positions are counted up: products in here would be checked for overflow, one by one.
    let [to, at] = [0, 0]
    for (let k = 0; k < count; k++) {
      const row = rows[k]
      for (let from = row * A, end = from + A; from < end; from++) allowed[to++] = mask[from]
      for (let from = row * D, end = from + D; from < end; from++) taken[at++] = action[from]
    }
    return judgeChoices(said, allowed, taken, sizes)
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

/** The agents of each network, [groups][members], as slots 0 to n − 1. */
export function slotsOf(groups: Int32Array): Int32Array[] {
  const count = groups.length === 0 ? 0 : Math.max(...groups) + 1
  const slots = [...groups.keys()]
  return Array.from({ length: count }, (_, g) => Int32Array.from(slots.filter((slot) => groups[slot] === g)))
}

/** Actors of several groups, each agent played by the network of its own. With one group it is that network and no more. */
export class Actors {
  /** One per group. */
  readonly members: readonly SharedActor[]
  /** Group of each learning agent. */
  readonly groups: Int32Array // [n]
  /** What observations go through before networks see them. */
  readonly sight: ObservationNorm | undefined
  private readonly seats = new WeakMap<Int32Array, readonly Seats[]>()
  private normalised = new Float32Array(0)

  /**
   * @param agents ids of the learning agents
   * @param rng of each member's weights
   */
  constructor(
    spec: EnvSpec,
    agents: readonly string[],
    groups: Int32Array,
    settings: ActorSettings,
    rng: (member: number) => Generator,
    sight?: ObservationNorm,
  ) {
    this.groups = groups
    this.sight = sight
    const slots = slotsOf(groups)
    this.members = slots.map((own, g) => {
      // Who shares with nobody needs no id.
      const agentId = settings.agentId && (own.length > 1 || slots.length === 1)
      return new SharedActor(spec, agents, { ...settings, agentId }, rng(g), memberName('actor', g))
    })
  }

  get sizes(): readonly number[] {
    return this.members[0].sizes
  }

  get maskViolations(): number {
    return this.members.reduce((sum, { maskViolations }) => sum + maskViolations, 0)
  }

  /** Fresh memory of each member for lanes × the agents with these slots; null when there is nothing to remember. */
  memory(lanes: number, slots: Int32Array): ActorsMemory | null {
    const [{ net }] = this.members
    if (net.memory === 0) return null
    const hidden = new Float32Array(lanes * slots.length * net.memory)
    return { hidden, parts: this.parts(hidden, lanes, slots) }
  }

  /** The members' parts of one array, one after the other. */
  private parts(hidden: Float32Array, lanes: number, slots: Int32Array): Memory[] {
    let at = 0
    return this.members.map(({ net }, g) => {
      const own = slots.reduce((count, slot) => count + (this.groupOf(slot) === g ? 1 : 0), 0)
      const from = at
      at += lanes * own * net.memory
      return { hidden: hidden.subarray(from, at) }
    })
  }

  private groupOf(slot: number): number {
    return this.members.length === 1 ? 0 : this.groups[slot]
  }

  /** Slot of each agent of a view. @throws TroupeError when there is no network for one of them */
  slots(spec: EnvSpec, agents: Int32Array): Int32Array {
    const [first] = this.members
    const slots = first.slots(spec, agents)
    const stranger = slots.indexOf(-1)
    if (this.members.length === 1 || stranger < 0) return slots
    throw new TroupeError('bad-usage', {
      where: `${spec.env}: policy for ${spec.agents[agents[stranger]].id}`,
      got: `trained for ${first.agents.join(', ')}, with networks of their own`,
      expected: 'agents it was trained for, or training with sharing full and agentId off',
    })
  }

  /**
   * Chooses for every agent of a view, as `SharedActor.choose`; the draws of a lane go to one member after the other.
   * @param memories of each member
   */
  choose(
    view: AgentView,
    slots: Int32Array,
    memories: readonly (Memory | null)[],
    out: ActionBatch,
    rng: ((lane: number) => Generator) | undefined,
  ): void {
    const seen = this.see(view)
    if (this.members.length === 1) return this.members[0].choose(seen, slots, memories[0] ?? null, out, rng)
    let seats = this.seats.get(slots)
    if (seats === undefined || seats.some(({ lanes }) => lanes !== view.lanes)) {
      seats = slotsOf(slots.map((slot) => this.groups[slot])).map((own) => new Seats(view, own, slots))
      this.seats.set(slots, seats)
    }
    for (const seat of seats) {
      if (seat.slots.length === 0) continue
      seat.take(seen)
      const g = this.groups[seat.slots[0]]
      this.members[g].choose(seat, seat.slots, memories[g] ?? null, seat.out, rng)
      seat.give(out)
    }
  }

  /** A view through the normaliser. */
  private see(view: AgentView): AgentView {
    if (this.sight === undefined) return view
    if (this.normalised.length < view.observation.length) this.normalised = new Float32Array(view.observation.length)
    const observation = this.normalised.subarray(0, view.observation.length)
    this.sight.apply(view.observation, observation)
    return { ...view, observation }
  }

  /** The actors as a policy; it keeps learning while the learner does. */
  policy(name: string, mode: PlayMode): Policy {
    let known: AgentView | undefined
    let slots = new Int32Array(0)
    const act = (view: AgentView, memory: PolicyMemory, out: ActionBatch, rng: (lane: number) => Generator) => {
      if (view !== known) slots = this.slots(view.spec, view.agents) as typeof slots
      known = view
      const carried = (memory ?? null) as Memory | null
      const parts = carried === null ? [] : this.parts(carried.hidden, view.lanes, slots)
      this.choose(view, slots, parts, out, mode === 'greedy' ? undefined : rng)
    }
    const [{ net }] = this.members
    return {
      name,
      memory: (lanes, agents) => (net.memory === 0 ? null : { hidden: new Float32Array(lanes * agents * net.memory) }),
      act: (view, memory, out, rng) => act(view, memory, out, () => rng),
      actLanes: (view, memory, out, rngs) => act(view, memory, out, (lane) => rngs[lane]),
      says: (memory, lane) => {
        const carried = (memory ?? null) as Memory | null
        return carried === null || known === undefined ? undefined : this.says(known, slots, carried, lane)
      },
    }
  }

  /** How much each agent carries: the length of its row of hidden state. */
  private says({ spec, lanes, agents }: AgentView, slots: Int32Array, { hidden }: Memory, lane: number): string {
    const width = this.members[0].net.memory
    const parts = this.parts(hidden, lanes, slots)
    const passed = parts.map(() => 0)
    return Array.from(agents, (agent, k) => {
      const g = this.groupOf(slots[k])
      const rows = parts[g].hidden.length / (lanes * width)
      const from = (lane * rows + passed[g]++) * width
      let squares = 0
      for (let h = 0; h < width; h++) squares += parts[g].hidden[from + h] ** 2
      return `${spec.agents[agent].id} memory ${Math.sqrt(squares).toFixed(3)}`
    }).join('\n')
  }

  dispose(): void {
    for (const { net } of this.members) net.dispose()
  }
}

export interface ActorsMemory extends Memory {
  /** Of each member, parts of `hidden`. */
  readonly parts: readonly Memory[]
}

/** Names of the tensors of member g: those of the first are what they are where all share. */
export function memberName(name: string, member: number): string {
  return member === 0 ? name : `${name}${member}`
}

/** What one group sees of a view, and room for what it chooses. */
class Seats implements AgentView {
  readonly spec: EnvSpec
  readonly lanes: number
  readonly agents: Int32Array
  readonly slots: Int32Array
  readonly observation: Float32Array
  readonly mask: Uint8Array
  readonly alive: Uint8Array
  episodeStart: Uint8Array
  readonly out: Required<Pick<ActionBatch, 'action' | 'drawn' | 'probability' | 'logProbability'>>
  private readonly rows: Int32Array // [m] which of the view's agents

  constructor(view: AgentView, rows: Int32Array, slots: Int32Array) {
    const { spec, lanes } = view
    const count = lanes * rows.length
    this.spec = spec
    this.lanes = lanes
    this.rows = rows
    this.agents = rows.map((row) => view.agents[row])
    this.slots = rows.map((row) => slots[row])
    this.observation = new Float32Array(count * spec.observationSize)
    this.mask = new Uint8Array(count * spec.actionSize)
    this.alive = new Uint8Array(count)
    this.episodeStart = view.episodeStart
    const box = spec.actionKind === 'box'
    this.out = {
      action: box ? new Float32Array(count * spec.actionDims) : new Int32Array(count * spec.actionDims),
      drawn: new Float32Array(box ? count * spec.actionDims : 0),
      probability: new Float32Array(count * spec.actionSize),
      logProbability: new Float32Array(count),
    }
  }

  take(view: AgentView): void {
    const { spec, rows, lanes } = this
    const n = view.agents.length
    this.episodeStart = view.episodeStart
    seatRows(view.observation, this.observation, lanes, n, rows, spec.observationSize)
    seatRows(view.mask, this.mask, lanes, n, rows, spec.actionSize)
    seatRows(view.alive, this.alive, lanes, n, rows, 1)
  }

  give(to: ActionBatch): void {
    const { spec, out, rows, lanes } = this
    const n = to.action.length / spec.actionDims / lanes
    unseatRows(out.action, to.action, lanes, n, rows, spec.actionDims)
    if (to.drawn !== undefined && out.drawn.length > 0) {
      unseatRows(out.drawn, to.drawn, lanes, n, rows, spec.actionDims)
    }
    if (to.probability !== undefined) unseatRows(out.probability, to.probability, lanes, n, rows, spec.actionSize)
    if (to.logProbability !== undefined) unseatRows(out.logProbability, to.logProbability, lanes, n, rows, 1)
  }
}
