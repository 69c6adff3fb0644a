/** Several networks that learn from one loss: one gradient over all their parameters, one step of all, and their targets. */
import { fusedAdam, fusedRmsProp, type FlatParameters, type FusedOptimiser, type Recurrence } from '../kernels/index.ts'
import { type SavedTensor, type Tensors } from './checkpoint.ts'
import { requireFinite, type Kept, type SavedNetwork } from './learner.ts'
import { type Sequences } from './networks.ts'
import { TroupeError } from '../../envs/core/index.ts'
import { tf } from './tensors.ts'

/** A network as a function of its input and its weights. `Network` is one; so may others be. */
export interface Learnable extends SavedNetwork {
  readonly shape: { readonly name: string; readonly inputs: number; readonly outputs: number }
  readonly parameters: FlatParameters
  /** Numbers it carries from step to step in every row; 0 without memory. */
  readonly memory: number
  apply(x: tf.Tensor2D, weights: readonly tf.Tensor[], sequences?: Sequences): tf.Tensor2D
  infer(input: Float32Array, rows: number, out: Float32Array, recurrence?: Recurrence): void
  changed(): void
}

/** The weights of each network, in the order of its parameters. */
export type Weights = readonly (readonly tf.Tensor[])[]

/** As they are now, for a forward pass that nobody differentiates. */
export function weightsOf(networks: readonly Learnable[]): Weights {
  for (const { parameters } of networks) parameters.settle()
  return networks.map(({ parameters }) => parameters.variables)
}

/**
 * Writes d loss / d parameters of every network. Every tensor made on the way is gone afterwards.
 * @param gradients of each network, [P] each, overwritten
 * @returns the loss
 */
export function differentiateTogether(
  networks: readonly Learnable[],
  loss: (weights: Weights) => tf.Scalar,
  gradients: readonly Float32Array[],
): number {
  let result = NaN
  for (const { parameters } of networks) parameters.settle()
  tf.tidy(() => {
    const apart = (all: readonly tf.Tensor[]): tf.Tensor[][] => {
      let at = 0
      return networks.map(({ parameters }) => all.slice(at, (at += parameters.variables.length)))
    }
    const variables = networks.flatMap(({ parameters }) => [...parameters.variables])
    const { value, grads } = tf.valueAndGrads((...all: tf.Tensor[]) => loss(apart(all)))(variables)
    apart(grads).forEach((own, k) =>
      own.forEach((grad, part) => gradients[k].set(grad.dataSync(), networks[k].slices[part].from)),
    )
    result = value.dataSync()[0]
  })
  return result
}

export interface JointSettings {
  readonly optimiser: 'adam' | 'rmsprop'
  /** Greatest norm of all gradients together. */
  readonly gradientNorm: number
}

/** One step of all networks along one gradient; its norm is that of all parameters together. */
export class JointDescent {
  /** In the order of the networks, for checkpoints. */
  readonly parts: readonly { readonly net: Learnable; readonly optimiser: FusedOptimiser }[]
  /** Of each network, [P]: to be written before `step`. */
  readonly gradients: readonly Float32Array[]
  private readonly who: string
  private readonly gradientNorm: number

  constructor(who: string, networks: readonly Learnable[], { optimiser, gradientNorm }: JointSettings) {
    this.who = who
    this.gradientNorm = gradientNorm
    this.gradients = networks.map(({ size }) => new Float32Array(size))
    this.parts = networks.map((net) => ({
      net,
      optimiser: optimiser === 'adam' ? fusedAdam(net.parameters, { lr: 0 }) : fusedRmsProp(net.parameters, { lr: 0 }),
    }))
  }

  /**
   * @param steps environment steps, for messages
   * @returns the norm before clipping
   * @throws TroupeError diverged; then no network has changed
   */
  step(lr: number, loss: number, steps: number): number {
    const { gradients, parts, who, gradientNorm } = this
    let squares = 0
    for (const gradient of gradients) for (let i = 0; i < gradient.length; i++) squares += gradient[i] * gradient[i]
    const norm = Math.sqrt(squares)
    if (!Number.isFinite(norm) || !Number.isFinite(loss)) {
      parts.forEach(({ net }, k) => requireFinite(who, 'gradient', net, gradients[k], steps))
      requireFinite(who, 'gradient', parts[0].net, gradients[0], steps, Number.isFinite(loss) ? norm : loss)
    }
    const scale = Math.min(1, gradientNorm / (norm + 1e-6)) // torch's clip_grad_norm_
    parts.forEach(({ net, optimiser }, k) => {
      const gradient = gradients[k]
      if (scale < 1) for (let i = 0; i < gradient.length; i++) gradient[i] *= scale
      optimiser.lr = lr
      optimiser.stepFlat(gradient)
      net.changed()
    })
    return norm
  }

  dispose(): void {
    for (const { net, optimiser } of this.parts) {
      optimiser.dispose()
      net.dispose()
    }
  }
}

/** Networks that follow others of the same shapes. */
export class Targets implements Kept {
  readonly networks: readonly Learnable[]
  private readonly online: readonly Learnable[]

  /** @param networks fresh ones, in the order of `online`; they start equal */
  constructor(networks: readonly Learnable[], online: readonly Learnable[]) {
    this.networks = networks
    this.online = online
    this.follow(1)
  }

  /** @param rate 1 copies, less goes part of the way */
  follow(rate: number): void {
    this.networks.forEach((net, k) => {
      net.parameters.follow(this.online[k].parameters, rate)
      net.changed()
    })
  }

  save(): Tensors {
    const tensors: Record<string, SavedTensor> = {}
    for (const net of this.networks) {
      const values = net.read()
      for (const { name, shape, from, to } of net.slices) tensors[name] = { shape, data: values.slice(from, to) }
    }
    return tensors
  }

  load(tensors: Tensors, where: string): () => void {
    const vectors = this.networks.map((net) => {
      const values = new Float32Array(net.size)
      for (const { name, shape, from } of net.slices) {
        const tensor = tensors[name] as SavedTensor | undefined
        if (tensor?.shape.join() !== shape.join()) {
          const got = tensor === undefined ? 'missing' : `of shape [${tensor.shape.join(', ')}]`
          throw new TroupeError('bad-file', {
            where: `${where}: ${name}`,
            got,
            expected: `of shape [${shape.join(', ')}]`,
          })
        }
        values.set(tensor.data, from)
      }
      return values
    })
    return () => this.networks.forEach((net, k) => net.write(vectors[k]))
  }

  dispose(): void {
    for (const net of this.networks) net.dispose()
  }
}
