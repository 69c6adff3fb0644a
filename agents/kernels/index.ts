/** Tensor kernels: fused differentiable ops, optimisers over one flat parameter vector, and the `simd` backend. */
export {
  type Activation,
  attention,
  dense,
  gatherColumns,
  type GruInputs,
  gruSequence,
  layerNorm,
  logSoftmax,
  maskedCategorical,
  qmixMix,
} from './ops.ts'
export {
  clippedPolicyLoss,
  clippedValueLoss,
  scoreLoss,
  type PolicyReadings,
  type PolicyRows,
  type ValueRows,
} from './losses.ts'
export { fusedAdam, type FusedOptimiser, fusedRmsProp, type OptimiserState } from './optimisers.ts'
export { FlatParameters, type ParameterPart } from './parameters.ts'
export { type MatrixProduct, SimdBackend, type SimdOptions } from './backend.ts'
export { simdSupported } from './module.ts'
export { registerSimd, SIMD } from './register.ts'
export { type Choice, type LayerShape, type Recurrence, RolloutNetwork } from './inference.ts'
export { currentSimd } from './backend.ts'
export { NetworkPass, type Runs } from './pass.ts'
export { type DenseLayer, denseStack } from './stack.ts'
export { fuse } from './fuse.ts'
