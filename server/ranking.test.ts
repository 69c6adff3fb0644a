import { expect, test } from 'vitest'
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { Generator, namedSeed } from '../envs/core/index.ts'
import { rankRanges } from '../results/statistics.ts'
import { BOARD_LIMITS } from './board-limits.ts'
import { Ranking } from './ranking.ts'

const Z = 1.959963984540054

test('ranks are those of the definition, whatever the values and their errors', () => {
  const row = fc.record({
    // Few values, so that there are ties.
    value: fc.oneof(fc.integer({ min: -4, max: 4 }), fc.double({ min: -3, max: 3, noNaN: true })),
    error: fc.oneof(fc.constant(0), fc.double({ min: 1e-9, max: 2, noNaN: true })),
  })
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 40 }), (drawn) => {
      const ranking = new Ranking(drawn.map((one, k) => ({ id: String(k), value: one.value + 0, error: one.error })))
      const { rows } = ranking
      const definition = rankRanges(
        rows.map((one) => one.value),
        (i, j) => {
          const half = Math.sqrt(Z * Z * rows[i].error * rows[i].error + Z * Z * rows[j].error * rows[j].error)
          const difference = rows[i].value - rows[j].value
          return { low: difference - half, high: difference + half }
        },
      )
      expect(rows.map((_, place) => ranking.rankAt(place))).toEqual(definition)
    }),
    { numRuns: 300 },
  )
})

test('a row that comes later takes the place it would have had from the start, and its old place is gone', () => {
  const rng = fc.array(fc.record({ value: fc.integer({ min: -3, max: 3 }), error: fc.double({ min: 0, max: 1, noNaN: true }) }), { minLength: 1, maxLength: 25 }) // prettier-ignore
  fc.assert(
    fc.property(rng, fc.nat(24), (drawn, at) => {
      const rows = drawn.map((one, k) => ({ id: String.fromCharCode(97 + k), value: one.value, error: one.error }))
      const whole = new Ranking(rows)
      const one = rows[at % rows.length]
      // Known with another value before; then without it before.
      for (const first of [
        rows.map((row) => (row === one ? { ...row, value: 9 } : row)),
        rows.filter((row) => row !== one),
      ]) {
        const grown = new Ranking(first).with(one)
        expect(grown.rows).toEqual(whole.rows)
        expect(rows.map((_, place) => grown.rankAt(place))).toEqual(rows.map((_, place) => whole.rankAt(place)))
      }
    }),
  )
})

test('rows without any spread are ranked by their values alone, and equal ones share a place', () => {
  const ranking = new Ranking([1, 3, 3, 2].map((value, k) => ({ id: String(k), value, error: 0 })))
  expect(ranking.rows.map(({ id }) => id)).toEqual(['1', '2', '3', '0'])
  expect(ranking.rows.map((_, place) => ranking.rankAt(place))).toEqual([
    { rank: 1, best: 1, worst: 2 },
    { rank: 1, best: 1, worst: 2 },
    { rank: 3, best: 3, worst: 3 },
    { rank: 4, best: 4, worst: 4 },
  ])
})

test('a board of many rows has the ranges that comparing each with each gives', () => {
  const rng = new Generator(namedSeed('ranking', 'many'))
  // Values on a grid and errors of three sizes: rows lie exactly on the border of a block and of an interval.
  const drawn = Array.from({ length: 1500 }, (_, k) => ({
    id: String(k),
    value: k % 3 === 0 ? rng.below(40) / 4 : 10 * rng.float(),
    error: k % 5 === 0 ? 0 : k % 7 === 0 ? 0.25 / Z : 0.02 + 0.6 * rng.float(),
  }))
  const ranking = new Ranking(drawn)
  const { rows } = ranking
  const plain = rows.map(({ value, error }) => {
    let [better, worse, above] = [0, 0, 0]
    for (const other of rows) {
      if (other.value > value) above++
      if (Math.abs(other.value - value) <= Math.sqrt(Z * Z * error * error + Z * Z * other.error * other.error))
        continue
      if (other.value > value) better++
      else worse++
    }
    return { rank: 1 + above, best: 1 + better, worst: rows.length - worse }
  })
  expect(rows.map((_, place) => ranking.rankAt(place))).toEqual(plain)
})

test('rows within the noise share a range', () => {
  const ranking = new Ranking([
    { id: 'a', value: 10, error: 1 },
    { id: 'b', value: 9, error: 1 }, // 1 apart; the interval of the difference reaches 2.77
    { id: 'c', value: 5, error: 1 },
  ])
  expect([0, 1, 2].map((place) => ranking.rankAt(place))).toEqual([
    { rank: 1, best: 1, worst: 2 },
    { rank: 2, best: 1, worst: 2 },
    { rank: 3, best: 3, worst: 3 },
  ])
})

test('the page of the leaderboard shows the limits as they are', () => {
  const page = readFileSync(new URL('./BOARDS.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map((row) => [row[1], Number(row[2])])
  expect(Object.fromEntries(rows)).toEqual(BOARD_LIMITS)
})
