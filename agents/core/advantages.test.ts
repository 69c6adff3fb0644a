import { expect, test } from 'vitest'
import { gae, nextValues } from './advantages.ts'

const T = 6

function run(change: Partial<Parameters<typeof gae>[0]> = {}) {
  const value = change.value ?? Float64Array.of(0.5, -1, 2, 0, 1, 3)
  const nextValue = change.nextValue ?? Float64Array.of(-1, 2, 0, 1, 3, 4)
  const input = {
    steps: T,
    lanes: 1,
    agents: 1,
    gamma: 0.9,
    lambda: 0.8,
    reward: Float64Array.of(1, 0, -2, 1, 0, 5),
    terminated: new Uint8Array(T),
    truncated: new Uint8Array(T),
    ...change,
    value,
    nextValue,
  }
  const advantage = new Float64Array(T * input.lanes * input.agents).fill(NaN)
  const returns = advantage.slice()
  gae(input, advantage, returns)
  return { advantage, returns, input }
}

test('lambda 0 leaves the one-step error', () => {
  const { advantage, input } = run({ lambda: 0 })
  for (let t = 0; t < T; t++) {
    expect(advantage[t]).toBeCloseTo(input.reward[t] + 0.9 * input.nextValue[t] - input.value[t], 12)
  }
})

test('lambda 1 makes the return the discounted rewards and the bootstrap', () => {
  const { returns, input } = run({ lambda: 1 })
  let expected = input.nextValue[T - 1]
  for (let t = T - 1; t >= 0; t--) {
    expected = input.reward[t] + 0.9 * expected
    expect(returns[t]).toBeCloseTo(expected, 12)
  }
})

test('without discount and end, a constant added to every value changes nothing', () => {
  const plain = run({ gamma: 1 })
  const shifted = run({
    gamma: 1,
    value: plain.input.value.map((value) => value + 7),
    nextValue: plain.input.nextValue.map((value) => value + 7),
  })
  for (let t = 0; t < T; t++) expect(shifted.advantage[t]).toBeCloseTo(plain.advantage[t], 12)
})

test('with a termination the constant comes through the last step only, by −c lambda^k', () => {
  const terminated = Uint8Array.of(0, 0, 0, 0, 0, 1)
  const plain = run({ gamma: 1, terminated })
  const shifted = run({
    gamma: 1,
    terminated,
    value: plain.input.value.map((value) => value + 7),
    nextValue: plain.input.nextValue.map((value) => value + 7),
  })
  for (let t = 0; t < T; t++) {
    expect(shifted.advantage[t] - plain.advantage[t]).toBeCloseTo(-7 * 0.8 ** (T - 1 - t), 12)
  }
})

test('lanes and agents do not leak into each other', () => {
  // Three columns of one lane, and the same as two lanes with one or two agents: the ends are the lane's.
  const lanes = 2
  const agents = 2
  const size = T * lanes * agents
  const noise = (seed: number) => Float64Array.from({ length: size }, (_, i) => Math.sin(i * 12.9898 + seed) * 3)
  const terminated = Uint8Array.from({ length: T * lanes }, (_, i) => (i === 5 ? 1 : 0)) // t 2, lane 1
  const truncated = Uint8Array.from({ length: T * lanes }, (_, i) => (i === 6 ? 1 : 0)) // t 3, lane 0
  const whole = run({ lanes, agents, reward: noise(1), value: noise(2), nextValue: noise(3), terminated, truncated })
  for (let lane = 0; lane < lanes; lane++) {
    for (let agent = 0; agent < agents; agent++) {
      const column = (all: ArrayLike<number>) =>
        Float64Array.from({ length: T }, (_, t) => all[(t * lanes + lane) * agents + agent])
      const flags = (all: Uint8Array) => Uint8Array.from({ length: T }, (_, t) => all[t * lanes + lane])
      const alone = run({
        reward: column(noise(1)),
        value: column(noise(2)),
        nextValue: column(noise(3)),
        terminated: flags(terminated),
        truncated: flags(truncated),
      })
      expect([...column(whole.advantage)]).toEqual([...alone.advantage])
    }
  }
})

test('the value that follows a cut is that of the final state, not of the state after the reset', () => {
  // T 2, B 2, n 1: lane 1 is cut at t 0; its next row (value 40) belongs to a new episode.
  const out = new Float64Array(4).fill(NaN)
  nextValues(Float64Array.of(10, 20, 30, 40, 50, 60), 2, 2, 1, [1], Float64Array.of(99), out)
  expect([...out]).toEqual([30, 99, 50, 60])
})
