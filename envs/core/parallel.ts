/**
 * One lane of an environment in the shape of PettingZoo's Parallel API (names in camelCase). For people and small scripts:
 * every array handed out is a copy; training uses the batch.
 *
 *   env.reset({ seed: 1 })
 *   while (env.agents.length > 0) env.step(Object.fromEntries(env.agents.map((id) => [id, env.actionSpace(id).sample()])))
 */
import { createBatch, envSpec, type DigestibleBatch } from './batch.ts'
import { TroupeError, nearestName, shown, unknownName } from './errors.ts'
import { explain, type ExplainedFeature } from './explain.ts'
import { ActionSampler, ObservationSpace, type AgentAction } from './parallel-spaces.ts'
import { episodeSeed, seedWords, type EpisodeSeed } from './seeds.ts'
import { canonicalJson } from './schema.ts'
import { type EnvDefinition, type EnvSpec, type Frame } from './types.ts'

export interface AgentInfo {
  /** 1 for each legal choice, [A]; dimensions one after the other for multi-discrete; left out for box. */
  actionMask?: Uint8Array
  /** With the agent's last entry of an episode that ended: its own return, the length in steps, the metrics. */
  episode?: { return: number; length: number; metrics: Record<string, number | null> }
}

export type ByAgent<T> = Record<string, T>

export interface StepResult {
  observations: ByAgent<Float32Array>
  rewards: ByAgent<number>
  /** The agent's episode ended by the rules: it died, or the world ended. */
  terminations: ByAgent<boolean>
  /** The clock ended it. */
  truncations: ByAgent<boolean>
  infos: ByAgent<AgentInfo>
}

export interface ParallelSettings {
  /** Agents driven from outside, by id or world index; default all. The others are driven by the world. */
  readonly control?: 'all' | readonly (string | number)[]
}

export class ParallelEnv {
  readonly metadata: { readonly name: string; readonly version: string; readonly isParallelizable: true }
  /** Every agent that can ever be in the dicts, in order. */
  readonly possibleAgents: readonly string[]
  readonly stateSpace: ObservationSpace
  private readonly definition: EnvDefinition
  private readonly settings: ParallelSettings
  private readonly observationSpaces = new Map<string, ObservationSpace>()
  private readonly actionSpaces = new Map<string, ActionSampler>()
  private options: Record<string, unknown>
  private lane: DigestibleBatch
  private living: string[] = []
  private root: string | number = 0
  private episode = 0
  private exact: EpisodeSeed | null = null

  /**
   * @throws TroupeError for unknown or impossible options and seats
   */
  constructor(definition: EnvDefinition, options: Record<string, unknown> = {}, settings: ParallelSettings = {}) {
    this.definition = definition
    this.options = { ...options }
    this.settings = settings
    this.lane = this.open(this.options)
    const { spec } = this.lane
    this.metadata = { name: spec.env, version: spec.version, isParallelizable: true }
    this.possibleAgents = Object.freeze(spec.agents.map((agent) => agent.id))
    this.stateSpace = new ObservationSpace(spec.world.state)
    for (const agent of spec.agents) {
      this.observationSpaces.set(agent.id, new ObservationSpace(agent.observation))
      this.actionSpaces.set(agent.id, new ActionSampler(agent.id, agent.action))
    }
  }

  private open(options: Record<string, unknown>): DigestibleBatch {
    return createBatch(this.definition, options, { ...this.settings, lanes: 1, autoreset: 'disabled' })
  }

  get spec(): EnvSpec {
    return this.lane.spec
  }

  /** Agents that act in the next step; empty before `reset` and when the episode is over. A copy. */
  get agents(): string[] {
    return [...this.living]
  }

  /** The agent's space; the same object at every call. */
  observationSpace(agent: string): ObservationSpace {
    return this.observationSpaces.get(agent) ?? this.unknown(agent)
  }

  /** The agent's space; the same object at every call. `sample` draws from its own generator: see `seed` there. */
  actionSpace(agent: string): ActionSampler {
    return this.actionSpaces.get(agent) ?? this.unknown(agent)
  }

  private unknown(agent: string): never {
    throw unknownName(`${this.metadata.name}: agent`, String(agent), this.possibleAgents)
  }

  /** Global state with the names of `stateSpace.features`, [S]; a copy. */
  state(): Float32Array {
    return this.lane.state.slice()
  }

  /**
   * Starts an episode. With a seed it is always the same one, whatever was played before; without, it is the next of
   * the stream that the last seed began (seed 0 before any). Action spaces have seeds of their own.
   * @param settings.seed a whole number of 0 or more, or an episode seed (32 hex digits), which is then played itself
   * @param settings.options changes to the environment's options, kept until changed again; they may not change agents
   *   or spaces
   */
  reset(settings: { seed?: number | string | null; options?: Record<string, unknown> | null } = {}): {
    observations: ByAgent<Float32Array>
    infos: ByAgent<AgentInfo>
  } {
    const seed = settings.seed ?? null
    if (seed !== null) this.checkSeed(seed)
    if (settings.options != null) this.change(settings.options)
    if (seed !== null) {
      this.root = seed
      this.exact = typeof seed === 'string' ? seed : null
      this.episode = 0
    }
    const first = this.episode === 0 ? this.exact : null
    this.lane.reset([first ?? episodeSeed(this.root, 'train', 0, this.episode)])
    this.episode++
    this.living = this.possibleAgents.filter((_, n) => this.lane.alive[n] === 1)
    const observations: ByAgent<Float32Array> = {}
    const infos: ByAgent<AgentInfo> = {}
    for (const agent of this.living) {
      observations[agent] = this.observationOf(agent)
      infos[agent] = this.infoOf(agent)
    }
    return { observations, infos }
  }

  private checkSeed(seed: number | string): void {
    if (typeof seed === 'string') {
      seedWords(seed)
      return
    }
    if (Number.isSafeInteger(seed) && seed >= 0) return
    throw new TroupeError('bad-option', {
      where: `${this.metadata.name}: seed`,
      got: shown(seed),
      expected: 'a whole number of 0 or more, or 32 hex digits',
    })
  }

  private change(options: Record<string, unknown>): void {
    const merged = { ...this.options, ...options }
    const spec = envSpec(this.definition, merged, this.settings.control)
    const shape = ({ agents, world }: EnvSpec) =>
      canonicalJson({ agents, state: world.state, names: world.agents.map((agent) => agent.id) })
    if (shape(spec) !== shape(this.lane.spec)) {
      throw new TroupeError('bad-usage', {
        where: `${this.metadata.name}: reset options`,
        got: `a change of agents or spaces (${Object.keys(options).join(', ')})`,
        expected: 'options that keep them, or a new environment',
      })
    }
    this.lane = this.open(merged)
    this.options = merged
  }

  private indexOf(agent: string): number {
    return this.possibleAgents.indexOf(agent)
  }

  private observationOf(agent: string): Float32Array {
    const { observation, spec } = this.lane
    const from = this.indexOf(agent) * spec.observationSize
    return observation.slice(from, from + this.observationSpace(agent).shape[0])
  }

  private infoOf(agent: string): AgentInfo {
    const { mask, spec } = this.lane
    if (spec.actionKind === 'box') return {}
    const { sizes } = this.actionSpace(agent)
    const actionMask = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0))
    let from = this.indexOf(agent) * spec.actionSize
    let to = 0
    for (let d = 0; d < sizes.length; d++) {
      actionMask.set(mask.subarray(from, from + sizes[d]), to)
      from += spec.actionSizes[d]
      to += sizes[d]
    }
    return { actionMask }
  }

  /**
   * One step of every living agent. Agents that die or whose episode ends are in the dicts of this step for the last
   * time and leave `agents`; they never come back within the episode.
   * @param actions exactly one entry per agent of `agents`
   * @throws TroupeError bad-action naming the agent and its legal actions; nothing has changed then
   */
  step(actions: Readonly<ByAgent<AgentAction>>): StepResult {
    const { lane } = this
    const { spec } = lane
    if (this.living.length === 0) {
      const got = this.episode === 0 ? 'called before reset' : 'called after the episode ended'
      throw new TroupeError('bad-usage', { where: `${spec.env}: step`, got, expected: 'reset() first' })
    }
    this.checkNames(actions)
    const D = spec.actionDims
    const joint =
      spec.actionKind === 'box' ? new Float32Array(spec.agents.length * D) : new Int32Array(spec.agents.length * D)
    this.possibleAgents.forEach((agent, n) => {
      const space = this.actionSpace(agent)
      const mask = this.infoOf(agent).actionMask
      const action = this.living.includes(agent)
        ? space.check(actions[agent], mask, `${spec.env}: step ${lane.stepCount[0]}: action of ${agent}`)
        : space.idle(mask)
      joint.set(action, n * D)
    })
    lane.step(joint)
    return this.result()
  }

  private checkNames(actions: Readonly<ByAgent<AgentAction>>): void {
    const where = `${this.metadata.name}: step ${this.lane.stepCount[0]}`
    if (actions === null || typeof actions !== 'object' || Array.isArray(actions) || ArrayBuffer.isView(actions)) {
      const expected = `an object with an action for each of ${this.living.join(', ')}`
      throw new TroupeError('bad-action', { where: `${where}: actions`, got: shown(actions), expected })
    }
    for (const name of Object.keys(actions)) {
      if (this.living.includes(name)) continue
      const nearest = nearestName(name, this.living)
      throw new TroupeError('bad-action', {
        where: `${where}: action of ${shown(name)}`,
        got: this.indexOf(name) < 0 ? 'for an agent that is not here' : 'for an agent that has left the episode',
        expected: `actions of ${this.living.join(', ')}`,
        ...(nearest === undefined ? {} : { nearest }),
      })
    }
    for (const agent of this.living) {
      if (Object.hasOwn(actions, agent)) continue
      const expected = this.actionSpace(agent).legal(this.infoOf(agent).actionMask)
      throw new TroupeError('bad-action', { where: `${where}: action of ${agent}`, got: 'missing', expected })
    }
  }

  private result(): StepResult {
    const { lane } = this
    const out: StepResult = { observations: {}, rewards: {}, terminations: {}, truncations: {}, infos: {} }
    const over = lane.terminated[0] === 1 || lane.truncated[0] === 1
    const stay: string[] = []
    for (const agent of this.living) {
      const n = this.indexOf(agent)
      const dead = lane.alive[n] === 0
      out.observations[agent] = this.observationOf(agent)
      out.rewards[agent] = lane.reward[n]
      out.terminations[agent] = dead || lane.terminated[0] === 1
      out.truncations[agent] = !dead && lane.truncated[0] === 1
      out.infos[agent] = this.infoOf(agent)
      if (over) {
        out.infos[agent].episode = { return: lane.returns[n], length: lane.stepCount[0], metrics: lane.metrics(0) }
      }
      if (!dead && !over) stay.push(agent)
    }
    this.living = over ? [] : stay
    return out
  }

  /** Every feature of what the agent sees now, by name. */
  explain(agent: string): ExplainedFeature[] {
    return explain(this.lane, 0, agent)
  }

  /** The picture of the current state. */
  frame(): Frame {
    return this.lane.frame(0)
  }

  /** 128-bit digest of the current state, 32 hex digits. */
  hash(): string {
    return this.lane.hash(0)
  }

  /** Nothing to free; here for code that expects it. */
  close(): void {
    this.living = []
  }
}
