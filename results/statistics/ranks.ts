/** Ranks that say no more than the data do: a range wherever the order may be chance. */
import { type Interval, intervalOf } from './bootstrap.ts'

export interface RankRange {
  /** Place by the point value, 1 = best; equal values share the better place. */
  readonly rank: number
  /** 1 + the number of others that are better beyond doubt. */
  readonly best: number
  /** As many as there are, less those that are worse beyond doubt. */
  readonly worst: number
}

/**
 * Ranks with ranges. One is better than another beyond doubt when the whole interval of their difference is above 0.
 * @param values point value of each; larger is better; FAILED shares the last place
 * @param difference interval of values[i] − values[j]; null where there are too few runs for one: nothing is claimed
 */
export function rankRanges(
  values: readonly number[],
  difference: (i: number, j: number) => Interval | null,
): RankRange[] {
  const better = (i: number, j: number): boolean => {
    if (values[j] === -Infinity) return values[i] !== -Infinity
    if (values[i] === -Infinity) return false
    const interval = difference(i, j)
    return interval !== null && interval.low > 0
  }
  const others = (i: number) => values.map((_, j) => j).filter((j) => j !== i)
  return values.map((value, i) => ({
    rank: 1 + values.filter((other) => other > value).length,
    best: 1 + others(i).filter((j) => better(j, i)).length,
    worst: values.length - others(i).filter((j) => better(i, j)).length,
  }))
}

/** The interval of a difference from the replicates of both, which were drawn independently. */
export function differenceInterval(x: Float64Array, y: Float64Array, level?: number): Interval {
  // Two failures are no different from each other.
  return intervalOf(
    x.map((value, i) => (value === y[i] ? 0 : value - y[i])),
    level,
  )
}

/** '1' or '1–3'. */
export function rankText({ best, worst }: RankRange): string {
  return best === worst ? String(best) : `${best}–${worst}`
}

/**
 * What may be said of P(X > Y): 'better' only when the whole interval is above one half, 'meaningful' when it also
 * reaches 0.75 (the Neyman–Pearson rule of thumb that Agarwal et al. 2021 recommend).
 */
export function improvementVerdict(interval: Interval): 'meaningful' | 'better' | 'worse' | 'undecided' {
  if (interval.low > 0.5) return interval.high >= 0.75 ? 'meaningful' : 'better'
  return interval.high < 0.5 ? 'worse' : 'undecided'
}
