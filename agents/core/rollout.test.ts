import { expect, test } from 'vitest'
import { Generator, createBatch, namedSeed } from '../../envs/core/index.ts'
import { type ActionBatch, type AgentView } from './policy.ts'
import { Collector, Rollout, SeatView } from './rollout.ts'
import { clock, lights } from './toys.ts'

const rng = () => new Generator(namedSeed(1, 'others'))

/** Chooses the light that an agent sees, so that every reward is known; -1 as its log-probability. */
function follow(view: AgentView, out: ActionBatch): void {
  const D = view.spec.actionDims
  for (let row = 0; row < view.lanes * view.agents.length; row++) {
    const seen = view.observation.subarray(row * 4, row * 4 + 4).indexOf(1)
    out.action[row * D] = view.alive[row] === 0 ? 0 : seen
    if (out.logProbability !== undefined) out.logProbability[row] = -1 - row
  }
}

test('a step is one row: what was seen, done, paid, and how it ended', () => {
  const lanes = 3
  const batch = createBatch(lights, { agents: 2, horizon: 4 }, { lanes })
  batch.reset()
  const rollout = new Rollout(batch.spec, 6, lanes, 2)
  for (const column of [rollout.reward, rollout.logProbability, rollout.observation]) column.fill(NaN)
  rollout.action.fill(-77)
  new Collector(batch, 'test', 'none').collect(rollout, follow, rng())
  for (let t = 0; t < 6; t++) {
    for (let lane = 0; lane < lanes; lane++) {
      expect(rollout.truncated[t * lanes + lane]).toBe(t === 3 ? 1 : 0)
      expect(rollout.terminated[t * lanes + lane]).toBe(0)
      for (let agent = 0; agent < 2; agent++) {
        const i = (t * lanes + lane) * 2 + agent
        const seen = rollout.observation.subarray(i * 4, i * 4 + 4).indexOf(1)
        expect(rollout.action[i]).toBe(seen)
        expect(rollout.reward[i]).toBe(1)
        expect(rollout.logProbability[i]).toBe(-1 - (lane * 2 + agent))
        // the state shows both agents' lights
        expect(rollout.state[(t * lanes + lane) * 8 + agent * 4 + seen]).toBe(1)
      }
    }
  }
  expect(rollout.episodeReturns).toEqual([8, 8, 8])
  expect(rollout.episodeLengths).toEqual([4, 4, 4])
  // The last row is what the last action led to: what the batch shows now.
  expect([...rollout.observation.subarray(6 * lanes * 8)]).toEqual([...batch.observation])
  expect([...rollout.state.subarray(6 * lanes * 8)]).toEqual([...batch.state])
})

test('a cut episode leaves its last observation, not the first of the next; any number of cuts fits', () => {
  const batch = createBatch(clock, {}, { lanes: 2 })
  batch.reset()
  const rollout = new Rollout(batch.spec, 45, 2, 1)
  new Collector(batch, 'test', 'none').collect(rollout, (_view, out) => void out.action.fill(0), rng())
  expect(rollout.cuts).toEqual([9, 19, 29, 39].flatMap((t) => [t * 2, t * 2 + 1]))
  expect([...rollout.finalObservation.subarray(0, 8)]).toEqual(Array<number>(8).fill(1)) // 10 / 10; a new one shows 0
  expect([...rollout.finalAlive.subarray(0, 8)]).toEqual(Array<number>(8).fill(1))
  expect(rollout.observation[10 * 2]).toBe(0)
})

test('a cut leaves the final state, who lived and what was legal, of the learning agents in their order', () => {
  const batch = createBatch(lights, { agents: 3, deaths: true, masks: true, horizon: 3 }, { lanes: 4 })
  batch.reset()
  const watcher = { name: 'follow', memory: () => null, act: (view: AgentView, _m: unknown, out: ActionBatch) => follow(view, out) } // prettier-ignore
  const rollout = new Rollout(batch.spec, 3, 4, 2)
  const collector = new Collector(batch, 'test', 'none', [2, 0], [{ policy: watcher, agents: [1] }])
  const seen: { state: number[]; alive: number[]; observation: number[]; mask: number[] }[] = []
  const step = batch.step.bind(batch)
  batch.step = (action) => {
    step(action)
    for (let lane = 0; lane < 4; lane++) {
      if (batch.truncated[lane] === 0) continue
      const part = (rows: Float32Array | Uint8Array, width: number) =>
        [2, 0].flatMap((agent) => [...rows.subarray((lane * 3 + agent) * width, (lane * 3 + agent + 1) * width)])
      seen.push({
        state: [...batch.finalState.subarray(lane * 12, lane * 12 + 12)],
        alive: part(batch.finalAlive, 1),
        observation: part(batch.finalObservation, 4),
        mask: part(batch.finalMask, 4),
      })
    }
  }
  collector.collect(rollout, follow, rng())
  expect(rollout.cuts.length).toBe(seen.length)
  expect(seen.length).toBeGreaterThan(0)
  seen.forEach(({ state, alive, observation, mask }, k) => {
    expect([...rollout.finalState.subarray(k * 12, k * 12 + 12)]).toEqual(state)
    expect([...rollout.finalAlive.subarray(k * 2, k * 2 + 2)]).toEqual(alive)
    expect([...rollout.finalObservation.subarray(k * 8, k * 8 + 8)]).toEqual(observation)
    expect([...rollout.finalMask.subarray(k * 8, k * 8 + 8)]).toEqual(mask)
  })
})

test('terminated lanes are no cuts', () => {
  const batch = createBatch(lights, { deaths: true, horizon: 1000 }, { lanes: 8 })
  batch.reset()
  const rollout = new Rollout(batch.spec, 60, 8, 2)
  new Collector(batch, 'test', 'none').collect(rollout, follow, rng())
  expect(rollout.terminated.includes(1)).toBe(true)
  expect(rollout.cuts).toEqual([])
})

test('rewards are shared by team before they are stored', () => {
  const batch = createBatch(lights, { agents: 3 }, { lanes: 1 })
  batch.reset()
  const rollout = new Rollout(batch.spec, 2, 1, 3)
  new Collector(batch, 'test', 'sum').collect(rollout, follow, rng())
  expect([...rollout.reward]).toEqual([3, 3, 3, 3, 3, 3])
})

test('a seat view copies the rows of its agents, in its order', () => {
  const batch = createBatch(lights, { agents: 3, masks: true }, { lanes: 2 })
  batch.reset()
  const view = new SeatView(batch, Int32Array.of(2, 0))
  view.observation.fill(NaN)
  view.look()
  const rows = (array: Float32Array | Uint8Array) =>
    [2, 0, 5, 3].flatMap((row) => [...array.subarray(row * 4, row * 4 + 4)])
  expect([...view.observation]).toEqual(rows(batch.observation))
  expect([...view.mask]).toEqual(rows(batch.mask))
})
