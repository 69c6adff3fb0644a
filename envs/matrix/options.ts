/** What can be chosen about a matrix game. Rounds are the core's `horizon`. */
import { Type, type Static } from '#typebox'
import { FORMULAS } from './formulas.ts'
import { TABLE_IDS } from './tables.ts'

/** Largest payoff, either sign: sums of a million rounds stay exact enough in float64. */
export const PAYOFF_LIMIT = 1_000_000
/** Most actions of one player in a table of one's own. */
export const ACTION_LIMIT = 64
/** Most players of a game of one's own. */
export const PLAYER_LIMIT = 10
/** Most states of a game of one's own. */
export const STATE_LIMIT = 64
/** Most outcomes, times players, of a game of one's own. */
export const OUTCOME_LIMIT = 1 << 20
/** Most rounds that an observation reaches back. */
export const MEMORY_LIMIT = 16

/** What players see of the rounds before. */
export const OBSERVATIONS = ['none', 'last', 'uoe-none', 'uoe-last'] as const

export const OPTIONS = Type.Object(
  {
    game: Type.Union(
      [...TABLE_IDS, ...Object.keys(FORMULAS), 'custom', 'tensors'].map((id) => Type.Literal(id)),
      {
        default: 'pd',
        description:
          'Name of the game; custom for the tables in `payoffs`, tensors for the stochastic game in `tensors`.',
      },
    ),
    k: Type.Union([Type.Number({ minimum: 0, maximum: PAYOFF_LIMIT }), Type.Null()], {
      default: null,
      description: 'What a miss costs in the penalty game; null = 100. Only for game penalty.',
    }),
    parameters: Type.Union([Type.Record(Type.String({ maxLength: 40 }), Type.Number()), Type.Null()], {
      default: null,
      description: 'Numbers of a game by formula, by name; those left out, and null, take their defaults.',
    }),
    payoffs: Type.Union([Type.Array(Type.Unknown(), { minItems: 2, maxItems: PLAYER_LIMIT }), Type.Null()], {
      default: null,
      description:
        'One table per player, nested by the actions of all players in order: for two, [rowAction][columnAction]. Only for game custom.',
    }),
    tensors: Type.Union(
      [
        Type.Object(
          {
            transitions: Type.Unknown({ description: 'T[state][action of each player …][next state].' }),
            rewards: Type.Unknown({ description: 'R[player][state][action of each player …][next state].' }),
            start: Type.Optional(Type.Array(Type.Number(), { minItems: 1, maxItems: STATE_LIMIT })),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      {
        default: null,
        description:
          'A stochastic game: `transitions` T[s][a1]…[aN][s′], `rewards` R[i][s][a1]…[aN][s′], `start` chances of the first state (left out: state 0). Only for game tensors.',
      },
    ),
    observation: Type.Union(
      OBSERVATIONS.map((kind) => Type.Literal(kind)),
      {
        default: 'none',
        description:
          'none: one constant feature. last: what everybody chose in the rounds before, one-hot, own first. uoe-none, uoe-last: as matrix-games shows it.',
      },
    ),
    memory: Type.Integer({
      minimum: 1,
      maximum: MEMORY_LIMIT,
      default: 1,
      description: 'Rounds that observation last reaches back.',
    }),
    hideState: Type.Boolean({
      default: false,
      description:
        'Keeps the state of a game of several states out of the observations (it stays in the global state).',
    }),
  },
  { additionalProperties: false },
)

export type MatrixOptions = Static<typeof OPTIONS>
