/**
 * Learning dynamics of actor-critic agents in stochastic games, in the limit of a fast critic and large batches
 * (arXiv 2601.07142; equations derived for this house, following Barfuss et al., arXiv 1809.07225).
 *
 * Every agent i keeps parameters theta_i(s, a), plays pi_i(a|s) = softmax(beta theta_i(s, .)), and per batch adds
 *   theta_i(s, a) += alpha [ A_i(s, a) - eta log pi_i(a|s) ],   A_i = Q_i - V_i exact.
 * In log-odds u_i(s, a) = log pi_i(a|s) / pi_i(last action|s):
 *   natural:  du_i(s, a)/dt = alpha beta [ Q_i(s, a) - Q_i(s, last) - eta u_i(s, a) ]
 *   vanilla:  d theta_i(s, a)/dt = alpha beta pi_i(a|s) [ A_i(s, a) - eta (log pi_i(a|s) - sum_b pi_i log pi_i) ],
 * vanilla being the sampled policy gradient, which has another factor pi, without weights for how often states are seen.
 * With eta = 0 the natural flow is the replicator equation. Its entropy part has divergence -N K (A - 1) alpha beta eta.
 */
import { createEvaluation, evaluate, type Tensors } from '../../envs/matrix/theory/index.ts'

export type Geometry = 'natural' | 'vanilla'

export interface FlowSettings {
  /** Discount, 0 up to but not including 1. */
  readonly gamma: number
  /** Entropy coefficient, 0 or more, in units of reward. */
  readonly eta: number
  /** alpha beta: learning rate times inverse temperature; only sets the unit of time. */
  readonly rate: number
  readonly geometry: Geometry
  /** Multiplies values by 1 - gamma, as DetRL always and pyCRLD on demand; eta then weighs 1 / (1 - gamma) times as much. */
  readonly prefactor: boolean
}

export const FLOW_DEFAULTS: FlowSettings = { gamma: 0.9, eta: 0, rate: 1, geometry: 'natural', prefactor: false }

/** A system of differential equations over log-odds. */
export interface Flow {
  /** Number of coordinates: sum over agents of K (A_i - 1). Order: agent, state, action. */
  readonly dimension: number
  /** Writes du/dt. */
  field(u: Float64Array, du: Float64Array): void
}

/** Writes the policies [K, A_i] that log-odds mean. */
export function policiesOf(game: Tensors, u: Float64Array, out: readonly Float64Array[]): void {
  let at = 0
  for (let i = 0; i < game.players; i++) {
    const A = game.sizes[i]
    for (let s = 0; s < game.states; s++) {
      let top = 0
      for (let a = 0; a < A - 1; a++) top = Math.max(top, u[at + a])
      let sum = 0
      for (let a = 0; a < A; a++) sum += out[i][s * A + a] = Math.exp((a < A - 1 ? u[at + a] : 0) - top)
      for (let a = 0; a < A; a++) out[i][s * A + a] /= sum
      at += A - 1
    }
  }
}

/** Log-odds of policies [K, A_i]; all chances must be positive. */
export function logOddsOf(game: Tensors, policies: readonly ArrayLike<number>[]): Float64Array {
  const u: number[] = []
  for (let i = 0; i < game.players; i++) {
    const A = game.sizes[i]
    for (let s = 0; s < game.states; s++) {
      for (let a = 0; a < A - 1; a++) u.push(Math.log(policies[i][s * A + a] / policies[i][s * A + A - 1]))
    }
  }
  return Float64Array.from(u)
}

/** The flow for any small game. */
export function generalFlow(game: Tensors, settings: Partial<FlowSettings> = {}): Flow {
  const { gamma, eta, rate, geometry, prefactor } = { ...FLOW_DEFAULTS, ...settings }
  const scale = prefactor ? 1 - gamma : 1
  const policies = game.sizes.map((size) => new Float64Array(game.states * size))
  const now = createEvaluation(game)
  const gain = new Float64Array(Math.max(...game.sizes))
  return {
    dimension: game.sizes.reduce((sum, size) => sum + game.states * (size - 1), 0),
    field(u, du) {
      policiesOf(game, u, policies)
      evaluate(game, policies, gamma, now)
      let at = 0
      for (let i = 0; i < game.players; i++) {
        const A = game.sizes[i]
        const pi = policies[i]
        const Q = now.Q[i]
        for (let s = 0; s < game.states; s++) {
          const last = s * A + A - 1
          if (geometry === 'natural') {
            for (let a = 0; a < A - 1; a++) du[at + a] = rate * (scale * (Q[s * A + a] - Q[last]) - eta * u[at + a])
          } else {
            // log pi(a) - sum_b pi(b) log pi(b) = u(a) - sum_b pi(b) u(b), with u(last) = 0
            let value = 0
            let mean = 0
            for (let a = 0; a < A; a++) value += pi[s * A + a] * Q[s * A + a]
            for (let a = 0; a < A - 1; a++) mean += pi[s * A + a] * u[at + a]
            for (let a = 0; a < A; a++) {
              const surprise = (a < A - 1 ? u[at + a] : 0) - mean
              gain[a] = pi[s * A + a] * (scale * (Q[s * A + a] - value) - eta * surprise)
            }
            for (let a = 0; a < A - 1; a++) du[at + a] = rate * (gain[a] - gain[A - 1])
          }
          at += A - 1
        }
      }
    },
  }
}

/**
 * The natural flow of two players with two actions in two states that never end, about ten times as fast as `generalFlow`.
 * With D_i = V_i(0) - V_i(1) = (r_i(0) - r_i(1)) / (1 - gamma (P_00 - P_10)), V itself drops out:
 *   Q_i(s, 0) - Q_i(s, 1) = sum_b pi_-i(b|s) [ R_i(0, b) - R_i(1, b) + gamma (T_s0(0, b) - T_s0(1, b)) D_i ].
 */
export function pairFlow(game: Tensors, settings: Partial<FlowSettings> = {}): Flow {
  const { gamma, eta, rate, prefactor } = { ...FLOW_DEFAULTS, ...settings }
  const scale = prefactor ? 1 - gamma : 1
  const R0 = Float64Array.from({ length: 8 }, (_, at) => game.reward[at * 2])
  const R1 = Float64Array.from({ length: 8 }, (_, at) => game.reward[at * 2 + 1])
  const T = Float64Array.from({ length: 8 }, (_, at) => game.transition[at * 2])
  return {
    dimension: 4,
    field(u, du) {
      const p0 = 1 / (1 + Math.exp(-u[0])) // agent 0 in state 0
      const p1 = 1 / (1 + Math.exp(-u[1]))
      const q0 = 1 / (1 + Math.exp(-u[2]))
      const q1 = 1 / (1 + Math.exp(-u[3]))
      const [a, b, c, d] = [p0 * q0, p0 * (1 - q0), (1 - p0) * q0, (1 - p0) * (1 - q0)]
      const [e, f, g, h] = [p1 * q1, p1 * (1 - q1), (1 - p1) * q1, (1 - p1) * (1 - q1)]
      const stay = a * T[0] + b * T[1] + c * T[2] + d * T[3] - e * T[4] - f * T[5] - g * T[6] - h * T[7]
      const horizon = gamma / (1 - gamma * stay)
      const x =
        horizon * (a * R0[0] + b * R0[1] + c * R0[2] + d * R0[3] - e * R0[4] - f * R0[5] - g * R0[6] - h * R0[7])
      const y =
        horizon * (a * R1[0] + b * R1[1] + c * R1[2] + d * R1[3] - e * R1[4] - f * R1[5] - g * R1[6] - h * R1[7])
      const own0 = q0 * (R0[0] - R0[2] + (T[0] - T[2]) * x) + (1 - q0) * (R0[1] - R0[3] + (T[1] - T[3]) * x)
      const own1 = q1 * (R0[4] - R0[6] + (T[4] - T[6]) * x) + (1 - q1) * (R0[5] - R0[7] + (T[5] - T[7]) * x)
      const other0 = p0 * (R1[0] - R1[1] + (T[0] - T[1]) * y) + (1 - p0) * (R1[2] - R1[3] + (T[2] - T[3]) * y)
      const other1 = p1 * (R1[4] - R1[5] + (T[4] - T[5]) * y) + (1 - p1) * (R1[6] - R1[7] + (T[6] - T[7]) * y)
      du[0] = rate * (scale * own0 - eta * u[0])
      du[1] = rate * (scale * own1 - eta * u[1])
      du[2] = rate * (scale * other0 - eta * u[2])
      du[3] = rate * (scale * other1 - eta * u[3])
    },
  }
}

/** The flow of a game, by the faster way where there is one. */
export function createFlow(game: Tensors, settings: Partial<FlowSettings> = {}): Flow {
  const small = game.players === 2 && game.states === 2 && game.sizes.every((size) => size === 2)
  const endless = game.goesOn.every((on) => on === 1)
  return small && endless && (settings.geometry ?? 'natural') === 'natural'
    ? pairFlow(game, settings)
    : generalFlow(game, settings)
}

/** Sum of d(du_k/dt)/du_k by central differences of half-width `width`. */
export function divergence(flow: Flow, u: Float64Array, width = 1e-5): number {
  const at = Float64Array.from(u)
  const up = new Float64Array(flow.dimension)
  const down = new Float64Array(flow.dimension)
  let sum = 0
  for (let k = 0; k < flow.dimension; k++) {
    at[k] = u[k] + width
    flow.field(at, up)
    at[k] = u[k] - width
    flow.field(at, down)
    at[k] = u[k]
    sum += (up[k] - down[k]) / (2 * width)
  }
  return sum
}
