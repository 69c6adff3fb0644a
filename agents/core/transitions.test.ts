import { expect, test } from 'vitest'
import { Generator, envSpec, namedSeed } from '../../envs/core/index.ts'
import { Memory } from './memory.ts'
import { Rollout } from './rollout.ts'
import { dials, lights } from './toys.ts'
import { drawSteps, keepSteps, stepShapes } from './transitions.ts'

/** One lane, four steps: the third terminates or is cut; rewards 1, 2, 4, 8. */
function played(end: 'terminated' | 'truncated') {
  const spec = envSpec(lights, { agents: 2 })
  const rollout = new Rollout(spec, 4, 1, 2)
  rollout.observation.forEach((_, i) => (rollout.observation[i] = Math.floor(i / 8))) // the number of the step
  rollout.alive.fill(1)
  rollout.alive[2 * 1 + 1] = 0 // agent 1 is dead at step 1
  rollout.mask.fill(1)
  rollout.mask[4 * 8 + 1] = 0 // after the last step
  for (let t = 0; t < 4; t++) rollout.reward.fill(2 ** t, t * 2, t * 2 + 2)
  rollout[end][2] = 1
  if (end === 'truncated') {
    rollout.cuts.push(2)
    rollout.finalObservation.fill(99)
    rollout.finalAlive.fill(1)
    rollout.finalMask.fill(0)
  }
  return { spec, rollout }
}

function kept(end: 'terminated' | 'truncated', window: number, bootstrapTruncated = true) {
  const { spec, rollout } = played(end)
  const memory = new Memory(stepShapes(spec, 2, true), { sequences: 10 })
  keepSteps(rollout, new Uint8Array(8), memory, { gamma: 0.5, window, bootstrapTruncated, rewardScale: 10 })
  const all = memory.places(Int32Array.of(0, 1, 2, 3))
  const every = (name: 'reward' | 'discount' | 'next' | 'observation', width: number) =>
    [...memory.gather(name, all)].filter((_, i) => i % width === 0)
  return {
    memory,
    all,
    reward: every('reward', 2),
    discount: every('discount', 1),
    next: every('next', 16 / 2),
    observation: every('observation', 8),
  }
}

test('single steps: an end by the rules is worth nothing after, a cut its last state', () => {
  const ended = kept('terminated', 1)
  expect(ended.reward).toEqual([10, 20, 40, 80])
  expect(ended.discount).toEqual([0.5, 0.5, 0, 0.5])
  const cut = kept('truncated', 1)
  expect(cut.discount).toEqual([0.5, 0.5, 0.5, 0.5])
  expect(cut.next).toEqual([1, 2, 99, 4])
  expect(kept('truncated', 1, false).discount).toEqual([0.5, 0.5, 0, 0.5])
})

test('rewards of several steps stop at the end of an episode and of the rollout, and so does their discount', () => {
  // Step 0: 1 + 2/2 = 2 with two, 1 + 2/2 + 4/4 = 3 with three; step 1: 2 + 4/2 = 4; steps 2 and 3 stand alone.
  const two = kept('terminated', 2)
  expect(two.reward).toEqual([20, 40, 40, 80])
  expect(two.discount).toEqual([0.25, 0, 0, 0.5])
  const three = kept('truncated', 3)
  expect(three.reward).toEqual([30, 40, 40, 80])
  expect(three.discount).toEqual([0.125, 0.25, 0.5, 0.5])
  expect(three.next).toEqual([99, 99, 99, 4])
})

test('of the dead zeros are kept; masks of what followed come from the end of the rollout or of the episode', () => {
  const { memory, all } = kept('truncated', 1)
  const observation = memory.gather('observation', all)
  expect([...observation.subarray(8, 16)]).toEqual([1, 1, 1, 1, 0, 0, 0, 0])
  expect([...memory.gather('next', all).subarray(0, 8)]).toEqual([1, 1, 1, 1, 0, 0, 0, 0])
  const next = memory.gather('nextMask', all)
  expect([...next.subarray(24)]).toEqual([1, 0, 1, 1, 1, 1, 1, 1])
  expect([...next.subarray(16, 24)]).toEqual(new Array(8).fill(0))
})

test('real-valued actions are kept in half-ranges, cut as they were played', () => {
  const spec = envSpec(dials, { agents: 1 })
  const rollout = new Rollout(spec, 1, 1, 1)
  rollout.drawn.set([1.7, -0.25])
  const memory = new Memory(stepShapes(spec, 1, false), { sequences: 4 })
  keepSteps(rollout, new Uint8Array(1), memory, { gamma: 1, window: 1, bootstrapTruncated: true, rewardScale: 1 })
  expect([...memory.gather('action', memory.places(Int32Array.of(0)))]).toEqual([1, -0.25])
})

test('steps of one policy of one agent are drawn alone and evenly; parts of an agent share no step and miss none', () => {
  const spec = envSpec(lights, { agents: 2 })
  const memory = new Memory(stepShapes(spec, 2, false), { sequences: 60 })
  const rollout = new Rollout(spec, 60, 1, 2)
  const parts = new Uint8Array(120)
  const rng = new Generator(namedSeed(1, 'parts'))
  for (let t = 0; t < 60; t++) {
    rollout.reward[t * 2] = t
    parts[t * 2] = rng.below(3)
    parts[t * 2 + 1] = rng.below(3)
  }
  keepSteps(rollout, parts, memory, { gamma: 1, window: 1, bootstrapTruncated: true, rewardScale: 1 })
  const found = [0, 1, 2].map((part) => drawSteps(memory, rng, 3000, { agent: 0, part }))
  const seen = found.map(({ reward }) => new Set([...reward].filter((_, i) => i % 2 === 0)))
  seen.forEach((steps, part) => steps.forEach((t) => expect(parts[t * 2]).toBe(part)))
  expect(seen.reduce((sum, { size }) => sum + size, 0)).toBe(60)
})
