/**
 * Scripted play for every role, with sight of the whole world: greedy spread, pursuit, evasion, and the messages that
 * solve the talking tasks. It drives the agents that nobody controls, and is the policy `particles-greedy`. All of it is
 * our own; no published opponent is behind it.
 */
import { DAMPING, DT, type Plan } from './options.ts'
import { MOVES } from './physics.ts'
import { type ParticleState } from './state.ts'

/** A body with speed v that stops pushing glides on for v dt (1 + 0.75 + 0.75² + …). */
const GLIDE = DT / DAMPING

/** Prey looks this far ahead of chasers, and chasers of prey, in seconds. */
const AHEAD = 0.3

/** How strongly prey shuns what is near: chasers, obstacles from their edge, and the border from 0.9 on. */
const FEAR = { chaser: 1, obstacle: 0.05, border: 8 }

/** Room for one lane: where each agent wants to go or be pushed, and who is assigned. */
export interface Wishes {
  readonly want: Float64Array // [M, 2] push wanted along each axis, in full pushes
  readonly word: Int32Array // [M]
  readonly taken: Uint8Array // [M + L]
}

export function createWishes({ bodies, landmarks }: Plan): Wishes {
  return {
    want: new Float64Array(bodies.length * 2),
    word: new Int32Array(bodies.length),
    taken: new Uint8Array(bodies.length + landmarks.length),
  }
}

/** Wants the push that makes agent `n` glide to a stop at a point. */
function approach(state: ParticleState, lane: number, wishes: Wishes, n: number, x: number, y: number): void {
  const { plan, agents, entities, position, velocity } = state
  const p = (lane * entities + n) * 2
  const v = (lane * agents + n) * 2
  const perPush = plan.bodies[n].push * DT * GLIDE
  wishes.want[2 * n] = (x - position[p] - velocity[v] * GLIDE) / perPush
  wishes.want[2 * n + 1] = (y - position[p + 1] - velocity[v + 1] * GLIDE) / perPush
}

function approachEntity(state: ParticleState, lane: number, wishes: Wishes, n: number, e: number): void {
  const at = (lane * state.entities + e) * 2
  approach(state, lane, wishes, n, state.position[at], state.position[at + 1])
}

function squared({ entities, position }: ParticleState, lane: number, a: number, b: number): number {
  const i = (lane * entities + a) * 2
  const j = (lane * entities + b) * 2
  const dx = position[i] - position[j]
  const dy = position[i + 1] - position[j + 1]
  return dx * dx + dy * dy
}

/** The entity of a range nearest to another; ties go to the lower number. */
function nearestOf(state: ParticleState, lane: number, from: number, to: number, e: number): number {
  let best = from
  for (let other = from + 1; other < to; other++) {
    if (squared(state, lane, other, e) < squared(state, lane, best, e)) best = other
  }
  return best
}

/** The nearest free pair of agent and landmark is matched first, then the nearest of the rest, and so on. */
function spreadOut(state: ParticleState, lane: number, wishes: Wishes): void {
  const { agents, entities } = state
  const { taken } = wishes
  taken.fill(0)
  for (let round = 0; round < agents; round++) {
    let agent = -1
    let landmark = -1
    let least = Infinity
    for (let n = 0; n < agents; n++) {
      if (taken[n] === 1) continue
      for (let e = agents; e < entities; e++) {
        if (taken[e] === 1) continue
        const square = squared(state, lane, n, e)
        if (square >= least) continue
        least = square
        agent = n
        landmark = e
      }
    }
    if (agent < 0) return
    taken[agent] = taken[landmark] = 1
    approachEntity(state, lane, wishes, agent, landmark)
  }
}

/** Chasers head for where the nearest prey will be. */
function pursue(state: ParticleState, lane: number, wishes: Wishes, chasers: number): void {
  const { agents, entities, position, velocity } = state
  for (let n = 0; n < chasers; n++) {
    const prey = nearestOf(state, lane, chasers, agents, n)
    const p = (lane * entities + prey) * 2
    const v = (lane * agents + prey) * 2
    approach(state, lane, wishes, n, position[p] + velocity[v] * AHEAD, position[p + 1] + velocity[v + 1] * AHEAD)
  }
}

/** Prey is pushed off by chasers, obstacles and the border, each the more the nearer it is. */
function evade(state: ParticleState, lane: number, wishes: Wishes, chasers: number): void {
  const { plan, agents, entities, position, velocity } = state
  const { want } = wishes
  const first = lane * entities * 2
  const shun = (n: number, x: number, y: number, strength: number, radius: number) => {
    const dx = position[first + 2 * n] - x
    const dy = position[first + 2 * n + 1] - y
    const d = Math.sqrt(dx * dx + dy * dy)
    const gap = Math.max(0.02, d - radius)
    if (d === 0) return
    want[2 * n] += (strength * dx) / (d * gap * gap)
    want[2 * n + 1] += (strength * dy) / (d * gap * gap)
  }
  for (let n = chasers; n < agents; n++) {
    want[2 * n] = want[2 * n + 1] = 0
    for (let m = 0; m < chasers; m++) {
      const v = (lane * agents + m) * 2
      const p = first + 2 * m
      shun(n, position[p] + velocity[v] * AHEAD, position[p + 1] + velocity[v + 1] * AHEAD, FEAR.chaser, 0)
    }
    for (let e = agents; e < entities; e++) {
      const { kind, radius } = plan.landmarks[e - agents]
      if (kind === 'obstacle') shun(n, position[first + 2 * e], position[first + 2 * e + 1], FEAR.obstacle, radius)
    }
    for (let axis = 0; axis < 2; axis++) {
      const ahead = position[first + 2 * n + axis] + velocity[(lane * agents + n) * 2 + axis] * AHEAD
      const near = Math.max(0, Math.abs(ahead) - 0.75)
      want[2 * n + axis] -= (ahead < 0 ? -1 : 1) * near * near * FEAR.border * FEAR.border
    }
  }
}

/** One good agent, the nearest, covers the goal; the others cover one of the rest each. */
function cover(state: ParticleState, lane: number, wishes: Wishes): void {
  const { agents, entities, goal } = state
  const aim = agents + goal[lane]
  const chosen = nearestOf(state, lane, 1, agents, aim)
  approachEntity(state, lane, wishes, chosen, aim)
  let landmark = agents
  for (let n = 1; n < agents; n++) {
    if (n === chosen) continue
    if (landmark === aim) landmark++
    approachEntity(state, lane, wishes, n, landmark < entities ? landmark : aim)
    landmark++
  }
}

/** An adversary that does not know the goal goes to the landmark that a good agent is nearest to. */
function guess(state: ParticleState, lane: number, wishes: Wishes): void {
  const { agents, entities } = state
  let best = agents
  let least = Infinity
  for (let e = agents; e < entities; e++) {
    const square = squared(state, lane, nearestOf(state, lane, 1, agents, e), e)
    if (square >= least) continue
    least = square
    best = e
  }
  approachEntity(state, lane, wishes, 0, best)
}

/** Goes to the landmark whose number was heard; stays while nothing was. */
function follow(state: ParticleState, lane: number, wishes: Wishes, n: number, speaker: number): void {
  const { agents, entities, words, message } = state
  const row = (lane * agents + speaker) * words
  let heard = 0
  for (let w = 1; w < words; w++) if (message[row + w] > message[row + heard]) heard = w
  if (message[row + heard] > 0 && agents + heard < entities) approachEntity(state, lane, wishes, n, agents + heard)
}

/** Works out what every agent of a lane wants to do and say. */
export function wish(state: ParticleState, lane: number, wishes: Wishes): void {
  const { plan, goal, agents } = state
  const { want, word } = wishes
  want.fill(0)
  word.fill(0)
  switch (plan.name) {
    case 'spread':
      return spreadOut(state, lane, wishes)
    case 'tag':
    case 'world-comm':
      pursue(state, lane, wishes, plan.counts.adversaries)
      return evade(state, lane, wishes, plan.counts.adversaries)
    case 'adversary':
      guess(state, lane, wishes)
      return cover(state, lane, wishes)
    case 'push':
      guess(state, lane, wishes)
      return approachEntity(state, lane, wishes, 1, agents + goal[lane])
    case 'speaker-listener':
      word[0] = goal[lane]
      return follow(state, lane, wishes, 1, 0)
    case 'reference':
      word[0] = goal[lane * 2]
      word[1] = goal[lane * 2 + 1]
      follow(state, lane, wishes, 0, 1)
      return follow(state, lane, wishes, 1, 0)
    case 'crypto': {
      // Alice says whether colour and key differ, bob undoes it, eve guesses.
      const [theGoal, key] = [goal[lane * 2], goal[lane * 2 + 1]]
      const row = (lane * agents + 2) * state.words
      word[2] = theGoal === key ? 0 : 1
      word[1] = state.message[row + 1] > state.message[row] ? 1 - key : key
      return
    }
  }
}

/**
 * Writes agent `n`'s wish as an action.
 * @param action [.., D] from `at` on
 */
export function act(
  plan: Plan,
  wishes: Wishes,
  n: number,
  action: Int32Array | Float32Array,
  at: number,
  dims: number,
): void {
  const { movable, speaks } = plan.bodies[n]
  const x = wishes.want[2 * n]
  const y = wishes.want[2 * n + 1]
  const word = wishes.word[n]
  if (plan.continuous) {
    for (let d = 0; d < dims; d++) action[at + d] = 0
    let next = at
    if (movable) {
      const along = x * x > y * y ? Math.abs(x) : Math.abs(y)
      const scale = along > 1 ? 1 / along : 1
      action[at + (x > 0 ? 2 : 1)] = Math.min(1, Math.abs(x * scale))
      action[at + (y > 0 ? 4 : 3)] = Math.min(1, Math.abs(y * scale))
      next += MOVES.length
    }
    if (speaks) action[next + word] = 1
    return
  }
  // Half a push or less is not worth one.
  const wide = x * x > y * y
  const size = wide ? x : y
  const move = Math.abs(size) <= 0.5 ? 0 : wide ? (size > 0 ? 2 : 1) : size > 0 ? 4 : 3
  action[at] = movable ? move + (speaks ? 5 * word : 0) : word
}
