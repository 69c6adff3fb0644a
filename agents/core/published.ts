/**
 * Published settings that several learners have in common, for `--preset`. Each learner says in its own file which it takes and
 * what is its own. Whole episodes are stretches of the family's time limit here: references update when episodes end, we after
 * `rolloutSteps`.
 */

/** Steps of an episode in EPyMARL, by environment. */
const EPYMARL_LIMITS = { matrix: 25, particles: 25, foraging: 50, warehouse: 500 }

export const EPYMARL_SOURCE = 'uoe-agents/epymarl at cbc38c0'
export const EPYMARL_DIFFERS =
  'updates come after stretches as long as the family’s time limit, not when ten episodes have ended; each network clips its own gradient'

/** What its actor–critics have in common: ten episodes at once, returns of five steps from a target critic. */
const EPYMARL = {
  lanes: 10,
  criticLayers: 2,
  activation: 'relu',
  init: 'uniform',
  optimiserEpsilon: 1e-8,
  gradientNorm: 10,
  gamma: 0.99,
  advantageNorm: false,
  rewardScale: 'standardise',
} as const

/** With shared networks: recurrent actors. */
export const EPYMARL_SHARED = { ...EPYMARL, sharing: 'full', network: 'gru', layers: 1, hidden: 128 } as const

/** With a network for each agent: all feed-forward. */
export const EPYMARL_APART = { ...EPYMARL, sharing: 'none', network: 'mlp', layers: 2, hidden: 64 } as const

/** Of its learners with a critic of states. */
export const EPYMARL_CRITIC = { valueNorm: false, huberDelta: null, nSteps: 5 } as const
export const SOFT_TARGET = { target: 'soft', targetTau: 0.01 } as const
export const HARD_TARGET = { target: 'hard', targetEvery: 200 } as const

/** Stretches as long as EPyMARL's episodes, learned from as a whole where actors remember. */
export const EPYMARL_STRETCH = { rolloutSteps: 25 }
export const EPYMARL_LONG_STRETCH = { rolloutSteps: 25, chunk: 25 }

/** Its actor–critics with a critic of states: as one network for all, and as a network for each. */
export const EPYMARL_ALL = { ...EPYMARL_SHARED, ...EPYMARL_CRITIC, ...SOFT_TARGET, ...EPYMARL_LONG_STRETCH } as const
export const EPYMARL_EACH = { ...EPYMARL_APART, ...EPYMARL_CRITIC, ...HARD_TARGET, ...EPYMARL_STRETCH } as const

/** Of its PPO. */
export const PPO_EPYMARL = { epochs: 4, minibatches: 1, clip: 0.2, valueClip: null } as const
export const PPO_EPYMARL_DIFFERS = `${EPYMARL_DIFFERS}; advantages are made once, where the source makes them anew in each of four epochs`

/** The same by environment. @param own more of an environment */
export function epymarlFamilies<Own extends object>(
  remembers: boolean,
  own: Readonly<Record<string, Own>> = {},
): Record<string, { rolloutSteps?: number; chunk?: number } & Partial<Own>> {
  const limits = Object.entries(EPYMARL_LIMITS).map(([env, rolloutSteps]) => {
    const stretch = remembers ? { rolloutSteps, chunk: rolloutSteps } : { rolloutSteps }
    return [env, { ...stretch, ...own[env] }] as const
  })
  return { ...own, ...Object.fromEntries(limits) } as ReturnType<typeof epymarlFamilies<Own>>
}

export const MAPPO_SOURCE = 'marlbenchmark/on-policy at de66d7a'
export const MAPPO_DIFFERS =
  'LayerNorm on inputs and layers is left out; chunks end with the rollout, where the source’s run on into the next lane'

/** Its defaults, with SMAC's lanes and steps. */
export const MAPPO_REFERENCE = {
  lanes: 8,
  rolloutSteps: 400,
  lr: 5e-4,
  criticLr: 5e-4,
  epochs: 15,
  minibatches: 1,
  hidden: 64,
  layers: 2,
  network: 'gru',
  criticNetwork: 'gru',
  chunk: 10,
  outputGain: 0.01,
  optimiserEpsilon: 1e-5,
  gradientNorm: 10,
  gamma: 0.99,
  lambda: 0.95,
  clip: 0.2,
  valueClip: 0.2,
  entropy: 0.01,
  huberDelta: 10,
  valueNorm: true,
  valueNormBeta: 0.99999,
  advantageNorm: true,
  bootstrapTruncated: false,
} as const

/** On particles: many short episodes. */
export const MAPPO_PARTICLES = {
  lanes: 128,
  rolloutSteps: 25,
  chunk: 5,
  lr: 7e-4,
  criticLr: 7e-4,
  epochs: 10,
  activation: 'tanh',
} as const

/** PPO without normalised values, as the libraries in JAX have it. */
const JAX = {
  lanes: 16,
  rolloutSteps: 128,
  epochs: 4,
  clip: 0.2,
  valueClip: 0.2,
  entropy: 0.01,
  gamma: 0.99,
  lambda: 0.95,
  gradientNorm: 0.5,
  optimiserEpsilon: 1e-5,
  valueNorm: false,
  huberDelta: null,
} as const

export const JAXMARL = { ...JAX, minibatches: 4, lrSchedule: 'linear' } as const
export const JAXMARL_MEMORY = {
  network: 'gru',
  criticNetwork: 'gru',
  layers: 1,
  hidden: 128,
  chunk: 128,
} as const
/** Of its SMAX runs, which stand nearest to skirmish. */
export const JAXMARL_SMAX = { lanes: 128, entropy: 0, gradientNorm: 0.25 } as const
export const JAXMARL_SOURCE = 'baselines of bold-lab-ai/JaxMARL (once FLAIROx); at no noted commit'
export const JAXMARL_DIFFERS =
  'actor and critic have an optimiser each, so the weight .5 of the value loss says nothing'

/** MAPPO's and IPPO's. */
export const MAVA_PRESET = {
  summary: 'feed-forward, 16 lanes of 128 steps',
  source: 'instadeepai/Mava at 57c8e64',
  settings: { ...JAX, minibatches: 2, lr: 2.5e-4, criticLr: 2.5e-4 },
  differs: 'the width of its layers was not read: ours; the weight .5 of the value loss says nothing here',
} as const

/** MAPPO's and IPPO's: 6,000 frames, 45 passes over minibatches of 400. */
export const BENCHMARL_PRESET = {
  summary: 'many passes over small minibatches, small steps',
  source: 'facebookresearch/BenchMARL at 179a956',
  settings: {
    lanes: 10,
    rolloutSteps: 600,
    epochs: 45,
    minibatches: 15,
    lr: 5e-5,
    criticLr: 5e-5,
    gamma: 0.99,
    lambda: 0.9,
    clip: 0.2,
    entropy: 0,
    gradientNorm: 5,
    valueNorm: false,
    huberDelta: null,
  },
  differs: 'lanes and the width of layers were not read: ours',
} as const

/** With these one update of PPO is one of A2C (Huang et al. 2022, arXiv 2205.09123). */
export const A2C_EQUAL = {
  rolloutSteps: 5,
  lr: 7e-4,
  criticLr: 7e-4,
  optimiser: 'rmsprop',
  optimiserEpsilon: 1e-5,
  lambda: 1,
  advantageNorm: false,
  valueNorm: false,
  huberDelta: null,
  entropy: 0,
  gradientNorm: 0.5,
} as const
export const A2C_EQUAL_SOURCE = 'Huang et al. 2022, arXiv 2205.09123; vwxyzjn/a2c_is_a_special_case_of_ppo at db77401'
export const A2C_EQUAL_DIFFERS =
  'actor and critic clip their gradients apart, which makes the weight .5 of the value loss say nothing else'

/** SEAC and SNAC in their paper. */
export const SEAC_REFERENCE = {
  lanes: 4,
  rolloutSteps: 5,
  lr: 3e-4,
  criticLr: 3e-4,
  optimiserEpsilon: 1e-3,
  gamma: 0.99,
  lambda: 1,
  entropy: 0.01,
  gradientNorm: 0.5,
  hidden: 64,
  layers: 2,
} as const
export const SEAC_SOURCE = 'semitable/seac at 29dcbce'
export const SEAC_DIFFERS = 'actor and critic clip their gradients apart, where the source has one norm for both'

/** VDN's and QMIX's, the same for every environment family. */
export const EPYMARL_JOINED = {
  summary: 'all families: feed-forward, rewards standardised',
  source: EPYMARL_SOURCE,
  settings: { lanes: 1, hidden: 64, lr: 5e-4, epsilonSteps: 50_000, rewardScaling: 'standardise' },
} as const

/** VDN's and QMIX's. */
export const PYMARL_JOINED = {
  summary: 'SMAC: GRU of 64 that sees its last action, RMSProp',
  source: 'oxwhirl/pymarl at c971afd',
  settings: {
    lanes: 1,
    network: 'gru',
    layers: 1,
    lastAction: true,
    optimiser: 'rmsprop',
    lr: 5e-4,
    epsilonSteps: 50_000,
  },
} as const
