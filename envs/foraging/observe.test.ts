import { expect, test } from 'vitest'
import { createBatch, explain } from '../core/index.ts'
import { foraging } from './index.ts'
import { fromPicture } from './picture.ts'
import { fromReference } from './reference.ts'

function drawn(picture: string, more: Record<string, unknown> = {}) {
  const { options, state } = fromPicture(picture)
  const batch = createBatch(foraging, { ...options, ...more }, { autoreset: 'disabled' })
  batch.reset()
  batch.load(0, fromReference(state, batch))
  const width = batch.spec.observationSize
  return { batch, seen: (agent: number) => [...batch.observation.subarray(agent * width, (agent + 1) * width)] }
}

const FIELD = `
  a1 .  .  .  .  .  .
  .  1  .  .  .  .  .
  .  .  .  .  b2 .  .
  .  .  .  3  .  .  .
  .  .  .  .  .  .  .
  c1 .  .  .  .  2  .
  .  .  .  .  .  .  .`

test('the whole field is seen in absolute rows and columns, the player itself first', () => {
  const field = drawn(FIELD)
  const food = [1, 1, 1, 3, 3, 3, 5, 5, 2]
  expect(field.seen(0)).toEqual([...food, 0, 0, 1, 2, 4, 2, 5, 0, 1])
  expect(field.seen(1)).toEqual([...food, 2, 4, 2, 0, 0, 1, 5, 0, 1])
  expect(field.seen(2)).toEqual([...food, 5, 0, 1, 0, 0, 1, 2, 4, 2])
})

test('in a limited sight coordinates count from the clipped window, and players show beyond it at the top left', () => {
  const field = drawn(FIELD, { sightCells: 2 })
  // a at the corner: its window is rows and columns 0 to 2; b is 4 columns away and seen all the same.
  expect(field.seen(0)).toEqual([1, 1, 1, -1, -1, 0, -1, -1, 0, 0, 0, 1, 2, 4, 2, -1, -1, 0])
  // b at (2, 4): rows 0 to 4, columns 2 to 6, so its origin is (0, 2); neither a nor c is in there.
  expect(field.seen(1)).toEqual([3, 1, 3, -1, -1, 0, -1, -1, 0, 2, 2, 2, -1, -1, 0, -1, -1, 0])
  // c at (5, 0): rows 3 to 6, columns 0 to 2.
  expect(field.seen(2)).toEqual([-1, -1, 0, -1, -1, 0, -1, -1, 0, 2, 0, 1, -1, -1, 0, -1, -1, 0])
})

test('strict sight ends where it says, and its origin stays up and left of the player', () => {
  const field = drawn(FIELD, { sightCells: 2, strict: true })
  expect(field.seen(0)).toEqual([3, 3, 1, -1, -1, 0, -1, -1, 0, 2, 2, 1, -1, -1, 0, -1, -1, 0])
  expect(field.seen(1)).toEqual([3, 1, 3, -1, -1, 0, -1, -1, 0, 2, 2, 2, -1, -1, 0, -1, -1, 0])
  // With everything in sight strict and original coordinates are the same.
  expect(drawn(FIELD, { strict: true }).seen(2)).toEqual(drawn(FIELD).seen(2))
})

test('hidden levels leave two numbers per player', () => {
  const field = drawn(FIELD, { levelsObserved: false })
  expect(field.seen(1).slice(9)).toEqual([2, 4, 0, 0, 5, 0])
})

test('a grid shows levels of players and food and free cells around the player', () => {
  const field = drawn('. a2b1 .\n . 2 .\n . . c1', { sightCells: 1, observation: 'grid' })
  const own = [0, 0, 0, 0, 1, 0, 0, 0, 0] // of a and b in one cell the higher number shows
  const food = [0, 0, 0, 0, 0, 0, 0, 2, 0]
  const free = [0, 0, 0, 1, 0, 1, 1, 0, 1]
  expect(field.seen(0)).toEqual([...own, ...food, ...free])
  expect(field.seen(1)).toEqual(field.seen(0))
  const hidden = drawn('. a2 .\n . 2 .\n . . .', { sightCells: 1, observation: 'grid', levelsObserved: false })
  expect(hidden.seen(0).slice(0, 9)).toEqual(own)
})

test('explain names every number, with where it counts from and what an empty slot holds', () => {
  const { batch } = drawn(FIELD, { sightCells: 2 })
  const told = explain(batch, 0, 'agent_0')
  expect(told).toHaveLength(18)
  expect(told[0]).toMatchObject({ name: 'food_0.row', value: 1, low: -1, high: 4 })
  expect(told[3]).toMatchObject({ name: 'food_1.row', value: -1 })
  for (const { name, meaning } of told) {
    if (name.endsWith('level')) continue
    expect(meaning, name).toMatch(/0 at the top left corner of the seen part of the field/)
    if (!name.startsWith('self')) expect(meaning, name).toMatch(/-1 where no more (items|players) are seen/)
  }
})

test('the global state names players, items as spawned and their sum', () => {
  const { batch } = drawn(FIELD)
  const named = Object.fromEntries(batch.spec.world.state.map(({ name }, s) => [name, batch.state[s]]))
  expect(named).toMatchObject({
    'agent_1.row': Math.fround(2 / 6),
    'agent_1.column': Math.fround(4 / 6),
    'agent_1.level': 1, // 2 of at most 2
    'food_0.level': Math.fround(1 / 3),
    'food_2.column': Math.fround(5 / 6),
    spawned: Math.fround(6 / 9),
  })
})
