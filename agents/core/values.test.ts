/** Targets, choices and the joining of values against the published vectors, and what they must not do. */
import { beforeAll, describe, expect, test } from 'vitest'
import { fixtureJson } from '../../testing.ts'
import { Generator, createBatch, namedSeed } from '../../envs/core/index.ts'
import { added } from '../vdn.ts'
import { hypernetworks, mixMonotonically } from '../qmix.ts'
import { sampleChoice } from './categorical.ts'
import { EpisodeBatch, EpisodeRecorder, episodeShapes, episodeSizes, stretches } from './episodes.ts'
import { Memory } from './memory.ts'
import { type Network } from './networks.ts'
import { squaredError } from './qlearning.ts'
import { Collector, Rollout } from './rollout.ts'
import { tf } from './tensors.ts'
import { differentiateTogether, weightsOf } from './together.ts'
import { lights } from './toys.ts'
import {
  bestLegal,
  epsilonGreedy,
  falling,
  freshStatistics,
  lambdaTargets,
  nextValues,
  pickValues,
  scaleRewards,
} from './values.ts'

const vectors = fixtureJson('algorithms/vectors.json')?.algorithms

beforeAll(async () => {
  await tf.setBackend('cpu')
})

const rng = (name = 'x') => new Generator(namedSeed(1, name))

const close = (got: ArrayLike<number>, wanted: ArrayLike<number>, tolerance = 1e-9) => {
  expect(got.length).toBe(wanted.length)
  for (let i = 0; i < wanted.length; i++) {
    const off = Math.abs(got[i] - wanted[i])
    expect(off, `[${i}] ${got[i]} for ${wanted[i]}`).toBeLessThanOrEqual(tolerance * Math.max(1, Math.abs(wanted[i])))
  }
}

/** Hypernetworks with weights of our choice, torch's layout [outputs, inputs]. */
function fill(net: Network, layers: readonly { readonly weight: number[][]; readonly bias: number[] }[]): void {
  const values = layers.flatMap(({ weight, bias }) => [
    ...weight[0].flatMap((_, input) => weight.map((row) => row[input])),
    ...bias,
  ])
  net.write(Float32Array.from(values))
}

if (vectors === undefined) test.skip('exact vectors are not at hand')
else {
  test('TD(λ) targets, with and without an end', () => {
    const { gamma, rewards, next_target_values: next, cases } = vectors.td_lambda_targets
    for (const { lam: lambda, terminated, targets } of cases) {
      const out = new Float64Array(4).fill(NaN)
      const input = { gamma, lambda, begins: Int32Array.of(0, 4), width: 1, ended: Uint8Array.from(terminated) }
      lambdaTargets({ ...input, reward: Float64Array.from(rewards), next: Float64Array.from(next) }, out)
      close(out, targets)
    }
  })

  test('double-Q: the online table picks, the target table says what it is worth', () => {
    const { online_next: online, target_next: target, bootstrap, target: wanted } = vectors.vdn.double_q
    const picking = Float32Array.from(online.flat() as number[])
    const valuing = Float32Array.from(target.flat() as number[])
    const mask = new Uint8Array(6).fill(1)
    const out = new Float32Array(2).fill(NaN)
    nextValues(picking, valuing, mask, Int32Array.of(0), 2, [3], out)
    close([out[0] + out[1]], [bootstrap], 1e-6)
    const goal = new Float64Array(1)
    const { reward, gamma } = vectors.vdn.td
    const step = { gamma, lambda: 0, begins: Int32Array.of(0, 1), width: 1, ended: Uint8Array.of(0) }
    lambdaTargets({ ...step, reward: Float64Array.of(reward), next: Float64Array.of(out[0] + out[1]) }, goal)
    close(goal, [wanted], 1e-6)
  })

  test('VDN: the sum, its target, its loss, and the same slope on every chosen value', () => {
    const { q_agents: q, actions, q_tot: total, td } = vectors.vdn
    const table = tf.tensor2d(q as number[][])
    const index = Int32Array.from(actions as number[], (action, agent) => agent * 3 + action)
    const mix = (x: tf.Tensor) => {
      const chosen = tf.reshape(pickValues(x as tf.Tensor2D, index, 1), [1, 2]) as tf.Tensor2D
      return added().mix(chosen, tf.zeros([1, 0]), [])
    }
    close(mix(table).dataSync(), [total], 1e-6)
    const best = new Float32Array(2)
    const next = Float32Array.from(td.next_target_q_agents.flat() as number[])
    nextValues(next, next, new Uint8Array(6).fill(1), Int32Array.of(0), 2, [3], best)
    const goal = new Float32Array(1)
    const step = { gamma: td.gamma, lambda: 0, begins: Int32Array.of(0, 1), width: 1 }
    const worth = Float32Array.of(best[0] + best[1])
    lambdaTargets({ ...step, reward: Float32Array.of(td.reward), next: worth, ended: Uint8Array.of(0) }, goal)
    close(goal, [td.target], 1e-6)
    const loss = (x: tf.Tensor) => squaredError(tf.reshape(mix(x), [1]) as tf.Tensor1D, goal)
    const { value, grad } = tf.valueAndGrad(loss)(table)
    close(value.dataSync(), [td.loss], 1e-6)
    const slope = td.grad_wrt_each_chosen_q as number
    close(grad.dataSync(), [0, slope, 0, slope, 0, 0], 1e-6)
  })

  test('QMIX: what the hypernetworks give, the mix, and its slope in every value', () => {
    const given = vectors.qmix_mixer
    const shape = { state: 2, agents: 2, embed: 2, hyperLayers: 1, hyperHidden: 1 }
    const networks = hypernetworks(shape, rng())
    const { v_head: v } = given
    fill(networks[0], [given.hyper_w1])
    fill(networks[1], [given.hyper_b1])
    fill(networks[2], [given.hyper_wf])
    fill(networks[3], [
      { weight: v.layer1_weight, bias: v.layer1_bias },
      { weight: [v.layer2_weight], bias: [v.layer2_bias] },
    ])
    const state = tf.tensor2d([given.state])
    const produced = networks.map((net) => [...net.forward(state).dataSync()])
    const { w1, b1, w_final: last, v: value } = given.produced
    close(produced[0].map(Math.abs), w1.flat(), 1e-6)
    close(produced[1], b1, 1e-6)
    close(produced[2].map(Math.abs), last, 1e-6)
    close(produced[3], [value], 1e-6)
    for (const { q, q_tot: total, dqtot_dq: slopes } of given.cases) {
      const mixed = tf.valueAndGrad((x) =>
        tf.sum(mixMonotonically(networks, weightsOf(networks), x as tf.Tensor2D, state)),
      )(tf.tensor2d([q]))
      close(mixed.value.dataSync(), [total], 1e-5)
      close(mixed.grad.dataSync(), slopes, 1e-5)
    }
  })
}

describe('the monotone mixer', () => {
  /** Random networks and states. Biases are drawn too: fresh ones are 0. */
  const drawn = (agents: number, draws: Generator) => {
    const networks = hypernetworks({ state: 4, agents, embed: 5, hyperLayers: 2, hyperHidden: 6 }, draws)
    for (const net of networks) net.write(Float32Array.from({ length: net.size }, () => 4 * draws.float() - 2))
    return networks
  }

  test('no agent’s value ever counts negatively: 1000 states and networks', () => {
    const draws = rng('slopes')
    let least = Infinity
    for (let k = 0; k < 50; k++) {
      const networks = drawn(3, draws)
      const state = tf.tensor2d(
        Float32Array.from({ length: 80 }, () => 4 * draws.float() - 2),
        [20, 4],
      )
      const values = tf.tensor2d(
        Float32Array.from({ length: 60 }, () => 6 * draws.float() - 3),
        [20, 3],
      )
      const slopes = tf.grad((x) => tf.sum(mixMonotonically(networks, weightsOf(networks), x as tf.Tensor2D, state)))(values) // prettier-ignore
      least = Math.min(least, ...slopes.dataSync())
      for (const net of networks) net.dispose()
    }
    expect(least).toBeGreaterThanOrEqual(0)
  })

  test('everybody’s own best make the best joint action: 200 draws', () => {
    const draws = rng('best')
    for (let k = 0; k < 200; k++) {
      const networks = drawn(2, draws)
      const q = Array.from({ length: 6 }, () => 6 * draws.float() - 3)
      const joint = Array.from({ length: 9 }, (_, i) => [q[Math.floor(i / 3)], q[3 + (i % 3)]])
      const state = tf.tensor2d(
        Float32Array.from({ length: 4 }, () => draws.float()),
        [1, 4],
      )
      const states = tf.tile(state, [9, 1]) as tf.Tensor2D
      const totals = mixMonotonically(networks, weightsOf(networks), tf.tensor2d(joint), states).dataSync()
      const own = [q.slice(0, 3), q.slice(3)].map((row) => row.indexOf(Math.max(...row)))
      expect(totals[own[0] * 3 + own[1]]).toBe(Math.max(...totals))
      for (const net of networks) net.dispose()
    }
  })

  test('biases keep their sign: a negative state value lowers the total', () => {
    const networks = drawn(2, rng('signs'))
    for (const net of networks) net.write(new Float32Array(net.size))
    networks[3].write(Float32Array.from({ length: networks[3].size }, (_, i) => (i === networks[3].size - 1 ? -3 : 0)))
    const total = () =>
      mixMonotonically(networks, weightsOf(networks), tf.tensor2d([[1, 1]]), tf.zeros([1, 4])).dataSync()[0]
    expect(total()).toBe(-3)
    // Unit 0 of the hidden layer: weights 0, bias −1, final weight 1: elu(−1) = 1/e − 1.
    networks[1].write(Float32Array.from({ length: networks[1].size }, (_, i) => (i === networks[1].size - 5 ? -1 : 0)))
    networks[2].write(Float32Array.from({ length: networks[2].size }, (_, i) => (i === networks[2].size - 5 ? 1 : 0)))
    expect(total()).toBeCloseTo(-3 + Math.exp(-1) - 1, 5)
  })

  test('of one agent it is a rising function of that agent’s value', () => {
    const networks = drawn(1, rng('one'))
    const states = tf.tile(tf.tensor2d([[0.3, -1, 2, 0.5]]), [40, 1]) as tf.Tensor2D
    const values = tf.tensor2d(
      Float32Array.from({ length: 40 }, (_, i) => i / 4 - 5),
      [40, 1],
    )
    const totals = mixMonotonically(networks, weightsOf(networks), values, states).dataSync()
    for (let i = 1; i < 40; i++) expect(totals[i]).toBeGreaterThanOrEqual(totals[i - 1])
    expect(totals[39]).toBeGreaterThan(totals[0])
  })
})

describe('choices', () => {
  test('an illegal action of highest value is neither played nor learned from', () => {
    const values = Float32Array.of(-1e12, -2e12, 7, -3e12)
    const mask = Uint8Array.of(1, 1, 0, 1)
    expect(bestLegal(values, 0, mask, 0, 4)).toBe(0)
    const out = new Float32Array(1).fill(NaN)
    nextValues(values, Float32Array.of(1, 2, 100, 4), mask, Int32Array.of(0), 1, [4], out)
    expect(out[0]).toBe(1)
    // A state after an end, or a row that fills up: nothing is legal, and nothing follows.
    nextValues(values, values, new Uint8Array(4), Int32Array.of(0), 1, [4], out)
    expect(out[0]).toBe(0)
  })

  test('over the dimensions of an action values add up, each with its own best', () => {
    const picking = Float32Array.of(0, 5, 9, 1, 0)
    const valuing = Float32Array.of(10, 20, 1, 2, 3)
    const out = new Float32Array(1)
    nextValues(picking, valuing, Uint8Array.of(1, 1, 0, 1, 1), Int32Array.of(0), 1, [2, 3], out)
    expect(out[0]).toBe(20 + 2)
  })

  test('ε-greedy: ε spread over the legal, the rest on the best of them; 10,000 draws, none illegal', () => {
    const settings = { epsilonStart: 1, epsilonEnd: 0.2, epsilonSteps: 100 }
    const explore = epsilonGreedy(settings)
    const values = Float32Array.of(9, 1, 3, 2)
    const mask = Uint8Array.of(0, 1, 1, 1)
    const p = new Float32Array(4).fill(NaN)
    explore(values, mask, 0, 4, 1e9, p)
    close(p, [0, 0.2 / 3, 0.8 + 0.2 / 3, 0.2 / 3], 1e-6)
    const draws = rng('epsilon')
    const seen = [0, 0, 0, 0]
    for (let k = 0; k < 10_000; k++) seen[sampleChoice(p, 0, 4, draws.float())]++
    expect(seen[0]).toBe(0)
    // Chi-square of three cells beyond 13.82 comes once in a thousand.
    const square = seen.slice(1).reduce((sum, count, k) => sum + (count - 1e4 * p[k + 1]) ** 2 / (1e4 * p[k + 1]), 0)
    expect(square).toBeLessThan(13.82)
    explore(values, mask, 0, 4, 0, p)
    close(p, [0, 1 / 3, 1 / 3, 1 / 3], 1e-6)
    explore(values, Uint8Array.of(0, 0, 0, 1), 0, 4, 50, p)
    close(p, [0, 0, 0, 1], 1e-6)
  })

  test('ε falls in a line over environment steps and stays', () => {
    expect([0, 25, 50, 100, 1e9].map((steps) => falling(1, 0.2, 100, steps))).toEqual([1, 0.8, 0.6, 0.2, 0.2])
  })
})

test('targets do not cross from one stretch of an episode into the next', () => {
  const input = { gamma: 0.5, lambda: 1, width: 2, ended: new Uint8Array(3), begins: Int32Array.of(0, 2, 3) }
  const reward = Float64Array.of(1, 10, 2, 20, 4, 40)
  const next = Float64Array.of(9, 9, 8, 80, 16, 160)
  const out = new Float64Array(6)
  lambdaTargets({ ...input, reward, next }, out)
  // Stretch 0: 2 + 8/2 = 6, then 1 + 6/2 = 4; ten times that for the second number. Stretch 1: 4 + 16/2.
  expect([...out]).toEqual([4, 40, 6, 60, 12, 120])
})

test('reward statistics: those of all rewards so far, and either switch uses them', () => {
  const statistics = freshStatistics()
  const first = Float32Array.of(1, 3, 5)
  scaleRewards('deviation', first, statistics)
  // Mean 3; (1 · 1e-4 + 4 · 3 + 9 · 1e-4 · 3 / 3.0001) / 3.0001 by the update of Chan et al. with torch's variance 4.
  const variance = (1e-4 + 12 + (9 * 1e-4 * 3) / 3.0001) / 3.0001
  expect(statistics.rewardMean).toBeCloseTo((3 * 3) / 3.0001, 9)
  expect(statistics.rewardVariance).toBeCloseTo(variance, 9)
  close(first, [1, 3, 5].map((reward) => reward / Math.sqrt(variance)), 1e-6) // prettier-ignore
  const second = Float32Array.of(7, 7)
  scaleRewards('standardise', second, statistics)
  expect(statistics.rewardMean).toBeCloseTo((9 + 14) / 5.0001, 3)
  expect(second[0]).toBeCloseTo((7 - statistics.rewardMean) / Math.sqrt(statistics.rewardVariance), 5)
  const untouched = Float32Array.of(2)
  scaleRewards('none', untouched, statistics)
  expect([untouched[0], statistics.rewardCount]).toEqual([2, 5 + 1e-4])
})

test('the slope of an entry that is read twice is the sum', () => {
  const index = Int32Array.of(0, 3, 0, 4)
  const table = tf.tensor2d([1, 2, 3, 4, 5, 6], [2, 3])
  close(pickValues(table, index, 2).dataSync(), [1 + 4, 1 + 5])
  const weights = tf.tensor1d([10, 100])
  const slopes = tf.grad((x) => tf.sum(tf.mul(pickValues(x as tf.Tensor2D, index, 2), weights)))(table)
  close(slopes.dataSync(), [110, 0, 0, 10, 100, 0])
})

test('one gradient over several networks is that of each by itself', () => {
  const networks = hypernetworks({ state: 2, agents: 1, embed: 2, hyperLayers: 1, hyperHidden: 1 }, rng())
  const [first, second] = networks
  const x = tf.tensor2d([[0.5, -2]])
  const gradients = networks.slice(0, 2).map(({ size }) => new Float32Array(size))
  const loss = differentiateTogether(
    [first, second],
    (weights) => tf.sum(tf.mul(first.apply(x, weights[0]), second.apply(x, weights[1]))),
    gradients,
  )
  const [a, b] = [first, second].map((net) => net.forward(x).dataSync())
  expect(loss).toBeCloseTo(a[0] * b[0] + a[1] * b[1], 5)
  // d/dW of a · b with a = x W + c: x ⊗ b, and b for the bias; the other way round for the second.
  close(gradients[0], [0.5 * b[0], 0.5 * b[1], -2 * b[0], -2 * b[1], b[0], b[1]], 1e-5)
  close(gradients[1], [0.5 * a[0], 0.5 * a[1], -2 * a[0], -2 * a[1], a[0], a[1]], 1e-5)
})

describe('episodes', () => {
  /** Plays lights with deaths and cuts and keeps what ended. */
  function recorded(rollouts: number, options: Record<string, unknown> = {}) {
    const batch = createBatch(lights, { agents: 2, deaths: true, horizon: 5, ...options }, { lanes: 3 })
    batch.reset()
    const shapes = episodeShapes(episodeSizes(batch.spec, 2))
    const memory = new Memory(shapes, { sequences: 1000 })
    const recorder = new EpisodeRecorder(shapes, 3)
    const rollout = new Rollout(batch.spec, 4, 3, 2)
    const collector = new Collector(batch, 'test', 'none')
    const draws = rng('play')
    let steps = 0
    let pay = 0
    for (let k = 0; k < rollouts; k++) {
      collector.collect(
        rollout,
        (view, out) => {
          for (let row = 0; row < 6; row++) out.action[row] = view.alive[row] === 0 ? 0 : draws.below(4)
        },
        draws,
      )
      steps += 12
      pay += rollout.reward.reduce((sum, reward) => sum + reward, 0)
      recorder.take(rollout, (rows) => memory.put(rows))
    }
    return { memory, recorder, steps, pay, shapes }
  }

  test('every step is in a finished episode or an open one, once; ends and cuts are told apart', () => {
    const { memory, recorder, steps, pay } = recorded(40)
    const open = recorder.save()
    expect(memory.rows - memory.count + open.reward.shape[0]).toBe(steps)
    const total = (rewards: Float32Array) => rewards.reduce((sum, reward) => sum + reward, 0)
    expect(total(memory.all('reward')) + total(open.reward.data)).toBe(pay)
    let [ends, cuts] = [0, 0]
    for (let k = 0; k < memory.count; k++) {
      const length = memory.lengthOf(k)
      const column = (name: 'terminated' | 'observation' | 'mask' | 'alive' | 'action', t: number) => [
        ...memory.gather(name, Int32Array.of(memory.at(k, t))),
      ]
      for (let t = 0; t + 2 < length; t++) expect(column('terminated', t)).toEqual([0])
      const [ended] = column('terminated', length - 2)
      const lastAlive = column('alive', length - 1)
      expect(column('action', length - 1)).toEqual([0, 0])
      if (ended === 1) {
        ends++
        expect(column('mask', length - 1)).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
      } else {
        cuts++
        expect(length).toBe(6) // five steps and what they led to
        expect(Math.max(...lastAlive)).toBe(1)
        expect(Math.max(...column('mask', length - 1))).toBe(1)
      }
    }
    expect([ends > 5, cuts > 5]).toEqual([true, true])
  })

  test('open episodes are saved and go on', () => {
    const { recorder, shapes } = recorded(7)
    const other = new EpisodeRecorder(shapes, 3)
    other.load(recorder.save(), 'here')()
    expect(other.save()).toEqual(recorder.save())
    expect(() => new EpisodeRecorder(shapes, 4).load(recorder.save(), 'here')).toThrow(/here: lengths is 3 lanes; expected 4/) // prettier-ignore
  })

  test('rows for networks: the same steps with and without memory, short stretches filled up behind', () => {
    const { memory } = recorded(40)
    const draws = rng('batch')
    const sequences = memory.drawDistinct(draws, 6)
    for (const window of [null, 2]) {
      const parts = stretches(memory, sequences, window, (choices) => draws.below(choices))
      const straight = new EpisodeBatch(memory, parts, false)
      const padded = new EpisodeBatch(memory, parts, true)
      expect(straight.rows).toBe(straight.steps + 6)
      expect(padded.rows).toBe(6 * padded.length)
      for (const batch of [straight, padded]) {
        parts.forEach(({ sequence, first, steps }, e) => {
          expect(steps).toBe(Math.min(window ?? 99, memory.lengthOf(sequence) - 1))
          expect(batch.lasts[e]).toBe(first + steps === memory.lengthOf(sequence) - 1)
          for (let t = 0; t < steps; t++) {
            const m = batch.begins[e] + t
            expect(batch.places[batch.now[m]]).toBe(memory.at(sequence, first + t))
            expect(batch.places[batch.next[m]]).toBe(memory.at(sequence, first + t + 1))
            expect(batch.before[batch.now[m]]).toBe(first + t === 0 ? -1 : memory.at(sequence, first + t - 1))
            if (batch === padded) expect(batch.now[m]).toBe(t * 6 + e)
          }
        })
      }
    }
  })
})
