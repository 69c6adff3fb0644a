/**
 * Networks whose parameters live in one flat vector with named slices, on the backend that is current when they are made.
 * They learn through `differentiate`; for acting there is `infer`, which on `simd` goes around tensors and tape.
 */
import { TroupeError, type Generator } from '../../envs/core/index.ts'
import {
  FlatParameters,
  NetworkPass,
  RolloutNetwork,
  currentSimd,
  dense,
  denseStack,
  gruSequence,
  type Choice,
  type DenseLayer,
  type LayerShape,
  type Recurrence,
} from '../kernels/index.ts'
import { chooseRows } from './categorical.ts'
import { tf } from './tensors.ts'

export type Activation = 'relu' | 'tanh'
export type Init = 'orthogonal' | 'uniform'

/** A named part of the flat vector. */
export interface Slice {
  readonly name: string
  readonly shape: readonly number[]
  readonly from: number
  readonly to: number
}

export interface NetworkShape {
  /** Prefix of the slice names: 'actor', 'critic'. */
  readonly name: string
  readonly inputs: number
  readonly outputs: number
  /** Width and number of the hidden layers. */
  readonly hidden: number
  readonly layers: number
  readonly activation: Activation
  /** Gain of the orthogonal last layer; hidden layers take sqrt 2 (relu) or 5/3 (tanh), a GRU 1. */
  readonly outputGain: number
  /** A GRU as wide as the hidden layers stands between them and the last. */
  readonly recurrent?: boolean
  /** Numbers that are learned and depend on no input, with what they begin at: deviations of a Gaussian, for instance. */
  readonly free?: readonly number[]
  /**
   * orthogonal (default): with gains, biases 0. uniform: weights and biases from ± 1/√inputs, a GRU's from ± 1/√H, as torch
   * has it by default.
   */
  readonly init?: Init
}

/** How rows of inputs follow one another in a recurrent network: row l · sequences + s is step l of sequence s. */
export interface Sequences {
  readonly steps: number // L
  /** [sequences, H] before the first step. */
  readonly hidden: Float32Array
  /** [L, sequences] 1 where a row is the first of an episode. */
  readonly start: Uint8Array
}

/** What a loss sees: the network as a function, and a way to have a tensor's numbers read out beside the loss. */
export interface Trace {
  /** @param sequences for recurrent networks, which must know; others look away */
  forward(x: tf.Tensor2D, sequences?: Sequences): tf.Tensor2D
  /** The free numbers, [free], of a shape that has any. */
  readonly free: tf.Tensor1D
  read(name: string, tensor: tf.Tensor): void
}

/** The loss, and whatever was read out. */
export interface Differentiated {
  readonly loss: number
  readonly readings: Readonly<Record<string, Float32Array>>
}

/** Dense layers with one activation between them, none at the end; with `recurrent` a GRU before the last. */
export class Network {
  readonly shape: NetworkShape
  readonly slices: readonly Slice[]
  /** The weights; who writes or steps them says `changed`. */
  readonly parameters: FlatParameters
  /** H, numbers that the network carries from step to step in every row; 0 without a GRU. */
  readonly memory: number
  private readonly layers: readonly LayerShape[]
  private player: RolloutNetwork | undefined
  private pass: NetworkPass | undefined
  private stale = true
  private freed: Float32Array | undefined

  constructor(shape: NetworkShape, rng: Generator) {
    this.shape = shape
    this.layers = layersOf(shape)
    this.memory = shape.recurrent === true ? shape.hidden : 0
    const slices: Slice[] = []
    const parts: { name: string; shape: number[]; values: Float32Array }[] = []
    let size = 0
    let within = 0 // of uniform draws in this layer
    const add = (part: string, dims: number[], gain?: number) => {
      const name = `${shape.name}/${part}`
      const values = new Float32Array(dims.reduce((product, dim) => product * dim, 1))
      if (shape.init === 'uniform') uniform(values, within, rng)
      else if (gain !== undefined) orthogonal(values, dims[0], dims[1], gain, rng)
      slices.push({ name, shape: dims, from: size, to: size + values.length })
      parts.push({ name, shape: dims, values })
      size += values.length
    }
    const hiddenGain = shape.activation === 'relu' ? Math.SQRT2 : 5 / 3
    this.layers.forEach(({ kind, inputs, outputs }, k) => {
      within = 1 / Math.sqrt(kind === 'gru' ? outputs : inputs)
      if (kind === 'gru') {
        add('gru/inputWeight', [inputs, 3 * outputs], 1)
        add('gru/recurrentWeight', [outputs, 3 * outputs], 1)
        add('gru/inputBias', [3 * outputs])
        add('gru/recurrentBias', [3 * outputs])
      } else {
        const last = k === this.layers.length - 1
        const layer = last ? shape.layers : k
        add(`layer${layer}/weight`, [inputs, outputs], last ? shape.outputGain : hiddenGain)
        add(`layer${layer}/bias`, [outputs])
      }
    })
    const { free = [] } = shape
    if (free.length > 0) {
      add('free', [free.length])
      parts[parts.length - 1].values.set(free)
    }
    this.slices = slices
    this.parameters = new FlatParameters(parts)
  }

  /** P, numbers in all parameters. */
  get size(): number {
    return this.parameters.size
  }

  /** All parameters [P]. */
  read(): Float32Array {
    return this.parameters.read()
  }

  /** Replaces all parameters [P]. */
  write(values: Float32Array): void {
    this.parameters.write(values)
    this.changed()
  }

  /** Outputs become outputs · scale + shift, by the weights of the last layer. */
  rescaleOutputs(scale: number, shift: number): void {
    const values = this.read()
    const [weight, bias] = this.slices.filter(({ name }) => name.includes(`/layer${this.shape.layers}/`))
    for (let i = weight.from; i < weight.to; i++) values[i] *= scale
    for (let i = bias.from; i < bias.to; i++) values[i] = values[i] * scale + shift
    this.write(values)
  }

  /** Tells the network that its parameters were stepped. */
  changed(): void {
    this.stale = true
    this.freed = undefined
  }

  dispose(): void {
    this.parameters.dispose()
    this.player?.dispose()
    this.player = undefined
    this.pass?.dispose()
    this.pass = undefined
  }

  /**
   * What it says of `x`, with its weights as constants: gradients go through to `x` and no further. For actors that learn
   * from what a critic says of their actions, and for targets.
   * @param x [rows, inputs]
   * @returns [rows, outputs], for the caller (or the caller's tidy) to dispose
   */
  forward(x: tf.Tensor2D): tf.Tensor2D {
    if (this.memory > 0) throw needsSequences(this.shape.name)
    this.parameters.settle()
    const weights = this.parameters.variables
    // Layer by layer, and not as one op: its gradient would also make the products for the weights.
    return this.layers.reduce((out, layer, k) => {
      const [weight, bias] = [weights[2 * k] as tf.Tensor2D, weights[2 * k + 1] as tf.Tensor1D]
      return dense(out, weight, bias, layer.kind === 'dense' ? layer.activation : 'none') as tf.Tensor2D
    }, x)
  }

  /** The network as losses see it, with nothing to differentiate: for what is only to be read. */
  get still(): Trace {
    this.parameters.settle()
    const weights = this.parameters.variables
    return {
      forward: (x, sequences) => this.apply(x, weights, sequences),
      free: weights[weights.length - 1] as tf.Tensor1D,
      read: () => undefined,
    }
  }

  /** The free numbers as they are now, [free]. */
  freeValues(): Float32Array {
    const { free = [] } = this.shape
    this.freed ??= this.read().slice(this.size - free.length)
    return this.freed
  }

  /**
   * The network as a function of its weights too, for losses over several networks (`differentiateTogether`).
   * @param weights in the order of `parameters.variables`
   * @param watch sees what the GRU gives
   */
  apply(
    x: tf.Tensor2D,
    weights: readonly tf.Tensor[],
    sequences?: Sequences,
    watch?: (states: tf.Tensor2D) => void,
  ): tf.Tensor2D {
    let out = x
    let at = 0
    let stack: DenseLayer[] = [] // dense layers that follow one another are one op
    for (const layer of this.layers) {
      if (layer.kind === 'dense') {
        const [weight, bias] = [weights[at] as tf.Tensor2D, weights[at + 1] as tf.Tensor1D]
        stack.push({ weight, bias, activation: layer.activation })
        at += 2
        continue
      }
      out = this.recur(layer, denseStack(out, stack), weights.slice(at, at + 4), sequences)
      watch?.(out)
      stack = []
      at += 4
    }
    return denseStack(out, stack)
  }

  private recur(
    { inputs, outputs }: LayerShape,
    x: tf.Tensor2D,
    weights: readonly tf.Tensor[],
    sequences: Sequences | undefined,
  ): tf.Tensor2D {
    if (sequences === undefined) throw needsSequences(this.shape.name)
    const { steps, hidden, start } = sequences
    const count = x.shape[0] / steps
    const states = gruSequence({
      input: tf.reshape(x, [steps, count, inputs]),
      hidden: tf.tensor2d(hidden, [count, outputs]),
      reset: tf.tensor2d(start, [steps, count], 'bool'),
      inputWeight: weights[0] as tf.Tensor2D,
      recurrentWeight: weights[1] as tf.Tensor2D,
      inputBias: weights[2] as tf.Tensor1D,
      recurrentBias: weights[3] as tf.Tensor1D,
    })
    return tf.reshape(states, [steps * count, outputs])
  }

  /**
   * Writes d loss / d parameters into `gradient`. Every tensor made on the way is gone afterwards.
   * @param gradient [P] overwritten
   */
  differentiate(loss: (net: Trace) => tf.Scalar, gradient: Float32Array): Differentiated {
    const kept: [string, tf.Tensor][] = []
    const read = (name: string, tensor: tf.Tensor) => void kept.push([name, tf.keep(tensor)])
    const readings: Record<string, Float32Array> = {}
    let result = NaN
    this.parameters.settle()
    const pass = this.passing()
    // Nothing is returned from tidy: it would look for tensors in every element of what it is given.
    tf.tidy(() => {
      const value = pass === undefined ? this.taped(loss, read, gradient) : this.passed(pass, loss, read, gradient)
      for (const [name, tensor] of kept) {
        readings[name] = tensor.dataSync() as Float32Array
        tensor.dispose()
      }
      result = value.dataSync()[0]
    })
    return { loss: result, readings }
  }

  /** Every weight on the tape: the path in public ops. */
  private taped(loss: (net: Trace) => tf.Scalar, read: Trace['read'], gradient: Float32Array): tf.Scalar {
    const { value, grads } = tf.valueAndGrads((...weights: tf.Tensor[]) => {
      const free = weights[weights.length - 1] as tf.Tensor1D
      return loss({ forward: (x, sequences) => this.apply(x, weights, sequences), free, read })
    })([...this.parameters.variables])
    grads.forEach((grad, k) => gradient.set(grad.dataSync(), this.slices[k].from))
    return value
  }

  /** The network as one op, whose gradients go around the tape. */
  private passed(
    pass: NetworkPass,
    loss: (net: Trace) => tf.Scalar,
    read: Trace['read'],
    gradient: Float32Array,
  ): tf.Scalar {
    const count = this.shape.free?.length ?? 0
    const variables = this.parameters.variables.slice(-1)
    pass.begin()
    const { value, grads } = tf.valueAndGrads((token: tf.Tensor, ...free: tf.Tensor[]) =>
      loss({ forward: (x, sequences) => pass.forward(token, x, sequences), free: free[0] as tf.Tensor1D, read }),
    )([pass.token, ...(count === 0 ? [] : variables)])
    pass.take(gradient)
    if (count > 0) gradient.set(grads[1].dataSync(), this.size - count)
    return value
  }

  /** The one op, where the parameters lie in the current backend's memory. */
  private passing(): NetworkPass | undefined {
    const { block } = this.parameters
    if (block === null || currentSimd() !== block.backend) return undefined
    return (this.pass ??= new NetworkPass(block.backend, this.layers, this.parameters))
  }

  /**
   * Outputs for rows of inputs, without gradients. Each row's result depends on that row only, whatever stands beside it.
   * @param input [rows, inputs], at least that long
   * @param out [rows, outputs] overwritten
   * @param recurrence what recurrent networks carry; moved on by one step
   */
  infer(input: Float32Array, rows: number, out: Float32Array, recurrence?: Recurrence): void {
    const player = this.fresh()
    if (player !== undefined) player.forward(input, rows, out, recurrence)
    else this.composed(input, rows, recurrence, (outputs) => out.set(outputs.dataSync()))
  }

  /**
   * One choice per row and dimension, with the outputs as logits.
   * @param sizes [D] choices per dimension, side by side in the outputs
   */
  act(input: Float32Array, rows: number, sizes: readonly number[], choice: Choice, recurrence?: Recurrence): void {
    const player = this.fresh()
    if (player !== undefined) player.act(input, rows, sizes, choice, recurrence)
    else this.composed(input, rows, recurrence, (logits) => chooseRows(logits, sizes, choice))
  }

  /** The fast path with the weights as they are now; none on other backends. */
  private fresh(): RolloutNetwork | undefined {
    const { block } = this.parameters
    if (block === null || currentSimd() !== block.backend) return undefined
    this.player ??= new RolloutNetwork(block.backend, this.layers)
    if (this.stale) this.player.load(this.read().subarray(0, this.player.size))
    this.stale = false
    return this.player
  }

  /** The path in public ops. */
  private composed(
    input: Float32Array,
    rows: number,
    recurrence: Recurrence | undefined,
    finish: (out: tf.Tensor2D) => void,
  ): void {
    const H = this.memory
    tf.tidy(() => {
      const x = tf.tensor2d(input.slice(0, rows * this.shape.inputs), [rows, this.shape.inputs])
      const weights = this.parameters.variables
      if (H === 0) return finish(this.apply(x, weights, undefined))
      if (recurrence === undefined) throw needsSequences(this.shape.name)
      const { hidden, reset } = recurrence
      const start = reset?.slice(0, rows) ?? new Uint8Array(rows)
      const step = { steps: 1, hidden: hidden.slice(0, rows * H), start }
      finish(this.apply(x, weights, step, (state) => hidden.set(state.dataSync())))
    })
  }

  /** First slice that holds NaN or infinity in `vector` [P], if any. */
  notFinite(vector: Float32Array): { readonly name: string; readonly value: number } | undefined {
    for (const { name, from, to } of this.slices) {
      for (let i = from; i < to; i++) if (!Number.isFinite(vector[i])) return { name, value: vector[i] }
    }
    return undefined
  }
}

function layersOf({ inputs, outputs, hidden, layers, activation, recurrent }: NetworkShape): LayerShape[] {
  const found: LayerShape[] = []
  let width = inputs
  for (let layer = 0; layer < layers; layer++) {
    found.push({ kind: 'dense', inputs: width, outputs: hidden, activation })
    width = hidden
  }
  if (recurrent === true) found.push({ kind: 'gru', inputs: width, outputs: hidden })
  found.push({ kind: 'dense', inputs: recurrent === true ? hidden : width, outputs, activation: 'none' })
  return found
}

function needsSequences(name: string): TroupeError {
  return new TroupeError('bad-usage', {
    where: `network ${name}`,
    got: 'rows without what it remembers',
    expected: 'sequences or a recurrence: it has a GRU',
  })
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

function uniform(out: Float32Array, within: number, rng: Generator): void {
  for (let i = 0; i < out.length; i++) out[i] = within * (2 * rng.float() - 1)
}

/** Mean 0, variance 1: twelve uniforms minus six (Irwin–Hall); exact in every engine, unlike logarithms and cosines. */
function nearlyNormal(rng: Generator): number {
  let sum = -6
  for (let k = 0; k < 12; k++) sum += rng.float()
  return sum
}
