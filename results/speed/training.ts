/** How fast MAPPO trains from end to end: rollouts, advantages, updates and what workers exchange; no evaluations. */
import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'
import { ENVS } from '../../envs/index.ts'
import { loadScenario } from '../../scenarios/load.ts'
import { useBackend } from '../backend.ts'
import { openLearner } from '../parallel.ts'
import { speedRow, type SpeedRow } from './measure.ts'

const SCENARIO = 'warehouse/tiny-4ag'
const LEARNER = { lanes: 64, shards: 2, rolloutSteps: 40, hidden: 128, epochs: 4, minibatches: 4, lr: 5e-4 }

export interface TrainingSpeedSettings {
  /** Timed updates per row, after one to warm up; default 3. */
  readonly runs?: number
  /** Default: one, and two where there are two cores. */
  readonly workers?: readonly number[]
  /** Changes to the settings that are measured. */
  readonly learner?: Readonly<Record<string, number>>
  readonly backend?: string
}

/** Environment steps per second, one row per kind of critic and number of workers. */
export async function trainingSpeed(settings: TrainingSpeedSettings = {}): Promise<SpeedRow[]> {
  const { runs = 3, workers = availableParallelism() > 1 ? [1, 2] : [1], learner: changes = {} } = settings
  const backend = await useBackend(settings.backend ?? 'auto')
  const rows: SpeedRow[] = []
  for (const critic of ['per-agent', 'n-headed']) {
    for (const count of workers) {
      const learning = { ...LEARNER, ...changes, critic }
      const opened = await openLearner({
        scenario: loadScenario(SCENARIO),
        algorithm: 'mappo',
        settings: learning,
        seed: 'speed',
        environments: ENVS,
        backend: backend.name,
        workers: count,
      })
      try {
        const { learner } = opened
        learner.collectAndUpdate()
        const rates: number[] = []
        const perCpu: number[] = []
        for (let run = 0; run < runs; run++) {
          const [began, used] = [performance.now(), process.cpuUsage()]
          learner.collectAndUpdate()
          const { user, system } = process.cpuUsage(used)
          rates.push((learner.stepsPerUpdate * 1e3) / (performance.now() - began))
          perCpu.push((learner.stepsPerUpdate * 1e6) / (user + system))
        }
        const by = `${opened.workers} worker${opened.workers === 1 ? '' : 's'}`
        const { lanes, rolloutSteps, hidden, epochs, minibatches } = learning
        rows.push(
          speedRow(`${SCENARIO}: mappo training, ${critic} critic, ${by}`, 'env-steps/s', rates, {
            ...(opened.workers > 1 ? {} : { byCpuTime: perCpu.sort((a, b) => a - b)[runs >> 1] }),
            note: `${lanes} lanes × ${rolloutSteps} steps, hidden ${hidden}, ${epochs} epochs of ${minibatches} minibatches, ${learner.settings.shards as number} shards, backend ${backend.name}; evaluations not counted`,
          }),
        )
      } finally {
        await opened.close()
      }
    }
  }
  return rows
}
