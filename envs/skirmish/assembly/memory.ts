/**
 * Where things lie. `../machine.ts` allocates and fills the tables and columns, and writes their addresses and all
 * numbers that follow from the plan into a header, which `open` reads in the same order.
 *
 * The living of the lane being fought stand in columns at fixed places, allies first, each 8 bytes wide; a unit is named
 * by its byte in a column, so that `load<f64>(k, X)` is one instruction, and two neighbours are one vector. Behind the last
 * there is a spare unit that is nowhere (NaN) and does nothing; so are those who died in the step. What is seldom needed
 * stays where it is in the columns of the state, at AT.
 */

/** Bytes of a column, and the place of the first; `../machine.ts` keeps them free. An odd number of cache lines. */
export const COLUMN: usize = 2112
const COLUMNS: usize = 1152

// Columns.
export const X: usize = COLUMNS + 0 * COLUMN // centred, cells
export const Y: usize = COLUMNS + 1 * COLUMN
export const NX: usize = COLUMNS + 2 * COLUMN // where it will be after this loop
export const NY: usize = COLUMNS + 3 * COLUMN
export const WX: usize = COLUMNS + 4 * COLUMN // displacement it wants in this loop
export const WY: usize = COLUMNS + 5 * COLUMN
export const ANCHOR_X: usize = COLUMNS + 6 * COLUMN // where it was at the beginning of the beat
export const ANCHOR_Y: usize = COLUMNS + 7 * COLUMN
export const PX: usize = COLUMNS + 8 * COLUMN // point of its order
export const PY: usize = COLUMNS + 9 * COLUMN
export const GOAL: usize = COLUMNS + 10 * COLUMN // u32: address of the x of the point it goes to; the y lies COLUMN behind it
export const REACH2: usize = COLUMNS + 11 * COLUMN // squared distance to its goal within which it is engaged; -1 = never
export const NEAREST: usize = COLUMNS + 12 * COLUMN // it walks while its goal is at least that far; Infinity = it stands
export const TAKEN_GOAL: usize = COLUMNS + 13 * COLUMN // the three again, on grounds with walls: around them
export const TAKEN_REACH2: usize = COLUMNS + 14 * COLUMN
export const TAKEN_NEAREST: usize = COLUMNS + 15 * COLUMN
export const STOP_X: usize = COLUMNS + 16 * COLUMN // cell to walk straight to, around a wall
export const STOP_Y: usize = COLUMNS + 17 * COLUMN
export const CAN_FIRE: usize = COLUMNS + 18 * COLUMN // i64: all bits = its weapon can hit its target
export const PACE: usize = COLUMNS + 19 * COLUMN // cells per loop
export const COOLDOWN: usize = COLUMNS + 20 * COLUMN
export const STRIDE: usize = COLUMNS + 21 * COLUMN // cells moved per loop of the last beat, 1 when it did not walk
export const MODE: usize = COLUMNS + 22 * COLUMN // i64
export const RADIUS: usize = COLUMNS + 23 * COLUMN
export const PUSH: usize = COLUMNS + 24 * COLUMN // two i32: pushes, in 2^-20 cells
export const BLOCKER: usize = COLUMNS + 25 * COLUMN // who stands in its way, and 8; BACK and WENT_BACK once walking is done
export const BLOCKED_AT: usize = COLUMNS + 26 * COLUMN // squared distance to the blocker
export const TARGET: usize = COLUMNS + 27 * COLUMN // i32: whom it attacks, heals or hunts; negative = nobody alive
export const KIND: usize = COLUMNS + 28 * COLUMN // u32: address of its type
export const HIT: usize = COLUMNS + 29 * COLUMN // u32: address of its row of damages
export const TRAITS: usize = COLUMNS + 30 * COLUMN // i32
export const AT: usize = COLUMNS + 31 * COLUMN // u32: 8 times its place in the columns of the state
export const TURN: usize = COLUMNS + 32 * COLUMN // i32: its number within its side
export const LOST: usize = COLUMNS + 33 * COLUMN // i32: its target died, or it has yet to look for one
export const EXPLODED: usize = COLUMNS + 34 * COLUMN // i32
export const REACH: usize = COLUMNS + 35 * COLUMN // weapon range and own radius
export const BEFORE: usize = COLUMNS + 36 * COLUMN // by number in the battle: health and shield at the start of the step
export const PLACE: usize = COLUMNS + 37 * COLUMN // i32, by number in the battle: its place in these columns; negative = dead
export const HOLDER_X: usize = COLUMNS + 38 * COLUMN // f32, as the next and the radius: who holds its place
export const HOLDER_Y: usize = COLUMNS + 39 * COLUMN
export const HOLDER: usize = COLUMNS + 40 * COLUMN // u32
export const SORTED_X: usize = COLUMNS + 41 * COLUMN // f32, as the next two: next places in the order of the search
export const SORTED_Y: usize = COLUMNS + 42 * COLUMN
export const SORTED: usize = COLUMNS + 43 * COLUMN // u32
export const WALKERS: usize = COLUMNS + 44 * COLUMN // u32 lists from here on
export const SHOOTERS: usize = COLUMNS + 45 * COLUMN
export const MINDS: usize = COLUMNS + 46 * COLUMN
export const MENDERS: usize = COLUMNS + 47 * COLUMN
export const NEAR_WALLS: usize = COLUMNS + 48 * COLUMN
export const WAYS: usize = COLUMNS + 49 * COLUMN // those whom walls may turn
export const GOING: usize = COLUMNS + 50 * COLUMN
export const ATTACKERS: usize = COLUMNS + 51 * COLUMN // i32, by number in the battle: attackers of each unit
export const TYPE: usize = COLUMNS + 52 * COLUMN // u32: 8 times its type
export const HOLDER_RADIUS: usize = COLUMNS + 53 * COLUMN
export const SORTED_RADIUS: usize = COLUMNS + 54 * COLUMN
export const PACKING: usize = COLUMNS + 55 * COLUMN // 16 bytes for each choice of four lanes: the chosen first

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
export let plainHits: i32 = 0 // every type that takes part can hurt every other
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
export let stripAt: usize = 0 // i32 [width + 1]
export let pairsAt: usize = 0
export let tailsAt: usize = 0 // f32 [U, 2 + type bits]: see `./observe.ts`
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
// A rectangle of the ground without a wall in sight, centred.
export let clearWest: f64 = 0
export let clearEast: f64 = 0
export let clearSouth: f64 = 0
export let clearNorth: f64 = 0

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
  for (let choice: usize = 0; choice < 16; choice++) {
    let to = (choice << 4) + PACKING
    for (let lane: usize = 0; lane < 4; lane++) {
      if (((choice >> lane) & 1) == 0) continue
      for (let byte: usize = 0; byte < 4; byte++) store<u8>(to++, <u8>(4 * lane + byte))
    }
  }
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
  clearWest = number()
  clearEast = number()
  clearSouth = number()
  clearNorth = number()
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
  plainHits = word()
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
  stripAt = address()
  pairsAt = address()
  tailsAt = address()
  sumsAt = address()
}

/** Ends of the columns: of the allies, and of all; and 8 times the lane's first unit in the columns of the state. */
export let alliesEnd: usize = 0
export let unitsEnd: usize = 0
export let first: usize = 0
export function setEnds(allied: usize, all: usize, lane: usize): void {
  alliesEnd = allied
  unitsEnd = all
  first = lane
}

/** Whether anybody has died since the dead were dropped. */
export let fallen: bool = false
export function setFallen(value: bool): void {
  fallen = value
}

/** Number of a unit in the battle. */
// @ts-ignore: decorator
@inline
export function numberOf(k: usize): i32 {
  return <i32>((load<u32>(k, AT) - <u32>first) >> 3)
}

// @ts-ignore: decorator
@inline
export function healthOf(k: usize): f64 {
  return load<f64>(healthAt + <usize>load<u32>(k, AT))
}
