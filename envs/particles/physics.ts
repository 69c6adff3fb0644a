/** One step of the world: pushes, contacts, movement, messages. All from mpe2 1.1.0, `_mpe_utils/core.py`. */
import { softplus } from '../core/exponential.ts'
import { DAMPING, DT, MARGIN, REACH_MARGINS, STIFFNESS, type Plan } from './options.ts'
import { type ParticleState } from './state.ts'

/** What an agent may do with its body, by number. */
export const MOVES = ['stay', 'left', 'right', 'down', 'up'] as const

const PUSH_X = Float64Array.of(0, -1, 1, 0, 0)
const PUSH_Y = Float64Array.of(0, 0, 0, -1, 1)

/** Tables of one plan, and room for the forces of a lane. */
export interface Physics {
  readonly force: Float64Array // [M, 2] scratch
  readonly movable: Uint8Array // [M]
  readonly speaks: Uint8Array // [M]
  readonly push: Float64Array // [M] force of a full push
  readonly limit: Float64Array // [M] largest speed, 0 = none
  // Pairs of entities that can push each other, the lower number first, in the order the original visits them.
  readonly pairs: number // P
  readonly first: Int32Array // [P]
  readonly second: Int32Array // [P]
  readonly touch: Float64Array // [P] sum of radii
  readonly reach: Float64Array // [P] square of the distance from which on there is no force
}

export function createPhysics(plan: Plan): Physics {
  const { bodies, landmarks } = plan
  const entities = [...bodies, ...landmarks.map((landmark) => ({ ...landmark, movable: false }))]
  const pairs: [number, number][] = []
  entities.forEach((a, i) =>
    entities.forEach((b, j) => {
      if (j > i && a.collides && b.collides && (a.movable || b.movable)) pairs.push([i, j])
    }),
  )
  const touch = Float64Array.from(pairs, ([i, j]) => entities[i].radius + entities[j].radius)
  return {
    force: new Float64Array(bodies.length * 2),
    movable: Uint8Array.from(bodies, (body) => (body.movable ? 1 : 0)),
    speaks: Uint8Array.from(bodies, (body) => (body.speaks ? 1 : 0)),
    push: Float64Array.from(bodies, (body) => body.push),
    limit: Float64Array.from(bodies, (body) => body.limit),
    pairs: pairs.length,
    first: Int32Array.from(pairs, ([i]) => i),
    second: Int32Array.from(pairs, ([, j]) => j),
    touch,
    reach: touch.map((sum) => (sum + REACH_MARGINS * MARGIN) * (sum + REACH_MARGINS * MARGIN)),
  }
}

/** Size of a contact force at distance d of bodies that touch at distance `touch`. */
function contact(d: number, touch: number): number {
  return softplus(-(d - touch) / MARGIN) * MARGIN
}

/** Forces of the agents' own pushes, and what they say. */
function decode(state: ParticleState, physics: Physics, action: ArrayLike<number>, dims: number, lane: number): void {
  const { plan, agents, words, message } = state
  const { force, movable, speaks, push } = physics
  for (let n = 0; n < agents; n++) {
    const at = (lane * agents + n) * dims
    let x = 0
    let y = 0
    if (plan.continuous) {
      let next = at
      if (movable[n] === 1) {
        x = action[at + 2] - action[at + 1]
        y = action[at + 4] - action[at + 3]
        next += MOVES.length
      }
      if (speaks[n] === 1) {
        const said = (lane * agents + n) * words
        for (let w = 0; w < words; w++) message[said + w] = action[next + w]
      }
    } else {
      let word = action[at]
      if (movable[n] === 1) {
        const move = word % 5
        x = PUSH_X[move]
        y = PUSH_Y[move]
        word = (word - move) / 5
      }
      if (speaks[n] === 1) {
        const said = (lane * agents + n) * words
        for (let w = 0; w < words; w++) message[said + w] = w === word ? 1 : 0
      }
    }
    force[2 * n] = x * push[n]
    force[2 * n + 1] = y * push[n]
  }
}

/** Adds the contact forces of a lane to those of the pushes. */
function collide(state: ParticleState, physics: Physics, lane: number): void {
  const { agents, entities, position } = state
  const { force, movable, pairs, first, second, touch, reach } = physics
  const from = lane * entities * 2
  for (let p = 0; p < pairs; p++) {
    const a = first[p] * 2
    const b = second[p] * 2
    const dx = position[from + a] - position[from + b]
    const dy = position[from + a + 1] - position[from + b + 1]
    const square = dx * dx + dy * dy
    if (square >= reach[p]) continue
    const d = Math.sqrt(square)
    const size = contact(d, touch[p])
    // At the very same place the original divides zero by zero; here the lower number is pushed to the right.
    const x = d === 0 ? STIFFNESS * size : ((STIFFNESS * dx) / d) * size
    const y = d === 0 ? 0 : ((STIFFNESS * dy) / d) * size
    if (a < agents * 2 && movable[a >> 1] === 1) {
      force[a] += x
      force[a + 1] += y
    }
    if (b < agents * 2 && movable[b >> 1] === 1) {
      force[b] -= x
      force[b + 1] -= y
    }
  }
}

/** Moves the bodies of a lane. */
function integrate(state: ParticleState, physics: Physics, lane: number): void {
  const { plan, agents, entities, position, velocity } = state
  const { force, movable, limit } = physics
  const { legacy } = plan
  for (let n = 0; n < agents; n++) {
    if (movable[n] === 0) continue
    const v = (lane * agents + n) * 2
    const p = (lane * entities + n) * 2
    const oldX = velocity[v]
    const oldY = velocity[v + 1]
    let x = oldX * (1 - DAMPING) + force[2 * n] * DT
    let y = oldY * (1 - DAMPING) + force[2 * n + 1] * DT
    if (limit[n] > 0) {
      const speed = Math.sqrt(x * x + y * y)
      if (speed > limit[n]) {
        x = (x / speed) * limit[n]
        y = (y / speed) * limit[n]
      }
    }
    velocity[v] = x
    velocity[v + 1] = y
    position[p] += (legacy ? x : oldX) * DT
    position[p + 1] += (legacy ? y : oldY) * DT
  }
}

/**
 * One step of the listed lanes, rewards aside.
 * @param action [B, M, D] discrete choices, or numbers of 0 to 1; already checked
 */
export function advance(
  state: ParticleState,
  physics: Physics,
  action: ArrayLike<number>,
  dims: number,
  lanes: Int32Array,
  count: number,
): void {
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    decode(state, physics, action, dims, lane)
    collide(state, physics, lane)
    integrate(state, physics, lane)
  }
}
