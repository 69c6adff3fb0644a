import { test } from 'vitest'
import { createBatch, episodeSeed, Generator, namedSeed } from '../core/index.ts'
import { MAPS, skirmish, SMACV2 } from './index.ts'
import { invariants, randomActions } from './invariants.ts'

/** Steps per map, rule set and opponent; SKIRMISH_STEPS=10000 plays the million. */
const STEPS = Number(process.env.SKIRMISH_STEPS ?? 60)
const LANES = 2

const names = [...MAPS.map((map) => map.name), ...SMACV2.filter((name) => name.endsWith('5_vs_5')), 'zerg_20_vs_23']

test.each(names)('%s: random play keeps every invariant, whoever plays the enemies', (map) => {
  for (const [rules, opponent] of [
    ['sc2', 'scripted'],
    ['sc2', 'policy'],
    ['smaclite', 'scripted'],
  ]) {
    const batch = createBatch(skirmish, { map, rules, opponent }, { lanes: LANES })
    batch.reset(Array.from({ length: LANES }, (_, lane) => episodeSeed(map, 'train', lane, 0)))
    const rng = new Generator(namedSeed('skirmish', `${map} ${rules} ${opponent}`))
    for (let t = 0; t < STEPS; t++) {
      batch.step(randomActions(batch, rng))
      invariants(batch, `${map} ${rules} ${opponent} step ${t}`)
    }
  }
})
