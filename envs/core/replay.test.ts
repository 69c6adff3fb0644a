import { describe, expect, it } from 'vitest'
import { createBatch } from './batch.ts'
import { fromHalf, toHalf } from './replay-bytes.ts'
import {
  ReplayReader,
  ReplayRecorder,
  indexReplay,
  readReplay,
  readReplayHeader,
  verifyReplay,
  writeReplay,
  type Replay,
} from './replay.ts'
import { lanterns } from './sample.ts'
import { LONG, SAMPLE_HEADER, recordSample } from './sample-replays.ts'
import { type EnvDefinition, type Rules } from './types.ts'

/** What the file is expected to give back: everything as it was, probabilities rounded to halves. */
const asRead = (replay: Replay): Replay =>
  replay.probability === undefined
    ? replay
    : { ...replay, probability: replay.probability.map((value) => fromHalf(toHalf(value))) }

describe('a replay file', () => {
  for (const actions of ['discrete', 'multi-discrete', 'box']) {
    it(`gives ${actions} actions and all channels back as they were`, () => {
      const replay = recordSample({ ...LONG, actions }, { keyframeEvery: 50, channels: true }).replay('sum')
      expect(replay.steps).toBe(200)
      expect(replay.keyframes.map((keyframe) => keyframe.step)).toEqual([0, 50, 100, 150, 200])
      const bytes = writeReplay(replay)
      const again = readReplay(bytes)
      expect(again).toEqual(asRead(replay))
      expect(again.probability === undefined).toBe(actions === 'box')
      expect(writeReplay(again)).toEqual(bytes)
    })
  }

  it('holds 500 steps of 10 agents with 6 random actions each in less than 4 kB', () => {
    const names = ['stay', 'left', 'right', 'north', 'south', 'call']
    const six: EnvDefinition = {
      ...(lanterns as EnvDefinition),
      spec: (o) => {
        const spec = lanterns.spec(o as never)
        return { ...spec, agents: spec.agents.map((agent) => ({ ...agent, action: { kind: 'discrete', names } })) }
      },
      create: (o, port) => {
        const rules = lanterns.create(o as never, port)
        return Object.assign(Object.create(rules) as Rules, { legal: undefined })
      },
    }
    // A scenario as long as real ones are.
    const scenario = {
      id: 'lanterns/long-corridor-10ag',
      title: 'Ten carriers in a long corridor',
      env: 'lanterns',
      version: '1',
      options: { agents: 10, cells: 10_000, gustOneIn: 0, horizon: 500 },
      teamReward: 'sum',
      evaluation: { points: 100, episodes: 32, absoluteEpisodes: 320, policy: 'greedy' },
      reference: { random: 12.5, best: 431.25, source: 'this repository, 10 seeds' },
    }
    const recorder = recordSample(scenario.options, { header: { scenario } }, six)
    const bytes = recorder.finish('sum')
    const replay = readReplay(bytes)
    expect(replay.steps).toBe(500)
    expect(replay.actions.length).toBe(5000)
    expect(new Set(replay.actions).size).toBe(6)
    console.log(`500 steps x 10 agents x 6 random actions: ${bytes.length} bytes`)
    expect(bytes.length).toBeLessThan(4000)
  })

  it('holds the actions in every mode, with and without each channel', () => {
    const plain = recordSample().replay('sum')
    for (const options of [
      {},
      { keyframeEvery: 7 },
      { frames: true },
      { channels: true },
      { frames: true, channels: true },
    ]) {
      expect(readReplay(recordSample(LONG, options).finish('sum')).actions).toEqual(plain.actions)
    }
  })

  it('keeps float actions and values bit for bit: -0, NaN and the smallest numbers', () => {
    const replay = recordSample({ ...LONG, actions: 'box', horizon: 3, agents: 1 }, { channels: true }).replay('sum')
    const odd = [-0, NaN, 1e-45, -1, 3.4028234663852886e38, -Infinity].map(Math.fround)
    const again = readReplay(
      writeReplay({ ...replay, actions: Float32Array.from(odd), value: Float32Array.of(-0, NaN, 1e-45) }),
    )
    expect([...again.actions].every((value, i) => Object.is(value, odd[i]))).toBe(true)
    expect([...again.value!].every((value, i) => Object.is(value, [-0, NaN, Math.fround(1e-45)][i]))).toBe(true)
  })

  it('of an episode without a step is a replay, too', () => {
    const recorder = recordSample(LONG, { steps: 0, keyframeEvery: 5 })
    const again = readReplay(recorder.finish('sum'))
    expect(again.steps).toBe(0)
    expect(again.keyframes.length).toBe(1)
    expect(verifyReplay(again, lanterns)).toEqual({ ok: true, steps: 0, complete: false })
  })

  it('has its chain entries every 64 steps and at the end', () => {
    const counts = [1, 63, 64, 65, 128, 200].map((steps) => {
      const replay = readReplay(recordSample(LONG, { steps }).finish('sum'))
      expect(verifyReplay(replay, lanterns).ok).toBe(true)
      return replay.chain.length
    })
    expect(counts).toEqual([1, 1, 1, 2, 2, 4])
  })

  it('can be read in pieces of any size, header first, steps as they come', () => {
    const bytes = recordSample({ ...LONG, agents: 64, horizon: 700 }, { channels: true }).finish('sum')
    const { headerBytes, chunks } = indexReplay(bytes)
    expect(chunks.length).toBeGreaterThan(2)
    for (const size of [1, 7, 1000, bytes.length]) {
      const reader = new ReplayReader()
      let headerAt = -1
      const steps = new Set<number>()
      for (let at = 0; at < bytes.length; at += size) {
        reader.push(bytes.subarray(at, at + size))
        if (headerAt < 0 && reader.header !== null) headerAt = Math.min(bytes.length, at + size)
        if (reader.replay !== null) {
          steps.add(reader.replay.steps)
          if (reader.replay.actions.length !== reader.replay.steps * 64) throw new Error(`at byte ${at}`)
        }
      }
      expect(headerAt - headerBytes).toBeLessThan(size)
      if (size === 1) expect([...steps]).toEqual([0, ...chunks.map((chunk) => chunk.step + chunk.steps)])
      expect(reader.done).toBe(true)
      expect(reader.end().actions).toEqual(readReplay(bytes).actions)
    }
  })

  it('is cut by its index into a header and chunks that make the file again', () => {
    const bytes = recordSample({ ...LONG, agents: 64, horizon: 700 }, { keyframeEvery: 100 }).finish('sum')
    const { headerBytes, chunks } = indexReplay(bytes)
    expect(readReplayHeader(bytes.subarray(0, headerBytes))).toEqual(readReplay(bytes).header)
    expect(chunks[0].from).toBe(headerBytes)
    expect(chunks.at(-1)!.to).toBe(bytes.length)
    chunks.forEach((chunk, i) => {
      if (i > 0) expect(chunk).toMatchObject({ from: chunks[i - 1].to, step: chunks[i - 1].step + chunks[i - 1].steps })
    })
  })

  it('of a plug-in carries a frame for every step and its name and hash', () => {
    const plugin = { name: './lanterns.js', sha256: 'ab'.repeat(32) }
    const replay = readReplay(recordSample({ horizon: 20, gustOneIn: 0 }, { header: { plugin } }).finish('sum'))
    expect(replay.header.plugin).toEqual(plugin)
    expect(replay.keyframes.map((keyframe) => keyframe.frame?.step)).toEqual(
      Array.from({ length: replay.steps + 1 }, (_, step) => step),
    )
  })

  it('holds notes and labels as the text they are', () => {
    const batch = createBatch(lanterns, {}, { autoreset: 'disabled' })
    batch.reset()
    const label = '<img src=x onerror=alert(1)> 🏮 \u2028 __proto__'
    const recorder = new ReplayRecorder(batch, 0, { ...SAMPLE_HEADER, label })
    batch.step(new Int32Array(3))
    recorder.record(new Int32Array(3), 0, { note: 'hasOwnProperty' })
    const again = readReplay(recorder.finish('sum'))
    expect(again.header.label).toBe(label)
    expect(again.notes).toEqual([{ step: 0, text: 'hasOwnProperty' }])
  })
})

describe('half floats', () => {
  it('come back unchanged from all 65,536 bit patterns', () => {
    for (let half = 0; half < 65536; half++) {
      const value = fromHalf(half)
      if (Number.isNaN(value)) expect(Number.isNaN(fromHalf(toHalf(value)))).toBe(true)
      else if (toHalf(value) !== half) throw new Error(`${half} became ${toHalf(value)}`)
    }
  })

  it('round to the nearest, ties to even', () => {
    // Neighbours of 1 are 1 - 2^-11 and 1 + 2^-10; the smallest subnormal is 2^-24; the largest number 65504.
    const cases: [number, number][] = [
      [1 + 2 ** -11, 1],
      [1 + 3 * 2 ** -11, 1 + 2 * 2 ** -10],
      [1 + 2 ** -11 + 2 ** -20, 1 + 2 ** -10],
      [2 ** -25, 0],
      [2 ** -25 + 2 ** -40, 2 ** -24],
      [2 ** -15 + 2 ** -25, 2 ** -15],
      [65519, 65504],
      [65520, Infinity],
      [-1e30, -Infinity],
      [2 ** -14 - 2 ** -26, 2 ** -14],
    ]
    for (const [value, rounded] of cases) expect(fromHalf(toHalf(value)), String(value)).toBe(rounded)
    expect(Object.is(fromHalf(toHalf(-0)), -0)).toBe(true)
  })
})

describe('a recorder', () => {
  const open = (settings = {}) => {
    const batch = createBatch(lanterns, {}, { autoreset: 'disabled', lanes: 2, ...settings })
    batch.reset()
    return batch
  }

  it('wants a lane without autoreset, at its first state', () => {
    expect(() => new ReplayRecorder(open({ autoreset: 'same-step' }), 0, SAMPLE_HEADER)).toThrow(/autoreset disabled/)
    const batch = open()
    batch.step(new Int32Array(6))
    expect(() => new ReplayRecorder(batch, 0, SAMPLE_HEADER)).toThrow(/step 0, right after reset/)
  })

  it('notices a step that was not recorded, one recorded twice, and one after the end', () => {
    const batch = open()
    const recorder = new ReplayRecorder(batch, 1, SAMPLE_HEADER)
    const stay = new Int32Array(6)
    expect(() => recorder.record(stay, 3)).toThrow(/one call after every batch.step/)
    batch.step(stay)
    recorder.record(stay, 3)
    expect(() => recorder.record(stay, 3)).toThrow(/lane at step 1; expected step 2/)
    batch.step(stay)
    batch.step(stay)
    expect(() => recorder.record(stay, 3)).toThrow(/lane at step 3; expected step 2/)
    expect(() => recorder.finish('sum')).toThrow(/lane is at step 3/)
  })

  it('records lanes by offset, each as if it were alone', () => {
    const batch = open({ autoreset: 'disabled' })
    const recorder = new ReplayRecorder(batch, 1, SAMPLE_HEADER)
    const action = Int32Array.of(0, 0, 0, 0, 0, 0)
    for (let t = 0; t < 10 && batch.terminated[1] === 0; t++) {
      batch.step(action)
      recorder.record(action, 3)
    }
    expect(verifyReplay(readReplay(recorder.finish('sum')), lanterns).ok).toBe(true)
  })

  it('takes no more steps once the replay was made', () => {
    const batch = open()
    const recorder = new ReplayRecorder(batch, 0, SAMPLE_HEADER)
    batch.step(new Int32Array(6))
    recorder.record(new Int32Array(6))
    expect(recorder.finish('sum')).toEqual(recorder.finish('sum'))
    batch.step(new Int32Array(6))
    expect(() => recorder.record(new Int32Array(6))).toThrow(/after the replay was finished/)
  })

  it('refuses another team reward than the scenario names', () => {
    expect(() => recordSample().finish('mean')).toThrow(/teamReward is "mean"; expected "sum"/)
  })

  it('refuses channels that come and go', () => {
    const batch = open()
    const recorder = new ReplayRecorder(batch, 0, SAMPLE_HEADER, { channels: true })
    const stay = new Int32Array(6)
    batch.step(stay)
    recorder.record(stay, 0, { value: new Float32Array(3) })
    batch.step(stay)
    expect(() => recorder.record(stay, 0)).toThrow(/recording value is missing/)
  })
})
