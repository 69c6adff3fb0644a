import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { playTwins, sourcesOf } from '../../testing.ts'
import { createBatch, Generator, namedSeed, type DigestibleBatch } from '../core/index.ts'
import { MAPS, plainSkirmish, skirmish } from './index.ts'
import { randomActions } from './invariants.ts'
import { SOURCES } from './machine-code.ts'
import { type SkirmishWorld } from './state.ts'

/** Steps per battle; SKIRMISH_MACHINE_STEPS=2000 for a long look. */
const STEPS = Number(process.env.SKIRMISH_MACHINE_STEPS ?? 16)
const long = process.env.SKIRMISH_MACHINE_STEPS !== undefined

test('the compiled machine is that of the sources beside it', () => {
  const folder = fileURLToPath(new URL('./assembly/', import.meta.url))
  expect(sourcesOf(folder), 'run node envs/skirmish/assembly/build.mjs').toBe(SOURCES)
})

/** Lane 0 acts at random; in the others who can shoot mostly does, so that there is a fight. */
function actions(batch: DigestibleBatch, rng: Generator): Int32Array {
  const action = randomActions(batch, rng)
  const { plan } = batch.world as SkirmishWorld
  const N = batch.spec.agents.length
  const A = batch.spec.actionSize
  for (let i = N; i < action.length; i++) {
    if (rng.below(4) === 0) continue
    const target = batch.mask.subarray(i * A + plan.sides[0].firstAttack, (i + 1) * A).indexOf(1)
    if (target >= 0) action[i] = plan.sides[0].firstAttack + target
  }
  return action
}

/** Every kind of unit and ground; with a long look every map. */
const names = long
  ? MAPS.map(({ name }) => name)
  : ['3s5z', '10m_vs_11m', '2s_vs_1sc', '1c3s5z', '6h_vs_8z', 'so_many_baneling', '2c_vs_64zg']

const battles: readonly [what: string, options: Record<string, unknown>, control?: readonly number[]][] = [
  ...names.map((map): [string, Record<string, unknown>] => [map, { map }]),
  ['terran of SMACv2', { map: 'terran_10_vs_11', lastAction: true, timestep: true }],
  ['protoss of SMACv2', { map: 'protoss_10_vs_11', opponent: 'policy' }],
  ['zerg of SMACv2 with cones', { map: 'zerg_10_vs_11', cone: true }],
  ['a crowd', { map: 'zerg_40_vs_50' }],
  [
    'odd loops, no chance',
    { map: 'MMM2', loops: 5, jitter: false, spawnJitter: 0, compatibility: true, timestep: true },
  ],
  ['one loop', { map: '2s3z', loops: 1, allHealth: false, stateLastAction: false, stateTimestep: true }],
  ['shared sight', { map: 'terran_5_vs_5', sharedSight: 0.5, actionMask: false }],
  ['grids', { map: 'corridor', pathingGrid: true, terrainHeight: true, ownHealth: false }],
  ['agents that nobody controls', { map: 'MMM', opponent: 'policy' }, [0, 9, 12]],
]

test.each(battles)('%s: the machine plays and shows the same to the last bit', (_, options, control) => {
  const settings = { lanes: 3, ...(control === undefined ? {} : { control }) }
  const fast = createBatch(skirmish, options, settings)
  const plain = createBatch(plainSkirmish, options, settings)
  const rng = new Generator(namedSeed('skirmish', 'machine'))
  playTwins([fast, plain], STEPS, () => actions(fast, rng))
})

test('a lane loaded into the machine goes on as it did', () => {
  const batch = createBatch(skirmish, { map: 'corridor' }, { lanes: 1 })
  batch.reset()
  const rng = new Generator(namedSeed('skirmish', 'load'))
  for (let t = 0; t < 10; t++) batch.step(actions(batch, rng))
  const saved = batch.save(0)
  const played: { action: Int32Array; hash: string }[] = []
  for (let t = 0; t < 5; t++) {
    const action = actions(batch, rng)
    batch.step(action)
    played.push({ action, hash: batch.hash(0) })
  }
  batch.load(0, saved)
  for (const { action, hash } of played) {
    batch.step(action)
    expect(batch.hash(0)).toBe(hash)
  }
})
