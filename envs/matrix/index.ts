/** Matrix games: one-shot, repeated and stochastic games from payoff tables. */
import { type EnvDefinition, type Port, type Rules, type WorldSpec } from '../core/index.ts'
import { isCommonPayoff, outcomesOf, type Game } from './games.ts'
import { OPTIONS, type MatrixOptions } from './options.ts'
import { gameOf } from './start.ts'
import { arraysOf, createState } from './state.ts'
import { playPair, playRound, playStage, start, tablesOf } from './rules.ts'
import { createObserver, observationFeatures, stateFeatures, type View } from './observe.ts'
import { metricTable, metricsOf, writeMetrics } from './metrics.ts'
import { frameOf, sceneOf, sizeOf, teamsOf, totalsOf } from './frame.ts'

/** Typed view for privileged policies: the game, what was played last (-1: nothing), where the game stands. */
export interface MatrixWorld {
  readonly game: Game
  readonly last: Int32Array // [B] joint action
  readonly counts: Int32Array // [B, O]; empty in games with very many outcomes
  readonly place: Int32Array // [B] state of the game; empty with one state
}

export const matrix: EnvDefinition<typeof OPTIONS> = {
  id: 'matrix',
  version: '1',
  summary: 'One-shot, repeated and stochastic games from payoff tables, for two players and more.',
  options: OPTIONS,
  horizon: 25, // as the EPyMARL benchmark plays climbing and penalty
  spec,
  create,
}

const viewOf = ({ observation, memory, hideState }: MatrixOptions): View => ({
  kind: observation as View['kind'],
  memory,
  hideState,
})

function spec(options: MatrixOptions): WorldSpec {
  const game = gameOf(options)
  const teams = teamsOf(game, isCommonPayoff(game))
  const view = viewOf(options)
  const { chance } = tablesOf(game, new Float64Array(0))
  return {
    agents: game.actions.map((names, player) => ({
      id: `agent_${player}`,
      team: teams[player],
      kind: 'player',
      observation: observationFeatures(game, view, player),
      action: { kind: 'discrete', names },
    })),
    state: stateFeatures(game, view),
    metrics: metricsOf(game).map((metric) => metric.name),
    streams: chance ? ['moves'] : [], // most games have no chance in the rules
    size: sizeOf(game),
    scene: sceneOf(game),
  }
}

function create(options: MatrixOptions, port: Port): Rules {
  const game = gameOf(options)
  const teams = teamsOf(game, isCommonPayoff(game))
  const view = viewOf(options)
  const metrics = metricsOf(game)
  const state = createState(game, port.lanes, view.memory, metrics.length)
  const tables = tablesOf(game, metricTable(metrics, outcomesOf(game)))
  const { reward, terminated, random, streams } = port
  const action = port.action as Int32Array
  const unequal = tables.sizes.some((size) => size !== tables.sizes[0])
  const pair = game.actions.length === 2 && view.memory === 1 && state.counts.length > 0
  const play = pair ? playPair : playRound
  return {
    arrays: arraysOf(state),
    world: { game, last: state.last, counts: state.counts, place: state.place } satisfies MatrixWorld,
    reset: (lanes, count) => start(state, tables, random, streams, lanes, count),
    step:
      game.stages === undefined
        ? (lanes, count) => play(state, tables, action, reward, terminated, lanes, count)
        : (lanes, count) => playStage(state, tables, action, reward, terminated, random, streams, lanes, count),
    observe: createObserver(game, view, state, port),
    metrics: (lane, out) => writeMetrics(tables.metrics, state, port.step[lane], lane, out),
    frame: (lane) => frameOf(game, teams, state, port.step[lane], lane, totalsOf(game, state, lane)),
    ...(unequal ? { legal: (lanes: Int32Array, count: number) => writeLegal(tables.sizes, port, lanes, count) } : {}),
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
