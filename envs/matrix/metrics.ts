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

/** Writes the means over the rounds played so far in a lane; NaN before the first. */
export function writeMetrics(
  metrics: readonly Metric[],
  state: MatrixState,
  rounds: number,
  lane: number,
  out: Float64Array,
): void {
  const { cells, counts } = state
  for (let m = 0; m < metrics.length; m++) {
    const { value } = metrics[m]
    let sum = 0
    for (let cell = 0; cell < cells; cell++) sum += counts[lane * cells + cell] * value[cell]
    out[m] = sum / rounds // 0 / 0 is NaN: undefined before the first round
  }
}
