/** Options of the particle worlds and what follows from them. */
import { Type, type Static } from '#typebox'
import { TroupeError } from '../core/errors.ts'
import { COUNTS, type Block, type Body, type Count, type Counts, type Gap, type Landmark, type Task } from './task.ts'
import { TASKS, TASK_NAMES, type TaskName } from './tasks/index.ts'

/** Seconds of a step, share of velocity lost in it, contact stiffness and margin (mpe2 1.1.0, core.py). */
export const DT = 0.1
export const DAMPING = 0.25
export const STIFFNESS = 100
export const MARGIN = 0.001

/**
 * Contact forces are left out from this many margins on: there they are below 100 · 0.001 · e^-40 = 4.3e-19, less than
 * the last bit of any push.
 */
export const REACH_MARGINS = 40

const count = (minimum: number, description: string) =>
  Type.Union([Type.Integer({ minimum, maximum: 100 }), Type.Null()], { default: null, description })

export const OPTIONS = Type.Object(
  {
    task: Type.Union(
      TASK_NAMES.map((name) => Type.Literal(name)),
      { default: 'spread', description: 'Which of the eight worlds.' },
    ),
    actions: Type.Union([Type.Literal('discrete'), Type.Literal('continuous')], {
      default: 'discrete',
      description:
        'discrete: one of five pushes, times the words of who speaks. continuous: five numbers of 0 to 1 per push, one per word.',
    }),
    agents: count(
      1,
      'spread: agents and landmarks (3). adversary: good agents and landmarks (2). null = as in brackets.',
    ),
    adversaries: count(1, 'tag: chasers (3). world-comm: chasers with their leader (4).'),
    good: count(1, 'tag: prey (1). world-comm: prey (2).'),
    obstacles: count(0, 'tag: round obstacles (2). world-comm: (1).'),
    food: count(1, 'world-comm: food (2).'),
    forests: Type.Union([Type.Integer({ minimum: 0, maximum: 30 }), Type.Null()], {
      default: null,
      description: 'world-comm: forests that hide who is inside (2).',
    }),
    localRatio: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
      default: null,
      description: 'spread, reference: share of the own reward, the rest is the shared one (0.5).',
    }),
    dynamics: Type.Union([Type.Literal('current'), Type.Literal('legacy')], {
      default: 'current',
      description:
        'current: positions move by the old velocity, then velocities change (since May 2023). legacy: the other way round.',
    }),
  },
  { additionalProperties: false },
)

export type Options = Omit<Static<typeof OPTIONS>, 'task'> & {
  readonly task: TaskName
  /** Of the core. */
  readonly horizon?: number | null
}

/** Everything derived from the options, computed once per batch. */
export interface Plan {
  readonly name: TaskName
  readonly task: Task
  readonly counts: Counts
  readonly continuous: boolean
  readonly legacy: boolean
  readonly localRatio: number
  readonly bodies: readonly Body[] // M
  readonly landmarks: readonly Landmark[] // L
  readonly gaps: readonly Gap[] // Q
  readonly blocks: readonly (readonly Block[])[] // [M] observation of each agent
  /** Largest possible speed along an axis of each agent, [M]; see README.md. */
  readonly speeds: readonly number[]
  /** Largest possible distance from the origin along an axis of each entity, [M + L]. */
  readonly spans: readonly number[]
}

/** Steps are counted in 31 bits: the longest an episode without horizon can be. */
const LONGEST_EPISODE = 2147483647

/** Room for rounding to float32. */
const SLACK = 1.000001

const PLANS = new WeakMap<Options, Plan>()

/**
 * Checks the options against each other and derives the plan.
 * @throws TroupeError bad-option for a number that the task does not have
 */
export function planOf(options: Options): Plan {
  let plan = PLANS.get(options)
  if (plan === undefined) PLANS.set(options, (plan = derivePlan(options)))
  return plan
}

function countsOf(task: Task, options: Options): Counts {
  const known = COUNTS.filter((name) => task.counts[name] !== undefined)
  const counts = {} as Record<Count, number>
  for (const name of COUNTS) {
    const chosen = options[name]
    if (chosen !== null && !known.includes(name)) {
      throw new TroupeError('bad-option', {
        where: `particles options: ${name}`,
        got: `${chosen} for the task ${options.task}`,
        expected: known.length === 0 ? 'null: this task has fixed numbers' : `null; this task has ${known.join(', ')}`,
      })
    }
    counts[name] = chosen ?? task.counts[name] ?? 0
  }
  return counts
}

/**
 * Bound of an axis of a body's velocity: the fixed point of v' = (1 - damping) v + dt F with the largest own push and
 * every partner of contact overlapping in full on the same side, or the speed limit.
 */
function speedOf(body: Body, n: number, bodies: readonly Body[], landmarks: readonly Landmark[]): number {
  if (!body.movable) return 0
  if (body.limit > 0) return body.limit * SLACK
  let force = body.push
  if (body.collides) {
    bodies.forEach((other, m) => {
      if (m !== n && other.collides) force += STIFFNESS * (body.radius + other.radius)
    })
    for (const landmark of landmarks) if (landmark.collides) force += STIFFNESS * (body.radius + landmark.radius)
  }
  return ((force * DT) / DAMPING) * SLACK
}

function derivePlan(options: Options): Plan {
  const task = TASKS[options.task]
  const counts = countsOf(task, options)
  if (options.localRatio !== null && task.localRatio === undefined) {
    throw new TroupeError('bad-option', {
      where: 'particles options: localRatio',
      got: `${options.localRatio} for the task ${options.task}`,
      expected: 'null: only spread and reference mix own and shared rewards',
    })
  }
  const bodies = task.bodies(counts)
  const landmarks = task.landmarks(counts)
  const steps = options.horizon ?? LONGEST_EPISODE
  const speeds = bodies.map((body, n) => speedOf(body, n, bodies, landmarks))
  const spans = [
    ...bodies.map((_, n) => (1 + steps * DT * speeds[n]) * SLACK),
    ...landmarks.map(() => task.landmarkRange),
  ]
  const plan = {
    name: options.task,
    task,
    counts,
    continuous: options.actions === 'continuous',
    legacy: options.dynamics === 'legacy',
    localRatio: options.localRatio ?? task.localRatio ?? 0,
    bodies,
    landmarks,
    speeds,
    spans,
    gaps: task.gaps(counts),
    blocks: [] as Block[][],
  }
  bodies.forEach((_, n) => plan.blocks.push(task.observation(plan, n)))
  return plan
}
