/** What can be computed from a recorded policy's probabilities and values: entropy and advantage by step. */

/** Of the advantages shown. Ours: the usual defaults of PPO, since a replay does not say what its trainer used. */
export const GAMMA = 0.99
export const LAMBDA = 0.95

/**
 * Entropy of each agent's choice in nats, [T, N]; summed over the dimensions of a multi-discrete action.
 * @param probability [T, N, A]
 * @param agents N
 * @param choices A
 */
export function entropies(probability: Float32Array, agents: number, choices: number): Float32Array {
  const rows = choices === 0 ? 0 : Math.floor(probability.length / choices)
  const out = new Float32Array(rows)
  for (let row = 0; row < rows; row++) {
    let sum = 0
    for (let a = 0; a < choices; a++) {
      const p = probability[row * choices + a]
      if (p > 0) sum -= p * Math.log(p)
    }
    out[row] = sum
  }
  return agents === 0 ? out.subarray(0, 0) : out
}

/**
 * Generalised advantage estimates (Schulman et al. 2016) of a recorded episode, [T, N].
 * The value after the last step is 0 where the rules ended the episode; where the clock did it is not in the file, and
 * the last step's advantage is NaN.
 * @param value [T, N] estimates before each step
 * @param reward [T, N] received for each step, on the scale that the critic estimates
 */
export function advantages(
  value: Float32Array,
  reward: Float32Array,
  agents: number,
  terminated: boolean,
  gamma = GAMMA,
  lambda = LAMBDA,
): Float32Array {
  const out = new Float32Array(value.length)
  const T = agents === 0 ? 0 : Math.floor(value.length / agents)
  for (let n = 0; n < agents; n++) {
    let next = 0
    for (let t = T - 1; t >= 0; t--) {
      const i = t * agents + n
      if (t === T - 1 && !terminated) {
        out[i] = NaN
        continue
      }
      const after = t === T - 1 ? 0 : value[i + agents]
      next = reward[i] + gamma * after - value[i] + gamma * lambda * next
      out[i] = next
    }
  }
  return out
}
