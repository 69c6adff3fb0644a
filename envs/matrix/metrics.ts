/** Metrics of an episode: each has a value for every outcome, and the episode's is the mean over rounds. */
import { actionsOf, bestWelfare, outcomesOf, pureEquilibria, statesOf, type Game } from './games.ts'
import { type MatrixState } from './state.ts'

/** One metric: its name, what it means, and its value for each outcome. */
export interface Metric {
  readonly name: string
  readonly meaning: string
  readonly value: Float64Array // [O]
}

/** Most states that have a metric of their own. */
const SHOWN_STATES = 8

/** The metrics that make sense for a game, in order. */
export function metricsOf(game: Game): Metric[] {
  const players = game.actions.length
  const { cells, cooperative, stages } = game
  const K = statesOf(game)
  const outcomes = outcomesOf(game)
  const paid = stages?.reward ?? game.payoff
  const perOutcome = (value: (outcome: number) => number) =>
    Float64Array.from({ length: outcomes }, (_, outcome) => value(outcome))
  /** The joint action of an outcome. */
  const cellOf = (outcome: number) => (stages === undefined ? outcome : Math.floor(outcome / K) % cells)
  const member = (list: readonly number[]) => {
    const set = new Set(list)
    return perOutcome((outcome) => (set.has(outcome) ? 1 : 0))
  }
  const metrics: Metric[] = game.actions.map((_, player) => ({
    name: `payoff${player}`,
    meaning: `mean payoff per round of agent_${player}`,
    value: perOutcome((outcome) => paid[outcome * players + player]),
  }))
  metrics.push({
    name: 'welfare',
    meaning: 'mean sum of payoffs per round',
    value: perOutcome((outcome) => {
      let sum = 0
      for (let player = 0; player < players; player++) sum += paid[outcome * players + player]
      return sum
    }),
  })
  if (cooperative !== undefined) {
    metrics.push({
      name: 'cooperationRate',
      meaning: 'share of all choices that were the cooperative action',
      value: perOutcome(
        (outcome) => actionsOf(game, cellOf(outcome)).filter((action) => action === cooperative).length / players,
      ),
    })
  }
  if (stages !== undefined) {
    for (let state = 0; K > 1 && K <= SHOWN_STATES && state < K; state++) {
      metrics.push({
        name: `state${state}Share`,
        meaning: 'share of rounds played in that state',
        value: perOutcome((outcome) => (Math.floor(outcome / (cells * K)) === state ? 1 : 0)),
      })
    }
    return metrics
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

/** The metrics' values side by side, [O, metrics], as `writeMetrics` and the rules read them. */
export function metricTable(metrics: readonly Metric[], outcomes: number): Float64Array {
  const table = new Float64Array(outcomes * metrics.length)
  metrics.forEach(({ value }, m) => {
    for (let outcome = 0; outcome < outcomes; outcome++) table[outcome * metrics.length + m] = value[outcome]
  })
  return table
}

/**
 * Writes the means over the rounds played so far in a lane; NaN before the first.
 * @param table [O, metrics] from `metricTable`
 * @param out [metrics] overwritten
 */
export function writeMetrics(
  table: Float64Array,
  state: MatrixState,
  rounds: number,
  lane: number,
  out: Float64Array,
): void {
  const { outcomes, counts, sums } = state
  const width = out.length
  if (counts.length === 0) {
    for (let m = 0; m < width; m++) out[m] = sums[lane * width + m] / rounds
    return
  }
  for (let m = 0; m < width; m++) out[m] = 0
  for (let outcome = 0; outcome < outcomes; outcome++) {
    const times = counts[lane * outcomes + outcome]
    if (times === 0) continue
    for (let m = 0; m < width; m++) out[m] += times * table[outcome * width + m]
  }
  for (let m = 0; m < width; m++) out[m] /= rounds // 0 / 0 is NaN: undefined before the first round
}
