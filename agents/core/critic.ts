/**
 * A network that estimates returns: over rollouts for advantages, over rows for its loss, beside a game for replays. `Critics`:
 * one for each group of agents that share.
 */
import { type EnvBatch, type Generator } from '../../envs/core/index.ts'
import { memberName, slotsOf, type Memory } from './actor.ts'
import { type Inputs, type Sight } from './inputs.ts'
import { Network, type Activation, type Init } from './networks.ts'
import { ValueNorm, type ObservationNorm } from './normalise.ts'
import { SeatView, type Rollout } from './rollout.ts'
import { seatRows } from './rows.ts'
import { type Carried } from './shards.ts'

export interface CriticSettings {
  readonly hidden: number
  readonly layers: number
  readonly activation: Activation
  readonly criticNetwork: 'mlp' | 'gru'
  readonly valueNorm: boolean
  readonly valueNormBeta: number
  /** Width of its hidden layers; left out or null = hidden. */
  readonly criticHidden?: number | null
  /** Its hidden layers; left out or null = layers. */
  readonly criticLayers?: number | null
  readonly init?: Init
  /** Rewrites the last layer when the normaliser moves, so that estimates stay what they were. */
  readonly popArt?: boolean
}

/** What a critic is one of several of. */
export interface CriticPlace {
  /** Prefix of the names of its tensors; default 'critic'. */
  readonly name?: string
  /** [m] slots of the agents it judges; default all. */
  readonly slots?: Int32Array
}

const BLOCK = 1024 // rows at a time: their activations stay in the cache, and a row's result depends on that row only

export class Critic {
  readonly net: Network
  readonly inputs: Inputs
  /** Its outputs live in the units of this; undefined = reward units. */
  readonly norm: ValueNorm | undefined
  /** [m] slots of the agents it judges. Its own rows are numbered lanes × m. */
  readonly slots: Int32Array
  private readonly agents: number // n
  private readonly popArt: boolean
  private block = new Float32Array(0)

  /** @param agents n, how many learn */
  constructor(inputs: Inputs, agents: number, settings: CriticSettings, rng: Generator, place: CriticPlace = {}) {
    const { activation, criticNetwork, init = 'orthogonal', popArt = false } = settings
    const hidden = settings.criticHidden ?? settings.hidden
    const layers = settings.criticLayers ?? settings.layers
    const wide = { name: place.name ?? 'critic', inputs: inputs.width, outputs: inputs.heads, outputGain: 1 }
    this.net = new Network({ ...wide, hidden, layers, activation, init, recurrent: criticNetwork === 'gru' }, rng)
    this.norm = settings.valueNorm ? new ValueNorm(settings.valueNormBeta) : undefined
    this.popArt = popArt
    this.inputs = inputs
    this.agents = agents
    this.slots = place.slots ?? Int32Array.from({ length: agents }, (_, slot) => slot)
  }

  /**
   * The normaliser takes raw returns in. With PopArt the last layer is rewritten, and with it estimates made before.
   * @param old estimates in its units, for each shard; changed like the outputs
   */
  see([count, sum, squares]: readonly [number, number, number], old: readonly Float32Array[]): void {
    if (this.norm === undefined) return
    if (!this.popArt) return this.norm.take(count, sum, squares)
    const { scale, shift } = this.norm.takeAndKeep(count, sum, squares)
    if (scale === 1 && shift === 0) return
    this.net.rescaleOutputs(scale, shift)
    const { slots, agents } = this
    for (const values of old) {
      for (let row = 0; row < values.length; row += agents) {
        for (const slot of slots) values[row + slot] = values[row + slot] * scale + shift
      }
    }
  }

  /**
   * Raw outputs, in its own units, for own rows (lanes × m) that follow one another.
   * @param first number of the first own row
   * @param hidden what it carries in these rows, moved on by one step; for recurrent critics
   * @param reset 1 where a row of `hidden` is forgotten first
   * @param out [count] overwritten
   */
  look(from: Sight, first: number, count: number, out: Float32Array, hidden?: Float32Array, reset?: Uint8Array): void {
    const { heads, width } = this.inputs
    const passes = count / heads
    const H = this.net.memory
    for (let done = 0; done < passes; done += BLOCK) {
      const rows = Math.min(BLOCK, passes - done)
      if (this.block.length < rows * width) this.block = new Float32Array(rows * width)
      for (let k = 0; k < rows; k++) this.writeRow(from, first + (done + k) * heads, k)
      const part = out.subarray(done * heads, (done + rows) * heads)
      if (hidden === undefined) this.net.infer(this.block, rows, part)
      else {
        const own = hidden.subarray(done * H, (done + rows) * H)
        this.net.infer(this.block, rows, part, { hidden: own, reset: reset!.subarray(done, done + rows) })
      }
    }
  }

  /** @param own number among lanes × m */
  private writeRow(from: Sight, own: number, at: number): void {
    const { slots, agents } = this
    const slot = slots[own % slots.length]
    this.inputs.write(from, Math.floor(own / slots.length) * agents + slot, slot, this.block, at)
  }

  /**
   * Estimates for a whole rollout, in the critic's units.
   * @param value [T + 1, B, m] overwritten
   * @param cutValue [cuts, m] overwritten: of the last states of episodes that a clock cut
   * @param carried what it remembers, where it is recurrent; moved on to the end of the rollout
   */
  estimate(rollout: Rollout, value: Float32Array, cutValue: Float32Array, carried?: Carried, chunk = 1): void {
    const { steps, lanes, cuts } = rollout
    const { heads } = this.inputs
    const agents = this.slots.length
    const final = {
      observation: rollout.finalObservation,
      state: rollout.finalState,
      alive: rollout.finalAlive,
      agentState: rollout.finalAgentState,
    }
    if (carried === undefined) {
      this.look(rollout, 0, value.length, value)
      if (cuts.length > 0) this.look(final, 0, cuts.length * agents, cutValue)
      return
    }
    const stepRows = lanes * agents
    const { hidden, width: H } = carried
    const perLane = agents / heads
    const reset = new Uint8Array(hidden.length / H)
    const never = new Uint8Array(perLane)
    let cut = 0
    for (let t = 0; t <= steps; t++) {
      for (let k = 0; k < reset.length; k++) reset[k] = rollout.start[t * lanes + Math.floor(k / perLane)]
      if (t < steps && t % chunk === 0) carried.mark(t / chunk)
      // The row after the last step is the first of the next rollout, which looks at it again.
      const now = t < steps ? hidden : hidden.slice()
      this.look(rollout, t * stepRows, stepRows, value.subarray(t * stepRows, (t + 1) * stepRows), now, reset)
      for (; cut < cuts.length && cuts[cut] < (t + 1) * lanes; cut++) {
        const lane = cuts[cut] % lanes
        const before = hidden.slice(lane * perLane * H, (lane + 1) * perLane * H)
        this.look(final, cut * agents, agents, cutValue.subarray(cut * agents, (cut + 1) * agents), before, never)
      }
    }
  }

  /** Estimates in its units of what a view and a state show now. @param out [B, m] overwritten */
  glance(sight: Sight, lanes: number, start: Uint8Array, out: Float32Array, hidden?: Float32Array): void {
    const perLane = this.slots.length / this.inputs.heads
    const reset = Uint8Array.from({ length: lanes * perLane }, (_, k) => start[Math.floor(k / perLane)])
    this.look(sight, 0, lanes * this.slots.length, out, hidden, reset)
  }

  /** Numbers that it carries for that many lanes. */
  carries(lanes: number): number {
    return ((lanes * this.slots.length) / this.inputs.heads) * this.net.memory
  }
}

/** What observations and states go through before networks see them. */
export interface Sights {
  readonly observation: ObservationNorm
  /** Where there is a global state. */
  readonly state: ObservationNorm | undefined
}

/** Critics of several groups, each agent judged by that of its own. With one group it is that critic and no more. */
export class Critics {
  readonly members: readonly Critic[]
  /** Reward units per unit of what the critics foresee: what scaled rewards are to be multiplied by. */
  unit: (slot: number) => number = () => 1
  private readonly agents: number // n
  private readonly sights: Sights | undefined

  /**
   * @param groups [n] group of each learning agent
   * @param rng of each member's weights
   */
  constructor(
    inputs: Inputs,
    groups: Int32Array,
    settings: CriticSettings,
    rng: (member: number) => Generator,
    sights?: Sights,
    name = 'critic',
  ) {
    this.agents = groups.length
    this.sights = sights
    this.members = slotsOf(groups).map(
      (slots, g) => new Critic(inputs, groups.length, settings, rng(g), { name: memberName(name, g), slots }),
    )
  }

  /**
   * Estimates for a whole rollout, each in the units of its critic.
   * @param value [T + 1, B, n] overwritten
   * @param cutValue [cuts, n] overwritten: of the last states of episodes that a clock cut
   * @param carried by name of member, what recurrent ones remember; moved on to the end of the rollout
   */
  estimate(
    rollout: Rollout,
    value: Float32Array,
    cutValue: Float32Array,
    carried: Readonly<Record<string, Carried>>,
    chunk = 1,
  ): void {
    const { members } = this
    if (members.length === 1) {
      return members[0].estimate(rollout, value, cutValue, carried[members[0].net.shape.name], chunk)
    }
    for (const member of members) {
      const share = member.slots.length / this.agents
      const [own, ownCut] = [new Float32Array(value.length * share), new Float32Array(cutValue.length * share)]
      member.estimate(rollout, own, ownCut, carried[member.net.shape.name], chunk)
      this.spread(member, own, value)
      this.spread(member, ownCut, cutValue)
    }
  }

  private spread({ slots }: Critic, own: Float32Array, to: Float32Array): void {
    for (let k = 0; k < own.length; k++) {
      to[Math.floor(k / slots.length) * this.agents + slots[k % slots.length]] = own[k]
    }
  }

  /** From each critic's units to those of rewards as they are learned from, in place. @param values [rows, n] */
  denormalise(values: Float32Array): void {
    const { members, agents } = this
    if (members.length === 1) return members[0].norm?.denormaliseAll(values)
    for (const { norm, slots } of members) {
      if (norm === undefined) continue
      const { mean, deviation } = norm
      for (let row = 0; row < values.length; row += agents) {
        for (const slot of slots) values[row + slot] = values[row + slot] * deviation + mean
      }
    }
  }

  /** Fresh memory for `values`; null when there is nothing to remember. */
  memory(lanes: number): Memory | null {
    const length = this.members.reduce((sum, member) => sum + member.carries(lanes), 0)
    return length === 0 ? null : { hidden: new Float32Array(length) }
  }

  /** Estimates in reward units of what a batch shows now. @param out [B, n] overwritten */
  values(batch: EnvBatch, agents: Int32Array, out: Float32Array, memory: Memory | null): void {
    const { lanes } = batch
    const view = new SeatView(batch, agents)
    view.look()
    const { agentStateSize } = batch.spec
    const agentState = new Float32Array(lanes * agents.length * agentStateSize)
    if (batch.agentState !== undefined) {
      seatRows(batch.agentState, agentState, lanes, batch.spec.agents.length, agents, agentStateSize)
    }
    const seen = this.see({ observation: view.observation, state: batch.state, alive: view.alive, agentState })
    const hidden = (memory ?? this.memory(lanes))?.hidden
    let at = 0
    for (const member of this.members) {
      const own = new Float32Array(lanes * member.slots.length)
      const from = at
      at += member.carries(lanes)
      member.glance(seen, lanes, view.episodeStart, own, hidden?.subarray(from, at))
      member.norm?.denormaliseAll(own)
      this.spread(member, own, out)
    }
    for (let i = 0; i < lanes * agents.length; i++) out[i] *= this.unit(i % agents.length)
  }

  private see(sight: Sight): Sight {
    if (this.sights === undefined) return sight
    const { observation, state } = this.sights
    const seen = { ...sight, observation: sight.observation.slice(), state: sight.state.slice() }
    observation.apply(seen.observation, seen.observation)
    state?.apply(seen.state, seen.state)
    return seen
  }

  dispose(): void {
    for (const { net } of this.members) net.dispose()
  }
}
