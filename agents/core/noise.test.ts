import { expect, test } from 'vitest'
import { Generator, namedSeed } from '../../envs/core/index.ts'
import { gumbel, normal } from './noise.ts'

test('normal draws are quantiles of the normal distribution, far into both tails', () => {
  // Python: statistics.NormalDist().inv_cdf(u + 2 ** -25)
  const right = [
    [0, -5.419983174916869],
    [1e-5 - 2 ** -25, -4.264890793922825],
    [0.0625 - 2 ** -25, -1.5341205443525465],
    [0.1 - 2 ** -25, -1.2815515655446008],
    [0.3 - 2 ** -25, -0.5244005127080409],
    [0.5 - 2 ** -25, 0],
    [0.975 - 2 ** -25, 1.9599639845400536],
    [1 - 2 ** -24, 5.419983174916869],
  ]
  for (const [uniform, value] of right) expect(normal(uniform)).toBeCloseTo(value, 12)
})

test('their moments are those of the normal distribution: 0, 1, 0, 3', () => {
  const draws = new Generator(namedSeed(1, 'normal'))
  const sums = [0, 0, 0, 0]
  const count = 200_000
  for (let k = 0; k < count; k++) {
    const z = normal(draws.float())
    for (let p = 0; p < 4; p++) sums[p] += z ** (p + 1) / count
  }
  const right = [0, 1, 0, 3]
  const deviations = [1, Math.sqrt(2), Math.sqrt(15), Math.sqrt(96)] // of z, z², z³, z⁴
  sums.forEach((sum, p) => expect(Math.abs(sum - right[p])).toBeLessThan((4 * deviations[p]) / Math.sqrt(count)))
})

test('Gumbel draws are −log(−log u)', () => {
  for (const u of [0.1, 0.5, 0.9]) expect(gumbel(u - 2 ** -25)).toBeCloseTo(-Math.log(-Math.log(u)), 12)
  for (const u of [0, 1 - 2 ** -24]) expect(Number.isFinite(gumbel(u))).toBe(true)
})
