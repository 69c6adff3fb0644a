import { describe, expect, it } from 'vitest'
import { indexOf, tween, tweenAngle } from './tween.ts'
import { type Entity, type Frame } from '../envs/core/types.ts'

const frame = (entities: Entity[], step = 0): Frame => ({ step, entities, events: [], counters: {} })
const robot = (x: number, y: number, heading = 0, id = 'a'): Entity => ({ id, kind: 'robot', x, y, heading })

describe('tween', () => {
  it('finds movement by entity id, in whatever order the frames list them', () => {
    const before = frame([robot(0, 0, 0, 'a'), robot(5, 5, 0, 'b')])
    const after = frame([robot(5, 6, 0, 'b'), robot(1, 0, 0, 'a')])
    const [a, b] = tween(before, after, 0.25)
    expect([a.x, a.y]).toEqual([0.25, 0])
    expect([b.x, b.y]).toEqual([5, 5.25])
  })

  it('turns the shorter way round', () => {
    // From up (0) to left (3π/2): a quarter turn anticlockwise, not three quarters clockwise.
    expect(tweenAngle(0, 1.5 * Math.PI, 0.5)).toBeCloseTo(-Math.PI / 4)
    expect(tweenAngle(1.5 * Math.PI, 0, 0.5)).toBeCloseTo(1.75 * Math.PI)
  })

  it('does not slide over the map when something reappears elsewhere', () => {
    const [placed] = tween(frame([robot(0, 0)]), frame([robot(9, 0)]), 0.5)
    expect(placed.x).toBe(0)
  })

  it('keeps the facts of the step shown, and its entities, until the next whole step', () => {
    const before = frame([{ ...robot(0, 0), state: { carrying: null } }])
    const after = frame([{ ...robot(1, 0), state: { carrying: 'shelf_1' } }, robot(3, 3, 0, 'new')])
    const placed = tween(before, after, 0.9)
    expect(placed).toHaveLength(1)
    expect(placed[0].entity.state).toEqual({ carrying: null })
  })

  it('is the frame itself on whole steps', () => {
    const before = frame([robot(2, 3, 1)])
    expect(tween(before, frame([robot(3, 3, 2)]), 0)).toMatchObject([{ x: 2, y: 3, heading: 1 }])
  })

  it('finds an entity wherever the list of a frame has it', () => {
    const [a, b, c] = [robot(0, 0, 0, 'a'), robot(1, 0, 0, 'b'), robot(2, 0, 0, 'c')]
    for (const entities of [[a, b, c], [c, b, a], [b], [a, b, c]]) {
      const one = frame(entities)
      for (const { id } of [a, b, c]) {
        const index = entities.findIndex((entity) => entity.id === id)
        expect(indexOf(one, id)).toBe(index < 0 ? undefined : index)
      }
    }
  })
})
