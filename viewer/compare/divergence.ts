/** Where two episodes part, and what differs in a step. Pure; the long part runs in a worker. */
import { Resimulation, type Replay } from '../../envs/core/replay.ts'
import { type EnvDefinition, type Entity, type Frame } from '../../envs/core/types.ts'
import { type EpisodeInfo } from '../sources/messages.ts'

export interface Divergence {
  /** First step at which the two act differently, or one has ended and the other goes on; null when they never do. */
  readonly action: number | null
  /** First step at which the states differ; null when they never do. */
  readonly state: number | null
}

/** First step with another joint action, or the end of the shorter one; null when both are the same. */
export function firstAction(
  a: Pick<EpisodeInfo, 'actions' | 'steps' | 'agents'>,
  b: Pick<EpisodeInfo, 'actions' | 'steps' | 'agents'>,
): number | null {
  const steps = Math.min(a.steps, b.steps)
  if (a.agents.length !== b.agents.length) return 0
  const width = a.steps > 0 ? a.actions.length / a.steps : 0
  if (steps > 0 && b.actions.length / b.steps !== width) return 0
  for (let i = 0; i < steps * width; i++) if (!Object.is(a.actions[i], b.actions[i])) return Math.floor(i / width)
  return a.steps === b.steps ? null : steps
}

/**
 * Plays both again, side by side, until their states differ.
 * @param from a step up to which they are known to be the same (0 when nothing is known)
 */
export function firstState(a: [Replay, EnvDefinition], b: [Replay, EnvDefinition], from: number): number | null {
  const [one, other] = [new Resimulation(...a), new Resimulation(...b)]
  const last = Math.min(a[0].steps, b[0].steps)
  for (let step = Math.min(from, last); step <= last; step++) {
    one.seek(step)
    other.seek(step)
    if (one.batch.hash(0) !== other.batch.hash(0)) return step
  }
  return null
}

/** Something that is not the same in both pictures. */
export interface Difference {
  readonly id: string
  /** Where it is in each; null where it is not there. */
  readonly a: { readonly x: number; readonly y: number } | null
  readonly b: { readonly x: number; readonly y: number } | null
}

/** Entities that are elsewhere, turned, or in another condition; compared by id. */
export function differences(a: Frame, b: Frame): Difference[] {
  const others = new Map(b.entities.map((entity) => [entity.id, entity]))
  const found: Difference[] = []
  for (const entity of a.entities) {
    const other = others.get(entity.id)
    others.delete(entity.id)
    if (other !== undefined && same(entity, other)) continue
    found.push({ id: entity.id, a: place(entity), b: other === undefined ? null : place(other) })
  }
  for (const entity of others.values()) found.push({ id: entity.id, a: null, b: place(entity) })
  return found
}

const place = ({ x, y }: Entity) => ({ x, y })

function same(a: Entity, b: Entity): boolean {
  return (
    a.x === b.x &&
    a.y === b.y &&
    a.kind === b.kind &&
    (a.heading ?? 0) === (b.heading ?? 0) &&
    a.team === b.team &&
    sameState(a.state ?? {}, b.state ?? {})
  )
}

function sameState(a: NonNullable<Entity['state']>, b: NonNullable<Entity['state']>): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.is(a[key], b[key]))
}

/** A running total of the worlds, in both. */
export interface Counted {
  readonly name: string
  readonly a: number | null
  readonly b: number | null
}

export function counted(a: Frame, b: Frame): Counted[] {
  const names = [...new Set([...Object.keys(a.counters), ...Object.keys(b.counters)])]
  return names.map((name) => ({ name, a: a.counters[name] ?? null, b: b.counters[name] ?? null }))
}
