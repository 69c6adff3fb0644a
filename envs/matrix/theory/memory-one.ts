/**
 * Repeated games of two players with two actions (0 cooperate, 1 defect) under memory-1 strategies: the chance to cooperate
 * after each of CC, CD, DC, DD, own action first.
 */
import { TroupeError } from '../../core/index.ts'
import { solve } from './linear.ts'

/** Chances to cooperate after CC, CD, DC, DD. */
export type MemoryOne = readonly [cc: number, cd: number, dc: number, dd: number]

/** Payoffs R (both cooperate), S (the sucker's), T (temptation), P (both defect). */
export type Dilemma = readonly [R: number, S: number, T: number, P: number]

export const AXELROD: Dilemma = [3, 0, 5, 1]

/** Strategies with the names that the literature gives them. GTFT and EXT2 are for payoffs 3, 0, 5, 1. */
export const STRATEGIES = {
  ALLC: [1, 1, 1, 1],
  ALLD: [0, 0, 0, 0],
  TFT: [1, 0, 1, 0],
  WSLS: [1, 0, 0, 1],
  GRIM: [1, 0, 0, 0],
  GTFT: [1, 1 / 3, 1, 1 / 3],
  EXT2: [8 / 9, 1 / 2, 1 / 3, 0],
} as const satisfies Record<string, MemoryOne>

/** The chance of the most generous answer to defection that still deters (Nowak and Sigmund 1992): GTFT. */
export function generosity([R, S, T, P]: Dilemma): number {
  return Math.max(0, Math.min(1 - (T - R) / (R - S), (R - P) / (T - P)))
}

/**
 * The extortionate strategy of Press and Dyson (2012): own surplus over P is `chi` times the other's.
 * p = (1, 1, 0, 0) + phi [ (own - P) - chi (other's - P) ], with phi as large as keeps all chances in [0, 1], times `share`.
 * @param chi extortion factor, at least 1
 */
export function extortion([R, S, T, P]: Dilemma, chi: number, share = 1): MemoryOne {
  if (!(chi >= 1) || !(T > R && R > P && P > S)) {
    throw new TroupeError('bad-usage', {
      where: 'extortion',
      got: `chi ${chi} with payoffs ${[R, S, T, P].join(', ')}`,
      expected: 'chi of 1 or more and T > R > P > S',
    })
  }
  const tilt = ([own, other]: readonly [number, number]) => own - P - chi * (other - P)
  const tilts = [tilt([R, R]), tilt([S, T]), tilt([T, S]), 0]
  const base = [1, 1, 0, 0]
  const most = tilts.reduce((phi, t, k) => {
    if (t === 0) return phi
    const room = t > 0 ? 1 - base[k] : base[k]
    return Math.min(phi, room / Math.abs(t))
  }, Infinity)
  const phi = most * share
  const [cc, cd, dc, dd] = tilts.map((t, k) => base[k] + phi * t)
  return [cc, cd, dc, dd]
}

/** The strategy that errs: with chance `error` the other action is played. */
export function withError(strategy: MemoryOne, error: number): MemoryOne {
  const [cc, cd, dc, dd] = strategy.map((p) => p * (1 - error) + (1 - p) * error)
  return [cc, cd, dc, dd]
}

/** Chances of CC, CD, DC, DD (first player's action first) in the next round, from each of them, [4, 4]. */
export function memoryOneChain(first: MemoryOne, second: MemoryOne): Float64Array {
  const chain = new Float64Array(16)
  const seenByOther = [0, 2, 1, 3]
  for (let state = 0; state < 4; state++) {
    const p = first[state]
    const q = second[seenByOther[state]]
    chain.set([p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)], state * 4)
  }
  return chain
}

/**
 * Long-run shares of CC, CD, DC, DD.
 * Where the chain has one closed class this is its stationary distribution, from any start. Where it has several (say TFT
 * against itself without errors), it is the mean over time from the given first round.
 * @param start chances of the first round's CC, CD, DC, DD; default: both cooperate
 */
export function longRunShares(first: MemoryOne, second: MemoryOne, start: readonly number[] = [1, 0, 0, 0]): number[] {
  const chain = memoryOneChain(first, second)
  const shares = stationary(chain)
  if (shares !== undefined) return shares
  // Cesàro limit from the start: average P^t over t by repeated squaring of (I + P) / 2, which has no periods
  let power: Float64Array = Float64Array.from(chain, (value, i) => (value + (i % 5 === 0 ? 1 : 0)) / 2)
  for (let k = 0; k < 60; k++) power = multiply(power, power)
  return [0, 1, 2, 3].map((to) => start.reduce((sum, chance, from) => sum + chance * power[from * 4 + to], 0))
}

function multiply(a: Float64Array, b: Float64Array): Float64Array {
  const product = new Float64Array(16)
  for (let i = 0; i < 4; i++) {
    let row = 0
    for (let j = 0; j < 4; j++) {
      for (let k = 0; k < 4; k++) product[i * 4 + j] += a[i * 4 + k] * b[k * 4 + j]
      row += product[i * 4 + j]
    }
    for (let j = 0; j < 4; j++) product[i * 4 + j] /= row // rows keep adding up to one over many squarings
  }
  return product
}

/** The one stationary distribution of a chain, or undefined when there are several. */
function stationary(chain: Float64Array): number[] | undefined {
  // transposed (P - I) with one equation replaced by "shares add up to one"
  const a = new Float64Array(16)
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) a[i * 4 + j] = chain[j * 4 + i] - (i === j ? 1 : 0)
  for (let j = 0; j < 4; j++) a[12 + j] = 1
  const b = Float64Array.of(0, 0, 0, 1)
  return solve(a, b, 4, 1) ? Array.from(b) : undefined
}

/** Mean payoffs per round of both players in the long run, with errors of chance `error`. */
export function longRunPayoffs(
  first: MemoryOne,
  second: MemoryOne,
  [R, S, T, P]: Dilemma = AXELROD,
  error = 0,
): [number, number] {
  const [cc, cd, dc, dd] = longRunShares(withError(first, error), withError(second, error))
  return [R * cc + S * cd + T * dc + P * dd, R * cc + T * cd + S * dc + P * dd]
}

/** Smallest discount factor at which GRIM sustains cooperation: (T - R) / (T - P). */
export function grimThreshold([R, , T, P]: Dilemma): number {
  return (T - R) / (T - P)
}
