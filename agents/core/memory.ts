/**
 * A learner's store of past steps: columns by name, rows in sequences, the oldest sequence leaving first. A sequence is a
 * whole episode for learners that look through time, and a single transition for those that do not.
 *
 * Rows live in one ring per column that grows up to what is needed, so short episodes take little room. Sequences are
 * numbered by age, 0 the oldest: where rows lie never decides anything, and a saved memory needs no more than its rows.
 */
import { TroupeError, shown, type Generator } from '../../envs/core/index.ts'
import { type SavedTensor, type Tensors } from './checkpoint.ts'
import { type Kept } from './learner.ts'

/** float: float32. int: whole numbers up to 2^24 in size, which float32 holds exactly. byte: 0 to 255. */
export type ColumnKind = 'float' | 'int' | 'byte'

export interface ColumnShape {
  readonly kind: ColumnKind
  /** Numbers per row. */
  readonly width: number
}

export type Shapes = Readonly<Record<string, ColumnShape>>

type ArrayOf<Kind extends ColumnKind> = Kind extends 'float'
  ? Float32Array
  : Kind extends 'int'
    ? Int32Array
    : Uint8Array

/** One array per column, row after row. */
export type Columns<S extends Shapes> = { [name in keyof S]: ArrayOf<S[name]['kind']> }

function allot(kind: ColumnKind, length: number): Float32Array | Int32Array | Uint8Array {
  return kind === 'float' ? new Float32Array(length) : kind === 'int' ? new Int32Array(length) : new Uint8Array(length)
}

function columnsFor<S extends Shapes>(shapes: S, rows: number): Columns<S> {
  return Object.fromEntries(
    Object.entries(shapes).map(([name, { kind, width }]) => [name, allot(kind, rows * width)]),
  ) as Columns<S>
}

/** Rows in the making: what a lane has played of an episode, or a few transitions on their way into a memory. */
export class Rows<S extends Shapes> {
  readonly shapes: S
  /** At least `length` rows each; replaced when more are needed, so ask again after `add`. */
  columns: Columns<S>
  length = 0
  private room: number

  constructor(shapes: S, room = 8) {
    this.shapes = shapes
    this.room = room
    this.columns = columnsFor(shapes, room)
  }

  /** One more row, all zeros. @returns its number */
  add(): number {
    if (this.length === this.room) this.grow()
    const row = this.length++
    for (const name in this.shapes) {
      const { width } = this.shapes[name]
      this.columns[name].fill(0, row * width, (row + 1) * width)
    }
    return row
  }

  /** Forgets all rows and keeps the room. */
  clear(): void {
    this.length = 0
  }

  private grow(): void {
    this.room *= 2
    const wider = columnsFor(this.shapes, this.room)
    for (const name in this.shapes) wider[name].set(this.columns[name] as never)
    this.columns = wider
  }
}

export interface MemoryLimits {
  /** Sequences held at most. */
  readonly sequences: number
  /** Rows held at most, over all sequences; left out = as many as the sequences have. */
  readonly rows?: number
}

export class Memory<S extends Shapes> implements Kept {
  readonly shapes: S
  private readonly limits: MemoryLimits
  private columns: Columns<S>
  private room = 0 // rows there is place for
  private first = 0 // where the oldest row lies
  private held = 0 // rows
  // The sequences, a ring as well: where each begins, and its rows.
  private readonly starts: Int32Array
  private readonly lengths: Int32Array
  private oldest = 0
  private number = 0

  constructor(shapes: S, limits: MemoryLimits) {
    this.shapes = shapes
    this.limits = limits
    this.columns = columnsFor(shapes, 0)
    this.starts = new Int32Array(limits.sequences)
    this.lengths = new Int32Array(limits.sequences)
  }

  /** Sequences held. */
  get count(): number {
    return this.number
  }

  /** Rows held, over all sequences. */
  get rows(): number {
    return this.held
  }

  /** Rows of a sequence; 0 is the oldest. */
  lengthOf(sequence: number): number {
    return this.lengths[this.slot(sequence)]
  }

  /** Takes a sequence in, copied; the oldest leave until there is room for it. */
  put(from: Rows<S>, begin = 0, count: number = from.length - begin): void {
    const { limits } = this
    const most = limits.rows ?? Infinity
    if (count > most || count < 1) {
      throw new TroupeError('bad-usage', {
        where: 'memory: a sequence',
        got: `${count} rows long`,
        expected: `1 to ${most} rows`,
      })
    }
    while (this.number === limits.sequences || this.held + count > most) this.drop()
    if (this.held + count > this.room) this.grow(this.held + count)
    const at = (this.first + this.held) % this.room
    const straight = Math.min(count, this.room - at) // the rest goes on at the front
    for (const name in this.shapes) {
      const { width } = this.shapes[name]
      const to = this.columns[name] as Float32Array
      const source = from.columns[name] as Float32Array
      to.set(source.subarray(begin * width, (begin + straight) * width), at * width)
      to.set(source.subarray((begin + straight) * width, (begin + count) * width), 0)
    }
    const slot = (this.oldest + this.number) % limits.sequences
    this.starts[slot] = at
    this.lengths[slot] = count
    this.number++
    this.held += count
  }

  /** Numbers of `count` sequences, each drawn from all; the same may come twice. */
  draw(rng: Generator, count: number): Int32Array {
    const out = new Int32Array(count)
    for (let k = 0; k < count; k++) out[k] = rng.below(this.number)
    return out
  }

  /** Numbers of `count` different sequences, at most all there are. */
  drawDistinct(rng: Generator, count: number): Int32Array {
    const number = Math.min(count, this.number)
    // Floyd's sampling: as many draws as numbers wanted, whatever there is to draw from.
    const taken = new Set<number>()
    for (let last = this.number - number; last < this.number; last++) {
      const drawn = rng.below(last + 1)
      taken.add(taken.has(drawn) ? last : drawn)
    }
    return Int32Array.from(taken)
  }

  /** Where row t of a sequence lies, for `copy` and `gather`; good until the next `put`. */
  at(sequence: number, t = 0): number {
    return (this.starts[this.slot(sequence)] + t) % this.room
  }

  /** Where the first rows of sequences lie: of single transitions, all there is. */
  places(sequences: Int32Array): Int32Array {
    return sequences.map((sequence) => this.at(sequence))
  }

  /** The array behind a column, for readers in a hurry: `width` numbers from `at(…) * width`. Good until the next `put`. */
  column<Name extends keyof S>(name: Name): Columns<S>[Name] {
    return this.columns[name]
  }

  /** Copies of rows, [places, width]. */
  gather<Name extends keyof S & string>(name: Name, places: Int32Array): Columns<S>[Name] {
    const { kind, width } = this.shapes[name]
    const source = this.columns[name] as Float32Array
    const out = allot(kind, places.length * width)
    for (let k = 0; k < places.length; k++) {
      for (let i = 0, from = places[k] * width, to = k * width; i < width; i++) out[to + i] = source[from + i]
    }
    return out as Columns<S>[Name]
  }

  /** All rows of a column, oldest first, [rows, width] as float32. */
  all(name: keyof S & string): Float32Array {
    const { width } = this.shapes[name]
    const source = this.columns[name] as Float32Array
    const out = new Float32Array(this.held * width)
    const straight = Math.min(this.held, this.room - this.first)
    out.set(source.subarray(this.first * width, (this.first + straight) * width), 0)
    out.set(source.subarray(0, (this.held - straight) * width), straight * width)
    return out
  }

  clear(): void {
    this.first = 0
    this.held = 0
    this.oldest = 0
    this.number = 0
  }

  /** Columns by name, [rows, width], and `lengths`, [sequences]; oldest first. */
  save(): Tensors {
    const tensors: Record<string, SavedTensor> = {}
    for (const name of Object.keys(this.shapes)) {
      tensors[name] = { shape: [this.held, this.shapes[name].width], data: this.all(name) }
    }
    const lengths = Float32Array.from({ length: this.number }, (_, k) => this.lengthOf(k))
    tensors.lengths = { shape: [this.number], data: lengths }
    return tensors
  }

  /** Checks what `save` gave and hands back the act of taking it in, in place of all that is there. */
  load(tensors: Tensors, where: string): () => void {
    const lengths = lengthsOf(tensors, where)
    let rows = 0
    for (const length of lengths) rows += length
    for (const [name, { width }] of Object.entries(this.shapes)) {
      const tensor = tensors[name] as SavedTensor | undefined
      if (tensor?.shape.join() === [rows, width].join()) continue
      const got = tensor === undefined ? 'missing' : `of shape ${shown(tensor.shape)}`
      throw new TroupeError('bad-file', { where: `${where}: ${name}`, got, expected: `of shape [${rows}, ${width}]` })
    }
    const { sequences, rows: most = Infinity } = this.limits
    if (lengths.length > sequences || rows > most) {
      const got = `${lengths.length} sequences with ${rows} rows`
      throw new TroupeError('bad-file', { where, got, expected: `at most ${sequences} with ${most}` })
    }
    return () => {
      this.clear()
      this.room = 0
      this.grow(rows)
      for (const name in this.shapes) this.columns[name].set(tensors[name].data as never)
      let at = 0
      lengths.forEach((length, k) => {
        this.starts[k] = at
        this.lengths[k] = length
        at += length
      })
      this.number = lengths.length
      this.held = rows
    }
  }

  private slot(sequence: number): number {
    if (sequence < 0 || sequence >= this.number) {
      const got = `number ${sequence}`
      throw new TroupeError('bad-usage', { where: 'memory: sequence', got, expected: `0 to ${this.number - 1}` })
    }
    return (this.oldest + sequence) % this.limits.sequences
  }

  private drop(): void {
    const length = this.lengths[this.oldest]
    this.first = (this.first + length) % this.room
    this.held -= length
    this.oldest = (this.oldest + 1) % this.limits.sequences
    this.number--
  }

  /** Makes room for so many rows and more, and lays the oldest first. */
  private grow(rows: number): void {
    const room = Math.min(Math.max(rows, 2 * this.room), this.limits.rows ?? Infinity)
    const wider = columnsFor(this.shapes, room)
    for (const name in this.shapes) wider[name].set(this.all(name) as never)
    for (let k = 0; k < this.number; k++) {
      const slot = (this.oldest + k) % this.limits.sequences
      this.starts[slot] = (this.starts[slot] - this.first + this.room) % this.room
    }
    this.columns = wider
    this.room = room
    this.first = 0
  }
}

/** Lengths of saved sequences, each at least `least`. @throws TroupeError bad-file */
export function lengthsOf(tensors: Tensors, where: string, least = 1): readonly number[] {
  const saved = tensors.lengths as SavedTensor | undefined
  const lengths = saved === undefined ? [] : [...saved.data]
  const odd = lengths.find((length) => !Number.isInteger(length) || length < least)
  if (saved?.shape.length === 1 && odd === undefined) return lengths
  throw new TroupeError('bad-file', {
    where: `${where}: lengths`,
    got: saved === undefined ? 'missing' : odd === undefined ? `of shape ${shown(saved.shape)}` : String(odd),
    expected: `rows of each sequence, ${least} or more`,
  })
}
