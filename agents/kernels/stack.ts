/** Dense layers one after the other as one op: the same products as so many `dense` calls, with one entry on the tape. */
import type * as tf from '#tensorflow'
import { currentSimd, type SimdBackend } from './backend.ts'
import { fuse } from './fuse.ts'
import { gemm } from './kernels.ts'
import { BINARY, UNARY } from './opcodes.ts'
import { dense } from './ops.ts'
import { type Activation } from './shapes.ts'

export interface DenseLayer {
  readonly weight: tf.Tensor2D // [K, N]
  readonly bias: tf.Tensor1D // [N]
  readonly activation: Activation
}

/**
 * activation(x · weight + bias), layer after layer.
 * @param x [M, K of the first layer]
 * @returns [M, N of the last layer]
 */
export function denseStack(x: tf.Tensor2D, layers: readonly DenseLayer[]): tf.Tensor2D {
  const simd = currentSimd()
  if (simd !== null && layers.length > 1 && x.dtype === 'float32') return denseStackSimd(simd, x, layers)
  return layers.reduce((out, { weight, bias, activation }) => dense(out, weight, bias, activation) as tf.Tensor2D, x)
}

function denseStackSimd(backend: SimdBackend, x: tf.Tensor2D, layers: readonly DenseLayer[]): tf.Tensor2D {
  const { kernels } = backend
  const [m] = x.shape
  const inputs = [x, ...layers.flatMap(({ weight, bias }) => [weight, bias])]
  const [y] = fuse(
    inputs,
    (save) => {
      let from: tf.Tensor = x
      const outputs = layers.map(({ weight, bias, activation }) => {
        const [k, n] = weight.shape
        const info = backend.empty([m, n])
        const to = backend.at(info)
        const how = { bias: backend.at(bias), relu: activation === 'relu' }
        gemm(backend, backend.at(from), backend.at(weight), to, { m, n, k }, how)
        if (activation === 'tanh') kernels.unary(UNARY.Tanh, to, to, m * n, 0)
        return (from = backend.tensor(info))
      })
      save([x, ...layers.map(({ weight }) => weight), ...outputs])
      return [outputs[outputs.length - 1]]
    },
    ([dy], saved) => {
      const count = layers.length
      const weights = saved.slice(1, 1 + count)
      const sources = [saved[0], ...saved.slice(1 + count)] // what each layer saw; the last is what came out
      const gradients: tf.Tensor[] = []
      let slope = dy // of the loss, in what the layer at hand gives
      for (let layer = count - 1; layer >= 0; layer--) {
        const [k, n] = layers[layer].weight.shape
        const { activation } = layers[layer]
        if (activation !== 'none') {
          const info = backend.empty([m, n])
          const op = activation === 'relu' ? BINARY.ReluGrad : BINARY.TanhGrad
          const [d, out, to] = [backend.at(slope), backend.at(sources[layer + 1]), backend.at(info)]
          kernels.binary(op, d, out, to, 1, 1, 1, m * n, 0, 0, 0, 1, 0, 0, 0, 1)
          slope = backend.tensor(info)
        }
        const [dWeight, dBias] = [backend.empty([k, n]), backend.empty([n])]
        const d = backend.at(slope)
        const sizes = { m: k, n, k: m }
        gemm(backend, backend.at(sources[layer]), d, backend.at(dWeight), sizes, { transposeA: true })
        kernels.sum(d, backend.at(dBias), 1, m, n, 1)
        gradients.unshift(backend.tensor(dWeight), backend.tensor(dBias))
        if (layer > 0) slope = throughWeights(backend, slope, weights[layer], m)
      }
      // The slope in x costs a product, and first layers do not want it.
      return [() => throughWeights(backend, slope, weights[0], m), ...gradients.map((gradient) => () => gradient)]
    },
  )
  return y as tf.Tensor2D
}

/** d · weightᵀ [M, K]. */
function throughWeights(backend: SimdBackend, d: tf.Tensor, weight: tf.Tensor, m: number): tf.Tensor {
  const [k, n] = weight.shape
  const info = backend.empty([m, k])
  gemm(backend, backend.at(d), backend.at(weight), backend.at(info), { m, n: k, k: n }, { transposeB: true })
  return backend.tensor(info)
}
