import { describe, expect, test } from 'vitest'
import { createBatch, episodeSeed, Generator, namedSeed, type DigestibleBatch } from '../core/index.ts'
import { MAPS, skirmish } from './index.ts'
import { invariants, randomActions } from './invariants.ts'
import { type SkirmishWorld } from './state.ts'

const dice = (name: string) => new Generator(namedSeed('skirmish', name))
const seedsOf = (root: string, lanes: number) =>
  Array.from({ length: lanes }, (_, lane) => episodeSeed(root, 'train', lane, 0))

const names = [...MAPS.map((map) => map.name), 'terran_10_vs_11', 'protoss_5_vs_5', 'zerg_20_vs_23']

test.each(names)('%s: nobody overlaps by more than a tenth, leaves the ground or acts when dead', (map) => {
  const batch = createBatch(skirmish, { map })
  batch.reset(seedsOf(map, 1))
  const rng = dice(map)
  invariants(batch, `${map} reset`)
  for (let t = 0; t < 30; t++) {
    batch.step(randomActions(batch, rng))
    invariants(batch, `${map} step ${t}`)
  }
})

/** North and south stay, east and west change places. */
const MIRRORED = [0, 1, 2, 3, 5, 4]

describe('a mirrored start gives the mirrored game, without jitter', () => {
  test.each(['3m', '2s3z', '3s5z', '1c3s5z', 'MMM', '27m_vs_30m', '3s_vs_5z'])('%s', (map) => {
    const options = { map, jitter: false, spawnJitter: 0, opponent: 'policy' }
    const [one, two] = [0, 1].map(() => createBatch(skirmish, options, { autoreset: 'disabled' }))
    for (const batch of [one, two]) batch.reset(seedsOf('mirror', 1))
    const a = one.world as SkirmishWorld
    const b = two.world as SkirmishWorld
    for (let u = 0; u < a.plan.units; u++) {
      b.x[u] = -a.x[u]
      b.y[u] = a.y[u]
      b.px[u] = -a.px[u]
      b.type[u] = a.type[u]
    }
    two.load(0, two.save(0))
    const rng = dice(`mirror ${map}`)
    const N = one.spec.agents.length
    for (let t = 0; t < 24 && one.terminated[0] === 0; t++) {
      const action = randomActions(one, rng)
      // Half of the time everybody fights, so that crowds meet.
      const A = one.spec.actionSize
      for (let n = 0; n < N; n++) {
        const first = one.mask.indexOf(1, n * A + 6)
        if (t % 2 === 0 && first >= 0 && first < (n + 1) * A) action[n] = first - n * A
        else if (one.mask[n * A + (n < a.plan.sides[0].count ? 4 : 5)] === 1) {
          action[n] = n < a.plan.sides[0].count ? 4 : 5
        }
      }
      one.step(action)
      two.step(action.map((choice) => (choice < 6 ? MIRRORED[choice] : choice)))
      for (let u = 0; u < a.plan.units; u++) {
        expect(b.x[u] + a.x[u], `${map} step ${t} unit ${u} x`).toBe(0)
        expect(b.y[u], `${map} step ${t} unit ${u} y`).toBe(a.y[u])
        expect(b.health[u]).toBe(a.health[u])
        expect(b.shield[u]).toBe(a.shield[u])
      }
      expect(two.terminated[0]).toBe(one.terminated[0])
    }
  })
})

test('the same seed gives the same hash, another one another', () => {
  const run = (root: string) => {
    const batch = createBatch(skirmish, { map: '2s3z' }, { autoreset: 'disabled' })
    batch.reset(seedsOf(root, 1))
    const rng = dice('hash')
    for (let t = 0; t < 20; t++) batch.step(randomActions(batch, rng))
    return batch.hash(0)
  }
  expect(run('a')).toBe(run('a'))
  expect(run('a')).not.toBe(run('b'))
})

/** Two units on open ground, world coordinates. */
function pair(dx: number, options: object = {}): DigestibleBatch {
  const custom = {
    name: 'pair',
    limit: 100,
    terrain: Array.from({ length: 32 }, () => '.'.repeat(32)),
    allies: [{ unit: 'marine', count: 1, at: [10, 16] }],
    enemies: [
      { unit: 'marine', count: 1, at: [10 + dx, 16] },
      { unit: 'marine', count: 1, at: [12, 18] },
    ],
    attack: 'none',
  }
  const batch = createBatch(skirmish, { custom, spawnJitter: 0, jitter: false, ...options }, { autoreset: 'disabled' })
  batch.reset()
  return batch
}

test('who falls is told with who felled it, in the step it happens and after a snapshot', () => {
  const batch = pair(4)
  const world = batch.world as SkirmishWorld
  // A marine fires 6 points every 13.8 loops and the first shot at once: the second one kills, in step 2.
  world.health[1] = 12
  batch.load(0, batch.save(0))
  const happened = () => batch.frame(0).events.filter(({ kind }) => kind === 'kill' || kind === 'death')
  batch.step(Int32Array.of(6))
  expect(happened()).toEqual([])
  batch.step(Int32Array.of(6))
  const [kill] = happened()
  expect(kill.kind).toBe('kill')
  expect(kill.agents).toEqual(['enemy_0', 'agent_0'])
  batch.load(0, batch.save(0))
  expect(happened()).toEqual([kill])
  batch.step(Int32Array.of(1))
  expect(happened()).toEqual([])
})

test('a unit at exactly 9.0 is not seen, one a little nearer is, and only its own slot is blank', () => {
  // slots of five after four moves: inReach, distance, dx, dy, health
  const far = pair(9)
  expect([...far.observation.subarray(4, 9)]).toEqual([0, 0, 0, 0, 0])
  expect(far.observation[13]).toBe(1)
  const near = pair(8.99)
  expect(near.observation[5]).toBeCloseTo(8.99 / 9, 5)
  expect(near.observation[13]).toBe(1)
})

test('attacks are legal at exactly six cells and not beyond', () => {
  expect(pair(6).mask[6]).toBe(1)
  expect(pair(6.01).mask[6]).toBe(0)
})

test('a perfect win without regeneration returns 20, also with several killed at once', () => {
  const batch = createBatch(skirmish, { map: '3m' }, { autoreset: 'disabled' })
  batch.reset(seedsOf('win', 1))
  const world = batch.world as SkirmishWorld
  for (let u = 0; u < 3; u++) world.health[u] = 1e6
  batch.load(0, batch.save(0))
  while (batch.terminated[0] === 0 && batch.truncated[0] === 0) {
    const action = Int32Array.from({ length: 3 }, (_, n) => {
      const attack = batch.mask.indexOf(1, n * 9 + 6)
      return attack >= 0 && attack < (n + 1) * 9 ? attack - n * 9 : 1
    })
    batch.step(action)
  }
  expect(batch.metrics(0).won).toBe(1)
  expect(batch.returns[0]).toBeCloseTo(20, 4)
})

test('shields that grow back never pay', () => {
  const batch = createBatch(skirmish, { map: '3s_vs_3z', horizon: 1000 }, { autoreset: 'disabled' })
  batch.reset(seedsOf('shield', 1))
  const world = batch.world as SkirmishWorld
  for (let u = 3; u < 6; u++) {
    world.shield[u] = 10
    world.quiet[u] = 1000
    world.order[u] = 0
  }
  batch.load(0, batch.save(0))
  for (let t = 0; t < 40; t++) {
    batch.step(Int32Array.of(1, 1, 1))
    expect(batch.reward[0]).toBe(0)
  }
  expect(world.shield[3]).toBe(50)
})

test('zerglings find the ramps of the plateau, and reach colossi that stand', () => {
  const batch = createBatch(skirmish, { map: '2c_vs_64zg' }, { autoreset: 'disabled' })
  batch.reset(seedsOf('ramp', 1))
  while (batch.terminated[0] === 0 && batch.truncated[0] === 0) {
    batch.step(Int32Array.from({ length: 2 }, (_, n) => (batch.mask[n * 70] === 1 ? 0 : 1)))
  }
  expect(batch.metrics(0).lost).toBe(1)
})

test('the corridor is walked through to the allies behind it', () => {
  const batch = createBatch(skirmish, { map: 'corridor' }, { autoreset: 'disabled' })
  batch.reset(seedsOf('corridor', 1))
  const world = batch.world as SkirmishWorld
  // The zealots wait in the far room.
  for (let u = 0; u < 6; u++) {
    world.x[u] = 3 + 1.2 * u - 16
    world.y[u] = 4 - 16
  }
  batch.load(0, batch.save(0))
  for (let t = 0; t < 80; t++) {
    batch.step(Int32Array.from({ length: 6 }, (_, n) => (batch.mask[n * 30] === 1 ? 0 : 1)))
    if (batch.terminated[0] === 1) break
  }
  expect(batch.metrics(0).damageTaken).toBeGreaterThan(100)
})

test('teams of SMACv2 are drawn with the published weights and never of medivacs alone', () => {
  const lanes = 512
  const batch = createBatch(skirmish, { map: 'terran_5_vs_6' }, { lanes })
  batch.reset(seedsOf('teams', lanes))
  const world = batch.world as SkirmishWorld
  const counts = new Map<string, number>()
  let reflected = 0
  for (let lane = 0; lane < lanes; lane++) {
    const kinds = Array.from({ length: 11 }, (_, u) => world.plan.tables.types[world.type[lane * 11 + u]].name)
    for (const kind of kinds.slice(0, 5)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    expect(kinds.slice(0, 5).some((kind) => kind !== 'medivac')).toBe(true)
    expect([...kinds.slice(0, 5)].sort().join()).toBe([...kinds.slice(5, 10)].sort().join())
    const spread = Array.from({ length: 5 }, (_, u) => Math.abs(world.x[lane * 11 + u]) > 3)
    if (spread.some(Boolean)) reflected++
  }
  const total = lanes * 5
  const expected = { marine: 0.45, marauder: 0.45, medivac: 0.1 }
  const chi = Object.entries(expected).reduce((sum, [kind, p]) => {
    const off = (counts.get(kind) ?? 0) - p * total
    return sum + (off * off) / (p * total)
  }, 0)
  expect(chi).toBeLessThan(13.8) // 2 degrees of freedom, p = 0.001
  expect(Math.abs(reflected - lanes / 2)).toBeLessThan(50) // four standard deviations are 45
})

test('both sides can be agents, and see the battle from their side', () => {
  const batch = createBatch(skirmish, { map: '2s3z', opponent: 'policy' }, { autoreset: 'disabled' })
  batch.reset(seedsOf('sides', 1))
  expect(batch.spec.agents.map(({ team }) => team)).toEqual([
    ...new Array<string>(5).fill('allies'),
    ...new Array<string>(5).fill('enemies'),
  ])
  expect(batch.spec.agents[5].observation.length).toBe(batch.spec.agents[0].observation.length)
  expect(batch.spec.agents[5].observation.some(({ name }) => name === 'agent_0.inReach')).toBe(true)
})

test('under EPO the first to see an enemy is the only one', () => {
  const custom = {
    name: 'epo',
    limit: 100,
    terrain: Array.from({ length: 32 }, () => '.'.repeat(32)),
    allies: [{ unit: 'marine', count: 4, at: [10, 16] }],
    enemies: [{ unit: 'marine', count: 1, at: [15, 16] }],
    attack: 'none',
  }
  const batch = createBatch(skirmish, { custom, sharedSight: 0, actionMask: false })
  batch.reset(seedsOf('epo', 1))
  const F = batch.spec.observationSize
  const seen = [0, 1, 2, 3].filter((n) => batch.observation[n * F + 5] > 0)
  expect(seen.length).toBe(1)
  expect([0, 1, 2, 3].every((n) => batch.mask[n * 7 + 6] === 1)).toBe(true)
})

test('in the cone a unit ahead is seen and one behind is not; under compatibility it is', () => {
  for (const compatibility of [false, true]) {
    const batch = createBatch(skirmish, {
      custom: {
        name: 'cone',
        limit: 10,
        terrain: Array.from({ length: 32 }, () => '.'.repeat(32)),
        allies: [{ unit: 'marine', count: 1, at: [16, 16] }],
        enemies: [
          { unit: 'marine', count: 1, at: [19, 16] },
          { unit: 'marine', count: 1, at: [13, 16] },
        ],
        attack: 'none',
      },
      cone: true,
      compatibility,
    })
    batch.reset(seedsOf('cone', 1))
    expect(batch.observation[5] > 0).toBe(true)
    expect(batch.observation[10] > 0).toBe(compatibility)
    expect([batch.mask[18], batch.mask[19]]).toEqual([1, compatibility ? 1 : 0])
  }
})

test('the blind see the time and nothing else', () => {
  const batch = createBatch(skirmish, { map: '3m', blind: true, timestep: true }, { autoreset: 'disabled' })
  batch.reset(seedsOf('blind', 1))
  batch.step(Int32Array.of(1, 1, 1))
  const F = batch.spec.observationSize
  const row = [...batch.observation.subarray(0, F)]
  expect(row.slice(0, F - 1).every((value) => value === 0)).toBe(true)
  expect(row[F - 1]).toBeCloseTo(1 / 60, 6)
})
