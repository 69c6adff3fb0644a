/** How an episode begins: who fights, where they stand, what the enemies are ordered. */
import { GENERATOR_WORDS, nextBelow, nextFloat } from '../core/random.ts'
import { ALLIES, ENEMIES, type Plan } from './options.ts'
import { EDGE } from './ground.ts'
import { settle } from './placing.ts'
import { ATTACK_MOVE, GUARD, HUNT, REWARD_SCALE, STOP, TALLIES, type SkirmishState } from './state.ts'

/** Generator streams. */
export const STREAMS = ['teams', 'spawns', 'combat', 'sight'] as const
export const TEAMS = 0
export const SPAWNS = 1
export const COMBAT = 2
export const SIGHT = 3

/** Starts the listed lanes. */
export function start(
  state: SkirmishState,
  scripted: Uint8Array,
  random: Uint32Array,
  streams: number,
  lanes: Int32Array,
  count: number,
): void {
  const { plan, type, x, y, health, shield, energy, tally } = state
  const { units, tables, order, sides, enemyHome, terrain } = plan
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const first = lane * units
    const draws = (stream: number) => (lane * streams + stream) * GENERATOR_WORDS
    if (plan.generated === null) placeFixed(state, first, random, draws(SPAWNS))
    else {
      drawTeams(plan, type, first, random, draws(TEAMS))
      placeDrawn(state, first, random, draws(SPAWNS))
    }
    let goalX = 0
    let goalY = 0
    if (order.kind === 'attack-move') {
      goalX = order.to[0] - terrain.width / 2
      goalY = order.to[1] - terrain.height / 2
    } else if (order.kind === 'segment') {
      const t = nextFloat(random, draws(SPAWNS))
      goalX = order.from[0] + t * (order.to[0] - order.from[0]) - terrain.width / 2
      goalY = order.from[1] + t * (order.to[1] - order.from[1]) - terrain.height / 2
    }
    const standing = order.kind === 'none' ? GUARD : order.kind === 'closest' ? HUNT : ATTACK_MOVE
    for (let u = 0; u < units; u++) {
      const i = first + u
      const ally = u < sides[0].count
      health[i] = tables.health[type[i]]
      shield[i] = tables.shield[type[i]]
      energy[i] = tables.energyStart[type[i]]
      state.vx[i] = state.credit[i] = state.cooldown[i] = 0
      state.vy[i] = plan.rules === 'sc2' ? 1 : 0
      // Never hit is as good as hit long ago.
      state.quiet[i] = tables.shieldDelay[type[i]]
      state.aim[i] = state.struck[i] = state.felledBy[i] = state.lastAction[i] = -1
      state.facing[i] = 0
      state.dealt[i] = state.taken[i] = 0
      state.order[i] = scripted[u] === 0 ? STOP : ally && standing === GUARD ? ATTACK_MOVE : standing
      state.px[i] = scripted[u] === 0 ? x[i] : ally ? enemyHome[0] : goalX
      state.py[i] = scripted[u] === 0 ? y[i] : ally ? enemyHome[1] : goalY
    }
    const row = lane * TALLIES
    for (let t = 0; t < TALLIES; t++) if (t !== REWARD_SCALE) tally[row + t] = 0
    if (state.granted.length > 0) {
      state.tied.fill(0, first, first + units)
      state.granted.fill(0, first * units, (first + units) * units)
    }
  }
}

/** Fixed maps: the layout of the plan, each unit up to spawnJitter off; allies of one type in order of x, then y. */
function placeFixed(state: SkirmishState, first: number, random: Uint32Array, draws: number): void {
  const { plan, type, x, y } = state
  const { options, sides, terrain, tables, rules } = plan
  const jitter = rules === 'sc2' ? options.spawnJitter : 0
  for (let side = 0; side < 2; side++) {
    const starts = plan.starts![side]
    const base = first + sides[side].base
    for (let n = 0; n < starts.length; n++) {
      const i = base + n
      type[i] = starts[n].type
      x[i] = starts[n].x
      y[i] = starts[n].y
      if (jitter === 0) continue
      const jx = x[i] + (2 * nextFloat(random, draws) - 1) * jitter
      const jy = y[i] + (2 * nextFloat(random, draws) - 1) * jitter
      const cx = Math.floor(jx + terrain.width / 2)
      const cy = Math.floor(jy + terrain.height / 2)
      if (cx < 0 || cy < 0 || cx >= terrain.width || cy >= terrain.height) continue
      const cells = tables.strides[type[i]] === 1 ? terrain.strideable : terrain.walkable
      if (tables.flies[type[i]] === 0 && cells[cy * terrain.width + cx] === 0) continue
      x[i] = jx
      y[i] = jy
    }
    if (rules === 'sc2' && side === ALLIES) sortRow(type, x, y, null, base, starts.length)
  }
}

/** Insertion sort by rank of type (null = the types stand together already), then x, then y. */
function sortRow(
  type: Uint8Array,
  x: Float64Array,
  y: Float64Array,
  rank: Uint8Array | null,
  base: number,
  count: number,
): void {
  for (let i = base + 1; i < base + count; i++) {
    const [t, px, py] = [type[i], x[i], y[i]]
    let j = i - 1
    while (j >= base) {
      const a = rank === null ? 0 : rank[type[j]]
      const b = rank === null ? 0 : rank[t]
      if (rank === null && type[j] !== t) break
      const after = a > b || (a === b && (x[j] > px || (x[j] === px && y[j] > py)))
      if (!after) break
      type[j + 1] = type[j]
      x[j + 1] = x[j]
      y[j + 1] = y[j]
      j--
    }
    type[j + 1] = t
    x[j + 1] = px
    y[j + 1] = py
  }
}

/**
 * SMACv2's weighted teams: every allied slot on its own; the enemies are the same list, cut or filled up with further
 * draws. A list of forbidden units alone is drawn again.
 */
function drawTeams(plan: Plan, type: Uint8Array, first: number, random: Uint32Array, draws: number): void {
  const { sides, generated } = plan
  const { types, odds, notAlone } = generated!
  const draw = (from: number, to: number) => {
    for (;;) {
      let alone = true
      for (let i = from; i < to; i++) {
        const u = nextFloat(random, draws)
        let t = 0
        while (t < odds.length - 1 && u >= odds[t]) t++
        type[i] = types[t]
        if (types[t] !== notAlone) alone = false
      }
      if (!alone || to === from) return
    }
  }
  const [allies, enemies] = [sides[ALLIES].count, sides[ENEMIES].count]
  const base = first + sides[ENEMIES].base
  draw(first, first + allies)
  for (let n = 0; n < Math.min(allies, enemies); n++) type[base + n] = type[first + n]
  draw(base + Math.min(allies, enemies), base + enemies)
}

/** Corners of the surrounded start, as signs of x and y. */
const CORNER_X = [-1, -1, 1, 1]
const CORNER_Y = [-1, 1, -1, 1]

/** SMACv2's "surrounded and reflect" starts; units created on one point are spread. */
function placeDrawn(state: SkirmishState, first: number, random: Uint32Array, draws: number): void {
  const { plan, type, x, y } = state
  const { sides, terrain, options, tables } = plan
  const [allies, enemies] = [sides[ALLIES].count, sides[ENEMIES].count]
  const base = first + sides[ENEMIES].base
  const halfWidth = terrain.width / 2
  const halfHeight = terrain.height / 2
  if (nextFloat(random, draws) >= options.surrounded) {
    for (let n = 0; n < allies; n++) {
      x[first + n] = nextFloat(random, draws) * (halfWidth - 1) - halfWidth
      y[first + n] = nextFloat(random, draws) * 2 * halfHeight - halfHeight
    }
    for (let n = 0; n < enemies; n++) {
      const extra = n >= allies
      x[base + n] = extra ? nextFloat(random, draws) * halfWidth : -x[first + n]
      y[base + n] = extra ? nextFloat(random, draws) * 2 * halfHeight - halfHeight : y[first + n]
    }
  } else {
    for (let n = 0; n < allies; n++) x[first + n] = y[first + n] = 0
    const groups = 1 + nextBelow(random, draws, 4)
    // The diagonals of the groups: the first `groups` of a shuffled four.
    let corners = 0x3210
    for (let g = 3; g > 0; g--) {
      const other = nextBelow(random, draws, g + 1)
      const a = (corners >> (4 * g)) & 15
      const b = (corners >> (4 * other)) & 15
      const swap = a ^ b
      corners ^= swap << (4 * g)
      corners ^= swap << (4 * other)
    }
    for (let n = 0; n < enemies; n++) x[base + n] = -1 - nextBelow(random, draws, groups)
    for (let g = 0; g < groups; g++) {
      const corner = (corners >> (4 * g)) & 15
      const t = nextFloat(random, draws)
      // From two cells off the centre out to the corner of the map.
      const px = CORNER_X[corner] * (t * 2 + (1 - t) * halfWidth)
      const py = CORNER_Y[corner] * (t * 2 + (1 - t) * halfHeight)
      for (let n = 0; n < enemies; n++) {
        if (x[base + n] !== -1 - g) continue
        state.px[base + n] = px
        state.py[base + n] = py
      }
    }
    for (let n = 0; n < enemies; n++) {
      x[base + n] = state.px[base + n]
      y[base + n] = state.py[base + n]
    }
  }
  sortRow(type, x, y, plan.alphabet, first, allies)
  const cells = plan.rules === 'smaclite' ? terrain.walkable : null
  const total = allies + enemies
  // px and py keep where each was created, and quiet the offset at which it found room.
  const { px, py, quiet } = state
  for (let u = 0; u < total; u++) {
    const sign = u < allies ? 1 : -1
    const { radius, layer } = tables
    const i = first + u
    px[i] = x[i]
    py[i] = y[i]
    // What was taken for one of the same kind and point is still taken.
    let like = i - 1
    const least = u < allies ? first : base
    while (like >= least && (type[like] !== type[i] || px[like] !== px[i] || py[like] !== py[i])) like--
    const from = like < least ? 0 : quiet[like]
    quiet[i] = settle(x, y, radius, layer, type, first, i, sign, terrain.width, terrain.height, cells, from)
    x[i] = Math.max(-halfWidth + EDGE, Math.min(halfWidth - EDGE, x[i]))
    y[i] = Math.max(-halfHeight + EDGE, Math.min(halfHeight - EDGE, y[i]))
  }
}
