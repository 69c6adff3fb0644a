/** Advantages from rewards and values, with the two ends of an episode kept apart. */

export type Column = Float32Array | Float64Array

export interface GaeInput {
  readonly steps: number // T
  readonly lanes: number // B
  readonly agents: number // n
  readonly gamma: number
  readonly lambda: number
  readonly reward: Column // [T, B, n]
  /** Value of the state acted in, in reward units (denormalised where the critic is trained in normalised ones). */
  readonly value: Column // [T, B, n]
  /** Value of the state that followed, before any reset: the final one where the episode was cut. */
  readonly nextValue: Column // [T, B, n]
  readonly terminated: Uint8Array // [T, B]
  readonly truncated: Uint8Array // [T, B]
}

/**
 * Generalised advantage estimates (Schulman et al. 2016), newest step first:
 * delta_t = r_t + g V(next_t) (1 − terminated_t) − V_t,  A_t = delta_t + g l (1 − terminated_t)(1 − truncated_t) A_{t+1}.
 * A terminated step is worth nothing afterwards; a truncated step still is, but the chain stops there.
 * @param advantage [T, B, n] overwritten
 * @param returns [T, B, n] overwritten: A_t + V_t, the target of the critic
 */
export function gae(input: GaeInput, advantage: Column, returns: Column): void {
  const { steps, lanes, agents, gamma, lambda, reward, value, nextValue, terminated, truncated } = input
  const row = lanes * agents
  for (let lane = 0; lane < lanes; lane++) {
    for (let agent = 0; agent < agents; agent++) {
      let later = 0
      for (let t = steps - 1; t >= 0; t--) {
        const i = t * row + lane * agents + agent
        const goesOn = 1 - terminated[t * lanes + lane]
        const joined = goesOn * (1 - truncated[t * lanes + lane])
        const delta = reward[i] + gamma * nextValue[i] * goesOn - value[i]
        later = delta + gamma * lambda * joined * later
        advantage[i] = later
        returns[i] = later + value[i]
      }
    }
  }
}

export type NStepInput = Omit<GaeInput, 'lambda' | 'value'>

/**
 * Returns of n steps: R_t = Σ_{k<m} γ^k r_{t+k} + γ^m V(next_{t+m−1}), where m is n, or less where the episode ends or the data
 * does. After a termination nothing is added; a truncated episode is worth its last state. (EPyMARL at cbc38c0 adds the last stored
 * value after a termination too.)
 * @param window n, 1 or more
 * @param returns [T, B, n] overwritten
 */
export function nStepReturns(input: NStepInput, window: number, returns: Column): void {
  const { steps, lanes, agents, gamma, reward, nextValue, terminated, truncated } = input
  const row = lanes * agents
  for (let t = 0; t < steps; t++) {
    for (let lane = 0; lane < lanes; lane++) {
      let last = t
      const end = Math.min(t + window, steps) - 1
      while (last < end && terminated[last * lanes + lane] === 0 && truncated[last * lanes + lane] === 0) last++
      const goesOn = 1 - terminated[last * lanes + lane]
      for (let agent = 0; agent < agents; agent++) {
        const at = lane * agents + agent
        let sum = goesOn * nextValue[last * row + at]
        for (let k = last; k >= t; k--) sum = reward[k * row + at] + gamma * sum
        returns[t * row + at] = sum
      }
    }
  }
}

/**
 * TD(λ) targets of action values: G_t = r_t + γ (1 − terminated_t) [(1 − λ) Q'_{t+1} + λ G_{t+1}]; where the episode was cut or the
 * data ends, the bracket is Q'_{t+1}.
 * @param input `nextValue` is Q' of the action that followed
 * @param targets [T, B, n] overwritten
 */
export function lambdaTargets(input: NStepInput, lambda: number, targets: Column): void {
  const { steps, lanes, agents, gamma, reward, nextValue, terminated, truncated } = input
  const row = lanes * agents
  for (let lane = 0; lane < lanes; lane++) {
    for (let agent = 0; agent < agents; agent++) {
      let later = 0
      for (let t = steps - 1; t >= 0; t--) {
        const i = t * row + lane * agents + agent
        const cut = t === steps - 1 || truncated[t * lanes + lane] === 1
        const follows = cut ? nextValue[i] : (1 - lambda) * nextValue[i] + lambda * later
        later = reward[i] + gamma * (1 - terminated[t * lanes + lane]) * follows
        targets[i] = later
      }
    }
  }
}

/**
 * The value that followed each step: the next row's, but where a clock cut the episode the value of its last state.
 * @param value [T + 1, B, n]: row T is the state after the last step
 * @param cuts where truncations happened, [cuts] index t * B + lane
 * @param cutValue [cuts, n] values of the final states
 * @param out [T, B, n] overwritten
 */
export function nextValues(
  value: Column,
  steps: number,
  lanes: number,
  agents: number,
  cuts: readonly number[],
  cutValue: Column,
  out: Column,
): void {
  const row = lanes * agents
  for (let i = 0; i < steps * row; i++) out[i] = value[i + row]
  cuts.forEach((cell, k) => {
    for (let agent = 0; agent < agents; agent++) out[cell * agents + agent] = cutValue[k * agents + agent]
  })
}
