/**
 * Recorded episodes to learn from without playing: one safetensors file of float32 tensors, its story in the file's metadata.
 * agents/README.md describes the format for people and other programs.
 */
import { Type, type Static } from '#typebox'
import { Generator, TroupeError, check, namedSeed, shown, type EnvBatch, type EnvSpec } from '../../envs/core/index.ts'
import { decodeSafetensors, encodeSafetensors, safetensorsMetadata } from './checkpoint.ts'
import { EpisodeRecorder, episodeShapes, episodeSizes, type EpisodeMemory } from './episodes.ts'
import { lengthsOf, Memory } from './memory.ts'
import { type AnyPolicy } from './policy.ts'
import { Collector, Rollout } from './rollout.ts'
import { type TeamReward } from './teams.ts'

const whole = (minimum: number) => Type.Integer({ minimum, maximum: 1 << 24 })

/** What a dataset says of itself; JSON under the key `troupe` of the metadata. */
export const DatasetStory = Type.Object(
  {
    format: Type.Literal(1),
    env: Type.Object({
      id: Type.String(),
      version: Type.String(),
      options: Type.Record(Type.String(), Type.Unknown()),
    }),
    agents: Type.Array(Type.String(), { minItems: 1, description: 'Ids, in the order of the columns.' }),
    sizes: Type.Object({
      agents: whole(1),
      features: whole(0),
      state: whole(0),
      actions: whole(1),
      dimensions: whole(1),
    }),
    teamReward: Type.Union([Type.Literal('none'), Type.Literal('sum'), Type.Literal('mean')]),
    /** Who played, in words. */
    source: Type.String({ maxLength: 500 }),
  },
  { additionalProperties: false },
)

export interface Dataset {
  readonly story: Static<typeof DatasetStory>
  readonly episodes: EpisodeMemory
}

/** The story of episodes that some agents of a world played. */
export function storyOf(
  spec: EnvSpec,
  agents: readonly string[],
  teamReward: TeamReward,
  source: string,
): Dataset['story'] {
  return {
    format: 1,
    env: { id: spec.env, version: spec.version, options: spec.options },
    agents: [...agents],
    sizes: episodeSizes(spec, agents.length),
    teamReward,
    source,
  }
}

export function encodeDataset({ story, episodes }: Dataset): Uint8Array {
  return encodeSafetensors(episodes.save(), { troupe: JSON.stringify(story) })
}

/**
 * @param where the door, for messages: usually the file's name
 * @throws TroupeError bad-file
 */
export function decodeDataset(bytes: Uint8Array, where: string): Dataset {
  const tensors = decodeSafetensors(bytes, where)
  const text = safetensorsMetadata(bytes, where).troupe as string | undefined
  let story: unknown
  try {
    story = text === undefined ? undefined : JSON.parse(text)
  } catch {
    story = text
  }
  if (story === undefined || story === null || typeof story !== 'object') {
    const got = story === undefined ? 'no metadata "troupe"' : shown(story)
    throw new TroupeError('bad-file', { where, got, expected: 'a dataset that troupe wrote' })
  }
  const { format } = story as { format?: unknown }
  if (format !== 1) {
    throw new TroupeError('bad-version', { where, got: `dataset format ${shown(format)}`, expected: 'format 1' })
  }
  const known = check(DatasetStory, story, `${where}: metadata`)
  const shapes = episodeShapes(known.sizes)
  const lengths = lengthsOf(tensors, where, 2)
  const episodes: EpisodeMemory = new Memory(shapes, { sequences: Math.max(lengths.length, 1) })
  episodes.load(tensors, where)()
  checkActions(known, episodes, where)
  return { story: known, episodes }
}

/** Every recorded action must be one of the choices there are. */
function checkActions({ sizes }: Dataset['story'], episodes: EpisodeMemory, where: string): void {
  const action = episodes.column('action')
  for (let i = 0; i < episodes.rows * sizes.agents * sizes.dimensions; i++) {
    if (action[i] >= 0 && action[i] < sizes.actions) continue
    const got = `${action[i]} in row ${Math.floor(i / (sizes.agents * sizes.dimensions))}`
    throw new TroupeError('bad-file', { where: `${where}: action`, got, expected: `0 to ${sizes.actions - 1}` })
  }
}

/** @throws TroupeError unless the dataset was made by these agents in a world of these sizes */
export function requireDataset(
  who: string,
  dataset: Dataset | undefined,
  spec: EnvSpec,
  agents: readonly string[],
): Dataset {
  if (dataset === undefined) {
    throw new TroupeError('bad-usage', {
      where: `${who}: dataset`,
      got: 'none',
      expected: 'recorded episodes: --dataset FILE, made by `troupe dataset` or `troupe train … --export-dataset FILE`',
    })
  }
  const { story, episodes } = dataset
  const mine = { env: spec.env, version: spec.version, ...episodeSizes(spec, agents.length) }
  const { env, sizes } = story
  const theirs = { env: env.id, version: env.version, ...sizes }
  for (const key of Object.keys(mine) as (keyof typeof mine)[]) {
    if (mine[key] === theirs[key]) continue
    const got = shown(theirs[key])
    throw new TroupeError('bad-file', { where: `${who}: dataset: ${key}`, got, expected: shown(mine[key]) })
  }
  if (agents.join() !== story.agents.join()) {
    const got = story.agents.join(', ')
    throw new TroupeError('bad-file', { where: `${who}: dataset: agents`, got, expected: agents.join(', ') })
  }
  if (episodes.count === 0) {
    throw new TroupeError('bad-file', { where: `${who}: dataset`, got: 'no episodes', expected: 'one or more' })
  }
  return dataset
}

export interface RecordRequest {
  /** Same-step, not yet reset; every lane gives the same number of episodes, so long ones are not left out. */
  readonly batch: EnvBatch
  /** Plays every controlled agent. */
  readonly policy: AnyPolicy
  /** A multiple of the lanes. */
  readonly episodes: number
  readonly teamReward: TeamReward
  /** Root of the policy's draws. */
  readonly seed: string | number
  readonly source: string
}

const STRETCH = 32 // steps between two looks for finished episodes
const STRETCHES = 100_000 // of which an episode may take so many

/** Plays episodes and keeps them. */
export function recordEpisodes({ batch, policy, episodes, teamReward, seed, source }: RecordRequest): Dataset {
  const { spec, lanes } = batch
  const ids = spec.agents.map(({ id }) => id)
  const n = ids.length
  const perLane = episodes / lanes
  if (!Number.isInteger(perLane)) {
    const expected = `a multiple of the ${lanes} lanes`
    throw new TroupeError('bad-usage', { where: 'recording: episodes', got: String(episodes), expected })
  }
  const shapes = episodeShapes(episodeSizes(spec, n))
  const memory: EpisodeMemory = new Memory(shapes, { sequences: episodes })
  const recorder = new EpisodeRecorder(shapes, lanes)
  const rollout = new Rollout(spec, STRETCH, lanes, n)
  const collector = new Collector(batch, 'recording', teamReward)
  const rng = new Generator(namedSeed(seed, 'recording: actions'))
  const carried = policy.memory(lanes, n)
  const seats = Int32Array.from(ids.keys())
  const taken = new Int32Array(lanes)
  batch.reset()
  for (let stretch = 0; memory.count < episodes; stretch++) {
    if (stretch === STRETCHES) {
      const got = `${STRETCH * STRETCHES} steps without an end`
      throw new TroupeError('bad-usage', { where: `recording ${spec.env}`, got, expected: 'an option `horizon`' })
    }
    collector.collect(
      rollout,
      (view, out) =>
        policy.privileged === true ? policy.act(batch, seats, carried, out, rng) : policy.act(view, carried, out, rng),
      rng,
    )
    recorder.take(rollout, (rows, lane) => {
      if (taken[lane]++ < perLane) memory.put(rows)
    })
  }
  return { story: storyOf(spec, ids, teamReward, source), episodes: memory }
}
