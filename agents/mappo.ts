/**
 * MAPPO: PPO for teams, with a critic that sees the whole world while it learns and actors that do not.
 *
 * Yu et al. 2022, "The Surprising Effectiveness of PPO in Cooperative Multi-Agent Games" (arXiv 2103.01955);
 * reference code marlbenchmark/on-policy at de66d7a. Differences from it are listed in agents/README.md.
 *
 * Read on: settings, losses, what the critic sees, acting, updating.
 */
import { Type, type Static } from '@sinclair/typebox'
import { Generator, TroupeError, namedSeed, withDefaults, type EnvBatch, type EnvSpec } from '../envs/core/index.ts'
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
import { Means, mean } from './core/metrics.ts'
import { Mlp } from './core/networks.ts'
import { ValueNorm, explainedVariance, normaliseAdvantages } from './core/normalise.ts'
import { Adam, clipNorm } from './core/optimiser.ts'
import { type ActionBatch, type AgentView, type Policy } from './core/policy.ts'
import { Collector, Rollout, SeatView } from './core/rollout.ts'
import { real, whole, yes } from './core/settings.ts'
import { tf } from './core/tensors.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings. "ref" is the default of the reference code; where ours differs, the README says what was measured.

export const MAPPO_SETTINGS = Type.Object(
  {
    lanes: whole(16, 1, 1 << 16, 'Parallel episodes in training.'),
    rolloutSteps: whole(64, 1, 1 << 16, 'Environment steps per lane between updates.'),
    hidden: whole(64, 1, 4096, 'Width of the hidden layers of actor and critic; ref 64.'),
    layers: whole(2, 1, 8, 'Hidden layers.'),
    activation: Type.Union([Type.Literal('relu'), Type.Literal('tanh')], { default: 'relu', description: 'ref relu.' }),
    outputGain: real(0.01, 0, 10, 'Orthogonal gain of the actor’s last layer: nearly uniform at first; ref .01.'),
    agentId: yes('Append a one-hot agent id to the inputs of actor and critic (shared parameters).'),
    criticInput: Type.Union([Type.Literal('state'), Type.Literal('state+observation'), Type.Literal('observations')], {
      default: 'state',
      description:
        'What the critic sees: the global state; that and the agent’s own observation; or all observations side by ' +
        'side, which is also what happens where the environment has no global state.',
    }),
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

export type MappoSettings = Static<typeof MAPPO_SETTINGS>

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

/** Mean over the rows with weight: sum(x w) / sum(w), zero when nobody counts. */
export function weightedMean(x: tf.Tensor, weight: tf.Tensor): tf.Scalar {
  return tf.div(tf.sum(tf.mul(x, weight)), tf.maximum(tf.sum(weight), 1)) as tf.Scalar
}

// ---------------------------------------------------------------------------------------------------------------------
// What the critic sees.

interface CriticRows {
  readonly observation: Float32Array // [rows of lanes, n, F]
  readonly state: Float32Array // [rows of lanes, S]
  readonly alive: Uint8Array // [rows of lanes, n]
}

/** Writes the central critic's inputs: one row per agent; a dead agent's is zeros and its id. */
class CriticInput {
  readonly width: number
  private readonly F: number
  private readonly S: number
  private readonly n: number
  private readonly kind: MappoSettings['criticInput']
  private readonly agentId: boolean

  constructor(spec: EnvSpec, agents: number, settings: MappoSettings) {
    this.F = spec.observationSize
    this.S = spec.stateSize
    this.n = agents
    this.kind = settings.criticInput
    this.agentId = settings.agentId
    const world = { state: this.S, 'state+observation': this.S + this.F, observations: agents * this.F }[this.kind]
    this.width = world + (this.agentId ? agents : 0)
  }

  /** @param row number of the agent's row: row of the lane times n, plus agent @param at row of `out` to write */
  write(rows: CriticRows, row: number, out: Float32Array, at: number): void {
    const { width, n, F, S, kind } = this
    const agent = row % n
    const lane = (row - agent) / n
    const to = at * width
    out.fill(0, to, to + width)
    if (this.agentId) out[to + width - n + agent] = 1
    if (rows.alive[row] === 0) return
    if (kind === 'observations') {
      for (let i = 0; i < n * F; i++) out[to + i] = rows.observation[lane * n * F + i]
      return
    }
    for (let i = 0; i < S; i++) out[to + i] = rows.state[lane * S + i]
    if (kind === 'state') return
    for (let i = 0; i < F; i++) out[to + S + i] = rows.observation[row * F + i]
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The learner.

class Mappo implements Learner {
  readonly settings: MappoSettings
  readonly stepsPerUpdate: number
  private readonly collector: Collector
  private readonly rollout: Rollout
  private readonly actor: SharedActor
  private readonly actorAdam: Adam
  private readonly critic: Mlp
  private readonly criticAdam: Adam
  private readonly criticInput: CriticInput
  private readonly norm: ValueNorm | undefined
  private readonly parts: LearnerParts
  private readonly sampling: Generator
  private readonly shuffling: Generator
  private readonly slots: Int32Array // [n] 0, 1, 2 …
  // Columns made from the rollout, [T, B, n] unless said otherwise.
  private readonly value: Float32Array // [T + 1, B, n] in the critic's units
  private readonly advantage: Float32Array
  private readonly returns: Float32Array
  private started = false

  constructor(request: LearnerRequest) {
    const { batch, seed } = request
    const { spec } = batch
    this.settings = effectiveSettings(spec, request.settings)
    const { settings } = this
    requireChoices(spec, 'mappo')
    if (batch.lanes !== settings.lanes) {
      throw new TroupeError('bad-usage', {
        where: 'mappo: lanes of the training batch',
        got: String(batch.lanes),
        expected: `${settings.lanes}, as the settings say`,
      })
    }
    this.collector = new Collector(batch, 'mappo', request.teamReward, request.agents, request.others)
    const n = this.collector.agents.length
    const rows = settings.lanes * n
    this.stepsPerUpdate = settings.rolloutSteps * settings.lanes
    this.rollout = new Rollout(spec, settings.rolloutSteps, settings.lanes, n)
    const ids = [...this.collector.agents].map((agent) => spec.agents[agent].id)
    this.actor = new SharedActor(spec, ids, settings, new Generator(namedSeed(seed, 'mappo: actor weights')))
    this.criticInput = new CriticInput(spec, n, settings)
    this.critic = newCritic(this.criticInput.width, settings, new Generator(namedSeed(seed, 'mappo: critic weights')))
    this.actorAdam = new Adam(this.actor.net.values.length)
    this.criticAdam = new Adam(this.critic.values.length)
    this.norm = settings.valueNorm ? new ValueNorm(settings.valueNormBeta) : undefined
    this.sampling = new Generator(namedSeed(seed, 'mappo: actions'))
    this.shuffling = new Generator(namedSeed(seed, 'mappo: shuffles'))
    this.slots = Int32Array.from(ids.keys())
    this.value = new Float32Array((settings.rolloutSteps + 1) * rows)
    this.advantage = new Float32Array(settings.rolloutSteps * rows)
    this.returns = new Float32Array(settings.rolloutSteps * rows)
    this.parts = {
      algorithm: 'mappo',
      settings,
      batch,
      agents: ids,
      networks: [
        { net: this.actor.net, adam: this.actorAdam },
        { net: this.critic, adam: this.criticAdam },
      ],
      generators: { sampling: this.sampling, shuffling: this.shuffling },
      normalisers: this.norm === undefined ? {} : { value: this.norm },
      count: { steps: 0, updates: 0 },
    }
  }

  get steps(): number {
    return this.parts.count.steps
  }

  // --- act -----------------------------------------------------------------------------------------------------------

  collectAndUpdate(): Metrics {
    const { rollout, parts } = this
    if (!this.started) this.collector.batch.reset()
    this.started = true
    this.collector.collect(rollout, (view, out) => this.act(view, out), this.sampling)
    parts.count.steps += this.stepsPerUpdate
    this.estimate()
    const metrics = this.update()
    parts.count.updates++
    return metrics
  }

  private act(view: AgentView, out: ActionBatch): void {
    this.actor.choose(view, this.slots, out, () => this.sampling)
  }

  /** The critic's raw outputs for rows of lanes × agents, in its own units. */
  private criticOutputs(rows: CriticRows, count: number): Float32Array {
    const input = new Float32Array(count * this.criticInput.width)
    for (let row = 0; row < count; row++) this.criticInput.write(rows, row, input, row)
    return this.critic.infer(input, count)[0]
  }

  /** Fills `value`, `advantage` and `returns`: values in reward units go into GAE, the critic's own units stay in `value`. */
  private estimate(): void {
    const { rollout, settings, value } = this
    const { steps, lanes, agents, cuts } = rollout
    value.set(this.criticOutputs(rollout, value.length))
    const real = value.slice()
    const final: CriticRows = {
      observation: rollout.finalObservation,
      state: rollout.finalState,
      alive: rollout.finalAlive,
    }
    const cutValue = cuts.length === 0 ? new Float32Array(0) : this.criticOutputs(final, cuts.length * agents).slice()
    this.norm?.denormaliseAll(real)
    this.norm?.denormaliseAll(cutValue)
    const next = new Float32Array(this.returns.length)
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
      this.advantage,
      this.returns,
    )
  }

  // --- update --------------------------------------------------------------------------------------------------------

  private update(): Metrics {
    const { settings, rollout, advantage, returns, actor, critic, norm } = this
    const rows = returns.length
    const real = this.value.slice(0, rows)
    norm?.denormaliseAll(real)
    const explained = explainedVariance(real, returns)
    const error = Math.sqrt(returns.reduce((sum, target, i) => sum + (target - real[i]) ** 2, 0) / rows)
    const alive = rollout.alive.subarray(0, rows)
    if (settings.advantageNorm) normaliseAdvantages(advantage, alive)

    const fraction =
      settings.lrSchedule === 'linear' && settings.scheduleSteps !== null
        ? Math.max(0, 1 - (this.steps - this.stepsPerUpdate) / settings.scheduleSteps)
        : 1
    const means = new Means()
    const order = Int32Array.from({ length: rows }, (_, row) => row)
    const size = Math.ceil(rows / settings.minibatches)
    for (let epoch = 0; epoch < settings.epochs; epoch++) {
      if (settings.minibatches > 1) this.shuffling.shuffle(order)
      for (let from = 0; from < rows; from += size) {
        const part = order.subarray(from, Math.min(from + size, rows))
        this.updateActor(part, settings.lr * fraction, means)
        this.updateCritic(part, settings.criticLr * fraction, means)
      }
    }
    requireFinite('mappo', 'weights', actor.net, actor.net.values, this.steps)
    requireFinite('mappo', 'weights', critic, critic.values, this.steps)
    const episodes = rollout.episodeReturns.length
    return {
      steps: this.steps,
      updates: this.parts.count.updates + 1,
      ...means.all(),
      explainedVariance: explained,
      valueError: error,
      learningRate: settings.lr * fraction,
      maskViolations: actor.maskViolations,
      episodes,
      ...(episodes === 0 ? {} : { sampledReturn: mean(rollout.episodeReturns) }),
      ...(episodes === 0 ? {} : { episodeLength: mean(rollout.episodeLengths) }),
    }
  }

  /** One step uphill on −loss = mean over the living of min(rho A, clip(rho) A) + c H. */
  private updateActor(part: Int32Array, lr: number, means: Means): void {
    const { actor, rollout, settings } = this
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
      columns[rows + k] = this.advantage[row]
      columns[2 * rows + k] = rollout.alive[row]
    }

    const { loss, readings } = actor.net.differentiate((net) => {
      const logits = net.forward(tensor2(input, rows))
      const { logProbability: played, entropy } = judgeChoices(logits, mask, action, sizes)
      const [before, advantage, alive] = tf.unstack(tf.tensor2d(columns, [3, rows])) as tf.Tensor1D[]
      const change = tf.sub(played, before)
      const ratio = tf.exp(change)
      net.read('change', change)
      net.read('entropy', entropy)
      const gain = tf.add(clippedObjective(ratio, advantage, settings.clip), tf.mul(settings.entropy, entropy))
      return tf.neg(weightedMean(gain, alive)) as tf.Scalar
    })
    requireFinite('mappo', 'gradient', actor.net, actor.net.gradient, this.steps, loss)
    means.add('actorGradientNorm', clipNorm(actor.net.gradient, settings.gradientNorm))
    this.actorAdam.step(actor.net.values, actor.net.gradient, lr)
    actor.net.changed()

    means.add('policyLoss', loss)
    let living = 0
    let entropy = 0
    let divergence = 0
    let clipped = 0
    for (let k = 0; k < rows; k++) {
      if (columns[2 * rows + k] === 0) continue
      living++
      entropy += readings.entropy[k]
      const ratio = Math.exp(readings.change[k])
      divergence += ratio - 1 - readings.change[k] // Schulman's k3 estimate of KL(old, new), never negative
      if (Math.abs(ratio - 1) > settings.clip) clipped++
    }
    means.add('entropy', entropy, living)
    means.add('approximateKl', divergence, living)
    means.add('clipFraction', clipped, living)
  }

  /** One step downhill on the clipped value loss; the normaliser sees the raw returns first. */
  private updateCritic(part: Int32Array, lr: number, means: Means): void {
    const { critic, criticInput, rollout, settings, norm, returns } = this
    const rows = part.length
    norm?.update(returns, part)
    const input = new Float32Array(rows * criticInput.width)
    const columns = new Float32Array(3 * rows) // old value, target, weight
    for (let k = 0; k < rows; k++) {
      const row = part[k]
      criticInput.write(rollout, row, input, k)
      columns[k] = this.value[row]
      columns[rows + k] = norm?.normalise(returns[row]) ?? returns[row]
      columns[2 * rows + k] = settings.valueOfDead ? 1 : rollout.alive[row]
    }
    const { loss } = critic.differentiate((net) => {
      const value = tf.reshape(net.forward(tensor2(input, rows)), [rows])
      const [old, target, weight] = tf.unstack(tf.tensor2d(columns, [3, rows]))
      return weightedMean(clippedValueLoss(value, old, target, settings.valueClip, settings.huberDelta), weight)
    })
    requireFinite('mappo', 'gradient', critic, critic.gradient, this.steps, loss)
    means.add('criticGradientNorm', clipNorm(critic.gradient, settings.gradientNorm))
    this.criticAdam.step(critic.values, critic.gradient, lr)
    critic.changed()
    means.add('valueLoss', loss)
  }

  // --- policy, save, load --------------------------------------------------------------------------------------------

  policy(mode: PlayMode): Policy {
    return this.actor.policy('mappo', mode)
  }

  values(batch: EnvBatch, out: Float32Array): void {
    const view = new SeatView(batch, this.collector.agents)
    view.look()
    out.set(this.criticOutputs({ observation: view.observation, state: batch.state, alive: view.alive }, out.length))
    this.norm?.denormaliseAll(out)
  }

  save(): Checkpoint {
    if (!this.started) this.collector.batch.reset()
    this.started = true
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

/** [T, B] 1 where an episode ended, for whatever reason. */
function ended({ terminated, truncated }: Rollout): Uint8Array {
  return terminated.map((end, i) => end | truncated[i])
}

/** Defaults filled in; without a global state the critic gets all observations, and the settings say so. */
function effectiveSettings(spec: EnvSpec, given: unknown): MappoSettings {
  const settings = withDefaults(MAPPO_SETTINGS, given ?? {}, 'mappo settings')
  if (spec.stateSize > 0 || settings.criticInput === 'observations') return settings
  return { ...settings, criticInput: 'observations' }
}

function newCritic(inputs: number, settings: MappoSettings, rng: Generator): Mlp {
  const { hidden, layers, activation } = settings
  return new Mlp({ name: 'critic', inputs, outputs: 1, hidden, layers, activation, outputGain: 1 }, rng)
}

export const mappo: LearnerDefinition = {
  name: 'mappo',
  paper: 'Yu et al. 2022, arXiv 2103.01955',
  summary: 'PPO for teams: shared actors that see their own observation, a central critic that sees the state.',
  settings: MAPPO_SETTINGS,
  create: (request) => new Mappo(request),
  policy(spec, checkpoint, mode) {
    const { settings, agents } = readState(checkpoint, 'mappo')
    const actor = new SharedActor(spec, agents, settings as MappoSettings, new Generator(namedSeed(0, 'overwritten')))
    loadNetwork(actor.net, checkpoint, 'mappo: checkpoint')
    return { ...actor.policy('mappo', mode), dispose: () => actor.net.dispose() }
  },
}
