/**
 * The system's BLAS for the `native` backend: OpenBLAS, or Accelerate on macOS, called through `koffi` on the tensor
 * memory itself. Optional in both halves; what is missing is named.
 */
import { type MatrixProduct } from '../agents/kernels/index.ts'
import { TroupeError } from '../envs/core/index.ts'

export interface Blas {
  /** The file that was loaded. */
  readonly library: string
  readonly product: MatrixProduct
}

/** Where the systems keep a BLAS with the C interface; the plain reference libblas is no faster than our kernels. */
const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  linux: ['libopenblas.so.0', 'libopenblas.so'],
  darwin: ['/System/Library/Frameworks/Accelerate.framework/Accelerate'],
  win32: ['libopenblas.dll', 'openblas.dll'],
}

const ROW_MAJOR = 101
const PLAIN = 111
const TRANSPOSED = 112

/** The part of koffi that is used. */
interface Koffi {
  load(path: string): { func(declaration: string): (...args: unknown[]) => unknown }
}

/**
 * Loads koffi and the library. Throws a TroupeError with code `environment` that says which half is missing.
 * @param load `import()`, or a stand-in
 */
export async function loadBlas(load: (name: string) => Promise<unknown>): Promise<Blas> {
  let koffi: Koffi
  try {
    const module = (await load('koffi')) as { default?: Koffi } & Koffi
    koffi = module.default ?? module
  } catch (error) {
    const missing = (error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND'
    throw new TroupeError('environment', {
      where: 'backend native: koffi',
      got: missing ? 'not installed' : `not loadable (${String((error as Error).message).split('\n')[0]})`,
      expected: 'the optional package (npm install --no-save koffi), which calls the system BLAS',
    })
  }
  const names = LIBRARIES[process.platform] ?? []
  for (const name of names) {
    try {
      const library = koffi.load(name)
      const sgemm = library.func(
        'void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, float *a, int lda, float *b, ' +
          'int ldb, float beta, _Inout_ float *c, int ldc)',
      )
      // Workers are the unit of parallelism; a BLAS with threads of its own would fight them.
      if (name.includes('openblas')) library.func('void openblas_set_num_threads(int n)')(1)
      return { library: name, product: productWith(sgemm) }
    } catch {
      // Not under this name; the next one, and the error below, tell.
    }
  }
  throw new TroupeError('environment', {
    where: 'backend native: BLAS library',
    got: `none of ${names.join(', ') || `those known for ${process.platform}`}`,
    expected: 'OpenBLAS (Debian: apt install libopenblas0)',
  })
}

function productWith(sgemm: (...args: unknown[]) => unknown): MatrixProduct {
  return (buffer, a, b, c, { m, n, k }, transposeA, transposeB, accumulate) => {
    const left = new Float32Array(buffer, a, m * k)
    const right = new Float32Array(buffer, b, k * n)
    const out = new Float32Array(buffer, c, m * n)
    const ta = transposeA ? TRANSPOSED : PLAIN
    const tb = transposeB ? TRANSPOSED : PLAIN
    const lda = transposeA ? m : k
    const ldb = transposeB ? k : n
    sgemm(ROW_MAJOR, ta, tb, m, n, k, 1, left, lda, right, ldb, accumulate ? 1 : 0, out, n)
  }
}
