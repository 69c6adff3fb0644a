import { expect, test } from 'vitest'
import { createBatch, episodeSeed } from '../core/index.ts'
import { warehouse } from './index.ts'
import { type WarehouseWorld } from './state.ts'

/** Pearson's statistic of counts against equal chances. */
function chiSquare(counts: ArrayLike<number>): number {
  const all = Array.from(counts)
  const expected = all.reduce((sum, n) => sum + n, 0) / all.length
  return all.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0)
}

/** Upper 0.1 % point of chi-square, by Wilson and Hilferty (1931); z = 3.09. */
const limit = (degrees: number) => degrees * (1 - 2 / (9 * degrees) + 3.09 * Math.sqrt(2 / (9 * degrees))) ** 3

test('starts are spread evenly: cells, headings and requests', () => {
  // 3,000 resets of tiny-4ag, as the recorded statistics of the original; cells have 109 degrees of freedom there too.
  const lanes = 3000
  const batch = createBatch(warehouse, { robots: 4 }, { lanes, observe: false })
  batch.reset(Array.from({ length: lanes }, (_, lane) => episodeSeed('starts', 'eval', lane, 0)))
  const { cell, heading, load, queue, shelfCell, plan } = batch.world as WarehouseWorld
  const cells = new Int32Array(110)
  const headings = new Int32Array(4)
  const requests = new Int32Array(32)
  const firstRequests = new Int32Array(32)
  let onHomes = 0
  for (let lane = 0; lane < lanes; lane++) {
    expect(new Set(cell.subarray(lane * 4, lane * 4 + 4)).size).toBe(4)
    expect(new Set(queue.subarray(lane * 4, lane * 4 + 4)).size).toBe(4)
    firstRequests[queue[lane * 4]]++
  }
  for (let i = 0; i < lanes * 4; i++) {
    cells[cell[i]]++
    headings[heading[i]]++
    requests[queue[i]]++
    onHomes += 1 - plan.layout.highway[cell[i]]
    expect(load[i]).toBe(0)
  }
  shelfCell.forEach((at, s) => expect(at).toBe(plan.layout.slots[s % 32]))
  expect(chiSquare(cells)).toBeLessThan(limit(109))
  expect(chiSquare(headings)).toBeLessThan(limit(3))
  expect(chiSquare(requests)).toBeLessThan(limit(31))
  expect(chiSquare(firstRequests)).toBeLessThan(limit(31))
  expect(Math.abs(onHomes / (lanes * 4) - 32 / 110)).toBeLessThan(0.015) // 3.5 standard errors
})

test('the seed decides the start', () => {
  const batch = createBatch(warehouse, {}, { lanes: 3 })
  const [one, two] = [episodeSeed('a', 'eval', 0, 0), episodeSeed('b', 'eval', 0, 0)]
  batch.reset([one, two, one])
  expect(batch.hash(0)).toBe(batch.hash(2))
  expect(batch.hash(0)).not.toBe(batch.hash(1))
})

test('a crowd as large as the floor finds room', () => {
  const batch = createBatch(warehouse, { layout: 'xg\n..', robots: 4, requests: 0 })
  batch.reset()
  expect([...(batch.world as WarehouseWorld).cell].sort()).toEqual([0, 1, 2, 3])
})

test('on a crowded floor every ordered choice of cells is as likely as any other', () => {
  const lanes = 6000
  const batch = createBatch(warehouse, { layout: 'xg\n..', robots: 3, requests: 0 }, { lanes, observe: false })
  batch.reset(Array.from({ length: lanes }, (_, lane) => episodeSeed('crowds', 'eval', lane, 0)))
  const { cell } = batch.world as WarehouseWorld
  const counts = new Map<string, number>()
  for (let lane = 0; lane < lanes; lane++) {
    const order = cell.subarray(lane * 3, lane * 3 + 3).join()
    counts.set(order, (counts.get(order) ?? 0) + 1)
  }
  expect(counts.size).toBe(24) // 4 * 3 * 2
  expect(chiSquare([...counts.values()])).toBeLessThan(limit(23))
})
