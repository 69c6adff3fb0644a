import { expect, test } from 'vitest'
import { createBatch, Generator, namedSeed } from '../core/index.ts'
import { warehouse } from './index.ts'
import { checkLane, derive, savedArrays, type WarehouseState } from './state.ts'

const STEPS = 1_000_000

test('a million random steps break no invariant', () => {
  const worlds = [
    { robots: 10, reward: 'two-stage', horizon: 300 },
    { robots: 4, size: 'small', messageBits: 1 },
    { robots: 12, layout: ['......', '.xxxx.', '.xxxx.', '..gg..'], requests: 6, inactivityLimit: 200 },
  ]
  for (const options of worlds) {
    const lanes = 50
    const batch = createBatch(warehouse, options, { lanes, observe: false })
    const world = batch.world as WarehouseState
    const { plan, cell, load, queue, standing, robotAt, place, seen } = world
    const { robots, requests, shelves, layout } = plan
    const rng = new Generator(namedSeed('invariants', JSON.stringify(options)))
    const action = new Int32Array(lanes * robots * batch.spec.actionDims)
    const before = new Uint16Array(cell.length)
    batch.reset()
    for (let step = 0; step < STEPS / worlds.length / lanes; step++) {
      before.set(cell)
      for (let i = 0; i < action.length; i++)
        action[i] = i % batch.spec.actionDims === 0 ? rng.below(9) % 5 : rng.below(2)
      batch.step(action)
      for (let lane = 0; lane < lanes; lane++) {
        // One robot per cell, one shelf per cell, carried shelves with their carriers, standing ones at homes,
        // as many requests as ever and none twice.
        checkLane(world, lane)
        let loaded = 0
        for (let n = 0; n < robots; n++) {
          const i = lane * robots + n
          if (load[i] !== 0) loaded++
          if (batch.stepCount[lane] === 0) continue
          if (before[i] === cell[i]) continue
          const forward = action[i * batch.spec.actionDims] === 1
          const exits = layout.neighbour.subarray(before[i] * 4, before[i] * 4 + 4)
          if (!forward || !exits.includes(cell[i]))
            throw new Error(`step ${step}: robot ${i} from ${before[i]} to ${cell[i]}`)
        }
        if (world.vacancies[lane] !== loaded) throw new Error(`step ${step}: ${loaded} shelves away`)
      }
      if (step % 100 !== 0) continue
      // What is kept up to date step by step equals what is rebuilt from scratch.
      const kept = [robotAt, standing, place, seen].map((array) => array.slice())
      for (let lane = 0; lane < lanes; lane++) derive(world, lane)
      expect([robotAt, standing, place, seen]).toEqual(kept)
      expect(queue.length).toBe(lanes * requests)
      expect(savedArrays(world).shelfCell.length).toBe(lanes * shelves)
    }
  }
})

test('a robot that stays changes nothing but counters', () => {
  const batch = createBatch(warehouse, { robots: 6 }, { lanes: 20 })
  batch.reset()
  const { cell, heading, load, shelfCell, queue } = batch.world as WarehouseState
  const before = [cell, heading, load, shelfCell, queue].map((array) => array.slice())
  for (let step = 0; step < 20; step++) batch.step(new Int32Array(120))
  expect([cell, heading, load, shelfCell, queue]).toEqual(before)
})
