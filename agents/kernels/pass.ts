/**
 * A whole network as one op on `simd`. Forward it runs by address; backward it writes the gradients of its weights where the
 * optimiser's vector wants them, instead of handing them to the tape tensor by tensor. The kernels and their order are those
 * of `denseStack` and `gruSequence`, which are its oracles, so the bits are the same; what it needs is kept from pass to pass.
 */
import * as tf from '#tensorflow'
import { TroupeError } from '../../envs/core/index.ts'
import { type SimdBackend } from './backend.ts'
import { fuse } from './fuse.ts'
import { type LayerShape } from './inference.ts'
import { gemm, packedB, packingA, SCRATCH } from './kernels.ts'
import { BINARY, UNARY } from './opcodes.ts'
import { type FlatParameters } from './parameters.ts'
import { Regions, type Region } from './regions.ts'

/** How rows follow one another through a GRU: row t · sequences + s is step t of sequence s. */
export interface Runs {
  readonly steps: number // T
  /** [sequences, H] before the first step. */
  readonly hidden: Float32Array
  /** [T, sequences] not 0 where a row forgets what came before. */
  readonly start: Uint8Array
}

/** What one forward pass leaves for its backward pass: outputs of every layer, and what a GRU remembers of its steps. */
interface Frame {
  readonly outputs: readonly Region[]
  readonly gru: Record<'hidden' | 'forget' | 'kept' | 'gates', Region>
  runs: Runs | undefined
}

/** Where one layer's parameters begin, in bytes from the beginning of the vector: weight, bias, or the four of a GRU. */
type Places = readonly number[]

export class NetworkPass {
  /** What the tape sees in the weights' place; its own gradient is 0. */
  readonly token: tf.Scalar
  private readonly places: readonly Places[]
  private readonly bytes: number
  private readonly memory: Regions
  private readonly frames: Frame[] = []
  private readonly shared: Record<'gradient' | 'again' | 'slope' | 'other' | 'input' | 'recurrent' | 'first', Region>
  private begun = 0
  private found = 0

  /**
   * @param layers in the order of the parameters: weight and bias each, of a GRU the four of `GruInputs`
   * @param parameters with a block on `backend`; parts behind those of the layers are none of its business
   */
  constructor(
    private readonly backend: SimdBackend,
    private readonly layers: readonly LayerShape[],
    private readonly parameters: FlatParameters,
  ) {
    let part = 0
    this.places = layers.map(({ kind }) => {
      const count = kind === 'gru' ? 4 : 2
      part += count
      return parameters.parts.slice(part - count, part).map(({ byte }) => byte)
    })
    const { byte, length } = parameters.parts[part - 1]
    this.bytes = byte + ((length + 3) & ~3) * 4
    this.memory = new Regions(backend)
    const region = (): Region => this.memory.region()
    this.shared = {
      gradient: this.memory.region(this.bytes),
      again: region(),
      slope: region(),
      other: region(),
      input: region(),
      recurrent: region(),
      first: region(),
    }
    this.token = tf.tidy(() => tf.keep(tf.scalar(0)))
  }

  /** Before each loss: forgets all passes. */
  begin(): void {
    this.begun = 0
    this.found = 0
  }

  /** @param token `token`, as the tape handed it on */
  forward(token: tf.Tensor, x: tf.Tensor2D, runs?: Runs): tf.Tensor2D {
    const frame = (this.frames[this.begun++] ??= this.frame())
    const [y] = fuse(
      [token],
      (save) => {
        const input = x.dtype === 'float32' ? x : tf.cast(x, 'float32')
        save([input])
        frame.runs = runs
        return [this.run(frame, input)]
      },
      ([dy], [input]) => {
        this.back(frame, input, dy)
        return [() => tf.scalar(0)]
      },
    )
    return y as tf.Tensor2D
  }

  /** Writes the gradient of the loss into `out` [P]: of the layers' parts, in their order. */
  take(out: Float32Array): void {
    const { buffer } = this.backend.allocator.memory
    const { pointer } = this.shared.gradient
    let part = 0
    for (const places of this.places) {
      for (const byte of places) {
        const { offset, length } = this.parameters.parts[part++]
        if (this.found === 0) out.fill(0, offset, offset + length)
        else out.set(new Float32Array(buffer, pointer + byte, length), offset)
      }
    }
  }

  dispose(): void {
    this.memory.dispose()
    this.token.dispose()
  }

  private frame(): Frame {
    const region = (): Region => this.memory.region()
    return {
      outputs: this.layers.map(region),
      gru: { hidden: region(), forget: region(), kept: region(), gates: region() },
      runs: undefined,
    }
  }

  private weight(layer: number, part = 0): number {
    return this.parameters.block!.pointer + this.places[layer][part]
  }

  private run(frame: Frame, x: tf.Tensor): tf.Tensor {
    const { backend, layers } = this
    const { kernels } = backend
    const [m] = x.shape
    const last = layers.length - 1
    const result = backend.empty([m, layers[last].outputs])
    let from = backend.at(x)
    layers.forEach((layer, l) => {
      const { inputs: k, outputs: n } = layer
      const to = l === last ? backend.at(result) : this.memory.fit(frame.outputs[l], m * n * 4)
      if (layer.kind === 'gru') this.recur(frame, l, from, to, m)
      else {
        const how = { bias: this.weight(l, 1), relu: layer.activation === 'relu' }
        gemm(backend, from, this.weight(l), to, { m, n, k }, how)
        if (layer.activation === 'tanh') kernels.unary(UNARY.Tanh, to, to, m * n, 0)
      }
      from = to
    })
    const kept = layers[last]
    if (kept.kind === 'dense' && kept.activation !== 'none') {
      kernels.copy(from, this.memory.fit(frame.outputs[last], m * kept.outputs * 4), 4, 1, 1, 1, m * kept.outputs, 0, 0, 0, 1, 0, 0, 0, 1) // prettier-ignore
    }
    return backend.tensor(result)
  }

  private recur({ gru, runs }: Frame, layer: number, from: number, to: number, rows: number): void {
    if (runs === undefined) {
      throw new TroupeError('bad-usage', {
        where: 'network with a GRU',
        got: 'rows alone',
        expected: 'how they follow one another',
      })
    }
    const { backend, memory } = this
    const { inputs, outputs: size } = this.layers[layer]
    const { steps } = runs
    const lanes = rows / steps
    const wide = 3 * size
    const [hidden, forget] = [memory.fit(gru.hidden, lanes * size * 4), memory.fit(gru.forget, rows * 4)]
    const [kept, gates] = [memory.fit(gru.kept, rows * size * 4), memory.fit(gru.gates, rows * 4 * size * 4)]
    const projected = memory.fit(this.shared.input, rows * wide * 4)
    const packed = packedB(backend, wide, size)
    const work = backend.scratch(SCRATCH.work, lanes * wide * 4)
    memory.put(hidden, runs.hidden.subarray(0, lanes * size))
    const flags = new Float32Array(backend.allocator.memory.buffer, forget, rows)
    for (let row = 0; row < rows; row++) flags[row] = runs.start[row]
    const bias = this.weight(layer, 2)
    gemm(backend, from, this.weight(layer), projected, { m: rows, n: wide, k: inputs }, { bias })
    backend.kernels.packB(this.weight(layer, 1), size, wide, wide, 0, packed)
    backend.kernels.gruForward(
      ...[projected, packed, this.weight(layer, 3), hidden, forget, to, kept, gates],
      ...[steps, lanes, size, 1, work, packingA(backend)],
    )
  }

  private back(frame: Frame, x: tf.Tensor, dy: tf.Tensor): void {
    const { backend, layers, memory, shared } = this
    const { kernels } = backend
    const [m] = x.shape
    const first = this.found++ === 0
    const gradient = memory.fit(first ? shared.gradient : shared.again, this.bytes)
    const last = layers.length - 1
    let d = backend.at(dy) // of the loss, in what the layer at hand gives before its activation
    const end = layers[last]
    if (end.kind === 'dense' && end.activation !== 'none') {
      const to = memory.fit(shared.slope, m * end.outputs * 4)
      this.bend(end.activation, d, frame.outputs[last].pointer, to, m * end.outputs)
      d = to
    }
    for (let l = last; l >= 0; l--) {
      const { kind, inputs: k, outputs: n } = layers[l]
      const from = l === 0 ? backend.at(x) : frame.outputs[l - 1].pointer
      const side = kind === 'gru' ? this.recurBack(frame, l, from, d, gradient, m) : d
      const across = kind === 'gru' ? 3 * n : n
      if (kind === 'dense') {
        gemm(backend, from, d, gradient + this.places[l][0], { m: k, n, k: m }, { transposeA: true })
        kernels.sum(d, gradient + this.places[l][1], 1, m, n, 1)
      }
      if (l === 0) break // nobody wants the slope in the inputs
      const before = layers[l - 1]
      const bent = before.kind === 'dense' ? before.activation : 'none'
      const spare = d === shared.slope.pointer ? shared.other : shared.slope
      const to = memory.fit(spare, m * k * 4)
      const mask = bent === 'relu' ? from : 0
      gemm(backend, side, this.weight(l), to, { m, n: k, k: across }, { transposeB: true, mask })
      if (bent === 'tanh') this.bend('tanh', to, from, to, m * k)
      d = to
    }
    if (first || this.bytes === 0) return
    const sum = shared.gradient.pointer
    kernels.binary(BINARY.Add, sum, gradient, sum, 1, 1, 1, this.bytes / 4, 0, 0, 0, 1, 0, 0, 0, 1)
  }

  private bend(activation: 'relu' | 'tanh', d: number, out: number, to: number, size: number): void {
    const op = activation === 'relu' ? BINARY.ReluGrad : BINARY.TanhGrad
    this.backend.kernels.binary(op, d, out, to, 1, 1, 1, size, 0, 0, 0, 1, 0, 0, 0, 1)
  }

  /** Gradients of a GRU's four parameters; returns where the slope in its projected inputs lies. */
  private recurBack(
    { gru, runs }: Frame,
    layer: number,
    from: number,
    dy: number,
    gradient: number,
    rows: number,
  ): number {
    const { backend, memory, shared } = this
    const { kernels } = backend
    const { inputs, outputs: size } = this.layers[layer]
    const { steps } = runs!
    const lanes = rows / steps
    const wide = 3 * size
    const first = memory.fit(shared.first, lanes * size * 4)
    const [dx, dg] = [memory.fit(shared.input, rows * wide * 4), memory.fit(shared.recurrent, rows * wide * 4)]
    const packed = packedB(backend, size, wide)
    const [inputWeight, recurrentWeight, inputBias, recurrentBias] = this.places[layer].map((byte) => gradient + byte)
    kernels.fill(first, 0, lanes * size)
    kernels.packB(this.weight(layer, 1), wide, size, wide, 1, packed)
    kernels.gruBackward(
      ...[dy, packed, gru.forget.pointer, gru.kept.pointer, gru.gates.pointer, first, dx, dg],
      ...[steps, lanes, size, packingA(backend)],
    )
    gemm(backend, from, dx, inputWeight, { m: inputs, n: wide, k: rows }, { transposeA: true })
    gemm(backend, gru.kept.pointer, dg, recurrentWeight, { m: size, n: wide, k: rows }, { transposeA: true })
    kernels.sum(dx, inputBias, 1, rows, wide, 1)
    kernels.sum(dg, recurrentBias, 1, rows, wide, 1)
    return dx
  }
}
