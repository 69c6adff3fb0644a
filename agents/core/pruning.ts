/**
 * Gradual magnitude pruning of a network: the smallest weights of every layer are held at 0. What a weight was when it was masked
 * stays beside it as its shadow, so that it can come back where a schedule falls. Biases are never pruned.
 *
 * After Zhu and Gupta 2017, "To prune, or not to prune" (arXiv 1710.01878): masks are made anew every few updates, layer by layer,
 * and masked weights get no gradient.
 */
import { TroupeError } from '../../envs/core/index.ts'
import { type Tensors } from './checkpoint.ts'
import { type Kept } from './learner.ts'
import { type Network, type Slice } from './networks.ts'

export class Pruner implements Kept {
  /** [P] 1 where a weight is held at 0. */
  readonly masked: Uint8Array
  /** [P] What masked weights were. */
  readonly shadow: Float32Array
  private readonly net: Network
  private readonly layers: readonly Slice[]

  /** @param ends whether the first and the last layer are pruned, too */
  constructor(net: Network, ends: boolean) {
    this.net = net
    const matrices = net.slices.filter(({ shape }) => shape.length === 2)
    this.layers = ends ? matrices : matrices.slice(1, -1)
    this.masked = new Uint8Array(net.size)
    this.shadow = new Float32Array(net.size)
  }

  /** Weights that may be masked. */
  get prunable(): number {
    return this.layers.reduce((sum, { from, to }) => sum + to - from, 0)
  }

  /** Whether every layer has as many masks as that sparsity asks for. */
  reached(sparsity: number): boolean {
    return this.layers.every(({ from, to }) => {
      let count = 0
      for (let i = from; i < to; i++) count += this.masked[i]
      return count === Math.round(sparsity * (to - from))
    })
  }

  /** Part of the prunable weights that are masked now. */
  get sparsity(): number {
    let count = 0
    for (const { from, to } of this.layers) for (let i = from; i < to; i++) count += this.masked[i]
    return this.prunable === 0 ? 0 : count / this.prunable
  }

  /**
   * Makes the masks anew: in every layer the given part of the weights, those of least size, shadows counting like weights; of
   * equals the first.
   * @param sparsity 0 to 1
   */
  prune(sparsity: number): void {
    const { net, masked, shadow, layers } = this
    const values = net.read()
    for (const { from, to } of layers) {
      for (let i = from; i < to; i++) if (masked[i] === 1) values[i] = shadow[i]
      const order = Array.from({ length: to - from }, (_, k) => from + k).sort(
        (a, b) => Math.abs(values[a]) - Math.abs(values[b]) || a - b,
      )
      const count = Math.round(sparsity * order.length)
      order.forEach((i, rank) => {
        masked[i] = rank < count ? 1 : 0
        shadow[i] = rank < count ? values[i] : 0
        if (rank < count) values[i] = 0
      })
    }
    net.write(values)
  }

  /** Takes the gradient of masked weights out. @param gradient [P] */
  silence(gradient: Float32Array): void {
    for (let i = 0; i < gradient.length; i++) if (this.masked[i] === 1) gradient[i] = 0
  }

  /** Puts masked weights back to 0 after a step: an optimiser with momentum moves what has no gradient. */
  hold(): void {
    const values = this.net.read()
    for (let i = 0; i < values.length; i++) if (this.masked[i] === 1) values[i] = 0
    this.net.write(values)
  }

  save(): Tensors {
    const shape = [this.net.size]
    return { masked: { shape, data: Float32Array.from(this.masked) }, shadow: { shape, data: this.shadow.slice() } }
  }

  load(tensors: Tensors, where: string): () => void {
    const [masked, shadow] = ['masked', 'shadow'].map((name) => {
      const data = (tensors[name] as Tensors[string] | undefined)?.data
      if (data?.length === this.net.size) return data
      const got = data === undefined ? 'missing' : `${data.length} numbers`
      throw new TroupeError('bad-file', { where: `${where}/${name}`, got, expected: `${this.net.size} numbers` })
    })
    return () => {
      this.masked.set(masked)
      this.shadow.set(shadow)
    }
  }
}
