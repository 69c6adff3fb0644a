/**
 * Walking in the `smaclite` rule set: optimal reciprocal collision avoidance (van den Berg, Guy, Lin, Manocha 2011,
 * "Reciprocal n-body collision avoidance", with the linear programs of their RVO2 library), as that program uses it:
 * horizon one second, only neighbours nearer than the own radius plus the largest one, those who stand are walls.
 * Differences: walls of the terrain are slid along instead of being half planes.
 */
import { WALKING, type Engine } from './engine.ts'
import { EDGE, standsOn, wallAt } from './ground.ts'
import { type SkirmishState } from './state.ts'
import { LOOPS_PER_SECOND } from './units.ts'

const EPSILON = 1e-5

/** Moves every walking unit of a lane by one loop. */
export function avoidAndMove(state: SkirmishState, engine: Engine, lane: number): void {
  const { plan, type, x, y, vx, vy, health } = state
  const { tables, terrain, units } = plan
  const { live, living, mode, wx, wy, lines, result, goal } = engine
  const first = lane * units
  let largest = 0
  for (let u = 0; u < units; u++) largest = Math.max(largest, tables.radius[type[first + u]])
  for (let a = 0; a < living; a++) {
    const u = live[a]
    const i = first + u
    if (mode[u] !== WALKING) {
      engine.vx[u] = engine.vy[u] = 0
      continue
    }
    const own = tables.radius[type[i]]
    const layer = tables.layer[type[i]]
    const near = (own + largest) * (own + largest)
    let count = 0
    for (let b = 0; b < living; b++) {
      const o = live[b]
      const j = first + o
      if (o === u || (tables.layer[type[j]] & layer) === 0) continue
      const px = x[j] - x[i]
      const py = y[j] - y[i]
      const d2 = px * px + py * py
      if (d2 >= near) continue
      halfPlane(state, engine, count++, i, j, mode[o] === WALKING)
    }
    const wantX = wx[u] * LOOPS_PER_SECOND
    const wantY = wy[u] * LOOPS_PER_SECOND
    const speed = Math.sqrt(wantX * wantX + wantY * wantY)
    const limit = Math.max(
      speed,
      tables.speed[(u < plan.sides[0].count ? 0 : 1) * tables.types.length + type[i]] * LOOPS_PER_SECOND,
    )
    goal[0] = wantX
    goal[1] = wantY
    goal[2] = limit
    const failed = program2(lines, count, goal, false, result)
    if (failed < count) program3(engine, count, failed)
    engine.vx[u] = result[0]
    engine.vy[u] = result[1]
  }
  const boundX = terrain.width / 2 - EDGE
  const boundY = terrain.height / 2 - EDGE
  for (let a = 0; a < living; a++) {
    const u = live[a]
    const i = first + u
    vx[i] = engine.vx[u]
    vy[i] = engine.vy[u]
    if (health[i] <= 0 || (vx[i] === 0 && vy[i] === 0)) continue
    const dx = vx[i] / LOOPS_PER_SECOND
    const dy = vy[i] / LOOPS_PER_SECOND
    let nx = Math.max(-boundX, Math.min(boundX, x[i] + dx))
    let ny = Math.max(-boundY, Math.min(boundY, y[i] + dy))
    if (tables.flies[type[i]] === 0) {
      const r = tables.radius[type[i]]
      const cells = terrain.walkable
      const sideX = dx > 0 ? r : dx < 0 ? -r : 0
      const sideY = dy > 0 ? r : dy < 0 ? -r : 0
      // A wall ahead of the edge stops that part of the step; a unit inside a wall already may leave it.
      if (wallAt(terrain, nx + sideX, y[i]) && !wallAt(terrain, x[i] + sideX, y[i])) nx = x[i]
      if (wallAt(terrain, nx, ny + sideY) && !wallAt(terrain, nx, y[i] + sideY)) ny = y[i]
      if (!standsOn(terrain, cells, nx, ny)) {
        nx = x[i]
        ny = y[i]
      }
    }
    x[i] = nx
    y[i] = ny
  }
}

/** Writes half plane `at` that keeps unit `i` clear of `j`; movers take half of the avoidance each. */
function halfPlane(state: SkirmishState, engine: Engine, at: number, i: number, j: number, moving: boolean): void {
  const { x, y, type, plan } = state
  const { radius } = plan.tables
  const { lines } = engine
  const vx = state.vx[i]
  const vy = state.vy[i]
  const rx = moving ? vx - state.vx[j] : vx
  const ry = moving ? vy - state.vy[j] : vy
  const px = x[j] - x[i]
  const py = y[j] - y[i]
  const d2 = px * px + py * py
  const apart = radius[type[i]] + radius[type[j]]
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
