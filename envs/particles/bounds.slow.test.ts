/** Observations and states stay inside their declared ranges; TROUPE_BOUND_STEPS sets the steps per variant (default 20,000). */
import { expect, test } from 'vitest'
import { createBatch, Generator, namedSeed } from '../core/index.ts'
import { actionArray, randomActions } from '../core/random-actions.ts'
import { particles, TASK_NAMES } from './index.ts'

const STEPS = Number(process.env.TROUPE_BOUND_STEPS ?? 20_000)
const LANES = 50

const VARIANTS = TASK_NAMES.flatMap((task) => [{ task }, { task, actions: 'continuous' }, { task, dynamics: 'legacy' }])

test.each(VARIANTS)('%j', (options) => {
  const batch = createBatch(particles, options, { lanes: LANES })
  const { agents, observationSize: F } = batch.spec
  const { state } = batch.spec.world
  const N = agents.length
  const rng = new Generator(namedSeed('bounds', JSON.stringify(options)))
  const action = actionArray(batch)
  batch.reset()
  let worst = 0
  const inside = (
    array: Float32Array,
    from: number,
    features: readonly { low: number; high: number; name: string }[],
  ) => {
    for (let f = 0; f < features.length; f++) {
      const value = array[from + f]
      const { low, high, name } = features[f]
      if (!(value >= low && value <= high)) throw new Error(`${name} is ${value}, not in ${low} to ${high}`)
      if (high > low) worst = Math.max(worst, Math.abs(value) / Math.max(Math.abs(low), high))
    }
  }
  for (let step = 0; step < STEPS / LANES; step++) {
    // The same push for a stretch drives agents far out and fast.
    if (step % 5 === 0) randomActions(batch, rng, action)
    batch.step(action as never)
    for (let lane = 0; lane < LANES; lane++) {
      for (let n = 0; n < N; n++) inside(batch.observation, (lane * N + n) * F, agents[n].observation)
      inside(batch.state, lane * state.length, state)
    }
  }
  expect(worst).toBeGreaterThan(0.2)
})
