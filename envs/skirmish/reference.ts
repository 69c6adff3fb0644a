/** Between this environment and recordings of SMAC, SMACv2 and SMAClite: options, frames and maps by their names. */
import { TroupeError, shown } from '../core/errors.ts'
import { type EnvBatch, type Snapshot } from '../core/types.ts'
import { type CustomMap } from './custom.ts'
import { MAPS } from './maps.ts'
import { type SkirmishWorld } from './state.ts'

/** A unit as recordings write it: world coordinates, y up. Dead units are absent. */
export interface ReferenceUnit {
  readonly tag: number
  readonly owner: number // 1 allies, 2 enemies
  readonly type: string
  readonly x: number
  readonly y: number
  readonly health: number
  readonly shield: number
  readonly energy: number
  readonly weapon_cooldown: number
}

/** What upstream calls the options that are ours under other names. */
const OPTION_NAMES: Readonly<Record<string, string>> = {
  obs_last_action: 'lastAction',
  obs_pathing_grid: 'pathingGrid',
  obs_terrain_height: 'terrainHeight',
  obs_timestep_number: 'timestep',
  obs_own_health: 'ownHealth',
  obs_all_health: 'allHealth',
  obs_instead_of_state: 'observationsAsState',
  state_last_action: 'stateLastAction',
  state_timestep_number: 'stateTimestep',
  reward_sparse: 'sparse',
  reward_only_positive: 'onlyPositive',
  reward_scale: 'scaled',
  reward_scale_rate: 'scaleTo',
  reward_death_value: 'killReward',
  reward_win: 'winReward',
  reward_defeat: 'lossReward',
  reward_negative_scale: 'negativeScale',
  move_amount: 'moveAmount',
  step_mul: 'loops',
  conic_fov: 'cone',
  prob_obs_enemy: 'sharedSight',
  action_mask: 'actionMask',
}

/** Upstream options that change nothing here: their only recorded value is how this environment always is. */
const FIXED = [
  'use_unit_ranges',
  'obs_own_pos',
  'continuing_episode',
  'num_fov_actions',
  'min_attack_range',
  'capability_config',
]

/**
 * Upstream's options under our names.
 * @throws TroupeError unknown-name for one that is not known
 */
export function optionsFromReference(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const own: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(options)) {
    if (FIXED.includes(name)) continue
    const known = OPTION_NAMES[name]
    if (known === undefined) {
      throw new TroupeError('unknown-name', {
        where: 'skirmish: option of the original',
        got: shown(name),
        expected: Object.keys(OPTION_NAMES).join(', '),
      })
    }
    own[known] = value
  }
  return own
}

/** A SMAC map on another ground, as a custom map. Rows top first. */
export function mapOnGround(name: string, terrain: string[], heights?: number[][]): CustomMap {
  const map = MAPS.find((one) => one.name === name)
  if (map === undefined) {
    throw new TroupeError('unknown-name', {
      where: 'skirmish: map of the original',
      got: shown(name),
      expected: MAPS.map((one) => one.name).join(', '),
    })
  }
  const groups = (list: typeof map.allies) => list.map(({ unit, count, at }) => ({ unit, count, at: [...at] }))
  return {
    name,
    limit: map.limit,
    terrain,
    ...(heights === undefined ? {} : { heights }),
    allies: groups(map.allies),
    enemies: groups(map.enemies),
  }
}

/**
 * Writes a recorded frame over a lane's units. Units are found by tag; who is absent is dead.
 * @param tags [U] tag of every unit: agents in order, then enemies in order
 */
export function writeFrame(
  world: SkirmishWorld,
  lane: number,
  units: readonly ReferenceUnit[],
  tags: readonly number[],
): void {
  const { plan } = world
  const { terrain, tables } = plan
  for (let u = 0; u < plan.units; u++) {
    const i = lane * plan.units + u
    const unit = units.find((one) => one.tag === tags[u])
    if (unit === undefined) {
      world.health[i] = world.shield[i] = 0
      continue
    }
    world.type[i] = tables.types.findIndex((type) => type.name === unit.type)
    world.x[i] = unit.x - terrain.width / 2
    world.y[i] = unit.y - terrain.height / 2
    world.health[i] = unit.health
    world.shield[i] = unit.shield
    world.energy[i] = unit.energy
    world.cooldown[i] = unit.weapon_cooldown
  }
}

/** Shows a recorded frame in a lane: masks, observations and state follow. The door for tests. */
export function showFrame(
  batch: EnvBatch,
  lane: number,
  units: readonly ReferenceUnit[],
  tags: readonly number[],
): void {
  writeFrame(batch.world as SkirmishWorld, lane, units, tags)
  batch.load(lane, batch.save(lane))
}

/** From now on every step of the batch ends in the given frame instead of being fought; null = fight again. */
export function scriptFrames(batch: EnvBatch, next: ((lane: number) => void) | null): void {
  ;(batch.world as { script: unknown }).script = next
}

/** Tags of a lane's units in recordings made here: 100 and up, agents first. */
export const tagsOf = (batch: EnvBatch): number[] =>
  Array.from({ length: (batch.world as SkirmishWorld).plan.units }, (_, u) => 100 + u)

/** One lane of a batch as a recording would write it; the dead are left out. */
export function toReference(batch: EnvBatch, lane: number): ReferenceUnit[] {
  const world = batch.world as SkirmishWorld
  const { units, sides, tables, terrain } = world.plan
  return tagsOf(batch).flatMap((tag, u) => {
    const i = lane * units + u
    if (world.health[i] <= 0) return []
    return {
      tag,
      owner: u < sides[0].count ? 1 : 2,
      type: tables.types[world.type[i]].name,
      x: world.x[i] + terrain.width / 2,
      y: world.y[i] + terrain.height / 2,
      health: world.health[i],
      shield: world.shield[i],
      energy: world.energy[i],
      weapon_cooldown: Math.max(0, world.cooldown[i]),
    }
  })
}

/**
 * A recorded frame as a snapshot to load into a lane; orders, chance and totals are those of the given lane.
 * @param tags [U] tag of every unit: agents in order, then enemies; default: as `toReference` writes them
 */
export function fromReference(
  units: readonly ReferenceUnit[],
  batch: EnvBatch,
  lane = 0,
  tags: readonly number[] = tagsOf(batch),
): Snapshot {
  const kept = batch.save(lane)
  writeFrame(batch.world as SkirmishWorld, lane, units, tags)
  const snapshot = batch.save(lane)
  batch.load(lane, kept)
  return snapshot
}
