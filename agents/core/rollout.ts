/** What an on-policy learner remembers between two updates, as columns [T, B, n]; and the loop that fills it. */
import { TroupeError, type EnvBatch, type EnvSpec, type Generator } from '../../envs/core/index.ts'
import { type ActionBatch, type AgentView, type Policy, type PolicyMemory } from './policy.ts'
import { seatRows } from './rows.ts'
import { shareReward, teamNumbers, teamReturn, type TeamReward } from './teams.ts'

/** T steps of B lanes for the n agents that learn. Rows of states have one more step: what the last action led to. */
export class Rollout {
  readonly steps: number // T
  readonly lanes: number // B
  readonly agents: number // n
  readonly observation: Float32Array // [T + 1, B, n, F]
  readonly state: Float32Array // [T + 1, B, S]
  readonly agentState: Float32Array // [T + 1, B, n, S2], empty where the world has none
  readonly alive: Uint8Array // [T + 1, B, n]
  readonly mask: Uint8Array // [T + 1, B, n, A]
  readonly action: Int32Array | Float32Array // [T, B, n, D]
  readonly drawn: Float32Array // [T, B, n, D] real-valued actions in half-ranges before they were cut; empty for choices
  readonly logProbability: Float32Array // [T, B, n] under the policy that acted
  readonly reward: Float32Array // [T, B, n] after team sharing
  readonly terminated: Uint8Array // [T, B]
  readonly truncated: Uint8Array // [T, B]
  readonly start: Uint8Array // [T + 1, B] 1 where a row is the first of an episode: recurrent networks forget before it
  /** Where a clock cut an episode, t * B + lane, with what the episode showed last in the rows of `final*`. */
  readonly cuts: number[] = []
  finalObservation: Float32Array // [cuts, n, F], grown when needed
  finalState: Float32Array // [cuts, S]
  finalAgentState: Float32Array // [cuts, n, S2]
  finalAlive: Uint8Array // [cuts, n]
  finalMask: Uint8Array // [cuts, n, A]
  /** Returns (the scenario's scalar) and lengths of the episodes that ended in this rollout. */
  readonly episodeReturns: number[] = []
  readonly episodeLengths: number[] = []

  constructor(spec: EnvSpec, steps: number, lanes: number, agents: number) {
    const rows = lanes * agents
    this.steps = steps
    this.lanes = lanes
    this.agents = agents
    this.observation = new Float32Array((steps + 1) * rows * spec.observationSize)
    this.state = new Float32Array((steps + 1) * lanes * spec.stateSize)
    this.agentState = new Float32Array((steps + 1) * rows * spec.agentStateSize)
    this.alive = new Uint8Array((steps + 1) * rows)
    this.mask = new Uint8Array((steps + 1) * rows * spec.actionSize)
    this.action = numbers(spec, steps * rows * spec.actionDims)
    this.drawn = new Float32Array(spec.actionKind === 'box' ? this.action.length : 0)
    this.logProbability = new Float32Array(steps * rows)
    this.reward = new Float32Array(steps * rows)
    this.terminated = new Uint8Array(steps * lanes)
    this.truncated = new Uint8Array(steps * lanes)
    this.start = new Uint8Array((steps + 1) * lanes)
    this.finalObservation = new Float32Array(rows * spec.observationSize)
    this.finalState = new Float32Array(lanes * spec.stateSize)
    this.finalAgentState = new Float32Array(rows * spec.agentStateSize)
    this.finalAlive = new Uint8Array(rows)
    this.finalMask = new Uint8Array(rows * spec.actionSize)
  }
}

/** Room for that many numbers of actions. */
export function numbers(spec: EnvSpec, length: number): Int32Array | Float32Array {
  return spec.actionKind === 'box' ? new Float32Array(length) : new Int32Array(length)
}

/** A compact view of some of a batch's agents; `look` copies what they see now. */
export class SeatView implements AgentView {
  readonly spec: EnvSpec
  readonly lanes: number
  readonly agents: Int32Array
  readonly observation: Float32Array
  readonly mask: Uint8Array
  readonly alive: Uint8Array
  readonly episodeStart: Uint8Array
  private readonly batch: EnvBatch

  constructor(batch: EnvBatch, agents: Int32Array) {
    const rows = batch.lanes * agents.length
    this.batch = batch
    this.spec = batch.spec
    this.lanes = batch.lanes
    this.agents = agents
    this.observation = new Float32Array(rows * batch.spec.observationSize)
    this.mask = new Uint8Array(rows * batch.spec.actionSize)
    this.alive = new Uint8Array(rows)
    this.episodeStart = new Uint8Array(batch.lanes)
  }

  look(): void {
    const { batch, lanes, agents, spec } = this
    const N = spec.agents.length
    seatRows(batch.observation, this.observation, lanes, N, agents, spec.observationSize)
    seatRows(batch.mask, this.mask, lanes, N, agents, spec.actionSize)
    seatRows(batch.alive, this.alive, lanes, N, agents, 1)
    this.episodeStart.set(batch.episodeStart)
  }
}

/** Agents of the batch that do not learn here, and what plays them. */
export interface OtherAgents {
  readonly policy: Policy
  readonly agents: readonly number[]
}

/** Plays a training batch and fills rollouts. Owns nothing that a checkpoint of batch and generator does not hold. */
export class Collector {
  readonly batch: EnvBatch
  /** [n] the learning agents' indices among the batch's. */
  readonly agents: Int32Array
  private readonly teamReward: TeamReward
  private readonly view: SeatView
  private readonly teams: Int32Array
  private readonly shared: Float32Array // [B, N]
  private readonly joint: Int32Array | Float32Array // [B, N, D]
  private readonly others: { policy: Policy; view: SeatView; memory: PolicyMemory; out: ActionBatch }[]

  /**
   * @param agents which of the batch's agents learn; default all
   * @param others who plays the rest; together they cover every agent once
   */
  constructor(
    batch: EnvBatch,
    who: string,
    teamReward: TeamReward,
    agents?: readonly number[],
    others: readonly OtherAgents[] = [],
  ) {
    const N = batch.spec.agents.length
    this.batch = batch
    this.agents = Int32Array.from(agents ?? batch.spec.agents.keys())
    this.teamReward = teamReward
    const seats = [...this.agents, ...others.flatMap((other) => [...other.agents])].sort((a, b) => a - b)
    if (this.agents.length === 0 || seats.length !== N || seats.some((seat, index) => seat !== index)) {
      throw new TroupeError('bad-usage', {
        where: `${who}: agents`,
        got: `${seats.join(', ') || 'none'} (learning and others together)`,
        expected: `each of 0 to ${N - 1} exactly once, at least one of them learning`,
      })
    }
    if (batch.autoreset !== 'same-step') {
      throw new TroupeError('bad-usage', {
        where: `${who}: autoreset of the training batch`,
        got: batch.autoreset,
        expected: "'same-step', so that the final observation of a cut episode is there",
      })
    }
    this.view = new SeatView(batch, this.agents)
    this.teams = teamNumbers(batch.spec.agents)
    this.shared = new Float32Array(batch.lanes * N)
    this.joint = numbers(batch.spec, batch.lanes * N * batch.spec.actionDims)
    this.others = others.map(({ policy, agents: seated }) => ({
      policy,
      view: new SeatView(batch, Int32Array.from(seated)),
      memory: policy.memory(batch.lanes, seated.length),
      out: { action: numbers(batch.spec, batch.lanes * seated.length * batch.spec.actionDims) },
    }))
  }

  /** What recurrent policies of the others carry (memories of the form { hidden }), to be saved with the lanes. */
  get memories(): readonly Float32Array[] {
    return this.others.flatMap(({ memory }) => {
      const hidden = (memory as { hidden?: unknown } | null)?.hidden
      return hidden instanceof Float32Array ? [hidden] : []
    })
  }

  /**
   * Plays T steps in every lane.
   * @param act writes actions and log-probabilities for the learning agents' view at step t
   * @param rng for the policies of the others
   */
  collect(rollout: Rollout, act: (view: AgentView, out: ActionBatch, t: number) => void, rng: Generator): void {
    const { batch, view, agents } = this
    const { steps, lanes } = rollout
    const { spec } = batch
    const n = agents.length
    const N = spec.agents.length
    const D = spec.actionDims
    rollout.cuts.length = 0
    rollout.episodeReturns.length = 0
    rollout.episodeLengths.length = 0
    for (let t = 0; t < steps; t++) {
      view.look()
      this.remember(rollout, t)
      const out = {
        action: rollout.action.subarray(t * lanes * n * D, (t + 1) * lanes * n * D),
        logProbability: rollout.logProbability.subarray(t * lanes * n, (t + 1) * lanes * n),
        ...(spec.actionKind === 'box'
          ? { drawn: rollout.drawn.subarray(t * lanes * n * D, (t + 1) * lanes * n * D) }
          : {}),
      }
      act(view, out, t)
      this.seat(out.action, agents)
      for (const other of this.others) {
        other.view.look()
        other.policy.act(other.view, other.memory, other.out, rng)
        this.seat(other.out.action, other.view.agents)
      }
      batch.step(this.joint)
      shareReward(this.teamReward, this.teams, batch.reward, this.shared, lanes)
      seatRows(this.shared, rollout.reward, lanes, N, agents, 1, t * lanes * n)
      rollout.terminated.set(batch.terminated, t * lanes)
      rollout.truncated.set(batch.truncated, t * lanes)
      for (let lane = 0; lane < lanes; lane++) {
        if (batch.terminated[lane] === 0 && batch.truncated[lane] === 0) continue
        if (batch.terminated[lane] === 0) this.keepCut(rollout, t, lane)
        rollout.episodeReturns.push(teamReturn(this.teamReward, batch.finalReturns.subarray(lane * N, (lane + 1) * N)))
        rollout.episodeLengths.push(batch.finalLength[lane])
      }
    }
    view.look()
    this.remember(rollout, steps)
  }

  private remember(rollout: Rollout, t: number): void {
    const { view, batch } = this
    rollout.observation.set(view.observation, t * view.observation.length)
    rollout.alive.set(view.alive, t * view.alive.length)
    rollout.mask.set(view.mask, t * view.mask.length)
    rollout.state.set(batch.state, t * batch.state.length)
    rollout.start.set(view.episodeStart, t * batch.lanes)
    if (batch.agentState === undefined) return
    const { agentStateSize: width } = batch.spec
    const at = t * batch.lanes * this.agents.length * width
    seatRows(batch.agentState, rollout.agentState, batch.lanes, batch.spec.agents.length, this.agents, width, at)
  }

  /** Writes the actions of some agents into the joint action. */
  private seat(action: Int32Array | Float32Array, agents: Int32Array): void {
    const D = this.batch.spec.actionDims
    const N = this.batch.spec.agents.length
    const n = agents.length
    for (let lane = 0; lane < this.batch.lanes; lane++) {
      for (let k = 0; k < n; k++) {
        for (let d = 0; d < D; d++) this.joint[(lane * N + agents[k]) * D + d] = action[(lane * n + k) * D + d]
      }
    }
  }

  private keepCut(rollout: Rollout, t: number, lane: number): void {
    const { batch, agents } = this
    const { observationSize: F, stateSize: S, agentStateSize: S2, actionSize: A } = batch.spec
    const N = batch.spec.agents.length
    const n = agents.length
    const k = rollout.cuts.push(t * rollout.lanes + lane) - 1
    if ((k + 1) * n > rollout.finalAlive.length) {
      rollout.finalObservation = doubled(rollout.finalObservation)
      rollout.finalState = doubled(rollout.finalState)
      rollout.finalAlive = doubled(rollout.finalAlive)
      rollout.finalAgentState = doubled(rollout.finalAgentState)
      rollout.finalMask = doubled(rollout.finalMask)
    }
    const from = lane * N
    const observation = batch.finalObservation.subarray(from * F, (from + N) * F)
    seatRows(observation, rollout.finalObservation, 1, N, agents, F, k * n * F)
    seatRows(batch.finalAlive.subarray(from, from + N), rollout.finalAlive, 1, N, agents, 1, k * n)
    seatRows(batch.finalMask.subarray(from * A, (from + N) * A), rollout.finalMask, 1, N, agents, A, k * n * A)
    if (batch.finalAgentState !== undefined) {
      const own = batch.finalAgentState.subarray(from * S2, (from + N) * S2)
      seatRows(own, rollout.finalAgentState, 1, N, agents, S2, k * n * S2)
    }
    rollout.finalState.set(batch.finalState.subarray(lane * S, (lane + 1) * S), k * S)
  }
}

function doubled<Rows extends Float32Array | Uint8Array>(rows: Rows): Rows {
  const more = new (rows.constructor as new (length: number) => Rows)(Math.max(rows.length * 2, 1))
  more.set(rows)
  return more
}
