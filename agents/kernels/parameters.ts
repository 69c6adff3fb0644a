/** The weights of a learner as one flat vector that networks see through one variable per part. */
import * as tf from '#tensorflow'
import { TroupeError } from '../../envs/core/index.ts'
import { currentSimd, type Cell, type SimdBackend } from './backend.ts'

/** One named tensor of a network. */
export interface ParameterPart {
  readonly name: string
  readonly shape: readonly number[]
  readonly values: Float32Array
}

interface Placed {
  readonly name: string
  readonly shape: readonly number[]
  readonly length: number
  /** First element in the vector [P]. */
  readonly offset: number
  /** First byte in the block on `simd`; parts start on whole vectors of 4 floats there. */
  readonly byte: number
}

/** Where the vector lies on `simd`. */
export interface Block {
  readonly backend: SimdBackend
  readonly pointer: number
  readonly bytes: number
}

/** A zeroed block of `bytes` bytes that stays until it is released. */
export function zeroBlock(backend: SimdBackend, bytes: number): Block {
  const pointer = backend.allocator.allocate(bytes)
  backend.kernels.fill(pointer, 0, bytes / 4)
  return { backend, pointer, bytes }
}

/**
 * P floats with a name for every part. Made while `simd` is current, the vector is one block of tensor memory and each
 * variable a window into it, so that an optimiser step or a copy is one pass over memory. Variables that were
 * reassigned or moved to another backend meanwhile are taken back into the block at the next use here.
 *
 * Windows share memory: `clone`, `identity` and `reshape` of a variable change with the next step.
 */
export class FlatParameters {
  readonly parts: readonly Placed[]
  /** In the order of the parts; each owned here, so call `dispose` here and not on them. */
  readonly variables: readonly tf.Variable[]
  /** P, floats in all. */
  readonly size: number
  /** On `simd` the block that holds the vector, else null. */
  readonly block: Block | null
  private readonly byName = new Map<string, tf.Variable>()

  constructor(parts: readonly ParameterPart[]) {
    let offset = 0
    let byte = 0
    this.parts = parts.map(({ name, shape, values }) => {
      const length = shape.reduce((product, size) => product * size, 1)
      if (values.length !== length) {
        const got = `${values.length} floats`
        throw new TroupeError('bad-usage', { where: `parameters: "${name}"`, got, expected: `${length}` })
      }
      const placed = { name, shape, length, offset, byte }
      offset += length
      byte += ((length + 3) & ~3) * 4
      return placed
    })
    this.size = offset
    const backend = currentSimd()
    this.block = backend === null ? null : zeroBlock(backend, byte)
    this.variables = this.parts.map((part, i) => {
      if (this.byName.has(part.name)) {
        const got = 'named twice'
        throw new TroupeError('bad-usage', { where: `parameters: "${part.name}"`, got, expected: 'names of their own' })
      }
      const initial = this.block === null ? tf.tensor(parts[i].values.slice(), [...part.shape]) : this.windowOf(part)
      const variable = tf.variable(initial, true)
      initial.dispose()
      this.byName.set(part.name, variable)
      return variable
    })
    if (this.block !== null) parts.forEach(({ values }, i) => this.viewOf(this.parts[i]).set(values))
  }

  /** The variable of a part; unknown names throw. */
  get(name: string): tf.Variable {
    const variable = this.byName.get(name)
    if (variable === undefined) {
      const expected = `one of ${this.parts.map((part) => part.name).join(', ')}`
      throw new TroupeError('bad-usage', { where: 'parameters: name', got: `"${name}"`, expected })
    }
    return variable
  }

  /** The whole vector, written into `out` [P]. */
  read(out: Float32Array = new Float32Array(this.size)): Float32Array {
    this.settle()
    this.parts.forEach((part, i) => {
      const values = this.block === null ? (this.variables[i].dataSync() as Float32Array) : this.viewOf(part)
      out.set(values, part.offset)
    })
    return out
  }

  /** Replaces the whole vector [P]. */
  write(values: Float32Array): void {
    if (values.length !== this.size) {
      const expected = `${this.size}`
      throw new TroupeError('bad-usage', { where: 'parameters: write', got: `${values.length} floats`, expected })
    }
    this.settle()
    this.parts.forEach((part, i) => {
      const own = values.subarray(part.offset, part.offset + part.length)
      if (this.block !== null) this.viewOf(part).set(own)
      else {
        // A copy, because the cpu backend keeps the array it is given.
        const fresh = tf.tensor(own.slice(), [...part.shape])
        this.variables[i].assign(fresh)
        fresh.dispose()
      }
    })
  }

  /**
   * this ← this + tau · (online − this), for target networks with the same parts.
   * @param tau 1 copies, less is Polyak averaging
   */
  follow(online: FlatParameters, tau = 1): void {
    if (online.size !== this.size || online.parts.length !== this.parts.length) {
      const got = `${online.size} floats in ${online.parts.length} parts`
      const expected = `${this.size} in ${this.parts.length}`
      throw new TroupeError('bad-usage', { where: 'parameters: follow', got, expected })
    }
    this.settle()
    online.settle()
    if (this.block !== null && this.block.backend === online.block?.backend) {
      const { backend, pointer, bytes } = this.block
      backend.kernels.follow(pointer, online.block.pointer, tau, bytes / 4)
      return
    }
    this.variables.forEach((target, i) => {
      const source = online.variables[i]
      const moved = tf.tidy(() => (tau === 1 ? tf.add(source, 0) : tf.add(target, tf.mul(tf.sub(source, target), tau))))
      target.assign(moved)
      moved.dispose()
    })
    this.settle()
  }

  /**
   * Gradients as one vector [P] in the order of the parts; a part without a gradient counts as zero.
   * @param gradients by name of variable, as `tf.variableGrads` returns them
   */
  flatten(gradients: tf.NamedTensorMap, out: Float32Array = new Float32Array(this.size)): Float32Array {
    this.parts.forEach(({ offset, length }, i) => {
      const gradient = gradients[this.variables[i].name] as tf.Tensor | undefined
      if (gradient === undefined || gradient === null) out.fill(0, offset, offset + length)
      else out.set(gradient.dataSync() as Float32Array, offset)
    })
    return out
  }

  dispose(): void {
    for (const variable of this.variables) variable.dispose()
    if (this.block !== null) this.block.backend.allocator.release(this.block.pointer, this.block.bytes)
  }

  /** On `simd`: makes sure that every variable is the window it was, taking in values assigned meanwhile. */
  settle(): void {
    if (this.block === null) return
    const { backend, pointer } = this.block
    for (let i = 0; i < this.parts.length; i++) {
      const part = this.parts[i]
      const variable = this.variables[i]
      const cell = variable.dataId as Cell
      if (cell.window && cell.pointer === pointer + part.byte) continue
      backend.kernels.follow(pointer + part.byte, backend.at(variable), 1, part.length)
      const window = this.windowOf(part)
      variable.assign(window)
      window.dispose()
    }
  }

  private windowOf(part: Placed): tf.Tensor {
    const { backend, pointer } = this.block as Block
    return backend.tensor(backend.window(pointer + part.byte, [...part.shape], part.length))
  }

  private viewOf(part: Placed): Float32Array {
    const { backend, pointer } = this.block as Block
    return new Float32Array(backend.allocator.memory.buffer, pointer + part.byte, part.length)
  }
}
