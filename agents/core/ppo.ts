/**
 * Proximal policy optimisation for several agents with shared networks: what MAPPO and IPPO have in common, which is all
 * but what the critic sees.
 *
 * Schulman et al. 2017 (arXiv 1707.06347); details as in marlbenchmark/on-policy at de66d7a. Differences from it are listed
 * in agents/README.md. Read on: settings, losses, the learner (acting, updating).
 */
import { Type, type Static, type TObject, type TProperties } from '@sinclair/typebox'
import { Generator, namedSeed, type EnvBatch, type EnvSpec } from '../../envs/core/index.ts'
import { clippedPolicyLoss, clippedValueLoss, fusedAdam, type PolicyReadings } from '../kernels/index.ts'
import { SharedActor, type Memory } from './actor.ts'
import { type Checkpoint } from './checkpoint.ts'
import { Critic } from './critic.ts'
import { type Inputs, type Uploaded } from './inputs.ts'
import {
  loadLearner,
  loadNetwork,
  readState,
  requireFinite,
  saveLearner,
  type Learner,
  type LearnerParts,
  type LearnerRequest,
  type Metrics,
  type PlayMode,
} from './learner.ts'
import { Means } from './metrics.ts'
import { foresight, normaliseAdvantages } from './normalise.ts'
import {
  Descent,
  chunkSteps,
  episodesEnded,
  estimate,
  minibatches,
  openShards,
  play,
  scheduled,
  type Minibatch,
} from './onpolicy.ts'
import { type Policy, type PolicyMemory } from './policy.ts'
import { real, whole, yes } from './settings.ts'
import { alone, defaultShards, requestSpec, sumNumbers, type Part, type Shard, type ShardGroup } from './shards.ts'
import { tf } from './tensors.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings. "ref" is the default of the reference code; where ours differs, the README says what was measured.

const NETWORKS = [Type.Literal('mlp'), Type.Literal('gru')]

/** The settings that all PPO learners have, as properties of their schema. */
export const PPO_SETTINGS = {
  lanes: whole(16, 1, 1 << 16, 'Parallel episodes in training.'),
  shards: Type.Union([Type.Integer({ minimum: 1, maximum: 1024 }), Type.Null()], {
    default: null,
    description: 'Parts of the lanes that workers can share; fixed, for it decides the order of sums. null = by size.',
  }),
  rolloutSteps: whole(64, 1, 1 << 16, 'Environment steps per lane between updates.'),
  hidden: whole(64, 1, 4096, 'Width of the hidden layers of actor and critic; ref 64.'),
  layers: whole(2, 1, 8, 'Hidden layers.'),
  activation: Type.Union([Type.Literal('relu'), Type.Literal('tanh')], { default: 'relu', description: 'ref relu.' }),
  network: Type.Union(NETWORKS, {
    default: 'mlp',
    description: 'The actor. gru: remembers, with a GRU between the hidden layers and the last; ref gru.',
  }),
  criticNetwork: Type.Union(NETWORKS, { default: 'mlp', description: 'The same of the critic; ref gru.' }),
  chunk: Type.Union([Type.Integer({ minimum: 1, maximum: 1 << 16 }), Type.Null()], {
    default: null,
    description:
      'Steps of back-propagation through time in a gru, a divisor of rolloutSteps; ref 10. null = the largest up to 16.',
  }),
  outputGain: real(0.01, 0, 10, 'Orthogonal gain of the actor’s last layer: nearly uniform at first; ref .01.'),
  deviation: real(
    0.5,
    1e-6,
    10,
    'Of real-valued actions at first, one learned number per dimension, in half of its range; ref 1 in raw units. Discrete: unused.',
  ),
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
  minibatches: whole(4, 1, 1024, 'Parts of a pass, drawn by shuffling rows (with a gru: chunks); ref 1.'),
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
} satisfies TProperties

export type PpoSettings = Static<TObject<typeof PPO_SETTINGS>>
/** With what follows from the world filled in. */
export type EffectivePpo<Settings extends PpoSettings = PpoSettings> = Settings & { readonly shards: number }

/** Fills in shards and chunk. @param agents how many learn */
export function effectivePpo<Settings extends PpoSettings>(
  who: string,
  settings: Settings,
  agents: number,
): EffectivePpo<Settings> {
  const { lanes, rolloutSteps } = settings
  const recurrent = settings.network === 'gru' || settings.criticNetwork === 'gru'
  const chunk = recurrent ? chunkSteps(who, settings.chunk, rolloutSteps) : settings.chunk
  const rows = (lanes * rolloutSteps * agents) / settings.minibatches
  return { ...settings, chunk, shards: settings.shards ?? defaultShards(lanes, rows) }
}

// ---------------------------------------------------------------------------------------------------------------------
// Losses; their formulas are in kernels/losses.ts. A dead agent weighs nothing in the actor's.

/** What a shard's rollout shows both networks, on the backend while it is learned from. */
export interface Shown {
  readonly actor: Uploaded
  readonly critic: Uploaded
}

/**
 * A shard's part of −mean over the living of min(rho A, clip(rho) A) + c H, differentiated.
 * @param living of the whole minibatch, all shards
 * @param gradient [P] overwritten
 * @param readings added to
 * @returns the loss
 */
export function actorGradient(
  actor: SharedActor,
  shard: Shard,
  { actor: shown }: Shown,
  part: Part,
  living: number,
  { clip, entropy: bonus }: { readonly clip: number; readonly entropy: number },
  gradient: Float32Array,
  readings: PolicyReadings,
): number {
  const { rollout } = shard
  const { net } = actor
  const { rows } = part
  const count = rows.length
  const [before, advantage, weight] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)]
  for (let k = 0; k < count; k++) {
    const row = rows[k]
    before[k] = rollout.logProbability[row]
    advantage[k] = shard.advantage[row]
    weight[k] = rollout.alive[row]
  }
  const sequences = shard.sequences('actor', part)
  const settings = { clip, entropy: bonus, total: Math.max(living, 1) }
  const input = shown.pick(rows)
  const { loss } = net.differentiate((trace) => {
    const { logProbability, entropy } = actor.judge(trace, rollout, rows, input, sequences)
    return clippedPolicyLoss(logProbability, entropy, { before, advantage, weight }, settings, readings)
  }, gradient)
  input.dispose()
  return loss
}

/**
 * A shard's part of the mean of the clipped value loss, differentiated; the normaliser has seen the raw returns already.
 * @param counted rows of the whole minibatch that count, all shards
 * @param gradient [P] overwritten
 * @returns the loss
 */
export function criticGradient(
  critic: Critic,
  shard: Shard,
  { critic: shown }: Shown,
  part: Part,
  counted: number,
  { valueOfDead, valueClip, huberDelta }: Pick<PpoSettings, 'valueOfDead' | 'valueClip' | 'huberDelta'>,
  gradient: Float32Array,
): number {
  const { rollout, value, returns } = shard
  const { rows } = part
  const count = rows.length
  const [before, target, weight] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)]
  for (let k = 0; k < count; k++) {
    const row = rows[k]
    before[k] = value[row]
    target[k] = returns[row]
    weight[k] = valueOfDead ? 1 : rollout.alive[row]
  }
  critic.norm?.normaliseAll(target)
  const sequences = shard.sequences('critic', part, critic.inputs.heads)
  const settings = { clip: valueClip, delta: huberDelta, total: Math.max(counted, 1) }
  const input = shown.pick(rows)
  const { loss } = critic.net.differentiate(({ forward }) => {
    const estimates = tf.reshape(forward(input, sequences), [count]) as tf.Tensor1D
    return clippedValueLoss(estimates, { before, target, weight }, settings)
  }, gradient)
  input.dispose()
  return loss
}

// ---------------------------------------------------------------------------------------------------------------------
// The learner.

/** What makes a PPO learner one of its kind. */
export interface PpoKind<Settings extends PpoSettings = PpoSettings> {
  readonly name: string
  readonly settings: EffectivePpo<Settings>
  /** What the critic sees of `agents` learning agents. */
  readonly criticInputs: Inputs
}

const ACTOR = 0
const CRITIC = 1

export class Ppo implements Learner {
  readonly settings: EffectivePpo
  readonly stepsPerUpdate: number
  private readonly name: string
  private readonly group: ShardGroup
  private readonly shards: readonly Shard[]
  private readonly actor: SharedActor
  private readonly critic: Critic
  private readonly descent: Descent
  private readonly parts: LearnerParts
  private readonly slots: Int32Array // [n] 0, 1, 2 …
  private started = false

  constructor(request: LearnerRequest, { name, settings, criticInputs }: PpoKind) {
    const { seed } = request
    const spec = requestSpec(request.batch)
    this.name = name
    this.settings = settings
    this.group = request.group ?? alone(settings.shards)
    const ids = learning(spec, request.agents)
    this.actor = new SharedActor(spec, ids, settings, new Generator(namedSeed(seed, `${name}: actor weights`)))
    this.critic = new Critic(
      criticInputs,
      ids.length,
      settings,
      new Generator(namedSeed(seed, `${name}: critic weights`)),
    )
    const { actor, critic } = this
    // Agents that the critic sees at one look stay in one minibatch; so do the steps of a chunk, if anything remembers.
    const grain = {
      chunk: actor.net.memory + critic.net.memory > 0 ? settings.chunk! : 1,
      together: criticInputs.heads,
    }
    this.shards = openShards(name, request, this.group, settings, grain, {
      actor: { width: actor.net.memory, heads: 1 },
      critic: { width: critic.net.memory, heads: criticInputs.heads },
    })
    this.stepsPerUpdate = settings.rolloutSteps * settings.lanes
    this.slots = Int32Array.from(ids.keys())
    const networks = [actor.net, critic.net].map((net) => ({
      net,
      // ε beside the root: 1e-5, as the reference has it.
      optimiser: fusedAdam(net.parameters, { lr: 0, epsilon: 1e-5, maxNorm: settings.gradientNorm }),
    }))
    this.descent = new Descent(name, this.group, this.shards.length, networks)
    this.parts = {
      algorithm: name,
      settings,
      group: this.group,
      shards: this.shards,
      agents: ids,
      networks,
      normalisers: critic.norm === undefined ? {} : { value: critic.norm },
      count: { steps: 0, updates: 0 },
    }
  }

  get steps(): number {
    return this.parts.count.steps
  }

  // --- act -----------------------------------------------------------------------------------------------------------

  collectAndUpdate(): Metrics {
    const { parts, shards, actor, critic, settings } = this
    this.begin()
    for (const shard of shards) {
      play(shard, actor, this.slots)
      estimate(shard, critic, settings)
    }
    const fraction = scheduled(settings, parts.count.steps)
    parts.count.steps += this.stepsPerUpdate
    const metrics = this.update(fraction)
    parts.count.updates++
    return metrics
  }

  private begin(): void {
    if (!this.started) for (const { collector } of this.shards) collector.batch.reset()
    this.started = true
  }

  // --- update --------------------------------------------------------------------------------------------------------

  /** @param fraction of the learning rates */
  private update(fraction: number): Metrics {
    const { settings, shards, group, actor, critic, descent } = this
    const seen = foresight(
      shards.map(({ value, returns, rows }) => {
        const estimates = value.slice(0, rows)
        critic.norm?.denormaliseAll(estimates)
        return { estimate: estimates, target: returns }
      }),
      group,
    )
    if (settings.advantageNorm) {
      normaliseAdvantages(
        shards.map(({ advantage, alive }) => ({ advantage, active: alive })),
        group,
      )
    }
    const means = new Means()
    const readings = shards.map((): PolicyReadings => ({ entropy: 0, divergence: 0, clipped: 0 }))
    const rates = [settings.lr * fraction, settings.criticLr * fraction]
    const shown = shards.map(({ rollout }): Shown => {
      const lanes = rollout.steps * rollout.lanes
      return { actor: actor.inputs.upload(rollout, lanes), critic: critic.inputs.upload(rollout, lanes) }
    })
    let living = 0
    for (const minibatch of minibatches(shards, group, settings)) {
      critic.norm?.take(...minibatch.returns)
      this.differentiate(minibatch, shown, readings)
      const [actorStep, criticStep] = descent.step(rates, this.steps)
      means.add('actorGradientNorm', actorStep.norm)
      means.add('criticGradientNorm', criticStep.norm)
      means.add('policyLoss', actorStep.loss)
      means.add('valueLoss', criticStep.loss)
      living += minibatch.living
    }
    for (const own of shown) for (const uploaded of [own.actor, own.critic]) uploaded.dispose()
    for (const { net } of this.parts.networks) requireFinite(this.name, 'weights', net, net.read(), this.steps)
    const [entropy, divergence, clipped, violations] = sumNumbers(
      group,
      readings.map((own, k) => [own.entropy, own.divergence, own.clipped, k === 0 ? actor.maskViolations : 0]),
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
      learningRate: rates[ACTOR],
      maskViolations: violations,
      ...episodesEnded(shards, group),
    }
  }

  /** Every own shard's part of both losses and their gradients. */
  private differentiate(
    { parts, living, counted }: Minibatch,
    shown: readonly Shown[],
    readings: readonly PolicyReadings[],
  ): void {
    const { shards, actor, critic, descent, settings } = this
    shards.forEach((shard, k) => {
      const gradient = (network: number) => descent.gradient(k, network)
      const policyLoss = actorGradient(actor, shard, shown[k], parts[k], living, settings, gradient(ACTOR), readings[k])
      const valueLoss = criticGradient(critic, shard, shown[k], parts[k], counted, settings, gradient(CRITIC))
      descent.loss(k, ACTOR, policyLoss)
      descent.loss(k, CRITIC, valueLoss)
    })
  }

  // --- policy, save, load --------------------------------------------------------------------------------------------

  policy(mode: PlayMode): Policy {
    return this.actor.policy(this.name, mode)
  }

  valueMemory(lanes: number): PolicyMemory {
    return this.critic.memory(lanes)
  }

  values(batch: EnvBatch, out: Float32Array, memory: PolicyMemory = null): void {
    this.critic.values(batch, this.shards[0].collector.agents, out, memory as Memory | null)
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
    for (const { net, optimiser } of this.parts.networks) {
      optimiser.dispose()
      net.dispose()
    }
  }
}

/** Ids of the agents that learn. */
function learning(spec: EnvSpec, agents: readonly number[] = [...spec.agents.keys()]): string[] {
  return agents.flatMap((agent) => spec.agents[agent]?.id ?? []) // one too many is refused by the collector
}

/** The policy inside a checkpoint of a PPO learner. */
export function ppoPolicy(name: string, spec: EnvSpec, checkpoint: Checkpoint, mode: PlayMode): Policy {
  const { settings, agents } = readState(checkpoint, name)
  const actor = new SharedActor(spec, agents, settings as PpoSettings, new Generator(namedSeed(0, 'overwritten')))
  loadNetwork(actor.net, checkpoint, `${name}: checkpoint`)
  return { ...actor.policy(name, mode), dispose: () => actor.net.dispose() }
}
