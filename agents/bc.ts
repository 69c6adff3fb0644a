/**
 * Behaviour cloning: do what was done. A policy is fitted to recorded episodes by maximum likelihood; nothing is played and no
 * reward is looked at. The first user of datasets, and what offline algorithms are compared with.
 *
 * Pomerleau 1988 (ALVINN); for teams with recurrent networks and masked choices as in instadeepai/og-marl at f4eb8f0 (BC).
 * Differences from it are listed in agents/README.md.
 *
 *   L = −mean over steps of the living of Σ over action dimensions of log π(a | h), illegal choices masked out
 *
 * Read on: settings, the loss, drawing and stepping. The dataset is core/dataset.ts.
 */
import { Type, type Static } from '#typebox'
import { Generator, namedSeed, withDefaults, type EnvBatch, type EnvSpec } from '../envs/core/index.ts'
import { judgeChoices, requireChoices } from './core/categorical.ts'
import { type Checkpoint } from './core/checkpoint.ts'
import { requireDataset, type Dataset } from './core/dataset.ts'
import { EpisodeBatch, type Stretch } from './core/episodes.ts'
import {
  loadLearner,
  loadNetwork,
  readState,
  requireFinite,
  saveLearner,
  type Learner,
  type LearnerDefinition,
  type LearnerParts,
  type LearnerRequest,
  type Metrics,
  type PlayMode,
  type SavedPart,
} from './core/learner.ts'
import { Network } from './core/networks.ts'
import { scheduled } from './core/onpolicy.ts'
import { type Policy, type PolicyMemory } from './core/policy.ts'
import { alone } from './core/shards.ts'
import { real, whole, yes } from './core/settings.ts'
import { SHARING } from './core/sharing.ts'
import { tf } from './core/tensors.ts'
import { JointDescent, differentiateTogether } from './core/together.ts'
import { Utilities, type MakeNetwork } from './core/utilities.ts'
import { bestLegal, softened } from './core/values.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings.

export const BC_SETTINGS = Type.Object(
  {
    network: Type.Union([Type.Literal('mlp'), Type.Literal('gru')], {
      default: 'mlp',
      description: 'mlp: an agent acts on what it sees now. gru: it remembers its episode; OG-MARL.',
    }),
    hidden: whole(64, 1, 4096, 'Width of the hidden layers and of the gru; OG-MARL 64.'),
    layers: whole(2, 1, 16, 'Hidden layers before the gru or the choice; OG-MARL 1 before a gru.'),
    activation: Type.Union([Type.Literal('relu'), Type.Literal('tanh')], {
      default: 'relu',
      description: 'Between layers.',
    }),
    outputGain: real(0.01, 0, 10, 'Orthogonal gain of the last layer: nearly uniform at first. Ours.'),
    sharing: SHARING,
    agentId: yes('Append a one-hot agent id to what a network sees; OG-MARL.'),
    batchSteps: whole(512, 1, 1 << 20, 'Recorded steps of the whole team in a gradient step. Ours.'),
    window: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      default: null,
      description:
        'Steps that are learned from in a row, a gru starting from zero; null = 1, and 16 with a gru. OG-MARL 20.',
    }),
    lr: real(1e-3, 0, 1, 'Adam step size; OG-MARL 3e-4.'),
    lrSchedule: Type.Union([Type.Literal('constant'), Type.Literal('linear')], {
      default: 'constant',
      description: 'linear: the step size falls to 0 at scheduleSteps.',
    }),
    scheduleSteps: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      default: null,
      description: 'Recorded steps drawn at which a linear schedule ends; a run fills in its own length.',
    }),
    gradientNorm: real(10, 0, 1e9, 'Greatest norm of the gradient of all parameters together. OG-MARL does not clip.'),
  },
  { additionalProperties: false },
)

export type BcSettings = Static<typeof BC_SETTINGS> & { readonly window: number }

function effectiveSettings(given: unknown): BcSettings {
  const settings = withDefaults(BC_SETTINGS, given ?? {}, 'bc settings')
  return { ...settings, window: settings.window ?? (settings.network === 'gru' ? 16 : 1) }
}

// ---------------------------------------------------------------------------------------------------------------------
// The loss.

/** Rows of choices that were made, and how much each counts. */
export interface Choices {
  readonly mask: Uint8Array // [K, A]
  readonly action: Int32Array // [K, D]
  readonly weight: Float32Array // [K]
}

/**
 * −Σ w log π(a) / total: maximum likelihood of what was done.
 * @param logits [K, A]
 * @param sizes [D] choices per dimension, summing to A
 */
export function cloningLoss(
  logits: tf.Tensor2D,
  { mask, action, weight }: Choices,
  sizes: readonly number[],
  total: number,
): tf.Scalar {
  const { logProbability } = judgeChoices(logits, mask, action, sizes)
  return tf.div(tf.neg(tf.sum(tf.mul(logProbability, tf.tensor1d(weight)))), Math.max(total, 1))
}

// ---------------------------------------------------------------------------------------------------------------------

const SOFTMAX = softened(
  () => 0,
  () => 1,
)

function networksOf({ hidden, layers, activation, outputGain, network }: BcSettings, rng: Generator): MakeNetwork {
  return (name, inputs, outputs) =>
    new Network({ name, inputs, outputs, hidden, layers, activation, outputGain, recurrent: network === 'gru' }, rng)
}

class BehaviourCloning implements Learner {
  readonly settings: BcSettings
  readonly stepsPerUpdate: number
  private readonly source: Dataset
  private readonly utilities: Utilities
  private readonly descent: JointDescent
  private readonly drawing: Generator
  private readonly batch: EnvBatch
  /** First step of every episode among all, and their number at the end. */
  private readonly begins: Int32Array // [episodes + 1]
  private readonly parts: LearnerParts
  private started = false

  constructor(request: LearnerRequest) {
    this.settings = effectiveSettings(request.settings)
    const { settings } = this
    this.batch = (Array.isArray(request.batch) ? request.batch[0] : request.batch) as EnvBatch
    const { spec } = this.batch
    requireChoices(spec, 'bc')
    const ids = (request.agents ?? [...spec.agents.keys()]).flatMap((agent) => spec.agents[agent]?.id ?? [])
    this.source = requireDataset('bc', request.dataset, spec, ids)
    const { episodes } = this.source
    this.begins = new Int32Array(episodes.count + 1)
    for (let e = 0; e < episodes.count; e++) this.begins[e + 1] = this.begins[e] + episodes.lengthOf(e) - 1
    const generator = (purpose: string) => new Generator(namedSeed(request.seed, `bc: ${purpose}`))
    const own = { ...settings, lastAction: false }
    this.utilities = new Utilities(spec, ids, own, networksOf(settings, generator('weights')))
    this.descent = new JointDescent('bc', this.utilities.networks, { ...settings, optimiser: 'adam' })
    this.drawing = generator('draws')
    this.stepsPerUpdate = this.stretches * settings.window
    this.parts = {
      algorithm: 'bc',
      settings,
      group: request.group ?? alone(),
      shards: [{ collector: { batch: this.batch }, generators: { drawing: this.drawing }, carried: {} }],
      agents: ids,
      networks: this.descent.parts,
      normalisers: {},
      count: { steps: 0, updates: 0 },
    }
  }

  get steps(): number {
    return this.parts.count.steps
  }

  /** Stretches in a batch. */
  private get stretches(): number {
    const { batchSteps, window } = this.settings
    return Math.max(1, Math.floor(batchSteps / window))
  }

  /** A stretch of an episode, in proportion to the steps there are. */
  private draw(): Stretch {
    const { begins, settings } = this
    const step = this.drawing.below(begins[begins.length - 1])
    let [sequence, above] = [0, begins.length - 1]
    while (above - sequence > 1) {
      const middle = (sequence + above) >> 1
      if (begins[middle] <= step) sequence = middle
      else above = middle
    }
    const all = begins[sequence + 1] - begins[sequence]
    const steps = Math.min(all, settings.window)
    return { sequence, first: Math.min(step - begins[sequence], all - steps), steps }
  }

  collectAndUpdate(): Metrics {
    const { utilities, descent, settings, parts } = this
    const { episodes } = this.source
    this.begin()
    const drawn = Array.from({ length: this.stretches }, () => this.draw())
    const batch = new EpisodeBatch(episodes, drawn, settings.network === 'gru')
    const choices = this.choices(batch)
    const total = choices.reduce((sum, { weight }) => sum + weight.reduce((all, one) => all + one, 0), 0)
    const inputs = utilities.inputs(episodes, batch)
    let right = 0
    const loss = differentiateTogether(
      utilities.networks,
      (weights) => {
        const tables = utilities.tables(utilities.networks, weights, inputs, batch)
        tables.forEach((table, g) => (right += this.agreeing(table.dataSync() as Float32Array, choices[g])))
        return tf.addN(tables.map((table, g) => cloningLoss(table, choices[g], utilities.sizes, total)))
      },
      descent.gradients,
    )
    for (const input of inputs) input.dispose()
    const lr = settings.lr * scheduled(settings, parts.count.steps)
    const gradientNorm = descent.step(lr, loss, this.steps)
    for (const { net } of descent.parts) requireFinite('bc', 'weights', net, net.read(), this.steps)
    parts.count.steps += this.stepsPerUpdate
    parts.count.updates++
    return {
      steps: this.steps,
      updates: parts.count.updates,
      policyLoss: loss,
      accuracy: right / Math.max(total, 1),
      gradientNorm,
      learningRate: lr,
      maskViolations: utilities.maskViolations,
      memoryEpisodes: episodes.count,
    }
  }

  /** What was done in every row of the tables, one list per network; weight 0 where nothing was done. */
  private choices(batch: EpisodeBatch): Choices[] {
    const { utilities } = this
    const { episodes } = this.source
    const { sizes } = utilities
    const [n, D] = [utilities.agents.length, sizes.length]
    const A = sizes.reduce((sum, size) => sum + size, 0)
    const [masks, actions, alive] = [episodes.column('mask'), episodes.column('action'), episodes.column('alive')]
    return utilities.membership().map((own) => {
      const rows = batch.rows * own.length
      const mask = new Uint8Array(rows * A)
      const action = new Int32Array(rows * D)
      const weight = new Float32Array(rows)
      for (const row of batch.now) {
        own.forEach((slot, k) => {
          const from = batch.places[row] * n + slot
          const to = row * own.length + k
          mask.set(masks.subarray(from * A, (from + 1) * A), to * A)
          action.set(actions.subarray(from * D, (from + 1) * D), to * D)
          weight[to] = alive[from]
        })
      }
      return { mask, action, weight }
    })
  }

  /** Rows that count in which every dimension's best choice is the one that was made. */
  private agreeing(logits: Float32Array, { mask, action, weight }: Choices): number {
    const { sizes } = this.utilities
    const D = sizes.length
    let count = 0
    let at = 0
    weight.forEach((counts, row) => {
      let same = counts > 0
      sizes.forEach((size, d) => {
        if (bestLegal(logits, at, mask, at, size) !== action[row * D + d]) same = false
        at += size
      })
      if (same) count++
    })
    return count
  }

  private begin(): void {
    if (!this.started) this.batch.reset() // checkpoints hold the lanes of every learner, of this one as they were made
    this.started = true
  }

  policy(mode: PlayMode): Policy {
    return this.utilities.policy('bc', mode, SOFTMAX)
  }

  /** There is no critic: NaN says nothing. */
  values(_batch: EnvBatch, out: Float32Array): void {
    out.fill(NaN)
  }

  valueMemory(): PolicyMemory {
    return null
  }

  dataset(): Dataset {
    return this.source
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
    this.descent.dispose()
  }
}

function policy(spec: EnvSpec, checkpoint: Checkpoint, mode: PlayMode): Policy {
  const { settings, agents } = readState(checkpoint, 'bc')
  const own = { ...(settings as unknown as BcSettings), lastAction: false }
  const utilities = new Utilities(spec, agents, own, networksOf(own, new Generator(namedSeed(0, 'overwritten'))))
  for (const net of utilities.networks) loadNetwork(net, checkpoint, 'bc: checkpoint')
  const dispose = () => utilities.networks.forEach((net) => net.dispose())
  return { ...utilities.policy('bc', mode, SOFTMAX), dispose }
}

export const bc: LearnerDefinition = {
  name: 'bc',
  paper: 'Pomerleau 1988; for teams as OG-MARL (Formanek et al. 2023, arXiv 2302.00521)',
  summary: 'Behaviour cloning: fits a policy to recorded episodes (--dataset) and plays nothing itself.',
  settings: BC_SETTINGS,
  offline: true,
  create: (request) => new BehaviourCloning(request),
  policy,
}
