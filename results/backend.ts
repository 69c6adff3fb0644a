/**
 * Chooses what computes tensors: our `simd` kernels, the same with the system's BLAS (`native`), TensorFlow.js on the
 * plain CPU, or tfjs-node(-gpu) where somebody installed it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import * as tf from '#tensorflow'
import { registerSimd, SIMD, type SimdOptions, simdSupported } from '../agents/kernels/index.ts'
import { TroupeError, unknownName } from '../envs/core/index.ts'
import { loadBlas } from './blas.ts'

export const BACKENDS = ['auto', 'simd', 'native', 'cpu', 'tensorflow'] as const
export type BackendName = (typeof BACKENDS)[number]

export interface BackendChoice {
  /** What was asked for, or what stands in for it. */
  readonly name: Exclude<BackendName, 'auto'>
  /** One line for `troupe doctor` and logs: what computes, or why something else does not. */
  readonly detail: string
  /** Whether the same training gives the same bits on every machine. Records of others are marked. */
  readonly portable: boolean
}

export interface BackendOptions {
  /** Guard words and poison around every tensor: slow, finds overruns. `simd` and `native` only. */
  readonly debug?: boolean
  /** The build with fused multiply-add, for `simd`; also TROUPE_FMA=1. Faster, not bit-portable. */
  readonly fma?: boolean
  /** Where notices go; stderr if left out. */
  readonly notice?: (line: string) => void
  /** Stands in for `import()` of optional packages in tests. */
  readonly load?: (name: string) => Promise<unknown>
  /** Stands in for reading the compiled kernels. */
  readonly read?: (file: string) => Uint8Array<ArrayBuffer>
}

/** Node 20 (V8 11.3) keeps relaxed SIMD behind this flag, which works from inside the process; newer V8s have it on. */
const RELAXED_FLAG = '--experimental-wasm-relaxed-simd'

/** The FMA build, with relaxed SIMD switched on where the engine has it behind a flag. */
export function readFmaKernels(read: (file: string) => Uint8Array<ArrayBuffer> = readKernels): Uint8Array<ArrayBuffer> {
  const bytes = read('fma.wasm')
  // Only where it is needed: an engine that no longer knows the flag complains about it.
  if (!WebAssembly.validate(bytes)) setFlagsFromString(RELAXED_FLAG)
  return bytes
}

/** What is registered as `simd` now: not done again, because tensors of an earlier registration are lost. */
let registered = ''

/**
 * Makes a backend current.
 *
 * `auto` takes TROUPE_BACKEND if it is set, else `simd`, and where the engine has no WebAssembly SIMD or the kernels
 * are not built, `cpu` with one line of notice. Anything named outright that cannot be had throws a TroupeError with
 * code `environment`.
 */
export async function useBackend(name: BackendName | string, options: BackendOptions = {}): Promise<BackendChoice> {
  const wanted = name === 'auto' ? (process.env.TROUPE_BACKEND ?? 'auto') : name
  if (!BACKENDS.includes(wanted as BackendName)) throw unknownName('backend', wanted, BACKENDS)
  if (wanted === 'cpu') return useCpu('TensorFlow.js in JavaScript, the reference')
  if (wanted === 'tensorflow') return useTensorflow(options)
  if (wanted === 'native') return useNative(options)
  if (wanted === 'simd') return useSimd(options)
  try {
    return await useSimd(options)
  } catch (error) {
    if (!(error instanceof TroupeError) || error.code !== 'environment') throw error
    const detail = `TensorFlow.js in JavaScript, slow, because ${error.message}`
    const notice = options.notice ?? ((line: string): void => void process.stderr.write(`${line}\n`))
    notice(`backend cpu: ${detail}`)
    return useCpu(detail)
  }
}

async function useCpu(detail: string): Promise<BackendChoice> {
  await tf.setBackend('cpu')
  ;(tf.backend() as { firstUse?: boolean }).firstUse = false // no advertisement for tfjs-node on first use
  return { name: 'cpu', detail, portable: false }
}

async function useSimd(options: BackendOptions): Promise<BackendChoice> {
  const fma = options.fma ?? process.env.TROUPE_FMA === '1'
  const file = fma ? 'fma.wasm' : 'simd.wasm'
  register(`${file} ${options.debug ?? false}`, file, options, { relaxed: fma })
  await tf.setBackend(SIMD)
  const detail = fma
    ? 'WebAssembly SIMD with fused multiply-add; results may differ between machines'
    : 'WebAssembly SIMD, the same bits on every machine'
  return { name: 'simd', detail: options.debug === true ? `${detail}; guard words on` : detail, portable: !fma }
}

/** Registers `simd` unless it already is what `key` names. */
function register(key: string, file: string, options: BackendOptions, settings: SimdOptions): void {
  if (registered === key && options.read === undefined) return
  const read = options.read ?? readKernels
  const bytes = settings.relaxed === true ? readFmaKernels(read) : read(file)
  registerSimd(bytes, { ...settings, debug: options.debug ?? false })
  registered = options.read === undefined ? key : ''
}

/** The compiled kernels, beside the compiled agents: seen from dist/results or from the sources in results. */
export function readKernels(file: string): Uint8Array<ArrayBuffer> {
  for (const place of [`../agents/kernels/${file}`, `../dist/agents/kernels/${file}`]) {
    const path = fileURLToPath(new URL(place, import.meta.url))
    if (existsSync(path)) return new Uint8Array(readFileSync(path))
  }
  throw new TroupeError('environment', { where: `kernels: ${file}`, got: 'missing', expected: 'built (npm run build)' })
}

async function useNative(options: BackendOptions): Promise<BackendChoice> {
  const blas = await loadBlas(options.load ?? ((name) => import(name)))
  register(`native ${options.debug ?? false}`, 'simd.wasm', options, { product: blas.product })
  await tf.setBackend(SIMD)
  return { name: 'native', detail: `WebAssembly SIMD with products by ${blas.library}`, portable: false }
}

/** In this order: the first that loads and registers `tensorflow` is used. */
const TENSORFLOW_PACKAGES = ['@tensorflow/tfjs-node-gpu', '@tensorflow/tfjs-node'] as const

async function useTensorflow(options: BackendOptions): Promise<BackendChoice> {
  const load = options.load ?? ((name: string): Promise<unknown> => import(name))
  const reasons: string[] = []
  for (const name of TENSORFLOW_PACKAGES) {
    // Every error counts, not only a missing package: an installed one without its native library throws its own.
    try {
      await load(name)
      if (tf.findBackendFactory('tensorflow') === null) reasons.push(`${name} loaded but registered no backend`)
      else if (await tf.setBackend('tensorflow')) return { name: 'tensorflow', detail: name, portable: false }
      else reasons.push(`${name} loaded but its backend did not start`)
    } catch (error) {
      reasons.push(`${name}: ${explain(error)}`)
    }
  }
  throw new TroupeError('environment', {
    where: 'backend tensorflow',
    got: `not to be had (${reasons.join('; ')})`,
    expected: 'one of them installed beside troupe, e.g. npm install --no-save @tensorflow/tfjs-node-gpu@4.22.0',
  })
}

function explain(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return 'not installed'
  return (message ?? String(error)).split('\n')[0].slice(0, 200)
}

/** What `troupe doctor` says of each backend, without changing the one in use. */
export async function probeBackends(): Promise<{ name: string; ok: boolean; detail: string }[]> {
  const found: { name: string; ok: boolean; detail: string }[] = []
  const kernels = (file: string): string | null => {
    try {
      return WebAssembly.validate(readKernels(file)) ? null : 'refused by this engine'
    } catch (error) {
      return (error as Error).message
    }
  }
  const plain = simdSupported() ? kernels('simd.wasm') : 'this engine has no WebAssembly SIMD'
  found.push({ name: 'simd', ok: plain === null, detail: plain ?? 'the default' })
  const fused = kernels('fma.wasm')
  const flag = `works when asked for (TROUPE_FMA=1 sets V8's ${RELAXED_FLAG})`
  found.push({ name: 'simd with FMA', ok: simdSupported(), detail: fused === null ? 'ready' : flag })
  try {
    found.push({ name: 'native', ok: true, detail: (await loadBlas((name) => import(name))).library })
  } catch (error) {
    found.push({ name: 'native', ok: false, detail: (error as Error).message })
  }
  for (const name of TENSORFLOW_PACKAGES) {
    try {
      found.push({ name, ok: true, detail: fileURLToPath(import.meta.resolve(name)) })
    } catch (error) {
      found.push({ name, ok: false, detail: explain(error) })
    }
  }
  found.push({ name: 'cpu', ok: true, detail: 'always there, slow' })
  return found
}
