/** What MAPPO and IPPO promise beside what all on-policy learners do. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { Generator, namedSeed, type DigestibleBatch, type EnvDefinition } from '../envs/core/index.ts'
import { type Learner } from './core/learner.ts'
import { tf } from './core/tensors.ts'
import { lit, open, outFor, start, train, viewOf, written, type World } from './core/testing.ts'
import { clock } from './core/toys.ts'
import { LEARNERS } from './index.ts'
import { registerSimd } from './kernels/index.ts'

// The kernels, which are ten times as fast here as TensorFlow.js on its cpu backend; slow tests compare the two.
beforeAll(async () => {
  execFileSync(process.execPath, [fileURLToPath(new URL('kernels/build.mjs', import.meta.url))])
  registerSimd(new Uint8Array(readFileSync(new URL('../dist/agents/kernels/simd.wasm', import.meta.url))))
  await tf.setBackend('simd')
})

const LIGHTS = lit()

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
    const world = lit({ masks: true, deaths: true, agents: 3 })
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
    const learner = start(LEARNERS.mappo, lit({ state: false }))
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
    for (const definition of ['mappo', 'ippo', 'maa2c', 'ia2c'].map((name) => LEARNERS[name])) {
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
