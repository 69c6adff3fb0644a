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

const order = (a: Ranked, b: Ranked): number => b.value - a.value || (a.id < b.id ? -1 : 1)

export class Ranking<Row extends Ranked> {
  /** Best first; equal values by id. */
  readonly rows: readonly Row[]
  private readonly values: Float64Array
  private readonly errors: Float64Array
  /** (Z · error)². */
  private readonly squares: Float64Array
  private readonly widest: number

  /** Ranges that were asked for, by place: 0 is not known yet. A range of 100,000 rows takes thousands of comparisons. */
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
    const { values, errors, squares } = this
    const value = values[place]
    const error = errors[place]
    // Farther away than the widest interval there is: beyond doubt. Nearer than the row's own interval: never. Only
    // what lies between is compared one by one.
    const far = Math.sqrt(squares[place] + Z * Z * this.widest * this.widest)
    const near = Z * error
    // Thousands of comparisons per row: a plain root, `hypot` takes ten times as long.
    const apart = (j: number) => Math.abs(values[j] - value) > Math.sqrt(squares[place] + squares[j])
    let better = this.placesAbove(value + far)
    for (let j = better, end = this.placesAbove(value + near); j < end; j++) if (apart(j)) better++
    const below = this.placesAbove(value - far, true)
    let worse = values.length - below
    for (let j = this.placesAbove(value - near, true); j < below; j++) if (apart(j)) worse++
    this.bests[place] = 1 + better
    this.worsts[place] = values.length - worse
  }
}
