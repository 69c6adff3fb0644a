/** Between this environment and the original package: names, configurations and recorded states of rware 2.0. */
import { TroupeError, shown } from '../core/errors.ts'
import { snapshotOf } from '../core/recorded.ts'
import { type EnvBatch, type Snapshot } from '../core/types.ts'
import { placesOf } from './layout.ts'
import { type Options } from './options.ts'
import { INACTIVE, TALLIES, type WarehouseWorld } from './state.ts'

/** A state as recordings write it; shelf numbers from 0. */
export interface ReferenceState {
  readonly agents: readonly {
    readonly x: number
    readonly y: number
    readonly dir: number
    /** Carried shelf, -1 none. */
    readonly carrying: number
    readonly delivered: boolean
  }[]
  readonly shelves: readonly (readonly [number, number])[]
  readonly requests: readonly number[]
  readonly step: number
  readonly inactive: number
}

/** A configuration as recordings write it. */
export interface ReferenceConfig {
  readonly highways: readonly string[]
  readonly goals: readonly (readonly [number, number])[]
  readonly n_agents: number
  readonly msg_bits: number
  readonly sensor_range: number
  readonly request_queue_size: number
  readonly max_inactivity_steps: number | null
  readonly max_steps: number | null
  readonly reward_type: 'individual' | 'global' | 'two_stage'
  readonly normalised_coordinates: boolean
}

/** Options that open the same world as a recorded configuration, its time limit reported as termination. */
export function referenceOptions(config: ReferenceConfig): Partial<Options> & Record<string, unknown> {
  const goals = new Set(config.goals.map(([x, y]) => `${x},${y}`))
  return {
    layout: config.highways.map((row, y) => [...row].map((cell, x) => (goals.has(`${x},${y}`) ? 'g' : cell)).join('')),
    robots: config.n_agents,
    requests: config.request_queue_size,
    messageBits: config.msg_bits,
    sensorRange: config.sensor_range,
    reward: config.reward_type === 'two_stage' ? 'two-stage' : config.reward_type,
    inactivityLimit: config.max_inactivity_steps,
    normalisedCoordinates: config.normalised_coordinates,
    horizon: config.max_steps,
    horizonEnds: 'termination',
  }
}

const SIZE = '(tiny|small|medium|large)'
const NAMED = new RegExp(`^rware(?:-([2-5])s)?-${SIZE}(?:-(\\d+)h)?-(\\d+)ag(?:-(easy|hard))?-v[12]$`)
const SHAPED = /^rware(?:-([2-5])s)?-(\d+)x(\d+)-(\d+)h-(\d+)ag-(\d+)req-(indiv|global|twostage)-v[12]$/
const REWARDS = { indiv: 'individual', global: 'global', twostage: 'two-stage' } as const

/**
 * Options for an id of the original package: `rware-tiny-2ag-hard-v2`, `rware-3s-small-6h-4ag-v2` or
 * `rware-1x3-8h-2ag-4req-global-v2`. Image observations are not offered.
 * @throws TroupeError unknown-name
 */
export function optionsFromName(id: string): Partial<Options> {
  const named = NAMED.exec(id)
  if (named !== null) {
    const [, sensor, size, height, robots, difficulty] = named
    return {
      size: size as Options['size'],
      robots: Number(robots),
      difficulty: (difficulty ?? 'normal') as Options['difficulty'],
      ...(sensor === undefined ? {} : { sensorRange: Number(sensor) }),
      ...(height === undefined ? {} : { columnHeight: Number(height) }),
    }
  }
  const shaped = SHAPED.exec(id)
  if (shaped !== null) {
    const [, sensor, rows, columns, height, robots, requests, reward] = shaped
    return {
      shelfRows: Number(rows),
      shelfColumns: Number(columns),
      columnHeight: Number(height),
      robots: Number(robots),
      requests: Number(requests),
      reward: REWARDS[reward as keyof typeof REWARDS],
      ...(sensor === undefined ? {} : { sensorRange: Number(sensor) }),
    }
  }
  throw new TroupeError('unknown-name', {
    where: 'warehouse: name of the original package',
    got: shown(id),
    expected: 'rware-{tiny|small|medium|large}-{n}ag[-easy|-hard]-v2 or the long form with flattened observations',
  })
}

/**
 * A recorded state as a snapshot to load into any lane of a batch opened with `referenceOptions`.
 * Episode totals start at zero; the generators are those of the given lane unless words are given.
 * @param random words of all generator streams, [streams, 4]
 */
export function fromReference(state: ReferenceState, batch: EnvBatch, random?: Uint32Array): Snapshot {
  const world = batch.world as WarehouseWorld
  const { layout, messageBits } = world.plan
  const at = (x: number, y: number) => y * layout.width + x
  const { agents } = state
  const tally = new Int32Array(TALLIES)
  tally[INACTIVE] = state.inactive
  const numbers = (values: readonly number[]) => placesOf(values, layout.cells)
  const rows: Record<string, ArrayBufferView> = {
    cell: numbers(agents.map(({ x, y }) => at(x, y))),
    heading: Uint8Array.from(agents, ({ dir }) => dir),
    load: numbers(agents.map(({ carrying }) => carrying + 1)),
    credited: Uint8Array.from(agents, ({ delivered }) => (delivered ? 1 : 0)),
    outcome: new Uint8Array(agents.length),
    stood: new Uint8Array(agents.length),
    shelfCell: numbers(state.shelves.map(([x, y]) => at(x, y))),
    queue: numbers(state.requests),
    tally,
    ...(messageBits > 0 ? { message: new Uint16Array(agents.length) } : {}),
  }
  return snapshotOf(batch, state.step, rows, random)
}

/** One lane of a batch as a recording would write it. */
export function toReference(batch: EnvBatch, lane: number): ReferenceState {
  const world = batch.world as WarehouseWorld
  const { robots, shelves, requests, layout } = world.plan
  const x = (cell: number) => cell % layout.width
  const y = (cell: number) => Math.floor(cell / layout.width)
  const { cell, heading, load, credited, shelfCell, queue, tally } = world
  const robot = (n: number) => lane * robots + n
  return {
    agents: Array.from({ length: robots }, (_, n) => ({
      x: x(cell[robot(n)]),
      y: y(cell[robot(n)]),
      dir: heading[robot(n)],
      carrying: load[robot(n)] - 1,
      delivered: credited[robot(n)] === 1,
    })),
    shelves: Array.from(shelfCell.subarray(lane * shelves, (lane + 1) * shelves), (at) => [x(at), y(at)] as const),
    requests: [...queue.subarray(lane * requests, (lane + 1) * requests)],
    step: batch.stepCount[lane],
    inactive: tally[lane * TALLIES + INACTIVE],
  }
}
