/** What picks actions. A decentralised policy sees an AgentView and nothing else. */
import { type EnvBatch, type EnvSpec, type Generator } from '../../envs/core/index.ts'

/** What the agents that a policy plays may see: compact copies, B lanes, n agents of the batch's N. */
export interface AgentView {
  readonly spec: EnvSpec
  readonly lanes: number // B
  /** [n] index of each played agent among the batch's controlled agents. */
  readonly agents: Int32Array
  readonly observation: Float32Array // [B, n, F]
  readonly mask: Uint8Array // [B, n, A]
  readonly alive: Uint8Array // [B, n]
  /** [B] 1 where the observation is the first of an episode: recurrent policies forget before they look. */
  readonly episodeStart: Uint8Array
}

/** Where a policy writes its choice, and what it can say about it for the replay. */
export interface ActionBatch {
  readonly action: Int32Array | Float32Array // [B, n, D]
  readonly probability?: Float32Array // [B, n, A] of every choice; zero where masked
  readonly logProbability?: Float32Array // [B, n] of the choice taken
  readonly drawn?: Float32Array // [B, n, D] real-valued actions in half-ranges, before they were cut to their bounds
  readonly value?: Float32Array // [B, n] the critic's estimate, where the policy has one
}

/** Whatever a policy carries from step to step (recurrent state); opaque to everybody else. */
export type PolicyMemory = unknown

export interface Policy {
  readonly name: string
  readonly privileged?: false
  /** Fresh memory for `lanes` parallel episodes of `agents` agents. */
  memory(lanes: number, agents: number): PolicyMemory
  /** Writes one action for every agent of the view; draws chance only from `rng`. */
  act(view: AgentView, memory: PolicyMemory, out: ActionBatch, rng: Generator): void
  /**
   * The same with one generator per lane, so that what a lane draws does not depend on its neighbours. Policies without it
   * are asked lane by lane where that matters (evaluation).
   */
  actLanes?(view: AgentView, memory: PolicyMemory, out: ActionBatch, rngs: readonly Generator[]): void
  /**
   * What it says about its last choice in a lane, for the notes of a replay: lines such as `agent_3 memory 1.25`,
   * `agent_3 attends agent_1 0.7` or `agent_3 plan 4,5 4,6`, which the viewer draws. Undefined: nothing.
   */
  says?(memory: PolicyMemory, lane: number): string | undefined
  /** Frees what it holds outside the garbage collector's sight (tensors); it may not act afterwards. */
  dispose?(): void
}

/** A policy that sees the whole world (planners, genies, greedy with a global view): marked, refused in live sessions. */
export interface PrivilegedPolicy {
  readonly name: string
  readonly privileged: true
  memory(lanes: number, agents: number): PolicyMemory
  /** @param agents [n] which of the batch's controlled agents it plays; `out` has n rows per lane */
  act(batch: EnvBatch, agents: Int32Array, memory: PolicyMemory, out: ActionBatch, rng: Generator): void
}

export type AnyPolicy = Policy | PrivilegedPolicy

/** A row of the POLICIES table, and the default export of a policy plug-in. */
export interface PolicyDefinition {
  readonly name: string
  readonly kind: 'scripted' | 'planner'
  /** One line for `troupe algorithms`. */
  readonly summary: string
  /** Paper or source, where it has one. */
  readonly paper?: string
  /** Environments it can play; left out = any. */
  readonly envs?: readonly string[]
  readonly privileged: boolean
  create(spec: EnvSpec): AnyPolicy
}
