import { describe, expect, test } from 'vitest'
import { fixtureJson } from '../../testing.ts'
import { createBatch, type BatchSettings } from '../core/index.ts'
import { actionsOf, bestWelfare, isCommonPayoff, pureEquilibria, twoPlayerGame, type Game } from './games.ts'
import { namedGame } from './tables.ts'
import { matrix } from './index.ts'

const open = (options: object = {}, settings: BatchSettings = {}) => createBatch(matrix, options, settings)

type Table = readonly (readonly number[])[]

const transpose = (table: Table): Table => table[0].map((_, j) => table.map((line) => line[j]))
const negative = (table: Table): Table => table.map((line) => line.map((value) => 0 - value))
const pd = [[3, 0], [5, 1]] // prettier-ignore
const lola = [[-1, -3], [0, -2]] // prettier-ignore
const stag = [[4, 1], [3, 2]] // prettier-ignore
const chicken = [[3, 1], [4, 0]] // prettier-ignore
const mp = [[1, -1], [-1, 1]] // prettier-ignore
const rps = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]] // prettier-ignore
const climbing = [[11, -30, 0], [-30, 7, 0], [0, 6, 5]] // prettier-ignore
const penalty = (k: number): Table => [[0 - k, 0, 10], [0, 2, 0], [10, 0, 0 - k]] // prettier-ignore

/** The published table of two-player games: both payoffs, pure equilibria, best welfare, NashConv of uniform play. */
interface Row {
  readonly options: { game: string; k?: number }
  readonly A: Table
  readonly B: Table
  readonly equilibria: readonly (readonly [number, number])[]
  readonly best: number
  readonly nashConv: number
  /** A fully mixed equilibrium: each player's probabilities and both values. */
  readonly mixed?: { row: number[]; column: number[]; values: [number, number] }
}

const ROWS: Record<string, Row> = {
  pd: { options: { game: 'pd' }, A: pd, B: transpose(pd), equilibria: [[1, 1]], best: 6, nashConv: 1.5 },
  'pd-lola': {
    options: { game: 'pd-lola' },
    A: lola,
    B: transpose(lola),
    equilibria: [[1, 1]],
    best: -2,
    nashConv: 1,
  },
  'stag-hunt': {
    options: { game: 'stag-hunt' },
    A: stag,
    B: transpose(stag),
    equilibria: [
      [0, 0],
      [1, 1],
    ],
    best: 8,
    nashConv: 0,
    mixed: { row: [1 / 2, 1 / 2], column: [1 / 2, 1 / 2], values: [2.5, 2.5] },
  },
  chicken: {
    options: { game: 'chicken' },
    A: chicken,
    B: transpose(chicken),
    equilibria: [
      [0, 1],
      [1, 0],
    ],
    best: 6,
    nashConv: 0,
    mixed: { row: [1 / 2, 1 / 2], column: [1 / 2, 1 / 2], values: [2, 2] },
  },
  bos: {
    options: { game: 'bos' },
    A: [
      [3, 0],
      [0, 2],
    ],
    B: [
      [2, 0],
      [0, 3],
    ],
    equilibria: [
      [0, 0],
      [1, 1],
    ],
    best: 5,
    nashConv: 0.5,
    mixed: { row: [3 / 5, 2 / 5], column: [2 / 5, 3 / 5], values: [6 / 5, 6 / 5] },
  },
  mp: {
    options: { game: 'mp' },
    A: mp,
    B: negative(mp),
    equilibria: [],
    best: 0,
    nashConv: 0,
    mixed: { row: [1 / 2, 1 / 2], column: [1 / 2, 1 / 2], values: [0, 0] },
  },
  rps: {
    options: { game: 'rps' },
    A: rps,
    B: negative(rps),
    equilibria: [],
    best: 0,
    nashConv: 0,
    mixed: { row: [1 / 3, 1 / 3, 1 / 3], column: [1 / 3, 1 / 3, 1 / 3], values: [0, 0] },
  },
  climbing: {
    options: { game: 'climbing' },
    A: climbing,
    B: climbing,
    equilibria: [
      [0, 0],
      [1, 1],
    ],
    best: 22,
    nashConv: 12.2222,
  },
  ...Object.fromEntries(
    [
      [0, 1.7778],
      [25, 7.5556],
      [50, 18.6667],
      [75, 29.7778],
      [100, 40.8889],
    ].map(([k, nashConv]) => [
      `penalty-${k}`,
      {
        options: { game: 'penalty', k },
        A: penalty(k),
        B: penalty(k),
        equilibria: [[0, 2], [1, 1], [2, 0]], // prettier-ignore
        best: 20,
        nashConv,
      } as Row,
    ]),
  ),
}

/** The tables that the environment pays by: every joint action played once, one lane each. */
function played(options: object): { A: number[][]; B: number[][] } {
  const rows = open(options).spec.agents[0].action
  const columns = open(options).spec.agents[1].action
  if (rows.kind !== 'discrete' || columns.kind !== 'discrete') throw new Error('discrete actions expected')
  const [m, n] = [rows.names.length, columns.names.length]
  const batch = open(options, { lanes: m * n })
  batch.reset()
  batch.reward.fill(NaN)
  batch.step(Int32Array.from({ length: m * n * 2 }, (_, i) => (i % 2 === 0 ? Math.floor(i / 2 / n) : (i >> 1) % n)))
  const table = (player: number) =>
    Array.from({ length: m }, (_, r) => Array.from({ length: n }, (__, c) => batch.reward[(r * n + c) * 2 + player]))
  return { A: table(0), B: table(1) }
}

/** Expected payoffs of mixed strategies x and y. */
const value = (table: Table, x: readonly number[], y: readonly number[]): number =>
  table.reduce((sum, line, i) => sum + line.reduce((inner, payoff, j) => inner + x[i] * y[j] * payoff, 0), 0)

const pure = (size: number, at: number) => Array.from({ length: size }, (_, i) => (i === at ? 1 : 0))
const uniform = (size: number) => new Array<number>(size).fill(1 / size)

/** Sum over players of what the best reply gains, straight from the definition. */
function nashConv(A: Table, B: Table, x: readonly number[], y: readonly number[]): number {
  const bestRow = Math.max(...x.map((_, i) => value(A, pure(x.length, i), y)))
  const bestColumn = Math.max(...y.map((_, j) => value(B, x, pure(y.length, j))))
  return bestRow - value(A, x, y) + bestColumn - value(B, x, y)
}

describe.each(Object.entries(ROWS))('%s', (_, row) => {
  const { A, B } = played(row.options)

  test('pays both players by the published tables', () => {
    expect(A).toEqual(row.A)
    expect(B).toEqual(row.B)
  })

  test('has the published pure equilibria, by NashConv of pure play', () => {
    const found = A.flatMap((line, i) =>
      line.flatMap((__, j) =>
        nashConv(A, B, pure(A.length, i), pure(line.length, j)) === 0 ? [[i, j] as [number, number]] : [],
      ),
    )
    expect(found).toEqual(row.equilibria)
    const { scene } = open(row.options).spec.world
    expect(scene!.equilibria).toEqual(row.equilibria)
  })

  test('has the published best welfare and NashConv of uniform play', () => {
    expect(Math.max(...A.flatMap((line, i) => line.map((a, j) => a + B[i][j])))).toBe(row.best)
    expect(nashConv(A, B, uniform(A.length), uniform(A[0].length))).toBeCloseTo(row.nashConv, 4)
  })

  if (row.mixed === undefined) return
  const { row: x, column: y, values } = row.mixed
  test('has the published mixed equilibrium', () => {
    expect(nashConv(A, B, x, y)).toBeCloseTo(0, 12)
    expect(value(A, x, y)).toBeCloseTo(values[0], 12)
    expect(value(B, x, y)).toBeCloseTo(values[1], 12)
  })
})

test('climbing pays 275 for 25 rounds at the top and 175 at the safe equilibrium; penalty 250 and 50', () => {
  const total = (options: object, row: number, column: number) => {
    const batch = open({ ...options, horizon: 25 }, { autoreset: 'disabled' })
    batch.reset()
    while (batch.truncated[0] === 0) batch.step(Int32Array.of(row, column))
    return Array.from(batch.finalReturns)
  }
  expect(total({ game: 'climbing' }, 0, 0)).toEqual([275, 275])
  expect(total({ game: 'climbing' }, 1, 1)).toEqual([175, 175])
  expect(total({ game: 'penalty' }, 0, 2)).toEqual([250, 250])
  expect(total({ game: 'penalty' }, 2, 0)).toEqual([250, 250])
  expect(total({ game: 'penalty', k: 25 }, 1, 1)).toEqual([50, 50])
})

describe('games for any number of players', () => {
  /** Three players, two actions: everybody gets 1 when all agree, else nothing. */
  const agreement: Game = {
    id: 'agreement',
    title: 'Agreement',
    actions: [
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ],
    cells: 8,
    payoff: Float64Array.from({ length: 24 }, (_, i) => (i < 3 || i >= 21 ? 1 : 0)),
    cooperative: undefined,
  }

  test('joint actions are numbered row-major', () => {
    expect(actionsOf(agreement, 0)).toEqual([0, 0, 0])
    expect(actionsOf(agreement, 1)).toEqual([0, 0, 1])
    expect(actionsOf(agreement, 4)).toEqual([1, 0, 0])
    expect(actionsOf(namedGame('climbing', 0), 5)).toEqual([1, 2])
  })

  test('three players agree in the two pure equilibria, which are also best', () => {
    // from a 2:1 split the odd one out gains by joining; nobody gains by leaving an agreement
    expect(pureEquilibria(agreement)).toEqual([0, 7])
    expect(bestWelfare(agreement)).toEqual([0, 7])
    expect(isCommonPayoff(agreement)).toBe(true)
    expect(isCommonPayoff(namedGame('pd', 0))).toBe(false)
  })

  test('sums of decimals that differ in the last bit count as equal', () => {
    const game = twoPlayerGame('custom', '', [['a', 'b'], ['a', 'b']], [[0.1, 0], [0, 0.3]], [[0.2, 0], [0, 0]]) // prettier-ignore
    expect(0.1 + 0.2).not.toBe(0.3)
    expect(bestWelfare(game)).toEqual([0, 3])
  })
})

const expected = fixtureJson('expected.json')

describe.runIf(expected)('expected.json', () => {
  interface Expected {
    readonly A: number[][]
    readonly B?: number[][]
    readonly sym?: boolean
    readonly zeroSum?: boolean
    readonly pureNE: [number, number][]
    readonly maxWelfare?: number
    readonly nashConvUniform?: number
    readonly uniformPayoff?: number
  }
  const load = () => {
    const { matrix } = expected as {
      matrix: {
        games: Record<string, Expected>
        penalty: Record<string, Expected>
        penaltyNashConvUniform: Record<string, number>
      }
    }
    const named = Object.entries(matrix.games).map(([name, row]) => ({ options: { game: name }, row }))
    const penalties = Object.entries(matrix.penalty).map(([k, row]) => ({
      options: { game: 'penalty', k: Number(k) },
      row: { ...row, nashConvUniform: matrix.penaltyNashConvUniform[k] },
    }))
    return [...named, ...penalties]
  }

  test('tables, equilibria, welfare, NashConv and means of uniform play agree with every game of it', () => {
    const rows = load()
    expect(rows).toHaveLength(14)
    for (const { options, row } of rows) {
      const { A, B } = played(options)
      const columns = row.B ?? (row.sym ? transpose(row.A) : row.zeroSum ? negative(row.A) : row.A)
      expect(A, options.game).toEqual(row.A.map((line) => line.map((entry) => entry + 0)))
      expect(B, options.game).toEqual(columns)
      const spec = open(options).spec
      expect(spec.world.scene!.equilibria, options.game).toEqual(row.pureNE)
      const x = uniform(A.length)
      if (row.nashConvUniform !== undefined) expect(nashConv(A, B, x, x)).toBeCloseTo(row.nashConvUniform, 10)
      if (row.uniformPayoff !== undefined) expect(value(A, x, x)).toBeCloseTo(row.uniformPayoff, 10)
      if (row.maxWelfare !== undefined) {
        expect(Math.max(...A.flatMap((line, i) => line.map((a, j) => a + B[i][j])))).toBe(row.maxWelfare)
      }
    }
  })
})
