/** Dashed frames around what differs, above the world. Loaded with the stage. */
import { Graphics } from 'pixi.js'
import { UNIT } from '../scenes/scene.ts'

/** Half the side of a frame, in world units. */
const HALF = 0.56
const DASHES = 4

export class Outlines {
  readonly view = new Graphics()

  /** @param places in world units */
  show(places: readonly { readonly x: number; readonly y: number }[], colour: number): void {
    this.view.clear()
    for (const { x, y } of places) {
      const [left, top, side] = [(x - HALF) * UNIT, (y - HALF) * UNIT, 2 * HALF * UNIT]
      const dash = side / (2 * DASHES - 1)
      for (let k = 0; k < DASHES; k++) {
        const from = 2 * k * dash
        this.view.moveTo(left + from, top).lineTo(left + from + dash, top)
        this.view.moveTo(left + from, top + side).lineTo(left + from + dash, top + side)
        this.view.moveTo(left, top + from).lineTo(left, top + from + dash)
        this.view.moveTo(left + side, top + from).lineTo(left + side, top + from + dash)
      }
    }
    if (places.length > 0) this.view.stroke({ color: colour, width: 4 })
  }
}
