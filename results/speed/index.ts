/** Benchmarks behind `troupe speed`. Each measures one thing and says what it counted. */
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { ENVS } from '../../envs/index.ts'
import { unknownName, type EnvDefinition } from '../../envs/core/index.ts'
import { listScenarios, loadScenario } from '../../scenarios/load.ts'
import { type Scenario } from '../../scenarios/schema.ts'
import { batchSpeed, heapGrowth, parallelSpeed, verifySpeed, workerSpeed, type HeapGrowth } from './environments.ts'
import { describeMachine, type Machine } from './machine.ts'
import { type MeasureSettings, type SpeedRow } from './measure.ts'

export {
  batchSpeed,
  heapGrowth,
  parallelSpeed,
  stepper,
  verifySpeed,
  workerSpeed,
  type HeapGrowth,
} from './environments.ts'
export { describeMachine, type Machine } from './machine.ts'
export { callsPerSecond, speedRow, type MeasureSettings, type Rates, type SpeedRow, type Unit } from './measure.ts'

export interface SpeedReport {
  readonly machine: Machine
  readonly results: readonly SpeedRow[]
  readonly heap: readonly HeapGrowth[]
}

export interface SpeedRequest extends MeasureSettings {
  /** 'environments', 'kernels', 'train', a family ('warehouse'), or a scenario id; left out = environments and kernels. */
  readonly what?: string
  /** Lanes of the batch; default 64. */
  readonly lanes?: number
  /** Worker threads for the many-core row; 'all' = one per core; 0 leaves the row out. */
  readonly workers?: number | 'all'
  /** A scenario and the environments it may name: a plug-in. */
  readonly target?: { scenario: Scenario; definitions: Readonly<Record<string, EnvDefinition>>; module?: string }
  readonly onRow?: (row: SpeedRow) => void
}

/** What `troupe speed` shows of every family, so that the page stays one screen long. */
const SHOWN = [
  'warehouse/tiny-4ag',
  'matrix/stag-hunt-repeated',
  'foraging/8x8-2p-3f',
  'foraging/15x15-4p-5f',
  'spectrum/dsa-10u5c',
  'particles/spread',
  'particles/tag',
]

/** kernels.ts is loaded only when its rows are wanted: it brings the tensor library. */
interface Kernels {
  kernelSpeed(settings: MeasureSettings): Promise<SpeedRow[]> | SpeedRow[]
}

async function kernels(): Promise<Kernels | undefined> {
  const built = import.meta.url.endsWith('.ts') ? './kernels.ts' : './kernels.js'
  if (!existsSync(fileURLToPath(new URL(built, import.meta.url)))) return undefined
  const module = (await import(new URL(built, import.meta.url).href)) as Partial<Kernels>
  return module.kernelSpeed === undefined ? undefined : (module as Kernels)
}

/** @throws TroupeError unknown-name for something that cannot be measured */
export async function measureSpeed(request: SpeedRequest = {}): Promise<SpeedReport> {
  const { what, lanes = 64, workers = 0, target, onRow, ...settings } = request
  const machine = describeMachine()
  const results: SpeedRow[] = []
  const heap: HeapGrowth[] = []
  const add = (rows: readonly SpeedRow[]) => {
    for (const row of rows) {
      results.push(row)
      onRow?.(row)
    }
  }
  const definitions = target?.definitions ?? ENVS
  const scenarios = target !== undefined ? [target.scenario] : scenariosFor(what)
  for (const [index, scenario] of scenarios.entries()) {
    add(batchSpeed(scenario, definitions, { ...settings, lanes }))
    // The rest is worth its time for the first only, or for the one that was asked for.
    if (index > 0) continue
    add(batchSpeed(scenario, definitions, { ...settings, lanes, observe: false }))
    add(parallelSpeed(scenario, definitions, settings))
    add(verifySpeed(scenario, definitions, settings))
    const threads = workers === 'all' ? availableParallelism() : workers
    if (threads > 0) {
      const module = target?.module
      add(
        await workerSpeed(scenario, {
          ...settings,
          lanes,
          workers: threads,
          ...(module === undefined ? {} : { module }),
        }),
      )
    }
    // A million steps of a large battle would take most of a minute, and the page is printed when all is done.
    heap.push(heapGrowth(scenario, definitions, 1_000_000, 64, 4))
  }
  if (target === undefined && what === 'train') {
    const { trainingSpeed } = await import('./training.ts')
    add(await trainingSpeed({ runs: settings.runs ?? 3 }))
  }
  if (target === undefined && (what === undefined || what === 'kernels')) {
    const rows = await (await kernels())?.kernelSpeed(settings)
    if (rows !== undefined) add(rows)
  }
  return { machine, results, heap }
}

function scenariosFor(what: string | undefined): Scenario[] {
  if (what === 'kernels' || what === 'train') return []
  const all = listScenarios()
  if (what === undefined || what === 'environments') {
    return SHOWN.flatMap((id) => all.filter((scenario) => scenario.id === id))
  }
  if (Object.hasOwn(ENVS, what)) {
    const family = all.filter((scenario) => scenario.env === what)
    return family.sort((a, b) => Number(SHOWN.includes(b.id)) - Number(SHOWN.includes(a.id))).slice(0, 6)
  }
  const ids = all.map((scenario) => scenario.id)
  if (!ids.includes(what) && !what.endsWith('.json')) {
    throw unknownName('troupe speed', what, ['environments', 'kernels', 'train', ...Object.keys(ENVS), ...ids])
  }
  return [loadScenario(what)]
}
