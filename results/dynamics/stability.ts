/** Which pure profiles are stable, rest points, and the surfaces between basins. */
import { purePolicies, createEvaluation, evaluate, type Tensors } from '../../envs/matrix/theory/index.ts'
import { type Flow } from './flow.ts'
import { rungeKutta } from './integrate.ts'

/**
 * The largest growth rate of a deviation from a pure profile under the natural flow without entropy:
 * max over players, states and other actions of Q_i(s, other) - Q_i(s, played). Below zero: stable, a strict equilibrium in
 * every state, whether or not play ever comes there.
 * @param actions [player][state]
 */
export function deviationRate(game: Tensors, actions: readonly (readonly number[])[], gamma: number): number {
  const out = createEvaluation(game)
  evaluate(game, purePolicies(game, actions), gamma, out)
  let most = -Infinity
  for (let i = 0; i < game.players; i++) {
    const A = game.sizes[i]
    for (let s = 0; s < game.states; s++) {
      for (let a = 0; a < A; a++) {
        if (a !== actions[i][s]) most = Math.max(most, out.Q[i][s * A + a] - out.Q[i][s * A + actions[i][s]])
      }
    }
  }
  return most
}

/** All pure profiles that are stable, as [player][state] actions; for two actions per player and up to 16 choices. */
export function stableProfiles(game: Tensors, gamma: number): number[][][] {
  const choices = game.players * game.states
  const all = Array.from({ length: 1 << choices }, (_, code) =>
    Array.from({ length: game.players }, (_p, i) =>
      Array.from({ length: game.states }, (_s, s) => (code >> (i * game.states + s)) & 1),
    ),
  )
  return all.filter((actions) => deviationRate(game, actions, gamma) < -1e-12)
}

/** The Jacobian of a flow by central differences, [n, n]. */
export function jacobian(flow: Flow, u: Float64Array, width = 1e-5): Float64Array {
  const n = flow.dimension
  const matrix = new Float64Array(n * n)
  const at = Float64Array.from(u)
  const [up, down] = [new Float64Array(n), new Float64Array(n)]
  for (let k = 0; k < n; k++) {
    at[k] = u[k] + width
    flow.field(at, up)
    at[k] = u[k] - width
    flow.field(at, down)
    at[k] = u[k]
    for (let i = 0; i < n; i++) matrix[i * n + k] = (up[i] - down[i]) / (2 * width)
  }
  return matrix
}

/**
 * The place between two starts of different classes where the class changes, by halving the way between them.
 * @param classOf follows a copy of a start to its end
 * @returns the nearest two starts found, one on either side
 */
export function boundary(
  classOf: (u: Float64Array) => number,
  from: Float64Array,
  to: Float64Array,
  halvings = 40,
): [Float64Array, Float64Array] | undefined {
  let [a, b] = [Float64Array.from(from), Float64Array.from(to)]
  const first = classOf(Float64Array.from(a))
  if (first === classOf(Float64Array.from(b))) return undefined
  for (let k = 0; k < halvings; k++) {
    const middle = a.map((value, i) => (value + b[i]) / 2)
    if (classOf(Float64Array.from(middle)) === first) a = middle
    else b = middle
  }
  return [a, b]
}

/**
 * A separatrix: time run backwards from the boundary between two starts of different classes. Backwards the surface
 * between basins attracts, so that the path stays on it, to accuracy, until it leaves the box |u| < `edge`.
 */
export function separatrix(
  flow: Flow,
  classOf: (u: Float64Array) => number,
  from: Float64Array,
  to: Float64Array,
  { dt = 0.02, time = 60, edge = 8 } = {},
): Float64Array[] {
  const found = boundary(classOf, from, to)
  if (found === undefined) return []
  const u = found[0]
  const points = [Float64Array.from(u)]
  const back = rungeKutta(flow, -dt)
  for (let step = 0; step < time / dt; step++) {
    back.step(u)
    if (u.some((value) => !(Math.abs(value) < edge))) break
    points.push(Float64Array.from(u))
  }
  return points
}
