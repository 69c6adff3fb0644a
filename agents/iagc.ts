/**
 * IAGC: independent actors with a global critic, all recurrent, with actors that are made sparse while they learn.
 *
 * Named in arXiv 2503.15172 (sparse recurrent learners for spectrum access), whose details we could not read: what stands here is
 * our reading of its abstract, and no reproduction. It is MAA2C with a GRU in every actor and in the critic, networks of their own, GAE,
 * and gradual magnitude pruning of the actors by a linear, a polynomial or a harmonic schedule (core/sparsity.ts; the harmonic
 * one is ours in the spirit of that paper). Weights come back where the schedule falls.
 *
 * Read on: settings, the learner. Losses and updating: core/a2c.ts. Masks: core/pruning.ts.
 */
import { Type, type Static } from '#typebox'
import { A2C_SETTINGS, A2c, effectiveA2c } from './core/a2c.ts'
import { withOwn } from './core/actor-critic.ts'
import { actorLearner } from './core/definition.ts'
import { CENTRAL_SETTINGS, centralInputs, effectiveCentral } from './core/critic-inputs.ts'
import { type LearnerRequest, type Metrics } from './core/learner.ts'
import { Pruner } from './core/pruning.ts'
import { real, whole, yes } from './core/settings.ts'
import { sparsityAt } from './core/sparsity.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings.

export const IAGC_SETTINGS = Type.Object(
  {
    ...withOwn(A2C_SETTINGS, {
      sharing: 'none',
      network: 'gru',
      criticNetwork: 'gru',
      layers: 1,
      criticHidden: 128,
      rolloutSteps: 20,
      chunk: 20,
      gamma: 0.95,
      lambda: 0.95,
      lr: 1e-3,
      criticLr: 1e-3,
      valueNorm: true,
      huberDelta: 10,
      advantageNorm: true,
    }),
    ...withOwn(CENTRAL_SETTINGS, { critic: 'n-headed' }),
    sparsity: real(0, 0, 1, 'Part of the actors’ weights that are masked at the end of pruning; 0 = none.'),
    sparsityStart: real(0, 0, 1, 'The same where pruning begins.'),
    sparsitySchedule: Type.Union([Type.Literal('linear'), Type.Literal('polynomial'), Type.Literal('harmonic')], {
      default: 'polynomial',
      description:
        'From the one to the other: straight; cubic (Zhu and Gupta 2017); or in cycles in which weights come back (ours).',
    }),
    pruneFrom: real(0.1, 0, 1, 'Where pruning begins, as a part of scheduleSteps.'),
    pruneTo: real(0.7, 0, 1, 'Where it ends, as a part of scheduleSteps; the masks stay from there on.'),
    pruneEvery: whole(10, 1, 1e9, 'Updates between two sets of masks.'),
    pruneEnds: yes('Prune the first and the last layer, too.'),
  },
  { additionalProperties: false },
)

export type IagcSettings = Static<typeof IAGC_SETTINGS>

// ---------------------------------------------------------------------------------------------------------------------

export class Iagc extends A2c<IagcSettings> {
  private readonly pruners: readonly Pruner[]

  constructor(request: LearnerRequest, kind: ConstructorParameters<typeof A2c<IagcSettings>>[1]) {
    super(request, kind)
    const { sparsity, sparsityStart, pruneEnds } = kind.settings
    const prunes = sparsity > 0 || sparsityStart > 0
    this.pruners = prunes ? this.actors.members.map(({ net }) => new Pruner(net, pruneEnds)) : []
    this.keep(
      Object.fromEntries(
        this.pruners.map((pruner, g) => [`store/pruning/${this.actors.members[g].net.shape.name}`, pruner]),
      ),
    )
  }

  /** Not before the actors are as sparse as they are meant to end. */
  settled(): boolean {
    return this.pruners.every((pruner) => pruner.reached(this.settings.sparsity))
  }

  protected override learn(pace: Parameters<A2c<IagcSettings>['learn']>[0]): Metrics {
    const { pruneEvery, pruneFrom, pruneTo, scheduleSteps, sparsitySchedule, sparsityStart, sparsity } = this.settings
    const { updates } = this.parts.count
    const [from, to] = [pruneFrom * (scheduleSteps ?? 0), pruneTo * (scheduleSteps ?? 0)]
    // From the first masks on until those of the final sparsity are made; without an end in steps at once.
    if (updates % pruneEvery === 0 && this.steps >= from) {
      const progress = to > from ? (this.steps - from) / (to - from) : 1
      for (const pruner of this.pruners) pruner.prune(sparsityAt(sparsitySchedule, progress, sparsityStart, sparsity))
    }
    const metrics = super.learn(pace)
    const prunable = this.pruners.reduce((sum, pruner) => sum + pruner.prunable, 0)
    const masked = this.pruners.reduce((sum, pruner) => sum + pruner.prunable * pruner.sparsity, 0)
    return { ...metrics, sparsity: prunable === 0 ? 0 : masked / prunable }
  }

  protected override beforeStep(): void {
    this.pruners.forEach((pruner, g) => this.shards.forEach((_, k) => pruner.silence(this.descent.gradient(k, g))))
  }

  protected override afterStep(): void {
    for (const pruner of this.pruners) pruner.hold()
  }
}

export const iagc = actorLearner({
  name: 'iagc',
  paper: 'named in arXiv 2503.15172; our reading',
  summary: 'Recurrent independent actors, a recurrent global critic, and actors pruned while they learn.',
  settings: IAGC_SETTINGS,
  effective: (spec, settings, agents, given) => {
    // The largest chunk that divides a rollout shorter than the default, unless one was asked for.
    const asked = given as { readonly chunk?: unknown }
    const fits = settings.chunk !== null && settings.rolloutSteps % settings.chunk === 0
    const chunk = asked.chunk === undefined && !fits ? null : settings.chunk
    return effectiveA2c('iagc', effectiveCentral('iagc', spec, { ...settings, chunk }), agents)
  },
  open: (request, settings, spec, agents) =>
    new Iagc(request, { name: 'iagc', settings, criticInputs: centralInputs(spec, agents, settings) }),
})
