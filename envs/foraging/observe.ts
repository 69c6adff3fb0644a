/** What players see and what a central critic sees: names, ranges and the kernels that write them. */
import { type Feature, type Port } from '../core/types.ts'
import { type Plan } from './options.ts'
import { PRESENT, type ForagingState } from './state.ts'

/** Numbers of a slot in the vector observation; `level` is left out of players where levels are hidden. */
export const SLOT = ['row', 'column', 'level'] as const

/** Layers of the grid observation. */
export const LAYERS = ['player', 'food', 'free'] as const

/** Of the global state, per player and per item. */
export const PLAYER_STATE = ['row', 'column', 'level'] as const
export const FOOD_STATE = ['row', 'column', 'level'] as const

export function observationFeatures(plan: Plan): Feature[] {
  return plan.grid ? gridFeatures(plan) : vectorFeatures(plan)
}

/** Where rows and columns are counted from, in words. */
function origin(plan: Plan): string {
  if (plan.seesAll) return '0 at the top left corner of the field'
  if (plan.strict) return `0 at the corner ${plan.sight} cells up and left of the player, in the field or not`
  return `0 at the top left corner of the seen part of the field: ${plan.sight} cells up and left of the player or the edge`
}

/** Food slots, the player itself, the others: 3 K + 3 M numbers, 3 K + 2 M where levels are hidden. */
function vectorFeatures(plan: Plan): Feature[] {
  const { foods, players, rows, columns, sight, seesAll, strict, levelsObserved, topFoodLevel, topPlayerLevel } = plan
  const from = origin(plan)
  // In strict windows the far corner may lie outside, but nothing that is seen does.
  const far = [Math.min(rows - 1, 2 * sight), Math.min(columns - 1, 2 * sight)]
  const farStrict = [2 * sight, 2 * sight]
  const high = !seesAll && strict ? farStrict : far
  const own = seesAll ? far : strict ? [sight, sight] : [Math.min(rows - 1, sight), Math.min(columns - 1, sight)]
  const ownLow = !seesAll && strict ? sight : 0
  const features: Feature[] = []
  const slot = (
    name: string,
    what: string,
    low: number,
    reach: readonly number[],
    levels: readonly number[] | null,
    empty: string,
  ) => {
    features.push({
      name: `${name}.row`,
      low,
      high: reach[0],
      meaning: `row of ${what} in cells, ${from}${empty && `; -1 ${empty}`}`,
    })
    features.push({
      name: `${name}.column`,
      low,
      high: reach[1],
      meaning: `column of ${what} in cells, ${from}${empty && `; -1 ${empty}`}`,
    })
    if (levels !== null) {
      features.push({
        name: `${name}.level`,
        low: levels[0],
        high: levels[1],
        meaning: `level of ${what}${empty && `; 0 ${empty}`}`,
      })
    }
  }
  for (let f = 0; f < foods; f++) {
    slot(
      `food_${f}`,
      `seen item ${f}, row by row from the top left`,
      -1,
      high,
      [0, topFoodLevel],
      'where no more items are seen',
    )
  }
  const lowest = Math.min(...plan.minPlayerLevel)
  slot('self', 'the player itself', ownLow, own, levelsObserved ? [lowest, topPlayerLevel] : null, '')
  for (let n = 0; n < players - 1; n++) {
    const levels = levelsObserved ? [0, topPlayerLevel] : null
    slot(`other_${n}`, `seen other player ${n}, by player number`, -1, high, levels, 'where no more players are seen')
  }
  return features
}

/** Where a window cell is, as a person says it: '2 north, 1 west'. */
function offset(dr: number, dc: number): string {
  const along = dr === 0 ? [] : [`${Math.abs(dr)} ${dr < 0 ? 'north' : 'south'}`]
  const across = dc === 0 ? [] : [`${Math.abs(dc)} ${dc < 0 ? 'west' : 'east'}`]
  return [...along, ...across].join(', ')
}

/** Three layers of (2 s + 1)² cells around the player, each row by row from the top left. */
function gridFeatures(plan: Plan): Feature[] {
  const { sight, levelsObserved, topFoodLevel, topPlayerLevel } = plan
  const meanings = {
    player: levelsObserved ? 'level of the player there, 0 none' : '1 where a player is, 0 none',
    food: 'level of the food there, 0 none',
    free: '1 inside the field without player and food, else 0',
  }
  const highs = { player: levelsObserved ? topPlayerLevel : 1, food: topFoodLevel, free: 1 }
  const features: Feature[] = []
  for (const layer of LAYERS) {
    for (let dr = -sight; dr <= sight; dr++) {
      for (let dc = -sight; dc <= sight; dc++) {
        const where = dr === 0 && dc === 0 ? 'own cell' : `the cell ${offset(dr, dc)} of the player`
        const name = `${layer}(${dr},${dc})`
        features.push({ name, low: 0, high: highs[layer], meaning: `${where}: ${meanings[layer]}` })
      }
    }
  }
  return features
}

/** Players, then food slots as spawned, then the level of all food; everything in [0, 1]. */
export function stateFeatures(plan: Plan): Feature[] {
  const features: Feature[] = []
  const share = (name: string, meaning: string) => features.push({ name, low: 0, high: 1, meaning })
  for (let n = 0; n < plan.players; n++) {
    share(`agent_${n}.row`, 'row over rows - 1')
    share(`agent_${n}.column`, 'column over columns - 1')
    share(`agent_${n}.level`, `level over ${plan.topPlayerLevel}`)
  }
  for (let f = 0; f < plan.foods; f++) {
    share(`food_${f}.row`, 'row over rows - 1; 0 once taken')
    share(`food_${f}.column`, 'column over columns - 1; 0 once taken')
    share(`food_${f}.level`, `level over ${plan.topFoodLevel}; 0 once taken`)
  }
  share('spawned', `level of all food at the start over ${plan.foods * plan.topFoodLevel}`)
  return features
}

/** Tables and scratch of one batch for the kernels below. */
export interface Sight {
  readonly rowOf: Float32Array // [C]
  readonly columnOf: Float32Array // [C]
  readonly shareRow: Float32Array // [C] row over rows - 1
  readonly shareColumn: Float32Array // [C]
  readonly shareLevel: Float32Array // [levels] level over the highest
  readonly bodies: Float32Array // [M, 2 or 3] how the players of one lane show
}

export function createSight(plan: Plan): Sight {
  const { rows, columns, cells, players, levelsObserved, topPlayerLevel } = plan
  const rowOf = Float32Array.from({ length: cells }, (_, cell) => Math.floor(cell / columns))
  const columnOf = Float32Array.from({ length: cells }, (_, cell) => cell % columns)
  return {
    rowOf,
    columnOf,
    shareRow: rowOf.map((row) => row / (rows - 1)),
    shareColumn: columnOf.map((column) => column / (columns - 1)),
    shareLevel: Float32Array.from({ length: topPlayerLevel + 1 }, (_, level) => level / topPlayerLevel),
    bodies: new Float32Array(players * (levelsObserved ? 3 : 2)),
  }
}

/** Writes every element of `port.observation` [B, N, F] in the listed lanes: vectors of a field seen from everywhere. */
export function observeAll(state: ForagingState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  const { plan, cell, level, foodSeen } = state
  const { players, foods, levelsObserved } = plan
  const { rowOf, columnOf, bodies } = sight
  const { observation, seats } = port
  const agents = seats.length
  const width = levelsObserved ? 3 : 2
  const food = 3 * foods
  const all = width * players
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    let b = 0
    for (let i = lane * players; i < (lane + 1) * players; i++) {
      const here = cell[i]
      bodies[b] = rowOf[here]
      bodies[b + 1] = columnOf[here]
      if (levelsObserved) bodies[b + 2] = level[i]
      b += width
    }
    let o = lane * agents * (food + all)
    for (let s = 0; s < agents; s++) {
      for (let f = lane * food, end = f + food; f < end; f += 3, o += 3) {
        observation[o] = foodSeen[f]
        observation[o + 1] = foodSeen[f + 1]
        observation[o + 2] = foodSeen[f + 2]
      }
      // The player itself, those before it, those after it: the others keep their order.
      const own = seats[s] * width
      for (let p = own, end = own + width; p < end; p++, o++) observation[o] = bodies[p]
      for (let p = 0; p < own; p++, o++) observation[o] = bodies[p]
      for (let p = own + width; p < all; p++, o++) observation[o] = bodies[p]
    }
  }
}

/**
 * Vectors of a limited sight. Rows and columns are counted from the top left corner of the window: clipped by the field as
 * in the original, or not (`strict`). There, too, players are seen wherever both their coordinates are 0 to 2 s: with a
 * window clipped at the top or left that is further than food is seen.
 */
export function observeNear(state: ForagingState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  const { plan, cell, level, foodCell, foodLevel, foodStatus } = state
  const { players, foods, levelsObserved, sight: s, strict } = plan
  const { rowOf, columnOf } = sight
  const { observation, observationSize, seats } = port
  const agents = seats.length
  const width = levelsObserved ? 3 : 2
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const first = lane * players
    for (let seat = 0; seat < agents; seat++) {
      const own = seats[seat]
      const row = rowOf[cell[first + own]]
      const column = columnOf[cell[first + own]]
      const top = strict || row > s ? row - s : 0
      const left = strict || column > s ? column - s : 0
      let o = (lane * agents + seat) * observationSize
      const self = o + 3 * foods
      const end = o + observationSize
      for (let f = lane * foods; f < (lane + 1) * foods; f++) {
        if (foodStatus[f] !== PRESENT) continue
        const r = rowOf[foodCell[f]]
        const c = columnOf[foodCell[f]]
        if (r < row - s || r > row + s || c < column - s || c > column + s) continue
        observation[o] = r - top
        observation[o + 1] = c - left
        observation[o + 2] = foodLevel[f]
        o += 3
      }
      for (; o < self; o += 3) {
        observation[o] = observation[o + 1] = -1
        observation[o + 2] = 0
      }
      observation[o] = row - top
      observation[o + 1] = column - left
      if (levelsObserved) observation[o + 2] = level[first + own]
      o += width
      for (let n = 0; n < players; n++) {
        if (n === own) continue
        const r = rowOf[cell[first + n]] - top
        const c = columnOf[cell[first + n]] - left
        if (r < 0 || c < 0 || r > 2 * s || c > 2 * s) continue
        observation[o] = r
        observation[o + 1] = c
        if (levelsObserved) observation[o + 2] = level[first + n]
        o += width
      }
      for (; o < end; o += width) {
        observation[o] = observation[o + 1] = -1
        if (levelsObserved) observation[o + 2] = 0
      }
    }
  }
}

/** Three layers around each player; of players in one cell the highest number shows. */
export function observeGrid(state: ForagingState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  const { plan, cell, level, foodCell, foodLevel, foodStatus } = state
  const { players, foods, rows, columns, levelsObserved, sight: s } = plan
  const { rowOf, columnOf } = sight
  const { observation, observationSize, seats } = port
  const agents = seats.length
  const side = 2 * s + 1
  const layer = side * side
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const first = lane * players
    for (let seat = 0; seat < agents; seat++) {
      const from = (lane * agents + seat) * observationSize
      const free = from + 2 * layer
      const row = rowOf[cell[first + seats[seat]]]
      const column = columnOf[cell[first + seats[seat]]]
      const top = row - s
      const left = column - s
      observation.fill(0, from, from + observationSize)
      const c0 = left < 0 ? -left : 0
      const c1 = left + side > columns ? columns - left : side
      const r0 = top < 0 ? -top : 0
      const r1 = top + side > rows ? rows - top : side
      for (let r = r0; r < r1; r++) for (let c = c0; c < c1; c++) observation[free + r * side + c] = 1
      for (let i = first; i < first + players; i++) {
        const r = rowOf[cell[i]] - top
        const c = columnOf[cell[i]] - left
        if (r < 0 || c < 0 || r >= side || c >= side) continue
        observation[from + r * side + c] = levelsObserved ? level[i] : 1
        observation[free + r * side + c] = 0
      }
      for (let f = lane * foods; f < (lane + 1) * foods; f++) {
        if (foodStatus[f] !== PRESENT) continue
        const r = rowOf[foodCell[f]] - top
        const c = columnOf[foodCell[f]] - left
        if (r < 0 || c < 0 || r >= side || c >= side) continue
        observation[from + layer + r * side + c] = foodLevel[f]
        observation[free + r * side + c] = 0
      }
    }
  }
}

/** Writes every element of `port.state` [B, S] in the listed lanes. */
export function observeState(state: ForagingState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  const { plan, cell, level, foodShare } = state
  const { players, foods } = plan
  const { shareRow, shareColumn, shareLevel } = sight
  const { state: out } = port
  const food = 3 * foods + 1
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    let o = lane * (3 * players + food)
    for (let i = lane * players; i < (lane + 1) * players; i++) {
      const here = cell[i]
      out[o] = shareRow[here]
      out[o + 1] = shareColumn[here]
      out[o + 2] = shareLevel[level[i]]
      o += 3
    }
    for (let f = lane * food; f < (lane + 1) * food; f++) out[o++] = foodShare[f]
  }
}
