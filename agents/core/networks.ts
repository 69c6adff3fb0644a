/**
 * Networks whose parameters live in one flat vector with named slices. The vector is plain memory: optimisers, checkpoints
 * and sums over workers see numbers; tensors exist only inside `differentiate` and `infer`.
 */
import { type Generator } from '../../envs/core/index.ts'
import { dense } from '../kernels/index.ts'
import { tf } from './tensors.ts'

export type Activation = 'relu' | 'tanh'

/** A named part of the flat vector. */
export interface Slice {
  readonly name: string
  readonly shape: readonly number[]
  readonly from: number
  readonly to: number
}

export interface MlpShape {
  /** Prefix of the slice names: 'actor', 'critic'. */
  readonly name: string
  readonly inputs: number
  readonly outputs: number
  /** Width and number of the hidden layers. */
  readonly hidden: number
  readonly layers: number
  readonly activation: Activation
  /** Gain of the orthogonal last layer; hidden layers take sqrt 2 (relu) or 5/3 (tanh). */
  readonly outputGain: number
}

/** What a loss sees: the network as a function, and a way to have a tensor's numbers read out beside the loss. */
export interface Trace {
  forward(x: tf.Tensor2D): tf.Tensor2D
  read(name: string, tensor: tf.Tensor): void
}

/** The loss, and whatever was read out. */
export interface Differentiated {
  readonly loss: number
  readonly readings: Readonly<Record<string, Float32Array>>
}

/** A multi-layer perceptron: dense layers with one activation between them, none at the end. */
export class Mlp {
  readonly shape: MlpShape
  readonly slices: readonly Slice[]
  /** [P] all parameters; after writing call `changed`. */
  readonly values: Float32Array
  /** [P] of the last `differentiate`. */
  readonly gradient: Float32Array
  private tensors: tf.Tensor[] | undefined

  constructor(shape: MlpShape, rng: Generator) {
    this.shape = shape
    const widths = [shape.inputs, ...Array<number>(shape.layers).fill(shape.hidden), shape.outputs]
    const slices: Slice[] = []
    let size = 0
    const add = (name: string, dims: number[]) => {
      const to = size + dims.reduce((product, dim) => product * dim, 1)
      slices.push({ name: `${shape.name}/${name}`, shape: dims, from: size, to })
      size = to
    }
    for (let layer = 0; layer + 1 < widths.length; layer++) {
      add(`layer${layer}/weight`, [widths[layer], widths[layer + 1]])
      add(`layer${layer}/bias`, [widths[layer + 1]])
    }
    this.slices = slices
    this.values = new Float32Array(size)
    this.gradient = new Float32Array(size)
    const hiddenGain = shape.activation === 'relu' ? Math.SQRT2 : 5 / 3
    for (let layer = 0; layer + 1 < widths.length; layer++) {
      const gain = layer + 2 === widths.length ? shape.outputGain : hiddenGain
      const { from, to } = slices[layer * 2]
      orthogonal(this.values.subarray(from, to), widths[layer], widths[layer + 1], gain, rng)
    }
  }

  /** Parameters as tensors, uploaded after each change; the network owns them. */
  private weights(): tf.Tensor[] {
    // Slices are copied: the cpu backend would keep the given memory, and the optimiser writes into it.
    this.tensors ??= this.slices.map(({ from, to, shape }) =>
      tf.keep(tf.tensor(this.values.slice(from, to), [...shape], 'float32')),
    )
    return this.tensors
  }

  /** Tells the network that `values` were written. */
  changed(): void {
    this.dispose()
  }

  dispose(): void {
    this.tensors?.forEach((tensor) => tensor.dispose())
    this.tensors = undefined
  }

  private apply(x: tf.Tensor2D, weights: readonly tf.Tensor[]): tf.Tensor2D {
    let out = x
    const layers = weights.length / 2
    for (let layer = 0; layer < layers; layer++) {
      const activation = layer + 1 < layers ? this.shape.activation : 'none'
      const [weight, bias] = [weights[layer * 2] as tf.Tensor2D, weights[layer * 2 + 1] as tf.Tensor1D]
      out = dense(out, weight, bias, activation) as tf.Tensor2D
    }
    return out
  }

  /** Writes d loss / d parameters into `gradient`. Every tensor made on the way is gone afterwards. */
  differentiate(loss: (net: Trace) => tf.Scalar): Differentiated {
    const kept: [string, tf.Tensor][] = []
    const read = (name: string, tensor: tf.Tensor) => void kept.push([name, tf.keep(tensor)])
    const parameters = this.weights()
    const readings: Record<string, Float32Array> = {}
    let result = NaN
    // Nothing is returned from tidy: it would look for tensors in every element of what it is given.
    tf.tidy(() => {
      const { value, grads } = tf.valueAndGrads((...weights: tf.Tensor[]) =>
        loss({ forward: (x) => this.apply(x, weights), read }),
      )(parameters)
      grads.forEach((grad, k) => this.gradient.set(grad.dataSync(), this.slices[k].from))
      for (const [name, tensor] of kept) {
        readings[name] = Float32Array.from(tensor.dataSync())
        tensor.dispose()
      }
      result = value.dataSync()[0]
    })
    return { loss: result, readings }
  }

  /**
   * Outputs for rows of inputs, without gradients. Each row's result depends on that row only, whatever stands beside it.
   * @param input [rows, inputs], at least that long
   * @param finish what to make of the raw outputs, still as tensors; default: the outputs themselves
   */
  infer(
    input: Float32Array,
    rows: number,
    finish: (out: tf.Tensor2D) => tf.Tensor[] = (out) => [out],
  ): readonly Float32Array[] {
    const weights = this.weights()
    let outputs: Float32Array[] = []
    tf.tidy(() => {
      const x = tf.tensor2d(input.subarray(0, rows * this.shape.inputs), [rows, this.shape.inputs])
      outputs = finish(this.apply(x, weights)).map((tensor) => tensor.dataSync() as Float32Array)
    })
    return outputs
  }

  /** First slice that holds NaN or infinity in `vector` (values or gradient), if any. */
  notFinite(vector: Float32Array): { readonly name: string; readonly value: number } | undefined {
    for (const { name, from, to } of this.slices) {
      for (let i = from; i < to; i++) if (!Number.isFinite(vector[i])) return { name, value: vector[i] }
    }
    return undefined
  }
}

/**
 * A random matrix with orthonormal columns (or rows, when there are more columns), times a gain (Saxe et al. 2014).
 * Gram–Schmidt on nearly normal draws; sums, quotients and square roots only, so that every engine makes the same weights.
 * @param out [inputs, outputs] overwritten
 */
export function orthogonal(out: Float32Array, inputs: number, outputs: number, gain: number, rng: Generator): void {
  const tall = inputs >= outputs
  const length = tall ? inputs : outputs
  const count = tall ? outputs : inputs
  const vectors = new Float64Array(count * length)
  for (let k = 0; k < count; k++) {
    const own = vectors.subarray(k * length, (k + 1) * length)
    let norm = 0
    while (norm < 1e-3) {
      for (let i = 0; i < length; i++) own[i] = nearlyNormal(rng)
      // Twice is enough (Kahan, Parlett): the second pass removes what rounding left of the first.
      for (let pass = 0; pass < 2; pass++) {
        for (let other = 0; other < k; other++) {
          let dot = 0
          for (let i = 0; i < length; i++) dot += own[i] * vectors[other * length + i]
          for (let i = 0; i < length; i++) own[i] -= dot * vectors[other * length + i]
        }
      }
      norm = 0
      for (let i = 0; i < length; i++) norm += own[i] * own[i]
      norm = Math.sqrt(norm)
    }
    for (let i = 0; i < length; i++) own[i] /= norm
  }
  for (let i = 0; i < inputs; i++) {
    for (let j = 0; j < outputs; j++) {
      out[i * outputs + j] = gain * (tall ? vectors[j * length + i] : vectors[i * length + j])
    }
  }
}

/** Mean 0, variance 1: twelve uniforms minus six (Irwin–Hall); exact in every engine, unlike logarithms and cosines. */
function nearlyNormal(rng: Generator): number {
  let sum = -6
  for (let k = 0; k < 12; k++) sum += rng.float()
  return sum
}
