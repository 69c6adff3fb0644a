/**
 * What every on-policy learner with actors is, whatever it learns by: settings that all have, networks by group of agents,
 * normalisers, the order of an update, diagnostics, saving. A learner extends `ActorCritic` and says in `learn` what it makes of
 * the rollouts (ppo.ts, a2c.ts, ../coma.ts, ../seac.ts).
 */
import { Type, type Static, type TObject, type TProperties, type TSchema } from '#typebox'
import { Generator, TroupeError, namedSeed, type EnvBatch, type EnvSpec } from '../../envs/core/index.ts'
import { clippedValueLoss, fusedAdam, fusedRmsProp, type FusedOptimiser, type PolicyRows } from '../kernels/index.ts'
import { Actors, type Memory, type SharedActor } from './actor.ts'
import { type Checkpoint } from './checkpoint.ts'
import { Critics, type Critic, type Sights } from './critic.ts'
import { type Inputs, type Uploaded } from './inputs.ts'
import {
  loadLearner,
  loadNetwork,
  readState,
  requireFinite,
  saveLearner,
  type Kept,
  type Learner,
  type LearnerParts,
  type LearnerRequest,
  type Metrics,
  type PlayMode,
  type SavedPart,
} from './learner.ts'
import { type Network } from './networks.ts'
import {
  ObservationNorm,
  RunningMoments,
  foresight,
  normaliseAdvantages,
  normaliseAdvantagesPerAgent,
  sumsOf,
  type Foresight,
  type MomentsState,
} from './normalise.ts'
import { type Means } from './metrics.ts'
import { Descent, chunkSteps, episodesEnded, openShards, play, scheduled, type Stepped } from './onpolicy.ts'
import { type Policy, type PolicyMemory } from './policy.ts'
import { targetsMove, type ReturnSettings } from './returns.ts'
import { real, whole, yes } from './settings.ts'
import {
  alone,
  defaultShards,
  requestSpec,
  sumNumbers,
  type Part,
  type Remembered,
  type Shard,
  type ShardGroup,
} from './shards.ts'
import { SHARING, sharedBy, type Sharing } from './sharing.ts'
import { tf } from './tensors.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings. Defaults that differ from one learner to the next are its own: `withOwn`.

const NETWORKS = [Type.Literal('mlp'), Type.Literal('gru')]
const SCHEDULES = [Type.Literal('constant'), Type.Literal('linear')]

/** The settings that all learners with actors have, as properties of their schema. */
export const ACTOR_SETTINGS = {
  lanes: whole(16, 1, 1 << 16, 'Parallel episodes in training.'),
  shards: Type.Union([Type.Integer({ minimum: 1, maximum: 1024 }), Type.Null()], {
    default: null,
    description: 'Parts of the lanes that workers can share; fixed, for it decides the order of sums. null = by size.',
  }),
  rolloutSteps: whole(64, 1, 1 << 16, 'Environment steps per lane between updates.'),
  hidden: whole(64, 1, 4096, 'Width of the hidden layers of actor and critic.'),
  layers: whole(2, 1, 8, 'Hidden layers.'),
  activation: Type.Union([Type.Literal('relu'), Type.Literal('tanh')], { default: 'relu', description: 'ref relu.' }),
  network: Type.Union(NETWORKS, {
    default: 'mlp',
    description: 'The actor. gru: remembers, with a GRU between the hidden layers and the last.',
  }),
  chunk: Type.Union([Type.Integer({ minimum: 1, maximum: 1 << 16 }), Type.Null()], {
    default: null,
    description:
      'Steps of back-propagation through time in a gru, a divisor of rolloutSteps; ref 10. null = the largest up to 16.',
  }),
  outputGain: real(0.01, 0, 10, 'Orthogonal gain of the actor’s last layer: nearly uniform at first; ref .01.'),
  init: Type.Union([Type.Literal('orthogonal'), Type.Literal('uniform')], {
    default: 'orthogonal',
    description: 'First weights. uniform: within ± 1/√inputs, biases too, as torch does by default (EPyMARL).',
  }),
  deviation: real(
    0.5,
    1e-6,
    10,
    'Of real-valued actions at first, one learned number per dimension, in half of its range; ref 1 in raw units. Discrete: unused.',
  ),
  agentId: yes('Append a one-hot agent id to the inputs of shared networks.'),
  sharing: SHARING,
  lr: real(2e-3, 0, 1, 'Step size of the actor.'),
  lrSchedule: Type.Union(SCHEDULES, {
    default: 'constant',
    description: 'linear: step sizes fall to 0 at scheduleSteps.',
  }),
  scheduleSteps: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
    default: null,
    description: 'Environment steps (all lanes) at which schedules end; a run fills in its own length.',
  }),
  optimiser: Type.Union([Type.Literal('adam'), Type.Literal('rmsprop')], {
    default: 'adam',
    description: 'Of all networks; both as torch computes them (rmsprop: α .99, ε beside the root).',
  }),
  optimiserEpsilon: real(1e-5, 0, 1, 'Added to the root of the mean square; ref 1e-5.'),
  gradientNorm: real(10, 0, 1e9, 'Greatest gradient norm, each network by itself; ref 10.'),
  gamma: real(0.99, 0, 1, 'Discount per step.'),
  advantageNorm: yes('Advantages to mean 0, deviation 1 over the living rows of each rollout.'),
  advantageOver: Type.Union([Type.Literal('all'), Type.Literal('agent')], {
    default: 'all',
    description: 'Whether that is done over all agents together or for each by itself.',
  }),
  entropy: real(0.01, 0, 100, 'Weight of the entropy bonus; ref .01.'),
  entropySchedule: Type.Union(SCHEDULES, {
    default: 'constant',
    description: 'linear: the weight goes to entropyEnd at scheduleSteps.',
  }),
  entropyEnd: real(0, 0, 100, 'Weight of the entropy bonus at the end of a linear schedule.'),
  rewardScale: Type.Union([Type.Literal('none'), Type.Literal('deviation'), Type.Literal('standardise')], {
    default: 'none',
    description:
      'deviation: rewards are divided by their running deviation, per agent. standardise: the running mean is taken off ' +
      'too, as EPyMARL does, which changes what is optimal where the length of an episode depends on play.',
  }),
  observationNorm: Type.Boolean({
    default: false,
    description: 'Observations and states in units of their running deviation, held within ± 10.',
  }),
} satisfies TProperties

/** Of every critic that is not an actor’s twin. */
export const CRITIC_LAYERS = Type.Union([Type.Integer({ minimum: 1, maximum: 8 }), Type.Null()], {
  default: null,
  description: 'Hidden layers of the critic; null = layers. EPyMARL has 2 beside recurrent actors with 1.',
})

/** The settings of critics. */
export const CRITIC_SETTINGS = {
  criticNetwork: Type.Union(NETWORKS, { default: 'mlp', description: 'As network, of the critic.' }),
  criticHidden: Type.Union([Type.Integer({ minimum: 1, maximum: 4096 }), Type.Null()], {
    default: null,
    description: 'Width of the critic’s hidden layers; null = hidden.',
  }),
  criticLayers: CRITIC_LAYERS,
  criticLr: real(2e-3, 0, 1, 'Step size of the critic; ref as the actor.'),
  huberDelta: Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()], {
    default: 10,
    description: 'Value errors beyond this count linearly, in normalised units; null = squared error.',
  }),
  valueNorm: yes('Train the critic in normalised units (running statistics of raw returns).'),
  valueNormBeta: real(0.99999, 0, 0.9999999, 'Memory of these statistics per value-loss call; ref .99999.'),
  popArt: Type.Boolean({
    default: false,
    description: 'Rewrite the critic’s last layer when the statistics move, so that its estimates do not.',
  }),
  valueOfDead: yes('Dead agents count in the value loss, as in the SMAC results of the MAPPO reference.'),
  bootstrapTruncated: yes('A cut episode is worth something after the cut.'),
} satisfies TProperties

export type ActorOnlySettings = Static<TObject<typeof ACTOR_SETTINGS>>
export type CriticOnlySettings = Static<TObject<typeof CRITIC_SETTINGS>>
export type ActorCriticSettings = ActorOnlySettings & CriticOnlySettings
/** With what follows from the world filled in. */
export type Effective<Settings> = Settings & { readonly shards: number }

/** The same fields with defaults of a learner's own. */
export function withOwn<Fields extends TProperties>(
  fields: Fields,
  own: { readonly [Name in keyof Fields]?: unknown },
): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]): [string, TSchema] => [
      name,
      name in own ? { ...field, default: own[name as keyof Fields] } : field,
    ]),
  ) as Fields
}

/** Fills in shards and chunk. @param agents how many learn */
export function effectiveSettings<
  Settings extends ActorOnlySettings & Partial<CriticOnlySettings & ReturnSettings> & { minibatches?: number },
>(who: string, settings: Settings, agents: number): Effective<Settings> {
  const { lanes, rolloutSteps, minibatches = 1 } = settings
  if (settings.popArt === true && (settings.target ?? 'none') !== 'none') {
    throw new TroupeError('bad-option', {
      where: `${who} settings: popArt`,
      got: `true beside a ${settings.target} target`,
      expected: 'target none: a follower of rewritten weights would mix units',
    })
  }
  if (settings.popArt === true && settings.valueNorm === false) {
    throw new TroupeError('bad-option', {
      where: `${who} settings: popArt`,
      got: 'true without valueNorm',
      expected: 'valueNorm too: its statistics are what popArt holds outputs against',
    })
  }
  const recurrent = settings.network === 'gru' || settings.criticNetwork === 'gru'
  const chunk = recurrent ? chunkSteps(who, settings.chunk, rolloutSteps) : settings.chunk
  const rows = (lanes * rolloutSteps * agents) / minibatches
  return { ...settings, chunk, shards: settings.shards ?? defaultShards(lanes, rows) }
}

/** Settings that came later, as they were before there was a choice: checkpoints from then lack them. */
const LATER = {
  deviation: 0.5,
  init: 'orthogonal',
  sharing: 'full',
  optimiser: 'adam',
  optimiserEpsilon: 1e-5,
  advantageOver: 'all',
  entropySchedule: 'constant',
  entropyEnd: 0,
  rewardScale: 'none',
  observationNorm: false,
  criticHidden: null,
  criticLayers: null,
  popArt: false,
  nSteps: null,
  target: 'none',
  targetTau: 0.01,
  targetEvery: 200,
}

/** The entropy weight after so many steps. */
export function entropyWeight(
  { entropy, entropySchedule, entropyEnd, scheduleSteps }: ActorOnlySettings,
  steps: number,
): number {
  const fraction = scheduled({ lrSchedule: entropySchedule, scheduleSteps }, steps)
  return fraction === 1 ? entropy : entropyEnd + (entropy - entropyEnd) * fraction
}

// ---------------------------------------------------------------------------------------------------------------------
// Gradients over parts of rollouts.

/** What a shard's rollout shows the networks, on the backend while it is learned from. */
export interface Shown {
  /** By member. */
  readonly actors: readonly Uploaded[]
  readonly critics: readonly Uploaded[]
}

/** Uploads a rollout once for every way of looking at it. */
function uploaded(members: readonly { readonly inputs: Inputs }[], { rollout }: Shard): Uploaded[] {
  const made = new Map<string, Uploaded>()
  return members.map(({ inputs }) => {
    const key = JSON.stringify(inputs.layout)
    const found = made.get(key) ?? inputs.upload(rollout, rollout.steps * rollout.lanes)
    made.set(key, found)
    return found
  })
}

export function show(shard: Shard, actors: Actors, critics: Critics | undefined): Shown {
  return { actors: uploaded(actors.members, shard), critics: uploaded(critics?.members ?? [], shard) }
}

export function hide({ actors, critics }: Shown): void {
  for (const one of new Set([...actors, ...critics])) one.dispose()
}

/** What a policy's word on its choices is held against: rows of a part. */
export type ChosenRows = PolicyRows

/**
 * A shard's part of a policy loss, differentiated.
 * @param loss of log-probabilities and entropies, [rows] each
 * @param gradient [P] overwritten
 * @returns the loss
 */
export function policyGradient(
  actor: SharedActor,
  shard: Shard,
  shown: Uploaded,
  part: Part,
  loss: (logProbability: tf.Tensor1D, entropy: tf.Tensor1D, rows: ChosenRows) => tf.Scalar,
  gradient: Float32Array,
): number {
  const { rollout } = shard
  const { net } = actor
  const { rows } = part
  const count = rows.length
  if (count === 0) {
    gradient.fill(0)
    return 0
  }
  const [before, advantage, weight] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)]
  const { logProbability: said, alive } = rollout
  const { advantage: gained } = shard
  for (let k = 0; k < count; k++) {
    const row = rows[k]
    before[k] = said[row]
    advantage[k] = gained[row]
    weight[k] = alive[row]
  }
  const sequences = shard.sequences(net.shape.name, part)
  const input = shown.pick(rows)
  const found = net.differentiate((trace) => {
    const { logProbability, entropy } = actor.judge(trace, rollout, rows, input, sequences)
    return loss(logProbability, entropy, { before, advantage, weight })
  }, gradient)
  input.dispose()
  return found.loss
}

/**
 * A shard's part of the mean of the (clipped) value loss, differentiated; the normaliser has seen the raw returns already.
 * @param counted rows of the whole minibatch that count, all shards
 * @param gradient [P] overwritten
 * @returns the loss
 */
export function valueGradient(
  critic: Critic,
  shard: Shard,
  shown: Uploaded,
  part: Part,
  counted: number,
  settings: { readonly valueOfDead: boolean; readonly valueClip?: number | null; readonly huberDelta: number | null },
  gradient: Float32Array,
): number {
  const { valueOfDead, valueClip = null, huberDelta } = settings
  const { rollout, value, returns } = shard
  const { alive } = rollout
  const { rows } = part
  const count = rows.length
  if (count === 0) {
    gradient.fill(0)
    return 0
  }
  const [before, target, weight] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)]
  for (let k = 0; k < count; k++) {
    const row = rows[k]
    before[k] = value[row]
    target[k] = returns[row]
    weight[k] = valueOfDead ? 1 : alive[row]
  }
  critic.norm?.normaliseAll(target)
  const sequences = shard.sequences(critic.net.shape.name, part, critic.inputs.heads)
  const how = { clip: valueClip, delta: huberDelta, total: Math.max(counted, 1) }
  const input = shown.pick(rows)
  const found = critic.net.differentiate(({ forward }) => {
    const estimates = tf.reshape(forward(input, sequences), [count]) as tf.Tensor1D
    return clippedValueLoss(estimates, { before, target, weight }, how)
  }, gradient)
  input.dispose()
  return found.loss
}

// ---------------------------------------------------------------------------------------------------------------------
// The learner.

/** What makes a learner one of its kind. */
export interface ActorCriticKind<Settings> {
  readonly name: string
  readonly settings: Effective<Settings>
  /** What the critics see of the learning agents; left out = no critic. */
  readonly criticInputs?: Inputs
  /** Critics that follow the critics slowly, for targets. */
  readonly targets?: boolean
  /** Networks of other shapes: those that step with the critics, and those that follow others. Owned by the learner then. */
  readonly beside?: { readonly learn: readonly Network[]; readonly follow: readonly Network[] }
}

/** Schedules at the beginning of an update. */
export interface Pace {
  /** Of the learning rates, from 1 to 0. */
  readonly fraction: number
  /** Weight of the entropy bonus. */
  readonly entropy: number
}

export abstract class ActorCritic<Settings extends ActorOnlySettings = ActorOnlySettings> implements Learner {
  readonly settings: Effective<Settings>
  readonly stepsPerUpdate: number
  protected readonly name: string
  protected readonly group: ShardGroup
  protected readonly shards: readonly Shard[]
  protected readonly actors: Actors
  protected readonly critics: Critics | undefined
  protected readonly targets: Critics | undefined
  /** Steps actors, then critics. */
  protected readonly descent: Descent
  protected readonly parts: LearnerParts
  protected readonly slots: Int32Array // [n] 0, 1, 2 …
  private readonly rewards: RunningMoments | undefined
  private readonly sights: Sights | undefined
  private kept: Readonly<Record<string, Kept>> = {}
  private started = false

  constructor(
    request: LearnerRequest,
    { name, settings, criticInputs, targets = false, beside = { learn: [], follow: [] } }: ActorCriticKind<Settings>,
  ) {
    const { seed } = request
    const spec = requestSpec(request.batch)
    this.name = name
    this.settings = settings
    this.group = request.group ?? alone(settings.shards)
    const { agents = [...spec.agents.keys()] } = request
    const ids = agents.flatMap((agent) => spec.agents[agent]?.id ?? []) // one too many is refused by the collector
    const groups = sharedBy(settings.sharing, spec, ids)
    const draws = (what: string) => (member: number) =>
      new Generator(namedSeed(seed, `${name}: ${what}${member === 0 ? '' : ` ${member}`} weights`))
    this.sights = settings.observationNorm ? openSights(spec) : undefined
    this.actors = new Actors(spec, ids, groups, settings, draws('actor'), this.sights?.observation)
    const critic = settings as unknown as ActorCriticSettings
    const judging = groups.slice()
    if (criticInputs !== undefined && criticInputs.heads > 1) judging.fill(0) // one look for all
    const opened = (tensors: string) =>
      new Critics(criticInputs!, judging, critic, draws('critic'), this.sights, tensors)
    this.critics = criticInputs === undefined ? undefined : opened('critic')
    this.targets = criticInputs === undefined || !targets ? undefined : opened('target/critic')
    const judges = [...(this.critics?.members ?? []), ...(this.targets?.members ?? [])]
    const networks = [...this.actors.members, ...judges].map(({ net }) => net)
    // Agents that a critic sees at one look stay in one minibatch; so do the steps of a chunk, if anything remembers.
    const grain = {
      chunk: networks.some(({ memory }) => memory > 0) ? settings.chunk! : 1,
      together: criticInputs?.heads ?? 1,
    }
    this.shards = openShards(name, request, this.group, settings, grain, remembered(this.actors, judges))
    this.stepsPerUpdate = settings.rolloutSteps * settings.lanes
    this.slots = Int32Array.from(ids.keys())
    this.rewards = settings.rewardScale === 'none' ? undefined : new RunningMoments(ids.length)
    const { rewards, critics } = this
    if (rewards !== undefined && critics !== undefined) critics.unit = (slot) => rewards.deviation(slot)
    const critical = (critics?.members ?? []).map(({ net }) => net)
    const learning = [...this.actors.members.map(({ net }) => net), ...critical, ...beside.learn].map((net) => ({
      net,
      optimiser: this.optimiser(net),
    }))
    this.descent = new Descent(name, this.group, this.shards.length, learning)
    this.parts = {
      algorithm: name,
      settings,
      later: LATER,
      group: this.group,
      shards: this.shards,
      agents: ids,
      networks: learning,
      followers: [...(this.targets?.members ?? []).map(({ net }) => net), ...beside.follow],
      normalisers: {
        ...Object.fromEntries(
          (critics?.members ?? []).flatMap(({ norm }, g) =>
            norm === undefined ? [] : [[g === 0 ? 'value' : `value${g}`, norm]],
          ),
        ),
        ...(rewards === undefined ? {} : { reward: rewards }),
        ...(this.sights === undefined ? {} : { observation: this.sights.observation }),
        ...(this.sights?.state === undefined ? {} : { state: this.sights.state }),
      },
      count: { steps: 0, updates: 0 },
    }
    for (let g = 0; g < (this.targets?.members.length ?? 0); g++) this.follow(g, 1)
  }

  private optimiser(net: Network): FusedOptimiser {
    const { optimiser, optimiserEpsilon: epsilon, gradientNorm: maxNorm } = this.settings
    const settings = { lr: 0, epsilon, maxNorm }
    return optimiser === 'adam' ? fusedAdam(net.parameters, settings) : fusedRmsProp(net.parameters, settings)
  }

  get steps(): number {
    return this.parts.count.steps
  }

  // --- an update -----------------------------------------------------------------------------------------------------

  collectAndUpdate(): Metrics {
    const { parts, shards, settings } = this
    this.begin()
    for (const shard of shards) this.play(shard)
    const sums = this.normaliseRollouts()
    const { steps } = parts.count
    const pace = { fraction: scheduled(settings, steps), entropy: entropyWeight(settings, steps) }
    parts.count.steps += this.stepsPerUpdate
    const learned = this.learn(pace)
    this.sights?.observation.take(sums.observation, this.group)
    this.sights?.state?.take(sums.state, this.group)
    parts.count.updates++
    for (const { net } of parts.networks) requireFinite(this.name, 'weights', net, net.read(), this.steps)
    return {
      steps: this.steps,
      updates: parts.count.updates,
      ...learned,
      learningRate: settings.lr * pace.fraction,
      entropyWeight: pace.entropy,
      maskViolations: this.violations(),
      ...episodesEnded(shards, this.group),
    }
  }

  private begin(): void {
    if (!this.started) for (const { collector } of this.shards) collector.batch.reset()
    this.started = true
  }

  protected play(shard: Shard): void {
    play(shard, this.actors, this.slots)
  }

  /** Brings rewards, observations and states of the rollouts into normalised units. */
  private normaliseRollouts(): { observation: Float64Array[]; state: Float64Array[] } {
    const { shards, group, rewards, sights, settings } = this
    if (rewards !== undefined) {
      const { columns } = rewards
      rewards.take(
        shards.map(({ rollout }) => sumsOf(rollout.reward, columns)),
        group,
      )
      const scale = Array.from({ length: columns }, (_, k) => 1 / rewards.deviation(k))
      const centre = rewards.state.mean.map((mean) => (settings.rewardScale === 'standardise' ? mean : 0))
      for (const { rollout } of shards) {
        const { reward } = rollout
        for (let i = 0; i < reward.length; i++) reward[i] = (reward[i] - centre[i % columns]) * scale[i % columns]
      }
    }
    if (sights === undefined) return { observation: [], state: [] }
    // What the actors saw was normalised by the statistics up to this rollout; so is what is learned from.
    const sums = shards.map(({ rollout, alive }) => {
      const { observation, state, finalObservation, finalState, steps, lanes } = rollout
      const before = (rows: Float32Array) => rows.subarray(0, (rows.length / (steps + 1)) * steps)
      const seen = {
        observation: sumsOf(before(observation), sights.observation.columns, alive),
        state: sights.state === undefined ? new Float64Array(0) : sumsOf(before(state), sights.state.columns),
      }
      for (const rows of [observation, finalObservation]) sights.observation.apply(rows, rows)
      if (sights.state !== undefined && lanes > 0) {
        for (const rows of [state, finalState]) sights.state.apply(rows, rows)
      }
      return seen
    })
    return { observation: sums.map((one) => one.observation), state: sums.map((one) => one.state) }
  }

  /** Learns from the rollouts in the shards; says how it went. */
  protected abstract learn(pace: Pace): Metrics

  /** How well the critics foresaw the returns; before their statistics move. */
  protected foresight(): Foresight {
    const { shards, group, critics } = this
    return foresight(
      shards.map(({ value, returns, rows }) => {
        const estimates = value.slice(0, rows)
        critics!.denormalise(estimates)
        return { estimate: estimates, target: returns }
      }),
      group,
    )
  }

  /** Forbidden choices so far, over all workers. */
  private violations(): number {
    const [all] = sumNumbers(
      this.group,
      this.shards.map((_, k) => [k === 0 ? this.actors.maskViolations : 0]),
    )
    return all
  }

  /** Says what advantages of the living are like, then normalises them, if the settings say so. */
  protected normaliseAdvantages(means: Means): void {
    const { settings, shards, group } = this
    const [count, sum, squares] = sumNumbers(
      group,
      shards.map(({ advantage, alive }) => {
        const out = [0, 0, 0]
        for (let i = 0; i < advantage.length; i++) {
          if (alive[i] === 0) continue
          out[0]++
          out[1] += advantage[i]
          out[2] += advantage[i] * advantage[i]
        }
        return out
      }),
    )
    const mean = sum / Math.max(count, 1)
    means.add('advantageMean', mean)
    means.add('advantageDeviation', Math.sqrt(Math.max(0, squares / Math.max(count, 1) - mean * mean)))
    if (!settings.advantageNorm) return
    const parts = shards.map(({ advantage, alive }) => ({ advantage, active: alive }))
    if (settings.advantageOver === 'all') normaliseAdvantages(parts, group)
    else normaliseAdvantagesPerAgent(parts, this.slots.length, group)
  }

  /** Learning rates of all networks, actors first. */
  protected rates(fraction: number): number[] {
    const { lr, criticLr = lr } = this.settings as Settings & { criticLr?: number }
    const actors = this.actors.members.length
    return this.parts.networks.map((_, k) => (k < actors ? lr : criticLr) * fraction)
  }

  /** Takes down what the steps of all networks said: means over the members of each kind. */
  protected addSteps(means: Means, steps: readonly Stepped[]): void {
    const actors = this.actors.members.length
    steps.forEach(({ loss, norm }, k) => {
      const actor = k < actors
      means.add(actor ? 'actorGradientNorm' : 'criticGradientNorm', norm)
      means.add(actor ? 'policyLoss' : 'valueLoss', loss)
    })
  }

  /** More of what checkpoints must hold, by prefix of its tensors' names. */
  protected keep(kept: Readonly<Record<string, Kept>>): void {
    this.kept = { ...this.kept, ...kept }
  }

  /** Moves all target critics, if the settings say that it is time. */
  protected moveTargets({ target = 'none', targetTau = 1, targetEvery = 1 }: Partial<ReturnSettings>): void {
    if (this.targets === undefined || !targetsMove({ target, targetEvery }, this.parts.count.updates + 1)) return
    for (let g = 0; g < this.targets.members.length; g++) this.follow(g, target === 'soft' ? targetTau : 1)
  }

  /** Moves a target critic towards its critic. @param tau 1 copies */
  protected follow(member: number, tau: number): void {
    const target = this.targets!.members[member]
    target.net.parameters.follow(this.critics!.members[member].net.parameters, tau)
    target.net.changed()
    const norm = this.critics!.members[member].norm
    if (norm !== undefined) Object.assign(target.norm!.state, norm.state)
  }

  // --- policy, save, load --------------------------------------------------------------------------------------------

  policy(mode: PlayMode): Policy {
    return this.actors.policy(this.name, mode)
  }

  valueMemory(lanes: number): PolicyMemory {
    return this.critics?.memory(lanes) ?? null
  }

  /** NaN without a critic, which recordings leave out. */
  values(batch: EnvBatch, out: Float32Array, memory: PolicyMemory = null): void {
    const { agents } = this.shards[0].collector
    if (this.critics === undefined) out.fill(NaN)
    else this.critics.values(batch, agents, out, memory as Memory | null)
  }

  save(what?: SavedPart): Checkpoint {
    this.begin()
    return saveLearner({ ...this.parts, kept: this.kept }, what)
  }

  load(checkpoint: Checkpoint): void {
    loadLearner({ ...this.parts, kept: this.kept }, checkpoint)
    this.started = true
  }

  dispose(): void {
    for (const { net, optimiser } of this.parts.networks) {
      optimiser.dispose()
      net.dispose()
    }
    for (const net of this.parts.followers ?? []) net.dispose()
  }
}

function openSights(spec: EnvSpec): Sights {
  const state = spec.stateSize === 0 ? undefined : new ObservationNorm(spec.stateSize)
  return { observation: new ObservationNorm(spec.observationSize), state }
}

/** What networks carry in the lanes of a shard. */
function remembered(actors: Actors, judges: readonly Critic[]): Record<string, Remembered> {
  const several = actors.members.length > 1
  const own = (group: number) => actors.groups.map((g, slot) => (g === group ? slot : -1)).filter((slot) => slot >= 0)
  return Object.fromEntries([
    ...actors.members.map(({ net }, g) => [
      net.shape.name,
      { width: net.memory, heads: 1, ...(several ? { slots: own(g) } : {}) },
    ]),
    ...judges.map(({ net, inputs, slots }) => [
      net.shape.name,
      { width: net.memory, heads: inputs.heads, ...(slots.length === actors.groups.length ? {} : { slots }) },
    ]),
  ]) as Record<string, Remembered>
}

/** The policy inside a checkpoint of a learner with actors. */
export function actorPolicy(name: string, spec: EnvSpec, checkpoint: Checkpoint, mode: PlayMode): Policy {
  const { settings, agents, normalisers } = readState(checkpoint, name)
  const effective = { ...LATER, ...settings } as unknown as ActorOnlySettings
  const indices = agents.map((id) => spec.agents.findIndex((agent) => agent.id === id))
  const sight = effective.observationNorm ? new ObservationNorm(spec.observationSize) : undefined
  if (sight !== undefined) Object.assign(sight.state, normalisers.observation as unknown as MomentsState)
  const groups = groupsOf(name, effective.sharing, spec, agents, indices)
  const draws = () => new Generator(namedSeed(0, 'overwritten'))
  const actors = new Actors(spec, agents, groups, effective, draws, sight)
  for (const { net } of actors.members) loadNetwork(net, checkpoint, `${name}: checkpoint`)
  return { ...actors.policy(name, mode), dispose: () => actors.dispose() }
}

function groupsOf(
  name: string,
  sharing: Sharing,
  spec: EnvSpec,
  agents: readonly string[],
  indices: number[],
): Int32Array {
  if (sharing === 'full') return new Int32Array(agents.length)
  const missing = indices.indexOf(-1)
  if (missing < 0) return sharedBy(sharing, spec, agents)
  throw new TroupeError('bad-usage', {
    where: `${name}: checkpoint`,
    got: `networks of their own for ${agents.join(', ')}`,
    expected: `a world that has ${agents[missing]}`,
  })
}
