import { expect, test } from 'vitest'
import { createBatch, envSpec, episodeSeed } from '../core/index.ts'
import { foraging, type ForagingWorld } from './index.ts'
import { PRESENT } from './state.ts'

/** Pearson's statistic of counts against shares. */
function chiSquare(counts: readonly number[], shares: readonly number[]): number {
  const all = counts.reduce((sum, n) => sum + n, 0)
  return counts.reduce((sum, n, k) => sum + (n - all * shares[k]) ** 2 / (all * shares[k]), 0)
}

/** Upper 0.1 % point of chi-square, by Wilson and Hilferty (1931); z = 3.09. */
const limit = (degrees: number) => degrees * (1 - 2 / (9 * degrees) + 3.09 * Math.sqrt(2 / (9 * degrees))) ** 3

function starts(options: Record<string, unknown>, lanes = 3000): ForagingWorld {
  const batch = createBatch(foraging, options, { lanes, observe: false })
  batch.reset(Array.from({ length: lanes }, (_, lane) => episodeSeed('starts', 'eval', lane, 0)))
  return batch.world as ForagingWorld
}

/** How often each value of 0 to `most` comes up. */
function count(values: ArrayLike<number>, most: number): number[] {
  const counts = new Array<number>(most + 1).fill(0)
  for (let i = 0; i < values.length; i++) counts[values[i]]++
  return counts
}

test('players start on distinct cells, spread evenly over the field, with even levels', () => {
  const world = starts({ players: 4 })
  const cells = count(world.cell, 63)
  expect(chiSquare(cells, new Array<number>(64).fill(1 / 64))).toBeLessThan(limit(63))
  expect(chiSquare(count(world.level, 2).slice(1), [0.5, 0.5])).toBeLessThan(limit(1))
  for (let lane = 0; lane < world.lanes; lane++) {
    expect(new Set(world.cell.subarray(lane * 4, lane * 4 + 4)).size).toBe(4)
  }
})

test('item levels have the distribution of the original', () => {
  // Two players, levels 1 or 2, maximum their sum: 2, 3, 3 or 4 with equal chances; levels uniform up to it, inclusive.
  const shares = [1, 2, 3, 4].map((level) => [2, 3, 3, 4].reduce((sum, m) => sum + (level <= m ? 1 / m / 4 : 0), 0))
  expect(shares[0]).toBeCloseTo(0.3542, 4) // the original: 0.3582 in 4,500 items
  const { foodLevel } = starts({})
  expect(chiSquare(count(foodLevel, 4).slice(1), shares)).toBeLessThan(limit(3))
  // Cooperative: exactly the maximum.
  const coop = starts({ foods: 2, cooperative: true })
  expect(
    chiSquare(
      count(
        coop.foodLevel.filter((_, k) => k % 2 === 0),
        4,
      ).slice(2),
      [0.25, 0.5, 0.25],
    ),
  ).toBeLessThan(limit(2))
  for (let lane = 0; lane < 500; lane++) {
    const [a, b] = coop.level.subarray(lane * 2, lane * 2 + 2)
    expect([...coop.foodLevel.subarray(lane * 2, lane * 2 + 2)]).toEqual([a + b, a + b])
  }
})

test('from four players on the maximum is the sum of the three weakest', () => {
  const world = starts({ players: 6, cooperative: true, maxPlayerLevel: 9, rows: 10 })
  for (let lane = 0; lane < 300; lane++) {
    const levels = [...world.level.subarray(lane * 6, lane * 6 + 6)].sort((a, b) => a - b)
    expect(world.foodLevel[lane * 3]).toBe(levels[0] + levels[1] + levels[2])
  }
})

test('items keep off the edge, off players and at a distance from each other', () => {
  const world = starts({ rows: 7, columns: 10, players: 5, foods: 9 }, 300)
  for (let lane = 0; lane < world.lanes; lane++) {
    const items = [...world.foodCell.subarray(lane * 9, lane * 9 + 9)].filter(
      (_, f) => world.foodStatus[lane * 9 + f] === PRESENT,
    )
    expect([...items].sort((a, b) => a - b)).toEqual(items)
    for (const [k, item] of items.entries()) {
      const [row, column] = [Math.floor(item / 10), item % 10]
      expect(row > 0 && row < 6 && column > 0 && column < 9).toBe(true)
      expect([...world.cell.subarray(lane * 5, lane * 5 + 5)]).not.toContain(item)
      for (const other of items.slice(k + 1)) {
        const [dr, dc] = [Math.abs(Math.floor(other / 10) - row), Math.abs((other % 10) - column)]
        expect(Math.max(dr, dc) > 1 && !(dr === 0 && dc === 2) && !(dr === 2 && dc === 0)).toBe(true)
      }
    }
  }
})

test('crowded fields have as many items as the original', () => {
  // The original in 1,500 resets: one item in 10.6 %, two in 89.4 %; in the mean of n resets the error is below 0.02.
  const { left } = starts({ rows: 5, columns: 5, foods: 9 }, 6000)
  const counts = count(left, 9)
  expect(counts[0] + counts.slice(3).reduce((sum, n) => sum + n, 0)).toBe(0)
  expect(Math.abs(counts[1] / 6000 - 0.106)).toBeLessThan(0.03)
})

test('there is always something to eat, even where players nearly fill the field', () => {
  const { left, cell } = starts({ rows: 3, columns: 3, players: 8, foods: 1 }, 200)
  expect([...left]).toEqual(new Array(200).fill(1))
  expect([...cell]).not.toContain(4) // the middle is the only place for food
})

test('lists of level bounds are dealt out anew every episode', () => {
  const options = { players: 3, minPlayerLevel: [1, 5, 9], maxPlayerLevel: [1, 6, 9], maxFoodLevel: [1, 2, 3] }
  const world = starts(options, 3000)
  const orders = new Map<string, number>()
  for (let lane = 0; lane < world.lanes; lane++) {
    const levels = [...world.level.subarray(lane * 3, lane * 3 + 3)].map((level) => (level === 6 ? 5 : level))
    expect([...levels].sort((a, b) => a - b)).toEqual([1, 5, 9])
    orders.set(levels.join(), (orders.get(levels.join()) ?? 0) + 1)
  }
  expect(chiSquare([...orders.values()], new Array<number>(6).fill(1 / 6))).toBeLessThan(limit(5))
})

test.each<[Record<string, unknown>, RegExp]>([
  [{ rows: 3, columns: 3, players: 9 }, /players is 9; expected at most 8: each needs a cell, and an item one more/],
  [{ minPlayerLevel: [1, 2, 3] }, /minPlayerLevel is a list of 3; expected one number, or a list of 2: one per player/],
  [{ minFoodLevel: [1], maxFoodLevel: 3 }, /minFoodLevel is a list of 1; expected .* list of 3: one per item/],
  [{ minPlayerLevel: 3 }, /minPlayerLevel is 3 \(place 0\); expected at most maxPlayerLevel, which is 2 there/],
  [
    { minFoodLevel: 2, maxFoodLevel: [2, 1, 3] },
    /minFoodLevel is 2 \(place 1\); expected at most maxFoodLevel, which is 1/,
  ],
  [{ minFoodLevel: 3 }, /minFoodLevel is 3; expected at most 2 unless maxFoodLevel is given: the three weakest/],
  [{ observation: 'grid', sightCells: 150 }, /sightCells is 150, which makes 271803 numbers per player/],
  [{ player: 3 }, /did you mean "players"\?/],
  [{ observation: 'gird' }, /did you mean "?grid"?\?/],
  [{ penalty: -1 }, /penalty is -1; expected a number of 0 to 1000/],
])('the options %j are refused with a sentence', (options, message) => {
  expect(() => envSpec(foraging, options)).toThrow(message)
})
