/** Steps per second of environments: one thread, all cores, the Parallel view; heap growth; time to verify a replay. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  Generator,
  episodeSeed,
  namedSeed,
  parallelEnv,
  type DigestibleBatch,
  type EnvDefinition,
  type EnvSpec,
} from '../../envs/index.ts'
import { type AgentAction } from '../../envs/core/parallel-spaces.ts'
import { actionArray, randomActions } from '../../envs/core/random-actions.ts'
import { ReplayRecorder, readReplay, verifyReplay } from '../../envs/core/replay.ts'
import { openScenario, scenarioDefinition } from '../../scenarios/open.ts'
import { type Scenario } from '../../scenarios/schema.ts'
import { compiled, runWorkers } from '../workers.ts'
import { callsPerSecond, speedRow, type MeasureSettings, type SpeedRow } from './measure.ts'

type Definitions = Readonly<Record<string, EnvDefinition>>

/** Joint actions drawn once, cycled through while timing, so that choosing costs nothing. */
const ACTION_SETS = 64

function randomAction(spec: EnvSpec, lanes: number, rng: Generator): Int32Array | Float32Array {
  const D = spec.actionDims
  const size = lanes * spec.agents.length * D
  if (spec.actionKind === 'box') {
    return Float32Array.from({ length: size }, (_, i) => {
      const { action } = spec.agents[Math.floor(i / D) % spec.agents.length]
      const { dimensions } = action as { dimensions: readonly { low: number; high: number }[] }
      if (i % D >= dimensions.length) return 0
      const { low, high } = dimensions[i % D]
      return low + (high - low) * rng.float()
    })
  }
  return Int32Array.from({ length: size }, (_, i) => rng.below(spec.actionSizes[i % D]))
}

/** Uniform legal choices for every agent in every lane, into `action`. */
function legalAction(batch: DigestibleBatch, action: Int32Array, rng: Generator): void {
  const { mask, spec } = batch
  const { actionDims: D, actionSizes } = spec
  let from = 0
  for (let i = 0; i < action.length; i++) {
    const size = actionSizes[i % D]
    let legal = 0
    for (let a = 0; a < size; a++) legal += mask[from + a]
    let pick = rng.below(legal)
    let choice = 0
    while (mask[from + choice] === 0 || pick-- > 0) choice++
    action[i] = choice
    from += size
  }
}

/**
 * A stepping closure: one call is one step in every lane. Where nothing was masked over a few hundred steps the
 * actions are drawn beforehand; else every step draws legal ones, and the time for that counts.
 */
export function stepper(batch: DigestibleBatch): { step: () => void; drawsActions: boolean } {
  const { spec, lanes } = batch
  const rng = new Generator(namedSeed('speed', 'actions'))
  batch.reset()
  const box = spec.actionKind === 'box'
  const action = new Int32Array(lanes * spec.agents.length * spec.actionDims)
  let masked = false
  if (!box) {
    for (let i = 0; i < 300 && !masked; i++) {
      masked = batch.mask.includes(0)
      legalAction(batch, action, rng)
      batch.step(action)
    }
  }
  if (masked) {
    return {
      drawsActions: true,
      step: () => {
        legalAction(batch, action, rng)
        batch.step(action)
      },
    }
  }
  const sets = Array.from({ length: ACTION_SETS }, () => randomAction(spec, lanes, rng))
  let turn = 0
  return { drawsActions: false, step: () => batch.step(sets[turn++ % ACTION_SETS]) }
}

const DRAWN = 'drawing legal actions is counted'

/** One thread, B lanes: environment steps and agent steps per second. */
export function batchSpeed(
  scenario: Scenario,
  definitions: Definitions,
  settings: MeasureSettings & { lanes: number; observe?: boolean },
): SpeedRow[] {
  const { lanes, observe = true } = settings
  const batch = openScenario(scenario, { lanes, observe }, definitions)
  const { step, drawsActions } = stepper(batch)
  const rates = callsPerSecond(step, settings)
  const what = observe ? 'observations and state' : 'rules only'
  const name = `${scenario.id}, ${lanes} ${lanes === 1 ? 'lane' : 'lanes'}, ${what}`
  const agents = batch.spec.agents.length
  const row = (unit: 'env-steps/s' | 'agent-steps/s', each: number) =>
    speedRow(
      name,
      unit,
      rates.runs.map((calls) => calls * each),
      { byCpuTime: rates.byCpuTime * each, ...(drawsActions ? { note: DRAWN } : {}) },
    )
  return [row('env-steps/s', lanes), row('agent-steps/s', lanes * agents)]
}

/** The same on several worker threads that start together. */
export async function workerSpeed(
  scenario: Scenario,
  settings: MeasureSettings & { lanes: number; workers: number; module?: string; signal?: AbortSignal },
): Promise<SpeedRow[]> {
  const { lanes, workers, runs = 5, seconds = 0.4, module, signal } = settings
  const jobs = Array.from({ length: workers }, (_, index) => ({
    scenario,
    lanes,
    firstLane: index * lanes,
    runs,
    seconds,
    ...(module === undefined ? {} : { module }),
  }))
  const answers = await runWorkers<WorkerJob, WorkerAnswer>({
    file: compiled('./worker.ts', import.meta.url),
    jobs,
    timeoutMs: 30_000 + runs * seconds * 4000,
    ...(signal === undefined ? {} : { signal }),
  })
  const rates = Array.from({ length: runs }, (_, run) => answers.reduce((sum, { rates }) => sum + rates[run], 0))
  const name = `${scenario.id}, ${workers} workers × ${lanes} lanes, observations and state`
  const { agents } = answers[0]
  return [
    speedRow(name, 'env-steps/s', rates),
    speedRow(
      name,
      'agent-steps/s',
      rates.map((rate) => rate * agents),
    ),
  ]
}

export interface WorkerJob {
  readonly scenario: Scenario
  readonly lanes: number
  readonly firstLane: number
  readonly runs: number
  readonly seconds: number
  /** Plug-in that defines the scenario's environment. */
  readonly module?: string
}

export interface WorkerAnswer {
  readonly rates: number[]
  readonly agents: number
}

/** One lane through the PettingZoo-shaped view, which copies out at every step. */
export function parallelSpeed(scenario: Scenario, definitions: Definitions, settings: MeasureSettings): SpeedRow[] {
  const definition = scenarioDefinition(scenario, definitions)
  const { control } = scenario
  const env = parallelEnv(definition, scenario.options, control === undefined ? {} : { control })
  const batch = openScenario(scenario, { lanes: 1 }, definitions)
  const { step } = stepper(batch)
  const bare = callsPerSecond(step, settings)
  const rng = new Generator(namedSeed('speed', 'parallel'))
  const { spec } = batch
  let { infos } = env.reset({ seed: 1 })
  const rates = callsPerSecond(() => {
    const actions: Record<string, AgentAction> = {}
    spec.agents.forEach(({ id }) => {
      if (!env.agents.includes(id)) return
      if (spec.actionKind === 'box') {
        actions[id] = env.actionSpace(id).sample()
        return
      }
      const mask = (infos[id] as { actionMask: Uint8Array }).actionMask
      let choice = rng.below(spec.actionSizes[0])
      while (mask[choice] === 0) choice = (choice + 1) % spec.actionSizes[0]
      actions[id] = choice
    })
    ;({ infos } = env.step(actions))
    if (env.agents.length === 0) ({ infos } = env.reset())
  }, settings)
  const rows = [
    speedRow(`${scenario.id}, 1 lane, observations and state`, 'env-steps/s', bare.runs, { byCpuTime: bare.byCpuTime }),
    speedRow(`${scenario.id}, Parallel view`, 'env-steps/s', rates.runs, { byCpuTime: rates.byCpuTime }),
  ]
  const times = bare.byCpuTime / rates.byCpuTime
  return [
    rows[0],
    { ...rows[1], note: `${times.toFixed(1)} times the cost of one lane of a batch; choosing is counted` },
  ]
}

/** Time to verify a replay of one episode, once it is read. */
export function verifySpeed(scenario: Scenario, definitions: Definitions, settings: MeasureSettings): SpeedRow[] {
  const definition = scenarioDefinition(scenario, definitions)
  const batch = openScenario(scenario, { autoreset: 'disabled' }, definitions)
  batch.reset([episodeSeed('speed', 'eval', 0, 0)])
  const recorder = new ReplayRecorder(batch, 0, {
    scenario: scenario as unknown as Record<string, unknown>,
    policies: [{ name: 'random' }],
    package: 'speed',
  })
  const rng = new Generator(namedSeed('speed', 'actions'))
  const action = actionArray(batch)
  for (let step = 0; step < 500 && batch.terminated[0] === 0 && batch.truncated[0] === 0; step++) {
    randomActions(batch, rng, action)
    batch.step(action)
    recorder.record(action)
  }
  const replay = readReplay(recorder.finish(scenario.teamReward))
  const calls = callsPerSecond(() => {
    const verdict = verifyReplay(replay, definition)
    if (!verdict.ok) throw new Error(`a fresh replay did not verify: ${verdict.what}`)
  }, settings)
  const name = `${scenario.id}, verify a replay of ${replay.steps} steps × ${replay.header.agents.length} agents`
  return [
    speedRow(
      name,
      'ms',
      calls.runs.map((rate) => 1000 / rate),
      { byCpuTime: 1000 / calls.byCpuTime },
    ),
  ]
}

export interface HeapGrowth {
  readonly name: string
  readonly steps: number
  /** Heap that stayed in use, after collecting garbage before and after. */
  readonly keptBytes: number
  /** Everything made on the heap on the way, episode starts included. */
  readonly allocatedBytes: number
  readonly allocatedPerStep: number
}

/**
 * Heap growth over a million environment steps in 64 lanes, or as many as fit into `seconds`.
 */
export function heapGrowth(
  scenario: Scenario,
  definitions: Definitions,
  steps = 1_000_000,
  lanes = 64,
  seconds = Infinity,
): HeapGrowth {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { step } = stepper(openScenario(scenario, { lanes }, definitions))
  // Warm, so that compiling is not counted.
  const warm = performance.now() + 500 * seconds
  for (let i = 0; i < 4000 && (i < 200 || performance.now() < warm); i++) step()
  const turns = Math.ceil(steps / lanes)
  collect()
  const start = process.memoryUsage().heapUsed
  let allocated = 0
  let last = start
  // Short stretches: a collection in one shows as a fall, which is left out.
  let done = 0
  const end = performance.now() + 1000 * seconds
  while (done < turns && (done < 96 || performance.now() < end)) {
    const until = Math.min(turns, done + 250)
    for (; done < until && (done % 32 !== 0 || done < 96 || performance.now() < end); done++) step()
    const now = process.memoryUsage().heapUsed
    if (now > last) allocated += now - last
    last = now
  }
  collect()
  const kept = process.memoryUsage().heapUsed - start
  return {
    name: `${scenario.id}, ${lanes} lanes`,
    steps: done * lanes,
    keptBytes: kept,
    allocatedBytes: allocated,
    allocatedPerStep: Math.round((allocated / (done * lanes)) * 100) / 100,
  }
}
