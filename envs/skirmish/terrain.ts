/** The ground as cells: who may stand where, how high it is, and the ways around its walls. */
import { TroupeError } from '../core/errors.ts'
import { type RuleSet } from './units.ts'

/** The ground of a map. Cell (x, y) is at y * width + x; y grows upwards. */
export interface Terrain {
  readonly width: number
  readonly height: number
  readonly cells: number // C = width * height
  readonly walkable: Uint8Array // [C] for units on the ground
  readonly strideable: Uint8Array // [C] for giants, which also step over cliff edges
  readonly heights: Float64Array // [C] 0 to 1
  /** [C] 1 where the cell and all eight around it are walkable: who stands here meets no wall within a cell. */
  readonly clear: Uint8Array
  /** Rows as given, top first; for the scene. */
  readonly rows: readonly string[]
  /** Nobody ever needs a way around anything. */
  readonly open: boolean
  /** Ways to each target cell, made when first needed; see `wayTo`. */
  readonly ways: (Int16Array | null)[]
}

/** Heights of the signs, 0 to 1. Only their order is known of the game; the numbers are ours. */
const HEIGHTS: Readonly<Record<string, number>> = { '#': 0, '%': 0.5, '.': 0.5, '/': 0.75, h: 1 }

/** On these layouts SMAClite treats the cliff edge as floor. */
const EDGE_IS_FLOOR = ['octagon', 'pentagon', 'corridor', 'plateau']

/**
 * Reads the rows of a layout, top row first.
 * @param name layout name; under `smaclite` some layouts differ as that program's do
 * @throws TroupeError bad-option naming the row and column that is wrong
 */
export function terrainOf(
  rows: readonly string[],
  name: string,
  rules: RuleSet,
  heights?: readonly (readonly number[])[],
): Terrain {
  const height = rows.length
  const width = rows[0]?.length ?? 0
  const refuse = (where: string, got: string, expected: string): never => {
    throw new TroupeError('bad-option', { where: `skirmish map: terrain${where}`, got, expected })
  }
  if (width < 4 || width > 256 || height < 4 || height > 256) {
    refuse('', `${width} columns and ${height} rows`, '4 to 256 of each')
  }
  const cells = width * height
  const walkable = new Uint8Array(cells)
  const strideable = new Uint8Array(cells)
  const high = new Float64Array(cells)
  rows.forEach((row, r) => {
    const y = height - 1 - r
    if (row.length !== width) refuse(`, row ${r + 1}`, `${row.length} signs`, `${width}, as in the first row`)
    for (let x = 0; x < width; x++) {
      const sign = row[x]
      if (HEIGHTS[sign] === undefined) {
        refuse(`, row ${r + 1}, column ${x + 1}`, `"${sign}"`, '# void, % cliff edge, . floor, / ramp, h high ground')
      }
      const floor = sign === '.' || sign === '/' || sign === 'h'
      const edge = sign === '%'
      let walks = floor
      if (rules === 'smaclite') {
        if (edge && EDGE_IS_FLOOR.includes(name)) walks = name !== 'plateau' || y !== 12
        if (name === 'open') walks = x >= 3 && x <= 28 && y >= 3 && y <= 28
      }
      walkable[y * width + x] = walks ? 1 : 0
      strideable[y * width + x] = walks || (edge && rules === 'sc2') ? 1 : 0
      high[y * width + x] = HEIGHTS[sign]
    }
  })
  // Floor that touches floor only across the corner of two cliff edges is a passage of the corridor map: the edges open.
  const opened: number[] = []
  for (let y = 0; y + 1 < height; y++) {
    for (let x = 0; x + 1 < width; x++) {
      const [a, b, c, d] = [y * width + x, y * width + x + 1, (y + 1) * width + x, (y + 1) * width + x + 1]
      const signOf = (cell: number) => rows[height - 1 - Math.floor(cell / width)][cell % width]
      for (const [p, q, r, s] of [
        [a, d, b, c],
        [b, c, a, d],
      ]) {
        if (walkable[p] === 1 && walkable[q] === 1 && signOf(r) === '%' && signOf(s) === '%') opened.push(r, s)
      }
    }
  }
  for (const cell of opened) walkable[cell] = strideable[cell] = 1
  if (heights !== undefined) {
    if (heights.length !== height || heights.some((row) => row.length !== width)) {
      refuse(' heights', `${heights.length} rows`, `${height} rows of ${width} numbers, top row first`)
    }
    heights.forEach((row, r) => {
      row.forEach((value, x) => {
        high[(height - 1 - r) * width + x] = value
      })
    })
  }
  if (!walkable.includes(1)) refuse('', 'no cell to stand on', 'at least one of . / h')
  const clear = Uint8Array.from({ length: cells }, (_, cell) => {
    const x = cell % width
    const y = Math.floor(cell / width)
    for (let dy = -1; dy <= 1; dy++) {
      for (let dx = -1; dx <= 1; dx++) {
        const inside = x + dx >= 0 && y + dy >= 0 && x + dx < width && y + dy < height
        if (!inside || walkable[(y + dy) * width + x + dx] === 0) return 0
      }
    }
    return 1
  })
  const terrain = { width, height, cells, walkable, strideable, heights: high, clear, rows }
  return { ...terrain, open: isOpen(terrain), ways: new Array<Int16Array | null>(cells).fill(null) }
}

type Ground = Omit<Terrain, 'open' | 'ways'>

/** Whether a body walks straight from one cell centre to another: samples every tenth of a cell, a fifth to each side. */
function straight(ground: Ground, from: number, to: number): boolean {
  const { width, height, walkable } = ground
  const x0 = (from % width) + 0.5
  const y0 = Math.floor(from / width) + 0.5
  const dx = (to % width) + 0.5 - x0
  const dy = Math.floor(to / width) + 0.5 - y0
  const length = Math.sqrt(dx * dx + dy * dy)
  if (length === 0) return true
  const sx = (-dy / length) * 0.2
  const sy = (dx / length) * 0.2
  const samples = Math.ceil(length * 10)
  for (let s = 0; s <= samples; s++) {
    for (let side = -1; side <= 1; side += 2) {
      const x = Math.floor(x0 + (dx * s) / samples + side * sx)
      const y = Math.floor(y0 + (dy * s) / samples + side * sy)
      if (x < 0 || y < 0 || x >= width || y >= height || walkable[y * width + x] === 0) return false
    }
  }
  return true
}

/** A room without walls inside: every row and every column is one stretch, and so are the diagonals. */
function isOpen(ground: Ground): boolean {
  const { width, height, walkable } = ground
  const oneStretch = (x: number, y: number, dx: number, dy: number): boolean => {
    let runs = 0
    let before = 0
    while (x >= 0 && x < width && y >= 0 && y < height) {
      const here = walkable[y * width + x]
      if (here === 1 && before === 0) runs++
      before = here
      x += dx
      y += dy
    }
    return runs <= 1
  }
  for (let y = 0; y < height; y++) {
    if (!oneStretch(0, y, 1, 0) || !oneStretch(0, y, 1, 1) || !oneStretch(0, y, 1, -1)) return false
  }
  for (let x = 0; x < width; x++) {
    if (!oneStretch(x, 0, 0, 1) || !oneStretch(x, 0, 1, 1) || !oneStretch(x, height - 1, 1, -1)) return false
  }
  return true
}

const STEPS_X = [1, -1, 0, 0, 1, 1, -1, -1]
const STEPS_Y = [0, 0, 1, -1, 1, -1, 1, -1]
/** Going through a wall costs this many cells: only for targets that stand where nobody can go. */
const WALL_COST = 1000

/**
 * For every cell the next cell to walk straight to on a shortest way to `target`; the target itself where nothing is in
 * between. Dijkstra over eight neighbours without cutting corners, then pulled straight; cached per terrain.
 */
export function wayTo(terrain: Terrain, target: number): Int16Array {
  const known = terrain.ways[target]
  if (known !== null) return known
  const { width, height, cells, walkable } = terrain
  const cost = new Float64Array(cells).fill(Infinity)
  const next = new Int16Array(cells).fill(target)
  const done = new Uint8Array(cells)
  cost[target] = 0
  const heap: number[] = [target]
  const less = (a: number, b: number) => cost[a] < cost[b] || (cost[a] === cost[b] && a < b)
  const push = (cell: number) => {
    let at = heap.length
    heap.push(cell)
    while (at > 0) {
      const up = (at - 1) >> 1
      if (!less(heap[at], heap[up])) break
      ;[heap[at], heap[up]] = [heap[up], heap[at]]
      at = up
    }
  }
  const pop = (): number => {
    const top = heap[0]
    const last = heap.pop()!
    if (heap.length > 0) {
      heap[0] = last
      let at = 0
      for (;;) {
        let least = at
        for (let child = 2 * at + 1; child <= 2 * at + 2 && child < heap.length; child++) {
          if (less(heap[child], heap[least])) least = child
        }
        if (least === at) break
        ;[heap[at], heap[least]] = [heap[least], heap[at]]
        at = least
      }
    }
    return top
  }
  while (heap.length > 0) {
    const cell = pop()
    if (done[cell] === 1) continue
    done[cell] = 1
    const x = cell % width
    const y = Math.floor(cell / width)
    for (let d = 0; d < 8; d++) {
      const nx = x + STEPS_X[d]
      const ny = y + STEPS_Y[d]
      if (nx < 0 || ny < 0 || nx >= width || ny >= height) continue
      const to = ny * width + nx
      const diagonal = d >= 4
      const corner = diagonal && (walkable[y * width + nx] === 0 || walkable[ny * width + x] === 0)
      const wall = walkable[to] === 0 || walkable[cell] === 0 || corner
      const there = cost[cell] + (diagonal ? Math.SQRT2 : 1) + (wall ? WALL_COST : 0)
      if (there >= cost[to]) continue
      cost[to] = there
      next[to] = cell
      push(to)
    }
  }
  const way = new Int16Array(cells)
  for (let cell = 0; cell < cells; cell++) {
    let reach = next[cell]
    while (reach !== target && straight(terrain, cell, next[reach])) reach = next[reach]
    way[cell] = reach
  }
  terrain.ways[target] = way
  return way
}
