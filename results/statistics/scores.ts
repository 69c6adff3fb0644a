/**
 * Numbers from the scores of one algorithm, as Agarwal et al. 2021 ("Deep RL at the edge of the statistical precipice")
 * define them and their package rliable 1.2 computes them.
 *
 * A failed run (it diverged, or its score is no number) scores FAILED, minus infinity: below every score. Order
 * statistics carry that through by themselves: an interquartile mean survives a quarter of failed runs, a mean none.
 */
import { TroupeError } from '../../envs/core/index.ts'

/** [R, M] one row per run, one column per task, normalised where tasks are pooled. Every row as long as the first. */
export type Scores = readonly (readonly number[])[]

/** The score of a run that has none. */
export const FAILED = -Infinity

/**
 * Checks that scores are a full matrix; NaN and plus infinity become FAILED, and so does whatever is no number.
 * @throws TroupeError bad-option when there is no run, no task, or a row of another length
 */
export function checkScores(scores: readonly (readonly unknown[])[], where = 'scores'): number[][] {
  const width = scores[0]?.length ?? 0
  if (width === 0) {
    throw new TroupeError('bad-option', { where, got: 'empty', expected: 'at least one run on at least one task' })
  }
  return scores.map((row, run) => {
    if (row.length !== width) {
      const got = `${row.length} long`
      throw new TroupeError('bad-option', { where: `${where}: run ${run}`, got, expected: `${width} tasks, as run 0` })
    }
    return row.map((value) => (typeof value === 'number' && Number.isFinite(value) ? value : FAILED))
  })
}

/** 0 at the reference of random play, 1 at the best known; neither is a limit. */
export function normalise(score: number, reference: { readonly random: number; readonly best: number }): number {
  return (score - reference.random) / (reference.best - reference.random)
}

export function meanOf(values: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]
  return sum / values.length
}

/** The middle value, or the mean of the two in the middle. */
export function medianOf(values: ArrayLike<number>): number {
  return middle(Float64Array.from(values).sort(), 0, values.length)
}

function middle(sorted: Float64Array, from: number, count: number): number {
  const half = from + (count >> 1)
  if (count % 2 === 1) return sorted[half]
  return (sorted[half - 1] + sorted[half]) / 2
}

/** Mean over tasks of the mean over runs. */
export function mean(scores: Scores): number {
  return meanOf(taskMeans(scores))
}

/** Median over tasks of the mean over runs; not the median of all cells. */
export function median(scores: Scores): number {
  return medianOf(taskMeans(scores))
}

/** [M] mean over runs of every task. */
export function taskMeans(scores: Scores): number[] {
  return scores[0].map((_, task) => meanOf(scores.map((row) => row[task])))
}

/** Interquartile mean: all cells together, floor(n / 4) cut from either end, the mean of the rest. */
export function iqm(scores: Scores): number {
  return iqmOf(Float64Array.from(scores.flat()).sort())
}

/** The same of values sorted from low to high. */
export function iqmOf(sorted: Float64Array): number {
  const cut = Math.floor(sorted.length / 4)
  let sum = 0
  for (let i = cut; i < sorted.length - cut; i++) sum += sorted[i]
  return sum / (sorted.length - 2 * cut)
}

/** How far the mean stays below `gamma` when nothing above it counts; smaller is better. */
export function optimalityGap(scores: Scores, gamma = 1): number {
  return gamma - meanOf(scores.flat().map((score) => Math.min(score, gamma)))
}

export interface Aggregates {
  readonly iqm: number
  readonly median: number
  readonly mean: number
  readonly optimalityGap: number
}

export function aggregates(scores: Scores, gamma = 1): Aggregates {
  return {
    iqm: iqm(scores),
    median: median(scores),
    mean: mean(scores),
    optimalityGap: optimalityGap(scores, gamma),
  }
}

/** For every threshold the share of cells strictly above it (run-score distribution). */
export function performanceProfile(scores: Scores, thresholds: readonly number[]): number[] {
  const cells = scores.flat()
  return thresholds.map((threshold) => cells.filter((score) => score > threshold).length / cells.length)
}

/** For every threshold the share of tasks whose mean over runs is strictly above it (average-score distribution). */
export function averageScoreProfile(scores: Scores, thresholds: readonly number[]): number[] {
  return performanceProfile([taskMeans(scores)], thresholds)
}

/**
 * P(X > Y): per task the share of pairs of runs where x is above y, ties half; then the mean over tasks.
 * @param x [R, M] @param y [Q, M] the same tasks; run counts may differ
 */
export function probabilityOfImprovement(x: Scores, y: Scores): number {
  if (x[0].length !== y[0].length) {
    const got = `${x[0].length} and ${y[0].length} tasks`
    throw new TroupeError('bad-option', { where: 'probability of improvement', got, expected: 'the same tasks' })
  }
  return meanOf(
    x[0].map((_, task) =>
      winShare(
        x.map((row) => row[task]),
        y.map((row) => row[task]),
      ),
    ),
  )
}

function winShare(x: readonly number[], y: readonly number[]): number {
  let wins = 0
  for (const a of x) for (const b of y) wins += a > b ? 1 : a === b ? 0.5 : 0
  return wins / (x.length * y.length)
}
