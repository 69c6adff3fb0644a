/**
 * HASAC: soft actor–critic for a team of unlike agents. Twin critics see everything and all actions; actors, each with a network
 * and a temperature of its own, are updated one after the other in random order, each beside what those before it have just
 * become. Actions are Gaussians through tanh, or choices through Gumbel-softmax with straight-through.
 *
 * Liu et al. 2024, "Maximum Entropy Heterogeneous-Agent Reinforcement Learning" (arXiv 2306.10715); reference code PKU-MARL/HARL at
 * d539bad. Differences from it are listed in agents/README.md.
 *
 * Read on: settings, losses, one gradient step, the learner.
 */
import { Type, type Static } from '#typebox'
import { Generator, TroupeError, naturalLogarithm, namedSeed, withDefaults, type EnvSpec } from '../envs/core/index.ts'
import { choiceEntropy, squeezed, straightThrough } from './core/heads.ts'
import { type LearnerDefinition, type LearnerPreset, type LearnerRequest, type SavedNetwork } from './core/learner.ts'
import { type Means } from './core/metrics.ts'
import { Network, type Slice } from './core/networks.ts'
import { gumbel, normal } from './core/noise.ts'
import {
  OFF_POLICY_SETTINGS,
  OffPolicy,
  Shown,
  Targets,
  besides,
  descend,
  effectiveInput,
  learningIds,
  paced,
  playerKind,
  playersPolicy,
  readForesight,
  rhythm,
  trained,
  underWay,
  valueLoss,
  type Generators,
  type Trained,
} from './core/offpolicy.ts'
import { Players, power } from './core/players.ts'
import { real, whole, yes } from './core/settings.ts'
import { requestSpec } from './core/shards.ts'
import { requireOneReward } from './core/teams.ts'
import { tf } from './core/tensors.ts'
import { drawSteps, type StepMemory } from './core/transitions.ts'
import { FlatParameters, fusedAdam, type FusedOptimiser } from './kernels/index.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings. "ref" is PKU-MARL/HARL.

export const HASAC_SETTINGS = Type.Object(
  {
    ...rhythm({ lanes: 8, rolloutSteps: 25, updates: 4, batch: 256, memory: 200_000, warmup: 5_000 }),
    ...OFF_POLICY_SETTINGS,
    hidden: whole(128, 1, 4096, 'Width of the hidden layers of actors and critics; ref 256.'),
    lr: real(1e-3, 0, 1, 'Adam step size of the actors; ref 5e-4, 3e-4 in tuned files.'),
    criticLr: real(1e-3, 0, 1, 'Adam step size of the critics; ref 5e-4.'),
    gamma: real(0.99, 0, 1, 'Discount per step; ref .99.'),
    window: whole(5, 1, 1024, 'Rewards taken together before the critics’ estimate; ref 5 to 20.'),
    tau: real(0.005, 1e-9, 1, 'How far target networks move at each gradient step; ref .005.'),
    gradientNorm: real(10, 0, 1e9, 'Greatest gradient norm, each network by itself. Ours; ref does not clip.'),
    alpha: real(0.2, 1e-9, 1e6, 'Worth of a nat of entropy in scaled reward, at first; ref .2.'),
    alphaEnd: Type.Union([Type.Number({ minimum: 1e-9, maximum: 1e6 }), Type.Null()], {
      default: null,
      description: 'Where autoAlpha is off: the same at scheduleSteps, reached along a line; null = as at first. Ours.',
    }),
    autoAlpha: yes('Each agent’s alpha follows its entropy towards the target; ref on.'),
    alphaLr: real(1e-3, 0, 1, 'Adam step size of log alpha; ref 3e-4.'),
    targetEntropy: real(
      -1,
      -100,
      100,
      'Entropy aimed at per real number, in nats of half-ranges; ref −1. Choices: unused.',
    ),
    targetShare: real(
      0.2,
      0,
      1,
      'Entropy aimed at of choices, as a part of log(legal choices). Ours, as BenchMARL; the ref comes out at 0. Real numbers: unused.',
    ),
  },
  { additionalProperties: false },
)

export type HasacSettings = Static<typeof HASAC_SETTINGS>

/** As published. */
export const HASAC_PRESETS: Readonly<Record<string, LearnerPreset<HasacSettings>>> = {
  harl: {
    summary: '20 lanes, 50 gradient steps per 50 steps of each, batches of 1000; on skirmish slower actors',
    source: 'PKU-MARL/HARL at d539bad',
    settings: {
      lanes: 20,
      rolloutSteps: 50,
      updates: 50,
      batch: 1000,
      memory: 1_000_000,
      warmup: 10_000,
      hidden: 256,
      layers: 2,
      lr: 5e-4,
      criticLr: 5e-4,
      alphaLr: 3e-4,
      gamma: 0.99,
      tau: 0.005,
      window: 20,
      huberDelta: 10,
    },
    families: { skirmish: { lr: 3e-4 } },
    differs:
      'gradients are clipped; entropies of choices are exact and have a target; values are not normalised; no LayerNorm',
  },
}

// ---------------------------------------------------------------------------------------------------------------------
// What policies say, and what is asked of them.

/** A policy's draws with what they cost: actions as critics see them, and what stands for −log π in expectation, [rows]. */
export interface Drawn {
  readonly action: tf.Tensor2D
  /** Real numbers: −log π of the draw. Choices: the exact entropy. Both have the same mean. */
  readonly surprise: tf.Tensor1D
}

/** @param said [rows, A] logits, or [rows, 2 D]; @param noise [rows, A] Gumbel or [rows, D] normal draws */
export function drawn(
  shown: Shown,
  players: Players,
  agent: number,
  when: 'observation' | 'next',
  said: tf.Tensor2D,
  noise: Float32Array,
): Drawn {
  if (players.kind === 'choices') {
    const penalty = shown.penalty(agent, when)
    return {
      action: straightThrough(said, penalty, noise, 1, players.sizes),
      surprise: choiceEntropy(said, penalty, players.sizes),
    }
  }
  const { action, logProbability } = squeezed(said, noise, shown.used(agent))
  return { action, surprise: tf.neg(logProbability) as tf.Tensor1D }
}

function noiseFor(players: Players, rows: number, rng: Generator): Float32Array {
  const draw = players.kind === 'choices' ? gumbel : normal
  return Float32Array.from({ length: rows * players.width }, () => draw(rng.float()))
}

/**
 * y = r + γ^m (1 − term) (min(Q1', Q2') + Σ_i α_i surprise_i), [rows], r the common reward.
 * @param next Q1' and Q2' of the new actions, [rows] each
 * @param surprise of each agent, [rows]
 */
export function softTargets(
  reward: Float32Array,
  discount: Float32Array,
  next: readonly [Float32Array, Float32Array],
  surprise: readonly Float32Array[],
  alphas: ArrayLike<number>,
): Float32Array {
  return reward.map((paid, k) => {
    let value = Math.min(next[0][k], next[1][k])
    for (let i = 0; i < surprise.length; i++) value += alphas[i] * surprise[i][k]
    return paid + discount[k] * value
  })
}

/** −mean over the living of min(Q1, Q2) + α surprise. @param q [rows, 1] each */
export function softActorLoss(
  q: readonly [tf.Tensor2D, tf.Tensor2D],
  surprise: tf.Tensor1D,
  alpha: number,
  { weight, count }: { readonly weight: Float32Array; readonly count: number },
): tf.Scalar {
  const score = tf.add(tf.reshape(tf.minimum(q[0], q[1]), [weight.length]), tf.mul(alpha, surprise))
  return tf.neg(tf.div(tf.sum(tf.mul(score, tf.tensor1d(weight))), count))
}

/**
 * Slope of log α (H − H_target) in log α, averaged over the living: stepping down it raises α where entropy is below its target.
 * @param wanted [rows] H_target of each row
 */
export function temperatureSlope(
  surprise: Float32Array,
  wanted: Float32Array,
  { weight, count }: { readonly weight: Float32Array; readonly count: number },
): number {
  let sum = 0
  for (let k = 0; k < surprise.length; k++) sum += weight[k] * (surprise[k] - wanted[k])
  return sum / count
}

/** Entropy that an agent aims at in each row: never 0 for want of a shape, as it is for choices in the reference. */
export function wantedEntropy(shown: Shown, players: Players, agent: number, settings: HasacSettings): Float32Array {
  const { targetEntropy, targetShare } = settings
  if (players.kind !== 'choices') {
    const { used, dims: D } = players
    let dims = D
    if (used !== null) for (let d = 0; d < D; d++) dims -= 1 - used[agent * D + d]
    return new Float32Array(shown.rows).fill(targetEntropy * dims)
  }
  const penalty = shown.penalty(agent, 'observation')
  const out = new Float32Array(shown.rows)
  let at = 0
  for (let row = 0; row < shown.rows; row++) {
    for (const size of players.sizes) {
      let legal = 0
      for (let a = 0; a < size; a++) legal += penalty[at + a] === 0 ? 1 : 0
      at += size
      out[row] += targetShare * naturalLogarithm(Math.max(legal, 1))
    }
  }
  return out
}

/** log α of each agent, learned. */
export class Temperatures implements SavedNetwork {
  readonly shape = { name: 'temperature' }
  readonly slices: readonly Slice[]
  readonly parameters: FlatParameters
  readonly optimiser: FusedOptimiser
  private values: Float32Array

  constructor(agents: number, alpha: number) {
    const values = new Float32Array(agents).fill(naturalLogarithm(alpha))
    this.slices = [{ name: 'temperature/log', shape: [agents], from: 0, to: agents }]
    this.parameters = new FlatParameters([{ name: 'temperature/log', shape: [agents], values }])
    this.optimiser = fusedAdam(this.parameters, { lr: 0, epsilon: 1e-8 })
    this.values = values
  }

  get size(): number {
    return this.values.length
  }

  /** α of each agent. */
  get alphas(): Float64Array {
    return Float64Array.from(this.values, power)
  }

  step(slopes: Float32Array, lr: number): void {
    this.optimiser.lr = lr
    this.optimiser.stepFlat(slopes)
    this.values = this.read()
  }

  read(): Float32Array {
    return this.parameters.read()
  }

  write(values: Float32Array): void {
    this.parameters.write(values)
    this.values = values.slice()
  }

  notFinite(vector: Float32Array): { readonly name: string; readonly value: number } | undefined {
    const value = vector.find((one) => !Number.isFinite(one))
    return value === undefined ? undefined : { name: 'temperature/log', value }
  }

  dispose(): void {
    this.parameters.dispose()
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// One gradient step of every network.

export interface Troop {
  readonly settings: HasacSettings
  readonly players: Players
  readonly actors: readonly Trained[]
  readonly critics: readonly [Trained, Trained]
  readonly targets: Targets
  readonly temperatures: Temperatures
}

function learn(troop: Troop, memory: StepMemory, { drawing }: Generators, step: number, means: Means): void {
  const { settings, players } = troop
  const shown = new Shown(drawSteps(memory, drawing, settings.batch), players, settings.criticInput)
  tf.tidy(() => criticStep(troop, shown, drawing, step, means))
  tf.tidy(() => actorSteps(troop, shown, drawing, step, means))
  troop.targets.follow(settings.tau)
}

/** α of each agent: learned, or on its way. */
function alphasOf({ settings, temperatures }: Troop, step: number): Float64Array {
  const { alpha, alphaEnd, scheduleSteps } = settings
  if (alphaEnd === null) return temperatures.alphas
  return new Float64Array(temperatures.size).fill(underWay(alpha, alphaEnd, scheduleSteps, step))
}

export function criticStep(troop: Troop, shown: Shown, drawing: Generator, step: number, means: Means): void {
  const { settings, players, actors, critics, targets } = troop
  const next = actors.map(({ net }, agent) => {
    const noise = noiseFor(players, shown.rows, drawing)
    return drawn(shown, players, agent, 'next', net.forward(shown.sight(agent, 'next')), noise)
  })
  const after = tf.concat([shown.world('next'), ...next.map(({ action }) => action)], 1) as tf.Tensor2D
  const [q1, q2] = targets.nets.map((net) => net.forward(after).dataSync() as Float32Array)
  const n = players.agents.length
  const { reward, discount } = shown.batch
  const wanted = softTargets(
    Float32Array.from({ length: shown.rows }, (_, k) => reward[k * n]),
    discount,
    [q1, q2],
    next.map(({ surprise }) => surprise.dataSync() as Float32Array),
    alphasOf(troop, step),
  )
  const everyone = { weight: new Float32Array(shown.rows).fill(1), count: shown.rows }
  const actions = players.agents.map((_, agent) => shown.action(agent))
  const input = tf.concat([shown.world('observation'), ...actions], 1) as tf.Tensor2D
  for (const critic of critics) {
    const done = descend('hasac', critic, settings.criticLr, step, ({ forward, read }) => {
      const value = forward(input)
      read('value', value)
      return valueLoss(value, wanted, everyone, settings.huberDelta)
    })
    means.add('valueLoss', done.loss)
    means.add('criticGradientNorm', done.norm)
    readForesight(means, done.readings.value, wanted)
  }
}

/**
 * Actors in random order; `actions` always has what each would do now. (Sequential updating is what the theory asks for: each
 * improves the team beside those before it as they have become.)
 */
export function actorSteps(troop: Troop, shown: Shown, drawing: Generator, step: number, means: Means): void {
  const { settings, players, actors, critics, temperatures } = troop
  const n = players.agents.length
  const sights = actors.map((_, agent) => shown.sight(agent, 'observation'))
  const noises = actors.map(() => noiseFor(players, shown.rows, drawing))
  const say = (agent: number, said: tf.Tensor2D) => drawn(shown, players, agent, 'observation', said, noises[agent])
  const actions = actors.map(({ net }, agent) => say(agent, net.forward(sights[agent])).action)
  const world = shown.world('observation')
  const order = Array.from({ length: n }, (_, k) => k)
  drawing.shuffle(order)
  const alphas = alphasOf(troop, step)
  const slopes = new Float32Array(n)
  for (const agent of order) {
    const living = shown.living(agent)
    const done = descend('hasac', actors[agent], settings.lr, step, ({ forward, read }) => {
      const { action, surprise } = say(agent, forward(sights[agent]))
      read('surprise', surprise)
      const input = tf.concat([world, ...actions.map((other, k) => (k === agent ? action : other))], 1) as tf.Tensor2D
      return softActorLoss(
        [critics[0].net.forward(input), critics[1].net.forward(input)],
        surprise,
        alphas[agent],
        living,
      )
    })
    actions[agent] = say(agent, actors[agent].net.forward(sights[agent])).action
    const { surprise } = done.readings
    slopes[agent] = temperatureSlope(surprise, wantedEntropy(shown, players, agent, settings), living)
    let entropy = 0
    for (let k = 0; k < shown.rows; k++) entropy += living.weight[k] * surprise[k]
    means.add('entropy', entropy / living.count)
    means.add('policyLoss', done.loss)
    means.add('actorGradientNorm', done.norm)
    means.add('alpha', alphas[agent])
  }
  if (settings.autoAlpha) temperatures.step(slopes, settings.alphaLr)
}

// ---------------------------------------------------------------------------------------------------------------------
// The learner.

function openPlayers(spec: EnvSpec, ids: readonly string[], settings: HasacSettings, seed: string | number): Players {
  const rng = (name: string) => new Generator(namedSeed(seed, `hasac: ${name} weights`))
  return new Players(spec, ids, playerKind(spec, 'squeezed'), 1, settings, rng)
}

function create(request: LearnerRequest): OffPolicy {
  const spec = requestSpec(request.batch)
  const settings = effectiveInput(spec, withDefaults(HASAC_SETTINGS, request.settings ?? {}, 'hasac settings'))
  requireOneReward('hasac', spec, request, 'maddpg and mappo')
  if (settings.alphaEnd !== null && settings.autoAlpha) {
    throw new TroupeError('bad-option', {
      where: 'hasac settings: alphaEnd',
      got: `${settings.alphaEnd} with autoAlpha`,
      expected: 'autoAlpha off, or null: alpha either follows the entropy or a line',
    })
  }
  const ids = learningIds(spec, request.agents)
  const n = ids.length
  const players = openPlayers(spec, ids, settings, request.seed)
  const { hidden, layers, activation, gradientNorm, criticInput, alpha } = settings
  const world = criticInput === 'state' ? spec.stateSize : n * spec.observationSize
  const shape = { inputs: world + n * players.width, outputs: 1, hidden, layers, activation, outputGain: 1 }
  const critic = (name: string) =>
    trained(new Network({ ...shape, name }, new Generator(namedSeed(request.seed, `hasac: ${name} weights`))), gradientNorm) // prettier-ignore
  const critics: [Trained, Trained] = [critic('critic0'), critic('critic1')]
  const actors = players.nets.map(([net]) => trained(net, gradientNorm))
  const temperatures = new Temperatures(n, alpha)
  const targets = new Targets(critics.map(({ net }) => net))
  const troop: Troop = { settings, players, actors, critics, targets, temperatures }
  return new OffPolicy(request, {
    name: 'hasac',
    settings,
    players,
    targets,
    networks: [...actors, ...critics, { net: temperatures, optimiser: temperatures.optimiser }],
    learn: (memory, generators, step, means, fraction) =>
      learn({ ...troop, settings: paced(settings, fraction) }, memory, generators, step, means),
    noise: () => 0,
    values: (view, seen, out) => {
      const input = besides(seen, players.joint(view), view.lanes)
      const [one, two] = [new Float32Array(view.lanes), new Float32Array(view.lanes)]
      critics[0].net.infer(input, view.lanes, one)
      critics[1].net.infer(input, view.lanes, two)
      for (let i = 0; i < out.length; i++) out[i] = Math.min(one[Math.floor(i / n)], two[Math.floor(i / n)])
    },
  })
}

export const hasac: LearnerDefinition = {
  name: 'hasac',
  paper: 'Liu et al. 2024, arXiv 2306.10715',
  summary:
    'Soft actor–critic for teams: agents of their own, updated one after the other; twin critics that see everything.',
  settings: HASAC_SETTINGS,
  presets: HASAC_PRESETS,
  create,
  policy: (spec, checkpoint, mode) =>
    playersPolicy('hasac', checkpoint, mode, (settings, agents) =>
      openPlayers(spec, agents, settings as HasacSettings, 0),
    ),
}
