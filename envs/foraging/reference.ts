/** Between this environment and the original package: names, configurations and recorded states of lbforaging 2.0. */
import { TroupeError, shown } from '../core/errors.ts'
import { snapshotOf } from '../core/recorded.ts'
import { type EnvBatch, type Snapshot } from '../core/types.ts'
import { type Options } from './options.ts'
import { ABSENT, PRESENT, TALLIES, type ForagingWorld } from './state.ts'

/** A state as recordings write it. */
export interface ReferenceState {
  /** Food levels by row and column, 0 none. */
  readonly field: readonly (readonly number[])[]
  readonly players: readonly { readonly row: number; readonly col: number; readonly level: number }[]
  /** Level of all food at the start of the episode. */
  readonly food_spawned: number
  readonly step: number
}

/** A configuration as recordings write it. */
export interface ReferenceConfig {
  readonly rows: number
  readonly cols: number
  readonly players: number
  readonly min_player_level: readonly number[]
  readonly max_player_level: readonly number[]
  readonly min_food_level: readonly number[]
  readonly max_food_level: readonly number[] | null
  readonly max_num_food: number
  readonly sight: number
  readonly max_episode_steps: number
  readonly force_coop: boolean
  readonly normalize_reward: boolean
  readonly grid_observation: boolean
  readonly observe_agent_levels: boolean
  readonly penalty: number
}

/** Options that open the same world as a recorded configuration, its time limit reported as termination. */
export function referenceOptions(config: ReferenceConfig): Partial<Options> & Record<string, unknown> {
  return {
    rows: config.rows,
    columns: config.cols,
    players: config.players,
    foods: config.max_num_food,
    cooperative: config.force_coop,
    sightCells: config.sight,
    observation: config.grid_observation ? 'grid' : 'vector',
    levelsObserved: config.observe_agent_levels,
    minPlayerLevel: [...config.min_player_level],
    maxPlayerLevel: [...config.max_player_level],
    minFoodLevel: [...config.min_food_level],
    maxFoodLevel: config.max_food_level === null ? null : [...config.max_food_level],
    normalisedRewards: config.normalize_reward,
    penalty: config.penalty,
    horizon: config.max_episode_steps,
    horizonEnds: 'termination',
  }
}

const NAME = /^(?:Foraging(-grid)?(?:-(\d+)s)?-)?(\d+)x(\d+)-(\d+)p-(\d+)f(-coop)?(-ind)?(-pen)?(?:-v3)?$/

/**
 * Options for an id of the original package: `Foraging-8x8-2p-3f-v3`, `Foraging-2s-10x10-3p-3f-coop-v3`,
 * `Foraging-grid-8x8-2p-3f-v3`. Its unregistered suffixes are `-ind` (every item has level 1) and `-pen` (penalty 0.1).
 * Other sizes than it registers (5 to 19 cells, 2 to 9 players, 1 to 9 items, sight 2) are read alike.
 * @throws TroupeError unknown-name
 */
export function optionsFromName(id: string): Partial<Options> {
  const parts = typeof id === 'string' ? NAME.exec(id) : null
  if (parts === null || !id.startsWith('Foraging') || !id.endsWith('-v3')) {
    throw new TroupeError('unknown-name', {
      where: 'foraging: name of the original package',
      got: shown(id),
      expected: 'Foraging[-grid][-{sight}s]-{rows}x{columns}-{n}p-{n}f[-coop][-ind][-pen]-v3',
    })
  }
  const [, grid, sight, rows, columns, players, foods, cooperative, easy, penalty] = parts
  return {
    rows: Number(rows),
    columns: Number(columns),
    players: Number(players),
    foods: Number(foods),
    cooperative: cooperative !== undefined,
    ...(sight === undefined ? {} : { sightCells: Number(sight) }),
    ...(grid === undefined ? {} : { observation: 'grid' as const }),
    ...(easy === undefined ? {} : { maxFoodLevel: 1 }),
    ...(penalty === undefined ? {} : { penalty: 0.1 }),
  }
}

/**
 * A recorded state as a snapshot to load into any lane of a batch opened with `referenceOptions`.
 * Episode totals start at zero; of food that is gone only its part in `food_spawned` is known.
 * @param random words of all generator streams, [streams, 4]
 * @throws TroupeError bad-file where the state does not fit the batch
 */
export function fromReference(state: ReferenceState, batch: EnvBatch, random?: Uint32Array): Snapshot {
  const { plan } = batch.world as ForagingWorld
  const { rows, columns, foods, players } = plan
  const refuse = (what: string, got: string, expected: string): never => {
    throw new TroupeError('bad-file', { where: `foraging: recorded state: ${what}`, got, expected })
  }
  if (state.field.length !== rows || state.field.some((row) => row.length !== columns)) {
    refuse('field', `${state.field.length} x ${state.field[0]?.length ?? 0}`, `${rows} rows of ${columns} cells`)
  }
  if (state.players.length !== players) refuse('players', `${state.players.length}`, `${players}`)
  const outside = state.players.findIndex(({ row, col }) => !(row >= 0 && row < rows && col >= 0 && col < columns))
  if (outside >= 0) refuse(`player ${outside}`, 'outside the field', `a row below ${rows}, a column below ${columns}`)
  const levels = state.field.flat()
  const items = levels.map((_, cell) => cell).filter((cell) => levels[cell] !== 0)
  if (items.length > foods) refuse('field', `with ${items.length} items`, `at most ${foods}`)
  const slots = Array.from({ length: foods }, (_, f) => items[f])
  const rowsOf: Record<string, ArrayBufferView> = {
    cell: Uint16Array.from(state.players, ({ row, col }) => row * columns + col),
    level: Uint8Array.from(state.players, ({ level }) => level),
    outcome: new Uint8Array(players),
    tried: new Uint8Array(players),
    foodCell: Uint16Array.from(slots, (cell) => cell ?? 0),
    foodLevel: Uint16Array.from(slots, (cell) => (cell === undefined ? 0 : levels[cell])),
    foodStatus: Uint8Array.from(slots, (cell) => (cell === undefined ? ABSENT : PRESENT)),
    spawned: Int32Array.of(state.food_spawned),
    tally: new Int32Array(TALLIES),
  }
  return snapshotOf(batch, state.step, rowsOf, random)
}

/** One lane of a batch as a recording would write it. */
export function toReference(batch: EnvBatch, lane: number): ReferenceState {
  const { plan, cell, level, foodLevel, slotAt, spawned } = batch.world as ForagingWorld
  const { rows, columns, cells, players, foods } = plan
  const at = (row: number, column: number) => {
    const slot = slotAt[lane * cells + row * columns + column]
    return slot === 0 ? 0 : foodLevel[lane * foods + slot - 1]
  }
  return {
    field: Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (__, column) => at(row, column))),
    players: Array.from({ length: players }, (_, n) => {
      const i = lane * players + n
      return { row: Math.floor(cell[i] / columns), col: cell[i] % columns, level: level[i] }
    }),
    food_spawned: spawned[lane],
    step: batch.stepCount[lane],
  }
}
