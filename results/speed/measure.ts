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
  /**
   * The median by processor time instead of the clock: near `median` on a quiet machine, better on a busy one, where
   * the clock also counts what other programs got. Where several threads work, that of the busiest, if the system tells.
   */
  readonly byCpuTime?: number
  /** What to know when reading the number. */
  readonly note?: string
  /** How the best run compares with something measured in the same run. */
  readonly ratios?: readonly SpeedRatio[]
}

export interface SpeedRatio {
  /** Times as fast as this. */
  readonly of: string
  readonly value: number
}

export interface MeasureSettings {
  /** Runs after warming up, at least 1; default 5. */
  readonly runs?: number
  /** Least length of one run in seconds; default 0.4. */
  readonly seconds?: number
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Median and best of some numbers. */
export function speedRow(
  name: string,
  unit: Unit,
  runs: readonly number[],
  more: { note?: string; byCpuTime?: number } = {},
): SpeedRow {
  const best = unit === 'ms' ? Math.min(...runs) : Math.max(...runs)
  return { name, unit, median: medianOf(runs), best, runs: [...runs], ...more }
}

export interface Rates {
  /** Calls per second of the clock, one per run. */
  readonly runs: number[]
  /** Median of calls per second of processor time. */
  readonly byCpuTime: number
}

/**
 * Calls `work` over and over for a while, warmed up first, several times.
 * @param work one unit of work
 */
export function callsPerSecond(work: () => void, settings: MeasureSettings = {}): Rates {
  const { runs = 5, seconds = 0.4 } = settings
  const rate = (least: number): [clock: number, cpu: number] => {
    const cpu = process.cpuUsage()
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
    const { user, system } = process.cpuUsage(cpu)
    return [(calls / elapsed) * 1000, (calls / Math.max(1, user + system)) * 1e6]
  }
  rate(seconds)
  const measured = Array.from({ length: runs }, () => rate(seconds))
  return { runs: measured.map(([clock]) => clock), byCpuTime: medianOf(measured.map(([, cpu]) => cpu)) }
}
