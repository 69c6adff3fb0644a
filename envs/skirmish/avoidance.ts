/**
 * Walking in the `smaclite` rule set: optimal reciprocal collision avoidance (van den Berg, Guy, Lin, Manocha 2011,
 * "Reciprocal n-body collision avoidance", with the linear programs of their RVO2 library), as that program uses it:
 * horizon one second, only neighbours nearer than the own radius plus the largest one, those who stand are walls.
 * Differences: walls of the terrain are slid along instead of being half planes.
 */
import * as engines from './engine.ts'
import { type Engine } from './engine.ts'
import { EDGE, standsOn, wallAt } from './ground.ts'
import { type SkirmishState } from './state.ts'
import { LOOPS_PER_SECOND } from './units.ts'

const { X, Y, WX, WY, PACE, RADIUS, HEALTH } = engines.BODY
const { MODE, TYPE } = engines.MARK
const { WALKING, RECORD_SHIFT } = engines

const EPSILON = 1e-5

/** Moves every walking unit of a lane by one loop. */
export function avoidAndMove(state: SkirmishState, engine: Engine, lane: number): void {
  const { plan, vx, vy } = state
  const { tables, terrain, units } = plan
  const { body, mark, live, living, lines, result, goal } = engine
  const first = lane * units
  let largest = 0
  for (let u = 0; u < units; u++) largest = Math.max(largest, tables.radius[state.type[first + u]])
  for (let a = 0; a < living; a++) {
    const b = live[a]
    const u = b >> RECORD_SHIFT
    if ((mark[b + MODE] & WALKING) === 0) {
      engine.vx[u] = engine.vy[u] = 0
      continue
    }
    const own = body[b + RADIUS]
    const layer = tables.layer[mark[b + TYPE]]
    const near = (own + largest) * (own + largest)
    let count = 0
    for (let o = 0; o < living; o++) {
      const c = live[o]
      if (c === b || (tables.layer[mark[c + TYPE]] & layer) === 0) continue
      const px = body[c + X] - body[b + X]
      const py = body[c + Y] - body[b + Y]
      const d2 = px * px + py * py
      if (d2 >= near) continue
      halfPlane(state, engine, count++, first, b, c)
    }
    const wantX = body[b + WX] * LOOPS_PER_SECOND
    const wantY = body[b + WY] * LOOPS_PER_SECOND
    const speed = Math.sqrt(wantX * wantX + wantY * wantY)
    goal[0] = wantX
    goal[1] = wantY
    goal[2] = Math.max(speed, body[b + PACE] * LOOPS_PER_SECOND)
    const failed = program2(lines, count, goal, false, result)
    if (failed < count) program3(engine, count, failed)
    engine.vx[u] = result[0]
    engine.vy[u] = result[1]
  }
  const boundX = terrain.width / 2 - EDGE
  const boundY = terrain.height / 2 - EDGE
  for (let a = 0; a < living; a++) {
    const b = live[a]
    const i = first + (b >> RECORD_SHIFT)
    vx[i] = engine.vx[b >> RECORD_SHIFT]
    vy[i] = engine.vy[b >> RECORD_SHIFT]
    if (body[b + HEALTH] <= 0 || (vx[i] === 0 && vy[i] === 0)) continue
    const px = body[b + X]
    const py = body[b + Y]
    const dx = vx[i] / LOOPS_PER_SECOND
    const dy = vy[i] / LOOPS_PER_SECOND
    let nx = Math.max(-boundX, Math.min(boundX, px + dx))
    let ny = Math.max(-boundY, Math.min(boundY, py + dy))
    if (tables.flies[mark[b + TYPE]] === 0) {
      const r = body[b + RADIUS]
      const cells = terrain.walkable
      const sideX = dx > 0 ? r : dx < 0 ? -r : 0
      const sideY = dy > 0 ? r : dy < 0 ? -r : 0
      // A wall ahead of the edge stops that part of the step; a unit inside a wall already may leave it.
      if (wallAt(terrain, nx + sideX, py) && !wallAt(terrain, px + sideX, py)) nx = px
      if (wallAt(terrain, nx, ny + sideY) && !wallAt(terrain, nx, py + sideY)) ny = py
      if (!standsOn(terrain, cells, nx, ny)) {
        nx = px
        ny = py
      }
    }
    body[b + X] = nx
    body[b + Y] = ny
  }
}

/** Writes half plane `at` that keeps unit `b` clear of `c`; movers take half of the avoidance each. */
function halfPlane(state: SkirmishState, engine: Engine, at: number, first: number, b: number, c: number): void {
  const { body, mark, lines } = engine
  const i = first + (b >> RECORD_SHIFT)
  const j = first + (c >> RECORD_SHIFT)
  const moving = (mark[c + MODE] & WALKING) !== 0
  const vx = state.vx[i]
  const vy = state.vy[i]
  const rx = moving ? vx - state.vx[j] : vx
  const ry = moving ? vy - state.vy[j] : vy
  const px = body[c + X] - body[b + X]
  const py = body[c + Y] - body[b + Y]
  const d2 = px * px + py * py
  const apart = body[b + RADIUS] + body[c + RADIUS]
  const share = moving ? 0.5 : 1
  const apart2 = apart * apart
  let dx: number
  let dy: number
  let ux: number
  let uy: number
  if (d2 > apart2) {
    const wx = rx - px
    const wy = ry - py
    const w2 = wx * wx + wy * wy
    const dot = wx * px + wy * py
    if (dot < 0 && dot * dot > apart2 * w2) {
      const w = Math.sqrt(w2)
      dx = wy / w
      dy = -wx / w
      ux = (apart - w) * (wx / w)
      uy = (apart - w) * (wy / w)
    } else {
      const leg = Math.sqrt(d2 - apart2)
      if (px * wy - py * wx > 0) {
        dx = (px * leg - py * apart) / d2
        dy = (px * apart + py * leg) / d2
      } else {
        dx = -(px * leg + py * apart) / d2
        dy = -(-px * apart + py * leg) / d2
      }
      const along = rx * dx + ry * dy
      ux = along * dx - rx
      uy = along * dy - ry
    }
  } else {
    // Overlapping: apart within this loop.
    const wx = rx - px * LOOPS_PER_SECOND
    const wy = ry - py * LOOPS_PER_SECOND
    const w = Math.sqrt(wx * wx + wy * wy)
    const ex = w > 0 ? wx / w : 1
    const ey = w > 0 ? wy / w : 0
    dx = ey
    dy = -ex
    ux = (apart * LOOPS_PER_SECOND - w) * ex
    uy = (apart * LOOPS_PER_SECOND - w) * ey
  }
  lines[at * 4] = vx + share * ux
  lines[at * 4 + 1] = vy + share * uy
  lines[at * 4 + 2] = dx
  lines[at * 4 + 3] = dy
}

/** Best velocity on line `n` within the disc and the lines before it. @returns false when there is none */
function program1(
  lines: Float64Array,
  n: number,
  goal: Float64Array,
  direction: boolean,
  result: Float64Array,
): boolean {
  const wantX = goal[0]
  const wantY = goal[1]
  const radius = goal[2]
  const px = lines[n * 4]
  const py = lines[n * 4 + 1]
  const dx = lines[n * 4 + 2]
  const dy = lines[n * 4 + 3]
  const dot = px * dx + py * dy
  const discriminant = dot * dot + radius * radius - (px * px + py * py)
  if (discriminant < 0) return false
  const root = Math.sqrt(discriminant)
  let left = -dot - root
  let right = -dot + root
  for (let i = 0; i < n; i++) {
    const ox = lines[i * 4 + 2]
    const oy = lines[i * 4 + 3]
    const denominator = dx * oy - dy * ox
    const numerator = ox * (py - lines[i * 4 + 1]) - oy * (px - lines[i * 4])
    if (Math.abs(denominator) <= EPSILON) {
      if (numerator < 0) return false
      continue
    }
    const t = numerator / denominator
    if (denominator >= 0) {
      if (t < right) right = t
    } else if (t > left) left = t
    if (left > right) return false
  }
  let t: number
  if (direction) t = wantX * dx + wantY * dy > 0 ? right : left
  else {
    t = dx * (wantX - px) + dy * (wantY - py)
    if (t < left) t = left
    else if (t > right) t = right
  }
  result[0] = px + t * dx
  result[1] = py + t * dy
  return true
}

/** `goal`: wanted velocity (or direction) x and y, greatest speed. Velocity nearest to the wanted one within the disc and all lines. @returns the line that failed, `count` if none */
function program2(
  lines: Float64Array,
  count: number,
  goal: Float64Array,
  direction: boolean,
  result: Float64Array,
): number {
  const wantX = goal[0]
  const wantY = goal[1]
  const radius = goal[2]
  const want = wantX * wantX + wantY * wantY
  if (direction) {
    result[0] = wantX * radius
    result[1] = wantY * radius
  } else if (want > radius * radius) {
    const scale = radius / Math.sqrt(want)
    result[0] = wantX * scale
    result[1] = wantY * scale
  } else {
    result[0] = wantX
    result[1] = wantY
  }
  for (let i = 0; i < count; i++) {
    const side = lines[i * 4 + 2] * (lines[i * 4 + 1] - result[1]) - lines[i * 4 + 3] * (lines[i * 4] - result[0])
    if (side <= 0) continue
    const keptX = result[0]
    const keptY = result[1]
    if (!program1(lines, i, goal, direction, result)) {
      result[0] = keptX
      result[1] = keptY
      return i
    }
  }
  return count
}

/** No velocity suits all lines: the one that is least wrong. */
function program3(engine: Engine, count: number, begin: number): void {
  const { lines, projected, result, goal } = engine
  let distance = 0
  for (let i = begin; i < count; i++) {
    const px = lines[i * 4]
    const py = lines[i * 4 + 1]
    const dx = lines[i * 4 + 2]
    const dy = lines[i * 4 + 3]
    if (dx * (py - result[1]) - dy * (px - result[0]) <= distance) continue
    let made = 0
    for (let j = 0; j < i; j++) {
      const ox = lines[j * 4 + 2]
      const oy = lines[j * 4 + 3]
      const determinant = dx * oy - dy * ox
      let qx: number
      let qy: number
      if (Math.abs(determinant) <= EPSILON) {
        if (dx * ox + dy * oy > 0) continue
        qx = 0.5 * (px + lines[j * 4])
        qy = 0.5 * (py + lines[j * 4 + 1])
      } else {
        const t = (ox * (py - lines[j * 4 + 1]) - oy * (px - lines[j * 4])) / determinant
        qx = px + t * dx
        qy = py + t * dy
      }
      const ex = ox - dx
      const ey = oy - dy
      const length = Math.sqrt(ex * ex + ey * ey)
      if (length === 0) continue
      projected[made * 4] = qx
      projected[made * 4 + 1] = qy
      projected[made * 4 + 2] = ex / length
      projected[made * 4 + 3] = ey / length
      made++
    }
    const keptX = result[0]
    const keptY = result[1]
    goal[0] = -dy
    goal[1] = dx
    if (program2(projected, made, goal, true, result) < made) {
      result[0] = keptX
      result[1] = keptY
    }
    distance = dx * (py - result[1]) - dy * (px - result[0])
  }
}
