/** Bodies and landmarks as most tasks have them (mpe2 1.1.0, `core.py` and the scenarios). */
import { type Body, type Landmark } from '../task.ts'

/** A silent agent that moves and collides; what differs is given. */
export function body(id: string, team: string, more: Partial<Body>): Body {
  return {
    id,
    team,
    kind: 'agent',
    radius: 0.05,
    collides: true,
    movable: true,
    speaks: false,
    push: 5,
    limit: 0,
    ...more,
  }
}

/** `count` landmarks that nothing bumps into; what differs is given. */
export function landmarks(count: number, more: Partial<Landmark> = {}): Landmark[] {
  const kind = more.kind ?? 'landmark'
  return Array.from({ length: count }, (_, l) => ({ id: `${kind}_${l}`, kind, radius: 0.05, collides: false, ...more }))
}

/** Things by number. */
export function several<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n))
}
