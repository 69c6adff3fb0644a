/** Promises that every row of LEARNERS keeps, and a few that only one of them makes. */
import { beforeAll, describe, expect, test } from 'vitest'
import {
  Generator,
  TroupeError,
  createBatch,
  episodeSeed,
  namedSeed,
  type DigestibleBatch,
  type EnvDefinition,
} from '../envs/core/index.ts'
import { ENVS } from '../envs/index.ts'
import { decodeSafetensors, encodeSafetensors, weightsHash, type Checkpoint } from './core/checkpoint.ts'
import { type Learner, type LearnerDefinition, type LearnerRequest } from './core/learner.ts'
import { playEpisodes } from './core/play.ts'
import { type ActionBatch, type AgentView } from './core/policy.ts'
import { tf } from './core/tensors.ts'
import { clock, dial, lights } from './core/toys.ts'
import { LEARNERS } from './index.ts'

beforeAll(async () => {
  await tf.setBackend('cpu')
})

const SMALL = { lanes: 3, rolloutSteps: 5, hidden: 8, layers: 1, epochs: 1, minibatches: 1 }

interface World {
  readonly env: EnvDefinition
  readonly options: Record<string, unknown>
}

const LIGHTS: World = { env: lights as unknown as EnvDefinition, options: {} }
const with_ = (options: Record<string, unknown>): World => ({ ...LIGHTS, options })

function open(world: World, lanes: number, seed: string | number = 1, firstLane = 0): DigestibleBatch {
  const seeds = (lane: number, n: number) => episodeSeed(seed, 'train', lane, n)
  return createBatch(world.env, world.options, { lanes, firstLane, seeds })
}

function start(
  definition: LearnerDefinition,
  world: World,
  settings: Record<string, unknown> = {},
  change: Partial<LearnerRequest> = {},
): Learner {
  const all: typeof SMALL & { shards?: number } = { ...SMALL, ...settings }
  const { lanes, shards = 1 } = all
  const seed = change.seed ?? 1
  const own = change.group?.own ?? Array.from({ length: shards }, (_, shard) => shard)
  const batch = own.map((shard) => open(world, lanes / shards, seed, (shard * lanes) / shards))
  return definition.create({ batch, settings: all, seed, teamReward: 'sum', ...change })
}

/** Through bytes and JSON text, as on disk. */
function written({ weights, state }: Checkpoint): Checkpoint {
  return { weights: decodeSafetensors(encodeSafetensors(weights)), state: JSON.parse(JSON.stringify(state)) }
}

function train(learner: Learner, updates: number) {
  return Array.from({ length: updates }, () => learner.collectAndUpdate())
}

function viewOf(batch: DigestibleBatch): AgentView {
  const agents = Int32Array.from(batch.spec.agents.keys())
  const { spec, lanes, observation, mask, alive, episodeStart } = batch
  return { spec, lanes, agents, observation, mask, alive, episodeStart }
}

function outFor({ spec, lanes }: DigestibleBatch): ActionBatch & { probability: Float32Array } {
  const rows = lanes * spec.agents.length
  return {
    action: new Int32Array(rows * spec.actionDims).fill(-77),
    probability: new Float32Array(rows * spec.actionSize).fill(NaN),
    logProbability: new Float32Array(rows).fill(NaN),
  }
}

const NANO = { layout: ['.....', '.xx..', '.xx..', '..g..'], robots: 2, requests: 2, horizon: 7 }

const WORLDS: Record<string, World> = {
  'matrix, one round': { env: ENVS.matrix, options: { game: 'climbing', horizon: 1 } },
  'matrix, repeated': { env: ENVS.matrix, options: { game: 'pd', horizon: 4 } },
  warehouse: { env: ENVS.warehouse, options: NANO },
  'warehouse with messages': { env: ENVS.warehouse, options: { ...NANO, messageBits: 2 } },
  'lights without state': with_({ state: false }),
  'lights with masks, deaths and words': with_({ masks: true, deaths: true, words: true, agents: 3 }),
}

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

for (const definition of Object.values(LEARNERS)) {
  describe(definition.name, () => {
    const from = (world: World, settings?: Record<string, unknown>, change?: Partial<LearnerRequest>) =>
      start(definition, world, settings, change)

    test('chooses the light that is on, nearly always, after a few seconds', () => {
      const learner = from(LIGHTS, { lanes: 16, rolloutSteps: 8, hidden: 16, lr: 5e-3, criticLr: 5e-3, epochs: 4 })
      train(learner, 60)
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

    test('the same seed makes the same weights, another seed others', () => {
      const hash = (seed: string) => {
        const learner = from(LIGHTS, {}, { seed })
        train(learner, 3)
        return weightsHash(learner.save())
      }
      expect(hash('a')).toBe(hash('a'))
      expect(hash('a')).not.toBe(hash('b'))
    })

    for (const [place, world] of Object.entries(WORLDS)) {
      for (const [flag, settings] of Object.entries(FLAGS)) {
        test(`saved and loaded it goes on as if nothing had happened: ${place}, ${flag}`, () => {
          const uninterrupted = from(world, settings)
          train(uninterrupted, 2)
          const saved = written(uninterrupted.save())
          const wanted = train(uninterrupted, 2)
          const resumed = from(world, settings)
          resumed.load(saved)
          expect(weightsHash(resumed.save())).toBe(weightsHash(saved))
          expect(train(resumed, 2)).toEqual(wanted)
          expect(resumed.save()).toEqual(uninterrupted.save())
          expect(resumed.steps).toBe(4 * 15)
        })
      }
    }

    test('a checkpoint plays without its learner, with the same choices', () => {
      const world = WORLDS['lights with masks, deaths and words']
      const learner = from(world)
      train(learner, 3)
      const batch = open(world, 4, 9)
      batch.reset()
      for (const mode of ['greedy', 'sample'] as const) {
        const rng = () => new Generator(namedSeed(5, 'draws'))
        const mine = outFor(batch)
        learner.policy(mode).act(viewOf(batch), null, mine, rng())
        const theirs = outFor(batch)
        definition.policy(batch.spec, written(learner.save()), mode).act(viewOf(batch), null, theirs, rng())
        expect(theirs).toEqual(mine)
      }
    })

    test('every setting changes what is learned', () => {
      const flipped: Record<string, unknown> = {
        lanes: 4,
        shards: 3,
        rolloutSteps: 6,
        hidden: 9,
        layers: 2,
        activation: 'tanh',
        outputGain: 0.5,
        agentId: false,
        network: 'gru',
        criticNetwork: 'gru',
        chunk: 1,
        criticInput: 'observations',
        critic: 'n-headed',
        lr: 1e-3,
        criticLr: 1e-3,
        lrSchedule: 'linear',
        scheduleSteps: 100,
        epochs: 3,
        minibatches: 2,
        gamma: 0.9,
        lambda: 0.5,
        clip: 1e-3,
        valueClip: 1e-3,
        huberDelta: 0.1,
        valueNorm: false,
        valueNormBeta: 0.5,
        valueOfDead: false,
        advantageNorm: false,
        bootstrapTruncated: false,
        entropy: 0.1,
        gradientNorm: 0.01,
      }
      const world = with_({ deaths: true, masks: true, agents: 3, horizon: 4 })
      const base = { entropy: 0, lr: 5e-3, criticLr: 5e-3, scheduleSteps: 40, epochs: 2 } // one epoch never clips
      const hash = (settings: Record<string, unknown>) => {
        const learner = from(world, { ...base, ...settings })
        train(learner, 4)
        return weightsHash(learner.save())
      }
      // Some say something only beside another.
      const beside: Record<string, Record<string, unknown>> = {
        scheduleSteps: { lrSchedule: 'linear' },
        chunk: { network: 'gru', criticNetwork: 'gru' },
      }
      const plain = hash({})
      for (const name of Object.keys(definition.settings.properties)) {
        expect(flipped, `no other value known for ${name}`).toHaveProperty(name)
        const rest = beside[name]
        const changed = hash({ ...rest, [name]: flipped[name] })
        expect(changed, `${name} changed nothing`).not.toBe(rest === undefined ? plain : hash(rest))
      }
    })

    test('what dead agents observe changes nothing', () => {
      const hash = (junk: number) => {
        const learner = from(with_({ deaths: true, agents: 3, junk }))
        const metrics = train(learner, 4)
        return [weightsHash(learner.save()), metrics]
      }
      expect(hash(1000)).toEqual(hash(0))
    })

    test('only legal actions are played; their probabilities sum to 1 and are 0 where forbidden', () => {
      const world = with_({ masks: true, words: true, horizon: 50 })
      const learner = from(world, { lr: 1e-2 })
      const metrics = train(learner, 10) // the batch throws on a masked action
      expect(metrics.at(-1)!.maskViolations).toBe(0)
      const batch = open(world, 16, 4)
      batch.reset()
      const out = outFor(batch)
      learner.policy('sample').act(viewOf(batch), null, out, new Generator(namedSeed(1, 'x')))
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

    test('a cut episode is worth something after the cut: 10 everywhere for 1 per step at discount .9', () => {
      const world: World = { env: clock as unknown as EnvDefinition, options: {} }
      const settings = { lanes: 4, rolloutSteps: 10, hidden: 16, layers: 2, gamma: 0.9, epochs: 4, valueClip: null }
      const schedule = { criticLr: 0.02, valueNormBeta: 0.9, lrSchedule: 'linear', scheduleSteps: 60 * 40 }
      const values = (bootstrapTruncated: boolean) => {
        const learner = from(world, { ...settings, ...schedule, bootstrapTruncated })
        train(learner, 60)
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

    test('targets are normalised by statistics that have seen them: pay a hundred times more, learn the same values', () => {
      // Whole episodes, an end that ends, lambda 1: returns are sums of rewards, whatever the critic thinks.
      const settings = { rolloutSteps: 8, lambda: 1, epochs: 2, valueClip: null, lanes: 16 }
      const losses = [1, 100].map((pay) => {
        const learner = from(with_({ pay, horizonEnds: 'termination' }), settings)
        return learner.collectAndUpdate().valueLoss
      })
      expect(losses[0]).toBeGreaterThan(0.1)
      expect(losses[1] / losses[0]).toBeCloseTo(1, 4)
    })

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

    test('with ids, agents it was not trained for are refused; without, any number may play', () => {
      const three = createBatch(lights, { agents: 3 }, { lanes: 2 })
      three.reset()
      const rng = new Generator(namedSeed(1, 'x'))
      const strict = from(LIGHTS).policy('greedy')
      expect(() => strict.act(viewOf(three), null, outFor(three), rng)).toThrow(/agent_2.*trained for agent_0, agent_1/)
      const open_ = from(LIGHTS, { agentId: false }).policy('greedy')
      expect(() => open_.act(viewOf(three), null, outFor(three), rng)).not.toThrow()
    })

    test('steps count every lane: ten copies reach the same number in a tenth of the rounds', () => {
      const one = from(LIGHTS, { lanes: 1, rolloutSteps: 10 })
      train(one, 10)
      const ten = from(LIGHTS, { lanes: 10, rolloutSteps: 10 })
      train(ten, 1)
      expect([one.steps, ten.steps]).toEqual([100, 100])
    })

    test('tensors do not pile up', () => {
      const others = tf.memory().numTensors
      const learner = from(with_({ masks: true, deaths: true, words: true }), { minibatches: 2 })
      train(learner, 2)
      const before = tf.memory()
      train(learner, 40)
      const after = tf.memory()
      expect(after.numTensors).toBe(before.numTensors)
      expect(after.numBytes).toBe(before.numBytes)
      learner.dispose()
      expect(tf.memory().numTensors).toBe(others)
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
      const learner = from(with_({ agents: 3 }), {}, change)
      train(learner, 2)
      expect(calls).toHaveLength(10)
      expect(calls[0]).toEqual([1])
      expect(() => from(with_({ agents: 3 }), {}, { agents: [2, 0] })).toThrow(/each of 0 to 2 exactly once/)
    })

    test('impossible requests are refused before training, each in one sentence', () => {
      const box: World = { env: dial as unknown as EnvDefinition, options: {} }
      expect(() => from(box)).toThrow(/actions of toy-dial is box/)
      expect(() => from(LIGHTS, { learningRate: 1 })).toThrow(/learningRate is not known here/)
      expect(() => from(LIGHTS, { epoch: 1 })).toThrow(/did you mean "epochs"/)
      expect(() => from(LIGHTS, { gamma: 1.5 })).toThrow(/gamma is 1.5; expected a number of 0 to 1/)
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
      const cut = { ...good, weights: { ...good.weights } }
      delete (cut.weights as Record<string, unknown>)['critic/layer1/bias']
      const cases: [Checkpoint, RegExp][] = [
        [start(other, LIGHTS).save(), new RegExp(`of "${other.name}"; expected of "${definition.name}"`)],
        [wider.save(), /settings.hidden is 9; expected 8/],
        [from(with_({ agents: 3 })).save(), /env.options.agents is 3; expected 2/],
        [cut, /tensor critic\/layer1\/bias is missing/],
        [{ ...good, state: { ...good.state, format: 1 } }, /format 1; expected format 2/],
        [{ ...good, state: {} }, /format undefined/],
      ]
      const before = learner.save()
      for (const [bad, message] of cases) {
        expect(() => learner.load(bad)).toThrow(message)
        expect(() => learner.load(bad)).toThrow(TroupeError)
      }
      expect(learner.save()).toEqual(before)
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
      expect((error as Error).message).toMatch(/gradient of (actor|critic)\/layer\d\/(weight|bias) is NaN at environment step 15/) // prettier-ignore
      expect(weightsHash(sick.save())).toBe(weightsHash(before))
    })
  })
}

describe('an n-headed critic', () => {
  const heads = (settings: Record<string, unknown> = {}, world = LIGHTS) =>
    start(LEARNERS.mappo, world, { critic: 'n-headed', ...settings })

  test('has one value per agent out of one look at the state, and no use for ids', () => {
    const learner = heads({ minibatches: 4 })
    train(learner, 2)
    const { weights } = learner.save()
    const batch = open(LIGHTS, 3)
    batch.reset()
    expect(weights['critic/layer0/weight'].shape).toEqual([batch.spec.stateSize, 8])
    expect(weights['critic/layer1/weight'].shape).toEqual([8, 2])
    const values = new Float32Array(6)
    learner.values(batch, values)
    const { data: first } = weights['critic/layer0/weight']
    const { data: last } = weights['critic/layer1/weight']
    const S = batch.spec.stateSize
    const hidden = Array.from({ length: 8 }, (_, h) => {
      let sum = weights['critic/layer0/bias'].data[h]
      for (let i = 0; i < S; i++) sum += batch.state[2 * S + i] * first[i * 8 + h]
      return Math.max(0, sum)
    })
    const raw = [0, 1].map(
      (agent) =>
        weights['critic/layer1/bias'].data[agent] + hidden.reduce((sum, h, k) => sum + h * last[k * 2 + agent], 0),
    )
    const { mean, meanSquare, debias } = (learner.save().state.normalisers as Record<string, Record<string, number>>)
      .value
    const centre = mean / debias
    const deviation = Math.sqrt(Math.max(meanSquare / debias - centre * centre, 1e-2))
    raw.forEach((value, agent) => expect(values[4 + agent]).toBeCloseTo(value * deviation + centre, 4))
  })

  test('learns the same targets: values of the clock tend to 10 for 1 per step at discount .9', () => {
    const world: World = { env: clock as unknown as EnvDefinition, options: {} }
    const settings = { lanes: 4, rolloutSteps: 10, hidden: 16, layers: 2, gamma: 0.9, epochs: 4, valueClip: null }
    const learner = heads({ ...settings, criticLr: 0.02, valueNormBeta: 0.9, minibatches: 2 }, world)
    train(learner, 60)
    const batch = open(world, 1)
    batch.reset()
    const out = new Float32Array(1)
    learner.values(batch, out)
    expect(Math.abs(out[0] - 10)).toBeLessThan(0.5)
  })

  test('saves and resumes to the bit, with deaths and in shards too', () => {
    const world = with_({ masks: true, deaths: true, agents: 3 })
    const settings = { minibatches: 2, shards: 3, epochs: 2 }
    const uninterrupted = heads(settings, world)
    train(uninterrupted, 2)
    const resumed = heads(settings, world)
    resumed.load(written(uninterrupted.save()))
    expect(train(resumed, 2)).toEqual(train(uninterrupted, 2))
    expect(resumed.save()).toEqual(uninterrupted.save())
  })

  test('refuses an input that agents do not share', () => {
    expect(() => heads({ criticInput: 'state+observation' })).toThrow(/state\+observation beside an n-headed critic/)
  })
})

describe('what the critics see', () => {
  const valuesOf = (learner: Learner, batch: DigestibleBatch) => {
    const out = new Float32Array(batch.lanes * batch.spec.agents.length).fill(NaN)
    learner.values(batch, out)
    return [...out]
  }
  const changed = (batch: DigestibleBatch, change: Partial<DigestibleBatch>) =>
    ({ ...viewOf(batch), state: batch.state, ...change }) as DigestibleBatch

  test('the central critic looks at the state alone, or at the own observation too, or at all observations', () => {
    const batch = open(LIGHTS, 1)
    batch.reset()
    const other = batch.observation.slice()
    other[4] += 1 // agent 1's
    const state = batch.state.slice()
    state[0] += 1
    const cases = { state: [true, [false, false]], 'state+observation': [true, [false, true]], observations: [false, [true, true]] } as const // prettier-ignore
    for (const [criticInput, [seesState, seesOther]] of Object.entries(cases)) {
      const learner = start(LEARNERS.mappo, LIGHTS, { criticInput })
      train(learner, 2)
      const plain = valuesOf(learner, batch)
      const moved = valuesOf(learner, changed(batch, { observation: other }))
      expect(moved.map((value, n) => value !== plain[n])).toEqual(seesOther)
      const stirred = valuesOf(learner, changed(batch, { state }))
      expect(stirred.map((value, n) => value !== plain[n])).toEqual([seesState, seesState])
    }
  })

  test('without a global state the central critic gets all observations, and the settings say so', () => {
    const learner = start(LEARNERS.mappo, with_({ state: false }))
    expect(learner.settings.criticInput).toBe('observations')
  })

  test('the independent critic sees its own observation only', () => {
    const batch = open(LIGHTS, 1)
    batch.reset()
    const learner = start(LEARNERS.ippo, LIGHTS)
    train(learner, 2)
    const other = batch.observation.slice()
    other[4] += 1
    const plain = valuesOf(learner, batch)
    const moved = valuesOf(learner, changed(batch, { observation: other, state: batch.state.map((x) => x + 1) }))
    expect(moved.map((value, n) => value !== plain[n])).toEqual([false, true])
  })

  test('of a dead agent a critic sees zeros and the id', () => {
    for (const definition of Object.values(LEARNERS)) {
      const learner = start(definition, LIGHTS)
      train(learner, 2)
      const batch = open(LIGHTS, 2) // two lanes with different lights
      batch.reset()
      const dead = valuesOf(learner, changed(batch, { alive: Uint8Array.of(0, 0, 0, 0) }))
      expect(dead[0]).toBe(dead[2]) // whatever the world shows
      expect(dead[1]).toBe(dead[3])
      expect(dead[0]).not.toBe(dead[1]) // told apart by id
      const blind = start(definition, LIGHTS, { agentId: false })
      train(blind, 2)
      const nameless = valuesOf(blind, changed(batch, { alive: Uint8Array.of(0, 0, 0, 0) }))
      expect(new Set(nameless).size).toBe(1)
    }
  })

  test('actors do not see the state', () => {
    const batch = open(LIGHTS, 1)
    batch.reset()
    const learner = start(LEARNERS.mappo, LIGHTS)
    train(learner, 2)
    const before = outFor(batch)
    learner.policy('greedy').act(viewOf(batch), null, before, new Generator(namedSeed(1, 'x')))
    batch.state.fill(5)
    const after = outFor(batch)
    learner.policy('greedy').act(viewOf(batch), null, after, new Generator(namedSeed(1, 'x')))
    expect(after).toEqual(before)
  })
})
