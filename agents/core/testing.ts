/** What tests of learners share: worlds, small settings, opening and training them. Not part of the build. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { type TObject } from '#typebox'
import { createBatch, episodeSeed, type DigestibleBatch, type EnvDefinition } from '../../envs/core/index.ts'
import { decodeSafetensors, encodeSafetensors, type Checkpoint } from './checkpoint.ts'
import { recordEpisodes, type Dataset } from './dataset.ts'
import { type Learner, type LearnerDefinition, type LearnerRequest, type Metrics } from './learner.ts'
import { type ActionBatch, type AgentView } from './policy.ts'
import { random } from '../scripted/random.ts'
import { lights } from './toys.ts'

/** A world to learn in. */
export interface World {
  readonly env: EnvDefinition
  readonly options: Readonly<Record<string, unknown>>
}

/** `lights` with options. */
export function lit(options: Readonly<Record<string, unknown>> = {}): World {
  return { env: lights as unknown as EnvDefinition, options }
}

/** Settings that make every learner small; a learner gets those it has. */
export const SMALL: Readonly<Record<string, unknown>> = {
  lanes: 3,
  rolloutSteps: 5,
  hidden: 8,
  layers: 1,
  epochs: 1,
  minibatches: 1,
  batchEpisodes: 2,
  batchSteps: 8,
  updatesPerEpisode: 1,
  epsilonSteps: 30,
  exploreSteps: 30,
  batch: 4,
  memory: 40,
  warmup: 10,
}

/** The settings among the given that a learner has, and that are not fixed to something else. */
export function known(
  definition: LearnerDefinition,
  settings: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const fields: Readonly<Record<string, Shape | undefined>> = Object.fromEntries(fieldsOf(definition.settings))
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => {
      const field = fields[name]
      return field !== undefined && (!isFixed(field) || (field.const ?? null) === value)
    }),
  )
}

export function open(world: World, lanes: number, seed: string | number = 1, firstLane = 0): DigestibleBatch {
  const seeds = (lane: number, n: number) => episodeSeed(seed, 'train', lane, n)
  return createBatch(world.env, world.options, { lanes, firstLane, seeds })
}

/** A learner with `SMALL` settings and the given ones on top, in all its shards. */
export function start(
  definition: LearnerDefinition,
  world: World,
  settings: Readonly<Record<string, unknown>> = {},
  change: Partial<LearnerRequest> = {},
): Learner {
  const all = { ...known(definition, SMALL), ...settings }
  const lanes = (all.lanes ?? definition.settings.properties.lanes?.default ?? 1) as number
  const shards = 'shards' in definition.settings.properties ? ((all.shards ??= 1) as number) : 1
  const seed = change.seed ?? 1
  const own = change.group?.own ?? Array.from({ length: shards }, (_, shard) => shard)
  const batch = own.map((shard) => open(world, lanes / shards, seed, (shard * lanes) / shards))
  const dataset = definition.offline === true ? { dataset: recordedIn(world) } : {}
  return definition.create({ batch, settings: all, seed, teamReward: 'sum', ...dataset, ...change })
}

/** Twelve episodes of random play, to learn from without playing. Where actions are real numbers there are none. */
export function recordedIn(world: World): Dataset | undefined {
  const batch = open(world, 3, 'recorded')
  if (batch.spec.actionKind === 'box') return undefined
  const policy = random.create(batch.spec)
  return recordEpisodes({ batch, policy, episodes: 12, teamReward: 'sum', seed: 1, source: 'random play in a test' })
}

/** A checkpoint in few words, tensor by tensor: equal ones are equal, and of others it is seen where they differ. */
export function fingerprint({ weights, state }: Checkpoint): Record<string, unknown> {
  const tensors = Object.entries(weights).map(([name, { shape, data }]) => {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    return [name, `[${shape.join()}] ${bytesToHex(sha256(bytes))}`]
  })
  return { ...Object.fromEntries(tensors), state }
}

/** Through bytes and JSON text, as on disk. */
export function written({ weights, state }: Checkpoint): Checkpoint {
  return {
    weights: decodeSafetensors(encodeSafetensors(weights)),
    state: JSON.parse(JSON.stringify(state)) as Checkpoint['state'],
  }
}

export function train(learner: Learner, updates: number): Metrics[] {
  return Array.from({ length: updates }, () => learner.collectAndUpdate())
}

/** All agents' view of a batch. */
export function viewOf(batch: DigestibleBatch): AgentView {
  const agents = Int32Array.from(batch.spec.agents.keys())
  const { spec, lanes, observation, mask, alive, episodeStart } = batch
  return { spec, lanes, agents, observation, mask, alive, episodeStart }
}

/** Room for what a policy says about the choices of all agents, filled with rubbish. */
export function outFor({ spec, lanes }: DigestibleBatch): ActionBatch & { probability: Float32Array } {
  const rows = lanes * spec.agents.length
  return {
    action: new Int32Array(rows * spec.actionDims).fill(-77),
    probability: new Float32Array(rows * spec.actionSize).fill(NaN),
    logProbability: new Float32Array(rows).fill(NaN),
  }
}

/** A field of a settings schema. */
export interface Shape {
  readonly description?: string
  readonly type?: string
  readonly const?: unknown
  readonly default?: unknown
  readonly anyOf?: readonly Shape[]
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
}

/** The fields of a settings schema, as tests look at them. */
export function fieldsOf(settings: TObject): [name: string, shape: Shape][] {
  return Object.entries(settings.properties) as unknown as [string, Shape][]
}

/** The setting can have one value only. */
export function isFixed(field: Shape): boolean {
  return field.const !== undefined || field.type === 'null'
}

/** A value that a setting may have beside its default: the other side of a switch, another word, a number nearby. */
export function otherValue(shape: Shape): unknown {
  const { default: value } = shape
  if (typeof value === 'boolean') return !value
  if (typeof value === 'string')
    return shape.anyOf?.find((one) => one.const !== undefined && one.const !== value)?.const
  if (typeof value !== 'number') return undefined // null: nothing says which other value means something
  const lowest = shape.minimum ?? 0
  const highest = shape.maximum ?? Infinity
  if (shape.type === 'integer') return value + 1 <= highest ? value + 1 : value - 1
  if (value / 2 >= lowest && value !== 0) return value / 2
  return Math.min(highest, value + 0.1)
}
