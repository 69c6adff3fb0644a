/**
 * A grid drawn as one picture with a pixel per cell, for worlds seen from far away and for layers of numbers: a map of
 * 512 by 512 cells costs one texture instead of a quarter of a million shapes.
 */
import { CanvasSource, Sprite, Texture } from 'pixi.js'
import { UNIT } from '../scenes/scene.ts'
import { pixel } from '../theme.ts'

export class PixelMap {
  readonly sprite: Sprite
  readonly width: number
  readonly height: number
  readonly #context: CanvasRenderingContext2D
  readonly #image: ImageData
  /** The same bytes as whole pixels. */
  readonly #pixels: Uint32Array
  readonly #source: CanvasSource

  /** Cells (0, 0) to (width − 1, height − 1) of the world. */
  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    const canvas = document.createElement('canvas')
    canvas.width = width
    canvas.height = height
    this.#context = canvas.getContext('2d')!
    this.#image = this.#context.createImageData(width, height)
    this.#pixels = new Uint32Array(this.#image.data.buffer)
    this.#source = new CanvasSource({ resource: canvas, scaleMode: 'nearest' })
    this.sprite = new Sprite(new Texture({ source: this.#source }))
    this.sprite.scale.set(UNIT)
    this.sprite.position.set(-0.5 * UNIT, -0.5 * UNIT)
  }

  clear(): void {
    this.#pixels.fill(0)
  }

  /** @param colour 0xrrggbb; cells outside are passed over @param alpha 0 to 1 */
  set(x: number, y: number, colour: number, alpha = 1): void {
    const [cx, cy] = [Math.round(x), Math.round(y)]
    if (cx < 0 || cy < 0 || cx >= this.width || cy >= this.height) return
    this.#pixels[cy * this.width + cx] = pixel(colour, alpha)
  }

  /** What was set so far becomes the ground that `restore` goes back to. */
  keep(): Uint32Array {
    return this.#pixels.slice()
  }

  restore(ground: Uint32Array): void {
    this.#pixels.set(ground)
  }

  /** Shows what was set. */
  show(): void {
    this.#context.putImageData(this.#image, 0, 0)
    this.#source.update()
  }

  dispose(): void {
    this.sprite.texture.destroy(true)
  }
}
