/** What changes a policy: the contract of learners, and how one is saved and loaded. */
import { type TObject } from '#typebox'
import {
  GENERATOR,
  TroupeError,
  canonicalJson,
  shown,
  type EnvBatch,
  type EnvSpec,
  type Generator,
  type Snapshot,
} from '../../envs/core/index.ts'
import { type FusedOptimiser } from '../kernels/index.ts'
import { type Checkpoint, type SavedTensor, type Tensors } from './checkpoint.ts'
import { type Dataset } from './dataset.ts'
import { type Slice } from './networks.ts'
import { type Policy, type PolicyMemory } from './policy.ts'
import { type OtherAgents } from './rollout.ts'
import { type ShardGroup } from './shards.ts'
import { type TeamReward } from './teams.ts'

/** Named numbers of one update; agents/README.md says what each means. */
export type Metrics = Record<string, number>

/** greedy: the likeliest legal action; sample: drawn from the policy. Named beside every number made with it. */
export type PlayMode = 'greedy' | 'sample'

/** What a learner saves: all that decides its future, or what its networks are. */
export type SavedPart = 'all' | 'to play'

export interface LearnerRequest {
  /**
   * A same-step batch with as many lanes as the settings say, not yet reset; with several shards one for each own shard,
   * in order. The learner steps them.
   */
  readonly batch: EnvBatch | readonly EnvBatch[]
  /** Which shards are learned from here, and how to sum with the others; default all of them. */
  readonly group?: ShardGroup
  /** Overrides of the defaults. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Root of every draw: weights, sampling, shuffles. */
  readonly seed: string | number
  readonly teamReward: TeamReward
  /** Which of the batch's agents learn; default all. */
  readonly agents?: readonly number[]
  /** Who plays the others. */
  readonly others?: readonly OtherAgents[]
  /** What learners that do not play learn from. */
  readonly dataset?: Dataset
}

export interface Learner {
  /** Full effective settings. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Environment steps so far, counted over all lanes of all shards; of learners that do not play the steps drawn. */
  readonly steps: number
  /** Environment steps of one `collectAndUpdate`. */
  readonly stepsPerUpdate: number
  /** Plays a stretch and learns from it. @throws TroupeError diverged, naming tensor and step */
  collectAndUpdate(): Metrics
  policy(mode: PlayMode): Policy
  /**
   * The critic's estimates in reward units for another batch of the same environment.
   * @param out [B, n] overwritten
   * @param memory from `valueMemory`, for critics that remember: one call per step then; without it every look is a first
   */
  values(batch: EnvBatch, out: Float32Array, memory?: PolicyMemory): void
  /** Fresh memory for `values` of that many lanes. */
  valueMemory(lanes: number): PolicyMemory
  /**
   * Of a learner with some of the shards: everybody calls it, and what the first worker gets is whole.
   * @param what 'to play': without what is in `store/`, which may be most of it; training cannot go on from there
   */
  save(what?: SavedPart): Checkpoint
  load(checkpoint: Checkpoint): void
  /**
   * Whether what it plays is of the kind that was asked for. Left out = always. Networks that are still being pruned are not, and
   * do not compete for the best checkpoint.
   */
  settled?(): boolean
  /** The episodes in its memory, where it has one. */
  dataset?(): Dataset
  dispose(): void
}

/** Published settings, by a name of their own. */
export interface LearnerPreset<Settings = Readonly<Record<string, unknown>>> {
  /** What they are for, and what stands out. */
  readonly summary: string
  /** The code at its commit, or the paper. */
  readonly source: string
  readonly settings: Readonly<Partial<Settings>>
  /** On top of `settings` in some environments, by id: what the source has for them. */
  readonly families?: Readonly<Record<string, Readonly<Partial<Settings>>>>
  /** What the source does that settings cannot say. */
  readonly differs?: string
}

/** The settings of a preset in an environment. @param env its id; left out = those that hold everywhere */
export function presetSettings(
  { settings, families = {} }: LearnerPreset,
  env = '',
): Readonly<Record<string, unknown>> {
  return Object.hasOwn(families, env) ? { ...settings, ...families[env] } : settings
}

/** A row of the LEARNERS table. */
export interface LearnerDefinition {
  readonly name: string
  readonly paper: string
  readonly summary: string
  /** Flat record of settings with defaults. */
  readonly settings: TObject
  /** For `--preset`. */
  readonly presets?: Readonly<Record<string, LearnerPreset>>
  /** It does not play but learns from `LearnerRequest.dataset`. */
  readonly offline?: true
  create(request: LearnerRequest): Learner
  /** Shards that these settings mean in that world; left out = cannot be shared out, one. */
  shards?(spec: EnvSpec, settings: Readonly<Record<string, unknown>>, agents?: number): number
  /** The policy inside a checkpoint, for playing without training. */
  policy(spec: EnvSpec, checkpoint: Checkpoint, mode: PlayMode): Policy
}

/** A network as checkpoints see it: one vector of parameters with named slices. */
export interface SavedNetwork {
  readonly shape: { readonly name: string }
  readonly slices: readonly Slice[]
  readonly size: number
  read(): Float32Array
  write(values: Float32Array): void
  notFinite(vector: Float32Array): { readonly name: string; readonly value: number } | undefined
  dispose(): void
}

/** The lanes of a shard as checkpoints see them. */
export interface SavedLanes {
  readonly collector: { readonly batch: EnvBatch }
  readonly generators: Readonly<Record<string, Generator>>
  /** By network, [rows, width]: what its recurrent layer carries. */
  readonly carried: Readonly<Record<string, { readonly hidden: Float32Array; readonly width: number }>>
}

/** Whatever else decides the future and is made of numbers: a memory of past steps, a target network. */
export interface Kept {
  /** By name within this part; float32. */
  save(): Tensors
  /**
   * Checks what was saved and hands back the act of taking it in.
   * @throws TroupeError bad-file
   */
  load(tensors: Tensors, where: string): () => void
}

/** Everything that decides a learner's future, by name. */
export interface LearnerParts {
  readonly algorithm: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly group: ShardGroup
  /** The own ones, in order. */
  readonly shards: readonly SavedLanes[]
  /** Ids of the learning agents, in the order of their one-hot slots. */
  readonly agents: readonly string[]
  readonly networks: readonly { readonly net: SavedNetwork; readonly optimiser: FusedOptimiser }[]
  /** Networks that follow others and have no optimiser. */
  readonly followers?: readonly SavedNetwork[]
  /** Running statistics; their state is plain JSON. */
  readonly normalisers: Readonly<Record<string, { readonly state: object }>>
  /** Settings that checkpoints from before they existed lack, with what held then. */
  readonly later?: Readonly<Record<string, unknown>>
  /** By prefix of the names of its tensors: 'target' for what is no network of its own, 'store/…' for what is data. */
  readonly kept?: Readonly<Record<string, Kept>>
  /** Further numbers that decide the future, by name. */
  readonly ledger?: Record<string, number>
  readonly count: { steps: number; updates: number }
}

/** 2: optimisers save their moments by number, and recurrent networks what they remember. */
const FORMAT = 2

interface SavedState {
  readonly format: typeof FORMAT
  readonly algorithm: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly env: { readonly id: string; readonly version: string; readonly options: Readonly<Record<string, unknown>> }
  readonly agents: readonly string[]
  readonly generator: string
  /** One record per shard. */
  readonly generators: readonly Readonly<Record<string, readonly number[]>>[]
  readonly normalisers: Readonly<Record<string, object>>
  readonly optimisers: Readonly<Record<string, { steps: number }>>
  readonly steps: number
  readonly updates: number
  readonly ledger?: Readonly<Record<string, number>>
  /** Of every shard, in order. */
  readonly lanes: readonly Snapshot[]
}

/** What a checkpoint holds of one shard. */
interface SavedShard {
  readonly generators: Readonly<Record<string, readonly number[]>>
  readonly lanes: readonly Snapshot[]
  /** By network, [rows, H]: what its recurrent layer carries. */
  readonly carried: Readonly<Record<string, Float32Array>>
}

/** The tensors and state of a learner: loaded into a fresh one of the same settings, the same future follows. */
export function saveLearner(parts: LearnerParts, what: SavedPart = 'all'): Checkpoint {
  const { spec } = parts.shards[0].collector.batch
  const weights: Record<string, SavedTensor> = {}
  const optimisers: Record<string, { steps: number }> = {}
  for (const { net, optimiser } of parts.networks) {
    const values = net.read()
    for (const { name, shape, from, to } of net.slices) weights[name] = { shape, data: values.slice(from, to) }
    const { moments, steps } = optimiser.save()
    moments.forEach((data, k) => (weights[momentName(net, k)] = { shape: [data.length], data }))
    optimisers[net.shape.name] = { steps }
  }
  for (const [name, part] of Object.entries(parts.kept ?? {})) {
    if (what === 'to play' && name.startsWith('store/')) continue
    for (const [tensor, saved] of Object.entries(part.save())) weights[`${name}/${tensor}`] = saved
  }
  for (const net of parts.followers ?? []) {
    const values = net.read()
    for (const { name, shape, from, to } of net.slices) weights[name] = { shape, data: values.slice(from, to) }
  }
  const own = parts.shards.map(({ generators, carried, collector: { batch } }): SavedShard => ({
    generators: mapValues({ ...generators }, (rng) => [...rng.state]),
    lanes: Array.from({ length: batch.lanes }, (_, lane) => batch.save(lane)),
    carried: mapValues(carried, ({ hidden }) => hidden),
  }))
  const shards = parts.group.gather(own) ?? own
  for (const [name, { width }] of Object.entries(parts.shards[0].carried)) {
    const hidden = shards.map(({ carried }) => carried[name])
    const data = new Float32Array(hidden[0].length * hidden.length)
    hidden.forEach((part, k) => data.set(part, k * part.length))
    weights[memoryName(name)] = { shape: [data.length / width, width], data }
  }
  const state: SavedState = {
    format: FORMAT,
    algorithm: parts.algorithm,
    settings: parts.settings,
    env: { id: spec.env, version: spec.version, options: spec.options },
    agents: parts.agents,
    generator: GENERATOR,
    generators: shards.map(({ generators }) => generators),
    normalisers: mapValues(parts.normalisers, (norm) => copied(norm.state)),
    optimisers,
    steps: parts.count.steps,
    updates: parts.count.updates,
    ...(parts.ledger === undefined ? {} : { ledger: { ...parts.ledger } }),
    lanes: shards.flatMap(({ lanes }) => lanes),
  }
  return { weights, state: state as unknown as Record<string, unknown> }
}

/**
 * Puts a saved learner into `parts`. Everything but the lanes is checked before anything changes.
 * @throws TroupeError bad-file or bad-version when the checkpoint is of something else
 */
export function loadLearner(parts: LearnerParts, checkpoint: Checkpoint): void {
  const where = `${parts.algorithm}: checkpoint`
  const state = readState(checkpoint, parts.algorithm)
  const { batch } = parts.shards[0].collector
  const { spec } = batch
  const mine = {
    settings: parts.settings,
    env: { id: spec.env, version: spec.version, options: spec.options },
    agents: parts.agents,
    lanes: batch.lanes * parts.group.count,
    generator: GENERATOR,
  }
  const theirs = {
    settings: { ...common(parts.later ?? {}, parts.settings), ...state.settings },
    env: state.env,
    agents: state.agents,
    lanes: state.lanes?.length,
    generator: state.generator,
  }
  const different = firstDifference(mine, theirs, '')
  if (different !== undefined) {
    throw new TroupeError('bad-file', {
      where: `${where}: ${different.path}`,
      got: shown(different.theirs),
      expected: shown(different.mine),
    })
  }
  const moments = parts.networks.map(({ net, optimiser }) => {
    for (const { name, shape } of net.slices) tensorOf(checkpoint, name, shape, where)
    return optimiser.save().moments.map((_, k) => tensorOf(checkpoint, momentName(net, k), [net.size], where).data)
  })
  for (const net of parts.followers ?? []) {
    for (const { name, shape } of net.slices) tensorOf(checkpoint, name, shape, where)
  }
  const remembered = mapValues(parts.shards[0].carried, ({ hidden, width }, name) => {
    const shape = [(hidden.length / width) * parts.group.count, width]
    return tensorOf(checkpoint, memoryName(name), shape, where).data
  })
  const taking = Object.entries(parts.kept ?? {}).map(([name, part]) =>
    part.load(tensorsUnder(checkpoint, `${name}/`), `${where}: ${name}`),
  )
  for (const take of taking) take()
  parts.networks.forEach(({ net, optimiser }, k) => {
    loadNetwork(net, checkpoint, where)
    optimiser.load({ moments: moments[k], steps: state.optimisers[net.shape.name].steps })
  })
  for (const net of parts.followers ?? []) loadNetwork(net, checkpoint, where)
  for (const [name, norm] of Object.entries(parts.normalisers)) {
    Object.assign(norm.state, copied(state.normalisers[name]))
  }
  parts.count.steps = state.steps
  parts.count.updates = state.updates
  if (parts.ledger !== undefined) Object.assign(parts.ledger, state.ledger)
  parts.shards.forEach((shard, k) => {
    const number = parts.group.own[k]
    for (const [name, rng] of Object.entries(shard.generators)) rng.state.set(state.generators[number][name])
    for (const [name, { hidden }] of Object.entries(shard.carried)) {
      hidden.set(remembered[name].subarray(number * hidden.length, (number + 1) * hidden.length))
    }
    const { batch } = shard.collector
    for (let lane = 0; lane < batch.lanes; lane++) batch.load(lane, state.lanes[number * batch.lanes + lane])
  })
}

/** The saved state, told apart from foreign JSON. */
export function readState(checkpoint: Checkpoint, algorithm: string): SavedState {
  const state = checkpoint.state as unknown as SavedState
  const where = `${algorithm}: checkpoint`
  if (state === null || typeof state !== 'object' || state.format !== FORMAT) {
    throw new TroupeError('bad-version', { where, got: `format ${shown(state?.format)}`, expected: `format ${FORMAT}` })
  }
  if (state.algorithm !== algorithm) {
    throw new TroupeError('bad-file', { where, got: `of ${shown(state.algorithm)}`, expected: `of "${algorithm}"` })
  }
  return state
}

/** Writes a checkpoint's tensors into a network. @throws TroupeError bad-file naming the tensor */
export function loadNetwork(net: SavedNetwork, checkpoint: Checkpoint, where: string): void {
  const values = new Float32Array(net.size)
  for (const { name, shape, from } of net.slices) values.set(tensorOf(checkpoint, name, shape, where).data, from)
  net.write(values)
}

/** The fields of one record that another has, too. */
function common(record: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name in other))
}

/** Plain data of its own. */
function copied<Plain>(value: Plain): Plain {
  return JSON.parse(JSON.stringify(value)) as Plain
}

function momentName(net: SavedNetwork, moment: number): string {
  return `optimiser/${net.shape.name}/moment${moment}`
}

function memoryName(network: string): string {
  return `memory/${network}`
}

/**
 * Stops training before a NaN or infinity spreads.
 * @param what 'gradient' or 'weights', the vector that is looked at
 * @param loss looked at first, when given
 * @throws TroupeError diverged, naming the tensor and the environment step
 */
export function requireFinite(
  algorithm: string,
  what: 'gradient' | 'weights',
  net: SavedNetwork,
  vector: Float32Array,
  step: number,
  loss = 0,
): void {
  const found = net.notFinite(vector) ?? (Number.isFinite(loss) ? undefined : { name: '', value: loss })
  if (found === undefined) return
  throw new TroupeError('diverged', {
    where: `${algorithm}: ${found.name === '' ? `loss of the ${net.shape.name}` : `${what} of ${found.name}`}`,
    got: `${found.value} at environment step ${step}`,
    expected: 'finite numbers; a smaller lr or gradientNorm may help',
  })
}

/** Tensors whose names begin so, without the beginning. */
export function tensorsUnder({ weights }: Pick<Checkpoint, 'weights'>, prefix: string): Tensors {
  return Object.fromEntries(
    Object.entries(weights).flatMap(([name, tensor]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), tensor]] : [],
    ),
  )
}

function tensorOf(checkpoint: Checkpoint, name: string, shape: readonly number[], where: string): SavedTensor {
  const tensor = checkpoint.weights[name]
  if (tensor === undefined || tensor.shape.join() !== shape.join()) {
    throw new TroupeError('bad-file', {
      where: `${where}: tensor ${name}`,
      got: tensor === undefined ? 'missing' : `of shape [${tensor.shape.join(', ')}]`,
      expected: `of shape [${shape.join(', ')}]`,
    })
  }
  return tensor
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, change: (value: A, key: string) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))
}

function firstDifference(
  mine: unknown,
  theirs: unknown,
  path: string,
): { path: string; mine: unknown; theirs: unknown } | undefined {
  const plain = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object'
  if (!plain(mine) || !plain(theirs)) {
    const same = canonicalJson(mine ?? null) === canonicalJson(theirs ?? null)
    return same ? undefined : { path, mine, theirs }
  }
  for (const key of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
    const found = firstDifference(mine[key], theirs[key], path === '' ? key : `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}
