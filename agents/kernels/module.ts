/** The compiled kernels: instantiation, and the feature test that goes with it. */
import { TroupeError } from '../../envs/core/index.ts'

/** Every function the module exports; the arguments are in assembly/*.ts. */
const NAMES = [
  'addScaled',
  'adam',
  'anyAll',
  'argExtreme',
  'attention',
  'attentionGrad',
  'binary',
  'cast',
  'categorical',
  'categoricalGrad',
  'clip',
  'compare',
  'copy',
  'fill',
  'follow',
  'gather',
  'gemm',
  'gemmBatch',
  'gemmPacked',
  'gruBackward',
  'gruForward',
  'layerNorm',
  'layerNormGrad',
  'logSoftmax',
  'logSoftmaxGrad',
  'logic',
  'max_',
  'min_',
  'oneHot',
  'packB',
  'qmix',
  'qmixGrad',
  'repeatTile',
  'rmsProp',
  'sample',
  'scatterAdd',
  'select',
  'softmax',
  'sum',
  'sumInt',
  'sumSquares',
  'unary',
] as const

export type Kernels = Readonly<Record<(typeof NAMES)[number], (...args: number[]) => number>>

/** (module (func (result v128) i32.const 0 i8x16.splat)): valid only where SIMD is. */
const SIMD_PROBE = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11],
)

/** Whether this engine runs WebAssembly with 128-bit SIMD. */
export function simdSupported(): boolean {
  return typeof WebAssembly === 'object' && WebAssembly.validate(SIMD_PROBE)
}

/** Links the module to a memory. Throws a TroupeError where the engine refuses it. */
export function instantiate(bytes: Uint8Array<ArrayBuffer>, memory: WebAssembly.Memory): Kernels {
  if (!simdSupported() || !WebAssembly.validate(bytes)) {
    throw new TroupeError('environment', {
      where: 'kernels',
      got: simdSupported() ? 'a module this engine refuses' : 'an engine without WebAssembly SIMD',
      expected: simdSupported()
        ? 'one built for it (the FMA build needs relaxed SIMD: Node 20 only with --experimental-wasm-relaxed-simd)'
        : 'Node 16.4, or a browser of 2021, or newer',
    })
  }
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } })
  const missing = NAMES.filter((name) => typeof exports[name] !== 'function')
  if (missing.length > 0) {
    throw new TroupeError('environment', {
      where: 'kernels',
      got: `a module without ${missing.join(', ')}`,
      expected: 'one compiled from the same sources (npm run build)',
    })
  }
  return exports as unknown as Kernels
}
