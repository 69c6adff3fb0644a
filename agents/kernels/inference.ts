/**
 * Networks for rollouts: forward passes and sampling by address, without tensors, tape or engine. Weights are packed once
 * per update; each row's result depends on that row alone, whatever stands beside it, and equals the `dense` and
 * `gruSequence` ops on the `simd` backend bit for bit.
 */
import { TroupeError } from '../../envs/core/index.ts'
import { type SimdBackend } from './backend.ts'
import { packingA, SCRATCH } from './kernels.ts'
import { UNARY } from './opcodes.ts'
import { Regions, type Region } from './regions.ts'
import { type Activation } from './shapes.ts'

/** One layer; parameters lie in the order weight [inputs, outputs], bias, or for a GRU as in `GruInputs`. */
export type LayerShape =
  | { readonly kind: 'dense'; readonly inputs: number; readonly outputs: number; readonly activation: Activation }
  | { readonly kind: 'gru'; readonly inputs: number; readonly outputs: number }

/** State of the GRU layer, owned by the caller. */
export interface Recurrence {
  /** [rows, H], read and overwritten. */
  readonly hidden: Float32Array
  /** [rows], non-zero where the row forgets first; left out = nowhere. */
  readonly reset?: Uint8Array
}

/** Where a choice is written. Arrays may be longer than needed. */
export interface Choice {
  /** [rows, A] non-zero where allowed; left out = everything. */
  readonly mask?: Uint8Array
  /** [rows, D] in [0, 1); left out = the most probable choice. */
  readonly uniform?: Float32Array
  readonly action: Int32Array // [rows, D]
  readonly logProbability?: Float32Array // [rows], summed over dimensions
  readonly probability?: Float32Array // [rows, A]
}

const packedBytes = (k: number, n: number): number => ((n + 7) & ~7) * k * 4

export class RolloutNetwork {
  readonly inputs: number
  readonly outputs: number
  /** P, floats in all parameters. */
  readonly size: number
  private readonly weights: { packed: Region; recurrent: Region; bias: Region; recurrentBias: Region }[]
  private readonly memory: Regions
  private readonly regions: Record<'a' | 'b' | 'gates' | 'kept' | 'choice', Region>

  /** @param layers each as wide as the next expects; at most one GRU */
  constructor(
    private readonly backend: SimdBackend,
    private readonly layers: readonly LayerShape[],
  ) {
    layers.forEach(({ inputs }, i) => {
      const before = i === 0 ? inputs : layers[i - 1].outputs
      if (inputs !== before) {
        const where = `rollout network: layer ${i}`
        throw new TroupeError('bad-usage', { where, got: `${inputs} inputs wide`, expected: `${before}` })
      }
    })
    const recurrent = layers.filter(({ kind }) => kind === 'gru').length
    if (layers.length === 0 || recurrent > 1) {
      const got = `${layers.length} layers, ${recurrent} of them recurrent`
      throw new TroupeError('bad-usage', { where: 'rollout network', got, expected: 'one or more, at most one GRU' })
    }
    this.memory = new Regions(backend)
    this.inputs = layers[0].inputs
    this.outputs = layers[layers.length - 1].outputs
    let size = 0
    this.weights = layers.map(({ kind, inputs, outputs }) => {
      const columns = kind === 'gru' ? 3 * outputs : outputs
      size += (inputs + 1) * columns + (kind === 'gru' ? (outputs + 1) * columns : 0)
      return {
        packed: this.memory.region(packedBytes(inputs, columns)),
        bias: this.memory.region(columns * 4),
        recurrent: this.memory.region(kind === 'gru' ? packedBytes(outputs, columns) : 0),
        recurrentBias: this.memory.region(kind === 'gru' ? columns * 4 : 0),
      }
    })
    this.size = size
    const fresh = (): Region => this.memory.region()
    this.regions = { a: fresh(), b: fresh(), gates: fresh(), kept: fresh(), choice: fresh() }
  }

  /** Takes new parameters [P], layer after layer. */
  load(parameters: Float32Array): void {
    if (parameters.length !== this.size) {
      const got = `${parameters.length} floats`
      throw new TroupeError('bad-usage', { where: 'rollout network: parameters', got, expected: `${this.size}` })
    }
    const { backend } = this
    let from = 0
    const matrix = (k: number, n: number, to: Region): void => {
      const plain = backend.scratch(SCRATCH.work, k * n * 4)
      this.memory.put(plain, parameters.subarray(from, from + k * n))
      backend.kernels.packB(plain, k, n, n, 0, to.pointer)
      from += k * n
    }
    const vector = (n: number, to: Region): void => {
      this.memory.put(to.pointer, parameters.subarray(from, from + n))
      from += n
    }
    this.layers.forEach(({ kind, inputs, outputs }, i) => {
      const { packed, bias, recurrent, recurrentBias } = this.weights[i]
      const columns = kind === 'gru' ? 3 * outputs : outputs
      matrix(inputs, columns, packed)
      if (kind === 'gru') matrix(outputs, columns, recurrent)
      vector(columns, bias)
      if (kind === 'gru') vector(columns, recurrentBias)
    })
  }

  /**
   * Outputs for rows of inputs.
   * @param input [rows, inputs], at least that long
   * @param out [rows, outputs], overwritten
   */
  forward(input: Float32Array, rows: number, out: Float32Array, recurrence?: Recurrence): void {
    const at = this.run(input, rows, recurrence)
    const { buffer } = this.backend.allocator.memory
    out.set(new Float32Array(buffer, at, rows * this.outputs))
  }

  /**
   * One choice per row and dimension from the outputs as logits.
   * @param sizes [D] choices per dimension, side by side in the outputs; their sum is A, the width of the outputs
   */
  act(input: Float32Array, rows: number, sizes: readonly number[], choice: Choice, recurrence?: Recurrence): void {
    const { backend, outputs } = this
    const { mask, uniform, action, logProbability, probability } = choice
    if (sizes.reduce((sum, size) => sum + size, 0) !== outputs) {
      const got = `[${sizes.join(', ')}]`
      throw new TroupeError('bad-usage', { where: 'rollout network: sizes', got, expected: `a sum of ${outputs}` })
    }
    const logits = this.run(input, rows, recurrence)
    const dimensions = sizes.length
    const scratch = backend.scratch(SCRATCH.more, (outputs + 4) * 8)
    // One region: probability [rows, A], uniform and action [rows, D], log-probability [rows], mask [rows, A] bytes.
    const words = rows * (outputs + 2 * dimensions + 1) + 16
    const base = this.memory.fit(this.regions.choice, words * 4 + rows * outputs)
    const uniformAt = base + rows * outputs * 4
    const actionAt = uniformAt + rows * dimensions * 4
    const logAt = actionAt + rows * dimensions * 4
    const maskAt = logAt + rows * 4
    const { allocator, kernels } = backend
    if (uniform !== undefined) this.memory.put(uniformAt, uniform.subarray(0, rows * dimensions))
    if (mask !== undefined) allocator.u8.set(mask.subarray(0, rows * outputs), maskAt)
    let column = 0
    for (let d = 0; d < dimensions; d++) {
      kernels.sample(
        ...[logits + column * 4, mask === undefined ? 0 : maskAt + column, uniform === undefined ? 0 : uniformAt],
        ...[actionAt, logAt, base + column * 4, rows, sizes[d], outputs, dimensions, d, scratch],
      )
      column += sizes[d]
    }
    const { buffer } = allocator.memory
    action.set(new Int32Array(buffer, actionAt, rows * dimensions))
    logProbability?.set(new Float32Array(buffer, logAt, rows))
    probability?.set(new Float32Array(buffer, base, rows * outputs))
  }

  dispose(): void {
    this.memory.dispose()
  }

  /** Runs all layers; returns the address of the outputs, good until the next call. */
  private run(input: Float32Array, rows: number, recurrence: Recurrence | undefined): number {
    const { backend, layers, regions } = this
    const widest = Math.max(this.inputs, ...layers.map(({ kind, outputs }) => (kind === 'gru' ? 3 * outputs : outputs)))
    let from = this.memory.fit(regions.a, rows * widest * 4)
    let to = this.memory.fit(regions.b, rows * widest * 4)
    const packing = packingA(backend)
    const { kernels } = backend
    this.memory.put(from, input.subarray(0, rows * this.inputs))
    for (let i = 0; i < layers.length; i++) {
      const layer = layers[i]
      const { inputs, outputs } = layer
      const { packed, bias } = this.weights[i]
      if (layer.kind === 'dense') {
        const relu = layer.activation === 'relu' ? 1 : 0
        const sizes = [rows, outputs, inputs]
        kernels.gemmPacked(from, inputs, 0, packed.pointer, to, outputs, ...sizes, 0, bias.pointer, relu, packing)
        if (layer.activation === 'tanh') kernels.unary(UNARY.Tanh, to, to, rows * outputs, 0)
        ;[from, to] = [to, from]
      } else this.recur(i, from, to, rows, recurrence, packing) // leaves its result in `from`
    }
    return from
  }

  private recur(
    layer: number,
    from: number,
    to: number,
    rows: number,
    recurrence: Recurrence | undefined,
    packing: number,
  ): void {
    const { inputs, outputs } = this.layers[layer]
    const { packed, bias, recurrent, recurrentBias } = this.weights[layer]
    if (recurrence === undefined) {
      const expected = 'hidden [rows, H]'
      throw new TroupeError('bad-usage', { where: 'rollout network: recurrence', got: 'left out', expected })
    }
    const { backend, regions } = this
    const cells = rows * outputs
    // hidden, then resets, then the four gates: all of one step, overwritten every time.
    const hidden = this.memory.fit(regions.kept, (2 * cells + rows + 16) * 4)
    const kept = hidden + ((cells + 7) & ~3) * 4
    const reset = kept + ((cells + 7) & ~3) * 4
    const gates = this.memory.fit(regions.gates, (4 * cells + 3 * cells + 16) * 4)
    const work = gates + ((4 * cells + 7) & ~3) * 4
    this.memory.put(hidden, recurrence.hidden.subarray(0, cells))
    if (recurrence.reset !== undefined) {
      const flags = new Float32Array(backend.allocator.memory.buffer, reset, rows)
      for (let r = 0; r < rows; r++) flags[r] = recurrence.reset[r]
    }
    const { kernels } = backend
    const sizes = [rows, 3 * outputs, inputs]
    kernels.gemmPacked(from, inputs, 0, packed.pointer, to, 3 * outputs, ...sizes, 0, bias.pointer, 0, packing)
    kernels.gruForward(
      ...[to, recurrent.pointer, recurrentBias.pointer, hidden, recurrence.reset === undefined ? 0 : reset],
      ...[from, kept, gates, 1, rows, outputs, 0, work, packing],
    )
    recurrence.hidden.set(new Float32Array(backend.allocator.memory.buffer, from, cells))
  }
}
