/** Options of the warehouse and what follows from them. */
import { Type, type Static } from '#typebox'
import { TroupeError } from '../core/errors.ts'
import { layoutOf, parametricRows, SIZES, textRows, type Layout } from './layout.ts'

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { default: null, description })

/** Requested shelves per robot by difficulty, as rware names them. */
export const REQUESTS_PER_ROBOT = { easy: 2, normal: 1, hard: 0.5 } as const

export const OPTIONS = Type.Object(
  {
    size: Type.Union([Type.Literal('tiny'), Type.Literal('small'), Type.Literal('medium'), Type.Literal('large')], {
      default: 'tiny',
      description: 'Named floor plan: tiny 11 x 10 cells, small 20 x 10, medium 20 x 16, large 29 x 16.',
    }),
    shelfRows: orNull(
      Type.Integer({ minimum: 1, maximum: 50 }),
      'Blocks of shelves from top to bottom; null = as size says.',
    ),
    shelfColumns: orNull(
      Type.Integer({ minimum: 1, maximum: 51 }),
      'Blocks of shelves from left to right, odd; null = as size says.',
    ),
    columnHeight: Type.Integer({
      default: 8,
      minimum: 1,
      maximum: 50,
      description: 'Shelves on top of each other in a block, in cells.',
    }),
    layout: orNull(
      Type.Union([
        Type.String({ maxLength: 530_000 }),
        Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1, maxItems: 10_000 }),
      ]),
      "Floor plan as text, one row per line: 'x' shelf, '.' corridor, 'g' goal; overrides size and the three above.",
    ),
    robots: Type.Integer({ default: 2, minimum: 1, maximum: 10_000, description: 'Number of robots.' }),
    difficulty: Type.Union([Type.Literal('easy'), Type.Literal('normal'), Type.Literal('hard')], {
      default: 'normal',
      description: 'Requested shelves per robot, rounded down: easy 2, normal 1, hard 0.5.',
    }),
    requests: orNull(
      Type.Integer({ minimum: 0, maximum: 65_535 }),
      'Requested shelves at any time; null = as difficulty says. Must leave at least one shelf unrequested.',
    ),
    messageBits: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 16,
      description: 'Bits that each robot broadcasts per step; with 0 an action is a single choice.',
    }),
    sensorRange: Type.Integer({
      default: 1,
      minimum: 1,
      maximum: 10,
      description: 'Cells that a robot sees in each direction: the window is 2 r + 1 cells wide.',
    }),
    reward: Type.Union([Type.Literal('individual'), Type.Literal('global'), Type.Literal('two-stage')], {
      default: 'individual',
      description:
        'individual: 1 to the robot that delivers. global: 1 to every robot. ' +
        'two-stage: half on delivery, half when that shelf is put down again.',
    }),
    inactivityLimit: orNull(
      Type.Integer({ minimum: 0, maximum: 10_000_000 }),
      'Steps without any delivery after which the episode terminates; null or 0 = never.',
    ),
    normalisedCoordinates: Type.Boolean({
      default: false,
      description: 'Own x and y in observations divided by width - 1 and height - 1.',
    }),
  },
  { additionalProperties: false },
)

export type Options = Static<typeof OPTIONS>

/** Everything derived from the options, computed once per batch. */
export interface Plan {
  readonly layout: Layout
  readonly robots: number // M
  readonly shelves: number // K, equal to the number of slots
  readonly requests: number // Q
  readonly messageBits: number
  readonly sensorRange: number
  readonly reward: Options['reward']
  readonly inactivityLimit: number // 0 = never
  readonly normalisedCoordinates: boolean
}

/** Plans by their (never changed) options: the spec and the rules of a batch ask with the same object. */
const PLANS = new WeakMap<Options, Plan>()

/**
 * Checks the options against each other and derives the plan.
 * @throws TroupeError bad-option when the world cannot be: more robots than cells, or no shelf left to request next
 */
export function planOf(options: Options): Plan {
  let plan = PLANS.get(options)
  if (plan === undefined) PLANS.set(options, (plan = derivePlan(options)))
  return plan
}

function derivePlan(options: Options): Plan {
  const { robots, difficulty, columnHeight } = options
  const shelfRows = options.shelfRows ?? SIZES[options.size].shelfRows
  const shelfColumns = options.shelfColumns ?? SIZES[options.size].shelfColumns
  const rows =
    options.layout === null ? parametricRows(shelfRows, shelfColumns, columnHeight) : textRows(options.layout)
  const layout = layoutOf(rows)
  const shelves = layout.slots.length
  const requests = options.requests ?? Math.floor(robots * REQUESTS_PER_ROBOT[difficulty])
  if (robots > layout.cells) {
    throw new TroupeError('bad-option', {
      where: 'warehouse options: robots',
      got: `${robots}`,
      expected: `at most ${layout.cells}, one per cell of the floor plan`,
    })
  }
  if (requests >= shelves) {
    // rware cannot reset with more requests than shelves, and crashes at the first delivery with as many.
    const origin = options.requests === null ? ` (${robots} robots, difficulty ${difficulty})` : ''
    throw new TroupeError('bad-option', {
      where: 'warehouse options: requests',
      got: `${requests}${origin}`,
      expected: `at most ${shelves - 1}: the floor plan has ${shelves} shelves and a delivered one is replaced by another`,
    })
  }
  return {
    layout,
    robots,
    shelves,
    requests,
    messageBits: options.messageBits,
    sensorRange: options.sensorRange,
    reward: options.reward,
    inactivityLimit: options.inactivityLimit ?? 0,
    normalisedCoordinates: options.normalisedCoordinates,
  }
}
