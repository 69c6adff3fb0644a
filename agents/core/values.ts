/**
 * What learners of action values have in common and what has one right answer: settings, choices from values, targets, and
 * reading chosen values off a table. The learner that puts them in order is in qlearning.ts.
 */
import { Type, type Static, type TObject, type TProperties } from '#typebox'
import { exponential, type EnvSpec } from '../../envs/core/index.ts'
import { fuse } from '../kernels/index.ts'
import { type LearnerRequest } from './learner.ts'
import { real, whole, yes } from './settings.ts'
import { SHARING } from './sharing.ts'
import { requireOneReward } from './teams.ts'
import { tf } from './tensors.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings. "EPyMARL" is uoe-agents/epymarl at cbc38c0, "PyMARL" oxwhirl/pymarl at c971afd.

const orNull = (least: number, description: string) =>
  Type.Union([Type.Integer({ minimum: least }), Type.Null()], { default: null, description })

/** Of every learner of action values, whatever its network. */
export const LEARNING_SETTINGS = {
  lanes: whole(8, 1, 4096, 'Parallel episodes of training; EPyMARL and PyMARL play one at a time.'),
  rolloutSteps: whole(
    16,
    1,
    1 << 16,
    'Steps played in every lane between two looks at the memory. Episodes are learned from when they end, however many ' +
      'of these stretches they take.',
  ),
  sharing: SHARING,
  agentId: yes('Append a one-hot agent id to what a network sees; EPyMARL and PyMARL.'),
  lastAction: Type.Boolean({
    default: false,
    description: 'Append the agent’s last action, one-hot, zeros at first; PyMARL on, EPyMARL off.',
  }),
  memoryEpisodes: whole(5000, 1, 1 << 24, 'Episodes kept; the oldest leaves. EPyMARL and PyMARL 5000.'),
  memorySteps: whole(
    500_000,
    2,
    1 << 28,
    'Steps kept at most, an episode of T counting T + 1: 5000 episodes of 500 steps would take gigabytes. Ours.',
  ),
  batchEpisodes: whole(32, 1, 1 << 16, 'Different episodes in a gradient step; EPyMARL and PyMARL 32, PyMARL2 128.'),
  window: orNull(
    1,
    'Steps of each episode that are learned from at once, from a random place on, a gru starting from zero there; ' +
      'null = the whole episode, as the references.',
  ),
  updatesPerEpisode: real(
    1,
    0,
    1000,
    'Gradient steps per finished episode, once the memory holds a batch; fractions add up. EPyMARL and PyMARL 1.',
  ),
  optimiser: Type.Union([Type.Literal('adam'), Type.Literal('rmsprop')], {
    default: 'adam',
    description: 'adam: ε 1e-8; EPyMARL, PyMARL2. rmsprop: α .99, ε 1e-5; PyMARL.',
  }),
  lr: real(5e-4, 0, 1, 'Step size; EPyMARL and PyMARL 5e-4, EPyMARL’s IQL 3e-4.'),
  lrSchedule: Type.Union([Type.Literal('constant'), Type.Literal('linear')], {
    default: 'constant',
    description: 'linear: the step size falls to 0 at scheduleSteps.',
  }),
  scheduleSteps: orNull(
    1,
    'Environment steps (all lanes) at which a linear schedule ends; a run fills in its own length.',
  ),
  gradientNorm: real(10, 0, 1e9, 'Greatest norm of the gradient of all parameters together; EPyMARL and PyMARL 10.'),
  gamma: real(0.99, 0, 1, 'Discount per step; EPyMARL and PyMARL .99.'),
  lambda: real(0, 0, 1, 'Trace of TD(λ) targets, 0 = one step; EPyMARL and PyMARL 0, PyMARL2 .6.'),
  doubleQ: yes(
    'The online network picks the next action, the target network says what it is worth; EPyMARL and PyMARL.',
  ),
  targetInterval: whole(
    200,
    1,
    1 << 24,
    'Gradient steps from one copy of the weights into the target network to the next. EPyMARL 200 updates, PyMARL 200 ' +
      'episodes: the same at one update per episode.',
  ),
  targetRate: Type.Union([Type.Number({ exclusiveMinimum: 0, maximum: 1 }), Type.Null()], {
    default: null,
    description: 'Instead of copies: part of the way that the target network follows at every gradient step.',
  }),
  bootstrapTruncated: yes(
    'A cut episode is worth something after the cut. The references have no cuts: there a time limit is an end.',
  ),
  rewardScaling: Type.Union([Type.Literal('none'), Type.Literal('deviation'), Type.Literal('standardise')], {
    default: 'none',
    description:
      'By running statistics of the rewards learned from. deviation: divided by their deviation. standardise: less ' +
      'their mean too, as EPyMARL; that changes what is best where episodes may be long or short.',
  }),
} satisfies TProperties

/** The network of EPyMARL and PyMARL. */
const NETWORK_SETTINGS = {
  network: Type.Union([Type.Literal('mlp'), Type.Literal('gru')], {
    default: 'mlp',
    description: 'mlp: an agent acts on what it sees now. gru: it remembers its episode; PyMARL, and EPyMARL’s IQL.',
  }),
  hidden: whole(64, 1, 4096, 'Width of the hidden layers and of the gru; EPyMARL and PyMARL 64, EPyMARL’s IQL 128.'),
  layers: Type.Union([Type.Integer({ minimum: 1, maximum: 16 }), Type.Null()], {
    default: null,
    description:
      'Hidden layers before the gru or the values; null = as EPyMARL and PyMARL, 1 with a gru and 2 without.',
  }),
  activation: Type.Union([Type.Literal('relu'), Type.Literal('tanh')], {
    default: 'relu',
    description: 'Between layers; EPyMARL and PyMARL relu.',
  }),
  init: Type.Union([Type.Literal('orthogonal'), Type.Literal('uniform')], {
    default: 'uniform',
    description:
      'First weights, also of a mixer. uniform: ± 1/√inputs, as torch has it; EPyMARL and PyMARL. orthogonal: with gains of ' +
      '√2 and 1, some ten times as large a value per network at first, which bootstrapping takes long to forget.',
  }),
} satisfies TProperties

export const VALUE_SETTINGS = { ...NETWORK_SETTINGS, ...LEARNING_SETTINGS }

/** ε-greedy exploration. */
export const EPSILON_SETTINGS = {
  epsilonStart: real(1, 0, 1, 'Chance of a random legal action, of each agent by itself, at first.'),
  epsilonEnd: real(0.05, 0, 1, 'The same in the end, and when the policy is played by sampling.'),
  epsilonSteps: whole(
    50_000,
    1,
    2 ** 40,
    'Environment steps (all lanes) over which it falls, linearly; EPyMARL and PyMARL 50,000, EPyMARL’s IQL 200,000.',
  ),
} satisfies TProperties

export type LearningSettings = Static<TObject<typeof LEARNING_SETTINGS>>
export type ValueSettings = Static<TObject<typeof VALUE_SETTINGS>>
export type EpsilonSettings = Static<TObject<typeof EPSILON_SETTINGS>>

/** With what follows from the others filled in. */
export type EffectiveValues<Settings extends ValueSettings = ValueSettings> = Settings & { readonly layers: number }

export function effectiveValues<Settings extends ValueSettings>(settings: Settings): EffectiveValues<Settings> {
  return { ...settings, layers: settings.layers ?? (settings.network === 'gru' ? 1 : 2) }
}

// ---------------------------------------------------------------------------------------------------------------------
// Choices.

/**
 * Writes what a row of values makes of its legal choices, one dimension: numbers that sum to 1, 0 where illegal.
 * @param steps environment steps so far; Infinity = when all exploring is over
 */
export type Exploration = (
  values: Float32Array,
  mask: Uint8Array,
  from: number,
  size: number,
  steps: number,
  out: Float32Array,
) => void

/** The legal choice of highest value; the lowest of equals. −1 when nothing is legal. */
export function bestLegal(values: Float32Array, from: number, mask: Uint8Array, at: number, size: number): number {
  let best = -1
  for (let a = 0; a < size; a++) {
    if (mask[at + a] !== 0 && (best < 0 || values[from + a] > values[from + best])) best = a
  }
  return best
}

/** From `start` to `end` in so many steps, and `end` from there on. */
export function falling(start: number, end: number, over: number, steps: number): number {
  return steps >= over ? end : start + (end - start) * (steps / over)
}

/** ε / |legal| for every legal choice, and 1 − ε more for the best. */
export function epsilonGreedy({ epsilonStart, epsilonEnd, epsilonSteps }: EpsilonSettings): Exploration {
  return (values, mask, from, size, steps, out) => {
    const epsilon = falling(epsilonStart, epsilonEnd, epsilonSteps, steps)
    let legal = 0
    for (let a = 0; a < size; a++) legal += mask[from + a]
    for (let a = 0; a < size; a++) out[from + a] = mask[from + a] === 0 ? 0 : epsilon / legal
    const best = bestLegal(values, from, mask, from, size)
    if (best >= 0) out[from + best] += 1 - epsilon
  }
}

/**
 * (1 − α) exp(β q) / Σ exp(β q) + α / |legal| over the legal choices. β 1 and α 0 is the softmax.
 * @param floor α after so many steps
 * @param sharpness β after so many steps
 */
export function softened(floor: (steps: number) => number, sharpness: (steps: number) => number): Exploration {
  return (values, mask, from, size, steps, out) => {
    const [alpha, beta] = [floor(steps), sharpness(steps)]
    const best = bestLegal(values, from, mask, from, size)
    let legal = 0
    let sum = 0
    for (let a = 0; a < size; a++) {
      const allowed = mask[from + a] !== 0
      // e to the minus of how far it is from the best.
      out[from + a] = allowed ? exponential(beta * (values[from + best] - values[from + a])) : 0
      legal += allowed ? 1 : 0
      sum += out[from + a]
    }
    for (let a = 0; a < size; a++) {
      if (mask[from + a] !== 0) out[from + a] = ((1 - alpha) * out[from + a]) / sum + alpha / legal
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Targets. Numbers, not tensors: nothing is differentiated here.

/**
 * What the best next actions are worth to every agent: legal ones only, picked by one table and valued by another (van Hasselt
 * et al. 2016), the same table twice without double-Q. Over the dimensions of an action values add up.
 * @param picking [R, n, A] which action is best
 * @param valuing [R, n, A] what it is worth
 * @param mask [R, n, A] 1 where legal
 * @param rows [M] the rows of the *next* states
 * @param sizes [D] choices per dimension, summing to A
 * @param out [M, n] overwritten
 */
export function nextValues(
  picking: Float32Array,
  valuing: Float32Array,
  mask: Uint8Array,
  rows: Int32Array,
  agents: number,
  sizes: readonly number[],
  out: Float32Array,
): void {
  let A = 0
  for (const size of sizes) A += size
  for (let m = 0; m < rows.length; m++) {
    for (let n = 0; n < agents; n++) {
      let at = (rows[m] * agents + n) * A
      let sum = 0
      for (const size of sizes) {
        const best = bestLegal(picking, at, mask, at, size)
        if (best >= 0) sum += valuing[at + best]
        at += size
      }
      out[m * agents + n] = sum
    }
  }
}

export interface TargetInput {
  readonly gamma: number
  readonly lambda: number
  /** First step of each stretch of an episode, and their number at the end, [E + 1]. */
  readonly begins: Int32Array
  /** Numbers per step: n, or 1 for a team. */
  readonly width: number
  readonly reward: Float32Array | Float64Array // [M, width]
  /** What the state after the step is worth, by the target network. */
  readonly next: Float32Array | Float64Array // [M, width]
  readonly ended: Uint8Array // [M] 1: nothing comes after this step
}

/**
 * TD(λ): G_t = r_t + γ (1 − ended_t) [(1 − λ) V_{t+1} + λ G_{t+1}], V alone after the last step of a stretch. λ 0 is the
 * one-step target, λ 1 the discounted return.
 * @param out [M, width] overwritten
 */
export function lambdaTargets(input: TargetInput, out: Float32Array | Float64Array): void {
  const { gamma, lambda, begins, width, reward, next, ended } = input
  for (let e = 0; e + 1 < begins.length; e++) {
    for (let k = 0; k < width; k++) {
      let later = 0
      for (let m = begins[e + 1] - 1; m >= begins[e]; m--) {
        const i = m * width + k
        const worth = m === begins[e + 1] - 1 ? next[i] : (1 - lambda) * next[i] + lambda * later
        later = reward[i] + gamma * (1 - ended[m]) * worth
        out[i] = later
      }
    }
  }
}

/** Running mean and variance of rewards, as EPyMARL has them: Chan et al.'s parallel update from 0, 1 with a count of 1e-4. */
export type RewardStatistics = {
  rewardMean: number
  rewardVariance: number
  rewardCount: number
}

export function freshStatistics(): RewardStatistics {
  return { rewardMean: 0, rewardVariance: 1, rewardCount: 1e-4 }
}

/** Takes rewards in, and afterwards changes them in place as the setting says. */
export function scaleRewards(
  how: LearningSettings['rewardScaling'],
  rewards: Float32Array,
  statistics: RewardStatistics,
): void {
  const n = rewards.length
  if (how === 'none' || n === 0) return
  let sum = 0
  for (const reward of rewards) sum += reward
  const mean = sum / n
  let squares = 0
  for (const reward of rewards) squares += (reward - mean) ** 2
  const variance = n > 1 ? squares / (n - 1) : 0 // torch's var
  const { rewardMean, rewardVariance, rewardCount } = statistics
  const total = rewardCount + n
  const delta = mean - rewardMean
  statistics.rewardMean = rewardMean + (delta * n) / total
  statistics.rewardVariance =
    (rewardVariance * rewardCount + variance * n + (delta * delta * rewardCount * n) / total) / total
  statistics.rewardCount = total
  const shift = how === 'standardise' ? statistics.rewardMean : 0
  const scale = 1 / Math.sqrt(Math.max(statistics.rewardVariance, 1e-8))
  for (let i = 0; i < n; i++) rewards[i] = (rewards[i] - shift) * scale
}

// ---------------------------------------------------------------------------------------------------------------------
// Losses.

/**
 * Σ over D of entries of a table: the values of the actions that were taken.
 * @param table [rows, A]
 * @param index [K, D] positions in the flat table
 * @returns [K]; the slope of an entry is the sum of those of all that read it
 */
export function pickValues(table: tf.Tensor2D, index: Int32Array, dimensions: number): tf.Tensor1D {
  const count = index.length / dimensions
  const { shape } = table
  const [picked] = fuse(
    [table],
    () => {
      const values = table.dataSync()
      const out = new Float32Array(count)
      for (let k = 0; k < count; k++) {
        let sum = 0
        for (let d = 0; d < dimensions; d++) sum += values[index[k * dimensions + d]]
        out[k] = sum
      }
      return [tf.tensor1d(out)]
    },
    ([dy]) => [
      () => {
        const slopes = dy.dataSync()
        const out = new Float32Array(shape[0] * shape[1])
        for (let k = 0; k < count; k++) {
          for (let d = 0; d < dimensions; d++) out[index[k * dimensions + d]] += slopes[k]
        }
        return tf.tensor2d(out, shape)
      },
    ],
  )
  return picked as tf.Tensor1D
}

// ---------------------------------------------------------------------------------------------------------------------
// What cannot be.

/** One value for the whole team: refused where agents want different things. @throws TroupeError */
export function requireCommonReward(who: string, request: LearnerRequest, spec: EnvSpec): void {
  const why = 'its value is one for the whole team, and what one agent gains another may not want'
  requireOneReward(who, spec, request, 'iql, ippo and mappo', why)
}
