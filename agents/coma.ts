/**
 * COMA: counterfactual multi-agent policy gradients. A critic that sees everything says, in one pass, what each of an agent's
 * choices would be worth beside what the others did; an agent's advantage is the worth of what it did, less what its policy
 * is worth on average.
 *
 * Foerster et al. 2018 (arXiv 1705.08926); details as in PyMARL at c971afd and EPyMARL at cbc38c0. Differences are listed in
 * agents/README.md. With u the joint choice and u^−i that of the others:
 *
 *   A^i = Q(s, u) − Σ_b π^i(b | o^i) Q(s, (b, u^−i))          actor: −mean[ A^i log π^i ] − c_H mean[ H ]
 *   critic: mean[ (Q(s, u) − G)² ] / 2, G from TD(λ) with a target critic on the choices that were taken next
 *
 * What the critic sees: the state, the own observation, what the others chose (the own place blank), the id. Its values are of
 * the team, so agents must have one reward in common.
 *
 * Read on: settings, the counterfactual parts (exported, pure), the critic, the learner.
 */
import { Type, type Static } from '#typebox'
import { Generator, TroupeError, namedSeed, type EnvBatch, type EnvSpec } from '../envs/core/index.ts'
import {
  ACTOR_SETTINGS,
  ActorCritic,
  CRITIC_LAYERS,
  effectiveSettings as effectiveOf,
  policyGradient,
  show,
  hide,
  withOwn,
  type Effective,
  type Pace,
} from './core/actor-critic.ts'
import { lambdaTargets, nextValues } from './core/advantages.ts'
import { requireChoices } from './core/categorical.ts'
import { actorLearner } from './core/definition.ts'
import { type LearnerPreset, type LearnerRequest, type Metrics } from './core/learner.ts'
import { Means } from './core/metrics.ts'
import { Network } from './core/networks.ts'
import { foresight } from './core/normalise.ts'
import { minibatches, played, play, scheduled } from './core/onpolicy.ts'
import { type AgentView, type PolicyMemory } from './core/policy.ts'
import {
  EPYMARL_APART,
  EPYMARL_DIFFERS,
  EPYMARL_LONG_STRETCH,
  EPYMARL_SHARED,
  EPYMARL_SOURCE,
  EPYMARL_STRETCH,
  epymarlFamilies,
} from './core/published.ts'
import { fixed, real, whole, yes } from './core/settings.ts'
import { requestSpec, sumNumbers, type Part, type Shard } from './core/shards.ts'
import { requireOneReward } from './core/teams.ts'
import { tf } from './core/tensors.ts'
import { clippedValueLoss, scoreLoss } from './kernels/index.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings.

const OWN = { lr: 5e-4, rolloutSteps: 16, advantageNorm: false, hidden: 64 }

export const COMA_SETTINGS = Type.Object(
  {
    ...withOwn(ACTOR_SETTINGS, OWN),
    deviation: fixed(0.5, 'Of real-valued actions, which this learner refuses.'),
    criticHidden: Type.Union([Type.Integer({ minimum: 1, maximum: 4096 }), Type.Null()], {
      default: null,
      description: 'Width of the critic’s hidden layers; null = hidden. PyMARL 128.',
    }),
    criticLayers: CRITIC_LAYERS,
    criticLr: real(1e-3, 0, 1, 'Step size of the critic.'),
    lambda: real(0.8, 0, 1, 'TD(λ) trace of the critic’s targets; PyMARL .8.'),
    targetEvery: whole(
      200,
      1,
      1e9,
      'Critic updates (not episodes, not steps) between two copies to the target; PyMARL 200.',
    ),
    bootstrapTruncated: yes('A cut episode is worth something after the cut.'),
    epsilon: real(0, 0, 1, 'Part of uniform legal choices in what plays and in the baseline; PyMARL .5 at first.'),
    epsilonEnd: real(0.01, 0, 1, 'The same after epsilonSteps; PyMARL .01. Unused while epsilon is 0.'),
    epsilonSteps: whole(100_000, 1, 1e12, 'Environment steps (all lanes) over which the part falls; PyMARL 100,000.'),
  },
  { additionalProperties: false },
)

export type ComaSettings = Static<typeof COMA_SETTINGS>

const COMA_EPYMARL_DIFFERS = `${EPYMARL_DIFFERS}; targets are TD(.8), where the source has returns of 10 steps (5 with networks apart)`

/** As published. */
export const COMA_PRESETS: Readonly<Record<string, LearnerPreset<ComaSettings>>> = {
  pymarl: {
    summary: 'the paper’s, for SMAC: recurrent actors, TD(.8), a floor of uniform choices that falls from .5',
    source: 'oxwhirl/pymarl at c971afd',
    settings: {
      lanes: 8,
      rolloutSteps: 60,
      chunk: 60,
      network: 'gru',
      layers: 1,
      hidden: 64,
      criticHidden: 128,
      criticLayers: 2,
      init: 'uniform',
      lr: 5e-4,
      criticLr: 5e-4,
      optimiser: 'rmsprop',
      optimiserEpsilon: 1e-5,
      gradientNorm: 10,
      gamma: 0.99,
      lambda: 0.8,
      targetEvery: 200,
      entropy: 0,
      epsilon: 0.5,
      epsilonEnd: 0.01,
      epsilonSteps: 100_000,
    },
    differs:
      'stretches of 60 steps stand for 8 whole episodes; the critic takes one step per rollout, not one per time step; neither ' +
      'network sees last actions',
  },
  epymarl: {
    summary: 'shared networks, recurrent actors of 64, a hard target',
    source: EPYMARL_SOURCE,
    settings: {
      ...EPYMARL_SHARED,
      ...EPYMARL_LONG_STRETCH,
      hidden: 64,
      lr: 3e-4,
      criticLr: 3e-4,
      entropy: 0.001,
      targetEvery: 200,
    },
    families: epymarlFamilies(true),
    differs: COMA_EPYMARL_DIFFERS,
  },
  'epymarl-ns': {
    summary: 'a network of 64 for each agent, feed-forward, a hard target',
    source: EPYMARL_SOURCE,
    settings: { ...EPYMARL_APART, ...EPYMARL_STRETCH, lr: 5e-4, criticLr: 5e-4, entropy: 0.01, targetEvery: 200 },
    families: epymarlFamilies(false),
    differs: COMA_EPYMARL_DIFFERS,
  },
}

/** Part of uniform choices after so many environment steps. */
export function floorAt({ epsilon, epsilonEnd, epsilonSteps }: ComaSettings, steps: number): number {
  if (epsilon === 0) return 0
  const left = scheduled({ lrSchedule: 'linear', scheduleSteps: epsilonSteps }, steps)
  return epsilonEnd + (epsilon - epsilonEnd) * left
}

// ---------------------------------------------------------------------------------------------------------------------
// Counterfactual parts. An agent's choice is a joint one over its action dimensions: J = their product, the first outermost.

/** Probabilities of an agent's joint choices. @param probability [A] dimensions side by side, from `from` @returns [J] */
export function jointProbabilities(probability: Float32Array, sizes: readonly number[], from = 0): Float64Array {
  let joint = Float64Array.of(1)
  let at = from
  for (const size of sizes) {
    const wider = new Float64Array(joint.length * size)
    for (let j = 0; j < joint.length; j++) {
      for (let a = 0; a < size; a++) wider[j * size + a] = joint[j] * probability[at + a]
    }
    joint = wider
    at += size
  }
  return joint
}

/** (1 − ε) π + ε / legal, over joint choices. @param legal [J] 1 where legal */
export function withFloor(policy: Float64Array, legal: ArrayLike<number>, epsilon: number): Float64Array {
  let count = 0
  for (let j = 0; j < policy.length; j++) count += legal[j] === 0 ? 0 : 1
  return policy.map((p, j) => (1 - epsilon) * p + (legal[j] === 0 ? 0 : epsilon / count))
}

/** Σ_b π(b) Q(b): what the policy is worth on average, the others doing what they did. */
export function baseline(q: ArrayLike<number>, policy: Float64Array): number {
  let sum = 0
  for (let j = 0; j < policy.length; j++) sum += policy[j] * q[j]
  return sum
}

/** Number of a joint choice. @param action [D] from `from` */
export function jointChoice(action: ArrayLike<number>, sizes: readonly number[], from = 0): number {
  let joint = 0
  for (let d = 0; d < sizes.length; d++) joint = joint * sizes[d] + action[from + d]
  return joint
}

const product = (numbers: readonly number[]): number => numbers.reduce((a, b) => a * b, 1)

/** Most joint choices of one agent for which values side by side make sense. */
const MOST_CHOICES = 1024

// ---------------------------------------------------------------------------------------------------------------------
// The critic's sight.

/** What the critic of actions looks at, rows of lanes × n agents. */
export interface ActionSight {
  readonly observation: Float32Array // [rows of lanes, n, F]
  readonly state: Float32Array // [rows of lanes, S]
  readonly alive: Uint8Array // [rows of lanes, n]
  readonly action: ArrayLike<number> // [rows of lanes, n, D]
}

/** Writes input rows: the state (all observations where there is none), the own observation, what others chose, the id. */
export class ActionInputs {
  readonly width: number
  private readonly F: number
  private readonly S: number
  private readonly A: number
  private readonly sizes: readonly number[]
  private readonly n: number

  constructor(spec: EnvSpec, agents: number) {
    this.F = spec.observationSize
    this.S = spec.stateSize
    this.A = spec.actionSize
    this.sizes = spec.actionSizes
    this.n = agents
    this.width = (this.S > 0 ? this.S : agents * this.F) + this.F + agents * this.A + agents
  }

  /** @param out [rows, width] overwritten @param count rows of lanes */
  write(from: ActionSight, count: number, out: Float32Array): void {
    const { F, S, A, n, sizes, width } = this
    out.fill(0, 0, count * n * width)
    for (let row = 0; row < count * n; row++) {
      const lane = Math.floor(row / n)
      let to = row * width
      const copy = (source: Float32Array, first: number, length: number) => {
        for (let i = 0; i < length; i++) out[to + i] = source[first + i]
        to += length
      }
      if (S > 0) copy(from.state, lane * S, S)
      else copy(from.observation, lane * n * F, n * F)
      if (from.alive[row] === 1) copy(from.observation, row * F, F)
      else to += F // what the dead observe is nobody's business
      for (let other = 0; other < n; other++, to += A) {
        if (lane * n + other === row) continue // the own place stays blank
        let at = to
        sizes.forEach((size, d) => {
          out[at + from.action[(lane * n + other) * sizes.length + d]] = 1
          at += size
        })
      }
      out[to + (row % n)] = 1
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The learner.

/** What a shard holds beside its rollout. */
interface Beside {
  readonly probability: Float32Array // [T, B, n, A]
  readonly action: Int32Array // [T + 1, B, n, D] with the choices that come after the rollout
  readonly cutAction: number[] // [cuts, n, D] choices in the last states of episodes that a clock cut
}

export class Coma extends ActorCritic<ComaSettings> {
  private readonly inputs: ActionInputs
  private readonly critic: Network
  private readonly target: Network
  private readonly sizes: readonly number[]
  private readonly beside: readonly Beside[]

  constructor(request: LearnerRequest, settings: Effective<ComaSettings>) {
    const spec = requestSpec(request.batch)
    const agents = request.agents?.length ?? spec.agents.length
    const inputs = new ActionInputs(spec, agents)
    const open = (name: string, draws: Generator) =>
      new Network(
        {
          name,
          inputs: inputs.width,
          outputs: product(spec.actionSizes),
          hidden: settings.criticHidden ?? settings.hidden,
          layers: settings.criticLayers ?? settings.layers,
          activation: settings.activation,
          outputGain: 1,
          init: settings.init,
        },
        draws,
      )
    const draws = () => new Generator(namedSeed(request.seed, 'coma: critic weights'))
    const [critic, target] = [open('critic', draws()), open('target/critic', draws())]
    super(request, { name: 'coma', settings, beside: { learn: [critic], follow: [target] } })
    this.inputs = inputs
    this.critic = critic
    this.target = target
    this.sizes = spec.actionSizes
    this.beside = this.shards.map(({ rollout }) => ({
      probability: new Float32Array(rollout.mask.length),
      action: new Int32Array((rollout.action.length / rollout.steps) * (rollout.steps + 1)),
      cutAction: [],
    }))
  }

  // --- playing -------------------------------------------------------------------------------------------------------

  /** Plays, keeps probabilities, and has the actors choose where the rollout and cut episodes go on unseen. */
  protected override play(shard: Shard): void {
    const { actors, slots } = this
    const { rollout, carried, generators } = shard
    const { probability, action, cutAction } = this.beside[this.shards.indexOf(shard)]
    const epsilon = floorAt(this.settings, this.steps)
    const rng = () => generators.sampling
    const perLane = slots.length * this.sizes.length
    let step = 0
    cutAction.length = 0
    /** Choices for a view that is not stepped from, which leave memories where they are. @param lanes whose memories */
    const imagine = (view: AgentView, lanes: readonly number[]): Int32Array => {
      const memories = actors.members.map(({ net }) => {
        const memory = carried[net.shape.name] as { readonly hidden: Float32Array } | undefined
        if (memory === undefined) return null
        const width = memory.hidden.length / rollout.lanes
        const hidden = new Float32Array(lanes.length * width)
        lanes.forEach((lane, k) => hidden.set(memory.hidden.subarray(lane * width, (lane + 1) * width), k * width))
        return { hidden }
      })
      const out = { action: new Int32Array(lanes.length * perLane) }
      actors.choose(view, slots, memories, out, rng)
      return out.action
    }
    const watch = (t: number) => {
      step = t
      const first = rollout.cuts.findIndex((cell) => cell >= (t - 1) * rollout.lanes)
      if (t > 0 && first >= 0) {
        const lanes = rollout.cuts.slice(first).map((cell) => cell % rollout.lanes)
        cutAction.push(...imagine(cutView(shard, first), lanes))
      }
      if (t < rollout.steps) return
      const lanes = Array.from({ length: rollout.lanes }, (_, lane) => lane)
      action.set(rollout.action as Int32Array)
      action.set(imagine(lastView(shard), lanes), rollout.action.length)
    }
    const chooser = {
      members: actors.members,
      choose: (...[view, own, memories, out]: Parameters<typeof actors.choose>) => {
        const rows = view.mask.length
        const said = probability.subarray(step * rows, (step + 1) * rows)
        actors.choose(view, own, memories, { ...out, probability: said }, rng)
        if (epsilon > 0) this.mix(view, said, out as MixedOut, epsilon, rng())
      },
    }
    play(shard, chooser, slots, watch)
  }

  /** Has uniform legal choices played now and then, and says the probabilities of the mixture. */
  private mix(view: AgentView, said: Float32Array, out: MixedOut, epsilon: number, rng: Generator): void {
    const { sizes } = this
    const A = said.length / out.logProbability.length
    for (let row = 0; row < out.logProbability.length; row++) {
      const uniform = rng.float() < epsilon
      let at = row * A
      let legal = 1
      let probability = 1
      sizes.forEach((size, d) => {
        let count = 0
        for (let a = 0; a < size; a++) count += view.mask[at + a]
        if (uniform) {
          let left = Math.floor(rng.float() * count)
          let a = 0
          for (; view.mask[at + a] === 0 || left > 0; a++) left -= view.mask[at + a]
          out.action[row * sizes.length + d] = a
        }
        probability *= said[at + out.action[row * sizes.length + d]]
        legal *= count
        at += size
      })
      out.logProbability[row] = Math.log((1 - epsilon) * probability + epsilon / legal)
    }
  }

  // --- learning ------------------------------------------------------------------------------------------------------

  protected learn(pace: Pace): Metrics {
    const { shards, group, actors, descent, settings } = this
    const epsilon = floorAt(settings, this.steps - this.stepsPerUpdate) // as it was when the choices were made
    const means = new Means()
    const shown = shards.map((shard) => show(shard, actors, undefined))
    const readings = shards.map(() => ({ entropy: 0 }))
    const last = actors.members.length
    shards.forEach((shard, k) => this.fillTargets(shard, k))
    for (const rows of minibatches(shards, group, { epochs: 1, minibatches: 1, valueOfDead: false }, actors.groups)) {
      // One pass of the critic: its loss, and the values of all choices that the advantages are made of.
      const spreads = shards.map((shard, k) => {
        const { loss, q } = this.criticGradient(shard, k, rows.counted)
        descent.loss(k, last, loss)
        return this.advantages(shard, k, q, epsilon)
      })
      const seen = foresight(
        shards.map(({ value, returns, rows: count }) => ({ estimate: value.subarray(0, count), target: returns })),
        group,
      )
      means.add('explainedVariance', seen.explainedVariance)
      means.add('valueError', seen.error)
      this.normaliseAdvantages(means)
      shards.forEach((shard, k) =>
        actors.members.forEach((actor, g) => {
          const { parts, living } = rows.groups[g]
          const how = { entropy: pace.entropy, total: Math.max(living, 1) }
          const mixed = this.mixture(shard, parts[k], epsilon)
          const loss = policyGradient(
            actor,
            shard,
            shown[k].actors[g],
            parts[k],
            (logProbability, entropy, chosen) => scoreLoss(mixed(logProbability), entropy, chosen, how, readings[k]),
            descent.gradient(k, g),
          )
          descent.loss(k, g, loss)
        }),
      )
      this.addSteps(means, descent.step(this.rates(pace.fraction), this.steps))
      const [entropy, spread] = sumNumbers(
        group,
        readings.map((own, k) => [own.entropy, spreads[k]]),
      )
      means.add('entropy', entropy, rows.living)
      means.add('choiceSpread', spread, rows.living)
    }
    shown.forEach(hide)
    if ((this.parts.count.updates + 1) % settings.targetEvery === 0) this.copy()
    return means.all()
  }

  private copy(): void {
    this.target.parameters.follow(this.critic.parameters, 1)
    this.target.changed()
  }

  /** Fills a shard's `returns` with TD(λ) targets of the choices that were taken. */
  private fillTargets({ rollout, returns }: Shard, k: number): void {
    const { steps, lanes, agents, cuts, observation, state, alive, finalObservation, finalState, finalAlive } = rollout
    const { action, cutAction } = this.beside[k]
    const worth = this.taken({ observation, state, alive, action }, (steps + 1) * lanes)
    const cutWorth = this.taken(
      { observation: finalObservation, state: finalState, alive: finalAlive, action: cutAction },
      cuts.length,
    )
    const next = new Float32Array(returns.length)
    nextValues(worth, steps, lanes, agents, cuts, cutWorth, next)
    const { gamma, bootstrapTruncated, lambda } = this.settings
    const ended = played(this.shards[k], gamma, bootstrapTruncated)
    lambdaTargets({ ...ended, nextValue: next }, lambda, returns)
  }

  /** The target critic's value of what everybody chose. @param count rows of lanes @returns [count, n] */
  private taken(sight: ActionSight, count: number): Float32Array {
    const { inputs, target, sizes } = this
    const n = this.slots.length
    const J = target.shape.outputs
    const input = new Float32Array(count * n * inputs.width)
    inputs.write(sight, count, input)
    const q = new Float32Array(count * n * J)
    if (count > 0) target.infer(input, count * n, q)
    return Float32Array.from(
      { length: count * n },
      (_, row) => q[row * J + jointChoice(sight.action, sizes, row * sizes.length)],
    )
  }

  /** One pass of the critic over a shard's rollout. @returns its loss, and Q of every own choice [T B n, J] */
  private criticGradient(shard: Shard, k: number, counted: number): { loss: number; q: Float32Array } {
    const { inputs, critic, sizes, descent } = this
    const { rollout, returns, value, alive, rows } = shard
    const J = critic.shape.outputs
    const lanes = rollout.steps * rollout.lanes
    const input = new Float32Array(rows * inputs.width)
    inputs.write(rollout, lanes, input)
    const chosen = Int32Array.from(
      { length: rows },
      (_, row) => row * J + jointChoice(rollout.action, sizes, row * sizes.length),
    )
    const weight = Float32Array.from(alive)
    let values = new Float32Array(0)
    const { loss } = critic.differentiate(
      ({ forward }) => {
        const q = forward(tf.tensor2d(input, [rows, inputs.width]))
        values = q.dataSync() as typeof values
        const own = tf.gather(tf.reshape(q, [rows * J]), tf.tensor1d(chosen, 'int32')) as tf.Tensor1D
        const how = { clip: null, delta: null, total: Math.max(counted, 1) }
        return clippedValueLoss(own, { before: returns, target: returns, weight }, how)
      },
      descent.gradient(k, this.actors.members.length),
    )
    for (let row = 0; row < rows; row++) value[row] = values[chosen[row]]
    return { loss, q: values }
  }

  /** Fills a shard's `advantage`. @returns the distance from the worst to the best legal choice, summed over the living */
  private advantages({ rollout, advantage, value, alive }: Shard, k: number, q: Float32Array, epsilon: number): number {
    const { sizes } = this
    const J = this.critic.shape.outputs
    const A = sizes.reduce((sum, size) => sum + size, 0)
    const { probability } = this.beside[k]
    let spread = 0
    for (let row = 0; row < advantage.length; row++) {
      const own = q.subarray(row * J, (row + 1) * J)
      const legal = jointProbabilities(Float32Array.from(rollout.mask.subarray(row * A, (row + 1) * A)), sizes)
      const policy = withFloor(jointProbabilities(probability, sizes, row * A), legal, epsilon)
      advantage[row] = value[row] - baseline(own, policy)
      if (alive[row] === 0) continue
      const worths = own.filter((_, j) => legal[j] !== 0)
      spread += Math.max(...worths) - Math.min(...worths)
    }
    return spread
  }

  /** log((1 − ε) π + ε / legal) of choices, from log π. */
  private mixture({ rollout }: Shard, { rows }: Part, epsilon: number): (logProbability: tf.Tensor1D) => tf.Tensor1D {
    if (epsilon === 0) return (logProbability) => logProbability
    const { sizes } = this
    const A = sizes.reduce((sum, size) => sum + size, 0)
    const even = Float32Array.from(rows, (row) => {
      let at = row * A
      let legal = 1
      for (const size of sizes) {
        let count = 0
        for (let a = 0; a < size; a++) count += rollout.mask[at + a]
        legal *= count
        at += size
      }
      return epsilon / legal
    })
    return (logProbability) =>
      tf.log(tf.add(tf.mul(1 - epsilon, tf.exp(logProbability)), tf.tensor1d(even))) as tf.Tensor1D
  }

  /** COMA's critic values choices, not states: nothing to write beside a replay. */
  override values(_batch: EnvBatch, out: Float32Array, _memory: PolicyMemory = null): void {
    out.fill(NaN)
  }
}

type MixedOut = { readonly action: Int32Array; readonly logProbability: Float32Array }

/** What agents saw last in the episodes that were cut at a step. @param first of these cuts */
function cutView({ rollout, collector }: Shard, first: number): AgentView {
  const { spec } = collector.batch
  const lanes = rollout.cuts.length - first
  const rows = (from: number, width: number) =>
    [from * rollout.agents * width, rollout.cuts.length * rollout.agents * width] as const
  return {
    spec,
    lanes,
    agents: collector.agents,
    observation: rollout.finalObservation.subarray(...rows(first, spec.observationSize)),
    mask: rollout.finalMask.subarray(...rows(first, spec.actionSize)),
    alive: rollout.finalAlive.subarray(...rows(first, 1)),
    episodeStart: new Uint8Array(lanes),
  }
}

/** What agents see after a rollout's last step. */
function lastView({ rollout, collector }: Shard): AgentView {
  const { batch, agents } = collector
  const { spec } = batch
  const { steps, lanes } = rollout
  const after = <Rows extends Float32Array | Uint8Array>(rows: Rows) =>
    rows.subarray((rows.length / (steps + 1)) * steps) as Rows
  return {
    spec,
    lanes,
    agents,
    observation: after(rollout.observation),
    mask: maskNow(batch, agents),
    alive: after(rollout.alive),
    episodeStart: after(rollout.start),
  }
}

function maskNow({ spec, lanes, mask }: EnvBatch, agents: Int32Array): Uint8Array {
  const [N, A] = [spec.agents.length, spec.actionSize]
  const out = new Uint8Array(lanes * agents.length * A)
  for (let lane = 0; lane < lanes; lane++) {
    agents.forEach((agent, k) => {
      const from = (lane * N + agent) * A
      out.set(mask.subarray(from, from + A), (lane * agents.length + k) * A)
    })
  }
  return out
}

export const coma = actorLearner({
  name: 'coma',
  paper: 'Foerster et al. 2018, arXiv 1705.08926',
  summary: 'Actors that learn from what else they could have done, as a central critic of all choices sees it.',
  settings: COMA_SETTINGS,
  presets: COMA_PRESETS,
  effective: (spec, settings, agents) => {
    requireChoices(spec, 'coma')
    return effectiveOf('coma', settings, agents)
  },
  open: (request, settings, spec) => {
    requireOneReward('coma', spec, request, 'ia2c, maa2c and mappo', 'its critic has one value for the whole team')
    const choices = product(spec.actionSizes)
    if (choices > MOST_CHOICES) {
      throw new TroupeError('bad-option', {
        where: `coma: actions of ${spec.env}`,
        got: `${choices} joint choices of an agent`,
        expected: `${MOST_CHOICES} at most: its critic has a value for each`,
      })
    }
    return new Coma(request, settings)
  },
})
