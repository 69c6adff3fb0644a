import { describe, expect, it } from 'vitest'
import { FrameStore } from './frames.ts'
import { type StepRecord } from './messages.ts'

const last = 1000
const record = (step: number) => ({ step }) as StepRecord
const flush = () => new Promise((resolve) => setTimeout(resolve, 0))

function source() {
  const asked: [number, number][] = []
  return {
    asked,
    records: async (from: number, count: number) => {
      asked.push([from, count])
      return Array.from({ length: Math.min(count, last - from + 1) }, (_, i) => record(from + i))
    },
  }
}

describe('steps at hand', () => {
  it('asks for the step itself, the run of steps around it and the next one in the direction of play, once', async () => {
    const from = source()
    const store = new FrameStore(from, last, 8192) // 64 steps a run
    expect(store.get(70)).toBeUndefined()
    store.want(70, 1)
    store.want(71, 1)
    expect(from.asked).toEqual([
      [70, 1],
      [64, 64],
      [128, 64],
    ])
    await flush()
    expect(store.get(70)?.step).toBe(70)
    store.want(70, -1)
    expect(from.asked.at(-1)).toEqual([0, 64])
  })

  it('has a step that was gone to before its run is there, until the episode is played differently there', async () => {
    const answers: ((records: StepRecord[]) => void)[] = []
    let arrived = 0
    const store = new FrameStore({ records: () => new Promise((resolve) => answers.push(resolve)) }, last, 8192)
    store.onArrive = () => arrived++
    store.want(500, 1)
    answers[0]([record(500)])
    await flush()
    expect([arrived, store.get(500)?.step, store.get(499)]).toEqual([1, 500, undefined])
    store.regrow(last, 499)
    expect(store.get(500)).toBeUndefined()
  })

  it('looks farther ahead when time runs fast, and never beyond the episode', async () => {
    const from = source()
    const store = new FrameStore(from, last, 8192)
    store.want(640, 64)
    expect(from.asked.map(([first]) => first)).toEqual([640, 640, 704, 768, 832])
    await flush()
    store.want(last, 1)
    expect(from.asked.every(([first]) => first <= last)).toBe(true)
    await flush()
    expect(store.get(last)?.step).toBe(last)
  })

  it('asks again for what was cut short when an episode grows, and drops what was played differently', async () => {
    let version = 'first'
    let end = 10
    const store = new FrameStore(
      {
        records: async (from, count) =>
          Array.from(
            { length: Math.min(count, end - from + 1) },
            (_, i) => ({ step: from + i, frame: version }) as unknown as StepRecord,
          ),
      },
      end,
      8192,
    )
    store.want(10, 1)
    await flush()
    expect(store.get(11)).toBeUndefined()
    end = 12
    version = 'second'
    store.regrow(12, 4)
    // Steps up to 4 are as they were; the rest must not be shown any more.
    expect(store.get(4)?.frame).toBe('first')
    expect(store.get(5)).toBeUndefined()
    store.want(12, 1)
    await flush()
    expect(store.get(12)?.frame).toBe('second')
  })

  it('an answer that was on its way when the episode changed is thrown away', async () => {
    const answers: ((records: StepRecord[]) => void)[] = []
    const store = new FrameStore({ records: () => new Promise((resolve) => answers.push(resolve)) }, 5, 8192)
    store.want(5, 1)
    store.regrow(6, 2)
    answers[0]([record(5)])
    answers[1]([record(0)])
    await flush()
    expect([store.get(0), store.get(5)]).toEqual([undefined, undefined])
    store.want(5, 1)
    expect(answers).toHaveLength(4)
  })

  it('takes smaller runs of large steps, and forgets the farthest when there are too many', async () => {
    const from = source()
    const store = new FrameStore(from, last, 4 * 1024 * 1024)
    expect(store.run).toBe(4)
    for (let step = 0; step <= last; step += 4) {
      store.want(step, 1)
      await flush()
    }
    expect(store.get(0)).toBeUndefined()
    expect(store.get(last)?.step).toBe(last)
    store.want(0, 1)
    await flush()
    expect(store.get(0)?.step).toBe(0)
  })

  it('asks again after a failure, and says what failed', async () => {
    let broken = true
    const said: string[] = []
    const store = new FrameStore(
      {
        records: async (from) => {
          if (broken) throw new Error('no luck')
          return [record(from)]
        },
      },
      0,
      8192,
    )
    store.onFail = (message) => said.push(message)
    store.want(0, 1)
    await flush()
    expect(said).toEqual(['no luck'])
    broken = false
    store.want(0, 1)
    await flush()
    expect(store.get(0)?.step).toBe(0)
  })
})
