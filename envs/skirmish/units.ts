/** What the units are: one table per rule set. NOTICE.md names the source of every column. */

export const RULE_SETS = ['sc2', 'smaclite'] as const
export type RuleSet = (typeof RULE_SETS)[number]

/** Loops of a Normal-speed second; all rates below are per such a second. */
export const LOOPS_PER_SECOND = 16

export type Race = 'terran' | 'protoss' | 'zerg'

/** One kind of unit. Times in seconds of 16 loops, lengths in cells. */
export interface UnitType {
  readonly name: string
  readonly race: Race
  readonly health: number
  readonly shield: number
  readonly armor: number
  readonly attributes: readonly string[]
  /** 'giant' stands on the ground, steps over cliffs, passes over others and can be hit as ground and as air. */
  readonly plane: 'ground' | 'air' | 'giant'
  readonly radius: number
  readonly sight: number
  readonly speed: number
  /** Of the standard copy that a scripted enemy uses, where it differs. */
  readonly enemySpeed?: number
  /** Cells per second squared; left out = full speed at once. */
  readonly acceleration?: number
  readonly damage: number
  readonly attacks: number
  readonly bonus: Readonly<Record<string, number>>
  readonly range: number
  /** Seconds between attacks. */
  readonly cooldown: number
  readonly targets: readonly ('ground' | 'air')[]
  readonly splash?: { readonly radius: number } | { readonly width: number; readonly depth: number }
  /** Dies by its own attack. */
  readonly suicide?: boolean
  /** Its splash also happens when it is killed. */
  readonly explodesWhenKilled?: boolean
  readonly heal?: { readonly perSecond: number; readonly perEnergy: number; readonly energyToStart: number }
  readonly energy?: { readonly start: number; readonly max: number; readonly regen: number }
  readonly shieldRegen: number
  readonly shieldDelay: number
  readonly healthRegen: number
  /** Cells within which an enemy without a target notices one. */
  readonly scan: number
  /** Loops that the cooldown in the state is divided by. */
  readonly normaliser: number
}

const plain = { armor: 0, shield: 0, attacks: 1, bonus: {}, shieldRegen: 0, shieldDelay: 10, healthRegen: 0, scan: 5 }
const ground = { ...plain, plane: 'ground', targets: ['ground'] } as const
const terran = { ...ground, race: 'terran' } as const
const protoss = { ...ground, race: 'protoss', armor: 1, shieldRegen: 2 } as const
const zerg = { ...ground, race: 'zerg', healthRegen: 0.2734 } as const

/** Normal-second values. */
const SC2: readonly UnitType[] = [
  {
    ...terran,
    name: 'marine',
    health: 45,
    attributes: ['light', 'biological'],
    radius: 0.375,
    sight: 9,
    speed: 2.25,
    damage: 6,
    range: 5,
    cooldown: 0.86083984375,
    targets: ['ground', 'air'],
    normaliser: 15,
  },
  {
    ...terran,
    name: 'marauder',
    health: 125,
    armor: 1,
    attributes: ['armored', 'biological'],
    radius: 0.5625,
    sight: 10,
    speed: 2.25,
    damage: 10,
    bonus: { armored: 10 },
    range: 6,
    cooldown: 1.5,
    normaliser: 25,
  },
  {
    ...terran,
    name: 'medivac',
    health: 150,
    armor: 1,
    attributes: ['armored', 'mechanical'],
    plane: 'air',
    radius: 0.75,
    sight: 11,
    speed: 2.75,
    enemySpeed: 2.5,
    acceleration: 2.3125,
    damage: 0,
    range: 4,
    cooldown: 0,
    heal: { perSecond: 9, perEnergy: 3, energyToStart: 5 },
    energy: { start: 50, max: 200, regen: 0.5625 },
    normaliser: 200,
  },
  {
    ...protoss,
    name: 'stalker',
    health: 80,
    shield: 80,
    attributes: ['armored', 'mechanical'],
    radius: 0.625,
    sight: 10,
    speed: 2.9531,
    damage: 13,
    bonus: { armored: 5 },
    range: 6,
    cooldown: 1.8701171875,
    targets: ['ground', 'air'],
    normaliser: 35,
  },
  {
    ...protoss,
    name: 'zealot',
    health: 100,
    shield: 50,
    attributes: ['light', 'biological'],
    radius: 0.5,
    sight: 9,
    speed: 2.25,
    damage: 8,
    attacks: 2,
    range: 0.1,
    cooldown: 1.2,
    normaliser: 22,
  },
  {
    ...protoss,
    name: 'colossus',
    health: 200,
    shield: 150,
    attributes: ['armored', 'mechanical', 'massive'],
    plane: 'giant',
    radius: 1,
    sight: 10,
    speed: 2.25,
    damage: 10,
    attacks: 2,
    bonus: { light: 5 },
    range: 7,
    cooldown: 1.5,
    splash: { width: 2.8, depth: 0.3 },
    normaliser: 24,
  },
  {
    ...zerg,
    name: 'zergling',
    health: 35,
    attributes: ['light', 'biological'],
    radius: 0.375,
    sight: 8,
    speed: 2.9531,
    damage: 5,
    range: 0.1,
    cooldown: 0.696044921875,
    normaliser: 11,
  },
  {
    ...zerg,
    name: 'baneling',
    health: 30,
    attributes: ['biological'],
    radius: 0.375,
    sight: 8,
    speed: 2.5,
    damage: 20,
    bonus: { light: 15, structure: 60 },
    range: 0.25,
    cooldown: 1,
    splash: { radius: 2.2 },
    suicide: true,
    explodesWhenKilled: true,
    normaliser: 1,
  },
  {
    ...zerg,
    name: 'hydralisk',
    health: 80,
    attributes: ['light', 'biological'],
    radius: 0.625,
    sight: 9,
    speed: 2.25,
    damage: 12,
    range: 5,
    cooldown: 0.824951171875,
    targets: ['ground', 'air'],
    normaliser: 10,
  },
  {
    ...zerg,
    name: 'spine_crawler',
    health: 300,
    armor: 2,
    attributes: ['armored', 'biological', 'structure'],
    radius: 1.125,
    sight: 11,
    speed: 0,
    damage: 25,
    bonus: { armored: 5 },
    range: 7,
    cooldown: 1.85009765625,
    scan: 7,
    normaliser: 30,
  },
]

/** What SMAClite says instead: Faster-second speeds and cooldowns under 16 ticks per second. */
const SMACLITE: Readonly<Record<string, Partial<UnitType>>> = {
  marine: { speed: 3.15, cooldown: 0.61 },
  marauder: { speed: 3.15, cooldown: 1.07 },
  medivac: { speed: 3.5, enemySpeed: 3.5, acceleration: undefined },
  stalker: { speed: 4.13, cooldown: 1.34 },
  zealot: { speed: 3.15, cooldown: 0.86 },
  colossus: { speed: 3.15, cooldown: 1.07, plane: 'ground' },
  zergling: { speed: 4.13, cooldown: 0.497, healthRegen: 0.38 },
  baneling: { speed: 3.15, damage: 80, bonus: {}, healthRegen: 0.38, explodesWhenKilled: false },
  // SMAClite has no hydralisk: its Normal values are turned into Faster ones as for the others.
  hydralisk: { speed: 3.15, cooldown: 0.59, healthRegen: 0.38 },
  spine_crawler: { cooldown: 1.32, radius: 0.5, healthRegen: 0.38, scan: 10 },
}

/** The ten built-in units of a rule set. SMAClite divides the cooldown in the state by the unit's own. */
export function unitTypes(rules: RuleSet): UnitType[] {
  if (rules === 'sc2') return [...SC2]
  return SC2.map((unit) => {
    const own = { ...unit, ...SMACLITE[unit.name] }
    return { ...own, normaliser: own.cooldown > 0 ? Math.ceil(own.cooldown * LOOPS_PER_SECOND) : unit.normaliser }
  })
}

export const UNIT_NAMES = SC2.map((unit) => unit.name)

/** Which bodies push each other: those that share a bit. */
const LAYER = { ground: 1, air: 2, giant: 4 } as const
const STRUCTURE_LAYER = 5

/** The units as arrays, T types; rates per loop. */
export interface UnitTables {
  readonly types: readonly UnitType[]
  readonly health: Float64Array // [T]
  readonly shield: Float64Array
  readonly armor: Float64Array
  readonly radius: Float64Array
  readonly speed: Float64Array // [2, T] by side
  readonly acceleration: Float64Array // [T] per loop; 0 = at once
  readonly hit: Float64Array // [T, T] damage of one hit before armour, attacker-major; 0 = cannot
  readonly attacks: Uint8Array
  readonly range: Float64Array
  readonly scan: Float64Array
  readonly cooldown: Float64Array // loops
  readonly splashRadius: Float64Array // 0 none
  readonly barWidth: Float64Array // 0 none
  readonly barDepth: Float64Array
  readonly suicide: Uint8Array
  readonly explodes: Uint8Array
  readonly heals: Float64Array // health per loop, 0 no healer
  readonly perEnergy: Float64Array
  readonly energyToStart: Float64Array
  readonly energyStart: Float64Array
  readonly energyMax: Float64Array
  readonly energyRegen: Float64Array
  readonly shieldRegen: Float64Array
  readonly shieldDelay: Float64Array
  readonly healthRegen: Float64Array
  readonly normaliser: Float64Array
  readonly layer: Uint8Array
  readonly healable: Uint8Array // biological and on the ground
  readonly flies: Uint8Array // ignores terrain
  readonly strides: Uint8Array // steps over cliff edges
}

/**
 * @param sameForBoth both sides use the allied copies of the units (two playable sides)
 */
export function unitTables(types: readonly UnitType[], sameForBoth: boolean): UnitTables {
  const T = types.length
  const column = (of: (unit: UnitType) => number) => Float64Array.from(types, of)
  const bytes = (of: (unit: UnitType) => boolean) => Uint8Array.from(types, (unit) => (of(unit) ? 1 : 0))
  const speed = new Float64Array(2 * T)
  const hit = new Float64Array(T * T)
  types.forEach((unit, t) => {
    speed[t] = unit.speed / LOOPS_PER_SECOND
    speed[T + t] = (sameForBoth ? unit.speed : (unit.enemySpeed ?? unit.speed)) / LOOPS_PER_SECOND
    types.forEach((other, o) => {
      const reaches = other.plane === 'giant' || unit.targets.includes(other.plane === 'air' ? 'air' : 'ground')
      if (unit.damage === 0 || !reaches) return
      const extra = other.attributes.reduce((sum, name) => sum + (unit.bonus[name] ?? 0), 0)
      hit[t * T + o] = unit.damage + extra
    })
  })
  return {
    types,
    health: column((unit) => unit.health),
    shield: column((unit) => unit.shield),
    armor: column((unit) => unit.armor),
    radius: column((unit) => unit.radius),
    speed,
    acceleration: column((unit) => (unit.acceleration ?? 0) / LOOPS_PER_SECOND / LOOPS_PER_SECOND),
    hit,
    attacks: Uint8Array.from(types, (unit) => unit.attacks),
    range: column((unit) => unit.range),
    scan: column((unit) => unit.scan),
    cooldown: column((unit) => unit.cooldown * LOOPS_PER_SECOND),
    splashRadius: column((unit) => (unit.splash !== undefined && 'radius' in unit.splash ? unit.splash.radius : 0)),
    barWidth: column((unit) => (unit.splash !== undefined && 'width' in unit.splash ? unit.splash.width : 0)),
    barDepth: column((unit) => (unit.splash !== undefined && 'width' in unit.splash ? unit.splash.depth : 0)),
    suicide: bytes((unit) => unit.suicide === true),
    explodes: bytes((unit) => unit.explodesWhenKilled === true),
    heals: column((unit) => (unit.heal?.perSecond ?? 0) / LOOPS_PER_SECOND),
    perEnergy: column((unit) => unit.heal?.perEnergy ?? 1),
    energyToStart: column((unit) => unit.heal?.energyToStart ?? 0),
    energyStart: column((unit) => unit.energy?.start ?? 0),
    energyMax: column((unit) => unit.energy?.max ?? 0),
    energyRegen: column((unit) => (unit.energy?.regen ?? 0) / LOOPS_PER_SECOND),
    shieldRegen: column((unit) => unit.shieldRegen / LOOPS_PER_SECOND),
    shieldDelay: column((unit) => unit.shieldDelay * LOOPS_PER_SECOND),
    healthRegen: column((unit) => unit.healthRegen / LOOPS_PER_SECOND),
    normaliser: column((unit) => unit.normaliser),
    layer: Uint8Array.from(types, (unit) =>
      unit.attributes.includes('structure') ? STRUCTURE_LAYER : LAYER[unit.plane],
    ),
    healable: bytes((unit) => unit.attributes.includes('biological') && unit.plane === 'ground'),
    flies: bytes((unit) => unit.plane === 'air'),
    strides: bytes((unit) => unit.plane === 'giant'),
  }
}
