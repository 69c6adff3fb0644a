/** What is known about a whole episode, gathered part by part: returns by step, and events for the timeline. */
import { TOO_MANY, type StepEvent, type Survey } from './sources/messages.ts'

export interface Overview {
  /** Steps gathered so far. */
  readonly steps: number
  readonly done: boolean
  /** No more will come: the episode is longer than what is surveyed. */
  readonly limited: boolean
  /** Running return of every agent, [steps + 1, N], row 0 zeros. */
  readonly returns: Float64Array
  /** Reward of every agent on arriving at a step, [steps + 1, N], row 0 zeros. */
  readonly rewards: Float32Array
  readonly events: readonly StepEvent[]
  /** Where every agent is at a step, [steps + 1, N, 2]; NaN where it is not in the picture. Empty: not known. */
  readonly places: Float32Array
  /** Steps whose places are known: 0 to this, -1 = none. */
  readonly placed: number
}

export const EMPTY: Overview = {
  steps: 0,
  done: false,
  limited: false,
  returns: new Float64Array(0),
  rewards: new Float32Array(0),
  events: [],
  places: new Float32Array(0),
  placed: -1,
}

/** Adds the next part. @param agents N @param total steps of the episode */
export function gather(before: Overview, part: Survey, agents: number, total: number): Overview {
  const returns =
    before.returns.length === (total + 1) * agents ? before.returns : new Float64Array((total + 1) * agents)
  const size = (total + 1) * agents
  const rewards = before.rewards.length === size ? before.rewards : new Float32Array(size)
  rewards.set(part.rewards, (part.from + 1) * agents)
  const { places: rows = new Float32Array(0), placesFrom = 0 } = part
  const places = before.places.length > 0 || rows.length === 0 ? before.places : new Float32Array(size * 2)
  if (rows.length > 0) places.set(rows, placesFrom * agents * 2)
  const steps = agents === 0 ? 0 : part.rewards.length / agents
  for (let t = 0; t < steps; t++) {
    const row = (part.from + t) * agents
    for (let n = 0; n < agents; n++) returns[row + agents + n] = returns[row + n] + part.rewards[t * agents + n]
  }
  return {
    steps: part.from + steps,
    done: part.done,
    limited: part.limited === true,
    returns,
    rewards,
    places,
    placed: rows.length === 0 ? before.placed : placesFrom + rows.length / (2 * agents) - 1,
    events: [...before.events, ...part.events],
  }
}

/** How a scenario makes one number of the agents' returns. */
export type TeamReward = 'none' | 'sum' | 'mean'

export function teamRewardOf(scenario: Readonly<Record<string, unknown>> | undefined): TeamReward {
  const named = scenario?.teamReward
  return named === 'mean' || named === 'none' ? named : 'sum'
}

/** The scenario's return over a row of N agents. */
export function teamReturn(kind: TeamReward, values: ArrayLike<number>, from = 0, agents = values.length): number {
  let sum = 0
  for (let n = 0; n < agents; n++) sum += values[from + n]
  return kind === 'mean' && agents > 0 ? sum / agents : sum
}

/** Kinds that happen at more than this share of steps say nothing on a timeline and get no marks. */
const COMMON = 1 / 3

/** Events worth a mark: those of kinds that do not happen nearly all the time, and of which all are known. */
export function notable(events: readonly StepEvent[], steps: number): StepEvent[] {
  const stepsOf = new Map<string, Set<number>>()
  const counts = new Map<string, number>()
  for (const { kind, step } of events) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    const seen = stepsOf.get(kind)
    if (seen === undefined) stepsOf.set(kind, new Set([step]))
    else seen.add(step)
  }
  const rare = (kind: string) => counts.get(kind)! < TOO_MANY && stepsOf.get(kind)!.size <= Math.max(3, steps * COMMON)
  return events.filter(({ kind }) => rare(kind))
}

export interface Mark {
  readonly step: number
  readonly kind: string
  /** Events of the kind under this mark. */
  readonly count: number
}

/** One mark per kind and stretch of `stretch` steps, at the first event of the stretch. */
export function marksOf(events: readonly StepEvent[], stretch: number): Mark[] {
  const marks = new Map<string, { step: number; kind: string; count: number }>()
  for (const { step, kind } of events) {
    const key = `${kind}|${Math.floor(step / Math.max(1, stretch))}`
    const mark = marks.get(key)
    if (mark === undefined) marks.set(key, { step, kind, count: 1 })
    else mark.count++
  }
  return [...marks.values()]
}

/** The nearest step with an event before (−1) or after (1) a step, or undefined. Events are in order of steps. */
export function neighbourEvent(events: readonly StepEvent[], step: number, direction: -1 | 1): number | undefined {
  if (direction > 0) return events.find((event) => event.step > step)?.step
  return events.findLast((event) => event.step < step)?.step
}
