/** Promises of every learner that learns from what it has just played, with a critic or without. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { Generator, createBatch, episodeSeed, namedSeed, type EnvDefinition } from '../envs/core/index.ts'
import { weightsHash } from './core/checkpoint.ts'
import { type LearnerRequest } from './core/learner.ts'
import { playEpisodes } from './core/play.ts'
import { type ActionBatch, type AgentView } from './core/policy.ts'
import { tf } from './core/tensors.ts'
import { known, lit, open, outFor, start, train, viewOf, type World } from './core/testing.ts'
import { clock, lights } from './core/toys.ts'
import { LEARNERS } from './index.ts'
import { registerSimd } from './kernels/index.ts'

// The kernels, which are ten times as fast here as TensorFlow.js on its cpu backend; slow tests compare the two.
beforeAll(async () => {
  execFileSync(process.execPath, [fileURLToPath(new URL('kernels/build.mjs', import.meta.url))])
  registerSimd(new Uint8Array(readFileSync(new URL('../dist/agents/kernels/simd.wasm', import.meta.url))))
  await tf.setBackend('simd')
})

const LIGHTS = lit()

/** All of them, but for what sees nothing. */
const NAMES = ['mappo', 'ippo', 'maa2c', 'ia2c', 'snac', 'iagc', 'seac', 'coma', 'reinforce']
/** Whose agents are told apart by ids. */
const NAMED = ['mappo', 'ippo', 'maa2c', 'ia2c', 'coma', 'reinforce']
/** A2C has the same bits as PPO, cut episodes included: actor-critics.test.ts. */
const VALUED = ['mappo']

for (const name of NAMES) {
  const definition = LEARNERS[name]
  describe(name, () => {
    const from = (world: World, settings?: Record<string, unknown>, change?: Partial<LearnerRequest>) =>
      start(definition, world, settings, change)

    test('chooses the light that is on, nearly always, after a few seconds', () => {
      const passes = 'epochs' in definition.settings.properties
      const rate = passes ? 5e-3 : 1e-2
      const settings = { lanes: 16, rolloutSteps: 8, hidden: 16, lr: rate, criticLr: rate, epochs: 4, gradientNorm: 10 }
      // Counterfactuals need a critic that is ahead of the actors, and actors that keep trying.
      const careful = name === 'coma' ? { lr: 3e-3, entropy: 0.2, targetEvery: 20 } : {}
      const learner = from(LIGHTS, known(definition, { ...settings, chunk: null, ...careful }))
      train(learner, passes ? 60 : 240)
      const batch = createBatch(LIGHTS.env, {}, { lanes: 8, autoreset: 'disabled' })
      const seeds = Array.from({ length: 24 }, (_, k) => episodeSeed(1, 'eval', 0, k))
      const { episodes } = playEpisodes({
        batch,
        policy: learner.policy('greedy'),
        seeds,
        rng: 1,
        teamReward: 'sum',
      })
      const mean = episodes.reduce((sum, episode) => sum + episode.return, 0) / episodes.length
      expect(mean).toBeGreaterThan(15.5) // 16 is perfect: 2 agents, 8 steps; chance gives 4
    })

    test('what dead agents observe changes nothing', () => {
      const hash = (junk: number) => {
        const learner = from(lit({ deaths: true, agents: 3, junk }))
        const metrics = train(learner, 4)
        return [weightsHash(learner.save()), metrics]
      }
      expect(hash(1000)).toEqual(hash(0))
    })

    if (VALUED.includes(name)) {
      test('a cut episode is worth something after the cut: 10 everywhere for 1 per step at discount .9', () => {
        const world: World = { env: clock as unknown as EnvDefinition, options: {} }
        const settings = { lanes: 4, rolloutSteps: 10, hidden: 16, layers: 2, gamma: 0.9, epochs: 4, valueClip: null }
        const updates = 60
        const length = { lrSchedule: 'linear', scheduleSteps: updates * 40 }
        const schedule = { criticLr: 0.02, valueNormBeta: 0.9, valueNorm: true, ...length }
        const values = (bootstrapTruncated: boolean) => {
          const learner = from(world, known(definition, { ...settings, ...schedule, bootstrapTruncated }))
          train(learner, updates)
          const batch = open(world, 1)
          batch.reset()
          const out = new Float32Array(1)
          return Array.from({ length: 10 }, () => {
            learner.values(batch, out)
            batch.step(Int32Array.of(0))
            return out[0]
          })
        }
        for (const value of values(true)) expect(Math.abs(value - 10)).toBeLessThan(0.1)
        values(false).forEach((value, step) => {
          const left = (1 - 0.9 ** (10 - step)) / 0.1 // 6.51, 6.13 … 1: what treating the clock as an end gives
          expect(Math.abs(value - left)).toBeLessThan(0.1)
        })
      })
    }

    if ('valueClip' in definition.settings.properties) {
      test('targets are normalised by statistics that have seen them: pay a hundred times more, learn the same values', () => {
        // Whole episodes, an end that ends, lambda 1: returns are sums of rewards, whatever the critic thinks.
        const settings = { rolloutSteps: 8, lambda: 1, epochs: 2, valueClip: null, lanes: 16 }
        const losses = [1, 100].map((pay) => {
          const learner = from(lit({ pay, horizonEnds: 'termination' }), settings)
          return learner.collectAndUpdate().valueLoss
        })
        expect(losses[0]).toBeGreaterThan(0.1)
        expect(losses[1] / losses[0]).toBeCloseTo(1, 4)
      })
    }

    if (NAMED.includes(name)) {
      test('without ids, agents that swap their observations swap their choices', () => {
        const learner = from(LIGHTS, { agentId: false, lr: 1e-2 })
        train(learner, 5)
        const batch = open(LIGHTS, 6, 2)
        batch.reset()
        const straight = outFor(batch)
        learner.policy('greedy').act(viewOf(batch), null, straight, new Generator(namedSeed(1, 'x')))
        const view = { ...viewOf(batch), observation: batch.observation.slice() }
        const crossed = outFor(batch)
        for (let lane = 0; lane < 6; lane++) {
          for (let i = 0; i < 4; i++) {
            view.observation[lane * 8 + i] = batch.observation[lane * 8 + 4 + i]
            view.observation[lane * 8 + 4 + i] = batch.observation[lane * 8 + i]
          }
        }
        learner.policy('greedy').act(view, null, crossed, new Generator(namedSeed(1, 'x')))
        for (let row = 0; row < 12; row++) {
          const other = row ^ 1
          const p = (out: typeof crossed, r: number) => [...out.probability.subarray(r * 4, r * 4 + 4)]
          expect(p(crossed, row)).toEqual(p(straight, other))
        }
      })
    }

    if (NAMED.includes(name)) {
      test('with ids, agents it was not trained for are refused; without, any number may play', () => {
        const three = createBatch(lights, { agents: 3 }, { lanes: 2 })
        three.reset()
        const rng = new Generator(namedSeed(1, 'x'))
        const strict = from(LIGHTS).policy('greedy')
        expect(() => strict.act(viewOf(three), null, outFor(three), rng)).toThrow(
          /agent_2.*trained for agent_0, agent_1/,
        )
        const open_ = from(LIGHTS, { agentId: false }).policy('greedy')
        expect(() => open_.act(viewOf(three), null, outFor(three), rng)).not.toThrow()
      })
    }

    test('steps count every lane: ten copies reach the same number in a tenth of the rounds', () => {
      const one = from(LIGHTS, { lanes: 1, rolloutSteps: 10 })
      train(one, 10)
      const ten = from(LIGHTS, { lanes: 10, rolloutSteps: 10 })
      train(ten, 1)
      expect([one.steps, ten.steps]).toEqual([100, 100])
    })

    test('some agents may learn while others are played by a policy', () => {
      const calls: number[][] = []
      const first = {
        name: 'first',
        memory: () => null,
        act: (view: AgentView, _memory: unknown, out: ActionBatch) => {
          calls.push([...view.agents])
          out.action.fill(0)
        },
      }
      const change = { agents: [2, 0], others: [{ policy: first, agents: [1] }] }
      const learner = from(lit({ agents: 3 }), {}, change)
      train(learner, 2)
      expect(calls).toHaveLength(10)
      expect(calls[0]).toEqual([1])
      expect(() => from(lit({ agents: 3 }), {}, { agents: [2, 0] })).toThrow(/each of 0 to 2 exactly once/)
    })

    test('numbers that run away stop training, naming tensor and step', () => {
      const batch = createBatch(lights, {}, { lanes: 3 })
      const poisoned = new Proxy(batch, {
        get: (target, key) => {
          const value = Reflect.get(target, key, target) as unknown
          if (key === 'reward') return new Float32Array(6).fill(NaN)
          return typeof value === 'function' ? (value.bind(target) as unknown) : value
        },
      })
      const sick = from(LIGHTS, {}, { batch: poisoned })
      const before = sick.save()
      let error: unknown
      try {
        sick.collectAndUpdate()
      } catch (caught) {
        error = caught
      }
      expect(error).toMatchObject({ code: 'diverged' })
      expect((error as Error).message).toMatch(/gradient of (actor|critic)\d*\/layer\d\/(weight|bias) is NaN at environment step 15/) // prettier-ignore
      expect(weightsHash(sick.save())).toBe(weightsHash(before))
    })
  })
}
