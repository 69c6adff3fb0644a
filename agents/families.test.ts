/**
 * Every learner in every environment family, with networks shared and apart, with and without memory: it learns, is saved, goes on
 * from there as if nothing had happened, and plays; or it is refused before training, in a sentence that says why.
 *
 * Here one update of very small networks, and two of the four mixtures of sharing and memory, by turns;
 * `TROUPE_SMOKE_STEPS=500` trains all four for so many environment steps.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { TroupeError, createBatch, episodeSeed } from '../envs/core/index.ts'
import { ENVS } from '../envs/index.ts'
import { type LearnerDefinition } from './core/learner.ts'
import { playEpisodes } from './core/play.ts'
import { type TeamReward } from './core/teams.ts'
import { tf } from './core/tensors.ts'
import { fingerprint, known, start, train, type World } from './core/testing.ts'
import { LEARNERS } from './index.ts'
import { registerSimd } from './kernels/index.ts'

beforeAll(async () => {
  execFileSync(process.execPath, [fileURLToPath(new URL('kernels/build.mjs', import.meta.url))])
  registerSimd(new Uint8Array(readFileSync(new URL('../dist/agents/kernels/simd.wasm', import.meta.url))))
  await tf.setBackend('simd')
})

/** A world of each family, as its scenarios have it but for episodes of five steps, and how its team is paid. */
const FAMILIES: Record<string, World & { readonly teamReward: TeamReward }> = {
  matrix: { env: ENVS.matrix, options: { game: 'climbing', horizon: 5 }, teamReward: 'mean' },
  coin: { env: ENVS.coin, options: { horizon: 5 }, teamReward: 'none' },
  storm: { env: ENVS.storm, options: { horizon: 5 }, teamReward: 'none' },
  foraging: {
    env: ENVS.foraging,
    options: { rows: 5, columns: 5, players: 2, foods: 1, horizon: 5 },
    teamReward: 'sum',
  },
  warehouse: {
    env: ENVS.warehouse,
    options: { layout: ['.....', '.xx..', '.xx..', '..g..'], robots: 2, requests: 2, horizon: 5 },
    teamReward: 'sum',
  },
  particles: { env: ENVS.particles, options: { task: 'spread', horizon: 5 }, teamReward: 'sum' },
  'particles, real numbers': {
    env: ENVS.particles,
    options: { task: 'spread', actions: 'continuous', horizon: 5 },
    teamReward: 'sum',
  },
  'particles, two teams': { env: ENVS.particles, options: { task: 'tag', horizon: 5 }, teamReward: 'none' },
  skirmish: { env: ENVS.skirmish, options: { map: '3m', horizon: 5 }, teamReward: 'mean' },
  spectrum: { env: ENVS.spectrum, options: { users: 3, channels: 2, obs: 'dqsa', horizon: 5 }, teamReward: 'mean' },
}

/** Who is refused where, and why. */
const ONE_REWARD = ['vdn', 'qmix', 'coma', 'happo', 'hasac']
const CHOOSING = ['coma', 'seac', 'iql', 'vdn', 'qmix', 'dqsa', 'bc']
const TWO_TEAMS = ['coin', 'storm', 'particles, two teams']
function refusal({ name }: LearnerDefinition, family: string): RegExp | undefined {
  if (ONE_REWARD.includes(name) && TWO_TEAMS.includes(family))
    return /agents is of 2 teams.*expected agents of one team/
  if (CHOOSING.includes(name) && family === 'particles, real numbers') return /actions of particles is box/
  if (name === 'seac' && family === 'particles, two teams') return /unlike.*agents with the same observations and the/
  return undefined
}

const STEPS = Number(process.env.TROUPE_SMOKE_STEPS ?? 0)
const SMALL = {
  lanes: STEPS > 0 ? 5 : 2,
  rolloutSteps: STEPS > 0 ? 50 : 6,
  hidden: 4,
  embed: 4,
  hyperHidden: 4,
  layers: 1,
  chunk: STEPS > 0 ? 10 : 3,
  epochs: 1,
  minibatches: 1,
  batchEpisodes: 2,
  memoryEpisodes: 8,
  updatesPerEpisode: 1,
  batch: 4,
  memory: 40,
  warmup: 10,
  sparsity: 0.5,
  pruneEvery: 1,
  pruneFrom: 0,
  scheduleSteps: 24,
}
const UPDATES = Math.ceil(Math.max(STEPS, 1) / (SMALL.lanes * SMALL.rolloutSteps))

/** Shared or apart, with or without memory: those of the four that a learner has. */
function variants(definition: LearnerDefinition): [name: string, settings: Record<string, unknown>][] {
  const found = new Map<string, [string, Record<string, unknown>]>()
  for (const sharing of ['full', 'none']) {
    for (const network of ['mlp', 'gru']) {
      const settings = known(definition, { sharing, network, criticNetwork: network })
      const key = JSON.stringify(settings)
      if (!found.has(key)) found.set(key, [`sharing ${sharing}, ${network}`, settings])
    }
  }
  return [...found.values()]
}

/** All of these, or every other one. */
function turns<Item>(items: readonly Item[], turn: number): Item[] {
  return STEPS > 0 || items.length < 3 ? [...items] : items.filter((_, k) => [0, 1, 1, 0][k] === turn % 2)
}

test('every family is among the worlds', () => {
  expect(new Set(Object.values(FAMILIES).map(({ env }) => env.id))).toEqual(new Set(Object.keys(ENVS)))
})

Object.values(LEARNERS).forEach((definition, number) => {
  describe(definition.name, () => {
    if (ONE_REWARD.includes(definition.name)) {
      test('a reward for each agent alone is refused before training, with the reason', () => {
        const { foraging } = FAMILIES
        for (const [, settings] of variants(definition)) {
          const own = { ...known(definition, SMALL), ...settings }
          const wrong = () => start(definition, foraging, own, { teamReward: 'none' })
          expect(wrong).toThrow(
            /teamReward of the scenario is 'none', every agent its own reward; expected 'sum' or 'mean'/,
          )
        }
      })
    }

    Object.entries(FAMILIES).forEach(([family, world], place) => {
      const { teamReward } = world
      const from = (own: Record<string, unknown>) =>
        start(definition, world, { ...known(definition, SMALL), ...own }, { teamReward })

      const reason = refusal(definition, family)
      if (reason !== undefined) {
        test(`${family}: refused before training, with the reason`, () => {
          for (const [, settings] of variants(definition)) {
            expect(() => from(settings)).toThrow(reason)
            expect(() => from(settings)).toThrow(TroupeError)
          }
        })
        return
      }

      test(`${family}: learns, is saved, goes on and plays`, () => {
        for (const [variant, settings] of turns(variants(definition), number + place)) {
          const learner = from(settings)
          const metrics = train(learner, UPDATES)
          const saved = learner.save()
          const resumed = from(settings)
          resumed.load(saved)
          metrics.push(...train(learner, 1))
          expect(train(resumed, 1), variant).toEqual(metrics.slice(-1))
          expect(fingerprint(resumed.save()), variant).toEqual(fingerprint(learner.save()))
          for (const { maskViolations = 0 } of metrics) expect(maskViolations, variant).toBe(0)
          const batch = createBatch(world.env, world.options, { lanes: 1, autoreset: 'disabled' })
          const policy = definition.policy(batch.spec, learner.save('to play'), 'sample')
          const { episodes } = playEpisodes({
            batch,
            policy,
            seeds: [episodeSeed(1, 'eval', 0, 0)],
            rng: 1,
            teamReward,
          })
          expect(episodes[0].length, variant).toBeGreaterThan(0)
          policy.dispose?.()
          resumed.dispose()
          learner.dispose()
        }
      })
    })
  })
})
