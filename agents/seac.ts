/**
 * SEAC, shared experience: every agent has an actor and a critic of its own, and learns from what all agents have lived through.
 * Rows of others are weighted by how likely its own policy would have done the same.
 *
 * Christianos et al. 2020, "Shared Experience Actor-Critic for Multi-Agent Reinforcement Learning" (arXiv 2006.07169); reference
 * code semitable/seac at 29dcbce. For agent i with own rows and those of every other agent k:
 *
 *   L_i = A2C loss on its own rows + λ_s Σ_k [ −mean(ρ A^i_k log π_i(a_k | o_k)) + mean(ρ (R_k − V_i(o_k))²) / 2 ]
 *   ρ = π_i(a_k | o_k) / (π_k(a_k | o_k) + 1e-7), A^i_k = R_k − V_i(o_k), neither with a gradient
 *
 * R_k is the return of agent k, made with its own critic; π_k is what played. There is no clipping of ρ, and entropy on own rows
 * only. Differences from the reference are listed in agents/README.md.
 *
 * Read on: settings, the shared part (exported, pure), the learner.
 */
import { Type, type Static } from '#typebox'
import { TroupeError, type EnvSpec } from '../envs/core/index.ts'
import { A2C_SETTINGS, A2c, effectiveA2c } from './core/a2c.ts'
import { policyGradient, withOwn } from './core/actor-critic.ts'
import { actorLearner } from './core/definition.ts'
import { type SharedActor } from './core/actor.ts'
import { requireChoices } from './core/categorical.ts'
import { ownInputs } from './core/critic-inputs.ts'
import { type Critic } from './core/critic.ts'
import { type LearnerPreset, type Metrics } from './core/learner.ts'
import { SEAC_DIFFERS, SEAC_REFERENCE, SEAC_SOURCE } from './core/published.ts'
import { fixed, real } from './core/settings.ts'
import { sumNumbers, type Part, type Shard } from './core/shards.ts'
import { tf } from './core/tensors.ts'
import { clippedValueLoss } from './kernels/index.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings: A2C's with the paper's defaults. Networks are the agents' own, without memory: a policy with memory would have to
// be unrolled along histories that it did not make.

export const SEAC_SETTINGS = Type.Object(
  {
    ...withOwn(A2C_SETTINGS, { lr: 1e-3, criticLr: 1e-3, optimiserEpsilon: 1e-3, gradientNorm: 0.5, rolloutSteps: 5 }),
    deviation: fixed(0.5, 'Of real-valued actions, which this learner refuses.'),
    sharing: fixed('none', 'Every agent has networks of its own: data are shared, not weights.'),
    agentId: fixed(false, 'Networks of their own need no ids.'),
    network: fixed('mlp', 'Feed-forward: histories of others were made by others.'),
    chunk: Type.Null({ default: null, description: 'For recurrent networks only.' }),
    criticNetwork: fixed('mlp', 'Feed-forward: histories of others were made by others.'),
    valueNorm: fixed(false, 'Returns of one agent are learned by the critics of all: one unit for all.'),
    valueNormBeta: fixed(0.99999, 'As valueNorm.'),
    popArt: fixed(false, 'As valueNorm.'),
    share: real(1, 0, 100, 'λ_s, weight of what others lived through; ref 1. 0 is independent A2C.'),
  },
  { additionalProperties: false },
)

export type SeacSettings = Static<typeof SEAC_SETTINGS>

/** As published. */
export const SEAC_PRESETS: Readonly<Record<string, LearnerPreset<SeacSettings>>> = {
  seac: {
    summary: 'the paper’s, for foraging and warehouse: 4 lanes of 5 steps',
    source: SEAC_SOURCE,
    settings: { ...SEAC_REFERENCE, share: 1 },
    differs: SEAC_DIFFERS,
  },
}

/** @throws TroupeError when agents see or do different things: then nobody can learn from another's rows */
function requireAlike(spec: EnvSpec): void {
  requireChoices(spec, 'seac')
  const { env, agents } = spec
  const where = `seac: agents of ${env}`
  const expected = 'agents with the same observations and the same choices; ia2c with sharing none learns the others'
  const shape = ({ observation, action }: EnvSpec['agents'][number]) => JSON.stringify([observation.length, action])
  const odd = agents.find((agent) => shape(agent) !== shape(agents[0]))
  if (odd === undefined) return
  throw new TroupeError('bad-option', { where, got: `${odd.id} unlike ${agents[0].id}`, expected })
}

// ---------------------------------------------------------------------------------------------------------------------
// What is learned from others.

const RATIO_EPSILON = 1e-7 // in the denominator of ρ; reference code

/** ρ of one row, of log-probabilities. */
export function importance(mine: number, theirs: number): number {
  return Math.exp(mine) / (Math.exp(theirs) + RATIO_EPSILON)
}

/** −Σ w A log π: the policy's part. `factor` [rows] holds w A with w = ρ / rows of that agent; it has no gradient. */
export function sharedPolicyLoss(logProbability: tf.Tensor1D, factor: Float32Array): tf.Scalar {
  return tf.neg(tf.sum(tf.mul(logProbability, tf.tensor1d(factor))))
}

/** Gradients of one agent's networks over the rows of the others. */
export interface Guest {
  readonly actor: SharedActor
  readonly critic: Critic
  readonly slot: number
}

// ---------------------------------------------------------------------------------------------------------------------

export class Seac extends A2c<SeacSettings> {
  private ratios = { sum: 0, count: 0 }

  protected override learn(pace: Parameters<A2c<SeacSettings>['learn']>[0]): Metrics {
    this.ratios = { sum: 0, count: 0 }
    const metrics = super.learn(pace)
    const [sum, count] = sumNumbers(
      this.group,
      this.shards.map((_, k) => (k === 0 ? [this.ratios.sum, this.ratios.count] : [0, 0])),
    )
    return { ...metrics, importance: count === 0 ? 1 : sum / count }
  }

  /** Adds to every agent's gradients what the rows of the others say; policies and critics are those from before the round. */
  protected override beforeStep(): void {
    const { share } = this.settings
    const n = this.slots.length
    if (share === 0 || n === 1) return
    const living = sumNumbers(
      this.group,
      this.shards.map(({ alive }) =>
        this.slots.reduce<number[]>((counts, slot) => [...counts, livingOf(alive, slot, n)], []),
      ),
    )
    this.shards.forEach((shard, k) => {
      for (const slot of this.slots) this.learnFromOthers(shard, k, slot, living)
    })
  }

  /** @param living [n] rows in which each agent lived, all shards */
  private learnFromOthers(shard: Shard, k: number, slot: number, living: ArrayLike<number>): void {
    const { descent, actors, settings } = this
    const critics = this.critics!
    const n = this.slots.length
    const part = othersPart(shard, slot)
    const { rows } = part
    const [actor, critic] = [actors.members[slot], critics.members[slot]]
    const mine = valuesOf(critic, shard, rows, slot)
    const ratio = new Float32Array(rows.length)
    const uploads = { actor: actor.inputs.upload(shard.rollout, shard.rollout.steps * shard.rollout.lanes) }
    const policy = new Float32Array(actor.net.size)
    policyGradient(
      actor,
      shard,
      uploads.actor,
      part,
      (logProbability, _entropy, { before, weight }) => {
        const said = logProbability.dataSync()
        const factor = new Float32Array(rows.length)
        for (let i = 0; i < rows.length; i++) {
          if (weight[i] === 0) continue
          ratio[i] = importance(said[i], before[i])
          this.ratios.sum += ratio[i]
          this.ratios.count++
          const total = Math.max(living[rows[i] % n], 1)
          factor[i] = (settings.share * ratio[i] * (shard.returns[rows[i]] - mine[i])) / total
        }
        return sharedPolicyLoss(logProbability, factor)
      },
      policy,
    )
    add(policy, descent.gradient(k, slot))
    const value = new Float32Array(critic.net.size)
    const input = critic.inputs.upload(shard.rollout, shard.rollout.steps * shard.rollout.lanes)
    const picked = input.pick(rows)
    const target = Float32Array.from(rows, (row) => shard.returns[row])
    const weight = ratio.map((rho, i) => (settings.share * rho) / Math.max(living[rows[i] % n], 1))
    critic.net.differentiate(({ forward }) => {
      const estimates = tf.reshape(forward(picked), [rows.length]) as tf.Tensor1D
      return clippedValueLoss(
        estimates,
        { before: mine, target, weight },
        { clip: null, delta: settings.huberDelta, total: 1 },
      )
    }, value)
    add(value, descent.gradient(k, actors.members.length + slot))
    picked.dispose()
    input.dispose()
    uploads.actor.dispose()
  }
}

function livingOf(alive: Uint8Array, slot: number, n: number): number {
  let count = 0
  for (let row = slot; row < alive.length; row += n) count += alive[row]
  return count
}

/** The rows of everybody but one agent. */
function othersPart(shard: Shard, slot: number): Part {
  const n = shard.rollout.agents
  return { steps: 1, rows: Int32Array.from(shard.returns.keys()).filter((row) => row % n !== slot) }
}

/** What a critic makes of rows of others. */
function valuesOf(critic: Critic, { rollout }: Shard, rows: Int32Array, slot: number): Float32Array {
  const input = new Float32Array(rows.length * critic.inputs.width)
  rows.forEach((row, i) => critic.inputs.write(rollout, row, slot, input, i))
  const out = new Float32Array(rows.length)
  critic.net.infer(input, rows.length, out)
  return out
}

function add(from: Float32Array, to: Float32Array): void {
  for (let i = 0; i < to.length; i++) to[i] += from[i]
}

export const seac = actorLearner({
  name: 'seac',
  paper: 'Christianos et al. 2020, arXiv 2006.07169',
  summary: 'A2C with networks of their own that learn from everybody’s experience, weighted by likelihood.',
  settings: SEAC_SETTINGS,
  presets: SEAC_PRESETS,
  effective: (spec, settings, agents) => {
    if (settings.share > 0) requireAlike(spec)
    return effectiveA2c('seac', settings, agents)
  },
  open: (request, settings, spec, agents) =>
    new Seac(request, { name: 'seac', settings, criticInputs: ownInputs(spec, agents, settings) }),
})
