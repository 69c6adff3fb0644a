/**
 * The four heuristics that ship with lbforaging 2.0, from what a player sees: walk to a target in the first helpful
 * direction of north, south, east, west; load beside it; otherwise act at random among what has an effect.
 *
 * The original hands its heuristics the valid actions. Without `actionMask` they are worked out here from the observation;
 * where the edge of the field cannot be seen from it (south and east in a limited sight) a move there counts as possible.
 */
import { TroupeError, type EnvSpec, type Generator } from '../../envs/core/index.ts'
import { type AgentView, type Policy, type PolicyDefinition } from '../core/policy.ts'

const NORTH = 1
const SOUTH = 2
const WEST = 3
const EAST = 4
const LOAD = 5

/** What one player sees, in rows and columns of its own window. */
interface Seen {
  foods: number
  readonly foodRow: Int32Array
  readonly foodColumn: Int32Array
  readonly foodLevel: Int32Array
  /** Players in sight, the own one first. */
  players: number
  readonly row: Int32Array
  readonly column: Int32Array
  readonly level: Int32Array
  /** [6] 1 where the action has an effect, as far as can be seen. */
  readonly valid: Uint8Array
}

interface World {
  readonly foods: number
  readonly players: number
  readonly rows: number
  readonly columns: number
  readonly grid: boolean
  readonly side: number
  readonly seesAll: boolean
  readonly strict: boolean
  readonly levelsObserved: boolean
  readonly masked: boolean
}

function worldOf(spec: EnvSpec): World {
  const { options } = spec
  const [rows, columns] = [options.rows as number, options.columns as number]
  const sight = (options.sightCells as number | null) ?? Math.max(rows, columns)
  return {
    foods: options.foods as number,
    players: options.players as number,
    rows,
    columns,
    grid: options.observation === 'grid',
    side: 2 * sight + 1,
    seesAll: sight >= Math.max(rows, columns) - 1,
    strict: options.strict === true,
    levelsObserved: options.levelsObserved === true,
    masked: options.actionMask === true,
  }
}

/** Reads one observation. Every field of `seen` is written as far as its counts say. */
function look(world: World, view: AgentView, row: number, seen: Seen): void {
  const { observation, spec } = view
  const from = row * spec.observationSize
  seen.foods = seen.players = 0
  if (world.grid) lookAround(world, observation, from, seen)
  else {
    const width = world.levelsObserved ? 3 : 2
    for (let f = 0; f < world.foods && observation[from + 3 * f] >= 0; f++) {
      seen.foodRow[f] = observation[from + 3 * f]
      seen.foodColumn[f] = observation[from + 3 * f + 1]
      seen.foodLevel[f] = observation[from + 3 * f + 2]
      seen.foods++
    }
    for (let n = 0, at = from + 3 * world.foods; n < world.players && observation[at] >= 0; n++, at += width) {
      seen.row[n] = observation[at]
      seen.column[n] = observation[at + 1]
      seen.level[n] = world.levelsObserved ? observation[at + 2] : 1
      seen.players++
    }
  }
  if (world.masked) for (let a = 0; a < 6; a++) seen.valid[a] = view.mask[row * 6 + a]
  else judge(world, observation, from, seen)
}

function lookAround(world: World, observation: Float32Array, from: number, seen: Seen): void {
  const { side } = world
  const layer = side * side
  const centre = (layer - 1) / 2
  const add = (cell: number, level: number) => {
    seen.row[seen.players] = Math.floor(cell / side)
    seen.column[seen.players] = cell % side
    seen.level[seen.players++] = level
  }
  add(centre, observation[from + centre])
  for (let cell = 0; cell < layer; cell++) {
    const level = observation[from + cell]
    if (cell !== centre && level > 0 && seen.players < world.players) add(cell, level)
    if (observation[from + layer + cell] === 0) continue
    seen.foodRow[seen.foods] = Math.floor(cell / side)
    seen.foodColumn[seen.foods] = cell % side
    seen.foodLevel[seen.foods++] = observation[from + layer + cell]
  }
}

/** Works out which actions have an effect from the observation alone. */
function judge(world: World, observation: Float32Array, from: number, seen: Seen): void {
  const { valid } = seen
  const [row, column] = [seen.row[0], seen.column[0]]
  valid.fill(1)
  valid[LOAD] = 0
  if (world.grid) {
    const { side } = world
    const layer = side * side
    const open = (cell: number) => observation[from + cell] > 0 || observation[from + 2 * layer + cell] > 0
    const centre = (layer - 1) / 2
    valid[NORTH] = open(centre - side) ? 1 : 0
    valid[SOUTH] = open(centre + side) ? 1 : 0
    valid[WEST] = open(centre - 1) ? 1 : 0
    valid[EAST] = open(centre + 1) ? 1 : 0
  } else if (world.seesAll || !world.strict) {
    if (row === 0) valid[NORTH] = 0
    if (column === 0) valid[WEST] = 0
    if (world.seesAll && row === world.rows - 1) valid[SOUTH] = 0
    if (world.seesAll && column === world.columns - 1) valid[EAST] = 0
  }
  for (let f = 0; f < seen.foods; f++) {
    const [dr, dc] = [seen.foodRow[f] - row, seen.foodColumn[f] - column]
    if (Math.abs(dr) + Math.abs(dc) !== 1) continue
    valid[LOAD] = 1
    valid[dr < 0 ? NORTH : dr > 0 ? SOUTH : dc < 0 ? WEST : EAST] = 0
  }
}

/** Nearest integer, halves to the even one. */
function rint(value: number): number {
  const below = Math.floor(value)
  const part = value - below
  return part < 0.5 || (part === 0.5 && below % 2 === 0) ? below : below + 1
}

interface Taste {
  /** Distance counts from the middle of the players in sight, not from the own cell. */
  readonly fromMiddle: boolean
  /** Only food up to this level, infinity for all. */
  strength(seen: Seen): number
}

function choose(seen: Seen, taste: Taste, rng: Generator): number {
  let [row, column] = [seen.row[0], seen.column[0]]
  if (taste.fromMiddle) {
    row = column = 0
    for (let n = 0; n < seen.players; n++) {
      row += seen.row[n]
      column += seen.column[n]
    }
    row = rint(row / seen.players)
    column = rint(column / seen.players)
  }
  const strength = taste.strength(seen)
  let target = -1
  let least = Infinity
  for (let f = 0; f < seen.foods; f++) {
    if (seen.foodLevel[f] > strength) continue
    const away = (seen.foodRow[f] - row) ** 2 + (seen.foodColumn[f] - column) ** 2
    if (away >= least) continue
    least = away
    target = f
  }
  if (target >= 0) {
    const dr = seen.foodRow[target] - seen.row[0]
    const dc = seen.foodColumn[target] - seen.column[0]
    if (Math.abs(dr) + Math.abs(dc) === 1) return LOAD
    if (dr < 0 && seen.valid[NORTH]) return NORTH
    if (dr > 0 && seen.valid[SOUTH]) return SOUTH
    if (dc > 0 && seen.valid[EAST]) return EAST
    if (dc < 0 && seen.valid[WEST]) return WEST
  }
  let count = 0
  for (let a = 0; a < 6; a++) count += seen.valid[a]
  let pick = rng.below(count)
  let action = 0
  while (seen.valid[action] === 0 || pick-- > 0) action++
  return action
}

function heuristic(name: string, summary: string, taste: Taste, needsLevels: boolean): PolicyDefinition {
  return {
    name,
    kind: 'scripted',
    summary,
    paper: 'heuristic agents of lbforaging 2.0',
    envs: ['foraging'],
    privileged: false,
    create(spec): Policy {
      const world = worldOf(spec)
      if (needsLevels && !world.levelsObserved) {
        throw new TroupeError('bad-usage', {
          where: `policy ${name}: levelsObserved`,
          got: 'false',
          expected: 'true: it compares levels of players and food',
        })
      }
      const foods = () => new Int32Array(world.foods)
      const players = () => new Int32Array(world.players)
      const seen: Seen = {
        foods: 0,
        foodRow: foods(),
        foodColumn: foods(),
        foodLevel: foods(),
        players: 0,
        row: players(),
        column: players(),
        level: players(),
        valid: new Uint8Array(6),
      }
      const lane = (view: AgentView, lane: number, action: Int32Array, rng: Generator) => {
        const n = view.agents.length
        for (let row = lane * n; row < (lane + 1) * n; row++) {
          look(world, view, row, seen)
          action[row] = choose(seen, taste, rng)
        }
      }
      return {
        name,
        memory: () => null,
        act(view, _memory, out, rng) {
          for (let b = 0; b < view.lanes; b++) lane(view, b, out.action as Int32Array, rng)
        },
        actLanes(view, _memory, out, rngs) {
          for (let b = 0; b < view.lanes; b++) lane(view, b, out.action as Int32Array, rngs[b])
        },
      }
    },
  }
}

const own = (seen: Seen) => seen.level[0]

function everybody(seen: Seen): number {
  let sum = 0
  for (let n = 0; n < seen.players; n++) sum += seen.level[n]
  return sum
}

export const foragingNearest = heuristic(
  'foraging-nearest',
  'Loads the nearest food in sight, whatever its level (H1).',
  { fromMiddle: false, strength: () => Infinity },
  false,
)

export const foragingMiddle = heuristic(
  'foraging-middle',
  'Loads the food nearest to the middle of the players in sight (H2).',
  { fromMiddle: true, strength: () => Infinity },
  false,
)

export const foragingAble = heuristic(
  'foraging-able',
  'Loads the nearest food that it can lift alone (H3).',
  { fromMiddle: false, strength: own },
  true,
)

export const foragingJoint = heuristic(
  'foraging-joint',
  'Loads the food nearest to the middle of the players in sight that they can lift together (H4).',
  { fromMiddle: true, strength: everybody },
  true,
)
