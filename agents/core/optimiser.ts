/** Adam and the clip of the gradient norm on one flat parameter vector, in the order of torch 2: exact and backend-free. */

/** Moments of one flat vector, as they are saved. */
export interface AdamState {
  readonly mean: Float32Array
  readonly square: Float32Array
  /** beta1^t and beta2^t, kept as running products (`Math.pow` may differ between engines). */
  power1: number
  power2: number
  steps: number
}

export interface AdamSettings {
  readonly beta1?: number // default .9
  readonly beta2?: number // default .999
  readonly epsilon?: number // default 1e-5, as the MAPPO reference
}

/**
 * Adam (Kingma and Ba 2015) as torch 2 writes it: epsilon is added after the bias-corrected square root.
 * Sums in float64, stores in float32.
 */
export class Adam {
  readonly state: AdamState
  private readonly beta1: number
  private readonly beta2: number
  private readonly epsilon: number

  constructor(size: number, settings: AdamSettings = {}) {
    this.state = { mean: new Float32Array(size), square: new Float32Array(size), power1: 1, power2: 1, steps: 0 }
    this.beta1 = settings.beta1 ?? 0.9
    this.beta2 = settings.beta2 ?? 0.999
    this.epsilon = settings.epsilon ?? 1e-5
  }

  /** One step downhill: changes `values` in place. */
  step(values: Float32Array, gradient: Float32Array, lr: number): void {
    const { beta1, beta2, epsilon, state } = this
    const { mean, square } = state
    state.steps++
    state.power1 *= beta1
    state.power2 *= beta2
    const size = lr / (1 - state.power1)
    const root = Math.sqrt(1 - state.power2)
    for (let i = 0; i < values.length; i++) {
      const g = gradient[i]
      const m = (mean[i] = beta1 * mean[i] + (1 - beta1) * g)
      const v = (square[i] = beta2 * square[i] + (1 - beta2) * g * g)
      values[i] -= (size * m) / (Math.sqrt(v) / root + epsilon)
    }
  }
}

/** Euclidean length of the whole vector, in float64. */
export function gradientNorm(gradient: Float32Array): number {
  let sum = 0
  for (let i = 0; i < gradient.length; i++) sum += gradient[i] * gradient[i]
  return Math.sqrt(sum)
}

/**
 * Scales a gradient down to a greatest norm, as torch's clip_grad_norm_ (1e-6 beside the norm).
 * One call per optimiser: the norm is that of all its parameters together.
 * @returns the norm before clipping
 */
export function clipNorm(gradient: Float32Array, greatest: number): number {
  const norm = gradientNorm(gradient)
  const scale = greatest / (norm + 1e-6)
  if (scale < 1) for (let i = 0; i < gradient.length; i++) gradient[i] *= scale
  return norm
}
