/** Makes the `simd` backend known to TensorFlow.js. */
import * as tf from '#tensorflow'
import { SimdBackend, type SimdOptions } from './backend.ts'
import { OVERRIDES } from './kernels.ts'

export const SIMD = 'simd'

/**
 * Registers the backend under the name `simd` (again, if it was before: tensors of the earlier one are lost).
 * Every CPU kernel of TensorFlow.js is registered for it too, ours take precedence. Then `tf.setBackend('simd')`.
 * @param bytes simd.wasm, or fma.wasm with `relaxed: true`
 */
export function registerSimd(bytes: Uint8Array<ArrayBuffer>, options: SimdOptions = {}): SimdBackend {
  const backend = new SimdBackend(bytes, options)
  if (tf.findBackendFactory(SIMD) !== null) {
    tf.removeBackend(SIMD)
    for (const kernel of tf.getKernelsForBackend(SIMD)) tf.unregisterKernel(kernel.kernelName, SIMD)
  }
  // Below cpu (1), so that registering alone does not change the default.
  tf.registerBackend(SIMD, () => backend, 0)
  for (const kernel of tf.getKernelsForBackend('cpu')) {
    const { kernelName, kernelFunc: fallback } = kernel
    const override = OVERRIDES[kernelName]
    const kernelFunc: tf.KernelFunc = (args) => {
      const here = args.backend as SimdBackend
      if (override !== undefined) {
        const result = override(here, args.inputs as Record<string, tf.TensorInfo>, args.attrs ?? {})
        if (result !== null) return result
      }
      return here.fallback(fallback, args)
    }
    tf.registerKernel({ ...kernel, backendName: SIMD, kernelFunc })
  }
  return backend
}
