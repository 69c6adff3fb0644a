/** Maps and units of other people: one JSON object, checked so that its author understands what is wrong. */
import { Type, type Static } from '#typebox'
import { TroupeError, shown, unknownName } from '../core/errors.ts'
import { type SkirmishMap } from './maps.ts'
import { terrainOf, type Terrain } from './terrain.ts'
import { unitTypes, type RuleSet, type UnitType } from './units.ts'

const positive = (maximum: number, description: string) => Type.Number({ minimum: 0, maximum, description })
const Point = Type.Array(Type.Number({ minimum: 0, maximum: 256 }), { minItems: 2, maxItems: 2 })

const CustomGroup = Type.Object(
  {
    unit: Type.String({ maxLength: 40, description: 'A built-in unit or one of `units`.' }),
    count: Type.Integer({ minimum: 1, maximum: 200 }),
    at: Point,
  },
  { additionalProperties: false },
)

/** A unit of one's own: a built-in one with other numbers. Times in seconds of 16 loops, lengths in cells. */
const CustomUnit = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z][a-z0-9_]*$', maxLength: 40 }),
    like: Type.String({ maxLength: 40, description: 'Built-in unit whose numbers it takes where none are given.' }),
    health: Type.Optional(Type.Number({ minimum: 1, maximum: 100_000 })),
    shield: Type.Optional(positive(100_000, 'Points above health that regenerate.')),
    armor: Type.Optional(positive(1000, 'Taken off every hit on health.')),
    damage: Type.Optional(positive(100_000, 'Per hit.')),
    attacks: Type.Optional(Type.Integer({ minimum: 1, maximum: 20 })),
    range: Type.Optional(positive(30, 'Between edges.')),
    cooldown: Type.Optional(Type.Number({ minimum: 0.0625, maximum: 600 })),
    speed: Type.Optional(positive(10, 'Cells per second.')),
    radius: Type.Optional(Type.Number({ minimum: 0.1, maximum: 3 })),
    sight: Type.Optional(positive(60, 'Cells.')),
    scan: Type.Optional(positive(60, 'Cells.')),
    attributes: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 8 })),
  },
  { additionalProperties: false },
)

export const CustomMap = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$', maxLength: 60 }),
    limit: Type.Integer({ minimum: 1, maximum: 100_000, description: 'Steps of an episode.' }),
    terrain: Type.Array(Type.String({ maxLength: 256 }), {
      minItems: 4,
      maxItems: 256,
      description: "Rows, top first: '#' void, '%' cliff edge, '.' floor, '/' ramp, 'h' high ground.",
    }),
    heights: Type.Optional(Type.Array(Type.Array(Type.Number({ minimum: 0, maximum: 1 })))),
    allies: Type.Array(CustomGroup, { minItems: 1, maxItems: 40 }),
    enemies: Type.Array(CustomGroup, { minItems: 1, maxItems: 40 }),
    attack: Type.Optional(
      Type.Union([Point, Type.Literal('closest'), Type.Literal('none')], {
        description: 'Where the enemies attack-move to; closest: each hunts the closest ally; default: the allies.',
      }),
    ),
    units: Type.Optional(Type.Array(CustomUnit, { maxItems: 40 })),
  },
  { additionalProperties: false },
)
export type CustomMap = Static<typeof CustomMap>

/**
 * @throws TroupeError bad-option or unknown-name: unknown units with the nearest name, groups outside the map or in a
 *   wall, units given twice
 */
export function customMap(
  custom: CustomMap,
  rules: RuleSet,
): { map: SkirmishMap; types: UnitType[]; terrain: Terrain } {
  const where = `skirmish map "${custom.name}"`
  const types = unitTypes(rules)
  for (const unit of custom.units ?? []) {
    const like = types.find((one) => one.name === unit.like)
    if (like === undefined) {
      throw unknownName(
        `${where}: unit ${unit.name}: like`,
        unit.like,
        types.map((one) => one.name),
      )
    }
    if (types.some((one) => one.name === unit.name)) {
      throw new TroupeError('bad-option', {
        where: `${where}: units`,
        got: `${unit.name}, which is taken`,
        expected: 'a name of its own',
      })
    }
    const attributes = [...new Set(types.flatMap((one) => one.attributes))]
    for (const attribute of unit.attributes ?? []) {
      if (!(attributes as string[]).includes(attribute)) {
        throw unknownName(`${where}: unit ${unit.name}: attribute`, attribute, attributes)
      }
    }
    const { like: _like, ...own } = unit
    void _like
    types.push({ ...like, ...own })
  }
  // Without a name: what SMAClite makes of its own layouts is no business of a map that is called like one.
  const terrain = terrainOf(custom.terrain, '', rules, custom.heights)
  for (const side of ['allies', 'enemies'] as const) {
    let count = 0
    for (const group of custom[side]) {
      const unit = types.find((one) => one.name === group.unit)
      if (unit === undefined) {
        throw unknownName(
          `${where}: ${side}: unit`,
          group.unit,
          types.map((one) => one.name),
        )
      }
      const [x, y] = group.at
      const inside = x >= 0 && y >= 0 && x < terrain.width && y < terrain.height
      const cell = Math.floor(y) * terrain.width + Math.floor(x)
      if (!inside || (unit.plane !== 'air' && terrain.strideable[cell] === 0)) {
        throw new TroupeError('bad-option', {
          where: `${where}: ${side}: ${group.unit}: at`,
          got: `${shown(group.at)}, ${inside ? 'in a wall' : 'outside the map'}`,
          expected: `a floor cell of the ${terrain.width} by ${terrain.height} map, counted from the lower left corner`,
        })
      }
      count += group.count
    }
    if (count > 200) {
      throw new TroupeError('bad-option', {
        where: `${where}: ${side}`,
        got: `${count} units`,
        expected: 'at most 200',
      })
    }
  }
  if (Array.isArray(custom.attack)) {
    const [x, y] = custom.attack
    if (x >= terrain.width || y >= terrain.height) {
      throw new TroupeError('bad-option', {
        where: `${where}: attack`,
        got: `${shown(custom.attack)}, outside the map`,
        expected: `a point of the ${terrain.width} by ${terrain.height} map, counted from the lower left corner`,
      })
    }
  }
  const allyHome = custom.allies[0].at as [number, number]
  const groups = (side: 'allies' | 'enemies') =>
    custom[side].map((group) => ({ unit: group.unit, count: group.count, at: group.at as [number, number] }))
  const attack = custom.attack ?? allyHome
  return {
    types,
    terrain,
    map: {
      name: custom.name,
      limit: custom.limit,
      terrain: custom.name,
      allies: groups('allies'),
      enemies: groups('enemies'),
      order: typeof attack === 'string' ? { kind: attack } : { kind: 'attack-move', to: attack as [number, number] },
    },
  }
}
