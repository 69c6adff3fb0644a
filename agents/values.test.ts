/** What learners of action values promise beside what all learners do. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { Generator, createBatch, episodeSeed, namedSeed, type EnvDefinition } from '../envs/core/index.ts'
import { ENVS } from '../envs/index.ts'
import { tensorsUnder, type Learner, type LearnerDefinition } from './core/learner.ts'
import { playEpisodes } from './core/play.ts'
import { tf } from './core/tensors.ts'
import { lit, open, outFor, start, train, viewOf, type World } from './core/testing.ts'
import { clock, recall } from './core/toys.ts'
import { softened } from './core/values.ts'
import { LEARNERS } from './index.ts'
import { registerSimd } from './kernels/index.ts'

beforeAll(async () => {
  execFileSync(process.execPath, [fileURLToPath(new URL('kernels/build.mjs', import.meta.url))])
  registerSimd(new Uint8Array(readFileSync(new URL('../dist/agents/kernels/simd.wasm', import.meta.url))))
  await tf.setBackend('simd')
})

const { iql, vdn, qmix, dqsa } = LEARNERS
const FAMILY: readonly LearnerDefinition[] = [iql, vdn, qmix]

const world = (env: unknown, options: Record<string, unknown> = {}): World => ({ env: env as EnvDefinition, options })
const CLOCK = world(clock)
const TWO_STEP = world(ENVS.matrix, { game: 'two-step', horizon: 2 })

function playedReturn(learner: Learner, { env, options }: World, teamReward: 'sum' | 'mean', episodes = 16): number {
  const batch = createBatch(env, options, { lanes: 8, autoreset: 'disabled' })
  const seeds = Array.from({ length: episodes }, (_, k) => episodeSeed(1, 'eval', 0, k))
  const played = playEpisodes({ batch, policy: learner.policy('greedy'), seeds, rng: 1, teamReward })
  return played.episodes.reduce((sum, episode) => sum + episode.return, 0) / episodes
}

/** What the learner says of the first state and of those that follow when everybody does `action`. */
function valuesAlong(learner: Learner, place: World, action: number, steps: number): number[] {
  const batch = open(place, 1)
  batch.reset()
  const n = batch.spec.agents.length
  const out = new Float32Array(n)
  const memory = learner.valueMemory(1)
  return Array.from({ length: steps }, () => {
    learner.values(batch, out, memory)
    batch.step(new Int32Array(n).fill(action))
    return out[0]
  })
}

test('QMIX begins with values no larger than what a field pays in all; orthogonal weights would say many times as much', () => {
  // What is said too much at first is bootstrapped from, and discount .99 takes thousands of gradient steps to forget it.
  const field = world(ENVS.foraging, { rows: 8, columns: 8, players: 2, foods: 2, cooperative: true })
  const [uniform, orthogonal] = [{}, { init: 'orthogonal' }].map((change) => {
    const sizes = [1, 2, 3, 4, 5, 6].map((seed) => {
      const learner = start(qmix, field, { hidden: 64, layers: 2, embed: 32, hyperHidden: 64, ...change }, { seed })
      const [value] = valuesAlong(learner, field, 0, 1)
      learner.dispose()
      return Math.abs(value)
    })
    return sizes.reduce((sum, size) => sum + size, 0) / sizes.length
  })
  expect(uniform).toBeLessThan(1)
  expect(orthogonal).toBeGreaterThan(5 * uniform)
})

const QUICK = { lanes: 8, batchEpisodes: 8, updatesPerEpisode: 0.5, lr: 5e-3, hidden: 16, targetInterval: 20 }

for (const definition of FAMILY) {
  describe(definition.name, () => {
    test('chooses the light that is on, nearly always, after a few seconds', () => {
      const settings = { ...QUICK, rolloutSteps: 8, epsilonSteps: 1500, gamma: 0.5 }
      const learner = start(definition, lit(), settings)
      train(learner, 60)
      expect(playedReturn(learner, lit(), 'sum')).toBeGreaterThan(15.5) // 16 is perfect; chance gives 4
      learner.dispose()
    })

    test('what dead agents observe changes nothing', () => {
      const hash = (junk: number) => {
        const learner = start(definition, lit({ deaths: true, agents: 3, junk }))
        train(learner, 6)
        const weights = { ...learner.save().weights }
        learner.dispose()
        for (const name of Object.keys(weights)) if (name.endsWith('/observation')) delete weights[name]
        return weights
      }
      expect(hash(1000)).toEqual(hash(0))
    })

    test('a cut episode is worth something after the cut: 2 everywhere for 1 per step at discount .5', () => {
      const settings = {
        ...QUICK,
        rolloutSteps: 10,
        gamma: 0.5,
        updatesPerEpisode: 0.75,
        lr: 1e-2,
        targetInterval: 5,
        layers: 2,
        init: 'orthogonal', // a clock is told apart sooner
      }
      const values = (bootstrapTruncated: boolean) => {
        const schedule = { lrSchedule: 'linear', scheduleSteps: 60 * 80 }
        const learner = start(definition, CLOCK, { ...settings, ...schedule, bootstrapTruncated, lambda: 1 })
        train(learner, 60)
        const found = valuesAlong(learner, CLOCK, 0, 10)
        learner.dispose()
        return found
      }
      for (const value of values(true)) expect(Math.abs(value - 2)).toBeLessThan(0.25)
      // Treating the clock as an end gives 2 (1 − .5^k) with k steps left: 1.998 at first, 1 before the last.
      const cut = values(false)
      expect(Math.abs(cut[0] - 1.998)).toBeLessThan(0.25)
      expect(Math.abs(cut[9] - 1)).toBeLessThan(0.4)
    })

    test('the target network is the online one after every targetInterval gradient steps, and not in between', () => {
      for (const [updatesPerEpisode, targetInterval] of [
        [1, 3],
        [2, 4], // gradient steps are counted, not episodes
      ]) {
        const small = { lanes: 1, rolloutSteps: 8, batchEpisodes: 1 }
        const learner = start(definition, lit(), { ...small, updatesPerEpisode, targetInterval })
        const equal = Array.from({ length: 6 }, () => {
          const { gradientSteps } = learner.collectAndUpdate()
          const { weights } = learner.save()
          const target = tensorsUnder({ weights }, 'target/')
          expect(Object.keys(target).length).toBeGreaterThan(3)
          const same = Object.entries(target).every(([name, { data }]) => `${weights[name].data}` === `${data}`)
          return [gradientSteps, same]
        })
        const steps = [1, 2, 3, 4, 5, 6].map((episodes) => episodes * updatesPerEpisode)
        expect(equal).toEqual(steps.map((count) => [count, count % targetInterval === 0]))
        learner.dispose()
      }
    })

    test('updates are owed per finished episode, in fractions too, and begin when a batch is there', () => {
      const settings = { lanes: 2, rolloutSteps: 8, batchEpisodes: 3, updatesPerEpisode: 0.75 }
      const learner = start(definition, lit(), settings)
      // Two episodes each time. Nothing is owed before three are there; then 1.5 more each time.
      expect(train(learner, 5).map(({ gradientSteps }) => gradientSteps)).toEqual([0, 1, 3, 4, 6])
      learner.dispose()
    })

    test('networks apart: what one agent saw and was paid reaches no other agent’s network alone', () => {
      const settings = { sharing: 'none', lanes: 2, rolloutSteps: 8 }
      const learner = start(definition, lit(), settings, { teamReward: 'sum' })
      train(learner, 3)
      const names = Object.keys(learner.save().weights).filter((name) => /^agent\d\/layer0\/weight$/.test(name))
      expect(names).toEqual(['agent0/layer0/weight', 'agent1/layer0/weight'])
      const batch = open(lit(), 4)
      batch.reset()
      const act = () => {
        const out = outFor(batch)
        learner.policy('sample').act(viewOf(batch), null, out, new Generator(namedSeed(1, 'x')))
        return [0, 1].map((agent) => [...out.probability.subarray(agent * 4, agent * 4 + 4)])
      }
      expect(act()).toEqual(act())
      const alike = start(definition, lit(), settings)
      alike.load(learner.save())
      expect(alike.save()).toEqual(learner.save())
      for (const each of [learner, alike]) each.dispose()
    })

    test('with a gru, two episodes one after the other in one lane are played as each by itself', () => {
      const learner = start(definition, lit(), { network: 'gru', lastAction: true })
      train(learner, 4)
      const policy = learner.policy('sample')
      const seen = (place: ReturnType<typeof open>, memory: unknown, steps: number) =>
        Array.from({ length: steps }, () => {
          const out = outFor(place)
          policy.act(viewOf(place), memory, out, new Generator(namedSeed(1, 'x')))
          place.step(out.action as Int32Array)
          return [...out.probability]
        })
      const batch = open(lit(), 1)
      batch.reset()
      const memory = policy.memory(1, 2)
      seen(batch, memory, 8)
      const middle = batch.save(0)
      const second = seen(batch, memory, 8)
      const alone = open(lit(), 1)
      alone.reset()
      alone.load(0, middle)
      expect(seen(alone, policy.memory(1, 2), 8)).toEqual(second)
      learner.dispose()
    })
  })
}

for (const [definition, network] of [
  [iql, { network: 'gru' }],
  [dqsa, { window: null, exploreSteps: 3000, betaStart: 1, betaEnd: 8, alphaEnd: 0.2 }],
] as const) {
  test(`${definition.name} remembers the light, which a network without memory cannot`, () => {
    const play = { ...QUICK, lanes: 16, rolloutSteps: 4, updatesPerEpisode: 0.4, hidden: 24, gamma: 0.99 }
    const explore = definition === iql ? { epsilonSteps: 3000, epsilonEnd: 0.2 } : {}
    const learner = start(definition, world(recall, { delay: 2 }), { ...play, ...explore, ...network })
    train(learner, 90)
    expect(playedReturn(learner, world(recall, { delay: 2 }), 'sum', 24)).toBeGreaterThan(0.95) // blind: 1/4
    learner.dispose()
  })
}

test('equation 12 of DQSA: a softmax over the legal with a floor; sharper as steps go by', () => {
  const explore = softened(
    (steps) => (steps < 10 ? 0.3 : 0),
    (steps) => (steps < 10 ? 1 : 50),
  )
  const values = Float32Array.of(99, Math.log(1), Math.log(3), Math.log(4))
  const mask = Uint8Array.of(0, 1, 1, 1)
  const p = new Float32Array(4).fill(NaN)
  explore(values, mask, 0, 4, 0, p)
  ;[0, 0.7 / 8 + 0.1, (0.7 * 3) / 8 + 0.1, 0.7 / 2 + 0.1].forEach((wanted, a) => expect(p[a]).toBeCloseTo(wanted, 6))
  explore(values, mask, 0, 4, 10, p)
  // (3 / 4)^50 beside 1
  ;[0, 0, 0.75 ** 50, 1].forEach((wanted, a) => expect(p[a]).toBeCloseTo(wanted, 5))
})

describe('one reward for the team', () => {
  test('VDN and QMIX refuse individual rewards and two teams before training, and say why; IQL takes both', () => {
    const tag = world(ENVS.particles, { task: 'tag' })
    for (const definition of [vdn, qmix]) {
      const none = () => start(definition, lit(), {}, { teamReward: 'none' })
      expect(none).toThrow(
        new RegExp(`${definition.name}: teamReward of the scenario is 'none'.*iql, ippo and mappo take individual`),
      )
      expect(() => start(definition, tag)).toThrow(/agents is of 2 teams .*iql, ippo and mappo take individual rewards/)
      expect(() => start(definition, lit({ agents: 1 }), {}, { teamReward: 'none' }).dispose()).not.toThrow()
    }
    for (const place of [lit(), tag]) start(iql, place, {}, { teamReward: 'none' }).dispose()
  })

  test('without a global state the mixer gets all observations, and the settings say so', () => {
    const learner = start(qmix, lit({ state: false }))
    expect(learner.settings.mixerInput).toBe('observations')
    train(learner, 2)
    expect(learner.save().weights['mixer/bias1/layer0/weight'].shape).toEqual([8, 32])
    learner.dispose()
  })

  test('agents act without the mixer: their choices follow from their own networks', () => {
    const learner = start(qmix, lit())
    train(learner, 4)
    const { weights, state } = learner.save()
    const own = Object.fromEntries(Object.entries(weights).filter(([name]) => name.startsWith('agent/')))
    const batch = open(lit(), 4)
    batch.reset()
    const outs = [learner.policy('greedy'), qmix.policy(batch.spec, { weights: own, state }, 'greedy')].map(
      (policy) => {
        const out = outFor(batch)
        policy.act(viewOf(batch), null, out, new Generator(namedSeed(1, 'x')))
        return out
      },
    )
    expect(outs[0]).toEqual(outs[1])
    learner.dispose()
  })
})

describe('the two-step game of the QMIX paper, under uniform play', () => {
  const SETTINGS = {
    lanes: 16,
    rolloutSteps: 2,
    batchEpisodes: 64,
    memoryEpisodes: 2000,
    updatesPerEpisode: 1 / 16,
    lr: 3e-3,
    epsilonEnd: 1,
    targetInterval: 50,
    hidden: 32,
  }
  const learned = (definition: LearnerDefinition) => {
    const learner = start(definition, TWO_STEP, SETTINGS, { teamReward: 'mean' })
    train(learner, 1000)
    return learner
  }

  test('QMIX finds 8: state 2A is worth 7, 2B 8, and their discounted values lead there', () => {
    const learner = learned(qmix)
    expect(playedReturn(learner, TWO_STEP, 'mean')).toBe(8)
    const [first, second] = valuesAlong(learner, TWO_STEP, 1, 2)
    expect(Math.abs(first - 0.99 * 8)).toBeLessThan(0.15) // 7.92
    expect(Math.abs(second - 8)).toBeLessThan(0.15)
    expect(Math.abs(valuesAlong(learner, TWO_STEP, 0, 2)[1] - 7)).toBeLessThan(0.15)
    learner.dispose()
  })

  test('VDN cannot say what 2B is worth and takes 7: of −1.5, 2.5, 2.5, 6.5 it sees at most 6.5', () => {
    const learner = learned(vdn)
    expect(playedReturn(learner, TWO_STEP, 'mean')).toBe(7)
    const [, second] = valuesAlong(learner, TWO_STEP, 1, 2)
    expect(Math.abs(second - 6.5)).toBeLessThan(0.3)
    learner.dispose()
  })
})
