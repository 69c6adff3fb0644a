/**
 * Why somebody does not get on: who stands in the way of whom, and where the queue begins. Read from two frames of a
 * world in which agents have a heading and say that they were blocked (the warehouse); decides nothing about rules.
 */
import { type Entity, type Frame } from '../envs/core/types.ts'
import { indexOf } from './tween.ts'

export type Obstacle =
  /** Another agent is in the cell that was wanted; it was there before, or came first. */
  | { readonly kind: 'agent'; readonly id: string; readonly came: boolean }
  /** A thing is there that a loaded agent cannot pass under. */
  | { readonly kind: 'thing'; readonly id: string }
  /** The frames do not show what it was. */
  | { readonly kind: 'unknown' }

export interface Wait {
  readonly agent: string
  /** The cell it wanted. */
  readonly x: number
  readonly y: number
  readonly obstacle: Obstacle
}

const isBlocked = (entity: Entity) => entity.state?.blocked === true && entity.heading !== undefined

/** Whether a world says what this page can explain. */
export function canWait(frame: Frame): boolean {
  return frame.entities.some(({ heading, state }) => heading !== undefined && typeof state?.blocked === 'boolean')
}

/** Everybody who was blocked in the step that led to `frame`. @param before the frame of the step before, if known */
export function waits(frame: Frame, before: Frame | null): Wait[] {
  const blocked = frame.entities.filter(isBlocked)
  if (blocked.length === 0) return []
  const agents = new Map<string, Entity>()
  const things = new Map<string, Entity>()
  const key = (x: number, y: number) => `${x},${y}`
  for (const entity of frame.entities) {
    if (entity.heading !== undefined) agents.set(key(entity.x, entity.y), entity)
    else if (entity.state?.carriedBy === null) things.set(key(entity.x, entity.y), entity)
  }
  return blocked.map((entity) => {
    const [x, y] = [entity.x + Math.round(Math.sin(entity.heading!)), entity.y - Math.round(Math.cos(entity.heading!))]
    const other = agents.get(key(x, y))
    const thing = things.get(key(x, y))
    let obstacle: Obstacle = { kind: 'unknown' }
    // A loaded agent is stopped by a standing thing even where somebody is under it.
    if (thing !== undefined && entity.state?.carrying != null) obstacle = { kind: 'thing', id: thing.id }
    else if (other !== undefined) {
      const index = before === null ? undefined : indexOf(before, other.id)
      const past = index === undefined ? other : before!.entities[index]
      obstacle = { kind: 'agent', id: other.id, came: past.x !== x || past.y !== y }
    }
    return { agent: entity.id, x, y, obstacle }
  })
}

/** Where a queue of waiting agents begins. */
export type Root =
  /** Two that want each other's cell. */
  | { readonly kind: 'faceToFace'; readonly agents: readonly [string, string] }
  /** The first of the queue did not want to drive on. */
  | { readonly kind: 'stands'; readonly id: string }
  /** The first of the queue moved into the cell in this step. */
  | { readonly kind: 'came'; readonly id: string }
  | { readonly kind: 'thing'; readonly agent: string; readonly id: string }
  | { readonly kind: 'unknown' }

export interface Queue {
  /** From the one asked about to the one in front. */
  readonly chain: readonly string[]
  readonly root: Root
}

/** Follows the queue from one waiting agent to its beginning; null when it was not blocked. */
export function queueOf(all: readonly Wait[], agent: string): Queue | null {
  const byAgent = new Map(all.map((wait) => [wait.agent, wait]))
  const chain: string[] = []
  let at = agent
  for (;;) {
    const wait = byAgent.get(at)
    if (wait === undefined) {
      if (chain.length === 0) return null
      return { chain: [...chain, at], root: { kind: 'stands', id: at } }
    }
    chain.push(at)
    const { obstacle } = wait
    if (obstacle.kind === 'thing') return { chain, root: { kind: 'thing', agent: at, id: obstacle.id } }
    if (obstacle.kind === 'unknown') return { chain, root: obstacle }
    if (obstacle.came) return { chain: [...chain, obstacle.id], root: { kind: 'came', id: obstacle.id } }
    if (chain.includes(obstacle.id)) return { chain, root: { kind: 'faceToFace', agents: [obstacle.id, at] } }
    at = obstacle.id
  }
}

/** Pairs that face each other and block each other. */
export function deadlocks(all: readonly Wait[]): [string, string][] {
  const wanted = new Map(
    all.flatMap(({ agent, obstacle }) => (obstacle.kind === 'agent' ? [[agent, obstacle.id]] : [])),
  )
  return [...wanted].filter(([a, b]) => a < b && wanted.get(b) === a) as [string, string][]
}
