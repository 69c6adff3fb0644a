import { expect, test } from 'vitest'
import { exponential, naturalLogarithm, softplus } from './exponential.ts'

/** Relative difference. */
const off = (got: number, right: number) => Math.abs(got / right - 1)

test('the exponential has the value of 40-digit arithmetic, to two units in the last place', () => {
  // Python's decimal, 40 digits: (-Decimal(y)).exp()
  const right = [
    [0, 1],
    [0.5, 0.6065306597126334236],
    [1, 0.3678794411714423215955],
    [3.25, 0.03877420783172200988],
    [40, 4.248354255291588995329e-18],
    [100, 3.720075976020835962959e-44],
  ]
  for (const [y, value] of right) expect(off(exponential(y), value)).toBeLessThan(4.5e-16)
  expect(exponential(708.5)).toBe(0)
})

test('the softplus has the value of 40-digit arithmetic on both sides of 0', () => {
  // Python's decimal, 40 digits: (1 + Decimal(x).exp()).ln()
  const right = [
    [-40, 4.248354255291588986304e-18],
    [-10, 0.00004539889921686464676948],
    [-0.7, 0.4031860488854579079263],
    [0, 0.6931471805599453094172],
    [0.3, 0.8543552444685271124369],
    [5, 5.006715348489118068616],
    [274.5, 274.5],
  ]
  for (const [x, value] of right) expect(off(softplus(x), value)).toBeLessThan(4.5e-16)
})

test('both agree with the engine and rise without a dent over their whole range', () => {
  let before = 0
  for (let x = -45; x < 300; x += 0.0037) {
    const value = softplus(x)
    expect(value).toBeGreaterThan(before)
    const engine = x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x))
    if (off(value, engine) > 1e-15) expect([x, value]).toEqual([x, engine])
    before = value
  }
  for (let y = 0; y < 700; y += 0.0113) {
    if (off(exponential(y), Math.exp(-y)) > 1e-15) expect([y, exponential(y)]).toEqual([y, Math.exp(-y)])
  }
})

test('the natural logarithm has the value of 40-digit arithmetic, and agrees with the engine from 1e-300 to 1e300', () => {
  // Python's decimal, 40 digits: Decimal(x).ln()
  const right = [
    [0.5, -0.6931471805599453],
    [2 ** -25, -17.328679513998633],
    [0.1, -2.3025850929940455],
    [0.999, -0.0010005003335835344],
    [3, 1.0986122886681098],
    [1e100, 230.25850929940458],
  ]
  for (const [x, value] of right) expect(off(naturalLogarithm(x), value)).toBeLessThan(4.5e-16)
  expect(naturalLogarithm(1)).toBe(0)
  for (let x = 1e-300; x < 1e300; x *= 1.37) expect(off(naturalLogarithm(x), Math.log(x))).toBeLessThan(1e-15)
})
