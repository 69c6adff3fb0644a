/** The largest Lyapunov exponent: how fast neighbouring starts part (positive: chaos) or meet. */
import { type Flow } from './flow.ts'
import { rungeKutta } from './integrate.ts'

export interface LyapunovSettings {
  /** Time that is let pass first. */
  readonly transient: number
  /** Time over which the growth is averaged. */
  readonly horizon: number
  readonly dt: number
  /** Distance to which the neighbour is put back, after every time unit. */
  readonly distance: number
}

export const LYAPUNOV_DEFAULTS: LyapunovSettings = { transient: 500, horizon: 4000, dt: 0.02, distance: 1e-7 }

/**
 * Benettin's method: a neighbour is followed beside the start and put back to `distance` in its direction after every
 * time unit; the exponent is the mean logarithm of its growth per unit of time. Distances are in log-odds.
 */
export function lyapunovExponent(flow: Flow, start: Float64Array, settings: Partial<LyapunovSettings> = {}): number {
  const { transient, horizon, dt, distance } = { ...LYAPUNOV_DEFAULTS, ...settings }
  const n = flow.dimension
  const perUnit = Math.max(1, Math.round(1 / dt))
  const stepper = rungeKutta(flow, 1 / perUnit)
  const u = Float64Array.from(start)
  for (let unit = 0; unit < transient; unit++) for (let k = 0; k < perUnit; k++) stepper.step(u)
  const v = Float64Array.from(u)
  for (let i = 0; i < n; i++) v[i] += distance / Math.sqrt(n)
  let growth = 0
  for (let unit = 0; unit < horizon; unit++) {
    for (let k = 0; k < perUnit; k++) {
      stepper.step(u)
      stepper.step(v)
    }
    let square = 0
    for (let i = 0; i < n; i++) square += (v[i] - u[i]) ** 2
    const apart = Math.sqrt(square)
    if (!(apart > 0)) return -Infinity // met to the last bit
    growth += Math.log(apart / distance)
    for (let i = 0; i < n; i++) v[i] = u[i] + ((v[i] - u[i]) * distance) / apart
  }
  return growth / horizon
}

/** Logarithm (base 10) of the distance between two starts, once per time unit: the picture of chaos. */
export function separation(flow: Flow, start: Float64Array, offset: number, time: number, dt = 0.02): number[] {
  const perUnit = Math.max(1, Math.round(1 / dt))
  const stepper = rungeKutta(flow, 1 / perUnit)
  const u = Float64Array.from(start)
  const v = Float64Array.from(start)
  v[0] += offset
  const logs: number[] = []
  for (let unit = 0; unit <= time; unit++) {
    let square = 0
    for (let i = 0; i < u.length; i++) square += (v[i] - u[i]) ** 2
    logs.push(0.5 * Math.log10(square))
    for (let k = 0; k < perUnit; k++) {
      stepper.step(u)
      stepper.step(v)
    }
  }
  return logs
}
