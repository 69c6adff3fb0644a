import { beforeAll, expect, test } from 'vitest'
import { Generator, envSpec, namedSeed } from '../../envs/core/index.ts'
import { SharedActor } from './actor.ts'
import { boxesOf, judgeNumbers, playNumbers } from './gaussian.ts'
import { tf } from './tensors.ts'
import { dials, lights } from './toys.ts'

beforeAll(async () => {
  await tf.setBackend('cpu')
})

const MEAN = [0.3, -0.2, 1.1, 0]
const LOGS = [-0.7, 0.4]
const DRAWN = Float32Array.of(0.1, 0.5, 2, -1)

// torch 1.13: d = Normal(mean [2, 2], exp(logs)); d.log_prob(drawn), d.entropy(); loss = (log_prob.sum(1) * [1, -2]).sum() +
// entropy.sum(), gradients by autograd.
const LOG_PROBABILITY = [-1.729067, -3.404898]
const ENTROPY = 2.537877
const MEAN_SLOPE = [-0.81104, 0.31453, -7.29936, 0.898658]
const LOG_SLOPE = [-3.407216, 2.321513]

function judged(used: Uint8Array | null) {
  const loss = (mean: tf.Tensor2D, logs: tf.Tensor1D) => {
    const { logProbability, entropy } = judgeNumbers(mean, logs, DRAWN, used)
    return tf.reshape(tf.add(tf.sum(tf.mul(logProbability, tf.tensor1d([1, -2]))), tf.sum(entropy)), []) as tf.Scalar
  }
  const [mean, logs] = [tf.tensor2d(MEAN, [2, 2]), tf.tensor1d(LOGS)]
  const word = judgeNumbers(mean, logs, DRAWN, used)
  const { grads } = tf.valueAndGrads(loss as (...x: tf.Tensor[]) => tf.Scalar)([mean, logs])
  return [word.logProbability, word.entropy, ...grads].map((tensor) => [...tensor.dataSync()])
}

const near = (got: number[], right: number[]) => right.forEach((value, i) => expect(got[i]).toBeCloseTo(value, 5))

test('log-probability, entropy and their slopes are those of torch', () => {
  const [logProbability, entropy, mean, logs] = judged(null)
  near(logProbability, LOG_PROBABILITY)
  near(entropy, [ENTROPY, ENTROPY])
  near(mean, MEAN_SLOPE)
  near(logs, LOG_SLOPE)
})

test('a dimension that an agent does not have adds nothing and learns nothing from it', () => {
  const [logProbability, entropy, mean] = judged(Uint8Array.of(1, 1, 1, 0))
  near(logProbability, [LOG_PROBABILITY[0], -0.918939 + 0.7 - 0.5 * (0.9 / Math.exp(-0.7)) ** 2])
  near(entropy, [ENTROPY, 1.418939 - 0.7])
  near(mean, [...MEAN_SLOPE.slice(0, 3), 0])
})

test('what is drawn is played in the units of the box, cut to its bounds, and 0 where an agent has no such number', () => {
  const boxes = boxesOf(envSpec(dials, { narrow: true }), 'test') // 0 to 4
  const out = new Float32Array(8).fill(NaN)
  playNumbers(boxes, Float32Array.of(0, 0.5, -1, 9, 1.5, -1.5, 0.25, 0.25), Int32Array.of(0, 1), out)
  expect([...out]).toEqual([2, 3, 0, 0, 4, 0, 2.5, 0])
  expect(() => boxesOf(envSpec(lights), 'mappo')).toThrow(/mappo: action of agent_0 is discrete; expected box/)
})

test('no rounding leads out of bounds that float32 does not have', () => {
  const spec = envSpec(dials, { agents: 1 })
  const dimensions = [0.1, 0.3].map((low) => ({ name: 'odd', low, high: low + 0.6 }))
  const odd = { ...spec, agents: [{ ...spec.agents[0], action: { kind: 'box' as const, dimensions } }] }
  const out = new Float32Array(2)
  for (const drawn of [-2, -1, 1, 2]) {
    playNumbers(boxesOf(odd, 'test'), Float32Array.of(drawn, drawn), Int32Array.of(0), out)
    out.forEach((value, d) => {
      expect(value).toBeGreaterThanOrEqual(dimensions[d].low)
      expect(value).toBeLessThanOrEqual(dimensions[d].high)
      expect(Math.abs(value - (drawn < 0 ? dimensions[d].low : dimensions[d].high))).toBeLessThan(1e-7)
    })
  }
})

test('draws have the mean and the deviation that the network says; greedy play is the mean', () => {
  const spec = envSpec(dials, { agents: 1 })
  const rng = new Generator(namedSeed(1, 'actor'))
  const shape = { hidden: 4, layers: 1, activation: 'relu', agentId: false, outputGain: 1, network: 'mlp' } as const
  const actor = new SharedActor(spec, ['agent_0'], { ...shape, deviation: 0.3 }, rng)
  const lanes = 20_000
  const view = {
    spec,
    lanes,
    agents: Int32Array.of(0),
    observation: new Float32Array(lanes * 2).fill(0.5),
    mask: new Uint8Array(0),
    alive: new Uint8Array(lanes).fill(1),
    episodeStart: new Uint8Array(lanes),
  }
  const play = (draws: (() => Generator) | undefined) => {
    const out = {
      action: new Float32Array(lanes * 2),
      drawn: new Float32Array(lanes * 2),
      logProbability: new Float32Array(lanes),
    }
    actor.choose(view, Int32Array.of(0), null, out, draws)
    return out
  }
  const { drawn: means, action } = play(undefined)
  const { drawn, logProbability } = play(() => rng)
  expect(action[0]).toBeCloseTo(2 + 2 * means[0], 5)
  for (const d of [0, 1]) {
    let [sum, squares] = [0, 0]
    for (let k = 0; k < lanes; k++) {
      sum += drawn[k * 2 + d] - means[d]
      squares += (drawn[k * 2 + d] - means[d]) ** 2
    }
    expect(Math.abs(sum / lanes)).toBeLessThan((4 * 0.3) / Math.sqrt(lanes))
    expect(Math.sqrt(squares / lanes)).toBeCloseTo(0.3, 2)
  }
  const z = [0, 1].map((d) => (drawn[d] - means[d]) / 0.3)
  const density = -2 * (0.9189385 + Math.log(0.3)) - (z[0] ** 2 + z[1] ** 2) / 2
  expect(logProbability[0]).toBeCloseTo(density, 4)
  actor.net.dispose()
})
