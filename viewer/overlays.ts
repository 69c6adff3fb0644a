/**
 * What can be drawn over a world to see more of it, as data: which overlays a replay has, and what each one shows at a
 * step. Knows no pixels; `scenes/overlay-layer.ts` draws it.
 */
import { type ActionSpace, type Entity, type EnvSpec, type Frame } from '../envs/core/types.ts'
import { attentionIn } from './said.ts'
import { type EpisodeInfo, type StepRecord } from './sources/messages.ts'
import { type Overview } from './survey.ts'
import { canWait } from './waiting.ts'

export const OVERLAYS = [
  'trails',
  'ahead',
  'plans',
  'actions',
  'policy',
  'values',
  'sight',
  'sees',
  'attention',
  'waits',
  'visits',
  'happenings',
] as const
export type OverlayId = (typeof OVERLAYS)[number]

export const isOverlay = (id: string): id is OverlayId => (OVERLAYS as readonly string[]).includes(id)

/** Steps that a path reaches back or ahead. */
export const PATH_STEPS = 24

/** Worlds whose pictures are tables: agents have no place in them that a path could lead through. */
const TABLES: ReadonlySet<string> = new Set(['matrix', 'spectrum'])

/** The overlays that have something to show for this replay, in the order of the menu. */
export function overlaysOf(info: EpisodeInfo, overview: Overview, first: Frame): OverlayId[] {
  const moving = !TABLES.has(info.header.env) && movesAtAll(overview, info.agents.length)
  const has: Record<OverlayId, boolean> = {
    trails: moving,
    ahead: moving,
    plans: info.notes.some(({ text }) => plansIn(text).length > 0),
    actions: moving && info.spec !== null,
    policy: moving && info.spec !== null && info.probability !== null && info.spec.actionSize > 0,
    values: moving && info.value !== null,
    sight: first.entities.some((entity) => sightOf(entity) !== null),
    sees:
      info.spec !== null && (seenFeatures(info.spec)[0]?.size > 0 || first.entities.some((e) => squareOf(e) !== null)),
    attention: info.notes.some(({ text }) => text.split('\n').some((line) => attentionIn(line).length > 0)),
    waits: canWait(first),
    visits: moving,
    happenings: moving && overview.events.some(({ at }) => at !== null),
  }
  return OVERLAYS.filter((id) => has[id])
}

/** Whether any agent is ever anywhere else than at the beginning. */
export function movesAtAll({ places, placed }: Overview, agents: number): boolean {
  for (let i = 2 * agents; i < (placed + 1) * agents * 2; i++) {
    const [now, first] = [places[i], places[i % (2 * agents)]]
    if (now !== first && !Number.isNaN(now) && !Number.isNaN(first)) return true
  }
  return false
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** The places of one agent from step `from` to `to`, both included, as far as they are known. */
export function pathOf({ places, placed }: Overview, agents: number, agent: number, from: number, to: number): Point[] {
  const points: Point[] = []
  for (let step = Math.max(0, from); step <= Math.min(placed, to); step++) {
    const i = (step * agents + agent) * 2
    if (!Number.isNaN(places[i])) points.push({ x: places[i], y: places[i + 1] })
  }
  return points
}

/** How often each cell was visited: one count per agent and step. */
export interface Heat {
  readonly cells: ReadonlyMap<string, Point & { readonly count: number }>
  readonly most: number
}

/** Visits up to a step, of one agent or (−1) all. */
export function visits({ places, placed }: Overview, agents: number, agent: number, step: number): Heat {
  const cells = new Map<string, Point & { count: number }>()
  let most = 0
  const from = agent < 0 ? 0 : agent
  const to = agent < 0 ? agents : agent + 1
  for (let t = 0; t <= Math.min(placed, step); t++) {
    for (let n = from; n < to; n++) {
      const i = (t * agents + n) * 2
      if (!Number.isNaN(places[i])) most = Math.max(most, count(cells, places[i], places[i + 1]))
    }
  }
  return { cells, most }
}

/** Where events happened up to a step, of one agent or (null) anybody. */
export function happenings({ events }: Overview, agent: string | null, step: number): Heat {
  const cells = new Map<string, Point & { count: number }>()
  let most = 0
  for (const event of events) {
    if (event.step > step) break
    if (event.at === null || (agent !== null && !event.agents.includes(agent))) continue
    most = Math.max(most, count(cells, event.at.x, event.at.y))
  }
  return { cells, most }
}

function count(cells: Map<string, Point & { count: number }>, x: number, y: number): number {
  const [cx, cy] = [Math.round(x), Math.round(y)]
  const key = `${cx},${cy}`
  const cell = cells.get(key)
  if (cell === undefined) {
    cells.set(key, { x: cx, y: cy, count: 1 })
    return 1
  }
  return ++cell.count
}

export interface Sight {
  readonly shape: 'square' | 'circle'
  /** Cells to each side, or radius, in world units. */
  readonly reach: number
}

/** How far an entity sees, as its state says; null when it does not say. */
export function sightOf(entity: Entity): Sight | null {
  const square = squareOf(entity)
  if (square !== null) return { shape: 'square', reach: square }
  const sight = entity.state?.sight
  return typeof sight === 'number' && sight > 0 && entity.state?.alive !== false
    ? { shape: 'circle', reach: sight }
    : null
}

function squareOf({ state }: Entity): number | null {
  const cells = state?.sensorRange ?? state?.sightCells
  return typeof cells === 'number' && cells > 0 ? cells : null
}

/** For each agent: the features that are above zero exactly while another one is seen, by the other's id. */
export function seenFeatures(spec: EnvSpec): Map<string, number>[] {
  return spec.agents.map(({ observation }) => {
    const seen = new Map<string, number>()
    observation.forEach(({ name, meaning }, index) => {
      const id = /^(.+)\.distance$/.exec(name)?.[1]
      if (id !== undefined && meaning?.includes('0 when unseen')) seen.set(id, index)
    })
    return seen
  })
}

/** Who sees whom at a step: by what the agents observed where the features tell, else by their windows. */
export function seeing(info: EpisodeInfo, record: StepRecord): { from: string; to: string }[] {
  const { spec } = info
  if (spec === null) return []
  const features = seenFeatures(spec)
  const pairs: { from: string; to: string }[] = []
  const { observation } = record
  if (features.some(({ size }) => size > 0)) {
    if (observation === null) return []
    features.forEach((seen, n) => {
      for (const [id, index] of seen) {
        if (observation[n * spec.observationSize + index] > 0) pairs.push({ from: info.agents[n], to: id })
      }
    })
    return pairs
  }
  const agents = new Set(info.agents)
  const drawn = record.frame.entities.filter(({ id }) => agents.has(id))
  for (const from of drawn) {
    const reach = squareOf(from)
    if (reach === null) continue
    for (const to of drawn) {
      const away = Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y))
      if (to !== from && away <= reach) pairs.push({ from: from.id, to: to.id })
    }
  }
  return pairs
}

/** What an agent is about to do, as a sign. `dx`, `dy`: a unit step in world units, y down. */
export type Sign =
  | { readonly kind: 'move'; readonly dx: number; readonly dy: number }
  | { readonly kind: 'turn'; readonly by: -1 | 1 }
  | { readonly kind: 'stay' }
  | { readonly kind: 'at'; readonly id: string }
  | { readonly kind: 'word'; readonly text: string }

const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  north: [0, -1],
  up: [0, -1],
  south: [0, 1],
  down: [0, 1],
  west: [-1, 0],
  left: [-1, 0],
  east: [1, 0],
  right: [1, 0],
}
const STAYS: ReadonlySet<string> = new Set(['noop', 'no-op', 'stay', 'stop', 'none', 'nothing'])

/** @param action the agent's row [D] */
export function signOf(space: ActionSpace, action: ArrayLike<number>, entity: Entity): Sign {
  if (space.kind === 'box') return pushOf(space, action)
  const name =
    space.kind === 'discrete' ? (space.names[action[0]] ?? '') : (space.dimensions[0]?.values[action[0]] ?? '')
  const names = space.kind === 'discrete' ? space.names : (space.dimensions[0]?.values ?? [])
  const word = name.split(',')[0].trim()
  if (STAYS.has(word)) return { kind: 'stay' }
  // In worlds with a way to go forward, left and right are turns.
  if (names.includes('forward')) {
    const heading = entity.heading ?? 0
    if (word === 'forward') return { kind: 'move', dx: Math.sin(heading), dy: -Math.cos(heading) }
    if (word === 'left' || word === 'right') return { kind: 'turn', by: word === 'left' ? -1 : 1 }
  } else if (Object.hasOwn(WAYS, word)) return { kind: 'move', dx: WAYS[word][0], dy: WAYS[word][1] }
  const target = /^(?:attack|heal) (\S+)/.exec(word)?.[1]
  return target === undefined ? { kind: 'word', text: name } : { kind: 'at', id: target }
}

/** The push of a continuous action: its numbers named after ways, added up. */
function pushOf(space: ActionSpace & { kind: 'box' }, action: ArrayLike<number>): Sign {
  let [dx, dy] = [0, 0]
  space.dimensions.forEach(({ name }, d) => {
    if (!Object.hasOwn(WAYS, name)) return
    dx += WAYS[name][0] * action[d]
    dy += WAYS[name][1] * action[d]
  })
  const size = Math.hypot(dx, dy)
  return size < 1e-6 ? { kind: 'stay' } : { kind: 'move', dx: dx / Math.max(1, size), dy: dy / Math.max(1, size) }
}

/**
 * Plans that a policy wrote into a note, one per line: `agent_3 plan 4,5 4,6 5,6` are the cells that it means to visit.
 * Ours; other notes are text.
 */
export function plansIn(text: string): { agent: string; points: Point[] }[] {
  return text.split('\n').flatMap((line) => {
    const match = /^(\S+) plan((?: -?\d+(?:\.\d+)?,-?\d+(?:\.\d+)?)+)$/.exec(line.trim())
    if (match === null) return []
    const points = match[2]
      .trim()
      .split(' ')
      .map((pair) => pair.split(',').map(Number))
      .map(([x, y]) => ({ x, y }))
    return [{ agent: match[1], points }]
  })
}
