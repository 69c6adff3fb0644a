import { describe, expect, test } from 'vitest'
import { Generator, createBatch, namedSeed, type BatchSettings } from '../../core/index.ts'
import { contract } from '../../core/contract.ts'
import { coin } from './index.ts'
import { type CoinState } from './rules.ts'

const RIGHT = 0
const LEFT = 1
const DOWN = 2
const UP = 3
const STAY = 4

const open = (options: object = {}, settings: BatchSettings = {}) => createBatch(coin, options, settings)

/** One lane as drawn: R and B players, r and b coins; two things in one cell are written 'Rb'. */
function world(picture: string, options: object = {}) {
  const rows = picture.trim().split('\n').map((line) => line.trim().split(/\s+/)) // prettier-ignore
  const batch = open({ side: rows.length, horizon: 50, ...options }, { autoreset: 'disabled' })
  batch.reset()
  const state = batch.world as CoinState
  rows.forEach((row, y) =>
    row.forEach((things, x) => {
      for (const thing of things) {
        const cell = y * rows.length + x
        if (thing === 'R') state.player[0] = cell
        if (thing === 'B') state.player[1] = cell
        if (thing === 'r') state.coin[0] = cell
        if (thing === 'b') state.coin[1] = cell
      }
    }),
  )
  batch.load(0, batch.save(0)) // observations anew
  return { batch, state }
}

describe('the coin game', () => {
  test('an own coin pays one and costs nobody', () => {
    const { batch } = world('Rr . .\n . . . \n B . b')
    batch.step(Int32Array.of(STAY, STAY))
    expect(Array.from(batch.reward)).toEqual([1, 0])
    expect(batch.metrics(0)).toMatchObject({ ownShare: 1, coins: 1, ownCoins0: 1 })
  })

  test('the other’s coin pays one and costs the other two', () => {
    const { batch } = world('R b .\n . . .\n B . r')
    batch.step(Int32Array.of(RIGHT, STAY))
    expect(Array.from(batch.reward)).toEqual([1, -2])
    expect(batch.metrics(0)).toMatchObject({ ownShare: 0, otherCoins0: 1, ownCoins1: 0 })
  })

  test('both take a coin that both reach at once', () => {
    const { batch } = world('R r B\n . . .\n . . b')
    batch.step(Int32Array.of(RIGHT, LEFT))
    expect(Array.from(batch.reward)).toEqual([1 - 2, 1])
    expect(batch.metrics(0)!.ownShare).toBe(0.5)
  })

  test('the world has no edges', () => {
    const { batch, state } = world('R . .\n . r .\n . b B')
    batch.step(Int32Array.of(LEFT, DOWN))
    expect(Array.from(state.player)).toEqual([2, 2])
    batch.step(Int32Array.of(UP, RIGHT))
    expect(Array.from(state.player)).toEqual([8, 0])
  })

  test('coins stay until taken and reappear anywhere, each cell as often', () => {
    const lanes = 9000
    const batch = open({ horizon: null }, { lanes })
    batch.reset()
    const state = batch.world as CoinState
    for (let lane = 0; lane < lanes; lane++) {
      state.player.set([0, 1], lane * 2)
      state.coin.set([0, 5], lane * 2)
    }
    batch.step(new Int32Array(lanes * 2).fill(STAY))
    const counts = new Int32Array(9)
    for (let lane = 0; lane < lanes; lane++) {
      counts[state.coin[lane * 2]]++
      expect(state.coin[lane * 2 + 1]).toBe(5)
    }
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(4.5 * Math.sqrt(1000 * (8 / 9)))
  })

  test('players see themselves first: own place, other, own coin, other coin', () => {
    const { batch } = world('R b .\n . B .\n . . r')
    const at = (agent: number, row: number, column: number) =>
      Array.from(
        batch.observation.subarray(agent * 36 + (row * 3 + column) * 4, agent * 36 + (row * 3 + column) * 4 + 4),
      )
    expect([at(0, 0, 0), at(0, 1, 1), at(0, 2, 2), at(0, 0, 1)]).toEqual([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]) // prettier-ignore
    expect([at(1, 1, 1), at(1, 0, 0), at(1, 0, 1), at(1, 2, 2)]).toEqual([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]) // prettier-ignore
  })

  test('egocentric views put the own place in the middle', () => {
    const { batch } = world('R b .\n . . .\n . B r', { egocentric: true })
    const found = (agent: number, layer: number) =>
      Array.from({ length: 9 }, (_, cell) => cell).find(
        (cell) => batch.observation[agent * 36 + cell * 4 + layer] === 1,
      )
    expect(found(0, 0)).toBe(4)
    expect(found(0, 1)).toBe(2) // (2, 1) from (0, 0) is one up and one right on the torus
    expect(found(0, 3)).toBe(5)
    expect(found(1, 0)).toBe(4)
  })

  test('two greedy collectors expect nothing: every coin pays one, and half of them cost two', () => {
    // nearest coin of any colour, ties to the own: by symmetry half of what is taken is the other's
    const lanes = 2000
    const batch = open({ horizon: 100 }, { lanes })
    batch.reset()
    const state = batch.world as CoinState
    const rng = new Generator(namedSeed('coin', 'greedy'))
    const action = new Int32Array(lanes * 2)
    const towards = (from: number, to: number) => {
      const row = (Math.floor(to / 3) - Math.floor(from / 3) + 3) % 3
      const column = ((to % 3) - (from % 3) + 3) % 3
      return row === 0 ? [STAY, RIGHT, LEFT][column] : [STAY, DOWN, UP][row]
    }
    const far = (from: number, to: number) =>
      (Math.floor(from / 3) === Math.floor(to / 3) ? 0 : 1) + (from % 3 === to % 3 ? 0 : 1)
    let sum = 0
    let coins = 0
    for (let step = 0; step < 99; step++) {
      for (let i = 0; i < lanes * 2; i++) {
        const pair = i - (i % 2)
        const [a, b] = [far(state.player[i], state.coin[pair]), far(state.player[i], state.coin[pair + 1])]
        const colour = a === b ? rng.below(2) : a < b ? 0 : 1
        action[i] = towards(state.player[i], state.coin[pair + colour])
      }
      batch.step(action)
      for (let i = 0; i < lanes * 2; i++) sum += batch.reward[i]
    }
    for (let lane = 0; lane < lanes; lane++) coins += batch.metrics(lane).coins!
    expect(coins / lanes).toBeGreaterThan(50)
    // a coin is worth +1 or -1 with equal chance: standard error sqrt(coins) / coins
    expect(Math.abs(sum / coins)).toBeLessThan(4.5 / Math.sqrt(coins))
  })

  test('swapped players and colours swap rewards', () => {
    const here = world('R b .\n . . B\n . . r')
    const there = world('B r .\n . . R\n . . b')
    here.batch.step(Int32Array.of(RIGHT, DOWN))
    there.batch.step(Int32Array.of(DOWN, RIGHT))
    expect(Array.from(here.batch.reward)).toEqual(Array.from(there.batch.reward).reverse())
    expect(Array.from(here.batch.reward)).toEqual([1 - 2, 1 - 2])
  })

  test('as in JaxMARL the step at the horizon can be told to pay nothing', () => {
    for (const lastPays of [true, false]) {
      const { batch } = world('Rr . .\n . Bb .\n . . .', { horizon: 1, lastPays })
      batch.step(Int32Array.of(STAY, STAY))
      expect(Array.from(batch.reward)).toEqual(lastPays ? [1, 1] : [0, 0])
    }
  })
})

for (const { name, run } of contract(coin, [{}, { side: 4, egocentric: true, penalty: -1.5 }, { lastPays: false }])) {
  test(name, run)
}
