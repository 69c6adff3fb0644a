import { expect, test } from 'vitest'
import { Generator, namedSeed, type ActionSpace, type EnvSpec } from '../../envs/core/index.ts'
import { type AgentView } from '../core/policy.ts'
import { random } from './random.ts'

function view(action: ActionSpace, sizes: number[], mask: number[], lanes = 1): AgentView {
  const width = sizes.reduce((sum, size) => sum + size, 0)
  const agents = [{ id: 'agent_0', team: 'a', kind: 'a', observation: [], action }]
  const dims = action.kind === 'discrete' ? 1 : action.dimensions.length
  const spec = { agents, actionKind: action.kind, actionSizes: sizes, actionSize: width, actionDims: dims }
  return {
    spec: spec as unknown as EnvSpec,
    lanes,
    agents: Int32Array.of(0),
    observation: new Float32Array(0),
    mask: Uint8Array.from({ length: lanes * width }, (_, i) => mask[i % width]),
    alive: new Uint8Array(lanes).fill(1),
    episodeStart: new Uint8Array(lanes),
  }
}

const rng = () => new Generator(namedSeed('random', 'test'))
const policy = random.create(undefined as unknown as EnvSpec)
if (policy.privileged === true) throw new Error('random needs no privilege')

test('every legal choice is equally likely and no masked one is taken', () => {
  const lanes = 6000
  const seen = view({ kind: 'discrete', names: ['a', 'b', 'c', 'd'] }, [4], [1, 0, 1, 1], lanes)
  const out = {
    action: new Int32Array(lanes).fill(-1),
    probability: new Float32Array(lanes * 4).fill(-1),
    logProbability: new Float32Array(lanes),
  }
  policy.act(seen, policy.memory(lanes, 1), out, rng())
  const counts = [0, 0, 0, 0]
  for (const choice of out.action) counts[choice]++
  expect(counts[1]).toBe(0)
  // 2,000 expected each; four standard deviations are 146.
  for (const choice of [0, 2, 3]) expect(Math.abs(counts[choice] - 2000)).toBeLessThan(146)
  expect([...out.probability.subarray(0, 4)]).toEqual([1, 0, 1, 1].map((legal) => Math.fround(legal / 3)))
  expect(out.logProbability[0]).toBeCloseTo(-Math.log(3))
})

test('dimensions are drawn one by one', () => {
  const dimensions = [
    { name: 'move', values: ['a', 'b', 'c'] },
    { name: 'bit', values: ['0', '1'] },
  ]
  const lanes = 300
  const seen = view({ kind: 'multi-discrete', dimensions }, [3, 2], [0, 1, 1, 1, 1], lanes)
  const action = new Int32Array(lanes * 2)
  policy.act(seen, null, { action }, rng())
  const pairs = new Set(Array.from({ length: lanes }, (_, lane) => `${action[lane * 2]}${action[lane * 2 + 1]}`))
  expect([...pairs].sort()).toEqual(['10', '11', '20', '21'])
})

test('numbers are uniform over their range', () => {
  const dimensions = [
    { name: 'x', low: -2, high: 6 },
    { name: 'y', low: 0, high: 1 },
  ]
  const lanes = 4000
  const seen = view({ kind: 'box', dimensions }, [], [], lanes)
  const out = { action: new Float32Array(lanes * 2), logProbability: new Float32Array(lanes) }
  policy.act(seen, null, out, rng())
  let sum = 0
  for (let lane = 0; lane < lanes; lane++) {
    expect(out.action[lane * 2]).toBeGreaterThanOrEqual(-2)
    expect(out.action[lane * 2]).toBeLessThan(6)
    sum += out.action[lane * 2]
  }
  expect(Math.abs(sum / lanes - 2)).toBeLessThan(0.15) // standard error 0.037
  expect(out.logProbability[0]).toBeCloseTo(-Math.log(8))
})

test('a lane with its own generator draws the same beside others', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const seeds = [0, 1, 2].map((lane) => namedSeed(lane, 'lane'))
  const many = { action: new Int32Array(3) }
  policy.actLanes!(
    view({ kind: 'discrete', names }, [5], [1, 1, 1, 1, 1], 3),
    null,
    many,
    seeds.map((s) => new Generator(s)),
  )
  const alone = seeds.map((seed) => {
    const out = { action: new Int32Array(1) }
    policy.act(view({ kind: 'discrete', names }, [5], [1, 1, 1, 1, 1]), null, out, new Generator(seed))
    return out.action[0]
  })
  expect([...many.action]).toEqual(alone)
})
