/**
 * Bodies: `../pushing.ts`. Pairs are found anew twice in a beat, with the distance that matters then: who may stand in
 * whose way when it begins, who may touch or be too deep when bodies meet. More than is needed does no harm.
 */
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

// Places in the record of a pair: two units.
const HIGHER: usize = 4
const PAIR: usize = 8

let strode: i32 = 0
let restless: bool = true
/** End of the list of pairs. */
let pairsEnd: usize = 0

export function beginStep(): void {
  restless = true
  strode = 0
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
  if (moving) {
    if (strode == 0) findBlockers()
    walk()
  }
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

/**
 * Lists all pairs whose points (x, y at `place` in their records) are nearer than `reach`, as they come.
 * Counted on without a branch: whether a pair is near is anybody's guess.
 */
function sweep(place: usize, reach: f64): void {
  const living = m.living
  const xs = m.columnsAt
  const ys = xs + (<usize>(m.units + 2) << 3)
  const crowd = living > CROWD
  const row = crowd ? m.orderListAt : m.liveAt
  if (crowd) sortByX(place)
  for (let a = 0; a < living; a++) {
    const at = <usize>a << 3
    const b = <usize>load<u32>(row + (<usize>a << 2)) + place
    store<f64>(xs + at, load<f64>(b))
    store<f64>(ys + at, load<f64>(b, 8))
  }
  // Two are tried at a time: behind the last there is nobody near.
  store<f64>(xs + (<usize>living << 3), 1e300)
  const reach2 = f64x2.splat(reach * reach)
  let to = m.pairsAt
  for (let a = 0; a < living; a++) {
    const px = load<f64>(xs + (<usize>a << 3))
    const xx = f64x2.splat(px)
    const yy = f64x2.splat(load<f64>(ys + (<usize>a << 3)))
    const end = crowd ? px + reach : 1e299
    const b = load<u32>(row + (<usize>a << 2))
    for (let o = a + 1; o < living; o += 2) {
      const at = <usize>o << 3
      if (crowd && load<f64>(xs + at) > end) break
      const dx = f64x2.sub(v128.load(xs + at), xx)
      const dy = f64x2.sub(v128.load(ys + at), yy)
      const near = f64x2.lt(f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy)), reach2)
      const bits = <usize>i64x2.bitmask(near)
      const others = load<u64>(row + (<usize>o << 2))
      store<u32>(to, b)
      store<u32>(to, <u32>others, HIGHER)
      to += (bits & 1) << 3
      store<u32>(to, b)
      store<u32>(to, <u32>(others >> 32), HIGHER)
      to += (bits & 2) << 2
    }
  }
  pairsEnd = to
}

/** Puts the living into the list of the order from west to east: counted into columns of cells, then by insertion. */
function sortByX(place: usize): void {
  const living = m.living
  const live = m.liveAt
  const order = m.orderListAt
  const strip = m.stripAt
  const half = <f64>m.width / 2
  memory.fill(strip, 0, <usize>m.width << 2)
  for (let a = 0; a < living; a++) {
    const at = strip + (<usize>(<i32>(load<f64>(<usize>load<u32>(live + (<usize>a << 2)) + place) + half)) << 2)
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
    const at = strip + (<usize>(<i32>(load<f64>(<usize>b + place) + half)) << 2)
    const last = load<i32>(at) - 1
    store<i32>(at, last)
    store<u32>(order + (<usize>last << 2), b)
  }
  for (let a = 1; a < living; a++) {
    const b = load<u32>(order + (<usize>a << 2))
    const px = load<f64>(<usize>b + place)
    let o = a - 1
    while (o >= 0 && load<f64>(<usize>load<u32>(order + (<usize>o << 2)) + place) > px) {
      store<u32>(order + (<usize>(o + 1) << 2), load<u32>(order + (<usize>o << 2)))
      o--
    }
    store<u32>(order + (<usize>(o + 1) << 2), b)
  }
}

/** Whether two units share a layer. */
// @ts-ignore: decorator
@inline
function meet(b: usize, c: usize): bool {
  const kindB = <usize>load<u32>(b, m.KIND)
  const kindC = <usize>load<u32>(c, m.KIND)
  return kindB == kindC || (<i32>load<f64>(kindB, m.LAYER) & <i32>load<f64>(kindC, m.LAYER)) != 0
}

/** Who is stopped by somebody that holds its place? */
function findBlockers(): void {
  const beat = <f64>m.BEAT
  sweep(m.X, 2 * m.largest + beat * m.fastest + 1e-6)
  const end = pairsEnd
  for (let p = m.pairsAt; p < end; p += PAIR) {
    const b = <usize>load<u32>(p)
    const c = <usize>load<u32>(p, HIGHER)
    const modeB = load<i32>(b, m.MODE)
    const modeC = load<i32>(c, m.MODE)
    const holds = load<i32>(b, m.SIDE) == load<i32>(c, m.SIDE) ? AGAINST_FRIENDS : AGAINST_FOES
    const stopsB = (modeB & m.WALKING) != 0 && (modeC & holds) != 0
    const stopsC = (modeC & m.WALKING) != 0 && (modeB & holds) != 0
    if ((!stopsB && !stopsC) || !meet(b, c)) continue
    const apart = load<f64>(b, m.RADIUS) + load<f64>(c, m.RADIUS)
    const dx = load<f64>(c, m.X) - load<f64>(b, m.X)
    const dy = load<f64>(c, m.Y) - load<f64>(b, m.Y)
    if (stopsB) {
      const ex = dx - beat * load<f64>(b, m.WX)
      const ey = dy - beat * load<f64>(b, m.WY)
      const d2 = ex * ex + ey * ey
      if (d2 < apart * apart) noteBlocker(b, c, d2)
    }
    if (stopsC) {
      const ex = dx + beat * load<f64>(c, m.WX)
      const ey = dy + beat * load<f64>(c, m.WY)
      const d2 = ex * ex + ey * ey
      if (d2 < apart * apart) noteBlocker(c, b, d2)
    }
  }
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

/** Adds up the pushes, and keeps in the list who meet. @returns whether any pair overlaps */
function push(): bool {
  // Nobody is pushed farther than that, nor goes back farther than it has walked.
  const spare = max<f64>(m.longestPush, <f64>m.BEAT * m.fastest) + m.edge
  sweep(m.NX, 2 * (m.largest + spare) - OVERLAP + 1e-6)
  const end = pairsEnd
  let touching = false
  let kept = m.pairsAt
  for (let p = m.pairsAt; p < end; p += PAIR) {
    const one = load<u32>(p)
    const two = load<u32>(p, HIGHER)
    const b = <usize>min<u32>(one, two)
    const c = <usize>max<u32>(one, two)
    if (!meet(b, c)) continue
    store<u32>(kept, <u32>b)
    store<u32>(kept, <u32>c, HIGHER)
    kept += PAIR
    const dx = load<f64>(c, m.NX) - load<f64>(b, m.NX)
    const dy = load<f64>(c, m.NY) - load<f64>(b, m.NY)
    const d2 = dx * dx + dy * dy
    const apart = load<f64>(b, m.RADIUS) + load<f64>(c, m.RADIUS)
    if (d2 >= apart * apart) continue
    touching = true
    const holds = load<i32>(b, m.SIDE) == load<i32>(c, m.SIDE) ? AGAINST_FRIENDS : AGAINST_FOES
    pushApart(b, c, holds, dx, dy, d2, apart)
  }
  pairsEnd = kept
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
  const list = m.pairsAt
  const going = m.orderListAt
  const last = pairsEnd
  // going[from] to going[to - 1] went back in the pass before; nobody goes back twice.
  let from = 0
  let to = 0
  do {
    let end = to
    for (let p = list; p < last; p += PAIR) {
      const b = <usize>load<u32>(p)
      const c = <usize>load<u32>(p, HIGHER)
      if (to > 0 && load<u32>(b, m.BLOCKER) != WENT_BACK && load<u32>(c, m.BLOCKER) != WENT_BACK) continue
      const dx = load<f64>(c, m.NX) - load<f64>(b, m.NX)
      const dy = load<f64>(c, m.NY) - load<f64>(b, m.NY)
      const least = load<f64>(b, m.RADIUS) + load<f64>(c, m.RADIUS) - OVERLAP
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
