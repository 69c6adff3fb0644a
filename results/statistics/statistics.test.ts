import { describe, expect, test } from 'vitest'
import {
  FAILED,
  aggregateIntervals,
  aggregateReplicates,
  aggregates,
  areaUnderCurve,
  bootstrapInterval,
  bradleyTerry,
  checkScores,
  crossPlayMatrix,
  differenceInterval,
  expectedScore,
  improvementInterval,
  improvementVerdict,
  intervalOf,
  intransitivity,
  iqm,
  mean,
  meanInterval,
  median,
  normalise,
  pairedDifferenceInterval,
  percentile,
  performanceProfile,
  probabilityOfImprovement,
  profileIntervals,
  rankRanges,
  rankText,
  sampleEfficiency,
  sampleEfficiencyIntervals,
  standing,
  valueAt,
  type Game,
} from '../statistics.ts'

const A = [
  [0.1, 0.5, 0.9],
  [0.2, 0.4, 1.1],
  [0.3, 0.6, 0.8],
  [0.15, 0.55, 1.2],
  [0.05, 0.45, 1.0],
]

describe('aggregates', () => {
  test('the interquartile mean pools runs and tasks: nine of fifteen cells are kept', () => {
    // .2 .3 .4 .45 .5 .55 .6 .8 .9 sum to 4.7
    expect(iqm(A)).toBeCloseTo(4.7 / 9, 15)
  })

  test.each([
    [[3], 3],
    [[1, 2, 30], 11], // fewer than four cells drop none
    [[0, 1, 2, 30], 1.5],
    [[0, 1, 2, 3, 100], 2],
    [[-100, 0, 1, 2, 3, 4, 5, 100], 2.5],
  ])('the interquartile mean of %j is %d', (cells, expected) => {
    expect(iqm(cells.map((cell) => [cell]))).toBeCloseTo(expected, 15)
    expect(iqm([cells])).toBeCloseTo(expected, 15) // rows and columns play no part in it
  })

  test('the median is over task means, not over cells', () => {
    // task means 0, 1 and 10; the middle cell would be 1.5 or 0
    expect(median([[0, -1, 0], [0, 3, 20]])).toBe(1) // prettier-ignore
    expect(median([[0, 4], [2, 6]])).toBe(3) // prettier-ignore
  })

  test('swapping runs and tasks changes the answer, so that a slip of the axes is seen', () => {
    const swapped = A[0].map((_, task) => A.map((row) => row[task]))
    expect(median(swapped)).not.toBeCloseTo(median(A), 3)
    const right = aggregateIntervals(A, { replicates: 5000 }).iqm
    const wrong = aggregateIntervals(swapped, { replicates: 5000 }).iqm
    expect(wrong.high - wrong.low).toBeGreaterThan(2 * (right.high - right.low))
  })

  test('a failed run is below every score: trimmed by the interquartile mean, fatal to the mean', () => {
    const scores = checkScores([[NaN], [0.5], [0.6], ['0.999'], [0.7], [0.8], [Infinity], [0.9]])
    expect(scores.flat()).toEqual([FAILED, 0.5, 0.6, FAILED, 0.7, 0.8, FAILED, 0.9])
    expect(mean(scores)).toBe(FAILED)
    expect(iqm(scores)).toBe(FAILED) // three of eight failed: one is among the middle four
    expect(iqm([[FAILED], [FAILED], [0.5], [0.6], [0.7], [0.8], [0.9], [1]])).toBeCloseTo(0.65, 15)
    expect(probabilityOfImprovement([[FAILED]], [[-1e9]])).toBe(0)
    expect(performanceProfile(scores, [-1e300])).toEqual([5 / 8])
    const { optimalityGap, mean: failedMean } = aggregates(scores)
    expect([optimalityGap, failedMean]).toEqual([Infinity, FAILED])
    const intervals = aggregateIntervals(scores, { replicates: 500 })
    for (const { low, high } of Object.values(intervals)) expect([low, high].some(Number.isNaN)).toBe(false)
  })

  test('scores that are no full matrix are refused by run', () => {
    expect(() => checkScores([])).toThrow('scores is empty; expected at least one run on at least one task')
    expect(() => checkScores([[1, 2], [1]], 'mappo')).toThrow('mappo: run 1 is 1 long; expected 2 tasks, as run 0')
    expect(() => probabilityOfImprovement([[1]], [[1, 2]])).toThrow('1 and 2 tasks')
  })

  test('random play is 0 and the best known 1, also where returns are negative', () => {
    const reference = { random: -50, best: -10 }
    expect([-50, -10, -30, 10].map((score) => normalise(score, reference))).toEqual([0, 1, 0.5, 1.5])
  })
})

describe('bootstrap', () => {
  test('percentiles interpolate as numpy does', () => {
    // numpy.percentile([1, 2, 4, 8], [0, 25, 50, 97.5, 100]) = 1, 1.75, 3, 7.7, 8
    expect([0, 0.25, 0.5, 1].map((q) => percentile([1, 2, 4, 8], q))).toEqual([1, 1.75, 3, 8])
    expect(percentile([1, 2, 4, 8], 0.975)).toBeCloseTo(7.7, 13)
    expect(percentile([FAILED, 1], 0.5)).toBe(FAILED)
    expect(intervalOf([3])).toEqual({ low: 3, high: 3 })
  })

  test('the same seed gives the same interval, another seed another', () => {
    const of = (seed: string) => aggregateIntervals(A, { replicates: 200, seed }).iqm
    expect(of('x')).toEqual(of('x'))
    expect(of('x')).not.toEqual(of('y'))
  })

  test('the level is the share inside', () => {
    const half = meanInterval([0, 1, 2, 3, 4, 5], { level: 0.5 })
    const most = meanInterval([0, 1, 2, 3, 4, 5], { level: 0.95 })
    expect(most.low).toBeLessThan(half.low)
    expect(half.high).toBeLessThan(most.high)
  })

  test('the mean of a fair coin lies where the binomial says', () => {
    // 100 tosses, half heads: 0.5 ± 1.96 × 0.05
    const { low, high } = meanInterval(
      Array.from({ length: 100 }, (_, i) => i % 2),
      { replicates: 20_000 },
    )
    expect(low).toBeCloseTo(0.402, 1)
    expect(high).toBeCloseTo(0.598, 1)
    expect(Math.abs(low - 0.402)).toBeLessThan(0.012)
    expect(Math.abs(high - 0.598)).toBeLessThan(0.012)
  })

  test('runs are drawn within each task: tasks that differ do not widen the interval', () => {
    const rows = Array.from({ length: 5 }, () => [0, 100, 1000])
    expect(bootstrapInterval(rows, mean)).toEqual({ low: 1100 / 3, high: 1100 / 3 })
  })

  test('a profile’s intervals hold the profile and do not need sorted thresholds', () => {
    const thresholds = [0, 0.3, 0.6, 1.3]
    const intervals = profileIntervals(A, thresholds)
    performanceProfile(A, thresholds).forEach((share, k) => {
      expect(intervals[k].low).toBeLessThanOrEqual(share)
      expect(intervals[k].high).toBeGreaterThanOrEqual(share)
    })
    expect(intervals[0]).toEqual({ low: 1, high: 1 })
    expect(intervals[3]).toEqual({ low: 0, high: 0 })
    expect(profileIntervals(A, [1.3, 0])).toEqual([intervals[3], intervals[0]])
  })

  test('pairs on the same episodes are told apart where their spread would hide it', () => {
    const seeds = Array.from({ length: 40 }, (_, i) => 100 * (i % 8))
    const better = seeds.map((value, i) => value + (i % 2 === 0 ? 1 : 2))
    const { low, high, mean: difference } = pairedDifferenceInterval(better, seeds)
    expect(difference).toBe(1.5)
    expect(low).toBeGreaterThan(1.2)
    expect(high).toBeLessThan(1.8)
    expect(meanInterval(better).low).toBeLessThan(meanInterval(seeds).high) // alone they overlap
    expect(() => pairedDifferenceInterval([1], [1, 2])).toThrow('1 and 2 episodes')
  })
})

describe('curves', () => {
  const curves = [
    [[0, 1, 2]],
    [[0, 2, 4]],
    [[0, 3, 6]],
    [[0, 4, 8]], // prettier-ignore
  ]

  test('a point is the interquartile mean there; the area is the mean height', () => {
    expect(sampleEfficiency(curves)).toEqual([0, 2.5, 5])
    expect(areaUnderCurve(curves).area).toBe(2.5)
  })

  test('whole runs are drawn: in every replicate the last point is twice the middle one', () => {
    const [start, middle, end] = sampleEfficiencyIntervals(curves)
    expect(start).toEqual({ low: 0, high: 0 })
    expect(end).toEqual({ low: 2 * middle.low, high: 2 * middle.high })
    const { low, high } = areaUnderCurve(curves)
    expect([low, high]).toEqual([middle.low, middle.high])
  })

  test('curves of unequal length are refused', () => {
    expect(() => sampleEfficiency([[[1, 2]], [[1]]])).toThrow('runs × tasks × points')
    expect(() => sampleEfficiency([])).toThrow('empty or of unequal length')
  })

  test('a planned step has the value of the first evaluation that reached it', () => {
    expect([0, 1, 4, 5, 9].map((step) => valueAt([0, 4, 8], [10, 11, 12], step))).toEqual([10, 11, 11, 12, 12])
  })
})

describe('ranks', () => {
  test('who overlaps shares a range, who does not keeps a place', () => {
    // a and b overlap, c is clearly below both, d failed
    const values = [3, 2.9, 1, FAILED]
    const ranges = rankRanges(values, (i, j) => ({
      low: values[i] - values[j] - 0.5,
      high: values[i] - values[j] + 0.5,
    }))
    expect(ranges.map(rankText)).toEqual(['1–2', '1–2', '3', '4'])
    expect(ranges.map(({ rank }) => rank)).toEqual([1, 2, 3, 4])
  })

  test('without intervals nothing is claimed, but a failure is last all the same', () => {
    const ranges = rankRanges([3, 2, FAILED, FAILED], () => null)
    expect(ranges.map(rankText)).toEqual(['1–2', '1–2', '3–4', '3–4'])
  })

  test('an algorithm is not better than its copy', () => {
    const x = aggregateReplicates(A, { seed: 'x', replicates: 1000 }).iqm
    const y = aggregateReplicates(A, { seed: 'y', replicates: 1000 }).iqm
    const { low, high } = differenceInterval(x, y)
    expect(low).toBeLessThan(0)
    expect(high).toBeGreaterThan(0)
  })

  test('an improvement is claimed only when the whole interval is above one half', () => {
    expect(improvementVerdict({ low: 0.43, high: 0.84 })).toBe('undecided')
    expect(improvementVerdict({ low: 0.55, high: 0.7 })).toBe('better')
    expect(improvementVerdict({ low: 0.55, high: 0.75 })).toBe('meaningful')
    expect(improvementVerdict({ low: 0.1, high: 0.4 })).toBe('worse')
    expect(improvementInterval([[1], [1]], [[0], [0]])).toEqual({ low: 1, high: 1 })
  })

  test('few runs get no interval, few episodes neither, and only five runs a rank', () => {
    expect(standing(2, 320)).toMatchObject({ tier: 'smoke', intervals: false, warning: '2 runs: no interval below 3' })
    expect(standing(3, 16)).toMatchObject({ tier: 'smoke', intervals: false })
    expect(standing(3, 320)).toMatchObject({ tier: 'preliminary', intervals: true })
    expect(standing(5, 320)).toMatchObject({ tier: 'ranked', intervals: true })
    expect(standing(10, 320)).toEqual({ tier: 'ranked', intervals: true, warning: '' })
  })
})

describe('games', () => {
  test('two players: the ratings expect the score that was played, and more games mean less doubt', () => {
    const [first, second] = bradleyTerry([{ a: 'x', b: 'y', score: 0.75, games: 40_000 }])
    expect(first.player).toBe('x')
    // odds of three to one are 400 log10(3) = 190.85 points
    expect(first.rating - second.rating).toBeCloseTo(190.85, 1)
    expect(first.rating + second.rating).toBeCloseTo(3000, 6)
    expect(expectedScore(first.rating, second.rating)).toBeCloseTo(0.75, 4)
    // information of n games at p: n p (1 − p); the difference is twice the distance to the mean
    expect(first.deviation).toBeCloseTo(400 / Math.LN10 / Math.sqrt(40_000 * 0.75 * 0.25) / 2, 2)
    const [few] = bradleyTerry([{ a: 'x', b: 'y', score: 0.75, games: 40 }])
    expect(few.deviation).toBeGreaterThan(20 * first.deviation)
  })

  test('strengths that made the results are found again, in any order of games', () => {
    const strength: Record<string, number> = { a: 1800, b: 1500, c: 1450, d: 1250 }
    const games: Game[] = []
    for (const a of Object.keys(strength)) {
      for (const b of Object.keys(strength)) {
        if (a < b) games.push({ a, b, score: expectedScore(strength[a], strength[b]), games: 1e6 })
      }
    }
    const ratings = bradleyTerry(games)
    for (const { player, rating } of ratings) expect(rating).toBeCloseTo(strength[player], 1)
    expect(ratings.map(({ player }) => player)).toEqual(['a', 'b', 'c', 'd'])
    const again = bradleyTerry(
      [...games].reverse().map(({ a, b, score, games: n }) => ({ a: b, b: a, score: 1 - score, games: n! })),
    )
    again.forEach(({ rating }, k) => expect(rating).toBeCloseTo(ratings[k].rating, 6))
  })

  test('who never lost has a finite rating with a wide deviation', () => {
    const [winner, loser] = bradleyTerry([{ a: 'w', b: 'l', score: 1, games: 10 }])
    expect(winner.player).toBe('w')
    expect(Number.isFinite(winner.rating)).toBe(true)
    expect(winner.rating - loser.rating).toBeGreaterThan(300)
    expect(winner.deviation).toBeGreaterThan(100)
  })

  test('a game that cannot be is refused', () => {
    expect(() => bradleyTerry([{ a: 'x', b: 'x', score: 1 }])).toThrow('a player against itself')
    expect(() => bradleyTerry([{ a: 'x', b: 'y', score: NaN }])).toThrow('a score from 0 to 1')
  })

  test('rock, paper, scissors is one cycle; a ladder is none', () => {
    const cycle = [[NaN, 0.9, 0.1], [0.1, NaN, 0.9], [0.9, 0.1, NaN]] // prettier-ignore
    expect(intransitivity(cycle)).toEqual({ cyclic: 1, triples: 1 })
    const ladder = [[NaN, 0.9, 0.9], [0.1, NaN, 0.9], [0.1, 0.1, NaN]] // prettier-ignore
    expect(intransitivity(ladder)).toEqual({ cyclic: 0, triples: 1 })
    expect(intransitivity([[NaN, 0.5, 1], [0.5, NaN, 1], [0, 0, NaN]])).toEqual({ cyclic: 0, triples: 0 }) // prettier-ignore
  })

  test('cross-play keeps partners and strangers apart', () => {
    const table = crossPlayMatrix([
      { row: 'x', column: 'x', return: 10 },
      { row: 'y', column: 'y', return: 8 },
      { row: 'x', column: 'y', return: 1 },
      { row: 'x', column: 'y', return: 3 },
    ])
    expect(table.players).toEqual(['x', 'y'])
    expect(table.mean).toEqual([[10, 2], [NaN, 8]]) // prettier-ignore
    expect(table.count).toEqual([[1, 2], [0, 1]]) // prettier-ignore
    expect([table.selfPlay, table.crossPlay]).toEqual([9, 2])
  })
})
