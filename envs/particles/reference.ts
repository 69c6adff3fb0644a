/** Between this environment and the original package: names, configurations and recorded states of mpe2 1.1.0. */
import { TroupeError, nearestName, shown } from '../core/errors.ts'
import { snapshotOf } from '../core/recorded.ts'
import { type EnvBatch, type Snapshot } from '../core/types.ts'
import { type Options } from './options.ts'
import { type ParticleWorld } from './state.ts'
import { TASKS, TASK_NAMES, type TaskName } from './tasks/index.ts'

/** A state as recordings write it. */
export interface ReferenceState {
  readonly agents: readonly {
    readonly pos: readonly [number, number]
    readonly vel: readonly [number, number]
    /** The channel; silent agents have zeros. */
    readonly c: readonly number[]
  }[]
  readonly landmarks: readonly (readonly [number, number])[]
  readonly step: number
  /** Landmark number: adversary, push, speaker_listener, crypto. */
  readonly goal?: number
  /** Reference: the goal that each agent knows. */
  readonly goals?: readonly number[]
  /** Crypto: the landmark whose colour is the key. */
  readonly key?: number
}

/** A configuration as recordings write it; the rest of it follows from these. */
export interface ReferenceConfig {
  readonly kwargs: Readonly<Record<string, unknown>>
  readonly dim_c: number
  readonly max_cycles: number
}

type Given = Partial<Options> & Record<string, unknown>

/** `simple_tag_v3`, with or without arguments in brackets, or EPyMARL's `pz-mpe-simple-tag-v3`. */
const NAMED = /^(?:pz-mpe-)?(simple[_-][a-z_-]+[_-]v\d+)(?:\[.*\])?$/

/**
 * Options for a name of the original packages, without arguments.
 * @throws TroupeError unknown-name with the nearest
 */
export function optionsFromName(name: string): { task: TaskName } {
  const original = NAMED.exec(name)?.[1].replaceAll('-', '_')
  const task = TASK_NAMES.find((each) => TASKS[each].original === original)
  if (task !== undefined) return { task }
  const known = TASK_NAMES.map((each) => TASKS[each].original)
  const nearest = nearestName(original ?? name, known)
  throw new TroupeError('unknown-name', {
    where: 'particles: name of the original package',
    got: shown(name),
    expected: `one of ${known.join(', ')}; for older versions see the option dynamics`,
    ...(nearest === undefined ? {} : { nearest: `"${nearest}"` }),
  })
}

/** Options that open the same world as a recorded configuration. */
export function referenceOptions(id: string, { kwargs, max_cycles }: ReferenceConfig): Given {
  const { task } = optionsFromName(id)
  const options: Record<string, unknown> = { task, horizon: max_cycles }
  const names = {
    N: 'agents',
    local_ratio: 'localRatio',
    num_good: 'good',
    num_adversaries: 'adversaries',
    num_obstacles: 'obstacles',
    num_food: 'food',
    num_forests: 'forests',
  } as const
  for (const [theirs, ours] of Object.entries(names)) if (kwargs[theirs] !== undefined) options[ours] = kwargs[theirs]
  if (kwargs.continuous_actions === true) options.actions = 'continuous'
  return options
}

/** Landmark numbers of the goals in our order: reference has one per agent, crypto the goal and the key. */
function goalsOf({ goal, goals, key }: ReferenceState): number[] {
  return [...(goals ?? []), ...(goal === undefined ? [] : [goal]), ...(key === undefined ? [] : [key])]
}

/**
 * A recorded state as a snapshot to load into any lane of a batch opened with `referenceOptions`. Metrics start at
 * zero and the generators at fixed words: nothing is drawn after the start.
 */
export function fromReference(state: ReferenceState, batch: EnvBatch): Snapshot {
  const { words, metrics } = batch.world as ParticleWorld
  const places = [...state.agents.map(({ pos }) => pos), ...state.landmarks]
  const rows: Record<string, ArrayBufferView> = {
    position: Float64Array.from(places.flat()),
    velocity: Float64Array.from(state.agents.flatMap(({ vel }) => [...vel])),
    message: Float64Array.from(words === 0 ? [] : state.agents.flatMap(({ c }) => [...c])),
    goal: Uint8Array.from(goalsOf(state)),
    tally: new Float64Array(metrics),
  }
  const filled = Object.entries(rows).filter(([, row]) => row.byteLength > 0)
  return snapshotOf(batch, state.step, Object.fromEntries(filled))
}

/** One lane of a batch as a recording would write it. */
export function toReference(batch: EnvBatch, lane: number): ReferenceState {
  const world = batch.world as ParticleWorld
  const { plan, agents, entities, words, goals, position, velocity, message, goal } = world
  const pair = (array: Float64Array, at: number): [number, number] => [array[at], array[at + 1]]
  const aims = [...goal.subarray(lane * goals, (lane + 1) * goals)]
  return {
    agents: plan.bodies.map((_, n) => ({
      pos: pair(position, (lane * entities + n) * 2),
      vel: pair(velocity, (lane * agents + n) * 2),
      // Where nobody speaks the original still has channels of two words.
      c: words === 0 ? [0, 0] : [...message.subarray((lane * agents + n) * words, (lane * agents + n + 1) * words)],
    })),
    landmarks: plan.landmarks.map((_, l) => pair(position, (lane * entities + agents + l) * 2)),
    step: batch.stepCount[lane],
    ...(plan.name === 'reference' ? { goals: aims } : goals > 0 ? { goal: aims[0] } : {}),
    ...(plan.name === 'crypto' ? { key: aims[1] } : {}),
  }
}
