/**
 * Where things lie. `../machine.ts` allocates and fills the tables and columns, and writes their addresses and all
 * numbers that follow from the plan into a header, which `open` reads in the same order.
 *
 * The units of the lane being fought are records of RECORD bytes. A unit is named by the address of its record, which
 * orders units as their numbers do; 0 is nobody.
 */

/** Bytes per unit, as a shift. */
export const RECORD: usize = 8

// Places in a record. Pairs of numbers that are used together lie side by side.
export const X: usize = 0 // centred, cells
export const Y: usize = 8
export const NX: usize = 16 // where it will be after this loop
export const NY: usize = 24
export const WX: usize = 32 // displacement it wants in this loop
export const WY: usize = 40
export const GX: usize = 48 // point of its order
export const GY: usize = 56
export const PACE: usize = 64 // cells per loop
export const REACH: usize = 72 // weapon range and own radius
export const RADIUS: usize = 80
export const STRIDE: usize = 88 // cells moved per loop of the last beat, 1 when it did not walk
export const COOLDOWN: usize = 96
export const HEALTH: usize = 104
export const SHIELD: usize = 112
export const QUIET: usize = 120
export const AX: usize = 128 // i32: pushes, in 2^-20 cells
export const AY: usize = 132
export const MODE: usize = 136 // i32 from here on
export const ORDER: usize = 140
export const AIM: usize = 144 // whom it attacks, heals or hunts
export const FIRE: usize = 148 // whom it shoots (or heals) when ready
export const TYPE: usize = 152
export const SIDE: usize = 156
export const TRAITS: usize = 160
export const BLOCKER: usize = 164 // who stands in its way; BACK and WENT_BACK once walking is done
export const EXPLODED: usize = 168
export const FELLED_BY: usize = 172
export const ANCHOR_X: usize = 176 // f64: where it was at the beginning of the beat
export const ANCHOR_Y: usize = 184
export const BLOCKED_AT: usize = 192 // squared distance to the blocker
export const ENERGY: usize = 200
export const CREDIT: usize = 208
export const VX: usize = 216 // pace of those who gather speed
export const DEALT: usize = 224
export const TAKEN: usize = 232
export const STRUCK: usize = 240 // i32
export const HIT: usize = 244 // address of its row of damages
export const INDEX: usize = 248 // 0 to U - 1
export const KIND: usize = 252 // address of its type

// Places in the record of a type; all f64.
export const KINDS: usize = 8 // bytes per type, as a shift
export const FULL_HEALTH: usize = 0
export const FULL_SHIELD: usize = 8
export const ARMOR: usize = 16
export const ACCELERATION: usize = 24
export const RANGE: usize = 32
export const SCAN: usize = 40
export const RELOAD: usize = 48
export const SPLASH: usize = 56
export const BAR_WIDTH: usize = 64
export const BAR_DEPTH: usize = 72
export const HEALING: usize = 80
export const PER_ENERGY: usize = 88
export const ENERGY_TO_START: usize = 96
export const ENERGY_MAX: usize = 104
export const ENERGY_REGEN: usize = 112
export const SHIELD_REGEN: usize = 120
export const SHIELD_DELAY: usize = 128
export const HEALTH_REGEN: usize = 136
export const NORMALISER: usize = 144
export const SHOOT_RANGE: usize = 152
export const SIGHT_RANGE: usize = 160
export const ATTACKS: usize = 168
export const SUICIDE: usize = 176
export const EXPLODES: usize = 184
export const HEALABLE: usize = 192
export const LAYER: usize = 200
export const FLIES: usize = 208
export const STRIDES: usize = 216
export const TYPE_TRAITS: usize = 224
export const TYPE_RADIUS: usize = 232
export const PACES: usize = 240 // two: of allies, of enemies

// Orders and modes, as in `../state.ts` and `../engine.ts`.
export const STOP: i32 = 0
export const MOVE: i32 = 1
export const ATTACK: i32 = 2
export const HEAL: i32 = 3
export const HUNT: i32 = 5
export const GUARD: i32 = 6
export const IDLE: i32 = 4
export const ENGAGED: i32 = 6
export const WALKING: i32 = 1
export const STUCK: i32 = 7
export const SCRIPTED: i32 = 1
export const HEALS: i32 = 2
export const GATHERS_SPEED: i32 = 4
export const CROSSES: i32 = 8
export const RECOVERS: i32 = 16

/** Loops of a beat. */
export const BEAT: i32 = 2

// Numbers of the plan.
export let units: i32 = 0
export let allies: i32 = 0
export let agents: i32 = 0
export let seats: i32 = 0
export let loops: i32 = 0
export let jitter: i32 = 0
export let recovers: i32 = 0
export let explodes: i32 = 0
export let walled: i32 = 0
export let width: i32 = 0
export let height: i32 = 0
export let tallies: i32 = 0
export let healed: i32 = 0
export let kinds: i32 = 0
export let typeBits: i32 = 0
export let actionSize: i32 = 0
export let observationSize: i32 = 0
export let stateSize: i32 = 0
export let allHealth: i32 = 0
export let ownHealth: i32 = 0
export let lastActions: i32 = 0
export let ownPosition: i32 = 0
export let timestep: i32 = 0
export let compatibility: i32 = 0
export let stateLastAction: i32 = 0
export let stateTimestep: i32 = 0
export let signed: i32 = 0 // own losses count
export let fighters: i32 = 0 // bits of the sides that start with somebody who is no healer

// Addresses.
export let typeAt: usize = 0 // u8 [B, U]
export let xAt: usize = 0 // f64 [B, U] from here
export let yAt: usize = 0
export let vxAt: usize = 0
export let vyAt: usize = 0
export let healthAt: usize = 0
export let shieldAt: usize = 0
export let energyAt: usize = 0
export let creditAt: usize = 0
export let cooldownAt: usize = 0
export let quietAt: usize = 0
export let pxAt: usize = 0
export let pyAt: usize = 0
export let dealtAt: usize = 0
export let takenAt: usize = 0
export let tallyAt: usize = 0 // f64 [B, TALLIES]
export let orderAt: usize = 0 // u8 [B, U]
export let aimAt: usize = 0 // i16 [B, U] from here
export let lastActionAt: usize = 0
export let struckAt: usize = 0
export let felledByAt: usize = 0
export let scriptedAt: usize = 0 // u8 [U]
export let kindsAt: usize = 0
export let hitAt: usize = 0 // f64 [T, T]
export let walkableAt: usize = 0 // u8 [C] from here
export let strideableAt: usize = 0
export let clearAt: usize = 0
export let waysAt: usize = 0 // u32 [C]: address of the ways to each cell, 0 = not here
export let sidesAt: usize = 0 // i32 [2, SIDE_WORDS + T]
export let seatsAt: usize = 0 // i32 [N]
export let randomAt: usize = 0 // u32 [4]
export let maskAt: usize = 0 // u8 [B, M, A]
export let aliveAt: usize = 0 // u8 [B, M]
export let observationAt: usize = 0 // f32 [B, N, F]
export let stateAt: usize = 0 // f32 [B, S]
export let recordsAt: usize = 0
export let liveAt: usize = 0 // u32 [U] from here
export let beganAt: usize = 0
export let orderListAt: usize = 0
export let shootersAt: usize = 0
export let columnsAt: usize = 0 // f64 [2, U + 2]: x and y in the order of the search
export let stripAt: usize = 0 // i32 [width + 1]
export let pairsAt: usize = 0
export let beforeAt: usize = 0 // f64 [U]: health and shield at the start of the step
export let attackersAt: usize = 0 // i32 [U]
export let sumsAt: usize = 0 // f64: see `../settling.ts`

export let fastest: f64 = 0
export let largest: f64 = 0
export let farthestNotice: f64 = 0
export let notice: f64 = 0
export let longestPush: f64 = 0
export let arrivalAlly: f64 = 0
export let arrivalEnemy: f64 = 0
export let ahead: f64 = 0 // cells that a move looks ahead
export let least: f64 = 0 // lowest coordinate that a move may look at
export let edge: f64 = 0
export let killReward: f64 = 0
export let winReward: f64 = 0
export let negativeScale: f64 = 0

/** Words of a side in `sidesAt` before its type bits. */
export const SIDE_WORDS: i32 = 6

let cursor: usize = 0

function word(): i32 {
  const value = load<i32>(cursor)
  cursor += 4
  return value
}

function address(): usize {
  return <usize>word()
}

function number(): f64 {
  const value = load<f64>(cursor)
  cursor += 8
  return value
}

/** Reads the header; numbers first in f64, then words. */
export function open(header: usize): void {
  cursor = header
  fastest = number()
  largest = number()
  farthestNotice = number()
  notice = number()
  longestPush = number()
  arrivalAlly = number()
  arrivalEnemy = number()
  ahead = number()
  least = number()
  edge = number()
  killReward = number()
  winReward = number()
  negativeScale = number()
  units = word()
  allies = word()
  agents = word()
  seats = word()
  loops = word()
  jitter = word()
  recovers = word()
  explodes = word()
  walled = word()
  width = word()
  height = word()
  tallies = word()
  healed = word()
  kinds = word()
  typeBits = word()
  actionSize = word()
  observationSize = word()
  stateSize = word()
  allHealth = word()
  ownHealth = word()
  lastActions = word()
  ownPosition = word()
  timestep = word()
  compatibility = word()
  stateLastAction = word()
  stateTimestep = word()
  signed = word()
  fighters = word()
  typeAt = address()
  xAt = address()
  yAt = address()
  vxAt = address()
  vyAt = address()
  healthAt = address()
  shieldAt = address()
  energyAt = address()
  creditAt = address()
  cooldownAt = address()
  quietAt = address()
  pxAt = address()
  pyAt = address()
  dealtAt = address()
  takenAt = address()
  tallyAt = address()
  orderAt = address()
  aimAt = address()
  lastActionAt = address()
  struckAt = address()
  felledByAt = address()
  scriptedAt = address()
  kindsAt = address()
  hitAt = address()
  walkableAt = address()
  strideableAt = address()
  clearAt = address()
  waysAt = address()
  sidesAt = address()
  seatsAt = address()
  randomAt = address()
  maskAt = address()
  aliveAt = address()
  observationAt = address()
  stateAt = address()
  recordsAt = address()
  liveAt = address()
  beganAt = address()
  orderListAt = address()
  shootersAt = address()
  columnsAt = address()
  stripAt = address()
  pairsAt = address()
  beforeAt = address()
  attackersAt = address()
  sumsAt = address()
}

/** The living of the lane, allies first: how many, and how many of them are allies. */
export let living: i32 = 0
export let livingAllies: i32 = 0
export function setLiving(all: i32, ofAllies: i32): void {
  living = all
  livingAllies = ofAllies
}

/** Whether anybody has died since the dead were dropped. */
export let fallen: bool = false
export function setFallen(value: bool): void {
  fallen = value
}
