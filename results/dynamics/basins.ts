/** Where learning ends, from many starts: shares of the strategy space that lead to each profile of pure strategies. */
import { Generator, namedSeed } from '../../envs/core/index.ts'
import { type Tensors } from '../../envs/matrix/theory/index.ts'
import { createFlow, type Flow, type FlowSettings } from './flow.ts'
import { rungeKutta, settle, type Stepper } from './integrate.ts'
import { jacobian } from './stability.ts'

export interface BasinSettings {
  /** Number of starts, uniform in the cube of all chances. */
  readonly starts: number
  /** Number of the first start: shards of one set. */
  readonly first: number
  readonly seed: string
  readonly dt: number
  /** Time after which a start is given up and classed where it stands. */
  readonly time: number
}

export const BASIN_DEFAULTS: BasinSettings = { starts: 10_000, first: 0, seed: '1', dt: 0.1, time: 400 }

/** |log-odds| beyond which a coordinate that still moves outwards counts as decided. */
const DECIDED = 8
/** |du/dt| below which everything counts as at rest. */
const REST = 1e-7

/** The chances of one start, uniform in (0, 1); the same for any number of shards. */
export function startOf(seed: string, index: number, dimension: number): Float64Array {
  const rng = new Generator(namedSeed(seed, `basin start ${index}`))
  return Float64Array.from({ length: dimension }, () => {
    const p = (rng.uint32() + 0.5) / 4294967296
    return Math.log(p / (1 - p))
  })
}

/** A rest point that attracts, and a box around it that nothing leaves: inside, the end is known. */
interface Sink {
  readonly at: Float64Array
  readonly radius: number
}

/**
 * Rest points that the corners of strategy space lead to. Around each, the largest box tried in which the flow contracts
 * in the maximum norm: J_kk + sum_j |J_kj| < 0 at its corners and centre.
 */
export function sinksOf(flow: Flow, dt: number, time: number): Sink[] {
  const n = flow.dimension
  const sinks: Sink[] = []
  for (let corner = 0; corner < 1 << n; corner++) {
    const u = Float64Array.from({ length: n }, (_, k) => ((corner >> k) & 1 ? 3 : -3))
    if (settle(flow, u, dt, time, REST) === Infinity) continue
    if (sinks.some(({ at }) => at.every((value, k) => Math.abs(value - u[k]) < 1e-3))) continue
    const radius = [4, 2, 1, 0.5, 0.25, 0.1].find((r) => contracts(flow, u, r))
    if (radius !== undefined) sinks.push({ at: u, radius })
  }
  return sinks
}

function contracts(flow: Flow, at: Float64Array, radius: number): boolean {
  const n = flow.dimension
  for (let corner = -1; corner < 1 << n; corner++) {
    const u = at.map((value, k) => (corner < 0 ? value : value + ((corner >> k) & 1 ? radius : -radius)))
    const J = jacobian(flow, u)
    for (let k = 0; k < n; k++) {
      let sum = J[k * n + k]
      for (let j = 0; j < n; j++) if (j !== k) sum += Math.abs(J[k * n + j])
      if (!(sum < 0)) return false
    }
  }
  return true
}

/** Follows one start to its end; bit k of the answer is 1 where coordinate k is on the side of the first action. */
export function classify(
  flow: Flow,
  u: Float64Array,
  { dt, time }: Pick<BasinSettings, 'dt' | 'time'>,
  sinks: readonly Sink[] = [],
): number {
  return follow(flow, rungeKutta(flow, dt), new Float64Array(flow.dimension), u, Math.ceil(time / dt), sinks)
}

function follow(
  flow: Flow,
  stepper: Stepper,
  du: Float64Array,
  u: Float64Array,
  steps: number,
  sinks: readonly Sink[],
): number {
  for (let step = 0; step < steps; step++) {
    if (step % 4 === 0) {
      const home = sinks.find(({ at, radius }) => at.every((value, k) => Math.abs(u[k] - value) < radius))
      if (home !== undefined) return codeOf(home.at)
      flow.field(u, du)
      let over = true
      let rest = true
      for (let i = 0; i < u.length; i++) {
        if (Math.abs(du[i]) > REST) rest = false
        if (Math.abs(u[i]) < DECIDED || du[i] * u[i] <= 0) over = false
      }
      if (over || rest) break
    }
    stepper.step(u)
  }
  return codeOf(u)
}

function codeOf(u: Float64Array): number {
  let code = 0
  for (let i = 0; i < u.length; i++) if (u[i] > 0) code |= 1 << i
  return code
}

/** Number of starts that end in each class, by code. For games with two actions per player. */
export function basinCounts(
  game: Tensors,
  flow: Partial<FlowSettings>,
  settings: Partial<BasinSettings> = {},
): Map<number, number> {
  const { starts, first, seed, dt, time } = { ...BASIN_DEFAULTS, ...settings }
  const system = createFlow(game, flow)
  const counts = new Map<number, number>()
  const stepper = rungeKutta(system, dt)
  const du = new Float64Array(system.dimension)
  const sinks = (flow.eta ?? 0) > 0 ? sinksOf(system, dt, time) : []
  for (let index = first; index < first + starts; index++) {
    const u = startOf(seed, index, system.dimension)
    const code = follow(system, stepper, du, u, Math.ceil(time / dt), sinks)
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return counts
}

/**
 * Names of the classes of a game of two players and two states whose first action cooperates, as agent 1 and 2 in state 1,
 * then in state 2: 1111 ALLC, 1100 GRIM (cooperate while rich), 0000 ALLD.
 */
export function className(game: Tensors, code: number): string {
  const K = game.states
  const bits = Array.from({ length: game.players * K }, (_, k) => {
    const [state, player] = [Math.floor(k / game.players), k % game.players]
    return (code >> (player * K + state)) & 1
  }).join('')
  if (game.players === 2 && K === 2) return { '1111': 'ALLC', '1100': 'GRIM', '0000': 'ALLD' }[bits] ?? bits
  return /^1+$/.test(bits) ? 'ALLC' : /^0+$/.test(bits) ? 'ALLD' : bits
}

/** Share of each class, by name. */
export function basinShares(game: Tensors, counts: ReadonlyMap<number, number>): Record<string, number> {
  const total = [...counts.values()].reduce((a, b) => a + b, 0)
  const shares: Record<string, number> = {}
  for (const [code, count] of counts) {
    const name = className(game, code)
    shares[name] = (shares[name] ?? 0) + count / total
  }
  return shares
}
