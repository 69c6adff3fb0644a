/**
 * The loops of a step, the masks and the observations of the skirmish in WebAssembly: a second implementation of
 * `../orders.ts`, `../combat.ts`, `../pushing.ts`, `../sight.ts` and `../observe.ts`, equal to them to the last bit
 * (`../machine.test.ts`). `build.mjs` compiles it into `../machine-code.ts`.
 */
import { fight, healedSoFar, setHealed } from './combat'
import * as m from './memory'
import { decide, forgetTheDead, measureGap, rest, takeOrders } from './orders'
import { beginStep, pushAndMove } from './pushing'
import { settle } from './settle'

export { open } from './memory'
export { legal } from './sight'
export { observe } from './observe'

/** Takes the living of a lane into the columns. */
function takeUp(lane: i32): void {
  const first = <usize>(lane * m.units) << 3
  let k: usize = 0
  let alliesEnd: usize = 0
  for (let u = 0; u < m.units; u++) {
    const wide = first + (<usize>u << 3)
    const narrow = wide >> 2
    const health = load<f64>(m.healthAt + wide)
    store<f64>(<usize>u << 3, health + load<f64>(m.shieldAt + wide), m.BEFORE)
    store<i16>(m.struckAt + narrow, -1)
    store<i16>(m.felledByAt + narrow, -1)
    store<i32>(<usize>u << 3, health > 0 ? <i32>k : -1, m.PLACE)
    if (health <= 0) continue
    const ally = u < m.allies
    const type = <i32>load<u8>(m.typeAt + (wide >> 3))
    const kind = m.kindsAt + (<usize>type << m.KINDS)
    store<u32>(k, <u32>wide, m.AT)
    store<f64>(k, load<f64>(m.xAt + wide), m.X)
    store<f64>(k, load<f64>(m.yAt + wide), m.Y)
    store<f64>(k, load<f64>(m.pxAt + wide), m.PX)
    store<f64>(k, load<f64>(m.pyAt + wide), m.PY)
    store<f64>(k, load<f64>(m.vyAt + wide), m.STRIDE)
    store<f64>(k, load<f64>(m.cooldownAt + wide), m.COOLDOWN)
    store<u32>(k, <u32>type << 3, m.TYPE)
    store<u32>(k, <u32>kind, m.KIND)
    store<u32>(k, <u32>(m.hitAt + (<usize>(type * m.kinds) << 3)), m.HIT)
    const radius = load<f64>(kind, m.TYPE_RADIUS)
    store<f64>(k, radius, m.RADIUS)
    store<f64>(k, load<f64>(kind, m.RANGE) + radius, m.REACH)
    store<f64>(k, load<f64>(kind + (ally ? 0 : 8), m.PACES), m.PACE)
    const scripted = load<u8>(m.scriptedAt + <usize>u) != 0 ? m.SCRIPTED : 0
    store<i32>(k, <i32>load<f64>(kind, m.TYPE_TRAITS) | scripted, m.TRAITS)
    store<i32>(k, ally ? u : u - m.allies, m.TURN)
    store<i32>(k, 0, m.EXPLODED)
    k += 8
    if (ally) alliesEnd = k
  }
  m.setEnds(alliesEnd, k, first)
  m.setFallen(false)
  vanish(k)
  store<u32>(k, <u32>first, m.AT)
}

/** This place is nowhere, and does nothing. */
function vanish(k: usize): void {
  store<f64>(k, NaN, m.X)
  store<f64>(k, NaN, m.Y)
  store<f64>(k, NaN, m.NX)
  store<f64>(k, NaN, m.NY)
  store<i32>(k, 0, m.TRAITS)
  rest(k)
}

/** Writes the columns of a unit back into those of the state. */
function putBack(k: usize): void {
  const at = <usize>load<u32>(k, m.AT)
  store<f64>(m.xAt + at, load<f64>(k, m.X))
  store<f64>(m.yAt + at, load<f64>(k, m.Y))
  store<f64>(m.vyAt + at, load<f64>(k, m.STRIDE))
  store<f64>(m.cooldownAt + at, load<f64>(k, m.COOLDOWN))
}

/** Who has died since the loop before leaves the battle. */
function dropTheDead(): void {
  forgetTheDead()
  for (let k: usize = 0; k < m.unitsEnd; k += 8) {
    if (m.healthOf(k) > 0 || isNaN(load<f64>(k, m.X))) continue
    putBack(k)
    vanish(k)
  }
  m.setFallen(false)
}

/**
 * Plays the loops of one step of a lane, whose orders are given, and sums up what it came to.
 * @param tick loops since the start of the episode
 */
export function run(lane: i32, tick: i32): void {
  takeUp(lane)
  takeOrders()
  const tally = m.tallyAt + (<usize>(lane * m.tallies + m.healed) << 3)
  setHealed(load<f64>(tally))
  measureGap()
  beginStep()
  const loops = m.loops
  for (let loop = 0; loop < loops; loop++) {
    if (m.fallen) dropTheDead()
    decide(tick + loop, loop)
    fight()
    pushAndMove(loop % m.BEAT == 0, loop % m.BEAT == m.BEAT - 1 || loop == loops - 1)
  }
  store<f64>(tally, healedSoFar())
  for (let k: usize = 0; k < m.unitsEnd; k += 8) if (!isNaN(load<f64>(k, m.X))) putBack(k)
  settle(lane)
}
