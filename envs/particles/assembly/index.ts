/**
 * Contacts, movement and what is seen of the particle worlds in WebAssembly: a second implementation of `collide` and
 * `integrate` in `../physics.ts`, of the pairs of numbers in `../observe.ts` and of `../distance.ts`, equal to them to the last bit (`../machine.test.ts`). A place is two numbers side by side, which is one register.
 * What depends on the task stays in TypeScript: messages, forests, rewards. `build.mjs` compiles it into
 * `../machine-code.ts`; `../machine.ts` writes the header and the tables.
 */

// The header, one 32-bit number each, in this order.
let entityBytes: i32 = 0 // of places in a lane
let agentBytes: i32 = 0 // of velocities in a lane
let legacy: i32 = 0
let shown: i32 = 0 // bytes of observations in a lane
let stateShown: i32 = 0
let lanesAt: usize = 0 // lanes to work on
let hitsAt: usize = 0
let placesAt: usize = 0
let velocitiesAt: usize = 0
let forcesAt: usize = 0
let observationAt: usize = 0
let stateAt: usize = 0
let pairsAt: usize = 0
let pairsEnd: usize = 0
let bodiesAt: usize = 0
let bodiesEnd: usize = 0
let offsetsAt: usize = 0
let offsetsEnd: usize = 0
let copiesAt: usize = 0
let copiesEnd: usize = 0
let stateCopiesAt: usize = 0
let stateCopiesEnd: usize = 0
let gapsAt: usize = 0
let gapsEnd: usize = 0
let gapAt: usize = 0

// Records of the tables; numbers are 32 bits wide and count bytes within a lane unless they say otherwise.
const PAIR: usize = 16 // place of one, place of the other, square of the reach (f64)
const BODY: usize = 16 // 1 where it moves, nothing, speed limit (f64)
const OFFSETS: usize = 16 // to, first place, end of places, place of the observer
const COPY: usize = 16 // to, from, end, 1 = velocities, 0 = places
const GAP: usize = 16 // place of one, first place of the others, end

let cursor: usize = 0

function next(): i32 {
  const value = load<i32>(cursor)
  cursor += 4
  return value
}

export function open(header: usize): void {
  cursor = header
  entityBytes = next()
  agentBytes = next()
  legacy = next()
  shown = next()
  stateShown = next()
  lanesAt = next()
  hitsAt = next()
  placesAt = next()
  velocitiesAt = next()
  forcesAt = next()
  observationAt = next()
  stateAt = next()
  pairsAt = next()
  pairsEnd = next()
  bodiesAt = next()
  bodiesEnd = next()
  offsetsAt = next()
  offsetsEnd = next()
  copiesAt = next()
  copiesEnd = next()
  stateCopiesAt = next()
  stateCopiesEnd = next()
  gapsAt = next()
  gapsEnd = next()
  gapAt = next()
}

/**
 * Lists the pairs near enough to push each other in the lanes from number `from` up to `to` of the list: lane and pair.
 * @returns how many
 */
export function near(from: i32, to: i32): i32 {
  let hit = hitsAt
  const end = lanesAt + (<usize>to << 2)
  for (let l = lanesAt + (<usize>from << 2); l < end; l += 4) {
    const lane = load<i32>(l)
    const place = placesAt + <usize>(lane * entityBytes)
    for (let p = pairsAt; p < pairsEnd; p += PAIR) {
      const d = f64x2.sub(v128.load(place + load<u32>(p)), v128.load(place + load<u32>(p, 4)))
      const s = f64x2.mul(d, d)
      if (f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1) < load<f64>(p, 8)) {
        store<i32>(hit, lane)
        store<i32>(hit, <i32>((p - pairsAt) / PAIR), 4)
        hit += 8
      }
    }
  }
  return <i32>((hit - hitsAt) >> 3)
}

/** Moves the bodies of the first `count` lanes of the list. */
export function move(count: i32): void {
  const kept = f64x2.splat(0.75) // 1 - damping
  const dt = f64x2.splat(0.1)
  const end = lanesAt + (<usize>count << 2)
  for (let l = lanesAt; l < end; l += 4) {
    const lane = load<i32>(l)
    let place = placesAt + <usize>(lane * entityBytes)
    let speed = velocitiesAt + <usize>(lane * agentBytes)
    let force = forcesAt + <usize>(lane * agentBytes)
    for (let body = bodiesAt; body < bodiesEnd; body += BODY, place += 16, speed += 16, force += 16) {
      if (load<i32>(body) == 0) continue
      const before = v128.load(speed)
      let after = f64x2.add(f64x2.mul(before, kept), f64x2.mul(v128.load(force), dt))
      const limit = load<f64>(body, 8)
      if (limit > 0) {
        const s = f64x2.mul(after, after)
        const fast = Math.sqrt(f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1))
        if (fast > limit) after = f64x2.mul(f64x2.div(after, f64x2.splat(fast)), f64x2.splat(limit))
      }
      v128.store(speed, after)
      v128.store(place, f64x2.add(v128.load(place), f64x2.mul(legacy != 0 ? after : before, dt)))
    }
  }
}

/** Measures the distances that rewards ask for, in the first `count` lanes of the list. */
export function measure(count: i32): void {
  const end = lanesAt + (<usize>count << 2)
  for (let l = lanesAt; l < end; l += 4) {
    const lane = <usize>load<i32>(l)
    const place = placesAt + lane * <usize>entityBytes
    let out = gapAt + ((lane * (gapsEnd - gapsAt)) >> 1) // a number of 8 bytes per record of 16
    for (let g = gapsAt; g < gapsEnd; g += GAP, out += 8) {
      const own = v128.load(place + load<u32>(g))
      const last = place + load<u32>(g, 8)
      let least = f64x2.splat(Infinity)
      for (let p = place + load<u32>(g, 4); p < last; p += 16) {
        const d = f64x2.sub(v128.load(p), own)
        const s = f64x2.mul(d, d)
        least = f64x2.pmin(least, f64x2.add(s, v128.shuffle<f64>(s, s, 1, 0)))
      }
      store<f64>(out, Math.sqrt(f64x2.extract_lane(least, 0)))
    }
  }
}

// @ts-ignore: decorator
@inline
function copyPairs(table: usize, tableEnd: usize, to: usize, place: usize, speed: usize): void {
  for (let c = table; c < tableEnd; c += COPY) {
    const from = load<i32>(c, 12) != 0 ? speed : place
    let at = to + load<u32>(c)
    const end = from + load<u32>(c, 8)
    for (let p = from + load<u32>(c, 4); p < end; p += 16, at += 8) {
      v128.store64_lane(at, f32x4.demote_f64x2_zero(v128.load(p)), 0)
    }
  }
}

/** Writes the offsets, places and velocities that are seen in the first `count` lanes of the list, and global states. */
export function look(count: i32): void {
  const end = lanesAt + (<usize>count << 2)
  for (let l = lanesAt; l < end; l += 4) {
    const lane = load<i32>(l)
    const place = placesAt + <usize>(lane * entityBytes)
    const speed = velocitiesAt + <usize>(lane * agentBytes)
    const to = observationAt + <usize>(lane * shown)
    for (let o = offsetsAt; o < offsetsEnd; o += OFFSETS) {
      const own = v128.load(place + load<u32>(o, 12))
      let at = to + load<u32>(o)
      const last = place + load<u32>(o, 8)
      for (let p = place + load<u32>(o, 4); p < last; p += 16, at += 8) {
        v128.store64_lane(at, f32x4.demote_f64x2_zero(f64x2.sub(v128.load(p), own)), 0)
      }
    }
    copyPairs(copiesAt, copiesEnd, to, place, speed)
    copyPairs(stateCopiesAt, stateCopiesEnd, stateAt + <usize>(lane * stateShown), place, speed)
  }
}
