/** What a network sees, as data: the columns of its input rows, and the two ways to put rows together from them. */
import { type EnvSpec } from '../../envs/core/index.ts'
import { gatherColumns } from '../kernels/index.ts'
import { tf } from './tensors.ts'

/** What there is to see, for rows of lanes. */
export interface Sight {
  readonly observation: Float32Array // [rows of lanes, n, F]
  readonly state: Float32Array // [rows of lanes, S]
  readonly alive: Uint8Array // [rows of lanes, n]
  readonly agentState?: Float32Array // [rows of lanes, n, S2]
}

/**
 * observation: the agent's own, F. observations: all agents' side by side, n F. state: S. agentState: what the world shows of
 * itself from the agent's place, S2. id: one-hot, n.
 */
export type Column = 'observation' | 'observations' | 'state' | 'agentState' | 'id'

/** Columns side by side. */
export interface Layout {
  readonly columns: readonly Column[]
  /** Agents that one row is about: 1, or n where all are seen at one look. */
  readonly heads: number
  /** A dead agent's row is zeros and its id. */
  readonly hidesDead: boolean
}

/** Input rows of one network. Rows are numbered lanes × agents: row of the lane times n, plus agent. */
export class Inputs {
  readonly layout: Layout
  /** Numbers in a row. */
  readonly width: number
  readonly heads: number
  private readonly F: number
  private readonly S: number
  private readonly S2: number
  private readonly n: number
  private readonly widths: readonly number[] // of the columns

  /** @param agents n, how many learn */
  constructor(spec: EnvSpec, agents: number, layout: Layout) {
    this.layout = layout
    this.heads = layout.heads
    this.F = spec.observationSize
    this.S = spec.stateSize
    this.S2 = spec.agentStateSize
    this.n = agents
    const { F, S, S2, n } = this
    const widths: Record<Column, number> = { observation: F, observations: n * F, state: S, agentState: S2, id: n }
    this.widths = layout.columns.map((column) => widths[column])
    this.width = this.widths.reduce((sum, width) => sum + width, 0)
  }

  /**
   * Writes one row, every number of it.
   * @param slot of its agent in the one-hot id
   * @param at row of `out` [rows, width] to write
   */
  write(from: Sight, row: number, slot: number, out: Float32Array, at: number): void {
    const { F, S, S2, n, layout, widths } = this
    const blank = layout.hidesDead && from.alive[row] === 0
    let to = at * this.width
    for (let c = 0; c < widths.length; c++) {
      const [column, width] = [layout.columns[c], widths[c]]
      if (column === 'id') for (let i = 0; i < n; i++) out[to + i] = i === slot ? 1 : 0
      else if (blank) out.fill(0, to, to + width)
      else {
        const [source, first] =
          column === 'observation'
            ? [from.observation, row * F]
            : column === 'state'
              ? [from.state, Math.floor(row / n) * S]
              : column === 'agentState'
                ? [from.agentState!, row * S2]
                : [from.observation, Math.floor(row / n) * n * F]
        for (let i = 0; i < width; i++) out[to + i] = source[first + i]
      }
      to += width
    }
  }

  /** Takes what was seen to the backend, once, so that minibatches are picked there. @param rows of lanes */
  upload(from: Sight, rows: number): Uploaded {
    return new Uploaded(from, rows, { F: this.F, S: this.S, S2: this.S2, n: this.n }, this.layout)
  }
}

/** A rollout's sights on the backend. Who asked for it disposes it. */
export class Uploaded {
  private readonly sources = new Map<Column, tf.Tensor2D>()
  private readonly blank: number

  constructor(
    private readonly from: Sight,
    rows: number,
    private readonly sizes: { readonly F: number; readonly S: number; readonly S2: number; readonly n: number },
    private readonly layout: Layout,
  ) {
    const { F, S, S2, n } = sizes
    this.blank = rows
    // One row of zeros more, which is where the dead look.
    const padded = (values: Float32Array, width: number) => {
      const all = new Float32Array((rows + 1) * width)
      all.set(values.subarray(0, rows * width))
      return all
    }
    for (const column of layout.columns) {
      const source =
        column === 'id'
          ? tf.tensor2d(identity(n), [n, n])
          : column === 'state'
            ? tf.tensor2d(padded(from.state, S), [rows + 1, S])
            : column === 'agentState'
              ? tf.tensor2d(padded(from.agentState!, n * S2), [(rows + 1) * n, S2])
              : column === 'observations'
                ? tf.tensor2d(padded(from.observation, n * F), [rows + 1, n * F])
                : tf.tensor2d(padded(from.observation, n * F), [(rows + 1) * n, F])
      this.sources.set(column, tf.keep(source))
    }
  }

  /** Input rows in the order asked for. @param rows of lanes × agents; with heads every n-th is looked at */
  pick(rows: Int32Array): tf.Tensor2D {
    const { layout, sizes, from, blank } = this
    const { n } = sizes
    const { heads, hidesDead } = layout
    const count = rows.length / heads
    const [own, lane, slot] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)]
    for (let k = 0; k < count; k++) {
      const row = rows[k * heads]
      slot[k] = row % n
      const dead = hidesDead && from.alive[row] === 0
      own[k] = dead ? blank * n : row
      lane[k] = dead ? blank : (row - slot[k]) / n
    }
    const index = { observation: own, observations: lane, state: lane, agentState: own, id: slot }
    return gatherColumns(
      layout.columns.map((column) => this.sources.get(column)!),
      layout.columns.map((column) => index[column]),
    )
  }

  dispose(): void {
    for (const source of this.sources.values()) source.dispose()
  }
}

function identity(n: number): Float32Array {
  const out = new Float32Array(n * n)
  for (let i = 0; i < n; i++) out[i * n + i] = 1
  return out
}
