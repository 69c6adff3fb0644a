/** From options to a game: named or one's own. */
import { TroupeError } from '../core/index.ts'
import { type GAMES, namedGame, twoPlayerGame, type Game } from './games.ts'
import { type MatrixOptions } from './options.ts'

/** What a miss costs in the penalty game when nothing is said. */
export const MISS_COST = 100

/**
 * The game that the options name.
 * @throws TroupeError bad-option for options that do not belong to the game, and for tables of unequal shape
 */
export function gameOf(options: MatrixOptions): Game {
  const { game, k, payoffs } = options
  if (k !== null && game !== 'penalty') {
    throw new TroupeError('bad-option', {
      where: 'matrix options: k',
      got: `${k} for game ${game}`,
      expected: 'null, or game penalty',
    })
  }
  if (game !== 'custom') {
    if (payoffs !== null) {
      throw new TroupeError('bad-option', {
        where: 'matrix options: payoffs',
        got: `given for game ${game}`,
        expected: 'null, or game custom',
      })
    }
    return namedGame(game as keyof typeof GAMES, k ?? MISS_COST)
  }
  if (payoffs === null) {
    throw new TroupeError('bad-option', {
      where: 'matrix options: payoffs',
      got: 'missing',
      expected: 'two tables [rowAction][columnAction] for game custom',
    })
  }
  return customGame(payoffs)
}

function customGame(payoffs: readonly (readonly (readonly number[])[])[]): Game {
  const rows = payoffs[0].length
  const columns = payoffs[0][0].length
  payoffs.forEach((table, player) => {
    if (table.length !== rows) {
      throw new TroupeError('bad-option', {
        where: `matrix options: payoffs.${player}`,
        got: `${table.length} rows`,
        expected: `${rows} rows, as in payoffs.0`,
      })
    }
    table.forEach((line, row) => {
      if (line.length === columns) return
      throw new TroupeError('bad-option', {
        where: `matrix options: payoffs.${player}.${row}`,
        got: `${line.length} numbers`,
        expected: `${columns} numbers, as in payoffs.0.0`,
      })
    })
  })
  const names = (count: number) => Array.from({ length: count }, (_, index) => `choice ${index}`)
  return twoPlayerGame('custom', 'Custom game', [names(rows), names(columns)], payoffs[0], payoffs[1])
}
