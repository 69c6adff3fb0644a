import { expect, it } from 'vitest'
import { type Entity, type Frame, type FrameEvent } from '../../envs/core/types.ts'
import { type StepRecord } from './messages.ts'
import { buffersOf, Packer, unpacked, type PackedRecord } from './pack.ts'

const thing = (n: number, x = n): Entity => ({
  id: `t_${n}`,
  kind: 'thing',
  x,
  y: 0.25,
  heading: 1,
  state: { held: false, by: null, load: 0.5 },
})
const frame = (entities: readonly Entity[], step = 0, events: readonly FrameEvent[] = []): Frame => ({
  step,
  entities,
  events,
  counters: { moves: step },
})
const record = (shown: Frame) =>
  ({ step: shown.step, frame: shown, frameStep: shown.step, reward: Float32Array.of(shown.step) }) as StepRecord

/** As a worker's message arrives: with its memory handed over. */
function sent<T>(value: T): T {
  return structuredClone(value, { transfer: buffersOf(value) })
}

it('large frames arrive as they were, and what stands still is not sent', () => {
  const first = frame(Array.from({ length: 1000 }, (_, n) => thing(n)))
  const moved = [...first.entities]
  moved[3] = thing(3, 99)
  moved[4] = { ...thing(4), heading: 2.5 }
  moved[7] = { ...thing(7), state: { held: true, by: 't_3', load: -1 } }
  // Changed in more than place and values.
  moved[8] = { id: 't_8', kind: 'thing', x: 8, y: 0.25, state: { held: false, by: null, load: 0.5 } }
  moved[9] = { ...thing(9), team: 'a' }
  moved[10] = { ...thing(10), state: { held: false, by: null, load: 0.5, more: 1 } }
  moved[11] = { ...thing(11), id: 'other' }
  const events: FrameEvent[] = [
    { kind: 'delivery', agents: ['t_3', 't_7'], at: { x: 1, y: 2 } },
    { kind: 'kill', agents: [], value: 0 },
    { kind: 'delivery', value: 3 },
  ]
  const next = frame([...first.entities.slice(0, 999), thing(999, 5)], 2)
  const packer = new Packer(first)
  const onTheWay = sent([record(frame(moved, 1, events)), record(next)].map((one) => packer.pack(one)))
  const { things } = (onTheWay[0] as PackedRecord).packed
  expect([...things.at]).toEqual([3, 4, 7])
  expect(things.odd.map(([at]) => at)).toEqual([8, 9, 10, 11])
  const arrived = onTheWay.map((one) => unpacked(one, sent(first)))
  expect(arrived[0].frame).toEqual(frame(moved, 1, events))
  expect(arrived[1].frame).toEqual(next)
  expect(arrived[0].frame).toBe(arrived[0].frame)
  // As tests and the console read it.
  expect(JSON.parse(JSON.stringify(arrived[0])).frame).toEqual(frame(moved, 1, events))
  expect([...arrived[1].reward!]).toEqual([2])
})

it('frames that grew or shrank since the first arrive as they are', () => {
  const first = frame(Array.from({ length: 600 }, (_, n) => thing(n)))
  for (const entities of [first.entities.slice(0, 550), [...first.entities, thing(600)], first.entities.slice(1)]) {
    const now = frame([...entities], 5)
    expect(unpacked(sent(new Packer(first).pack(record(now))), first).frame).toEqual(now)
  }
})

it('small frames go as they are', () => {
  const small = record(frame([thing(0)]))
  expect(new Packer(small.frame).pack(small)).toBe(small)
})

it('hands over each memory once, wherever it is', () => {
  const shared = new Float32Array(4)
  const found = buffersOf({ a: [{ b: shared }, { b: shared.subarray(1) }], c: new Uint8Array(2), d: 'x', e: null })
  expect(found).toHaveLength(2)
})
