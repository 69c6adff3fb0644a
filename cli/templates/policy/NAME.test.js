import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Generator, envSpec, ENVS, namedSeed } from 'troupe/envs'
import definition from './NAME.js'

const spec = envSpec(ENVS.matrix)

/** What two agents in `lanes` episodes see: nothing but their masks matter to this policy. */
function view(lanes, mask, episodeStart = 0) {
  return {
    spec,
    lanes,
    agents: Int32Array.of(0, 1),
    observation: new Float32Array(lanes * 2 * spec.observationSize),
    mask: Uint8Array.from({ length: lanes * 2 * spec.actionSize }, (_, i) => mask[i % mask.length]),
    alive: new Uint8Array(lanes * 2).fill(1),
    episodeStart: new Uint8Array(lanes).fill(episodeStart),
  }
}

test('it never chooses what is masked', () => {
  const policy = definition.create(spec)
  const memory = policy.memory(4, 2)
  const rng = new Generator(namedSeed(1, 'test'))
  for (let turn = 0; turn < 100; turn++) {
    const only = turn % spec.actionSize
    const mask = Array.from({ length: spec.actionSize }, (_, a) => (a === only ? 1 : 0))
    const out = { action: new Int32Array(8).fill(99) }
    policy.act(view(4, mask, turn === 0 ? 1 : 0), memory, out, rng)
    assert.deepEqual([...out.action], Array(8).fill(only))
  }
})

test('it keeps its last action most of the time', () => {
  const policy = definition.create(spec)
  const memory = policy.memory(1, 2)
  const rng = new Generator(namedSeed(1, 'test'))
  let kept = 0
  let before = -1
  for (let turn = 0; turn < 400; turn++) {
    const out = { action: new Int32Array(2) }
    policy.act(view(1, [1]), memory, out, rng)
    if (out.action[0] === before) kept++
    before = out.action[0]
  }
  assert.ok(kept > 280, `kept ${kept} of 399; three in four and more is right`)
})
