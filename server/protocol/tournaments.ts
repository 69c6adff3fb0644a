/** Tournaments as the page shows them: what `troupe tournament --out` wrote, checked. */
import { Type, type Static } from '#typebox'

/** Players of one tournament at most: the table of all pairs is a page. */
export const PLAYERS = 200

const Count = Type.Integer({ minimum: 0 })
const Chance = Type.Number({ minimum: 0, maximum: 1 })
const Player = Type.String({ minLength: 1, maxLength: 200 })
const MaybeNumber = Type.Union([Type.Number(), Type.Null()])
const Cells = <T extends typeof MaybeNumber | typeof MaybeChance>(cell: T) =>
  Type.Array(Type.Array(cell, { maxItems: PLAYERS }), { minItems: 1, maxItems: PLAYERS })
const MaybeChance = Type.Union([Chance, Type.Null()])

/** What is read of tournament.json; more may be there. Tables are [players, players], the row against the column. */
export const TournamentFile = Type.Object({
  scenario: Type.Object({ id: Type.String({ minLength: 1, maxLength: 200 }) }),
  seed: Type.String({ maxLength: 200 }),
  players: Type.Array(Player, { minItems: 1, maxItems: PLAYERS, uniqueItems: true }),
  /** Mean reward per step of the row's player over both seats; null where the two did not meet. */
  payoffs: Cells(MaybeNumber),
  /** Share of episodes that the row won, a draw as half a win. */
  wins: Cells(MaybeChance),
  /** Bradley–Terry, best first: Elo points around 1500, one standard deviation, games behind it. */
  ratings: Type.Array(
    Type.Object({
      player: Player,
      rating: Type.Number(),
      deviation: Type.Number({ minimum: 0 }),
      games: Type.Number(),
    }),
    { maxItems: PLAYERS },
  ),
  /** Triples that run in a circle, of those that are decided. */
  intransitive: Type.Object({ cyclic: Count, triples: Count }),
  selfPlay: MaybeNumber,
  crossPlay: MaybeNumber,
  /** Mean payoff of each player over all opponents. */
  means: Type.Array(MaybeNumber, { maxItems: PLAYERS }),
  /** Indices of players from best to worst. */
  order: Type.Array(Count, { maxItems: PLAYERS }),
  /** Of every pair, in each seat. */
  episodes: Count,
  /** Chance that a chosen action was replaced by another. */
  error: Chance,
  /** Steps played in all. */
  steps: Count,
})

export type Tournament = Static<typeof TournamentFile> & {
  /** Name of its folder. */
  readonly id: string
  /** When it was written, ISO 8601. */
  readonly at: string
}

/** A line of the list. */
export interface TournamentInfo {
  readonly id: string
  readonly scenario: string
  readonly players: number
  readonly best: string
  readonly episodes: number
  readonly at: string
}

export interface TournamentList {
  readonly tournaments: TournamentInfo[]
  /** What could not be shown, with the reason. */
  readonly skipped: { id: string; reason: string }[]
}
