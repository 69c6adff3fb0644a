/**
 * Advantage actor–critic for several agents: one step of every network along the policy gradient of each rollout. IA2C, MAA2C,
 * SNAC, IAGC and REINFORCE are this with another critic, other sharing or other returns.
 *
 * Mnih et al. 2016 (arXiv 1602.01783) in its synchronous form; details as in EPyMARL at cbc38c0 (actor_critic_learner), with
 * differences listed in agents/README.md. PPO does the same step where it makes one pass over the whole rollout with λ = 1,
 * without normalising advantages and clipping values (Huang et al. 2022, arXiv 2205.09123); a test holds the two to the bit.
 */
import { type Static, type TObject, type TProperties } from '#typebox'
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
import { gae } from './advantages.ts'
import { type LearnerRequest, type Metrics } from './learner.ts'
import { Means } from './metrics.ts'
import { minibatches, played } from './onpolicy.ts'
import { RETURN_SETTINGS, estimateReturns } from './returns.ts'
import { real } from './settings.ts'
import { sumNumbers, type Shard } from './shards.ts'

const OWN = { lr: 1e-3, criticLr: 1e-3, rolloutSteps: 16, advantageNorm: false, valueNorm: false, huberDelta: null }

/** The settings that advantage actor–critics have, as properties of their schema. */
export const A2C_SETTINGS = {
  ...withOwn(ACTOR_SETTINGS, OWN),
  ...withOwn(CRITIC_SETTINGS, OWN),
  lambda: real(1, 0, 1, 'GAE trace where nSteps is null; 1 gives returns to the end of the rollout, as in A2C.'),
  ...RETURN_SETTINGS,
} satisfies TProperties

export type A2cSettings = Static<TObject<typeof A2C_SETTINGS>>

/** Fills in shards and chunk. @throws TroupeError for settings that do not go together */
export function effectiveA2c<Settings extends A2cSettings>(
  who: string,
  settings: Settings,
  agents: number,
): Effective<Settings> {
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
    this.moveTargets(this.own)
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
    const { gamma } = settings
    if (critics !== undefined) {
      estimateReturns(shard, critics, targets, { gamma, lambda, nSteps, bootstrapTruncated })
      return
    }
    const nothing = new Float32Array(shard.returns.length)
    const seen = { ...played(shard, gamma, bootstrapTruncated), lambda: 1, value: nothing, nextValue: nothing }
    gae(seen, shard.advantage, shard.returns)
  }
}
