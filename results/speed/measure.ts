/** Repeated timing: several runs, median and best. */
import { performance } from 'node:perf_hooks'

export type Unit = 'env-steps/s' | 'agent-steps/s' | 'ms' | 'GFLOP/s'

export interface SpeedRow {
  /** Starts with the scenario id (kernels: with the kernel). */
  readonly name: string
  readonly unit: Unit
  readonly median: number
  /** Highest rate, or least time. */
  readonly best: number
  readonly runs: readonly number[]
  /** What to know when reading the number. */
  readonly note?: string
}

export interface MeasureSettings {
  /** Runs after warming up, at least 1; default 5. */
  readonly runs?: number
  /** Least length of one run in seconds; default 0.4. */
  readonly seconds?: number
}

/** Median and best of some numbers. */
export function speedRow(name: string, unit: Unit, runs: readonly number[], note?: string): SpeedRow {
  const sorted = [...runs].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  const best = unit === 'ms' ? sorted[0] : sorted[sorted.length - 1]
  return { name, unit, median, best, runs: [...runs], ...(note === undefined ? {} : { note }) }
}

/**
 * Calls `work` over and over for a while, warmed up first, several times.
 * @param work one unit of work
 * @returns calls per second of each run
 */
export function callsPerSecond(work: () => void, settings: MeasureSettings = {}): number[] {
  const { runs = 5, seconds = 0.4 } = settings
  const rate = (least: number): number => {
    const start = performance.now()
    let calls = 0
    let block = 1
    let elapsed = 0
    while (elapsed < least * 1000) {
      const before = elapsed
      for (let i = 0; i < block; i++) work()
      calls += block
      elapsed = performance.now() - start
      // Looking at the clock must cost nothing: blocks of a millisecond or more.
      if (elapsed - before < 1) block *= 2
    }
    return (calls / elapsed) * 1000
  }
  rate(seconds)
  return Array.from({ length: runs }, () => rate(seconds))
}
