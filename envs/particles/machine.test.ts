import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { playTwins, sourcesOf } from '../../testing.ts'
import { openArena } from '../core/arena.ts'
import { createBatch, Generator, namedSeed } from '../core/index.ts'
import { actionArray, randomActions } from '../core/random-actions.ts'
import { particles, plainParticles, TASK_NAMES, type ParticleWorld } from './index.ts'
import { CODE, SOURCES } from './machine-code.ts'

/** Steps per world; PARTICLES_MACHINE_STEPS=5000 for a long look. */
const STEPS = Number(process.env.PARTICLES_MACHINE_STEPS ?? 60)

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

test('the compiled machine is that of the sources beside it', () => {
  const folder = fileURLToPath(new URL('./assembly/', import.meta.url))
  expect(sourcesOf(folder), 'run node envs/particles/assembly/build.mjs').toBe(SOURCES)
})

const worlds: readonly [what: string, options: Record<string, unknown>, lanes: number, control?: readonly number[]][] =
  [
    ...TASK_NAMES.map((task): [string, Record<string, unknown>, number] => [task, { task }, 4]),
    ...TASK_NAMES.map((task): [string, Record<string, unknown>, number] => [
      `${task} of old with continuous actions`,
      { task, actions: 'continuous', dynamics: 'legacy' },
      4,
    ]),
    ['a crowd, more lanes than are listed in one go', { agents: 12, horizon: 7 }, 70],
    ['one body that meets nobody', { agents: 1 }, 5],
    ['a hunt among many', { task: 'tag', adversaries: 9, good: 4, obstacles: 6 }, 4],
    ['agents that nobody controls', { task: 'world-comm', good: 3 }, 4, [5, 1]],
    ['chasers whose prey is driven', { task: 'tag', actions: 'continuous' }, 4, [2, 0, 1]],
  ]

test.each(worlds)('%s: the machine plays and shows the same to the last bit', (_, options, lanes, control) => {
  const settings = { lanes, ...(control === undefined ? {} : { control }) }
  const fast = createBatch(particles, options, settings)
  const plain = createBatch(plainParticles, options, settings)
  // It runs: places lie in its memory, beside those of velocities.
  const [ours, theirs] = [fast, plain].map((batch) => (batch.world as ParticleWorld).position.buffer)
  expect([ours === (fast.world as ParticleWorld).velocity.buffer, theirs.byteLength]).toEqual([
    true,
    (plain.world as ParticleWorld).position.byteLength,
  ])
  const rng = new Generator(namedSeed('particles', 'machine'))
  const action = actionArray(fast)
  playTwins([fast, plain], Math.ceil(STEPS / Math.ceil(lanes / 8)), (batch, step) => {
    // The same pushes for a stretch drive bodies into each other and up to their speed limits.
    if (step % 5 === 0) randomActions(batch as never, rng, action)
    return action
  })
})

test('bodies in the very same place, and lanes that start at their own time, are no exception', () => {
  const batches = [particles, plainParticles].map((definition) =>
    createBatch(definition, { task: 'tag' }, { lanes: 4, autoreset: 'next-step' }),
  )
  for (const batch of batches) {
    batch.reset()
    const { position } = batch.world as ParticleWorld
    position.copyWithin(2, 0, 2) // lane 0: the second chaser sits on the first
  }
  const rng = new Generator(namedSeed('particles', 'places'))
  const action = actionArray(batches[0])
  for (let step = 0; step < 40; step++) {
    randomActions(batches[0], rng, action)
    for (const batch of batches) {
      if (step === 9) batch.reset(undefined, Uint8Array.of(0, 1, 0, 0))
      batch.step(action)
    }
    expect([0, 1, 2, 3].map((lane) => batches[0].hash(lane))).toEqual([0, 1, 2, 3].map((lane) => batches[1].hash(lane)))
    expect(batches[0].observation).toEqual(batches[1].observation)
    expect(batches[0].state).toEqual(batches[1].state)
  }
})

test('engines without WebAssembly, batches that would not fit and those of few lanes play by the plain rules', async () => {
  expect(openArena(CODE, 2 ** 31, 0)).toBeNull()
  expect(openArena('AAAA', 100, 0)).toBeNull() // not WebAssembly
  const before = createBatch(particles, {}, { lanes: 4 })
  before.reset()
  vi.stubGlobal('WebAssembly', undefined)
  vi.resetModules()
  const { particles: bare } = await import('./index.ts')
  const { createBatch: open } = await import('../core/index.ts')
  const batch = open(bare, {}, { lanes: 4 })
  batch.reset()
  const { position, velocity } = batch.world as ParticleWorld
  expect(position.buffer).not.toBe(velocity.buffer)
  const few = createBatch(particles, {}, { lanes: 3 }).world as ParticleWorld
  expect(few.position.buffer).not.toBe(few.velocity.buffer)
  expect(batch.hash(1)).toBe(before.hash(1))
  for (let step = 0; step < 30; step++) for (const each of [batch, before]) each.step(new Int32Array(12).fill(step % 5))
  expect(batch.hash(1)).toBe(before.hash(1))
})
