/**
 * Tensor kernels and updates: products, a PPO update on our `simd` backend beside tfjs-wasm, a GRU layer, rollout
 * inference. Contenders take turns within a run, so that a busy machine slows all of them alike.
 */
import { performance } from 'node:perf_hooks'
import * as tf from '#tensorflow'
import {
  currentSimd,
  dense,
  FlatParameters,
  fusedAdam,
  gruSequence,
  type LayerShape,
  maskedCategorical,
  RolloutNetwork,
  SimdBackend,
} from '../../agents/kernels/index.ts'
import { readFmaKernels, readKernels, useBackend } from '../backend.ts'
import { type MeasureSettings, type SpeedRatio, speedRow, type SpeedRow } from './measure.ts'

/** M, N, K and which operands are transposed: the products of small networks. */
const PRODUCTS: readonly (readonly [m: number, n: number, k: number, a: boolean, b: boolean, note: string])[] = [
  [256, 64, 71, false, false, 'first layer'],
  [71, 64, 256, true, false, 'its weight gradient'],
  [256, 71, 64, false, true, 'its input gradient'],
  [2560, 128, 288, false, false, 'a central critic'],
  [288, 128, 2560, true, false, 'its weight gradient'],
  [64, 192, 64, false, false, 'one GRU step'],
  [256, 5, 64, false, false, 'a head'],
]

interface Contender {
  readonly name: string
  readonly note?: string
  /** One unit of work; awaited work belongs in `enter`. */
  readonly work: () => void
  /** Makes the contender's backend current. */
  readonly enter?: () => Promise<unknown>
}

/**
 * Milliseconds per call. Each run is the median call of a stretch of `seconds`; best is the fastest call of all, which
 * on a machine with other work is the one nearest to the truth.
 */
async function timed(contenders: readonly Contender[], settings: MeasureSettings): Promise<SpeedRow[]> {
  const { runs = 5, seconds = 0.4 } = settings
  const medians = contenders.map((): number[] => [])
  const cpu = contenders.map((): number[] => [])
  const best = contenders.map(() => Infinity)
  for (let run = -1; run < runs; run++) {
    for (const [i, { work, enter }] of contenders.entries()) {
      await enter?.()
      const times: number[] = []
      const used = process.cpuUsage()
      const until = performance.now() + seconds * 1000
      do {
        const start = performance.now()
        work()
        times.push(performance.now() - start)
      } while (performance.now() < until)
      if (run < 0) continue // warming up
      const { user, system } = process.cpuUsage(used)
      cpu[i].push((user + system) / 1000 / times.length)
      times.sort((a, b) => a - b)
      medians[i].push(times[times.length >> 1])
      best[i] = Math.min(best[i], times[0])
    }
  }
  return contenders.map(({ name, note }, i) => ({
    ...speedRow(name, 'ms', medians[i], note === undefined ? {} : { note }),
    byCpuTime: [...cpu[i]].sort((a, b) => a - b)[runs >> 1],
    best: best[i],
  }))
}

/** Rows in GFLOP/s from rows in milliseconds. */
function asRate(row: SpeedRow, operations: number): SpeedRow {
  const rate = (ms: number): number => operations / ms / 1e6
  return {
    ...row,
    unit: 'GFLOP/s',
    median: rate(row.median),
    best: rate(row.best),
    runs: row.runs.map(rate),
    byCpuTime: rate(row.byCpuTime ?? row.median),
  }
}

/** Numbers in [−1, 1). */
const numbers = (count: number, salt: number): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => ((Math.imul(i + 1, 2654435761) ^ (salt * 40503)) >>> 8) / 8388608 - 1)

function variableOf(values: Float32Array, shape: number[]): tf.Variable {
  const initial = tf.tensor(values, shape)
  const variable = tf.variable(initial)
  initial.dispose()
  return variable
}

/** What the best run of a row in GFLOP/s, or one of `operations` in milliseconds, is of a measured limit. */
function share(row: SpeedRow, limit: SpeedRow, operations = 0): SpeedRow {
  const reached = row.unit === 'GFLOP/s' ? row.best : operations / row.best / 1e6
  const ratio: SpeedRatio = { of: 'the tile', value: reached / limit.best }
  return { ...row, ratios: [...(row.ratios ?? []), ratio] }
}

/**
 * The register tile of the matrix product by itself, operands in L1: what this machine can do with this build, and so
 * the yardstick of everything below.
 */
export async function tileSpeed(settings: MeasureSettings = {}, builds = kernelBuilds()): Promise<SpeedRow[]> {
  const [depth, count] = [64, 200]
  const contenders = builds.map(([build, { kernels, allocator }]): Contender => {
    const place = (length: number, salt: number): number => {
      const at = allocator.allocate(length * 4)
      allocator.f32.set(numbers(length, salt), at / 4)
      return at
    }
    const [a, b, c] = [place(16 * depth, 1), place(8 * depth, 2), place(32, 3)]
    return {
      name: `gemm limit${build}`,
      note: 'the register tile of the product by itself, operands in L1: no packing, no edges, no other memory',
      work: () => void kernels.repeatTile(a, b, depth, c, count),
    }
  })
  const measured = await timed(contenders, { ...settings, seconds: Math.min(settings.seconds ?? 0.4, 0.1) })
  return measured.map((row) => asRate(row, 2 * 4 * 8 * depth * count))
}

/** The plain build and, where the engine takes it, the one with FMA, each in a memory of its own. */
function kernelBuilds(): [name: string, SimdBackend][] {
  const builds: [string, SimdBackend][] = []
  for (const [name, read] of [
    ['', () => readKernels('simd.wasm')],
    [' with FMA', () => readFmaKernels()],
  ] as const) {
    try {
      builds.push([name, new SimdBackend(read(), { initialBytes: 32 << 20 })])
    } catch {
      // An engine without relaxed SIMD: no row.
    }
  }
  return builds
}

async function products(
  settings: MeasureSettings,
  builds: readonly [string, SimdBackend][],
  limits: readonly SpeedRow[],
): Promise<SpeedRow[]> {
  const rows: SpeedRow[] = []
  for (const [m, n, k, ta, tb, note] of PRODUCTS) {
    const calls = Math.max(1, Math.round(2e7 / (2 * m * n * k)))
    const contenders = builds.map(([build, backend]): Contender => {
      const { kernels, allocator } = backend
      const place = (count: number, salt: number): number => {
        const at = allocator.allocate(count * 4)
        allocator.f32.set(numbers(count, salt), at / 4)
        return at
      }
      const [a, b, c] = [place(m * k, 1), place(k * n, 2), place(m * n, 3)]
      const packed = allocator.allocate(((n + 7) & ~7) * Math.min(k, 256) * 4)
      const packing = allocator.allocate(16384)
      return {
        name: `gemm ${m}×${n}×${k} ${ta ? 't' : 'n'}${tb ? 't' : 'n'}${build}`,
        note: `${note}; packing included`,
        work: () => {
          for (let i = 0; i < calls; i++) {
            kernels.gemm(a, ta ? m : k, +ta, b, tb ? k : n, +tb, c, n, m, n, k, 0, 0, 0, packing, packed)
          }
        },
      }
    })
    const measured = await timed(contenders, { ...settings, seconds: Math.min(settings.seconds ?? 0.4, 0.1) })
    rows.push(...measured.map((row, i) => share(asRate(row, 2 * m * n * k * calls), limits[i])))
  }
  return rows
}

interface Update {
  readonly run: () => void
  readonly dispose: () => void
}

/** A PPO minibatch through an actor and a critic 71-64-64-{5, 1}, loss, gradients, Adam. Fused: with the ops of agents/kernels. */
function ppoUpdate(rows: number, fused: boolean): Update {
  const features = 71
  const shapes = [5, 1].flatMap((outputs) => [[features, 64], [64], [64, 64], [64], [64, outputs], [outputs]])
  const parts = shapes.map((shape, i) => {
    const count = shape.reduce((product, size) => product * size, 1)
    return { name: `p${i}`, shape, values: numbers(count, i).map((x) => x * (shape.length === 2 ? 0.1 : 0)) }
  })
  const input = tf.tensor2d(numbers(rows * features, 20), [rows, features])
  const action = tf.tensor1d(
    Int32Array.from({ length: rows }, (_, i) => i % 5),
    'int32',
  )
  const advantage = tf.tensor1d(numbers(rows, 21))
  const target = tf.tensor1d(numbers(rows, 22))
  const old = tf.tensor1d(numbers(rows, 23).map((x) => -1.6 + 0.1 * x))
  const kept = [input, action, advantage, target, old]
  const flat = fused ? new FlatParameters(parts) : null
  const variables = flat?.variables ?? parts.map(({ shape, values }) => variableOf(values, shape))
  const layer = (x: tf.Tensor, i: number, last: boolean): tf.Tensor => {
    const [weight, bias] = [variables[i] as unknown as tf.Tensor2D, variables[i + 1] as unknown as tf.Tensor1D]
    if (fused) return dense(x, weight, bias, last ? 'none' : 'relu')
    const y = tf.add(tf.matMul(x as tf.Tensor2D, weight), bias)
    return last ? y : tf.relu(y)
  }
  const net = (i: number): tf.Tensor => layer(layer(layer(input, i, false), i + 2, false), i + 4, true)
  const hot = tf.tidy(() => tf.cast(tf.oneHot(action, 5), 'float32'))
  kept.push(hot as tf.Tensor1D)
  const policy = (): { logProbability: tf.Tensor; entropy: tf.Tensor } => {
    const logits = net(0) as tf.Tensor2D
    if (fused) return maskedCategorical(logits, null, action)
    const logs = tf.logSoftmax(logits)
    return {
      logProbability: tf.sum(tf.mul(hot, logs), 1),
      entropy: tf.neg(tf.sum(tf.mul(tf.exp(logs), logs), 1)),
    }
  }
  const loss = (): tf.Scalar => {
    const { logProbability, entropy } = policy()
    const ratio = tf.exp(tf.sub(logProbability, old))
    const gain = tf.minimum(tf.mul(ratio, advantage), tf.mul(tf.clipByValue(ratio, 0.8, 1.2), advantage))
    const error = tf.mean(tf.square(tf.sub(tf.reshape(net(6), [rows]), target)))
    return tf.sub(tf.mul(error, 0.5), tf.add(tf.mean(gain), tf.mul(tf.mean(entropy), 0.01))) as tf.Scalar
  }
  const adam = flat === null ? null : fusedAdam(flat, { lr: 3e-4, maxNorm: 0.5 })
  const plain = flat === null ? tf.train.adam(3e-4) : null
  return {
    run: () => {
      const { value, grads } = tf.variableGrads(loss, [...variables])
      if (adam !== null) adam.step(grads)
      else plain?.applyGradients(Object.entries(grads).map(([name, tensor]) => ({ name, tensor })))
      tf.dispose([value, grads])
    },
    dispose: () => {
      tf.dispose(kept)
      adam?.dispose()
      plain?.dispose()
      if (flat !== null) flat.dispose()
      else tf.dispose([...variables])
    },
  }
}

/** Multiplications and additions of one update of `ppoUpdate`, in its products alone. */
function updateOperations(rows: number): number {
  const [features, hidden, heads] = [71, 64, 5 + 1]
  const first = 2 * features * hidden
  const others = 2 * hidden * hidden + hidden * heads
  return 2 * rows * (2 * first + 3 * others) // no gradient of the observations
}

async function updates(settings: MeasureSettings, limit: SpeedRow): Promise<SpeedRow[]> {
  const wasm = await tfjsWasm()
  const rows: SpeedRow[] = []
  for (const batch of [256, 2048]) {
    const made: Update[] = []
    const contenders: Contender[] = []
    const add = (name: string, enter: () => Promise<unknown>, fused: boolean, note: string): void => {
      const update = ppoUpdate(batch, fused)
      made.push(update)
      contenders.push({ name: `PPO update, ${batch} rows, ${name}`, note, enter, work: update.run })
    }
    const simd = (): Promise<boolean> => tf.setBackend('simd')
    await simd()
    add('simd', simd, true, 'actor and critic 71-64-64, loss, gradients, clip, Adam, with the fused ops')
    add('simd in plain ops', simd, false, 'the same in ordinary ops and tf.train.adam, without the clip')
    if (wasm) {
      const enter = (): Promise<boolean> => tf.setBackend('wasm')
      await enter()
      add(
        'tfjs-wasm',
        enter,
        false,
        'the same in ordinary ops and tf.train.adam on TensorFlow.js’s own WebAssembly backend',
      )
    }
    const measured = await timed(contenders, settings)
    const yardstick = wasm ? measured[2].best : null
    rows.push(
      ...measured.map((row, i) => {
        if (i === 2) return row
        const ratios = yardstick === null ? [] : [{ of: 'tfjs-wasm', value: yardstick / row.best }]
        return share({ ...row, ratios }, limit, updateOperations(batch))
      }),
    )
    for (const [i, update] of made.entries()) {
      await contenders[i].enter?.()
      update.dispose()
    }
  }
  await tf.setBackend('simd')
  return rows
}

/** Whether tfjs-wasm, a yardstick only, is installed and starts. */
async function tfjsWasm(): Promise<boolean> {
  // It brings TensorFlow.js's own package beside the bundle, which then warns that the platform is set twice.
  /* eslint-disable no-console */
  const { warn } = console
  console.warn = () => undefined
  try {
    await import('@tensorflow/tfjs-backend-wasm')
    return await tf.setBackend('wasm')
  } catch {
    return false
  } finally {
    console.warn = warn
    /* eslint-enable no-console */
    await tf.setBackend('simd')
  }
}

async function recurrent(settings: MeasureSettings, limit: SpeedRow): Promise<SpeedRow[]> {
  const rows: SpeedRow[] = []
  for (const size of [64, 128]) {
    const [steps, lanes] = [50, 64]
    const input = tf.tensor3d(numbers(steps * lanes * size, 1), [steps, lanes, size])
    const moving = tf.variable(input)
    const hidden = tf.zeros([lanes, size]) as tf.Tensor2D
    const reset = tf.zeros([steps, lanes]) as tf.Tensor2D
    const weight = (salt: number): tf.Variable =>
      variableOf(
        numbers(3 * size * size, salt).map((x) => x * 0.1),
        [size, 3 * size],
      )
    const bias = (): tf.Variable => variableOf(new Float32Array(3 * size), [3 * size])
    const variables = [weight(2), weight(3), bias(), bias()]
    const layer = (x: tf.Tensor): tf.Tensor =>
      gruSequence({
        input: x as tf.Tensor3D,
        hidden,
        reset,
        inputWeight: variables[0] as unknown as tf.Tensor2D,
        recurrentWeight: variables[1] as unknown as tf.Tensor2D,
        inputBias: variables[2] as unknown as tf.Tensor1D,
        recurrentBias: variables[3] as unknown as tf.Tensor1D,
      })
    const shape = `GRU forward and backward, T=${steps} B=${lanes} H=${size}`
    const first = (): void => {
      const { value, grads } = tf.variableGrads(() => tf.sum(layer(input)) as tf.Scalar, variables)
      tf.dispose([value, grads])
    }
    const inner = (): void => {
      // Named gradients for the weights, plus the input as one more variable.
      const { value, grads } = tf.variableGrads(() => tf.sum(layer(moving)) as tf.Scalar, [moving, ...variables])
      tf.dispose([value, grads])
    }
    const measured = await timed(
      [
        { name: shape, work: inner, note: 'gradients of inputs and weights, as torch’s nn.GRU gives them' },
        { name: `${shape}, first layer`, work: first, note: 'gradients of the weights only' },
      ],
      settings,
    )
    // Six products of this size: inputs and hidden states times their weights, and two gradients of each.
    const one = 2 * steps * lanes * size * 3 * size
    rows.push(...measured.map((row, i) => share(row, limit, one * (6 - i))))
    tf.dispose([input, moving, hidden, reset, ...variables])
  }
  return rows
}

async function inference(settings: MeasureSettings, limit: SpeedRow): Promise<SpeedRow[]> {
  const backend = currentSimd() as SimdBackend
  const rows = 256
  const features = 71
  const contenders: Contender[] = []
  const operations: number[] = []
  const made: { dispose(): void }[] = []
  for (const size of [64, 128]) {
    for (const kind of ['MLP', 'GRU'] as const) {
      const first: LayerShape = { kind: 'dense', inputs: features, outputs: size, activation: 'relu' }
      const second: LayerShape =
        kind === 'GRU'
          ? { kind: 'gru', inputs: size, outputs: size }
          : { kind: 'dense', inputs: size, outputs: size, activation: 'relu' }
      const head: LayerShape = { kind: 'dense', inputs: size, outputs: 5, activation: 'none' }
      const net = new RolloutNetwork(backend, [first, second, head])
      operations.push(2 * rows * size * (features + (kind === 'GRU' ? 6 : 1) * size + 5))
      net.load(numbers(net.size, 1).map((x) => x * 0.1))
      made.push(net)
      const input = numbers(rows * features, 2)
      const uniform = numbers(rows, 3).map((x) => (x + 1) / 2)
      const mask = new Uint8Array(rows * 5).fill(1)
      const action = new Int32Array(rows)
      const logProbability = new Float32Array(rows)
      const recurrence = kind === 'GRU' ? { hidden: new Float32Array(rows * size) } : undefined
      contenders.push({
        name: `inference, ${rows} rows, ${kind} ${size}`,
        note: 'observations in, sampled masked actions and log-probabilities out',
        work: () => net.act(input, rows, [5], { mask, uniform, action, logProbability }, recurrence),
      })
    }
  }
  const measured = await timed(contenders, settings)
  for (const owner of made) owner.dispose()
  return measured.map((row, i) => share(row, limit, operations[i]))
}

/** All rows of `troupe speed kernels`. Leaves the backend that was current, where it was one of ours, in place. */
export async function kernelSpeed(settings: MeasureSettings = {}): Promise<SpeedRow[]> {
  await useBackend('simd', { fma: false })
  const builds = kernelBuilds()
  const limits = await tileSpeed(settings, builds)
  return [
    ...limits,
    ...(await products(settings, builds, limits)),
    ...(await updates(settings, limits[0])),
    ...(await recurrent(settings, limits[0])),
    ...(await inference(settings, limits[0])),
  ]
}

/** The rows with the settings `troupe speed` has by default. */
export function benchKernels(): Promise<SpeedRow[]> {
  return kernelSpeed()
}
