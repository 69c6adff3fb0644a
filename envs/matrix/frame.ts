/**
 * What a viewer draws: payoff tables ("sheets") as grids, the row player to the left, the column player above. A game of
 * two players and one state has one sheet; others have one per state and per joint choice of agent_2, agent_3 …
 * Cell (column, row) has its centre at (column, row); sheets lie side by side, SHEET_GAP cells apart; y grows downwards.
 */
import { type Entity, type Frame, type FrameEvent } from '../core/index.ts'
import { actionsOf, bestWelfare, pureEquilibria, statesOf, type Game } from './games.ts'
import { type MatrixState } from './state.ts'

/** Cells between two sheets. */
const SHEET_GAP = 1
/** Most cells that are drawn one by one; larger games show the players and their totals only. */
const DRAWN = 4096

/** Sheets of one state: joint choices of everybody but the first two. */
function sheetsPerState(game: Game): number {
  return game.actions.slice(2).reduce((product, names) => product * names.length, 1)
}

/** Facts a scene needs that never change: names, payoffs, equilibria. Plain JSON. */
export function sceneOf(game: Game) {
  const players = game.actions.length
  const [rows, columns] = [game.actions[0].length, game.actions[1].length]
  const per = sheetsPerState(game)
  const K = statesOf(game)
  const drawn = K * game.cells <= DRAWN
  /** Row of `payoff` of one cell of one sheet: the sheet's choices count least. */
  const rowOf = (sheet: number, row: number, column: number) =>
    (Math.floor(sheet / per) * game.cells + (row * columns + column) * per + (sheet % per)) * players
  const sheet = (index: number) => ({
    title: sheetTitle(game, index, per),
    /** One table [rowAction][columnAction] per player. */
    payoffs: game.actions.map((_, player) =>
      Array.from({ length: rows }, (_row, row) =>
        Array.from({ length: columns }, (_column, column) => game.payoff[rowOf(index, row, column) + player]),
      ),
    ),
  })
  const sheets = drawn ? Array.from({ length: K * per }, (_, index) => sheet(index)) : []
  const oneShot = game.stages === undefined
  return {
    game: game.id,
    title: game.title,
    /** Names of the actions of each player. */
    actions: game.actions.map((names) => [...names]),
    /** Payoffs of the first sheet. */
    payoffs: sheets[0]?.payoffs ?? [],
    /** Pure equilibria as the action of each player; of a game in normal form. */
    equilibria: oneShot && drawn ? pureEquilibria(game).map((cell) => actionsOf(game, cell)) : [],
    /** Joint actions with the largest welfare; of a game in normal form. */
    best: oneShot && drawn ? bestWelfare(game).map((cell) => actionsOf(game, cell)) : [],
    ...(sheets.length > 1 ? { sheets } : {}),
    ...(K > 1 ? { states: [...game.stages!.names] } : {}),
  }
}

/** 'rich', or 'agent_2 chooses b'. */
function sheetTitle(game: Game, index: number, per: number): string {
  const names = game.stages === undefined ? [] : [game.stages.names[Math.floor(index / per)]]
  let rest = index % per
  const others: string[] = []
  for (let player = game.actions.length - 1; player >= 2; player--) {
    const size = game.actions[player].length
    others.unshift(`agent_${player}: ${game.actions[player][rest % size]}`)
    rest = Math.floor(rest / size)
  }
  return [...names, ...others].join(', ')
}

/** World units of all sheets together. */
export function sizeOf(game: Game): { width: number; height: number } {
  const sheets = statesOf(game) * game.cells <= DRAWN ? statesOf(game) * sheetsPerState(game) : 1
  return {
    width: sheets * (game.actions[1].length + SHEET_GAP) - SHEET_GAP,
    height: game.actions[0].length,
  }
}

/** Team names: players who share every payoff are one team, others are one each. */
export function teamsOf(game: Game, common: boolean): string[] {
  if (common) return game.actions.map(() => 'players')
  const names = game.actions.length === 2 ? ['row', 'column'] : game.actions.map((_, player) => `player ${player}`)
  return game.actions.map((_, player) => names[player])
}

/** The lane as it stands after `round` rounds. */
export function frameOf(
  game: Game,
  teams: readonly string[],
  state: MatrixState,
  round: number,
  lane: number,
  totals: readonly number[],
): Frame {
  const players = game.actions.length
  const { outcomes, states: K, cells } = state
  const cell = state.last[lane]
  const outcome = game.stages === undefined ? cell : state.outcome[lane]
  const paid = game.stages?.reward ?? game.payoff
  const choices = cell < 0 ? undefined : actionsOf(game, cell)
  const [rows, columns] = [game.actions[0].length, game.actions[1].length]
  const per = sheetsPerState(game)
  /** The sheet that was played on, and where it lies. */
  const played =
    cell < 0 ? -1 : (game.stages === undefined ? 0 : Math.floor(outcome / (cells * K))) * per + (cell % per)
  const left = Math.max(0, played) * (columns + SHEET_GAP)
  const places = game.actions.map((_, player) =>
    player === 0
      ? { x: left - 1, y: choices?.[0] ?? (rows - 1) / 2 }
      : player === 1
        ? { x: left + (choices?.[1] ?? (columns - 1) / 2), y: -1 }
        : { x: player - 2, y: rows },
  )
  const entities: Entity[] = game.actions.map((names, player) => ({
    id: `agent_${player}`,
    kind: 'player',
    ...places[player],
    team: teams[player],
    state: {
      number: player,
      action: choices === undefined ? null : choices[player],
      actionName: choices === undefined ? null : names[choices[player]],
      payoff: choices === undefined ? null : paid[outcome * players + player],
      total: totals[player],
    },
  }))
  const events: FrameEvent[] = []
  if (choices !== undefined) {
    const at = { x: left + choices[1], y: choices[0] }
    const sheets = K * per > 1 ? { state: { sheet: played } } : {}
    entities.push({ id: 'choice', kind: 'choice', ...at, ...sheets })
    for (let player = 0; player < players; player++) {
      events.push({ kind: 'payoff', at, agents: [`agent_${player}`], value: paid[outcome * players + player] })
    }
  }
  if (K > 1) {
    const here = state.place[lane]
    entities.push({
      id: 'state',
      kind: 'state',
      x: here * per * (columns + SHEET_GAP),
      y: rows,
      state: { state: here },
    })
  }
  return {
    step: round,
    entities,
    ...(state.counts.length === 0
      ? {}
      : { layers: countLayers(game, state.counts.subarray(lane * outcomes, (lane + 1) * outcomes), per) }),
    events,
    counters: {
      rounds: round,
      ...Object.fromEntries(totals.map((total, player) => [`total${player}`, total])),
      welfare: totals.reduce((a, b) => a + b, 0),
    },
  }
}

/** Times that each cell was played, one layer per sheet: `counts`, or `counts.0`, `counts.1` … */
function countLayers(game: Game, counts: Int32Array, per: number) {
  const [rows, columns] = [game.actions[0].length, game.actions[1].length]
  const K = statesOf(game)
  const sheets = K * per
  return Array.from({ length: sheets }, (_, sheet) => ({
    name: sheets === 1 ? 'counts' : `counts.${sheet}`,
    width: columns,
    height: rows,
    cells: Array.from({ length: rows * columns }, (_cell, at) => {
      const cell = Math.floor(sheet / per) * game.cells + at * per + (sheet % per)
      if (game.stages === undefined) return counts[cell]
      let times = 0
      for (let next = 0; next < K; next++) times += counts[cell * K + next]
      return times
    }),
  }))
}

/** What each player got so far, from the counts; where outcomes are not counted, from the running sums. */
export function totalsOf(game: Game, state: MatrixState, lane: number): number[] {
  const players = game.actions.length
  const { outcomes, counts, sums, lanes } = state
  const paid = game.stages?.reward ?? game.payoff
  if (counts.length === 0) {
    const width = sums.length / lanes // the first metrics are the players' payoffs
    return game.actions.map((_, player) => sums[lane * width + player])
  }
  return game.actions.map((_, player) => {
    let total = 0
    for (let outcome = 0; outcome < outcomes; outcome++) {
      total += counts[lane * outcomes + outcome] * paid[outcome * players + player]
    }
    return total
  })
}
