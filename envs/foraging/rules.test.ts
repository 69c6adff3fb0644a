import { describe, expect, test } from 'vitest'
import { createBatch } from '../core/index.ts'
import { foraging, type ForagingWorld } from './index.ts'
import { fromPicture, pictureOf } from './picture.ts'
import { fromReference } from './reference.ts'
import { ACTIONS } from './state.ts'

/** A drawn field; `step('east', 'load')` plays one action per player in the order of letters. */
function drawn(picture: string, more: Record<string, unknown> = {}) {
  const { options, state } = fromPicture(picture)
  const batch = createBatch(foraging, { ...options, ...more }, { autoreset: 'disabled' })
  batch.reset()
  batch.load(0, fromReference(state, batch))
  return {
    batch,
    step(...names: (typeof ACTIONS)[number][]) {
      batch.reward.fill(77) // a forgotten write shows
      batch.step(Int32Array.from(names, (name) => ACTIONS.indexOf(name)))
      return pictureOf(batch.world as ForagingWorld).replaceAll(/ +/g, ' ')
    },
    rewards: () => [...batch.reward],
  }
}

describe('movement', () => {
  test('players walk where they say: north up, south down, west left, east right', () => {
    const field = drawn('. . . . .\n . a1 . b1 .\n . . . . .\n . c1 . d1 .\n . . . . .')
    expect(field.step('north', 'south', 'west', 'east')).toBe(
      '. a1 . . .\n. . . . .\n. . . b1 .\nc1 . . . d1\n. . . . .',
    )
  })

  test('moves out of the field or into food mean none, silently', () => {
    const field = drawn('a1 . .\n b1 1 .\n . . .', { penalty: 1 })
    expect(field.step('north', 'east')).toBe('a1 . .\nb1 1 .\n. . .')
    expect(field.rewards()).toEqual([0, 0])
    expect(field.step('west', 'none')).toBe('a1 . .\nb1 1 .\n. . .')
    expect(field.batch.metrics(0).blockedMoves).toBe(0) // nobody was in the way
  })

  test('of two or more that want one cell none moves', () => {
    const field = drawn('a1 . b1\n . c1 .\n . . .')
    expect(field.step('east', 'west', 'north')).toBe('a1 . b1\n. c1 .\n. . .')
    expect(field.batch.metrics(0).blockedMoves).toBe(3)
  })

  test('whoever stays keeps its cell, whether it chose none, load or something without effect', () => {
    const field = drawn('a1 b1 .\n 1 . .\n . . .')
    for (const [a, b] of [
      ['east', 'none'],
      ['east', 'north'], // out of the field
      ['east', 'load'], // nothing beside
      ['none', 'west'],
      ['south', 'west'], // into the food
    ] as const) {
      expect(field.step(a, b)).toBe('a1 b1 .\n1 . .\n. . .')
    }
  })

  test('queues follow, and four in a ring turn', () => {
    expect(drawn('a1 b1 .\n . . .\n . . .').step('east', 'east')).toBe('. a1 b1\n. . .\n. . .')
    const ring = drawn('a1 b1 .\n d1 c1 .\n . . .')
    expect(ring.step('east', 'south', 'west', 'north')).toBe('d1 a1 .\nc1 b1 .\n. . .')
  })

  test('two that want each other’s cell trade places, as in the original', () => {
    expect(drawn('a1 b1 .\n . . .\n . . .').step('east', 'west')).toBe('b1 a1 .\n. . .\n. . .')
  })

  test('a player may enter the cell of one that leaves in vain, as in the original', () => {
    // b and c want the same cell and stay; a alone claims the cell of b.
    const field = drawn('a1 b1 . c1\n . . . .\n . . . 1')
    expect(field.step('east', 'east', 'west')).toBe('. a1b1 . c1\n. . . .\n. . . 1')
    // Together they block each other, apart they walk.
    expect(field.step('none', 'none', 'none')).toBe('. a1b1 . c1\n. . . .\n. . . 1')
    expect(field.step('south', 'west', 'none')).toBe('b1 . . c1\n. a1 . .\n. . . 1')
  })
})

describe('strict movement', () => {
  const strict = { strict: true }

  test('nobody trades places', () => {
    expect(drawn('a1 b1 .\n . . .\n . . .', strict).step('east', 'west')).toBe('a1 b1 .\n. . .\n. . .')
  })

  test('nobody enters a cell whose player stays, however long the queue behind it', () => {
    const field = drawn('a1 b1 c1 . d1\n . . . . .\n . . 1 . .', strict)
    expect(field.step('east', 'east', 'east', 'west')).toBe('a1 b1 c1 . d1\n. . . . .\n. . 1 . .')
    expect(field.batch.metrics(0).blockedMoves).toBe(4)
    expect(field.step('east', 'east', 'east', 'none')).toBe('. a1 b1 c1 d1\n. . . . .\n. . 1 . .')
  })

  test('rings of four turn, and whoever waits behind a swap waits', () => {
    const ring = drawn('a1 b1 .\n d1 c1 .\n . . .', strict)
    expect(ring.step('east', 'south', 'west', 'north')).toBe('d1 a1 .\nc1 b1 .\n. . .')
    expect(drawn('a1 b1 c1\n . . .\n . . .', strict).step('east', 'east', 'west')).toBe('a1 b1 c1\n. . .\n. . .')
  })

  test('two in one cell are refused in a loaded state', () => {
    expect(() => drawn('a1b1 . .\n . 1 .\n . . .', strict)).toThrow(/player 1 is in the cell of another player/)
  })
})

describe('loading', () => {
  test('a group strong enough takes the item and shares its level by strength', () => {
    // Item 3 of 5 spawned; levels 1 and 2: 1 * 3 / (3 * 5) and 2 * 3 / (3 * 5).
    const field = drawn('. a1 . . .\n . 3 b2 . .\n . . . 2 .\n . . . . .')
    expect(field.step('load', 'load')).toBe('. a1 . . .\n. . b2 . .\n. . . 2 .\n. . . . .')
    expect(field.rewards()).toEqual([Math.fround(3 / 15), Math.fround(6 / 15)])
    expect(field.batch.metrics(0)).toMatchObject({ foodTaken: 1, levelShare: 0.6, jointLoads: 1, failedLoads: 0 })
    expect(field.batch.terminated[0]).toBe(0)
  })

  test('more strength than needed changes the shares, not the sum', () => {
    const field = drawn('. a2 .\n b2 1 c1\n . . .')
    field.step('load', 'load', 'load')
    expect(field.rewards()).toEqual([2 / 5, 2 / 5, 1 / 5].map(Math.fround))
    expect(field.batch.terminated[0]).toBe(1) // no food left
  })

  test('rewards that are not normalised are own level times item level', () => {
    const field = drawn('. a1 .\n . 3 b2\n . . .', { normalisedRewards: false })
    field.step('load', 'load')
    expect(field.rewards()).toEqual([3, 6])
  })

  test('a group too weak pays the penalty, each of it; who did not load pays nothing', () => {
    const field = drawn('. a1 .\n b1 3 c2\n . . .', { penalty: 0.25 })
    field.step('load', 'load', 'none')
    expect(field.rewards()).toEqual([-0.25, -0.25, 0])
    expect(field.batch.metrics(0)).toMatchObject({ foodTaken: 0, failedLoads: 1 })
    expect(field.batch.rewardTerms!(0).penalty).toEqual(Float32Array.of(-0.25, -0.25, 0))
  })

  test('load with nothing beside means none and costs nothing', () => {
    const field = drawn('a1 . .\n . 1 .\n . . .', { penalty: 1 })
    field.step('load')
    expect(field.rewards()).toEqual([0])
    expect(Object.is(field.batch.reward[0], -0)).toBe(false)
  })

  test('several items may go in one step, and two in one cell may both load', () => {
    const field = drawn('. a1b1 . . c1\n . 2 . . 1\n . . . . .')
    field.step('load', 'load', 'load')
    expect(field.rewards()).toEqual([1 / 3, 1 / 3, 1 / 3].map(Math.fround))
    expect(field.batch.metrics(0).foodTaken).toBe(2)
  })

  test('movers arrive before items are taken, but do not load', () => {
    const field = drawn('. a1 .\n . 2 .\n b1 . .')
    expect(field.step('load', 'north')).toBe('. a1 .\nb1 2 .\n. . .')
    expect(field.batch.metrics(0).failedLoads).toBe(1)
  })

  test('between two items the lower player number forms its group first, north before south', () => {
    // Ours: the original takes loaders in the order of a hash set. a stands between the items: north is searched first.
    const field = drawn('. 2 .\n . a1 b1\n . 1 .\n . . .')
    field.step('load', 'none')
    expect(field.rewards()).toEqual([0, 0]) // too weak for the 2 north of it, and in no other group
    const other = drawn('. 1 .\n . a1 .\n b1 1 .\n . . .')
    other.step('load', 'load')
    expect(other.rewards()).toEqual([0.5, 0.5]) // a takes the north item, so b is alone at the south one
  })
})

describe('endings', () => {
  test('the last item terminates, the horizon truncates at exactly the asked step', () => {
    const field = drawn('. a1 .\n . 1 .\n . . .', { horizon: 7 })
    for (let step = 1; step <= 7; step++) {
      field.step('none')
      expect([step, field.batch.truncated[0], field.batch.terminated[0]]).toEqual([step, step === 7 ? 1 : 0, 0])
    }
    const last = drawn('. a1 .\n . 1 .\n . . .', { horizon: 1 })
    last.step('load')
    expect([last.batch.truncated[0], last.batch.terminated[0]]).toEqual([0, 1])
  })

  test('the default horizon is 50 and can be reported as the original does', () => {
    const field = drawn('. a1 .\n . 1 .\n . . .', { horizonEnds: 'termination' })
    for (let step = 1; step <= 50; step++) field.step('none')
    expect([field.batch.truncated[0], field.batch.terminated[0]]).toEqual([0, 1])
  })
})

describe('masks', () => {
  test('show what has an effect, and refuse the rest with a sentence', () => {
    const field = drawn('a1 . .\n 1 . .\n . . b1', { actionMask: true })
    expect([...field.batch.mask]).toEqual([1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 0])
    expect(() => field.step('north', 'none')).toThrow(
      /agent_0\] at step 0 is 1 north, which is masked; expected a legal action: 0 none, 4 east, 5 load/,
    )
  })

  test('are all ones unless asked for', () => {
    expect([...drawn('a1 . .\n 1 . .\n . . .').batch.mask]).toEqual([1, 1, 1, 1, 1, 1])
  })
})
