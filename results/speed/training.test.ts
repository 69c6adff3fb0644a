import { expect, test } from 'vitest'
import { busiest, threadTimes } from './threads.ts'
import { operationsPerStep, trainingSpeed } from './training.ts'

test('training is timed for every network, and a row says what it counted', async () => {
  const learner = { lanes: 4, shards: 2, rolloutSteps: 4, hidden: 8, epochs: 1, minibatches: 1 }
  const values = { lanes: 4, rolloutSteps: 50, hidden: 4, batchEpisodes: 2 }
  const small = { lanes: 4, rolloutSteps: 5, hidden: 4, batch: 8, updates: 1 }
  const others = {
    maddpg: small,
    hasac: small,
    happo: { lanes: 4, rolloutSteps: 4, hidden: 4, epochs: 1, minibatches: 1 },
    ia2c: { lanes: 4, rolloutSteps: 4, hidden: 4 },
  }
  const all = await trainingSpeed({ runs: 2, workers: [1], learner, values, others, backend: 'cpu' })
  const [qmix, maddpg, hasac, happo, ia2c, ...rows] = all
  for (const [row, name] of [
    [maddpg, 'particles/spread-continuous: maddpg training, 1 worker'],
    [hasac, 'particles/spread-continuous: hasac training, 1 worker'],
    [happo, 'warehouse/tiny-4ag: happo training, 1 worker'],
    [ia2c, 'warehouse/tiny-4ag: ia2c training, 1 worker'],
  ] as const) {
    expect(row).toMatchObject({ name, unit: 'env-steps/s', note: expect.stringContaining('backend cpu') as string })
    expect(row.median).toBeGreaterThan(0)
    expect(row.byCpuTime).toBeGreaterThan(0)
  }
  expect(qmix).toMatchObject({
    name: 'foraging/8x8-2p-2f-coop: qmix training, 1 worker',
    note: expect.stringMatching(/^4 lanes, hidden 4, 1 gradient steps per episode on 2 episodes.*cpu/) as string,
    ratios: [{ of: expect.stringContaining('855') as string, value: qmix.median / 855 }],
  })
  expect(rows.map(({ name }) => name)).toEqual([
    'warehouse/tiny-4ag: mappo training, per-agent critic, 1 worker',
    'warehouse/tiny-4ag: mappo training, n-headed critic, 1 worker',
    'warehouse/tiny-4ag: mappo training, GRU actor, per-agent critic, 1 worker',
  ])
  for (const row of rows) {
    expect(row).toMatchObject({ unit: 'env-steps/s', note: expect.stringMatching(/^4 lanes × 4 steps.*2 shards.*cpu/) })
    expect(row.runs).toHaveLength(2)
    expect(row.median).toBeGreaterThan(0)
    expect(row.byCpuTime).toBeGreaterThan(0)
    expect(row.ratios).toBeUndefined() // the tile is measured for simd only
  }
})

test('the operations of a step count every pass and gradient once', () => {
  const tensor = (...shape: number[]) => ({ shape, data: new Float32Array(0) })
  const weights = {
    'actor/layer0/weight': tensor(10, 4),
    'actor/layer0/bias': tensor(4),
    'actor/layer1/weight': tensor(4, 2),
    'critic/layer0/weight': tensor(20, 3),
    'normaliser/mean': tensor(5, 5),
  }
  // Actor, 3 passes: 40 · (1 + 2 · 2) + 8 · (1 + 2 · 3) = 256; critic, 1 pass: 60 · 5 = 300. A multiplication and an addition.
  expect(operationsPerStep(weights, { actor: 3, critic: 1 }, 2)).toBe(2 * (3 * 256 + 300))
})

test('of several threads the busiest counts, and the longest wait of those that work', () => {
  const time = (ran: number, waited: number) => ({ ran, waited })
  const before = new Map([['1', time(100, 5)], ['2', time(50, 7)], ['3', time(9, 900)]]) // prettier-ignore
  const after = new Map([['1', time(300, 6)], ['2', time(260, 47)], ['3', time(19, 990)], ['4', time(1, 2000)]]) // prettier-ignore
  expect(busiest(before, after, 2)).toEqual({ ran: 210, waited: 40 })
  expect(busiest(before, after, 1)).toEqual({ ran: 210, waited: 40 })
  const now = threadTimes()
  if (process.platform === 'linux') expect(now!.get(String(process.pid))!.ran).toBeGreaterThan(0)
  else expect(now).toBeNull()
})
