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
 * Every entity of `before`, moved by `fraction` towards its place in `after`. Entities that only one of the frames has
 * do not move.
 * @param fraction 0 to 1; 0 gives `before`
 */
export function tween(before: Frame, after: Frame, fraction: number): Placed[] {
  if (fraction <= 0 || before === after) return before.entities.map((entity) => place(entity))
  const next = new Map(after.entities.map((entity) => [entity.id, entity]))
  return before.entities.map((entity) => {
    const placed = place(entity)
    const to = next.get(entity.id)
    if (to === undefined) return placed
    if (Math.abs(to.x - entity.x) <= LONGEST_GLIDE && Math.abs(to.y - entity.y) <= LONGEST_GLIDE) {
      placed.x += (to.x - entity.x) * fraction
      placed.y += (to.y - entity.y) * fraction
    }
    placed.heading = tweenAngle(placed.heading, to.heading ?? placed.heading, fraction)
    return placed
  })
}

function place(entity: Entity): Placed {
  return { entity, x: entity.x, y: entity.y, heading: entity.heading ?? 0 }
}
