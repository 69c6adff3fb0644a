import { beforeAll, expect, test } from 'vitest'
import { createBatch, episodeSeed, type EnvDefinition, type Generator } from '../../envs/core/index.ts'
import { readReplay, verifyReplay } from '../../envs/core/replay.ts'
import { mappo } from '../mappo.ts'
import { statistics, summarise } from './evaluate.ts'
import { playEpisodes, type PlayRequest } from './play.ts'
import { type ActionBatch, type AgentView, type AnyPolicy } from './policy.ts'
import { tf } from './tensors.ts'
import { lights } from './toys.ts'

beforeAll(async () => {
  await tf.setBackend('cpu')
})

const OPTIONS = { masks: true, deaths: true, agents: 2, horizon: 12 }
const open = (lanes: number) => createBatch(lights, OPTIONS, { lanes, autoreset: 'disabled' })
const seeds = Array.from({ length: 11 }, (_, k) => episodeSeed('play', 'eval', 0, k))

/** Uniform over the legal, and it remembers how often it was asked in the episode. */
const uniform: AnyPolicy = {
  name: 'uniform',
  memory: (lanes: number) => ({ asked: new Int32Array(lanes) }),
  act(view: AgentView, memory: unknown, out: ActionBatch, rng: Generator) {
    const { asked } = memory as { asked: Int32Array }
    const n = view.agents.length
    for (let row = 0; row < view.lanes * n; row++) {
      const legal = [0, 1, 2, 3].filter((a) => view.mask[row * 4 + a] === 1)
      out.action[row] = legal[rng.below(legal.length)]
      legal.forEach((a) => (out.probability ? (out.probability[row * 4 + a] = 1 / legal.length) : 0))
    }
    for (let lane = 0; lane < view.lanes; lane++) {
      if (view.episodeStart[lane] === 1) expect(asked[lane]).toBe(0)
      asked[lane]++
    }
  },
}

const learned = () => {
  const batch = createBatch(lights, OPTIONS, { lanes: 4 })
  const learner = mappo.create({ batch, settings: { lanes: 4, rolloutSteps: 6, lr: 0.01 }, seed: 1, teamReward: 'sum' })
  for (let k = 0; k < 3; k++) learner.collectAndUpdate()
  return learner
}

const play = (change: Partial<PlayRequest> & Pick<PlayRequest, 'batch'>) =>
  playEpisodes({ policy: uniform, seeds, rng: 'dice', teamReward: 'sum', ...change })

test('results do not depend on the number of lanes, for asked-by-lane and asked-at-once policies, sampled or greedy', () => {
  const learner = learned()
  for (const policy of [uniform, learner.policy('sample'), learner.policy('greedy')]) {
    const one = play({ batch: open(1), policy })
    expect(one.episodes.map((episode) => episode.seed)).toEqual(seeds)
    for (const lanes of [2, 3, 11, 16]) {
      const many = play({ batch: open(lanes), policy })
      expect(many).toEqual(one)
    }
  }
})

test('other draws make other episodes, the same draws the same', () => {
  const first = play({ batch: open(3) })
  expect(play({ batch: open(3) })).toEqual(first)
  expect(play({ batch: open(3), rng: 'other dice' })).not.toEqual(first)
})

test('what is counted: lengths, returns by agent and together, steps', () => {
  const { episodes, steps } = play({ batch: open(4) })
  let counted = 0
  play({ batch: open(4), onStep: (stepped) => void (counted += stepped) })
  expect(steps).toBe(episodes.reduce((sum, episode) => sum + episode.length, 0))
  expect(counted).toBe(steps)
  for (const episode of episodes) {
    expect(episode.return).toBe(episode.returns[0] + episode.returns[1])
    expect(episode.metrics.right).toBe(episode.return) // a point per right choice
    expect(episode.terminated).toBe(!episode.truncated)
    expect(episode.length).toBeLessThanOrEqual(12)
  }
  const mean = play({ batch: open(4), teamReward: 'mean' }).episodes
  expect(mean.map((episode) => episode.return * 2)).toEqual(episodes.map((episode) => episode.return))
})

test('recorded episodes verify, and hold what the policy said', () => {
  const learner = learned()
  const record = (episode: number) =>
    episode % 5 === 0
      ? { scenario: { id: 'toy' }, policies: [{ name: 'mappo' }], package: '0', label: `${episode}` }
      : null
  const { episodes } = play({
    batch: open(3),
    policy: learner.policy('sample'),
    record,
    values: (batch, out) => learner.values(batch, out),
  })
  expect(episodes.map((episode, k) => (episode.replay === undefined ? -1 : k)).filter((k) => k >= 0)).toEqual([
    0, 5, 10,
  ])
  for (const k of [0, 5, 10]) {
    const replay = readReplay(episodes[k].replay!)
    expect(verifyReplay(replay, lights as unknown as EnvDefinition)).toMatchObject({
      ok: true,
      steps: episodes[k].length,
    })
    expect(replay.header.label).toBe(`${k}`)
    expect(replay.header.seed).toBe(seeds[k])
    expect(replay.header.result!.returns).toEqual(episodes[k].returns)
    const { probability, value, actions, steps } = replay
    expect(value).toHaveLength(steps * 2)
    for (let row = 0; row < steps * 2; row++) {
      const p = probability!.subarray(row * 4, row * 4 + 4)
      expect(p.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 2) // stored as float16
      expect(p[actions[row]]).toBeGreaterThan(0)
    }
  }
})

test('recording changes nothing that is played', () => {
  const record = () => ({ scenario: {}, policies: [{ name: 'uniform' }], package: '0' })
  const plain = play({ batch: open(3) }).episodes
  const recorded = play({ batch: open(3), record }).episodes
  expect(recorded.map(({ replay: _replay, ...rest }) => rest)).toEqual(plain)
})

test('a batch that resets itself is refused', () => {
  const batch = createBatch(lights, OPTIONS, { lanes: 2 })
  expect(() => play({ batch })).toThrow(/autoreset same-step; expected autoreset 'disabled'/)
})

test('statistics: sample deviation, 95 % interval by Student t', () => {
  // mean 4, squares 9 + 1 + 1 + 9 = 20, std √(20/3) = 2.58199, half-width 3.182446 · 2.58199 / 2 = 4.10852
  const { mean, std, min, max, interval } = statistics([1, 3, 5, 7])
  expect([mean, min, max]).toEqual([4, 1, 7])
  expect(std).toBeCloseTo(2.5819889, 6)
  expect(interval[0]).toBeCloseTo(4 - 4.10852, 5)
  expect(interval[1]).toBeCloseTo(4 + 4.10852, 5)
  // t for 31 degrees of freedom is 2.039513 (SciPy); half of 32 zeros and ones apart by 1 have std 0.508001.
  const many = statistics(Array.from({ length: 32 }, (_, i) => i % 2))
  expect(many.interval[1] - many.mean).toBeCloseTo((2.039513 * many.std) / Math.sqrt(32), 6)
  expect(statistics([2])).toEqual({ mean: 2, std: 0, min: 2, max: 2, interval: [2, 2] })
})

test('a summary names its protocol and leaves undefined metrics out of the means', () => {
  const episode = (value: number, wins: number | null) => ({
    seed: seeds[0],
    return: value,
    returns: [value],
    length: 3,
    terminated: true,
    truncated: false,
    metrics: { wins, never: null },
  })
  const summary = summarise([episode(1, 4), episode(3, null), episode(5, 6)], 'greedy', 'mean')
  expect(summary.protocol).toEqual({ policy: 'greedy', episodes: 3, return: 'mean over agents' })
  expect(summary.return.mean).toBe(3)
  expect(summary.metrics).toEqual({ wins: 5, never: null })
  expect(summary.returns).toEqual([1, 3, 5])
})

test('what a policy says goes into the replay: of a recurrent actor the norm of its state, whatever the lanes', () => {
  const header = { scenario: { id: 'toys/lights', teamReward: 'sum' }, policies: [{ name: 'p' }], package: '0' }
  const recorded = (policy: AnyPolicy, lanes: number) =>
    play({ batch: open(lanes), policy, seeds: seeds.slice(0, 2), record: () => header }).episodes.map(
      ({ replay }) => readReplay(replay!).notes ?? [],
    )
  expect(recorded(uniform, 2)).toEqual([[], []])
  const asked: AnyPolicy = {
    ...uniform,
    says: (memory, lane) => `asked ${(memory as { asked: Int32Array }).asked[lane]}`,
  }
  for (const notes of recorded(asked, 2)) {
    expect(notes).toEqual(notes.map((_, step) => ({ step, text: `asked ${step + 1}` })))
    expect(notes.length).toBeGreaterThan(3)
  }

  const batch = createBatch(lights, OPTIONS, { lanes: 4 })
  const settings = { lanes: 4, rolloutSteps: 6, network: 'gru', hidden: 8 }
  const policy = mappo.create({ batch, settings, seed: 1, teamReward: 'sum' }).policy('greedy')
  const one = recorded(policy, 1)
  expect(recorded(policy, 2)).toEqual(one)
  // Eight numbers between -1 and 1 that grow from nothing.
  const norms = one[0].map(({ text }) =>
    text.split('\n').map((line) => Number(/^agent_\d memory (.+)$/.exec(line)![1])),
  )
  for (const row of norms) {
    expect(row).toHaveLength(2)
    for (const norm of row) expect(norm > 0 && norm <= Math.sqrt(8)).toBe(true)
  }
  expect(norms[1]).not.toEqual(norms[0])
})
