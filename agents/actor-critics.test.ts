/** The losses and targets of the actor–critics against numbers computed elsewhere, and what each of them alone promises. */
import { readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { fixtureJson } from '../testing.ts'
import { Generator, createBatch, namedSeed } from '../envs/core/index.ts'
import {
  ActionInputs,
  baseline,
  floorAt,
  jointChoice,
  jointProbabilities,
  withFloor,
  type ComaSettings,
} from './coma.ts'
import { A2c } from './core/a2c.ts'
import { lambdaTargets, nStepReturns } from './core/advantages.ts'
import { weightsHash } from './core/checkpoint.ts'
import { Ppo } from './core/ppo.ts'
import { Inputs } from './core/inputs.ts'
import { Network } from './core/networks.ts'
import { RunningMoments, ValueNorm, sumsOf } from './core/normalise.ts'
import { Pruner } from './core/pruning.ts'
import { alone } from './core/shards.ts'
import { tf } from './core/tensors.ts'
import { known, lit, open, start, train, written } from './core/testing.ts'
import { lights } from './core/toys.ts'
import { importance, sharedPolicyLoss } from './seac.ts'
import { LEARNERS } from './index.ts'
import { clippedPolicyLoss, clippedValueLoss, registerSimd, scoreLoss } from './kernels/index.ts'

const vectors = fixtureJson('algorithms/vectors.json')?.algorithms

beforeAll(async () => {
  execFileSync(process.execPath, [fileURLToPath(new URL('kernels/build.mjs', import.meta.url))])
  registerSimd(new Uint8Array(readFileSync(new URL('../dist/agents/kernels/simd.wasm', import.meta.url))))
  await tf.setBackend('simd')
})

const close = (got: ArrayLike<number>, wanted: ArrayLike<number>, tolerance = 1e-9) => {
  expect(got.length).toBe(wanted.length)
  for (let i = 0; i < wanted.length; i++) {
    const off = Math.abs(got[i] - wanted[i])
    expect(off, `[${i}] ${got[i]} for ${wanted[i]}`).toBeLessThanOrEqual(tolerance * Math.max(1, Math.abs(wanted[i])))
  }
}

/** One lane, one agent. */
const column = (gamma: number, reward: number[], nextValue: number[], terminated: number[], truncated?: number[]) => ({
  steps: reward.length,
  lanes: 1,
  agents: 1,
  gamma,
  reward: Float64Array.from(reward),
  nextValue: Float64Array.from(nextValue),
  terminated: Uint8Array.from(terminated),
  truncated: Uint8Array.from(truncated ?? reward.map(() => 0)),
})

if (vectors === undefined) test.skip('exact vectors are not at hand')
else {
  test('returns of n steps, shorter at the end of the data, nothing after a termination', () => {
    const { gamma, rewards, values_T_plus_1: values, cases } = vectors.n_step_returns
    for (const { n, terminated, returns } of cases) {
      const out = new Float64Array(rewards.length).fill(NaN)
      nStepReturns(column(gamma, rewards, values.slice(1), terminated), n, out)
      close(out, returns)
    }
  })

  test('TD(λ) targets of action values', () => {
    const { gamma, rewards, next_target_values: next, cases } = vectors.td_lambda_targets
    for (const { lam, terminated, targets } of cases) {
      const out = new Float64Array(rewards.length).fill(NaN)
      lambdaTargets(column(gamma, rewards, next, terminated), lam, out)
      close(out, targets)
    }
  })

  describe('counterfactual advantages', () => {
    const gradient = (logits: number[], action: number, advantage: number): number[] => {
      const policy = softmax(logits)
      return policy.map((p, a) => advantage * ((a === action ? 1 : 0) - p))
    }
    const softmax = (logits: number[]) => {
      const exp = logits.map(Math.exp)
      const sum = exp.reduce((a, b) => a + b, 0)
      return exp.map((e) => e / sum)
    }

    test('of one choice: they weigh out under the policy', () => {
      const { q, policy, baseline: wanted, advantages } = vectors.coma.single
      const mean = baseline(q, Float64Array.from(policy))
      close([mean], [wanted])
      close(q.map((value: number) => value - mean), advantages) // prettier-ignore
      close([q.reduce((sum: number, value: number, b: number) => sum + policy[b] * (value - mean), 0)], [0], 1e-12)
    })

    test('of the climbing game: both baselines, and the mean over joint choices is the gradient itself', () => {
      const { payoff, pi1, pi2, joint_action: joint, baseline1, baseline2, ...wanted } = vectors.coma.climbing
      const [row, at] = joint as [number, number]
      const rows = (b: number) => payoff.map((line: number[]) => line[b])
      close([baseline(rows(at), Float64Array.from(pi1)), baseline(payoff[row], Float64Array.from(pi2))], [baseline1, baseline2]) // prettier-ignore
      const total = [
        [0, 0, 0],
        [0, 0, 0],
      ]
      for (let a = 0; a < 3; a++) {
        for (let b = 0; b < 3; b++) {
          const weight = pi1[a] * pi2[b]
          const first = gradient(pi1.map(Math.log), a, payoff[a][b] - baseline(rows(b), Float64Array.from(pi1)))
          const second = gradient(pi2.map(Math.log), b, payoff[a][b] - baseline(payoff[a], Float64Array.from(pi2)))
          first.forEach((g, k) => (total[0][k] += weight * g))
          second.forEach((g, k) => (total[1][k] += weight * g))
        }
      }
      close(total[0], wanted.expected_grad_logits_1)
      close(total[1], wanted.expected_grad_logits_2)
    })

    test('a floor of uniform legal choices', () => {
      const { logits, epsilon, policy, with_mask: masked } = vectors.coma.epsilon_floor
      close(withFloor(Float64Array.from(softmax(logits)), [1, 1, 1], epsilon), policy)
      const legal = softmax(logits.slice(0, 2))
      close(withFloor(Float64Array.of(...legal, 0), masked.mask, epsilon), masked.policy)
    })
  })

  test('shared experience: every term, with and without what others lived through', () => {
    const { gamma, observations, actions, rewards, policy_weights: w, value_weights: v, bootstrap_values: ends, returns, entropy_coef: bonus, result } = vectors.seac // prettier-ignore
    const steps = 3
    for (const agent of [0, 1]) {
      const next = [...observations[agent].slice(1).map((o: number) => o * v[agent]), ends[agent]]
      const out = new Float64Array(steps).fill(NaN)
      nStepReturns(column(gamma, rewards[agent], next, [0, 0, 0]), 10, out)
      close(out, returns[agent])
    }
    /** log π_i of choices, by the network `logits = observation × weights`, as a tensor of the weights. */
    const said = (weights: tf.Tensor, of: number) => {
      const logits = tf.matMul(tf.tensor2d(observations[of], [steps, 1]), tf.reshape(weights, [1, 2])) as tf.Tensor2D
      const logs = tf.logSoftmax(logits)
      const chosen = tf.sum(tf.mul(logs, tf.oneHot(tf.tensor1d(actions[of], 'int32'), 2)), 1) as tf.Tensor1D
      const entropy = tf.neg(tf.sum(tf.mul(tf.exp(logs), logs), 1)) as tf.Tensor1D
      return { chosen, entropy }
    }
    for (const i of [0, 1]) {
      const k = 1 - i
      const wanted = result[`agent_${i}`]
      const own = observations[i].map((o: number, t: number) => returns[i][t] - o * v[i])
      const theirs = observations[k].map((o: number, t: number) => returns[k][t] - o * v[i])
      close(own, wanted.own_advantage)
      close(theirs, wanted.others_advantage)
      const behaviour = said(tf.tensor1d(w[k]), k).chosen.dataSync()
      const mine = said(tf.tensor1d(w[i]), k).chosen.dataSync()
      const rho = Array.from(mine, (log, t) => importance(log, behaviour[t]))
      close(rho, wanted.importance_weight, 1e-5)
      const readings = { entropy: 0 }
      const weight = new Float32Array(steps).fill(1)
      const { chosen, entropy } = said(tf.tensor1d(w[i]), i)
      const policy = scoreLoss(chosen, entropy, { advantage: Float32Array.from(own), weight }, { entropy: bonus, total: steps }, readings).dataSync()[0] // prettier-ignore
      close([policy], [wanted.policy_loss_own - bonus * wanted.entropy], 1e-5)
      close([readings.entropy / steps], [wanted.entropy], 1e-5)
      const factor = Float32Array.from(rho, (ratio, t) => (ratio * theirs[t]) / steps)
      const shared = sharedPolicyLoss(said(tf.tensor1d(w[i]), k).chosen, factor).dataSync()[0]
      close([shared], [wanted.seac_policy], 1e-5)
      const value = (of: number, weights: Float32Array) =>
        clippedValueLoss(
          tf.tensor1d(observations[of].map((o: number) => o * v[i])),
          { before: new Float32Array(steps), target: Float32Array.from(returns[of]), weight: weights },
          { clip: null, delta: null, total: steps },
        ).dataSync()[0]
      // The vector's value losses are means of squares; ours are halves of them, as its coefficient of .5 makes them.
      close([2 * value(i, weight)], [wanted.value_loss_own], 1e-5)
      close([2 * value(k, Float32Array.from(rho))], [wanted.seac_value], 1e-5)
      close([policy + value(i, weight)], [wanted.total_lambda_0], 1e-5)
      close([policy + value(i, weight) + shared + value(k, Float32Array.from(rho))], [wanted.total_lambda_1], 1e-5)
    }
  })

  test('ρ carries no gradient, nor does the advantage: the slope of the shared loss is −factor', () => {
    const factor = Float32Array.of(0.5, -2)
    const slope = tf.grad((x: tf.Tensor) => sharedPolicyLoss(x as tf.Tensor1D, factor))(tf.tensor1d([-0.3, -1.2]))
    expect([...slope.dataSync()]).toEqual([-0.5, 2])
  })
}

describe('A2C is PPO with one pass over the whole rollout', () => {
  const world = lit({ masks: true, agents: 3, deaths: true })
  const shared = { lanes: 3, rolloutSteps: 5, hidden: 8, layers: 1, lr: 7e-4, criticLr: 7e-4, optimiser: 'rmsprop', gradientNorm: 0.5, entropy: 0, agentId: true } // prettier-ignore
  const value = { valueNorm: false, huberDelta: null, advantageNorm: false, lambda: 1 }
  const once = { epochs: 1, minibatches: 1, clip: 0.2, valueClip: null }
  const weightsOf = (learner: Ppo | A2c<never>) =>
    Object.entries(learner.save().weights).filter(([name]) => !name.startsWith('memory/'))

  /** Both from the same seed under one name, so that they draw the same weights and choices. */
  function pair(change: Record<string, unknown> = {}, updates = 1, common: Record<string, unknown> = {}) {
    const open_ = (definition: 'ppo' | 'a2c') => {
      const batch = open(world, shared.lanes)
      const { spec } = batch
      const criticInputs = new Inputs(spec, 3, { columns: ['observation', 'id'], heads: 1, hidesDead: true })
      const [schema, kind] = definition === 'ppo' ? [LEARNERS.ippo, { ...value, ...once, ...change }] : [LEARNERS.ia2c, value] // prettier-ignore
      const defaults = Object.fromEntries(
        Object.entries(schema.settings.properties).map(([k, { default: d }]) => [k, d]),
      )
      const settings = { ...defaults, ...shared, ...common, ...kind, shards: 1, chunk: null } as never
      const request = { batch, seed: 1, teamReward: 'sum', settings } as const
      const learner = definition === 'ppo' ? new Ppo(request, { name: 'same', settings, criticInputs }) : new A2c<never>(request, { name: 'same', settings, criticInputs }) // prettier-ignore
      train(learner, updates)
      const weights = weightsOf(learner)
      learner.dispose()
      return weights
    }
    return { ppo: open_('ppo'), a2c: open_('a2c') }
  }

  test('the same bits after one update and after fifty', () => {
    for (const updates of [1, 50]) {
      const { ppo, a2c } = pair({}, updates)
      expect(ppo).toEqual(a2c)
    }
  })

  test('with returns of some steps and critics that follow, softly or at intervals, as well', () => {
    const soft = { nSteps: 2, target: 'soft', targetTau: 0.5 }
    const hard = { nSteps: 2, target: 'hard', targetEvery: 2 }
    const [plain, ...following] = [{}, soft, hard].map((common) => pair({}, 5, common))
    for (const { ppo, a2c } of following) {
      expect(ppo).toEqual(a2c)
      expect(ppo).not.toEqual(plain.ppo)
    }
  })

  test.each([
    ['two passes', { epochs: 2 }],
    ['normalised advantages', { advantageNorm: true }],
    ['two minibatches', { minibatches: 2 }],
    ['λ below 1', { lambda: 0.95 }],
    ['Adam', { optimiser: 'adam' }],
    ['value clipping, from the second pass on', { epochs: 2, valueClip: 1e-3 }],
  ])('not with %s', (_, change) => {
    const { ppo, a2c } = pair(change)
    expect(ppo).not.toEqual(a2c)
  })

  test('value clipping changes nothing in the first step, where the critic has not moved', () => {
    const { ppo, a2c } = pair({ valueClip: 1e-3 })
    expect(ppo).toEqual(a2c)
  })

  test.runIf(vectors !== undefined)(
    'the gradients of both losses are those of the vector, their values are not the same',
    () => {
      const given = vectors.a2c_equals_ppo
      const steps = 4
      const advantage = Float32Array.from(given.advantages)
      const weight = new Float32Array(steps).fill(1)
      const judge = (weights: tf.Tensor) => {
        const logs = tf.logSoftmax(tf.matMul(tf.tensor2d(given.observations), weights as tf.Tensor2D))
        const chosen = tf.sum(tf.mul(logs, tf.oneHot(tf.tensor1d(given.actions, 'int32'), 2)), 1) as tf.Tensor1D
        return { chosen, entropy: tf.neg(tf.sum(tf.mul(tf.exp(logs), logs), 1)) as tf.Tensor1D }
      }
      const start_ = tf.tensor2d(given.policy_weights)
      const before = judge(start_).chosen.dataSync() as Float32Array
      const how = { entropy: given.entropy_coef, total: steps, clip: 0.2 }
      const found = (['a2c', 'ppo'] as const).map((name) =>
        tf.valueAndGrad((weights: tf.Tensor) => {
          const { chosen, entropy } = judge(weights)
          const rows = { before, advantage, weight }
          const readings = { entropy: 0, divergence: 0, clipped: 0 }
          return name === 'a2c'
            ? scoreLoss(chosen, entropy, rows, how, readings)
            : clippedPolicyLoss(chosen, entropy, rows, how, readings)
        })(start_),
      )
      for (const { grad } of found) close(grad.dataSync(), given.grad_policy.flat(), 1e-6)
      expect(Math.abs(found[0].value.dataSync()[0] - found[1].value.dataSync()[0])).toBeGreaterThan(0.05)
      const returns = new Float64Array(steps)
      nStepReturns(
        column(given.gamma, given.rewards, [...given.values.slice(1), given.bootstrap], [0, 0, 0, 0]),
        4,
        returns,
      )
      close(returns, given.returns)
    },
  )
})

describe('ends', () => {
  test('a truncated step keeps its last state’s worth and cuts the window; a terminated one has none', () => {
    // γ .5, rewards 1 2 4, worths of what followed 10 20 40; the second step ends.
    const cut = column(0.5, [1, 2, 4], [10, 20, 40], [0, 0, 0], [0, 1, 0])
    const over = column(0.5, [1, 2, 4], [10, 20, 40], [0, 1, 0])
    const out = new Float64Array(3)
    nStepReturns(cut, 5, out)
    expect([...out]).toEqual([1 + 0.5 * (2 + 0.5 * 20), 2 + 0.5 * 20, 4 + 0.5 * 40])
    nStepReturns(over, 5, out)
    expect([...out]).toEqual([1 + 0.5 * 2, 2, 4 + 0.5 * 40])
    lambdaTargets(cut, 0.5, out)
    expect([...out]).toEqual([1 + 0.5 * (0.5 * 10 + 0.5 * (2 + 0.5 * 20)), 2 + 0.5 * 20, 4 + 0.5 * 40])
    lambdaTargets(over, 0.5, out)
    expect([...out]).toEqual([1 + 0.5 * (0.5 * 10 + 0.5 * 2), 2, 4 + 0.5 * 40])
  })
})

describe('normalisers', () => {
  test('PopArt keeps every output while the statistics move', () => {
    const net = new Network({ name: 'critic', inputs: 3, outputs: 2, hidden: 5, layers: 1, activation: 'relu', outputGain: 1 }, new Generator(namedSeed(1, 'net'))) // prettier-ignore
    const norm = new ValueNorm(0.9)
    norm.update([3, 5, 100])
    const input = Float32Array.of(1, -2, 3, 0.5, 0, -1)
    const meant = () => {
      const out = new Float32Array(4)
      net.infer(input, 2, out)
      norm.denormaliseAll(out)
      return out
    }
    const before = meant()
    for (const batch of [
      [7, 9],
      [-400, 20, 3],
    ]) {
      const { scale, shift } = norm.takeAndKeep(batch.length, batch.reduce((a, b) => a + b), batch.reduce((a, b) => a + b * b, 0)) // prettier-ignore
      expect(scale).not.toBe(1)
      net.rescaleOutputs(scale, shift)
      close(meant(), before, 1e-4)
    }
    net.dispose()
  })

  test('running moments of batches are those of all numbers at once, but for the count they begin with', () => {
    const rows = Float32Array.of(1, 10, 2, 20, 4, 10, 8, 20, 16, 60)
    const moments = new RunningMoments(2)
    const group = alone()
    moments.take([sumsOf(rows.subarray(0, 4), 2)], group)
    moments.take([sumsOf(rows.subarray(4), 2)], group)
    // Means 6.2 and 24. Each batch brings its unbiased variance times its count: 2 · .5 + 3 · 112/3 = … by hand:
    // column 0: batches (1, 2): mean 1.5, variance .5; (4, 8, 16): mean 28/3, variance 37.333; between them 2 · 3 / 5 · (47/6)².
    const first = (2 * 0.5 + 3 * (112 / 3) + (6 / 5) * (47 / 6) ** 2) / 5
    expect(moments.state.mean[0]).toBeCloseTo(6.2, 3)
    expect(moments.state.mean[1]).toBeCloseTo(24, 2)
    expect(moments.state.variance[0]).toBeCloseTo(first, 2)
  })

  test('reward statistics are a learner’s own: another task beside it changes nothing', () => {
    for (const [definition, own] of [
      [LEARNERS.ippo, { rewardScale: 'standardise' }],
      [LEARNERS.iql, { rewardScaling: 'standardise' }],
    ] as const) {
      const run = (pay: number) => {
        const learner = start(definition, lit({ pay }), own)
        const metrics = train(learner, 3)
        learner.dispose()
        return metrics
      }
      const alone = run(1)
      run(100)
      expect(run(1)).toEqual(alone)
    }
  })

  test('standardised rewards have mean 0 and deviation 1 in what is learned from; shared over shards', () => {
    const world = lit({ pay: 7 })
    const scaled = (rewardScale: string) => {
      const learner = start(LEARNERS.ia2c, world, { rewardScale })
      const metrics = train(learner, 3)
      learner.dispose()
      return metrics.at(-1)!
    }
    // Paid 7 a quarter of the time: deviation about 3. Sampled returns stay in the world's own units.
    expect(scaled('deviation').sampledReturn).toBe(scaled('none').sampledReturn)
    expect(Math.abs(scaled('standardise').advantageMean)).toBeLessThan(Math.abs(scaled('none').advantageMean))
  })
})

describe('COMA', () => {
  test('what an agent itself chose is blank to the critic; what others chose is not', () => {
    const { spec } = createBatch(lights, { agents: 3, words: true }, { lanes: 1 })
    const inputs = new ActionInputs(spec, 3)
    const sight = { observation: new Float32Array(12), state: new Float32Array(12), alive: Uint8Array.of(1, 1, 1) }
    const rows = (action: number[]) => {
      const out = new Float32Array(3 * inputs.width).fill(NaN)
      inputs.write({ ...sight, action }, 1, out)
      return [0, 1, 2].map((k) => [...out.subarray(k * inputs.width, (k + 1) * inputs.width)])
    }
    const [plain, moved] = [rows([0, 0, 1, 1, 2, 0]), rows([3, 1, 1, 1, 2, 0])] // agent 0 chooses something else
    expect(moved[0]).toEqual(plain[0])
    expect(moved[1]).not.toEqual(plain[1])
    expect(moved[2]).not.toEqual(plain[2])
    expect(plain[0].flat().some(Number.isNaN)).toBe(false)
  })

  test('joint choices are numbered as their probabilities are', () => {
    const joint = jointProbabilities(Float32Array.of(0.25, 0.75, 0.5, 0.125, 0.375), [2, 3])
    expect(jointChoice([1, 2], [2, 3])).toBe(5)
    expect(joint[jointChoice([1, 2], [2, 3])]).toBe(0.75 * 0.375)
    expect(joint.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12)
  })

  test('the floor falls with environment steps, as the settings say', () => {
    const settings = { epsilon: 0.5, epsilonEnd: 0.01, epsilonSteps: 100 } as ComaSettings
    expect([0, 50, 100, 500].map((steps) => floorAt(settings, steps))).toEqual([0.5, 0.255, 0.01, 0.01])
    expect(floorAt({ ...settings, epsilon: 0 }, 50)).toBe(0)
  })

  test('rewards of one’s own, and several teams, are refused with the reason', () => {
    expect(() => start(LEARNERS.coma, lit(), {}, { teamReward: 'none' })).toThrow(
      /teamReward of the scenario is 'none'.*its critic has one value for the whole team/,
    )
  })

  test('the target moves at multiples of its interval, counted in updates', () => {
    const learner = start(LEARNERS.coma, lit(), { targetEvery: 2 })
    const same = () => {
      const { weights } = learner.save()
      const [mine, its] = ['critic/layer0/weight', 'target/critic/layer0/weight'].map((name) => [...weights[name].data])
      return mine.every((value, i) => value === its[i])
    }
    const seen = [same(), ...[1, 2, 3, 4].map(() => (train(learner, 1), same()))]
    expect(seen).toEqual([true, false, true, false, true])
    learner.dispose()
  })
})

describe('shared experience', () => {
  test('with λ_s 0 it is independent A2C with networks of their own, to the bit', () => {
    const world = lit({ agents: 3 })
    const settings = {
      sharing: 'none',
      agentId: false,
      lr: 1e-3,
      criticLr: 1e-3,
      optimiserEpsilon: 1e-3,
      gradientNorm: 0.5,
    }
    // Names of generators differ by algorithm: both begin with the weights of one of them.
    const [alone_, pooled] = [start(LEARNERS.ia2c, world, settings), start(LEARNERS.seac, world, { share: 0 })]
    const given = written(alone_.save())
    const own = written(pooled.save())
    const generators = own.state.generators as unknown
    pooled.load({ weights: given.weights, state: { ...own.state, generators: given.state.generators } })
    expect(generators).not.toEqual(given.state.generators)
    train(alone_, 3)
    train(pooled, 3)
    expect(weightsHash(pooled.save())).toBe(weightsHash(alone_.save()))
    alone_.dispose()
    pooled.dispose()
  })

  test('agents with equal policies weigh each other’s rows 1', () => {
    expect(importance(Math.log(0.3), Math.log(0.3))).toBeCloseTo(1, 6)
    expect(importance(Math.log(0.6), Math.log(0.3))).toBeCloseTo(2, 5) // mine over theirs
  })

  test('one agent has nobody to learn from', () => {
    const learn = (share: number) => {
      const learner = start(LEARNERS.seac, lit({ agents: 1 }), { share })
      train(learner, 3)
      const hash = weightsHash(learner.save())
      learner.dispose()
      return hash
    }
    expect(learn(1)).toBe(learn(0))
  })
})

describe('networks that are not shared', () => {
  test('one agent’s rows move nobody else’s network', () => {
    const world = lit({ agents: 3 })
    const moved = (change: Record<string, unknown>) => {
      const learner = start(LEARNERS.ia2c, world, { sharing: 'none', ...change })
      const before = learner.save().weights
      train(learner, 1)
      const after = learner.save().weights
      learner.dispose()
      return { before, after }
    }
    const { before, after } = moved({})
    for (const name of ['actor', 'actor1', 'actor2', 'critic', 'critic1', 'critic2']) {
      expect(before, name).toHaveProperty([`${name}/layer0/weight`])
      expect([...after[`${name}/layer0/weight`].data]).not.toEqual([...before[`${name}/layer0/weight`].data])
    }
    expect(after['actor/layer0/weight'].shape).toEqual([4, 8]) // no id
  })
})

describe('pruning', () => {
  const net = () =>
    new Network({ name: 'actor', inputs: 6, outputs: 4, hidden: 10, layers: 2, activation: 'relu', outputGain: 1 }, new Generator(namedSeed(2, 'net'))) // prettier-ignore

  test('the smallest weights of every layer are 0, and come back as they were where the schedule falls', () => {
    const network = net()
    const before = network.read()
    const pruner = new Pruner(network, true)
    pruner.prune(0.8)
    const sparse = network.read()
    for (const { name, shape, from, to } of network.slices) {
      const [old, kept] = [before.slice(from, to), sparse.slice(from, to)]
      if (shape.length === 1) continue
      const zeros = kept.filter((value) => value === 0).length
      expect(zeros, name).toBe(Math.round(0.8 * (to - from)))
      const threshold = Math.min(...kept.filter((value) => value !== 0).map(Math.abs))
      old.forEach((value, i) => expect(kept[i] === 0 ? Math.abs(value) <= threshold : kept[i] === value).toBe(true))
    }
    expect(pruner.sparsity).toBeCloseTo(0.8, 2)
    pruner.prune(0.5)
    const regrown = network.read()
    regrown.forEach((value, i) => expect(value === 0 || value === before[i]).toBe(true))
    expect(pruner.sparsity).toBeCloseTo(0.5, 2)
    pruner.prune(0)
    expect([...network.read()]).toEqual([...before])
    network.dispose()
  })

  test('masked weights stay 0 through steps, get no gradient, and outlive a checkpoint with their shadows', () => {
    const settings = {
      sparsity: 0.75,
      pruneEvery: 2,
      pruneFrom: 0,
      pruneTo: 0.5,
      scheduleSteps: 300,
      hidden: 8,
      chunk: null,
    }
    const make = () => start(LEARNERS.iagc, lit(), settings)
    const learner = make()
    const metrics = train(learner, 20) // 15 steps each
    expect(metrics.at(-1)!.sparsity).toBeCloseTo(0.75, 1)
    expect(metrics[4].sparsity).toBeLessThan(0.75)
    const { weights } = learner.save()
    const kept = weights['actor/layer0/weight'].data
    expect(kept.filter((value) => value === 0).length).toBe(Math.round(0.75 * kept.length))
    const resumed = make()
    resumed.load(written(learner.save()))
    expect(train(resumed, 4)).toEqual(train(learner, 4))
    expect(resumed.save()).toEqual(learner.save())
    learner.dispose()
    resumed.dispose()
  })
})

test('the entropy bonus follows its schedule in environment steps', () => {
  const settings = { entropy: 0.5, entropyEnd: 0.1, entropySchedule: 'linear', scheduleSteps: 60 }
  const learner = start(LEARNERS.ia2c, lit(), settings)
  const weights = train(learner, 6).map(({ entropyWeight }) => entropyWeight) // 15 steps each
  ;[0.5, 0.4, 0.3, 0.2, 0.1, 0.1].forEach((wanted, k) => expect(weights[k]).toBeCloseTo(wanted, 12))
  learner.dispose()
})

test('impossible mixtures of settings are refused before training, each with its reason', () => {
  const from = (name: string, settings: Record<string, unknown>) => () => start(LEARNERS[name], lit(), settings)
  expect(from('ia2c', { popArt: true })).toThrow(/popArt is true without valueNorm/)
  expect(from('ia2c', { popArt: true, valueNorm: true, target: 'soft' })).toThrow(/popArt is true beside a soft target/)
  expect(from('maa2c', { criticInput: 'agent-state' })).toThrow(/agent-state; expected a world that has one/)
  expect(from('maa2c', { critic: 'n-headed', criticInput: 'state+observation' })).toThrow(/beside an n-headed critic/)
  expect(from('seac', { network: 'gru' })).toThrow(/network is "gru"; expected "mlp"/)
  expect(from('seac', { sharing: 'full' })).toThrow(/sharing is "full"; expected "none"/)
  expect(from('open-loop', { network: 'gru' })).toThrow(/network is "gru"/)
  expect(known(LEARNERS.reinforce, { valueNorm: true })).toEqual({})
})

test('an open loop plays by the clock alone: what it would see changes nothing', () => {
  const learner = start(LEARNERS['open-loop'], lit())
  train(learner, 2)
  const choices = (seed: number) => {
    const batch = open(lit(), 4, seed)
    batch.reset()
    const policy = learner.policy('greedy')
    const memory = policy.memory(4, 2)
    return [0, 1, 2].map(() => {
      const out = { action: new Int32Array(8) }
      const { spec, lanes, observation, mask, alive, episodeStart } = batch
      policy.act({ spec, lanes, agents: Int32Array.of(0, 1), observation, mask, alive, episodeStart }, memory, out, new Generator(namedSeed(1, 'x'))) // prettier-ignore
      batch.step(new Int32Array(8))
      return [...out.action]
    })
  }
  expect(choices(1)).toEqual(choices(2))
  learner.dispose()
})
