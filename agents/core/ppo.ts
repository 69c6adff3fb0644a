/**
 * Proximal policy optimisation for several agents: what MAPPO and IPPO have in common, which is all but what the critic sees.
 *
 * Schulman et al. 2017 (arXiv 1707.06347); details as in marlbenchmark/on-policy at de66d7a. Differences from it are listed
 * in agents/README.md. Read on: settings, losses, updating. Acting, normalisers and saving are those of every actor–critic:
 * actor-critic.ts.
 */
import { Type, type Static, type TObject, type TProperties } from '#typebox'
import { type EnvSpec } from '../../envs/core/index.ts'
import { clippedPolicyLoss, type PolicyReadings } from '../kernels/index.ts'
import { type SharedActor } from './actor.ts'
import {
  ACTOR_SETTINGS,
  ActorCritic,
  CRITIC_SETTINGS,
  actorPolicy,
  effectiveSettings,
  hide,
  policyGradient,
  show,
  valueGradient,
  type Effective,
  type Pace,
} from './actor-critic.ts'
import { type Checkpoint } from './checkpoint.ts'
import { type Critic } from './critic.ts'
import { type Inputs, type Uploaded } from './inputs.ts'
import { type LearnerRequest, type Metrics, type PlayMode } from './learner.ts'
import { Means } from './metrics.ts'
import { minibatches } from './onpolicy.ts'
import { type Policy } from './policy.ts'
import { RETURN_SETTINGS, estimateReturns } from './returns.ts'
import { real, whole } from './settings.ts'
import { sumNumbers, type Part, type Shard } from './shards.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings. "ref" is the default of the reference code; where ours differs, the README says what was measured.

/** The settings that all PPO learners have, as properties of their schema. */
export const PPO_SETTINGS = {
  ...ACTOR_SETTINGS,
  ...CRITIC_SETTINGS,
  epochs: whole(10, 1, 100, 'Passes over each rollout; ref 15 on easy tasks, 5 to 10 on hard ones.'),
  minibatches: whole(4, 1, 1024, 'Parts of a pass, drawn by shuffling rows (with a gru: chunks); ref 1.'),
  lambda: real(0.95, 0, 1, 'GAE trace where nSteps is null.'),
  ...RETURN_SETTINGS,
  clip: real(0.2, 0, 10, 'Probability ratio may move by this much.'),
  valueClip: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
    default: 0.2,
    description: 'Critic may move by this much from its old estimate, in normalised units; null = no clip.',
  }),
} satisfies TProperties

export type PpoSettings = Static<TObject<typeof PPO_SETTINGS>>
/** With what follows from the world filled in. */
export type EffectivePpo<Settings extends PpoSettings = PpoSettings> = Effective<Settings>

/** Fills in shards and chunk. @param agents how many learn */
export function effectivePpo<Settings extends PpoSettings>(
  who: string,
  settings: Settings,
  agents: number,
): EffectivePpo<Settings> {
  return effectiveSettings(who, settings, agents)
}

// ---------------------------------------------------------------------------------------------------------------------
// Losses; their formulas are in kernels/losses.ts. A dead agent weighs nothing in the actor's.

/** What a shard's rollout shows one actor and one critic. */
export interface ShownBoth {
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
  { actor: shown }: Pick<ShownBoth, 'actor'>,
  part: Part,
  living: number,
  { clip, entropy: bonus }: { readonly clip: number; readonly entropy: number },
  gradient: Float32Array,
  readings: PolicyReadings,
): number {
  const settings = { clip, entropy: bonus, total: Math.max(living, 1) }
  return policyGradient(
    actor,
    shard,
    shown,
    part,
    (logProbability, entropy, rows) => clippedPolicyLoss(logProbability, entropy, rows, settings, readings),
    gradient,
  )
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
  { critic: shown }: Pick<ShownBoth, 'critic'>,
  part: Part,
  counted: number,
  settings: Pick<PpoSettings, 'valueOfDead' | 'valueClip' | 'huberDelta'>,
  gradient: Float32Array,
): number {
  return valueGradient(critic, shard, shown, part, counted, settings, gradient)
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

export class Ppo extends ActorCritic<PpoSettings> {
  constructor(request: LearnerRequest, kind: PpoKind) {
    super(request, { ...kind, targets: kind.settings.target !== 'none' })
  }

  protected learn(pace: Pace): Metrics {
    const { settings, shards, group, actors, descent } = this
    const critics = this.critics!
    for (const shard of shards) estimateReturns(shard, critics, this.targets, settings)
    const seen = this.foresight()
    const means = new Means()
    this.normaliseAdvantages(means)
    const readings = shards.map((): PolicyReadings => ({ entropy: 0, divergence: 0, clipped: 0 }))
    const rates = this.rates(pace.fraction)
    const loss = { clip: settings.clip, entropy: pace.entropy }
    const shown = shards.map((shard) => show(shard, actors, critics))
    const first = actors.members.length // of the critics among the networks that step
    let living = 0
    for (const minibatch of minibatches(shards, group, settings, actors.groups)) {
      const judged = critics.members.length === minibatch.groups.length ? minibatch.groups : [minibatch]
      critics.members.forEach((critic, g) =>
        critic.see(
          judged[g].returns,
          shards.map(({ value }) => value),
        ),
      )
      shards.forEach((shard, k) => {
        actors.members.forEach((actor, g) => {
          const { parts, living: own } = minibatch.groups[g]
          const gradient = descent.gradient(k, g)
          const look = { actor: shown[k].actors[g] }
          descent.loss(k, g, actorGradient(actor, shard, look, parts[k], own, loss, gradient, readings[k]))
        })
        critics.members.forEach((critic, g) => {
          const { parts, counted } = judged[g]
          const gradient = descent.gradient(k, first + g)
          const look = { critic: shown[k].critics[g] }
          descent.loss(k, first + g, criticGradient(critic, shard, look, parts[k], counted, settings, gradient))
        })
      })
      this.addSteps(means, descent.step(rates, this.steps))
      living += minibatch.living
    }
    shown.forEach(hide)
    this.moveTargets(settings)
    const [entropy, divergence, clipped] = sumNumbers(
      group,
      readings.map((own) => [own.entropy, own.divergence, own.clipped]),
    )
    means.add('entropy', entropy, living)
    means.add('approximateKl', divergence, living)
    means.add('clipFraction', clipped, living)
    return { ...means.all(), explainedVariance: seen.explainedVariance, valueError: seen.error }
  }
}

/** The policy inside a checkpoint of a PPO learner. */
export function ppoPolicy(name: string, spec: EnvSpec, checkpoint: Checkpoint, mode: PlayMode): Policy {
  return actorPolicy(name, spec, checkpoint, mode)
}
