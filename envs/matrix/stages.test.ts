/** Games of several states, memory, observations as in matrix-games, and tables for more than two players. */
import { describe, expect, test } from 'vitest'
import { refusal } from '../../testing.ts'
import { createBatch, type BatchSettings } from '../core/index.ts'
import { matrix } from './index.ts'

const open = (options: object = {}, settings: BatchSettings = {}) => createBatch(matrix, options, settings)

/** A batch of one lane after the given joint actions. */
function play(options: object, rounds: readonly (readonly number[])[] = []) {
  const batch = open(options, { autoreset: 'disabled' })
  batch.reset()
  for (const choices of rounds) batch.step(Int32Array.from(choices))
  return batch
}

const featureNames = (batch: ReturnType<typeof open>, agent = 0) =>
  batch.spec.agents[agent].observation.map(({ name }) => name)

describe('the two-step game', () => {
  test('pays nothing in the first round; 7 for anything in 2A; 0, 1, 1, 8 in 2B; and ends', () => {
    for (const first of [0, 1]) {
      for (const [a, b] of [
        [0, 0],
        [0, 1],
        [1, 0],
        [1, 1],
      ]) {
        // prettier-ignore
        for (const other of [0, 1]) {
          const batch = play({ game: 'two-step' }, [[first, other]])
          expect(Array.from(batch.reward)).toEqual([0, 0])
          expect(batch.terminated[0]).toBe(0)
          expect(Array.from(batch.observation.subarray(0, 3))).toEqual([0, first === 0 ? 1 : 0, first])
          batch.step(Int32Array.of(a, b))
          const paid = first === 0 ? 7 : [[0, 1], [1, 8]][a][b] // prettier-ignore
          expect(Array.from(batch.reward)).toEqual([paid, paid])
          expect(batch.terminated[0]).toBe(1)
        }
      }
    }
  })

  test('of matrix-games pays the linear and the nonlinear table, as it was meant to', () => {
    expect(play({ game: 'uoe-two-step' }, [[0, 0], [1, 1]]).reward[0]).toBe(9) // prettier-ignore
    expect(play({ game: 'uoe-two-step' }, [[0, 0], [0, 1]]).reward[0]).toBe(5) // prettier-ignore
    expect(play({ game: 'uoe-two-step' }, [[1, 0], [1, 1]]).reward[0]).toBe(10) // prettier-ignore
    expect(play({ game: 'uoe-two-step' }, [[1, 0], [1, 0]]).reward[0]).toBe(0) // prettier-ignore
  })
})

describe('the two-state donation game', () => {
  test('stays rich only while both cooperate, and comes back as soon as both do', () => {
    const batch = play({ game: 'donation' })
    const seen: number[][] = []
    for (const choices of [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
      [0, 0],
      [0, 0],
    ]) {
      // prettier-ignore
      seen.push([batch.observation[0], batch.observation[1]])
      batch.step(Int32Array.from(choices))
      seen.push(Array.from(batch.reward))
    }
    // b1 = 10, b2 = 2, c = 1
    expect(seen).toEqual([
      [1, 0],
      [9, 9],
      [1, 0],
      [-1, 10],
      [0, 1],
      [2, -1],
      [0, 1],
      [0, 0],
      [0, 1],
      [1, 1],
      [1, 0],
      [9, 9], // prettier-ignore
    ])
    expect(batch.metrics(0).state0Share).toBe(3 / 6)
    expect(batch.metrics(0).cooperationRate).toBe(8 / 12)
  })

  test('swapped players swap observations, rewards and payoffs', () => {
    const rounds = [[0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [0, 1]] // prettier-ignore
    const here = play({ game: 'donation', observation: 'last' }, rounds)
    const there = play({ game: 'donation', observation: 'last' }, rounds.map(([a, b]) => [b, a])) // prettier-ignore
    const F = here.spec.observationSize
    expect(Array.from(here.observation.subarray(0, F))).toEqual(Array.from(there.observation.subarray(F)))
    expect(Array.from(here.returns)).toEqual(Array.from(there.returns).reverse())
  })
})

test('two-state matching pennies: roles swap between the states, and agent_0 alone moves the game', () => {
  // heads (0) leads to the second state, tails to the first; sum of payoffs always 1
  const batch = play({ game: 'two-state-pennies' })
  const seen: number[][] = []
  for (const choices of [
    [0, 0],
    [0, 0],
    [1, 0],
    [1, 0],
    [0, 1],
  ]) {
    // prettier-ignore
    batch.step(Int32Array.from(choices))
    seen.push([...batch.reward, batch.observation[1]])
  }
  expect(seen).toEqual([[1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 1, 0], [0, 1, 1]]) // prettier-ignore
})

test('the ecological public good collapses and recovers as often as its chances say', () => {
  const lanes = 4000
  const batch = open({ game: 'ecological', parameters: { players: 2, recovery: 0.25 }, horizon: null }, { lanes })
  batch.reset()
  // one defector of two: chance of collapse 0.2 / 2
  batch.step(Int32Array.from({ length: lanes * 2 }, (_, i) => i % 2))
  let collapsed = 0
  for (let lane = 0; lane < lanes; lane++) {
    const fell = batch.observation[lane * 2 * 2] === 1
    if (fell) collapsed++
    // f c / 2 = 3 for the giver's five: 3 - 5 and 3, or the impact on the way down
    expect([batch.reward[lane * 2], batch.reward[lane * 2 + 1]]).toEqual(fell ? [-5, -5] : [-2, 3])
  }
  expect(Math.abs(collapsed / lanes - 0.1)).toBeLessThan(4 * Math.sqrt((0.1 * 0.9) / lanes))
  // everybody gives: nothing falls, a quarter of the fallen recovers, and pays on the way
  batch.step(new Int32Array(lanes * 2))
  let still = 0
  for (let lane = 0; lane < lanes; lane++) if (batch.observation[lane * 2 * 2] === 1) still++
  expect(Math.abs(still / collapsed - 0.75)).toBeLessThan(4 * Math.sqrt((0.75 * 0.25) / collapsed))
})

test('without a choice in the degraded state recovery needs nobody, with it a share per contributor', () => {
  const stuck = play(
    { game: 'tensors', tensors: { transitions: [[[[1], [1]], [[1], [1]]]], rewards: [[[[[1], [0]], [[0], [1]]]], [[[[2], [0]], [[0], [2]]]]] } }, // prettier-ignore
    [[0, 0], [1, 1]], // prettier-ignore
  )
  expect(Array.from(stuck.returns)).toEqual([2, 4]) // one state: a matrix game written as tensors
  const chance = (parameters: object, cell: number) => {
    const { world } = open({ game: 'ecological', parameters })
    const { stages } = (world as { game: { stages: { transition: Float64Array } } }).game
    return stages.transition[cell * 2 + 1] // from degraded to prosperous
  }
  expect([0, 1, 2, 3].map((cell) => chance({ recovery: 0.5 }, cell))).toEqual([0.5, 0.5, 0.5, 0.5])
  expect([0, 1, 2, 3].map((cell) => chance({ recovery: 0.5, degradedChoice: 1 }, cell))).toEqual([0.5, 0.25, 0.25, 0])
})

test('the Byzantine toy game pays 100 to two who know the way, and 50 in the mean against uniform play', () => {
  const total = play({ game: 'byzantine', horizon: 100 })
  for (let round = 0; round < 100; round++) total.step(round === 0 ? Int32Array.of(0, 0) : Int32Array.of(0, 1))
  expect(total.finalReturns[0]).toBe(100)
  const lanes = 500
  const uniform = open({ game: 'byzantine', horizon: 100 }, { lanes, control: ['agent_0'], autoreset: 'disabled' })
  uniform.reset()
  for (let round = 0; round < 100; round++) uniform.step(new Int32Array(lanes))
  const mean = uniform.finalReturns.reduce((a, b) => a + b) / lanes
  // a fair coin per round: standard error 5 / sqrt(500)
  expect(Math.abs(mean - 50)).toBeLessThan((4 * 5) / Math.sqrt(lanes))
})

describe('more than two players', () => {
  test('climbing for three pays the table to all, who are one team', () => {
    expect(Array.from(play({ game: 'climbing-3p' }, [[0, 0, 0]]).reward)).toEqual([11, 11, 11]) // prettier-ignore
    expect(play({ game: 'climbing-3p' }, [[2, 2, 1]]).reward[2]).toBe(6) // prettier-ignore
    expect(play({ game: 'climbing-3p' }, [[1, 1, 1]]).reward[0]).toBe(7) // prettier-ignore
    expect(play({ game: 'climbing-3p' }, [[1, 0, 0]]).reward[0]).toBe(-30) // prettier-ignore
    expect(open({ game: 'climbing-3p' }).spec.agents.map(({ team }) => team)).toEqual(['players', 'players', 'players'])
  })

  test('a player sees itself first, then the others in a circle', () => {
    const batch = play({ game: 'public-goods', parameters: { players: 3 }, observation: 'last' }, [[0, 1, 1]]) // prettier-ignore
    expect(featureNames(batch, 1)).toEqual([
      'own.contribute',
      'own.keep',
      'other1.contribute',
      'other1.keep',
      'other2.contribute',
      'other2.keep',
    ])
    expect(Array.from(batch.observation)).toEqual([
      1,
      0,
      0,
      1,
      0,
      1,
      /* agent_1 */ 0,
      1,
      0,
      1,
      1,
      0,
      /* agent_2 */ 0,
      1,
      1,
      0,
      0,
      1, // prettier-ignore
    ])
  })

  test('a table of one’s own for three is nested by the actions of all', () => {
    const cube = (sign: number) =>
      [0, 1].map((a) => [0, 1, 2].map((b) => [0, 1].map((c) => sign * (a * 100 + b * 10 + c))))
    const batch = play({ game: 'custom', payoffs: [cube(1), cube(-1), cube(2)] }, [[1, 2, 1]]) // prettier-ignore
    expect(Array.from(batch.reward)).toEqual([121, -121, 242])
    expect(Array.from(batch.mask)).toEqual([1, 1, 0, 1, 1, 1, 1, 1, 0])
  })

  test('frames lie sheet by sheet: one for every choice of the third player', () => {
    const frame = play({ game: 'climbing-3p' }, [[0, 1, 2], [2, 2, 1]]).frame(0) // prettier-ignore
    expect(frame.layers!.map(({ name }) => name)).toEqual(['counts.0', 'counts.1', 'counts.2'])
    expect(frame.layers![1].cells).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1])
    expect(frame.layers![2].cells).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 0])
    const choice = frame.entities.find(({ id }) => id === 'choice')!
    expect([choice.x, choice.y, choice.state!.sheet]).toEqual([4 + 2, 2, 1])
    const { sheets } = open({ game: 'climbing-3p' }).spec.world.scene as { sheets: { payoffs: number[][][] }[] }
    // P[a][b][c] with c = 1
    expect(sheets[1].payoffs[0]).toEqual([[-30, 0, 0], [0, 7, 0], [0, 0, 6]]) // prettier-ignore
  })
})

describe('memory', () => {
  test('shows the rounds before, newest first, and zeros where there were none', () => {
    const batch = play({ game: 'pd', observation: 'last', memory: 3 }, [[0, 1]]) // prettier-ignore
    expect(featureNames(batch).slice(4)).toEqual([
      'own.cooperate.2',
      'own.defect.2',
      'other.cooperate.2',
      'other.defect.2',
      'own.cooperate.3',
      'own.defect.3',
      'other.cooperate.3',
      'other.defect.3',
    ])
    const own = () => Array.from(batch.observation.subarray(0, 12)).join('')
    expect(own()).toBe('1001' + '0000' + '0000')
    batch.step(Int32Array.of(1, 1))
    expect(own()).toBe('0101' + '1001' + '0000')
    batch.step(Int32Array.of(0, 0))
    expect(own()).toBe('1010' + '0101' + '1001')
    batch.step(Int32Array.of(0, 0))
    expect(own()).toBe('1010' + '1010' + '0101')
    expect(Array.from(batch.observation.subarray(12)).join('')).toBe('1010' + '1010' + '0101')
    expect(batch.spec.stateSize).toBe(12)
  })

  test('is part of the saved game, and forgotten at the start of an episode', () => {
    const batch = open({ game: 'rps', observation: 'last', memory: 2, horizon: 3 })
    batch.reset()
    batch.step(Int32Array.of(0, 1))
    batch.step(Int32Array.of(1, 2))
    const copy = open({ game: 'rps', observation: 'last', memory: 2, horizon: 3 })
    copy.load(0, batch.save(0))
    expect(Array.from(copy.observation)).toEqual(Array.from(batch.observation))
    batch.step(Int32Array.of(0, 0)) // the last of three
    expect(Array.from(batch.observation)).toEqual(new Array(24).fill(0))
  })
})

describe('observations as in matrix-games', () => {
  test('nostate: as many zeros as players', () => {
    const batch = play({ game: 'climbing', observation: 'uoe-none' }, [[1, 1]]) // prettier-ignore
    expect(Array.from(batch.observation)).toEqual([0, 0, 0, 0])
  })

  test('laststate: the last joint action in player order for everybody, -1 before the first round', () => {
    const batch = play({ game: 'penalty', observation: 'uoe-last' })
    expect(Array.from(batch.observation)).toEqual(new Array(12).fill(-1))
    batch.step(Int32Array.of(2, 0))
    expect(Array.from(batch.observation)).toEqual([0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0])
    expect(batch.spec.agents[1].observation[0]).toMatchObject({ name: 'agent_0.a', low: -1, high: 1 })
  })

  test('its pdilemma pays both the same, and its nc19 keeps the 0', () => {
    expect(Array.from(play({ game: 'uoe-pdilemma' }, [[0, 1]]).reward)).toEqual([-3, -3]) // prettier-ignore
    expect(Array.from(play({ game: 'uoe-nc19' }, [[0, 1]]).reward)).toEqual([0, 3]) // prettier-ignore
    expect(Array.from(play({ game: 'nc19' }, [[0, 1]]).reward)).toEqual([1, 3]) // prettier-ignore
  })
})

test('a hidden state is in the global state only', () => {
  const batch = play({ game: 'donation', hideState: true }, [[1, 1]]) // prettier-ignore
  expect(Array.from(batch.observation)).toEqual([1, 1])
  expect(Array.from(batch.state)).toEqual([0, 1, 0, 1, 0, 1])
})

test('games with too many outcomes to count have the same metrics as those that are counted', () => {
  // the same table as custom and as a slice of a larger game
  const rounds = [[0, 1], [1, 1], [3, 0], [2, 2]] // prettier-ignore
  const small = play({ game: 'travelers-dilemma', parameters: { high: 9 } }, rounds)
  const large = play({ game: 'travelers-dilemma', parameters: { high: 40 } }, rounds)
  expect((large.world as { counts: Int32Array }).counts).toHaveLength(0)
  for (const name of ['payoff0', 'payoff1', 'welfare', 'equilibriumRate']) {
    expect(large.metrics(0)[name]).toBe(small.metrics(0)[name])
  }
  expect(large.frame(0).counters).toEqual(small.frame(0).counters)
})

describe('options', () => {
  const T = [
    [
      [[1], [1]],
      [[1], [1]],
    ],
  ]
  const R = [
    [
      [
        [[0], [0]],
        [[0], [0]],
      ],
    ],
    [
      [
        [[0], [0]],
        [[0], [0]],
      ],
    ],
  ]
  test.each([
    [{ game: 'pd', memory: 2 }, 'memory', 'bad-option'],
    [{ game: 'pd', memory: 0, observation: 'last' }, 'memory', 'bad-option'],
    [{ game: 'pd', parameters: {} }, 'parameters', 'bad-option'],
    [{ game: 'public-goods', parameters: { plyers: 3 } }, 'parameters', 'unknown-name'],
    [{ game: 'public-goods', parameters: { players: 2.5 } }, 'parameters.players', 'bad-option'],
    [{ game: 'public-goods', parameters: { players: 11 } }, 'parameters.players', 'bad-option'],
    [{ game: 'two-step', parameters: { players: 2 } }, 'parameters.players', 'bad-option'],
    [{ game: 'coordination', parameters: { players: 4 } }, 'parameters.players', 'bad-option'],
    [{ game: 'travelers-dilemma', parameters: { low: 5, high: 5 } }, 'parameters.high', 'bad-option'],
    [{ game: 'travelers-dilemma', parameters: { low: 0, high: 200 } }, 'parameters.high', 'bad-option'],
    [{ game: 'tensors' }, 'tensors', 'bad-option'],
    [{ game: 'pd', tensors: { transitions: T, rewards: R } }, 'tensors', 'bad-option'],
    [{ game: 'tensors', tensors: { transitions: T, rewards: [R[0]] } }, 'tensors.rewards', 'bad-option'],
    [{ game: 'tensors', tensors: { transitions: [[[[0.5], [1]], [[1], [1]]]], rewards: R } }, 'tensors.transitions of state 0, cell 0', 'bad-option'], // prettier-ignore
    [{ game: 'tensors', tensors: { transitions: T, rewards: [R[0], [[[[0], [0]], [[0]]]]] } }, 'tensors.rewards.1.0.1', 'bad-option'], // prettier-ignore
    [{ game: 'tensors', tensors: { transitions: T, rewards: R, start: [0.5] } }, 'tensors.start', 'bad-option'],
    [{ game: 'tensors', tensors: { transitions: T, rewards: R, start: [0.5, 0.5] } }, 'tensors.start', 'bad-option'],
    [{ game: 'tensors', tensors: { transitions: 3, rewards: R } }, 'tensors.transitions', 'bad-option'],
    [{ game: 'custom', payoffs: [[1, 2], [3, 4]] }, 'payoffs.0', 'bad-option'], // prettier-ignore
    [{ game: 'custom', payoffs: [[[1]], [[1]]] }, 'payoffs', 'bad-option'],
  ])('%j is refused by name', (options, field, code) => {
    const error = refusal(() => open(options))
    expect(error.code).toBe(code)
    expect(error.where).toContain(`matrix options: ${field}`)
  })

  test('a misspelt number of a formula is told the nearest', () => {
    expect(refusal(() => open({ game: 'donation', parameters: { benfit: 3 } })).nearest).toBe('"benefit"')
  })
})
