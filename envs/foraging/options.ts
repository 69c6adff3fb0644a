/** Options of level-based foraging and what follows from them. */
import { Type, type Static } from '#typebox'
import { TroupeError } from '../core/errors.ts'

/** Largest levels that fit the arrays with room to spare; the named variants stay at 2 and 6. */
const MAX_PLAYER_LEVEL = 200
const MAX_FOOD_LEVEL = 1000
const MAX_PLAYERS = 100
const MAX_FOODS = 200

/** A wider observation than this is refused: nobody asked for it on purpose. */
const MAX_FEATURES = 100_000

const levels = (maximum: number, most: number) =>
  [
    Type.Integer({ minimum: 1, maximum }),
    Type.Array(Type.Integer({ minimum: 1, maximum }), { minItems: 1, maxItems: most }),
  ] as const

export const OPTIONS = Type.Object(
  {
    rows: Type.Integer({ default: 8, minimum: 3, maximum: 200, description: 'Height of the field in cells.' }),
    columns: Type.Integer({ default: 8, minimum: 3, maximum: 200, description: 'Width of the field in cells.' }),
    players: Type.Integer({ default: 2, minimum: 1, maximum: MAX_PLAYERS, description: 'Number of players.' }),
    foods: Type.Integer({
      default: 3,
      minimum: 1,
      maximum: MAX_FOODS,
      description: 'Items of food asked for; a crowded field starts with fewer, never with none.',
    }),
    cooperative: Type.Boolean({
      default: false,
      description: 'Every item has the highest level that it may have, instead of one drawn between the bounds.',
    }),
    sightCells: Type.Union([Type.Integer({ minimum: 1, maximum: 200 }), Type.Null()], {
      default: null,
      description: 'Cells that a player sees in each direction; null = the longer side of the field, so all of it.',
    }),
    observation: Type.Union([Type.Literal('vector'), Type.Literal('grid')], {
      default: 'vector',
      description:
        'vector: rows, columns and levels of food and players. grid: three layers of cells around the player.',
    }),
    levelsObserved: Type.Boolean({
      default: true,
      description: 'Whether players see levels of players, their own included.',
    }),
    minPlayerLevel: Type.Union([...levels(MAX_PLAYER_LEVEL, MAX_PLAYERS)], {
      default: 1,
      description: 'Lowest level of a player; a list gives one bound per player, dealt out anew every episode.',
    }),
    maxPlayerLevel: Type.Union([...levels(MAX_PLAYER_LEVEL, MAX_PLAYERS)], {
      default: 2,
      description: 'Highest level of a player, inclusive; a list as above.',
    }),
    minFoodLevel: Type.Union([...levels(MAX_FOOD_LEVEL, MAX_FOODS)], {
      default: 1,
      description: 'Lowest level of an item; a list gives one bound per item, dealt out anew every episode.',
    }),
    maxFoodLevel: Type.Union([...levels(MAX_FOOD_LEVEL, MAX_FOODS), Type.Null()], {
      default: null,
      description:
        'Highest level of an item, inclusive; null = the sum of the three lowest player levels of the episode.',
    }),
    normalisedRewards: Type.Boolean({
      default: true,
      description: 'Rewards are divided by the level of all food of the episode, so that they sum to at most 1.',
    }),
    penalty: Type.Number({
      default: 0,
      minimum: 0,
      maximum: 1000,
      description: 'Taken from every player of a group that tries an item too heavy for it.',
    }),
    actionMask: Type.Boolean({
      default: false,
      description: 'Masks actions without effect; otherwise they are legal and mean none, as in the original.',
    }),
    strict: Type.Boolean({
      default: false,
      description: 'Corrects the quirks of the original: one player per cell, no swaps, exact sight, one origin.',
    }),
  },
  { additionalProperties: false },
)

export type Options = Static<typeof OPTIONS>

/** Everything derived from the options, computed once per batch. */
export interface Plan {
  readonly rows: number
  readonly columns: number
  readonly cells: number // C
  readonly players: number // M
  readonly foods: number // K, slots for items
  readonly cooperative: boolean
  readonly sight: number
  /** Every cell is seen from every cell. */
  readonly seesAll: boolean
  readonly grid: boolean
  readonly levelsObserved: boolean
  readonly minPlayerLevel: Int32Array // [M]
  readonly maxPlayerLevel: Int32Array // [M]
  readonly minFoodLevel: Int32Array // [K]
  readonly maxFoodLevel: Int32Array | null // [K]; null = by the players of the episode
  /** The bounds differ, so that dealing them out matters. */
  readonly playerBoundsDiffer: boolean
  readonly foodBoundsDiffer: boolean
  readonly topPlayerLevel: number
  readonly topFoodLevel: number
  readonly normalised: boolean
  readonly penalty: number
  readonly masked: boolean
  readonly strict: boolean
  /** [C, 6] cell that a player in a cell claims with an action; its own at the edge, for none and for load. */
  readonly claims: Uint16Array
  /** [C] 1 where an item may never be: the edge of the field. */
  readonly edge: Uint8Array
}

/** Plans by their (never changed) options: the spec and the rules of a batch ask with the same object. */
const PLANS = new WeakMap<Options, Plan>()

/**
 * Checks the options against each other and derives the plan.
 * @throws TroupeError bad-option when the world cannot be
 */
export function planOf(options: Options): Plan {
  let plan = PLANS.get(options)
  if (plan === undefined) PLANS.set(options, (plan = derivePlan(options)))
  return plan
}

function refuse(option: string, got: string, expected: string): never {
  throw new TroupeError('bad-option', { where: `foraging options: ${option}`, got, expected })
}

/** One bound per player or item. */
function spread(option: string, bound: number | readonly number[], count: number, what: string): Int32Array {
  if (typeof bound === 'number') return new Int32Array(count).fill(bound)
  if (bound.length !== count)
    refuse(option, `a list of ${bound.length}`, `one number, or a list of ${count}: one per ${what}`)
  return Int32Array.from(bound)
}

function ordered(names: readonly [string, string], low: Int32Array, high: Int32Array): void {
  low.forEach((level, i) => {
    if (level > high[i]) refuse(names[0], `${level} (place ${i})`, `at most ${names[1]}, which is ${high[i]} there`)
  })
}

/** Sum of the three lowest levels; of all where there are fewer. */
function threeLowest(all: Int32Array): number {
  return all
    .slice()
    .sort()
    .subarray(0, 3)
    .reduce((sum, level) => sum + level, 0)
}

function derivePlan(options: Options): Plan {
  const { rows, columns, players, foods, cooperative, levelsObserved, strict, penalty } = options
  const cells = rows * columns
  if (players >= cells) refuse('players', `${players}`, `at most ${cells - 1}: each needs a cell, and an item one more`)
  const minPlayerLevel = spread('minPlayerLevel', options.minPlayerLevel, players, 'player')
  const maxPlayerLevel = spread('maxPlayerLevel', options.maxPlayerLevel, players, 'player')
  ordered(['minPlayerLevel', 'maxPlayerLevel'], minPlayerLevel, maxPlayerLevel)
  const minFoodLevel = spread('minFoodLevel', options.minFoodLevel, foods, 'item')
  const maxFoodLevel =
    options.maxFoodLevel === null ? null : spread('maxFoodLevel', options.maxFoodLevel, foods, 'item')
  if (maxFoodLevel !== null) ordered(['minFoodLevel', 'maxFoodLevel'], minFoodLevel, maxFoodLevel)
  const automatic = threeLowest(minPlayerLevel)
  const heaviest = Math.max(...minFoodLevel)
  if (maxFoodLevel === null && heaviest > automatic && !cooperative) {
    // The original draws from an empty range there and stops with an error, in unlucky episodes only.
    const why = `the three weakest players may have level ${automatic} together, which is then the maximum`
    refuse('minFoodLevel', `${heaviest}`, `at most ${automatic} unless maxFoodLevel is given: ${why}`)
  }
  const sight = options.sightCells ?? Math.max(rows, columns)
  const features = options.observation === 'grid' ? 3 * (2 * sight + 1) ** 2 : 3 * (foods + players)
  if (features > MAX_FEATURES) {
    refuse('sightCells', `${sight}, which makes ${features} numbers per player`, `at most ${MAX_FEATURES} numbers`)
  }
  return {
    rows,
    columns,
    cells,
    players,
    foods,
    cooperative,
    sight,
    seesAll: sight >= Math.max(rows, columns) - 1,
    grid: options.observation === 'grid',
    levelsObserved,
    minPlayerLevel,
    maxPlayerLevel,
    minFoodLevel,
    maxFoodLevel,
    playerBoundsDiffer: differ(minPlayerLevel) || differ(maxPlayerLevel),
    foodBoundsDiffer: differ(minFoodLevel) || (maxFoodLevel !== null && differ(maxFoodLevel)),
    topPlayerLevel: Math.max(...maxPlayerLevel),
    topFoodLevel: maxFoodLevel === null ? threeLowest(maxPlayerLevel) : Math.max(...maxFoodLevel),
    normalised: options.normalisedRewards,
    penalty,
    masked: options.actionMask,
    strict,
    claims: claimsOf(rows, columns),
    edge: edgeOf(rows, columns),
  }
}

const differ = (bounds: Int32Array) => bounds.some((bound) => bound !== bounds[0])

function claimsOf(rows: number, columns: number): Uint16Array {
  const claims = new Uint16Array(rows * columns * 6)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const cell = row * columns + column
      const [none, north, south, west, east] = [
        cell,
        row > 0 ? cell - columns : cell,
        row < rows - 1 ? cell + columns : cell,
        column > 0 ? cell - 1 : cell,
        column < columns - 1 ? cell + 1 : cell,
      ]
      claims.set([none, north, south, west, east, none], cell * 6)
    }
  }
  return claims
}

function edgeOf(rows: number, columns: number): Uint8Array {
  return Uint8Array.from({ length: rows * columns }, (_, cell) => {
    const row = Math.floor(cell / columns)
    const column = cell % columns
    return row === 0 || column === 0 || row === rows - 1 || column === columns - 1 ? 1 : 0
  })
}
