/**
 * What a viewer draws: the payoff table as a grid, the row player to its left, the column player above it.
 * Cell (column, row) has its centre at (column, row); y grows downwards.
 */
import { type Entity, type Frame, type FrameEvent } from '../core/index.ts'
import { actionsOf, bestWelfare, pureEquilibria, type Game } from './games.ts'
import { type MatrixState } from './state.ts'

/** Facts a scene needs that never change: names, payoffs, equilibria. Plain JSON. */
export function sceneOf(game: Game) {
  const players = game.actions.length
  const [rows, columns] = [game.actions[0].length, game.actions[1].length]
  return {
    game: game.id,
    title: game.title,
    /** Names of the actions of each player. */
    actions: game.actions.map((names) => [...names]),
    /** One table [rowAction][columnAction] per player. */
    payoffs: game.actions.map((_, player) =>
      Array.from({ length: rows }, (_row, row) =>
        Array.from({ length: columns }, (_column, column) => game.payoff[(row * columns + column) * players + player]),
      ),
    ),
    /** Pure equilibria as [rowAction, columnAction]. */
    equilibria: pureEquilibria(game).map((cell) => actionsOf(game, cell)),
    /** Joint actions with the largest welfare. */
    best: bestWelfare(game).map((cell) => actionsOf(game, cell)),
  }
}

/** Team names: players who share every payoff are one team, others are one each. */
export function teamsOf(game: Game, common: boolean): string[] {
  if (common) return game.actions.map(() => 'players')
  return game.actions.map((_, player) => ['row', 'column'][player])
}

/** The lane as it stands after `round` rounds. */
export function frameOf(game: Game, teams: readonly string[], state: MatrixState, round: number, lane: number): Frame {
  const players = game.actions.length
  const { cells } = state
  const cell = state.last[lane]
  const choices = cell < 0 ? undefined : actionsOf(game, cell)
  const counts = Array.from(state.counts.subarray(lane * cells, (lane + 1) * cells))
  const [rows, columns] = [game.actions[0].length, game.actions[1].length]
  const totals = game.actions.map((_, player) =>
    counts.reduce((sum, times, index) => sum + times * game.payoff[index * players + player], 0),
  )
  const places = [
    { x: -1, y: choices?.[0] ?? (rows - 1) / 2 },
    { x: choices?.[1] ?? (columns - 1) / 2, y: -1 },
  ]
  const entities: Entity[] = game.actions.map((names, player) => ({
    id: `agent_${player}`,
    kind: 'player',
    ...places[player],
    team: teams[player],
    state: {
      number: player,
      action: choices === undefined ? null : choices[player],
      actionName: choices === undefined ? null : names[choices[player]],
      payoff: choices === undefined ? null : game.payoff[cell * players + player],
      total: totals[player],
    },
  }))
  const events: FrameEvent[] = []
  if (choices !== undefined) {
    const at = { x: choices[1], y: choices[0] }
    entities.push({ id: 'choice', kind: 'choice', ...at })
    for (let player = 0; player < players; player++) {
      events.push({ kind: 'payoff', at, agents: [`agent_${player}`], value: game.payoff[cell * players + player] })
    }
  }
  return {
    step: round,
    entities,
    layers: [{ name: 'counts', width: columns, height: rows, cells: counts }],
    events,
    counters: {
      rounds: round,
      ...Object.fromEntries(totals.map((total, player) => [`total${player}`, total])),
      welfare: totals.reduce((a, b) => a + b, 0),
    },
  }
}
