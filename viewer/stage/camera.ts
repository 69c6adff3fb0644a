/** Where the picture sits on the screen: world units to pixels and back. Pure, tested without a screen. */

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface View {
  /** Pixels per world unit. */
  readonly scale: number
  /** Pixel of world (0, 0). */
  readonly x: number
  readonly y: number
}

/** Where the camera looks: the world point in the middle, and how much larger than fitted. Means the same on any screen. */
export interface Sight {
  readonly x: number
  readonly y: number
  /** 1 = as large as when the whole world is fitted. */
  readonly zoom: number
}

/** Largest and smallest size of a world unit on the screen, in pixels. */
const LARGEST = 200
const SMALLEST = 0.25

/** The whole box in the middle of the screen, as large as it goes. @param padding pixels on every side */
export function fit(box: Box, width: number, height: number, padding: number, largest = 96): View {
  const room = (size: number) => Math.max(1, size - 2 * padding)
  const scale = Math.min(largest, room(width) / box.width, room(height) / box.height)
  return {
    scale,
    x: (width - box.width * scale) / 2 - box.x * scale,
    y: (height - box.height * scale) / 2 - box.y * scale,
  }
}

/** Zooms so that the world point under the pointer stays under it. */
export function zoomAt(view: View, x: number, y: number, factor: number): View {
  const scale = Math.min(LARGEST, Math.max(SMALLEST, view.scale * factor))
  const ratio = scale / view.scale
  return { scale, x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio }
}

/** Moves the picture, but never so far that none of the box is left on the screen. */
export function pan(view: View, dx: number, dy: number, box: Box, width: number, height: number): View {
  const keep = 48
  const hold = (at: number, from: number, size: number, screen: number) =>
    Math.min(screen - keep - from * view.scale, Math.max(keep - (from + size) * view.scale, at))
  return {
    scale: view.scale,
    x: hold(view.x + dx, box.x, box.width, width),
    y: hold(view.y + dy, box.y, box.height, height),
  }
}

export function toWorld(view: View, x: number, y: number): { x: number; y: number } {
  return { x: (x - view.x) / view.scale, y: (y - view.y) / view.scale }
}

/** The part of the world that a screen of this size shows. */
export function visibleBox(view: View, width: number, height: number): Box {
  const { x, y } = toWorld(view, 0, 0)
  return { x, y, width: width / view.scale, height: height / view.scale }
}
