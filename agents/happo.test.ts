/** What HAPPO promises beside what all learners do. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { createBatch, episodeSeed } from '../envs/core/index.ts'
import { ENVS } from '../envs/index.ts'
import { playEpisodes } from './core/play.ts'
import { tf } from './core/tensors.ts'
import { lit, start, train } from './core/testing.ts'
import { shareAdvantage, updateOrder, weigh } from './happo.ts'
import { LEARNERS } from './index.ts'
import { clippedPolicyLoss, registerSimd } from './kernels/index.ts'

beforeAll(async () => {
  execFileSync(process.execPath, [fileURLToPath(new URL('kernels/build.mjs', import.meta.url))])
  registerSimd(new Uint8Array(readFileSync(new URL('../dist/agents/kernels/simd.wasm', import.meta.url))))
  await tf.setBackend('simd')
})

/** torch 1.13 in float64; the script is in the file. */
const VECTORS = JSON.parse(readFileSync(new URL('core/agent-vectors.json', import.meta.url), 'utf8')) as {
  happo: {
    old: number[][]
    new: number[][]
    live: number[][]
    order: number[]
    factors: number[][]
    advantage: number[]
    log: number[]
    entropy: number[]
    loss: number
    slope: number[]
  }
}

test('the factor is 1 for the first of the order, then the product of the ratios so far; the dead leave it alone', () => {
  const { old, new: now, live, order, factors } = VECTORS.happo
  const steps = old[0].length
  const factor = new Float64Array(steps).fill(1)
  const alive = Uint8Array.from({ length: steps * 3 }, (_, row) => live[row % 3][Math.floor(row / 3)])
  order.forEach((agent, k) => {
    factors[k].forEach((value, t) => expect(factor[t]).toBeCloseTo(value, 8))
    const rows = Int32Array.from({ length: steps }, (_, t) => t * 3 + agent)
    weigh(factor, rows, 3, alive, old[agent], now[agent])
  })
  factors[3].forEach((value, t) => expect(factor[t]).toBeCloseTo(value, 8))
  const before = factor.slice()
  weigh(factor, Int32Array.of(0, 3, 6), 3, alive, [-1, -2, -3], [-1, -2, -3]) // who has not changed changes nothing
  expect(factor).toEqual(before)
})

test('the clipped loss takes the factor on both branches: advantages times the factor, as in torch', () => {
  const { old, factors, advantage, log, entropy, loss, slope } = VECTORS.happo
  const rows = {
    before: Float32Array.from(old[1]),
    advantage: Float32Array.from(advantage, (value, t) => value * factors[3][t]),
    weight: new Float32Array(advantage.length).fill(1),
  }
  const settings = { clip: 0.2, entropy: 0.01, total: advantage.length }
  tf.tidy(() => {
    const score = (x: tf.Tensor) =>
      clippedPolicyLoss(x as tf.Tensor1D, tf.tensor1d(entropy), rows, settings, {
        entropy: 0,
        divergence: 0,
        clipped: 0,
      })
    const { value, grad } = tf.valueAndGrad(score)(tf.tensor1d(log))
    expect(value.dataSync()[0]).toBeCloseTo(loss, 5)
    slope.forEach((right, t) => expect(grad.dataSync()[t]).toBeCloseTo(right, 5))
  })
})

test('every order of updates is as likely as any other, and follows from seed and update alone', () => {
  const counts = new Map<string, number>()
  const count = 6000
  for (let update = 0; update < count; update++) {
    const key = updateOrder('seed', update, 3).join()
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  expect(counts.size).toBe(6)
  let square = 0
  for (const seen of counts.values()) square += (seen - count / 6) ** 2 / (count / 6)
  expect(square).toBeLessThan(20.5) // chi-square, 5 degrees of freedom, p > .001
  expect(updateOrder('seed', 7, 5)).toEqual(updateOrder('seed', 7, 5))
  expect(updateOrder('other', 7, 5)).not.toEqual(updateOrder('seed', 7, 5))
})

test('all agents of a lane at a step have one advantage, the mean over the heads', () => {
  const advantage = Float32Array.of(1, 2, 6, -4, 0, 1)
  shareAdvantage(advantage, 3)
  expect([...advantage]).toEqual([3, 3, 3, -1, -1, -1])
})

test('with one agent it is PPO with an n-headed critic: the same actor after the same rollout, to the bit', () => {
  // One update each, so that the critic, which HAPPO steps afterwards, has not yet been heard.
  const settings = { agentId: false, epochs: 2, minibatches: 1, lr: 1e-2, criticLr: 1e-2, advantageOver: 'all' }
  const [mine, theirs] = ['happo', 'mappo'].map((name) => {
    const learner = start(LEARNERS[name], lit({ agents: 1, masks: true }), {
      ...settings,
      ...(name === 'mappo' ? { critic: 'n-headed' } : {}),
    })
    // The same first weights and the same draws, which have the learner's name in their seeds.
    const { weights, state } = start(LEARNERS.happo, lit({ agents: 1, masks: true }), settings).save()
    const saved = learner.save()
    learner.load({ weights, state: { ...saved.state, generators: state.generators, lanes: state.lanes } })
    train(learner, 1)
    return learner.save().weights
  })
  for (const [name, { data }] of Object.entries(mine)) expect(theirs[name].data, name).toEqual(data)
})

test('the first of the order learns as it would alone, the second beside what the first has become', () => {
  const weightsOf = (blind: boolean) => {
    const learner = start(LEARNERS.happo, lit({ agents: 2 }), { epochs: 4, minibatches: 1, lr: 5e-2 })
    if (blind) Object.assign(learner, { reweigh: () => undefined }) // no factor
    const [metrics] = train(learner, 1)
    return { weights: learner.save().weights, spread: metrics.factorSpread }
  }
  const [seeing, blind] = [weightsOf(false), weightsOf(true)]
  const [first, second] = updateOrder(1, 0, 2).map((member) => `actor${member === 0 ? '' : member}/layer1/weight`)
  expect(seeing.weights[first].data).toEqual(blind.weights[first].data)
  expect(seeing.weights[second].data).not.toEqual(blind.weights[second].data)
  expect(blind.spread).toBe(0)
  expect(seeing.spread).toBeGreaterThan(1e-3)
})

test('who does not learn leaves the factor at 1', () => {
  const learner = start(LEARNERS.happo, lit({ agents: 3, deaths: true }), { lr: 0 })
  for (const { factorSpread } of train(learner, 2)) expect(factorSpread).toBeLessThan(1e-6)
})

test('individual rewards and several teams are refused, with the reason', () => {
  const refused = (change: Record<string, unknown>) => () => start(LEARNERS.happo, lit(), {}, change)
  expect(refused({ teamReward: 'none' })).toThrow(
    /happo: teamReward of the scenario is 'none'.*expected 'sum' or 'mean'.*must want the same; mappo, ippo and maddpg/,
  )
  expect(() => start(LEARNERS.happo, { env: ENVS.matrix, options: { game: 'pd' } })).toThrow(
    /of 2 teams \(row, column\)/,
  )
  expect(() => start(LEARNERS.happo, lit({ agents: 1 }), {}, { teamReward: 'none' })).not.toThrow()
})

test('climbers end in the safe part of the table: 5 or 6, on to 7, or the best, 11', () => {
  const open = (lanes: number, autoreset: 'same-step' | 'disabled') =>
    createBatch(ENVS.matrix, { game: 'climbing', horizon: 1, horizonEnds: 'termination' }, { lanes, autoreset })
  const settings = {
    lanes: 32,
    rolloutSteps: 2,
    hidden: 16,
    layers: 1,
    epochs: 2,
    minibatches: 1,
    lr: 0.02,
    criticLr: 0.02,
  }
  const learner = LEARNERS.happo.create({ batch: open(32, 'same-step'), settings, seed: 1, teamReward: 'mean' })
  train(learner, 50)
  const { episodes } = playEpisodes({
    batch: open(1, 'disabled'),
    policy: learner.policy('greedy'),
    seeds: [episodeSeed(1, 'eval', 0, 0)],
    rng: 1,
    teamReward: 'mean',
  })
  expect([5, 6, 7, 11]).toContain(episodes[0].return) // chance gives −3.4
})
