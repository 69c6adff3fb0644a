/**
 * Shapes painted once onto one sheet and drawn as sprites of it: a thousand of them are one draw call of two triangles
 * each, with smooth edges on every machine. Shapes are described at UNIT drawing units per world unit, around (0, 0).
 */
import { CanvasSource, Rectangle, Sprite, Texture } from 'pixi.js'

/** Pixels of the sheet per drawing unit: shapes are sharp up to 128 pixels per world unit. */
const DENSITY = 2
/** A shape reaches at most this far from its middle, in drawing units; what is left over keeps neighbours apart. */
const REACH = 48

export type Painter = (onto: CanvasRenderingContext2D) => void

export class ShapeSheet {
  readonly #source: CanvasSource
  readonly #textures: readonly Texture[]

  /** @param painters one for each shape; a shape's number is its place here */
  constructor(painters: readonly Painter[]) {
    const cell = 2 * REACH * DENSITY
    const columns = Math.ceil(Math.sqrt(painters.length))
    const canvas = document.createElement('canvas')
    canvas.width = columns * cell
    canvas.height = Math.ceil(painters.length / columns) * cell
    const context = canvas.getContext('2d')!
    const corner = (number: number) => [(number % columns) * cell, Math.floor(number / columns) * cell] as const
    painters.forEach((paint, number) => {
      const [left, top] = corner(number)
      context.save()
      context.setTransform(DENSITY, 0, 0, DENSITY, left + cell / 2, top + cell / 2)
      paint(context)
      context.restore()
    })
    // Smaller copies for worlds seen from afar, where a sheet read pixel by pixel would shimmer.
    this.#source = new CanvasSource({ resource: canvas, scaleMode: 'linear', autoGenerateMipmaps: true })
    this.#textures = painters.map((_, number) => {
      const [left, top] = corner(number)
      return new Texture({ source: this.#source, frame: new Rectangle(left, top, cell, cell) })
    })
  }

  /** A view of a shape around its own middle. */
  sprite(number: number): Sprite {
    const sprite = new Sprite({ texture: this.#textures[number], anchor: 0.5 })
    sprite.scale.set(1 / DENSITY)
    return sprite
  }

  /** Makes a sprite of this sheet show another shape. */
  turnInto(sprite: Sprite, number: number): void {
    sprite.texture = this.#textures[number]
  }

  /** Shows or hides a sprite at no other cost: one that leaves the layer would have the layer put together anew. */
  reveal(sprite: Sprite, shown: boolean): void {
    sprite.scale.set(shown ? 1 / DENSITY : 0)
  }

  dispose(): void {
    for (const texture of this.#textures) texture.destroy()
    this.#source.destroy()
  }
}
