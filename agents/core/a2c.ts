/**
 * Advantage actor–critic for several agents: one step of every network along the policy gradient of each rollout. IA2C, MAA2C,
 * SNAC, IAGC and REINFORCE are this with another critic, other sharing or other returns.
 *
 * Mnih et al. 2016 (arXiv 1602.01783) in its synchronous form; details as in EPyMARL at cbc38c0 (actor_critic_learner), with
 * differences listed in agents/README.md. PPO does the same step where it makes one pass over the whole rollout with λ = 1,
 * without normalising advantages and clipping values (Huang et al. 2022, arXiv 2205.09123); a test holds the two to the bit.
 */
import { Type, type Static, type TObject, type TProperties } from '#typebox'
import { TroupeError } from '../../envs/core/index.ts'
import { scoreLoss } from '../kernels/index.ts'
import {
  ACTOR_SETTINGS,
  ActorCritic,
  CRITIC_SETTINGS,
  effectiveSettings,
  hide,
  policyGradient,
  show,
  valueGradient,
  withOwn,
  type ActorCriticKind,
  type ActorOnlySettings,
  type Effective,
  type Pace,
} from './actor-critic.ts'
import { gae, nStepReturns } from './advantages.ts'
import { type LearnerRequest, type Metrics } from './learner.ts'
import { Means } from './metrics.ts'
import { foresee, minibatches, played } from './onpolicy.ts'
import { real, whole } from './settings.ts'
import { sumNumbers, type Shard } from './shards.ts'

/** Settings of targets made with the critic. */
export const RETURN_SETTINGS = {
  lambda: real(1, 0, 1, 'GAE trace where nSteps is null; 1 gives returns to the end of the rollout, as in A2C.'),
  nSteps: Type.Union([Type.Integer({ minimum: 1, maximum: 1 << 16 }), Type.Null()], {
    default: null,
    description: 'Returns of so many steps, then the critic’s estimate (EPyMARL 5); null = by lambda.',
  }),
  target: Type.Union([Type.Literal('none'), Type.Literal('soft'), Type.Literal('hard')], {
    default: 'none',
    description: 'Which critic returns end in: the critic itself, or one that follows it slowly (EPyMARL).',
  }),
  targetTau: real(0.01, 0, 1, 'soft: part of the way that the target goes after every update.'),
  targetEvery: whole(200, 1, 1e9, 'hard: updates (not episodes, not steps) between two copies.'),
} satisfies TProperties

const OWN = { lr: 1e-3, criticLr: 1e-3, rolloutSteps: 16, advantageNorm: false, valueNorm: false, huberDelta: null }

/** The settings that advantage actor–critics have, as properties of their schema. */
export const A2C_SETTINGS = {
  ...withOwn(ACTOR_SETTINGS, OWN),
  ...withOwn(CRITIC_SETTINGS, OWN),
  ...RETURN_SETTINGS,
} satisfies TProperties

export type ReturnSettings = Static<TObject<typeof RETURN_SETTINGS>>
export type A2cSettings = Static<TObject<typeof A2C_SETTINGS>>

/** Fills in shards and chunk. @throws TroupeError for settings that do not go together */
export function effectiveA2c<Settings extends A2cSettings>(
  who: string,
  settings: Settings,
  agents: number,
): Effective<Settings> {
  if (settings.popArt && settings.target !== 'none') {
    throw new TroupeError('bad-option', {
      where: `${who} settings: popArt`,
      got: `true beside a ${settings.target} target`,
      expected: 'target none: a follower of rewritten weights would mix units',
    })
  }
  return effectiveSettings(who, settings, agents)
}

export interface A2cKind<Settings extends ActorOnlySettings> extends Omit<ActorCriticKind<Settings>, 'targets'> {
  readonly settings: Effective<Settings> & Partial<A2cSettings>
}

export class A2c<Settings extends ActorOnlySettings = A2cSettings> extends ActorCritic<Settings> {
  private readonly own: Effective<Settings> & Partial<A2cSettings>

  constructor(request: LearnerRequest, kind: A2cKind<Settings>) {
    const { target = 'none' } = kind.settings
    super(request, { ...kind, targets: kind.criticInputs !== undefined && target !== 'none' })
    this.own = kind.settings
  }

  protected learn(pace: Pace): Metrics {
    const { shards, group, actors, critics, descent } = this
    const { huberDelta = null, valueOfDead = true } = this.own
    for (const shard of shards) this.estimate(shard)
    const seen = critics === undefined ? undefined : this.foresight()
    const means = new Means()
    this.normaliseAdvantages(means)
    const readings = shards.map(() => ({ entropy: 0 }))
    const shown = shards.map((shard) => show(shard, actors, critics))
    const first = actors.members.length
    const passes = { epochs: 1, minibatches: 1, valueOfDead }
    for (const rows of minibatches(shards, group, passes, actors.groups)) {
      const judged = critics?.members.length === rows.groups.length ? rows.groups : [rows]
      critics?.members.forEach((critic, g) =>
        critic.see(
          judged[g].returns,
          shards.map(({ value }) => value),
        ),
      )
      shards.forEach((shard, k) => {
        actors.members.forEach((actor, g) => {
          const { parts, living } = rows.groups[g]
          const settings = { entropy: pace.entropy, total: Math.max(living, 1) }
          const loss = policyGradient(
            actor,
            shard,
            shown[k].actors[g],
            parts[k],
            (logProbability, entropy, chosen) => scoreLoss(logProbability, entropy, chosen, settings, readings[k]),
            descent.gradient(k, g),
          )
          descent.loss(k, g, loss)
        })
        critics?.members.forEach((critic, g) => {
          const { parts, counted } = judged[g]
          const gradient = descent.gradient(k, first + g)
          const how = { valueOfDead, huberDelta }
          descent.loss(
            k,
            first + g,
            valueGradient(critic, shard, shown[k].critics[g], parts[k], counted, how, gradient),
          )
        })
      })
      this.beforeStep()
      this.addSteps(means, descent.step(this.rates(pace.fraction), this.steps))
      this.afterStep()
      const [entropy] = sumNumbers(
        group,
        readings.map((own) => [own.entropy]),
      )
      means.add('entropy', entropy, rows.living)
    }
    shown.forEach(hide)
    this.moveTargets()
    return {
      ...means.all(),
      ...(seen === undefined ? {} : { explainedVariance: seen.explainedVariance, valueError: seen.error }),
    }
  }

  /** Between the gradients and the step: a learner may change what `descent.gradient` holds. */
  protected beforeStep(): void {
    // Plain A2C changes nothing.
  }

  protected afterStep(): void {
    // Plain A2C changes nothing.
  }

  /** Fills a shard's `value`, `advantage` and `returns`. Without a critic returns end with the rollout, worth nothing there. */
  private estimate(shard: Shard): void {
    const { critics, targets, settings } = this
    const { lambda = 1, nSteps = null, bootstrapTruncated = true } = this.own
    const { advantage, returns } = shard
    const seen = played(shard, settings.gamma, bootstrapTruncated)
    if (critics === undefined) {
      const nothing = new Float32Array(returns.length)
      gae({ ...seen, lambda: 1, value: nothing, nextValue: nothing }, advantage, returns)
      return
    }
    const own = foresee(shard, critics, shard.value)
    const judge = targets === undefined ? own : foresee(shard, targets, new Float32Array(shard.value.length))
    if (nSteps === null) {
      gae({ ...seen, lambda, value: judge.value, nextValue: judge.next }, advantage, returns)
      if (targets === undefined) return
    } else nStepReturns({ ...seen, nextValue: judge.next }, nSteps, returns)
    for (let i = 0; i < advantage.length; i++) advantage[i] = returns[i] - own.value[i]
  }

  private moveTargets(): void {
    const { target = 'none', targetTau = 1, targetEvery = 1 } = this.own
    const due = target === 'soft' || (target === 'hard' && (this.parts.count.updates + 1) % targetEvery === 0)
    if (!due || this.targets === undefined) return
    for (let g = 0; g < this.targets.members.length; g++) this.follow(g, target === 'soft' ? targetTau : 1)
  }
}
