import { describe, expect, test } from 'vitest'
import { createBatch, type BatchSettings } from '../../core/index.ts'
import { contract } from '../../core/contract.ts'
import { storm } from './index.ts'
import { LAYERS } from './observe.ts'
import { beamCells, type StormState } from './rules.ts'

const LEFT = 0
const RIGHT = 1
const FORWARD = 2
const INTERACT = 3
const STAY = 4
/** Headings. */
const DOWN = 0
const EAST = 1
const UPWARDS = 2
const WEST = 3

const open = (options: object = {}, settings: BatchSettings = {}) => createBatch(storm, options, settings)
const cell = (x: number, y: number) => x * 8 + y

interface Player {
  readonly at: readonly [x: number, y: number]
  readonly heading: number
  readonly coins?: readonly [number, number]
}

/** One lane with both players placed, and no coins but the listed ones. */
function world(
  players: readonly [Player, Player],
  coins: readonly (readonly [number, number, number])[] = [],
  options = {},
) {
  const batch = open(options, { autoreset: 'disabled' })
  batch.reset()
  const state = batch.world as StormState
  state.place.fill(0)
  players.forEach(({ at, heading, coins: held = [0, 0] }, n) => {
    state.at[n] = cell(...at)
    state.heading[n] = heading
    state.inventory.set(held, n * 2)
  })
  for (const [x, y, type] of coins) state.place[cell(x, y)] = type
  batch.load(0, batch.save(0))
  const step = (a: number, b: number) => {
    batch.step(Int32Array.of(a, b))
    return Array.from(batch.reward)
  }
  const where = () => [0, 1].map((n) => [Math.floor(state.at[n] / 8), state.at[n] % 8])
  return { batch, state, step, where }
}

const FAR: Player = { at: [7, 7], heading: DOWN }

describe('moving', () => {
  test('left turns left on the screen: down, right, up, left, and right the other way round', () => {
    const { state, step } = world([{ at: [3, 3], heading: DOWN }, FAR])
    const seen = [LEFT, LEFT, LEFT, LEFT, RIGHT, RIGHT].map((turn) => {
      step(turn, STAY)
      return state.heading[0]
    })
    expect(seen).toEqual([EAST, UPWARDS, WEST, DOWN, WEST, UPWARDS])
  })

  test('forward goes one cell where the heading points, and not through walls', () => {
    const { step, where } = world([
      { at: [0, 3], heading: EAST },
      { at: [7, 7], heading: DOWN },
    ])
    step(FORWARD, FORWARD)
    expect(where()).toEqual([[1, 3], [7, 7]]) // prettier-ignore
  })

  test('a cell where somebody stands is theirs; a cell both want goes to either', () => {
    const stands = world([
      { at: [3, 3], heading: EAST },
      { at: [4, 3], heading: DOWN },
    ])
    stands.step(FORWARD, STAY)
    expect(stands.where()).toEqual([[3, 3], [4, 3]]) // prettier-ignore
    const lanes = 2000
    const batch = open({}, { lanes })
    batch.reset()
    const state = batch.world as StormState
    for (let lane = 0; lane < lanes; lane++) {
      state.at.set([cell(3, 3), cell(5, 3)], lane * 2)
      state.heading.set([EAST, WEST], lane * 2)
    }
    batch.step(new Int32Array(lanes * 2).fill(FORWARD))
    let first = 0
    for (let lane = 0; lane < lanes; lane++) {
      const took = state.at[lane * 2] === cell(4, 3)
      expect(state.at[lane * 2 + 1]).toBe(took ? cell(5, 3) : cell(4, 3))
      if (took) first++
    }
    expect(Math.abs(first - lanes / 2)).toBeLessThan(4.5 * Math.sqrt(lanes / 4))
  })

  test('who walks onto a coin holds it', () => {
    const { batch, state, step } = world([{ at: [3, 3], heading: EAST }, FAR], [[4, 3, 1], [5, 3, 2]]) // prettier-ignore
    step(FORWARD, STAY)
    step(FORWARD, STAY)
    expect(Array.from(state.inventory)).toEqual([1, 1, 0, 0])
    expect(state.place.some((what) => what !== 0)).toBe(false)
    expect(Array.from(batch.observation.subarray(250, 256))).toEqual([1, 1, 1, 0, 0, 0])
  })
})

describe('interacting', () => {
  test('a beam covers one and two cells ahead and the two beside the first; at a wall it does not bend', () => {
    const ray = new Int32Array(4)
    beamCells(cell(3, 3), EAST, ray)
    expect([...ray].sort()).toEqual([cell(4, 3), cell(5, 3), cell(4, 4), cell(4, 2)].sort())
    beamCells(cell(3, 0), EAST, ray)
    expect([...ray].sort()).toEqual([cell(4, 0), cell(5, 0), cell(4, 1), cell(4, 0)].sort())
    beamCells(cell(7, 3), EAST, ray)
    expect(ray[0]).toBe(cell(7, 3)) // against the wall: nobody there but oneself
  })

  test('pays x1 M x2 by the shares of both inventories', () => {
    for (const [mine, yours, first, second] of [
      [[6, 0], [6, 0], 3, 3],
      [[0, 2], [0, 1], 1, 1],
      [[0, 1], [3, 0], 5, 0],
      [[1, 1], [1, 0], (3 + 5) / 2, (3 + 0) / 2],
      [[1, 3], [1, 1], (0.25 * 3 + 0.75 * 5 + 0.75 * 1) / 2, (0.25 * 3 + 0.25 * 5 + 0.75 * 1) / 2],
    ] as const) {
      const { step } = world([
        { at: [3, 3], heading: EAST, coins: mine },
        { at: [4, 4], heading: DOWN, coins: yours },
      ])
      expect(step(INTERACT, STAY)).toEqual([expect.closeTo(first, 6), expect.closeTo(second, 6)])
    }
  })

  test('needs both inventories, and a hit', () => {
    const empty = world([
      { at: [3, 3], heading: EAST, coins: [1, 0] },
      { at: [4, 3], heading: DOWN },
    ])
    expect(empty.step(INTERACT, STAY)).toEqual([0, 0])
    expect(empty.batch.metrics(0).interactions).toBe(0)
    const missed = world([
      { at: [3, 3], heading: WEST, coins: [1, 0] },
      { at: [4, 3], heading: DOWN, coins: [1, 0] },
    ])
    expect(missed.step(INTERACT, STAY)).toEqual([0, 0])
    const three = world([
      { at: [3, 3], heading: EAST, coins: [1, 0] },
      { at: [6, 3], heading: DOWN, coins: [1, 0] },
    ])
    expect(three.step(INTERACT, STAY)).toEqual([0, 0])
    expect(three.step(STAY, INTERACT)).toEqual([0, 0])
  })

  test('freezes both for five steps with inventories shown, then the grid starts over', () => {
    const { batch, state, step, where } = world([
      { at: [3, 3], heading: EAST, coins: [2, 1] },
      { at: [4, 3], heading: DOWN, coins: [0, 1] },
    ])
    step(INTERACT, STAY)
    const shown = () => Array.from(batch.observation.subarray(254, 256))
    for (let frozen = 0; frozen < 5; frozen++) {
      expect(shown()).toEqual([0, 1])
      expect(where()).toEqual([[3, 3], [4, 3]]) // prettier-ignore
      expect(state.frozen[0]).toBe(5 - frozen)
      step(FORWARD, FORWARD)
    }
    expect(state.frozen[0]).toBe(-1)
    expect(Array.from(state.inventory)).toEqual([0, 0, 0, 0])
    expect(state.at[0] + state.at[1]).toBe(63) // opposite starts
    expect(batch.terminated[0]).toBe(0)
    expect(state.place.reduce((sum, what) => sum + (what > 0 ? 1 : 0), 0)).toBeGreaterThanOrEqual(10) // but where they stand
    expect(batch.metrics(0)).toMatchObject({ interactions: 1, shareA0: expect.closeTo(2 / 3, 12), shareA1: 0 })
  })

  test('the beam shows for one step, on empty cells only', () => {
    const { batch, step } = world([{ at: [3, 3], heading: EAST }, FAR], [[4, 3, 1]]) // prettier-ignore
    step(INTERACT, STAY)
    const beams = () => batch.frame(0).entities.filter(({ kind }) => kind === 'beam').map(({ x, y }) => [x, y]) // prettier-ignore
    expect(beams().sort()).toEqual([[4, 2], [4, 4], [5, 3]]) // prettier-ignore
    step(STAY, STAY)
    expect(beams()).toEqual([])
  })

  test('swapped players swap what they get when the tables do', () => {
    const pair = (a: readonly [number, number], b: readonly [number, number]) =>
      world([
        { at: [3, 3], heading: EAST, coins: a },
        { at: [4, 3], heading: WEST, coins: b },
      ]).step(INTERACT, INTERACT)
    expect(pair([1, 2], [2, 0])).toEqual(pair([2, 0], [1, 2]).reverse())
  })
})

describe('what players see', () => {
  /** Layer names at a place of agent's view. */
  const seen = (batch: ReturnType<typeof open>, agent: number, aside: number, ahead: number) => {
    const from = agent * 256 + ((aside + 2) * 5 + ahead) * LAYERS.length
    return LAYERS.filter((_, k) => batch.observation[from + k] === 1)
  }

  test('five by five cells ahead, turned with the heading, walls beyond the edge', () => {
    // heading 1 (right): ahead is x + 1, aside is STEP[2] = (0, -1)
    const { batch } = world([{ at: [3, 3], heading: EAST }, { at: [5, 4], heading: UPWARDS }], [[4, 2, 1], [7, 3, 2]]) // prettier-ignore
    expect(seen(batch, 0, 0, 0)).toEqual(['self'])
    expect(seen(batch, 0, -1, 2)).toEqual(['other', 'otherLeft']) // heading 2 against 1: one turn to the left
    expect(seen(batch, 0, 1, 1)).toEqual(['coinA'])
    expect(seen(batch, 0, 0, 4)).toEqual(['coinB'])
    // agent_1 looks up: ahead is y - 1, aside is STEP[3] = (-1, 0)
    expect(seen(batch, 1, 2, 1)).toEqual(['other', 'otherRight'])
    const corner = world([{ at: [0, 0], heading: WEST }, FAR]).batch
    expect(seen(corner, 0, 0, 1)).toEqual(['wall'])
    expect(seen(corner, 0, -1, 0)).toEqual(['wall']) // aside is (0, 1), so -1 aside is above the grid
    expect(seen(corner, 0, 1, 0)).toEqual([])
  })

  test('both players and both coin types are where the global state says', () => {
    const { batch } = world([{ at: [1, 2], heading: EAST, coins: [2, 3] }, FAR], [[4, 2, 1]]) // prettier-ignore
    const on = batch.spec.world.state.filter((_, i) => batch.state[i] !== 0).map(({ name }) => name)
    expect(on).toEqual(['agent_0.1.2', 'coinA.4.2', 'agent_1.7.7', 'agent_0.right', 'agent_1.down', 'agent_0.coinsA', 'agent_0.coinsB']) // prettier-ignore
  })
})

describe('starts', () => {
  const lanes = 3000
  const started = (options: object) => {
    const batch = open(options, { lanes })
    batch.reset()
    return batch.world as StormState
  }

  test('are opposite places of the list, with every heading; as in JaxMARL never to the left', () => {
    for (const allHeadings of [true, false]) {
      const { at, heading } = started({ allHeadings })
      const counts = new Int32Array(4)
      const places = new Set<number>()
      for (let lane = 0; lane < lanes; lane++) {
        expect(at[lane * 2] + at[lane * 2 + 1]).toBe(63)
        places.add(at[lane * 2])
        counts[heading[lane * 2]]++
      }
      expect(places.size).toBe(18)
      expect(counts[3] > 0).toBe(allHeadings)
    }
  })

  test('six coins of each type lie in the corners; shuffled they are dealt anew', () => {
    const fixed = started({})
    const shuffled = started({ shuffled: true })
    const layouts = new Set<string>()
    for (let lane = 0; lane < lanes; lane++) {
      const row = (state: StormState) => state.home.subarray(lane * 64, lane * 64 + 64)
      expect(row(fixed)[cell(1, 2)]).toBe(1)
      expect(row(fixed)[cell(1, 1)]).toBe(2)
      for (const type of [1, 2]) expect(row(shuffled).filter((what) => what === type)).toHaveLength(6)
      layouts.add(row(shuffled).join(''))
    }
    expect(layouts.size).toBeGreaterThan(500) // of 924
  })
})

test('as in JaxMARL the step at the horizon can be told to pay nothing', () => {
  for (const lastPays of [true, false]) {
    const { step } = world(
      [{ at: [3, 3], heading: EAST, coins: [1, 0] }, { at: [4, 3], heading: DOWN, coins: [1, 0] }], // prettier-ignore
      [],
      { horizon: 1, lastPays },
    )
    expect(step(INTERACT, STAY)).toEqual(lastPays ? [3, 3] : [0, 0])
  }
})

for (const { name, run } of contract(storm, [{}, { shuffled: true, allHeadings: false, freeze: 2, lastPays: false }])) {
  test(name, run)
}
