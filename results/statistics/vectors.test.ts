/** The recorded results of rliable 1.2 and of marl-eval's pipeline, and what can be worked out by hand. */
import { describe, expect, test } from 'vitest'
import { fixtureJson } from '../../testing.ts'
import {
  aggregateIntervals,
  aggregates,
  averageScoreProfile,
  improvementInterval,
  intervalOf,
  iqm,
  mean,
  median,
  optimalityGap,
  performanceProfile,
  probabilityOfImprovement,
  resample,
  sampleEfficiency,
  type Scores,
} from '../statistics.ts'
import { Generator, namedSeed } from '../../envs/core/index.ts'

const recorded = fixtureJson('algorithms/vectors.json')?.rliable as Vectors | undefined

interface Vectors {
  readonly scores_A: { data: number[][] }
  readonly scores_B: { data: number[][] }
  readonly point_aggregates: Record<'A' | 'B', Record<string, number>>
  readonly probability_of_improvement: Record<string, number> & { per_task_A_over_B: { p: number }[] }
  readonly performance_profile: Record<string, number[]>
  readonly stratified_bootstrap_replay: {
    replicates: { row_index_per_cell: number[][]; iqm: number; mean: number; median: number; og: number }[]
    percentile_ci_95_numpy_linear: Record<'iqm' | 'mean' | 'median' | 'og', [number, number]>
  }
  readonly bootstrap_large: { ci95: [number[], number[]]; reps: number; tolerance: number }
  readonly bootstrap_poi: { ci95: [number[], number[]]; reps: number; tolerance: number }
  readonly exact_bootstrap_2x2_mean: { scores: number[][]; distribution: { value: number; count_of_16: number }[] }
  readonly sample_efficiency_iqm: { iqm_per_frame: number[] }
}

const close = (got: readonly number[], expected: readonly number[]) => {
  expect(got.length).toBe(expected.length)
  got.forEach((value, i) => expect(value, `value ${i}`).toBeCloseTo(expected[i], 13))
}

describe.runIf(recorded)('recorded with rliable', () => {
  const vectors = recorded!
  const A = recorded?.scores_A.data ?? []
  const B = recorded?.scores_B.data ?? []

  test('mean, median, interquartile mean and optimality gap are its own', () => {
    for (const [name, scores] of Object.entries({ A, B }) as ['A' | 'B', Scores][]) {
      const recorded = vectors.point_aggregates[name]
      const { mean, median, iqm, optimalityGap: gap } = aggregates(scores)
      close([mean, median, iqm, gap], [recorded.mean, recorded.median, recorded.iqm, recorded.optimality_gap_gamma1])
      close([optimalityGap(scores, 0.5)], [recorded['optimality_gap_gamma0.5']])
    }
  })

  test('the probability of improvement counts ties half, per task and over tasks', () => {
    const recorded = vectors.probability_of_improvement
    close(
      [probabilityOfImprovement(A, B), probabilityOfImprovement(B, A), probabilityOfImprovement(A, A)],
      [recorded['P(A>B)'], recorded['P(B>A)'], recorded['P(A>A)']],
    )
    recorded.per_task_A_over_B.forEach(({ p }, task) => {
      const one = (scores: Scores) => scores.map((row) => [row[task]])
      close([probabilityOfImprovement(one(A), one(B))], [p])
    })
  })

  test('a performance profile is the share strictly above each threshold', () => {
    const { taus, A_run_score_distribution, A_average_score_distribution, B_run_score_distribution } =
      vectors.performance_profile
    close(performanceProfile(A, taus), A_run_score_distribution)
    close(performanceProfile(B, taus), B_run_score_distribution)
    close(averageScoreProfile(A, taus), A_average_score_distribution)
  })

  test('replicates with given indices have the recorded aggregates and percentiles', () => {
    const { replicates, percentile_ci_95_numpy_linear: ends } = vectors.stratified_bootstrap_replay
    const drawn = replicates.map(({ row_index_per_cell: rows }) =>
      rows.map((row) => row.map((run, task) => A[run][task])),
    )
    close(
      drawn.map((scores) => iqm(scores)),
      replicates.map((replicate) => replicate.iqm),
    )
    close(
      drawn.map((scores) => mean(scores)),
      replicates.map((replicate) => replicate.mean),
    )
    close(
      drawn.map((scores) => median(scores)),
      replicates.map((replicate) => replicate.median),
    )
    close(
      drawn.map((scores) => optimalityGap(scores)),
      replicates.map((replicate) => replicate.og),
    )
    for (const [name, statistic] of Object.entries({ iqm, mean, median, og: optimalityGap })) {
      const { low, high } = intervalOf(drawn.map((scores) => statistic(scores)))
      close([low, high], ends[name as 'iqm'])
    }
  })

  test('our own draws give its intervals within the error of Monte Carlo', () => {
    const { ci95, reps, tolerance } = vectors.bootstrap_large
    const found = aggregateIntervals(A, { replicates: reps })
    ;[found.iqm, found.mean, found.median, found.optimalityGap].forEach(({ low, high }, k) => {
      expect(Math.abs(low - ci95[0][k])).toBeLessThanOrEqual(tolerance)
      expect(Math.abs(high - ci95[1][k])).toBeLessThanOrEqual(tolerance)
    })
    const improvement = improvementInterval(A, B, { replicates: vectors.bootstrap_poi.reps })
    expect(Math.abs(improvement.low - vectors.bootstrap_poi.ci95[0][0])).toBeLessThanOrEqual(0.03)
    expect(Math.abs(improvement.high - vectors.bootstrap_poi.ci95[1][0])).toBeLessThanOrEqual(0.03)
  })

  test('drawing tasks as well widens the interval to about 0.16 to 0.98', () => {
    const { low, high } = aggregateIntervals(A, { tasks: true }).iqm
    expect(low).toBeCloseTo(0.16, 1)
    expect(high).toBeCloseTo(0.98, 1)
  })

  test('all sixteen resamples of a 2 × 2 matrix come as often as they should', () => {
    const { scores, distribution } = vectors.exact_bootstrap_2x2_mean
    const counts = new Map<number, number>()
    const total = 32_000
    resample(scores, total, new Generator(namedSeed(1, 'test')), false, (cells) => {
      const value = cells.reduce((sum, cell) => sum + cell, 0) / 4
      counts.set(value, (counts.get(value) ?? 0) + 1)
    })
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual(distribution.map(({ value }) => value))
    for (const { value, count_of_16: share } of distribution) {
      const expected = (share / 16) * total
      expect(Math.abs(counts.get(value)! - expected)).toBeLessThan(5 * Math.sqrt(expected)) // five standard deviations
    }
  })

  test('a sample-efficiency curve is the interquartile mean at every point', () => {
    const curves = A.map((row) => row.map((score) => [0.2, 0.6, 1].map((factor) => score * factor)))
    close(sampleEfficiency(curves), vectors.sample_efficiency_iqm.iqm_per_frame)
  })
})
