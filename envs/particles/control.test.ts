import { expect, test } from 'vitest'
import { createBatch, type EnvBatch } from '../core/index.ts'
import { act, createWishes, wish } from './control.ts'
import { particles } from './index.ts'
import { type ParticleWorld } from './state.ts'

/** Plays 40 episodes, scripted, and returns the mean metrics. */
function play(options: object, control?: string[]): Record<string, number> {
  const batch: EnvBatch = createBatch(particles, options, {
    lanes: 40,
    autoreset: 'disabled',
    ...(control && { control }),
  })
  const world = batch.world as ParticleWorld
  const wishes = createWishes(world.plan)
  const { actionDims: D, seats } = batch.spec
  const N = seats.length
  const action = batch.spec.actionKind === 'box' ? new Float32Array(40 * N * D) : new Int32Array(40 * N * D)
  batch.reset()
  for (let step = 0; step < 25; step++) {
    for (let lane = 0; lane < 40; lane++) {
      wish(world, lane, wishes)
      seats.forEach((seat, n) => act(world.plan, wishes, seat, action, (lane * N + n) * D, D))
    }
    batch.step(action as never)
  }
  const sums: Record<string, number> = {}
  for (let lane = 0; lane < 40; lane++) {
    for (const [name, value] of Object.entries(batch.metrics(lane))) sums[name] = (sums[name] ?? 0) + value! / 40
  }
  return sums
}

test('greedy spread ends with nearly every landmark occupied', () => {
  expect(play({ actions: 'continuous' }).occupied).toBeGreaterThan(2.7)
  expect(play({}).occupied).toBeGreaterThan(1.8) // pushes of one size stop where they can
})

test('talkers bring each other to the goal', () => {
  for (const actions of ['discrete', 'continuous']) {
    expect(play({ task: 'speaker-listener', actions }).finalDistance).toBeLessThan(0.12)
    expect(play({ task: 'reference', actions }).finalDistance).toBeLessThan(0.12)
    // Bob is one step behind alice: only the first answer can be wrong.
    expect(play({ task: 'crypto', actions }).bobError).toBeLessThan(2 / 25 + 1e-9)
  }
})

test('pursuit catches fleeing prey, which random chasers do not', () => {
  const hunted = play({ task: 'tag' })
  expect(hunted.catches).toBeGreaterThan(0.8)
  expect(play({ task: 'world-comm' }).catches).toBeGreaterThan(1.5)
})

test('prey that nobody controls flees: chasers that stand still never catch it', () => {
  const batch = createBatch(particles, { task: 'tag' }, { lanes: 40, control: [0, 1, 2], autoreset: 'disabled' })
  batch.reset()
  for (let step = 0; step < 25; step++) batch.step(new Int32Array(120))
  let catches = 0
  for (let lane = 0; lane < 40; lane++) catches += batch.metrics(lane).catches!
  expect(catches).toBeLessThan(4) // some start in contact
})
