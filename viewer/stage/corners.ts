/** The mark around what is selected in a world of cells. */
import { type Graphics } from 'pixi.js'

/**
 * Strokes the four corners of a square; all in drawing units.
 * @param half from the centre to a side
 * @param arm length of the strokes of a corner
 */
export function drawCorners(onto: Graphics, x: number, y: number, half: number, arm: number, ink: number): void {
  for (const [sx, sy] of [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ]) {
    const [cx, cy] = [x + sx * half, y + sy * half]
    onto
      .moveTo(cx - sx * arm, cy)
      .lineTo(cx, cy)
      .lineTo(cx, cy - sy * arm)
  }
  onto.stroke({ color: ink, width: 5, cap: 'round', join: 'round' })
}
