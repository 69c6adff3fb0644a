/** Options of the skirmish and what follows from them. */
import { Type, type Static } from '#typebox'
import { TroupeError, unknownName } from '../core/errors.ts'
import { CustomMap, customMap } from './custom.ts'
import { MAPS, type EnemyOrder, type Group, type SkirmishMap } from './maps.ts'
import { settle } from './placing.ts'
import { TERRAINS } from './terrains.ts'
import { terrainOf, type Terrain } from './terrain.ts'
import { RULE_SETS, unitTables, unitTypes, type Race, type RuleSet, type UnitTables, type UnitType } from './units.ts'

const yes = (description: string) => Type.Boolean({ default: true, description })
const no = (description: string) => Type.Boolean({ default: false, description })

/** Names of the generated battles of SMACv2: `<race>_<allies>_vs_<enemies>`. */
const GENERATED = /^(terran|protoss|zerg)_(\d{1,3})_vs_(\d{1,3})$/

export const OPTIONS = Type.Object(
  {
    map: Type.String({
      default: '3m',
      maxLength: 60,
      description:
        'One of the 23 SMAC maps (3m, 2s3z, corridor …), a SMACv2 battle (terran_5_vs_5: race, allies, enemies), ' +
        'or the name of `custom`.',
    }),
    custom: Type.Union([CustomMap, Type.Null()], {
      default: null,
      description: 'A map and units of your own; README.md has an example. Overrides `map`.',
    }),
    rules: Type.Union(
      RULE_SETS.map((name) => Type.Literal(name)),
      { default: 'sc2', description: 'sc2: Normal-second values of the game. smaclite: the numbers of that program.' },
    ),
    compatibility: no(
      'Reproduces the documented quirks of SMAC and SMACv2: flipped enemy type bits, absolute reward, scaled sparse ' +
        'reward, time feature behind a spare zero, faulty cone, reward scale of the first episode.',
    ),
    loops: Type.Integer({ default: 8, minimum: 1, maximum: 64, description: 'Game loops of 1/16 s per step.' }),
    jitter: yes(
      'Chance in the fighting. sc2: -1 to +2 loops on every cooldown. smaclite: units act in random order within a loop.',
    ),
    spawnJitter: Type.Number({
      default: 0.04,
      minimum: 0,
      maximum: 0.04,
      description: 'Units of fixed maps start up to this many cells off in x and y (sc2 only).',
    }),
    moveAmount: Type.Number({ default: 2, minimum: 0.5, maximum: 16, description: 'Cells a move order aims away.' }),
    opponent: Type.Union([Type.Literal('scripted'), Type.Literal('policy')], {
      default: 'scripted',
      description: 'policy: the enemies are agents too, with the same kind of observations and actions.',
    }),
    lastAction: no("Observations hold each visible ally's last action."),
    pathingGrid: no('Observations hold whether eight places around are walkable.'),
    terrainHeight: no('Observations hold the height of nine places around.'),
    timestep: no('Observations end with step / horizon.'),
    ownHealth: yes('Observations hold the own health and shield.'),
    allHealth: yes('Observations hold the health and shield of others; own ones too only with ownHealth.'),
    blind: no('Observations are zeros but for the time: what a learner reaches without looking is the floor of a map.'),
    observationsAsState: no('The state is all observations one after another.'),
    stateLastAction: yes('The state ends with every last action.'),
    stateTimestep: no('The state ends with step / horizon.'),
    sparse: no('Reward 1 for a win and -1 for a loss, nothing else.'),
    onlyPositive: yes('Rewards are never negative: own losses do not count.'),
    scaled: yes('Rewards are divided so that a perfect win returns `scaleTo`.'),
    scaleTo: Type.Number({ default: 20, minimum: 0.01, maximum: 1e6, description: 'Return of a perfect win.' }),
    killReward: Type.Number({ default: 10, minimum: 0, maximum: 1e6, description: 'Points per enemy killed.' }),
    winReward: Type.Number({ default: 200, minimum: 0, maximum: 1e6, description: 'Points for a win.' }),
    lossReward: Type.Number({ default: 0, minimum: 0, maximum: 1e6, description: 'Points taken for a loss.' }),
    negativeScale: Type.Number({
      default: 0.5,
      minimum: 0,
      maximum: 100,
      description: 'Weight of own losses when onlyPositive is off.',
    }),
    cone: no('SMACv2: twelve look actions; an agent sees and attacks only in a cone of 30 degrees.'),
    actionMask: yes('SMACv2 EPO: off = attacks on every living enemy are legal, those out of reach do nothing.'),
    sharedSight: Type.Number({
      default: 1,
      minimum: 0,
      maximum: 1,
      description: 'SMACv2 EPO: chance that an agent may see an enemy that another agent saw first.',
    }),
    surrounded: Type.Number({
      default: 0.5,
      minimum: 0,
      maximum: 1,
      description: 'SMACv2: chance of the surrounded start; else the reflected one.',
    }),
  },
  { additionalProperties: false },
)
export type Options = Static<typeof OPTIONS> & { readonly horizon?: number | null }

export const ALLIES = 0
export const ENEMIES = 1

/** A unit's place at the start of a fixed map, before jitter. */
export interface Start {
  readonly type: number
  readonly x: number // centred
  readonly y: number
}

/** One of the two sides as its agents and observers see it. */
export interface SideLayout {
  readonly base: number // first unit of the side among the U units
  readonly count: number
  readonly shields: number // 1 where the race has shields
  readonly bits: Int16Array // [T] type bit of each unit type, -1 none
  readonly actions: number
  readonly firstAttack: number
  readonly observation: number // size
}

/** Random teams and starts of SMACv2. */
export interface Generated {
  readonly race: Race
  readonly types: readonly number[]
  /** Of drawing each type, cumulative. */
  readonly odds: readonly number[]
  /** Type that may not make up a whole team, -1 none. */
  readonly notAlone: number
}

/** Everything derived from the options, computed once per batch. */
export interface Plan {
  readonly options: Options
  readonly rules: RuleSet
  readonly map: string
  readonly terrain: Terrain
  readonly tables: UnitTables
  readonly sides: readonly [SideLayout, SideLayout]
  readonly units: number // U
  readonly agents: number // M: allies, or all units when both sides are played
  readonly typeBits: number
  readonly starts: readonly (readonly Start[])[] | null // by side; null when generated
  readonly generated: Generated | null
  readonly order: EnemyOrder
  /** Where scripted allies are sent, centred: the enemies' start. */
  readonly enemyHome: readonly [number, number]
  readonly limit: number
  readonly stateSize: number
  /** Ranges that masks and sight use, by type. */
  readonly shootRange: Float64Array
  readonly sightRange: Float64Array
  readonly medics: boolean // any healer can be on the allied side
  /** [2] A scripted crowd has arrived when it is this near to its goal: all of it fits in (cells). */
  readonly arrival: Float64Array
  /** [2] 1 where a side starts with somebody who is no healer. */
  readonly fighters: Uint8Array
  readonly ownPosition: boolean
  /** [T] rank of each type by name: the order of agents. */
  readonly alphabet: Uint8Array
}

const sorted = (names: readonly string[]) => [...new Set(names)].sort()

/** SMACv2's teams [code]: types in the order of their bits, weights, and who may not be alone. */
const TEAMS: Readonly<Record<Race, { readonly units: readonly string[]; readonly notAlone: string | null }>> = {
  terran: { units: ['marine', 'marauder', 'medivac'], notAlone: 'medivac' },
  protoss: { units: ['stalker', 'zealot', 'colossus'], notAlone: null },
  zerg: { units: ['zergling', 'hydralisk', 'baneling'], notAlone: 'baneling' },
}
const ODDS = [0.45, 0.9, 1]
const GENERATED_LIMIT = 200
const LEAST_SHOOT_RANGE = 2

/** SMAC's ranges, the same for every unit. */
const SHOOT_RANGE = 6
const SIGHT_RANGE = 9

/** Steps of an episode where no horizon is given: the map's own limit. */
export function limitOf(options: Options): number {
  if (options.custom !== null) return options.custom.limit
  return MAPS.find((map) => map.name === options.map)?.limit ?? GENERATED_LIMIT
}

/**
 * Checks the options against each other and derives the plan.
 * @throws TroupeError for an unknown map, and for a custom map that cannot be
 */
export function planOf(options: Options): Plan {
  const { rules } = options
  const custom = options.custom === null ? null : customMap(options.custom, rules)
  const generated = custom === null ? GENERATED.exec(options.map) : null
  if (generated !== null) return generatedPlan(options, generated)
  const map = custom?.map ?? MAPS.find((one) => one.name === options.map)
  if (map === undefined) {
    throw unknownName('skirmish map', options.map, [...MAPS.map((one) => one.name), ...SMACV2])
  }
  const types = custom?.types ?? unitTypes(rules)
  const terrain = custom?.terrain ?? terrainOf(TERRAINS[map.terrain], map.terrain, rules)
  const allyTypes = sorted(map.allies.map((group) => group.unit))
  const enemyTypes = sorted(map.enemies.map((group) => group.unit))
  const starts = startsOf(map, types, terrain, rules)
  const seen = allyTypes.length + enemyTypes.length > 2 ? sorted([...allyTypes, ...enemyTypes]) : []
  const enemyBits = options.compatibility && seen.join() === 'stalker,zealot' ? ['zealot', 'stalker'] : seen
  return finish(options, {
    map: map.name,
    types,
    terrain,
    starts,
    generated: null,
    order: map.order,
    counts: [starts[0].length, starts[1].length],
    present: [allyTypes, enemyTypes],
    bits: [seen, enemyBits],
    limit: options.horizon ?? map.limit,
    shoot: () => SHOOT_RANGE,
    sight: () => SIGHT_RANGE,
  })
}

/** The 15 standard battles of SMACv2. */
export const SMACV2 = (['terran', 'protoss', 'zerg'] as const).flatMap((race) =>
  ['5_vs_5', '10_vs_10', '10_vs_11', '20_vs_20', '20_vs_23'].map((size) => `${race}_${size}`),
)

function generatedPlan(options: Options, match: RegExpExecArray): Plan {
  const race = match[1] as Race
  const counts = [Number(match[2]), Number(match[3])] as const
  if (counts.some((count) => count < 1 || count > 200)) {
    throw new TroupeError('bad-option', {
      where: 'skirmish options: map',
      got: options.map,
      expected: '1 to 200 units on each side',
    })
  }
  const types = unitTypes(options.rules)
  const team = TEAMS[race]
  const index = (name: string) => types.findIndex((unit) => unit.name === name)
  return finish(options, {
    map: options.map,
    types,
    terrain: terrainOf(TERRAINS.open, 'open', options.rules),
    starts: null,
    generated: {
      race,
      types: team.units.map(index),
      odds: ODDS,
      notAlone: team.notAlone === null ? -1 : index(team.notAlone),
    },
    order: { kind: 'closest' },
    counts,
    present: [team.units, team.units],
    bits: [team.units, team.units],
    limit: options.horizon ?? GENERATED_LIMIT,
    shoot: (unit) => Math.max(LEAST_SHOOT_RANGE, unit.range),
    sight: (unit) => unit.sight,
  })
}

interface Draft {
  readonly map: string
  readonly types: readonly UnitType[]
  readonly terrain: Terrain
  readonly starts: readonly (readonly Start[])[] | null
  readonly generated: Generated | null
  readonly order: EnemyOrder
  readonly counts: readonly [number, number]
  readonly present: readonly (readonly string[])[]
  readonly bits: readonly (readonly string[])[]
  readonly limit: number
  readonly shoot: (unit: UnitType) => number
  readonly sight: (unit: UnitType) => number
}

function finish(options: Options, draft: Draft): Plan {
  const { types, counts, bits } = draft
  const typeBits = bits[0].length
  const named = (name: string) => types.find((unit) => unit.name === name)!
  const shields = draft.present.map((names) => (names.some((name) => named(name).shield > 0) ? 1 : 0))
  const healers = draft.present.map((names) => names.some((name) => named(name).heal !== undefined))
  const look = options.cone ? LOOKS : 0
  const both = options.opponent === 'policy'
  const actionsOf = (side: number) => {
    const own = counts[side]
    const other = counts[1 - side]
    return 6 + look + (healers[side] ? Math.max(own, other) : other)
  }
  const health = options.allHealth ? 1 : 0
  const sizeOf = (side: number) => {
    const enemySize = 4 + health * (1 + shields[1 - side]) + typeBits
    const allySize = 4 + health * (1 + shields[side]) + typeBits + (options.lastAction ? actionsOf(side) : 0)
    const move = 4 + (options.pathingGrid ? 8 : 0) + (options.terrainHeight ? 9 : 0)
    const own =
      (options.ownHealth ? 1 + shields[side] : 0) +
      (draft.generated === null ? 0 : 2) +
      (options.cone ? 2 : 0) +
      typeBits
    const time = options.timestep ? (options.compatibility ? 2 : 1) : 0
    return move + counts[1 - side] * enemySize + (counts[side] - 1) * allySize + own + time
  }
  const layout = (side: number): SideLayout => ({
    base: side === ALLIES ? 0 : counts[0],
    count: counts[side],
    shields: shields[side],
    bits: Int16Array.from(types, (unit) => bits[side].indexOf(unit.name)),
    actions: actionsOf(side),
    firstAttack: 6 + look,
    observation: sizeOf(side),
  })
  const sides = [layout(ALLIES), layout(ENEMIES)] as const
  const plan = {
    options,
    rules: options.rules,
    map: draft.map,
    terrain: draft.terrain,
    tables: unitTables(types, both),
    sides,
    units: counts[0] + counts[1],
    agents: both ? counts[0] + counts[1] : counts[0],
    typeBits,
    starts: draft.starts,
    generated: draft.generated,
    order: draft.order,
    enemyHome: homeOf(draft.starts),
    limit: draft.limit,
    stateSize: 0,
    shootRange: Float64Array.from(types, draft.shoot),
    sightRange: Float64Array.from(types, draft.sight),
    medics: healers[0],
    ownPosition: draft.generated !== null,
    arrival: Float64Array.from([ALLIES, ENEMIES], (side) => {
      const widest = Math.max(...draft.present[side].map((name) => named(name).radius))
      return options.rules === 'sc2' && counts[side] > 1 ? 1.25 * widest * Math.sqrt(counts[side]) : 0
    }),
    fighters: Uint8Array.from([ALLIES, ENEMIES], (side) => {
      const starts = draft.starts?.[side]
      return starts === undefined || starts.some((start) => types[start.type].heal === undefined) ? 1 : 0
    }),
    alphabet: alphabetOf(types),
  }
  return { ...plan, stateSize: stateSizeOf(plan) }
}

function alphabetOf(types: readonly UnitType[]): Uint8Array {
  const names = sorted(types.map((unit) => unit.name))
  return Uint8Array.from(types, (unit) => names.indexOf(unit.name))
}

/** Directions that can be looked in under the cone. */
export const LOOKS = 12

function homeOf(starts: readonly (readonly Start[])[] | null): readonly [number, number] {
  if (starts === null) return [0, 0]
  const enemies = starts[ENEMIES]
  const sum = (of: (start: Start) => number) => enemies.reduce((total, start) => total + of(start), 0)
  return [sum((start) => start.x) / enemies.length, sum((start) => start.y) / enemies.length]
}

function stateSizeOf(plan: Plan): number {
  const { options, sides, typeBits, agents } = plan
  if (options.observationsAsState) {
    return sides[0].count * sides[0].observation + (agents > sides[0].count ? sides[1].count * sides[1].observation : 0)
  }
  const ally = 4 + sides[0].shields + (options.cone ? 2 : 0) + typeBits
  const enemy = 3 + sides[1].shields + typeBits
  const acting = options.stateLastAction ? sides[0].count * sides[0].actions : 0
  return sides[0].count * ally + sides[1].count * enemy + acting + (options.stateTimestep ? 1 : 0)
}

/** Free space between units that start side by side [SMAClite]. */
const START_GAP = 0.05

/** Starts of a fixed map by side, centred. */
function startsOf(map: SkirmishMap, types: readonly UnitType[], terrain: Terrain, rules: RuleSet): Start[][] {
  const cx = terrain.width / 2
  const cy = terrain.height / 2
  const index = (name: string) => types.findIndex((unit) => unit.name === name)
  if (rules === 'smaclite' && map.smaclite !== undefined) {
    return [map.smaclite.allies, map.smaclite.enemies].map((list) =>
      list.map(([name, x, y]) => ({ type: index(name), x: x - cx, y: y - cy })),
    )
  }
  return [squares(map.allies, 1), squares(map.enemies, -1)]

  /** Groups of one point share a square grid, filled row by row; the enemies' is mirrored left to right. */
  function squares(groups: readonly Group[], sign: number): Start[] {
    const starts: Start[] = []
    const points = new Map<string, Group[]>()
    for (const group of groups) {
      const key = group.at.join()
      points.set(key, [...(points.get(key) ?? []), group])
    }
    for (const together of points.values()) {
      const members = together.flatMap((group) => new Array<number>(group.count).fill(index(group.unit)))
      const side = Math.ceil(Math.sqrt(members.length))
      const pitch = 2 * Math.max(...members.map((type) => types[type].radius)) + START_GAP
      const rows = Math.ceil(members.length / side)
      members.forEach((type, k) => {
        const column = k % side
        const row = Math.floor(k / side)
        starts.push({
          type,
          x: together[0].at[0] - cx + sign * (column - (Math.min(side, members.length) - 1) / 2) * pitch,
          y: together[0].at[1] - cy + (row - (rows - 1) / 2) * pitch,
        })
      })
    }
    // Whoever would stand in a wall is moved to the nearest free place.
    const x = Float64Array.from(starts, (start) => start.x)
    const y = Float64Array.from(starts, (start) => start.y)
    const type = Uint8Array.from(starts, (start) => start.type)
    const { radius, layer, strides, flies } = unitTables(types, false)
    const inflated = radius.map((r) => r + START_GAP / 2 - 1e-6)
    starts.forEach((start, i) => {
      const cells = flies[start.type] === 1 ? null : strides[start.type] === 1 ? terrain.strideable : terrain.walkable
      settle(x, y, inflated, layer, type, 0, i, sign, terrain.width, terrain.height, cells)
    })
    return starts.map((start, i) => ({ type: start.type, x: x[i], y: y[i] }))
  }
}
