/**
 * An LSTM with duelling heads, written in public ops: fast enough for the small networks of the spectrum literature, and the
 * same on every backend. It learns and plays through the same calls as `Network`.
 */
import { TroupeError, type Generator } from '../../envs/core/index.ts'
import { FlatParameters, dense, type Recurrence } from '../kernels/index.ts'
import { orthogonal, type Sequences, type Slice } from './networks.ts'
import { tf } from './tensors.ts'
import { type Learnable } from './together.ts'

export interface LstmShape {
  /** Prefix of the slice names. */
  readonly name: string
  readonly inputs: number
  readonly outputs: number
  /** H */
  readonly hidden: number
}

/** Forget gates begin open (Jozefowicz et al. 2015). */
const FORGET_BIAS = 1

/**
 * One step (Hochreiter and Schmidhuber 1997 with forget gates; gates i, f, g, o as in torch):
 *   c' = σ(f) c + σ(i) tanh(g),  h' = σ(o) tanh(c')
 * @param gates [N, 4H] x Wx + h Wh + b
 * @param cell [N, H]
 */
export function lstmStep(gates: tf.Tensor2D, cell: tf.Tensor2D): { hidden: tf.Tensor2D; cell: tf.Tensor2D } {
  const [i, f, g, o] = tf.split(gates, 4, 1)
  const next = tf.add(tf.mul(tf.sigmoid(f), cell), tf.mul(tf.sigmoid(i), tf.tanh(g)))
  return { hidden: tf.mul(tf.sigmoid(o), tf.tanh(next)), cell: next as tf.Tensor2D }
}

/** V + A − mean of A (Wang et al. 2016, eq. 9). @param value [N, 1] @param advantage [N, A] */
export function duel(value: tf.Tensor2D, advantage: tf.Tensor2D): tf.Tensor2D {
  return tf.add(value, tf.sub(advantage, tf.mean(advantage, 1, true)))
}

export class DuellingLstm implements Learnable {
  readonly shape: LstmShape
  readonly slices: readonly Slice[]
  readonly parameters: FlatParameters
  /** 2 H: what is said, then what is kept. */
  readonly memory: number

  constructor(shape: LstmShape, rng: Generator) {
    const { name, inputs, outputs, hidden: H } = shape
    this.shape = shape
    this.memory = 2 * H
    const slices: Slice[] = []
    const parts: { name: string; shape: number[]; values: Float32Array }[] = []
    let size = 0
    const add = (part: string, dims: number[], gain?: number) => {
      const values = new Float32Array(dims.reduce((product, dim) => product * dim, 1))
      if (gain !== undefined) orthogonal(values, dims[0], dims[1], gain, rng)
      slices.push({ name: `${name}/${part}`, shape: dims, from: size, to: size + values.length })
      parts.push({ name: `${name}/${part}`, shape: dims, values })
      size += values.length
      return values
    }
    add('lstm/inputWeight', [inputs, 4 * H], 1)
    add('lstm/recurrentWeight', [H, 4 * H], 1)
    add('lstm/bias', [4 * H]).fill(FORGET_BIAS, H, 2 * H)
    for (const [head, width] of [
      ['value', 1],
      ['advantage', outputs],
    ] as const) {
      add(`${head}/layer1/weight`, [H, width], 1)
      add(`${head}/layer1/bias`, [width])
    }
    this.slices = slices
    this.parameters = new FlatParameters(parts)
  }

  get size(): number {
    return this.parameters.size
  }

  read(): Float32Array {
    return this.parameters.read()
  }

  write(values: Float32Array): void {
    this.parameters.write(values)
  }

  /** Nothing is kept beside the parameters. */
  changed(): void {}

  dispose(): void {
    this.parameters.dispose()
  }

  /**
   * @param x [L N, inputs], step after step
   * @param watch sees what is carried after the last step, [N, H] each
   */
  apply(
    x: tf.Tensor2D,
    weights: readonly tf.Tensor[],
    sequences?: Sequences,
    watch?: (hidden: tf.Tensor2D, cell: tf.Tensor2D) => void,
  ): tf.Tensor2D {
    if (sequences === undefined) throw needsSequences(this.shape.name)
    const [inputWeight, recurrentWeight, bias, valueWeight, valueBias, advantageWeight, advantageBias] = weights
    const { hidden: H } = this.shape
    const { steps, start } = sequences
    const N = x.shape[0] / steps
    const seen = dense(x, inputWeight as tf.Tensor2D, bias as tf.Tensor1D) as tf.Tensor2D
    const each = steps === 1 ? [seen] : (tf.split(seen, steps, 0) as tf.Tensor2D[])
    let [hidden, cell] = tf.split(tf.tensor2d(sequences.hidden, [N, 2 * H]), 2, 1) as [tf.Tensor2D, tf.Tensor2D]
    const said: tf.Tensor2D[] = []
    for (let t = 0; t < steps; t++) {
      const fresh = start.subarray(t * N, (t + 1) * N)
      if (fresh.includes(1)) {
        const keep = tf.tensor2d(
          Float32Array.from(fresh, (one) => 1 - one),
          [N, 1],
        )
        ;[hidden, cell] = [tf.mul(hidden, keep), tf.mul(cell, keep)]
      }
      const gates = tf.add(each[t], tf.matMul(hidden, recurrentWeight as tf.Tensor2D)) as tf.Tensor2D
      ;({ hidden, cell } = lstmStep(gates, cell))
      said.push(hidden)
    }
    watch?.(hidden, cell)
    const all = steps === 1 ? hidden : (tf.concat(said, 0) as tf.Tensor2D)
    return duel(
      dense(all, valueWeight as tf.Tensor2D, valueBias as tf.Tensor1D) as tf.Tensor2D,
      dense(all, advantageWeight as tf.Tensor2D, advantageBias as tf.Tensor1D) as tf.Tensor2D,
    )
  }

  /** One step for rows of inputs. @param recurrence [rows, 2H], moved on */
  infer(input: Float32Array, rows: number, out: Float32Array, recurrence?: Recurrence): void {
    if (recurrence === undefined) throw needsSequences(this.shape.name)
    const { hidden, reset } = recurrence
    const { hidden: H, inputs } = this.shape
    this.parameters.settle()
    tf.tidy(() => {
      const x = tf.tensor2d(input.slice(0, rows * inputs), [rows, inputs])
      const start = reset?.slice(0, rows) ?? new Uint8Array(rows)
      const sequences = { steps: 1, hidden: hidden.slice(0, rows * 2 * H), start }
      const values = this.apply(x, this.parameters.variables, sequences, (said, kept) => {
        hidden.set(tf.concat([said, kept], 1).dataSync())
      })
      out.set(values.dataSync())
    })
  }

  notFinite(vector: Float32Array): { readonly name: string; readonly value: number } | undefined {
    for (const { name, from, to } of this.slices) {
      for (let i = from; i < to; i++) if (!Number.isFinite(vector[i])) return { name, value: vector[i] }
    }
    return undefined
  }
}

function needsSequences(name: string): TroupeError {
  return new TroupeError('bad-usage', {
    where: `network ${name}`,
    got: 'rows without what it remembers',
    expected: 'sequences or a recurrence: it is an LSTM',
  })
}
