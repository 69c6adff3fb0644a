/** A network that estimates returns: over rollouts for advantages, over rows for its loss, beside a game for replays. */
import { type EnvBatch, type Generator } from '../../envs/core/index.ts'
import { type Memory } from './actor.ts'
import { type Inputs, type Sight } from './inputs.ts'
import { Network, type Activation } from './networks.ts'
import { ValueNorm } from './normalise.ts'
import { SeatView, type Rollout } from './rollout.ts'
import { type Carried } from './shards.ts'

export interface CriticSettings {
  readonly hidden: number
  readonly layers: number
  readonly activation: Activation
  readonly criticNetwork: 'mlp' | 'gru'
  readonly valueNorm: boolean
  readonly valueNormBeta: number
}

const BLOCK = 1024 // rows at a time: their activations stay in the cache, and a row's result depends on that row only

export class Critic {
  readonly net: Network
  readonly inputs: Inputs
  /** Its outputs live in the units of this; undefined = reward units. */
  readonly norm: ValueNorm | undefined
  private readonly agents: number
  private block = new Float32Array(0)

  constructor(inputs: Inputs, agents: number, settings: CriticSettings, rng: Generator) {
    const { hidden, layers, activation, criticNetwork } = settings
    const wide = { name: 'critic', inputs: inputs.width, outputs: inputs.heads, outputGain: 1 }
    this.net = new Network({ ...wide, hidden, layers, activation, recurrent: criticNetwork === 'gru' }, rng)
    this.norm = settings.valueNorm ? new ValueNorm(settings.valueNormBeta) : undefined
    this.inputs = inputs
    this.agents = agents
  }

  /**
   * Raw outputs, in its own units, for rows of lanes × agents that follow one another.
   * @param first number of the first row
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

  private writeRow(from: Sight, row: number, at: number): void {
    this.inputs.write(from, row, row % this.agents, this.block, at)
  }

  /**
   * Estimates for a whole rollout, in the critic's units.
   * @param value [T + 1, B, n] overwritten
   * @param cutValue [cuts, n] overwritten: of the last states of episodes that a clock cut
   * @param carried what it remembers, where it is recurrent; moved on to the end of the rollout
   */
  estimate(rollout: Rollout, value: Float32Array, cutValue: Float32Array, carried?: Carried, chunk = 1): void {
    const { steps, lanes, agents, cuts } = rollout
    const { heads } = this.inputs
    const final = { observation: rollout.finalObservation, state: rollout.finalState, alive: rollout.finalAlive }
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

  /** Fresh memory for `values`; null when there is nothing to remember. */
  memory(lanes: number): Memory | null {
    const rows = (lanes * this.agents) / this.inputs.heads
    return this.net.memory === 0 ? null : { hidden: new Float32Array(rows * this.net.memory) }
  }

  /** Estimates in reward units of what a batch shows now. @param out [B, n] overwritten */
  values(batch: EnvBatch, agents: Int32Array, out: Float32Array, memory: Memory | null): void {
    const view = new SeatView(batch, agents)
    view.look()
    const rows = { observation: view.observation, state: batch.state, alive: view.alive }
    const hidden = (memory ?? this.memory(batch.lanes))?.hidden
    const perLane = agents.length / this.inputs.heads
    const reset = Uint8Array.from(
      { length: batch.lanes * perLane },
      (_, k) => view.episodeStart[Math.floor(k / perLane)],
    )
    this.look(rows, 0, batch.lanes * agents.length, out, hidden, reset)
    this.norm?.denormaliseAll(out)
  }
}
