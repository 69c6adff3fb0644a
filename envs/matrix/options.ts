/** What can be chosen about a matrix game. Rounds are the core's `horizon`. */
import { Type, type Static } from '@sinclair/typebox'
import { GAMES } from './games.ts'

/** Largest payoff, either sign: sums of a million rounds stay exact enough in float64. */
const PAYOFF_LIMIT = 1_000_000
/** Most actions of one player in a table of one's own. */
const ACTION_LIMIT = 64

const Table = Type.Array(
  Type.Array(Type.Number({ minimum: -PAYOFF_LIMIT, maximum: PAYOFF_LIMIT }), {
    minItems: 2,
    maxItems: ACTION_LIMIT,
  }),
  { minItems: 2, maxItems: ACTION_LIMIT },
)

export const OPTIONS = Type.Object(
  {
    game: Type.Union(
      [...Object.keys(GAMES), 'custom'].map((id) => Type.Literal(id)),
      { default: 'pd', description: 'Name of the payoff table, or custom for the one in `payoffs`.' },
    ),
    k: Type.Union([Type.Number({ minimum: 0, maximum: PAYOFF_LIMIT }), Type.Null()], {
      default: null,
      description: 'What a miss costs in the penalty game; null = 100. Only for game penalty.',
    }),
    payoffs: Type.Union([Type.Array(Table, { minItems: 2, maxItems: 2 }), Type.Null()], {
      default: null,
      description:
        'Two tables [rowAction][columnAction]: what the row player gets, what the column player gets. Only for game custom.',
    }),
    observation: Type.Union([Type.Literal('none'), Type.Literal('last')], {
      default: 'none',
      description: 'none: one constant feature. last: what everybody chose in the round before, one-hot, own first.',
    }),
  },
  { additionalProperties: false },
)

export type MatrixOptions = Static<typeof OPTIONS>
