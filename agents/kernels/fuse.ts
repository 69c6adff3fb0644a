/** How a fused op enters the TensorFlow.js engine: one tape node, eager joint gradients, any number of outputs. */
import * as tf from '#tensorflow'

type Save = (tensors: tf.Tensor[]) => void
type Thunk = () => tf.Tensor

/** The engine's own entry for custom gradients; `tf.customGrad` is this with exactly one output. */
interface KernelRunner {
  runKernelFunc(call: {
    forwardFunc: (backend: unknown, save: Save) => tf.Tensor | tf.Tensor[]
    backwardsFunc: (dy: tf.Tensor | tf.Tensor[], saved: tf.Tensor[]) => Record<string, Thunk>
    inputs: Record<string, tf.Tensor>
  }): tf.Tensor | tf.Tensor[]
}

/**
 * Runs one op with a hand-written gradient.
 *
 * `backward` gets one gradient per output and returns one thunk per input, called only for inputs that the
 * differentiation needs. Whatever several thunks share must be computed in the body of `backward`: each thunk runs in
 * its own `tidy`, so a tensor made in the first would be gone in the second, without an error until it is read.
 */
export function fuse(
  inputs: readonly tf.Tensor[],
  forward: (save: Save) => tf.Tensor[],
  backward: (dys: tf.Tensor[], saved: tf.Tensor[]) => readonly Thunk[],
): tf.Tensor[] {
  const named: Record<string, tf.Tensor> = {}
  for (let i = 0; i < inputs.length; i++) named[i] = inputs[i]
  const engine = tf.engine() as unknown as KernelRunner
  const outputs = engine.runKernelFunc({
    inputs: named,
    forwardFunc: (_backend, save) => forward(save),
    backwardsFunc: (dy, saved) => {
      const thunks = backward(Array.isArray(dy) ? dy : [dy], saved)
      const byName: Record<string, Thunk> = {}
      for (let i = 0; i < thunks.length; i++) byName[i] = thunks[i]
      return byName
    },
  })
  return outputs as tf.Tensor[]
}
