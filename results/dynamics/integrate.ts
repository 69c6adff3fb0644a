/** Following a flow: Runge-Kutta of order 4, the discrete map of large batches, and its reverse. */
import { type Flow } from './flow.ts'

/** Advances `u` in place; scratch is made once. */
export interface Stepper {
  step(u: Float64Array): void
}

/** Classical Runge-Kutta with step `dt`; a negative one runs time backwards. */
export function rungeKutta(flow: Flow, dt: number): Stepper {
  const n = flow.dimension
  const [k1, k2, k3, k4, at] = Array.from({ length: 5 }, () => new Float64Array(n))
  return {
    step(u) {
      flow.field(u, k1)
      for (let i = 0; i < n; i++) at[i] = u[i] + (dt / 2) * k1[i]
      flow.field(at, k2)
      for (let i = 0; i < n; i++) at[i] = u[i] + (dt / 2) * k2[i]
      flow.field(at, k3)
      for (let i = 0; i < n; i++) at[i] = u[i] + dt * k3[i]
      flow.field(at, k4)
      for (let i = 0; i < n; i++) u[i] += (dt / 6) * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i])
    },
  }
}

/**
 * One batch update as a map: pi' proportional to pi exp(alpha beta [A - eta log pi]), which in log-odds is one Euler step
 * of length one with rate alpha beta (pyCRLD, DetRL). `backwards` uses the negative error, which leads towards separatrices.
 */
export function batchMap(flow: Flow, backwards = false): Stepper {
  const du = new Float64Array(flow.dimension)
  const sign = backwards ? -1 : 1
  return {
    step(u) {
      flow.field(u, du)
      for (let i = 0; i < u.length; i++) u[i] += sign * du[i]
    },
  }
}

/** Log-odds at the start and after every `every` steps, [1 + steps / every, dimension]. */
export function trajectory(stepper: Stepper, start: Float64Array, steps: number, every = 1): Float64Array[] {
  const u = Float64Array.from(start)
  const points = [Float64Array.from(u)]
  for (let step = 1; step <= steps; step++) {
    stepper.step(u)
    if (step % every === 0) points.push(Float64Array.from(u))
  }
  return points
}

/**
 * Follows a flow until it rests.
 * @param tolerance largest |du/dt| that counts as rest
 * @returns the time that took, or Infinity when `time` ran out first; `u` ends there
 */
export function settle(flow: Flow, u: Float64Array, dt: number, time: number, tolerance: number): number {
  const stepper = rungeKutta(flow, dt)
  const du = new Float64Array(flow.dimension)
  const steps = Math.ceil(time / dt)
  for (let step = 0; step <= steps; step++) {
    flow.field(u, du)
    let speed = 0
    for (let i = 0; i < du.length; i++) speed = Math.max(speed, Math.abs(du[i]))
    if (speed <= tolerance) return step * dt
    stepper.step(u)
  }
  return Infinity
}
