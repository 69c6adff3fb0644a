import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { sparsityAt } from './sparsity.ts'

const path = join(
  process.env.TROUPE_FIXTURES ?? resolve(import.meta.dirname, '../../../shared/fixtures'),
  'expected.json',
)
const found = existsSync(path)
if (!found && !process.env.CI) console.log(`sparsity: no ${path}; its comparison is skipped`)

test.runIf(found || process.env.CI)('schedules pass through the known points', () => {
  const { pruning } = JSON.parse(readFileSync(path, 'utf8')).spectrum
  const { tau, si, sf, linear, polynomialCubic, harmonicProposed } = pruning
  for (const [schedule, values] of [
    ['linear', linear],
    ['polynomial', polynomialCubic.values],
    ['harmonic', harmonicProposed.values],
  ] as const) {
    ;(tau as number[]).forEach((t, i) =>
      expect(sparsityAt(schedule, t, si, sf), `${schedule} ${t}`).toBeCloseTo(values[i], 5),
    )
  }
})

test('every schedule begins and ends where it should, stays within, and only the harmonic one falls', () => {
  for (const schedule of ['linear', 'polynomial', 'harmonic'] as const) {
    expect(sparsityAt(schedule, 0, 0.1, 0.9)).toBeCloseTo(0.1, 12)
    expect(sparsityAt(schedule, 1, 0.1, 0.9)).toBeCloseTo(0.9, 12)
    expect(sparsityAt(schedule, -3, 0.1, 0.9)).toBe(sparsityAt(schedule, 0, 0.1, 0.9))
    expect(sparsityAt(schedule, 7, 0.1, 0.9)).toBe(sparsityAt(schedule, 1, 0.1, 0.9))
    let falls = 0
    for (let i = 0; i <= 200; i++) {
      const here = sparsityAt(schedule, i / 200, 0.1, 0.9)
      expect(here >= 0 && here <= 1).toBe(true)
      if (i > 0 && here < sparsityAt(schedule, (i - 1) / 200, 0.1, 0.9) - 1e-12) falls++
    }
    expect(falls > 0).toBe(schedule === 'harmonic')
  }
})
