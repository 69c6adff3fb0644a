/**
 * IPPO: every agent runs PPO by itself. The critic sees what its agent sees and nothing else; actor and critic are shared
 * networks told apart by the agent id, as in the comparison of the MAPPO paper.
 *
 * De Witt et al. 2020, "Is Independent Learning All You Need in the StarCraft Multi-Agent Challenge?" (arXiv 2011.09533);
 * details as in marlbenchmark/on-policy at de66d7a. Differences are listed in agents/README.md.
 *
 * Read on: settings, losses, acting, updating. Beside mappo.ts only the critic's input differs.
 */
import { Type, type Static } from '@sinclair/typebox'
import { Generator, namedSeed, withDefaults, type EnvBatch, type EnvSpec } from '../envs/core/index.ts'
import { SharedActor } from './core/actor.ts'
import { gae, nextValues } from './core/advantages.ts'
import { judgeChoices, requireChoices } from './core/categorical.ts'
import { type Checkpoint } from './core/checkpoint.ts'
import {
  loadLearner,
  loadNetwork,
  readState,
  requireFinite,
  saveLearner,
  type Learner,
  type LearnerDefinition,
  type LearnerParts,
  type LearnerRequest,
  type Metrics,
  type PlayMode,
} from './core/learner.ts'
import { Means } from './core/metrics.ts'
import { Mlp } from './core/networks.ts'
import { ValueNorm, foresight, normaliseAdvantages } from './core/normalise.ts'
import { Adam, clipNorm } from './core/optimiser.ts'
import { type ActionBatch, type AgentView, type Policy } from './core/policy.ts'
import { Collector, SeatView, type Rollout } from './core/rollout.ts'
import { real, whole, yes } from './core/settings.ts'
import { Shard, alone, defaultShards, shardBatches, sumNumbers, type ShardGroup } from './core/shards.ts'
import { tf } from './core/tensors.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings. "ref" is the default of the reference code; where ours differs, the README says what was measured.

export const IPPO_SETTINGS = Type.Object(
  {
    lanes: whole(16, 1, 1 << 16, 'Parallel episodes in training.'),
    shards: Type.Union([Type.Integer({ minimum: 1, maximum: 1024 }), Type.Null()], {
      default: null,
      description:
        'Parts of the lanes that workers can share; fixed, for it decides the order of sums. null = by size.',
    }),
    rolloutSteps: whole(64, 1, 1 << 16, 'Environment steps per lane between updates.'),
    hidden: whole(64, 1, 4096, 'Width of the hidden layers of actor and critic; ref 64.'),
    layers: whole(2, 1, 8, 'Hidden layers.'),
    activation: Type.Union([Type.Literal('relu'), Type.Literal('tanh')], { default: 'relu', description: 'ref relu.' }),
    outputGain: real(0.01, 0, 10, 'Orthogonal gain of the actor’s last layer: nearly uniform at first; ref .01.'),
    agentId: yes('Append a one-hot agent id to the inputs of actor and critic (shared parameters).'),
    lr: real(2e-3, 0, 1, 'Adam step size of the actor; ref 5e-4 (7e-4 for particles).'),
    criticLr: real(2e-3, 0, 1, 'Adam step size of the critic; ref as the actor.'),
    lrSchedule: Type.Union([Type.Literal('constant'), Type.Literal('linear')], {
      default: 'constant',
      description: 'linear: both step sizes fall to 0 at scheduleSteps.',
    }),
    scheduleSteps: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      default: null,
      description: 'Environment steps (all lanes) at which a linear schedule ends; a run fills in its own length.',
    }),
    epochs: whole(10, 1, 100, 'Passes over each rollout; ref 15 on easy tasks, 5 to 10 on hard ones.'),
    minibatches: whole(4, 1, 1024, 'Parts of a pass, drawn by shuffling rows; ref 1.'),
    gamma: real(0.99, 0, 1, 'Discount per step.'),
    lambda: real(0.95, 0, 1, 'GAE trace.'),
    clip: real(0.2, 0, 10, 'Probability ratio may move by this much.'),
    valueClip: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
      default: 0.2,
      description: 'Critic may move by this much from its old estimate, in normalised units; null = no clip.',
    }),
    huberDelta: Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()], {
      default: 10,
      description: 'Value errors beyond this count linearly, in normalised units; null = squared error.',
    }),
    valueNorm: yes('Train the critic in normalised units (running statistics of raw returns).'),
    valueNormBeta: real(0.99999, 0, 0.9999999, 'Memory of these statistics per value-loss call; ref .99999.'),
    valueOfDead: yes('Dead agents count in the value loss, as in the SMAC results of the reference.'),
    advantageNorm: yes('Advantages to mean 0, deviation 1 over the living rows of each rollout.'),
    bootstrapTruncated: yes('A cut episode is worth something after the cut; ref off by default.'),
    entropy: real(0.01, 0, 10, 'Weight of the entropy bonus; ref .01.'),
    gradientNorm: real(10, 0, 1e9, 'Greatest gradient norm, each network by itself; ref 10.'),
  },
  { additionalProperties: false },
)

export type IppoSettings = Static<typeof IPPO_SETTINGS>
type Effective = IppoSettings & { readonly shards: number }

// ---------------------------------------------------------------------------------------------------------------------
// Losses.

/**
 * PPO's clipped objective per row, to maximise (Schulman et al. 2017, eq. 7): min(rho A, clip(rho, 1 ± c) A).
 * The gradient vanishes only where the clipped branch is the smaller one.
 */
export function clippedObjective(ratio: tf.Tensor, advantage: tf.Tensor, clip: number): tf.Tensor {
  return tf.minimum(tf.mul(ratio, advantage), tf.mul(tf.clipByValue(ratio, 1 - clip, 1 + clip), advantage))
}

/** 0.5 e² up to `delta`, straight beyond; null: 0.5 e² everywhere. */
export function valueError(error: tf.Tensor, delta: number | null): tf.Tensor {
  if (delta === null) return tf.mul(0.5, tf.square(error))
  const size = tf.abs(error)
  const inner = tf.minimum(size, delta)
  return tf.add(tf.mul(0.5, tf.square(inner)), tf.mul(delta, tf.sub(size, inner)))
}

/**
 * Value loss per row, all in the critic's own units: the larger of the plain error and that of the clipped estimate,
 * V_old + clip(V − V_old, ± c).
 */
export function clippedValueLoss(
  value: tf.Tensor,
  oldValue: tf.Tensor,
  target: tf.Tensor,
  clip: number | null,
  delta: number | null,
): tf.Tensor {
  const plain = valueError(tf.sub(value, target), delta)
  if (clip === null) return plain
  const near = tf.add(oldValue, tf.clipByValue(tf.sub(value, oldValue), -clip, clip))
  return tf.maximum(plain, valueError(tf.sub(near, target), delta))
}

/** What these rows add to a mean over `total`: sum(x w) / total, nothing when nobody counts anywhere. */
export function shareOfMean(x: tf.Tensor, weight: tf.Tensor, total: number): tf.Scalar {
  return tf.div(tf.sum(tf.mul(x, weight)), Math.max(total, 1)) as tf.Scalar
}

// ---------------------------------------------------------------------------------------------------------------------
// The learner.

interface CriticRows {
  readonly observation: Float32Array // [rows, F]
  readonly alive: Uint8Array // [rows]
}

class Ippo implements Learner {
  readonly settings: Effective
  readonly stepsPerUpdate: number
  private readonly group: ShardGroup
  private readonly shards: readonly Shard[]
  private readonly actor: SharedActor
  private readonly actorAdam: Adam
  private readonly critic: Mlp
  private readonly criticAdam: Adam
  private readonly norm: ValueNorm | undefined
  private readonly parts: LearnerParts
  private readonly slots: Int32Array // [n] 0, 1, 2 …
  // Actor's gradient, critic's gradient, and the two losses, side by side: of each own shard, and of all.
  private readonly gradients: readonly Float32Array[]
  private readonly gradient: Float32Array
  private started = false

  constructor(request: LearnerRequest) {
    const { seed } = request
    const { spec } = Array.isArray(request.batch) ? (request.batch as EnvBatch[])[0] : (request.batch as EnvBatch)
    this.settings = effectiveSettings(spec, request.settings, request.agents?.length)
    const { settings } = this
    requireChoices(spec, 'ippo')
    this.group = request.group ?? alone(settings.shards)
    const batches = shardBatches('ippo', request.batch, this.group, settings)
    this.shards = batches.map((batch, k) => {
      const part = this.group.own[k] === 0 ? '' : ` of shard ${this.group.own[k]}`
      const collector = new Collector(batch, 'ippo', request.teamReward, request.agents, request.others)
      return new Shard(collector, settings.rolloutSteps, {
        sampling: new Generator(namedSeed(seed, `ippo: actions${part}`)),
        shuffling: new Generator(namedSeed(seed, `ippo: shuffles${part}`)),
      })
    })
    this.stepsPerUpdate = settings.rolloutSteps * settings.lanes
    const { agents } = this.shards[0].collector
    const ids = [...agents].map((agent) => spec.agents[agent].id)
    this.actor = new SharedActor(spec, ids, settings, new Generator(namedSeed(seed, 'ippo: actor weights')))
    this.critic = newCritic(this.actor.inputs, settings, new Generator(namedSeed(seed, 'ippo: critic weights')))
    this.actorAdam = new Adam(this.actor.net.values.length)
    this.criticAdam = new Adam(this.critic.values.length)
    this.norm = settings.valueNorm ? new ValueNorm(settings.valueNormBeta) : undefined
    this.slots = Int32Array.from(ids.keys())
    const size = this.actor.net.values.length + this.critic.values.length + 2
    this.gradients = this.shards.map(() => new Float32Array(size))
    this.gradient = new Float32Array(size)
    this.parts = {
      algorithm: 'ippo',
      settings,
      group: this.group,
      shards: this.shards,
      agents: ids,
      networks: [
        { net: this.actor.net, adam: this.actorAdam },
        { net: this.critic, adam: this.criticAdam },
      ],
      normalisers: this.norm === undefined ? {} : { value: this.norm },
      count: { steps: 0, updates: 0 },
    }
  }

  get steps(): number {
    return this.parts.count.steps
  }

  // --- act -----------------------------------------------------------------------------------------------------------

  collectAndUpdate(): Metrics {
    const { parts } = this
    this.begin()
    for (const shard of this.shards) {
      const { sampling } = shard.generators
      shard.collector.collect(shard.rollout, (view, out) => this.act(view, out, sampling), sampling)
      this.estimate(shard)
    }
    parts.count.steps += this.stepsPerUpdate
    const metrics = this.update()
    parts.count.updates++
    return metrics
  }

  private begin(): void {
    if (!this.started) for (const { collector } of this.shards) collector.batch.reset()
    this.started = true
  }

  private act(view: AgentView, out: ActionBatch, rng: Generator): void {
    this.actor.choose(view, this.slots, out, () => rng)
  }

  /** The critic sees what the actor sees: own observation and id; of a dead agent zeros and its id. */
  private writeCriticInput(rows: CriticRows, row: number, out: Float32Array, at: number): void {
    const { actor } = this
    actor.writeInput(rows.observation, row, row % this.slots.length, out, at)
    if (rows.alive[row] === 0) out.fill(0, at * actor.inputs, at * actor.inputs + actor.features)
  }

  /** The critic's raw outputs for rows of lanes × agents, in its own units. */
  private criticOutputs(rows: CriticRows, count: number): Float32Array {
    const input = new Float32Array(count * this.actor.inputs)
    for (let row = 0; row < count; row++) this.writeCriticInput(rows, row, input, row)
    return this.critic.infer(input, count)[0]
  }

  /** Fills `value`, `advantage` and `returns`: values in reward units go into GAE, the critic's own units stay in `value`. */
  private estimate({ rollout, value, advantage, returns }: Shard): void {
    const { settings } = this
    const { steps, lanes, agents, cuts } = rollout
    value.set(this.criticOutputs(rollout, value.length))
    const real = value.slice()
    const final: CriticRows = {
      observation: rollout.finalObservation,
      alive: rollout.finalAlive,
    }
    const cutValue = cuts.length === 0 ? new Float32Array(0) : this.criticOutputs(final, cuts.length * agents).slice()
    this.norm?.denormaliseAll(real)
    this.norm?.denormaliseAll(cutValue)
    const next = new Float32Array(returns.length)
    nextValues(real, steps, lanes, agents, cuts, cutValue, next)
    gae(
      {
        steps,
        lanes,
        agents,
        gamma: settings.gamma,
        lambda: settings.lambda,
        reward: rollout.reward,
        value: real,
        nextValue: next,
        terminated: settings.bootstrapTruncated ? rollout.terminated : ended(rollout),
        truncated: rollout.truncated,
      },
      advantage,
      returns,
    )
  }

  // --- update --------------------------------------------------------------------------------------------------------

  private update(): Metrics {
    const { settings, shards, group, actor, critic, norm } = this
    const { rows } = shards[0]
    const seen = foresight(
      shards.map(({ value, returns }) => {
        const estimate = value.slice(0, rows)
        norm?.denormaliseAll(estimate)
        return { estimate, target: returns }
      }),
      group,
    )
    if (settings.advantageNorm) {
      normaliseAdvantages(
        shards.map(({ advantage, alive }) => ({ advantage, active: alive })),
        group,
      )
    }
    const fraction =
      settings.lrSchedule === 'linear' && settings.scheduleSteps !== null
        ? Math.max(0, 1 - (this.steps - this.stepsPerUpdate) / settings.scheduleSteps)
        : 1
    const means = new Means()
    const readings = shards.map(() => [0, 0, 0]) // sums over living rows, of this worker's shards
    let living = 0
    const size = Math.ceil(rows / settings.minibatches)
    for (const shard of shards) shard.sortRows()
    for (let epoch = 0; epoch < settings.epochs; epoch++) {
      if (settings.minibatches > 1) for (const shard of shards) shard.shuffleRows()
      const totals = this.count(size)
      for (let k = 0; k * size < rows; k++) {
        const [alive, weight, count, sum, squares] = totals.subarray(5 * k)
        norm?.take(count, sum, squares)
        shards.forEach((shard, own) => {
          const part = shard.order.subarray(k * size, Math.min((k + 1) * size, rows))
          this.actorGradient(shard, part, alive, this.gradients[own], readings[own])
          this.criticGradient(shard, part, weight, this.gradients[own])
        })
        group.sum(this.gradients, this.gradient)
        this.step(fraction, means)
        living += alive
      }
    }
    requireFinite('ippo', 'weights', actor.net, actor.net.values, this.steps)
    requireFinite('ippo', 'weights', critic, critic.values, this.steps)
    const [entropy, divergence, clipped, violations, episodes, returned, lasted] = sumNumbers(
      group,
      shards.map(({ rollout }, own) => [
        ...readings[own],
        own === 0 ? actor.maskViolations : 0,
        rollout.episodeReturns.length,
        total(rollout.episodeReturns),
        total(rollout.episodeLengths),
      ]),
    )
    means.add('entropy', entropy, living)
    means.add('approximateKl', divergence, living)
    means.add('clipFraction', clipped, living)
    return {
      steps: this.steps,
      updates: this.parts.count.updates + 1,
      ...means.all(),
      explainedVariance: seen.explainedVariance,
      valueError: seen.error,
      learningRate: settings.lr * fraction,
      maskViolations: violations,
      episodes,
      ...(episodes === 0 ? {} : { sampledReturn: returned / episodes, episodeLength: lasted / episodes }),
    }
  }

  /**
   * What the minibatches of this epoch hold, over all shards: living rows, rows that count in the value loss, and number,
   * sum and sum of squares of returns. One exchange per epoch, so that a minibatch needs only one more.
   * @returns [minibatches, 5]
   */
  private count(size: number): Float64Array {
    const { shards, settings, group } = this
    const { rows } = shards[0]
    const width = 5 * Math.ceil(rows / size)
    const counts = shards.map(({ order, alive, returns }) => {
      const out = new Float64Array(width)
      for (let i = 0; i < rows; i++) {
        const at = 5 * Math.floor(i / size)
        const target = returns[order[i]]
        out[at] += alive[order[i]]
        out[at + 1] += settings.valueOfDead ? 1 : alive[order[i]]
        out[at + 2]++
        out[at + 3] += target
        out[at + 4] += target * target
      }
      return out
    })
    const totals = new Float64Array(width)
    group.sum(counts, totals)
    return totals
  }

  /** One step of both networks along the gradient of all shards. */
  private step(fraction: number, means: Means): void {
    const { actor, critic, gradient, settings } = this
    const split = actor.net.values.length
    const end = split + critic.values.length
    actor.net.gradient.set(gradient.subarray(0, split))
    critic.gradient.set(gradient.subarray(split, end))
    const [policyLoss, valueLoss] = gradient.subarray(end)
    requireFinite('ippo', 'gradient', actor.net, actor.net.gradient, this.steps, policyLoss)
    requireFinite('ippo', 'gradient', critic, critic.gradient, this.steps, valueLoss)
    means.add('actorGradientNorm', clipNorm(actor.net.gradient, settings.gradientNorm))
    means.add('criticGradientNorm', clipNorm(critic.gradient, settings.gradientNorm))
    this.actorAdam.step(actor.net.values, actor.net.gradient, settings.lr * fraction)
    this.criticAdam.step(critic.values, critic.gradient, settings.criticLr * fraction)
    actor.net.changed()
    critic.changed()
    means.add('policyLoss', policyLoss)
    means.add('valueLoss', valueLoss)
  }

  /**
   * A shard's part of −loss = mean over the living of min(rho A, clip(rho) A) + c H.
   * @param living of the whole minibatch, all shards
   * @param out the shard's gradients and losses; the actor's are written
   * @param readings sums of entropy, divergence and clipped rows; added to
   */
  private actorGradient(shard: Shard, part: Int32Array, living: number, out: Float32Array, readings: number[]): void {
    const { actor, settings } = this
    const { rollout } = shard
    const { sizes } = actor
    const rows = part.length
    const A = actor.net.shape.outputs
    const D = sizes.length
    const input = new Float32Array(rows * actor.inputs)
    const mask = new Uint8Array(rows * A)
    const action = new Int32Array(rows * D)
    const columns = new Float32Array(3 * rows) // log-probability when played, advantage, alive
    for (let k = 0; k < rows; k++) {
      const row = part[k]
      actor.writeInput(rollout.observation, row, row % rollout.agents, input, k)
      for (let a = 0; a < A; a++) mask[k * A + a] = rollout.mask[row * A + a]
      for (let d = 0; d < D; d++) action[k * D + d] = rollout.action[row * D + d]
      columns[k] = rollout.logProbability[row]
      columns[rows + k] = shard.advantage[row]
      columns[2 * rows + k] = rollout.alive[row]
    }

    const { loss, readings: read } = actor.net.differentiate((net) => {
      const logits = net.forward(tensor2(input, rows))
      const { logProbability: played, entropy } = judgeChoices(logits, mask, action, sizes)
      const [before, advantage, alive] = tf.unstack(tf.tensor2d(columns, [3, rows])) as tf.Tensor1D[]
      const change = tf.sub(played, before)
      const ratio = tf.exp(change)
      net.read('change', change)
      net.read('entropy', entropy)
      const gain = tf.add(clippedObjective(ratio, advantage, settings.clip), tf.mul(settings.entropy, entropy))
      return tf.neg(shareOfMean(gain, alive, living)) as tf.Scalar
    })
    out.set(actor.net.gradient)
    out[out.length - 2] = loss
    for (let k = 0; k < rows; k++) {
      if (columns[2 * rows + k] === 0) continue
      const ratio = Math.exp(read.change[k])
      readings[0] += read.entropy[k]
      readings[1] += ratio - 1 - read.change[k] // Schulman's k3 estimate of KL(old, new), never negative
      if (Math.abs(ratio - 1) > settings.clip) readings[2]++
    }
  }

  /**
   * A shard's part of the clipped value loss; the normaliser has seen the raw returns already.
   * @param total rows of the whole minibatch that count, all shards
   * @param out the shard's gradients and losses; the critic's are written
   */
  private criticGradient({ rollout, value, returns }: Shard, part: Int32Array, total: number, out: Float32Array): void {
    const { critic, actor, settings, norm } = this
    const rows = part.length
    const input = new Float32Array(rows * actor.inputs)
    const columns = new Float32Array(3 * rows) // old value, target, weight
    for (let k = 0; k < rows; k++) {
      const row = part[k]
      this.writeCriticInput(rollout, row, input, k)
      columns[k] = value[row]
      columns[rows + k] = norm?.normalise(returns[row]) ?? returns[row]
      columns[2 * rows + k] = settings.valueOfDead ? 1 : rollout.alive[row]
    }
    const { loss } = critic.differentiate((net) => {
      const estimate = tf.reshape(net.forward(tensor2(input, rows)), [rows])
      const [old, target, weight] = tf.unstack(tf.tensor2d(columns, [3, rows]))
      const error = clippedValueLoss(estimate, old, target, settings.valueClip, settings.huberDelta)
      return shareOfMean(error, weight, total)
    })
    out.set(critic.gradient, this.actor.net.values.length)
    out[out.length - 1] = loss
  }

  // --- policy, save, load --------------------------------------------------------------------------------------------

  policy(mode: PlayMode): Policy {
    return this.actor.policy('ippo', mode)
  }

  values(batch: EnvBatch, out: Float32Array): void {
    const view = new SeatView(batch, this.shards[0].collector.agents)
    view.look()
    out.set(this.criticOutputs({ observation: view.observation, alive: view.alive }, out.length))
    this.norm?.denormaliseAll(out)
  }

  save(): Checkpoint {
    this.begin()
    return saveLearner(this.parts)
  }

  load(checkpoint: Checkpoint): void {
    loadLearner(this.parts, checkpoint)
    this.started = true
  }

  dispose(): void {
    this.actor.net.dispose()
    this.critic.dispose()
  }
}

function tensor2(values: Float32Array, rows: number): tf.Tensor2D {
  return tf.tensor2d(values, [rows, values.length / rows])
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

/** [T, B] 1 where an episode ended, for whatever reason. */
function ended({ terminated, truncated }: Rollout): Uint8Array {
  return terminated.map((end, i) => end | truncated[i])
}

/** Defaults filled in. */
function effectiveSettings(spec: EnvSpec, given: unknown, agents = spec.agents.length): Effective {
  const settings = withDefaults(IPPO_SETTINGS, given ?? {}, 'ippo settings')
  const { lanes, rolloutSteps, minibatches } = settings
  return { ...settings, shards: settings.shards ?? defaultShards(lanes, (lanes * rolloutSteps * agents) / minibatches) }
}

function newCritic(inputs: number, settings: IppoSettings, rng: Generator): Mlp {
  const { hidden, layers, activation } = settings
  return new Mlp({ name: 'critic', inputs, outputs: 1, hidden, layers, activation, outputGain: 1 }, rng)
}

export const ippo: LearnerDefinition = {
  name: 'ippo',
  paper: 'de Witt et al. 2020, arXiv 2011.09533',
  summary: 'Independent PPO: actors and critics see their own observation only; networks are shared.',
  settings: IPPO_SETTINGS,
  create: (request) => new Ippo(request),
  shards: (spec, settings, agents) => effectiveSettings(spec, settings, agents).shards,
  policy(spec, checkpoint, mode) {
    const { settings, agents } = readState(checkpoint, 'ippo')
    const actor = new SharedActor(spec, agents, settings as IppoSettings, new Generator(namedSeed(0, 'overwritten')))
    loadNetwork(actor.net, checkpoint, 'ippo: checkpoint')
    return { ...actor.policy('ippo', mode), dispose: () => actor.net.dispose() }
  },
}
