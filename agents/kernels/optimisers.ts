/**
 * Adam and RMSProp over one flat parameter vector, in place, with clipping by the global norm.
 * On `simd` a step is two kernel calls per part; elsewhere the same arithmetic is written in public TensorFlow.js ops.
 */
import * as tf from '#tensorflow'
import { TroupeError } from '../../envs/core/index.ts'
import { type Block, type FlatParameters, zeroBlock } from './parameters.ts'

/** Everything an optimiser carries between steps. */
export interface OptimiserState {
  readonly steps: number
  /** One [P] vector per moment: Adam first and second, RMSProp the mean square. */
  readonly moments: readonly Float32Array[]
}

export interface FusedOptimiser {
  /** Learning rate of the next step; schedules write here. */
  lr: number
  /**
   * One step from gradients named after the variables, as `tf.variableGrads` returns them; they are not disposed.
   * @returns the global norm before clipping; NaN or infinity when training has diverged, and then nothing was changed
   */
  step(gradients: tf.NamedTensorMap): number
  /** One step from a flat gradient [P], for gradients summed over shards. */
  stepFlat(gradient: Float32Array): number
  save(): OptimiserState
  load(state: OptimiserState): void
  dispose(): void
}

/** Added to the norm before dividing, as torch's clip_grad_norm_ has it. */
const NORM_EPSILON = 1e-6

/** What gradients are multiplied by so that their norm is at most `maxNorm`. */
function clipScale(norm: number, maxNorm: number): number {
  return maxNorm === Infinity ? 1 : Math.min(1, maxNorm / (norm + NORM_EPSILON))
}

/** x to a whole power by products alone: `**` may differ between engines. */
function power(x: number, exponent: number): number {
  let [out, square] = [1, x]
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) out *= square
    square *= square
  }
  return out
}

interface Rule {
  /** How many vectors of moments. */
  readonly moments: number
  /** Advances the moments and gives the change to subtract, in public ops. */
  change(gradient: tf.Tensor, moments: tf.Variable[], steps: number, lr: number): tf.Tensor
  /** The same for n floats by address, parameters included. */
  kernel(
    block: Block,
    p: number,
    g: number,
    moments: number[],
    n: number,
    scale: number,
    steps: number,
    lr: number,
  ): void
}

/** The optimiser in public ops. */
class ComposedOptimiser implements FusedOptimiser {
  private steps = 0
  private readonly moments: tf.Variable[] = []

  constructor(
    private readonly parameters: FlatParameters,
    private readonly rule: Rule,
    public lr: number,
    private readonly maxNorm: number,
  ) {
    for (let i = 0; i < rule.moments; i++) {
      const zeros = tf.zeros([parameters.size])
      this.moments.push(tf.variable(zeros, false))
      zeros.dispose()
    }
  }

  step(gradients: tf.NamedTensorMap): number {
    return this.stepFlat(this.parameters.flatten(gradients))
  }

  stepFlat(gradient: Float32Array): number {
    const { parameters, moments, rule } = this
    checkLength('gradient', gradient.length, parameters.size)
    let sum = 0
    for (let i = 0; i < gradient.length; i++) sum += gradient[i] * gradient[i]
    const norm = Math.sqrt(sum)
    if (!Number.isFinite(norm)) return norm
    this.steps++
    if (parameters.size === 0) return norm
    tf.tidy(() => {
      const clipped = tf.mul(tf.tensor1d(gradient.slice()), clipScale(norm, this.maxNorm))
      const change = rule.change(clipped, moments, this.steps, this.lr)
      parameters.variables.forEach((variable, i) => {
        const { offset, length } = parameters.parts[i]
        variable.assign(tf.sub(variable, tf.reshape(tf.slice(change, offset, length), variable.shape)))
      })
    })
    return norm
  }

  save(): OptimiserState {
    return { steps: this.steps, moments: this.moments.map((moment) => moment.dataSync().slice() as Float32Array) }
  }

  load(state: OptimiserState): void {
    checkMoments(state, this.rule.moments, this.parameters.size)
    this.steps = state.steps
    tf.tidy(() => this.moments.forEach((moment, i) => moment.assign(tf.tensor1d(state.moments[i].slice()))))
  }

  dispose(): void {
    for (const moment of this.moments) moment.dispose()
  }
}

/** The optimiser by address; moments lie as the parameters do. */
class SimdOptimiser implements FusedOptimiser {
  private steps = 0
  private readonly moments: Block[]
  /** A gradient that did not come as tensors, and zeros for parts without one. */
  private readonly gradient: Block

  constructor(
    private readonly parameters: FlatParameters,
    private readonly block: Block,
    private readonly rule: Rule,
    public lr: number,
    private readonly maxNorm: number,
  ) {
    this.moments = Array.from({ length: rule.moments }, () => zeroBlock(block.backend, block.bytes))
    this.gradient = zeroBlock(block.backend, block.bytes)
  }

  step(gradients: tf.NamedTensorMap): number {
    const { parameters, block, gradient } = this
    const { backend } = block
    parameters.settle()
    const pointers = parameters.parts.map(({ byte, length }, i) => {
      const own = gradients[parameters.variables[i].name] as tf.Tensor | undefined
      if (own !== undefined && own !== null) return backend.at(own)
      backend.kernels.fill(gradient.pointer + byte, 0, length)
      return gradient.pointer + byte
    })
    return this.apply(pointers)
  }

  stepFlat(vector: Float32Array): number {
    const { parameters, gradient, block } = this
    checkLength('gradient', vector.length, parameters.size)
    parameters.settle()
    const { buffer } = block.backend.allocator.memory
    const pointers = parameters.parts.map(({ offset, length, byte }) => {
      new Float32Array(buffer, gradient.pointer + byte, length).set(vector.subarray(offset, offset + length))
      return gradient.pointer + byte
    })
    return this.apply(pointers)
  }

  private apply(pointers: readonly number[]): number {
    const { parameters, block, rule, moments } = this
    const { kernels } = block.backend
    const { parts } = parameters
    let sum = 0
    for (let i = 0; i < parts.length; i++) sum += kernels.sumSquares(pointers[i], parts[i].length)
    const norm = Math.sqrt(sum)
    if (!Number.isFinite(norm)) return norm
    const scale = clipScale(norm, this.maxNorm)
    this.steps++
    for (let i = 0; i < parts.length; i++) {
      const { byte, length } = parts[i]
      const own = moments.map((moment) => moment.pointer + byte)
      rule.kernel(block, block.pointer + byte, pointers[i], own, length, scale, this.steps, this.lr)
    }
    return norm
  }

  save(): OptimiserState {
    const { parts, size } = this.parameters
    const { buffer } = this.block.backend.allocator.memory
    const moments = this.moments.map(({ pointer }) => {
      const vector = new Float32Array(size)
      for (const { byte, offset, length } of parts) vector.set(new Float32Array(buffer, pointer + byte, length), offset)
      return vector
    })
    return { steps: this.steps, moments }
  }

  load(state: OptimiserState): void {
    const { parts, size } = this.parameters
    checkMoments(state, this.rule.moments, size)
    this.steps = state.steps
    const { buffer } = this.block.backend.allocator.memory
    this.moments.forEach(({ pointer }, i) => {
      for (const { byte, offset, length } of parts) {
        new Float32Array(buffer, pointer + byte, length).set(state.moments[i].subarray(offset, offset + length))
      }
    })
  }

  dispose(): void {
    for (const { backend, pointer, bytes } of [...this.moments, this.gradient])
      backend.allocator.release(pointer, bytes)
  }
}

function checkLength(what: string, length: number, size: number): void {
  if (length !== size) {
    throw new TroupeError('bad-usage', { where: `optimiser: ${what}`, got: `${length} floats`, expected: `${size}` })
  }
}

function checkMoments(state: OptimiserState, count: number, size: number): void {
  if (state.moments.length !== count || state.moments.some((moment) => moment.length !== size)) {
    throw new TroupeError('bad-usage', {
      where: 'optimiser: saved state',
      got: `moments of ${state.moments.map((moment) => moment.length).join(' and ') || 'nothing'}`,
      expected: `${count} of ${size} floats`,
    })
  }
}

function optimiser(parameters: FlatParameters, rule: Rule, lr: number, maxNorm: number): FusedOptimiser {
  const { block } = parameters
  return block === null
    ? new ComposedOptimiser(parameters, rule, lr, maxNorm)
    : new SimdOptimiser(parameters, block, rule, lr, maxNorm)
}

/**
 * Adam (Kingma and Ba 2015) as torch computes it: ε is added to √(v / (1 − β₂ᵗ)).
 * @param maxNorm gradients are scaled down to this global norm; left out = never
 */
export function fusedAdam(
  parameters: FlatParameters,
  settings: { lr: number; beta1?: number; beta2?: number; epsilon?: number; maxNorm?: number },
): FusedOptimiser {
  const { lr, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, maxNorm = Infinity } = settings
  const rule: Rule = {
    moments: 2,
    change(gradient, [first, second], steps, rate) {
      first.assign(tf.add(tf.mul(first, beta1), tf.mul(gradient, 1 - beta1)))
      second.assign(tf.add(tf.mul(second, beta2), tf.mul(tf.square(gradient), 1 - beta2)))
      const root = tf.mul(tf.sqrt(second), 1 / Math.sqrt(1 - power(beta2, steps)))
      return tf.mul(tf.div(first, tf.add(root, epsilon)), rate / (1 - power(beta1, steps)))
    },
    kernel({ backend }, p, g, [m, v], n, scale, steps, rate) {
      const root = 1 / Math.sqrt(1 - power(beta2, steps))
      const step = rate / (1 - power(beta1, steps))
      backend.kernels.adam(p, g, m, v, n, scale, beta1, beta2, 1 - beta1, 1 - beta2, step, root, epsilon)
    },
  }
  return optimiser(parameters, rule, lr, maxNorm)
}

/**
 * RMSProp as torch computes it: mean square from 0, ε added to its root. (Some TensorFlow builds start at 1 and keep ε
 * inside the root; results differ.)
 * @param maxNorm gradients are scaled down to this global norm; left out = never
 */
export function fusedRmsProp(
  parameters: FlatParameters,
  settings: { lr: number; alpha?: number; epsilon?: number; maxNorm?: number },
): FusedOptimiser {
  const { lr, alpha = 0.99, epsilon = 1e-5, maxNorm = Infinity } = settings
  const rule: Rule = {
    moments: 1,
    change(gradient, [square], _steps, rate) {
      square.assign(tf.add(tf.mul(square, alpha), tf.mul(tf.square(gradient), 1 - alpha)))
      return tf.mul(tf.div(gradient, tf.add(tf.sqrt(square), epsilon)), rate)
    },
    kernel({ backend }, p, g, [square], n, scale, _steps, rate) {
      backend.kernels.rmsProp(p, g, square, n, scale, alpha, 1 - alpha, rate, epsilon)
    },
  }
  return optimiser(parameters, rule, lr, maxNorm)
}
