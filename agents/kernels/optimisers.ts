/**
 * Optimisers over one flat parameter vector, with clipping by the global norm, in place.
 * On `simd` every variable is a window into the vector and a step is a handful of kernel calls; elsewhere the same
 * arithmetic is written in public TensorFlow.js ops.
 */
import * as tf from '@tensorflow/tfjs'
import { TroupeError } from '../../envs/core/index.ts'

/** One named tensor of a network. */
export interface ParameterPart {
  readonly name: string
  readonly shape: readonly number[]
  readonly values: Float32Array
}

/**
 * The weights of a learner as one vector of P floats, seen through one variable per part.
 * The variables are what networks compute with and what `tf.variableGrads` is given.
 */
export class FlatParameters {
  readonly parts: readonly { readonly name: string; readonly shape: readonly number[]; readonly offset: number }[]
  /** In the order of the parts; each owned here, so call `dispose` here and not on them. */
  readonly variables: readonly tf.Variable[]
  /** P, floats in all. */
  readonly size: number
  private readonly byName = new Map<string, tf.Variable>()

  constructor(parts: readonly ParameterPart[]) {
    let offset = 0
    const placed = []
    const variables = []
    for (const { name, shape, values } of parts) {
      const size = shape.reduce((product, length) => product * length, 1)
      if (values.length !== size || this.byName.has(name)) {
        throw new TroupeError('bad-usage', {
          where: `parameters: "${name}" of shape [${shape.join(', ')}]`,
          got: this.byName.has(name) ? 'named twice' : `${values.length} floats`,
          expected: `${size} floats under a name of its own`,
        })
      }
      placed.push({ name, shape, offset })
      const initial = tf.tensor(values, [...shape], 'float32')
      const variable = tf.variable(initial, true)
      initial.dispose()
      variables.push(variable)
      this.byName.set(name, variable)
      offset += size
    }
    this.parts = placed
    this.variables = variables
    this.size = offset
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

  /** A copy of the whole vector [P], or the vector written into `out`. */
  read(out: Float32Array = new Float32Array(this.size)): Float32Array {
    for (let i = 0; i < this.variables.length; i++) {
      out.set(this.variables[i].dataSync() as Float32Array, this.parts[i].offset)
    }
    return out
  }

  /** Replaces the whole vector [P]. */
  write(values: Float32Array): void {
    if (values.length !== this.size) {
      const expected = `${this.size}`
      throw new TroupeError('bad-usage', { where: 'parameters: write', got: `${values.length} floats`, expected })
    }
    for (let i = 0; i < this.variables.length; i++) {
      const { offset, shape } = this.parts[i]
      const variable = this.variables[i]
      const fresh = tf.tensor(values.slice(offset, offset + variable.size), [...shape], 'float32')
      variable.assign(fresh)
      fresh.dispose()
    }
  }

  /** this ← this + tau · (online − this): 1 copies, less is Polyak averaging. For target networks of the same parts. */
  follow(online: FlatParameters, tau = 1): void {
    for (let i = 0; i < this.variables.length; i++) {
      const target = this.variables[i]
      const moved = tf.tidy(() =>
        tau === 1 ? tf.add(online.variables[i], 0) : tf.add(target, tf.mul(tf.sub(online.variables[i], target), tau)),
      )
      target.assign(moved)
      moved.dispose()
    }
  }

  dispose(): void {
    for (const variable of this.variables) variable.dispose()
  }

  /** Gradients as one vector [P] in the order of the parts; a part without a gradient counts as zero. */
  flatten(gradients: tf.NamedTensorMap, out: Float32Array = new Float32Array(this.size)): Float32Array {
    for (let i = 0; i < this.variables.length; i++) {
      const variable = this.variables[i]
      const { offset } = this.parts[i]
      const gradient = gradients[variable.name]
      if (gradient == null) out.fill(0, offset, offset + variable.size)
      else out.set(gradient.dataSync() as Float32Array, offset)
    }
    return out
  }
}

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
   * @returns the global norm before clipping
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

interface Rule {
  readonly moments: number
  /** Advances the moments and gives the change to subtract, in public ops. */
  change(gradient: tf.Tensor, moments: tf.Variable[], steps: number, lr: number): tf.Tensor
}

class ComposedOptimiser implements FusedOptimiser {
  lr: number
  private steps = 0
  private readonly moments: tf.Variable[] = []

  constructor(
    private readonly parameters: FlatParameters,
    private readonly rule: Rule,
    lr: number,
    private readonly maxNorm: number,
  ) {
    this.lr = lr
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
    const { parameters, moments, rule, maxNorm } = this
    let sum = 0
    for (let i = 0; i < gradient.length; i++) sum += gradient[i] * gradient[i]
    const norm = Math.sqrt(sum)
    this.steps++
    if (parameters.size === 0) return norm
    const scale = Math.min(1, maxNorm / (norm + NORM_EPSILON))
    tf.tidy(() => {
      const clipped = tf.mul(tf.tensor1d(gradient, 'float32'), maxNorm === Infinity ? 1 : scale)
      const change = rule.change(clipped, moments, this.steps, this.lr)
      for (let i = 0; i < parameters.variables.length; i++) {
        const variable = parameters.variables[i]
        const part = tf.reshape(tf.slice(change, parameters.parts[i].offset, variable.size), variable.shape)
        variable.assign(tf.sub(variable, part))
      }
    })
    return norm
  }

  save(): OptimiserState {
    return { steps: this.steps, moments: this.moments.map((moment) => moment.dataSync().slice() as Float32Array) }
  }

  load(state: OptimiserState): void {
    checkMoments(state, this.rule.moments, this.parameters.size)
    this.steps = state.steps
    tf.tidy(() => this.moments.forEach((moment, i) => moment.assign(tf.tensor1d(state.moments[i].slice(), 'float32'))))
  }

  dispose(): void {
    for (const moment of this.moments) moment.dispose()
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
      const root = tf.mul(tf.sqrt(second), 1 / Math.sqrt(1 - beta2 ** steps))
      return tf.mul(tf.div(first, tf.add(root, epsilon)), rate / (1 - beta1 ** steps))
    },
  }
  return new ComposedOptimiser(parameters, rule, lr, maxNorm)
}

/**
 * RMSProp as torch computes it: mean square from 0, ε added to its root. (Some TensorFlow builds start at 1 and keep ε
 * inside the root; results differ.)
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
  }
  return new ComposedOptimiser(parameters, rule, lr, maxNorm)
}
