/** All equilibria of two-player games by support enumeration (Nisan et al. 2007, algorithm 3.4). */
import { TroupeError } from '../../core/index.ts'
import { sizesOf, type Game } from '../games.ts'
import { solve } from './linear.ts'

export interface Equilibrium {
  /** Chances of the row player's actions. */
  readonly row: readonly number[]
  readonly column: readonly number[]
  /** What both get. */
  readonly values: readonly [number, number]
}

/** Most actions of a player: supports are subsets. */
const LIMIT = 10

/** Subsets of 0 … n - 1 with k members. */
function subsets(n: number, k: number): number[][] {
  const all: number[][] = []
  const grow = (from: number, chosen: number[]) => {
    if (chosen.length === k) all.push(chosen)
    else for (let next = from; next < n; next++) grow(next + 1, [...chosen, next])
  }
  grow(0, [])
  return all
}

/**
 * The chances over `support` that make all of `indifferent` pay the other player the same, and that payoff v:
 * sum_j p_j U[i][j] = v for i in `indifferent`, sum_j p_j = 1. Undefined when there is no single solution.
 */
function indifference(
  payoff: (own: number, other: number) => number,
  indifferent: readonly number[],
  support: readonly number[],
): { chances: number[]; value: number } | undefined {
  const n = support.length + 1
  const a = new Float64Array(n * n)
  const b = new Float64Array(n)
  indifferent.forEach((own, row) => {
    support.forEach((other, column) => (a[row * n + column] = payoff(own, other)))
    a[row * n + n - 1] = -1
  })
  support.forEach((_, column) => (a[(n - 1) * n + column] = 1))
  b[n - 1] = 1
  if (!solve(a, b, n, 1)) return undefined
  return { chances: Array.from(b.subarray(0, n - 1)), value: b[n - 1] }
}

/**
 * Pure and mixed equilibria of a two-player game, supports of equal size, smallest first. In a nondegenerate game these are
 * all; a degenerate one (more best replies to a strategy than its support has members) may have whole faces of
 * equilibria, of which corners are listed.
 * @throws TroupeError bad-usage for other than two players and for more than 10 actions
 */
export function equilibria(game: Game, tolerance = 1e-9): Equilibrium[] {
  const sizes = sizesOf(game)
  if (sizes.length !== 2 || game.stages !== undefined || sizes.some((size) => size > LIMIT)) {
    throw new TroupeError('bad-usage', {
      where: 'equilibria',
      got: `called for ${game.id} with ${sizes.join(' × ')} actions`,
      expected: `a game of one state for two players with at most ${LIMIT} actions each`,
    })
  }
  const [rows, columns] = sizes
  const rowPays = (i: number, j: number) => game.payoff[(i * columns + j) * 2]
  const columnPays = (j: number, i: number) => game.payoff[(i * columns + j) * 2 + 1]
  const found: Equilibrium[] = []
  for (let size = 1; size <= Math.min(rows, columns); size++) {
    for (const I of subsets(rows, size)) {
      for (const J of subsets(columns, size)) {
        const y = indifference(rowPays, I, J)
        const x = indifference(columnPays, J, I)
        if (x === undefined || y === undefined) continue
        if ([...x.chances, ...y.chances].some((chance) => chance < tolerance)) continue
        const row = spread(rows, I, x.chances)
        const column = spread(columns, J, y.chances)
        const tempted = (pays: (own: number, other: number) => number, own: number, others: number[], value: number) =>
          others.reduce((sum, chance, other) => sum + chance * pays(own, other), 0) > value + tolerance
        if (row.some((_, i) => tempted(rowPays, i, column, y.value))) continue
        if (column.some((_, j) => tempted(columnPays, j, row, x.value))) continue
        found.push({ row, column, values: [y.value, x.value] })
      }
    }
  }
  return found
}

function spread(length: number, support: readonly number[], chances: readonly number[]): number[] {
  const all = new Array<number>(length).fill(0)
  support.forEach((action, k) => (all[action] = chances[k]))
  return all
}
