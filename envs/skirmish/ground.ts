/** Walking on the ground: which cell a point is in, and sliding along walls. */
import { type Terrain } from './terrain.ts'

/** Nobody's centre comes nearer to the edge of the map than this, in cells. */
export const EDGE = 1 / 64

/** Cell of a centred point, which must be on the map. */
export function cellOf(terrain: Terrain, x: number, y: number): number {
  return Math.floor(y + terrain.height / 2) * terrain.width + Math.floor(x + terrain.width / 2)
}

/** Whether a centred point is on the map and in a cell marked 1. */
export function standsOn(terrain: Terrain, cells: Uint8Array, x: number, y: number): boolean {
  const cx = Math.floor(x + terrain.width / 2)
  const cy = Math.floor(y + terrain.height / 2)
  if (cx < 0 || cy < 0 || cx >= terrain.width || cy >= terrain.height) return false
  return cells[cy * terrain.width + cx] === 1
}

/** Whether a centred point is in a wall; outside the map there is none. */
export function wallAt(terrain: Terrain, x: number, y: number): boolean {
  const cx = Math.floor(x + terrain.width / 2)
  const cy = Math.floor(y + terrain.height / 2)
  if (cx < 0 || cy < 0 || cx >= terrain.width || cy >= terrain.height) return false
  return terrain.walkable[cy * terrain.width + cx] === 0
}
