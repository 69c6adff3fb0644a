import { describe, expect, test } from 'vitest'
import { refusal } from '../../testing.ts'
import { createBatch } from '../core/index.ts'
import { skirmish } from './index.ts'
import { type SkirmishWorld } from './state.ts'

const gate = {
  name: 'gate',
  limit: 120,
  terrain: ['########', '#......#', '#..##..#', '#......#', '########'],
  allies: [{ unit: 'marine', count: 2, at: [2.5, 1.5] }],
  enemies: [{ unit: 'brute', count: 1, at: [5.5, 3.5] }],
  attack: 'closest',
  units: [{ name: 'brute', like: 'zealot', health: 200, speed: 1.5 }],
}
const [ally, brute] = [gate.allies[0], gate.units[0]]
const { terrain: _terrain, ...roofless } = gate
void _terrain

/** What a map author gets wrong, and the sentence they read. */
const FAULTS: readonly (readonly [string, object, string])[] = [
  [
    'a misspelt field',
    { ...roofless, terrian: gate.terrain },
    'skirmish options: custom: terrian is not known here; expected one of name, limit, terrain, heights, allies, enemies, attack, units; did you mean "terrain"?',
  ],
  ['a missing field', roofless, 'skirmish options: custom: terrain is missing; expected an array of 4 to 256 items'],
  [
    'a misspelt field of a unit',
    { ...gate, units: [{ ...brute, helth: 3 }] },
    'skirmish options: custom: units.0.helth is not known here; expected one of name, like, health, shield, armor, damage, attacks, range, cooldown, speed, radius, sight, scan, attributes; did you mean "health"?',
  ],
  [
    'text for a number',
    { ...gate, limit: '120' },
    'skirmish options: custom: limit is "120"; expected a whole number of 1 to 100000',
  ],
  [
    'half a unit',
    { ...gate, allies: [{ ...ally, count: 2.5 }] },
    'skirmish options: custom: allies.0.count is 2.5; expected a whole number of 1 to 200',
  ],
  [
    'a point with one number',
    { ...gate, allies: [{ ...ally, at: [2] }] },
    'skirmish options: custom: allies.0.at is [2]; expected an array of 2 items',
  ],
  [
    'nobody to fight',
    { ...gate, enemies: [] },
    'skirmish options: custom: enemies is []; expected an array of 1 to 40 items',
  ],
  [
    'a misspelt order',
    { ...gate, attack: 'closset' },
    'skirmish options: custom: attack is "closset"; expected an array of 2 items or "closest" or "none"; did you mean "closest"?',
  ],
  [
    'a number too large inside an order',
    { ...gate, attack: [300, 2] },
    'skirmish options: custom: attack: 0 is 300; expected a number of 0 to 256',
  ],
  [
    'an order out of the map',
    { ...gate, attack: [99, 2] },
    'skirmish map "gate": attack is [99, 2], outside the map; expected a point of the 8 by 5 map, counted from the lower left corner',
  ],
  [
    'a start in a wall',
    { ...gate, allies: [{ ...ally, at: [3.5, 2.5] }] },
    'skirmish map "gate": allies: marine: at is [3.5, 2.5], in a wall; expected a floor cell of the 8 by 5 map, counted from the lower left corner',
  ],
  [
    'a misspelt unit',
    { ...gate, allies: [{ ...ally, unit: 'marin' }] },
    'skirmish map "gate": allies: unit is "marin"; expected one of marine, marauder, medivac, stalker, zealot, colossus, zergling, baneling, hydralisk, spine_crawler, brute; did you mean "marine"?',
  ],
  [
    'a misspelt attribute, which no bonus would ever meet',
    { ...gate, units: [{ ...brute, attributes: ['lihgt'] }] },
    'skirmish map "gate": unit brute: attribute is "lihgt"; expected one of light, biological, armored, mechanical, massive, structure; did you mean "light"?',
  ],
  [
    'a short row',
    { ...gate, terrain: gate.terrain.with(2, '#..##.#') },
    'skirmish map: terrain, row 3 is 7 signs; expected 8, as in the first row',
  ],
]

describe('a faulty map is refused with the field, what it holds and what would do', () => {
  test.each(FAULTS)('%s', (_, custom, sentence) => {
    expect(refusal(() => createBatch(skirmish, { custom })).message).toBe(sentence)
  })
})

test('under smaclite the ground is as drawn, whatever the map is called', () => {
  // SMAClite walls the open layout in and walks on the cliff edges of the corridor; a map of that name is another map.
  const terrain = Array.from({ length: 32 }, (_, r) => (r === 8 ? '%' : '.').repeat(32))
  for (const name of ['yard', 'open', 'corridor', 'plateau']) {
    const custom = { ...gate, name, terrain }
    const world = createBatch(skirmish, { custom, rules: 'smaclite' }).world as SkirmishWorld
    expect(
      world.plan.terrain.walkable.reduce((sum, cell) => sum + cell, 0),
      name,
    ).toBe(31 * 32)
  }
})
