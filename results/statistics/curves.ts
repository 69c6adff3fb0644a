/** Scores along training: sample-efficiency curves. */
import { Generator, TroupeError, namedSeed } from '../../envs/core/index.ts'
import { PROFILE_REPLICATES, intervalOf, type BootstrapOptions, type Interval } from './bootstrap.ts'
import { iqmOf } from './scores.ts'

/** [R, M, P] score of every run on every task at every evaluation point. */
export type CurveScores = readonly (readonly (readonly number[])[])[]

/** [P] interquartile mean over runs and tasks at every point. */
export function sampleEfficiency(curves: CurveScores): number[] {
  return points(curves).map((_, point) =>
    iqmOf(Float64Array.from(curves.flatMap((run) => run.map((task) => task[point]))).sort()),
  )
}

/**
 * Pointwise intervals of the curve. A replicate draws whole runs within each task. At each point alone that is what
 * rliable does with fresh draws per point; and since no curve is stitched from different runs, `areaInterval` may be
 * taken from the same kind of replicate.
 */
export function sampleEfficiencyIntervals(curves: CurveScores, options: BootstrapOptions = {}): Interval[] {
  const count = options.replicates ?? PROFILE_REPLICATES
  const values = points(curves).map(() => new Float64Array(count))
  resampleRuns(curves, count, options, (curve, replicate) => {
    curve.forEach((value, point) => (values[point][replicate] = value))
  })
  return values.map((replicates) => intervalOf(replicates, options.level))
}

/** Mean height of the sample-efficiency curve over evenly spaced points (trapezoids), with its interval. */
export function areaUnderCurve(
  curves: CurveScores,
  options: BootstrapOptions = {},
): Interval & { readonly area: number } {
  const count = options.replicates ?? PROFILE_REPLICATES
  const values = new Float64Array(count)
  resampleRuns(curves, count, options, (curve, replicate) => (values[replicate] = trapezoids(curve)))
  return { area: trapezoids(sampleEfficiency(curves)), ...intervalOf(values, options.level) }
}

function trapezoids(curve: readonly number[]): number {
  if (curve.length === 1) return curve[0]
  let sum = 0
  for (let i = 1; i < curve.length; i++) sum += (curve[i - 1] + curve[i]) / 2
  return sum / (curve.length - 1)
}

function resampleRuns(
  curves: CurveScores,
  count: number,
  options: BootstrapOptions,
  visit: (curve: number[], replicate: number) => void,
): void {
  const R = curves.length
  const M = curves[0].length
  const P = points(curves).length
  const rng = new Generator(namedSeed(options.seed ?? 'bootstrap', 'curves'))
  const pick = new Int32Array(R * M)
  const cells = new Float64Array(R * M)
  const curve = new Array<number>(P)
  for (let replicate = 0; replicate < count; replicate++) {
    for (let i = 0; i < pick.length; i++) pick[i] = rng.below(R)
    for (let point = 0; point < P; point++) {
      for (let i = 0; i < pick.length; i++) cells[i] = curves[pick[i]][i % M][point]
      curve[point] = iqmOf(cells.sort())
    }
    visit(curve, replicate)
  }
}

function points(curves: CurveScores): readonly number[] {
  const first = curves[0]?.[0]
  const even = curves.every(
    (run) => run.length === curves[0].length && run.every((task) => task.length === first?.length),
  )
  if (first === undefined || first.length === 0 || !even) {
    throw new TroupeError('bad-option', {
      where: 'sample efficiency: scores',
      got: 'empty or of unequal length',
      expected: 'runs × tasks × points, all of the same length',
    })
  }
  return first
}

/**
 * The value that was measured for a planned step: evaluations happen at the first update that reaches it, so that is the
 * first one at or after it (the last one, when training stopped before).
 * @param steps [E] ascending @param values [E]
 */
export function valueAt(steps: readonly number[], values: readonly number[], planned: number): number {
  const at = steps.findIndex((step) => step >= planned)
  return values[at < 0 ? values.length - 1 : at]
}
