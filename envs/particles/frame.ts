/**
 * What a viewer draws of one lane. Frames are ten units wide: the square from -1.25 to 1.25, four units per world unit,
 * y downwards. `state` of an entity holds the world's own numbers.
 */
import { type Entity, type Frame, type FrameEvent } from '../core/types.ts'
import { type Plan } from './options.ts'
import { type ParticleState } from './state.ts'

/** Frame units per world unit. */
export const FRAME_SCALE = 4

/** Half the width of the drawn square, in world units. */
export const FRAME_HALF = 1.25

const toX = (x: number) => (x + FRAME_HALF) * FRAME_SCALE - 0.5
const toY = (y: number) => (FRAME_HALF - y) * FRAME_SCALE - 0.5

/** Static facts for the scene. */
export function sceneOf({ name, bodies, landmarks, task, continuous }: Plan): Record<string, unknown> {
  return {
    task: name,
    scale: FRAME_SCALE,
    half: FRAME_HALF,
    continuous,
    words: task.words,
    goals: [...task.goals],
    bodies: bodies.map(({ id, kind, team, radius, speaks, movable }) => ({ id, kind, team, radius, speaks, movable })),
    landmarks: landmarks.map(({ id, kind, radius }) => ({ id, kind, radius })),
  }
}

/** What an agent says as text: its word, or its words with their strengths where actions are continuous; null: nothing. */
function saying(state: ParticleState, lane: number, n: number): string | null {
  const { plan, agents, words, message } = state
  const row = message.subarray((lane * agents + n) * words, (lane * agents + n + 1) * words)
  if (row.every((value) => value === 0)) return null
  return plan.continuous ? [...row].map((value) => value.toFixed(2)).join(' ') : `${row.indexOf(1)}`
}

/** Landmarks first, then agents, as they cover each other. */
export function frameOf(state: ParticleState, lane: number, step: number): Frame {
  const { plan, agents, entities, goals, position, velocity, goal } = state
  const { bodies, landmarks, task } = plan
  const first = lane * entities * 2
  const x = (e: number) => position[first + 2 * e]
  const y = (e: number) => position[first + 2 * e + 1]
  const list: Entity[] = []
  const events: FrameEvent[] = []
  landmarks.forEach(({ id, kind, radius }, l) => {
    const aims = task.goals.filter((_, g) => goal[lane * goals + g] === l).join(', ')
    const e = agents + l
    list.push({
      id,
      kind,
      x: toX(x(e)),
      y: toY(y(e)),
      state: { number: l, x: x(e), y: y(e), radius, goal: aims === '' ? null : aims },
    })
  })
  bodies.forEach((body, n) => {
    const v = (lane * agents + n) * 2
    list.push({
      id: body.id,
      kind: body.kind,
      x: toX(x(n)),
      y: toY(y(n)),
      team: body.team,
      state: {
        number: n,
        x: x(n),
        y: y(n),
        vx: velocity[v],
        vy: velocity[v + 1],
        radius: body.radius,
        ...(body.speaks ? { says: saying(state, lane, n) } : {}),
      },
    })
  })
  let touching = 0
  for (let a = 0; a < agents; a++) {
    if (!bodies[a].collides) continue
    for (let b = a + 1; b < entities; b++) {
      const other = b < agents ? bodies[b] : landmarks[b - agents]
      if (!other.collides) continue
      const d = Math.sqrt((x(a) - x(b)) * (x(a) - x(b)) + (y(a) - y(b)) * (y(a) - y(b)))
      if (d >= bodies[a].radius + other.radius) continue
      const share = bodies[a].radius / (bodies[a].radius + other.radius) // where the two circles meet
      const at = { x: toX(x(a) + (x(b) - x(a)) * share), y: toY(y(a) + (y(b) - y(a)) * share) }
      const hunt = b < agents && bodies[a].team !== bodies[b].team
      events.push({
        kind: hunt ? 'catch' : 'contact',
        at,
        agents: b < agents ? [bodies[a].id, other.id] : [bodies[a].id],
      })
      touching++
    }
  }
  return { step, entities: list, events, counters: { touching } }
}
