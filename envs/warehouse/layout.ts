/** The floor plan: which cells are corridors, shelf homes and goals, and the look-up tables that follow from it. */
import { TroupeError, shown } from '../core/errors.ts'

/** Largest floor plan in cells: 512 x 512. */
export const MAX_CELLS = 262_144

/** Cells, shelf numbers, or either + 1 with 0 for none: 16 bits each wherever those of the floor fit, else 32. */
export type Places = Uint16Array | Uint32Array

/** `length` zeros that can hold the numbers 0 to `cells`; a shelf number + 1 is never more, since goals are no homes. */
export function places(length: number, cells: number): Places {
  return cells <= 65_536 ? new Uint16Array(length) : new Uint32Array(length)
}

/** The same with values in it. */
export function placesOf(values: readonly number[], cells: number): Places {
  const result = places(values.length, cells)
  result.set(values)
  return result
}

/** Headings; the codes are those of rware and not in turning order. Facing up decreases y. */
export const UP = 0
export const DOWN = 1
export const LEFT = 2
export const RIGHT = 3

/** A floor plan of C cells; cell = y * width + x, row 0 at the top. Never changes during an episode. */
export interface Layout {
  readonly width: number
  readonly height: number
  readonly cells: number // C
  /** One text per row: '.' corridor, 'x' shelf home, 'g' goal. */
  readonly rows: readonly string[]
  readonly highway: Uint8Array // [C] 1 corridor or goal, 0 shelf home
  /** Cells of the shelf homes, row by row: shelf s starts at `slots[s]`. */
  readonly slots: Places
  readonly slotOf: Int32Array // [C] number of the shelf home at a cell, -1 elsewhere
  /** Cells of the goals in the order in which they pay. */
  readonly goals: Places
  /** [C, 4] the next cell by heading; the cell itself at a wall. */
  readonly neighbour: Int32Array
}

/** The named sizes of the original package: shelf rows and shelf columns, with columns of 8. */
export const SIZES = {
  tiny: { shelfRows: 1, shelfColumns: 3 },
  small: { shelfRows: 2, shelfColumns: 3 },
  medium: { shelfRows: 2, shelfColumns: 5 },
  large: { shelfRows: 3, shelfColumns: 5 },
} as const

export type Size = keyof typeof SIZES

/**
 * The parametric floor plan of rware 2.0: blocks of two shelf columns between corridors, a queue strip that leads to
 * two goals in the middle of the bottom row.
 * @param shelfColumns odd
 * @param columnHeight shelves on top of each other in a block
 */
export function parametricRows(shelfRows: number, shelfColumns: number, columnHeight: number): string[] {
  if (shelfColumns % 2 !== 1) {
    throw new TroupeError('bad-option', {
      where: 'warehouse options: shelfColumns',
      got: shown(shelfColumns),
      expected: 'an odd number, so that the queue to the goals is in the middle',
    })
  }
  const height = (columnHeight + 1) * shelfRows + 2
  const width = 3 * shelfColumns + 1
  const right = Math.floor(width / 2)
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => {
      const inMiddle = x === right - 1 || x === right
      if (inMiddle && y === height - 1) return 'g'
      const inQueue = inMiddle && y > height - (columnHeight + 3)
      const isHighway = x % 3 === 0 || y % (columnHeight + 1) === 0 || y === height - 1 || inQueue
      return isHighway ? '.' : 'x'
    }).join(''),
  )
}

/**
 * Rows from text as users write it: 'x' shelf home, '.' corridor, 'g' goal, upper or lower case, blanks ignored.
 * @throws TroupeError for other letters, ragged rows, or a plan without goal
 */
export function textRows(text: string | readonly string[]): string[] {
  const lines = typeof text === 'string' ? text.split(/\r?\n/) : text
  const rows = lines.map((line) => line.replace(/\s/g, '').toLowerCase()).filter((line) => line !== '')
  const refuse = (where: string, got: string, expected: string) => {
    throw new TroupeError('bad-option', { where: `warehouse options: layout${where}`, got, expected })
  }
  rows.forEach((row, y) => {
    const x = row.search(/[^.xg]/)
    if (x >= 0) refuse(` row ${y}, column ${x}`, shown(row[x]), "'x' shelf, '.' corridor or 'g' goal")
    if (row.length !== rows[0].length) {
      refuse(` row ${y}`, `${row.length} cells wide`, `${rows[0].length} cells, as row 0 is`)
    }
  })
  if (!rows.some((row) => row.includes('g'))) refuse('', 'without a goal', "at least one 'g'")
  return rows
}

/**
 * Tables of a floor plan given as rows.
 * @throws TroupeError when it is too large or has no shelf
 */
export function layoutOf(rows: readonly string[]): Layout {
  const height = rows.length
  const width = rows[0].length
  const cells = width * height
  if (cells > MAX_CELLS) {
    throw new TroupeError('bad-option', {
      where: 'warehouse options: layout',
      got: `${width} x ${height} = ${cells} cells`,
      expected: `at most ${MAX_CELLS} cells`,
    })
  }
  const text = rows.join('')
  const highway = new Uint8Array(cells)
  const slotOf = new Int32Array(cells).fill(-1)
  const neighbour = new Int32Array(cells * 4)
  const slots: number[] = []
  const goals: number[] = []
  for (let cell = 0; cell < cells; cell++) {
    const x = cell % width
    const y = Math.floor(cell / width)
    if (text[cell] === 'g') goals.push(cell)
    if (text[cell] === 'x') slotOf[cell] = slots.push(cell) - 1
    else highway[cell] = 1
    neighbour[cell * 4 + UP] = y > 0 ? cell - width : cell
    neighbour[cell * 4 + DOWN] = y < height - 1 ? cell + width : cell
    neighbour[cell * 4 + LEFT] = x > 0 ? cell - 1 : cell
    neighbour[cell * 4 + RIGHT] = x < width - 1 ? cell + 1 : cell
  }
  if (slots.length === 0) {
    throw new TroupeError('bad-option', {
      where: 'warehouse options: floor plan',
      got: `${width} x ${height} cells without a shelf`,
      expected: 'at least one shelf (a single shelf row of one column is all queue)',
    })
  }
  return {
    width,
    height,
    cells,
    rows,
    highway,
    slots: placesOf(slots, cells),
    slotOf,
    goals: placesOf(goals, cells),
    neighbour,
  }
}
