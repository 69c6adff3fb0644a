/** Players against each other (ratings) and beside each other (cross-play). */
import { TroupeError } from '../../envs/core/index.ts'
import { meanOf } from './scores.ts'

/** One game or match-up of two players. */
export interface Game {
  readonly a: string
  readonly b: string
  /** Of `a`: 1 won, 0 lost, one half drawn; or the share won of `games` games. */
  readonly score: number
  /** How many games this line stands for; default 1. */
  readonly games?: number
}

export interface Rating {
  readonly player: string
  /** In Elo points around a mean of 1500: 400 points more are odds of ten to one. */
  readonly rating: number
  /** Standard deviation of the rating against the mean of all players. */
  readonly deviation: number
  readonly games: number
}

const ELO = 400 / Math.LN10
/** Drawn games against an average player that everybody starts with [ours]: keeps who never lost at a finite rating. */
const PRIOR_GAMES = 1

/**
 * Bradley–Terry ratings by maximum likelihood with draws as half a win each (Bradley and Terry 1952; Newton's method),
 * one drawn game against an average player added for each. Deviations are from the inverse of the information matrix,
 * so they shrink with the number of games. Order and grouping of the games do not matter.
 * @returns best first; equal ratings by name
 * @throws TroupeError for a score outside 0 to 1 or a player against itself
 */
export function bradleyTerry(games: readonly Game[]): Rating[] {
  const players = [...new Set(games.flatMap(({ a, b }) => [a, b]))].sort()
  const K = players.length
  const index = new Map(players.map((player, k) => [player, k]))
  const wins = new Float64Array(K).fill(PRIOR_GAMES / 2)
  const played = new Float64Array(K * K)
  for (const { a, b, score, games: count = 1 } of games) {
    if (a === b || !(score >= 0 && score <= 1) || !(count > 0)) {
      throw new TroupeError('bad-option', {
        where: `game of ${a} and ${b}`,
        got: a === b ? 'a player against itself' : `score ${score} of ${count} games`,
        expected: 'two players, a score from 0 to 1 and at least one game',
      })
    }
    const [i, j] = [index.get(a)!, index.get(b)!]
    wins[i] += score * count
    wins[j] += (1 - score) * count
    played[i * K + j] += count
    played[j * K + i] += count
  }
  const strength = new Float64Array(K)
  let inverse = new Float64Array(K * K)
  for (let round = 0; round < 100; round++) {
    const gradient = Float64Array.from(wins)
    const information = new Float64Array(K * K)
    for (let i = 0; i < K; i++) {
      const average = odds(strength[i])
      gradient[i] -= PRIOR_GAMES * average
      information[i * K + i] += PRIOR_GAMES * average * (1 - average)
      for (let j = 0; j < K; j++) {
        const count = played[i * K + j]
        if (count === 0) continue
        const p = odds(strength[i] - strength[j])
        gradient[i] -= count * p
        information[i * K + i] += count * p * (1 - p)
        information[i * K + j] -= count * p * (1 - p)
      }
    }
    inverse = invert(information, K)
    let largest = 0
    for (let i = 0; i < K; i++) {
      let step = 0
      for (let j = 0; j < K; j++) step += inverse[i * K + j] * gradient[j]
      const bounded = Math.max(-2, Math.min(2, step)) // Newton overshoots from far away
      strength[i] += bounded
      largest = Math.max(largest, Math.abs(bounded))
    }
    if (largest < 1e-12) break
  }
  const centre = meanOf(strength)
  return players
    .map((player, i) => ({
      player,
      rating: 1500 + ELO * (strength[i] - centre),
      deviation: ELO * Math.sqrt(varianceAgainstMean(inverse, K, i)),
      games: meanOf(played.subarray(i * K, (i + 1) * K)) * K,
    }))
    .sort((x, y) => y.rating - x.rating || (x.player < y.player ? -1 : 1))
}

const odds = (difference: number): number => 1 / (1 + Math.exp(-difference))

/** Chance that the first wins, from two ratings in Elo points. */
export function expectedScore(rating: number, against: number): number {
  return odds((rating - against) / ELO)
}

/** Variance of strength i less the mean strength. */
function varianceAgainstMean(covariance: Float64Array, K: number, i: number): number {
  let row = 0
  let all = 0
  for (let j = 0; j < K; j++) row += covariance[i * K + j]
  for (let j = 0; j < K * K; j++) all += covariance[j]
  return Math.max(0, covariance[i * K + i] - (2 * row) / K + all / (K * K))
}

/** Inverse of a symmetric positive definite matrix, by Gauss–Jordan. */
function invert(matrix: Float64Array, K: number): Float64Array<ArrayBuffer> {
  const left = Float64Array.from(matrix)
  const right = new Float64Array(K * K)
  for (let i = 0; i < K; i++) right[i * K + i] = 1
  for (let pivot = 0; pivot < K; pivot++) {
    const scale = 1 / left[pivot * K + pivot]
    for (let j = 0; j < K; j++) {
      left[pivot * K + j] *= scale
      right[pivot * K + j] *= scale
    }
    for (let i = 0; i < K; i++) {
      const factor = left[i * K + pivot]
      if (i === pivot || factor === 0) continue
      for (let j = 0; j < K; j++) {
        left[i * K + j] -= factor * left[pivot * K + j]
        right[i * K + j] -= factor * right[pivot * K + j]
      }
    }
  }
  return right
}

/**
 * Triples in which every player beats one of the others: where there are any, no single number orders the players.
 * @param share [K, K] share of games that row won against column; NaN or one half = nobody is ahead
 */
export function intransitivity(share: readonly (readonly number[])[]): { cyclic: number; triples: number } {
  const K = share.length
  const ahead = (i: number, j: number) => share[i][j] > 0.5
  let cyclic = 0
  let triples = 0
  for (let i = 0; i < K; i++) {
    for (let j = i + 1; j < K; j++) {
      for (let k = j + 1; k < K; k++) {
        const decided = [share[i][j], share[j][k], share[i][k]].every((p) => !Number.isNaN(p) && p !== 0.5)
        if (!decided) continue
        triples++
        if ((ahead(i, j) && ahead(j, k) && ahead(k, i)) || (ahead(j, i) && ahead(k, j) && ahead(i, k))) cyclic++
      }
    }
  }
  return { cyclic, triples }
}

/** A return that two policies got together, `row` in the first seats, `column` in the others. */
export interface Pairing {
  readonly row: string
  readonly column: string
  readonly return: number
}

export interface CrossPlay {
  readonly players: readonly string[]
  /** [K, K] mean return; NaN where a pair did not play. */
  readonly mean: readonly (readonly number[])[]
  /** [K, K] how many returns are behind it. */
  readonly count: readonly (readonly number[])[]
  /** Mean over the diagonal: with oneself. */
  readonly selfPlay: number
  /** Mean over everything else that was played: with strangers. NaN when nothing was. */
  readonly crossPlay: number
}

/** Does it work with strangers? Means by pair; players in order of name. */
export function crossPlayMatrix(pairings: readonly Pairing[]): CrossPlay {
  const players = [...new Set(pairings.flatMap(({ row, column }) => [row, column]))].sort()
  const index = new Map(players.map((player, k) => [player, k]))
  const count = players.map(() => players.map(() => 0))
  const sum = players.map(() => players.map(() => 0))
  for (const { row, column, return: value } of pairings) {
    count[index.get(row)!][index.get(column)!]++
    sum[index.get(row)!][index.get(column)!] += value
  }
  const mean = sum.map((line, i) => line.map((value, j) => (count[i][j] === 0 ? NaN : value / count[i][j])))
  const cells = mean.flatMap((line, i) => line.map((value, j) => ({ value, own: i === j })))
  const over = (own: boolean) =>
    meanOf(cells.filter((cell) => cell.own === own && !Number.isNaN(cell.value)).map(({ value }) => value))
  return { players, mean, count, selfPlay: over(true), crossPlay: over(false) }
}
