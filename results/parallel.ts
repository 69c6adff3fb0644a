/**
 * A learner whose shards are shared out over threads. This thread is the first worker and works too; a watcher thread
 * starts the others and notices when one dies, because this thread, busy or waiting, cannot.
 *
 * How many workers there are changes nothing but the speed: checkpoints, metrics and weights are the same to the bit.
 */
import { availableParallelism } from 'node:os'
import { MessageChannel, Worker } from 'node:worker_threads'
import { TroupeError, episodeSeed, type EnvBatch, type EnvDefinition } from '../envs/core/index.ts'
import { ENVS } from '../envs/index.ts'
import { type Checkpoint } from '../agents/core/checkpoint.ts'
import { type Dataset } from '../agents/core/dataset.ts'
import {
  type Learner,
  type LearnerDefinition,
  type Metrics,
  type PlayMode,
  type SavedPart,
} from '../agents/core/learner.ts'
import { type Policy, type PolicyMemory } from '../agents/core/policy.ts'
import { LEARNERS } from '../agents/index.ts'
import { openScenario, scenarioSpec } from '../scenarios/open.ts'
import { type Scenario } from '../scenarios/schema.ts'
import { type LastWords, type SharedGroup, shareGroup, stopGroup, ThreadGroup } from './thread-group.ts'
import { compiled } from './workers.ts'

export interface LearnerJob {
  readonly scenario: Scenario
  /** Name in LEARNERS. */
  readonly algorithm: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly seed: string
}

export interface ParallelRequest extends LearnerJob {
  readonly environments: Readonly<Record<string, EnvDefinition>>
  /** Threads at most; there are never more than shards. Default: one per core. */
  readonly workers?: number
  /** The backend that the others make current; this thread has its own already. */
  readonly backend: string
  /** Path of a foreign environment's module, for the others to load. Without it there is one worker. */
  readonly module?: string
  /** For learners that do not play; they have one worker. */
  readonly dataset?: Dataset
}

export interface OpenedLearner {
  readonly learner: Learner
  readonly workers: number
  /** Frees the learner and ends its threads; resolves when they are gone. */
  close(): Promise<void>
}

const START_MS = 120_000

/** What a worker is started with. */
export interface WorkerJob extends LearnerJob {
  readonly worker: number
  readonly group: SharedGroup
  readonly backend: string
  readonly module?: string
}

/** Opens the learner of a scenario, with as many threads as asked for and useful. */
export async function openLearner(request: ParallelRequest): Promise<OpenedLearner> {
  const { scenario, algorithm, environments, seed, backend, module } = request
  const definition = LEARNERS[algorithm]
  const shards = definition.shards?.(scenarioSpec(scenario, environments), request.settings) ?? 1
  // A definition holds functions, which threads cannot be handed: they must be able to load it themselves.
  const known = module !== undefined || environments[scenario.env] === ENVS[scenario.env]
  const workers = known ? Math.max(1, Math.min(request.workers ?? availableParallelism(), shards)) : 1
  const job: LearnerJob = { scenario, algorithm, seed, settings: request.settings }
  if (workers === 1) {
    const own = Array.from({ length: shards }, (_, shard) => shard)
    const batches = openShards(job, definition, own, shards, environments)
    const learner = definition.create({
      batch: shards === 1 ? batches[0] : batches,
      settings: request.settings,
      seed,
      teamReward: scenario.teamReward,
      ...(request.dataset === undefined ? {} : { dataset: request.dataset }),
    })
    return { learner, workers, close: async () => learner.dispose() }
  }
  const group = shareGroup(workers, shards)
  const channels = Array.from({ length: workers }, () => new MessageChannel()) // to each of the others; to the watcher
  const jobs = Array.from({ length: workers - 1 }, (_, k): WorkerJob => {
    return { ...job, worker: k + 1, group, backend, ...(module === undefined ? {} : { module }) }
  })
  const far = channels.map(({ port2 }) => port2)
  const watcher = new Worker(compiled('./parallel-watch.ts', import.meta.url), {
    workerData: { jobs, ports: far },
    transferList: far,
    execArgv: [],
  })
  const near = channels.map(({ port1 }) => port1)
  const end = async (): Promise<void> => {
    stopGroup(group)
    await watcher.terminate() // and with it the threads it started
    for (const port of near) port.close()
  }
  try {
    const threads = new ThreadGroup(group, 0, near)
    const learner = definition.create({
      batch: openShards(job, definition, threads.own, shards, environments),
      group: threads,
      settings: request.settings,
      seed,
      teamReward: scenario.teamReward,
    })
    const shared = new SharedLearner(learner, threads, (message) => near.slice(0, -1).forEach((port) => port.postMessage(message))) // prettier-ignore
    const close = async (): Promise<void> => {
      learner.dispose()
      await end()
    }
    await ready(watcher, workers)
    return { learner: shared, workers, close }
  } catch (error) {
    await end()
    throw error
  }
}

/** The training batches of some shards, lanes numbered through over all. */
export function openShards(
  { scenario, settings, seed }: LearnerJob,
  definition: LearnerDefinition,
  own: readonly number[],
  shards: number,
  environments: Readonly<Record<string, EnvDefinition>>,
): EnvBatch[] {
  const all = (settings.lanes ?? definition.settings.properties.lanes?.default ?? 1) as number
  const lanes = all / shards
  if (!Number.isInteger(lanes)) {
    const got = `${shards} for ${all} lanes`
    throw new TroupeError('bad-option', { where: `${definition.name}: shards`, got, expected: 'a divisor of lanes' })
  }
  return own.map((shard) =>
    openScenario(
      scenario,
      { lanes, firstLane: shard * lanes, seeds: (lane, n) => episodeSeed(seed, 'train', lane, n) },
      environments,
    ),
  )
}

function ready(watcher: Worker, workers: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (where: string, got: string) =>
      reject(new TroupeError('environment', { where, got, expected: 'a worker that starts' }))
    const timer = setTimeout(() => fail('training workers', `not ready after ${START_MS / 1000} s`), START_MS)
    let started = 1
    watcher.on('message', (message: { kind: 'ready' } | LastWords) => {
      if (message.kind === 'failed') {
        clearTimeout(timer)
        fail(`training worker ${message.worker + 1} of ${workers}`, message.message)
      } else if (++started === workers) {
        clearTimeout(timer)
        resolve()
      }
    })
    watcher.once('error', (error) => {
      clearTimeout(timer)
      fail('training workers', error.message)
    })
  })
}

/** The first worker's learner, taking the others along. */
class SharedLearner implements Learner {
  readonly settings: Learner['settings']
  readonly stepsPerUpdate: number

  constructor(
    private readonly own: Learner,
    private readonly group: ThreadGroup,
    private readonly post: (message: unknown) => void,
  ) {
    this.settings = own.settings
    this.stepsPerUpdate = own.stepsPerUpdate
  }

  get steps(): number {
    return this.own.steps
  }

  collectAndUpdate(): Metrics {
    this.group.order('update')
    const metrics = this.own.collectAndUpdate()
    this.group.meet()
    return metrics
  }

  save(what?: SavedPart): Checkpoint {
    this.group.order('save')
    const checkpoint = this.own.save(what)
    this.group.meet()
    return checkpoint
  }

  load(checkpoint: Checkpoint): void {
    this.post(checkpoint)
    this.group.order('load')
    this.own.load(checkpoint)
    this.group.meet()
  }

  policy(mode: PlayMode): Policy {
    return this.own.policy(mode)
  }

  values(batch: EnvBatch, out: Float32Array, memory?: PolicyMemory): void {
    this.own.values(batch, out, memory)
  }

  valueMemory(lanes: number): PolicyMemory {
    return this.own.valueMemory(lanes)
  }

  dispose(): void {
    this.own.dispose()
  }
}
