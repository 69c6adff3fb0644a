import { describe, expect, it } from 'vitest'
import { refusal } from '../../testing.ts'
import { createBatch, envSpec } from './batch.ts'
import { Generator } from './random.ts'
import { actionArray, randomActions } from './random-actions.ts'
import { lanterns } from './sample.ts'
import { episodeSeed, namedSeed } from './seeds.ts'
import { type BatchSettings, type EnvDefinition, type Snapshot } from './types.ts'

const CALM = { gustOneIn: 0, cells: 300, horizon: 3, agents: 2 }
const open = (options: object = CALM, settings: BatchSettings = {}) => {
  const batch = createBatch(lanterns, options, settings)
  batch.reset()
  return batch
}
const stay = (lanes = 1, agents = 2) => new Int32Array(lanes * agents)

describe('autoreset', () => {
  it('same-step: the step that ends an episode shows the next one, the ended one is in the final arrays', () => {
    const batch = open(CALM, { lanes: 1, autoreset: 'same-step' })
    const first = batch.seedOf(0)
    batch.step(stay())
    batch.step(stay())
    const before = [...batch.observation]
    batch.step(stay())
    expect([batch.terminated[0], batch.truncated[0], batch.episodeStart[0], batch.stepCount[0]]).toEqual([0, 1, 1, 0])
    expect([...batch.finalObservation]).toEqual(before) // they stood still, the lamps were lit at step 1
    expect([...batch.finalReturns]).toEqual([1, batch.finalReturns[1]])
    expect([...batch.returns]).toEqual([0, 0])
    expect(batch.finalLength[0]).toBe(3)
    expect(batch.finalMetrics(0)).toMatchObject({ episodeLength: 3 })
    expect(batch.metrics(0)).toMatchObject({ episodeLength: 0, lamps: 0 })
    expect(batch.seedOf(0)).not.toBe(first)
    batch.step(stay())
    expect([batch.truncated[0], batch.episodeStart[0], batch.stepCount[0]]).toEqual([0, 0, 1])
  })

  it('next-step: the end is shown, the action after it is ignored and begins the next episode', () => {
    const batch = open(CALM, { autoreset: 'next-step' })
    for (let t = 0; t < 3; t++) batch.step(stay())
    expect([batch.truncated[0], batch.episodeStart[0], batch.stepCount[0]]).toEqual([1, 0, 3])
    expect([...batch.finalObservation]).toEqual([...batch.observation])
    batch.step(Int32Array.of(77, -5)) // ignored, so not even checked
    expect([batch.truncated[0], batch.episodeStart[0], batch.stepCount[0]]).toEqual([0, 1, 0])
    expect([...batch.reward]).toEqual([0, 0])
    expect([...batch.returns]).toEqual([0, 0])
    expect(batch.finalLength[0]).toBe(3)
  })

  it('disabled: an ended lane stands still with its flags up until it is reset', () => {
    const batch = open(CALM, { lanes: 2, autoreset: 'disabled' })
    for (let t = 0; t < 3; t++) batch.step(stay(2))
    const hash = batch.hash(0)
    batch.step(Int32Array.of(77, -5, 77, -5))
    expect([...batch.truncated]).toEqual([1, 1])
    expect([...batch.reward]).toEqual([0, 0, 0, 0])
    expect(batch.hash(0)).toBe(hash)
    batch.reset(undefined, Uint8Array.of(0, 1))
    expect([...batch.truncated]).toEqual([1, 0])
    expect([...batch.stepCount]).toEqual([3, 0])
    batch.step(stay(2))
    expect([...batch.stepCount]).toEqual([3, 1])
    expect(batch.hash(0)).toBe(hash)
  })

  it('reports the horizon as termination where the options say so', () => {
    const batch = open({ ...CALM, horizonEnds: 'termination' }, { autoreset: 'disabled' })
    for (let t = 0; t < 3; t++) batch.step(stay())
    expect([batch.terminated[0], batch.truncated[0]]).toEqual([1, 0])
  })

  it('never cuts without a horizon', () => {
    const batch = open({ ...CALM, horizon: null }, { autoreset: 'disabled' })
    for (let t = 0; t < 1000; t++) batch.step(stay())
    expect([batch.terminated[0], batch.truncated[0], batch.stepCount[0]]).toEqual([0, 0, 1000])
  })
})

describe('a reset', () => {
  it('shows nothing of the episode before', () => {
    for (const autoreset of ['same-step', 'next-step', 'disabled'] as const) {
      const batch = open({ gustOneIn: 1, cells: 2, horizon: 5 }, { autoreset })
      const rng = new Generator(namedSeed(1, 'test'))
      const action = actionArray(batch)
      for (let t = 0; t < 7; t++) {
        randomActions(batch, rng, action)
        batch.step(action)
      }
      const seed = episodeSeed(9, 'eval', 0, 0)
      batch.reset([seed])
      const fresh = createBatch(lanterns, batch.spec.options, { autoreset })
      fresh.reset([seed])
      for (const name of [
        'observation',
        'state',
        'mask',
        'alive',
        'reward',
        'returns',
        'terminated',
        'truncated',
      ] as const) {
        expect([...batch[name]], name).toEqual([...fresh[name]])
      }
      expect(batch.hash(0)).toBe(fresh.hash(0))
      expect({ ...batch.save(0), episode: 0 }).toEqual(fresh.save(0))
    }
  })

  it('takes its seeds from the setting by global lane and episode', () => {
    const asked: string[] = []
    const seeds = (lane: number, episode: number) => {
      asked.push(`${lane}/${episode}`)
      return episodeSeed(0, 'train', lane, episode)
    }
    const batch = open(CALM, { lanes: 2, firstLane: 10, seeds })
    for (let t = 0; t < 3; t++) batch.step(stay(2))
    expect(asked).toEqual(['10/0', '11/0', '10/1', '11/1'])
    const alone = open(CALM, { firstLane: 11, seeds })
    for (let t = 0; t < 3; t++) alone.step(stay())
    expect(alone.hash(0)).toBe(batch.hash(1))
  })

  it('refuses wrong numbers of seeds and lanes, and bad seeds before anything changes', () => {
    const batch = open(CALM, { lanes: 2 })
    const hash = batch.hash(0)
    expect(refusal(() => batch.reset(['0'.repeat(32)])).message).toMatch(/1 seeds; expected 2, one per lane/)
    expect(refusal(() => batch.reset(undefined, new Uint8Array(3))).message).toMatch(/3 bytes; expected 2/)
    expect(refusal(() => batch.reset(['0'.repeat(32), 'x'])).message).toMatch(/episode seed is "x"/)
    expect(batch.hash(0)).toBe(hash)
    const unopened = createBatch(lanterns, CALM, { lanes: 2 })
    expect(refusal(() => unopened.step(stay(2))).message).toMatch(/called before reset/)
    expect(refusal(() => unopened.reset(undefined, Uint8Array.of(1, 0))).message).toMatch(/expected all lanes/)
  })
})

describe('actions', () => {
  it('of a wrong shape or kind are refused in one sentence naming both', () => {
    const batch = open(CALM, { lanes: 4 })
    expect(refusal(() => batch.step(new Int32Array(16))).message).toBe(
      'lanterns: action is Int32Array(16); expected Int32Array(8), shape [4, 2] = lanes, agents',
    )
    for (const wrong of [new Float32Array(8), [0, 0], null, undefined, new Uint8Array(8), 'abc']) {
      expect(refusal(() => batch.step(wrong as never)).code).toBe('bad-action')
    }
    const multi = open({ ...CALM, actions: 'multi-discrete' })
    expect(refusal(() => multi.step(new Int32Array(2))).message).toMatch(
      /shape \[1, 2, 2\] = lanes, agents, dimensions/,
    )
    const box = open({ ...CALM, actions: 'box' })
    expect(refusal(() => box.step(new Int32Array(4))).message).toMatch(/expected Float32Array\(4\)/)
  })

  it('out of range or masked are refused with lane, agent, step and what is legal, and nothing changes', () => {
    const batch = open({ ...CALM, cells: 2 }, { lanes: 3, firstLane: 5, autoreset: 'disabled' })
    const hashes = () => [0, 1, 2].map((lane) => batch.hash(lane)).join()
    const before = hashes()
    const action = stay(3)
    action[5] = 3
    expect(refusal(() => batch.step(action)).message).toBe(
      'lanterns: action [lane 7, agent_1] at step 0 is 3; expected 0 stay, 1 left, 2 right',
    )
    action[5] = batch.mask[5 * 3 + 1] === 0 ? 1 : 2
    expect(refusal(() => batch.step(action)).message).toMatch(
      /\[lane 7, agent_1\] at step 0 is . (left|right), which is masked; expected a legal action: 0 stay/,
    )
    expect(hashes()).toBe(before)
  })

  it('of box worlds may be of different widths: what an agent does not have must be 0', () => {
    const narrow: EnvDefinition = {
      ...lanterns,
      spec: (options) => {
        const world = lanterns.spec(options as never)
        const [first, ...rest] = world.agents
        const { action } = first
        if (action.kind !== 'box') throw new Error('lanterns have changed')
        return { ...world, agents: [{ ...first, action: { ...action, dimensions: [action.dimensions[0]] } }, ...rest] }
      },
    }
    const batch = createBatch(narrow, { ...CALM, actions: 'box' }, { lanes: 2 })
    batch.reset()
    expect([batch.spec.actionDims, batch.spec.actionSize]).toEqual([2, 0])
    const action = actionArray(batch)
    action.fill(7)
    randomActions(batch, new Generator(namedSeed('narrow', 'actions')), action)
    expect([action[1], action[5]]).toEqual([0, 0])
    batch.step(action)
    action[5] = 0.5
    expect(refusal(() => batch.step(action)).message).toMatch(
      /action \[lane 1, agent_0, dimension 1\] at step 1 is 0.5; expected 0: agent_0 has 1 numbers/,
    )
    // Undriven agents draw within their own width.
    const driven = createBatch(narrow, { ...CALM, actions: 'box' }, { control: [1] })
    driven.reset()
    driven.step(Float32Array.of(0, 1))
  })

  it('of box worlds are checked against their bounds, NaN included', () => {
    const batch = open({ ...CALM, actions: 'box' })
    for (const wrong of [NaN, Infinity, 1.0001, -2]) {
      expect(refusal(() => batch.step(Float32Array.of(0, 0, wrong, 0))).message).toMatch(
        /\[lane 0, agent_1, dimension 0\].*expected a number of -1 to 1/,
      )
    }
    batch.step(Float32Array.of(-1, 2, 1, 0))
  })
})

describe('seats', () => {
  it('by id or index give the rows of those agents, in the order asked for', () => {
    const whole = open({ ...CALM, agents: 3 })
    const some = open({ ...CALM, agents: 3 }, { control: ['agent_2', 0] })
    expect(some.spec.seats).toEqual([2, 0])
    expect(some.spec.agents.map((agent) => agent.id)).toEqual(['agent_2', 'agent_0'])
    expect([...some.observation]).toEqual([...whole.observation.slice(8, 12), ...whole.observation.slice(0, 4)])
  })

  it('are refused when unknown, doubled, none or no list', () => {
    for (const control of [['agent_9'], [3], [-1], [0.5], [0, 'agent_0'], [], 'agent_0', 7, null]) {
      expect(refusal(() => createBatch(lanterns, {}, { control: control as never })).code).toMatch(
        /bad-option|unknown-name/,
      )
    }
    expect(refusal(() => createBatch(lanterns, {}, { control: ['agent_7'] })).message).toMatch(/did you mean/)
  })

  it('that nobody takes are played by the world, the same for the same seed, legally', () => {
    const play = () => {
      const batch = open({ gustOneIn: 10, cells: 30, agents: 4, horizon: 40 }, { control: [1], lanes: 3 })
      for (let t = 0; t < 100; t++) batch.step(stay(3, 1))
      return [0, 1, 2].map((lane) => batch.hash(lane))
    }
    expect(play()).toEqual(play())
    expect(new Set(play()).size).toBe(3)
  })
})

describe('snapshots', () => {
  it('are refused when broken, and leave the lane as it was', () => {
    const batch = open({ ...CALM, horizon: 50 }, { autoreset: 'disabled' })
    batch.step(stay())
    const good = batch.save(0)
    batch.step(stay())
    const hash = batch.hash(0)
    const cases: [unknown, RegExp][] = [
      [null, /snapshot is format undefined/],
      [{ ...good, format: 2 }, /format 2; expected format 1/],
      [{ ...good, env: 'matrix' }, /of matrix version 1; expected lanterns version 1/],
      [{ ...good, version: '2' }, /of lanterns version 2/],
      [{ ...good, generator: 'mt' }, /generator is "mt"/],
      [{ ...good, step: -1 }, /step is -1/],
      [{ ...good, step: 2 ** 40 }, /step is 1099511627776/],
      [{ ...good, episode: 2 ** 53 }, /episode is/],
      [{ ...good, seed: 'zz' }, /seed/],
      [{ ...good, arrays: { ...good.arrays, lit: good.arrays.at } }, /lit is 4 bytes; expected 300 bytes/],
      [{ ...good, arrays: { ...good.arrays, random: '!' } }, /random is not base64/],
      [{ ...good, arrays: undefined }, /at is 0 bytes/],
      [{ ...good, returns: 7 }, /returns is 0 bytes/],
    ]
    for (const [snapshot, message] of cases) {
      expect(refusal(() => batch.load(0, snapshot as Snapshot)).message).toMatch(message)
      expect(batch.hash(0)).toBe(hash)
    }
    batch.load(0, good)
    expect(batch.stepCount[0]).toBe(1)
  })

  it('taken right after a same-step autoreset load as a running episode', () => {
    const batch = open(CALM)
    for (let t = 0; t < 3; t++) batch.step(stay())
    const saved = batch.save(0)
    expect(saved).toMatchObject({ step: 0, terminated: false, truncated: false })
    const other = open(CALM, { autoreset: 'disabled' })
    other.load(0, saved)
    expect(other.hash(0)).toBe(batch.hash(0))
    other.step(stay())
    expect(other.stepCount[0]).toBe(1)
  })

  it('of an ended episode stay ended', () => {
    const batch = open(CALM, { autoreset: 'disabled' })
    for (let t = 0; t < 3; t++) batch.step(stay())
    const other = open(CALM, { autoreset: 'disabled' })
    other.load(0, batch.save(0))
    other.step(stay())
    expect([other.truncated[0], other.stepCount[0]]).toEqual([1, 3])
  })
})

describe('a batch', () => {
  it('refuses impossible settings and worlds by name', () => {
    const tries: [BatchSettings, RegExp][] = [
      [{ lanes: 0 }, /lanes is 0; expected a whole number of 1 to/],
      [{ lanes: 2 ** 40 }, /lanes/],
      [{ lanes: 1.5 }, /lanes/],
      [{ firstLane: -1 }, /firstLane/],
      [{ autoreset: 'samestep' as never }, /did you mean "same-step"/],
      [{ lane: 4 } as never, /lane is not known here.*did you mean "lanes"/],
    ]
    for (const [settings, message] of tries)
      expect(refusal(() => createBatch(lanterns, {}, settings)).message).toMatch(message)
    const empty: EnvDefinition = {
      ...(lanterns as EnvDefinition),
      spec: (o) => ({ ...lanterns.spec(o as never), agents: [] }),
    }
    expect(refusal(() => envSpec(empty)).message).toMatch(/agents is an empty list/)
    const twins: EnvDefinition = {
      ...(lanterns as EnvDefinition),
      spec: (o) => {
        const spec = lanterns.spec(o as never)
        return { ...spec, agents: [spec.agents[0], spec.agents[0]] }
      },
    }
    expect(refusal(() => envSpec(twins)).message).toMatch(/"agent_0" twice/)
  })

  it('refuses lanes that are not there', () => {
    const batch = open(CALM, { lanes: 2 })
    for (const lane of [-1, 2, 0.5, NaN]) {
      for (const work of [
        () => batch.save(lane),
        () => batch.hash(lane),
        () => batch.frame(lane),
        () => batch.metrics(lane),
        () => batch.finalMetrics(lane),
        () => batch.seedOf(lane),
        () => batch.load(lane, batch.save(0)),
      ]) {
        expect(refusal(work).message).toMatch(/lane is .*expected a whole number of 0 to 1/)
      }
    }
  })

  it('without observations plays the same game', () => {
    const seen = open({ ...CALM, horizon: 40 })
    const blind = open({ ...CALM, horizon: 40 }, { observe: false })
    for (let t = 0; t < 30; t++) {
      seen.step(stay())
      blind.step(stay())
    }
    expect(blind.hash(0)).toBe(seen.hash(0))
    expect(blind.observation.every((value) => value === 0)).toBe(true)
  })
})
