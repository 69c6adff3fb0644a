/**
 * Observations and states never leave their declared ranges (users met -1 below a declared 0 in the original, and crashes
 * on fields that are not square). FORAGING_STEPS sets the steps of each variant, FORAGING_IDS_STEPS those of each id.
 */
import { expect, test } from 'vitest'
import { createBatch, Generator, namedSeed } from '../core/index.ts'
import { foraging } from './index.ts'
import { optionsFromName } from './reference.ts'

const STEPS = Number(process.env.FORAGING_STEPS ?? 20_000)
const IDS_STEPS = Number(process.env.FORAGING_IDS_STEPS ?? 0)

/** Plays uniform legal actions and complains about the first value out of range. @returns steps played */
function play(options: Record<string, unknown>, steps: number, lanes: number): number {
  const batch = createBatch(foraging, options, { lanes })
  const { spec, mask, observation, state } = batch
  const F = spec.observationSize
  const S = spec.stateSize
  const low = Float32Array.from(spec.agents[0].observation, ({ low }) => low)
  const high = Float32Array.from(spec.agents[0].observation, ({ high }) => high)
  const rng = new Generator(namedSeed('bounds', JSON.stringify(options)))
  const action = new Int32Array(lanes * spec.agents.length)
  batch.reset()
  let played = 0
  for (; played < steps; played += lanes) {
    for (let i = 0; i < action.length; i++) {
      do action[i] = rng.below(6)
      while (mask[i * 6 + action[i]] === 0)
    }
    batch.step(action)
    for (let row = 0; row < observation.length; row += F) {
      for (let f = 0; f < F; f++) {
        if (observation[row + f] >= low[f] && observation[row + f] <= high[f]) continue
        const { name } = spec.agents[0].observation[f]
        throw new Error(`${JSON.stringify(options)}: ${name} is ${observation[row + f]}, not ${low[f]} to ${high[f]}`)
      }
    }
    for (let s = 0; s < state.length; s++) {
      if (state[s] >= 0 && state[s] <= 1) continue
      throw new Error(`${JSON.stringify(options)}: ${spec.world.state[s % S].name} is ${state[s]}`)
    }
  }
  return played
}

const BENCHMARKED = [
  'Foraging-5x5-2p-1f-coop-v3',
  'Foraging-5x5-4p-1f-coop-v3',
  'Foraging-6x6-8p-3f-v3',
  'Foraging-8x8-2p-3f-v3',
  'Foraging-8x8-2p-2f-coop-v3',
  'Foraging-2s-8x8-2p-2f-coop-v3',
  'Foraging-10x10-3p-3f-v3',
  'Foraging-2s-10x10-3p-3f-v3',
  'Foraging-15x15-3p-5f-v3',
  'Foraging-15x15-4p-3f-v3',
  'Foraging-15x15-4p-5f-v3',
  'Foraging-2s-5x5-6p-1f-v3',
  'Foraging-grid-8x8-2p-3f-v3',
  'Foraging-grid-2s-10x10-3p-3f-v3',
  'Foraging-grid-1s-6x6-4p-2f-coop-v3',
].map(optionsFromName)

const OWN = [
  { rows: 6, columns: 10, players: 3, sightCells: 2 },
  { rows: 10, columns: 6, players: 3 },
  { rows: 3, columns: 20, players: 4, observation: 'grid', sightCells: 3 },
  { penalty: 0.1, normalisedRewards: false, levelsObserved: false, sightCells: 3 },
  { maxFoodLevel: 1 },
  { players: 3, minPlayerLevel: [1, 2, 3], maxPlayerLevel: [2, 2, 5], minFoodLevel: 2, maxFoodLevel: [2, 6, 8] },
]

const VARIANTS: Record<string, unknown>[] = [...BENCHMARKED, ...OWN].flatMap((options) => [
  options,
  { ...options, strict: true },
  { ...options, actionMask: true },
])

test(`every variant stays in its ranges for ${STEPS} steps`, { timeout: 3_600_000 }, () => {
  for (const options of VARIANTS) expect(play(options, STEPS, 50)).toBeGreaterThanOrEqual(STEPS)
})

test('every id and sight of the original stays in its ranges', { timeout: 3_600_000 }, () => {
  let ids = 0
  for (let size = 5; size < 20; size++) {
    for (let players = 2; players < 10; players++) {
      for (let foods = 1; foods < 10; foods++) {
        for (const coop of ['', '-coop']) {
          for (const sight of ['', '-2s']) {
            const id = `Foraging${sight}-${size}x${size}-${players}p-${foods}f${coop}-v3`
            // Without the variable, one id in 29: a prime, so that every size, number and suffix comes up.
            if (ids++ % 29 !== 0 && IDS_STEPS === 0) continue
            play(optionsFromName(id), IDS_STEPS || 1000, 20)
          }
        }
      }
    }
  }
  expect(ids).toBe(15 * 8 * 9 * 2 * 2)
})
