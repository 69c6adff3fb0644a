/** Bodies: `../pushing.ts`. Which pairs may meet is found anew in each beat; that list holds more than is needed. */
import * as m from './memory'
import { walkers } from './orders'

const OVERLAP: f64 = 0.08
const SCALE: f64 = 1048576
const AGAINST_FRIENDS: i32 = 2
const AGAINST_FOES: i32 = 4

/** In BLOCKER, once walking is done: goes back to where it was; has just gone back. */
const BACK: u32 = 1
const WENT_BACK: u32 = 2

/** Above this many units they are sorted from west to east before pairs are tried. */
const CROWD: i32 = 40

// Places in the record of a pair: the lower unit, the higher one, what holds between them, sum of the radii.
const LOWER: usize = 0
const HIGHER: usize = 4
const HOLDS: usize = 8
const APART: usize = 16
const PAIR: usize = 24

let strode: i32 = 0
let restless: bool = true
let pairs: i32 = 0
let closes: i32 = 0

export function beginStep(): void {
  restless = true
  strode = 0
  pairs = 0
}

/** The dead leave their pairs. */
export function forgetTheDead(): void {
  let to = m.pairsAt
  const end = m.pairsAt + <usize>pairs * PAIR
  for (let p = m.pairsAt; p < end; p += PAIR) {
    if (load<f64>(<usize>load<u32>(p, LOWER), m.HEALTH) <= 0) continue
    if (load<f64>(<usize>load<u32>(p, HIGHER), m.HEALTH) <= 0) continue
    if (to != p) {
      store<i64>(to, load<i64>(p))
      store<i32>(to, load<i32>(p, HOLDS), HOLDS)
      store<f64>(to, load<f64>(p, APART), APART)
    }
    to += PAIR
  }
  pairs = <i32>((to - m.pairsAt) / PAIR)
}

/** Moves every unit by one loop. */
export function pushAndMove(begins: bool, meets: bool): void {
  const living = m.living
  const live = m.liveAt
  if (begins) {
    strode = 0
    for (let a = 0; a < living; a++) {
      const b = <usize>load<u32>(live + (<usize>a << 2))
      v128.store(b, v128.load(b, m.X), m.ANCHOR_X)
    }
  }
  const moving = walkers > 0
  if (!moving && !restless && strode == 0) return
  if (strode == 0) findPairs(moving)
  if (moving) walk()
  strode++
  if (!meets) {
    for (let a = 0; a < living; a++) {
      const b = <usize>load<u32>(live + (<usize>a << 2))
      v128.store(b, v128.load(b, m.NX), m.X)
    }
    return
  }
  restless = push()
  if (restless) {
    giveWay()
    holdBack()
  }
  settle()
}

/** Fills the columns that pairs are searched in. */
function lineUp(): void {
  const living = m.living
  const live = m.liveAt
  const order = m.orderListAt
  const xs = m.columnsAt
  const ys = xs + (<usize>(m.units + 2) << 3)
  if (living <= CROWD) {
    for (let a = 0; a < living; a++) {
      const at = <usize>a << 3
      const b = <usize>load<u32>(live + (<usize>a << 2))
      store<f64>(xs + at, load<f64>(b, m.X))
      store<f64>(ys + at, load<f64>(b, m.Y))
    }
  } else {
    // Counted into columns of cells, then by insertion.
    const strip = m.stripAt
    const half = <f64>m.width / 2
    memory.fill(strip, 0, <usize>m.width << 2)
    for (let a = 0; a < living; a++) {
      const at = strip + (<usize>(<i32>(load<f64>(<usize>load<u32>(live + (<usize>a << 2)), m.X) + half)) << 2)
      store<i32>(at, load<i32>(at) + 1)
    }
    let sum = 0
    for (let s = 0; s < m.width; s++) {
      const at = strip + (<usize>s << 2)
      sum += load<i32>(at)
      store<i32>(at, sum)
    }
    for (let a = living - 1; a >= 0; a--) {
      const b = load<u32>(live + (<usize>a << 2))
      const at = strip + (<usize>(<i32>(load<f64>(<usize>b, m.X) + half)) << 2)
      const place = load<i32>(at) - 1
      store<i32>(at, place)
      store<u32>(order + (<usize>place << 2), b)
    }
    for (let a = 0; a < living; a++) {
      const b = load<u32>(order + (<usize>a << 2))
      const px = load<f64>(<usize>b, m.X)
      let o = a - 1
      while (o >= 0 && load<f64>(xs + (<usize>o << 3)) > px) {
        store<f64>(xs + (<usize>(o + 1) << 3), load<f64>(xs + (<usize>o << 3)))
        store<u32>(order + (<usize>(o + 1) << 2), load<u32>(order + (<usize>o << 2)))
        o--
      }
      store<f64>(xs + (<usize>(o + 1) << 3), px)
      store<u32>(order + (<usize>(o + 1) << 2), b)
    }
    for (let a = 0; a < living; a++) {
      store<f64>(ys + (<usize>a << 3), load<f64>(<usize>load<u32>(order + (<usize>a << 2)), m.Y))
    }
  }
  // Pairs are tried two by two: behind the last there is nobody near.
  for (let a = living; a < living + 2; a++) {
    store<f64>(xs + (<usize>a << 3), 1e300)
    store<f64>(ys + (<usize>a << 3), 1e300)
  }
}

/** Lists all who may touch in this beat, and notes who stands in whose way. */
function findPairs(moving: bool): void {
  lineUp()
  const living = m.living
  const crowd = living > CROWD
  const row = crowd ? m.orderListAt : m.liveAt
  const xs = m.columnsAt
  const ys = xs + (<usize>(m.units + 2) << 3)
  // Each walks a beat, slid or not, may be moved in from the edge of the map, and is pushed.
  const spare = 2 * (<f64>m.BEAT * m.fastest + m.longestPush + m.edge) + 1e-9
  const reach = 2 * m.largest + spare
  const reach2 = f64x2.splat(reach * reach)
  let to = m.pairsAt
  for (let a = 0; a < living; a++) {
    const px = load<f64>(xs + (<usize>a << 3))
    const xx = f64x2.splat(px)
    const yy = f64x2.splat(load<f64>(ys + (<usize>a << 3)))
    const end = crowd ? px + reach : 1e299
    const first = <usize>load<u32>(row + (<usize>a << 2))
    for (let o = a + 1; o < living; o += 2) {
      const at = <usize>o << 3
      if (load<f64>(xs + at) > end) break
      const dx = f64x2.sub(v128.load(xs + at), xx)
      const dy = f64x2.sub(v128.load(ys + at), yy)
      const near = f64x2.lt(f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy)), reach2)
      if (!v128.any_true(near)) continue
      const bits = i64x2.bitmask(near)
      if (bits & 1) to = notePair(to, first, <usize>load<u32>(row + (<usize>o << 2)), spare, moving)
      if (bits & 2) to = notePair(to, first, <usize>load<u32>(row + (<usize>o << 2), 4), spare, moving)
    }
  }
  pairs = <i32>((to - m.pairsAt) / PAIR)
}

/** Adds a pair to the list when it may touch. @returns the end of the list */
function notePair(to: usize, first: usize, second: usize, spare: f64, moving: bool): usize {
  const b = first < second ? first : second
  const c = first < second ? second : first
  const kindB = <usize>load<u32>(b, m.KIND)
  const kindC = <usize>load<u32>(c, m.KIND)
  if (kindB != kindC && (<i32>load<f64>(kindB, m.LAYER) & <i32>load<f64>(kindC, m.LAYER)) == 0) return to
  const apart = load<f64>(b, m.RADIUS) + load<f64>(c, m.RADIUS)
  const dx = load<f64>(c, m.X) - load<f64>(b, m.X)
  const dy = load<f64>(c, m.Y) - load<f64>(b, m.Y)
  if (apart < 2 * m.largest && dx * dx + dy * dy >= (apart + spare) * (apart + spare)) return to
  const holds = load<i32>(b, m.SIDE) == load<i32>(c, m.SIDE) ? AGAINST_FRIENDS : AGAINST_FOES
  store<u32>(to, <u32>b, LOWER)
  store<u32>(to, <u32>c, HIGHER)
  store<i32>(to, holds, HOLDS)
  store<f64>(to, apart, APART)
  if (moving) {
    const modeB = load<i32>(b, m.MODE)
    const modeC = load<i32>(c, m.MODE)
    if (modeB & m.WALKING && modeC & holds) {
      const ex = dx - <f64>m.BEAT * load<f64>(b, m.WX)
      const ey = dy - <f64>m.BEAT * load<f64>(b, m.WY)
      const d2 = ex * ex + ey * ey
      if (d2 < apart * apart) noteBlocker(b, c, d2)
    }
    if (modeC & m.WALKING && modeB & holds) {
      const ex = dx + <f64>m.BEAT * load<f64>(c, m.WX)
      const ey = dy + <f64>m.BEAT * load<f64>(c, m.WY)
      const d2 = ex * ex + ey * ey
      if (d2 < apart * apart) noteBlocker(c, b, d2)
    }
  }
  return to + PAIR
}

/** The nearest counts; of two alike the lower one. */
function noteBlocker(b: usize, c: usize, d2: f64): void {
  const known = <usize>load<u32>(b, m.BLOCKER)
  if (known != 0) {
    const at = load<f64>(b, m.BLOCKED_AT)
    if (d2 > at || (d2 == at && c > known)) return
  }
  store<f64>(b, d2, m.BLOCKED_AT)
  store<u32>(b, <u32>c, m.BLOCKER)
}

// @ts-ignore: decorator
@inline
function clearAt(x: f64, y: f64): bool {
  const cell = <i32>(y + <f64>m.height / 2) * m.width + <i32>(x + <f64>m.width / 2)
  return load<u8>(m.clearAt + <usize>cell) != 0
}

/** Next places of those who walk: around blockers, along walls. */
function walk(): void {
  const living = m.living
  const live = m.liveAt
  for (let a = 0; a < living; a++) {
    const b = <usize>load<u32>(live + (<usize>a << 2))
    if ((load<i32>(b, m.MODE) & m.WALKING) == 0) continue
    const blocker = <usize>load<u32>(b, m.BLOCKER)
    if (blocker != 0 && load<f64>(blocker, m.HEALTH) > 0) slide(b, blocker)
    const x = load<f64>(b, m.X)
    const y = load<f64>(b, m.Y)
    if (!clearAt(x, y)) alongWalls(b, x, y, true)
  }
}

/** Turns the step of `b` along the edge of its blocker `c`, at full pace. */
function slide(b: usize, c: usize): void {
  const px = load<f64>(b, m.X)
  const py = load<f64>(b, m.Y)
  const dx = load<f64>(b, m.WX)
  const dy = load<f64>(b, m.WY)
  const ex = load<f64>(c, m.X) - px
  const ey = load<f64>(c, m.Y) - py
  const e2 = ex * ex + ey * ey
  const into = dx * ex + dy * ey
  if (!(into > 0 && e2 > 0)) return
  const pace = sqrt<f64>(dx * dx + dy * dy)
  let tx = dx - (into / e2) * ex
  let ty = dy - (into / e2) * ey
  let t = sqrt<f64>(tx * tx + ty * ty)
  if (t < 0.05 * pace) {
    const e = sqrt<f64>(e2)
    let sign: f64 = ex > 0 ? 1 : -1
    if (ex == 0) sign = (px > 0 ? -1 : 1) * (ey > 0 ? -1 : 1)
    tx = (-ey / e) * sign
    ty = (ex / e) * sign
    t = 1
  }
  store<f64>(b, px + (tx / t) * pace, m.NX)
  store<f64>(b, py + (ty / t) * pace, m.NY)
}

/** Keeps the next place of `b`, that comes from (x, y), on the map and out of walls. */
function alongWalls(b: usize, x: f64, y: f64, enclosed: bool): void {
  const width = m.width
  const halfWidth = <f64>width / 2
  const halfHeight = <f64>m.height / 2
  const boundX = halfWidth - m.edge
  const boundY = halfHeight - m.edge
  let px = load<f64>(b, m.NX)
  let py = load<f64>(b, m.NY)
  if (px > boundX) px = boundX
  else if (px < -boundX) px = -boundX
  if (py > boundY) py = boundY
  else if (py < -boundY) py = -boundY
  const kind = <usize>load<u32>(b, m.KIND)
  if (load<f64>(kind, m.FLIES) == 0) {
    const cells = load<f64>(kind, m.STRIDES) > 0 ? m.strideableAt : m.walkableAt
    const row = <i32>floor<f64>(y + halfHeight) * width
    const column = <i32>floor<f64>(x + halfWidth)
    const toColumn = <i32>floor<f64>(px + halfWidth)
    const toRow = <i32>floor<f64>(py + halfHeight) * width
    const stays =
      enclosed && ((toColumn == column && toRow == row) || load<u8>(cells + <usize>(row + column)) == 0)
    if (!stays && load<u8>(cells + <usize>(toRow + toColumn)) == 0) {
      if (load<u8>(cells + <usize>(row + toColumn)) == 1) py = y
      else if (load<u8>(cells + <usize>(toRow + column)) == 1) px = x
      else {
        px = x
        py = y
      }
    }
  }
  store<f64>(b, px, m.NX)
  store<f64>(b, py, m.NY)
}

/** Adds up the pushes of all who would overlap, and lists who comes near. @returns whether any pair overlaps */
function push(): bool {
  const wide = 2 * max<f64>(m.longestPush, <f64>m.BEAT * m.fastest)
  const end = m.pairsAt + <usize>pairs * PAIR
  let touching = false
  let close = m.closesAt
  for (let p = m.pairsAt; p < end; p += PAIR) {
    const b = <usize>load<u32>(p, LOWER)
    const c = <usize>load<u32>(p, HIGHER)
    const dx = load<f64>(c, m.NX) - load<f64>(b, m.NX)
    const dy = load<f64>(c, m.NY) - load<f64>(b, m.NY)
    const d2 = dx * dx + dy * dy
    const apart = load<f64>(p, APART)
    if (d2 >= (apart + wide) * (apart + wide)) continue
    store<u32>(close, <u32>p)
    close += 4
    if (d2 >= apart * apart) continue
    touching = true
    pushApart(b, c, load<i32>(p, HOLDS), dx, dy, d2, apart)
  }
  closes = <i32>((close - m.closesAt) >> 2)
  return touching
}

/** Who walks yields, and who idles to friends that walk; two who yield share it. */
function pushApart(b: usize, c: usize, holds: i32, dx: f64, dy: f64, d2: f64, apart: f64): void {
  const modeB = load<i32>(b, m.MODE)
  const modeC = load<i32>(c, m.MODE)
  const friends = holds == AGAINST_FRIENDS
  const walksB = (modeB & m.WALKING) != 0
  const walksC = (modeC & m.WALKING) != 0
  let yieldsB: f64 = walksB || (friends && walksC && modeB != m.ENGAGED) ? 0.5 : 0
  let yieldsC: f64 = walksC || (friends && walksB && modeC != m.ENGAGED) ? 0.5 : 0
  if (yieldsB == 0 && yieldsC == 0) yieldsB = yieldsC = 0.5
  else if (yieldsB == 0) yieldsC = 1
  else if (yieldsC == 0) yieldsB = 1
  const d = sqrt<f64>(d2)
  const ex = d > 1e-9 ? dx / d : load<f64>(b, m.X) <= 0 ? 1 : -1
  const ey = d > 1e-9 ? dy / d : 0
  const deep = (apart - d) * SCALE
  store<i32>(b, load<i32>(b, m.AX) - <i32>(ex * deep * yieldsB), m.AX)
  store<i32>(b, load<i32>(b, m.AY) - <i32>(ey * deep * yieldsB), m.AY)
  store<i32>(c, load<i32>(c, m.AX) + <i32>(ex * deep * yieldsC), m.AX)
  store<i32>(c, load<i32>(c, m.AY) + <i32>(ey * deep * yieldsC), m.AY)
}

/** Moves everybody by the pushes it got. */
function giveWay(): void {
  const living = m.living
  const live = m.liveAt
  for (let a = 0; a < living; a++) {
    const b = <usize>load<u32>(live + (<usize>a << 2))
    if (load<i64>(b, m.AX) == 0) continue
    let dx = <f64>load<i32>(b, m.AX) / SCALE
    let dy = <f64>load<i32>(b, m.AY) / SCALE
    const d2 = dx * dx + dy * dy
    if (d2 > m.longestPush * m.longestPush) {
      const scale = m.longestPush / sqrt<f64>(d2)
      dx *= scale
      dy *= scale
    }
    const x = load<f64>(b, m.NX)
    const y = load<f64>(b, m.NY)
    store<f64>(b, x + dx, m.NX)
    store<f64>(b, y + dy, m.NY)
    if (!clearAt(x, y)) alongWalls(b, x, y, false)
  }
}

/** Whoever would still be too deep in somebody, and deeper than before, goes back to where it began; until nobody is. */
function holdBack(): void {
  const list = m.closesAt
  const going = m.orderListAt
  const last = list + (<usize>closes << 2)
  // going[from] to going[to - 1] went back in the pass before; nobody goes back twice.
  let from = 0
  let to = 0
  do {
    let end = to
    for (let k = list; k < last; k += 4) {
      const p = <usize>load<u32>(k)
      const b = <usize>load<u32>(p, LOWER)
      const c = <usize>load<u32>(p, HIGHER)
      if (to > 0 && load<u32>(b, m.BLOCKER) != WENT_BACK && load<u32>(c, m.BLOCKER) != WENT_BACK) continue
      const dx = load<f64>(c, m.NX) - load<f64>(b, m.NX)
      const dy = load<f64>(c, m.NY) - load<f64>(b, m.NY)
      const least = load<f64>(p, APART) - OVERLAP
      const d2 = dx * dx + dy * dy
      if (d2 >= least * least) continue
      const bx = load<f64>(c, m.ANCHOR_X) - load<f64>(b, m.ANCHOR_X)
      const by = load<f64>(c, m.ANCHOR_Y) - load<f64>(b, m.ANCHOR_Y)
      if (d2 >= bx * bx + by * by) continue
      const byB =
        (load<f64>(b, m.NX) - load<f64>(b, m.ANCHOR_X)) * bx + (load<f64>(b, m.NY) - load<f64>(b, m.ANCHOR_Y)) * by
      const byC =
        -(load<f64>(c, m.NX) - load<f64>(c, m.ANCHOR_X)) * bx - (load<f64>(c, m.NY) - load<f64>(c, m.ANCHOR_Y)) * by
      if (byB >= byC && load<u32>(b, m.BLOCKER) != BACK) {
        store<u32>(b, BACK, m.BLOCKER)
        store<u32>(going + (<usize>(end++) << 2), <u32>b)
      }
      if (byC >= byB && load<u32>(c, m.BLOCKER) != BACK) {
        store<u32>(c, BACK, m.BLOCKER)
        store<u32>(going + (<usize>(end++) << 2), <u32>c)
      }
    }
    for (let k = from; k < to; k++) store<u32>(<usize>load<u32>(going + (<usize>k << 2)), 0, m.BLOCKER)
    for (let k = to; k < end; k++) {
      const b = <usize>load<u32>(going + (<usize>k << 2))
      store<u32>(b, WENT_BACK, m.BLOCKER)
      v128.store(b, v128.load(b, m.ANCHOR_X), m.NX)
    }
    from = to
    to = end
  } while (from < to)
}

/** The next places become the places. */
function settle(): void {
  const living = m.living
  const live = m.liveAt
  const beats = <f64>strode
  for (let a = 0; a < living; a++) {
    const b = <usize>load<u32>(live + (<usize>a << 2))
    const next = v128.load(b, m.NX)
    if (load<i32>(b, m.MODE) & m.WALKING) {
      const moved = f64x2.sub(next, v128.load(b, m.ANCHOR_X))
      const squares = f64x2.mul(moved, moved)
      const d2 = f64x2.extract_lane(squares, 0) + f64x2.extract_lane(squares, 1)
      store<f64>(b, sqrt<f64>(d2) / beats, m.STRIDE)
    } else store<f64>(b, 1, m.STRIDE)
    v128.store(b, next, m.X)
  }
}
