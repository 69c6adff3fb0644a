/**
 * The contracts between environments and everything else.
 *
 * Sizes in shape notes: B lanes (parallel episodes), N controlled agents, M agents in the world (N ≤ M),
 * F observation features, S state features, A mask width, D action dimensions.
 */
import { type TObject, type Static } from '#typebox'
import { type EpisodeSeed } from './seeds.ts'

export type TypedArray =
  Float32Array | Float64Array | Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array

/** One number of an observation or state: its name and the range it never leaves. */
export interface Feature {
  readonly name: string
  readonly low: number
  readonly high: number
  /** What the number means, with its unit where it has one. */
  readonly meaning?: string
}

export type ActionSpace =
  /** One choice among `names.length`. */
  | { readonly kind: 'discrete'; readonly names: readonly string[] }
  /** One choice per dimension. */
  | {
      readonly kind: 'multi-discrete'
      readonly dimensions: readonly { readonly name: string; readonly values: readonly string[] }[]
    }
  /** Real numbers. */
  | {
      readonly kind: 'box'
      readonly dimensions: readonly { readonly name: string; readonly low: number; readonly high: number }[]
    }

export interface AgentSpec {
  /** `agent_0`, `marine_3` … unique in the world. */
  readonly id: string
  /** Agents of one team share a goal; a cooperative world has one team. */
  readonly team: string
  /** Body or role: 'robot', 'player' … agents of one kind are interchangeable. */
  readonly kind: string
  /** The agent's own features, at most F; narrower agents are padded with zeros at the end. */
  readonly observation: readonly Feature[]
  readonly action: ActionSpace
}

/** What the author of an environment says about one choice of options. */
export interface WorldSpec {
  /** All M agents of the world, in world order. Ids are unique; action kinds are the same. */
  readonly agents: readonly AgentSpec[]
  /** Named global state for central critics; empty when the world has none. */
  readonly state: readonly Feature[]
  /** Agent-specific global state, where the world has one. */
  readonly agentState?: readonly Feature[]
  /** Names of the per-episode metrics, camelCase, in the order `Rules.metrics` writes them. */
  readonly metrics: readonly string[]
  /** Names of the generator streams; a world without chance has none. */
  readonly streams: readonly string[]
  /** Size of the world in world units, for the stage that draws it. */
  readonly size?: { readonly width: number; readonly height: number }
  /** Static facts a scene needs (walls, goals, payoff tables); plain JSON. */
  readonly scene?: Readonly<Record<string, unknown>>
}

/** A WorldSpec seen from the controlled seats, with all derived sizes. */
export interface EnvSpec {
  readonly env: string
  readonly version: string
  readonly options: Readonly<Record<string, unknown>>
  /** The N controlled agents, in batch order. */
  readonly agents: readonly AgentSpec[]
  /** World index of each controlled agent, [N]. */
  readonly seats: readonly number[]
  /** The whole world, controlled or not. */
  readonly world: WorldSpec
  /** F, padded to the widest agent of the batch. */
  readonly observationSize: number
  /** S; 0 when there is no global state. */
  readonly stateSize: number
  /** Width of the agent-specific state; 0 when there is none. */
  readonly agentStateSize: number
  readonly actionKind: ActionSpace['kind']
  /** A: mask width, padded; sum over dimensions for multi-discrete; 0 for box. */
  readonly actionSize: number
  /** D: numbers per action; 1 for discrete. For box the widest agent's: narrower agents fill their row with zeros. */
  readonly actionDims: number
  /** Sizes of the action dimensions, padded over agents ([D]; empty for box). */
  readonly actionSizes: readonly number[]
  /** Steps after which an episode is cut; null = never. */
  readonly horizon: number | null
  /** How the cut is reported; 'termination' only for compatibility with packages that do so. */
  readonly horizonEnds: 'truncation' | 'termination'
  /** Names of per-episode metrics, `episodeLength` last. */
  readonly metrics: readonly string[]
}

export type Autoreset = 'same-step' | 'next-step' | 'disabled'

/** JSON-able copy of one lane: load it and the same future follows, in this process or another. */
export interface Snapshot {
  readonly format: 1
  readonly env: string
  readonly version: string
  readonly generator: string
  readonly seed: EpisodeSeed | null
  readonly episode: number
  readonly step: number
  readonly terminated: boolean
  readonly truncated: boolean
  /** Episode returns so far of the M world agents, base64 of little-endian float64. */
  readonly returns: string
  /** Every state array's row, base64 of little-endian bytes. */
  readonly arrays: Readonly<Record<string, string>>
}

/** A thing to draw. Coordinates are world units; cell (0, 0) has its centre at (0, 0) and y grows downwards. */
export interface Entity {
  /** Stable over the episode, so that movement can be inferred by comparing frames. */
  readonly id: string
  readonly kind: string
  readonly x: number
  readonly y: number
  /** Radians clockwise from up. */
  readonly heading?: number
  readonly team?: string
  /** Anything a scene may show: `{ carrying: 'shelf_3', number: 1 }`. */
  readonly state?: Readonly<Record<string, string | number | boolean | null>>
}

/** Something that happened in the step that led to this frame. */
export interface FrameEvent {
  readonly kind: string
  readonly at?: { readonly x: number; readonly y: number }
  readonly agents?: readonly string[]
  readonly value?: number
}

export interface Frame {
  readonly step: number
  readonly entities: readonly Entity[]
  readonly layers?: readonly {
    readonly name: string
    readonly width: number
    readonly height: number
    readonly cells: readonly number[]
  }[]
  readonly links?: readonly { readonly from: string; readonly to: string; readonly kind: string }[]
  readonly texts?: readonly { readonly x: number; readonly y: number; readonly text: string }[]
  readonly events: readonly FrameEvent[]
  /** Running totals by name: deliveries, wins … */
  readonly counters: Readonly<Record<string, number>>
}

/**
 * What a batch hands to the rules of a world: the arrays they read and write. All are lane-major and allocated once.
 * Observation-like arrays have one row per *controlled* agent (seat); the rest one row per agent of the world.
 */
export interface Port {
  readonly lanes: number // B
  readonly agents: number // M
  readonly seats: Int32Array // [N] world index of each controlled agent
  readonly observation: Float32Array // [B, N, F]
  readonly observationSize: number // F
  readonly state: Float32Array // [B, S]
  readonly stateSize: number // S
  readonly agentState: Float32Array // [B, N, S2]
  readonly agentStateSize: number // S2
  readonly mask: Uint8Array // [B, M, A]; all ones until the rules write it
  readonly actionSize: number // A
  readonly alive: Uint8Array // [B, M]; all ones until the rules write it
  readonly reward: Float32Array // [B, M]
  readonly terminated: Uint8Array // [B]
  readonly action: Int32Array | Float32Array // [B, M, D], checked
  readonly actionDims: number // D
  /** [B] steps completed in the episode; during `Rules.step` it still counts the steps before this one. */
  readonly step: Int32Array
  /** [B, streams, 4] generator words; stream s of lane b starts at (b * streams + s) * 4. */
  readonly random: Uint32Array
  /** Number of streams, the core's own 'controllers' stream included (it is the last). */
  readonly streams: number
}

/**
 * The rules of a world over B lanes. `lanes` lists the lane numbers to work on, `count` of them.
 * Every function writes every element it owns for each listed lane, and touches no other lane.
 */
export interface Rules {
  /**
   * Everything that decides the future besides the generators: lane-major arrays whose length divides by B.
   * Copying these rows saves the game; their bytes are the state digest. Derived look-ups stay out (see `restored`).
   */
  readonly arrays: Readonly<Record<string, TypedArray>>
  /** Typed, read-only view of the state for privileged policies and scripted controllers. */
  readonly world: unknown
  /** Starts an episode; the generators are seeded already. */
  reset(lanes: Int32Array, count: number): void
  /** One step by `port.action`; writes `port.reward` and `port.terminated`. */
  step(lanes: Int32Array, count: number): void
  /** Writes `port.mask` and `port.alive`. Leave it out when every action is always legal and nobody dies. */
  legal?(lanes: Int32Array, count: number): void
  /** Writes `port.observation`, `port.state` and `port.agentState`. */
  observe(lanes: Int32Array, count: number): void
  /** Rebuilds what is derived from `arrays` after a snapshot was loaded into a lane. */
  restored?(lane: number): void
  /** Writes the episode's metrics so far in the order of `WorldSpec.metrics`; NaN where undefined. */
  metrics(lane: number, out: Float64Array): void
  frame(lane: number): Frame
  /** Reward of the last step by term, [M] each, summing to the reward; for the inspector. */
  rewardTerms?(lane: number): Record<string, Float32Array>
  /**
   * Drives the agents that nobody controls: writes their rows of `port.action`. Draws only from the last stream.
   * Without it they choose uniformly among their legal actions.
   */
  control?(lanes: Int32Array, count: number, agents: Int32Array): void
}

/** An environment: the same shape for built-ins and for other people's plug-ins. */
export interface EnvDefinition<Schema extends TObject = TObject> {
  readonly id: string
  /** Raised whenever rules, rewards or observations change; old replays keep the old one. */
  readonly version: string
  /** One line: what the world is. */
  readonly summary: string
  /** Flat record of options with defaults. `horizon` and `horizonEnds` are added by the core. */
  readonly options: Schema
  /** Default horizon in steps; null = none. */
  readonly horizon: number | null
  /** Default horizon where it follows from the other options (each map has its own limit); overrides `horizon`. */
  horizonOf?(options: Static<Schema>): number | null
  /** Everything that follows from the options; throws a TroupeError for combinations that cannot be. */
  spec(options: Static<Schema>): WorldSpec
  create(options: Static<Schema>, port: Port): Rules
}

/** B parallel episodes of one environment. Arrays are owned by the batch and overwritten by `step` and `reset`. */
export interface EnvBatch {
  readonly spec: EnvSpec
  readonly lanes: number
  readonly firstLane: number
  readonly autoreset: Autoreset
  readonly observation: Float32Array // [B, N, F]
  readonly state: Float32Array // [B, S]
  readonly agentState?: Float32Array // [B, N, S2]
  readonly mask: Uint8Array // [B, N, A]
  readonly alive: Uint8Array // [B, N]
  /** [B] 1 where the observation is the first of an episode. */
  readonly episodeStart: Uint8Array
  readonly reward: Float32Array // [B, N]
  readonly terminated: Uint8Array // [B]
  readonly truncated: Uint8Array // [B]
  /** What the ended episode showed last; written for a lane when its episode ends, in every autoreset mode. */
  readonly finalObservation: Float32Array // [B, N, F]
  readonly finalState: Float32Array // [B, S]
  readonly finalAgentState?: Float32Array // [B, N, S2]
  readonly finalMask: Uint8Array // [B, N, A]
  readonly finalAlive: Uint8Array // [B, N]
  /** [B] steps completed in the running episode. */
  readonly stepCount: Int32Array
  /** [B, N] sums of rewards in the running episode. */
  readonly returns: Float64Array
  /** [B, N] sums of rewards of the episode that ended last in the lane. */
  readonly finalReturns: Float64Array
  /** [B] length of the episode that ended last in the lane. */
  readonly finalLength: Int32Array
  /** Typed rule state, read-only, for privileged policies. */
  readonly world: unknown
  /**
   * Starts new episodes in all lanes, or in those whose byte in `lanes` [B] is 1.
   * @param seeds one per lane of the batch (entries of lanes that are not reset are ignored);
   *   left out: the next episode of each lane from the batch's `seeds` setting
   */
  reset(seeds?: readonly (EpisodeSeed | null | undefined)[], lanes?: Uint8Array): void
  /**
   * One step in every lane. The whole batch is checked before anything changes.
   * @param action discrete Int32 [B, N]; multi-discrete Int32 [B, N, D]; box Float32 [B, N, D], zero beyond an agent's
   *   own numbers
   */
  step(action: Int32Array | Float32Array): void
  save(lane: number): Snapshot
  load(lane: number, snapshot: Snapshot): void
  /** 128-bit digest of the lane's current state, 32 hex digits. */
  hash(lane: number): string
  /** Seed of the lane's running episode; null when the world draws nothing and none was given. */
  seedOf(lane: number): EpisodeSeed | null
  frame(lane: number): Frame
  /** Per-episode metrics so far, null where undefined. */
  metrics(lane: number): Record<string, number | null>
  /** Metrics of the episode that ended last in the lane. */
  finalMetrics(lane: number): Record<string, number | null>
  rewardTerms?(lane: number): Record<string, Float32Array>
}

export interface BatchSettings {
  /** B, 1 to 1,048,576; default 1. */
  readonly lanes?: number
  /** Global number of lane 0, for shards; default 0. */
  readonly firstLane?: number
  /** Agents driven from outside, by id or world index; default all. The others are driven by the world. */
  readonly control?: 'all' | readonly (string | number)[]
  /** Default 'same-step'. */
  readonly autoreset?: Autoreset
  /** Seed of the episode-th episode of a global lane; default: derived from root '0', purpose train. */
  readonly seeds?: (lane: number, episode: number) => EpisodeSeed
  /** false skips observations and states (verification, search); default true. */
  readonly observe?: boolean
}
