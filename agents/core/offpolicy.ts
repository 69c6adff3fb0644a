/**
 * What learners from single remembered steps have in common, with networks of its own for each agent and critics that see
 * everybody: settings, playing, the memory, the rhythm of updates, saving. What is learned, and how, is the learner's
 * (maddpg.ts, hasac.ts).
 */
import { Type, type Static, type TObject, type TProperties } from '#typebox'
import { Generator, TroupeError, namedSeed, type EnvBatch, type EnvSpec } from '../../envs/core/index.ts'
import { fusedAdam, type FusedOptimiser } from '../kernels/index.ts'
import { type Checkpoint, type SavedTensor, type Tensors } from './checkpoint.ts'
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
  type SavedNetwork,
} from './learner.ts'
import { Memory } from './memory.ts'
import { Means } from './metrics.ts'
import { Network, type Trace } from './networks.ts'
import { foresight } from './normalise.ts'
import { penaltiesOf, type PlayerKind, type Players } from './players.ts'
import { scheduled } from './onpolicy.ts'
import { type Policy, type PolicyMemory } from './policy.ts'
import { Collector, Rollout, SeatView } from './rollout.ts'
import { real, whole, yes } from './settings.ts'
import { alone, shardBatches } from './shards.ts'
import { keepSteps, stepShapes, type StepBatch, type StepMemory } from './transitions.ts'
import { tf } from './tensors.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings. "ref" is the reference that the learner's file names.

/** Settings that both learners have, beside those whose defaults differ. */
export const OFF_POLICY_SETTINGS = {
  activation: Type.Union([Type.Literal('relu'), Type.Literal('tanh')], { default: 'relu', description: 'ref relu.' }),
  layers: whole(2, 1, 8, 'Hidden layers; ref 2.'),
  outputGain: real(0.01, 0, 10, 'Orthogonal gain of the actors’ last layers: hands off, or nearly uniform, at first.'),
  criticInput: Type.Union([Type.Literal('observations'), Type.Literal('state')], {
    default: 'observations',
    description:
      'What critics see beside all actions: all observations side by side, or the global state; where an environment has ' +
      'none, all observations.',
  }),
  lrSchedule: Type.Union([Type.Literal('constant'), Type.Literal('linear')], {
    default: 'constant',
    description: 'linear: step sizes of actors and critics fall to 0 at scheduleSteps.',
  }),
  scheduleSteps: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
    default: null,
    description: 'Environment steps (all lanes) at which schedules end; a run fills in its own length.',
  }),
  bootstrapTruncated: yes('A cut episode is worth something after the cut; ref on.'),
  rewardScale: real(1, 1e-9, 1e9, 'Every reward is multiplied by this before it is learned from.'),
  huberDelta: Type.Union([Type.Number({ minimum: 1e-9 }), Type.Null()], {
    default: null,
    description: 'Value errors beyond this count linearly, in scaled reward units; null = squared error.',
  }),
} satisfies TProperties

export const rhythm = (defaults: {
  lanes: number
  rolloutSteps: number
  updates: number
  batch: number
  memory: number
  warmup: number
}) =>
  ({
    lanes: whole(defaults.lanes, 1, 4096, 'Parallel episodes in training.'),
    rolloutSteps: whole(defaults.rolloutSteps, 1, 1 << 16, 'Environment steps per lane between updates.'),
    updates: whole(defaults.updates, 1, 1 << 16, 'Gradient steps of every network after each of these stretches.'),
    batch: whole(defaults.batch, 1, 1 << 20, 'Steps in a gradient step.'),
    memory: whole(defaults.memory, 1, 1 << 24, 'Steps remembered; the oldest leaves. They are in checkpoints.'),
    warmup: whole(defaults.warmup, 0, 1 << 30, 'Environment steps (all lanes) of uniform play before learning begins.'),
  }) satisfies TProperties

export type OffPolicySettings = Static<TObject<typeof OFF_POLICY_SETTINGS>> &
  Static<TObject<ReturnType<typeof rhythm>>> & { readonly gamma: number; readonly window: number; readonly lr: number }

/** Settings that came later, as they were before: checkpoints from then lack them. */
const LATER = { lrSchedule: 'constant', scheduleSteps: null }

/** The same with step sizes of that part. @param fraction 0 to 1 */
export function paced<Settings extends { readonly lr: number; readonly criticLr: number }>(
  settings: Settings,
  fraction: number,
): Settings {
  return { ...settings, lr: settings.lr * fraction, criticLr: settings.criticLr * fraction }
}

/** A weight on its way along a line. @param end where it is at scheduleSteps and after; null = it stays where it is */
export function underWay(start: number, end: number | null, scheduleSteps: number | null, steps: number): number {
  if (end === null || scheduleSteps === null) return start
  return start + (end - start) * Math.min(1, steps / scheduleSteps)
}

/** With all observations where there is no state. */
export function effectiveInput<Settings extends { readonly criticInput: 'observations' | 'state' }>(
  spec: EnvSpec,
  settings: Settings,
): Settings {
  return spec.stateSize > 0 ? settings : { ...settings, criticInput: 'observations' }
}

// ---------------------------------------------------------------------------------------------------------------------
// Batches on the backend.

/** What losses see of a batch. All tensors belong to the tidy they are made in. */
export class Shown {
  readonly rows: number
  readonly batch: StepBatch
  readonly n: number
  private readonly players: Players
  private readonly input: 'observations' | 'state'

  constructor(batch: StepBatch, players: Players, input: 'observations' | 'state') {
    this.batch = batch
    this.rows = batch.rows
    this.players = players
    this.n = players.agents.length
    this.input = input
  }

  /** What an agent saw, then or after, [rows, F]. */
  sight(agent: number, when: 'observation' | 'next'): tf.Tensor2D {
    const { features: F } = this.players
    return tf.tensor2d(columns(this.batch[when], this.rows, agent * F, F), [this.rows, F])
  }

  /** What critics see beside actions. */
  world(when: 'observation' | 'next'): tf.Tensor2D {
    const { batch, rows } = this
    const from = this.input === 'observations' ? batch[when] : when === 'next' ? batch.nextState : batch.state
    return tf.tensor2d(from, [rows, from.length / rows])
  }

  /** What an agent did, as critics see it, [rows, W]. */
  action(agent: number): tf.Tensor2D {
    const { batch, rows, players } = this
    const { width: W, dims: D, sizes } = players
    const taken = columns(batch.action, rows, agent * D, D)
    if (players.kind !== 'choices') return tf.tensor2d(taken, [rows, D])
    const out = new Float32Array(rows * W)
    for (let row = 0; row < rows; row++) {
      let at = row * W
      for (let d = 0; d < D; d++) {
        out[at + taken[row * D + d]] = 1
        at += sizes[d]
      }
    }
    return tf.tensor2d(out, [rows, W])
  }

  /** What is added to an agent's logits, [rows, A]. */
  penalty(agent: number, when: 'observation' | 'next'): Float32Array {
    return penaltiesOf(when === 'next' ? this.batch.nextMask : this.batch.mask, agent, this.n, this.players.width)
  }

  /** [rows, D] 1 where an agent has the number; null where it has all. */
  used(agent: number): Float32Array | null {
    const { used, dims: D } = this.players
    if (used === null) return null
    return Float32Array.from({ length: this.rows * D }, (_, i) => used[agent * D + (i % D)])
  }

  /** 1 where the agent lived, and how many did. */
  living(agent: number): { weight: Float32Array; count: number } {
    const weight = new Float32Array(this.rows)
    let count = 0
    for (let row = 0; row < this.rows; row++) count += weight[row] = this.batch.alive[row * this.n + agent]
    return { weight, count: Math.max(count, 1) }
  }
}

/** Some columns of rows. */
function columns(from: Float32Array, rows: number, first: number, width: number): Float32Array {
  const all = from.length / rows
  const out = new Float32Array(rows * width)
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < width; i++) out[row * width + i] = from[row * all + first + i]
  }
  return out
}

/** Σ w L(Q − y) / total, L(e) = e² / 2, straight beyond δ. Minimised like e², of which it is half. */
export function valueLoss(
  value: tf.Tensor2D,
  target: Float32Array,
  { weight, count }: { readonly weight: Float32Array; readonly count: number },
  delta: number | null,
): tf.Scalar {
  const error = tf.sub(tf.reshape(value, [target.length]), tf.tensor1d(target))
  const size = tf.abs(error)
  const inner = delta === null ? size : tf.minimum(size, delta)
  const loss = tf.add(tf.mul(0.5, tf.square(inner)), tf.mul(delta ?? 0, tf.sub(size, inner)))
  return tf.div(tf.sum(tf.mul(loss, tf.tensor1d(weight))), count)
}

// ---------------------------------------------------------------------------------------------------------------------
// Networks that step by themselves, and their targets.

/** A network with its optimiser, and how far its last step went. */
export interface Trained {
  readonly net: Network
  readonly optimiser: FusedOptimiser
  readonly gradient: Float32Array
}

export function trained(net: Network, maxNorm: number): Trained {
  // ε beside the root: 1e-8, as torch has it.
  return {
    net,
    optimiser: fusedAdam(net.parameters, { lr: 0, epsilon: 1e-8, maxNorm }),
    gradient: new Float32Array(net.size),
  }
}

/**
 * One step along the gradient of a loss.
 * @throws TroupeError diverged; then the network has not changed
 */
export function descend(
  who: string,
  { net, optimiser, gradient }: Trained,
  lr: number,
  step: number,
  loss: (trace: Trace) => tf.Scalar,
): { loss: number; norm: number; readings: Readonly<Record<string, Float32Array>> } {
  const { loss: value, readings } = net.differentiate(loss, gradient)
  if (!Number.isFinite(value)) requireFinite(who, 'gradient', net, gradient, step, value)
  optimiser.lr = lr
  const norm = optimiser.stepFlat(gradient)
  if (!Number.isFinite(norm)) requireFinite(who, 'gradient', net, gradient, step, norm)
  net.changed()
  return { loss: value, norm, readings }
}

/** Networks that follow others, as a part of checkpoints. */
export class Targets implements Kept {
  readonly nets: readonly Network[]
  private readonly online: readonly Network[]

  constructor(online: readonly Network[]) {
    this.online = online
    this.nets = online.map((net) => new Network(net.shape, new Generator(namedSeed(0, 'overwritten'))))
    this.follow(1)
  }

  /** target ← target + tau (online − target) */
  follow(tau: number): void {
    this.nets.forEach((net, k) => {
      net.parameters.follow(this.online[k].parameters, tau)
      net.changed()
    })
  }

  save(): Tensors {
    const tensors: Record<string, SavedTensor> = {}
    for (const net of this.nets) {
      const values = net.read()
      for (const { name, shape, from, to } of net.slices) tensors[name] = { shape, data: values.slice(from, to) }
    }
    return tensors
  }

  load(tensors: Tensors, where: string): () => void {
    for (const { slices } of this.nets) {
      for (const { name, shape } of slices) {
        if ((tensors[name] as SavedTensor | undefined)?.shape.join() === shape.join()) continue
        const got = name in tensors ? `of shape [${tensors[name].shape.join(', ')}]` : 'missing'
        throw new TroupeError('bad-file', {
          where: `${where}: ${name}`,
          got,
          expected: `of shape [${shape.join(', ')}]`,
        })
      }
    }
    return () => {
      for (const net of this.nets) loadNetwork(net, { weights: tensors, state: {} }, where)
    }
  }

  dispose(): void {
    for (const net of this.nets) net.dispose()
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The learner.

/** What makes a learner one of its kind. */
export interface OffPolicyKind<Settings extends OffPolicySettings = OffPolicySettings> {
  readonly name: string
  readonly settings: Settings
  readonly players: Players
  readonly targets: Targets
  /** Everything that steps. */
  readonly networks: readonly { readonly net: SavedNetwork; readonly optimiser: FusedOptimiser }[]
  /**
   * One gradient step of every network.
   * @param means adds what there is to say
   * @param fraction of the step sizes, by their schedule
   */
  learn(memory: StepMemory, generators: Generators, step: number, means: Means, fraction: number): void
  /**
   * The critics' word on what a batch shows now, with the actors' likeliest actions.
   * @param world [B, width] what critics see beside actions
   * @param out [B, n] overwritten
   */
  values(view: SeatView, world: Float32Array, out: Float32Array): void
  /** Deviation of exploration around `numbers`, in half-ranges, after so many environment steps. */
  noise(steps: number): number
}

export interface Generators {
  readonly [name: string]: Generator
  readonly sampling: Generator
  readonly drawing: Generator
}

/** How actions of a world are made. */
export function playerKind(spec: EnvSpec, numbers: 'numbers' | 'squeezed'): PlayerKind {
  return spec.actionKind === 'box' ? numbers : 'choices'
}

/** Ids of the agents that learn. */
export function learningIds(spec: EnvSpec, agents: readonly number[] = [...spec.agents.keys()]): string[] {
  return agents.flatMap((agent) => spec.agents[agent]?.id ?? []) // one too many is refused by the collector
}

export class OffPolicy implements Learner {
  readonly settings: OffPolicySettings
  readonly stepsPerUpdate: number
  private readonly kind: OffPolicyKind
  private readonly collector: Collector
  private readonly rollout: Rollout
  private readonly memory: StepMemory
  private readonly generators: Generators
  private readonly slots: Int32Array
  private readonly parts: LearnerParts
  /** [B, n] which of its policies each agent plays in this episode. */
  private readonly playing: { hidden: Float32Array; width: number }
  private readonly played: Uint8Array // [T, B, n]
  private started = false

  constructor(request: LearnerRequest, kind: OffPolicyKind) {
    const { name, settings, players } = kind
    const { seed, teamReward, agents, others } = request
    const group = request.group ?? alone()
    const [batch] = shardBatches(name, request.batch, group, { lanes: settings.lanes, shards: 1 })
    this.kind = kind
    this.settings = settings
    this.stepsPerUpdate = settings.lanes * settings.rolloutSteps
    this.collector = new Collector(batch, name, teamReward, agents, others)
    const n = this.collector.agents.length
    this.rollout = new Rollout(batch.spec, settings.rolloutSteps, batch.lanes, n)
    this.memory = new Memory(stepShapes(batch.spec, n, settings.criticInput === 'state'), {
      sequences: settings.memory,
    })
    this.generators = {
      sampling: new Generator(namedSeed(seed, `${name}: actions`)),
      drawing: new Generator(namedSeed(seed, `${name}: memory and noise`)),
    }
    this.slots = Int32Array.from({ length: n }, (_, k) => k)
    this.playing = { ...players.memory(batch.lanes, n), width: n }
    this.played = new Uint8Array(settings.rolloutSteps * batch.lanes * n)
    const carried: Record<string, { hidden: Float32Array; width: number }> = { parts: this.playing }
    this.collector.memories.forEach((hidden, k) => (carried[`other${k}`] = { hidden, width: 1 }))
    this.parts = {
      algorithm: name,
      settings,
      later: LATER,
      group,
      shards: [{ collector: this.collector, generators: this.generators, carried }],
      agents: players.agents,
      networks: kind.networks,
      normalisers: {},
      kept: { target: kind.targets, 'store/steps': this.memory },
      count: { steps: 0, updates: 0 },
    }
  }

  get steps(): number {
    return this.parts.count.steps
  }

  collectAndUpdate(): Metrics {
    const { kind, settings, memory, parts } = this
    this.begin()
    this.play()
    const fraction = scheduled(settings, this.steps)
    parts.count.steps += this.stepsPerUpdate
    const means = new Means()
    if (this.steps > settings.warmup && memory.count >= settings.batch) {
      for (let k = 0; k < settings.updates; k++) kind.learn(memory, this.generators, this.steps, means, fraction)
      for (const { net } of kind.networks) requireFinite(kind.name, 'weights', net, net.read(), this.steps)
    }
    parts.count.updates++
    const { episodeReturns, episodeLengths } = this.rollout
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    return {
      steps: this.steps,
      updates: parts.count.updates,
      ...means.all(),
      learningRate: settings.lr * fraction,
      remembered: memory.count,
      maskViolations: kind.players.maskViolations,
      episodes: episodeReturns.length,
      ...(episodeReturns.length === 0
        ? {}
        : { sampledReturn: mean(episodeReturns), episodeLength: mean(episodeLengths) }),
    }
  }

  private begin(): void {
    if (!this.started) this.collector.batch.reset()
    this.started = true
  }

  /** Fills the rollout and takes its steps into the memory. */
  private play(): void {
    const { kind, settings, rollout, playing, played, generators, slots } = this
    const uniform = this.steps < settings.warmup
    const noise = kind.noise(this.steps)
    const row = playing.hidden.length
    this.collector.collect(
      rollout,
      (view, out, t) => {
        kind.players.choose(view, slots, playing, out, () => generators.sampling, 'sample', noise)
        if (uniform) kind.players.anything(view, out, generators.sampling)
        for (let i = 0; i < row; i++) played[t * row + i] = playing.hidden[i]
      },
      generators.sampling,
    )
    keepSteps(rollout, played, this.memory, settings)
  }

  policy(mode: PlayMode): Policy {
    return this.kind.players.policy(this.kind.name, mode)
  }

  valueMemory(): PolicyMemory {
    return null
  }

  values(batch: EnvBatch, out: Float32Array): void {
    const view = new SeatView(batch, this.collector.agents)
    view.look()
    this.kind.values(view, this.settings.criticInput === 'state' ? batch.state : view.observation, out)
    for (let i = 0; i < out.length; i++) out[i] /= this.settings.rewardScale
  }

  save(what?: SavedPart): Checkpoint {
    this.begin()
    return saveLearner(this.parts, what)
  }

  load(checkpoint: Checkpoint): void {
    loadLearner(this.parts, checkpoint)
    this.started = true
  }

  dispose(): void {
    for (const { net, optimiser } of this.kind.networks) {
      optimiser.dispose()
      net.dispose()
    }
    this.kind.targets.dispose()
  }
}

/** The players inside a checkpoint as a policy. @param open makes players as the settings say */
export function playersPolicy(
  name: string,
  checkpoint: Checkpoint,
  mode: PlayMode,
  open: (settings: Readonly<Record<string, unknown>>, agents: readonly string[]) => Players,
): Policy {
  const { settings, agents } = readState(checkpoint, name)
  const players = open(settings, agents)
  for (const nets of players.nets) for (const net of nets) loadNetwork(net, checkpoint, `${name}: checkpoint`)
  return { ...players.policy(name, mode), dispose: () => players.dispose() }
}

/**
 * Rows of what critics see: the world, then all actions.
 * @param world [B, width]
 * @param joint [B, n W]
 */
export function besides(world: Float32Array, joint: Float32Array, lanes: number): Float32Array {
  const [S, W] = [world.length / lanes, joint.length / lanes]
  const out = new Float32Array(lanes * (S + W))
  for (let lane = 0; lane < lanes; lane++) {
    out.set(world.subarray(lane * S, (lane + 1) * S), lane * (S + W))
    out.set(joint.subarray(lane * W, (lane + 1) * W), lane * (S + W) + S)
  }
  return out
}

/** What a critic said against what it should have said, added to the log. */
export function readForesight(means: Means, estimate: ArrayLike<number>, target: ArrayLike<number>): void {
  const { explainedVariance, error } = foresight([{ estimate, target }])
  means.add('explainedVariance', explainedVariance)
  means.add('valueError', error)
}
