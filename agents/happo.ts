/**
 * HAPPO: PPO for a team of unlike agents, each with an actor of its own. Actors are updated one after the other in random order;
 * what those before have become weighs the advantages of those after, so that the team as a whole does not get worse.
 *
 * Kuba et al. 2022, "Trust Region Policy Optimisation in Multi-Agent Reinforcement Learning" (arXiv 2109.11251), algorithm 4;
 * Zhong et al. 2024, "Heterogeneous-Agent Reinforcement Learning" (arXiv 2304.09870); reference code PKU-MARL/HARL at d539bad.
 * Differences from it are listed in agents/README.md.
 *
 * Read on: settings, what the critic sees, the factor, the learner. The clipped loss is PPO's: with a factor M of 0 or more,
 * min(M ρ A, M clip(ρ) A) is PPO's loss with M A for A.
 */
import { Type, type Static } from '#typebox'
import { Generator, namedSeed, type EnvSpec } from '../envs/core/index.ts'
import { clippedPolicyLoss, type PolicyReadings } from './kernels/index.ts'
import {
  ACTOR_SETTINGS,
  ActorCritic,
  CRITIC_SETTINGS,
  effectiveSettings as effective,
  hide,
  policyGradient,
  show,
  valueGradient,
  withOwn,
  type Effective,
  type Pace,
  type Shown,
} from './core/actor-critic.ts'
import { actorLearner } from './core/definition.ts'
import { type SharedActor } from './core/actor.ts'
import { Inputs, type Uploaded } from './core/inputs.ts'
import { type LearnerPreset, type LearnerRequest, type Metrics } from './core/learner.ts'
import { Means } from './core/metrics.ts'
import { Descent, estimate, minibatches } from './core/onpolicy.ts'
import { power } from './core/players.ts'
import { real, whole } from './core/settings.ts'
import { sumNumbers, type Part, type Shard } from './core/shards.ts'
import { requireOneReward } from './core/teams.ts'
import { tf } from './core/tensors.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings. "ref" is PKU-MARL/HARL.

export const HAPPO_SETTINGS = Type.Object(
  {
    ...withOwn(ACTOR_SETTINGS, { sharing: 'none', advantageOver: 'agent', lr: 1e-3 }),
    ...withOwn(CRITIC_SETTINGS, { criticLr: 1e-3 }),
    epochs: whole(5, 1, 100, 'Passes of each actor, and of the critic, over each rollout; ref 5.'),
    minibatches: whole(1, 1, 1024, 'Parts of a pass, drawn by shuffling rows (with a gru: chunks); ref 1.'),
    lambda: real(0.95, 0, 1, 'GAE trace; ref .95.'),
    clip: real(0.2, 0, 10, 'Probability ratio may move by this much; ref .2, .05 on some maps.'),
    valueClip: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
      default: 0.2,
      description: 'Critic may move by this much from its old estimate, in normalised units; null = no clip; ref .2.',
    }),
    criticInput: Type.Union([Type.Literal('state'), Type.Literal('observations')], {
      default: 'state',
      description:
        'What the critic sees: the global state (ref EP), or all observations side by side, which is also what happens ' +
        'where the environment has no global state.',
    }),
  },
  { additionalProperties: false },
)

export type HappoSettings = Static<typeof HAPPO_SETTINGS>

/** As published. */
export const HAPPO_PRESETS: Readonly<Record<string, LearnerPreset<HappoSettings>>> = {
  harl: {
    summary: '20 lanes of 200 steps, networks of 128; on skirmish three layers of 64 and a GRU',
    source: 'PKU-MARL/HARL at d539bad',
    settings: {
      lanes: 20,
      rolloutSteps: 200,
      hidden: 128,
      layers: 2,
      lr: 5e-4,
      criticLr: 5e-4,
      epochs: 5,
      minibatches: 1,
      clip: 0.2,
      valueClip: 0.2,
      entropy: 0.01,
      huberDelta: 10,
      gradientNorm: 10,
      optimiserEpsilon: 1e-5,
      gamma: 0.99,
      lambda: 0.95,
      sharing: 'none',
      advantageOver: 'agent',
    },
    families: {
      skirmish: {
        rolloutSteps: 160,
        hidden: 64,
        layers: 3,
        network: 'gru',
        criticNetwork: 'gru',
        chunk: 10,
      },
    },
    differs:
      'no LayerNorm; clip and gamma were tuned for each SMAC map (.05 to .2, .95 or .99); states of an agent’s own are left out',
  },
}

/** One look for all: a value head for each agent, without ids. */
function centralInputs(spec: EnvSpec, agents: number, { criticInput }: HappoSettings): Inputs {
  return new Inputs(spec, agents, { columns: [criticInput], heads: agents, hidesDead: false })
}

// ---------------------------------------------------------------------------------------------------------------------
// The factor, and one advantage for all.

/**
 * Weighs the factor by what an actor has become: M ← M Π π_new(a|o) / π_old(a|o) over the agents that share it, in every lane at
 * every step; the dead count as unchanged.
 * @param factor [T, B] multiplied in place
 * @param rows of lanes × agents
 * @param before,after log-probabilities of these rows, old and new
 */
export function weigh(
  factor: Float64Array,
  rows: Int32Array,
  agents: number,
  alive: Uint8Array,
  before: ArrayLike<number>,
  after: ArrayLike<number>,
): void {
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k]
    if (alive[row] === 1) factor[Math.floor(row / agents)] *= power(after[k] - before[k])
  }
}

/** Σ |M − 1|: how far the team as a whole has moved. */
function spreadOf(factor: Float64Array): number {
  return factor.reduce((sum, value) => sum + Math.abs(value - 1), 0)
}

/** A lane has one advantage at a step: the mean of what the heads say, which is GAE over the mean of the values. */
export function shareAdvantage(advantage: Float32Array, agents: number): void {
  for (let cell = 0; cell < advantage.length / agents; cell++) {
    let sum = 0
    for (let n = 0; n < agents; n++) sum += advantage[cell * agents + n]
    advantage.fill(sum / agents, cell * agents, (cell + 1) * agents)
  }
}

/** The order in which groups are updated: every one as likely, from the seed and the number of the update alone. */
export function updateOrder(seed: string | number, update: number, groups: number): number[] {
  const order = Array.from({ length: groups }, (_, k) => k)
  new Generator(namedSeed(seed, `happo: order ${update}`)).shuffle(order)
  return order
}

// ---------------------------------------------------------------------------------------------------------------------
// The learner.

class Happo extends ActorCritic<HappoSettings> {
  private readonly seed: string | number
  /** One per actor, and the critic's: each steps by itself. */
  private readonly descents: readonly Descent[]

  constructor(request: LearnerRequest, settings: Effective<HappoSettings>, criticInputs: Inputs) {
    super(request, { name: 'happo', settings, criticInputs })
    this.seed = request.seed
    const nets = [...this.actors.members, ...this.critics!.members].map(({ net }) => net)
    this.descents = nets.map((net, k) => {
      const { optimiser } = this.parts.networks[k]
      return new Descent('happo', this.group, this.shards.length, [{ net, optimiser }])
    })
  }

  protected learn(pace: Pace): Metrics {
    const { settings, shards, group, actors } = this
    const critics = this.critics!
    const agents = this.slots.length
    for (const shard of shards) {
      estimate(shard, critics, settings)
      shareAdvantage(shard.advantage, agents)
    }
    const seen = this.foresight()
    const means = new Means()
    this.normaliseAdvantages(means)
    const readings = shards.map((): PolicyReadings => ({ entropy: 0, divergence: 0, clipped: 0 }))
    const shown = shards.map((shard) => show(shard, actors, critics))
    const plain = shards.map(({ advantage }) => advantage.slice())
    const factors = shards.map(({ rows }) => new Float64Array(rows / agents).fill(1))
    let living = 0
    for (const member of updateOrder(this.seed, this.parts.count.updates, actors.members.length)) {
      shards.forEach(({ advantage }, k) => {
        for (let row = 0; row < advantage.length; row++) {
          advantage[row] = plain[k][row] * factors[k][Math.floor(row / agents)]
        }
      })
      living += this.improve(member, pace, shown, readings, means)
      shards.forEach((shard, k) => this.reweigh(member, shard, shown[k].actors[member], factors[k]))
    }
    shards.forEach(({ advantage }, k) => advantage.set(plain[k]))
    this.judge(pace, shown, means)
    shown.forEach(hide)
    const [entropy, divergence, clipped, spread, cells] = sumNumbers(
      group,
      readings.map((own, k) => [own.entropy, own.divergence, own.clipped, spreadOf(factors[k]), factors[k].length]),
    )
    means.add('entropy', entropy, living)
    means.add('approximateKl', divergence, living)
    means.add('clipFraction', clipped, living)
    means.add('factorSpread', spread, cells)
    return { ...means.all(), explainedVariance: seen.explainedVariance, valueError: seen.error }
  }

  /** All passes of one actor. @returns rows of the living that it saw */
  private improve(
    member: number,
    { fraction, entropy }: Pace,
    shown: readonly Shown[],
    readings: readonly PolicyReadings[],
    means: Means,
  ): number {
    const { settings, shards, group, actors } = this
    const descent = this.descents[member]
    let seen = 0
    for (const { groups } of minibatches(shards, group, settings, actors.groups)) {
      const { parts, living } = groups[member]
      const loss = { clip: settings.clip, entropy, total: Math.max(living, 1) }
      shards.forEach((shard, k) => {
        const done = policyGradient(
          actors.members[member],
          shard,
          shown[k].actors[member],
          parts[k],
          (logProbability, bonus, rows) => clippedPolicyLoss(logProbability, bonus, rows, loss, readings[k]),
          descent.gradient(k, 0),
        )
        descent.loss(k, 0, done)
      })
      const [step] = descent.step([settings.lr * fraction], this.steps)
      means.add('actorGradientNorm', step.norm)
      means.add('policyLoss', step.loss)
      seen += living
    }
    return seen
  }

  /** What a shard's factor is after an actor has changed. */
  private reweigh(member: number, shard: Shard, shown: Uploaded, factor: Float64Array): void {
    const { actors } = this
    const own = Int32Array.from([...actors.groups.keys()].filter((slot) => actors.groups[slot] === member))
    shard.sortUnits()
    const part = shard.partOf(shard.part(shard.order), own)
    const after = judged(actors.members[member], shard, shown, part)
    const { alive, logProbability } = shard.rollout
    const before = Float32Array.from(part.rows, (row) => logProbability[row])
    weigh(factor, part.rows, this.slots.length, alive, before, after)
  }

  /** All passes of the critic. */
  private judge({ fraction }: Pace, shown: readonly Shown[], means: Means): void {
    const { settings, shards, group } = this
    const [critic] = this.critics!.members
    const descent = this.descents[this.descents.length - 1]
    for (const { parts, counted, returns } of minibatches(shards, group, settings)) {
      critic.see(
        returns,
        shards.map(({ value }) => value),
      )
      shards.forEach((shard, k) => {
        const look = shown[k].critics[0]
        descent.loss(k, 0, valueGradient(critic, shard, look, parts[k], counted, settings, descent.gradient(k, 0)))
      })
      const [step] = descent.step([settings.criticLr * fraction], this.steps)
      means.add('criticGradientNorm', step.norm)
      means.add('valueLoss', step.loss)
    }
  }
}

/** Log-probabilities, as they are now, of what was played in some rows. */
function judged(actor: SharedActor, shard: Shard, shown: Uploaded, part: Part): Float32Array {
  const sequences = shard.sequences(actor.net.shape.name, part)
  let values = new Float32Array(0)
  // Nothing is returned from tidy: it would look for tensors in every element of what it is given.
  tf.tidy(() => {
    const input = shown.pick(part.rows)
    const { logProbability } = actor.judge(actor.net.still, shard.rollout, part.rows, input, sequences)
    values = logProbability.dataSync() as typeof values
  })
  return values
}

export const happo = actorLearner({
  name: 'happo',
  paper: 'Kuba et al. 2022, arXiv 2109.11251',
  summary: 'PPO for teams of unlike agents: actors of their own, updated one after the other; a central critic.',
  settings: HAPPO_SETTINGS,
  presets: HAPPO_PRESETS,
  effective: (spec, settings, agents) => {
    const criticInput = spec.stateSize > 0 ? settings.criticInput : 'observations'
    return effective('happo', { ...settings, criticInput }, agents)
  },
  open: (request, settings, spec, agents) => {
    requireOneReward('happo', spec, request, 'mappo, ippo and maddpg')
    return new Happo(request, settings, centralInputs(spec, agents, settings))
  },
})
