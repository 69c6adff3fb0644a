/**
 * The agents whose limit the flow is: they play batches, estimate values from what they saw, and move their logits.
 * Per batch: kappa of the way from the old critic to the solution of V = r + gamma P V with means over the batch (kappa = 1
 * forgets the old one), then theta(s, a) += alpha [ mean(r + gamma V(s')) - V(s) - eta log pi(a|s) ] for each seen (s, a).
 */
import { nextFloat, Generator, namedSeed } from '../../envs/core/index.ts'
import { type Tensors } from '../../envs/matrix/theory/index.ts'
import { solve } from '../../envs/matrix/theory/linear.ts'

export interface LearnerSettings {
  readonly gamma: number
  readonly eta: number
  readonly alpha: number
  readonly beta: number
  readonly kappa: number
  /** Steps played between updates. */
  readonly batch: number
  readonly updates: number
  readonly seed: string
}

export const LEARNER_DEFAULTS: LearnerSettings = {
  gamma: 0.9,
  eta: 0,
  alpha: 0.01,
  beta: 1,
  kappa: 1,
  batch: 5000,
  updates: 200,
  seed: '1',
}

/** Draws an index by chances that add up to one. */
function drawn(chances: Float64Array, from: number, count: number, state: Uint32Array): number {
  let x = nextFloat(state, 0)
  for (let k = 0; k < count - 1; k++) {
    if (x < chances[from + k]) return k
    x -= chances[from + k]
  }
  return count - 1
}

/**
 * Learns from sampled play.
 * @param start policies at the start, per player [K, A_i]
 * @returns policies after 0, 1 … `updates` updates
 */
export function learnFromSamples(
  game: Tensors,
  start: readonly ArrayLike<number>[],
  settings: Partial<LearnerSettings> = {},
): Float64Array[][] {
  const { gamma, eta, alpha, beta, kappa, batch, updates, seed } = { ...LEARNER_DEFAULTS, ...settings }
  const { players: M, sizes, states: K, cells: C, transition, reward } = game
  const random = new Generator(namedSeed(seed, 'sampled learners')).state
  const theta = start.map((policy) => Float64Array.from(policy, (p) => Math.log(p) / beta))
  const pi = start.map((policy) => Float64Array.from(policy))
  const critic = new Float64Array(K * M)
  const history = [pi.map((policy) => policy.slice())]
  // what a batch is summed up in: visits, payoffs and moves by own action
  const seen = sizes.map((size) => new Float64Array(K * size))
  const paid = sizes.map((size) => new Float64Array(K * size))
  const went = sizes.map((size) => new Float64Array(K * size * K))
  let s = 0
  for (let update = 0; update < updates; update++) {
    for (const sums of [...seen, ...paid, ...went]) sums.fill(0)
    for (let step = 0; step < batch; step++) {
      let cell = 0
      const choices: number[] = []
      for (let i = 0; i < M; i++) {
        choices.push(drawn(pi[i], s * sizes[i], sizes[i], random))
        cell = cell * sizes[i] + choices[i]
      }
      const at = s * C + cell
      const next = K === 1 ? 0 : drawn(transition, at * K, K, random)
      for (let i = 0; i < M; i++) {
        const row = s * sizes[i] + choices[i]
        seen[i][row]++
        paid[i][row] += reward[at * M + i]
        went[i][row * K + next]++
      }
      s = next
    }
    for (let i = 0; i < M; i++) {
      const A = sizes[i]
      const a = new Float64Array(K * K)
      const target = new Float64Array(K)
      for (let k = 0; k < K; k++) {
        let visits = 0
        for (let c = 0; c < A; c++) visits += seen[i][k * A + c]
        for (let next = 0; next < K; next++) a[k * K + next] = k === next ? 1 : 0
        if (visits === 0) {
          target[k] = critic[k * M + i] // nothing was seen of this state: its value stays
          continue
        }
        for (let c = 0; c < A; c++) {
          target[k] += paid[i][k * A + c] / visits
          for (let next = 0; next < K; next++) a[k * K + next] -= (gamma * went[i][(k * A + c) * K + next]) / visits
        }
      }
      solve(a, target, K, 1)
      for (let k = 0; k < K; k++) critic[k * M + i] += kappa * (target[k] - critic[k * M + i])
      for (let row = 0; row < K * A; row++) {
        const visits = seen[i][row]
        if (visits === 0) continue
        let later = 0
        for (let next = 0; next < K; next++) later += (went[i][row * K + next] / visits) * critic[next * M + i]
        const k = Math.floor(row / A)
        const advantage = paid[i][row] / visits + gamma * later - critic[k * M + i]
        theta[i][row] += alpha * (advantage - eta * Math.log(pi[i][row]))
      }
      softmaxRows(theta[i], pi[i], K, A, beta)
    }
    history.push(pi.map((policy) => policy.slice()))
  }
  return history
}

function softmaxRows(theta: Float64Array, pi: Float64Array, rows: number, width: number, beta: number): void {
  for (let row = 0; row < rows; row++) {
    let top = -Infinity
    for (let a = 0; a < width; a++) top = Math.max(top, theta[row * width + a])
    let sum = 0
    for (let a = 0; a < width; a++) sum += pi[row * width + a] = Math.exp(beta * (theta[row * width + a] - top))
    for (let a = 0; a < width; a++) pi[row * width + a] /= sum
  }
}
