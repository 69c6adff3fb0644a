/** Places between two frames. Movement is inferred by comparing frames by entity id; scenes decide nothing about rules. */
import { type Entity, type Frame } from '../envs/core/types.ts'

/** Moves longer than this, in world units, are jumps (a respawn) and are not drawn as movement. */
const LONGEST_GLIDE = 2.5
const TURN = 2 * Math.PI

/** Where to draw an entity now. `entity` holds the facts of the step shown; they change on whole steps only. */
export interface Placed {
  readonly entity: Entity
  x: number
  y: number
  /** Radians clockwise from up. */
  heading: number
}

/** The shorter way round between two angles. */
export function tweenAngle(from: number, to: number, fraction: number): number {
  let turn = (to - from) % TURN
  if (turn > Math.PI) turn -= TURN
  if (turn < -Math.PI) turn += TURN
  return from + turn * fraction
}

/**
 * Every entity of `before`, or those at `indices`, moved by `fraction` towards their places in `after`. Entities that
 * only one of the frames has do not move.
 * @param fraction 0 to 1; 0 gives `before`
 */
export function tween(before: Frame, after: Frame, fraction: number, indices?: readonly number[]): Placed[] {
  const moving = fraction > 0 && before !== after
  const move = (entity: Entity, index: number) =>
    moving ? moved(entity, partner(after, entity, index), fraction) : place(entity)
  if (indices === undefined) return before.entities.map(move)
  return indices.map((index) => move(before.entities[index], index))
}

/** Where one entity is drawn; null when `before` does not have it. */
export function placeOf(before: Frame, after: Frame, fraction: number, id: string): Placed | null {
  const index = indexOf(before, id)
  if (index === undefined) return null
  const entity = before.entities[index]
  return fraction > 0 && before !== after ? moved(entity, partner(after, entity, index), fraction) : place(entity)
}

/** Places in the lists of entities by id, counted at most once per frame. */
const INDICES = new WeakMap<Frame, Map<string, number>>()

/** Where entities stood when they were last looked for: mostly they are there again. */
const HINTS = new Map<string, number>()

/** Where an entity stands in the list of a frame. */
export function indexOf(frame: Frame, id: string): number | undefined {
  const hint = HINTS.get(id)
  if (hint !== undefined && frame.entities[hint]?.id === id) return hint
  let indices = INDICES.get(frame)
  if (indices === undefined) {
    indices = new Map(frame.entities.map((entity, index) => [entity.id, index]))
    INDICES.set(frame, indices)
  }
  const index = indices.get(id)
  if (index !== undefined) HINTS.set(id, index)
  return index
}

export function entityOf(frame: Frame, id: string): Entity | undefined {
  const index = indexOf(frame, id)
  return index === undefined ? undefined : frame.entities[index]
}

/** The same entity in the next frame. Worlds list theirs in one order, so that it is mostly at the same place. */
function partner(after: Frame, entity: Entity, index: number): Entity | undefined {
  const same = after.entities[index]
  if (same === undefined || same.id !== entity.id) {
    return entityOf(after, entity.id)
  }
  return same
}

function moved(entity: Entity, to: Entity | undefined, fraction: number): Placed {
  const placed = place(entity)
  if (to === undefined) return placed
  if (Math.abs(to.x - entity.x) <= LONGEST_GLIDE && Math.abs(to.y - entity.y) <= LONGEST_GLIDE) {
    placed.x += (to.x - entity.x) * fraction
    placed.y += (to.y - entity.y) * fraction
  }
  placed.heading = tweenAngle(placed.heading, to.heading ?? placed.heading, fraction)
  return placed
}

function place(entity: Entity): Placed {
  return { entity, x: entity.x, y: entity.y, heading: entity.heading ?? 0 }
}
