/** The LSTM against its formulas in scalars, through time and back. */
import { beforeAll, expect, test } from 'vitest'
import { Generator, namedSeed } from '../../envs/core/index.ts'
import { DuellingLstm, duel } from './lstm.ts'
import { tf } from './tensors.ts'
import { differentiateTogether } from './together.ts'

beforeAll(async () => {
  await tf.setBackend('cpu')
})

const rng = (name: string) => new Generator(namedSeed(1, name))
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x))

/** One unit, two inputs, three choices, in plain numbers; weights in the order of the slices. */
function byHand(
  p: Float32Array,
  inputs: readonly (readonly number[])[],
  start: readonly number[],
  h0: number,
  c0: number,
) {
  let [h, c] = [h0, c0]
  return inputs.map((x, t) => {
    if (start[t] === 1) [h, c] = [0, 0]
    const gate = (k: number) => x[0] * p[k] + x[1] * p[4 + k] + h * p[8 + k] + p[12 + k]
    c = sigmoid(gate(1)) * c + sigmoid(gate(0)) * Math.tanh(gate(2))
    h = sigmoid(gate(3)) * Math.tanh(c)
    const value = h * p[16] + p[17]
    const advantage = [0, 1, 2].map((a) => h * p[18 + a] + p[21 + a])
    const mean = (advantage[0] + advantage[1] + advantage[2]) / 3
    return { q: advantage.map((own) => value + own - mean), h, c }
  })
}

function small() {
  const net = new DuellingLstm({ name: 'x', inputs: 2, outputs: 3, hidden: 1 }, rng('weights'))
  const draws = rng('values')
  net.write(Float32Array.from({ length: net.size }, () => 2 * draws.float() - 1))
  return net
}

const INPUTS = [[0.5, -1], [1, 0.25], [-0.75, 2], [0.1, 0.2]] as const // prettier-ignore
const START = [0, 0, 1, 0]

test('steps, forgets and values as the formulas say, all at once and one by one', () => {
  const net = small()
  const wanted = byHand(net.read(), INPUTS, START, 0.3, -0.6)
  const sequences = { steps: 4, hidden: Float32Array.of(0.3, -0.6), start: Uint8Array.from(START) }
  const all = net.apply(tf.tensor2d(INPUTS.flat(), [4, 2]), net.parameters.variables, sequences).dataSync()
  wanted.flatMap(({ q }) => q).forEach((value, i) => expect(all[i]).toBeCloseTo(value, 5))
  const hidden = Float32Array.of(0.3, -0.6)
  INPUTS.forEach((x, t) => {
    const out = new Float32Array(3)
    net.infer(Float32Array.from(x), 1, out, { hidden, reset: Uint8Array.of(START[t]) })
    wanted[t].q.forEach((value, a) => expect(out[a]).toBeCloseTo(value, 5))
    expect(hidden[0]).toBeCloseTo(wanted[t].h, 5)
    expect(hidden[1]).toBeCloseTo(wanted[t].c, 5)
  })
  expect(() => net.infer(new Float32Array(2), 1, new Float32Array(3))).toThrow(/it is an LSTM/)
  net.dispose()
})

test('gradients through time are slopes by finite differences', () => {
  const net = small()
  const x = tf.tensor2d(INPUTS.flat(), [4, 2])
  const sequences = { steps: 4, hidden: Float32Array.of(0.3, -0.6), start: Uint8Array.from(START) }
  const gradient = new Float32Array(net.size)
  differentiateTogether([net], ([weights]) => tf.sum(tf.square(net.apply(x, weights, sequences))), [gradient])
  const start = net.read()
  const loss = (p: Float32Array) =>
    byHand(p, INPUTS, START, 0.3, -0.6).reduce((sum, { q }) => sum + q.reduce((own, one) => own + one * one, 0), 0)
  for (let i = 0; i < net.size; i++) {
    const [up, down] = [start.slice(), start.slice()]
    up[i] += 1e-2
    down[i] -= 1e-2
    const slope = (loss(up) - loss(down)) / (up[i] - down[i])
    expect(Math.abs(gradient[i] - slope), `${i}`).toBeLessThan(2e-3 * Math.max(1, Math.abs(slope)))
  }
  net.dispose()
})

test('a sequence beside others is what it is alone; forget gates begin open', () => {
  const net = new DuellingLstm({ name: 'x', inputs: 2, outputs: 3, hidden: 4 }, rng('more'))
  expect([...net.read().subarray(2 * 16 + 4 * 16, 2 * 16 + 4 * 16 + 16)]).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]) // prettier-ignore
  const run = (columns: number) => {
    const x = tf.tensor2d(INPUTS.flatMap((row) => Array.from({ length: columns }, (_, k) => row.map((one) => one + k)).flat()), [4 * columns, 2]) // prettier-ignore
    const hidden = new Float32Array(columns * 8)
    const q = net.apply(x, net.parameters.variables, { steps: 4, hidden, start: new Uint8Array(4 * columns) })
    return INPUTS.map((_, t) => [...q.dataSync().subarray(t * columns * 3, t * columns * 3 + 3)])
  }
  expect(run(5)).toEqual(run(1))
  net.dispose()
})

test('duelling: advantages count against their mean', () => {
  const q = duel(tf.tensor2d([[10], [0]]), tf.tensor2d([[1, 2, 6], [5, 5, 5]])).dataSync() // prettier-ignore
  expect([...q]).toEqual([8, 9, 13, 0, 0, 0])
})
