/**
 * Bodies: `../pushing.ts`. Who stands in whose way is asked of walkers and of those who hold their place; who touches, of
 * all pairs of points, two at a time and with the distance that matters. More pairs than are needed do no harm.
 */
import * as m from './memory'
import { nearWallsEnd, walkersEnd } from './orders'

const OVERLAP: f64 = 0.08
const SCALE: f64 = 1048576
const AGAINST_FRIENDS: i32 = 2
const AGAINST_FOES: i32 = 4

/** In BLOCKER, once walking is done: goes back to where it was; has just gone back. */
const BACK: u32 = 1
const WENT_BACK: u32 = 2

/** Above this many units they are sorted from west to east before pairs are tried. */
const CROWD: usize = 40 << 3

/** More than coordinates in single precision and their differences are rounded, in cells. */
const ROUNDING: f32 = 1e-4

// A pair is one word: the lower unit above, the higher one below.
const PAIR: usize = 4
const LOWER: u32 = 16
const HIGHER: u32 = 0xffff

let strode: i32 = 0
let restless: bool = true

export function beginStep(): void {
  restless = true
  strode = 0
}

// @ts-ignore: decorator
@inline
function copy(from: usize, to: usize): void {
  for (let k: usize = 0; k < m.unitsEnd; k += 16) {
    v128.store(k + to, v128.load(k + from))
    v128.store(k + to, v128.load(k + from, m.COLUMN), m.COLUMN)
  }
}

/** Moves every unit by one loop. */
export function pushAndMove(begins: bool, meets: bool): void {
  if (begins) {
    strode = 0
    copy(m.X, m.ANCHOR_X)
    for (let k: usize = 0; k < m.unitsEnd; k += 16) v128.store(k, i64x2.splat(0), m.BLOCKER)
  }
  const moving = walkersEnd > m.WALKERS
  if (!moving && !restless && strode == 0) return
  if (moving) {
    if (strode == 0) findBlockers()
    walk()
  }
  strode++
  if (!meets) {
    copy(m.NX, m.X)
    return
  }
  restless = push()
  settle()
}

/** Appends those of units `from` to `to` that idle, or with `hard` those that hold their place against everybody. */
// @ts-ignore: decorator
@inline
function listHolders(at: usize, from: usize, to: usize, hard: bool): usize {
  for (let k = from; k < to; k += 8) {
    const mode = load<i32>(k, m.MODE)
    store<f32>(at, <f32>load<f64>(k, m.X), m.HOLDER_X)
    store<f32>(at, <f32>load<f64>(k, m.Y), m.HOLDER_Y)
    store<f32>(at, <f32>load<f64>(k, m.RADIUS), m.HOLDER_RADIUS)
    store<u32>(at, <u32>k, m.HOLDER)
    at += <usize>i32(hard ? (mode & AGAINST_FRIENDS) != 0 : mode == m.IDLE) << 2
  }
  return at
}

/**
 * Who is stopped by somebody that holds its place? Those who hold stand in one list, so that whoever may stop a walker of
 * either side is one stretch of it: idle allies, allies that hold, enemies that hold, idle enemies.
 */
function findBlockers(): void {
  const soft = listHolders(0, 0, m.alliesEnd, false)
  const hard = listHolders(soft, 0, m.alliesEnd, true)
  const foes = listHolders(hard, m.alliesEnd, m.unitsEnd, true)
  const all = listHolders(foes, m.alliesEnd, m.unitsEnd, false)
  if (all == 0) return
  v128.store(all, f32x4.splat(NaN), m.HOLDER_X)
  const beat = <f64>m.BEAT
  for (let at = m.WALKERS; at < walkersEnd; at += 4) {
    const b = <usize>load<u32>(at)
    const ally = b < m.alliesEnd
    const end = ally ? all : foes
    const toX = f32x4.splat(<f32>(load<f64>(b, m.X) + beat * load<f64>(b, m.WX)))
    const toY = f32x4.splat(<f32>(load<f64>(b, m.Y) + beat * load<f64>(b, m.WY)))
    const radius = f32x4.splat(<f32>load<f64>(b, m.RADIUS) + ROUNDING)
    let found = m.pairsAt
    for (let o: usize = ally ? soft : 0; o < end; o += 16) {
      const ex = f32x4.sub(v128.load(o, m.HOLDER_X), toX)
      const ey = f32x4.sub(v128.load(o, m.HOLDER_Y), toY)
      const apart = f32x4.add(radius, v128.load(o, m.HOLDER_RADIUS))
      const near = f32x4.lt(f32x4.add(f32x4.mul(ex, ex), f32x4.mul(ey, ey)), f32x4.mul(apart, apart))
      const bits = i32x4.bitmask(near)
      v128.store(found, v128.swizzle(v128.load(o, m.HOLDER), v128.load(<usize>bits << 4, m.PACKING)))
      found += <usize>popcnt<i32>(bits) << 2
    }
    for (let p = m.pairsAt; p < found; p += 4) {
      const c = <usize>load<u32>(p)
      // The last four may have run into those that do not stop this side.
      if (c != b && load<i32>(c, m.MODE) & (ally == c < m.alliesEnd ? AGAINST_FRIENDS : AGAINST_FOES)) noteBlocker(b, c)
    }
  }
}

/** Notes that `c` stands where `b` will be at the end of the beat. The nearest counts; of two alike the lower one. */
function noteBlocker(b: usize, c: usize): void {
  const ex = load<f64>(c, m.X) - load<f64>(b, m.X) - <f64>m.BEAT * load<f64>(b, m.WX)
  const ey = load<f64>(c, m.Y) - load<f64>(b, m.Y) - <f64>m.BEAT * load<f64>(b, m.WY)
  const d2 = ex * ex + ey * ey
  const apart = load<f64>(b, m.RADIUS) + load<f64>(c, m.RADIUS)
  if (!(d2 < apart * apart) || !meet(b, c)) return
  const known = <usize>load<u32>(b, m.BLOCKER)
  if (known != 0) {
    const at = load<f64>(b, m.BLOCKED_AT)
    if (d2 > at || (d2 == at && c + 8 > known)) return
  }
  store<f64>(b, d2, m.BLOCKED_AT)
  store<u32>(b, <u32>c + 8, m.BLOCKER)
}

/** Whether two units share a layer. */
// @ts-ignore: decorator
@inline
function meet(b: usize, c: usize): bool {
  const kindB = <usize>load<u32>(b, m.KIND)
  const kindC = <usize>load<u32>(c, m.KIND)
  return kindB == kindC || (<i32>load<f64>(kindB, m.LAYER) & <i32>load<f64>(kindC, m.LAYER)) != 0
}

// @ts-ignore: decorator
@inline
function clearAt(x: f64, y: f64): bool {
  const cell = <i32>(y + <f64>m.height / 2) * m.width + <i32>(x + <f64>m.width / 2)
  return load<u8>(m.clearAt + <usize>cell) != 0
}

/** Next places of those who walk: around blockers, along walls. */
function walk(): void {
  for (let at = m.WALKERS; at < walkersEnd; at += 4) {
    const b = <usize>load<u32>(at)
    const blocker = <usize>load<u32>(b, m.BLOCKER)
    if (blocker != 0 && m.healthOf(blocker - 8) > 0) slide(b, blocker - 8)
  }
  for (let at = m.NEAR_WALLS; at < nearWallsEnd; at += 4) {
    const b = <usize>load<u32>(at)
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

/** Whether the sides are farther apart than `reach` along one axis. */
function sidesApart(reach: f64): bool {
  let at: usize = 0
  let westOfAllies: f64 = 0
  let eastOfAllies: f64 = 0
  let southOfAllies: f64 = 0
  let northOfAllies: f64 = 0
  for (let side = 0; side < 2; side++) {
    const end = side == 0 ? m.alliesEnd : m.unitsEnd
    let least = f64x2.splat(Infinity)
    let most = f64x2.splat(-Infinity)
    for (; at < end; at += 8) {
      const place = nextOf(at)
      least = f64x2.pmin(least, place)
      most = f64x2.pmax(most, place)
    }
    const west = f64x2.extract_lane(least, 0)
    const south = f64x2.extract_lane(least, 1)
    const east = f64x2.extract_lane(most, 0)
    const north = f64x2.extract_lane(most, 1)
    if (side == 1) {
      return (
        west - eastOfAllies > reach || westOfAllies - east > reach || south - northOfAllies > reach || southOfAllies - north > reach
      )
    }
    westOfAllies = west
    eastOfAllies = east
    southOfAllies = south
    northOfAllies = north
  }
  return false
}

/**
 * Lists all pairs whose edges will be nearer than `space`, and a few that are only almost so. Four are tried at a time in
 * single precision; whether a pair is near is anybody's guess, so they are packed into the list without a branch.
 * @returns the end of the list
 */
function listPairs(space: f64): usize {
  const crowd = m.unitsEnd > CROWD
  const alone = !crowd && sidesApart(2 * m.largest + space)
  const end = crowd ? sortByX() : lineUp()
  const allies = m.alliesEnd >> 1
  let to = m.pairsAt
  for (let a: usize = 0; a < end; a += 4) {
    const px = load<f32>(a, m.SORTED_X)
    const wide = load<f32>(a, m.SORTED_RADIUS) + <f32>space + ROUNDING
    const xx = f32x4.splat(px)
    const yy = v128.load32_splat(a, m.SORTED_Y)
    const radius = f32x4.splat(wide)
    const who = v128.load32_splat(a, m.SORTED)
    const east = crowd ? px + wide + <f32>m.largest : <f32>Infinity
    const last = alone && a < allies ? allies : end
    for (let o = a + 4; o < last; o += 16) {
      if (crowd && load<f32>(o, m.SORTED_X) > east) break
      const dx = f32x4.sub(v128.load(o, m.SORTED_X), xx)
      const dy = f32x4.sub(v128.load(o, m.SORTED_Y), yy)
      const reach = f32x4.add(radius, v128.load(o, m.SORTED_RADIUS))
      const near = f32x4.lt(f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy)), f32x4.mul(reach, reach))
      const others = v128.load(o, m.SORTED)
      const pairs = v128.or(i32x4.shl(i32x4.min_u(who, others), 16), i32x4.max_u(who, others))
      const bits = i32x4.bitmask(near)
      v128.store(to, v128.swizzle(pairs, v128.load(<usize>bits << 4, m.PACKING)))
      to += <usize>popcnt<i32>(bits) << 2
    }
  }
  return to
}

/** Next places in the order of the columns. @returns the end of the line, in bytes of four per unit */
function lineUp(): usize {
  for (let k: usize = 0; k < m.unitsEnd; k += 16) {
    const at = k >> 1
    v128.store64_lane(at, f32x4.demote_f64x2_zero(v128.load(k, m.NX)), 0, m.SORTED_X)
    v128.store64_lane(at, f32x4.demote_f64x2_zero(v128.load(k, m.NY)), 0, m.SORTED_Y)
    v128.store64_lane(at, f32x4.demote_f64x2_zero(v128.load(k, m.RADIUS)), 0, m.SORTED_RADIUS)
    store<u32>(at, <u32>k, m.SORTED)
    store<u32>(at, <u32>k + 8, m.SORTED + 4)
  }
  const end = m.unitsEnd >> 1
  v128.store(end, f32x4.splat(NaN), m.SORTED_X)
  return end
}

/** Next places from west to east: counted into columns of cells, then by insertion. @returns as `lineUp` */
function sortByX(): usize {
  const strip = m.stripAt
  const half = <f64>m.width / 2
  memory.fill(strip, 0, <usize>m.width << 2)
  for (let k: usize = 0; k < m.unitsEnd; k += 8) {
    const x = load<f64>(k, m.NX)
    if (isNaN(x)) continue
    const at = strip + (<usize>(<i32>(x + half)) << 2)
    store<i32>(at, load<i32>(at) + 4)
  }
  let sum = 0
  for (let s = 0; s < m.width; s++) {
    const at = strip + (<usize>s << 2)
    sum += load<i32>(at)
    store<i32>(at, sum)
  }
  for (let k: usize = 0; k < m.unitsEnd; k += 8) {
    const x = load<f64>(k, m.NX)
    if (isNaN(x)) continue
    const at = strip + (<usize>(<i32>(x + half)) << 2)
    const last = load<i32>(at) - 4
    store<i32>(at, last)
    store<f32>(<usize>last, <f32>x, m.SORTED_X)
    store<u32>(<usize>last, <u32>k, m.SORTED)
  }
  const end = <usize>sum
  for (let a: usize = 4; a < end; a += 4) {
    const x = load<f32>(a, m.SORTED_X)
    const k = load<u32>(a, m.SORTED)
    let o = a
    while (o > 0 && load<f32>(o - 4, m.SORTED_X) > x) {
      store<f32>(o, load<f32>(o - 4, m.SORTED_X), m.SORTED_X)
      store<u32>(o, load<u32>(o - 4, m.SORTED), m.SORTED)
      o -= 4
    }
    store<f32>(o, x, m.SORTED_X)
    store<u32>(o, k, m.SORTED)
  }
  for (let a: usize = 0; a < end; a += 4) {
    const k = <usize>load<u32>(a, m.SORTED)
    store<f32>(a, <f32>load<f64>(k, m.NY), m.SORTED_Y)
    store<f32>(a, <f32>load<f64>(k, m.RADIUS), m.SORTED_RADIUS)
  }
  v128.store(end, f32x4.splat(NaN), m.SORTED_X)
  return end
}

/** Pushes apart who overlaps, and sends back who would be too deep. @returns whether any pair overlaps */
function push(): bool {
  const end = listPairs(0)
  if (end == m.pairsAt) return false
  for (let k: usize = 0; k < m.unitsEnd; k += 16) v128.store(k, i64x2.splat(0), m.PUSH)
  let touching = 0
  for (let p = m.pairsAt; p < end; p += PAIR) {
    const pair = load<u32>(p)
    touching |= pushApart(<usize>(pair >> LOWER), <usize>(pair & HIGHER))
  }
  if (touching == 0) return false
  giveWay()
  holdBack(listPairs(-OVERLAP))
  return true
}

/** The next place of a unit: x and y. */
// @ts-ignore: decorator
@inline
function nextOf(k: usize): v128 {
  return v128.load64_lane(k, v128.load64_splat(k, m.NX), 1, m.NY)
}

/** Who walks yields, and who idles to friends that walk; two who yield share it. @returns 1 when the two overlap */
function pushApart(b: usize, c: usize): i32 {
  const way = f64x2.sub(nextOf(c), nextOf(b))
  const squares = f64x2.mul(way, way)
  const d2 = f64x2.extract_lane(squares, 0) + f64x2.extract_lane(squares, 1)
  const apart = load<f64>(b, m.RADIUS) + load<f64>(c, m.RADIUS)
  if (d2 >= apart * apart || !meet(b, c)) return 0
  const modeB = load<i32>(b, m.MODE)
  const modeC = load<i32>(c, m.MODE)
  const friends = i32(b < m.alliesEnd) ^ i32(c < m.alliesEnd) ^ 1
  // WALKING is bit 0 of the mode.
  const yieldsB = (modeB | (friends & modeC & i32(modeB != m.ENGAGED))) & 1
  const yieldsC = (modeC | (friends & modeB & i32(modeC != m.ENGAGED))) & 1
  const shareB = 0.5 + 0.5 * <f64>(yieldsB - yieldsC)
  const d = sqrt<f64>(d2)
  const aside = f64x2(load<f64>(b, m.X) <= 0 ? 1 : -1, 0)
  const deep = f64x2.mul(d > 1e-9 ? f64x2.div(way, f64x2.splat(d)) : aside, f64x2.splat((apart - d) * SCALE))
  const partB = i32x4.trunc_sat_f64x2_s_zero(f64x2.mul(deep, f64x2.splat(shareB)))
  const partC = i32x4.trunc_sat_f64x2_s_zero(f64x2.mul(deep, f64x2.splat(1 - shareB)))
  v128.store64_lane(b, i32x4.sub(v128.load64_splat(b, m.PUSH), partB), 0, m.PUSH)
  v128.store64_lane(c, i32x4.add(v128.load64_splat(c, m.PUSH), partC), 0, m.PUSH)
  return 1
}

/** Moves everybody by the pushes it got. */
function giveWay(): void {
  const longest2 = f64x2.splat(m.longestPush * m.longestPush)
  const part = f64x2.splat(1 / SCALE)
  const west = f64x2.splat(m.clearWest)
  const east = f64x2.splat(m.clearEast)
  const south = f64x2.splat(m.clearSouth)
  const north = f64x2.splat(m.clearNorth)
  for (let k: usize = 0; k < m.unitsEnd; k += 16) {
    const pushes = v128.load(k, m.PUSH)
    const pushed = i64x2.ne(pushes, i64x2.splat(0))
    let dx = f64x2.mul(f64x2.convert_low_i32x4_s(v128.shuffle<i32>(pushes, pushes, 0, 2, 0, 2)), part)
    let dy = f64x2.mul(f64x2.convert_low_i32x4_s(v128.shuffle<i32>(pushes, pushes, 1, 3, 1, 3)), part)
    const d2 = f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy))
    const far = f64x2.gt(d2, longest2)
    if (v128.any_true(far)) {
      const scale = f64x2.div(f64x2.splat(m.longestPush), f64x2.sqrt(d2))
      dx = v128.bitselect(f64x2.mul(dx, scale), dx, far)
      dy = v128.bitselect(f64x2.mul(dy, scale), dy, far)
    }
    const x = v128.load(k, m.NX)
    const y = v128.load(k, m.NY)
    v128.store(k, v128.bitselect(f64x2.add(x, dx), x, pushed), m.NX)
    v128.store(k, v128.bitselect(f64x2.add(y, dy), y, pushed), m.NY)
    const free = v128.and(
      v128.and(f64x2.gt(x, west), f64x2.lt(x, east)),
      v128.and(f64x2.gt(y, south), f64x2.lt(y, north)),
    )
    const walled = v128.andnot(pushed, free)
    if (!v128.any_true(walled)) continue
    const bits = i64x2.bitmask(walled)
    if (bits & 1) meetWalls(k, f64x2.extract_lane(x, 0), f64x2.extract_lane(y, 0))
    if (bits & 2) meetWalls(k + 8, f64x2.extract_lane(x, 1), f64x2.extract_lane(y, 1))
  }
}

function meetWalls(k: usize, x: f64, y: f64): void {
  if (!clearAt(x, y)) alongWalls(k, x, y, false)
}

let goingEnd: usize = 0

/**
 * Whoever would still be too deep in somebody, and deeper than before, goes back to where it began; until nobody is. First
 * the listed pairs are tried, then those of whom one has just gone back.
 */
function holdBack(pairsEnd: usize): void {
  goingEnd = m.GOING
  for (let p = m.pairsAt; p < pairsEnd; p += PAIR) {
    const pair = load<u32>(p)
    tooDeep(<usize>(pair >> LOWER), <usize>(pair & HIGHER))
  }
  let from = m.GOING
  let to = from
  // GOING from `from` to `to` went back in the pass before; nobody goes back twice.
  for (;;) {
    for (let at = from; at < to; at += 4) store<u32>(<usize>load<u32>(at), 0, m.BLOCKER)
    for (let at = to; at < goingEnd; at += 4) {
      const b = <usize>load<u32>(at)
      store<u32>(b, WENT_BACK, m.BLOCKER)
      store<f64>(b, load<f64>(b, m.ANCHOR_X), m.NX)
      store<f64>(b, load<f64>(b, m.ANCHOR_Y), m.NY)
    }
    from = to
    to = goingEnd
    if (from >= to) return
    for (let at = from; at < to; at += 4) {
      const b = <usize>load<u32>(at)
      const xx = v128.load64_splat(b, m.NX)
      const yy = v128.load64_splat(b, m.NY)
      const radius = v128.load64_splat(b, m.RADIUS)
      for (let c: usize = 0; c < m.unitsEnd; c += 16) {
        const dx = f64x2.sub(v128.load(c, m.NX), xx)
        const dy = f64x2.sub(v128.load(c, m.NY), yy)
        const least = f64x2.add(radius, v128.load(c, m.RADIUS))
        const near = f64x2.lt(f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy)), f64x2.mul(least, least))
        if (!v128.any_true(near)) continue
        const bits = i64x2.bitmask(near)
        if (bits & 1 && c != b) tooDeep(min<usize>(b, c), max<usize>(b, c))
        if (bits & 2 && c + 8 != b) tooDeep(min<usize>(b, c + 8), max<usize>(b, c + 8))
      }
    }
  }
}

/** Whoever came nearer of the two goes back, both when they did alike. */
function tooDeep(b: usize, c: usize): void {
  const dx = load<f64>(c, m.NX) - load<f64>(b, m.NX)
  const dy = load<f64>(c, m.NY) - load<f64>(b, m.NY)
  const least = load<f64>(b, m.RADIUS) + load<f64>(c, m.RADIUS) - OVERLAP
  const d2 = dx * dx + dy * dy
  if (d2 >= least * least || !meet(b, c)) return
  const bx = load<f64>(c, m.ANCHOR_X) - load<f64>(b, m.ANCHOR_X)
  const by = load<f64>(c, m.ANCHOR_Y) - load<f64>(b, m.ANCHOR_Y)
  if (d2 >= bx * bx + by * by) return
  const byB =
    (load<f64>(b, m.NX) - load<f64>(b, m.ANCHOR_X)) * bx + (load<f64>(b, m.NY) - load<f64>(b, m.ANCHOR_Y)) * by
  const byC =
    -(load<f64>(c, m.NX) - load<f64>(c, m.ANCHOR_X)) * bx - (load<f64>(c, m.NY) - load<f64>(c, m.ANCHOR_Y)) * by
  if (byB >= byC) goesBack(b)
  if (byC >= byB) goesBack(c)
}

// @ts-ignore: decorator
@inline
function goesBack(b: usize): void {
  if (load<u32>(b, m.BLOCKER) == BACK) return
  store<u32>(b, BACK, m.BLOCKER)
  store<u32>(goingEnd, <u32>b)
  goingEnd += 4
}

/** The next places become the places. */
function settle(): void {
  // One or two loops: exact.
  const each = f64x2.splat(1 / <f64>strode)
  const one = f64x2.splat(1)
  for (let k: usize = 0; k < m.unitsEnd; k += 16) {
    const nx = v128.load(k, m.NX)
    const ny = v128.load(k, m.NY)
    const dx = f64x2.sub(nx, v128.load(k, m.ANCHOR_X))
    const dy = f64x2.sub(ny, v128.load(k, m.ANCHOR_Y))
    const d = f64x2.sqrt(f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy)))
    // WALKING is bit 0 of the mode.
    const walks = i64x2.neg(v128.and(v128.load(k, m.MODE), i64x2.splat(m.WALKING)))
    v128.store(k, v128.bitselect(f64x2.mul(d, each), one, walks), m.STRIDE)
    v128.store(k, nx, m.X)
    v128.store(k, ny, m.Y)
  }
}
