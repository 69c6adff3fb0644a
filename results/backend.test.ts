import * as tf from '#tensorflow'
import { afterEach, expect, test } from 'vitest'
import { dense, FlatParameters, fusedAdam, SimdBackend } from '../agents/kernels/index.ts'
import { probeBackends, useBackend } from './backend.ts'

const asked = process.env.TROUPE_BACKEND

afterEach(() => {
  if (asked === undefined) delete process.env.TROUPE_BACKEND
  else process.env.TROUPE_BACKEND = asked
})

/** What a learner does, in small: a loss, gradients, a step. */
function learn(): number[] {
  const p = new FlatParameters([
    { name: 'w', shape: [2, 2], values: Float32Array.of(0.1, -0.2, 0.3, 0.4) },
    { name: 'b', shape: [2], values: Float32Array.of(0, 0.1) },
  ])
  const optimiser = fusedAdam(p, { lr: 0.1, maxNorm: 1 })
  const x = tf.tensor2d([1, 2, 3, 4, 5, 6], [3, 2])
  for (let i = 0; i < 5; i++) {
    const { value, grads } = tf.variableGrads(() => {
      const y = dense(x, p.get('w') as unknown as tf.Tensor2D, p.get('b') as unknown as tf.Tensor1D, 'tanh')
      return tf.mean(tf.square(tf.sub(y, 0.5))) as tf.Scalar
    }, [...p.variables])
    optimiser.step(grads)
    tf.dispose([value, grads])
  }
  const weights = Array.from(p.read())
  for (const owner of [x, optimiser, p]) owner.dispose()
  return weights
}

const missing = (): never => {
  throw Object.assign(new Error("Cannot find package 'x'"), { code: 'ERR_MODULE_NOT_FOUND' })
}

test('auto is simd, whose results are the same on every machine', async () => {
  delete process.env.TROUPE_BACKEND
  const choice = await useBackend('auto')
  expect(choice).toMatchObject({ name: 'simd', portable: true })
  expect(tf.backend()).toBeInstanceOf(SimdBackend)
})

test('auto takes TROUPE_BACKEND, and a name given outright takes precedence over it', async () => {
  process.env.TROUPE_BACKEND = 'cpu'
  expect((await useBackend('auto')).name).toBe('cpu')
  expect(tf.getBackend()).toBe('cpu')
  expect((await useBackend('simd')).name).toBe('simd')
  process.env.TROUPE_BACKEND = 'smid'
  await expect(useBackend('auto')).rejects.toThrow(/backend is "smid".*did you mean "simd"/)
})

test('choosing the same backend again keeps its tensors', async () => {
  await useBackend('simd')
  const x = tf.tensor1d([1, 2, 3])
  await useBackend('cpu')
  await useBackend('simd')
  expect(Array.from(x.dataSync())).toEqual([1, 2, 3])
  x.dispose()
})

test('where the kernels cannot run, auto says so in one line and computes on cpu', async () => {
  delete process.env.TROUPE_BACKEND
  const lines: string[] = []
  const options = { read: () => new Uint8Array([1, 2, 3]), notice: (line: string) => void lines.push(line) }
  const choice = await useBackend('auto', options)
  expect(choice.name).toBe('cpu')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^backend cpu: .*slow, because kernels is a module this engine refuses/)
  expect(lines[0]).not.toContain('\n')
  await expect(useBackend('simd', options)).rejects.toMatchObject({ code: 'environment' })
})

test('the FMA build runs when asked for and is marked as not portable', async () => {
  const choice = await useBackend('simd', { fma: true })
  expect(choice.portable).toBe(false)
  const fused = learn()
  await useBackend('simd', { fma: false })
  learn().forEach((x, i) => expect(fused[i]).toBeCloseTo(x, 4))
})

test('without koffi, or without a BLAS, native says what to install', async () => {
  await expect(useBackend('native', { load: async () => missing() })).rejects.toThrow(
    /koffi is not installed; expected the optional package \(npm install --no-save koffi\)/,
  )
  const koffi = {
    load: () => {
      throw new Error('no such library')
    },
  }
  await expect(useBackend('native', { load: async () => ({ default: koffi }) })).rejects.toThrow(
    /BLAS library is none of/,
  )
})

test('native multiplies through the library it is given and learns the same', async () => {
  await useBackend('simd')
  const expected = learn()
  let products = 0
  // A stand-in for OpenBLAS with the C interface of cblas_sgemm.
  const sgemm = (...args: unknown[]): void => {
    const [, ta, tb, m, n, k] = args as number[]
    const [a, lda, b, ldb, beta, c] = args.slice(7) as [
      Float32Array,
      number,
      Float32Array,
      number,
      number,
      Float32Array,
    ]
    products++
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < n; j++) {
        let sum = 0
        for (let p = 0; p < k; p++)
          sum += a[ta === 112 ? p * lda + i : i * lda + p] * b[tb === 112 ? j * ldb + p : p * ldb + j]
        c[i * n + j] = sum + beta * c[i * n + j]
      }
    }
  }
  const koffi = { load: () => ({ func: (text: string) => (text.includes('sgemm') ? sgemm : () => undefined) }) }
  const choice = await useBackend('native', { load: async () => koffi })
  expect(choice).toMatchObject({ name: 'native', portable: false })
  // Small products stay with our kernels, so this one is large enough to be handed over.
  const numbers = Float32Array.from({ length: 20 * 30 }, (_, i) => Math.fround((i % 17) / 8 - 1))
  const run = (): Float32Array =>
    tf.tidy(() => {
      const [x, w] = [tf.tensor2d(numbers, [20, 30]), tf.tensor2d(numbers, [30, 20])]
      const y = dense(x, w, tf.tensor1d(numbers.slice(0, 20)), 'relu')
      const grads = tf.grads((a: tf.Tensor, b: tf.Tensor) =>
        tf.sum(tf.square(tf.matMul(a as tf.Tensor2D, b as tf.Tensor2D))),
      )([x, w])
      return tf.concat([tf.reshape(y, [-1]), ...grads.map((g) => tf.reshape(g, [-1]))]).dataSync() as Float32Array
    })
  const got = run()
  expect(products).toBe(4) // dense, the product, and its two gradients
  learn().forEach((x, i) => expect(x).toBeCloseTo(expected[i], 5))
  await useBackend('simd')
  run().forEach((x, i) => expect(Math.abs(got[i] - x)).toBeLessThan(1e-3 + 1e-5 * Math.abs(x)))
})

test('tensorflow takes the first package that loads, and computes through public ops', async () => {
  await useBackend('cpu')
  const expected = learn()
  const tried: string[] = []
  const load = async (name: string): Promise<unknown> => {
    tried.push(name)
    if (name.endsWith('gpu'))
      throw new Error('The Node.js native addon module (tfjs_binding.node) can not be found at path: /x')
    // A stand-in that does what tfjs-node does on import: a backend `tensorflow`, here over the CPU kernels.
    if (tf.findBackendFactory('tensorflow') === null) {
      const factory = tf.findBackendFactory('cpu') as () => tf.KernelBackend
      tf.registerBackend('tensorflow', factory)
      for (const kernel of tf.getKernelsForBackend('cpu')) tf.registerKernel({ ...kernel, backendName: 'tensorflow' })
    }
    return {}
  }
  const choice = await useBackend('tensorflow', { load })
  expect(choice).toEqual({ name: 'tensorflow', detail: '@tensorflow/tfjs-node', portable: false })
  expect(tried).toEqual(['@tensorflow/tfjs-node-gpu', '@tensorflow/tfjs-node'])
  expect(tf.getBackend()).toBe('tensorflow')
  expect(learn()).toEqual(expected)
  await useBackend('simd')
  tf.removeBackend('tensorflow')
})

test('where no TensorFlow package loads, each reason is told', async () => {
  const load = async (name: string): Promise<unknown> => {
    if (name.endsWith('gpu')) throw new Error('libcudart.so.11.0: cannot open shared object file\nmore')
    return missing()
  }
  await expect(useBackend('tensorflow', { load })).rejects.toThrow(
    /tfjs-node-gpu: libcudart.so.11.0: cannot open shared object file; @tensorflow\/tfjs-node: not installed/,
  )
})

test('doctor hears about every backend', async () => {
  const names = (await probeBackends()).map(({ name }) => name)
  expect(names).toEqual([
    'simd',
    'simd with FMA',
    'native',
    '@tensorflow/tfjs-node-gpu',
    '@tensorflow/tfjs-node',
    'cpu',
  ])
})
