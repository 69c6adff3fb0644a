import { expect, it } from 'vitest'
import { type Entity, type Frame } from '../../envs/core/types.ts'
import { type StepRecord } from './messages.ts'
import { packed, unpacked } from './pack.ts'

const thing = (n: number, x = n): Entity => ({ id: `t_${n}`, kind: 'thing', x, y: 0, state: { held: false } })
const frame = (entities: Entity[], step = 0): Frame => ({ step, entities, events: [], counters: {} })
const record = (shown: Frame) => ({ step: shown.step, frame: shown, frameStep: shown.step }) as StepRecord
/** As a worker's message arrives. */
const sent = <T>(value: T): T => structuredClone(value)

it('a large frame arrives as it was, and what stands still is not sent', () => {
  const first = frame(Array.from({ length: 1000 }, (_, n) => thing(n)))
  const moved = [...first.entities]
  moved[3] = thing(3, 99)
  moved[7] = { ...thing(7), state: { held: true } }
  moved[8] = { ...thing(8), heading: 0 }
  moved[9] = { ...thing(9), team: 'a' }
  moved[10] = { ...thing(10), state: { held: false, more: 1 } }
  moved[11] = { ...thing(11), id: 'other' }
  const now = frame(moved, 1)
  const onTheWay = sent(packed(record(now), first))
  expect(onTheWay.frame.entities.filter((entity) => entity !== 0)).toHaveLength(6)
  expect(unpacked(onTheWay, sent(first)).frame).toEqual(now)
})

it('frames that grew or shrank since the first arrive as they are', () => {
  const first = frame(Array.from({ length: 600 }, (_, n) => thing(n)))
  for (const entities of [first.entities.slice(0, 550), [...first.entities, thing(600)], first.entities.slice(1)]) {
    const now = frame([...entities], 5)
    expect(unpacked(sent(packed(record(now), first)), first).frame).toEqual(now)
  }
})

it('small frames go as they are', () => {
  const small = record(frame([thing(0)]))
  expect(packed(small, small.frame)).toBe(small)
})
