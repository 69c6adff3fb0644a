/** Metrics of an episode, all from the counts of joint actions. */
import { actionsOf, bestWelfare, pureEquilibria, welfare, type Game } from './games.ts'
import { type MatrixState } from './state.ts'

/** One metric: its name, what it means, and its value in each joint action; the episode's is the mean over rounds. */
export interface Metric {
  readonly name: string
  readonly meaning: string
  readonly value: Float64Array // [C]
}

/** The metrics that make sense for a game, in order. */
export function metricsOf(game: Game): Metric[] {
  const players = game.actions.length
  const { cells, cooperative } = game
  const perCell = (value: (cell: number) => number) => Float64Array.from({ length: cells }, (_, cell) => value(cell))
  const member = (list: readonly number[]) => perCell((cell) => (list.includes(cell) ? 1 : 0))
  const metrics: Metric[] = game.actions.map((_, player) => ({
    name: `payoff${player}`,
    meaning: `mean payoff per round of agent_${player}`,
    value: perCell((cell) => game.payoff[cell * players + player]),
  }))
  metrics.push({ name: 'welfare', meaning: 'mean sum of payoffs per round', value: welfare(game) })
  if (cooperative !== undefined) {
    metrics.push({
      name: 'cooperationRate',
      meaning: 'share of all choices that were the cooperative action',
      value: perCell((cell) => actionsOf(game, cell).filter((action) => action === cooperative).length / players),
    })
  }
  const equilibria = pureEquilibria(game)
  if (equilibria.length > 0) {
    metrics.push({
      name: 'equilibriumRate',
      meaning: 'share of rounds in a pure equilibrium of the one-shot game',
      value: member(equilibria),
    })
  }
  const best = bestWelfare(game)
  if (best.length < cells) {
    metrics.push({ name: 'optimumRate', meaning: 'share of rounds with the largest welfare', value: member(best) })
  }
  return metrics
}

/** The metrics' values side by side, [C, metrics], as `writeMetrics` reads them. */
export function metricTable(metrics: readonly Metric[], cells: number): Float64Array {
  const table = new Float64Array(cells * metrics.length)
  metrics.forEach(({ value }, m) => {
    for (let cell = 0; cell < cells; cell++) table[cell * metrics.length + m] = value[cell]
  })
  return table
}

/**
 * Writes the means over the rounds played so far in a lane; NaN before the first.
 * @param table [C, metrics] from `metricTable`
 * @param out [metrics] overwritten
 */
export function writeMetrics(
  table: Float64Array,
  state: MatrixState,
  rounds: number,
  lane: number,
  out: Float64Array,
): void {
  const { cells, counts } = state
  const width = out.length
  for (let m = 0; m < width; m++) out[m] = 0
  for (let cell = 0; cell < cells; cell++) {
    const times = counts[lane * cells + cell]
    if (times === 0) continue
    for (let m = 0; m < width; m++) out[m] += times * table[cell * width + m]
  }
  for (let m = 0; m < width; m++) out[m] /= rounds // 0 / 0 is NaN: undefined before the first round
}
