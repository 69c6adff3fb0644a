/** Recorded episodes: written, read, refused, and learned from. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { createBatch, episodeSeed } from '../envs/core/index.ts'
import { cloningLoss } from './bc.ts'
import { decodeSafetensors, encodeSafetensors } from './core/checkpoint.ts'
import { decodeDataset, encodeDataset, recordEpisodes, requireDataset, type Dataset } from './core/dataset.ts'
import { playEpisodes } from './core/play.ts'
import { type Policy } from './core/policy.ts'
import { tf } from './core/tensors.ts'
import { lit, open, recordedIn, start, train } from './core/testing.ts'
import { LEARNERS } from './index.ts'
import { registerSimd } from './kernels/index.ts'

beforeAll(async () => {
  execFileSync(process.execPath, [fileURLToPath(new URL('kernels/build.mjs', import.meta.url))])
  registerSimd(new Uint8Array(readFileSync(new URL('../dist/agents/kernels/simd.wasm', import.meta.url))))
  await tf.setBackend('simd')
})

/** Chooses the light that is on; of two dimensions the second stays 0. */
const follow: Policy = {
  name: 'follow',
  memory: () => null,
  act: ({ lanes, agents, spec, observation, alive }, _memory, out) => {
    const [D, F] = [spec.actionDims, spec.observationSize]
    out.action.fill(0)
    for (let row = 0; row < lanes * agents.length; row++) {
      if (alive[row] === 1) out.action[row * D] = observation.subarray(row * F, row * F + 4).indexOf(1)
    }
  },
}

const PLACE = lit({ masks: true, deaths: true, agents: 2 })

function recorded(episodes = 60): Dataset {
  const request = { policy: follow, episodes, teamReward: 'sum', seed: 1, source: 'follow' } as const
  return recordEpisodes({ batch: open(PLACE, 6, 'data'), ...request })
}

describe('a dataset', () => {
  test('is read as it was written', () => {
    const dataset = recorded()
    const back = decodeDataset(encodeDataset(dataset), 'here')
    expect(back.story).toEqual(dataset.story)
    expect(back.episodes.save()).toEqual(dataset.episodes.save())
    expect(back.story).toMatchObject({ format: 1, agents: ['agent_0', 'agent_1'], teamReward: 'sum', source: 'follow' })
  })

  test('holds as many episodes of every lane, in which everybody living did what the policy does', () => {
    const { episodes } = recorded(12)
    expect(episodes.count).toBe(12)
    const [seen, done, alive] = [episodes.column('observation'), episodes.column('action'), episodes.column('alive')]
    for (let episode = 0; episode < 12; episode++) {
      for (let t = 0; t + 1 < episodes.lengthOf(episode); t++) {
        for (let agent = 0; agent < 2; agent++) {
          const at = episodes.at(episode, t) * 2 + agent
          expect(done[at]).toBe(alive[at] === 1 ? seen.subarray(at * 4, at * 4 + 4).indexOf(1) : 0)
        }
      }
    }
    const odd = () => recordEpisodes({ batch: open(PLACE, 5), policy: follow, episodes: 12, teamReward: 'sum', seed: 1, source: '' }) // prettier-ignore
    expect(odd).toThrow(/episodes is 12; expected a multiple of the 5 lanes/)
  })

  test('of something else is refused, saying what and where', () => {
    const dataset = recorded(6)
    const bytes = encodeDataset(dataset)
    const tensors = decodeSafetensors(bytes)
    const story = (change: Record<string, unknown>) => ({ troupe: JSON.stringify({ ...dataset.story, ...change }) })
    const action = { ...tensors.action, data: tensors.action.data.slice() }
    action.data[3] = 4
    const cases: [Uint8Array, RegExp][] = [
      [new Uint8Array(5), /here is 5 bytes/],
      [encodeSafetensors(tensors), /here is no metadata "troupe"/],
      [encodeSafetensors(tensors, { troupe: '{' }), /expected a dataset that troupe wrote/],
      [encodeSafetensors(tensors, story({ format: 2 })), /dataset format 2; expected format 1/],
      [encodeSafetensors(tensors, story({ agents: [] })), /here: metadata/],
      [encodeSafetensors(tensors, story({ colour: 1 })), /colour/],
      [encodeSafetensors({ ...tensors, action }, story({})), /here: action is 4 in row 1; expected 0 to 3/],
      [encodeSafetensors({ ...tensors, lengths: tensors.reward }, story({})), /here: lengths/],
    ]
    for (const [bad, message] of cases) expect(() => decodeDataset(bad, 'here')).toThrow(message)
    const { spec } = open(lit({ agents: 3 }), 1)
    const ids = (n: number) => Array.from({ length: n }, (_, k) => `agent_${k}`)
    expect(() => requireDataset('bc', dataset, spec, ids(3))).toThrow(/bc: dataset: agents is 2; expected 3/)
    const own = open(PLACE, 1).spec
    const newer = { ...own, version: '9' }
    expect(() => requireDataset('bc', dataset, newer, ids(2))).toThrow(/dataset: version is "1"; expected "9"/)
    expect(() => requireDataset('bc', dataset, own, ['agent_1', 'agent_0'])).toThrow(/dataset: agents/)
    expect(() => requireDataset('bc', undefined, own, ids(2))).toThrow(/--dataset FILE/)
  })

  test('may be what a learner has in its memory', () => {
    const learner = start(LEARNERS.iql, PLACE)
    const metrics = train(learner, 6)
    expect(learner.dataset!().episodes.count).toBe(metrics[5].memoryEpisodes)
    const back = decodeDataset(encodeDataset(learner.dataset!()), 'here')
    expect(back.episodes.count).toBeGreaterThan(3)
    const cloned = start(LEARNERS.bc, PLACE, {}, { dataset: back })
    expect(cloned.collectAndUpdate().policyLoss).toBeGreaterThan(0)
    for (const each of [learner, cloned]) each.dispose()
  })
})

describe('behaviour cloning', () => {
  test('its loss is −log π of what was done, and its slope π less what was done, over legal choices', () => {
    const choices = {
      mask: Uint8Array.of(1, 1, 0, 1, 1, 1),
      action: Int32Array.of(0, 2),
      weight: Float32Array.of(1, 0), // the second row fills up
    }
    const logits = tf.tensor2d([1, 2, 50, 7, 8, 9], [2, 3])
    const loss = (x: tf.Tensor) => cloningLoss(x as tf.Tensor2D, choices, [3], 1)
    const { value, grad } = tf.valueAndGrad(loss)(logits)
    // p = 1 / (1 + e) for choice 0 and e / (1 + e) for choice 1.
    expect(value.dataSync()[0]).toBeCloseTo(Math.log(1 + Math.E), 5)
    const p = Math.E / (1 + Math.E)
    ;[-p, p, 0, 0, 0, 0].forEach((slope, i) => expect(grad.dataSync()[i]).toBeCloseTo(slope, 5))
  })

  for (const settings of [{}, { network: 'gru', layers: 1 }, { sharing: 'none' }]) {
    test(`does what a deterministic policy did, always, and returns the same: ${JSON.stringify(settings)}`, () => {
      const learner = start(LEARNERS.bc, PLACE, { batchSteps: 128, hidden: 16, lr: 0.02, ...settings }, { dataset: recorded() }) // prettier-ignore
      const metrics = train(learner, 120)
      expect(metrics.at(-1)!.accuracy).toBe(1)
      const seeds = Array.from({ length: 20 }, (_, k) => episodeSeed(1, 'eval', 0, k))
      const [mine, theirs] = [learner.policy('greedy'), follow].map((policy) => {
        const batch = createBatch(PLACE.env, PLACE.options, { lanes: 4, autoreset: 'disabled' })
        return playEpisodes({ batch, policy, seeds, rng: 1, teamReward: 'sum' }).episodes.map((each) => each.returns)
      })
      expect(mine).toEqual(theirs)
      learner.dispose()
    })
  }

  test('counts the steps it draws, and refuses to begin without episodes of its own agents', () => {
    const learner = start(LEARNERS.bc, PLACE, { batchSteps: 40, window: 8 }, { dataset: recorded() })
    train(learner, 3)
    expect([learner.steps, learner.stepsPerUpdate]).toEqual([120, 40])
    expect(() => start(LEARNERS.bc, PLACE, {}, { dataset: undefined })).toThrow(/bc: dataset is none/)
    expect(() => start(LEARNERS.bc, lit(), {}, { dataset: recordedIn(lit({ agents: 3 })) })).toThrow(
      /agents is 3; expected 2/,
    )
    learner.dispose()
  })
})
