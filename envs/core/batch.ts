/**
 * The shared machinery around the rules of a world: option checks, seats, seeds, horizon, autoreset, action checks,
 * returns, final observations, snapshots and state digests. Authors write `Rules`; this file does the rest once.
 */
import { Type, type TObject } from '#typebox'
import { base64 } from '@scure/base'
import { TroupeError, shown, unknownName } from './errors.ts'
import { GENERATOR, GENERATOR_WORDS, nextBelow, nextFloat, seedStream } from './random.ts'
import { defaultSeedWords, episodeSeed, seedWords, type EpisodeSeed } from './seeds.ts'
import { Digest, gatherRow, rowView, wordsToHex, type RowView } from './digest.ts'
import { check, withDefaults } from './schema.ts'
import { actionChoices, actionDims, actionSizes, paddedSizes } from './spaces.ts'
import {
  type AgentSpec,
  type Autoreset,
  type BatchSettings,
  type EnvBatch,
  type EnvDefinition,
  type EnvSpec,
  type Frame,
  type Port,
  type Rules,
  type Snapshot,
  type TypedArray,
  type WorldSpec,
} from './types.ts'

const MAX_LANES = 1 << 20

/** Schemas made so far: making one takes longer than checking with it. */
const optionSchemas = new WeakMap<TObject, { readonly horizon: number | null; readonly schema: TObject }>()

/** Options every environment has, added to its own. */
export function fullOptions(definition: EnvDefinition): TObject {
  const known = optionSchemas.get(definition.options)
  if (known !== undefined && known.horizon === definition.horizon) return known.schema
  const schema = makeOptions(definition)
  optionSchemas.set(definition.options, { horizon: definition.horizon, schema })
  return schema
}

function makeOptions(definition: EnvDefinition): TObject {
  return Type.Object(
    {
      ...definition.options.properties,
      horizon: Type.Union([Type.Integer({ minimum: 1, maximum: 10_000_000 }), Type.Null()], {
        default: definition.horizon,
        description: 'Steps after which an episode is cut; null = never.',
      }),
      horizonEnds: Type.Union([Type.Literal('truncation'), Type.Literal('termination')], {
        default: 'truncation',
        description: 'How the cut is reported. termination: as packages do that know no truncation (no bootstrap).',
      }),
    },
    { additionalProperties: false },
  )
}

/** The world index of every controlled agent, in batch order. */
function seatsOf(world: WorldSpec, control: BatchSettings['control'], where: string): number[] {
  const ids = world.agents.map((agent) => agent.id)
  if (control === undefined || control === 'all') return ids.map((_, index) => index)
  if (!Array.isArray(control)) {
    throw new TroupeError('bad-option', {
      where: `${where}: control`,
      got: shown(control),
      expected: `'all' or a list of agents`,
    })
  }
  const seats = control.map((wanted) => {
    const index = typeof wanted === 'number' ? wanted : ids.indexOf(wanted)
    if (typeof wanted === 'string' && index < 0) throw unknownName(`${where}: controlled agent`, wanted, ids)
    if (!Number.isInteger(index) || index < 0 || index >= ids.length) {
      throw new TroupeError('bad-option', {
        where: `${where}: controlled agent`,
        got: shown(wanted),
        expected: `an index of 0 to ${ids.length - 1}, or one of ${ids.slice(0, 24).join(', ')}`,
      })
    }
    return index
  })
  if (new Set(seats).size !== seats.length || seats.length === 0) {
    throw new TroupeError('bad-option', {
      where: `${where}: control`,
      got: shown(control as unknown[]),
      expected: 'at least one agent, each at most once',
    })
  }
  return seats
}

/** What the core relies on in a spec; the contract checks the rest. */
function checkWorld(world: WorldSpec, where: string): void {
  if (world.agents.length === 0) {
    throw new TroupeError('bad-option', {
      where: `${where}: agents`,
      got: 'an empty list',
      expected: 'at least one agent',
    })
  }
  const ids = world.agents.map((agent) => agent.id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) {
    throw new TroupeError('bad-option', {
      where: `${where}: agents`,
      got: `a list with ${shown(twice)} twice`,
      expected: 'unique ids',
    })
  }
}

/** Checked options with defaults filled in. */
export function openOptions(definition: EnvDefinition, options: unknown): Record<string, unknown> {
  const filled = withDefaults(fullOptions(definition), options ?? {}, `${definition.id} options`)
  if (definition.horizonOf !== undefined && (options as Record<string, unknown> | null)?.horizon === undefined) {
    filled.horizon = definition.horizonOf(filled)
  }
  return filled as Record<string, unknown>
}

/**
 * The spec of an environment for one choice of options and seats, without allocating a batch.
 * @throws TroupeError bad-option or unknown-name
 */
export function envSpec(definition: EnvDefinition, options: unknown = {}, control?: BatchSettings['control']): EnvSpec {
  const filled = openOptions(definition, options)
  const world = definition.spec(filled)
  checkWorld(world, definition.id)
  const seats = seatsOf(world, control, definition.id)
  const agents: AgentSpec[] = seats.map((seat) => world.agents[seat])
  const sizes = paddedSizes(world.agents, definition.id)
  return {
    env: definition.id,
    version: definition.version,
    options: filled,
    agents,
    seats,
    world,
    observationSize: Math.max(...agents.map((agent) => agent.observation.length)),
    stateSize: world.state.length,
    agentStateSize: world.agentState?.length ?? 0,
    actionKind: agents[0].action.kind,
    actionSize: sizes.reduce((sum, size) => sum + size, 0),
    actionDims: Math.max(...world.agents.map((agent) => actionDims(agent.action))),
    actionSizes: sizes,
    horizon: filled.horizon as number | null,
    horizonEnds: filled.horizonEnds as 'truncation' | 'termination',
    metrics: [...world.metrics, 'episodeLength'],
  }
}

/** Base64 of the little-endian bytes of part of an array. */
function packRow(array: TypedArray, from: number, to: number): string {
  const part = array.subarray(from, to)
  return base64.encode(new Uint8Array(part.buffer, part.byteOffset, part.byteLength))
}

function unpackRow(text: unknown, array: TypedArray, from: number, to: number, where: string): void {
  const part = array.subarray(from, to)
  const target = new Uint8Array(part.buffer, part.byteOffset, part.byteLength)
  let bytes: Uint8Array
  try {
    bytes = base64.decode(typeof text === 'string' ? text : '')
  } catch {
    throw new TroupeError('bad-file', { where, got: 'not base64', expected: `base64 of ${target.length} bytes` })
  }
  if (bytes.length !== target.length) {
    throw new TroupeError('bad-file', { where, got: `${bytes.length} bytes`, expected: `${target.length} bytes` })
  }
  target.set(bytes)
}

/** Swaps stretches of arrays with their copies. */
function exchange(rows: readonly [array: TypedArray, from: number, copy: TypedArray][]): void {
  for (const [array, from, copy] of rows) {
    const kept = array.slice(from, from + copy.length)
    ;(array as Float64Array).set(copy as Float64Array, from)
    ;(copy as Float64Array).set(kept as Float64Array)
  }
}

const defaultSeed = (lane: number, episode: number) => episodeSeed('0', 'train', lane, episode)

class Batch implements EnvBatch {
  readonly spec: EnvSpec
  readonly lanes: number
  readonly firstLane: number
  readonly autoreset: Autoreset
  readonly observation: Float32Array
  readonly state: Float32Array
  readonly agentState?: Float32Array
  readonly mask: Uint8Array
  readonly alive: Uint8Array
  readonly episodeStart: Uint8Array
  readonly reward: Float32Array
  readonly terminated: Uint8Array
  readonly truncated: Uint8Array
  readonly finalObservation: Float32Array
  readonly finalState: Float32Array
  readonly finalAgentState?: Float32Array
  readonly finalMask: Uint8Array
  readonly finalAlive: Uint8Array
  readonly stepCount: Int32Array
  readonly returns: Float64Array
  readonly finalReturns: Float64Array
  readonly finalLength: Int32Array
  readonly rewardTerms?: (lane: number) => Record<string, Float32Array>

  private readonly rules: Rules
  private readonly port: Port
  private readonly observing: boolean
  private readonly seeds?: (lane: number, episode: number) => EpisodeSeed
  private readonly random: Uint32Array
  private readonly streams: number
  /** World streams draw chance; a world with none and no driven agents needs no seed. */
  private readonly needsSeed: boolean
  private readonly undriven: Int32Array // world agents that nobody controls
  private readonly worldMask: Uint8Array
  private readonly worldAlive: Uint8Array
  private readonly worldReward: Float32Array
  private readonly worldReturns: Float64Array
  private readonly finalMetricValues: Float64Array // [B, metrics]
  private readonly episode: Int32Array // [B] number of the running episode, -1 before the first
  private readonly given: (EpisodeSeed | null)[] // [B] seeds handed to reset, else null
  private readonly running: Int32Array // scratch: lanes to step
  private readonly starting: Int32Array // scratch: lanes to reset
  private readonly ended: Uint8Array // [B] waiting for a reset (next-step, disabled)
  private readonly seed = new Uint32Array(4)
  private readonly digest = new Digest()
  private readonly digestOut = new Uint32Array(4)
  private readonly views: RowView[]
  private readonly gathered: Uint32Array // scratch: step, flags and all rows of one lane as words, zeros up to a whole block
  private started = false

  constructor(definition: EnvDefinition, options: unknown, settings: BatchSettings) {
    const where = definition.id
    const lanes = settings.lanes ?? 1
    const firstLane = settings.firstLane ?? 0
    if (!Number.isInteger(lanes) || lanes < 1 || lanes > MAX_LANES) {
      throw new TroupeError('bad-option', {
        where: `${where}: lanes`,
        got: shown(lanes),
        expected: `a whole number of 1 to ${MAX_LANES}`,
      })
    }
    if (!Number.isInteger(firstLane) || firstLane < 0) {
      throw new TroupeError('bad-option', {
        where: `${where}: firstLane`,
        got: shown(firstLane),
        expected: 'a whole number of 0 or more',
      })
    }
    const autoreset = settings.autoreset ?? 'same-step'
    if (!['same-step', 'next-step', 'disabled'].includes(autoreset)) {
      throw unknownName(`${where}: autoreset`, String(autoreset), ['same-step', 'next-step', 'disabled'])
    }
    const spec = envSpec(definition, options, settings.control)
    const B = lanes
    const N = spec.agents.length
    const M = spec.world.agents.length
    const A = spec.actionSize
    this.spec = spec
    this.lanes = lanes
    this.firstLane = firstLane
    this.autoreset = autoreset
    this.observing = settings.observe ?? true
    if (settings.seeds !== undefined) this.seeds = settings.seeds
    const whole = N === M && spec.seats.every((seat, index) => seat === index)
    const driven = spec.world.agents.map((_, index) => index).filter((index) => !spec.seats.includes(index))
    this.undriven = Int32Array.from(driven)
    this.needsSeed = spec.world.streams.length > 0 || driven.length > 0
    this.streams = spec.world.streams.length + 1
    this.random = new Uint32Array(B * this.streams * GENERATOR_WORDS)

    this.observation = new Float32Array(B * N * spec.observationSize)
    this.state = new Float32Array(B * spec.stateSize)
    this.worldMask = new Uint8Array(B * M * A).fill(1)
    this.worldAlive = new Uint8Array(B * M).fill(1)
    this.worldReward = new Float32Array(B * M)
    this.worldReturns = new Float64Array(B * M)
    this.mask = whole ? this.worldMask : new Uint8Array(B * N * A).fill(1)
    this.alive = whole ? this.worldAlive : new Uint8Array(B * N).fill(1)
    this.reward = whole ? this.worldReward : new Float32Array(B * N)
    this.returns = whole ? this.worldReturns : new Float64Array(B * N)
    this.episodeStart = new Uint8Array(B)
    this.terminated = new Uint8Array(B)
    this.truncated = new Uint8Array(B)
    this.stepCount = new Int32Array(B)
    this.finalObservation = new Float32Array(this.observation.length)
    this.finalState = new Float32Array(this.state.length)
    this.finalMask = new Uint8Array(B * N * A)
    this.finalAlive = new Uint8Array(B * N)
    this.finalReturns = new Float64Array(B * N)
    this.finalLength = new Int32Array(B)
    const agentState = new Float32Array(B * N * spec.agentStateSize)
    if (spec.agentStateSize > 0) {
      this.agentState = agentState
      this.finalAgentState = new Float32Array(agentState.length)
    }
    this.finalMetricValues = new Float64Array(B * spec.world.metrics.length)
    this.metricValues = new Float64Array(spec.world.metrics.length)
    this.episode = new Int32Array(B).fill(-1)
    this.given = new Array<EpisodeSeed | null>(B).fill(null)
    this.running = new Int32Array(B)
    this.starting = new Int32Array(B)
    this.ended = new Uint8Array(B)

    const words = B * M * spec.actionDims
    this.port = {
      lanes: B,
      agents: M,
      seats: Int32Array.from(spec.seats),
      observation: this.observation,
      observationSize: spec.observationSize,
      state: this.state,
      stateSize: spec.stateSize,
      agentState,
      agentStateSize: spec.agentStateSize,
      mask: this.worldMask,
      actionSize: A,
      alive: this.worldAlive,
      reward: this.worldReward,
      terminated: this.terminated,
      action: spec.actionKind === 'box' ? new Float32Array(words) : new Int32Array(words),
      actionDims: spec.actionDims,
      step: this.stepCount,
      random: this.random,
      streams: this.streams,
    }
    this.rules = definition.create(spec.options, this.port)
    const { rules } = this
    if (rules.rewardTerms !== undefined) this.rewardTerms = (lane) => rules.rewardTerms!(this.checkLane(lane))
    this.views = Object.entries(rules.arrays).map(([name, array]) => {
      if (array.length % B !== 0) {
        throw new TroupeError('bad-option', {
          where: `${where}: state array ${name}`,
          got: `${array.length} elements`,
          expected: `a multiple of ${B} lanes`,
        })
      }
      return rowView(name, array, B)
    })
    if (this.needsSeed) this.views.push(rowView('random', this.random, B))
    const rowWords = this.views.reduce((sum, view) => sum + view.rowWords, 2)
    this.gathered = new Uint32Array(Math.ceil(rowWords / 4) * 4)
  }

  private readonly metricValues: Float64Array

  get world(): unknown {
    return this.rules.world
  }

  private checkLane(lane: number): number {
    if (!Number.isInteger(lane) || lane < 0 || lane >= this.lanes) {
      throw new TroupeError('bad-usage', {
        where: `${this.spec.env}: lane`,
        got: shown(lane),
        expected: `a whole number of 0 to ${this.lanes - 1}`,
      })
    }
    return lane
  }

  reset(seeds?: readonly (EpisodeSeed | null | undefined)[], lanes?: Uint8Array): void {
    if (lanes !== undefined && lanes.length !== this.lanes) {
      throw new TroupeError('bad-usage', {
        where: `${this.spec.env}: reset lanes`,
        got: `${lanes.length} bytes`,
        expected: `${this.lanes}, one per lane`,
      })
    }
    if (seeds !== undefined && seeds.length !== this.lanes) {
      throw new TroupeError('bad-usage', {
        where: `${this.spec.env}: reset seeds`,
        got: `${seeds.length} seeds`,
        expected: `${this.lanes}, one per lane`,
      })
    }
    if (!this.started && lanes !== undefined && lanes.some((byte) => byte === 0)) {
      throw new TroupeError('bad-usage', {
        where: `${this.spec.env}: first reset`,
        got: 'part of the lanes',
        expected: 'all lanes',
      })
    }
    let count = 0
    for (let lane = 0; lane < this.lanes; lane++) {
      if (lanes !== undefined && lanes[lane] === 0) continue
      const seed = seeds?.[lane]
      if (seeds !== undefined && seed != null) seedWords(seed, this.seed) // throws before anything changes
      this.starting[count++] = lane
    }
    const M = this.port.agents
    for (let k = 0; k < count; k++) {
      const lane = this.starting[k]
      this.given[lane] = seeds?.[lane] ?? null
      // Nothing of the episode before may be seen: not its flags, not its last rewards.
      this.terminated[lane] = 0
      this.truncated[lane] = 0
      for (let i = lane * M; i < (lane + 1) * M; i++) this.worldReward[i] = 0
    }
    this.started = true
    this.begin(count)
  }

  /** Starts the next episode in the first `count` lanes of `starting`, whose `given` seeds are set. */
  private begin(count: number): void {
    const { starting, stepCount, worldReturns, streams, random } = this
    const M = this.port.agents
    for (let k = 0; k < count; k++) {
      const lane = starting[k]
      this.episode[lane]++
      if (this.needsSeed) {
        const given = this.given[lane] ?? this.seeds?.(this.firstLane + lane, this.episode[lane])
        if (given === undefined) defaultSeedWords(this.firstLane + lane, this.episode[lane], this.seed)
        else seedWords(given, this.seed)
        for (let stream = 0; stream < streams; stream++) {
          seedStream(random, (lane * streams + stream) * GENERATOR_WORDS, this.seed, stream)
        }
      }
      stepCount[lane] = 0
      for (let i = lane * M; i < (lane + 1) * M; i++) worldReturns[i] = 0
      if (this.returns !== worldReturns) this.seatRow(lane)
      this.ended[lane] = 0
      this.episodeStart[lane] = 1
    }
    this.rules.reset(starting, count)
    this.refresh(starting, count)
  }

  /** Writes masks, aliveness and observations of the listed lanes. */
  private refresh(lanes: Int32Array, count: number): void {
    this.rules.legal?.(lanes, count)
    if (this.mask !== this.worldMask) for (let k = 0; k < count; k++) this.seatMask(lanes[k])
    if (this.observing) this.rules.observe(lanes, count)
  }

  private seatMask(lane: number): void {
    const { seats, agents: M, actionSize: A } = this.port
    const N = seats.length
    for (let n = 0; n < N; n++) {
      const from = (lane * M + seats[n]) * A
      const to = (lane * N + n) * A
      for (let a = 0; a < A; a++) this.mask[to + a] = this.worldMask[from + a]
      this.alive[lane * N + n] = this.worldAlive[lane * M + seats[n]]
    }
  }

  private seatRow(lane: number): void {
    const { seats, agents: M } = this.port
    const N = seats.length
    for (let n = 0; n < N; n++) {
      this.reward[lane * N + n] = this.worldReward[lane * M + seats[n]]
      this.returns[lane * N + n] = this.worldReturns[lane * M + seats[n]]
    }
  }

  step(action: Int32Array | Float32Array): void {
    this.checkActions(action)
    const { running, starting, ended, terminated, truncated, stepCount, worldReward } = this
    const M = this.port.agents
    const disabled = this.autoreset === 'disabled'
    let count = 0
    let begun = 0
    for (let lane = 0; lane < this.lanes; lane++) {
      if (ended[lane] === 0) running[count++] = lane
      else {
        for (let i = lane * M; i < (lane + 1) * M; i++) worldReward[i] = 0
        if (this.reward !== worldReward) this.seatRow(lane)
        if (disabled) continue // an ended lane stands still with its flags up
        terminated[lane] = 0
        truncated[lane] = 0
        this.given[lane] = null
        starting[begun++] = lane
      }
    }
    this.fillActions(action, count)
    this.rules.step(running, count)
    this.addRewards(count)
    const { episodeStart } = this
    const horizon = this.spec.horizon ?? 0
    const cut = this.spec.horizonEnds === 'termination' ? terminated : truncated
    let endings = 0
    for (let k = 0; k < count; k++) {
      const lane = running[k]
      episodeStart[lane] = 0
      truncated[lane] = 0
      const steps = ++stepCount[lane]
      if (terminated[lane] !== 0) endings++
      else if (steps === horizon) {
        cut[lane] = 1
        endings++
      }
    }
    this.refresh(running, count)
    if (endings > 0) {
      const together = endings === this.lanes // as in games of fixed length
      if (together) this.keepFinalOfAll()
      let restart = 0
      for (let k = 0; k < count; k++) {
        const lane = running[k]
        if (terminated[lane] === 0 && truncated[lane] === 0) continue
        if (!together) this.keepFinal(lane)
        if (this.autoreset === 'same-step') {
          this.given[lane] = null
          starting[restart++] = lane
        } else ended[lane] = 1
      }
      if (restart > 0) this.begin(restart)
    }
    if (begun > 0) this.begin(begun)
  }

  /** Adds the step's rewards to the returns of the first `count` lanes of `running`. */
  private addRewards(count: number): void {
    const { running, reward, worldReward, worldReturns } = this
    if (count === this.lanes && reward === worldReward) {
      for (let i = 0; i < worldReward.length; i++) worldReturns[i] += worldReward[i]
      return
    }
    const M = this.port.agents
    for (let k = 0; k < count; k++) {
      const lane = running[k]
      for (let i = lane * M; i < (lane + 1) * M; i++) worldReturns[i] += worldReward[i]
      if (reward !== worldReward) this.seatRow(lane)
    }
  }

  /** Copies what the ended episodes of all lanes show last: `keepFinal` for every lane in one go. */
  private keepFinalOfAll(): void {
    this.finalObservation.set(this.observation)
    this.finalState.set(this.state)
    if (this.agentState !== undefined) this.finalAgentState!.set(this.agentState)
    this.finalMask.set(this.mask)
    this.finalAlive.set(this.alive)
    this.finalReturns.set(this.returns)
    this.finalLength.set(this.stepCount)
    for (let lane = 0; lane < this.lanes; lane++) this.keepMetrics(lane)
  }

  /** Copies what the ended episode shows last. */
  private keepFinal(lane: number): void {
    const { spec } = this
    const N = spec.agents.length
    const F = spec.observationSize
    copyRow(this.observation, this.finalObservation, lane, N * F)
    copyRow(this.state, this.finalState, lane, spec.stateSize)
    if (this.agentState !== undefined) copyRow(this.agentState, this.finalAgentState!, lane, N * spec.agentStateSize)
    copyRow(this.mask, this.finalMask, lane, N * spec.actionSize)
    copyRow(this.alive, this.finalAlive, lane, N)
    copyRow(this.returns, this.finalReturns, lane, N)
    this.finalLength[lane] = this.stepCount[lane]
    this.keepMetrics(lane)
  }

  private keepMetrics(lane: number): void {
    const { metricValues, finalMetricValues } = this
    this.rules.metrics(lane, metricValues)
    const from = lane * metricValues.length
    for (let m = 0; m < metricValues.length; m++) finalMetricValues[from + m] = metricValues[m]
  }

  /** Copies checked actions into world order and lets the world drive the agents that nobody controls. */
  private fillActions(action: Int32Array | Float32Array, count: number): void {
    const { seats, agents: M, actionDims: D, action: into } = this.port
    if (seats.length === M && this.undriven.length === 0) {
      if (this.mask === this.worldMask) {
        // A native copy costs as much as some thirty numbers.
        if (action.length > 32) into.set(action)
        else for (let i = 0; i < action.length; i++) into[i] = action[i]
        return
      }
    }
    const N = seats.length
    for (let lane = 0; lane < this.lanes; lane++) {
      for (let n = 0; n < N; n++) {
        const from = (lane * N + n) * D
        const to = (lane * M + seats[n]) * D
        for (let d = 0; d < D; d++) into[to + d] = action[from + d]
      }
    }
    if (this.undriven.length === 0) return
    if (this.rules.control !== undefined) this.rules.control(this.running, count, this.undriven)
    else this.driveAtRandom(count)
  }

  /** Uniform legal choices for undriven agents, from the lane's last stream. */
  private driveAtRandom(count: number): void {
    const { agents: M, actionDims: D, actionSize: A, action: into } = this.port
    const { world } = this.spec
    for (let k = 0; k < count; k++) {
      const lane = this.running[k]
      const at = (lane * this.streams + this.streams - 1) * GENERATOR_WORDS
      for (const agent of this.undriven) {
        const row = lane * M + agent
        if (this.spec.actionKind === 'box') {
          const space = world.agents[agent].action
          for (let d = 0; d < D; d++) {
            const { dimensions } = space as { dimensions: readonly { low: number; high: number }[] }
            if (d >= dimensions.length) into[row * D + d] = 0
            else {
              const { low, high } = dimensions[d]
              into[row * D + d] = Math.fround(low + (high - low) * nextFloat(this.random, at))
            }
          }
          continue
        }
        let from = row * A
        for (let d = 0; d < D; d++) {
          const size = this.spec.actionSizes[d]
          let legal = 0
          for (let a = 0; a < size; a++) legal += this.worldMask[from + a]
          let pick = nextBelow(this.random, at, legal)
          let choice = 0
          while (this.worldMask[from + choice] === 0 || pick-- > 0) choice++
          into[row * D + d] = choice
          from += size
        }
      }
    }
  }

  private checkActions(action: Int32Array | Float32Array): void {
    const { spec } = this
    const N = spec.agents.length
    const D = spec.actionDims
    const box = spec.actionKind === 'box'
    if (!this.started) {
      throw new TroupeError('bad-usage', {
        where: `${spec.env}: step`,
        got: 'called before reset',
        expected: 'reset() first',
      })
    }
    const kind = box ? 'Float32Array' : 'Int32Array'
    const right = box ? action instanceof Float32Array : action instanceof Int32Array
    if (!right || action.length !== this.lanes * N * D) {
      const shape = D === 1 && !box ? `[${this.lanes}, ${N}]` : `[${this.lanes}, ${N}, ${D}]`
      throw new TroupeError('bad-action', {
        where: `${spec.env}: action`,
        got: shown(action),
        expected: `${kind}(${this.lanes * N * D}), shape ${shape} = lanes, agents${shape.includes(`${N}, ${D}`) ? ', dimensions' : ''}`,
      })
    }
    if (box) {
      this.checkBox(action as Float32Array)
      return
    }
    const { mask } = this
    const A = spec.actionSize
    const sizes = spec.actionSizes
    let i = 0
    if (D === 1 && this.autoreset === 'same-step') {
      const [size] = sizes
      for (; i < action.length; i++) {
        const value = action[i]
        if (value >>> 0 >= size || mask[i * A + value] === 0) this.refuse(Math.floor(i / N), i % N, 0, value, i * A)
      }
      return
    }
    for (let lane = 0; lane < this.lanes; lane++) {
      if (this.ended[lane] !== 0) {
        i += N * D
        continue
      }
      for (let n = 0; n < N; n++) {
        let from = (lane * N + n) * A
        for (let d = 0; d < D; d++) {
          const value = action[i++]
          if (value >>> 0 >= sizes[d] || mask[from + value] === 0) this.refuse(lane, n, d, value, from)
          from += sizes[d]
        }
      }
    }
  }

  private checkBox(action: Float32Array): void {
    const { agents, actionDims: D } = this.spec
    let i = 0
    for (let lane = 0; lane < this.lanes; lane++) {
      for (let n = 0; n < agents.length; n++) {
        const { dimensions } = agents[n].action as { dimensions: readonly { low: number; high: number }[] }
        for (let d = 0; d < D; d++) {
          const value = action[i++]
          if (d >= dimensions.length ? value === 0 : value >= dimensions[d].low && value <= dimensions[d].high) continue
          if (this.ended[lane] === 0) this.refuse(lane, n, d, value, 0)
        }
      }
    }
  }

  private refuse(lane: number, n: number, d: number, value: number, from: number): never {
    const { spec } = this
    const agent = spec.agents[n]
    const culprit = spec.actionDims > 1 ? `${agent.id}, dimension ${d}` : agent.id
    const beyond = agent.action.kind === 'box' && d >= agent.action.dimensions.length
    const choices = beyond ? `0: ${agent.id} has ${d} numbers` : actionChoices(agent.action, d)
    const where = `${spec.env}: action [lane ${this.firstLane + lane}, ${culprit}] at step ${this.stepCount[lane]}`
    const known = agent.action.kind === 'box' ? 0 : (actionSizes(agent.action)[d] ?? 0)
    if (agent.action.kind === 'box' || value < 0 || value >= known || !Number.isInteger(value)) {
      throw new TroupeError('bad-action', { where, got: shown(value), expected: choices, agent: culprit })
    }
    const names = agent.action.kind === 'discrete' ? agent.action.names : agent.action.dimensions[d].values
    const legal = names.map((name, index) => (this.mask[from + index] === 1 ? `${index} ${name}` : '')).filter(Boolean)
    throw new TroupeError('bad-action', {
      where,
      got: `${value} ${names[value]}, which is masked`,
      expected: `a legal action: ${legal.join(', ')}`,
      agent: culprit,
    })
  }

  save(lane: number): Snapshot {
    this.checkLane(lane)
    const M = this.port.agents
    const arrays: Record<string, string> = {}
    for (const [name, array] of Object.entries(this.rules.arrays)) {
      const width = array.length / this.lanes
      arrays[name] = packRow(array, lane * width, (lane + 1) * width)
    }
    const words = this.streams * GENERATOR_WORDS
    arrays.random = packRow(this.random, lane * words, (lane + 1) * words)
    return {
      format: 1,
      env: this.spec.env,
      version: this.spec.version,
      generator: GENERATOR,
      seed: this.seedOf(lane),
      episode: this.episode[lane],
      step: this.stepCount[lane],
      // At step 0 of same-step autoreset the flags still tell of the episode before.
      terminated: this.stepCount[lane] > 0 && this.terminated[lane] === 1,
      truncated: this.stepCount[lane] > 0 && this.truncated[lane] === 1,
      returns: packRow(this.worldReturns, lane * M, (lane + 1) * M),
      arrays,
    }
  }

  load(lane: number, snapshot: Snapshot): void {
    this.checkLane(lane)
    const where = `${this.spec.env}: snapshot`
    if (snapshot === null || typeof snapshot !== 'object' || snapshot.format !== 1) {
      throw new TroupeError('bad-version', {
        where,
        got: `format ${shown((snapshot as Snapshot | null)?.format)}`,
        expected: 'format 1',
      })
    }
    if (snapshot.env !== this.spec.env || snapshot.version !== this.spec.version) {
      throw new TroupeError('bad-version', {
        where,
        got: `of ${snapshot.env} version ${snapshot.version}`,
        expected: `${this.spec.env} version ${this.spec.version}`,
      })
    }
    if (snapshot.generator !== GENERATOR) {
      throw new TroupeError('bad-version', {
        where: `${where}: generator`,
        got: shown(snapshot.generator),
        expected: GENERATOR,
      })
    }
    for (const name of ['step', 'episode'] as const) {
      const count = snapshot[name]
      if (Number.isInteger(count) && count >= (name === 'step' ? 0 : -1) && count <= 0x7fffffff) continue
      throw new TroupeError('bad-file', {
        where: `${where}: ${name}`,
        got: shown(count),
        expected: 'a whole number of 0 to 2147483647',
      })
    }
    if (snapshot.seed !== null) seedWords(snapshot.seed, this.seed)
    const M = this.port.agents
    const words = this.streams * GENERATOR_WORDS
    // Decode into copies first: a broken snapshot must leave the lane as it was.
    const rows: [TypedArray, number, TypedArray][] = []
    const take = (array: TypedArray, from: number, to: number, text: unknown, name: string) => {
      const copy = array.slice(from, to)
      unpackRow(text, copy, 0, copy.length, `${where}: ${name}`)
      rows.push([array, from, copy])
    }
    for (const [name, array] of Object.entries(this.rules.arrays)) {
      const width = array.length / this.lanes
      take(array, lane * width, (lane + 1) * width, snapshot.arrays?.[name], name)
    }
    take(this.random, lane * words, (lane + 1) * words, snapshot.arrays?.random, 'random')
    take(this.worldReturns, lane * M, (lane + 1) * M, snapshot.returns, 'returns')
    const before = this.stepCount[lane]
    exchange(rows)
    this.stepCount[lane] = snapshot.step
    try {
      this.rules.restored?.(lane)
    } catch (error) {
      exchange(rows)
      this.stepCount[lane] = before
      if (this.started) this.rules.restored?.(lane)
      throw error
    }
    this.given[lane] = snapshot.seed
    this.episode[lane] = snapshot.episode
    this.terminated[lane] = snapshot.terminated ? 1 : 0
    this.truncated[lane] = snapshot.truncated ? 1 : 0
    this.ended[lane] = (snapshot.terminated || snapshot.truncated) && this.autoreset !== 'same-step' ? 1 : 0
    this.episodeStart[lane] = snapshot.step === 0 ? 1 : 0
    for (let i = lane * M; i < (lane + 1) * M; i++) this.worldReward[i] = 0
    if (this.reward !== this.worldReward) this.seatRow(lane)
    this.started = true
    this.running[0] = lane
    this.refresh(this.running, 1)
  }

  hash(lane: number): string {
    this.checkLane(lane)
    this.digest.reset()
    this.absorb(lane, this.digest)
    this.digest.finish(this.digestOut)
    return wordsToHex(this.digestOut)
  }

  /** Mixes the lane's current state into a digest: step, flags, every state array, generators. */
  absorb(lane: number, digest: Digest): void {
    const { gathered, views } = this
    const steps = this.stepCount[lane]
    gathered[0] = steps
    gathered[1] = steps === 0 ? 0 : this.terminated[lane] | (this.truncated[lane] << 1)
    let at = 2
    for (let i = 0; i < views.length; i++) {
      const view = views[i]
      if (!view.whole) {
        at = gatherRow(view, lane, gathered, at)
        continue
      }
      const { words, rowWords } = view
      for (let from = lane * rowWords, end = from + rowWords; from < end; from++) gathered[at++] = words[from]
    }
    digest.blocks(gathered, gathered.length)
  }

  seedOf(lane: number): EpisodeSeed | null {
    this.checkLane(lane)
    const given = this.given[lane]
    if (given !== null || !this.needsSeed) return given
    return (this.seeds ?? defaultSeed)(this.firstLane + lane, this.episode[lane])
  }

  frame(lane: number): Frame {
    return this.rules.frame(this.checkLane(lane))
  }

  metrics(lane: number): Record<string, number | null> {
    this.rules.metrics(this.checkLane(lane), this.metricValues)
    return this.named(this.metricValues, 0, this.stepCount[lane])
  }

  finalMetrics(lane: number): Record<string, number | null> {
    this.checkLane(lane)
    return this.named(this.finalMetricValues, lane * this.metricValues.length, this.finalLength[lane])
  }

  private named(values: Float64Array, from: number, length: number): Record<string, number | null> {
    const out: Record<string, number | null> = {}
    this.spec.world.metrics.forEach((name, i) => {
      const value = values[from + i]
      out[name] = Number.isFinite(value) ? value : null
    })
    out.episodeLength = length
    return out
  }
}

function copyRow(from: TypedArray, to: TypedArray, lane: number, width: number): void {
  for (let i = lane * width; i < (lane + 1) * width; i++) to[i] = from[i]
}

/** What recorders and verifiers need beyond the public batch: to mix a lane's state into a running digest. */
export interface DigestibleBatch extends EnvBatch {
  absorb(lane: number, digest: Digest): void
}

/**
 * Opens B parallel episodes of an environment. Call `reset` before the first `step`.
 * @throws TroupeError for unknown or impossible options, seats and settings
 */
export function createBatch(
  definition: EnvDefinition,
  options: unknown = {},
  settings: BatchSettings = {},
): DigestibleBatch {
  const unknown = check(
    SETTINGS,
    Object.fromEntries(Object.keys(settings).map((key) => [key, true])),
    `${definition.id} settings`,
  )
  void unknown
  return new Batch(definition, options, settings)
}

const SETTINGS = Type.Object(
  Object.fromEntries(
    ['lanes', 'firstLane', 'control', 'autoreset', 'seeds', 'observe'].map((key) => [
      key,
      Type.Optional(Type.Boolean()),
    ]),
  ),
  { additionalProperties: false },
)
