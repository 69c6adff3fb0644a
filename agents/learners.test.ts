/**
 * Promises that every row of LEARNERS keeps, whatever it learns and from what. A new learner is held to them the day it enters
 * the table; what only a family promises is in the family's own file (onpolicy.test.ts, ppo.test.ts …).
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { Generator, TroupeError, createBatch, episodeSeed, namedSeed, type EnvDefinition } from '../envs/core/index.ts'
import { ENVS } from '../envs/index.ts'
import { weightsHash, type Checkpoint } from './core/checkpoint.ts'
import { type LearnerDefinition, type LearnerRequest } from './core/learner.ts'
import { playEpisodes } from './core/play.ts'
import { type Policy } from './core/policy.ts'
import { tf } from './core/tensors.ts'
import {
  fieldsOf,
  fingerprint,
  isFixed,
  known,
  lit,
  open,
  otherValue,
  outFor,
  start,
  train,
  viewOf,
  written,
  type World,
} from './core/testing.ts'
import { dials, lights } from './core/toys.ts'
import { LEARNERS } from './index.ts'
import { registerSimd } from './kernels/index.ts'

// The kernels, which are ten times as fast here as TensorFlow.js on its cpu backend; slow tests compare the two.
beforeAll(async () => {
  execFileSync(process.execPath, [fileURLToPath(new URL('kernels/build.mjs', import.meta.url))])
  registerSimd(new Uint8Array(readFileSync(new URL('../dist/agents/kernels/simd.wasm', import.meta.url))))
  await tf.setBackend('simd')
})

const LIGHTS = lit()
const NANO = { layout: ['.....', '.xx..', '.xx..', '..g..'], robots: 2, requests: 2, horizon: 7 }

/** What the families of families.test.ts have not. */
const WORLDS: Record<string, World> = {
  'matrix, one round': { env: ENVS.matrix, options: { game: 'climbing', horizon: 1 } },
  'warehouse with messages': { env: ENVS.warehouse, options: { ...NANO, messageBits: 2 } },
  'lights without state': lit({ state: false }),
  'lights with masks, deaths and words': lit({ masks: true, deaths: true, words: true, agents: 3 }),
}
/** Real-valued actions, of unequal width. */
const DIALS: World = { env: dials as unknown as EnvDefinition, options: { agents: 3, narrow: true } }
/** Who learns them; the others refuse. */
const REAL = ['mappo', 'ippo', 'maa2c', 'ia2c', 'snac', 'iagc', 'reinforce', 'open-loop', 'maddpg', 'hasac', 'happo']
/** Those of them that do within seconds. A2C’s losses are PPO’s there; an open loop cannot. */
const TURNS = ['mappo', 'ippo', 'maddpg', 'hasac', 'happo']
const HARDEST = 'lights with masks, deaths and words'

/** Of these a learner gets the settings it has; one that has none of a line's leaves the line out. */
const FLAGS: Record<string, Record<string, unknown>> = {
  defaults: {},
  'no value normalisation': { valueNorm: false },
  'no agent id': { agentId: false },
  'four minibatches': { minibatches: 4 },
  'all remember': { network: 'gru', criticNetwork: 'gru', chunk: 1, minibatches: 2 },
  'only the actor remembers, over the whole rollout': { network: 'gru' },
  'only the critic remembers': { criticNetwork: 'gru' },
  'linear schedule': { lrSchedule: 'linear', scheduleSteps: 200 },
  'tanh, two layers, two epochs, squared error': {
    activation: 'tanh',
    layers: 2,
    epochs: 2,
    huberDelta: null,
    valueClip: null,
  },
}

/** Every flag in the hardest world, every world with a flag of its own: not all pairs, which take a minute. */
const RESUMED: readonly (readonly [place: string, flag: string])[] = [
  ...Object.keys(FLAGS).map((flag) => [HARDEST, flag] as const),
  ...Object.keys(WORLDS).map((place, k) => [place, Object.keys(FLAGS)[k]] as const),
].filter(([place, flag], k, all) => all.findIndex((one) => one[0] === place && one[1] === flag) === k)

/** Other values of settings for which the one that the schema suggests says too little, or nothing by itself. */
const OTHER: Record<string, unknown> = {
  shards: 3,
  lanes: 4,
  chunk: 1,
  scheduleSteps: 100,
  gamma: 0.8,
  lambda: 0.5,
  clip: 1e-3,
  valueClip: 1e-3,
  huberDelta: 0.1,
  valueNormBeta: 0.5,
  entropy: 0.1,
  gradientNorm: 0.01,
  sharing: 'none',
  criticHidden: 9,
  criticLayers: 2,
  entropyEnd: 0.5,
  layers: 2,
  memoryEpisodes: 3,
  memorySteps: 12,
  window: 2,
  targetInterval: 1,
  targetRate: 0.5,
  epsilonEnd: 0.6,
  alphaStart: 0.7,
  alphaEnd: 0.6,
  temperatureEnd: 0.1,
  betaStart: 60,
  betaEnd: 40,
  memory: 7,
  warmup: 40,
  noiseSteps: 10,
  updates: 2,
  nSteps: 2,
  targetEvery: 2,
  targetTau: 0.5,
  epsilon: 0.5,
  epsilonSteps: 40,
  sparsity: 0.5,
  sparsityStart: 0.5,
  pruneFrom: 1,
  pruneTo: 1,
  pruneEvery: 1,
}

/** Some settings say something only beside others. */
const BESIDE: Record<string, Record<string, unknown>> = {
  scheduleSteps: { lrSchedule: 'linear' },
  alphaEnd: { autoAlpha: false, scheduleSteps: 100 },
  temperatureEnd: { scheduleSteps: 100 },
  entropySchedule: { entropy: 0.5 },
  agentId: { sharing: 'full' },
  advantageOver: { advantageNorm: true },
  criticInput: { critic: 'per-agent' },
  valueNormBeta: { valueNorm: true },
  popArt: { valueNorm: true },
  huberDelta: { valueNorm: true },
  targetTau: { target: 'soft' },
  targetEvery: { target: 'hard' },
  epsilonEnd: { epsilon: 0.5 },
  epsilonSteps: { epsilon: 0.5 },
  sparsitySchedule: { sparsity: 0.5, pruneEvery: 1 },
  pruneFrom: { sparsity: 0.5, pruneEvery: 1 },
  pruneTo: { sparsity: 0.5, pruneEvery: 1 },
  pruneEvery: { sparsity: 0.5, pruneFrom: 0 },
  pruneEnds: { sparsity: 0.5, pruneEvery: 1 },
  entropyEnd: { entropySchedule: 'linear' },
  chunk: { network: 'gru', criticNetwork: 'gru' },
}

/** What turns dials within seconds; a learner gets what it has. */
const LEARNING = {
  lanes: 16,
  rolloutSteps: 16,
  hidden: 64,
  layers: 1,
  lr: 2e-3,
  criticLr: 1e-2,
  epochs: 8,
  minibatches: 4,
  updates: 16,
  batch: 128,
  memory: 16_000,
  warmup: 1_000,
  gamma: 0,
  window: 1,
  noiseSteps: 2_000,
}
/** Environment steps of that: of who remembers fewer, for each is learned from more often. */
const DIAL_STEPS = (definition: LearnerDefinition) => ('memory' in definition.settings.properties ? 3_500 : 6_000)

/** Settings of real-valued actions alone. */
const OF_NUMBERS = ['deviation', 'noise', 'noiseFinal', 'noiseSteps', 'targetEntropy']

for (const definition of Object.values(LEARNERS)) {
  describe(definition.name, () => {
    const from = (world: World, settings?: Record<string, unknown>, change?: Partial<LearnerRequest>) =>
      start(definition, world, settings, change)

    test('the same seed makes the same weights, another seed others', () => {
      const hash = (seed: string) => {
        const learner = from(LIGHTS, {}, { seed })
        train(learner, 3)
        return weightsHash(learner.save())
      }
      expect(hash('a')).toBe(hash('a'))
      expect(hash('a')).not.toBe(hash('b'))
    })

    for (const [place, flag] of RESUMED) {
      const settings = known(definition, FLAGS[flag])
      if (flag !== 'defaults' && Object.keys(settings).length === 0) continue
      test(`saved and loaded it goes on as if nothing had happened: ${place}, ${flag}`, () => {
        const world = WORLDS[place]
        const uninterrupted = from(world, settings)
        train(uninterrupted, 2)
        const saved = written(uninterrupted.save())
        const wanted = train(uninterrupted, 2)
        const resumed = from(world, settings)
        resumed.load(saved)
        expect(weightsHash(resumed.save())).toBe(weightsHash(saved))
        expect(train(resumed, 2)).toEqual(wanted)
        expect(fingerprint(resumed.save())).toEqual(fingerprint(uninterrupted.save()))
        expect(resumed.steps).toBe(4 * resumed.stepsPerUpdate)
        uninterrupted.dispose()
        resumed.dispose()
      })
    }

    if (REAL.includes(definition.name)) {
      test('real-valued actions: inside their bounds, resumed to the bit, played from a checkpoint alike', () => {
        const uninterrupted = from(DIALS)
        train(uninterrupted, 2) // the batch throws on a number out of bounds
        const saved = written(uninterrupted.save())
        const resumed = from(DIALS)
        resumed.load(saved)
        expect(train(resumed, 2)).toEqual(train(uninterrupted, 2))
        expect(fingerprint(resumed.save())).toEqual(fingerprint(uninterrupted.save()))
        const batch = open(DIALS, 4, 9)
        batch.reset()
        for (const mode of ['greedy', 'sample'] as const) {
          const play = (policy: Policy) => {
            const out = { action: new Float32Array(4 * 3 * 2).fill(NaN) }
            policy.act(viewOf(batch), policy.memory(4, 3), out, new Generator(namedSeed(5, 'draws')))
            return out.action
          }
          const mine = play(uninterrupted.policy(mode))
          expect(play(definition.policy(batch.spec, written(uninterrupted.save()), mode))).toEqual(mine)
          batch.step(mine)
        }
        uninterrupted.dispose()
        resumed.dispose()
      })

      if (TURNS.includes(definition.name)) {
        test('it turns the dials to where they should be, nearly always, after a few seconds', () => {
          const world: World = { env: dials as unknown as EnvDefinition, options: {} }
          const learner = from(world, known(definition, LEARNING))
          while (learner.steps < DIAL_STEPS(definition)) learner.collectAndUpdate()
          const { episodes } = playEpisodes({
            batch: createBatch(world.env, world.options, { lanes: 8, autoreset: 'disabled' }),
            policy: learner.policy('greedy'),
            seeds: Array.from({ length: 24 }, (_, k) => episodeSeed(1, 'eval', 0, k)),
            rng: 1,
            teamReward: 'sum',
          })
          const mean = episodes.reduce((sum, episode) => sum + episode.return, 0) / episodes.length
          expect(mean).toBeGreaterThan(15) // 16 is perfect; hands off gives 10.7, uniform play 5.3
          learner.dispose()
        })
      }
    }

    test('a checkpoint plays without its learner, with the same choices', () => {
      const world = WORLDS[HARDEST]
      const learner = from(world)
      train(learner, 3)
      const batch = open(world, 4, 9)
      batch.reset()
      for (const mode of ['greedy', 'sample'] as const) {
        const rng = () => new Generator(namedSeed(5, 'draws'))
        const mine = outFor(batch)
        const own = learner.policy(mode)
        own.act(viewOf(batch), own.memory(4, 3), mine, rng())
        const theirs = outFor(batch)
        const loaded = definition.policy(batch.spec, written(learner.save()), mode)
        loaded.act(viewOf(batch), loaded.memory(4, 3), theirs, rng())
        expect(theirs).toEqual(mine)
      }
    })

    test('every setting changes what is learned', () => {
      const world = lit({ deaths: true, masks: true, agents: 3, horizon: 4 })
      // One epoch never clips; an entropy bonus hides small changes.
      const base = known(definition, { entropy: 0, lr: 5e-3, criticLr: 5e-3, scheduleSteps: 40, epochs: 2 })
      const opened = (settings: Record<string, unknown>, place: World) => from(place, { ...base, ...settings })
      const seen = new Map<string, string[]>()
      /** Weights before training and after each of four updates. */
      const plain = (settings: Record<string, unknown>, place: World) => {
        const key = JSON.stringify([settings, place === world])
        if (!seen.has(key)) {
          const learner = opened(settings, place)
          const hashes = [weightsHash(learner.save('to play'))]
          for (let k = 0; k < 4; k++) {
            train(learner, 1)
            hashes.push(weightsHash(learner.save('to play')))
          }
          learner.dispose()
          seen.set(key, hashes)
        }
        return seen.get(key)!
      }
      /** Whether they come to differ; no more is played than it takes to see that. */
      const differs = (settings: Record<string, unknown>, hashes: readonly string[], place: World) => {
        const learner = opened(settings, place)
        const moves = hashes.some((hash, k) => {
          if (k > 0) train(learner, 1)
          return weightsHash(learner.save('to play')) !== hash
        })
        learner.dispose()
        return moves
      }
      for (const [name, shape] of fieldsOf(definition.settings)) {
        if (isFixed(shape)) continue // can be nothing else
        const now = base[name] ?? shape.default
        const other =
          OTHER[name] !== undefined && OTHER[name] !== now ? OTHER[name] : otherValue({ ...shape, default: now })
        expect(other, `no other value known for ${name}: give it one in OTHER`).toBeDefined()
        const rest = known(definition, BESIDE[name] ?? {})
        const place = OF_NUMBERS.includes(name) ? DIALS : world
        expect(differs({ ...rest, [name]: other }, plain(rest, place), place), `${name} changed nothing`).toBe(true)
      }
    })

    test('only legal actions are played; their probabilities sum to 1 and are 0 where forbidden', () => {
      const world = lit({ masks: true, words: true, horizon: 50 })
      const learner = from(world, { ...known(definition, { lr: 1e-2 }) })
      const metrics = train(learner, 10) // the batch throws on a masked action
      expect(metrics.at(-1)!.maskViolations).toBe(0)
      const batch = open(world, 16, 4)
      batch.reset()
      const out = outFor(batch)
      const policy = learner.policy('sample')
      policy.act(viewOf(batch), policy.memory(16, 2), out, new Generator(namedSeed(1, 'x')))
      const A = batch.spec.actionSize
      for (let row = 0; row < 32; row++) {
        const p = out.probability.subarray(row * A, (row + 1) * A)
        p.forEach((value, a) => expect(value === 0).toBe(batch.mask[row * A + a] === 0))
        expect(p.subarray(0, 4).reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 5)
        expect(p.subarray(4).reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 5)
        const taken = p[out.action[row * 2]] * p[4 + out.action[row * 2 + 1]]
        expect(out.logProbability![row]).toBeCloseTo(Math.log(taken), 5)
      }
    })

    test('tensors do not pile up', () => {
      const others = tf.memory().numTensors
      const learner = from(lit({ masks: true, deaths: true, words: true }), known(definition, { minibatches: 2 }))
      train(learner, 2)
      const before = tf.memory()
      train(learner, 15)
      const after = tf.memory()
      expect(after.numTensors).toBe(before.numTensors)
      expect(after.numBytes).toBe(before.numBytes)
      learner.dispose()
      expect(tf.memory().numTensors).toBe(others)
    })

    test('impossible requests are refused before training, each in one sentence', () => {
      if (!REAL.includes(definition.name)) expect(() => from(DIALS)).toThrow(/actions of toy-dials is box/)
      expect(() => from(LIGHTS, { learningRate: 1 })).toThrow(/learningRate is not known here/)
      expect(() => from(LIGHTS, { hiden: 1 })).toThrow(/did you mean "hidden"/)
      expect(() => from(LIGHTS, { lr: 1.5 })).toThrow(/lr is 1.5; expected a number of 0 to 1/)
      if (definition.offline === true) return // whose lanes do not matter
      expect(() => from(LIGHTS, {}, { batch: open(LIGHTS, 2) })).toThrow(/lanes of the training batch is 2; expected 3/)
      const disabled = createBatch(lights, {}, { lanes: 3, autoreset: 'disabled' })
      expect(() => from(LIGHTS, {}, { batch: disabled })).toThrow(/autoreset of the training batch is disabled/)
    })

    test('a checkpoint of something else is refused and changes nothing', () => {
      const learner = from(LIGHTS)
      train(learner, 1)
      const good = written(learner.save())
      const other = Object.values(LEARNERS).find((row) => row !== definition)!
      const wider = from(LIGHTS, { hidden: 9 })
      wider.collectAndUpdate()
      const [lost] = Object.keys(good.weights).filter((name) => name.endsWith('/layer1/bias'))
      const cut = { ...good, weights: { ...good.weights } }
      delete (cut.weights as Record<string, unknown>)[lost]
      const cases: [Checkpoint, RegExp][] = [
        [start(other, LIGHTS).save(), new RegExp(`of "${other.name}"; expected of "${definition.name}"`)],
        [wider.save(), /settings.hidden is 9; expected 8/],
        [from(lit({ agents: 3 })).save(), /env.options.agents is 3; expected 2/],
        [cut, new RegExp(`tensor ${lost} is missing`)],
        [{ ...good, state: { ...good.state, format: 1 } }, /format 1; expected format 2/],
        [{ ...good, state: {} }, /format undefined/],
      ]
      const before = fingerprint(learner.save())
      for (const [bad, message] of cases) {
        expect(() => learner.load(bad)).toThrow(message)
        expect(() => learner.load(bad)).toThrow(TroupeError)
      }
      expect(fingerprint(learner.save())).toEqual(before)
    })
  })
}
