/**
 * Single steps as columns, for learners that look at one step at a time: from rollouts into a memory, several rewards taken
 * together where returns of n steps are asked for, and back out as batches.
 */
import { type EnvSpec, type Generator } from '../../envs/core/index.ts'
import { type Memory, Rows, type Shapes } from './memory.ts'
import { type Rollout } from './rollout.ts'

/** Columns of a step of n learning agents. "next" is the state m steps later, of which an episode's end makes fewer than n. */
export interface StepShapes extends Shapes {
  readonly observation: { readonly kind: 'float'; readonly width: number } // n F, of the dead zeros
  readonly next: { readonly kind: 'float'; readonly width: number } // n F
  readonly state: { readonly kind: 'float'; readonly width: number } // S
  readonly nextState: { readonly kind: 'float'; readonly width: number } // S
  readonly action: { readonly kind: 'float'; readonly width: number } // n D, numbers of choices, or −1 to 1 in half-ranges
  readonly mask: { readonly kind: 'byte'; readonly width: number } // n A
  readonly nextMask: { readonly kind: 'byte'; readonly width: number } // n A
  readonly alive: { readonly kind: 'byte'; readonly width: number } // n
  readonly reward: { readonly kind: 'float'; readonly width: number } // n, Σ_{k<m} γ^k r_{t+k}
  /** γ^m, or 0 where the rules ended the episode: what the value of "next" is worth. */
  readonly discount: { readonly kind: 'float'; readonly width: number } // 1
  readonly part: { readonly kind: 'byte'; readonly width: number } // n, which of its policies each agent played
}

export type StepMemory = Memory<StepShapes>

export interface StepSettings {
  readonly gamma: number
  /** Rewards taken together, n. */
  readonly window: number
  /** A cut episode is worth something after the cut. */
  readonly bootstrapTruncated: boolean
  /** Every reward is multiplied by this. */
  readonly rewardScale: number
}

/** @param withState whether anything looks at the global state */
export function stepShapes(spec: EnvSpec, n: number, withState: boolean): StepShapes {
  const { observationSize: F, stateSize, actionSize: A, actionDims: D } = spec
  const S = withState ? stateSize : 0
  return {
    observation: { kind: 'float', width: n * F },
    next: { kind: 'float', width: n * F },
    state: { kind: 'float', width: S },
    nextState: { kind: 'float', width: S },
    action: { kind: 'float', width: n * D },
    mask: { kind: 'byte', width: n * A },
    nextMask: { kind: 'byte', width: n * A },
    alive: { kind: 'byte', width: n },
    reward: { kind: 'float', width: n },
    discount: { kind: 'float', width: 1 },
    part: { kind: 'byte', width: n },
  }
}

/**
 * Puts every step of a rollout into a memory, step after step, lanes innermost.
 * @param parts [T, B, n] which of its policies each agent played
 */
export function keepSteps(rollout: Rollout, parts: Uint8Array, memory: StepMemory, settings: StepSettings): void {
  const { steps, lanes, agents: n, cuts } = rollout
  const { gamma, window, bootstrapTruncated, rewardScale } = settings
  const { shapes } = memory
  const one = new Rows(shapes, 1)
  const played = rollout.drawn.length > 0 ? rollout.drawn : rollout.action
  const cutAt = new Map(cuts.map((cell, k) => [cell, k]))
  const seen = (from: ArrayLike<number>, to: Float32Array | Uint8Array, at: number) => {
    for (let i = 0; i < to.length; i++) to[i] = from[at * to.length + i]
  }
  /** Observations, those of the dead as zeros. */
  const looked = (from: Float32Array, alive: Uint8Array, to: Float32Array, at: number) => {
    const F = to.length / n
    for (let i = 0; i < to.length; i++) to[i] = alive[at * n + Math.floor(i / F)] === 0 ? 0 : from[at * to.length + i]
  }
  for (let t = 0; t < steps; t++) {
    for (let lane = 0; lane < lanes; lane++) {
      one.clear()
      one.add()
      const row = one.columns
      const cell = t * lanes + lane
      looked(rollout.observation, rollout.alive, row.observation, cell)
      seen(rollout.state, row.state, cell)
      seen(rollout.mask, row.mask, cell)
      seen(rollout.alive, row.alive, cell)
      seen(parts, row.part, cell)
      for (let i = 0; i < row.action.length; i++) {
        const value = played[cell * row.action.length + i]
        row.action[i] = rollout.drawn.length > 0 ? Math.max(-1, Math.min(1, value)) : value
      }
      // Rewards up to the end of the window, of the episode or of the rollout.
      let last = t
      const over = (at: number) =>
        rollout.terminated[at * lanes + lane] === 1 || rollout.truncated[at * lanes + lane] === 1
      while (last < Math.min(t + window, steps) - 1 && !over(last)) last++
      for (let i = 0; i < n; i++) {
        let sum = 0
        for (let k = last; k >= t; k--) sum = rollout.reward[(k * lanes + lane) * n + i] + gamma * sum
        row.reward[i] = rewardScale * sum
      }
      const end = last * lanes + lane
      const ended = rollout.terminated[end] === 1 || (!bootstrapTruncated && over(last))
      row.discount[0] = ended ? 0 : 1
      for (let k = t; k <= last; k++) row.discount[0] *= gamma
      const cut = cutAt.get(end)
      if (cut !== undefined) {
        looked(rollout.finalObservation, rollout.finalAlive, row.next, cut)
        seen(rollout.finalState, row.nextState, cut)
        seen(rollout.finalMask, row.nextMask, cut)
      } else {
        // After a termination this is the first row of another episode: worth nothing, and harmless.
        looked(rollout.observation, rollout.alive, row.next, end + lanes)
        seen(rollout.state, row.nextState, end + lanes)
        seen(rollout.mask, row.nextMask, end + lanes)
      }
      memory.put(one)
    }
  }
}

/** Copied rows of a memory. */
export interface StepBatch {
  readonly rows: number
  readonly observation: Float32Array
  readonly next: Float32Array
  readonly state: Float32Array
  readonly nextState: Float32Array
  readonly action: Float32Array
  readonly mask: Uint8Array
  readonly nextMask: Uint8Array
  readonly alive: Uint8Array
  readonly reward: Float32Array
  readonly discount: Float32Array
}

/**
 * Steps drawn at random, each with the same chance; the same may come twice.
 * @param of only steps in which this agent played this part; there must be one
 */
export function drawSteps(
  memory: StepMemory,
  rng: Generator,
  rows: number,
  of?: { readonly agent: number; readonly part: number },
): StepBatch {
  const places = memory.places(memory.draw(rng, rows))
  if (of !== undefined) {
    const part = memory.column('part')
    const { width } = memory.shapes.part
    for (let k = 0; k < rows; k++) {
      while (part[places[k] * width + of.agent] !== of.part) places[k] = memory.at(rng.below(memory.count))
    }
  }
  const copied = Object.fromEntries(
    (Object.keys(memory.shapes) as (keyof StepShapes & string)[]).map((name) => [name, memory.gather(name, places)]),
  )
  return { ...(copied as unknown as Omit<StepBatch, 'rows'>), rows }
}
