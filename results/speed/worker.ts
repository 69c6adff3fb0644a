/** One worker of `workerSpeed`. */
import { ENVS } from '../../envs/index.ts'
import { openScenario } from '../../scenarios/open.ts'
import { loadEnvPlugin } from '../plugins.ts'
import { serveJob } from '../workers.ts'
import { callsPerSecond } from './measure.ts'
import { stepper, type WorkerAnswer, type WorkerJob } from './environments.ts'

await serveJob<WorkerJob, WorkerAnswer>(async ({ scenario, lanes, firstLane, runs, seconds, module }) => {
  const plugin = module === undefined ? undefined : (await loadEnvPlugin(module)).definition
  const definitions = plugin === undefined ? ENVS : { ...ENVS, [plugin.id]: plugin }
  const batch = openScenario(scenario, { lanes, firstLane }, definitions)
  const { step } = stepper(batch)
  return () => ({
    rates: callsPerSecond(step, { runs, seconds }).runs.map((calls) => calls * lanes),
    agents: batch.spec.agents.length,
  })
})
