import { expect, test } from 'vitest'
import { createBatch } from '../core/index.ts'
import { warehouse } from './index.ts'
import { fromPicture } from './picture.ts'
import { fromReference } from './reference.ts'

function drawn(picture: string) {
  const { options, state } = fromPicture(picture)
  const batch = createBatch(warehouse, options, { autoreset: 'disabled' })
  batch.reset()
  batch.load(0, fromReference(state, batch))
  return batch
}

test('robots, shelves and goals are drawn with what they carry and are', () => {
  const batch = drawn('x! .>0* g _ .<1 x')
  batch.step(Int32Array.of(1, 1))
  const { entities, events, counters, step } = batch.frame(0)
  expect(step).toBe(1)
  expect(entities.map(({ id, kind, x, y }) => [id, kind, x, y])).toEqual([
    ['goal_0', 'goal', 2, 0],
    ['shelf_0', 'shelf', 0, 0],
    ['shelf_1', 'shelf', 2, 0],
    ['shelf_2', 'shelf', 5, 0],
    ['agent_0', 'robot', 2, 0],
    ['agent_1', 'robot', 3, 0],
  ])
  expect(entities[1].state).toEqual({ number: 0, requested: true, carriedBy: null })
  expect(entities[2].state).toEqual({ number: 1, requested: false, carriedBy: 'agent_0' })
  expect(entities[4]).toMatchObject({
    heading: Math.PI / 2, // right
    team: 'robots',
    state: {
      number: 0,
      carrying: 'shelf_1',
      carryingRequested: false,
      blocked: false,
      standstill: false,
      sensorRange: 1,
    },
  })
  expect(entities[5]).toMatchObject({ heading: (3 * Math.PI) / 2, state: { carrying: null } })
  expect(events).toEqual([])
  expect(counters).toMatchObject({ deliveries: 0, distance: 2, blockedMoves: 0, stepsSinceDelivery: 1 })
})

test('events of the last step survive a snapshot', () => {
  const batch = drawn('x>0 .>1*! g .<2 _<3* .>4 .<5 _ x')
  batch.step(Int32Array.of(4, 1, 0, 0, 1, 1))
  batch.load(0, batch.save(0))
  expect(batch.frame(0).events).toEqual([
    { kind: 'pickup', at: { x: 0, y: 0 }, agents: ['agent_0'] },
    { kind: 'delivery', at: { x: 2, y: 0 }, agents: ['agent_1'] },
    { kind: 'blocked', at: { x: 5, y: 0 }, agents: ['agent_4'] },
    { kind: 'blocked', at: { x: 6, y: 0 }, agents: ['agent_5'] },
  ])
  batch.step(Int32Array.of(4, 0, 0, 4, 0, 0))
  expect(batch.frame(0).events).toEqual([
    { kind: 'putdown', at: { x: 0, y: 0 }, agents: ['agent_0'] },
    { kind: 'putdown', at: { x: 4, y: 0 }, agents: ['agent_3'] },
  ])
})

test('messages are shown as bits', () => {
  const batch = createBatch(warehouse, { robots: 1, messageBits: 3 })
  batch.reset()
  batch.step(Int32Array.of(0, 1, 1, 0))
  expect(batch.frame(0).entities.at(-1)!.state!.message).toBe('011') // bit 0 last
})
