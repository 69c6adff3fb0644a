/** One step of the world: pushes, contacts, movement, messages. All from mpe2 1.1.0, `_mpe_utils/core.py`. */
import { softplusIn } from '../core/exponential.ts'
import { type Arena } from '../core/arena.ts'
import { DAMPING, DT, MARGIN, REACH_MARGINS, STIFFNESS, type Plan } from './options.ts'
import { measure } from './distance.ts'
import { type Machine } from './machine.ts'
import { numbers, type ParticleState } from './state.ts'

/** What an agent may do with its body, by number. */
export const MOVES = ['stay', 'left', 'right', 'down', 'up'] as const

const PUSH_X = Float64Array.of(0, -1, 1, 0, 0)
const PUSH_Y = Float64Array.of(0, 0, 0, -1, 1)

/** Tables of one plan, and room for the forces of all lanes. */
export interface Physics {
  readonly force: Float64Array // [B, M, 2] scratch
  readonly movable: Uint8Array // [M]
  readonly speaks: Uint8Array // [M]
  readonly plain: boolean // everybody moves and nobody speaks
  readonly push: Float64Array // [M] force of a full push
  readonly pushes: Float64Array // [M, moves, 2] force of each move
  readonly limit: Float64Array // [M] largest speed, 0 = none
  // Pairs of entities that can push each other, the lower number first, in the order the original visits them.
  readonly pairs: number // P
  readonly first: Int32Array // [P] twice the entity's number
  readonly second: Int32Array // [P]
  readonly touch: Float64Array // [P] sum of radii
  readonly reach: Float64Array // [P] square of the distance from which on there is no force
}

export function createPhysics(plan: Plan, lanes: number, arena: Arena | null): Physics {
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
    force: numbers(arena, lanes * bodies.length * 2),
    movable: Uint8Array.from(bodies, (body) => (body.movable ? 1 : 0)),
    speaks: Uint8Array.from(bodies, (body) => (body.speaks ? 1 : 0)),
    plain: bodies.every((body) => body.movable && !body.speaks),
    push: Float64Array.from(bodies, (body) => body.push),
    pushes: Float64Array.from(
      bodies.flatMap(({ push }) => MOVES.flatMap((_, m) => [PUSH_X[m] * push, PUSH_Y[m] * push])),
    ),
    limit: Float64Array.from(bodies, (body) => body.limit),
    pairs: pairs.length,
    first: Int32Array.from(pairs, ([i]) => 2 * i),
    second: Int32Array.from(pairs, ([, j]) => 2 * j),
    touch,
    reach: touch.map((sum) => (sum + REACH_MARGINS * MARGIN) * (sum + REACH_MARGINS * MARGIN)),
  }
}

/** Forces of the agents' own pushes, and what they say. */
function decode(state: ParticleState, physics: Physics, action: ArrayLike<number>, dims: number, lane: number): void {
  const { plan, agents, words, message } = state
  const { force, movable, speaks, push, pushes } = physics
  for (let n = 0; n < agents; n++) {
    const i = lane * agents + n
    let x = 0
    let y = 0
    if (plan.continuous) {
      const at = i * dims
      let next = at
      if (movable[n] === 1) {
        x = (action[at + 2] - action[at + 1]) * push[n]
        y = (action[at + 4] - action[at + 3]) * push[n]
        next += MOVES.length
      }
      if (speaks[n] === 1) for (let w = 0; w < words; w++) message[i * words + w] = action[next + w]
    } else {
      let word = action[i]
      if (movable[n] === 1) {
        const move = word % 5
        x = pushes[n * 10 + 2 * move]
        y = pushes[n * 10 + 2 * move + 1]
        word = (word - move) / 5
      }
      if (speaks[n] === 1) for (let w = 0; w < words; w++) message[i * words + w] = w === word ? 1 : 0
    }
    force[2 * i] = x
    force[2 * i + 1] = y
  }
}

/** `decode` of choices where everybody moves and nobody speaks, for the listed lanes. */
function decodeMoves(
  { agents }: ParticleState,
  { force, pushes }: Physics,
  action: Int32Array,
  lanes: Int32Array,
  count: number,
): void {
  for (let k = 0; k < count; k++) {
    const row = lanes[k] * agents
    for (let n = 0; n < agents; n++) {
      const i = row + n
      const from = n * 10 + 2 * action[i]
      force[2 * i] = pushes[from]
      force[2 * i + 1] = pushes[from + 1]
    }
  }
}

/** Adds the contact forces of the listed lanes to those of the pushes. */
function collide(state: ParticleState, physics: Physics, lanes: Int32Array, count: number): void {
  const { entities, position } = state
  const { pairs, first, second, reach } = physics
  for (let k = 0; k < count; k++) {
    const from = lanes[k] * entities * 2
    for (let p = 0; p < pairs; p++) {
      const a = from + first[p]
      const b = from + second[p]
      const dx = position[a] - position[b]
      const dy = position[a + 1] - position[b + 1]
      if (dx * dx + dy * dy < reach[p]) press(state, physics, lanes[k], p)
    }
  }
}

/** Room for one number: what stands in an array is never boxed between functions. */
const room = new Float64Array(1)

/** The pair `p` of a lane, near enough, pushes each other: stiffness times the soft overlap along the line of centres. */
export function press({ agents, entities, position }: ParticleState, physics: Physics, lane: number, p: number): void {
  const { force, movable, first, second, touch } = physics
  const a = first[p]
  const b = second[p]
  const from = lane * entities * 2
  const to = lane * agents * 2
  const dx = position[from + a] - position[from + b]
  const dy = position[from + a + 1] - position[from + b + 1]
  const d = Math.sqrt(dx * dx + dy * dy)
  room[0] = -(d - touch[p]) / MARGIN
  softplusIn(room)
  const size = room[0] * MARGIN
  // At the very same place the original divides zero by zero; here the lower number is pushed to the right.
  const x = d === 0 ? STIFFNESS * size : ((STIFFNESS * dx) / d) * size
  const y = d === 0 ? 0 : ((STIFFNESS * dy) / d) * size
  if (a < agents * 2 && movable[a >> 1] === 1) {
    force[to + a] += x
    force[to + a + 1] += y
  }
  if (b < agents * 2 && movable[b >> 1] === 1) {
    force[to + b] -= x
    force[to + b + 1] -= y
  }
}

/** Moves the bodies of the listed lanes. */
function integrate(state: ParticleState, physics: Physics, lanes: Int32Array, count: number): void {
  const { plan, agents, entities, position, velocity } = state
  const { force, movable, limit } = physics
  const { legacy } = plan
  for (let k = 0; k < count; k++) {
    let v = lanes[k] * agents * 2
    let p = lanes[k] * entities * 2
    for (let n = 0; n < agents; n++, v += 2, p += 2) {
      if (movable[n] === 0) continue
      const oldX = velocity[v]
      const oldY = velocity[v + 1]
      let x = oldX * (1 - DAMPING) + force[v] * DT
      let y = oldY * (1 - DAMPING) + force[v + 1] * DT
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
}

/**
 * One step of the listed lanes, rewards aside, whose distances it measures.
 * @param action [B, M, D] discrete choices, or numbers of 0 to 1; already checked
 */
export function advance(
  state: ParticleState,
  physics: Physics,
  machine: Machine | null,
  action: Int32Array | Float32Array,
  dims: number,
  lanes: Int32Array,
  count: number,
): void {
  if (physics.plain && action instanceof Int32Array) decodeMoves(state, physics, action, lanes, count)
  else for (let k = 0; k < count; k++) decode(state, physics, action, dims, lanes[k])
  if (machine === null) {
    collide(state, physics, lanes, count)
    integrate(state, physics, lanes, count)
    measure(state, lanes, count)
    return
  }
  machine.choose(lanes, count)
  machine.collide()
  machine.move()
  machine.measure()
}
