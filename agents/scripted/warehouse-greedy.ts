/**
 * A scripted warehouse crew that sees the whole floor: what a sensible dispatcher reaches without learning.
 *
 * Tasks: every free robot takes the requested shelf it reaches first, no two the same; a loaded one drives to the nearest
 * goal, then to the nearest empty shelf home. Ways are shortest in actions, turns included.
 * Traffic: priority inheritance with backtracking (PIBT; Okumura et al. 2022, algorithm 1), on cells, one step at a time,
 * priority = steps spent on the task. Two additions for robots with headings and dead ends, both ours: a robot that must
 * still turn keeps its claim on the next cell, and one that finds the robot ahead boxed in backs off and lets it out.
 */
import { type EnvBatch, type EnvSpec } from '../../envs/core/index.ts'
import { type WarehouseWorld } from '../../envs/warehouse/index.ts'
import { type ActionBatch, type PolicyDefinition, type PrivilegedPolicy } from '../core/policy.ts'

const NOOP = 0
const FORWARD = 1
const LEFT = 2
const RIGHT = 3
const TOGGLE = 4

/** Headings up, down, left, right: the next one to the left and to the right. */
const LEFT_OF = Uint8Array.of(2, 3, 1, 0)
const RIGHT_OF = Uint8Array.of(3, 2, 0, 1)
/** Turns between two headings, [4, 4]. */
const TURNS = Uint8Array.from({ length: 16 }, (_, at) => {
  const from = at >> 2
  const to = at & 3
  return from === to ? 0 : LEFT_OF[from] === to || RIGHT_OF[from] === to ? 1 : 2
})

const FAR = 65_535 // no way
const NONE = -1

type Layout = WarehouseWorld['plan']['layout']

/** Per lane and played robot: what it is up to. */
interface Memory {
  readonly target: Int32Array // [B, n] cell it drives to, NONE without a task
  readonly task: Uint8Array // [B, n] FETCH, DELIVER, RETURN or REST
  readonly since: Int32Array // [B, n] steps spent on the task
}

const REST = 0
const FETCH = 1
const DELIVER = 2
const RETURN = 3

/** The cell behind a robot that faces `heading` in `cell`, NONE at a wall. */
function behind(layout: Layout, cell: number, heading: number): number {
  const back = layout.neighbour[cell * 4 + RIGHT_OF[RIGHT_OF[heading]]]
  return back === cell ? NONE : back
}

/**
 * Actions to the nearest of the target cells from every cell and heading, [C, 4], by breadth-first search backwards.
 * A robot may start anywhere; `open` cells are those it may drive through.
 */
function distances(layout: Layout, targets: ArrayLike<number>, open: (cell: number) => boolean): Uint16Array {
  const { cells } = layout
  const cost = new Uint16Array(cells * 4).fill(FAR)
  const queue = new Int32Array(cells * 4)
  let tail = 0
  const isTarget = new Uint8Array(cells)
  for (let t = 0; t < targets.length; t++) {
    isTarget[targets[t]] = 1
    for (let heading = 0; heading < 4; heading++) {
      cost[targets[t] * 4 + heading] = 0
      queue[tail++] = targets[t] * 4 + heading
    }
  }
  const reach = (state: number, value: number) => {
    if (cost[state] !== FAR) return
    cost[state] = value
    queue[tail++] = state
  }
  for (let head = 0; head < tail; head++) {
    const state = queue[head]
    const cell = state >> 2
    const heading = state & 3
    const next = cost[state] + 1
    reach(cell * 4 + LEFT_OF[heading], next)
    reach(cell * 4 + RIGHT_OF[heading], next)
    const from = behind(layout, cell, heading)
    if (from !== NONE && (isTarget[cell] === 1 || open(cell))) reach(from * 4 + heading, next)
  }
  return cost
}

/** Fields of distances that never change, computed when first asked for. */
class Ways {
  private readonly empty = new Map<number, Uint16Array>()
  private readonly loaded = new Map<number, Uint16Array>()
  private goals: Uint16Array | undefined

  constructor(readonly layout: Layout) {}

  /** Without a shelf every cell is open. */
  to(target: number): Uint16Array {
    let field = this.empty.get(target)
    if (field === undefined) this.empty.set(target, (field = distances(this.layout, [target], () => true)))
    return field
  }

  /** With a shelf over corridors only; homes are where such a way may start or end. */
  loadedTo(target: number): Uint16Array {
    const { layout } = this
    let field = this.loaded.get(target)
    if (field === undefined) {
      this.loaded.set(target, (field = distances(layout, [target], (cell) => layout.highway[cell] === 1)))
    }
    return field
  }

  loadedToGoal(): Uint16Array {
    const { layout } = this
    this.goals ??= distances(layout, layout.goals, (cell) => layout.highway[cell] === 1)
    return this.goals
  }
}

class Crew implements PrivilegedPolicy {
  readonly name = 'warehouse-greedy'
  readonly privileged = true
  private ways: Ways | undefined
  // Scratch of one lane, by robot of the world.
  private readonly next: Int32Array // cell it will be in, NONE undecided
  private readonly facing: Int32Array // heading towards it
  private readonly field: (Uint16Array | null)[] // distances to its target
  private readonly played: Int32Array // its place among the played robots, NONE for others
  private readonly order: Int32Array // robots by priority
  private readonly rank: Int32Array // priority by robot
  private reserved = new Int32Array(0) // [C] robot + 1 that will be there
  // The lane being planned.
  private world!: WarehouseWorld
  private first = 0
  private floor = 0

  constructor(spec: EnvSpec) {
    const robots = spec.world.agents.length
    const row = () => new Int32Array(robots)
    this.next = row()
    this.facing = row()
    this.field = new Array<Uint16Array | null>(robots).fill(null)
    this.played = row()
    this.order = row()
    this.rank = row()
  }

  memory(lanes: number, agents: number): Memory {
    return {
      target: new Int32Array(lanes * agents).fill(NONE),
      task: new Uint8Array(lanes * agents),
      since: new Int32Array(lanes * agents),
    }
  }

  act(batch: EnvBatch, agents: Int32Array, memory: unknown, out: ActionBatch): void {
    const world = batch.world as WarehouseWorld
    const { layout, robots } = world.plan
    const crew = memory as Memory
    if (this.ways?.layout !== layout) {
      this.ways = new Ways(layout)
      this.reserved = new Int32Array(layout.cells)
    }
    this.world = world
    const { actionDims, seats } = batch.spec
    const { played } = this
    played.fill(NONE)
    for (let k = 0; k < agents.length; k++) played[seats[agents[k]]] = k
    out.action.fill(NOOP)
    for (let lane = 0; lane < batch.lanes; lane++) {
      if (batch.autoreset === 'disabled' && (batch.terminated[lane] === 1 || batch.truncated[lane] === 1)) continue
      this.first = lane * robots
      this.floor = lane * layout.cells
      const base = lane * agents.length
      if (batch.episodeStart[lane] === 1) crew.task.fill(REST, base, base + agents.length)
      this.assign(lane, crew, base)
      this.decide()
      for (let n = 0; n < robots; n++) {
        if (played[n] !== NONE) out.action[(base + played[n]) * actionDims] = this.action(n)
      }
    }
  }

  /** Gives every played robot its task, target and priority. */
  private assign(lane: number, crew: Memory, base: number): void {
    const { world, played, field, rank, first, floor } = this
    const { robots, shelves } = world.plan
    const { target, task, since } = crew
    let free = 0
    for (let n = 0; n < robots; n++) {
      field[n] = null
      const k = base + played[n]
      if (played[n] === NONE) continue
      const i = first + n
      const before = task[k]
      const shelf = world.load[i] - 1
      if (shelf >= 0) {
        const wanted = world.place[lane * shelves + shelf] !== 0
        task[k] = wanted ? DELIVER : RETURN
        // The home it was bound for may have been filled meanwhile, by somebody else's crew.
        if (wanted || (target[k] !== NONE && world.standing[floor + target[k]] !== 0)) target[k] = NONE
      } else if (before !== FETCH || !this.isRequested(lane, target[k])) task[k] = REST
      if (task[k] !== before) {
        since[k] = 0
        target[k] = NONE
      } else since[k]++
      if (task[k] === REST) free++
    }
    if (free > 0) this.share(lane, crew, base, free)
    for (let n = 0; n < robots; n++) {
      const k = base + played[n]
      rank[n] = NONE
      if (played[n] === NONE || task[k] === REST) continue
      rank[n] = since[k]
      if (task[k] === FETCH) field[n] = this.ways!.to(target[k])
      else if (task[k] === DELIVER) field[n] = this.wayOut(n, this.ways!.loadedToGoal(), world.plan.layout.goals)
      else {
        if (target[k] === NONE) target[k] = this.emptyHome(n, crew, base)
        if (target[k] !== NONE) field[n] = this.wayOut(n, this.ways!.loadedTo(target[k]), [target[k]])
      }
    }
  }

  private isRequested(lane: number, cell: number): boolean {
    const shelf = this.world.standing[this.floor + cell]
    return shelf !== 0 && this.world.place[lane * this.world.plan.shelves + shelf - 1] !== 0
  }

  /** The usual field where it knows a way, else a search over the homes that happen to be empty. */
  private wayOut(robot: number, usual: Uint16Array, targets: ArrayLike<number>): Uint16Array {
    const { world, first, floor } = this
    const i = first + robot
    if (usual[world.cell[i] * 4 + world.heading[i]] !== FAR) return usual
    return distances(world.plan.layout, targets, (cell) => world.standing[floor + cell] === 0)
  }

  /** Shares out the requested shelves: nearest pair first, again and again. */
  private share(lane: number, crew: Memory, base: number, free: number): void {
    const { world, played, first } = this
    const { robots, requests, shelves } = world.plan
    const { target, task, since } = crew
    for (; free > 0; free--) {
      let nearest = FAR
      let who = NONE
      let where = NONE
      for (let q = 0; q < requests; q++) {
        const cell = world.shelfCell[lane * shelves + world.queue[lane * requests + q]]
        if (!this.isRequested(lane, cell) || this.isTaken(cell, crew, base, FETCH)) continue
        const cost = this.ways!.to(cell)
        for (let n = 0; n < robots; n++) {
          if (played[n] === NONE || task[base + played[n]] !== REST) continue
          const far = cost[world.cell[first + n] * 4 + world.heading[first + n]]
          if (far < nearest && this.canLeave(cell)) {
            nearest = far
            who = base + played[n]
            where = cell
          }
        }
      }
      if (who === NONE) return
      task[who] = FETCH
      target[who] = where
      since[who] = 0
    }
  }

  private isTaken(cell: number, crew: Memory, base: number, kind: number): boolean {
    const { played } = this
    for (let n = 0; n < played.length; n++) {
      const k = base + played[n]
      if (played[n] !== NONE && crew.task[k] === kind && crew.target[k] === cell) return true
    }
    return false
  }

  /** Whether a shelf can be driven out of its home: not while other shelves wall it in. */
  private canLeave(cell: number): boolean {
    const { world, floor } = this
    const { layout } = world.plan
    const usual = this.ways!.loadedToGoal()
    if (usual[cell * 4] !== FAR) return true
    return distances(layout, layout.goals, (at) => world.standing[floor + at] === 0)[cell * 4] !== FAR
  }

  /** The empty home that a loaded robot reaches first and nobody else is bound for. */
  private emptyHome(robot: number, crew: Memory, base: number): number {
    const { world, first, floor } = this
    const { layout } = world.plan
    const i = first + robot
    let nearest = FAR
    let home = NONE
    for (let s = 0; s < layout.slots.length; s++) {
      const cell = layout.slots[s]
      if (world.standing[floor + cell] !== 0 || this.isTaken(cell, crew, base, RETURN)) continue
      const there = world.robotAt[floor + cell] - 1
      if (there >= 0 && there !== robot && world.load[first + there] !== 0) continue // about to leave it
      const field = this.wayOut(robot, this.ways!.loadedTo(cell), [cell])
      const far = field[world.cell[i] * 4 + world.heading[i]]
      if (far < nearest) {
        nearest = far
        home = cell
      }
    }
    return home
  }

  /** Decides where every robot of the lane will be, most important first. */
  private decide(): void {
    const { world, next, facing, order, rank, played, field, reserved, first } = this
    const { robots } = world.plan
    reserved.fill(0)
    for (let n = 0; n < robots; n++) {
      next[n] = NONE
      facing[n] = world.heading[first + n]
      let at = n
      for (; at > 0 && rank[order[at - 1]] < rank[n]; at--) order[at] = order[at - 1]
      order[at] = n
    }
    for (let n = 0; n < robots; n++) if (played[n] === NONE || this.toggles(n)) this.stay(n)
    for (let k = 0; k < robots; k++) {
      const n = order[k]
      if (next[n] !== NONE) continue
      if (field[n] === null) continue // without a task it moves only to make room
      this.plan(n, NONE)
    }
    for (let n = 0; n < robots; n++) if (next[n] === NONE) this.stay(n)
  }

  private stay(robot: number): void {
    const cell = this.world.cell[this.first + robot]
    this.next[robot] = cell
    this.reserved[cell] = robot + 1
  }

  private toggles(robot: number): boolean {
    const { world, first, field } = this
    const i = first + robot
    const way = field[robot]
    if (way === null || way[world.cell[i] * 4 + world.heading[i]] !== 0) return false
    // At its target: a shelf home. On a goal the delivery has happened, or will without help.
    return world.plan.layout.highway[world.cell[i]] === 0
  }

  /** Actions to the target when the robot leaves its cell by `heading` next; turns alone without a task. */
  private cost(robot: number, heading: number): number {
    const { world, first, field } = this
    const i = first + robot
    const to = world.plan.layout.neighbour[world.cell[i] * 4 + heading]
    const turns = TURNS[world.heading[i] * 4 + heading]
    const way = field[robot]
    return turns + 1 + (way === null ? 0 : way[to * 4 + heading])
  }

  /**
   * Finds a next cell for a robot; a robot in the way is asked to make room first, recursively.
   * @param pusher robot that wants this one's cell, NONE when it drives on its own account
   * @returns false when it has to stay
   */
  private plan(robot: number, pusher: number): boolean {
    const { world, first, floor, field, next, reserved, facing } = this
    const i = first + robot
    const cell = world.cell[i]
    const { neighbour } = world.plan.layout
    const loaded = world.load[i] !== 0
    const now = field[robot] === null ? 0 : field[robot]![cell * 4 + world.heading[i]]
    let tried = 0
    let boxed = NONE // a robot ahead that cannot make room
    for (let attempt = 0; attempt < 4; attempt++) {
      let heading = NONE
      let least = Infinity
      for (let h = 0; h < 4; h++) {
        if ((tried >> h) & 1) continue
        const cost = this.cost(robot, h)
        if (cost < least) {
          least = cost
          heading = h
        }
      }
      // On its own account a robot waits rather than drive a detour.
      if (pusher === NONE && least > now) break
      tried |= 1 << heading
      const to = neighbour[cell * 4 + heading]
      if (to === cell || reserved[to] !== 0 || (loaded && world.standing[floor + to] !== 0)) continue
      if (pusher !== NONE && to === world.cell[first + pusher]) continue
      const there = world.robotAt[floor + to] - 1
      if (there >= 0 && next[there] === cell) continue // they would have to pass through each other
      next[robot] = to
      facing[robot] = heading
      reserved[to] = robot + 1
      if (there < 0 || next[there] !== NONE || this.plan(there, robot)) return true
      // It stays, and its cell is its own again.
      if (boxed === NONE) boxed = there
    }
    if (boxed !== NONE && pusher === NONE && this.backOff(robot, boxed)) return true
    this.stay(robot)
    facing[robot] = world.heading[i]
    return false
  }

  /** Lets a boxed-in robot out through this robot's cell. */
  private backOff(robot: number, boxed: number): boolean {
    const { world, first, next, reserved, facing } = this
    const { neighbour } = world.plan.layout
    const cell = world.cell[first + robot]
    const from = world.cell[first + boxed]
    if (reserved[cell] !== 0 || this.toggles(boxed) || this.played[boxed] === NONE) return false
    if (!this.plan(robot, boxed)) return false
    for (let heading = 0; heading < 4; heading++) if (neighbour[from * 4 + heading] === cell) facing[boxed] = heading
    reserved[from] = 0
    reserved[cell] = boxed + 1
    next[boxed] = cell
    return true
  }

  /** The action that carries out what was decided. */
  private action(robot: number): number {
    const { world, first, next, facing } = this
    const i = first + robot
    if (this.toggles(robot)) return TOGGLE
    const heading = world.heading[i]
    let wanted = facing[robot]
    if (next[robot] === world.cell[i]) {
      // Waiting: turn towards the way in the meantime.
      const way = this.field[robot]
      if (way === null || way[world.cell[i] * 4 + heading] === 0) return NOOP
      let least = Infinity
      for (let h = 0; h < 4; h++) {
        const cost = this.cost(robot, h)
        if (cost < least) {
          least = cost
          wanted = h
        }
      }
      if (wanted === heading) return NOOP
    }
    if (wanted === heading) return this.leaves(robot, world.plan.robots) ? FORWARD : NOOP
    return LEFT_OF[heading] === wanted ? LEFT : RIGHT
  }

  /** Whether the robot drives in this step: it faces its next cell, and that is free or becomes so. */
  private leaves(robot: number, depth: number): boolean {
    const { world, first, floor, next, facing } = this
    const i = first + robot
    if (next[robot] === world.cell[i] || facing[robot] !== world.heading[i]) return false
    const there = world.robotAt[floor + next[robot]] - 1
    return there < 0 || depth === 0 || this.leaves(there, depth - 1) // depth runs out on a ring, and rings turn
  }
}

export const warehouseGreedy: PolicyDefinition = {
  name: 'warehouse-greedy',
  kind: 'scripted',
  summary:
    'Sees the whole warehouse: nearest requested shelf, nearest goal, nearest empty home; makes room in traffic.',
  paper: 'traffic: Okumura et al. 2022, Priority Inheritance with Backtracking for Iterative Multi-agent Path Finding',
  envs: ['warehouse'],
  privileged: true,
  create: (spec) => new Crew(spec),
}
