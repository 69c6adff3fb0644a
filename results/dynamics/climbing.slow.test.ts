/** Independent learners on the climbing game, whose best corner is hard to find: what is known of them, seen again here. */
import { describe, expect, test } from 'vitest'
import { Generator, createBatch, namedSeed } from '../../envs/core/index.ts'
import { matrix } from '../../envs/matrix/index.ts'
import { tableGame } from '../../envs/matrix/tables.ts'
import { tensorsOf } from '../../envs/matrix/theory/index.ts'
import { generalFlow, policiesOf, rungeKutta } from './index.ts'

/** Two normal draws are not needed: the sum of twelve uniforms minus six has variance one. */
const normal = (rng: Generator) => Array.from({ length: 12 }, () => rng.float()).reduce((a, b) => a + b) - 6

/**
 * Tabular independent Q-learning in the world itself, one round per episode.
 * @param slow rate for news that lowers a value (hysteretic Q-learning, Matignon et al. 2007); equal to `fast` for plain
 * @returns what the greedy joint action pays at the end
 */
function tabular(game: object, seed: number, fast: number, slow: number, rounds: number): number {
  const rng = new Generator(namedSeed(seed, 'tabular'))
  const batch = createBatch(matrix, { ...game, horizon: 1, horizonEnds: 'termination' })
  batch.reset()
  const Q = [0, 1].map(() => new Float64Array(3))
  const greedy = (values: Float64Array) => values.indexOf(Math.max(...values))
  const action = new Int32Array(2)
  for (let round = 0; round < rounds; round++) {
    const epsilon = Math.max(0.05, 1 - (1.25 * round) / rounds)
    Q.forEach((values, n) => (action[n] = rng.float() < epsilon ? rng.below(3) : greedy(values)))
    batch.step(action)
    Q.forEach((values, n) => {
      const news = batch.reward[n] - values[action[n]]
      values[action[n]] += (news > 0 ? fast : slow) * news
    })
  }
  batch.step(Int32Array.from(Q, greedy))
  return batch.reward[0]
}

describe('tabular learners, 60 seeds', () => {
  const seeds = Array.from({ length: 60 }, (_, seed) => seed)
  const all = (game: object, fast: number, slow: number) => seeds.map((seed) => tabular(game, seed, fast, slow, 5000))

  test('climbing: independent ones end safe, at 5, 6 or 7, and never at 11', () => {
    const paid = all({ game: 'climbing' }, 0.05, 0.05)
    for (const value of paid) expect([5, 6, 7]).toContain(value)
  })

  test('climbing: hysteretic ones, who forget what hurt, reach 11', () => {
    expect(all({ game: 'climbing' }, 0.1, 0.001).filter((value) => value === 11)).toHaveLength(60)
  })

  test('penalty 100: independent ones end at the safe 2, hysteretic ones at 10', () => {
    const safe = all({ game: 'penalty' }, 0.05, 0.05).filter((value) => value === 2).length
    expect(safe).toBeGreaterThanOrEqual(57) // 95 of 100
    expect(all({ game: 'penalty' }, 0.1, 0.001).filter((value) => value === 10).length).toBeGreaterThanOrEqual(57)
  })
})

describe('exact policy gradients on climbing', () => {
  const table = [[11, -30, 0], [-30, 7, 0], [0, 6, 5]] // prettier-ignore
  const game = tensorsOf(tableGame('climbing', 100))
  const flow = generalFlow(game, { gamma: 0, geometry: 'vanilla' })
  const stepper = rungeKutta(flow, 0.02)
  const policies = [new Float64Array(3), new Float64Array(3)]

  /** Payoff of the joint action that both like best after `time`. */
  function end(spread: number, rng: Generator, time: number): number {
    const theta = [0, 1].map(() => [0, 1, 2].map(() => spread * normal(rng)))
    const u = Float64Array.from(theta.flatMap(([a, b, c]) => [a - c, b - c]))
    for (let k = 0; k < time / 0.02; k++) stepper.step(u)
    policiesOf(game, u, policies)
    const [i, j] = policies.map((policy) => policy.indexOf(Math.max(...policy)))
    return table[i][j]
  }

  test('from 200 near-uniform starts never reach 11: they end at 6, some already at 7', () => {
    const rng = new Generator(namedSeed('climbing', 'near uniform'))
    for (let start = 0; start < 200; start++) expect([6, 7]).toContain(end(0.01, rng, 12))
  })

  test('from starts with logits of variance one reach 11 in about a quarter', () => {
    // published 26 %: standard error of 200 starts 3.1 %
    const rng = new Generator(namedSeed('climbing', 'wide'))
    let best = 0
    for (let start = 0; start < 200; start++) if (end(1, rng, 12) === 11) best++
    expect(Math.abs(best / 200 - 0.26)).toBeLessThan(0.1)
  })
})
