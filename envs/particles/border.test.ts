import { expect, test } from 'vitest'
import { border } from './border.ts'

/** Relative difference. */
const off = (got: number, right: number) => Math.abs(got / right - 1)

test('the border costs nothing inside, rises to 1 at the edge and ends at 10', () => {
  expect([border(0), border(0.8999), border(0.95), border(1)].map((cost) => Math.round(cost * 1e9) / 1e9)).toEqual([
    0, 0, 0.5, 1,
  ])
  expect(off(border(1.5), Math.E)).toBeLessThan(1e-15) // e^(2 · 1.5 - 2)
  expect(border(2.15)).toBeLessThan(10)
  expect(border(2.16)).toBe(10)
  expect(border(1e9)).toBe(10)
})
