/**
 * The order of a board. One row is better than another beyond doubt when the 95 % interval of the difference of their
 * values is above 0 (normal approximation from the standard errors of both); ranks are ranges wherever the order may be
 * chance. Sorted once per change and asked for page by page, so a board may have 100,000 rows.
 */
import { type RankRange } from './protocol/rest.ts'

export interface Ranked {
  readonly id: string
  readonly value: number
  /** Standard error of the value. */
  readonly error: number
}

/** Two-sided 95 % of the normal distribution. */
const Z = 1.959963984540054

/** Rows of neighbouring places that are counted together. */
const BLOCK = 128
/** Many times what rounding may do to the comparison of two rows, and far below what decides. */
const ROUNDING = 1e-12

const order = (a: Ranked, b: Ranked): number => b.value - a.value || (a.id < b.id ? -1 : 1)

export class Ranking<Row extends Ranked> {
  /** Best first; equal values by id. */
  readonly rows: readonly Row[]
  private readonly values: Float64Array
  private readonly errors: Float64Array
  /** (Z · error)². */
  private readonly squares: Float64Array
  private readonly widest: number

  /** (Z · error)² of each block in ascending order, once it was asked for, and the places they are of. */
  private readonly blocks: ({ squares: Float64Array; places: Int32Array } | undefined)[] = []
  /** Ranges that were asked for, by place: 0 is not known yet. */
  private readonly bests: Int32Array
  private readonly worsts: Int32Array

  /** @param sorted the rows are in order already */
  constructor(rows: readonly Row[], sorted = false) {
    this.rows = sorted ? rows : [...rows].sort(order)
    this.bests = new Int32Array(rows.length)
    this.worsts = new Int32Array(rows.length)
    this.values = Float64Array.from(this.rows, (row) => row.value)
    this.errors = Float64Array.from(this.rows, (row) => row.error)
    this.squares = this.errors.map((error) => Z * Z * error * error)
    this.widest = this.errors.reduce((most, error) => Math.max(most, error), 0)
  }

  /** The order with this row in it, where it belongs; a row of its id goes. */
  with(row: Row): Ranking<Row> {
    const rows = this.rows.filter((one) => one.id !== row.id)
    let [low, high] = [0, rows.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (order(rows[middle], row) < 0) low = middle + 1
      else high = middle
    }
    rows.splice(low, 0, row)
    return new Ranking(rows, true)
  }

  /** Place of a row, 0 being the best; undefined when it is not here. */
  placeOf(id: string): number | undefined {
    this.places ??= new Map(this.rows.map((row, place) => [row.id, place]))
    return this.places.get(id)
  }
  private places: Map<string, number> | undefined

  /** Places before the first whose value is at most (`orEqual`: below) the given one. */
  private placesAbove(value: number, orEqual = false): number {
    let low = 0
    let high = this.values.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.values[middle] > value || (orEqual && this.values[middle] === value)) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Rank of the row at that place, 0 being the best. */
  rankAt(place: number): RankRange {
    if (this.bests[place] === 0) this.findRange(place)
    return {
      rank: 1 + this.placesAbove(this.values[place]),
      best: this.bests[place],
      worst: this.worsts[place],
    }
  }

  private findRange(place: number): void {
    const { values, squares } = this
    const value = values[place]
    // Farther away than the widest interval there is: beyond doubt. Nearer than the row's own interval: never. Only
    // what lies between is compared one by one.
    const widest = Math.sqrt(squares[place] + Z * Z * this.widest * this.widest)
    const margin = ROUNDING * (Math.abs(value) + widest)
    const far = widest + margin
    const near = Z * this.errors[place] - margin
    const above = this.placesAbove(value + far)
    const below = this.placesAbove(value - far, true)
    // Equal values are never apart, also where nothing has an error.
    const aboveEnd = Math.min(this.placesAbove(value + near), this.placesAbove(value))
    const belowStart = Math.max(this.placesAbove(value - near, true), this.placesAbove(value, true))
    this.bests[place] = 1 + above + this.countApart(place, above, aboveEnd)
    const worse = values.length - below + this.countApart(place, belowStart, below)
    this.worsts[place] = values.length - worse
  }

  /** How many of the rows at places `from` to before `to`, all above that row or all below it, are beyond doubt. */
  private countApart(place: number, from: number, to: number): number {
    const { values, squares } = this
    const value = values[place]
    const square = squares[place]
    let count = 0
    let at = from
    while (at < to) {
      const end = at + BLOCK
      if (at % BLOCK !== 0 || end > to) {
        if (this.apart(value, square, at)) count++
        at++
        continue
      }
      // Of a whole block: the differences lie between two bounds, so what has a small error is apart without a look at
      // its value, what has a large one is not, and only what lies between is compared.
      const ends = [Math.abs(values[at] - value), Math.abs(values[end - 1] - value)]
      const nearest = Math.min(...ends) ** 2
      const farthest = Math.max(...ends) ** 2
      const margin = ROUNDING * (farthest + square)
      if (margin < Infinity) {
        const block = this.block(at / BLOCK)
        const sure = countBelow(block.squares, nearest - square - margin)
        const open = countBelow(block.squares, farthest - square + margin)
        count += sure
        for (let k = sure; k < open; k++) if (this.apart(value, square, block.places[k])) count++
      } else {
        for (let j = at; j < end; j++) if (this.apart(value, square, j)) count++
      }
      at = end
    }
    return count
  }

  /** A plain root: `hypot` takes ten times as long. */
  private apart(value: number, square: number, other: number): boolean {
    return Math.abs(this.values[other] - value) > Math.sqrt(square + this.squares[other])
  }

  private block(number: number): { squares: Float64Array; places: Int32Array } {
    const known = this.blocks[number]
    if (known !== undefined) return known
    const places = Int32Array.from({ length: BLOCK }, (_, k) => number * BLOCK + k)
    places.sort((a, b) => this.squares[a] - this.squares[b])
    return (this.blocks[number] = { places, squares: Float64Array.from(places, (at) => this.squares[at]) })
  }
}

/** Numbers below a limit, of numbers in ascending order. */
function countBelow(sorted: Float64Array, limit: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle] < limit) low = middle + 1
    else high = middle
  }
  return low
}
