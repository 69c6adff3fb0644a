import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as tf from '#tensorflow'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixtureJson } from '../../testing.ts'
import { type SimdBackend } from './backend.ts'
import { dense, gruSequence, maskedCategorical } from './ops.ts'
import { fusedAdam, type FusedOptimiser, fusedRmsProp } from './optimisers.ts'
import { FlatParameters, type ParameterPart } from './parameters.ts'
import { registerSimd } from './register.ts'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
execFileSync(process.execPath, [here('build.mjs')])
const bytes = new Uint8Array(readFileSync(here('../../dist/agents/kernels/simd.wasm')))

let backend: SimdBackend

beforeAll(async () => {
  backend = registerSimd(bytes, { debug: true, initialBytes: 1 << 20 })
  await tf.setBackend('simd')
})

afterAll(() => backend.allocator.checkAll())

const numbers = (count: number, salt: number, scale = 1): Float32Array =>
  Float32Array.from(
    { length: count },
    (_, i) => (((Math.imul(i + 1, 2654435761) ^ (salt * 40503)) >>> 8) / 8388608 - 1) * scale,
  )

const part = (name: string, shape: number[], salt: number, scale = 1): ParameterPart => ({
  name,
  shape,
  values: numbers(
    shape.reduce((a, b) => a * b, 1),
    salt,
    scale,
  ),
})
const PARTS = [
  part('a', [3], 1),
  part('b', [2, 5], 2),
  part('scalar', [], 3),
  part('none', [0, 4], 4),
  part('c', [7], 5),
]

const BACKENDS = ['cpu', 'simd']

// ---- fixtures

const vectors = fixtureJson('algorithms/vectors.json')?.algorithms

test.runIf(vectors)('Adam, RMSProp, clipping and Polyak averaging follow the published steps', async () => {
  const own = vectors.optimisers
  const walk = (make: (p: FlatParameters) => FusedOptimiser, start: number[], grads: number[][]): number[][] => {
    const p = new FlatParameters([{ name: 'p', shape: [start.length], values: Float32Array.from(start) }])
    const optimiser = make(p)
    const path = grads.map((g) => {
      optimiser.stepFlat(Float32Array.from(g))
      return Array.from(p.read())
    })
    optimiser.dispose()
    p.dispose()
    return path
  }
  for (const name of BACKENDS) {
    await tf.setBackend(name)
    const grads = own.grads.map((g: number) => [g])
    const adam = walk((p) => fusedAdam(p, { lr: own.adam.lr, epsilon: own.adam.eps }), [own.start], grads)
    adam.forEach(([x], i) => expect(Math.abs(x - own.adam.params[i])).toBeLessThan(1.5e-7))
    const { lr, alpha, eps, params } = own.rmsprop_torch
    const rms = walk((p) => fusedRmsProp(p, { lr, alpha, epsilon: eps }), [own.start], grads)
    rms.forEach(([x], i) => expect(Math.abs(x - params[i])).toBeLessThan(1.5e-7))
    // With alpha 0 and a huge epsilon RMSProp is plain descent: the step shows the clipped gradient.
    const { grads: steep, max_norm: maxNorm, after } = own.clip_grad_norm
    const settings = { lr: 1024, alpha: 0, epsilon: 1024, maxNorm }
    const [[x, y]] = walk((p) => fusedRmsProp(p, settings), [0, 0], [steep])
    expect(-x).toBeCloseTo(after[0], 3)
    expect(-y).toBeCloseTo(after[1], 3)
    const target = new FlatParameters([{ name: 't', shape: [1], values: Float32Array.of(own.polyak.target) }])
    const online = new FlatParameters([{ name: 't', shape: [1], values: Float32Array.of(own.polyak.online) }])
    target.follow(online, own.polyak.tau)
    expect(target.read()[0]).toBeCloseTo(own.polyak.after, 6)
    target.follow(online)
    expect(target.read()[0]).toBe(own.polyak.online)
    target.dispose()
    online.dispose()
  }
  await tf.setBackend('simd')
})

// ---- the flat vector

test.each(BACKENDS)('on %s the vector is read, written and seen through its variables', async (name) => {
  await tf.setBackend(name)
  const p = new FlatParameters(PARTS)
  expect(p.size).toBe(21)
  expect(Array.from(p.read())).toEqual(PARTS.flatMap(({ values }) => Array.from(values)))
  expect(p.get('b').shape).toEqual([2, 5])
  const next = numbers(21, 9)
  p.write(next)
  next.fill(0) // the caller's array is not kept
  expect(Array.from(p.read())).toEqual(Array.from(numbers(21, 9)))
  expect(Array.from(p.get('c').dataSync())).toEqual(Array.from(numbers(21, 9).subarray(14)))
  expect(() => p.get('d')).toThrow(/"d"; expected one of a, b, scalar, none, c/)
  expect(() => p.write(numbers(20, 1))).toThrow(/20 floats; expected 21/)
  expect(() => new FlatParameters([PARTS[0], PARTS[0]])).toThrow(/"a" is named twice/)
  p.dispose()
})

test('variables assigned or moved to another backend are taken back into the vector', async () => {
  await tf.setBackend('simd')
  const p = new FlatParameters(PARTS)
  const optimiser = fusedAdam(p, { lr: 0.1 })
  const fresh = tf.tensor1d([7, 8, 9])
  p.get('a').assign(fresh)
  fresh.dispose()
  expect(Array.from(p.read().subarray(0, 3))).toEqual([7, 8, 9])
  await tf.setBackend('cpu')
  const doubled = tf.mul(p.get('c'), 2) // moves the variable to cpu
  expect(doubled.dataSync()[0]).toBeCloseTo(2 * PARTS[4].values[0], 6)
  doubled.dispose()
  await tf.setBackend('simd')
  optimiser.stepFlat(new Float32Array(21).fill(1))
  // Adam's first step is lr whatever the gradient's size.
  expect(p.get('a').dataSync()[0]).toBeCloseTo(6.9, 5)
  expect(p.get('c').dataSync()[0]).toBeCloseTo(PARTS[4].values[0] - 0.1, 5)
  optimiser.dispose()
  p.dispose()
})

test('a target network keeps its values while the online one learns', async () => {
  for (const name of BACKENDS) {
    await tf.setBackend(name)
    const online = new FlatParameters(PARTS)
    const target = new FlatParameters(PARTS)
    target.follow(online)
    const before = target.read()
    const optimiser = fusedAdam(online, { lr: 0.1 })
    optimiser.stepFlat(numbers(21, 3))
    expect(target.read()).toEqual(before)
    target.follow(online, 0.25)
    const [now, there] = [target.read(), online.read()]
    now.forEach((x, i) => expect(x).toBeCloseTo(before[i] + 0.25 * (there[i] - before[i]), 6))
    for (const owner of [optimiser, online, target]) owner.dispose()
  }
  await tf.setBackend('simd')
})

// ---- optimisers

const RULES: Record<string, (p: FlatParameters) => FusedOptimiser> = {
  Adam: (p) => fusedAdam(p, { lr: 0.01, epsilon: 1e-5 }),
  'Adam with clipping': (p) => fusedAdam(p, { lr: 0.01, maxNorm: 0.5 }),
  RMSProp: (p) => fusedRmsProp(p, { lr: 0.01 }),
  'RMSProp with clipping': (p) => fusedRmsProp(p, { lr: 0.01, maxNorm: 0.5 }),
}

/** Gradients of Σ weight · x³ by part, the last part missing every other step. */
function gradientsAt(p: FlatParameters, step: number): tf.NamedTensorMap {
  const { value, grads } = tf.variableGrads(
    () => {
      const parts = p.variables
        .filter((_, i) => i + 1 < p.variables.length || step % 2 === 0)
        .map((x, i) => tf.sum(tf.mul(tf.mul(x, tf.square(x)), i + step)))
      return tf.addN(parts) as tf.Scalar
    },
    [...p.variables].filter((_, i) => i + 1 < p.variables.length || step % 2 === 0),
  )
  value.dispose()
  return grads
}

test.each(Object.keys(RULES))('%s walks the same path on simd as in public ops on cpu', async (rule) => {
  const walk = async (name: string): Promise<{ path: number[][]; norms: number[] }> => {
    await tf.setBackend(name)
    const p = new FlatParameters(PARTS)
    const optimiser = RULES[rule](p)
    const path: number[][] = []
    const norms: number[] = []
    for (let step = 0; step < 12; step++) {
      optimiser.lr = 0.01 / (1 + step)
      const gradients = gradientsAt(p, step)
      norms.push(optimiser.step(gradients))
      tf.dispose(gradients)
      path.push(Array.from(p.read()))
    }
    optimiser.dispose()
    p.dispose()
    return { path, norms }
  }
  const expected = await walk('cpu')
  const got = await walk('simd')
  expected.norms.forEach((norm, i) => expect(got.norms[i] / norm).toBeCloseTo(1, 5))
  expected.path.forEach((values, i) =>
    values.forEach((x, j) => expect(Math.abs(got.path[i][j] - x)).toBeLessThan(2e-6)),
  )
})

test('saved and loaded, an optimiser goes on to the bit', async () => {
  for (const name of BACKENDS) {
    await tf.setBackend(name)
    const p = new FlatParameters(PARTS)
    const optimiser = fusedAdam(p, { lr: 0.05, maxNorm: 1 })
    for (let i = 0; i < 3; i++) optimiser.stepFlat(numbers(21, i))
    const weights = p.read()
    const state = optimiser.save()
    expect(state.steps).toBe(3)
    for (let i = 3; i < 6; i++) optimiser.stepFlat(numbers(21, i))
    const expected = p.read()
    const again = new FlatParameters(PARTS)
    const other = fusedAdam(again, { lr: 0.05, maxNorm: 1 })
    again.write(weights)
    other.load(state)
    for (let i = 3; i < 6; i++) other.stepFlat(numbers(21, i))
    expect(again.read()).toEqual(expected)
    expect(() => other.load({ steps: 1, moments: [] })).toThrow(/moments of nothing; expected 2 of 21/)
    for (const owner of [optimiser, other, p, again]) owner.dispose()
  }
  await tf.setBackend('simd')
})

test('a gradient that is not a number shows in the norm', () => {
  const p = new FlatParameters(PARTS)
  const optimiser = fusedAdam(p, { lr: 0.05 })
  expect(optimiser.stepFlat(new Float32Array(21).fill(NaN))).toBeNaN()
  expect(optimiser.stepFlat(new Float32Array(21).fill(1e30))).toBeCloseTo(1e30 * Math.sqrt(21), -27)
  optimiser.dispose()
  p.dispose()
})

// ---- whole updates

/** A small actor–critic with a recurrent trunk and a clipped objective: every fused op of on-policy learning. */
function updates(count: number): { weights: Float32Array; losses: number[] } {
  const [steps, lanes, features, hidden, choices] = [5, 6, 9, 12, 5]
  const p = new FlatParameters([
    part('w1', [features, hidden], 1, 0.4),
    part('b1', [hidden], 2, 0.1),
    part('wi', [hidden, 3 * hidden], 3, 0.3),
    part('wh', [hidden, 3 * hidden], 4, 0.3),
    part('bi', [3 * hidden], 5, 0.1),
    part('bh', [3 * hidden], 6, 0.1),
    part('wp', [hidden, choices], 7, 0.3),
    part('bp', [choices], 8, 0.1),
    part('wv', [hidden, 1], 9, 0.3),
    part('bv', [1], 10, 0.1),
  ])
  const optimiser = fusedAdam(p, { lr: 3e-3, epsilon: 1e-5, maxNorm: 0.5 })
  const rows = steps * lanes
  const x = tf.tensor3d(numbers(rows * features, 11), [steps, lanes, features])
  const first = tf.zeros([lanes, hidden]) as tf.Tensor2D
  const reset = tf.tensor2d(
    Float32Array.from({ length: rows }, (_, i) => +(i % 7 === 4)),
    [steps, lanes],
  )
  const allowed = Uint8Array.from({ length: rows * choices }, (_, i) => +(i % 3 !== 1 || i % choices === 0))
  const mask = tf.tensor2d(allowed, [rows, choices], 'bool')
  const action = tf.zeros([rows], 'int32') as tf.Tensor1D
  const advantage = tf.tensor1d(numbers(rows, 12))
  const target = tf.tensor1d(numbers(rows, 13))
  const old = tf.tensor1d(numbers(rows, 14).map((v) => -1.5 + 0.2 * v))
  const losses: number[] = []
  const variable = <T extends tf.Tensor>(name: string): T => p.get(name) as unknown as T
  for (let update = 0; update < count; update++) {
    const { value, grads } = tf.variableGrads(() => {
      const trunk = dense(x, variable('w1'), variable('b1'), 'tanh') as tf.Tensor3D
      const h = gruSequence({
        input: trunk,
        hidden: first,
        reset,
        inputWeight: variable('wi'),
        recurrentWeight: variable('wh'),
        inputBias: variable('bi'),
        recurrentBias: variable('bh'),
      })
      const flat = tf.reshape(h, [rows, hidden])
      const logits = dense(flat, variable('wp'), variable('bp')) as tf.Tensor2D
      const { logProbability, entropy } = maskedCategorical(logits, mask, action)
      const ratio = tf.exp(tf.sub(logProbability, old))
      const clipped = tf.clipByValue(ratio, 0.8, 1.2)
      const gain = tf.mean(tf.minimum(tf.mul(ratio, advantage), tf.mul(clipped, advantage)))
      const worth = tf.reshape(dense(flat, variable('wv'), variable('bv'), 'relu'), [rows])
      const error = tf.mean(tf.square(tf.sub(worth, target)))
      return tf.sub(tf.mul(error, 0.5), tf.add(gain, tf.mul(tf.mean(entropy), 0.01))) as tf.Scalar
    }, [...p.variables])
    losses.push(value.dataSync()[0])
    optimiser.step(grads)
    tf.dispose([value, grads])
  }
  const weights = p.read()
  tf.dispose([x, first, reset, mask, action, advantage, target, old])
  optimiser.dispose()
  p.dispose()
  return { weights, losses }
}

test('twenty updates of a recurrent actor–critic end with the same weights on cpu and simd', async () => {
  await tf.setBackend('cpu')
  const expected = updates(20)
  await tf.setBackend('simd')
  const got = updates(20)
  got.losses.forEach((loss, i) => expect(Math.abs(loss - expected.losses[i])).toBeLessThan(1e-4))
  got.weights.forEach((x, i) => expect(Math.abs(x - expected.weights[i])).toBeLessThan(5e-4))
  expect(got.losses[19]).toBeLessThan(got.losses[0])
})

test('a gradient that is not finite is told by its norm and changes nothing', async () => {
  for (const name of BACKENDS) {
    await tf.setBackend(name)
    const p = new FlatParameters(PARTS)
    const optimiser = fusedAdam(p, { lr: 0.1, maxNorm: 1 })
    optimiser.stepFlat(new Float32Array(p.size).fill(0.5))
    const before = [p.read(), optimiser.save()]
    for (const bad of [NaN, Infinity]) {
      const gradient = new Float32Array(p.size).fill(1)
      gradient[4] = bad
      expect(optimiser.stepFlat(gradient)).not.toBeLessThan(Infinity)
      expect([p.read(), optimiser.save()]).toEqual(before)
    }
    optimiser.dispose()
    p.dispose()
  }
  await tf.setBackend('simd')
})

/** FNV-1a over the bits, 32 bits. */
function hashOf(values: Float32Array): string {
  let hash = 0x811c9dc5
  for (const byte of new Uint8Array(values.buffer)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

test('twenty updates on simd give these bits, on every machine and every time', () => {
  const first = updates(20)
  expect(updates(20).weights).toEqual(first.weights)
  // Made by this test. Another value means another order of operations: old weights cannot be reproduced any more.
  expect(hashOf(first.weights)).toBe('a4297e35')
})

test('tensors and memory stay flat over a thousand updates', () => {
  const p = new FlatParameters([part('w', [6, 5], 1), part('b', [5], 2)])
  const optimiser = fusedAdam(p, { lr: 1e-3, maxNorm: 1 })
  const x = tf.tensor2d(numbers(42, 3), [7, 6])
  const action = tf.zeros([7], 'int32') as tf.Tensor1D
  const update = (): void => {
    const { value, grads } = tf.variableGrads(() => {
      const logits = dense(x, p.get('w') as unknown as tf.Tensor2D, p.get('b') as unknown as tf.Tensor1D)
      return tf.neg(tf.mean(maskedCategorical(logits as tf.Tensor2D, null, action).logProbability)) as tf.Scalar
    }, [...p.variables])
    optimiser.step(grads)
    tf.dispose([value, grads])
  }
  update()
  const state = (): object => ({
    tensors: tf.memory().numTensors,
    ids: backend.numDataIds(),
    ...backend.memory(),
    top: backend.allocator.reached,
  })
  const before = state()
  for (let i = 0; i < 1000; i++) update()
  expect(state()).toEqual(before)
  tf.dispose([x, action])
  optimiser.dispose()
  p.dispose()
})
