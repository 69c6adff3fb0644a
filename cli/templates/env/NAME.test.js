import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatch, episodeSeed } from 'troupe/envs'
import environment from './NAME.js'

const [STAY, LEFT, RIGHT] = [0, 1, 2]

/** One episode on a known seed; the tests find out where the lamp is from the observation. */
function open(options = {}) {
  const batch = createBatch(environment, options, { autoreset: 'disabled' })
  batch.reset([episodeSeed(1, 'eval', 0, 0)])
  return batch
}

test('a walker that reaches the lamp earns 1, and another lamp waits elsewhere', () => {
  const batch = open({ walkers: 1, cells: 5 })
  let steps = 0
  while (batch.reward[0] === 0 && steps++ < 5) {
    const way = batch.observation[1]
    batch.step(Int32Array.of(way > 0 ? RIGHT : LEFT))
  }
  assert.equal(batch.reward[0], 1)
  assert.notEqual(batch.observation[1], 0)
  assert.equal(batch.metrics(0).lampsLit, 1)
})

test('nobody walks through the end of the corridor', () => {
  const batch = open()
  assert.deepEqual([...batch.mask.subarray(0, 3)], [1, 0, 1]) // walker_0 starts at the left end
  assert.throws(() => batch.step(Int32Array.of(LEFT, STAY)), /masked/)
})

test('the same seed gives the same episode, another seed another lamp', () => {
  const lamps = [0, 0, 1, 2, 3, 4].map((episode) => {
    const batch = createBatch(environment, { cells: 64 })
    batch.reset([episodeSeed(1, 'eval', 0, episode)])
    return batch.observation[1]
  })
  assert.equal(lamps[0], lamps[1])
  assert.ok(new Set(lamps).size > 2)
})

test('the horizon cuts the episode', () => {
  const batch = open({ horizon: 7 })
  for (let step = 1; step <= 7; step++) {
    assert.equal(batch.truncated[0], 0)
    batch.step(Int32Array.of(STAY, STAY))
  }
  assert.equal(batch.truncated[0], 1)
})
