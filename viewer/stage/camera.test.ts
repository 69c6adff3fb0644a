import { describe, expect, it } from 'vitest'
import { fit, pan, toWorld, zoomAt } from './camera.ts'

const box = { x: -0.5, y: -0.5, width: 10, height: 5 }

describe('camera', () => {
  it('fits the whole world in the middle', () => {
    const view = fit(box, 520, 800, 10)
    expect(view.scale).toBe(50)
    expect(toWorld(view, 10, 400)).toEqual({ x: -0.5, y: 2 })
    expect(toWorld(view, 510, 400)).toEqual({ x: 9.5, y: 2 })
  })

  it('zooms around the pointer', () => {
    const view = fit(box, 520, 800, 10)
    const under = toWorld(view, 123, 456)
    const closer = zoomAt(view, 123, 456, 1.7)
    expect(toWorld(closer, 123, 456).x).toBeCloseTo(under.x)
    expect(toWorld(closer, 123, 456).y).toBeCloseTo(under.y)
    expect(closer.scale).toBeCloseTo(85)
  })

  it('does not zoom or pan the world out of sight', () => {
    let view = fit(box, 520, 800, 10)
    for (let i = 0; i < 50; i++) view = zoomAt(view, 0, 0, 2)
    expect(view.scale).toBe(200)
    view = pan(view, 1e6, -1e6, box, 520, 800)
    expect(toWorld(view, 520, 0).x).toBeGreaterThan(-0.5)
    expect(toWorld(view, 0, 0).y).toBeLessThan(4.5)
  })
})
