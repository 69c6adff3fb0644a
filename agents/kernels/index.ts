/** Tensor kernels: fused differentiable ops, optimisers over one flat parameter vector, and the `simd` backend. */
export {
  type Activation,
  attention,
  dense,
  type GruInputs,
  gruSequence,
  layerNorm,
  logSoftmax,
  maskedCategorical,
  qmixMix,
} from './ops.ts'
export {
  FlatParameters,
  fusedAdam,
  type FusedOptimiser,
  fusedRmsProp,
  type OptimiserState,
  type ParameterPart,
} from './optimisers.ts'
export { type MatrixProduct, SimdBackend, type SimdOptions } from './backend.ts'
export { simdSupported } from './module.ts'
export { registerSimd, SIMD } from './register.ts'
