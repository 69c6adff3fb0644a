/**
 * The loops of a step, the masks and the observations of the skirmish in WebAssembly: a second implementation of
 * `../orders.ts`, `../combat.ts`, `../pushing.ts`, `../sight.ts` and `../observe.ts`, equal to them to the last bit
 * (`../machine.test.ts`). `build.mjs` compiles it into `../machine-code.ts`.
 */
import { fight, healedSoFar, setHealed } from './combat'
import * as m from './memory'
import { decide, measureGap } from './orders'
import { beginStep, pushAndMove } from './pushing'
import { settle } from './settle'

export { open } from './memory'
export { legal } from './sight'
export { observe } from './observe'

/** Takes the units of a lane into the records, and lists who is alive. */
function takeUp(lane: i32): void {
  const first = lane * m.units
  const base = m.recordsAt
  let living = 0
  let livingAllies = 0
  for (let u = 0; u < m.units; u++) {
    const i = first + u
    const wide = <usize>i << 3
    const narrow = <usize>i << 1
    const b = base + (<usize>u << m.RECORD)
    const health = load<f64>(m.healthAt + wide)
    store<f64>(b, health, m.HEALTH)
    store<f64>(m.beforeAt + (<usize>u << 3), health + load<f64>(m.shieldAt + wide))
    store<i16>(m.struckAt + narrow, -1)
    store<i16>(m.felledByAt + narrow, -1)
    const type = <i32>load<u8>(m.typeAt + <usize>i)
    if (load<i32>(b, m.TYPE) != type || load<u32>(b, m.KIND) == 0) describe(b, u, type)
    if (health <= 0) continue
    store<u32>(m.beganAt + (<usize>living << 2), <u32>b)
    store<u32>(m.liveAt + (<usize>living << 2), <u32>b)
    living++
    if (u < m.allies) livingAllies = living
    store<f64>(b, load<f64>(m.xAt + wide), m.X)
    store<f64>(b, load<f64>(m.yAt + wide), m.Y)
    store<f64>(b, load<f64>(m.pxAt + wide), m.GX)
    store<f64>(b, load<f64>(m.pyAt + wide), m.GY)
    store<f64>(b, load<f64>(m.vxAt + wide), m.VX)
    store<f64>(b, load<f64>(m.vyAt + wide), m.STRIDE)
    store<f64>(b, load<f64>(m.cooldownAt + wide), m.COOLDOWN)
    store<f64>(b, load<f64>(m.shieldAt + wide), m.SHIELD)
    store<f64>(b, load<f64>(m.quietAt + wide), m.QUIET)
    store<f64>(b, load<f64>(m.energyAt + wide), m.ENERGY)
    store<f64>(b, load<f64>(m.creditAt + wide), m.CREDIT)
    store<f64>(b, load<f64>(m.dealtAt + wide), m.DEALT)
    store<f64>(b, load<f64>(m.takenAt + wide), m.TAKEN)
    store<i32>(b, <i32>load<u8>(m.orderAt + <usize>i), m.ORDER)
    const aim = <i32>load<i16>(m.aimAt + narrow)
    store<u32>(b, aim < 0 ? 0 : <u32>(base + (<usize>aim << m.RECORD)), m.AIM)
    store<u32>(b, 0, m.STRUCK)
    store<u32>(b, 0, m.EXPLODED)
    store<u32>(b, 0, m.FELLED_BY)
  }
  m.setLiving(living, livingAllies)
  m.setFallen(false)
}

/** What follows from the type and the number of a unit. */
function describe(b: usize, u: i32, type: i32): void {
  const ally = u < m.allies
  const kind = m.kindsAt + (<usize>type << m.KINDS)
  store<i32>(b, type, m.TYPE)
  store<i32>(b, u, m.INDEX)
  store<u32>(b, <u32>kind, m.KIND)
  store<u32>(b, <u32>(m.hitAt + (<usize>(type * m.kinds) << 3)), m.HIT)
  store<i32>(b, ally ? 0 : 1, m.SIDE)
  const scripted = load<u8>(m.scriptedAt + <usize>u) != 0 ? m.SCRIPTED : 0
  store<i32>(b, <i32>load<f64>(kind, m.TYPE_TRAITS) | scripted, m.TRAITS)
  store<f64>(b, load<f64>(kind + (ally ? 0 : 8), m.PACES), m.PACE)
  store<f64>(b, load<f64>(kind, m.RANGE) + load<f64>(kind, m.TYPE_RADIUS), m.REACH)
  store<f64>(b, load<f64>(kind, m.TYPE_RADIUS), m.RADIUS)
}

// @ts-ignore: decorator
@inline
function unitOf(b: usize): i16 {
  return b == 0 ? -1 : <i16>((b - m.recordsAt) >> m.RECORD)
}

/** Writes the records back into the arrays of the state. */
function putBack(lane: i32, begun: i32): void {
  const first = lane * m.units
  for (let a = 0; a < begun; a++) {
    const b = <usize>load<u32>(m.beganAt + (<usize>a << 2))
    const i = first + load<i32>(b, m.INDEX)
    const wide = <usize>i << 3
    const narrow = <usize>i << 1
    store<f64>(m.xAt + wide, load<f64>(b, m.X))
    store<f64>(m.yAt + wide, load<f64>(b, m.Y))
    store<f64>(m.vxAt + wide, load<f64>(b, m.VX))
    store<f64>(m.vyAt + wide, load<f64>(b, m.STRIDE))
    store<f64>(m.healthAt + wide, load<f64>(b, m.HEALTH))
    store<f64>(m.shieldAt + wide, load<f64>(b, m.SHIELD))
    store<f64>(m.cooldownAt + wide, load<f64>(b, m.COOLDOWN))
    store<f64>(m.quietAt + wide, load<f64>(b, m.QUIET))
    store<f64>(m.energyAt + wide, load<f64>(b, m.ENERGY))
    store<f64>(m.creditAt + wide, load<f64>(b, m.CREDIT))
    store<f64>(m.dealtAt + wide, load<f64>(b, m.DEALT))
    store<f64>(m.takenAt + wide, load<f64>(b, m.TAKEN))
    store<u8>(m.orderAt + <usize>i, <u8>load<i32>(b, m.ORDER))
    store<i16>(m.aimAt + narrow, unitOf(<usize>load<u32>(b, m.AIM)))
    store<i16>(m.struckAt + narrow, unitOf(<usize>load<u32>(b, m.STRUCK)))
    store<i16>(m.felledByAt + narrow, unitOf(<usize>load<u32>(b, m.FELLED_BY)))
  }
}

/** Lists who is still alive. */
function dropTheDead(): void {
  const live = m.liveAt
  let left = 0
  let allies = 0
  for (let a = 0; a < m.living; a++) {
    const b = load<u32>(live + (<usize>a << 2))
    if (load<f64>(<usize>b, m.HEALTH) <= 0) continue
    if (a < m.livingAllies) allies++
    store<u32>(live + (<usize>(left++) << 2), b)
  }
  m.setLiving(left, allies)
  m.setFallen(false)
}

/**
 * Plays the loops of one step of a lane, whose orders are given, and sums up what it came to.
 * @param tick loops since the start of the episode
 */
export function run(lane: i32, tick: i32): void {
  takeUp(lane)
  const begun = m.living
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
  putBack(lane, begun)
  settle(lane)
}
