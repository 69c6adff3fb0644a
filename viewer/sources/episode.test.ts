import { describe, expect, it } from 'vitest'
import { createBatch, ENVS, episodeSeed, type EnvDefinition } from '../../envs/index.ts'
import { readReplay, ReplayRecorder, writeReplay, type RecordingOptions, type Replay } from '../../envs/core/replay.ts'
import { Episode, sentence } from './episode.ts'

const OPTIONS = { size: 'tiny', robots: 2, horizon: 50 }

/** Two robots that drive about by a fixed rule. */
function record(options: RecordingOptions = {}, definition: EnvDefinition = ENVS.warehouse): Uint8Array {
  const batch = createBatch(definition, OPTIONS, { autoreset: 'disabled' })
  batch.reset([episodeSeed('1', 'eval', 0, 0)])
  const scenario = { id: 'warehouse/tiny-2ag', teamReward: 'sum' }
  const header = { scenario, policies: [{ name: 'rule' }], package: '0.1.0' }
  const plugin = definition === ENVS.warehouse ? {} : { plugin: { name: 'mine', sha256: 'b'.repeat(64) } }
  const recorder = new ReplayRecorder(batch, 0, { ...header, ...plugin }, options)
  for (let t = 0; t < 50; t++) {
    const action = Int32Array.of(t % 7 === 0 ? 4 : 1 + (t % 3 === 0 ? 1 : 0), t % 5 === 0 ? 3 : 1)
    batch.step(action)
    recorder.record(action)
  }
  return recorder.finish('sum')
}

const file = record()
const changed = (bytes: Uint8Array, change: (replay: Replay) => Replay) => writeReplay(change(readReplay(bytes)))
const version99 = (replay: Replay): Replay => ({ ...replay, header: { ...replay.header, version: '99' } })

/** The same steps by a batch of the test's own. */
function simulate(steps: number) {
  const { header, actions } = readReplay(file)
  const batch = createBatch(ENVS.warehouse, header.options, { autoreset: 'disabled' })
  batch.reset([header.seed])
  for (let t = 0; t < steps; t++) batch.step((actions as Int32Array).slice(2 * t, 2 * t + 2))
  return batch
}

describe('an opened replay', () => {
  it('shows any step as a simulation of its own has it, in whatever order steps are asked for', () => {
    const episode = new Episode('a.replay', file, ENVS)
    expect(episode.info).toMatchObject({ mode: 'resimulate', steps: 50, notice: null, agents: ['agent_0', 'agent_1'] })
    const steps = [50, 0, 17, 16, 49, 1, 0]
    // All are asked for before any is looked at: a record must keep what it said.
    const records = steps.map((step) => episode.records(step, 1)[0])
    for (const [index, step] of steps.entries()) {
      const record = records[index]
      const batch = simulate(step)
      expect(record.frame).toEqual(batch.frame(0))
      expect(record.observation).toEqual(batch.observation)
      expect(record.mask).toEqual(batch.mask)
      expect(record.returns).toEqual(batch.returns)
      expect(record.reward).toEqual(step === 0 ? new Float32Array(2) : batch.reward)
      expect(record.ended).toBe(step === 50 ? 'truncated' : 'no')
    }
  })

  it('gives runs of steps that end with the episode', () => {
    const episode = new Episode('a.replay', file, ENVS)
    expect(episode.records(45, 64).map(({ step }) => step)).toEqual([45, 46, 47, 48, 49, 50])
    expect(episode.records(-5, 2).map(({ step }) => step)).toEqual([0, 1])
    expect(episode.records(999, 3).map(({ step }) => step)).toEqual([50])
  })

  it('surveys the episode part by part: every reward, every event with the step it led to', () => {
    const episode = new Episode('a.replay', file, ENVS)
    const parts = [episode.survey(20), episode.survey(20), episode.survey(20)]
    expect(parts.map(({ from, done }) => [from, done])).toEqual([
      [0, false],
      [20, false],
      [40, true],
    ])
    const events = parts.flatMap((part) => part.events)
    const expected = Array.from({ length: 50 }, (_, t) =>
      simulate(t + 1)
        .frame(0)
        .events.map(({ kind }) => `${t + 1} ${kind}`),
    ).flat()
    expect(events.map(({ step, kind }) => `${step} ${kind}`)).toEqual(expected)
    expect(expected.length).toBeGreaterThan(0)
    expect(parts.reduce((sum, { rewards }) => sum + rewards.length, 0)).toBe(100)
  })

  it('keeps events of every kind to the end, however many there are of one', () => {
    const noisy: EnvDefinition = {
      ...ENVS.warehouse,
      create: (options, port) => {
        const rules = ENVS.warehouse.create(options, port)
        const quiet = rules.frame.bind(rules)
        rules.frame = (lane) => {
          const events = [...Array<string>(150).fill('noise'), 'bell'].map((kind) => ({ kind }))
          return { ...quiet(lane), events }
        }
        return rules
      },
    }
    const episode = new Episode('a.replay', file, { ...ENVS, warehouse: noisy })
    const kinds = [episode.survey(30), episode.survey(30)].flatMap(({ events }) => events.map(({ kind }) => kind))
    expect(kinds.filter((kind) => kind === 'noise')).toHaveLength(5000) // of 7,500
    expect(kinds.filter((kind) => kind === 'bell')).toHaveLength(50)
  })

  it('verifies, and names the first step that differs', () => {
    expect(new Episode('a.replay', file, ENVS).verify()).toMatchObject({ ok: true, steps: 50 })
    const forged = changed(file, (replay) => {
      const actions = replay.actions.slice()
      actions[2 * 31] = (actions[2 * 31] + 1) % 5
      return { ...replay, actions }
    })
    expect(new Episode('a.replay', forged, ENVS).verify()).toMatchObject({ ok: false, step: 31 })
  })

  it('never simulates another version: it shows the nearest stored frame before a step', () => {
    const stored = changed(record({ keyframeEvery: 20 }), version99)
    const episode = new Episode('a.replay', stored, ENVS)
    expect(episode.info).toMatchObject({ mode: 'stored', spec: null, stored: [0, 20, 40] })
    expect(episode.info.notice).toContain('version 99')
    expect(episode.records(0, 64).map(({ frameStep }) => frameStep)).toEqual(
      Array.from({ length: 51 }, (_, step) => (step < 20 ? 0 : step < 40 ? 20 : 40)),
    )
    const [shown] = episode.records(33, 1)
    expect(shown.frame).toEqual(simulate(20).frame(0))
    expect([shown.observation, shown.reward, shown.returns]).toEqual([null, null, null])
    expect(episode.verify().ok).toBe(false)
  })

  it('refuses another version without frames, naming both', () => {
    expect(() => new Episode('a.replay', changed(file, version99), ENVS)).toThrow(
      /warehouse version 99.*warehouse version 1/,
    )
    const other = changed(file, (replay) => ({ ...replay, header: { ...replay.header, env: 'toString' } }))
    expect(() => new Episode('a.replay', other, ENVS)).toThrow(/toString version 1/)
  })

  it("shows a plug-in's frames even where it has the name of a built-in environment", () => {
    const episode = new Episode('a.replay', record({}, { ...ENVS.warehouse }), ENVS)
    expect(episode.info.mode).toBe('stored')
    expect(episode.info.notice).toContain('plug-in mine')
    expect(episode.info.stored).toHaveLength(51)
  })

  it('shows the steps before an illegal action', () => {
    const illegal = changed(file, (replay) => {
      const actions = replay.actions.slice()
      actions[2 * 10] = 200
      return { ...replay, actions }
    })
    const episode = new Episode('a.replay', illegal, ENVS)
    expect(episode.records(0, 64).map(({ step }) => step)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const survey = episode.survey(200)
    expect(survey).toMatchObject({ done: true })
    expect(survey.rewards).toHaveLength(20)
    expect(survey.stopped).toMatch(/^a\.replay: .*200/)
  })

  it('says in one sentence what is wrong with a file, and starts with its name', () => {
    for (const bytes of [file.slice(0, 100), new Uint8Array(0), new TextEncoder().encode('{"format":1}')]) {
      let said = ''
      try {
        new Episode('b.replay', bytes, ENVS)
      } catch (error) {
        said = sentence('b.replay', error)
      }
      expect(said).toMatch(/^b\.replay[: ]/)
      expect(said).toMatch(/\.$/)
    }
    expect(sentence('b.replay', new RangeError('inner workings'))).toBe('b.replay could not be read as a replay.')
  })

  it('takes the parts of a stream through the same door as a file', () => {
    const episode = new Episode('s', { data: readReplay(file), bytes: 1234 }, ENVS)
    expect(episode.info).toMatchObject({ steps: 50, bytes: 1234 })
    expect(episode.verify()).toMatchObject({ ok: true })
    const { header, ...rest } = readReplay(file)
    expect(() => new Episode('s', { data: { ...rest, header: { ...header, agents: [] } }, bytes: 1 }, ENVS)).toThrow()
  })
})
