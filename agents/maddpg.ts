/**
 * MADDPG: deterministic policy gradients for many agents. Each agent has an actor that sees its own observation, and a critic
 * that sees everybody's observations and actions; actors learn by what their critic says of their action beside the others'
 * remembered ones. Choices are made through Gumbel-softmax with straight-through. Optionally each agent has an ensemble of
 * policies of which every episode draws one.
 *
 * Lowe et al. 2017, "Multi-Agent Actor-Critic for Mixed Cooperative-Competitive Environments" (arXiv 1706.02275); reference code
 * openai/maddpg at 3ceefa0, which leaves the ensembles out. Differences from it are listed in agents/README.md.
 *
 * Read on: settings, losses, one gradient step, the learner.
 */
import { Type, type Static } from '#typebox'
import { Generator, namedSeed, withDefaults, type EnvSpec } from '../envs/core/index.ts'
import { straightThrough } from './core/heads.ts'
import { type LearnerDefinition, type LearnerPreset, type LearnerRequest } from './core/learner.ts'
import { Network } from './core/networks.ts'
import { gumbel } from './core/noise.ts'
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
import { type Means } from './core/metrics.ts'
import { Players } from './core/players.ts'
import { EPYMARL_SOURCE } from './core/published.ts'
import { real, whole } from './core/settings.ts'
import { requestSpec } from './core/shards.ts'
import { tf } from './core/tensors.ts'
import { drawSteps, type StepMemory } from './core/transitions.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings. "ref" is openai/maddpg.

export const MADDPG_SETTINGS = Type.Object(
  {
    ...rhythm({ lanes: 4, rolloutSteps: 25, updates: 1, batch: 1024, memory: 200_000, warmup: 2_000 }),
    ...OFF_POLICY_SETTINGS,
    hidden: whole(64, 1, 4096, 'Width of the hidden layers of actors and critics; ref 64.'),
    lr: real(1e-2, 0, 1, 'Adam step size of the actors; ref 1e-2.'),
    criticLr: real(1e-2, 0, 1, 'Adam step size of the critics; ref 1e-2.'),
    gamma: real(0.95, 0, 1, 'Discount per step; ref .95.'),
    window: whole(1, 1, 1024, 'Rewards taken together before the critic’s estimate; ref 1.'),
    tau: real(0.01, 1e-9, 1, 'How far target networks move at each gradient step; ref .01.'),
    gradientNorm: real(0.5, 0, 1e9, 'Greatest gradient norm, each network by itself; ref .5.'),
    regulariser: real(
      1e-3,
      0,
      10,
      'Weight of the mean square of what actors say (logits, or numbers before tanh); ref 1e-3.',
    ),
    temperature: real(
      1,
      1e-3,
      100,
      'Of the Gumbel-softmax whose gradient choices take; ref 1. Real-valued actions: unused.',
    ),
    temperatureEnd: Type.Union([Type.Number({ minimum: 1e-3, maximum: 100 }), Type.Null()], {
      default: null,
      description: 'The same at scheduleSteps, reached along a line; null = as at first, ref. Ours.',
    }),
    policies: whole(
      1,
      1,
      16,
      'K, policies of each agent, one drawn for each episode; paper 3 where it has ensembles, code 1.',
    ),
    noise: real(
      0.3,
      0,
      10,
      'Deviation of exploration around real-valued actions at first, in half of their range. Ours.',
    ),
    noiseFinal: real(0.1, 0, 10, 'The same at noiseSteps and after. Ours.'),
    noiseSteps: whole(
      100_000,
      1,
      1 << 30,
      'Environment steps (all lanes) over which exploration falls, in a straight line. Ours.',
    ),
  },
  { additionalProperties: false },
)

export type MaddpgSettings = Static<typeof MADDPG_SETTINGS>

/** Sixteen episodes in a batch, 50,000 in the memory, one gradient step per episode, by the family's time limit. */
const epymarlEpisodes = (limit: number) => ({ rolloutSteps: limit, batch: 16 * limit, warmup: 16 * limit })

/** As published. */
export const MADDPG_PRESETS: Readonly<Record<string, LearnerPreset<MaddpgSettings>>> = {
  maddpg: {
    summary: 'the paper’s, for particles: large steps, large batches, one gradient step per 100 steps',
    source: 'openai/maddpg at 3ceefa0',
    settings: {
      lanes: 1,
      rolloutSteps: 100,
      updates: 1,
      batch: 1024,
      memory: 1_000_000,
      warmup: 25_600,
      hidden: 64,
      layers: 2,
      lr: 1e-2,
      criticLr: 1e-2,
      gamma: 0.95,
      tau: 0.01,
      gradientNorm: 0.5,
      regulariser: 1e-3,
      temperature: 1,
    },
    differs:
      'uniform play in the beginning; choices are played and kept as one of them, not soft; see the table of differences',
  },
  'maddpg-ensemble': {
    summary: 'the same with three policies of each agent, as the paper has in its competitions',
    source: 'Lowe et al. 2017, arXiv 1706.02275, section 4.3',
    settings: { policies: 3, lanes: 1, rolloutSteps: 100, memory: 1_000_000, warmup: 25_600 },
    differs: 'the released code has no ensembles; the rest is that code’s',
  },
  'epymarl-ns': {
    summary: 'a network of 128 for each agent, feed-forward, a soft target',
    source: EPYMARL_SOURCE,
    settings: {
      lanes: 1,
      updates: 1,
      memory: 1_250_000,
      hidden: 128,
      lr: 5e-4,
      criticLr: 5e-4,
      gamma: 0.99,
      tau: 0.01,
      gradientNorm: 10,
      regulariser: 1e-3,
      ...epymarlEpisodes(25),
    },
    families: { foraging: epymarlEpisodes(50), warehouse: epymarlEpisodes(500) },
    differs:
      'steps are drawn one by one, not as episodes; rewards are not standardised; others’ actions are the remembered ones; ' +
      '1,250,000 steps of memory stand for 50,000 episodes of 25',
  },
}

// ---------------------------------------------------------------------------------------------------------------------
// What critics are asked.

function gumbels(count: number, rng: Generator): Float32Array {
  return Float32Array.from({ length: count }, () => gumbel(rng.float()))
}

/**
 * An agent's action out of what its actor says, as critics see it.
 * @param said [rows, A] logits, or [rows, D] numbers before tanh
 * @param rng of Gumbel draws, for choices
 */
export function actionOf(
  shown: Shown,
  players: Players,
  agent: number,
  when: 'observation' | 'next',
  said: tf.Tensor2D,
  temperature: number,
  rng: Generator,
): tf.Tensor2D {
  if (players.kind === 'choices') {
    const noise = gumbels(said.size, rng)
    return straightThrough(said, shown.penalty(agent, when), noise, temperature, players.sizes)
  }
  const used = shown.used(agent)
  const action = tf.tanh(said)
  return (used === null ? action : tf.mul(action, tf.tensor2d(used, said.shape))) as tf.Tensor2D
}

/** r + γ^m (1 − term) Q'(next, a'), [rows], the rewards of one agent. @param next Q' [rows, 1] */
export function targetsOf(shown: Shown, agent: number, next: Float32Array): Float32Array {
  const { reward, discount } = shown.batch
  return Float32Array.from({ length: shown.rows }, (_, k) => reward[k * shown.n + agent] + discount[k] * next[k])
}

/**
 * −Σ w Q(world, actions with the agent's own new one) / living + regulariser · mean of squares of what the actor said; illegal
 * logits are left out of the mean.
 * @param q [rows, 1]
 * @param said [rows, width]
 */
export function actorLoss(
  q: tf.Tensor2D,
  said: tf.Tensor2D,
  counts: Float32Array | null,
  { weight, count }: { readonly weight: Float32Array; readonly count: number },
  regulariser: number,
): tf.Scalar {
  const score = tf.div(tf.sum(tf.mul(tf.reshape(q, [weight.length]), tf.tensor1d(weight))), count)
  const squares = tf.square(counts === null ? said : tf.mul(said, tf.tensor2d(counts, said.shape)))
  return tf.add(tf.neg(score), tf.mul(regulariser, tf.mean(squares)))
}

// ---------------------------------------------------------------------------------------------------------------------
// One gradient step of every network.

/** Networks in play; targets are those of the actors [n][K], then of the critics [n]. */
export interface Troop {
  readonly settings: MaddpgSettings
  readonly players: Players
  readonly actors: readonly (readonly Trained[])[]
  readonly critics: readonly Trained[]
  readonly targets: Targets
}

/** Steps in memory that each agent played with each of its policies, [n K]. */
function heldParts(memory: StepMemory, n: number, K: number): Int32Array {
  const held = new Int32Array(n * K)
  const part = memory.column('part')
  for (let k = 0; k < memory.count; k++) {
    const at = memory.at(k) * n
    for (let agent = 0; agent < n; agent++) held[agent * K + part[at + agent]]++
  }
  return held
}

function learn(troop: Troop, memory: StepMemory, { drawing }: Generators, step: number, means: Means): void {
  const { settings, players, targets } = troop
  const n = players.agents.length
  const K = settings.policies
  const held = K === 1 ? null : heldParts(memory, n, K)
  for (let agent = 0; agent < n; agent++) {
    for (let part = 0; part < K; part++) {
      if (held !== null && held[agent * K + part] === 0) continue
      const of = held === null ? undefined : { agent, part }
      const batch = drawSteps(memory, drawing, settings.batch, of)
      const shown = new Shown(batch, players, settings.criticInput)
      tf.tidy(() => {
        criticStep(troop, shown, agent, part, drawing, step, means)
        actorStep(troop, shown, agent, part, drawing, step, means)
      })
    }
  }
  targets.follow(settings.tau)
}

export function criticStep(
  { settings, players, critics, targets }: Troop,
  shown: Shown,
  agent: number,
  part: number,
  drawing: Generator,
  step: number,
  means: Means,
): void {
  const n = players.agents.length
  const K = settings.policies
  // Others play whichever of their policies is drawn here, the agent the one whose steps these are.
  const next = players.agents.map((_, other) => {
    const chosen = other === agent || K === 1 ? part : drawing.below(K)
    const said = targets.nets[other * K + chosen].forward(shown.sight(other, 'next'))
    return actionOf(shown, players, other, 'next', said, settings.temperature, drawing)
  })
  const after = targets.nets[n * K + agent].forward(tf.concat([shown.world('next'), ...next], 1) as tf.Tensor2D)
  const wanted = targetsOf(shown, agent, after.dataSync() as Float32Array)
  const living = shown.living(agent)
  const input = tf.concat([shown.world('observation'), ...players.agents.map((_, k) => shown.action(k))], 1)
  const done = descend('maddpg', critics[agent], settings.criticLr, step, ({ forward, read }) => {
    const value = forward(input as tf.Tensor2D)
    read('value', value)
    return valueLoss(value, wanted, living, settings.huberDelta)
  })
  means.add('valueLoss', done.loss)
  means.add('criticGradientNorm', done.norm)
  readForesight(means, done.readings.value, wanted)
}

export function actorStep(
  { settings, players, actors, critics }: Troop,
  shown: Shown,
  agent: number,
  part: number,
  drawing: Generator,
  step: number,
  means: Means,
): void {
  const living = shown.living(agent)
  const { policies: K, regulariser, temperature } = settings
  const sight = shown.sight(agent, 'observation')
  const world = shown.world('observation')
  const actions = players.agents.map((_, other) => (other === agent ? undefined : shown.action(other)))
  const counts =
    players.kind === 'choices'
      ? shown.penalty(agent, 'observation').map((penalty) => (penalty === 0 ? 1 : 0))
      : shown.used(agent)
  const done = descend('maddpg', actors[agent][part], settings.lr, step, ({ forward }) => {
    const said = forward(sight)
    const own = actionOf(shown, players, agent, 'observation', said, temperature, drawing)
    const q = critics[agent].net.forward(tf.concat([world, ...actions.map((one) => one ?? own)], 1) as tf.Tensor2D)
    return tf.div(actorLoss(q, said, counts, living, regulariser), K)
  })
  means.add('policyLoss', done.loss)
  means.add('actorGradientNorm', done.norm)
}

// ---------------------------------------------------------------------------------------------------------------------
// The learner.

function openPlayers(spec: EnvSpec, ids: readonly string[], settings: MaddpgSettings, seed: string | number): Players {
  const rng = (name: string) => new Generator(namedSeed(seed, `maddpg: ${name} weights`))
  return new Players(spec, ids, playerKind(spec, 'numbers'), settings.policies, settings, rng)
}

function create(request: LearnerRequest): OffPolicy {
  const spec = requestSpec(request.batch)
  const settings = effectiveInput(spec, withDefaults(MADDPG_SETTINGS, request.settings ?? {}, 'maddpg settings'))
  const ids = learningIds(spec, request.agents)
  const players = openPlayers(spec, ids, settings, request.seed)
  const { hidden, layers, activation, gradientNorm, criticInput, noise, noiseFinal, noiseSteps } = settings
  const world = criticInput === 'state' ? spec.stateSize : ids.length * spec.observationSize
  const shape = { inputs: world + ids.length * players.width, outputs: 1, hidden, layers, activation, outputGain: 1 }
  const critics = ids.map((_, slot) => {
    const name = `critic${slot}`
    return trained(new Network({ ...shape, name }, new Generator(namedSeed(request.seed, `maddpg: ${name} weights`))), gradientNorm) // prettier-ignore
  })
  const actors = players.nets.map((nets) => nets.map((net) => trained(net, gradientNorm)))
  const networks = [...actors.flat(), ...critics]
  const targets = new Targets(networks.map(({ net }) => net))
  const troop: Troop = { settings, players, actors, critics, targets }
  return new OffPolicy(request, {
    name: 'maddpg',
    settings,
    players,
    targets,
    networks,
    learn: (memory, generators, step, means, fraction) => {
      const { temperature, temperatureEnd, scheduleSteps } = settings
      const now = {
        ...paced(settings, fraction),
        temperature: underWay(temperature, temperatureEnd, scheduleSteps, step),
      }
      learn({ ...troop, settings: now }, memory, generators, step, means)
    },
    noise: (steps) => noise + (noiseFinal - noise) * Math.min(1, steps / noiseSteps),
    values: (view, seen, out) => {
      const input = besides(seen, players.joint(view), view.lanes)
      const one = new Float32Array(view.lanes)
      critics.forEach(({ net }, slot) => {
        net.infer(input, view.lanes, one)
        for (let lane = 0; lane < view.lanes; lane++) out[lane * ids.length + slot] = one[lane]
      })
    },
  })
}

export const maddpg: LearnerDefinition = {
  name: 'maddpg',
  paper: 'Lowe et al. 2017, arXiv 1706.02275',
  summary:
    'Actors of their own, critics that see all observations and actions; from remembered steps. Real numbers or choices.',
  settings: MADDPG_SETTINGS,
  presets: MADDPG_PRESETS,
  create,
  policy: (spec, checkpoint, mode) =>
    playersPolicy('maddpg', checkpoint, mode, (settings, agents) =>
      openPlayers(spec, agents, settings as MaddpgSettings, 0),
    ),
}
