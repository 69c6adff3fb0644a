/**
 * Every learner in the table on a `simd` backend whose memory watches itself: guard words around every block, poison in
 * fresh and freed ones. In every choice that its settings offer it must keep inside its blocks, and it must learn what
 * it learns on TensorFlow.js's own CPU backend. A new algorithm or setting is covered the day it enters its table.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type TSchema } from '#typebox'
import * as tf from '#tensorflow'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBatch, episodeSeed, TroupeError, type EnvDefinition } from '../../envs/core/index.ts'
import { ENVS } from '../../envs/index.ts'
import { type Learner, type LearnerDefinition } from '../core/learner.ts'
import { known } from '../core/testing.ts'
import { lights } from '../core/toys.ts'
import { LEARNERS } from '../index.ts'
import { type SimdBackend } from './backend.ts'
import { registerSimd } from './register.ts'

execFileSync(process.execPath, [fileURLToPath(new URL('build.mjs', import.meta.url))])
const bytes = new Uint8Array(readFileSync(new URL('../../dist/agents/kernels/simd.wasm', import.meta.url)))

let backend: SimdBackend

beforeAll(async () => {
  // Small, so that the memory also grows under a running learner.
  backend = registerSimd(bytes, { debug: true, initialBytes: 1 << 17 })
  await tf.setBackend('simd')
})

afterAll(() => backend.allocator.checkAll())

/** Sizes that are no multiples of 4, so that every kernel has a tail; memories that are learned from almost at once. */
const SMALL = {
  lanes: 3,
  rolloutSteps: 5,
  hidden: 7,
  layers: 1,
  epochs: 2,
  minibatches: 2,
  batchEpisodes: 3,
  window: 5,
  batch: 7,
  warmup: 6,
  lr: 4e-3,
  criticLr: 4e-3,
}

interface World {
  readonly env: EnvDefinition
  readonly options: Record<string, unknown>
}

const WORLDS: Record<string, World> = {
  'masks, deaths and words': {
    env: lights as unknown as EnvDefinition,
    options: { masks: true, deaths: true, words: true, agents: 3 },
  },
  warehouse: {
    env: ENVS.warehouse,
    options: { layout: ['.....', '.xx..', '.xx..', '..g..'], robots: 2, requests: 2, horizon: 7 },
  },
}

interface Shape {
  readonly type?: string
  readonly const?: unknown
  readonly default?: unknown
  readonly anyOf?: readonly Shape[]
}

/** One change per choice: the other side of every switch, every other literal, null where it is allowed. */
function choices(definition: LearnerDefinition): Record<string, unknown>[] {
  const changes: Record<string, unknown>[] = [{}]
  for (const [name, schema] of Object.entries<TSchema>(definition.settings.properties)) {
    const shape = schema as Shape
    if (shape.type === 'boolean') changes.push({ [name]: shape.default !== true })
    for (const { const: literal, type } of shape.anyOf ?? []) {
      if (literal !== undefined && literal !== shape.default) changes.push({ [name]: literal })
      if (type === 'null' && shape.default !== null) changes.push({ [name]: null })
    }
  }
  return changes
}

/** A learner with the change, or null where its own checks refuse the combination. */
function start(
  definition: LearnerDefinition,
  { env, options }: World,
  change: Record<string, unknown>,
): Learner | null {
  const settings = {
    ...known(definition, SMALL),
    ...(change.lrSchedule === 'linear' ? { scheduleSteps: 1000 } : {}),
    ...change,
  }
  const { lanes } = SMALL
  const batch = createBatch(env, options, { lanes, seeds: (lane, n) => episodeSeed(1, 'train', lane, n) })
  try {
    return definition.create({ batch: [batch], settings, seed: 1, teamReward: 'sum' })
  } catch (error) {
    // What its own checks refuse: a mixture of settings, or one that is fixed.
    if (error instanceof TroupeError && ['bad-usage', 'bad-option'].includes(error.code)) return null
    throw error
  }
}

const plainOrGru = (change: Record<string, unknown>) => Object.values(change).includes('gru') || isEmpty(change)
const isEmpty = (change: Record<string, unknown>): boolean => Object.keys(change).length === 0

/** All weights of all networks, without what optimisers, recurrent networks and stores of past steps remember. */
function weightsOf(learner: Learner): number[] {
  return Object.entries(learner.save().weights).flatMap(([name, { data }]) =>
    /^(optimiser|memory|store)\//.test(name) ? [] : Array.from(data),
  )
}

// bc plays nothing, so that it has no updates of its own to follow; agents/offline.test.ts trains it.
for (const definition of Object.values(LEARNERS).filter(({ offline }) => offline !== true)) {
  describe(definition.name, () => {
    for (const [name, world] of Object.entries(WORLDS)) {
      test(`writes nowhere but into its own blocks: ${name}`, () => {
        const outside = { blocks: backend.memory().liveBlocks, tensors: tf.memory().numTensors }
        let ran = 0
        // The second world is there for its sizes: the plain learner and its memories say enough.
        const changes = name === 'warehouse' ? choices(definition).filter(plainOrGru) : choices(definition)
        for (const change of changes) {
          const learner = start(definition, world, change)
          if (learner === null) continue
          ran++
          const label = JSON.stringify(change)
          learner.collectAndUpdate()
          learner.collectAndUpdate()
          const settled = backend.memory()
          const metrics = learner.collectAndUpdate()
          backend.allocator.checkAll()
          const { liveBytes, liveBlocks } = backend.memory()
          expect({ liveBytes, liveBlocks }, label).toEqual({
            liveBytes: settled.liveBytes,
            liveBlocks: settled.liveBlocks,
          })
          // Poison is a NaN: one stray read and the losses show it.
          for (const [metric, value] of Object.entries(metrics)) {
            if (metric.endsWith('Loss')) expect(Number.isFinite(value), `${label} ${metric}: ${value}`).toBe(true)
          }
          learner.dispose()
          backend.allocator.checkAll()
        }
        expect(ran).toBeGreaterThan(0)
        expect(tf.memory().numTensors).toBe(outside.tensors)
        // Scratch regions of the backend stay; nothing else does.
        expect(backend.memory().liveBlocks - outside.blocks).toBeLessThanOrEqual(4)
      })
    }

    for (const change of choices(definition).filter(plainOrGru)) {
      if (start(definition, WORLDS['masks, deaths and words'], change) === null) continue // refused
      test(`twenty updates end where they end on cpu: ${isEmpty(change) ? 'defaults' : JSON.stringify(change)}`, async () => {
        const run = async (name: string): Promise<{ before: number[]; after: number[] }> => {
          await tf.setBackend(name)
          const learner = start(definition, WORLDS['masks, deaths and words'], change) as Learner
          const before = weightsOf(learner)
          for (let i = 0; i < 20; i++) learner.collectAndUpdate()
          const after = weightsOf(learner)
          learner.dispose()
          return { before, after }
        }
        const expected = await run('cpu')
        const got = await run('simd')
        expect(got.before).toEqual(expected.before)
        const distance = (a: number[], b: number[]): number => Math.hypot(...a.map((x, i) => x - b[i]))
        const moved = distance(expected.after, expected.before)
        expect(moved).toBeGreaterThan(0.1)
        expect(distance(got.after, expected.after) / moved).toBeLessThan(1e-3)
      })
    }
  })
}
