/** One of the other workers of a learner: does in its shards what the first worker orders. */
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads'
import { ENVS } from '../envs/index.ts'
import { type Checkpoint } from '../agents/core/checkpoint.ts'
import { LEARNERS } from '../agents/index.ts'
import { useBackend } from './backend.ts'
import { openShards, type WorkerJob } from './parallel.ts'
import { loadEnvPlugin } from './plugins.ts'
import { GroupLost, loseWorker, ThreadGroup, type LastWords } from './thread-group.ts'

const { job, port } = workerData as { job: WorkerJob; port: MessagePort }

async function work(): Promise<void> {
  await useBackend(job.backend, { notice: () => {} }) // the first worker has said it
  const plugin = job.module === undefined ? undefined : (await loadEnvPlugin(job.module)).definition
  const environments = plugin === undefined ? ENVS : { ...ENVS, [plugin.id]: plugin }
  const definition = LEARNERS[job.algorithm]
  const group = new ThreadGroup(job.group, job.worker, [port])
  const learner = definition.create({
    batch: openShards(job, definition, group.own, group.count, environments),
    group,
    settings: job.settings,
    seed: job.seed,
    teamReward: job.scenario.teamReward,
  })
  parentPort!.postMessage({ kind: 'ready' })
  for (;;) {
    const order = group.nextOrder()
    if (order === 'update') learner.collectAndUpdate()
    else if (order === 'save') learner.save()
    else learner.load(receiveMessageOnPort(port)!.message as Checkpoint)
    group.meet()
  }
}

try {
  await work()
} catch (error) {
  // Divergence is everybody's: the same sums make the first worker throw it too.
  const known = error instanceof GroupLost || (error as { code?: string }).code === 'diverged'
  if (!known) {
    const words: LastWords = { kind: 'failed', worker: job.worker, message: String((error as Error).message ?? error) }
    port.postMessage(words)
    parentPort!.postMessage(words)
    loseWorker(job.group, job.worker)
  }
}
