/** How fast learners train from end to end: playing, targets, updates and what workers exchange; no evaluations. */
import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'
import { type Checkpoint, LEARNERS } from '../../agents/index.ts'
import { ENVS } from '../../envs/index.ts'
import { loadScenario } from '../../scenarios/load.ts'
import { scenarioSpec } from '../../scenarios/open.ts'
import { useBackend } from '../backend.ts'
import { openLearner } from '../parallel.ts'
import { tileSpeed } from './kernels.ts'
import { speedRow, type SpeedRow } from './measure.ts'
import { busiest, threadTimes } from './threads.ts'

const SCENARIO = 'warehouse/tiny-4ag'
const ALGORITHM = 'mappo'
const LEARNER = { lanes: 64, shards: 2, rolloutSteps: 40, hidden: 128, epochs: 4, minibatches: 4, lr: 5e-4 }

/** What is measured: a name and the settings that make it. A row whose settings the algorithm does not have is left out. */
const TRAINED: readonly (readonly [name: string, change: Readonly<Record<string, string>>])[] = [
  ['per-agent critic', { critic: 'per-agent' }],
  ['n-headed critic', { critic: 'n-headed' }],
  ['GRU actor, per-agent critic', { critic: 'per-agent', network: 'gru' }],
]

/**
 * QMIX as EPyMARL trains it on its 8 × 8 foraging: layers, batch and one gradient step per episode are the same. There it makes
 * 855 environment steps per second with one thread (EPyMARL cbc38c0; measured elsewhere, on a machine that is not this one).
 */
const VALUES = {
  scenario: 'foraging/8x8-2p-2f-coop',
  algorithm: 'qmix',
  settings: { lanes: 8, rolloutSteps: 50, hidden: 64, network: 'mlp', batchEpisodes: 32, updatesPerEpisode: 1 },
  epymarl: 855,
}

/**
 * Learners from single remembered steps, in the rhythm of their defaults, and HAPPO and IA2C with the rollouts of MAPPO above. There are
 * no figures of the reference codes on the same networks to hold these against.
 */
const OTHERS: readonly (readonly [
  scenario: string,
  algorithm: string,
  settings: Readonly<Record<string, number>>,
  says: string,
])[] = [
  [
    'particles/spread-continuous',
    'maddpg',
    { lanes: 4, rolloutSteps: 25, updates: 1, batch: 1024, hidden: 64, warmup: 0, memory: 20_000 },
    'one gradient step of every network on 1024 steps per 100 steps played, hidden 64',
  ],
  [
    'particles/spread-continuous',
    'hasac',
    { lanes: 8, rolloutSteps: 25, updates: 4, batch: 256, hidden: 128, warmup: 0, memory: 20_000 },
    'four gradient steps of every network on 256 steps per 200 steps played, hidden 128',
  ],
  [
    SCENARIO,
    'happo',
    { lanes: 64, shards: 2, rolloutSteps: 40, hidden: 128, epochs: 4, minibatches: 4 },
    '64 lanes × 40 steps, hidden 128, 4 epochs of 4 minibatches for each of four actors and the critic',
  ],
  [
    SCENARIO,
    'ia2c',
    { lanes: 64, shards: 2, rolloutSteps: 40, hidden: 128 },
    '64 lanes × 40 steps, hidden 128, one step of actor and critic along the whole rollout',
  ],
]

export interface TrainingSpeedSettings {
  /** Timed updates per row, after two to warm up; default 3. */
  readonly runs?: number
  /** Default: one, and two where there are two cores. */
  readonly workers?: readonly number[]
  /** Changes to the settings that are measured. */
  readonly learner?: Readonly<Record<string, number>>
  /** The same for the learner of action values. */
  readonly values?: Readonly<Record<string, number>>
  /** The same for MADDPG, HASAC, HAPPO and IA2C. */
  readonly others?: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly backend?: string
}

/**
 * Multiplications and additions per environment step in the products of all layers: one pass to act or to judge, and in
 * every epoch one pass, one gradient of the weights and, behind the first layer, one of the inputs.
 * @param passes passes of each network per environment step, by the first part of its tensors' names
 */
export function operationsPerStep(
  weights: Checkpoint['weights'],
  passes: Readonly<Record<string, number>>,
  epochs: number,
): number {
  const begun = new Set<string>()
  let total = 0
  for (const [name, { shape }] of Object.entries(weights)) {
    const network = name.split('/')[0]
    if (shape.length !== 2 || passes[network] === undefined) continue
    const gradients = begun.has(network) ? 2 : 1
    begun.add(network)
    total += 2 * passes[network] * shape[0] * shape[1] * (1 + epochs * (1 + gradients))
  }
  return total
}

/** Environment steps per second, one row per kind of network and number of workers. */
export async function trainingSpeed(settings: TrainingSpeedSettings = {}): Promise<SpeedRow[]> {
  const { runs = 3, workers = availableParallelism() > 1 ? [1, 2] : [1], learner: changes = {} } = settings
  const backend = await useBackend(settings.backend ?? 'auto')
  // Beside every row, because machines that others use change their speed within minutes.
  const tile = async () => (await tileSpeed({ runs: 2 }))[backend.portable ? 0 : 1].best * 1e9
  const bounded = backend.name === 'simd'
  const scenario = loadScenario(SCENARIO)
  const agents = scenarioSpec(scenario, ENVS).agents.length
  const known = LEARNERS[ALGORITHM].settings.properties
  const rows: SpeedRow[] = [await valueSpeed(runs, backend.name, settings.values)]
  for (const other of OTHERS) rows.push(await otherSpeed(other, runs, backend.name, settings.others?.[other[1]]))
  for (const [network, change] of TRAINED) {
    if (Object.keys(change).some((name) => !Object.hasOwn(known, name))) continue
    for (const count of workers) {
      const learning: typeof LEARNER & { critic?: string } = { ...LEARNER, ...changes, ...change }
      const opened = await openLearner({
        scenario,
        algorithm: ALGORITHM,
        settings: learning,
        seed: 'speed',
        environments: ENVS,
        backend: backend.name,
        workers: count,
      })
      try {
        const { learner } = opened
        for (let warm = 0; warm < 2; warm++) learner.collectAndUpdate()
        const rates: number[] = []
        const perCpu: number[] = []
        const waits: number[] = [] // parts of the time
        const before = bounded ? await tile() : 0
        for (let run = 0; run < runs; run++) {
          const [began, used, threads] = [performance.now(), process.cpuUsage(), threadTimes()]
          learner.collectAndUpdate()
          const [took, { user, system }, now] = [performance.now() - began, process.cpuUsage(used), threadTimes()]
          const own = threads === null || now === null ? null : busiest(threads, now, opened.workers)
          rates.push((learner.stepsPerUpdate * 1e3) / took)
          // With several workers, by the processor time of the busiest: what the clock would say if none had to wait.
          if (own !== null) waits.push(own.waited / took)
          if (opened.workers === 1) perCpu.push((learner.stepsPerUpdate * 1e6) / (user + system))
          else if (own !== null) perCpu.push((learner.stepsPerUpdate * 1e3) / own.ran)
        }
        const limit = bounded ? (before + (await tile())) / 2 : null
        const by = `${opened.workers} worker${opened.workers === 1 ? '' : 's'}`
        const { lanes, rolloutSteps, hidden, epochs, minibatches } = learning
        const passes = { actor: agents, critic: learning.critic === 'n-headed' ? 1 : agents }
        const work = operationsPerStep(learner.save().weights, passes, epochs)
        const row = speedRow(`${SCENARIO}: mappo training, ${network}, ${by}`, 'env-steps/s', rates, {
          ...(perCpu.length < runs ? {} : { byCpuTime: perCpu.sort((a, b) => a - b)[runs >> 1] }),
          note: `${lanes} lanes × ${rolloutSteps} steps, hidden ${hidden}, ${epochs} epochs of ${minibatches} minibatches, ${learner.settings.shards as number} shards, backend ${backend.name}; evaluations not counted${waits.length < runs ? '' : `; waited ${Math.round(100 * waits.sort((a, b) => a - b)[runs >> 1])} % of the time for a core`}`,
        })
        const bound = limit === null ? null : (limit * opened.workers) / work
        rows.push(
          bound === null ? row : { ...row, ratios: [{ of: 'the bound set by the tile', value: row.best / bound }] },
        )
      } finally {
        await opened.close()
      }
    }
  }
  return rows
}

/** Environment steps per second of a learner with a memory, every finished episode followed by its gradient step. */
async function valueSpeed(runs: number, backend: string, changes: TrainingSpeedSettings['values']): Promise<SpeedRow> {
  const { scenario, algorithm, epymarl } = VALUES
  const settings = { ...VALUES.settings, ...changes }
  const opened = await openLearner({
    scenario: loadScenario(scenario),
    algorithm,
    settings,
    seed: 'speed',
    environments: ENVS,
    backend,
    workers: 1,
  })
  try {
    const { learner } = opened
    let steps = 0 // gradient steps so far
    const once = () => {
      steps = learner.collectAndUpdate().gradientSteps
    }
    while (steps === 0) once() // until the memory holds a batch
    const rates: number[] = []
    const perCpu: number[] = []
    for (let run = 0; run < runs; run++) {
      const [began, used, before] = [performance.now(), process.cpuUsage(), learner.steps]
      once()
      const { user, system } = process.cpuUsage(used)
      const played = learner.steps - before
      rates.push((played * 1e3) / (performance.now() - began))
      perCpu.push((played * 1e6) / (user + system))
    }
    const { lanes, batchEpisodes, hidden, updatesPerEpisode } = settings
    const row = speedRow(`${scenario}: ${algorithm} training, 1 worker`, 'env-steps/s', rates, {
      byCpuTime: perCpu.sort((a, b) => a - b)[runs >> 1],
      note: `${lanes} lanes, hidden ${hidden}, ${updatesPerEpisode} gradient steps per episode on ${batchEpisodes} episodes, backend ${backend}; evaluations not counted`,
    })
    return { ...row, ratios: [{ of: `EPyMARL’s ${epymarl}, measured elsewhere`, value: row.median / epymarl }] }
  } finally {
    await opened.close()
  }
}

/** Environment steps per second of a learner, from the first update that learns on. */
async function otherSpeed(
  [scenario, algorithm, usual, says]: (typeof OTHERS)[number],
  runs: number,
  backend: string,
  changes: Readonly<Record<string, number>> = {},
): Promise<SpeedRow> {
  const settings = { ...usual, ...changes }
  const opened = await openLearner({
    scenario: loadScenario(scenario),
    algorithm,
    settings,
    seed: 'speed',
    environments: ENVS,
    backend,
    workers: 1,
  })
  try {
    const { learner } = opened
    while (learner.collectAndUpdate().valueLoss === undefined) continue // until the memory holds a batch
    const rates: number[] = []
    const perCpu: number[] = []
    const rounds = Object.keys(changes).length > 0 ? 1 : Math.ceil(1000 / learner.stepsPerUpdate)
    for (let run = 0; run < runs; run++) {
      const [began, used] = [performance.now(), process.cpuUsage()]
      for (let round = 0; round < rounds; round++) learner.collectAndUpdate()
      const { user, system } = process.cpuUsage(used)
      const played = rounds * learner.stepsPerUpdate
      rates.push((played * 1e3) / (performance.now() - began))
      perCpu.push((played * 1e6) / (user + system))
    }
    return speedRow(`${scenario}: ${algorithm} training, 1 worker`, 'env-steps/s', rates, {
      byCpuTime: perCpu.sort((a, b) => a - b)[runs >> 1],
      note: `${Object.keys(changes).length === 0 ? says : 'settings of its own'}, backend ${backend}; evaluations not counted`,
    })
  } finally {
    await opened.close()
  }
}
