/**
 * The steps of a learner of action values: play with exploration, keep finished episodes, draw some of them, move the values of
 * what was done towards what it was worth. Algorithms bring how agents' values are joined before they are compared with rewards
 * (`Mixing`), the agents' network and how they explore: iql.ts, vdn.ts, qmix.ts, dqsa.ts.
 */
import { Generator, namedSeed, type EnvBatch, type EnvSpec } from '../../envs/core/index.ts'
import { clippedValueLoss } from '../kernels/index.ts'
import { requireChoices } from './categorical.ts'
import { type Checkpoint } from './checkpoint.ts'
import { storyOf, type Dataset } from './dataset.ts'
import {
  EpisodeBatch,
  EpisodeRecorder,
  episodeShapes,
  episodeSizes,
  stretches,
  type EpisodeMemory,
} from './episodes.ts'
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
  type SavedPart,
} from './learner.ts'
import { Memory } from './memory.ts'
import { Means } from './metrics.ts'
import { Network } from './networks.ts'
import { foresight } from './normalise.ts'
import { scheduled } from './onpolicy.ts'
import { type Policy, type PolicyMemory } from './policy.ts'
import { Collector, Rollout, SeatView } from './rollout.ts'
import { alone, requestSpec, shardBatches } from './shards.ts'
import { tf } from './tensors.ts'
import { JointDescent, Targets, differentiateTogether, weightsOf, type Learnable, type Weights } from './together.ts'
import { Utilities, type MakeNetwork, type UtilityMemory } from './utilities.ts'
import {
  freshStatistics,
  lambdaTargets,
  nextValues,
  pickValues,
  scaleRewards,
  type EffectiveValues,
  type Exploration,
  type LearningSettings,
  type RewardStatistics,
} from './values.ts'

/** How the values of agents are joined before they are compared with rewards. */
export interface Mixing {
  /** Numbers per step afterwards: n, every agent for itself; or 1, the team's. */
  readonly outputs: number
  /** Networks that learn with the agents', and a fresh set of the same for targets. */
  readonly networks: readonly Learnable[]
  readonly targets: readonly Learnable[]
  /** What those networks see beside values; left out = nothing. */
  readonly sees?: 'state' | 'observations'
  /**
   * @param values [M, n] of the actions taken, or of the best ones
   * @param world [M, S] global states, or all observations side by side; [M, 0] where nothing is seen
   * @param weights of `networks` or `targets`
   * @returns [M, outputs]
   */
  mix(values: tf.Tensor2D, world: tf.Tensor2D, weights: Weights): tf.Tensor2D
}

/** What makes a value learner one of its kind. */
export interface ValueKind {
  readonly name: string
  readonly settings: LearningSettings
  readonly network: (rng: Generator) => MakeNetwork
  readonly mixing: (spec: EnvSpec, agents: number, rng: () => Generator) => Mixing
  readonly explore: Exploration
  /** Chance of something else than the best when so many steps are done, for the log. */
  readonly exploration: (steps: number) => number
}

/** The network of EPyMARL and PyMARL: dense layers, a GRU if wanted, a value for every choice. */
export function utilityNetwork(settings: EffectiveValues): ValueKind['network'] {
  const { hidden, layers, activation, init, network } = settings
  const shape = { hidden, layers, activation, outputGain: 1, init, recurrent: network === 'gru' }
  return (rng) => (name, inputs, outputs) => new Network({ name, inputs, outputs, ...shape }, rng)
}

/** Ids of the agents that learn. */
function learning(spec: EnvSpec, agents: readonly number[] = [...spec.agents.keys()]): string[] {
  return agents.flatMap((agent) => spec.agents[agent]?.id ?? []) // one too many is refused by the collector
}

export class ValueLearner implements Learner {
  readonly settings: LearningSettings
  readonly stepsPerUpdate: number
  private readonly kind: ValueKind
  private readonly teamReward: LearnerRequest['teamReward']
  private readonly collector: Collector
  private readonly rollout: Rollout
  private readonly utilities: Utilities
  private readonly mixing: Mixing
  private readonly targets: Targets
  private readonly descent: JointDescent
  private readonly memory: EpisodeMemory
  private readonly recorder: EpisodeRecorder
  private readonly generators: { readonly sampling: Generator; readonly drawing: Generator }
  private readonly carried: UtilityMemory | null
  private readonly slots: Int32Array // [n] 0, 1, 2 …
  /** Gradient steps that are owed, gradient steps made, episodes finished, and statistics of rewards. */
  private readonly ledger: { owed: number; gradientSteps: number; episodes: number } & RewardStatistics
  private readonly parts: LearnerParts
  private started = false

  constructor(request: LearnerRequest, kind: ValueKind) {
    const { name, settings } = kind
    const { seed, teamReward, agents, others } = request
    const spec = requestSpec(request.batch)
    requireChoices(spec, name)
    this.kind = kind
    this.teamReward = teamReward
    this.settings = settings
    const group = request.group ?? alone()
    const [batch] = shardBatches(name, request.batch, group, { lanes: settings.lanes, shards: 1 })
    this.collector = new Collector(batch, name, teamReward, agents, others)
    const ids = learning(spec, agents)
    const n = ids.length
    const generator = (purpose: string) => new Generator(namedSeed(seed, `${name}: ${purpose}`))
    const make = (purpose: string) => new Utilities(spec, ids, settings, kind.network(generator(purpose)))
    this.utilities = make('weights')
    this.mixing = kind.mixing(spec, n, () => generator('mixing weights'))
    const online = [...this.utilities.networks, ...this.mixing.networks]
    this.targets = new Targets([...make('weights').networks, ...this.mixing.targets], online)
    this.descent = new JointDescent(name, online, settings)
    const shapes = episodeShapes(episodeSizes(spec, n))
    this.memory = new Memory(shapes, { sequences: settings.memoryEpisodes, rows: settings.memorySteps })
    this.recorder = new EpisodeRecorder(shapes, settings.lanes)
    this.rollout = new Rollout(spec, settings.rolloutSteps, settings.lanes, n)
    this.generators = { sampling: generator('actions'), drawing: generator('draws from memory') }
    this.carried = this.utilities.memory(settings.lanes, n)
    this.slots = Int32Array.from(ids.keys())
    this.stepsPerUpdate = settings.rolloutSteps * settings.lanes
    this.ledger = { owed: 0, gradientSteps: 0, episodes: 0, ...freshStatistics() }
    this.parts = {
      algorithm: name,
      settings,
      group,
      shards: [
        {
          collector: this.collector,
          generators: this.generators,
          carried: {
            ...(this.carried === null ? {} : { agent: { hidden: this.carried.hidden, width: 1 } }),
            ...Object.fromEntries(this.collector.memories.map((hidden, k) => [`other${k}`, { hidden, width: 1 }])),
          },
        },
      ],
      agents: ids,
      networks: this.descent.parts,
      normalisers: {},
      kept: { target: this.targets, 'store/episodes': this.memory, 'store/open': this.recorder },
      ledger: this.ledger,
      count: { steps: 0, updates: 0 },
    }
  }

  get steps(): number {
    return this.parts.count.steps
  }

  // --- act -----------------------------------------------------------------------------------------------------------

  collectAndUpdate(): Metrics {
    const { parts, settings, collector, rollout, utilities, memory, ledger } = this
    const { count } = parts
    this.begin()
    const { sampling } = this.generators
    collector.collect(
      rollout,
      (view, out, t) => {
        const steps = count.steps + t * settings.lanes
        utilities.choose(view, this.slots, this.carried, out, this.kind.explore, steps, () => sampling)
      },
      sampling,
    )
    count.steps += this.stepsPerUpdate
    this.recorder.take(rollout, (episode) => {
      memory.put(episode)
      ledger.episodes++
      ledger.owed += settings.updatesPerEpisode
    })
    const means = new Means()
    const lr = settings.lr * scheduled(settings, count.steps)
    if (memory.count < settings.batchEpisodes) ledger.owed = 0 // nothing is learned from less than a batch
    for (; ledger.owed >= 1; ledger.owed--) this.learn(lr, means)
    for (const { net } of this.descent.parts) requireFinite(this.kind.name, 'weights', net, net.read(), this.steps)
    count.updates++
    return this.metrics(means, lr)
  }

  private begin(): void {
    if (!this.started) this.collector.batch.reset()
    this.started = true
  }

  private metrics(means: Means, learningRate: number): Metrics {
    const { rollout, ledger, memory, kind } = this
    const { episodeReturns, episodeLengths } = rollout
    const ended = episodeReturns.length
    const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / ended
    return {
      steps: this.steps,
      updates: this.parts.count.updates,
      gradientSteps: ledger.gradientSteps,
      ...means.all(),
      exploration: kind.exploration(this.steps),
      learningRate,
      maskViolations: this.utilities.maskViolations,
      episodes: ended,
      memoryEpisodes: memory.count,
      memorySteps: memory.rows,
      ...(ended === 0 ? {} : { sampledReturn: mean(episodeReturns), episodeLength: mean(episodeLengths) }),
    }
  }

  // --- update --------------------------------------------------------------------------------------------------------

  /** One gradient step. */
  private learn(lr: number, means: Means): void {
    const { settings, memory, descent, ledger } = this
    const { drawing } = this.generators
    const sequences = memory.drawDistinct(drawing, settings.batchEpisodes)
    const parts = stretches(memory, sequences, settings.window, (choices) => drawing.below(choices))
    const batch = new EpisodeBatch(memory, parts, this.utilities.networks[0].memory > 0)
    const { loss, estimates, targets } = this.differentiate(batch)
    const norm = descent.step(lr, loss, this.steps)
    ledger.gradientSteps++
    if (settings.targetRate !== null) this.targets.follow(settings.targetRate)
    else if (ledger.gradientSteps % settings.targetInterval === 0) this.targets.follow(1)
    const seen = foresight([{ estimate: estimates, target: targets }])
    const average = (values: Float32Array) => values.reduce((sum, value) => sum + value, 0) / values.length
    means.add('valueLoss', loss)
    means.add('valueError', seen.error)
    means.add('explainedVariance', seen.explainedVariance)
    means.add('gradientNorm', norm)
    means.add('chosenValue', average(estimates))
    means.add('targetValue', average(targets))
  }

  /** Writes the gradient of the mean squared error into `descent.gradients`. */
  private differentiate(batch: EpisodeBatch): { loss: number; estimates: Float32Array; targets: Float32Array } {
    const { utilities, mixing, memory, targets: followers, descent } = this
    const groups = utilities.networks.length
    const M = batch.steps
    const inputs = utilities.inputs(memory, batch)
    const before = this.world(batch, batch.now)
    const after = this.world(batch, batch.next)
    const networks = descent.parts.map(({ net }) => net)
    let valuing: Float32Array = new Float32Array(0)
    // Nothing is returned from tidy: it would look for tensors in every element of what it is given.
    tf.tidy(() => {
      const own = followers.networks.slice(0, groups)
      valuing = utilities.assemble(utilities.tables(own, weightsOf(own), inputs, batch), batch.rows).slice()
    })
    const taken = utilities.taken(memory, batch)
    let estimates: Float32Array = new Float32Array(0)
    let targets: Float32Array = new Float32Array(0)
    const loss = differentiateTogether(
      networks,
      (weights) => {
        const tables = utilities.tables(utilities.networks, weights.slice(0, groups), inputs, batch)
        const picking = this.settings.doubleQ ? utilities.assemble(tables, batch.rows) : valuing
        targets = this.target(batch, picking, valuing, after)
        const chosen = tables.map((table, g) => {
          const values = pickValues(table, taken[g], utilities.sizes.length)
          return tf.reshape(values, [M, values.size / M]) as tf.Tensor2D
        })
        const mixed = mixing.mix(utilities.sideBySide(chosen), before, weights.slice(groups))
        estimates = mixed.dataSync().slice() as Float32Array
        return squaredError(tf.reshape(mixed, [mixed.size]) as tf.Tensor1D, targets)
      },
      descent.gradients,
    )
    for (const tensor of [...inputs, before, after]) tensor.dispose()
    return { loss, estimates, targets }
  }

  /** What the steps of a batch were worth, [M, outputs]. */
  private target(batch: EpisodeBatch, picking: Float32Array, valuing: Float32Array, after: tf.Tensor2D): Float32Array {
    const { utilities, mixing, memory, targets, settings } = this
    const { gamma, lambda } = settings
    const n = this.slots.length
    const M = batch.steps
    const best = new Float32Array(M * n)
    nextValues(picking, valuing, utilities.masks(memory, batch), batch.next, n, utilities.sizes, best)
    let next: Float32Array = new Float32Array(0)
    tf.tidy(() => {
      const own = targets.networks.slice(utilities.networks.length)
      next = mixing
        .mix(tf.tensor2d(best, [M, n]), after, weightsOf(own))
        .dataSync()
        .slice() as Float32Array
    })
    const { outputs: width } = mixing
    const reward = new Float32Array(M * width)
    const ended = new Uint8Array(M)
    const [rewards, terminated] = [memory.column('reward'), memory.column('terminated')]
    for (let m = 0; m < M; m++) {
      const place = batch.places[batch.now[m]]
      for (let k = 0; k < width; k++) reward[m * width + k] = rewards[place * n + k] // of a team all are the same
      ended[m] = terminated[place]
    }
    if (!settings.bootstrapTruncated) this.endAtCuts(batch, ended)
    scaleRewards(settings.rewardScaling, reward, this.ledger)
    const out = new Float32Array(M * width)
    lambdaTargets({ gamma, lambda, begins: batch.begins, width, reward, next, ended }, out)
    return out
  }

  /** Treats the clock as an end, as the references do. */
  private endAtCuts(batch: EpisodeBatch, ended: Uint8Array): void {
    batch.lasts.forEach((last, e) => {
      if (last) ended[batch.begins[e + 1] - 1] = 1
    })
  }

  /** What the mixing sees in some rows of a batch, [rows, S]. */
  private world(batch: EpisodeBatch, rows: Int32Array): tf.Tensor2D {
    const { memory, mixing } = this
    const places = rows.map((row) => batch.places[row])
    if (mixing.sees === undefined) return tf.zeros([rows.length, 0])
    const values = memory.gather(mixing.sees === 'state' ? 'state' : 'observation', places)
    if (mixing.sees === 'observations') hideDead(values, memory.gather('alive', places))
    return tf.tensor2d(values, [rows.length, values.length / rows.length])
  }

  // --- policy, values, save, load ------------------------------------------------------------------------------------

  policy(mode: PlayMode): Policy {
    return this.utilities.policy(this.kind.name, mode, this.kind.explore)
  }

  valueMemory(lanes: number): PolicyMemory {
    return this.utilities.memory(lanes, this.slots.length)
  }

  /**
   * What the best choices are worth now: each agent's own, or the team's for all of its agents. In units of scaled rewards where
   * these are scaled. NaN with `lastAction`: a batch does not show what was done last.
   */
  values(batch: EnvBatch, out: Float32Array, memory: PolicyMemory = null): void {
    const { utilities, mixing, collector } = this
    const { lanes } = batch
    const n = this.slots.length
    if (this.settings.lastAction) return void out.fill(NaN)
    const view = new SeatView(batch, collector.agents)
    view.look()
    const table = new Float32Array(lanes * n * batch.spec.actionSize)
    utilities.look(view, this.slots, (memory ?? this.valueMemory(lanes)) as UtilityMemory | null, table)
    const best = new Float32Array(lanes * n)
    const rows = Int32Array.from({ length: lanes }, (_, lane) => lane)
    nextValues(table, table, view.mask, rows, n, utilities.sizes, best)
    tf.tidy(() => {
      let world: tf.Tensor2D = tf.zeros([lanes, 0])
      if (mixing.sees === 'state') world = tf.tensor2d(batch.state.slice(), [lanes, batch.spec.stateSize])
      if (mixing.sees === 'observations') {
        const seen = hideDead(view.observation.slice(), view.alive)
        world = tf.tensor2d(seen, [lanes, seen.length / lanes])
      }
      const mixed = mixing.mix(tf.tensor2d(best, [lanes, n]), world, weightsOf(mixing.networks)).dataSync()
      for (let i = 0; i < lanes * n; i++) out[i] = mixed[mixing.outputs === 1 ? Math.floor(i / n) : i]
    })
  }

  save(what?: SavedPart): Checkpoint {
    this.begin()
    return saveLearner(this.parts, what)
  }

  load(checkpoint: Checkpoint): void {
    loadLearner(this.parts, checkpoint)
    this.started = true
  }

  dataset(): Dataset {
    const { algorithm, agents } = this.parts
    const source = `${algorithm}, what was in memory after ${this.steps} steps of training`
    return { story: storyOf(this.collector.batch.spec, agents, this.teamReward, source), episodes: this.memory }
  }

  dispose(): void {
    this.descent.dispose()
    this.targets.dispose()
  }
}

/** Mean of (value − target)². Filled-up rows are not among them. @param value [K] */
export function squaredError(value: tf.Tensor1D, target: Float32Array): tf.Scalar {
  const count = target.length
  // The kernel gives half the square, weighted.
  const rows = { before: target, target, weight: new Float32Array(count).fill(2) }
  return clippedValueLoss(value, rows, { clip: null, delta: null, total: Math.max(count, 1) })
}

/** Zeros in place of what dead agents observe. @param observation [rows, n, F] @param alive [rows, n] */
function hideDead(observation: Float32Array, alive: Uint8Array): Float32Array {
  const F = observation.length / Math.max(alive.length, 1)
  alive.forEach((living, i) => {
    if (living === 0) observation.fill(0, i * F, (i + 1) * F)
  })
  return observation
}

/** The policy inside a checkpoint of a value learner. */
export function valuePolicy(
  name: string,
  spec: EnvSpec,
  checkpoint: Checkpoint,
  mode: PlayMode,
  kind: (settings: EffectiveValues) => Pick<ValueKind, 'network' | 'explore'>,
): Policy {
  const { settings, agents } = readState(checkpoint, name)
  const own = settings as unknown as EffectiveValues
  const { network, explore } = kind(own)
  const utilities = new Utilities(spec, agents, own, network(new Generator(namedSeed(0, 'overwritten'))))
  for (const net of utilities.networks) loadNetwork(net, checkpoint, `${name}: checkpoint`)
  return {
    ...utilities.policy(name, mode, explore),
    dispose: () => utilities.networks.forEach((net) => net.dispose()),
  }
}
