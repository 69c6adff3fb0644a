/**
 * Walking in the `sc2` rule set: discs that slide around who holds its place, push idle team mates aside and never
 * overlap by more than OVERLAP. All bodies move together; pushes are whole numbers, so that no order of adding matters
 * and a mirrored battle stays mirrored to the last bit.
 */
import { BUCKET, ENGAGED, WALKING, type Engine } from './engine.ts'
import { EDGE } from './ground.ts'
import { type SkirmishState } from './state.ts'

/** Deepest overlap that a loop may create, in cells; the promise is a tenth. */
const OVERLAP = 0.08

/** Pairs farther apart than their radii and this are not looked at until somebody has travelled half of it. */
const SKIN = 1.1

/** Farthest push of one loop, in cells. */
const LONGEST_PUSH = 0.1

/** A walker that moved less than this in the last loop is in the way of others, in cells. */
const STUCK = 0.03

const SCALE = 1048576

/** Up to this many units all pairs are tried; above, the grid collects them. */
const FEW = 32

/** Moves every unit of a lane by one loop. @param walkers how many want to walk */
export function pushAndMove(state: SkirmishState, engine: Engine, lane: number, walkers: number): void {
  if (walkers === 0 && !engine.restless) return
  const { plan, type, x, y, vy: stride } = state
  const { tables, terrain, units, sides } = plan
  const { live, living, mode, wx, wy, nx, ny, ax, ay, blocker, blockedAt, pairA, pairB, pairApart, pairWide2, close } =
    engine
  const { flies, strides } = tables
  const first = lane * units
  const allies = sides[0].count
  // What may happen in this loop counts already.
  const reach = engine.travelled + LONGEST_PUSH + (walkers > 0 ? engine.fastest : 0)
  if (engine.travelled < 0 || reach * 2 > SKIN) collectPairs(state, engine, first)
  const { pairs } = engine

  for (let a = 0; a < living; a++) {
    const u = live[a]
    blocker[u] = -1
    blockedAt[u] = Infinity
    ax[u] = ay[u] = 0
  }
  // Who is stopped by somebody that holds its place?
  for (let p = 0; p < pairs; p++) {
    const u = pairA[p]
    const v = pairB[p]
    // Who walks and is in nobody's way is no obstacle; who walks and did not get anywhere is one.
    const walksU = mode[u] === WALKING
    const walksV = mode[v] === WALKING
    if (!walksU && !walksV) continue
    const friends = u < allies === v < allies
    const holdsU = walksU ? stride[first + u] < STUCK : !friends || mode[u] === ENGAGED
    const holdsV = walksV ? stride[first + v] < STUCK : !friends || mode[v] === ENGAGED
    if (!(walksU && holdsV) && !(walksV && holdsU)) continue
    const apart = pairApart[p]
    const dx = x[first + v] - x[first + u]
    const dy = y[first + v] - y[first + u]
    if (walksU && holdsV) {
      const ex = dx - wx[u]
      const ey = dy - wy[u]
      const d2 = ex * ex + ey * ey
      if (d2 < apart * apart && (d2 < blockedAt[u] || (d2 === blockedAt[u] && v < blocker[u]))) {
        blockedAt[u] = d2
        blocker[u] = v
      }
    }
    if (walksV && holdsU) {
      const ex = dx + wx[v]
      const ey = dy + wy[v]
      const d2 = ex * ex + ey * ey
      if (d2 < apart * apart && (d2 < blockedAt[v] || (d2 === blockedAt[v] && u < blocker[v]))) {
        blockedAt[v] = d2
        blocker[v] = u
      }
    }
  }
  const boundX = terrain.width / 2 - EDGE
  const boundY = terrain.height / 2 - EDGE
  const halfWidth = terrain.width / 2
  const halfHeight = terrain.height / 2
  const across = terrain.width
  const { clear } = terrain
  for (let a = 0; a < living; a++) {
    const u = live[a]
    const i = first + u
    if (mode[u] !== WALKING) {
      nx[u] = x[i]
      ny[u] = y[i]
      continue
    }
    let dx = wx[u]
    let dy = wy[u]
    if (blocker[u] >= 0) {
      // Slide around: the part of the step along the other's edge, at full pace.
      const ex = x[first + blocker[u]] - x[i]
      const ey = y[first + blocker[u]] - y[i]
      const e2 = ex * ex + ey * ey
      const into = dx * ex + dy * ey
      if (into > 0 && e2 > 0) {
        const pace = Math.sqrt(dx * dx + dy * dy)
        let tx = dx - (into / e2) * ex
        let ty = dy - (into / e2) * ey
        let t = Math.sqrt(tx * tx + ty * ty)
        if (t < 0.05 * pace) {
          // Head on: the side that leads up, in the mirrored battle too.
          const e = Math.sqrt(e2)
          const sign = ex === 0 ? (x[i] > 0 ? -1 : 1) * (ey > 0 ? -1 : 1) : ex > 0 ? 1 : -1
          tx = (-ey / e) * sign
          ty = (ex / e) * sign
          t = 1
        }
        dx = (tx / t) * pace
        dy = (ty / t) * pace
      }
    }
    let px = x[i] + dx
    let py = y[i] + dy
    if (clear[Math.floor(y[i] + halfHeight) * across + Math.floor(x[i] + halfWidth)] === 1) {
      nx[u] = px
      ny[u] = py
      continue
    }
    if (px > boundX) px = boundX
    else if (px < -boundX) px = -boundX
    if (py > boundY) py = boundY
    else if (py < -boundY) py = -boundY
    if (flies[type[i]] === 0) {
      const cells = strides[type[i]] === 1 ? terrain.strideable : terrain.walkable
      const row = Math.floor(y[i] + halfHeight) * across
      const column = Math.floor(x[i] + halfWidth)
      const toColumn = Math.floor(px + halfWidth)
      const toRow = Math.floor(py + halfHeight) * across
      if ((toColumn !== column || toRow !== row) && cells[toRow + toColumn] === 0 && cells[row + column] === 1) {
        // Into a wall: along it where one of the two directions is free.
        if (cells[row + toColumn] === 1) py = y[i]
        else if (cells[toRow + column] === 1) px = x[i]
        else {
          px = x[i]
          py = y[i]
        }
      }
    }
    nx[u] = px
    ny[u] = py
  }

  let touching = 0
  let closes = 0
  for (let p = 0; p < pairs; p++) {
    const u = pairA[p]
    const v = pairB[p]
    const dx = nx[v] - nx[u]
    const dy = ny[v] - ny[u]
    const d2 = dx * dx + dy * dy
    if (d2 >= pairWide2[p]) continue
    close[closes++] = p
    const apart = pairApart[p]
    if (d2 >= apart * apart) continue
    touching++
    const d = Math.sqrt(d2)
    const friends = u < allies === v < allies
    const walksU = mode[u] === WALKING
    const walksV = mode[v] === WALKING
    let yieldsU = walksU || (friends && walksV && mode[u] !== ENGAGED) ? 0.5 : 0
    let yieldsV = walksV || (friends && walksU && mode[v] !== ENGAGED) ? 0.5 : 0
    if (yieldsU === 0 && yieldsV === 0) yieldsU = yieldsV = 0.5
    else if (yieldsU === 0) yieldsV = 1
    else if (yieldsV === 0) yieldsU = 1
    const ex = d > 1e-9 ? dx / d : u < v === x[first + u] <= 0 ? 1 : -1
    const ey = d > 1e-9 ? dy / d : 0
    const deep = (apart - d) * SCALE
    ax[u] -= (ex * deep * yieldsU) | 0
    ay[u] -= (ey * deep * yieldsU) | 0
    ax[v] += (ex * deep * yieldsV) | 0
    ay[v] += (ey * deep * yieldsV) | 0
  }
  engine.restless = touching > 0
  if (touching > 0) {
    for (let a = 0; a < living; a++) {
      const u = live[a]
      if (ax[u] === 0 && ay[u] === 0) continue
      const i = first + u
      let dx = ax[u] / SCALE
      let dy = ay[u] / SCALE
      const d2 = dx * dx + dy * dy
      if (d2 > LONGEST_PUSH * LONGEST_PUSH) {
        const scale = LONGEST_PUSH / Math.sqrt(d2)
        dx *= scale
        dy *= scale
      }
      let px = nx[u] + dx
      let py = ny[u] + dy
      if (clear[Math.floor(ny[u] + halfHeight) * across + Math.floor(nx[u] + halfWidth)] === 1) {
        nx[u] = px
        ny[u] = py
        continue
      }
      if (px > boundX) px = boundX
      else if (px < -boundX) px = -boundX
      if (py > boundY) py = boundY
      else if (py < -boundY) py = -boundY
      if (flies[type[i]] === 0) {
        const cells = strides[type[i]] === 1 ? terrain.strideable : terrain.walkable
        const row = Math.floor(ny[u] + halfHeight) * across
        const column = Math.floor(nx[u] + halfWidth)
        const toColumn = Math.floor(px + halfWidth)
        const toRow = Math.floor(py + halfHeight) * across
        if (cells[toRow + toColumn] === 0) {
          if (cells[row + toColumn] === 1) py = ny[u]
          else if (cells[toRow + column] === 1) px = nx[u]
          else {
            px = nx[u]
            py = ny[u]
          }
        }
      }
      nx[u] = px
      ny[u] = py
    }
    // Whoever would still be too deep in somebody, and deeper than before, stays where it was; until nobody is.
    let again = true
    while (again) {
      again = false
      for (let c = 0; c < closes; c++) {
        const p = close[c]
        const u = pairA[p]
        const v = pairB[p]
        const dx = nx[v] - nx[u]
        const dy = ny[v] - ny[u]
        const least = pairApart[p] - OVERLAP
        const d2 = dx * dx + dy * dy
        if (d2 >= least * least) continue
        const bx = x[first + v] - x[first + u]
        const by = y[first + v] - y[first + u]
        if (d2 >= bx * bx + by * by) continue
        // Whoever came nearer gives way, both when they did alike. Marked now, put back after the pass, so that the
        // order of pairs does not matter.
        const byU = (nx[u] - x[first + u]) * bx + (ny[u] - y[first + u]) * by
        const byV = -(nx[v] - x[first + v]) * bx - (ny[v] - y[first + v]) * by
        if (byU >= byV) blockedAt[u] = -1
        if (byV >= byU) blockedAt[v] = -1
        again = true
      }
      if (!again) break
      for (let a = 0; a < living; a++) {
        const u = live[a]
        if (blockedAt[u] !== -1) continue
        blockedAt[u] = Infinity
        nx[u] = x[first + u]
        ny[u] = y[first + u]
      }
    }
  }
  let farthest = 0
  for (let a = 0; a < living; a++) {
    const u = live[a]
    const i = first + u
    const dx = nx[u] - x[i]
    const dy = ny[u] - y[i]
    if (dx === 0 && dy === 0) {
      stride[i] = mode[u] === WALKING ? 0 : 1
      continue
    }
    const d2 = dx * dx + dy * dy
    if (d2 > farthest) farthest = d2
    stride[i] = mode[u] === WALKING ? Math.sqrt(d2) : 1
    x[i] = nx[u]
    y[i] = ny[u]
  }
  engine.travelled += Math.sqrt(farthest)
}

/** Lists the pairs of a lane that may touch before somebody has travelled half the skin; lower unit first. */
function collectPairs(state: SkirmishState, engine: Engine, first: number): void {
  const { plan, type, x, y } = state
  const { radius, layer } = plan.tables
  const { live, living, pairA, pairB, pairApart, pairWide2 } = engine
  engine.travelled = 0
  let pairs = 0
  if (living <= FEW) {
    for (let a = 0; a < living; a++) {
      const u = live[a]
      const i = first + u
      const reach = radius[type[i]] + SKIN
      const layers = layer[type[i]]
      const px = x[i]
      const py = y[i]
      for (let b = a + 1; b < living; b++) {
        const j = first + live[b]
        const dx = x[j] - px
        const dy = y[j] - py
        const apart = reach + radius[type[j]]
        if (dx * dx + dy * dy >= apart * apart || (layer[type[j]] & layers) === 0) continue
        pairApart[pairs] = apart - SKIN
        pairWide2[pairs] = (apart - SKIN + 2 * LONGEST_PUSH) * (apart - SKIN + 2 * LONGEST_PUSH)
        pairA[pairs] = u
        pairB[pairs++] = live[b]
      }
    }
    engine.pairs = pairs
    return
  }
  const { head, next } = engine
  const { width, height } = plan.terrain
  const columns = Math.ceil(width / BUCKET)
  const rows = Math.ceil(height / BUCKET)
  head.fill(-1)
  for (let a = living - 1; a >= 0; a--) {
    const u = live[a]
    const bucket =
      Math.floor((y[first + u] + height / 2) / BUCKET) * columns + Math.floor((x[first + u] + width / 2) / BUCKET)
    next[u] = head[bucket]
    head[bucket] = u
  }
  for (let a = 0; a < living; a++) {
    const u = live[a]
    const i = first + u
    const reach = radius[type[i]] + SKIN
    const layers = layer[type[i]]
    const px = x[i]
    const py = y[i]
    // Only the buckets that the reach with the widest other body touches.
    const far = reach + engine.largest
    const c0 = Math.max(0, Math.floor((px - far + width / 2) / BUCKET))
    const c1 = Math.min(columns - 1, Math.floor((px + far + width / 2) / BUCKET))
    const r0 = Math.max(0, Math.floor((py - far + height / 2) / BUCKET))
    const r1 = Math.min(rows - 1, Math.floor((py + far + height / 2) / BUCKET))
    for (let r = r0; r <= r1; r++) {
      for (let c = c0; c <= c1; c++) {
        for (let v = head[r * columns + c]; v >= 0; v = next[v]) {
          if (v <= u) continue
          const j = first + v
          const dx = x[j] - px
          const dy = y[j] - py
          const apart = reach + radius[type[j]]
          if (dx * dx + dy * dy >= apart * apart || (layer[type[j]] & layers) === 0) continue
          pairApart[pairs] = apart - SKIN
          pairWide2[pairs] = (apart - SKIN + 2 * LONGEST_PUSH) * (apart - SKIN + 2 * LONGEST_PUSH)
          pairA[pairs] = u
          pairB[pairs++] = v
        }
      }
    }
  }
  engine.pairs = pairs
}
