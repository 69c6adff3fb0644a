/** Matrix games: one-shot and repeated games of two players from a payoff table. */
import { type EnvDefinition, type Port, type Rules, type WorldSpec } from '../core/index.ts'
import { isCommonPayoff, type Game } from './games.ts'
import { OPTIONS, type MatrixOptions } from './options.ts'
import { gameOf } from './start.ts'
import { createState } from './state.ts'
import { playRound, start } from './rules.ts'
import { createObserver, observationFeatures, stateFeatures, type ObservationKind } from './observe.ts'
import { metricTable, metricsOf, writeMetrics } from './metrics.ts'
import { frameOf, sceneOf, teamsOf } from './frame.ts'

/** Typed view for privileged policies: the game, what was played last (-1: nothing), how often each cell was. */
export interface MatrixWorld {
  readonly game: Game
  readonly last: Int32Array // [B]
  readonly counts: Int32Array // [B, C]
}

export const matrix: EnvDefinition<typeof OPTIONS> = {
  id: 'matrix',
  version: '1',
  summary: 'One-shot and repeated games of two players from a payoff table.',
  options: OPTIONS,
  horizon: 25, // as the EPyMARL benchmark plays climbing and penalty
  spec,
  create,
}

function spec(options: MatrixOptions): WorldSpec {
  const game = gameOf(options)
  const teams = teamsOf(game, isCommonPayoff(game))
  return {
    agents: game.actions.map((names, player) => ({
      id: `agent_${player}`,
      team: teams[player],
      kind: 'player',
      observation: observationFeatures(game, options.observation as ObservationKind, player),
      action: { kind: 'discrete', names },
    })),
    state: stateFeatures(game),
    metrics: metricsOf(game).map((metric) => metric.name),
    streams: [], // no chance in the rules
    size: { width: game.actions[1].length, height: game.actions[0].length },
    scene: sceneOf(game),
  }
}

function create(options: MatrixOptions, port: Port): Rules {
  const game = gameOf(options)
  const players = game.actions.length
  const teams = teamsOf(game, isCommonPayoff(game))
  const sizes = Int32Array.from(game.actions, (names) => names.length)
  const payoff = Float32Array.from(game.payoff)
  const state = createState(port.lanes, players, game.cells)
  const metrics = metricTable(metricsOf(game), game.cells)
  const action = port.action as Int32Array
  const unequal = sizes.some((size) => size !== sizes[0])
  return {
    arrays: { last: state.last, counts: state.counts },
    world: { game, last: state.last, counts: state.counts } satisfies MatrixWorld,
    reset: (lanes, count) => start(state, lanes, count),
    step: (lanes, count) => playRound(state, sizes, payoff, action, port.reward, port.terminated, lanes, count),
    observe: createObserver(game, options.observation as ObservationKind, state, port),
    metrics: (lane, out) => writeMetrics(metrics, state, port.step[lane], lane, out),
    frame: (lane) => frameOf(game, teams, state, port.step[lane], lane),
    ...(unequal ? { legal: (lanes: Int32Array, count: number) => writeLegal(sizes, port, lanes, count) } : {}),
  }
}

/** Masks for players with unequal numbers of actions: a player's own are always legal, the padding never. */
function writeLegal(sizes: Int32Array, port: Port, lanes: Int32Array, count: number): void {
  const { mask, alive, actionSize: A, agents: M } = port
  for (let k = 0; k < count; k++) {
    for (let player = 0; player < M; player++) {
      const row = lanes[k] * M + player
      alive[row] = 1
      for (let choice = 0; choice < A; choice++) mask[row * A + choice] = choice < sizes[player] ? 1 : 0
    }
  }
}
