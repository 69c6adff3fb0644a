/**
 * Walking in the `sc2` rule set: discs that slide around who holds its place, push idle team mates aside and never
 * overlap by more than OVERLAP. All bodies move together; pushes are whole numbers, so that no order of adding matters
 * and a mirrored battle stays mirrored to the last bit.
 */
import * as engines from './engine.ts'
import { type Engine } from './engine.ts'
import { EDGE as LEAST_TO_EDGE } from './ground.ts'
import { type SkirmishState } from './state.ts'
import { type Terrain } from './terrain.ts'

const { X, Y, NX, NY, WX, WY, RADIUS, STRIDE, HEALTH } = engines.BODY
const { MODE, TYPE, ROW, SIDE, BLOCKER, AX, AY } = engines.MARK
const { WALKING, ENGAGED, BEAT, PAIR, RECORD_SHIFT, LONGEST_PUSH } = engines
const EDGE = LEAST_TO_EDGE

/** Deepest overlap that a beat may create, in cells; the promise is a tenth. */
const OVERLAP = 0.08

/** Pushes are counted in these parts of a cell. */
const SCALE = 1048576

/** Bits of MODE that hold a place against friends and against opponents. */
const AGAINST_FRIENDS = 2
const AGAINST_FOES = 4

/**
 * Moves every unit of the lane by one loop. `decide` has set modes, wanted displacements and next places. Bodies meet at
 * the end of a beat of two loops: in its first loop units only walk, and look for who stands in their way in the whole
 * beat; in its last one those who overlap are pushed apart.
 * @param begins whether the loop is the first of a beat
 * @param meets whether it is the last one
 */
export function pushAndMove(state: SkirmishState, engine: Engine, begins: boolean, meets: boolean): void {
  const { walkers } = engine
  if (begins) beginBeat(engine)
  if (walkers === 0 && !engine.restless && engine.strode === 0) return
  const rested = engine.strode === 0
  if (rested || engine.died) findPairs(engine)
  if (walkers > 0) {
    if (rested) findBlockers(engine)
    walk(state, engine)
  }
  engine.strode++
  if (!meets) {
    stride(engine)
    return
  }
  const touching = push(engine)
  engine.restless = touching > 0
  if (touching > 0) {
    giveWay(state, engine)
    holdBack(engine)
  }
  settle(engine)
}

/** Remembers where everybody is: who could not stay where it gets goes back there. */
function beginBeat(engine: Engine): void {
  const { body, live, living, anchorX, anchorY } = engine
  engine.strode = 0
  for (let a = 0; a < living; a++) {
    const b = live[a]
    anchorX[b >> RECORD_SHIFT] = body[b + X]
    anchorY[b >> RECORD_SHIFT] = body[b + Y]
  }
}

/** The next places become the places, before the bodies meet. */
function stride(engine: Engine): void {
  const { body, live, living } = engine
  for (let a = 0; a < living; a++) {
    const b = live[a]
    body[b + X] = body[b + NX]
    body[b + Y] = body[b + NY]
  }
}

/** Who is stopped by somebody that holds its place? Who walks and is in nobody's way is no obstacle. */
function findBlockers(engine: Engine): void {
  const { body, mark, pair, pairApart, pairs, blockedAt } = engine
  for (let p = 0, at = 0; p < pairs; p++, at += PAIR) {
    const b = pair[at]
    const c = pair[at + 1]
    const holds = pair[at + 2]
    const modeB = mark[b + MODE]
    const modeC = mark[c + MODE]
    const stopsB = (modeB & WALKING) !== 0 && (modeC & holds) !== 0
    const stopsC = (modeC & WALKING) !== 0 && (modeB & holds) !== 0
    if (!stopsB && !stopsC) continue
    const apart = pairApart[p]
    const dx = body[c + X] - body[b + X]
    const dy = body[c + Y] - body[b + Y]
    if (stopsB) {
      const ex = dx - BEAT * body[b + WX]
      const ey = dy - BEAT * body[b + WY]
      const d2 = ex * ex + ey * ey
      if (d2 < apart * apart) noteBlocker(mark, blockedAt, b, c, d2)
    }
    if (stopsC) {
      const ex = dx + BEAT * body[c + WX]
      const ey = dy + BEAT * body[c + WY]
      const d2 = ex * ex + ey * ey
      if (d2 < apart * apart) noteBlocker(mark, blockedAt, c, b, d2)
    }
  }
}

/** The nearest counts; of two alike the lower one. */
function noteBlocker(mark: Int32Array, blockedAt: Float64Array, b: number, c: number, d2: number): void {
  const known = mark[b + BLOCKER]
  const u = b >> RECORD_SHIFT
  if (known >= 0 && (d2 > blockedAt[u] || (d2 === blockedAt[u] && c > known))) return
  blockedAt[u] = d2
  mark[b + BLOCKER] = c
}

/** Next places of those who walk: around blockers, along walls. */
function walk(state: SkirmishState, engine: Engine): void {
  const { terrain } = state.plan
  const { body, mark, live, living } = engine
  const { clear, width } = terrain
  const halfWidth = width / 2
  const halfHeight = terrain.height / 2
  for (let a = 0; a < living; a++) {
    const b = live[a]
    if ((mark[b + MODE] & WALKING) === 0) continue
    const blocker = mark[b + BLOCKER]
    if (blocker >= 0 && body[blocker + HEALTH] > 0) slide(engine, b, blocker)
    // Centred places are on the map, so that cutting off is rounding down.
    const cell = ((body[b + Y] + halfHeight) | 0) * width + ((body[b + X] + halfWidth) | 0)
    if (clear[cell] === 0) alongWalls(terrain, engine, b, body[b + X], body[b + Y], true)
  }
}

/** Turns the step of `b` along the edge of its blocker `c`, at full pace. */
function slide(engine: Engine, b: number, c: number): void {
  const { body } = engine
  const px = body[b + X]
  const py = body[b + Y]
  const dx = body[b + WX]
  const dy = body[b + WY]
  const ex = body[c + X] - px
  const ey = body[c + Y] - py
  const e2 = ex * ex + ey * ey
  const into = dx * ex + dy * ey
  if (!(into > 0 && e2 > 0)) return
  const pace = Math.sqrt(dx * dx + dy * dy)
  let tx = dx - (into / e2) * ex
  let ty = dy - (into / e2) * ey
  let t = Math.sqrt(tx * tx + ty * ty)
  if (t < 0.05 * pace) {
    // Head on: the side that leads up, in the mirrored battle too.
    const e = Math.sqrt(e2)
    const sign = ex === 0 ? (px > 0 ? -1 : 1) * (ey > 0 ? -1 : 1) : ex > 0 ? 1 : -1
    tx = (-ey / e) * sign
    ty = (ex / e) * sign
    t = 1
  }
  body[b + NX] = px + (tx / t) * pace
  body[b + NY] = py + (ty / t) * pace
}

/**
 * Keeps the next place of `b`, that comes from (x, y), on the map and out of walls: along a wall where one of the two
 * directions is free.
 * @param enclosed who stands in a wall already may walk on in it
 */
function alongWalls(terrain: Terrain, engine: Engine, b: number, x: number, y: number, enclosed: boolean): void {
  const { body, mark, flies, strides } = engine
  const { width, height } = terrain
  const boundX = width / 2 - EDGE
  const boundY = height / 2 - EDGE
  let px = body[b + NX]
  let py = body[b + NY]
  if (px > boundX) px = boundX
  else if (px < -boundX) px = -boundX
  if (py > boundY) py = boundY
  else if (py < -boundY) py = -boundY
  if (flies[mark[b + TYPE]] === 0) {
    const cells = strides[mark[b + TYPE]] === 1 ? terrain.strideable : terrain.walkable
    const row = Math.floor(y + height / 2) * width
    const column = Math.floor(x + width / 2)
    const toColumn = Math.floor(px + width / 2)
    const toRow = Math.floor(py + height / 2) * width
    const stays = enclosed && ((toColumn === column && toRow === row) || cells[row + column] === 0)
    if (!stays && cells[toRow + toColumn] === 0) {
      if (cells[row + toColumn] === 1) py = y
      else if (cells[toRow + column] === 1) px = x
      else {
        px = x
        py = y
      }
    }
  }
  body[b + NX] = px
  body[b + NY] = py
}

/** Adds up the pushes of all who would overlap, and lists who comes near. @returns how many pairs overlap */
function push(engine: Engine): number {
  const { body, pair, pairApart, pairWide2, pairs, close } = engine
  let touching = 0
  let closes = 0
  for (let p = 0, at = 0; p < pairs; p++, at += PAIR) {
    const b = pair[at]
    const c = pair[at + 1]
    const dx = body[c + NX] - body[b + NX]
    const dy = body[c + NY] - body[b + NY]
    const d2 = dx * dx + dy * dy
    if (d2 >= pairWide2[p]) continue
    close[closes++] = p
    const apart = pairApart[p]
    if (d2 >= apart * apart) continue
    touching++
    pushApart(engine, b, c, pair[at + 2], dx, dy, d2, apart)
  }
  engine.closes = closes
  return touching
}

/** Who walks yields, and who idles to friends that walk; two who yield share it. */
function pushApart(
  engine: Engine,
  b: number,
  c: number,
  holds: number,
  dx: number,
  dy: number,
  d2: number,
  apart: number,
): void {
  const { body, mark } = engine
  const modeB = mark[b + MODE]
  const modeC = mark[c + MODE]
  const friends = holds === AGAINST_FRIENDS
  const walksB = (modeB & WALKING) !== 0
  const walksC = (modeC & WALKING) !== 0
  let yieldsB = walksB || (friends && walksC && modeB !== ENGAGED) ? 0.5 : 0
  let yieldsC = walksC || (friends && walksB && modeC !== ENGAGED) ? 0.5 : 0
  if (yieldsB === 0 && yieldsC === 0) yieldsB = yieldsC = 0.5
  else if (yieldsB === 0) yieldsC = 1
  else if (yieldsC === 0) yieldsB = 1
  const d = Math.sqrt(d2)
  const ex = d > 1e-9 ? dx / d : body[b + X] <= 0 ? 1 : -1
  const ey = d > 1e-9 ? dy / d : 0
  const deep = (apart - d) * SCALE
  mark[b + AX] -= (ex * deep * yieldsB) | 0
  mark[b + AY] -= (ey * deep * yieldsB) | 0
  mark[c + AX] += (ex * deep * yieldsC) | 0
  mark[c + AY] += (ey * deep * yieldsC) | 0
}

/** Moves everybody by the pushes it got. */
function giveWay(state: SkirmishState, engine: Engine): void {
  const { terrain } = state.plan
  const { body, mark, live, living } = engine
  const { clear, width } = terrain
  const halfWidth = width / 2
  const halfHeight = terrain.height / 2
  for (let a = 0; a < living; a++) {
    const b = live[a]
    if (mark[b + AX] === 0 && mark[b + AY] === 0) continue
    let dx = mark[b + AX] / SCALE
    let dy = mark[b + AY] / SCALE
    const d2 = dx * dx + dy * dy
    if (d2 > LONGEST_PUSH * LONGEST_PUSH) {
      const scale = LONGEST_PUSH / Math.sqrt(d2)
      dx *= scale
      dy *= scale
    }
    const x = body[b + NX]
    const y = body[b + NY]
    body[b + NX] = x + dx
    body[b + NY] = y + dy
    if (clear[((y + halfHeight) | 0) * width + ((x + halfWidth) | 0)] === 0) alongWalls(terrain, engine, b, x, y, false)
  }
}

/** In BLOCKER, once walking is done: goes back to where it was; has just gone back. */
const BACK = -2
const WENT_BACK = -3

/**
 * Whoever would still be too deep in somebody, and deeper than before, goes back to where it began; until nobody is. Whoever came
 * nearer gives way, both when they did alike. Marked first, put back after the pass, so that the order of pairs does not
 * matter. Later passes look only at pairs of whom one has just gone back: the others are as they were.
 */
function holdBack(engine: Engine): void {
  const { body, mark, pair, pairApart, close, closes, order: going, anchorX, anchorY } = engine
  // going[from] to going[to - 1] went back in the pass before; nobody goes back twice.
  let from = 0
  let to = 0
  do {
    let end = to
    for (let k = 0; k < closes; k++) {
      const p = close[k]
      const b = pair[p * PAIR]
      const c = pair[p * PAIR + 1]
      if (to > 0 && mark[b + BLOCKER] !== WENT_BACK && mark[c + BLOCKER] !== WENT_BACK) continue
      const dx = body[c + NX] - body[b + NX]
      const dy = body[c + NY] - body[b + NY]
      const least = pairApart[p] - OVERLAP
      const d2 = dx * dx + dy * dy
      if (d2 >= least * least) continue
      const u = b >> RECORD_SHIFT
      const v = c >> RECORD_SHIFT
      const bx = anchorX[v] - anchorX[u]
      const by = anchorY[v] - anchorY[u]
      if (d2 >= bx * bx + by * by) continue
      const byB = (body[b + NX] - anchorX[u]) * bx + (body[b + NY] - anchorY[u]) * by
      const byC = -(body[c + NX] - anchorX[v]) * bx - (body[c + NY] - anchorY[v]) * by
      if (byB >= byC && mark[b + BLOCKER] !== BACK) {
        mark[b + BLOCKER] = BACK
        going[end++] = b
      }
      if (byC >= byB && mark[c + BLOCKER] !== BACK) {
        mark[c + BLOCKER] = BACK
        going[end++] = c
      }
    }
    for (let k = from; k < to; k++) mark[going[k] + BLOCKER] = -1
    for (let k = to; k < end; k++) {
      const b = going[k]
      mark[b + BLOCKER] = WENT_BACK
      body[b + NX] = anchorX[b >> RECORD_SHIFT]
      body[b + NY] = anchorY[b >> RECORD_SHIFT]
    }
    from = to
    to = end
  } while (from < to)
}

/** The next places become the places. */
function settle(engine: Engine): void {
  const { body, mark, live, living, anchorX, anchorY, strode } = engine
  let farthest = 0
  for (let a = 0; a < living; a++) {
    const b = live[a]
    const nx = body[b + NX]
    const ny = body[b + NY]
    const dx = nx - anchorX[b >> RECORD_SHIFT]
    const dy = ny - anchorY[b >> RECORD_SHIFT]
    const d2 = dx * dx + dy * dy
    if (d2 > farthest) farthest = d2
    body[b + STRIDE] = (mark[b + MODE] & WALKING) !== 0 ? Math.sqrt(d2) / strode : 1
    body[b + X] = nx
    body[b + Y] = ny
  }
  const travelled = Math.sqrt(farthest)
  engine.travelled += travelled
  engine.farTravelled += travelled
}

/**
 * Keeps two lists of pairs, of the lower unit and the higher one: `far`, who may touch in this step, and from it `pair`,
 * who may touch before somebody has travelled half the skin. What may happen in this beat counts already.
 */
function findPairs(engine: Engine): void {
  const { skin } = engine
  const ahead = LONGEST_PUSH + BEAT * engine.fastest
  const first = engine.farTravelled < 0
  if (!first && !engine.died && (engine.travelled + ahead) * 2 <= skin) return
  // In the middle of a beat its first loop is not counted yet.
  const travelled = engine.farTravelled + engine.strode * engine.fastest
  if (first || travelled * 2 + skin > engine.farSkin) collectFar(engine)
  collectNear(engine)
}

/** All pairs are tried; in a crowd only those that are near from west to east. */
function collectFar(engine: Engine): void {
  const { body, mark, live, living, farSkin, far2, order } = engine
  engine.farTravelled = 0
  engine.fars = 0
  const crowd = living > CROWD
  if (crowd) sortByX(engine)
  const row = crowd ? order : live
  const widest = farSkin + engine.largest + ROUNDING
  for (let a = 0; a < living; a++) {
    const b = row[a]
    const px = body[b + X]
    const py = body[b + Y]
    const kind = mark[b + ROW]
    const end = crowd ? px + widest + body[b + RADIUS] : Infinity
    for (let o = a + 1; o < living; o++) {
      const c = row[o]
      const cx = body[c + X]
      if (cx > end) break
      const dx = cx - px
      const dy = body[c + Y] - py
      if (dx * dx + dy * dy >= far2[kind + mark[c + TYPE]]) continue
      engine.far[engine.fars++] = b < c ? b : c
      engine.far[engine.fars++] = b < c ? c : b
    }
  }
}

/** Above this many units they are sorted before pairs are tried. */
const CROWD = 40

/** More than sums of coordinates can be rounded, in cells. */
const ROUNDING = 1e-9

/** Puts the living into `order` from west to east: counted into columns of cells, then by insertion. */
function sortByX(engine: Engine): void {
  const { body, live, living, order, strip } = engine
  const half = strip.length / 2
  strip.fill(0)
  for (let a = 0; a < living; a++) strip[(body[live[a] + X] + half) | 0]++
  let sum = 0
  for (let s = 0; s < strip.length; s++) {
    sum += strip[s]
    strip[s] = sum
  }
  for (let a = living - 1; a >= 0; a--) {
    const b = live[a]
    order[--strip[(body[b + X] + half) | 0]] = b
  }
  for (let a = 1; a < living; a++) {
    const b = order[a]
    const px = body[b + X]
    let o = a - 1
    while (o >= 0 && body[order[o] + X] > px) {
      order[o + 1] = order[o]
      o--
    }
    order[o + 1] = b
  }
}

function collectNear(engine: Engine): void {
  const { body, mark, far, fars, near2, pair, pairApart, pairWide2, apart, wide2 } = engine
  engine.travelled = 0
  engine.died = false
  let pairs = 0
  for (let at = 0; at < fars; at += 2) {
    const b = far[at]
    const c = far[at + 1]
    const dx = body[c + X] - body[b + X]
    const dy = body[c + Y] - body[b + Y]
    const kind = mark[b + ROW] + mark[c + TYPE]
    if (dx * dx + dy * dy >= near2[kind]) continue
    pair[pairs * PAIR] = b
    pair[pairs * PAIR + 1] = c
    pair[pairs * PAIR + 2] = mark[b + SIDE] === mark[c + SIDE] ? AGAINST_FRIENDS : AGAINST_FOES
    pairApart[pairs] = apart[kind]
    pairWide2[pairs] = wide2[kind]
    pairs++
  }
  engine.pairs = pairs
}
