import { expect, test } from 'vitest'
import { fixtureJson } from '../../testing.ts'
import { sparsityAt } from './sparsity.ts'

const known = fixtureJson('expected.json')?.spectrum

test.runIf(known)('schedules pass through the known points', () => {
  const { pruning } = known
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
